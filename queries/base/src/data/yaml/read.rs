//! YAML events into a JSON value, without the copy that a YAML value would be, and with an eye for keys that repeat.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::{Map, Number, Value};

use crate::data::pointer;

/// Reads one node.
pub(super) struct Reader<'r> {
    /// Where the node stands.
    pub pointer: &'r mut String,
    /// Where keys repeat.
    pub repeated: &'r mut Vec<String>,
    /// Where numbers stand that may be written otherwise than they are printed.
    pub fractions: &'r mut Vec<String>,
    /// Whether whole numbers of the text may be written with a sign, or with another base than ten.
    pub has_signs: bool,
}

impl Reader<'_> {
    /// Notes a whole number among data of the author's, where its text may be what counts: a telephone number.
    fn note_whole(&mut self) {
        if !self.has_signs {
            return;
        }
        let is_data = |name: String| {
            matches!(
                &*name,
                "example" | "examples" | "default" | "value" | "enum"
            )
        };
        if pointer::segments(self.pointer).any(is_data) {
            self.fractions.push(self.pointer.clone());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<Value, E> {
        self.note_whole();
        Ok(value.into())
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<Value, E> {
        self.note_whole();
        Ok(value.into())
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Number::from_i128(value).map_or_else(|| value.to_string().into(), Value::Number))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(Number::from_u128(value).map_or_else(|| value.to_string().into(), Value::Number))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // JSON has no word for infinity; the YAML one stays what it is, a word.
        let word = if value.is_nan() {
            ".nan"
        } else if value > 0.0 {
            ".inf"
        } else {
            "-.inf"
        };
        let Some(number) = Number::from_f64(value) else {
            return Ok(word.into());
        };
        self.fractions.push(self.pointer.clone());
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        let base = self.pointer.len();
        loop {
            self.pointer.push('/');
            self.pointer.push_str(&values.len().to_string());
            let reader = Reader {
                pointer: self.pointer,
                repeated: self.repeated,
                fractions: self.fractions,
                has_signs: self.has_signs,
            };
            let item = items.next_element_seed(reader);
            self.pointer.truncate(base);
            match item? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        let base = self.pointer.len();
        while let Some(key) = members.next_key_seed(Key)? {
            let child = pointer::child("", &key);
            self.pointer.push_str(&child);
            if map.contains_key(&key) {
                self.repeated.push(self.pointer.clone());
            }
            let reader = Reader {
                pointer: self.pointer,
                repeated: self.repeated,
                fractions: self.fractions,
                has_signs: self.has_signs,
            };
            let value = members.next_value_seed(reader);
            self.pointer.truncate(base);
            map.insert(key, value?);
        }
        Ok(Value::Object(map))
    }

    /// A value with a tag: the tag says how to read it, which JSON cannot.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (_, value) = tagged.variant_seed(Key)?;
        value.newtype_variant_seed(self)
    }
}

/// A key: the text of a scalar as it is written, whatever YAML would take it for. `Null`, `True` and `1.10` are names in the
/// failsafe schema, which keys of a description are of (OpenAPI 3.1.1, 4.3).
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(Self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<String, E> {
        Ok(key.to_owned())
    }
}
