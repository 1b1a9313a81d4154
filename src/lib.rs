//! The shell of quire: everything that touches the world. The core, which decides what the site is, is in `queries`.

pub mod archive;
pub mod assets;
pub mod check;
pub mod cli;
pub mod daemon;
pub mod export;
pub mod fetch;
pub mod host;
pub mod http;
pub mod images;
pub mod load;
pub mod openapi;
pub mod publish;
pub mod report;
pub mod sources;
pub mod specs;
pub mod store;
pub mod watch;
