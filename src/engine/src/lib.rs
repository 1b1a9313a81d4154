//! The engine: the database of a site and what is done with it outside of the core.
//!
//! [`host`] owns the database and its locks, retries what an edit cancelled, and is the only writer
//! of inputs. [`publish`] holds the snapshots that are served.

pub mod archive;
pub mod faults;
pub mod gzip;
pub mod host;
pub mod meter;
pub mod publish;
pub mod report;
pub mod survey;
pub mod texts;
pub mod trace;
pub mod unfinished;
