//! The lexers: one for languages of words, and small ones for data, markup, stylesheets, requests and patches.

use std::ops::Range;

use super::Highlighter;
use crate::render::components::code_block::TokenKind;

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
    /// Whether elements of markup stand among expressions.
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

    /// For each first letter the lengths of the words that begin with it, as bits: most words of code are none of them.
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
struct Pen {
    spans: Spans,
}

impl Pen {
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
        let mut pen = Pen::new(code);
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
                            || self.is_generic_function(&pen, code, end) =>
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
                pen.put(at..end, kind);
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
                pen.put(at..at + 1, TokenKind::Comment);
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
                pen.put(at..end, TokenKind::Comment);
                at = end;
                continue;
            }
            if let Some((open, close)) = self.block_comment
                && rest.starts_with(open.as_bytes())
            {
                let end = memchr::memmem::find(&rest[open.len()..], close.as_bytes());
                let end = end.map_or(bytes.len(), |len| at + open.len() + len + close.len());
                pen.put(at..end, TokenKind::Comment);
                at = end;
                continue;
            }
            if let Some(quote) = self
                .multiline
                .iter()
                .find(|quote| rest.starts_with(quote.as_bytes()))
            {
                let end = multiline_end(bytes, at + quote.len(), quote).min(bytes.len());
                pen.put(at..end, TokenKind::String);
                (at, after_value) = (end, true);
                continue;
            }
            if self.has_lifetimes && byte == b'\'' {
                let end = run(bytes, at + 1, is_word);
                if end > at + 1 && bytes.get(end) != Some(&b'\'') {
                    pen.put(at..end, TokenKind::Variable);
                    at = end;
                } else {
                    let end = string_end(bytes, at);
                    pen.put(at..end, TokenKind::String);
                    at = end;
                }
                after_value = true;
                continue;
            }
            if self.quotes.contains(&byte) {
                let end = string_end(bytes, at).min(bytes.len());
                if self.is_shell && byte == b'"' {
                    shell_string(bytes, at..end, &mut pen);
                } else {
                    pen.put(at..end, TokenKind::String);
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
                pen.put(at..end, TokenKind::Variable);
                (at, after_value, begins_command) = (end, true, false);
                continue;
            }
            if self.has_decorators
                && byte == b'@'
                && bytes.get(at + 1).is_some_and(|next| is_word(*next))
            {
                let end = run(bytes, at + 1, |byte| is_word(byte) || byte == b'.');
                pen.put(at..end, TokenKind::Function);
                at = end;
                continue;
            }
            if self.has_flags && byte == b'-' && (at == 0 || bytes[at - 1].is_ascii_whitespace()) {
                let end = run(bytes, at, |byte| is_word(byte) || byte == b'-');
                if end > at + 1 {
                    pen.put(at..end, TokenKind::Attribute);
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
                    pen.put(at..end, TokenKind::Number);
                }
                (at, after_value) = (end, true);
                continue;
            }
            let may_be_element = !after_value || bytes.get(at + 1) == Some(&b'/');
            if self.has_jsx && byte == b'<' && may_be_element && begins_element(bytes, at) {
                at = markup_tag(code, at, &mut pen);
                after_value = false;
                // Text between tags is no code; it ends at the next tag or expression.
                continue;
            }
            if self.is_shell {
                if matches!(byte, b'|' | b';' | b'&' | b'(') {
                    begins_command = true;
                }
                pen.put(
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
            pen.put(
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
        pen.spans
    }
}

impl Words {
    /// Whether the name that ends at `end` is a function with parameters for types: `f<T>(`, after a word that declares.
    fn is_generic_function(&self, pen: &Pen, code: &str, end: usize) -> bool {
        let declares = pen.spans.last().is_some_and(|(range, kind)| {
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

/// Whether `<` at `at` begins an element rather than a comparison.
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
fn shell_string(bytes: &[u8], range: Range<usize>, pen: &mut Pen) {
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
        pen.put(from..at, TokenKind::String);
        pen.put(at..end, TokenKind::Variable);
        (from, at) = (end, end);
    }
    pen.put(from..range.end, TokenKind::String);
}

/// Draws the tag at `at`; returns where it ends. Braces of expressions are left to who reads on.
fn markup_tag(code: &str, at: usize, pen: &mut Pen) -> usize {
    let bytes = code.as_bytes();
    let open = if bytes.get(at + 1) == Some(&b'/') {
        at + 2
    } else {
        at + 1
    };
    pen.put(at..open, TokenKind::Punctuation);
    let mut at = run(bytes, open, |byte| is_word(byte) || b".-:".contains(&byte));
    pen.put(open..at, TokenKind::Tag);
    while at < bytes.len() {
        match bytes[at] {
            b'>' => {
                pen.put(at..at + 1, TokenKind::Punctuation);
                return at + 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'>') => {
                pen.put(at..at + 2, TokenKind::Punctuation);
                return at + 2;
            }
            b'=' => {
                pen.put(at..at + 1, TokenKind::Operator);
                at += 1;
            }
            b'"' | b'\'' => {
                let end = multiline_end(bytes, at + 1, if bytes[at] == b'"' { "\"" } else { "'" })
                    .min(bytes.len());
                pen.put(at..end, TokenKind::String);
                at = end;
            }
            b'{' => {
                let end =
                    crate::mdx::expression_len(&code[at..]).map_or(bytes.len(), |len| at + len);
                at = end;
            }
            b'<' => return at,
            byte if is_word(byte) || b"@:-".contains(&byte) => {
                let end = run(bytes, at, |byte| is_word(byte) || b"@:.-".contains(&byte));
                pen.put(at..end, TokenKind::Attribute);
                at = end;
            }
            _ => at += 1,
        }
    }
    at
}

/// HTML, XML and their kin.
pub(super) struct Markup;

impl Highlighter for Markup {
    fn spans(&self, code: &str) -> Spans {
        let bytes = code.as_bytes();
        let mut pen = Pen::new(code);
        let mut at = 0;
        while let Some(len) = memchr::memchr(b'<', &bytes[at..]) {
            at += len;
            if bytes[at..].starts_with(b"<!--") {
                let end = memchr::memmem::find(&bytes[at..], b"-->")
                    .map_or(bytes.len(), |len| at + len + 3);
                pen.put(at..end, TokenKind::Comment);
                at = end;
            } else if matches!(bytes.get(at + 1), Some(b'!' | b'?')) {
                let end =
                    memchr::memchr(b'>', &bytes[at..]).map_or(bytes.len(), |len| at + len + 1);
                pen.put(at..end, TokenKind::Comment);
                at = end;
            } else if begins_element(bytes, at) {
                at = markup_tag(code, at, &mut pen);
            } else {
                at += 1;
            }
        }
        pen.spans
    }
}

/// Data of keys and values: JSON, YAML, TOML.
pub(super) struct Data {
    /// Between key and value.
    pub(super) separator: u8,
    pub(super) comment: &'static str,
    pub(super) is_json: bool,
}

impl Highlighter for Data {
    fn spans(&self, code: &str) -> Spans {
        let bytes = code.as_bytes();
        let mut pen = Pen::new(code);
        let mut at = 0;
        let mut begins_line = true;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte == b'\n' {
                begins_line = true;
                at += 1;
            } else if byte.is_ascii_whitespace() {
                at += 1;
            } else if bytes[at..].starts_with(self.comment.as_bytes())
                && (at == 0 || !is_word(bytes[at - 1]))
            {
                let end = line_end(bytes, at);
                pen.put(at..end, TokenKind::Comment);
                at = end;
            } else if matches!(byte, b'"' | b'\'') {
                let end = string_end(bytes, at).min(bytes.len());
                let next = run(bytes, end, |byte| byte == b' ');
                let is_key = bytes.get(next) == Some(&self.separator);
                pen.put(
                    at..end,
                    if is_key {
                        TokenKind::Property
                    } else {
                        TokenKind::String
                    },
                );
                (at, begins_line) = (end, false);
            } else if !self.is_json && self.separator == b'=' && byte == b'[' && begins_line {
                let end = line_end(bytes, at);
                let end = memchr::memrchr(b']', &bytes[at..end]).map_or(end, |len| at + len + 1);
                pen.put(at..end, TokenKind::Tag);
                (at, begins_line) = (end, false);
            } else if is_word(byte)
                || (byte == b'-' && bytes.get(at + 1).is_some_and(|next| is_word(*next)))
            {
                at = self.word(code, at, begins_line, &mut pen);
                begins_line = false;
            } else {
                let kind = match byte {
                    b'=' => TokenKind::Operator,
                    b'{' | b'}' | b'[' | b']' | b',' | b':' => TokenKind::Punctuation,
                    b'-' if begins_line => TokenKind::Punctuation,
                    b'&' | b'*' | b'!' | b'|' | b'>' if !self.is_json => TokenKind::Operator,
                    _ => TokenKind::Plain,
                };
                pen.put(at..at + 1, kind);
                begins_line &= byte == b'-';
                at += 1;
            }
        }
        pen.spans
    }
}

impl Data {
    /// A bare word: a key, a number, a constant, or text to the end of its line.
    fn word(&self, code: &str, at: usize, begins_line: bool, pen: &mut Pen) -> usize {
        let bytes = code.as_bytes();
        let end = floor(
            code,
            run(bytes, at, |byte| is_word(byte) || b"-./$".contains(&byte)),
        );
        let next = run(bytes, end, |byte| byte == b' ');
        let follows = bytes.get(next) == Some(&self.separator)
            && (self.separator == b'=' || bytes.get(next + 1).is_none_or(u8::is_ascii_whitespace));
        if follows && (begins_line || self.is_json) {
            pen.put(at..end, TokenKind::Property);
            return end;
        }
        let word = &code[at..end];
        let is_number = word
            .trim_start_matches('-')
            .starts_with(|c: char| c.is_ascii_digit())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte))
            && word.parse::<f64>().is_ok();
        if is_number {
            pen.put(at..end, TokenKind::Number);
        } else if matches!(
            word,
            "true" | "false" | "null" | "True" | "False" | "yes" | "no" | "on" | "off"
        ) {
            pen.put(at..end, TokenKind::Constant);
        } else if !self.is_json && self.separator == b':' && !begins_line {
            // A value without quotes goes to the end of its line or to a comment.
            let line = line_end(bytes, at);
            let stop = memchr::memmem::find(&bytes[at..line], b" #").map_or(line, |len| at + len);
            let text = code[at..stop].trim_end();
            if !text.contains([',', ']', '}']) {
                pen.put(at..at + text.len(), TokenKind::String);
                return at + text.len();
            }
        }
        end.max(at + 1)
    }
}

/// Stylesheets.
pub(super) struct Css;

impl Highlighter for Css {
    fn spans(&self, code: &str) -> Spans {
        let bytes = code.as_bytes();
        let mut pen = Pen::new(code);
        let (mut at, mut depth, mut in_value) = (0, 0usize, false);
        while at < bytes.len() {
            let byte = bytes[at];
            let is_name = |byte: u8| is_word(byte) || byte == b'-';
            if bytes[at..].starts_with(b"/*") {
                let end = memchr::memmem::find(&bytes[at..], b"*/")
                    .map_or(bytes.len(), |len| at + len + 2);
                pen.put(at..end, TokenKind::Comment);
                at = end;
            } else if matches!(byte, b'"' | b'\'') {
                let end = string_end(bytes, at).min(bytes.len());
                pen.put(at..end, TokenKind::String);
                at = end;
            } else if byte == b'@' {
                let end = run(bytes, at + 1, is_name);
                pen.put(at..end, TokenKind::Keyword);
                at = end;
            } else if in_value && (byte == b'#' || byte.is_ascii_digit()) {
                let end = run(bytes, at + 1, |byte| {
                    byte.is_ascii_alphanumeric() || b".%".contains(&byte)
                });
                pen.put(at..end, TokenKind::Number);
                at = end;
            } else if is_name(byte) || (!in_value && b".#&*".contains(&byte)) {
                let end = run(bytes, at + 1, is_name);
                let is_function = bytes.get(end) == Some(&b'(');
                let is_property =
                    depth > 0 && bytes.get(run(bytes, end, |byte| byte == b' ')) == Some(&b':');
                let kind = match (in_value, is_property) {
                    (true, _) if is_function => TokenKind::Function,
                    (true, _) => TokenKind::Plain,
                    (false, true) => TokenKind::Property,
                    (false, false) => TokenKind::Tag,
                };
                pen.put(at..end, kind);
                at = end;
            } else {
                match byte {
                    b'{' => (depth, in_value) = (depth + 1, false),
                    b'}' => (depth, in_value) = (depth.saturating_sub(1), false),
                    b';' => in_value = false,
                    b':' if depth > 0 => in_value = true,
                    _ => {}
                }
                pen.put(
                    at..at + 1,
                    if b"{}();:,".contains(&byte) {
                        TokenKind::Punctuation
                    } else {
                        TokenKind::Plain
                    },
                );
                at += 1;
            }
        }
        pen.spans
    }
}

/// A request or a response of HTTP.
pub(super) struct Http;

impl Highlighter for Http {
    fn spans(&self, code: &str) -> Spans {
        let mut pen = Pen::new(code);
        let mut at = 0;
        for (index, line) in code.split_inclusive('\n').enumerate() {
            let text = line.trim_end();
            if index == 0 {
                let word = text.find(' ').unwrap_or(text.len());
                let is_method = text[..word].bytes().all(|byte| byte.is_ascii_uppercase());
                pen.put(
                    at..at + word,
                    if is_method {
                        TokenKind::Keyword
                    } else {
                        TokenKind::Constant
                    },
                );
                if let Some(version) = text.rfind("HTTP/").filter(|version| *version >= word) {
                    pen.put(at + version..at + text.len(), TokenKind::Constant);
                }
            } else if let Some(colon) = text
                .find(':')
                .filter(|colon| text[..*colon].bytes().all(|b| is_word(b) || b == b'-'))
            {
                pen.put(at..at + colon, TokenKind::Property);
                pen.put(at + colon..at + colon + 1, TokenKind::Punctuation);
                pen.put(at + colon + 1..at + text.len(), TokenKind::String);
            }
            at += line.len();
        }
        pen.spans
    }
}

/// A patch.
pub(super) struct Diff;

impl Highlighter for Diff {
    fn spans(&self, code: &str) -> Spans {
        let mut pen = Pen::new(code);
        let mut at = 0;
        for line in code.split_inclusive('\n') {
            let text = line.trim_end_matches('\n');
            let kind = match text.as_bytes().first() {
                Some(b'+') => TokenKind::Inserted,
                Some(b'-') => TokenKind::Deleted,
                Some(b'@') => TokenKind::Tag,
                _ => TokenKind::Plain,
            };
            pen.put(at..at + text.len(), kind);
            at += line.len();
        }
        pen.spans
    }
}
