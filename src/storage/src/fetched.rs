//! Objects of a remote storage that stay on this machine once they were read, compared with their
//! digests when they are read again.

use std::sync::Arc;

use bytes::Bytes;
use queries::base::content::ContentHash;

use crate::{Area, Blobs, Storage};

const AREA: Area = Area {
    folder: "fetched",
    limit: 1 << 30,
};

/// Objects as they were read; none without a local storage. What cannot be read or kept here is
/// fetched again.
#[derive(Clone, Default)]
pub struct Fetched(Option<Arc<dyn Blobs>>);

impl Fetched {
    /// The objects that are kept in `local`.
    pub fn in_storage(local: Option<&Arc<dyn Storage>>) -> Self {
        Self(local.map(|local| local.blobs(AREA)))
    }

    /// The same of `local`, a part of the storage, if anything is kept.
    pub fn below(&self, local: &Arc<dyn Storage>) -> Self {
        Self(self.0.as_ref().map(|_| local.blobs(AREA)))
    }

    /// Returns the object if it is here and whole.
    pub async fn get(&self, digest: &ContentHash) -> Option<Bytes> {
        let known = self.0.as_ref()?.get(digest).await.ok()??;
        (ContentHash::of(&known) == *digest).then(|| Bytes::from_owner(known))
    }

    /// Keeps an object that was read.
    pub async fn keep(&self, digest: &ContentHash, bytes: &Bytes) {
        let Some(kept) = &self.0 else { return };
        let _ = kept.put(*digest, Arc::from(&bytes[..])).await;
        if kept.is_flush_due() {
            let _ = kept.flush().await;
        }
    }

    /// Forgets an object that was deleted.
    pub async fn forget(&self, digest: &ContentHash) {
        if let Some(kept) = &self.0 {
            // Bytes of another digest: it is missing here, too.
            let _ = kept.put(*digest, Arc::from([])).await;
        }
    }
}
