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
