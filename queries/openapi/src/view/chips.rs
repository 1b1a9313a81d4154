//! Constraints in a few words.

use std::sync::Arc;

use super::{Page, Scope, literal};
use crate::direction::Hidden;
use crate::endpoint::{Phrase, Span};
use crate::merge::Flat;
use crate::schema::{Additional, Bound, Schema, Type};

/// Words for a schema that contradicts itself.
pub(super) const NOTHING: &str = "no value fits";

fn words(text: impl Into<String>) -> Phrase {
    vec![Span::words(text)]
}

/// `≥ 3 characters`, `≤ 40 characters`, `3 – 40 characters`, `exactly 5 characters`.
fn range(min: Option<u64>, max: Option<u64>, unit: &str) -> Option<Phrase> {
    Some(words(match (min, max) {
        (Some(min), Some(max)) if min == max => format!("exactly {min} {unit}"),
        (Some(min), Some(max)) if min > 0 => format!("{min} – {max} {unit}"),
        (_, Some(max)) => format!("≤ {max} {unit}"),
        (Some(min), None) if min > 0 => format!("≥ {min} {unit}"),
        _ => return None,
    }))
}

/// The limits of a number.
fn limits(schema: &Schema) -> Vec<Phrase> {
    match (&schema.min, &schema.max) {
        (Some(min), Some(max)) if !min.is_exclusive && !max.is_exclusive => {
            vec![words(format!(
                "{} – {}",
                bound(schema, min),
                bound(schema, max)
            ))]
        }
        (min, max) => {
            let min = min.as_ref().map(|min| {
                let sign = if min.is_exclusive { '>' } else { '≥' };
                words(format!("{sign} {}", bound(schema, min)))
            });
            let max = max.as_ref().map(|max| {
                let sign = if max.is_exclusive { '<' } else { '≤' };
                words(format!("{sign} {}", bound(schema, max)))
            });
            min.into_iter().chain(max).collect()
        }
    }
}

/// A bound as it is written; one of an integer without the `.0` that generators give it.
fn bound(schema: &Schema, bound: &Bound) -> String {
    let text = bound.number.to_string();
    let is_integer = schema
        .types
        .iter()
        .flatten()
        .any(|kind| *kind == Type::Integer);
    let digits = text.trim_end_matches('0').strip_suffix('.');
    match digits.filter(|_| is_integer) {
        Some(digits) => digits.to_owned(),
        None => text,
    }
}

/// Returns the text of the `contains` constraint.
pub(super) fn contains(schema: &Schema) -> String {
    let min = schema.min_contains.unwrap_or(1);
    match schema.max_contains {
        Some(max) if max == min => format!("contains {min} of"),
        Some(max) => format!("contains {min} – {max} of"),
        None => format!("contains {min} or more of"),
    }
}

impl Page<'_, '_> {
    /// The constraints of a schema.
    pub(super) fn chips(&mut self, flat: &Flat, scope: &Scope) -> Vec<Phrase> {
        let mut schema = flat.schema.clone();
        let hidden = scope.hidden;
        if !schema.dependent_required.is_empty() && hidden != Hidden::Nothing {
            let whole = schema.clone();
            let dependent = &mut Arc::make_mut(&mut schema).dependent_required;
            dependent.retain_mut(|(name, names)| {
                names.retain(|name| !self.schemas.is_hidden(&whole, name, hidden));
                !names.is_empty() && !self.schemas.is_hidden(&whole, name, hidden)
            });
        }
        let mut chips = plain(&schema);
        if flat.is_conflict && !schema.is_nullable() {
            // The other chips are those of one of the members.
            chips.insert(0, words(NOTHING));
        }
        if let Some(names) = &schema.property_names {
            let mut phrase = vec![Span::words("keys ")];
            phrase.extend(self.constraint(names, scope));
            chips.push(phrase);
        }
        for not in &schema.not {
            let mut phrase = vec![Span::words("not: ")];
            phrase.extend(self.constraint(not, scope));
            chips.push(phrase);
        }
        chips
    }

    /// The constraints of a schema as one phrase; its type where it has none.
    pub(super) fn constraint(&mut self, schema: &Arc<Schema>, scope: &Scope) -> Phrase {
        let flat = self.schemas.flat(schema);
        let mut chips = plain(&flat.schema);
        if !flat.schema.required.is_empty() {
            chips.push(required(&flat.schema.required));
        }
        for (name, property) in &flat.schema.properties {
            let inner = self.schemas.flat(property);
            if inner.schema.has_structure() {
                let mut chip = vec![Span::code(name.clone()), Span::words(": ")];
                match &inner.schema.values {
                    Some(values) => {
                        let values = values.iter().map(|value| Span::code(value.to_string()));
                        chip.extend(separated(values.collect(), " or "));
                    }
                    None => chip.extend(plain(&inner.schema).into_iter().flatten()),
                }
                if chip.len() > 2 {
                    chips.push(chip);
                }
            }
        }
        if let Some(values) = &flat.schema.values {
            let values = values.iter().map(|value| Span::code(literal(value)));
            chips.push(separated(values.collect(), ", "));
        }
        chips.extend(self.item_chips(&flat, scope));
        for union in flat.unions.iter() {
            let mut branches = Vec::new();
            for branch in &union.branches {
                let branch = self.schemas.flat(branch);
                branches.push(self.required_alone(&flat, &branch, scope.hidden));
            }
            // Which of several names are there.
            if branches.iter().all(|names| !names.is_empty()) {
                let phrases = branches.iter().map(|names| required(names));
                let phrases: Vec<Phrase> = phrases.collect();
                chips.push(phrases.join(&Span::words(" or ")));
            }
        }
        if chips.is_empty() {
            return words(self.label_text(schema, scope));
        }
        join_chips(chips)
    }
}

/// Names that have to be there, as a constraint.
pub(super) fn required(names: &[String]) -> Phrase {
    let names = names.iter().map(|name| Span::code(name.clone()));
    let mut phrase = vec![Span::words("required ")];
    phrase.extend(separated(names.collect(), ", "));
    phrase
}

/// Constraints as one phrase.
pub(super) fn join_chips(chips: Vec<Phrase>) -> Phrase {
    let mut phrase = Phrase::new();
    for chip in chips {
        if !phrase.is_empty() {
            phrase.push(Span::words(", "));
        }
        phrase.extend(chip);
    }
    phrase
}

pub(super) fn separated(spans: Vec<Span>, separator: &str) -> Phrase {
    let mut phrase = Phrase::new();
    for span in spans {
        if !phrase.is_empty() {
            phrase.push(Span::words(separator));
        }
        phrase.push(span);
    }
    phrase
}

/// Returns true if an object has the properties that it names, and no others.
fn is_closed(schema: &Schema) -> bool {
    let closed = Some(Additional::Closed);
    let is_rest = schema.additional.is_none() && schema.unevaluated == closed;
    (schema.additional == closed || is_rest) && !schema.properties.is_empty()
}

/// Constraints that can be described without another schema.
fn plain(schema: &Schema) -> Vec<Phrase> {
    let mut chips = Vec::new();
    // A keyword only applies to values of its type.
    if schema.allows(Type::Integer) {
        chips.extend(limits(schema));
        let steps = schema.multiple_of.iter();
        chips.extend(steps.map(|step| words(format!("multiple of {step}"))));
    }
    if schema.allows(Type::String) {
        chips.extend(range(schema.min_length, schema.max_length, "characters"));
    }
    if schema.allows(Type::Array) {
        chips.extend(range(schema.min_items, schema.max_items, "items"));
    }
    if schema.allows(Type::Object) {
        let (min, max) = (schema.min_properties, schema.max_properties);
        chips.extend(range(min, max, "properties"));
        if is_closed(schema) {
            chips.push(words("no other properties"));
        }
    }
    if schema.is_unique && schema.allows(Type::Array) {
        chips.push(words("unique items"));
    }
    for pattern in schema
        .patterns
        .iter()
        .filter(|_| schema.allows(Type::String))
    {
        chips.push(vec![Span::words("matches "), Span::code(pattern.clone())]);
    }
    if schema.formats.len() > 1 {
        chips.extend(schema.formats.iter().map(words));
    }
    if !schema.is_binary {
        chips.extend(schema.content_encoding.iter().map(words));
        chips.extend(schema.content_media_type.iter().map(words));
    }
    for (name, names) in &schema.dependent_required {
        let mut phrase = vec![
            Span::words("if "),
            Span::code(name.clone()),
            Span::words(" is present: "),
        ];
        let names = names.iter().map(|name| Span::code(name.clone())).collect();
        phrase.extend(separated(names, ", "));
        phrase.push(Span::words(" required"));
        chips.push(phrase);
    }
    chips
}
