//! JSON text: parsed by serde_json, with our own scanner for the positions of nodes and for
//! repeated keys.

pub(super) mod text;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use self::text::JsonText;
use super::pointer;
use crate::content::ContentHash;
use crate::diagnostic::{Code, Diagnostic, Parsed};
use crate::path::SitePath;
use crate::place::{Part, Place};

/// Returns the value of a part of a document, `null` if it is invalid. Its numbers are spelled as
/// they are in `text`, where serde_json would add a sign to exponents.
pub fn spelled(text: &[u8]) -> Value {
    let mut value = serde_json::from_slice(text).unwrap_or(Value::Null);
    let has = |sign: fn(u8) -> bool| {
        let mut exponents = memchr::memchr2_iter(b'e', b'E', text);
        exponents.any(|at| {
            let is_number = at > 0 && text[at - 1].is_ascii_digit();
            is_number && text.get(at + 1).copied().is_some_and(sign)
        })
    };
    if has(|next| next.is_ascii_digit()) && !has(|next| next == b'+') {
        without_signs(&mut value);
    }
    value
}

/// Writes the exponents of numbers without a redundant sign.
fn without_signs(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            if text.contains("e+") {
                *number = serde_json::Number::from_string_unchecked(text.replace("e+", "e"));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_signs),
        Value::Object(members) => members.values_mut().for_each(without_signs),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

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
        Err(error) => Parsed {
            value: Value::Null,
            diagnostics: vec![fault(path, text, &error).0],
        },
    }
}

/// Returns a diagnostic for a text that is not JSON, and the byte offset of the error.
pub fn fault(path: &SitePath, text: &str, error: &serde_json::Error) -> (Diagnostic, usize) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let at = offset_of(body, error.line(), error.column()) + (text.len() - body.len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or("invalid JSON");
    let place = Place::in_text(path, text, at, 1);
    let diagnostic = Diagnostic::new(
        Code::InvalidJson,
        place,
        format!("not valid JSON: {message}"),
    );
    let hint = "look for a missing comma, quote or bracket at or just before this place";
    (diagnostic.hint(hint), at)
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

/// Positions of the nodes of one JSON text. Positions found on the way to one node are cached for
/// the next.
#[derive(Debug, Default)]
pub struct Positions {
    /// The children of each node that was entered, by where its value begins.
    nodes: HashMap<usize, Children>,
}

/// Children by key, or by index in decimal: the offset of the key (an item has none) and of the
/// value. Of members with the same key the last one counts.
type Children = HashMap<String, (Option<(usize, usize)>, usize)>;

impl Positions {
    /// The byte offset and length in `text` of the node at `target`, or of the nearest enclosing node. A value that runs over
    /// several lines is pointed at by its first line. `None` when `text` is not JSON up to that node.
    ///
    /// Steps over everything that is not on the way there, so that a place in a document of 13 MB costs milliseconds.
    pub fn of(&mut self, text: &str, target: &str, part: Part) -> Option<(usize, usize)> {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut scan = JsonText { text, at };
        let mut segments = pointer::segments(target).peekable();
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
        if target.is_empty() {
            let start = scan.at;
            scan.skip().ok()?;
            return Some((start, scan.at - start));
        }
        found
    }
}

/// The byte offset and length of one node, as [`Positions::of`] finds it.
pub fn position(text: &str, target: &str, part: Part) -> Option<(usize, usize)> {
    Positions::default().of(text, target, part)
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

/// The pointers of the members of `text` that repeat an earlier one, where `base` is the pointer of the whole. Of text that
/// is no JSON, those before the mistake.
pub(super) fn repeated(text: &str, base: &str) -> Vec<String> {
    let mut search = Repeated {
        scan: JsonText { text, at: 0 },
        base,
        way: Vec::new(),
        keys: Vec::new(),
    };
    // A scan that ends early has found the nodes before.
    let _ = search.value();
    search.keys
}

/// Walks JSON in search of keys that repeat. What it meets on the way is text of the document until something is found:
/// a configuration of thousands of pages is read after every edit.
struct Repeated<'t> {
    scan: JsonText<'t>,
    base: &'t str,
    way: Vec<Segment<'t>>,
    keys: Vec<String>,
}

/// A step from a node to one of its children.
enum Segment<'t> {
    Key(Cow<'t, str>),
    Item(usize),
}

impl<'t> Repeated<'t> {
    /// Steps over a value. serde_json nests no deeper than 128; text that it refused is bounded here.
    fn value(&mut self) -> Result<(), &'static str> {
        if self.way.len() > 128 {
            return Err("nested too deeply");
        }
        self.scan.space();
        let close = match self.scan.byte() {
            b'{' => b'}',
            b'[' => b']',
            _ => return self.scan.skip(),
        };
        let mut seen: Vec<Cow<'t, str>> = Vec::new();
        let mut many: HashSet<Cow<'t, str>> = HashSet::new();
        self.scan.at += 1;
        for index in 0usize.. {
            self.scan.space();
            match self.scan.byte() {
                byte if byte == close => break,
                0 => return Err("the document ends within a value"),
                _ => {}
            }
            let segment = match close {
                b'}' => Segment::Key(self.key()?),
                _ => Segment::Item(index),
            };
            let key = match &segment {
                Segment::Key(key) => Some(key.clone()),
                Segment::Item(_) => None,
            };
            self.way.push(segment);
            if let Some(key) = key {
                // Objects have few members, most of them; those with many are looked through by digest.
                if seen.contains(&key) || many.contains(&key) {
                    self.keys.push(self.pointer());
                } else if seen.len() < 16 {
                    seen.push(key);
                } else {
                    many.insert(key);
                }
            }
            self.value()?;
            self.way.pop();
            self.scan.space();
            if self.scan.byte() == b',' {
                self.scan.at += 1;
            }
        }
        self.scan.at += 1;
        Ok(())
    }

    /// Reads the key of a member, the colon behind it included: a piece of the text, unless something in it is escaped.
    fn key(&mut self) -> Result<Cow<'t, str>, &'static str> {
        let start = self.scan.at;
        let mut end = JsonText {
            text: self.scan.text,
            at: start,
        };
        if end.byte() != b'"' {
            return Err("a key in quotes was expected");
        }
        end.string()?;
        let written = (self.scan.text).get(start + 1..end.at.saturating_sub(1));
        match written {
            Some(written) if !written.contains('\\') => {
                end.space();
                if end.byte() != b':' {
                    return Err("a colon was expected");
                }
                self.scan.at = end.at + 1;
                Ok(Cow::Borrowed(written))
            }
            _ => self.scan.key().map(Cow::Owned),
        }
    }

    fn pointer(&self) -> String {
        let way = self.way.iter();
        way.fold(self.base.to_owned(), |above, segment| match segment {
            Segment::Key(key) => pointer::child(&above, key),
            Segment::Item(index) => pointer::item(&above, *index),
        })
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

/// Returns the end of the string of which `text` is the rest: the offset of its closing quote.
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

    #[test]
    fn numbers_are_spelled_as_they_are_written() {
        for text in [
            r#"{"a":1e3,"b":[1.10,-2e-3,0.10]}"#,
            r#"{"a":1e+3,"b":2}"#,
            r#"["1e3",12,9007199254740993]"#,
        ] {
            assert_eq!(spelled(text.as_bytes()).to_string(), text);
        }
        assert_eq!(spelled(b"{"), Value::Null);
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
    fn every_repeated_key_is_found_whatever_stands_around_it() {
        let many: Vec<String> = (0..40).map(|n| format!("\"k{n}\": {n}")).collect();
        let many = many.join(", ");
        for (text, expected) in [
            (
                r#"{"a": {"b": 1, "b": {"c": [], "c": 2}}}"#.to_owned(),
                &["/a/b", "/a/b/c"][..],
            ),
            (
                r#"[{"x/y": 1}, {"x/y": 1, "x\/y": 2}]"#.to_owned(),
                &["/1/x~1y"],
            ),
            (
                r#"{"a": "{\"a\": 1, \"a\": 2}", "b": [[["a"]], "a"]}"#.to_owned(),
                &[],
            ),
            (r#"{"a":1,"a":2,"a":3}"#.to_owned(), &["/a", "/a"]),
            (
                format!("{{{many}, \"k3\": 0, \"k39\": 1}}"),
                &["/k3", "/k39"],
            ),
            // Not JSON: the part before the error counts, and the scan ends.
            (r#"{"a": 1, "a": 2, b}"#.to_owned(), &["/a"]),
            ("[".repeat(100_000), &[]),
            (r#"{"a": "open"#.to_owned(), &[]),
            (r#"{"a"#.to_owned(), &[]),
            (String::new(), &[]),
        ] {
            assert_eq!(repeated(&text, ""), expected, "{text:.60}");
        }
        assert_eq!(repeated(r#"{"a": 1, "a": 2}"#, "/base"), ["/base/a"]);
    }

    #[test]
    fn repeated_keys_are_reported() {
        let path = SitePath::new("docs.json").unwrap();
        let parsed = parse(&path, r#"{"a": 1, "a": 2}"#);
        assert_eq!(parsed.value["a"], 2);
        assert_eq!(parsed.diagnostics[0].code, Code::DuplicateKey);
    }
}
