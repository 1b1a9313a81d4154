//! The daemon is killed at any moment: visitors see the old site or the new one, and what was accepted is done afterwards.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use quire_settings::SiteSettings;
use serde_json::Value;

use crate::random_numbers::Random;
use crate::support::PATIENCE;
use crate::support::daemon::{Daemon, send, settings};
use crate::support::folder::Folder;
use crate::support::process::Process;
use crate::support::wait_until;

const PAGES: usize = 8;

/// How often the daemon is killed; `QUIRE_KILLS` asks for more.
fn rounds() -> usize {
    std::env::var("QUIRE_KILLS")
        .ok()
        .and_then(|kills| kills.parse().ok())
        .unwrap_or(12)
}

fn page(version: usize) -> String {
    format!("---\ntitle: Page\n---\n\nversion-{version}-end\n")
}

/// The version of the page at `target`; nothing if the daemon is gone. A reply is whole or it is none.
fn version_of(address: SocketAddr, target: &str) -> Option<usize> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).ok()?;
    let text = String::from_utf8_lossy(&reply).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("content-length: ")
            .map(str::to_owned)
    });
    // Cut off with the process.
    if length.and_then(|length| length.parse().ok()) != Some(body.len()) {
        return None;
    }
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let version = body.split("version-").nth(1)?.split("-end").next()?;
    Some(version.parse().expect("a number"))
}

#[test]
fn a_kill_at_any_moment_mixes_nothing_and_loses_nothing() {
    let (site, state) = (Folder::new(&[]), Folder::new(&[]));
    let names: Vec<String> = (0..PAGES).map(|n| format!("page-{n}")).collect();
    let config = serde_json::json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" }, "navigation": { "pages": names },
    });
    site.write("docs.json", config.to_string());
    let write_all = |version| {
        for name in &names {
            site.write(&format!("{name}.mdx"), page(version));
        }
    };
    write_all(0);
    state.write(
        "quire.toml",
        format!(
            "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n[sites.docs]\nroot = {:?}\nwatch = false\nsearch_deadline_ms = 60000\n",
            site.path()
        ),
    );
    let mut random = Random::new(7);
    let mut process = Process::start(&state);
    let (mut accepted_count, mut cut) = (0, 0);
    for version in 1..=rounds() {
        let address = process.admin();
        wait_until("it answers", || {
            version_of(address, "/page-0") == Some(version - 1)
        });
        write_all(version);
        let is_over = AtomicBool::new(false);
        // The moment of its end, in replies to the visitor: early or late in the deployment.
        let moment = random.below(if version % 2 == 0 { 8 } else { 80 });
        let (replied, replies) = channel();
        let accepted = std::thread::scope(|scope| {
            let visitor = scope.spawn(|| {
                let mut last = version - 1;
                let mut at = 0;
                while !is_over.load(Ordering::Relaxed) {
                    at += 1;
                    let seen = version_of(address, &format!("/page-{}", at % PAGES));
                    // Nobody counts any more when it is killed.
                    let _ = replied.send(());
                    if let Some(seen) = seen {
                        assert!(
                            seen == version || seen == version - 1,
                            "{seen} in round {version}"
                        );
                        assert!(
                            seen >= last,
                            "an older page after a newer one in round {version}"
                        );
                        last = seen;
                    }
                }
            });
            let deploying = scope.spawn(|| {
                let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
                stream.set_read_timeout(Some(PATIENCE)).ok()?;
                let request = "POST /api/sites/docs/deployments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                stream.write_all(request.as_bytes()).ok()?;
                let mut reply = String::new();
                // What comes before the end counts.
                let _ = stream.read_to_string(&mut reply);
                let place = reply.lines().find_map(|line| line.strip_prefix("location: ").map(str::to_owned));
                reply.starts_with("HTTP/1.1 202").then_some(place).flatten()
            });
            for _ in 0..moment {
                replies.recv_timeout(PATIENCE).expect("it replies");
            }
            process.kill();
            let accepted = deploying.join().expect("it ends");
            is_over.store(true, Ordering::Relaxed);
            visitor.join().expect("nothing was mixed");
            accepted
        });
        process = Process::start(&state);
        let address = process.admin();
        let is_cut = accepted.is_none();
        if let Some(place) = accepted {
            accepted_count += 1;
            wait_until("what was accepted is done", || {
                let reply = send(address, "GET", "localhost", &place, &[], "");
                let deployment: Value = serde_json::from_slice(&reply.body).expect("JSON");
                assert_ne!(deployment["status"], "failure", "{deployment}");
                deployment["status"] == "success"
            });
        } else {
            cut += 1;
        }
        // One may have been written down and not told: it is done as well, before the files change again.
        wait_until("everything has ended", || {
            let reply = send(
                address,
                "GET",
                "localhost",
                "/api/sites/docs/deployments",
                &[],
                "",
            );
            let list: Value = serde_json::from_slice(&reply.body).expect("JSON");
            let list = list["deployments"].as_array().expect("a list").clone();
            list.iter()
                .all(|one| matches!(one["status"].as_str(), Some("success" | "failure")))
        });
        if is_cut {
            // A start shows the last deployment, and nobody was told that this one was.
            let shown = version_of(address, "/page-0").expect("a page");
            assert!(shown == version || shown == version - 1, "{shown}");
            for name in &names {
                assert_eq!(version_of(address, &format!("/{name}")), Some(shown));
            }
            let deployments = "/api/sites/docs/deployments";
            let again = send(address, "POST", "localhost", deployments, &[], "");
            assert_eq!(again.status, 202, "{}", again.text());
        }
        for name in &names {
            wait_until("the whole site is there", || {
                version_of(address, &format!("/{name}")) == Some(version)
            });
        }
    }
    // Shown when more are asked for.
    #[allow(clippy::print_stdout, reason = "a figure for who asked for it")]
    if std::env::var_os("QUIRE_KILLS").is_some() {
        println!(
            "{} kills: {accepted_count} deployments were accepted before, {cut} were not",
            rounds()
        );
    }
}

/// Whoever asks for a deployment and goes away does not leave one behind that waits for ever.
#[test]
fn who_does_not_wait_is_served_as_well() {
    let (site, state) = (Folder::new(&[]), Folder::new(&[]));
    site.write(
        "docs.json",
        r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["page"]}}"##,
    );
    site.write("page.mdx", page(0));
    let daemon = Daemon::start(settings(
        state.path(),
        &[("docs", SiteSettings::of_folder(site.path()))],
    ));
    daemon.page("localhost", "/page");
    for n in 0..45 {
        let mut stream = TcpStream::connect_timeout(&daemon.admin.expect("an address"), PATIENCE)
            .expect("connect");
        let request = "POST /api/sites/docs/deployments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(request.as_bytes()).expect("it listens");
        // Any moment until the reply.
        std::thread::park_timeout(Duration::from_micros(70 * n));
    }
    daemon.deploy("docs", &[]);
    let list = || -> Vec<Value> {
        let reply = daemon.ask("localhost", "/api/sites/docs/deployments");
        let list: Value = serde_json::from_slice(&reply.body).expect("JSON");
        list["deployments"].as_array().expect("a list").clone()
    };
    wait_until("all that were accepted are done", || {
        list().iter().all(|one| one["status"] == "success")
    });
}

#[test]
fn a_stop_under_load_cuts_no_reply_off() {
    let (site, state) = (Folder::new(&[]), Folder::new(&[]));
    site.write(
        "docs.json",
        r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["page"]}}"##,
    );
    let words = "Many words, so that a reply takes more than one packet. ".repeat(20_000);
    site.write("page.mdx", format!("---\ntitle: Page\n---\n\n{words}\n"));
    for _ in 0..3 {
        let daemon = Daemon::start(settings(
            state.path(),
            &[("docs", SiteSettings::of_folder(site.path()))],
        ));
        let (address, stop) = (daemon.address, daemon.stop.clone());
        let length = daemon.page("localhost", "/page").len();
        let answered = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let Ok(mut stream) = TcpStream::connect_timeout(&address, PATIENCE) else {
                            return;
                        };
                        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
                        // The listener may be gone by now.
                        let _ = stream.write_all(
                            b"GET /page HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                        );
                        let mut reply = Vec::new();
                        let end = stream.read_to_end(&mut reply);
                        if reply.is_empty() {
                            return;
                        }
                        assert!(end.is_ok(), "{end:?} after {} bytes", reply.len());
                        let head = reply
                            .windows(4)
                            .position(|window| window == b"\r\n\r\n")
                            .expect("a head");
                        assert_eq!(reply.len() - head - 4, length, "a reply is whole");
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            wait_until("requests run", || answered.load(Ordering::Relaxed) > 8);
            stop.now();
        });
        wait_until("it ends", || daemon.has_ended());
    }
}

/// A disk that takes no more costs a daemon its memory of things, and its readers nothing: pages, edits, searches and
/// deployments go on, and the next start finds whatever is there.
#[test]
fn a_full_disk_keeps_nobody_from_reading() {
    let (site, state) = (Folder::new(&[]), Folder::new(&[]));
    let names: Vec<String> = (0..40).map(|n| format!("page-{n}")).collect();
    let config = serde_json::json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" }, "navigation": { "pages": names },
    });
    site.write("docs.json", config.to_string());
    let mut random = Random::new(3);
    // No two words are alike, so that neither pages nor the index are shorter than the limit.
    let mut noise = || -> String {
        let word = |_| format!("w{:x}q ", random.below(usize::MAX));
        (0..100).map(word).collect()
    };
    for name in &names {
        let text = format!("---\ntitle: {name}\n---\n\nversion-0-end {}\n", noise());
        site.write(&format!("{name}.mdx"), text);
    }
    state.write(
        "quire.toml",
        format!(
            "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n[sites.docs]\nroot = {:?}\nwatch = false\nsearch_deadline_ms = 60000\n",
            site.path()
        ),
    );
    let search = |address: SocketAddr, word: &str| {
        let body = serde_json::json!({ "query": word }).to_string();
        let headers = [("Content-Type", "application/json")];
        let reply = send(
            address,
            "POST",
            "localhost",
            "/api/sites/docs/search",
            &headers,
            &body,
        );
        assert_eq!(reply.status, 200, "{}", reply.text());
        let answer: Value = serde_json::from_slice(&reply.body).expect("JSON");
        answer["results"].as_array().map_or(0, Vec::len)
    };
    for is_full in [true, false] {
        let process = match is_full {
            true => Process::start_on_a_full_disk(&state),
            false => Process::start(&state),
        };
        let address = process.admin();
        let before = if is_full { 0 } else { 1 };
        for name in &names {
            wait_until("a page is there", || {
                version_of(address, &format!("/{name}")) == Some(before)
            });
        }
        assert_eq!(search(address, &format!("version-{before}-end")), 10);
        for name in &names {
            let text = format!(
                "---\ntitle: {name}\n---\n\nversion-{}-end {}\n",
                before + 1,
                noise()
            );
            site.write(&format!("{name}.mdx"), text);
        }
        let reply = send(
            address,
            "POST",
            "localhost",
            "/api/sites/docs/deployments",
            &[],
            "",
        );
        if is_full && reply.status != 202 {
            // What cannot be written down is not accepted.
            assert_eq!(reply.status, 507, "{}", reply.text());
            continue;
        }
        assert_eq!(reply.status, 202, "{}", reply.text());
        wait_until("the deployment is published", || {
            version_of(address, "/page-0") == Some(before + 1)
        });
        assert_eq!(search(address, &format!("version-{}-end", before + 1)), 10);
    }
}
