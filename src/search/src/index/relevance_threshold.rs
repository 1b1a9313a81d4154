//! Minimum similarity of a page to a query with which it shares no word.
//!
//! Every text has a vector, even random letters, and something is always nearest. The meaning of a
//! cosine depends on the embedder, so this threshold holds for the vectors that the program makes
//! itself.

use queries::site::Embedder;

/// Minimum cosine for queries whose words are all in the vocabulary.
const MIN_COSINE: f32 = 0.25;
/// Average length, in letters, of the vocabulary pieces of such a query.
const FAMILIAR: f32 = 3.5;
/// Increase of the threshold for each letter below [`FAMILIAR`]. These three were chosen on one
/// site, with its own questions and with nonsense (`tests/shell/search/nonsense.rs`).
const UNFAMILIAR: f32 = 0.15;

/// Returns the minimum cosine between `query` and a page that shares no word with it, for the
/// vectors of [`Embedder::built_in`].
pub fn relevance_threshold(query: &str) -> f32 {
    let familiarity = Embedder::built_in().familiarity(query);
    MIN_COSINE + UNFAMILIAR * (FAMILIAR - familiarity).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_vocabulary_does_not_know_must_come_nearer() {
        assert_eq!(relevance_threshold("rotate the key"), MIN_COSINE);
        assert_eq!(
            relevance_threshold("wie lösche ich das"),
            relevance_threshold("wie losche ich das")
        );
        assert!(relevance_threshold("webhooks") > MIN_COSINE);
        assert!(relevance_threshold("xkqzv") > relevance_threshold("webhooks"));
        assert!(relevance_threshold("ключ") >= MIN_COSINE + UNFAMILIAR * FAMILIAR);
        assert!(relevance_threshold("") > MIN_COSINE);
    }
}
