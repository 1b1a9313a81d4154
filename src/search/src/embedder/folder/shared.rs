//! Models that are in memory, so that sites and previews that name the same folder have it once.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use quire_encoder::{Model, Workers};

use super::{Stamps, lock};

/// Folder of a model, the stamps of its files when it was read, and the number of threads that run
/// it.
type Key = (PathBuf, Stamps, NonZero<usize>);

static SHARED: Mutex<BTreeMap<Key, Weak<Workers>>> = Mutex::new(BTreeMap::new());

/// The threads that run the model in `folder`, whose files look as `stamps` say; it is read if it
/// is not loaded yet. Callers wait in the meantime: a model is not read twice.
///
/// # Errors
///
/// Returns an error if the folder is invalid.
pub(super) fn workers(
    folder: &Path,
    stamps: &Stamps,
    threads: NonZero<usize>,
) -> anyhow::Result<Arc<Workers>> {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut shared = lock(&SHARED);
    shared.retain(|_, workers| workers.strong_count() > 0);
    let key = (folder, stamps.clone(), threads);
    if let Some(workers) = shared.get(&key).and_then(Weak::upgrade) {
        return Ok(workers);
    }
    let began = std::time::Instant::now();
    let model = Model::read(&key.0)?;
    tracing::info!(
        folder = %key.0.display(),
        ms = began.elapsed().as_millis(),
        "loaded a model"
    );
    let workers = Arc::new(Workers::new(model, threads)?);
    shared.insert(key, Arc::downgrade(&workers));
    Ok(workers)
}
