//! The host of one site: lock, retry and resync around its inputs ([`Inputs`]), and the door through which everyone else
//! asks.
//!
//! A write starts one revision for a whole batch and asks running readers to stop; they are asked again by
//! [`SiteHost::read`]. No handle outlives the closure that was given it.

mod stop;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use queries::base::content::{ContentHash, TextBytes};
use queries::base::data::split::Format;
use queries::base::image::ImageSize;
use queries::base::path::SitePath;
use queries::change::{ContentSink, Dates, FileState, Inputs, Part, Reading, Text};
use queries::site::{
    self, ArtifactStore, ContentLost, Database, FileBucket, Observer, PageId, PageOptions, Site,
    is_foundation,
};
use salsa::Cancelled;
use salsa::plumbing::AsId;

use crate::meter;
use crate::texts::Texts;
use crate::trace::{NamedKey, Names};
use crate::unfinished::{Adoption, HeldBack, HeldBackDocuments};
use quire_storage::allocator as memory;
use quire_storage::crash_point;
use quire_storage::machine;
use quire_storage::store::Store;

pub use queries::change::{AppliedChanges, FileChange};
pub use stop::{Stop, StopOnDrop};

/// Why a question was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The engine gave up for a reason that asking again would not change.
    Cancelled(String),
    /// A fault of the program: what the panic said.
    Panicked(String),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Cancelled(why) | Self::Panicked(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for ReadError {}

/// One site: its inputs, its database, its contents.
pub struct SiteHost {
    site: Site,
    /// The writer's handle; readers clone it.
    db: Mutex<Database>,
    /// Everything the writer knows about files.
    files: Mutex<Files>,
    store: Arc<Store>,
    reader: Option<Arc<FileReader>>,
    observer: Option<Arc<Observer>>,
    cache_capacity: Option<usize>,
    base_path: String,
    /// Whether a query found a file that had changed unnoticed, and this was not reported yet.
    is_resynced: AtomicBool,
    revision: AtomicU64,
    /// Number of pages rendered for readers since large results were evicted.
    rendered_pages: AtomicUsize,
    /// Number of edits that have the engine to themselves.
    edits: Mutex<usize>,
    no_edits: Condvar,
}

/// Options of a host.
#[derive(Default)]
pub struct HostOptions {
    /// Is told of what the engine does.
    pub observer: Option<Observer>,
    /// Cache of file contents and artifacts; by default one that stores nothing.
    pub store: Arc<Store>,
    /// Reader of files. Without it their contents stay in memory.
    pub reader: Option<FileReader>,
    /// Number of large results per query that stay in memory, instead of the number given at the
    /// query.
    pub cache_capacity: Option<usize>,
}

/// Access to the current contents of the files of a site.
///
/// Only for sites that are to show what their files hold at any time: a file that was changed unseen shows as it is.
pub struct FileReader {
    /// The folder that holds them.
    pub root: PathBuf,
    /// Looks at one of them.
    pub look: Box<dyn Fn(&SitePath) -> FileState + Send + Sync>,
}

/// A source of a site: a file, or a document that was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFacts {
    /// Path or address.
    pub path: SitePath,
    /// Digest that its input has.
    pub digest: ContentHash,
    /// Whether the core reads it; other files are only passed on.
    pub is_text: bool,
    /// Size of a picture.
    pub image_size: Option<ImageSize>,
}

struct Files {
    inputs: Inputs,
    texts: Texts,
    /// Documents that are being written: what they hold is not in the inputs.
    unfinished: HeldBackDocuments,
}

/// Bytes behind digests, as the inputs of one site name them.
struct Sink<'a> {
    store: &'a Store,
    reader: Option<&'a FileReader>,
    /// Whether the site ends, and may be opened again, rather than has other contents in the place of those it releases.
    is_leaving: bool,
}

impl Sink<'_> {
    /// Path to read the file at `path` again from. Documents that may be held back, overlays among
    /// them, stay in memory: the site goes on with the last complete version.
    fn place(&self, path: &SitePath) -> Option<PathBuf> {
        if is_foundation(path) || Format::of(path).is_some() {
            return None;
        }
        Some(self.reader?.root.join(path.as_str()))
    }
}

impl ContentSink for Sink<'_> {
    fn retain(&self, digest: ContentHash, bytes: Option<TextBytes>, path: Option<&SitePath>) {
        let place = path.and_then(|path| self.place(path));
        self.store.contents().retain(digest, bytes, place);
    }

    fn release(&self, digest: ContentHash, path: Option<&SitePath>) {
        let place = path.and_then(|path| self.place(path));
        match self.is_leaving {
            true => {
                self.store.contents().release(digest, place.as_deref());
            }
            false => self.store.replace(digest, place.as_deref()),
        }
    }
}

impl SiteHost {
    /// Makes a site of pages and specifications if there is no `docs.json`. Called before files are
    /// applied.
    pub fn derive_config(&self) {
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.inputs.derive_config(&mut db);
    }

    /// A host without files. `base_path` is the path below which the site is served, such as `/docs`.
    pub fn new(base_path: &str, options: HostOptions) -> Self {
        Self::at(base_path, None, options)
    }

    /// Like [`SiteHost::new`], at `address`, such as `https://docs.example.org`.
    pub fn at(base_path: &str, address: Option<&str>, options: HostOptions) -> Self {
        let HostOptions {
            observer,
            store,
            reader,
            cache_capacity,
        } = options;
        let observer = observer.map(Arc::new);
        let base_path = base_path.trim_end_matches('/').to_owned();
        let db = database(&store, observer.as_ref(), cache_capacity);
        let inputs = Inputs::at(&db, &base_path, address);
        let site = inputs.site();
        let files = Files {
            inputs,
            texts: Texts::default(),
            unfinished: HeldBackDocuments::default(),
        };
        Self {
            site,
            db: Mutex::new(db),
            files: Mutex::new(files),
            store,
            reader: reader.map(Arc::new),
            observer,
            cache_capacity,
            base_path,
            is_resynced: AtomicBool::new(false),
            rendered_pages: AtomicUsize::new(0),
            edits: Mutex::default(),
            no_edits: Condvar::default(),
            revision: AtomicU64::new(0),
        }
    }

    /// Makes the same site at the same revision in a new database, from what is known of its files; no file is read. For a
    /// database that faults: whatever is broken in it stays behind.
    pub fn rebuilt(&self) -> Self {
        self.copied(self.observer.clone())
    }

    /// Makes the same site in a new database, of which nobody is told what it does: to try changes in.
    pub fn candidate(&self) -> Self {
        self.copied(None)
    }

    fn copied(&self, observer: Option<Arc<Observer>>) -> Self {
        let files = self.lock_files();
        let mut db = database(&self.store, observer.as_ref(), self.cache_capacity);
        let inputs = files.inputs.rebuilt(&mut db, &self.base_path, &self.sink());
        Self {
            site: inputs.site(),
            db: Mutex::new(db),
            files: Mutex::new(Files {
                inputs,
                texts: Texts::default(),
                unfinished: files.unfinished.clone(),
            }),
            store: self.store.clone(),
            reader: self.reader.clone(),
            observer,
            cache_capacity: self.cache_capacity,
            base_path: self.base_path.clone(),
            is_resynced: AtomicBool::new(false),
            rendered_pages: AtomicUsize::new(0),
            edits: Mutex::default(),
            no_edits: Condvar::default(),
            revision: AtomicU64::new(self.revision()),
        }
    }

    /// Number of batches that changed anything.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Contents and artifacts.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The files that exist whose paths are one of `paths` or lie below one; `""` means all.
    pub fn files_under<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> BTreeSet<SitePath> {
        let files = self.lock_files();
        let found = paths
            .into_iter()
            .flat_map(|path| files.inputs.files_under(path));
        found.cloned().collect()
    }

    /// The digest of all that queries can ask for, and the files of which they do not know what they hold.
    pub fn digest(&self) -> (ContentHash, Vec<SitePath>) {
        let files = self.lock_files();
        let opaque = files.inputs.opaque_files().cloned().collect();
        (files.inputs.digest(&self.base_path), opaque)
    }

    /// Returns every existing file in the order of paths, then every fetched document in the order
    /// of addresses.
    pub fn sources(&self) -> Vec<SourceFacts> {
        let files = self.lock_files();
        let inputs = &files.inputs;
        let digests = inputs.files().map(|(_, _, digest)| digest);
        let own = inputs.facts().into_iter().zip(digests);
        let own = own.map(|(facts, digest)| SourceFacts {
            path: facts.path,
            digest,
            is_text: facts.text.is_some(),
            image_size: facts.image_size,
        });
        let fetched = inputs.fetched().map(|(path, digest)| SourceFacts {
            path: path.clone(),
            digest,
            is_text: true,
            image_size: None,
        });
        own.chain(fetched).collect()
    }

    /// The digest of all that pages follow from, composed with `options`, but for what each holds itself.
    pub fn surroundings(&self, options: &PageOptions) -> Result<ContentHash, ReadError> {
        let files = self.lock_files().inputs.facts();
        self.read(|db, site| site::surroundings(db, site, &files, options))
    }

    /// Brings the inputs up to date. Files whose digest is the same as before cost nothing and start no revision.
    pub fn apply(&self, changes: impl IntoIterator<Item = FileChange>) -> AppliedChanges {
        self.apply_as(changes, Adoption::AsItIs)
    }

    /// Like [`SiteHost::apply`], but holds back what `adoption` does not take.
    pub fn apply_as(
        &self,
        changes: impl IntoIterator<Item = FileChange>,
        adoption: Adoption<'_>,
    ) -> AppliedChanges {
        self.apply_to(&mut self.lock_files(), changes, adoption)
    }

    /// Returns the documents that are held back because they end in the middle (they are still
    /// being written), and those that cannot be read.
    pub fn held_back(&self) -> BTreeMap<SitePath, HeldBack> {
        self.lock_files().unfinished.all().clone()
    }

    fn apply_to(
        &self,
        files: &mut Files,
        changes: impl IntoIterator<Item = FileChange>,
        adoption: Adoption<'_>,
    ) -> AppliedChanges {
        let Files {
            inputs,
            texts,
            unfinished,
        } = files;
        let sink = self.sink();
        let changes: Vec<FileChange> = changes.into_iter().collect();
        for change in &changes {
            if matches!(change.state, FileState::Absent | FileState::Opaque(..)) {
                texts.forget(&change.path);
            }
            match &change.state {
                FileState::Unreadable(why) => {
                    unfinished.hold_unreadable(&change.path, why, inputs.exists(&change.path));
                }
                _ => unfinished.let_go(&change.path),
            }
        }
        let store = &*self.store;
        let mut reading = Reading {
            follow: &mut |path, bytes, before| texts.see(path, bytes, before),
            artifacts: store.is_kept().then_some(store as &dyn ArtifactStore),
            adoption,
            bytes: &|digest| store.contents().bytes(digest).ok().flatten(),
        };
        let batch = inputs.prepare(changes, &mut reading);
        for (path, text, why) in batch.held_back() {
            unfinished.hold(path, text, *why);
        }
        if let Some(config) = batch.missing_config() {
            unfinished.hold_missing_config(config);
        }
        if batch.applied().is_empty() {
            return AppliedChanges::default();
        }
        crash_point::reach("change-read");
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let (applied, released) = inputs.write(&mut db, batch, &sink);
        // Whoever reads what is new knows that it is: the number changes before the next reader gets in.
        self.revision.fetch_add(1, Ordering::AcqRel);
        drop(db);
        // Readers of the old revision are gone: the setters waited for them.
        released.to(&sink);
        applied
    }

    /// Sets the dates of the last changes of files; returns true if that is news about a present
    /// file.
    pub fn set_dates(&self, dates: Dates) -> bool {
        let mut files = self.lock_files();
        if *files.inputs.dates() == dates {
            return false;
        }
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = files.inputs.set_dates(&mut db, dates);
        if is_news {
            self.revision.fetch_add(1, Ordering::AcqRel);
        }
        is_news
    }

    /// When files were changed last, as it was said last.
    pub fn dates(&self) -> Dates {
        self.lock_files().inputs.dates().clone()
    }

    /// The part of a specification that `change` would change, if it is one part.
    pub fn part_changed_by(&self, change: &FileChange) -> Option<Part> {
        let FileState::Text(bytes) = &change.state else {
            return None;
        };
        let text = Text::new(bytes.clone(), ContentHash::of_text(bytes));
        self.lock_files()
            .inputs
            .part_changed_by(&change.path, &text)
    }

    /// Names of the query keys that are inputs: files, buckets, parts of specifications.
    pub fn names(&self) -> Names {
        let files = self.lock_files();
        let id = |id: salsa::Id| format!("{id:?}");
        let mut names = Names::new();
        for (path, file, digest) in files.inputs.files() {
            let named = NamedKey {
                name: path.to_string(),
                digest: digest.short(),
            };
            names.insert(id(file.as_id()), named);
        }
        for (input, part, digest) in files.inputs.parts() {
            let named = NamedKey {
                name: format!("{}#{}", part.spec, part.key),
                digest: digest.short(),
            };
            names.insert(id(input.as_id()), named);
        }
        // What is asked of the site as a whole comes down to its configuration.
        let config = ["docs.json", "mint.json"].into_iter();
        let mut config = config.filter_map(|name| {
            let mut files = files.inputs.files();
            let (path, _, digest) = files.find(|(path, ..)| path.as_str() == name)?;
            Some((path.to_string(), digest.short()))
        });
        if let Some((name, digest)) = config.next() {
            names.insert(id(self.site.as_id()), NamedKey { name, digest });
        }
        drop(files);
        // Pages of operations are known by their address, and operations by their place.
        let generated = self.read(|db, site| {
            let pages = queries::site::route_table(db, site).pages.iter();
            let generated = pages.filter_map(|(route, page)| match page {
                PageId::Generated(page) => Some((route, *page)),
                PageId::File(_) => None,
            });
            generated
                .map(|(route, page)| {
                    let operation = page.operation(db);
                    let place = format!("{}#{}", operation.spec(db).path(db), operation.key(db));
                    [
                        (id(page.as_id()), route.to_string()),
                        (id(operation.as_id()), place),
                    ]
                })
                .collect::<Vec<_>>()
        });
        for (id, name) in generated.unwrap_or_default().into_iter().flatten() {
            let digest = String::new();
            names.insert(id, NamedKey { name, digest });
        }
        names
    }

    /// Sets the durability of edited files back to HIGH (salsa skips validating what depends on
    /// such inputs only), in one batch; returns their number. Call it while idle.
    pub fn promote(&self) -> usize {
        let mut files = self.lock_files();
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        files.inputs.promote(&mut db).len()
    }

    fn sink(&self) -> Sink<'_> {
        Sink {
            store: &self.store,
            reader: self.reader.as_deref(),
            is_leaving: false,
        }
    }

    fn look(&self, path: &SitePath) -> Option<FileState> {
        Some((self.reader.as_ref()?.look)(path))
    }

    /// Rereads the files that should have the content that was `lost`; returns true if one of them
    /// has changed.
    fn resync(&self, lost: ContentLost) -> bool {
        let mut files = self.lock_files();
        let known = files.inputs.files();
        let known = known.filter(|(_, _, digest)| *digest == lost.0);
        let paths: Vec<SitePath> = known.map(|(path, ..)| path.clone()).collect();
        let looked = paths.into_iter().filter_map(|path| {
            let state = self.look(&path)?;
            Some(FileChange { path, state })
        });
        let changes: Vec<FileChange> = looked.collect();
        let applied = self.apply_to(&mut files, changes, Adoption::AsItIs);
        if applied.is_empty() {
            return false;
        }
        let paths = [applied.changed, applied.removed].concat();
        tracing::debug!("{paths:?} changed unseen");
        files.inputs.announce_again(paths);
        self.is_resynced.store(true, Ordering::Release);
        true
    }

    /// Returns true if a read found a file that changed without an event since the last call: a new
    /// revision must be published.
    pub fn take_resynced(&self) -> bool {
        self.is_resynced.swap(false, Ordering::AcqRel)
    }

    /// Does `work`, which is what an edit needs until its pages can be served, before what runs beside edits
    /// ([`meter::in_background`]): no query of the edit is computed there, nor waited for.
    pub fn run_foreground<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Ends it even if the work panics.
        struct Foreground<'a>(&'a SiteHost);
        impl Drop for Foreground<'_> {
            fn drop(&mut self) {
                *self.0.lock_edits() -= 1;
                self.0.no_edits.notify_all();
            }
        }
        *self.lock_edits() += 1;
        let _ahead = Foreground(self);
        meter::in_foreground(work)
    }

    fn lock_edits(&self) -> MutexGuard<'_, usize> {
        self.edits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of large results that were not asked for lately: they are kept elsewhere, or made again. For idle moments.
    pub fn evict(&self) {
        use salsa::Database as _;
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        db.trigger_lru_eviction();
    }

    /// Counts a page that was rendered for a reader, and lets go of large results when there were
    /// many: where nothing is edited no write does, and a site that is read from end to end would
    /// be held as a whole.
    pub fn note_drawn(&self) {
        if self.rendered_pages.fetch_add(1, Ordering::Relaxed) + 1 >= AT_ONCE {
            self.rendered_pages.store(0, Ordering::Relaxed);
            self.evict();
        }
    }

    /// Asks the database, in the present revision, or in the next one if a write overtakes the question.
    ///
    /// The handle lives as long as `ask`: it must not be kept, and `ask` must not wait for a write. Fails if the work on this
    /// thread was cancelled ([`Stop`]).
    pub fn read<T>(&self, ask: impl Fn(&Database, Site) -> T) -> Result<T, ReadError> {
        let mut patience = PATIENCE;
        let mut tries = 0;
        let stop = stop::current();
        loop {
            if meter::is_background() {
                let edits = self.lock_edits();
                // Nobody panics while it is held.
                drop(self.no_edits.wait_while(edits, |edits| *edits > 0));
            }
            let db = self
                .db
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let question = stop.as_ref().map(|stop| {
                let question = stop.ask(salsa::Database::cancellation_token(&db));
                question.ok_or_else(|| ReadError::Cancelled(STOPPED.to_owned()))
            });
            let question = question.transpose()?;
            let answer = std::panic::catch_unwind(AssertUnwindSafe(|| {
                Cancelled::catch(AssertUnwindSafe(|| ask(&db, self.site)))
            }));
            // A writer waits for it.
            drop((question, db));
            memory::note_activity();
            match answer {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(Cancelled::PendingWrite)) => {}
                // Another reader was asked the same before, and has not answered: because of a write, most likely. If it
                // was a fault, this one meets it itself.
                Ok(Err(Cancelled::PropagatedPanic)) if tries < TRIES => tries += 1,
                Ok(Err(cancelled)) => return Err(ReadError::Cancelled(cancelled.to_string())),
                Err(panic) => match panic.downcast_ref::<ContentLost>() {
                    Some(lost) if patience > 0 => {
                        patience -= 1;
                        if !self.resync(*lost) && patience > 1 {
                            // Another thread may have looked; if not, nothing is to be had.
                            patience = 1;
                        }
                    }
                    Some(_) => {
                        let message = "a file cannot be read, or changes faster than it can be";
                        return Err(ReadError::Cancelled(message.to_owned()));
                    }
                    None => return Err(ReadError::Panicked(panic_message(panic.as_ref()))),
                },
            }
        }
    }

    /// Runs `ask` for every bucket of files for the first time, and evicts large results in
    /// between: a query over all pages would hold all of them in memory until it ends.
    ///
    /// # Errors
    ///
    /// As [`SiteHost::read`].
    pub fn warm(&self, ask: impl Fn(&Database, FileBucket)) -> Result<(), ReadError> {
        let buckets = self.lock_files().inputs.buckets().to_vec();
        for part in buckets.chunks(BUCKETS_AT_ONCE) {
            self.read(|db, _| part.iter().for_each(|bucket| ask(db, *bucket)))?;
            self.evict();
        }
        Ok(())
    }

    /// Reads each of `items` once, on as many threads as there are cores; results are in the order
    /// of `items`.
    ///
    /// Large results are evicted in between, so the memory does not grow with the size of the site.
    pub fn read_all<I: Sync, T: Send>(
        &self,
        items: &[I],
        ask: impl Fn(&Database, Site, &I) -> T + Sync,
    ) -> Vec<Result<T, ReadError>> {
        let mut answers = Vec::with_capacity(items.len());
        for (i, part) in items.chunks(AT_ONCE).enumerate() {
            if i > 0 {
                self.evict();
            }
            answers.extend(self.read_part(part, &ask));
        }
        answers
    }

    fn read_part<I: Sync, T: Send>(
        &self,
        items: &[I],
        ask: &(impl Fn(&Database, Site, &I) -> T + Sync),
    ) -> Vec<Result<T, ReadError>> {
        let threads = machine::cores();
        let stop = stop::current();
        let next = std::sync::atomic::AtomicUsize::new(0);
        let mut answers: Vec<(usize, Result<T, ReadError>)> = std::thread::scope(|scope| {
            let work = || {
                let mut answers = Vec::new();
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else {
                        return answers;
                    };
                    answers.push((i, self.read(|db, site| ask(db, site, item))));
                }
            };
            let stop = &stop;
            let work = move || stop::with_stop(stop.clone(), work);
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    std::thread::Builder::new()
                        .stack_size(STACK)
                        .spawn_scoped(scope, work)
                })
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| {
                    worker.map_or_else(|_| work(), |worker| worker.join().unwrap_or_default())
                })
                .collect()
        });
        answers.sort_by_key(|(i, _)| *i);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    fn lock_files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SiteHost {
    /// Releases the contents that only this site uses: the store is shared and lives longer.
    fn drop(&mut self) {
        let sink = Sink {
            is_leaving: true,
            ..self.sink()
        };
        self.lock_files().inputs.release(&sink);
    }
}

/// An empty database over `store`.
fn database(
    store: &Arc<Store>,
    observer: Option<&Arc<Observer>>,
    cache_capacity: Option<usize>,
) -> Database {
    let observer = observer
        .cloned()
        .map(|observer| -> Observer { Box::new(move |event| observer(event)) });
    let mut db = Database::new(store.clone(), observer).keeping(store.clone());
    if let Some(capacity) = cache_capacity {
        queries::site::set_cache_capacity(&mut db, capacity);
    }
    db
}

/// Number of retries of a query because a file changed while it was read. Each retry reads the file
/// again, so one is enough except for files that are written all the time.
const PATIENCE: usize = 20;

/// Error of a query whose work was cancelled.
const STOPPED: &str = "nobody waits for it any more";

/// Number of buckets that [`SiteHost::warm`] reads at a time.
const BUCKETS_AT_ONCE: usize = 2;

/// Number of questions between two evictions.
const AT_ONCE: usize = 512;

/// Number of retries of a query that another reader has been asked and has not answered.
const TRIES: usize = 1000;

/// The stack of a thread that renders: deeply nested pages recurse.
pub const STACK: usize = 16 << 20;

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown fault".to_owned())
}
