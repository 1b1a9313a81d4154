//! JSON text: parsed by serde_json, with a scanner of ours that finds where a node stands and which keys repeat.

pub(super) mod text;

use std::collections::HashMap;

use serde_json::Value;

use self::text::JsonText;
use super::pointer;
use crate::content::ContentHash;
use crate::diagnostic::{Code, Diagnostic, Parsed};
use crate::path::SitePath;
use crate::place::{Part, Place};

/// Parses `text`, the content of `path`; `null` and one located diagnostic when it is not JSON (RFC 8259). A byte order
/// mark is tolerated. Repeated keys are reported; the last one wins.
pub fn parse(path: &SitePath, text: &str) -> Parsed<Value> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str(body) {
        Ok(value) => {
            let mut diagnostics = Vec::new();
            for pointer in repeated(body, "") {
                let name = pointer::segments(&pointer).last().unwrap_or_default();
                diagnostics.push(
                    Diagnostic::new(
                        Code::DuplicateKey,
                        Place::key(path, pointer),
                        format!("`{name}` appears more than once here; the last one is used"),
                    )
                    .hint("remove all but one"),
                );
            }
            Parsed { value, diagnostics }
        }
        Err(error) => {
            let at = offset_of(body, error.line(), error.column()) + (text.len() - body.len());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or("invalid JSON");
            let diagnostic = Diagnostic::new(
                Code::InvalidJson,
                Place::in_text(path, text, at, 1),
                format!("not valid JSON: {message}"),
            )
            .hint("look for a missing comma, quote or bracket at or just before this place");
            Parsed {
                value: Value::Null,
                diagnostics: vec![diagnostic],
            }
        }
    }
}

/// The byte offset of line `line` (from 1), column `column` (from 1, in bytes) as serde_json counts them.
pub(super) fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (start + column.saturating_sub(1)).min(text.len().saturating_sub(1))
}

/// Where the nodes of one JSON text are. What was found on the way to one node is kept for the next.
#[derive(Debug, Default)]
pub struct Positions {
    /// The children of each node that was entered, by where its value begins.
    nodes: HashMap<usize, Children>,
}

/// By their keys, or their numbers in decimal: where the key stands (an item has none) and where the value begins. Of members with the same key the last one counts.
type Children = HashMap<String, (Option<(usize, usize)>, usize)>;

impl Positions {
    /// The byte offset and length in `text` of the node at `wanted`, or of the nearest enclosing node. A value that runs over
    /// several lines is pointed at by its first line. `None` when `text` is not JSON up to that node.
    ///
    /// Steps over everything that is not on the way there, so that a place in a document of 13 MB costs milliseconds.
    pub fn of(&mut self, text: &str, wanted: &str, part: Part) -> Option<(usize, usize)> {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut scan = JsonText { text, at };
        let mut segments = pointer::segments(wanted).peekable();
        // Of the last segment that was found: its key (an item of an array has none), then its value.
        let mut found = None;
        scan.space();
        while let Some(segment) = segments.next() {
            let is_last = segments.peek().is_none();
            let children = (self.nodes.entry(scan.at)).or_insert_with(|| children(text, scan.at));
            let Some((key, start)) = children.get(&segment) else {
                return found;
            };
            scan.at = *start;
            found = Some(match key {
                Some(key) if part == Part::Key || !is_last => *key,
                _ => {
                    let mut end = JsonText { text, at: *start };
                    let _ = end.skip();
                    (*start, end.at - start)
                }
            });
        }
        if wanted.is_empty() {
            let start = scan.at;
            scan.skip().ok()?;
            return Some((start, scan.at - start));
        }
        found
    }
}

/// The byte offset and length of one node, as [`Positions::of`] finds it.
pub fn position(text: &str, wanted: &str, part: Part) -> Option<(usize, usize)> {
    Positions::default().of(text, wanted, part)
}

/// The children of the value that begins at `at`, as far as it is well-formed.
fn children(text: &str, at: usize) -> Children {
    let mut scan = JsonText { text, at };
    let open = scan.byte();
    let mut children = Children::new();
    if !matches!(open, b'{' | b'[') {
        return children;
    }
    scan.at += 1;
    for index in 0usize.. {
        scan.space();
        if matches!(scan.byte(), b'}' | b']' | 0) {
            break;
        }
        if open == b'{' {
            let start = scan.at;
            let Ok(key) = scan.key() else {
                break;
            };
            let width = text[start..scan.at].trim_end_matches(':').trim_end().len();
            scan.space();
            children.insert(key, (Some((start, width)), scan.at));
        } else {
            children.insert(index.to_string(), (None, scan.at));
        }
        if scan.skip().is_err() {
            break;
        }
        scan.space();
        if scan.byte() == b',' {
            scan.at += 1;
        }
    }
    children
}

/// The pointers of the members of `text` that repeat an earlier one, where `base` is the pointer of the whole.
pub(super) fn repeated(text: &str, base: &str) -> Vec<String> {
    let mut repeated = Vec::new();
    Scanner { text, at: 0 }.value(base, &mut |pointer| repeated.push(pointer.to_owned()));
    repeated
}

/// Walks well-formed JSON in search of keys that repeat; on malformed text it stops early.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn value(&mut self, pointer: &str, see: &mut dyn FnMut(&str)) -> Option<()> {
        // serde_json refuses to nest deeper than 128, so this recursion is bounded for text that it accepted; for text
        // that it refused the depth is bounded here.
        if pointer.bytes().filter(|byte| *byte == b'/').count() > 128 {
            return None;
        }
        let first = self.peek()?;
        match first {
            b'{' => {
                self.at += 1;
                let mut seen = std::collections::HashSet::new();
                while self.peek()? != b'}' {
                    let key = self.string()?;
                    let child = pointer::child(pointer, &key);
                    if !seen.insert(key) {
                        see(&child);
                    }
                    (self.peek()? == b':').then_some(())?;
                    self.at += 1;
                    self.value(&child, see)?;
                    if self.peek()? == b',' {
                        self.at += 1;
                    }
                }
                self.at += 1;
            }
            b'[' => {
                self.at += 1;
                let mut index = 0;
                while self.peek()? != b']' {
                    self.value(&pointer::item(pointer, index), see)?;
                    index += 1;
                    if self.peek()? == b',' {
                        self.at += 1;
                    }
                }
                self.at += 1;
            }
            b'"' => {
                self.string()?;
            }
            _ => {
                let rest = &self.text[self.at..];
                let len = rest
                    .find(|c: char| c.is_whitespace() || ",]}".contains(c))
                    .unwrap_or(rest.len());
                self.at += len;
                (len > 0).then_some(())?;
            }
        }
        Some(())
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        (self.text.as_bytes().get(start) == Some(&b'"')).then_some(())?;
        self.at += 1;
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }
}

/// The digest of the JSON `text` without the white space between its parts: equal for texts that differ in layout only.
/// What is no JSON has the digest of something else.
pub fn compact_digest(text: &[u8]) -> ContentHash {
    let mut compact = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        match first {
            b' ' | b'\t' | b'\n' | b'\r' => rest = after,
            b'"' => {
                let end = string_end(after).map_or(rest.len(), |end| end + 2);
                compact.extend_from_slice(&rest[..end]);
                rest = &rest[end..];
            }
            _ => {
                let is_other = |byte: &u8| matches!(byte, b'"' | b' ' | b'\t' | b'\n' | b'\r');
                let end = rest.iter().position(is_other).unwrap_or(rest.len());
                compact.extend_from_slice(&rest[..end]);
                // A gap between two bare words is a mistake that must not go with the gap.
                let gap = rest[end..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_whitespace());
                let gap = gap.count();
                let is_bare = |byte: Option<&u8>| {
                    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
                };
                if gap > 0 && is_bare(compact.last()) && is_bare(rest.get(end + gap)) {
                    compact.push(b' ');
                }
                rest = &rest[end..];
            }
        }
    }
    ContentHash::of(&compact)
}

/// Where the string of which `text` is the rest ends: the place of its closing quote.
fn string_end(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_json_knows_no_layout() {
        let of = |text: &str| compact_digest(text.as_bytes());
        let text = r#"{"a b": [1, "c \" , d\\", -2.5e+1], "e": {}}"#;
        assert_eq!(
            of(text),
            of("{\"a b\":[1,\"c \\\" , d\\\\\",-2.5e+1],\n\t\"e\" : {\r\n } }")
        );
        for other in [
            r#"{"ab": [1, "c \" , d\\", -2.5e+1], "e": {}}"#,
            r#"{"a b": [1, "c \", d\\", -2.5e+1], "e": {}}"#,
            r#"{"e": {}, "a b": [1, "c \" , d\\", -2.5e+1]}"#,
        ] {
            assert_ne!(of(text), of(other), "{other}");
        }
        // None of these is JSON, and none is taken for what is.
        assert_ne!(of("[1 2]"), of("[12]"));
        assert_ne!(of("\"open"), of("\"open\""));
        assert_ne!(of("\"open\\"), of("\"open"));
        of("");
    }

    #[track_caller]
    fn check_position(pointer: &str, part: Part, expected: &str) {
        let text = r#"{"a": {"b/c": [1, {"d": "x"}]}, "n": 12}"#;
        let (at, len) = position(text, pointer, part).unwrap();
        assert_eq!(&text[at..at + len], expected);
    }

    #[test]
    fn positions_point_at_keys_and_values() {
        check_position("/a/b~1c/1/d", Part::Value, "\"x\"");
        check_position("/a/b~1c/1/d", Part::Key, "\"d\"");
        check_position("/a/b~1c/0", Part::Value, "1");
        check_position("/n", Part::Value, "12");
    }

    #[test]
    fn a_missing_node_is_pointed_at_by_the_nearest_one_around_it() {
        check_position("/a/nope", Part::Value, "\"a\"");
        check_position("/a/b~1c/1/nope/deeper", Part::Key, "{\"d\": \"x\"}");
    }

    #[test]
    fn broken_json_is_one_diagnostic_at_its_place() {
        let path = SitePath::new("docs.json").unwrap();
        let parsed = parse(&path, "{\n  \"a\": 1\n  \"b\": 2\n}");
        assert_eq!(parsed.diagnostics.len(), 1);
        let Place::Block { line, column, .. } = parsed.diagnostics[0].place else {
            panic!("{:?}", parsed.diagnostics)
        };
        assert_eq!((line, column), (2, 2));
    }

    #[test]
    fn repeated_keys_are_reported() {
        let path = SitePath::new("docs.json").unwrap();
        let parsed = parse(&path, r#"{"a": 1, "a": 2}"#);
        assert_eq!(parsed.value["a"], 2);
        assert_eq!(parsed.diagnostics[0].code, Code::DuplicateKey);
    }
}
