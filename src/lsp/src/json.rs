//! The construct of a JSON document at an offset: documents are incomplete while they are typed.

use std::ops::Range;

/// What stands at an offset of a JSON document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonCursor {
    /// Keys and indices from the root to the object or list around the offset.
    pub(crate) way: Vec<String>,
    /// Keys of the object around the offset, without the one at it.
    pub(crate) siblings: Vec<String>,
    /// Key that the value at the offset belongs to; `None` in a list, and where a key stands.
    pub(crate) key: Option<String>,
    /// Whether a key stands at the offset, rather than a value.
    pub(crate) is_key: bool,
    /// Range of the key or value, without quotes.
    pub(crate) range: Range<usize>,
    /// Whether it has quotes.
    pub(crate) is_quoted: bool,
    /// Whether a colon follows a key.
    pub(crate) has_value: bool,
}

/// An object or a list that is open.
struct Level {
    is_list: bool,
    index: usize,
    /// The key whose value is read.
    key: Option<String>,
    keys: Vec<String>,
    /// Whether a colon came after the last key.
    has_colon: bool,
}

/// Returns what stands at `offset` of `text`; `None` outside of the root.
pub(crate) fn at(text: &str, offset: usize) -> Option<JsonCursor> {
    let bytes = text.as_bytes();
    let mut levels: Vec<Level> = Vec::new();
    let mut at = 0;
    // The token at the offset, or the place for one.
    let mut token: Option<(Range<usize>, bool)> = None;
    while at < bytes.len() && token.is_none() {
        if at >= offset && !matches!(bytes[at], b'"') && !is_scalar(bytes[at]) {
            break;
        }
        match bytes[at] {
            b'{' | b'[' => {
                levels.push(Level {
                    is_list: bytes[at] == b'[',
                    index: 0,
                    key: None,
                    keys: Vec::new(),
                    has_colon: false,
                });
                at += 1;
            }
            b'}' | b']' => {
                levels.pop();
                at += 1;
            }
            b':' => {
                if let Some(level) = levels.last_mut() {
                    level.has_colon = true;
                }
                at += 1;
            }
            b',' => {
                if let Some(level) = levels.last_mut() {
                    level.index += 1;
                    level.has_colon = false;
                    level.key = None;
                }
                at += 1;
            }
            b'"' => {
                let end = end_of_string(bytes, at);
                let is_closed = end > at + 1 && bytes[end - 1] == b'"';
                let inner = at + 1..end - usize::from(is_closed);
                if inner.start <= offset && offset <= inner.end {
                    token = Some((inner, true));
                } else {
                    note(&mut levels, &text[inner]);
                    at = end;
                }
            }
            b if is_scalar(b) => {
                let len = bytes[at..].iter().take_while(|b| is_scalar(**b)).count();
                if at <= offset && offset <= at + len {
                    token = Some((at..at + len, false));
                }
                at += len;
            }
            _ => at += 1,
        }
        if at > offset && token.is_none() && at > bytes.len() {
            break;
        }
    }
    let (range, is_quoted) = token.unwrap_or((offset..offset, false));
    let level = levels.last()?;
    let is_key = !level.is_list && !level.has_colon;
    let way = levels[..levels.len() - 1].iter().map(segment).collect();
    let rest = text[range.end..].trim_start_matches('"').trim_start();
    let mut siblings = level.keys.clone();
    let key = match is_key {
        true => None,
        false => level.key.clone(),
    };
    if is_key {
        siblings.extend(later_keys(text, range.end + usize::from(is_quoted)));
    }
    Some(JsonCursor {
        way,
        siblings,
        key,
        is_key,
        range,
        is_quoted,
        has_value: is_key && rest.starts_with(':'),
    })
}

/// The step from a level to the one that is open in it.
fn segment(level: &Level) -> String {
    match level.is_list {
        true => level.index.to_string(),
        false => level.key.clone().unwrap_or_default(),
    }
}

fn note(levels: &mut [Level], string: &str) {
    if let Some(level) = levels.last_mut()
        && !level.is_list
        && !level.has_colon
    {
        level.key = Some(string.to_owned());
        level.keys.push(string.to_owned());
    }
}

/// Returns the keys behind `from` of the object around it.
fn later_keys(text: &str, from: usize) -> Vec<String> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut keys) = (from.min(bytes.len()), 0usize, Vec::new());
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => break,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = end_of_string(bytes, at);
                let is_key = text[end..].trim_start().starts_with(':');
                if depth == 0 && is_key {
                    keys.push(text[at + 1..end - 1].to_owned());
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    keys
}

fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_' | b'$')
}

/// Returns the offset behind the string that begins at `open`; one that is not closed ends with its line.
fn end_of_string(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(marked: &str) -> String {
        let offset = marked.find('|').expect("a mark");
        let text = marked.replacen('|', "", 1);
        let Some(cursor) = at(&text, offset) else {
            return "outside".to_owned();
        };
        let what = match (cursor.is_key, &cursor.key) {
            (true, _) => "key".to_owned(),
            (false, Some(key)) => format!("value of {key}"),
            (false, None) => "item".to_owned(),
        };
        format!(
            "{what} {:?} at /{} beside {:?}",
            &text[cursor.range],
            cursor.way.join("/"),
            cursor.siblings
        )
    }

    #[test]
    fn keys_values_and_items_are_told_apart() {
        let cases = [
            ("{ | }", "key \"\" at / beside []"),
            ("{ \"na|", "key \"na\" at / beside []"),
            (
                "{ \"name\": \"A\", \"th|\": 1, \"x\": { \"y\": 2 } }",
                "key \"th\" at / beside [\"name\", \"x\"]",
            ),
            (
                "{ \"theme\": \"mi|nt\" }",
                "value of theme \"mint\" at / beside [\"theme\"]",
            ),
            (
                "{ \"theme\": | }",
                "value of theme \"\" at / beside [\"theme\"]",
            ),
            (
                "{ \"strict\": tr| }",
                "value of strict \"tr\" at / beside [\"strict\"]",
            ),
            (
                "{\"navigation\": {\"groups\": [{}, {\"pages\": [\"a\", \"b|\"]}]}}",
                "item \"b\" at /navigation/groups/1/pages beside []",
            ),
            (
                "{\"navigation\": {\"groups\": [{\"group\": \"A\", |}]}}",
                "key \"\" at /navigation/groups/0 beside [\"group\"]",
            ),
            ("|{}", "outside"),
            ("{} |", "outside"),
        ];
        for (marked, expected) in cases {
            assert_eq!(describe(marked), expected, "{marked}");
        }
    }
}
