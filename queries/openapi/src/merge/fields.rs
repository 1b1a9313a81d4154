//! Merges two schemas into one with the constraints of both, field by field.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::{Flat, Schemas};
use crate::number;
use crate::pattern::Pattern;
use crate::schema::{Additional, Bound, Named, Schema, Type};
use crate::validate::is_within;
use base::diagnostic::Code;

impl Schemas<'_, '_> {
    /// `a` and `b`; titles and descriptions of `b` take precedence, and its constraints where they
    /// contradict each other. Conflicts are reported at `pointer`.
    pub(super) fn merge(&mut self, mut a: Flat, b: Flat, pointer: &str) -> Flat {
        let mut problems = Vec::new();
        a.take(b, pointer, &mut problems);
        for (code, message) in problems {
            self.problem(code, pointer, message);
        }
        a
    }
}

impl Flat {
    /// Adds the keywords of `other`; the result gets `pointer`.
    pub(super) fn take(&mut self, other: Self, pointer: &str, problems: &mut Vec<(Code, String)>) {
        self.is_cut |= other.is_cut;
        self.is_conflict |= other.is_conflict;
        self.is_empty |= other.is_empty;
        self.unresolved = self.unresolved.take().or(other.unresolved);
        if !other.unions.is_empty() {
            let unions = Arc::make_mut(&mut self.unions);
            for union in other.unions.iter() {
                // Many members of `allOf` can lead to the same one.
                if !unions.iter().any(|known| known.is_same(union)) {
                    unions.push(union.clone());
                }
            }
        }
        let into = Arc::make_mut(&mut self.schema);
        let from = Arc::unwrap_or_clone(other.schema);
        let mut conflicts = Vec::new();
        merge_into(into, from, &mut conflicts, &mut |code, message| {
            problems.push((code, message.to_owned()));
        });
        if !self.is_conflict && conflicts.is_empty() {
            conflicts.extend(contradiction(into));
        }
        into.pointer = pointer.to_owned();
        self.is_conflict |= !conflicts.is_empty();
        for conflict in conflicts {
            let message = format!("the members of `allOf` contradict each other: {conflict}");
            problems.push((Code::AllofConflict, message));
        }
    }
}

/// Returns why a merged schema has no valid value, if the contradiction is between different
/// keywords: listed values against types and bounds, or the bounds of two keywords.
fn contradiction(schema: &Schema) -> Option<String> {
    if let Some(values) = &schema.values {
        let is_valid = |value: &Value| {
            value.is_null() && schema.is_nullable()
                || (schema.is_inferred || schema.allows(Type::of(value)))
                    && is_within(schema, value)
        };
        let is_listed = values.iter().any(is_valid);
        return (!is_listed).then(|| "no value of the enumeration is allowed".to_owned());
    }
    let is_integer = schema.types.as_deref() == Some(&[Type::Integer]);
    let limit = |bound: &Option<Bound>| bound.clone().map(|one| (one.number, one.is_exclusive));
    let (min, max) = (limit(&schema.min), limit(&schema.max));
    let one = serde_json::Number::from(1);
    let nearest = number::nearest_multiple(
        &one,
        &one,
        min.as_ref()
            .map(|(number, is_exclusive)| (number, *is_exclusive)),
        max.as_ref()
            .map(|(number, is_exclusive)| (number, *is_exclusive)),
    );
    let has_none = is_integer && nearest.is_none();
    has_none.then(|| "no integer is within the limits".to_owned())
}

type Report<'a> = &'a mut dyn FnMut(Code, &'static str);

fn merge_into(a: &mut Schema, b: Schema, conflicts: &mut Vec<String>, report: Report<'_>) {
    a.is_never |= b.is_never;
    types(a, &b, conflicts, report);
    own_examples(a, &b);
    values(a, &b, conflicts);
    objects(a, &b, report);
    contains(a, &b);
    merge_properties(a, b.properties, &b.pattern_properties, &b.additional);
    merge_named(&mut a.pattern_properties, b.pattern_properties);
    a.additional = additional(a.additional.take(), b.additional);
    a.unevaluated = additional(a.unevaluated.take(), b.unevaluated);
    a.is_open |= b.is_open;
    a.knows_all |= b.knows_all;
    a.items = both(a.items.take(), b.items);
    let mut prefix = b.prefix_items.into_iter();
    for item in &mut a.prefix_items {
        if let Some(other) = prefix.next() {
            *item = Schemas::all_of(&[item.clone(), other]);
        }
    }
    a.prefix_items.extend(prefix);
    a.unevaluated_items = additional(a.unevaluated_items.take(), b.unevaluated_items);
    let items = (b.min_items, b.max_items);
    counts(
        (&mut a.min_items, &mut a.max_items),
        items,
        "items",
        conflicts,
    );
    a.is_unique |= b.is_unique;
    a.not.extend(b.not);
    if b.condition.is_some() {
        if a.condition.is_some() {
            // Two conditions: the second becomes a member of its own, checked with the rest.
            let second = Schema {
                pointer: format!("{}&if", b.pointer),
                condition: b.condition,
                then: b.then,
                otherwise: b.otherwise,
                ..Schema::default()
            };
            a.dependent_schemas.push((String::new(), Arc::new(second)));
        } else {
            (a.condition, a.then, a.otherwise) = (b.condition, b.then, b.otherwise);
        }
    }
    if let (Some(one), Some(other)) = (&a.discriminator, &b.discriminator)
        && one.property != other.property
    {
        report(
            Code::AllofConflict,
            "two members of `allOf` have different discriminators",
        );
    }
    a.discriminator = a.discriminator.take().or(b.discriminator);
    numbers(a, b.min, b.max, b.multiple_of, conflicts);
    let lengths = (b.min_length, b.max_length);
    let own = (&mut a.min_length, &mut a.max_length);
    counts(own, lengths, "characters", conflicts);
    for pattern in b.patterns {
        if !a.patterns.contains(&pattern) {
            a.patterns.push(pattern);
        }
    }
    for format in b.formats {
        if !a.formats.contains(&format) {
            if !a.formats.is_empty() {
                report(
                    Code::AllofConflict,
                    "two members of `allOf` have different formats",
                );
            }
            a.formats.push(format);
        }
    }
    a.content_encoding = b.content_encoding.or(a.content_encoding.take());
    a.content_media_type = b.content_media_type.or(a.content_media_type.take());
    a.content_schema = both(a.content_schema.take(), b.content_schema);
    a.is_binary |= b.is_binary;
    a.title = b.title.or(a.title.take());
    describe(a, b.description, b.inner_descriptions);
    for null in b.null_branches {
        if !a
            .null_branches
            .iter()
            .any(|known| known.pointer == null.pointer)
        {
            a.null_branches.push(null);
        }
    }
    a.default = b.default.or(a.default.take());
    a.spellings = match (a.spellings.take(), b.spellings) {
        (Some(one), Some(other)) if one != other => {
            let mut all = (*one).clone();
            all.extend((*other).clone());
            Some(Arc::new(all))
        }
        (one, other) => other.or(one),
    };
    match (a.examples.first(), b.examples.first()) {
        // Each defines some members of the whole.
        (Some(Value::Object(one)), Some(Value::Object(other))) if one != other => {
            let mut both = one.clone();
            both.extend(other.clone());
            a.examples = vec![Value::Object(both)];
        }
        (_, Some(_)) => a.examples = b.examples,
        _ => {}
    }
    a.is_read_only |= b.is_read_only;
    a.is_write_only |= b.is_write_only;
    a.is_deprecated |= b.is_deprecated;
    a.external_docs = b.external_docs.or(a.external_docs.take());
    a.xml = b.xml.or(a.xml.take());
    a.extras.extend(b.extras);
    a.says_nullable |= b.says_nullable;
    a.additional_name = b.additional_name.or(a.additional_name.take());
    a.property_names = both(a.property_names.take(), b.property_names);
}

/// Adds what items `b` asks for: each `contains` asks for items of its own, so that a second one becomes a member, checked with the
/// rest.
fn contains(a: &mut Schema, b: &Schema) {
    match (&a.contains, &b.contains) {
        (_, None) => {}
        (Some(one), Some(other)) if one.pointer == other.pointer => {
            a.min_contains = a.min_contains.max(b.min_contains);
            a.max_contains = least(a.max_contains, b.max_contains);
        }
        (Some(_), Some(other)) => {
            let second = Schema {
                pointer: format!("{}&contains", b.pointer),
                contains: Some(other.clone()),
                min_contains: b.min_contains,
                max_contains: b.max_contains,
                ..Schema::default()
            };
            a.dependent_schemas.push((String::new(), Arc::new(second)));
        }
        (None, Some(other)) => {
            a.contains = Some(other.clone());
            (a.min_contains, a.max_contains) = (b.min_contains, b.max_contains);
        }
    }
}

/// Describes `schema` by `description` where there is one; what it was described as before is kept beside it.
pub(super) fn describe(schema: &mut Schema, description: Option<String>, inner: Vec<String>) {
    if let Some(new) = description
        && let Some(old) = schema.description.replace(new)
    {
        schema.inner_descriptions.push(old);
    }
    schema.inner_descriptions.extend(inner);
    let description = schema.description.clone().unwrap_or_default();
    let mut seen: Vec<String> = Vec::new();
    schema.inner_descriptions.retain(|text| {
        let is_new = !description.contains(text.trim()) && !seen.contains(text);
        seen.push(text.clone());
        is_new
    });
}

fn types(a: &mut Schema, b: &Schema, conflicts: &mut Vec<String>, report: Report<'_>) {
    let no_opinion = |schema: &Schema| {
        schema.types.is_none()
            || schema.is_inferred && schema.values.is_none() && schema.content_media_type.is_none()
    };
    let is_nullable = (a.is_nullable() || no_opinion(a)) && (b.is_nullable() || no_opinion(b));
    let is_nullable = is_nullable && (a.is_nullable() || b.is_nullable());
    let (types, is_inferred) = match (a.types.take(), &b.types) {
        (None, None) => (None, false),
        (None, Some(types)) => (Some(types.clone()), b.is_inferred),
        (Some(types), None) => (Some(types), a.is_inferred),
        (Some(_), Some(types)) if a.is_inferred && !b.is_inferred => (Some(types.clone()), false),
        (Some(types), Some(_)) if b.is_inferred && !a.is_inferred => (Some(types), false),
        (Some(one), Some(other)) => {
            let common = intersection(&one, other);
            let is_null = |types: &[Type]| types.iter().all(|kind| *kind == Type::Null);
            let is_only_null = is_nullable && (is_null(&one) || is_null(other));
            if !common.is_empty() || is_only_null {
                (Some(common), a.is_inferred)
            } else if is_nullable && !a.is_inferred {
                report(
                    Code::AllofConflict,
                    "the members of `allOf` have only `null` in common",
                );
                (Some(common), false)
            } else if a.is_inferred {
                let mut union = one;
                union.extend(other.iter().filter(|kind| **kind != Type::Null));
                (Some(union), true)
            } else {
                // Nothing is valid, which is for the author to know. Readers see the last definition.
                conflicts.push(format!("{} and {}", words(&one), words(other)));
                let fits = |value: &serde_json::Value| b.allows(Type::of(value));
                if a.values
                    .as_ref()
                    .is_some_and(|values| !values.iter().any(fits))
                {
                    a.values = None;
                    a.value_notes.clear();
                }
                (Some(other.clone()), false)
            }
        }
    };
    a.types = types.map(|mut types| {
        types.retain(|kind| *kind != Type::Null);
        if is_nullable {
            types.push(Type::Null);
        }
        types
    });
    a.is_inferred = is_inferred;
    a.or_null = is_nullable && a.types.is_none();
}

pub(super) fn words(types: &[Type]) -> String {
    let words: Vec<&str> = types.iter().map(|kind| kind.word()).collect();
    words.join(" or ")
}

pub(super) fn intersection(a: &[Type], b: &[Type]) -> Vec<Type> {
    let mut common = Vec::new();
    for kind in a.iter().filter(|kind| **kind != Type::Null) {
        let narrowed = match kind {
            Type::Number if !b.contains(&Type::Number) => Type::Integer,
            Type::Integer if b.contains(&Type::Number) => {
                common.push(Type::Integer);
                continue;
            }
            kind => *kind,
        };
        if b.contains(&narrowed) {
            common.push(narrowed);
        }
    }
    common
}

fn values(a: &mut Schema, b: &Schema, conflicts: &mut Vec<String>) {
    let Some(other) = &b.values else {
        return;
    };
    let Some(values) = a.values.take() else {
        a.values = Some(other.clone());
        a.value_notes.clone_from(&b.value_notes);
        return;
    };
    let notes = if a.value_notes.len() == values.len() {
        std::mem::take(&mut a.value_notes)
    } else {
        Vec::new()
    };
    let common: Vec<usize> = (0..values.len())
        .filter(|index| other.iter().any(|one| number::equal(one, &values[*index])))
        .collect();
    if common.is_empty() {
        conflicts.push("no value is in both enumerations".to_owned());
        a.values = Some(other.clone());
        a.value_notes.clone_from(&b.value_notes);
        return;
    }
    a.value_notes = common
        .iter()
        .filter_map(|index| notes.get(*index).cloned())
        .collect();
    a.values = Some(
        common
            .into_iter()
            .map(|index| values[index].clone())
            .collect(),
    );
}

/// Leaves out examples and the default of `a` that the enumeration of `b` does not have: they were
/// meant for more values.
fn own_examples(a: &mut Schema, b: &Schema) {
    let Some(values) = &b.values else {
        return;
    };
    let is_listed =
        |example: &serde_json::Value| values.iter().any(|one| number::equal(one, example));
    a.examples.retain(is_listed);
    a.default = a.default.take().filter(is_listed);
}

/// Returns true if `closed` allows no properties but its own, and `other` has some that are not
/// among them.
fn leaves_out(closed: &Schema, other: &Schema) -> bool {
    let is_own = |name: &String| {
        let mut patterns = closed.pattern_properties.iter();
        closed.property(name).is_some()
            || patterns.any(|(pattern, _)| {
                Pattern::new(pattern).is_none_or(|pattern| pattern.is_match(name) != Some(false))
            })
    };
    closed.additional == Some(Additional::Closed)
        && !closed.properties.is_empty()
        && !other.properties.iter().all(|(name, _)| is_own(name))
}

fn objects(a: &mut Schema, b: &Schema, report: Report<'_>) {
    if leaves_out(a, b) || leaves_out(b, a) {
        report(
            Code::AllofClosed,
            "a member of `allOf` allows no properties but its own; the properties of all members are shown",
        );
    }
    for name in &b.required {
        if !a.required.contains(name) {
            a.required.push(name.clone());
        }
    }
    a.min_properties = a.min_properties.max(b.min_properties);
    a.max_properties = least(a.max_properties, b.max_properties);
    for (name, names) in &b.dependent_required {
        match a
            .dependent_required
            .iter_mut()
            .find(|(known, _)| known == name)
        {
            Some((_, known)) => {
                let new = names.iter().filter(|name| !known.contains(name));
                let new: Vec<String> = new.cloned().collect();
                known.extend(new);
            }
            None => a.dependent_required.push((name.clone(), names.clone())),
        }
    }
    a.dependent_schemas
        .extend(b.dependent_schemas.iter().cloned());
}

/// Adds properties; one that both define has to be valid against both, and so has one that the other side has only a
/// schema for unnamed members for.
fn merge_properties(a: &mut Schema, added: Named, patterns: &Named, others: &Option<Additional>) {
    if let (Some(Additional::Schema(other)), true) = (others, patterns.is_empty()) {
        for (name, schema) in &mut a.properties {
            if !added.iter().any(|(known, _)| known == name) {
                *schema = Schemas::all_of(&[silent(other), schema.clone()]);
            }
        }
    }
    let own_others = match (&a.additional, a.pattern_properties.is_empty()) {
        (Some(Additional::Schema(own)), true) => Some(own.clone()),
        _ => None,
    };
    let count = a.properties.len();
    merge_named(&mut a.properties, added);
    if let Some(own) = own_others {
        for (_, schema) in &mut a.properties[count..] {
            *schema = Schemas::all_of(&[silent(&own), schema.clone()]);
        }
    }
}

/// Returns the constraints of `schema`, without its titles and descriptions.
fn silent(schema: &Arc<Schema>) -> Arc<Schema> {
    Arc::new(Schema {
        pointer: format!("{}&~", schema.pointer),
        all_of: vec![schema.clone()],
        is_silent: true,
        ..Schema::default()
    })
}

fn merge_named(a: &mut Named, b: Named) {
    if a.is_empty() {
        *a = b;
        return;
    }
    if b.is_empty() {
        return;
    }
    let names = a.iter().map(|(name, _)| name.clone());
    let index: HashMap<String, usize> = names.zip(0..).collect();
    for (name, schema) in b {
        match index.get(&name) {
            Some(at) if a[*at].1.pointer == schema.pointer => {}
            Some(at) => a[*at].1 = Schemas::all_of(&[a[*at].1.clone(), schema]),
            None => a.push((name, schema)),
        }
    }
}

fn additional(a: Option<Additional>, b: Option<Additional>) -> Option<Additional> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(Additional::Schema(a)), Some(Additional::Schema(b))) => {
            both(Some(a), Some(b)).map(Additional::Schema)
        }
        _ => Some(Additional::Closed),
    }
}

fn both(a: Option<Arc<Schema>>, b: Option<Arc<Schema>>) -> Option<Arc<Schema>> {
    match (a, b) {
        (Some(a), Some(b)) if a.pointer == b.pointer => Some(a),
        (Some(a), Some(b)) => Some(Schemas::all_of(&[a, b])),
        (a, b) => a.or(b),
    }
}

pub(super) fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn numbers(
    a: &mut Schema,
    min: Option<Bound>,
    max: Option<Bound>,
    steps: Vec<serde_json::Number>,
    conflicts: &mut Vec<String>,
) {
    let last = (min.clone(), max.clone());
    a.min = stricter(a.min.take(), min, Ordering::Greater);
    a.max = stricter(a.max.take(), max, Ordering::Less);
    if let (Some(min), Some(max)) = (&a.min, &a.max)
        && is_empty_range(min, max)
    {
        let message = format!("no number is between {} and {}", min.number, max.number);
        conflicts.push(message);
        (a.min, a.max) = last;
    }
    for step in steps {
        let common = match a.multiple_of.as_slice() {
            [one] => number::common_multiple(one, &step),
            _ => None,
        };
        match common {
            Some(common) => a.multiple_of = vec![common],
            None => a.multiple_of.push(step),
        }
    }
}

/// Returns true if no number is within the limits.
pub(super) fn is_empty_range(min: &Bound, max: &Bound) -> bool {
    let order = number::compare(&min.number, &max.number);
    order.is_gt() || order.is_eq() && (min.is_exclusive || max.is_exclusive)
}

/// Intersects two ranges for a number of items or characters. If the intersection is empty, `last`
/// wins and the conflict is recorded.
fn counts(
    (min, max): (&mut Option<u64>, &mut Option<u64>),
    last: (Option<u64>, Option<u64>),
    unit: &str,
    conflicts: &mut Vec<String>,
) {
    *min = (*min).max(last.0);
    *max = least(*max, last.1);
    if let (Some(least), Some(most)) = (*min, *max)
        && least > most
        && last != (Some(least), Some(most))
    {
        conflicts.push(format!("at least {least} and at most {most} {unit}"));
        (*min, *max) = last;
    }
}

pub(super) fn stricter(a: Option<Bound>, b: Option<Bound>, wins: Ordering) -> Option<Bound> {
    let (Some(a), Some(b)) = (a.clone(), b.clone()) else {
        return a.or(b);
    };
    let order = number::compare(&b.number, &a.number);
    let is_b = order == wins || order.is_eq() && b.is_exclusive;
    Some(if is_b { b } else { a })
}
