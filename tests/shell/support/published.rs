//! Processes that share a storage, and the ways between them and it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use super::client::Reply;
use super::daemon::{json, send};
use super::folder::Folder;
use super::process::Process;
use super::program::quire;
use super::wait_until;

/// Where the deployments of the site of [`shared`] are.
#[cfg(feature = "postgres")]
pub(crate) const DEPLOYMENTS: &str = "/api/sites/one/deployments";

/// Names and values of variables of the environment.
pub(crate) type Variables = Vec<(String, String)>;

pub(crate) fn command(variables: &Variables) -> Command {
    let mut command = quire();
    command.env_remove("QUIRE_STATE").envs(variables.clone());
    command
}

/// Writes the configuration of a daemon that publishes `folder` to the storage that `places` name.
pub(crate) fn shared(state: &Folder, folder: &Folder, places: &str) {
    let text = format!(
        "state = {:?}\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n\
         [storage]\n{places}\n[sites.one]\nroot = {:?}\nwatch = false\n",
        state.at("state").display().to_string(),
        folder.path().display().to_string(),
    );
    state.write("quire.toml", &text);
}

pub(crate) fn daemon(state: &Folder, variables: &Variables) -> Process {
    Process::start_by(&mut command(variables), state)
}

/// A server of what is published at the place that `from`, options of it, name.
pub(crate) fn server(from: &[&str], variables: &Variables) -> Process {
    let mut command = command(variables);
    command.args(["serve", "--log", "json", "--listen", "127.0.0.1:0"]);
    Process::listen(command.args(from)).expect("it listens")
}

#[track_caller]
pub(crate) fn post(daemon: &Process, target: &str) -> Value {
    let reply = send(daemon.admin(), "POST", "localhost", target, &[], "");
    assert!(reply.status < 300, "{target}: {}", reply.text());
    let location = reply.header("location").expect("a place").to_owned();
    let mut deployment = Value::Null;
    wait_until("the deployment ends", || {
        deployment = json(&send(
            daemon.admin(),
            "GET",
            "localhost",
            &location,
            &[],
            "",
        ));
        matches!(deployment["status"].as_str(), Some("success" | "failure"))
    });
    assert_eq!(deployment["status"], "success", "{deployment}");
    deployment
}

/// The deployments that `daemon` lists, by number: status and cause.
#[cfg(feature = "postgres")]
pub(crate) fn listed(daemon: &Process) -> Vec<(u64, String, String)> {
    let reply = send(daemon.admin(), "GET", "localhost", DEPLOYMENTS, &[], "");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> = json(&reply)["deployments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let id = one["id"].as_u64().expect("a number");
            (id, text(&one["status"]), text(&one["cause"]))
        })
        .collect();
    all.sort();
    all
}

pub(crate) fn get(address: SocketAddr, target: &str) -> Reply {
    send(address, "GET", "one.localhost", target, &[], "")
}

/// A way to a store that can be cut, fall silent, and lose an answer.
pub(crate) struct Way {
    pub(crate) address: SocketAddr,
    state: Arc<WayState>,
}

#[derive(Default)]
struct WayState {
    is_cut: AtomicBool,
    is_silent: AtomicBool,
    /// Bytes of a request whose answer is lost, with the connection.
    losing: Mutex<Option<&'static [u8]>>,
    open: Mutex<Vec<TcpStream>>,
}

impl Way {
    /// To `store`, an address or the path of a socket.
    pub(crate) fn to(store: &str) -> Self {
        let store = store.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let way = Self {
            address: listener.local_addr().expect("an address"),
            state: Arc::default(),
        };
        let state = way.state.clone();
        // All of it ends with the process.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if state.is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let to = match store.starts_with('/') {
                    false => TcpStream::connect(&store),
                    // It reads, writes and shuts down as any socket.
                    true => UnixStream::connect(&store).map(|to| OwnedFd::from(to).into()),
                };
                // It may have been stopped.
                let Ok(to) = to else { continue };
                let is_lost = Arc::new(AtomicBool::new(false));
                for (from, to, is_request) in [(&client, &to, true), (&to, &client, false)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    state.open.lock().unwrap().push(from.try_clone().unwrap());
                    let (state, is_lost) = (state.clone(), is_lost.clone());
                    std::thread::spawn(move || {
                        // A cut is an error of both.
                        let _ = state.pass(&from, &to, is_request, &is_lost);
                        let _ = from.shutdown(Shutdown::Both);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        way
    }

    pub(crate) fn cut(&self) {
        self.state.is_cut.store(true, Ordering::SeqCst);
        for stream in self.state.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub(crate) fn mend(&self) {
        self.state.is_cut.store(false, Ordering::SeqCst);
        self.state.is_silent.store(false, Ordering::SeqCst);
    }

    /// Nothing comes through any more, and nobody is told.
    pub(crate) fn silence(&self) {
        self.state.is_silent.store(true, Ordering::SeqCst);
    }

    /// The next request with `bytes` comes through, its answer does not.
    pub(crate) fn lose_answer_to(&self, bytes: &'static [u8]) {
        *self.state.losing.lock().unwrap() = Some(bytes);
    }
}

impl WayState {
    fn pass(
        &self,
        mut from: &TcpStream,
        mut to: &TcpStream,
        is_request: bool,
        is_lost: &AtomicBool,
    ) -> io::Result<()> {
        let mut buffer = [0; 64 << 10];
        loop {
            let length = from.read(&mut buffer)?;
            if length == 0 {
                return Ok(());
            }
            while self.is_silent.load(Ordering::SeqCst) {
                std::thread::park_timeout(Duration::from_millis(5));
            }
            let mut losing = self.losing.lock().unwrap();
            let has = |bytes: &[u8]| buffer[..length].windows(bytes.len()).any(|at| at == bytes);
            if is_request && losing.is_some_and(has) {
                *losing = None;
                is_lost.store(true, Ordering::SeqCst);
            } else if !is_request && is_lost.load(Ordering::SeqCst) {
                return Ok(());
            }
            drop(losing);
            to.write_all(&buffer[..length])?;
        }
    }
}
