//! What words are worth on pages and in their passages, so that the browser only has to add.
//!
//! Fields count as in the service: title 2, headings 1, prose 3, code 1, address and names 1, each with a length of its own.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use queries::site::SearchDocument;

use crate::index::words::{Analyzer, primary};

/// How soon another occurrence of a word says nothing new (BM25).
const K1: f64 = 1.2;
/// How much the length of a field counts (BM25).
const B: f64 = 0.75;
/// How much the fields of a page count besides the best one.
const TIE: f64 = 0.5;
/// What title, headings, prose, code and address count.
const WEIGHTS: [f64; 5] = [2.0, 1.0, 3.0, 1.0, 1.0];

const TITLE: usize = 0;
const HEADINGS: usize = 1;
const BODY: usize = 2;
const CODE: usize = 3;
const PATH: usize = 4;

/// The words with one stem.
#[derive(Default)]
pub(super) struct Stem {
    /// Words as they are typed.
    pub(super) surfaces: BTreeSet<String>,
    /// The pages that have one of them, in order.
    pub(super) pages: Vec<OnPage>,
}

/// What a word is worth on a page.
pub(super) struct OnPage {
    /// The number of the page.
    pub(super) page: u32,
    /// What it is worth for the page as a whole.
    pub(super) worth: f32,
    /// What its standing in title and address is worth for every passage.
    pub(super) title: f32,
    /// The passages with the word, and what it is worth there.
    pub(super) sections: Vec<(u32, f32)>,
}

/// How often a word stands in the title, the headings, prose, code and address of a page, and in the headings, prose and
/// code of its passages; there the headings above count too.
#[derive(Default)]
struct Counts {
    page: [u32; 5],
    sections: Vec<(u32, [u32; 3])>,
}

/// How many words stand in the fields of each page and of its passages.
#[derive(Default)]
struct Lengths {
    pages: Vec<[u32; 5]>,
    sections: Vec<Vec<[u32; 3]>>,
}

/// The words of all `documents` by their stems, in the order in which they are met.
pub(super) fn gathered(documents: &[Arc<SearchDocument>]) -> Vec<Stem> {
    let mut analyzers: HashMap<String, Analyzer> = HashMap::new();
    let mut gathering = Gathering::default();
    for (page, document) in (0..).zip(documents) {
        let language = language(document);
        let analyzer =
            (analyzers.entry(language)).or_insert_with_key(|language| Analyzer::new(language));
        gathering.page(page, document, analyzer);
    }
    let weighing = Weighing::new(gathering.lengths);
    let stems = gathering.stems.into_iter();
    stems
        .map(|(mut stem, pages)| {
            stem.pages = weighing.worths(&pages);
            stem
        })
        .collect()
}

/// The code of the language of a page.
pub(super) fn language(document: &SearchDocument) -> String {
    primary(document.facets.language.as_deref().unwrap_or("en"))
}

#[derive(Default)]
struct Gathering {
    numbers: HashMap<String, usize>,
    stems: Vec<(Stem, Vec<(u32, Counts)>)>,
    lengths: Lengths,
}

impl Gathering {
    fn page(&mut self, page: u32, document: &SearchDocument, analyzer: &mut Analyzer) {
        self.lengths.pages.push([0; 5]);
        let passages = vec![[0; 3]; document.passages.len()];
        self.lengths.sections.push(passages);
        let mut own = |text: &str, field: usize| self.text(analyzer, text, page, field, None, true);
        own(&document.title, TITLE);
        own(&document.route.as_str().replace(['/', '-'], " "), PATH);
        for name in &document.names {
            own(name, PATH);
        }
        own(&document.description, BODY);
        for keyword in &document.keywords {
            own(keyword, BODY);
        }
        for (section, passage) in (0..).zip(&document.passages) {
            for (depth, heading) in passage.headings.iter().enumerate() {
                let is_own = depth + 1 == passage.headings.len();
                self.text(analyzer, heading, page, HEADINGS, Some(section), is_own);
            }
            self.text(analyzer, &passage.body, page, BODY, Some(section), true);
            self.text(analyzer, &passage.code, page, CODE, Some(section), true);
        }
    }

    /// Counts the words of `text` for the passage `section`, and for the page if they are its own.
    fn text(
        &mut self,
        analyzer: &mut Analyzer,
        text: &str,
        page: u32,
        field: usize,
        section: Option<u32>,
        is_own: bool,
    ) {
        let lengths = &mut self.lengths;
        analyzer.terms(text, |_, term, typed| {
            let number = match self.numbers.get(term) {
                Some(number) => *number,
                None => {
                    self.numbers.insert(term.to_owned(), self.stems.len());
                    self.stems.push(Default::default());
                    self.stems.len() - 1
                }
            };
            let (stem, pages) = &mut self.stems[number];
            if !stem.surfaces.contains(typed) {
                stem.surfaces.insert(typed.to_owned());
            }
            if pages.last().is_none_or(|(last, _)| *last != page) {
                pages.push((page, Counts::default()));
            }
            let Some((_, counts)) = pages.last_mut() else {
                return;
            };
            if is_own {
                counts.page[field] += 1;
                lengths.pages[page as usize][field] += 1;
            }
            if let Some(section) = section {
                if counts
                    .sections
                    .last()
                    .is_none_or(|(last, _)| *last != section)
                {
                    counts.sections.push((section, [0; 3]));
                }
                if let Some((_, counts)) = counts.sections.last_mut() {
                    counts[field - HEADINGS] += 1;
                }
                lengths.sections[page as usize][section as usize][field - HEADINGS] += 1;
            }
        });
    }
}

/// What all words are weighed by.
struct Weighing {
    lengths: Lengths,
    pages: f64,
    sections: f64,
    mean_of_pages: [f64; 5],
    mean_of_sections: [f64; 3],
    /// The mean lengths of title and address, over passages.
    mean_of_titles: [f64; 5],
}

impl Weighing {
    fn new(lengths: Lengths) -> Self {
        let pages = lengths.pages.len().max(1) as f64;
        let all = || lengths.sections.iter().flatten();
        let sections = all().count().max(1) as f64;
        let mean = |field: usize| {
            let each = lengths.pages.iter().map(|page| f64::from(page[field]));
            (each.sum::<f64>() / pages).max(1e-9)
        };
        let mean_of_section = |field: usize| {
            let each = all().map(|section| f64::from(section[field]));
            (each.sum::<f64>() / sections).max(1e-9)
        };
        let mean_of_title = |field: usize| {
            let each = lengths.pages.iter().zip(&lengths.sections);
            let each = each.map(|(page, sections)| f64::from(page[field]) * sections.len() as f64);
            (each.sum::<f64>() / sections).max(1e-9)
        };
        Self {
            pages,
            sections,
            mean_of_pages: std::array::from_fn(mean),
            mean_of_sections: std::array::from_fn(mean_of_section),
            mean_of_titles: std::array::from_fn(mean_of_title),
            lengths,
        }
    }

    /// What a word is worth where it stands.
    fn worths(&self, pages: &[(u32, Counts)]) -> Vec<OnPage> {
        let with = |field: usize| {
            pages
                .iter()
                .filter(move |(_, counts)| counts.page[field] > 0)
        };
        let of_pages: [f64; 5] =
            std::array::from_fn(|field| rarity(self.pages, with(field).count()));
        let of_titles: [f64; 5] = std::array::from_fn(|field| {
            let sections = with(field).map(|(page, _)| self.lengths.sections[*page as usize].len());
            rarity(self.sections, sections.sum())
        });
        let of_sections: [f64; 3] = std::array::from_fn(|field| {
            let all = pages.iter().flat_map(|(_, counts)| &counts.sections);
            let with = all.filter(|(_, counts)| counts[field] > 0);
            rarity(self.sections, with.count())
        });
        let each = pages.iter().map(|(page, counts)| {
            let lengths = &self.lengths.pages[*page as usize];
            let fields: [f64; 5] = std::array::from_fn(|field| {
                let mean = self.mean_of_pages[field];
                WEIGHTS[field] * of_pages[field] * often(counts.page[field], lengths[field], mean)
            });
            let best = fields.iter().copied().fold(0.0, f64::max);
            let sum: f64 = fields.iter().sum();
            let title = [TITLE, PATH].map(|field| {
                let mean = self.mean_of_titles[field];
                WEIGHTS[field] * of_titles[field] * often(counts.page[field], lengths[field], mean)
            });
            let sections = counts.sections.iter().map(|(section, counts)| {
                let lengths = &self.lengths.sections[*page as usize][*section as usize];
                let fields = (0..3).map(|field| {
                    let mean = self.mean_of_sections[field];
                    let often = often(counts[field], lengths[field], mean);
                    WEIGHTS[HEADINGS + field] * of_sections[field] * often
                });
                (*section, fields.sum::<f64>() as f32)
            });
            OnPage {
                page: *page,
                worth: (best + TIE * (sum - best)) as f32,
                title: title.iter().sum::<f64>() as f32,
                sections: sections.collect(),
            }
        });
        each.collect()
    }
}

/// How much a word tells that `with` of `all` have (BM25).
fn rarity(all: f64, with: usize) -> f64 {
    let with = with as f64;
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// What it is worth that a word stands `count` times in a field of this length (BM25).
fn often(count: u32, length: u32, mean: f64) -> f64 {
    let count = f64::from(count);
    count / (count + K1 * (1.0 - B + B * f64::from(length) / mean))
}
