//! Immutable values by the digest of their bytes, which stay until they are deleted: what published deployments hold.
//!
//! Unlike [`Blobs`](crate::Blobs), which is a cache, an object is durable when [`Objects::put`] returns and is never
//! evicted. Equal bytes are one object, whoever put them.
//!
//! In a folder an object is a file, `objects/AB/CDEF…`, named by its digest in hexadecimal digits. Its modification time is
//! when it was put last: a sweep spares what is younger than its grace period, so that an upload and a sweep may overlap.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use queries::base::content::ContentHash;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::replace::{self, When, replace};
use crate::{Clock, Error, Pending, lock};

/// Immutable values by the digest of their bytes.
pub trait Objects: Send + Sync {
    /// Returns the bytes; `None` if there is no such object or it is damaged.
    fn get<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, Option<Bytes>>;

    /// Stores `bytes` and returns their digest. Durable on return; an object that is there already counts as new for
    /// [`Objects::delete`], and one that is damaged is replaced.
    fn put(&self, bytes: Bytes) -> Pending<'_, ContentHash>;

    /// Makes the object as new for [`Objects::delete`] as one put now; false if there is none. Its
    /// bytes are not compared with the digest.
    fn touch<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, bool>;

    /// Stores each of `objects`, several at once where they travel.
    fn put_all(&self, objects: Vec<Bytes>) -> Pending<'_, ()> {
        Box::pin(async move {
            for bytes in objects {
                self.put(bytes).await?;
            }
            Ok(())
        })
    }

    /// Touches each of `digests`, several at once where they travel; returns those that exist.
    fn touch_all(&self, digests: Vec<ContentHash>) -> Pending<'_, Vec<ContentHash>> {
        Box::pin(async move {
            let mut found = Vec::with_capacity(digests.len());
            for digest in digests {
                if self.touch(&digest).await? {
                    found.push(digest);
                }
            }
            Ok(found)
        })
    }

    /// Age below which a sweep must spare an object that nothing names: the longest time of a
    /// deployment, and the age up to which [`Objects::put`] and [`Objects::touch`] do not renew one.
    fn grace(&self) -> Duration {
        Duration::from_secs(60 * 60)
    }

    /// Deletes the object if it was put before `before`; returns true if it did.
    fn delete<'a>(&'a self, digest: &'a ContentHash, before: SystemTime) -> Pending<'a, bool>;

    /// Returns the local file of the object, for reading it in parts; `None` if it has none. Its
    /// bytes are not compared with the digest.
    fn file(&self, digest: &ContentHash) -> Result<Option<File>, Error>;

    /// Returns all objects, in the order of their digests.
    fn list(&self) -> Pending<'_, Vec<ObjectInfo>>;
}

/// Entry of [`Objects::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Digest of the bytes.
    pub digest: ContentHash,
    /// Number of bytes.
    pub size: u64,
    /// Time of the last put or touch.
    pub stored: SystemTime,
}

/// Objects in a folder.
pub(super) struct FolderObjects {
    folder: PathBuf,
    /// Reason why nothing can be written, if that is known.
    closed: Option<std::sync::Arc<str>>,
    clock: Clock,
}

impl FolderObjects {
    pub(super) fn new(folder: PathBuf, closed: Option<std::sync::Arc<str>>, clock: Clock) -> Self {
        Self {
            folder,
            closed,
            clock,
        }
    }

    fn path(&self, digest: &ContentHash) -> PathBuf {
        let name = hex(digest);
        let (start, rest) = name.split_at(2);
        self.folder.join(start).join(rest)
    }

    fn check_open(&self, path: &Path) -> Result<(), Error> {
        let Some(why) = &self.closed else {
            return Ok(());
        };
        let error = io::Error::new(ErrorKind::ReadOnlyFilesystem, why.to_string());
        Err(Error::of("write", path, error))
    }

    /// Locks the folder: an object is not deleted while it is put again.
    fn guard(&self) -> Result<File, Error> {
        let path = self.folder.join(".lock");
        let locked = || {
            let file = lock::open(&path)?;
            file.lock()?;
            Ok(file)
        };
        locked().map_err(|error| Error::of("lock", &path, error))
    }

    fn read(&self, digest: &ContentHash) -> Result<Option<Bytes>, Error> {
        let path = self.path(digest);
        match fs::read(&path) {
            Ok(bytes) if ContentHash::of(&bytes) == *digest => Ok(Some(bytes.into())),
            Ok(_) => {
                tracing::warn!("ignoring the damaged object {}", path.display());
                Ok(None)
            }
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(Error::of("read", &path, error)),
        }
    }

    fn store(&self, bytes: &[u8]) -> Result<ContentHash, Error> {
        let digest = ContentHash::of(bytes);
        let path = self.path(&digest);
        let failed = |error| Error::of("write", &path, error);
        self.check_open(&path)?;
        let folder = path.parent().unwrap_or(&self.folder);
        let is_new = !folder.is_dir();
        fs::create_dir_all(folder).map_err(failed)?;
        let _guard = self.guard()?;
        let now = (self.clock)();
        if self.read(&digest)?.is_some() {
            let file = File::options().write(true).open(&path).map_err(failed)?;
            file.set_modified(now).map_err(failed)?;
            return Ok(digest);
        }
        let points = ["object-written", "object-stored"];
        replace(&path, bytes, When::Now, points).map_err(failed)?;
        let file = File::options().write(true).open(&path).map_err(failed)?;
        file.set_modified(now).map_err(failed)?;
        if is_new {
            replace::sync_folder(&self.folder).map_err(failed)?;
        }
        Ok(digest)
    }

    fn renew(&self, digest: &ContentHash) -> Result<bool, Error> {
        let path = self.path(digest);
        self.check_open(&path)?;
        if !self.folder.is_dir() {
            return Ok(false);
        }
        let _guard = self.guard()?;
        let now = (self.clock)();
        let opened = File::options().write(true).open(&path);
        match opened.and_then(|file| file.set_modified(now)) {
            Ok(()) => Ok(true),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(Error::of("write", &path, error)),
        }
    }

    fn remove(&self, digest: &ContentHash, before: SystemTime) -> Result<bool, Error> {
        let path = self.path(digest);
        let failed = |error| Error::of("remove", &path, error);
        self.check_open(&path)?;
        if !self.folder.is_dir() {
            return Ok(false);
        }
        let _guard = self.guard()?;
        let stored = match fs::metadata(&path).and_then(|file| file.modified()) {
            Ok(stored) => stored,
            Err(error) if is_missing(&error) => return Ok(false),
            Err(error) => return Err(failed(error)),
        };
        if stored >= before {
            return Ok(false);
        }
        fs::remove_file(&path).map_err(failed)?;
        Ok(true)
    }

    fn all(&self) -> Result<Vec<ObjectInfo>, Error> {
        let mut found = Vec::new();
        for start in entries(&self.folder)? {
            if start.file_name().len() != 2 {
                continue;
            }
            for entry in entries(&start.path())? {
                let name = [start.file_name(), entry.file_name()];
                let Some(digest) = digest_of(&name) else {
                    continue;
                };
                let info = entry.metadata().and_then(|file| {
                    Ok(ObjectInfo {
                        digest,
                        size: file.len(),
                        stored: file.modified()?,
                    })
                });
                match info {
                    Ok(info) => found.push(info),
                    // Deleted in the meantime.
                    Err(error) if is_missing(&error) => {}
                    Err(error) => return Err(Error::of("read", &entry.path(), error)),
                }
            }
        }
        found.sort_by(|a, b| a.digest.as_bytes().cmp(b.digest.as_bytes()));
        Ok(found)
    }
}

impl Objects for FolderObjects {
    fn get<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, Option<Bytes>> {
        Box::pin(async move { self.read(digest) })
    }

    fn put(&self, bytes: Bytes) -> Pending<'_, ContentHash> {
        Box::pin(async move { self.store(&bytes) })
    }

    fn touch<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, bool> {
        Box::pin(async move { self.renew(digest) })
    }

    fn delete<'a>(&'a self, digest: &'a ContentHash, before: SystemTime) -> Pending<'a, bool> {
        Box::pin(async move { self.remove(digest, before) })
    }

    fn file(&self, digest: &ContentHash) -> Result<Option<File>, Error> {
        let path = self.path(digest);
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(Error::of("read", &path, error)),
        }
    }

    fn list(&self) -> Pending<'_, Vec<ObjectInfo>> {
        Box::pin(async move { self.all() })
    }
}

/// Objects in memory.
pub(super) struct MemoryObjects {
    objects: Mutex<HashMap<ContentHash, (Bytes, SystemTime)>>,
    clock: Clock,
}

impl MemoryObjects {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            objects: Mutex::default(),
            clock,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ContentHash, (Bytes, SystemTime)>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Objects for MemoryObjects {
    fn get<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, Option<Bytes>> {
        Box::pin(async move { Ok(self.lock().get(digest).map(|(bytes, _)| bytes.clone())) })
    }

    fn put(&self, bytes: Bytes) -> Pending<'_, ContentHash> {
        Box::pin(async move {
            let digest = ContentHash::of(&bytes);
            let now = (self.clock)();
            self.lock().insert(digest, (bytes, now));
            Ok(digest)
        })
    }

    fn touch<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, bool> {
        Box::pin(async move {
            let now = (self.clock)();
            let mut objects = self.lock();
            let stored = objects.get_mut(digest).map(|(_, stored)| *stored = now);
            Ok(stored.is_some())
        })
    }

    fn delete<'a>(&'a self, digest: &'a ContentHash, before: SystemTime) -> Pending<'a, bool> {
        Box::pin(async move {
            let mut objects = self.lock();
            let is_old = objects
                .get(digest)
                .is_some_and(|(_, stored)| *stored < before);
            Ok(is_old && objects.remove(digest).is_some())
        })
    }

    fn file(&self, _: &ContentHash) -> Result<Option<File>, Error> {
        Ok(None)
    }

    fn list(&self) -> Pending<'_, Vec<ObjectInfo>> {
        Box::pin(async move {
            let objects = self.lock();
            let mut found: Vec<ObjectInfo> = (objects.iter())
                .map(|(digest, (bytes, stored))| ObjectInfo {
                    digest: *digest,
                    size: bytes.len() as u64,
                    stored: *stored,
                })
                .collect();
            found.sort_by(|a, b| a.digest.as_bytes().cmp(b.digest.as_bytes()));
            Ok(found)
        })
    }
}

/// Removes what killed processes left unfinished below `folder`.
pub(super) fn clear_leftovers(folder: &Path) {
    for start in entries(folder).unwrap_or_default() {
        replace::clear(&start.path(), replace::ANY);
    }
}

/// Returns the entries of a folder; none if it does not exist.
fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, Error> {
    match fs::read_dir(folder).and_then(Iterator::collect) {
        Ok(entries) => Ok(entries),
        Err(error) if is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(Error::of("list", folder, error)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// A digest that is written down in hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub ContentHash);

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ObjectId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digest = from_hex(&text);
        digest
            .map(Self)
            .ok_or_else(|| D::Error::custom("expected 64 hexadecimal digits in lower case"))
    }
}

/// Returns the digest in hexadecimal digits.
pub fn hex(digest: &ContentHash) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(64);
    for byte in digest.as_bytes() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns the digest that `text` writes in hexadecimal digits.
pub fn from_hex(text: &str) -> Option<ContentHash> {
    let is_plain = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 64 || !text.bytes().all(is_plain) {
        return None;
    }
    let mut bytes = [0; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(ContentHash::from_bytes(bytes))
}

fn digest_of(name: &[std::ffi::OsString; 2]) -> Option<ContentHash> {
    let [start, rest] = name;
    from_hex(&format!("{}{}", start.to_str()?, rest.to_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_in_hexadecimal_digits_is_read_back() {
        let digest = ContentHash::of(b"a");
        assert_eq!(from_hex(&hex(&digest)), Some(digest));
        for text in ["", "ab", &"g".repeat(64), &"A".repeat(64), &"ä".repeat(32)] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
