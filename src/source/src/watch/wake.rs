//! Everything that wakes the thread of a watch: a message or a timer. Awake, it does whatever is due, so no event is lost when
//! several come at once.

use std::time::{Duration, Instant};

use notify::Event;

use super::waiting::Asker;
use super::{
    ChangeSink, FolderWatcher, NEW_ROOT, NO_ROOT, POLL, REMOVED, ROOT, SYNC_LIMIT, WRITE_DEBOUNCE,
};

/// What others tell the thread.
pub(super) enum Message {
    /// The system saw a change of a file, or lost events.
    Event(notify::Result<Event>),
    /// A request waits: answer when everything written until now has been seen, as far as it concerns the asker.
    Sync(tokio::sync::oneshot::Sender<()>, Asker),
    /// The site ends.
    Stop,
}

/// What the thread tells itself.
#[derive(Clone, Copy)]
pub(super) enum Timer {
    /// A look at the path of the site, at files without events and at commits.
    Round,
    /// A full scan, where watching has failed.
    Scan,
    /// A request has waited for too long.
    Waiting,
    /// A file that was being written may be whole.
    Unfinished,
    /// Nobody goes on with a document that ends in the middle.
    Cut,
    /// A folder that took the place of the site is complete.
    NewRoot,
    /// Removed files do not come back.
    Removed,
    /// An unreadable file may be readable.
    Unreadable,
    /// The path of the site may lead somewhere again.
    Lost,
}

impl Timer {
    pub(super) const ALL: [Self; 9] = [
        Self::Round,
        Self::Scan,
        Self::Waiting,
        Self::Unfinished,
        Self::Cut,
        Self::NewRoot,
        Self::Removed,
        Self::Unreadable,
        Self::Lost,
    ];
}

impl<F: ChangeSink> FolderWatcher<F> {
    /// Time until `timer` wakes the thread; `None` while there is nothing for it to do.
    pub(super) fn time_until(&self, timer: Timer) -> Option<Duration> {
        match timer {
            Timer::Round => Some(ROOT),
            Timer::Scan => self.folders.is_incomplete().then_some(POLL),
            Timer::Waiting => (!self.requests.is_empty()).then_some(SYNC_LIMIT),
            Timer::Unfinished => (!self.unfinished.is_empty()).then_some(WRITE_DEBOUNCE),
            Timer::Cut => self.truncated.next(Instant::now()),
            Timer::NewRoot => self.new_root.map(|burst| burst.remaining(NEW_ROOT)),
            Timer::Removed => self.removing.map(|burst| burst.remaining(REMOVED)),
            Timer::Unreadable => {
                (self.retry).map(|(due, _)| due.saturating_duration_since(Instant::now()))
            }
            Timer::Lost => self.is_lost.then_some(NO_ROOT),
        }
    }
}
