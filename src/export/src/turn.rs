//! The turn of a build to write to its output folder: of two builds into one folder the second waits for the end of the first.
//!
//! The right is a lease in the folder of unfinished files, so it ends with its process, whatever ends that, and whoever builds into
//! the folder meets it, wherever they keep their state. Its file goes with the folder: only who holds the lease removes it,
//! and who takes it makes sure afterwards that the file is still there.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;

use super::writer::UNFINISHED;
use quire_storage::directory::Directory;
use quire_storage::{Error, Lease, Leases, Term, wait};

/// The file of the lease, and that which storage locks beside it.
const LEASE: &str = "lease";
const LOCK: &str = ".lock";

/// Timeout of the wait for another build, and interval of the checks.
pub(super) const PATIENCE: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(50);

/// The right to write to an output folder, until it is dropped.
pub(super) struct Turn {
    folder: PathBuf,
    storage: Directory,
    /// `None` if the folder cannot be written: then other builds cannot write it either.
    lease: Option<Lease>,
}

impl Turn {
    /// The turn to write to `out`, which is there. Waits for another build as long as `patience`, and says so.
    ///
    /// # Errors
    ///
    /// Says that another build still writes to it.
    pub(super) fn wait(out: &Path, patience: Duration) -> anyhow::Result<Self> {
        let folder = out.join(UNFINISHED);
        let storage = Directory::new(&folder);
        let mut turn = Self {
            folder,
            storage,
            lease: None,
        };
        let times = patience.as_millis() / PAUSE.as_millis();
        for time in 0..=times {
            match turn.take() {
                Ok(Some(lease)) => {
                    turn.lease = Some(lease);
                    return Ok(turn);
                }
                Ok(None) if time == 0 && times > 0 => {
                    tracing::warn!(
                        "{}: another build is writing to this folder; waiting for it to finish",
                        out.display()
                    );
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!("{error}");
                    return Ok(turn);
                }
            }
            if time < times {
                std::thread::sleep(PAUSE);
            }
        }
        bail!(
            "{}: another build writes to this folder; wait for its end, or choose another with --out",
            out.display()
        );
    }

    /// The lease; `None` if it is to be tried again.
    fn take(&self) -> Result<Option<Lease>, Error> {
        let again = |error: Error| match error {
            Error::Conflict => Ok(None),
            // Whoever had it has just removed the folder.
            Error::Other(failed) if failed.source.kind() == ErrorKind::NotFound => Ok(None),
            error => Err(error),
        };
        let lease = match wait(self.storage.take(LEASE, Term::Process)) {
            Ok(lease) => lease,
            Err(error) => return again(error),
        };
        // The file may have been removed between being opened and being locked: then it is nobody's.
        match wait(self.storage.renew(&lease, Term::Process)) {
            Ok(()) => Ok(Some(lease)),
            Err(error) => again(error),
        }
    }

    /// Removes what builds that were killed were writing.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub(super) fn clear_unfinished(&self) -> std::io::Result<()> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name() != LEASE && entry.file_name() != LOCK {
                match entry.file_type()?.is_dir() {
                    true => fs::remove_dir_all(entry.path())?,
                    false => fs::remove_file(entry.path())?,
                }
            }
        }
        Ok(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else {
            return;
        };
        // While it is held: nobody else takes the file under this name.
        let _ = fs::remove_file(self.folder.join(LEASE));
        let _ = fs::remove_file(self.folder.join(LOCK));
        let _ = wait(self.storage.release(lease));
        // Unless somebody else has begun.
        let _ = fs::remove_dir(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_build_waits_for_another_and_says_so_when_it_does_not_end() {
        let out = tempfile::tempdir().unwrap();
        let first = Turn::wait(out.path(), Duration::ZERO).unwrap();
        let refused = Turn::wait(out.path(), Duration::ZERO).err().unwrap();
        let message = refused.to_string();
        assert!(
            message.contains("another build writes to this folder"),
            "{message}"
        );
        assert!(message.contains("--out"), "{message}");
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Turn::wait(out.path(), PATIENCE).is_ok());
            drop(first);
            assert!(second.join().unwrap());
        });
        // Nothing is left behind.
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
    }

    #[test]
    fn of_many_builds_one_writes_at_a_time() {
        let out = tempfile::tempdir().unwrap();
        let (now, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let turn = Turn::wait(out.path(), PATIENCE).unwrap();
                        assert!(turn.lease.is_some());
                        assert_eq!(now.fetch_add(1, Ordering::AcqRel), 0);
                        std::thread::yield_now();
                        assert_eq!(now.fetch_sub(1, Ordering::AcqRel), 1);
                        drop(turn);
                        all.fetch_add(1, Ordering::AcqRel);
                    }
                });
            }
        });
        assert_eq!(all.into_inner(), 100);
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_build_left_is_removed() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join(UNFINISHED);
        fs::create_dir(&folder).unwrap();
        for name in ["half", LEASE, LOCK] {
            fs::write(folder.join(name), "").unwrap();
        }
        let turn = Turn::wait(out.path(), Duration::ZERO).unwrap();
        turn.clear_unfinished().unwrap();
        assert!(!folder.join("half").exists());
        drop(turn);
        assert!(!folder.exists());
    }
}
