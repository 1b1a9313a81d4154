//! Search data of one page in an export, as flat arrays: made on the thread that reads the page, so
//! that only bytes are joined for all pages together.
//!
//! The words are those of the index of the service (`index/entries.rs`), so the browser adds up the same figures.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use queries::base::content::ContentHash;
use queries::site::{ArtifactStore, PROGRAM, PageKind, SearchDocument};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::SHELL;
use crate::addresses::Addresses;
use quire_search::index::entries::{self, PageWords, Part as Place, copy_of, operation_of};
use quire_search::index::words::{Analyzer, is_folded_by_name, lower, primary};

use super::lists::{number, push_slice, read_slice};

/// The language of a page that names none.
const LANGUAGE: &str = "en";

/// The most characters of a passage that excerpts are taken from.
const EXCERPT: usize = 1200;

/// Capacity of the word cache of a thread; it is cleared when full.
const CACHE_CAPACITY: usize = 64 * 1024;

/// Search entries of one page.
#[derive(Serialize, Deserialize)]
pub struct Part {
    /// Everything but words and texts.
    pub(super) brief: Brief,
    /// [`Words`] of it.
    #[serde(with = "serde_bytes")]
    pub(super) words: Vec<u8>,
    /// Words with accents that are looked up by something else than without, and what.
    pub(super) accents: Vec<(String, String)>,
    /// Letters that are no others with accents, and are looked up as others.
    pub(super) letters: BTreeSet<char>,
    /// Source of excerpts, as JSON.
    pub(super) texts: String,
    /// Text that [`Part::texts`] omits of each passage, up to the last non-empty one.
    pub(super) rest: Vec<String>,
}

/// Search data of one page besides its words and texts.
#[derive(Serialize, Deserialize)]
pub(super) struct Brief {
    /// The code of its language.
    pub(super) language: String,
    /// Word counts.
    pub(super) counted: PageWords,
    /// Data shown at once, as JSON.
    pub(super) head: String,
    /// The method and the path of the operation that it is about.
    pub(super) operation: Option<(String, String)>,
    /// Key shared with its copies in other versions.
    pub(super) copy: Option<u64>,
    /// Kind of page.
    pub(super) kind: PageKind,
    /// The label of its tab.
    pub(super) tab: Option<String>,
    /// The label of its version.
    pub(super) version: Option<String>,
    /// The code of its language, as the site writes it.
    pub(super) named_language: Option<String>,
    /// Boost in thousandths, if it is not 1000.
    pub(super) boost: Option<i64>,
    /// Whether it is of another version than the site shows first.
    pub(super) is_old: bool,
}

/// Data of a page that is shown at once, without the number of its copies, which comes last.
#[derive(Serialize)]
struct Head<'a> {
    title: &'a str,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// Destination, for a page without text of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    leads: Option<&'a str>,
}

/// Source of excerpts of a page.
#[derive(Serialize)]
struct Texts<'a> {
    description: &'a str,
    /// The id of the heading of each passage, the heading, and the text.
    sections: Vec<(&'a str, &'a str, &'a str)>,
}

/// Makes parts on any number of threads: each has words of its own that it remembers.
#[derive(Default)]
pub struct Parts(Mutex<Vec<Reader>>);

/// Caches of one thread, by language.
#[derive(Default)]
struct Reader(FxHashMap<String, OfLanguage>);

struct OfLanguage {
    analyzer: Analyzer,
    /// The numbers of words.
    numbers: FxHashMap<Box<str>, u32>,
    words: Vec<Box<str>>,
    /// Occurrences of words on the current page, in any order: see [`occurrence`].
    occurrences: Vec<u64>,
    /// Words with accents, and what they are looked up by if that is something else than without.
    accents: FxHashMap<String, Option<String>>,
    /// Letters, and whether they are in [`Part::letters`].
    letters: FxHashMap<char, bool>,
}

/// The code of the language of a page.
pub(super) fn language(document: &SearchDocument) -> String {
    primary(document.facets.language.as_deref().unwrap_or(LANGUAGE))
}

impl Parts {
    /// The part of one page.
    ///
    /// # Errors
    ///
    /// Returns what could not be written as JSON.
    pub fn part(
        &self,
        document: &SearchDocument,
        addresses: &Addresses<'_>,
    ) -> serde_json::Result<Part> {
        let idle = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reader = idle().pop().unwrap_or_default();
        let part = reader.part(document, addresses);
        idle().push(reader);
        part
    }
}

impl Parts {
    /// The part of one page, whose [`search_source`] is `source`: found in `store`, or made of its document.
    ///
    /// # Errors
    ///
    /// As [`Parts::part`].
    ///
    /// [`search_source`]: queries::site::search_source
    pub fn load_or_build(
        &self,
        store: Option<&dyn ArtifactStore>,
        source: ContentHash,
        document: impl FnOnce() -> Option<Arc<SearchDocument>>,
        addresses: &Addresses<'_>,
    ) -> Option<serde_json::Result<Part>> {
        let make = || {
            let document = document()?;
            Some(self.part(&document, addresses))
        };
        let Some(store) = store else { return make() };
        let key = ContentHash::of_parts([
            b"search part",
            PROGRAM.as_bytes(),
            SHELL.as_bytes(),
            source.as_bytes(),
            &addresses.key(),
        ]);
        let known = store.get(key);
        if let Some(known) = known.and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
            return Some(Ok(known));
        }
        let part = make()?;
        if let Ok(part) = &part
            && let Ok(bytes) = postcard::to_allocvec(part)
        {
            store.put(key, bytes, None);
        }
        Some(part)
    }
}

impl Reader {
    fn part(
        &mut self,
        document: &SearchDocument,
        addresses: &Addresses<'_>,
    ) -> serde_json::Result<Part> {
        let language = language(document);
        let of_language = match self.0.get_mut(&language) {
            Some(known) => known,
            None => (self.0.entry(language.clone())).or_insert(OfLanguage::new(&language)),
        };
        let (counted, words) = of_language.words(document);
        let (accents, letters) = of_language.accents(document);
        let operation = operation_of(document);
        let head = Head {
            title: &document.title,
            url: addresses.page(&document.route),
            method: operation.as_ref().map(|(method, _)| &method[..]),
            path: operation.as_ref().map(|(_, path)| &path[..]),
            leads: document.leads_to.as_deref(),
        };
        let facets = &document.facets;
        Ok(Part {
            words,
            accents,
            letters,
            texts: serde_json::to_string(&texts_of(document))?,
            rest: omitted_texts(document),
            brief: Brief {
                language,
                counted,
                head: serde_json::to_string(&head)?,
                operation,
                copy: copy_of(document),
                kind: document.kind,
                tab: facets.tab.clone(),
                version: facets.version.clone(),
                named_language: facets.language.clone(),
                boost: (document.boost != 1000).then_some(document.boost),
                is_old: facets.is_old,
            },
        })
    }
}

/// Kinds of occurrences, in the order of [`Words`].
const TYPED: u32 = 0;
const PASSAGES: u32 = 4;

/// An occurrence of a word as a number: those of a word stand together when they are sorted, in the order in which they
/// are written. `ordinal` and `slot` are of those in passages.
fn occurrence(word: u32, kind: u32, ordinal: usize, slot: u32) -> u64 {
    u64::from(word) << 32 | u64::from(kind) << 18 | (ordinal as u64) << 2 | u64::from(slot)
}

/// Position of a word among the words of a title or heading, and their number, in one number, so
/// that a list alone tells whether a query is a title. 0: in none.
fn place(at: usize, of: usize) -> usize {
    1 + of * (of - 1) / 2 + at
}

impl OfLanguage {
    fn new(code: &str) -> Self {
        Self {
            analyzer: Analyzer::new(code),
            numbers: FxHashMap::default(),
            words: Vec::new(),
            occurrences: Vec::new(),
            accents: FxHashMap::default(),
            letters: FxHashMap::default(),
        }
    }

    /// Word counts of the page, and its [`Words`].
    fn words(&mut self, document: &SearchDocument) -> (PageWords, Vec<u8>) {
        if self.words.len() > CACHE_CAPACITY {
            self.numbers.clear();
            self.words.clear();
        }
        let Self {
            analyzer,
            numbers,
            words,
            occurrences: found,
            ..
        } = self;
        let mut number_of = |word: &str| match numbers.get(word) {
            Some(number) => *number,
            None => {
                let number = words.len() as u32;
                words.push(word.into());
                numbers.insert(word.into(), number);
                number
            }
        };
        found.clear();
        let counted = entries::words(document, analyzer, |ordinal, part, term, typed| {
            let number = number_of(term);
            let (kind, ordinal, slot) = match part {
                Place::Title => (1, 0, 0),
                Place::Path => (2, 0, 0),
                Place::Names => (3, 0, 0),
                Place::Heading | Place::Typed => (PASSAGES, ordinal, 0),
                Place::Above => (PASSAGES, ordinal, 1),
                Place::Body => (PASSAGES, ordinal, 2),
                Place::Code => (PASSAGES, ordinal, 3),
            };
            found.push(occurrence(number, kind, ordinal, slot));
            let typed = match term == typed {
                true => number,
                false => number_of(typed),
            };
            found.push(occurrence(typed, TYPED, 0, 0));
        });
        let mut question = |text: &str| -> Vec<(u32, usize)> {
            let words = analyzer.question_of_page(text);
            let count = words.len();
            let words = words.into_iter().enumerate();
            words
                .map(|(at, word)| (number_of(&word.whole.term), place(at, count)))
                .collect()
        };
        let title = question(&document.title);
        let headings = document.passages.iter().map(|passage| {
            let own = passage.headings.last();
            own.map(|heading| question(heading)).unwrap_or_default()
        });
        let headings: Vec<Vec<(u32, usize)>> = headings.collect();
        found.sort_unstable();
        let mut out = Vec::with_capacity(found.len() * 4);
        let mut tail = Vec::new();
        for of_word in found.chunk_by(|a, b| a >> 32 == b >> 32) {
            let word = (of_word[0] >> 32) as u32;
            let place_in = |places: &[(u32, usize)]| {
                let found = places.iter().find(|(known, _)| *known == word);
                found.map_or(0, |(_, place)| *place)
            };
            let mut bits = 0;
            tail.clear();
            let (of_page, of_passages) =
                of_word.split_at(of_word.partition_point(|one| kind_of(*one) < PASSAGES));
            let mut is_typed = false;
            for same in of_page.chunk_by(|a, b| a == b) {
                let kind = kind_of(same[0]);
                if kind == TYPED {
                    is_typed = true;
                    continue;
                }
                bits |= 1 << (kind - 1);
                number(&mut tail, same.len());
                if kind == 1 {
                    number(&mut tail, place_in(&title));
                }
            }
            if !of_passages.is_empty() {
                bits |= 1 << 3;
                let passages = of_passages.chunk_by(|a, b| ordinal_of(*a) == ordinal_of(*b));
                number(&mut tail, passages.clone().count());
                let mut next = 0;
                for in_passage in passages {
                    let ordinal = ordinal_of(in_passage[0]);
                    let mut times = [0; 4];
                    for one in in_passage {
                        times[(one & 3) as usize] += 1;
                    }
                    let of_heading = headings.get(ordinal).map_or(0, |places| place_in(places));
                    push_passage(&mut tail, ordinal - next, times, of_heading);
                    next = ordinal + 1;
                }
            }
            let word = &self.words[word as usize];
            push_slice(&mut out, word.as_bytes());
            out.push(bits << 1 | u8::from(is_typed));
            if bits != 0 {
                push_slice(&mut out, &tail);
            }
        }
        out.shrink_to_fit();
        (counted, out)
    }

    /// The words with accents that are looked up by more than their letters, and [`Part::letters`].
    fn accents(&mut self, document: &SearchDocument) -> (Vec<(String, String)>, BTreeSet<char>) {
        let passages = document.passages.iter().flat_map(|passage| {
            let headings = passage.headings.iter().map(String::as_str);
            headings.chain([&passage.body[..], &passage.code])
        });
        let own = [&document.title[..], &document.description];
        let keywords = document.keywords.iter().map(String::as_str);
        if self.accents.len() > CACHE_CAPACITY {
            self.accents.clear();
        }
        let mut accented = BTreeSet::new();
        for text in own.into_iter().chain(keywords).chain(passages) {
            if text.is_ascii() {
                continue;
            }
            self.analyzer.terms(text, |bytes, _, _| {
                if !text[bytes.clone()].is_ascii() {
                    accented.insert(lower(&text[bytes]));
                }
            });
        }
        let mut letters = BTreeSet::new();
        for letter in accented.iter().flat_map(|word| word.chars()) {
            let known = self.letters.entry(letter);
            if *known.or_insert_with(|| is_folded_by_name(letter)) {
                letters.insert(letter);
            }
        }
        let accented = accented.into_iter().filter_map(|word| {
            let term = match self.accents.get(&word) {
                Some(known) => known.clone(),
                None => {
                    let forms = self.analyzer.forms(&word);
                    let plain = self.analyzer.forms(&forms.typed);
                    let is_other = forms.plain.is_some() && plain.term != forms.term;
                    let term = is_other.then_some(forms.term);
                    self.accents.insert(word.clone(), term.clone());
                    term
                }
            };
            Some((word, term?))
        });
        (accented.collect(), letters)
    }
}

fn kind_of(occurrence: u64) -> u32 {
    (occurrence >> 18 & 7) as u32
}

fn ordinal_of(occurrence: u64) -> usize {
    (occurrence >> 2 & 0xffff) as usize
}

/// A word in a passage, as it stands in a list (`lists.rs`).
fn push_passage(out: &mut Vec<u8>, distance: usize, times: [usize; 4], place: usize) {
    let is_more = times.iter().any(|times| *times > 1);
    let mut bits = usize::from(is_more) << 4;
    for (bit, times) in times.iter().enumerate() {
        bits |= usize::from(*times > 0) << bit;
    }
    number(out, distance << 5 | bits);
    if is_more {
        for times in times.iter().filter(|times| **times > 0) {
            number(out, *times);
        }
    }
    if times[0] > 0 {
        number(out, place);
    }
}

/// The words of one page, as [`Part::words`] has them: of each its length and itself; whether it is typed there (1) and the
/// four bits of a list; if one of those is set the length of what follows in the list, and that.
pub(super) struct Words<'a>(pub(super) &'a [u8]);

/// A word of a page.
pub(super) struct Word<'a> {
    /// Word as it is looked up, or as it is typed.
    pub(super) word: &'a str,
    /// Whether it is typed there.
    pub(super) is_typed: bool,
    /// Kinds of its occurrences.
    pub(super) bits: u8,
    /// Rest of its list.
    pub(super) tail: &'a [u8],
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let word = read_slice(&mut self.0)?;
        let (flags, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(Word {
            word: std::str::from_utf8(word).ok()?,
            is_typed: flags & 1 == 1,
            bits: flags >> 1,
            tail: match flags >> 1 {
                0 => &[],
                _ => read_slice(&mut self.0)?,
            },
        })
    }
}

fn texts_of(document: &SearchDocument) -> Texts<'_> {
    let sections = document.passages.iter().map(|passage| {
        let text = match passage.body.trim() {
            "" => passage.code.trim(),
            body => body,
        };
        let end = text.char_indices().nth(EXCERPT);
        (
            passage.anchor.as_deref().unwrap_or_default(),
            passage.headings.last().map_or("", String::as_str),
            &text[..end.map_or(text.len(), |(at, _)| at)],
        )
    });
    Texts {
        description: &document.description,
        sections: sections.collect(),
    }
}

/// Text that [`texts_of`] omits of each passage, up to the last non-empty one. Only quoted phrases
/// are searched for in it.
fn omitted_texts(document: &SearchDocument) -> Vec<String> {
    let rest = document.passages.iter().map(|passage| {
        let (body, code) = (passage.body.trim(), passage.code.trim());
        let is_cut = |text: &str| text.chars().nth(EXCERPT).is_some();
        match body {
            "" if is_cut(code) => code.to_owned(),
            "" => String::new(),
            // What is cut is there as a whole: words may stand on both sides of the cut.
            body if is_cut(body) => format!("{body}\n{code}").trim().to_owned(),
            _ => code.to_owned(),
        }
    });
    let mut rest: Vec<String> = rest.collect();
    while rest.last().is_some_and(String::is_empty) {
        rest.pop();
    }
    rest
}
