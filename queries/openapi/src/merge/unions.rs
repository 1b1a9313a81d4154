//! Simplifies unions by the keywords next to them: impossible branches are left out, a single
//! remaining one is merged into the whole, and every other one is merged with its siblings.

use std::sync::Arc;

use super::fields::{intersection, is_empty_range, least, stricter};
use super::{Flat, Schemas, Union, own};
use crate::number;
use crate::reference::{component_name, mapped};
use crate::schema::{Bound, Discriminator, Schema, Type, ValueNote};
use base::diagnostic::Code;

/// Maximum number of nested unions of one branch that are merged into the whole.
const MAX_COLLAPSES: usize = 16;
/// Maximum number of nested unions that are merged into one.
const MAX_NESTED: usize = 16;
/// Maximum depth to which unions are searched for the types of their values, and maximum number of
/// their branches.
const MAX_DEPTH: usize = 3;
const MAX_BRANCHES: usize = 64;
/// Maximum number of branches searched altogether for one such result; beyond, it is unknown.
const MAX_LOOKS: u32 = 512;

impl Schemas<'_, '_> {
    /// Leaves out the branches of unions that the keywords next to them exclude, and makes a branch
    /// that is alone part of the whole.
    pub(super) fn simplify_unions(&mut self, raw: Arc<Flat>) -> Arc<Flat> {
        let mut flat = raw;
        for _ in 0..MAX_COLLAPSES {
            if flat.unions.is_empty() {
                break;
            }
            flat = self.with_null_of_branches(flat);
            let mut unions = Vec::new();
            let mut alone = None;
            let mut is_changed = false;
            let mut is_excluded = false;
            for union in flat.unions.iter() {
                let mut branches = Vec::new();
                for branch in &union.branches {
                    let inner = self.raw(branch);
                    if !self.excludes(&flat, &inner) {
                        branches.push(branch.clone());
                    }
                }
                match (branches.as_slice(), &alone) {
                    ([], _) => {
                        is_excluded = true;
                        unions.push(union.clone());
                    }
                    ([one], None) => alone = Some((one.clone(), union.discriminator.clone())),
                    _ => {
                        is_changed |= branches.len() < union.branches.len();
                        unions.push(Union {
                            branches,
                            ..union.clone()
                        });
                    }
                }
            }
            if !is_changed && !is_excluded && alone.is_none() {
                break;
            }
            let mut next = (*flat).clone();
            next.unions = Arc::new(unions);
            if is_excluded {
                // Readers see the branches, which are more specific than the keywords next to them.
                let message = "no branch of the union allows what stands beside it";
                self.problem(Code::AllofConflict, &next.schema.pointer, message);
                let schema = Arc::make_mut(&mut next.schema);
                (schema.types, schema.values) = (None, None);
                next.is_conflict = true;
                return Arc::new(next);
            }
            let Some((branch, discriminator)) = alone else {
                self.enumeration(&mut next);
                return Arc::new(next);
            };
            flat = Arc::new(self.collapsed(next, &branch, discriminator.as_ref()));
        }
        flat
    }

    /// `flat` as nullable where a branch is `null` behind a reference, or a union that allows
    /// `null`: that is shown once, for the whole, with what the branch says of it.
    fn with_null_of_branches(&mut self, flat: Arc<Flat>) -> Arc<Flat> {
        let own = &flat.schema;
        let allows_null = (own.types.as_ref()).is_none_or(|types| types.contains(&Type::Null));
        if !allows_null || own.values.is_some() {
            return flat;
        }
        let mut unions = Vec::new();
        let mut null_schemas = Vec::new();
        let mut is_found = false;
        for union in flat.unions.iter() {
            let mut members = Vec::new();
            for branch in &union.branches {
                let inner = self.raw(branch);
                let schema = &inner.schema;
                if is_null(schema) && union.branches.len() > 1 {
                    is_found = true;
                    if schema.title.is_some() || schema.description.is_some() {
                        null_schemas.push(schema.clone());
                    }
                    continue;
                }
                let is_union = !inner.unions.is_empty() && !schema.has_structure_beside_types();
                if is_union && schema.or_null && union.discriminator.is_none() {
                    is_found |= !own.is_nullable();
                    null_schemas.extend(schema.null_branches.iter().cloned());
                }
                members.push(branch.clone());
            }
            // Without any other branch `null` is what it is.
            let branches = match members.is_empty() {
                true => union.branches.clone(),
                false => members,
            };
            unions.push(Union {
                branches,
                ..union.clone()
            });
        }
        let known = &own.null_branches;
        null_schemas.retain(|null| !known.iter().any(|one| one.pointer == null.pointer));
        if !is_found && null_schemas.is_empty() {
            return flat;
        }
        let mut next = (*flat).clone();
        let schema = Arc::make_mut(&mut next.schema);
        schema.or_null = true;
        schema.null_branches.extend(null_schemas);
        next.unions = Arc::new(unions);
        Arc::new(next)
    }

    /// `flat` together with the one branch of a union, which is no longer among its unions.
    fn collapsed(
        &mut self,
        mut flat: Flat,
        branch: &Arc<Schema>,
        discriminator: Option<&Discriminator>,
    ) -> Flat {
        let inner = self.raw(branch);
        if inner
            .trail
            .iter()
            .any(|pointer| flat.trail.contains(pointer))
        {
            // What is part of itself adds nothing.
            return flat;
        }
        let decided = discriminator.and_then(|discriminator| {
            let values = self.discriminator_values(discriminator, branch);
            let decided = fixed(branch, &discriminator.property, &values, Vec::new());
            (!values.is_empty()).then_some(decided)
        });
        let mut rest = (*flat.schema).clone();
        rest.discriminator = None;
        // That it is what the branch is says nothing more.
        let is_described = !says_more(&rest, &inner.schema);
        let pointer = flat.schema.pointer.clone();
        // Titles and descriptions next to the union take precedence for the whole.
        let outer = flat.schema.clone();
        flat = self.merge(flat, (*inner).clone(), &pointer);
        if let Some(decided) = decided {
            flat = self.merge(flat, own(&decided), &pointer);
        }
        let schema = Arc::make_mut(&mut flat.schema);
        schema.discriminator = schema.discriminator.take().filter(|_| inner.base.is_some());
        describe_as(schema, &outer);
        let allows_null = outer
            .types
            .as_ref()
            .is_none_or(|types| types.contains(&Type::Null));
        if outer.or_null && allows_null && !schema.is_nullable() {
            // `null` is valid in addition to the union.
            schema.or_null = true;
            schema
                .types
                .iter_mut()
                .for_each(|types| types.push(Type::Null));
        }
        flat.trail.extend(inner.trail.iter().cloned());
        if is_described && flat.component.is_none() && flat.unions.len() == inner.unions.len() {
            flat.name.clone_from(&inner.name);
            flat.component.clone_from(&inner.component);
            flat.base.clone_from(&inner.base);
        }
        if is_described && outer.title.is_none() && inner.schema.title.is_some() {
            // A component that only wraps another is called as that is.
            flat.name.clone_from(&inner.name);
        }
        self.enumeration(&mut flat);
        flat
    }

    /// Returns true if no value is valid against both, by their own keywords: types, values,
    /// limits, and the values of required properties.
    fn excludes(&mut self, one: &Flat, other: &Flat) -> bool {
        if other.schema.is_never {
            return true;
        }
        if self.is_disjoint(one, other) {
            return true;
        }
        let (a, b) = (&one.schema, &other.schema);
        if !only(a, Type::Object) && !only(b, Type::Object) {
            return false;
        }
        for (name, property) in &b.properties {
            let is_required = a.required.contains(name) || b.required.contains(name);
            let Some(own) = a.property(name).filter(|_| is_required) else {
                continue;
            };
            if own.pointer == property.pointer {
                continue;
            }
            let (own, property) = (self.raw(own), self.raw(property));
            if self.is_disjoint(&own, &property) {
                return true;
            }
        }
        false
    }

    fn is_disjoint(&mut self, one: &Flat, other: &Flat) -> bool {
        let (a, b) = (&one.schema, &other.schema);
        if a.is_nullable() && b.is_nullable() {
            return false;
        }
        if let (Some(values), Some(others)) = (&a.values, &b.values) {
            let is_listed =
                |value: &serde_json::Value| others.iter().any(|one| number::equal(one, value));
            if !values.iter().any(is_listed) {
                return true;
            }
        }
        if let Some(kinds) = kinds_of(a)
            && let Some(others) = self.kinds_at_first(other)
            && intersection(&kinds, &others).is_empty()
        {
            return true;
        }
        let is_array = only(a, Type::Array) || only(b, Type::Array);
        let is_text = only(a, Type::String) || only(b, Type::String);
        let is_number = [Type::Integer, Type::Number]
            .into_iter()
            .any(|kind| only(a, kind) || only(b, kind));
        let limits = |bounds: [Option<Bound>; 4]| {
            let [min, other_min, max, other_max] = bounds;
            let min = stricter(min, other_min, std::cmp::Ordering::Greater);
            let max = stricter(max, other_max, std::cmp::Ordering::Less);
            matches!((min, max), (Some(min), Some(max)) if is_empty_range(&min, &max))
        };
        let counts = |min: Option<u64>, max: Option<u64>| min > max && max.is_some();
        is_array
            && counts(
                a.min_items.max(b.min_items),
                least(a.max_items, b.max_items),
            )
            || is_text
                && counts(
                    a.min_length.max(b.min_length),
                    least(a.max_length, b.max_length),
                )
            || is_number && limits([a.min.clone(), b.min.clone(), a.max.clone(), b.max.clone()])
    }

    /// The types that values of a schema have; `None` is any. Many references lead to the same unions, which are looked into once.
    fn kinds_at_first(&mut self, flat: &Flat) -> Option<Vec<Type>> {
        if flat.unions.is_empty() || kinds_of(&flat.schema).is_some() {
            return self.kinds(flat, 0, &mut { MAX_LOOKS });
        }
        if let Some(known) = self.kinds_of_unions.get(&flat.unions) {
            return known;
        }
        let kinds = self.kinds(flat, 0, &mut { MAX_LOOKS });
        self.kinds_of_unions.keep(&flat.unions, kinds)
    }

    /// Like [`Schemas::kinds_at_first`], at any depth.
    fn kinds(&mut self, flat: &Flat, depth: usize, looks: &mut u32) -> Option<Vec<Type>> {
        if let Some(kinds) = kinds_of(&flat.schema) {
            return Some(kinds);
        }
        let union = flat.unions.first().filter(|_| depth < MAX_DEPTH)?;
        let mut all = Vec::new();
        if union.branches.len() > MAX_BRANCHES {
            return None;
        }
        for branch in &union.branches {
            *looks = looks.checked_sub(1)?;
            let inner = self.raw(branch);
            for kind in self.kinds(&inner, depth + 1, looks)? {
                if !all.contains(&kind) {
                    all.push(kind);
                }
            }
        }
        Some(all)
    }

    /// Returns a branch merged with the keywords next to the union: the type of a value of this
    /// branch. The branch itself where there are none.
    pub(crate) fn conjoined(&mut self, flat: &Flat, branch: &Arc<Schema>) -> Arc<Schema> {
        let inner = self.raw(branch);
        let rest = match self.rests.get(&flat.schema.pointer) {
            Some(rest) => rest.clone(),
            None => {
                let rest = Arc::new(shared_keywords(&flat.schema));
                self.rests.insert(flat.schema.pointer.clone(), rest.clone());
                rest
            }
        };
        if !says_more(&rest, &inner.schema) {
            return branch.clone();
        }
        let pointer = format!("{}&{}", rest.pointer, branch.pointer);
        if !self.raws.contains_key(&pointer) {
            // What a branch contradicts is shown as the branch has it, and is not reported: other
            // branches are for other values.
            let mut whole = own(&rest);
            whole.take((*inner).clone(), &pointer, &mut Vec::new());
            whole.name.clone_from(&inner.name);
            whole.component.clone_from(&inner.component);
            whole.trail.clone_from(&inner.trail);
            whole.base = None;
            self.raws.insert(pointer.clone(), Arc::new(whole));
        }
        Arc::new(Schema {
            pointer,
            all_of: vec![rest, branch.clone()],
            ..Schema::default()
        })
    }

    /// Returns the names that the keywords next to a union require and only branches of the union
    /// define.
    pub(crate) fn required_in(&mut self, flat: &Flat, union: &Union) -> Vec<String> {
        let mut names = Vec::new();
        for name in &flat.schema.required {
            if flat.schema.property(name).is_some() {
                continue;
            }
            let decides = (union.discriminator.as_ref()).is_some_and(|one| one.property == *name);
            let mut is_defined = decides;
            let mut looks = MAX_LOOKS;
            for branch in &union.branches {
                is_defined = is_defined || self.defines(branch, name, 0, &mut looks);
            }
            if is_defined {
                names.push(name.clone());
            }
        }
        names
    }

    /// Returns true if a schema, or a branch of it, has a property of this name, or if it has more
    /// branches than are searched.
    pub(crate) fn has_property(&mut self, schema: &Arc<Schema>, name: &str) -> bool {
        let mut looks = MAX_LOOKS;
        self.defines(schema, name, 0, &mut looks) || looks == 0
    }

    /// Returns true if a schema, or a branch of it, has a property of this name.
    fn defines(&mut self, schema: &Arc<Schema>, name: &str, depth: usize, looks: &mut u32) -> bool {
        let Some(left) = looks.checked_sub(1) else {
            return false;
        };
        *looks = left;
        let flat = self.raw(schema);
        if flat.schema.property(name).is_some() {
            return true;
        }
        let branches = flat.unions.iter().flat_map(|union| &union.branches);
        let branches: Vec<Arc<Schema>> = branches.take(MAX_BRANCHES).cloned().collect();
        depth < MAX_DEPTH
            && branches
                .iter()
                .any(|branch| self.defines(branch, name, depth + 1, looks))
    }

    /// Converts a union whose branches are all constants (`oneOf` of `const`) to an enumeration.
    pub(super) fn enumeration(&mut self, flat: &mut Flat) {
        let [union] = flat.unions.as_slice() else {
            return;
        };
        if flat.schema.values.is_some() || union.discriminator.is_some() {
            return;
        }
        let branches = union.branches.clone();
        let mut values = Vec::new();
        let mut notes = Vec::new();
        for branch in &branches {
            let is_simple = branch.reference.is_none() && branch.all_of.is_empty();
            let [value] = branch.values.as_deref().unwrap_or_default() else {
                return;
            };
            if !is_simple || !branch.properties.is_empty() {
                return;
            }
            values.push(value.clone());
            notes.push(ValueNote {
                name: branch.title.clone(),
                description: branch.description.clone(),
            });
        }
        let schema = Arc::make_mut(&mut flat.schema);
        if schema.types.is_none() {
            let mut types: Vec<Type> = Vec::new();
            for value in &values {
                let of = Type::of(value);
                if !types.contains(&of) {
                    types.push(of);
                }
            }
            if schema.or_null && !types.contains(&Type::Null) {
                types.push(Type::Null);
            }
            schema.types = Some(types);
            schema.is_inferred = true;
        }
        if schema.or_null && !values.contains(&serde_json::Value::Null) {
            values.push(serde_json::Value::Null);
            let null = schema.null_branches.pop();
            notes.push(ValueNote {
                name: null.as_ref().and_then(|null| null.title.clone()),
                description: null.and_then(|null| null.description.clone()),
            });
        }
        schema.values = Some(values);
        schema.value_notes = notes;
        flat.unions = Arc::default();
    }

    /// The branches of a union; those that are unions of the same kind and nothing else are replaced by their own, and a base
    /// beside its subtypes is a branch without them.
    pub(crate) fn branches(&mut self, union: &Union) -> Vec<Arc<Schema>> {
        let mut branches = Vec::new();
        let mut open = Vec::new();
        self.add_branches(union, &mut open, &mut branches);
        self.without_repeated_subtypes(branches)
    }

    fn add_branches(
        &mut self,
        union: &Union,
        open: &mut Vec<String>,
        branches: &mut Vec<Arc<Schema>>,
    ) {
        for branch in &union.branches {
            let flat = self.flat(branch);
            let inner = match flat.unions.as_slice() {
                [inner] if inner.is_one == union.is_one && inner.discriminator.is_none() => inner,
                _ => {
                    branches.push(branch.clone());
                    continue;
                }
            };
            let is_bare = union.discriminator.is_none() && !flat.schema.has_structure();
            let is_enough = open.len() >= MAX_NESTED || branches.len() > 200;
            if !is_bare || is_enough || open.contains(&branch.pointer) {
                branches.push(branch.clone());
                continue;
            }
            open.push(branch.pointer.clone());
            self.add_branches(inner, open, branches);
            open.pop();
        }
    }

    /// The values of the discriminator that choose `branch`: those of the mapping, else those that the branch allows, else
    /// the name of the component.
    pub(crate) fn discriminator_values(
        &mut self,
        discriminator: &Discriminator,
        branch: &Arc<Schema>,
    ) -> Arc<Vec<String>> {
        let key = format!("{} {}", discriminator.property, branch.pointer);
        if let Some(known) = self.deciding.get(&key) {
            return known.clone();
        }
        let values = Arc::new(self.values_of_branch(discriminator, branch));
        self.deciding.insert(key, values.clone());
        values
    }

    fn values_of_branch(
        &mut self,
        discriminator: &Discriminator,
        branch: &Arc<Schema>,
    ) -> Vec<String> {
        let flat = self.raw(branch);
        let allowed = self.allowed(&flat, &discriminator.property, 0, &mut { MAX_LOOKS });
        let Some(component) = &flat.component else {
            return allowed.unwrap_or_default();
        };
        let document = self.document;
        let mapping = discriminator.mapping.iter();
        let mapping = mapping
            .filter(|(_, target)| mapped(document, target).as_ref() == Some(component))
            .map(|(value, _)| value.clone());
        let named: Vec<String> = mapping.collect();
        let named = match named.is_empty() {
            true => component_name(component).into_iter().collect(),
            false => named,
        };
        match allowed {
            // A branch that allows other values is chosen by them, regardless of the mapping.
            Some(allowed) if !named.iter().any(|name| allowed.contains(name)) => allowed,
            _ => named,
        }
    }

    /// The texts that a schema allows in a property; those of its branches if it is a union and
    /// each of them has some.
    fn allowed(
        &mut self,
        flat: &Flat,
        property: &str,
        depth: usize,
        looks: &mut u32,
    ) -> Option<Vec<String>> {
        if let Some(property) = flat.schema.property(property).cloned() {
            let values = self.raw(&property).schema.values.clone()?;
            let texts = values.iter().filter_map(|value| value.as_str());
            return Some(texts.map(str::to_owned).collect());
        }
        let union = flat.unions.first().filter(|_| depth < MAX_DEPTH)?;
        let mut all = Vec::new();
        for branch in &union.branches {
            *looks = looks.checked_sub(1)?;
            let inner = self.raw(branch);
            for text in self.allowed(&inner, property, depth + 1, looks)? {
                if !all.contains(&text) {
                    all.push(text);
                }
            }
        }
        Some(all)
    }
}

/// Returns true if a schema allows `null` only.
fn is_null(schema: &Schema) -> bool {
    let is_value = schema.values.as_deref() == Some(&[serde_json::Value::Null]);
    schema.types.as_deref() == Some(&[Type::Null]) || is_value
}

/// Returns the types of a schema itself, or those of its values.
fn kinds_of(schema: &Schema) -> Option<Vec<Type>> {
    if let Some(values) = &schema.values {
        return Some(values.iter().map(Type::of).collect());
    }
    schema.types.clone().filter(|_| !schema.is_inferred)
}

/// Returns true if all values have one type, by the keywords of the schema itself.
fn only(schema: &Schema, kind: Type) -> bool {
    schema.types.as_deref() == Some(&[kind])
}

/// Returns the keywords next to a union that apply to each of its branches.
fn shared_keywords(schema: &Schema) -> Schema {
    let mut rest = Schema {
        pointer: format!("{}&!", schema.pointer),
        // These are shown once, next to the union.
        condition: None,
        then: None,
        otherwise: None,
        dependent_schemas: Vec::new(),
        dependent_required: Vec::new(),
        not: Vec::new(),
        contains: None,
        content_schema: None,
        discriminator: None,
        ..schema.clone()
    };
    rest.strip_annotations();
    // That `null` is also valid is shown for the whole.
    rest.or_null = false;
    if let Some(types) = &mut rest.types {
        types.retain(|kind| *kind != Type::Null);
    }
    rest
}

/// Returns true if the keywords next to a union restrict a branch further than it does itself.
fn says_more(rest: &Schema, branch: &Schema) -> bool {
    let narrows = match (&rest.types, &branch.types) {
        (Some(types), Some(own)) => !own.iter().all(|kind| types.contains(kind)),
        // The type object does not restrict a branch that is a union.
        (Some(types), None) => types.as_slice() != [Type::Object],
        (None, _) => false,
    };
    narrows || rest.has_structure_beside_types()
}

/// Describes `schema` as `source` does, where it does.
fn describe_as(schema: &mut Schema, source: &Schema) {
    let keep = |own: &mut Option<String>, source: &Option<String>| {
        if source.is_some() {
            own.clone_from(source);
        }
    };
    keep(&mut schema.title, &source.title);
    super::fields::describe(schema, source.description.clone(), Vec::new());
    if source.default.is_some() {
        schema.default.clone_from(&source.default);
    }
    if !source.examples.is_empty() {
        schema.examples.clone_from(&source.examples);
    }
}

/// The schema of a branch's discriminator: the property with the values that choose it.
pub(crate) fn fixed(
    branch: &Schema,
    property: &str,
    values: &[String],
    required: Vec<String>,
) -> Arc<Schema> {
    let pointer = format!("{}&!{}={}", branch.pointer, property, values.join(","));
    let values = values.iter().map(|value| value.as_str().into());
    let constant = Schema {
        pointer: format!("{pointer}/properties"),
        values: Some(values.collect()),
        ..Schema::default()
    };
    Arc::new(Schema {
        pointer,
        properties: vec![(property.to_owned(), Arc::new(constant))],
        required,
        ..Schema::default()
    })
}
