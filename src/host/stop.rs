//! Work that is told to stop from another thread, such as that of a client who has gone.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use salsa::CancellationToken;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Stop>>> = const { RefCell::new(None) };
}

/// Tells the questions of some work to stop.
#[derive(Default)]
pub struct Stop {
    is_stopped: AtomicBool,
    /// Questions that are being answered.
    asked: Mutex<Questions>,
}

#[derive(Default)]
struct Questions {
    next: u64,
    tokens: BTreeMap<u64, CancellationToken>,
}

/// Stops the work when it is dropped, unless that has ended.
pub struct StopOnDrop(Arc<Stop>);

/// Keeps a question among those that are being answered.
pub(super) struct Asked<'a> {
    stop: &'a Stop,
    number: u64,
}

impl Stop {
    /// Stops the work: its questions end with an error, those that it has not asked yet too.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        for token in self.lock().tokens.values() {
            token.cancel();
        }
    }

    /// Stops the work when what is returned is dropped.
    pub fn on_drop(self: &Arc<Self>) -> StopOnDrop {
        StopOnDrop(self.clone())
    }

    /// Runs `work`; its queries fail once [`Stop::stop`] is called, those of the threads of [`SiteHost::read_all`] too.
    ///
    /// [`SiteHost::read_all`]: super::SiteHost::read_all
    pub fn stopping<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        within(Some(self.clone()), work)
    }

    /// Takes note of a question; none where the work was stopped.
    pub(super) fn ask(&self, token: CancellationToken) -> Option<Asked<'_>> {
        let mut questions = self.lock();
        let number = questions.next;
        questions.next += 1;
        questions.tokens.insert(number, token);
        drop(questions);
        let asked = Asked { stop: self, number };
        // Whoever stops the work after this sees the token.
        (!self.is_stopped.load(Ordering::Acquire)).then_some(asked)
    }

    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.stop.lock().tokens.remove(&self.number);
    }
}

/// What stops the work of this thread.
pub(super) fn current() -> Option<Arc<Stop>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Does `work`, which `stop` stops.
pub(super) fn within<T>(stop: Option<Arc<Stop>>, work: impl FnOnce() -> T) -> T {
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
