//! YAML text: parsed by serde_yaml behind a guard, with our own line scanner for the positions of
//! top-level keys.
//!
//! serde_yaml grows small documents into gigabytes through aliases and needs quadratic time on `{a: {a:`, so nothing
//! reaches it that the guard refuses.

mod expand;
mod read;
mod spelling;
mod write;

use std::collections::HashMap;
use std::ops::Range;

use serde::de::DeserializeSeed;
use serde_json::Value;

use self::read::Reader;
pub use self::spelling::{SPELLED, spelled, without_spellings};
use self::spelling::{Speller, Spot};
pub use self::write::to_yaml;
use crate::place::Part;

/// Why a YAML text was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The byte offset where the reader stopped.
    pub at: usize,
    /// Message of the parser, in one line.
    pub message: String,
}

/// Largest text that is read, in bytes.
const MAX_BYTES: usize = 8 << 20;
/// Deepest nesting of brackets outside quotes that is read.
const MAX_DEPTH: usize = 64;
/// Maximum number of aliases that are read.
const MAX_ALIASES: usize = 10_000;
/// Largest document with its aliases followed, in bytes.
const MAX_EXPANDED: usize = 64 << 20;

/// A document that was read, and where its keys repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YamlDocument {
    /// Value; of members with the same key the last one.
    pub value: Value,
    /// The pointers of members that repeat an earlier key.
    pub repeated: Vec<String>,
}

/// Parses a specification of up to 64 MiB. Unlike [`parse`] it continues when a key repeats, and
/// returns those keys.
///
/// Anchors, aliases and merge keys are followed; a document that has them is read into memory twice.
pub fn parse_document(text: &str) -> Result<YamlDocument, YamlError> {
    guard(text, 64 << 20)?;
    let mut document = parse_block(text)?;
    if memchr::memmem::find(text.as_bytes(), b"<<:").is_some() {
        merge(&mut document.value);
    }
    Ok(document)
}

/// The key under which a mapping names others whose members it has too (YAML 1.1, "merge key").
const MERGE: &str = "<<";

/// Gives each mapping within `value` the members of those that it merges, where it has none of the name. What merges anything but
/// mappings is left as it is.
fn merge(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(merge);
            let is_list = |list: &[Value]| list.iter().all(Value::is_object);
            let merged = match members.get(MERGE) {
                Some(Value::Object(_)) => members.shift_remove(MERGE).into_iter().collect(),
                Some(Value::Array(list)) if is_list(list) => match members.shift_remove(MERGE) {
                    Some(Value::Array(list)) => list,
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            // Of the same name in two of them the first counts.
            for other in merged {
                let Value::Object(other) = other else {
                    continue;
                };
                for (name, value) in other {
                    members.entry(name).or_insert(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(merge),
        _ => {}
    }
}

/// Parses a part of a document that the guard has seen already.
pub(super) fn parse_block(text: &str) -> Result<YamlDocument, YamlError> {
    let (mut repeated, mut scalars) = (Vec::new(), Vec::new());
    let reader = Reader {
        pointer: &mut String::new(),
        repeated: &mut repeated,
        scalars: &mut scalars,
        count: &mut 0,
        notes_all: spelling::may_have(text),
    };
    let value = reader
        .deserialize(serde_yaml::Deserializer::from_str(text))
        .map_err(|e| error(text, &e))?;
    if scalars.is_empty() {
        return Ok(YamlDocument { value, repeated });
    }
    let speller = Speller {
        scalars: &mut scalars.into_iter().peekable(),
        count: &mut 0,
        spellings: &mut Vec::new(),
        spot: Spot::Fields,
    };
    let value = speller
        .deserialize(serde_yaml::Deserializer::from_str(text))
        .map_err(|e| error(text, &e))?;
    Ok(YamlDocument { value, repeated })
}

fn error(text: &str, error: &serde_yaml::Error) -> YamlError {
    let at = error
        .location()
        .map_or(0, |location| location.index().min(text.len()));
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or("invalid YAML");
    YamlError {
        at,
        message: message.to_owned(),
    }
}

/// Parses `text` as YAML 1.2 core into a JSON value; keys that are not strings become their text.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    guard(text, MAX_BYTES)?;
    let yaml: serde_yaml::Value = serde_yaml::from_str(text).map_err(|e| error(text, &e))?;
    Ok(to_json(yaml))
}
/// Refuses texts that would cost far more than their size.
pub(super) fn guard(text: &str, most: usize) -> Result<(), YamlError> {
    let refuse = |at, message: &str| {
        Err(YamlError {
            at,
            message: message.to_owned(),
        })
    };
    if text.len() > most {
        let message = format!("the document is larger than {} MiB", most >> 20);
        return refuse(0, &message);
    }
    let (mut depth, mut quote, mut before) = (0usize, None, b'\n');
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open && !(open == b'"' && before == b'\\') => quote = None,
            // A quote that is not closed on its line is most likely an apostrophe in prose.
            (Some(_), b'\n') => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if matches!(before, b' ' | b'\n' | b'[' | b'{' | b',' | b':') => {
                quote = Some(byte);
            }
            (None, b'[' | b'{') => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return refuse(at, "brackets nest deeper than 64");
                }
            }
            (None, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = byte;
    }
    let aliases = marks(text, b'*').take(MAX_ALIASES + 1).count();
    if aliases > MAX_ALIASES && marks(text, b'&').next().is_some() {
        return refuse(0, &format!("more than {MAX_ALIASES} aliases"));
    }
    // Aliases multiply their targets.
    if aliases > 0 && expand::expanded(text) > MAX_EXPANDED {
        return refuse(0, "aliases would expand the document beyond 64 MiB");
    }
    Ok(())
}

/// The anchors (`&name`) or aliases (`*name`) of `text`, with their places: whatever looks like one where a value can
/// begin, in prose too.
pub(super) fn marks(text: &str, mark: u8) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut tags = Tags {
        bytes,
        last_offset: 0,
        is_within: false,
    };
    memchr::memchr_iter(mark, bytes).filter_map(move |at| {
        let rest = &text[at + 1..];
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let name = &rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())];
        // The parser takes nothing else behind a name: `&lt;` is no anchor.
        let after = rest[name.len()..].chars().next();
        let ends = after.is_none_or(|c| c.is_whitespace() || "?:,]}%@`\0".contains(c));
        let is_mark = ends && !name.is_empty();
        let is_mark = is_mark && (begins_value(&bytes[..at]) || tags.stands_before(at));
        is_mark.then_some((at, name))
    })
}

/// Returns `before` without trailing blanks.
fn without_blanks(before: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = before.iter().rposition(|byte| !is_blank(byte));
    &before[..end.map_or(0, |at| at + 1)]
}

/// The ends of lines that the parser knows besides `\n`.
const BREAKS: [&[u8]; 4] = [
    b"\r",
    "\u{85}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2029}".as_bytes(),
];

/// Returns true if a value may begin after `before`, without a tag in between.
fn begins_value(before: &[u8]) -> bool {
    let before = without_blanks(before);
    match before.last() {
        None | Some(b'\n' | b':' | b'-' | b',' | b'?') => true,
        // In the middle of a word a bracket opens nothing: `/search{?q}{&page}` is an address.
        Some(b'[' | b'{') => {
            let outside = &before[..before.len() - 1];
            let is_outside = |byte: &u8| byte.is_ascii_whitespace() || b"[{,:-?".contains(byte);
            outside.last().is_none_or(is_outside) || ends_line(outside)
        }
        Some(_) => ends_line(before),
    }
}

/// Returns true if `before` ends with a byte order mark or a line break.
fn ends_line(before: &[u8]) -> bool {
    let ends = |end: &&[u8]| before.ends_with(end);
    BREAKS.iter().any(ends) || before.ends_with("\u{feff}".as_bytes())
}

/// Finds tags before a value: `!t &a [1]`. Each byte is looked at once.
struct Tags<'t> {
    bytes: &'t [u8],
    /// The last place that was asked for.
    last_offset: usize,
    /// Whether a tag begins in the word that goes on there.
    is_within: bool,
}

impl Tags<'_> {
    /// Returns true if the word before `at` may be a tag, or end in one. Must be called with
    /// ascending places.
    fn stands_before(&mut self, at: usize) -> bool {
        let end = without_blanks(&self.bytes[..at]).len();
        let mut word = self.bytes[self.last_offset.min(end)..end].iter();
        let start = word.rposition(|byte| byte.is_ascii_whitespace());
        let goes_on = start.is_none() && self.is_within;
        let start = start.map_or(self.last_offset.min(end), |start| {
            self.last_offset + start + 1
        });
        let is_tag = goes_on
            || (start..end).any(|place| {
                let before = place.checked_sub(1).map(|before| self.bytes[before]);
                let begins = |byte: u8| {
                    byte.is_ascii_whitespace() || b"[{,:-?\x85\xa8\xa9\xbf".contains(&byte)
                };
                self.bytes[place] == b'!' && before.is_none_or(begins)
            });
        (self.last_offset, self.is_within) = (at, is_tag && end == at);
        is_tag
    }
}

fn to_json(yaml: serde_yaml::Value) -> Value {
    json_of(yaml, false)
}

/// Converts the value `yaml`, within a key or not.
fn json_of(yaml: serde_yaml::Value, is_of_key: bool) -> Value {
    match yaml {
        serde_yaml::Value::Null => Value::Null,
        serde_yaml::Value::Bool(bool) => Value::Bool(bool),
        serde_yaml::Value::Number(number) => serde_json::to_value(number).unwrap_or(Value::Null),
        serde_yaml::Value::String(string) => Value::String(string),
        serde_yaml::Value::Sequence(items) => {
            let items = items.into_iter();
            Value::Array(items.map(|item| json_of(item, is_of_key)).collect())
        }
        serde_yaml::Value::Mapping(members) => {
            let members = members.into_iter();
            let members =
                members.map(|(key, value)| (key_text(key, is_of_key), json_of(value, is_of_key)));
            Value::Object(members.collect())
        }
        serde_yaml::Value::Tagged(tagged) => json_of(tagged.value, is_of_key),
    }
}

/// The text of a key; of a list or an object that of its JSON. Within another key that would be text in text in text, with twice
/// as many backslashes each time: there it only says what it is.
fn key_text(key: serde_yaml::Value, is_of_key: bool) -> String {
    match key {
        serde_yaml::Value::Tagged(tagged) => key_text(tagged.value, is_of_key),
        serde_yaml::Value::Sequence(_) if is_of_key => "[]".to_owned(),
        serde_yaml::Value::Mapping(_) if is_of_key => "{}".to_owned(),
        key => match json_of(key, true) {
            Value::String(text) => text,
            other => other.to_string(),
        },
    }
}

/// Positions of the nodes of one YAML document in block style. Positions found on the way to one
/// node are cached for the next.
#[derive(Debug, Default)]
pub struct Positions {
    /// The children of each node that was entered, by where they begin.
    nodes: HashMap<usize, Vec<Child>>,
}

/// A member of a mapping, or an item of a list.
#[derive(Debug)]
struct Child {
    /// Key, or its number in decimal.
    name: String,
    /// Range from the start of its line to the end of its block.
    lines: Range<usize>,
    /// Indentation.
    column: usize,
    is_item: bool,
}

impl Positions {
    /// The byte offset and length in `text` of the node at `target`, or of the nearest enclosing
    /// node on a line of its own. `None` when not even its first segment does.
    pub fn of(&mut self, text: &str, target: &str, part: Part) -> Option<(usize, usize)> {
        let mut found = None;
        // The lines that can contain the next segment, and the indentation of the key around them.
        let (mut from, mut to, mut outer) = (0, text.len(), None);
        for segment in super::pointer::segments(target) {
            let children =
                (self.nodes.entry(from)).or_insert_with(|| children(text, from, to, outer));
            let Some(child) = children.iter().find(|child| child.name == segment) else {
                break;
            };
            let start = child.lines.start + child.column;
            let line = text[start..].lines().next().unwrap_or("").trim_end();
            let key = if child.is_item { 0 } else { key_length(line) };
            let value = line[key..].trim_start_matches(':').trim_start();
            found = Some(if child.is_item {
                match line.trim_start_matches('-').trim_start() {
                    // Its value is on the lines below, or missing.
                    "" => (start, 1),
                    value => (start + line.len() - value.len(), value.len()),
                }
            } else if part == Part::Key || value.is_empty() {
                (start, key.max(1))
            } else {
                (start + line.len() - value.len(), value.len())
            });
            // The first member of an item is on the line of its dash.
            from = match child.is_item {
                true => start + 1,
                false => end_of_line(text, child.lines.start),
            };
            to = child.lines.end;
            outer = Some(child.column);
        }
        found
    }
}

/// Returns the end of the line at `at`, its line break included.
fn end_of_line(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |found| at + found + 1)
}

/// The members or items of the node in `from..to`, which is indented further than `outer`.
fn children(text: &str, from: usize, to: usize, outer: Option<usize>) -> Vec<Child> {
    let mut children: Vec<Child> = Vec::new();
    let mut at = from;
    let (mut indent, mut items): (Option<usize>, usize) = (None, 0);
    while at < to {
        let end = end_of_line(text, at).min(to);
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &text[at..end];
        let body = line.trim_start_matches(' ');
        let column = at - line_start + line.len() - body.len();
        let body = body.trim_end();
        at = end;
        if body.is_empty() || body.starts_with('#') || body == "---" {
            continue;
        }
        let is_item = body == "-" || body.starts_with("- ");
        // A list may have the same indentation as its key.
        if outer.is_some_and(|outer| column < outer || (column == outer && !is_item))
            && indent.is_none()
        {
            return children;
        }
        let level = *indent.get_or_insert(column);
        if column > level {
            continue;
        }
        // A list with the same indentation as its key belongs to it.
        if is_item && column == level && children.last().is_some_and(|last| !last.is_item) {
            continue;
        }
        if let Some(last) = children.last_mut() {
            last.lines.end = line_start;
        }
        if column < level {
            return children;
        }
        let name = match is_item {
            true => items.to_string(),
            false => body[..key_length(body)]
                .trim_matches(['"', '\''])
                .to_owned(),
        };
        items += usize::from(is_item);
        children.push(Child {
            name,
            lines: line_start..to,
            column,
            is_item,
        });
    }
    children
}

/// Returns the length of the key at the start of a line; that of the whole line if it has none.
fn key_length(line: &str) -> usize {
    let quote = line.starts_with(['"', '\'']).then(|| &line[..1]);
    let quoted = quote
        .and_then(|quote| Some(line[1..].find(quote)? + 2))
        .unwrap_or(0);
    let rest = &line[quoted..];
    let colon = rest
        .find(": ")
        .or_else(|| rest.strip_suffix(':').map(str::len));
    colon.map_or(line.len(), |at| line[..quoted + at].trim_end().len())
}

/// The byte offset and length in `text` of the first segment of `target`: its key, or what follows it on its line.
pub fn position(text: &str, target: &str, part: Part) -> Option<(usize, usize)> {
    let name = super::pointer::segments(target).next()?;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        // A quoted key may hold colons of its own.
        let quote = line.starts_with(['"', '\'']).then(|| &line[..1]);
        let quoted = quote
            .and_then(|quote| line[1..].find(quote))
            .map_or(0, |at| at + 2);
        let key = &line[..line[quoted..]
            .find(':')
            .map_or(line.len(), |at| quoted + at)];
        if line.len() > key.len()
            && key.trim_end().trim_matches(['"', '\'']) == name
            && !key.starts_with([' ', '\t', '#'])
        {
            let value = line[key.len() + 1..].trim();
            return Some(if part == Part::Key || value.is_empty() {
                (offset, key.trim_end().len())
            } else {
                let at = line.len() - line[key.len() + 1..].trim_start().len();
                (offset + at, value.len())
            });
        }
        offset += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document of `text`, as JSON.
    fn read(text: &str) -> String {
        parse_document(text).unwrap().value.to_string()
    }

    #[test]
    fn keys_are_the_text_that_is_written() {
        let text = "Null: 1\nNULL: 2\nnull: 3\nTrue: 4\nfalse: 5\n~: 6\n1.10: 7\n0x1F: 8\n201: 9\n'on': 10\n";
        let expected = r#"{"Null":1,"NULL":2,"null":3,"True":4,"false":5,"~":6,"1.10":7,"0x1F":8,"201":9,"on":10}"#;
        assert_eq!(read(text), expected);
        let parsed = parse_document("a: {Null: 1, null: 2}\nb: {null: 1, null: 2}\n").unwrap();
        assert_eq!(parsed.repeated, ["/b/null"]);
        assert_eq!(read("a: &k x\nb: {*k : 1}\n"), r#"{"a":"x","b":{"x":1}}"#);
    }

    #[test]
    fn merge_key_leaves_the_rest_as_it_is_written() {
        let text = "base: &b {z: 1.10, y: 1}\nown:\n  first: 0\n  <<: *b\n  y: 2\nlist:\n  <<: [*b, {y: 3, w: 2}]\nbig: 18446744073709551616\nversion: 2.50\nitems:\n  - <<: *b\n    v: 3\n";
        let expected = r#"{"base":{"z":1.10,"y":1},"own":{"first":0,"y":2,"z":1.10},"list":{"z":1.10,"y":1,"w":2},"big":18446744073709551616,"version":2.50,"items":[{"v":3,"z":1.10,"y":1}]}"#;
        assert_eq!(read(text), expected);
        // A merge of anything but a mapping is left for the checks of the document.
        assert_eq!(read("a:\n  <<: 1\n"), r#"{"a":{"<<":1}}"#);
        let text = "a: 1\nb: &x {c: 1}\nd:\n  <<: *x\n  <<: *x\n";
        assert_eq!(parse_document(text).unwrap().repeated, ["/d/<<"]);
    }

    #[test]
    fn alias_is_written_as_its_anchor() {
        let text = "a: &n 1.10\nb: *n\nc: &o {d: 0.50}\ne: *o\nf: [*n, 2.0]\n";
        assert_eq!(
            read(text),
            r#"{"a":1.10,"b":1.10,"c":{"d":0.50},"e":{"d":0.50},"f":[1.10,2.0]}"#
        );
        assert_eq!(
            read("a: &n 1.10\nb: *n\nc: 1.100\n"),
            r#"{"a":1.10,"b":1.10,"c":1.100}"#
        );
    }

    #[test]
    fn an_item_without_a_value_is_at_its_dash() {
        let mut positions = Positions::default();
        let text = "a:\n- b\n-";
        assert_eq!(positions.of(text, "/a/0", Part::Value), Some((5, 1)));
        assert_eq!(positions.of(text, "/a/1", Part::Value), Some((7, 1)));
        // A carriage return ends a line for the parser, but not here, so positions would be wrong.
        let read = parse_document("a:\n- .7\r- .7\n-").expect("YAML");
        assert_eq!(read.value, serde_json::json!({"a": [0.7, 0.7, null]}));
    }

    #[test]
    fn anchors_are_found_where_a_value_can_begin() {
        let found = |text| marks(text, b'&').map(|(_, name)| name).collect::<Vec<_>>();
        for text in [
            "&a 1",
            "x: &a 1",
            "x:\t&a 1",
            "- &a\n  b: 1",
            "[&a 1]",
            "x: {&a b: 1}",
            "[1,[&a 1]]",
            "{\"x\":{&a b: 1}}",
            "? &a b\n: 1",
            "x:\n  &a [1]",
            "x: &a\r\n  y: 1",
            "[&a, 1]",
            "x: !t &a 1",
            "[!t &a 1, !!str y]",
            "x: !<t:1,2>\t&a 1",
            "x:\r  &a [1]",
            "x:\u{2028}  &a [1]",
            "\u{feff}[&a 1]",
        ] {
            assert_eq!(found(text), ["a"], "{text}");
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in [
            "x: /a{?q}{&a,b}",
            "x: /a?q={&a}",
            "x: b &a",
            "x: R&D",
            "x: '1 && 2'",
            "x: Hi! &a",
            "x: !t b &a",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
            assert!(parse(text).is_ok(), "{text}");
        }
        // No anchor of the parser.
        for text in ["x: &lt;", "x: &\u{e9} 1", "x: &a.b 1"] {
            assert_eq!(found(text), [""; 0], "{text}");
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn keys_in_keys_are_no_text_in_text() {
        assert_eq!(
            parse("title: {{ name }}").unwrap().to_string(),
            r#"{"title":{"{\"name\":null}":null}}"#
        );
        let value = parse("{{{ a }: 1}: 2}").unwrap();
        assert_eq!(value.to_string(), r#"{"{\"{}\":1}":2}"#);
        for depth in [4, 40, 60] {
            let value = parse(&"? ".repeat(depth)).unwrap();
            assert!(value.to_string().len() < 100, "{depth}");
        }
    }

    #[test]
    fn keys_and_values_are_found() {
        let text = "title: A page\n\"og:title\": x\nlist:\n  - a\n";
        assert_eq!(position(text, "/title", Part::Value), Some((7, 6)));
        assert_eq!(position(text, "/list/0", Part::Value), Some((28, 4)));
        assert_eq!(position(text, "/og:title", Part::Value), Some((26, 1)));
        assert_eq!(position(text, "/nope", Part::Key), None);
    }

    #[test]
    fn nodes_are_found_by_their_indentation() {
        let text = "openapi: 3.0.0\npaths:\n  '/a/{b}': # here\n    get:\n      tags:\n      - x\n      - name: y\n        in: path\n\n      summary: S\n  /c: {get: {}}\ninfo:\n  title: T\n";
        let at = |pointer: &str, part| {
            let (at, len) = Positions::default().of(text, pointer, part).unwrap();
            text[at..at + len].to_owned()
        };
        assert_eq!(at("/openapi", Part::Value), "3.0.0");
        assert_eq!(at("/paths/~1a~1{b}/get/summary", Part::Value), "S");
        assert_eq!(at("/paths/~1a~1{b}/get", Part::Key), "get");
        assert_eq!(at("/paths/~1a~1{b}/get/tags/0", Part::Value), "x");
        assert_eq!(at("/paths/~1a~1{b}/get/tags/1/in", Part::Value), "path");
        assert_eq!(at("/paths/~1a~1{b}/get/tags/1/name", Part::Value), "y");
        assert_eq!(at("/paths/~1c/get", Part::Value), "{get: {}}");
        assert_eq!(at("/paths/~1nope/get", Part::Key), "paths");
        assert_eq!(at("/info/title", Part::Key), "title");
        assert_eq!(Positions::default().of(text, "/nope", Part::Key), None);
    }

    #[test]
    fn numbers_are_spelled_as_their_author_did() {
        let text = "a: 1.10\nb:\n  - 1e3 # many\n  - 2.50\nc: {min: 0.10, max: 1.0e2, all: [0.10, -3.00]}\nd: .5\ne: 1.\nf: \"1.10\"\n";
        let value = parse_document(text).unwrap().value;
        let expected = r#"{"a":1.10,"b":[1e+3,2.50],"c":{"min":0.10,"max":1.0e+2,"all":[0.10,-3.00]},"d":0.5,"e":1.0,"f":"1.10"}"#;
        assert_eq!(value.to_string(), expected);
        // An alias is written elsewhere.
        let text = "example: +4930\ndefault: 0x1F\nvalue: 31\nmaximum: +5\nexamples: [+1, 0o17, 15, -3, 0x2]\n";
        let value = parse_document(text).unwrap().value;
        let expected = r#"{"example":4930,"default":31,"value":31,"maximum":5,"examples":[1,15,15,-3,2],"x-\u0001spelled":{"4930":"+4930","31":"0x1F","1":"+1","15":"0o17","2":"0x2"}}"#;
        assert_eq!(value.to_string(), expected);
        // Fields are not names, and names are no fields.
        let text = "properties: {example: {maximum: +5, enum: [True, .5]}, a: {default: ~}}\n";
        let expected = r#"{"properties":{"example":{"maximum":5,"enum":[true,0.5],"x-\u0001spelled":{"true":"True","0.5":".5"}},"a":{"default":null,"x-\u0001spelled":{"null":"~"}}}}"#;
        assert_eq!(read(text), expected);
        // A spelling of one value that differs is of neither.
        assert_eq!(read("enum: [True, TRUE]\n"), r#"{"enum":[true,true]}"#);
        let value = parse_document("a: &x 1.10\nb: *x\n").unwrap().value;
        assert_eq!(value["b"].as_f64(), Some(1.1));
    }

    #[test]
    fn bombs_are_refused() {
        assert!(parse(&"{a: ".repeat(10_000)).is_err());
        assert!(
            parse(&format!(
                "a: &a {}\nb: [{}]",
                "x".repeat(50_000),
                "*a, ".repeat(2000)
            ))
            .is_err()
        );
    }

    #[test]
    fn a_large_document_with_a_few_small_aliases_is_read() {
        let mut text = "shared: &shared\n  type: string\n".to_owned();
        for n in 0..52 {
            text.push_str(&format!(
                "p{n}:\n  schema: *shared\n  text: {}\n",
                "x".repeat(61_000)
            ));
        }
        assert!(text.len() > 3 << 20);
        let document = parse_document(&text).unwrap().value;
        assert_eq!(document["p51"]["schema"]["type"], "string");
    }

    #[test]
    fn integer_keys_become_text() {
        assert_eq!(parse("200: ok").unwrap(), serde_json::json!({"200": "ok"}));
    }
}
