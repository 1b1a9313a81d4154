//! What the tests stand on: folders, previews and a client that sends exactly the bytes it is told to.

pub(crate) mod client;
pub(crate) mod daemon;
pub(crate) mod editor;
pub(crate) mod folder;
pub(crate) mod http2;
pub(crate) mod preview;
pub(crate) mod process;
pub(crate) mod program;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up on it: far longer than it ever takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The folder of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The demonstration site.
pub(crate) fn museum() -> PathBuf {
    repository().join("fixtures/museum")
}

/// Waits until `condition` holds; fails when it does not come to hold.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < PATIENCE, "{what}: it did not happen");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
