//! Where each value of a pack is, in memory and in the side file that spares a walk over the pack.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use queries::content::ContentHash;

use super::file::{HEADER, RECORD};

const MAGIC: &[u8; 8] = b"quireidx";
const VERSION: u32 = 1;

/// What stands before the entries: magic, version, nothing, id, length of the pack.
const HEAD: usize = 40;

/// Key, offset, length, use.
const ENTRY: usize = 52;

/// Where a value is.
pub(super) struct Entry {
    /// Where its record begins.
    pub(super) offset: u64,
    /// How long the value is.
    pub(super) len: u32,
    /// When it was used last, counted in uses.
    pub(super) used: AtomicU64,
}

impl Entry {
    /// How long the record is.
    fn record(&self) -> u64 {
        RECORD as u64 + u64::from(self.len)
    }
}

/// The values of a pack by key.
#[derive(Default)]
pub(super) struct Index {
    entries: HashMap<ContentHash, Entry>,
    live: u64,
}

impl Index {
    pub(super) fn get(&self, key: &ContentHash) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(super) fn insert(&mut self, key: ContentHash, entry: Entry) {
        self.live += entry.record();
        if let Some(replaced) = self.entries.insert(key, entry) {
            self.live -= replaced.record();
        }
    }

    /// Forgets the value of `key`, if it is still the one at `offset`.
    pub(super) fn forget(&mut self, key: &ContentHash, offset: u64) {
        let entry = self.entries.get(key);
        if entry.is_some_and(|entry| entry.offset == offset)
            && let Some(entry) = self.entries.remove(key)
        {
            self.live -= entry.record();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many bytes of the pack are of use.
    pub(super) fn live_bytes(&self) -> u64 {
        HEADER as u64 + self.live
    }

    /// The number of the last use.
    pub(super) fn latest_use(&self) -> u64 {
        let uses = self.entries.values();
        let uses = uses.map(|entry| entry.used.load(Ordering::Relaxed));
        uses.max().unwrap_or(0)
    }

    /// Key, offset, length and use of every value, those used last first.
    pub(super) fn by_use(&self) -> Vec<(ContentHash, u64, u32, u64)> {
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
            bytes.extend_from_slice(key.as_bytes());
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
            let key = ContentHash::from_bytes(entry[..32].try_into().ok()?);
            let entry = Entry {
                offset: u64::from_le_bytes(entry[32..40].try_into().ok()?),
                len: u32::from_le_bytes(entry[40..44].try_into().ok()?),
                used: AtomicU64::new(u64::from_le_bytes(entry[44..52].try_into().ok()?)),
            };
            index.insert(key, entry);
        }
        Some((index, described))
    }
}
