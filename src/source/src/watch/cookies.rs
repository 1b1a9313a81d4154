//! A folder of the watch's own: what is opened there is reported after everything that was written before.
//!
//! Where the system tells of files that are opened, a file is made once and opened to be read from then on, so that asking
//! writes nothing. Elsewhere a file is made each time.
//!
//! It is among the temporary files of the machine. A watch that was killed leaves it there; the next one removes it, which
//! it knows by a lock that died with its holder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use tempfile::TempDir;

const PREFIX: &str = "quire-watch-";

const LOCK_FILE: &str = "lock";

/// Minimum age of a folder without a lock that is removed: a younger one may get its lock.
const NEW: Duration = Duration::from_secs(60);

/// The folder.
pub(super) struct Cookies {
    folder: TempDir,
    // Held open: whoever finds it locked knows that the folder is in use.
    _lock: File,
    created: u64,
    /// Files whose opening was reported: nothing more will be heard of them until they are opened again.
    idle: Vec<PathBuf>,
}

/// Whether the system tells of files that are opened.
const TELLS_OF_OPENING: bool = cfg!(target_os = "linux");

/// Returns true if `kind` is the event that is waited for, of a file that was closed; there is one
/// each time.
pub(super) fn tells(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Open(_)) => TELLS_OF_OPENING,
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => !TELLS_OF_OPENING,
        EventKind::Access(_) => false,
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any) => false,
        _ => !TELLS_OF_OPENING,
    }
}

impl Cookies {
    /// A new folder; those of watches that are no more go.
    pub(super) fn new() -> io::Result<Self> {
        let all = std::env::temp_dir();
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&all)?;
        // Locked before it has the name by which others look for it: whoever finds it unlocked finds a folder that was left.
        let unnamed = folder.path().join("new");
        let lock = File::create_new(&unnamed)?;
        lock.lock()?;
        fs::rename(&unnamed, folder.path().join(LOCK_FILE))?;
        clear(&all, fs::metadata(folder.path())?.uid());
        Ok(Self {
            folder,
            _lock: lock,
            created: 0,
            idle: Vec::new(),
        })
    }

    /// Path of the folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Opens a file, which will be reported after everything written before; its path.
    pub(super) fn leave(&mut self) -> io::Result<PathBuf> {
        if let Some(path) = self.idle.pop() {
            File::open(&path)?;
            return Ok(path);
        }
        self.created += 1;
        let path = self.path().join(self.created.to_string());
        File::create_new(&path)?;
        Ok(path)
    }

    /// Takes back the file at `path`, of which was heard.
    pub(super) fn take_back(&mut self, path: PathBuf) {
        match TELLS_OF_OPENING {
            true => self.idle.push(path),
            false => self.remove(&path),
        }
    }

    /// Removes the file at `path`, of which may still be heard.
    pub(super) fn remove(&self, path: &Path) {
        if let Err(error) = fs::remove_file(path) {
            tracing::debug!("remove {}: {error}", path.display());
        }
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
    for folder in own.map(|entry| entry.path()) {
        let Some(_lock) = abandoned_lock(&folder) else {
            continue;
        };
        // Another watch may be at it.
        if let Err(error) = fs::remove_dir_all(&folder) {
            tracing::debug!("remove {}: {error}", folder.display());
        }
    }
}

/// Checks whether a cookie folder was left by a dead process. Returns its lock, which is held now;
/// `Some(None)` if it never had one and is old; `None` if it is in use.
fn abandoned_lock(folder: &Path) -> Option<Option<File>> {
    match File::open(folder.join(LOCK_FILE)) {
        Ok(lock) => lock.try_lock().is_ok().then_some(Some(lock)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let metadata = fs::symlink_metadata(folder);
            let made = metadata.and_then(|metadata| metadata.modified());
            let is_old = made.is_ok_and(|made| {
                SystemTime::now()
                    .duration_since(made)
                    .is_ok_and(|age| age > NEW)
            });
            is_old.then_some(None)
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_watch_that_starts_beside_others_keeps_its_folder() {
        let all = std::env::temp_dir();
        let own = fs::metadata(Cookies::new().unwrap().path()).unwrap().uid();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        clear(&all, own);
                    }
                });
            }
            let made = (0..3000).map(|_| {
                let mut cookies = Cookies::new()?;
                cookies.leave().map(|path| path.exists())
            });
            let made = made.collect::<io::Result<Vec<_>>>();
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(made.unwrap(), [true; 3000]);
        });
    }

    #[test]
    fn a_file_of_which_was_heard_is_left_again() {
        let mut cookies = Cookies::new().unwrap();
        let one = cookies.leave().unwrap();
        let two = cookies.leave().unwrap();
        assert_ne!(one, two);
        cookies.take_back(one.clone());
        if TELLS_OF_OPENING {
            assert_eq!(cookies.leave().unwrap(), one);
        }
        assert_ne!(cookies.leave().unwrap(), two);
        cookies.remove(&two);
        assert!(!two.exists());
    }

    #[test]
    fn what_a_killed_watch_left_goes_and_nothing_else() {
        let cookies = Cookies::new().unwrap();
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
        let locked_folder = all.path().join("quire-watch-held");
        fs::create_dir(&locked_folder).unwrap();
        let lock = File::create_new(locked_folder.join(LOCK_FILE)).unwrap();
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
        assert!(!locked_folder.exists());
        // One that is in use stays, whoever comes.
        drop(Cookies::new().unwrap());
        assert!(cookies.path().exists());
    }
}
