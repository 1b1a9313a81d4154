//! The core of quire: everything known about a documentation site, as memoized pure functions of its files.
//!
//! Modules stand in reading order. A module uses the ones above it and those of its own folder; the table is in the
//! README and a test keeps it true. Nothing here can do I/O, read a clock or start a thread.

// Vocabulary.
pub mod content;
pub mod diagnostic;
pub mod path;
pub mod place;
// Ground.
pub mod db;
pub mod inputs;
pub mod store;
pub mod trace;
// Formats.
pub mod data;
pub mod mdx;
// Documents.
pub mod change;
pub mod config;
pub mod imports;
pub mod openapi;
// Shape of the site.
pub mod navigation;
pub mod page;
pub mod reference;
// Outputs.
pub mod body;
pub mod frame;
pub mod links;
pub mod outputs;
pub mod render;
pub mod search;
// The façade.
pub mod site;
