//! How near a page must come to a question with which it shares no word.
//!
//! Every text has a vector, letters at random too, and something always comes nearest. What a cosine means depends on what
//! made the vectors, so this is the relevance_threshold of those that the program makes itself.

use queries::site::Embedder;

/// Minimum cosine for queries whose words are all in the vocabulary.
const MIN_COSINE: f32 = 0.25;
/// How many letters a piece of such a question has on average.
const FAMILIAR: f32 = 3.5;
/// What each letter less asks for. These three were chosen on one site, with its own questions and with nonsense
/// (`tests/shell/search/nonsense.rs`).
const UNFAMILIAR: f32 = 0.15;

/// The least cosine of a page with `query`, by the vectors of [`Embedder::built_in`], to be an answer by its meaning alone.
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
