//! What makes vectors of texts that are no page of a site, for benches.

use queries::search::SearchDocument;
use queries::site::{Embedder, Embedding};

/// What makes vectors.
pub(crate) struct Meanings;

impl Meanings {
    /// The vectors of a passage: one for each 180 words, as those of pages are made.
    pub(crate) fn passage(&self, document: &SearchDocument, passage: usize) -> Vec<Embedding> {
        let passage = &document.passages[passage];
        let place = format!("{}. {}.", document.title, passage.headings.join(" > "));
        let words: Vec<&str> = passage.body.split_whitespace().collect();
        let windows = words.chunks(180).take(32);
        windows
            .map(|window| Embedder::built_in().embed(&format!("{place} {}", window.join(" "))))
            .collect()
    }

    /// The vector of a question.
    pub(crate) fn question(&self, query: &str) -> Option<Embedding> {
        Some(Embedder::built_in().embed(query))
    }
}
