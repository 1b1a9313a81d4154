//! What a site, a page or a branch writes makes no connection into the network of the machine that serves it: each of them
//! names addresses of this machine in every way there is, and a listener there counts.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::fetch::{SPEC, Server, answer};
use crate::support::daemon::send;
use crate::support::folder::Folder;
use crate::support::process::Process;
use crate::support::wait_until;

/// Listeners of this machine that nobody is to connect to. They end with the process of the tests.
struct Canary {
    port: u16,
    port_6: Option<u16>,
    connections: Arc<AtomicUsize>,
}

impl Canary {
    fn start() -> Self {
        let connections = Arc::new(AtomicUsize::new(0));
        let listen = |listener: TcpListener| {
            let port = listener.local_addr().expect("an address").port();
            let counted = connections.clone();
            std::thread::spawn(move || {
                for _ in listener.incoming() {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
            });
            port
        };
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).expect("a port");
        let port = listen(listener);
        // Not every machine has it.
        let listener = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).ok();
        let port_6 = listener.map(listen);
        Self {
            port,
            port_6,
            connections,
        }
    }

    fn count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Addresses of the listeners, in every way to write them.
    fn urls(&self) -> Vec<String> {
        let hosts = [
            "127.0.0.1",
            "127.1",
            "0x7f000001",
            "2130706433",
            "0177.0.0.1",
            "0.0.0.0",
            "127.0.0.1.",
            "localhost",
            "LOCALHOST.",
            "api.localhost",
            "user:password@127.0.0.1",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
        ];
        let port = self.port;
        let urls = hosts
            .iter()
            .map(|host| format!("https://{host}:{port}/x.json"));
        let urls_6 = self.port_6.into_iter().flat_map(|port| {
            let hosts = ["[::1]", "[0:0:0:0:0:0:0:1]", "localhost"];
            hosts.map(|host| format!("https://{host}:{port}/x.json"))
        });
        urls.chain(urls_6).collect()
    }
}

/// A `docs.json` whose specifications are at `urls`, and that names the first of them wherever else an address can stand.
fn config(urls: &[String], extra: &[&str]) -> String {
    let groups = urls.iter().map(String::as_str).chain(extra.iter().copied());
    let groups = groups.enumerate();
    let groups = groups.map(|(at, url)| json!({ "group": format!("API {at}"), "openapi": url }));
    let mut pages: Vec<Value> = vec!["start".into(), "operation".into()];
    pages.extend(groups);
    let first = &urls[0];
    let config = json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" },
        "logo": { "light": first, "dark": first }, "favicon": first,
        "thumbnails": { "background": first },
        "fonts": { "family": "Own", "source": first, "format": "woff2" },
        "background": { "image": { "light": first, "dark": first } },
        "api": { "openapi": urls, "mdx": { "server": first } },
        "navigation": { "pages": pages },
    });
    config.to_string()
}

/// Files of a site that names `urls`.
fn write_site(folder: &Folder, urls: &[String], extra: &[&str]) {
    let first = &urls[0];
    folder.write("docs/docs.json", config(urls, extra));
    folder.write(
        "docs/start.mdx",
        format!(
            "---\ntitle: Start\nimage: {first}\n\"og:image\": {first}\n---\n\nimport X from \"{first}\";\n\n![picture]({first})\n\n\
             <img src=\"{first}\" />\n\n<Frame>![]({first})</Frame>\n\n[link]({first})\n"
        ),
    );
    folder.write(
        "docs/operation.mdx",
        format!("---\ntitle: Operation\nopenapi: \"{first} GET /pets\"\n---\n"),
    );
    let referring = json!({
        "openapi": "3.1.0", "info": { "title": "R", "version": "1" }, "servers": urls.iter().map(|url| json!({ "url": url })).collect::<Vec<_>>(),
        "externalDocs": { "url": first },
        "paths": {
            "/own": { "get": { "summary": "Own", "parameters": [{ "$ref": format!("{first}#/p") }], "responses": { "200": { "$ref": first } } } },
            "/other": { "$ref": first },
        },
        "components": {
            "schemas": { "S": { "$ref": format!("{first}#/S") } },
            "examples": { "E": { "externalValue": first } },
            "securitySchemes": { "O": { "type": "openIdConnect", "openIdConnectUrl": first } },
        },
    });
    folder.write("docs/referring.json", referring.to_string());
}

#[track_caller]
fn git(folder: &Path, arguments: &[&str]) {
    let own = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    let output = Command::new("git")
        .args(own)
        .args(["-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is there");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// A repository with a site, a branch `pushed`, and a daemon that serves both. One origin is allowed: that of `server`.
struct Ground {
    repository: Folder,
    state: Folder,
    server: Server,
    canary: Canary,
}

impl Ground {
    fn new() -> Self {
        let ground = Self {
            repository: Folder::new(&[]),
            state: Folder::new(&[]),
            server: Server::start(),
            canary: Canary::start(),
        };
        let urls = ground.canary.urls();
        let main = ground.allowed("main");
        write_site(&ground.repository, &urls, &["referring.json", &main]);
        let folder = ground.repository.path();
        git(folder, &["init", "--quiet", "--initial-branch=main"]);
        git(folder, &["add", "--all"]);
        git(folder, &["commit", "--quiet", "--message", "one"]);
        git(folder, &["checkout", "--quiet", "-b", "pushed"]);
        let pushed = ground.allowed("pushed");
        write_site(
            &ground.repository,
            &urls,
            &["referring.json", &main, &pushed],
        );
        git(folder, &["commit", "--quiet", "--all", "--message", "two"]);
        git(folder, &["checkout", "--quiet", "main"]);
        ground
            .state
            .write("certificate.pem", &ground.server.certificate);
        ground
    }

    /// An address at the origin that is allowed.
    fn allowed(&self, name: &str) -> String {
        format!("https://localhost:{}/{name}.json", self.server.port)
    }

    fn daemon(&self, previews: &str) -> Process {
        let (root, port) = (self.repository.at("docs"), self.server.port);
        let settings = format!(
            "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n\
             [fetch]\nallow = [\"https://localhost:{port}\"]\n[previews]\n{previews}\n[sites.docs]\nroot = {root:?}\nmock = true\n"
        );
        self.state.write("quire.toml", settings);
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command
            .env("SSL_CERT_FILE", self.state.at("certificate.pem"))
            .env("XDG_CACHE_HOME", self.state.at("cache"))
            .env_remove("QUIRE_FETCH_ALLOW");
        Process::start_by(&mut command, &self.state)
    }

    fn will_say(&self, summaries: &[&str]) {
        let said = summaries.iter();
        let said = said.map(|summary| answer("200 OK", "", &SPEC.replace("List pets", summary)));
        self.server.will_say(&said.collect::<Vec<_>>());
    }
}

/// Asks for everything that could lead to a connection.
fn visit(process: &Process, host: &str, id: &str, urls: &[String]) {
    let origin = format!("http://{host}");
    let ask = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        send(process.address, method, host, path, headers, body).text()
    };
    for path in [
        "/start",
        "/operation",
        "/referring.json",
        "/api-specs.zip",
        "/llms-full.txt",
        "/sitemap.xml",
        "/og/start.png",
        "/start.md",
        "/_quire/diff?format=json",
        "/_quire/mock/referring/own",
    ] {
        ask("GET", path, &[], "");
    }
    let json_type = ("Content-Type", "application/json");
    for (operation, body) in [
        ("search", json!({ "query": "pets", "semantic": true })),
        (
            "assistant",
            json!({ "messages": [{ "role": "user", "content": "pets" }] }),
        ),
    ] {
        let path = format!("/api/sites/{id}/{operation}");
        ask("POST", &path, &[json_type], &body.to_string());
    }
    let headers = [
        ("Origin", origin.as_str()),
        ("Sec-Fetch-Site", "same-origin"),
        ("Quire-Relay", "1"),
        ("Content-Type", "application/octet-stream"),
    ];
    for url in urls {
        let line = format!("{}\n", json!({ "method": "GET", "url": url }));
        ask("POST", "/_quire/relay", &headers, &line);
    }
}

/// The end of a deployment of the site at `host`.
fn deploy(process: &Process, host: &str, id: &str) -> Value {
    let path = format!("/api/sites/{id}/deployments");
    let accepted = send(process.admin(), "POST", host, &path, &[], "");
    assert_eq!(accepted.status, 202, "{}", accepted.text());
    let place = accepted.header("location").expect("a place").to_owned();
    let mut deployment = Value::Null;
    wait_until("it ends", || {
        let reply = send(process.admin(), "GET", host, &place, &[], "");
        deployment = serde_json::from_slice(&reply.body).expect("JSON");
        matches!(deployment["status"].as_str(), Some("success" | "failure"))
    });
    deployment
}

fn pages(process: &Process, host: &str) -> String {
    send(process.address, "GET", host, "/llms.txt", &[], "").text()
}

const SITE: &str = "docs.localhost";
const BRANCH: &str = "pushed--docs.localhost";

#[test]
fn nothing_that_a_site_or_a_branch_writes_connects_to_this_machine() {
    let ground = Ground::new();
    let urls = ground.canary.urls();
    ground.will_say(&["Main pets"]);
    let process = ground.daemon("");
    // All of a round are over when those that are allowed are there.
    wait_until("what is allowed is fetched", || {
        pages(&process, SITE).contains("Main pets")
    });
    visit(&process, SITE, "docs", &urls);
    assert_eq!(ground.canary.count(), 0, "at the start");

    let more: Vec<String> = (urls.iter())
        .map(|url| url.replace("x.json", "changed.json"))
        .collect();
    ground.will_say(&["Changed pets", "Changed pets"]);
    let (main, changed) = (ground.allowed("main"), ground.allowed("changed"));
    write_site(&ground.repository, &more, &[&main, &changed]);
    wait_until("the change is fetched", || {
        pages(&process, SITE).contains("Changed pets")
    });
    visit(&process, SITE, "docs", &more);
    assert_eq!(ground.canary.count(), 0, "after a change");

    ground.will_say(&["Changed pets", "Changed pets"]);
    let deployment = deploy(&process, SITE, "docs");
    assert_eq!(deployment["status"], "failure", "{deployment}");
    let error = deployment["error"].as_str().expect("a text");
    assert!(error.contains("is not public"), "{error}");
    assert_eq!(ground.canary.count(), 0, "by a deployment");

    ground.server.take_seen();
    visit(&process, BRANCH, "pushed--docs", &urls);
    // What the site itself has fetched is shown, and nothing is asked for.
    assert!(pages(&process, BRANCH).contains("Changed pets"));
    let deployment = deploy(&process, BRANCH, "pushed--docs");
    assert_eq!(deployment["status"], "success", "{deployment}");
    visit(&process, BRANCH, "pushed--docs", &urls);
    assert_eq!(ground.server.take_seen(), [""; 0], "by a branch");
    assert_eq!(ground.canary.count(), 0, "by a branch");
}

#[test]
fn a_branch_is_fetched_for_where_the_operator_says_so() {
    let ground = Ground::new();
    let urls = ground.canary.urls();
    ground.will_say(&["Main pets"]);
    let process = ground.daemon("fetch = true");
    wait_until("what is allowed is fetched", || {
        pages(&process, SITE).contains("Main pets")
    });
    ground.will_say(&["Pushed pets", "Pushed pets"]);
    wait_until("the branch is fetched for", || {
        pages(&process, BRANCH).contains("Pushed pets")
    });
    visit(&process, BRANCH, "pushed--docs", &urls);
    ground.will_say(&["Pushed pets", "Pushed pets"]);
    let deployment = deploy(&process, BRANCH, "pushed--docs");
    assert_eq!(deployment["status"], "failure", "{deployment}");
    assert_eq!(ground.canary.count(), 0);
}

/// A document that the operator's word has brought is not for a site without that word, though both use one cache.
#[test]
fn what_was_fetched_by_leave_is_kept_for_those_who_have_it() {
    let ground = Ground::new();
    ground.will_say(&["Main pets"]);
    let mut process = ground.daemon("");
    wait_until("what is allowed is fetched", || {
        pages(&process, SITE).contains("Main pets")
    });
    process.stop();
    let list = |allow: Option<String>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command
            .arg("routes")
            .arg(ground.repository.at("docs"))
            .env("SSL_CERT_FILE", ground.state.at("certificate.pem"))
            .env("XDG_CACHE_HOME", ground.state.at("cache"))
            .env_remove("QUIRE_FETCH_ALLOW")
            .envs(allow.map(|allow| ("QUIRE_FETCH_ALLOW", allow)));
        let output = command.output().expect("it runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(!list(None).contains("Main pets"));
    // The server has nothing more to say: this is what was kept.
    let origin = format!("https://localhost:{}", ground.server.port);
    assert!(list(Some(origin)).contains("Main pets"));
    assert_eq!(ground.canary.count(), 0);
}
