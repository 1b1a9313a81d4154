//! A daemon with several sites, served by this process.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use quire::daemon::{self, Stop};
use quire_settings::{Settings, SiteSettings};
use quire_site::sites::Sites;
use serde_json::Value;
use tokio::sync::Notify;

use super::client::{Connection, Reply};
use super::folder::Folder;
use super::wait_until;

/// A daemon that is being served. Dropping it stops it.
pub(crate) struct Daemon {
    pub(crate) address: SocketAddr,
    pub(crate) admin: Option<SocketAddr>,
    pub(crate) sites: Arc<Sites>,
    pub(crate) stop: Stop,
    reload: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

/// A site whose pages have these words.
pub(crate) fn site(words: &str) -> Folder {
    Folder::new(&[
        (
            "docs.json",
            &format!(
                r##"{{"name":"Site of {words}","theme":"mint","colors":{{"primary":"#000000"}},"navigation":{{"pages":["start","other"]}}}}"##
            ),
        ),
        (
            "start.mdx",
            &format!("---\ntitle: Start\n---\n\n{words}-words\n"),
        ),
        ("other.mdx", "---\ntitle: Other\n---\n\nSome words.\n"),
        (
            "images/dot.svg",
            &format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- {words} --></svg>"),
        ),
    ])
}

/// The settings of the site in `folder`.
pub(crate) fn of(folder: &Folder) -> SiteSettings {
    SiteSettings::of_folder(folder.path())
}

/// The JSON that a reply is.
pub(crate) fn json(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.body).unwrap_or_else(|_| panic!("no JSON: {}", reply.text()))
}

/// Settings for `sites`, on any port, with their state in `state`.
pub(crate) fn settings(state: &Path, sites: &[(&str, SiteSettings)]) -> Settings {
    let mut settings = Settings {
        state: Some(state.to_owned()),
        ..Settings::default()
    };
    settings.listen.address = SocketAddr::from(([127, 0, 0, 1], 0));
    settings.listen.admin = Some(settings.listen.address);
    for (id, site) in sites {
        let site = SiteSettings {
            // Answers are as new as what was written, however slow the machine is.
            search_deadline_ms: 60_000,
            ..site.clone()
        };
        settings.sites.insert((*id).to_owned(), site);
    }
    settings
}

impl Daemon {
    /// A daemon that has deployed what it has to deploy by itself when it starts.
    #[track_caller]
    pub(crate) fn start(settings: Settings) -> Self {
        let daemon = Self::try_start(settings, None).expect("the daemon starts");
        for slot in daemon.sites.all() {
            let deployments = &slot.deployments;
            wait_until("it is deployed", || {
                let has_any = slot.is_followed() || !deployments.last(1).is_empty();
                slot.failure().is_some() || has_any && deployments.unfinished().is_empty()
            });
        }
        daemon
    }

    pub(crate) fn try_start(settings: Settings, config: Option<&Path>) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_stack_size(quire_engine::host::STACK)
            .enable_all()
            .build()?;
        let daemon = runtime.block_on(daemon::start(settings, config.map(Path::to_owned)))?;
        let (address, admin, sites, stop) = (
            daemon.address,
            daemon.admin,
            daemon.sites().clone(),
            daemon.stop(),
        );
        let reload = Arc::new(Notify::new());
        let asked = reload.clone();
        let thread = std::thread::spawn(move || {
            runtime.block_on(daemon.serve(asked));
            runtime.shutdown_timeout(Duration::from_secs(10));
        });
        Ok(Self {
            address,
            admin,
            sites,
            stop,
            reload,
            thread: Some(thread),
        })
    }

    /// Asks it to read its configuration again.
    pub(crate) fn reload(&self) {
        self.reload.notify_one();
    }

    /// Sends one request with `Host: host` on a connection of its own.
    #[track_caller]
    pub(crate) fn send(
        &self,
        method: &str,
        host: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        send(self.address, method, host, target, headers, body)
    }

    #[track_caller]
    pub(crate) fn get(&self, host: &str, target: &str) -> Reply {
        self.send("GET", host, target, &[], "")
    }

    /// Like [`Daemon::send`], by the listener for administrators.
    #[track_caller]
    pub(crate) fn manage(
        &self,
        method: &str,
        host: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let admin = self.admin.expect("a listener for administrators");
        send(admin, method, host, target, headers, body)
    }

    /// Like [`Daemon::get`], by the listener for administrators.
    #[track_caller]
    pub(crate) fn ask(&self, host: &str, target: &str) -> Reply {
        self.manage("GET", host, target, &[], "")
    }

    /// The text of the page at `target`, which must be there.
    #[track_caller]
    pub(crate) fn page(&self, host: &str, target: &str) -> String {
        let reply = self.get(host, target);
        assert_eq!(reply.status, 200, "{host}{target}: {}", reply.text());
        reply.text()
    }

    /// Asks for a deployment of `id` and waits for its end.
    #[track_caller]
    pub(crate) fn deploy(&self, id: &str, headers: &[(&str, &str)]) -> Value {
        let reply = self.manage(
            "POST",
            "localhost",
            &format!("/api/sites/{id}/deployments"),
            headers,
            "",
        );
        assert_eq!(reply.status, 202, "{}", reply.text());
        let location = reply.header("location").expect("a place").to_owned();
        let mut deployment = Value::Null;
        wait_until("the deployment ends", || {
            let reply = self.manage("GET", "localhost", &location, headers, "");
            assert_eq!(reply.status, 200, "{}", reply.text());
            deployment = serde_json::from_slice(&reply.body).expect("JSON");
            matches!(deployment["status"].as_str(), Some("success" | "failure"))
        });
        deployment
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

/// Sends one request and returns the reply.
#[track_caller]
pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    host: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut connection = Connection::open(address);
    let mut request = format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n");
    if !body.is_empty() || method == "POST" {
        request.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    connection.send(request + "\r\n" + body);
    connection.reply()
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop.now();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the daemon panicked");
        }
    }
}
