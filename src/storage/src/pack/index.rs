//! Index of a pack: the place of each value, in memory and in a side file that saves a scan of the
//! pack.
//!
//! A daemon that lives for months has hundreds of thousands of values, so an entry is small: of a key only the first eight
//! bytes are kept. Two keys that share them share a place, and the one that was put last has it; the record itself says
//! whose value it is.

use std::collections::HashMap;
use std::fs;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use queries::base::content::ContentHash;

use super::file::{HEADER, RECORD};

const MAGIC: &[u8; 8] = b"quireidx";
const VERSION: u32 = 2;

/// Length of the header: magic, version, padding, id, length of the pack.
const HEAD: usize = 40;

/// Key, offset, length, use.
const ENTRY: usize = 24;

/// The beginning of a key. Keys are digests, so it is as good a hash as any.
pub(super) type Prefix = u64;

/// The beginning of `key`.
pub(super) fn prefix(key: &ContentHash) -> Prefix {
    let mut first = [0; 8];
    first.copy_from_slice(&key.as_bytes()[..8]);
    Prefix::from_le_bytes(first)
}

/// Takes a [`Prefix`] for its own hash.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Place of a value.
pub(super) struct Entry {
    /// Offset of its record.
    pub(super) offset: u64,
    /// Length of the value.
    pub(super) len: u32,
    /// When it was used last, by the clock of the pack.
    pub(super) used: AtomicU32,
}

impl Entry {
    /// Length of the record.
    fn record(&self) -> u64 {
        RECORD as u64 + u64::from(self.len)
    }
}

/// The values of a pack by key.
#[derive(Default)]
pub(super) struct Index {
    entries: HashMap<Prefix, Entry, BuildHasherDefault<Itself>>,
    live: u64,
}

impl Index {
    pub(super) fn get(&self, key: &ContentHash) -> Option<&Entry> {
        self.entries.get(&prefix(key))
    }

    pub(super) fn insert(&mut self, key: Prefix, entry: Entry) {
        self.live += entry.record();
        if let Some(replaced) = self.entries.insert(key, entry) {
            self.live -= replaced.record();
        }
    }

    /// Forgets the value of `key`, if it is still the one at `offset`.
    pub(super) fn forget(&mut self, key: &ContentHash, offset: u64) {
        let key = prefix(key);
        let entry = self.entries.get(&key);
        if entry.is_some_and(|entry| entry.offset == offset)
            && let Some(entry) = self.entries.remove(&key)
        {
            self.live -= entry.record();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Number of bytes of the pack that hold current values.
    pub(super) fn live_bytes(&self) -> u64 {
        HEADER as u64 + self.live
    }

    /// When anything was used last.
    pub(super) fn latest_use(&self) -> u32 {
        let uses = self.entries.values();
        let uses = uses.map(|entry| entry.used.load(Ordering::Relaxed));
        uses.max().unwrap_or(0)
    }

    /// Key, offset, length and use of every value, those used last first.
    pub(super) fn by_use(&self) -> Vec<(Prefix, u64, u32, u32)> {
        let entries = self.entries.iter().map(|(key, entry)| {
            let used = entry.used.load(Ordering::Relaxed);
            (*key, entry.offset, entry.len, used)
        });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_unstable_by_key(|(_, offset, _, used)| std::cmp::Reverse((*used, *offset)));
        entries
    }

    /// The side file for the pack `id`, of which the first `len` bytes are described.
    pub(super) fn bytes(&self, id: &[u8; 16], len: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.entries.len() * ENTRY + 32);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(id);
        bytes.extend_from_slice(&len.to_le_bytes());
        for (key, offset, len, used) in self.by_use() {
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend_from_slice(&offset.to_le_bytes());
            bytes.extend_from_slice(&len.to_le_bytes());
            bytes.extend_from_slice(&used.to_le_bytes());
        }
        let hash = ContentHash::of(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        bytes
    }

    /// Reads the side file at `path`, and how much of the pack it describes; `None` if it is not of the pack `id`, which
    /// is `pack_len` bytes long, or not as it was written.
    pub(super) fn load(path: &Path, id: &[u8; 16], pack_len: u64) -> Option<(Self, u64)> {
        let bytes = fs::read(path).ok()?;
        let (bytes, hash) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        let head = bytes.get(..HEAD)?;
        let described = u64::from_le_bytes(head[32..40].try_into().ok()?);
        let is_ours = head[..8] == *MAGIC
            && head[8..12] == VERSION.to_le_bytes()
            && head[16..32] == *id
            && (HEADER as u64..=pack_len).contains(&described)
            && ContentHash::of(bytes).as_bytes() == hash;
        is_ours.then_some(())?;
        let mut index = Self::default();
        index.entries.reserve((bytes.len() - HEAD) / ENTRY);
        for entry in bytes[HEAD..].chunks_exact(ENTRY) {
            let key = Prefix::from_le_bytes(entry[..8].try_into().ok()?);
            let entry = Entry {
                offset: u64::from_le_bytes(entry[8..16].try_into().ok()?),
                len: u32::from_le_bytes(entry[16..20].try_into().ok()?),
                used: AtomicU32::new(u32::from_le_bytes(entry[20..24].try_into().ok()?)),
            };
            index.insert(key, entry);
        }
        Some((index, described))
    }
}
