//! A backup is made while the daemon runs, costs what is new, and is enough for everything that was
//! published.

use std::path::Path;
use std::process::Command;

use quire_settings::SiteSettings;
use serde_json::json;

use crate::serve::Server;
use crate::support::daemon::{Daemon, settings, site};
use crate::support::folder::{Folder, files_of};
use crate::support::wait_until;

fn deployed(folder: &Folder) -> SiteSettings {
    let mut site = SiteSettings::of_folder(folder.path());
    site.watch = false;
    site
}

/// Runs a command on the state folder `state`; returns its exit code and what it says.
fn run(command: &str, dir: &Path, state: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_quire"))
        .arg(command)
        .arg(dir)
        .arg("--state")
        .arg(state)
        .output()
        .expect("it runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code(), said)
}

/// The number of copied objects that a backup tells.
fn copied(said: &str) -> usize {
    let rest = said.split("copied ").nth(1).expect("a number");
    let number = rest.split(' ').next().expect("a number");
    number.parse().expect("a number")
}

#[test]
fn a_backup_is_served_restored_and_rolled_back() {
    let (folder, state, backup) = (site("giraffe"), Folder::new(&[]), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", deployed(&folder))]));
    daemon.deploy("one", &[]);
    let reply = daemon.send(
        "POST",
        "localhost",
        "/_quire/feedback",
        &[
            ("Content-Type", "application/json"),
            ("Origin", "http://localhost"),
        ],
        &json!({ "kind": "page", "path": "/start", "helpful": true }).to_string(),
    );
    assert_eq!(reply.status, 204, "{}", reply.text());
    let (code, said) = run("backup", backup.path(), state.path());
    assert_eq!(code, Some(0), "{said}");
    let first = copied(&said);
    assert!(first > 5, "{said}");
    assert_eq!(copied(&run("backup", backup.path(), state.path()).1), 0);
    folder.write(
        "start.mdx",
        folder.read("start.mdx").replace("giraffe", "marmalade"),
    );
    daemon.deploy("one", &[]);
    let (code, said) = run("backup", backup.path(), state.path());
    assert_eq!(code, Some(0), "{said}");
    assert!((1..first).contains(&copied(&said)), "{said}");
    // Nothing of the first state folder and of the sources is needed any more.
    drop(daemon);
    std::fs::remove_dir_all(state.path()).expect("it is there");
    let server = Server::start(backup.path());
    let page = server.get("localhost", "/start").text();
    assert!(page.contains("marmalade"), "{page}");
    drop(server);
    let restored = Folder::new(&[]);
    let (code, said) = run("restore", backup.path(), restored.path());
    assert_eq!(code, Some(0), "{said}");
    folder.remove("start.mdx");
    let daemon = Daemon::start(settings(restored.path(), &[("one", deployed(&folder))]));
    assert!(daemon.page("localhost", "/start").contains("marmalade"));
    let feedback = files_of(restored.path());
    assert!(
        feedback
            .iter()
            .any(|file| file.starts_with("feedback/one.")),
        "{feedback:?}"
    );
    let path = "/api/sites/one/deployments/1/rollback";
    daemon.manage("POST", "localhost", path, &[], "{}");
    wait_until("it is rolled back", || {
        daemon.page("localhost", "/start").contains("giraffe")
    });
}

#[test]
fn what_cannot_be_copied_is_named_and_costs_nothing_else() {
    let (folder, state, backup) = (site("giraffe"), Folder::new(&[]), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", deployed(&folder))]));
    daemon.deploy("one", &[]);
    let objects = files_of(&state.at("objects")).into_iter();
    let objects: Vec<String> = objects.filter(|file| file.len() > 10).collect();
    let source = std::fs::read(folder.at("other.mdx")).expect("it is there");
    let path = |file: &String| state.at(&format!("objects/{file}"));
    let lost = objects
        .iter()
        .find(|file| std::fs::read(path(file)).unwrap() == source);
    std::fs::remove_file(path(lost.expect("it is stored"))).expect("it is there");
    let (code, said) = run("backup", backup.path(), state.path());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("is missing or damaged"), "{said}");
    assert_eq!(copied(&said), objects.len() - 1);
    let page = Server::start(backup.path()).get("localhost", "/start");
    assert!(page.text().contains("giraffe"));
}

#[test]
fn folders_that_cannot_be_meant_are_refused() {
    let (folder, state, other) = (site("giraffe"), Folder::new(&[]), Folder::new(&[]));
    let refused = |command: &str, dir: &Path, state: &Path, why: &str| {
        let (code, said) = run(command, dir, state);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    };
    refused("restore", other.path(), state.path(), "there is no backup");
    refused(
        "backup",
        other.path(),
        &state.at("none"),
        "there is no state folder",
    );
    let daemon = Daemon::start(settings(state.path(), &[("one", deployed(&folder))]));
    daemon.deploy("one", &[]);
    refused("backup", state.path(), state.path(), "no backup of itself");
    assert_eq!(run("backup", other.path(), state.path()).0, Some(0));
    refused("restore", other.path(), state.path(), "another daemon runs");
    drop(daemon);
    refused(
        "restore",
        other.path(),
        state.path(),
        "it has deployments already",
    );
}
