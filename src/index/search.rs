//! A question and its answer: pages by words and by meaning, with excerpts.

use std::collections::BTreeMap;

use queries::base::path::Route;

use crate::index::candidates::{Asked, Candidate, candidates};
use crate::index::entries::asked_words;
use crate::index::expand;
use crate::index::pages::Page;
use crate::index::phrases::Phrases;
use crate::index::rank::ScoreAccumulator;
use crate::index::snapshot::Snapshot;
use crate::index::snippet::{self, Snippet};
use crate::index::vectors::{Embedding, Vector};
use crate::index::words::{Analyzer, primary};

/// How many passages of a page are listed.
const MAX_SECTIONS: usize = 3;
/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Question<'a> {
    /// In the reader's words.
    pub query: &'a str,
    /// The vector of the question, if answers are wanted that mean the same in other words.
    pub semantic: Option<&'a Embedding>,
    /// Vector of the question by another model, with its name: pages that have vectors of that are compared by it.
    pub other: Option<(&'a str, &'a Vector)>,
    /// The least cosine of a page that shares no word with the question.
    pub relevance_threshold: f32,
    /// The most pages that are wanted.
    pub limit: usize,
    /// Which pages are wanted.
    pub filter: Filter,
    /// Groups of words that mean the same on the site; a word may be several.
    pub synonyms: &'a [Vec<String>],
    /// Whether the passages of each page are wanted.
    pub sections: bool,
}

/// Which pages are wanted: those that have all that is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The label of a tab.
    pub tab: Option<String>,
    /// The label of a version; pages of no version are wanted too.
    pub version: Option<String>,
    /// The code of a language.
    pub language: Option<String>,
    /// A tag.
    pub tag: Option<String>,
}

impl Filter {
    /// Whether `page` is wanted.
    pub(super) fn is_met(&self, page: &Page) -> bool {
        let record = &page.record;
        let is = |wanted: &Option<String>, has: &Option<String>| wanted.is_none() || wanted == has;
        // What belongs to no version belongs to all of them.
        let is_of_version = record.version.is_none() || is(&self.version, &record.version);
        is(&self.tab, &record.tab)
            && is_of_version
            && self
                .language
                .as_ref()
                .is_none_or(|language| primary(language) == record.language)
            && self
                .tag
                .as_ref()
                .is_none_or(|tag| record.tags.contains(tag))
    }
}

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By words.
    Keyword,
    /// By words and by meaning.
    Semantic,
}

/// Pages that answer a question, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How they were found.
    pub mode: Mode,
    /// The name of the other model, if pages were compared by it.
    pub embedder: Option<String>,
    /// The pages.
    pub results: Vec<Hit>,
}

/// A page that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Title.
    pub title: String,
    /// Where it is.
    pub url: Route,
    /// From its best passage.
    pub snippet: Snippet,
    /// How well it answers, 0 to 1.
    pub score: f32,
    /// Best passages, best first, if they were wanted.
    pub sections: Vec<SectionHit>,
}

/// A passage that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionHit {
    /// Heading; the title of the page for what stands before the first.
    pub title: String,
    /// The id of its heading.
    pub anchor: Option<String>,
    /// From its text.
    pub snippet: Snippet,
    /// How well it answers, 0 to 1.
    pub score: f32,
}

/// Answers `question` from `snapshot`, with the help of `sums`.
///
/// # Errors
///
/// Returns what could not be read of the store of words.
pub fn answer(
    snapshot: &Snapshot,
    question: &Question<'_>,
    sums: &mut ScoreAccumulator,
) -> std::io::Result<Answer> {
    sums.make_room(snapshot);
    let wanted = question.filter.language.as_deref().map(primary);
    let mut asked: BTreeMap<&str, Asked> = BTreeMap::new();
    for (language, totals) in &snapshot.pages.totals {
        if wanted.as_ref().is_some_and(|wanted| wanted != language) {
            continue;
        }
        let analyzer = Analyzer::new(language);
        let mut words = analyzer.question(question.query);
        let title = asked_words(&words);
        let phrases = Phrases::of(question.query, snapshot, (language, &analyzer))?;
        words.extend(phrases.iter().flat_map(|phrases| phrases.words.clone()));
        let terms = expand::terms(
            snapshot,
            language,
            (question.query, &words),
            question.synonyms,
        )?;
        for term in &terms {
            sums.add(snapshot, term, totals);
        }
        let terms = terms.into_iter().map(|term| term.word).collect();
        asked.insert(
            language,
            Asked {
                analyzer,
                terms,
                title,
                phrases,
            },
        );
    }
    let (mode, embedder, candidates) = candidates(snapshot, question, &asked, sums);
    let results = candidates.into_iter().filter_map(|candidate| {
        let asked = asked.get_mut(candidate.page.record.language.as_str())?;
        Some(hit(snapshot, question, &candidate, asked))
    });
    Ok(Answer {
        mode,
        embedder,
        results: results.collect(),
    })
}

fn hit(
    snapshot: &Snapshot,
    question: &Question<'_>,
    candidate: &Candidate<'_>,
    asked: &mut Asked,
) -> Hit {
    let record = &candidate.page.record;
    let mut sections = Vec::new();
    let wanted = if question.sections { MAX_SECTIONS } else { 1 };
    let first = [(0, 0.0)];
    let passages = if candidate.passages.is_empty() {
        &first[..]
    } else {
        &candidate.passages[..]
    };
    for &(ordinal, score) in passages.iter().take(wanted) {
        let shown = snapshot.shown(record.number, ordinal).unwrap_or_default();
        let texts: [&str; 3] = [&shown.body, &shown.code, &record.description];
        let texts = if ordinal == 0 {
            &texts[..]
        } else {
            &texts[..2]
        };
        let snippet = snippet::snippet(
            texts,
            (&mut asked.analyzer, &asked.terms),
            asked.phrases.as_ref(),
        );
        let title = shown.headings.last().unwrap_or(&record.title).clone();
        sections.push(SectionHit {
            title,
            anchor: shown.anchor,
            snippet,
            score,
        });
    }
    let snippet = sections
        .first()
        .map(|section| section.snippet.clone())
        .unwrap_or_default();
    if !question.sections {
        sections.clear();
    }
    Hit {
        title: record.title.clone(),
        url: record.route.clone(),
        snippet,
        score: candidate.score,
        sections,
    }
}
