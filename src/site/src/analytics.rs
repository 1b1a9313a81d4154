//! Counts of views and searches by day: pages by route, searches, and queries without results.
//!
//! Nothing in it tells who reads: no address, no browser, no cookie, no order of pages. Counts are kept in memory and added to
//! the record of their day now and then, so a kill costs what was counted since the last time. Earlier versions kept all days of
//! a site in one record, which is read as well.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use quire_net::clients::Clients;
use quire_storage::{Error, Expected, Kind, Name, Record, Storage, delete_any, read_all, wait};

/// Number of days stored, today included.
pub const DAYS: u64 = 30;
/// Maximum number of pages and of queries without results counted one by one per day; further ones
/// are only in the sums.
const MAX_PAGES: usize = 1000;
const MAX_QUERIES: usize = 200;
/// Longest text of a search, in characters; the rest is cut off.
const MAX_QUERY_CHARS: usize = 100;
/// Maximum number of reports of a client per minute.
const PER_MINUTE: u32 = 120;
/// Number of attempts to update a record that another process writes.
const TRIES: usize = 8;

/// One day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Day {
    /// Number of page views.
    pub views: u64,
    /// Number of searches.
    pub searches: u64,
    /// Number of searches without results.
    pub without_result: u64,
    /// Views by route.
    pub pages: BTreeMap<String, u64>,
    /// Queries without results, with their counts.
    pub queries: BTreeMap<String, u64>,
}

impl Day {
    fn add(&mut self, other: &Self) {
        self.views += other.views;
        self.searches += other.searches;
        self.without_result += other.without_result;
        for (route, count) in &other.pages {
            raise(&mut self.pages, route, *count, MAX_PAGES);
        }
        for (text, count) in &other.queries {
            raise(&mut self.queries, text, *count, MAX_QUERIES);
        }
    }
}

/// Adds `count` to what is counted of `name`, unless as many as `most` others are counted.
fn raise(counts: &mut BTreeMap<String, u64>, name: &str, count: u64, most: usize) {
    if let Some(known) = counts.get_mut(name) {
        *known += count;
    } else if counts.len() < most {
        counts.insert(name.to_owned(), count);
    }
}

/// Days by their number: days since 1970 (UTC).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Days on which something was counted.
    pub days: BTreeMap<u64, Day>,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        for (number, day) in &other.days {
            self.days.entry(*number).or_default().add(day);
        }
    }

    /// Forgets what is older than [`DAYS`] on the day `today`. What a clock that was wrong dated later is forgotten, too.
    fn prune(&mut self, today: u64) {
        self.days
            .retain(|number, _| *number <= today + 1 && number + DAYS > today);
    }
}

/// Counts of one site.
pub struct Analytics {
    storage: Arc<dyn Storage>,
    /// The record of earlier versions. Names of days begin with its name and a dot.
    name: Name,
    /// Counted since the records were written last.
    pending: Mutex<Counts>,
    /// Held while records are read or written.
    recording: Mutex<()>,
    clients: Clients,
    /// Set when the record could not be written, so that the log says so once.
    has_failed: AtomicBool,
    /// Set when nobody waits for what is not written.
    is_given_up: AtomicBool,
}

impl Analytics {
    /// Counts of the site `id` in `storage`.
    pub fn new(storage: Arc<dyn Storage>, id: &str) -> Self {
        Self {
            storage,
            name: Name::of(Kind::Analytics, id),
            pending: Mutex::default(),
            recording: Mutex::default(),
            clients: Clients::new(PER_MINUTE, Duration::from_secs(60), usize::MAX),
            has_failed: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
        }
    }

    /// Lets what the client at `address` tells in, or says in how many seconds it may come again. Addresses are forgotten with
    /// the minute, and are in nothing that is counted.
    ///
    /// # Errors
    ///
    /// Returns that number.
    pub fn admit(&self, address: IpAddr) -> Result<(), u64> {
        self.clients.enter(address, Instant::now())?;
        self.clients.leave(address);
        Ok(())
    }

    /// Counts that the page at `route` is read.
    pub fn viewed(&self, route: &str) {
        self.count(|day| {
            day.views += 1;
            raise(&mut day.pages, route, 1, MAX_PAGES);
        });
    }

    /// Counts that `text` was searched for, and whether something was `found`.
    pub fn searched(&self, text: &str, found: bool) {
        let text = normal(text);
        if text.is_empty() {
            return;
        }
        self.count(|day| {
            day.searches += 1;
            if !found {
                day.without_result += 1;
                raise(&mut day.queries, &text, 1, MAX_QUERIES);
            }
        });
    }

    fn count(&self, change: impl FnOnce(&mut Day)) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        change(pending.days.entry(today()).or_default());
    }

    /// Adds what was counted to the records of its days. What cannot be written is kept for the next time. Blocks.
    pub fn flush(&self) {
        let _recording = self
            .recording
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut batch = {
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.prune(today());
            std::mem::take(&mut *pending)
        };
        let mut written = Ok(());
        while let Some(day) = batch.days.first_entry() {
            written = self.write(*day.key(), day.get());
            if written.is_err() {
                break;
            }
            day.remove();
        }
        let has_failed = written.is_err();
        if let (Err(error), false) = (written, self.has_failed.swap(has_failed, Ordering::Relaxed))
        {
            let name = self.name.as_str();
            tracing::warn!("failed to save page-view counts for {name}: {error}");
        }
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.add(&batch);
    }

    /// Has nobody wait for what is not written yet; returns true if there is something.
    pub fn give_up(&self) -> bool {
        self.is_given_up.store(true, Ordering::Relaxed);
        // What is being written is not there either.
        let is_written = self.recording.try_lock().is_ok();
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        !is_written || !pending.days.is_empty()
    }

    /// The name of the record of the day `number`.
    fn name_of(&self, number: u64) -> Name {
        let name = self.name.as_str();
        Name::of(Kind::Analytics, &format!("{name}.{number:06}"))
    }

    /// The records of days, with the numbers of these.
    fn stored_days(&self) -> Result<Vec<(u64, Name)>, Error> {
        let prefix = format!("{}.", self.name.as_str());
        let names = wait(self.storage.list(Kind::Analytics, &prefix))?.into_iter();
        let numbered = names.filter_map(|name| {
            let number = name.as_str().strip_prefix(&prefix)?.parse().ok()?;
            Some((number, name))
        });
        Ok(numbered.collect())
    }

    /// Adds what was counted of the day `number` to its record, whoever else writes it. A record that
    /// cannot be parsed is replaced.
    fn write(&self, number: u64, counted: &Day) -> Result<(), Error> {
        let name = self.name_of(number);
        for _ in 0..TRIES {
            let (mut day, expected) = match wait(self.storage.get(&name))? {
                None => (Day::default(), Expected::Absent),
                Some(Record { bytes, version }) => (
                    serde_json::from_slice(&bytes).unwrap_or_default(),
                    Expected::Version(version),
                ),
            };
            day.add(counted);
            let text = serde_json::to_vec(&day).expect("counts have only plain fields");
            match wait(self.storage.put(&name, &text, expected)) {
                Err(Error::Conflict) => {}
                written => return written.map(drop),
            }
        }
        Err(Error::Conflict)
    }

    /// What the records hold.
    fn read(&self) -> Result<Counts, Error> {
        let mut counts = match wait(self.storage.get(&self.name))? {
            Some(record) => shown(serde_json::from_slice(&record.bytes).unwrap_or_default()),
            None => Counts::default(),
        };
        let (numbers, names): (Vec<u64>, Vec<Name>) = self.stored_days()?.into_iter().unzip();
        let records = wait(read_all(&*self.storage, &names))?;
        for (number, record) in numbers.into_iter().zip(records) {
            let day = record.and_then(|record| serde_json::from_slice::<Day>(&record.bytes).ok());
            if let Some(day) = day {
                counts.days.entry(number).or_default().add(&day);
            }
        }
        Ok(counts)
    }

    /// Everything that was counted, to this moment. Blocks.
    pub fn counts(&self) -> Counts {
        let _recording = self
            .recording
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut counts = self.read().unwrap_or_default();
        counts.add(&self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        counts.prune(today());
        counts
    }
}

impl Drop for Analytics {
    fn drop(&mut self) {
        if !self.is_given_up.load(Ordering::Relaxed) {
            self.flush();
        }
    }
}

/// Deletes the records of days that are not shown any more, of all sites in `storage`, and those of earlier
/// versions once all of their days are. Blocks.
///
/// # Errors
///
/// Fails if a record cannot be listed, read or deleted.
pub fn delete_old(storage: &dyn Storage) -> Result<(), Error> {
    for name in wait(storage.list(Kind::Analytics, ""))? {
        let is_old = match name.as_str().rsplit_once('.') {
            Some((_, number)) => {
                (number.parse::<u64>()).is_ok_and(|number| number + DAYS <= today())
            }
            None => {
                // One that cannot be parsed is not ours to delete.
                let record = wait(storage.get(&name))?;
                let read = record.and_then(|record| serde_json::from_slice(&record.bytes).ok());
                read.is_some_and(|counts| shown(counts).days.is_empty())
            }
        };
        if is_old {
            delete_any(storage, &name)?;
        }
    }
    Ok(())
}

/// The days of `counts`, the record of an earlier version, that are shown.
fn shown(mut counts: Counts) -> Counts {
    counts.prune(today());
    counts
}

/// A text as searches are told apart: in lower case, with single spaces, cut off.
fn normal(text: &str) -> String {
    let text = text.replace(char::is_control, " ").to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(MAX_QUERY_CHARS).collect();
    cut.trim_end().to_owned()
}

/// The number of this day.
pub fn today() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() / 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quire_storage::Records;
    use quire_storage::directory::Directory;
    use quire_storage::memory::Memory;

    fn day(views: u64, page: &str) -> Day {
        Day {
            views,
            pages: BTreeMap::from([(page.to_owned(), views)]),
            ..Day::default()
        }
    }

    #[test]
    fn two_processes_add_to_one_record() {
        let storage = Memory::default();
        let open = || Analytics::new(Arc::new(storage.clone()), "docs");
        let (one, two) = (open(), open());
        one.viewed("/a");
        one.flush();
        two.viewed("/a");
        two.viewed("/b");
        assert_eq!(
            one.counts().days[&today()].views,
            1,
            "it is not written yet"
        );
        drop(two);
        let counts = open().counts();
        let day = &counts.days[&today()];
        assert_eq!((day.views, day.pages["/a"], day.pages["/b"]), (3, 2, 1));
    }

    #[test]
    fn what_cannot_be_written_is_kept_for_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("analytics");
        std::fs::write(&in_the_way, "no folder").unwrap();
        let open = || Analytics::new(Arc::new(Directory::new(folder.path())), "docs");
        let analytics = open();
        analytics.viewed("/a");
        analytics.flush();
        assert_eq!(analytics.counts().days[&today()].views, 1);
        assert_eq!(analytics.pending.lock().unwrap().days[&today()].views, 1);
        std::fs::remove_file(&in_the_way).unwrap();
        analytics.flush();
        assert!(analytics.pending.lock().unwrap().days.is_empty());
        assert_eq!(open().counts().days[&today()].views, 1);
    }

    #[test]
    fn a_record_that_nobody_understands_is_begun_anew() {
        let storage = Memory::default();
        let analytics = Analytics::new(Arc::new(storage.clone()), "docs");
        let name = analytics.name_of(today());
        wait(storage.put(&name, b"no counts", Expected::Any)).unwrap();
        analytics.viewed("/a");
        analytics.flush();
        assert!(analytics.pending.lock().unwrap().days.is_empty());
        assert_eq!(analytics.counts().days[&today()].views, 1);
    }

    #[test]
    fn each_day_has_a_record_and_old_ones_go() {
        let storage = Memory::default();
        let analytics = Analytics::new(Arc::new(storage.clone()), "docs");
        let put = |name: &Name, value: &dyn Fn() -> Vec<u8>| {
            wait(storage.put(name, &value(), Expected::Absent)).unwrap();
        };
        let of_day = || serde_json::to_vec(&day(1, "/a")).unwrap();
        for number in [today() - DAYS, today() - 1] {
            put(&analytics.name_of(number), &of_day);
        }
        // Of another site, and of an earlier version.
        let other = Name::of(Kind::Analytics, "docs-2.000001");
        put(&other, &of_day);
        let unknown = Name::of(Kind::Analytics, "other");
        put(&unknown, &|| b"of a later version".to_vec());
        let all = |number| Counts {
            days: BTreeMap::from([(number, day(2, "/a"))]),
        };
        put(&analytics.name, &|| {
            serde_json::to_vec(&all(today() - 1)).unwrap()
        });
        analytics.viewed("/a");
        analytics.flush();
        delete_old(&storage).unwrap();
        let days = analytics.counts().days;
        let views: Vec<_> = days
            .iter()
            .map(|(number, day)| (*number, day.views))
            .collect();
        assert_eq!(views, [(today() - 1, 3), (today(), 1)]);
        let names = || wait(storage.list(Kind::Analytics, "")).unwrap();
        assert_eq!(names().len(), 4, "{:?}", names());
        // Everything that it holds is old.
        let version = wait(storage.get(&analytics.name)).unwrap().unwrap().version;
        wait(storage.delete(&analytics.name, &version)).unwrap();
        put(&analytics.name, &|| {
            serde_json::to_vec(&all(today() - DAYS)).unwrap()
        });
        delete_old(&storage).unwrap();
        assert!(wait(storage.get(&analytics.name)).unwrap().is_none());
    }

    #[test]
    fn searches_are_told_apart_by_their_words() {
        let analytics = Analytics::new(Arc::new(Memory::default()), "docs");
        analytics.searched("  Rotate\tKEYS ", false);
        analytics.searched("rotate keys", false);
        analytics.searched("found", true);
        analytics.searched(" \n ", false);
        analytics.searched(&"é".repeat(300), false);
        let counts = analytics.counts();
        let day = &counts.days[&today()];
        assert_eq!((day.searches, day.without_result), (4, 3));
        let expected = [("rotate keys".to_owned(), 2), ("é".repeat(100), 1)];
        assert_eq!(day.queries, BTreeMap::from(expected));
    }

    #[test]
    fn old_days_are_forgotten_and_many_names_are_only_summed() {
        let mut counts = Counts::default();
        for number in [70, 71, 99, 100, 101, 102] {
            counts.days.insert(number, day(1, "/a"));
        }
        counts.prune(100);
        assert_eq!(
            counts.days.keys().copied().collect::<Vec<_>>(),
            [71, 99, 100, 101]
        );
        let mut sum = Day::default();
        for i in 0..MAX_PAGES + 7 {
            sum.add(&day(1, &format!("/{i}")));
        }
        assert_eq!(
            (sum.views, sum.pages.len()),
            (MAX_PAGES as u64 + 7, MAX_PAGES)
        );
    }
}
