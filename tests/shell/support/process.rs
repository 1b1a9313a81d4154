//! A daemon in a process of its own: it can be killed, and asked by signals.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::Value;

use super::folder::Folder;
use super::wait_until;

/// A daemon in a process of its own.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// Where its administrator comes in, if its configuration says so.
    pub(crate) admin: Option<SocketAddr>,
    /// What its log said until it listened.
    pub(crate) said: Vec<String>,
}

impl Process {
    pub(crate) fn start(state: &Folder) -> Self {
        Self::start_by(&mut Command::new(env!("CARGO_BIN_EXE_quire")), state)
    }

    /// One whose files can have 8 KiB at most: the nearest to a full disk that a test can have for itself.
    pub(crate) fn start_on_a_full_disk(state: &Folder) -> Self {
        let script = "trap '' XFSZ; ulimit -Sf 8; exec \"$0\" \"$@\"";
        let mut command = Command::new("bash");
        command.args(["-c", script, env!("CARGO_BIN_EXE_quire")]);
        Self::start_by(&mut command, state)
    }

    pub(crate) fn start_by(command: &mut Command, state: &Folder) -> Self {
        Self::try_start_by(command, state).expect("it listens")
    }

    /// How it ended, if it did before it listened.
    pub(crate) fn try_start_by(command: &mut Command, state: &Folder) -> Result<Self, ExitStatus> {
        command
            .args(["daemon", "--log", "json", "--config"])
            .arg(state.at("quire.toml"));
        Self::listen(command)
    }

    /// Runs `command`, which logs JSON, until it listens. How it ended, if it did before.
    pub(crate) fn listen(command: &mut Command) -> Result<Self, ExitStatus> {
        let mut child = command
            .env_remove("QUIRE_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut said = Vec::new();
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let (address, admin) = loop {
            let Some(line) = lines.next() else {
                return Err(child.wait().expect("it ends"));
            };
            let line = line.expect("UTF-8");
            said.push(line.clone());
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(address) = event["address"].as_str() {
                let admin = event["admin"].as_str();
                let admin = admin.map(|admin| admin.parse().expect("an address"));
                break (address.parse().expect("an address"), admin);
            }
        };
        // The pipe is emptied for as long as there is one.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self {
            child,
            address,
            admin,
            said,
        })
    }

    /// Where its administrator comes in; what is there for visitors is there, too.
    #[track_caller]
    pub(crate) fn admin(&self) -> SocketAddr {
        self.admin.expect("a listener for administrators")
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        // It may have been killed already.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        self.end()
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn end(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("it ends", || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        status.expect("its status")
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program as someone whom modes concern: whoever may everything becomes nobody.
pub(crate) fn quire_as_nobody() -> Command {
    let quire = env!("CARGO_BIN_EXE_quire");
    let mut command = match geteuid().is_root() {
        true => Command::new("setpriv"),
        false => Command::new(quire),
    };
    if geteuid().is_root() {
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", quire]);
    }
    command.env_remove("QUIRE_LOG").env_remove("QUIRE_STATE");
    command
}
