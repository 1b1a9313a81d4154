//! Excerpts of a specification for one page, read slice by slice (`openapi/src/fragment.rs`).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::db::Db;
use crate::inputs::Spec;
use crate::openapi::{Operation, SpecNode};
use crate::page::model_href;
use crate::reference::{SpecDocument, address_of};
use crate::trace::ReadLog;
use openapi::fragment::{self, Room};

/// A part of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Path or address of the specification.
    pub spec: String,
    /// The documented value and the parts of the document that it reaches, each at its place in the
    /// document.
    pub value: Value,
    /// Pointers of the parts that it reaches and that are too large to be in it.
    pub omitted: Vec<String>,
}

impl Fragment {
    fn of(db: &dyn Db, spec: Spec, found: fragment::Fragment) -> Self {
        Self {
            spec: spec.name(db).to_string(),
            value: found.value,
            omitted: found.omitted,
        }
    }
}

/// Returns an excerpt of the specification for one operation, webhook or channel: its path item
/// with the parts common to all operations, what it inherits from the document, and the components
/// that it references, up to the size `room`. `None` if the operation no longer exists.
pub fn operation_fragment(db: &dyn Db, operation: Operation, room: Room) -> Option<Fragment> {
    let spec = operation.spec(db);
    let log = ReadLog::unrecorded(db, spec);
    let document = SpecDocument::new(&log);
    let found = fragment::operation_fragment(&document, operation.key(db), room)?;
    Some(Fragment::of(db, spec, found))
}

/// The fragment of a component, such as a data model, with the parts that it reaches, as far as there is room; `None` if it is
/// gone.
pub fn component_fragment(db: &dyn Db, node: SpecNode, room: Room) -> Option<Fragment> {
    let spec = node.spec(db);
    let log = ReadLog::unrecorded(db, spec);
    let document = SpecDocument::new(&log);
    let found = fragment::component_fragment(&document, node.pointer(db), room)?;
    Some(Fragment::of(db, spec, found))
}

/// The pointers of the parts that `starts` reach, these among them, in their order.
pub(crate) fn reached(db: &dyn Db, spec: Spec, starts: BTreeSet<String>) -> BTreeSet<String> {
    let log = ReadLog::unrecorded(db, spec);
    fragment::reached_from(&SpecDocument::new(&log), starts)
}

/// The pointers of the parts that the part at `node` names itself.
pub(crate) fn named_by(db: &dyn Db, node: SpecNode) -> Vec<String> {
    let log = ReadLog::unrecorded(db, node.spec(db));
    fragment::named_by(&SpecDocument::new(&log), node.pointer(db))
}

/// Address where programs read the part of a specification at `pointer`: the Markdown of the page
/// of a data model, else the document itself.
pub(crate) fn part_address(db: &dyn Db, spec: Spec, pointer: &str) -> Option<String> {
    let in_document = || Some(format!("{}#{pointer}", address_of(db, spec)?));
    model_twin(db, spec, pointer).or_else(in_document)
}

/// Address of the Markdown of the page of the data model at `pointer`, if there is one.
pub(crate) fn model_twin(db: &dyn Db, spec: Spec, pointer: &str) -> Option<String> {
    let node = SpecNode::new(db, spec, pointer.to_owned());
    let href = model_href(db, node).as_deref()?;
    let name = if href.ends_with('/') { "index" } else { "" };
    Some(format!("{href}{name}.md"))
}
