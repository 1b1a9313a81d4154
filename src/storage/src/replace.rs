//! Files that are replaced in one step, and what is left of those that a killed process was about to replace.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::crash_point;

/// Prefix of temporary files.
pub(super) const PREFIX: &str = ".quire-";

/// Prefixes of temporary files of [`replace`]: also in folders that others have files in.
pub const OWN: &[&str] = &[PREFIX];

/// Prefixes of temporary files of other crates as well: in folders that are ours alone.
pub const ANY: &[&str] = &[PREFIX, ".tmp"];

/// When a file has to be on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Durable at some time: it can be made again.
    Later,
    /// When the call returns, whatever happens to the machine.
    Now,
}

/// Replaces the content of the file at `path` by `bytes` atomically: readers find the old or the
/// new bytes. `points` are those before and after that step.
pub fn replace(path: &Path, bytes: &[u8], when: When, points: [&'static str; 2]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let mut file = tempfile::Builder::new()
        .prefix(PREFIX)
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    if when == When::Now {
        file.as_file().sync_all()?;
    }
    crash_point::reach(points[0]);
    file.persist(path).map_err(|error| error.error)?;
    if when == When::Now {
        sync_folder(folder)?;
    }
    crash_point::reach(points[1]);
    Ok(())
}

/// Brings what was renamed or removed in `folder` to the disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Removes from `folder` what killed processes left there unfinished, by how its name begins. To be
/// called by who writes there alone.
pub fn clear(folder: &Path, names: &[&str]) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries
        .flatten()
        .filter(|entry| is_left(&entry.file_name(), names))
    {
        let removed = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        };
        if let Err(error) = removed {
            tracing::debug!("remove {}: {error}", entry.path().display());
        }
    }
}

fn is_left(name: &OsStr, names: &[&str]) -> bool {
    let name = name.as_encoded_bytes();
    (names.iter()).any(|begin| name.starts_with(begin.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_goes_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["kept", ".hidden", ".quire-a1", ".tmpB2"];
        for name in names {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::create_dir(folder.path().join(".tmpC3")).unwrap();
        fs::write(folder.path().join(".tmpC3/inside"), "x").unwrap();
        let there = || {
            let entries = fs::read_dir(folder.path()).unwrap().flatten();
            let mut names: Vec<_> = entries
                .map(|entry| entry.file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert_eq!(there().len(), 5);
        clear(folder.path(), OWN);
        assert_eq!(there(), [".hidden", ".tmpB2", ".tmpC3", "kept"]);
        clear(folder.path(), ANY);
        assert_eq!(there(), [".hidden", "kept"]);
        clear(&folder.path().join("none"), ANY);
    }
}
