//! Search of one site: keeps its index up to date with its pages, and answers questions from the
//! current state.
//!
//! The index is next to the engine, not in it: it receives the pages whose digests changed, and
//! reads those. A question that was asked after a change was published is answered with the change,
//! unless the service has a deadline ([`SearchService::answering_within`]): what has not been
//! indexed by then is not waited for.

mod documents;
mod external;
mod first_round;
mod held;
mod opened;
mod shown;
mod suggestions;
mod survey;
mod views;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use queries::base::path::{Route, SitePath};
use queries::site::{
    Embedder, Facets, PageBlocks, Product, Texts, answer_blocks, bucket_search, is_page,
    page_facets, passage_texts, route_table, search_config, search_manifest, theme_config,
};

use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinError;

use crate::embedder::Embedder as Other;
use crate::index::external::External;
use crate::index::persistence::is_kept;
use crate::index::weights::Weights;
use crate::index::{
    Answer, Filter, FoundPassages, Index, IndexUpdate, Indexing, PinnedIndex, Question,
};
use crate::stored::{self, Answers, Rules, StoredSearch};
use quire_engine::faults::{Faults, QUOTES};
use quire_engine::host::{AppliedChanges, ReadError, SiteHost};
use quire_engine::meter;
use quire_storage::machine::cores;

use first_round::FirstRound;
pub use first_round::Prefetch;
use opened::OpenedService;
pub use shown::{indexing, json};
pub(crate) use suggestions::suggestions;
use views::{Building, View, Views};

/// Number of changed pages above which all pages are compared with the index.
const MAX_SINGLE_PAGES: usize = 32;

/// Number of questions answered at once, per core: more would take memory, and slow each other down
/// by as much.
const AT_ONCE: usize = 4;

/// Number of pages embedded at a time: edits wait for no more than these, and a killed process has
/// to embed only these again.
const EMBEDDED_AT_ONCE: usize = 4096;

/// Number of failures in a row before an index in a folder is replaced by one in memory.
const MAX_FAILURES: u32 = 2;

/// Number of unlocked comparisons of a site that is edited without pause, before edits have to wait
/// for one.
const MAX_LOOKS: usize = 20;

/// Kind of request, by which its deadline is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A search while somebody types.
    Search,
    /// An answer that is read as a whole: a page that is missing costs more than a wait.
    Answer,
}

impl Wait {
    /// Number of deadlines of the site that it waits, and the minimum for the first index. In that
    /// of a search, the index of a site of up to a few hundred pages is complete.
    fn limits(self) -> (u32, Duration) {
        match self {
            Self::Search => (1, Duration::from_millis(250)),
            Self::Answer => (10, Duration::from_secs(10)),
        }
    }
}

/// Query of a reader.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    /// Text as typed.
    pub query: String,
    /// Whether pages with the same meaning in other words are wanted.
    pub semantic: bool,
    /// The most pages that are wanted.
    pub limit: usize,
    /// Filter of pages.
    pub filter: Filter,
    /// Whether the passages of each page are wanted.
    pub sections: bool,
}

/// The title, the language and the blocks of a page.
pub type FoundBlocks = (String, String, Arc<PageBlocks>);

/// Size of the searchable content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of passages.
    pub passages: usize,
    /// Whether they can be found by their meaning.
    pub semantic: bool,
}

impl Size {
    fn of(index: &Index) -> Self {
        Self {
            passages: index.passages_found(),
            semantic: index.has_vectors(),
        }
    }
}

/// Error of a question that came before the first page was indexed, and could not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotReady;

impl std::fmt::Display for NotReady {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the search index is being built")
    }
}

impl std::error::Error for NotReady {}

/// Follows a site, and finds pages of it.
pub struct SearchService {
    host: RwLock<Arc<SiteHost>>,
    /// Log of pages that cannot be found because of faults of the program.
    faults: Arc<Faults>,
    /// Folder of the index; `None` for one in memory.
    folder: Option<PathBuf>,
    /// Held while comparing the whole site with the index. Never taken while holding `following`.
    comparing: Mutex<()>,
    /// Held while embedding pages whose words can already be found.
    embedding: Mutex<()>,
    following: Mutex<Following>,
    /// Changes published since the last update of the index.
    pending: Mutex<Pending>,
    /// What can be found.
    views: Views,
    size: Mutex<Size>,
    /// Embedder other than that of this program.
    other: Option<Arc<Other>>,
    /// Places for questions that are being answered; others wait for one.
    places: Arc<Semaphore>,
    /// Whether an update is scheduled: then no other one is needed.
    is_called: AtomicBool,
    /// Whether changes were published since the last comparison of the site began.
    is_behind: AtomicBool,
    /// Whether the site is being unloaded: then updates end early.
    is_stopped: AtomicBool,
    /// The pages of a site of which the index had none.
    first_round: FirstRound,
    /// Whether an update runs that a request has asked for.
    is_catching_up: AtomicBool,
    /// Why the last of those failed, if it did.
    failure: Mutex<Option<String>>,
    /// Wakes the requests that wait for an update that has failed.
    failed: Notify,
    /// Maximum time a request waits for an update; `None` for as long as it takes.
    deadline: Option<Duration>,
    /// Weights of the ranking.
    weights: Weights,
}

/// Changes published since the last update of the index, as far as [`SearchService::note`] saw
/// them.
#[derive(Default)]
struct Pending {
    /// The pages whose files changed.
    pages: BTreeSet<SitePath>,
    /// Whether more changed than files of pages: then every part of the site is compared.
    is_more: bool,
    /// Whether files appeared or vanished: then imports may lead elsewhere.
    is_rearranged: bool,
    /// Revision of the last recorded change.
    revision: u64,
}

/// State of the index.
#[derive(Default)]
struct Following {
    /// Opened when it is needed first.
    index: Option<OpenedService>,
    /// The revision that it is at.
    revision: u64,
    /// Number of failed updates in a row.
    failures: u32,
}

impl SearchService {
    /// Creates the search of `host`, with the index in `folder` or in memory.
    pub fn new(host: Arc<SiteHost>, folder: Option<PathBuf>) -> Self {
        Self::with(host, folder, None, Arc::default())
    }

    /// Like [`SearchService::new`], with another embedder, which gets its passages when it is
    /// started, and with a log of faults.
    pub fn with(
        host: Arc<SiteHost>,
        folder: Option<PathBuf>,
        other: Option<Arc<Other>>,
        faults: Arc<Faults>,
    ) -> Self {
        Self {
            host: RwLock::new(host),
            faults,
            folder,
            comparing: Mutex::default(),
            embedding: Mutex::default(),
            following: Mutex::default(),
            pending: Mutex::default(),
            views: Views::default(),
            size: Mutex::default(),
            other,
            places: Arc::new(Semaphore::new(AT_ONCE * cores())),
            is_called: AtomicBool::new(false),
            is_behind: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            first_round: FirstRound::default(),
            is_catching_up: AtomicBool::new(false),
            failure: Mutex::default(),
            failed: Notify::new(),
            deadline: None,
            weights: Weights::default(),
        }
    }

    /// Calls `prefetch` for each part of the site while its pages are rendered for the first index:
    /// later calls would render them again. [`SearchService::wait_for_first_round`] says when.
    #[must_use]
    pub fn with_prefetch(mut self, prefetch: Prefetch) -> Self {
        self.first_round.prefetch = Some(prefetch);
        self
    }

    /// Ranks by `weights`.
    #[must_use]
    pub fn with_weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// Blocks until the first round is over: until all pages were rendered for the index, or need
    /// not be. Somebody must have been sent to follow the site.
    pub fn wait_for_first_round(&self) {
        self.first_round.wait();
    }

    /// Has requests wait at most `limit` until the index has followed, and then answers from what
    /// is indexed: from an earlier revision ([`Answer::revision`]), or, before the first index is
    /// complete, from the pages that it has so far ([`Answer::indexing`]).
    #[must_use]
    pub fn answering_within(mut self, limit: Duration) -> Self {
        self.deadline = Some(limit);
        self
    }

    /// End of the wait of a request that comes now; `None` if it waits for as long as it takes.
    pub fn due(&self, wait: Wait) -> Option<Instant> {
        let (deadlines, first) = wait.limits();
        let limit = deadlines * self.deadline?;
        let limit = match self.views.complete() {
            Some(_) => limit,
            None => limit.max(first),
        };
        Some(Instant::now() + limit)
    }

    /// Runs `work` on a blocking thread once a permit is free, and once the index has followed or
    /// `due` has passed. Without `due`, questions in `work` wait by themselves.
    ///
    /// # Errors
    ///
    /// Fails if `work` panicked.
    pub async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        due: Option<Instant>,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        if let Some(due) = due {
            self.catch_up(due).await;
        }
        let me = self.clone();
        // Places are given for as long as there is the service.
        let place = me.places.clone().acquire_owned().await.ok();
        let done = tokio::task::spawn_blocking(move || {
            // The permit is held until the work is done, even if the caller is gone.
            let _place = place;
            meter::in_background(|| work(&me))
        });
        done.await
    }

    /// Waits until what is published now can be found, until the update fails, or until `due`. The
    /// index follows however this ends.
    async fn catch_up(self: &Arc<Self>, due: Instant) {
        let mut served = self.views.subscribe();
        // Before an update is started: its failure must not be missed.
        let mut failed = std::pin::pin!(self.failed.notified());
        failed.as_mut().enable();
        let wanted = self.host().revision();
        if self.views.is_at(wanted) {
            return;
        }
        if !self.is_catching_up.swap(true, Ordering::AcqRel) {
            let me = self.clone();
            tokio::task::spawn_blocking(move || meter::in_background(|| me.catch_up_now()));
        }
        let is_served = served.wait_for(|served| *served >= Some(wanted));
        tokio::select! {
            _ = is_served => {}
            () = failed => {}
            () = tokio::time::sleep_until(due.into()) => {}
        }
    }

    /// Has the index follow, for all who wait. Not twice at once: the caller has set
    /// `is_catching_up`.
    fn catch_up_now(&self) {
        /// Lets the next request start an update, even if this one panics.
        struct Ends<'a>(&'a SearchService);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.is_catching_up.store(false, Ordering::Release);
                if std::thread::panicking() {
                    self.0.failed.notify_waiters();
                }
            }
        }
        loop {
            let followed = {
                let _ends = Ends(self);
                self.current()
            };
            if let Err(error) = &followed {
                tracing::error!("the search index cannot be used: {error:#}");
            }
            let has_failed = followed.is_err();
            *lock(&self.failure) = followed.err().map(|error| format!("{error:#}"));
            if has_failed {
                self.failed.notify_waiters();
            }
            // What was published before the flag fell, and has not started another one.
            let is_done = has_failed
                || self.is_stopped.load(Ordering::Acquire)
                || self.views.is_at(self.host().revision());
            if is_done || self.is_catching_up.swap(true, Ordering::AcqRel) {
                return;
            }
        }
    }

    fn host(&self) -> Arc<SiteHost> {
        let host = self.host.read().unwrap_or_else(PoisonError::into_inner);
        host.clone()
    }

    /// Follows `host` from now on, another one of the same site. Nothing is found until the index is opened again.
    pub fn replace_host(&self, host: Arc<SiteHost>) {
        let following = &mut *lock(&self.following);
        *self.host.write().unwrap_or_else(PoisonError::into_inner) = host;
        // The state of the index refers to the database that is gone.
        *following = Following::default();
        self.views.withdraw();
        lock(&self.pending).is_more = true;
    }

    /// Ends a running update soon.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        self.first_round.end();
        if let Some(other) = &self.other {
            other.stop();
        }
    }

    /// Answers `query` from the site as it is now, or with a deadline from what is indexed.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used, or [`NotReady`].
    pub fn find(&self, query: &SearchQuery) -> anyhow::Result<Answer> {
        let (view, indexing) = self.view()?;
        let mut answer = self.put(&view, query, stored::found);
        self.mended(view.clone())?.place(&mut answer);
        answer.indexing = indexing;
        answer.revision = self.earlier_revision(&view, indexing);
        Ok(answer)
    }

    /// The revision of `view`, if it is complete and not the present one.
    fn earlier_revision(&self, view: &View, indexing: Option<Indexing>) -> Option<u64> {
        let is_late = self.deadline.is_some() && view.revision != Some(self.host().revision());
        // One that was stored is of before the start.
        (is_late && indexing.is_none()).then(|| view.revision.unwrap_or(0))
    }

    /// Searches for `query` in the site as it is now, however long that takes.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used.
    pub fn find_current(&self, query: &SearchQuery) -> anyhow::Result<Answer> {
        let view = self.current()?;
        Ok(self.put(&view, query, stored::found))
    }

    /// What a question is answered from, and how far the first index is, if it is that.
    fn view(&self) -> anyhow::Result<(Arc<View>, Option<Indexing>)> {
        let wanted = self.host().revision();
        let view = match (self.views.complete(), self.deadline) {
            (Some(view), _) if view.revision == Some(wanted) => view,
            (None, None) | (Some(_), None) => self.current()?,
            (Some(view), Some(_)) => view,
            (None, Some(_)) => {
                let Some(building) = self.views.building() else {
                    let failure = lock(&self.failure).clone();
                    return Err(failure.map_or_else(|| NotReady.into(), anyhow::Error::msg));
                };
                let indexing = building.progress();
                return Ok((building.view.clone(), indexing));
            }
        };
        Ok((view, None))
    }

    /// `view` with the places of pages, if reading them failed and works again.
    fn mended(&self, view: Arc<View>) -> Result<Arc<View>, ReadError> {
        match view.revision {
            Some(revision) if view.lacks_places() => {
                let mut read = View::read(&self.host(), revision, &view.index, &self.faults)?;
                // Pages of a running update are not part of this revision.
                read.pinned.clone_from(&view.pinned);
                Ok(self.views.replace(&view, read))
            }
            _ => Ok(view),
        }
    }

    /// Puts `query` to the index of `view`.
    fn put<T>(
        &self,
        view: &View,
        query: &SearchQuery,
        put: impl FnOnce(&PinnedIndex, &Question<'_>) -> T,
    ) -> T {
        let rules = Rules {
            semantic: view.config.semantic != Some(false),
            synonyms: &view.config.synonyms.0,
            weights: &self.weights,
        };
        let index = view.pinned();
        let is_compared = query.semantic && rules.semantic && index.complete() > 0;
        let other = self.other.as_ref().filter(|_| is_compared);
        let vector = other.and_then(|other| other.question(&query.query));
        let other = other.zip(vector.as_deref());
        let other = other.map(|(other, vector)| (other.name(), vector));
        stored::ask(&index, query, rules, other, put)
    }

    /// What can be found once the index has everything that was published. An index that fails is
    /// opened again, and then made in memory.
    fn current(&self) -> anyhow::Result<Arc<View>> {
        let mut tries = 0;
        loop {
            let followed = match self.follow_pages() {
                Ok(None) => self.follow().map(drop),
                Ok(Some(_)) => Ok(()),
                Err(error) => Err(error),
            };
            tries += 1;
            let is_last = tries > MAX_FAILURES || self.is_stopped.load(Ordering::Acquire);
            match (followed, self.views.complete()) {
                (Ok(()), Some(view)) => return Ok(view),
                (Err(error), _) if is_last => return Err(error),
                (Err(error), _) => {
                    tracing::debug!("the search index is opened again: {error:#}");
                }
                // Another thread has dropped it since.
                (Ok(()), None) if is_last => return Err(NotReady.into()),
                (Ok(()), None) => {}
            }
        }
    }

    /// Returns the size at the last update of the index.
    pub fn size(&self) -> Size {
        *lock(&self.size)
    }

    /// Returns true if no update was scheduled yet; the caller must then call
    /// [`SearchService::answer`] soon.
    pub fn call(&self) -> bool {
        !self.is_called.swap(true, Ordering::AcqRel)
    }

    /// Records the `changes` that led from the revision `before` to the revision `after`.
    pub fn note(&self, changes: &AppliedChanges, before: u64, after: u64) {
        let pending = &mut *lock(&self.pending);
        let are_pages = changes.added.is_empty()
            && changes.removed.is_empty()
            && changes.parts.is_empty()
            && changes.changed.iter().all(is_page);
        pending.is_more |= !are_pages || pending.revision != before;
        pending.is_rearranged |= pending.is_more && !are_pages;
        pending.revision = after;
        if !pending.is_more {
            pending.pages.extend(changes.changed.iter().cloned());
        }
        if pending.pages.len() > MAX_SINGLE_PAGES {
            pending.is_more = true;
        }
    }

    /// Indexes the pages whose files changed, if nothing else was published since the last update;
    /// returns the index then. [`SearchService::follow`] compares the digest of every page after
    /// the first edit of one (which makes its file less durable), and this does not.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used.
    pub fn follow_pages(&self) -> anyhow::Result<Option<Arc<Index>>> {
        self.follow_pages_with(&mut lock(&self.following))
    }

    /// [`SearchService::follow_pages`] of the caller that [`SearchService::call`] scheduled. Until
    /// it gets its turn no other one is scheduled, or there would be as many waiters as edits.
    ///
    /// # Errors
    ///
    /// As [`SearchService::follow_pages`].
    pub fn answer(&self) -> anyhow::Result<Option<Arc<Index>>> {
        let following = &mut *lock(&self.following);
        self.is_called.store(false, Ordering::Release);
        self.follow_pages_with(following)
    }

    fn follow_pages_with(&self, following: &mut Following) -> anyhow::Result<Option<Arc<Index>>> {
        let Some(opened) = &mut following.index else {
            return Ok(None);
        };
        let (paths, revision) = {
            let pending = &mut *lock(&self.pending);
            if pending.is_more || pending.revision != self.host().revision() {
                return Ok(None);
            }
            (std::mem::take(&mut pending.pages), pending.revision)
        };
        let is_enough = match paths.is_empty() {
            true => Ok(true),
            false => opened.follow_pages(&self.host(), &paths),
        };
        match is_enough {
            Ok(true) => {
                let index = opened.index.clone();
                self.serve(revision, &index)?;
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

    /// Indexes the changes since the last update; returns the index and a summary. Blocks, also
    /// while another thread does the same.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used; or that the site is being unloaded.
    pub fn follow(&self) -> anyhow::Result<(Arc<Index>, IndexUpdate)> {
        let _turn = lock(&self.comparing);
        self.compare(&|| (), false)
    }

    /// [`SearchService::follow`], unless another thread runs it, which then indexes this too. Calls
    /// `looked` after each comparison of the whole site, before the differences are indexed. A
    /// large new site is searchable by words first, and by meaning a moment later.
    ///
    /// # Errors
    ///
    /// As [`SearchService::follow`].
    pub fn follow_after(
        &self,
        looked: impl Fn(),
    ) -> anyhow::Result<Option<(Arc<Index>, IndexUpdate)>> {
        self.is_behind.store(true, Ordering::Release);
        let mut compared = None;
        while self.is_behind.load(Ordering::Acquire) {
            let Ok(_turn) = self.comparing.try_lock() else {
                break;
            };
            if self.is_behind.swap(false, Ordering::AcqRel) {
                compared = Some(self.compare(&looked, true)?);
            }
        }
        self.embed_rest()?;
        Ok(compared)
    }

    /// Embeds the pages that were indexed without vectors, unless another thread does.
    fn embed_rest(&self) -> anyhow::Result<()> {
        match self.embedding.try_lock() {
            Ok(turn) => self.embed_pages(&turn),
            Err(_) => Ok(()),
        }
    }

    /// Copies the index with everything that was published; `put` takes each of its files. Returns
    /// what answers need besides. Blocks until the index has followed.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used, or that of `put`.
    pub fn store(
        &self,
        put: &mut dyn FnMut(&str, Vec<u8>) -> anyhow::Result<()>,
    ) -> anyhow::Result<StoredSearch> {
        let (index, _) = self.follow()?;
        self.embed_pages(&lock(&self.embedding))?;
        let _following = lock(&self.following);
        index.copy(put)?;
        let view = View::read(&self.host(), 0, &index, &self.faults)?;
        Ok(StoredSearch {
            embedder: index.embedder().to_owned(),
            pages: index.manifest().len(),
            semantic: view.config.semantic != Some(false),
            synonyms: view.config.synonyms.0.clone(),
            breadcrumbs: view.breadcrumbs(),
        })
    }

    fn embed_pages(&self, _turn: &MutexGuard<'_, ()>) -> anyhow::Result<()> {
        let mut texts = Texts::new(Embedder::built_in());
        loop {
            let ready = self.views.complete();
            let Some(view) = ready.filter(|view| view.index.lacks_vectors()) else {
                return Ok(());
            };
            let index = &view.index;
            let count = index.embed(EMBEDDED_AT_ONCE, |title, passage| {
                let windows = passage_texts(title, passage);
                let is_stopped = self.is_stopped.load(Ordering::Acquire);
                (!is_stopped).then(|| windows.iter().map(|text| texts.embed(text)).collect())
            })?;
            // Those that were edited in the meantime have theirs.
            if count == 0 || self.is_stopped.load(Ordering::Acquire) {
                return Ok(());
            }
            *lock(&self.size) = Size::of(index);
        }
    }

    /// Compares the whole site with the index, and indexes the differences. One at a time.
    /// `defer_embeddings` says that [`SearchService::embed_rest`] is called afterwards.
    fn compare(
        &self,
        looked: &dyn Fn(),
        defer_embeddings: bool,
    ) -> anyhow::Result<(Arc<Index>, IndexUpdate)> {
        // However this returns.
        let _ends = self.first_round.ending();
        let mut sum = IndexUpdate::default();
        let mut tries = 0;
        loop {
            // At the first edit of a page, comparing the other pages takes long. Nothing waits for
            // that: edited pages are indexed in the meantime. Afterwards all digests are known, and
            // the next comparison is short.
            let seen = self.host().revision();
            let is_open = lock(&self.following).index.is_some();
            let host = self.host();
            // Faults here are reported by the survey below, which goes around them.
            let looked_at = match (is_open, self.folder.as_deref().is_some_and(is_kept)) {
                (true, _) => host.read(|db, site| {
                    search_manifest(db, site);
                }),
                (false, true) => {
                    self.first_round.end();
                    host.warm(|db, bucket| {
                        bucket_search(db, bucket);
                    })
                }
                // Pages are read while they are indexed.
                (false, false) => Ok(()),
            };
            if let Err(error @ ReadError::Cancelled(_)) = looked_at {
                return Err(error.into());
            }
            if is_open {
                looked();
            }
            let following = &mut *lock(&self.following);
            let revision = self.host().revision();
            tries += 1;
            if revision != seen && tries < MAX_LOOKS {
                continue;
            }
            let pending = std::mem::replace(
                &mut *lock(&self.pending),
                Pending {
                    revision,
                    ..Pending::default()
                },
            );
            if let Some(opened) = &following.index
                && following.revision == revision
            {
                return Ok((opened.index.clone(), sum));
            }
            let followed = self.open_index(following).and_then(|opened| {
                let host = self.host();
                let prefetch = self.first_round.prefetch;
                let stopped = &self.is_stopped;
                let is_rearranged = pending.is_rearranged;
                opened.follow(
                    &host,
                    is_rearranged,
                    prefetch,
                    defer_embeddings,
                    stopped,
                    &self.faults,
                )
            });
            // Edits in the meantime are not part of it.
            self.first_round.end();
            let followed = match followed {
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
            // Changes published in the meantime are indexed in another round.
            self.serve(revision, &opened.index)?;
            following.revision = revision;
            if following.failures < MAX_FAILURES {
                following.failures = 0;
            }
            tries = 0;
        }
    }

    /// Returns the embedder other than that of this program, if the site has one.
    pub fn other(&self) -> Option<&Arc<Other>> {
        self.other.as_ref()
    }

    /// Returns the number of passages that wait for vectors of the other embedder.
    pub fn waiting(&self) -> usize {
        self.views.complete().map_or(0, |view| view.index.waiting())
    }

    /// Answers from `index`, in which the changes of `revision` can be found, from now on.
    fn serve(&self, revision: u64, index: &Arc<Index>) -> Result<(), ReadError> {
        *lock(&self.size) = Size::of(index);
        let view = View::read(&self.host(), revision, index, &self.faults)?;
        self.views.serve(view);
        if let Some(other) = &self.other {
            other.wake();
        }
        Ok(())
    }

    /// Drops an index that could not be updated: the next update opens it again, which repairs or
    /// rebuilds it, and compares every page with what it has. Answering from it would be answering
    /// with what was.
    fn let_go(&self, following: &mut Following) {
        *following = Following {
            failures: following.failures + 1,
            ..Following::default()
        };
        self.views.withdraw();
    }

    /// Returns the index, opened if necessary, and rebuilt if the site uses other vectors.
    fn open_index<'a>(
        &self,
        following: &'a mut Following,
    ) -> anyhow::Result<&'a mut OpenedService> {
        // A folder that fails again after a repair is not used until the next start.
        let folder = self.folder.as_deref();
        let folder = folder.filter(|_| following.failures < MAX_FAILURES);
        if let Some(lost) = self.folder.as_deref().filter(|_| folder.is_none())
            && following.index.is_none()
        {
            tracing::warn!(
                "{}: search index folder is unusable; keeping the index in memory",
                lost.display()
            );
        }
        let index = &mut following.index;
        let config = self
            .host()
            .read(|db, site| search_config(db, site).clone())?;
        let is_semantic = config.semantic != Some(false);
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
                let other = other.map(|other| External {
                    languages: other.languages().to_vec(),
                });
                let opened = index.insert(OpenedService::open(folder, embedder, other)?);
                let progress = opened.progress.clone();
                let building = Building::new(&opened.index, config, progress);
                self.views.build(building);
                Ok(opened)
            }
        }
    }
}

impl Answers for SearchService {
    fn passages(&self, query: &SearchQuery) -> anyhow::Result<FoundPassages> {
        // Before it is searched: what is missing now may be there later.
        let (view, indexing) = self.view()?;
        let mut found = self.put(&view, query, |index, question| index.passages(question));
        found.state.indexing = indexing;
        found.state.revision = self.earlier_revision(&view, indexing);
        Ok(found)
    }

    fn languages(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.view()?.0.pinned().languages())
    }

    fn versions(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.view()?.0.pinned().versions())
    }

    fn products(&self) -> anyhow::Result<Vec<(Product, String)>> {
        Ok(self.view()?.0.pinned().products())
    }

    fn home(&self) -> anyhow::Result<Option<Route>> {
        let home = self.host().read(|db, site| {
            let table = route_table(db, site);
            let home = Route::home();
            match table.pages.contains_key(&home) {
                true => Some(home),
                false => table.home.clone(),
            }
        });
        match home {
            Ok(home) => Ok(home),
            Err(error @ ReadError::Cancelled(_)) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    fn site_name(&self) -> String {
        let name = self
            .host()
            .read(|db, site| theme_config(db, site).name.clone());
        name.unwrap_or_default()
    }

    fn page_at(&self, url: &Route) -> anyhow::Result<Option<FoundBlocks>> {
        let read = self.host().read(|db, site| {
            let page = *route_table(db, site).pages.get(url)?;
            let facets = page_facets(db, page).as_ref()?;
            let language = stored::language_or_default(facets.facets.language.clone());
            Some((facets.title.clone(), language, answer_blocks(db, page)?))
        });
        match read {
            Ok(page) => {
                self.faults.clear(QUOTES);
                Ok(page)
            }
            Err(error @ ReadError::Cancelled(_)) => Err(error.into()),
            Err(error) => {
                self.faults.note(QUOTES, &error);
                Ok(None)
            }
        }
    }

    fn filter_at(&self, url: &Route) -> anyhow::Result<Filter> {
        let facets = self.host().read(|db, site| {
            let page = *route_table(db, site).pages.get(url)?;
            page_facets(db, page)
                .as_ref()
                .map(|page| page.facets.clone())
        });
        let facets = match facets {
            Ok(facets) => facets.unwrap_or_default(),
            Err(error @ ReadError::Cancelled(_)) => return Err(error.into()),
            Err(_) => Facets::default(),
        };
        Ok(Filter {
            product: facets.product.map(|product| product.label),
            version: facets.version,
            language: facets.language,
            ..Filter::default()
        })
    }
}

/// A score as it is shown. Four digits: more would be noise.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score.clamp(0.0, 1.0)) * 1e4).round() / 1e4
}

/// A lock is poisoned by a panic of its holder; the data in ours is valid at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
