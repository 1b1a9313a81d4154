//! Detects whether anything was written since a visitor last waited for the watch, so that most
//! requests need not wait: the check is one system call, waiting involves two threads.
//!
//! Events are queued before the call that causes them returns (inotify(7)), and a folder is added
//! here before it is watched. So no event here means that nothing has happened in any watched
//! folder.
//!
//! All sites of the process share one inotify queue, because their number is limited per user. The
//! folder of an event is not recorded: after an event the next visitor of each site waits once.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// State of one site: the events its watch has applied.
#[derive(Default)]
pub(super) struct Quiet {
    applied: AtomicU64,
    is_deaf: AtomicBool,
}

impl Quiet {
    /// Returns a counter that has grown if anything has happened in a watched folder since the last
    /// call; `None` if detection is not available.
    pub(super) fn event_count(&self) -> Option<u64> {
        match self.is_given_up() {
            true => None,
            false => queue::event_count(),
        }
    }

    /// Returns true if the events counted by `event_count` are applied.
    pub(super) fn is_applied(&self, event_count: u64) -> bool {
        self.applied.load(Ordering::Acquire) >= event_count
    }

    /// Notes that the events counted by `event_count` are applied.
    pub(super) fn note_applied(&self, event_count: u64) {
        self.applied.fetch_max(event_count, Ordering::AcqRel);
    }

    /// Turns detection off, because a folder is not listened to.
    pub(super) fn give_up(&self) {
        self.is_deaf.store(true, Ordering::Release);
    }

    /// Returns true if detection is not available.
    pub(super) fn is_given_up(&self) -> bool {
        self.is_deaf.load(Ordering::Acquire)
    }
}

/// A folder that is listened to until this is dropped.
pub(super) struct Listening(#[cfg_attr(not(target_os = "linux"), expect(dead_code))] i32);

impl Listening {
    /// Starts listening to `folder`; `None` if that fails.
    pub(super) fn to(folder: &Path) -> Option<Self> {
        queue::listen(folder).map(Self)
    }
}

#[cfg(target_os = "linux")]
impl Drop for Listening {
    fn drop(&mut self) {
        queue::leave(self.0);
    }
}

#[cfg(target_os = "linux")]
mod queue {
    use std::collections::HashMap;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

    use rustix::fs::inotify::{
        CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch,
    };
    use rustix::io::Errno;

    /// Events of the watch, except opens, which is how cookies ask.
    const KINDS: WatchFlags = WatchFlags::ATTRIB
        .union(WatchFlags::CREATE)
        .union(WatchFlags::DELETE)
        .union(WatchFlags::CLOSE_WRITE)
        .union(WatchFlags::MODIFY)
        .union(WatchFlags::MOVED_FROM)
        .union(WatchFlags::MOVED_TO)
        .union(WatchFlags::DELETE_SELF)
        .union(WatchFlags::MOVE_SELF);

    struct Queue {
        events: OwnedFd,
        /// Number of listeners by folder.
        listeners: HashMap<i32, usize>,
        /// Number of events so far, plus one.
        event_count: u64,
    }

    static QUEUE: LazyLock<Option<Mutex<Queue>>> = LazyLock::new(|| {
        let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK);
        let events = events.map_err(|error| {
            tracing::debug!("inotify unavailable; cannot detect quiescence: {error}");
        });
        Some(Mutex::new(Queue {
            events: events.ok()?,
            listeners: HashMap::new(),
            event_count: 1,
        }))
    });

    fn lock() -> Option<MutexGuard<'static, Queue>> {
        let queue = QUEUE.as_ref()?;
        Some(queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Drains the queue and increments the counter if there were events, under one lock: a caller
    /// that finds the queue empty gets the new count.
    pub(super) fn event_count() -> Option<u64> {
        let mut queue = lock()?;
        let Queue {
            events,
            listeners,
            event_count,
        } = &mut *queue;
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&*events, &mut buffer);
        let mut is_quiet = true;
        loop {
            match reader.next() {
                Ok(event) => {
                    is_quiet = false;
                    if event.events().contains(ReadFlags::IGNORED) {
                        listeners.remove(&event.wd());
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        *event_count += u64::from(!is_quiet);
        Some(*event_count)
    }

    pub(super) fn listen(folder: &Path) -> Option<i32> {
        let mut queue = lock()?;
        let number = add_watch(&queue.events, folder, KINDS).ok()?;
        *queue.listeners.entry(number).or_default() += 1;
        Some(number)
    }

    pub(super) fn leave(number: i32) {
        let Some(mut queue) = lock() else { return };
        // The kernel has taken off that of a folder that is no more.
        let Some(count) = queue.listeners.get_mut(&number) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            queue.listeners.remove(&number);
            let _ = remove_watch(&queue.events, number);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod queue {
    use std::path::Path;

    pub(super) fn event_count() -> Option<u64> {
        None
    }

    pub(super) fn listen(_: &Path) -> Option<i32> {
        None
    }
}
