//! The vocabulary of the core: paths, places in the files of a user, diagnostics, digests, and documents as JSON or YAML.
//!
//! Every other crate of the core uses this one; it uses none of them.

pub mod content;
pub mod data;
pub mod diagnostic;
pub mod image;
pub mod path;
pub mod place;
