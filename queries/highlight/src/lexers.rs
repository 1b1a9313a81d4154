//! The lexers: one for languages of words, and small ones for data, markup, stylesheets, requests and patches.

mod css;
mod data;
mod lines;
mod markup;

pub(super) use css::Css;
pub(super) use data::Data;
pub(super) use lines::{Diff, Http};
pub(super) use markup::Markup;

use std::ops::Range;

use super::Highlighter;
use crate::TokenKind;
use markup::markup_tag;

type Spans = Vec<(Range<usize>, TokenKind)>;

/// A language of words: what its comments, strings and words are.
pub(super) struct Words {
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// The quotes of strings that end on their line.
    pub(super) quotes: &'static [u8],
    /// The quotes of strings that run over lines.
    pub(super) multiline: &'static [&'static str],
    pub(super) keywords: &'static [&'static str],
    pub(super) constants: &'static [&'static str],
    pub(super) types: &'static [&'static str],
    /// Whether the language has JSX: markup elements as expressions.
    pub(super) has_jsx: bool,
    /// Whether `@name` marks what follows.
    pub(super) has_decorators: bool,
    /// Whether `'a` is a name.
    pub(super) has_lifetimes: bool,
    /// Whether `$name` is a variable.
    pub(super) has_dollar_names: bool,
    /// Whether `-x` and `--long` are options.
    pub(super) has_flags: bool,
    /// Whether the first word of a command is what runs.
    pub(super) is_shell: bool,
    /// Whether words are the same in capitals.
    pub(super) ignores_case: bool,
}

impl Words {
    /// A language without anything.
    pub(super) const PLAIN: Self = Self {
        line_comments: &[],
        block_comment: None,
        quotes: b"",
        multiline: &[],
        keywords: &[],
        constants: &[],
        types: &[],
        has_jsx: false,
        has_decorators: false,
        has_lifetimes: false,
        has_dollar_names: false,
        has_flags: false,
        is_shell: false,
        ignores_case: false,
    };

    /// Returns the lengths of the words that begin with each letter, as bits: most words of code
    /// are none of them.
    fn lengths(&self) -> [u32; 128] {
        let mut lengths = [0; 128];
        for list in [self.keywords, self.constants, self.types] {
            for word in list {
                lengths[usize::from(word.as_bytes()[0] & 127)] |= 1 << word.len().min(31);
            }
        }
        lengths
    }

    fn word(&self, word: &str, lengths: &[u32; 128]) -> TokenKind {
        let first = match self.ignores_case {
            true => word.as_bytes()[0].to_ascii_lowercase(),
            false => word.as_bytes()[0],
        };
        if lengths[usize::from(first & 127)] & (1 << word.len().min(31)) == 0 {
            return TokenKind::Plain;
        }
        let lower;
        let word = if self.ignores_case {
            lower = word.to_ascii_lowercase();
            &lower
        } else {
            word
        };
        let is_in = |list: &[&str]| list.binary_search(&word).is_ok();
        if is_in(self.keywords) {
            TokenKind::Keyword
        } else if is_in(self.constants) {
            TokenKind::Constant
        } else if is_in(self.types) {
            TokenKind::Type
        } else {
            TokenKind::Plain
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The end of the run that begins at `at` and of which every byte is `is`.
fn run(bytes: &[u8], at: usize, is: impl Fn(u8) -> bool) -> usize {
    bytes[at..]
        .iter()
        .position(|byte| !is(*byte))
        .map_or(bytes.len(), |len| at + len)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |len| at + len)
}

/// The end of the string that opens at `at` with one quote; at the end of its line if it never closes.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 1,
            b'\n' => return end,
            byte if byte == quote => return end + 1,
            _ => {}
        }
        end += 1;
    }
    bytes.len()
}

/// The end of what opens at `at` and closes with `close`; backslashes hide a quote.
fn multiline_end(bytes: &[u8], at: usize, close: &str) -> usize {
    let mut end = at;
    while end < bytes.len() {
        if bytes[end] == b'\\' {
            end += 2;
        } else if bytes[end..].starts_with(close.as_bytes()) {
            return end + close.len();
        } else {
            end += 1;
        }
    }
    bytes.len()
}

/// Puts pieces side by side; pieces of one kind that touch become one.
struct SpanWriter {
    spans: Spans,
}

impl SpanWriter {
    fn new(code: &str) -> Self {
        Self {
            spans: Vec::with_capacity(code.len() / 8),
        }
    }

    fn put(&mut self, range: Range<usize>, kind: TokenKind) {
        if range.is_empty() || kind == TokenKind::Plain {
            return;
        }
        match self.spans.last_mut() {
            Some((last, known)) if *known == kind && last.end == range.start => {
                last.end = range.end;
            }
            _ => self.spans.push((range, kind)),
        }
    }
}

impl Highlighter for Words {
    fn spans(&self, code: &str) -> Spans {
        let bytes = code.as_bytes();
        let mut writer = SpanWriter::new(code);
        let lengths = self.lengths();
        let mut at = 0;
        // Whether the next word of a shell is a command.
        let mut begins_command = true;
        // What stands before: a value is followed by an operator, anything else by the beginning of an element.
        let mut after_value = false;
        while at < bytes.len() {
            let byte = bytes[at];
            let rest = &code.as_bytes()[at..];
            let begins_word = at == 0 || !is_word(bytes[at - 1]);
            if byte == b'\n' {
                begins_command = !(at > 0 && bytes[at - 1] == b'\\');
                at += 1;
                continue;
            }
            if byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            // First, as it is most of all code; no comment, string or sign begins like a word.
            if is_word(byte) && !(begins_word && byte.is_ascii_digit()) {
                let end = run(bytes, at, |byte| {
                    is_word(byte) || (self.is_shell && b"-./:".contains(&byte))
                });
                let end = floor(code, end);
                let word = &code[at..end];
                let kind = self.word(word, &lengths);
                let kind = match kind {
                    TokenKind::Plain if self.is_shell && begins_command && !word.contains('/') => {
                        // An assignment before a command is a variable.
                        if bytes.get(end) == Some(&b'=') {
                            TokenKind::Variable
                        } else {
                            TokenKind::Function
                        }
                    }
                    TokenKind::Plain if self.is_shell => TokenKind::Plain,
                    TokenKind::Plain if self.ignores_case => TokenKind::Plain,
                    TokenKind::Plain
                        if bytes.get(end) == Some(&b'(')
                            || self.is_generic_function(&writer, code, end) =>
                    {
                        TokenKind::Function
                    }
                    TokenKind::Plain
                        if byte.is_ascii_uppercase()
                            && word.bytes().any(|byte| byte.is_ascii_lowercase()) =>
                    {
                        TokenKind::Type
                    }
                    kind => kind,
                };
                writer.put(at..end, kind);
                after_value = kind != TokenKind::Keyword;
                // `sudo` and the like are followed by what runs.
                begins_command = self.is_shell
                    && matches!(word, "sudo" | "then" | "do" | "else" | "time" | "exec");
                at = end;
                continue;
            }
            if self.is_shell
                && begins_command
                && matches!(byte, b'$' | b'>' | b'%')
                && bytes.get(at + 1) == Some(&b' ')
            {
                writer.put(at..at + 1, TokenKind::Comment);
                at += 1;
                continue;
            }
            let is_comment = self
                .line_comments
                .iter()
                .any(|comment| rest.starts_with(comment.as_bytes()));
            // In a shell a comment is set off by space.
            if is_comment && (!self.is_shell || at == 0 || bytes[at - 1].is_ascii_whitespace()) {
                let end = line_end(bytes, at);
                writer.put(at..end, TokenKind::Comment);
                at = end;
                continue;
            }
            if let Some((open, close)) = self.block_comment
                && rest.starts_with(open.as_bytes())
            {
                let end = memchr::memmem::find(&rest[open.len()..], close.as_bytes());
                let end = end.map_or(bytes.len(), |len| at + open.len() + len + close.len());
                writer.put(at..end, TokenKind::Comment);
                at = end;
                continue;
            }
            if let Some(quote) = self
                .multiline
                .iter()
                .find(|quote| rest.starts_with(quote.as_bytes()))
            {
                let end = multiline_end(bytes, at + quote.len(), quote).min(bytes.len());
                writer.put(at..end, TokenKind::String);
                (at, after_value) = (end, true);
                continue;
            }
            if self.has_lifetimes && byte == b'\'' {
                let end = run(bytes, at + 1, is_word);
                if end > at + 1 && bytes.get(end) != Some(&b'\'') {
                    writer.put(at..end, TokenKind::Variable);
                    at = end;
                } else {
                    let end = string_end(bytes, at);
                    writer.put(at..end, TokenKind::String);
                    at = end;
                }
                after_value = true;
                continue;
            }
            if self.quotes.contains(&byte) {
                let end = string_end(bytes, at).min(bytes.len());
                if self.is_shell && byte == b'"' {
                    shell_string(bytes, at..end, &mut writer);
                } else {
                    writer.put(at..end, TokenKind::String);
                }
                (at, after_value, begins_command) = (end, true, false);
                continue;
            }
            if self.has_dollar_names && byte == b'$' {
                let end = match bytes.get(at + 1) {
                    Some(b'{') => memchr::memchr(b'}', rest).map_or(at + 1, |len| at + len + 1),
                    Some(next) if is_word(*next) => run(bytes, at + 1, is_word),
                    _ => at + 1,
                };
                writer.put(at..end, TokenKind::Variable);
                (at, after_value, begins_command) = (end, true, false);
                continue;
            }
            if self.has_decorators
                && byte == b'@'
                && bytes.get(at + 1).is_some_and(|next| is_word(*next))
            {
                let end = run(bytes, at + 1, |byte| is_word(byte) || byte == b'.');
                writer.put(at..end, TokenKind::Function);
                at = end;
                continue;
            }
            if self.has_flags && byte == b'-' && (at == 0 || bytes[at - 1].is_ascii_whitespace()) {
                let end = run(bytes, at, |byte| is_word(byte) || byte == b'-');
                if end > at + 1 {
                    writer.put(at..end, TokenKind::Attribute);
                    at = end;
                    continue;
                }
            }
            if begins_word && byte.is_ascii_digit() {
                let end = run(bytes, at, |byte| {
                    byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_'
                });
                // In a shell most digits are part of a name or an address.
                if !self.is_shell || bytes.get(end).is_none_or(u8::is_ascii_whitespace) {
                    writer.put(at..end, TokenKind::Number);
                }
                (at, after_value) = (end, true);
                continue;
            }
            let may_be_element = !after_value || bytes.get(at + 1) == Some(&b'/');
            if self.has_jsx && byte == b'<' && may_be_element && begins_element(bytes, at) {
                at = markup_tag(code, at, &mut writer);
                after_value = false;
                // Text between tags is no code; it ends at the next tag or expression.
                continue;
            }
            if self.is_shell {
                if matches!(byte, b'|' | b';' | b'&' | b'(') {
                    begins_command = true;
                }
                writer.put(
                    at..at + 1,
                    if b"|&;<>".contains(&byte) {
                        TokenKind::Operator
                    } else {
                        TokenKind::Plain
                    },
                );
                at += 1;
                continue;
            }
            let kind = if b"(){}[],;:.".contains(&byte) {
                TokenKind::Punctuation
            } else {
                TokenKind::Operator
            };
            // A dot between names is part of neither.
            writer.put(
                at..at + 1,
                if byte == b'.' || self.ignores_case {
                    TokenKind::Plain
                } else {
                    kind
                },
            );
            after_value = matches!(byte, b')' | b']');
            at += 1;
        }
        writer.spans
    }
}

impl Words {
    /// Returns true if the name that ends at `end` is a function with type parameters: `f<T>(`,
    /// after a word that declares.
    fn is_generic_function(&self, writer: &SpanWriter, code: &str, end: usize) -> bool {
        let declares = writer.spans.last().is_some_and(|(range, kind)| {
            *kind == TokenKind::Keyword
                && matches!(
                    &code[range.clone()],
                    "fn" | "function" | "func" | "def" | "fun"
                )
        });
        declares && code.as_bytes().get(end) == Some(&b'<')
    }
}

/// The nearest character boundary of `code` at or before `at`.
fn floor(code: &str, mut at: usize) -> usize {
    while !code.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns true if `<` at `at` begins an element rather than a comparison.
fn begins_element(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at + 1) {
        Some(b'/' | b'>') => true,
        Some(byte) if byte.is_ascii_alphabetic() => {
            let end = run(bytes, at + 1, |byte| {
                is_word(byte) || b".-:".contains(&byte)
            });
            matches!(bytes.get(end), Some(b' ' | b'>' | b'/' | b'\n'))
        }
        _ => false,
    }
}

/// A string of a shell, with its variables.
fn shell_string(bytes: &[u8], range: Range<usize>, writer: &mut SpanWriter) {
    let mut from = range.start;
    let mut at = range.start + 1;
    while at < range.end {
        let is_name = bytes[at] == b'$'
            && bytes
                .get(at + 1)
                .is_some_and(|next| is_word(*next) || *next == b'{');
        if !is_name {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
            continue;
        }
        let end = if bytes[at + 1] == b'{' {
            memchr::memchr(b'}', &bytes[at..range.end]).map_or(range.end, |len| at + len + 1)
        } else {
            run(&bytes[..range.end], at + 1, is_word)
        };
        writer.put(from..at, TokenKind::String);
        writer.put(at..end, TokenKind::Variable);
        (from, at) = (end, end);
    }
    writer.put(from..range.end, TokenKind::String);
}
