//! Sites: one that is kept current ([`service`]), those of a daemon with their previews ([`sites`]),
//! and what their readers leave behind.

pub mod analytics;
pub mod editor;
pub mod feedback;
pub mod readers;
pub mod release;
pub mod service;
pub mod sites;
