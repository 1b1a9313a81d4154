//! OpenAPI 3.0 and 3.1 and AsyncAPI 3.0 documents: what a page shows of an operation, a channel or a data model, worked out
//! of plain values.
//!
//! Documents are accessed through the port [`document::Document`], so that a caller that has it in
//! slices sees which of them were read. The queries over specifications are in
//! `queries/src/openapi.rs`.

pub mod channel;
pub mod code;
pub mod direction;
pub mod document;
pub mod endpoint;
mod format;
pub mod fragment;
pub mod index;
mod inputs;
pub mod introduction;
mod media;
mod merge;
pub mod mock;
pub mod model;
pub mod number;
pub mod operation;
pub mod origin;
pub mod pattern;
pub mod plain;
pub mod playground;
pub mod reference;
mod request;
pub mod resource;
mod response;
pub mod rules;
mod sample;
pub mod schema;
pub mod search;
mod security;
pub mod serialize;
pub mod server;
pub mod shared;
pub mod slice;
pub mod title;
mod validate;
pub mod version;
mod view;
mod xml;
