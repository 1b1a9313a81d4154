//! Cleanup of files that a killed git leaves in the copy of a repository.

use std::path::{Path, PathBuf};

use quire_storage::Scratch;

/// Removes what a git that was killed left in the copy at `folder`: a stale lock would stop every
/// later fetch. To be called before anything works on it.
pub fn clear_leftovers(scratch: &Scratch) {
    let folder = scratch.path();
    let mut folders = vec![folder.join("refs")];
    let mut files = Vec::new();
    let mut list = |folder: &Path, folders: Option<&mut Vec<PathBuf>>| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let (inner, own): (Vec<_>, Vec<_>) = entries
            .map(|entry| entry.path())
            .partition(|path| path.is_dir());
        files.extend(own);
        if let Some(folders) = folders {
            folders.extend(inner);
        }
    };
    list(folder, None);
    list(&folder.join("objects/pack"), None);
    while let Some(next) = folders.pop() {
        list(&next, Some(&mut folders));
    }
    let is_left = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.ends_with(b".lock") || name.starts_with(b"tmp_")
    };
    for left in files.iter().filter(|path| is_left(path)) {
        match scratch.remove_file(left) {
            Ok(()) => tracing::info!(
                "{}: removed temporary files of an interrupted git process",
                left.display()
            ),
            Err(error) => tracing::debug!("remove {}: {error}", left.display()),
        }
    }
}
