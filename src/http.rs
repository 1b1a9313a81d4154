//! HTTP: the accept loop with its limits, one router, one file for each kind of reply.

mod accept;
mod access;
pub mod admin;
mod analytics;
mod api;
mod assistant;
mod body;
mod completions;
mod deployments;
mod diff;
pub mod events;
mod feedback;
mod file;
mod flight;
pub mod gate;
mod lines;
mod mcp;
mod mock;
mod previews;
mod relay;
pub mod reply;
pub mod router;
mod search;
pub mod server;
pub mod site;
mod stream;
