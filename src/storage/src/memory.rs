//! Storage that ends with the process: for tests, and for sites of which nothing is to be kept.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use queries::base::content::ContentHash;

use crate::objects::MemoryObjects;
use crate::{
    Area, Blobs, Clock, Error, Expected, Kind, Lease, Leases, Name, Objects, Pending, Proof,
    Record, Records, Scratch, Size, Stamp, Storage, Term, Version, system_clock,
};

/// Storage in memory. Clones are the same storage.
#[derive(Clone)]
pub struct Memory {
    /// The place within the whole.
    folder: String,
    clock: Clock,
    all: Arc<Mutex<Everything>>,
}

/// Contents of the storage.
#[derive(Default)]
struct Everything {
    records: BTreeMap<(String, Name), (u64, Vec<u8>)>,
    /// Last version of a record or number of a lease; each is unique.
    last: u64,
    leases: HashMap<(String, String), GrantedLease>,
    blobs: HashMap<String, Arc<MemoryBlobs>>,
    objects: HashMap<String, Arc<MemoryObjects>>,
}

#[derive(Clone, Copy)]
struct GrantedLease {
    number: u64,
    /// End of the lease; `None` if that is the end of the process.
    end: Option<SystemTime>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::with_clock(system_clock())
    }
}

impl Memory {
    /// Storage whose leases end by `clock`.
    pub fn with_clock(clock: Clock) -> Self {
        Self {
            folder: String::new(),
            clock,
            all: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Everything> {
        lock(&self.all)
    }

    fn key(&self, name: &Name) -> (String, Name) {
        (self.folder.clone(), name.clone())
    }

    fn end(&self, term: Term) -> Option<SystemTime> {
        match term {
            Term::Process => None,
            Term::For(time) => Some((self.clock)() + time),
        }
    }
}

impl Everything {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

fn version(number: u64) -> Version {
    Version::new(&number.to_le_bytes())
}

impl Records for Memory {
    fn stamp<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Stamp>> {
        Box::pin(async move {
            let all = self.lock();
            let found = all.records.get(&self.key(name));
            Ok(found.map(|(number, _)| Stamp([*number, 0, 0, 0])))
        })
    }

    fn get<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Record>> {
        Box::pin(async move {
            let all = self.lock();
            let found = all.records.get(&self.key(name));
            Ok(found.map(|(number, bytes)| Record {
                bytes: bytes.clone(),
                version: version(*number),
            }))
        })
    }

    fn put<'a>(
        &'a self,
        name: &'a Name,
        bytes: &'a [u8],
        expected: Expected,
    ) -> Pending<'a, Version> {
        Box::pin(async move {
            let mut all = self.lock();
            let key = self.key(name);
            let found = all.records.get(&key).map(|(number, _)| version(*number));
            expected.check(found.as_ref())?;
            let number = all.next();
            all.records.insert(key, (number, bytes.to_vec()));
            Ok(version(number))
        })
    }

    fn delete<'a>(&'a self, name: &'a Name, expected: &'a Version) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut all = self.lock();
            let key = self.key(name);
            let (number, _) = all.records.get(&key).ok_or(Error::NotFound)?;
            Expected::Version(expected.clone()).check(Some(&version(*number)))?;
            all.records.remove(&key);
            Ok(())
        })
    }

    fn list<'a>(&'a self, kind: Kind, prefix: &'a str) -> Pending<'a, Vec<Name>> {
        Box::pin(async move {
            let all = self.lock();
            let names = (all.records.keys())
                .filter(|(folder, _)| *folder == self.folder)
                .map(|(_, name)| name)
                .filter(|name| name.kind() == kind && name.as_str().starts_with(prefix));
            Ok(names.cloned().collect())
        })
    }
}

impl Leases for Memory {
    fn take<'a>(&'a self, name: &'a str, term: Term) -> Pending<'a, Lease> {
        Box::pin(async move {
            let mut all = self.lock();
            let key = (self.folder.clone(), name.to_owned());
            let is_held =
                |granted: &GrantedLease| granted.end.is_none_or(|end| (self.clock)() < end);
            if all.leases.get(&key).is_some_and(is_held) {
                return Err(Error::Conflict);
            }
            let number = all.next();
            let end = self.end(term);
            all.leases.insert(key, GrantedLease { number, end });
            Ok(Lease {
                name: name.to_owned(),
                proof: Proof::Number(number),
            })
        })
    }

    fn renew<'a>(&'a self, lease: &'a Lease, term: Term) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut all = self.lock();
            let key = (self.folder.clone(), lease.name.clone());
            let granted = all.leases.get_mut(&key).filter(|own| is_of(lease, own));
            granted.ok_or(Error::Conflict)?.end = self.end(term);
            Ok(())
        })
    }

    fn release(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move {
            let mut all = self.lock();
            let key = (self.folder.clone(), lease.name.clone());
            if all.leases.get(&key).is_some_and(|own| is_of(&lease, own)) {
                all.leases.remove(&key);
            }
            Ok(())
        })
    }
}

fn is_of(lease: &Lease, granted: &GrantedLease) -> bool {
    matches!(lease.proof, Proof::Number(number) if number == granted.number)
}

impl Storage for Memory {
    fn blobs(&self, area: Area) -> Arc<dyn Blobs> {
        let folder = format!("{}/{}", self.folder, area.folder);
        self.lock().blobs.entry(folder).or_default().clone()
    }

    fn objects(&self) -> Arc<dyn Objects> {
        let mut all = self.lock();
        let objects = all.objects.entry(self.folder.clone());
        let new = || Arc::new(MemoryObjects::new(self.clock.clone()));
        objects.or_insert_with(new).clone()
    }

    fn scratch(&self, _: &str) -> Option<Scratch> {
        None
    }

    fn below(&self, folder: &str) -> Arc<dyn Storage> {
        let folder = format!("{}/{folder}", self.folder);
        Arc::new(Self {
            folder,
            ..self.clone()
        })
    }
}

/// Blobs in memory, all of them.
#[derive(Default)]
pub struct MemoryBlobs(Mutex<HashMap<ContentHash, Arc<[u8]>>>);

impl Blobs for MemoryBlobs {
    fn get<'a>(&'a self, key: &'a ContentHash) -> Pending<'a, Option<Arc<[u8]>>> {
        Box::pin(async move { Ok(lock(&self.0).get(key).cloned()) })
    }

    fn contains<'a>(&'a self, key: &'a ContentHash) -> Pending<'a, bool> {
        Box::pin(async move { Ok(lock(&self.0).contains_key(key)) })
    }

    fn put_if_absent(&self, key: ContentHash, bytes: Arc<[u8]>) -> Pending<'_, bool> {
        Box::pin(async move {
            let mut values = lock(&self.0);
            let is_absent = !values.contains_key(&key);
            values.entry(key).or_insert(bytes);
            Ok(is_absent)
        })
    }

    fn put(&self, key: ContentHash, bytes: Arc<[u8]>) -> Pending<'_, ()> {
        Box::pin(async move {
            lock(&self.0).insert(key, bytes);
            Ok(())
        })
    }

    fn flush(&self) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn sweep(&self) -> Pending<'_, ()> {
        self.flush()
    }

    fn size(&self) -> Size {
        let values = lock(&self.0);
        Size {
            entries: values.len(),
            bytes: values.values().map(|value| value.len() as u64).sum(),
        }
    }
}

/// Ignores poisoning: the data behind the lock is valid at every moment, even if its holder
/// panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
