//! Sites: one that is kept current ([`service`]), those of a daemon with their previews ([`sites`]),
//! and what their readers leave behind.

pub mod analytics;
pub mod backup;
pub mod editor;
pub mod feedback;
pub mod manifest;
pub mod media;
pub mod readers;
pub mod release;
pub mod served;
pub mod service;
pub mod sites;
