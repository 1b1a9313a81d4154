//! Tests of the core through its public surface: small sites in memory, queries, and what an edit wakes.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the tests stand outside the core: they read real sites and keep a log of queries"
)]

mod support;

#[path = "../random_numbers.rs"]
mod random_numbers;

mod artifacts;
mod bounds;
mod cases;
mod causes;
mod codes;
mod config;
mod conformance;
mod corpus;
mod differential;
mod eviction;
mod formulas;
mod gallery;
mod hooks;
mod incremental;
mod languages;
mod layers;
mod manual;
mod markdown;
mod navigation;
mod openapi;
mod overlays;
mod page_markdown;
mod purity;
mod random;
mod replacements;
mod robust;
mod search;
mod settings;
mod specifications;
mod split;
mod states;
mod themes;
mod titles;
mod utilities;
mod versions;
