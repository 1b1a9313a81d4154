//! Requests that wait for earlier file events: each opens a cookie file and is answered once its event arrives.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::cookies::Cookies;
use super::{ChangeSink, FolderWatcher};

/// Reader that waits for what was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// Sees what was written so far, also of files that are still open; and waits for a long one.
    Author,
    /// Sees files that were closed: a page that is being written is not blank for those who only read it.
    Visitor,
}

/// Waiters for one cookie.
pub(super) struct Waiting {
    /// Path; empty if none could be left.
    pub(super) cookie: PathBuf,
    pub(super) since: Instant,
    /// An author, if one is among them.
    pub(super) by: Asker,
    /// Whether its opening was reported.
    pub(super) is_heard: bool,
    pub(super) senders: Vec<tokio::sync::oneshot::Sender<()>>,
}

impl<F: ChangeSink> FolderWatcher<F> {
    /// Answers the waiters for `cookie`: every event before it was received.
    pub(super) fn on_cookie(&mut self, cookie: &Path) {
        let Some(at) = (self.requests.iter()).position(|waiting| waiting.cookie == *cookie) else {
            return;
        };
        self.make_good();
        let Some(waiting) = self.requests.get_mut(at) else {
            return;
        };
        waiting.is_heard = true;
        let mut asked = self.requests[..=at].iter();
        if asked.any(|waiting| waiting.by == Asker::Author) {
            self.look_at_pending(true);
            if self.is_a_long_file_unfinished() {
                self.deferred = at + 1;
                return;
            }
        } else if !self.pending.is_empty() {
            self.look_at_pending(false);
        }
        self.answer(at + 1);
    }

    /// Opens a cookie file; its event arrives after those of all earlier writes.
    pub(super) fn leave_cookie(
        &mut self,
        senders: Vec<tokio::sync::oneshot::Sender<()>>,
        is_author: bool,
    ) {
        if is_author {
            self.follow_root();
        }
        let cookie = match self.folders.is_incomplete() {
            true => None,
            false => self.new_cookie(),
        };
        let is_left = cookie.is_some();
        self.requests.push(Waiting {
            cookie: cookie.unwrap_or_default(),
            since: Instant::now(),
            by: match is_author {
                true => Asker::Author,
                false => Asker::Visitor,
            },
            is_heard: false,
            senders,
        });
        if is_left {
            return;
        }
        // For visitors everything is looked at from time to time.
        if is_author {
            self.look_at_everything();
        }
        self.answer(usize::MAX);
    }

    /// Leaves a cookie; in a new folder if the old one is gone, for temporary files are tidied away on some machines.
    pub(super) fn new_cookie(&mut self) -> Option<PathBuf> {
        let cookies = self.cookies.as_mut()?;
        if let Ok(cookie) = cookies.leave() {
            return Some(cookie);
        }
        let gone = cookies.path().to_owned();
        self.folders.forget(&gone);
        let mut cookies = Cookies::new().ok()?;
        self.folders.watch(cookies.path());
        let cookie = cookies.leave().ok();
        self.cookies = Some(cookies);
        cookie
    }

    /// Answers the first `count` waiters.
    pub(super) fn answer(&mut self, count: usize) {
        let count = count.min(self.requests.len());
        self.deferred = self.deferred.saturating_sub(count);
        for waiting in self.requests.drain(..count) {
            match &mut self.cookies {
                Some(cookies) if waiting.is_heard => cookies.take_back(waiting.cookie),
                Some(cookies) if waiting.cookie.is_absolute() => cookies.remove(&waiting.cookie),
                _ => {}
            }
            for done in waiting.senders {
                // Who asked may have gone away.
                let _ = done.send(());
            }
        }
    }
}
