//! Constraints, words and values of parts of a schema that have no row of their own.

use std::sync::Arc;

use super::{Page, Scope, chips, literal, opening_items};
use crate::endpoint::{Annotation, EACH, Phrase, Span};
use crate::merge::Flat;
use crate::operation::external_link;
use crate::schema::Schema;

/// Maximum number of nested arrays whose item annotations are shown on the row of the outermost.
pub(super) const MAX_NESTED: usize = 4;

impl Page<'_, '_> {
    /// The constraints of the items of an array as one phrase.
    pub(super) fn item_chips(&mut self, flat: &Flat, scope: &Scope) -> Option<Phrase> {
        self.nested_chips(flat, scope, 0)
    }

    fn nested_chips(&mut self, flat: &Flat, scope: &Scope, depth: usize) -> Option<Phrase> {
        let items = self.items_without_row(flat, depth)?;
        let mut parts = self.chips(&items, scope);
        parts.extend(self.branch_chips(&items, scope));
        parts.extend(self.nested_chips(&items, scope, depth + 1));
        if parts.is_empty() {
            return None;
        }
        let mut phrase = vec![Span::words("each: ")];
        phrase.extend(chips::join_chips(parts));
        Some(phrase)
    }

    /// The items of an array that are shown on its own row.
    fn items_without_row(&mut self, flat: &Flat, depth: usize) -> Option<Arc<Flat>> {
        let items = opening_items(&flat.schema).filter(|_| depth < MAX_NESTED)?;
        Some(self.schemas.flat(items))
    }

    /// Returns the annotations of parts of a schema without a row of their own.
    pub(super) fn annotations(&mut self, flat: &Flat, scope: &Scope) -> Vec<Annotation> {
        let mut found = Vec::new();
        self.add_annotations(flat, scope, 0, &mut found);
        found.retain(|one| !one.is_empty());
        found
    }

    /// Like [`Page::annotations`], with those of the schema itself before them: for places without
    /// a row for them.
    pub(crate) fn described(&mut self, schema: &Arc<Schema>, scope: &Scope) -> Vec<Annotation> {
        let flat = self.schemas.flat(schema);
        let own = flat
            .schema
            .description
            .iter()
            .map(|description| Annotation {
                description: description.clone(),
                ..Annotation::default()
            });
        let own: Vec<Annotation> = own.collect();
        own.into_iter()
            .chain(self.annotations(&flat, scope))
            .collect()
    }

    fn add_annotations(
        &mut self,
        flat: &Flat,
        scope: &Scope,
        depth: usize,
        found: &mut Vec<Annotation>,
    ) {
        let schema = flat.schema.clone();
        for description in &schema.inner_descriptions {
            found.push(Annotation {
                description: description.clone(),
                ..Annotation::default()
            });
        }
        for branch in self.plain_branches(flat).iter() {
            let inner = self.schemas.flat(branch);
            let is_told = |null: &Arc<Schema>| {
                let mut known = schema.null_branches.iter();
                known.any(|one| one.pointer == null.pointer)
            };
            for null in inner
                .schema
                .null_branches
                .iter()
                .filter(|null| !is_told(null))
            {
                found.push(self.annotation(null, "null".to_owned()));
            }
            if inner.schema.values.is_some() && inner.schema.description.is_none() {
                // Values are listed with their notes.
                continue;
            }
            let label = self.label_text(branch, scope);
            found.push(self.annotation(&inner.schema, label));
            if let Some(items) = self.items_without_row(&inner, depth) {
                found.push(self.annotation(&items.schema, EACH.to_owned()));
                self.add_annotations(&items, scope, depth + 1, found);
            }
        }
        if let Some(names) = &schema.property_names {
            let names = self.schemas.flat(names);
            found.push(self.annotation(&names.schema, "keys".to_owned()));
        }
        for not in &schema.not {
            let not = self.schemas.flat(not);
            found.push(self.annotation(&not.schema, "not:".to_owned()));
        }
        for null in &schema.null_branches {
            found.push(self.annotation(null, "null".to_owned()));
        }
        if let Some(items) = self.items_without_row(flat, depth) {
            found.push(self.annotation(&items.schema, EACH.to_owned()));
            self.add_annotations(&items, scope, depth + 1, found);
        }
    }

    fn annotation(&mut self, schema: &Schema, subject: String) -> Annotation {
        let title = schema.title.clone();
        let docs = schema.external_docs.as_ref();
        Annotation {
            title: title.filter(|title| subject != EACH && *title != subject),
            subject: Some(subject),
            description: schema.description.clone().unwrap_or_default(),
            is_deprecated: schema.is_deprecated,
            default: schema.default.as_ref().map(literal),
            examples: schema.examples.iter().map(literal).collect(),
            external_docs: docs.map(|(href, label)| external_link(href, label.as_deref())),
        }
    }
}
