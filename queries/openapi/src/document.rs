//! Access to a document: small questions with small answers, so that a page records exactly what it
//! reads.
//!
//! [`Plain`] answers them from a document in memory. Where documents are cut into slices the answers come from them;
//! the projections of one slice ([`anchors_in`], [`allof_targets`], [`references_in`]) are here as plain functions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::model::Direction;
use super::reference::placed;
use super::resource::Resource;
use super::schema::{self, Schema};
use base::data::pointer;

/// The dialect that a document is read with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// OpenAPI 3.0: its own dialect of schemas.
    V30,
    /// OpenAPI 3.1 and what came after: JSON Schema 2020-12.
    V31,
}

impl Version {
    /// Returns the version in the `openapi` field; `None` if it is not supported.
    pub fn of(text: &str) -> Option<Self> {
        if text == "3.0" || text.starts_with("3.0.") {
            Some(Self::V30)
        } else {
            (text == "3" || text.starts_with("3.")).then_some(Self::V31)
        }
    }
}

/// Name of an operation in a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OperationName {
    /// Its `operationId`.
    Id(String),
    /// Its pointer, such as `/paths/~1users/get`.
    Pointer(String),
}

/// A document, as far as a page needs to know it.
///
/// Pointers are RFC 6901 (`~1`, `~0`), without percent-encoding. Only members are asked for, never the whole document or a
/// whole path item: `/paths/~1users/get`, `/paths/~1users/parameters`, `/servers`.
pub trait Document<'d> {
    /// The dialect of the document.
    fn version(&self) -> Version;

    /// The value at a pointer.
    fn value(&self, pointer: &str) -> Option<&'d Value>;

    /// The schema at a pointer, normalised. Implementors call [`schema::parse`] and keep the answer.
    fn schema(&self, pointer: &str) -> Option<Arc<Schema>>;

    /// The pointer of the schema with this `$anchor` or `$dynamicAnchor`; of one within a resource
    /// also by its absolute URL, `https://example.com/tree#node`.
    fn anchor(&self, name: &str) -> Option<String>;

    /// The pointer of the schema with this `$id`, as written or resolved against the resource around it.
    fn identified(&self, id: &str) -> Option<String>;

    /// The components that refer to the schema at `pointer` themselves or in their `allOf`, in the order of the document.
    fn subtypes(&self, pointer: &str) -> Vec<String>;

    /// The address of the document itself, if readers can get it.
    fn address(&self) -> Option<String>;

    /// The address that relative ones of the document are relative to: where it was fetched from or where the site serves it;
    /// its path alone where the address of the site is not known.
    fn base(&self) -> String;

    /// The address of the page of the data model at `pointer`, if there is one.
    fn model_href(&self, pointer: &str) -> Option<String>;

    /// The address of the page of an operation; `None` if the document has no such operation or it has no page.
    fn operation_href(&self, operation: &OperationName) -> Option<String>;

    /// The pointers of the operations on the channel at `pointer` (AsyncAPI), in the order of the document.
    fn channel_operations(&self, pointer: &str) -> Vec<String>;

    /// The address of the page with the rows of the component at `pointer`, if they are too many for each page that shows
    /// it ([`super::shared::is_large`]).
    fn rows_href(&self, pointer: &str, direction: Direction) -> Option<String>;
}

/// A document in memory.
#[derive(Clone, Debug)]
pub struct Plain {
    version: Version,
    root: Value,
    anchors: Anchors,
    subtypes: BTreeMap<String, Vec<String>>,
    /// References by other names than pointers, with the components that extend what they name.
    named_bases: Vec<(String, String)>,
    /// Addresses of data models by pointer.
    pub models: BTreeMap<String, String>,
    /// Addresses of operations.
    pub operations: BTreeMap<OperationName, String>,
    /// The address of the document.
    pub address: Option<String>,
    /// The address that relative ones are relative to; the root of an unknown site when empty.
    pub base: String,
    /// The components whose rows have a page of their own.
    pub large: BTreeSet<String>,
}

impl Plain {
    /// Indexes `root`; a document without a version that can be read is taken for 3.1.
    pub fn new(root: Value) -> Self {
        let version = root.get("openapi").and_then(Value::as_str);
        let version = version.and_then(Version::of).unwrap_or(Version::V31);
        let anchors = anchors_in(&root, "");
        let mut subtypes = BTreeMap::<String, Vec<String>>::new();
        let mut named_bases = Vec::new();
        let schemas = root
            .pointer("/components/schemas")
            .and_then(Value::as_object);
        for (name, schema) in schemas.into_iter().flatten() {
            let pointer = pointer::child("/components/schemas", name);
            for reference in allof_targets(schema, &pointer) {
                match reference.strip_prefix("#/") {
                    Some(target) => {
                        let target = format!("/{}", decode_fragment(target));
                        subtypes.entry(target).or_default().push(pointer.clone());
                    }
                    None => named_bases.push((reference, pointer.clone())),
                }
            }
        }
        Self {
            version,
            root,
            anchors,
            subtypes,
            named_bases,
            models: BTreeMap::new(),
            operations: BTreeMap::new(),
            address: None,
            base: String::new(),
            large: BTreeSet::new(),
        }
    }

    /// The document itself.
    pub fn root(&self) -> &Value {
        &self.root
    }
}

impl<'d> Document<'d> for &'d Plain {
    fn version(&self) -> Version {
        self.version
    }

    fn value(&self, pointer: &str) -> Option<&'d Value> {
        self.root.pointer(pointer)
    }

    fn schema(&self, pointer: &str) -> Option<Arc<Schema>> {
        let value = self.root.pointer(pointer)?;
        let around = Resource::around(&self.root, "", pointer);
        let around = around.as_ref();
        Some(schema::parse_within(self.version, value, pointer, around))
    }

    fn anchor(&self, name: &str) -> Option<String> {
        self.anchors.anchors.get(name).cloned()
    }

    fn identified(&self, id: &str) -> Option<String> {
        self.anchors.ids.get(id).cloned()
    }

    fn subtypes(&self, pointer: &str) -> Vec<String> {
        let own = self.root.get("$self").and_then(Value::as_str);
        let own = || own.unwrap_or(&self.base).to_owned();
        let of_base = |(reference, _): &&(String, String)| {
            placed(&self.anchors, reference, own).as_deref() == Some(pointer)
        };
        let named = self.named_bases.iter().filter(of_base);
        let mut found = self.subtypes.get(pointer).cloned().unwrap_or_default();
        found.extend(named.map(|(_, child)| child.clone()));
        found
    }

    fn address(&self) -> Option<String> {
        self.address.clone()
    }

    fn base(&self) -> String {
        self.base.clone()
    }

    fn model_href(&self, pointer: &str) -> Option<String> {
        self.models.get(pointer).cloned()
    }

    fn operation_href(&self, operation: &OperationName) -> Option<String> {
        self.operations.get(operation).cloned()
    }

    fn channel_operations(&self, pointer: &str) -> Vec<String> {
        let operations = self.root.get("operations").and_then(Value::as_object);
        let of_channel = operations.into_iter().flatten().filter(|(_, operation)| {
            super::channel::channel_of(operation).as_deref() == Some(pointer)
        });
        of_channel
            .map(|(name, _)| pointer::child("/operations", name))
            .collect()
    }

    fn rows_href(&self, pointer: &str, direction: Direction) -> Option<String> {
        let is_large = self.large.contains(pointer);
        is_large.then(|| format!("/rows/{}{pointer}", direction.word()))
    }
}

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
    around: Option<&Resource>,
    found: &mut Anchors,
) {
    match value {
        Value::Object(members) => {
            let own = match is_named {
                true => None,
                false => Resource::identified(members, pointer, around),
            };
            if let Some(own) = &own {
                found.ids.entry(own.uri.clone()).or_insert(pointer.clone());
            }
            let around = own.as_ref().or(around);
            for (key, member) in members {
                if let (Value::String(name), true, false) = (member, key.starts_with('$'), is_named)
                {
                    match key.as_str() {
                        "$anchor" | "$dynamicAnchor" => {
                            if let Some(around) = around {
                                let name = format!("{}#{name}", around.uri);
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
                    collect_anchors(member, pointer, is_map, around, found);
                    pointer.truncate(length);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let length = pointer.len();
                *pointer = pointer::item(pointer, index);
                collect_anchors(item, pointer, false, around, found);
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
