//! Schemas that no value is valid against by themselves, without any other schema: a minimum above the maximum, an
//! enumeration of another type.

use serde_json::{Number, Value};

use crate::number;
use crate::pattern::Pattern;
use crate::schema::{Additional, Bound, Schema, Type};
use crate::validate::is_within;

use super::fields::is_empty_range;

/// Returns true if the keywords of `schema` leave no value. `null`, where it is allowed, is one.
pub(super) fn is_empty(schema: &Schema) -> bool {
    if schema.or_null {
        return false;
    }
    if let Some(values) = &schema.values {
        let is_allowed = |value: &Value| {
            (schema.is_inferred || schema.allows(Type::of(value))) && is_within(schema, value)
        };
        return !values.iter().any(is_allowed);
    }
    // Without a type values of the others are left.
    let Some(types) = schema.types.as_ref().filter(|_| !schema.is_inferred) else {
        return false;
    };
    !types.is_empty() && types.iter().all(|kind| has_none(schema, *kind))
}

/// Returns true if no value of type `kind` is valid.
fn has_none(schema: &Schema, kind: Type) -> bool {
    let crossed =
        |min: Option<u64>, max: Option<u64>| matches!((min, max), (Some(a), Some(b)) if a > b);
    match kind {
        Type::Null | Type::Boolean => false,
        Type::String => crossed(schema.min_length, schema.max_length),
        Type::Integer | Type::Number => has_no_number(schema, kind == Type::Integer),
        Type::Array => {
            let count = schema.min_items.unwrap_or(0);
            let is_closed = schema.items.as_ref().is_some_and(|items| items.is_never);
            let lacks_room = is_closed && count > schema.prefix_items.len() as u64;
            let needed = schema.min_contains.unwrap_or(1);
            let is_needed = schema.contains.is_some() && needed > 0;
            let has_no_such = schema.contains.as_ref().is_some_and(|one| one.is_never);
            crossed(schema.min_items, schema.max_items)
                || lacks_room
                || schema.contains.is_some() && crossed(Some(needed), schema.max_contains)
                || is_needed && (has_no_such || crossed(Some(needed), schema.max_items))
        }
        Type::Object => {
            let names = schema
                .required
                .iter()
                .collect::<std::collections::BTreeSet<_>>();
            crossed(schema.min_properties, schema.max_properties)
                || crossed(Some(names.len() as u64), schema.max_properties)
                || names.iter().any(|name| is_excluded(schema, name))
        }
    }
}

/// Returns true if no object may have the property `name`.
fn is_excluded(schema: &Schema, name: &str) -> bool {
    if let Some(property) = schema.property(name) {
        return property.is_never;
    }
    let mut patterns = schema.pattern_properties.iter();
    let is_known = patterns.any(|(pattern, _)| {
        // A pattern that cannot be read may know anything.
        Pattern::new(pattern).is_none_or(|pattern| pattern.is_match(name) != Some(false))
    });
    !is_known && schema.additional == Some(Additional::Closed)
}

fn has_no_number(schema: &Schema, is_integer: bool) -> bool {
    let (min, max) = (schema.min.as_ref(), schema.max.as_ref());
    let (Some(min), Some(max)) = (min, max) else {
        return false;
    };
    if is_empty_range(min, max) {
        return true;
    }
    let limit = |bound: &Bound| (bound.number.clone(), bound.is_exclusive);
    let (min, max) = (limit(min), limit(max));
    let has = |step: &Number| {
        let (min, max) = ((&min.0, min.1), (&max.0, max.1));
        number::nearest_multiple(step, step, Some(min), Some(max)).is_some()
    };
    let one = Number::from(1);
    is_integer && !has(&one) || matches!(schema.multiple_of.as_slice(), [step] if !has(step))
}
