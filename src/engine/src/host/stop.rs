//! Cancellation of database work from another thread, for example when the client has disconnected.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use salsa::CancellationToken;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Stop>>> = const { RefCell::new(None) };
}

/// Cancels the queries of one piece of work.
#[derive(Default)]
pub struct Stop {
    is_stopped: AtomicBool,
    /// Queries in progress.
    queries: Mutex<Questions>,
}

#[derive(Default)]
struct Questions {
    next: u64,
    tokens: BTreeMap<u64, CancellationToken>,
}

/// Cancels the work when dropped; has no effect once the work has finished.
pub struct StopOnDrop(Arc<Stop>);

/// Registration of a query in progress.
pub(super) struct QueryRegistration<'a> {
    stop: &'a Stop,
    number: u64,
}

impl Stop {
    /// Cancels the work: its current and later queries fail.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        for token in self.lock().tokens.values() {
            token.cancel();
        }
    }

    /// Returns a guard that cancels the work when dropped.
    pub fn on_drop(self: &Arc<Self>) -> StopOnDrop {
        StopOnDrop(self.clone())
    }

    /// Runs `work`; its queries fail once [`Stop::stop`] is called, those of the threads of [`SiteHost::read_all`] too.
    ///
    /// [`SiteHost::read_all`]: super::SiteHost::read_all
    pub fn stopping<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        with_stop(Some(self.clone()), work)
    }

    /// Registers a query; returns `None` if the work was cancelled.
    pub(super) fn ask(&self, token: CancellationToken) -> Option<QueryRegistration<'_>> {
        let mut questions = self.lock();
        let number = questions.next;
        questions.next += 1;
        questions.tokens.insert(number, token);
        drop(questions);
        let asked = QueryRegistration { stop: self, number };
        // A later call of `stop` finds the token registered.
        (!self.is_stopped.load(Ordering::Acquire)).then_some(asked)
    }

    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.queries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Drop for QueryRegistration<'_> {
    fn drop(&mut self) {
        self.stop.lock().tokens.remove(&self.number);
    }
}

/// Cancellation handle of the work on this thread.
pub(super) fn current() -> Option<Arc<Stop>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Runs `work` under the cancellation handle `stop`.
pub(super) fn with_stop<T>(stop: Option<Arc<Stop>>, work: impl FnOnce() -> T) -> T {
    /// Ends it even if the work panics.
    struct Before(Option<Arc<Stop>>);
    impl Drop for Before {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _before = Before(CURRENT.replace(stop));
    work()
}
