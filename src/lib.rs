//! The shell of quire: everything that touches the world. The core, which decides what the site is, is in `queries`.

pub mod host;
pub mod sources;
pub mod store;
pub mod watch;
