//! Memory of the process: a daemon that runs for months returns what it no longer needs to the
//! system.

use std::ffi::c_long;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Delay before the allocator purges free memory on an allocation, in milliseconds. The purging
/// thread comes first: purging and faulting the memory in again is up to half of the time of an
/// edit.
const KEPT: c_long = 60_000;

/// Delay before memory freed by the start is purged: the first readers are served by then.
const START: Duration = Duration::from_secs(2);

/// Quiet period before free memory is purged.
const QUIET: Duration = Duration::from_millis(250);

/// Maximum time that purging is deferred by activity.
const BUSY: Duration = Duration::from_secs(1);

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Whether something has happened that may have freed memory.
static STIRRED: AtomicBool = AtomicBool::new(false);

/// Thread that gives memory back.
static PURGER: OnceLock<Option<Thread>> = OnceLock::new();

/// Starts the thread that purges. Call it when a site is loaded: a start allocates in large pieces,
/// which is faster.
///
/// A site is many small values that live long; pages of 2 MB stay in memory for the sake of one of them.
pub fn start_purger() {
    PURGER.get_or_init(|| {
        forbid_huge_pages();
        let purger = std::thread::Builder::new().name("memory".to_owned());
        let purger = purger.spawn(|| {
            std::thread::sleep(START);
            give_back();
            loop {
                wait();
                give_back();
            }
        });
        // Without the thread the allocator does as it always does.
        let purger = purger.ok()?;
        set_purge_delay(KEPT);
        Some(purger.thread().clone())
    });
}

/// Records activity that may have freed memory. Costs next to nothing.
pub fn note_activity() {
    if !STIRRED.load(Ordering::Relaxed)
        && !STIRRED.swap(true, Ordering::Relaxed)
        && let Some(Some(purger)) = PURGER.get()
    {
        purger.unpark();
    }
}

/// Returns when something has happened and then nothing for a while, or when it has gone on for long.
fn wait() {
    while !STIRRED.load(Ordering::Relaxed) {
        std::thread::park();
    }
    let since = Instant::now();
    while STIRRED.swap(false, Ordering::Relaxed) && since.elapsed() < BUSY {
        std::thread::sleep(QUIET);
    }
}

/// Has the process take memory in small pages from now on. What it holds then is what it uses: with pages of 2 MB the build of a
/// large site held a tenth more, for no less time.
pub fn forbid_huge_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        // A kernel or a sandbox without it: more memory, nothing worse.
        tracing::debug!("huge pages stay allowed: {error}");
    }
}

#[allow(
    unsafe_code,
    reason = "the allocator takes its options by a function of C, which only writes a number"
)]
fn set_purge_delay(ms: c_long) {
    // SAFETY: the option is one of the allocator's own, and any number is a delay.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, ms) }
}

/// Returns free memory to the system now.
#[allow(unsafe_code, reason = "as above")]
fn give_back() {
    // SAFETY: what is in use stays as it is; any thread may ask at any time.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(unsafe_code, reason = "as above")]
    fn purge_delay() -> c_long {
        // SAFETY: as above.
        unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) }
    }

    #[test]
    fn the_option_is_the_delay() {
        if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
            // No other option is a second at first: another version of the allocator may count them otherwise.
            assert_eq!(purge_delay(), 1000);
        }
        start_purger();
        assert_eq!(purge_delay(), KEPT);
    }
}
