//! A model in a folder, run in this process (`quire_encoder`), as an embedder asks it.
//!
//! The folder is read when it is first needed. One that is wrong is read again when its files have changed; sites that name
//! the same folder share what was read of it (`folder/shared.rs`).

mod shared;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use quire_encoder::Workers;

use super::lock;
use super::source::{Fault, Kind};
use crate::index::vectors::Vector;

/// Path, size and modification time of the files of a folder: they show whether it must be read
/// again.
type Stamps = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// Returns the stamps of the files in `folder` and its subfolders.
fn stamps(folder: &Path) -> Stamps {
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut stamps = Stamps::new();
    for path in entries(folder) {
        let inner = if path.is_dir() {
            entries(&path)
        } else {
            vec![path]
        };
        for path in inner {
            if let Ok(metadata) = std::fs::metadata(&path) {
                stamps.push((path, metadata.len(), metadata.modified().ok()));
            }
        }
    }
    stamps.sort();
    stamps
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
        let kind = match kind {
            Kind::Question => quire_encoder::Kind::Query,
            Kind::Passage => quire_encoder::Kind::Document,
        };
        let asking = move || workers.ask(&texts, kind);
        let useless = |error: anyhow::Error| Fault::Useless(format!("{error:#}"));
        let pending = run_blocking(asking).await?.map_err(useless)?;
        let numbers = pending.numbers().await.map_err(useless)?;
        Ok(numbers.iter().map(|numbers| Vector::of(numbers)).collect())
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
            let stamps = stamps(&path);
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

/// Runs blocking `work` on the blocking pool.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Fault::Useless("the model failed without a word".to_owned()))
}
