//! Storage in a folder of the machine.
//!
//! ```text
//! KIND/NAME         a record: its bytes and nothing else, so the version is their digest
//! KIND/.lock        locked while a record of this kind is compared and replaced, by any process
//! NAME              a lease: locked by its holder; when it ends in milliseconds since 1970, or nothing
//! artifacts.pack …  blobs ([`super::pack`])
//! objects/AB/…      objects ([`super::objects`])
//! ```
//!
//! Records are replaced in one step, so readers need no lock. A folder that cannot be written is
//! read all the same.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use queries::base::content::ContentHash;

use crate::objects::{self, FolderObjects};
use crate::pack::Pack;
use crate::record::Properties;
use crate::replace::{self, When, replace};
use crate::{
    Area, Blobs, Clock, Error, Expected, Kind, Lease, Leases, Name, Objects, Pending, Proof,
    Record, Records, Scratch, Stamp, Storage, Term, Version, lock, system_clock,
};

/// The file that is locked while records are compared and replaced, or the end of a lease is.
const LOCK_FILE: &str = ".lock";

/// The folder of objects.
const OBJECTS: &str = "objects";

/// Storage in a folder.
#[derive(Clone)]
pub struct Directory {
    root: PathBuf,
    /// Reason why nothing can be written there, if that is known.
    closed: Option<Arc<str>>,
    clock: Clock,
    /// Records of each kind as they were looked at last.
    looks: Arc<Mutex<HashMap<Kind, Look>>>,
}

/// A look at all records of a kind.
struct Look {
    /// Folder and time of its last change, in nanoseconds since 1970.
    folder: (u64, u128),
    /// When it was begun.
    at: SystemTime,
    stamps: Vec<(Name, Stamp)>,
}

/// Time for which the folder must have been unchanged before a look so that later changes have another
/// time for sure: most file systems count in steps of some milliseconds. Some count in seconds, and the
/// clock of a file server may be behind; then [`LOOK_AGAIN`] bounds what is missed.
const SETTLED: Duration = Duration::from_millis(100);
/// Time after which records are looked at one by one in any case: something else than this program may
/// have written into one.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl Look {
    /// Returns true if a look at `now` at the folder as it is would find the same.
    fn is_valid(&self, folder: (u64, u128), now: SystemTime) -> bool {
        let changed = Duration::from_nanos(u64::try_from(folder.1).unwrap_or(u64::MAX));
        let settled = UNIX_EPOCH.checked_add(changed + SETTLED);
        self.folder == folder
            && settled.is_some_and(|settled| settled < self.at)
            && now
                .duration_since(self.at)
                .is_ok_and(|age| age < LOOK_AGAIN)
    }
}

impl Directory {
    /// Storage in `root`, which is made when something is written.
    pub fn new(root: &Path) -> Self {
        Self::with_clock(root, system_clock())
    }

    /// Storage in `root` whose leases end by `clock`.
    pub fn with_clock(root: &Path, clock: Clock) -> Self {
        Self {
            root: root.to_owned(),
            closed: None,
            clock,
            looks: Arc::default(),
        }
    }

    /// Storage in `root` to which nothing is written, because of `why`.
    pub fn closed(root: &Path, why: &Arc<str>) -> Self {
        Self {
            closed: Some(why.clone()),
            ..Self::new(root)
        }
    }

    /// Makes the folder, for this user alone, if it is not there.
    ///
    /// # Errors
    ///
    /// Returns what the system says.
    pub fn create(&self) -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.root)
    }

    /// Checks that something may be written to the folder. A disk that is full may have room again.
    ///
    /// # Errors
    ///
    /// Returns why nothing may ever be.
    pub fn check_writable(&self) -> io::Result<()> {
        match tempfile::tempfile_in(&self.root) {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                Err(error)
            }
            _ => Ok(()),
        }
    }

    fn looks(&self) -> MutexGuard<'_, HashMap<Kind, Look>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes what killed processes left of records of `kind` unfinished.
    pub fn clear_leftovers(&self, kind: Kind) {
        let folder = self.root.join(kind.properties().folder);
        if self.closed.is_some() || !folder.is_dir() {
            return;
        }
        // Nobody writes there meanwhile.
        match self.guard(&folder) {
            Ok(_guard) => replace::clear(&folder, replace::ANY),
            Err(error) => tracing::debug!("{error}"),
        }
    }

    /// Removes what killed processes left of objects unfinished. To be called by the daemon of the
    /// folder, before it stores any.
    pub fn clear_leftover_objects(&self) {
        if self.closed.is_none() {
            objects::clear_leftovers(&self.root.join(OBJECTS));
        }
    }

    /// Returns the folder that a record is in, and its file there.
    fn place(&self, name: &Name) -> (PathBuf, PathBuf) {
        let Properties { folder, suffix, .. } = name.kind().properties();
        let folder = self.root.join(folder);
        let file = folder.join(format!("{}{suffix}", name.as_str()));
        (folder, file)
    }

    /// Locks `folder` against every other who compares and replaces something in it.
    fn guard(&self, folder: &Path) -> Result<File, Error> {
        let path = folder.join(LOCK_FILE);
        let locked = || {
            let file = lock::open(&path)?;
            file.lock()?;
            Ok(file)
        };
        locked().map_err(|error| Error::of("lock", &path, error))
    }

    fn check_open(&self, path: &Path) -> Result<(), Error> {
        let Some(why) = &self.closed else {
            return Ok(());
        };
        let error = io::Error::new(ErrorKind::ReadOnlyFilesystem, why.to_string());
        Err(Error::of("write", path, error))
    }

    fn read(&self, file: &Path) -> Result<Option<Record>, Error> {
        match fs::read(file) {
            Ok(bytes) => Ok(Some(Record {
                version: version(&bytes),
                bytes,
            })),
            // There is none yet, or there cannot be one.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(error) => Err(Error::of("read", file, error)),
        }
    }

    /// Locks the file of a lease, if it is free by `now`. Others must not do the same in the
    /// meantime.
    fn locked(&self, path: &Path, now: SystemTime) -> Result<File, Error> {
        let failed = |error| Error::of("lock", path, error);
        let file = lock::open(path).map_err(failed)?;
        if lock::try_lock(&file).map_err(failed)? {
            return Ok(file);
        }
        if end_of(&file).is_none_or(|end| now < end) {
            return Err(Error::Conflict);
        }
        // Its holder is alive, but late: the name gets a file of its own, and the holder finds that
        // out when it renews.
        let folder = path.parent().unwrap_or(path);
        let new = tempfile::Builder::new()
            .prefix(replace::PREFIX)
            .tempfile_in(folder)
            .map_err(failed)?;
        lock::try_lock(new.as_file()).map_err(failed)?;
        new.persist(path).map_err(|error| failed(error.error))
    }

    fn take_lease(&self, name: &str, term: Term) -> Result<Lease, Error> {
        let path = self.root.join(name);
        let failed = |error| Error::of("lock", &path, error);
        self.check_open(&path)?;
        let made = self.create().and_then(|()| lock::open(&path));
        if let Err(error) = made {
            // Someone else may hold it all the same, and be allowed to write.
            let is_held = File::open(&path).is_ok_and(|file| {
                let is_late = end_of(&file).is_some_and(|end| end <= (self.clock)());
                !is_late && matches!(lock::try_lock(&file), Ok(false))
            });
            return Err(match is_held {
                true => Error::Conflict,
                false => failed(error),
            });
        }
        let _guard = self.guard(&self.root)?;
        let file = self.locked(&path, (self.clock)())?;
        self.write_end(&file, term).map_err(failed)?;
        Ok(Lease {
            name: name.to_owned(),
            proof: Proof::File(file),
        })
    }

    fn write_end(&self, file: &File, term: Term) -> io::Result<()> {
        match term {
            Term::Process => file.set_len(0),
            Term::For(time) => {
                let end = (self.clock)() + time;
                let end = end.duration_since(UNIX_EPOCH).unwrap_or_default();
                // One write of one length, so a reader finds the old end or the new one.
                file.write_all_at(format!("{:020}", end.as_millis()).as_bytes(), 0)
            }
        }
    }

    fn renew_lease(&self, lease: &Lease, term: Term) -> Result<(), Error> {
        let path = self.root.join(&lease.name);
        let Proof::File(file) = &lease.proof else {
            return Err(Error::Conflict);
        };
        let _guard = self.guard(&self.root)?;
        let own = file.metadata().map(|own| (own.dev(), own.ino()));
        let there = fs::metadata(&path).map(|there| (there.dev(), there.ino()));
        match (own, there) {
            (Ok(own), Ok(there)) if own == there => self
                .write_end(file, term)
                .map_err(|error| Error::of("write", &path, error)),
            _ => Err(Error::Conflict),
        }
    }
}

fn version(bytes: &[u8]) -> Version {
    Version::new(ContentHash::of(bytes).as_bytes())
}

/// Returns the end of the lease in `file`; `None` if it ends with its holder.
fn end_of(file: &File) -> Option<SystemTime> {
    let mut bytes = [0; 20];
    file.read_exact_at(&mut bytes, 0).ok()?;
    let end = std::str::from_utf8(&bytes).ok()?.parse().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(end))
}

impl Records for Directory {
    fn stamp<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Stamp>> {
        Box::pin(async move {
            let path = self.place(name).1;
            match fs::metadata(&path) {
                // A record is replaced by another file.
                Ok(file) => Ok(Some(Stamp([
                    file.ino(),
                    file.len(),
                    file.mtime().cast_unsigned(),
                    file.mtime_nsec().cast_unsigned(),
                ]))),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(Error::of("read", &path, error)),
            }
        })
    }

    fn get<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Record>> {
        Box::pin(async move { self.read(&self.place(name).1) })
    }

    fn put<'a>(
        &'a self,
        name: &'a Name,
        bytes: &'a [u8],
        expected: Expected,
    ) -> Pending<'a, Version> {
        Box::pin(async move {
            let (folder, file) = self.place(name);
            let failed = |error| Error::of("write", &file, error);
            self.check_open(&file)?;
            let is_new = !folder.is_dir();
            fs::create_dir_all(&folder).map_err(failed)?;
            let _guard = self.guard(&folder)?;
            if expected != Expected::Any {
                let found = self.read(&file)?.map(|record| record.version);
                expected.check(found.as_ref())?;
            }
            // Who left it can only have been killed: others would hold the lock.
            replace::clear(&folder, replace::OWN);
            let Properties { when, points, .. } = name.kind().properties();
            replace(&file, bytes, when, points).map_err(failed)?;
            if is_new && when == When::Now {
                replace::sync_folder(&self.root).map_err(failed)?;
            }
            Ok(version(bytes))
        })
    }

    fn delete<'a>(&'a self, name: &'a Name, expected: &'a Version) -> Pending<'a, ()> {
        Box::pin(async move {
            let (folder, file) = self.place(name);
            let failed = |error| Error::of("remove", &file, error);
            self.check_open(&file)?;
            self.read(&file)?.ok_or(Error::NotFound)?;
            let _guard = self.guard(&folder)?;
            let found = self.read(&file)?.ok_or(Error::NotFound)?;
            Expected::Version(expected.clone()).check(Some(&found.version))?;
            fs::remove_file(&file).map_err(failed)?;
            if name.kind().properties().when == When::Now {
                replace::sync_folder(&folder).map_err(failed)?;
            }
            Ok(())
        })
    }

    fn list<'a>(&'a self, kind: Kind, prefix: &'a str) -> Pending<'a, Vec<Name>> {
        Box::pin(async move {
            let Properties { folder, suffix, .. } = kind.properties();
            let folder = self.root.join(folder);
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
                {
                    return Ok(Vec::new());
                }
                Err(error) => return Err(Error::of("list", &folder, error)),
            };
            let mut names = Vec::new();
            for entry in entries {
                let entry = entry.map_err(|error| Error::of("list", &folder, error))?;
                let name = entry.file_name();
                let name = name.to_str().and_then(|name| name.strip_suffix(suffix));
                // What is being written begins with a dot, which no name does.
                let name = name.filter(|name| name.starts_with(prefix));
                names.extend(name.and_then(|name| Name::new(kind, name)));
            }
            names.sort();
            Ok(names)
        })
    }

    /// A record is replaced by renaming, which changes its folder. One that did not change is not looked
    /// into again.
    fn stamps(&self, kind: Kind) -> Pending<'_, Vec<(Name, Stamp)>> {
        Box::pin(async move {
            let path = self.root.join(kind.properties().folder);
            // Before the records: what is written meanwhile changes it again.
            let (folder, now) = (folder_state(&path), (self.clock)());
            let known = |looks: &HashMap<Kind, Look>| {
                let look = looks.get(&kind)?;
                folder
                    .is_some_and(|folder| look.is_valid(folder, now))
                    .then(|| look.stamps.clone())
            };
            if let Some(stamps) = known(&self.looks()) {
                return Ok(stamps);
            }
            let mut stamps = Vec::new();
            for name in self.list(kind, "").await? {
                // It may be gone again.
                let stamp = self.stamp(&name).await?;
                stamps.extend(stamp.map(|stamp| (name, stamp)));
            }
            if let Some(folder) = folder {
                let look = Look {
                    folder,
                    at: now,
                    stamps: stamps.clone(),
                };
                self.looks().insert(kind, look);
            }
            Ok(stamps)
        })
    }
}

/// A folder, and the time of its last change in nanoseconds since 1970.
fn folder_state(folder: &Path) -> Option<(u64, u128)> {
    let found = fs::metadata(folder).ok()?;
    let seconds = u128::try_from(found.mtime()).ok()?;
    let rest = u128::try_from(found.mtime_nsec()).ok()?;
    Some((found.ino(), seconds * 1_000_000_000 + rest))
}

impl Leases for Directory {
    fn take<'a>(&'a self, name: &'a str, term: Term) -> Pending<'a, Lease> {
        Box::pin(async move { self.take_lease(name, term) })
    }

    fn renew<'a>(&'a self, lease: &'a Lease, term: Term) -> Pending<'a, ()> {
        Box::pin(async move { self.renew_lease(lease, term) })
    }

    fn release(&self, lease: Lease) -> Pending<'_, ()> {
        // The lock goes with the file. The file stays: one that is removed while another process
        // waits for it would give two processes the same lease.
        drop(lease);
        Box::pin(async { Ok(()) })
    }
}

impl Storage for Directory {
    fn blobs(&self, area: Area) -> Arc<dyn Blobs> {
        let folder = match area.folder {
            "" => self.root.clone(),
            folder => self.root.join(folder),
        };
        Arc::new(match &self.closed {
            None => Pack::with_limit(&folder, area.limit),
            Some(_) => Pack::open_to_read(&folder),
        })
    }

    fn objects(&self) -> Arc<dyn Objects> {
        let folder = self.root.join(OBJECTS);
        let (closed, clock) = (self.closed.clone(), self.clock.clone());
        Arc::new(FolderObjects::new(folder, closed, clock))
    }

    fn scratch(&self, name: &str) -> Option<Scratch> {
        let path = self.root.join(name);
        // Of a folder that cannot be written what is there is of use, until something changes.
        let is_of_use = self.closed.is_none() || path.is_dir();
        is_of_use.then(|| Scratch::at(&path))
    }

    fn below(&self, folder: &str) -> Arc<dyn Storage> {
        Arc::new(Self {
            root: self.root.join(folder),
            looks: Arc::default(),
            ..self.clone()
        })
    }
}
