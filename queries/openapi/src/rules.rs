//! Parts of a document that are not read, and its references. Rules that it breaks are checked
//! elsewhere (`queries/lint`).

use serde_json::Value;

use super::index::{Method, OTHERS};
use super::resource::Resource;
use super::slice::{has_free_names, is_data};
use base::data::pointer;
use base::diagnostic::{Code, Diagnostic};

/// Returns the parts of one slice that its pages ignore. `key` is its pointer.
pub fn ignored(key: &str, value: &Value) -> Vec<Diagnostic<String>> {
    let operations = operations(key, value).into_iter();
    operations
        .filter_map(|(at, operation)| bound_metadata(&at, operation))
        .collect()
}

/// The operations that a slice holds, with their pointers: it is one, or a path item that others refer to.
fn operations<'v>(key: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    let segments: Vec<String> = pointer::segments(key).collect();
    match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["paths" | "webhooks", _, member] if Method::of(member).is_some() => {
            vec![(key.to_owned(), value)]
        }
        ["paths" | "webhooks", _, OTHERS] => {
            let members = value.as_object().into_iter().flatten();
            members
                .map(|(member, operation)| (pointer::child(key, member), operation))
                .collect()
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
    let place = format!("{at}/{docs}/metadata/openapi");
    let message = "the page is that of this operation; `openapi` in its metadata is ignored";
    let ignored = Diagnostic::new(Code::MetadataOpenapi, place, message);
    Some(ignored.hint("leave it out, or write a page of your own with `openapi:`"))
}

/// The references of a slice, each by the pointer of its first `$ref`: what [`references_in`] finds, with places. Those within a
/// schema with an `$id` are as they would be written outside of it.
///
/// [`references_in`]: super::slice::references_in
pub fn references_at(key: &str, value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if is_extension(key) {
        return found;
    }
    let mut seen = std::collections::HashSet::new();
    let mut see = |at: &str, reference: String| {
        if seen.insert(reference.clone()) {
            found.push((at.to_owned(), reference));
        }
    };
    references(value, &mut key.to_owned(), false, None, &mut see);
    found
}

/// Returns true if the slice at `key` is an extension of the document, of `components`, of a
/// section of it, or of a path item: data of the author's (OpenAPI 3.1, 4.9). Names of components
/// and channels are free.
fn is_extension(key: &str) -> bool {
    let segments: Vec<String> = pointer::segments(key).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match segments[..] {
        [first, ..] if first.starts_with("x-") => true,
        ["components", section, ..] => section.starts_with("x-"),
        ["paths", path, ..] if path.starts_with("x-") => true,
        ["paths" | "webhooks", _, member, ..] => member.starts_with("x-"),
        _ => false,
    }
}

fn references(
    value: &Value,
    at: &mut String,
    is_named: bool,
    enclosing: Option<&Resource>,
    see: &mut dyn FnMut(&str, String),
) {
    let length = at.len();
    match value {
        Value::Object(members) => {
            let own = match is_named {
                true => None,
                false => Resource::identified(members, at, enclosing),
            };
            let enclosing = own.as_ref().or(enclosing);
            for (key, member) in members {
                // A map of media types or of responses has no reference; one that is written all the same is followed.
                let is_map = at.ends_with("/content") || at.ends_with("/responses");
                if let (Value::String(reference), "$ref", true) =
                    (member, key.as_str(), !is_named || is_map)
                {
                    let reference = match enclosing {
                        Some(enclosing) => enclosing.reference(reference),
                        None => reference.clone(),
                    };
                    see(&pointer::child(at, key), reference);
                    continue;
                }
                // References in the author's own data are not followed.
                if (is_data(key, member) && !is_named) || !(member.is_object() || member.is_array())
                {
                    continue;
                }
                *at = pointer::child(at, key);
                references(member, at, has_free_names(key) && !is_named, enclosing, see);
                at.truncate(length);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                *at = pointer::item(at, i);
                references(item, at, false, enclosing, see);
                at.truncate(length);
            }
        }
        _ => {}
    }
}
