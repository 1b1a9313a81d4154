//! Verbs of a site for handlers, tools and commands. Publisher, search service and open pages stay behind them.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Instant;

use queries::base::content::ContentHash;
use queries::base::path::{Route, SitePath};
use queries::base::place::Located;
use queries::site::{self, Db, Site, theme_config};
use tokio::sync::mpsc::Sender;
use tokio::sync::watch;
use tokio::task::JoinError;

use super::{Core, Edit, OwnFile, Probe, Source, Synced, View};
use crate::analytics::Analytics;
use crate::feedback::Feedback;
use quire_assistant::model::{self, Model};
use quire_assistant::{Conversation, Failed, Reply, respond};
use quire_engine::faults::{ADDRESSES, PROGRAMS, SEARCH};
use quire_engine::host::{FileChange, ReadError, SiteHost};
use quire_engine::meter::Meter;
use quire_engine::publish::Publisher;
use quire_engine::unfinished::HeldBack;
use quire_search::embedder;
use quire_search::index::{Answer, Filter};
use quire_search::search_service::{SearchQuery, Size, Wait};
use quire_settings::{AssistantSettings, McpSettings};

/// A site that is served. Cheap to clone.
#[derive(Clone)]
pub struct SiteHandle {
    core: Arc<Core>,
}

/// State of a site, for its operator.
#[derive(Clone, Debug)]
pub struct Status {
    /// Published revision.
    pub revision: u64,
    /// Number of pages.
    pub pages: usize,
    /// Number of errors, as counted last.
    pub errors: usize,
    /// Number of warnings, as counted last.
    pub warnings: usize,
    /// Documents whose last content is served: unfinished or unreadable ones, by path.
    pub held_back: Vec<HeldBack>,
    /// Size of the search index.
    pub search: Size,
    /// Progress of the embedder, and the number of passages that wait for it.
    pub embedder: Option<(embedder::Status, usize)>,
    /// Counters of the language model.
    pub model: Option<model::Status>,
    /// The last published change.
    pub last_edit: Option<Edit>,
    /// Scopes that fail at present, with the message of the panic.
    pub faults: Vec<(String, String)>,
    /// Number of faults since the start.
    pub faults_seen: u64,
    /// Number of databases that were rebuilt after a fault.
    pub rebuilt: u64,
}

/// Reason for which a site shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unservable {
    /// Its addresses were never computed, because of a fault.
    Faulty,
    /// No page can be rendered.
    NoPage(ReadError),
}

impl std::fmt::Display for Unservable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Faulty => f.write_str("cannot be served because of a fault"),
            Self::NoPage(why) => write!(f, "shows no page: {why}"),
        }
    }
}

/// Identity and settings.
impl SiteHandle {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// Id.
    pub fn id(&self) -> &str {
        &self.core.id
    }

    /// The name of the site by its configuration.
    pub fn name(&self) -> Option<String> {
        self.read(|db, site| theme_config(db, site).name.clone())
            .ok()
    }

    /// Origin of the files, for people.
    pub fn root(&self) -> String {
        match &self.core.setup.source.files {
            Source::Folder(folder) => folder.display().to_string(),
            Source::Tree(tree) => tree.to_string(),
        }
    }

    /// The address of the site, if it is configured.
    pub fn base_url(&self) -> Option<&str> {
        self.core.setup.publication.base_url.as_deref()
    }

    /// Returns true if visitors get this site, and it is no preview.
    pub fn is_published(&self) -> bool {
        self.core.setup.publication.published
    }

    /// Returns true if the content comes from an untrusted author; its scripts are not run.
    pub fn is_untrusted(&self) -> bool {
        self.core.setup.publication.untrusted
    }

    /// Returns true if the specifications are mocked.
    pub fn has_mock(&self) -> bool {
        self.core.setup.publication.mock
    }

    /// Settings of the assistant.
    pub fn assistant(&self) -> &AssistantSettings {
        &self.core.setup.services.assistant
    }

    /// The language model that writes the answers of the assistant.
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.core.setup.services.model.as_ref()
    }

    /// Settings of the MCP server.
    pub fn mcp(&self) -> McpSettings {
        self.core.setup.services.mcp
    }

    /// Feedback of readers.
    pub fn feedback(&self) -> &Arc<Feedback> {
        &self.core.setup.services.feedback
    }

    /// Counts of what is read and searched for on the site, if it is counted.
    pub fn analytics(&self) -> Option<&Arc<Analytics>> {
        self.core.setup.services.analytics.as_ref()
    }
}

/// Content.
impl SiteHandle {
    /// The site as it is published now.
    pub fn view(&self) -> View {
        View::new(self.core.clone())
    }

    /// Asks the database. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why the question was not answered.
    pub fn read<T>(&self, ask: impl Fn(&dyn Db, Site) -> T) -> Result<T, ReadError> {
        (self.core.publisher.host()).read(|db, site| ask(db, site))
    }

    /// Asks the database for a program; a panic becomes a fault of the MCP server. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why the question was not answered.
    pub fn read_for_program<T>(&self, ask: impl Fn(&dyn Db, Site) -> T) -> Result<T, ReadError> {
        self.core.publisher.read_noting(PROGRAMS, ask)
    }

    /// The database, for several questions about the same pages.
    pub fn host(&self) -> Arc<SiteHost> {
        self.core.publisher.host()
    }

    /// HTML and Content-Security-Policy of the page that says that there is nothing at `path`. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be rendered.
    pub fn not_found(&self, path: &str) -> Result<(String, String), ReadError> {
        let html = self.core.publisher.not_found(path)?;
        let (is_published, is_untrusted) = (self.is_published(), self.is_untrusted());
        let policy =
            self.read(|db, site| site::content_policy(db, site, is_published, is_untrusted))?;
        Ok((html, policy))
    }

    /// The file of the site at `path`, for sending; `None` when it is gone. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be opened.
    pub fn open_file(&self, path: &SitePath) -> io::Result<Option<OwnFile>> {
        self.core.open_file(path)
    }

    /// Number that distinguishes pages of this site from others with the same digest
    /// ([`Publisher::variant`]).
    pub fn variant(&self) -> u64 {
        self.core.publisher.variant()
    }

    /// Digest of a page as it is sent. Pages of a preview hold a token of this run, so a page of
    /// the run before must not count as current.
    pub fn digest_of_run(&self, digest: ContentHash) -> ContentHash {
        match self.core.setup.publication.live {
            true => {
                let token = self.core.readers.token();
                ContentHash::of(format!("{} {token}", digest.short()).as_bytes())
            }
            false => digest,
        }
    }

    /// Rebuilds the database in the background if the page at `route` is known to fail.
    pub fn mend_page(&self, route: &Route) {
        if self.core.publisher.faults().is_present(route.as_str()) {
            self.core.mend(Probe::Page(route.clone()));
        }
    }

    /// Applies `changes`, publishes what they make of the site, and announces it. Blocks.
    pub fn publish(&self, changes: Vec<FileChange>) -> Edit {
        self.core.publish(changes)
    }
}

/// Questions of readers and programs.
impl SiteHandle {
    /// Answers a search from the site as it is now. Blocks until the index has followed.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be read.
    pub fn find(&self, query: &SearchQuery) -> anyhow::Result<Answer> {
        self.core.search_service.find(query)
    }

    /// End of the wait of a request that comes now, if it has one.
    pub fn due(&self, wait: Wait) -> Option<Instant> {
        self.core.search_service.due(wait)
    }

    /// The revision that an answer comes from which names none, if files that were written before
    /// its question were not published by its deadline.
    pub fn earlier_revision(&self, synced: Synced) -> Option<u64> {
        match synced.is_published {
            true => None,
            false => *self.revisions().borrow(),
        }
    }

    /// Runs `work` on a blocking thread once a permit of the site is free, and once the index has
    /// followed or `due` has passed.
    ///
    /// # Errors
    ///
    /// Fails if `work` panicked.
    pub async fn run_blocking<T: Send + 'static>(
        &self,
        due: Option<Instant>,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let me = self.clone();
        (self.core.search_service)
            .run_blocking(due, move |_| work(&me))
            .await
    }

    /// Answers the last question of `conversation`, with what is indexed by the deadline of
    /// `synced`; the text is told to `tell` as it comes.
    ///
    /// # Errors
    ///
    /// Returns why there is no answer, or no more of the one that was told.
    pub async fn answer(
        &self,
        conversation: Conversation,
        synced: Synced,
        tell: Option<&Sender<String>>,
    ) -> Result<Reply, Failed> {
        let search = &self.core.search_service;
        let mut reply = respond(search, self.model(), conversation, synced.due, tell).await?;
        let state = &mut reply.state;
        if state.indexing.is_none() {
            state.revision = state.revision.or_else(|| self.earlier_revision(synced));
        }
        Ok(reply)
    }

    /// Counts a request of `client` to the MCP server.
    ///
    /// # Errors
    ///
    /// Returns the seconds until it may send one again.
    pub fn admit_request(&self, client: IpAddr, now: Instant) -> Result<(), u64> {
        self.core.programs.requests.enter(client, now)?;
        self.core.programs.requests.leave(client);
        Ok(())
    }

    /// Counts a call of a tool, by whichever client.
    ///
    /// # Errors
    ///
    /// Returns the seconds until one is admitted again.
    pub fn admit_call(&self, now: Instant) -> Result<(), u64> {
        // All clients of the site together.
        let all = Ipv4Addr::UNSPECIFIED.into();
        self.core.programs.calls.enter(all, now)?;
        self.core.programs.calls.leave(all);
        Ok(())
    }
}

/// Open pages.
impl SiteHandle {
    /// The revisions to come; `None` is the end of the site.
    pub fn revisions(&self) -> watch::Receiver<Option<u64>> {
        self.core.readers.subscribe()
    }

    /// Returns true if this run served a page with `token`.
    pub fn has_served(&self, token: &str) -> bool {
        token == self.core.readers.token()
    }

    /// Number of changes of pictures.
    pub fn pictures(&self) -> u64 {
        self.core.readers.pictures()
    }

    /// The last change that was published.
    pub fn last_edit(&self) -> Option<Edit> {
        super::lock(&self.core.last_edit).clone()
    }

    /// Documents whose last content is served: unfinished or unreadable ones, by path.
    pub fn held_back(&self) -> Vec<HeldBack> {
        (self.core.publisher.host().held_back().into_values()).collect()
    }

    /// The link that opens a place of the site in the editor of its author, if there is one.
    pub fn link_to(&self, place: &Located) -> Option<String> {
        let Source::Folder(folder) = &self.core.setup.source.files else {
            return None;
        };
        let editor = (self.core.setup.services.editor).filter(|_| !place.path.is_url())?;
        let file = std::path::absolute(folder.join(place.path.as_str())).ok()?;
        editor.link(&file, place.line, place.column)
    }
}

/// Administration.
impl SiteHandle {
    /// State of the site, without counting diagnostics again.
    pub fn status(&self) -> Status {
        let core = &self.core;
        let view = self.view();
        let (errors, warnings) = self.counted_diagnostics();
        let search = &core.search_service;
        let faults = core.publisher.faults();
        let (faults_seen, rebuilt) = faults.counts();
        Status {
            revision: view.revision(),
            pages: view.page_count(),
            errors,
            warnings,
            held_back: self.held_back(),
            search: search.size(),
            embedder: search
                .other()
                .map(|other| (other.status(), search.waiting())),
            model: self.model().map(|model| model.status()),
            last_edit: self.last_edit(),
            faults: faults.present(),
            faults_seen,
            rebuilt,
        }
    }

    /// Renders a page and searches; returns what is wrong with the site, which is served all the
    /// same. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why it cannot show any page.
    pub fn examine(&self) -> Result<Vec<String>, Unservable> {
        let publisher = &self.core.publisher;
        let snapshot = publisher.snapshot();
        if publisher.faults().is_present(ADDRESSES) && snapshot.routes.pages.is_empty() {
            return Err(Unservable::Faulty);
        }
        (publisher.draw_some(&snapshot)).map_err(Unservable::NoPage)?;
        let search_query = SearchQuery {
            query: self.name().unwrap_or_default(),
            semantic: false,
            limit: 1,
            filter: Filter::default(),
            sections: false,
        };
        let present = publisher.faults().present().into_iter();
        let mut wrong: Vec<String> = present.map(|(what, _)| what).collect();
        if let Err(why) = self.core.search_service.find_current(&search_query) {
            let is_said = wrong.iter().any(|what| what == SEARCH);
            wrong.extend((!is_said).then(|| format!("{SEARCH}: {why:#}")));
        }
        let held_back = self.held_back().into_iter();
        let unread = held_back.filter(|held_back| !held_back.is_unfinished());
        wrong.extend(unread.map(|held_back| held_back.report.diagnostic.message));
        Ok(wrong)
    }

    /// Returns the numbers of errors and warnings of the whole site, counted again after a change.
    /// May render pages.
    pub fn count_diagnostics(&self) -> (usize, usize) {
        self.core.count_diagnostics()
    }

    /// Errors and warnings as they were counted last.
    pub fn counted_diagnostics(&self) -> (usize, usize) {
        let (_, errors, warnings) = *super::lock(&self.core.diagnostic_counts);
        (errors, warnings)
    }

    /// Meter of the engine.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.core.meter
    }

    /// Blocks until every page was rendered for the search index, or need not be.
    pub fn wait_for_first_round(&self) {
        self.core.search_service.wait_for_first_round();
    }

    /// What is behind [`SiteHandle::view`], for tests that look at it.
    #[doc(hidden)]
    pub fn publisher(&self) -> &Arc<Publisher> {
        &self.core.publisher
    }
}
