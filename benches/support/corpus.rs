//! The pages of real sites.

use std::path::{Path, PathBuf};

/// The text of every page of the corpus, in order of their paths; without a corpus, of the fixtures.
pub(crate) fn pages() -> Vec<String> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let shared = std::env::var_os("QUIRE_SHARED").map_or_else(beside, PathBuf::from);
    let corpus = shared.join("corpus/sites");
    let folder = if corpus.is_dir() {
        corpus
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
    };
    let mut pages = Vec::new();
    read(&folder, &mut pages);
    let bytes: usize = pages.iter().map(String::len).sum();
    eprintln!(
        "{} pages, {bytes} bytes of {}",
        pages.len(),
        folder.display()
    );
    assert!(!pages.is_empty());
    pages
}

fn read(folder: &Path, pages: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = (std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read(&path, pages);
        } else if path
            .extension()
            .is_some_and(|end| end == "mdx" || end == "md")
        {
            pages.push(String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned());
        }
    }
}
