//! The host of one site: the one place that writes inputs, and the door through which everyone else asks.
//!
//! A write compares digests first, starts one revision for a whole batch, and asks running readers to stop; they are
//! asked again by [`SiteHost::read`]. No handle outlives the closure that was given it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use queries::content::ContentHash;
use queries::data::split::{is_cut_json, is_json};
use queries::db::{Database, Observer};
use queries::inputs::{
    BUCKETS, FileBucket, ImageSize, Site, SourceFile, Subject, bucket_of, is_foundation,
};
use queries::navigation::PageId;
use queries::path::SitePath;
use queries::store::{ArtifactStore, ContentLost};
use salsa::plumbing::AsId;
use salsa::{Cancelled, Durability, Setter};

use crate::crash_point;
use crate::memory;
use crate::sources::{FileState, Seen};
use crate::specs::{Part, Specs};
use crate::store::Store;
use crate::texts::{Text, Texts};
use crate::trace::{Named, Names};
use crate::unfinished::{Adoption, HeldBack, Unfinished};

/// A file as it was found.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// Which one.
    pub path: SitePath,
    /// What it holds now.
    pub state: FileState,
}

/// What a batch of changes came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Files whose content differs from before.
    pub changed: Vec<SitePath>,
    /// Files that appeared.
    pub added: Vec<SitePath>,
    /// Files that vanished.
    pub removed: Vec<SitePath>,
    /// The parts of specifications that changed.
    pub parts: Vec<Part>,
}

impl Applied {
    /// Whether anything differs.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

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
    reach: Option<Reach>,
    /// Whether a question has led to a file that had changed unseen, and nobody was told yet.
    is_healed: AtomicBool,
    revision: AtomicU64,
}

/// What a host is made with.
#[derive(Default)]
pub struct HostOptions {
    /// Is told of what the engine does.
    pub observer: Option<Observer>,
    /// Where contents and artifacts are; one that keeps nothing if it is not shared.
    pub store: Arc<Store>,
    /// How files are read again. Without it what they hold stays in memory.
    pub reach: Option<Reach>,
}

/// How the files of a site can be read again.
///
/// Only for sites that are to show what their files hold at any time: a file that was changed unseen shows as it is.
pub struct Reach {
    /// The folder that holds them.
    pub root: PathBuf,
    /// Looks at one of them.
    pub look: Box<dyn Fn(&SitePath) -> FileState + Send + Sync>,
}

#[derive(Default)]
struct Files {
    buckets: Vec<FileBucket>,
    known: BTreeMap<SitePath, Known>,
    specs: Specs,
    texts: Texts,
    /// Files that were edited since they were last promoted.
    lowered: BTreeSet<SitePath>,
    /// Files that were found changed by a question: whoever sees them next is to hear that they changed.
    healed: BTreeSet<SitePath>,
    /// Documents that are being written: what they hold is not in the inputs.
    unfinished: Unfinished,
}

struct Known {
    file: SourceFile,
    digest: ContentHash,
    image_size: Option<ImageSize>,
    subject: Option<Subject>,
    exists: bool,
    is_text: bool,
}

/// A file that was never seen before.
struct Created {
    path: SitePath,
    digest: ContentHash,
    is_text: bool,
    size: Option<ImageSize>,
    subject: Option<Subject>,
}

impl SiteHost {
    /// A host without files. `base_path` is the path below which the site is served, such as `/docs`.
    pub fn new(base_path: &str, options: HostOptions) -> Self {
        let HostOptions {
            observer,
            store,
            reach,
        } = options;
        let mut db = Database::new(store.clone(), observer);
        if store.is_kept() {
            db = db.keeping(store.clone());
        }
        let buckets: Vec<FileBucket> = (0..BUCKETS)
            .map(|_| {
                FileBucket::builder(Vec::new())
                    .durability(Durability::HIGH)
                    .new(&db)
            })
            .collect();
        let base_path = base_path.trim_end_matches('/').to_owned();
        let site = Site::builder(buckets.clone(), base_path, Vec::new())
            .durability(Durability::HIGH)
            .specs_durability(Durability::MEDIUM)
            .new(&db);
        let files = Files {
            buckets,
            known: BTreeMap::new(),
            specs: Specs::default(),
            texts: Texts::default(),
            lowered: BTreeSet::new(),
            healed: BTreeSet::new(),
            unfinished: Unfinished::default(),
        };
        Self {
            site,
            db: Mutex::new(db),
            files: Mutex::new(files),
            store,
            reach,
            is_healed: AtomicBool::new(false),
            revision: AtomicU64::new(0),
        }
    }

    /// How many batches have changed anything.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Where contents and artifacts are.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The files that exist whose paths are `path` or lie below it.
    pub fn files_under(&self, path: &str) -> Vec<SitePath> {
        let files = self.lock_files();
        let below = |known: &SitePath| {
            path.is_empty()
                || known
                    .as_str()
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        files
            .known
            .iter()
            .filter(|(path, known)| known.exists && below(path))
            .map(|(path, _)| path.clone())
            .collect()
    }

    /// Brings the inputs up to date. Files whose digest is the same as before cost nothing and start no revision.
    pub fn apply(&self, changes: impl IntoIterator<Item = FileChange>) -> Applied {
        self.apply_as(changes, Adoption::AsItIs)
    }

    /// Like [`SiteHost::apply`], but holds back what `adoption` does not take.
    pub fn apply_as(
        &self,
        changes: impl IntoIterator<Item = FileChange>,
        adoption: Adoption<'_>,
    ) -> Applied {
        self.apply_to(&mut self.lock_files(), changes, adoption)
    }

    /// The documents that are held back: somebody is writing them, and they end in the middle.
    pub fn held_back(&self) -> BTreeMap<SitePath, HeldBack> {
        self.lock_files().unfinished.all().clone()
    }

    fn apply_to(
        &self,
        files: &mut Files,
        changes: impl IntoIterator<Item = FileChange>,
        adoption: Adoption<'_>,
    ) -> Applied {
        let mut applied = Applied::default();
        // What the inputs will be set to, decided before the first write so that readers are disturbed once.
        let mut edits: Vec<(SitePath, ContentHash)> = Vec::new();
        let mut resized: Vec<(SitePath, Option<ImageSize>)> = Vec::new();
        let mut bound: Vec<(SitePath, Option<Subject>)> = Vec::new();
        let mut created: Vec<Created> = Vec::new();
        let mut touched: BTreeSet<usize> = BTreeSet::new();
        let mut forgotten: Vec<(ContentHash, Option<PathBuf>)> = Vec::new();
        let mut slices: Vec<ContentHash> = Vec::new();
        let mut drafts = Vec::new();
        let artifacts = self
            .store
            .is_kept()
            .then_some(&*self.store as &dyn ArtifactStore);
        for FileChange { path, state } in changes {
            let (state, text) = match state {
                FileState::Text(bytes) => {
                    let before = files.specs.text(&path);
                    let text = files.texts.see(&path, bytes, before);
                    let seen = Seen::with_digest(&path, text.bytes.clone(), text.digest);
                    (FileState::Seen(seen), Some(text))
                }
                FileState::Seen(seen) => {
                    let text = seen.bytes.clone();
                    let text = text.map(|bytes| Text::new(bytes, seen.digest));
                    (FileState::Seen(seen), text)
                }
                state => {
                    files.texts.forget(&path);
                    (state, None)
                }
            };
            if let (Some(text), Adoption::WhenWhole(open)) = (&text, adoption)
                && self.is_cut_by(files, &path, text, open.contains(&path))
            {
                files.unfinished.hold(&path, text);
                continue;
            }
            files.unfinished.let_go(&path);
            if let Some(draft) = files.specs.draft(&path, text.as_ref(), artifacts) {
                drafts.push(draft);
            }
            if path.is_url() {
                continue;
            }
            let mut about = None;
            let (digest, bytes, size) = match state {
                FileState::Seen(seen) => {
                    about = seen.subject;
                    (seen.digest, Some(seen.bytes), None)
                }
                FileState::Text(_) => continue,
                FileState::Opaque(digest, size) => (digest, None, size),
                FileState::Absent => {
                    if let Some(known) = files.known.get_mut(&path).filter(|known| known.exists) {
                        known.exists = false;
                        touched.insert(bucket_of(&path));
                        applied.removed.push(path);
                    }
                    continue;
                }
            };
            let subject = about;
            match files.known.get_mut(&path) {
                None => {
                    let is_text = bytes.is_some();
                    if let Some(bytes) = bytes {
                        self.retain(digest, bytes, &path);
                    }
                    touched.insert(bucket_of(&path));
                    created.push(Created {
                        path: path.clone(),
                        digest,
                        is_text,
                        size,
                        subject,
                    });
                    applied.added.push(path);
                }
                Some(known) => {
                    if known.image_size != size {
                        known.image_size = size;
                        resized.push((path.clone(), size));
                    }
                    if known.subject != subject {
                        known.subject.clone_from(&subject);
                        bound.push((path.clone(), subject));
                    }
                    if known.digest != digest {
                        let is_text = bytes.is_some();
                        if let Some(bytes) = bytes {
                            self.retain(digest, bytes, &path);
                        }
                        if known.is_text {
                            forgotten.push((known.digest, self.place(&path)));
                        }
                        known.is_text = is_text;
                        known.digest = digest;
                        edits.push((path.clone(), digest));
                    }
                    if known.exists {
                        let is_healed = files.healed.remove(&path);
                        if is_healed || edits.last().is_some_and(|(edited, _)| *edited == path) {
                            applied.changed.push(path);
                        }
                    } else {
                        known.exists = true;
                        touched.insert(bucket_of(&path));
                        applied.added.push(path);
                    }
                }
            }
        }
        for draft in &drafts {
            if draft.path().is_url() {
                applied.changed.push(draft.path().clone());
            }
        }
        if applied.is_empty() {
            return applied;
        }
        crash_point::reach("change-read");
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        for new in created {
            let Created {
                path,
                digest,
                is_text,
                size,
                subject,
            } = new;
            let file = SourceFile::builder(path.clone(), digest, size, subject.clone())
                .durability(if is_foundation(&path) {
                    Durability::MEDIUM
                } else {
                    Durability::HIGH
                })
                .path_durability(Durability::NEVER_CHANGE)
                .image_size_durability(Durability::HIGH)
                .subject_durability(Durability::HIGH)
                .new(&*db);
            files.known.insert(
                path,
                Known {
                    file,
                    digest,
                    image_size: size,
                    subject,
                    exists: true,
                    is_text,
                },
            );
        }
        for (path, digest) in edits {
            if let Some(known) = files.known.get(&path) {
                let durability = if is_foundation(&path) {
                    Durability::MEDIUM
                } else {
                    files.lowered.insert(path);
                    Durability::LOW
                };
                known
                    .file
                    .set_digest(&mut *db)
                    .with_durability(durability)
                    .to(digest);
            }
        }
        for (path, size) in resized {
            if let Some(known) = files.known.get(&path) {
                known
                    .file
                    .set_image_size(&mut *db)
                    .with_durability(Durability::HIGH)
                    .to(size);
            }
        }
        for (path, subject) in bound {
            if let Some(known) = files.known.get(&path) {
                known
                    .file
                    .set_subject(&mut *db)
                    .with_durability(Durability::HIGH)
                    .to(subject);
            }
        }
        // One pass over the files for all buckets: a first read of a large site touches every one.
        let mut members: BTreeMap<usize, Vec<SourceFile>> =
            touched.iter().map(|bucket| (*bucket, Vec::new())).collect();
        if !members.is_empty() {
            for (path, known) in files.known.iter().filter(|(_, known)| known.exists) {
                if let Some(members) = members.get_mut(&bucket_of(path)) {
                    members.push(known.file);
                }
            }
        }
        for (bucket, members) in members {
            files.buckets[bucket].set_files(&mut *db).to(members);
        }
        let mut specs_changed = false;
        let mut retain = |digest, bytes| self.store.contents().retain(digest, Some(bytes), None);
        for draft in drafts {
            specs_changed |=
                files
                    .specs
                    .write(draft, &mut db, &mut retain, &mut slices, &mut applied.parts);
        }
        if specs_changed {
            self.site
                .set_specs(&mut *db)
                .with_durability(Durability::MEDIUM)
                .to(files.specs.present());
        }
        // Whoever reads what is new knows that it is: the number changes before the next reader gets in.
        self.revision.fetch_add(1, Ordering::AcqRel);
        drop(db);
        // Readers of the old revision are gone: the setters waited for them.
        for (digest, place) in forgotten {
            self.store.contents().release(digest, place.as_deref());
        }
        for digest in slices {
            self.store.contents().release(digest, None);
        }
        applied
    }

    /// Whether the document at `path`, which was whole, would end in the middle with this text.
    fn is_cut_by(&self, files: &Files, path: &SitePath, text: &Text, is_open: bool) -> bool {
        if files.specs.is_cut_by(path, text, is_open) {
            return true;
        }
        // The configuration is JSON, too, and so is what it refers to.
        let known = files.known.get(path).filter(|known| known.exists);
        known.is_some_and(|known| {
            is_foundation(path)
                && known.digest != text.digest
                && is_cut_json(&text.bytes)
                && self.holds_json(known.digest)
        })
    }

    fn holds_json(&self, digest: ContentHash) -> bool {
        let bytes = self.store.contents().bytes(digest).ok().flatten();
        bytes.is_some_and(|bytes| is_json(&bytes))
    }

    /// The part of a specification that `change` would change, if it is one part.
    pub fn part_changed_by(&self, change: &FileChange) -> Option<Part> {
        let FileState::Text(bytes) = &change.state else {
            return None;
        };
        self.lock_files().specs.part_changed_by(&change.path, bytes)
    }

    /// What the keys of queries mean that are inputs: files, buckets of them, parts of specifications.
    pub fn names(&self) -> Names {
        let files = self.lock_files();
        let id = |id: salsa::Id| format!("{id:?}");
        let mut names = Names::new();
        for (path, known) in &files.known {
            let named = Named {
                name: path.to_string(),
                digest: known.digest.short(),
            };
            names.insert(id(known.file.as_id()), named);
        }
        for (input, part, digest) in files.specs.parts() {
            let named = Named {
                name: format!("{}#{}", part.spec, part.key),
                digest: digest.short(),
            };
            names.insert(id(input.as_id()), named);
        }
        // What is asked of the site as a whole comes down to its configuration.
        let config = ["docs.json", "mint.json"]
            .into_iter()
            .filter_map(SitePath::new);
        let config = config.filter_map(|path| Some((files.known.get(&path)?, path)));
        if let Some((known, path)) = { config }.find(|(known, _)| known.exists) {
            let named = Named {
                name: path.to_string(),
                digest: known.digest.short(),
            };
            names.insert(id(self.site.as_id()), named);
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
            names.insert(id, Named { name, digest });
        }
        names
    }

    /// Gives edited files HIGH durability again, in one batch; returns how many. For idle moments: each promoted file
    /// is read once more, and every memo is validated once.
    pub fn promote(&self) -> usize {
        let mut files = self.lock_files();
        let lowered = std::mem::take(&mut files.lowered);
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        for path in &lowered {
            if let Some(known) = files.known.get(path) {
                known
                    .file
                    .set_digest(&mut *db)
                    .with_durability(Durability::HIGH)
                    .to(known.digest);
            }
        }
        lowered.len()
    }

    fn retain(&self, digest: ContentHash, bytes: Option<Arc<[u8]>>, path: &SitePath) {
        let place = self.place(path);
        self.store.contents().retain(digest, bytes, place);
    }

    /// Where the file at `path` can be read again. What may be held back stays in memory: the site goes on with it while the
    /// file holds something else.
    fn place(&self, path: &SitePath) -> Option<PathBuf> {
        if is_foundation(path) {
            return None;
        }
        Some(self.reach.as_ref()?.root.join(path.as_str()))
    }

    fn look(&self, path: &SitePath) -> Option<FileState> {
        Some((self.reach.as_ref()?.look)(path))
    }

    /// Looks again at the files that should hold what could not be had; returns whether one of them has changed.
    fn heal(&self, lost: ContentLost) -> bool {
        let mut files = self.lock_files();
        let is_lost = |(_, known): &(&SitePath, &Known)| known.exists && known.digest == lost.0;
        let known = files.known.iter().filter(is_lost);
        let paths: Vec<SitePath> = known.map(|(path, _)| path.clone()).collect();
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
        files.healed.extend(paths);
        self.is_healed.store(true, Ordering::Release);
        true
    }

    /// Whether a question has led to a file that had changed unseen since this was asked last: then a new revision is to
    /// be published.
    pub fn take_healed(&self) -> bool {
        self.is_healed.swap(false, Ordering::AcqRel)
    }

    /// Lets go of large results that were not asked for lately: they are kept elsewhere, or made again. For idle moments.
    pub fn shed(&self) {
        use salsa::Database as _;
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        db.trigger_lru_eviction();
    }

    /// Asks the database, in the present revision, or in the next one if a write overtakes the question.
    ///
    /// The handle lives as long as `ask`: it must not be kept, and `ask` must not wait for a write.
    pub fn read<T>(&self, ask: impl Fn(&Database, Site) -> T) -> Result<T, ReadError> {
        let mut patience = PATIENCE;
        let mut tries = 0;
        loop {
            let db = self
                .db
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let answer = std::panic::catch_unwind(AssertUnwindSafe(|| {
                Cancelled::catch(AssertUnwindSafe(|| ask(&db, self.site)))
            }));
            // A writer waits for it.
            drop(db);
            memory::stirred();
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
                        if !self.heal(*lost) && patience > 1 {
                            // Another thread may have looked; if not, nothing is to be had.
                            patience = 1;
                        }
                    }
                    Some(_) => {
                        let message = "a file changes faster than it can be read";
                        return Err(ReadError::Cancelled(message.to_owned()));
                    }
                    None => return Err(ReadError::Panicked(panic_message(panic.as_ref()))),
                },
            }
        }
    }

    /// Asks for something of every bucket of files for the first time, and lets go of large results on the way: what rests on
    /// all pages would otherwise hold all of them until it is there.
    ///
    /// # Errors
    ///
    /// As [`SiteHost::read`].
    pub fn warm(&self, ask: impl Fn(&Database, FileBucket)) -> Result<(), ReadError> {
        let buckets = self.lock_files().buckets.clone();
        for part in buckets.chunks(BUCKETS_AT_ONCE) {
            self.read(|db, _| part.iter().for_each(|bucket| ask(db, *bucket)))?;
            self.shed();
        }
        Ok(())
    }

    /// Asks once for each of `items`, by as many threads as there are cores, in the order of `items`.
    ///
    /// Large results are let go of on the way: a site of any size is read in the memory of a part of it.
    pub fn read_all<I: Sync, T: Send>(
        &self,
        items: &[I],
        ask: impl Fn(&Database, Site, &I) -> T + Sync,
    ) -> Vec<Result<T, ReadError>> {
        let mut answers = Vec::with_capacity(items.len());
        for (i, part) in items.chunks(AT_ONCE).enumerate() {
            if i > 0 {
                self.shed();
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
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
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
    /// The store outlives the site: what only this one used goes with it.
    fn drop(&mut self) {
        let files = std::mem::take(&mut *self.lock_files());
        let contents = self.store.contents();
        for (path, known) in files.known.iter().filter(|(_, known)| known.is_text) {
            contents.release(known.digest, self.place(path).as_deref());
        }
        for digest in files.specs.digests() {
            contents.release(digest, None);
        }
    }
}

/// How many times a question is asked again because a file had changed while it was read. Each time the file is looked at
/// anew, so once is enough but for files that are written all the time.
const PATIENCE: usize = 20;

/// How many buckets are asked at a time by [`SiteHost::warm`].
const BUCKETS_AT_ONCE: usize = 8;

/// How many questions are asked of the database between two moments in which it sheds.
const AT_ONCE: usize = 512;

/// How often a question is asked again that another reader was asked before and has not answered.
const TRIES: usize = 1000;

/// The stack of a thread that renders: deeply nested pages recurse.
pub const STACK: usize = 16 << 20;

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown fault".to_owned())
}
