//! Bytes that were used lately, bounded by their size.

use std::collections::HashMap;
use std::hash::Hash;

use bytes::Bytes;

/// Bytes by key. When the newer half has half of what may be kept it becomes the older half, and
/// what was not used since is dropped.
#[derive(Debug)]
pub struct RecentBytes<K> {
    limit: usize,
    newer: HashMap<K, Bytes>,
    older: HashMap<K, Bytes>,
    /// Number of bytes in `newer`.
    size: usize,
}

impl<K: Clone + Eq + Hash> RecentBytes<K> {
    /// Room for `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            newer: HashMap::new(),
            older: HashMap::new(),
            size: 0,
        }
    }

    /// Returns the bytes of `key`.
    pub fn get(&mut self, key: &K) -> Option<Bytes> {
        if let Some(bytes) = self.newer.get(key) {
            return Some(bytes.clone());
        }
        let (key, bytes) = self.older.remove_entry(key)?;
        self.insert(key, bytes.clone());
        Some(bytes)
    }

    /// Keeps `bytes`, unless they would displace most others.
    pub fn put(&mut self, key: K, bytes: Bytes) {
        if bytes.len() <= self.limit / 8 {
            self.insert(key, bytes);
        }
    }

    /// Returns the number of bytes that are kept.
    pub fn size(&self) -> usize {
        let all = self.newer.values().chain(self.older.values());
        all.map(Bytes::len).sum()
    }

    fn insert(&mut self, key: K, bytes: Bytes) {
        if self.size + bytes.len() > self.limit / 2 {
            self.older = std::mem::take(&mut self.newer);
            self.size = 0;
        }
        self.size += bytes.len();
        if let Some(replaced) = self.newer.insert(key, bytes) {
            self.size -= replaced.len();
        }
    }
}
