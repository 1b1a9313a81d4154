//! Words that are written together, in languages that do so: `Zugriffsschlüssel` is found by `Schlüssel`, and the other
//! way round.
//!
//! The vocabulary of the site determines compounds: one word ends with another, and the part before
//! it is a word too, or the two are long enough that no other word ends so by chance. Nothing of it
//! is in the index: the first question in such a language sorts the words of each segment by their
//! endings, and these are kept as long as the segment.

use std::collections::{BTreeMap, BTreeSet};

use tantivy::InvertedIndexReader;

use crate::index::entries;
use crate::index::snapshot::Snapshot;
use crate::index::weights::Weights;
use crate::index::words::{Analyzer, Forms};

/// Minimum letters of a word within a compound, and of its stem.
const MIN_PART_LETTERS: (usize, usize) = (5, 4);
/// Minimum letters of the part before it.
const MIN_PREFIX_LETTERS: usize = 3;
/// Minimum letters of a stem, of the part before it, and of both together, for the part not to have
/// to be a word: no other word ends so by chance.
const TELLING: (usize, usize, usize) = (5, 4, 10);

/// The languages, and what joins the words.
const LANGUAGES: [(&str, &[&str]); 8] = [
    ("da", &["", "s", "e", "er"]),
    ("de", &["", "s", "n", "en", "es", "e", "er", "ns"]),
    ("fi", &["", "n"]),
    ("nb", &["", "s", "e"]),
    ("nl", &["", "s", "en", "e", "er", "n"]),
    ("nn", &["", "s", "e"]),
    ("no", &["", "s", "e"]),
    ("sv", &["", "s", "e", "o"]),
];

/// Finds words within compounds, such as `Haus` in `Haustür`, with the indexed words of a language.
pub(super) struct Compounds<'a> {
    snapshot: &'a Snapshot,
    language: &'a str,
    analyzer: &'a Analyzer,
    /// Linking letters between two words, such as the German `s`.
    joints: &'a [&'a str],
    weights: &'a Weights,
}

impl<'a> Compounds<'a> {
    /// Returns `None` if the language does not form compounds.
    pub(super) fn of(
        snapshot: &'a Snapshot,
        language: &'a str,
        analyzer: &'a Analyzer,
        weights: &'a Weights,
    ) -> Option<Self> {
        let (_, joints) = LANGUAGES.iter().find(|(code, _)| *code == language)?;
        Some(Self {
            snapshot,
            language,
            analyzer,
            joints,
            weights,
        })
    }

    /// Returns the stems to search for a word of a question, with their weights: compounds that end
    /// or begin with it, and, of a word that the site does not have, the words that it is made of.
    pub(super) fn stems(
        &self,
        word: &Forms,
        is_known: bool,
    ) -> std::io::Result<Vec<(String, f32)>> {
        if word.typed.chars().count() < MIN_PART_LETTERS.0
            || word.term.chars().count() < MIN_PART_LETTERS.1
        {
            return Ok(Vec::new());
        }
        let mut stems = Vec::new();
        let i = usize::from(!is_known);
        let ending = self.compounds(&word.term, true)?;
        stems.extend(
            ending
                .into_iter()
                .map(|stem| (stem, self.weights.compound_end[i])),
        );
        let beginning = self.compounds(&word.term, false)?;
        stems.extend(
            beginning
                .into_iter()
                .map(|stem| (stem, self.weights.compound_start[i])),
        );
        if !is_known {
            stems.extend(self.split(&word.typed)?);
        }
        Ok(stems)
    }

    /// The compounds that end with the stem `part`, or begin with it: the most frequent ones.
    fn compounds(&self, part: &str, is_end: bool) -> std::io::Result<Vec<String>> {
        let mut stems = BTreeSet::new();
        for segment in &self.snapshot.segments {
            match is_end {
                true => stems.extend(segment.endings()?.words(self.language, part)),
                false => self.add_beginning(part, &segment.words, &mut stems)?,
            }
        }
        let mut found: Vec<(usize, String)> = Vec::new();
        for stem in stems {
            let is_compound = match is_end {
                true => self.is_before(&stem[..stem.len() - part.len()], part)?,
                false => self.is_behind(&stem[part.len()..])?,
            };
            // The dictionary still has what was deleted.
            let count = match is_compound {
                true => self.count(&stem)?,
                false => 0,
            };
            if count > 0 {
                found.push((count, stem));
            }
        }
        found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        found.truncate(self.weights.max_compounds);
        Ok(found.into_iter().map(|(_, stem)| stem).collect())
    }

    /// Adds the words of a segment that begin with `part` and are longer.
    fn add_beginning(
        &self,
        part: &str,
        words: &InvertedIndexReader,
        stems: &mut BTreeSet<String>,
    ) -> std::io::Result<()> {
        let from = entries::key(self.language, part);
        let mut to = from.clone();
        to.push(0xff);
        let mut keys = words.terms().range().gt(&from).lt(&to).into_stream()?;
        while keys.advance() {
            if let Some(word) = word_of(keys.key(), self.language)
                && word.len() > part.len()
                && !stems.contains(word)
            {
                stems.insert(word.to_owned());
            }
        }
        Ok(())
    }

    /// Returns true if `text` can precede the stem `part` in a compound.
    fn is_before(&self, text: &str, part: &str) -> std::io::Result<bool> {
        let letters = text.chars().count();
        Ok(letters >= MIN_PREFIX_LETTERS
            && !self.analyzer.is_stop_word(text)
            && (is_telling(letters, part) || self.without_joint(text)?.is_some()))
    }

    /// Returns true if `text` can follow a word in a compound: a joint and a word.
    fn is_behind(&self, text: &str) -> std::io::Result<bool> {
        for joint in self.joints {
            let Some(rest) = text.strip_prefix(joint) else {
                continue;
            };
            if rest.chars().count() >= MIN_PART_LETTERS.1 && self.has(rest)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The stems of the two words that the word `typed` is made of, with what each is worth; only one if that is long enough
    /// to tell.
    fn split(&self, typed: &str) -> std::io::Result<Vec<(String, f32)>> {
        let (mut last_alone, mut first_alone) = (None, None);
        for (at, _) in typed.char_indices().skip(MIN_PREFIX_LETTERS) {
            let (before, last) = typed.split_at(at);
            if last.chars().count() < MIN_PART_LETTERS.1 {
                break;
            }
            if self.analyzer.is_stop_word(before) {
                continue;
            }
            let letters = before.chars().count();
            let first = self.without_joint(before)?;
            match (self.stem_of(last)?, first) {
                (Some(last), Some(first)) => {
                    return Ok(vec![
                        (last, self.weights.compound_split[0]),
                        (first, self.weights.compound_split[1]),
                    ]);
                }
                (Some(stem), None) if last_alone.is_none() && is_telling(letters, last) => {
                    last_alone = Some((stem, self.weights.compound_split[0]));
                }
                (None, Some(stem)) if is_telling(last.chars().count(), before) => {
                    first_alone = Some((stem, self.weights.compound_split[1]));
                }
                _ => {}
            }
        }
        Ok(last_alone.or(first_alone).into_iter().collect())
    }

    /// The stem of `text` without what joins it to the word behind, if the site has it.
    fn without_joint(&self, text: &str) -> std::io::Result<Option<String>> {
        for joint in self.joints {
            let Some(word) = text.strip_suffix(joint) else {
                continue;
            };
            if word.chars().count() >= MIN_PREFIX_LETTERS
                && let Some(stem) = self.stem_of(word)?
            {
                return Ok(Some(stem));
            }
        }
        Ok(None)
    }

    /// The stem of a word, if the site has it.
    fn stem_of(&self, word: &str) -> std::io::Result<Option<String>> {
        let stem = self.analyzer.forms(word).term;
        Ok(self.has(&stem)?.then_some(stem))
    }

    fn has(&self, stem: &str) -> std::io::Result<bool> {
        Ok(self.count(stem)? > 0)
    }

    fn count(&self, stem: &str) -> std::io::Result<usize> {
        let found = self.snapshot.find(entries::key(self.language, stem))?;
        Ok(found.count())
    }
}

/// Returns true if a `word` next to `others` further letters is long enough not to be a word by
/// chance.
fn is_telling(others: usize, word: &str) -> bool {
    let letters = word.chars().count();
    letters >= TELLING.0 && others >= TELLING.1 && letters + others >= TELLING.2
}

/// The word of a key, without its language and its part.
fn word_of<'a>(key: &'a [u8], language: &str) -> Option<&'a str> {
    let word = key.get(language.len() + 1..key.len().saturating_sub(2))?;
    std::str::from_utf8(word).ok()
}

/// The stems of a segment in the languages that have compounds, by their endings.
#[derive(Debug)]
pub(super) struct Endings(BTreeMap<&'static str, Vec<Box<[u8]>>>);

impl Endings {
    /// Sorts the words of a segment.
    pub(super) fn of(words: &InvertedIndexReader) -> std::io::Result<Self> {
        let mut endings = BTreeMap::new();
        for (language, _) in LANGUAGES {
            let from = entries::key(language, "");
            let mut to = from.clone();
            to.push(0xff);
            let mut keys = words.terms().range().ge(&from).lt(&to).into_stream()?;
            let mut backward: Vec<Box<[u8]>> = Vec::new();
            let mut before = String::new();
            while keys.advance() {
                // A word has a key for each part of a page that it stands in.
                let word = word_of(keys.key(), language).filter(|word| *word != before);
                if let Some(word) = word {
                    before.clear();
                    before.push_str(word);
                    backward.push(word.bytes().rev().collect());
                }
            }
            backward.sort_unstable();
            if !backward.is_empty() {
                endings.insert(language, backward);
            }
        }
        Ok(Self(endings))
    }

    /// The words of `language` that end with `part` and are longer.
    fn words(&self, language: &str, part: &str) -> Vec<String> {
        let Some(backward) = self.0.get(language) else {
            return Vec::new();
        };
        let ending: Vec<u8> = part.bytes().rev().collect();
        let first = backward.partition_point(|word| **word < ending[..]);
        let with = backward[first..].iter();
        let with = with.take_while(|word| word.starts_with(&ending));
        let longer = with.filter(|word| word.len() > ending.len());
        let forward = longer.map(|word| word.iter().rev().copied().collect());
        forward
            .filter_map(|word| String::from_utf8(word).ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_endings() {
        let words = [
            "schlussel",
            "zugriffsschlussel",
            "schlusselwort",
            "ussel",
            "ssel",
        ];
        let backward = words.iter().map(|word| word.bytes().rev().collect());
        let mut backward: Vec<Box<[u8]>> = backward.collect();
        backward.sort_unstable();
        let endings = Endings(BTreeMap::from([("de", backward)]));
        assert_eq!(endings.words("de", "schlussel"), ["zugriffsschlussel"]);
        assert_eq!(
            endings.words("de", "ussel"),
            ["schlussel", "zugriffsschlussel"]
        );
        assert!(endings.words("de", "wort").len() == 1 && endings.words("nl", "wort").is_empty());
    }

    #[test]
    fn a_word_is_cut_out_of_its_key() {
        let mut key = entries::key("de", "wort");
        key.extend([entries::SEPARATOR, 1]);
        assert_eq!(word_of(&key, "de"), Some("wort"));
        assert_eq!(word_of(b"de", "de"), None);
    }
}
