//! What is at an address of the site: one answer for the server, the export, the link check, redirects and suggestions.
//!
//! A link is broken if and only if [`resolve`] finds nothing at the address that is rendered for
//! it. The answer is worked out by one function over [`Addresses`], of which there are two: the
//! table that is published, and the queries themselves, so that the link check of a page rests on
//! what it asked for and not on every address.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::body::ISLANDS;
use crate::config::redirects;
use crate::db::Db;
use crate::feed::{feed_path, has_feed};
use crate::frame::{ARCHIVE, card_path, is_own_file, twin_path, used_specs};
use crate::inputs::{FileBucket, Site, SourceFile, Spec, file_named};
use crate::navigation::{PageId, generated_pages, home_page, shown_pages};
use crate::openapi::spec_paths;
use crate::page::skill::{SKILL_FILE, skill_file, skill_in};
use crate::page::{self, page_list};
use crate::skill::skill_name;
use base::data::split::Format;
use base::path::{Route, SitePath};
use config::redirect::{self, Redirect};
use theme::assets::{self, Asset};

/// Target of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A page, at this route.
    Page(PageId, Route),
    /// A file that is passed on as it is.
    File(SourceFile),
    /// The specifications of the site in one archive.
    Archive,
    /// A generated text for programs (`llms.txt`, `sitemap.xml` and others).
    Text(MachineText),
    /// Preview image of a page (`og:image`).
    Card(PageId),
    /// Script of the components of a page; pages without any have none.
    Islands(SourceFile),
    /// A file of the theme, which is the same for all sites.
    Theme(&'static Asset),
    /// A redirect.
    Moved {
        /// Destination: an address of the site without its base path, or an external one, as
        /// written in an `href`.
        to: String,
        /// Whether it is permanent (308 rather than 307).
        is_permanent: bool,
    },
}

/// A generated text for programs (`llms.txt`, `sitemap.xml` and others).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineText {
    /// A page as Markdown, at its address with `.md`.
    Page(PageId),
    /// The feed of a page, if it has one.
    Feed(PageId),
    /// The list of all pages.
    Index,
    /// All pages in one text.
    Full,
    /// The site map.
    SiteMap,
    /// Rules for robots.
    Robots,
    /// Instructions for programs that use the documentation.
    Skill,
    /// The list of skills, as the first agents read it.
    Skills,
    /// The list of skills with their digests.
    AgentSkills,
    /// A specification with its overlays applied, at the URL of the original document.
    Specification(Spec, Format),
}

/// Path of the list of all pages.
pub const LLMS: &str = "/llms.txt";
/// Path of the text of all pages.
pub const LLMS_FULL: &str = "/llms-full.txt";
/// Path of the site map.
pub const SITE_MAP: &str = "/sitemap.xml";

/// Paths of texts of the whole site.
const TEXTS: &[(&str, MachineText)] = &[
    (LLMS, MachineText::Index),
    (LLMS_FULL, MachineText::Full),
    (SITE_MAP, MachineText::SiteMap),
    ("/robots.txt", MachineText::Robots),
    ("/skill.md", MachineText::Skill),
    ("/.well-known/skills/index.json", MachineText::Skills),
    (
        "/.well-known/agent-skills/index.json",
        MachineText::AgentSkills,
    ),
];

/// Below these skills are found, each at its name.
pub const SKILLS: &str = "/.well-known/skills/";
/// The address of the skills since draft 0.2 of their discovery.
pub const AGENT_SKILLS: &str = "/.well-known/agent-skills/";
/// The name of the skill at the address `path`.
fn skill_at(path: &str) -> Option<&str> {
    let name = path
        .strip_prefix(SKILLS)
        .or_else(|| path.strip_prefix(AGENT_SKILLS))?;
    let name = name.strip_suffix(SKILL_FILE)?;
    (!name.contains('/')).then_some(name)
}

/// Below this the lists of pages are too.
const WELL_KNOWN: &str = "/.well-known";

impl MachineText {
    /// Media type of the text.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Page(_) | Self::Skill => "text/markdown; charset=utf-8",
            Self::Feed(_) => "application/rss+xml; charset=utf-8",
            Self::SiteMap => "application/xml; charset=utf-8",
            Self::Index | Self::Full | Self::Robots => "text/plain; charset=utf-8",
            Self::Skills | Self::AgentSkills | Self::Specification(_, Format::Json) => {
                "application/json"
            }
            Self::Specification(_, Format::Yaml) => "application/yaml; charset=utf-8",
        }
    }
}

/// The text for programs at `path`.
fn text_at(addresses: &impl Addresses, path: &str) -> Option<MachineText> {
    if let Some((_, text)) = TEXTS.iter().find(|(known, _)| *known == path) {
        return Some(*text);
    }
    if let Some(name) = skill_at(path) {
        return (addresses.skill() == name).then_some(MachineText::Skill);
    }
    let page = match path.strip_suffix(".md")? {
        "/index" => addresses.page(&Route::home()),
        stem => page_spelled(addresses, stem),
    };
    page.map(MachineText::Page)
}

/// The page whose card is at `path`.
fn card_at(addresses: &impl Addresses, path: &str) -> Option<PageId> {
    match path.strip_prefix("/og")?.strip_suffix(".png")? {
        "/index" => addresses.page(&Route::home()),
        stem => page_spelled(addresses, stem),
    }
}

/// The page whose components the script at `path` goes on with.
fn islands_at(addresses: &impl Addresses, path: &str) -> Option<SourceFile> {
    let page = match path.strip_prefix(ISLANDS)?.strip_suffix(".js")? {
        "/index" => addresses.page(&Route::home()),
        stem => page_spelled(addresses, stem),
    };
    page?.file()
}

/// The feed at `path`.
fn feed_at(addresses: &impl Addresses, path: &str) -> Option<MachineText> {
    let page = match path.strip_suffix("/rss.xml")? {
        "" => addresses.page(&Route::home()),
        stem => page_spelled(addresses, stem),
    };
    page.filter(|page| addresses.has_feed(*page))
        .map(MachineText::Feed)
}

/// The page whose route is `stem` to the letter: a route by itself forgives slashes.
fn page_spelled(addresses: &impl Addresses, stem: &str) -> Option<PageId> {
    let route = Route::new(stem).filter(|route| route.as_str() == stem && stem != "/")?;
    addresses.page(&route)
}

/// Where addresses without an output of their own lead.
pub trait Moves {
    /// Returns true if a page is at `route`.
    fn has_page(&self, route: &Route) -> bool;
    /// Destination of the first redirect that matches `path`, and whether it is permanent.
    fn redirected(&self, path: &str) -> Option<(String, bool)>;
    /// Destination of the home address if no page is there.
    fn home(&self) -> Option<Route>;
    /// The first page below the folder at `route`.
    fn first_below(&self, route: &Route) -> Option<Route>;
}

/// The addresses of a site.
pub trait Addresses: Moves {
    /// The page at `route`.
    fn page(&self, route: &Route) -> Option<PageId>;
    /// The file at `path`, which begins with `/`.
    fn file(&self, path: &str) -> Option<SourceFile>;
    /// The specification with overlays at `path`, which begins with `/`.
    fn overlaid(&self, path: &str) -> Option<MachineText>;
    /// Returns true if there are several specifications to archive.
    fn has_archive(&self) -> bool;
    /// Returns true if a page has a feed, or may have one, which is determined when it is
    /// requested.
    fn has_feed(&self, page: PageId) -> bool;
    /// The name of the skill of the whole site.
    fn skill(&self) -> &str;
}

/// Resolves `path`, which begins with `/` and is unescaped.
///
/// Pages come first, then files, then texts for programs, then redirects: an author cannot redirect an address away that has
/// a page. Feeds come last, as not every page has one.
pub fn resolve(addresses: &impl Addresses, path: &str) -> Option<Output> {
    if let Some(asset) = assets::asset_at(path) {
        return Some(Output::Theme(asset));
    }
    if let Some((to, is_permanent)) = slash_move(addresses, path) {
        return Some(Output::Moved { to, is_permanent });
    }
    if let Some(route) = Route::new(path)
        && let Some(page) = addresses.page(&route)
    {
        return Some(Output::Page(page, route));
    }
    if let Some(text) = addresses.overlaid(path) {
        return Some(Output::Text(text));
    }
    if let Some(file) = addresses.file(path) {
        return Some(Output::File(file));
    }
    if path == ARCHIVE && addresses.has_archive() {
        return Some(Output::Archive);
    }
    if let Some(text) = text_at(addresses, path) {
        return Some(Output::Text(text));
    }
    if let Some(page) = card_at(addresses, path) {
        return Some(Output::Card(page));
    }
    if let Some(file) = islands_at(addresses, path) {
        return Some(Output::Islands(file));
    }
    // The lists are below a second address too, and what an author wrote in their place.
    if let Some(listed) = path.strip_prefix(WELL_KNOWN)
        && let Some((_, text)) = TEXTS[..2].iter().find(|(known, _)| *known == listed)
    {
        let own = addresses.file(listed).map(Output::File);
        return Some(own.unwrap_or(Output::Text(*text)));
    }
    let moved = |(to, is_permanent)| Output::Moved { to, is_permanent };
    if let Some(redirect) = addresses.redirected(path) {
        return Some(moved(redirect));
    }
    if let Some(feed) = feed_at(addresses, path) {
        return Some(Output::Text(feed));
    }
    derived_move(addresses, path).map(moved)
}

/// The destination of `path`, at which nothing is, and whether it is permanent: as [`resolve`]
/// finds it.
pub fn moved(addresses: &impl Moves, path: &str) -> Option<(String, bool)> {
    (slash_move(addresses, path))
        .or_else(|| addresses.redirected(path))
        .or_else(|| derived_move(addresses, path))
}

/// The page whose address `path` is but for a slash at its end: each page has one address.
fn slash_move(addresses: &impl Moves, path: &str) -> Option<(String, bool)> {
    let has_slash = path.len() > 1 && path.ends_with('/');
    let route = Route::new(path).filter(|route| has_slash && addresses.has_page(route))?;
    Some((route.href(), true))
}

/// The destination of an address that no redirect names.
fn derived_move(addresses: &impl Moves, path: &str) -> Option<(String, bool)> {
    if path == "/" {
        return addresses.home().map(|home| (home.href(), false));
    }
    let page_at = |route: Option<Route>| {
        let route = route.filter(|route| addresses.has_page(route))?;
        Some((route.href(), true))
    };
    // Addresses that servers of files have for the page of a folder.
    let folder = path.trim_end_matches('/');
    let index = folder
        .strip_suffix("/index.html")
        .or_else(|| folder.strip_suffix("/index"));
    if let Some(page) = page_at(index.and_then(Route::new)) {
        return Some(page);
    }
    if let Some(page) = page_at(path.strip_suffix(".html").and_then(Route::new)) {
        return Some(page);
    }
    // Links to pages are written without `.html`, redirects as the old address was.
    if !path.ends_with('/')
        && let Some(redirect) = addresses.redirected(&format!("{path}.html"))
    {
        return Some(redirect);
    }
    // A folder without a page of its own leads to the first page in it, which another edit may make another one.
    let folder = Route::new(index.unwrap_or(folder))?;
    let first = addresses.first_below(&folder)?;
    Some((first.href(), false))
}

/// Every address of the site: a closed map. What is not in it does not exist, whatever is on the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteTable {
    /// Pages by route.
    pub pages: BTreeMap<Route, PageId>,
    /// Files that are passed on as they are, by their path with a leading `/`.
    pub files: BTreeMap<String, SourceFile>,
    /// The specifications with overlays, by their addresses.
    pub overlaid: BTreeMap<String, MachineText>,
    /// The specifications behind the pages of the site, in order of their paths: what `/api-specs.zip` holds if there are
    /// several (SPEC 2.5).
    pub specs: Vec<Spec>,
    /// Redirects in the order of the configuration.
    pub redirects: Vec<Redirect>,
    /// Destination of the home address if no page is there.
    pub home: Option<Route>,
    /// The first page below each folder that has none of its own.
    pub folders: Arc<BTreeMap<Route, Route>>,
    /// The name of the skill of the whole site.
    pub skill: String,
}

impl RouteTable {
    /// Every path at which a text for programs may be.
    pub fn text_paths(&self) -> impl Iterator<Item = String> {
        let of_site = TEXTS.iter().map(|(path, _)| (*path).to_owned());
        let below = TEXTS[..2].iter();
        let below = below.map(|(path, _)| format!("{WELL_KNOWN}{path}"));
        let skill =
            [SKILLS, AGENT_SKILLS].map(|above| format!("{above}{}{SKILL_FILE}", self.skill));
        let of_pages = self.pages.keys();
        let of_pages = of_pages.flat_map(|route| [twin_path(route), feed_path(route)]);
        let of_specs = self.overlaid.keys().cloned();
        let of_all = of_site.chain(below).chain(skill).chain(of_pages);
        of_all.chain(of_specs)
    }
}

impl RouteTable {
    /// The card of the page at `route`, unless a file of the author is in its place.
    pub fn card_of(&self, route: &Route) -> Option<(String, PageId)> {
        let path = card_path(route);
        match resolve(self, &path) {
            Some(Output::Card(page)) => Some((path, page)),
            _ => None,
        }
    }
}

impl Moves for RouteTable {
    fn has_page(&self, route: &Route) -> bool {
        self.pages.contains_key(route)
    }

    fn redirected(&self, path: &str) -> Option<(String, bool)> {
        redirect::redirected(&self.redirects, path)
    }

    fn home(&self) -> Option<Route> {
        self.home.clone()
    }

    fn first_below(&self, route: &Route) -> Option<Route> {
        self.folders.get(route).cloned()
    }
}

impl Addresses for RouteTable {
    fn page(&self, route: &Route) -> Option<PageId> {
        self.pages.get(route).copied()
    }

    fn file(&self, path: &str) -> Option<SourceFile> {
        self.files.get(path).copied()
    }

    fn overlaid(&self, path: &str) -> Option<MachineText> {
        self.overlaid.get(path).copied()
    }

    fn has_archive(&self) -> bool {
        self.specs.len() > 1
    }

    fn has_feed(&self, page: PageId) -> bool {
        page.file().is_some()
    }

    fn skill(&self) -> &str {
        &self.skill
    }
}

/// The addresses of a site as queries: a reader depends only on the addresses that it looked up.
pub struct AskedAddresses<'db> {
    db: &'db dyn Db,
    site: Site,
}

impl<'db> AskedAddresses<'db> {
    /// The addresses of the site of `db`.
    pub fn new(db: &'db dyn Db) -> Self {
        let site = Site::get(db);
        Self { db, site }
    }
}

impl Moves for AskedAddresses<'_> {
    fn has_page(&self, route: &Route) -> bool {
        self.page(route).is_some()
    }

    fn redirected(&self, path: &str) -> Option<(String, bool)> {
        let own = || redirect::redirected(redirects(self.db, self.site), path);
        let generated = || {
            let generated = generated_pages(self.db, self.site);
            redirect::redirected(&generated.redirects, path)
        };
        // An author's own redirects come first.
        own().or_else(generated)
    }

    fn home(&self) -> Option<Route> {
        let first = || {
            let files = page_list(self.db, self.site).value.keys();
            let generated = generated_pages(self.db, self.site).pages.keys();
            files.chain(generated).min().cloned()
        };
        let home = home_page(self.db, self.site);
        home.map(|page| page::route_of(self.db, page))
            .or_else(first)
    }

    fn first_below(&self, route: &Route) -> Option<Route> {
        first_pages(self.db, self.site).get(route).cloned()
    }
}

impl Addresses for AskedAddresses<'_> {
    fn page(&self, route: &Route) -> Option<PageId> {
        let file = page_list(self.db, self.site).value.get(route).copied();
        file.map(PageId::File).or_else(|| {
            let page = generated_pages(self.db, self.site)
                .pages
                .get(route)
                .copied();
            page.map(PageId::Generated)
        })
    }

    fn file(&self, path: &str) -> Option<SourceFile> {
        if let Some(name) = skill_at(path) {
            return file_named(self.db, &skill_file(name)?);
        }
        let of_site = SitePath::new(path).filter(|of_site| of_site.as_str() == &path[1..])?;
        let file = file_named(self.db, &of_site)?;
        let is_spec = || {
            let mut specs = spec_paths(self.db, self.site).iter();
            specs.any(|(path, _)| path == of_site.as_str())
        };
        (is_asset(&of_site) || is_spec()).then_some(file)
    }

    fn overlaid(&self, path: &str) -> Option<MachineText> {
        let specs = spec_paths(self.db, self.site).iter();
        let mut overlaid = specs.filter_map(|(_, spec)| overlaid_at(self.db, *spec));
        let (_, text) = overlaid.find(|(known, _)| known == path)?;
        Some(text)
    }

    fn has_archive(&self) -> bool {
        used_specs(self.db, self.site).len() > 1
    }

    fn has_feed(&self, page: PageId) -> bool {
        page.file().is_some_and(|file| has_feed(self.db, file))
    }

    fn skill(&self) -> &str {
        skill_name(self.db, self.site)
    }
}

/// The first page below each folder that has no page of its own: the first that the navigation shows, else the first by its
/// address.
///
/// Read when such a folder is requested. Wakes when the lists of pages change, and not with labels.
#[salsa::tracked]
pub fn first_pages(db: &dyn Db, site: Site) -> Arc<BTreeMap<Route, Route>> {
    let files = &page_list(db, site).value;
    let generated = &generated_pages(db, site).pages;
    let of_files = files
        .iter()
        .map(|(route, file)| (PageId::File(*file), route));
    let of_operations = generated.iter();
    let of_operations = of_operations.map(|(route, page)| (PageId::Generated(*page), route));
    let mut routes: Vec<(PageId, &Route)> = of_files.chain(of_operations).collect();
    routes.sort_by_key(|(_, route)| *route);
    let by_page: HashMap<PageId, &Route> = routes.iter().copied().collect();
    let shown = shown_pages(db, site);
    let shown = shown.filter_map(|page| by_page.get(&page).copied());
    let (mut first, mut seen) = (BTreeMap::new(), HashSet::new());
    for route in shown.chain(routes.iter().map(|(_, route)| *route)) {
        let mut folder = route.as_str();
        while let Some(at) = folder.rfind('/').filter(|at| *at > 0) {
            folder = &folder[..at];
            // What is above a folder that was seen was seen with it.
            if !seen.insert(folder) {
                break;
            }
            let Some(folder) = Route::new(folder) else {
                break;
            };
            let has_page = files.contains_key(&folder) || generated.contains_key(&folder);
            if !has_page {
                first.entry(folder).or_insert_with(|| route.clone());
            }
        }
    }
    Arc::new(first)
}

/// The addresses of the site.
///
/// Read by the server and the export. Wakes when a file appears or vanishes, and when redirects or
/// the first page of the navigation change.
#[salsa::tracked]
pub fn route_table(db: &dyn Db, site: Site) -> Arc<RouteTable> {
    let generated = generated_pages(db, site);
    let own = generated.pages.iter();
    let mut pages: BTreeMap<Route, PageId> = own
        .map(|(route, page)| (route.clone(), PageId::Generated(*page)))
        .collect();
    let listed = page_list(db, site).value.iter();
    pages.extend(listed.map(|(route, file)| (route.clone(), PageId::File(*file))));
    // Specifications are served where they are in the repository (SPEC 4.3).
    let overlaid = site.specs(db).iter();
    let overlaid = overlaid.filter_map(|spec| overlaid_at(db, *spec)).collect();
    let specs = site.specs(db).iter();
    let specs = specs.filter(|spec| spec.overlays(db).is_empty());
    let specs = specs.map(|spec| spec.path(db));
    let specs = specs.filter(|path| !path.is_url());
    let specs = specs.filter_map(|path| Some((format!("/{path}"), file_named(db, path)?)));
    let files = site
        .buckets(db)
        .iter()
        .flat_map(|bucket| bucket_assets(db, *bucket))
        .flat_map(|file| addresses_of(file.path(db)).map(|path| (path, *file)))
        .chain(specs)
        .collect();
    let home = match pages.contains_key(&Route::home()) {
        true => None,
        false => AskedAddresses::new(db).home(),
    };
    // An author's own redirects come first.
    let mut redirects = redirects(db, site).clone();
    redirects.extend_from_slice(&generated.redirects);
    Arc::new(RouteTable {
        pages,
        files,
        overlaid,
        specs: used_specs(db, site),
        redirects,
        home,
        folders: Arc::clone(first_pages(db, site)),
        skill: skill_name(db, site).clone(),
    })
}

/// Path of a specification with overlays; `None` if it was fetched.
fn overlaid_at(db: &dyn Db, spec: Spec) -> Option<(String, MachineText)> {
    let name = spec.name(db);
    if spec.overlays(db).is_empty() || name.is_url() {
        return None;
    }
    let text = MachineText::Specification(spec, Format::of(name)?);
    Some((format!("/{name}"), text))
}

/// Addresses of a file that is served as it is: two for a skill, one for others.
fn addresses_of(path: &SitePath) -> impl Iterator<Item = String> + use<> {
    let all = match skill_in(path) {
        Some(name) => [SKILLS, AGENT_SKILLS]
            .map(|above| format!("{above}{name}{SKILL_FILE}"))
            .to_vec(),
        None => vec![format!("/{path}")],
    };
    all.into_iter()
}

/// The files of one bucket that are passed on as they are.
#[salsa::tracked]
pub fn bucket_assets(db: &dyn Db, bucket: FileBucket) -> Vec<SourceFile> {
    let files = bucket.files(db).iter();
    let wanted = files.filter(|(path, _)| is_asset(path) || skill_in(path).is_some());
    wanted.map(|(_, file)| *file).collect()
}

/// Returns true if the file at `path` is served as it is: images, video, audio, documents, fonts,
/// archives, stylesheets and scripts. Other files of the repository are not served.
pub fn is_asset(path: &SitePath) -> bool {
    is_own_file(path)
        || matches!(
            path.extension().as_str(),
            "png"
                | "jpg"
                | "jpeg"
                | "gif"
                | "svg"
                | "webp"
                | "avif"
                | "ico"
                | "bmp"
                | "apng"
                | "mp4"
                | "webm"
                | "mov"
                | "m4v"
                | "ogv"
                | "mp3"
                | "wav"
                | "ogg"
                | "m4a"
                | "aac"
                | "flac"
                | "pdf"
                | "doc"
                | "docx"
                | "xls"
                | "xlsx"
                | "ppt"
                | "pptx"
                | "odt"
                | "txt"
                | "csv"
                | "tsv"
                | "xml"
                | "woff"
                | "woff2"
                | "ttf"
                | "otf"
                | "eot"
                | "zip"
                | "gz"
                | "tar"
                | "tgz"
        )
}
