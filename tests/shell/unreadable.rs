//! What cannot be read is not absent: it keeps its last content, is said with what to do, and is looked at again.
//!
//! Whoever may everything reads files of every mode, but no link that leads to itself; where modes matter the program runs as
//! nobody.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};

use queries::base::path::SitePath;
use quire_settings::SiteSettings;
use serde_json::Value;

use crate::support::daemon::{Daemon, send, settings};
use crate::support::folder::{Folder, files_of};
use crate::support::preview::Preview;
use crate::support::process::{Process, quire_as_nobody};
use crate::support::wait_until;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","other"]}}"##;

fn page(body: &str) -> String {
    format!("---\ntitle: A page\n---\n\n{body}\n")
}

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", &page("first-words")),
        ("other.mdx", &page("other-words")),
    ])
}

/// Puts a link that leads to itself in the place of a file.
fn loop_at(folder: &Folder, path: &str) {
    symlink(folder.at(path), folder.at("loop.tmp")).expect("a link");
    folder.rename("loop.tmp", path);
}

/// What is said of the file at `path`, if it is held back.
fn told(preview: &Preview, path: &str) -> Option<(String, Option<String>)> {
    let held = preview.publisher().host().held_back();
    let found = &held
        .get(&SitePath::new(path).expect("a path"))?
        .report
        .diagnostic;
    assert_eq!(found.code.name(), "unreadable-file");
    Some((found.message.clone(), found.hint.clone()))
}

#[test]
fn a_page_keeps_its_last_content() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert!(preview.page("/start").contains("first-words"));
    loop_at(&folder, "start.mdx");
    assert!(preview.page("/start").contains("first-words"));
    let (message, hint) = told(&preview, "start.mdx").expect("it is said");
    let place = fs::canonicalize(folder.path()).expect("a path");
    assert_eq!(
        message,
        format!(
            "{}/start.mdx cannot be read: Too many levels of symbolic links (os error 40); what it held before stays in use",
            place.display()
        )
    );
    assert!(hint.is_some_and(|hint| hint.contains("looked at again")));
    preview.wait_for_line("start.mdx:1:1: error[unreadable-file]");
    // Everything else goes on.
    folder.write("other.mdx", page("new-words"));
    assert!(preview.page("/other").contains("new-words"));
    folder.remove("start.mdx");
    assert_eq!(preview.status("/start"), 404);
    assert_eq!(told(&preview, "start.mdx"), None);
    folder.write("start.mdx", page("last-words"));
    assert!(preview.page("/start").contains("last-words"));
}

#[test]
fn it_is_looked_at_again_without_an_event() {
    // Nobody watches what is outside of the site.
    let outside = Folder::new(&[]);
    loop_at_new(&outside, "way.mdx");
    let folder = site();
    let preview = Preview::of(&folder);
    symlink(outside.at("way.mdx"), folder.at("link.tmp")).expect("a link");
    folder.rename("link.tmp", "start.mdx");
    assert!(preview.page("/start").contains("first-words"));
    assert!(told(&preview, "start.mdx").is_some());
    let revision = preview.revision();
    outside.remove("way.mdx");
    symlink(folder.at("other.mdx"), outside.at("way.mdx")).expect("a link");
    wait_until("it is read", || preview.revision() > revision);
    assert!(preview.page("/start").contains("other-words"));
    assert_eq!(told(&preview, "start.mdx"), None);
}

fn loop_at_new(folder: &Folder, path: &str) {
    symlink(folder.at(path), folder.at(path)).expect("a link");
}

#[test]
fn published_site_recovers_unreadable_pages() {
    for watch in [true, false] {
        let outside = Folder::new(&[]);
        loop_at_new(&outside, "way.mdx");
        let (folder, state) = (site(), Folder::new(&[]));
        folder.remove("start.mdx");
        symlink(outside.at("way.mdx"), folder.at("start.mdx")).expect("a link");
        let mut one = SiteSettings::of_folder(folder.path());
        one.watch = watch;
        let daemon = Daemon::start(settings(state.path(), &[("one", one)]));
        assert!(daemon.page("localhost", "/other").contains("other-words"));
        let status = daemon.ask("localhost", "/_quire/status").text();
        let status: Value = serde_json::from_str(&status).expect("JSON");
        let shown = &status["sites"][0];
        assert_eq!(shown["held_back"][0]["code"], "unreadable-file", "{shown}");
        assert_eq!(shown["held_back"][0]["path"], "start.mdx", "{shown}");
        assert_eq!(shown["state"], "degraded", "{shown}");
        outside.remove("way.mdx");
        symlink(folder.at("other.mdx"), outside.at("way.mdx")).expect("a link");
        wait_until("it is there", || {
            daemon.get("localhost", "/start").status == 200
        });
    }
}

#[test]
fn a_file_that_is_passed_on_is_not_missing() {
    let folder = site();
    folder.write("images/dot.svg", "<svg/>");
    let preview = Preview::of(&folder);
    assert_eq!(preview.status("/images/dot.svg"), 200);
    loop_at(&folder, "images/dot.svg");
    let reply = preview.get("/images/dot.svg");
    assert_eq!(reply.status, 503, "{}", reply.text());
    assert!(reply.header("retry-after").is_some());
}

/// More connections than the process may have files: pages that are saved meanwhile are there, before and after.
#[test]
fn a_flood_of_connections_costs_no_page() {
    let (folder, state) = (site(), Folder::new(&[]));
    for i in 0..20 {
        folder.write(&format!("p{i}.mdx"), page(&format!("old-{i}-end")));
    }
    state.write(
        "quire.toml",
        format!(
            "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\n[sites.one]\nroot = {:?}\n[limits]\nheader_seconds = 3600\n",
            folder.path()
        ),
    );
    let mut command = Command::new("bash");
    let script = "ulimit -n 128; exec \"$0\" \"$@\"";
    command.args(["-c", script, env!("CARGO_BIN_EXE_quire")]);
    let daemon = Process::start_by(&mut command, &state);
    let get = |target: &str| send(daemon.address, "GET", "localhost", target, &[], "");
    for i in 0..20 {
        assert_eq!(get(&format!("/p{i}")).status, 200);
    }
    let flood: Vec<TcpStream> = (0..160)
        .map(|_| {
            let mut stream = TcpStream::connect(daemon.address).expect("a connection");
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("sent");
            stream
        })
        .collect();
    for i in 0..20 {
        folder.write(&format!("p{i}.mdx"), page(&format!("new-{i}-end")));
    }
    // One more file than it may have is open by now, if it lets that happen.
    let log = wait_for_files(daemon.child.id());
    drop(flood);
    wait_until("there is room", || get("/p0").status == 200);
    for i in 0..20 {
        let reply = get(&format!("/p{i}"));
        assert_eq!(reply.status, 200, "/p{i}: {log} files were open");
    }
    for i in 0..20 {
        wait_until("it is seen", || {
            get(&format!("/p{i}"))
                .text()
                .contains(&format!("new-{i}-end"))
        });
    }
}

/// Waits until the process `id` opens no more files; returns how many it has.
fn wait_for_files(id: u32) -> usize {
    let open = || fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count);
    let (mut last, mut same) = (0, 0);
    wait_until("the flood has come in", || {
        let now = open();
        same = if now == last { same + 1 } else { 0 };
        last = now;
        same > 50
    });
    last
}

#[test]
fn a_build_says_what_it_could_not_read_and_removes_nothing() {
    let (folder, out) = (site(), Folder::new(&[]));
    folder.write("api/deep.mdx", page("deep-words"));
    for folder in [folder.path(), out.path()] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("ours");
    }
    let build = |arguments: &[&str]| -> Output {
        let mut command = quire_as_nobody();
        command
            .args(["build", "--no-state", "--out"])
            .arg(out.at("site"));
        command.arg(folder.path()).args(arguments);
        command.output().expect("it runs")
    };
    let first = build(&[]);
    assert!(first.status.success(), "{first:?}");
    let (before, start) = (files_of(out.path()), out.read("site/start/index.html"));
    let close = |path: &str, mode: u32| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(folder.at(path), mode).expect("ours");
    };
    for (path, open, place) in [
        ("start.mdx", 0o644, "start.mdx"),
        ("docs.json", 0o644, "docs.json"),
    ] {
        close(path, 0);
        let output = build(&[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        close(path, open);
        assert_eq!(output.status.code(), Some(1), "{path}: {said}");
        let told = format!("{place}:1:1: error[unreadable-file]: ");
        assert!(said.contains(&told), "{path}: {said}");
        assert!(said.contains("Permission denied (os error 13)"), "{said}");
        assert!(said.contains("hint: let the user"), "{said}");
        // Search has other files, beside those that it had.
        let after = files_of(out.path());
        let gone: Vec<_> = before.iter().filter(|file| !after.contains(file)).collect();
        assert!(gone.is_empty(), "{path}: {gone:?}");
        assert_eq!(out.read("site/start/index.html"), start, "{path}");
    }
    // The other pages lead to no page of it, and that is all.
    close("api", 0);
    let output = build(&[]);
    close("api", 0o755);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("api:1:1: error[unreadable-file]: "), "{said}");
    assert!(out.at("site/api/deep/index.html").exists(), "{said}");
    // What is gone is removed as soon as everything can be read.
    folder.remove("api");
    let last = build(&[]);
    assert!(last.status.success(), "{last:?}");
    assert!(!out.at("site/api").exists());
    let check = quire_as_nobody()
        .args(["check", "--no-state"])
        .arg(folder.path())
        .output()
        .expect("it runs");
    assert!(check.status.success(), "{check:?}");
}

#[test]
fn a_build_that_fetched_nothing_keeps_the_pages_of_that() {
    let (folder, out) = (site(), Folder::new(&[]));
    let with = |openapi: &str| {
        CONFIG.replace(
            r#""other"]"#,
            &format!(r#""other",{{"group":"API","openapi":"{openapi}"}}]"#),
        )
    };
    folder.write("docs.json", with("api.json"));
    folder.write(
        "api.json",
        r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{"summary":"Thing","responses":{"200":{"description":"OK"}}}}}}"#,
    );
    let build = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command.env("XDG_CACHE_HOME", out.at("cache"));
        command
            .args(["build", "--no-state", "--out"])
            .arg(out.at("site"));
        command.arg(folder.path()).output().expect("it runs")
    };
    assert!(build().status.success());
    assert!(out.at("site/api-reference/thing/index.html").exists());
    // Nobody answers there.
    folder.write("docs.json", with("https://127.0.0.1:1/api.json"));
    folder.remove("api.json");
    let output = build();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(out.at("site/api-reference/thing/index.html").exists());
}
