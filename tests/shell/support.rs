//! What the tests stand on: folders, previews and a client that sends exactly the bytes it is told to.

pub(crate) mod bucket;
pub(crate) mod client;
#[cfg(all(feature = "s3", feature = "postgres"))]
pub(crate) mod clock;
pub(crate) mod daemon;
pub(crate) mod editor;
pub(crate) mod folder;
pub(crate) mod http2;
pub(crate) mod postgres;
pub(crate) mod preview;
pub(crate) mod process;
pub(crate) mod program;
#[cfg(any(feature = "s3", feature = "postgres"))]
pub(crate) mod published;

use std::path::{Path, PathBuf};
use std::process::Command;
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

/// Runs `git` in `folder`, without the settings of the machine, and returns what it prints.
#[track_caller]
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let own = [
        "user.name=T",
        "user.email=t@example.org",
        "commit.gpgsign=false",
    ];
    let output = Command::new("git")
        .args(own.iter().flat_map(|own| ["-c", own]))
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is there");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.trim().to_owned()
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
