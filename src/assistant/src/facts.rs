//! Facts of a text.
//!
//! A fact is what a reader would copy or rely on to the letter: code, numbers with their units, identifiers, paths,
//! addresses, options and names. Texts are compared after normalization: without the signs of Markdown, in ASCII
//! digits and quotes, numbers without separators of thousands. Case does not matter for words of prose.

use super::cited::{closing, matching};
use super::numbers::numbers_of;
use super::units::{Unit, is_unit};
use quire_search::index::stop_words::stop_words;
use quire_search::index::words::folded;

/// Stands for a span of code in prose.
const CODE: char = '\u{1}';
/// Stands for the end of bold text, behind which a sentence may begin.
const BOLD_END: char = '\u{2}';
/// Languages that are told apart by their stop words.
pub(super) const LANGUAGES: &[&str] = &[
    "en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "fi", "pl", "tr", "hu", "ro", "nb", "ja",
    "zh", "ko", "ar", "ru", "he", "hi", "th", "el",
];

/// Words in capitals that are no names: what every text about software may call a thing.
const COMMON: &[&str] = &[
    "api",
    "apis",
    "cli",
    "faq",
    "html",
    "http",
    "https",
    "id",
    "ids",
    "ok",
    "ui",
    "uri",
    "url",
    "urls",
    "note",
    "tip",
    "warning",
    "important",
    "caution",
    "info",
    "must",
    "never",
    "only",
    "always",
    "yes",
    "before",
    "after",
    "every",
    "each",
    "first",
    "please",
];

/// Something that a text says to the letter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fact {
    /// Code between backticks.
    Code(String),
    /// A path, an address, an option or an identifier, as it is written.
    Literal(String),
    /// A number without separators of thousands, and its unit.
    Number(String, Option<Unit>),
    /// Two numbers, or one whose thousands are divided by a blank.
    Grouped(String, String, Option<Unit>),
    /// A word that is written in capitals, in lower case.
    Acronym(String),
    /// A word with a capital, in lower case.
    Name(String),
}

/// A text without the signs of Markdown.
#[derive(Default)]
pub(super) struct PlainText {
    /// All of it.
    pub(super) text: String,
    /// The same, with [`CODE`] in place of code.
    pub(super) prose: String,
    /// Code between backticks.
    codes: Vec<String>,
}

impl PlainText {
    /// Reads CommonMark with blocks of code, and with the targets of its links.
    pub(super) fn of_document(markdown: &str) -> Self {
        let mut flat = Self::default();
        let mut fence: Option<&str> = None;
        for line in markdown.lines() {
            let bare = line.trim_start();
            match fence {
                Some(open) if bare.starts_with(open) => fence = None,
                Some(_) => {
                    flat.text.push_str(&normalized(line));
                    flat.text.push('\n');
                }
                None => {
                    fence = ["```", "~~~"]
                        .into_iter()
                        .find(|mark| bare.starts_with(mark));
                    if fence.is_none() {
                        flat.inline(line, true);
                    }
                }
            }
        }
        flat
    }

    /// Reads lines of prose; targets of links are no part of it.
    pub(super) fn of_inline(markdown: &str) -> Self {
        let mut flat = Self::default();
        flat.inline(markdown, false);
        flat
    }

    /// The text without code.
    pub(super) fn prose(&self) -> &str {
        &self.prose
    }

    fn inline(&mut self, markdown: &str, has_targets: bool) {
        let mut rest = markdown;
        let mut before = ' ';
        let mut is_bold = false;
        while let Some(c) = rest.chars().next() {
            let all = rest;
            rest = &rest[c.len_utf8()..];
            match c {
                '\\' => {
                    if let Some(next) = rest.chars().next().filter(char::is_ascii_punctuation) {
                        self.push(next);
                        rest = &rest[next.len_utf8()..];
                    }
                }
                '`' => {
                    let length = all.bytes().take_while(|byte| *byte == b'`').count();
                    match closing(all, length) {
                        Some(end) => {
                            let code = all[length..end - length].replace("\\|", "|");
                            let code = normalized(code.trim());
                            self.text.push_str(&code);
                            self.prose.push(CODE);
                            self.codes.push(code);
                            rest = &all[end..];
                        }
                        None => rest = &all[length..],
                    }
                }
                ']' if rest.starts_with('(') => {
                    let end = matching(rest, '(', ')').unwrap_or(1);
                    self.push(' ');
                    if has_targets {
                        rest[1..end].chars().for_each(|c| self.push(c));
                        self.push(' ');
                    }
                    rest = &rest[end..];
                }
                '[' => {
                    // The number of a citation is none of the text.
                    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                    if digits > 0 && rest[digits..].starts_with("](") {
                        rest = &rest[digits..];
                    }
                }
                '*' if rest.starts_with('*') => {
                    rest = &rest[1..];
                    is_bold = !is_bold;
                    if !is_bold {
                        self.prose.push(BOLD_END);
                    }
                }
                ']' | '*' | '~' => {}
                '_' if !is_word(before) || !rest.chars().next().is_some_and(is_word) => {}
                '&' => match ENTITIES.iter().find(|(name, _)| all.starts_with(name)) {
                    Some((name, c)) => {
                        self.push(*c);
                        rest = &all[name.len()..];
                    }
                    None => self.push(c),
                },
                _ => self.push(c),
            }
            before = c;
        }
        self.push('\n');
    }

    fn push(&mut self, c: char) {
        let c = match c {
            CODE | BOLD_END => ' ',
            c => normal(c),
        };
        self.text.push(c);
        self.prose.push(c);
    }

    /// The facts of the text. Names count where `names` says so.
    pub(super) fn facts(&self, names: Names) -> Vec<Fact> {
        let mut facts: Vec<Fact> = self.codes.iter().cloned().map(Fact::Code).collect();
        let prose = without_ordinal(&self.prose);
        // What is left once literals are taken, for the numbers in it.
        let mut rest = String::with_capacity(prose.len());
        let mut is_start = true;
        for chunk in chunks(prose) {
            match literal(chunk) {
                Some(literal) => {
                    facts.push(match literal.contains('{') {
                        // It has a placeholder, as code may.
                        true => Fact::Code(literal),
                        false => Fact::Literal(literal),
                    });
                    rest.push(CODE);
                    is_start = false;
                }
                None => {
                    rest.push_str(chunk);
                    words(chunk, &mut is_start, names, &mut facts);
                }
            }
        }
        let found = numbers_of(&rest);
        let mut numbers = found.iter().peekable();
        while let Some(number) = numbers.next() {
            if number.is_ordinal {
                continue;
            }
            let value = number.value.clone();
            facts.push(match numbers.next_if(|next| number.is_grouped_with(next)) {
                Some(next) => Fact::Grouped(value, next.digits.clone(), next.unit),
                None => Fact::Number(value, number.unit),
            });
        }
        facts
    }
}

/// Which words with capitals are facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// All but the first one of a sentence.
    All,
    /// Those with more capitals than the first: in a language that writes nouns or titles with one, or one that is not
    /// that of the passages, whose names may be translated.
    Acronyms,
    /// None, as in headings.
    None,
}

const ENTITIES: &[(&str, char)] = &[
    ("&#96;", '`'),
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&nbsp;", ' '),
];

/// `c` as it is compared: digits, quotes, dashes and wide characters in ASCII.
fn normal(c: char) -> char {
    const DIGITS: &[u32] = &[0x660, 0x6f0, 0x966, 0x9e6, 0xe50];
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21).unwrap_or(c),
        '\u{2018}' | '\u{2019}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '«' | '»' => '"',
        '\u{2010}' | '\u{2011}' | '\u{2212}' => '-',
        '\u{3000}' => ' ',
        '\u{66b}' => '.',
        '\u{66c}' => ',',
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
        _ if c.is_ascii() => c,
        _ => {
            let zero = DIGITS
                .iter()
                .find(|zero| (**zero..**zero + 10).contains(&(c as u32)));
            zero.and_then(|zero| char::from_digit(c as u32 - zero, 10))
                .unwrap_or(c)
        }
    }
}

pub(super) fn normalized(text: &str) -> String {
    let text: String = text.chars().map(normal).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true for letters of scripts that put no blanks between words, or join particles to words of others.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}' | '\u{3041}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns true for Latin letters, those of Vietnamese among them, and for digits.
fn is_latin(c: char) -> bool {
    c < '\u{250}' || ('\u{1e00}'..='\u{1eff}').contains(&c)
}

/// Returns true if `a` and `b` are of one word.
pub(super) fn joins(a: char, b: char) -> bool {
    is_word(a) && is_word(b) && is_unspaced(a) == is_unspaced(b) && is_latin(a) == is_latin(b)
}

/// Words of `text`: runs of letters, digits and underscores of one kind of script.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !is_word(c));
    runs.flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = rest.char_indices().find(|(_, c)| !joins(first, *c));
            let (word, after) =
                rest.split_at(end.map_or(rest.len(), |(at, _)| at.max(first.len_utf8())));
            rest = after;
            Some(word)
        })
    })
}

/// `prose` without the number of a step at its start: `2)`, `Step 2:`.
fn without_ordinal(prose: &str) -> &str {
    const STEPS: &[&str] = &[
        "step", "schritt", "étape", "etape", "paso", "passo", "stap", "krok", "шаг", "option",
        "phase", "part",
    ];
    let text = prose.trim_start();
    let word = text.split(' ').next().unwrap_or("");
    let rest = match STEPS.contains(&word.to_lowercase().as_str()) {
        true => text[word.len()..].trim_start(),
        false => text,
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[digits..].chars().next() {
        Some('.' | ')' | ':')
            if (1..=2).contains(&digits) && rest[digits + 1..].starts_with([' ', '\n']) =>
        {
            &rest[digits + 1..]
        }
        _ => text,
    }
}

/// Pieces of `prose`: runs of blanks, of letters of scripts without blanks, and of the rest.
fn chunks(prose: &str) -> impl Iterator<Item = &str> {
    let class = |c: char| match c {
        c if c.is_whitespace() => 0,
        c if is_unspaced(c) || "、。，；：？！（）「」『』・".contains(c) => 1,
        _ => 2,
    };
    let mut rest = prose;
    std::iter::from_fn(move || {
        let first = class(rest.chars().next()?);
        let end = rest.find(|c| class(c) != first).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at(end);
        rest = after;
        Some(chunk)
    })
}

/// The path, address, option or identifier that `chunk` is.
fn literal(chunk: &str) -> Option<String> {
    let is_edge = |c: char| c == BOLD_END || "\"'()[]{}<>,;:!?…|".contains(c);
    let bare = chunk.trim_start_matches(is_edge);
    let has_braces = bare.contains('{');
    let is_end = |c: char| (is_edge(c) || c == '.') && !(has_braces && c == '}');
    let bare = bare.trim_end_matches(is_end);
    if bare.contains([CODE, BOLD_END]) || !bare.contains(|c: char| c.is_alphabetic()) {
        return None;
    }
    let starts = |starts: &[&str]| starts.iter().any(|start| bare.starts_with(start));
    let second = bare.trim_start_matches(['-', '/', '.', '~']).chars().next();
    let is_named = second.is_some_and(is_word);
    let is_address = bare.contains("://") || bare.contains('@') && bare.contains('.');
    let is_option = starts(&["--"]) && is_named;
    let segments = bare.trim_matches('/').split('/').count();
    let is_path = starts(&["/", "./", "../", "~/"]) && is_named
        || bare.contains('/') && (segments > 2 || is_dotted(bare));
    let is_compound = bare.contains("::") || is_snake(bare);
    if is_option {
        return bare.split('=').next().map(str::to_owned);
    }
    if is_path {
        return Some(bare.trim_end_matches('/').to_owned());
    }
    (is_address || is_compound || !bare.contains('/') && is_dotted(bare)).then(|| bare.to_owned())
}

/// Returns true for `a_b`, but for no `_` at an end.
fn is_snake(word: &str) -> bool {
    let bare = word.trim_matches('_');
    bare.contains('_') && bare.chars().all(is_word)
}

/// Returns true for `docs.json` and `a.b.c`, and false for `e.g.`, numbers, and the end of a sentence without a blank.
fn is_dotted(word: &str) -> bool {
    let last = word.rsplit('/').next().unwrap_or(word);
    let mut parts = last.split('.');
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| is_word(c) || c == '-');
    let count = parts.clone().count();
    let has_long = parts
        .clone()
        .any(|part| part.len() > 1 && part.contains(|c: char| c.is_alphabetic()));
    let is_version = last
        .trim_start_matches(['v', 'V'])
        .starts_with(|c: char| c.is_ascii_digit());
    count > 1 && has_long && !is_version && parts.all(is_part)
}

pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// The names and identifiers of `chunk`.
fn words(chunk: &str, is_start: &mut bool, names: Names, facts: &mut Vec<Fact>) {
    let mut rest = chunk;
    while let Some(c) = rest.chars().next() {
        if !is_word(c) {
            match c {
                // What follows begins a sentence, or a cell.
                '.' | '!' | '?' | ':' | '|' | ';' | '—' | '–' | '。' | '：' | BOLD_END => {
                    *is_start = true;
                }
                CODE => *is_start = false,
                _ => {}
            }
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        rest = &rest[end..];
        // The ending of a genitive is no word.
        if rest.starts_with('\'') {
            let ending = rest[1..]
                .find(|c| !is_word(c))
                .map_or(rest.len(), |end| end + 1);
            rest = if ending <= 3 { &rest[ending..] } else { rest };
        }
        let begins = std::mem::replace(is_start, false);
        facts.extend(name(word, begins, names));
    }
}

/// The fact that `word` is, by its capitals.
fn name(word: &str, begins: bool, names: Names) -> Option<Fact> {
    let lower = word.to_lowercase();
    let count = word.chars().count();
    let is_first_capital = word.starts_with(char::is_uppercase);
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let is_mixed = has_digit && !is_number(word) && count > 2 && !is_version(word);
    let is_inner = capitals > usize::from(is_first_capital);
    if names == Names::None || count < 2 || is_number(word) {
        return None;
    }
    let is_stop = || {
        let folded = folded(&lower);
        COMMON.contains(&lower.as_str())
            || is_unit(&lower)
            || LANGUAGES
                .iter()
                .any(|code| stop_words(code).contains(folded.as_str()))
    };
    if is_inner || is_mixed {
        // A short word in capitals may be any word that is stressed.
        return (!is_stop()).then_some(Fact::Acronym(lower));
    }
    (is_first_capital && !begins && names == Names::All && !is_stop()).then_some(Fact::Name(lower))
}

/// Returns true for `v2`.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix(['v', 'V']);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let facts = PlainText::of_inline(text).facts(Names::All);
        let facts = facts.iter().map(|fact| match fact {
            Fact::Code(code) => format!("`{code}`"),
            Fact::Literal(text) => format!("={text}"),
            Fact::Number(value, unit) => format!("#{value}{}", unit.unwrap_or("")),
            Fact::Grouped(first, second, unit) => {
                format!("#{first} {second}{}", unit.unwrap_or(""))
            }
            Fact::Acronym(word) => format!("^{word}"),
            Fact::Name(word) => format!("@{word}"),
        });
        let mut facts: Vec<String> = facts.collect();
        facts.sort();
        assert_eq!(facts, expected, "{text}");
    }

    #[test]
    fn facts_are_what_a_reader_copies() {
        check("The key works.", &[]);
        check("Run `a  b` or `` c`d ``.", &["`a b`", "`c`d`"]);
        check(
            "Wait 30 s, 5-10 minutes, 1,000.5 MB or 50%.",
            &["#1000.5MB", "#10min", "#30s", "#5", "#50%"],
        );
        check("About 10 000 bytes.", &["#10 000B"]);
        check("2\\. Step 3 is the 1st of 13th.", &["#13", "#3"]);
        check("Step 3: wait.", &[]);
        check(
            "Set max\\_size and MAX_SIZE in docs.json, e.g. at /v1/a/{id} or ./b.",
            &[
                "=./b",
                "=MAX_SIZE",
                "=docs.json",
                "=max_size",
                "`/v1/a/{id}`",
            ],
        );
        check(
            "Use --force=1 and a::b and me@example.com.",
            &["=--force", "=a::b", "=me@example.com"],
        );
        check(
            "In Berlin, GitHub's HTTP API and sha256 work and/or fail.",
            &["@berlin", "^github", "^sha256"],
        );
        check("Berlin: Paris. Rome | Oslo", &[]);
        check("[1](/a) See [the Guide](/b).", &["@guide"]);
        check(
            "鍵は３０分間、docs.jsonの`x`。",
            &["#30min", "=docs.json", "`x`"],
        );
        check("لمدة ٣٠ دقيقة.", &["#30min"]);
        check(
            "v1.2.3 of 127.0.0.1 at 09:30 for $5 and 10k",
            &["#09:30", "#1.2.3", "#10000", "#127.0.0.1", "#5$"],
        );
    }
}
