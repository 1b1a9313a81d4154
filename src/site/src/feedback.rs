//! Feedback of readers, and of programs that read for them, about pages and answers: one bounded
//! list per site.
//!
//! Each entry is a record of storage, whose name begins with the id of the site and the time: a write
//! costs one entry, and no process waits for another. Earlier versions kept all entries of a site in
//! one record, a line for each, which is read as well. Nothing in it tells who said it.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use quire_net::clients::{Buckets, Clients};
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::{Error, Expected, Kind, Name, Storage, delete_any, read_all, wait};

/// Number of entries of a site that are shown; older ones are deleted once an hour.
const MAX_ENTRIES: usize = 1000;
/// Maximum number of entries of a client per minute.
const PER_MINUTE: u32 = 30;
/// Entries of all clients in a minute. The last thousand are kept: those before are gone in no less than three minutes.
const ALL_PER_MINUTE: u32 = 300;

/// The thing that an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// A page, by a reader of it.
    Page,
    /// An answer of the assistant, by who asked.
    Assistant,
    /// A page or the site, by a program that reads it.
    Mcp,
}

impl About {
    /// The thing of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "page" => Some(Self::Page),
            "assistant" => Some(Self::Assistant),
            "mcp" => Some(Self::Mcp),
            _ => None,
        }
    }
}

/// One statement of a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When, in seconds since 1970.
    pub at: u64,
    /// Subject.
    pub kind: About,
    /// The path of the page; empty for the site as a whole.
    pub path: String,
    /// Whether it helped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helpful: Option<bool>,
    /// Free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The id of the answer; of a page, what a reader says of it in pieces has the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Entry {
    /// An entry of this moment that says nothing yet.
    pub fn now(kind: About, path: &str) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            at: since.map_or(0, |since| since.as_secs()),
            kind,
            path: path.to_owned(),
            helpful: None,
            text: None,
            id: None,
        }
    }
}

impl Entry {
    /// Returns true if it repeats `earlier`, perhaps with more: the same page and reader, who pressed
    /// a thumb first and wrote afterwards.
    fn completes(&self, earlier: &Self) -> bool {
        self.kind == About::Page
            && earlier.kind == About::Page
            && self.id.is_some()
            && self.id == earlier.id
            && self.path == earlier.path
    }
}

/// Feedback of one site.
pub struct Feedback {
    storage: Arc<dyn Storage>,
    /// The record of earlier versions. Names of entries begin with its name and a dot.
    name: Name,
    added: Mutex<Added>,
    clients: Clients,
    /// All of them together.
    all: Buckets<()>,
}

/// Entries of this process.
#[derive(Default)]
struct Added {
    /// Those that are not written yet, the oldest first, with the names of their records.
    pending: VecDeque<(Name, Entry)>,
    /// Set when one could not be written, so that the log says so once.
    has_failed: bool,
}

impl Feedback {
    /// Feedback of the site `id` in `storage`.
    pub fn new(storage: Arc<dyn Storage>, id: &str) -> Self {
        Self {
            storage,
            name: Name::of(Kind::Feedback, id),
            added: Mutex::default(),
            clients: Clients::new(PER_MINUTE, Duration::from_secs(60), usize::MAX),
            all: Buckets::new(ALL_PER_MINUTE, Duration::from_secs(60), usize::MAX),
        }
    }

    /// Like [`Feedback::new`], in the folder `state`; without one it is kept until the process ends.
    pub fn in_folder(state: Option<&Path>, id: &str) -> Self {
        match state {
            Some(state) => Self::new(Arc::new(Directory::new(state)), id),
            None => Self::new(Arc::new(Memory::default()), id),
        }
    }

    /// Lets an entry of the client at `address` in, or says in how many seconds it may come again.
    ///
    /// # Errors
    ///
    /// Returns that number.
    pub fn admit(&self, address: IpAddr) -> Result<(), u64> {
        let now = Instant::now();
        self.clients.enter(address, now)?;
        self.clients.leave(address);
        self.all.enter((), now)?;
        self.all.leave(&());
        Ok(())
    }

    /// Keeps `entry`. What cannot be written is kept until the process ends, and written with the next one. Blocks.
    pub fn add(&self, entry: Entry) {
        let added = &mut *self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.name_now();
        added.pending.push_back((name, entry));
        while added.pending.len() > MAX_ENTRIES {
            added.pending.pop_front();
        }
        let written = self.write(added);
        let has_failed = written.is_err();
        if let (Err(error), false) = (written, added.has_failed) {
            let name = self.name.as_str();
            tracing::warn!("failed to save feedback for {name}: {error}");
        }
        added.has_failed = has_failed;
    }

    /// A name for an entry of this moment, which no other has.
    fn name_now(&self) -> Name {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos());
        let (prefix, random) = (self.prefix(), fastrand::u32(..));
        Name::of(Kind::Feedback, &format!("{prefix}{nanos:020}-{random:08x}"))
    }

    fn prefix(&self) -> String {
        format!("{}.", self.name.as_str())
    }

    /// Writes what is not written yet.
    fn write(&self, added: &mut Added) -> Result<(), Error> {
        while let Some((name, entry)) = added.pending.front() {
            let text = serde_json::to_vec(entry).expect("an entry has only plain fields");
            match wait(self.storage.put(name, &text, Expected::Absent)) {
                // The name is this entry's alone: only the answer of the first try was lost.
                Ok(_) | Err(Error::Conflict) => {}
                Err(error) => return Err(error),
            }
            added.pending.pop_front();
        }
        Ok(())
    }

    /// Everything that is kept, the newest first. Blocks.
    pub fn entries(&self) -> Vec<Entry> {
        // Before what is stored is read: what is written meanwhile is in both.
        let added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let pending: Vec<(Name, Entry)> = added.pending.iter().cloned().collect();
        drop(added);
        let stored = self.stored().unwrap_or_else(|error| {
            let name = self.name.as_str();
            tracing::warn!("failed to read feedback for {name}: {error}");
            Vec::new()
        });
        let own = pending.iter().filter(|(name, _)| {
            let is_it = |(stored, _): &(Name, Entry)| stored == name;
            !stored.iter().any(is_it)
        });
        let own: Vec<Entry> = own.map(|(_, entry)| entry.clone()).collect();
        let entries = stored.into_iter().map(|(_, entry)| entry).chain(own);
        let mut kept: Vec<Entry> = Vec::new();
        for entry in entries {
            kept.retain(|earlier| !entry.completes(earlier));
            kept.push(entry);
        }
        kept.reverse();
        kept.truncate(MAX_ENTRIES);
        kept
    }

    /// Everything that is written, the oldest first, with the names of the records.
    fn stored(&self) -> Result<Vec<(Name, Entry)>, Error> {
        let mut names = wait(self.storage.list(Kind::Feedback, &self.prefix()))?;
        names.drain(..names.len().saturating_sub(MAX_ENTRIES));
        names.insert(0, self.name.clone());
        let records = wait(read_all(&*self.storage, &names))?;
        let mut entries = Vec::with_capacity(records.len());
        for (name, record) in names.iter().zip(&records) {
            let bytes = record.as_ref().map_or(&[][..], |record| &record.bytes);
            // A line that was cut off, or that a later version wrote, is none.
            let lines = bytes.split(|byte| *byte == b'\n');
            let read = lines.filter_map(|line| serde_json::from_slice::<Entry>(line).ok());
            entries.extend(read.map(|entry| (name.clone(), entry)));
        }
        Ok(entries)
    }
}

/// Deletes the oldest entries of each site in `storage`, and the record of earlier versions of one that has
/// enough without it. Blocks.
///
/// # Errors
///
/// Fails if a record cannot be listed or deleted.
pub fn delete_old(storage: &dyn Storage) -> Result<(), Error> {
    let mut sites: BTreeMap<String, Vec<Name>> = BTreeMap::new();
    for name in wait(storage.list(Kind::Feedback, ""))? {
        if let Some((site, _)) = name.as_str().split_once('.') {
            sites.entry(site.to_owned()).or_default().push(name);
        }
    }
    for (site, names) in sites {
        let Some(surplus) = names.len().checked_sub(MAX_ENTRIES) else {
            continue;
        };
        delete_any(storage, &Name::of(Kind::Feedback, &site))?;
        for name in &names[..surplus] {
            delete_any(storage, name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quire_storage::Records;

    fn entry(text: &str) -> Entry {
        Entry {
            text: Some(text.to_owned()),
            ..Entry::now(About::Page, "/a")
        }
    }

    fn texts(feedback: &Feedback) -> Vec<String> {
        let entries = feedback.entries().into_iter();
        entries.filter_map(|entry| entry.text).collect()
    }

    #[test]
    fn two_processes_lose_nothing_of_each_other() {
        let storage = Memory::default();
        let open = || Feedback::new(Arc::new(storage.clone()), "docs");
        let (one, two) = (open(), open());
        one.add(entry("first"));
        two.add(entry("second"));
        one.add(entry("third"));
        assert_eq!(texts(&one), ["third", "second", "first"]);
        assert_eq!(texts(&open()), ["third", "second", "first"]);
    }

    #[test]
    fn the_list_of_an_earlier_version_is_read_and_goes_when_it_is_old() {
        let storage = Memory::default();
        let name = Name::of(Kind::Feedback, "docs");
        let line = |text| serde_json::to_string(&entry(text)).unwrap();
        // A line that was cut off is none.
        let (first, second) = (line("first"), line("second"));
        let torn = format!("{first}\n{second}\nnonsense\n{}", &first[..first.len() - 3]);
        wait(storage.put(&name, torn.as_bytes(), Expected::Any)).unwrap();
        let feedback = Feedback::new(Arc::new(storage.clone()), "docs");
        assert_eq!(texts(&feedback), ["second", "first"]);
        feedback.add(entry("next"));
        assert_eq!(texts(&feedback), ["next", "second", "first"]);
        for i in 0..MAX_ENTRIES {
            feedback.add(entry(&i.to_string()));
        }
        assert_eq!(texts(&feedback).last().map(String::as_str), Some("0"));
        delete_old(&storage).unwrap();
        assert!(wait(storage.get(&name)).unwrap().is_none());
    }

    #[test]
    fn what_cannot_be_written_is_written_with_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("feedback");
        std::fs::write(&in_the_way, "no folder").unwrap();
        let open = || Feedback::in_folder(Some(folder.path()), "docs");
        let feedback = open();
        feedback.add(entry("first"));
        assert_eq!(texts(&feedback), ["first"]);
        assert!(texts(&open()).is_empty());
        std::fs::remove_file(&in_the_way).unwrap();
        feedback.add(entry("second"));
        assert_eq!(texts(&open()).len(), 2);
    }

    #[test]
    fn sites_have_their_own() {
        let storage = Memory::default();
        let open = |id| Feedback::new(Arc::new(storage.clone()), id);
        open("docs").add(entry("of docs"));
        open("docs-api").add(entry("of the reference"));
        assert_eq!(texts(&open("docs")), ["of docs"]);
        assert_eq!(texts(&open("docs-api")), ["of the reference"]);
    }

    #[test]
    fn what_a_reader_adds_stands_in_the_place_of_what_they_said() {
        let storage = Memory::default();
        let feedback = Feedback::new(Arc::new(storage.clone()), "docs");
        let entry = |id: &str, path: &str, text: Option<&str>| Entry {
            helpful: Some(false),
            id: Some(id.to_owned()),
            text: text.map(str::to_owned),
            ..Entry::now(About::Page, path)
        };
        feedback.add(entry("1", "/a", None));
        feedback.add(entry("2", "/a", None));
        feedback.add(entry("1", "/b", None));
        feedback.add(entry("1", "/a", Some("more")));
        let again = Feedback::new(Arc::new(storage), "docs");
        for feedback in [feedback, again] {
            let entries = feedback.entries();
            let summaries: Vec<_> = (entries.iter())
                .map(|entry| (entry.id.as_deref(), &*entry.path, entry.text.as_deref()))
                .collect();
            let expected = [
                (Some("1"), "/a", Some("more")),
                (Some("1"), "/b", None),
                (Some("2"), "/a", None),
            ];
            assert_eq!(summaries, expected);
        }
    }

    #[test]
    fn the_oldest_make_room() {
        let storage = Memory::default();
        let feedback = Feedback::new(Arc::new(storage.clone()), "docs");
        for i in 0..MAX_ENTRIES + 5 {
            feedback.add(entry(&i.to_string()));
        }
        let kept = texts(&feedback);
        assert_eq!(kept.len(), MAX_ENTRIES);
        assert_eq!(kept.last().map(String::as_str), Some("5"));
        Feedback::new(Arc::new(storage.clone()), "other").add(entry("of another"));
        delete_old(&storage).unwrap();
        let records = wait(storage.list(Kind::Feedback, "docs.")).unwrap();
        assert_eq!(records.len(), MAX_ENTRIES);
    }
}
