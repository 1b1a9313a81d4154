//! Sample values of schemas: the same for the same schema and direction, and valid against it wherever that is possible.
//!
//! A node is sampled in one go; where a schema leaves choices (branches, conditions, exclusions) each is tried until the
//! value is valid, a bounded number of times.

mod containers;
mod scalars;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::merge::{Flat, Schemas, Union};
use super::number;
use super::schema::{Schema, Type};
use super::validate::Hidden;
use base::diagnostic::Code;

/// Most choices that are given up for one sample.
const MAX_RETRIES: u32 = 64;
/// Optional objects and arrays deeper than this are left out.
const MAX_DEPTH: usize = 8;
/// Most schemas that are sampled for one value; only documents made to hurt have more.
const MAX_NODES: u32 = 30_000;
/// Samples longer than this get no more optional properties, in bytes.
const MAX_SIZE: usize = 64 << 10;

/// Why a node has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// Open around this place already.
    Recursive,
    /// Nothing is valid.
    Never,
}

type Node = Result<Value, Gap>;

/// How much of an object is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Every property.
    Full,
    /// What is required.
    Required,
}

struct Sampler<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    hidden: Hidden,
    extent: Extent,
    retries: u32,
    /// The pointers of the schemas that are open.
    open: Vec<String>,
    /// Roughly how long the sample is, in bytes.
    size: usize,
    /// How many schemas were sampled, those of values given up among them.
    nodes: u32,
}

impl Schemas<'_, '_> {
    /// A sample of `schema`; `None` if nothing is valid. What could not be made valid is reported.
    pub(super) fn sample(&mut self, schema: &Arc<Schema>, hidden: Hidden) -> Option<Value> {
        let flat = self.flat(schema);
        let mut first = None;
        for extent in [Extent::Full, Extent::Required] {
            let mut sampler = Sampler {
                schemas: self,
                hidden,
                extent,
                retries: MAX_RETRIES,
                open: Vec::new(),
                size: 0,
                nodes: 0,
            };
            let value = match sampler.node(schema, 0, true) {
                Ok(value) => value,
                Err(Gap::Recursive) => Value::Object(Map::new()),
                Err(Gap::Never) => return None,
            };
            if is_any(&flat) {
                return Some(Value::Object(Map::new()));
            }
            if self.check(schema, &value, hidden).is_ok() {
                return Some(value);
            }
            first = first.or(Some(value));
        }
        let message = "no sample that is valid against the schema was found";
        self.problem(Code::SampleUnverified, &schema.pointer, message);
        first
    }

    /// A value without the properties that a direction hides.
    pub(super) fn without_hidden(
        &mut self,
        schema: &Arc<Schema>,
        value: &Value,
        hidden: Hidden,
    ) -> Value {
        self.stripped(schema, value, hidden, 0)
    }

    fn stripped(
        &mut self,
        schema: &Arc<Schema>,
        value: &Value,
        hidden: Hidden,
        depth: usize,
    ) -> Value {
        if hidden == Hidden::Nothing || depth > 40 || !(value.is_object() || value.is_array()) {
            return value.clone();
        }
        let flat = self.flat(schema);
        let mut value = match value {
            Value::Object(members) => {
                let mut kept = Map::new();
                for (name, member) in members {
                    let Some(property) = flat.schema.property(name).cloned() else {
                        kept.insert(name.clone(), member.clone());
                        continue;
                    };
                    let hides = hidden.hides(&self.flat(&property).schema);
                    if !hides {
                        let member = self.stripped(&property, member, hidden, depth + 1);
                        kept.insert(name.clone(), member);
                    }
                }
                Value::Object(kept)
            }
            Value::Array(items) => match flat.schema.items.clone() {
                Some(schema) => {
                    let items = items.iter();
                    let items = items.map(|item| self.stripped(&schema, item, hidden, depth + 1));
                    Value::Array(items.collect())
                }
                None => value.clone(),
            },
            other => other.clone(),
        };
        for union in flat.unions.iter() {
            for branch in &union.branches {
                value = self.stripped(branch, &value, hidden, depth + 1);
            }
        }
        value
    }
}

/// Whether a schema says nothing about its values.
fn is_any(flat: &Flat) -> bool {
    let schema = &flat.schema;
    let says_nothing =
        !schema.has_structure() && schema.default.is_none() && schema.examples.is_empty();
    says_nothing && flat.unions.is_empty() && flat.unresolved.is_none()
}

impl Sampler<'_, '_, '_> {
    /// A value of `schema`. `is_needed` says that leaving it out is no way out of recursion.
    fn node(&mut self, schema: &Arc<Schema>, depth: usize, is_needed: bool) -> Node {
        let flat = self.schemas.flat(schema);
        if flat.schema.is_never {
            return Err(Gap::Never);
        }
        self.nodes += 1;
        let is_too_much = depth > 60 || self.open.len() > 400 || self.nodes > MAX_NODES;
        let is_open = |pointer: &String| self.open.contains(pointer);
        if is_too_much || flat.trail.iter().any(is_open) {
            return Err(Gap::Recursive);
        }
        if let Some(value) = self.authored(schema, &flat) {
            self.size += 16;
            return Ok(value);
        }
        let length = self.open.len();
        self.open.extend(flat.trail.iter().cloned());
        let node = self.generated(schema, &flat, depth, is_needed);
        self.open.truncate(length);
        node
    }

    /// What the author says: an example, the constant, the default, a member of the enumeration.
    fn authored(&mut self, schema: &Arc<Schema>, flat: &Flat) -> Option<Value> {
        let merged = &flat.schema;
        if let Some(example) = merged.examples.first() {
            let example = self.schemas.without_hidden(schema, example, self.hidden);
            let parsed = parsed_example(merged, &example);
            match self.schemas.check(schema, &parsed, self.hidden) {
                Ok(()) => return Some(parsed),
                Err(failure) => {
                    let message = format!("the example is not valid: `{}` fails", failure.keyword);
                    self.schemas
                        .problem(Code::ExampleMismatch, &merged.pointer, message);
                }
            }
        }
        let is_constant = merged
            .values
            .as_ref()
            .is_some_and(|values| values.len() == 1);
        if !is_constant
            && let Some(default) = merged.default.as_ref().filter(|default| !default.is_null())
            && self.schemas.check(schema, default, self.hidden).is_ok()
        {
            return Some(default.clone());
        }
        let values = merged.values.as_ref()?;
        let (nulls, others): (Vec<&Value>, Vec<&Value>) =
            values.iter().partition(|one| one.is_null());
        let all = others.into_iter().chain(nulls);
        let first = all.clone().next()?.clone();
        let valid: Option<&Value> = all
            .into_iter()
            .find(|one| self.schemas.check(schema, one, self.hidden).is_ok());
        Some(valid.cloned().unwrap_or(first))
    }

    fn generated(
        &mut self,
        schema: &Arc<Schema>,
        flat: &Flat,
        depth: usize,
        is_needed: bool,
    ) -> Node {
        let variants = self.variants(flat);
        if variants.is_empty() && flat.schema.not.is_empty() {
            return self.plain(flat, depth, is_needed);
        }
        let mut first = None;
        let mut gap = Gap::Never;
        let extents = match self.extent {
            Extent::Full => vec![Extent::Full, Extent::Required],
            Extent::Required => vec![Extent::Required],
        };
        let own_extent = self.extent;
        for extent in extents {
            self.extent = extent;
            for variant in variants
                .iter()
                .map(Some)
                .chain(variants.is_empty().then_some(None))
            {
                let size = self.size;
                let node = match variant {
                    Some(variant) => self.variant(variant, depth, is_needed),
                    None => self.plain(flat, depth, is_needed),
                };
                match node {
                    Ok(value) => {
                        if self.schemas.check(schema, &value, self.hidden).is_ok() {
                            self.extent = own_extent;
                            return Ok(value);
                        }
                        first = first.or(Some(value));
                    }
                    Err(Gap::Recursive) => gap = Gap::Recursive,
                    Err(Gap::Never) => {}
                }
                self.size = size;
                if self.retries == 0 {
                    break;
                }
                self.retries -= 1;
            }
        }
        self.extent = own_extent;
        if let Some(value) = &first
            && let Some(smaller) = self.smaller(schema, value)
        {
            return Ok(smaller);
        }
        if first.is_none() && flat.unions.is_empty() && !variants.is_empty() {
            // No subtype has a value; the base itself may.
            return self.plain(flat, depth, is_needed);
        }
        first.ok_or(gap)
    }

    /// `value` without one of its optional properties, if that makes it valid.
    fn smaller(&mut self, schema: &Arc<Schema>, value: &Value) -> Option<Value> {
        let members = value.as_object()?;
        for name in members.keys() {
            self.retries = self.retries.checked_sub(1)?;
            let mut members = members.clone();
            members.shift_remove(name);
            let value = Value::Object(members);
            if self.schemas.check(schema, &value, self.hidden).is_ok() {
                return Some(value);
            }
        }
        None
    }

    fn variant(&mut self, variant: &Variant, depth: usize, is_needed: bool) -> Node {
        let is_open = |pointer: &String| self.open.contains(pointer);
        if variant.trail.iter().any(is_open) {
            return Err(Gap::Recursive);
        }
        let length = self.open.len();
        self.open.extend(variant.trail.iter().cloned());
        let node = self.node(&variant.schema, depth, is_needed);
        self.open.truncate(length);
        node
    }

    /// The schemas to try in place of one with unions and conditions.
    fn variants(&mut self, flat: &Flat) -> Vec<Variant> {
        let unions = self.schemas.choices(flat);
        let schema = &flat.schema;
        let mut variants = vec![Variant::default()];
        for (number, union) in unions.iter().enumerate() {
            let branches = self.branches(flat, union);
            let mut next = Vec::new();
            for variant in &variants {
                for (index, branch) in branches.iter().enumerate() {
                    // Of several unions the first is varied most; not every combination is tried.
                    if number > 0 && next.len() + index > MAX_RETRIES as usize {
                        break;
                    }
                    next.push(variant.with(branch));
                }
            }
            if !next.is_empty() {
                variants = next;
            }
        }
        let mut conditions = Vec::new();
        if let Some(condition) = &schema.condition {
            let mut both = vec![condition.clone()];
            both.extend(schema.then.clone());
            conditions.push(both);
            conditions.extend(schema.otherwise.clone().map(|otherwise| vec![otherwise]));
            conditions.push(Vec::new());
        }
        let dependent: Vec<Arc<Schema>> = schema
            .dependent_schemas
            .iter()
            .filter(|(name, _)| schema.property(name).is_some())
            .map(|(_, schema)| schema.clone())
            .collect();
        if unions.is_empty() && conditions.is_empty() && dependent.is_empty() {
            return Vec::new();
        }
        if conditions.is_empty() {
            conditions.push(Vec::new());
        }
        let rest = Arc::new(Schema {
            pointer: format!("{}!", schema.pointer),
            condition: None,
            then: None,
            otherwise: None,
            dependent_schemas: Vec::new(),
            discriminator: None,
            ..(**schema).clone()
        });
        let has_rest = rest.has_structure();
        let mut built = Vec::new();
        for condition in &conditions {
            for variant in &variants {
                let mut members = variant.members.clone();
                members.extend(condition.iter().cloned());
                members.extend(dependent.iter().cloned());
                let (schema, trail) = match members.as_slice() {
                    [] => (rest.clone(), Vec::new()),
                    // A branch that is sampled itself looks for itself.
                    [one] if !has_rest => (one.clone(), Vec::new()),
                    _ => {
                        members.insert(0, rest.clone());
                        let mut trail = variant.trail.clone();
                        for member in condition.iter().chain(&dependent) {
                            // A condition may be the schema itself.
                            trail.extend(self.schemas.flat(member).trail.iter().cloned());
                        }
                        (Schemas::all_of(&members), trail)
                    }
                };
                built.push(Variant {
                    schema,
                    members,
                    trail,
                });
            }
        }
        built
    }

    /// The branches of a union with the values of its discriminator.
    fn branches(&mut self, flat: &Flat, union: &Union) -> Vec<Variant> {
        let mut variants = Vec::new();
        for branch in self.schemas.branches(union) {
            let inner = self.schemas.flat(&branch);
            let mut members = vec![branch.clone()];
            if let Some(discriminator) = &union.discriminator {
                let values = self.schemas.discriminator_values(discriminator, &branch);
                if let Some(value) = values.first() {
                    members.push(fixed(&flat.schema, &branch, &discriminator.property, value));
                }
            }
            variants.push(Variant {
                schema: Arc::default(),
                members,
                trail: inner.trail.clone(),
            });
        }
        variants
    }

    /// A value by type, where a schema leaves no choice.
    fn plain(&mut self, flat: &Flat, depth: usize, is_needed: bool) -> Node {
        let schema = &flat.schema;
        let Some(types) = &schema.types else {
            self.size += 8;
            return Ok(Value::String("any".to_owned()));
        };
        let kind = types.iter().copied().find(|kind| *kind != Type::Null);
        match kind.unwrap_or(Type::Null) {
            Type::Null => Ok(Value::Null),
            Type::Boolean => Ok(Value::Bool(true)),
            Type::Integer => scalars::integer(schema).ok_or(Gap::Never),
            Type::Number => scalars::number(schema).ok_or(Gap::Never),
            Type::String => {
                let text = self.string(schema);
                self.size += text.len() + 4;
                Ok(Value::String(text))
            }
            Type::Array => self.array(flat, depth, is_needed),
            Type::Object => self.object(flat, depth),
        }
    }
}

/// One way to satisfy a schema.
#[derive(Clone, Debug, Default)]
struct Variant {
    schema: Arc<Schema>,
    members: Vec<Arc<Schema>>,
    /// The pointers of the branches that were chosen.
    trail: Vec<String>,
}

impl Variant {
    fn with(&self, branch: &Self) -> Self {
        let mut both = self.clone();
        both.members.extend(branch.members.iter().cloned());
        both.trail.extend(branch.trail.iter().cloned());
        both
    }
}

/// The schema of a branch's discriminator: the property with one value.
fn fixed(schema: &Schema, branch: &Schema, property: &str, value: &str) -> Arc<Schema> {
    let pointer = format!("{}!{}={value}", branch.pointer, property);
    let constant = Schema {
        pointer: format!("{pointer}/properties"),
        values: Some(vec![Value::String(value.to_owned())]),
        examples: vec![Value::String(value.to_owned())],
        ..Schema::default()
    };
    let is_required = schema.required.iter().any(|name| name == property);
    Arc::new(Schema {
        pointer,
        properties: vec![(property.to_owned(), Arc::new(constant))],
        required: if is_required {
            Vec::new()
        } else {
            vec![property.to_owned()]
        },
        ..Schema::default()
    })
}

/// A value that was written as a text though the schema wants none, such as `example: "10"` of an integer.
pub(super) fn parsed_example(schema: &Schema, example: &Value) -> Value {
    if let (Value::String(text), Some(types)) = (example, &schema.types)
        && !types.contains(&Type::String)
        && let Ok(parsed) = serde_json::from_str::<Value>(text)
    {
        return parsed;
    }
    example.clone()
}

/// Whether a value is already among others.
fn is_among(values: &[Value], value: &Value) -> bool {
    values.iter().any(|other| number::equal(other, value))
}
