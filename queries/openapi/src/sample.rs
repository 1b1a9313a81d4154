//! Sample values of schemas: the same for the same schema and direction, and valid against it wherever that is possible.
//!
//! A node is sampled in one go; where a schema leaves choices (branches, conditions, exclusions) each is tried until the
//! value is valid, a bounded number of times.

mod authored;
mod containers;
mod scalars;

pub(super) use self::authored::parsed_example;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::direction::Hidden;
use super::merge::{Flat, Schemas, Union, fixed};
use super::number;
use super::reference::{Target, resolve};
use super::schema::{Additional, Schema, Type};
use base::diagnostic::Code;

/// Placeholder for the bytes of a file in a sample.
pub(super) const BYTES: &str = "<binary>";
/// Maximum number of choices given up for one sample.
const MAX_RETRIES: u32 = 64;
/// Maximum number of unions of one schema that have branches chosen; if `allOf` accumulates more,
/// nothing is sampled.
const MAX_UNIONS: usize = 32;
/// Optional objects and arrays deeper than this are left out: than the first, and where the sample would be [`LONG`], than the
/// next ones, until it is not.
const DEPTHS: [usize; 6] = [8, 6, 5, 4, 3, 2];
/// Samples longer than this are made less deep, in bytes, with the blanks before their lines: each is on the page once for each
/// language of code.
const LONG: usize = 2 << 10;
/// Maximum number of members tried one by one for one sample.
const MAX_REPAIRS: u32 = 300;
/// Maximum number of schemas sampled for one value; only malicious documents have more.
const MAX_NODES: u32 = 30_000;
/// Maximum number of schemas tested, for one sample, for having any finite value.
const MAX_ENDLESS: usize = 2;
/// Samples longer than this get no more optional properties, in bytes.
const MAX_SIZE: usize = 64 << 10;

/// Why a node has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// The schema is being sampled around this place already.
    Recursive,
    /// Nothing is valid.
    Never,
}

/// A generated value, and whether it is valid.
#[derive(Clone, Debug)]
struct SampledValue {
    value: Value,
    is_valid: bool,
    /// Whether nothing was left out of it because it was not valid.
    is_whole: bool,
}

impl SampledValue {
    /// Returns a value with no known violation.
    fn valid(value: Value) -> Self {
        Self {
            value,
            is_valid: true,
            is_whole: true,
        }
    }

    /// Returns a value without its invalid parts.
    fn reduced(value: Value) -> Self {
        Self {
            is_whole: false,
            ..Self::valid(value)
        }
    }
}

type Node = Result<SampledValue, Gap>;

/// Extent of a sampled object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Every property.
    Full,
    /// Required properties only.
    Required,
}

/// Limits of a sample beyond the required parts.
#[derive(Clone, Copy, Debug)]
struct Within {
    /// Maximum depth of optional objects and arrays.
    depth: usize,
    /// Maximum length of the sample when an optional property is added, in bytes.
    size: usize,
}

/// A sample as far as it was found.
struct Attempt {
    value: Option<Value>,
    /// Roughly how long it is, in bytes.
    size: usize,
    is_valid: bool,
    /// Schemas that stood within themselves where they are required.
    endless: Vec<Arc<Schema>>,
    /// Parts of the value that are not valid, by the pointers of their schemas.
    unverified: Vec<(String, Doubt)>,
}

/// Reason for which a part of a sample is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// Value of no branch of a union, or of several where it has to be of one.
    Union,
    /// Contradiction of its schema in itself.
    Contradiction,
}

impl Doubt {
    fn message(self) -> &'static str {
        match self {
            Self::Union => "the sample is not of exactly one branch of the union",
            Self::Contradiction => {
                "no value is valid, so the sample has what one of the members of `allOf` says"
            }
        }
    }
}

struct Sampler<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    hidden: Hidden,
    extent: Extent,
    limits: Within,
    /// Whether a value may be of several branches of a `oneOf`.
    is_lenient: bool,
    retries: u32,
    /// Number of members that may still be tried one by one.
    repairs: u32,
    /// The schemas that are open, by the numbers of their pointers.
    open: Vec<u32>,
    /// Roughly how long the sample is, in bytes.
    size: usize,
    /// Number of schemas sampled, those of discarded values included.
    nodes: u32,
    /// Schemas that stood within themselves where they are required, in values given up, too.
    endless: Vec<Arc<Schema>>,
    /// Parts that are not valid, in values given up, too.
    unverified: Vec<(String, Doubt)>,
}

impl Schemas<'_, '_> {
    /// A sample of `schema`; `None` if nothing is valid. What could not be made valid is reported.
    pub(super) fn sample(&mut self, schema: &Arc<Schema>, hidden: Hidden) -> Option<Value> {
        let was_sampling = std::mem::replace(&mut self.is_sampling, true);
        let sample = self.found_sample(schema, hidden);
        self.is_sampling = was_sampling;
        sample
    }

    fn found_sample(&mut self, schema: &Arc<Schema>, hidden: Hidden) -> Option<Value> {
        let mut found = None;
        for (index, depth) in DEPTHS.into_iter().enumerate() {
            let is_last = index + 1 == DEPTHS.len();
            let within = Within {
                depth,
                size: if is_last { MAX_SIZE } else { LONG },
            };
            let attempt = self.sample_within(schema, hidden, within)?;
            let is_short = attempt.size <= LONG;
            // What is left out must not make it invalid.
            if attempt.is_valid || found.is_none() {
                found = Some(attempt);
            }
            if is_short {
                break;
            }
        }
        let found = found?;
        // Of an optional member that never ends only the sample says nothing.
        let endless_schemas: Vec<Arc<Schema>> = (found.endless.iter())
            .filter(|schema| self.asked_for_end.insert(schema.pointer.clone()))
            .take(MAX_ENDLESS)
            .cloned()
            .collect();
        for schema in &endless_schemas {
            self.check_end(schema, hidden);
        }
        if !found.is_valid {
            let message = "no sample that is valid against the schema was found";
            self.problem(Code::SampleUnverified, &schema.pointer, message);
        }
        for (pointer, doubt) in &found.unverified {
            self.problem(Code::SampleUnverified, pointer, doubt.message());
        }
        found.value
    }

    /// Reports that `schema` requires itself, unless a value of it by itself ends.
    fn check_end(&mut self, schema: &Arc<Schema>, hidden: Hidden) {
        let within = Within {
            depth: DEPTHS[DEPTHS.len() - 1],
            size: LONG,
        };
        let attempt = self.sample_within(schema, hidden, within);
        if attempt.is_none_or(|attempt| !attempt.is_valid) {
            let message = "the schema requires itself without end, so no value is valid";
            self.problem(Code::SchemaInfinite, &schema.pointer, message);
        }
    }

    /// A sample of no more than that; `None` if nothing is valid.
    fn sample_within(
        &mut self,
        schema: &Arc<Schema>,
        hidden: Hidden,
        limits: Within,
    ) -> Option<Attempt> {
        let flat = self.flat(schema);
        let mut first = None;
        let mut size = 0;
        let mut endless = Vec::new();
        let strict = [(Extent::Full, false), (Extent::Required, false)];
        for (extent, is_lenient) in strict.into_iter().chain([(Extent::Full, true)]) {
            let mut sampler = Sampler {
                schemas: self,
                hidden,
                extent,
                limits,
                is_lenient,
                retries: MAX_RETRIES,
                repairs: MAX_REPAIRS,
                open: Vec::new(),
                size: 0,
                nodes: 0,
                endless: Vec::new(),
                unverified: Vec::new(),
            };
            let value = match sampler.node(schema, 0, true) {
                Ok(made) => made.value,
                Err(Gap::Recursive) => Value::Object(Map::new()),
                Err(Gap::Never) => return None,
            };
            size = size.max(sampler.size);
            endless.append(&mut sampler.endless);
            let unverified = std::mem::take(&mut sampler.unverified);
            let attempt = |value, is_valid| Attempt {
                value: Some(value),
                size,
                is_valid,
                endless: endless.clone(),
                unverified,
            };
            if is_any(&flat) {
                return Some(attempt(Value::Object(Map::new()), true));
            }
            if is_lenient {
                // Where nothing is valid in one way only, nothing has to be left out for that.
                if self.fits(schema, &value, hidden) {
                    first = Some(value);
                }
                break;
            }
            let says_less = is_empty(&value)
                && (first.as_ref()).is_some_and(|first| self.fits(schema, first, hidden));
            if !says_less && self.check(schema, &value, hidden).is_ok() {
                return Some(attempt(value, true));
            }
            first = first.or(Some(value));
        }
        Some(Attempt {
            value: first,
            size,
            is_valid: false,
            endless,
            unverified: Vec::new(),
        })
    }

    /// The numbers of the pointers on the way of `flat`: each is a number of the page.
    fn numbered(&mut self, flat: &Arc<Flat>) -> Arc<[u32]> {
        let key = Arc::as_ptr(flat) as usize;
        if let Some((_, known)) = self.trails.get(&key) {
            return known.clone();
        }
        let numbers = flat.trail.iter().map(|pointer| {
            let next = self.numbers.len() as u32;
            *self.numbers.entry(pointer.clone()).or_insert(next)
        });
        let numbers: Arc<[u32]> = numbers.collect();
        // With the schema, so that nothing else comes to be at its address.
        self.trails.insert(key, (flat.clone(), numbers.clone()));
        numbers
    }

    /// Returns true if a direction hides the property `name` of a merged schema.
    pub(super) fn is_hidden(&mut self, schema: &Schema, name: &str, hidden: Hidden) -> bool {
        let property = schema.property(name).filter(|_| hidden != Hidden::Nothing);
        property.is_some_and(|property| hidden.hides(&self.flat(property).schema))
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
                let mut visible = Map::new();
                for (name, member) in members {
                    let Some(property) = flat.schema.member(name) else {
                        visible.insert(name.clone(), member.clone());
                        continue;
                    };
                    let hides = hidden.hides(&self.flat(&property).schema);
                    if !hides {
                        let member = self.stripped(&property, member, hidden, depth + 1);
                        visible.insert(name.clone(), member);
                    }
                }
                Value::Object(visible)
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let items = items.map(|(index, item)| match flat.schema.item(index) {
                    Some(schema) => self.stripped(schema, item, hidden, depth + 1),
                    None => item.clone(),
                });
                Value::Array(items.collect())
            }
            other => other.clone(),
        };
        for union in flat.unions.iter() {
            // Another branch may hide what the branch of this value shows.
            let mut fitting = Vec::new();
            for branch in &union.branches {
                if self.check(branch, &value, Hidden::Nothing).is_ok() {
                    fitting.push(branch);
                }
            }
            if fitting.is_empty() {
                fitting.extend(&union.branches);
            }
            for branch in fitting {
                value = self.stripped(branch, &value, hidden, depth + 1);
            }
        }
        value
    }

    /// Returns true if `schema` has the example `authored` from a member of its `allOf`, and
    /// `value`, its parsed form, is valid for that member: it need not satisfy the others.
    pub(super) fn is_of_member(
        &mut self,
        schema: &Arc<Schema>,
        authored: &Value,
        value: &Value,
        hidden: Hidden,
    ) -> bool {
        match self.written_in(schema, authored) {
            Some(author) => !Arc::ptr_eq(&author, schema) && self.fits(&author, value, hidden),
            // The examples of several members are one.
            None => authored.is_object() && self.example_objects(schema) > 1,
        }
    }

    /// Returns the number of schemas with an object as an example, among `schema`, its target and
    /// the members of its `allOf`.
    fn example_objects(&mut self, schema: &Arc<Schema>) -> usize {
        let (mut pending, mut seen) = (vec![schema.clone()], BTreeSet::new());
        let mut count = 0;
        while let Some(schema) = pending.pop() {
            if seen.insert(schema.pointer.clone()) {
                count += usize::from(schema.examples.first().is_some_and(Value::is_object));
                pending.extend(self.members_of(&schema));
            }
        }
        count
    }

    /// Returns the target of a schema, and the members of its `allOf`.
    fn members_of(&mut self, schema: &Schema) -> Vec<Arc<Schema>> {
        let target = (schema.reference.as_ref())
            .map(|reference| resolve(self.document, reference))
            .and_then(|target| match target {
                Target::Found(pointer) => self.at(&pointer),
                _ => None,
            });
        target
            .into_iter()
            .chain(schema.all_of.iter().cloned())
            .collect()
    }

    /// The schema that `schema` has `example` from: itself, what it refers to, or a member of its `allOf`.
    fn written_in(&mut self, schema: &Arc<Schema>, example: &Value) -> Option<Arc<Schema>> {
        let (mut pending, mut seen) = (vec![schema.clone()], BTreeSet::new());
        while let Some(schema) = pending.pop() {
            if schema.examples.first() == Some(example) {
                return Some(schema);
            }
            if !seen.insert(schema.pointer.clone()) {
                continue;
            }
            pending.extend(self.members_of(&schema));
        }
        None
    }
}

/// Returns true if a schema does not restrict its values.
fn is_any(flat: &Flat) -> bool {
    let schema = &flat.schema;
    let says_nothing =
        !schema.has_structure() && schema.default.is_none() && schema.examples.is_empty();
    says_nothing && flat.unions.is_empty() && flat.unresolved.is_none()
}

impl Sampler<'_, '_, '_> {
    /// A value of `schema`. With `is_needed` it cannot be left out to end a recursion.
    fn node(&mut self, schema: &Arc<Schema>, depth: usize, is_needed: bool) -> Node {
        let flat = self.schemas.flat(schema);
        if flat.schema.is_never {
            return Err(Gap::Never);
        }
        self.nodes += 1;
        let is_too_much = depth > 60 || self.open.len() > 400 || self.nodes > MAX_NODES;
        let trail = self.schemas.numbered(&flat);
        let is_open = |number: &u32| self.open.contains(number);
        if is_too_much || trail.iter().any(is_open) {
            return Err(Gap::Recursive);
        }
        let made = self.authored(schema, &flat);
        let node = match made {
            Some(made) => {
                self.size += 16;
                Ok(made)
            }
            None => {
                let length = self.open.len();
                self.open.extend_from_slice(&trail);
                let node = self.generated(schema, &flat, depth, is_needed);
                self.open.truncate(length);
                node
            }
        };
        match flat.is_conflict {
            true => self.contradicted(&flat, node),
            false => node,
        }
    }

    /// Returns a sample of a schema that contradicts itself, as a last resort: the value found for
    /// some of its parts, which is more informative than no sample.
    fn contradicted(&mut self, flat: &Flat, node: Node) -> Node {
        let value = match node {
            Ok(made) => made.value,
            Err(Gap::Never) => placeholder(&flat.schema)?,
            Err(Gap::Recursive) => return Err(Gap::Recursive),
        };
        self.schemas.trust(&flat.schema, &value);
        if !flat.is_empty {
            let pointer = flat.schema.pointer.clone();
            self.unverified.push((pointer, Doubt::Contradiction));
        }
        Ok(SampledValue::reduced(value))
    }

    fn generated(
        &mut self,
        schema: &Arc<Schema>,
        flat: &Arc<Flat>,
        depth: usize,
        is_needed: bool,
    ) -> Node {
        let variants = self.variants(flat);
        let mut first = None;
        let mut gap = Gap::Never;
        let own_extent = self.extent;
        let extents: &[Extent] = match own_extent {
            Extent::Full => &[Extent::Full, Extent::Required],
            Extent::Required => &[Extent::Required],
        };
        let ways: Vec<Option<&Variant>> = match variants.as_slice() {
            [] => vec![None],
            variants => variants.iter().map(Some).collect(),
        };
        // What each way gives with every property, to be put back as far as it is valid.
        let mut fulls: Vec<Option<Value>> = vec![None; ways.len()];
        let mut reduced = None;
        let doubts = self.unverified.len();
        for extent in extents {
            self.extent = *extent;
            for (way, full) in ways.iter().zip(&mut fulls) {
                let size = self.size;
                let own_doubts = self.unverified.len();
                let node = match way {
                    Some(variant) => self.variant(variant, depth, is_needed),
                    None => self.plain(flat, depth, is_needed),
                };
                match node {
                    // Nothing says less than something that is valid in more ways than one.
                    Ok(made) if is_empty(&made.value) && self.says_more(schema, first.as_ref()) => {
                    }
                    Ok(made) => {
                        if self.accepts(schema, &made.value) {
                            if made.is_whole && *extent == own_extent {
                                self.extent = own_extent;
                                // Those of ways that were given up are of no part of it.
                                self.unverified.drain(doubts..own_doubts);
                                return Ok(made);
                            }
                            let full = full.take().filter(|_| *extent != own_extent);
                            let value = match full {
                                Some(full) => self.extended(schema, made.value, full),
                                None => made.value,
                            };
                            reduced = reduced.or(Some((SampledValue::reduced(value), self.size)));
                            if *extent != own_extent {
                                break;
                            }
                            // Another way may lack nothing.
                        } else {
                            first = first.or(Some(made.value.clone()));
                            *full = Some(made.value);
                        }
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
            if reduced.is_some() {
                break;
            }
        }
        self.extent = own_extent;
        if let Some((reduced, size)) = reduced {
            self.size = size;
            return Ok(reduced);
        }
        if let Some(made) = self.unverified(schema, flat, first.as_ref()) {
            return Ok(made);
        }
        if let Some(value) = &first
            && let Some(smaller) = self.smaller(schema, value)
            && !(is_empty(&smaller) && self.says_more(schema, first.as_ref()))
        {
            return Ok(SampledValue::reduced(smaller));
        }
        // An array without items shows less than one with invalid items, but does not make the
        // values around it invalid.
        let empty = Value::Array(Vec::new());
        let is_array = first.as_ref().is_some_and(Value::is_array);
        if is_array && depth > 0 && self.accepts(schema, &empty) {
            return Ok(SampledValue::reduced(empty));
        }
        if first.is_none() && flat.unions.is_empty() && !variants.is_empty() {
            // No subtype has a value; the base itself may.
            return self.plain(flat, depth, is_needed);
        }
        let made = first.map(|value| SampledValue {
            value,
            is_valid: false,
            is_whole: false,
        });
        made.ok_or(gap)
    }

    /// Returns true if `value` is valid.
    fn accepts(&mut self, schema: &Arc<Schema>, value: &Value) -> bool {
        match self.is_lenient {
            true => self.schemas.fits(schema, value, self.hidden),
            false => self.schemas.check(schema, value, self.hidden).is_ok(),
        }
    }

    /// Returns true if a value was found that is not empty, and valid in the sense that an author
    /// may intend.
    fn says_more(&mut self, schema: &Arc<Schema>, value: Option<&Value>) -> bool {
        value.is_some_and(|value| !is_empty(value) && self.schemas.fits(schema, value, self.hidden))
    }

    /// `value` with the members of `full`, each as far as it stays valid: a member that is not costs only itself.
    fn extended(&mut self, schema: &Arc<Schema>, value: Value, full: Value) -> Value {
        let (Value::Object(members), Value::Object(full)) = (&value, full) else {
            return value;
        };
        let mut reduced = members.clone();
        for (name, member) in &full {
            if reduced.get(name) == Some(member) {
                continue;
            }
            let Some(repairs) = self.repairs.checked_sub(1) else {
                break;
            };
            self.repairs = repairs;
            let mut more = reduced.clone();
            more.insert(name.clone(), member.clone());
            let more = Value::Object(more);
            if self.accepts(schema, &more)
                && let Value::Object(more) = more
            {
                reduced = more;
            }
        }
        // In the order of the document.
        let mut ordered = Map::new();
        for name in full.keys().chain(members.keys()) {
            if let Some(member) = reduced.get(name) {
                ordered.insert(name.clone(), member.clone());
            }
        }
        Value::Object(ordered)
    }

    /// `value` without one of its optional properties, if that makes it valid.
    fn smaller(&mut self, schema: &Arc<Schema>, value: &Value) -> Option<Value> {
        let members = value.as_object()?;
        for name in members.keys() {
            self.retries = self.retries.checked_sub(1)?;
            let mut members = members.clone();
            members.shift_remove(name);
            let value = Value::Object(members);
            if self.accepts(schema, &value) {
                return Some(value);
            }
        }
        None
    }

    fn variant(&mut self, variant: &Variant, depth: usize, is_needed: bool) -> Node {
        let is_open = |number: &u32| self.open.contains(number);
        if variant.trail.iter().any(is_open) {
            return Err(Gap::Recursive);
        }
        let length = self.open.len();
        self.open.extend_from_slice(&variant.trail);
        let node = self.node(&variant.schema, depth, is_needed);
        self.open.truncate(length);
        node
    }

    /// The schemas to try in place of one with unions and conditions. They follow from it alone, and are found once for all
    /// samples of a page.
    fn variants(&mut self, flat: &Arc<Flat>) -> Arc<Vec<Variant>> {
        let key = Arc::as_ptr(flat) as usize;
        if let Some((_, known)) = self.schemas.variants.get(&key) {
            return known.clone();
        }
        let variants = Arc::new(self.found_variants(flat));
        // With the schema, so that nothing else comes to be at its address.
        let known = (flat.clone(), variants.clone());
        self.schemas.variants.insert(key, known);
        variants
    }

    fn found_variants(&mut self, flat: &Flat) -> Vec<Variant> {
        let mut unions = self.schemas.choices(flat);
        unions.truncate(MAX_UNIONS);
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
        let mut rest = Schema {
            pointer: format!("{}&!all", schema.pointer),
            condition: None,
            then: None,
            otherwise: None,
            dependent_schemas: Vec::new(),
            discriminator: None,
            ..(**schema).clone()
        };
        // An example of the whole was tried before any branch.
        rest.strip_annotations();
        let rest = Arc::new(rest);
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
                            let flat = self.schemas.flat(member);
                            trail.extend_from_slice(&self.schemas.numbered(&flat));
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
                let property = &discriminator.property;
                let is_closed = inner.schema.additional == Some(Additional::Closed)
                    && inner.schema.property(property).is_none();
                if let (Some(value), false) = (values.first(), is_closed) {
                    let is_required = flat.schema.required.contains(property);
                    let required = if is_required {
                        Vec::new()
                    } else {
                        vec![property.clone()]
                    };
                    members.push(fixed(
                        &branch,
                        property,
                        std::slice::from_ref(value),
                        required,
                    ));
                }
            }
            variants.push(Variant {
                schema: Arc::default(),
                members,
                trail: self.schemas.numbered(&inner).to_vec(),
            });
        }
        variants
    }

    /// A value by type, where a schema leaves no choice.
    fn plain(&mut self, flat: &Flat, depth: usize, is_needed: bool) -> Node {
        let schema = &flat.schema;
        let Some(types) = &schema.types else {
            self.size += 8;
            return Ok(SampledValue::valid(Value::String("any".to_owned())));
        };
        let kind = types.iter().copied().find(|kind| *kind != Type::Null);
        let value = match kind.unwrap_or(Type::Null) {
            Type::Null => Some(Value::Null),
            Type::Boolean => Some(Value::Bool(true)),
            Type::Integer => scalars::integer(schema),
            Type::Number => scalars::number(schema),
            Type::String => {
                let text = self.string(schema);
                self.size += text.len() + 4;
                Some(Value::String(text))
            }
            Type::Array => return self.array(flat, depth, is_needed),
            Type::Object => return self.object(flat, depth),
        };
        value.map(SampledValue::valid).ok_or(Gap::Never)
    }
}

/// A value of the type of a schema whose limits allow none.
fn placeholder(schema: &Schema) -> Result<Value, Gap> {
    let kind = schema
        .types
        .iter()
        .flatten()
        .find(|kind| **kind != Type::Null);
    let bounds = [&schema.min, &schema.max];
    let bound = bounds.into_iter().flatten().next();
    match (kind, bound) {
        (Some(Type::Integer | Type::Number), Some(bound)) => {
            Ok(Value::Number(bound.number.clone()))
        }
        (Some(Type::Integer | Type::Number), None) => Ok(Value::from(1)),
        _ => Err(Gap::Never),
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

/// One way to satisfy a schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Variant {
    schema: Arc<Schema>,
    members: Vec<Arc<Schema>>,
    /// The branches that were chosen, by the numbers of their pointers.
    trail: Vec<u32>,
}

impl Variant {
    fn with(&self, branch: &Self) -> Self {
        let mut both = self.clone();
        both.members.extend(branch.members.iter().cloned());
        both.trail.extend_from_slice(&branch.trail);
        both
    }
}

/// Returns true if a value is already among others.
fn is_among(values: &[Value], value: &Value) -> bool {
    values.iter().any(|other| number::equal(other, value))
}
