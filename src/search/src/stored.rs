//! Stored searches: the index of a site as it was at one moment, with everything else that answers
//! need. A process that has neither the site nor its database answers from it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::ensure;
use queries::base::path::Route;
use queries::site::{Embedder, Product};
use serde::{Deserialize, Serialize};

use crate::index::relevance_threshold::relevance_threshold;
use crate::index::vectors::Vector;
use crate::index::weights::Weights;
use crate::index::{Answer, Filter, FoundPassages, Index, Options, PinnedIndex, Question};
use crate::search_service::{FoundBlocks, SearchQuery, suggestions};

/// Facts that answers need besides the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSearch {
    /// Name of the embedder of the vectors; empty if there are none.
    pub embedder: String,
    /// Number of pages in the index.
    pub pages: usize,
    /// Whether the site lets meanings be compared.
    pub semantic: bool,
    /// Words that mean the same.
    pub synonyms: Vec<Vec<String>>,
    /// Labels above each page in the navigation, by route.
    pub breadcrumbs: BTreeMap<Route, Vec<String>>,
}

/// Pages of a site that answers are made from.
pub trait Answers: Send + Sync {
    /// The passages that answer `query`, best first, of whichever pages, at most `limit`; each
    /// with its confidence.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used.
    fn passages(&self, query: &SearchQuery) -> anyhow::Result<FoundPassages>;

    /// The title, the language and the blocks of the page at `url`, if it is to be found.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be read.
    fn page_at(&self, url: &Route) -> anyhow::Result<Option<FoundBlocks>>;

    /// The labels of the versions of all pages.
    ///
    /// # Errors
    ///
    /// As [`Answers::passages`].
    fn versions(&self) -> anyhow::Result<Vec<String>>;

    /// The products of all pages, each with the code of a language that it has pages in, without its region.
    ///
    /// # Errors
    ///
    /// As [`Answers::passages`].
    fn products(&self) -> anyhow::Result<Vec<(Product, String)>>;

    /// Filter for questions of a reader on the page at `url`: the product, the version and the language
    /// of the page.
    ///
    /// # Errors
    ///
    /// As [`Answers::page_at`].
    fn filter_at(&self, url: &Route) -> anyhow::Result<Filter>;

    /// The codes of the languages of all pages, without regions.
    ///
    /// # Errors
    ///
    /// As [`Answers::passages`].
    fn languages(&self) -> anyhow::Result<Vec<String>>;

    /// The page that the home address shows or leads to.
    ///
    /// # Errors
    ///
    /// As [`Answers::page_at`].
    fn home(&self) -> anyhow::Result<Option<Route>>;

    /// Name of the site; empty if it is not known.
    fn site_name(&self) -> String {
        String::new()
    }

    /// The code of the language of the page at `url`.
    ///
    /// # Errors
    ///
    /// As [`Answers::page_at`].
    fn language_at(&self, url: &Route) -> anyhow::Result<String> {
        Ok(language_or_default(self.filter_at(url)?.language))
    }
}

/// `language`, or that of pages that name none.
pub fn language_or_default(language: Option<String>) -> String {
    language.unwrap_or_else(|| Options::default().language)
}

/// Rules of a site by which a question is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) semantic: bool,
    pub(crate) synonyms: &'a [Vec<String>],
    pub(crate) weights: &'a Weights,
}

/// Search of a site that does not change.
pub struct FixedSearch {
    index: Arc<PinnedIndex>,
    stored: StoredSearch,
    weights: Weights,
}

impl FixedSearch {
    /// Opens the index whose files are in `folder`.
    ///
    /// # Errors
    ///
    /// Fails if a file is missing or damaged, or another version of the program wrote them.
    pub fn open(folder: &Path, stored: StoredSearch) -> anyhow::Result<Self> {
        let options = Options {
            embedder: stored.embedder.clone(),
            ..Options::default()
        };
        let index = Index::open(Some(folder), options)?;
        // One that cannot be read is replaced by an empty one.
        let found = index.manifest().len();
        ensure!(
            found == stored.pages,
            "the index has {found} of {} pages: its files are incomplete, or of another version",
            stored.pages
        );
        Ok(Self {
            index: index.pin(),
            stored,
            weights: Weights::default(),
        })
    }

    /// Answers `query`.
    pub fn find(&self, query: &SearchQuery) -> Answer {
        let mut answer = self.ask(query, found);
        for hit in &mut answer.results {
            let place = self.stored.breadcrumbs.get(&hit.url);
            hit.breadcrumb = place.cloned().unwrap_or_default();
        }
        answer
    }

    /// Returns the passages that answer `query`, best first.
    pub fn passages(&self, query: &SearchQuery) -> FoundPassages {
        self.ask(query, PinnedIndex::passages)
    }

    /// The codes of the languages of its pages, without regions.
    pub fn languages(&self) -> Vec<String> {
        self.index.languages()
    }

    /// The labels of the versions of its pages.
    pub fn versions(&self) -> Vec<String> {
        self.index.versions()
    }

    /// The products of its pages, each with the code of a language that it has pages in, without its region.
    pub fn products(&self) -> Vec<(Product, String)> {
        self.index.products()
    }

    fn ask<T>(&self, query: &SearchQuery, put: impl FnOnce(&PinnedIndex, &Question<'_>) -> T) -> T {
        let rules = Rules {
            semantic: self.stored.semantic,
            synonyms: &self.stored.synonyms,
            weights: &self.weights,
        };
        ask(&self.index, query, rules, None, put)
    }
}

/// Puts `query` to `index`; `other` is an embedder by its name, with its vector of the question.
pub(crate) fn ask<T>(
    index: &PinnedIndex,
    query: &SearchQuery,
    rules: Rules<'_>,
    other: Option<(&str, &Vector)>,
    put: impl FnOnce(&PinnedIndex, &Question<'_>) -> T,
) -> T {
    let is_semantic = query.semantic && rules.semantic;
    let meaning = is_semantic.then(|| Embedder::built_in().embed(&query.query));
    let question = Question {
        query: &query.query,
        semantic: meaning.as_ref(),
        other,
        relevance_threshold: relevance_threshold(&query.query),
        limit: query.limit,
        filter: query.filter.clone(),
        synonyms: rules.synonyms,
        sections: query.sections,
        weights: rules.weights,
    };
    put(index, &question)
}

/// The pages that answer `question`, or questions near it where there are none.
pub(crate) fn found(index: &PinnedIndex, question: &Question<'_>) -> Answer {
    let mut answer = index.search(question);
    if answer.results.is_empty() {
        answer.suggestions = suggestions(index, question);
    }
    answer
}
