//! A document in memory: the implementation of [`Document`] without a database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::data::pointer;
use serde_json::Value;

use super::channel::channel_of;
use super::direction::Direction;
use super::document::{Document, OperationName};
use super::reference::pointer_of;
use super::resource::Resource;
use super::schema::{self, Schema};
use super::slice::{Anchors, allof_targets, anchors_in, decode_fragment};
use super::version::Version;

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
            pointer_of(&self.anchors, reference, own).as_deref() == Some(pointer)
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
        let of_channel = operations
            .into_iter()
            .flatten()
            .filter(|(_, operation)| channel_of(operation).as_deref() == Some(pointer));
        of_channel
            .map(|(name, _)| pointer::child("/operations", name))
            .collect()
    }

    fn rows_href(&self, pointer: &str, direction: Direction) -> Option<String> {
        let is_large = self.large.contains(pointer);
        is_large.then(|| format!("/rows/{}{pointer}", direction.word()))
    }
}
