//! A site at one published revision, and what is served of it.

use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::base::path::{Route, SitePath};
use queries::site::{self, MachineText, Output, PageHtml, PageId, SourceFile};

use super::Core;
use quire_engine::archive;
use quire_engine::host::ReadError;
use quire_engine::publish::{PageReply, Snapshot};
use quire_engine::report::Report;

/// A site at one published revision. Cheap to clone.
#[derive(Clone)]
pub struct View {
    core: Arc<Core>,
    snapshot: Arc<Snapshot>,
}

impl View {
    pub(super) fn new(core: Arc<Core>) -> Self {
        let snapshot = core.publisher.snapshot();
        Self { core, snapshot }
    }

    /// Revision.
    pub fn revision(&self) -> u64 {
        self.snapshot.revision
    }

    /// Number of pages.
    pub fn page_count(&self) -> usize {
        self.snapshot.routes.pages.len()
    }

    /// The output at `path`, percent-decoded.
    pub fn resolve(&self, path: &str) -> Option<Output> {
        site::resolve(&*self.snapshot.routes, path)
    }

    /// The page at `route`.
    pub fn page_at(&self, route: &Route) -> Option<PageId> {
        self.snapshot.routes.pages.get(route).copied()
    }

    /// The first route of `page`.
    pub fn route_of(&self, page: PageId) -> Option<&Route> {
        let mut pages = self.snapshot.routes.pages.iter();
        pages.find(|(_, id)| **id == page).map(|(route, _)| route)
    }

    /// The page at `route`, if it is composed.
    pub fn composed(&self, route: &Route) -> Option<Arc<PageReply>> {
        self.core.publisher.composed(&self.snapshot, route)
    }

    /// The page at `route`. Blocks while it is composed.
    ///
    /// # Errors
    ///
    /// Returns why there is neither this version nor an older one.
    pub fn page(&self, route: &Route, page: PageId) -> Result<Arc<PageReply>, ReadError> {
        self.core.publisher.page(&self.snapshot, route, page)
    }

    /// The complete version of `page`; `None` if the ordinary one leaves out nothing. Blocks while
    /// it is composed.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be composed.
    pub fn whole_page(&self, page: PageId) -> Result<Option<PageHtml>, ReadError> {
        self.core.publisher.whole_page(&self.snapshot, page)
    }

    /// The page at `path` with the rows of a component; `None` if it does not exist. Blocks while
    /// it is composed.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be composed.
    pub fn rows_page(&self, path: &str) -> Result<Option<PageHtml>, ReadError> {
        self.core.publisher.rows_page(&self.snapshot, path)
    }

    /// The script at `path` with all links of a sidebar, and whether it is the current one. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be written.
    pub fn sidebar_script(&self, path: &str) -> Result<Option<(String, bool)>, ReadError> {
        let host = &self.snapshot.host;
        host.read(|db, current| site::sidebar_script(db, current, path))
    }

    /// The script of the components of a page and its digest; `None` if there are none. Blocks while it is compiled.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be compiled.
    pub fn islands(&self, file: SourceFile) -> Result<Option<(Arc<str>, ContentHash)>, ReadError> {
        let host = &self.snapshot.host;
        host.read(|db, _| {
            let islands = site::page_islands(db, file);
            Some((islands.script.clone(), islands.digest?))
        })
    }

    /// A text for programs, with absolute URLs that begin with `base`. Blocks while it is composed.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be composed.
    pub fn text(&self, text: MachineText, base: &str) -> Result<Option<String>, ReadError> {
        self.core.publisher.text(&self.snapshot, text, base)
    }

    /// The picture of a page as a PNG; `None` if what renders it fails. Blocks while it is
    /// rendered.
    ///
    /// # Errors
    ///
    /// Returns why its look or its texts cannot be computed.
    pub fn card(&self, page: PageId) -> Result<Option<Arc<[u8]>>, ReadError> {
        self.core.card(&self.snapshot, page)
    }

    /// The specifications in one archive. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why they cannot be read.
    pub fn archive(&self) -> Result<Vec<u8>, ReadError> {
        archive::of(&self.snapshot.host, &self.snapshot.routes.specs)
    }

    /// Path and digest of a file.
    ///
    /// # Errors
    ///
    /// Returns why the database does not answer.
    pub fn file(&self, file: SourceFile) -> Result<(SitePath, ContentHash), ReadError> {
        let host = &self.snapshot.host;
        host.read(|db, _| (file.path(db).clone(), file.digest(db)))
    }

    /// Reports of `page`, and those of the whole site. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why the database does not answer.
    pub fn reports(&self, page: PageId) -> Result<(Vec<Report>, Vec<Report>), ReadError> {
        self.snapshot.host.read(|db, site| {
            let of_page = Report::all(db, site::diagnostics_for_page(db, page));
            let of_site = Report::all(db, site::config_diagnostics(db, site));
            (of_page, of_site)
        })
    }
}
