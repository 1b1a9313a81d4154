//! The core of quire: everything known about a documentation site, as memoized pure functions of its files.
//!
//! Modules stand in reading order. A module uses the ones above it and those of its own folder; the table is in the
//! README and a test keeps it true. Nothing here can do I/O, read a clock or start a thread.

// Vocabulary.
pub mod path;
pub mod content;
pub mod diagnostic;
pub mod place;
// Ground.
pub mod inputs;
pub mod store;
pub mod db;
// Formats.
pub mod data;
pub mod mdx;
// Shape of the site.
pub mod page;
// Outputs.
pub mod render;
