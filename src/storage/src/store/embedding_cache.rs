//! Vectors that were paid for, by model and text: of all sites and previews of a process, and of its next runs.
//!
//! A passage is looked up by its digest: that leads to the digests of its texts, and those with the model to vectors. So
//! passages that say the same share a vector, and what was known of a page before is found without reading it again.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use queries::base::content::ContentHash;
use queries::site::PROGRAM;
use tokio::sync::Notify;

use super::log_failure;
use crate::{Area, Blobs, Storage, wait};

/// An area of its own: what is rendered is made again for nothing, and must not push out what was
/// paid for.
const VECTORS: Area = Area {
    folder: "vectors",
    limit: 4 << 30,
};

/// Version of the format of stored vectors; change it with the format.
const VERSION: &str = "1";

/// Vectors by model and text.
pub struct EmbeddingCache {
    blobs: Arc<dyn Blobs>,
    /// The texts that someone is asking for.
    claimed: Mutex<HashSet<ContentHash>>,
    /// Notified when texts are no longer awaited.
    freed: Notify,
}

/// Key of a vector: model, requested number of dimensions, digest of the text.
pub fn vector_key(model: &str, dimensions: Option<usize>, text: &ContentHash) -> ContentHash {
    let dimensions = dimensions.unwrap_or(0).to_string();
    ContentHash::of_parts([
        b"vector of a text".as_slice(),
        VERSION.as_bytes(),
        model.as_bytes(),
        dimensions.as_bytes(),
        text.as_bytes(),
    ])
}

fn texts_key(passage: &ContentHash) -> ContentHash {
    // Which texts a passage has is decided by the core.
    let kind = b"texts of a passage".as_slice();
    ContentHash::of_parts([kind, PROGRAM.as_bytes(), passage.as_bytes()])
}

impl EmbeddingCache {
    /// The cache in `storage`.
    pub fn new(storage: &dyn Storage) -> Self {
        Self {
            blobs: storage.blobs(VECTORS),
            claimed: Mutex::default(),
            freed: Notify::new(),
        }
    }

    fn get(&self, key: &ContentHash) -> Option<Arc<[u8]>> {
        wait(self.blobs.get(key)).ok().flatten()
    }

    fn put(&self, key: ContentHash, value: Arc<[u8]>) {
        // It is flushed after each batch.
        log_failure(wait(self.blobs.put(key, value)));
    }

    /// Writes what was put. Blocks.
    pub fn flush(&self) {
        log_failure(wait(self.blobs.flush()));
    }

    /// Writes pending vectors and compacts. Called when idle; blocks.
    pub fn idle(&self) {
        log_failure(wait(self.blobs.sweep()));
    }

    /// The digests of the texts of a passage, if they are known.
    pub fn texts(&self, passage: &ContentHash) -> Option<Vec<ContentHash>> {
        let bytes = self.get(&texts_key(passage))?;
        let texts = bytes.chunks_exact(32).map(|bytes| bytes.try_into().ok());
        let texts = texts.map(|bytes| bytes.map(ContentHash::from_bytes));
        (bytes.len().is_multiple_of(32)).then(|| texts.collect())?
    }

    /// Notes the digests of the texts of a passage.
    pub fn put_texts(&self, passage: &ContentHash, texts: &[ContentHash]) {
        let bytes: Vec<u8> = texts.iter().flat_map(|text| *text.as_bytes()).collect();
        self.put(texts_key(passage), bytes.into());
    }

    /// The numbers of the vector under `key`.
    pub fn vector(&self, key: &ContentHash) -> Option<Box<[i8]>> {
        let bytes = self.get(key)?;
        let numbers = bytes.iter().map(|byte| i8::from_le_bytes([*byte]));
        Some(numbers.collect())
    }

    /// Stores a quantized vector.
    pub fn put_vector(&self, key: ContentHash, numbers: &[i8]) {
        let bytes = numbers.iter().map(|number| number.to_le_bytes()[0]);
        self.put(key, bytes.collect());
    }

    /// Resolves when some texts are no longer awaited.
    pub fn freed(&self) -> tokio::sync::futures::Notified<'_> {
        self.freed.notified()
    }

    /// Claims those of `keys` that are unclaimed: others do not request them until the claim is
    /// dropped.
    pub fn claim(self: &Arc<Self>, keys: impl IntoIterator<Item = ContentHash>) -> Claim {
        let mut claimed = lock(&self.claimed);
        let keys = keys
            .into_iter()
            .filter(|key| claimed.insert(*key))
            .collect();
        Claim {
            cache: self.clone(),
            keys,
        }
    }
}

/// Texts that only one asks for.
pub struct Claim {
    cache: Arc<EmbeddingCache>,
    /// Vectors by their keys.
    pub keys: HashSet<ContentHash>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut claimed = lock(&self.cache.claimed);
        claimed.retain(|key| !self.keys.contains(key));
        drop(claimed);
        self.cache.freed.notify_waiters();
    }
}

/// Ignores poisoning: the data behind the lock is valid at every moment, even if its holder
/// panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
