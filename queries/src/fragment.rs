//! The part of a specification that one page is about, as a document of its own: what is documented, with the components
//! that it refers to.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use crate::db::Db;
use crate::inputs::Spec;
use crate::openapi::{Operation, SpecNode, channel_operations, operation_place, value_at};
use base::data::pointer;
use openapi::channel::name_of;
use openapi::document::{decode_fragment, references_in};
use openapi::index::OTHERS;

/// Most bytes of components, as JSON, that a fragment holds for whoever asks for one operation.
pub(crate) const MAX_COMPONENTS: usize = 48 * 1024;

/// Members of an operation that say how it is drawn, which the page has shown.
const DRAWN: &[&str] = &[
    "x-docs",
    "x-mint",
    "x-codeSamples",
    "x-code-samples",
    "x-readme",
];

/// A part of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Path or address of the specification.
    pub spec: String,
    /// What is documented and the components that it reaches, where a document has them.
    pub value: Value,
    /// Pointers of the components that it reaches and that are too large to be in it.
    pub omitted: Vec<String>,
}

impl Fragment {
    fn of(
        db: &dyn Db,
        spec: Spec,
        top: Vec<(&str, Value)>,
        named: BTreeSet<String>,
        most: usize,
    ) -> Self {
        let mut value = Map::new();
        let mut open: VecDeque<String> = named.into_iter().collect();
        for (key, part) in top {
            open.extend(components_of(&part));
            value.insert(key.to_owned(), part);
        }
        let (mut seen, mut room) = (BTreeSet::new(), most);
        let (mut components, mut omitted) = (Map::new(), Vec::new());
        while let Some(key) = open.pop_front() {
            if !seen.insert(key.clone()) {
                continue;
            }
            let Some(component) = value_at(db, spec, &key) else {
                continue;
            };
            let size = component.to_string().len();
            if size > room {
                omitted.push(key);
                continue;
            }
            room -= size;
            open.extend(components_of(component));
            put(&mut components, &key, component.clone());
        }
        if let Some(inner) = components.remove("components") {
            // What documents itself stands with what it needs.
            match value.get_mut("components") {
                Some(own) => merge(own, inner),
                None => {
                    value.insert("components".to_owned(), inner);
                }
            }
        }
        Self {
            spec: spec.name(db).to_string(),
            value: Value::Object(value),
            omitted,
        }
    }
}

/// The fragment of an operation, a webhook or a channel: its path item with what that says of all its operations, the security
/// schemes that it names, and the components that it reaches, `most` bytes of them as JSON. `None` if it is gone.
pub fn operation_fragment(db: &dyn Db, operation: Operation, most: usize) -> Option<Fragment> {
    let (spec, key) = (operation.spec(db), operation.key(db));
    let place = operation_place(db, operation).clone()?;
    if let Some(name) = name_of(key) {
        return channel_fragment(db, operation, &name, &place, most);
    }
    let mut own = value_at(db, spec, &place)?.clone();
    if let Value::Object(members) = &mut own {
        members.retain(|name, _| !DRAWN.contains(&name.as_str()));
    }
    let (item, method) = key.rsplit_once('/')?;
    let mut segments = pointer::segments(item);
    let (kind, path) = (segments.next()?, segments.next()?);
    let mut schemes = BTreeSet::new();
    let security = own.get("security");
    let security = security
        .or_else(|| value_at(db, spec, "/security"))
        .cloned();
    for alternative in security.iter().filter_map(Value::as_array).flatten() {
        let names = alternative.as_object().into_iter().flatten();
        schemes.extend(names.map(|(name, _)| pointer::child("/components/securitySchemes", name)));
    }
    let mut members = Map::new();
    for shared in ["parameters", "servers"] {
        if let Some(value) = value_at(db, spec, &pointer::child(item, shared)) {
            members.insert(shared.to_owned(), value.clone());
        }
    }
    let is_other = place.rsplit('/').nth(1) == Some(OTHERS);
    match is_other {
        true => members.insert(OTHERS.to_owned(), json!({ method: own })),
        false => members.insert(method.to_owned(), own),
    };
    let mut paths = Map::new();
    paths.insert(path, Value::Object(members));
    let mut top = Vec::new();
    if let Some(servers) = value_at(db, spec, "/servers") {
        top.push(("servers", servers.clone()));
    }
    let kind = match kind.as_str() {
        "webhooks" => "webhooks",
        _ => "paths",
    };
    top.push((kind, Value::Object(paths)));
    Some(Fragment::of(db, spec, top, schemes, most))
}

/// The fragment of a channel: itself, the operations on it, the servers, and the components that these reach.
fn channel_fragment(
    db: &dyn Db,
    channel: Operation,
    name: &str,
    place: &str,
    most: usize,
) -> Option<Fragment> {
    let (spec, key) = (channel.spec(db), channel.key(db));
    let without_drawn = |pointer: &str| {
        let mut value = value_at(db, spec, pointer)?.clone();
        if let Value::Object(members) = &mut value {
            members.retain(|name, _| !DRAWN.contains(&name.as_str()));
        }
        Some(value)
    };
    let own = without_drawn(place)?;
    let mut operations = Map::new();
    for at in [key.as_str(), place] {
        let node = SpecNode::new(db, spec, at.to_owned());
        for pointer in channel_operations(db, node) {
            let name = pointer::segments(pointer).last();
            operations.extend(name.zip(without_drawn(pointer)));
        }
    }
    let mut top = Vec::new();
    if let Some(servers) = value_at(db, spec, "/servers") {
        top.push(("servers", servers.clone()));
    }
    top.push(("channels", json!({ name: own })));
    if !operations.is_empty() {
        top.push(("operations", Value::Object(operations)));
    }
    Some(Fragment::of(db, spec, top, BTreeSet::new(), most))
}

/// The fragment of a component, such as a data model, with the components that it reaches, `most` bytes of them as JSON; `None`
/// if it is gone.
pub fn component_fragment(db: &dyn Db, node: SpecNode, most: usize) -> Option<Fragment> {
    let (spec, key) = (node.spec(db), node.pointer(db));
    let own = value_at(db, spec, key)?;
    let mut top = Map::new();
    put(&mut top, key, own.clone());
    let components = top.remove("components")?;
    let top = vec![("components", components)];
    let mut fragment = Fragment::of(db, spec, top, BTreeSet::new(), most);
    fragment.omitted.retain(|omitted| omitted != key);
    Some(fragment)
}

/// The pointers of the components that `named` reach, these among them, in their order.
pub(crate) fn reached(db: &dyn Db, spec: Spec, named: BTreeSet<String>) -> BTreeSet<String> {
    let mut open: Vec<String> = named.into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(key) = open.pop() {
        if let Some(component) = value_at(db, spec, &key)
            && seen.insert(key)
        {
            open.extend(components_of(component));
        }
    }
    seen
}

/// The pointers of the components that `value` refers to.
fn components_of(value: &Value) -> Vec<String> {
    let references = references_in(value).into_iter();
    let references = references.filter_map(|reference| {
        let pointer = decode_fragment(reference.strip_prefix('#')?);
        let rest = pointer.strip_prefix("/components/")?;
        let mut ends = rest.match_indices('/').map(|(at, _)| at);
        let end = ends.nth(1).unwrap_or(rest.len());
        Some(format!("/components/{}", &rest[..end]))
    });
    references.collect()
}

/// Puts `value` at `pointer` below `members`.
pub(crate) fn put(members: &mut Map<String, Value>, pointer: &str, value: Value) {
    let segments: Vec<String> = pointer::segments(pointer).collect();
    let Some((last, above)) = segments.split_last() else {
        return;
    };
    let mut at = members;
    for segment in above {
        let below = at
            .entry(segment.clone())
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(below) = below else {
            return;
        };
        at = below;
    }
    at.insert(last.clone(), value);
}

/// Adds the members of `more` to `value`; what is there stays.
fn merge(value: &mut Value, more: Value) {
    let (Value::Object(members), Value::Object(more)) = (value, more) else {
        return;
    };
    for (key, inner) in more {
        match members.get_mut(&key) {
            Some(own) => merge(own, inner),
            None => {
                members.insert(key, inner);
            }
        }
    }
}
