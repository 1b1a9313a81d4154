//! Which pages may answer a question, in which order: words and meanings added up, factors of authors, phrases.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::index::entries::digest_of_words;
use crate::index::external::Meaning;
use crate::index::lookup::{WantedOperation, looks_up};
use crate::index::pages::{Page, Pages};
use crate::index::phrases::{Phrases, Reading};
use crate::index::rank::{PageScore, ScoreAccumulator};
use crate::index::search::{Filter, Mode, Question};
use crate::index::snapshot::Snapshot;
use crate::index::words::Analyzer;

/// What is added for a page whose title is the question.
const EXACT_TITLE: f32 = 0.5;
/// What is added besides if it is the question as it is typed, with the words that say nothing: "Get action" is not "Action".
const SAME_TITLE: f32 = 0.3;
/// What is added for a page with a heading that is the question.
const EXACT_HEADING: f32 = 0.35;
/// How much more those two are where no vector is compared: scores of words lie further apart.
const BY_WORDS: f32 = 1.6;
/// What is added for the operation whose path the question is.
const EXACT_OPERATION: f32 = 3.0;
/// What a meaning counts beside words.
const MEANING: f32 = 1.25;
/// What a page is worth that is looked up rather than read, unless the question looks something up.
const REFERENCE: f32 = 0.85;
/// How near a page without a word of the question must come beside pages that have some, by how near the nearest of all is.
const SHARE: f32 = 0.6;
/// How much of an author's factor counts, as a power: scores of pages that answer lie near each other, so the whole factor
/// of three that real sites give a third of their pages would put all of those before every other.
const BOOST: f32 = 0.125;

/// A page that may be in the answer.
pub(super) struct Candidate<'a> {
    /// The page.
    pub(super) page: &'a Page,
    /// How well it answers, 0 to 1.
    pub(super) score: f32,
    /// Passages with what each is worth, best first.
    pub(super) passages: Vec<(u16, f32)>,
}

/// A question in one language.
pub(super) struct Asked {
    /// Makes words of its texts.
    pub(super) analyzer: Analyzer,
    /// All words that are looked for.
    pub(super) terms: HashSet<String>,
    /// What the title of a page says that is exactly what is asked for.
    pub(super) title: String,
    /// What stands in quotes.
    pub(super) phrases: Option<Phrases>,
}

/// Finds the pages that may answer `question`, best first, with the passages of each; says how they were found, and the
/// name of the other model if pages were compared by it.
pub(super) fn candidates<'a>(
    snapshot: &'a Snapshot,
    question: &Question<'_>,
    asked: &BTreeMap<&str, Asked>,
    sums: &mut ScoreAccumulator,
) -> (Mode, Option<String>, Vec<Candidate<'a>>) {
    let pages = &snapshot.pages;
    let is_narrow = question.filter != Filter::default();
    let is_met = |page: u32| {
        let page = pages.get(page);
        page.is_some_and(|page| !is_narrow || question.filter.is_met(page))
    };
    let by_words = sums.best(snapshot, is_met);
    let meaning = Meaning::of(question, pages);
    let with_words: Vec<u32> = by_words.iter().map(|one| one.page).collect();
    let is_wanted = is_narrow.then_some(&is_met as &dyn Fn(u32) -> bool);
    let near = (meaning.as_ref()).map(|meaning| pages.near(meaning, &with_words, is_wanted));
    let has_phrases = asked.values().any(|asked| asked.phrases.is_some());
    let is_all = has_phrases || question.other.is_some_and(|_| pages.complete > 0);
    let mut ranking = Ranking {
        snapshot,
        question,
        asked,
        meaning: meaning.as_ref(),
        looks_at_all: (is_all, is_all || is_narrow),
        ranked: Vec::new(),
        is_compared: false,
    };
    let (by_words, most_passage) = relative(&by_words);
    ranking.add(&by_words, near);
    ranking.add_operations(&is_met);
    let (mode, embedder) = ranking.mode();
    ranking.apply_boosts();
    let held = match has_phrases {
        true => ranking.keep_phrases(),
        false => HashMap::new(),
    };
    let candidates = ranking.best(sums, most_passage, &held);
    sums.clear();
    (mode, embedder, candidates)
}

/// The pages with what their words are worth beside the best of them, 0 to 1, and what the best passage is worth.
fn relative(by_words: &[PageScore]) -> (Vec<(f32, u32)>, f32) {
    let most = by_words.iter().fold((0.0_f32, 0.0_f32), |most, one| {
        (most.0.max(one.whole), most.1.max(one.passage))
    });
    let share = |score: f32, most: f32| if most > 0.0 { score / most } else { 0.0 };
    let both =
        |one: &PageScore| (share(one.whole, most.0) + share(one.passage, most.1)) * one.coverage;
    let top = by_words.iter().map(both).fold(0.0, f32::max);
    let shares = by_words.iter().map(|one| (share(both(one), top), one.page));
    (shares.collect(), most.1)
}

/// The pages that may answer a question, while they are put in order.
struct Ranking<'a, 'q> {
    snapshot: &'a Snapshot,
    question: &'q Question<'q>,
    asked: &'q BTreeMap<&'q str, Asked>,
    meaning: Option<&'q Meaning<'q>>,
    /// Whether every page must be looked at that has words of the question, and every one that comes near: phrases and
    /// other models decide later which of them are shown.
    looks_at_all: (bool, bool),
    ranked: Vec<(f32, &'a Page)>,
    /// Whether a vector had a part in the order.
    is_compared: bool,
}

impl<'a> Ranking<'a, '_> {
    /// Adds the pages with words of the question, then those that share none and come near. `near` is by the number of
    /// the page.
    fn add(&mut self, by_words: &[(f32, u32)], mut near: Option<Vec<f32>>) {
        let nearest = near
            .iter()
            .flatten()
            .fold(0.0_f32, |most, &near| most.max(near));
        let mixed: Vec<(f32, u32)> = match &mut near {
            None => by_words.to_vec(),
            Some(near) => {
                let mix = |&(words, page): &(f32, u32)| {
                    // Taken, so that the page is not added again for coming near.
                    let near = std::mem::take(&mut near[page as usize]);
                    self.is_compared |= near > 0.0;
                    ((words + MEANING * near) / (1.0 + MEANING), page)
                };
                by_words.iter().map(mix).collect()
            }
        };
        self.add_with_words(&mixed, near.is_some());
        if let Some(near) = near {
            let beside = if by_words.is_empty() { 0.0 } else { SHARE };
            self.add_near(&near, beside * nearest);
        }
    }

    fn add_with_words(&mut self, mixed: &[(f32, u32)], is_mixed: bool) {
        let share = if is_mixed { 1.0 } else { BY_WORDS };
        let typed = letters(self.question.query);
        let looks_up = looks_up(self.question.query);
        let wanted: BTreeMap<&str, u64> = (self.asked.iter())
            .map(|(language, asked)| (*language, digest_of_words(&asked.title)))
            .collect();
        // A look at each page would cost more than all sums and comparisons did: those are looked at that may be shown.
        let least = match self.looks_at_all.0 {
            true => f32::NEG_INFINITY,
            false => self.least_of_best(mixed.iter().map(|one| one.0)) * REFERENCE,
        };
        for &(mut score, number) in mixed {
            let pages = &self.snapshot.pages;
            let may_be = || {
                let names = pages.names(number);
                wanted.values().any(|words| names.may_be(*words))
            };
            let page = pages.get(number);
            let Some(page) = page.filter(|_| score >= least || may_be()) else {
                continue;
            };
            let asked = self.asked.get(page.record.language.as_str());
            if page.record.is_reference && !looks_up {
                score *= REFERENCE;
            }
            let heading = wanted.get(page.record.language.as_str());
            if asked.is_some_and(|asked| asked.title == page.record.title_words) {
                score += EXACT_TITLE * share;
                if letters(&page.record.title) == typed {
                    score += SAME_TITLE * share;
                }
            } else if heading.is_some_and(|words| page.record.heading_words.contains(words)) {
                score += EXACT_HEADING * share;
            }
            self.ranked.push((score, page));
        }
    }

    /// Adds pages that share no word with the question and come nearer than `beside`.
    fn add_near(&mut self, near: &[f32], beside: f32) {
        let least = match self.looks_at_all.1 {
            true => 0.0,
            false => self.least_of_best(near.iter().copied()),
        };
        for (number, &near) in near.iter().enumerate() {
            if near > 0.0
                && near >= least
                && let Some(page) = self.snapshot.pages.get(number as u32)
                && self.question.filter.is_met(page)
            {
                self.is_compared = true;
                // The threshold is known of the vectors of this program only.
                let is_other =
                    (self.meaning).is_some_and(|meaning| meaning.compares(page).is_some());
                if near >= beside && (is_other || near >= self.question.relevance_threshold) {
                    self.ranked.push((MEANING * near / (1.0 + MEANING), page));
                }
            }
        }
    }

    /// Puts the operations first whose path the question is, with or without values in place of its parameters.
    fn add_operations(&mut self, is_met: &dyn Fn(u32) -> bool) {
        let Some(wanted) = WantedOperation::of(self.question.query) else {
            return;
        };
        for page in self.snapshot.pages.operations() {
            let operation = page.record.operation.as_ref();
            let likeness = operation.map_or(0.0, |operation| wanted.likeness(operation));
            if likeness == 0.0 || !is_met(page.record.number) {
                continue;
            }
            let number = page.record.number;
            let known = self.ranked.iter_mut();
            match known
                .into_iter()
                .find(|(_, one)| one.record.number == number)
            {
                Some((score, _)) => *score += EXACT_OPERATION * likeness,
                None => self.ranked.push((EXACT_OPERATION * likeness, page)),
            }
        }
    }

    /// How the pages were found, and the name of the other model if one of them was compared by it.
    fn mode(&self) -> (Mode, Option<String>) {
        let Some(meaning) = self.meaning else {
            return (Mode::Keyword, None);
        };
        let mut pages = self.ranked.iter().map(|(_, page)| page);
        let mode = match self.is_compared || pages.clone().any(|page| meaning.knows(page)) {
            true => Mode::Semantic,
            false => Mode::Keyword,
        };
        let embedder = pages.find_map(|page| meaning.compares(page));
        (mode, embedder.map(str::to_owned))
    }

    /// Makes pages worth what their authors say.
    fn apply_boosts(&mut self) {
        for (score, page) in &mut self.ranked {
            if page.record.boost != 1000 {
                *score *= factor(page.record.boost);
            }
        }
    }

    /// Keeps the best pages that have all phrases, as many as are wanted. Returns by their numbers the passages that hold
    /// them.
    fn keep_phrases(&mut self) -> HashMap<u32, Vec<u16>> {
        self.ranked.sort_unstable_by(by_score);
        let mut reading = Reading::default();
        let mut passages = HashMap::new();
        let (asked, snapshot, limit) = (self.asked, self.snapshot, self.question.limit);
        self.ranked.retain(|(_, page)| {
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

    /// The best pages, as many as are wanted, with their passages: those first that were asked for word by word (`held`).
    fn best(
        mut self,
        sums: &mut ScoreAccumulator,
        most_passage: f32,
        held: &HashMap<u32, Vec<u16>>,
    ) -> Vec<Candidate<'a>> {
        let limit = self.question.limit;
        if limit < self.ranked.len() {
            self.ranked.select_nth_unstable_by(limit, by_score);
            self.ranked.truncate(limit);
        }
        self.ranked.sort_unstable_by(by_score);
        // A page that its author pushed may be worth more than everything.
        let highest = self.ranked.first().map_or(1.0, |(score, _)| score.max(1.0));
        let numbers = self.ranked.iter().map(|(_, page)| page.record.number);
        let by_words = sums.passages_of(self.snapshot, &numbers.collect::<Vec<u32>>());
        let meaning = (self.meaning, &self.snapshot.pages);
        let candidates = self.ranked.into_iter().zip(by_words);
        let candidates = candidates.map(|((score, page), by_words)| {
            let mut passages = passages(page, &by_words, most_passage, meaning);
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
        candidates.collect()
    }

    /// What a page must be worth to be among the best of those with these `scores`, whatever its author's factor is.
    fn least_of_best(&self, scores: impl Iterator<Item = f32>) -> f32 {
        least_of_best(scores, self.question.limit, &self.snapshot.pages)
    }
}

/// The letters and digits of a text in lower case, by which one that is typed is compared with one that is written.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Best first; of two that are worth the same the one with the lesser address.
fn by_score((a, one): &(f32, &Page), (b, other): &(f32, &Page)) -> std::cmp::Ordering {
    b.total_cmp(a)
        .then_with(|| one.record.route.cmp(&other.record.route))
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
