//! A site that is edited: its folder, the database, and the documents that the client has open, which count instead of the
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use crossbeam_channel::Sender;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use queries::base::content::ContentHash;
use queries::base::path::SitePath;
use queries::site::{self, is_config};
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_engine::unfinished::Adoption;
use quire_source::fetch::{self, Cache, FetchPolicy};
use quire_source::sources::{FileState, Sources, is_text};
use quire_source::watch::{ChangeSink, Watch};

use crate::text::{Encoding, Text};

/// Documents that the client has open, by path.
type Open = Arc<Mutex<BTreeMap<SitePath, Arc<Text>>>>;

/// A site that is edited.
pub(crate) struct Project {
    root: PathBuf,
    sources: Sources,
    pub(crate) host: Arc<SiteHost>,
    open: Open,
    encoding: Encoding,
    change_sender: Sender<()>,
    /// Ends its thread when it is dropped.
    _watch: Watch,
}

impl Project {
    /// Reads the site in `root` and follows its files. `changed` is told of every revision.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read or holds no site.
    pub(crate) fn open(
        root: &Path,
        encoding: Encoding,
        changed: Sender<()>,
    ) -> anyhow::Result<Self> {
        let sources = quire_source::load::open(root)?;
        let host = Arc::new(SiteHost::new("", HostOptions::default()));
        if !sources.has_config() {
            host.derive_config();
        }
        let open = Open::default();
        let sink = Follower {
            host: host.clone(),
            open: open.clone(),
            change_sender: changed.clone(),
        };
        let watch = Watch::start(sources.reopen(), false, sink).context("watch the site")?;
        let project = Self {
            root: sources.requested_path().to_owned(),
            sources,
            host,
            open,
            encoding,
            change_sender: changed,
            _watch: watch,
        };
        project.fetch_cached();
        Ok(project)
    }

    /// Applies the specifications that were fetched before.
    fn fetch_cached(&self) {
        if let Ok(policy) = FetchPolicy::of_site(&[]) {
            fetch::apply_cached(&self.host, &Cache::of_user(), &policy);
        }
    }

    /// Renders what every answer needs: the addresses of the site.
    pub(crate) fn warm(&self) {
        // What faults here faults again where it is asked for.
        let _ = self.host.read(|db, site| {
            site::route_table(db, site);
        });
    }

    /// Fetches the specifications that the configuration names. Blocks until each has answered or is given up.
    pub(crate) fn fetch(&self) {
        if fetch::urls(&self.host).is_empty() {
            return;
        }
        let warn = |what: &str| tracing::warn!("{what}");
        let fetched = FetchPolicy::of_site(&[])
            .and_then(|policy| fetch::refresh_now(&self.host, &Cache::of_user(), &policy, &warn));
        match fetched {
            Ok(outdated) => outdated.iter().for_each(|why| tracing::warn!("{why}")),
            Err(error) => tracing::warn!("{error:#}"),
        }
        self.announce();
    }

    /// Path in the site of a document of the client; `None` outside of it and for files that do not count.
    pub(crate) fn path_of(&self, uri: &Uri) -> Option<SitePath> {
        let file = file_of(uri)?;
        let path = self.sources.site_path(&file).or_else(|| {
            let below = file.strip_prefix(&self.root).ok()?.to_str()?;
            SitePath::new(below)
        })?;
        (!self.sources.is_ignored(&path, false)).then_some(path)
    }

    /// Address of a file of the site.
    pub(crate) fn uri_of(&self, path: &SitePath) -> Option<Uri> {
        uri_of(&self.root.join(path.as_str()))
    }

    /// The text of a document: as the client has it, else as the site has it.
    pub(crate) fn text(&self, path: &SitePath) -> Option<Arc<Text>> {
        if let Some(text) = self.lock().get(path) {
            return Some(text.clone());
        }
        let bytes = self.host.read(|db, _| site::text_at(db, path));
        let bytes = match bytes {
            Ok(Some(bytes)) => bytes,
            // Files that only pages show, such as styles, and those that are held back.
            _ => match self.sources.look(path) {
                FileState::Text(bytes) => bytes,
                _ => return None,
            },
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(Arc::new(Text::new(text, self.encoding)))
    }

    /// Takes a document that the client opened.
    pub(crate) fn open_document(&self, path: &SitePath, text: String) {
        let text = Text::new(text, self.encoding);
        self.lock().insert(path.clone(), Arc::new(text));
        self.apply_open(path);
    }

    /// Takes changes of an open document.
    pub(crate) fn change_document(
        &self,
        path: &SitePath,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        if let Some(text) = self.lock().get_mut(path) {
            let text = Arc::make_mut(text);
            changes.into_iter().for_each(|change| text.change(change));
        }
        self.apply_open(path);
    }

    /// Lets go of a document: its file counts again.
    pub(crate) fn close_document(&self, path: &SitePath) {
        self.lock().remove(path);
        self.apply(path, self.sources.look(path));
    }

    fn apply_open(&self, path: &SitePath) {
        let text = self.lock().get(path).map(|text| text.as_str().to_owned());
        if let Some(text) = text.filter(|_| is_text(path)) {
            self.apply(path, FileState::Text(text.into_bytes().into()));
        }
    }

    fn apply(&self, path: &SitePath, state: FileState) {
        let path = path.clone();
        let changes = [FileChange { path, state }];
        // What cannot be read in the middle of typing must not take the site away.
        (self.host).apply_as(changes, Adoption::WhenReadable(None));
        self.announce();
    }

    fn announce(&self) {
        // Without a receiver the server is ending.
        let _ = self.change_sender.try_send(());
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SitePath, Arc<Text>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a name of a file of the site is a link out of its folder for.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }
}

/// A place in a document of a site.
pub(crate) struct At {
    pub(crate) project: Arc<Project>,
    pub(crate) path: SitePath,
    pub(crate) text: Arc<Text>,
    /// Byte offset.
    pub(crate) offset: usize,
}

/// Path of a `file:` address.
pub(crate) fn file_of(uri: &Uri) -> Option<PathBuf> {
    let url = url::Url::parse(uri.as_str()).ok()?;
    (url.scheme() == "file")
        .then(|| url.to_file_path().ok())
        .flatten()
}

/// The `file:` address of a path.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    url::Url::from_file_path(path).ok()?.as_str().parse().ok()
}

/// Takes what the watch sees to the host, but for documents that the client has open.
struct Follower {
    host: Arc<SiteHost>,
    open: Open,
    change_sender: Sender<()>,
}

impl Follower {
    fn apply(&self, mut changes: Vec<FileChange>, adoption: Adoption<'_>) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        changes.retain(|change| !open.contains_key(&change.path));
        drop(open);
        if !self.host.apply_as(changes, adoption).is_empty() {
            let _ = self.change_sender.try_send(());
        }
    }
}

impl ChangeSink for Follower {
    fn files_under(&self, paths: &[&str]) -> BTreeSet<SitePath> {
        self.host.files_under(paths.iter().copied())
    }

    fn changed(
        &mut self,
        changes: Vec<FileChange>,
        open: &BTreeSet<SitePath>,
    ) -> BTreeMap<SitePath, ContentHash> {
        self.apply(changes, Adoption::WhenReadable(Some(open)));
        let held_back = self.host.held_back().into_iter();
        let held_back =
            held_back.filter(|(path, held_back)| !is_config(path) && held_back.is_unfinished());
        held_back
            .map(|(path, held_back)| (path, held_back.digest))
            .collect()
    }

    fn on_writes_finished(&mut self, changes: Vec<FileChange>) {
        self.apply(changes, Adoption::WhenReadable(None));
    }

    fn unreadable(&self) -> Vec<SitePath> {
        let held_back = self.host.held_back().into_iter();
        let unreadable = held_back.filter(|(_, held_back)| held_back.is_unreadable());
        unreadable.map(|(path, _)| path).collect()
    }

    fn on_tick(&mut self) {}

    fn idle(&mut self) {
        self.host.promote();
        self.host.evict();
    }
}
