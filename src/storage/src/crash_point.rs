//! Named points at which a test has this process killed: where what is on the disk or in memory is half done.
//!
//! In a build with debug assertions the variable `QUIRE_CRASH_AT` arms one of [`POINTS`], as `NAME` or, for the N-th time
//! that it is reached, `NAME:N`; the process then ends by SIGKILL, as if the machine had killed it. In any other build
//! nothing of this is there.

/// Every point, in about the order in which a daemon comes by.
pub const POINTS: &[&str] = &[
    // A daemon takes its state folder.
    "state-locked",
    "socket-removed",
    "socket-bound",
    // The copy of a repository is made, and brought up to date.
    "repository-cloned",
    "repository-kept",
    "repository-fetched",
    // A specification that was fetched is kept.
    "specification-written",
    "specification-replaced",
    // A change of the files of a site, of one that is watched and of one that is deployed.
    "change-read",
    "change-applied",
    "change-published",
    // A deployment, and the list of them, which is written when one is accepted and when it has
    // ended.
    "deployment-accepting",
    "deployments-written",
    "deployments-replaced",
    "deployment-accepted",
    "deployment-begun",
    "deployment-read",
    "deployment-published",
    "deployment-done",
    // What a deployment has published is stored, file by file.
    "release-storing",
    "object-written",
    "object-stored",
    // The search index.
    "search-removed",
    "search-created",
    "search-adding",
    "search-prepared",
    "search-committed",
    // The artifact pack.
    "pack-created",
    "pack-appending",
    "pack-appended",
    "pack-compacting",
    "pack-compacted",
    "pack-replaced",
    "index-written",
    "index-replaced",
    // What files were found to hold.
    "stats-written",
    "stats-replaced",
    // What readers say.
    "feedback-written",
    "feedback-replaced",
    // What is read and searched for.
    "analytics-written",
    "analytics-replaced",
    // What the language model of a site was used today.
    "model-use-written",
    "model-use-replaced",
    // A file of a build.
    "output-written",
    "output-replaced",
    // How a build left its files.
    "outputs-written",
    "outputs-replaced",
];

/// Ends this process by SIGKILL, if the point `name` is armed and this is the time.
#[cfg(all(debug_assertions, target_os = "linux"))]
pub fn reach(name: &'static str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The point that is armed, and how often it is still passed.
    static ARMED: OnceLock<Option<(String, AtomicUsize)>> = OnceLock::new();

    let armed = ARMED.get_or_init(|| {
        let value = std::env::var("QUIRE_CRASH_AT").ok()?;
        let (name, time) = value.split_once(':').unwrap_or((&value, "1"));
        assert!(POINTS.contains(&name), "`{name}` is no point");
        Some((name.to_owned(), AtomicUsize::new(time.parse().ok()?)))
    });
    let is_now = armed
        .as_ref()
        .is_some_and(|(armed, times)| armed == name && times.fetch_sub(1, Ordering::Relaxed) == 1);
    if is_now {
        // It cannot fail: a process may always end itself.
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Does nothing: this build is not for tests.
#[cfg(not(all(debug_assertions, target_os = "linux")))]
#[inline(always)]
pub fn reach(_: &'static str) {}
