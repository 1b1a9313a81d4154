//! The first time that the pages of a site are taken up: all of them are drawn then.

use std::sync::{Condvar, Mutex, PoisonError};

use queries::site::{Database, FileBucket};

/// Asks something of a part of a site.
pub type Beside = fn(&Database, FileBucket);

/// What is asked of each part beside, and whether that is over.
#[derive(Default)]
pub(super) struct FirstRound {
    pub(super) beside: Option<Beside>,
    is_over: Mutex<bool>,
    over: Condvar,
}

/// Ends the round when it is dropped.
pub(super) struct Ending<'a>(&'a FirstRound);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl FirstRound {
    /// Says that it is over, to all who wait now or later.
    pub(super) fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.notify_all();
    }

    pub(super) fn ending(&self) -> Ending<'_> {
        Ending(self)
    }

    /// Blocks until it is over.
    pub(super) fn wait(&self) {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody panics while it is held.
        drop(self.over.wait_while(is_over, |is_over| !*is_over));
    }
}
