//! Sample numbers and texts.

use serde_json::{Number, Value};

use super::{BYTES, Sampler};
use crate::direction::Hidden;
use crate::number;
use crate::pattern::Pattern;
use crate::schema::{Bound, Schema};

fn limit(bound: &Option<Bound>) -> Option<(&Number, bool)> {
    bound
        .as_ref()
        .map(|bound| (&bound.number, bound.is_exclusive))
}

/// A whole number: 1, moved to the nearest multiple within the limits.
pub(super) fn integer(schema: &Schema) -> Option<Value> {
    let one = Number::from(1);
    let mut steps = schema.multiple_of.iter();
    let step = steps.try_fold(one.clone(), |step, other| {
        number::common_multiple(&step, other)
    })?;
    let nearest = number::nearest_multiple(&one, &step, limit(&schema.min), limit(&schema.max));
    nearest.map(Value::Number)
}

/// A number: 1.5, or one within the limits.
pub(super) fn number(schema: &Schema) -> Option<Value> {
    let usual = number::of_text("1.5")?;
    if let Some((first, others)) = schema.multiple_of.split_first() {
        let mut others = others.iter();
        let step = others.try_fold(first.clone(), |step, other| {
            number::common_multiple(&step, other)
        })?;
        let nearest =
            number::nearest_multiple(&usual, &step, limit(&schema.min), limit(&schema.max));
        return nearest.map(Value::Number);
    }
    let is_above = schema.min.as_ref().is_none_or(|min| {
        let order = number::compare(&usual, &min.number);
        order.is_gt() || order.is_eq() && !min.is_exclusive
    });
    let is_below = schema.max.as_ref().is_none_or(|max| {
        let order = number::compare(&usual, &max.number);
        order.is_lt() || order.is_eq() && !max.is_exclusive
    });
    if is_above && is_below {
        return Some(Value::Number(usual));
    }
    let mut inclusive = [&schema.min, &schema.max].into_iter().flatten();
    if let Some(bound) = inclusive.find(|bound| !bound.is_exclusive) {
        return Some(Value::Number(bound.number.clone()));
    }
    let one = Number::from(1);
    let value = match (&schema.min, &schema.max) {
        (Some(min), Some(max)) => number::middle(&min.number, &max.number),
        (Some(min), None) => number::add(&min.number, &one),
        (None, Some(max)) => number::add(&max.number, &Number::from(-1)),
        (None, None) => Some(usual),
    };
    value.map(Value::Number)
}

/// The usual text of a format.
pub(crate) fn of_format(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" => "2025-01-15T09:30:00Z",
        "date" => "2025-01-15",
        "time" => "09:30:00Z",
        "duration" => "P1D",
        "email" | "idn-email" => "user@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "iri" | "url" => "https://example.com",
        "uri-reference" | "iri-reference" => "/path",
        "uri-template" => "/items/{id}",
        "uuid" => "123e4567-e89b-42d3-a456-426614174000",
        "byte" | "base64" => "c3RyaW5n",
        "json-pointer" => "/a/b",
        "relative-json-pointer" => "1/a",
        "regex" => "^a$",
        "int32" | "int64" => "1",
        "decimal" | "float" | "double" => "1.5",
        _ => return None,
    })
}

/// Texts of a format for limits that the usual one does not keep: as short, and as long as the shortest allowed.
fn of_length(format: &str, min: usize, max: Option<usize>) -> Vec<String> {
    let (short, before, after) = match format {
        "email" | "idn-email" => ("a@b.co", "", "@example.com"),
        "hostname" | "idn-hostname" => ("a.co", "", ".example.com"),
        "uri" | "iri" | "url" => ("https://a.co", "https://example.com/", ""),
        "uri-reference" | "iri-reference" => ("/a", "/", ""),
        _ => return Vec::new(),
    };
    // The part of an address before `@`, and each part of a name, has at most 63 characters and a few.
    let parts = |length: usize| {
        let letters = (1..=length).map(|at| {
            if at % 60 == 0 && at < length {
                '.'
            } else {
                'a'
            }
        });
        letters.collect::<String>()
    };
    let filled = min.saturating_sub(before.len() + after.len());
    let mut texts = Vec::new();
    if filled > 0 {
        texts.push(format!("{before}{}{after}", parts(filled)));
    }
    if max.is_some_and(|max| max >= short.len()) {
        texts.push(short.to_owned());
    }
    texts
}

/// `text` repeated up to `min` characters and cut at `max`.
fn fitted(text: &str, min: usize, max: Option<usize>) -> String {
    let length = text.chars().count();
    let wanted = length.max(min).min(max.unwrap_or(usize::MAX));
    text.chars().cycle().take(wanted).collect()
}

/// Longest text that a `minLength` gets.
const MAX_TEXT: usize = 20_000;

impl Sampler<'_, '_, '_> {
    /// A text.
    pub(super) fn string(&mut self, schema: &Schema) -> String {
        if schema.is_binary {
            return BYTES.to_owned();
        }
        let candidates = self.strings(schema);
        let patterns: Vec<Pattern> = schema
            .patterns
            .iter()
            .filter_map(|text| Pattern::new(text))
            .collect();
        let fits = |text: &String| {
            let length = text.chars().count() as u64;
            schema.min_length.is_none_or(|min| length >= min)
                && schema.max_length.is_none_or(|max| length <= max)
                && patterns
                    .iter()
                    .all(|pattern| pattern.is_match(text) != Some(false))
        };
        let valid = candidates.iter().find(|text| fits(text));
        valid.or(candidates.first()).cloned().unwrap_or_default()
    }

    /// Texts to try, the most telling first.
    pub(super) fn strings(&mut self, schema: &Schema) -> Vec<String> {
        let min = schema.min_length.unwrap_or(0).min(MAX_TEXT as u64) as usize;
        let max = schema.max_length.map(|max| max as usize);
        let mut candidates = Vec::new();
        if let Some(content) = &schema.content_schema
            && schema.content_encoding.is_none()
            && self.schemas.nesting < 2
        {
            self.schemas.nesting += 1;
            let sample = self.schemas.sample(content, Hidden::Nothing);
            self.schemas.nesting -= 1;
            candidates.extend(sample.map(|sample| sample.to_string()));
        }
        if schema.content_encoding.as_deref() == Some("base64") {
            candidates.push("c3RyaW5n".to_owned());
        }
        let formats = schema.formats.iter().filter_map(|format| of_format(format));
        candidates.extend(formats.map(str::to_owned));
        for format in &schema.formats {
            candidates.extend(of_length(format, min, max));
        }
        for pattern in schema.patterns.iter().filter_map(|text| Pattern::new(text)) {
            candidates.extend(pattern.samples(min, max).take(8));
        }
        candidates.push(fitted("string", min, max));
        candidates
    }
}
