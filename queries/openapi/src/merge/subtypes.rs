//! Discriminators of bases: the components that extend a base by `allOf` are its branches, and each of them has the value
//! that chooses it wherever it is used.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::{Flat, Schemas, Union};
use crate::reference::{Target, component_name, mapped, resolve};
use crate::schema::{Discriminator, Schema, Type};

/// Maximum number of components searched for the descendants of one base.
const MAX_DESCENDANTS: usize = 1_000;
/// Maximum number of schemas searched for the bases of one component.
const MAX_BASES: usize = 64;
/// Longest chain of aliases that is followed.
const MAX_ALIASES: usize = 16;

impl Schemas<'_, '_> {
    /// Returns the unions of a schema: its `oneOf` and `anyOf`, and the union of its subtypes if it
    /// is a base with a discriminator.
    pub(crate) fn choices(&mut self, flat: &Flat) -> Vec<Union> {
        let mut unions = (*flat.unions).clone();
        if let (Some(base), Some(discriminator)) = (&flat.base, &flat.schema.discriminator) {
            let pointers = self.subtypes(base, discriminator);
            unions.extend(self.union_of_subtypes(base, &pointers, discriminator));
        }
        unions
    }

    /// Returns the components that a base with a discriminator represents: itself if its mapping
    /// names it, its descendants, and what else the mapping names.
    fn subtypes(&mut self, base: &str, discriminator: &Discriminator) -> Vec<String> {
        let document = self.document;
        let named = discriminator.mapping.iter().map(|(_, target)| target);
        let named = named.chain(&discriminator.default_mapping);
        let named: Vec<String> = named.filter_map(|name| mapped(document, name)).collect();
        let mut pointers = Vec::new();
        if named.iter().any(|target| target == base) {
            pointers.push(base.to_owned());
        }
        pointers.extend(self.descendants(base).iter().cloned());
        for target in named {
            if !pointers.contains(&target) {
                pointers.push(target);
            }
        }
        pointers
    }

    fn union_of_subtypes(
        &mut self,
        base: &str,
        pointers: &[String],
        discriminator: &Discriminator,
    ) -> Option<Union> {
        let mut branches = Vec::new();
        for pointer in pointers {
            let branch = Arc::new(Schema {
                pointer: format!("{base}&{pointer}"),
                reference: Some(encoded(pointer)),
                ..Schema::default()
            });
            branches.push(self.closed(branch, discriminator));
        }
        (!branches.is_empty()).then(|| Union {
            is_one: true,
            branches,
            discriminator: Some(discriminator.clone()),
        })
    }

    /// `branch` without the choice between its own subtypes, which are branches beside it.
    fn closed(&mut self, branch: Arc<Schema>, discriminator: &Discriminator) -> Arc<Schema> {
        let flat = self.raw(&branch);
        let is_same = |own: &Discriminator| own.property == discriminator.property;
        if flat.base.is_none() || !flat.schema.discriminator.as_ref().is_some_and(is_same) {
            return branch;
        }
        let pointer = format!("{}&!", branch.pointer);
        self.add_raw(&flat, &pointer, None);
        Arc::new(Schema {
            pointer,
            reference: branch.reference.clone(),
            ..Schema::default()
        })
    }

    /// Adds a form of a base with other subtypes, or none, under a pointer of its own.
    fn add_raw(&mut self, flat: &Flat, pointer: &str, subtypes: Option<Union>) {
        if self.raws.contains_key(pointer) {
            return;
        }
        let mut schema = (*flat.schema).clone();
        schema.discriminator = None;
        let mut unions = (*flat.unions).clone();
        unions.extend(subtypes);
        let form = Flat {
            schema: Arc::new(schema),
            unions: Arc::new(unions),
            // Being a branch of itself is no recursion.
            trail: vec![Arc::from(pointer)],
            base: None,
            ..flat.clone()
        };
        self.raws.insert(pointer.to_owned(), Arc::new(form));
    }

    /// Returns `branches` in which a base next to some of its subtypes offers only the others.
    pub(super) fn without_repeated_subtypes(
        &mut self,
        branches: Vec<Arc<Schema>>,
    ) -> Vec<Arc<Schema>> {
        let mut forms = Vec::new();
        for branch in &branches {
            forms.push(self.raw(branch));
        }
        if branches.len() < 2 || forms.iter().all(|flat| flat.base.is_none()) {
            return branches;
        }
        let mut narrowed = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let flat = forms[index].clone();
            let (Some(base), Some(discriminator)) = (&flat.base, &flat.schema.discriminator) else {
                narrowed.push(branch.clone());
                continue;
            };
            let mut other_components = BTreeSet::new();
            for (other, form) in forms.iter().enumerate() {
                if other != index {
                    other_components.extend(form.component.clone());
                }
            }
            let all = self.subtypes(base, discriminator);
            let (repeated, mut rest): (Vec<String>, Vec<String>) = all
                .into_iter()
                .partition(|pointer| other_components.contains(pointer));
            if repeated.is_empty() {
                narrowed.push(branch.clone());
                continue;
            }
            let is_only_itself = matches!(rest.as_slice(), [one] if one == base);
            if is_only_itself {
                rest.clear();
            }
            let union = self.union_of_subtypes(base, &rest, discriminator);
            let pointer = format!("{}&-{}", branch.pointer, repeated.join(","));
            self.add_raw(&flat, &pointer, union);
            narrowed.push(Arc::new(Schema {
                pointer,
                reference: branch.reference.clone(),
                ..Schema::default()
            }));
        }
        narrowed
    }

    /// The components that extend a base by `allOf`, those that extend these after each of them. Aliases are none of them, but
    /// what extends an alias is.
    fn descendants(&mut self, base: &str) -> Arc<Vec<String>> {
        if let Some(known) = self.descendants.get(base) {
            return known.clone();
        }
        let mut seen = BTreeSet::from([base.to_owned()]);
        let mut found = Vec::new();
        self.add_descendants(base, &mut seen, &mut found);
        let found = Arc::new(found);
        self.descendants.insert(base.to_owned(), found.clone());
        found
    }

    fn add_descendants(
        &mut self,
        base: &str,
        seen: &mut BTreeSet<String>,
        found: &mut Vec<String>,
    ) {
        for pointer in self.document.subtypes(base) {
            if seen.len() > MAX_DESCENDANTS || !seen.insert(pointer.clone()) {
                continue;
            }
            let Some(schema) = self.at(&pointer) else {
                continue;
            };
            if !schema.is_alias() {
                found.push(pointer.clone());
            }
            // What chooses by another property does so within its own branch.
            if schema.discriminator.is_none() || self.has_discriminator_of(base, &schema) {
                self.add_descendants(&pointer, seen, found);
            }
        }
    }

    /// Returns true if the discriminator of `schema` has the same property as that of `base`, or
    /// `base` has none.
    fn has_discriminator_of(&mut self, base: &str, schema: &Schema) -> bool {
        let base = self.at(base);
        let base = base.as_ref().and_then(|base| base.discriminator.as_ref());
        let own = schema.discriminator.as_ref();
        base.is_none_or(|base| own.is_some_and(|own| own.property == base.property))
    }

    /// The discriminators of the bases of the component at `pointer`, the nearest first, each property once.
    fn inherited(&mut self, pointer: &str) -> Arc<Vec<Discriminator>> {
        if let Some(known) = self.inherited.get(pointer) {
            return known.clone();
        }
        let mut found = Vec::new();
        if let Some(schema) = self.at(pointer) {
            let mut seen = BTreeSet::from([pointer.to_owned()]);
            self.add_inherited(&schema, &mut seen, &mut found);
        }
        let found = Arc::new(found);
        self.inherited.insert(pointer.to_owned(), found.clone());
        found
    }

    fn add_inherited(
        &mut self,
        schema: &Arc<Schema>,
        seen: &mut BTreeSet<String>,
        found: &mut Vec<Discriminator>,
    ) {
        let members = schema.all_of.iter().chain(std::iter::once(schema));
        let references: Vec<String> = members.filter_map(|one| one.reference.clone()).collect();
        for reference in references {
            let Target::Found(pointer) = resolve(self.document, &reference) else {
                continue;
            };
            if seen.len() > MAX_BASES || !seen.insert(pointer.clone()) {
                continue;
            }
            let Some(base) = self.at(&pointer) else {
                continue;
            };
            let is_union = !base.one_of.is_empty() || !base.any_of.is_empty();
            if let Some(discriminator) = base.discriminator.as_ref().filter(|_| !is_union)
                && !found
                    .iter()
                    .any(|one| one.property == discriminator.property)
            {
                found.push(discriminator.clone());
            }
            self.add_inherited(&base, seen, found);
        }
    }

    /// A component that extends a base, with the values of the base's discriminator that choose it: as what it is known
    /// wherever it is used, alone or as a branch.
    pub(super) fn named_by_discriminator(&mut self, flat: Arc<Flat>) -> Arc<Flat> {
        let first = flat.component.clone();
        let first = first.or_else(|| Some(flat.trail.first()?.to_string()));
        let is_component =
            |at: &String| at.starts_with("/components/schemas/") && at.matches('/').count() == 3;
        let Some(component) = first.filter(is_component) else {
            return flat;
        };
        let component = self.dealiased(component);
        let inherited = self.inherited(&component);
        let own = self
            .at(&component)
            .and_then(|own| own.discriminator.clone());
        if let Some(own) = own.filter(|_| flat.schema.discriminator.is_none())
            && flat.unions.is_empty()
            && self.maps(&own, &component)
        {
            // A base without its subtypes is itself alone.
            return self.with_value(flat, &component, &own);
        }
        if inherited.is_empty() || flat.base.is_some() || !flat.schema.allows(Type::Object) {
            return flat;
        }
        let mut flat = flat;
        for discriminator in inherited.iter() {
            // A base that chooses by the same property represents its own subtypes.
            let own = self
                .at(&component)
                .and_then(|own| own.discriminator.clone());
            if own.is_some_and(|own| own.property == discriminator.property) {
                continue;
            }
            flat = self.with_value(flat, &component, discriminator);
        }
        flat
    }

    /// Returns true if the mapping of a discriminator names a component.
    fn maps(&self, discriminator: &Discriminator, component: &str) -> bool {
        let mut targets = discriminator.mapping.iter().map(|(_, target)| target);
        targets.any(|target| mapped(self.document, target).as_deref() == Some(component))
    }

    /// Returns the component behind an alias.
    fn dealiased(&mut self, component: String) -> String {
        let mut component = component;
        for _ in 0..MAX_ALIASES {
            let Some(schema) = self.at(&component).filter(|schema| schema.is_alias()) else {
                break;
            };
            let members = schema.all_of.iter().chain(std::iter::once(&schema));
            let mut references = members.filter_map(|one| one.reference.as_deref());
            match references.next().map(|to| resolve(self.document, to)) {
                Some(Target::Found(next)) if next != component => component = next,
                _ => break,
            }
        }
        component
    }

    fn with_value(
        &mut self,
        flat: Arc<Flat>,
        component: &str,
        discriminator: &Discriminator,
    ) -> Arc<Flat> {
        let document = self.document;
        let mapping = discriminator.mapping.iter();
        let mapping = mapping
            .filter(|(_, target)| mapped(document, target).as_deref() == Some(component))
            .map(|(value, _)| value.clone());
        let mut values: Vec<String> = mapping.collect();
        let is_mapped = !values.is_empty();
        if !is_mapped {
            values.extend(component_name(component));
        }
        let name = &discriminator.property;
        let own = flat.schema.property(name).cloned();
        let mut constant = Schema::default();
        if let Some(own) = &own {
            let known = self.raw(own);
            let schema = &known.schema;
            let chosen = |value: &Value| values.iter().any(|one| value.as_str() == Some(one));
            if let Some(listed) = &schema.values {
                // What the author lists is the author's last word.
                if listed.len() == 1 || !listed.iter().any(chosen) {
                    return flat;
                }
            }
            let mut shown = schema.examples.iter().chain(&schema.default);
            if !schema.allows(Type::String) || !is_mapped && shown.any(|value| !chosen(value)) {
                return flat;
            }
            constant = (**schema).clone();
        }
        constant.pointer = format!("{}&={name}", flat.schema.pointer);
        constant.values = Some(values.into_iter().map(Value::String).collect());
        constant.value_notes = Vec::new();
        // They were meant for all subtypes.
        constant.default = None;
        constant.examples = Vec::new();
        let constant = Arc::new(constant);
        let mut decided = (*flat).clone();
        let schema = Arc::make_mut(&mut decided.schema);
        match schema
            .properties
            .iter_mut()
            .find(|(known, _)| known == name)
        {
            Some((_, property)) => *property = constant,
            None => schema.properties.insert(0, (name.clone(), constant)),
        }
        Arc::new(decided)
    }
}

/// A pointer as a reference.
fn encoded(pointer: &str) -> String {
    format!("#{}", pointer.replace('%', "%25"))
}
