//! Open pages that wait to be told that they changed.

use tokio::sync::watch;

/// The open pages of a site.
pub struct Readers {
    token: String,
    /// The published revision; `None` when the site ends.
    revision: watch::Sender<Option<u64>>,
}

impl Readers {
    /// Readers of pages that know `token`.
    pub fn new(token: String) -> Self {
        Self {
            token,
            revision: watch::Sender::new(Some(0)),
        }
    }

    /// The token that pages must know: it stands in those that this run serves.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Tells open pages that `revision` is published.
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

    /// Whether any page is open.
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
