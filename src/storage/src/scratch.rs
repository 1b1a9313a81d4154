//! A local folder for what needs files of its own: the search index maps its files into memory, git
//! works on a copy of a repository. What is in one can be made again from elsewhere, so an
//! implementation that keeps nothing on this machine may fill it from its blobs when it is opened,
//! or leave it empty.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::{fs, path};

use bytes::Bytes;

use crate::replace;

/// A folder below that of the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// The folder at `path`.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The folders in it.
    pub fn folders(&self) -> Vec<Self> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let folders = entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir());
        folders.map(Self).collect()
    }

    /// Makes the folder if it is not there.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn create(&self) -> io::Result<()> {
        fs::create_dir_all(&self.0)
    }

    /// Makes the folder in one step: `fill` is given another one, which is renamed when it is
    /// whole. Calls `filled` between.
    ///
    /// # Errors
    ///
    /// Returns that of `fill`, or what the system says.
    pub fn create_whole(
        &self,
        fill: impl FnOnce(&Path) -> anyhow::Result<()>,
        filled: impl FnOnce(),
    ) -> anyhow::Result<()> {
        let parent = self.0.parent().unwrap_or(&self.0);
        fs::create_dir_all(parent)?;
        let half = tempfile::tempdir_in(parent)?;
        fill(half.path())?;
        filled();
        fs::rename(half.keep(), &self.0)?;
        Ok(())
    }

    /// Makes the folder with `files`, by name, in one step. One that is there already stays.
    ///
    /// # Errors
    ///
    /// Returns the first error among `files`, or what the system says.
    pub fn create_with(
        &self,
        files: impl Iterator<Item = anyhow::Result<(String, Bytes)>>,
    ) -> anyhow::Result<()> {
        if self.0.is_dir() {
            return Ok(());
        }
        let fill = |folder: &Path| {
            for file in files {
                let (name, bytes) = file?;
                fs::write(folder.join(name), bytes)?;
            }
            Ok(())
        };
        self.create_whole(fill, || ())
    }

    /// Removes the folder with all that is in it. Files that are open stay readable.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.0)
    }

    /// Removes the files in it whose names `is_ours`.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn remove_files(&self, is_ours: impl Fn(&OsStr) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)?.flatten() {
            if is_ours(&entry.file_name()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes the file at `path` within it.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        let is_within = path.starts_with(&self.0)
            && !(path.components()).any(|component| component == path::Component::ParentDir);
        match is_within {
            true => fs::remove_file(path),
            false => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Removes what killed processes left there unfinished. To be called by who writes there alone.
    pub fn clear_leftovers(&self) {
        replace::clear(&self.0, replace::ANY);
    }
}
