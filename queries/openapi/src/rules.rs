//! Rules of OpenAPI that a document can break without being unreadable.

use serde_json::Value;

use super::index::Method;
use base::data::pointer;
use base::diagnostic::{Code, Diagnostic};

/// The rules that one slice can break by itself. `key` is its pointer.
pub fn broken_rules(key: &str, value: &Value) -> Vec<Diagnostic<String>> {
    let mut found = Vec::new();
    if let Some(name) = component_name(key) {
        let is_free = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if !name.chars().all(is_free) {
            found.push(Diagnostic {
                code: Code::InvalidOpenapi,
                place: key.to_owned(),
                message: format!("`{name}` is not a name that a component can have"),
                hint: Some(
                    "names of components consist of letters, digits, `.`, `_` and `-`".to_owned(),
                ),
            });
        }
    }
    for (at, operation) in operations(key, value) {
        found.extend(bound_metadata(&at, operation));
    }
    discriminators(value, &mut key.to_owned(), &mut found);
    found
}

/// The operations that a slice holds, with their pointers: it is one, or a path item that others refer to.
fn operations<'v>(key: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    let segments: Vec<String> = pointer::segments(key).collect();
    match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["paths" | "webhooks", _, member] if Method::of(member).is_some() => {
            vec![(key.to_owned(), value)]
        }
        ["components", "pathItems", _] => {
            let members = value.as_object().into_iter().flatten();
            let members = members.filter(|(member, _)| Method::of(member).is_some());
            members
                .map(|(member, operation)| (pointer::child(key, member), operation))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The `openapi` of an operation's metadata: it would name the operation of the page, which is this one.
fn bound_metadata(at: &str, operation: &Value) -> Option<Diagnostic<String>> {
    let docs = ["x-docs", "x-mint"];
    let docs = docs.into_iter().find(|key| operation.get(key).is_some())?;
    operation.get(docs)?.get("metadata")?.get("openapi")?;
    Some(Diagnostic {
        code: Code::MetadataOpenapi,
        place: format!("{at}/{docs}/metadata/openapi"),
        message: "the page is that of this operation; `openapi` in its metadata is ignored"
            .to_owned(),
        hint: Some("leave it out, or write a page of your own with `openapi:`".to_owned()),
    })
}

fn component_name(key: &str) -> Option<String> {
    let mut segments = pointer::segments(key);
    if segments.next()? != "components" {
        return None;
    }
    segments.nth(1)
}

fn discriminators(value: &Value, at: &mut String, found: &mut Vec<Diagnostic<String>>) {
    match value {
        Value::Object(members) => {
            let is_schema = ["type", "properties", "oneOf", "anyOf", "allOf", "$ref"];
            let is_schema = is_schema.iter().any(|key| members.contains_key(*key));
            for (key, member) in members {
                if key == "discriminator" && is_schema && !member.is_object() {
                    found.push(Diagnostic {
                        code: Code::InvalidOpenapi,
                        place: pointer::child(at, key),
                        message: "a discriminator is an object".to_owned(),
                        hint: Some("write `discriminator: { propertyName: … }`".to_owned()),
                    });
                }
                let is_data = matches!(key.as_str(), "example" | "examples" | "default" | "enum");
                if !is_data && (member.is_object() || member.is_array()) {
                    let length = at.len();
                    *at = pointer::child(at, key);
                    discriminators(member, at, found);
                    at.truncate(length);
                }
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let length = at.len();
                *at = pointer::item(at, i);
                discriminators(item, at, found);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

/// The references of a slice, each by the pointer of its first `$ref`: what [`references_in`] finds, with places.
///
/// [`references_in`]: super::document::references_in
pub fn references_at(key: &str, value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    references(value, &mut key.to_owned(), false, &mut |at, reference| {
        if seen.insert(reference.to_owned()) {
            found.push((at.to_owned(), reference.to_owned()));
        }
    });
    found
}

fn references(value: &Value, at: &mut String, is_named: bool, see: &mut dyn FnMut(&str, &str)) {
    let length = at.len();
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if let (Value::String(reference), "$ref", false) = (member, key.as_str(), is_named)
                {
                    see(&pointer::child(at, key), reference);
                    continue;
                }
                // What the author's own data says is not followed.
                let is_data = matches!(
                    key.as_str(),
                    "example" | "default" | "const" | "enum" | "value"
                ) || key.starts_with("x-");
                if (is_data && !is_named) || !(member.is_object() || member.is_array()) {
                    continue;
                }
                let is_map = matches!(
                    key.as_str(),
                    "properties" | "patternProperties" | "$defs" | "dependentSchemas"
                );
                *at = pointer::child(at, key);
                references(member, at, is_map && !is_named, see);
                at.truncate(length);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                *at = pointer::item(at, i);
                references(item, at, false, see);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

/// The parameters that a path names in braces.
pub fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_read_out_of_paths() {
        let found: Vec<&str> = placeholders("/a/{b}/c-{d}.{e}/{").collect();
        assert_eq!(found, ["b", "d", "e"]);
    }
}
