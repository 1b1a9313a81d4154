//! Sanitizes the output of a language model while it arrives: only text remains, and of links only
//! those to the passages that the model was given.
//!
//! Numbers in brackets become links to their passages, numbered in the order in which they are cited; numbers that no
//! passage has are dropped. Images, HTML, and links to anywhere else become their text. The text is CommonMark with
//! tables before and after; pieces may be cut anywhere and give the same text together.
//!
//! Every bracket that is not of a link made here is escaped, every backtick that opens nothing on its line is an entity,
//! and every fence stands at the start of its line: so what is read here as code is code for every reader of CommonMark,
//! and nothing else becomes a link.

use super::Citation;

/// Longest text in brackets, code between backticks, or address, in bytes; what is longer is plain text.
const MAX_SPAN: usize = 2000;

/// A block of code between fences.
#[derive(Clone, Debug)]
struct Fence {
    mark: char,
    length: usize,
    /// Indentation of its lines.
    indent: usize,
}

/// A text as it arrives.
pub(super) struct CitationLinker<'a> {
    /// The passages that may be cited, by their numbers from 1.
    passages: Vec<&'a Citation>,
    /// Passages that were cited, by the numbers that they have in the text from 1.
    cited: Vec<usize>,
    /// Input that cannot be emitted yet.
    pending: String,
    is_line_start: bool,
    fence: Option<Fence>,
    /// Whether the current line can divide the head of a table from its rows; `None` if it is
    /// empty.
    divides: Option<bool>,
    /// Whether a table may have begun.
    is_table: bool,
    /// The last character that was told.
    last: char,
}

/// Number of bytes that were emitted, or `None` if more input is needed.
type EmittedLen = Option<usize>;

impl<'a> CitationLinker<'a> {
    pub(super) fn new(passages: Vec<&'a Citation>) -> Self {
        Self {
            passages,
            cited: Vec::new(),
            pending: String::new(),
            is_line_start: true,
            fence: None,
            divides: None,
            is_table: false,
            last: '\n',
        }
    }

    /// Output that is complete after `piece`.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.pending.push_str(piece);
        self.tell(false)
    }

    /// The rest, as nothing more arrives.
    pub(super) fn finish(&mut self) -> String {
        let mut rest = self.tell(true);
        if let Some(fence) = self.fence.take() {
            if self.last != '\n' {
                rest.push('\n');
            }
            rest.extend(std::iter::repeat_n(fence.mark, fence.length));
        }
        rest
    }

    fn tell(&mut self, is_all: bool) -> String {
        let text = std::mem::take(&mut self.pending);
        let mut out = String::new();
        let mut at = 0;
        while at < text.len() {
            let Some(used) = self.step(&text[at..], is_all, &mut out) else {
                break;
            };
            at += used;
        }
        self.pending = text[at..].to_owned();
        out
    }

    /// Emits the beginning of `rest`.
    fn step(&mut self, rest: &str, is_all: bool, out: &mut String) -> EmittedLen {
        if self.is_line_start {
            return match self.fence.clone() {
                Some(fence) => self.line_of_code(&fence, rest, is_all, out),
                None => self.line(rest, is_all, out),
            };
        }
        let first = rest.chars().next()?;
        if first == '\n' {
            self.end_line();
            self.say(out, "\n");
            return Some(1);
        }
        if self.fence.is_some() {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.say(out, &rest[..end]);
            return Some(end);
        }
        let used = self.inline(first, rest, is_all, out)?;
        for c in rest[..used].chars().filter(|c| !c.is_whitespace()) {
            let may =
                matches!(c, '|' | ':' | '-' | '>' | '*' | '+' | '.' | ')') || c.is_ascii_digit();
            self.divides = Some(self.divides.unwrap_or(true) && may);
        }
        Some(used)
    }

    fn end_line(&mut self) {
        self.is_line_start = true;
        self.is_table = match self.divides.take() {
            None => false,
            Some(divides) => self.is_table || divides,
        };
    }

    fn say(&mut self, out: &mut String, text: &str) {
        if let Some(last) = text.chars().next_back() {
            self.last = last;
            out.push_str(text);
        }
    }

    /// The start of a line of code: its end if it closes the block, else what it is indented by.
    fn line_of_code(
        &mut self,
        fence: &Fence,
        rest: &str,
        is_all: bool,
        out: &mut String,
    ) -> EmittedLen {
        let line = rest.split('\n').next().unwrap_or(rest);
        let is_open = line.len() == rest.len() && !is_all;
        let bare = line.trim_matches([' ', '\t']);
        let marks = bare.chars().take_while(|c| *c == fence.mark).count();
        if marks == bare.len() && is_open {
            // It may close the block, or go on.
            return None;
        }
        self.is_line_start = false;
        if marks == bare.len() && marks >= fence.length {
            self.fence = None;
            self.divides = Some(false);
            let mark = fence.mark.to_string();
            self.say(out, &mark.repeat(fence.length));
            return Some(line.len());
        }
        let indent = line.bytes().take_while(|byte| *byte == b' ').count();
        Some(indent.min(fence.indent))
    }

    /// The start of a line of prose: all of it if it opens a block of code.
    fn line(&mut self, rest: &str, is_all: bool, out: &mut String) -> EmittedLen {
        let line = rest.split('\n').next().unwrap_or(rest);
        let is_open = line.len() == rest.len() && !is_all;
        if is_open && may_open(line) {
            return None;
        }
        let (item, column) = marker(line);
        let bare = line[column..].trim_start_matches([' ', '\t']);
        let mark = bare.chars().next();
        let mark = mark.filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| bare.chars().take_while(|c| *c == mark).count());
        self.is_line_start = false;
        let Some(mark) = mark.filter(|_| length >= 3) else {
            return Some(0);
        };
        if is_open && line.len() < MAX_SPAN {
            self.is_line_start = true;
            return None;
        }
        let info = &bare[length..];
        if mark == '`' && info.contains('`') {
            return Some(0);
        }
        if item > 0 {
            let item = line[..item].to_owned();
            self.say(out, &item);
            self.say(out, "\n");
        }
        let language = info.trim().split([' ', '{', ',']).next().unwrap_or("");
        let is_plain = |c: &char| c.is_alphanumeric() || "+-#._".contains(*c);
        let language: String = language.chars().filter(is_plain).collect();
        let opening = format!("{}{language}", mark.to_string().repeat(length));
        self.say(out, &opening);
        self.fence = Some(Fence {
            mark,
            length,
            indent: line.len() - bare.len(),
        });
        Some(line.len())
    }

    fn inline(&mut self, first: char, rest: &str, is_all: bool, out: &mut String) -> EmittedLen {
        match first {
            '\\' => self.escape(rest, is_all, out),
            '`' => self.code(rest, is_all, out),
            '!' => match rest.chars().nth(1) {
                None if !is_all => None,
                // An image is its text, as a link is.
                Some('[' | '【') => Some(1),
                _ => {
                    self.say(out, "!");
                    Some(1)
                }
            },
            '~' => match rest
                .bytes()
                .take_while(|byte| *byte == b'~')
                .take(3)
                .count()
            {
                // What stands before it may be dropped: a fence would begin at the start of a line.
                count if count == 3 || self.last == '~' => {
                    self.say(out, "\\~");
                    Some(1)
                }
                count if count == rest.len() && !is_all => None,
                count => {
                    self.say(out, &rest[..count]);
                    Some(count)
                }
            },
            '[' => self.bracket(rest, ']', is_all, out),
            '【' => self.bracket(rest, '】', is_all, out),
            '<' => {
                let next = rest.chars().nth(1);
                if next.is_none() && !is_all {
                    return None;
                }
                // What comes next may be dropped: only what cannot be is looked at.
                let is_less = |c: char| c.is_whitespace() || c.is_ascii_digit() || c == '=';
                let text = if next.is_none_or(is_less) { "<" } else { "\\<" };
                self.say(out, text);
                Some(1)
            }
            _ if !self.last.is_alphanumeric() && starts_address(first) => {
                self.address(first, rest, is_all, out)
            }
            _ => {
                self.say(out, first.encode_utf8(&mut [0; 4]));
                Some(first.len_utf8())
            }
        }
    }

    fn escape(&mut self, rest: &str, is_all: bool, out: &mut String) -> EmittedLen {
        let next = rest.chars().nth(1);
        match next {
            None if !is_all => None,
            Some('`') => {
                self.say(out, BACKTICK);
                Some(2)
            }
            Some(next) if next.is_ascii_punctuation() => {
                self.say(out, &rest[..2]);
                Some(2)
            }
            Some('\n') => {
                self.say(out, "\\");
                Some(1)
            }
            _ => {
                self.say(out, "\\\\");
                Some(1)
            }
        }
    }

    /// Code between backticks, if they are closed on their line; else the backticks as text.
    fn code(&mut self, rest: &str, is_all: bool, out: &mut String) -> EmittedLen {
        let length = rest.bytes().take_while(|byte| *byte == b'`').count();
        let line = rest.split('\n').next().unwrap_or(rest);
        let is_open = line.len() == rest.len() && !is_all && line.len() < MAX_SPAN;
        let Some(end) = closing(line, length) else {
            if is_open {
                return None;
            }
            self.say(out, &BACKTICK.repeat(length));
            return Some(length);
        };
        if end == line.len() && is_open {
            // More backticks may follow.
            return None;
        }
        let mut code = line[..end].to_owned();
        if code.contains('|') {
            // A bar divides cells before it is code, so it matters whether this is the head or a row of a table.
            let below = rest[line.len()..].strip_prefix('\n');
            let below = match below {
                Some(below) if below.contains('\n') || is_all => below,
                None if is_all => "",
                _ if rest.len() < MAX_SPAN => return None,
                _ => "|-",
            };
            let below = below.split('\n').next().unwrap_or("");
            if self.is_table || is_divider(below) {
                code = code.replace("\\|", "|").replace('|', "\\|");
            }
        }
        if self.last == '`' {
            self.say(out, " ");
        }
        self.say(out, &code);
        Some(end)
    }

    /// A citation, the text of a link or of an image, or a bracket.
    fn bracket(&mut self, rest: &str, close: char, is_all: bool, out: &mut String) -> EmittedLen {
        let open = rest.chars().next()?;
        let line = rest.split('\n').next().unwrap_or(rest);
        let is_open = line.len() == rest.len() && !is_all && line.len() < MAX_SPAN;
        let Some(end) = matching(line, open, close) else {
            if is_open {
                return None;
            }
            return self.plain_bracket(open, out);
        };
        let inner = &line[open.len_utf8()..end - close.len_utf8()];
        let after = &line[end..];
        if after.is_empty() && is_open {
            return None;
        }
        let target = match after.starts_with('(') {
            true => match matching(after, '(', ')') {
                Some(to) => Some(&after[1..to - 1]),
                None if is_open => return None,
                None => None,
            },
            false => None,
        };
        let used = end + target.map_or(0, |target| target.len() + 2);
        if let Some(numbers) = numbers(inner) {
            let is_number = numbers.iter().all(|number| (1..100).contains(number));
            if is_number || target.is_some() {
                for number in numbers {
                    self.cite(number.wrapping_sub(1), None, out);
                }
                return Some(used);
            }
        }
        let Some(target) = target else {
            return self.plain_bracket(open, out);
        };
        let target = target.split_whitespace().next().unwrap_or("");
        let known = self.passages.iter().position(|one| one.url == target);
        let text = literal(inner);
        match known {
            Some(at) => self.cite(at, Some(&text), out),
            None => self.say(out, &text),
        }
        Some(used)
    }

    fn plain_bracket(&mut self, open: char, out: &mut String) -> EmittedLen {
        match open {
            '[' => self.say(out, "\\["),
            _ => self.say(out, open.encode_utf8(&mut [0; 4])),
        }
        Some(open.len_utf8())
    }

    /// Emits a link to the passage at `at`, with its number as the text if there is none; nothing
    /// for an unknown number.
    fn cite(&mut self, at: usize, text: Option<&str>, out: &mut String) {
        let Some(passage) = self.passages.get(at) else {
            return;
        };
        let known = self.cited.iter().position(|cited| *cited == at);
        let place = known.unwrap_or_else(|| {
            self.cited.push(at);
            self.cited.len() - 1
        });
        let number = (place + 1).to_string();
        let text = text.filter(|text| !text.is_empty()).unwrap_or(&number);
        // An exclamation mark before it would make an image of it.
        let gap = if self.last == '!' { " " } else { "" };
        let link = format!("{gap}[{text}]({})", passage.url);
        self.say(out, &link);
    }

    /// An address that stands in the text, as code: nothing makes a link of that.
    fn address(&mut self, first: char, rest: &str, is_all: bool, out: &mut String) -> EmittedLen {
        let bytes = rest.as_bytes();
        let begins = |scheme: &&str| {
            let shared = scheme.len().min(bytes.len());
            bytes[..shared].eq_ignore_ascii_case(&scheme.as_bytes()[..shared])
        };
        let scheme = ["https://", "http://", "www.", "ftp://"]
            .into_iter()
            .find(begins);
        let Some(scheme) = scheme else {
            self.say(out, first.encode_utf8(&mut [0; 4]));
            return Some(first.len_utf8());
        };
        if rest.len() <= scheme.len() && !is_all {
            return None;
        }
        let is_end = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`|[]()\\".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        if end == rest.len() && !is_all && end < MAX_SPAN {
            return None;
        }
        let address = rest[..end].trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '/');
        if address.len() <= scheme.len() {
            self.say(out, first.encode_utf8(&mut [0; 4]));
            return Some(first.len_utf8());
        }
        if self.last == '`' {
            self.say(out, " ");
        }
        let code = format!("`{address}`");
        self.say(out, &code);
        Some(address.len())
    }
}

/// A backtick that opens and closes nothing.
const BACKTICK: &str = "&#96;";

/// The length of the marker of a list item with which `line` begins, and where its content stands.
pub(super) fn marker(line: &str) -> (usize, usize) {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let marks = match rest[digits..].bytes().next() {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return (0, 0),
    };
    match rest[marks..].starts_with(' ') {
        true => (indent + marks, indent + marks),
        false => (0, 0),
    }
}

/// Returns true if more of `line` is needed to tell whether it opens a block of code.
fn may_open(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match rest.as_bytes().get(digits) {
        None => "",
        Some(b'-' | b'*' | b'+') if digits == 0 => &rest[1..],
        Some(b'.' | b')') if digits > 0 => &rest[digits + 1..],
        _ => rest,
    };
    rest.trim_start_matches([' ', '\t'])
        .chars()
        .all(|c| matches!(c, '`' | '~'))
}

/// Returns true if `line` can divide the head of a table from its rows.
pub(super) fn is_divider(line: &str) -> bool {
    let mut has_dash = false;
    let mut is_other = false;
    for c in line.chars().filter(|c| !c.is_whitespace()) {
        has_dash |= c == '-';
        is_other |= !matches!(c, '|' | ':' | '-' | '>');
    }
    has_dash && !is_other
}

/// End of the code that `length` backticks open at the start of `line`, after the closing ones on that line.
pub(super) fn closing(line: &str, length: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = length;
    while at < bytes.len() && bytes[at] != b'\n' {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        at += run;
        if run == length {
            return Some(at);
        }
    }
    None
}

/// End of what `open` opens at the start of `line`, after `close`.
pub(super) fn matching(line: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + c.len_utf8());
            }
        }
        if at > MAX_SPAN {
            return None;
        }
    }
    None
}

/// The numbers that `text`, which stands in brackets, cites: `1`, `1, 2`, `^1`, `source 1`, `1†L3`.
fn numbers(text: &str) -> Option<Vec<usize>> {
    let text = text.split('†').next().unwrap_or(text).trim();
    let text = text.strip_prefix('^').unwrap_or(text);
    let is_word = |word: &&str| {
        let words = ["source", "sources", "passage", "passages", "and"];
        !word.is_empty() && !words.iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    let words = text.split([',', ';', ' ', '&']).filter(is_word);
    let numbers: Option<Vec<usize>> = words
        .map(|word| word.parse().ok().filter(|number| *number < 10_000))
        .collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

/// `text` as CommonMark that says just this.
fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // What is escaped is said once.
            '\\' if chars.peek().is_some_and(char::is_ascii_punctuation) => {}
            '`' => escaped.push_str(BACKTICK),
            '!' | '[' | ']' | '(' | ')' | '<' | '>' | '*' | '_' | '~' | '\\' | '|' | '&' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // An address in it is none.
            ':' | '.' => escaped.push_str(&format!("\\{c}")),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn starts_address(c: char) -> bool {
    matches!(c, 'h' | 'H' | 'w' | 'W' | 'f' | 'F')
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    fn passages() -> Vec<Citation> {
        let urls = ["/guides/keys#rotate", "/guides/keys", "/api/tickets"];
        let passages = urls.map(|url| Citation {
            url: url.to_owned(),
            place: vec!["Keys".to_owned()],
        });
        passages.into()
    }

    fn cited_text(pieces: &[&str]) -> String {
        let passages = passages();
        let mut cited = CitationLinker::new(passages.iter().collect());
        let mut text: String = pieces.iter().map(|piece| cited.push(piece)).collect();
        text.push_str(&cited.finish());
        text
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(cited_text(&[text]), expected);
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(
                cited_text(&[&text[..at], &text[at..]]),
                expected,
                "cut at {at}"
            );
        }
        let each: Vec<String> = text.chars().map(String::from).collect();
        let each: Vec<&str> = each.iter().map(String::as_str).collect();
        assert_eq!(cited_text(&each), expected);
    }

    #[test]
    fn citations_are_links_in_the_order_in_which_they_stand() {
        check(
            "Rotate it [2]. Then wait [1][2], or [3, 1].",
            "Rotate it [1](/guides/keys). Then wait [2](/guides/keys#rotate)[1](/guides/keys), or \
             [3](/api/tickets)[2](/guides/keys#rotate).",
        );
        check(
            "So【1†L3-L4】 and [^3].",
            "So[1](/guides/keys#rotate) and [2](/api/tickets).",
        );
        check(
            "See [the guide](/guides/keys) and [1](https://evil.example).",
            "See [the guide](/guides/keys) and [2](/guides/keys#rotate).",
        );
    }

    #[test]
    fn what_was_not_given_is_not_cited() {
        check(
            "So [7] it is [4, 1].",
            "So  it is [1](/guides/keys#rotate).",
        );
        check("In [2024] and items[0].", "In \\[2024] and items\\[0].");
        let passages = passages();
        let mut cited = CitationLinker::new(passages.iter().collect());
        let _ = cited.push("So [7] it is.\n");
        assert_eq!(cited.cited, [0; 0]);
    }

    #[test]
    fn only_text_comes_out() {
        check("![a cat](https://evil.example/x.png)", "a cat");
        check(
            "[here](javascript:alert(1)) or [there](//evil.example)",
            "here or there",
        );
        check(
            "<img src=x onerror=alert(1)>",
            "\\<img src=x onerror=alert(1)>",
        );
        check(
            "a < b, <https://evil.example>.",
            "a < b, \\<`https://evil.example`>.",
        );
        check(
            "Go to https://evil.example/x?y=1.",
            "Go to `https://evil.example/x?y=1`.",
        );
        check(
            "[a]: https://evil.example\n[a]",
            "\\[a]: `https://evil.example`\n\\[a]",
        );
        check(
            "![1] and !【1】",
            "[1](/guides/keys#rotate) and [1](/guides/keys#rotate)",
        );
    }

    #[test]
    fn code_stays_as_it_is() {
        check(
            "Use `a[1] | <b>` so:\n\n```html {1}\n<img src=\"http://x/[1]\">\n```\n",
            "Use `a[1] | <b>` so:\n\n```html\n<img src=\"http://x/[1]\">\n```\n",
        );
        check(
            "1. Do:\n   ```sh\n   echo [1]\n     two\n   ```\n2. Done",
            "1. Do:\n```sh\necho [1]\n  two\n```\n2. Done",
        );
        check("- ```sh\n  a\n  ```\n", "-\n```sh\na\n```\n");
        check("~~~\n```\n[1]", "~~~\n```\n[1]\n~~~");
        check("a ` b\n`c`", "a &#96; b\n`c`");
        check(
            "| `a | b` |\n|---|\n| `c | d` |\n",
            "| `a \\| b` |\n|---|\n| `c \\| d` |\n",
        );
    }

    #[test]
    fn whatever_a_model_writes_loads_and_leads_nowhere_else() {
        const PIECES: &[&str] = &[
            "`",
            "`",
            "``",
            "```",
            "~~~",
            "[",
            "]",
            "(",
            ")",
            "!",
            "![",
            "](",
            "<",
            ">",
            "|",
            "|",
            "---",
            "|---|",
            "\n",
            "\n",
            "\n\n",
            "    ",
            "  ",
            "\t",
            "- ",
            "> ",
            "1. ",
            "# ",
            "\\",
            "[1]",
            "[9]",
            "【1】",
            "<img src=x>",
            "http://evil.example/x.png",
            "javascript:alert(1)",
            "&lt;",
            "*",
            "_",
            "a",
            "b c",
            ":",
            "[a]:",
            "www.evil.example",
            "![x](http://evil.example/a.png)",
            "[x](/guides/keys)",
            "<http://evil.example>",
            "[^a]",
            "[^a]:",
            "===",
            "&#96;",
            "é",
            "$",
        ];
        let allowed: Vec<String> = passages().into_iter().map(|one| one.url).collect();
        let mut next = 11_u32;
        let mut random = |most: usize| {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (next >> 8) as usize % most
        };
        let mut links = 0;
        for _ in 0..60_000 {
            let text: String = (0..1 + random(24))
                .map(|_| PIECES[random(PIECES.len())])
                .collect();
            let out = cited_text(&[&text]);
            let mut at = random(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            assert_eq!(
                cited_text(&[&text[..at], &text[at..]]),
                out,
                "{text:?} cut at {at}"
            );
            let tables =
                Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS;
            for options in [Options::empty(), tables | Options::ENABLE_STRIKETHROUGH] {
                for event in Parser::new_ext(&out, options) {
                    match event {
                        Event::Start(Tag::Link { dest_url, .. }) => {
                            links += 1;
                            assert!(
                                allowed.iter().any(|url| **url == *dest_url),
                                "{text:?} {out:?}"
                            );
                        }
                        Event::Start(Tag::Image { .. } | Tag::FootnoteDefinition(_))
                        | Event::Html(_)
                        | Event::InlineHtml(_)
                        | Event::FootnoteReference(_) => panic!("{event:?}: {text:?} {out:?}"),
                        _ => {}
                    }
                }
            }
        }
        assert!(links > 1000, "{links}");
    }
}
