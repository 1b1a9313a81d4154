//! Every number by which pages are put in order: what the service and `quire search` rank by, and what an export writes
//! for the script that ranks in the browser. Two definitions would soon be two orders.

use serde::Serialize;

use crate::index::confidence::FIGURES;
use crate::index::entries::{KINDS, Part};

/// Weights of words, names and pages relative to each other.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Weights {
    /// Saturation of repeated words (BM25).
    pub k1: f32,
    /// Penalty of long texts (BM25).
    pub b: f32,
    /// Weight of a word by its part: title, path, names, headings, body, code. A title is short, so
    /// a word of it counts much without a higher weight; chosen with the other numbers on the
    /// questions of one site (`benches/index.rs`).
    pub kinds: [f32; KINDS],
    /// Weight of a word of the body where vectors are compared: those represent the body, too. The
    /// best mean over all sites of the corpus (`benches/index.rs`), of 1, 1.2 and 1.5.
    #[serde(skip)]
    pub body_beside_meaning: f32,
    /// Weight of the other parts of a page relative to the best one.
    pub tie: f32,
    /// Factor of a page that has nothing of a question, relative to one that has all of it with the
    /// same words otherwise.
    pub uncovered: f32,
    /// Bonus of a page whose title is the question.
    pub exact_title: f32,
    /// Additional bonus if it is the question as typed, with its stop words: "Get action" is not
    /// "Action".
    pub same_title: f32,
    /// Bonus of a page with a heading that is the question.
    pub exact_heading: f32,
    /// Factor of those two bonuses where no vector is compared: scores of words are further apart.
    pub by_words: f32,
    /// Bonus of the operation whose path is the question.
    pub exact_operation: f32,
    /// Share of that bonus for an operation that is named with values, or below the path of a
    /// server; the rest is in proportion to the share of its path that is the same.
    pub partly_operation: f32,
    /// Weight of meaning relative to words.
    pub meaning: f32,
    /// The same in the order of the passages of pages.
    pub meaning_of_passage: f32,
    /// Minimum nearness of a page without a word of the question, where other pages have some, as a
    /// share of the nearness of the nearest page.
    pub share: f32,
    /// Bonus of a page whose title is about the question, times the degree to which it is.
    pub title: f32,
    /// Factor of a page of the reference, relative to pages that are read, unless the question
    /// looks something up.
    pub reference: f32,
    /// Factor of an operation or a data model.
    pub operation: f32,
    /// Factor of a changelog.
    pub changelog: f32,
    /// Additional factor of reference pages where a single word is asked for.
    pub one_word: f32,
    /// Factor of a page of another version than the site shows first, unless a version is asked
    /// for.
    pub old_version: f32,
    /// Factor of a page of the version that a question names; those of other versions get
    /// `old_version`.
    pub named_version: f32,
    /// Minimum score, by words and names, with which a page is meant without a doubt: the question
    /// is its whole name.
    pub named: f32,
    /// Confidence of such a page.
    pub named_confidence: f32,
    /// Coefficients of the evidence for a passage where no vectors are compared (`confidence.rs`).
    pub confidence: [f32; FIGURES],
    /// The same where vectors are compared.
    #[serde(skip)]
    pub confidence_by_meaning: [f32; FIGURES],
    /// Weights of the evidence by which passages of different pages are put in order: the score of
    /// the page, the cosine with the question, the share of its words. Fitted on the questions of
    /// five sites each, the sixth left out (`benches/README.md`): the fits differ by less than a
    /// fifth.
    #[serde(skip)]
    pub of_passage: [f32; 3],
    /// Share of the best passage in the score of a page where vectors are compared and a question
    /// is asked in a sentence; the rest is the score of the page as a whole. Of 0, .3, .5 and .7, on the
    /// questions of six sites (`benches/README.md`).
    #[serde(skip)]
    pub best_passage: f32,
    /// Minimum score of the copy of a page in the version that is shown first, relative to the best
    /// copy, to be shown instead of it.
    pub copy: f32,
    /// Exponent of an author's factor: scores of pages that answer are close to each other, so the
    /// whole factor of three that real sites give a third of their pages would put all of those
    /// before every other.
    pub boost: f32,
    /// Weights of corrections of a mistyped word, by number of different letters.
    pub mistyped: [f32; 2],
    /// Maximum number of corrections of a mistyped word.
    pub max_mistyped: usize,
    /// Weights of completions of the last word, if it is itself a word, and if it is not.
    pub unfinished: [f32; 2],
    /// Maximum number of completions of an unfinished word.
    pub max_unfinished: usize,
    /// Weight of indexed words that contain a word that is not in the index.
    pub holding: f32,
    /// Maximum number of words that are searched instead of an unknown one that they contain.
    pub max_holding: usize,
    /// Weight of the words that make up a code, where the site has the code itself.
    pub piece_of_code: f32,
    /// Weight of another name.
    pub other_name: f32,
    /// Weight of another name of the field, where the site has the word itself, and where it does
    /// not.
    pub name_of_field: [f32; 2],
    /// Weight of a compound for the word that it ends with, if that is itself a word of the site,
    /// and if it is not.
    #[serde(skip)]
    pub compound_end: [f32; 2],
    /// The same for the word that it begins with, which is less specific.
    #[serde(skip)]
    pub compound_start: [f32; 2],
    /// Weights of the last and the first word of a compound that the site does not have.
    #[serde(skip)]
    pub compound_split: [f32; 2],
    /// Maximum number of compounds for a word that they end or begin with.
    #[serde(skip)]
    pub max_compounds: usize,
}

/// Weights of the program: [`Weights::default`].
const WEIGHTS: Weights = Weights {
    k1: 1.2,
    b: 0.75,
    kinds: [2.0, 1.5, 1.0, 1.0, 1.5, 1.0],
    body_beside_meaning: 1.2,
    tie: 0.5,
    uncovered: 0.7,
    exact_title: 0.5,
    same_title: 0.3,
    exact_heading: 0.35,
    by_words: 1.6,
    exact_operation: 3.0,
    partly_operation: 0.7,
    meaning: 1.25,
    meaning_of_passage: 1.5,
    share: 0.6,
    title: 0.2,
    reference: 0.85,
    operation: 0.75,
    changelog: 0.9,
    one_word: 0.7,
    old_version: 0.95,
    named_version: 1.2,
    named: 2.0,
    named_confidence: 0.97,
    confidence: [-4.460, 1.852, 2.908, 1.285, 0.0, 0.0],
    confidence_by_meaning: [-5.176, 1.0, 0.535, 0.051, 4.683, 4.056],
    of_passage: [3.0, 8.0, 8.0],
    best_passage: 0.5,
    copy: 0.75,
    boost: 0.125,
    mistyped: [0.8, 0.6],
    max_mistyped: 3,
    unfinished: [0.3, 0.6],
    max_unfinished: 8,
    holding: 0.5,
    max_holding: 3,
    piece_of_code: 0.15,
    other_name: 0.8,
    name_of_field: [0.4, 0.7],
    compound_end: [0.3, 0.9],
    compound_start: [0.15, 0.3],
    compound_split: [0.8, 0.5],
    max_compounds: 8,
};

impl Weights {
    /// Returns the weights where vectors are compared.
    pub fn beside_meaning(mut self) -> Self {
        self.kinds[Part::Body.kind()] = self.body_beside_meaning;
        self
    }
}

impl Default for Weights {
    fn default() -> Self {
        WEIGHTS
    }
}

impl Default for &Weights {
    fn default() -> Self {
        &WEIGHTS
    }
}
