//! How the process holds memory: a daemon that runs for months takes what it needs, and gives back what it needs no more.

use std::ffi::c_long;
use std::sync::Once;
use std::time::Duration;

/// How long memory that is free is kept before it is given back, in milliseconds. The allocator's own second is longer than
/// the pause between the edits of an author: what one edit frees would never be given back. Within this time the next step of
/// the same edit takes it again.
const KEPT: c_long = 50;

/// How long after a start what it freed is given back: the first readers are served by then.
const START: Duration = Duration::from_secs(2);

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// To be called when a site is there; what follows stays for long. A start, and a command that ends, take memory in large
/// pieces: that is faster.
///
/// A site is many small values that live long; pages of 2 MB stay in memory for the sake of one of them.
pub fn settle() {
    static SETTLED: Once = Once::new();
    SETTLED.call_once(|| {
        forbid_huge_pages();
        set_purge_delay(KEPT);
        // What the start freed was to be kept for longer, and may never be asked for again.
        let _ = std::thread::Builder::new()
            .name("settle".to_owned())
            .spawn(|| {
                std::thread::sleep(START);
                give_back();
            });
    });
}

fn forbid_huge_pages() {
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

/// Gives back what is free now.
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
        settle();
        assert_eq!(purge_delay(), KEPT);
    }
}
