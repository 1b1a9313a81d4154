//! `quire dev`: one site, served and kept current while someone writes it.

mod moved;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Context;
use moved::Pages;
use queries::base::diagnostic::{Code, Diagnostic, Severity};
use queries::base::path::SitePath;
use queries::site::{self, Spec, file_named, is_page, link_diagnostics, page_diagnostics};
use tokio::net::TcpListener;

use quire_assistant::model::Model;
use quire_assistant::model::limits::DailyUse;
use quire_engine::host::SiteHost;
use quire_engine::meter;
use quire_engine::publish::Publisher;
use quire_engine::report::{Counts, Report, summary};
use quire_engine::survey;
use quire_http::admin::Process;
use quire_http::router::{Entrance, Router};
use quire_http::server::{self, Limits, serve};
use quire_net::relay::Relay;
use quire_settings::{AssistantSettings, EmbedderSettings, Proxies, check_id};
use quire_site::editor::Editor;
use quire_site::feedback::Feedback;
use quire_site::service::{
    Edit, FOLLOW, Hooks, IndexMode, Publication, SearchSetup, Service, Services, Setup, SiteHandle,
    SiteSource,
};
use quire_site::sites::Sites;
use quire_source::fetch::FetchPolicy;
use quire_source::load;
use quire_storage::machine;
use quire_storage::store::Store;

/// Tells the person at the terminal one line.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// How to preview a site.
pub struct Preview {
    /// The folder of the site.
    pub folder: PathBuf,
    /// Id; without one it is made from its name.
    pub id: Option<String>,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; if it is taken, one of the next hundred. 0 means any.
    pub port: u16,
    /// Where to keep what was rendered for the next start; nowhere without.
    pub state: Option<PathBuf>,
    /// Embedder that makes vectors of passages besides this program.
    pub embedder: Option<EmbedderSettings>,
    /// Time that a search waits for pages saved a moment before to be indexed.
    pub search_deadline: Duration,
    /// Whether every file is looked at from time to time, whatever its file system.
    pub poll: bool,
    /// Whether the specifications are mocked.
    pub mock: bool,
    /// What the assistant offers.
    pub assistant: AssistantSettings,
    /// What sends the requests of the playground; none without.
    pub relay: Option<Arc<Relay>>,
    /// Where status and what readers say are shown; nowhere without.
    pub admin: Option<SocketAddr>,
    /// Whether to open a browser.
    pub open: bool,
    /// Prints a progress message, one line each.
    pub say: Say,
}

/// A preview that is ready to be served.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where the administrator finds it.
    pub admin: Option<SocketAddr>,
    /// What connections may cost.
    pub limits: Limits,
    listener: TcpListener,
    admin_listener: Option<TcpListener>,
    router: Arc<Router>,
    site: SiteHandle,
    survey: Survey,
}

/// Reads the site, starts to watch it and listens. Pages are rendered when they are asked for.
pub async fn start(preview: Preview) -> anyhow::Result<Running> {
    let (edits, to_survey) = channel();
    let (edits, say) = (Mutex::new(edits), preview.say.clone());
    let on_publish = move |edit: &Edit| {
        tell(edit, &*say);
        let edited = EditedFiles {
            paths: [&edit.applied.changed[..], &edit.applied.added].concat(),
            removed: edit.applied.removed.clone(),
        };
        if let Ok(edits) = edits.lock() {
            // Nobody surveys when the thread could not be started.
            let _ = edits.send(edited);
        }
    };
    let id = match preview.id {
        Some(id) => {
            check_id(&id)?;
            id
        }
        None => load::id_of(&preview.folder),
    };
    let model = preview.assistant.model.as_ref().map(|model| {
        let rerank = preview.assistant.rerank.as_ref();
        anyhow::Ok(Arc::new(Model::new(
            model,
            rerank,
            DailyUse::default(),
            |_| (),
        )?))
    });
    let folder = preview.folder.clone();
    let store = Store::of(preview.state.as_deref());
    let index = store.scratch(INDEX);
    let service = Service::start(Setup {
        source: SiteSource {
            poll: preview.poll,
            ..SiteSource::watched(preview.folder, FetchPolicy::of_site(&[])?.with_local())
        },
        publication: Publication {
            live: true,
            mock: preview.mock,
            ..Publication::default()
        },
        search: SearchSetup {
            mode: index.map_or(IndexMode::InMemory, |index| {
                IndexMode::OnDisk(index.path().to_owned())
            }),
            embedder: preview.embedder,
            deadline: Some(preview.search_deadline),
        },
        services: Services {
            assistant: preview.assistant,
            model: model.transpose()?,
            editor: Some(Editor::of_environment()),
            ..Services::of(store, Feedback::in_folder(preview.state.as_deref(), &id))
        },
        hooks: Hooks {
            on_publish: Arc::new(on_publish),
            log: preview.say.clone(),
        },
        id,
    })?;
    let site = service.handle().clone();
    let listener = listen(preview.host, preview.port)?;
    let address = listener.local_addr()?;
    let admin_listener = match preview.admin {
        Some(admin) => Some(listen(admin.ip(), admin.port())?),
        None => None,
    };
    let process = Process::default();
    process
        .is_ready
        .store(true, std::sync::atomic::Ordering::Release);
    let router = Arc::new(Router {
        sites: Arc::new(Sites::of_service(service)),
        served: None,
        process: Arc::new(process),
        relay: Arc::new(preview.relay.into()),
        proxies: Proxies::default(),
        // Who writes a site asks of it as often as they like.
        rates: None,
        entrance: Entrance::Public,
        serves_sites: true,
        is_draft: true,
    });
    if preview.port != 0 && address.port() != preview.port {
        (preview.say)(&format!("port {} is taken", preview.port));
    }
    if preview.open
        && let Some(origin) = origins(address).first()
    {
        open_browser(origin, &preview.say);
    }
    let admin = admin_listener.as_ref().map(TcpListener::local_addr);
    Ok(Running {
        address,
        admin: admin.transpose()?,
        limits: Limits::default(),
        listener,
        admin_listener,
        router,
        site,
        survey: Survey {
            edits: to_survey,
            folder,
            reported: BTreeSet::new(),
            say: preview.say,
        },
    })
}

/// Returns the URLs of a server that listens on `address`. For the unspecified address (`0.0.0.0`,
/// `::`) these are `localhost`, then each address of the machine.
pub fn origins(address: SocketAddr) -> Vec<String> {
    if !address.ip().is_unspecified() {
        return vec![format!("http://{address}")];
    }
    let port = address.port();
    let addresses = machine::addresses().into_iter();
    let reachable = addresses.filter(|ip| ip.is_ipv4() || address.is_ipv6());
    let reachable = reachable.map(|ip| format!("http://{}", SocketAddr::new(ip, port)));
    [format!("http://localhost:{port}")]
        .into_iter()
        .chain(reachable)
        .collect()
}

/// Prints what was published.
fn tell(edit: &Edit, say: &(dyn Fn(&str) + Send + Sync)) {
    let what = [
        ("changed", &edit.applied.changed),
        ("added", &edit.applied.added),
        ("removed", &edit.applied.removed),
    ];
    let took = edit.took;
    for (verb, paths) in what {
        match paths.as_slice() {
            [] => {}
            [path] => say(&format!(
                "{verb} {path} ({took:.1?}, {} queries)",
                edit.executed
            )),
            [path, rest @ ..] => say(&format!(
                "{verb} {path} and {} more ({took:.1?}, {} queries)",
                rest.len(),
                edit.executed
            )),
        }
    }
}

impl Running {
    /// The published site.
    pub fn publisher(&self) -> &Arc<Publisher> {
        self.site.publisher()
    }

    /// The site.
    pub fn site(&self) -> &SiteHandle {
        &self.site
    }

    /// Serves until `stop` is done.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let Self {
            limits,
            listener,
            admin_listener,
            router,
            site,
            survey,
            ..
        } = self;
        let store = site.host().store().clone();
        let thread = std::thread::Builder::new().name("survey".to_owned());
        let surveying = thread
            .stack_size(quire_engine::host::STACK)
            .spawn(move || survey.run(&site));
        if let Err(error) = surveying {
            tracing::warn!("failed to start the background check: {error}");
        }
        let Some(admin) = admin_listener else {
            serve(listener, router, limits, stop).await;
            return store.idle();
        };
        let administering = Arc::new(Router {
            sites: router.sites.clone(),
            served: None,
            process: router.process.clone(),
            relay: router.relay.clone(),
            proxies: Proxies::default(),
            rates: None,
            entrance: Entrance::Admin,
            serves_sites: true,
            is_draft: true,
        });
        tokio::select! {
            () = serve(listener, router, limits, stop) => {}
            () = serve(admin, administering, limits.of_administrators(ADMINISTRATORS), std::future::pending()) => {}
        }
        store.idle();
    }
}

/// The folder of the search index, beside what else is kept.
const INDEX: &str = "search";

/// Most connections of whoever looks after a preview.
const ADMINISTRATORS: usize = 64;

/// How many problems of one edit are said.
const MAX_REPORTED_FILES: usize = 20;

/// Files of a published edit.
struct EditedFiles {
    /// Files that changed or appeared.
    paths: Vec<SitePath>,
    /// Files that vanished.
    removed: Vec<SitePath>,
}

/// Says in the terminal what is wrong: of the whole site while the first reader reads, then of what is edited.
struct Survey {
    edits: Receiver<EditedFiles>,
    /// Folder of the site, as it was given.
    folder: PathBuf,
    /// What was said already: a page that is being written is not complained about with each save.
    reported: BTreeSet<Diagnostic>,
    say: Say,
}

impl Survey {
    fn run(mut self, served: &SiteHandle) {
        let started = Instant::now();
        // What it asks of pages is asked while they are drawn for that.
        served.wait_for_first_round();
        let host = served.host();
        // Whatever fails here fails below, too.
        let _ = host.warm(|db, bucket| {
            site::bucket_diagnostics(db, bucket);
        });
        let diagnostics = survey::diagnostics(&host);
        let mut pages_before = Pages::of(&host);
        let pages = served.view().page_count();
        let took = started.elapsed();
        (self.say)(&format!(
            "{} ({took:.0?}; `quire check --verbose` lists them)",
            summary(pages, Counts::of(&diagnostics))
        ));
        let derived = (diagnostics.iter()).find(|found| found.code == Code::DerivedConfig);
        if let Some(derived) = derived {
            (self.say)(&format!(
                "{} (`quire init` writes a docs.json)",
                derived.message
            ));
        }
        // Authors can do nothing about a fault of the program but know of it.
        let faults = diagnostics.into_iter();
        let faults = faults.filter(|found| found.code == Code::InternalFault);
        for report in survey::located(&host, faults.take(MAX_REPORTED_FILES).collect()) {
            (self.say)(report.text(false).trim_end());
        }
        // The next start finds what this one found, however it ends.
        host.store().idle();
        while let Ok(EditedFiles {
            mut paths,
            mut removed,
        }) = self.edits.recv()
        {
            // Whoever waits for the page that was edited comes first.
            std::thread::sleep(FOLLOW);
            for more in self.edits.try_iter() {
                paths.extend(more.paths);
                removed.extend(more.removed);
            }
            let gone = pages_before.follow(&host, &paths, &removed, Instant::now());
            if !gone.is_empty() {
                let lines = meter::in_background(|| moved::report(&host, &self.folder, &gone));
                for line in lines {
                    (self.say)(&line);
                }
            }
            let mut new = meter::in_background(|| diagnostics_of(&host, &paths));
            new.retain(|diagnostic| {
                self.reported.insert(diagnostic.clone()) && diagnostic.severity() != Severity::Info
            });
            let more = new.split_off(new.len().min(MAX_REPORTED_FILES));
            // An edit must not wait for the places of thousands.
            let reports = host.read(|db, _| Report::all(db, new.clone()));
            for report in reports.unwrap_or_default() {
                (self.say)(report.text(false).trim_end());
            }
            if !more.is_empty() {
                (self.say)(&format!(
                    "and {} more; `quire check` has them all",
                    more.len()
                ));
            }
        }
    }
}

/// What is wrong with the files at `paths`, and with the specifications that they are part of.
fn diagnostics_of(host: &SiteHost, paths: &[SitePath]) -> Vec<Diagnostic> {
    let found = host.read(|db, site| {
        let files = paths
            .iter()
            .filter_map(|path| file_named(db, path))
            .filter(|file| is_page(file.path(db)));
        // A file that is no page may be one of the configuration.
        let mut diagnostics = match paths.iter().any(|path| !is_page(path)) {
            true => site::config_diagnostics(db, site),
            false => Vec::new(),
        };
        let specs = site.specs(db).iter();
        let is_of = |spec: &&Spec| {
            let overlays = spec.overlays(db).iter();
            overlays
                .chain([spec.path(db)])
                .any(|path| paths.contains(path))
        };
        for spec in specs.filter(is_of) {
            diagnostics.extend(site::document_diagnostics(db, site, *spec));
        }
        for file in files {
            diagnostics.extend_from_slice(page_diagnostics(db, file));
            diagnostics.extend_from_slice(link_diagnostics(db, file));
        }
        diagnostics
    });
    found.unwrap_or_default()
}

/// Listens on `port`, or on the next free one of a hundred.
fn listen(host: IpAddr, port: u16) -> anyhow::Result<TcpListener> {
    let mut last = None;
    for port in port..=port.saturating_add(if port == 0 { 0 } else { 100 }) {
        match server::listen(SocketAddr::new(host, port)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => last = Some(error),
            Err(error) => return Err(error).with_context(|| format!("listen on {host}:{port}")),
        }
    }
    Err(last.map_or_else(|| anyhow::anyhow!("no port"), anyhow::Error::from))
        .with_context(|| format!("listen on {host}:{port} or above"))
}

fn open_browser(url: &str, say: &Say) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let quiet = std::process::Stdio::null;
    let spawned = std::process::Command::new(program)
        .arg(url)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    if spawned.is_err() || !std::io::stderr().is_terminal() {
        say(&format!("open {url} in a browser"));
    }
}
