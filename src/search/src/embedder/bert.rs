//! A model of the BERT family in a folder, as sentence-transformers writes it, run in this process.
//!
//! A folder is read when it is first needed (`bert/folder.rs`), into memory: a file that is
//! replaced in the meantime changes nothing that was read. Sites that name the same folder share
//! what was read of it. A text becomes tokens (`bert/tokens.rs`), those go through the encoder
//! (`bert/encoder.rs`) and become one vector (`bert/pooling.rs`), on threads of the model's own
//! (`bert/workers.rs`).

mod encoder;
mod folder;
mod operations;
mod pooling;
mod shared;
mod tokens;
mod weights;
mod workers;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::lock;
use super::source::{Fault, Kind};
use crate::index::vectors::Vector;
use folder::Stamps;
use workers::Workers;

/// Number of tokens that a thread processes at once. More are not faster, and questions would wait
/// for them.
const TOKENS: usize = 512;

/// A model that was read from a folder.
pub struct Model {
    tokens: tokens::Tokens,
    encoder: encoder::Encoder,
    pooling: pooling::Pooling,
    /// Named by everything that was read.
    identity: String,
}

impl Model {
    /// Reads the model in `folder`.
    ///
    /// # Errors
    ///
    /// Names the file that is wrong, what is wrong with it, and what can be done.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        // Whatever the libraries that read these files were not written for is an error, too.
        let read = std::panic::AssertUnwindSafe(|| folder::read(folder));
        std::panic::catch_unwind(read).unwrap_or_else(|_| {
            anyhow::bail!(
                "{}: reading the model failed: its files are damaged, or of no kind that is known",
                folder.display()
            )
        })
    }

    /// Names the model by everything that was read: whatever changes a vector changes it.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The numbers of the vectors of `texts`, which are of one kind. Computes on the threads of the
    /// pool (`rayon`) that it is called in.
    ///
    /// # Errors
    ///
    /// Returns the failure of the model.
    pub fn numbers(&self, texts: &[String], kind: Kind) -> anyhow::Result<Vec<Vec<f32>>> {
        let texts = texts.iter().map(|text| self.tokens.of(text, kind));
        self.vectors(&texts.collect::<anyhow::Result<Vec<_>>>()?)
    }

    /// The vectors of texts that were made tokens.
    fn vectors(&self, texts: &[Vec<u32>]) -> anyhow::Result<Vec<Vec<f32>>> {
        let states = self.encoder.states(texts)?;
        let vectors: Vec<Vec<f32>> = states
            .iter()
            .map(|rows| self.pooling.vector(rows, self.encoder.hidden()))
            .collect();
        let mut numbers = vectors.iter().flatten();
        anyhow::ensure!(
            numbers.all(|number| number.is_finite()),
            "the model made a number that is none: its weights are damaged"
        );
        Ok(vectors)
    }
}

/// A folder as an embedder asks it.
pub struct Folder {
    path: PathBuf,
    threads: NonZero<usize>,
    /// The threads that run the model, when it was read.
    workers: Arc<OnceLock<Arc<Workers>>>,
    /// Last error of reading the folder, with the state of its files at that time.
    last_error: Arc<Mutex<Option<(Stamps, String)>>>,
}

impl Folder {
    /// Returns the embedder for the model in the folder `path`. Passages are embedded by `threads`
    /// threads; by default by half the cores.
    pub(super) fn new(path: &Path, threads: Option<usize>) -> Self {
        let half =
            || NonZero::new(std::thread::available_parallelism().map_or(1, NonZero::get) / 2);
        Self {
            path: path.to_owned(),
            threads: (threads.and_then(NonZero::new).or_else(half))
                .unwrap_or(NonZero::<usize>::MIN),
            workers: Arc::default(),
            last_error: Arc::default(),
        }
    }

    /// Returns the cache key of its vectors.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder is invalid.
    pub(super) async fn identity(&self) -> Result<String, Fault> {
        let workers = self.workers().await?;
        Ok(workers.model().identity().to_owned())
    }

    /// The vectors of `texts`, in their order.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder is invalid or the model fails.
    pub(super) async fn embed(&self, texts: &[String], kind: Kind) -> Result<Vec<Vector>, Fault> {
        let workers = self.workers().await?;
        let texts = texts.to_vec();
        let asking = move || workers.ask(&texts, kind);
        let asked = run_blocking(asking)
            .await?
            .map_err(|error| useless(&error))?;
        let mut vectors = Vec::new();
        for part in asked {
            let made = part.await.map_err(|_| Fault::Useless(BROKEN.to_owned()))?;
            let made = made.map_err(|error| useless(&error))?;
            vectors.extend(made.iter().map(|numbers| Vector::of(numbers)));
        }
        Ok(vectors)
    }

    /// The threads that run the model, which is read if it was not yet, or if its files changed since that failed.
    async fn workers(&self) -> Result<Arc<Workers>, Fault> {
        if let Some(workers) = self.workers.get() {
            return Ok(workers.clone());
        }
        let (path, threads) = (self.path.clone(), self.threads);
        let (workers, wrong) = (self.workers.clone(), self.last_error.clone());
        let reading = move || {
            // Other callers wait for the outcome.
            let mut wrong = lock(&wrong);
            if let Some(workers) = workers.get() {
                return Ok(workers.clone());
            }
            let stamps = folder::stamps(&path);
            if let Some((_, why)) = wrong.as_ref().filter(|(then, _)| *then == stamps) {
                return Err(Fault::Closed(why.clone()));
            }
            match shared::workers(&path, &stamps, threads) {
                Ok(read) => Ok(workers.get_or_init(|| read).clone()),
                Err(error) => {
                    let why = format!("{error:#}");
                    *wrong = Some((stamps, why.clone()));
                    Err(Fault::Closed(why))
                }
            }
        };
        run_blocking(reading).await?
    }
}

/// Error message when a thread of the model ended unexpectedly.
const BROKEN: &str = "the model failed without a word";

fn useless(error: &anyhow::Error) -> Fault {
    Fault::Useless(format!("{error:#}"))
}

/// Runs blocking `work` on the blocking pool.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Fault::Useless(BROKEN.to_owned()))
}
