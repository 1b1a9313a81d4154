//! What can be found: pages and their passages as plain text, before anything is cut into words.
//!
//! An index outside follows these by their digests; what is here never knows how it is searched.

use serde::{Deserialize, Serialize};

use crate::content::ContentHash;
use crate::path::Route;

/// What can be found of one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchDocument {
    /// Where it is.
    pub route: Route,
    /// Its title.
    pub title: String,
    /// What its author says of it in a sentence; empty: nothing.
    pub description: String,
    /// The words by which its author wants it found.
    pub keywords: Vec<String>,
    /// What narrows a search down.
    pub facets: Facets,
    /// How much more than others it is worth, in thousandths; 1000 for nearly all.
    pub boost: i64,
    /// The method, path, `operationId`, tag and statuses of an endpoint; the name of a data model; empty for prose.
    pub names: Vec<String>,
    /// Its text in reading order: what stands before the first heading, then a passage for each heading.
    pub passages: Vec<Passage>,
}

/// The part of a page below one heading, up to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The id of its heading; `None` for what stands before the first.
    pub anchor: Option<String>,
    /// The headings above it, outermost first, its own last; the title of the page is not among them.
    pub headings: Vec<String>,
    /// Its prose, as readers see it: one blank between words, paragraphs by a line break.
    pub body: String,
    /// Its code.
    pub code: String,
}

impl Passage {
    /// The digest of what it says on a page with this title: passages with equal digests are embedded alike.
    pub fn digest(&self, title: &str) -> ContentHash {
        crate::trace::digest_of(&(title, self))
    }
}

/// What narrows a search down: where in the navigation a page is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets {
    /// The label of its tab.
    pub tab: Option<String>,
    /// The label of its version.
    pub version: Option<String>,
    /// The code of its language.
    pub language: Option<String>,
    /// The tags of its frontmatter and of its operation.
    pub tags: Vec<String>,
}
