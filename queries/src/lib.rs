//! The core of quire: everything known about a documentation site, as memoized pure functions of its files.
//!
//! Pure computations without salsa are crates of their own: [`base`], `mdx`, `openapi`, `lint`,
//! `config`, [`theme`] and `embedding`. This crate has the queries, which read one another. Modules
//! are in reading order. A module uses only modules above it and those of its own folder (`ROWS` in
//! `tests/queries/layers.rs`, which a test enforces). Nothing here does I/O, reads a clock or
//! starts a thread.
//!
//! Many comments name what a query *wakes with*: the changes after which salsa runs it again. "Must
//! not wake it" names changes after which its memoized value has to stay valid.
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
pub mod exports;
pub mod navigation;
pub mod page;
pub mod reference;
pub mod skill;
// Outputs.
pub mod backlinks;
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
