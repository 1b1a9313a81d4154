//! The shape of the site as readers see it: the tree of the navigation, the sections it falls into, and which section
//! a page is in.
//!
//! It knows which files and operations exist, never what is in them: titles come from elsewhere, so editing a page or a
//! description leaves everything here asleep.

pub mod entry;
pub mod generate;
pub mod inherit;
pub mod section;
pub mod slug;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::config::{api_config, navigation_config, reference_pages};
use crate::db::Db;
use crate::inputs::{Site, SourceFile, Spec, file_named};
use crate::navigation::generate::{Generated, GeneratedPlace};
use crate::navigation::inherit::{EntryTarget, FoundSpec, Lookup, SpecKind};
use crate::openapi::{
    GeneratedPage, Operation, introduction_meta, is_asyncapi, operation_index, spec_models,
    spec_named, spec_of_source, spec_paths,
};
use base::data::split::Format;
use base::diagnostic::{Code, Diagnostic, Near, near};
use base::path::SitePath;
use config::api::SpecSource;
use config::appearance::{Icon, ModeColors};
use config::decode::Thousandths;
use config::navigation::{Align, Directory, NodeKind, SpecReference};
use openapi::index::{EntryKind, INFO, Method, OperationEntry, OperationIndex, find_spec};
use openapi::introduction::INTRODUCTION;

pub use section::{BreadcrumbStep, Choice, SectionDraft};
pub use tracked::{PageRun, Section};

/// The navigation, resolved as far as files alone allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Navigation {
    /// The elements.
    pub nodes: Vec<NavigationNode>,
    /// Links that are shown everywhere.
    pub global: Vec<NavigationNode>,
    /// Links that are shown everywhere below one element, by its position.
    pub local_global: Vec<(Vec<u16>, Vec<NavigationNode>)>,
    /// The pages that operations get.
    pub generated: Arc<Generated>,
    /// Their entries in the index of their specification.
    pub operations: HashMap<GeneratedPage, OperationEntry>,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

impl Navigation {
    /// The links that are shown everywhere around `position`: those of the nearest element above it that has some of its
    /// own, else those of the site.
    pub fn global_at(&self, position: &[u16]) -> &[NavigationNode] {
        let above = self.local_global.iter();
        let above = above.filter(|(element, _)| position.starts_with(element));
        let nearest = above.max_by_key(|(element, _)| element.len());
        nearest.map_or(&self.global, |(_, links)| links)
    }
}

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, salsa::SalsaValue, salsa::Supertype)]
pub enum PageId {
    /// A file.
    File(SourceFile),
    /// A page made of an operation.
    Generated(GeneratedPage),
}

impl PageId {
    /// The file, if it is one.
    pub fn file(self) -> Option<SourceFile> {
        match self {
            Self::File(file) => Some(file),
            Self::Generated(_) => None,
        }
    }
}

/// An element of the navigation with everything it inherits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavigationNode {
    /// Kind.
    pub kind: NodeKind,
    /// Visible label; empty for a page, whose title comes from the page.
    pub label: String,
    /// Icon.
    pub icon: Option<Icon>,
    /// Whether it is left out of the sidebar: the nearest explicit value.
    pub hidden: bool,
    /// A word beside the label.
    pub tag: Option<String>,
    /// Whether a group is initially open.
    pub expanded: Option<bool>,
    /// Whether it can be read without a login (inherited).
    pub public: Option<bool>,
    /// Boost of its pages in search (inherited).
    pub boost: Option<Thousandths>,
    /// Whether its pages are found although hidden (inherited).
    pub searchable: Option<bool>,
    /// A sentence below the label.
    pub description: Option<String>,
    /// Color.
    pub color: Option<ModeColors>,
    /// The side of the bar a tab stands on.
    pub align: Option<Align>,
    /// Whether it is the product, version or language shown first.
    pub is_default: bool,
    /// Listing of child pages on root pages (inherited).
    pub directory: Directory,
    /// The specifications in scope (inherited).
    pub openapi: Arc<[SpecSource]>,
    /// Whether the element names its specifications itself.
    pub has_own_openapi: bool,
    /// The AsyncAPI documents in scope (inherited).
    pub asyncapi: Arc<[SpecSource]>,
    /// The version it belongs to (inherited).
    pub version: Option<String>,
    /// The language it belongs to (inherited).
    pub language: Option<String>,
    /// Target.
    pub target: Target,
    /// The page of a group itself.
    pub root: Option<SourceFile>,
    /// Children. Shared with the section that shows them.
    pub children: Arc<[Self]>,
}

/// Target of an element of the navigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing: it only holds children.
    None,
    /// A page of the site.
    File(SourceFile),
    /// Consecutive pages of the site: stands for as many nodes, which differ in nothing but the
    /// page. A site lists thousands, and each edit of a label makes and compares the tree.
    Files(Arc<[SourceFile]>),
    /// A page made of an operation.
    Generated(GeneratedPage),
    /// A page that has no file, or an operation that no specification has, as written.
    Missing(String),
    /// An address.
    Href(String),
}

impl Target {
    /// The pages that it is, in order.
    pub fn pages(&self) -> impl Iterator<Item = PageId> {
        let (files, generated) = match self {
            Self::File(file) => (std::slice::from_ref(file), None),
            Self::Files(files) => (&files[..], None),
            Self::Generated(page) => (&[][..], Some(PageId::Generated(*page))),
            Self::None | Self::Missing(_) | Self::Href(_) => (&[][..], None),
        };
        let files = files.iter().map(|file| PageId::File(*file));
        files.chain(generated)
    }
}

impl NavigationNode {
    /// The node itself, or one for each of the pages that it stands for.
    pub fn each(&self) -> impl Iterator<Item = Cow<'_, Self>> {
        let (own, files) = match &self.target {
            Target::Files(files) => (None, &files[..]),
            _ => (Some(Cow::Borrowed(self)), &[][..]),
        };
        let of_file = |file: &SourceFile| {
            let target = Target::File(*file);
            Cow::Owned(Self {
                target,
                ..self.clone()
            })
        };
        own.into_iter().chain(files.iter().map(of_file))
    }
}

mod tracked {
    #![allow(missing_docs, reason = "salsa writes methods without documentation")]

    use std::collections::HashMap;
    use std::sync::Arc;

    use crate::inputs::SourceFile;
    use crate::openapi::GeneratedPage;
    use base::path::Route;
    use openapi::index::OperationEntry;

    use super::{BreadcrumbStep, NavigationNode, PageId};

    /// Consecutive pages of a section: a part of its sidebar that is rendered by a query of its
    /// own.
    ///
    /// Known by its pages alone, so that labels of the navigation leave it as it is.
    #[salsa::tracked(debug)]
    pub struct PageRun<'db> {
        /// The position of its section.
        #[returns(ref)]
        pub section: Vec<u16>,
        /// The pages.
        #[returns(deref)]
        pub files: Arc<[SourceFile]>,
    }

    /// Content of one sidebar. A section stays the same while its container keeps its position in
    /// the tree, so that a new label wakes only readers of labels.
    #[salsa::tracked(debug)]
    pub struct Section<'db> {
        /// The position of its container in the tree.
        pub position: Vec<u16>,
        /// The switchers above it, outermost first: what the page header renders.
        #[tracked]
        pub breadcrumb: Vec<BreadcrumbStep>,
        /// Switchers that the sidebar renders: the label of a tab must not wake it.
        #[tracked]
        pub sidebar_switchers: Vec<BreadcrumbStep>,
        /// Nodes of the sidebar.
        #[tracked]
        pub nodes: Vec<NavigationNode>,
        /// The visible pages in reading order, each once: for the previous and the next page.
        #[tracked]
        pub pages: Vec<PageId>,
        /// The pages that are listed but hidden.
        #[tracked]
        pub hidden_pages: Vec<PageId>,
        /// The links that are shown everywhere around it. A copy, so that headers and sidebars need not read the whole
        /// tree, where any label would wake them.
        #[tracked]
        pub global: Vec<NavigationNode>,
        /// The specifications in scope of the pages it lists, those of each in order; none of a page without any.
        #[tracked]
        pub scopes: Vec<(SourceFile, Arc<[super::SpecSource]>)>,
        /// Generated pages: where each is, and what the index says of its operation. A copy, so that a sidebar of
        /// thousands need not ask each of them after every edit.
        #[tracked]
        pub generated: HashMap<GeneratedPage, (Route, OperationEntry)>,
        /// The runs of pages that it shows, each once.
        #[tracked]
        pub runs: Vec<PageRun<'db>>,
    }
}

/// The navigation with inheritance resolved, every page looked up and every operation given one. Wakes when the navigation
/// is edited, when files appear or vanish, and when an operation does or is renamed; the content of pages and the
/// descriptions of operations must not wake it.
#[salsa::tracked]
pub fn navigation_tree(db: &dyn Db, site: Site) -> Navigation {
    let mut files = Files::new(db, site);
    inherit::resolve(navigation_config(db, site), &mut files)
}

/// Each file that an entry of the navigation can name, by its path without the extension; of two the `.mdx`.
///
/// Read by the navigation, which looks for thousands. Wakes when a file appears or vanishes.
#[salsa::tracked]
fn page_names(db: &dyn Db, site: Site) -> FxHashMap<String, SourceFile> {
    let mut names = FxHashMap::default();
    for extension in [".md", ".mdx"] {
        let files = site.buckets(db).iter().flat_map(|bucket| bucket.files(db));
        names.extend(files.filter_map(|(path, file)| {
            let name = path.as_str().strip_suffix(extension)?;
            Some((name.to_owned(), *file))
        }));
    }
    names
}

/// Lookup for the resolution of the navigation, answered by the database.
struct Files<'db> {
    db: &'db dyn Db,
    site: Site,
    /// Names of pages, computed at the first lookup.
    names: Option<&'db FxHashMap<String, SourceFile>>,
    /// The paths of all pages; only a missing page asks for them.
    paths: Option<Vec<&'db str>>,
}

impl<'db> Files<'db> {
    fn new(db: &'db dyn Db, site: Site) -> Self {
        Self {
            db,
            site,
            names: None,
            paths: None,
        }
    }
}

impl Lookup for Files<'_> {
    fn page(&mut self, path: &str) -> EntryTarget {
        match self.has_page(path) {
            Some(file) => EntryTarget::File(file),
            None => {
                let (db, site) = (self.db, self.site);
                let paths = self.paths.get_or_insert_with(|| page_paths(db, site));
                EntryTarget::Nothing(similar(path, paths))
            }
        }
    }

    fn has_page(&mut self, path: &str) -> Option<SourceFile> {
        let (db, site) = (self.db, self.site);
        let names = *self.names.get_or_insert_with(|| page_names(db, site));
        let found = names.get(path);
        let is_plain = |segment: &str| !matches!(segment, "" | "." | "..");
        if path.ends_with(".mdx")
            || path.ends_with(".md")
            || found.is_none() && !path.split('/').all(is_plain)
        {
            return page_file(self.db, path);
        }
        let index = || names.get(&format!("{path}/index"));
        found.or_else(index).copied()
    }

    fn spec(&mut self, source: &SpecSource, kind: SpecKind) -> FoundSpec {
        let is_wanted = |spec| is_asyncapi(self.db, spec) == (kind == SpecKind::AsyncApi);
        let Some(wanted) = source.path() else {
            return FoundSpec::Missing(None);
        };
        match spec_of_source(self.db, self.site, source) {
            Some(spec) if is_wanted(spec) => FoundSpec::Found(spec),
            Some(_) => FoundSpec::Other,
            None if Format::of(&wanted).is_some() && file_named(self.db, &wanted).is_some() => {
                FoundSpec::Other
            }
            None => {
                let specs = spec_paths(self.db, self.site).iter();
                let specs = specs.filter(|(_, spec)| is_wanted(*spec));
                let paths = || specs.clone().map(|(path, _)| path.as_str());
                let namesake = || {
                    let found = find_spec(wanted.file_name(), None, paths())?;
                    let word = paths().nth(found)?.to_owned();
                    Some(Near {
                        word,
                        is_only: false,
                    })
                };
                FoundSpec::Missing(near(wanted.as_str(), paths()).or_else(namesake))
            }
        }
    }

    fn spec_named(&mut self, name: &str) -> Option<Spec> {
        spec_named(self.db, self.site, name, None)
    }

    fn operations(&mut self, spec: Spec) -> Arc<OperationIndex> {
        Arc::clone(operation_index(self.db, spec))
    }

    fn introduction(&mut self, spec: Spec) -> Option<OperationEntry> {
        if !reference_pages(self.db, self.site).introduction {
            return None;
        }
        Some(OperationEntry {
            key: INTRODUCTION.to_owned(),
            at: INTRODUCTION.to_owned(),
            kind: EntryKind::Introduction,
            method: Method::Other(INFO.into()),
            path: String::new(),
            meta: introduction_meta(self.db, spec).clone()?,
        })
    }

    fn models(&mut self, spec: Spec) -> Arc<Vec<OperationEntry>> {
        match reference_pages(self.db, self.site).models {
            true => Arc::clone(spec_models(self.db, spec)),
            false => Arc::default(),
        }
    }

    fn generated(&mut self, spec: Spec, key: &str, directory: &str) -> GeneratedPage {
        let operation = Operation::new(self.db, spec, key.to_owned());
        GeneratedPage::new(self.db, operation, directory.to_owned())
    }

    fn default_specs(&mut self) -> Vec<SpecSource> {
        let configured = &api_config(self.db, self.site).openapi;
        let all = spec_paths(self.db, self.site).iter();
        let all: Vec<_> = all
            .filter(|(_, spec)| !is_asyncapi(self.db, *spec))
            .collect();
        match (&configured[..], &all[..]) {
            ([], [(only, _)]) => vec![SpecSource {
                source: only.clone(),
                directory: None,
                overlays: None,
            }],
            (configured, _) => {
                let configured = configured.iter();
                configured.map(|reference| reference.spec.clone()).collect()
            }
        }
    }
}

/// Diagnostics of the specifications of `api.openapi` and `api.asyncapi`.
pub fn api_spec_diagnostics(db: &dyn Db, site: Site) -> Vec<Diagnostic> {
    let mut files = Files::new(db, site);
    let api = api_config(db, site);
    let mut of = |references: &[SpecReference], kind| {
        let references = references.iter();
        let looked_up = references.filter_map(|one| inherit::look_up(&mut files, one, kind).err());
        looked_up.map(|missing| *missing).collect::<Vec<_>>()
    };
    let mut diagnostics = of(&api.openapi, SpecKind::OpenApi);
    diagnostics.extend(of(&api.asyncapi, SpecKind::AsyncApi));
    diagnostics
}

/// The overlays that the configuration names and that are not there.
pub fn overlay_diagnostics(db: &dyn Db, site: Site) -> Vec<Diagnostic> {
    let navigation = navigation_config(db, site).openapi().into_iter();
    let references = navigation.chain(&api_config(db, site).openapi);
    let named = references.flat_map(|reference| {
        let names = reference.spec.overlays.iter().flatten();
        names.zip(&reference.overlays)
    });
    let missing = named.filter_map(|(name, place)| {
        let path = SitePath::new(name).filter(|path| !path.is_url());
        if path.is_some_and(|path| file_named(db, &path).is_some()) {
            return None;
        }
        let (message, hint) = match name.contains("://") {
            true => (
                format!("the overlay `{name}` is not fetched: only files of the site are applied"),
                "put it into the repository",
            ),
            false => (
                format!("there is no overlay `{name}`"),
                "the path is relative to the folder of docs.json",
            ),
        };
        let missing = Diagnostic::new(Code::MissingOverlay, place.clone(), message);
        Some(missing.hint(hint))
    });
    missing.collect()
}

/// The pages that operations get. A firewall between the navigation and the readers of addresses:
/// labels must not wake them.
#[salsa::tracked]
pub fn generated_pages(db: &dyn Db, site: Site) -> Arc<Generated> {
    Arc::clone(&navigation_tree(db, site).generated)
}

/// Returns true if a page opens the reference of a specification. Shields the navigation from the
/// content of the page.
#[salsa::tracked(returns(copy))]
pub fn is_introduced(db: &dyn Db, spec: Spec) -> bool {
    generated_pages(db, Site::get(db))
        .introduced
        .contains(&spec)
}

/// Place of a generated page; `None` once the navigation no longer lists it.
///
/// Read by the pages that link to it. Wakes them when its own address changes.
#[salsa::tracked]
pub fn generated_place(db: &dyn Db, page: GeneratedPage) -> Option<GeneratedPlace> {
    generated_pages(db, Site::get(db))
        .places
        .get(&page)
        .cloned()
}

/// The operation whose generated page the author replaced by this file.
#[salsa::tracked(returns(copy))]
pub fn replaced_page(db: &dyn Db, file: SourceFile) -> Option<GeneratedPage> {
    generated_pages(db, Site::get(db))
        .overridden
        .get(&file)
        .copied()
}

/// The sections of the site, in the order of the document.
#[salsa::tracked]
pub fn sections<'db>(db: &'db dyn Db, site: Site) -> Vec<Section<'db>> {
    let navigation = navigation_tree(db, site);
    let drafts = section::flatten(&navigation.nodes);
    let sections = drafts.into_iter().map(|draft| {
        let SectionDraft {
            position,
            breadcrumb,
            sidebar_switchers,
            nodes,
            pages,
            hidden_pages,
            scopes,
            runs,
        } = draft;
        let global = navigation.global_at(&position).to_vec();
        let generated = pages.iter().chain(&hidden_pages);
        let generated = generated.filter_map(|page| {
            let PageId::Generated(page) = page else {
                return None;
            };
            let place = navigation.generated.places.get(page)?;
            let operation = navigation.operations.get(page)?;
            Some((*page, (place.route.clone(), operation.clone())))
        });
        let generated = generated.collect();
        let runs = runs.into_iter();
        let runs = runs.map(|files| PageRun::new(db, position.clone(), files));
        let runs = runs.collect();
        Section::new(
            db,
            position,
            breadcrumb,
            sidebar_switchers,
            nodes,
            pages,
            hidden_pages,
            global,
            scopes,
            generated,
            runs,
        )
    });
    sections.collect()
}

/// The page that the home address leads to when none is there: the first one, of the default language or version.
///
/// Read by the route table, which labels must not wake.
#[salsa::tracked(returns(copy))]
pub fn home_page(db: &dyn Db, site: Site) -> Option<PageId> {
    section::first_page(&navigation_tree(db, site).nodes, false)
}

/// Returns true if there is a navigation. Read by the check for orphan pages: a broken
/// configuration is reported once, not again for every page.
#[salsa::tracked(returns(copy))]
pub fn has_navigation(db: &dyn Db, site: Site) -> bool {
    !navigation_tree(db, site).nodes.is_empty()
}

/// The pages that the navigation shows, in its order; labels wake no reader of it.
pub fn shown_pages(db: &dyn Db, site: Site) -> impl Iterator<Item = PageId> {
    let sections = sections(db, site).iter();
    sections.flat_map(|section| section.pages(db).iter().copied())
}

/// The section of every listed page. Labels must not wake it, so it reads the lists of pages alone.
#[salsa::tracked]
fn sections_by_page<'db>(db: &'db dyn Db, site: Site) -> HashMap<PageId, Section<'db>> {
    let mut by_page = HashMap::new();
    let sections = sections(db, site);
    // The first listing wins, but a visible one before a hidden one.
    for section in sections {
        for file in section.pages(db) {
            by_page.entry(*file).or_insert(*section);
        }
    }
    for section in sections {
        for file in section.hidden_pages(db) {
            by_page.entry(*file).or_insert(*section);
        }
    }
    by_page
}

/// The section a page is shown in: that of its first listing, a visible one before a hidden one. An edit of the
/// navigation wakes only the readers of pages whose section is another one afterwards.
#[salsa::tracked(returns(copy))]
pub fn page_section<'db>(db: &'db dyn Db, file: SourceFile) -> Option<Section<'db>> {
    let page = PageId::File(file);
    sections_by_page(db, Site::get(db)).get(&page).copied()
}

/// The specifications in scope of every page that has some: those around its listing in the section that it is shown in.
///
/// Read by the projection of each page. Reads the scopes of sections apart from their elements: labels must not wake it.
#[salsa::tracked]
pub fn spec_scopes(db: &dyn Db, site: Site) -> HashMap<SourceFile, Arc<[SpecSource]>> {
    let by_page = sections_by_page(db, site);
    let mut scopes = HashMap::new();
    for section in sections(db, site) {
        for (file, scope) in section.scopes(db) {
            if by_page.get(&PageId::File(*file)) == Some(section) {
                scopes.insert(*file, Arc::clone(scope));
            }
        }
    }
    scopes
}

/// The specifications in scope of a page, in order.
///
/// Read by the binding of the page. Stands between it and the navigation: only a page whose own
/// scope changes is bound again.
#[salsa::tracked]
pub fn specs_in_scope(db: &dyn Db, file: SourceFile) -> Arc<[SpecSource]> {
    let scopes = spec_scopes(db, Site::get(db));
    scopes.get(&file).cloned().unwrap_or_default()
}

/// The section of a generated page.
#[salsa::tracked(returns(copy))]
pub fn generated_section<'db>(db: &'db dyn Db, page: GeneratedPage) -> Option<Section<'db>> {
    let page = PageId::Generated(page);
    sections_by_page(db, Site::get(db)).get(&page).copied()
}

/// The section of any page.
pub fn section_of(db: &dyn Db, page: PageId) -> Option<Section<'_>> {
    match page {
        PageId::File(file) => page_section(db, file),
        PageId::Generated(page) => generated_section(db, page),
    }
}

/// Returns true if the navigation lists the page.
pub fn is_listed(db: &dyn Db, file: SourceFile) -> bool {
    page_section(db, file).is_some()
}

/// The file of the page that the navigation calls `path`, case-sensitive.
pub fn page_file(db: &dyn Db, path: &str) -> Option<SourceFile> {
    let node_named = |path: &str| file_named(db, &SitePath::new(path)?);
    if path.ends_with(".mdx") || path.ends_with(".md") {
        // The reference product knows pages without their extension only; here both are the page.
        if let Some(file) = node_named(path) {
            return Some(file);
        }
    }
    let endings = [".mdx", ".md", "/index.mdx", "/index.md"];
    endings
        .iter()
        .find_map(|ending| node_named(&format!("{path}{ending}")))
}

/// The paths of all pages without their extension, sorted.
fn page_paths(db: &dyn Db, site: Site) -> Vec<&str> {
    let files = site.buckets(db).iter().flat_map(|bucket| bucket.files(db));
    let pages = files
        .map(|(path, _)| path)
        .filter(|path| matches!(path.extension().as_str(), "mdx" | "md"));
    let mut paths: Vec<&str> = pages.map(SitePath::stem).collect();
    paths.sort_unstable();
    paths
}

/// The page that may have been meant by `path`, without extension: a near name in the same folder, else the only one of that name.
pub fn similar(path: &str, paths: &[&str]) -> Option<Near> {
    let split = |path| str::rsplit_once(path, '/').unwrap_or(("", path));
    let (folder, name) = split(path);
    let neighbors = paths.iter().map(|other| split(*other));
    let neighbors = neighbors.filter(|(other, _)| *other == folder);
    if let Some(near) = near(name, neighbors.map(|(_, other)| other)) {
        return Some(near.map(|near| match folder {
            "" => near,
            folder => format!("{folder}/{near}"),
        }));
    }
    let mut namesakes = paths
        .iter()
        .filter(|other| split(other).1.eq_ignore_ascii_case(name));
    match (namesakes.next(), namesakes.next()) {
        // Of another version or language, it is another page: only folders before it can be left out.
        (Some(only), None) => Some(Near {
            word: (*only).to_owned(),
            is_only: only.contains('/') && path.ends_with(&format!("/{only}")),
        }),
        _ => None,
    }
}
