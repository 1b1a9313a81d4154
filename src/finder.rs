//! What is found of one site: its index follows its pages, and questions are answered from what is current.
//!
//! The index stands beside the engine, not in it: it is told which pages have another digest, and asks for those. A
//! question that was asked after a change was published is answered with the change.

mod answer;
mod other;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use queries::config::search_config;
use queries::content::ContentHash;
use queries::inputs::{FileBucket, Spec, file_named};
use queries::navigation::PageId;
use queries::page::{is_page, page_route};
use queries::path::{Route, SitePath};
use queries::search::embed::{Embedder, Embedding};
use queries::search::{
    FoundPages, SearchDocument, bucket_search, page_embeddings, search_digest, search_document,
    search_manifest, spec_search,
};

pub use answer::{Place, Style, json, search};

use crate::embedder::Embedder as Other;
use crate::host::{Applied, SiteHost};
use crate::index::{Answer, Changed, Changes, Filter, Followed, Index, Options, Question, others};

/// How many pages are taken up at a time while there are many: a write need not wait, and texts do not pile up.
const AT_ONCE: usize = 500;

/// How many pages may change before all are compared.
const FEW: usize = 32;

/// How long the writer of an index is kept after a change: each takes megabytes, and there may be many sites.
const KEEP_WRITER: Duration = Duration::from_secs(10);

/// What a reader wants to find.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// In the reader's words.
    pub query: String,
    /// Whether pages are wanted that say the same in other words.
    pub semantic: bool,
    /// The most pages that are wanted.
    pub limit: usize,
    /// Which pages are wanted.
    pub filter: Filter,
    /// Whether the passages of each page are wanted.
    pub sections: bool,
}

/// How much can be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// How many passages.
    pub passages: usize,
    /// Whether they can be found by their meaning.
    pub semantic: bool,
}

/// Follows a site, and finds pages of it.
pub struct Finder {
    host: Arc<SiteHost>,
    /// Where the index is kept; `None` for one in memory.
    folder: Option<PathBuf>,
    following: Mutex<Following>,
    /// What was published since the index followed last.
    pending: Mutex<Pending>,
    /// The revision whose changes can be found, and where.
    ready: Mutex<Option<(u64, Arc<Index>)>>,
    size: Mutex<Size>,
    /// What makes other vectors than this program.
    other: Option<Arc<Other>>,
    /// Whether someone is about to follow: then nobody else need be sent.
    is_called: AtomicBool,
    /// Whether the site is let go of: then nobody need follow it to the end.
    is_stopped: AtomicBool,
}

/// What was published since the index followed last, as far as it was told.
#[derive(Default)]
struct Pending {
    /// The pages whose files changed.
    pages: BTreeSet<SitePath>,
    /// Whether more changed than files of pages: then every part of the site is compared.
    is_more: bool,
    /// The revision that is told of.
    revision: u64,
}

/// How far the index has come.
#[derive(Default)]
struct Following {
    /// Opened when it is needed first.
    index: Option<Opened>,
    /// The revision that it is at.
    revision: u64,
}

struct Opened {
    index: Arc<Index>,
    /// What makes its vectors.
    embedder: String,
    /// What it has of each part of the site, and the digest of all that.
    parts: HashMap<Part, (ContentHash, BTreeMap<Route, ContentHash>)>,
}

/// A part of a site whose pages are compared together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Bucket(FileBucket),
    Spec(Spec),
}

impl Finder {
    /// What finds pages of the site of `host`, with the index in `folder` or in memory.
    pub fn new(host: Arc<SiteHost>, folder: Option<PathBuf>) -> Self {
        Self::with(host, folder, None)
    }

    /// The same with another embedder, which gets its passages when it is started.
    pub fn with(host: Arc<SiteHost>, folder: Option<PathBuf>, other: Option<Arc<Other>>) -> Self {
        Self {
            host,
            folder,
            following: Mutex::default(),
            pending: Mutex::default(),
            ready: Mutex::default(),
            size: Mutex::default(),
            other,
            is_called: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Ends whoever follows, soon.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        if let Some(other) = &self.other {
            other.stop();
        }
    }

    /// Answers `wanted` from the site as it is now. Waits until the index has followed.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used.
    pub fn find(&self, wanted: &Wanted) -> anyhow::Result<Answer> {
        let ready = lock(&self.ready).clone();
        let ready = ready.filter(|(revision, _)| *revision == self.host.revision());
        let index = match ready {
            Some((_, index)) => index,
            None => match self.follow_pages()? {
                Some(index) => index,
                None => self.follow()?.0,
            },
        };
        let config = self.host.read(|db, site| search_config(db, site).clone())?;
        let is_semantic = wanted.semantic && config.semantic != Some(false);
        let meaning = is_semantic.then(|| Embedder::built_in().embed(&wanted.query));
        let other = self
            .other
            .as_ref()
            .filter(|_| is_semantic && index.complete() > 0);
        let vector = other.and_then(|other| other.question(&wanted.query));
        let other = other.zip(vector.as_deref());
        Ok(index.search(&Question {
            query: &wanted.query,
            semantic: meaning.as_ref(),
            other: other.map(|(other, vector)| (other.name(), vector)),
            limit: wanted.limit,
            filter: wanted.filter.clone(),
            synonyms: &config.synonyms.0,
            sections: wanted.sections,
        }))
    }

    /// How much could be found when the index followed last.
    pub fn size(&self) -> Size {
        *lock(&self.size)
    }

    /// Whether nobody was about to follow; whoever is told so must call [`Finder::follow`] soon.
    pub fn call(&self) -> bool {
        !self.is_called.swap(true, Ordering::AcqRel)
    }

    /// Tells of `changes` that made the revision `after` of the revision `before`.
    pub fn note(&self, changes: &Applied, before: u64, after: u64) {
        let pending = &mut *lock(&self.pending);
        let are_pages = changes.added.is_empty()
            && changes.removed.is_empty()
            && changes.parts.is_empty()
            && changes.changed.iter().all(is_page);
        pending.is_more |= !are_pages || pending.revision != before;
        pending.revision = after;
        if !pending.is_more {
            pending.pages.extend(changes.changed.iter().cloned());
        }
        if pending.pages.len() > FEW {
            pending.is_more = true;
        }
    }

    /// Takes up the pages whose files changed, if that is all that was published since it followed last; returns the index
    /// then. What else rests on those files, such as pages that import them, is taken up by [`Finder::follow`]: that looks
    /// at the digest of every page after the first edit of one (which makes its file less durable), and this does not.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used.
    pub fn follow_pages(&self) -> anyhow::Result<Option<Arc<Index>>> {
        let following = &mut *lock(&self.following);
        let Some(opened) = &mut following.index else {
            return Ok(None);
        };
        let (paths, revision) = {
            let pending = &mut *lock(&self.pending);
            if pending.is_more || pending.revision != self.host.revision() {
                return Ok(None);
            }
            (std::mem::take(&mut pending.pages), pending.revision)
        };
        let is_enough = match paths.is_empty() {
            true => Ok(true),
            false => opened.follow_pages(&self.host, &paths),
        };
        match is_enough {
            Ok(true) => {
                let index = opened.index.clone();
                *lock(&self.ready) = Some((revision, index.clone()));
                self.wake_other();
                Ok(Some(index))
            }
            Ok(false) => {
                lock(&self.pending).is_more = true;
                Ok(None)
            }
            Err(error) => {
                self.let_go(following);
                Err(error)
            }
        }
    }

    /// Takes up what has changed since it did last; returns the index and what that took. Costs what changed. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used; or that the site is put away.
    pub fn follow(&self) -> anyhow::Result<(Arc<Index>, Followed)> {
        let following = &mut *lock(&self.following);
        self.is_called.store(false, Ordering::Release);
        let mut sum = Followed::default();
        loop {
            let revision = self.host.revision();
            *lock(&self.pending) = Pending {
                revision,
                ..Pending::default()
            };
            if let Some(opened) = &following.index
                && following.revision == revision
            {
                return Ok((opened.index.clone(), sum));
            }
            let opened = self.opened(&mut following.index)?;
            let followed = match opened.follow(&self.host, &self.is_stopped) {
                Ok(followed) => followed,
                Err(error) => {
                    self.let_go(following);
                    return Err(error);
                }
            };
            let Some(opened) = &following.index else {
                continue;
            };
            sum.pages = followed.pages;
            sum.passages = followed.passages;
            sum.embedded += followed.embedded;
            sum.took += followed.took;
            *lock(&self.size) = Size {
                passages: followed.passages,
                semantic: opened.index.has_vectors(),
            };
            // What was published meanwhile is taken up in another round.
            *lock(&self.ready) = Some((revision, opened.index.clone()));
            following.revision = revision;
            self.wake_other();
        }
    }

    /// What makes other vectors than this program, of a site that has one.
    pub fn other(&self) -> Option<&Arc<Other>> {
        self.other.as_ref()
    }

    /// How many passages wait for vectors of the other embedder.
    pub fn waiting(&self) -> usize {
        let ready = lock(&self.ready).clone();
        ready.map_or(0, |(_, index)| index.waiting())
    }

    fn wake_other(&self) {
        if let Some(other) = &self.other {
            other.wake();
        }
    }

    /// Lets go of an index that could not follow: whoever follows next opens it again, which mends it or makes it anew, and
    /// compares every page with what it has. Answering from it would be answering with what was.
    fn let_go(&self, following: &mut Following) {
        *following = Following::default();
        *lock(&self.ready) = None;
    }

    /// The index, opened if it is not, and made anew if the site wants other vectors.
    fn opened<'a>(&self, index: &'a mut Option<Opened>) -> anyhow::Result<&'a mut Opened> {
        let is_semantic = self
            .host
            .read(|db, site| search_config(db, site).semantic != Some(false))?;
        let embedder = match is_semantic {
            true => Embedder::NAME,
            false => "",
        };
        if index
            .as_ref()
            .is_some_and(|opened| opened.embedder != embedder)
        {
            *index = None;
        }
        match index {
            Some(opened) => Ok(opened),
            None => {
                let other = self.other.as_ref().filter(|_| is_semantic);
                let other = other.map(|other| others::Other {
                    languages: other.languages().to_vec(),
                });
                Ok(index.insert(Opened::open(self.folder.as_deref(), embedder, other)?))
            }
        }
    }
}

impl Opened {
    fn open(
        folder: Option<&Path>,
        embedder: &str,
        other: Option<others::Other>,
    ) -> anyhow::Result<Self> {
        let options = Options {
            embedder: embedder.to_owned(),
            other,
            keep_writer: KEEP_WRITER,
            ..Options::default()
        };
        Ok(Self {
            index: Arc::new(Index::open(folder, options)?),
            embedder: embedder.to_owned(),
            parts: HashMap::new(),
        })
    }

    /// Takes up the pages of the files at `paths`; `false` if that is not enough, because a page is found that was not
    /// before, or is no longer.
    fn follow_pages(
        &mut self,
        host: &SiteHost,
        paths: &BTreeSet<SitePath>,
    ) -> anyhow::Result<bool> {
        let pages = host.read(|db, _| {
            let files = paths.iter().filter_map(|path| file_named(db, path));
            let pages = files.map(|file| (page_route(db, file).clone(), PageId::File(file)));
            pages.collect::<Vec<_>>()
        })?;
        let documents = Documents::read(host, &pages);
        let is_had = |route: &Route| (self.parts.values()).any(|(_, had)| had.contains_key(route));
        let is_found = |route: &Route| {
            let mut found = documents.changed.iter();
            found.any(|changed| changed.document.route == *route)
        };
        if pages
            .iter()
            .any(|(route, _)| is_had(route) != is_found(route))
        {
            return Ok(false);
        }
        let changes = Changes {
            gone: &[],
            changed: &documents.changed,
        };
        self.index
            .follow(&changes, |document, i| documents.vectors_of(document, i))?;
        for changed in &documents.changed {
            let route = &changed.document.route;
            let had = (self.parts.values_mut()).find_map(|(_, had)| had.get_mut(route));
            if let Some(digest) = had {
                *digest = changed.digest;
            }
        }
        Ok(true)
    }

    /// Takes up the parts of the site whose digests are others.
    fn follow(&mut self, host: &SiteHost, is_stopped: &AtomicBool) -> anyhow::Result<Followed> {
        let is_first = self.parts.is_empty();
        let known: HashMap<Part, ContentHash> = (self.parts.iter())
            .map(|(part, (digest, _))| (*part, *digest))
            .collect();
        let (present, others) = host.read(|db, site| {
            let manifest = search_manifest(db, site);
            let buckets = site.buckets(db).iter().map(|bucket| Part::Bucket(*bucket));
            let specs = site.specs(db).iter().map(|spec| Part::Spec(*spec));
            let of_spec = |spec: &Spec| manifest.specs.get(spec.path(db)).copied();
            let digests = manifest.buckets.iter().copied().map(Some);
            let digests = digests.chain(site.specs(db).iter().map(of_spec));
            let present: Vec<(Part, Option<ContentHash>)> =
                buckets.chain(specs).zip(digests).collect();
            let others = present
                .iter()
                .filter(|(part, digest)| known.get(part).copied() != *digest);
            let others = others.map(|(part, _)| {
                let found: &FoundPages = match part {
                    Part::Bucket(bucket) => bucket_search(db, *bucket),
                    Part::Spec(spec) => spec_search(db, *spec),
                };
                (*part, found.clone())
            });
            let others: Vec<(Part, FoundPages)> = others.collect();
            let present: Vec<Part> = present.into_iter().map(|(part, _)| part).collect();
            (present, others)
        })?;
        // What the index had, of the parts that are others or are no more.
        let mut gone: BTreeMap<Route, ContentHash> = match is_first {
            true => self.index.manifest(),
            false => BTreeMap::new(),
        };
        for (part, _) in &others {
            gone.extend(
                self.parts
                    .remove(part)
                    .map(|(_, had)| had)
                    .unwrap_or_default(),
            );
        }
        let absent: Vec<Part> = (self.parts.keys())
            .filter(|part| !present.contains(part))
            .copied()
            .collect();
        for part in absent {
            gone.extend(
                self.parts
                    .remove(&part)
                    .map(|(_, had)| had)
                    .unwrap_or_default(),
            );
        }
        let mut changed: Vec<(Route, PageId)> = Vec::new();
        for (_, found) in &others {
            for (route, page) in &found.pages {
                if gone.remove(route) != Some(page.digest) {
                    changed.push((route.clone(), page.page));
                }
            }
        }
        let gone: Vec<Route> = gone.into_keys().collect();
        let mut sum = Followed::default();
        let batches = changed.chunks(AT_ONCE).map(Some);
        for (i, batch) in batches
            .chain(changed.is_empty().then_some(None))
            .enumerate()
        {
            if is_stopped.load(Ordering::Acquire) {
                anyhow::bail!("the site is put away");
            }
            let batch = batch.unwrap_or_default();
            let documents = Documents::read(host, batch);
            let changes = Changes {
                gone: if i == 0 { &gone } else { &[] },
                changed: &documents.changed,
            };
            let followed = self
                .index
                .follow(&changes, |document, i| documents.vectors_of(document, i))?;
            sum.pages = followed.pages;
            sum.passages = followed.passages;
            sum.embedded += followed.embedded;
            sum.took += followed.took;
            if batch.len() == AT_ONCE {
                host.shed();
            }
        }
        for (part, found) in others {
            let pages = found.pages.into_iter();
            let pages = pages.map(|(route, page)| (route, page.digest)).collect();
            self.parts.insert(part, (found.digest, pages));
        }
        Ok(sum)
    }
}

/// What the index asks of the pages that changed.
struct Documents {
    changed: Vec<Changed>,
    vectors: HashMap<ContentHash, Arc<[Embedding]>>,
}

impl Documents {
    /// Reads the documents of `pages`. What is written while they are read is read by the next round.
    fn read(host: &SiteHost, pages: &[(Route, PageId)]) -> Self {
        let ask = |(_, page): &(Route, PageId)| {
            let page = *page;
            host.read(|db, _| {
                let changed = Changed {
                    digest: search_digest(db, page)?,
                    document: search_document(db, page)?,
                };
                Some((changed, page_embeddings(db, page)))
            })
        };
        let mut documents = Self {
            changed: Vec::with_capacity(pages.len()),
            vectors: HashMap::new(),
        };
        for found in pages.iter().map(ask) {
            match found {
                Ok(Some((changed, vectors))) => {
                    documents.changed.push(changed);
                    documents.vectors.extend(vectors);
                }
                // It vanished meanwhile.
                Ok(None) => {}
                Err(error) => tracing::warn!("a page cannot be found: {error}"),
            }
        }
        documents
    }

    /// The vectors of one passage of a document.
    fn vectors_of(&self, document: &SearchDocument, passage: usize) -> Vec<Embedding> {
        let passage = document.passages.get(passage);
        let digest = passage.map(|passage| passage.digest(&document.title));
        let vectors = digest.and_then(|digest| self.vectors.get(&digest));
        vectors.map(|vectors| vectors.to_vec()).unwrap_or_default()
    }
}

/// A lock is poisoned by a panic of whoever held it; what is in ours is valid at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
