//! Values of the author: an example, the constant, the default, a member of the enumeration. They come before what is
//! generated, also where the schema does not allow them.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Doubt, SampledValue, Sampler, is_empty};
use crate::direction::Hidden;
use crate::merge::{Flat, Schemas};
use crate::schema::{Schema, Type};
use base::data::yaml::spelled;
use base::diagnostic::Code;

/// Maximum depth to which examples are converted to the types of their schemas.
const MAX_DEPTH: usize = 32;

/// Spellings of scalars in a value, see [`SPELLED`](base::data::yaml::SPELLED).
pub(crate) type Spellings<'s> = Option<&'s Map<String, Value>>;

impl Schemas<'_, '_> {
    /// `value` with numbers and booleans as texts where the schema allows texts and not these: `example: 12345` of a zip code.
    pub(crate) fn with_texts(
        &mut self,
        schema: &Arc<Schema>,
        value: &Value,
        spellings: Spellings<'_>,
        depth: usize,
    ) -> Value {
        if depth > MAX_DEPTH {
            return value.clone();
        }
        let flat = self.flat(schema);
        let merged = &flat.schema;
        let wants_text = (merged.types.iter().flatten()).any(|kind| *kind == Type::String)
            && !merged.allows(Type::of(value));
        match value {
            Value::Null | Value::Number(_) | Value::Bool(_) if wants_text => {
                spelled(value, spellings).map_or(Value::Null, Value::String)
            }
            Value::Array(items) => {
                let items =
                    items
                        .iter()
                        .enumerate()
                        .map(|(index, item)| match merged.item(index) {
                            Some(schema) => self.with_texts(schema, item, spellings, depth + 1),
                            None => item.clone(),
                        });
                Value::Array(items.collect())
            }
            Value::Object(members) => {
                let members = members.iter().map(|(name, member)| {
                    let member = match merged.member(name) {
                        Some(property) => self.with_texts(&property, member, spellings, depth + 1),
                        None => member.clone(),
                    };
                    (name.clone(), member)
                });
                Value::Object(members.collect::<Map<String, Value>>())
            }
            other => other.clone(),
        }
    }

    /// Checks that `value` is valid, regardless of trusted samples. Returns the failure as an
    /// `Err`.
    fn check_strictly(
        &mut self,
        schema: &Arc<Schema>,
        value: &Value,
        hidden: Hidden,
    ) -> Result<(), String> {
        let was_sampling = std::mem::replace(&mut self.is_sampling, false);
        let checked = self.check(schema, value, hidden);
        self.is_sampling = was_sampling;
        checked.map_err(|failure| failure.message_for(value))
    }

    /// Has samples of `schema` be `value`, valid or not.
    pub(super) fn trust(&mut self, schema: &Schema, value: &Value) {
        let trusted = self.trusted.entry(schema.pointer.clone()).or_default();
        if !trusted.contains(value) {
            trusted.push(value.clone());
        }
    }
}

impl Sampler<'_, '_, '_> {
    /// Returns a value given by the author.
    pub(super) fn authored(&mut self, schema: &Arc<Schema>, flat: &Flat) -> Option<SampledValue> {
        let merged = &flat.schema;
        if let Some(written) = merged.examples.first()
            && let Some(example) = self.example(schema, flat, written)
        {
            return Some(SampledValue::valid(example));
        }
        let is_constant = merged
            .values
            .as_ref()
            .is_some_and(|values| values.len() == 1);
        if !is_constant
            && let Some(default) = merged.default.as_ref().filter(|default| !default.is_null())
            // `{}` means that nothing need be sent, and does not show what can be.
            && (merged.properties.is_empty() || !is_empty(default))
            && let Some(default) = self.default(schema, flat, default)
        {
            return Some(SampledValue::valid(default));
        }
        if let Some(value) = self.open_value(schema, flat) {
            return Some(SampledValue::valid(value));
        }
        let values = merged.values.as_ref()?;
        let (nulls, others): (Vec<&Value>, Vec<&Value>) =
            values.iter().partition(|one| one.is_null());
        let all = others.into_iter().chain(nulls);
        let first = all.clone().next()?.clone();
        let valid: Option<&Value> = all.into_iter().find(|one| self.accepts(schema, one));
        let value = valid.cloned().unwrap_or(first);
        Some(SampledValue {
            is_valid: valid.is_some(),
            is_whole: true,
            value: self.schemas.without_hidden(schema, &value, self.hidden),
        })
    }

    /// The first value of an enumeration that other texts are allowed beside.
    fn open_value(&mut self, schema: &Arc<Schema>, flat: &Flat) -> Option<Value> {
        let [union] = flat.unions.as_slice() else {
            return None;
        };
        let mut value = None;
        let mut is_open = false;
        for branch in &union.branches {
            let inner = self.schemas.flat(branch);
            match &inner.schema.values {
                Some(values) => value = value.or_else(|| values.first().cloned()),
                None => is_open |= inner.schema.types.as_deref() == Some(&[Type::String]),
            }
        }
        let value = value.filter(|value| is_open && value.is_string())?;
        self.accepts(schema, &value).then_some(value)
    }

    /// The example `authored` as a sample has it, reported if it is not valid; `None` if it is one of a member of `allOf` that
    /// lacks what the others ask for.
    fn example(&mut self, schema: &Arc<Schema>, flat: &Flat, authored: &Value) -> Option<Value> {
        let merged = &flat.schema;
        let example = self.schemas.without_hidden(schema, authored, self.hidden);
        let parsed = parsed_example(merged, &example);
        let typed = self
            .schemas
            .with_texts(schema, &parsed, merged.spellings.as_deref(), 0);
        let checked = self.schemas.check_strictly(schema, &parsed, self.hidden);
        let Err(failure) = checked else {
            self.schemas.check_formats(schema, &typed, &merged.pointer);
            return Some(typed);
        };
        if self
            .schemas
            .is_of_member(schema, authored, &parsed, self.hidden)
        {
            return None;
        }
        let message = format!("the example is not valid: {failure}");
        self.schemas
            .problem(Code::ExampleMismatch, &merged.pointer, message);
        self.schemas.trust(merged, &typed);
        Some(typed)
    }

    /// The default as a sample has it; `None` if the schema does not allow it and lists the values
    /// that it allows.
    fn default(&mut self, schema: &Arc<Schema>, flat: &Flat, default: &Value) -> Option<Value> {
        let default = self.schemas.without_hidden(schema, default, self.hidden);
        let spellings = flat.schema.spellings.as_deref();
        let typed = self.schemas.with_texts(schema, &default, spellings, 0);
        if self.accepts(schema, &typed) {
            return Some(typed);
        }
        let says_nothing = match &typed {
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        let is_listed = flat.schema.values.is_some() || !flat.unions.is_empty();
        if says_nothing || is_listed || !flat.schema.allows(Type::of(&typed)) {
            return None;
        }
        self.schemas.trust(&flat.schema, &typed);
        Some(typed)
    }

    /// The first value that was found for a union, though it is not of exactly one branch: readers learn more of it than of
    /// nothing.
    pub(super) fn unverified(
        &mut self,
        schema: &Arc<Schema>,
        flat: &Flat,
        first: Option<&Value>,
    ) -> Option<SampledValue> {
        let value = first.filter(|value| !is_empty(value))?;
        if flat.unions.is_empty() || self.is_lenient || flat.is_conflict {
            return None;
        }
        match self.schemas.fits(schema, value, self.hidden) {
            true => {
                self.schemas.ambiguous.insert(flat.schema.pointer.clone());
            }
            false => self.schemas.trust(&flat.schema, value),
        }
        self.unverified.push((schema.pointer.clone(), Doubt::Union));
        Some(SampledValue::valid(value.clone()))
    }
}

/// A value that was written as a text though the schema wants none, such as `example: "10"` of an integer.
pub(crate) fn parsed_example(schema: &Schema, example: &Value) -> Value {
    let (Value::String(text), Some(types)) = (example, &schema.types) else {
        return example.clone();
    };
    if types.contains(&Type::String) {
        return example.clone();
    }
    let parsed = serde_json::from_str::<Value>(text).ok();
    parsed
        .or_else(|| whole(text))
        .unwrap_or_else(|| example.clone())
}

/// A whole number of YAML that JSON writes otherwise, which reaches here as its text.
fn whole(text: &str) -> Option<Value> {
    let of = |digits: &str, radix| i64::from_str_radix(digits, radix).ok();
    let value = match text.get(..2) {
        Some("0x") => of(&text[2..], 16),
        Some("0o") => of(&text[2..], 8),
        _ => text.strip_prefix('+').and_then(|digits| of(digits, 10)),
    };
    value.map(Value::from)
}
