//! Cuts a JSON document: one pass over its text, which skips the inside of slices.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Cut, Span, last_sign, levels_below};
use crate::data::json::text::{JsonText, Step};
use crate::data::{json, pointer};
use crate::diagnostic::{Code, Diagnostic};
use crate::place::Place;

const HINT: &str = "look for a missing comma, quote or bracket at or just before this place";

/// The slice whose text has become `text`; `None` when it is no longer one JSON value, or repeats a key.
pub(super) fn slice(text: &str) -> Option<Arc<str>> {
    match serde_json::from_str::<CheckedValue>(text) {
        Ok(CheckedValue { repeats: false }) => Some(text.into()),
        _ => None,
    }
}

pub(super) fn split(splitter: &mut Cut<'_>, text: &str) {
    let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut scan = JsonText { text, at };
    let outcome = value(&mut scan, splitter, "", 3).and_then(|()| {
        scan.space();
        match scan.at < text.len() {
            true => Err("something follows the end of the document"),
            false => Ok(()),
        }
    });
    if let Err(message) = outcome {
        let place = Place::in_text(splitter.path, text, last_sign(text, scan.at), 1);
        let problem = Diagnostic::new(
            Code::InvalidJson,
            place,
            format!("not valid JSON: {message}; what follows is not read"),
        );
        splitter.problems.push(problem.hint(HINT));
    }
}

/// Cuts the value that comes next, whose pointer is `key`; the members of an object are cut down to `levels` below.
fn value(scan: &mut JsonText<'_>, splitter: &mut Cut<'_>, key: &str, levels: usize) -> Step {
    scan.space();
    let start = scan.at;
    if levels > 0 && scan.byte() == b'{' {
        if object(scan, splitter, key, levels)? {
            return Ok(());
        }
    } else {
        scan.skip()?;
    }
    let text = &scan.text[start..scan.at];
    match serde_json::from_str::<CheckedValue>(text) {
        Ok(CheckedValue { repeats }) => {
            if repeats {
                for pointer in json::repeated(text, key) {
                    splitter.repeated(pointer);
                }
            }
            let span = Span {
                range: start..scan.at,
                is_alone: levels == 0,
            };
            splitter.add(key, text.into(), Some(span));
        }
        Err(error) => {
            let at = start + json::offset_of(text, error.line(), error.column());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or("invalid JSON");
            let message = format!("not valid JSON: {message}; `{key}` is not read");
            let place = Place::in_text(splitter.path, scan.text, at, 1);
            let problem = Diagnostic::new(Code::InvalidJson, place, message);
            splitter.problems.push(problem.hint(HINT));
        }
    }
    Ok(())
}

/// Cuts the members of an object; returns whether there are any.
fn object(
    scan: &mut JsonText<'_>,
    splitter: &mut Cut<'_>,
    key: &str,
    levels: usize,
) -> Result<bool, &'static str> {
    scan.at += 1;
    scan.space();
    if scan.byte() == b'}' {
        scan.at += 1;
        return Ok(false);
    }
    let mut seen = std::collections::HashSet::new();
    loop {
        scan.space();
        let name = scan.key()?;
        let below = levels_below(key, &name, levels);
        let child = pointer::child(key, &name);
        if !seen.insert(name) {
            splitter.forget_below(&child);
            splitter.repeated(child.clone());
        }
        value(scan, splitter, &child, below)?;
        scan.space();
        match scan.byte() {
            b',' => scan.at += 1,
            b'}' => {
                scan.at += 1;
                return Ok(true);
            }
            _ => return Err("a comma or a closing brace was expected"),
        }
    }
}

/// A JSON value that was read to its end and forgotten, but for whether a key repeats in one of its objects.
struct CheckedValue {
    repeats: bool,
}

impl<'de> Deserialize<'de> for CheckedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Check)
    }
}

struct Check;

const FINE: CheckedValue = CheckedValue { repeats: false };

impl<'de> Visitor<'de> for Check {
    type Value = CheckedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<CheckedValue, E> {
        Ok(FINE)
    }

    fn visit_i64<E>(self, _: i64) -> Result<CheckedValue, E> {
        Ok(FINE)
    }

    fn visit_u64<E>(self, _: u64) -> Result<CheckedValue, E> {
        Ok(FINE)
    }

    fn visit_f64<E>(self, _: f64) -> Result<CheckedValue, E> {
        Ok(FINE)
    }

    fn visit_str<E>(self, _: &str) -> Result<CheckedValue, E> {
        Ok(FINE)
    }

    fn visit_unit<E>(self) -> Result<CheckedValue, E> {
        Ok(FINE)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<CheckedValue, A::Error> {
        let mut repeats = false;
        while let Some(item) = items.next_element::<CheckedValue>()? {
            repeats |= item.repeats;
        }
        Ok(CheckedValue { repeats })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<CheckedValue, A::Error> {
        // Most objects are small: a list is faster than a set until it is not.
        let mut keys: Vec<std::borrow::Cow<'de, str>> = Vec::new();
        let mut many = std::collections::HashSet::new();
        let mut repeats = false;
        while let Some(Key(key)) = members.next_key::<Key<'de>>()? {
            if keys.len() < 16 {
                repeats |= keys.contains(&key);
                keys.push(key);
            } else {
                if many.is_empty() {
                    many.extend(keys.iter().cloned());
                }
                repeats |= !many.insert(key);
            }
            repeats |= members.next_value::<CheckedValue>()?.repeats;
        }
        Ok(CheckedValue { repeats })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        inner: D,
    ) -> Result<CheckedValue, D::Error> {
        IgnoredAny::deserialize(inner).map(|_| FINE)
    }
}

struct Key<'de>(std::borrow::Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(key.into()))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(key.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Borrow)
    }
}
