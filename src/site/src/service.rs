//! One site, kept current: what is seen of its files is applied, published and announced, always in this order.

mod candidate;
mod dates;
mod handle;
mod looks;
mod mend;
mod released;
mod setup;
mod view;

use dates::GitDates;
pub use handle::{SiteHandle, Status, Unservable};
pub(crate) use looks::DeployOutcome;
use mend::Probe;
pub use quire_source::sources::{Content, OwnFile};
use released::ReleaseState;
pub use setup::{Hooks, IndexMode, Publication, SearchSetup, Services, Setup, SiteSource, Source};
pub use view::View;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use queries::base::content::ContentHash;
use queries::base::diagnostic::Code;
use queries::base::path::{Route, SitePath};
use queries::site::{self, MOCK, PageId, PageOptions, is_config, is_foundation, is_page};
use queries::theme::search::SearchSource;

use crate::readers::Readers;
use quire_cards as cards;
use quire_engine::faults::{ADDRESSES, DIAGNOSTICS, SEARCH};
use quire_engine::host::{AppliedChanges, FileChange, HostOptions, ReadError, SiteHost};
use quire_engine::meter::{self, Meter};
use quire_engine::publish::{Publisher, Snapshot};
use quire_engine::report::Counts;
use quire_engine::survey;
use quire_engine::trace::{self, SharedTrace};
use quire_engine::unfinished::{Adoption, HeldBack};
use quire_net::clients::Clients;
use quire_search::embedder::{Embedder, Patience};
use quire_search::search_service::{SearchService, Wait};
use quire_settings::McpSettings;
use quire_source::fetch::{self, Cache, FetchResult};
use quire_source::load;
use quire_source::repository::links_in;
use quire_source::sources::{Sources, is_text, opaque_digest};
use quire_source::watch::{ChangeSink, Watch};
use quire_storage::store::Store;

/// Outcome of the wait of a request until what was written before it is published.
#[derive(Clone, Copy, Debug)]
pub struct Synced {
    /// Deadline of the request, also for its wait for the index; `None` if it has none.
    pub due: Option<Instant>,
    /// Whether everything was published in time.
    pub is_published: bool,
}

/// Path of the MCP server of a site.
pub const MCP: &str = "/mcp";

/// Path that pages report views and searches to, and that shows administrators the counts.
pub const ANALYTICS: &str = "/_quire/analytics";

/// Delay after an edit before the index is updated, unless someone searches before, and before
/// errors are printed: the page that the author looks at comes first.
pub const FOLLOW: Duration = Duration::from_millis(30);

/// Maximum number of held-back documents reported one by one.
const MAX_REPORTED_FILES: usize = 20;

/// A change that was published.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// Changed files.
    pub applied: AppliedChanges,
    /// Number of queries executed until its pages could be served.
    pub executed: u64,
    /// Time from its detection until its pages could be served.
    pub took: Duration,
    /// The revision that it made.
    pub revision: u64,
    /// Trace of the engine, for sites whose pages show it.
    pub trace: Option<SharedTrace>,
}

impl Edit {
    /// The kind of the change, for lists: that of its first file.
    pub fn kind(&self) -> &'static str {
        let all = [
            &self.applied.changed,
            &self.applied.added,
            &self.applied.removed,
        ];
        match all.into_iter().flatten().next() {
            Some(path) if path.as_str() == "docs.json" => "configuration",
            Some(path) if is_page(path) => "page",
            Some(path) if path.is_url() || is_foundation(path) => "document",
            Some(_) => "file",
            None => "nothing",
        }
    }

    /// Summary for people: the one changed part or file, or the first and the number of others.
    pub fn because(&self) -> String {
        let parts = self.applied.parts.iter().map(|part| dotted(&part.key));
        let files = self.paths().map(ToString::to_string);
        let (all, verb): (Vec<String>, _) = match parts.collect::<Vec<_>>() {
            parts if !parts.is_empty() => (parts, "changed"),
            _ if !self.applied.changed.is_empty() => (files.collect(), "changed"),
            _ if !self.applied.added.is_empty() => (files.collect(), "appeared"),
            _ => (files.collect(), "vanished"),
        };
        match all.as_slice() {
            [] => "nothing changed".to_owned(),
            [one] => format!("{one} {verb}"),
            [first, rest @ ..] => format!("{first} and {} more {verb}", rest.len()),
        }
    }

    /// The files that changed, appeared or vanished.
    pub fn paths(&self) -> impl Iterator<Item = &SitePath> {
        let AppliedChanges {
            changed,
            added,
            removed,
            ..
        } = &self.applied;
        changed.iter().chain(added).chain(removed)
    }
}

/// Returns true if browsers show the file at `path` as a picture.
fn is_picture(path: &SitePath) -> bool {
    matches!(
        path.extension().as_str(),
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "avif" | "ico" | "bmp" | "apng"
    )
}

/// A site that is served.
pub struct Service {
    core: Arc<Core>,
    handle: SiteHandle,
    // Dropped first of all that feeds the core: it ends the thread.
    watch: Option<Watch>,
}

/// The site without what watches its files.
pub(crate) struct Core {
    /// Id.
    pub(crate) id: String,
    /// The published site.
    pub(crate) publisher: Arc<Publisher>,
    /// Open pages.
    pub(crate) readers: Arc<Readers>,
    /// Meter of its engine.
    pub(crate) meter: Arc<Meter>,
    /// Search of its pages.
    pub(crate) search_service: Arc<SearchService>,
    /// The clients that ask as programs do, and the tools that they call.
    programs: Programs,
    setup: Setup,
    /// The folder, of a site from one: files are opened by their path below it.
    files: Option<Sources>,
    runtime: tokio::runtime::Handle,
    remote_specs: Mutex<RemoteSpecs>,
    last_edit: Mutex<Option<Edit>>,
    /// Revision of the last count of diagnostics, and its numbers of errors and warnings.
    diagnostic_counts: Mutex<(u64, usize, usize)>,
    /// Held while files are applied and published, so that a deployment and the watch do not interleave.
    publish_lock: Mutex<()>,
    recovery: mend::RecoveryState,
    /// Whether what could not be read is looked at from time to time.
    is_retrying: AtomicBool,
    /// Dates of pages; locked while the history is read.
    git_dates: Mutex<GitDates>,
    /// Pages that have appeared, and were not asked the history for.
    appeared: Mutex<BTreeSet<SitePath>>,
    /// The release that is published, of a site that only deployments publish.
    released: Mutex<ReleaseState>,
    /// Whether a release is being published: the documents that it names are in it.
    is_restoring: AtomicBool,
}

/// Limits of programs that ask a site.
struct Programs {
    /// Requests of each client.
    requests: Clients,
    /// Tools that all clients together call.
    calls: Clients,
}

impl Programs {
    fn new(settings: &McpSettings) -> Self {
        let hour = Duration::from_secs(60 * 60);
        Self {
            requests: Clients::new(settings.requests_per_hour, hour, usize::MAX),
            calls: Clients::new(settings.calls_per_hour, hour, usize::MAX),
        }
    }
}

/// Specifications that are fetched.
struct RemoteSpecs {
    cache: Cache,
    /// The addresses that were asked for.
    urls: BTreeSet<String>,
}

impl Service {
    /// Reads the site and begins to keep it. Blocks until it can be served; must be called where a runtime is entered.
    pub fn start(setup: Setup) -> anyhow::Result<Self> {
        let sources = match &setup.source.files {
            Source::Folder(folder) if setup.source.derives_config => Some(load::open(folder)?),
            // A release is all that is needed to serve it.
            Source::Folder(folder) if setup.source.released.is_some() => {
                load::open_configured(folder).ok()
            }
            Source::Folder(folder) => Some(load::open_configured(folder)?),
            Source::Tree(_) => None,
        };
        // A program is started for it, which takes a while.
        let links = match &setup.source.files {
            Source::Folder(folder) => {
                let folder = folder.clone();
                std::thread::spawn(move || links_in(&folder))
            }
            Source::Tree(tree) => {
                let tree = tree.clone();
                std::thread::spawn(move || tree.links())
            }
        };
        let files = sources.as_ref().map(Sources::reopen);
        let meter = Arc::new(Meter::default());
        // What is published when it is deployed stays in memory: its files may be changed long before.
        let reader = match &sources {
            Some(sources) if setup.source.watch => Some(load::reader(sources)),
            _ => None,
        };
        let stats = (sources.as_ref().zip(reader.as_ref()))
            .and_then(|(sources, _)| setup.services.store.stats_of(&sources.root()));
        let sources = sources.map(|sources| sources.with_stat_cache(stats));
        let options = HostOptions {
            observer: Some(meter.observer()),
            store: setup.services.store.clone(),
            reader,
            cache_capacity: None,
        };
        let address = setup.publication.base_url.as_deref();
        let host = Arc::new(SiteHost::at("", address, options));
        if sources
            .as_ref()
            .is_some_and(|sources| !sources.has_config())
        {
            host.derive_config();
        }
        let readers = Arc::new(Readers::new(token()));
        let options = PageOptions {
            preview_token: setup.publication.live.then(|| readers.token().to_owned()),
            base_url: setup.publication.base_url.clone(),
            search: Some(SearchSource::Service(format!(
                "/api/sites/{}/search",
                setup.id
            ))),
            assistant: (setup.services.assistant.panel)
                .then(|| format!("/api/sites/{}/assistant", setup.id)),
            mock: setup.publication.mock.then(|| MOCK.to_owned()),
            mcp: setup.services.mcp.enabled.then(|| MCP.to_owned()),
            cards: true,
            vendors: setup.publication.published,
            is_untrusted: setup.publication.untrusted,
            counts: setup
                .services
                .analytics
                .as_ref()
                .map(|_| ANALYTICS.to_owned()),
            repository: links.join().unwrap_or_default(),
        };
        let index = match &setup.search.mode {
            IndexMode::OnDisk(folder) => Some(folder.clone()),
            IndexMode::Lazy | IndexMode::InMemory => None,
        };
        let runtime = tokio::runtime::Handle::current();
        let embedder = setup.search.embedder.as_ref().map(|settings| {
            let (cache, runtime) = (
                setup.services.store.embedding_cache().clone(),
                runtime.clone(),
            );
            Embedder::new(settings, cache, runtime, Patience::default())
        });
        let embedder = embedder.transpose().context("the embedder of the site")?;
        let publisher = Arc::new(Publisher::new(host.clone(), options, meter.clone()));
        let faults = publisher.faults().clone();
        let mut search_service = SearchService::with(host, index, embedder.clone(), faults);
        if setup.publication.live {
            // Who writes it is told at once what is wrong with it.
            search_service = search_service.with_prefetch(|db, bucket| {
                site::bucket_diagnostics(db, bucket);
            });
        }
        if let Some(limit) = setup.search.deadline {
            search_service = search_service.answering_within(limit);
        }
        let search_service = Arc::new(search_service);
        if let Some(embedder) = embedder {
            embedder.start(Arc::downgrade(&search_service));
        }
        let core = Arc::new(Core {
            id: setup.id.clone(),
            search_service,
            runtime,
            publisher,
            programs: Programs::new(&setup.services.mcp),
            recovery: mend::RecoveryState::default(),
            is_retrying: AtomicBool::new(false),
            git_dates: Mutex::default(),
            appeared: Mutex::default(),
            released: Mutex::default(),
            is_restoring: AtomicBool::new(false),
            readers,
            meter,
            remote_specs: Mutex::new(RemoteSpecs {
                cache: Cache::of_user(),
                urls: BTreeSet::new(),
            }),
            last_edit: Mutex::default(),
            diagnostic_counts: Mutex::default(),
            publish_lock: Mutex::new(()),
            setup,
            files,
        });
        let watch = match sources.filter(|_| core.setup.source.watch) {
            Some(sources) => {
                let sink = SiteSink(core.clone());
                Some(
                    Watch::start(sources, core.setup.source.poll, sink)
                        .context("watch the site")?,
                )
            }
            None => {
                core.begin()?;
                core.retry_later();
                None
            }
        };
        core.date_pages_later();
        Ok(Self {
            handle: SiteHandle::new(core.clone()),
            core,
            watch,
        })
    }

    /// The site, for what asks it.
    pub fn handle(&self) -> &SiteHandle {
        &self.handle
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Contents and artifacts.
    pub fn store(&self) -> &Arc<Store> {
        &self.core.setup.services.store
    }

    /// Waits until every write that had ended before the call is published; not at all for a site
    /// whose folder is not watched.
    pub async fn sync(&self) {
        if let Some(watch) = &self.watch {
            watch.handle().sync().await;
        }
    }

    /// Waits as [`Service::sync`] does, at most until the deadline of a request that comes now.
    pub async fn sync_for(&self, wait: Wait) -> Synced {
        let due = self.handle.due(wait);
        let is_published = match due {
            Some(due) => tokio::time::timeout_at(due.into(), self.sync())
                .await
                .is_ok(),
            None => {
                self.sync().await;
                true
            }
        };
        Synced { due, is_published }
    }

    /// Waits as a page is shown: as [`Service::sync`] for a site that someone is writing; for
    /// visitors of other sites until every file that was closed is published, and not for long
    /// ([`WatchHandle::sync_closed`]).
    ///
    /// [`WatchHandle::sync_closed`]: quire_source::watch::WatchHandle::sync_closed
    pub async fn sync_for_page(&self) {
        match &self.watch {
            Some(watch) if self.core.setup.publication.live => watch.handle().sync().await,
            Some(watch) => watch.handle().sync_closed().await,
            None => {}
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.core.search_service.stop();
    }
}

impl Core {
    /// The bytes of a file of the site; `None` when it is gone. Blocks.
    pub(crate) fn read_file(&self, path: &SitePath) -> io::Result<Option<Vec<u8>>> {
        let content = match self.open_file(path)? {
            Some(file) => file.content.read(u64::MAX)?,
            None => return Ok(None),
        };
        match content {
            Content::Read(bytes) => Ok(Some(bytes.into())),
            Content::Open(_) => Ok(None),
        }
    }

    /// The file of the site at `path`, for sending; `None` when it is gone.
    pub(crate) fn open_file(&self, path: &SitePath) -> io::Result<Option<OwnFile>> {
        match self.open_released(path)? {
            Some(file) => Ok(Some(file)),
            None => self.open_source(path),
        }
    }

    /// The file at `path` where the site is written: in its folder, or in its repository.
    fn open_source(&self, path: &SitePath) -> io::Result<Option<OwnFile>> {
        let files = match (&self.setup.source.files, &self.files) {
            (Source::Tree(tree), _) => {
                let content = tree.content(path)?;
                return Ok(content.map(|content| OwnFile {
                    content,
                    digest: None,
                }));
            }
            (Source::Folder(_), None) => return Ok(None),
            (Source::Folder(_), Some(files)) => files,
        };
        let Some(file) = files.open_file(path)? else {
            return Ok(None);
        };
        let digest = match is_text(path) {
            true => None,
            false => Some(opaque_digest(&file.metadata()?)),
        };
        let content = Content::Open(Arc::new(file));
        Ok(Some(OwnFile { content, digest }))
    }

    /// The picture of a page as a PNG; `None` if what renders it fails. Blocks while it is
    /// rendered.
    pub(crate) fn card(
        &self,
        snapshot: &Snapshot,
        page: PageId,
    ) -> Result<Option<Arc<[u8]>>, ReadError> {
        let (look, card) = self.publisher.card(snapshot, page)?;
        let read = |path: &SitePath| self.read_file(path).ok().flatten();
        let drawn = cards::painter().card_in_turn(&*self.setup.services.store, &look, &card, &read);
        Ok(drawn.map(|card| card.bytes))
    }

    /// Returns the numbers of errors and warnings of the whole site, counted again after a change.
    /// May render pages.
    pub(crate) fn count_diagnostics(&self) -> (usize, usize) {
        let host = self.publisher.host();
        let revision = host.revision();
        let (at, errors, warnings) = *lock(&self.diagnostic_counts);
        if at == revision {
            return (errors, warnings);
        }
        if at == 0 {
            // Whatever fails here fails below, too.
            let _ = host.warm(|db, bucket| {
                site::bucket_diagnostics(db, bucket);
            });
        }
        let found = survey::diagnostics(&host);
        let faulty = found.iter().find(|found| found.code == Code::InternalFault);
        match faulty {
            Some(fault) => {
                let error = ReadError::Panicked(fault.message.clone());
                self.publisher.faults().note(DIAGNOSTICS, &error);
            }
            None => self.publisher.faults().clear(DIAGNOSTICS),
        }
        let Counts {
            errors, warnings, ..
        } = Counts::of(&found);
        *lock(&self.diagnostic_counts) = (revision, errors, warnings);
        (errors, warnings)
    }

    /// The commit that is published, of a site from a repository.
    pub(crate) fn commit(&self) -> Option<String> {
        match (&self.setup.source.files, self.released()) {
            (Source::Folder(_), _) => None,
            (Source::Tree(_), Some(release)) => release.commit.clone(),
            (Source::Tree(tree), None) => Some(tree.commit()),
        }
    }

    /// Applies `changes`, publishes what they make of the site, and announces it.
    pub(crate) fn publish(self: &Arc<Self>, changes: Vec<FileChange>) -> Edit {
        self.publish_as(changes, Adoption::AsItIs)
    }

    /// Like [`Core::publish`], but holds back what `adoption` does not take, and tells readers of it.
    fn publish_as(self: &Arc<Self>, changes: Vec<FileChange>, adoption: Adoption<'_>) -> Edit {
        let _turn = lock(&self.publish_lock);
        self.publish_and_tell(changes, adoption)
    }

    fn publish_and_tell(
        self: &Arc<Self>,
        changes: Vec<FileChange>,
        adoption: Adoption<'_>,
    ) -> Edit {
        let host = self.publisher.host();
        let held_before = host.held_back();
        let edit = self.publish_in_turn(changes, adoption);
        let holds = host.held_back();
        // With each piece that is written the file ends elsewhere: once is enough for the terminal.
        let is_new = |(path, _): &(&SitePath, &HeldBack)| !held_before.contains_key(*path);
        let new: Vec<_> = holds.iter().filter(is_new).collect();
        for (_, now) in new.iter().take(MAX_REPORTED_FILES) {
            (self.setup.hooks.log)(now.report.text(false).trim_end());
        }
        if new.len() > MAX_REPORTED_FILES {
            let more = new.len() - MAX_REPORTED_FILES;
            (self.setup.hooks.log)(&format!("and {more} more files with errors"));
        }
        if held_before != holds {
            self.readers.announce(host.revision());
        }
        edit
    }

    fn publish_in_turn(self: &Arc<Self>, changes: Vec<FileChange>, adoption: Adoption<'_>) -> Edit {
        let host = self.publisher.host();
        let (started, executed) = (Instant::now(), self.meter.executed());
        let before = host.revision();
        let is_first = before == 0;
        let work = || {
            host.run_foreground(|| {
                let applied = self.publisher.publish_as(changes, adoption);
                if !applied.is_empty() {
                    let routes = self.routes_of(&applied.changed);
                    self.publisher.digests(&routes);
                }
                applied
            })
        };
        let mut edit = Edit::default();
        if self.setup.publication.live && !is_first {
            let (applied, trace) = trace::record(work);
            edit.applied = applied;
            edit.trace = Some(Arc::new(trace));
        } else {
            edit.applied = work();
        }
        if edit.applied.is_empty() {
            return edit;
        }
        edit.revision = host.revision();
        self.search_service
            .note(&edit.applied, before, edit.revision);
        if self.publisher.faults().is_present(ADDRESSES) {
            self.mend(Probe::Addresses);
        }
        edit.took = started.elapsed();
        edit.executed = self.meter.executed() - executed;
        if edit.paths().any(is_foundation) {
            self.follow_addresses();
        }
        if !is_first {
            self.meter.edits.record(edit.took);
            *lock(&self.last_edit) = Some(edit.clone());
        }
        if !is_first && edit.paths().any(is_picture) {
            self.readers.note_pictures();
        }
        // What they are told is what was written down last.
        self.readers.announce(edit.revision);
        if !is_first {
            (self.setup.hooks.on_publish)(&edit);
            // Whoever edits commits, too.
            self.note_appeared(&edit.applied.added);
            self.date_pages_later();
        }
        self.follow_pages(is_first);
        edit
    }

    /// Has the index take up what was published, beside everything else: pages are served in the
    /// meantime.
    fn follow_pages(self: &Arc<Self>, is_first: bool) {
        if self.setup.search.mode == IndexMode::Lazy || !self.search_service.call() {
            return;
        }
        let (search_service, id) = (self.search_service.clone(), self.id.clone());
        let counts = self.meter.clone();
        let core = Arc::downgrade(self);
        let pause = if is_first { Duration::ZERO } else { FOLLOW };
        let start = Instant::now() + pause;
        let follow = move || {
            // The pages themselves first: whoever searches waits for no more.
            let are_pages_found = search_service.answer()?.is_some();
            if are_pages_found {
                counts.found.record(start.elapsed());
            }
            let followed = search_service.follow_after(|| ())?;
            if !are_pages_found && !is_first && followed.is_some() {
                counts.found.record(start.elapsed());
            }
            if let Some(core) = core.upgrade()
                && core.publisher.faults().is_present(SEARCH)
            {
                core.mend(Probe::Search);
            }
            anyhow::Ok(followed)
        };
        let follow = move || match meter::in_background(follow) {
            Ok(None) => {}
            Ok(Some((_, followed))) => tracing::debug!(
                site = id,
                pages = followed.pages,
                passages = followed.passages,
                embedded = followed.embedded,
                ms = start.elapsed().as_secs_f64() * 1000.0,
                "the search index has followed"
            ),
            Err(error) => tracing::debug!(site = id, "the search index: {error:#}"),
        };
        self.runtime.spawn(async move {
            tokio::time::sleep(pause).await;
            tokio::task::spawn_blocking(follow);
        });
    }

    /// The addresses of the pages among a few `paths`: those that someone is looking at, most likely.
    fn routes_of(&self, paths: &[SitePath]) -> Vec<Route> {
        if paths.len() > 4 || !paths.iter().all(is_page) {
            return Vec::new();
        }
        let routes = self.publisher.host().read(|db, _| {
            let files = paths
                .iter()
                .filter_map(|path| queries::site::file_named(db, path));
            files
                .map(|file| queries::site::page_route(db, file).clone())
                .collect::<Vec<_>>()
        });
        routes.unwrap_or_default()
    }

    /// Fetches the specifications that the configuration names and that were not asked for yet; what was fetched before is
    /// there at once.
    fn follow_addresses(&self) {
        let host = self.publisher.host();
        let urls: BTreeSet<String> = fetch::urls(&host).into_iter().collect();
        let mut remote_specs = lock(&self.remote_specs);
        let is_new = urls.difference(&remote_specs.urls).next().is_some();
        self.setup.source.fetching.note_named(&urls);
        remote_specs.urls = urls;
        if !is_new || self.is_restoring.load(Ordering::Acquire) {
            return;
        }
        let policy = self.setup.source.fetching.clone();
        fetch::apply_cached(&host, &remote_specs.cache, &policy);
        self.publisher.refresh();
        let (cache, say) = (remote_specs.cache.clone(), self.setup.hooks.log.clone());
        let (publisher, readers) = (self.publisher.clone(), self.readers.clone());
        let search_service =
            (self.setup.search.mode != IndexMode::Lazy).then(|| self.search_service.clone());
        self.runtime.spawn(async move {
            fetch::refresh(&publisher.host(), &cache, &policy, &|what| say(what)).await;
            publisher.refresh();
            readers.announce(publisher.host().revision());
            if let Some(search_service) =
                search_service.filter(|search_service| search_service.call())
            {
                // Whoever searches next says what is wrong with it.
                let follow = move || {
                    meter::in_background(|| {
                        search_service.answer().is_ok()
                            && search_service.follow_after(|| ()).is_ok()
                    })
                };
                let _ = tokio::task::spawn_blocking(follow).await;
            }
        });
    }

    /// Fetches every specification that is remote_specs again. Nothing is published.
    pub(crate) async fn fetch_all(&self) -> Vec<FetchResult> {
        self.fetch_others(&BTreeSet::new()).await
    }

    /// Like [`Core::fetch_all`], but for those in `known`.
    pub(crate) async fn fetch_others(&self, known: &BTreeSet<&str>) -> Vec<FetchResult> {
        let mut urls = fetch::urls(&self.publisher.host());
        urls.retain(|url| !known.contains(url.as_str()));
        self.fetch(&urls).await
    }

    /// Fetches the specifications at `urls`. Nothing is published.
    pub(crate) async fn fetch(&self, urls: &[String]) -> Vec<FetchResult> {
        let cache = lock(&self.remote_specs).cache.clone();
        fetch::all(urls, &cache, &self.setup.source.fetching).await
    }
}

/// A pointer as people write it: `/paths/~1pets/get` is `paths./pets.get`.
fn dotted(pointer: &str) -> String {
    let segments = pointer.trim_start_matches('/').split('/');
    let segments = segments.map(|segment| segment.replace("~1", "/").replace("~0", "~"));
    segments.collect::<Vec<_>>().join(".")
}

/// Takes what the watch sees to the site.
struct SiteSink(Arc<Core>);

impl ChangeSink for SiteSink {
    fn files_under(&self, paths: &[&str]) -> BTreeSet<SitePath> {
        self.0.publisher.host().files_under(paths.iter().copied())
    }

    fn changed(
        &mut self,
        changes: Vec<FileChange>,
        open: &BTreeSet<SitePath>,
    ) -> BTreeMap<SitePath, ContentHash> {
        self.0
            .publish_as(changes, Adoption::WhenReadable(Some(open)));
        let held_back = self.0.publisher.host().held_back().into_iter();
        // Without its configuration a site is no site: however long it is broken, the last one that was whole is better.
        let held_back =
            held_back.filter(|(path, held_back)| !is_config(path) && held_back.is_unfinished());
        held_back
            .map(|(path, held_back)| (path, held_back.digest))
            .collect()
    }

    fn on_writes_finished(&mut self, changes: Vec<FileChange>) {
        self.0.publish_as(changes, Adoption::WhenReadable(None));
    }

    fn unreadable(&self) -> Vec<SitePath> {
        self.0.unreadable()
    }

    fn on_tick(&mut self) {
        self.0.follow_commits();
    }

    fn idle(&mut self) {
        // Few lowered files cost an edit nothing; many make it walk further than it must.
        let promoted = self.0.publisher.host().promote();
        tracing::debug!(
            site = self.0.id,
            "{promoted} edited files are durable again"
        );
        self.0.publisher.host().evict();
        self.0.setup.services.store.idle();
    }
}

/// Something no other page can guess. The keys of the standard hash maps come from the system's random source.
pub fn token() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let words: Vec<[u8; 8]> = (0..4)
        .map(|_| RandomState::new().build_hasher().finish().to_le_bytes())
        .collect();
    ContentHash::of(&words.concat()).short()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
