//! Polling for changes that produce no events: on network file systems and overlays, through hard links, and behind symbolic links.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use queries::base::path::SitePath;

use crate::sources::Sources;
use quire_storage::store::stats::Stat;

/// Interval between two polls.
const PAUSE: Duration = Duration::from_secs(2);

/// Minimum ratio of the interval to the time a poll takes: limits polling to 2 % of a core.
const PART: u32 = 50;

/// File metadata of the last poll.
pub(super) struct PollState {
    /// Whether all files are polled, not only hard and symbolic links.
    is_everything: bool,
    /// Metadata of each file that existed at the last poll.
    metadata: HashMap<SitePath, Stat>,
    next_poll: Instant,
}

impl PollState {
    /// Polls every file of `sources` if `is_wanted`, or if their file system does not report all changes, which is logged.
    pub(super) fn new(sources: &Sources, is_wanted: bool) -> Self {
        let root = sources.root();
        let system = if is_wanted {
            None
        } else {
            silent_system(&root)
        };
        if let Some(system) = system {
            tracing::info!(
                "{} is on {system}, which does not report all changes; polling every 2 s as well",
                root.display()
            );
        }
        Self {
            is_everything: is_wanted || system.is_some(),
            metadata: HashMap::new(),
            next_poll: Instant::now() + PAUSE,
        }
    }

    /// Returns true if all files are polled.
    pub(super) fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Returns true if the next poll is due.
    pub(super) fn is_due(&self) -> bool {
        self.next_poll <= Instant::now()
    }

    /// Makes the next poll due now.
    #[cfg(test)]
    pub(super) fn make_due(&mut self) {
        self.next_poll = Instant::now();
    }

    /// Returns the files of `paths` whose metadata differs from the last call, those seen for the first time, and those of the last
    /// call that are missing now.
    pub(super) fn changed(
        &mut self,
        sources: &Sources,
        paths: BTreeSet<SitePath>,
    ) -> BTreeSet<SitePath> {
        let began = Instant::now();
        let root = sources.root();
        let mut changed = BTreeSet::new();
        let mut known = HashMap::with_capacity(paths.len());
        for path in paths {
            // Follows symbolic links: the target is what changes.
            let metadata = fs::metadata(root.join(path.as_str())).ok();
            let stat = metadata.as_ref().map(Stat::of);
            if self.metadata.remove(&path) != stat {
                changed.insert(path.clone());
            }
            known.extend(stat.map(|stat| (path, stat)));
        }
        let gone = std::mem::replace(&mut self.metadata, known);
        changed.extend(gone.into_keys());
        self.next_poll = Instant::now() + PAUSE.max(began.elapsed() * PART);
        changed
    }
}

/// Name of the file system of `folder`, if it may change without an event on this machine.
#[cfg(target_os = "linux")]
fn silent_system(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    // Magic numbers of <linux/magic.h>; those of VirtualBox, AFS, Ceph and Lustre are in the sources of their modules.
    match u32::try_from(kind).ok()? {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x0102_1997 => Some("9P"),
        0x6573_5546 => Some("FUSE"),
        0x786f_4256 => Some("a shared folder of VirtualBox"),
        0x794c_7630 => Some("an overlay"),
        0x5346_414f => Some("AFS"),
        0x00c3_6400 => Some("Ceph"),
        0x0bd0_0bd0 => Some("Lustre"),
        _ => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn silent_system(_folder: &Path) -> Option<&'static str> {
    None
}
