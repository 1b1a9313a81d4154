//! A site read from disk, once: for the commands that answer and end.

use std::path::Path;

use anyhow::{Context, bail};
use queries::db::Observer;
use queries::path::SitePath;

use crate::fetch;
use crate::host::{FileChange, SiteHost};
use crate::sources::Sources;

/// A site and where it was read from.
pub struct Loaded {
    /// The repository.
    pub sources: Sources,
    /// The site.
    pub host: SiteHost,
}

/// Opens the repository at `folder`; it must hold a `docs.json` or a `mint.json`.
pub fn open(folder: &Path) -> anyhow::Result<Sources> {
    let sources = Sources::open(folder).with_context(|| format!("open {}", folder.display()))?;
    let has = |name: &str| sources.root().join(name).is_file();
    if !has("docs.json") && !has("mint.json") {
        bail!(
            "{}: neither docs.json nor mint.json is in this folder; name the folder that holds one",
            folder.display()
        );
    }
    Ok(sources)
}

/// Reads the site in `folder`. `base_path` is the path below which it will be served.
pub fn load(folder: &Path, base_path: &str) -> anyhow::Result<Loaded> {
    load_observed(folder, base_path, None)
}

/// The same, with an observer of what the engine does.
pub fn load_observed(
    folder: &Path,
    base_path: &str,
    observer: Option<Observer>,
) -> anyhow::Result<Loaded> {
    let sources = open(folder)?;
    let host = SiteHost::new(base_path, observer);
    host.apply(everything(&sources));
    // A command that answers and ends answers for what is true now.
    let warn = |what: &str| tracing::warn!("{what}");
    fetch::refresh_now(&host, &fetch::Cache::of_user(), &warn)?;
    Ok(Loaded { sources, host })
}

/// Every file of the repository.
fn everything(sources: &Sources) -> Vec<FileChange> {
    let paths: Vec<SitePath> = sources.walk(sources.root(), &mut |_| {}).files;
    let states = sources.look_all(&paths);
    paths
        .into_iter()
        .zip(states)
        .map(|(path, state)| FileChange { path, state })
        .collect()
}
