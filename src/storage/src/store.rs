//! Caches that outlive an edit or a process: contents by digest, artifacts by key, facts about
//! files. None is authoritative: what is read is checked by its hash, and what cannot be read is
//! computed again.

pub mod contents;
pub mod embedding_cache;
mod recent;
pub mod stats;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use queries::base::content::{ContentHash, TextBytes};
use queries::site::{ArtifactStore, ContentLost, ContentStore, Kind, Outcome};

use crate::directory::Directory;
use crate::folders;
use crate::memory::Memory;
use crate::{self as storage, Area, Blobs, Error, Lease, Scratch, Size, Storage, Term, pack, wait};
use contents::{ContentSize, Contents};
use embedding_cache::EmbeddingCache;
use recent::Recent;
use stats::{AllStats, Stats};

/// Area of rendered pages, references and blocks of code.
const ARTIFACTS: Area = Area {
    folder: "",
    limit: pack::LIMIT,
};

/// The stores of a process, shared by its sites and their previews.
#[derive(Default)]
pub struct Store {
    contents: Contents,
    /// None for a store that keeps nothing.
    persistent: Option<Persistent>,
    /// Cache of a store without a folder: small facts that are slow to compute.
    recent: Recent,
    counts: [Count; Kind::ALL.len()],
    /// Vectors that were paid for; opened when they are needed first.
    cache: OnceLock<Arc<EmbeddingCache>>,
}

/// State that outlives the process.
struct Persistent {
    storage: Arc<dyn Storage>,
    blobs: Arc<dyn Blobs>,
    /// Keys of what is not written yet, by the text that it was made of.
    unwritten: Mutex<HashMap<ContentHash, Vec<ContentHash>>>,
    stats: AllStats,
    /// Leases of the folders that this process owns.
    leases: Mutex<Vec<Lease>>,
    /// Wakes the thread that writes; it ends when this is dropped.
    wake: Option<SyncSender<()>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Persistent {
    fn unwritten(&self) -> MutexGuard<'_, HashMap<ContentHash, Vec<ContentHash>>> {
        self.unwritten
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Count {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Figures of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Size of the pack.
    pub pack: Size,
    /// Size of the contents in memory.
    pub contents: ContentSize,
    /// Hits and misses by kind of value.
    pub kinds: BTreeMap<&'static str, (u64, u64)>,
}

impl StoreStats {
    /// Hits and misses of all kinds.
    pub fn total(&self) -> (u64, u64) {
        let add = |(found, made), (more_found, more_made): &(u64, u64)| {
            (found + more_found, made + more_made)
        };
        self.kinds.values().fold((0, 0), add)
    }

    /// Number of pages, references and blocks of code that were rendered.
    pub fn drawn(&self) -> u64 {
        let drawn = [
            Kind::PageBody,
            Kind::OperationReference,
            Kind::ModelReference,
            Kind::ManualReference,
            Kind::GrammarSpans,
        ];
        let made = |kind: &Kind| self.kinds.get(kind.name()).map_or(0, |(_, made)| *made);
        drawn.iter().map(made).sum()
    }
}

impl Store {
    /// The store with its state in the folder `state`, which is made if it is not there. Whatever is wrong with it costs
    /// time only.
    pub fn open(state: &Path) -> Arc<Self> {
        let storage = Directory::new(state);
        let blobs = storage.blobs(ARTIFACTS);
        // That was said, and is not found out again of everything else.
        let closed = || Directory::closed(state, &Arc::from("artifacts cannot be written"));
        match blobs.is_closed() {
            true => Self::over(Arc::new(closed()), blobs),
            false => {
                storage.clear_leftovers(storage::Kind::Files);
                storage.clear_leftovers(storage::Kind::Outputs);
                Self::over(Arc::new(storage), blobs)
            }
        }
    }

    /// The store with its state in the folder `state`, to which nothing can be written because of
    /// `why`.
    pub fn open_to_read(state: &Path, why: &Arc<str>) -> Arc<Self> {
        let storage = Directory::closed(state, why);
        let blobs = storage.blobs(ARTIFACTS);
        Self::over(Arc::new(storage), blobs)
    }

    fn over(storage: Arc<dyn Storage>, blobs: Arc<dyn Blobs>) -> Arc<Self> {
        let (wake, woken) = sync_channel::<()>(1);
        let writer = {
            let blobs = blobs.clone();
            let thread = std::thread::Builder::new().name("pack".to_owned());
            thread.spawn(move || {
                while woken.recv().is_ok() {
                    log_failure(wait(blobs.flush()));
                }
            })
        };
        let persistent = Persistent {
            storage,
            blobs,
            unwritten: Mutex::default(),
            stats: AllStats::default(),
            leases: Mutex::default(),
            wake: Some(wake),
            // Without a thread it is written in idle moments.
            writer: Mutex::new(writer.ok()),
        };
        Arc::new(Self {
            contents: Contents::default(),
            persistent: Some(persistent),
            recent: Recent::default(),
            counts: Default::default(),
            cache: OnceLock::new(),
        })
    }

    /// A store that keeps nothing.
    pub fn in_memory() -> Arc<Self> {
        Arc::default()
    }

    /// The store in `state`, if any is given.
    pub fn of(state: Option<&Path>) -> Arc<Self> {
        state.map_or_else(Self::in_memory, Self::open)
    }

    /// Contents by digest.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Vectors that were paid for.
    pub fn embedding_cache(&self) -> &Arc<EmbeddingCache> {
        let open = || match &self.persistent {
            Some(kept) => EmbeddingCache::new(&*kept.storage),
            None => EmbeddingCache::new(&Memory::default()),
        };
        self.cache.get_or_init(|| Arc::new(open()))
    }

    /// A folder of this name beside what is kept, for what needs files of its own; `None` if nothing can be kept, or while
    /// another store has the folder. It is this one's until the store ends.
    pub fn scratch(&self, name: &str) -> Option<Scratch> {
        let kept = self
            .persistent
            .as_ref()
            .filter(|kept| !kept.blobs.is_closed())?;
        let scratch = kept.storage.scratch(name)?;
        let lease = wait((kept.storage).take(&format!("{name}.lock"), Term::Process)).ok()?;
        let mut leases = kept.leases.lock().unwrap_or_else(PoisonError::into_inner);
        leases.push(lease);
        Some(scratch)
    }

    /// Facts about the files of the site in `root`; `None` if nothing is stored.
    pub fn stats_of(&self, root: &Path) -> Option<Arc<Stats>> {
        let kept = self.persistent.as_ref()?;
        Some(kept.stats.of(&kept.storage, root))
    }

    /// Storage that outlives the process; `None` if nothing is kept.
    pub fn storage(&self) -> Option<Arc<dyn Storage>> {
        self.persistent.as_ref().map(|kept| kept.storage.clone())
    }

    /// Writes pending values and compacts. Called when idle.
    pub fn idle(&self) {
        if let Some(kept) = &self.persistent {
            kept.stats.save();
            kept.unwritten().clear();
            log_failure(wait(kept.blobs.sweep()));
            if let Some(cache) = self.cache.get() {
                cache.idle();
            }
        }
    }

    /// Writes what is not written yet.
    pub fn flush(&self) {
        if let Some(kept) = &self.persistent {
            kept.stats.save();
            kept.unwritten().clear();
            log_failure(wait(kept.blobs.flush()));
        }
    }

    /// Writes what the end of the store would, for a process that ends without it.
    pub fn finish(&self) {
        if let Some(kept) = &self.persistent {
            kept.stats.save();
            log_failure(wait(kept.blobs.finish()));
        }
    }

    /// Figures.
    pub fn stats(&self) -> StoreStats {
        let kinds = Kind::ALL.iter().zip(&self.counts).map(|(kind, count)| {
            let (found, made) = (&count.hits, &count.misses);
            let counts = (found.load(Ordering::Relaxed), made.load(Ordering::Relaxed));
            (kind.name(), counts)
        });
        StoreStats {
            pack: self
                .persistent
                .as_ref()
                .map_or_else(Size::default, |kept| kept.blobs.size()),
            contents: self.contents.size(),
            kinds: kinds.collect(),
        }
    }

    /// Takes one user of the content `digest` away, who has other content in its place ([`Contents::release`]). What was made of
    /// it and is not written yet never will be, if nobody else has it: who types leaves a hundred texts behind in a minute.
    pub fn replace(&self, digest: ContentHash, place: Option<&Path>) {
        if self.contents.release(digest, place)
            && let Some(kept) = &self.persistent
        {
            let keys = kept.unwritten().remove(&digest).unwrap_or_default();
            for key in &keys {
                kept.blobs.withdraw(key);
            }
        }
    }

    /// Returns true if values outlive the process.
    pub fn is_kept(&self) -> bool {
        self.persistent.is_some()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let Some(kept) = &mut self.persistent else {
            return;
        };
        kept.wake = None;
        let writer = kept
            .writer
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = writer.take() {
            let _ = writer.join();
        }
        kept.stats.save();
        let leases = (kept.leases.get_mut()).unwrap_or_else(PoisonError::into_inner);
        for lease in leases.drain(..) {
            log_failure(wait(kept.storage.release(lease)));
        }
    }
}

impl ContentStore for Store {
    fn bytes(&self, digest: ContentHash) -> Result<Option<TextBytes>, ContentLost> {
        self.contents.bytes(digest)
    }
}

impl ArtifactStore for Store {
    fn get(&self, key: ContentHash) -> Option<Arc<[u8]>> {
        match &self.persistent {
            Some(kept) => wait(kept.blobs.get(&key)).ok().flatten(),
            None => self.recent.get(&key),
        }
    }

    fn stores(&self, kind: Kind) -> bool {
        self.persistent.is_some() || kind == Kind::GrammarSpans
    }

    fn put(&self, key: ContentHash, value: Vec<u8>, text: Option<ContentHash>) {
        let Some(kept) = &self.persistent else {
            return self.recent.put(key, value);
        };
        if let Some(text) = text {
            kept.unwritten().entry(text).or_default().push(key);
        }
        log_failure(wait(kept.blobs.put(key, Arc::from(value))));
        if kept.blobs.is_flush_due()
            && let Some(wake) = &kept.wake
        {
            // Full means that the thread has been woken already.
            let _ = wake.try_send(());
        }
    }

    fn note(&self, kind: Kind, outcome: Outcome) {
        let kinds = Kind::ALL.iter().zip(&self.counts);
        for (_, count) in kinds.filter(|(known, _)| **known == kind) {
            let counter = match outcome {
                Outcome::Found => &count.hits,
                Outcome::Made => &count.misses,
            };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Notes that something could not be kept: it is made again.
fn log_failure(outcome: Result<(), Error>) {
    if let Err(error) = outcome {
        tracing::debug!("not kept: {error}");
    }
}

/// The state folder of the site in `root`: `$XDG_CACHE_HOME/quire/state/<digest of the path>`, else below `~/.cache`; none if
/// neither is known, or if `QUIRE_STATE` is `off`.
pub fn state_folder(root: &Path) -> Option<PathBuf> {
    if std::env::var_os("QUIRE_STATE").is_some_and(|value| value == "off") {
        return None;
    }
    let base = folders::cache()?;
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let name = ContentHash::of(root.as_os_str().as_encoded_bytes()).short();
    Some(base.join("quire/state").join(name))
}
