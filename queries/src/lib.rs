//! The core of quire: everything known about a documentation site, as memoized pure functions of its files.
//!
//! What only computes is in the crates beside this one, which know no database: [`base`], `mdx`, `openapi`, `config`,
//! [`theme`] and `embedding`. Here are the queries that ask one another. Modules stand in reading order. A module uses the
//! ones above it and those of its own folder; the table is in the README and a test keeps it true. Nothing here can do
//! I/O, read a clock or start a thread.
//!
//! The shell uses four modules: [`base`], [`theme`], [`change`] and [`site`]. The others are public for tests and benches.

pub use base;
pub use theme;

// Ground.
pub mod db;
pub mod inputs;
pub mod store;
pub mod trace;
// Documents.
pub mod change;
pub mod config;
pub mod imports;
pub mod openapi;
// Shape of the site.
pub mod alternates;
pub mod binding;
pub mod navigation;
pub mod page;
pub mod reference;
pub mod skill;
// Outputs.
pub mod blocks;
pub mod body;
pub mod card;
pub mod fragment;

pub mod catalog;
pub mod feed;
pub mod frame;
pub mod head;
pub mod links;
pub mod markdown;
pub mod mock;
pub mod outputs;
pub mod programs;
pub mod relay;
pub mod search;
// The façade.
pub mod site;
