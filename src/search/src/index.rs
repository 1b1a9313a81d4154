//! The search index of a site: pages follow it as they change, and questions are answered from it.
//!
//! Words are stored and merged by tantivy; their scores are computed here (`rank.rs`), from figures
//! that are exact: the same pages have the same scores whatever was edited before. Vectors of
//! meanings are stored next to them. Readers take the current snapshot and never wait for the
//! writer.

mod arabic;
mod candidates;
pub mod chunks;
mod codes;
mod compounds;
pub mod confidence;
mod corrections;
mod directory;
pub mod dot;
pub mod entries;
pub mod expand;
pub mod external;
pub mod language;
pub mod lookup;
pub mod pages;
pub mod persistence;
pub mod phrases;
pub mod products;
pub mod rank;
pub mod relevance_threshold;
pub mod search;
pub mod snapshot;
pub mod snippet;
pub mod stop_words;
pub mod synonyms;
pub mod vectors;
pub mod versions;
pub mod weights;
pub mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{Passage, Product, SearchDocument};
use tantivy::indexer::UserOperation;
use tantivy::{IndexWriter, Term};

pub use crate::index::confidence::Evidence;
use crate::index::entries::{Entries, PageRecord};
use crate::index::external::External;
use crate::index::pages::{Page, Pages};
use crate::index::persistence::{OpenedIndex, Store};
use crate::index::rank::ScoreAccumulator;
pub use crate::index::search::{
    Answer, Filter, FoundPassage, FoundPassages, Hit, IndexState, Indexing, Mode, Question,
    SectionHit,
};
use crate::index::snapshot::Snapshot;
pub use crate::index::snippet::Snippet;
pub use crate::index::vectors::Embedding;
use crate::index::words::{Analyzer, primary};
use quire_storage::allocator as memory;
use quire_storage::crash_point;

/// Heap of an index writer for a few pages, in bytes: the minimum of tantivy.
const SMALL_HEAP: usize = 15_000_000;
/// Heap of an index writer for many pages, in bytes, so that they do not end up in many small segments.
const LARGE_HEAP: usize = 100_000_000;
/// Number of pages from which the large heap is used.
const LARGE_HEAP_PAGES: usize = 200;

/// Options of an index.
#[derive(Clone, Debug)]
pub struct Options {
    /// The code of the language of pages that name none.
    pub language: String,
    /// Name of the embedder, which changes with its vectors; empty if there is none.
    pub embedder: String,
    /// Pages that another model compares as well, if there is one. It is not part of the stored
    /// settings.
    pub other: Option<External>,
    /// Time that the writer is kept after the last change. It takes megabytes, and a moment to
    /// open.
    pub keep_writer: Duration,
}

impl Options {
    /// Returns true if the passages of `page` need vectors of this program.
    fn is_embedded(&self, page: &PageRecord) -> bool {
        !self.embedder.is_empty() && page.is_embedded()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            language: "en".to_owned(),
            embedder: String::new(),
            other: None,
            keep_writer: Duration::from_secs(30),
        }
    }
}

/// Gives the vectors of a passage of a page, by its place.
pub type Embed<'a> = dyn Fn(&SearchDocument, usize) -> Vec<Embedding> + 'a;

/// Changes to the pages of a site.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'a> {
    /// Removed pages.
    pub gone: &'a [Route],
    /// The pages that are new or another.
    pub changed: &'a [ChangedPage],
}

/// A page as it is now.
#[derive(Clone, Debug)]
pub struct ChangedPage {
    /// Digest of the document; differs from that of any other document of the page.
    pub digest: ContentHash,
    /// Searchable content of the page.
    pub document: Arc<SearchDocument>,
}

/// Summary of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexUpdate {
    /// Number of pages now.
    pub pages: usize,
    /// Number of passages now.
    pub passages: usize,
    /// Number of passages that were embedded; unchanged ones kept their vectors.
    pub embedded: usize,
    /// Time until the changes could be found.
    pub took: Duration,
}

/// The index of one site.
pub struct Index {
    inner: Arc<Inner>,
}

struct Inner {
    options: Options,
    store: Store,
    current: RwLock<Arc<Snapshot>>,
    /// Held while `current` or a pinned snapshot is replaced.
    pins: Mutex<Vec<Weak<PinnedIndex>>>,
    sums: Mutex<Vec<ScoreAccumulator>>,
    writing: Mutex<Writing>,
}

/// Pages of an index as they were at one moment, for answers during an update of several commits.
///
/// Vectors that the same pages get later are taken up, and so are merged segments: a snapshot
/// without them would hold the memory of both.
pub struct PinnedIndex {
    inner: Arc<Inner>,
    snapshot: RwLock<Arc<Snapshot>>,
}

/// Content of a snapshot in comparison with the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// The same pages, with other segments or more vectors.
    Same,
    /// Other pages.
    Changed,
}

/// State used only by the writer.
#[derive(Default)]
struct Writing {
    writer: Option<IndexWriter>,
    numbers: BTreeMap<Route, u32>,
    /// The pages that may lack vectors of the other model.
    without_vectors: BTreeSet<u32>,
    analyzers: HashMap<String, Analyzer>,
    last: Option<Instant>,
    /// Notifies the thread that closes idle writers that this one is in use again.
    resting: Option<Sender<()>>,
}

impl Index {
    /// Opens the index in `folder`, or one in memory. One that is damaged, foreign, or was made by
    /// another version or with other `options` is rebuilt, with a line in the log.
    ///
    /// # Errors
    ///
    /// Returns why the folder cannot be used at all.
    pub fn open(folder: Option<&Path>, options: Options) -> anyhow::Result<Self> {
        let made_by = made_by(&options);
        let OpenedIndex {
            store,
            mut snapshot,
        } = persistence::open(folder, &made_by)?;
        // Who made it was stopped before its vectors followed.
        let pages = snapshot.pages.iter();
        let lack = pages.filter(|page| !page.is_embedded && options.is_embedded(&page.record));
        let lack = lack.map(|page| page.record.number).collect();
        snapshot.pages.without_vectors = lack;
        let writing = Writing {
            numbers: snapshot.pages.numbers_by_route(),
            without_vectors: pages_without_vectors(&options, &snapshot.pages),
            ..Writing::default()
        };
        let inner = Inner {
            options,
            store,
            current: RwLock::new(Arc::new(snapshot)),
            pins: Mutex::default(),
            sums: Mutex::default(),
            writing: Mutex::new(writing),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Takes up `changes`; pages that are as they were cost nothing. `embed` gives the vectors of a passage of a page, and
    /// is only asked for passages that the page did not have before. When this returns, the changes can be found.
    ///
    /// # Errors
    ///
    /// Returns what could not be written; everything is then as it was before.
    pub fn follow(
        &self,
        changes: &Changes<'_>,
        embed: impl Fn(&SearchDocument, usize) -> Vec<Embedding>,
    ) -> anyhow::Result<IndexUpdate> {
        let mut taking = self.begin(changes.changed.len());
        taking.put(changes, Some(&embed))?;
        taking.finish()
    }

    /// Embeds up to `most` of the pages that were indexed without vectors; returns their number.
    /// Meanings are compared when no page lacks vectors any more ([`Index::lacks_vectors`]).
    /// `embed` gives the vectors of a passage of a page with a title, or nothing, and the page goes
    /// on without.
    ///
    /// # Errors
    ///
    /// Returns what could not be written; everything is then as it was before.
    pub fn embed(
        &self,
        most: usize,
        mut embed: impl FnMut(&str, &Passage) -> Option<Vec<Embedding>>,
    ) -> anyhow::Result<usize> {
        // Runs concurrently with updates: a page edited in the meantime has its vectors, and
        // another number.
        let before = self.inner.current();
        let pages = before.pages.without_vectors.iter().take(most);
        let embedded_pages = pages.filter_map(|number| {
            let page = before.pages.get(*number)?;
            let passages = (0..page.record.passages.len()).map(|i| {
                // Unreadable entries are skipped.
                let shown = before.shown_content(*number, i as u16).unwrap_or_default();
                embed(&page.record.title, &shown.into())
            });
            Some((page, passages.collect::<Option<Vec<_>>>()?))
        });
        let embedded_pages: Vec<_> = embedded_pages.collect();
        let mut taking = self.begin(embedded_pages.len());
        let mut count = 0;
        for (page, vectors) in &embedded_pages {
            count += usize::from(taking.embed(page, vectors)?);
        }
        taking.finish()?;
        Ok(count)
    }

    /// Returns true if pages were indexed without the vectors that they should have.
    pub fn lacks_vectors(&self) -> bool {
        !self.inner.current().pages.without_vectors.is_empty()
    }

    /// Begins to index about `pages` pages, which come some at a time: they can be found, all at
    /// once, after [`Taking::finish`]. Other writers wait.
    pub fn begin(&self, pages: usize) -> Taking<'_> {
        let started = Instant::now();
        let writing = lock(&self.inner.writing);
        Taking {
            started,
            inner: &self.inner,
            // State as the last holder of the lock left it.
            pages: self.inner.current().pages.clone(),
            writing,
            operations: Vec::new(),
            is_many: pages >= LARGE_HEAP_PAGES,
            is_changed: false,
            content: Content::Same,
            is_written: true,
            embedded_passages: 0,
        }
    }

    /// Returns the number of pages that can be found.
    pub fn pages_found(&self) -> usize {
        self.inner.current().pages.count()
    }

    /// Returns the number of passages that can be found.
    pub fn passages_found(&self) -> usize {
        self.inner.current().pages.passages()
    }

    /// Returns true if no page can be found.
    pub fn is_empty(&self) -> bool {
        self.inner.current().pages.count() == 0
    }

    /// Returns the digest of each indexed page; the caller sends those that differ.
    pub fn manifest(&self) -> BTreeMap<Route, ContentHash> {
        let current = self.inner.current();
        current
            .pages
            .iter()
            .map(|page| (page.record.route.clone(), page.record.digest))
            .collect()
    }

    /// Name of the embedder of its vectors; empty if it has none.
    pub fn embedder(&self) -> &str {
        &self.inner.options.embedder
    }

    /// Copies the files of the index as it is; `put` takes each with its name. Writers wait.
    ///
    /// # Errors
    ///
    /// Returns what could not be read, or that of `put`.
    pub fn copy(
        &self,
        put: &mut dyn FnMut(&str, Vec<u8>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut writing = lock(&self.inner.writing);
        // Merges in the background replace files.
        self.inner.wait_merges(&mut writing);
        self.inner.store.copy(put)
    }

    /// Pins the pages that can be found now.
    pub fn pin(&self) -> Arc<PinnedIndex> {
        let mut pins = lock(&self.inner.pins);
        let pin = Arc::new(PinnedIndex {
            inner: self.inner.clone(),
            snapshot: RwLock::new(self.inner.current()),
        });
        pins.retain(|pin| pin.strong_count() > 0);
        pins.push(Arc::downgrade(&pin));
        pin
    }

    /// Answers `question` from what is current.
    pub fn search(&self, question: &Question<'_>) -> Answer {
        self.inner.search(&self.inner.current(), question)
    }

    /// Waits until what is merged in the background is merged, and lets go of the writer.
    pub fn rest(&self) {
        let mut writing = lock(&self.inner.writing);
        self.inner.wait_merges(&mut writing);
    }

    /// Returns the number of segments, and the number of their deleted entries.
    pub fn segments(&self) -> (usize, usize) {
        let current = self.inner.current();
        (current.segments.len(), current.deleted())
    }

    /// Returns true if meanings are compared: a passage has a vector, and none waits for its first.
    pub fn has_vectors(&self) -> bool {
        let current = self.inner.current();
        let pages = &current.pages;
        pages.vectors.count() > 0 && pages.without_vectors.is_empty() || pages.complete > 0
    }
}

impl PinnedIndex {
    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Pins `next` in the place of `before`, if that is pinned.
    fn replace(&self, before: &Arc<Snapshot>, next: &Arc<Snapshot>) {
        let mut snapshot = self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&snapshot, before) {
            *snapshot = Arc::clone(next);
        }
    }

    /// Answers `question`.
    pub fn search(&self, question: &Question<'_>) -> Answer {
        self.inner.search(&self.snapshot(), question)
    }

    /// The passages that answer `question`, best first; none, and the log says why, if the index
    /// cannot be read.
    pub fn passages(&self, question: &Question<'_>) -> FoundPassages {
        self.inner.passages(&self.snapshot(), question)
    }

    /// The codes of the languages of its pages, without regions.
    pub fn languages(&self) -> Vec<String> {
        self.snapshot().pages.totals.keys().cloned().collect()
    }

    /// The labels of the versions of its pages.
    pub fn versions(&self) -> Vec<String> {
        let pages = &self.snapshot().pages;
        pages.version_labels().map(str::to_owned).collect()
    }

    /// The products of its pages, each with the code of a language that it has pages in, without its region.
    pub fn products(&self) -> Vec<(Product, String)> {
        self.snapshot().pages.products().cloned().collect()
    }

    /// Returns the number of pages compared by the other model.
    pub fn complete(&self) -> usize {
        self.snapshot().pages.complete
    }
}

fn made_by(options: &Options) -> String {
    format!(
        "language={} embedder={:?}",
        options.language, options.embedder
    )
}

/// The pages that lack vectors of the other model.
fn pages_without_vectors(options: &Options, pages: &Pages) -> BTreeSet<u32> {
    let Some(other) = &options.other else {
        return BTreeSet::new();
    };
    let lacking = pages
        .iter()
        .filter(|page| !page.is_complete() && other.is_of(&page.record));
    lacking.map(|page| page.record.number).collect()
}

/// A lock is poisoned by a panic of its holder; the data in ours is valid at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pages that are being indexed, and the state afterwards. Dropping it before the end changes
/// nothing.
pub struct Taking<'a> {
    inner: &'a Arc<Inner>,
    writing: MutexGuard<'a, Writing>,
    pages: Pages,
    /// Operations not passed to the writer yet.
    operations: Vec<Vec<UserOperation>>,
    /// Whether there are so many pages that each is passed to the writer at once.
    is_many: bool,
    is_changed: bool,
    content: Content,
    /// Whether the stored index matches `writing`.
    is_written: bool,
    embedded_passages: usize,
    started: Instant,
}

impl Taking<'_> {
    /// Takes up `changes`, as [`Index::follow`]; without `embed`, vectors follow ([`Index::embed`]).
    ///
    /// # Errors
    ///
    /// Returns what could not be written: then the rest cannot either.
    pub fn put(&mut self, changes: &Changes<'_>, embed: Option<&Embed<'_>>) -> anyhow::Result<()> {
        for route in changes.gone {
            self.remove(route);
        }
        for changed in changes.changed {
            self.put_page(changed, embed);
            if self.is_many {
                self.tell()?;
            }
        }
        Ok(())
    }

    /// Publishes the indexed pages to readers.
    ///
    /// # Errors
    ///
    /// Returns what could not be written; everything is then as it was before.
    pub fn finish(mut self) -> anyhow::Result<IndexUpdate> {
        // Not before: what was removed is deleted by the number that it had.
        self.pages.settle();
        if self.is_changed {
            self.tell()?;
            self.inner.commit(&mut self.writing, &self.pages)?;
            self.inner
                .publish(std::mem::take(&mut self.pages), self.content)?;
            self.inner.rest_later(&mut self.writing);
        }
        self.is_written = true;
        let now = self.inner.current();
        Ok(IndexUpdate {
            pages: now.pages.count(),
            passages: now.pages.passages(),
            embedded: self.embedded_passages,
            took: self.started.elapsed(),
        })
    }

    /// Passes the pending operations to the writer.
    fn tell(&mut self) -> anyhow::Result<()> {
        let operations = std::mem::take(&mut self.operations);
        let writer = self.inner.writer(&mut self.writing, self.is_many)?;
        match self.is_many {
            true => {
                for page in operations {
                    writer.run(page)?;
                }
            }
            false => self.inner.store.write_few(writer, operations)?,
        }
        Ok(())
    }

    fn operate(&mut self, operations: Vec<UserOperation>) {
        self.operations.push(operations);
        self.is_changed = true;
        self.is_written = false;
    }

    fn remove(&mut self, route: &Route) {
        if let Some(number) = self.writing.numbers.remove(route) {
            self.writing.without_vectors.remove(&number);
            self.pages.remove(number);
            self.content = Content::Changed;
            let term = Term::from_field_u64(self.inner.store.fields.page, u64::from(number));
            self.operate(vec![UserOperation::Delete(term)]);
        }
    }

    /// Gives the passages of `page` vectors, if it is still as it is there and has none; returns whether.
    fn embed(&mut self, page: &Page, vectors: &[Vec<Embedding>]) -> anyhow::Result<bool> {
        let number = page.record.number;
        let now = self.pages.get(number);
        let is_same = now.is_some_and(|now| {
            !now.is_embedded
                && (&now.record.route, now.record.digest)
                    == (&page.record.route, page.record.digest)
        });
        if is_same {
            let (entry, seal) = entries::entry_of_vectors(self.inner.store.fields, number, vectors);
            self.pages.embed(number, vectors, seal);
            self.embedded_passages += vectors.iter().filter(|made| !made.is_empty()).count();
            self.operate(vec![UserOperation::Add(entry)]);
            if self.is_many {
                self.tell()?;
            }
        }
        Ok(is_same)
    }

    fn put_page(&mut self, changed: &ChangedPage, embed: Option<&Embed<'_>>) {
        let ChangedPage { digest, document } = changed;
        let number = self.writing.numbers.get(&document.route);
        let before = number.and_then(|&number| self.pages.get(number)).cloned();
        let before = before.as_deref();
        if before.is_some_and(|before| before.record.digest == *digest) {
            return;
        }
        let vectors = embed.map(|embed| self.vectors_of(document, before, embed));
        // Unchanged passages keep their vectors of the other model, too.
        let reusable = before.into_iter().flat_map(|before| {
            let digests = before.record.passages.iter().enumerate();
            digests.filter_map(|(i, digest)| Some((*digest, self.pages.given(before, i)?)))
        });
        let reusable: external::PassageVectors = reusable.collect();
        self.remove(&document.route);
        self.content = Content::Changed;
        let number = self.pages.free_number();
        let mut page_entries = self.cut_page(number, changed);
        let is_embedded = self.inner.options.is_embedded(&page_entries.record);
        // An entry of vectors is written for a page that is to have some, even if it has no passage.
        let vectors = vectors.filter(|all| is_embedded || all.iter().any(|of| !of.is_empty()));
        if let Some(vectors) = &vectors {
            let (entry, seal) = entries::entry_of_vectors(self.inner.store.fields, number, vectors);
            page_entries.documents.push(entry);
            page_entries.seal = page_entries.seal.wrapping_add(seal);
        } else if is_embedded {
            self.pages.without_vectors.insert(number);
        }
        let other = self.inner.options.other.as_ref();
        let is_others = other.is_some_and(|other| other.is_of(&page_entries.record));
        self.pages
            .insert(page_entries.record, vectors.as_deref(), page_entries.seal);
        if is_others {
            self.pages
                .give(number, &|digest| reusable.get(digest).cloned());
            if !(self.pages.get(number)).is_some_and(|page| page.is_complete()) {
                self.writing.without_vectors.insert(number);
            }
        }
        let numbers = &mut self.writing.numbers;
        numbers.insert(document.route.clone(), number);
        self.operate(
            page_entries
                .documents
                .into_iter()
                .map(UserOperation::Add)
                .collect(),
        );
    }

    /// The vectors of each passage of `document`: those that the page had `before`, and what `embed` makes of the others.
    fn vectors_of(
        &mut self,
        document: &SearchDocument,
        before: Option<&Page>,
        embed: &Embed<'_>,
    ) -> Vec<Vec<Embedding>> {
        let known = |passage: &Passage| {
            let before = before?;
            let digest = passage.digest(&document.title);
            let mut passages = before.record.passages.iter();
            let i = passages.position(|known| *known == digest)?;
            let slots = before.slots.get(i).filter(|slots| !slots.is_empty())?;
            slots
                .iter()
                .map(|&slot| vectors::embedding(&self.pages.vectors.get(slot)?))
                .collect::<Option<Vec<_>>>()
        };
        let mut embedded = 0;
        let passages = document.passages.iter().take(entries::MAX_PASSAGES);
        let vectors = passages.enumerate().map(|(i, passage)| {
            known(passage).unwrap_or_else(|| {
                let made = embed(document, i);
                embedded += usize::from(!made.is_empty());
                made
            })
        });
        let vectors = vectors.collect();
        self.embedded_passages += embedded;
        vectors
    }

    /// Cuts a page into words, as `number`.
    fn cut_page(&mut self, number: u32, ChangedPage { digest, document }: &ChangedPage) -> Entries {
        let language = document.facets.language.as_deref();
        let language = primary(language.unwrap_or(&self.inner.options.language));
        let analyzers = &mut self.writing.analyzers;
        let analyzer = analyzers
            .entry(language.clone())
            .or_insert_with(|| Analyzer::new(&language));
        let fields = self.inner.store.fields;
        entries::entries(fields, number, (document, *digest), (&language, analyzer))
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        if !self.is_written {
            // The pending operations must not become part of the next commit.
            self.writing.writer = None;
            let before = self.inner.current();
            self.writing.numbers = before.pages.numbers_by_route();
            self.writing.without_vectors =
                pages_without_vectors(&self.inner.options, &before.pages);
        }
    }
}

impl Inner {
    fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn search(&self, snapshot: &Snapshot, question: &Question<'_>) -> Answer {
        let mut sums = lock(&self.sums).pop().unwrap_or_default();
        match search::answer(snapshot, question, &mut sums) {
            Ok(answer) => {
                lock(&self.sums).push(sums);
                answer
            }
            Err(error) => {
                tracing::error!("failed to read the search index: {error}");
                Answer {
                    mode: Mode::Keyword,
                    embedder: None,
                    results: Vec::new(),
                    suggestions: Vec::new(),
                    revision: None,
                    indexing: None,
                    evidence: None,
                }
            }
        }
    }

    fn passages(&self, snapshot: &Snapshot, question: &Question<'_>) -> FoundPassages {
        let mut sums = lock(&self.sums).pop().unwrap_or_default();
        match search::passages(snapshot, question, &mut sums) {
            Ok(passages) => {
                lock(&self.sums).push(sums);
                passages
            }
            Err(error) => {
                tracing::error!("failed to read the search index: {error}");
                FoundPassages::default()
            }
        }
    }

    /// The writer, opened if it is not.
    fn writer<'a>(
        &self,
        writing: &'a mut Writing,
        is_many: bool,
    ) -> anyhow::Result<&'a mut IndexWriter> {
        Ok(match &mut writing.writer {
            Some(writer) => writer,
            none => {
                let writer = self
                    .store
                    .writer(if is_many { LARGE_HEAP } else { SMALL_HEAP })?;
                // Another process may have had it since.
                let before = persistence::signature(&made_by(&self.options), &self.current().pages);
                let payload = self.store.index.load_metas()?.payload;
                anyhow::ensure!(
                    payload.is_none_or(|payload| payload == before),
                    "the search index was changed by another program"
                );
                none.insert(writer)
            }
        })
    }

    fn commit(&self, writing: &mut Writing, pages: &Pages) -> anyhow::Result<()> {
        let Some(writer) = &mut writing.writer else {
            anyhow::bail!("nothing was written");
        };
        crash_point::reach("search-adding");
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&persistence::signature(&made_by(&self.options), pages));
        crash_point::reach("search-prepared");
        commit.commit()?;
        crash_point::reach("search-committed");
        Ok(())
    }

    fn publish(&self, pages: Pages, content: Content) -> anyhow::Result<()> {
        self.store.reader.reload()?;
        let before = self.current();
        let next = Snapshot::new(
            self.store.reader.searcher(),
            pages,
            self.store.fields,
            Some(&before),
        )?;
        let next = Arc::new(next);
        let pins = lock(&self.pins);
        if content == Content::Same {
            for pin in pins.iter().filter_map(Weak::upgrade) {
                pin.replace(&before, &next);
            }
        }
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    /// Lets go of the writer when it was not used for a while.
    fn rest_later(self: &Arc<Self>, writing: &mut Writing) {
        writing.last = Some(Instant::now());
        if let Some(resting) = &writing.resting
            && resting.send(()).is_ok()
        {
            return;
        }
        let (sender, used) = channel();
        let (inner, wait): (Weak<Self>, Duration) =
            (Arc::downgrade(self), self.options.keep_writer);
        let thread = std::thread::Builder::new().name("search index".to_owned());
        let spawned = thread.spawn(move || {
            loop {
                match used.recv_timeout(wait) {
                    Ok(()) => continue,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                let Some(inner) = inner.upgrade() else {
                    return;
                };
                let mut writing = lock(&inner.writing);
                if writing.last.is_some_and(|last| last.elapsed() >= wait) {
                    writing.resting = None;
                    inner.wait_merges(&mut writing);
                    memory::note_activity();
                    return;
                }
            }
        });
        // Without a thread the writer stays: it costs memory, nothing else.
        writing.resting = spawned.is_ok().then_some(sender);
    }

    fn wait_merges(&self, writing: &mut Writing) {
        writing.analyzers.clear();
        if let Some(writer) = writing.writer.take() {
            let merged = writer.wait_merging_threads();
            let published = merged
                .map_err(anyhow::Error::from)
                .and_then(|()| self.publish(self.current().pages.clone(), Content::Same));
            if let Err(error) = published {
                tracing::warn!("failed to clean up the search index: {error:#}");
            }
        }
    }
}
