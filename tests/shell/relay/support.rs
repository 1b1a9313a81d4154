//! An API on loopback that records what it is sent, the site that documents it, and requests as the
//! playground sends them.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use quire_http::server;
use quire_net::network::guard::{Lookup, LookupResult, Network, is_public};
use quire_net::relay::{Limits, Relay};
use quire_settings::RelaySettings;
use serde_json::{Value, json};

use crate::support::client::{Connection, Reply};
use crate::support::folder::Folder;
use crate::support::preview::Preview;
use crate::support::{PATIENCE, wait_until};

/// A request as an API got it.
#[derive(Clone, Debug)]
pub(super) struct ReceivedRequest {
    /// Request line and fields, as they were sent.
    pub(super) head: String,
    pub(super) body: Vec<u8>,
    /// Whether the body came to its end.
    pub(super) is_whole: bool,
}

/// An API. It ends with the process of the tests.
pub(super) struct Api {
    pub(super) address: SocketAddr,
    pub(super) seen: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Api {
    /// An API that answers each request by `answer`, and closes the connection after it.
    pub(super) fn start(
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        Self::at("127.0.0.1:0", answer)
    }

    pub(super) fn at(
        address: &str,
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let (log, answer) = (seen.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (log.clone(), answer.clone());
                let thread = std::thread::Builder::new().stack_size(256 << 10);
                let serving = thread.spawn(move || {
                    stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
                    stream.set_write_timeout(Some(PATIENCE)).expect("a limit");
                    let mut reader = BufReader::new(stream);
                    let seen = read(&mut reader);
                    log.lock().expect("nobody panics").push(seen.clone());
                    answer(&seen, reader.get_mut());
                });
                serving.expect("a thread");
            }
        });
        Self { address, seen }
    }

    /// An API that answers each request with `reply`.
    pub(super) fn saying(reply: impl Into<Vec<u8>>) -> Self {
        let reply = reply.into();
        // The relay may have gone.
        Self::start(move |_, stream| drop(stream.write_all(&reply)))
    }

    /// An API that gives each of `replies` once, in their order.
    pub(super) fn script(replies: &[String]) -> Self {
        let replies: Mutex<VecDeque<String>> = Mutex::new(replies.iter().cloned().collect());
        Self::start(move |_, stream| {
            let reply = replies.lock().expect("nobody panics").pop_front();
            let reply = reply.unwrap_or_else(|| answer("500 Nothing Left", "", ""));
            let _ = stream.write_all(reply.as_bytes());
        })
    }

    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn take_seen(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut *self.seen.lock().expect("nobody panics"))
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> ReceivedRequest {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            break;
        }
    }
    let field = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(':'));
        let mut named = lines.filter(|(of, _)| of.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.trim().to_owned())
    };
    let (mut body, mut is_whole) = (Vec::new(), true);
    if let Some(length) = field("content-length") {
        let length: u64 = length.parse().expect("a length");
        let _ = reader.take(length).read_to_end(&mut body);
        is_whole = body.len() as u64 == length;
    } else if field("transfer-encoding").is_some() {
        is_whole = read_chunks(reader, &mut body).is_some();
    }
    ReceivedRequest {
        head,
        body,
        is_whole,
    }
}

fn read_chunks(reader: &mut BufReader<TcpStream>, body: &mut Vec<u8>) -> Option<()> {
    loop {
        let mut line = String::new();
        reader
            .read_line(&mut line)
            .ok()
            .filter(|count| *count > 0)?;
        let size = u64::from_str_radix(line.trim(), 16).ok()?;
        let before = body.len() as u64;
        reader.take(size).read_to_end(body).ok()?;
        if body.len() as u64 - before < size {
            return None;
        }
        line.clear();
        reader.read_line(&mut line).ok()?;
        if size == 0 {
            return Some(());
        }
    }
}

pub(super) fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// A site whose specification names `servers`, with `{tenant}` for a variable without a list of values.
pub(super) fn site(servers: &[String]) -> Folder {
    let server = |url: &String| match url.contains("{tenant}") {
        true => json!({ "url": url, "variables": { "tenant": { "default": "demo" } } }),
        false => json!({ "url": url }),
    };
    let servers: Vec<Value> = servers.iter().map(server).collect();
    let spec = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "servers": servers,
        "paths": { "/pets": { "get": { "summary": "List pets", "responses": {} } } },
    });
    let config = json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" },
        "navigation": { "groups": [{ "group": "API", "openapi": "api.json" }] },
    });
    Folder::new(&[
        ("docs.json", &config.to_string()),
        ("api.json", &spec.to_string()),
    ])
}

/// Names and what they lead to, one answer after the other; the last one stays.
pub(super) struct Names {
    answers: Mutex<Vec<(String, VecDeque<Vec<IpAddr>>)>>,
    pub(super) asked: Mutex<Vec<String>>,
}

impl Names {
    pub(super) fn new(names: &[(&str, &[&[&str]])]) -> Arc<Self> {
        let answers = names.iter().map(|(name, answers)| {
            let parsed = answers.iter().map(|answer| {
                let addresses = answer.iter().map(|address| address.parse());
                addresses.collect::<Result<_, _>>().expect("addresses")
            });
            ((*name).to_owned(), parsed.collect())
        });
        Arc::new(Self {
            answers: Mutex::new(answers.collect()),
            asked: Mutex::default(),
        })
    }

    /// A network with these names, in which what is public is.
    pub(super) fn network(self: &Arc<Self>) -> Network {
        Network {
            lookup: self.clone(),
            is_public,
        }
    }
}

impl Lookup for Names {
    fn lookup(&self, host: String) -> LookupResult {
        let mut answers = self.answers.lock().expect("nobody panics");
        let known = answers.iter_mut().find(|(name, _)| *name == host);
        let found = known.map(|(_, answers)| match answers.len() {
            1 => answers[0].clone(),
            _ => answers.pop_front().expect("it has answers"),
        });
        self.asked.lock().expect("nobody panics").push(host);
        let nothing = || std::io::Error::new(std::io::ErrorKind::NotFound, "no such name");
        Box::pin(async move { found.ok_or_else(nothing) })
    }
}

/// Settings that let nobody wait, with `allowed` origins.
pub(super) fn settings(allowed: &[String]) -> RelaySettings {
    RelaySettings {
        allow: allowed.to_vec(),
        requests_per_minute: 1_000_000,
        site_requests_per_minute: 1_000_000,
        client_requests: 1000,
        requests: 1000,
        ..RelaySettings::default()
    }
}

/// A preview of a site of its own whose relay reaches `allowed`.
pub(super) struct Playground {
    pub(super) preview: Preview,
    pub(super) relay: Arc<Relay>,
    _folder: Folder,
}

impl Playground {
    /// One that reaches `api`.
    pub(super) fn of(api: &Api) -> Self {
        Self::with(settings(&[api.origin()]), Limits::default())
    }

    pub(super) fn with(settings: RelaySettings, limits: Limits) -> Self {
        Self::within(&[], settings, limits, Network::default())
    }

    /// One of a site whose specification names `servers`, in a network of the test.
    pub(super) fn within(
        servers: &[String],
        settings: RelaySettings,
        limits: Limits,
        network: Network,
    ) -> Self {
        let folder = site(servers);
        let relay = Relay::with(&settings, limits, network).expect("a relay");
        let limits = server::Limits::default();
        Self {
            preview: Preview::with_relay(folder.path(), limits, Some(relay.clone())),
            relay,
            _folder: folder,
        }
    }

    /// Sends a request as the playground does, and reads the reply.
    #[track_caller]
    pub(super) fn send(&self, line: &Value, body: &[u8]) -> Reply {
        let mut connection = self.open(line, body);
        connection.reply()
    }

    /// Sends a request for `url` without a body.
    #[track_caller]
    pub(super) fn get(&self, url: &str) -> Reply {
        self.send(&line_of_get(url), b"")
    }

    /// Sends a request, and reads nothing.
    #[track_caller]
    pub(super) fn open(&self, line: &Value, body: &[u8]) -> Connection {
        let mut connection = self.preview.connect();
        let request = request(&self.host(), line, body);
        connection.send(request);
        connection
    }

    pub(super) fn host(&self) -> String {
        self.preview.address.to_string()
    }

    /// How often requests ended so.
    pub(super) fn ended(&self, outcome: &str) -> u64 {
        let mut all = self.relay.counters.by_outcome();
        let found = all.find(|(name, _)| *name == outcome);
        found.expect("it is counted").1
    }
}

/// The line that asks for `url` without a body.
fn line_of_get(url: &str) -> Value {
    json!({ "method": "GET", "url": url, "headers": [] })
}

/// A request as the playground sends it.
pub(super) fn request(host: &str, line: &Value, body: &[u8]) -> Vec<u8> {
    let line = format!("{line}\n");
    let length = line.len() + body.len();
    let mut request = format!(
        "POST /_quire/relay HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n\
         Cookie: session=own\r\nUser-Agent: Browser\r\nReferer: http://{host}/page\r\nAccept-Language: de\r\nX-Forwarded-For: 192.0.2.1\r\n\
         Quire-Relay: 1\r\nContent-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n{line}"
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

/// The first line of a reply, and what stands behind it.
#[track_caller]
pub(super) fn parts(body: &[u8]) -> (Value, &[u8]) {
    let end = body.iter().position(|byte| *byte == b'\n').expect("a line");
    let line = serde_json::from_slice(&body[..end]).expect("JSON");
    (line, &body[end + 1..])
}

/// The code of an error.
#[track_caller]
pub(super) fn code(reply: &Reply) -> String {
    let error: Value = serde_json::from_slice(&reply.body)
        .unwrap_or_else(|_| panic!("no error: {} {}", reply.status, reply.text()));
    let code = error["error"]["code"].as_str();
    code.unwrap_or_else(|| panic!("no code: {}", reply.text()))
        .to_owned()
}

/// `request` without its length.
pub(super) fn unsized_request(request: &[u8]) -> Vec<u8> {
    let end = request.windows(4).position(|end| end == b"\r\n\r\n");
    let (head, body) = request.split_at(end.expect("a head") + 4);
    let head = String::from_utf8(head.to_vec()).expect("UTF-8");
    let lines = head.trim_end().lines();
    let lines: Vec<&str> = lines
        .filter(|line| !line.starts_with("Content-Length"))
        .collect();
    let head = lines.join("\r\n") + "\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut chunked = head.into_bytes();
    for part in body.chunks(40_000) {
        chunked.extend(format!("{:x}\r\n", part.len()).bytes());
        chunked.extend_from_slice(part);
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    chunked
}

/// `quire dev` in a process of its own, which logs everything but salsa's own traces.
pub(super) struct Program {
    address: SocketAddr,
    child: Child,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Program {
    pub(super) fn start(folder: &Folder, arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quire"))
            .args(["dev", "--port", "0", "--no-state"])
            .args(arguments)
            .current_dir(folder.path())
            // Salsa sees no requests, and its megabytes would push other lines out of the queue.
            .env("QUIRE_LOG", "trace,salsa=off")
            .env("XDG_CACHE_HOME", folder.at("cache"))
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut log = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = String::new();
        let address = loop {
            let before = said.len();
            assert!(log.read_line(&mut said).expect("UTF-8") > 0, "{said}");
            if let Some((_, rest)) = said[before..].split_once(" at http://") {
                let address = rest.split(' ').next().expect("an address");
                break address.parse().expect("an address");
            }
        };
        let whole = Arc::new(Mutex::new(said));
        let tail = Arc::clone(&whole);
        // The pipe is emptied for as long as there is one.
        let reader = std::thread::spawn(move || {
            for line in log.lines() {
                let line = line.expect("UTF-8");
                tail.lock().expect("no panic").extend([&*line, "\n"]);
            }
        });
        Self {
            address,
            child,
            log: whole,
            reader: Some(reader),
        }
    }

    #[track_caller]
    pub(super) fn send(&self, line: &Value, body: &[u8]) -> Reply {
        let mut connection = Connection::open(self.address);
        connection.send(request(&self.address.to_string(), line, body));
        connection.reply()
    }

    /// Sends a request for `url` without a body.
    #[track_caller]
    pub(super) fn get(&self, url: &str) -> Reply {
        self.send(&line_of_get(url), b"")
    }

    /// Waits until `words` are logged, ends the process, and returns the log.
    #[track_caller]
    pub(super) fn log_until(mut self, words: &str) -> String {
        // A thread of its own writes the log, so a response may be here before its lines are.
        wait_until(words, || self.log.lock().expect("no panic").contains(words));
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
        let reader = self.reader.take().expect("it is read once");
        reader.join().expect("the log is read");
        std::mem::take(&mut *self.log.lock().expect("no panic"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has ended already, but for a test that failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
