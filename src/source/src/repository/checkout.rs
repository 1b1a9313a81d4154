//! State of a checkout, read without a process: whether a folder is in a repository, and whether
//! another commit was checked out.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The `.git` of the working tree that a folder is in.
pub struct Checkout(PathBuf);

/// When a checkout last went to another commit, as far as files tell: two equal ones mean that it has not since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadStamp([(SystemTime, u64); 2]);

impl Checkout {
    /// The one that `folder` is in; `None` if it is in none.
    pub fn containing(folder: &Path) -> Option<Self> {
        let folder = folder.canonicalize().ok()?;
        let at = folder.ancestors().map(|folder| folder.join(".git"));
        at.into_iter().find(|at| at.exists()).map(Self)
    }

    /// Stamp that changes with each commit that is made or checked out; `None` if the repository
    /// keeps no reflog.
    pub fn stamp(&self) -> Option<HeadStamp> {
        let folder = self.folder()?;
        let stamp = |name: &str| {
            let metadata = fs::metadata(folder.join(name)).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        Some(HeadStamp([stamp("HEAD")?, stamp("logs/HEAD")?]))
    }

    /// The folder of the repository: of a second working tree, `.git` is a file that names it (gitrepository-layout(5)).
    fn folder(&self) -> Option<PathBuf> {
        if self.0.is_dir() {
            return Some(self.0.clone());
        }
        let text = fs::read_to_string(&self.0).ok()?;
        let named = text.strip_prefix("gitdir: ")?.trim_end_matches('\n');
        Some(self.0.parent()?.join(named))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_outside_of_any_repository_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Checkout::containing(folder.path()).is_none());
        assert!(Checkout::containing(&folder.path().join("gone")).is_none());
    }

    #[test]
    fn a_second_working_tree_is_followed_by_its_own_record() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["main/.git/worktrees/two/logs", "main/docs", "two/docs"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        fs::write(at("two/.git"), "gitdir: ../main/.git/worktrees/two\n").unwrap();
        let first = Checkout::containing(&at("main/docs")).unwrap();
        let second = Checkout::containing(&at("two/docs")).unwrap();
        // Nothing is recorded yet.
        assert_eq!(first.stamp(), None);
        assert_eq!(second.stamp(), None);
        fs::write(at("main/.git/worktrees/two/HEAD"), "ref: refs/heads/a\n").unwrap();
        fs::write(at("main/.git/worktrees/two/logs/HEAD"), "one\n").unwrap();
        assert_eq!(first.stamp(), None);
        let before = second.stamp();
        assert!(before.is_some());
        assert_eq!(second.stamp(), before);
        fs::write(at("main/.git/worktrees/two/logs/HEAD"), "one\ntwo\n").unwrap();
        assert_ne!(second.stamp(), before);
    }
}
