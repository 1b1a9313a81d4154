//! The daemon is killed at each named point of `src/storage/src/crash_point.rs`, where something is half done: what is served is old or
//! new, what was accepted is done, and the next start finds nothing in its way and leaves nothing lying about.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use queries::base::content::ContentHash;
use quire_storage::crash_point::POINTS;
use quire_storage::pack::{LIMIT, PACK_FILE, Pack};
use serde_json::Value;

use crate::export_folder::BUILD_POINTS;
use crate::fetch::{SPEC, Server, answer};
use crate::random_numbers::Random;
use crate::support::PATIENCE;
use crate::support::folder::{Folder, files_of, let_files_rest};
use crate::support::process::Process;
use crate::support::{git, repository, wait_until};

const PAGES: usize = 6;

/// A word that is only on the pages of a version; no two are alike enough for a slip.
const WORDS: [&str; 3] = ["giraffe", "telescope", "marmalade"];

/// What leads to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// The start.
    Start,
    /// The start over a search index that is damaged.
    Damaged,
    /// The start of a site that is in a repository.
    Cloning,
    /// A deployment of it.
    Fetching,
    /// The start of a site with a specification that is elsewhere.
    Specification,
    /// The deployment that the first start of a site is.
    First,
    /// A deployment.
    Deployment,
    /// An edit of a site that is watched.
    Edit,
    /// A stop, when what was made is written.
    Stop,
    /// A stop with a pack that is mostly waste.
    Compaction,
    /// A stop after a start with files that are old enough to be known again.
    Quiet,
    /// Words of a reader, after those of another.
    Saying,
    /// A stop after somebody has read a page.
    Counting,
    /// A question to a site with a language model.
    Question,
}

use Way::*;

/// The points, the how manieth time, and what leads there. Once when something is begun, once when there is something.
const KILLS: &[(&str, usize, Way)] = &[
    ("state-locked", 1, Start),
    ("socket-removed", 1, Start),
    ("socket-bound", 1, Start),
    ("pack-created", 1, Start),
    ("search-created", 1, Start),
    ("search-adding", 1, Start),
    ("search-prepared", 1, Start),
    ("search-committed", 1, Start),
    ("search-removed", 1, Damaged),
    ("repository-cloned", 1, Cloning),
    ("repository-kept", 1, Cloning),
    ("repository-fetched", 1, Fetching),
    ("specification-written", 1, Specification),
    ("specification-replaced", 1, Specification),
    ("deployment-accepting", 1, First),
    ("deployment-accepted", 1, First),
    ("release-storing", 1, First),
    ("deployment-done", 1, First),
    ("deployment-accepting", 1, Deployment),
    ("deployments-written", 1, Deployment),
    ("deployments-replaced", 1, Deployment),
    ("deployment-accepted", 1, Deployment),
    ("deployment-begun", 1, Deployment),
    ("deployment-read", 1, Deployment),
    ("change-read", 2, Deployment),
    ("change-applied", 2, Deployment),
    ("change-published", 2, Deployment),
    ("release-storing", 1, Deployment),
    ("object-written", 1, Deployment),
    ("object-stored", 1, Deployment),
    // The release, after the files that it names: all pages are equal.
    ("object-stored", 3, Deployment),
    ("deployment-published", 1, Deployment),
    // The list that says that it is done.
    ("deployments-written", 2, Deployment),
    ("deployments-replaced", 2, Deployment),
    ("deployment-done", 1, Deployment),
    ("change-read", 2, Edit),
    ("change-applied", 2, Edit),
    ("change-published", 2, Edit),
    ("search-adding", 2, Edit),
    ("search-prepared", 2, Edit),
    ("search-committed", 2, Edit),
    ("pack-appending", 1, Stop),
    ("pack-appended", 1, Stop),
    ("index-written", 1, Stop),
    ("index-replaced", 1, Stop),
    ("pack-compacting", 1, Compaction),
    ("pack-compacted", 1, Compaction),
    ("pack-replaced", 1, Compaction),
    ("stats-written", 1, Quiet),
    ("stats-replaced", 1, Quiet),
    ("feedback-written", 2, Saying),
    ("feedback-replaced", 2, Saying),
    ("analytics-written", 1, Counting),
    ("analytics-replaced", 1, Counting),
    ("model-use-written", 1, Question),
    ("model-use-replaced", 1, Question),
];

/// Every literal after `before` in the shell, but for the list itself.
fn named(before: &str, end: char) -> BTreeSet<String> {
    let source = repository().join("src");
    let mut names = BTreeSet::new();
    for file in files_of(&source)
        .iter()
        .filter(|file| *file != "crash_point.rs")
    {
        let text = std::fs::read_to_string(source.join(file)).expect("UTF-8");
        for rest in text.split(before).skip(1) {
            let list = rest.split(end).next().expect("its end");
            let literals = list.split('"').skip(1).step_by(2);
            names.extend(literals.map(str::to_owned));
        }
    }
    names
}

#[test]
fn every_point_is_listed_and_driven() {
    let listed: BTreeSet<String> = POINTS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(listed.len(), POINTS.len(), "each once");
    let mut reached = named("crash_point::reach(", ')');
    reached.extend(named("let points = [", ']'));
    assert_eq!(reached, listed);
    // Those of a build are driven by `export.rs`: no daemon comes by.
    let kills = KILLS.iter().map(|(name, ..)| *name);
    let driven: BTreeSet<String> = kills.chain(BUILD_POINTS).map(str::to_owned).collect();
    assert_eq!(driven, listed);
}

/// A site, the state of its daemons, and a place for their temporary files.
struct Ground {
    site: Folder,
    state: Folder,
    way: Way,
    server: Option<Server>,
}

impl Ground {
    fn new(way: Way) -> Self {
        let server = (way == Specification).then(Server::start);
        let ground = Self {
            site: Folder::new(&[]),
            state: Folder::new(&[("tmp/keep", ""), ("cache/keep", "")]),
            way,
            server,
        };
        let names: Vec<String> = (0..PAGES).map(page).collect();
        let mut config = serde_json::json!({
            "name": "T", "theme": "mint", "colors": { "primary": "#000000" },
            // Loading the table of vectors would take longest.
            "search": { "semantic": false }, "navigation": { "pages": names },
        });
        if let Some(server) = &ground.server {
            let url = format!("https://localhost:{}/openapi.json", server.port);
            config["navigation"] = serde_json::json!({ "groups": [
                { "group": "Pages", "pages": names }, { "group": "API", "openapi": url },
            ]});
            server.will_say(&vec![answer("200 OK", "", SPEC); 3]);
            ground.state.write("certificate.pem", &server.certificate);
        }
        ground.site.write("docs.json", config.to_string());
        if ground.is_repository() {
            ground.git(&["init", "--quiet", "--initial-branch=main"]);
        }
        ground.write(0);
        let place = if ground.is_repository() {
            "git"
        } else {
            "root"
        };
        let is_watched = matches!(
            way,
            Edit | Stop | Compaction | Quiet | Saying | Counting | Specification
        );
        ground.state.write(
            "quire.toml",
            format!(
                "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n[sites.docs]\n{place} = {:?}\nwatch = {is_watched}\nsearch_deadline_ms = 60000\n",
                ground.site.path()
            ),
        );
        if way == Question {
            let settings = ground.state.read("quire.toml");
            // Nobody answers there: what is used is kept before anyone is asked.
            let model = "[sites.docs.assistant.model]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"small\"\nprivate = true\n";
            ground.state.write("quire.toml", settings + model);
        }
        match way {
            // What a process left that was killed while it wrote.
            Start => {
                let left = [
                    "deployments/.tmpA",
                    "deployments/.quire-A",
                    "objects/ab/.quire-A",
                    "repositories/.tmpA/HEAD",
                    "search/docs/.tmpA",
                    "artifacts/.quire-A",
                    "artifacts/artifacts.pack.new",
                ];
                for left in left {
                    ground.state.write(&format!("state/{left}"), "half");
                }
            }
            Damaged => ground
                .state
                .write("state/search/docs/meta.json", "no index"),
            Compaction => ground.fill_pack(),
            Quiet => let_files_rest(ground.site.path()),
            _ => {}
        }
        ground
    }

    fn is_repository(&self) -> bool {
        matches!(self.way, Cloning | Fetching)
    }

    /// Whether what is written is published by itself.
    fn is_watched(&self) -> bool {
        self.state.read("quire.toml").contains("watch = true")
    }

    /// Writes every page of a version.
    fn write(&self, version: usize) {
        for n in 0..PAGES {
            let text = format!(
                "---\ntitle: Page\n---\n\nversion-{version}-end {}\n",
                WORDS[version]
            );
            self.site
                .write_by_rename(&format!("{}.mdx", page(n)), &text);
        }
        if self.is_repository() {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "-m", "version"]);
        }
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) {
        git(self.site.path(), arguments);
    }

    /// A pack with a value that was replaced again and again.
    fn fill_pack(&self) {
        let folder = Folder::new(&[]);
        let pack = Pack::with_limit(folder.path(), LIMIT);
        let mut random = Random::new(1);
        for _ in 0..12 {
            let value: Vec<u8> = (0..1 << 17)
                .flat_map(|_| (random.below(usize::MAX) as u64).to_le_bytes())
                .collect();
            pack.put(ContentHash::of(b"key"), value.into());
            pack.flush();
        }
        // Before the pack is dropped, which would tidy it up.
        let bytes = std::fs::read(folder.at(PACK_FILE)).expect("a pack");
        self.state.write("state/artifacts/artifacts.pack", bytes);
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command
            .env_remove("QUIRE_CRASH_AT")
            .env("TMPDIR", self.state.at("tmp"))
            .env("XDG_CACHE_HOME", self.state.at("cache"));
        if let Some(server) = &self.server {
            let allowed = format!("https://localhost:{}", server.port);
            command.env("SSL_CERT_FILE", self.state.at("certificate.pem"));
            command.env("QUIRE_FETCH_ALLOW", allowed);
        }
        command
    }

    /// Has a daemon die at `point`; the place of a deployment that was accepted before.
    fn kill_at(&self, point: &str) -> Option<String> {
        if matches!(self.way, Deployment | Fetching) {
            // The first start is a deployment.
            let mut process = Process::start_by(&mut self.command(), &self.state);
            wait_until("it is deployed", || {
                statuses(process.admin()) == ["success"]
            });
            process.stop();
        }
        let armed = Process::try_start_by(self.command().env("QUIRE_CRASH_AT", point), &self.state);
        let mut process = match armed {
            Ok(process) => process,
            Err(status) => {
                assert_eq!(status.signal(), Some(9), "{point}");
                return None;
            }
        };
        let address = process.admin();
        let mut accepted = None;
        match self.way {
            Start | Damaged | Cloning | Specification | First => {}
            Deployment | Fetching | Edit => {
                self.wait_for(address, 0);
                // It is in the index before it changes there.
                wait_until("it is ready", || is_ready(address));
                if point.starts_with("search") {
                    assert_eq!(found(address, WORDS[0]), PAGES, "{point}");
                }
                let is_over = AtomicBool::new(false);
                let (done, visits) = (&is_over, AtomicUsize::new(0));
                std::thread::scope(|scope| {
                    let visitor = scope.spawn(|| visit(address, !self.is_watched(), done, &visits));
                    wait_until("someone reads", || visits.load(Ordering::Relaxed) > 0);
                    self.write(1);
                    if !self.is_watched() {
                        accepted = post(address, "/api/sites/docs/deployments", "")
                            .filter(|(head, _)| head.starts_with("HTTP/1.1 202"))
                            .and_then(|(head, _)| place(&head));
                    }
                    wait_until(point, || {
                        process.child.try_wait().expect("a child").is_some()
                    });
                    done.store(true, Ordering::Relaxed);
                    visitor.join().expect("nothing was mixed");
                });
            }
            Saying => {
                self.wait_for(address, 0);
                self.write(1);
                self.wait_for(address, 1);
                let (head, _) = say(address, "first").expect("a reply");
                assert!(head.starts_with("HTTP/1.1 204"), "{head}");
                assert_eq!(say(address, "second"), None, "{point}");
            }
            Question => {
                self.wait_for(address, 0);
                wait_until("it is ready", || is_ready(address));
                let question = serde_json::json!({
                    "messages": [{ "role": "user", "content": "What is this page about?" }],
                    "currentPath": format!("/{}", page(0)),
                });
                post(address, "/api/sites/docs/assistant", &question.to_string());
            }
            Counting => {
                self.wait_for(address, 0);
                wait_until("it is ready", || is_ready(address));
                self.write(1);
                self.wait_for(address, 1);
                read(address);
                assert_eq!(views(address), Some(1), "{point}");
                process.stop();
            }
            Stop | Compaction | Quiet => {
                self.wait_for(address, 0);
                wait_until("it is ready", || is_ready(address));
                self.write(1);
                self.wait_for(address, 1);
                process.stop();
            }
        }
        assert_eq!(process.end().signal(), Some(9), "{point}");
        accepted
    }

    #[track_caller]
    fn wait_for(&self, address: SocketAddr, version: usize) {
        for n in 0..PAGES {
            wait_until("a page is there", || {
                version_of(address, n) == Some(version)
            });
        }
    }

    /// Starts a daemon after one was killed, and asks it everything.
    fn recover(&self, point: &str, accepted: Option<String>) {
        if self.way == Fetching {
            // A git that was killed with the daemon holds these no more.
            for left in [
                "packed-refs.lock",
                "refs/heads/main.lock",
                "objects/pack/tmp_pack_A",
            ] {
                let left = format!("state/repositories/docs.git/{left}");
                self.state.write(&left, "");
            }
        }
        let mut process = Process::start_by(&mut self.command(), &self.state);
        let address = process.admin();
        if let Some(place) = accepted {
            wait_until("what was accepted is done", || {
                status(address, &place) == "success"
            });
        }
        wait_until("everything has ended", || {
            let statuses = statuses(address);
            assert!(!statuses.contains(&"failure".to_owned()), "{point}");
            statuses.iter().all(|status| status == "success")
        });
        // What was not accepted is not published: the deployment of the first start is.
        let is_lost = self.way == Deployment && statuses(address).len() == 1;
        let is_written = self.site.read("page-0.mdx").contains("version-1-end");
        let newest = usize::from(is_written && !is_lost);
        if self.way == Fetching {
            // What is in the copy is served; the rest comes with the next deployment.
            wait_until("it is there", || version_of(address, 0).is_some());
        } else {
            self.wait_for(address, newest);
            self.check_search(address, newest);
        }
        if self.server.is_some() {
            wait_until("the specification is there", || {
                get(address, "/openapi.json").is_some() && found(address, "pets") > 0
            });
        }
        if self.way == Saying {
            let before = said(address);
            let (head, _) = say(address, "third").expect("a reply");
            assert!(head.starts_with("HTTP/1.1 204"), "{point}: {head}");
            assert_eq!(before.last().map(String::as_str), Some("first"), "{point}");
            let is_kept = before.len() == 2;
            assert_eq!(is_kept, point.starts_with("feedback-replaced"), "{point}");
            assert_eq!(said(address)[0], "third", "{point}");
        }
        if self.way == Counting {
            let is_kept = point.starts_with("analytics-replaced");
            assert_eq!(views(address), is_kept.then_some(1), "{point}");
            read(address);
            assert_eq!(views(address), Some(1 + u64::from(is_kept)), "{point}");
        }
        // It goes on.
        self.write(2);
        if !self.is_watched() {
            let (head, body) = post(address, "/api/sites/docs/deployments", "").expect("a reply");
            assert!(head.starts_with("HTTP/1.1 202"), "{point}: {head} {body}");
            let place = place(&head).expect("a place");
            wait_until("it is deployed", || status(address, &place) == "success");
        }
        self.wait_for(address, 2);
        self.check_search(address, 2);
        assert_eq!(process.stop().code(), Some(0), "{point}");
        if !self.left().is_empty() {
            // The end of a process cuts off what is done in its background; that does not stay either.
            let mut process = Process::start_by(&mut self.command(), &self.state);
            self.wait_for(process.admin(), 2);
            self.check_search(process.admin(), 2);
            process.stop();
        }
        assert_eq!(self.left(), [""; 0], "{point}");
    }

    #[track_caller]
    fn check_search(&self, address: SocketAddr, version: usize) {
        for (n, word) in WORDS.iter().enumerate() {
            let expected = if n == version { PAGES } else { 0 };
            // A change is published, then found.
            wait_until(word, || found(address, word) == expected);
        }
    }

    /// What is left of what was not finished.
    fn left(&self) -> Vec<String> {
        // The store of words removes what it has listed and needs no more.
        let managed = self.state.read("state/search/docs/.managed.json");
        let is_left = |file: &String| {
            let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
            let stem = name.split('.').next().unwrap_or_default();
            let is_segment = stem.len() == 32 && folder.ends_with("search/docs");
            name.ends_with(".new")
                || (file.contains("docs.git/")
                    && (name.ends_with(".lock") || name.starts_with("tmp_")))
                || (is_segment && !managed.contains(name))
                || ["/.quire-", "/.tmp", "quire-watch"]
                    .iter()
                    .any(|left| file.contains(left))
        };
        let files = files_of(self.state.path()).into_iter();
        let temporary = std::fs::read_dir(self.state.at("tmp")).expect("list");
        let temporary = temporary.map(|entry| entry.expect("list").file_name());
        let temporary = temporary.map(|name| name.to_string_lossy().into_owned());
        files
            .filter(is_left)
            .chain(temporary.filter(|name| name != "keep"))
            .collect()
    }
}

fn page(n: usize) -> String {
    format!("page-{n}")
}

fn place(head: &str) -> Option<String> {
    let mut lines = head.lines();
    lines.find_map(|line| line.strip_prefix("location: ").map(str::to_owned))
}

/// Head and body of the whole reply to a request; nothing if the daemon went away.
fn exchange(address: SocketAddr, request: &str) -> Option<(String, String)> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut reply = Vec::new();
    // A process that dies may cut it off anywhere.
    let _ = stream.read_to_end(&mut reply);
    let text = String::from_utf8_lossy(&reply).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let is_whole = length.and_then(|length| length.parse().ok()) == Some(body.len())
        || head.starts_with("HTTP/1.1 204");
    is_whole.then(|| (head.to_owned(), body.to_owned()))
}

fn get(address: SocketAddr, target: &str) -> Option<(String, String)> {
    let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    exchange(address, &request)
}

fn post(address: SocketAddr, target: &str, body: &str) -> Option<(String, String)> {
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Origin: http://localhost\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    exchange(address, &request)
}

/// Says `text` of a page as a reader of it does.
fn say(address: SocketAddr, text: &str) -> Option<(String, String)> {
    let body = serde_json::json!({ "kind": "page", "path": "/page-0", "text": text });
    post(address, "/_quire/feedback", &body.to_string())
}

/// Reads a page as a browser does.
fn read(address: SocketAddr) {
    let request = "GET /page-0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUser-Agent: Mozilla/5.0 Firefox/140.0\r\n\
                   Sec-Fetch-Dest: document\r\n\r\n";
    let (head, _) = exchange(address, request).expect("a reply");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
}

/// How often the page of [`read`] was counted, if it was.
fn views(address: SocketAddr) -> Option<u64> {
    let (_, body) = get(address, "/_quire/analytics").expect("a reply");
    let shown: Value = serde_json::from_str(&body).expect("JSON");
    let pages = shown["sites"][0]["pages"].as_array().expect("a list");
    let page = pages.iter().find(|page| page["path"] == "/page-0");
    page.and_then(|page| page["views"].as_u64())
}

/// What readers said, the newest first.
fn said(address: SocketAddr) -> Vec<String> {
    let (_, body) = get(address, "/_quire/feedback").expect("a reply");
    let list: Value = serde_json::from_str(&body).expect("JSON");
    let list = list["feedback"].as_array().expect("a list");
    let text = |one: &Value| one["text"].as_str().unwrap_or_default().to_owned();
    list.iter().map(text).collect()
}

fn is_ready(address: SocketAddr) -> bool {
    get(address, "/_quire/readyz").is_some_and(|(head, _)| head.starts_with("HTTP/1.1 200"))
}

/// The version of a page; nothing if the daemon went away.
fn version_of(address: SocketAddr, n: usize) -> Option<usize> {
    let (head, body) = get(address, &format!("/{}", page(n)))?;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let version = body.split("version-").nth(1)?.split("-end").next()?;
    Some(version.parse().expect("a number"))
}

/// Reads all pages in turn until `is_over`: never an older version after a newer one, of a site that is published `as_a_whole`
/// not of another page either.
fn visit(address: SocketAddr, as_a_whole: bool, is_over: &AtomicBool, visits: &AtomicUsize) {
    let mut last = vec![0; PAGES];
    while !is_over.load(Ordering::Relaxed) {
        let n = visits.fetch_add(1, Ordering::Relaxed) % PAGES;
        std::thread::park_timeout(Duration::from_millis(1));
        if let Some(seen) = version_of(address, n) {
            assert!(seen >= last[n] && seen <= 1, "{seen} after {last:?}");
            match as_a_whole {
                true => last.fill(seen),
                false => last[n] = seen,
            }
        }
    }
}

/// How many pages hold `word`; none if the daemon went away.
fn found(address: SocketAddr, word: &str) -> usize {
    let body = serde_json::json!({ "query": word, "limit": 50 }).to_string();
    let Some((head, body)) = post(address, "/api/sites/docs/search", &body) else {
        return 0;
    };
    assert!(head.starts_with("HTTP/1.1 200"), "{head} {body}");
    let answer: Value = serde_json::from_str(&body).expect("JSON");
    answer["results"].as_array().expect("a list").len()
}

fn status(address: SocketAddr, place: &str) -> String {
    let (_, body) = get(address, place).expect("a reply");
    let deployment: Value = serde_json::from_str(&body).expect("JSON");
    assert_ne!(deployment["status"], "failure", "{deployment}");
    deployment["status"].as_str().unwrap_or_default().to_owned()
}

fn statuses(address: SocketAddr) -> Vec<String> {
    let (_, body) = get(address, "/api/sites/docs/deployments").expect("a reply");
    let list: Value = serde_json::from_str(&body).expect("JSON");
    let list = list["deployments"].as_array().expect("a list");
    let status = |one: &Value| one["status"].as_str().unwrap_or_default().to_owned();
    list.iter().map(status).collect()
}

#[test]
fn a_kill_at_every_point_mixes_nothing_and_loses_nothing() {
    // One point by its name, for who mends it.
    let only = std::env::var("QUIRE_POINT").ok();
    let is_asked =
        |(point, ..): &&(&str, usize, Way)| only.as_deref().is_none_or(|only| only == *point);
    let kills: Vec<_> = KILLS.iter().filter(is_asked).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    // Most of the time one waits for a process.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((point, time, way)) = kills.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let armed = format!("{point}:{time}");
                    let ran = std::panic::catch_unwind(|| {
                        let ground = Ground::new(*way);
                        let accepted = ground.kill_at(&armed);
                        ground.recover(&armed, accepted);
                    });
                    if ran.is_err() {
                        wrong.lock().expect("nobody panics").push((armed, *way));
                    }
                }
            });
        }
    });
    assert_eq!(wrong.into_inner().expect("nobody panics"), []);
}
