//! Confidence of an answer, independent of the other results: the same figure for a question of any
//! length on a site of any size, so that one threshold separates questions that a site answers from
//! those that it does not.
//!
//! Logistic regression over the evidence for a passage. Its coefficients are fitted by
//! `cargo bench --bench index -- confidence` on the sites of the corpus: questions of a site
//! against questions of others, each site left out in turn to judge.

use crate::index::weights::Weights;

/// Evidence for a passage, or for a page by its best one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Score of its words, relative to the maximum for the words of the question; unknown words
    /// count as rare.
    pub words: f32,
    /// The share of the question that it has, by how rare its words are.
    pub coverage: f32,
    /// Degree to which the title of its page is about the question.
    pub title: f32,
    /// Cosine with the question, if vectors are compared.
    pub near: Option<f32>,
}

/// The number of figures that [`Evidence::figures`] gives.
pub const FIGURES: usize = 6;

impl Evidence {
    /// Inputs of the regression: 1, words, coverage, title, nearness, and words and nearness
    /// together.
    pub fn figures(&self) -> [f32; FIGURES] {
        let near = self.near.unwrap_or(0.0);
        let words = self.words.min(1.5);
        [
            1.0,
            words,
            self.coverage,
            self.title,
            near,
            self.coverage * near,
        ]
    }

    /// Score of a passage among those of other pages, 0 to 1: of its page by the search
    /// (`page_score`, relative to the best one), of its meaning and of its words.
    pub fn score(&self, page_score: f32, weights: &Weights) -> f32 {
        let [of_page, near, coverage] = weights.of_passage;
        let own = self.own_score(weights) * (near + coverage);
        (of_page * page_score + own) / (of_page + near + coverage)
    }

    /// Score of a passage without that of its page, 0 to 1.
    pub fn own_score(&self, weights: &Weights) -> f32 {
        let near = self.near.unwrap_or(0.0).max(0.0);
        let [_, of_near, of_coverage] = weights.of_passage;
        (of_near * near + of_coverage * self.coverage) / (of_near + of_coverage)
    }

    /// Probability that it answers the question, 0 to 1.
    pub fn confidence(&self, weights: &Weights) -> f32 {
        let coefficients = match self.near {
            Some(_) => weights.confidence_by_meaning,
            None => weights.confidence,
        };
        let figures = self.figures().into_iter().zip(coefficients);
        let sum: f32 = figures.map(|(figure, weight)| figure * weight).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_that_speaks_for_an_answer_makes_it_surer() {
        for near in [None, Some(0.0)] {
            let nothing = Evidence {
                near,
                ..Evidence::default()
            };
            let sure = |evidence: Evidence| evidence.confidence(&Weights::default());
            assert!(sure(nothing) < 0.05, "{}", sure(nothing));
            let more = [
                Evidence {
                    words: 1.0,
                    ..nothing
                },
                Evidence {
                    coverage: 1.0,
                    ..nothing
                },
                Evidence {
                    title: 1.0,
                    ..nothing
                },
            ];
            for more in more {
                assert!(sure(more) > sure(nothing), "{more:?}");
            }
            let all = Evidence {
                words: 1.0,
                coverage: 1.0,
                title: 1.0,
                near: near.map(|_| 0.8),
            };
            assert!(sure(all) > 0.8, "{}", sure(all));
        }
    }
}
