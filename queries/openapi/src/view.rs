//! Converts schemas to their views for readers: rows, choosers, blocks.

mod annotations;
mod chips;
mod choosers;
mod label;
mod pills;
mod text;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use super::direction::Direction;
use super::direction::Hidden;
use super::endpoint::{
    Contents, Elsewhere, EnumValue, LabelPart, Name, Root, Row, SHALLOW, Settings, Shared, Span,
    View, Why,
};
use super::merge::{Flat, OfUnions, Schemas, Union};
use super::operation::external_link;
use super::reference::{component_name, is_internal};
use super::schema::{Additional, Schema, Type};
use base::diagnostic::Code;

pub(super) use self::choosers::required_label;
pub(super) use self::text::{literal, meta_description, safe};

/// Maximum number of rows of a page.
const MAX_ROWS: usize = 3000;
/// Maximum number of branches of a page: their common part is shown above them, so there can be
/// many without a row.
const MAX_TABS: usize = 3000;
/// Maximum number of times that a component that is not small is shown in full.
const MAX_INLINED: u32 = 3;
/// Maximum number of rows of a small component, each of a value without rows: a link to it would be
/// as long and less informative.
const SMALL: usize = 8;
/// Maximum number of rows around each other: more cannot be read, and the renderer has a limit too.
const MAX_DEPTH: usize = 32;

/// State while the view of a page is built.
pub(super) struct Page<'a, 'd> {
    pub(super) schemas: Schemas<'a, 'd>,
    pub(super) settings: &'a Settings,
    /// Extent of the components that are shown.
    extent: Extent,
    /// Whether components with many rows are left to pages of their own.
    is_sharing: bool,
    /// Number of requests for each id; ids of elements are unique on a page.
    anchors: FxHashMap<String, u32>,
    used_anchors: FxHashSet<String>,
    rows: usize,
    tabs: usize,
    /// Number of times that each component is shown in full.
    inlined: FxHashMap<String, u32>,
    /// Id of the element where a schema is shown first.
    first: FxHashMap<Arc<str>, String>,
    /// Pointers of the schemas that enclose the current one, to detect recursion.
    open: Vec<Arc<str>>,
    /// Cache: for the unions of a schema, those that are shown as a chooser (tabs).
    chooser_unions: OfUnions<Vec<Union>>,
    /// Cache: for the unions of a schema, the branches of those without a chooser (scalars only).
    plain: OfUnions<Arc<Vec<Arc<Schema>>>>,
    /// Labels, by the pointers of their schemas and whether they are of a request.
    labels: FxHashMap<(String, bool), Vec<LabelPart>>,
    /// Number of schemas visited for the current label. `all_label_steps` counts those of the
    /// labels before it.
    label_steps: u32,
    all_label_steps: u32,
}

/// Extent of the components that a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Each in full, up to [`MAX_INLINED`] times.
    Full,
    /// Each in full, once: other occurrences link to it.
    Once,
    /// Each once, and only to the depth [`SHALLOW`].
    Shallow,
}

impl Extent {
    /// Returns the maximum depth of components.
    fn depth(self) -> usize {
        match self {
            Self::Full | Self::Once => MAX_DEPTH,
            Self::Shallow => SHALLOW,
        }
    }

    /// Returns the number of times that a component that is not small is shown.
    fn inlined(self) -> u32 {
        match self {
            Self::Full => MAX_INLINED,
            Self::Once | Self::Shallow => 1,
        }
    }
}

/// Place where a schema is shown.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// Prefix of the ids of its rows.
    pub(super) prefix: String,
    /// Number of rows above it.
    pub(super) depth: usize,
    /// Hidden properties.
    pub(super) hidden: Hidden,
    /// Whether binary content is a file to be sent.
    pub(super) is_request: bool,
}

impl Scope {
    fn nested(&self, anchor: &str) -> Self {
        Self {
            prefix: anchor.to_owned(),
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

impl<'a, 'd> Page<'a, 'd> {
    pub(super) fn new(schemas: Schemas<'a, 'd>, settings: &'a Settings) -> Self {
        Self {
            schemas,
            settings,
            extent: Extent::Full,
            is_sharing: true,
            anchors: FxHashMap::default(),
            used_anchors: FxHashSet::default(),
            rows: 0,
            tabs: 0,
            inlined: FxHashMap::default(),
            first: FxHashMap::default(),
            open: Vec::new(),
            chooser_unions: OfUnions::default(),
            plain: OfUnions::default(),
            labels: FxHashMap::default(),
            label_steps: 0,
            all_label_steps: 0,
        }
    }

    /// A page on which each component is shown once, in its place, to count rows: it ends when it has more than the
    /// settings allow. Did it leave components to pages of their own, two in each other would ask for each other.
    pub(super) fn counting(schemas: Schemas<'a, 'd>, settings: &'a Settings) -> Self {
        Self {
            extent: Extent::Once,
            is_sharing: false,
            ..Self::new(schemas, settings)
        }
    }

    /// An id of the page that nothing else has.
    pub(super) fn anchor(&mut self, name: &str) -> String {
        let name = safe(name);
        let count = self.anchors.entry(name.clone()).or_insert(0);
        loop {
            *count += 1;
            let anchor = match *count {
                1 => name.clone(),
                count => format!("{name}-{count}"),
            };
            if self.used_anchors.insert(anchor.clone()) {
                return anchor;
            }
        }
    }

    /// Returns true if an element of the page has this id.
    pub(super) fn has_anchor(&self, anchor: &str) -> bool {
        self.used_anchors.contains(anchor)
    }

    /// The schema of a body, of a response or of a model.
    pub(super) fn root(&mut self, schema: &Arc<Schema>, scope: &Scope) -> Root {
        let flat = self.schemas.flat(schema);
        if let Some(component) = &flat.component {
            let anchor = scope.prefix.clone();
            self.first.entry(Arc::from(&**component)).or_insert(anchor);
        }
        let view = self.view(schema, scope);
        let is_hidden = !flat.schema.properties.is_empty() && view.contents.is_empty();
        if flat.schema.is_never {
            let note = Some("no valid value".to_owned());
            return Root { view, note };
        }
        let note = is_hidden.then(|| match scope.hidden {
            Hidden::ReadOnly => "No writable properties".to_owned(),
            _ => "No readable properties".to_owned(),
        });
        Root { view, note }
    }

    /// Returns the view of a schema.
    pub(super) fn view(&mut self, schema: &Arc<Schema>, scope: &Scope) -> View {
        let mut view = self.outline(schema, scope);
        view.contents = self.contents(schema, scope);
        view
    }

    /// Returns the view of a schema, without its contents.
    fn outline(&mut self, schema: &Arc<Schema>, scope: &Scope) -> View {
        let flat = self.schemas.flat(schema);
        let merged = flat.schema.clone();
        let label = self.label(schema, scope);
        let mut chips = self.chips(&flat, scope);
        chips.extend(self.branch_chips(&flat, scope));
        chips.extend(self.item_chips(&flat, scope));
        let annotations = self.annotations(&flat, scope);
        // The first one is checked where it is used.
        self.check_examples(schema, 1, scope);
        let values = self.values(&flat);
        let note = flat.unresolved.as_ref();
        let note = note.map(|reference| vec![Span::code(reference.clone())]);
        let title = merged.title.clone();
        let title = title.filter(|title| *title != label.plain() && !is_internal(title));
        View {
            label,
            title,
            chips,
            note,
            default: (merged.default.as_ref())
                .map(|default| self.shown_value(schema, default, scope)),
            examples: (merged.examples.iter())
                .filter_map(|example| self.shown_example(schema, example, scope))
                .collect(),
            example_labels: Vec::new(),
            values,
            external_docs: (merged.external_docs.as_ref())
                .map(|(href, label)| external_link(href, label.as_deref())),
            annotations,
            contents: Contents::default(),
        }
    }

    /// A value of the author without what the direction hides, as it is printed.
    fn shown_value(&mut self, schema: &Arc<Schema>, value: &Value, scope: &Scope) -> String {
        let spellings = self.schemas.flat(schema).schema.spellings.clone();
        let value = self.schemas.without_hidden(schema, value, scope.hidden);
        match spellings {
            Some(all) => literal(&self.schemas.with_texts(schema, &value, Some(&all), 0)),
            None => literal(&value),
        }
    }

    /// Like [`Page::shown_value`], for an example; `None` if it is one of a base, and not of this
    /// schema.
    fn shown_example(
        &mut self,
        schema: &Arc<Schema>,
        example: &Value,
        scope: &Scope,
    ) -> Option<String> {
        let hidden = scope.hidden;
        let is_of_another = example.is_object()
            && self.schemas.is_of_member(schema, example, example, hidden)
            && !self.schemas.fits(schema, example, hidden);
        (!is_of_another).then(|| self.shown_value(schema, example, scope))
    }

    /// The schema that the items of `flat` have, in whatever arrays it is; itself where it is no array.
    fn innermost(&mut self, flat: Arc<Flat>) -> Arc<Flat> {
        let mut inner = flat;
        for _ in 0..annotations::MAX_NESTED {
            let items = opening_items(&inner.schema).filter(|_| inner.schema.values.is_none());
            let Some(items) = items.cloned() else { break };
            inner = self.schemas.flat(&items);
        }
        inner
    }

    /// The values of an enumeration, or of those that are branches of a union without a chooser; of an array those of its items.
    fn values(&mut self, flat: &Arc<Flat>) -> Vec<EnumValue> {
        let flat = self.innermost(flat.clone());
        if flat.schema.values.is_some() {
            return enum_values(&flat.schema);
        }
        let mut values: Vec<EnumValue> = Vec::new();
        for branch in self.plain_branches(&flat).iter() {
            let inner = self.schemas.flat(branch);
            let inner = self.innermost(inner);
            for value in listed_values(&inner.schema) {
                if !values.iter().any(|known| known.text == value.text) {
                    values.push(value);
                }
            }
        }
        // The label shows the only one.
        if values.len() == 1 {
            Vec::new()
        } else {
            values
        }
    }

    /// Returns the contents of a schema. An array is opened straight to its items.
    pub(super) fn contents(&mut self, schema: &Arc<Schema>, scope: &Scope) -> Contents {
        let flat = self.schemas.flat(schema);
        if let Some(pointer) = self.open_among(&flat) {
            return self.placeholder(Why::Recursive, &flat, Some(&pointer));
        }
        if self.is_bare(&flat) {
            return Contents::default();
        }
        let length = self.open.len();
        self.open.extend(flat.trail.iter().cloned());
        let contents = self.expanded(&flat, scope);
        self.open.truncate(length);
        contents
    }

    fn expanded(&mut self, flat: &Flat, scope: &Scope) -> Contents {
        let unions = self.shown_unions(flat);
        if let (Some(items), true) = (opening_items(&flat.schema), unions.is_empty()) {
            return self.contents(items, scope);
        }
        if self.is_too_deep(flat, scope) {
            return self.placeholder(Why::Deeper, flat, None);
        }
        if self.is_full() {
            let message = format!("a page shows at most {MAX_ROWS} rows; the rest is left out");
            let at = self.open.first().cloned().unwrap_or_default();
            self.schemas.problem(Code::PageRowLimit, &at, message);
            return self.placeholder(Why::Full, flat, None);
        }
        // The type of a body is shown in its place, regardless of earlier ones.
        let is_root = scope.depth == 0;
        if let Some(component) = &flat.component {
            let count = self.inlined.entry(component.clone()).or_insert(0);
            *count += 1;
            if *count > self.extent.inlined() && !is_root && !self.is_small(flat, scope) {
                return self.placeholder(Why::Repeated, flat, None);
            }
        }
        for pointer in &flat.trail {
            let anchor = scope.prefix.clone();
            self.first.entry(pointer.clone()).or_insert(anchor);
        }
        self.parts_of(flat, &unions, scope, None)
    }

    /// The rows, choosers and blocks of a schema; rows already shown above it are left out.
    fn parts_of(
        &mut self,
        flat: &Flat,
        unions: &[Union],
        scope: &Scope,
        parent: Option<&Above>,
    ) -> Contents {
        // What is required here and defined in branches is shown with each of them.
        let mut in_branches = Vec::new();
        for union in unions {
            in_branches.extend(self.schemas.required_in(flat, union));
        }
        Contents {
            rows: self.own_rows(flat, scope, parent, &in_branches),
            choosers: self.choosers(flat, unions, scope),
            blocks: self.blocks(flat, scope),
            ..Contents::default()
        }
    }

    /// The rows of an object or of a tuple, without those `parent` and without names of `in_branches` that it only requires.
    fn own_rows(
        &mut self,
        flat: &Flat,
        scope: &Scope,
        parent: Option<&Above>,
        in_branches: &[String],
    ) -> Vec<Row> {
        let schema = flat.schema.clone();
        let mut rows = Vec::new();
        let deciding = schema
            .discriminator
            .as_ref()
            .map(|one| one.property.clone());
        let mut properties: Vec<&(String, Arc<Schema>)> = schema.properties.iter().collect();
        if let Some(deciding) = &deciding {
            properties.sort_by_key(|(name, _)| name != deciding);
        }
        for (name, property) in properties {
            let is_required = schema.required.contains(name);
            if parent.is_some_and(|parent| parent.has(name, property, is_required)) {
                continue;
            }
            let inner = self.schemas.flat(property);
            if scope.hidden.hides(&inner.schema) {
                continue;
            }
            rows.push(self.row(
                Name::Plain(name.clone()),
                property,
                is_required,
                None,
                scope,
            ));
        }
        for name in &schema.required {
            let is_above = parent.is_some_and(|parent| parent.requires(name));
            if schema.property(name).is_some() || is_above || in_branches.contains(name) {
                continue;
            }
            let others = match (&schema.additional, &schema.unevaluated) {
                (Some(Additional::Schema(other)), _) | (None, Some(Additional::Schema(other))) => {
                    other.clone()
                }
                _ => Arc::new(Schema {
                    pointer: format!("{}&required", schema.pointer),
                    ..Schema::default()
                }),
            };
            let pattern = schema.pattern_properties.iter().find(|(pattern, _)| {
                let pattern = super::pattern::Pattern::new(pattern);
                pattern.is_some_and(|pattern| pattern.is_match(name) == Some(true))
            });
            let other = pattern.map_or(others, |(_, schema)| schema.clone());
            rows.push(self.row(Name::Plain(name.clone()), &other, true, None, scope));
        }
        let is_same = |one: &Option<Additional>, other: &Option<Additional>| one == other;
        let around = parent.map(|parent| &parent.schema);
        for (pattern, property) in &schema.pattern_properties {
            let is_above = |around: &Arc<Schema>| {
                let mut known = around.pattern_properties.iter();
                known.any(|(other, schema)| other == pattern && schema.pointer == property.pointer)
            };
            if around.is_some_and(is_above) {
                continue;
            }
            rows.push(self.row(Name::Pattern(pattern.clone()), property, false, None, scope));
        }
        let others = schema.additional.as_ref().or(schema.unevaluated.as_ref());
        let is_above = around.is_some_and(|around| {
            is_same(&around.additional, &schema.additional)
                && is_same(&around.unevaluated, &schema.unevaluated)
        });
        if let (Some(Additional::Schema(other)), false) = (others, is_above) {
            let name = schema.additional_name.as_deref().unwrap_or("key: string");
            rows.push(self.row(Name::Key(format!("[{name}]")), other, false, None, scope));
        }
        let is_above = around.is_some_and(|around| around.prefix_items == schema.prefix_items);
        for (index, item) in schema.prefix_items.iter().enumerate().filter(|_| !is_above) {
            rows.push(self.row(Name::Index(format!("[{index}]")), item, false, None, scope));
        }
        // Items of what is an object too have a row of their own.
        let is_row = !schema.prefix_items.is_empty()
            || opening_items(&schema).is_none() && schema.allows(Type::Array);
        let is_above = around.is_some_and(|around| around.items == schema.items);
        if let (Some(items), true, false) = (&schema.items, is_row, is_above) {
            let flat = self.schemas.flat(items);
            if !flat.schema.is_never {
                rows.push(self.row(Name::Index("[…]".to_owned()), items, false, None, scope));
            }
        }
        rows
    }

    /// A row. `container` is what the parameter or header says that the schema belongs to.
    pub(super) fn row(
        &mut self,
        name: Name,
        schema: &Arc<Schema>,
        is_required: bool,
        container: Option<&Map<String, Value>>,
        scope: &Scope,
    ) -> Row {
        self.rows += 1;
        let flat = self.schemas.flat(schema);
        let merged = &flat.schema;
        let anchor = match &name {
            Name::Plain(text) => self.anchor(&format!("{}-{text}", scope.prefix)),
            Name::Pattern(text) => self.anchor(&format!("{}-pattern-{text}", scope.prefix)),
            Name::Key(_) => self.anchor(&format!("{}-key", scope.prefix)),
            Name::Index(text) => {
                let text = text.trim_matches(['[', ']']).replace('…', "rest");
                self.anchor(&format!("{}-{text}", scope.prefix))
            }
        };
        let is_deprecated = merged.is_deprecated
            || container
                .is_some_and(|container| container.get("deprecated") == Some(&Value::Bool(true)));
        let before = self.pills_before(merged, container);
        let after = self.pills_after(&flat, is_required, is_deprecated, container);
        let description = container.and_then(|container| container.get("description")?.as_str());
        let description = description
            .or(merged.description.as_deref())
            .unwrap_or_default();
        let description = description.to_owned();
        let inner = scope.nested(&anchor);
        let mut view = self.outline(schema, &inner);
        view.contents = match self.shared(&flat, &inner) {
            Some(shared) => Contents {
                shared: Some(shared),
                ..Contents::default()
            },
            None => self.contents(schema, &inner),
        };
        // Generators give each field a title that is its name in other letters.
        let repeats = |title: &String| is_repeated(title, &name);
        view.title = view.title.filter(|title| !repeats(title));
        Row {
            anchor,
            name,
            before,
            after,
            is_required,
            is_deprecated,
            description,
            view,
        }
    }

    /// The page of its own that has what is in a row, if that is a component with many rows.
    fn shared(&mut self, flat: &Arc<Flat>, scope: &Scope) -> Option<Shared> {
        if !self.is_sharing {
            return None;
        }
        let mut flat = flat.clone();
        let mut unions = self.shown_unions(&flat);
        // An array is opened straight to its items; one of itself has no end.
        for _ in 0..MAX_DEPTH {
            // A note in its place says that it is recursive.
            if self.open_among(&flat).is_some() {
                return None;
            }
            let Some(items) = opening_items(&flat.schema).filter(|_| unions.is_empty()) else {
                break;
            };
            flat = self.schemas.flat(items);
            unions = self.shown_unions(&flat);
        }
        let pointer = flat.component.clone()?;
        let direction = Direction::of(scope.hidden, scope.is_request);
        let href = self.schemas.document.rows_href(&pointer, direction)?;
        let own = self.schemas.at(&pointer)?;
        // More can be said of it here than where it is defined.
        if !self.schemas.flat(&own).has_same_contents(&flat) {
            return None;
        }
        let schema = &flat.schema;
        let properties = schema.properties.iter().map(|(_, property)| property);
        let visible = properties.filter(|property| {
            let inner = self.schemas.flat(property);
            !scope.hidden.hides(&inner.schema)
        });
        let rows = visible.count() + schema.pattern_properties.len() + schema.prefix_items.len();
        let others = matches!(schema.additional, Some(Additional::Schema(_)));
        Some(Shared {
            pointer,
            direction,
            href,
            rows: rows + usize::from(others),
            branches: unions.first().map_or(0, |union| union.branches.len()),
        })
    }

    /// The schema on the way of `flat` that is open already.
    fn open_among(&self, flat: &Flat) -> Option<Arc<str>> {
        let open = flat
            .trail
            .iter()
            .find(|pointer| self.open.contains(pointer));
        open.cloned()
    }

    /// The page to make instead of one that became too large: with less in it, as long as there is less to show.
    pub(super) fn smaller(&self) -> Option<Self> {
        let extent = match self.extent {
            Extent::Full => Extent::Once,
            Extent::Once | Extent::Shallow => Extent::Shallow,
        };
        self.is_discarded().then(|| Self {
            extent,
            ..Self::new(Schemas::new(self.schemas.document), self.settings)
        })
    }

    /// Returns true if the page has become too large for its [`Extent`], so that it is discarded
    /// and built again with a smaller one.
    pub(super) fn is_discarded(&self) -> bool {
        let most = match self.extent {
            Extent::Full => self.settings.rows / 2,
            Extent::Once => self.settings.rows,
            Extent::Shallow => return false,
        };
        self.rows > most
    }

    /// Returns true if the page has the maximum number of rows.
    fn is_full(&self) -> bool {
        self.rows >= MAX_ROWS || self.tabs >= MAX_TABS || self.is_discarded()
    }

    /// Returns true if a schema is not shown because of the number of rows around it. An inline
    /// schema, without a name, is shown as deep as it can be rendered: there is no other place to
    /// show it.
    fn is_too_deep(&self, flat: &Flat, scope: &Scope) -> bool {
        let is_named = flat.component.is_some();
        scope.depth
            >= if is_named {
                self.extent.depth()
            } else {
                MAX_DEPTH
            }
    }

    /// Returns true if a schema has nothing to show.
    fn is_bare(&mut self, flat: &Flat) -> bool {
        let schema = &flat.schema;
        let has_rows = !schema.properties.is_empty()
            || !schema.pattern_properties.is_empty()
            || !schema.prefix_items.is_empty()
            || !schema.required.is_empty()
            || matches!(schema.additional, Some(Additional::Schema(_)))
            || matches!(schema.unevaluated, Some(Additional::Schema(_)));
        let has_blocks = schema.condition.is_some()
            || schema.contains.is_some()
            || schema.content_schema.is_some()
            || schema.items.is_some()
            || !schema.dependent_schemas.is_empty();
        !has_rows && !has_blocks && flat.unions.is_empty() && flat.base.is_none()
    }

    /// Returns true if a component has only a few rows, none of which opens.
    fn is_small(&mut self, flat: &Flat, scope: &Scope) -> bool {
        let schema = flat.schema.clone();
        let has_more = !schema.pattern_properties.is_empty()
            || !schema.prefix_items.is_empty()
            || !schema.dependent_schemas.is_empty()
            || schema.condition.is_some()
            || schema.contains.is_some()
            || schema.content_schema.is_some()
            || flat.base.is_some()
            || flat.unions.iter().any(|union| !union.branches.is_empty());
        if has_more || schema.properties.len() > SMALL {
            return false;
        }
        let members = schema.properties.iter().map(|(_, property)| property);
        let others = [&schema.additional, &schema.unevaluated];
        let others = others.into_iter().filter_map(|other| match other {
            Some(Additional::Schema(other)) => Some(other),
            _ => None,
        });
        members.chain(others).all(|member| {
            let flat = self.schemas.flat(member);
            scope.hidden.hides(&flat.schema) || self.is_scalar(&flat)
        })
    }

    fn placeholder(&mut self, why: Why, flat: &Flat, open: Option<&str>) -> Contents {
        let component = flat.component.clone();
        let model = component
            .as_ref()
            .and_then(|at| self.schemas.document.model_href(at));
        let pointers = open
            .into_iter()
            .chain(flat.trail.iter().map(|pointer| &**pointer));
        let first = pointers
            .filter_map(|pointer| self.first.get(pointer))
            .next();
        let page_href = model.or_else(|| first.map(|anchor| format!("#{anchor}")));
        let source = || self.schemas.document.address();
        let is_source = page_href.is_none();
        let href = page_href.or_else(source);
        let name = flat.name.clone();
        Contents {
            elsewhere: Some(Elsewhere {
                why,
                name: name.or_else(|| component.as_deref().and_then(component_name)),
                is_source: is_source && href.is_some(),
                href,
            }),
            ..Contents::default()
        }
    }
}

/// Returns true if `title` only repeats the name of its row: in other case, with other signs
/// between the words.
fn is_repeated(title: &str, name: &Name) -> bool {
    let letters = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    match name {
        Name::Plain(name) | Name::Key(name) => letters(title) == letters(name),
        Name::Pattern(_) | Name::Index(_) => false,
    }
}

/// Content above the branches of a union.
#[derive(Clone)]
struct Above {
    schema: Arc<Schema>,
    /// The names that it requires and that the branches define.
    in_branches: Vec<String>,
    /// Properties that the label of the branch shows as required: they have no second row for that.
    in_label: Vec<String>,
}

impl Above {
    /// Copy for a branch whose label shows `names` as required.
    fn requiring(&self, names: &[String]) -> Self {
        Self {
            in_label: names.to_vec(),
            ..self.clone()
        }
    }

    /// Whether a property is shown there, and as required as here.
    fn has(&self, name: &str, property: &Arc<Schema>, is_required: bool) -> bool {
        let other = self.schema.property(name);
        let is_same = other.is_some_and(|other| other.pointer == property.pointer);
        let mut required = self.schema.required.iter().chain(&self.in_label);
        is_same && (!is_required || required.any(|one| one == name))
    }

    /// Returns true if a required name without a property is shown there.
    fn requires(&self, name: &String) -> bool {
        self.schema.required.contains(name) && !self.in_branches.contains(name)
    }
}

/// The items that an array opens straight to; `None` if there is more to it than its items.
fn opening_items(schema: &Schema) -> Option<&Arc<Schema>> {
    let is_plain = schema.prefix_items.is_empty()
        && schema.contains.is_none()
        && schema.properties.is_empty()
        && schema.allows(Type::Array);
    schema.items.as_ref().filter(|_| is_plain)
}

/// The values of an enumeration; none where the label shows the only one.
fn enum_values(schema: &Schema) -> Vec<EnumValue> {
    let Some(values) = &schema.values else {
        return Vec::new();
    };
    if values.len() == 1 && schema.value_notes.is_empty() {
        return Vec::new();
    }
    listed_values(schema)
}

fn listed_values(schema: &Schema) -> Vec<EnumValue> {
    let values = schema
        .values
        .iter()
        .flatten()
        .enumerate()
        .map(|(index, value)| {
            let note = schema.value_notes.get(index).cloned().unwrap_or_default();
            EnumValue {
                text: literal(value),
                name: note.name,
                description: note.description.unwrap_or_default(),
            }
        });
    values.collect()
}
