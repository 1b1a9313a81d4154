//! Codes: words that hyphens and dots join, with a digit in them, such as `190876A-C`, `RFC-7231` or `1.2.3-beta`.
//!
//! A page has a code as one word in addition to its pieces, so a question for it finds that page
//! before any that has the pieces. A sign is part of the code only between two digits: `utf-8` is
//! `utf8`, but `1.2.3` is not `123`.

use std::ops::Range;

use crate::index::words::{Run, Script, join_parts, parts, runs, script};

/// The longest code, in characters.
const MAX_CODE: usize = 64;

/// Finds the codes of a text while its runs are read in order.
#[derive(Default)]
pub(super) struct Codes {
    /// End of the last code, or of the last text that looks like one.
    end: usize,
}

impl Codes {
    /// The code that begins with `run`.
    pub(super) fn at(&mut self, text: &str, run: &Run) -> Option<Range<usize>> {
        if run.script == Script::Unspaced || run.bytes.start < self.end {
            return None;
        }
        let mut end = run.bytes.end;
        while let Some(rest) = text[end..].strip_prefix(is_joint) {
            let word = rest.find(|c| script(c) != Some(Script::Spaced));
            let word = word.unwrap_or(rest.len());
            if word == 0 {
                break;
            }
            end = text.len() - rest.len() + word;
        }
        self.end = end;
        let code = run.bytes.start..end;
        let has_digit = || text[code.clone()].bytes().any(|b| b.is_ascii_digit());
        let is_code = end > run.bytes.end && has_digit();
        (is_code && text[code.clone()].chars().count() <= MAX_CODE).then_some(code)
    }
}

/// Returns true if `c` separates the words of a code.
fn is_joint(c: char) -> bool {
    c == '.' || is_hyphen(c)
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

/// Returns the range of the code at `bytes`, and those of the codes between its hyphens: `1.2.3` in
/// `1.2.3-beta`.
pub(super) fn codes_within(text: &str, bytes: Range<usize>) -> Vec<Range<usize>> {
    let code = &text[bytes.clone()];
    let mut all = vec![bytes.clone()];
    let mut start = 0;
    for piece in code.split(is_hyphen) {
        let at = bytes.start + start;
        let is_code = piece.contains('.') && piece.bytes().any(|b| b.is_ascii_digit());
        if is_code && piece.len() < code.len() {
            all.push(at..at + piece.len());
        }
        start += piece.len();
        start += code[start..].chars().next().map_or(0, char::len_utf8);
    }
    all
}

/// A code as one word, in lower case.
pub(super) fn spelled(code: &str) -> String {
    let mut word = String::with_capacity(code.len());
    let mut sign = None;
    for Run { bytes, .. } in runs(code) {
        let run = &code[bytes.clone()];
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if let Some(sign) = sign
            && is_digit(word.chars().next_back())
            && is_digit(run.chars().next())
        {
            word.push(sign);
        }
        word.push_str(&join_parts(run, &parts(run)));
        sign = code[bytes.end..].chars().next();
        sign = sign.map(|sign| if sign == '.' { '.' } else { '-' });
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(text: &str) -> Vec<String> {
        let mut codes = Codes::default();
        let found = runs(text).filter_map(|run| codes.at(text, &run));
        let all = found.flat_map(|code| codes_within(text, code));
        all.map(|code| spelled(&text[code])).collect()
    }

    #[test]
    fn codes_are_one_word() {
        for (text, expected) in [
            ("The part 190876A-C fits.", &["190876ac"][..]),
            ("RFC-7231, ISO-8601-1", &["rfc7231", "iso8601-1"]),
            ("utf-8 UTF‑8", &["utf8", "utf8"]),
            ("x86-64 x86_64-v3", &["x86-64", "x8664v3"]),
            ("1.2.3-beta", &["1.2.3beta", "1.2.3"]),
            ("v2.3.1-rc.1!", &["v2.3.1rc1", "v2.3.1", "rc1"]),
            ("gpt-4o-mini E-0042 4.04", &["gpt4omini", "e0042", "4.04"]),
            ("Größe-42", &["größe42"]),
            ("KB4012212 node.js well-known 3 - 4 v2. Then 1-", &[]),
            ("第3-4章 3月-4", &["3-4"]),
        ] {
            assert_eq!(codes_of(text), expected, "{text}");
        }
    }

    #[test]
    fn long_data_is_no_code() {
        assert!(codes_of(&"4f-".repeat(40)).is_empty());
    }
}
