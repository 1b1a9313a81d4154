//! Facts about files, keyed by their metadata: a start reads no unchanged file.
//!
//! As git's index does, an entry counts only if its file was quiet for a while when it was looked at: one that is written
//! twice within a tick of the clock could have the same times with other bytes.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use queries::base::content::ContentHash;
use queries::base::path::SitePath;
use queries::site::{ImageSize, PROGRAM, Subject};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{Expected, Kind, Name, Record, Storage, wait};

/// Raised when the layout of the file or what is read of pictures changes. What is read of pages is part of the program.
const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"quirefil";

/// Minimum age of a modification in nanoseconds: the coarsest clock of a common file system ticks
/// every 2 s.
const QUIET: i128 = 2_000_000_000;

/// Metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    size: u64,
    /// Modification time in nanoseconds since 1970; the unit of `changed` too.
    modified: i128,
    /// Cannot be set by programs, unlike `modified`.
    changed: i128,
    inode: u64,
    device: u64,
}

impl Stat {
    /// Reads them from `metadata`.
    pub fn of(metadata: &Metadata) -> Self {
        let time = |seconds: i64, nanoseconds: i64| {
            i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)
        };
        Self {
            size: metadata.size(),
            modified: time(metadata.mtime(), metadata.mtime_nsec()),
            changed: time(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            device: metadata.dev(),
        }
    }

    /// Number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if the clock of its times ticks more often than every second, as on common file
    /// systems of today.
    pub fn is_of_a_fine_clock(&self) -> bool {
        self.changed % 1_000_000_000 != 0
    }

    /// Returns true if the last write was some time before `now`.
    pub fn is_quiet(&self, now: SystemTime) -> bool {
        let now = now
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_nanos() as i128);
        self.modified.max(self.changed) + QUIET < now
    }
}

/// Content of a file, as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// A file the core reads: its digest, and what it says that it is about.
    Text(ContentHash, Option<Subject>),
    /// A file that is only passed on, and its size if it is a picture.
    Opaque(ContentHash, Option<ImageSize>),
}

/// Facts about the files of one site.
#[derive(Default)]
pub struct Stats {
    /// Record that they are written to, if any.
    record: Option<(Arc<dyn Storage>, Name)>,
    facts: Mutex<FxHashMap<SitePath, (Stat, Fact)>>,
    is_changed: AtomicBool,
}

impl Stats {
    /// Reads the record `name`; without a readable one nothing is known.
    fn open(storage: Arc<dyn Storage>, name: Name) -> Self {
        Self {
            facts: Mutex::new(load(&*storage, &name).unwrap_or_default()),
            record: Some((storage, name)),
            is_changed: AtomicBool::new(false),
        }
    }

    /// Fact about the file at `path`, if its metadata is unchanged.
    pub fn fact(&self, path: &SitePath, stat: &Stat) -> Option<Fact> {
        let facts = self.lock();
        let (known, fact) = facts.get(path)?;
        (known == stat).then(|| fact.clone())
    }

    /// Notes what the file at `path` was found to hold, after `stat` was taken.
    pub fn note(&self, path: &SitePath, stat: Stat, fact: Fact) {
        let is_quiet = stat.is_quiet(SystemTime::now());
        let mut facts = self.lock();
        let is_new = match is_quiet {
            true => facts.insert(path.clone(), (stat, fact.clone())) != Some((stat, fact)),
            false => facts.remove(path).is_some(),
        };
        if is_new {
            self.is_changed.store(true, Ordering::Relaxed);
        }
    }

    /// Forgets files that are not there any more.
    pub fn forget(&self, path: &SitePath) {
        if self.lock().remove(path).is_some() {
            self.is_changed.store(true, Ordering::Relaxed);
        }
    }

    /// Number of known files.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Returns true if no file is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes it, if anything is new.
    pub fn save(&self) {
        let Some((storage, name)) = &self.record else {
            return;
        };
        if !self.is_changed.swap(false, Ordering::Relaxed) {
            return;
        }
        let mut bytes = header();
        let facts = self.lock();
        let mut sorted: Vec<_> = facts.iter().collect();
        sorted.sort_by_key(|(path, _)| *path);
        let body = postcard::to_allocvec(&sorted).unwrap_or_default();
        drop(sorted);
        drop(facts);
        bytes.extend_from_slice(&body);
        let hash = ContentHash::of(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        // What two processes find out is the same, sooner or later.
        if let Err(error) = wait(storage.put(name, &bytes, Expected::Any)) {
            tracing::debug!("failed to save file digests: {error}");
        }
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<SitePath, (Stat, Fact)>> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn header() -> Vec<u8> {
    [&MAGIC[..], &VERSION.to_le_bytes(), PROGRAM.as_bytes()].concat()
}

fn load(storage: &dyn Storage, name: &Name) -> Option<FxHashMap<SitePath, (Stat, Fact)>> {
    let Record { bytes, .. } = wait(storage.get(name)).ok()??;
    let (bytes, hash) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
    let body = bytes.strip_prefix(&header()[..])?;
    if ContentHash::of(bytes).as_bytes() != hash {
        let name = name.as_str();
        tracing::warn!("the file digests {name} are corrupt; reading every file");
        return None;
    }
    let facts: Vec<(SitePath, (Stat, Fact))> = postcard::from_bytes(body).ok()?;
    Some(facts.into_iter().collect())
}

/// The facts of several sites, by the record that they are written to.
#[derive(Default)]
pub(super) struct AllStats(Mutex<HashMap<Name, Arc<Stats>>>);

impl AllStats {
    /// The facts of the site in `root`.
    pub(super) fn of(&self, storage: &Arc<dyn Storage>, root: &Path) -> Arc<Stats> {
        let root = ContentHash::of(root.as_os_str().as_encoded_bytes());
        let name = Name::of(Kind::Files, &root.short());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || Arc::new(Stats::open(storage.clone(), name.clone()));
        all.entry(name.clone()).or_insert_with(open).clone()
    }

    pub(super) fn save(&self) {
        let all: Vec<Arc<Stats>> = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.values().cloned().collect()
        };
        for stats in all {
            stats.save();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_a_clock_that_jumps_makes_of_a_file_is_not_trusted() {
        let second = 1_000_000_000;
        let stat = |modified: i128, changed: i128| Stat {
            size: 1,
            modified: modified * second,
            changed: changed * second,
            inode: 1,
            device: 1,
        };
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let written = stat(1000, 1000);
        assert!(written.is_quiet(at(1003)));
        assert!(!written.is_quiet(at(1001)));
        // The clock was set back after the write, to before 1970 even.
        assert!(!written.is_quiet(at(400)));
        assert!(!written.is_quiet(UNIX_EPOCH - Duration::from_secs(5)));
        // A program gave the file another time: when that was done counts.
        assert!(!stat(10, 1000).is_quiet(at(1001)));
        assert!(!stat(9000, 1000).is_quiet(at(1003)));
    }
}
