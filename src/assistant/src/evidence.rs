//! Texts that bear out facts: what a passage says to the letter.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::facts::{
    Fact, LANGUAGES, PlainText, is_number, is_unspaced, is_word, joins, normalized, words_of,
};
use super::numbers::numbers_of;
use super::units::{Unit, number_words};
use quire_search::index::language::language_of;
use quire_search::index::stop_words::stop_words;
use quire_search::index::words::folded;

/// Minimum share of the words of a block of code that other texts have.
const MIN_SHARE_OF_CODE: (usize, usize) = (3, 4);
/// Number of bytes of a text that are read for its language.
const MAX_SAMPLE: usize = 4000;
/// Minimum number of letters that two forms of a word begin with, and the number that may differ.
const MIN_STEM: usize = 4;
const MAX_ENDING: usize = 2;

/// The code of the language of `text`, if it tells.
pub(super) fn language(text: &str) -> Option<&'static str> {
    static KNOWN: LazyLock<Vec<String>> =
        LazyLock::new(|| LANGUAGES.iter().map(|code| (*code).to_owned()).collect());
    let mut end = MAX_SAMPLE.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let found = language_of(&text[..end], &KNOWN, None)?;
    LANGUAGES.iter().copied().find(|code| *code == found)
}

/// A text that can bear out facts.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The text, with single blanks.
    text: String,
    /// Its words as they are written.
    words: HashSet<String>,
    /// Its words in lower case, and their stems.
    stems: HashSet<String>,
    /// Its numbers, with the units that they have.
    numbers: HashMap<String, BTreeSet<Option<Unit>>>,
    /// The code of its language.
    language: Option<&'static str>,
}

impl Evidence {
    /// Reads CommonMark with its headings, or other `parts` of a text.
    pub(super) fn new<'t>(parts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut text = String::new();
        let mut prose = String::new();
        for part in parts {
            let flat = PlainText::of_document(part);
            text.push_str(&flat.text);
            text.push('\n');
            prose.push_str(&flat.prose);
            prose.push('\n');
        }
        let mut words = HashSet::new();
        let mut stems = HashSet::new();
        for word in words_of(&text) {
            let lower = word.to_lowercase();
            for part in lower.split('_').filter(|part| !part.is_empty()) {
                stems.extend(stems_of(part).map(str::to_owned));
            }
            stems.extend(stems_of(&lower).map(str::to_owned));
            words.insert(word.to_owned());
        }
        let mut numbers: HashMap<String, BTreeSet<Option<Unit>>> = HashMap::new();
        let found = numbers_of(&text);
        for (i, number) in found.iter().enumerate() {
            let units = numbers.entry(number.value.clone()).or_default();
            units.insert(number.unit);
            if let Some(next) = found.get(i + 1).filter(|next| number.is_grouped_with(next)) {
                let value = format!("{}{}", number.value, next.digits);
                numbers.entry(value).or_default().insert(next.unit);
            }
        }
        for word in words_of(&prose) {
            if let Some(value) = number_words(&word.to_lowercase()) {
                numbers.entry(value.to_string()).or_default().insert(None);
            }
        }
        Self {
            language: language(&prose),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            words,
            stems,
            numbers,
        }
    }

    /// The code of the language of the text.
    pub(super) fn language(&self) -> Option<&'static str> {
        self.language
    }

    /// Returns true if the text says `fact`.
    pub(super) fn bears_out(&self, fact: &Fact) -> bool {
        match fact {
            Fact::Code(code) => self.has_code(code),
            Fact::Literal(literal) => self.has(literal) || self.has(literal.trim_end_matches("()")),
            Fact::Number(value, unit) => self.has_number(value, *unit),
            Fact::Grouped(first, second, unit) => {
                self.has_number(&format!("{first}{second}"), *unit)
                    || (self.has_number(first, None) && self.has_number(second, *unit))
            }
            Fact::Acronym(word) => {
                let one = word.strip_suffix('s').unwrap_or(word);
                self.stems.contains(word) || self.stems.contains(one)
            }
            Fact::Name(word) => stems_of(word).any(|stem| self.stems.contains(stem)),
        }
    }

    /// Returns true if the text has `number`, in a unit that is not another one.
    fn has_number(&self, value: &str, unit: Option<Unit>) -> bool {
        let Some(units) = self.numbers.get(value) else {
            return false;
        };
        let is_bare = units.iter().all(Option::is_none);
        unit.is_none() || is_bare || units.contains(&unit)
    }

    /// Returns true if the text has `code`, or all parts of it.
    fn has_code(&self, code: &str) -> bool {
        if is_placeholder(code) || self.has(code) || self.has(code.trim_end_matches("()")) {
            return true;
        }
        let code = without_placeholders(code);
        let is_end = |c: char| c.is_whitespace() || "=,;\"'`".contains(c);
        code.split(is_end).all(|part| {
            let part = part.trim_matches(|c: char| "{}()[]:<>|/\\".contains(c) || c == '.');
            let rooted = format!("/{part}");
            let is_rooted = code.contains(&rooted) && part.contains('/');
            part.chars().all(|c| !c.is_alphanumeric())
                || is_placeholder(part)
                || match is_rooted {
                    true => self.has(&rooted),
                    false => self.has(part),
                }
                || is_number(part)
                    && (numbers_of(part).iter()).all(|one| self.has_number(&one.value, one.unit))
        })
    }

    /// Returns true if `needle` stands in the text, and not within a longer word.
    fn has(&self, needle: &str) -> bool {
        let (Some(first), Some(last)) = (needle.chars().next(), needle.chars().next_back()) else {
            return true;
        };
        if needle.chars().all(is_word) && !needle.chars().any(is_unspaced) {
            return self.words.contains(needle);
        }
        let mut from = 0;
        while let Some(at) = self.text[from..].find(needle) {
            let at = from + at;
            let end = at + needle.len();
            let before = self.text[..at].chars().next_back();
            let mut after = self.text[end..].chars();
            let next = after.next();
            let is_joined = before.is_some_and(|before| joins(before, first))
                || next.is_some_and(|next| {
                    joins(last, next)
                        || matches!(next, '-' | '.')
                            && is_word(last)
                            && after.next().is_some_and(is_word)
                });
            if !is_joined {
                return true;
            }
            from = at + first.len_utf8();
        }
        false
    }

    /// Shares the words of `text` that tell something: how many there are, and how many this text has.
    pub(super) fn shared_words(&self, text: &str) -> (usize, usize) {
        let flat = PlainText::of_inline(text);
        let code = self.language.unwrap_or("en");
        let mut all = HashSet::new();
        for word in words_of(&flat.text) {
            let lower = word.to_lowercase();
            if lower.chars().any(is_unspaced) {
                let letters: Vec<char> = lower.chars().collect();
                all.extend(
                    letters
                        .windows(2)
                        .map(|pair| pair.iter().collect::<String>()),
                );
            } else if lower.chars().count() >= MIN_STEM
                && !stop_words(code).contains(folded(&lower).as_str())
            {
                all.insert(lower);
            }
        }
        let shared = all
            .iter()
            .filter(|word| match word.chars().any(is_unspaced) {
                true => self.text.contains(word.as_str()),
                false => stems_of(word).any(|stem| self.stems.contains(stem)),
            });
        (all.len(), shared.count())
    }
}

/// Returns true if `code`, a block of code, may be that of `texts`: most of its words stand there.
pub(super) fn is_code_of<'e>(
    code: &str,
    texts: impl Iterator<Item = &'e Evidence> + Clone,
) -> bool {
    let code = normalized(&without_placeholders(code));
    let words: HashSet<&str> = words_of(&code)
        .filter(|word| !is_placeholder(word))
        .collect();
    let has = |word: &&&str| texts.clone().any(|text| text.words.contains(**word));
    let shared = words.iter().filter(has).count();
    shared * MIN_SHARE_OF_CODE.1 >= words.len() * MIN_SHARE_OF_CODE.0
}

/// `word` and its beginnings, as far as other forms of a word share them.
fn stems_of(word: &str) -> impl Iterator<Item = &str> {
    let count = word.chars().count();
    let endings = count.saturating_sub(MIN_STEM).min(MAX_ENDING);
    let ends = word.char_indices().rev().map(|(at, _)| at).take(endings);
    std::iter::once(word.len())
        .chain(ends)
        .map(|end| &word[..end])
}

/// Returns true if `text` is to be replaced by something of the reader.
fn is_placeholder(text: &str) -> bool {
    let upper = text.to_uppercase();
    let is_marked = |open, close| text.starts_with(open) && text.ends_with(close) && text.len() > 2;
    upper == text
        && (upper.starts_with("YOUR") || upper.starts_with("MY_") || upper.ends_with("_HERE"))
        || text.to_lowercase().starts_with("your-")
        || text.to_lowercase().starts_with("your_")
        || is_marked('<', '>') && !text.contains(' ')
        || !text.is_empty()
            && text
                .chars()
                .all(|c| matches!(c, '.' | '…' | 'x' | 'X' | '*'))
}

/// `code` with blanks in place of `<id>` and `{id}`.
fn without_placeholders(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(['<', '{']) {
        let close = if rest[at..].starts_with('<') {
            '>'
        } else {
            '}'
        };
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest[1..]
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
            .count();
        let is_marked = name > 0 && rest[1 + name..].starts_with(close);
        // A tag without attributes looks the same: whatever it is, it is compared as a word.
        let is_tag = close == '>' && out.ends_with('/');
        match is_marked && !is_tag {
            true => {
                out.push(' ');
                rest = &rest[name + 2..];
            }
            false => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_stand_in_a_text_in_any_form_of_theirs() {
        let text = Evidence::new([
            "The *Enterprise* plan allows 10,000 requests in thirty minutes, see [it](/v1/keys/all). Set `max_size = 5` \
             in docs\\_v2.json for “all” keys.",
        ]);
        let number = |value: &str, unit| Fact::Number(value.to_owned(), unit);
        for fact in [
            Fact::Name("enterprises".to_owned()),
            number("10000", None),
            Fact::Grouped("10".to_owned(), "000".to_owned(), None),
            number("30", Some("min")),
            Fact::Literal("/v1/keys".to_owned()),
            Fact::Literal("docs_v2.json".to_owned()),
            Fact::Code("max_size".to_owned()),
            Fact::Code("max_size=5".to_owned()),
            Fact::Code("max_size = <n>".to_owned()),
            Fact::Code("/v1/keys/{id}".to_owned()),
            Fact::Code("YOUR_KEY".to_owned()),
            Fact::Code("\"all\" keys".to_owned()),
        ] {
            assert!(text.bears_out(&fact), "{fact:?}");
        }
        for fact in [
            Fact::Name("entity".to_owned()),
            number("1000", None),
            number("10", None),
            Fact::Literal("/v1/key".to_owned()),
            Fact::Literal("v2.json".to_owned()),
            Fact::Code("max".to_owned()),
            Fact::Code("Max_Size".to_owned()),
            Fact::Code("max_size = 6".to_owned()),
            Fact::Code("/v2/keys/{id}".to_owned()),
        ] {
            assert!(!text.bears_out(&fact), "{fact:?}");
        }
    }

    #[test]
    fn code_is_that_of_a_text_by_most_of_its_words() {
        let texts = [Evidence::new([
            "```sh\ncurl -H x https://a.example/v1/keys\n```",
        ])];
        let is = |code: &str| is_code_of(code, texts.iter());
        assert!(is("curl https://a.example/v1/keys -d YOUR_KEY"));
        assert!(is("curl https://a.example/<id>") && is(""));
        assert!(!is("wget http://b.example"));
    }
}
