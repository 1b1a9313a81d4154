//! Selects and orders the pages that may answer a question: words and meanings added up, factors of
//! authors, phrases.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use queries::site::PageKind;

use crate::index::confidence::Evidence;
use crate::index::entries::digest_of_words;
use crate::index::external::Meaning;
use crate::index::lookup::{WantedOperation, asks, looks_up};
use crate::index::pages::{Names, Page, Pages};
use crate::index::phrases::{Phrases, Reading};
use crate::index::rank::{PageScore, PassageScore, ScoreAccumulator};
use crate::index::search::{Filter, Mode, Question};
use crate::index::snapshot::Snapshot;
use crate::index::versions::named_version;
use crate::index::weights::Weights;
use crate::index::words::Analyzer;

/// Maximum number of copies considered of a page, for each page that is shown.
const MAX_COPIES: usize = 4;

/// Number of pages, best by words, whose vectors are compared in any case, for each page that is
/// shown, where not all vectors are compared.
const COMPARED: usize = 20;

/// Number of pages that are put in order by their best passages for a question, if fewer are wanted.
const REORDERED: usize = 24;

/// A page that may be in the answer.
pub(super) struct Candidate<'a> {
    /// The page.
    pub(super) page: &'a Page,
    /// Relevance, 0 to 1.
    pub(super) score: f32,
    /// Evidence of its best passage.
    pub(super) evidence: Evidence,
    /// Passages, best first.
    pub(super) passages: Vec<PassageScore>,
}

/// A question in one language.
pub(super) struct QuestionTerms {
    /// Makes words of its texts.
    pub(super) analyzer: Analyzer,
    /// All words that are looked for.
    pub(super) terms: HashSet<String>,
    /// Title that a page must have to be exactly what is asked for.
    pub(super) title: String,
    /// Quoted phrases.
    pub(super) phrases: Option<Phrases>,
}

/// Finds the pages that may answer `question`, best first, with the passages of each; returns how
/// they were found, and the name of the other model if pages were compared by it.
pub(super) fn candidates<'a>(
    snapshot: &'a Snapshot,
    question: &Question<'_>,
    questions: &BTreeMap<&str, QuestionTerms>,
    sums: &mut ScoreAccumulator,
) -> (Mode, Option<String>, Vec<Candidate<'a>>) {
    let pages = &snapshot.pages;
    let is_narrow = question.filter != Filter::default();
    let is_met = |page: u32| {
        let page = pages.get(page);
        page.is_some_and(|page| !is_narrow || question.filter.is_met(page))
    };
    let by_words = sums.best(snapshot, is_met);
    let (by_words, most_passage) = relative(&by_words, question.weights);
    let meaning = Meaning::of(question, pages);
    let is_wanted = is_narrow.then_some(&is_met as &dyn Fn(u32) -> bool);
    let has_phrases = questions
        .values()
        .any(|question| question.phrases.is_some());
    let is_all = has_phrases || question.other.is_some_and(|_| pages.complete > 0);
    let mut ranking = Ranking {
        snapshot,
        question,
        by_language: questions,
        meaning: meaning.as_ref(),
        looks_at_all: (is_all, is_all || is_narrow),
        ranked: Vec::new(),
        is_compared: false,
    };
    let near = (meaning.as_ref()).map(|meaning| {
        let with_words = match is_all {
            true => by_words.iter().map(|(_, page)| *page).collect(),
            false => ranking.best_by_words(&by_words),
        };
        pages.near(meaning, &with_words, is_wanted)
    });
    ranking.add(&by_words, near);
    ranking.add_operations(&is_met);
    let (mode, embedder) = ranking.mode();
    ranking.apply_boosts();
    let phrase_passages = match has_phrases {
        true => ranking.keep_phrases(),
        false => HashMap::new(),
    };
    let candidates = ranking.best(sums, most_passage, &phrase_passages);
    sums.clear();
    (mode, embedder, candidates)
}

/// Returns the pages with the scores of their words relative to the best of them, 0 to 1, and the
/// score of the best passage.
fn relative(by_words: &[PageScore], weights: &Weights) -> (Vec<(f32, u32)>, f32) {
    let most = by_words.iter().fold((0.0_f32, 0.0_f32), |most, one| {
        (most.0.max(one.whole), most.1.max(one.passage))
    });
    let share = |score: f32, most: f32| if most > 0.0 { score / most } else { 0.0 };
    let both =
        |one: &PageScore| (share(one.whole, most.0) + share(one.passage, most.1)) * one.coverage;
    let mut shares: Vec<(f32, u32)> = Vec::with_capacity(by_words.len());
    shares.extend(by_words.iter().map(|one| (both(one), one.page)));
    let top = shares.iter().map(|one| one.0).fold(0.0, f32::max);
    for ((worth, _), one) in shares.iter_mut().zip(by_words) {
        *worth = share(*worth, top) + weights.title * one.title;
    }
    (shares, most.1)
}

/// The pages that may answer a question, while they are put in order.
struct Ranking<'a, 'q> {
    snapshot: &'a Snapshot,
    question: &'q Question<'q>,
    by_language: &'q BTreeMap<&'q str, QuestionTerms>,
    meaning: Option<&'q Meaning<'q>>,
    /// Whether every page with words of the question must be considered, and every page that comes
    /// near: phrases and other models decide later which of them are shown.
    looks_at_all: (bool, bool),
    ranked: Vec<(f32, &'a Page)>,
    /// Whether a vector had a part in the order.
    is_compared: bool,
}

impl<'a> Ranking<'a, '_> {
    /// The pages whose words are worth most: of very many vectors only theirs are compared whatever they are. A page that
    /// is neither among them nor near is not among the best.
    fn best_by_words(&self, by_words: &[(f32, u32)]) -> Vec<u32> {
        let most = self.depth() * COMPARED;
        let least = match by_words.len() > most {
            true => {
                let mut scores: Vec<f32> = by_words.iter().map(|one| one.0).collect();
                let (_, least, _) = scores.select_nth_unstable_by(most, |a, b| b.total_cmp(a));
                *least
            }
            false => 0.0,
        };
        let best = by_words.iter().filter(|(score, _)| *score >= least);
        best.map(|(_, page)| *page).collect()
    }

    /// Adds the pages with words of the question, then those that share none and come near. `nearness` is by the number of
    /// the page.
    fn add(&mut self, by_words: &[(f32, u32)], mut nearness: Option<Vec<f32>>) {
        let nearest = nearness
            .iter()
            .flatten()
            .fold(0.0_f32, |most, &nearness| most.max(nearness));
        let mixed: Vec<(f32, u32)> = match &mut nearness {
            None => by_words.to_vec(),
            Some(nearness) => {
                let mix = |&(words, page): &(f32, u32)| {
                    // Taken, so that the page is not added again for coming near.
                    let nearness = std::mem::take(&mut nearness[page as usize]);
                    self.is_compared |= nearness > 0.0;
                    (
                        (words + self.question.weights.meaning * nearness)
                            / (1.0 + self.question.weights.meaning),
                        page,
                    )
                };
                by_words.iter().map(mix).collect()
            }
        };
        self.add_with_words(&mixed, nearness.is_some());
        if let Some(nearness) = nearness {
            let floor = if by_words.is_empty() {
                0.0
            } else {
                self.question.weights.share
            };
            self.add_near(&nearness, floor * nearest);
        }
    }

    fn add_with_words(&mut self, mixed: &[(f32, u32)], is_mixed: bool) {
        let weights = self.question.weights;
        let share = if is_mixed { 1.0 } else { weights.by_words };
        let typed = letters(self.question.query);
        let is_path = WantedOperation::of(self.question.query).is_some();
        let digests: BTreeMap<&str, u64> = (self.by_language.iter())
            .map(|(language, asked)| (*language, digest_of_words(&asked.title)))
            .collect();
        let pages = &self.snapshot.pages;
        let purposes = Purposes::of(self.question, self.snapshot);
        let mixed = mixed.iter().map(|&(score, number)| {
            let names = pages.names(number);
            let page = purposes.named_version.and_then(|_| pages.get(number));
            let version = page.and_then(|page| page.record.version.as_deref());
            (score * purposes.factor(names, version), number, names)
        });
        let mixed: Vec<(f32, u32, Names)> = mixed.collect();
        // A look at each page would cost more than all sums and comparisons did: those are looked at that may be shown.
        let least = match self.looks_at_all.0 {
            true => f32::NEG_INFINITY,
            false => self.least_of_best(mixed.iter().map(|one| one.0)),
        };
        for (mut score, number, names) in mixed {
            // What an operation is worth for its path is added to what its words are.
            let may_be = || {
                is_path && names.is_operation || digests.values().any(|words| names.may_be(*words))
            };
            let page = pages.get(number);
            let Some(page) = page.filter(|_| score >= least || may_be()) else {
                continue;
            };
            // Words alone are worth as much as they would be without vectors.
            let is_compared = self.meaning.is_some_and(|meaning| meaning.knows(page));
            let share = match is_mixed && !is_compared {
                true => weights.by_words / (1.0 + weights.meaning),
                false => share,
            };
            let language = page.record.language.as_str();
            let asked = self.by_language.get(language);
            let has_words = asked.is_some_and(|asked| asked.title == page.record.title_words);
            let is_same = has_words && letters(&page.record.title) == typed;
            let is_named =
                has_words && (is_same || purposes.looks_up || !page.record.kind.is_looked_up());
            let heading = digests.get(language);
            if is_named {
                if is_same {
                    // Who types a whole title looks that page up.
                    if !purposes.is_short {
                        score /= purposes.of_kind(names.kind);
                    }
                    score += self.question.weights.same_title * share;
                }
                score += self.question.weights.exact_title * share;
            } else if heading.is_some_and(|words| page.record.heading_words.contains(words)) {
                score += self.question.weights.exact_heading * share;
            }
            self.ranked.push((score, page));
        }
    }

    /// Adds pages that share no word with the question and come nearer than `threshold`.
    fn add_near(&mut self, nearness: &[f32], threshold: f32) {
        let least = match self.looks_at_all.1 {
            true => 0.0,
            false => self.least_of_best(nearness.iter().copied()),
        };
        for (number, &nearness) in nearness.iter().enumerate() {
            if nearness > 0.0
                && nearness >= least
                && let Some(page) = self.snapshot.pages.get(number as u32)
                && self.question.filter.is_met(page)
            {
                self.is_compared = true;
                // The threshold is known of the vectors of this program only.
                let is_other =
                    (self.meaning).is_some_and(|meaning| meaning.compares(page).is_some());
                if nearness >= threshold
                    && (is_other || nearness >= self.question.relevance_threshold)
                {
                    self.ranked.push((
                        self.question.weights.meaning * nearness
                            / (1.0 + self.question.weights.meaning),
                        page,
                    ));
                }
            }
        }
    }

    /// Puts the operations first whose path the question is, with or without values in place of its parameters.
    fn add_operations(&mut self, is_met: &dyn Fn(u32) -> bool) {
        let Some(wanted) = WantedOperation::of(self.question.query) else {
            return;
        };
        let weights = self.question.weights;
        for page in self.snapshot.pages.operations() {
            let operation = page.record.operation.as_ref();
            let likeness = operation.map_or(0.0, |operation| wanted.likeness(operation, weights));
            if likeness == 0.0 || !is_met(page.record.number) {
                continue;
            }
            let number = page.record.number;
            let known = self.ranked.iter_mut();
            match known
                .into_iter()
                .find(|(_, one)| one.record.number == number)
            {
                Some((score, _)) => *score += weights.exact_operation * likeness,
                None => (self.ranked).push((weights.exact_operation * likeness, page)),
            }
        }
    }

    /// Returns how the pages were found, and the name of the other model if one of them was
    /// compared by it.
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

    /// Applies the factors of authors.
    fn apply_boosts(&mut self) {
        for (score, page) in &mut self.ranked {
            if page.record.boost != 1000 {
                *score *= factor(page.record.boost, self.question.weights);
            }
        }
    }

    /// Leaves the best pages that have all phrases, as many as are wanted. Returns by their numbers
    /// the passages that hold them.
    fn keep_phrases(&mut self) -> HashMap<u32, Vec<u16>> {
        let wanted = WantedOperation::of(self.question.query);
        self.ranked
            .sort_unstable_by(|one, other| by_score(wanted.as_ref(), one, other));
        let mut reading = Reading::default();
        let mut passages = HashMap::new();
        let (asked, snapshot, limit) = (self.by_language, self.snapshot, self.question.limit);
        self.ranked.retain(|(_, page)| {
            let asked = asked.get(page.record.language.as_str());
            let matching = asked.filter(|_| passages.len() < limit).and_then(|asked| {
                let phrases = asked.phrases.as_ref()?;
                phrases.matching_passages(page, snapshot, &asked.analyzer, &mut reading)
            });
            matching
                .map(|matching| passages.insert(page.record.number, matching))
                .is_some()
        });
        passages
    }

    /// The best pages, as many as are wanted, with their passages: those first that were asked for word by word (`phrase_passages`).
    fn best(
        mut self,
        sums: &mut ScoreAccumulator,
        most_passage: f32,
        phrase_passages: &HashMap<u32, Vec<u16>>,
    ) -> Vec<Candidate<'a>> {
        let limit = self.question.limit;
        let depth = self.depth();
        let wanted = WantedOperation::of(self.question.query);
        let by_score =
            |one: &(f32, &Page), other: &(f32, &Page)| by_score(wanted.as_ref(), one, other);
        if depth < self.ranked.len() {
            self.ranked.select_nth_unstable_by(depth, by_score);
            self.ranked.truncate(depth);
        }
        self.ranked.sort_unstable_by(by_score);
        let named = named_version(self.question.query, self.snapshot.pages.version_labels());
        collapse_copies(&mut self.ranked, self.question.weights, named);
        let weights = self.question.weights;
        let is_named = self.ranked.first();
        let is_named = is_named.is_some_and(|(score, _)| *score >= weights.named);
        let is_reordered = !is_named && self.is_reordered() && phrase_passages.is_empty();
        self.ranked.truncate(match is_reordered {
            true => limit.max(REORDERED),
            false => limit,
        });
        // A page that its author pushed may be worth more than everything.
        let highest = self.ranked.first().map_or(1.0, |(score, _)| score.max(1.0));
        let numbers = self.ranked.iter().map(|(_, page)| page.record.number);
        let by_words = sums.passages_of(self.snapshot, &numbers.collect::<Vec<u32>>());
        let meaning = (self.meaning, &self.snapshot.pages);
        let candidates = self.ranked.into_iter().zip(by_words);
        let candidates = candidates.map(|((score, page), (of_page, by_words))| {
            let weights = self.question.weights;
            let mut passages =
                passages(page, (of_page, &by_words), (most_passage, weights), meaning);
            if let Some(phrase_passages) = phrase_passages.get(&page.record.number) {
                let place = |ordinal| {
                    phrase_passages
                        .iter()
                        .position(|passage| *passage == ordinal)
                };
                passages.sort_by_key(|one| place(one.ordinal).unwrap_or(usize::MAX));
            }
            let sure = passages.iter().map(|one| one.evidence);
            let sure = sure.max_by(|a, b| a.confidence(weights).total_cmp(&b.confidence(weights)));
            Candidate {
                page,
                score: score / highest,
                evidence: sure.unwrap_or(of_page),
                passages,
            }
        });
        let mut candidates: Vec<Candidate<'a>> = candidates.collect();
        let is_compared = |candidate: &Candidate<'_>| {
            let mut passages = candidate.passages.iter();
            passages.any(|passage| passage.evidence.near.is_some())
        };
        if is_reordered && candidates.iter().any(is_compared) {
            reorder(&mut candidates, &Purposes::of(self.question, self.snapshot));
        }
        candidates.truncate(limit);
        // The score of the best is its confidence; the others are relative to it.
        let sure = candidates
            .first()
            .map_or(0.0, |first| first.evidence.confidence(weights));
        let sure = if is_named {
            sure.max(weights.named_confidence)
        } else {
            sure
        };
        for candidate in &mut candidates {
            candidate.score *= sure;
        }
        candidates
    }

    /// Lowest score with which a page may be among the best of those with these `scores`, whatever
    /// its author's factor is.
    fn least_of_best(&self, scores: impl Iterator<Item = f32>) -> f32 {
        least_of_best(
            scores,
            self.depth(),
            (&self.snapshot.pages, self.question.weights),
        )
    }

    /// Number of pages to rank for the number that is wanted: on a site with several versions,
    /// copies of a page collapse.
    fn depth(&self) -> usize {
        let versions = self.snapshot.pages.versions().clamp(1, MAX_COPIES);
        let limit = match self.is_reordered() {
            true => self.question.limit.max(REORDERED),
            false => self.question.limit,
        };
        limit * versions
    }

    /// Returns true if a question is asked in a sentence and vectors are compared: the best pages are
    /// put in order by their best passages, too.
    fn is_reordered(&self) -> bool {
        let query = self.question.query;
        self.meaning.is_some() && asks(query) && !looks_up(query)
    }
}

/// Puts `candidates` in order by their scores and by what their best passages are worth: a page that is about a question as
/// a whole may have no passage that answers it.
fn reorder(candidates: &mut [Candidate<'_>], purposes: &Purposes<'_>) {
    let weights = purposes.weights;
    let share = weights.best_passage;
    for candidate in candidates.iter_mut() {
        let of_passages = candidate.passages.iter().map(|passage| passage.evidence);
        // Words alone speak for a page without vectors.
        let of_passages = of_passages.map(|evidence| match evidence.near {
            Some(_) => evidence.own_score(weights),
            None => evidence.coverage,
        });
        let best = of_passages.fold(0.0, f32::max);
        let names = Names::of(&candidate.page.record);
        let version = candidate.page.record.version.as_deref();
        let best = best * purposes.factor(names, version);
        candidate.score = (1.0 - share) * candidate.score + share * best;
    }
    candidates.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.page.record.route.cmp(&b.page.record.route))
    });
    let most = candidates.first().map_or(1.0, |first| first.score);
    for candidate in candidates {
        candidate.score /= most.max(f32::MIN_POSITIVE);
    }
}

/// Leaves one of the copies that a page has in several versions, in the place of the best of them: that of the version that
/// is `named`, else that of the version which the site shows first if it answers nearly as well, else the best.
fn collapse_copies(ranked: &mut Vec<(f32, &Page)>, weights: &Weights, named: Option<&str>) {
    let is_named = |page: &Page| named.is_some() && page.record.version.as_deref() == named;
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut selected: Vec<(f32, &Page)> = Vec::with_capacity(ranked.len());
    for &(score, page) in ranked.iter() {
        let first = page
            .record
            .copy
            .map(|copy| *places.entry(copy).or_insert(selected.len()));
        let Some((best, shown)) = first.and_then(|first| selected.get_mut(first)) else {
            selected.push((score, page));
            continue;
        };
        let is_newer =
            || shown.record.is_old && !page.record.is_old && score >= *best * weights.copy;
        if is_named(page) || !is_named(shown) && is_newer() {
            *shown = page;
        }
    }
    *ranked = selected;
}

/// The letters and digits of a text in lower case, by which one that is typed is compared with one that is written.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Weights of pages by their kind, for one question.
struct Purposes<'q> {
    weights: &'q Weights,
    /// Whether the question looks something up.
    looks_up: bool,
    /// Whether it is one word.
    is_short: bool,
    /// Whether only pages of one version are wanted.
    is_versioned: bool,
    /// The version that it names.
    named_version: Option<&'q str>,
}

impl<'q> Purposes<'q> {
    fn of(question: &Question<'q>, snapshot: &'q Snapshot) -> Self {
        Self {
            named_version: named_version(question.query, snapshot.pages.version_labels()),
            weights: question.weights,
            looks_up: looks_up(question.query),
            is_short: question.query.split_whitespace().count() <= 1,
            is_versioned: question.filter.version.is_some(),
        }
    }

    /// Weight of a page with these `names`, of `version`, relative to a guide of the version that is
    /// shown first.
    fn factor(&self, names: Names, version: Option<&str>) -> f32 {
        let of_version = match (self.named_version, version) {
            (Some(named), Some(version)) if named == version => self.weights.named_version,
            (Some(_), Some(_)) => self.weights.old_version,
            (Some(_), None) => 1.0,
            (None, _) if names.is_old && !self.is_versioned => self.weights.old_version,
            (None, _) => 1.0,
        };
        of_version * self.of_kind(names.kind)
    }

    /// Weight of a page relative to a guide.
    fn of_kind(&self, kind: PageKind) -> f32 {
        if self.looks_up {
            return 1.0;
        }
        let of_kind = match kind {
            PageKind::Guide | PageKind::Concept | PageKind::Landing => 1.0,
            PageKind::Reference => self.weights.reference,
            PageKind::Operation | PageKind::Schema => self.weights.operation,
            PageKind::Changelog => self.weights.changelog,
        };
        match self.is_short && kind.is_looked_up() {
            true => of_kind * self.weights.one_word,
            false => of_kind,
        }
    }
}

/// Best first; of two that are worth the same, where the path of an operation is asked for, the one with the earlier method,
/// else the one with the lesser address.
fn by_score(
    operation: Option<&WantedOperation<'_>>,
    (a, one): &(f32, &Page),
    (b, other): &(f32, &Page),
) -> Ordering {
    let place =
        |page: &Page| operation.map(|operation| operation.place(page.record.operation.as_ref()));
    b.total_cmp(a)
        .then_with(|| place(one).cmp(&place(other)))
        .then_with(|| one.record.route.cmp(&other.record.route))
}

/// Weight of a page by its author's factor.
fn factor(boost: i64, weights: &Weights) -> f32 {
    (boost.max(0) as f32 / 1000.0).powf(weights.boost)
}

/// Lowest score with which a page may be among the `limit` best of those with these `scores`,
/// whatever its author's factor is.
fn least_of_best(
    scores: impl Iterator<Item = f32>,
    limit: usize,
    (pages, weights): (&Pages, &Weights),
) -> f32 {
    let mut sorted: Vec<f32> = scores.filter(|score| *score > 0.0).collect();
    if sorted.len() <= limit {
        return 0.0;
    }
    let (_, last, _) = sorted.select_nth_unstable_by(limit, |a, b| b.total_cmp(a));
    let (least, most) = pages.boosts().unwrap_or((1000, 1000));
    // A little less, for what is lost by rounding.
    match factor(least, weights) / factor(most, weights) {
        share if share.is_finite() => *last * share * 0.9999,
        // All are worth nothing, and so alike.
        _ => 0.0,
    }
}

/// The passages of a page, best first, by their words and by their meaning.
fn passages(
    page: &Page,
    (of_page, by_words): (Evidence, &[PassageScore]),
    (most, weights): (f32, &Weights),
    (meaning, pages): (Option<&Meaning<'_>>, &Pages),
) -> Vec<PassageScore> {
    let mut passages: BTreeMap<u16, PassageScore> = by_words
        .iter()
        .map(|one| {
            let share = weights.uncovered + (1.0 - weights.uncovered) * one.evidence.coverage;
            let score = one.score / most * share;
            (one.ordinal, PassageScore { score, ..*one })
        })
        .collect();
    if let Some(meaning) = meaning.filter(|meaning| meaning.knows(page)) {
        for ordinal in 0..page.slots.len().max(page.others.len()) {
            let near = pages.near_passage(page, ordinal, meaning);
            let ordinal = ordinal as u16;
            let known = passages.entry(ordinal).or_insert(PassageScore {
                ordinal,
                score: 0.0,
                evidence: of_page,
            });
            known.evidence.near = Some(near);
        }
        for one in passages.values_mut() {
            let near = one.evidence.near.unwrap_or(0.0);
            one.score = (one.score + weights.meaning_of_passage * near)
                / (1.0 + weights.meaning_of_passage);
        }
    }
    let mut passages: Vec<PassageScore> = passages.into_values().collect();
    passages.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(a.ordinal.cmp(&b.ordinal))
    });
    passages
}
