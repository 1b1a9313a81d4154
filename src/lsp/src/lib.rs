//! The language server (`quire lsp`), and the edits that follow a move (`quire mv`).
//!
//! `server.rs` speaks the protocol. `project.rs` is one site: its database, in which documents that the client has open
//! count instead of the files. `cursor.rs` and `json.rs` tell what stands at an offset of a text that is incomplete;
//! `target.rs` tells what it means. One file for each kind of answer: `completion.rs`, `hover.rs`, `places.rs` (definitions,
//! references, links, symbols), `rename.rs`, `actions.rs`, `diagnostics.rs`.

mod actions;
mod completion;
mod cursor;
mod diagnostics;
mod hover;
mod json;
pub mod moves;
mod places;
mod project;
mod rename;
mod server;
mod target;
mod text;

pub use server::{Options, serve, serve_on};
