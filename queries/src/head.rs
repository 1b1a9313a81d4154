//! Facts around the body of a page that follow from the page: title, place, address, metadata,
//! neighbors. One query, so that page composition reads plain values.

use config::api::{Expanded, PlaygroundDisplay};
use config::chrome::{Contextual, contextual_of_page};
use config::navigation::NodeKind;
use mdx::front_matter::FrontMatter;
use theme::article::Mode;
use theme::pager::PagerLink;
use theme::reference::{Display, Use};

use crate::binding::{model_about, operation_about};
use crate::config::{api_config, has_timestamps, seo_config};
use crate::db::Db;
use crate::inputs::Site;
use crate::navigation::{NavigationNode, PageId, Section, section_of, sections};
use crate::page::{described, front_matter_of, label_of, route_of, title_of};
use crate::reference::model_uses;
use base::path::Route;

/// Facts about a page besides its body.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct PageHead<'db> {
    /// The section it is shown in: that which lists it, else the first.
    pub section: Option<Section<'db>>,
    /// Title.
    pub title: String,
    /// Own description, without what is Markdown in it; that of an operation is part of its body.
    pub description: Option<String>,
    /// The description as HTML, if there is Markdown in it.
    pub lead: Option<String>,
    /// Route.
    pub route: Route,
    /// Address as it is written into HTML.
    pub href: String,
    /// The label of the innermost group that lists it.
    pub group: Option<String>,
    /// The label of the language that it is in.
    pub language: Option<String>,
    /// Layout mode.
    pub mode: Mode,
    /// Whether the panel of the assistant stands in place of its content, where there is one.
    pub is_assistant: bool,
    /// Whether it, or what it is about, is deprecated.
    pub is_deprecated: bool,
    /// A label beside its title.
    pub tag: Option<String>,
    /// The version of what it documents.
    pub version: Option<String>,
    /// Part of the request that is shown.
    pub display: Display,
    /// Whether what its author folded is open at first.
    pub is_expanded: bool,
    /// Whether search engines are asked to leave it out.
    pub is_unindexed: bool,
    /// The address that its author calls canonical.
    pub canonical: Option<String>,
    /// Base of canonical addresses, if the site sets it (`seo.metatags.canonical`).
    pub canonical_base: Option<String>,
    /// The groups that it stands in, outermost first, each with the address of its first page.
    pub crumbs: Vec<(String, String)>,
    /// The way to it as readers see it: tab or other part of the site, then the groups, each with an address where a page
    /// stands for it. What the page itself stands for is left out.
    pub trail: Vec<(String, Option<String>)>,
    /// Whether it is about an operation or a data model.
    pub is_reference: bool,
    /// When it was written, as far as its author says so by a date, and when it was last changed.
    pub dates: [Option<String>; 2],
    /// When it was last changed, where it shows that: the words of its author may be no date.
    pub timestamp: Option<String>,
    /// Metadata for search engines by author and site: name and content, each name once.
    pub meta: Vec<(String, String)>,
    /// The page before it in its section.
    pub previous: Option<PagerLink>,
    /// The page after it.
    pub next: Option<PagerLink>,
    /// The operations that the data model it is about is used by.
    pub uses: Vec<Use>,
    /// Menu of this page instead of the site's.
    pub contextual: Option<Contextual>,
}

/// The head of a page.
///
/// Read by the page while it is composed. Wakes with the frontmatter of the page, with the labels of its section and its
/// neighbors, with `seo` and `api.playground` of the configuration; words of the body must not wake it. Forgotten after
/// others, as bodies are: what it says is said once, when the page is composed.
#[salsa::tracked(lru = 512)]
pub fn page_head<'db>(db: &'db dyn Db, page: PageId) -> PageHead<'db> {
    let site = Site::get(db);
    let front_matter = &*front_matter_of(db, page);
    let section = section_of(db, page).or_else(|| sections(db, site).first().copied());
    let (previous, next) =
        match section.filter(|_| front_matter.hide_footer_pagination != Some(true)) {
            Some(section) => neighbors(db, section, page),
            None => (None, None),
        };
    let mut meta = meta(db, site, page, front_matter);
    // A base for all addresses, and no tag.
    let canonical_base = meta.iter().position(|(name, _)| name == "canonical");
    let canonical_base = canonical_base.map(|at| meta.remove(at).1);
    let date = |text: &Option<String>| text.clone().filter(|text| is_date(text));
    // What an operation says about itself is Markdown of any length, and stands below its method and path.
    let own = page.file().and_then(|file| {
        let own = crate::page::front_matter(db, file)
            .value
            .description
            .as_deref()?;
        let (path, base_path) = (file.path(db), site.base_path(db));
        Some(described(own, &mut |href| {
            mdx::link::href(path, base_path, href)
        }))
    });
    let (description, lead) = own.map_or((None, None), |(words, lead)| (Some(words), lead));
    PageHead {
        section,
        title: title_of(db, page),
        description,
        lead,
        route: route_of(db, page),
        href: page_href(db, page),
        group: section.and_then(|section| group_of(section.nodes(db), page)),
        language: section.and_then(|section| language_of(db, section)),
        mode: match front_matter.mode.as_deref() {
            Some("wide" | "assistant") => Mode::Wide,
            Some("custom") => Mode::Custom,
            Some("frame") => Mode::Frame,
            Some("center") => Mode::Center,
            _ => Mode::Default,
        },
        is_assistant: front_matter.mode.as_deref() == Some("assistant"),
        is_deprecated: front_matter.deprecated == Some(true),
        tag: front_matter.tag.clone(),
        version: (front_matter.version.clone()).filter(|version| !version.trim().is_empty()),
        display: match is_reference(db, page, front_matter) {
            true => display_of(db, site, front_matter),
            false => Display::default(),
        },
        is_expanded: is_reference(db, page, front_matter)
            && api_config(db, site).params.expanded == Expanded::All,
        is_unindexed: front_matter.noindex == Some(true) || front_matter.hidden == Some(true),
        canonical: front_matter.canonical.clone(),
        canonical_base: canonical_base
            .filter(|base| is_address(base))
            .map(|base| base.trim_end_matches('/').to_owned()),
        crumbs: section.map_or_else(Vec::new, |section| {
            let mut crumbs = Vec::new();
            add_crumbs(db, section.nodes(db), page, &mut crumbs);
            crumbs
        }),
        trail: section.map_or_else(Vec::new, |section| trail_of(db, section, page)),
        is_reference: is_reference(db, page, front_matter),
        dates: [
            date(&front_matter.created),
            modified_of(db, page, front_matter),
        ],
        timestamp: (front_matter.timestamp)
            .unwrap_or_else(|| has_timestamps(db, site))
            .then(|| {
                let own = front_matter.last_updated.clone();
                own.or_else(|| modified_of(db, page, front_matter))
            })
            .flatten(),
        meta,
        previous,
        next,
        uses: uses_of(db, page).to_vec(),
        contextual: own_contextual(db, page, front_matter),
    }
}

/// When a page was last changed: its author says it by a date, else the history of its file does.
pub fn modified_of(db: &dyn Db, page: PageId, front_matter: &FrontMatter) -> Option<String> {
    let own = front_matter.last_updated.as_ref();
    if let Some(own) = own.filter(|text| is_date(text)) {
        return Some(own.clone());
    }
    page.file()?.modified(db).as_deref().map(str::to_owned)
}

/// The menu that a page has instead of the site's. One that is made of an operation has no file that says it.
fn own_contextual(db: &dyn Db, page: PageId, front_matter: &FrontMatter) -> Option<Contextual> {
    let path = page.file()?.path(db);
    contextual_of_page(path, front_matter.contextual.as_ref()?).value
}

/// Sets how many heads are kept.
pub fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    page_head::set_lru_capacity(db, capacity);
}

/// The address of any page as it is written into HTML.
pub fn page_href(db: &dyn Db, page: PageId) -> String {
    format!(
        "{}{}",
        Site::get(db).base_path(db),
        route_of(db, page).href()
    )
}

/// The previous and the next page of the section that are shown and lead nowhere else.
fn neighbors(
    db: &dyn Db,
    section: Section<'_>,
    page: PageId,
) -> (Option<PagerLink>, Option<PagerLink>) {
    let pages = section.pages(db);
    let Some(at) = pages.iter().position(|other| *other == page) else {
        return (None, None);
    };
    let is_shown = |page: &&PageId| {
        let label = label_of(db, **page);
        label.hidden != Some(true) && label.url.is_none()
    };
    let link = |page: &PageId| PagerLink {
        label: label_of(db, *page).label.clone(),
        href: page_href(db, *page),
    };
    let previous = pages[..at].iter().rev().find(is_shown).map(link);
    let next = pages[at + 1..].iter().find(is_shown).map(link);
    (previous, next)
}

/// The label of the innermost group that lists `page`.
fn group_of(nodes: &[NavigationNode], page: PageId) -> Option<String> {
    nodes
        .iter()
        .filter(|node| node.kind == NodeKind::Group)
        .find_map(|group| {
            let is_mine = |node: &NavigationNode| node.target.pages().any(|other| other == page);
            let is_root = group.root.is_some_and(|root| PageId::File(root) == page);
            group_of(&group.children, page).or_else(|| {
                (is_root || group.children.iter().any(is_mine)).then(|| group.label.clone())
            })
        })
}

/// Adds the groups that list `page`, outermost first; whether there are some.
fn add_crumbs(
    db: &dyn Db,
    nodes: &[NavigationNode],
    page: PageId,
    crumbs: &mut Vec<(String, String)>,
) -> bool {
    for node in nodes {
        if node.target.pages().any(|other| other == page) {
            return true;
        }
        if node.kind != NodeKind::Group {
            continue;
        }
        let at = crumbs.len();
        let root = node.root.map(PageId::File);
        if root == Some(page) || add_crumbs(db, &node.children, page, crumbs) {
            if let Some(first) = root.or_else(|| first_page(&node.children)) {
                crumbs.insert(at, (node.label.clone(), page_href(db, first)));
            }
            return true;
        }
    }
    false
}

/// The way to `page` as readers see it. Languages and versions are no part of it: their switchers are seen anyway.
fn trail_of(db: &dyn Db, section: Section<'_>, page: PageId) -> Vec<(String, Option<String>)> {
    let mut trail = Vec::new();
    for step in section.breadcrumb(db) {
        let is_part = !matches!(step.kind, NodeKind::Language | NodeKind::Version);
        if let Some(choice) = step.choices.get(step.chosen).filter(|_| is_part) {
            let first = choice.first_page.filter(|first| *first != page);
            trail.push((
                choice.label.clone(),
                first.map(|first| page_href(db, first)),
            ));
        }
    }
    add_trail(db, section.nodes(db), page, &mut trail);
    trail
}

/// Adds the groups that list `page`, outermost first; whether there are some.
fn add_trail(
    db: &dyn Db,
    nodes: &[NavigationNode],
    page: PageId,
    trail: &mut Vec<(String, Option<String>)>,
) -> bool {
    for node in nodes {
        if node.target.pages().any(|other| other == page) {
            return true;
        }
        if node.kind != NodeKind::Group {
            continue;
        }
        let root = node.root.map(PageId::File);
        if root == Some(page) {
            return true;
        }
        let at = trail.len();
        if add_trail(db, &node.children, page, trail) {
            let href = root.map(|root| page_href(db, root));
            trail.insert(at, (node.label.clone(), href));
            return true;
        }
    }
    false
}

fn first_page(nodes: &[NavigationNode]) -> Option<PageId> {
    nodes.iter().find_map(|node| {
        let root = node.root.map(PageId::File);
        let own = root.or_else(|| node.target.pages().next());
        own.or_else(|| first_page(&node.children))
    })
}

/// Returns true if `text` is an absolute URL.
pub fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Returns true if `text` begins with an ISO 8601 date, such as `2026-01-02`.
pub fn is_date(text: &str) -> bool {
    let digits = |at: std::ops::Range<usize>| {
        let digits = text.get(at).unwrap_or("x");
        digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_day = text.is_ascii()
        && text.len() >= 10
        && digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && text.as_bytes()[4] == b'-'
        && text.as_bytes()[7] == b'-';
    let time = text.get(10..).unwrap_or("");
    let is_time = time.strip_prefix('T').is_some_and(|time| {
        let zone = time.find(['Z', '+', '-']);
        time.len() >= 6 && zone.is_some() && !time.contains(char::is_whitespace)
    });
    is_day && (time.is_empty() || is_time)
}

/// The label of the language that a section is in.
pub(crate) fn language_of(db: &dyn Db, section: Section<'_>) -> Option<String> {
    let mut steps = section.breadcrumb(db).iter();
    let step = steps.find(|step| step.kind == NodeKind::Language)?;
    Some(step.choices.get(step.chosen)?.label.clone())
}

/// Returns true if a page is about an operation or a data model. No other page depends on how those
/// are shown.
fn is_reference(db: &dyn Db, page: PageId, front_matter: &FrontMatter) -> bool {
    let Some(file) = page.file() else {
        return true;
    };
    file.subject(db).is_some() || front_matter.api.is_some()
}

/// Part of the request that a page shows: by the page, else by the site. With `auth` the form is
/// for readers who are logged in, and there is no login: they get what they can copy.
fn display_of(db: &dyn Db, site: Site, front_matter: &FrontMatter) -> Display {
    match front_matter.playground.as_deref() {
        Some("interactive") => Display::Interactive,
        Some("simple" | "auth") => Display::Simple,
        Some("none") => Display::None,
        _ => match api_config(db, site).playground.display {
            PlaygroundDisplay::Interactive => Display::Interactive,
            PlaygroundDisplay::Simple | PlaygroundDisplay::Auth => Display::Simple,
            PlaygroundDisplay::None => Display::None,
        },
    }
}

/// Metadata for search engines: of the page first, then of `seo` for its folder, then for the site.
fn meta(
    db: &dyn Db,
    site: Site,
    page: PageId,
    front_matter: &FrontMatter,
) -> Vec<(String, String)> {
    let seo = seo_config(db, site);
    let path = match page {
        PageId::File(file) => file.path(db).to_string(),
        PageId::Generated(_) => {
            let route = route_of(db, page);
            route.as_str().trim_start_matches('/').to_owned()
        }
    };
    let folders = seo.paths.iter();
    let folder = folders
        .filter(|entry| path.starts_with(entry.path.trim_matches('/')))
        .max_by_key(|entry| entry.path.len());
    let robots = front_matter.robots.iter().map(|robots| ("robots", robots));
    let of_page = front_matter
        .meta
        .iter()
        .map(|(name, content)| (&**name, content));
    let of_folder = folder.into_iter().flat_map(|folder| &folder.metatags.0);
    let of_site = of_folder.chain(&seo.metatags.0);
    let of_site = of_site.map(|(name, content)| (&**name, &content.0));
    let mut meta: Vec<(String, String)> = Vec::new();
    for (name, content) in of_page.chain(robots).chain(of_site) {
        if meta.iter().all(|(known, _)| known != name) {
            meta.push((name.to_owned(), content.clone()));
        }
    }
    meta
}

/// Returns the operations that use the data model that a page documents.
fn uses_of(db: &dyn Db, page: PageId) -> &[Use] {
    let node = match operation_about(db, page) {
        Some(_) => None,
        None => model_about(db, page),
    };
    node.map_or(&[][..], |node| model_uses(db, node))
}
