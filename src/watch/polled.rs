//! Files that are looked at from time to time, because events do not tell of all of their changes: those of file systems that others
//! write to as well, of several names (hard links), and of links.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use queries::base::path::SitePath;

use crate::sources::Sources;
use crate::store::stats::Stat;

/// How long after a look the next one is.
const PAUSE: Duration = Duration::from_secs(2);

/// How many times as long as a look takes is the pause after it, at least: it takes a fiftieth of a core then.
const PART: u32 = 50;

/// What is known of the files.
pub(super) struct Polled {
    /// Whether all files are looked at, not only those of several names and links.
    is_everything: bool,
    /// What the system said of each that was there the last time.
    known: HashMap<SitePath, Stat>,
    due: Instant,
}

impl Polled {
    /// Looks at every file of `sources` if that is `wanted`, or if their file system does not tell of all changes, which is said.
    pub(super) fn new(sources: &Sources, wanted: bool) -> Self {
        let root = sources.root();
        let system = if wanted { None } else { silent_system(&root) };
        if let Some(system) = system {
            tracing::info!(
                "{} is on {system}, which does not report all changes; polling every 2 s as well",
                root.display()
            );
        }
        Self {
            is_everything: wanted || system.is_some(),
            known: HashMap::new(),
            due: Instant::now() + PAUSE,
        }
    }

    /// Whether all files are looked at.
    pub(super) fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Whether it is time for a look.
    pub(super) fn is_due(&self) -> bool {
        self.due <= Instant::now()
    }

    /// Makes it time for a look.
    #[cfg(test)]
    pub(super) fn make_due(&mut self) {
        self.due = Instant::now();
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
            // What a link leads to is what changes.
            let metadata = fs::metadata(root.join(path.as_str())).ok();
            let stat = metadata.as_ref().map(Stat::of);
            if self.known.remove(&path) != stat {
                changed.insert(path.clone());
            }
            known.extend(stat.map(|stat| (path, stat)));
        }
        let gone = std::mem::replace(&mut self.known, known);
        changed.extend(gone.into_keys());
        self.due = Instant::now() + PAUSE.max(began.elapsed() * PART);
        changed
    }
}

/// The name of the file system of `folder`, if others may write to it without this machine hearing of it.
#[cfg(target_os = "linux")]
fn silent_system(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    // <linux/magic.h>, and of those that are not in it the sources of their modules.
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
