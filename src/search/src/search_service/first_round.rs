//! First indexing of a site, which renders all of its pages.

use std::sync::{Condvar, Mutex, PoisonError};

use queries::site::{Database, FileBucket};

/// Query of a part of a site, run during the first round.
pub type Prefetch = fn(&Database, FileBucket);

/// Work done for each part during the first round, and whether the round is over.
#[derive(Default)]
pub(super) struct FirstRound {
    pub(super) prefetch: Option<Prefetch>,
    is_over: Mutex<bool>,
    finished: Condvar,
}

/// Ends the round when it is dropped.
pub(super) struct Ending<'a>(&'a FirstRound);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl FirstRound {
    /// Ends the round, for current and later waiters.
    pub(super) fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.finished.notify_all();
    }

    pub(super) fn ending(&self) -> Ending<'_> {
        Ending(self)
    }

    /// Blocks until it is over.
    pub(super) fn wait(&self) {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        // No code panics while it is held.
        drop(self.finished.wait_while(is_over, |is_over| !*is_over));
    }
}
