//! Changes of files of the author: whole, or not at all.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Replaces the text of the file at `path`, which keeps its permissions.
///
/// # Errors
///
/// The file is as it was if the new text could not be written.
pub(crate) fn rewrite(path: &Path, text: &str) -> anyhow::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.quire-new"));
    let written = fs::write(&temporary, text).and_then(|()| {
        fs::set_permissions(&temporary, fs::metadata(path)?.permissions())?;
        fs::rename(&temporary, path)
    });
    if written.is_err() {
        // What was begun is of no use.
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(|| format!("write {}", path.display()))
}
