//! The shape of the site as readers see it: the tree of the navigation, the sections it falls into, and which section
//! a page is in.
//!
//! It knows which files exist, never what is in them: titles come from elsewhere, so editing a page leaves everything
//! here asleep. Entries for endpoints and webhooks stay unresolved until the specifications are known.

pub mod entry;
pub mod inherit;
pub mod section;

use std::collections::HashMap;

use crate::config::api::SpecSource;
use crate::config::appearance::{Icon, ModeColors};
use crate::config::decode::Thousandths;
use crate::config::navigation::{Align, Directory, NodeKind};
use crate::config::navigation_config;
use crate::db::Db;
use crate::diagnostic::{Diagnostic, nearest};
use crate::inputs::{Site, SourceFile, file_named};
use crate::navigation::inherit::Found;
use crate::path::SitePath;
use crate::place::Place;

pub use section::{Choice, SectionDraft, TrailStep};
pub use tracked::Section;

/// The navigation, resolved as far as files alone allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Navigation {
    /// The elements.
    pub nodes: Vec<NavigationNode>,
    /// Links that are shown everywhere.
    pub global: Vec<NavigationNode>,
    /// Links that are shown everywhere below one element, by its position.
    pub local_global: Vec<(Vec<u16>, Vec<NavigationNode>)>,
    /// The entries whose target is an endpoint or a webhook, for who resolves them.
    pub unresolved: Vec<Unresolved>,
    /// What was wrong.
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

/// An entry that names an endpoint or a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Its position in the tree.
    pub position: Vec<u16>,
    /// Where it is written.
    pub place: Place,
}

/// An element of the navigation with everything it inherits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavigationNode {
    /// Its kind.
    pub kind: NodeKind,
    /// What the reader sees; empty for a page, whose title comes from the page.
    pub label: String,
    /// Its icon.
    pub icon: Option<Icon>,
    /// Whether it is left out of the sidebar: the nearest explicit value.
    pub hidden: bool,
    /// A word beside the label.
    pub tag: Option<String>,
    /// Whether a group begins open.
    pub expanded: Option<bool>,
    /// Whether readers need not log in (inherited).
    pub public: Option<bool>,
    /// How much more its pages weigh in search (inherited).
    pub boost: Option<Thousandths>,
    /// Whether its pages are found although hidden (inherited).
    pub searchable: Option<bool>,
    /// A sentence below the label.
    pub description: Option<String>,
    /// Its colour.
    pub color: Option<ModeColors>,
    /// The side of the bar a tab stands on.
    pub align: Option<Align>,
    /// Whether it is the version or language shown first.
    pub is_default: bool,
    /// How root pages list the pages below them (inherited).
    pub directory: Directory,
    /// The specifications in scope (inherited).
    pub openapi: Vec<SpecSource>,
    /// Whether the element names its specifications itself.
    pub has_own_openapi: bool,
    /// The AsyncAPI documents in scope (inherited).
    pub asyncapi: Vec<SpecSource>,
    /// The version it belongs to (inherited).
    pub version: Option<String>,
    /// The language it belongs to (inherited).
    pub language: Option<String>,
    /// What it leads to.
    pub target: Target,
    /// The page of a group itself.
    pub root: Option<SourceFile>,
    /// Its children.
    pub children: Vec<Self>,
}

/// What an element of the navigation leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing: it only holds children.
    None,
    /// A page of the site.
    File(SourceFile),
    /// A page that has no file, by its path.
    Missing(String),
    /// An address.
    Href(String),
    /// An endpoint, not resolved.
    Operation {
        /// The specification, if the entry names it.
        spec: Option<String>,
        /// The method in upper case.
        method: String,
        /// The path as written.
        path: String,
    },
    /// A webhook, not resolved.
    Webhook {
        /// The specification, if the entry names it.
        spec: Option<String>,
        /// Its name.
        name: String,
    },
}

mod tracked {
    #![allow(missing_docs, reason = "salsa writes methods without documentation")]

    use super::{NavigationNode, SourceFile, TrailStep};

    /// What one sidebar shows. A section stays the same while its container keeps its position in the tree, so that a
    /// new label wakes only those who read labels.
    #[salsa::tracked(debug)]
    pub struct Section<'db> {
        /// The position of its container in the tree.
        pub position: Vec<u16>,
        /// The switchers above it, outermost first: what the page header draws.
        #[tracked]
        pub trail: Vec<TrailStep>,
        /// Those of them that the sidebar draws: the label of a tab must not wake it.
        #[tracked]
        pub aside: Vec<TrailStep>,
        /// What the sidebar shows.
        #[tracked]
        pub nodes: Vec<NavigationNode>,
        /// The visible pages in reading order, each once: for the previous and the next page.
        #[tracked]
        pub pages: Vec<SourceFile>,
        /// The pages that are listed but hidden.
        #[tracked]
        pub hidden_pages: Vec<SourceFile>,
        /// The links that are shown everywhere around it. A copy, so that headers and sidebars need not read the whole
        /// tree, where any label would wake them.
        #[tracked]
        pub global: Vec<NavigationNode>,
    }
}

/// The navigation with inheritance resolved and every page looked up. Wakes when the navigation is edited and when
/// files appear or vanish; the content of pages must not wake it.
#[salsa::tracked]
pub fn navigation_tree(db: &dyn Db, site: Site) -> Navigation {
    let mut paths: Option<Vec<&str>> = None;
    inherit::resolve(navigation_config(db, site), &mut |path| {
        match page_file(db, path) {
            Some(file) => Found::File(file),
            // Only a missing page asks for the names of all files.
            None => {
                let paths = paths.get_or_insert_with(|| page_paths(db, site));
                Found::Nothing(similar(path, paths))
            }
        }
    })
}

/// The sections of the site, in the order of the document.
#[salsa::tracked]
pub fn sections<'db>(db: &'db dyn Db, site: Site) -> Vec<Section<'db>> {
    let navigation = navigation_tree(db, site);
    let drafts = section::flatten(&navigation.nodes);
    let sections = drafts.into_iter().map(|draft| {
        let SectionDraft {
            position,
            trail,
            aside,
            nodes,
            pages,
            hidden_pages,
        } = draft;
        let global = navigation.global_at(&position).to_vec();
        Section::new(
            db,
            position,
            trail,
            aside,
            nodes,
            pages,
            hidden_pages,
            global,
        )
    });
    sections.collect()
}

/// The section of every listed page. Labels must not wake it, so it reads the lists of pages alone.
#[salsa::tracked]
fn sections_by_page<'db>(db: &'db dyn Db, site: Site) -> HashMap<SourceFile, Section<'db>> {
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
    sections_by_page(db, Site::get(db)).get(&file).copied()
}

/// Whether the navigation names the page.
pub fn is_listed(db: &dyn Db, file: SourceFile) -> bool {
    page_section(db, file).is_some()
}

/// The page that corresponds to `file` when the reader switches from one language (or version) to another: the same
/// path with that folder exchanged, added or left out. `None` when there is none in the navigation.
pub fn counterpart(db: &dyn Db, file: SourceFile, from: &str, to: &str) -> Option<SourceFile> {
    let path = file.path(db).as_str();
    let swap = |with: Option<&str>| {
        let mut segments: Vec<&str> = path.split('/').collect();
        match (segments.iter().position(|segment| *segment == from), with) {
            (Some(at), Some(with)) => segments[at] = with,
            (Some(at), None) => drop(segments.remove(at)),
            (None, Some(with)) => segments.insert(0, with),
            (None, None) => {}
        }
        let file = file_named(db, &SitePath::new(&segments.join("/"))?)?;
        is_listed(db, file).then_some(file)
    };
    swap(Some(to)).or_else(|| swap(None).filter(|found| *found != file))
}

/// The file of the page that the navigation calls `path`, case-sensitive.
pub fn page_file(db: &dyn Db, path: &str) -> Option<SourceFile> {
    let named = |path: &str| file_named(db, &SitePath::new(path)?);
    if path.ends_with(".mdx") || path.ends_with(".md") {
        // The reference product knows pages without their extension only; here both are the page.
        if let Some(file) = named(path) {
            return Some(file);
        }
    }
    let endings = [".mdx", ".md", "/index.mdx", "/index.md"];
    endings
        .iter()
        .find_map(|ending| named(&format!("{path}{ending}")))
}

/// The paths of all pages without their extension, sorted.
fn page_paths(db: &dyn Db, site: Site) -> Vec<&str> {
    let files = site.buckets(db).iter().flat_map(|bucket| bucket.files(db));
    let pages = files
        .map(|file| file.path(db))
        .filter(|path| matches!(path.extension().as_str(), "mdx" | "md"));
    let mut paths: Vec<&str> = pages.map(SitePath::stem).collect();
    paths.sort_unstable();
    paths
}

/// The page that may have been meant by `path`: a near name in the same folder, else the only one of that name.
fn similar(path: &str, paths: &[&str]) -> Option<String> {
    let split = |path| str::rsplit_once(path, '/').unwrap_or(("", path));
    let (folder, name) = split(path);
    let neighbours = paths.iter().map(|other| split(*other));
    let neighbours = neighbours.filter(|(other, _)| *other == folder);
    if let Some(near) = nearest(name, neighbours.map(|(_, other)| other)) {
        return Some(match folder {
            "" => near.to_owned(),
            folder => format!("{folder}/{near}"),
        });
    }
    let mut namesakes = paths
        .iter()
        .filter(|other| split(other).1.eq_ignore_ascii_case(name));
    match (namesakes.next(), namesakes.next()) {
        (Some(only), None) => Some((*only).to_owned()),
        _ => None,
    }
}
