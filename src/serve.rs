//! `quire serve`: what deployments have published, without sources, watch or database.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::daemon::{self, ADMINISTRATORS, Stop};
use crate::place::Place;
use quire_http::admin::Process;
use quire_http::rates::Rates;
use quire_http::router::{Entrance, Router};
use quire_http::server::{self, Limits};
use quire_net::relay::CurrentRelay;
use quire_settings::{Proxies, Settings};
use quire_site::served::ServedSites;
use quire_site::sites::Sites;
use quire_storage::Changes;

/// Pause between two looks at what was published in a folder.
const POLL: Duration = Duration::from_millis(20);
/// Pause between two looks at what was published on other machines: the owner of a bucket pays for each,
/// and a database tells of changes.
pub(crate) const SHARED_POLL: Duration = Duration::from_secs(1);

/// How many times as long as a look the pause after it is, at least, and the longest that it is for that.
const SHARE: u32 = 4;
const LONGEST: Duration = Duration::from_secs(1);

/// A server that listens and does not serve yet.
pub struct Server {
    /// Address of visitors.
    pub address: SocketAddr,
    /// Address of the administrator.
    pub admin: Option<SocketAddr>,
    listener: TcpListener,
    admin_listener: Option<TcpListener>,
    sites: Arc<ServedSites>,
    process: Arc<Process>,
    proxies: Proxies,
    rates: Arc<Rates>,
    limits: Limits,
    stop: watch::Sender<bool>,
    poll: Duration,
    /// Tells of what is published, if the storage does.
    changes: Option<Changes>,
    /// Folder of the indexes, if nobody named one.
    _cache: Option<TempDir>,
}

/// Reads what is published in `from`, the storage of a daemon, and listens.
/// `cache` is the folder of search indexes and of objects from other machines; without it a temporary one.
///
/// # Errors
///
/// Fails if the place cannot be read, or an address is taken.
pub fn start(settings: &Settings, from: &Place, cache: Option<&Path>) -> anyhow::Result<Server> {
    let temporary = match cache {
        Some(_) => None,
        None => Some(tempfile::tempdir().context("make a folder for search indexes")?),
    };
    let folder = match (&temporary, cache) {
        (Some(temporary), _) => temporary.path(),
        (None, folder) => folder.context("no folder for search indexes")?,
    };
    if let Place::Folder(folder) = from {
        // A folder that is not there is empty storage.
        fs::read_dir(folder).with_context(|| format!("read the folder {from}"))?;
    }
    let storage = from.read(Some(folder))?;
    let poll = match from.is_shared() {
        true => SHARED_POLL,
        false => POLL,
    };
    // Before anything is read: what is published meanwhile is told.
    let changes = storage.changes();
    let sites = Arc::new(ServedSites::new(storage, folder));
    let listener = daemon::bind(settings.listen.address)?;
    let admin_listener = settings.listen.admin.map(daemon::bind).transpose()?;
    let process = Arc::new(Process::default());
    sites.refresh().with_context(|| format!("read {from}"))?;
    if sites.all().is_empty() && sites.failures().is_empty() {
        tracing::warn!(
            "{from}: nothing was deployed here yet; answering 503 until a daemon deploys a site to it"
        );
    }
    process.is_ready.store(true, Ordering::Release);
    Ok(Server {
        address: listener.local_addr()?,
        admin: (admin_listener.as_ref())
            .map(TcpListener::local_addr)
            .transpose()?,
        listener,
        admin_listener,
        sites,
        process,
        proxies: Proxies::read(&settings.listen.proxies).unwrap_or_default(),
        rates: Arc::new(daemon::rates(settings)),
        limits: daemon::limits(&settings.limits),
        stop: watch::Sender::new(false),
        poll,
        changes,
        _cache: temporary,
    })
}

impl Server {
    /// Handle that ends it.
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }

    /// Sites.
    pub fn sites(&self) -> &Arc<ServedSites> {
        &self.sites
    }

    /// Serves until it is stopped.
    pub async fn serve(self) {
        let nothing = Arc::new(Sites::new(None));
        let router = |entrance| {
            Arc::new(Router {
                sites: nothing.clone(),
                served: Some(self.sites.clone()),
                process: self.process.clone(),
                relay: Arc::new(CurrentRelay::default()),
                proxies: self.proxies.clone(),
                rates: Some(self.rates.clone()),
                entrance,
                serves_sites: true,
                is_draft: false,
            })
        };
        let stopped = |stop: &watch::Sender<bool>| {
            let mut stop = stop.subscribe();
            async move {
                // The sender is gone only with the server.
                let _ = stop.wait_for(|stop| *stop).await;
            }
        };
        daemon::notify("READY=1");
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(daemon::watchdog());
        tasks.spawn(follow(self.sites.clone(), self.poll, self.changes));
        let admin = self.admin_listener.map(|listener| {
            tokio::spawn(server::serve(
                listener,
                router(Entrance::Admin),
                self.limits.of_administrators(ADMINISTRATORS),
                stopped(&self.stop),
            ))
        });
        let stopping = async {
            stopped(&self.stop).await;
            tracing::info!("shutting down; waiting for in-flight requests to finish");
            daemon::notify("STOPPING=1");
        };
        let public = router(Entrance::Public);
        server::serve(self.listener, public, self.limits, stopping).await;
        if let Some(admin) = admin {
            // It was stopped with the other.
            let _ = admin.await;
        }
        tasks.shutdown().await;
        tracing::info!("stopped");
    }
}

/// Takes up what is published, for as long as the server runs.
async fn follow(sites: Arc<ServedSites>, poll: Duration, mut changes: Option<Changes>) {
    let mut is_unreadable = false;
    loop {
        let began = Instant::now();
        let looking = sites.clone();
        let looked = tokio::task::spawn_blocking(move || looking.refresh()).await;
        match looked
            .map_err(anyhow::Error::from)
            .and_then(|looked| looked)
        {
            Ok(changed) => {
                is_unreadable = false;
                for id in changed {
                    let deployment = sites.get(&id).map_or(0, |site| site.deployment);
                    tracing::info!(site = id, deployment, "serving what was published");
                }
            }
            Err(error) if !is_unreadable => {
                is_unreadable = true;
                tracing::error!("serving what was published before: {error:#}");
            }
            Err(_) => {}
        }
        // What could not be loaded is not tried again at once.
        let poll = match sites.failures().is_empty() {
            true => poll,
            false => poll.max(SHARED_POLL),
        };
        pause(began, poll, &mut changes).await;
    }
}

/// Waits after a look that began at `began`: for `poll` or [`SHARE`] times as long as it took, or until the
/// storage tells of a change, and at least as long as it took.
pub(crate) async fn pause(began: Instant, poll: Duration, changes: &mut Option<Changes>) {
    // One that waited for a storage out of reach has cost nothing.
    let took = began.elapsed().min(LONGEST);
    let until = tokio::time::Instant::now() + poll.max((took * SHARE).min(LONGEST));
    tokio::time::sleep(took).await;
    tokio::select! {
        () = tokio::time::sleep_until(until) => {}
        () = told(changes) => {}
    }
}

/// Waits until the storage tells of a change; forever if it tells nothing.
async fn told(changes: &mut Option<Changes>) {
    if let Some(tells) = changes
        && tells.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}
