//! Deletes objects that no deployment needs any more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Context;

use super::list::releases_in;
use crate::release::Releases;
use quire_storage::objects::ObjectId;
use quire_storage::{Kind, Storage, wait};

/// Deletes the objects of `storage` that no release of any deployment names, unless a deployment
/// that is running may have stored them ([`Objects::grace`](quire_storage::Objects::grace)).
/// Returns how many.
///
/// # Errors
///
/// Fails before anything is deleted if a list of deployments or a release cannot be read: an object
/// may be named there.
pub(crate) fn sweep(storage: &Arc<dyn Storage>, now: SystemTime) -> anyhow::Result<usize> {
    let objects = storage.objects();
    let stored = wait(objects.list())?;
    if stored.is_empty() {
        return Ok(0);
    }
    let mut ids: BTreeSet<ObjectId> = BTreeSet::new();
    for name in wait(storage.list(Kind::Deployments, ""))? {
        let Some(record) = wait(storage.get(&name))? else {
            continue;
        };
        let named = releases_in(&record.bytes);
        ids.extend(named.with_context(|| format!("read the deployments of {}", name.as_str()))?);
    }
    let releases = Releases::new(storage.clone());
    let mut used = BTreeSet::new();
    for id in ids {
        used.extend(releases.objects_of(id)?);
    }
    let before = now
        .checked_sub(objects.grace())
        .unwrap_or(SystemTime::UNIX_EPOCH);
    let mut deleted = 0;
    for object in stored {
        let is_old = object.stored < before;
        if is_old
            && !used.contains(&ObjectId(object.digest))
            && wait(objects.delete(&object.digest, before))?
        {
            deleted += 1;
        }
    }
    Ok(deleted)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;
    use queries::base::content::ContentHash;
    use quire_storage::memory::Memory;
    use quire_storage::{Clock, Expected, Name};

    /// Grace of objects in memory.
    const GRACE: Duration = Duration::from_secs(60 * 60);

    /// A storage whose clock stands still, and the clock.
    fn storage() -> (Arc<dyn Storage>, Arc<Mutex<SystemTime>>) {
        let time = Arc::new(Mutex::new(SystemTime::UNIX_EPOCH + 3 * GRACE));
        let shown = time.clone();
        let clock: Clock = Arc::new(move || *shown.lock().unwrap());
        (Arc::new(Memory::with_clock(clock)), time)
    }

    fn put(storage: &Arc<dyn Storage>, bytes: &str) -> ObjectId {
        let objects = storage.objects();
        ObjectId(wait(objects.put(bytes.to_owned().into())).unwrap())
    }

    /// Stores a release with one file that has these bytes.
    fn release(storage: &Arc<dyn Storage>, bytes: &str) -> ObjectId {
        let object = put(storage, bytes);
        let release = serde_json::json!({
            "format": 1, "site": "docs", "deployment": 1, "program": "1", "files": {
                "a.mdx": { "object": object, "size": 1, "digest": object, "is_text": true },
            },
        });
        put(storage, &release.to_string())
    }

    fn list(storage: &Arc<dyn Storage>, site: &str, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let name = Name::of(Kind::Deployments, site);
        wait(storage.put(&name, text.as_bytes(), Expected::Any)).unwrap();
    }

    fn line(id: u64, release: Option<ObjectId>) -> String {
        serde_json::json!({
            "id": id, "status": "success", "cause": "api", "created": 1, "changed": 0, "ms": 0,
            "log": [], "release": release,
        })
        .to_string()
    }

    fn stored(storage: &Arc<dyn Storage>) -> usize {
        wait(storage.objects().list()).unwrap().len()
    }

    #[test]
    fn what_no_deployment_names_is_deleted() {
        let (storage, time) = storage();
        let (one, two) = (release(&storage, "one"), release(&storage, "two"));
        release(&storage, "three");
        list(&storage, "docs", &[line(1, None), line(2, Some(one))]);
        list(&storage, "api", &[line(1, Some(two))]);
        let start = *time.lock().unwrap();
        // It may be of a deployment that is running.
        assert_eq!(sweep(&storage, start + GRACE).unwrap(), 0);
        let later = start + GRACE + Duration::from_secs(1);
        assert_eq!(sweep(&storage, later).unwrap(), 2);
        assert_eq!(stored(&storage), 4);
        // Put again meanwhile, it is new again.
        *time.lock().unwrap() = later;
        put(&storage, "one");
        list(&storage, "docs", &[line(1, None), line(2, None)]);
        assert_eq!(sweep(&storage, later + GRACE).unwrap(), 1);
        let objects = storage.objects();
        let is_there = |text: &str| wait(objects.get(&ContentHash::of(text.as_bytes()))).unwrap();
        assert!(is_there("one").is_some() && is_there("two").is_some());
    }

    #[test]
    fn what_cannot_be_read_may_name_everything() {
        let (storage, time) = storage();
        let one = release(&storage, "one");
        let later = *time.lock().unwrap() + 9 * GRACE;
        list(&storage, "docs", &["{}".to_owned(), line(1, Some(one))]);
        assert!(sweep(&storage, later).is_err());
        // A release that is gone named nobody knows what.
        list(
            &storage,
            "docs",
            &[line(1, Some(ObjectId(ContentHash::of(b"gone"))))],
        );
        assert!(sweep(&storage, later).is_err());
        assert_eq!(stored(&storage), 2);
        // A line that was cut off was told to nobody.
        let name = Name::of(Kind::Deployments, "docs");
        let text = line(1, Some(one)) + "\n{\"id\":2";
        wait(storage.put(&name, text.as_bytes(), Expected::Any)).unwrap();
        assert_eq!(sweep(&storage, later).unwrap(), 0);
    }
}
