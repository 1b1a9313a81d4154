//! Components that files other than pages export: what a page that uses one without its import is told.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::db::Db;
use crate::inputs::{FileBucket, Site, SourceFile};
use crate::page::is_page;
use base::path::SitePath;
use mdx::imports::exported_components;

/// The components that a file exports by name.
#[salsa::tracked]
pub fn file_exports(db: &dyn Db, file: SourceFile) -> Vec<String> {
    exported_components(&String::from_utf8_lossy(&db.bytes(file.digest(db))))
}

/// The files of one bucket, other than pages, that export components, by name, each in order of its path.
///
/// Read for a component that no page knows. Edits of pages do not wake it.
#[salsa::tracked]
pub fn bucket_exports(db: &dyn Db, bucket: FileBucket) -> BTreeMap<String, Vec<SitePath>> {
    let mut exports: BTreeMap<String, Vec<SitePath>> = BTreeMap::new();
    for (path, file) in bucket.files(db) {
        let is_module = matches!(path.extension().as_str(), "jsx" | "tsx" | "mdx" | "md");
        if !is_module || is_page(path) {
            continue;
        }
        for name in file_exports(db, *file) {
            exports.entry(name.clone()).or_default().push(path.clone());
        }
    }
    for paths in exports.values_mut() {
        paths.sort();
    }
    exports
}

/// The file that exports the component `name` to the page at `from`: of several the one in a folder of the same language or
/// version, then the one in the fewest folders.
pub fn exporter(db: &dyn Db, from: &SitePath, name: &str) -> Option<SitePath> {
    let of_page: Vec<&str> = from.folder().split('/').collect();
    let buckets = Site::get(db).buckets(db).iter();
    let found = buckets.filter_map(|bucket| bucket_exports(db, *bucket).get(name));
    let nearest = found.flatten().min_by_key(|path| {
        let folders = path.folder().split('/');
        let shared = folders.clone().filter(|one| of_page.contains(one)).count();
        (Reverse(shared), folders.count(), *path)
    });
    nearest.cloned()
}
