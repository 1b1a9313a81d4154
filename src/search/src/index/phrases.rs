//! Words in quotes: they must be next to each other, in this order.
//!
//! The index stores no positions of words within a text. It finds the passages with all words of a
//! phrase; the texts stored for excerpts show whether they are adjacent. That is work for each
//! passage, so the best pages are looked at first, and no more than `MAX_READ` passages for a
//! question: what ranks behind those is not found. Words are compared as they are typed, without
//! case, accents and signs between them; identifiers by their parts, so `"rate limit"` is found in
//! `rate_limit`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::index::entries;
use crate::index::pages::Page;
use crate::index::snapshot::Snapshot;
use crate::index::words::{Analyzer, QueryWord};

/// Maximum number of passages read to answer a question.
const MAX_READ: usize = 1000;
/// Maximum number of phrases of a question; further ones are treated as words.
const MAX_PHRASES: usize = 16;
/// Number of passages per page that are searched for the phrases.
const PASSAGES_PER_PAGE: usize = 3;

/// Texts in quotes in `query`, with their ranges. An unclosed quote is ignored.
pub fn quoted(query: &str) -> Vec<Range<usize>> {
    let mut quoted = Vec::new();
    let mut open = None;
    for (at, sign) in query.match_indices(['"', '“', '”', '„']) {
        match open.take() {
            None => open = Some(at + sign.len()),
            Some(start) => quoted.push(start..at),
        }
    }
    quoted
}

/// The phrases of a question in one language, and the passages that have all words of one.
pub struct Phrases {
    /// Each as the words that must be consecutive.
    phrases: Vec<Vec<String>>,
    /// The words that they are looked up by.
    pub words: Vec<QueryWord>,
    /// Passages that have all words of a phrase, by number of page, with the phrases as bits.
    passages: HashMap<u32, BTreeMap<u16, u32>>,
    /// Phrases whose words are all in the title of a page, as bits, by number of page.
    titles: HashMap<u32, u32>,
}

impl Phrases {
    /// The phrases of `query`; `None` if it has none with a word to look up.
    ///
    /// # Errors
    ///
    /// Returns what could not be read of the store of words.
    pub fn of(
        query: &str,
        snapshot: &Snapshot,
        (language, analyzer): (&str, &Analyzer),
    ) -> std::io::Result<Option<Self>> {
        let mut phrases = Self {
            phrases: Vec::new(),
            words: Vec::new(),
            passages: HashMap::new(),
            titles: HashMap::new(),
        };
        for bytes in quoted(query) {
            let text = &query[bytes];
            let sequence: Vec<String> = sequence(analyzer, text)
                .into_iter()
                .map(|(_, word)| word)
                .collect();
            let words = analyzer.smallest_words(text);
            if words.is_empty() || phrases.phrases.len() == MAX_PHRASES {
                continue;
            }
            let mut having: Option<Having> = None;
            for word in &words {
                let next = Having::all(snapshot, language, word)?;
                having = Some(match having {
                    Some(having) => having.and(&next),
                    None => next,
                });
            }
            let having = having.unwrap_or_default();
            let bit = 1 << phrases.phrases.len();
            for entry in having.entries {
                let of_page = phrases.passages.entry(snapshot.page_of(entry)).or_default();
                *of_page.entry(snapshot.ordinal(entry)).or_default() |= bit;
            }
            for page in having.titles {
                *phrases.titles.entry(page).or_default() |= bit;
            }
            phrases.phrases.push(sequence);
            phrases.words.extend(words);
        }
        Ok((!phrases.phrases.is_empty()).then_some(phrases))
    }

    /// The passages of `page` that hold phrases, those with most first; none of a page that has them in its title. `None`
    /// if the page does not have all of them, or nothing may be read any more.
    pub fn matching_passages(
        &self,
        page: &Page,
        snapshot: &Snapshot,
        analyzer: &Analyzer,
        reading: &mut Reading,
    ) -> Option<Vec<u16>> {
        let record = &page.record;
        let all = (1_u32 << self.phrases.len()) - 1;
        let none = BTreeMap::new();
        let passages = self.passages.get(&record.number).unwrap_or(&none);
        let in_title = self.titles.get(&record.number).copied().unwrap_or(0);
        if passages.values().fold(in_title, |bits, of| bits | of) != all {
            return None;
        }
        let mut found = match in_title {
            0 => 0,
            _ => self.in_text(analyzer, &record.title),
        };
        let mut matches: Vec<(u32, u16)> = Vec::new();
        for (&ordinal, &bits) in passages {
            if found == all && matches.len() >= PASSAGES_PER_PAGE {
                break;
            }
            reading.entries_left = reading.entries_left.checked_sub(1)?;
            let shown = snapshot
                .shown_content(record.number, ordinal)
                .unwrap_or_default();
            let mut texts: Vec<&str> = shown.headings.iter().map(String::as_str).collect();
            texts.extend([&shown.body[..], &shown.code]);
            if ordinal == 0 {
                texts.push(&record.description);
            }
            let here = texts
                .iter()
                .fold(0, |bits, text| bits | self.in_text(analyzer, text));
            let here = here & bits;
            found |= here;
            if here != 0 {
                matches.push((here.count_ones(), ordinal));
            }
        }
        matches.sort_by_key(|&(count, ordinal)| (std::cmp::Reverse(count), ordinal));
        (found == all).then(|| matches.into_iter().map(|(_, ordinal)| ordinal).collect())
    }

    /// Returns the phrases that occur in `text`, as bits.
    fn in_text(&self, analyzer: &Analyzer, text: &str) -> u32 {
        let mut bits = 0;
        self.each_in(analyzer, text, |i, _| bits |= 1 << i);
        bits
    }

    /// Returns true if a phrase has `term`.
    pub fn have(&self, term: &str) -> bool {
        let mut forms = self.words.iter().map(|word| &word.whole);
        forms.any(|forms| forms.term == term || forms.plain.as_deref() == Some(term))
    }

    /// Returns the phrases that occur in `text`, with their places.
    pub fn places(&self, analyzer: &Analyzer, text: &str) -> Vec<(usize, Range<usize>)> {
        let mut places = Vec::new();
        self.each_in(analyzer, text, |i, bytes| places.push((i, bytes)));
        places
    }

    fn each_in(&self, analyzer: &Analyzer, text: &str, mut each: impl FnMut(usize, Range<usize>)) {
        let words = sequence(analyzer, text);
        for (i, phrase) in self.phrases.iter().enumerate() {
            for stretch in words.windows(phrase.len()) {
                if stretch.iter().map(|(_, word)| word).eq(phrase) {
                    each(i, stretch[0].0.start..stretch[phrase.len() - 1].0.end);
                }
            }
        }
    }
}

/// Remaining budget of passages to read for a question.
pub struct Reading {
    entries_left: usize,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            entries_left: MAX_READ,
        }
    }
}

/// The smallest words of `text` in order, and where they are.
fn sequence(analyzer: &Analyzer, text: &str) -> Vec<(Range<usize>, String)> {
    let mut words = Vec::new();
    analyzer.each_smallest(text, |bytes, word| words.push((bytes, word)));
    words
}

/// Occurrences of a word.
#[derive(Default)]
struct Having {
    /// The entries with it in their headings, prose or code.
    entries: BTreeSet<u32>,
    /// The pages with it in their titles.
    titles: BTreeSet<u32>,
}

impl Having {
    fn all(snapshot: &Snapshot, language: &str, word: &QueryWord) -> std::io::Result<Self> {
        let mut having = Self::default();
        let forms = [Some(&word.whole.term), word.whole.plain.as_ref()];
        for term in forms.into_iter().flatten() {
            let found = snapshot.find(entries::key(language, term))?;
            having.titles.extend(found.0[0].iter().map(|one| one.page));
            let rest = found.0[3..].iter().flatten();
            having.entries.extend(rest.map(|one| one.entry));
        }
        Ok(having)
    }

    fn and(self, other: &Self) -> Self {
        Self {
            entries: &self.entries & &other.entries,
            titles: &self.titles & &other.titles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &[&str]) {
        let quoted: Vec<&str> = quoted(query)
            .into_iter()
            .map(|bytes| &query[bytes])
            .collect();
        assert_eq!(quoted, expected);
    }

    #[test]
    fn quotes_come_in_pairs() {
        check("rate limit", &[]);
        check(
            "a \"rate limit\" of \"one hour\"",
            &["rate limit", "one hour"],
        );
        check("“rate limit” „and“ so", &["rate limit", "and"]);
        check("\"\"", &[""]);
    }

    #[test]
    fn a_quote_that_is_not_closed_is_none() {
        check("\"rate limit", &[]);
        check("\"rate limit\" \"one ho", &["rate limit"]);
        check("5\" screen", &[]);
    }
}
