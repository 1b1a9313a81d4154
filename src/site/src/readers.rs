//! Open pages that wait to be told that they changed.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

/// The open pages of a site.
pub struct Readers {
    token: String,
    /// The published revision; `None` when the site ends.
    revision: watch::Sender<Option<u64>>,
    /// Number of changes of pictures.
    pictures: AtomicU64,
}

impl Readers {
    /// Readers of pages that know `token`.
    pub fn new(token: String) -> Self {
        Self {
            token,
            revision: watch::Sender::new(Some(0)),
            pictures: AtomicU64::new(0),
        }
    }

    /// The token that pages must know: it stands in those that this run serves.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Notifies open pages that `revision` is published.
    pub fn announce(&self, revision: u64) {
        // Once ended, they stay ended.
        self.revision.send_if_modified(|current| {
            let open = current.is_some();
            if open {
                *current = Some(revision);
            }
            open
        });
    }

    /// Notes that pictures changed, for the next announcement.
    pub fn note_pictures(&self) {
        self.pictures.fetch_add(1, Ordering::AcqRel);
    }

    /// Number of changes of pictures.
    pub fn pictures(&self) -> u64 {
        self.pictures.load(Ordering::Acquire)
    }

    /// Returns true if any page is open.
    pub fn is_any(&self) -> bool {
        self.revision.receiver_count() > 0
    }

    /// The revisions to come, for one page; `None` is the end.
    pub fn subscribe(&self) -> watch::Receiver<Option<u64>> {
        self.revision.subscribe()
    }

    /// Ends all streams.
    pub fn end(&self) {
        self.revision.send_replace(None);
    }
}
