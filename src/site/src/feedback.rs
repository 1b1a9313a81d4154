//! Feedback of readers, and of programs that read for them, about pages and answers: one bounded
//! list per site.
//!
//! It is a record of storage, a line of JSON for each entry, written as a whole with each new one; so a kill leaves the old
//! list or the new one. Nothing in it tells who said it.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use quire_net::clients::{Buckets, Clients};
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::{Error, Expected, Kind, Name, Record, Storage, wait};

/// Maximum number of entries of a site, and of their bytes; the oldest are dropped.
const MAX_ENTRIES: usize = 1000;
const MAX_BYTES: usize = 512 * 1024;
/// Maximum number of entries of a client per minute.
const PER_MINUTE: u32 = 30;
/// Entries of all clients in a minute. The last thousand are kept: those before are gone in no less than three minutes.
const ALL_PER_MINUTE: u32 = 300;
/// Number of attempts to update a list that another process writes.
const TRIES: usize = 8;

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
    name: Name,
    list: Mutex<List>,
    clients: Clients,
    /// All of them together.
    all: Buckets<()>,
}

#[derive(Default)]
struct List {
    /// State of the record as last seen; `None` if it must be read.
    read: Option<Expected>,
    /// Lines with their entries, the oldest first.
    entries: VecDeque<(String, Entry)>,
    bytes: usize,
}

impl Feedback {
    /// Feedback of the site `id` in `storage`.
    pub fn new(storage: Arc<dyn Storage>, id: &str) -> Self {
        Self {
            storage,
            name: Name::of(Kind::Feedback, id),
            list: Mutex::default(),
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
        let list = &mut *self.list.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..TRIES {
            let written = list
                .read(&*self.storage, &self.name)
                .and_then(|expected| list.write(&entry, &*self.storage, &self.name, expected));
            match written {
                Ok(()) => break,
                Err(Error::Conflict) => {}
                Err(error) => {
                    tracing::warn!(
                        "failed to save feedback for {}: {error}",
                        self.name.as_str()
                    );
                    break;
                }
            }
        }
        list.push(entry);
    }

    /// Everything that is kept, the newest first. Blocks.
    pub fn entries(&self) -> Vec<Entry> {
        let list = &mut *self.list.lock().unwrap_or_else(PoisonError::into_inner);
        // Another process may have written it.
        list.read = None;
        if let Err(error) = list.read(&*self.storage, &self.name) {
            tracing::warn!(
                "failed to read feedback for {}: {error}",
                self.name.as_str()
            );
        }
        let entries = list.entries.iter().rev();
        entries.map(|(_, entry)| entry.clone()).collect()
    }
}

impl List {
    /// Reads the record, unless its state is known; returns that.
    fn read(&mut self, storage: &dyn Storage, name: &Name) -> Result<Expected, Error> {
        if let Some(expected) = &self.read {
            return Ok(expected.clone());
        }
        let expected = match wait(storage.get(name))? {
            None => Expected::Absent,
            Some(Record { bytes, version }) => {
                let own = std::mem::take(&mut self.entries);
                self.bytes = 0;
                // A line that was cut off, or that a later version wrote, is not one.
                let lines = bytes.split_inclusive(|byte| *byte == b'\n');
                let whole = lines.filter(|line| line.ends_with(b"\n"));
                let kept = whole.filter_map(|line| serde_json::from_slice(line).ok());
                for entry in kept {
                    self.push(entry);
                }
                // What this process heard and could not write.
                for (line, entry) in own {
                    if !self.entries.iter().any(|(known, _)| *known == line) {
                        self.push(entry);
                    }
                }
                Expected::Version(version)
            }
        };
        self.read = Some(expected.clone());
        Ok(expected)
    }

    /// Writes the list with `entry` at its end.
    fn write(
        &mut self,
        entry: &Entry,
        storage: &dyn Storage,
        name: &Name,
        expected: Expected,
    ) -> Result<(), Error> {
        let mut text = String::with_capacity(self.bytes + 256);
        for (line, known) in &self.entries {
            if !entry.completes(known) {
                text.push_str(line);
            }
        }
        text.push_str(&line_of(entry));
        match wait(storage.put(name, text.as_bytes(), expected)) {
            Ok(version) => {
                self.read = Some(Expected::Version(version));
                Ok(())
            }
            Err(error) => {
                // A write that failed may have come as far as the folder.
                self.read = None;
                Err(error)
            }
        }
    }

    /// Adds `entry`, in the place of what it completes.
    fn push(&mut self, entry: Entry) {
        if let Some(at) = (self.entries.iter()).position(|(_, known)| entry.completes(known))
            && let Some((line, _)) = self.entries.remove(at)
        {
            self.bytes -= line.len();
        }
        let line = line_of(&entry);
        self.bytes += line.len();
        self.entries.push_back((line, entry));
        while self.entries.len() > MAX_ENTRIES || self.bytes > MAX_BYTES {
            if let Some((line, _)) = self.entries.pop_front() {
                self.bytes -= line.len();
            }
        }
    }
}

fn line_of(entry: &Entry) -> String {
    let line = serde_json::to_string(entry).expect("an entry has only plain fields");
    line + "\n"
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
    fn a_line_that_was_cut_off_is_none() {
        let storage = Memory::default();
        let name = Name::of(Kind::Feedback, "docs");
        let whole = line_of(&entry("whole"));
        let torn = format!("{whole}nonsense\n{}", &whole[..whole.len() - 3]);
        wait(storage.put(&name, torn.as_bytes(), Expected::Any)).unwrap();
        let feedback = Feedback::new(Arc::new(storage), "docs");
        assert_eq!(texts(&feedback), ["whole"]);
        feedback.add(entry("next"));
        assert_eq!(texts(&feedback), ["next", "whole"]);
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
        let feedback = Feedback::new(Arc::new(Memory::default()), "docs");
        for i in 0..MAX_ENTRIES + 5 {
            feedback.add(entry(&i.to_string()));
        }
        let kept = texts(&feedback);
        assert_eq!(kept.len(), MAX_ENTRIES);
        assert_eq!(kept.last().map(String::as_str), Some("5"));
        let long = "x".repeat(2000);
        for _ in 0..300 {
            feedback.add(entry(&long));
        }
        assert!(feedback.list.lock().unwrap().bytes <= MAX_BYTES);
    }
}
