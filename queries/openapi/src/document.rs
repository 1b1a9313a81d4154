//! Access to a document: small questions with small answers, so that a page records exactly what it
//! reads.
//!
//! [`Plain`](super::plain::Plain) answers them from a document in memory. Where documents are cut
//! into slices, the answers come from the projections of these ([`slice`](super::slice)).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::direction::Direction;
use super::schema::Schema;
use super::version::Version;

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

    /// The schema at a pointer, normalised. Implementors call [`schema::parse`](super::schema::parse) and keep the answer.
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
