//! The host of one site: the one place that writes inputs, and the door through which everyone else asks.
//!
//! A write compares digests first, starts one revision for a whole batch, and asks running readers to stop; they are
//! asked again by [`SiteHost::read`]. No handle outlives the closure that was given it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use queries::content::ContentHash;
use queries::db::{Database, Observer};
use queries::inputs::{
    BUCKETS, FileBucket, ImageSize, Site, SourceFile, Subject, bucket_of, is_foundation,
};
use queries::mdx::front_matter::subject;
use queries::navigation::PageId;
use queries::path::SitePath;
use salsa::plumbing::AsId;
use salsa::{Cancelled, Durability, Setter};

use crate::sources::FileState;
use crate::specs::{Part, Specs};
use crate::store::MemoryStore;
use crate::trace::{Named, Names};

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

/// One site: its inputs, its database, its contents.
pub struct SiteHost {
    site: Site,
    /// The writer's handle; readers clone it.
    db: Mutex<Database>,
    /// Everything the writer knows about files.
    files: Mutex<Files>,
    store: Arc<MemoryStore>,
    revision: AtomicU64,
}

struct Files {
    buckets: Vec<FileBucket>,
    known: BTreeMap<SitePath, Known>,
    specs: Specs,
    /// Files that were edited since they were last promoted.
    lowered: BTreeSet<SitePath>,
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
    pub fn new(base_path: &str, observer: Option<Observer>) -> Self {
        let store = Arc::new(MemoryStore::default());
        let db = Database::new(store.clone(), observer);
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
            lowered: BTreeSet::new(),
        };
        Self {
            site,
            db: Mutex::new(db),
            files: Mutex::new(files),
            store,
            revision: AtomicU64::new(0),
        }
    }

    /// How many batches have changed anything.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// The contents of the site's text files.
    pub fn store(&self) -> &MemoryStore {
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
        let mut files = self.lock_files();
        let files = &mut *files;
        let mut applied = Applied::default();
        // What the inputs will be set to, decided before the first write so that readers are disturbed once.
        let mut edits: Vec<(SitePath, ContentHash)> = Vec::new();
        let mut resized: Vec<(SitePath, Option<ImageSize>)> = Vec::new();
        let mut bound: Vec<(SitePath, Option<Subject>)> = Vec::new();
        let mut created: Vec<Created> = Vec::new();
        let mut touched: BTreeSet<usize> = BTreeSet::new();
        let mut forgotten: Vec<ContentHash> = Vec::new();
        let mut drafts = Vec::new();
        for FileChange { path, state } in changes {
            let text = match &state {
                FileState::Text(text) => Some((text, ContentHash::of(text))),
                FileState::Opaque(..) | FileState::Absent => None,
            };
            let digest_of_text = text.map(|(_, digest)| digest);
            if let Some(draft) = files.specs.draft(&path, text) {
                drafts.push(draft);
            }
            if path.is_url() {
                continue;
            }
            let (digest, bytes, size) = match state {
                FileState::Text(bytes) => {
                    let digest = digest_of_text.unwrap_or_else(|| ContentHash::of(&bytes));
                    (digest, Some(bytes), None)
                }
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
            let subject = bytes.as_ref().and_then(|bytes| subject(&path, bytes));
            match files.known.get_mut(&path) {
                None => {
                    if let Some(bytes) = &bytes {
                        self.store.retain(digest, bytes.clone());
                    }
                    touched.insert(bucket_of(&path));
                    created.push(Created {
                        path: path.clone(),
                        digest,
                        is_text: bytes.is_some(),
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
                        if let Some(bytes) = bytes {
                            self.store.retain(digest, bytes);
                        }
                        if known.is_text {
                            forgotten.push(known.digest);
                        }
                        known.digest = digest;
                        edits.push((path.clone(), digest));
                    }
                    if known.exists {
                        if edits.last().is_some_and(|(edited, _)| *edited == path) {
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
        let mut retain = |digest, bytes| self.store.retain(digest, bytes);
        for draft in drafts {
            specs_changed |= files.specs.write(
                draft,
                &mut db,
                &mut retain,
                &mut forgotten,
                &mut applied.parts,
            );
        }
        if specs_changed {
            self.site
                .set_specs(&mut *db)
                .with_durability(Durability::MEDIUM)
                .to(files.specs.present());
        }
        drop(db);
        // Readers of the old revision are gone: the setters waited for them.
        for digest in forgotten {
            self.store.release(digest);
        }
        self.revision.fetch_add(1, Ordering::AcqRel);
        applied
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

    /// Asks the database, in the present revision, or in the next one if a write overtakes the question.
    ///
    /// The handle lives as long as `ask`: it must not be kept, and `ask` must not wait for a write.
    pub fn read<T>(&self, ask: impl Fn(&Database, Site) -> T) -> Result<T, ReadError> {
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
            match answer {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(Cancelled::PendingWrite)) => {}
                // Another reader was asked the same before, and has not answered: because of a write, most likely. If it
                // was a fault, this one meets it itself.
                Ok(Err(Cancelled::PropagatedPanic)) if tries < TRIES => tries += 1,
                Ok(Err(cancelled)) => return Err(ReadError::Cancelled(cancelled.to_string())),
                Err(panic) => return Err(ReadError::Panicked(panic_message(panic.as_ref()))),
            }
        }
    }

    /// Asks once for each of `items`, by as many threads as there are cores, in the order of `items`.
    pub fn read_all<I: Sync, T: Send>(
        &self,
        items: &[I],
        ask: impl Fn(&Database, Site, &I) -> T + Sync,
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

/// How often a question is asked again that another reader was asked before and has not answered.
const TRIES: usize = 1000;

/// The stack of a thread that renders: deeply nested pages recurse.
pub const STACK: usize = 16 << 20;

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown fault".to_owned())
}
