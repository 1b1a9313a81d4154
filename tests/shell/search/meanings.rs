//! What makes vectors of texts, for tests and benches.

use queries::search::SearchDocument;
use quire::index::Embedding;

/// What makes vectors.
pub(crate) struct Meanings;

impl Meanings {
    pub(crate) fn new() -> Self {
        Self
    }

    /// The vectors of a passage.
    pub(crate) fn passage(&self, document: &SearchDocument, passage: usize) -> Vec<Embedding> {
        let passage = &document.passages[passage];
        vec![vector(&passage.body)]
    }

    /// The vector of a question.
    pub(crate) fn question(&self, query: &str) -> Option<Embedding> {
        Some(vector(query))
    }
}

fn vector(text: &str) -> Embedding {
    let mut random = crate::random_numbers::Random::new(text.len() as u64);
    let vector = std::array::from_fn(|_| random.below(255) as i8);
    Embedding {
        vector,
        norm: 1.0 / (74.0 * 16.0),
    }
}
