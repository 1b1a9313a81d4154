//! Control socket: `quire status` and `quire stop` talk to the daemon on the same machine. Each
//! state folder has one daemon and one socket.
//!
//! The lease of the folder ends with the process, whatever ends it. A socket that a dead daemon
//! left is replaced by the next one, which has the lease.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

use quire_storage::crash_point;
use quire_storage::directory::Directory;
use quire_storage::folders;
use quire_storage::{Error, Lease, Leases, Term, wait};

/// The lease of a state folder.
const LEASE: &str = "lock";

/// How long a daemon may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// Longest path of a socket that every system takes.
const MAX_SOCKET: usize = 100;

/// The state folder of a daemon, held against every other one.
pub struct StateFolder {
    storage: Directory,
    path: PathBuf,
    /// Ends with the process, whatever ends that. Who only reads needs none.
    lease: Option<Lease>,
    /// Why nothing can be written there.
    closed: Option<Arc<str>>,
}

/// The folder that a daemon keeps its state in unless it is told another: below the user's cache folder.
pub fn default_state() -> anyhow::Result<PathBuf> {
    let base = folders::cache().context("no state folder is known: give `--state DIR`")?;
    Ok(base.join("quire/daemon"))
}

impl StateFolder {
    /// Takes the state folder at `path`, which is made if it is not there; an error if another daemon has it. A folder that
    /// cannot be written is taken to be read ([`StateFolder::closed`]).
    pub fn take(path: &Path) -> anyhow::Result<Self> {
        // A folder that cannot be made cannot be taken either, which says why.
        let _ = Directory::new(path).create();
        let path = path.canonicalize().or_else(|_| std::path::absolute(path))?;
        let storage = Directory::new(&path);
        let (lease, closed) = match wait(storage.take(LEASE, Term::Process)) {
            Ok(lease) => match storage.check_writable() {
                Ok(()) => (Some(lease), None),
                // Whoever may write comes first.
                Err(error) => (None, Some(error)),
            },
            Err(Error::Conflict) => bail!(
                "another daemon runs on the state folder {}; `quire status --state DIR` asks it, or give another folder",
                path.display()
            ),
            Err(error) => (None, Some(error.into_io())),
        };
        crash_point::reach("state-locked");
        let closed = closed.map(|error| {
            let path = path.display();
            Arc::from(format!(
                "the state folder {path} cannot be written: {error}"
            ))
        });
        Ok(Self {
            storage,
            path,
            lease,
            closed,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why nothing can be written there; `None` if it can.
    pub fn closed(&self) -> Option<&Arc<str>> {
        self.closed.as_ref()
    }

    /// Starts listening. The socket exists when this returns.
    pub fn listen(&self) -> anyhow::Result<tokio::net::UnixListener> {
        let path = socket(&self.path);
        if let Some(folder) = path.parent() {
            let mut make = fs::DirBuilder::new();
            make.recursive(true).mode(0o700).create(folder)?;
        }
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("remove {}", path.display())),
        }
        crash_point::reach("socket-removed");
        let listener = tokio::net::UnixListener::bind(&path)
            .with_context(|| format!("listen on {}", path.display()))?;
        crash_point::reach("socket-bound");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    }
}

impl Drop for StateFolder {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            // The next daemon replaces it if this fails.
            let _ = fs::remove_file(socket(&self.path));
            let _ = wait(self.storage.release(lease));
        }
    }
}

/// The socket of the daemon on `state`: in the folder, or, if its path is too long for one, in the folder for temporary
/// files under a name that only the path gives.
fn socket(state: &Path) -> PathBuf {
    let inside = state.join("socket");
    if inside.as_os_str().len() <= MAX_SOCKET {
        return inside;
    }
    let name =
        queries::base::content::ContentHash::of(state.as_os_str().as_encoded_bytes()).short();
    std::env::temp_dir()
        .join(format!("quire-{name}"))
        .join("socket")
}

/// Asks the daemon on the state folder `state`; `words` is `status` or `stop`.
pub fn ask(state: &Path, words: &str) -> anyhow::Result<Value> {
    Ok(converse(state, words)?.0)
}

/// Asks the daemon on the state folder `state` to end, and waits until its process has, whatever ends it.
pub fn stop(state: &Path) -> anyhow::Result<()> {
    let (_, mut stream) = converse(state, "stop")?;
    let process = process_at(stream.get_ref());
    // The daemon keeps its end until its files are closed, which is the last but one thing that a process does.
    stream.get_ref().set_read_timeout(None)?;
    match stream.read_to_end(&mut Vec::new()) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => return Err(error).context("wait for the end of the daemon"),
    }
    if let Some(process) = process {
        wait_for(&process);
    }
    Ok(())
}

/// The process at the other end of `stream`, where the system can name it and its end can be waited for.
#[cfg(target_os = "linux")]
fn process_at(stream: &UnixStream) -> Option<std::os::fd::OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    let peer = rustix::net::sockopt::socket_peercred(stream).ok()?;
    pidfd_open(peer.pid, PidfdFlags::empty()).ok()
}

/// Waits until `process` has ended, or a moment has passed: it has closed its files already.
#[cfg(target_os = "linux")]
fn wait_for(process: &std::os::fd::OwnedFd) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let moment = Timespec {
        tv_sec: 10,
        tv_nsec: 0,
    };
    // A signal ends the wait as well; then it is over by now in all likelihood.
    let _ = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&moment));
}

#[cfg(not(target_os = "linux"))]
fn process_at(_: &UnixStream) -> Option<std::convert::Infallible> {
    None
}

#[cfg(not(target_os = "linux"))]
fn wait_for(process: &std::convert::Infallible) {
    match *process {}
}

/// Sends a request of HTTP to the daemon on the state folder `state`; returns the status and the
/// body of the reply, which is JSON.
pub fn request(
    state: &Path,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> anyhow::Result<(u16, Value)> {
    let mut stream = connect(state)?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let kind = match body.is_empty() {
        true => "",
        false => "Content-Type: application/json\r\n",
    };
    let length = body.len();
    // The end of the connection is the end of the reply.
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{kind}Content-Length: {length}\r\n\r\n{body}"
    )?;
    let mut reply = Vec::new();
    stream
        .read_to_end(&mut reply)
        .context("the daemon does not answer")?;
    let reply = String::from_utf8_lossy(&reply);
    let (head, body) = reply
        .split_once("\r\n\r\n")
        .context("the daemon does not answer in HTTP")?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status = status.context("the daemon does not answer in HTTP")?;
    let body = serde_json::from_str(body).context("the daemon does not answer in JSON")?;
    Ok((status, body))
}

fn connect(state: &Path) -> anyhow::Result<UnixStream> {
    let state = state.canonicalize().unwrap_or_else(|_| state.to_owned());
    let stream = UnixStream::connect(socket(&state))
        .map_err(|_| anyhow::anyhow!("no daemon runs on the state folder {}", state.display()))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn converse(state: &Path, words: &str) -> anyhow::Result<(Value, BufReader<UnixStream>)> {
    let stream = connect(state)?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(&stream, "quire/{version} {words}")?;
    let mut answer = String::new();
    let mut stream = BufReader::new(stream);
    stream
        .read_line(&mut answer)
        .context("the daemon does not answer")?;
    let answer: Value =
        serde_json::from_str(&answer).context("the daemon answers in another language")?;
    match answer["error"].as_str() {
        Some(error) => bail!("{error}"),
        None => Ok((answer, stream)),
    }
}

/// What a line that was sent to the socket asks for: the words after a version that is ours, or what is to be said instead.
pub fn parse_request(line: &str) -> Result<&str, String> {
    let ours = env!("CARGO_PKG_VERSION");
    let (version, words) = line
        .trim_end()
        .strip_prefix("quire/")
        .and_then(|rest| rest.split_once(' '))
        .ok_or("send `quire/VERSION status` or `quire/VERSION stop`")?;
    match version == ours {
        true => Ok(words),
        false => Err(format!(
            "the daemon is version {ours}, and this is {version}: use the same one"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_folder_has_one_daemon() {
        let folder = tempfile::tempdir().unwrap();
        let first = StateFolder::take(folder.path()).unwrap();
        let error = StateFolder::take(folder.path()).err().expect("it is taken");
        assert!(error.to_string().contains("another daemon"), "{error}");
        drop(first);
        StateFolder::take(folder.path()).expect("it is free again");
    }

    #[test]
    fn a_socket_fits_whatever_the_folder() {
        let long = PathBuf::from(format!("/tmp/{}", "x".repeat(200)));
        assert!(socket(&long).as_os_str().len() <= MAX_SOCKET);
        assert_ne!(socket(&long), socket(&long.join("y")));
    }

    #[test]
    fn another_version_is_refused() {
        assert!(
            parse_request("quire/0.0.0 status")
                .unwrap_err()
                .contains("use the same")
        );
        assert_eq!(
            parse_request(concat!("quire/", env!("CARGO_PKG_VERSION"), " stop\n")),
            Ok("stop")
        );
        assert!(parse_request("stop").is_err());
    }
}
