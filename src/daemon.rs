//! `quire dev`: starts everything and keeps it going. One conductor: what was seen is applied, published, announced.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::Context;
use queries::content::ContentHash;
use queries::diagnostic::{Diagnostic, Severity};
use queries::frame::PageOptions;
use queries::inputs::{file_named, is_foundation};
use queries::links::link_diagnostics;
use queries::openapi::spec_diagnostics;
use queries::page::is_page;
use queries::path::SitePath;
use queries::render::page_diagnostics;
use queries::site;
use tokio::net::TcpListener;

use crate::fetch::{self, Cache};
use crate::host::{FileChange, SiteHost};
use crate::http::events::Events;
use crate::http::gate::Hosts;
use crate::http::router::Router;
use crate::http::server::{Limits, serve};
use crate::load;
use crate::publish::Publisher;
use crate::report::{Counts, Report, summary};
use crate::sources::Sources;
use crate::watch::{Follower, Watch};

/// How to preview a site.
pub struct Preview {
    /// The folder of the site.
    pub folder: PathBuf,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; if it is taken, one of the next hundred. 0 means any.
    pub port: u16,
    /// Whether to open a browser.
    pub open: bool,
    /// Where to say what happens: a line each.
    pub say: Arc<dyn Fn(&str) + Send + Sync>,
}

/// A preview that is ready to be served.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// What connections may cost.
    pub limits: Limits,
    listener: TcpListener,
    router: Arc<Router>,
    publisher: Arc<Publisher>,
    survey: Survey,
    // Dropped last: it ends the thread that feeds the rest.
    watch: Watch,
}

/// Reads the site, starts to watch it and listens. Pages are drawn when they are asked for.
pub async fn start(preview: Preview) -> anyhow::Result<Running> {
    let sources = load::open(&preview.folder)?;
    let files = Sources::open(&preview.folder)?;
    let host = Arc::new(SiteHost::new("", None));
    let events = Arc::new(Events::new(token()));
    let publisher = Arc::new(OnceLock::new());
    let (edits, to_survey) = channel();
    let conductor = Conductor {
        host: host.clone(),
        publisher: publisher.clone(),
        events: events.clone(),
        say: preview.say.clone(),
        edits,
        elsewhere: Elsewhere {
            cache: Cache::of_user(),
            runtime: tokio::runtime::Handle::current(),
            known: BTreeSet::new(),
        },
    };
    let watch = Watch::start(sources, conductor).context("watch the site")?;
    let options = PageOptions {
        preview_token: Some(events.token().to_owned()),
        base_url: None,
    };
    let publisher = publisher
        .get_or_init(|| Arc::new(Publisher::new(host, options)))
        .clone();
    // A file that changed while the publisher was made is not missed.
    publisher.refresh();
    let listener = listen(preview.host, preview.port).await?;
    let address = listener.local_addr()?;
    let router = Arc::new(Router {
        hosts: Hosts::default(),
        publisher: publisher.clone(),
        events,
        watch: Some(watch.handle()),
        open_file: Arc::new(move |path| files.open_file(path)),
    });
    if preview.port != 0 && address.port() != preview.port {
        (preview.say)(&format!("port {} is taken", preview.port));
    }
    if preview.open {
        open_browser(&format!("http://{address}"), &preview.say);
    }
    Ok(Running {
        address,
        limits: Limits::default(),
        listener,
        router,
        publisher,
        survey: Survey {
            edits: to_survey,
            said: BTreeSet::new(),
            say: preview.say,
        },
        watch,
    })
}

impl Running {
    /// The published site.
    pub fn publisher(&self) -> &Arc<Publisher> {
        &self.publisher
    }

    /// Serves until `stop` is done.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let Self {
            limits,
            listener,
            router,
            publisher,
            survey,
            watch,
            ..
        } = self;
        let thread = std::thread::Builder::new().name("survey".to_owned());
        let surveying = thread
            .stack_size(crate::host::STACK)
            .spawn(move || survey.run(&publisher));
        if let Err(error) = surveying {
            tracing::warn!("the site is not checked in the background: {error}");
        }
        serve(listener, router, limits, stop).await;
        drop(watch);
    }
}

/// Says in the terminal what is wrong: of the whole site while the first reader reads, then of what is edited.
struct Survey {
    edits: Receiver<Vec<SitePath>>,
    /// What was said already: a page that is being written is not complained about with each save.
    said: BTreeSet<Diagnostic>,
    say: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Survey {
    fn run(mut self, publisher: &Publisher) {
        let started = Instant::now();
        let host = publisher.host();
        match host.read(|db, site| {
            (
                site::site_diagnostics(db, site),
                site::route_table(db, site).pages.len(),
            )
        }) {
            Ok((diagnostics, pages)) => {
                let counts = Counts::of(&diagnostics);
                let took = started.elapsed();
                (self.say)(&format!(
                    "{} ({took:.0?}; `quire check` has them all)",
                    summary(pages, counts)
                ));
            }
            Err(error) => (self.say)(&format!("the site could not be checked: {error:?}")),
        }
        while let Ok(paths) = self.edits.recv() {
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
                for spec in specs.filter(|spec| paths.contains(spec.path(db))) {
                    diagnostics.extend_from_slice(spec_diagnostics(db, *spec));
                }
                for file in files {
                    diagnostics.extend_from_slice(page_diagnostics(db, file));
                    diagnostics.extend_from_slice(link_diagnostics(db, file));
                }
                let reports = diagnostics
                    .into_iter()
                    .map(|diagnostic| Report::new(db, &diagnostic));
                reports.collect::<Vec<_>>()
            });
            for report in found.unwrap_or_default() {
                let is_new = self.said.insert(report.diagnostic.clone());
                if is_new && report.diagnostic.severity() != Severity::Info {
                    (self.say)(report.text(false).trim_end());
                }
            }
        }
    }
}

/// Takes what the watch sees through the house, always in the same order.
///
/// Specifications elsewhere are no files: what was fetched before is there at once, and what is fetched now comes later.
struct Conductor {
    elsewhere: Elsewhere,
    host: Arc<SiteHost>,
    publisher: Arc<OnceLock<Arc<Publisher>>>,
    events: Arc<Events>,
    say: Arc<dyn Fn(&str) + Send + Sync>,
    /// What was edited, for the survey.
    edits: Sender<Vec<SitePath>>,
}

/// Where specifications that are no files come from.
struct Elsewhere {
    cache: Cache,
    runtime: tokio::runtime::Handle,
    /// The addresses that were asked for.
    known: BTreeSet<String>,
}

impl Conductor {
    /// Fetches the specifications that the configuration names and that were not asked for yet.
    fn follow_addresses(&mut self) {
        let urls: BTreeSet<String> = fetch::urls(&self.host).into_iter().collect();
        let is_new = urls.difference(&self.elsewhere.known).next().is_some();
        self.elsewhere.known = urls;
        if !is_new {
            return;
        }
        fetch::apply_cached(&self.host, &self.elsewhere.cache);
        let (host, cache) = (self.host.clone(), self.elsewhere.cache.clone());
        let (publisher, events) = (self.publisher.clone(), self.events.clone());
        let say = self.say.clone();
        self.elsewhere.runtime.spawn(async move {
            fetch::refresh(&host, &cache, &|what| say(what)).await;
            if let Some(publisher) = publisher.get() {
                publisher.refresh();
                events.announce(host.revision());
            }
        });
    }
}

impl Follower for Conductor {
    fn files_under(&self, path: &str) -> Vec<SitePath> {
        self.host.files_under(path)
    }

    fn changed(&mut self, changes: Vec<FileChange>) {
        let started = Instant::now();
        let applied = self.host.apply(changes);
        if applied.is_empty() {
            return;
        }
        let all = [&applied.changed, &applied.added, &applied.removed];
        if all.into_iter().flatten().any(is_foundation) {
            self.follow_addresses();
        }
        let Some(publisher) = self.publisher.get() else {
            return;
        };
        publisher.refresh();
        self.events.announce(self.host.revision());
        let took = started.elapsed();
        let what = [
            ("changed", &applied.changed),
            ("added", &applied.added),
            ("removed", &applied.removed),
        ];
        for (verb, paths) in what {
            match paths.as_slice() {
                [] => {}
                [path] => (self.say)(&format!("{verb} {path} ({took:.1?})")),
                [path, rest @ ..] => (self.say)(&format!(
                    "{verb} {path} and {} more ({took:.1?})",
                    rest.len()
                )),
            }
        }
        let edited = [applied.changed, applied.added].concat();
        // Nobody surveys when the thread could not be started.
        let _ = self.edits.send(edited);
    }

    fn idle(&mut self) {
        // Few lowered files cost an edit nothing; many make it walk further than it must.
        let promoted = self.host.promote();
        tracing::debug!("{promoted} edited files are durable again");
    }
}

/// Listens on `port`, or on the next free one of a hundred.
async fn listen(host: IpAddr, port: u16) -> anyhow::Result<TcpListener> {
    let mut last = None;
    for port in port..=port.saturating_add(if port == 0 { 0 } else { 100 }) {
        match TcpListener::bind(SocketAddr::new(host, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => last = Some(error),
            Err(error) => return Err(error).with_context(|| format!("listen on {host}:{port}")),
        }
    }
    Err(last.map_or_else(|| anyhow::anyhow!("no port"), anyhow::Error::from))
        .with_context(|| format!("listen on {host}:{port} or above"))
}

/// Something no other page can guess. The keys of the standard hash maps come from the system's random source.
fn token() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let words: Vec<[u8; 8]> = (0..4)
        .map(|_| RandomState::new().build_hasher().finish().to_le_bytes())
        .collect();
    ContentHash::of(&words.concat()).short()
}

fn open_browser(url: &str, say: &Arc<dyn Fn(&str) + Send + Sync>) {
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
