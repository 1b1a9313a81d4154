//! Is a value valid against a schema? Asked of every sample that is generated and every example that is written.
//!
//! Formats are annotations (JSON Schema 2020-12, 7.2.1) and do not count. What a direction hides is not required in it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::merge::{Flat, Schemas};
use super::number;
use super::pattern::Pattern;
use super::schema::{Additional, Schema, Type};

/// Which properties a direction does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Hidden {
    /// All are there.
    Nothing,
    /// What is sent has no read-only properties.
    ReadOnly,
    /// What comes back has no write-only properties.
    WriteOnly,
}

impl Hidden {
    /// Whether the direction does not have a schema's values.
    pub(super) fn hides(self, schema: &Schema) -> bool {
        match self {
            Self::Nothing => false,
            Self::ReadOnly => schema.is_read_only && !schema.is_write_only,
            Self::WriteOnly => schema.is_write_only && !schema.is_read_only,
        }
    }
}

/// Why a value is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The pointer of the schema.
    pub(super) pointer: String,
    /// The keyword that failed.
    pub(super) keyword: &'static str,
}

type Checked = Result<(), Failure>;

/// How deep values are followed.
const MAX_DEPTH: usize = 120;
/// Most schemas that are looked at for one value.
const MAX_STEPS: u32 = 100_000;

/// A check of one value.
struct Check<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    hidden: Hidden,
    steps: u32,
}

impl Schemas<'_, '_> {
    /// Whether `value` is valid, else the first reason why not.
    pub(super) fn check(&mut self, schema: &Arc<Schema>, value: &Value, hidden: Hidden) -> Checked {
        let mut check = Check {
            schemas: self,
            hidden,
            steps: 0,
        };
        check.value(schema, value, 0)
    }
}

impl Check<'_, '_, '_> {
    fn is_valid(&mut self, schema: &Arc<Schema>, value: &Value, depth: usize) -> bool {
        self.value(schema, value, depth).is_ok()
    }

    fn value(&mut self, schema: &Arc<Schema>, value: &Value, depth: usize) -> Checked {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            return Ok(());
        }
        let flat = self.schemas.flat(schema);
        let fail = |keyword| {
            Err(Failure {
                pointer: schema.pointer.clone(),
                keyword,
            })
        };
        let merged = &flat.schema;
        if merged.is_never {
            return fail("false schema");
        }
        if value.is_null() && merged.or_null {
            return Ok(());
        }
        if let Some(types) = merged.types.as_ref().filter(|_| !merged.is_inferred) {
            let of = Type::of(value);
            let is_of_type =
                types.contains(&of) || of == Type::Integer && types.contains(&Type::Number);
            if !is_of_type {
                return fail("type");
            }
        }
        if let Some(values) = &merged.values
            && !values.iter().any(|one| number::equal(one, value))
        {
            return fail("enum");
        }
        let keyword = match value {
            Value::String(text) => string(merged, text),
            Value::Number(_) => numeric(merged, value),
            _ => None,
        };
        if let Some(keyword) = keyword {
            return fail(keyword);
        }
        match value {
            Value::Array(items) => self.array(&flat, items, depth)?,
            Value::Object(members) => self.object(&flat, value, members, depth)?,
            _ => {}
        }
        self.unions(&flat, value, depth)?;
        self.conditions(&flat, value, depth)
    }

    fn unions(&mut self, flat: &Flat, value: &Value, depth: usize) -> Checked {
        for union in flat.unions.iter() {
            let mut valid = 0;
            for branch in &union.branches {
                if self.is_valid(branch, value, depth + 1) {
                    valid += 1;
                    if !union.is_one || valid > 1 {
                        break;
                    }
                }
            }
            let is_valid = if union.is_one { valid == 1 } else { valid > 0 };
            if !is_valid {
                return Err(Failure {
                    pointer: flat.schema.pointer.clone(),
                    keyword: if union.is_one { "oneOf" } else { "anyOf" },
                });
            }
        }
        Ok(())
    }

    fn conditions(&mut self, flat: &Flat, value: &Value, depth: usize) -> Checked {
        let schema = &flat.schema;
        for not in &schema.not {
            if self.is_valid(not, value, depth + 1) {
                return Err(Failure {
                    pointer: schema.pointer.clone(),
                    keyword: "not",
                });
            }
        }
        if let Some(condition) = &schema.condition {
            let branch = if self.is_valid(condition, value, depth + 1) {
                &schema.then
            } else {
                &schema.otherwise
            };
            if let Some(branch) = branch {
                self.value(branch, value, depth + 1)?;
            }
        }
        for (name, dependent) in &schema.dependent_schemas {
            // An empty name is a second condition, see `merge::fields`.
            if name.is_empty() || value.get(name).is_some() {
                self.value(dependent, value, depth + 1)?;
            }
        }
        Ok(())
    }

    fn array(&mut self, flat: &Flat, items: &[Value], depth: usize) -> Checked {
        let schema = &flat.schema;
        let fail = |keyword| {
            Err(Failure {
                pointer: schema.pointer.clone(),
                keyword,
            })
        };
        let count = items.len() as u64;
        if schema.min_items.is_some_and(|min| count < min) {
            return fail("minItems");
        }
        if schema.max_items.is_some_and(|max| count > max) {
            return fail("maxItems");
        }
        if schema.is_unique {
            let is_repeated = |(index, item): (usize, &Value)| {
                items[..index]
                    .iter()
                    .any(|other| number::equal(other, item))
            };
            if items.iter().enumerate().take(1000).any(is_repeated) {
                return fail("uniqueItems");
            }
        }
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = schema.prefix_items.get(index).or(schema.items.as_ref()) {
                self.value(schema, item, depth + 1)?;
            }
        }
        if let Some(contains) = &schema.contains {
            let found = items
                .iter()
                .filter(|item| self.is_valid(contains, item, depth + 1));
            let found = found.count() as u64;
            let is_enough = found >= schema.min_contains.unwrap_or(1);
            if !is_enough || schema.max_contains.is_some_and(|max| found > max) {
                return fail("contains");
            }
        }
        Ok(())
    }

    fn object(
        &mut self,
        flat: &Flat,
        value: &Value,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Checked {
        let schema = &flat.schema;
        let fail = |keyword| {
            Err(Failure {
                pointer: schema.pointer.clone(),
                keyword,
            })
        };
        let count = members.len() as u64;
        if schema.min_properties.is_some_and(|min| count < min) {
            return fail("minProperties");
        }
        if schema.max_properties.is_some_and(|max| count > max) {
            return fail("maxProperties");
        }
        for name in &schema.required {
            if !members.contains_key(name) && !self.is_hidden(schema, name) {
                return fail("required");
            }
        }
        for (name, names) in &schema.dependent_required {
            if members.contains_key(name) && names.iter().any(|name| !members.contains_key(name)) {
                return fail("dependentRequired");
            }
        }
        for (name, property) in &schema.properties {
            if let Some(member) = members.get(name) {
                self.value(property, member, depth + 1)?;
            }
        }
        for (name, member) in members {
            if let Some(names) = &schema.property_names {
                self.value(names, &Value::String(name.clone()), depth + 1)?;
            }
            let mut is_known = schema.property(name).is_some();
            for (pattern, property) in &schema.pattern_properties {
                let pattern = Pattern::new(pattern);
                if pattern.is_some_and(|pattern| pattern.is_match(name) == Some(true)) {
                    is_known = true;
                    self.value(property, member, depth + 1)?;
                }
            }
            if is_known {
                continue;
            }
            match (&schema.additional, &schema.unevaluated) {
                (Some(Additional::Closed), _) => return fail("additionalProperties"),
                (Some(Additional::Schema(other)), _) => self.value(other, member, depth + 1)?,
                (None, Some(Additional::Closed)) => {
                    if !self.is_evaluated(flat, name, value, depth) {
                        return fail("unevaluatedProperties");
                    }
                }
                (None, Some(Additional::Schema(other))) => {
                    if !self.is_evaluated(flat, name, value, depth) {
                        self.value(other, member, depth + 1)?;
                    }
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Whether a branch that is valid knows the member `name` of `value`.
    fn is_evaluated(&mut self, flat: &Flat, name: &str, value: &Value, depth: usize) -> bool {
        let unions = flat.unions.iter().flat_map(|union| &union.branches);
        let schema = &flat.schema;
        let conditional = [&schema.condition, &schema.then, &schema.otherwise];
        let conditional = conditional.into_iter().flatten();
        let dependent = schema.dependent_schemas.iter().map(|(_, schema)| schema);
        let branches: Vec<Arc<Schema>> = unions
            .chain(conditional)
            .chain(dependent)
            .cloned()
            .collect();
        branches.iter().any(|branch| {
            let flat = self.schemas.flat(branch);
            let merged = &flat.schema;
            let is_known = merged.property(name).is_some()
                || matches!(merged.additional, Some(Additional::Schema(_)))
                || depth < MAX_DEPTH && self.is_evaluated(&flat, name, value, depth + 1);
            is_known && self.is_valid(branch, value, depth + 1)
        })
    }

    fn is_hidden(&mut self, schema: &Schema, name: &str) -> bool {
        if self.hidden == Hidden::Nothing {
            return false;
        }
        let Some(property) = schema.property(name) else {
            return false;
        };
        let flat = self.schemas.flat(property);
        self.hidden.hides(&flat.schema)
    }
}

fn string(schema: &Schema, text: &str) -> Option<&'static str> {
    if schema.min_length.is_some() || schema.max_length.is_some() {
        let length = text.chars().count() as u64;
        if schema.min_length.is_some_and(|min| length < min) {
            return Some("minLength");
        }
        if schema.max_length.is_some_and(|max| length > max) {
            return Some("maxLength");
        }
    }
    let fails = |pattern: &String| {
        Pattern::new(pattern).is_some_and(|pattern| pattern.is_match(text) == Some(false))
    };
    schema.patterns.iter().any(fails).then_some("pattern")
}

fn numeric(schema: &Schema, value: &Value) -> Option<&'static str> {
    let Value::Number(value) = value else {
        return None;
    };
    if let Some(min) = &schema.min {
        let order = number::compare(value, &min.number);
        if order.is_lt() || order.is_eq() && min.is_exclusive {
            return Some("minimum");
        }
    }
    if let Some(max) = &schema.max {
        let order = number::compare(value, &max.number);
        if order.is_gt() || order.is_eq() && max.is_exclusive {
            return Some("maximum");
        }
    }
    let steps = schema.multiple_of.iter();
    let mut misses = steps.filter(|step| !number::is_multiple(value, step));
    misses.next().map(|_| "multipleOf")
}
