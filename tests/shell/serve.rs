//! A process that serves what a daemon has published answers as the daemon does, and goes with it
//! from deployment to deployment.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use queries::base::path::encode_path;
use quire::daemon::Stop;
use quire::place::Place;
use quire::serve;
use quire_settings::{FailOn, Settings, SiteSettings};
use quire_site::release::Releases;
use quire_site::served::ServedSites;
use quire_storage::directory::Directory;
use serde_json::{Value, json};

use crate::programs::without_mcp;
use crate::support::client::{Connection, Reply};
use crate::support::daemon::{self, Daemon, send, settings, site};
use crate::support::folder::Folder;
#[cfg(not(any(feature = "s3", feature = "postgres")))]
use crate::support::program::run;
use crate::support::{museum, repository, wait_until};

/// A server of this process. Dropping it stops it.
pub(crate) struct Server {
    address: SocketAddr,
    admin: SocketAddr,
    sites: Arc<ServedSites>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(from: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let mut settings = Settings::default();
        settings.listen.address = SocketAddr::from(([127, 0, 0, 1], 0));
        settings.listen.admin = Some(settings.listen.address);
        let entered = runtime.enter();
        let server =
            serve::start(&settings, &Place::Folder(from.to_owned()), None).expect("it starts");
        drop(entered);
        let (address, sites, stop) = (server.address, server.sites().clone(), server.stop());
        let admin = server.admin.expect("a listener for administrators");
        let thread = std::thread::spawn(move || {
            runtime.block_on(server.serve());
            runtime.shutdown_timeout(Duration::from_secs(10));
        });
        Self {
            address,
            admin,
            sites,
            stop,
            thread: Some(thread),
        }
    }

    #[track_caller]
    pub(crate) fn get(&self, host: &str, target: &str) -> Reply {
        send(self.address, "GET", host, target, &[], "")
    }

    fn deployment(&self, id: &str) -> u64 {
        self.sites.get(id).map_or(0, |site| site.deployment)
    }

    /// Waits until it serves the deployment `number` of the site `id`.
    #[track_caller]
    fn wait_for(&self, id: &str, number: u64) {
        wait_until("it is served", || self.deployment(id) == number);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.now();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends");
        }
    }
}

fn deployed(folder: &Folder) -> SiteSettings {
    let mut site = SiteSettings::of_folder(folder.path());
    site.watch = false;
    site
}

/// The parts of a reply that clients rely on, but for the tag of its bytes.
fn shown(reply: &Reply) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let names = [
        "content-type",
        "content-security-policy",
        "cache-control",
        "location",
        "vary",
        "accept-ranges",
        "x-llms-txt",
        "x-content-type-options",
    ];
    let headers = reply.headers.iter();
    let mut headers: Vec<_> = headers
        .filter(|(name, _)| names.contains(&name.to_ascii_lowercase().as_str()))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
        .collect();
    headers.sort();
    (reply.status, headers, reply.body.clone())
}

#[track_caller]
fn assert_same(daemon: &Daemon, server: &Server, target: &str, headers: &[(&str, &str)]) {
    let host = "one.localhost";
    let theirs = send(daemon.address, "GET", host, target, headers, "");
    let ours = send(server.address, "GET", host, target, headers, "");
    let (theirs, ours) = (shown(&theirs), shown(&ours));
    assert_eq!((ours.0, &ours.1), (theirs.0, &theirs.1), "{target}");
    let theirs = match target.starts_with("/.well-known/") || target == "/skill.md" {
        true => without_mcp_server(&theirs.2, &ours.2),
        false => theirs.2,
    };
    assert!(ours.2 == theirs, "{target}: other bytes");
}

/// A skill, or a list of skills, of the daemon without the MCP server, which `ours` does not have: the list has the
/// digests of `ours` then.
fn without_mcp_server(theirs: &[u8], ours: &[u8]) -> Vec<u8> {
    let theirs = without_mcp(&String::from_utf8_lossy(theirs));
    let ours = String::from_utf8_lossy(ours);
    assert!(!ours.contains("The MCP server at <"), "{ours}");
    let is_digest = |line: &&str| line.trim_start().starts_with("\"digest\": ");
    let mut digests = ours.split_inclusive('\n').filter(is_digest);
    let lines = theirs.split_inclusive('\n');
    let lines = lines.map(|line| match is_digest(&line) {
        true => digests.next().unwrap_or(line),
        false => line,
    });
    lines.collect::<String>().into_bytes()
}

/// A daemon with the site in `folder`, and a server of what it has published.
fn both(folder: &Folder, state: &Folder) -> (Daemon, Server) {
    let daemon = Daemon::start(settings(state.path(), &[("one", deployed(folder))]));
    (daemon, Server::start(state.path()))
}

#[test]
fn every_output_is_that_of_the_daemon() {
    let (folder, state) = (Folder::copy_of(&museum()), Folder::new(&[]));
    let config: Value = serde_json::from_str(&folder.read("docs.json")).expect("JSON");
    let mut config = config;
    config["redirects"] = json!([
        { "source": "/old/:rest*", "destination": "/guides/:rest*" },
        { "source": "/gone", "destination": "/quickstart", "permanent": false },
    ]);
    folder.write("docs.json", config.to_string());
    folder.write("style.css", "a { color: var(--primary) }");
    folder.write("notes.txt", "Notes.");
    folder.write("images/photo.png", "no real picture");
    let (daemon, server) = both(&folder, &state);
    let served = server.sites.get("one").expect("it is served");
    let outputs = &served.outputs;
    let listed: Vec<&String> = outputs.manifest.entries.keys().collect();
    assert!(listed.len() > 100, "{}", listed.len());
    for path in &listed {
        assert_same(&daemon, &server, &encode_path(path), &[]);
    }
    let pages: BTreeSet<&String> = outputs.manifest.pages.keys().collect();
    for page in pages {
        let target = encode_path(page);
        for accept in ["text/markdown", "text/plain;q=0.9, text/html;q=0.1"] {
            assert_same(&daemon, &server, &target, &[("Accept", accept)]);
        }
        assert_same(&daemon, &server, &format!("{target}/"), &[]);
        assert_same(&daemon, &server, &format!("{target}.html?a=b"), &[]);
    }
    for target in [
        "/",
        "/index",
        "/gone",
        "/gone?a=b",
        "/old/quickstart",
        "/notes.txt",
        "/_quire/livez",
    ] {
        assert_same(&daemon, &server, target, &[]);
    }
    for encoding in ["gzip", "br"] {
        let accept = [("Accept-Encoding", encoding)];
        assert_same(&daemon, &server, "/quickstart", &accept);
    }
    assert_same(
        &daemon,
        &server,
        "/images/photo.png",
        &[("Range", "bytes=2-5")],
    );
    let folders = outputs.manifest.folders.keys();
    for folder in folders {
        assert_same(&daemon, &server, &encode_path(folder), &[]);
    }
    let missing = server.get("one.localhost", "/nowhere");
    assert_eq!(missing.status, 404);
    assert_eq!(missing.header("cache-control"), Some("no-store"));
    assert!(missing.text().contains("<h1"), "{}", missing.text());
    let tag = server.get("one.localhost", "/quickstart");
    let tag = tag.header("etag").expect("a tag").to_owned();
    let again = [("If-None-Match", tag.as_str())];
    let again = send(
        server.address,
        "GET",
        "one.localhost",
        "/quickstart",
        &again,
        "",
    );
    assert_eq!(again.status, 304);
}

/// A schema with many rows on several levels.
fn large_schema() -> Value {
    let object = |count: usize, inner: &Value| {
        let properties = (0..count).map(|i| {
            let mut property = inner.clone();
            property["description"] = json!(format!("Property {i}."));
            (format!("p{i}"), property)
        });
        let properties: serde_json::Map<String, Value> = properties.collect();
        json!({ "type": "object", "properties": properties })
    };
    object(30, &object(12, &object(5, &json!({ "type": "string" }))))
}

/// A site of operations with large schemas: their rows are on pages of their own, and pages leave
/// folds out.
fn large_site() -> Folder {
    let answer = |schema: Value| json!({ "200": { "description": "OK", "content": { "application/json": { "schema": schema } } } });
    let large = json!({ "$ref": "#/components/schemas/Large" });
    let named = json!({ "type": "object", "properties": { "one": large, "two": large } });
    let operation =
        |name: &str, schema: Value| json!({ "summary": name, "responses": answer(schema) });
    let spec = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
        "paths": {
            "/a": { "get": operation("First", named.clone()) },
            "/b": { "get": operation("Second", named) },
            "/c": { "get": operation("Third", large_schema()) },
        },
        "components": { "schemas": { "Large": large_schema() } },
    });
    let config = json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" },
        "navigation": { "openapi": "api.json" },
    });
    Folder::new(&[
        ("docs.json", &config.to_string()),
        ("api.json", &spec.to_string()),
    ])
}

/// Sites with outputs that the museum does not have: complete versions of large pages, rows of
/// components on pages of their own, overlays, languages, scripts of components, pictures of pages.
#[test]
fn outputs_of_every_kind_are_those_of_the_daemon() {
    let fixtures = museum();
    let fixtures = fixtures.parent().expect("a folder");
    let names = [
        "overlay",
        "author-components",
        "languages",
        "version-tabs",
        "asyncapi-channels",
        "stray-asset",
    ];
    let mut folders = vec![large_site()];
    folders.extend(names.map(|name| Folder::copy_of(&fixtures.join(name).join("site"))));
    let mut kinds = BTreeSet::new();
    for folder in folders {
        let state = Folder::new(&[]);
        let mut one = deployed(&folder);
        one.fail_on = FailOn::Never;
        one.base_url = Some("https://docs.example.org".to_owned());
        let daemon = Daemon::start(settings(state.path(), &[("one", one)]));
        let deployment = daemon.deploy("one", &[]);
        assert_eq!(deployment["status"], "success", "{deployment}");
        let server = Server::start(state.path());
        let served = server.sites.get("one").expect("it is served");
        for (path, entry) in &served.outputs.manifest.entries {
            let target = match path.starts_with("/_whole") {
                true => format!("{}/", encode_path(path)),
                false => encode_path(path),
            };
            assert_same(&daemon, &server, &target, &[]);
            kinds.insert(format!("{:?}", entry.kind));
            let folder = path.split('/').nth(1).unwrap_or_default();
            kinds.extend(folder.starts_with('_').then(|| folder.to_owned()));
        }
    }
    for kind in [
        "_whole", "_rows", "_islands", "_theme", "Card", "TextList", "Gzip", "File",
    ] {
        assert!(kinds.contains(kind), "{kind} is missing: {kinds:?}");
    }
}

#[test]
fn search_finds_what_the_daemon_finds() {
    let (folder, state) = (Folder::copy_of(&museum()), Folder::new(&[]));
    let (daemon, server) = both(&folder, &state);
    let target = "/api/sites/one/search";
    let kind = [("Content-Type", "application/json")];
    for query in [
        json!({ "query": "tickets" }),
        json!({ "query": "how do I buy a ticket", "semantic": true, "sections": true }),
        json!({ "query": "create special event", "limit": 3 }),
        json!({ "query": "nothing of that kindd", "filter": { "language": "en" } }),
        json!({ "query": "" }),
        json!({ "query": 3 }),
    ] {
        let body = query.to_string();
        let theirs = send(
            daemon.address,
            "POST",
            "one.localhost",
            target,
            &kind,
            &body,
        );
        let ours = send(
            server.address,
            "POST",
            "one.localhost",
            target,
            &kind,
            &body,
        );
        assert_eq!(ours.status, theirs.status, "{query}");
        assert_eq!(ours.text(), theirs.text(), "{query}");
    }
    let other = send(
        server.address,
        "POST",
        "one.localhost",
        "/api/sites/one/deployments",
        &kind,
        "{}",
    );
    assert_eq!(other.status, 404, "{}", other.text());
    let wrong = server.get("one.localhost", target);
    assert_eq!(wrong.status, 405);
    for path in ["/_quire/events", "/_quire/status", "/mcp"] {
        assert_eq!(server.get("one.localhost", path).status, 404, "{path}");
    }
}

#[test]
fn the_assistant_quotes_what_the_daemon_quotes() {
    let (folder, state) = (Folder::copy_of(&museum()), Folder::new(&[]));
    let (daemon, server) = both(&folder, &state);
    let target = "/api/sites/one/assistant";
    let message = |text: &str| json!({ "role": "user", "content": text });
    for question in [
        json!({ "messages": [message("How do I buy a ticket?")] }),
        json!({ "messages": [message("Which fields does a special event need?")] }),
        json!({ "messages": [message("What is this page about?")], "currentPath": "/quickstart", "context": [{ "type": "page" }] }),
        json!({ "messages": [message("zzzz qqqq")] }),
        json!({ "messages": [] }),
    ] {
        for accept in ["application/json", "text/event-stream"] {
            let headers = [("Content-Type", "application/json"), ("Accept", accept)];
            let body = question.to_string();
            let theirs = send(
                daemon.address,
                "POST",
                "one.localhost",
                target,
                &headers,
                &body,
            );
            let ours = send(
                server.address,
                "POST",
                "one.localhost",
                target,
                &headers,
                &body,
            );
            assert_eq!(ours.status, theirs.status, "{question}");
            assert_eq!(ours.text(), theirs.text(), "{question}");
        }
    }
}

#[test]
fn a_deployment_and_a_rollback_are_served_without_a_restart() {
    let (folder, state) = (site("giraffe"), Folder::new(&[]));
    let (daemon, server) = both(&folder, &state);
    let word = |word: &str| {
        let page = server.get("one.localhost", "/start").text();
        let picture = server.get("one.localhost", "/images/dot.svg").text();
        page.contains(word) && picture.contains(word)
    };
    assert!(word("giraffe"));
    for file in ["start.mdx", "images/dot.svg"] {
        folder.write(file, folder.read(file).replace("giraffe", "marmalade"));
    }
    // What is not deployed is not served.
    assert!(word("giraffe"));
    daemon.deploy("one", &[]);
    server.wait_for("one", 2);
    assert!(word("marmalade"));
    let path = "/api/sites/one/deployments/1/rollback";
    daemon.manage("POST", "localhost", path, &[], "{}");
    server.wait_for("one", 3);
    assert!(word("giraffe"));
    // It goes on without the daemon, and without the folder.
    drop(daemon);
    folder.remove("start.mdx");
    assert!(word("giraffe"));
    drop(server);
    let server = Server::start(state.path());
    assert!(
        server
            .get("one.localhost", "/start")
            .text()
            .contains("giraffe")
    );
}

/// The number of a deployment whose release is stored: the one at `place` among the last fifty,
/// counted round.
fn stored(daemon: &Daemon, place: usize) -> Option<u64> {
    let list = daemon.manage("GET", "localhost", "/api/sites/one/deployments", &[], "");
    let list: Value = serde_json::from_slice(&list.body).expect("JSON");
    let all = list["deployments"].as_array().expect("a list").iter();
    let stored = all.filter(|one| one["release"].is_string() && one["status"] == "success");
    let numbers: Vec<u64> = stored.filter_map(|one| one["id"].as_u64()).collect();
    numbers.get(place % numbers.len().max(1)).copied()
}

/// Deployments and rollbacks that four clients ask for, while readers look: every answer of the
/// daemon and of the server is of one deployment as a whole. `QUIRE_ROLLBACKS` says how many.
#[test]
fn answers_are_of_one_deployment_while_clients_deploy_and_roll_back() {
    const WORDS: [&str; 3] = ["giraffe", "telescope", "marmalade"];
    let rollbacks = std::env::var("QUIRE_ROLLBACKS").ok();
    let rollbacks: usize = rollbacks.map_or(40, |count| count.parse().expect("a number"));
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    let mut settings = settings(state.path(), &[("one", deployed(&folder))]);
    settings.deployments.keep = 50;
    let write = |word: &str| {
        let version = site(word);
        for file in ["docs.json", "start.mdx", "other.mdx", "images/dot.svg"] {
            folder.write(file, version.read(file));
        }
    };
    write(WORDS[0]);
    let daemon = Daemon::start(settings);
    // The first was deployed by the start.
    for word in &WORDS[1..] {
        write(word);
        assert_eq!(daemon.deploy("one", &[])["status"], "success");
    }
    let server = Server::start(state.path());
    let (is_over, mixed, answers) = (
        AtomicBool::new(false),
        Mutex::new(Vec::new()),
        AtomicUsize::new(0),
    );
    std::thread::scope(|scope| {
        for address in [daemon.address, server.address] {
            let (is_over, mixed, answers) = (&is_over, &mixed, &answers);
            scope.spawn(move || {
                while !is_over.load(Ordering::Acquire) {
                    let page = send(address, "GET", "one.localhost", "/start", &[], "");
                    let text = page.text();
                    // The header says it, the title of the tab, and the body.
                    let found = WORDS.iter().filter(|word| text.contains(**word));
                    answers.fetch_add(1, Ordering::Relaxed);
                    if page.status != 200 || found.count() != 1 {
                        mixed.lock().expect("no panic").push(text);
                    }
                }
            });
        }
        let clients = (0..4).map(|client| {
            let daemon = &daemon;
            scope.spawn(move || {
                for round in 0..rollbacks / 4 {
                    // Each in an order of its own; every fourth is a deployment.
                    let number = match (round + client) % 4 {
                        0 => None,
                        _ => stored(daemon, round * (client + 1)),
                    };
                    let target = match number {
                        None => "/api/sites/one/deployments".to_owned(),
                        Some(number) => format!("/api/sites/one/deployments/{number}/rollback"),
                    };
                    let reply = daemon.manage("POST", "localhost", &target, &[], "{}");
                    assert_eq!(reply.status, 202, "{}", reply.text());
                }
            })
        });
        for client in clients.collect::<Vec<_>>() {
            client.join().expect("it ends");
        }
        let last = 3 + 4 * (rollbacks / 4) as u64;
        for number in 4..=last {
            wait_until("it is served", || server.deployment("one") >= number);
        }
        is_over.store(true, Ordering::Release);
    });
    let mixed = mixed.into_inner().expect("no panic");
    assert!(mixed.is_empty(), "{} answers, {}", mixed.len(), mixed[0]);
    assert!(answers.into_inner() > 20);
    assert_same(&daemon, &server, "/start", &[]);
}

/// `earlier_state` is what a daemon has stored before the first release of the project, but for files that
/// all pages share.
#[test]
fn what_an_earlier_program_has_stored_is_served_and_published() {
    let state = Folder::copy_of(&repository().join("tests/shell/earlier_state"));
    let server = Server::start(state.path());
    let pages = [
        ("/start", "zebra"),
        ("/start.md", "zebra"),
        ("/other", "okapi"),
    ];
    for (target, word) in pages.into_iter().chain([("/images/dot.svg", "circle")]) {
        let reply = server.get("one.localhost", target);
        assert_eq!(reply.status, 200, "{target}");
        assert!(reply.text().contains(word), "{target}: {}", reply.text());
    }
    // The folder holds something else by now, which nobody has deployed.
    let folder = site("giraffe");
    let daemon = Daemon::start(settings(state.path(), &[("one", deployed(&folder))]));
    for (target, word) in pages {
        let reply = send(daemon.address, "GET", "one.localhost", target, &[], "");
        assert!(reply.text().contains(word), "{target}: {}", reply.text());
    }
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(
        (&deployment["id"], &deployment["status"]),
        (&json!(3), &json!("success"))
    );
    server.wait_for("one", 3);
    assert!(
        server
            .get("one.localhost", "/start")
            .text()
            .contains("giraffe")
    );
}

#[test]
fn only_what_an_edit_changes_is_stored_again() {
    let (folder, state) = (Folder::copy_of(&museum()), Folder::new(&[]));
    let (daemon, server) = both(&folder, &state);
    let objects = || -> BTreeSet<String> {
        let manifest = &server
            .sites
            .get("one")
            .expect("it is served")
            .outputs
            .manifest;
        manifest
            .pages
            .keys()
            .map(|page| manifest.entries[page].object.to_string())
            .collect()
    };
    let before = objects();
    let page = folder.read("quickstart.mdx");
    folder.write("quickstart.mdx", format!("{page}\nOne more sentence.\n"));
    daemon.deploy("one", &[]);
    server.wait_for("one", 2);
    let after = objects();
    assert_eq!(before.difference(&after).count(), 1);
    assert_eq!(after.difference(&before).count(), 1);
}

/// What a client has, and what only the header of is asked for, is answered without reading it.
#[test]
fn what_a_client_has_is_not_read() {
    let (folder, state) = (site("giraffe"), Folder::new(&[]));
    folder.write("images/photo.png", "no real picture");
    let (daemon, server) = both(&folder, &state);
    drop(daemon);
    let files = ["/start", "/images/dot.svg", "/images/photo.png"];
    let (host, ours) = ("one.localhost", server.address);
    let listed = &server.sites.get("one").expect("it is served").outputs;
    let theme = listed.manifest.entries.keys();
    let theme = theme.filter(|path| path.starts_with("/_theme/")).cloned();
    let targets: Vec<String> = files.map(str::to_owned).into_iter().chain(theme).collect();
    let encodings = ["identity", "gzip", "br"];
    let get = |address, target: &str, headers: &[(&str, &str)]| {
        send(address, "GET", host, target, headers, "")
    };
    let head = |address| {
        let mut connection = Connection::open(address);
        connection.request("HEAD", "/images/photo.png", &[]);
        connection.reply_to_head()
    };
    let mut before = Vec::new();
    for target in &targets {
        for encoding in encodings {
            let reply = get(ours, target, &[("Accept-Encoding", encoding)]);
            assert_eq!(reply.status, 200, "{target}");
            before.push((target, encoding, reply));
        }
    }
    let expected = head(ours);
    let fresh = Server::start(state.path());
    state.rename("objects", "aside");
    for (target, encoding, reply) in before {
        let tag = reply.header("etag").expect("a tag");
        let headers = [("Accept-Encoding", encoding), ("If-None-Match", tag)];
        let again = get(fresh.address, target, &headers);
        assert_eq!(again.status, 304, "{target}, {encoding}: {}", again.text());
        assert_eq!(again.header("etag"), Some(tag));
        let policy = "content-security-policy";
        assert_eq!(again.header(policy), reply.header(policy), "{target}");
    }
    let again = head(fresh.address);
    assert_eq!(
        (again.status, again.header("content-length")),
        (200, Some("15"))
    );
    assert_eq!(shown(&again), shown(&expected));
    assert_eq!(get(fresh.address, "/images/photo.png", &[]).status, 503);
}

/// A deployment renders what is missing of the one before.
#[test]
fn a_lost_output_is_stored_again_by_the_next_deployment() {
    let (folder, state) = (site("giraffe"), Folder::new(&[]));
    let (daemon, server) = both(&folder, &state);
    let served = server.sites.get("one").expect("it is served");
    let path = |object: String| {
        let (start, rest) = object.split_at(2);
        format!("objects/{start}/{rest}")
    };
    let entry = served.outputs.entry("/start").expect("a page");
    state.remove(&path(entry.object.to_string()));
    let page = folder.read("other.mdx") + "One more sentence.\n";
    folder.write("other.mdx", page);
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(deployment["status"], "success", "{deployment}");
    let fresh = Server::start(state.path());
    assert!(fresh.get("localhost", "/start").text().contains("giraffe"));
    let other = fresh.get("localhost", "/other");
    assert!(other.text().contains("One more sentence"));
    // And without the manifest.
    let list = state.read("deployments/one.jsonl");
    let last: Value = serde_json::from_str(list.lines().last().expect("a line")).expect("JSON");
    let releases = Releases::new(Arc::new(Directory::new(state.path())));
    let release = last["release"].as_str().expect("it is stored");
    let release = serde_json::from_value(json!(release)).expect("a digest");
    let manifest = releases.load(release).expect("a release").manifest;
    state.remove(&path(manifest.expect("a manifest").to_string()));
    folder.write("other.mdx", folder.read("other.mdx") + "And another.\n");
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(deployment["status"], "success", "{deployment}");
    fresh.wait_for("one", 3);
    assert!(fresh.get("localhost", "/start").text().contains("giraffe"));
}

#[test]
fn a_publication_that_cannot_be_read_leaves_the_one_before() {
    let (folder, state) = (site("giraffe"), Folder::new(&[]));
    let (daemon, server) = both(&folder, &state);
    let ready = || send(server.admin, "GET", "localhost", "/_quire/readyz", &[], "").text();
    assert_eq!(ready(), "ready\n");
    drop(daemon);
    // The manifest of the next deployment is damaged before anybody reads it.
    let list = state.read("deployments/one.jsonl");
    let line = list.lines().last().expect("a deployment");
    let mut deployment: Value = serde_json::from_str(line).expect("JSON");
    deployment["id"] = json!(2);
    deployment["release"] = json!("0".repeat(64));
    state.write("deployments/one.jsonl", format!("{list}{deployment}\n"));
    wait_until("it is told", || ready().starts_with("degraded\none: "));
    assert!(ready().contains("is missing or damaged"), "{}", ready());
    assert!(server.get("localhost", "/start").text().contains("giraffe"));
    let status = send(server.admin, "GET", "localhost", "/_quire/status", &[], "");
    let status: Value = serde_json::from_slice(&status.body).expect("JSON");
    assert_eq!(status["sites"][0]["deployment"], 1);
    assert!(status["sites"][0]["error"].is_string(), "{status}");
    // Mended, it is served again.
    state.write("deployments/one.jsonl", &list);
    wait_until("it is ready", || ready() == "ready\n");
    // A folder that is gone is not a site that is gone.
    std::fs::rename(state.at("deployments"), state.at("elsewhere")).expect("it is there");
    wait_until("it is told", || ready().contains("is gone"));
    assert!(server.get("localhost", "/start").text().contains("giraffe"));
    std::fs::rename(state.at("elsewhere"), state.at("deployments")).expect("it is there");
    wait_until("it is ready", || ready() == "ready\n");
    // A damaged output is an error of that output.
    let served = server.sites.get("one").expect("it is served");
    let entry = served.outputs.entry("/start").expect("a page");
    let object = entry.object.to_string();
    let (start, rest) = object.split_at(2);
    state.write(&format!("objects/{start}/{rest}"), "damaged");
    let fresh = Server::start(state.path());
    assert_eq!(fresh.get("localhost", "/start").status, 503);
    assert_eq!(fresh.get("localhost", "/other").status, 200);
}

#[test]
fn sites_are_told_apart_by_their_hosts() {
    let (folder, other, state) = (site("giraffe"), site("telescope"), Folder::new(&[]));
    let mut two = deployed(&other);
    two.domains = vec!["docs.example.org".to_owned()];
    let daemon = Daemon::start(settings(
        state.path(),
        &[("one", deployed(&folder)), ("two", two)],
    ));
    daemon.deploy("one", &[]);
    daemon.deploy("two", &[]);
    let server = Server::start(state.path());
    for (host, word) in [
        ("one.localhost", "giraffe"),
        ("two.localhost", "telescope"),
        ("docs.example.org", "telescope"),
    ] {
        let page = server.get(host, "/start").text();
        assert!(page.contains(word), "{host}: {page}");
    }
    for host in ["localhost", "other.example.org", "three.localhost"] {
        assert_eq!(server.get(host, "/start").status, 421, "{host}");
    }
    // Absolute addresses are those of the host that was asked.
    let list = server.get("docs.example.org", "/llms.txt").text();
    assert!(list.contains("http://docs.example.org/"), "{list}");
    assert!(!list.contains(".invalid"), "{list}");
}

/// Servers have something to serve as soon as a daemon has started: nobody needs to ask for the first
/// deployment, and no other start deploys.
#[test]
fn the_first_start_of_a_daemon_is_a_deployment() {
    let (folder, state) = (site("giraffe"), Folder::new(&[]));
    let server = Server::start(state.path());
    let ready = || send(server.admin, "GET", "localhost", "/_quire/readyz", &[], "");
    for reply in [ready(), server.get("one.localhost", "/start")] {
        assert_eq!(reply.status, 503, "{}", reply.text());
        assert_eq!(reply.header("retry-after"), Some("5"));
        assert!(
            reply.text().contains("nothing-deployed"),
            "{}",
            reply.text()
        );
    }
    assert_eq!(server.get("localhost", "/_quire/livez").status, 200);
    let mut both = settings(state.path(), &[("one", deployed(&folder))]);
    let start = || Daemon::start(settings(state.path(), &[("one", deployed(&folder))]));
    let list = |daemon: &Daemon| {
        let list = daemon::json(&daemon.ask("localhost", "/api/sites/one/deployments"));
        let list = list["deployments"].as_array().expect("a list").iter();
        list.map(|one| one["cause"].as_str().expect("a cause").to_owned())
            .collect::<Vec<_>>()
    };
    let daemon = start();
    server.wait_for("one", 1);
    let page = server.get("one.localhost", "/start");
    assert!(page.text().contains("giraffe"), "{}", page.text());
    assert_eq!(ready().text(), "ready\n");
    assert_eq!(list(&daemon), ["start"]);
    drop(daemon);
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nmarmalade\n");
    let daemon = start();
    assert_eq!(list(&daemon), ["start"]);
    daemon.deploy("one", &[]);
    let path = "/api/sites/one/deployments/1/rollback";
    daemon.manage("POST", "localhost", path, &[], "{}");
    server.wait_for("one", 3);
    drop(daemon);
    let daemon = start();
    assert_eq!(list(&daemon), ["rollback", "api", "start"]);
    assert!(daemon.page("localhost", "/start").contains("giraffe"));
    drop(daemon);
    // A folder that publishes by itself stores nothing, until it does so no more.
    let state = Folder::new(&[]);
    both.state = Some(state.path().to_owned());
    let mut watched = both.clone();
    watched.sites.get_mut("one").expect("a site").watch = true;
    let daemon = Daemon::start(watched);
    assert_eq!(daemon.deploy("one", &[])["release"], Value::Null);
    drop(daemon);
    let daemon = Daemon::try_start(both, None).expect("it starts");
    wait_until("it is deployed", || list(&daemon) == ["start", "api"]);
}

/// A start whose files are not fit to be published says so where deployments are listed; the next
/// start tries again.
#[test]
fn a_start_that_cannot_be_deployed_is_told() {
    let (folder, state) = (site("giraffe"), Folder::new(&[]));
    folder.write(
        "other.mdx",
        "---\ntitle: Other\n---\n\n[a link](/nowhere)\n",
    );
    let mut strict = deployed(&folder);
    strict.fail_on = FailOn::Warning;
    let daemon = Daemon::start(settings(state.path(), &[("one", strict)]));
    let list = daemon::json(&daemon.ask("localhost", "/api/sites/one/deployments"));
    let first = &list["deployments"][0];
    assert_eq!(first["status"], "failure", "{first}");
    assert_eq!(first["diagnostics"][0]["code"], "broken-link", "{first}");
    assert!(daemon.page("localhost", "/start").contains("giraffe"));
    drop(daemon);
    let server = Server::start(state.path());
    assert_eq!(server.get("localhost", "/start").status, 503);
    let daemon = Daemon::try_start(settings(state.path(), &[("one", deployed(&folder))]), None);
    server.wait_for("one", 2);
    assert!(server.get("localhost", "/start").text().contains("giraffe"));
    drop(daemon);
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let folder = Folder::new(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["serve", "--listen", "127.0.0.1:0", "--from"])
        .arg(folder.at("nowhere"))
        .output()
        .expect("it runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("nowhere: No such file"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// The feature brings what is in `bucket.rs`.
#[cfg(not(any(feature = "s3", feature = "postgres")))]
#[test]
fn a_program_without_buckets_and_databases_says_so() {
    let state = Folder::new(&[]);
    let places = [
        ("s3://docs/quire", "cannot use buckets", "--features s3"),
        (
            "postgres://docs:secret@db/docs",
            "postgres://docs@db/docs: this program cannot use databases",
            "--features postgres",
        ),
    ];
    for (place, why, feature) in places {
        for arguments in [["serve", "--from", place], ["restore", place, "--quiet"]] {
            let (code, _, said) = run(&arguments, &state);
            assert_eq!(code, 2, "{said}");
            assert!(said.contains(why), "{said}");
            assert!(said.contains(feature), "{said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }
}
