//! A folder of the watch's own: what is written there is reported after everything that was written before.
//!
//! It is among the temporary files of the machine. A watch that was killed leaves it there; the next one removes it, which
//! it knows by a lock that died with its holder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

const PREFIX: &str = "quire-watch-";

const LOCK_FILE: &str = "lock";

/// How old a folder without a lock is when nobody is about to give it one.
const NEW: Duration = Duration::from_secs(60);

/// The folder.
pub(super) struct Cookies {
    folder: TempDir,
    // Held open: whoever finds it locked knows that the folder is in use.
    _lock: File,
    next: u64,
}

impl Cookies {
    /// A new folder; those of watches that are no more go.
    pub(super) fn new() -> io::Result<Self> {
        let all = std::env::temp_dir();
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&all)?;
        let lock = File::create_new(folder.path().join(LOCK_FILE))?;
        lock.lock()?;
        clear(&all, fs::metadata(folder.path())?.uid());
        Ok(Self {
            folder,
            _lock: lock,
            next: 0,
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The path of the next file.
    pub(super) fn next(&mut self) -> PathBuf {
        self.next += 1;
        self.path().join(self.next.to_string())
    }
}

/// Removes from `all` the folders of watches of the user `owner` that were killed.
fn clear(all: &Path, owner: u32) {
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let names = entries.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
    });
    // What others have put there may be anything.
    let own = names.filter(|entry| entry.metadata().is_ok_and(|its| its.uid() == owner));
    for folder in own.map(|entry| entry.path()).filter(|path| is_left(path)) {
        // Another watch may be at it.
        if let Err(error) = fs::remove_dir_all(&folder) {
            tracing::debug!("remove {}: {error}", folder.display());
        }
    }
}

fn is_left(folder: &Path) -> bool {
    match File::open(folder.join(LOCK_FILE)) {
        // Given back at once.
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let metadata = fs::symlink_metadata(folder);
            let made = metadata.and_then(|metadata| metadata.modified());
            made.is_ok_and(|made| {
                SystemTime::now()
                    .duration_since(made)
                    .is_ok_and(|age| age > NEW)
            })
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_watch_left_goes_and_nothing_else() {
        let kept = Cookies::new().unwrap();
        let all = tempfile::tempdir().unwrap();
        for name in [
            "quire-watch-dead",
            "quire-watch-old",
            "quire-watch-new",
            "other",
        ] {
            fs::create_dir(all.path().join(name)).unwrap();
        }
        fs::write(all.path().join("quire-watch-dead/lock"), "").unwrap();
        fs::write(all.path().join("quire-watch-dead/7"), "").unwrap();
        let old = File::open(all.path().join("quire-watch-old")).unwrap();
        old.set_modified(SystemTime::now() - NEW * 2).unwrap();
        let held = all.path().join("quire-watch-held");
        fs::create_dir(&held).unwrap();
        let lock = File::create_new(held.join(LOCK_FILE)).unwrap();
        lock.lock().unwrap();
        let own = fs::metadata(all.path()).unwrap().uid();
        clear(all.path(), own + 1);
        assert_eq!(fs::read_dir(all.path()).unwrap().count(), 5);
        clear(all.path(), own);
        let mut left: Vec<_> = fs::read_dir(all.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["other", "quire-watch-held", "quire-watch-new"]);
        drop(lock);
        clear(all.path(), own);
        assert!(!held.exists());
        // One that is in use stays, whoever comes.
        drop(Cookies::new().unwrap());
        assert!(kept.path().exists());
    }
}
