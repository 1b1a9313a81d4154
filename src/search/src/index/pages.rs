//! All pages of an index: their properties, the numbers of their words, and their vectors.
//!
//! The figures that a score rests on are stored here, exactly, because the store of words counts
//! deleted entries until it merges: a score must not depend on the history of the index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use queries::base::path::Route;
use queries::site::{PageKind, Product};

use crate::index::chunks::Chunks;
use crate::index::entries::{KINDS, PageRecord, PageWords, digest_of_words};
use crate::index::vectors::{Embedding, Vectors};

/// The figures of all pages of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of pages.
    pub pages: u64,
    /// Number of passages.
    pub passages: u64,
    /// Number of words in pages, by kind.
    pub page_words: [u64; KINDS],
    /// Number of words in passages, by kind: each passage has the title, address and names of its
    /// page too.
    pub passage_words: [u64; KINDS],
}

impl Totals {
    /// Adds a page.
    pub fn add(&mut self, page: &PageWords) {
        let counted = (page.sizes, page.headings_of_passages);
        self.change(counted, page.passages.len() as u32, |total, by| {
            *total += by;
        });
    }

    fn change(
        &mut self,
        (sizes, headings_of_passages): ([u32; KINDS], u32),
        entries: u32,
        by: impl Fn(&mut u64, u64),
    ) {
        let entries = u64::from(entries);
        by(&mut self.pages, 1);
        by(&mut self.passages, entries);
        for (kind, size) in sizes.map(u64::from).into_iter().enumerate() {
            by(&mut self.page_words[kind], size);
            let of_passages = match kind {
                0..3 => size * entries,
                3 => u64::from(headings_of_passages),
                _ => size,
            };
            by(&mut self.passage_words[kind], of_passages);
        }
    }
}

/// The words of a page, and those of its headings together with those above.
fn word_counts(page: &PageRecord) -> ([u32; KINDS], u32) {
    (page.sizes, page.headings_of_passages)
}

/// Sizes that scoring needs of a page, contiguous with those of other pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageSizes {
    /// Number of words, by kind.
    pub words: [u32; KINDS],
    /// Number of entries.
    pub entries: u32,
}

/// Filter that rules out most pages as the target of a name, without reading them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names {
    /// Digest of the words of its title.
    title: u64,
    /// Two bits for the words of each heading.
    headings: u128,
    /// Whether it is about an operation.
    pub is_operation: bool,
    /// Purpose.
    pub kind: PageKind,
    /// Whether it is of another version than the site shows first.
    pub is_old: bool,
}

impl Names {
    pub(super) fn of(record: &PageRecord) -> Self {
        let headings = record.heading_words.iter().copied().map(bits);
        Self {
            title: digest_of_words(&record.title_words),
            headings: headings.fold(0, |all, one| all | one),
            is_operation: record.operation.is_some(),
            kind: record.kind,
            is_old: record.is_old,
        }
    }

    /// Returns true if its title is, or one of its headings may be (Bloom filter), the text with
    /// the digest `words`.
    pub fn may_be(&self, words: u64) -> bool {
        self.title == words || self.headings & bits(words) == bits(words)
    }
}

/// Returns the bits that a heading sets in the Bloom filter.
fn bits(words: u64) -> u128 {
    1 << (words & 127) | 1 << (words >> 7 & 127)
}

/// A page and where its vectors are: a list for each passage.
#[derive(Debug)]
pub struct Page {
    /// Properties.
    pub record: Arc<PageRecord>,
    /// The slots of its vectors, by passage.
    pub slots: Vec<Vec<u32>>,
    /// The slots of its vectors of another model, by passage; `None` of those that lack them (`others.rs`).
    pub others: Vec<Option<Vec<u32>>>,
    /// The sum of the seals of its entries.
    pub seal: u128,
    /// Whether one of those is that of its vectors.
    pub is_embedded: bool,
}

/// All pages. A copy is cheap and shares what does not change.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    by_number: Chunks<Option<Arc<Page>>>,
    sizes: Chunks<PageSizes>,
    names: Chunks<Names>,
    /// The figures of each language that has a page.
    pub totals: BTreeMap<String, Totals>,
    /// The vectors of all passages.
    pub vectors: Vectors,
    /// The pages whose vectors follow: meanings are compared when all pages have theirs.
    pub without_vectors: BTreeSet<u32>,
    /// Vectors of another model, of the passages that have them.
    pub others: Vectors,
    /// Number of pages compared by the other model.
    pub complete: usize,
    /// Number of pages by factor of their author (`PageRecord::boost`).
    boosts: BTreeMap<i64, usize>,
    /// Number of pages by version.
    by_version: BTreeMap<String, usize>,
    /// Number of pages by product and language.
    by_product: BTreeMap<(Product, String), usize>,
    /// Sum of the seals of all entries: identifies this set of pages.
    pub seal: u128,
    free: Vec<u32>,
    /// Numbers of pages that were removed since [`Pages::settle`].
    freed: Vec<u32>,
    count: usize,
    passages: usize,
}

impl Pages {
    /// The page with this number.
    pub fn get(&self, number: u32) -> Option<&Arc<Page>> {
        self.by_number.get(number as usize)?.as_ref()
    }

    /// The sizes of the page with this number.
    pub fn sizes(&self, number: u32) -> PageSizes {
        self.sizes.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns the names of the page with this number.
    pub fn names(&self, number: u32) -> Names {
        self.names.get(number as usize).copied().unwrap_or_default()
    }

    /// The pages about operations, in the order of their numbers.
    pub fn operations(&self) -> impl Iterator<Item = &Arc<Page>> {
        let numbers = self.names.iter().enumerate();
        let numbers = numbers.filter(|(_, names)| names.is_operation);
        numbers.filter_map(|(number, _)| self.get(number as u32))
    }

    /// All pages, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Page>> {
        self.by_number.iter().flatten()
    }

    /// One more than the highest number of a page.
    pub fn numbers(&self) -> usize {
        self.by_number.count()
    }

    /// Returns the number of pages.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The least and the greatest factor that an author gave a page.
    pub fn boosts(&self) -> Option<(i64, i64)> {
        let (least, _) = self.boosts.first_key_value()?;
        let (most, _) = self.boosts.last_key_value()?;
        Some((*least, *most))
    }

    /// Returns the number of versions of the site.
    pub fn versions(&self) -> usize {
        self.by_version.len()
    }

    /// Returns the labels of its versions.
    pub fn version_labels(&self) -> impl Iterator<Item = &str> {
        self.by_version.keys().map(String::as_str)
    }

    /// Returns its products, each with the language of pages that it has.
    pub fn products(&self) -> impl Iterator<Item = &(Product, String)> {
        self.by_product.keys()
    }

    /// Returns the number of their passages.
    pub fn passages(&self) -> usize {
        self.passages
    }

    /// A number that no page has.
    pub fn free_number(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.by_number.push(None);
            self.sizes.push(PageSizes::default());
            self.names.push(Names::default());
            (self.by_number.count() - 1) as u32
        })
    }

    /// Adds a page with the vectors of its passages, if an entry has them.
    pub fn insert(&mut self, record: PageRecord, vectors: Option<&[Vec<Embedding>]>, seal: u128) {
        let number = record.number;
        while self.by_number.count() <= number as usize {
            self.by_number.push(None);
            self.sizes.push(PageSizes::default());
            self.names.push(Names::default());
        }
        let totals = self.totals.entry(record.language.clone()).or_default();
        totals.change(word_counts(&record), record.entries(), |total, by| {
            *total += by;
        });
        self.count += 1;
        *self.boosts.entry(record.boost).or_default() += 1;
        if let Some(version) = &record.version {
            *self.by_version.entry(version.clone()).or_default() += 1;
        }
        if let Some(product) = &record.product {
            let product = (product.clone(), record.language.clone());
            *self.by_product.entry(product).or_default() += 1;
        }
        self.passages += record.passages.len();
        let slots = self.place(number, vectors.unwrap_or_default());
        let sizes = PageSizes {
            words: record.sizes,
            entries: record.entries(),
        };
        self.sizes.set(number as usize, sizes);
        self.names.set(number as usize, Names::of(&record));
        self.by_number.set(
            number as usize,
            Some(Arc::new(Page {
                record: Arc::new(record),
                slots,
                others: Vec::new(),
                seal,
                is_embedded: vectors.is_some(),
            })),
        );
        self.seal = self.seal.wrapping_add(seal);
    }

    /// Adds the vectors of a page; returns their slots, by passage.
    fn place(&mut self, number: u32, vectors: &[Vec<Embedding>]) -> Vec<Vec<u32>> {
        let slots = vectors.iter().map(|of_passage| {
            let slots = of_passage.iter();
            let slots = slots.map(|vector| self.vectors.insert(number, vector));
            slots.collect()
        });
        slots.collect()
    }

    /// Gives the page with this number, which has none, its vectors, which an entry with this seal has.
    pub fn embed(&mut self, number: u32, vectors: &[Vec<Embedding>], seal: u128) {
        let Some(page) = self.get(number).cloned() else {
            return;
        };
        let next = Page {
            record: page.record.clone(),
            slots: self.place(number, vectors),
            others: page.others.clone(),
            seal: page.seal.wrapping_add(seal),
            is_embedded: true,
        };
        self.seal = self.seal.wrapping_add(seal);
        self.without_vectors.remove(&number);
        self.replace(number, next);
    }

    /// Takes a page away. The slots of its vectors are free again, its number is after [`Pages::settle`].
    pub fn remove(&mut self, number: u32) {
        let Some(page) = self.get(number).cloned() else {
            return;
        };
        let language = &page.record.language;
        if let Some(totals) = self.totals.get_mut(language) {
            let record = &page.record;
            totals.change(word_counts(record), record.entries(), |total, by| {
                *total -= by;
            });
            if totals.pages == 0 {
                self.totals.remove(language);
            }
        }
        self.seal = self.seal.wrapping_sub(page.seal);
        self.count -= 1;
        if let Some(count) = self.boosts.get_mut(&page.record.boost) {
            *count -= 1;
            if *count == 0 {
                self.boosts.remove(&page.record.boost);
            }
        }
        if let Some(version) = &page.record.version
            && let Some(count) = self.by_version.get_mut(version)
        {
            *count -= 1;
            if *count == 0 {
                self.by_version.remove(version);
            }
        }
        if let Some(product) = &page.record.product {
            let product = (product.clone(), page.record.language.clone());
            if let Some(count) = self.by_product.get_mut(&product) {
                *count -= 1;
                if *count == 0 {
                    self.by_product.remove(&product);
                }
            }
        }
        self.passages -= page.record.passages.len();
        for &slot in page.slots.iter().flatten() {
            self.vectors.remove(slot);
        }
        for &slot in page.others.iter().flatten().flatten() {
            self.others.remove(slot);
        }
        self.complete -= usize::from(page.is_complete());
        self.without_vectors.remove(&number);
        self.by_number.set(number as usize, None);
        self.freed.push(number);
    }

    /// Makes the numbers of pages that were removed free to be given. Not before what deletes their entries is written: it
    /// would delete those of the next page of that number, too.
    pub fn settle(&mut self) {
        self.free.append(&mut self.freed);
    }

    /// Puts `page` in the place of the one with this number, whose words it has.
    pub fn replace(&mut self, number: u32, page: Page) {
        self.by_number.set(number as usize, Some(Arc::new(page)));
    }

    /// The number of each page.
    pub fn numbers_by_route(&self) -> BTreeMap<Route, u32> {
        self.iter()
            .map(|page| (page.record.route.clone(), page.record.number))
            .collect()
    }

    /// Makes the numbers that no page has free to be given, after all pages were read from a store.
    pub fn find_free_numbers(&mut self) {
        let numbers = self.by_number.iter().enumerate();
        self.freed.clear();
        self.free = numbers
            .filter(|(_, page)| page.is_none())
            .map(|(number, _)| number as u32)
            .collect();
    }
}
