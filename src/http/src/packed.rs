//! Compressed bodies, kept by the digest of what they were made of: a page is compressed once, and not for each reader.

use std::sync::{LazyLock, Mutex, PoisonError};

use bytes::Bytes;
use queries::base::content::ContentHash;

use quire_storage::recent::RecentBytes;

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

/// Cache of compressed bodies, bounded in bytes.
pub(super) struct PackedCache(Mutex<RecentBytes<Key>>);

impl PackedCache {
    fn new(limit: usize) -> Self {
        Self(Mutex::new(RecentBytes::new(limit)))
    }

    /// The body for `key`, made by `make` if it is not kept.
    pub(super) fn get(&self, key: Key, make: impl FnOnce() -> Bytes) -> Bytes {
        if let Some(body) = self.kept(&key) {
            return body;
        }
        let body = make();
        let mut bodies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bodies.put(key, body.clone());
        body
    }

    /// The body for `key`, if it is kept.
    pub(super) fn kept(&self, key: &Key) -> Option<Bytes> {
        let mut bodies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bodies.get(key)
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
            let kept = packed.0.lock().expect("no panic");
            assert!(kept.size() <= 800);
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
