//! Many sites in one process: hosts, status, reloading, eviction, deployments.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::daemon::{Daemon, json, of, settings, site};
use crate::support::folder::Folder;
use crate::support::{PATIENCE, wait_until};

#[test]
fn each_host_has_its_own_site() {
    let (one, two, state) = (site("one"), site("two"), Folder::new(&[]));
    let mut second = of(&two);
    second.domains = vec!["docs.example.org".to_owned()];
    let daemon = Daemon::start(settings(
        state.path(),
        &[("one", of(&one)), ("two", second)],
    ));
    assert!(daemon.page("one.localhost", "/start").contains("one-words"));
    assert!(
        daemon
            .page("two.localhost:1", "/start")
            .contains("two-words")
    );
    assert!(
        daemon
            .page("DOCS.example.org", "/start")
            .contains("two-words")
    );
    // Assets belong to the host as well.
    assert!(
        daemon
            .page("one.localhost", "/images/dot.svg")
            .contains("one")
    );
    assert!(
        daemon
            .page("two.localhost", "/images/dot.svg")
            .contains("two")
    );
    assert_eq!(daemon.get("evil.example", "/start").status, 421);
    assert_eq!(daemon.get("three.localhost", "/start").status, 404);
    assert_eq!(daemon.get("localhost", "/start").status, 404);
    assert_eq!(daemon.get("localhost", "/").status, 404);
    let front = daemon.ask("localhost", "/").text();
    assert!(
        front.contains("one.localhost") && front.contains("two.localhost"),
        "{front}"
    );
    let style = front
        .split("href=\"")
        .find(|rest| rest.contains("console."))
        .expect("a stylesheet");
    let style = style.split('"').next().expect("an address");
    assert_eq!(
        daemon.get("localhost", style).header("content-type"),
        Some("text/css; charset=utf-8")
    );
    // Behind a proxy nobody is told which sites there are.
    let through = daemon.send(
        "GET",
        "localhost",
        "/",
        &[("X-Forwarded-For", "192.0.2.1")],
        "",
    );
    assert_eq!(through.status, 404);
    // Published sites are as visitors get them.
    assert!(
        !daemon
            .page("one.localhost", "/start")
            .contains("quire-preview")
    );
}

/// Saved at once or by renaming, as editors do; no event need have been waited for.
#[test]
fn a_visitor_gets_what_was_saved_before_the_request() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    let mut editor = Editor::of(&one);
    let stale = (0..400).filter(|round| {
        let words = format!("round-{round}-words");
        editor.save(&words, round % 2 == 1);
        let (shown, is_patient) = visit(&daemon);
        if !is_patient {
            wait_until("it is published", || visit(&daemon).0.contains(&words));
        }
        is_patient && !shown.contains(&words)
    });
    assert_eq!(stale.count(), 0);
}

/// Process of its own that writes a page. What this process writes other tests of it may have open for a moment more, in a
/// process that they start and that has not begun its own program yet.
struct Editor {
    process: std::process::Child,
    saved: std::io::BufReader<std::process::ChildStdout>,
}

impl Editor {
    fn of(site: &Folder) -> Self {
        let script = r#"while read -r how words; do
            printf -- '---\ntitle: Start\n---\n\n%s\n' "$words" > "$([ $how = at-once ] && echo start.mdx || echo .start)"
            [ $how = at-once ] || mv .start start.mdx
            echo saved
        done"#;
        let mut process = std::process::Command::new("sh")
            .args(["-c", script])
            .current_dir(site.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let saved = std::io::BufReader::new(process.stdout.take().expect("its output"));
        Self { process, saved }
    }

    /// Returns when the page holds `words` and nobody has it open.
    fn save(&mut self, words: &str, by_rename: bool) {
        let how = match by_rename {
            true => "by-rename",
            false => "at-once",
        };
        let input = self.process.stdin.as_mut().expect("its input");
        writeln!(input, "{how} {words}").expect("it reads");
        let mut line = String::new();
        self.saved.read_line(&mut line).expect("it answers");
        assert_eq!(line, "saved\n");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
fn a_visitor_gets_no_page_that_is_half_written() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    assert!(daemon.page("one.localhost", "/start").contains("one-words"));
    for round in 0..50 {
        // Emptied, and not yet closed.
        let mut file = std::fs::File::create(one.at("start.mdx")).expect("it may be written");
        let before = match round {
            0 => "one-words".to_owned(),
            _ => format!("round-{}-words", round - 1),
        };
        let (shown, is_patient) = visit(&daemon);
        assert!(!is_patient || shown.contains(&before), "round {round}");
        let page = format!("---\ntitle: Start\n---\n\nround-{round}-words\n");
        file.write_all(page.as_bytes()).expect("it is written");
        drop(file);
        let now = format!("round-{round}-words");
        // A process that this one starts meanwhile has the file open, too, until it has begun its own program.
        wait_until("it is published", || visit(&daemon).0.contains(&now));
    }
}

/// What a visitor gets, and whether that took less than the second after which visitors get the site as it was, and a file
/// that stays empty counts as empty. The first edit on a busy machine may take longer.
fn visit(daemon: &Daemon) -> (String, bool) {
    let asked = Instant::now();
    let shown = daemon.page("one.localhost", "/start");
    (shown, asked.elapsed() < Duration::from_millis(900))
}

#[test]
fn one_site_answers_to_every_name_of_this_machine() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("docs", of(&one))]));
    for host in ["localhost", "127.0.0.1", "[::1]:80", "docs.localhost"] {
        assert!(daemon.page(host, "/start").contains("one-words"), "{host}");
    }
    assert_eq!(daemon.get("other.localhost", "/start").status, 404);
}

#[test]
fn an_edit_is_served_and_counted() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    wait_until("it is ready", || {
        daemon.get("localhost", "/_quire/readyz").status == 200
    });
    daemon.page("localhost", "/start");
    // The first edit makes the file less durable, which its readers notice once.
    for words in ["new-words", "newer-words"] {
        one.write("start.mdx", format!("---\ntitle: Start\n---\n\n{words}\n"));
        wait_until("it is published", || {
            daemon.page("localhost", "/start").contains(words)
        });
        // Who searches waits for the index: it asks for no body then that the next edit changes.
        let found = daemon.send(
            "POST",
            "localhost",
            "/api/sites/one/search",
            &[("Content-Type", "application/json")],
            &format!("{{\"query\":\"{words}\"}}"),
        );
        assert!(found.text().contains("/start"), "{}", found.text());
    }
    let status = json(&daemon.ask("localhost", "/_quire/status"));
    let shown = &status["sites"][0];
    assert_eq!(
        (&shown["id"], &shown["state"], &shown["pages"]),
        (&"one".into(), &"ready".into(), &2.into())
    );
    assert_eq!(shown["last_edit"]["kind"], "page");
    // The file itself, its body and whether that has a feed; nothing else of the site runs.
    assert_eq!(shown["last_edit"]["executed"], 3, "{shown}");
    let cache = &status["cache"];
    assert!(cache["entries"].as_u64() > Some(0), "{cache}");
    assert!(
        (0.0..=1.0).contains(&cache["hit_rate"].as_f64().expect("a share")),
        "{cache}"
    );
    let metrics = daemon.ask("localhost", "/_quire/metrics").text();
    for line in [
        "quire_pages{site=\"one\"} 2\n",
        "quire_edit_seconds_count{site=\"one\"} 2\n",
        "# TYPE quire_queries_executed_total counter\n",
        "quire_artifacts_made_total{kind=\"page body\"} 4\n",
        "quire_queries_executed_total{site=\"one\",query=\"page_body\"} ",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        let value = line
            .rsplit(' ')
            .next()
            .and_then(|value| value.parse::<f64>().ok());
        assert!(value.is_some(), "{line}");
    }
}

/// What only administrators are told or may do: method, path and the status that they get.
const ADMINISTRATION: &[(&str, &str, u16)] = &[
    ("GET", "/_quire/status", 200),
    ("GET", "/_quire/metrics", 200),
    ("GET", "/_quire/feedback", 200),
    ("GET", "/_quire/analytics", 200),
    ("GET", "/api/sites/one/deployments", 200),
    ("POST", "/api/sites/one/deployments", 202),
    ("GET", "/api/sites/one/deployments/1", 200),
    ("GET", "/api/sites/one/previews", 200),
    ("POST", "/api/sites/one/previews", 400),
    ("DELETE", "/api/sites/one/previews/main", 404),
];

/// A proxy on this machine has its address, and by default says nothing of whom it speaks for: that is the request of
/// `proxy_pass` as nginx sends it, which no address, name of a host or missing header tells from one of the operator.
#[test]
fn nobody_is_an_administrator_by_an_address() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    daemon.page("localhost", "/start");
    let own = daemon.address.to_string();
    for host in ["localhost", "one.localhost", "127.0.0.1", "[::1]", &own] {
        for (method, path, as_administrator) in ADMINISTRATION {
            for headers in [&[][..], &[("Connection", "close")]] {
                let reply = daemon.send(method, host, path, headers, "");
                assert!(
                    matches!(reply.status, 401 | 404),
                    "{method} {host}{path}: {}",
                    reply.text()
                );
                assert!(!reply.text().contains("uptime"), "{}", reply.text());
            }
            let reply = daemon.manage(method, host, path, &[], "");
            assert_eq!(reply.status, *as_administrator, "{method} {host}{path}");
        }
    }
    assert_eq!(
        daemon.get("127.0.0.1", "/").status,
        307,
        "the site, no list"
    );
    // Whatever a proxy in front of the listener for administrators says.
    let via = [("Via", "1.1 x"), ("X-Forwarded-For", "192.0.2.1")];
    let reply = daemon.manage("GET", "metrics.internal", "/_quire/metrics", &via, "");
    assert_eq!(reply.status, 200);
    assert_eq!(daemon.get("localhost", "/_quire/healthz").status, 200);
    wait_until("it is ready", || {
        daemon.get("localhost", "/_quire/readyz").status == 200
    });
}

/// Sends a request to the socket of the daemon on `state`, as `curl --unix-socket` does.
fn by_socket(state: &Path, method: &str, target: &str) -> String {
    let mut stream = UnixStream::connect(state.join("socket")).expect("a socket");
    stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
    let request = format!(
        "{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply");
    reply
}

#[test]
fn the_socket_is_for_administrators() {
    let (one, state) = (site("one"), Folder::new(&[("token", "s3cret\n")]));
    let mut closed = of(&one);
    closed.token_file = Some(state.at("token"));
    let mut settings = settings(&state.at("state"), &[("one", closed)]);
    settings.listen.admin = None;
    let daemon = Daemon::start(settings);
    daemon.page("localhost", "/start");
    for (method, path, status) in ADMINISTRATION {
        let reply = by_socket(&state.at("state"), method, path);
        let expected = format!("HTTP/1.1 {status} ");
        assert!(reply.starts_with(&expected), "{method} {path}: {reply}");
    }
    let start = by_socket(&state.at("state"), "GET", "/start");
    assert!(start.contains("one-words"), "{start}");
    // Its own commands go on in their own words, and what is neither is refused.
    let status = quire::control::ask(&state.at("state"), "status").expect("it answers");
    assert_eq!(status["sites"][0]["id"], "one");
    let mut stream = UnixStream::connect(state.at("state/socket")).expect("a socket");
    stream.write_all(b"hello\n").expect("it listens");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply");
    assert!(reply.contains("quire/VERSION status"), "{reply}");
}

#[test]
fn a_token_shows_what_is_of_its_site_alone() {
    let (one, two) = (site("one"), site("two"));
    let state = Folder::new(&[("one", "first\n"), ("two", "second\n")]);
    let with_token = |site: &Folder, name: &str| {
        let mut closed = of(site);
        closed.token_file = Some(state.at(name));
        closed
    };
    let sites = [
        ("one", with_token(&one, "one")),
        ("two", with_token(&two, "two")),
    ];
    let daemon = Daemon::start(settings(&state.at("state"), &sites));
    let status = |host: &str, path: &str, token: &str| {
        let token = format!("Bearer {token}");
        let headers = [("Authorization", token.as_str())];
        daemon.send("GET", host, path, &headers, "").status
    };
    for path in ["/_quire/feedback", "/_quire/analytics"] {
        assert_eq!(status("one.localhost", path, "first"), 200, "{path}");
        assert_eq!(status("one.localhost", path, "second"), 404, "{path}");
        assert_eq!(status("localhost", path, "first"), 404, "of all sites");
    }
    // What is of the process belongs to no site.
    assert_eq!(status("one.localhost", "/_quire/status", "first"), 404);
}

#[test]
fn a_site_that_cannot_be_read_hides_no_other() {
    let (one, broken, state) = (
        site("one"),
        Folder::new(&[("start.mdx", "Words.\n")]),
        Folder::new(&[]),
    );
    let daemon = Daemon::start(settings(
        state.path(),
        &[("broken", of(&broken)), ("one", of(&one))],
    ));
    assert!(daemon.page("one.localhost", "/start").contains("one-words"));
    let reply = daemon.get("broken.localhost", "/start");
    assert_eq!(reply.status, 503);
    assert!(reply.text().contains("docs.json"), "{}", reply.text());
    assert!(reply.header("retry-after").is_some());
    let status = json(&daemon.ask("localhost", "/_quire/status"));
    assert_eq!(status["sites"][0]["state"], "failed", "{status}");
    // It comes back by itself once it can be read.
    broken.write("docs.json", one.read("docs.json"));
    assert_eq!(daemon.get("broken.localhost", "/start").status, 200);
}

#[test]
fn a_site_nobody_asks_for_leaves_memory_and_comes_back() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    daemon.page("localhost", "/start");
    wait_until("it is ready", || {
        daemon.get("localhost", "/_quire/readyz").status == 200
    });
    daemon.sites.sweep(Duration::from_secs(3600));
    assert!(daemon.sites.get("one").expect("a site").running().is_some());
    wait_until("some time passes", || {
        daemon.sites.get("one").expect("a site").idle_time() > Duration::from_millis(1)
    });
    daemon.sites.sweep(Duration::from_millis(1));
    assert!(daemon.sites.get("one").expect("a site").running().is_none());
    let status = json(&daemon.ask("localhost", "/_quire/status"));
    assert_eq!(status["sites"][0]["state"], "idle");
    one.write("start.mdx", "---\ntitle: Start\n---\n\nwritten-meanwhile\n");
    assert!(
        daemon
            .page("localhost", "/start")
            .contains("written-meanwhile")
    );
}

#[test]
fn a_configuration_is_read_again() {
    let (one, two, state) = (site("one"), site("two"), Folder::new(&[]));
    let config = state.at("quire.toml");
    let text = |sites: &[(&str, &Path)]| {
        let sites = sites
            .iter()
            .map(|(id, root)| format!("[sites.{id}]\nroot = {root:?}\n"));
        format!(
            "[listen]\naddress = \"127.0.0.1:0\"\n{}",
            sites.collect::<String>()
        )
    };
    state.write("quire.toml", text(&[("one", one.path())]));
    let mut read = quire_settings::Settings::read(&config).expect("settings");
    read.state = Some(state.at("state"));
    let daemon = Daemon::try_start(read, Some(&config)).expect("it starts");
    assert!(daemon.page("one.localhost", "/start").contains("one-words"));
    let before = daemon
        .sites
        .get("one")
        .expect("a site")
        .running()
        .expect("in memory");
    state.write(
        "quire.toml",
        text(&[("one", one.path()), ("two", two.path())]),
    );
    daemon.reload();
    wait_until("the second site is there", || {
        daemon.get("two.localhost", "/start").status == 200
    });
    let after = daemon
        .sites
        .get("one")
        .expect("a site")
        .running()
        .expect("in memory");
    assert!(
        std::sync::Arc::ptr_eq(&before, &after),
        "what is the same goes on"
    );
    // A mistake changes nothing.
    state.write("quire.toml", "[sites.one\n");
    daemon.reload();
    state.write("quire.toml", text(&[("two", two.path())]));
    daemon.reload();
    wait_until("the first site is gone", || {
        daemon.get("one.localhost", "/start").status != 200
    });
    assert_eq!(daemon.get("two.localhost", "/start").status, 200);
}

/// The code by which the relay of `daemon` refuses a request to `target`.
fn relay_refusal(daemon: &Daemon, target: &str) -> String {
    let headers = [
        ("Origin", "http://one.localhost"),
        ("Sec-Fetch-Site", "same-origin"),
        ("Quire-Relay", "1"),
        ("Content-Type", "application/octet-stream"),
    ];
    let line = format!("{{\"method\":\"GET\",\"url\":\"{target}/\"}}\n");
    let reply = daemon.send("POST", "one.localhost", "/_quire/relay", &headers, &line);
    json(&reply)["error"]["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_relay_follows_the_configuration_that_is_read_again() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let text = |relay: &str| {
        let root = one.path();
        format!("[listen]\naddress = \"127.0.0.1:0\"\n[sites.one]\nroot = {root:?}\n{relay}")
    };
    state.write("quire.toml", text(""));
    let config = state.at("quire.toml");
    let mut read = quire_settings::Settings::read(&config).expect("settings");
    read.state = Some(state.at("state"));
    // What the command line says holds all along.
    read.relay
        .override_with(quire_settings::relay::RelayOverrides {
            allow: vec!["http://127.0.0.1:2".to_owned()],
            is_off: false,
        });
    let daemon = Daemon::try_start(read, Some(&config)).expect("it starts");
    let (told, other) = ("http://127.0.0.1:2", "http://127.0.0.1:3");
    let refused = |target| relay_refusal(&daemon, target);
    assert_eq!(refused(told), "relay-unreachable");
    assert_eq!(refused(other), "relay-target");
    state.write(
        "quire.toml",
        text(&format!("[relay]\nallow = [\"{other}\"]\n")),
    );
    daemon.reload();
    wait_until("the other is allowed", || {
        refused(other) == "relay-unreachable"
    });
    assert_eq!(refused(told), "relay-unreachable");
    // A mistake changes nothing.
    state.write("quire.toml", text("[relay]\nallow = [\"x\"]\n"));
    daemon.reload();
    state.write("quire.toml", text("[relay]\nenabled = false\n"));
    daemon.reload();
    wait_until("there is none", || refused(other) == "unknown-operation");
    state.write("quire.toml", text(""));
    daemon.reload();
    wait_until("there is one again", || {
        refused(told) == "relay-unreachable"
    });
    assert_eq!(refused(other), "relay-target");
}

#[test]
fn a_stop_ends_the_daemon() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    daemon.page("localhost", "/start");
    let status = quire::control::ask(state.path(), "status").expect("it answers");
    assert_eq!(status["sites"][0]["id"], "one");
    assert!(quire::control::ask(state.path(), "dance").is_err());
    let taken = Daemon::try_start(settings(state.path(), &[("one", of(&one))]), None);
    assert!(
        taken
            .err()
            .expect("the folder is taken")
            .to_string()
            .contains("another daemon")
    );
    quire::control::ask(state.path(), "stop").expect("it answers");
    wait_until("it ends", || daemon.has_ended());
    assert!(quire::control::ask(state.path(), "status").is_err());
    drop(daemon);
    let again = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    assert_eq!(again.get("localhost", "/start").status, 200);
}

/// Sites and previews share what is kept: a start, and a branch that changes little, draw what is new and nothing else.
#[test]
fn a_restart_draws_nothing_that_was_drawn() {
    let (one, two, state) = (site("one"), site("two"), Folder::new(&[]));
    let both = || settings(state.path(), &[("one", of(&one)), ("two", of(&two))]);
    let ready = |daemon: &Daemon| {
        wait_until("it is ready", || {
            daemon.get("localhost", "/_quire/readyz").status == 200
        });
        for host in ["one.localhost", "two.localhost"] {
            for page in ["/start", "/other"] {
                daemon.page(host, page);
            }
        }
        daemon.sites.store().stats().drawn()
    };
    // The page that is the same in both sites is drawn once.
    assert_eq!(ready(&Daemon::start(both())), 3);
    assert_eq!(ready(&Daemon::start(both())), 0);
    one.write("start.mdx", "---\ntitle: Start\n---\n\nnewer-words\n");
    let daemon = Daemon::start(both());
    assert_eq!(ready(&daemon), 1);
    // What is taken back is found again.
    one.write("start.mdx", "---\ntitle: Start\n---\n\none-words\n");
    wait_until("it is published", || {
        daemon.page("one.localhost", "/start").contains("one-words")
    });
    assert_eq!(daemon.sites.store().stats().drawn(), 1);
}

/// The samples of `text`, which must be what the format of Prometheus (0.0.4) allows: each family once and in one piece, its
/// help and type before its samples, each series once, histograms that add up.
#[track_caller]
fn samples(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'));
    let mut families: BTreeMap<&str, &str> = BTreeMap::new();
    let mut samples = BTreeMap::new();
    let (mut family, mut helped) = ("", "");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            (helped, _) = rest.split_once(' ').expect("a text");
            continue;
        }
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            assert_eq!(name, helped, "{line}");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(families.insert(name, kind), None, "{line}");
            family = name;
            continue;
        }
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let value: f64 = value.parse().expect("a number");
        let name = series.split('{').next().expect("a name");
        let suffixes = match families[family] {
            "histogram" => &["_bucket", "_sum", "_count"][..],
            _ => &[""],
        };
        let rest = name.strip_prefix(family).expect("its family");
        assert!(suffixes.contains(&rest), "{line}");
        let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        assert!(is_name(name), "{line}");
        if let Some(labels) = series
            .strip_prefix(name)
            .filter(|labels| !labels.is_empty())
        {
            let inside = labels
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            for label in inside.expect("braces").split("\",") {
                let (label, value) = label.split_once("=\"").expect("a label");
                let value = value.strip_suffix('"').unwrap_or(value);
                assert!(is_name(label) && !value.contains(['"', '\\']), "{line}");
            }
        }
        assert_eq!(samples.insert(series.to_owned(), value), None, "{line}");
    }
    for name in families.iter().filter(|(_, kind)| **kind == "histogram") {
        let name = name.0;
        for (series, count) in samples.iter().filter(|(series, _)| {
            series
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with("_count"))
        }) {
            let labels = &series[name.len() + "_count".len()..];
            let labels = labels.trim_matches(['{', '}']);
            let comma = if labels.is_empty() { "" } else { "," };
            let of = |bound: &str| format!("{name}_bucket{{{labels}{comma}le=\"{bound}\"}}");
            assert_eq!(samples.get(&of("+Inf")), Some(count), "{series}");
            let prefix = format!("{name}_bucket{{{labels}{comma}le=\"");
            let mut below: Vec<(f64, f64)> = (samples.iter())
                .filter_map(|(series, count)| {
                    let bound = series.strip_prefix(&prefix)?.strip_suffix("\"}")?;
                    Some((bound.parse().expect("a bound"), *count))
                })
                .collect();
            below.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(
                below.windows(2).all(|two| two[0].1 <= two[1].1),
                "{below:?}"
            );
        }
    }
    samples
}

#[test]
fn requests_are_counted_by_status_and_time() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    wait_until("it is ready", || {
        daemon.get("localhost", "/_quire/readyz").status == 200
    });
    let before = samples(&daemon.ask("localhost", "/_quire/metrics").text());
    for _ in 0..3 {
        daemon.page("localhost", "/start");
    }
    assert_eq!(daemon.get("localhost", "/nothing").status, 404);
    assert_eq!(daemon.get("other.example", "/").status, 421);
    let after = samples(&daemon.ask("localhost", "/_quire/metrics").text());
    let more = |series: &str| after[series] - before.get(series).copied().unwrap_or(0.0);
    // The first question of the metrics is counted when it was answered.
    assert_eq!(more("quire_http_requests_total{code=\"200\"}"), 4.0);
    assert_eq!(more("quire_http_requests_total{code=\"404\"}"), 1.0);
    assert_eq!(more("quire_http_requests_total{code=\"421\"}"), 1.0);
    assert_eq!(more("quire_http_request_seconds_count"), 6.0);
    assert!(more("quire_http_request_seconds_sum") > 0.0);
}

#[test]
fn readiness_says_what_is_wrong() {
    let (one, broken, state) = (
        site("one"),
        Folder::new(&[("start.mdx", "Words.\n")]),
        Folder::new(&[]),
    );
    let daemon = Daemon::start(settings(
        state.path(),
        &[("broken", of(&broken)), ("one", of(&one))],
    ));
    let ready = || daemon.get("localhost", "/_quire/readyz");
    wait_until("it is ready", || ready().status == 200);
    let said = ready().text();
    assert!(
        said.starts_with("degraded\nbroken: cannot be read: "),
        "{said}"
    );
    assert_eq!(said.lines().count(), 2, "{said}");
    broken.write("docs.json", one.read("docs.json"));
    assert_eq!(daemon.get("broken.localhost", "/start").status, 200);
    assert_eq!(ready().text(), "ready\n");
    one.remove("other.mdx");
    std::os::unix::fs::symlink("other.mdx", one.at("other.mdx")).expect("a link");
    wait_until("it is said", || {
        ready().text().starts_with("degraded\none: ")
    });
    assert!(ready().text().contains("other.mdx cannot be read"));
}

/// Pages that are composed already do not hide that none can be any more.
#[test]
fn readiness_draws_and_searches() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    let ready = || daemon.get("localhost", "/_quire/readyz");
    wait_until("it is ready", || ready().status == 200);
    let meter = daemon.sites.get("one").expect("a site").meter();
    let meter = meter.expect("it is in memory");
    let ran = |query: &str| {
        let counts = meter.by_query();
        let count = counts.get(query).copied().unwrap_or_default();
        count.executed + count.validated
    };
    one.write("start.mdx", "---\ntitle: Start\n---\n\nnew-words\n");
    wait_until("it is published", || {
        daemon.page("localhost", "/start").contains("new-words")
    });
    let found = || {
        let service = daemon.sites.get("one").and_then(|slot| slot.running());
        service.map(|service| service.handle().status().search.passages)
    };
    assert_eq!(ready().text(), "ready\n");
    assert!(ran("page_body") > 0);
    assert!(found() > Some(0));
}

#[test]
fn what_settings_name_and_is_not_there_is_said() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let mut unwatched = of(&one);
    unwatched.watch = false;
    unwatched.token_env = Some("QUIRE_TEST_UNSET".to_owned());
    let daemon = Daemon::start(settings(state.path(), &[("one", unwatched)]));
    daemon.page("localhost", "/start");
    let warnings = || {
        let status = json(&daemon.ask("localhost", "/_quire/status"));
        let warnings = status["sites"][0]["warnings"].as_array().cloned();
        warnings
            .unwrap_or_default()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let said = warnings();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("read the variable QUIRE_TEST_UNSET"),
        "{said:?}"
    );
    let aside = state.at("aside");
    std::fs::rename(one.path(), &aside).expect("rename");
    let said = warnings();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("is not there: No such file"), "{said:?}");
    assert_eq!(daemon.get("localhost", "/start").status, 200);
    std::fs::rename(&aside, one.path()).expect("rename");
    assert_eq!(warnings().len(), 1);
}
