//! Databases of a PostgreSQL server of the tests (`tests/shell/postgres`).

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use super::repository;

/// A server that ends with this process, with its input; a line of that is a command.
pub(crate) struct Server {
    /// Folder of its socket.
    pub(crate) socket: String,
    lines: Mutex<(Child, BufReader<std::process::ChildStdout>)>,
}

impl Server {
    /// Starts a server with an empty cluster of its own; `None` if there is no PostgreSQL here.
    pub(crate) fn start() -> Option<Self> {
        let mut process = Command::new(repository().join("tests/shell/postgres"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        let mut socket = String::new();
        output.read_line(&mut socket).expect("a line");
        let socket = socket.trim().to_owned();
        if socket.is_empty() {
            process.wait().expect("it ends");
            return None;
        }
        Some(Self {
            socket,
            lines: Mutex::new((process, output)),
        })
    }

    /// Runs `command`, which is `stop`, `kill`, `start` or `sql DATABASE STATEMENT`, and waits for its end.
    pub(crate) fn ask(&self, command: &str) -> String {
        let mut lines = self.lines.lock().expect("no test has failed here");
        let (process, output) = &mut *lines;
        let input = process.stdin.as_mut().expect("its input");
        writeln!(input, "{command}").expect("it reads");
        let mut answer = String::new();
        loop {
            let mut line = String::new();
            output.read_line(&mut line).expect("a line");
            match line.trim_end() {
                "done" => return answer,
                "failed" | "" => panic!("{command}: {answer}"),
                line => answer += line,
            }
        }
    }

    /// Makes an empty database and returns its address.
    pub(crate) fn database(&self) -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("docs{}", COUNT.fetch_add(1, Ordering::SeqCst));
        self.ask(&format!("sql postgres create database {name}"));
        let socket = self.socket.replace('/', "%2F");
        format!("postgres://postgres@{socket}/{name}")
    }
}

/// The server that tests share.
static SERVER: OnceLock<Option<Server>> = OnceLock::new();

/// Returns the address of a new database of a server that all tests share; `None`, and a line that
/// says so, if there is no PostgreSQL here.
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
pub(crate) fn database(test: &str) -> Option<String> {
    let Some(server) = SERVER.get_or_init(Server::start) else {
        eprintln!("SKIPPED {test} on a database: install the Debian package postgresql first");
        return None;
    };
    Some(server.database())
}

/// Runs `statement` in a database of [`database`], of which `url` is the address.
#[cfg(feature = "postgres")]
pub(crate) fn sql(url: &str, statement: &str) {
    let server = SERVER.get().and_then(Option::as_ref);
    let (_, name) = url.rsplit_once('/').expect("a path");
    server
        .expect("a server")
        .ask(&format!("sql {name} {statement}"));
}
