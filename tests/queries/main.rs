//! Tests of the core through its public surface: small sites in memory, queries, and what an edit wakes.

mod support;

mod config;
mod corpus;
mod navigation;
