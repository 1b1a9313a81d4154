//! Scores pages and their passages by the words that they share with a question.
//!
//! BM25 twice: over pages, where the best part of a word counts most, and over passages, where all
//! of them count. The score of a page is the sum of both. Every figure is exact, and sums are taken
//! in the order of the question, so the same pages have the same scores to the last bit however
//! they were indexed.

use std::collections::HashMap;

use crate::index::confidence::Evidence;
use crate::index::entries::KINDS;
use crate::index::expand::Term;
use crate::index::pages::Totals;
use crate::index::snapshot::{ABOVE, Posting, Snapshot};
use crate::index::weights::Weights;
use crate::index::words::Analyzer;

/// Score of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageScore {
    /// The number of the page.
    pub page: u32,
    /// Score of the page as a whole.
    pub whole: f32,
    /// Best passage.
    pub passage: f32,
    /// Ordinal of that passage.
    pub ordinal: u16,
    /// Factor for the share of the question that the page has.
    pub coverage: f32,
    /// Degree to which its title is about the question, 0 to 1: the share of the question that it
    /// has, times the weight of the share of its own words that are asked for.
    pub title: f32,
}

/// Score of a passage by its words.
#[derive(Clone, Copy, Debug)]
pub struct PassageScore {
    /// Place on the page.
    pub ordinal: u16,
    /// Score for ordering.
    pub score: f32,
    /// Evidence for the passage.
    pub evidence: Evidence,
}

/// The sums of a page, side by side: they are read at once.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct OfPage {
    /// Number of occurrences of the current word, by kind of part.
    times: [u32; KINDS],
    /// Score of the page as a whole.
    whole: f32,
    /// Score that each of its passages gets for the title, address and names of the page.
    shared: f32,
    /// Words of the question that it has, as bits.
    covered: u64,
    /// Words of the question in its title, as bits.
    titled: u64,
    /// Words of the question in its title, address and names, as bits.
    shared_covered: u64,
}

/// The sums of an entry.
#[derive(Clone, Copy, Default)]
struct OfEntry {
    /// Words of the question that it has, as bits.
    covered: u64,
    /// Score of its own words.
    own_score: f32,
}

/// Number of query words up to which the weights of all subsets are precomputed.
const MAX_PRECOMPUTED_WORDS: usize = 10;

/// The sums of a question while it is answered. Kept for the next one: clearing what was touched is cheaper than asking
/// the system for zeros.
#[derive(Default)]
pub struct ScoreAccumulator {
    /// Weights.
    pub weights: Weights,
    /// Analyzers by language; they cache the forms of words.
    pub analyzers: HashMap<String, Analyzer>,
    /// Sums by page.
    of_page: Vec<OfPage>,
    /// Sums by entry.
    of_entry: Vec<OfEntry>,
    /// Number of words of the question, and the weight of one that no page has.
    question_words: (usize, f32),
    /// Weight of each word of the question by its rarity.
    rarity: Vec<f32>,
    /// Weights of sets of words of the question, indexed by their bits; only for questions of few
    /// words.
    shares: Vec<f32>,
    pages: Vec<u32>,
    entries: Vec<Posting>,
    headings: Vec<Posting>,
    with_word: Vec<u32>,
}

impl ScoreAccumulator {
    /// Makes room for all pages and entries of `snapshot`.
    pub fn make_room(&mut self, snapshot: &Snapshot) {
        let pages = self.of_page.len().max(snapshot.pages.numbers());
        self.of_page.resize(pages, OfPage::default());
        let entries = self.of_entry.len().max(snapshot.entries());
        self.of_entry.resize(entries, OfEntry::default());
    }

    /// Sets the number of words of the question, in the language of the pages with these `totals`.
    pub fn expect(&mut self, words: usize, totals: &Totals) {
        let unknown = (1.0 + (totals.pages as f32 + 0.5) / 0.5).ln();
        self.question_words = (
            self.question_words.0.max(words.min(64)),
            self.question_words.1.max(unknown),
        );
    }

    /// Adds what `term` is worth, to pages of the language with these `totals`.
    pub fn add(&mut self, snapshot: &Snapshot, term: &Term, totals: &Totals) {
        self.add_to_passages(snapshot, term, totals);
        self.add_to_pages(snapshot, term, totals);
    }

    fn add_to_passages(&mut self, snapshot: &Snapshot, term: &Term, totals: &Totals) {
        let bit = 1_u64 << term.asked.min(63);
        let pages = &snapshot.pages;
        for kind in 0..3 {
            let postings = &term.found.0[kind];
            let holders: u64 = postings
                .iter()
                .map(|one| u64::from(pages.sizes(one.page).entries))
                .sum();
            let curve = Curve::new(
                (term, &self.weights),
                kind,
                (totals.passages, holders),
                totals.passage_words[kind],
            );
            for one in postings {
                let page = &mut self.of_page[one.page as usize];
                page.shared_covered |= bit;
                page.shared += curve.score(one.times, pages.sizes(one.page).words[kind]);
            }
        }
        let mut headings = std::mem::take(&mut self.headings);
        merge(&term.found.0[3], &term.found.0[ABOVE], &mut headings);
        for kind in 3..KINDS {
            let postings = if kind == 3 {
                &headings
            } else {
                &term.found.0[kind]
            };
            let holders = postings.len() as u64;
            let curve = Curve::new(
                (term, &self.weights),
                kind,
                (totals.passages, holders),
                totals.passage_words[kind],
            );
            for (one, sizes) in postings.iter().zip(snapshot.sizes(postings)) {
                let entry = &mut self.of_entry[one.entry as usize];
                entry.covered |= bit;
                if entry.own_score == 0.0 {
                    self.entries.push(*one);
                }
                entry.own_score += curve.score(one.times, sizes.0[kind - 3]);
            }
        }
        self.headings = headings;
    }

    fn add_to_pages(&mut self, snapshot: &Snapshot, term: &Term, totals: &Totals) {
        for (kind, postings) in term.found.0[..KINDS].iter().enumerate() {
            for one in postings {
                let times = &mut self.of_page[one.page as usize].times;
                if *times == [0; KINDS] {
                    self.with_word.push(one.page);
                }
                times[kind] += one.times;
            }
        }
        let holders = self.cover(term, totals);
        let curves: [Curve; KINDS] = std::array::from_fn(|kind| {
            Curve::new(
                (term, &self.weights),
                kind,
                (totals.pages, holders[kind]),
                totals.page_words[kind],
            )
        });
        for page in self.with_word.drain(..) {
            let sums = &mut self.of_page[page as usize];
            let times = std::mem::take(&mut sums.times);
            let sizes = snapshot.pages.sizes(page).words;
            let (mut best, mut sum) = (0.0_f32, 0.0);
            for kind in 0..KINDS {
                if times[kind] > 0 {
                    let score = curves[kind].score(times[kind], sizes[kind]);
                    best = best.max(score);
                    sum += score;
                }
            }
            if sums.whole == 0.0 {
                self.pages.push(page);
            }
            sums.whole += best + self.weights.tie * (sum - best);
        }
    }

    /// Notes which pages have a word of the question, in whichever form, and how rare that makes it. Returns how many have it
    /// in each kind of part.
    fn cover(&mut self, term: &Term, totals: &Totals) -> [u64; KINDS] {
        // Questions of more words are rare, and the words behind contribute little.
        let bit = 1_u64 << term.asked.min(63);
        let mut of_kind = [0_u64; KINDS];
        for &page in &self.with_word {
            let sums = &mut self.of_page[page as usize];
            sums.covered |= bit;
            if sums.times[0] > 0 {
                sums.titled |= bit;
            }
            for (holders, times) in of_kind.iter_mut().zip(sums.times) {
                *holders += u64::from(times > 0);
            }
        }
        let (all, holders) = (totals.pages as f32, self.with_word.len() as f32);
        let rarity = (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln() * term.weight;
        let place = term.asked.min(63);
        if self.rarity.len() <= place {
            self.rarity.resize(place + 1, 0.0);
        }
        self.rarity[place] = self.rarity[place].max(rarity);
        of_kind
    }

    /// Adds up what all sets of words of the question are worth, if it has few.
    fn add_shares(&mut self) {
        self.shares.clear();
        if self.rarity.len() > MAX_PRECOMPUTED_WORDS {
            return;
        }
        self.shares.push(0.0);
        for rarity in &self.rarity {
            // Of each set without the word there is one with it.
            let with = self.shares.len();
            for place in 0..with {
                let share = self.shares[place] + rarity;
                self.shares.push(share);
            }
        }
    }

    /// The share of the question, of which all words are worth `all` together, that these words of it are.
    fn share(&self, covered: u64, all: f32) -> f32 {
        let has = |place: &usize| covered & 1 << place != 0;
        let added = || -> f32 {
            let places = (0..self.rarity.len()).filter(has);
            places.map(|place| self.rarity[place]).sum()
        };
        let share = self.shares.get(covered as usize).copied();
        let share = share.unwrap_or_else(added);
        match all > 0.0 {
            true => share / all,
            false => 1.0,
        }
    }

    /// Factor of a title for the share of its own words that are asked for.
    fn titled_share(&self, snapshot: &Snapshot, page: u32) -> f32 {
        let length = snapshot.pages.sizes(page).words[0].max(1);
        let asked = self.of_page[page as usize].titled.count_ones();
        (asked as f32 / length as f32).min(1.0).sqrt()
    }

    /// The pages that share a word with the question and that `is_wanted`, in no order.
    pub fn best(&mut self, snapshot: &Snapshot, is_wanted: impl Fn(u32) -> bool) -> Vec<PageScore> {
        self.add_shares();
        let mut best: Vec<PageScore> = Vec::with_capacity(self.pages.len());
        let mut place_of = std::mem::take(&mut self.with_word);
        place_of.resize(self.of_page.len(), u32::MAX);
        for &page in &self.pages {
            if is_wanted(page) {
                place_of[page as usize] = best.len() as u32;
                let sums = &self.of_page[page as usize];
                best.push(PageScore {
                    page,
                    whole: sums.whole,
                    passage: sums.shared,
                    ordinal: 0,
                    coverage: 1.0,
                    title: 0.0,
                });
            }
        }
        for one in &self.entries {
            if let Some(best) = best.get_mut(place_of[one.page as usize] as usize) {
                let own = self.of_entry[one.entry as usize].own_score;
                let score = own + self.of_page[one.page as usize].shared;
                if score >= best.passage {
                    let ordinal = snapshot.ordinal(one.entry);
                    if score > best.passage || ordinal < best.ordinal {
                        (best.passage, best.ordinal) = (score, ordinal);
                    }
                }
            }
        }
        place_of.clear();
        self.with_word = place_of;
        let all = self.rarity.iter().sum();
        for one in &mut best {
            let OfPage {
                covered, titled, ..
            } = self.of_page[one.page as usize];
            let share = self.share(covered, all);
            one.coverage = self.weights.uncovered + (1.0 - self.weights.uncovered) * share;
            if titled != 0 {
                one.title = self.share(titled, all) * self.titled_share(snapshot, one.page);
            }
        }
        best
    }

    /// Total weight of the words of the question, with those that no page has, and the maximum
    /// score of a passage for them.
    fn attainable(&self) -> (f32, f32) {
        let (words, unknown) = self.question_words;
        let known = |place: usize| {
            self.rarity
                .get(place)
                .copied()
                .filter(|rarity| *rarity > 0.0)
        };
        let all: f32 = (0..words.max(self.rarity.len()))
            .map(|place| known(place).unwrap_or(unknown))
            .sum();
        (all, all * (self.weights.k1 + 1.0))
    }

    /// The passages of each of `pages` that share a word with the question, with what speaks for each by words, the best
    /// first; and what speaks for the page where none of its passages is meant.
    pub fn passages_of(
        &mut self,
        snapshot: &Snapshot,
        pages: &[u32],
    ) -> Vec<(Evidence, Vec<PassageScore>)> {
        let (all, attainable) = self.attainable();
        let of_question = |worth: f32, all: f32| if all > 0.0 { worth / all } else { 0.0 };
        let sum: f32 = self.rarity.iter().sum();
        let mut place_of = std::mem::take(&mut self.with_word);
        let coverage_of = |covered: u64| of_question(self.share(covered, sum) * sum, all);
        place_of.resize(self.of_page.len(), u32::MAX);
        let mut found: Vec<(Evidence, Vec<PassageScore>)> = Vec::with_capacity(pages.len());
        for (place, &page) in pages.iter().enumerate() {
            place_of[page as usize] = place as u32;
            let sums = &self.of_page[page as usize];
            let title = coverage_of(sums.titled) * self.titled_share(snapshot, page);
            let evidence = Evidence {
                words: of_question(sums.shared, attainable),
                coverage: coverage_of(sums.shared_covered),
                title,
                near: None,
            };
            found.push((evidence, Vec::new()));
        }
        for one in &self.entries {
            let page = one.page as usize;
            if let Some((of_page, passages)) = found.get_mut(place_of[page] as usize) {
                let (entry, sums) = (&self.of_entry[one.entry as usize], &self.of_page[page]);
                let score = entry.own_score + sums.shared;
                let evidence = Evidence {
                    words: of_question(score, attainable),
                    coverage: coverage_of(entry.covered | sums.shared_covered),
                    ..*of_page
                };
                passages.push(PassageScore {
                    ordinal: snapshot.ordinal(one.entry),
                    score,
                    evidence,
                });
            }
        }
        place_of.clear();
        self.with_word = place_of;
        for (_, passages) in &mut found {
            passages.sort_unstable_by(|a, b| {
                let by_score = b.score.total_cmp(&a.score);
                by_score.then(a.ordinal.cmp(&b.ordinal))
            });
        }
        found
    }

    /// Makes all sums zero again.
    pub fn clear(&mut self) {
        for page in self.pages.drain(..) {
            self.of_page[page as usize] = OfPage::default();
        }
        self.rarity.clear();
        self.shares.clear();
        self.question_words = (0, 0.0);
        for one in self.entries.drain(..) {
            self.of_entry[one.entry as usize] = OfEntry::default();
        }
    }
}

/// Both lists in the order of entries; entries in both once, with the sum of their occurrences.
fn merge(a: &[Posting], b: &[Posting], merged: &mut Vec<Posting>) {
    merged.clear();
    let (mut a, mut b) = (a, b);
    loop {
        let next = match (a, b) {
            ([x, rest_of_a @ ..], [y, rest_of_b @ ..]) if x.entry == y.entry => {
                (a, b) = (rest_of_a, rest_of_b);
                Posting {
                    times: x.times + y.times,
                    ..*x
                }
            }
            ([x, ..], [y, rest @ ..]) if x.entry > y.entry => {
                b = rest;
                *y
            }
            ([x, rest @ ..], _) => {
                a = rest;
                *x
            }
            ([], [y, rest @ ..]) => {
                b = rest;
                *y
            }
            ([], []) => return,
        };
        merged.push(next);
    }
}

/// Score of a word by its frequency in a text of some length.
struct Curve {
    /// Limit of the score for infinitely many occurrences.
    limit: f32,
    /// Damping for an empty text.
    fixed: f32,
    /// Damping per word of the text.
    by_word: f32,
}

impl Curve {
    /// Creates the curve of a word that `holders` of `all` texts have, which have `words` together.
    fn new(
        (term, weights): (&Term, &Weights),
        kind: usize,
        (all, holders): (u64, u64),
        words: u64,
    ) -> Self {
        let (all, holders) = (all as f32, holders as f32);
        let rarity = (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln();
        Self {
            limit: term.weight * weights.kinds[kind] * rarity * (weights.k1 + 1.0),
            fixed: weights.k1 * (1.0 - weights.b),
            by_word: if words == 0 {
                0.0
            } else {
                weights.k1 * weights.b * all / words as f32
            },
        }
    }

    fn score(&self, times: u32, length: u32) -> f32 {
        let times = times as f32;
        self.limit * times / (times + self.fixed + self.by_word * length as f32)
    }
}
