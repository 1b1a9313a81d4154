//! Every field that a document describes is on the page of the operation, or behind a link there.
//!
//! The walker is own code: it reads the document itself, knows `$ref`, `allOf`, unions, arrays and maps, and shares nothing
//! with what draws pages. It lists the path of each field, in requests without what is read-only, in responses without what
//! is write-only, and follows a component once on a way.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use base::data::pointer::child;
use openapi::endpoint::{Contents, MediaType, Name, Row, Settings, Shared, View};
use openapi::operation::endpoint;
use openapi::plain::Plain;
use openapi::shared::{is_large, shared_rows};
use serde_json::{Map, Value};

use super::corpus::documents;
use super::operations;

/// How deep fields are listed, and how many of one body: ways through components are more than anybody counts.
const MAX_DEPTH: usize = 7;
const MAX_FIELDS: usize = 4_000;

/// A document, walked in one direction.
pub(super) struct Walker<'a> {
    pub(super) root: &'a Value,
    /// The keyword of what the direction hides, and of what keeps it there all the same.
    pub(super) hidden: [&'static str; 2],
    pub(super) fields: Vec<Vec<String>>,
    /// The descriptions of schemas on the way.
    pub(super) texts: Vec<&'a str>,
    /// The components that extend each that has a discriminator; none, if children are not followed.
    pub(super) children: BTreeMap<String, Vec<String>>,
    /// Pointers of what the document leaves out, and the paths of the fields that lead there.
    pub(super) omitted: Vec<String>,
    pub(super) links: Vec<Vec<String>>,
}

impl<'a> Walker<'a> {
    /// The object at the end of references; `None` if it leads nowhere or was met on this way.
    pub(super) fn resolved(
        &self,
        value: &'a Value,
        way: &mut Vec<String>,
    ) -> Option<&'a Map<String, Value>> {
        let mut members = value.as_object()?;
        while let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            let pointer = decoded(reference.strip_prefix('#')?);
            if way.contains(&pointer) {
                return None;
            }
            let target = self.root.pointer(&pointer)?.as_object();
            way.push(pointer);
            members = target?;
        }
        Some(members)
    }

    /// Whether the direction has no values of a schema.
    fn hides(&self, value: &'a Value, depth: usize) -> bool {
        let Some(members) = self.resolved(value, &mut Vec::new()) else {
            return false;
        };
        let says = |key: &str| {
            members.get(key) == Some(&Value::Bool(true))
                || value.get(key) == Some(&Value::Bool(true))
        };
        if says(self.hidden[0]) {
            return !says(self.hidden[1]);
        }
        let all = members.get("allOf").and_then(Value::as_array);
        let unions = ["oneOf", "anyOf"]
            .iter()
            .filter_map(|key| members.get(*key)?.as_array());
        // A union of one is what that one is.
        let alone = unions.filter(|branches| branches.len() == 1);
        let mut parts = all.into_iter().chain(alone).flatten();
        depth < 8 && parts.any(|part| self.hides(part, depth + 1))
    }

    /// Whether a reference leads to what the document leaves out.
    pub(super) fn is_omitted(&self, value: &Value) -> bool {
        let mut value = value;
        for _ in 0..16 {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
                return false;
            };
            let pointer = decoded(reference.trim_start_matches('#'));
            let within = |omitted: &String| {
                let rest = pointer.strip_prefix(omitted.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            match self.root.pointer(&pointer) {
                Some(next) => value = next,
                None => return self.omitted.iter().any(within),
            }
        }
        false
    }

    /// Lists the fields in values of a schema, below `path`.
    pub(super) fn walk(&mut self, value: &'a Value, path: &[String], way: &[String]) {
        if path.len() >= MAX_DEPTH || self.fields.len() >= MAX_FIELDS {
            return;
        }
        if self.is_omitted(value) {
            self.links.push(path.to_vec());
            return;
        }
        let mut before = way.len();
        let mut way = way.to_vec();
        let Some(members) = self.resolved(value, &mut way) else {
            return;
        };
        // Children extend what is behind the last reference.
        before = before.max(way.len().saturating_sub(1));
        for pointer in way.clone().into_iter().skip(before) {
            for child in self.children.get(&pointer).cloned().unwrap_or_default() {
                if way.contains(&child) {
                    continue;
                }
                let mut way = way.clone();
                way.push(child.clone());
                match self.root.pointer(&child) {
                    Some(child) => self.walk(child, path, &way),
                    None => self.links.push(path.to_vec()),
                }
            }
        }
        let beside = value.as_object().filter(|own| !std::ptr::eq(*own, members));
        // In 3.0 nothing counts beside a reference.
        let is_30 = self.root["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.0"));
        for members in beside.into_iter().filter(|_| !is_30).chain([members]) {
            self.members(members, path, &way);
        }
    }

    fn members(&mut self, members: &'a Map<String, Value>, path: &[String], way: &[String]) {
        let text = members.get("description").and_then(Value::as_str);
        self.texts
            .extend(text.filter(|text| !text.trim().is_empty()));
        let named = |key: &str| {
            members
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
        };
        let listed = |key: &str| {
            members
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let types: Vec<&str> = match members.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let allows = |kind: &str| types.is_empty() || types.contains(&kind);
        for (name, property) in named("properties") {
            if self.hides(property, 0) || !(property.is_object() || property.is_boolean()) {
                continue;
            }
            let path = [path, std::slice::from_ref(name)].concat();
            self.fields.push(path.clone());
            self.walk(property, &path, way);
        }
        if let Some(other) = members
            .get("additionalProperties")
            .filter(|other| other.is_object())
        {
            let path = [path, &["*".to_owned()]].concat();
            self.fields.push(path.clone());
            self.walk(other, &path, way);
        }
        if let Some(items) = members
            .get("items")
            .filter(|items| items.is_object() && allows("array"))
        {
            self.walk(items, path, way);
        }
        for part in listed("allOf") {
            self.walk(part, path, way);
        }
        for key in ["oneOf", "anyOf"] {
            for branch in listed(key) {
                // What the type beside it excludes is no branch.
                let kind = branch.get("type").and_then(Value::as_str);
                if kind.is_none_or(&allows) {
                    self.walk(branch, path, way);
                }
            }
        }
    }
}

pub(super) fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = fragment.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        let code =
            code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        rest = if code.is_some() { &tail[2..] } else { tail };
        bytes.push(code.unwrap_or(*first));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How a field is on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FieldPlace {
    Row,
    Link,
    Nowhere,
}

/// The contents of one place: those of its branches and conditions among them.
fn places<'a>(contents: &'a Contents, all: &mut Vec<&'a Contents>) {
    all.push(contents);
    for branch in contents
        .choosers
        .iter()
        .flat_map(|chooser| &chooser.branches)
    {
        places(&branch.view.contents, all);
    }
    for block in &contents.blocks {
        places(&block.view.contents, all);
    }
    // The items of a tuple, and of what is an object too, have rows.
    for row in contents
        .rows
        .iter()
        .filter(|row| matches!(row.name, Name::Index(_)))
    {
        places(&row.view.contents, all);
    }
}

/// The pages of the rows of components, each modelled once.
struct RowsPages<'a> {
    document: &'a Plain,
    known: RefCell<BTreeMap<String, Rc<Contents>>>,
}

impl RowsPages<'_> {
    /// What is on the page that a row leads to.
    fn of(&self, shared: &Shared) -> Rc<Contents> {
        let mut known = self.known.borrow_mut();
        let model = || {
            let (pointer, direction) = (&shared.pointer, shared.direction);
            let rows = shared_rows(&self.document, pointer, direction, &Settings::default());
            Rc::new(rows.expect("a component").value.root.view.contents)
        };
        known
            .entry(shared.href.clone())
            .or_insert_with(model)
            .clone()
    }
}

fn find(places: &[&Contents], path: &[String], pages: &RowsPages<'_>) -> FieldPlace {
    let Some((name, rest)) = path.split_first() else {
        return FieldPlace::Row;
    };
    let is_named = |row: &&Row| match &row.name {
        Name::Plain(text) => text == name,
        Name::Key(_) => name == "*",
        Name::Pattern(_) | Name::Index(_) => false,
    };
    let mut inner = Vec::new();
    let mut found = FieldPlace::Nowhere;
    for row in places
        .iter()
        .flat_map(|contents| &contents.rows)
        .filter(is_named)
    {
        match &row.view.contents.shared {
            None => self::places(&row.view.contents, &mut inner),
            Some(shared) => {
                let contents = pages.of(shared);
                let mut within = Vec::new();
                self::places(&contents, &mut within);
                found = found.min(find(&within, rest, pages));
            }
        }
    }
    if !inner.is_empty() {
        found = found.min(find(&inner, rest, pages));
    }
    let mut elsewhere = places
        .iter()
        .filter_map(|contents| contents.elsewhere.as_ref());
    match found {
        FieldPlace::Nowhere if elsewhere.any(|link| link.href.is_some()) => FieldPlace::Link,
        found => found,
    }
}

/// How many fields are found how, and those that are lost.
#[derive(Default)]
struct Survey {
    counts: BTreeMap<FieldPlace, usize>,
    lost: Vec<String>,
    /// How many descriptions of schemas are on their pages, and how many are not.
    told: BTreeMap<bool, usize>,
    untold: Vec<String>,
    /// How many components have a page of their rows.
    large: usize,
}

/// What is said in the contents of a page.
#[derive(Default)]
struct PageText {
    texts: Vec<String>,
    /// Whether a part of it is elsewhere, where a link leads.
    is_cut: bool,
}

impl PageText {
    fn view(&mut self, view: &View, pages: &RowsPages<'_>, depth: usize) {
        self.texts
            .extend(view.values.iter().map(|value| value.description.clone()));
        let annotations = view.annotations.iter();
        self.texts
            .extend(annotations.map(|one| one.description.clone()));
        match &view.contents.shared {
            Some(shared) if depth < 3 => {
                let contents = pages.of(shared);
                self.contents(&contents, pages, depth + 1);
            }
            Some(_) => self.is_cut = true,
            None => self.contents(&view.contents, pages, depth),
        }
    }

    fn contents(&mut self, contents: &Contents, pages: &RowsPages<'_>, depth: usize) {
        self.is_cut |= contents
            .elsewhere
            .as_ref()
            .is_some_and(|link| link.href.is_some());
        for row in &contents.rows {
            self.texts.push(row.description.clone());
            self.view(&row.view, pages, depth);
        }
        for branch in contents
            .choosers
            .iter()
            .flat_map(|chooser| &chooser.branches)
        {
            self.texts.push(branch.description.clone());
            self.view(&branch.view, pages, depth);
        }
        for block in &contents.blocks {
            self.view(&block.view, pages, depth);
        }
    }
}

impl Survey {
    /// Looks for the fields of each `every`th operation of a document.
    fn look(&mut self, file: &str, root: &Value, every: usize) {
        let mut document = Plain::new(root.clone());
        document.address = Some(format!("/{file}"));
        let schemas = root.pointer("/components/schemas");
        let names = schemas.and_then(Value::as_object).into_iter().flatten();
        let components = names.map(|(name, _)| child("/components/schemas", name));
        let large = components.filter(|at| is_large(&&document, at, &Settings::default()));
        document.large = large.collect();
        self.large += document.large.len();
        let pages = RowsPages {
            document: &document,
            known: RefCell::default(),
        };
        for pointer in operations(root).into_iter().step_by(every) {
            let Some(page) = endpoint(&&document, &pointer, &Settings::default()) else {
                continue;
            };
            let is_webhook = pointer.starts_with("/webhooks");
            let operation = root.pointer(&pointer);
            let body = page.value.body.iter().map(|body| (None, &body.media));
            let responses = page.value.responses.iter();
            let responses = responses.map(|response| (Some(&response.status), &response.media));
            for (status, media) in body.chain(responses) {
                let walk = |media: &MediaType| {
                    let mut walker = Walker {
                        root,
                        hidden: match status.is_none() != is_webhook {
                            true => ["readOnly", "writeOnly"],
                            false => ["writeOnly", "readOnly"],
                        },
                        fields: Vec::new(),
                        texts: Vec::new(),
                        children: BTreeMap::new(),
                        omitted: Vec::new(),
                        links: Vec::new(),
                    };
                    let holder = match status {
                        None => operation?.get("requestBody")?,
                        Some(status) => operation?.get("responses")?.get(status)?,
                    };
                    let holder = walker.resolved(holder, &mut Vec::new())?;
                    let schema = holder.get("content")?.get(&media.name)?.get("schema")?;
                    walker.walk(schema, &[], &[]);
                    Some((walker.fields, walker.texts))
                };
                for media in media {
                    let (Some((fields, texts)), Some(shown)) = (walk(media), &media.root) else {
                        continue;
                    };
                    let mut told = PageText::default();
                    told.view(&shown.view, &pages, 0);
                    for text in texts {
                        let is_there = told.texts.iter().any(|shown| shown.contains(text.trim()));
                        *self.told.entry(is_there || told.is_cut).or_default() += 1;
                        if !is_there && !told.is_cut {
                            let place = status.map_or("body", String::as_str);
                            self.untold
                                .push(format!("{file} {pointer} {place} {text:?}"));
                        }
                    }
                    let mut all = Vec::new();
                    places(&shown.view.contents, &mut all);
                    for path in fields {
                        let found = find(&all, &path, &pages);
                        *self.counts.entry(found).or_default() += 1;
                        if found == FieldPlace::Nowhere {
                            let path = path.join(".");
                            let place = status.map_or("body", String::as_str);
                            self.lost.push(format!("{file} {pointer} {place} {path}"));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_field_and_description_of_the_corpus_is_on_its_page() {
    let mut survey = Survey::default();
    for entry in documents() {
        let Some(root) = entry.root.filter(|_| entry.is_ok) else {
            continue;
        };
        let every = if cfg!(debug_assertions) { 3 } else { 1 };
        survey.look(&entry.file, &root, every);
    }
    let Survey {
        counts,
        lost,
        told,
        untold,
        large,
    } = survey;
    assert!(large > 100, "{large}");
    println!("{counts:?}");
    if std::env::var_os("QUIRE_VERBOSE").is_some() {
        println!("{}", lost.join("\n"));
    }
    assert_eq!(lost.len(), 0, "{:#?}", &lost[..lost.len().min(20)]);
    println!("descriptions of schemas: {told:?}");
    assert!(
        told.get(&true).is_some_and(|count| *count > 10_000),
        "{told:?}"
    );
    assert_eq!(untold.len(), 0, "{:#?}", &untold[..untold.len().min(40)]);
}

/// Where fields were lost before, and where they are hidden.
#[test]
fn every_field_of_composed_schemas_is_on_its_page() {
    let item = "{type: object, properties: {z: {type: object, properties: {y: {type: string}}}}}";
    for (schema, count) in [
        (format!("{{type: array, items: {item}, anyOf: [{{minItems: 1}}, {{maxItems: 0}}]}}"), 4),
        (format!("{{allOf: [{{type: array, items: {item}}}, {{anyOf: [{{type: object}}, {{type: array}}]}}]}}"), 4),
        (format!("{{type: [object, array], properties: {{a: {{type: string}}}}, items: {item}}}"), 6),
        (format!("{{oneOf: [{{type: array, items: {item}}}, {{type: object, additionalProperties: {item}}}]}}"), 10),
        ("{required: [id], oneOf: [{properties: {id: {readOnly: true}, a: {}}}, {properties: {b: {writeOnly: true}, id: {}}}]}".to_owned(), 6),
    ] {
        let document = super::both_ways("3.1.0", "{}", &schema);
        let mut survey = Survey::default();
        survey.look("x", document.root(), 1);
        assert_eq!(survey.lost, <[String; 0]>::default(), "{schema}");
        assert_eq!(survey.counts.values().sum::<usize>(), count, "{schema}");
    }
    // The walker sees what is missing.
    let shown = super::both_ways(
        "3.1.0",
        "{}",
        "{type: object, properties: {a: {type: string}}}",
    );
    let page = super::page(&shown, super::seen::POST);
    let contents = &page.value.body.as_ref().unwrap().media[0]
        .root
        .as_ref()
        .unwrap()
        .view
        .contents;
    let pages = RowsPages {
        document: &shown,
        known: RefCell::default(),
    };
    let found = |name: &str| find(&[contents], &[name.to_owned()], &pages);
    assert_eq!(
        (found("a"), found("b")),
        (FieldPlace::Row, FieldPlace::Nowhere)
    );
}
