//! OpenAPI documents: what a reader sees of an operation, of a webhook and of a data model.
//!
//! Both dialects, 3.0 and 3.1, are lowered to one [`schema::Schema`] before anything else happens. From it come the rows of
//! a page ([`endpoint`]), the sample values and the code samples. Facts about the document are asked one by one
//! ([`document::Document`]), so that a page depends on what it shows and on nothing else.

pub mod code;
pub mod document;
pub mod endpoint;
mod inputs;
mod media;
mod merge;
pub mod model;
pub mod number;
pub mod operation;
pub mod pattern;
pub mod playground;
pub mod problem;
mod reference;
mod request;
mod sample;
pub mod schema;
pub mod search;
mod security;
pub mod serialize;
mod validate;
mod view;
mod xml;

use serde_json::Value;

use self::document::Document;
use self::merge::Schemas;
use self::validate::Hidden;

/// Which way a value goes; properties of the other way are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the API: without read-only properties.
    Request,
    /// From the API: without write-only properties.
    Response,
    /// Neither: every property.
    Model,
}

impl Direction {
    fn hidden(self) -> Hidden {
        match self {
            Self::Request => Hidden::ReadOnly,
            Self::Response => Hidden::WriteOnly,
            Self::Model => Hidden::Nothing,
        }
    }
}

/// A sample of the schema at `pointer`; `None` if there is no schema or nothing is valid against it.
pub fn sample_at<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    direction: Direction,
) -> Option<Value> {
    let schema = document.schema(pointer)?;
    Schemas::new(document).sample(&schema, direction.hidden())
}
