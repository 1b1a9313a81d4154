//! The list of the deployments of a site: one record, a line for each deployment, changed by
//! compare-and-set. It is on the disk before anyone is told of a deployment.
//!
//! Earlier versions appended a line for each step of a deployment, so the last line of a number
//! counts, and one that was cut off does not.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::{Deployment, QuotaUsed, Status};
use quire_storage::objects::ObjectId;
use quire_storage::{Error, Expected, Kind, Name, Record, Storage, wait};

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// Number of deployments stored per site.
pub(super) const REMEMBERED: usize = 200;

/// The deployments of a site in memory.
#[derive(Default)]
pub(super) struct List {
    /// Deployments by number.
    pub(super) known: BTreeMap<u64, Deployment>,
    /// Numbers by key, the oldest first.
    pub(super) keys: VecDeque<(String, u64)>,
}

/// The record that holds the list. Its methods block for as long as the storage does.
pub(super) struct ListRecord {
    storage: Arc<dyn Storage>,
    name: Name,
    /// State of the record as last seen; `None` if it must be read.
    read: Option<Expected>,
}

impl ListRecord {
    /// The record of the site `id`, which was not read yet.
    pub(super) fn new(storage: Arc<dyn Storage>, id: &str) -> Self {
        Self {
            storage,
            name: Name::of(Kind::Deployments, id),
            read: None,
        }
    }

    /// Reads the record, unless its state is known; returns its text if there is one. A record that
    /// is there and cannot be read is not taken for an empty one: that would be written over it.
    pub(super) fn read(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if self.read.is_some() {
            return Ok(None);
        }
        match wait(self.storage.get(&self.name))? {
            None => {
                self.read = Some(Expected::Absent);
                Ok(None)
            }
            Some(Record { bytes, version }) => {
                self.read = Some(Expected::Version(version));
                Ok(Some(bytes))
            }
        }
    }

    /// Has the record read the next time, whatever is known of it.
    pub(super) fn forget(&mut self) {
        self.read = None;
    }

    /// Writes the record.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if another process has written it: then it is to be read again.
    pub(super) fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        // A write that fails may come as far as the storage.
        let expected = self.read.take().ok_or(Error::Conflict)?;
        let version = wait(self.storage.put(&self.name, text, expected))?;
        self.read = Some(Expected::Version(version));
        Ok(())
    }
}

impl List {
    /// Takes up the `text` of the record of the site `id`.
    pub(super) fn take_up(&mut self, id: &str, text: &[u8]) {
        let mut found = BTreeMap::new();
        // The last line may have been cut off: then nobody was told of it.
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        for line in lines.filter(|line| line.ends_with(b"\n")) {
            match serde_json::from_slice::<Deployment>(line) {
                Ok(deployment) => {
                    found.insert(deployment.id, deployment);
                }
                Err(error) => {
                    tracing::warn!(
                        site = id,
                        "a line of the list of deployments cannot be read: {error}"
                    );
                }
            }
        }
        // What this process has done and not written yet counts; of all else the record knows more.
        self.known.retain(|_, own| own.status != Status::Queued);
        for (id, deployment) in found {
            let own = self.known.get(&id).map(|own| own.status);
            if !own.is_some_and(|own| is_ahead(own, deployment.status)) {
                self.known.insert(id, deployment);
            }
        }
        let keyed = (self.known.values()).filter_map(|known| Some((known.key.clone()?, known.id)));
        self.keys = keyed.collect();
        self.forget();
    }

    /// The text of the record with `deployment` in it. If that was published, only the last `keep`
    /// that were keep their releases.
    pub(super) fn text_with(&self, deployment: &Deployment, keep: usize) -> Vec<u8> {
        let others = (self.known.values()).filter(|known| known.id != deployment.id);
        let mut all: Vec<Cow<'_, Deployment>> =
            others.chain([deployment]).map(Cow::Borrowed).collect();
        all.sort_by_key(|known| known.id);
        if deployment.status == Status::Success {
            let published = all.iter_mut().rev();
            let published = published.filter(|known| known.status == Status::Success);
            for known in published.skip(keep.max(1)) {
                if known.release.is_some() {
                    known.to_mut().release = None;
                }
            }
        }
        let mut text = Vec::new();
        for known in &all[all.len().saturating_sub(REMEMBERED)..] {
            let line = serde_json::to_string(known).expect("a deployment has only plain fields");
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
        }
        text
    }

    /// The deployment that was published last, if its release is stored; otherwise the first that has
    /// not ended.
    pub(super) fn published_or_open(&self) -> Option<&Deployment> {
        let mut published = self.known.values().rev();
        let published = published.find(|known| known.status == Status::Success);
        let mut open = self.known.values().filter(|known| !known.status.is_final());
        published
            .filter(|known| known.release.is_some())
            .or_else(|| open.next())
    }

    /// Checks that the deployments of the 24 hours until `now` have taken less than `seconds`.
    pub(super) fn check_time(&self, seconds: u64, now: u64) -> Result<(), QuotaUsed> {
        // One that has not ended counts as the longest.
        let longest = self.known.values().map(|known| known.ms).max();
        let taken = |since: u64| -> u64 {
            let known = self.known.values().filter(|known| known.created > since);
            let ms = known.map(|known| match known.status.is_final() {
                true => known.ms,
                false => longest.unwrap_or_default(),
            });
            ms.sum::<u64>() / 1000
        };
        if taken(now.saturating_sub(DAY)) < seconds {
            return Ok(());
        }
        // The first moment at which enough of them are older than a day.
        let mut accepted: Vec<u64> = self.known.values().map(|known| known.created).collect();
        accepted.sort_unstable();
        let free = accepted.into_iter().find(|at| taken(*at) < seconds);
        let wait = free.unwrap_or(now).saturating_add(DAY).saturating_sub(now);
        Err(QuotaUsed {
            quota: seconds,
            wait: wait.max(1),
        })
    }

    /// Forgets the releases of all but the last `keep` deployments that were published.
    pub(super) fn expire(&mut self, keep: usize) {
        let published = self.known.values_mut().rev();
        let published = published.filter(|known| known.status == Status::Success);
        for known in published.skip(keep.max(1)) {
            known.release = None;
        }
    }

    /// Forgets the oldest.
    pub(super) fn forget(&mut self) {
        while self.known.len() > REMEMBERED {
            self.known.pop_first();
        }
        let first = self.known.keys().next().copied().unwrap_or(0);
        self.keys.retain(|(_, id)| *id >= first);
    }
}

/// The number of the last deployment in the record `text` that was published, and its release, if
/// that is stored.
pub(crate) fn published_in(text: &[u8]) -> Option<(u64, Option<ObjectId>)> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.filter(|line| line.ends_with(b"\n"));
    // Lines of earlier versions may repeat a number: the last one counts.
    let mut known = BTreeMap::new();
    for line in lines {
        if let Ok(deployment) = serde_json::from_slice::<Deployment>(line) {
            known.insert(deployment.id, (deployment.status, deployment.release));
        }
    }
    let mut published = known.into_iter().rev();
    let (id, (_, release)) = published.find(|(_, (status, _))| *status == Status::Success)?;
    Some((id, release))
}

/// The releases of all deployments in the record `text`.
///
/// # Errors
///
/// Fails if a whole line cannot be read: which releases it names is not known then.
pub(crate) fn releases_in(text: &[u8]) -> serde_json::Result<Vec<ObjectId>> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.filter(|line| line.ends_with(b"\n"));
    let mut found = Vec::new();
    for line in lines {
        found.extend(serde_json::from_slice::<Deployment>(line)?.release);
    }
    Ok(found)
}

/// Returns whether a deployment comes to `status` after it was at `other`.
fn is_ahead(status: Status, other: Status) -> bool {
    match status {
        Status::Queued => false,
        Status::InProgress => other == Status::Queued,
        Status::Success | Status::Failure => !other.is_final(),
    }
}
