//! Projections of a part of a document: names that its schemas give themselves, and references.

use std::collections::{BTreeMap, BTreeSet};

use base::data::pointer;
use serde_json::Value;

use super::resource::Resource;

/// The names that schemas of a slice give themselves, with the pointers of those schemas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchors {
    /// `$anchor` and `$dynamicAnchor`, by themselves and behind the `$id` of their resource.
    pub anchors: BTreeMap<String, String>,
    /// `$id` without an empty fragment, as written and resolved against the resource around it.
    pub ids: BTreeMap<String, String>,
}

/// Returns the names within `value` at `base`. The first of several equal names counts.
pub fn anchors_in(value: &Value, base: &str) -> Anchors {
    let mut found = Anchors::default();
    collect_anchors(value, &mut base.to_owned(), false, None, &mut found);
    found
}

fn collect_anchors(
    value: &Value,
    pointer: &mut String,
    is_named: bool,
    enclosing: Option<&Resource>,
    found: &mut Anchors,
) {
    match value {
        Value::Object(members) => {
            let own = match is_named {
                true => None,
                false => Resource::identified(members, pointer, enclosing),
            };
            if let Some(own) = &own {
                found.ids.entry(own.uri.clone()).or_insert(pointer.clone());
            }
            let enclosing = own.as_ref().or(enclosing);
            for (key, member) in members {
                if let (Value::String(name), true, false) = (member, key.starts_with('$'), is_named)
                {
                    match key.as_str() {
                        "$anchor" | "$dynamicAnchor" => {
                            if let Some(enclosing) = enclosing {
                                let name = format!("{}#{name}", enclosing.uri);
                                found.anchors.entry(name).or_insert(pointer.clone());
                            }
                            found.anchors.entry(name.clone()).or_insert(pointer.clone());
                        }
                        "$id" => {
                            let id = name.trim_end_matches('#').to_owned();
                            found.ids.entry(id).or_insert(pointer.clone());
                        }
                        _ => {}
                    }
                } else if (is_named || !is_data(key, member))
                    && (member.is_object() || member.is_array())
                {
                    let length = pointer.len();
                    *pointer = pointer::child(pointer, key);
                    let is_map = has_free_names(key) && !is_named;
                    collect_anchors(member, pointer, is_map, enclosing, found);
                    pointer.truncate(length);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let length = pointer.len();
                *pointer = pointer::item(pointer, index);
                collect_anchors(item, pointer, false, enclosing, found);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

/// Returns true if the value of `key` is the author's data, in which `$ref` is an ordinary name.
///
/// `examples` of a schema are a list of data, all others have names and may be references.
pub(crate) fn is_data(key: &str, member: &Value) -> bool {
    match key {
        "example" | "default" | "const" | "enum" | "value" | "dataValue" => true,
        "examples" => member.is_array(),
        _ => key.starts_with("x-"),
    }
}

/// Returns true if the members of `key` have free names: one may be called `example`, `default` or
/// `$ref`.
pub(crate) fn has_free_names(key: &str) -> bool {
    matches!(
        key,
        "properties"
            | "patternProperties"
            | "$defs"
            | "definitions"
            | "dependentSchemas"
            | "responses"
            | "headers"
            | "content"
            | "examples"
            | "links"
            | "callbacks"
            | "encoding"
    )
}

/// References of the component at `pointer`, or of its `allOf`: to its bases, or to what it is an alias of. They mean the same
/// outside of it.
pub fn allof_targets(schema: &Value, pointer: &str) -> Vec<String> {
    let own = schema.as_object();
    let own = own.and_then(|members| Resource::identified(members, pointer, None));
    let members = schema.get("allOf").and_then(Value::as_array);
    let references = members
        .into_iter()
        .flatten()
        .chain(std::iter::once(schema))
        .filter_map(|member| member.get("$ref")?.as_str());
    let whole = |reference: &str| match &own {
        Some(own) => own.reference(reference),
        None => reference.to_owned(),
    };
    references.map(whole).collect()
}

/// Every `$ref` and `$dynamicRef` within `value` as written, sorted, each once. Examples and other data do not count.
pub fn references_in(value: &Value) -> Vec<String> {
    let mut found = BTreeSet::new();
    collect_references(value, false, &mut found);
    found.into_iter().collect()
}

fn collect_references(value: &Value, is_named: bool, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                // A text among free names can only be meant as a reference: of `content`, of `responses`.
                if let (Value::String(reference), "$ref" | "$dynamicRef") = (member, key.as_str()) {
                    found.insert(reference.clone());
                } else if is_named || !is_data(key, member) {
                    collect_references(member, has_free_names(key) && !is_named, found);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_references(item, false, found);
            }
        }
        _ => {}
    }
}

/// Returns the pointer in a fragment (the text after `#`): `%` escapes are decoded, those of
/// pointers stay.
pub fn decode_fragment(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%')
            .then(|| fragment.get(at + 1..at + 3))
            .flatten();
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| fragment.to_owned())
}
