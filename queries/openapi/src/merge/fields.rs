//! How two schemas become one that says what both say, field by field.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::{Flat, Schemas};
use crate::number;
use crate::schema::{Additional, Bound, Named, Schema, Type};
use base::diagnostic::Code;

impl Schemas<'_, '_> {
    /// `a` and `b`; what `b` is called and described as wins. Conflicts are reported at `pointer`.
    pub(super) fn merge(&mut self, mut a: Flat, b: Flat, pointer: &str) -> Flat {
        a.is_conflict |= b.is_conflict;
        a.is_cut |= b.is_cut;
        a.unresolved = a.unresolved.or(b.unresolved);
        if !b.unions.is_empty() {
            Arc::make_mut(&mut a.unions).extend(b.unions.iter().cloned());
        }
        let into = Arc::make_mut(&mut a.schema);
        let from = Arc::unwrap_or_clone(b.schema);
        let mut conflicts = Vec::new();
        merge_into(into, from, &mut conflicts, &mut |code, message| {
            self.problem(code, pointer, message);
        });
        into.pointer = pointer.to_owned();
        for conflict in conflicts {
            let message = format!("the members of `allOf` contradict each other: {conflict}");
            self.problem(Code::AllofConflict, pointer, message);
            a.is_conflict = true;
        }
        a
    }
}

type Report<'a> = &'a mut dyn FnMut(Code, &'static str);

fn merge_into(a: &mut Schema, b: Schema, conflicts: &mut Vec<String>, report: Report<'_>) {
    a.is_never |= b.is_never;
    types(a, &b, conflicts);
    values(a, &b, conflicts);
    objects(a, &b, report);
    merge_properties(a, b.properties, &b.pattern_properties, &b.additional);
    merge_named(&mut a.pattern_properties, b.pattern_properties);
    a.additional = additional(a.additional.take(), b.additional);
    a.unevaluated = additional(a.unevaluated.take(), b.unevaluated);
    a.items = both(a.items.take(), b.items);
    let mut prefix = b.prefix_items.into_iter();
    for item in &mut a.prefix_items {
        if let Some(other) = prefix.next() {
            *item = Schemas::all_of(&[item.clone(), other]);
        }
    }
    a.prefix_items.extend(prefix);
    a.contains = both(a.contains.take(), b.contains);
    a.min_contains = a.min_contains.max(b.min_contains);
    a.max_contains = least(a.max_contains, b.max_contains);
    a.min_items = a.min_items.max(b.min_items);
    a.max_items = least(a.max_items, b.max_items);
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
    a.min_length = a.min_length.max(b.min_length);
    a.max_length = least(a.max_length, b.max_length);
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
    a.description = b.description.or(a.description.take());
    a.default = b.default.or(a.default.take());
    if !b.examples.is_empty() {
        a.examples = b.examples;
    }
    a.is_read_only |= b.is_read_only;
    a.is_write_only |= b.is_write_only;
    a.is_deprecated |= b.is_deprecated;
    a.xml = b.xml.or(a.xml.take());
    a.extras.extend(b.extras);
    a.says_nullable |= b.says_nullable;
    a.additional_name = b.additional_name.or(a.additional_name.take());
    a.property_names = both(a.property_names.take(), b.property_names);
}

fn types(a: &mut Schema, b: &Schema, conflicts: &mut Vec<String>) {
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
            if common.is_empty() && a.is_inferred {
                let mut union = one;
                union.extend(other.iter().filter(|kind| **kind != Type::Null));
                (Some(union), true)
            } else {
                if common.is_empty() && !is_nullable {
                    conflicts.push(format!("{} and {}", words(&one), words(other)));
                    a.is_never = true;
                }
                (Some(common), a.is_inferred)
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

fn words(types: &[Type]) -> String {
    let words: Vec<&str> = types.iter().map(|kind| kind.word()).collect();
    words.join(" or ")
}

fn intersection(a: &[Type], b: &[Type]) -> Vec<Type> {
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
    let kept: Vec<usize> = (0..values.len())
        .filter(|index| other.iter().any(|one| number::equal(one, &values[*index])))
        .collect();
    if kept.is_empty() {
        conflicts.push("no value is in both enumerations".to_owned());
        a.is_never = true;
    }
    a.value_notes = kept
        .iter()
        .filter_map(|index| notes.get(*index).cloned())
        .collect();
    a.values = Some(
        kept.into_iter()
            .map(|index| values[index].clone())
            .collect(),
    );
}

fn objects(a: &mut Schema, b: &Schema, report: Report<'_>) {
    let is_closed =
        a.additional == Some(Additional::Closed) || b.additional == Some(Additional::Closed);
    if is_closed && !a.properties.is_empty() && !b.properties.is_empty() {
        let known = |name: &String| b.properties.iter().any(|(other, _)| other == name);
        if a.properties.len() != b.properties.len()
            || !a.properties.iter().all(|(name, _)| known(name))
        {
            report(
                Code::AllofClosed,
                "a member of `allOf` allows no properties but its own; the properties of all members are shown",
            );
        }
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
                *schema = Schemas::all_of(&[schema.clone(), other.clone()]);
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
            *schema = Schemas::all_of(&[own.clone(), schema.clone()]);
        }
    }
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

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
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
    a.min = stricter(a.min.take(), min, Ordering::Greater);
    a.max = stricter(a.max.take(), max, Ordering::Less);
    if let (Some(min), Some(max)) = (&a.min, &a.max) {
        let order = number::compare(&min.number, &max.number);
        if order.is_gt() || order.is_eq() && (min.is_exclusive || max.is_exclusive) {
            conflicts.push(format!(
                "no number is between {} and {}",
                min.number, max.number
            ));
            a.is_never = true;
        }
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

fn stricter(a: Option<Bound>, b: Option<Bound>, wins: Ordering) -> Option<Bound> {
    let (Some(a), Some(b)) = (a.clone(), b.clone()) else {
        return a.or(b);
    };
    let order = number::compare(&b.number, &a.number);
    let is_b = order == wins || order.is_eq() && b.is_exclusive;
    Some(if is_b { b } else { a })
}
