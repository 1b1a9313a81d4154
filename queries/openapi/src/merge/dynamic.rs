//! Names for `$dynamicRef`: a schema is another one wherever another resource around it gives the
//! name a schema of its own (JSON Schema 2020-12, Core, 8.2.3.2), such as a generic list in each
//! list that defines the type of its items.
//!
//! A schema that is read so has a pointer of its own, as everything that is kept of schemas is found by their pointers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Schemas;
use crate::reference::{Target, resolve};
use crate::schema::{Schema, Scope};

/// Maximum number of schemas searched for the names that one of them needs.
const MAX_SCHEMAS: usize = 2_000;

impl Schemas<'_, '_> {
    /// Returns `schema` with names resolved by `outer`; unchanged where it needs none of them.
    pub(super) fn scoped(
        &mut self,
        schema: &Arc<Schema>,
        outer: Option<&Arc<Scope>>,
    ) -> Arc<Schema> {
        let own = &schema.dynamic_anchors;
        if outer.is_none() && own.is_empty() {
            return schema.clone();
        }
        let mut bindings = outer.map_or_else(Vec::new, |outer| outer.bindings.clone());
        for (name, pointer) in own {
            if !bindings.iter().any(|(known, _)| known == name) {
                bindings.push((name.clone(), pointer.clone()));
            }
        }
        let needed = self.needed_names(schema);
        bindings.retain(|(name, _)| needed.contains(name));
        let is_known = |scope: &Arc<Scope>| bindings.iter().all(|one| scope.bindings.contains(one));
        if bindings.is_empty() || schema.scope.as_ref().is_some_and(is_known) {
            return schema.clone();
        }
        bindings.sort();
        let assignments: Vec<String> = bindings
            .iter()
            .map(|(name, pointer)| format!("{name}={pointer}"))
            .collect();
        let place = schema.pointer.split("&@").next().unwrap_or_default();
        let suffix = format!("&@{}", assignments.join(","));
        let pointer = format!("{place}{suffix}");
        if let Some(Some(known)) = self.sources.get(&pointer) {
            return known.clone();
        }
        let scope = Arc::new(Scope { bindings });
        let copy = Arc::new(bind_scope(schema, &scope, &suffix));
        self.sources.insert(pointer, Some(copy.clone()));
        copy
    }

    /// The names that a schema, or what it refers to, needs from what is around it.
    fn needed_names(&mut self, schema: &Arc<Schema>) -> Arc<BTreeSet<String>> {
        let place = schema.pointer.split("&@").next().unwrap_or_default();
        if let Some(known) = self.needed_names.get(place) {
            return known.clone();
        }
        let mut names = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![schema.clone()];
        while let Some(next) = open.pop() {
            if seen.len() > MAX_SCHEMAS {
                break;
            }
            let mut whole = (*next).clone();
            open.extend(whole.parts_mut().into_iter().map(|part| part.clone()));
            names.extend(next.dynamic.clone());
            let target = next.reference.as_ref();
            let target = target.map(|reference| resolve(self.document, reference));
            if let Some(Target::Found(pointer)) = target
                && seen.insert(pointer.clone())
            {
                open.extend(self.at(&pointer));
            }
        }
        let names = Arc::new(names);
        self.needed_names.insert(place.to_owned(), names.clone());
        names
    }
}

/// Returns a copy of `schema` in which names are resolved by `scope`.
fn bind_scope(schema: &Schema, scope: &Arc<Scope>, suffix: &str) -> Schema {
    let mut copy = schema.clone();
    let place = schema.pointer.split("&@").next().unwrap_or_default();
    copy.pointer = format!("{place}{suffix}");
    copy.scope = Some(scope.clone());
    for part in copy.parts_mut() {
        *part = Arc::new(bind_scope(part, scope, suffix));
    }
    copy
}
