//! Values made of a schema for clients that want others than the examples of the document:
//! `Prefer: dynamic=true`.
//!
//! They look random and are not: the same request has the same answer, another query or body has another.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use serde_json::{Map, Number, Value};

use super::call::Call;
use crate::direction::Hidden;
use crate::media::Format;
use crate::merge::Schemas;
use crate::number;
use crate::schema::{Additional, Schema, Type};

/// Maximum depth of optional members.
const DEPTH: usize = 4;
/// Maximum depth of values, and maximum number of their parts.
const MAX_DEPTH: usize = 24;
const MAX_NODES: u32 = 2_000;

/// Words of texts that have no format.
const WORDS: [&str; 16] = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "indigo", "juniper",
    "kelp", "lumen", "maple", "nectar", "opal", "pine",
];

/// The body of a response whose schema is `schema`, for `call`; `None` where it is no JSON, or nothing valid was found.
pub(super) fn body(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    media: &str,
    call: &Call<'_>,
) -> Option<String> {
    if Format::of(media) != Format::Json {
        return None;
    }
    let mut hasher = FxHasher::default();
    (call.path, call.query, call.body).hash(&mut hasher);
    call.header("prefer").hash(&mut hasher);
    let mut maker = Maker {
        schemas,
        state: hasher.finish(),
        nodes: 0,
    };
    let value = maker.value(schema, 0)?;
    let is_valid = schemas.check(schema, &value, Hidden::WriteOnly).is_ok();
    is_valid.then(|| format!("{value:#}\n"))
}

struct Maker<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    state: u64,
    nodes: u32,
}

impl Maker<'_, '_, '_> {
    /// The next number (splitmix64, by Sebastiano Vigna, public domain).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`, which is not 0.
    fn random_below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn value(&mut self, schema: &Arc<Schema>, depth: usize) -> Option<Value> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return None;
        }
        let flat = self.schemas.flat(schema);
        let merged = flat.schema.clone();
        if let Some(values) = merged.values.as_ref().filter(|values| !values.is_empty()) {
            let at = self.random_below(values.len());
            return Some(values[at].clone());
        }
        let mut result = None;
        for union in self.schemas.choices(&flat) {
            if union.branches.is_empty() {
                continue;
            }
            let at = self.random_below(union.branches.len());
            let branch = union.branches[at].clone();
            let mut value = self.value(&branch, depth + 1)?;
            if let (Some(discriminator), Value::Object(members)) =
                (&union.discriminator, &mut value)
            {
                let values = self.schemas.discriminator_values(discriminator, &branch);
                if let Some(chosen) = values.first() {
                    members.insert(discriminator.property.clone(), Value::from(chosen.clone()));
                }
            }
            result = match (result, value) {
                (Some(Value::Object(mut all)), Value::Object(more)) => {
                    all.extend(more);
                    Some(Value::Object(all))
                }
                (_, value) => Some(value),
            };
        }
        match result {
            Some(Value::Object(of_branches)) if !merged.properties.is_empty() => {
                let Value::Object(mut own) = self.object(&merged, depth)? else {
                    return None;
                };
                own.extend(of_branches);
                Some(Value::Object(own))
            }
            Some(value) => Some(value),
            None => self.of_type(schema, &merged, depth),
        }
    }

    fn of_type(&mut self, schema: &Arc<Schema>, merged: &Schema, depth: usize) -> Option<Value> {
        let types = merged.types.iter().flatten().copied();
        let kind = types.clone().find(|kind| *kind != Type::Null);
        match kind.or_else(|| types.clone().next()) {
            Some(Type::Null) => Some(Value::Null),
            Some(Type::Boolean) => Some(Value::Bool(self.random_below(2) == 1)),
            Some(kind @ (Type::Integer | Type::Number)) => self.number(schema, merged, kind),
            Some(Type::String) => self.text(schema, merged),
            Some(Type::Array) => self.array(merged, depth),
            Some(Type::Object) => self.object(merged, depth),
            // Anything goes.
            None => Some(Value::from(WORDS[self.random_below(WORDS.len())])),
        }
    }

    /// Returns the value of the static sample; for schemas whose constraints leave little choice.
    fn usual(&mut self, schema: &Arc<Schema>) -> Option<Value> {
        self.schemas.sample(schema, Hidden::WriteOnly)
    }

    fn number(&mut self, schema: &Arc<Schema>, merged: &Schema, kind: Type) -> Option<Value> {
        let whole = |bound: &Number| bound.as_f64().filter(|bound| bound.abs() < 1e9);
        let min = merged.min.as_ref().map(|bound| whole(&bound.number));
        let max = merged.max.as_ref().map(|bound| whole(&bound.number));
        if min == Some(None) || max == Some(None) || !merged.multiple_of.is_empty() {
            return self.usual(schema);
        }
        let (min, max) = match (min.flatten(), max.flatten()) {
            (Some(min), Some(max)) => (min, max),
            (Some(min), None) => (min, min + 1000.0),
            (None, Some(max)) => (max.min(0.0), max),
            (None, None) => (0.0, 1000.0),
        };
        let (low, high) = (min.ceil() as i64, max.floor() as i64);
        let is_open = |bound: &Option<crate::schema::Bound>| {
            bound.as_ref().is_some_and(|bound| bound.is_exclusive)
        };
        let low = low + i64::from(is_open(&merged.min) && low as f64 == min);
        let high = high - i64::from(is_open(&merged.max) && high as f64 == max);
        if low > high {
            return self.usual(schema);
        }
        let number = low + self.random_below((high - low + 1) as usize) as i64;
        if kind == Type::Integer || number == high {
            return Some(Value::from(number));
        }
        let hundredths = self.random_below(100);
        // Of a negative number the fraction leads away from zero.
        let number = if number < 0 { number + 1 } else { number };
        let text = format!("{number}.{hundredths:02}");
        number::of_text(&text).map(Value::Number)
    }

    fn text(&mut self, schema: &Arc<Schema>, merged: &Schema) -> Option<Value> {
        let is_bound = merged.min_length.is_some()
            || merged.max_length.is_some()
            || !merged.patterns.is_empty()
            || merged.is_binary
            || merged.content_encoding.is_some()
            || merged.content_schema.is_some();
        if is_bound {
            return self.usual(schema);
        }
        let word = WORDS[self.random_below(WORDS.len())];
        let text = match merged.formats.first().map(String::as_str) {
            None => format!("{word} {}", WORDS[self.random_below(WORDS.len())]),
            Some("date") => self.date(),
            Some("date-time") => {
                let (hour, minute) = (self.random_below(24), self.random_below(60));
                format!("{}T{hour:02}:{minute:02}:00Z", self.date())
            }
            Some("email" | "idn-email") => format!("{word}@example.com"),
            Some("uri" | "iri" | "url") => format!("https://example.com/{word}"),
            Some("hostname") => format!("{word}.example.com"),
            Some("ipv4") => format!("192.0.2.{}", self.random_below(256)),
            Some("uuid") => {
                let (high, low) = (self.next(), self.next());
                format!(
                    "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
                    high >> 32,
                    (high >> 16) & 0xffff,
                    high & 0xfff,
                    low >> 52,
                    low & 0xffff_ffff_ffff
                )
            }
            Some(_) => return self.usual(schema),
        };
        Some(Value::from(text))
    }

    fn date(&mut self) -> String {
        let (year, month, day) = (
            2020 + self.random_below(10),
            1 + self.random_below(12),
            1 + self.random_below(28),
        );
        format!("{year}-{month:02}-{day:02}")
    }

    fn array(&mut self, merged: &Schema, depth: usize) -> Option<Value> {
        let least = merged.min_items.unwrap_or(0).min(50) as usize;
        let most = merged.max_items.unwrap_or(50).min(50) as usize;
        let count = (1 + self.random_below(3)).clamp(least.min(most), most);
        let mut items = Vec::new();
        for index in 0..count.max(merged.prefix_items.len().min(most)) {
            let Some(of_item) = merged.prefix_items.get(index).or(merged.items.as_ref()) else {
                break;
            };
            let Some(item) = self.value(&of_item.clone(), depth + 1) else {
                break;
            };
            if !merged.is_unique || !items.contains(&item) {
                items.push(item);
            }
        }
        Some(Value::Array(items))
    }

    fn object(&mut self, merged: &Schema, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        for (name, property) in &merged.properties {
            let flat = self.schemas.flat(property);
            if Hidden::WriteOnly.hides(&flat.schema) {
                continue;
            }
            let is_required = merged.required.contains(name);
            let is_there = is_required || (depth < DEPTH && self.random_below(4) > 0);
            if !is_there {
                continue;
            }
            match self.value(property, depth + 1) {
                Some(value) => {
                    members.insert(name.clone(), value);
                }
                None if is_required => return None,
                None => {}
            }
        }
        if let (true, Some(Additional::Schema(other))) =
            (merged.properties.is_empty(), &merged.additional)
            && depth < DEPTH
        {
            for _ in 0..=self.random_below(2) {
                let name = WORDS[self.random_below(WORDS.len())].to_owned();
                if let Some(value) = self.value(other, depth + 1) {
                    members.insert(name, value);
                }
            }
        }
        Some(Value::Object(members))
    }
}
