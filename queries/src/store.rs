//! The one door to bytes: contents by digest. Content-addressed, so that reading is pure.

use std::sync::Arc;

use crate::content::ContentHash;

/// Where the shell keeps the bytes of text files. The key names the value, so a read can never be stale.
pub trait ContentStore: Send + Sync {
    /// The bytes whose digest is `digest`; `None` only if they were never put there.
    fn bytes(&self, digest: ContentHash) -> Option<Arc<[u8]>>;
}
