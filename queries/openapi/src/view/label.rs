//! Labels of types.

use std::sync::Arc;

use super::{Page, Scope};
use crate::endpoint::{Label, LabelPart};
use crate::merge::{Flat, Union};
use crate::reference::component_name;
use crate::schema::{Additional, Schema, Type};

/// Maximum depth of a label into arrays, maps and unions.
const MAX_DEPTH: usize = 6;
/// Maximum number of branches of a union in a label.
const MAX_BRANCHES: usize = 3;
/// Maximum number of branches, and maximum depth, up to which unions within a union are flattened;
/// beyond, each is one part of the label.
const MAX_LEAVES: usize = 16;
const NESTED: usize = 2;
/// Maximum number of branches that a label within another label tries for those that it names: many
/// can have the same one.
const MAX_TRIED: usize = 12;
/// Maximum number of schemas in a label, and in all labels of a page: the rest has its name, or is
/// `any`.
const MAX_STEPS: u32 = 300;
const MAX_STEPS_OF_PAGE: u32 = 30_000;
/// Longest name of a branch that is named all the same if it is the only one left.
const SHORT: usize = 10;

/// Suffix of a type that may be `null`.
const NULL: &str = " | null";

type Parts = Vec<LabelPart>;

fn plain(text: impl Into<String>) -> LabelPart {
    LabelPart {
        text: text.into(),
        href: None,
    }
}

fn join_parts(parts: &[LabelPart]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}

impl Page<'_, '_> {
    /// The type of a schema.
    pub(super) fn label(&mut self, schema: &Arc<Schema>, scope: &Scope) -> Label {
        Label {
            is_recursive: self.leads_back(schema),
            parts: self.whole_label(schema, scope),
        }
    }

    /// The type as text.
    pub(super) fn label_text(&mut self, schema: &Arc<Schema>, scope: &Scope) -> String {
        join_parts(&self.whole_label(schema, scope))
    }

    /// Returns the label of a schema, which is the same in every place.
    fn whole_label(&mut self, schema: &Arc<Schema>, scope: &Scope) -> Parts {
        let key = (schema.pointer.clone(), scope.is_request);
        if let Some(known) = self.labels.get(&key) {
            return known.clone();
        }
        self.label_steps = 0;
        let parts = compact(self.parts(schema, scope, 0));
        self.all_label_steps += self.label_steps;
        self.labels.insert(key, parts.clone());
        parts
    }

    /// Returns true if a schema, or the items of an array, are already open around this place.
    fn leads_back(&mut self, schema: &Arc<Schema>) -> bool {
        let mut schema = schema.clone();
        for _ in 0..MAX_DEPTH {
            let flat = self.schemas.flat(&schema);
            if self.open_among(&flat).is_some() {
                return true;
            }
            match &flat.schema.items {
                Some(items) => schema = items.clone(),
                None => return false,
            }
        }
        false
    }

    fn parts(&mut self, schema: &Arc<Schema>, scope: &Scope, depth: usize) -> Parts {
        self.label_steps += 1;
        let flat = self.schemas.flat(schema);
        let merged = flat.schema.clone();
        if merged.is_never {
            return vec![plain("never")];
        }
        if flat.unresolved.is_some() && !merged.has_structure() && flat.unions.is_empty() {
            return vec![plain("unresolved")];
        }
        let mut parts = self.without_null(&flat, scope, depth);
        let is_null = join_parts(&parts) == "null";
        if merged.is_nullable() && !is_null {
            parts.push(plain(NULL));
        }
        parts
    }

    fn without_null(&mut self, flat: &Flat, scope: &Scope, depth: usize) -> Parts {
        let schema = &flat.schema;
        let types: Vec<Type> = schema.types.clone().unwrap_or_default();
        let types: Vec<Type> = types
            .into_iter()
            .filter(|kind| *kind != Type::Null)
            .collect();
        if let Some(values) = &schema.values {
            return match values.as_slice() {
                [one] => vec![plain(one.to_string())],
                _ => {
                    let words: Vec<&str> = types.iter().map(|kind| kind.word()).collect();
                    vec![plain(format!("enum<{}>", words.join(" | ")))]
                }
            };
        }
        let is_union = !flat.unions.is_empty() && schema.properties.is_empty();
        if is_union {
            return self.union(flat, scope, depth);
        }
        if schema.is_binary {
            return vec![plain(if scope.is_request { "file" } else { "binary" })];
        }
        if types.is_empty() {
            let is_null = schema.types.is_some();
            let name = flat.name.clone().filter(|_| flat.base.is_some());
            return match name {
                Some(name) => vec![self.component_part(flat, name)],
                None => vec![plain(if is_null { "null" } else { "any" })],
            };
        }
        let mut parts = Vec::new();
        for (index, kind) in types.iter().enumerate() {
            if index > 0 {
                parts.push(plain(" | "));
            }
            match kind {
                Type::Array => parts.extend(self.array(schema, scope, depth)),
                Type::Object => parts.extend(self.object(flat, scope, depth)),
                kind => match schema.formats.first() {
                    Some(format) => parts.push(plain(format!("{}<{format}>", kind.word()))),
                    None => parts.push(plain(kind.word())),
                },
            }
        }
        parts
    }

    fn component_part(&mut self, flat: &Flat, name: String) -> LabelPart {
        let component = flat.component.as_ref();
        LabelPart {
            text: name,
            href: component.and_then(|pointer| self.schemas.document.model_href(pointer)),
        }
    }

    fn union(&mut self, flat: &Flat, scope: &Scope, depth: usize) -> Parts {
        let is_enough = self.label_steps > MAX_STEPS || self.all_label_steps > MAX_STEPS_OF_PAGE;
        if depth >= MAX_DEPTH || is_enough {
            return vec![plain(flat.name.clone().unwrap_or_else(|| "any".to_owned()))];
        }
        let Some(union) = flat.unions.first() else {
            return Vec::new();
        };
        let mut labels: Vec<Parts> = Vec::new();
        let mut branches = Vec::new();
        self.leaves(flat, union, depth, &mut branches);
        let mut unnamed = 0;
        for (tried, (branch, depth)) in branches.iter().enumerate() {
            let depth = *depth;
            let enough = MAX_BRANCHES + usize::from(depth < NESTED);
            if depth > 0 && (labels.len() >= enough || tried >= MAX_TRIED) {
                // Inside another label it is enough to know that there are more.
                unnamed += 1;
                continue;
            }
            let inner = self.schemas.flat(branch);
            let mut parts = self.parts(branch, scope, depth + 1);
            let is_object = inner.component.is_some() && inner.schema.types.is_none();
            if let (true, Some(name)) = (is_object && inner.unions.is_empty(), &inner.name) {
                parts = vec![self.component_part(&inner, name.clone())];
            }
            // It is shown once, for the whole.
            let is_null = parts.last().is_some_and(|last| last.text == NULL);
            if is_null && flat.schema.is_nullable() {
                parts.pop();
            }
            let text = join_parts(&parts);
            if labels.iter().any(|other| join_parts(other) == text) {
                // Components with the same title are distinguished by their names.
                let name = inner.component.as_deref().and_then(component_name);
                match name.filter(|name| *name != text) {
                    Some(name) => parts = vec![self.component_part(&inner, name)],
                    None => continue,
                }
            }
            labels.push(parts);
        }
        let rest = labels.len().saturating_sub(MAX_BRANCHES) + unnamed;
        // One more short name is no longer than the words that would replace it.
        let is_short = |label: &Parts| join_parts(label).len() <= SHORT;
        let has_room = rest == 1 && unnamed == 0 && labels.last().is_some_and(is_short);
        let rest = if has_room { 0 } else { rest };
        labels.truncate(MAX_BRANCHES + usize::from(has_room));
        let mut parts = Vec::new();
        for label in labels {
            if !parts.is_empty() {
                parts.push(plain(" | "));
            }
            parts.extend(label);
        }
        if rest > 0 {
            parts.push(plain(format!(" | +{rest}")));
        }
        parts
    }

    /// The branches of a union with what stands beside it, those of unions among them instead of these, and how deep each
    /// stands.
    fn leaves(
        &mut self,
        enclosing: &Flat,
        union: &Union,
        depth: usize,
        leaves: &mut Vec<(Arc<Schema>, usize)>,
    ) {
        for branch in self.schemas.branches(union) {
            let branch = self.schemas.conjoined(enclosing, &branch);
            let flat = self.schemas.flat(&branch);
            let schema = &flat.schema;
            let is_union =
                schema.properties.is_empty() && schema.values.is_none() && !schema.is_nullable();
            match &flat.unions[..] {
                // Deeper ones are longer than anybody reads, and unions of unions grow without end.
                [inner] if is_union && depth < NESTED && leaves.len() < MAX_LEAVES => {
                    let inner = inner.clone();
                    self.leaves(&flat, &inner, depth + 1, leaves);
                }
                _ => leaves.push((branch, depth)),
            }
        }
    }

    fn array(&mut self, schema: &Schema, scope: &Scope, depth: usize) -> Parts {
        if depth >= MAX_DEPTH {
            return vec![plain("any[]")];
        }
        if !schema.prefix_items.is_empty() {
            let prefix_count = schema.prefix_items.len() as u64;
            let mut parts = vec![plain("[")];
            for (index, item) in schema.prefix_items.iter().enumerate() {
                if index > 0 {
                    parts.push(plain(", "));
                }
                parts.extend(self.parts(item, scope, depth + 1));
            }
            match &schema.items {
                Some(items) => {
                    let flat = self.schemas.flat(items);
                    if !flat.schema.is_never {
                        parts.push(plain(", …"));
                        parts.extend(self.parts(items, scope, depth + 1));
                    }
                }
                // As many as are listed, and no more.
                None if schema.max_items.is_some_and(|most| most <= prefix_count) => {}
                None => parts.push(plain(", …any")),
            }
            parts.push(plain("]"));
            return parts;
        }
        let Some(items) = &schema.items else {
            return vec![plain("any[]")];
        };
        let item = self.parts(items, scope, depth + 1);
        let is_grouped = item.iter().any(|part| part.text.contains(" | "))
            && !join_parts(&item).starts_with("enum<")
            || join_parts(&item).ends_with("> | null");
        if !is_grouped {
            return item.into_iter().chain([plain("[]")]).collect();
        }
        let mut parts = vec![plain("(")];
        parts.extend(item);
        parts.push(plain(")[]"));
        parts
    }

    fn object(&mut self, flat: &Flat, scope: &Scope, depth: usize) -> Parts {
        let schema = &flat.schema;
        if let (Some(name), Some(_)) = (&flat.name, &flat.component) {
            return vec![self.component_part(flat, name.clone())];
        }
        let is_map = schema.properties.is_empty() && schema.pattern_properties.is_empty();
        match &schema.additional {
            Some(Additional::Schema(other)) if is_map && depth < MAX_DEPTH => {
                let mut parts = vec![plain("map<string, ")];
                parts.extend(self.parts(other, scope, depth + 1));
                parts.push(plain(">"));
                parts
            }
            _ => vec![plain("object")],
        }
    }
}

/// Neighbors without links as one part.
fn compact(parts: Parts) -> Parts {
    let mut compact: Parts = Vec::new();
    for part in parts {
        match compact.last_mut() {
            Some(last) if last.href.is_none() && part.href.is_none() => {
                last.text.push_str(&part.text);
            }
            _ => compact.push(part),
        }
    }
    compact
}
