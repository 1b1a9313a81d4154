//! A preview of a site, served on a port of its own by this process, as `quire dev` does it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use quire::dev::{self, Running};
use quire_engine::publish::Publisher;
use quire_http::server::Limits;
use quire_net::relay::Relay;
use quire_settings::{AssistantSettings, RelaySettings};
use tokio::sync::oneshot;

use super::client::{Connection, Reply};
use super::folder::Folder;
use super::wait_until;

/// A preview that is being served. Dropping it stops it.
pub(crate) struct Preview {
    pub(crate) address: SocketAddr,
    /// Where its administrator comes in.
    pub(crate) admin: SocketAddr,
    publisher: Arc<Publisher>,
    said: Arc<Mutex<Vec<String>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Preview {
    pub(crate) fn of(folder: &Folder) -> Self {
        Self::start(folder.path(), Limits::default())
    }

    pub(crate) fn start(folder: &Path, limits: Limits) -> Self {
        let relay = Relay::new(&RelaySettings::default()).expect("a relay");
        Self::with_relay(folder, limits, Some(relay))
    }

    /// A preview at the port of one that ended.
    pub(crate) fn again_at(port: u16, folder: &Folder) -> Self {
        Self::at(port, folder.path(), Limits::default(), None)
    }

    /// A preview whose playground sends requests through `relay`.
    pub(crate) fn with_relay(folder: &Path, limits: Limits, relay: Option<Arc<Relay>>) -> Self {
        Self::at(0, folder, limits, relay)
    }

    fn at(port: u16, folder: &Path, limits: Limits, relay: Option<Arc<Relay>>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_stack_size(quire_engine::host::STACK)
            .enable_all()
            .build()
            .expect("a runtime");
        let said = Arc::new(Mutex::new(Vec::new()));
        let to_said = said.clone();
        let preview = dev::Preview {
            folder: folder.to_owned(),
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            id: None,
            port,
            state: None,
            embedder: None,
            // Answers are as new as what was written, however slow the machine is.
            search_deadline: Duration::from_mins(1),
            poll: false,
            mock: true,
            assistant: AssistantSettings {
                chat_completions: true,
                ..AssistantSettings::default()
            },
            relay,
            admin: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
            open: false,
            say: Arc::new(move |line| {
                to_said.lock().expect("nobody panics").push(line.to_owned());
            }),
        };
        let mut running: Running = runtime
            .block_on(dev::start(preview))
            .expect("the preview starts");
        running.limits = limits;
        let admin = running.admin.expect("a listener for administrators");
        let (address, publisher) = (running.address, running.publisher().clone());
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            runtime.block_on(running.serve(async {
                // The sender may be dropped instead: that is a stop as well.
                let _ = stopped.await;
            }));
            runtime.shutdown_timeout(Duration::from_secs(10));
        });
        Self {
            address,
            admin,
            publisher,
            said,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    /// Sends one GET on a connection of its own.
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Reply {
        self.connect().get(target)
    }

    /// The text of the page at `target`, which must be there.
    #[track_caller]
    pub(crate) fn page(&self, target: &str) -> String {
        let reply = self.get(target);
        assert_eq!(reply.status, 200, "{target}");
        reply.text()
    }

    #[track_caller]
    pub(crate) fn status(&self, target: &str) -> u16 {
        self.get(target).status
    }

    pub(crate) fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    pub(crate) fn revision(&self) -> u64 {
        self.publisher.host().revision()
    }

    /// Waits until a line that holds `part` has been said in the terminal.
    #[track_caller]
    pub(crate) fn wait_for_line(&self, part: &str) {
        wait_until(part, || {
            let said = self.said.lock().expect("nobody panics");
            said.iter().any(|line| line.contains(part))
        });
    }

    /// Asks it to stop, without waiting.
    pub(crate) fn ask_to_stop(&mut self) {
        self.stop.take();
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        self.ask_to_stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the preview panicked");
        }
    }
}
