//! Schema resources: what `$id` and `$dynamicAnchor` make of the references within a schema (JSON Schema 2020-12, Core, 8.2).
//!
//! A reference within a resource is turned into one that means the same anywhere in the document, once, where it is read.

use serde_json::{Map, Value};

use super::server;
use super::slice::is_data;
use base::data::pointer;

/// A schema against which the references within it are resolved: it has an `$id`, or is a component or the whole of what was
/// asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// `$id`, resolved against the resource around it; empty without one.
    pub uri: String,
    /// Pointer to it.
    pub pointer: String,
    /// `$dynamicAnchor` of its schemas, with their pointers.
    pub dynamic_anchors: Vec<(String, String)>,
}

/// Members of a document that no schema has: pointers that begin with them are meant from the top of the document.
const SECTIONS: &[&str] = &["components", "paths", "webhooks", "channels", "operations"];
/// Deepest schema that is looked into for anchors.
const MAX_DEPTH: usize = 64;

impl Resource {
    /// The resource that begins with the schema `members` at `pointer`, if it has an `$id`.
    pub fn identified(
        members: &Map<String, Value>,
        pointer: &str,
        enclosing: Option<&Self>,
    ) -> Option<Self> {
        let id = members.get("$id")?.as_str()?.trim_end_matches('#');
        // A fragment alone was an anchor up to draft 06.
        if id.is_empty() || id.contains('#') {
            return None;
        }
        let enclosing = enclosing.map_or("", |enclosing| &enclosing.uri);
        Some(Self {
            uri: resolve(id, enclosing),
            ..Self::whole(members, pointer)
        })
    }

    /// The resource that the schema `members` at `pointer` is without an `$id`.
    pub fn whole(members: &Map<String, Value>, pointer: &str) -> Self {
        let mut dynamic_anchors = Vec::new();
        let mut at = pointer.to_owned();
        if let Some(Value::String(name)) = members.get("$dynamicAnchor") {
            dynamic_anchors.push((name.clone(), at.clone()));
        }
        for key in ["$defs", "definitions"] {
            let named = members.get(key).and_then(Value::as_object);
            for (name, value) in named.into_iter().flatten() {
                at.truncate(pointer.len());
                pointer::push(&mut at, key);
                pointer::push(&mut at, name);
                add_anchors(value, &mut at, 0, &mut dynamic_anchors);
            }
        }
        Self {
            uri: String::new(),
            pointer: pointer.to_owned(),
            dynamic_anchors,
        }
    }

    /// Returns the resource around the schema at `rest` below `top`, which is at `base`; `None`
    /// where `rest` is empty.
    pub fn around(top: &Value, base: &str, rest: &str) -> Option<Self> {
        let mut value = top;
        let mut at = base.to_owned();
        let mut around: Option<Self> = None;
        for segment in pointer::segments(rest) {
            if let Value::Object(members) = value {
                let is_component =
                    at.starts_with("/components/schemas/") && at.matches('/').count() == 3;
                around = Self::identified(members, &at, around.as_ref())
                    .or_else(|| is_component.then(|| Self::whole(members, &at)))
                    .or(around);
            }
            value = match value {
                Value::Object(members) => members.get(&segment)?,
                Value::Array(items) => items.get(segment.parse::<usize>().ok()?)?,
                _ => return None,
            };
            pointer::push(&mut at, &segment);
        }
        around
    }

    /// Returns `reference` of the resource, as it is written outside of it.
    pub fn reference(&self, reference: &str) -> String {
        let (file, fragment) = match reference.split_once('#') {
            Some((file, fragment)) => (file, Some(fragment)),
            None => (reference, None),
        };
        if self.uri.is_empty() {
            return reference.to_owned();
        }
        match (file, fragment) {
            ("", None | Some("")) => format!("#{}", encoded(&self.pointer)),
            ("", Some(fragment)) if fragment.starts_with('/') => {
                let first = fragment[1..].split('/').next().unwrap_or_default();
                match SECTIONS.contains(&first) {
                    true => reference.to_owned(),
                    false => format!("#{}{fragment}", encoded(&self.pointer)),
                }
            }
            ("", Some(fragment)) => format!("{}#{fragment}", self.uri),
            (file, None) => resolve(file, &self.uri),
            (file, Some(fragment)) => format!("{}#{fragment}", resolve(file, &self.uri)),
        }
    }

    /// Returns the static target of a `$dynamicRef` of this resource, and the name of the
    /// `$dynamicAnchor` to look for in the dynamic scope. The name is `None` if the fragment is a
    /// JSON Pointer.
    pub fn dynamic_reference(&self, reference: &str) -> (String, Option<String>) {
        let name = reference.split_once('#').map(|(_, name)| name);
        let name = name.filter(|name| !name.is_empty() && !name.starts_with('/'));
        let Some(name) = name else {
            return (self.reference(reference), None);
        };
        let mut own = self.dynamic_anchors.iter();
        let own = own.find(|(known, _)| reference.starts_with('#') && known == name);
        let target = match own {
            Some((_, pointer)) => format!("#{}", encoded(pointer)),
            None => self.reference(reference),
        };
        (target, Some(name.to_owned()))
    }
}

/// Adds the names that schemas give themselves for `$dynamicRef`, up to the next resources.
fn add_anchors(value: &Value, at: &mut String, depth: usize, found: &mut Vec<(String, String)>) {
    let length = at.len();
    match value {
        Value::Object(members) if depth < MAX_DEPTH => {
            if members.contains_key("$id") {
                return;
            }
            if let Some(Value::String(name)) = members.get("$dynamicAnchor") {
                found.push((name.clone(), at.clone()));
            }
            for (key, member) in members.iter().filter(|(key, member)| !is_data(key, member)) {
                pointer::push(at, key);
                add_anchors(member, at, depth + 1, found);
                at.truncate(length);
            }
        }
        Value::Array(items) if depth < MAX_DEPTH => {
            for (index, item) in items.iter().enumerate() {
                pointer::push(at, &index.to_string());
                add_anchors(item, at, depth + 1, found);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

/// A pointer as the fragment of a reference.
fn encoded(pointer: &str) -> String {
    pointer.replace('%', "%25")
}

/// `reference` resolved against `base` (RFC 3986, 5.2), either of which may be a path without a host.
pub(super) fn resolve(reference: &str, base: &str) -> String {
    let has_scheme = |text: &str| {
        let scheme = text.split_once(':').map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| {
            !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    if base.is_empty() || has_scheme(reference) || reference.starts_with('/') && !has_scheme(base) {
        return reference.to_owned();
    }
    if base.contains("://") {
        return server::resolve(reference, base);
    }
    if has_scheme(base) {
        // A name such as that of a URN has no folder.
        return reference.to_owned();
    }
    let folder = base.rfind('/').map_or("", |at| &base[..=at]);
    let reference = reference.strip_prefix("./").unwrap_or(reference);
    format!("{folder}{reference}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_against_their_resource() {
        for (base, reference, expected) in [
            (
                "https://a.example/s/tree",
                "node",
                "https://a.example/s/node",
            ),
            ("https://a.example/s/tree", "/x", "https://a.example/x"),
            ("https://a.example/s/tree", "urn:x:y", "urn:x:y"),
            ("urn:x:tree", "node", "node"),
            ("tree", "node", "node"),
            ("s/tree", "node", "s/node"),
            ("/s/tree", "/node", "/node"),
            ("", "node", "node"),
        ] {
            assert_eq!(resolve(reference, base), expected, "{base} {reference}");
        }
        let resource = Resource {
            uri: "https://a.example/tree".to_owned(),
            pointer: "/components/schemas/Tree".to_owned(),
            dynamic_anchors: vec![("node".to_owned(), "/components/schemas/Tree".to_owned())],
        };
        for (reference, expected) in [
            ("#", "#/components/schemas/Tree"),
            ("#/$defs/a", "#/components/schemas/Tree/$defs/a"),
            ("#/components/schemas/B", "#/components/schemas/B"),
            ("#name", "https://a.example/tree#name"),
            ("other#/x", "https://a.example/other#/x"),
        ] {
            assert_eq!(resource.reference(reference), expected);
        }
        assert_eq!(
            resource.dynamic_reference("#node"),
            (
                "#/components/schemas/Tree".to_owned(),
                Some("node".to_owned())
            )
        );
    }
}
