//! Backups: a copy of what a daemon cannot make again, while it runs.
//!
//! Objects are copied before the lists of deployments that name them, so a copy that was cut off
//! names nothing that it has not. A backup is a state folder itself: a daemon can begin with it, and
//! `quire serve` can serve it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Context;
use queries::base::content::ContentHash;

use crate::release::Releases;
use crate::sites::deploy::list::releases_in;
use crate::sites::deploy::sweep::sweep;
use quire_storage::objects::ObjectId;
use quire_storage::{Expected, Kind, Name, Storage, wait};

/// Number of objects that are copied at once.
const AT_ONCE: usize = 32;

/// Number of bytes that are in memory before they are written.
const MAX_PENDING: usize = 4 << 20;

/// Number of times that a copy is begun again because deployments expired meanwhile.
const MAX_ATTEMPTS: usize = 3;

/// Summary of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of sites with deployments.
    pub sites: usize,
    /// Number of records.
    pub records: usize,
    /// Number of objects.
    pub objects: usize,
    /// Number of objects that the target did not have.
    pub copied: usize,
    /// Number of their bytes.
    pub bytes: u64,
    /// Number of objects of the target that were deleted, as nothing names them any more.
    pub deleted: usize,
    /// What could not be copied, with why.
    pub missing: Vec<String>,
}

/// Copies the records and the objects of `from` to `to`; objects that are there are not copied
/// again. `step` is told how many of how many objects are done.
///
/// What cannot be read is left out and told; the records that name it are copied all the same.
///
/// # Errors
///
/// Fails if nothing can be listed or written.
pub fn copy(
    from: &Arc<dyn Storage>,
    to: &Arc<dyn Storage>,
    now: SystemTime,
    step: &dyn Fn(usize, usize),
) -> anyhow::Result<Summary> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let records = records(from)?;
        let (used, mut missing) = used(from, &records)?;
        let mut summary = Summary {
            objects: used.len(),
            records: records.len(),
            ..Summary::default()
        };
        let (source, target) = (from.objects(), to.objects());
        let all: Vec<ContentHash> = used.iter().map(|id| id.0).collect();
        for (chunk, digests) in all.chunks(AT_ONCE).enumerate() {
            step(chunk * AT_ONCE, used.len());
            let known: HashSet<ContentHash> = wait(target.touch_all(digests.to_vec()))?
                .into_iter()
                .collect();
            let (mut new, mut size) = (Vec::new(), 0);
            for digest in digests.iter().filter(|digest| !known.contains(*digest)) {
                match wait(source.get(digest))? {
                    Some(bytes) => {
                        summary.copied += 1;
                        summary.bytes += bytes.len() as u64;
                        size += bytes.len();
                        new.push(bytes);
                    }
                    None => missing.push(format!(
                        "the object {} is missing or damaged",
                        ObjectId(*digest)
                    )),
                }
                if size > MAX_PENDING {
                    wait(target.put_all(std::mem::take(&mut new)))?;
                    size = 0;
                }
            }
            wait(target.put_all(new))?;
        }
        step(used.len(), used.len());
        // A deployment may have expired, and what it alone needed was deleted.
        if !missing.is_empty() && attempts < MAX_ATTEMPTS && self::records(from)? != records {
            continue;
        }
        for (name, bytes) in &records {
            summary.sites += usize::from(name.kind() == Kind::Deployments);
            let written = wait(to.put(name, bytes, Expected::Any));
            written.with_context(|| format!("write the record of {}", name.as_str()))?;
        }
        // What cannot be read may name everything.
        if missing.is_empty() {
            summary.deleted = sweep(to, now)?;
        }
        summary.missing = missing;
        return Ok(summary);
    }
}

/// Returns true if `storage` has deployments of any site.
///
/// # Errors
///
/// Fails if it cannot be listed.
pub fn is_used(storage: &dyn Storage) -> anyhow::Result<bool> {
    Ok(!wait(storage.list(Kind::Deployments, ""))?.is_empty())
}

fn records(storage: &Arc<dyn Storage>) -> anyhow::Result<Vec<(Name, Vec<u8>)>> {
    let mut records = Vec::new();
    for kind in Kind::LASTING {
        for name in wait(storage.list(kind, ""))? {
            if let Some(record) = wait(storage.get(&name))? {
                records.push((name, record.bytes));
            }
        }
    }
    Ok(records)
}

/// Objects that the deployments among `records` name, and what of them cannot be read.
fn used(
    storage: &Arc<dyn Storage>,
    records: &[(Name, Vec<u8>)],
) -> anyhow::Result<(BTreeSet<ObjectId>, Vec<String>)> {
    let releases = Releases::new(storage.clone());
    let (mut used, mut missing) = (BTreeSet::new(), Vec::new());
    for (name, bytes) in records {
        if name.kind() != Kind::Deployments {
            continue;
        }
        let ids = releases_in(bytes);
        let ids = ids.with_context(|| format!("read the deployments of {}", name.as_str()))?;
        for id in BTreeSet::from_iter(ids) {
            match releases.objects_of(id) {
                Ok(objects) => used.extend(objects),
                Err(error) => missing.push(format!("{error:#}")),
            }
        }
    }
    Ok((used, missing))
}
