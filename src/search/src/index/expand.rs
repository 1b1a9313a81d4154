//! Expands a question to words that the index has: as typed, in compounds, mistyped, unfinished, or
//! by another name.

use std::collections::HashMap;
use std::sync::OnceLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use tantivy_fst::Automaton;

use crate::index::codes;
use crate::index::compounds::Compounds;
use crate::index::corrections::{Correction, together};
use crate::index::entries::{self, Part, SEPARATOR};
use crate::index::snapshot::{Occurrences, Snapshot};
use crate::index::synonyms::Synonyms;
use crate::index::weights::Weights;
use crate::index::words::{Analyzer, Forms, QueryWord};

/// The least letters of a word that others are looked through for, and of one that stands in the middle of another.
const LEAST_HELD: usize = 6;
const LEAST_WITHIN: usize = 8;
/// Minimum number of bytes by which a word that contains another is longer.
const MORE_OF_HOLDER: usize = 3;

/// Maximum number of mistyped words that are corrected together, and of corrections of each that are compared, by the
/// number of slips.
const MAX_TOGETHER: usize = 8;
const MAX_CORRECTIONS: usize = 6;

/// A word of the index that a query matches, with its weight.
pub struct Term {
    /// The word.
    pub word: String,
    /// Weight; 1 for a word as it was typed.
    pub weight: f32,
    /// Index of the word of the question that it matches; for a synonym, that of the synonym.
    pub asked: usize,
    /// Its occurrences.
    pub found: Occurrences,
}

/// Expands `question`, whose words are `words`, to the indexed words of `language` that it matches.
/// `analyzer` is that of the language; `synonyms` are groups of words with the same meaning.
/// `weights` are those of the question.
///
/// # Errors
///
/// Returns what could not be read of the dictionary.
pub fn terms(
    snapshot: &Snapshot,
    (language, analyzer): (&str, &Analyzer),
    (question, words): (&str, &[QueryWord]),
    synonyms: &[Vec<String>],
    weights: &Weights,
) -> std::io::Result<Vec<Term>> {
    let mut expansion = Expansion::new(snapshot, language, analyzer, weights);
    expansion.words(question, words)?;
    if expansion.mistyped.len() > 1 {
        let corrected = expansion.corrected_together()?;
        if !corrected.is_empty() {
            // From the beginning: scores are added up in the order of the words.
            expansion = Expansion {
                corrected,
                ..Expansion::new(snapshot, language, analyzer, weights)
            };
            expansion.words(question, words)?;
        }
    }
    let place = |name: &QueryWord| words.iter().position(|word| word.whole == name.whole);
    let is_asked = |name: &QueryWord| place(name).is_some();
    for group in synonyms {
        let names: Vec<Vec<QueryWord>> = group.iter().map(|name| analyzer.question(name)).collect();
        let mut candidates = names.iter();
        let candidates = candidates.find(|name| !name.is_empty() && name.iter().all(is_asked));
        if let Some(name) = candidates {
            expansion.position = name.first().and_then(place).unwrap_or_default();
            for word in names.iter().flatten() {
                expansion.add_if_known(&word.whole, weights.other_name)?;
            }
        }
    }
    if let Some(of_field) = Synonyms::of(language) {
        let met: Vec<bool> = (0..words.len())
            .map(|asked| {
                expansion
                    .terms
                    .iter()
                    .any(|term| term.asked == asked && term.weight >= 1.0)
            })
            .collect();
        for (asked, name) in of_field.names(words) {
            expansion.position = asked;
            let weight = weights.name_of_field[usize::from(!met[asked])];
            expansion.add_if_known(name, weight)?;
        }
    }
    Ok(expansion.terms)
}

/// `words` of `question` with the codes that the pages have, each as a word behind them. Single characters of codes say
/// nothing by themselves: they are left out unless there is nothing else.
///
/// # Errors
///
/// As [`terms`].
pub fn with_codes(
    snapshot: &Snapshot,
    (language, analyzer): (&str, &Analyzer),
    question: &str,
    words: Vec<QueryWord>,
    weights: &Weights,
) -> std::io::Result<Vec<QueryWord>> {
    let within = analyzer.codes(question);
    if within.is_empty() {
        return Ok(words);
    }
    let expansion = Expansion::new(snapshot, language, analyzer, weights);
    let mut codes: Vec<QueryWord> = Vec::new();
    for code in within {
        let all = words.iter().chain(&codes);
        let mut terms = all.map(|word| &word.whole.term);
        if terms.any(|term| *term == code.whole.term) {
            continue;
        }
        let is_last = code.end == question.len();
        if expansion.has(&code.whole)? || is_last && !expansion.completions(&code)?.is_empty() {
            codes.push(code);
        }
    }
    let is_lone =
        |word: &QueryWord| word.code.is_some() && word.whole.typed.chars().nth(1).is_none();
    if codes.is_empty() && words.iter().all(is_lone) {
        return Ok(words);
    }
    let telling = words.into_iter().filter(|word| !is_lone(word));
    Ok(telling.chain(codes).collect())
}

struct Expansion<'a> {
    snapshot: &'a Snapshot,
    language: &'a str,
    analyzer: &'a Analyzer,
    weights: &'a Weights,
    terms: Vec<Term>,
    /// The place in the question of the word that is looked for.
    position: usize,
    /// Place of each word in `terms`: a word is searched once, with its highest weight.
    places: HashMap<String, usize>,
    /// The words that were corrected, as they are typed, in order.
    mistyped: Vec<String>,
    /// What such a word is corrected to, with its weight, where words are corrected together.
    corrected: HashMap<String, (String, f32)>,
}

impl<'a> Expansion<'a> {
    fn new(
        snapshot: &'a Snapshot,
        language: &'a str,
        analyzer: &'a Analyzer,
        weights: &'a Weights,
    ) -> Self {
        Self {
            snapshot,
            language,
            analyzer,
            weights,
            terms: Vec::new(),
            position: 0,
            places: HashMap::new(),
            mistyped: Vec::new(),
            corrected: HashMap::new(),
        }
    }

    /// Adds what `words` of `question` match.
    fn words(&mut self, question: &str, words: &[QueryWord]) -> std::io::Result<()> {
        let mut known_codes = Vec::new();
        for word in words.iter().filter(|word| word.code.is_some()) {
            let code = word.code.clone().unwrap_or_default();
            let whole = codes::spelled(question.get(code.clone()).unwrap_or(""));
            if !known_codes.contains(&code) && self.has(&self.analyzer.forms(&whole))? {
                known_codes.push(code);
            }
        }
        for (asked, word) in words.iter().enumerate() {
            self.position = asked;
            let code = word.code.as_ref();
            if code.is_some_and(|code| known_codes.contains(code)) {
                self.piece(word)?;
                continue;
            }
            self.word(word, word.end == question.len())?;
        }
        Ok(())
    }

    /// Adds what a code is made of that the site has as a whole.
    fn piece(&mut self, word: &QueryWord) -> std::io::Result<()> {
        if !self.add_if_known(&word.whole, self.weights.piece_of_code)? {
            for part in &word.parts {
                self.add_if_known(part, self.weights.piece_of_code)?;
            }
        }
        Ok(())
    }

    fn word(&mut self, word: &QueryWord, is_last: bool) -> std::io::Result<()> {
        let is_known = self.add_if_known(&word.whole, 1.0)?;
        let is_unfinished = is_last && self.unfinished(word, is_known)?;
        let is_in_compounds = word.parts.is_empty() && self.compounds(&word.whole, is_known)?;
        if is_known || is_in_compounds {
            return Ok(());
        }
        if word.parts.is_empty() {
            return self.unknown(&word.whole.typed, is_unfinished);
        }
        for part in &word.parts {
            if !self.add_if_known(part, 1.0)? {
                self.unknown(&part.typed, is_unfinished)?;
            }
        }
        Ok(())
    }

    /// Adds what may be meant by a word that the index does not have. One that may be the beginning of another may be
    /// typed right.
    fn unknown(&mut self, typed: &str, is_unfinished: bool) -> std::io::Result<()> {
        if !self.mistyped(typed)? {
            return self.holding(typed);
        }
        let is_new = !self.mistyped.iter().any(|known| known == typed);
        if is_new && !is_unfinished && self.mistyped.len() < MAX_TOGETHER {
            self.mistyped.push(typed.to_owned());
        }
        Ok(())
    }

    /// What mistyped words are corrected to whose corrections occur together, with their weights.
    fn corrected_together(&self) -> std::io::Result<HashMap<String, (String, f32)>> {
        let mut corrections = Vec::new();
        for typed in &self.mistyped {
            corrections.push(self.corrections(typed)?);
        }
        let chosen = self.mistyped.iter().zip(&corrections);
        let chosen = chosen.zip(together(&corrections));
        let chosen = chosen.filter_map(|((typed, corrections), place)| {
            let correction = &corrections[place?];
            let weight = self.weights.mistyped[usize::from(correction.slips) - 1];
            Some((typed.clone(), (correction.word.clone(), weight)))
        });
        Ok(chosen.collect())
    }

    /// The words that are few slips from `typed`, those of one stem once, those of fewer slips first, with where they
    /// stand.
    fn corrections(&self, typed: &str) -> std::io::Result<Vec<Correction>> {
        let mut corrections: Vec<Correction> = Vec::new();
        let mut nearer: HashMap<Vec<u8>, u64> = HashMap::new();
        for slips in 1..=most_slips(typed) {
            let alike = self.alike(typed, slips)?;
            let mut counts = alike.clone();
            counts.retain(|word, _| !nearer.contains_key(word));
            nearer = alike;
            for word in self.most_frequent(counts, MAX_CORRECTIONS)? {
                let forms = self.analyzer.forms(&word);
                for stem in [Some(forms.term), forms.plain].into_iter().flatten() {
                    let Occurrences(lists) =
                        self.snapshot.find(entries::key(self.language, &stem))?;
                    if lists.iter().all(Vec::is_empty) {
                        continue;
                    }
                    if corrections.iter().all(|known| known.stem != stem) {
                        let of_passages = lists[Part::Heading.kind()..].iter().flatten();
                        let mut sections: Vec<u32> = of_passages.map(|one| one.entry).collect();
                        let mut pages: Vec<u32> =
                            lists.iter().flatten().map(|one| one.page).collect();
                        for places in [&mut sections, &mut pages] {
                            places.sort_unstable();
                            places.dedup();
                        }
                        corrections.push(Correction {
                            word: word.clone(),
                            stem,
                            slips,
                            sections,
                            pages,
                        });
                    }
                    break;
                }
            }
        }
        Ok(corrections)
    }

    /// Returns true if the index has the word.
    fn has(&self, forms: &Forms) -> std::io::Result<bool> {
        for word in [Some(&forms.term), forms.plain.as_ref()]
            .into_iter()
            .flatten()
        {
            if self
                .snapshot
                .find(entries::key(self.language, word))?
                .count()
                > 0
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a word if the index has it; returns whether it does.
    fn add_if_known(&mut self, forms: &Forms, weight: f32) -> std::io::Result<bool> {
        for word in [Some(&forms.term), forms.plain.as_ref()]
            .into_iter()
            .flatten()
        {
            if self.stem(word, weight)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a stem if the index has it; returns whether it does.
    fn stem(&mut self, stem: &str, weight: f32) -> std::io::Result<bool> {
        if let Some(&place) = self.places.get(stem) {
            let before = &mut self.terms[place].weight;
            *before = before.max(weight);
            return Ok(true);
        }
        let found = self.snapshot.find(entries::key(self.language, stem))?;
        if found.count() == 0 {
            return Ok(false);
        }
        self.places.insert(stem.to_owned(), self.terms.len());
        self.terms.push(Term {
            word: stem.to_owned(),
            weight,
            asked: self.position,
            found,
        });
        Ok(true)
    }

    /// Adds compounds of a word, and what it is itself made of; returns whether there are any.
    fn compounds(&mut self, word: &Forms, is_known: bool) -> std::io::Result<bool> {
        let compounds = Compounds::of(self.snapshot, self.language, self.analyzer, self.weights);
        let Some(compounds) = compounds else {
            return Ok(false);
        };
        let stems = compounds.stems(word, is_known)?;
        for (stem, weight) in &stems {
            self.stem(stem, *weight)?;
        }
        Ok(!stems.is_empty())
    }

    /// Adds words that hold one that the index does not have: compounds of any language, whichever the page is in. In the
    /// middle of a word it must be longer, as few letters stand anywhere by chance.
    fn holding(&mut self, word: &str) -> std::io::Result<()> {
        let letters = word.chars().count();
        if !(LEAST_HELD..=64).contains(&letters) || !word.chars().all(char::is_alphabetic) {
            return Ok(());
        }
        let from = entries::typed_key(self.language, "");
        let mut to = from.clone();
        to.push(0xff);
        let finder = memchr::memmem::Finder::new(word);
        let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
        for segment in &self.snapshot.segments {
            let words = segment.words.terms();
            let mut keys = words.range().ge(&from).lt(&to).into_stream()?;
            while keys.advance() {
                let key = keys.key();
                let other = &key[from.len()..key.len().saturating_sub(2).max(from.len())];
                if other.len() < word.len() + MORE_OF_HOLDER || finder.find(other).is_none() {
                    continue;
                }
                let is_border =
                    other.starts_with(word.as_bytes()) || other.ends_with(word.as_bytes());
                if is_border || letters >= LEAST_WITHIN {
                    *counts.entry(self.word_of(key)).or_default() +=
                        u64::from(keys.value().doc_freq);
                }
            }
        }
        for word in self.most_frequent(counts, self.weights.max_holding)? {
            self.typed(&word, self.weights.holding)?;
        }
        Ok(())
    }

    /// Adds words that are few slips from `word`; returns whether there are any.
    fn mistyped(&mut self, word: &str) -> std::io::Result<bool> {
        if let Some((word, weight)) = self.corrected.get(word).cloned() {
            self.typed(&word, weight)?;
            return Ok(true);
        }
        for distance in 1..=most_slips(word) {
            let counts = self.alike(word, distance)?;
            let typed = self.most_frequent(counts, self.weights.max_mistyped)?;
            for word in &typed {
                self.typed(word, self.weights.mistyped[usize::from(distance) - 1])?;
            }
            if !typed.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The words that are at most `distance` slips from `word`, each with its count in the dictionary, which still has
    /// what was deleted.
    fn alike(&self, word: &str, distance: u8) -> std::io::Result<HashMap<Vec<u8>, u64>> {
        let alike = Alike::new(self.language, word, distance);
        let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
        for segment in &self.snapshot.segments {
            let mut keys = segment.words.terms().search(&alike).into_stream()?;
            while keys.advance() {
                *counts.entry(self.word_of(keys.key())).or_default() +=
                    u64::from(keys.value().doc_freq);
            }
        }
        Ok(counts)
    }

    /// Adds completions of an unfinished word; returns whether there are any.
    fn unfinished(&mut self, word: &QueryWord, is_known: bool) -> std::io::Result<bool> {
        let weight = self.weights.unfinished[usize::from(!is_known)];
        let completions = self.completions(word)?;
        for word in &completions {
            self.typed(word, weight)?;
        }
        Ok(!completions.is_empty())
    }

    /// Returns possible completions of an unfinished word.
    fn completions(&self, word: &QueryWord) -> std::io::Result<Vec<String>> {
        let is_enough = word.whole.typed.chars().count() >= 3 || !word.whole.typed.is_ascii();
        if !is_enough {
            return Ok(Vec::new());
        }
        let from = entries::typed_key(self.language, &word.whole.typed);
        let mut to = from.clone();
        to.push(0xff);
        let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
        for segment in &self.snapshot.segments {
            let mut keys = segment
                .words
                .terms()
                .range()
                .ge(&from)
                .lt(&to)
                .into_stream()?;
            while keys.advance() {
                *counts.entry(self.word_of(keys.key())).or_default() +=
                    u64::from(keys.value().doc_freq);
            }
        }
        counts.remove(word.whole.typed.as_bytes());
        self.most_frequent(counts, self.weights.max_unfinished)
    }

    /// Adds a word that is typed like this somewhere.
    fn typed(&mut self, word: &str, weight: f32) -> std::io::Result<()> {
        let forms = self.analyzer.forms(word);
        self.add_if_known(&forms, weight)?;
        Ok(())
    }

    fn word_of(&self, key: &[u8]) -> Vec<u8> {
        key[self.language.len() + 1..key.len() - 2].to_vec()
    }

    /// Returns the most frequent words of `counts`, at most `limit`; the first in the alphabet
    /// among equals.
    ///
    /// The counts are those of the dictionary, which still has what was deleted: no word stands in more places than it
    /// says, so as soon as enough stand in more than it says of the next, the rest need not be looked at.
    fn most_frequent(
        &self,
        counts: HashMap<Vec<u8>, u64>,
        limit: usize,
    ) -> std::io::Result<Vec<String>> {
        let mut candidates: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
        candidates.sort_unstable_by(|(a, many), (b, more)| more.cmp(many).then_with(|| a.cmp(b)));
        let mut best: Vec<(u64, String)> = Vec::new();
        for (word, at_most) in candidates {
            let Ok(word) = String::from_utf8(word) else {
                continue;
            };
            if best.len() == limit
                && let Some((count, last)) = best.last()
                && (at_most < *count || at_most == *count && word > *last)
            {
                break;
            }
            let count = self
                .snapshot
                .find(entries::typed_key(self.language, &word))?
                .count() as u64;
            if count > 0 {
                let place = best.partition_point(|(other, name)| {
                    *other > count || *other == count && *name < word
                });
                best.insert(place, (count, word));
                best.truncate(limit);
            }
        }
        Ok(best.into_iter().map(|(_, word)| word).collect())
    }
}

/// Maximum number of slips in `word` that are corrected.
fn most_slips(word: &str) -> u8 {
    match word.chars().count() {
        0..4 => 0,
        4..8 => 1,
        8..=64 => 2,
        // What is longer was not typed by hand.
        _ => 0,
    }
}

/// Finds the keys of words that are a few letters from another, in any part of a page. Two letters that changed places
/// are one difference.
struct Alike {
    before: Vec<u8>,
    letters: DFA,
    distance: u8,
}

/// Progress within a key.
#[derive(Clone, Copy)]
enum Reading {
    /// That many bytes of the language.
    Language(usize),
    /// Letters, up to this state.
    Word(u32),
    /// A word that is alike, and its separator.
    Separator,
    /// All of it.
    Part,
    /// Something else.
    Other,
}

impl Alike {
    fn new(language: &str, word: &str, distance: u8) -> Self {
        // Building these tables takes milliseconds, and they depend on nothing.
        static BUILDERS: [OnceLock<LevenshteinAutomatonBuilder>; 2] =
            [OnceLock::new(), OnceLock::new()];
        let builder = BUILDERS[usize::from(distance) - 1]
            .get_or_init(|| LevenshteinAutomatonBuilder::new(distance, true));
        Self {
            before: entries::typed_key(language, ""),
            letters: builder.build_dfa(word),
            distance,
        }
    }
}

impl Automaton for &Alike {
    type State = Reading;

    fn start(&self) -> Reading {
        Reading::Language(0)
    }

    fn is_match(&self, state: &Reading) -> bool {
        matches!(state, Reading::Part)
    }

    fn can_match(&self, state: &Reading) -> bool {
        !matches!(state, Reading::Other)
    }

    fn accept(&self, state: &Reading, byte: u8) -> Reading {
        match *state {
            Reading::Language(read) if self.before.get(read) != Some(&byte) => Reading::Other,
            Reading::Language(read) if read + 1 < self.before.len() => Reading::Language(read + 1),
            Reading::Language(_) => Reading::Word(self.letters.initial_state()),
            Reading::Word(letters) if byte == SEPARATOR => match self.letters.distance(letters) {
                Distance::Exact(distance) if distance <= self.distance => Reading::Separator,
                _ => Reading::Other,
            },
            Reading::Word(letters) => match self.letters.transition(letters, byte) {
                SINK_STATE => Reading::Other,
                next => Reading::Word(next),
            },
            Reading::Separator => Reading::Part,
            Reading::Part | Reading::Other => Reading::Other,
        }
    }
}
