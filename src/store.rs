//! What outlives an edit or a process: contents by digest, artifacts by key. Nothing here is ever the truth: what is
//! read is checked by its hash, and what cannot be read is made again.

pub mod contents;
pub mod pack;

pub use contents::MemoryStore;

use std::io::{self, Write};
use std::path::Path;

/// Brings the file at `path` to hold `bytes` in one step: who reads it finds the old ones or the new ones.
fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let mut file = tempfile::Builder::new()
        .prefix(".quire-")
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
