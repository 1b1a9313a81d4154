//! The commands of quire. What they are made of is in the crates below `src/`; the core, which
//! decides what a site is, is in `queries/`.

pub mod ask;
pub mod bench;
pub mod check;
pub mod cli;
pub mod control;
pub mod daemon;
pub mod dev;
pub mod explain;
pub mod openapi;
pub mod place;
mod rewrite;
pub mod search_command;
pub mod serve;
