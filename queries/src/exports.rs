//! Components that files other than pages export: what a page that uses one without its import is told.

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

/// The files of one bucket, other than pages, that export components, by name and path.
///
/// Read for a component that no page knows. Edits of pages do not wake it.
#[salsa::tracked]
pub fn bucket_exports(db: &dyn Db, bucket: FileBucket) -> BTreeMap<String, SitePath> {
    let mut exports = BTreeMap::new();
    for (path, file) in bucket.files(db) {
        let is_module = matches!(path.extension().as_str(), "jsx" | "tsx" | "mdx" | "md");
        if !is_module || is_page(path) {
            continue;
        }
        for name in file_exports(db, *file) {
            let first = exports.entry(name.clone()).or_insert_with(|| path.clone());
            if path < first {
                first.clone_from(path);
            }
        }
    }
    exports
}

/// The file that exports the component `name`; of several the first by path.
pub fn exporter(db: &dyn Db, name: &str) -> Option<SitePath> {
    let buckets = Site::get(db).buckets(db).iter();
    let found = buckets.filter_map(|bucket| bucket_exports(db, *bucket).get(name));
    found.min().cloned()
}
