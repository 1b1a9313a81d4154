//! YAML text: parsed by serde_yaml behind a guard, with a line scanner of ours that finds where a top-level key stands.
//!
//! serde_yaml grows small documents into gigabytes through aliases and needs quadratic time on `{a: {a:`, so nothing
//! reaches it that the guard refuses.

use serde_json::Value;

use crate::place::Part;

/// Why a YAML text was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The byte offset where the reader stopped.
    pub at: usize,
    /// What it found, in one line.
    pub message: String,
}

/// Largest text that is read, in bytes.
const MAX_BYTES: usize = 8 << 20;
/// Deepest nesting of brackets outside quotes that is read.
const MAX_DEPTH: usize = 64;
/// Most aliases that are read.
const MAX_ALIASES: usize = 1000;

/// Parses `text` as YAML 1.2 core into a JSON value; keys that are not strings become their text.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    guard(text)?;
    let yaml: serde_yaml::Value = serde_yaml::from_str(text).map_err(|error| {
        let at = error
            .location()
            .map_or(0, |location| location.index().min(text.len()));
        let message = error.to_string();
        let message = message
            .split(" at line ")
            .next()
            .unwrap_or("invalid YAML")
            .to_owned();
        YamlError { at, message }
    })?;
    Ok(to_json(yaml))
}

/// Refuses texts that would cost far more than their size.
fn guard(text: &str) -> Result<(), YamlError> {
    let refuse = |at, message: &str| {
        Err(YamlError {
            at,
            message: message.to_owned(),
        })
    };
    if text.len() > MAX_BYTES {
        return refuse(0, "the document is larger than 8 MiB");
    }
    let (mut depth, mut aliases, mut quote, mut before) = (0usize, 0usize, None, b'\n');
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
            (None, b'*') if matches!(before, b' ' | b'\n' | b'[' | b',') => {
                aliases += 1;
                if aliases > MAX_ALIASES {
                    return refuse(at, "more than 1000 aliases");
                }
            }
            _ => {}
        }
        before = byte;
    }
    // Aliases multiply what they name: together they may not stand for more than 64 MiB.
    if aliases > 0 && text.len().saturating_mul(aliases) > 64 << 20 {
        return refuse(0, "aliases would expand the document beyond 64 MiB");
    }
    Ok(())
}

fn to_json(yaml: serde_yaml::Value) -> Value {
    match yaml {
        serde_yaml::Value::Null => Value::Null,
        serde_yaml::Value::Bool(bool) => Value::Bool(bool),
        serde_yaml::Value::Number(number) => serde_json::to_value(number).unwrap_or(Value::Null),
        serde_yaml::Value::String(string) => Value::String(string),
        serde_yaml::Value::Sequence(items) => {
            Value::Array(items.into_iter().map(to_json).collect())
        }
        serde_yaml::Value::Mapping(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| (key_text(key), to_json(value)))
                .collect(),
        ),
        serde_yaml::Value::Tagged(tagged) => to_json(tagged.value),
    }
}

fn key_text(key: serde_yaml::Value) -> String {
    match to_json(key) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The byte offset and length in `text` of the first segment of `wanted`: its key, or what follows it on its line.
pub fn position(text: &str, wanted: &str, part: Part) -> Option<(usize, usize)> {
    let name = super::pointer::segments(wanted).next()?;
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

    #[test]
    fn keys_and_values_are_found() {
        let text = "title: A page\n\"og:title\": x\nlist:\n  - a\n";
        assert_eq!(position(text, "/title", Part::Value), Some((7, 6)));
        assert_eq!(position(text, "/list/0", Part::Value), Some((28, 4)));
        assert_eq!(position(text, "/og:title", Part::Value), Some((26, 1)));
        assert_eq!(position(text, "/nope", Part::Key), None);
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
    fn integer_keys_become_text() {
        assert_eq!(parse("200: ok").unwrap(), serde_json::json!({"200": "ok"}));
    }
}
