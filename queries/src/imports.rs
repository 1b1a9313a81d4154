//! Imports of pages: snippets and component files, found without parsing the rest of a page.

use std::collections::BTreeMap;

use crate::db::Db;
use crate::inputs::{SourceFile, file_named};
use crate::store::Kind;
use crate::trace::{Subject, cached_fact};
use base::path::SitePath;
use mdx::imports::{candidates, import_words};

/// The files behind the imports of a page and of what it imports: by the importing file and the words of the import.
pub type Imports = BTreeMap<(SitePath, String), SourceFile>;

/// Maximum number of files that one page may import.
const MAX_FILES: usize = 200;

/// The imports of a page, followed to the end.
///
/// Read by the page's body, which then reads those files and no others. Wakes when an importing file changes, and when
/// a file appears or vanishes; its value changes only if an import leads somewhere else.
#[salsa::tracked]
pub fn page_imports(db: &dyn Db, file: SourceFile) -> Imports {
    let mut imports = Imports::new();
    let mut pending = vec![file];
    let mut seen = vec![file];
    while let Some(file) = pending.pop() {
        let (path, digest) = (file.path(db), file.digest(db));
        let words = cached_fact(db, Kind::ImportWords, Subject::of_text(&[], digest), || {
            import_words(&String::from_utf8_lossy(&db.bytes(digest)))
        });
        for words in words {
            let Some(target) = candidates(path, &words)
                .into_iter()
                .find_map(|path| file_named(db, &path))
            else {
                continue;
            };
            imports.insert((path.clone(), words), target);
            if !seen.contains(&target) && seen.len() < MAX_FILES {
                seen.push(target);
                pending.push(target);
            }
        }
    }
    imports
}
