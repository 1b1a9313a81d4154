//! What the tests stand on: folders, previews and a client that sends exactly the bytes it is told to.

pub(crate) mod client;
pub(crate) mod folder;
pub(crate) mod preview;

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

/// Numbers that look random and are the same every time (xorshift64*).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).expect("31 bits fit") % bound
    }
}
