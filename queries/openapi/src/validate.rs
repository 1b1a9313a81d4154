//! Is a value valid against a schema? Asked of every sample that is generated and every example that is written.
//!
//! Formats are annotations (JSON Schema 2020-12, 7.2.1) and do not count, unless the caller
//! requests it. What a direction hides is not required in it.
//!
//! The crate `jsonschema` judges this module in tests and does not take its place: what is validated here is a flattened
//! schema in one direction, of OpenAPI 3.0 as well as of 3.1, a single time, so that compiling it would cost more than
//! the answer; and every check is bounded.

mod format;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use base::data::pointer;
use rustc_hash::FxHasher;
use serde_json::{Map, Value};

use super::direction::Hidden;
use super::merge::{Flat, Schemas, Union};
use super::number;
use super::pattern::Pattern;
use super::schema::{Additional, Bound, Schema, Type};

/// Why a value is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The schema.
    schema: Arc<Schema>,
    /// The keyword that failed.
    pub(super) keyword: &'static str,
    /// The schema as it was merged, of whose types the value must be. Most failures are those of branches that are tried: nothing
    /// is written for them.
    merged: Option<Arc<Schema>>,
    /// The member that is missing, or that there must not be.
    member: String,
    /// Path to it in the checked value: names of members and numbers of items, the innermost first.
    path: Vec<String>,
}

impl Failure {
    fn new(schema: &Arc<Schema>, keyword: &'static str) -> Self {
        Self {
            schema: schema.clone(),
            keyword,
            merged: None,
            member: String::new(),
            path: Vec::new(),
        }
    }

    fn of_member(mut self, name: &str) -> Self {
        self.member = name.to_owned();
        self
    }

    /// Adds the step that leads to it from the object or array around it.
    fn at_step(mut self, step: &str) -> Self {
        self.path.push(step.to_owned());
        self
    }

    /// Returns its JSON pointer in the checked value.
    pub(super) fn at(&self) -> String {
        let steps = self.path.iter().rev();
        steps.fold(String::new(), |at, step| pointer::child(&at, step))
    }

    /// Returns the message for the author of `value`, the checked value: the place in it, and the
    /// reason.
    pub(super) fn message_for(&self, value: &Value) -> String {
        let at = self.at();
        let wrong = value.pointer(&at).unwrap_or(value);
        let subject = match &at[..] {
            "" => "it".to_owned(),
            at => format!("`{at}`"),
        };
        let (keyword, member) = (self.keyword, &self.member);
        match keyword {
            "type" => {
                let found = Type::of(wrong).word();
                let types = self
                    .merged
                    .iter()
                    .flat_map(|merged| &merged.types)
                    .flatten();
                let types: Vec<&str> = types.map(|one| one.word()).collect();
                format!(
                    "{subject} is of the type {found}, not {}",
                    types.join(" or ")
                )
            }
            "required" => format!("{subject} has no `{member}`, which is required"),
            "additionalProperties" | "unevaluatedProperties" => {
                format!("{subject} has `{member}`, and `{keyword}` allows no more properties")
            }
            "enum" => format!(
                "{subject} is {}, which the `enum` does not list",
                short(wrong)
            ),
            "oneOf" => format!("{subject} is not of exactly one branch of `oneOf`"),
            "anyOf" => format!("{subject} is of no branch of `anyOf`"),
            keyword => format!("{subject} fails at `{keyword}`"),
        }
    }

    /// Returns the value of the keyword that failed, as the schema has it; null where that is more
    /// than a few words.
    pub(super) fn expected(&self) -> Value {
        let schema = self.merged.as_ref().unwrap_or(&self.schema);
        let count = |number: Option<u64>| number.map_or(Value::Null, Value::from);
        let bound = |bound: &Option<Bound>| {
            let bound = bound.as_ref();
            bound.map_or(Value::Null, |bound| Value::Number(bound.number.clone()))
        };
        let one_or_all = |all: Vec<Value>| match <[Value; 1]>::try_from(all) {
            Ok([one]) => one,
            Err(all) => Value::Array(all),
        };
        match self.keyword {
            "type" => {
                let types = schema.types.iter().flatten();
                one_or_all(types.map(|one| Value::from(one.word())).collect())
            }
            "enum" => Value::Array(schema.values.clone().unwrap_or_default()),
            "format" => one_or_all(schema.formats.iter().cloned().map(Value::from).collect()),
            "pattern" => one_or_all(schema.patterns.iter().cloned().map(Value::from).collect()),
            "multipleOf" => {
                let steps = schema.multiple_of.iter().cloned();
                one_or_all(steps.map(Value::Number).collect())
            }
            "minimum" | "exclusiveMinimum" => bound(&schema.min),
            "maximum" | "exclusiveMaximum" => bound(&schema.max),
            "minLength" => count(schema.min_length),
            "maxLength" => count(schema.max_length),
            "minItems" => count(schema.min_items),
            "maxItems" => count(schema.max_items),
            "minProperties" => count(schema.min_properties),
            "maxProperties" => count(schema.max_properties),
            "uniqueItems" => Value::Bool(true),
            "required" => Value::from(self.member.clone()),
            "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems" => {
                Value::Bool(false)
            }
            _ => Value::Null,
        }
    }

    /// Returns the pointer of the schema; a schema merged of several has that of the first of them.
    pub(super) fn place(&self) -> &str {
        let pointer = &self.schema.pointer;
        pointer.split('&').next().unwrap_or(pointer)
    }
}

type Checked = Result<(), Failure>;

/// Maximum depth to which values are followed.
const MAX_DEPTH: usize = 120;
/// Maximum number of schemas evaluated for one value.
const MAX_STEPS: u32 = 100_000;

/// A check of one value.
struct Check<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    hidden: Hidden,
    /// Whether a value may be of several branches of a `oneOf`.
    is_lenient: bool,
    steps: u32,
    /// The schemas around the present one that are about the same value: those whose branch it is.
    enclosing: Vec<Arc<Flat>>,
}

impl Schemas<'_, '_> {
    /// Has formats count from now on.
    pub(super) fn demand_formats(&mut self) {
        self.checks_formats = true;
        self.valid.clear();
    }

    /// Returns the first reason why `value` is not valid, if there is one.
    pub(super) fn check(&mut self, schema: &Arc<Schema>, value: &Value, hidden: Hidden) -> Checked {
        self.checked(schema, value, hidden, false)
    }

    /// Returns true if `value` is valid where it may match several branches of a `oneOf`: the
    /// intention of authors whose branches do not exclude each other.
    pub(super) fn fits(&mut self, schema: &Arc<Schema>, value: &Value, hidden: Hidden) -> bool {
        self.checked(schema, value, hidden, true).is_ok()
    }

    fn checked(
        &mut self,
        schema: &Arc<Schema>,
        value: &Value,
        hidden: Hidden,
        is_lenient: bool,
    ) -> Checked {
        let key = known_key(schema, value, hidden, (is_lenient, self.is_sampling));
        if self.valid.contains(&key) {
            return Ok(());
        }
        let mut check = Check {
            schemas: self,
            hidden,
            is_lenient,
            steps: 0,
            enclosing: Vec::new(),
        };
        let checked = check.value(schema, value, 0);
        if checked.is_ok() {
            self.valid.insert(key);
        }
        checked
    }
}

/// Cache key of a value that was found valid. A sample is checked as a whole, and each part of it
/// as it is made: a part checked once is not checked again within everything around it.
fn known_key(schema: &Schema, value: &Value, hidden: Hidden, mode: (bool, bool)) -> u64 {
    let mut hasher = FxHasher::default();
    schema.pointer.hash(&mut hasher);
    (hidden, mode).hash(&mut hasher);
    hash_value(value, &mut hasher);
    hasher.finish()
}

fn hash_value(value: &Value, hasher: &mut FxHasher) {
    std::mem::discriminant(value).hash(hasher);
    match value {
        Value::Null => {}
        Value::Bool(is) => is.hash(hasher),
        Value::Number(number) => number.hash(hasher),
        Value::String(text) => text.hash(hasher),
        Value::Array(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| hash_value(item, hasher));
        }
        Value::Object(members) => {
            members.len().hash(hasher);
            for (name, member) in members {
                name.hash(hasher);
                hash_value(member, hasher);
            }
        }
    }
}

impl Check<'_, '_, '_> {
    fn is_valid(&mut self, schema: &Arc<Schema>, value: &Value, depth: usize) -> bool {
        self.value(schema, value, depth).is_ok()
    }

    /// Checks an item or a member of the present value.
    fn inner(&mut self, schema: &Arc<Schema>, value: &Value, depth: usize) -> Checked {
        let is_part = value.is_object() || value.is_array();
        let mode = (self.is_lenient, self.schemas.is_sampling);
        let key = is_part.then(|| known_key(schema, value, self.hidden, mode));
        if key.is_some_and(|key| self.schemas.valid.contains(&key)) {
            return Ok(());
        }
        let around = std::mem::take(&mut self.enclosing);
        let checked = self.value(schema, value, depth);
        self.enclosing = around;
        if let (Some(key), true) = (key, checked.is_ok()) {
            self.schemas.valid.insert(key);
        }
        checked
    }

    /// Checks a member of the present object.
    fn member(
        &mut self,
        schema: &Arc<Schema>,
        name: &str,
        member: &Value,
        depth: usize,
    ) -> Checked {
        let checked = self.inner(schema, member, depth + 1);
        checked.map_err(|failure| failure.at_step(name))
    }

    fn value(&mut self, schema: &Arc<Schema>, value: &Value, depth: usize) -> Checked {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            return Ok(());
        }
        let flat = self.schemas.flat(schema);
        let fail = |keyword| {
            Err(Failure {
                merged: Some(flat.schema.clone()),
                ..Failure::new(schema, keyword)
            })
        };
        let merged = &flat.schema;
        if merged.is_never {
            return fail("false schema");
        }
        if self.is_trusted(merged, value) {
            return Ok(());
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
        if self.schemas.checks_formats && !is_of_formats(merged, value) {
            return fail("format");
        }
        match value {
            Value::Array(items) => self.array(&flat, value, items, depth)?,
            Value::Object(members) => self.object(&flat, value, members, depth)?,
            _ => {}
        }
        if flat.unions.is_empty() && !has_conditions(merged) {
            return Ok(());
        }
        self.enclosing.push(flat.clone());
        let checked = self
            .unions(&flat, value, depth)
            .and_then(|()| self.conditions(&flat, value, depth));
        self.enclosing.pop();
        checked
    }

    /// Returns true if a sample has `value` because the author of `schema` wrote it.
    fn is_trusted(&self, schema: &Schema, value: &Value) -> bool {
        let trusted = &self.schemas.trusted;
        self.schemas.is_sampling
            && !trusted.is_empty()
            && (trusted.get(&schema.pointer)).is_some_and(|values| values.contains(value))
    }

    fn unions(&mut self, flat: &Flat, value: &Value, depth: usize) -> Checked {
        for union in flat.unions.iter() {
            // What the union as a whole requires, its branches may define as hidden.
            let required = self.required_in(flat, union, value);
            let decided = self.discriminated_branches(union, value);
            let mut valid = 0;
            for branch in decided.as_ref().unwrap_or(&union.branches) {
                let is_whole = required.is_empty() || self.hides_all(branch, &required, depth);
                if is_whole && self.is_valid(branch, value, depth + 1) {
                    valid += 1;
                    if !union.is_one || valid > 1 {
                        break;
                    }
                }
            }
            // Several branches that one value chooses are the same for a reader.
            let is_ambiguous =
                self.schemas.is_sampling && self.schemas.ambiguous.contains(&flat.schema.pointer);
            let is_exact = union.is_one && decided.is_none() && !self.is_lenient && !is_ambiguous;
            let is_valid = if is_exact { valid == 1 } else { valid > 0 };
            if !is_valid {
                let keyword = if union.is_one { "oneOf" } else { "anyOf" };
                return Err(Failure::new(&flat.schema, keyword));
            }
        }
        Ok(())
    }

    /// The branches that the discriminator of `value` chooses; `None` if it chooses none (OpenAPI 3.1, 4.8.25).
    fn discriminated_branches(&mut self, union: &Union, value: &Value) -> Option<Vec<Arc<Schema>>> {
        let discriminator = union.discriminator.as_ref()?;
        let chosen = value.get(&discriminator.property)?.as_str()?;
        let mut branches = Vec::new();
        for branch in &union.branches {
            let values = self.schemas.discriminator_values(discriminator, branch);
            if values.iter().any(|value| value == chosen) {
                branches.push(branch.clone());
            }
        }
        (!branches.is_empty()).then_some(branches)
    }

    /// Returns the names that `value` lacks, that are required next to a union, and that its
    /// branches define.
    fn required_in(&mut self, flat: &Flat, union: &Union, value: &Value) -> Vec<String> {
        let Value::Object(members) = value else {
            return Vec::new();
        };
        if self.hidden == Hidden::Nothing
            || flat
                .schema
                .required
                .iter()
                .all(|name| members.contains_key(name))
        {
            return Vec::new();
        }
        let mut names = self.schemas.required_in(flat, union);
        names.retain(|name| !members.contains_key(name));
        names
    }

    fn hides_all(&mut self, branch: &Arc<Schema>, names: &[String], depth: usize) -> bool {
        names.iter().all(|name| self.hides_in(branch, name, depth))
    }

    /// Returns true if a schema, or a branch of it, has a property of this name that the direction
    /// hides.
    fn hides_in(&mut self, schema: &Arc<Schema>, name: &str, depth: usize) -> bool {
        self.steps += 1;
        let flat = self.schemas.flat(schema);
        if self.is_own_hidden(&flat.schema, name) {
            return true;
        }
        if self.steps > MAX_STEPS {
            return false;
        }
        let branches = flat.unions.iter().flat_map(|union| union.branches.clone());
        let branches: Vec<Arc<Schema>> = branches.collect();
        depth < MAX_DEPTH
            && branches
                .iter()
                .any(|branch| self.hides_in(branch, name, depth + MAX_DEPTH / 3))
    }

    fn conditions(&mut self, flat: &Flat, value: &Value, depth: usize) -> Checked {
        let schema = &flat.schema;
        for not in &schema.not {
            // What a direction hides is no answer to what must not be.
            if self.inner(not, value, depth + 1).is_ok() {
                return Err(Failure::new(schema, "not"));
            }
        }
        if let Some(condition) = &schema.condition {
            let branch = if self.inner(condition, value, depth + 1).is_ok() {
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

    fn array(&mut self, flat: &Flat, value: &Value, items: &[Value], depth: usize) -> Checked {
        let schema = &flat.schema;
        let fail = |keyword| Err(Failure::new(schema, keyword));
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
                let checked = self.inner(schema, item, depth + 1);
                checked.map_err(|failure| failure.at_step(&index.to_string()))?;
            } else if let Some(others) = &schema.unevaluated_items
                && !self.is_item_evaluated(flat, index, value, depth)
            {
                match others {
                    Additional::Closed => return fail("unevaluatedItems"),
                    Additional::Schema(others) => {
                        let checked = self.inner(others, item, depth + 1);
                        checked.map_err(|failure| failure.at_step(&index.to_string()))?;
                    }
                }
            }
        }
        if let Some(contains) = &schema.contains {
            let found = items
                .iter()
                .filter(|item| self.inner(contains, item, depth + 1).is_ok());
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
        let fail = |keyword| Err(Failure::new(schema, keyword));
        let count = members.len() as u64;
        if schema.min_properties.is_some_and(|min| count < min) {
            return fail("minProperties");
        }
        if schema.max_properties.is_some_and(|max| count > max) {
            return fail("maxProperties");
        }
        for name in &schema.required {
            if !members.contains_key(name) && !self.is_hidden(flat, name) {
                return Err(Failure::new(schema, "required").of_member(name));
            }
        }
        for (name, names) in &schema.dependent_required {
            let lacks = |name: &String| !members.contains_key(name) && !self.is_hidden(flat, name);
            if members.contains_key(name) && names.iter().any(lacks) {
                return fail("dependentRequired");
            }
        }
        for (name, property) in &schema.properties {
            if let Some(member) = members.get(name) {
                self.member(property, name, member, depth)?;
            }
        }
        for (name, member) in members {
            if let Some(names) = &schema.property_names {
                self.inner(names, &Value::String(name.clone()), depth + 1)?;
            }
            let mut is_known = schema.property(name).is_some();
            for (pattern, property) in &schema.pattern_properties {
                let pattern = Pattern::new(pattern);
                if pattern.is_some_and(|pattern| pattern.is_match(name) == Some(true)) {
                    is_known = true;
                    self.member(property, name, member, depth)?;
                }
            }
            if is_known {
                continue;
            }
            match (&schema.additional, &schema.unevaluated) {
                (Some(Additional::Closed), _) => {
                    return Err(Failure::new(schema, "additionalProperties").of_member(name));
                }
                (Some(Additional::Schema(other)), _) => self.member(other, name, member, depth)?,
                (None, Some(Additional::Closed)) => {
                    if !self.is_evaluated(flat, name, value, depth) {
                        return Err(Failure::new(schema, "unevaluatedProperties").of_member(name));
                    }
                }
                (None, Some(Additional::Schema(other))) => {
                    if !self.is_evaluated(flat, name, value, depth) {
                        self.member(other, name, member, depth)?;
                    }
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Returns true if a valid branch evaluates the member `name` of `value`.
    fn is_evaluated(&mut self, flat: &Flat, name: &str, value: &Value, depth: usize) -> bool {
        flat.schema.is_open
            || self.applied(flat, value, depth).iter().any(|branch| {
                let flat = self.schemas.flat(branch);
                let merged = &flat.schema;
                let is_known = merged.member(name).is_some()
                    || merged.knows_all
                    || depth < MAX_DEPTH && self.is_evaluated(&flat, name, value, depth + 1);
                is_known && self.is_valid(branch, value, depth + 1)
            })
    }

    /// Returns true if `contains` of an array, or a valid branch, evaluates the item at `index` of
    /// `value`.
    fn is_item_evaluated(
        &mut self,
        flat: &Flat,
        index: usize,
        value: &Value,
        depth: usize,
    ) -> bool {
        let contained = flat.schema.contains.clone().zip(value.get(index));
        if contained.is_some_and(|(contains, item)| self.inner(&contains, item, depth + 1).is_ok())
        {
            return true;
        }
        self.applied(flat, value, depth).iter().any(|branch| {
            let flat = self.schemas.flat(branch);
            let merged = &flat.schema;
            let is_known = merged.item(index).is_some()
                || merged.unevaluated_items.is_some()
                || depth < MAX_DEPTH && self.is_item_evaluated(&flat, index, value, depth + 1);
            is_known && self.is_valid(branch, value, depth + 1)
        })
    }

    /// The schemas beside `flat` that are about `value`, valid or not: branches, the condition and what follows from it, what
    /// depends on members that are there (JSON Schema 2020-12, Core, 10.2).
    fn applied(&mut self, flat: &Flat, value: &Value, depth: usize) -> Vec<Arc<Schema>> {
        let schema = &flat.schema;
        let branches = flat.unions.iter().flat_map(|union| &union.branches);
        let mut applied: Vec<Arc<Schema>> = branches.cloned().collect();
        if let Some(condition) = &schema.condition {
            if self.inner(condition, value, depth + 1).is_ok() {
                applied.push(condition.clone());
                applied.extend(schema.then.clone());
            } else {
                applied.extend(schema.otherwise.clone());
            }
        }
        let is_there = |name: &str| name.is_empty() || value.get(name).is_some();
        let dependent = schema.dependent_schemas.iter();
        applied.extend(
            dependent
                .filter(|(name, _)| is_there(name))
                .map(|(_, schema)| schema.clone()),
        );
        applied
    }

    /// Returns true if the direction does not have a property, according to the schema or to one
    /// around it of which it is a branch. Properties that only branches define are checked with
    /// them.
    fn is_hidden(&mut self, flat: &Flat, name: &str) -> bool {
        if self.hidden == Hidden::Nothing {
            return false;
        }
        if flat.schema.property(name).is_some() {
            return self.is_own_hidden(&flat.schema, name);
        }
        let around = self.enclosing.clone();
        around
            .iter()
            .any(|flat| self.is_own_hidden(&flat.schema, name))
            || (flat.unions.iter()).any(|union| {
                self.schemas
                    .required_in(flat, union)
                    .iter()
                    .any(|one| one == name)
            })
    }

    fn is_own_hidden(&mut self, schema: &Schema, name: &str) -> bool {
        let Some(property) = schema.property(name) else {
            return false;
        };
        let flat = self.schemas.flat(property);
        self.hidden.hides(&flat.schema)
    }
}

/// A value in a sentence.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

fn has_conditions(schema: &Schema) -> bool {
    !schema.not.is_empty() || schema.condition.is_some() || !schema.dependent_schemas.is_empty()
}

/// Returns true if a text or a number satisfies the lengths, patterns, limits and steps of a
/// schema; other values are not checked.
pub(super) fn is_within(schema: &Schema, value: &Value) -> bool {
    let keyword = match value {
        Value::String(text) => string(schema, text),
        Value::Number(_) => numeric(schema, value),
        _ => None,
    };
    keyword.is_none()
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

fn is_of_formats(schema: &Schema, value: &Value) -> bool {
    let mut formats = schema.formats.iter();
    match value {
        Value::String(text) => formats.all(|format| format::is_of_format(format, text)),
        Value::Number(number) => formats.all(|format| format::is_in_format(format, number)),
        _ => true,
    }
}

fn numeric(schema: &Schema, value: &Value) -> Option<&'static str> {
    let Value::Number(value) = value else {
        return None;
    };
    if let Some(min) = &schema.min {
        let order = number::compare(value, &min.number);
        if order.is_lt() || order.is_eq() && min.is_exclusive {
            return Some(match min.is_exclusive {
                true => "exclusiveMinimum",
                false => "minimum",
            });
        }
    }
    if let Some(max) = &schema.max {
        let order = number::compare(value, &max.number);
        if order.is_gt() || order.is_eq() && max.is_exclusive {
            return Some(match max.is_exclusive {
                true => "exclusiveMaximum",
                false => "maximum",
            });
        }
    }
    let steps = schema.multiple_of.iter();
    let mut misses = steps.filter(|step| !number::is_multiple(value, step));
    misses.next().map(|_| "multipleOf")
}
