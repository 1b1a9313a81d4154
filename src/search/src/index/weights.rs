//! Every number by which pages are put in order: what the service and `quire search` rank by, and what an export writes
//! for the script that ranks in the browser. Two definitions would soon be two orders.

use serde::Serialize;

use crate::index::confidence::FIGURES;
use crate::index::entries::{KINDS, Part};

/// What words, names and pages are worth beside each other.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Weights {
    /// How soon more of the same word stops to matter (BM25).
    pub k1: f32,
    /// How much long texts are held back (BM25).
    pub b: f32,
    /// What a word is worth by where it stands: title, path, names, headings, body, code. A title is short, so a word of it
    /// is worth much without weighing more; chosen with the other numbers on the questions of one site (`benches/index.rs`).
    pub kinds: [f32; KINDS],
    /// What a word of the body is worth where vectors are compared: those say what the body is about, too. The best mean over
    /// all sites of the corpus (`benches/index.rs`), of 1, 1.2 and 1.5.
    #[serde(skip)]
    pub body_beside_meaning: f32,
    /// What the other parts of a page count beside the best one.
    pub tie: f32,
    /// What a page that has none of a question is worth beside one that has all of it; both have the same words otherwise.
    pub uncovered: f32,
    /// What is added for a page whose title is the question.
    pub exact_title: f32,
    /// What is added besides if it is the question as it is typed, with the words that say nothing: "Get action" is not
    /// "Action".
    pub same_title: f32,
    /// What is added for a page with a heading that is the question.
    pub exact_heading: f32,
    /// How much more those two are where no vector is compared: scores of words lie further apart.
    pub by_words: f32,
    /// What is added for the operation whose path the question is.
    pub exact_operation: f32,
    /// What an operation that is named with values, or below the path of a server, counts beside one named as it is
    /// written: this, and the rest by the share of its path that is the same.
    pub partly_operation: f32,
    /// What a meaning counts beside words.
    pub meaning: f32,
    /// And in the order of the passages of pages.
    pub meaning_of_passage: f32,
    /// How near a page without a word of the question must come beside pages that have some, by how near the nearest of
    /// all is.
    pub share: f32,
    /// What is added for a page whose title is about the question, by how much it is.
    pub title: f32,
    /// What a page of the reference is worth beside one that is read, unless the question looks something up.
    pub reference: f32,
    /// And an operation or a data model.
    pub operation: f32,
    /// And a page of changes.
    pub changelog: f32,
    /// What pages that are looked up are worth besides where a single word is asked for.
    pub one_word: f32,
    /// What a page is worth of another version than the site shows first, unless a version is asked for.
    pub old_version: f32,
    /// How well a page must answer, by words and names, to be meant without a doubt: what a question is the whole name of.
    pub named: f32,
    /// How sure such a page is.
    pub named_confidence: f32,
    /// What each figure that speaks for a passage is worth where no vectors are compared (`confidence.rs`).
    pub confidence: [f32; FIGURES],
    /// How well the copy of a page in the version that is shown first must answer beside the best copy, to be shown for it.
    pub copy: f32,
    /// How much of an author's factor counts, as a power: scores of pages that answer lie near each other, so the whole
    /// factor of three that real sites give a third of their pages would put all of those before every other.
    pub boost: f32,
    /// What words are worth that stand for a mistyped one, by how many letters differ.
    pub mistyped: [f32; 2],
    /// How many words stand for a mistyped one.
    pub max_mistyped: usize,
    /// What words are worth that the last one may become, if it is itself a word, and if it is none.
    pub unfinished: [f32; 2],
    /// How many words an unfinished one may become.
    pub max_unfinished: usize,
    /// What words are worth that hold an unknown one somewhere.
    pub holding: f32,
    /// How many such words there are at most.
    pub max_holding: usize,
    /// What the words are worth that a code is made of, where the site has the code itself.
    pub piece_of_code: f32,
    /// What another name is worth.
    pub other_name: f32,
    /// What another name of the field is worth, where the site has the word itself, and where it has not.
    pub name_of_field: [f32; 2],
    /// What a compound is worth for the word that it ends with, if that is itself a word of the site, and if it is none.
    #[serde(skip)]
    pub compound_end: [f32; 2],
    /// And for the word that it begins with, which says less of what it is.
    #[serde(skip)]
    pub compound_start: [f32; 2],
    /// What the last and the first word of a compound are worth that the site does not have.
    #[serde(skip)]
    pub compound_split: [f32; 2],
    /// How many compounds stand for a word that they end with, or begin with.
    #[serde(skip)]
    pub max_compounds: usize,
}

/// What pages are ranked by.
pub const WEIGHTS: Weights = Weights {
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
    named: 2.0,
    named_confidence: 0.97,
    confidence: [-4.460, 1.852, 2.908, 1.285, 0.0, 0.0],
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
    /// What pages are ranked by where vectors are compared.
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
