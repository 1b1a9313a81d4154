//! How well pages and their passages answer a question, by the words that they share with it.
//!
//! BM25 twice: over pages, where of the parts in which a word stands the best one counts most, and over passages, where
//! all of them count. A page is worth both together. Every figure is exact, and sums are taken in the order of the
//! question, so the same pages have the same scores to the last bit however they came into the index.

use crate::index::confidence::Evidence;
use crate::index::entries::KINDS;
use crate::index::expand::Term;
use crate::index::pages::Totals;
use crate::index::snapshot::{ABOVE, Posting, Snapshot};
use crate::index::weights::Weights;

/// What a page is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageScore {
    /// The number of the page.
    pub page: u32,
    /// As a whole.
    pub whole: f32,
    /// Best passage.
    pub passage: f32,
    /// Which one that is.
    pub ordinal: u16,
    /// What that counts, by how much of the question the page has.
    pub coverage: f32,
    /// How much its title is about the question, 0 to 1: the share of the question that it has, by the share of its own words
    /// that are asked for.
    pub title: f32,
}

/// What a passage is worth by its words.
#[derive(Clone, Copy, Debug)]
pub struct PassageScore {
    /// Place on the page.
    pub ordinal: u16,
    /// What it is worth beside others.
    pub score: f32,
    /// What speaks for it.
    pub evidence: Evidence,
}

/// The sums of a question while it is answered. Kept for the next one: clearing what was touched is cheaper than asking
/// the system for zeros.
#[derive(Default)]
pub struct ScoreAccumulator {
    /// What everything is worth.
    pub weights: Weights,
    /// By page: what it is worth as a whole.
    whole: Vec<f32>,
    /// By page: what each of its passages is worth for the title, address and names of the page.
    shared: Vec<f32>,
    /// By entry: what it is worth for itself.
    own: Vec<f32>,
    /// By page: which words of the question it has, as bits.
    covered: Vec<u64>,
    /// By page: which of them stand in its title.
    titled: Vec<u64>,
    /// By entry: which of them it has, and by page which stand in its title, address and names.
    own_covered: Vec<u64>,
    shared_covered: Vec<u64>,
    /// How many words the question has, and what one is worth that no page has.
    asked: (usize, f32),
    /// What each word of the question is worth by how rare it is.
    rarity: Vec<f32>,
    /// By page: how often the word at hand stands in each kind of part.
    times: Vec<[u32; KINDS]>,
    pages: Vec<u32>,
    entries: Vec<Posting>,
    headings: Vec<Posting>,
    with_word: Vec<u32>,
}

impl ScoreAccumulator {
    /// Makes room for all pages and entries of `snapshot`.
    pub fn make_room(&mut self, snapshot: &Snapshot) {
        let pages = self.whole.len().max(snapshot.pages.numbers());
        self.whole.resize(pages, 0.0);
        self.shared.resize(pages, 0.0);
        self.times.resize(pages, [0; KINDS]);
        self.covered.resize(pages, 0);
        self.titled.resize(pages, 0);
        self.shared_covered.resize(pages, 0);
        let entries = self.own.len().max(snapshot.entries());
        self.own.resize(entries, 0.0);
        self.own_covered.resize(entries, 0);
    }

    /// Says of how many words the question is, in the language of the pages with these `totals`.
    pub fn expect(&mut self, words: usize, totals: &Totals) {
        let unknown = (1.0 + (totals.pages as f32 + 0.5) / 0.5).ln();
        self.asked = (self.asked.0.max(words.min(64)), self.asked.1.max(unknown));
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
                self.shared_covered[one.page as usize] |= bit;
                self.shared[one.page as usize] +=
                    curve.score(one.times, pages.sizes(one.page).words[kind]);
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
                self.own_covered[one.entry as usize] |= bit;
                let own = &mut self.own[one.entry as usize];
                if *own == 0.0 {
                    self.entries.push(*one);
                }
                *own += curve.score(one.times, sizes.0[kind - 3]);
            }
        }
        self.headings = headings;
    }

    fn add_to_pages(&mut self, snapshot: &Snapshot, term: &Term, totals: &Totals) {
        for (kind, postings) in term.found.0[..KINDS].iter().enumerate() {
            for one in postings {
                let times = &mut self.times[one.page as usize];
                if *times == [0; KINDS] {
                    self.with_word.push(one.page);
                }
                times[kind] += one.times;
            }
        }
        self.cover(term, totals);
        let mut holders = [0_u64; KINDS];
        for &page in &self.with_word {
            for (kind, times) in self.times[page as usize].iter().enumerate() {
                holders[kind] += u64::from(*times > 0);
            }
        }
        let curves: [Curve; KINDS] = std::array::from_fn(|kind| {
            Curve::new(
                (term, &self.weights),
                kind,
                (totals.pages, holders[kind]),
                totals.page_words[kind],
            )
        });
        for page in self.with_word.drain(..) {
            let times = std::mem::take(&mut self.times[page as usize]);
            let sizes = snapshot.pages.sizes(page).words;
            let (mut best, mut sum) = (0.0_f32, 0.0);
            for kind in 0..KINDS {
                if times[kind] > 0 {
                    let score = curves[kind].score(times[kind], sizes[kind]);
                    best = best.max(score);
                    sum += score;
                }
            }
            let whole = &mut self.whole[page as usize];
            if *whole == 0.0 {
                self.pages.push(page);
            }
            *whole += best + self.weights.tie * (sum - best);
        }
    }

    /// Notes which pages have a word of the question, in whichever form, and how rare that makes it.
    fn cover(&mut self, term: &Term, totals: &Totals) {
        // Questions of more words are rare, and those behind say little.
        let bit = 1_u64 << term.asked.min(63);
        for &page in &self.with_word {
            self.covered[page as usize] |= bit;
            if self.times[page as usize][0] > 0 {
                self.titled[page as usize] |= bit;
            }
        }
        let (all, holders) = (totals.pages as f32, self.with_word.len() as f32);
        let rarity = (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln() * term.weight;
        let place = term.asked.min(63);
        if self.rarity.len() <= place {
            self.rarity.resize(place + 1, 0.0);
        }
        self.rarity[place] = self.rarity[place].max(rarity);
    }

    /// The share of the question, of which all words are worth `all` together, that these words of it are.
    fn share(&self, covered: u64, all: f32) -> f32 {
        let has = |place: &usize| covered & 1 << place != 0;
        let places = (0..self.rarity.len()).filter(has);
        let held: f32 = places.map(|place| self.rarity[place]).sum();
        match all > 0.0 {
            true => held / all,
            false => 1.0,
        }
    }

    /// The pages that share a word with the question and that `is_wanted`, in no order.
    pub fn best(&mut self, snapshot: &Snapshot, is_wanted: impl Fn(u32) -> bool) -> Vec<PageScore> {
        let mut best: Vec<PageScore> = Vec::with_capacity(self.pages.len());
        let mut place_of = std::mem::take(&mut self.with_word);
        place_of.resize(self.whole.len(), u32::MAX);
        for &page in &self.pages {
            if is_wanted(page) {
                place_of[page as usize] = best.len() as u32;
                let (whole, passage) = (self.whole[page as usize], self.shared[page as usize]);
                best.push(PageScore {
                    page,
                    whole,
                    passage,
                    ordinal: 0,
                    coverage: 1.0,
                    title: 0.0,
                });
            }
        }
        for one in &self.entries {
            if let Some(best) = best.get_mut(place_of[one.page as usize] as usize) {
                let score = self.own[one.entry as usize] + self.shared[one.page as usize];
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
            let share = self.share(self.covered[one.page as usize], all);
            one.coverage = self.weights.uncovered + (1.0 - self.weights.uncovered) * share;
            let titled = self.titled[one.page as usize];
            if titled != 0 {
                let length = snapshot.pages.sizes(one.page).words[0].max(1);
                let own = titled.count_ones() as f32 / length as f32;
                one.title = self.share(titled, all) * own.min(1.0).sqrt();
            }
        }
        best
    }

    /// What words of the question are worth together, with those that no page has, and what a passage may get for them.
    fn attainable(&self) -> (f32, f32) {
        let (words, unknown) = self.asked;
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
        let held = |covered: u64| of_question(self.share(covered, sum) * sum, all);
        place_of.resize(self.whole.len(), u32::MAX);
        let mut found: Vec<(Evidence, Vec<PassageScore>)> = Vec::with_capacity(pages.len());
        for (place, &page) in pages.iter().enumerate() {
            place_of[page as usize] = place as u32;
            let number = page as usize;
            let titled = self.titled[number];
            let length = snapshot.pages.sizes(page).words[0].max(1);
            let own = (titled.count_ones() as f32 / length as f32).min(1.0);
            let evidence = Evidence {
                words: of_question(self.shared[number], attainable),
                coverage: held(self.shared_covered[number]),
                title: held(titled) * own.sqrt(),
                near: None,
            };
            found.push((evidence, Vec::new()));
        }
        for one in &self.entries {
            let (page, entry) = (one.page as usize, one.entry as usize);
            if let Some((of_page, passages)) = found.get_mut(place_of[page] as usize) {
                let score = self.own[entry] + self.shared[page];
                let evidence = Evidence {
                    words: of_question(score, attainable),
                    coverage: held(self.own_covered[entry] | self.shared_covered[page]),
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
            self.whole[page as usize] = 0.0;
            self.shared[page as usize] = 0.0;
            self.covered[page as usize] = 0;
            self.titled[page as usize] = 0;
            self.shared_covered[page as usize] = 0;
        }
        self.rarity.clear();
        self.asked = (0, 0.0);
        for one in self.entries.drain(..) {
            self.own[one.entry as usize] = 0.0;
            self.own_covered[one.entry as usize] = 0;
        }
    }
}

/// Both lists in the order of entries; what stands in both once, with how often it stands in either.
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

/// What a word is worth by how often it stands in a text of some length.
struct Curve {
    /// For a word that stands there without end.
    most: f32,
    /// What holds it back, for an empty text.
    fixed: f32,
    /// And for each word of the text.
    by_word: f32,
}

impl Curve {
    /// For a word that `holders` of `all` texts have, which have `words` together.
    fn new(
        (term, weights): (&Term, &Weights),
        kind: usize,
        (all, holders): (u64, u64),
        words: u64,
    ) -> Self {
        let (all, holders) = (all as f32, holders as f32);
        let rarity = (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln();
        Self {
            most: term.weight * weights.kinds[kind] * rarity * (weights.k1 + 1.0),
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
        self.most * times / (times + self.fixed + self.by_word * length as f32)
    }
}
