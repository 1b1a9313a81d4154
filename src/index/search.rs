//! A question and its answer: pages by words and by meaning, with excerpts.

use std::collections::{BTreeMap, HashMap, HashSet};

use queries::path::Route;

use crate::index::entries::asked_words;
use crate::index::expand;
use crate::index::external::Meaning;
use crate::index::pages::{Page, Pages};
use crate::index::phrases::{Phrases, Reading};
use crate::index::rank::ScoreAccumulator;
use crate::index::snapshot::Snapshot;
use crate::index::snippet::{self, Snippet};
use crate::index::vectors::{Embedding, Vector};
use crate::index::words::{Analyzer, primary};

/// How many passages of a page are listed.
const MAX_SECTIONS: usize = 3;
/// What is added for a page whose title is the question.
const EXACT_TITLE: f32 = 0.2;
/// How near a page without a word of the question must come beside pages that have some, by how near the nearest of all is.
const SHARE: f32 = 0.6;
/// How much of an author's factor counts, as a power: scores of pages that answer lie near each other, so the whole factor
/// of three that real sites give a third of their pages would put all of those before every other.
const BOOST: f32 = 0.125;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Question<'a> {
    /// In the reader's words.
    pub query: &'a str,
    /// The vector of the question, if answers are wanted that mean the same in other words.
    pub semantic: Option<&'a Embedding>,
    /// The same of another model, with its name: pages that have vectors of that are compared by it.
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
    fn is_met(&self, page: &Page) -> bool {
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
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: Route,
    /// From its best passage.
    pub snippet: Snippet,
    /// How well it answers, 0 to 1.
    pub score: f32,
    /// Its best passages, best first, if they were wanted.
    pub sections: Vec<SectionHit>,
}

/// A passage that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionHit {
    /// Its heading; the title of the page for what stands before the first.
    pub title: String,
    /// The id of its heading.
    pub anchor: Option<String>,
    /// From its text.
    pub snippet: Snippet,
    /// How well it answers, 0 to 1.
    pub score: f32,
}

/// A page that may be in the answer.
struct Candidate<'a> {
    page: &'a Page,
    score: f32,
    passages: Vec<(u16, f32)>,
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
    let ((mode, embedder), candidates) = candidates(snapshot, question, &asked, sums);
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

/// A question in one language.
struct Asked {
    analyzer: Analyzer,
    /// All words that are looked for.
    terms: HashSet<String>,
    /// What the title of a page says that is exactly what is asked for.
    title: String,
    /// What stands in quotes.
    phrases: Option<Phrases>,
}

fn candidates<'a>(
    snapshot: &'a Snapshot,
    question: &Question<'_>,
    asked: &BTreeMap<&str, Asked>,
    sums: &mut ScoreAccumulator,
) -> ((Mode, Option<String>), Vec<Candidate<'a>>) {
    let pages = &snapshot.pages;
    let is_narrow = question.filter != Filter::default();
    let is_met = |page: u32| {
        let page = pages.get(page);
        page.is_some_and(|page| !is_narrow || question.filter.is_met(page))
    };
    let by_words = sums.best(snapshot, is_met);
    let most = by_words.iter().fold((0.0_f32, 0.0_f32), |most, one| {
        (most.0.max(one.whole), most.1.max(one.passage))
    });
    let share = |score: f32, most: f32| if most > 0.0 { score / most } else { 0.0 };
    let both = |whole: f32, passage: f32| share(whole, most.0) + share(passage, most.1);
    let top = by_words
        .iter()
        .map(|one| both(one.whole, one.passage))
        .fold(0.0, f32::max);

    let mut ranked: Vec<(f32, &Page)> = Vec::new();
    let meaning = Meaning::of(question, pages);
    let with_words: Vec<u32> = by_words.iter().map(|one| one.page).collect();
    let is_wanted = is_narrow.then_some(&is_met as &dyn Fn(u32) -> bool);
    let mut near = (meaning.as_ref()).map(|meaning| pages.near(meaning, &with_words, is_wanted));
    let mut mode = Mode::Keyword;
    let nearest = near
        .iter()
        .flatten()
        .fold(0.0_f32, |most, &near| most.max(near));
    let mut is_compared = false;
    let mut found: Vec<(f32, u32)> = Vec::with_capacity(by_words.len());
    for one in &by_words {
        let words = share(both(one.whole, one.passage), top);
        let score = match &mut near {
            Some(near) => {
                let near = std::mem::take(&mut near[one.page as usize]);
                is_compared |= near > 0.0;
                (words + near) / 2.0
            }
            None => words,
        };
        found.push((score, one.page));
    }
    // A look at each page would cost more than all sums and comparisons did: those are looked at that may be shown.
    let other = question.other.filter(|_| pages.complete > 0);
    let is_all = other.is_some() || asked.values().any(|asked| asked.phrases.is_some());
    let bonus = if near.is_some() {
        EXACT_TITLE / 2.0
    } else {
        EXACT_TITLE
    };
    let least = match is_all {
        true => f32::NEG_INFINITY,
        false => least_of_best(found.iter().map(|one| one.0), question.limit, pages) - bonus,
    };
    for (mut score, number) in found {
        let Some(page) = pages.get(number).filter(|_| score >= least) else {
            continue;
        };
        let asked = asked.get(page.record.language.as_str());
        if asked.is_some_and(|asked| asked.title == page.record.title_words) {
            score += bonus;
        }
        ranked.push((score, page));
    }
    // What shares no word with the question.
    let beside = if by_words.is_empty() { 0.0 } else { SHARE };
    let beside = beside * nearest;
    let least = match (&near, is_narrow || is_all) {
        (Some(near), false) => least_of_best(near.iter().copied(), question.limit, pages),
        _ => 0.0,
    };
    for (number, &near) in near.iter().flatten().enumerate() {
        if near > 0.0
            && near >= least
            && let Some(page) = pages.get(number as u32)
            && question.filter.is_met(page)
        {
            is_compared = true;
            // The relevance_threshold is known of the vectors of this program only.
            let is_other =
                (meaning.as_ref()).is_some_and(|meaning| meaning.compares(page).is_some());
            if near >= beside && (is_other || near >= question.relevance_threshold) {
                ranked.push((near / 2.0, page));
            }
        }
    }
    let has_vector = |page: &Page| meaning.as_ref().is_some_and(|meaning| meaning.knows(page));
    if is_compared || ranked.iter().any(|(_, page)| has_vector(page)) {
        mode = Mode::Semantic;
    }
    let mut embedder = None;
    if let Some(meaning) = &meaning {
        embedder = ranked.iter().find_map(|(_, page)| meaning.compares(page));
    }
    for (score, page) in &mut ranked {
        if page.record.boost != 1000 {
            *score *= factor(page.record.boost);
        }
    }
    let by_score = |(a, one): &(f32, &Page), (b, other): &(f32, &Page)| {
        b.total_cmp(a)
            .then_with(|| one.record.route.cmp(&other.record.route))
    };
    let mut held = HashMap::new();
    if asked.values().any(|asked| asked.phrases.is_some()) {
        ranked.sort_unstable_by(by_score);
        held = keep_phrases(snapshot, asked, &mut ranked, question.limit);
    }
    if question.limit < ranked.len() {
        ranked.select_nth_unstable_by(question.limit, by_score);
        ranked.truncate(question.limit);
    }
    ranked.sort_unstable_by(by_score);
    // A page that its author pushed may be worth more than everything.
    let highest = ranked.first().map_or(1.0, |(score, _)| score.max(1.0));
    let numbers: Vec<u32> = ranked.iter().map(|(_, page)| page.record.number).collect();
    let by_words = sums.passages_of(snapshot, &numbers);
    let candidates = ranked
        .into_iter()
        .zip(by_words)
        .map(|((score, page), by_words)| {
            let mut passages = passages(page, &by_words, most.1, (meaning.as_ref(), pages));
            // What was asked for word by word is shown first.
            if let Some(held) = held.get(&page.record.number) {
                let place = |ordinal| held.iter().position(|held| *held == ordinal);
                passages.sort_by_key(|(ordinal, _)| place(*ordinal).unwrap_or(usize::MAX));
            }
            Candidate {
                page,
                score: score / highest,
                passages,
            }
        });
    let candidates = candidates.collect();
    sums.clear();
    ((mode, embedder.map(str::to_owned)), candidates)
}

/// What a page is worth more for its author's factor.
fn factor(boost: i64) -> f32 {
    (boost.max(0) as f32 / 1000.0).powf(BOOST)
}

/// What a page must be worth to be among the `limit` best of those with these `scores`, whatever its author's factor is.
fn least_of_best(scores: impl Iterator<Item = f32>, limit: usize, pages: &Pages) -> f32 {
    let mut sorted: Vec<f32> = scores.filter(|score| *score > 0.0).collect();
    if sorted.len() <= limit {
        return 0.0;
    }
    let (_, last, _) = sorted.select_nth_unstable_by(limit, |a, b| b.total_cmp(a));
    let (least, most) = pages.boosts().unwrap_or((1000, 1000));
    // A little less, for what is lost by rounding.
    match factor(least) / factor(most) {
        share if share.is_finite() => *last * share * 0.9999,
        // All are worth nothing, and so alike.
        _ => 0.0,
    }
}

/// Keeps the pages of `ranked`, best first, that have all phrases, at most `limit`. Returns by their numbers the passages
/// that hold them.
fn keep_phrases(
    snapshot: &Snapshot,
    asked: &BTreeMap<&str, Asked>,
    ranked: &mut Vec<(f32, &Page)>,
    limit: usize,
) -> HashMap<u32, Vec<u16>> {
    let mut reading = Reading::default();
    let mut passages = HashMap::new();
    ranked.retain(|(_, page)| {
        let asked = asked.get(page.record.language.as_str());
        let held = asked.filter(|_| passages.len() < limit).and_then(|asked| {
            let phrases = asked.phrases.as_ref()?;
            phrases.held(page, snapshot, &asked.analyzer, &mut reading)
        });
        held.map(|held| passages.insert(page.record.number, held))
            .is_some()
    });
    passages
}

/// The passages of a page with what each is worth, best first.
fn passages(
    page: &Page,
    by_words: &[(u16, f32)],
    most: f32,
    (meaning, pages): (Option<&Meaning<'_>>, &Pages),
) -> Vec<(u16, f32)> {
    let mut worth: BTreeMap<u16, f32> = by_words
        .iter()
        .map(|(ordinal, score)| (*ordinal, score / most))
        .collect();
    if let Some(meaning) = meaning {
        for ordinal in 0..page.slots.len().max(page.others.len()) {
            let near = pages.near_passage(page, ordinal, meaning);
            *worth.entry(ordinal as u16).or_default() += near;
        }
        worth.values_mut().for_each(|score| *score /= 2.0);
    }
    let mut passages: Vec<(u16, f32)> = worth.into_iter().collect();
    passages.sort_by(|(i, a), (j, b)| b.total_cmp(a).then(i.cmp(j)));
    passages
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
