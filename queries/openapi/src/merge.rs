//! References followed and `allOf` merged into one schema, so that what is shown, sampled and checked is the same thing.
//!
//! Children stay as they are; a property that two members define is an `allOf` of both, merged on
//! demand. What becomes of unions is in `unions`.

mod dynamic;
mod empty;
mod fields;
mod files;
mod subtypes;
mod unions;

pub(super) use self::unions::fixed;

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::document::Document;
use super::reference::{
    Target, component_name, is_internal, looped, reference_diagnostic, resolve,
};
use super::sample::Variant;
use super::schema::{Additional, Discriminator, Schema, Type};
use super::slice::references_in;
use super::version::Version;
use base::diagnostic::{Code, Diagnostic};

/// A schema without references and `allOf`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flat {
    /// Merged keywords; its unions are in `unions`.
    pub(super) schema: Arc<Schema>,
    /// Unions that its values have to match.
    pub(super) unions: Arc<Vec<Union>>,
    /// The title or the name of the component it is.
    pub(super) name: Option<String>,
    /// The component it is, by pointer: the first that was named on the way.
    pub(super) component: Option<String>,
    /// Every pointer on the way, its own among them.
    pub(super) trail: Vec<Arc<str>>,
    /// The schema whose subtypes are its branches: it has a discriminator and no union.
    pub(super) base: Option<String>,
    /// Whether it contradicts itself, so that nothing is valid: the last definition is shown.
    pub(super) is_conflict: bool,
    /// Whether it, or a member of its `allOf`, contradicts itself alone, which the rules of schemas
    /// report.
    pub(super) is_empty: bool,
    /// The reference that leads nowhere.
    pub(super) unresolved: Option<String>,
    /// Whether a member of `allOf` led back here and was left out.
    is_cut: bool,
}

impl Flat {
    /// Returns true if both have the same contents, apart from annotations.
    pub(super) fn has_same_contents(&self, other: &Self) -> bool {
        let (one, two) = (&self.schema, &other.schema);
        let place = |schema: &Option<Arc<Schema>>| schema.as_ref().map(|it| it.pointer.clone());
        let places = |named: &[(String, Arc<Schema>)]| -> Vec<(String, String)> {
            let named = named.iter();
            named
                .map(|(name, schema)| (name.clone(), schema.pointer.clone()))
                .collect()
        };
        let parts = |schema: &Schema| {
            let single = [
                &schema.items,
                &schema.contains,
                &schema.content_schema,
                &schema.condition,
                &schema.then,
                &schema.otherwise,
            ];
            let items = schema.prefix_items.iter();
            let maps = [
                &schema.properties,
                &schema.pattern_properties,
                &schema.dependent_schemas,
            ];
            (
                maps.map(|maps| places(maps)),
                single.map(place),
                items.map(|it| it.pointer.clone()).collect::<Vec<_>>(),
            )
        };
        let mut unions = self.unions.iter().zip(other.unions.iter());
        self.base == other.base
            && one.required == two.required
            && one.additional == two.additional
            && one.unevaluated == two.unevaluated
            && one.discriminator == two.discriminator
            && self.unions.len() == other.unions.len()
            && unions.all(|(one, two)| one.is_same(two))
            && parts(one) == parts(two)
    }
}

/// `oneOf` or `anyOf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Union {
    /// Whether exactly one branch has to be valid.
    pub(super) is_one: bool,
    /// The branches, in order.
    pub(super) branches: Vec<Arc<Schema>>,
    /// Discriminator of the branches.
    pub(super) discriminator: Option<Discriminator>,
}

impl Union {
    /// Returns true if both are of the same place of the document.
    fn is_same(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&Arc<Schema>, &Arc<Schema>)| {
            Arc::ptr_eq(one, other) || one.pointer == other.pointer
        };
        self.is_one == other.is_one
            && self.branches.len() == other.branches.len()
            && self.branches.iter().zip(&other.branches).all(is_same)
            && self.discriminator == other.discriminator
    }
}

/// Answers about the unions of a schema, which many references lead to, by the address of these.
pub(super) struct OfUnions<T>(FxHashMap<usize, (Arc<Vec<Union>>, T)>);

impl<T> Default for OfUnions<T> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<T: Clone> OfUnions<T> {
    /// The answer that is known.
    pub(super) fn get(&self, unions: &Arc<Vec<Union>>) -> Option<T> {
        let key = Arc::as_ptr(unions) as usize;
        self.0.get(&key).map(|(_, answer)| answer.clone())
    }

    /// Keeps an answer, and the unions with it, so that nothing else comes to be at their address.
    pub(super) fn keep(&mut self, unions: &Arc<Vec<Union>>, answer: T) -> T {
        let key = Arc::as_ptr(unions) as usize;
        self.0.insert(key, (unions.clone(), answer.clone()));
        answer
    }
}

/// The schemas of a document as one page sees them.
pub(super) struct Schemas<'a, 'd> {
    pub(super) document: &'a dyn Document<'d>,
    /// Diagnostics, each once, sorted.
    pub(super) diagnostics: BTreeSet<Diagnostic<String>>,
    /// Merged schemas with their unions as written.
    raws: FxHashMap<String, Arc<Flat>>,
    /// Merged schemas with their unions settled.
    flats: FxHashMap<String, Arc<Flat>>,
    /// Keywords next to the unions of a schema.
    rests: FxHashMap<String, Arc<Schema>>,
    /// The values of discriminators that choose branches, by property and branch.
    deciding: FxHashMap<String, Arc<Vec<String>>>,
    /// Descendants of bases, by pointer.
    descendants: FxHashMap<String, Arc<Vec<String>>>,
    /// Discriminators that components inherit from their bases, by the pointers of the components.
    inherited: FxHashMap<String, Arc<Vec<Discriminator>>>,
    /// Names of the dynamic anchors (`$dynamicRef`) that each schema depends on, by its pointer.
    needed_names: FxHashMap<String, Arc<BTreeSet<String>>>,
    /// The types of values of unions.
    kinds_of_unions: OfUnions<Option<Vec<Type>>>,
    sources: FxHashMap<String, Option<Arc<Schema>>>,
    /// Numbers of the pointers that were visited for samples.
    pub(super) numbers: FxHashMap<Arc<str>, u32>,
    /// The numbers of the trails of schemas, by their addresses.
    pub(super) trails: FxHashMap<usize, (Arc<Flat>, Arc<[u32]>)>,
    /// Alternatives that are tried for schemas with unions, by their addresses ([`super::sample`]).
    pub(super) variants: FxHashMap<usize, (Arc<Flat>, Arc<Vec<Variant>>)>,
    /// Keys of values found valid against schemas ([`super::validate`]).
    pub(super) valid: FxHashSet<u64>,
    /// Whether formats count, as they do where a server checks what it is sent.
    pub(super) checks_formats: bool,
    /// The schemas of which it was found out whether a value of them ends.
    pub(super) asked_for_end: BTreeSet<String>,
    /// Whether a sample is being made: what its author or the sampler vouches for is valid then.
    pub(super) is_sampling: bool,
    /// Values of authors that samples have although their schemas do not allow them, by the pointers of the schemas.
    pub(super) trusted: FxHashMap<String, Vec<Value>>,
    /// Pointers of schemas with a `oneOf` of which samples are of several branches.
    pub(super) ambiguous: FxHashSet<String>,
    /// Number of schemas merged for the current one.
    steps: u32,
    /// Nesting of samples of encoded content that are under way.
    pub(super) nesting: u32,
}

/// Longest chain of references and `allOf` that is followed.
const MAX_CHAIN: usize = 64;
/// Maximum number of schemas that are merged into one.
const MAX_STEPS: u32 = 4_000;

impl<'a, 'd> Schemas<'a, 'd> {
    pub(super) fn new(document: &'a dyn Document<'d>) -> Self {
        Self {
            document,
            diagnostics: BTreeSet::new(),
            raws: FxHashMap::default(),
            flats: FxHashMap::default(),
            rests: FxHashMap::default(),
            deciding: FxHashMap::default(),
            descendants: FxHashMap::default(),
            inherited: FxHashMap::default(),
            needed_names: FxHashMap::default(),
            kinds_of_unions: OfUnions::default(),
            sources: FxHashMap::default(),
            numbers: FxHashMap::default(),
            trails: FxHashMap::default(),
            variants: FxHashMap::default(),
            valid: FxHashSet::default(),
            checks_formats: false,
            asked_for_end: BTreeSet::new(),
            is_sampling: false,
            trusted: FxHashMap::default(),
            ambiguous: FxHashSet::default(),
            steps: 0,
            nesting: 0,
        }
    }

    /// The schema at a pointer of the document.
    pub(super) fn at(&mut self, pointer: &str) -> Option<Arc<Schema>> {
        if let Some(known) = self.sources.get(pointer) {
            return known.clone();
        }
        let schema = self.document.schema(pointer);
        self.sources.insert(pointer.to_owned(), schema.clone());
        schema
    }

    /// Reads the schema at a pointer, and what it refers to, in another dialect than that of the document: AsyncAPI names one
    /// for each message.
    pub(super) fn read_as(&mut self, version: Version, pointer: &str) {
        let mut open = vec![pointer.to_owned()];
        while let Some(pointer) = open.pop() {
            if self.sources.contains_key(&pointer) {
                continue;
            }
            let Some(value) = self.document.value(&pointer) else {
                continue;
            };
            for reference in references_in(value) {
                if let Target::Found(target) = resolve(self.document, &reference) {
                    open.push(target);
                }
            }
            let schema = crate::schema::parse(version, value, &pointer);
            self.sources.insert(pointer, Some(schema));
        }
    }

    /// Follows references, merges `allOf` and settles unions; the answer is kept.
    pub(super) fn flat(&mut self, schema: &Arc<Schema>) -> Arc<Flat> {
        if let Some(known) = self.flats.get(&schema.pointer) {
            return known.clone();
        }
        let raw = self.raw(schema);
        let simplified = self.simplify_unions(raw);
        let flat = self.named_by_discriminator(simplified);
        self.flats.insert(schema.pointer.clone(), flat.clone());
        flat
    }

    /// Follows references and merges `allOf`, but leaves unions as they are written. Settling a union looks at its
    /// branches this way, which is why it ends where branches lead back to the union.
    fn raw(&mut self, schema: &Arc<Schema>) -> Arc<Flat> {
        if let Some(known) = self.raws.get(&schema.pointer) {
            return known.clone();
        }
        self.steps = 0;
        let mut flat = self.fold(schema, &mut Vec::new());
        self.enumeration(&mut flat);
        let flat = Arc::new(flat);
        self.raws.insert(schema.pointer.clone(), flat.clone());
        flat
    }

    /// A schema that has to be valid against all of `members`; made of the document's, not part of it.
    pub(super) fn all_of(members: &[Arc<Schema>]) -> Arc<Schema> {
        let pointers: Vec<&str> = members.iter().map(|one| one.pointer.as_str()).collect();
        Arc::new(Schema {
            pointer: pointers.join("&"),
            all_of: members.to_vec(),
            ..Schema::default()
        })
    }

    fn fold(&mut self, schema: &Arc<Schema>, open: &mut Vec<String>) -> Flat {
        // A derived form of a schema is not the value at its pointer.
        if schema.pointer.contains('&')
            && let Some(known) = self.raws.get(&schema.pointer).filter(|known| !known.is_cut)
        {
            return (**known).clone();
        }
        self.steps += 1;
        let is_too_much = open.len() >= MAX_CHAIN || self.steps > MAX_STEPS;
        if is_too_much || open.contains(&schema.pointer) {
            return Flat {
                is_cut: true,
                ..Flat::default()
            };
        }
        open.push(schema.pointer.clone());
        let flat = self.fold_opened(schema, open);
        open.pop();
        flat
    }

    fn fold_opened(&mut self, schema: &Arc<Schema>, open: &mut Vec<String>) -> Flat {
        let schema = &self.scoped(schema, schema.scope.as_ref());
        for problem in &schema.diagnostics {
            self.diagnostics.insert(problem.clone());
        }
        let mut flat = match &schema.reference {
            Some(reference) => self.referenced(schema, reference, open),
            None => None,
        };
        let is_plain = schema.reference.is_some() && is_only_reference(schema);
        if is_plain && let Some(mut flat) = flat {
            flat.trail.insert(0, Arc::from(&*schema.pointer));
            return flat;
        }
        let (mut names, mut bases) = (Vec::new(), Vec::new());
        let mut is_structured = false;
        let is_single = schema.reference.is_none();
        for member in &schema.all_of {
            let mut part = self.fold(member, open);
            if part.is_cut && part.schema.pointer.is_empty() {
                continue;
            }
            if schema.is_silent {
                Arc::make_mut(&mut part.schema).strip_annotations();
            }
            bases.extend(part.base.clone());
            if member.reference.is_some() {
                names.push((
                    part.name.clone(),
                    part.component.clone(),
                    part.trail.clone(),
                    part.base.clone(),
                ));
            } else {
                is_structured |= part.schema.has_structure() || !part.unions.is_empty();
            }
            flat = Some(match flat {
                Some(flat) => self.merge(flat, part, &schema.pointer),
                None => Flat {
                    name: None,
                    component: None,
                    trail: Vec::new(),
                    base: None,
                    ..part
                },
            });
        }
        let mut own = own(schema);
        if let Some(members) = &mut flat
            && is_other_type(&own.schema, &members.schema)
        {
            // A bare `type` beside what has another one is a mistake of its author: TypeSpec writes
            // `string | null` for 3.0 as a nullable object that is a string, too.
            let kinds =
                |schema: &Schema| fields::words(schema.types.as_deref().unwrap_or_default());
            let conflict = format!("{} and {}", kinds(&members.schema), kinds(&own.schema));
            let message = format!("the members of `allOf` contradict each other: {conflict}");
            self.problem(Code::AllofConflict, &schema.pointer, message);
            members.is_conflict = true;
            Arc::make_mut(&mut own.schema).types = None;
        }
        let is_narrower = flat
            .as_ref()
            .is_none_or(|flat| !repeats_types(&own.schema, &flat.schema));
        is_structured |= is_narrower && own.schema.has_structure() || !own.unions.is_empty();
        let base = own.base.clone();
        let mut flat = match flat {
            Some(flat) => self.merge(flat, own, &schema.pointer),
            None => own,
        };
        if is_single {
            flat.base = base.filter(|_| flat.unions.is_empty());
        }
        if let ([(name, component, trail, base)], true, false) =
            (&names[..], is_single, is_structured)
        {
            flat.name.clone_from(name);
            flat.component.clone_from(component);
            flat.trail.clone_from(trail);
            flat.base.clone_from(base);
        } else if is_single && flat.base.is_none() && flat.unions.is_empty() {
            let base = bases.pop().filter(|_| bases.is_empty());
            flat.base = base.filter(|_| is_use(schema) && !self.chooses(schema, &flat));
        }
        if schema.or_null && !schema.is_nullable_already(&flat.schema) {
            let merged = Arc::make_mut(&mut flat.schema);
            merged.or_null = true;
            if let Some(types) = &mut merged.types
                && !types.contains(&Type::Null)
            {
                types.push(Type::Null);
            }
        }
        if flat.schema.unevaluated_items.is_some() && flat.unions.is_empty() {
            close_items(Arc::make_mut(&mut flat.schema));
        }
        if flat.schema.is_read_only && flat.schema.is_write_only {
            let message =
                "a property is read-only and write-only, so it is never sent nor returned";
            self.problem(Code::ReadwriteConflict, &schema.pointer, message);
        }
        flat.trail.insert(0, Arc::from(&*schema.pointer));
        flat
    }

    /// Returns true if an inline member of `allOf`, or `schema` itself, sets the deciding property
    /// of `flat`.
    fn chooses(&mut self, schema: &Arc<Schema>, flat: &Flat) -> bool {
        let Some(discriminator) = &flat.schema.discriminator else {
            return true;
        };
        let inline_schemas = schema.all_of.iter().chain(std::iter::once(schema));
        let inline_schemas = inline_schemas.filter(|one| one.reference.is_none());
        let deciding: Vec<Arc<Schema>> = inline_schemas
            .filter_map(|one| one.property(&discriminator.property).cloned())
            .collect();
        deciding
            .iter()
            .any(|one| self.raw(one).schema.values.is_some())
    }

    fn referenced(
        &mut self,
        schema: &Schema,
        reference: &str,
        open: &mut Vec<String>,
    ) -> Option<Flat> {
        let unresolved = || {
            Some(Flat {
                unresolved: Some(reference.to_owned()),
                ..Flat::default()
            })
        };
        let scope = schema.scope.as_ref();
        let bound = schema.dynamic.as_ref().and_then(|name| scope?.get(name));
        let target = match bound {
            Some(pointer) => Target::Found(pointer.clone()),
            None => resolve(self.document, reference),
        };
        let place = schema.pointer.split('&').next().unwrap_or_default();
        let Target::Found(pointer) = target else {
            self.diagnostics
                .insert(reference_diagnostic(&target, reference, place));
            return unresolved();
        };
        let Some(found) = self.at(&pointer) else {
            self.diagnostics
                .insert(reference_diagnostic(&Target::Missing, reference, place));
            return unresolved();
        };
        let found = self.scoped(&found, scope);
        let (component, pointer) = (pointer, found.pointer.clone());
        let is_open = open.contains(&pointer);
        let mut flat = match self.raws.get(&pointer) {
            Some(known) if !is_open && !known.is_cut => (**known).clone(),
            _ => {
                let mut flat = self.fold(&found, open);
                if !flat.is_cut && !is_open {
                    // Whatever is open around it made no difference, so it is the same everywhere.
                    self.enumeration(&mut flat);
                    self.raws.insert(pointer.clone(), Arc::new(flat.clone()));
                }
                flat
            }
        };
        let is_empty = flat.schema.pointer.is_empty() && flat.unresolved.is_none();
        if flat.is_cut && is_empty {
            // Through references alone it is a loop; through `allOf` it is recursion, and is left out.
            let chain_from = open.iter().position(|one| *one == pointer).unwrap_or(0);
            let is_chain = open[chain_from..].iter().all(|one| {
                let schema = self.sources.get(one).cloned().flatten();
                schema.is_none_or(|schema| schema.reference.is_some())
            });
            if is_chain {
                self.diagnostics.insert(looped(reference, place));
                return unresolved();
            }
            return Some(flat);
        }
        // What a name means is called as what it leads to in turn.
        let is_named = schema.dynamic.is_some() && flat.name.is_some() && found.is_alias();
        if let Some(name) = component_name(&component).filter(|_| !is_named) {
            let shown = found.title.clone().unwrap_or(name);
            flat.name = Some(shown).filter(|name| !is_internal(name));
            flat.component = Some(component);
        }
        Some(flat)
    }

    /// Adds a problem at `pointer`; of a merged schema at that of its first member.
    pub(super) fn problem(&mut self, code: Code, pointer: &str, message: impl Into<String>) {
        let pointer = pointer.split('&').next().unwrap_or(pointer);
        self.diagnostics
            .insert(Diagnostic::new(code, pointer, message));
    }
}

/// Returns true if a schema only uses the targets of its `allOf`, where a component of its own
/// would extend them.
fn is_use(schema: &Schema) -> bool {
    let is_component = schema.pointer.starts_with("/components/schemas/")
        && schema.pointer.matches('/').count() == 3;
    !is_component && !schema.pointer.contains('&')
}

fn is_only_reference(schema: &Schema) -> bool {
    let says_nothing = schema.title.is_none()
        && schema.description.is_none()
        && schema.default.is_none()
        && schema.examples.is_empty()
        && schema.extras.is_empty()
        && schema.external_docs.is_none()
        && schema.xml.is_none()
        && schema.diagnostics.is_empty();
    let is_marked = schema.is_read_only
        || schema.is_write_only
        || schema.is_deprecated
        || schema.or_null
        || schema.says_nullable;
    let is_bare = schema.types.is_none() && schema.all_of.is_empty() && schema.one_of.is_empty();
    says_nothing && !is_marked && is_bare && !schema.has_structure_beside_reference()
}

/// Takes what `unevaluatedItems` says for what follows the items that members of `allOf` list, where nothing else may say more.
fn close_items(schema: &mut Schema) {
    let is_sure = schema.items.is_none() && schema.condition.is_none() && schema.contains.is_none();
    if !is_sure || schema.prefix_items.is_empty() || !schema.dependent_schemas.is_empty() {
        return;
    }
    schema.items = schema.unevaluated_items.take().map(|rest| match rest {
        Additional::Schema(rest) => rest,
        Additional::Closed => Arc::new(Schema {
            pointer: format!("{}&rest", schema.pointer),
            is_never: true,
            ..Schema::default()
        }),
    });
}

/// Returns true if a schema restricts its values only by a type that the wrapped schema does not
/// have.
fn is_other_type(own: &Schema, wrapped: &Schema) -> bool {
    let (Some(own_types), Some(wrapped_types)) = (&own.types, &wrapped.types) else {
        return false;
    };
    let is_declared = !own.is_inferred && !wrapped.is_inferred;
    let is_type_alone = !own.has_structure_beside_types();
    let has_value = |types: &[Type]| types.iter().any(|kind| *kind != Type::Null);
    is_declared
        && is_type_alone
        && has_value(own_types)
        && has_value(wrapped_types)
        && fields::intersection(own_types, wrapped_types).is_empty()
}

/// Returns true if a schema adds nothing to the wrapped one but the types that it has anyway, such
/// as `type: object` next to `allOf` of one object.
fn repeats_types(own: &Schema, wrapped: &Schema) -> bool {
    let (Some(own_types), Some(wrapped)) = (&own.types, &wrapped.types) else {
        return false;
    };
    let mut kinds = wrapped.iter().filter(|kind| **kind != Type::Null);
    !own.has_structure_beside_types() && kinds.all(|kind| own_types.contains(kind))
}

impl Schema {
    fn is_nullable_already(&self, merged: &Schema) -> bool {
        merged.or_null
            && merged
                .types
                .as_ref()
                .is_none_or(|types| types.contains(&Type::Null))
    }
}

/// Returns the keywords of a schema itself, without references and compositions.
fn own(schema: &Arc<Schema>) -> Flat {
    let is_composed = schema.reference.is_some()
        || !schema.all_of.is_empty()
        || !schema.one_of.is_empty()
        || !schema.any_of.is_empty();
    if !is_composed {
        let is_empty = empty::is_empty(schema);
        // Most schemas are as flat as they were written.
        return Flat {
            base: schema
                .discriminator
                .is_some()
                .then(|| schema.pointer.clone()),
            schema: schema.clone(),
            is_conflict: is_empty,
            is_empty,
            ..Flat::default()
        };
    }
    let mut unions = Vec::new();
    for (is_one, branches) in [(true, &schema.one_of), (false, &schema.any_of)] {
        if !branches.is_empty() {
            unions.push(Union {
                is_one,
                branches: branches.clone(),
                discriminator: schema.discriminator.clone(),
            });
        }
    }
    let has_base = schema.discriminator.is_some() && unions.is_empty();
    let schema = Schema {
        reference: None,
        all_of: Vec::new(),
        one_of: Vec::new(),
        any_of: Vec::new(),
        // Applied to the whole, see `fold`.
        or_null: schema.or_null && schema.all_of.is_empty() && schema.reference.is_none(),
        ..(**schema).clone()
    };
    // Names that are required may be those of members, which the author of a closed schema means to
    // allow.
    let open = Schema {
        additional: None,
        ..schema.clone()
    };
    let is_empty = empty::is_empty(&open);
    Flat {
        base: has_base.then(|| schema.pointer.clone()),
        is_conflict: is_empty,
        is_empty,
        schema: Arc::new(schema),
        unions: Arc::new(unions),
        ..Flat::default()
    }
}
