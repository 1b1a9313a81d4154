//! `quire daemon`: many sites in one process, for as long as the machine runs.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::control::{self, StateFolder};
use crate::place::Place;
use crate::serve::{SHARED_POLL, pause};
use quire_http::admin::{self, Process};
use quire_http::rates::{PerMinute, Rates, Requests};
use quire_http::router::{Entrance, Router};
use quire_http::server::{self, HELD, Limits};
use quire_net::relay::{CurrentRelay, Relay};
use quire_settings::{self as settings, Proxies, RelaySettings, Role, Settings};
use quire_site::sites::Sites;
use quire_site::sites::deploy::{self, Part};
use quire_source::fetch::FetchPolicy;
use quire_storage::{Kind, Lease, Storage, Term, wait};

/// Interval of the search for idle sites.
const SWEEP: Duration = Duration::from_secs(30);

/// Longest line that is taken from the socket.
const MAX_LINE: u64 = 1024;

/// How long a daemon that stops waits until what it has made and counted is written.
const KEEPING: Duration = Duration::from_secs(10);

/// How long it waits until others may write backups to its storage.
const RELEASING: Duration = Duration::from_secs(5);

/// A daemon that listens and does not serve yet.
pub struct Daemon {
    /// Where visitors find it.
    pub address: SocketAddr,
    /// Where the administrator finds it.
    pub admin: Option<SocketAddr>,
    state: StateFolder,
    /// Keeps backups from the storage that it publishes to in place of the state folder, if any.
    shared: Option<JoinHandle<()>>,
    /// Where administrators come in; `None` if there is no room for it.
    socket: Option<UnixListener>,
    listener: TcpListener,
    admin_listener: Option<TcpListener>,
    sites: Arc<Sites>,
    process: Arc<Process>,
    relay: Arc<CurrentRelay>,
    settings: Settings,
    /// The file that is read again when that is asked for.
    config: Option<PathBuf>,
    stop: watch::Sender<bool>,
}

/// Ends a daemon.
#[derive(Clone)]
pub struct Stop(pub(crate) watch::Sender<bool>);

impl Stop {
    /// Asks it to end; running requests do first.
    pub fn now(&self) {
        self.0.send_replace(true);
    }
}

/// Takes the state folder and listens. `config` is the file that `settings` came from.
pub async fn start(settings: Settings, config: Option<PathBuf>) -> anyhow::Result<Daemon> {
    settings.check()?;
    FetchPolicy::of_site(&settings.fetch.allow).context("fetch")?;
    let folder = match &settings.state {
        Some(folder) => folder.clone(),
        None => control::default_state()?,
    };
    let relay = Arc::new(Relay::of(&settings.relay)?.into());
    let state = StateFolder::take(&folder)?;
    let socket = match state.closed() {
        None => state.listen().map_err(|error| {
            tracing::warn!("`quire status` and `quire stop` are unavailable: {error:#}");
        }),
        Some(why) => {
            let rest = match Place::of(&settings.storage) {
                None => "serving sites and reading the cache, but rejecting deployments".to_owned(),
                Some(place) => format!(
                    "publishing to {place} all the same, but caching nothing, and fetching no repository"
                ),
            };
            tracing::error!("{why}; {rest}; `quire status` and `quire stop` are unavailable");
            Err(())
        }
    };
    let listener = bind(settings.listen.address)?;
    let admin_listener = match settings.listen.admin {
        Some(address) => Some(bind(address)?),
        None => None,
    };
    let shared = match Place::of(&settings.storage) {
        Some(place) => {
            let local = state.closed().is_none().then(|| state.path());
            let storage = place.write(local).context("storage")?;
            check_backup(&*storage, &place).context("storage")?;
            Some(storage)
        }
        None => None,
    };
    let part = match (&shared, settings.storage.role) {
        (None, _) => Part::Alone,
        (Some(_), Role::All | Role::Build) => Part::Shared,
        (Some(_), Role::Serve) => Part::Follower,
    };
    let sites = match (&shared, state.closed()) {
        (Some(storage), closed) => Sites::published_in(storage.clone(), state.path(), closed),
        (None, None) => Sites::new(Some(state.path())),
        (None, Some(why)) => Sites::read_only(state.path(), why),
    };
    let sites = Arc::new(sites.taking_part(part));
    let stop = watch::Sender::new(false);
    // Before lists are read, which takes a while.
    let shared = shared.map(|storage| tokio::spawn(guard(storage, stopped(&stop))));
    sites.configure(&settings);
    Ok(Daemon {
        address: listener.local_addr()?,
        admin: admin_listener
            .as_ref()
            .map(TcpListener::local_addr)
            .transpose()?,
        state,
        shared,
        socket: socket.ok(),
        listener,
        admin_listener,
        sites,
        process: Arc::default(),
        relay,
        settings,
        config,
        stop,
    })
}

/// Waits until `stop` says so, or its owner is gone.
fn stopped(stop: &watch::Sender<bool>) -> impl Future<Output = ()> + Send + use<> {
    let mut stop = stop.subscribe();
    async move {
        let _ = stop.wait_for(|stop| *stop).await;
    }
}

/// Leases of whoever writes a backup, and of a daemon that keeps others from that.
const BACKUP: &str = "backup";
const DAEMON: &str = "daemon";

/// How often a daemon tries to keep backups from a storage if another one does, and whether it still does.
const GUARD_PAUSE: Duration = Duration::from_secs(5);
/// How long a backup waits until a daemon that runs has noticed that another one has ended.
const BACKUP_PAUSE: Duration = Duration::from_secs(12);

/// Checks that nobody writes a backup to `storage`, which is at `place`. Blocks, for some seconds if
/// another daemon checks the same, or somebody does.
fn check_backup(storage: &dyn Storage, place: &Place) -> anyhow::Result<()> {
    for attempt in 0..5 {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(fastrand::u64(500..1500)));
        }
        match wait(storage.take(BACKUP, Term::For(Duration::from_secs(1)))) {
            Ok(lease) => return Ok(wait(storage.release(lease))?),
            Err(quire_storage::Error::Conflict) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bail!("a backup is being written to {place}; start again when it has ended")
}

/// Takes the right to write a backup to `storage`, which is at `place`. Blocks, for twelve seconds, and
/// for twenty more after a daemon that was killed.
pub(crate) fn take_for_backup(storage: &dyn Storage, place: &Place) -> anyhow::Result<[Lease; 2]> {
    let take = |name| match wait(storage.take(name, Term::Process)) {
        Ok(lease) => Ok(lease),
        Err(quire_storage::Error::Conflict) => {
            bail!(
                "a daemon publishes to {place}, or another backup is being written; give each a place of its own"
            )
        }
        Err(error) => Err(error.into()),
    };
    let backup = take(BACKUP)?;
    let twice = || {
        let first = take(DAEMON)?;
        // Of several daemons another one has it after some seconds.
        if !wait(storage.list(Kind::Deployments, ""))?.is_empty() {
            wait(storage.release(first))?;
            std::thread::sleep(BACKUP_PAUSE);
            return take(DAEMON);
        }
        Ok(first)
    };
    match twice() {
        Ok(daemon) => Ok([backup, daemon]),
        Err(error) => {
            // It ends by itself as well.
            let _ = wait(storage.release(backup));
            Err(error)
        }
    }
}

/// Keeps backups from `storage` until `stop`; one daemon of several does.
async fn guard(storage: Arc<dyn Storage>, stop: impl Future<Output = ()>) {
    let mut stop = std::pin::pin!(stop);
    let mut held: Option<Lease> = None;
    loop {
        tokio::select! {
            () = &mut stop => break,
            taken = storage.take(DAEMON, Term::Process), if held.is_none() => held = taken.ok(),
            () = tokio::time::sleep(GUARD_PAUSE), if held.is_some() => {}
        }
        let is_lost = match &held {
            None => true,
            // Another one may have taken it if this one was cut off for a while.
            Some(lease) => matches!(
                storage.renew(lease, Term::Process).await,
                Err(quire_storage::Error::Conflict)
            ),
        };
        if is_lost {
            held = None;
            tokio::select! {
                () = &mut stop => break,
                () = tokio::time::sleep(GUARD_PAUSE) => {}
            }
        }
    }
    if let Some(lease) = held
        && let Err(error) = storage.release(lease).await
    {
        tracing::warn!("{error}");
    }
}

/// Takes up what other processes publish and accept, for as long as the daemon runs.
async fn follow(sites: Arc<Sites>) {
    let mut changes = sites.changes();
    let mut is_unreadable = false;
    loop {
        let began = Instant::now();
        let following = sites.clone();
        let followed = tokio::task::spawn_blocking(move || following.follow()).await;
        let failed = match followed {
            Ok(followed) => followed.err().map(|error| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let (Some(why), false) = (&failed, is_unreadable) {
            tracing::error!("not following what other processes publish: {why}");
        }
        is_unreadable = failed.is_some();
        pause(began, SHARED_POLL, &mut changes).await;
    }
}

pub(crate) fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    server::listen(address).with_context(|| format!("listen on {address}"))
}

impl Daemon {
    /// What ends it.
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }

    /// Sites.
    pub fn sites(&self) -> &Arc<Sites> {
        &self.sites
    }

    /// Where its state is.
    pub fn state(&self) -> &Path {
        self.state.path()
    }

    /// Serves until it is stopped. Each notification of `reload` rereads the configuration.
    pub async fn serve(self, reload: Arc<Notify>) {
        let limits = limits(&self.settings.limits);
        let rates = Arc::new(rates(&self.settings));
        let proxies = Proxies::read(&self.settings.listen.proxies);
        // They were read before it was started.
        let proxies = proxies.unwrap_or_default();
        let router = |entrance| {
            Arc::new(Router {
                sites: self.sites.clone(),
                served: None,
                process: self.process.clone(),
                relay: self.relay.clone(),
                proxies: proxies.clone(),
                rates: Some(rates.clone()),
                entrance,
                serves_sites: self.settings.storage.role != Role::Build,
                is_draft: false,
            })
        };
        // Whoever starts what needs this daemon may do so: it listens. Said before anything else is.
        notify("READY=1");
        let mut tasks = tokio::task::JoinSet::new();
        let role = self.settings.storage.role;
        tasks.spawn(warm(self.sites.clone(), self.process.clone(), role));
        if self.shared.is_some() {
            tasks.spawn(follow(self.sites.clone()));
        }
        if let Some(socket) = self.socket {
            let router = router(Entrance::Socket);
            tasks.spawn(answer(socket, router, limits, self.stop.clone()));
        }
        let idle = Duration::from_secs(self.settings.idle_minutes * 60);
        let sites = self.sites.clone();
        tasks.spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                let sites = sites.clone();
                // A fault there is told by the log; the next sweep tries again.
                let _ = tokio::task::spawn_blocking(move || sites.sweep(idle)).await;
            }
        });
        let (sites, process, config) = (
            self.sites.clone(),
            self.process.clone(),
            self.config.clone(),
        );
        let (relay, mut relaying) = (self.relay.clone(), self.settings.relay.clone());
        // What the command line says instead is not the matter of the file.
        let started = self.config.as_deref().map(Settings::read);
        tasks.spawn(async move {
            loop {
                reload.notified().await;
                notify(&format!(
                    "RELOADING=1\nMONOTONIC_USEC={}",
                    monotonic_micros()
                ));
                let (sites, process, config) = (sites.clone(), process.clone(), config.clone());
                // Lists of deployments of new sites are read, perhaps from far away.
                let read = tokio::task::spawn_blocking(move || {
                    read_again(&sites, &process, config.as_deref(), role)
                });
                if let Ok(Some(settings)) = read.await {
                    if let Some(Ok(started)) = &started {
                        for name in only_at_start(started, &settings) {
                            tracing::error!("`{name}` changed; restart the daemon to apply it");
                        }
                    }
                    relay_again(&relay, &mut relaying, settings.relay);
                }
                notify("READY=1");
            }
        });
        tasks.spawn(watchdog());
        let admin = self.admin_listener.map(|listener| {
            tokio::spawn(server::serve(
                listener,
                router(Entrance::Admin),
                limits.of_administrators(ADMINISTRATORS),
                stopped(&self.stop),
            ))
        });
        let stopping = async {
            stopped(&self.stop).await;
            tracing::info!("shutting down; waiting for in-flight requests to finish");
            notify("STOPPING=1");
        };
        server::serve(self.listener, router(Entrance::Public), limits, stopping).await;
        if let Some(admin) = admin {
            // It was stopped with the other.
            let _ = admin.await;
        }
        tasks.shutdown().await;
        // Not left to whoever lets go of the store last: that may be work that the end of the process cuts off.
        let sites = self.sites.clone();
        let keeping = tokio::task::spawn_blocking(move || sites.keep());
        match tokio::time::timeout(KEEPING, keeping).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("failed to write the artifact cache: {error}"),
            Err(_) => {
                let counts = self.sites.give_up_counts().join(" ");
                tracing::warn!(
                    counts,
                    "stopping although not everything could be written in {KEEPING:?}; page counts of these sites are lost since the last time"
                );
            }
        }
        if let Some(guarding) = self.shared {
            // It was stopped with the rest.
            if tokio::time::timeout(RELEASING, guarding).await.is_err() {
                tracing::warn!(
                    "failed to release the lease of the storage in {RELEASING:?}; a backup to it waits until that has ended"
                );
            }
        }
        tracing::info!("stopped");
    }
}

/// Files that a daemon opens besides its connections: those of its sites, of what it keeps, of what it asks others.
const FILES: u64 = 256;

/// Most connections of administrators.
pub(crate) const ADMINISTRATORS: usize = 64;

/// The limits that `settings` describe, as far as they leave room for its files.
pub(crate) fn limits(configured: &settings::Limits) -> Limits {
    let limits = Limits {
        connections: configured.connections,
        client_connections: configured.client_connections,
        http2_connections: configured.http2_connections,
        client_http2_connections: configured.client_http2_connections,
        event_streams: configured.event_streams,
        client_event_streams: configured.client_event_streams,
        header_time: Duration::from_secs(configured.header_seconds.max(1)),
        idle_time: Duration::from_secs(configured.idle_seconds.max(1)),
        write_time: Duration::from_secs(configured.write_seconds.max(1)),
        stop_time: Duration::from_secs(configured.stop_seconds),
        ..Limits::default()
    };
    match rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
        Some(files) => limits_within(limits, files),
        None => limits,
    }
}

/// `limits` where the process may have so many `files` open.
fn limits_within(limits: Limits, files: u64) -> Limits {
    let most = usize::try_from(files - FILES.min(files / 2)).unwrap_or(usize::MAX);
    let refused = limits.refusals * (1 + HELD);
    let wanted = limits.connections + refused + limits.health + ADMINISTRATORS;
    if wanted <= most {
        return limits;
    }
    let connections = (most.saturating_sub(wanted - limits.connections)).max(most / 2);
    let connections = connections.clamp(1, limits.connections);
    tracing::warn!(
        "the process may open {files} files: limiting connections to {connections} instead of {}; raise the limit (`ulimit -n`, `LimitNOFILE=` of systemd)",
        limits.connections
    );
    let rest = most.saturating_sub(connections);
    Limits {
        connections,
        refusals: limits.refusals.min(rest / 4 / (1 + HELD)),
        health: limits.health.min(rest / 4).max(1),
        ..limits
    }
}

/// How often clients may ask, as `settings` say.
pub(crate) fn rates(settings: &Settings) -> Rates {
    let rate = |client, site| PerMinute { client, site };
    let rates = &settings.rates;
    let requests = Requests {
        searches: rate(rates.client_searches, rates.site_searches),
        questions: rate(rates.client_questions, rates.site_questions),
        deployments: rate(rates.client_deployments, rates.site_deployments),
        commits: rate(rates.client_commits, rates.site_commits),
    };
    Rates::new(requests, std::time::Instant::now)
}

/// Starts every site, one after the other, so that their first visitors need not wait; and runs the deployments that an
/// end cut off. Where nobody visits, only sites of which nothing is stored are started, which deploys them.
async fn warm(sites: Arc<Sites>, process: Arc<Process>, role: Role) {
    for slot in sites.all() {
        for id in slot.deployments.unfinished() {
            deploy::start(slot.clone(), id);
        }
        if role == Role::Build && slot.deployments.published_release().is_some() {
            continue;
        }
        if let Ok(service) = slot.service().await {
            let site = service.handle().clone();
            let counted = tokio::task::spawn_blocking(move || site.count_diagnostics()).await;
            if let Ok((errors, warnings)) = counted {
                let pages = service.handle().view().page_count();
                tracing::info!(site = slot.id, pages, errors, warnings, "ready");
            }
        }
    }
    process.is_ready.store(true, Ordering::Release);
}

/// The settings that differ between those of the start and `now`, and are not taken up while the daemon runs.
fn only_at_start(started: &Settings, now: &Settings) -> Vec<&'static str> {
    let differ = [
        ("state", started.state != now.state),
        ("storage", started.storage != now.storage),
        ("log", started.log != now.log),
        ("idle_minutes", started.idle_minutes != now.idle_minutes),
        (
            "listen.address",
            started.listen.address != now.listen.address,
        ),
        ("listen.admin", started.listen.admin != now.listen.admin),
        (
            "listen.proxies",
            started.listen.proxies != now.listen.proxies,
        ),
        ("limits", started.limits != now.limits),
        (
            "deployments.parallel",
            started.deployments.parallel != now.deployments.parallel,
        ),
        ("rates", started.rates != now.rates),
    ];
    let differ = differ.into_iter().filter(|(_, is_other)| *is_other);
    differ.map(|(name, _)| name).collect()
}

/// Puts the relay that `settings` describes in the place of that of `before`, if they differ.
fn relay_again(relay: &CurrentRelay, before: &mut RelaySettings, mut settings: RelaySettings) {
    settings.override_with(before.overrides.clone());
    if *before == settings {
        return;
    }
    match Relay::of(&settings) {
        Ok(made) => {
            relay.set(made);
            *before = settings;
            tracing::info!(enabled = before.enabled, "reconfigured the relay");
        }
        Err(error) => tracing::error!(
            "failed to reconfigure the relay, keeping the previous settings: {error:#}"
        ),
    }
}

/// Reads the configuration again; if it cannot be read, everything stays.
fn read_again(
    sites: &Arc<Sites>,
    process: &Arc<Process>,
    config: Option<&Path>,
    role: Role,
) -> Option<Settings> {
    let Some(config) = config else {
        tracing::info!("SIGHUP ignored: started without a configuration file");
        return None;
    };
    match Settings::read(config) {
        Ok(settings) if settings.sites.is_empty() => {
            tracing::error!("ignoring the new configuration: it defines no sites");
            None
        }
        Ok(settings) => {
            let changed = sites.configure(&settings);
            tracing::info!(
                sites = settings.sites.len(),
                changed = changed.join(" "),
                "reloaded the configuration"
            );
            tokio::spawn(warm(sites.clone(), process.clone(), role));
            Some(settings)
        }
        Err(error) => {
            tracing::error!("ignoring the new configuration: {error:#}");
            None
        }
    }
}

/// How long a client of the socket may take to say what it wants.
const LINE_TIME: Duration = Duration::from_secs(10);

/// Answers requests through the control socket.
async fn answer(
    socket: UnixListener,
    router: Arc<Router>,
    limits: Limits,
    stop: watch::Sender<bool>,
) {
    loop {
        match socket.accept().await {
            Ok((stream, _)) => {
                let (router, stop) = (router.clone(), stop.clone());
                tokio::spawn(async move {
                    // Who asked and went away needs no answer.
                    let _ = converse(stream, router, limits, &stop).await;
                });
            }
            Err(error) => {
                tracing::warn!("the socket: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Answers the line of a command of this program, or whatever is asked over HTTP.
async fn converse(
    stream: UnixStream,
    router: Arc<Router>,
    limits: Limits,
    stop: &watch::Sender<bool>,
) -> std::io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading.take(MAX_LINE));
    let mut line = String::new();
    tokio::time::timeout(LINE_TIME, reading.read_line(&mut line)).await??;
    if !line.starts_with("quire/") && line.contains(" HTTP/1.") {
        let begun = [line.as_bytes(), reading.buffer()].concat();
        let rest = reading.into_inner().into_inner();
        let stream = tokio::io::join(std::io::Cursor::new(begun).chain(rest), writing);
        server::serve_one(stream, router, limits).await;
        return Ok(());
    }
    let words = control::parse_request(&line);
    let answer = match &words {
        Ok("status") => admin::status_json(&router.process, &router.sites),
        Ok("stop") => serde_json::json!({ "stopping": true }),
        Ok(other) => {
            serde_json::json!({ "error": format!("`{other}` is nothing that a daemon does") })
        }
        Err(error) => serde_json::json!({ "error": error }),
    };
    writing.write_all(format!("{answer}\n").as_bytes()).await?;
    if words == Ok("stop") {
        // Whoever asked waits until this is closed, which the end of the process does.
        std::mem::forget(writing);
        stop.send_replace(true);
    } else {
        writing.shutdown().await?;
    }
    Ok(())
}

/// Tells the service manager `state` (sd_notify(3)), if there is one that wants to know.
pub(crate) fn notify(state: &str) {
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let Some(path) = std::env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    let path = path.as_encoded_bytes();
    let address = match path.strip_prefix(b"@") {
        #[cfg(target_os = "linux")]
        Some(name) => {
            use std::os::linux::net::SocketAddrExt;
            SocketAddr::from_abstract_name(name)
        }
        #[cfg(not(target_os = "linux"))]
        Some(_) => return,
        None => SocketAddr::from_pathname(std::env::var_os("NOTIFY_SOCKET").unwrap_or_default()),
    };
    let outcome = address
        .and_then(|address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address));
    if let Err(error) = outcome {
        tracing::debug!("the service manager is not told: {error}");
    }
}

/// Says that the process is alive twice as often as the service manager wants to hear it.
pub(crate) async fn watchdog() {
    let every = std::env::var("WATCHDOG_USEC")
        .ok()
        .and_then(|every| every.parse::<u64>().ok());
    let Some(every) = every.filter(|every| *every > 0) else {
        return std::future::pending().await;
    };
    loop {
        notify("WATCHDOG=1");
        tokio::time::sleep(Duration::from_micros(every / 2)).await;
    }
}

/// The monotonic clock in microseconds. A service manager ignores a reload that began before it asked for one, so it must
/// be this clock, and exact (sd_notify(3), `MONOTONIC_USEC`).
fn monotonic_micros() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
}
