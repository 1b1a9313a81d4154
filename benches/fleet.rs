//! A daemon and two servers on one storage: deployments a second, time from a deployment to its page on
//! another machine, cold pages, bytes in the storage, and what is lost while processes are killed.
//!
//! `cargo bench --features s3,postgres --bench fleet -- [PLACE]`: a new folder, `s3://BUCKET/PREFIX` or
//! `postgres://USER@HOST/DATABASE`, which must be empty. `QUIRE_FLEET_SITES` (1,000) sites of ten pages;
//! `QUIRE_FLEET_KILLS` (6) processes are killed, by turns, one every `QUIRE_FLEET_PAUSE` (20) seconds.

#![allow(clippy::print_stdout, reason = "figures for who measures")]

#[path = "support/spread.rs"]
mod spread;
#[path = "support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quire::place::Place;
use quire_storage::wait;
use serde_json::Value;
use spread::spread;
use support::random_numbers::Random;

const PAGES: usize = 10;
/// Deployments of which the time to the other machines is measured.
const MEASURED: usize = 200;

fn number(name: &str, default: usize) -> usize {
    let value = std::env::var(name).ok();
    value.map_or(default, |value| value.parse().expect("a number"))
}

/// A process of the program that listens.
struct Node {
    child: Child,
    address: SocketAddr,
    admin: Option<SocketAddr>,
}

impl Node {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quire"))
            .args(arguments)
            .args(["--log", "json"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        loop {
            let Some(Ok(line)) = lines.next() else {
                panic!("it did not listen: {:?}", child.wait());
            };
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            let at = |name: &str| event[name].as_str().and_then(|at| at.parse().ok());
            if let Some(address) = at("address") {
                std::thread::spawn(move || lines.for_each(drop));
                let admin = at("admin");
                break Self {
                    child,
                    address,
                    admin,
                };
            }
        }
    }

    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Resident memory in MB.
    fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().split(' ').next());
        kilobytes.map_or(0.0, |kilobytes| {
            kilobytes.parse::<f64>().unwrap_or(0.0) * 1024.0 / 1e6
        })
    }
}

/// Status and body; `None` if nobody answers.
fn ask(address: SocketAddr, method: &str, host: &str, target: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .ok()?;
    let request = format!(
        "{method} {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).ok()?;
    let reply = String::from_utf8_lossy(&reply).into_owned();
    let status = reply.split(' ').nth(1)?.parse().ok()?;
    Some((status, reply))
}

fn site(n: usize) -> String {
    format!("site{n}")
}

struct Fleet {
    folder: PathBuf,
    place: String,
    sites: usize,
}

impl Fleet {
    fn page(&self, n: usize, word: &str) {
        let text = format!("---\ntitle: Page\n---\n\nThe word is {word}.\n");
        let page = self.folder.join(format!("sites/{}/word.mdx", site(n)));
        std::fs::write(page, text).expect("write");
    }

    fn write(&self) {
        let mut config = format!(
            "state = {:?}\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n[rates]\nclient_deployments = 1000000\nsite_deployments = 1000000\n",
            self.folder.join("state").display().to_string()
        );
        if let Ok(place) = self.place.parse::<Place>() {
            match place {
                Place::Database(url) => config += &format!("[storage]\nrecords = {url:?}\n"),
                Place::Bucket(url) => config += &format!("[storage]\nblobs = {url:?}\n"),
                _ => {}
            }
        }
        for n in 0..self.sites {
            let folder = self.folder.join("sites").join(site(n));
            let seed = u64::try_from(n).expect("a small number");
            for (path, text) in support::site(PAGES - 1, seed) {
                let text = match path == "docs.json" {
                    true => {
                        let mut value: Value = serde_json::from_str(&text).expect("JSON");
                        value["name"] = site(n).into();
                        value.to_string()
                    }
                    false => text,
                };
                let path = folder.join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("make folders");
                std::fs::write(path, text).expect("write");
            }
            self.page(n, "none");
            config += &format!(
                "[sites.{}]\nroot = {:?}\nwatch = false\n",
                site(n),
                folder.display().to_string()
            );
        }
        std::fs::write(self.folder.join("quire.toml"), config).expect("write");
    }

    fn daemon(&self) -> Node {
        let config = self.folder.join("quire.toml").display().to_string();
        Node::start(&["daemon", "--config", &config])
    }

    fn server(&self, cache: &str) -> Node {
        let cache = self.folder.join(cache).display().to_string();
        let listen = ["--listen", "127.0.0.1:0", "--cache", &cache];
        Node::start(&[&["serve", "--from", &self.place], &listen[..]].concat())
    }

    /// Waits for the end of the deployments of the site `n` that have begun; returns the number of the last one that was
    /// published.
    fn published(&self, daemon: &Node, n: usize) -> Option<u64> {
        let target = format!("/api/sites/{}/deployments", site(n));
        let (status, reply) = ask(daemon.admin?, "GET", "localhost", &target)?;
        let body = reply.split_once("\r\n\r\n").map(|(_, body)| body)?;
        let list: Value = serde_json::from_str(body).ok()?;
        let all = list["deployments"].as_array()?;
        let is_open =
            |one: &&Value| matches!(one["status"].as_str(), Some("queued" | "in_progress"));
        if status != 200 || all.iter().any(|one| is_open(&one)) {
            return None;
        }
        let mut published = all.iter().filter(|one| one["status"] == "success");
        published.next()?["id"].as_u64()
    }

    fn deploy(&self, daemon: &Node, n: usize) -> bool {
        let target = format!("/api/sites/{}/deployments", site(n));
        let accepted = daemon
            .admin
            .and_then(|admin| ask(admin, "POST", "localhost", &target));
        accepted.is_some_and(|(status, _)| status == 202)
    }
}

fn host(n: usize) -> String {
    format!("{}.localhost", site(n))
}

fn shows(node: &Node, n: usize, word: &str) -> bool {
    let reply = ask(node.address, "GET", &host(n), "/word.md");
    reply.is_some_and(|(status, text)| status == 200 && text.contains(word))
}

fn main() {
    let named = std::env::args()
        .skip(1)
        .find(|name| !name.starts_with("--"));
    let own = tempfile::tempdir().expect("a folder");
    let fleet = Fleet {
        folder: own.path().to_owned(),
        place: named.unwrap_or_else(|| own.path().join("state").display().to_string()),
        sites: number("QUIRE_FLEET_SITES", 1000),
    };
    fleet.write();
    let began = Instant::now();
    let daemon = fleet.daemon();
    println!("daemon: listens after {:.2?}", began.elapsed());
    publish_all(&fleet, &daemon, began);
    let began = Instant::now();
    let one = fleet.server("one");
    println!(
        "server: listens with {} sites after {:.2?}",
        fleet.sites,
        began.elapsed()
    );
    let other = fleet.server("other");
    cold(&fleet, &one);
    sizes(&fleet);
    follow(&fleet, &daemon, [&one, &other]);
    println!(
        "memory: daemon {:.0} MB, servers {:.0} and {:.0} MB",
        daemon.memory(),
        one.memory(),
        other.memory()
    );
    kills(&fleet, daemon, [one, other]);
}

/// Waits until the daemon has stored every site, then deploys a change of each.
fn publish_all(fleet: &Fleet, daemon: &Node, began: Instant) {
    for n in 0..fleet.sites {
        while fleet.published(daemon, n).is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    println!(
        "start: {} sites of {PAGES} pages are stored {:.1?} after the start",
        fleet.sites,
        began.elapsed()
    );
    for n in 0..fleet.sites {
        fleet.page(n, "first");
    }
    let next = AtomicUsize::new(0);
    let deployed = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= fleet.sites {
                        break;
                    }
                    assert!(fleet.deploy(daemon, n), "site {n} is not accepted");
                    while fleet.published(daemon, n).is_none() {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                }
            });
        }
    });
    let took = deployed.elapsed();
    println!(
        "deployments: one edited page of {} sites in {took:.1?}, {:.1} a second",
        fleet.sites,
        fleet.sites as f64 / took.as_secs_f64()
    );
}

/// First pages of sites that nobody has asked for.
fn cold(fleet: &Fleet, server: &Node) {
    let mut times = Vec::new();
    for n in 0..fleet.sites.min(MEASURED) {
        let began = Instant::now();
        assert!(shows(server, n, "first"), "site {n}");
        times.push(began.elapsed());
    }
    println!("cold: first page of a site, {}", spread(&mut times));
}

fn sizes(fleet: &Fleet) {
    let place: Place = fleet.place.parse().expect("a place");
    let storage = place.read(None).expect("a storage");
    let objects = wait(storage.objects().list()).expect("a list");
    let bytes: u64 = objects.iter().map(|object| object.size).sum();
    let pages = (fleet.sites * PAGES) as f64;
    println!(
        "storage: {} objects, {:.1} MB, {:.2} KB a page, {:.1} objects a site",
        objects.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e3 / pages,
        objects.len() as f64 / fleet.sites as f64
    );
}

/// Time from a request to deploy until servers show the page, and from the end of the deployment.
fn follow(fleet: &Fleet, daemon: &Node, servers: [&Node; 2]) {
    let mut dice = Random::new(1);
    let (mut whole, mut lag) = (Vec::new(), Vec::new());
    for round in 0..MEASURED {
        let n = dice.below(fleet.sites);
        let word = format!("word{round}");
        fleet.page(n, &word);
        let before = fleet.published(daemon, n);
        let began = Instant::now();
        assert!(fleet.deploy(daemon, n), "site {n} is not accepted");
        let mut published = None;
        let mut shown = [None; 2];
        while shown.contains(&None) {
            if published.is_none()
                && fleet
                    .published(daemon, n)
                    .is_some_and(|now| Some(now) != before)
            {
                published = Some(Instant::now());
            }
            for (server, shown) in servers.iter().zip(&mut shown) {
                if shown.is_none() && shows(server, n, &word) {
                    *shown = Some(Instant::now());
                }
            }
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "site {n}: {word} is not shown"
            );
        }
        let last = shown.into_iter().flatten().max().expect("two servers");
        whole.push(last.duration_since(began));
        let published = published.unwrap_or(last);
        lag.push(last.saturating_duration_since(published));
    }
    println!("follow: request to both servers, {}", spread(&mut whole));
    println!(
        "follow: end of the deployment to both servers, {}",
        spread(&mut lag)
    );
}

/// Where the daemon and the servers are at the moment, if they run.
struct Running {
    daemon: Option<(SocketAddr, Option<SocketAddr>)>,
    servers: [Option<SocketAddr>; 2],
}

/// Kills and starts one process after the other while sites are deployed and pages read.
fn kills(fleet: &Fleet, daemon: Node, servers: [Node; 2]) {
    let count = number("QUIRE_FLEET_KILLS", 6);
    let pause = number("QUIRE_FLEET_PAUSE", 20) as f64;
    let [one, other] = servers;
    let running = Mutex::new(Running {
        daemon: Some((daemon.address, daemon.admin)),
        servers: [Some(one.address), Some(other.address)],
    });
    let is_over = AtomicBool::new(false);
    let (read, unread) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (daemon, servers) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut dice = Random::new(2);
            while !is_over.load(Ordering::Relaxed) {
                let n = dice.below(fleet.sites);
                let alive = running.lock().expect("no panic").servers;
                // As a balancer does: the other one if the first does not answer.
                let first = dice.below(2);
                let answered =
                    [alive[first], alive[1 - first]]
                        .into_iter()
                        .flatten()
                        .any(|server| {
                            let reply = ask(server, "GET", &host(n), "/word.md");
                            reply.is_some_and(|(status, _)| status == 200)
                        });
                let counter = if answered { &read } else { &unread };
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        let deploying = scope.spawn(|| {
            let mut dice = Random::new(3);
            // The last word of each site whose deployment was accepted.
            let mut accepted = std::collections::BTreeMap::new();
            let mut refused = 0_usize;
            let mut count = 0_usize;
            while !is_over.load(Ordering::Relaxed) {
                let n = dice.below(fleet.sites);
                let word = format!("kill{count}");
                count += 1;
                let alive = running.lock().expect("no panic").daemon;
                let Some((_, Some(admin))) = alive else {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                };
                fleet.page(n, &word);
                let target = format!("/api/sites/{}/deployments", site(n));
                match ask(admin, "POST", "localhost", &target) {
                    Some((202, _)) => {
                        accepted.insert(n, word);
                    }
                    // The files are published by the next one all the same.
                    _ => {
                        accepted.remove(&n);
                        refused += 1;
                    }
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            (accepted, count, refused)
        });
        let mut daemon = daemon;
        let mut servers = [Some(one), Some(other)];
        for kill in 0..count {
            std::thread::sleep(Duration::from_secs_f64(pause));
            let which = kill % 3;
            let began = Instant::now();
            let name = if which == 2 {
                running.lock().expect("no panic").daemon = None;
                daemon.kill();
                daemon = fleet.daemon();
                running.lock().expect("no panic").daemon = Some((daemon.address, daemon.admin));
                "the daemon"
            } else {
                running.lock().expect("no panic").servers[which] = None;
                servers[which].take().expect("it runs").kill();
                let cache = ["one", "other"][which];
                let server = fleet.server(cache);
                assert!(ask(server.address, "GET", &host(0), "/word.md").is_some());
                running.lock().expect("no panic").servers[which] = Some(server.address);
                servers[which] = Some(server);
                "a server"
            };
            println!("kill: {name} answers again after {:.2?}", began.elapsed());
        }
        std::thread::sleep(Duration::from_secs_f64(pause));
        is_over.store(true, Ordering::Relaxed);
        reading.join().expect("no panic");
        let (accepted, count, refused) = deploying.join().expect("no panic");
        let began = Instant::now();
        let mut lost = Vec::new();
        for (n, word) in &accepted {
            for server in servers.iter().flatten() {
                while !shows(server, *n, word) {
                    if began.elapsed() > Duration::from_secs(120) {
                        lost.push(site(*n));
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
        println!(
            "kills: {count} deployments asked for, {refused} not accepted; of {} sites lost: {lost:?}",
            accepted.len()
        );
        (daemon, servers)
    });
    println!(
        "kills: {} pages read, {} times no server answered",
        read.into_inner(),
        unread.into_inner()
    );
    daemon.kill();
    for server in servers.into_iter().flatten() {
        server.kill();
    }
}
