//! The content store: bytes of text files by digest, in memory.
//!
//! A digest names its bytes for ever, so a read can never be stale. The host counts who uses which digest and forgets
//! contents that no file has any more.

use std::sync::Arc;

use dashmap::DashMap;
use queries::content::ContentHash;
use queries::store::{ContentLost, ContentStore};

/// Bytes by digest.
#[derive(Default)]
pub struct MemoryStore {
    contents: DashMap<ContentHash, Stored>,
}

struct Stored {
    bytes: Arc<[u8]>,
    users: usize,
}

impl MemoryStore {
    /// Keeps `bytes` under `digest` for one more user.
    pub fn retain(&self, digest: ContentHash, bytes: Arc<[u8]>) {
        self.contents
            .entry(digest)
            .or_insert(Stored { bytes, users: 0 })
            .users += 1;
    }

    /// Takes one user away from `digest`; the last one takes the bytes along.
    pub fn release(&self, digest: ContentHash) {
        if let dashmap::Entry::Occupied(mut entry) = self.contents.entry(digest) {
            let stored = entry.get_mut();
            stored.users = stored.users.saturating_sub(1);
            if stored.users == 0 {
                entry.remove();
            }
        }
    }

    /// How many contents are held, and how many bytes they have together.
    pub fn size(&self) -> (usize, usize) {
        let bytes = self.contents.iter().map(|entry| entry.bytes.len()).sum();
        (self.contents.len(), bytes)
    }
}

impl ContentStore for MemoryStore {
    fn bytes(&self, digest: ContentHash) -> Result<Option<Arc<[u8]>>, ContentLost> {
        let stored = self.contents.get(&digest);
        Ok(stored.map(|entry| entry.bytes.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_go_with_their_last_user() {
        let store = MemoryStore::default();
        let digest = ContentHash::of(b"a");
        store.retain(digest, Arc::from(&b"a"[..]));
        store.retain(digest, Arc::from(&b"a"[..]));
        store.release(digest);
        assert_eq!(store.bytes(digest).unwrap().as_deref(), Some(&b"a"[..]));
        store.release(digest);
        assert_eq!(store.bytes(digest), Ok(None));
    }
}
