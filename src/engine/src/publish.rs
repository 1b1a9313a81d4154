//! The published site: an immutable snapshot of the current revision, replaced in one step.
//!
//! A snapshot knows every address of the site. Pages are composed when they are first asked for; if that fails, the
//! last good version of the page is served.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use dashmap::DashMap;
use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{
    self, CardLook, Db, MachineText, PageHtml, PageId, PageOptions, RouteTable, Site, SiteOrigin,
};
use queries::theme::card::Card;

use crate::faults::{ADDRESSES, CARDS, Faults, TEXTS};
use crate::host::{AppliedChanges, FileChange, ReadError, SiteHost};
use crate::meter::Meter;
use crate::unfinished::Adoption;
use quire_storage::allocator as memory;
use quire_storage::crash_point;

/// Maximum size of the cache of composed pages, in bytes; evicted pages are composed again.
const CACHE_BYTES: usize = 32 << 20;

/// The published site.
pub struct Publisher {
    host: RwLock<Arc<SiteHost>>,
    options: PageOptions,
    snapshot: RwLock<Arc<Snapshot>>,
    last_good: PageCache,
    faults: Arc<Faults>,
    meter: Arc<Meter>,
    variant: u64,
    /// The published revision, for tasks that wait for it.
    published: Mutex<u64>,
    publishing: Condvar,
}

/// The next [`Publisher::variant`].
static VARIANTS: AtomicU64 = AtomicU64::new(2);

/// Number of pages that are tried to find one that can be rendered.
const SOME: usize = 3;

/// Maximum wait of a page that is newer than the published addresses.
const CATCH_UP: Duration = Duration::from_secs(2);

/// The site as it was at one revision.
pub struct Snapshot {
    /// The host whose database knows the pages of `routes`.
    pub host: Arc<SiteHost>,
    /// The revision of the host.
    pub revision: u64,
    /// Every address.
    pub routes: Arc<RouteTable>,
    pages: PageCache,
}

/// A page as it is sent.
#[derive(Clone, Debug)]
pub struct PageReply {
    /// The HTML.
    pub html: Bytes,
    /// The digest of the page, without what the preview adds.
    pub digest: ContentHash,
    /// The Content-Security-Policy that it is sent with.
    pub policy: Option<String>,
    /// Whether page views are counted.
    pub is_counted: bool,
    /// Whether this is an older version, because the present one cannot be rendered.
    pub is_stale: bool,
}

/// Pages by route, bounded in bytes. Only routes of the site are cached, so clients cannot fill it.
#[derive(Default)]
struct PageCache {
    pages: DashMap<Route, Arc<PageReply>>,
    bytes: AtomicUsize,
}

impl PageCache {
    fn get(&self, route: &Route) -> Option<Arc<PageReply>> {
        self.pages.get(route).map(|page| page.clone())
    }

    fn put(&self, route: Route, page: Arc<PageReply>) {
        let len = page.html.len();
        if self.bytes.fetch_add(len, Ordering::Relaxed) + len > CACHE_BYTES {
            self.pages.clear();
            self.bytes.store(len, Ordering::Relaxed);
        }
        if let Some(replaced) = self.pages.insert(route, page) {
            let gone = replaced.html.len();
            let less = |bytes: usize| Some(bytes.saturating_sub(gone));
            let _ = self
                .bytes
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        }
    }
}

impl Publisher {
    /// Publishes what `host` holds now.
    pub fn new(host: Arc<SiteHost>, options: PageOptions, meter: Arc<Meter>) -> Self {
        let empty = Snapshot {
            host: host.clone(),
            revision: 0,
            routes: Arc::default(),
            pages: PageCache::default(),
        };
        let publisher = Self {
            host: RwLock::new(host),
            options,
            snapshot: RwLock::new(Arc::new(empty)),
            last_good: PageCache::default(),
            faults: Arc::default(),
            meter,
            variant: VARIANTS.fetch_add(2, Ordering::Relaxed),
            published: Mutex::new(0),
            publishing: Condvar::new(),
        };
        publisher.refresh();
        publisher
    }

    /// The host behind it.
    pub fn host(&self) -> Arc<SiteHost> {
        let host = self.host.read().unwrap_or_else(PoisonError::into_inner);
        host.clone()
    }

    /// Publishes what `host` holds from now on. It must be at the same revision or a later one.
    pub fn replace_host(&self, host: Arc<SiteHost>) {
        *self.host.write().unwrap_or_else(PoisonError::into_inner) = host;
        self.refresh();
    }

    /// Faults of the program in this site.
    pub fn faults(&self) -> &Arc<Faults> {
        &self.faults
    }

    /// Current snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Applies `changes` and publishes what they make of the site.
    pub fn publish(&self, changes: Vec<FileChange>) -> AppliedChanges {
        self.publish_as(changes, Adoption::AsItIs)
    }

    /// Like [`Publisher::publish`], but holds back what `adoption` does not take.
    pub fn publish_as(&self, changes: Vec<FileChange>, adoption: Adoption<'_>) -> AppliedChanges {
        let applied = self.host().apply_as(changes, adoption);
        if !applied.is_empty() {
            crash_point::reach("change-applied");
            self.refresh();
            crash_point::reach("change-published");
        }
        applied
    }

    /// Publishes the present revision. If its addresses cannot be computed, the last ones stay.
    pub fn refresh(&self) {
        let host = self.host();
        let revision = host.revision();
        let routes = match host.read(|db, site| Arc::clone(site::route_table(db, site))) {
            Ok(routes) => {
                self.faults.clear(ADDRESSES);
                let is_page = |route: Route| routes.pages.contains_key(&route);
                self.faults
                    .retain_pages(|route| Route::new(route).is_some_and(is_page));
                routes
            }
            Err(error) => {
                tracing::error!(
                    "failed to compute the routes of the site: {error:?}; keeping the previous ones"
                );
                self.faults.note(ADDRESSES, &error);
                let last = self.snapshot();
                if !Arc::ptr_eq(&last.host, &host) {
                    // Its pages are those of another database, which is still there.
                    return;
                }
                last.routes.clone()
            }
        };
        let snapshot = Snapshot {
            host,
            revision,
            routes,
            pages: PageCache::default(),
        };
        *self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        let mut published = self
            .published
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *published = revision.max(*published);
        self.publishing.notify_all();
        memory::start_purger();
    }

    /// Waits until `revision` is published, so that a client that has seen a page of it gets no
    /// older one afterwards.
    fn wait_for(&self, revision: u64) {
        let published = self
            .published
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .publishing
            .wait_timeout_while(published, CATCH_UP, |published| *published < revision);
        // If it does not come, the page is still a whole one.
        drop(waited);
    }

    /// Options of its pages.
    pub fn options(&self) -> &PageOptions {
        &self.options
    }

    /// Number that distinguishes pages of this site from others with the same digest: additions of
    /// previews are not part of the digest. The next number is free for whole pages.
    pub fn variant(&self) -> u64 {
        self.variant
    }

    /// The page at `route`, if it is composed.
    pub fn composed(&self, snapshot: &Snapshot, route: &Route) -> Option<Arc<PageReply>> {
        let page = snapshot.pages.get(route)?;
        self.meter.page_hits.fetch_add(1, Ordering::Relaxed);
        Some(page)
    }

    /// The page at `route`. Blocks while it is composed.
    pub fn page(
        &self,
        snapshot: &Snapshot,
        route: &Route,
        page: PageId,
    ) -> Result<Arc<PageReply>, ReadError> {
        if let Some(page) = self.composed(snapshot, route) {
            return Ok(page);
        }
        self.meter.page_misses.fetch_add(1, Ordering::Relaxed);
        let host = &snapshot.host;
        let composed = host.read(|db, site| site::page_html(db, site, page, &self.options));
        match composed {
            Ok(page) => {
                host.note_drawn();
                self.faults.clear(route.as_str());
                let reply = PageReply {
                    html: Bytes::from(page.html),
                    digest: page.digest,
                    policy: page.policy,
                    is_counted: page.is_counted,
                    is_stale: false,
                };
                let reply = Arc::new(reply);
                // A file had changed unseen: its addresses are published with it.
                if host.take_resynced() {
                    self.refresh();
                }
                // A write may have come between: then the page is newer than the snapshot and not remembered.
                let revision = host.revision();
                if revision == snapshot.revision {
                    snapshot.pages.put(route.clone(), reply.clone());
                } else {
                    self.wait_for(revision);
                }
                self.last_good.put(route.clone(), reply.clone());
                Ok(reply)
            }
            Err(error) => {
                tracing::error!("{route}: {error:?}; serving the last good version");
                self.faults.note(route.as_str(), &error);
                let last = self.last_good.get(route).ok_or(error)?;
                Ok(Arc::new(PageReply {
                    is_stale: true,
                    ..(*last).clone()
                }))
            }
        }
    }

    /// Renders a page of `snapshot`, any that can be of the first few. An error if there are pages
    /// and none of them can be; nothing that was rendered before is taken for that.
    pub fn draw_some(&self, snapshot: &Snapshot) -> Result<(), ReadError> {
        let mut last = Ok(());
        for page in snapshot.routes.pages.values().take(SOME) {
            let drawn =
                (snapshot.host).read(|db, site| site::page_html(db, site, *page, &self.options));
            match drawn {
                Ok(_) => return Ok(()),
                Err(error) => last = Err(error),
            }
        }
        last
    }

    /// A text for programs, with absolute URLs that begin with `base`. Blocks while it is composed.
    pub fn text(
        &self,
        snapshot: &Snapshot,
        text: MachineText,
        base: &str,
    ) -> Result<Option<String>, ReadError> {
        let mcp = self.options.mcp.as_deref();
        let ask = |db: &dyn Db, site| site::machine_text(db, site, text, SiteOrigin { base, mcp });
        self.read_logged(TEXTS, &snapshot.host, ask)
    }

    /// Look and content of the card of `page`. Blocks while they are computed.
    pub fn card(&self, snapshot: &Snapshot, page: PageId) -> Result<(CardLook, Card), ReadError> {
        self.read_logged(CARDS, &snapshot.host, |db, site| {
            let look = site::card_look(db, site).clone();
            (look, site::page_card(db, page).clone())
        })
    }

    /// Asks the current database; a panic becomes a fault in the scope `what`, which an answer
    /// clears. Blocks.
    pub fn read_noting<T>(
        &self,
        what: &str,
        ask: impl Fn(&dyn Db, Site) -> T,
    ) -> Result<T, ReadError> {
        self.read_logged(what, &self.host(), ask)
    }

    fn read_logged<T>(
        &self,
        what: &str,
        host: &SiteHost,
        ask: impl Fn(&dyn Db, Site) -> T,
    ) -> Result<T, ReadError> {
        let answer = host.read(|db, site| ask(db, site));
        match &answer {
            Ok(_) => self.faults.clear(what),
            Err(error) => self.faults.note(what, error),
        }
        answer
    }

    /// Returns the complete version of `page` for visitors; `None` if the ordinary one leaves out
    /// nothing. Blocks while it is composed.
    pub fn whole_page(
        &self,
        snapshot: &Snapshot,
        page: PageId,
    ) -> Result<Option<PageHtml>, ReadError> {
        let options = PageOptions {
            preview_token: None,
            ..self.options.clone()
        };
        let host = &snapshot.host;
        host.read(|db, site| site::whole_page_html(db, site, page, &options))
    }

    /// Returns the page at `path` with the rows of a component for visitors; `None` if it does not
    /// exist. Blocks while it is composed.
    pub fn rows_page(
        &self,
        snapshot: &Snapshot,
        path: &str,
    ) -> Result<Option<PageHtml>, ReadError> {
        let options = PageOptions {
            preview_token: None,
            ..self.options.clone()
        };
        snapshot.host.read(|db, site| {
            let (rows, language) = site::rows_at(db, site, path)?;
            Some(site::rows_html(db, site, rows, &language, &options))
        })
    }

    /// The page that says that there is nothing at `route`.
    pub fn not_found(&self, route: &str) -> Result<String, ReadError> {
        self.host()
            .read(|db, site| site::not_found_html(db, site, route, &self.options))
    }

    /// The digest of each of `routes`, as a page that shows it should know it.
    pub fn digests(&self, routes: &[Route]) -> BTreeMap<Route, ContentHash> {
        let snapshot = self.snapshot();
        let mut digests = BTreeMap::new();
        for route in routes {
            if let Some(page) = snapshot.routes.pages.get(route)
                && let Ok(page) = self.page(&snapshot, route, *page)
            {
                digests.insert(route.clone(), page.digest);
            }
        }
        digests
    }
}
