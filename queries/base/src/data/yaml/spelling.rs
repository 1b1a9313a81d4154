//! Scalars as their author wrote them: `True`, `.5`, `+49` and `0x1F` are values to YAML and texts
//! to a schema of type `string`, which no reader of YAML knows. The value stays what YAML reads;
//! the spelling is stored next to it.
//!
//! A second pass over the events asks for the text of each scalar that the first one noted, aliases followed.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::{Map, Number, Value};

use super::read::Key;

/// Member of an object with the spelling of scalars in its data (`example`, `default`, `enum`):
/// values as JSON, and their spelling. An extension, so that readers of fields skip it.
pub const SPELLED: &str = "x-\u{1}spelled";

/// Leaves the spellings in `value` out.
pub fn without_spellings(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.shift_remove(SPELLED);
            members.values_mut().for_each(without_spellings);
        }
        Value::Array(items) => items.iter_mut().for_each(without_spellings),
        _ => {}
    }
}

/// Returns the text of a scalar as its author wrote it, by `spellings` (the member [`SPELLED`]).
pub fn spelled(value: &Value, spellings: Option<&Map<String, Value>>) -> Option<String> {
    if value.is_string() || value.is_array() || value.is_object() {
        return None;
    }
    let printed = value.to_string();
    let raw = spellings.and_then(|spellings| spellings.get(&printed)?.as_str());
    match raw {
        Some(raw) => Some(raw.to_owned()),
        None => (!value.is_null()).then_some(printed),
    }
}

/// Returns true for a field whose value is data of the author's.
pub(super) fn is_data(key: &str, value: &Value) -> bool {
    match key {
        "example" | "default" | "enum" | "const" | "value" | "dataValue" | "x-example" => true,
        "examples" | "x-examples" => match value {
            Value::Array(_) => true,
            // By types of media, in Swagger 2.0.
            Value::Object(members) => members.keys().any(|name| name.contains('/')),
            _ => false,
        },
        _ => false,
    }
}

/// Fields whose members have free names: one may be called `example`.
const FREE: &[&str] = &[
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
    "schemas",
    "parameters",
    "responses",
    "requestBodies",
    "headers",
    "links",
    "callbacks",
    "pathItems",
    "paths",
    "webhooks",
    "content",
    "encoding",
    "variables",
    "securitySchemes",
    "securityDefinitions",
    "messages",
    "channels",
    "operations",
    "servers",
];

/// Returns true if a word of `text` may be a scalar that JSON writes otherwise, numbers with a fraction or an exponent
/// aside.
pub(super) fn may_have(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends = |at: usize| {
        let byte = bytes.get(at);
        byte.is_none_or(|byte| byte.is_ascii_whitespace() || b",]}".contains(byte))
    };
    let is = |at: usize, words: &[&str]| {
        let rest = &bytes[at..];
        (words.iter()).any(|word| rest.starts_with(word.as_bytes()) && ends(at + word.len()))
    };
    let is_number = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_digit() || *b == b'.')
    };
    let is_base = |at: usize| {
        bytes.get(at) == Some(&b'0') && bytes.get(at + 1).is_some_and(|b| b"xob".contains(b))
    };
    (0..bytes.len()).any(|at| {
        let begins = at == 0 || matches!(bytes[at - 1], b' ' | b'\n' | b'[' | b',' | b'\t');
        begins
            && match bytes[at] {
                b'T' => is(at, &["True", "TRUE"]),
                b'F' => is(at, &["False", "FALSE"]),
                b'~' => ends(at + 1),
                b'+' => is_number(at + 1),
                b'.' => bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
                b'-' => bytes.get(at + 1) == Some(&b'0') || bytes.get(at + 1) == Some(&b'.'),
                b'0' => is_base(at),
                _ => false,
            }
    })
}

/// The value of a scalar that is written `raw` and read as `value`, and whether it prints otherwise than it is written.
fn scalar(raw: &str, value: &Value) -> (Value, Option<(String, String)>) {
    let with_spelling = |value: Value| {
        let printed = value.to_string();
        let spelling = (printed != raw).then(|| (printed, raw.to_owned()));
        (value, spelling)
    };
    match value {
        Value::Number(number) => match plain(raw, number) {
            Some(plain) => with_spelling(plain.into()),
            None => with_spelling(value.clone()),
        },
        // The words for numbers are kept.
        Value::String(_) => (raw.into(), None),
        Value::Null if raw != "~" => (Value::Null, None),
        _ => with_spelling(value.clone()),
    }
}

/// The number `raw` as JSON has it, with its digits. serde_json adds a sign to an exponent.
fn plain(raw: &str, number: &Number) -> Option<Number> {
    let unsigned = raw.strip_prefix('+').unwrap_or(raw);
    let (sign, digits) = match unsigned.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unsigned),
    };
    let zero = if digits.starts_with('.') { "0" } else { "" };
    let whole = format!("{sign}{zero}{digits}");
    let whole = match whole.strip_suffix('.') {
        Some(_) => format!("{whole}0"),
        None => whole,
    };
    let parsed: Number = serde_json::from_str(&whole).ok()?;
    (parsed.as_f64() == number.as_f64()).then_some(parsed)
}

/// Position of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// Fields of the format.
    Fields,
    /// Members with free names.
    Names,
    /// Examples by name, or by types of media.
    Examples,
    /// Data of the author's.
    Data,
}

/// Reads a document once more, with the spellings of the scalars `noted` (the number of the node, and its value).
pub(super) struct Speller<'r> {
    pub scalars: &'r mut std::iter::Peekable<std::vec::IntoIter<(usize, Value)>>,
    pub count: &'r mut usize,
    pub spellings: &'r mut Vec<(String, String)>,
    pub spot: Spot,
}

impl Speller<'_> {
    fn child(&mut self, spot: Spot) -> Speller<'_> {
        Speller {
            scalars: self.scalars,
            count: self.count,
            spellings: self.spellings,
            spot,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Speller<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let at = *self.count;
        *self.count += 1;
        let Some((_, value)) = self.scalars.next_if(|(noted, _)| *noted == at) else {
            return deserializer.deserialize_any(self);
        };
        let raw = deserializer.deserialize_str(Key)?;
        let (value, spelling) = scalar(&raw, &value);
        self.spellings.extend(spelling);
        Ok(value)
    }
}

impl<'de> Visitor<'de> for Speller<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(super::read::wide(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(super::read::wide_unsigned(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        let spot = match self.spot {
            Spot::Data | Spot::Examples => Spot::Data,
            _ => Spot::Fields,
        };
        while let Some(value) = items.next_element_seed(self.child(spot))? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        let mut spelled = Map::new();
        while let Some(key) = members.next_key_seed(Key)? {
            let spot = match self.spot {
                Spot::Data => Spot::Data,
                Spot::Examples if key.contains('/') => Spot::Data,
                Spot::Names | Spot::Examples => Spot::Fields,
                Spot::Fields if is_data(&key, &Value::Null) => Spot::Data,
                Spot::Fields if matches!(&*key, "examples" | "x-examples") => Spot::Examples,
                Spot::Fields if FREE.contains(&&*key) => Spot::Names,
                Spot::Fields => Spot::Fields,
            };
            let before = self.spellings.len();
            let value = members.next_value_seed(self.child(spot))?;
            if self.spot == Spot::Fields && is_data(&key, &value) {
                for (value, raw) in self.spellings.drain(before..) {
                    let known = spelled.entry(value).or_insert_with(|| raw.clone().into());
                    // Written in two ways, which cannot be told apart.
                    if *known != *raw {
                        *known = Value::Null;
                    }
                }
            }
            map.insert(key, value);
        }
        spelled.retain(|_, raw| raw.is_string());
        if !spelled.is_empty() {
            map.insert(SPELLED.to_owned(), Value::Object(spelled));
        }
        Ok(Value::Object(map))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (_, value) = tagged.variant_seed(Key)?;
        value.newtype_variant_seed(self)
    }
}
