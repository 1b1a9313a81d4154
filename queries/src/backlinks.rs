//! Backlinks: which pages link to a page, and which files import a file.

use std::collections::{BTreeMap, BTreeSet};

use crate::body::page_links;
use crate::db::Db;
use crate::imports::page_imports;
use crate::inputs::{FileBucket, Site, SourceFile, file_named};
use crate::page::bucket_pages;
use base::path::{Route, SitePath};
use mdx::link::{LinkTarget, resolve};
use theme::prose::WrittenLink;

/// Target of links: a page, or one of its headings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedPlace {
    /// Route of the page.
    pub route: Route,
    /// Anchor of the heading.
    pub anchor: Option<String>,
}

impl LinkedPlace {
    /// Returns the place that `href` leads to from the page at `path`.
    pub fn of(path: &SitePath, href: &str) -> Option<Self> {
        match resolve(path, href) {
            LinkTarget::Heading(anchor) => Some(Self {
                route: Route::of_page(path),
                anchor: Some(anchor),
            }),
            LinkTarget::Site { path, fragment, .. } => Some(Self {
                route: Route::new(&path)?,
                anchor: fragment,
            }),
            LinkTarget::External => None,
        }
    }
}

/// A link to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlink {
    /// The page that has it.
    pub page: SourceFile,
    /// The link.
    pub link: WrittenLink,
    /// Anchor that it leads to.
    pub anchor: Option<String>,
}

/// What the pages of a bucket link to and import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backlinks {
    /// Links by the route that they lead to.
    pub links: BTreeMap<Route, Vec<Backlink>>,
    /// Imports by the path that they lead to: the importing file and the words of the import.
    pub imports: BTreeMap<SitePath, BTreeSet<(SitePath, String)>>,
}

/// Backlinks from the pages of one bucket.
///
/// Read when someone asks what names a page. Words of a page do not wake it.
#[salsa::tracked]
pub fn bucket_backlinks(db: &dyn Db, bucket: FileBucket) -> Backlinks {
    let mut found = Backlinks::default();
    for page in bucket_pages(db, bucket) {
        for link in page_links(db, *page) {
            // Links of a snippet are relative to the page that shows it.
            if let Some(LinkedPlace { route, anchor }) = LinkedPlace::of(page.path(db), &link.href)
            {
                let links = found.links.entry(route).or_default();
                let (page, link) = (*page, link.clone());
                links.push(Backlink { page, link, anchor });
            }
        }
        for ((importer, words), target) in page_imports(db, *page) {
            let imports = found.imports.entry(target.path(db).clone()).or_default();
            imports.insert((importer.clone(), words.clone()));
        }
    }
    found
}

/// Returns the links of pages that lead to `place`, each with the file that it is written in. Without an anchor, any link to
/// the page does.
pub fn links_to(db: &dyn Db, site: Site, place: &LinkedPlace) -> Vec<(SourceFile, WrittenLink)> {
    let buckets = site.buckets(db).iter();
    let links = buckets.filter_map(|bucket| bucket_backlinks(db, *bucket).links.get(&place.route));
    let links = links.flatten();
    let meant = links.filter(|one| place.anchor.is_none() || place.anchor == one.anchor);
    let mut found: Vec<(SourceFile, WrittenLink)> = meant
        .filter_map(|Backlink { page, link, .. }| {
            let path = link.snippet.as_ref().unwrap_or_else(|| page.path(db));
            Some((file_named(db, path)?, link.clone()))
        })
        .collect();
    found.sort_by(|(a, x), (b, y)| (a.path(db), x).cmp(&(b.path(db), y)));
    found.dedup();
    found
}

/// Returns the imports that lead to the file at `path`, of pages or of what they import: the importing file and the words.
pub fn importers_of(db: &dyn Db, site: Site, path: &SitePath) -> BTreeSet<(SitePath, String)> {
    let buckets = site.buckets(db).iter();
    let found = buckets.filter_map(|bucket| bucket_backlinks(db, *bucket).imports.get(path));
    found.flatten().cloned().collect()
}
