//! Posting lists of all pages: they are joined from the bytes of each page.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use quire_search::index::entries::PageWords;
use quire_search::index::pages::Totals;
use quire_search::index::synonyms::{NamedWord, Synonyms};
use quire_search::index::words::{Analyzer, Forms, folded};

use super::lists::{List, number, push_slice, read_number, read_slice};
use super::part::{Brief, Part, Words};

/// The language whose stems the script makes itself (`theme/js/seldom.js`).
const STEMMED: &str = "en";

/// Letters that are no others with accents, and that questions have wherever they are put: readers spell names.
const COMMON_LETTERS: &str = "ßæðøþđıłœ";

/// The words of one language.
pub(super) struct Language {
    /// Code.
    pub(super) code: String,
    /// The figures of all its pages.
    pub(super) totals: Totals,
    /// Searchable words, in the order of UTF-16 units.
    pub(super) vocabulary: Vec<TypedWord>,
    /// Posting lists, by number.
    pub(super) lists: Vec<List>,
    /// Groups of names that mean the same in the field.
    pub(super) names: Vec<Vec<Vec<NamedWord>>>,
}

/// A word as it is typed, or with accents.
pub(super) struct TypedWord {
    /// The word.
    pub(super) word: String,
    /// Number of pages that have it as typed; 0 for a word with accents, or of another language,
    /// which is only looked up as typed.
    pub(super) pages: u32,
    /// The number of its list.
    pub(super) list: usize,
}

/// The words of all pages so far, by language.
#[derive(Default)]
pub(super) struct GatheredWords(BTreeMap<String, Gathering>);

/// The words of one language while they are gathered.
#[derive(Default)]
struct Gathering {
    totals: Totals,
    /// The numbers of words.
    numbers: FxHashMap<Box<str>, u32>,
    /// Number of pages with a word as typed, by number.
    typed: Vec<u32>,
    /// Posting lists by number; empty for words that are only typed.
    lists: Vec<List>,
    /// Words with accents that are looked up by something else than without, and what.
    accents: BTreeMap<String, String>,
    /// [`Part::letters`] of all pages.
    letters: BTreeSet<char>,
}

/// The words of one language in consecutive pages, numbered from 0.
#[derive(Serialize, Deserialize)]
pub(super) struct JoinedWords {
    /// Record of each word: length, bytes, number of pages that have it as typed, number of pages
    /// that have it as indexed. If the latter is not 0: number of the last page plus 1, length of
    /// the posting list, posting list.
    #[serde(with = "serde_bytes")]
    words: Vec<u8>,
    /// [`Gathering::accents`].
    accents: BTreeMap<String, String>,
    /// [`Gathering::letters`].
    letters: BTreeSet<char>,
}

impl GatheredWords {
    /// Adds the words of the page with this number, which is higher than those before.
    pub(super) fn add(&mut self, page: usize, part: &Part) {
        let language = part.brief.language.clone();
        let gathering = self.0.entry(language).or_default();
        gathering.add(page, Words(&part.words));
        for (word, term) in &part.accents {
            gathering.note_accent(word, term);
        }
        gathering.letters.extend(&part.letters);
    }

    /// Adds the words of a run of pages, of which the first has the number `base`, which is higher than those before.
    pub(super) fn join(&mut self, base: usize, languages: &BTreeMap<String, JoinedWords>) {
        for (language, joined) in languages {
            let gathering = self.0.entry(language.clone()).or_default();
            gathering.join(base, &joined.words);
            for (word, term) in &joined.accents {
                gathering.note_accent(word, term);
            }
            gathering.letters.extend(&joined.letters);
        }
    }

    /// Adds a page to the figures of its language.
    pub(super) fn count(&mut self, page: &Brief) {
        if let Some(gathering) = self.0.get_mut(&page.language) {
            gathering.totals.add(&page.counted);
        }
    }

    /// The words of each language as they are kept.
    pub(super) fn merge(self) -> BTreeMap<String, JoinedWords> {
        let languages = self.0.into_iter();
        let joined = languages.map(|(language, gathering)| (language, gathering.merge()));
        joined.collect()
    }

    /// The letters of all pages that are no others with accents, and what they are looked up as.
    pub(super) fn letters(&self) -> BTreeMap<char, String> {
        let letters = self.0.values().flat_map(|gathering| &gathering.letters);
        let all = COMMON_LETTERS.chars().chain(letters.copied());
        all.map(|letter| (letter, folded(letter.encode_utf8(&mut [0; 4]))))
            .collect()
    }

    /// The words of each language, that of most pages first.
    pub(super) fn finished(self) -> Vec<Language> {
        let all = self.0;
        let analyzers = all.keys().map(|code| Analyzer::new(code));
        let analyzers: Vec<Analyzer> = analyzers.collect();
        let of_others = words_of_others(&all, &analyzers);
        let mut languages: Vec<Language> = (all.into_iter().zip(analyzers).zip(of_others))
            .map(|(((code, gathering), analyzer), of_others)| {
                gathering.finished(code, &analyzer, of_others)
            })
            .collect();
        languages.sort_by_key(|language| std::cmp::Reverse(language.totals.pages));
        languages
    }
}

/// For each language, the words of others whose stem in it its pages have, with that stem: a query
/// is put to every language, and the script has the stemmer of English alone.
fn words_of_others(
    languages: &BTreeMap<String, Gathering>,
    analyzers: &[Analyzer],
) -> Vec<Vec<(String, String)>> {
    let of_language = |((code, own), analyzer): ((&String, &Gathering), &Analyzer)| {
        let mut found = BTreeMap::new();
        if code == STEMMED {
            return Vec::new();
        }
        let others = languages.iter().filter(|(other, _)| *other != code);
        for (word, _) in others.flat_map(|(_, other)| other.typed_words()) {
            if own.is_typed(word) || found.contains_key(word) {
                continue;
            }
            let forms = analyzer.forms(word);
            let stems = [Some(forms.term), forms.plain].into_iter().flatten();
            let mut known = stems.filter(|stem| own.list_of(stem).is_some());
            if let Some(stem) = known.next() {
                found.insert(word.to_owned(), stem);
            }
        }
        found.into_iter().collect()
    };
    languages.iter().zip(analyzers).map(of_language).collect()
}

/// A word decoded from [`JoinedWords::words`].
struct JoinedWord<'a> {
    word: &'a str,
    typed: usize,
    /// [`List::parts`].
    list: (usize, usize, &'a [u8]),
}

impl<'a> JoinedWord<'a> {
    fn read(words: &mut &'a [u8]) -> Option<Self> {
        let word = std::str::from_utf8(read_slice(words)?).ok()?;
        let (typed, pages) = (read_number(words)?, read_number(words)?);
        let list = match pages {
            0 => (0, 0, &[][..]),
            pages => (pages, read_number(words)?, read_slice(words)?),
        };
        Some(Self { word, typed, list })
    }
}

impl Gathering {
    fn number_of(&mut self, word: &str) -> usize {
        if let Some(number) = self.numbers.get(word) {
            return *number as usize;
        }
        let number = self.lists.len();
        self.numbers.insert(word.into(), number as u32);
        self.lists.push(List::default());
        self.typed.push(0);
        number
    }

    fn note_accent(&mut self, word: &str, term: &str) {
        if !self.accents.contains_key(word) {
            self.accents.insert(word.to_owned(), term.to_owned());
        }
    }

    /// Adds words as [`JoinedWords::words`] has them; what cannot be read ends them.
    fn join(&mut self, base: usize, mut words: &[u8]) {
        while let Some(known) = JoinedWord::read(&mut words) {
            let number = self.number_of(known.word);
            self.typed[number] += known.typed as u32;
            self.lists[number].join(base, known.list);
        }
    }

    fn merge(self) -> JoinedWords {
        let mut numbered: Vec<(&str, u32)> = (self.numbers.iter())
            .map(|(word, number)| (&**word, *number))
            .collect();
        numbered.sort_unstable_by_key(|(_, number)| *number);
        let mut words = Vec::new();
        for (word, at) in numbered {
            let at = at as usize;
            let (pages, next, bytes) = self.lists[at].parts();
            push_slice(&mut words, word.as_bytes());
            number(&mut words, self.typed[at] as usize);
            number(&mut words, pages);
            if pages > 0 {
                number(&mut words, next);
                push_slice(&mut words, bytes);
            }
        }
        JoinedWords {
            words,
            accents: self.accents,
            letters: self.letters,
        }
    }

    fn add(&mut self, page: usize, words: Words<'_>) {
        for word in words {
            let number = self.number_of(word.word);
            self.typed[number] += u32::from(word.is_typed);
            if word.bits != 0 {
                self.lists[number].push(page, word.bits, word.tail);
            }
        }
    }

    /// The number of a word that is looked up.
    fn list_of(&self, word: &str) -> Option<usize> {
        let number = *self.numbers.get(word)? as usize;
        (!self.lists[number].is_empty()).then_some(number)
    }

    fn is_typed(&self, word: &str) -> bool {
        let number = self.numbers.get(word);
        number.is_some_and(|number| self.typed[*number as usize] > 0)
    }

    /// The words that are typed, in any order, and on how many pages each.
    fn typed_words(&self) -> impl Iterator<Item = (&str, u32)> {
        let words = self.numbers.iter();
        let words = words.map(|(word, number)| (&**word, self.typed[*number as usize]));
        words.filter(|(_, pages)| *pages > 0)
    }

    /// The number of the list of a word that is typed: of its stem, or that of the word without accents, which is what the service
    /// looks for.
    fn list_of_typed(&self, word: &str, number: usize, analyzer: &Analyzer) -> Option<usize> {
        if self.typed[number] == 0 {
            return None;
        }
        let forms = analyzer.forms(word);
        let list = match forms.term == word {
            true => (!self.lists[number].is_empty()).then_some(number),
            false => self.list_of(&forms.term),
        };
        list.or_else(|| self.list_of(forms.plain.as_ref()?))
    }

    fn finished(
        self,
        code: String,
        analyzer: &Analyzer,
        of_others: Vec<(String, String)>,
    ) -> Language {
        let accents = self.accents.iter();
        let accents = accents.filter(|(word, _)| !self.is_typed(word));
        let accents = accents.filter_map(|(word, term)| Some((&**word, 0, self.list_of(term)?)));
        let typed = self.numbers.iter().filter_map(|(word, number)| {
            let list = self.list_of_typed(word, *number as usize, analyzer)?;
            Some((&**word, self.typed[*number as usize], list))
        });
        let of_others = of_others.iter();
        let of_others = of_others.filter(|(word, _)| !self.accents.contains_key(word));
        let of_others =
            of_others.filter_map(|(word, stem)| Some((&**word, 0, self.list_of(stem)?)));
        let mut words: Vec<(&str, u32, usize)> = accents.chain(typed).chain(of_others).collect();
        // No word is there twice.
        words.sort_unstable_by(|(a, ..), (b, ..)| compare(a, b));
        // Numbers in the order of the words: the words that one may become stand in one piece.
        let mut numbers: Vec<Option<usize>> = vec![None; self.lists.len()];
        let mut count = 0;
        let vocabulary = words.into_iter().map(|(word, pages, list)| TypedWord {
            word: word.to_owned(),
            pages,
            list: *numbers[list].get_or_insert_with(|| {
                count += 1;
                count - 1
            }),
        });
        let vocabulary = vocabulary.collect();
        let names = Synonyms::of(&code).map_or_else(Vec::new, |names| {
            names.with_words(&|form: &Forms| numbers[self.list_of(&form.term)?])
        });
        let mut lists: Vec<List> = Vec::new();
        lists.resize_with(count, List::default);
        for (list, number) in self.lists.into_iter().zip(numbers) {
            if let Some(number) = number {
                lists[number] = list;
            }
        }
        Language {
            code,
            totals: self.totals,
            vocabulary,
            lists,
            names,
        }
    }
}

/// The order of UTF-16 units: that of bytes, but for surrogates, which stand before the last characters of one unit.
fn compare(a: &str, b: &str) -> Ordering {
    let of_bytes = a.cmp(b);
    let is_high = |word: &str| word.bytes().any(|byte| byte >= 0xee);
    if of_bytes == Ordering::Equal || !is_high(a) || !is_high(b) {
        return of_bytes;
    }
    a.encode_utf16().cmp(b.encode_utf16())
}

/// The sizes of a page, as they stand in a piece (`lists.rs`).
pub(super) fn push_sizes(out: &mut Vec<u8>, counted: &PageWords) {
    for size in &counted.sizes[..4] {
        number(out, *size as usize);
    }
    number(out, counted.passages.len());
    for size in counted.passages.iter().flat_map(|passage| passage.kept().0) {
        number(out, size as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_the_order_of_utf_16() {
        let words = [
            "",
            "a",
            "ab",
            "b",
            "é",
            "éa",
            "日",
            "\u{d7ff}",
            "\u{e000}",
            "\u{ee00}",
            "\u{ffef}",
            "\u{ffff}",
            "\u{10000}",
            "\u{1f600}",
            "\u{1f600}a",
            "\u{1f601}",
            "\u{10ffff}",
            "a\u{ffef}",
            "a\u{1f600}",
            "a\u{1f601}",
        ];
        for a in words {
            for b in words {
                let expected = a.encode_utf16().cmp(b.encode_utf16());
                assert_eq!(compare(a, b), expected, "{a:?} {b:?}");
            }
        }
    }
}
