//! YAML events into a JSON value, without the copy that a YAML value would be, and with an eye for keys that repeat.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::{Map, Number, Value};

use crate::data::pointer;

/// Reads one node.
pub(super) struct Reader<'r> {
    /// Pointer to the node.
    pub pointer: &'r mut String,
    /// Pointers of repeated keys.
    pub repeated: &'r mut Vec<String>,
    /// Numbers of the scalars that may be written otherwise than they are printed, in order, and their values.
    pub scalars: &'r mut Vec<(usize, Value)>,
    /// Number of nodes that were entered.
    pub count: &'r mut usize,
    /// Whether scalars without a fraction are noted, too.
    pub notes_all: bool,
}

impl Reader<'_> {
    fn note(&mut self, value: Value) -> Value {
        self.scalars.push((*self.count - 1, value.clone()));
        value
    }

    fn note_some(&mut self, value: Value) -> Value {
        match self.notes_all {
            true => self.note(value),
            false => value,
        }
    }
}

/// A whole number of any size.
pub(super) fn wide(value: i128) -> Value {
    Number::from_i128(value).map_or_else(|| value.to_string().into(), Value::Number)
}

/// A whole number of any size that is not negative.
pub(super) fn wide_unsigned(value: u128) -> Value {
    Number::from_u128(value).map_or_else(|| value.to_string().into(), Value::Number)
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        *self.count += 1;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(mut self, value: bool) -> Result<Value, E> {
        Ok(self.note_some(Value::Bool(value)))
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<Value, E> {
        Ok(self.note_some(value.into()))
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<Value, E> {
        Ok(self.note_some(value.into()))
    }

    fn visit_i128<E>(mut self, value: i128) -> Result<Value, E> {
        Ok(self.note_some(wide(value)))
    }

    fn visit_u128<E>(mut self, value: u128) -> Result<Value, E> {
        Ok(self.note_some(wide_unsigned(value)))
    }

    fn visit_f64<E>(mut self, value: f64) -> Result<Value, E> {
        // JSON has no word for infinity; the YAML one stays what it is, a word.
        let word = if value.is_nan() {
            ".nan"
        } else if value > 0.0 {
            ".inf"
        } else {
            "-.inf"
        };
        let Some(number) = Number::from_f64(value) else {
            return Ok(self.note(word.into()));
        };
        Ok(self.note(Value::Number(number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(mut self) -> Result<Value, E> {
        Ok(self.note_some(Value::Null))
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
                scalars: self.scalars,
                count: self.count,
                notes_all: self.notes_all,
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
                scalars: self.scalars,
                count: self.count,
                notes_all: self.notes_all,
            };
            let value = members.next_value_seed(reader);
            self.pointer.truncate(base);
            map.insert(key, value?);
        }
        Ok(Value::Object(map))
    }

    /// A value with a tag: the tag sets its type, which JSON cannot express.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (_, value) = tagged.variant_seed(Key)?;
        value.newtype_variant_seed(self)
    }
}

/// A key: the text of a scalar as it is written, whatever YAML would take it for. `Null`, `True` and `1.10` are names in the
/// failsafe schema, which keys of a description are of (OpenAPI 3.1.1, 4.3).
pub(super) struct Key;

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
