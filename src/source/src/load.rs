//! A site read from disk, once: for the commands that answer and end.

use std::path::Path;

use anyhow::{Context, bail};
use queries::base::diagnostic::{Code, Diagnostic};
use queries::base::path::SitePath;
use queries::site::Observer;

use crate::fetch;
use crate::repository::{Repository, Tree};
use crate::sources::Sources;
use quire_engine::host::{FileReader, HostOptions, SiteHost};
use quire_settings::{MAX_ID, check_id, label};
use quire_storage::store::Store;

/// A site and where it was read from.
pub struct LoadedSite {
    /// The repository.
    pub sources: Sources,
    /// The site.
    pub host: SiteHost,
    /// Files that could not be read, and specifications that could not be fetched and are as they were fetched before.
    pub unread: Vec<Diagnostic>,
    /// Whether something is not known that the site may have: it could be neither read nor fetched.
    pub is_partial: bool,
}

impl LoadedSite {
    /// Lets go of the site in a process that ends: what is kept is written, and its memory is left to the system, which takes all of
    /// it back at once.
    pub fn leave(self) {
        self.host.store().finish();
        std::mem::forget(self);
    }
}

/// Opens the repository at `folder`. It holds a `docs.json` or a `mint.json`, or pages or
/// specifications that a site is made of.
pub fn open(folder: &Path) -> anyhow::Result<Sources> {
    let sources = Sources::open(folder).with_context(|| format!("open {}", folder.display()))?;
    if !sources.has_config() && !sources.holds_content() {
        bail!(
            "{}: no docs.json, no Markdown and no specification is in this folder; name another \
             one, or begin a site with `quire init`",
            folder.display()
        );
    }
    Ok(sources)
}

/// Opens the repository at `folder`; it must hold a `docs.json` or a `mint.json`. Sites that are
/// published have one: without it, their folder is being written or removed.
pub fn open_configured(folder: &Path) -> anyhow::Result<Sources> {
    let sources = Sources::open(folder).with_context(|| format!("open {}", folder.display()))?;
    if !sources.has_config() {
        bail!(
            "{}: neither docs.json nor mint.json is in this folder; `quire init` writes one",
            folder.display()
        );
    }
    Ok(sources)
}

/// Reads the site in `folder`. `base_path` is the path below which it will be served.
pub fn load(folder: &Path, base_path: &str) -> anyhow::Result<LoadedSite> {
    load_with(folder, base_path, None, None)
}

/// Like [`load`], with an observer of what the engine does, and what is kept in the folder `state`.
pub fn load_with(
    folder: &Path,
    base_path: &str,
    observer: Option<Observer>,
    state: Option<&Path>,
) -> anyhow::Result<LoadedSite> {
    load_at(folder, base_path, None, observer, state)
}

/// Like [`load_with`], of a site that is served at `address`.
pub fn load_at(
    folder: &Path,
    base_path: &str,
    address: Option<&str>,
    observer: Option<Observer>,
    state: Option<&Path>,
) -> anyhow::Result<LoadedSite> {
    let store = Store::of(state);
    let sources = open(folder)?;
    let stats = store.stats_of(&sources.root());
    let sources = sources.with_stat_cache(stats);
    let options = HostOptions {
        observer,
        reader: Some(reader(&sources)),
        store,
        cache_capacity: None,
    };
    let host = SiteHost::at(base_path, address, options);
    if !sources.has_config() {
        host.derive_config();
    }
    host.apply(sources.everything([]));
    // A command that answers and ends answers for what is true now.
    let warn = |what: &str| tracing::warn!("{what}");
    let policy = fetch::FetchPolicy::of_site(&[])?;
    let outdated = fetch::refresh_now(&host, &fetch::Cache::of_user(), &policy, &warn)?;
    let unfetched = outdated.into_iter().map(|message| {
        Diagnostic::new(Code::MissingSpec, queries::site::config_place(), message)
            .hint("the pages still show the last version that was fetched")
    });
    let held_back = host.held_back().into_values();
    let mut unread: Vec<Diagnostic> = held_back
        .map(|held_back| held_back.report.diagnostic)
        .collect();
    let specs = host.read(|db, site| {
        let specs = site.specs(db).iter();
        specs.map(|spec| spec.path(db).clone()).collect::<Vec<_>>()
    });
    let specs = specs.unwrap_or_default();
    let mut urls = fetch::urls(&host).into_iter();
    let is_partial = !unread.is_empty() || urls.any(|url| !specs.contains(&SitePath::of_url(&url)));
    unread.extend(unfetched);
    Ok(LoadedSite {
        sources,
        host,
        unread,
        is_partial,
    })
}

/// Reads the site in `folder` as it was where the branch that is checked out left `name`; `None` if the
/// folder is in no repository.
pub fn load_branch_point(
    folder: &Path,
    name: &str,
    state: Option<&Path>,
) -> anyhow::Result<Option<SiteHost>> {
    let Some((repository, prefix)) = Repository::containing(folder)? else {
        return Ok(None);
    };
    let commit = repository.branch_point(name)?;
    let tree = Tree::new(repository, &prefix, &commit);
    let options = HostOptions {
        observer: None,
        reader: None,
        store: Store::of(state),
        cache_capacity: None,
    };
    let host = SiteHost::at("", None, options);
    host.apply(tree.read()?.changes);
    let warn = |what: &str| tracing::warn!("{what}");
    let policy = fetch::FetchPolicy::of_site(&[])?;
    fetch::refresh_now(&host, &fetch::Cache::of_user(), &policy, &warn)?;
    Ok(Some(host))
}

/// Reader of the files of `sources`.
pub fn reader(sources: &Sources) -> FileReader {
    let again = sources.reopen();
    FileReader {
        // Wherever that leads later, the files are below it.
        root: sources.requested_path().to_owned(),
        look: Box::new(move |path| again.look(path)),
    }
}

/// The id of the site in `folder` as its `docs.json` names it, else as its folder is called.
pub fn id_of(folder: &Path) -> String {
    let config = std::fs::read(folder.join("docs.json")).unwrap_or_default();
    let config: serde_json::Value = serde_json::from_slice(&config).unwrap_or_default();
    let absolute = folder.canonicalize().unwrap_or_default();
    let folder = absolute
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let names = [config["name"].as_str().map(str::to_owned), folder];
    let mut ids = names.into_iter().flatten().map(|name| {
        let mut id = label(&name);
        id.truncate(MAX_ID);
        id.trim_end_matches('-').to_owned()
    });
    ids.find(|id| check_id(id).is_ok())
        .unwrap_or_else(|| "docs".to_owned())
}
