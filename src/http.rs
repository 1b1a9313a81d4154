//! HTTP: the accept loop with its limits, one router, one file for each kind of reply.

pub mod admin;
mod api;
mod body;
mod diff;
pub mod events;
pub mod gate;
mod lines;
pub mod reply;
pub mod router;
mod search;
pub mod server;
pub mod site;
