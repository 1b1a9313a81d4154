//! Compressed bodies, kept by the digest of what they were made of: a page is compressed once, and not for each reader.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use bytes::Bytes;
use queries::base::content::ContentHash;

/// Maximum number of cached bytes, of all sites together.
const LIMIT: usize = 32 << 20;

/// Key of a compressed body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The digest of the bytes.
    pub(super) digest: ContentHash,
    /// Distinguishes bodies with the same digest ([`super::reply::Entity::variant`]).
    pub(super) variant: u64,
    /// Content coding.
    pub(super) encoding: &'static str,
}

/// The bodies of a process.
pub(super) static BODIES: LazyLock<PackedCache> = LazyLock::new(|| PackedCache::new(LIMIT));

/// Cache of compressed bodies, bounded in bytes; the least recently used are evicted.
pub(super) struct PackedCache {
    limit: usize,
    entries: Mutex<Generations>,
}

/// When the first map has half of what may be kept it takes the place of the second: what was asked for since is in the first.
#[derive(Default)]
struct Generations {
    recent: HashMap<Key, Bytes>,
    previous: HashMap<Key, Bytes>,
    /// Number of bytes in `recent`.
    bytes: usize,
}

impl PackedCache {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            entries: Mutex::default(),
        }
    }

    /// The body for `key`, made by `make` if it is not kept.
    pub(super) fn get(&self, key: Key, make: impl FnOnce() -> Bytes) -> Bytes {
        let kept = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(body) = kept().get(&key, self.limit) {
            return body;
        }
        let body = make();
        // One that would evict all others is not cached.
        if body.len() <= self.limit / 8 {
            kept().put(key, body.clone(), self.limit);
        }
        body
    }
}

impl Generations {
    fn get(&mut self, key: &Key, limit: usize) -> Option<Bytes> {
        if let Some(body) = self.recent.get(key) {
            return Some(body.clone());
        }
        let body = self.previous.remove(key)?;
        self.put(*key, body.clone(), limit);
        Some(body)
    }

    fn put(&mut self, key: Key, body: Bytes, limit: usize) {
        if self.bytes + body.len() > limit / 2 {
            self.previous = std::mem::take(&mut self.recent);
            self.bytes = 0;
        }
        self.bytes += body.len();
        if let Some(same) = self.recent.insert(key, body) {
            // Another thread was as fast.
            self.bytes -= same.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(of: usize) -> Key {
        Key {
            digest: ContentHash::of(&of.to_le_bytes()),
            variant: 0,
            encoding: "br",
        }
    }

    fn is_kept(packed: &PackedCache, key: Key) -> bool {
        let mut is_made = false;
        packed.get(key, || {
            is_made = true;
            Bytes::new()
        });
        !is_made
    }

    #[test]
    fn a_body_is_made_once() {
        let packed = PackedCache::new(800);
        let body = Bytes::from_static(b"body");
        assert_eq!(packed.get(key(1), || body.clone()), body);
        assert_eq!(packed.get(key(1), || unreachable!("it is kept")), body);
        let other = [
            Key {
                variant: 1,
                ..key(1)
            },
            Key {
                encoding: "gzip",
                ..key(1)
            },
        ];
        assert_eq!(other.map(|key| is_kept(&packed, key)), [false; 2]);
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let packed = PackedCache::new(800);
        for i in 0..1000 {
            packed.get(key(i), || Bytes::from(vec![0; 60]));
            // One that is asked for stays.
            packed.get(key(0), || unreachable!("it is kept"));
            let kept = packed.entries.lock().expect("no panic");
            let all = kept.recent.values().chain(kept.previous.values());
            assert!(all.map(Bytes::len).sum::<usize>() <= 800);
        }
        assert!(is_kept(&packed, key(999)));
        assert!(!is_kept(&packed, key(1)));
    }

    #[test]
    fn one_that_would_drive_out_all_others_is_not_kept() {
        let packed = PackedCache::new(800);
        packed.get(key(1), || Bytes::from(vec![0; 101]));
        assert!(!is_kept(&packed, key(1)));
    }
}
