//! A question and its answer: pages by words and by meaning, with excerpts.

use std::collections::BTreeMap;
use std::ops::Range;

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::PageKind;

use crate::index::candidates::{Candidate, QuestionTerms, candidates};
use crate::index::confidence::Evidence;
use crate::index::entries::{StoredPassage, asked_words};
use crate::index::expand;
use crate::index::external::Meaning;
use crate::index::lookup;
use crate::index::pages::Page;
use crate::index::phrases::Phrases;
use crate::index::rank::ScoreAccumulator;
use crate::index::snapshot::Snapshot;
use crate::index::snippet::{self, Snippet};
use crate::index::vectors::{Embedding, Vector};
use crate::index::weights::Weights;
use crate::index::words::{Analyzer, primary};

/// Maximum number of passages listed of a page.
const MAX_SECTIONS: usize = 3;
/// Question with its options.
#[derive(Clone, Debug, Default)]
pub struct Question<'a> {
    /// Text as typed by the reader.
    pub query: &'a str,
    /// Vector of the question, for semantic search; `None` to match words only.
    pub semantic: Option<&'a Embedding>,
    /// Name of another embedding model and its vector of the question, for pages with vectors of
    /// that model.
    pub other: Option<(&'a str, &'a Vector)>,
    /// Minimum cosine between the question and a page that shares no word with it.
    pub relevance_threshold: f32,
    /// Maximum number of results.
    pub limit: usize,
    /// Filter of pages.
    pub filter: Filter,
    /// Groups of words that mean the same on the site; a word may be several.
    pub synonyms: &'a [Vec<String>],
    /// Whether the passages of each page are wanted.
    pub sections: bool,
    /// Weights of the ranking.
    pub weights: &'a Weights,
}

/// Filter of pages: a page must have everything that is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The label of a tab.
    pub tab: Option<String>,
    /// The label of a product; pages of no product are wanted too.
    pub product: Option<String>,
    /// The label of a version; pages of no version are wanted too.
    pub version: Option<String>,
    /// The code of a language.
    pub language: Option<String>,
    /// A tag.
    pub tag: Option<String>,
}

impl Filter {
    /// Returns true if `page` passes the filter.
    pub(super) fn is_met(&self, page: &Page) -> bool {
        let record = &page.record;
        let is = |wanted: &Option<String>, has: &Option<String>| wanted.is_none() || wanted == has;
        // What belongs to no version belongs to all of them.
        let is_of_version = record.version.is_none() || is(&self.version, &record.version);
        let product = record.product.as_ref().map(|product| &product.label);
        // Nor to any product.
        let is_of_product = product.is_none_or(|product| {
            let mut wanted = self.product.iter();
            wanted.all(|wanted| wanted == product)
        });
        is(&self.tab, &record.tab)
            && is_of_product
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

/// Method by which an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Words only.
    Keyword,
    /// Words and meaning.
    Semantic,
}

impl Mode {
    /// The name that programs get.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyword => "keyword",
            Self::Semantic => "semantic",
        }
    }
}

/// Pages that answer a question, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Method by which they were found.
    pub mode: Mode,
    /// The name of the other model, if pages were compared by it.
    pub embedder: Option<String>,
    /// The pages.
    pub results: Vec<Hit>,
    /// Other questions to ask where nothing was found; filled in by the caller.
    pub suggestions: Vec<String>,
    /// Earlier revision of the site that they come from, if it is not the present one; filled in
    /// by the search service.
    pub revision: Option<u64>,
    /// Progress of the first index, if it is not complete; filled in by the search service.
    pub indexing: Option<Indexing>,
    /// Evidence for the best result.
    pub evidence: Option<Evidence>,
}

/// Progress of the first index of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// Number of pages that can be found.
    pub done: usize,
    /// Number of pages of the site, as far as it is known.
    pub of: usize,
}

/// State of the index that an answer comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexState {
    /// Method by which the answer was found; `None` if nothing was searched.
    pub mode: Option<Mode>,
    /// Earlier revision of the site, if it is not the present one; filled in by the search service.
    pub revision: Option<u64>,
    /// Progress of the first index, if it is not complete; filled in by the search service.
    pub indexing: Option<Indexing>,
}

/// A page that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Title.
    pub title: String,
    /// Route.
    pub url: Route,
    /// Excerpt of its best passage.
    pub snippet: Snippet,
    /// Relevance, 0 to 1.
    pub score: f32,
    /// The bytes of the title that were asked for.
    pub title_matches: Vec<Range<usize>>,
    /// Purpose of the page.
    pub kind: PageKind,
    /// The method and the path of its operation.
    pub operation: Option<(String, String)>,
    /// Destination, if it has no text of its own.
    pub leads_to: Option<String>,
    /// The label of its tab.
    pub tab: Option<String>,
    /// The label of its version.
    pub version: Option<String>,
    /// The code of its language, if its site names one.
    pub language: Option<String>,
    /// The labels above it in the navigation, outermost first; filled in by the search service,
    /// which knows the navigation.
    pub breadcrumb: Vec<String>,
    /// Best passages, best first, if they were wanted.
    pub sections: Vec<SectionHit>,
}

/// A passage that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionHit {
    /// Heading; the title of the page for the text before the first.
    pub title: String,
    /// The id of its heading.
    pub anchor: Option<String>,
    /// The bytes of the heading that were asked for.
    pub title_matches: Vec<Range<usize>>,
    /// Excerpt of its text.
    pub snippet: Snippet,
    /// Relevance, 0 to 1.
    pub score: f32,
}

/// Passages that answer a question, best first.
#[derive(Clone, Debug, Default)]
pub struct FoundPassages {
    /// The passages.
    pub passages: Vec<FoundPassage>,
    /// State of the index that they come from.
    pub state: IndexState,
}

/// A passage that answers a question, found for itself.
#[derive(Clone, Debug)]
pub struct FoundPassage {
    /// Title of its page.
    pub title: String,
    /// Address of its page.
    pub url: Route,
    /// Purpose of its page.
    pub kind: PageKind,
    /// The method and the path of the operation of its page.
    pub operation: Option<(String, String)>,
    /// Digest of its content, as the queries compute it.
    pub digest: Option<ContentHash>,
    /// Text, with the headings above it.
    pub shown: StoredPassage,
    /// Relevance relative to the others.
    pub score: f32,
    /// Probability that it answers the question, 0 to 1: one threshold fits all questions and
    /// sites.
    pub confidence: f32,
    /// Place of its page among the results of the search, from 0.
    pub page_rank: usize,
    /// Score of its page relative to the best one.
    pub page_score: f32,
    /// Score of the passage alone.
    pub own_score: f32,
    /// Evidence that it answers the question.
    pub evidence: Evidence,
}

/// Number of pages considered for the passages that answer a question.
const PAGES_OF_PASSAGES: usize = 24;

/// The passages that answer `question` from `snapshot`, best first, of whichever pages, at most `limit`.
///
/// # Errors
///
/// As [`answer`].
pub fn passages(
    snapshot: &Snapshot,
    question: &Question<'_>,
    sums: &mut ScoreAccumulator,
) -> std::io::Result<FoundPassages> {
    let pages = Question {
        limit: PAGES_OF_PASSAGES,
        ..question.clone()
    };
    let questions = ask(snapshot, &pages, sums)?;
    let (mode, _, candidates) = candidates(snapshot, &pages, &questions, sums);
    let is_looking_up = lookup::looks_up(question.query);
    let mut ranked = Vec::new();
    let most = candidates.first().map_or(1.0, |first| first.score);
    for (rank, candidate) in candidates.iter().enumerate() {
        let page_score = candidate.score / most.max(f32::MIN_POSITIVE);
        let kind = candidate.page.record.kind;
        let is_told = !kind.is_looked_up() && kind != PageKind::Changelog;
        let factor = match is_told || is_looking_up {
            true => 1.0,
            false => question.weights.reference,
        };
        for passage in &candidate.passages {
            let score = factor * passage.evidence.score(page_score, question.weights);
            ranked.push((score, passage, candidate.page, (rank, page_score)));
        }
    }
    ranked.sort_by(|(a, one, page, _), (b, other, of, _)| {
        let by_page = || page.record.route.cmp(&of.record.route);
        let by_score = b.total_cmp(a).then_with(by_page);
        by_score.then_with(|| one.ordinal.cmp(&other.ordinal))
    });
    let found = ranked.into_iter().take(question.limit);
    let found = found.map(
        |(score, passage, page, (page_rank, page_score))| FoundPassage {
            page_rank,
            page_score,
            own_score: passage.score,
            evidence: passage.evidence,
            title: page.record.title.clone(),
            url: page.record.route.clone(),
            kind: page.record.kind,
            operation: page.record.operation.clone(),
            digest: page
                .record
                .passages
                .get(usize::from(passage.ordinal))
                .copied(),
            shown: (snapshot.shown_content(page.record.number, passage.ordinal))
                .unwrap_or_default(),
            score,
            confidence: passage.evidence.confidence(question.weights),
        },
    );
    let passages = found.collect();
    keep_analyzers(questions, sums);
    let state = IndexState {
        mode: Some(mode),
        ..IndexState::default()
    };
    Ok(FoundPassages { passages, state })
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
    let mut asked = ask(snapshot, question, sums)?;
    let (mode, embedder, candidates) = candidates(snapshot, question, &asked, sums);
    let evidence = candidates.first().map(|first| first.evidence);
    let results = candidates.into_iter().filter_map(|candidate| {
        let asked = asked.get_mut(candidate.page.record.language.as_str())?;
        Some(hit(snapshot, question, &candidate, asked))
    });
    let results = results.collect();
    keep_analyzers(asked, sums);
    Ok(Answer {
        mode,
        embedder,
        results,
        suggestions: Vec::new(),
        revision: None,
        indexing: None,
        evidence,
    })
}

/// Keeps the analyzers of an answer: the next one has mostly the same texts.
fn keep_analyzers(questions: BTreeMap<&str, QuestionTerms>, sums: &mut ScoreAccumulator) {
    let analyzers = questions.into_iter();
    let analyzers = analyzers.map(|(language, question)| (language.to_owned(), question.analyzer));
    sums.analyzers.extend(analyzers);
}

/// Reads `question` in each language of the site, and adds up what its words are worth.
fn ask<'a>(
    snapshot: &'a Snapshot,
    question: &Question<'_>,
    sums: &mut ScoreAccumulator,
) -> std::io::Result<BTreeMap<&'a str, QuestionTerms>> {
    sums.make_room(snapshot);
    let meaning = Meaning::of(question, &snapshot.pages);
    let wanted = question.filter.language.as_deref().map(primary);
    let mut questions: BTreeMap<&str, QuestionTerms> = BTreeMap::new();
    for (language, totals) in &snapshot.pages.totals {
        if wanted.as_ref().is_some_and(|wanted| wanted != language) {
            continue;
        }
        let is_compared = meaning
            .as_ref()
            .is_some_and(|meaning| meaning.compares_language(language));
        sums.weights = match is_compared {
            true => question.weights.beside_meaning(),
            false => *question.weights,
        };
        let known = sums.analyzers.remove(language);
        let analyzer = known.unwrap_or_else(|| Analyzer::new(language));
        let words = analyzer.question(question.query);
        let title = asked_words(&words);
        let mut words = expand::with_codes(
            snapshot,
            (language, &analyzer),
            question.query,
            words,
            question.weights,
        )?;
        let phrases = Phrases::of(question.query, snapshot, (language, &analyzer))?;
        words.extend(phrases.iter().flat_map(|phrases| phrases.words.clone()));
        let terms = expand::terms(
            snapshot,
            (language, &analyzer),
            (question.query, &words),
            question.synonyms,
            question.weights,
        )?;
        sums.expect(words.len(), totals);
        for term in &terms {
            sums.add(snapshot, term, totals);
        }
        let terms = terms.into_iter().map(|term| term.word).collect();
        questions.insert(
            language,
            QuestionTerms {
                analyzer,
                terms,
                title,
                phrases,
            },
        );
    }
    Ok(questions)
}

fn hit(
    snapshot: &Snapshot,
    question: &Question<'_>,
    candidate: &Candidate<'_>,
    asked: &mut QuestionTerms,
) -> Hit {
    let record = &candidate.page.record;
    let mut sections = Vec::new();
    let wanted = if question.sections { MAX_SECTIONS } else { 1 };
    let listed = candidate.passages.iter().take(wanted);
    let mut listed: Vec<(u16, f32)> = listed
        .map(|one| (one.ordinal, one.evidence.confidence(question.weights)))
        .collect();
    if listed.is_empty() {
        listed.push((0, 0.0));
    }
    for (ordinal, score) in listed {
        let content = snapshot
            .shown_content(record.number, ordinal)
            .unwrap_or_default();
        let texts: [&str; 3] = [&content.body, &content.code, &record.description];
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
        let title = content.headings.last().unwrap_or(&record.title).clone();
        sections.push(SectionHit {
            title_matches: snippet::ranges(&title, &mut asked.analyzer, &asked.terms),
            title,
            anchor: content.anchor,
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
        title_matches: snippet::ranges(&record.title, &mut asked.analyzer, &asked.terms),
        kind: record.kind,
        operation: record.operation.clone(),
        leads_to: record.leads_to.clone(),
        tab: record.tab.clone(),
        version: record.version.clone(),
        language: record.named_language.clone(),
        breadcrumb: Vec::new(),
        sections,
    }
}
