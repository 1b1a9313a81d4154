//! What a service manager does to a daemon: it waits for its notices (sd_notify(3)) and asks it by signals.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::time::{ClockId, clock_gettime};

use crate::support::client::Connection;
use crate::support::folder::Folder;
use crate::support::process::Process;
use crate::support::{PATIENCE, museum, wait_until};

/// A daemon of the museum and the socket of its service manager.
struct ManagedDaemon {
    process: Process,
    notices: UnixDatagram,
    state: Folder,
}

impl ManagedDaemon {
    /// Returns as soon as the daemon says where it listens.
    fn start() -> Self {
        let state = Folder::new(&[]);
        state.write("quire.toml", config("the-museum"));
        let notices = UnixDatagram::bind(state.at("notices")).expect("a socket");
        notices.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command.env("NOTIFY_SOCKET", state.at("notices"));
        Self {
            process: Process::start_by(&mut command, &state),
            notices,
            state,
        }
    }

    fn send(&self, signal: Signal) {
        let pid = Pid::from_child(&self.process.child);
        kill_process(pid, signal).expect("it runs");
    }

    #[track_caller]
    fn notice(&self) -> String {
        let mut notice = [0; 256];
        let length = self.notices.recv(&mut notice).expect("a notice");
        String::from_utf8_lossy(&notice[..length]).into_owned()
    }

    #[track_caller]
    fn end(&mut self) -> ExitStatus {
        self.process.end()
    }
}

fn config(id: &str) -> String {
    format!(
        "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\n[sites.{id}]\nroot = {:?}\nwatch = false\n[limits]\nstop_seconds = 3600\n",
        museum()
    )
}

#[test]
fn a_signal_in_the_moment_of_the_start_is_taken() {
    let mut daemon = ManagedDaemon::start();
    daemon.state.write("quire.toml", config("another-name"));
    let asked = clock_gettime(ClockId::Monotonic);
    daemon.send(Signal::HUP);
    assert_eq!(daemon.notice(), "READY=1");
    let reloading = daemon.notice();
    let began = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=");
    let began: i64 = began
        .and_then(|began| began.parse().ok())
        .expect(&reloading);
    // One that began earlier is no answer to this signal, and is ignored.
    assert!(
        began >= asked.tv_sec * 1_000_000 + asked.tv_nsec / 1_000,
        "{reloading} after {asked:?}"
    );
    assert_eq!(daemon.notice(), "READY=1");
    let status = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["status", "--json", "--state"])
        .arg(daemon.state.at("state"))
        .output()
        .expect("it runs");
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["sites"][0]["id"], "another-name", "{status}");
    daemon.send(Signal::TERM);
    assert_eq!(daemon.notice(), "STOPPING=1");
    assert_eq!(daemon.end().code(), Some(0));
}

#[test]
fn asked_to_end_at_once_it_ends_in_order() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut daemon = ManagedDaemon::start();
        daemon.send(signal);
        assert_eq!(daemon.notice(), "READY=1");
        assert_eq!(daemon.notice(), "STOPPING=1");
        assert_eq!(daemon.end().code(), Some(0));
    }
}

#[test]
fn asked_twice_it_waits_for_nobody() {
    let mut daemon = ManagedDaemon::start();
    assert_eq!(daemon.notice(), "READY=1");
    let mut slow = Connection::open(daemon.process.address);
    // Its body never comes.
    slow.send(
        "POST /api/sites/the-museum/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: 9\r\nExpect: 100-continue\r\n\r\n",
    );
    // Whoever reads the body asks for it.
    let (status, _) = slow.try_head().expect("a reply");
    assert_eq!(status, 100);
    daemon.send(Signal::TERM);
    assert_eq!(daemon.notice(), "STOPPING=1");
    daemon.send(Signal::TERM);
    assert_eq!(daemon.end().code(), Some(1));
}

/// Whoever asks a daemon to end may start the next one at once.
#[test]
fn a_stop_waits_until_the_process_has_ended() {
    let mut daemon = ManagedDaemon::start();
    assert_eq!(daemon.notice(), "READY=1");
    // It is reading a body that does not come: until that is cut off the daemon is there.
    let mut slow = Connection::open(daemon.process.address);
    slow.send(
        "POST /api/sites/the-museum/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: 9\r\nExpect: 100-continue\r\n\r\n",
    );
    assert_eq!(slow.try_head().expect("a reply").0, 100);
    let mut stop = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["stop", "--state"])
        .arg(daemon.state.at("state"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    assert_eq!(daemon.notice(), "STOPPING=1");
    assert!(stop.try_wait().expect("a child").is_none(), "it waits");
    slow.send("{\"query\":");
    drop(slow);
    let output = stop.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"the daemon has stopped\n");
    let ended = daemon.process.child.try_wait().expect("a child");
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
}

/// `quire daemon 2>&1 | head -1`: the reader of the log goes away, and visitors do not notice.
#[test]
fn a_log_that_nobody_reads_costs_nothing() {
    let (site, state) = (Folder::copy_of(&museum()), Folder::new(&[]));
    let text = config("the-museum").replace("watch = false", "watch = true");
    let root = format!("{:?}", museum());
    state.write(
        "quire.toml",
        text.replace(&root, &format!("{:?}", site.path())),
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["daemon", "--log", "json", "--config"])
        .arg(state.at("quire.toml"))
        .env("QUIRE_LOG", "debug")
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let address = loop {
        let line = lines.next().expect("a line").expect("UTF-8");
        let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(address) = event["address"].as_str() {
            break address.parse().expect("an address");
        }
    };
    drop(lines);
    let words = "---\ntitle: New\n---\n\nnew-words\n";
    for i in 0..3 {
        let path = format!("new-{i}");
        site.write(&format!("{path}.mdx"), words);
        wait_until("it is published", || {
            Connection::open(address).get(&format!("/{path}")).status == 200
        });
    }
    assert!(child.try_wait().expect("a child").is_none(), "it runs");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_setting_that_is_not_taken_up_is_said() {
    let state = Folder::new(&[]);
    state.write("quire.toml", config("the-museum"));
    let log = state.at("log");
    let mut child = Command::new("bash")
        .args(["-c", "exec \"$0\" \"$@\" 2>\"$LOG\""])
        .arg(env!("CARGO_BIN_EXE_quire"))
        .args(["daemon", "--config"])
        .arg(state.at("quire.toml"))
        .env("LOG", &log)
        .spawn()
        .expect("it starts");
    let said = || std::fs::read_to_string(&log).unwrap_or_default();
    wait_until("it is ready", || said().contains("ready"));
    let other = config("the-museum")
        .replace("127.0.0.1:0", "127.0.0.2:0")
        .replace(
            "watch = false",
            "watch = false\ntoken_env = \"QUIRE_TEST_UNSET\"",
        );
    state.write("quire.toml", other);
    kill_process(Pid::from_child(&child), Signal::HUP).expect("it runs");
    wait_until("it is said", || {
        said().contains("`listen.address` changed; restart the daemon to apply it")
    });
    assert!(!said().contains("`limits` has changed"), "{}", said());
    let token = "no deployment with a token of the site the-museum is accepted: read the variable QUIRE_TEST_UNSET";
    assert!(said().contains(token), "{}", said());
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
