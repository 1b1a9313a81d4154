//! Vectors of another embedder than the one of this program: an endpoint that is asked for them, or a model in a folder,
//! beside everything else.
//!
//! Words and the vectors of this program are found at once, whatever happens here. A worker (`embedder/worker.rs`) asks which
//! passages lack vectors, takes those that were paid for before from the embedding cache (`store/embedding_cache.rs`), and asks for the others
//! where they come from (`embedder/source.rs`): an endpoint (`embedder/endpoint.rs`) or a folder (`embedder/folder.rs`). The
//! vector of a question is waited for only a moment.

pub mod endpoint;
#[cfg(feature = "bert")]
pub mod folder;
pub mod source;
mod worker;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use queries::base::content::ContentHash;
use queries::base::path::Route;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};

use crate::index::external::{Lacking, PassageVectors};
use crate::index::vectors::Vector;
use quire_settings::EmbedderSettings;
use quire_storage::store::embedding_cache::EmbeddingCache;
use source::{Fault, Kind, Source};

/// Time limit for the vector of a question. A person does not notice a shorter wait, and search
/// boxes send a new question with every letter.
const QUESTION: Duration = Duration::from_millis(300);

/// Capacity of the cache of question vectors.
const QUESTIONS: usize = 256;

/// Maximum number of concurrent requests for questions; further questions are answered without such
/// a vector.
const QUESTIONS_AT_ONCE: usize = 4;

/// Source of passages, as the worker sees it. Every method may block.
pub trait Passages: Send + Sync + 'static {
    /// Returns up to `most` pages with passages that lack vectors, not counting those that
    /// `is_skipped`.
    fn lacking(&self, most: usize, is_skipped: &dyn Fn(&ContentHash) -> bool) -> Vec<Lacking>;
    /// The texts of passages, by their digests; those that no longer exist are left out.
    fn texts(&self, pages: &[Lacking]) -> BTreeMap<ContentHash, Vec<String>>;
    /// Takes vectors for the passages of these pages.
    fn give(&self, routes: &[Route], given: &PassageVectors) -> anyhow::Result<()>;
}

/// Waits for so long; another in tests.
pub type Sleep = Arc<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// When something is tried again.
#[derive(Clone)]
pub struct Patience {
    /// Sleep function.
    pub sleep: Sleep,
    /// Pauses before each further try, unless the endpoint names one.
    pub pauses: Vec<Duration>,
    /// Pause before an endpoint that failed every try is used again.
    pub rest: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            sleep: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
            pauses: [1, 2, 4, 8, 16, 32].map(Duration::from_secs).to_vec(),
            rest: Duration::from_secs(600),
        }
    }
}

impl Patience {
    /// Short pauses, for a command that answers and exits.
    pub fn short() -> Self {
        Self {
            pauses: vec![Duration::from_secs(1), Duration::from_secs(2)],
            ..Self::default()
        }
    }
}

/// Progress and remaining work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// The name of the model.
    pub model: String,
    /// Number of texts embedded.
    pub embedded: u64,
    /// Number of texts given up: they were refused, or their vectors were unusable.
    pub failed: u64,
    /// Number of requests, for passages and for questions.
    pub requests: u64,
    /// Total time of the requests, in seconds.
    pub seconds: f64,
    /// Why the last request failed, if it did.
    pub error: Option<String>,
}

/// Computes vectors for one site.
pub struct Embedder {
    settings: EmbedderSettings,
    name: String,
    source: Source,
    /// Cache key of the vectors; known once the source was ready.
    identity: OnceLock<String>,
    cache: Arc<EmbeddingCache>,
    runtime: Handle,
    patience: Patience,
    /// Number of dimensions of the vectors; 0 until the first vector is known.
    dimensions: AtomicUsize,
    questions: Mutex<Questions>,
    vector_ready: Condvar,
    counts: Counts,
    /// Wakes the worker when there may be work.
    wake: Notify,
    stop_sender: watch::Sender<bool>,
}

#[derive(Default)]
struct Counts {
    embedded: AtomicU64,
    failed: AtomicU64,
    /// Number of batches refused in a row.
    refused: AtomicU64,
    requests: AtomicU64,
    micros: AtomicU64,
    error: Mutex<Option<String>>,
    is_failing: AtomicBool,
}

/// Cache of the vectors of questions, and the questions in flight.
#[derive(Default)]
struct Questions {
    vectors: HashMap<String, (u64, Arc<Vector>)>,
    in_flight: HashSet<String>,
    /// Counts uses, to find the least recently used question.
    clock: u64,
}

impl Embedder {
    /// Creates the embedder that `settings` name, with vectors cached in `cache`. Requests run on
    /// `runtime`.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings are invalid.
    pub fn new(
        settings: &EmbedderSettings,
        cache: Arc<EmbeddingCache>,
        runtime: Handle,
        patience: Patience,
    ) -> anyhow::Result<Arc<Self>> {
        settings.check()?;
        Ok(Arc::new(Self {
            name: settings.name(),
            source: Source::new(settings)?,
            identity: OnceLock::new(),
            settings: settings.clone(),
            cache,
            runtime,
            patience,
            dimensions: AtomicUsize::new(settings.dimensions.unwrap_or(0)),
            questions: Mutex::default(),
            vector_ready: Condvar::new(),
            counts: Counts::default(),
            wake: Notify::new(),
            stop_sender: watch::Sender::new(false),
        }))
    }

    /// The name of the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The codes of the languages that it compares; empty: all of them.
    pub fn languages(&self) -> &[String] {
        &self.settings.languages
    }

    /// Begins to give vectors to `passages`, as long as they are there and until it is stopped.
    pub fn start(self: &Arc<Self>, passages: std::sync::Weak<impl Passages>) {
        self.runtime.spawn(worker::run(passages, self.clone()));
    }

    /// Gives vectors to `passages` until nothing is left to do or the endpoint does not answer. Blocks.
    pub fn catch_up(self: &Arc<Self>, passages: &Arc<impl Passages>) {
        self.runtime.block_on(worker::once(passages, self));
    }

    /// Wakes the worker when there may be work.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Ends the worker, with the request that it waits for.
    pub fn stop(&self) {
        self.stop_sender.send_replace(true);
    }

    /// Returns its progress.
    pub fn status(&self) -> Status {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Status {
            model: self.name().to_owned(),
            embedded: count(&self.counts.embedded),
            failed: count(&self.counts.failed),
            requests: count(&self.counts.requests),
            seconds: count(&self.counts.micros) as f64 / 1e6,
            error: lock(&self.counts.error).clone(),
        }
    }

    /// The vector of a question, if it is known or comes in a moment. One that arrives later is
    /// cached for the next time. Blocks.
    pub fn question(self: &Arc<Self>, query: &str) -> Option<Arc<Vector>> {
        let query = query.trim();
        let mut questions = lock(&self.questions);
        if let Some(vector) = questions.get(query) {
            return Some(vector);
        }
        if !questions.in_flight.contains(query) {
            if questions.in_flight.len() >= QUESTIONS_AT_ONCE {
                return None;
            }
            questions.in_flight.insert(query.to_owned());
            let (embedder, query) = (self.clone(), query.to_owned());
            self.runtime.spawn(async move {
                let texts = [query];
                let vector = embedder.request(&texts, Kind::Question).await;
                let [query] = texts;
                let mut questions = lock(&embedder.questions);
                questions.in_flight.remove(&query);
                if let Ok([vector]) = vector.as_deref() {
                    questions.put(query, Arc::new(vector.clone()));
                }
                drop(questions);
                embedder.vector_ready.notify_all();
            });
        }
        let waited = (self.vector_ready).wait_timeout_while(questions, QUESTION, |questions| {
            questions.in_flight.contains(query)
        });
        let (mut questions, _) = waited.unwrap_or_else(PoisonError::into_inner);
        questions.get(query)
    }

    /// Sets the cache key of the vectors, if the source is ready.
    async fn ready(&self) -> Result<(), Fault> {
        if self.identity.get().is_some() {
            return Ok(());
        }
        match self.source.identity(&self.name).await {
            Ok(identity) => {
                // Another may have been faster, with the same.
                let _ = self.identity.set(identity);
                Ok(())
            }
            Err(fault) => {
                self.note(Some(fault.to_string()));
                Err(fault)
            }
        }
    }

    /// Asks once. What comes is of the model: as many vectors as texts, all with as many numbers.
    async fn request(&self, texts: &[String], kind: Kind) -> Result<Vec<Vector>, Fault> {
        let began = Instant::now();
        let result = self.source.embed(texts, kind).await;
        let took = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.counts.requests.fetch_add(1, Ordering::Relaxed);
        self.counts.micros.fetch_add(took, Ordering::Relaxed);
        let result = result.and_then(|vectors| {
            let other = vectors.iter().find(|vector| !self.is_ours(vector));
            match other {
                Some(other) => Err(Fault::Useless(format!(
                    "it sent a vector of {} numbers where others have {}: set `dimensions`, or give another `model`",
                    other.numbers.len(),
                    self.dimensions.load(Ordering::Relaxed)
                ))),
                None => Ok(vectors),
            }
        });
        self.note(result.as_ref().err().map(ToString::to_string));
        result
    }

    /// Records the outcome of the last request, and logs it if it differs from the one before.
    fn note(&self, error: Option<String>) {
        let is_failing = error.is_some();
        let was_failing = self.counts.is_failing.swap(is_failing, Ordering::Relaxed);
        match &error {
            Some(error) if !was_failing => {
                tracing::warn!(model = self.name(), "the embedder failed: {error}");
            }
            None if was_failing => {
                tracing::info!(model = self.name(), "the embedder is available again");
            }
            _ => {}
        }
        *lock(&self.counts.error) = error;
    }

    /// Returns true if the vector has as many dimensions as the others; the first vector sets the
    /// number.
    fn is_ours(&self, vector: &Vector) -> bool {
        let count = vector.numbers.len();
        let known =
            self.dimensions
                .compare_exchange(0, count, Ordering::Relaxed, Ordering::Relaxed);
        known.is_ok() || known == Err(count)
    }
}

impl Questions {
    fn get(&mut self, query: &str) -> Option<Arc<Vector>> {
        self.clock += 1;
        let (used, vector) = self.vectors.get_mut(query)?;
        *used = self.clock;
        Some(vector.clone())
    }

    fn put(&mut self, query: String, vector: Arc<Vector>) {
        if self.vectors.len() >= QUESTIONS {
            let oldest = self.vectors.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(query, _)| query.clone()) {
                self.vectors.remove(&oldest);
            }
        }
        self.clock += 1;
        self.vectors.insert(query, (self.clock, vector));
    }
}

/// A lock is poisoned by a panic of its holder; the data in ours is valid at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
