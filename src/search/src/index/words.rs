//! Text as words that can be looked up: cut, lower-cased, stemmed; identifiers also by their parts.
//!
//! Pages and questions go through the same cut, so what a reader types meets what an author wrote.
//! Languages without blanks between words are cut into pairs of characters that overlap. Characters
//! that look other and mean the same are one (NFKC): `ＡＰＩ` is `api`, `ｶﾞｲﾄﾞ` is `ガイド`. Nothing here
//! depends on where words are stored.

use std::collections::HashSet;
use std::ops::Range;

use frostem::Stemmer;
use icu_normalizer::{
    ComposingNormalizer, ComposingNormalizerBorrowed, DecomposingNormalizer,
    DecomposingNormalizerBorrowed,
};
use rustc_hash::FxHashMap;
use tantivy::tokenizer::{AsciiFoldingFilter, RawTokenizer, TextAnalyzer};

use crate::index::arabic;
use crate::index::codes::{self, Codes};
use crate::index::stop_words::{stop_words, without_asking};

/// The longest run of letters that is a word, in characters: longer runs are data, which nobody
/// types.
const MAX_WORD: usize = 64;

/// The longest identifier, in bytes: longer than a word, as it is made of words.
const MAX_IDENTIFIER: usize = 256;

/// Composes characters, and makes one of those that mean the same.
const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();

/// Takes characters apart.
const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfd();

/// Capacity of the cache of analyzed words: above the vocabulary of most sites, and small enough that
/// words of pages long deleted do not accumulate.
const CACHE_CAPACITY: usize = 16 * 1024;

/// The words of one language.
pub struct Analyzer {
    /// `None`: a language without a stemmer; its words stay as they are.
    stemmer: Option<Stemmer>,
    stop_words: &'static HashSet<&'static str>,
    /// Forms of words already analyzed: stemming is slow, and few words make up most of a text.
    cache: FxHashMap<String, Forms>,
}

/// Forms by which a word is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forms {
    /// Word as typed: in lower case, without accents and without the characters that join an
    /// identifier.
    pub typed: String,
    /// Stem, without accents.
    pub term: String,
    /// Stem of the word typed without accents, if that is another.
    pub plain: Option<String>,
}

/// A word of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryWord {
    /// The word as a whole.
    pub whole: Forms,
    /// The parts of an identifier; empty for a plain word.
    pub parts: Vec<Forms>,
    /// End in the question, in bytes.
    pub end: usize,
    /// The code that it is a piece of, as bytes of the question.
    pub code: Option<Range<usize>>,
}

impl Analyzer {
    /// The words of the language with this code, such as `en` or `pt-BR`.
    pub fn new(language: &str) -> Self {
        let code = primary(language);
        Self {
            stemmer: stemmer(&code),
            stop_words: stop_words(&code),
            cache: FxHashMap::default(),
        }
    }

    /// Calls `each` with every term of `text`, the bytes it was made from and how it was typed, in reading order. An
    /// identifier yields its parts and, joined, the whole; so does a code.
    pub fn terms(&mut self, text: &str, mut each: impl FnMut(Range<usize>, &str, &str)) {
        let mut small = String::new();
        let mut codes = Codes::default();
        for run in runs(text) {
            let code = codes.at(text, &run);
            for code in code
                .into_iter()
                .flat_map(|code| codes::codes_within(text, code))
            {
                self.emit(&codes::spelled(&text[code.clone()]), &code, &mut each);
            }
            match run.script {
                Script::Unspaced => pairs(text, run.bytes, |bytes, pair| each(bytes, pair, pair)),
                Script::Spaced => {
                    let word = &text[run.bytes.clone()];
                    if is_plain(word) {
                        // Most words of a text are.
                        small.clear();
                        small.push_str(word);
                        small.make_ascii_lowercase();
                        self.emit(&small, &run.bytes, &mut each);
                        continue;
                    }
                    let parts = parts(word);
                    if is_data(word, &parts) {
                        continue;
                    }
                    if parts.len() > 1 {
                        self.emit(&join_parts(word, &parts), &run.bytes, &mut each);
                    }
                    for part in parts {
                        let bytes = run.bytes.start + part.start..run.bytes.start + part.end;
                        self.emit(&lower(&text[bytes.clone()]), &bytes, &mut each);
                    }
                }
            }
        }
    }

    fn emit(
        &mut self,
        lower: &str,
        bytes: &Range<usize>,
        each: &mut impl FnMut(Range<usize>, &str, &str),
    ) {
        let mut say = |forms: &Forms| {
            each(bytes.clone(), &forms.term, &forms.typed);
            if let Some(plain) = &forms.plain {
                each(bytes.clone(), plain, &forms.typed);
            }
        };
        if let Some(forms) = self.cache.get(lower) {
            return say(forms);
        }
        let forms = self.forms(lower);
        say(&forms);
        self.remember(lower, forms);
    }

    fn remember(&mut self, lower: &str, forms: Forms) {
        if self.cache.len() >= CACHE_CAPACITY {
            self.cache.clear();
        }
        self.cache.insert(lower.to_owned(), forms);
    }

    fn known_forms(&mut self, lower: &str) -> Forms {
        if let Some(forms) = self.cache.get(lower) {
            return forms.clone();
        }
        let forms = self.forms(lower);
        self.remember(lower, forms.clone());
        forms
    }

    /// The words of a question, without stop words unless there are no others. A word that is asked
    /// for twice is asked for once.
    pub fn question(&self, text: &str) -> Vec<QueryWord> {
        let text = &without_asking(text);
        let words = query_words(text, MAX_IDENTIFIER, &mut |lower| self.forms(lower));
        self.distinctive(words)
    }

    /// Like [`Analyzer::question`], for titles and headings of pages: their words are cached.
    pub fn question_of_page(&mut self, text: &str) -> Vec<QueryWord> {
        let text = &without_asking(text);
        let words = query_words(text, MAX_IDENTIFIER, &mut |lower| self.known_forms(lower));
        self.distinctive(words)
    }

    /// The codes of a question, each as one word, and those within them.
    pub fn codes(&self, text: &str) -> Vec<QueryWord> {
        let mut codes = Codes::default();
        let found = runs(text).filter_map(|run| codes.at(text, &run));
        let all = found.flat_map(|code| {
            let within = codes::codes_within(text, code.clone()).into_iter();
            within.map(move |bytes| (code.clone(), bytes))
        });
        let words = all.map(|(code, bytes)| QueryWord {
            whole: self.forms(&codes::spelled(&text[bytes.clone()])),
            parts: Vec::new(),
            end: bytes.end,
            code: (bytes != code).then_some(code),
        });
        words.collect()
    }

    fn distinctive(&self, mut words: Vec<QueryWord>) -> Vec<QueryWord> {
        let mut seen = HashSet::new();
        // A word that also stands by itself is no mere piece of a code.
        let alone = words.iter().filter(|word| word.code.is_none());
        let alone: HashSet<String> = alone.map(|word| word.whole.term.clone()).collect();
        words.retain(|word| seen.insert(word.whole.term.clone()));
        for word in &mut words {
            word.code = (word.code.take()).filter(|_| !alone.contains(&word.whole.term));
        }
        let is_telling = |word: &QueryWord| !self.is_stop_word(&word.whole.typed);
        if words.iter().any(is_telling) {
            words.retain(is_telling);
        }
        words
    }

    /// The words that `text`, which is a part of a question, cannot be without: identifiers by their parts. A single
    /// character of a language without blanks may stand within any pair, so it is none.
    pub fn smallest_words(&self, text: &str) -> Vec<QueryWord> {
        let words = query_words(text, 0, &mut |lower| self.forms(lower));
        let words = words.into_iter().flat_map(|word| {
            let end = word.end;
            let parts = match word.parts.is_empty() {
                true => vec![word.whole],
                false => word.parts,
            };
            let parts = parts.into_iter();
            parts.map(move |whole| QueryWord {
                whole,
                parts: Vec::new(),
                end,
                code: None,
            })
        });
        let is_lone = |word: &QueryWord| {
            let mut letters = word.whole.typed.chars();
            letters.next().and_then(script) == Some(Script::Unspaced) && letters.next().is_none()
        };
        words.filter(|word| !is_lone(word)).collect()
    }

    /// Calls `each` with the smallest words of `text` in reading order, as they are typed: the parts of identifiers, the
    /// characters of languages without blanks.
    pub fn each_smallest(&self, text: &str, mut each: impl FnMut(Range<usize>, String)) {
        for run in runs(text) {
            let word = &text[run.bytes.clone()];
            match run.script {
                Script::Unspaced => characters(text, run.bytes, |bytes, c| {
                    each(bytes, c.to_owned());
                }),
                Script::Spaced => {
                    let parts = parts(word);
                    if is_data(word, &parts) {
                        continue;
                    }
                    for part in parts {
                        let bytes = run.bytes.start + part.start..run.bytes.start + part.end;
                        each(bytes, folded(&lower(&word[part])));
                    }
                }
            }
        }
    }

    /// Returns true if a word, as typed, is a stop word.
    pub(super) fn is_stop_word(&self, typed: &str) -> bool {
        self.stop_words.contains(typed)
    }

    /// The stem of a word in lower case.
    pub fn stem(&self, lower: &str) -> String {
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(lower).into_owned(),
            None => lower.to_owned(),
        }
    }

    /// Returns the forms of a word in lower case.
    pub fn forms(&self, lower: &str) -> Forms {
        // Nearly every word is, and has no accents to be taken off.
        if lower.is_ascii() {
            let term = self.stem(lower);
            if term.is_ascii() {
                return Forms {
                    typed: lower.to_owned(),
                    plain: None,
                    term,
                };
            }
        }
        let typed = folded(lower);
        if let Some(letters) = arabic::letters(lower) {
            let term = self.stem(&typed);
            // What looks like the article may be the beginning of the word.
            let plain = self.stem(&letters);
            return Forms {
                typed,
                plain: (plain != term).then_some(plain),
                term,
            };
        }
        let plain = self.stem(&typed);
        let term = match typed == lower {
            true => folded(&plain),
            false => folded(&self.stem(lower)),
        };
        Forms {
            typed,
            plain: (plain != term).then_some(plain),
            term,
        }
    }
}

/// All words of a question, in order, and what looks like data up to so many bytes: an identifier
/// that is typed in small letters does. `forms` returns the lookup forms of a word in lower case.
fn query_words(
    text: &str,
    most_data: usize,
    forms: &mut dyn FnMut(&str) -> Forms,
) -> Vec<QueryWord> {
    let mut words: Vec<QueryWord> = Vec::new();
    let mut codes = Codes::default();
    let mut last: Option<Range<usize>> = None;
    for run in runs(text) {
        last = codes.at(text, &run).or(last);
        match run.script {
            Script::Unspaced => pairs(text, run.bytes, |bytes, pair| {
                let whole = Forms {
                    typed: pair.to_owned(),
                    term: pair.to_owned(),
                    plain: None,
                };
                words.push(QueryWord {
                    whole,
                    parts: Vec::new(),
                    end: bytes.end,
                    code: None,
                });
            }),
            Script::Spaced => {
                let code = last.clone().filter(|code| run.bytes.end <= code.end);
                let word = query_word(text, run.bytes, most_data, forms);
                words.extend(word.map(|word| QueryWord { code, ..word }));
            }
        }
    }
    words
}

/// Returns the word of a question at that place; `None` for data of more bytes than `most_data`.
fn query_word(
    text: &str,
    bytes: Range<usize>,
    most_data: usize,
    forms: &mut dyn FnMut(&str) -> Forms,
) -> Option<QueryWord> {
    let end = bytes.end;
    let text = &text[bytes];
    let parts = parts(text);
    let is_data = is_data(text, &parts);
    if is_data && text.len() > most_data {
        return None;
    }
    Some(QueryWord {
        whole: forms(&join_parts(text, &parts)),
        parts: if parts.len() > 1 && !is_data {
            let parts = parts.iter();
            parts
                .map(|part| forms(&lower(&text[part.clone()])))
                .collect()
        } else {
            Vec::new()
        },
        end,
        code: None,
    })
}

/// The first part of a language's code, in lower case: `pt` of `pt-BR`.
pub fn primary(language: &str) -> String {
    let first = language.split(['-', '_']).next().unwrap_or_default();
    first.to_ascii_lowercase()
}

/// Returns the stemmer of the language with this code.
pub(super) fn stemmer(code: &str) -> Option<Stemmer> {
    // There is one for Norwegian, however it is written.
    let name = match code {
        "nb" | "nn" => "no",
        other => other,
    };
    Stemmer::try_from_name(name).ok()
}

/// `text` in lower case, with one character for all that mean the same.
pub fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut same = NFKC.normalize(text).to_lowercase();
    // What a sign falls apart into may be none of a word: `½` has a slash.
    same.retain(|c| script(c).is_some());
    same
}

/// `text` in lower case with letters of the Latin alphabet in place of those with accents; of an Arabic word one way to
/// write it, without the article.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    if let Some(bare) = arabic::bare(text) {
        return bare;
    }
    let mut analyzer = TextAnalyzer::builder(RawTokenizer::default())
        .filter(AsciiFoldingFilter)
        .build();
    let mut stream = analyzer.token_stream(text);
    let mut out = String::new();
    stream.process(&mut |token| out.push_str(&token.text));
    // An accent that no letter has with it: the dot of `İ` in lower case.
    let mut before = ' ';
    out.retain(|c| {
        let is_accent = matches!(c, '\u{0300}'..='\u{036f}') && before.is_ascii_alphabetic();
        before = if is_accent { before } else { c };
        !is_accent
    });
    // `ǧ` becomes a capital.
    out.make_ascii_lowercase();
    out
}

/// Returns true if [`folded`] makes of the letter `c` something else than what is left of it without accents, as of `ø` and `ħ`: a
/// script that searches an export cannot know these.
pub fn is_folded_by_name(c: char) -> bool {
    let mut bytes = [0; 4];
    let letter = &*c.encode_utf8(&mut bytes);
    if c.is_ascii() || arabic::bare(letter).is_some() {
        return false;
    }
    let folded = folded(letter);
    let mut apart = NFD.normalize(letter).into_owned();
    apart.retain(|c| !matches!(c, '\u{0300}'..='\u{036f}'));
    folded != letter && folded != apart
}

/// A stretch of text without blanks or signs.
pub(super) struct Run {
    pub(super) bytes: Range<usize>,
    pub(super) script: Script,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Words are separated by blanks.
    Spaced,
    /// Words without spaces between them: Chinese, Japanese, Korean, Thai and their neighbors.
    Unspaced,
}

pub(super) fn runs(text: &str) -> impl Iterator<Item = Run> {
    let mut chars = text.char_indices().peekable();
    let mut after_apostrophe = false;
    std::iter::from_fn(move || {
        loop {
            let (start, first) = chars.next()?;
            let Some(script) = script(first) else {
                after_apostrophe =
                    matches!(first, '\'' | '’') && text[..start].ends_with(char::is_alphanumeric);
                continue;
            };
            let mut end = start + first.len_utf8();
            while let Some(&(at, next)) = chars.peek() {
                if self::script(next) != Some(script) {
                    break;
                }
                end = at + next.len_utf8();
                chars.next();
            }
            // What is left of `it's` and `we'll` is no word.
            if std::mem::take(&mut after_apostrophe) && end - start <= 2 {
                continue;
            }
            return Some(Run {
                bytes: start..end,
                script,
            });
        }
    })
}

/// Returns the script of a word that contains `c`; `None` if `c` is not part of a word.
pub(super) fn script(c: char) -> Option<Script> {
    match c {
        '0'..='9' | 'a'..='z' | 'A'..='Z' | '_' => Some(Script::Spaced),
        '\0'..='\u{7f}' => None,
        // Han, kana, hangul, and the scripts of South-East Asia with the marks that stand on their letters.
        '\u{0e01}'..='\u{0e4e}'
        | '\u{0e81}'..='\u{0ecd}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17d3}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}' => Some(Script::Unspaced),
        // Marks that stand on or join letters.
        '\u{0300}'..='\u{036f}' | '\u{0900}'..='\u{0963}' | '\u{0981}'..='\u{0dff}' => {
            Some(Script::Spaced)
        }
        _ if c.is_alphanumeric() => Some(Script::Spaced),
        _ => None,
    }
}

/// Calls `each` with every two neighbors of a run, or with its only character.
fn pairs(text: &str, run: Range<usize>, mut each: impl FnMut(Range<usize>, &str)) {
    let mut pair = String::new();
    let mut before: Option<(usize, usize)> = None;
    let mut count = 0;
    characters(text, run.clone(), |bytes, c| {
        if let Some((start, length)) = before {
            pair.push_str(c);
            each(start..bytes.end, &pair);
            pair.drain(..length);
        } else {
            pair.push_str(c);
        }
        before = Some((bytes.start, c.len()));
        count += 1;
    });
    if count == 1 {
        each(run, &pair);
    }
}

/// Calls `each` with every character of a run of a language without blanks, and the bytes that it was made from.
fn characters(text: &str, run: Range<usize>, mut each: impl FnMut(Range<usize>, &str)) {
    let word = &text[run.clone()];
    if NFKC.is_normalized(word) {
        for (at, c) in word.char_indices() {
            let start = run.start + at;
            each(start..start + c.len_utf8(), &word[at..at + c.len_utf8()]);
        }
        return;
    }
    let mut rest = word.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        let mut end = start + first.len_utf8();
        while let Some(&(at, next)) = rest.peek().filter(|(_, next)| is_joined(*next)) {
            end = at + next.len_utf8();
            rest.next();
        }
        let same = NFKC.normalize(&word[start..end]);
        let kept = |c: &char| script(*c) == Some(Script::Unspaced);
        for c in same.chars().filter(kept) {
            let mut bytes = [0; 4];
            each(
                run.start + start..run.start + end,
                c.encode_utf8(&mut bytes),
            );
        }
    }
}

/// Returns true if a character belongs to the one before it: the marks of kana, the vowels and
/// endings of hangul.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}'
        | '\u{1160}'..='\u{11ff}' | '\u{ffc2}'..='\u{ffdc}')
}

/// Returns true if a run of letters is data that nobody types, such as a key or an encoded picture:
/// it is too long for a word, and not made of words as an identifier is.
fn is_data(word: &str, parts: &[Range<usize>]) -> bool {
    if word.len() <= MAX_WORD || !word.is_ascii() && word.chars().count() <= MAX_WORD {
        return false;
    }
    let count = |is: fn(&u8) -> bool| word.bytes().filter(is).count();
    let (digits, letters) = (
        count(u8::is_ascii_digit),
        word.len() - count(|b| *b == b'_'),
    );
    let short = parts.iter().filter(|part| part.len() <= 2).count();
    let longest = parts.iter().map(Range::len).max().unwrap_or_default();
    // Letters by chance change their case every third time, and one in six of them is a digit.
    let is_of_words =
        letters >= 4 * parts.len() && short * 4 <= parts.len() && longest <= MAX_WORD / 2;
    word.len() > MAX_IDENTIFIER || !is_of_words || digits * 10 > letters
}

/// Returns true if a word has one part and is not data, as far as can be seen without splitting it:
/// letters without accents and digits, lower case but for the first.
fn is_plain(word: &str) -> bool {
    let is_small = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut bytes = word.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphanumeric());
    first && word.len() <= MAX_WORD && bytes.all(is_small)
}

/// Returns the ranges of the parts of an identifier: split at underscores, before a capital that
/// follows a small letter, and before the last of several capitals that a small letter follows
/// (`HTTPServer`).
pub(super) fn parts(word: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '_' {
            if start < at {
                parts.push(start..at);
            }
            start = at + 1;
            before = None;
            continue;
        }
        let is_border = c.is_uppercase()
            && before.is_some_and(|before| {
                let next_is_small = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
                !before.is_uppercase() || next_is_small
            });
        if is_border && start < at {
            parts.push(start..at);
            start = at;
        }
        before = Some(c);
    }
    if start < word.len() {
        parts.push(start..word.len());
    }
    parts
}

pub(super) fn join_parts(word: &str, parts: &[Range<usize>]) -> String {
    parts
        .iter()
        .map(|part| lower(&word[part.clone()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_word_is_one_part_and_no_data() {
        let long = "a".repeat(MAX_WORD);
        for word in ["word", "Word", "3d", "v2", "x", "0", long.as_str()] {
            assert!(is_plain(word), "{word}");
            let all = 0..word.len();
            assert_eq!(parts(word), [all], "{word}");
            assert!(!is_data(word, &parts(word)), "{word}");
            assert_eq!(join_parts(word, &parts(word)), word.to_ascii_lowercase());
        }
        let longer = "a".repeat(MAX_WORD + 1);
        for word in [
            "",
            "_a",
            "a_b",
            "aB",
            "HTTP",
            "3D",
            "é",
            "naïve",
            longer.as_str(),
        ] {
            assert!(!is_plain(word), "{word}");
        }
    }

    #[test]
    fn words_of_long_ago_are_forgotten() {
        let mut analyzer = Analyzer::new("en");
        for word in 0..3 * CACHE_CAPACITY {
            analyzer.terms(&format!("w{word:06}x"), |_, _, _| {});
            assert!(analyzer.cache.len() <= CACHE_CAPACITY);
        }
        let mut terms = Vec::new();
        analyzer.terms("running w000001x", |_, term, _| terms.push(term.to_owned()));
        assert!(terms.contains(&"run".to_owned()), "{terms:?}");
    }

    #[track_caller]
    fn check_terms(language: &str, text: &str, expected: &str) {
        let mut terms = Vec::new();
        Analyzer::new(language).terms(text, |_, term, _| terms.push(term.to_owned()));
        assert_eq!(terms.join(" "), expected);
    }

    #[track_caller]
    fn check_question(text: &str, expected: &[&str]) {
        let words = Analyzer::new("en").question(text);
        let words: Vec<String> = words.into_iter().map(|word| word.whole.typed).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn words_are_stemmed_by_the_language_of_the_page() {
        check_terms("en", "Configuring the Servers", "configur the server");
        check_terms("fr", "les serveurs déployés", "le serveur deploi deploy");
        check_terms("tlh", "Qapla servers", "qapla servers");
    }

    #[test]
    fn identifiers_are_found_whole_and_by_part() {
        check_terms(
            "en",
            "getUserById(user_id)",
            "getuserbyid get user by id userid user id",
        );
        check_terms(
            "en",
            "HTTPServer __init__ v2",
            "httpserver http server init v2",
        );
    }

    #[test]
    fn endings_behind_an_apostrophe_are_no_words() {
        check_terms(
            "en",
            "it's the user’s 'id' rock'n'roll",
            "it the user id rock roll",
        );
    }

    #[test]
    fn languages_without_blanks_are_cut_into_pairs() {
        check_terms("zh", "配置文件 API密钥", "配置 置文 文件 api 密钥");
        check_terms("ja", "設", "設");
        check_terms("th", "ตั้ง", "ตั ั้ ้ง");
    }

    #[test]
    fn accents_are_an_alternative() {
        check_terms("de", "Schlüssel", "schlussel");
        check_terms("en", "naïve café", "naiv cafe");
    }

    #[test]
    fn words_that_say_nothing_are_dropped_unless_they_are_all() {
        check_question("How do I get an API key?", &["api", "key"]);
        check_question("what is this", &["what", "is", "this"]);
        check_question("deploy the deploys", &["deploy"]);
    }

    #[test]
    fn data_is_no_word() {
        check_terms("en", &"x".repeat(65), "");
        check_terms("en", &"x_".repeat(60), "");
        check_terms("en", &"0123456789abcdef".repeat(8), "");
        check_terms("en", &"0123456789ABCDEF_".repeat(8), "");
        check_terms("en", &"someWords".repeat(29), "");
        // As base64 writes numbers by chance, at any length.
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let mut state = 1_u64;
        let mut found = 0;
        for length in (65..=256).cycle().take(5000) {
            let text = (0..length).map(|_| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                char::from(letters[(state >> 33) as usize % letters.len()])
            });
            let text: String = text.collect();
            found += usize::from(!is_data(&text, &parts(&text)));
        }
        assert!(found <= 5, "{found}");
    }

    #[test]
    fn long_identifiers_are_words() {
        let name = "listOrganizationRepositoryAdvancedSecurityVulnerabilityAlertsForEnterprise";
        assert!(name.len() > MAX_WORD);
        let parts = "list organiz repositori advanc secur vulner alert for enterpris";
        check_terms(
            "en",
            name,
            &format!("{} {parts}", Analyzer::new("en").stem(&name.to_lowercase())),
        );
        check_question(name, &[&name.to_lowercase()]);
        let snake =
            "list_organization_repository_advanced_security_vulnerability_alerts_for_v2_enterprise";
        check_question(snake, &[&snake.replace('_', "")]);
        // Letters of two bytes are letters.
        let long = "достопримечательность".repeat(3);
        check_question(&long, &[&long]);
    }

    #[test]
    fn characters_that_mean_the_same_are_one() {
        check_terms("ja", "ｶﾞｲﾄﾞ", "ガイ イド");
        check_terms("ja", "ガイド ハ\u{309a}ス", "ガイ イド パス");
        check_terms("ko", "\u{1100}\u{1161}\u{11a8}\u{1112}\u{1161}", "각하");
        check_terms(
            "en",
            "ＡＰＩ ｕｓｅｒＮａｍｅ ２０２６",
            "api usernam user name 2026",
        );
        check_terms("en", "ﬁnal cafe\u{301} m²", "final cafe m2");
        check_terms("tr", "İptal", "iptal");
        check_question("Ｈｏｗ do I ﬁnd ＡＰＩ", &["find", "api"]);
    }

    #[test]
    fn what_is_composed_names_the_bytes_it_comes_from() {
        let text = "→ ｶﾞｲﾄﾞ ﬁｎ";
        let mut found = Vec::new();
        Analyzer::new("ja").terms(text, |bytes, term, _| {
            found.push((&text[bytes], term.to_owned()));
        });
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(at, term)| (*at, term.as_str()))
            .collect();
        assert_eq!(found, [("ｶﾞｲ", "ガイ"), ("ｲﾄﾞ", "イド"), ("ﬁｎ", "fin")]);
    }

    #[test]
    fn arabic_words_are_found_with_and_without_the_article() {
        let analyzer = Analyzer::new("ar");
        let term = |word: &str| analyzer.forms(word).term;
        for with in [
            "المفتاح",
            "والمفتاح",
            "بالمفتاح",
            "كالمفتاح",
            "فالمفتاح",
            "للمفتاح",
            "مِفْتَاح",
            "مفتـــاح",
        ] {
            assert_eq!(term(with), term("مفتاح"), "{with}");
        }
        assert_eq!(term("المصادقة"), term("مصادقه"));
        assert_eq!(term("إعدادات"), term("اعدادات"));
        assert_eq!(term("الإعدادات"), term("اعدادات"));
        assert_ne!(term("مفتاح"), term("مصادقة"));
        // `إلغاء` has no article, though it looks so without its sign.
        assert_eq!(analyzer.forms("إلغاء").typed, "الغاء");
        assert_eq!(term("الغاء"), term("إلغاء"));
    }

    #[test]
    fn terms_name_the_bytes_they_come_from() {
        let text = "é userName 文字列";
        let mut found = Vec::new();
        Analyzer::new("en").terms(text, |bytes, _, _| found.push(&text[bytes]));
        assert_eq!(found, ["é", "userName", "user", "Name", "文字", "字列"]);
    }
}
