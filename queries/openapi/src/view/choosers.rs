//! Unions as choosers, conditions as blocks.

use std::sync::Arc;

use super::{Above, Page, Scope, chips, opening_items};
use crate::direction::Hidden;
use crate::endpoint::{Block, Branch, Chooser, Name, Phrase, Span, View};
use crate::merge::{Flat, Schemas, Union};
use crate::reference::{component_name, mapped};
use crate::schema::{Discriminator, Schema, Type};
use base::diagnostic::{Code, Diagnostic, Severity};

impl Page<'_, '_> {
    /// The names that a branch of `enclosing` requires, if it has no other keywords of objects: such a
    /// branch has no rows of its own. Without those that the direction hides.
    pub(crate) fn required_alone(
        &mut self,
        enclosing: &Flat,
        branch: &Flat,
        hidden: Hidden,
    ) -> Vec<String> {
        let mut required = branch.schema.required.clone();
        if required.is_empty() {
            return required;
        }
        let mut rest = branch.clone();
        Arc::make_mut(&mut rest.schema).required.clear();
        if !self.is_bare(&rest) {
            return Vec::new();
        }
        required.retain(|name| !self.schemas.is_hidden(&enclosing.schema, name, hidden));
        required
    }

    /// The unions of a schema that need a chooser, with their branches; those of scalars need none.
    pub(super) fn shown_unions(&mut self, flat: &Flat) -> Vec<Union> {
        if flat.unions.is_empty() || flat.base.is_some() {
            return self.choices_with_contents(flat);
        }
        if let Some(known) = self.chooser_unions.get(&flat.unions) {
            return known;
        }
        let choosers = self.choices_with_contents(flat);
        self.chooser_unions.keep(&flat.unions, choosers)
    }

    fn choices_with_contents(&mut self, flat: &Flat) -> Vec<Union> {
        let mut choosers = Vec::new();
        for union in self.schemas.choices(flat) {
            let branches = self.schemas.branches(&union);
            let mut has_contents = false;
            for branch in &branches {
                let inner = self.schemas.flat(branch);
                has_contents |= !self.is_scalar(&inner);
            }
            if has_contents {
                choosers.push(Union { branches, ..union });
            }
        }
        choosers
    }

    /// Returns the branches of those unions of a schema that have no chooser.
    pub(super) fn plain_branches(&mut self, flat: &Flat) -> Arc<Vec<Arc<Schema>>> {
        if flat.unions.is_empty() {
            return Arc::default();
        }
        if let Some(known) = self.plain.get(&flat.unions) {
            return known;
        }
        let plain = Arc::new(self.branches_without_contents(flat));
        self.plain.keep(&flat.unions, plain)
    }

    fn branches_without_contents(&mut self, flat: &Flat) -> Vec<Arc<Schema>> {
        let mut plain = Vec::new();
        for union in flat.unions.iter() {
            let branches = self.schemas.branches(union);
            let mut is_plain = true;
            for branch in &branches {
                let inner = self.schemas.flat(branch);
                is_plain = is_plain && self.is_scalar(&inner);
            }
            if is_plain {
                plain.extend(branches);
            }
        }
        plain
    }

    /// The constraints of branches that have no chooser, one or the other of which counts.
    pub(super) fn branch_chips(&mut self, flat: &Flat, scope: &Scope) -> Option<Phrase> {
        let branches = self.plain_branches(flat);
        let mut is_said = false;
        let mut alternatives: Vec<Phrase> = Vec::new();
        for branch in branches.iter().take(MAX_ALTERNATIVES) {
            let inner = self.schemas.flat(branch);
            if inner.schema.values.is_some() {
                // Values are listed.
                continue;
            }
            is_said |=
                !self.chips(&inner, scope).is_empty() || self.item_chips(&inner, scope).is_some();
            let phrase = self.constraint(branch, scope);
            if !alternatives.contains(&phrase) {
                alternatives.push(phrase);
            }
        }
        if !is_said {
            return None;
        }
        let mut phrase = Phrase::new();
        for alternative in alternatives {
            if !phrase.is_empty() {
                phrase.push(Span::words(" or "));
            }
            phrase.extend(alternative);
        }
        Some(phrase)
    }

    /// Choosers between the branches of unions.
    pub(super) fn choosers(
        &mut self,
        flat: &Flat,
        unions: &[Union],
        scope: &Scope,
    ) -> Vec<Chooser> {
        let unions = unions.iter();
        unions
            .map(|union| self.chooser(flat, union, scope))
            .collect()
    }

    /// Returns true if a branch has nothing to open, at any depth of arrays.
    pub(super) fn is_scalar(&mut self, flat: &Flat) -> bool {
        if self.is_bare(flat) {
            return true;
        }
        let schema = &flat.schema;
        match &schema.items {
            Some(items) if schema.properties.is_empty() && schema.prefix_items.is_empty() => {
                let inner = self.schemas.flat(items);
                flat.unions.is_empty() && schema.contains.is_none() && self.is_bare(&inner)
            }
            _ => false,
        }
    }

    fn chooser(&mut self, flat: &Flat, union: &Union, scope: &Scope) -> Chooser {
        let above = Above {
            schema: flat.schema.clone(),
            in_branches: self.schemas.required_in(flat, union),
            in_label: Vec::new(),
        };
        self.check_discriminator(flat, union);
        let labels = self.branch_labels(flat, union, scope);
        let mut branch_views = Vec::new();
        for (branch, label) in union.branches.iter().zip(labels) {
            let anchor = self.anchor(&format!("{}~{label}", scope.prefix));
            let inner = self.schemas.flat(branch);
            let decided = union.discriminator.as_ref();
            let required = self.required_alone(flat, &inner, scope.hidden);
            let above = above.requiring(&required);
            let mut view = self.branch_view(flat, branch, decided, &above, &scope.at(&anchor));
            view.title = view.title.filter(|title| *title != label);
            if !required.is_empty() && label != required_label(&required) {
                view.chips.insert(0, chips::required(&required));
            }
            branch_views.push(Branch {
                anchor,
                label,
                description: inner.schema.description.clone().unwrap_or_default(),
                view,
            });
        }
        Chooser {
            words: if union.is_one { "one of" } else { "any of" }.to_owned(),
            property: union.discriminator.as_ref().map(|one| one.property.clone()),
            branches: branch_views,
        }
    }

    /// Reports a discriminator by a property that no branch has.
    fn check_discriminator(&mut self, flat: &Flat, union: &Union) {
        let Some(discriminator) = &union.discriminator else {
            return;
        };
        let name = &discriminator.property;
        let mut branches = union.branches.iter();
        let is_there = flat.schema.property(name).is_some()
            || branches.any(|branch| self.schemas.has_property(branch, name));
        if !is_there {
            let message = format!("no branch has the property `{name}` of the discriminator");
            let at = flat.schema.pointer.split('&').next().unwrap_or_default();
            let mut problem = Diagnostic::new(Code::DiscriminatorProperty, at, message);
            // Values have the property, declared or not.
            problem.severity = Severity::Info;
            self.schemas.diagnostics.insert(problem);
        }
    }

    /// A branch together with what stands beside the union: its rows without those that stand above the chooser, the
    /// deciding property first and with its value.
    fn branch_view(
        &mut self,
        enclosing: &Flat,
        branch: &Arc<Schema>,
        discriminator: Option<&Discriminator>,
        parent: &Above,
        scope: &Scope,
    ) -> View {
        let flat = self.schemas.flat(branch);
        self.tabs += 1;
        if self.is_full() {
            let contents = self.contents(branch, scope);
            return View {
                contents,
                ..View::default()
            };
        }
        let whole = self.schemas.conjoined(enclosing, branch);
        let values = match discriminator {
            Some(discriminator) => self.schemas.discriminator_values(discriminator, branch),
            None => Arc::default(),
        };
        let is_plain = Arc::ptr_eq(&whole, branch) && values.is_empty();
        if is_plain || self.open_among(&flat).is_some() {
            return self.view(branch, scope);
        }
        let mut view = View {
            label: self.label(&whole, scope),
            ..self.outline(branch, scope)
        };
        if self.is_too_deep(&flat, scope) {
            view.contents = self.contents(branch, scope);
            return view;
        }
        let mut decided = (*self.schemas.flat(&whole)).clone();
        if let (Some(discriminator), false) = (discriminator, values.is_empty()) {
            let is_own = decided.schema.property(&discriminator.property).is_some();
            // The branches of a branch have a value each.
            let is_object = decided.schema.allows(Type::Object) && decided.unions.is_empty();
            if is_own || is_object {
                self.decide(&mut decided, discriminator, &values);
            }
        }
        let length = self.open.len();
        self.open.extend(flat.trail.iter().cloned());
        let at_first = scope.prefix.clone();
        for pointer in &flat.trail {
            self.first
                .entry(pointer.clone())
                .or_insert(at_first.clone());
        }
        let unions = self.shown_unions(&decided);
        view.contents = match opening_items(&decided.schema).filter(|_| unions.is_empty()) {
            Some(items) => self.contents(&items.clone(), scope),
            None => self.parts_of(&decided, &unions, scope, Some(parent)),
        };
        self.open.truncate(length);
        view
    }

    /// Gives the deciding property of a branch the values that choose the branch.
    fn decide(&mut self, branch: &mut Flat, discriminator: &Discriminator, values: &[String]) {
        let name = &discriminator.property;
        let any = Arc::new(Schema {
            pointer: format!("{}&={name}", branch.schema.pointer),
            ..Schema::default()
        });
        let property = branch.schema.property(name).unwrap_or(&any).clone();
        let constant = self.constant(&property, values);
        let schema = Arc::make_mut(&mut branch.schema);
        schema.discriminator = Some(discriminator.clone());
        schema.pointer = format!("{}&={}", schema.pointer, values.join(","));
        match schema
            .properties
            .iter_mut()
            .find(|(known, _)| known == name)
        {
            Some((_, property)) => *property = constant,
            None => schema.properties.insert(0, (name.clone(), constant)),
        }
    }

    /// The deciding property with the values that choose a branch.
    fn constant(&mut self, property: &Arc<Schema>, values: &[String]) -> Arc<Schema> {
        let flat = self.schemas.flat(property);
        let values = values.iter().cloned().map(serde_json::Value::String);
        Arc::new(Schema {
            pointer: format!("{}&{}", property.pointer, self.rows),
            values: Some(values.collect()),
            value_notes: Vec::new(),
            // They are of all branches.
            default: None,
            examples: Vec::new(),
            ..(*flat.schema).clone()
        })
    }

    /// The tabs of a chooser, all different.
    fn branch_labels(&mut self, enclosing: &Flat, union: &Union, scope: &Scope) -> Vec<String> {
        let mut labels: Vec<String> = Vec::new();
        let mut components = Vec::new();
        for (index, branch) in union.branches.iter().enumerate() {
            let flat = self.schemas.flat(branch);
            if let Some(discriminator) = &union.discriminator {
                let values = self.schemas.discriminator_values(discriminator, branch);
                // A union in a union is called by its name, not by all that is in it.
                let is_union = values.len() > 1 && !flat.unions.is_empty();
                let name = flat.schema.title.clone().or(flat.name.clone());
                if let (true, Some(name)) = (is_union, name) {
                    labels.push(name);
                    components.push(flat.component.clone());
                    continue;
                }
                if !values.is_empty() {
                    labels.push(join_values(&values));
                    components.push(flat.component.clone());
                    continue;
                }
                let message = "a branch under a discriminator has no name, so no value chooses it";
                self.schemas
                    .problem(Code::DiscriminatorInline, &branch.pointer, message);
            }
            let title = flat.schema.title.clone().or(flat.name.clone());
            let whole = self.schemas.conjoined(enclosing, branch);
            let required = self.required_alone(enclosing, &flat, scope.hidden);
            let label = title.unwrap_or_else(|| match self.label_text(&whole, scope) {
                _ if !required.is_empty() => required_label(&required),
                text if text.is_empty() || text == "object" || text == "any" => {
                    format!("Option {}", index + 1)
                }
                text => text,
            });
            components.push(flat.component.clone());
            labels.push(label);
        }
        if let Some(target) = union
            .discriminator
            .as_ref()
            .and_then(|one| one.default_mapping.as_ref())
        {
            // What a value without the property, or with another value, is of (OpenAPI 3.2, 4.25).
            let target = mapped(self.schemas.document, target);
            for (label, component) in labels.iter_mut().zip(&components) {
                if target.is_some() && *component == target {
                    label.push_str(" (default)");
                }
            }
        }
        // Components with the same title are distinguished by their names, the rest by numbers.
        let titles = labels.clone();
        for (index, label) in labels.iter_mut().enumerate() {
            let same = |other: usize| other != index && titles[other] == titles[index];
            let differs = |other: usize| components[other] != components[index];
            if (0..titles.len()).any(|other| same(other) && differs(other))
                && let Some(name) = components[index].as_deref().and_then(component_name)
            {
                *label = name;
            }
        }
        let mut unique: Vec<String> = Vec::new();
        for label in labels {
            let mut next = label.clone();
            let mut number = 1;
            while unique.contains(&next) {
                number += 1;
                next = format!("{label} ({number})");
            }
            unique.push(next);
        }
        unique
    }

    /// Conditions, and what else needs rows of its own.
    pub(super) fn blocks(&mut self, flat: &Flat, scope: &Scope) -> Vec<Block> {
        let schema = flat.schema.clone();
        let mut blocks = Vec::new();
        if let Some(condition) = &schema.condition {
            let title = self.condition_title(condition, scope);
            if let Some(then) = &schema.then {
                let view =
                    self.changed_rows(flat, then, &scope.at(&format!("{}~when", scope.prefix)));
                blocks.push(Block { title, view });
            }
            if let Some(otherwise) = &schema.otherwise {
                let at = scope.at(&format!("{}~otherwise", scope.prefix));
                let view = self.changed_rows(flat, otherwise, &at);
                let title = vec![Span::words("Otherwise:")];
                blocks.push(Block { title, view });
            }
        }
        for (name, dependent) in &schema.dependent_schemas {
            if name.is_empty() {
                let rest = self.schemas.flat(dependent);
                blocks.extend(self.blocks(&rest, scope));
                continue;
            }
            let title = vec![
                Span::words("When "),
                Span::code(name.clone()),
                Span::words(" is present:"),
            ];
            let at = scope.at(&format!("{}~with-{name}", scope.prefix));
            let view = self.changed_rows(flat, dependent, &at);
            blocks.push(Block { title, view });
        }
        if let Some(inner) = &schema.contains {
            let mut title = vec![Span::words(chips::contains(&schema))];
            let mut view = self.view(inner, &scope.at(&format!("{}~contains", scope.prefix)));
            view.annotations = self.described(inner, scope);
            if view.contents.is_empty() {
                // Nothing below it shows what it contains.
                let text = view.label.plain();
                title.extend([Span::words(" "), Span::code(text)]);
            }
            blocks.push(Block { title, view });
        }
        if let Some(inner) = &schema.content_schema {
            let title = vec![Span::words("decoded content")];
            let mut view = self.view(inner, &scope.at(&format!("{}~content", scope.prefix)));
            view.annotations = self.described(inner, scope);
            blocks.push(Block { title, view });
        }
        blocks
    }

    fn condition_title(&mut self, condition: &Arc<Schema>, scope: &Scope) -> Phrase {
        let flat = self.schemas.flat(condition);
        let mut decided = Vec::new();
        for (name, property) in &flat.schema.properties {
            let inner = self.schemas.flat(property);
            if let Some(values) = &inner.schema.values {
                let mut phrase = vec![Span::code(name.clone()), Span::words(" is ")];
                let values = values.iter().map(|value| Span::code(value.to_string()));
                phrase.extend(chips::separated(values.collect(), " or "));
                decided.push(phrase);
            }
        }
        let mut title = vec![Span::words("When ")];
        if decided.is_empty() || decided.len() < flat.schema.properties.len() {
            title.extend(self.constraint(condition, scope));
        } else {
            for (index, phrase) in decided.into_iter().enumerate() {
                if index > 0 {
                    title.push(Span::words(" and "));
                }
                title.extend(phrase);
            }
        }
        title.push(Span::words(":"));
        title
    }

    /// The rows that `added` adds to those of `flat`, or changes.
    fn changed_rows(&mut self, flat: &Flat, added: &Arc<Schema>, scope: &Scope) -> View {
        let change = self.schemas.flat(added);
        let base = &flat.schema;
        let mut view = View {
            chips: self.chips(&change, scope),
            annotations: self.described(added, scope),
            ..View::default()
        };
        if self.is_too_deep(&change, scope) || self.open_among(&change).is_some() {
            view.contents = self.contents(added, scope);
            return view;
        }
        let length = self.open.len();
        self.open.extend(change.trail.iter().cloned());
        for (name, property) in &change.schema.properties {
            let both = match base.property(name) {
                Some(own) => Schemas::all_of(&[own.clone(), property.clone()]),
                None => property.clone(),
            };
            let inner = self.schemas.flat(&both);
            if scope.hidden.hides(&inner.schema) {
                continue;
            }
            let is_required = change.schema.required.contains(name) || base.required.contains(name);
            let row = self.row(Name::Plain(name.clone()), &both, is_required, None, scope);
            view.contents.rows.push(row);
        }
        for name in &change.schema.required {
            if change.schema.property(name).is_some() {
                continue;
            }
            let any = || {
                Arc::new(Schema {
                    pointer: format!("{}&required", added.pointer),
                    ..Schema::default()
                })
            };
            let own = base.property(name).cloned().unwrap_or_else(any);
            let inner = self.schemas.flat(&own);
            if scope.hidden.hides(&inner.schema) {
                continue;
            }
            let row = self.row(Name::Plain(name.clone()), &own, true, None, scope);
            view.contents.rows.push(row);
        }
        let unions = self.shown_unions(&change);
        view.contents.choosers = self.choosers(&change, &unions, scope);
        view.contents.blocks = self.blocks(&change, scope);
        self.open.truncate(length);
        view
    }
}

/// The tab of a branch that only requires `names`; its last word is a word of the frame.
pub(crate) fn required_label(names: &[String]) -> String {
    format!("{} required", names.join(", "))
}

/// Maximum number of branches without a chooser whose constraints are shown.
const MAX_ALTERNATIVES: usize = 8;
/// Longest name of a tab that is made of the values that choose it, in bytes.
const MAX_TAB: usize = 60;

/// The values that choose a branch, as the name of its tab; the row of the deciding property has all.
fn join_values(values: &[String]) -> String {
    let all = values.join(", ");
    if all.len() <= MAX_TAB {
        return all;
    }
    let mut label = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 && label.len() + value.len() > MAX_TAB {
            return format!("{label}, +{}", values.len() - index);
        }
        label = match index {
            0 => value.clone(),
            _ => format!("{label}, {value}"),
        };
    }
    label
}

impl Scope {
    /// Chooser with another beginning of ids.
    fn at(&self, prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            ..self.clone()
        }
    }
}
