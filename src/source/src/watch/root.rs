//! The root folder of a site. It may be removed, moved or replaced, or its path may be a symbolic
//! link that changes its target.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Identity of a folder, which distinguishes it from earlier or later folders at the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    path: PathBuf,
    device: u64,
    inode: u64,
    /// Inode numbers are reused: a new folder may have that of the previous one.
    born: Option<SystemTime>,
}

impl Root {
    /// Returns the folder at `requested_path`, with symbolic links resolved. If the site `has_config`, a
    /// folder without a configuration is an error: it is being written or removed.
    pub(super) fn at(requested_path: &Path, has_config: bool) -> io::Result<Self> {
        let path = requested_path.canonicalize()?;
        let metadata = path.metadata()?;
        if has_config && !crate::sources::has_config(&path) {
            let why = "it holds neither docs.json nor mint.json";
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        }
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            born: metadata.created().ok(),
            path,
        })
    }
}

/// The folders that hold the links on the way to `requested_path`: when one of those leads elsewhere, they tell.
pub(super) fn folders_of_links(requested_path: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut pending = vec![requested_path.to_owned()];
    // A link may lead to a path with links; those that lead in a circle end somewhere.
    while let Some(path) = pending.pop().filter(|_| folders.len() < 40) {
        for step in path.ancestors() {
            let (Some(folder), Ok(target)) = (step.parent(), step.read_link()) else {
                continue;
            };
            if let Ok(folder) = folder.canonicalize() {
                pending.push(folder.join(target));
                folders.push(folder);
            }
        }
    }
    folders.sort();
    folders.dedup();
    folders
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_is_told_from_the_one_that_takes_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().canonicalize().unwrap().join(path);
        for release in ["one", "two"] {
            fs::create_dir_all(at(release).join("docs")).unwrap();
            fs::write(at(release).join("docs/docs.json"), "{}").unwrap();
        }
        symlink("one", at("current")).unwrap();
        symlink(at("current/docs"), at("site")).unwrap();
        let one = Root::at(&at("site"), true).unwrap();
        assert_eq!(Root::at(&at("one/docs"), true).unwrap(), one);
        assert_eq!(
            folders_of_links(&at("site")),
            [folder.path().canonicalize().unwrap()]
        );
        fs::remove_file(at("current")).unwrap();
        assert!(Root::at(&at("site"), true).is_err());
        symlink("two", at("current")).unwrap();
        assert_ne!(Root::at(&at("site"), true).unwrap(), one);
        fs::remove_file(at("two/docs/docs.json")).unwrap();
        let error = Root::at(&at("site"), true).unwrap_err();
        assert!(error.to_string().contains("neither docs.json"), "{error}");
        // Links that lead in a circle.
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        assert!(Root::at(&at("a"), true).is_err());
        assert!(!folders_of_links(&at("a")).is_empty());
    }
}
