//! Locks of files, which end with the process that has them, whatever ends it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Opens the file at `path` to lock it; it is made if it is not there.
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// Locks `file`; `false` if someone else has it locked.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    // A program that this process has just started holds copies of its locks until it runs: one
    // that was given up a moment ago may still be held by nobody.
    for _ in 0..10 {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}
