//! The artifact pack: values by key in one append-only file, so that what was drawn once need not be drawn again.
//!
//! Each record carries the hash of its key and value, which is checked whenever it is read: a
//! damaged record is a miss, never a wrong answer. The index is rebuilt by walking the records; a
//! side file spares the walk and is only a hint. Values are buffered and written in the background,
//! so rendering never waits for the disk. One process writes, others read.
//!
//! ```text
//! artifacts.pack   header: magic · version · id          record: magic · length · key · hash · check · value
//! artifacts.index  magic · version · id · length of the pack that it describes · entries · hash of all of it
//! artifacts.lock   locked by the process that writes
//! ```

mod blobs;
mod file;
mod index;

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use queries::base::content::ContentHash;

use crate::crash_point;
use crate::replace::{self, When, replace};
use crate::{Size, lock};

use file::{HEADER, Header, RECORD, Record};
use index::{Entry, Index, Prefix, prefix};

/// The file of the records.
pub const PACK_FILE: &str = "artifacts.pack";

/// The file of the index.
pub const INDEX_FILE: &str = "artifacts.index";

const LOCK_FILE: &str = "artifacts.lock";

/// File that a compaction writes.
const NEW_FILE: &str = "artifacts.pack.new";

/// Maximum size of the file, in bytes.
pub const LIMIT: u64 = 512 << 20;

/// Number of buffered bytes from which a write is worth it.
const WORTH_WRITING: usize = 4 << 20;

/// Maximum number of buffered bytes; values beyond are dropped.
const MAX_BUFFERED: usize = 64 << 20;

/// Number of reads per tick of the use clock: a daemon that reads a thousand values a second for
/// years does not overflow it.
const USES: u64 = 64;

/// Values by key, on disk.
pub struct Pack {
    folder: PathBuf,
    limit: u64,
    /// Held as long as the pack is open: who has it writes.
    lock: Option<File>,
    disk: RwLock<Disk>,
    buffer: Mutex<Buffer>,
    /// Held while the file is written.
    write_lock: Mutex<()>,
    /// Counts uses, so that those of long ago are known ([`Pack::now`]).
    clock: AtomicU64,
    /// Whether nothing can be written, by any process like this one.
    is_closed: bool,
    /// Whether the last write failed.
    is_failing: AtomicBool,
    /// Whether anything was used.
    is_used: AtomicBool,
}

/// State of the file.
#[derive(Default)]
struct Disk {
    file: Option<Arc<File>>,
    id: [u8; 16],
    /// Offset of the next record.
    len: u64,
    index: Index,
    /// Whether the side file tells less than is known.
    is_index_old: bool,
}

/// Values that are not in the file yet.
#[derive(Default)]
struct Buffer {
    pending: HashMap<ContentHash, Arc<[u8]>>,
    /// Values that are being written; they can still be read.
    leaving: HashMap<ContentHash, Arc<[u8]>>,
    bytes: usize,
}

impl Pack {
    /// The pack in `folder`, made if it is not there. A folder that cannot be written is read; one that is not there
    /// and cannot be made leaves a pack in memory.
    pub fn open(folder: &Path) -> Self {
        Self::with_limit(folder, LIMIT)
    }

    /// Like [`Pack::open`], with another bound than [`LIMIT`].
    pub fn with_limit(folder: &Path, limit: u64) -> Self {
        let lock = lock_folder(folder);
        let is_closed = lock.is_err();
        let lock = lock.unwrap_or_else(|error| {
            warn_closed(folder, &error);
            None
        });
        Self::with_lock(folder, limit, lock, is_closed)
    }

    /// The pack in `folder`, to be read alone.
    pub fn open_to_read(folder: &Path) -> Self {
        Self::with_lock(folder, LIMIT, None, true)
    }

    fn with_lock(folder: &Path, limit: u64, mut lock: Option<File>, mut is_closed: bool) -> Self {
        if lock.is_some() {
            // One that was killed while it wrote.
            replace::clear(folder, replace::OWN);
            let _ = fs::remove_file(folder.join(NEW_FILE));
        }
        let mut disk = open_file(folder, lock.is_some());
        if let Err(error) = &disk
            && lock.is_some()
            && matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            )
        {
            warn_closed(folder, error);
            (lock, is_closed) = (None, true);
            disk = open_file(folder, false);
        }
        let disk = disk.unwrap_or_else(|error| {
            let is_none = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            if !is_none {
                let path = folder.join(PACK_FILE);
                tracing::warn!(
                    "failed to open {}: {error}; artifacts are not cached",
                    path.display()
                );
            }
            Disk::default()
        });
        let clock = AtomicU64::new((u64::from(disk.index.latest_use()) + 1) * USES);
        Self {
            folder: folder.to_owned(),
            limit,
            lock,
            disk: RwLock::new(disk),
            buffer: Mutex::default(),
            write_lock: Mutex::new(()),
            clock,
            is_closed,
            is_failing: AtomicBool::new(false),
            is_used: AtomicBool::new(false),
        }
    }

    /// Returns true if this process writes the pack.
    pub fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// Returns true if no process of this version can write the pack.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The value under `key`; `None` if there is none or it cannot be read as it was written.
    pub fn get(&self, key: &ContentHash) -> Option<Arc<[u8]>> {
        let buffer = self.buffer();
        let buffered = buffer.pending.get(key).or_else(|| buffer.leaving.get(key));
        if let Some(value) = buffered {
            return Some(value.clone());
        }
        drop(buffer);
        let (file, offset, len) = {
            let disk = self.disk.read().unwrap_or_else(PoisonError::into_inner);
            let entry = disk.index.get(key)?;
            entry.used.store(self.now(), Ordering::Relaxed);
            (disk.file.clone()?, entry.offset, entry.len)
        };
        self.is_used.store(true, Ordering::Relaxed);
        let record = file::read_record(&file, offset, len);
        let packed = record.filter(|(of, _)| of == key);
        let value = packed.and_then(|(_, packed)| unpacked(&packed));
        if value.is_none() {
            let mut disk = self.disk.write().unwrap_or_else(PoisonError::into_inner);
            disk.index.forget(key, offset);
            disk.is_index_old = true;
        }
        value
    }

    /// Keeps `value` under `key`, instead of what was there, if there is room for it.
    pub fn put(&self, key: ContentHash, value: Arc<[u8]>) {
        self.insert(&mut self.buffer(), key, value);
    }

    /// Keeps `value` under `key` unless something is there; returns whether it does.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::StorageFull`] if there is no room to keep it until it is written.
    pub fn put_if_absent(&self, key: ContentHash, value: Arc<[u8]>) -> io::Result<bool> {
        let mut buffer = self.buffer();
        let is_buffered = buffer.pending.contains_key(&key) || buffer.leaving.contains_key(&key);
        // The buffer stays locked meanwhile: of two writers the second finds what the first put.
        if is_buffered || self.is_written(&key) {
            return Ok(false);
        }
        match self.insert(&mut buffer, key, value) {
            true => Ok(true),
            false => Err(ErrorKind::StorageFull.into()),
        }
    }

    /// Returns whether there is a value under `key`; one that is damaged counts until it is read.
    pub fn contains(&self, key: &ContentHash) -> bool {
        let buffer = self.buffer();
        let is_buffered = buffer.pending.contains_key(key) || buffer.leaving.contains_key(key);
        is_buffered || self.is_written(key)
    }

    fn is_written(&self, key: &ContentHash) -> bool {
        let disk = self.disk.read().unwrap_or_else(PoisonError::into_inner);
        disk.index.get(key).is_some()
    }

    /// Puts a value into the buffer, if there is room for it.
    fn insert(&self, buffer: &mut Buffer, key: ContentHash, value: Arc<[u8]>) -> bool {
        if buffer.bytes + value.len() > MAX_BUFFERED || u32::try_from(value.len()).is_err() {
            return false;
        }
        buffer.bytes += value.len();
        if let Some(replaced) = buffer.pending.insert(key, value) {
            buffer.bytes -= replaced.len();
        }
        true
    }

    /// Writes what is buffered. To be called from the background: it waits for the disk. What cannot be written stays
    /// in memory, and the next flush tries again.
    pub fn flush(&self) {
        if !self.is_writer() {
            return;
        }
        let _writing = self
            .write_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let batch = {
            let mut buffer = self.buffer();
            buffer.leaving = std::mem::take(&mut buffer.pending);
            buffer.bytes = 0;
            buffer.leaving.clone()
        };
        if batch.is_empty() {
            return;
        }
        let written = self.append(&batch);
        let mut buffer = self.buffer();
        match written {
            Ok(()) => {
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("artifact cache is writable again");
                }
            }
            Err(error) => {
                if !self.is_failing.swap(true, Ordering::Relaxed) {
                    let path = self.folder.join(PACK_FILE);
                    tracing::warn!(
                        "failed to write {}: {error}; caching artifacts in memory",
                        path.display()
                    );
                }
                let leaving = std::mem::take(&mut buffer.leaving);
                let newer = std::mem::replace(&mut buffer.pending, leaving);
                buffer.pending.extend(newer);
                buffer.bytes = buffer.pending.values().map(|value| value.len()).sum();
            }
        }
        buffer.leaving = HashMap::new();
    }

    /// Appends `batch`, as far as the bound allows.
    fn append(&self, batch: &HashMap<ContentHash, Arc<[u8]>>) -> io::Result<()> {
        // One order, so that the same work makes the same file.
        let mut keys: Vec<&ContentHash> = batch.keys().collect();
        keys.sort_unstable();
        // An upper bound, which is three times too large for most.
        let size: u64 = (keys.iter())
            .map(|key| (RECORD + 1 + batch[key].len()) as u64)
            .sum();
        if self.len() + size > self.limit {
            self.compact_to(self.limit / 2)?;
        }
        let (file, mut at) = {
            let disk = self.disk.read().unwrap_or_else(PoisonError::into_inner);
            let file = disk.file.clone();
            (file.ok_or(io::ErrorKind::NotFound)?, disk.len)
        };
        let mut bytes = Vec::new();
        let mut entries = Vec::new();
        let mut write = |bytes: &mut Vec<u8>, entries: &mut Vec<(Prefix, Entry)>| {
            crash_point::reach("pack-appending");
            file.write_all_at(bytes, at)?;
            crash_point::reach("pack-appended");
            at += bytes.len() as u64;
            bytes.clear();
            let mut disk = self.disk.write().unwrap_or_else(PoisonError::into_inner);
            disk.len = at;
            disk.is_index_old = true;
            for (key, entry) in entries.drain(..) {
                disk.index.insert(key, entry);
            }
            io::Result::Ok(())
        };
        let mut planned = self.len();
        for key in keys {
            let value = &*packed(&batch[key]);
            let length = (RECORD + value.len()) as u64;
            if planned + length > self.limit {
                continue;
            }
            let entry = Entry {
                offset: planned,
                len: value.len() as u32,
                used: AtomicU32::new(self.now()),
            };
            entries.push((prefix(key), entry));
            Record::of(key, value).write(&mut bytes);
            bytes.extend_from_slice(value);
            planned += length;
            if bytes.len() > WORTH_WRITING {
                write(&mut bytes, &mut entries)?;
            }
        }
        write(&mut bytes, &mut entries)
    }

    /// Writes buffered values, compacts if space is scarce, and writes the index. Called when idle.
    pub fn idle(&self) {
        self.flush();
        if !self.is_writer() {
            return;
        }
        let _writing = self
            .write_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (len, dead) = {
            let disk = self.disk.read().unwrap_or_else(PoisonError::into_inner);
            (disk.len, disk.len.saturating_sub(disk.index.live_bytes()))
        };
        let is_scarce = len > self.limit / 4 * 3;
        let is_waste = dead > len / 2 && dead > self.limit / 64;
        let compacted = match is_scarce || is_waste {
            true => self.compact_to(if is_scarce {
                self.limit / 2
            } else {
                self.limit
            }),
            false => Ok(()),
        };
        if let Err(error) = compacted.and_then(|()| self.save_index()) {
            tracing::debug!("tidy {}: {error}", self.folder.display());
        }
    }

    /// Writes a new file with what was used last, at most `target` bytes of it, and takes it instead of the old one.
    fn compact_to(&self, target: u64) -> io::Result<()> {
        let (old, kept) = {
            let disk = self.disk.read().unwrap_or_else(PoisonError::into_inner);
            let Some(file) = disk.file.clone() else {
                return Ok(());
            };
            (file, disk.index.by_use())
        };
        let path = self.folder.join(NEW_FILE);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)?;
        crash_point::reach("pack-compacting");
        let header = Header::new();
        let mut bytes = header.bytes().to_vec();
        let mut index = Index::default();
        let (mut written, mut at) = (0, HEADER as u64);
        for (prefix, offset, len, used) in kept {
            let length = (RECORD + len as usize) as u64;
            if at + length > target {
                break;
            }
            let record = file::read_record(&old, offset, len);
            let Some((key, value)) = record.filter(|(key, _)| index::prefix(key) == prefix) else {
                continue;
            };
            Record::of(&key, &value).write(&mut bytes);
            bytes.extend_from_slice(&value);
            let used = AtomicU32::new(used);
            index.insert(
                prefix,
                Entry {
                    offset: at,
                    len,
                    used,
                },
            );
            at += length;
            if bytes.len() > WORTH_WRITING {
                file.write_all_at(&bytes, written)?;
                written += bytes.len() as u64;
                bytes.clear();
            }
        }
        file.write_all_at(&bytes, written)?;
        file.sync_data()?;
        crash_point::reach("pack-compacted");
        fs::rename(&path, self.folder.join(PACK_FILE))?;
        crash_point::reach("pack-replaced");
        let mut disk = self.disk.write().unwrap_or_else(PoisonError::into_inner);
        *disk = Disk {
            file: Some(Arc::new(file)),
            id: header.id,
            len: at,
            index,
            is_index_old: true,
        };
        Ok(())
    }

    /// Writes the side file, if it tells less than is known.
    fn save_index(&self) -> io::Result<()> {
        let mut disk = self.disk.write().unwrap_or_else(PoisonError::into_inner);
        if !disk.is_index_old {
            return Ok(());
        }
        disk.is_index_old = false;
        let bytes = disk.index.bytes(&disk.id, disk.len);
        drop(disk);
        let points = ["index-written", "index-replaced"];
        replace(&self.folder.join(INDEX_FILE), &bytes, When::Later, points)
    }

    /// Does the work of [`Pack::idle`] and records which values were used. Called at the end.
    pub fn finish(&self) {
        if self.is_used.swap(false, Ordering::Relaxed) {
            let mut disk = self.disk.write().unwrap_or_else(PoisonError::into_inner);
            disk.is_index_old = true;
        }
        self.idle();
    }

    /// Size of the pack.
    pub fn size(&self) -> Size {
        let buffered = {
            let buffer = self.buffer();
            buffer.pending.len() + buffer.leaving.len()
        };
        let disk = self.disk.read().unwrap_or_else(PoisonError::into_inner);
        Size {
            entries: buffered + disk.index.len(),
            bytes: disk.len,
        }
    }

    /// The time by the clock that counts uses; it ticks once for [`USES`] of them.
    fn now(&self) -> u32 {
        let uses = self.clock.fetch_add(1, Ordering::Relaxed);
        u32::try_from(uses / USES).unwrap_or(u32::MAX)
    }

    fn len(&self) -> u64 {
        self.disk.read().unwrap_or_else(PoisonError::into_inner).len
    }

    fn buffer(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pack {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Values shorter than this stay as they are.
const WORTH_PACKING: usize = 256;

/// `value` as it is written: pages are markup, and a quarter as long when they are packed. The first byte says which.
fn packed(value: &[u8]) -> Vec<u8> {
    let plain = || [&[0], value].concat();
    if value.len() < WORTH_PACKING {
        return plain();
    }
    let mut packed = lz4_flex::compress_prepend_size(value);
    packed.insert(0, 1);
    if packed.len() > value.len() {
        return plain();
    }
    packed
}

/// The value that was written as `packed`.
fn unpacked(packed: &[u8]) -> Option<Arc<[u8]>> {
    match packed.split_first()? {
        (0, plain) => Some(Arc::from(plain)),
        (1, packed) => Some(Arc::from(lz4_flex::decompress_size_prepended(packed).ok()?)),
        _ => None,
    }
}

fn warn_closed(folder: &Path, error: &io::Error) {
    tracing::warn!(
        "{} cannot be written: {error}; reading the cache without adding to it",
        folder.display()
    );
}

/// The lock of `folder`, if no other process has it; an error if the folder cannot be written.
fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    fs::create_dir_all(folder)?;
    let file = lock::open(&folder.join(LOCK_FILE))?;
    if lock::try_lock(&file)? {
        return Ok(Some(file));
    }
    tracing::debug!("{}: another process writes here", folder.display());
    Ok(None)
}

/// Opens the file in `folder` and finds its records.
fn open_file(folder: &Path, is_writer: bool) -> io::Result<Disk> {
    let path = folder.join(PACK_FILE);
    let file = OpenOptions::new()
        .read(true)
        .write(is_writer)
        .create(is_writer)
        .truncate(false)
        .open(&path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let len = file.metadata()?.len();
    let header = Header::read(&file);
    let mut index = Index::default();
    let mut end = 0;
    let mut is_index_old = true;
    match header {
        Some(header) if !header.is_known() => {
            tracing::info!(
                "{}: created by another version; starting with an empty artifact cache",
                path.display()
            );
        }
        Some(header) => {
            end = HEADER as u64;
            if let Some((known, described)) = Index::load(&folder.join(INDEX_FILE), &header.id, len)
            {
                (index, end) = (known, described);
                is_index_old = described < len;
            }
        }
        None => {}
    }
    if header.is_none_or(|header| header.is_known()) {
        let found = file::walk(&file, end, len, &mut |key, offset, len| {
            let used = AtomicU32::new(0);
            index.insert(prefix(&key), Entry { offset, len, used });
        });
        end = found.end.max(end);
        let is_whole = found.skipped == 0 && end == len && (header.is_some() || len == 0);
        if !is_whole {
            let left = found.skipped + len.saturating_sub(end);
            tracing::warn!("{}: skipped {left} corrupt bytes", path.display());
        }
    }
    if is_writer && end < len {
        file.set_len(end)?;
    }
    let header = match header.filter(Header::is_known) {
        Some(header) => header,
        None => {
            let header = Header::new();
            if is_writer {
                file.write_all_at(&header.bytes(), 0)?;
                crash_point::reach("pack-created");
                end = end.max(HEADER as u64);
            }
            header
        }
    };
    Ok(Disk {
        file: Some(Arc::new(file)),
        id: header.id,
        len: end,
        index,
        is_index_old,
    })
}
