//! A deployment cannot make things worse: what is not fit to be published leaves the site as it was, and says why.

use std::path::Path;
use std::process::Command;

use quire_settings::{FailOn, SiteSettings};
use serde_json::Value;

use crate::random_numbers::Random;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use crate::support::wait_until;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"redirects":[{"source":"/old","destination":"/start"}],"navigation":{"pages":["start","other",{"group":"API","openapi":"api.json"}]}}"##;

const SPEC: &str = r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{"summary":"Thing","responses":{"200":{"description":"OK"}}}}}}"#;

fn page(body: &str) -> String {
    format!("---\ntitle: A page\n---\n\n{body}\n")
}

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", &page("first-words")),
        ("other.mdx", &page("other-words")),
        ("api.json", SPEC),
    ])
}

/// A daemon of one site that is published when it is deployed.
fn daemon(folder: &Folder, state: &Folder, fail_on: FailOn) -> Daemon {
    let mut one = SiteSettings::of_folder(folder.path());
    one.watch = false;
    one.fail_on = fail_on;
    let daemon = Daemon::start(settings(state.path(), &[("one", one)]));
    // It is read before anything is changed.
    assert_eq!(daemon.get("localhost", "/start").status, 200);
    daemon
}

/// What visitors see: pages, navigation, redirects, specification.
#[track_caller]
fn assert_whole(daemon: &Daemon, words: &str) {
    let start = daemon.page("localhost", "/start");
    assert!(start.contains(words), "it shows {words}");
    assert!(start.contains("href=\"/other\""), "it has its navigation");
    assert_eq!(daemon.get("localhost", "/old").status, 308);
    assert_eq!(daemon.get("localhost", "/api-reference/thing").status, 200);
}

/// The codes of what kept a deployment from being published.
#[track_caller]
fn refusal(deployment: &Value) -> Vec<&str> {
    assert_eq!(deployment["status"], "failure", "{deployment}");
    assert_eq!(deployment["changed"], 0, "{deployment}");
    let error = deployment["error"].as_str().expect("why");
    assert!(error.starts_with("not published: "), "{error}");
    let diagnostics = deployment["diagnostics"].as_array().expect("a list");
    let codes = diagnostics
        .iter()
        .filter_map(|found| found["code"].as_str());
    codes.collect()
}

#[test]
fn a_configuration_that_cannot_be_read_is_not_published() {
    for fail_on in [FailOn::Error, FailOn::Warning, FailOn::Never] {
        let (folder, state) = (site(), Folder::new(&[]));
        let daemon = daemon(&folder, &state, fail_on);
        assert_whole(&daemon, "first-words");
        for length in [0, 1, CONFIG.len() / 2, CONFIG.len() - 1] {
            folder.write("docs.json", &CONFIG[..length]);
            folder.write("start.mdx", page("later-words"));
            let deployment = daemon.deploy("one", &[]);
            assert_eq!(refusal(&deployment)[0], "invalid-json", "{deployment}");
            assert_eq!(deployment["diagnostics"][0]["path"], "docs.json");
            assert_whole(&daemon, "first-words");
        }
        folder.write("docs.json", CONFIG);
        let deployment = daemon.deploy("one", &[]);
        assert_eq!(deployment["status"], "success", "{deployment}");
        assert_eq!(deployment["diagnostics"], Value::Null);
        assert_whole(&daemon, "later-words");
    }
}

#[test]
fn a_specification_that_cannot_be_read_is_not_published() {
    let (folder, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&folder, &state, FailOn::Never);
    for broken in ["{", &SPEC[..SPEC.len() - 1], "", "[]"] {
        folder.write("api.json", broken);
        let deployment = daemon.deploy("one", &[]);
        assert!(!refusal(&deployment).is_empty(), "{deployment}");
        assert_whole(&daemon, "first-words");
    }
    folder.remove("api.json");
    assert_eq!(refusal(&daemon.deploy("one", &[])), ["missing-spec"]);
    assert_whole(&daemon, "first-words");
}

#[test]
fn a_page_with_an_error_costs_that_page_and_no_deployment() {
    let (folder, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&folder, &state, FailOn::Error);
    folder.write("start.mdx", page("newer-words"));
    folder.write("other.mdx", page("<Card title=\"a\">never closed"));
    // A reference leads nowhere, which costs its operation.
    let lost = SPEC.replace(r#""description":"OK""#, r##""$ref":"#/nowhere""##);
    folder.write("api.json", lost);
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(deployment["status"], "success", "{deployment}");
    assert_whole(&daemon, "newer-words");
    // An error of the configuration is one of the whole site.
    let wrong = CONFIG.replace("\"#000000\"", "7");
    folder.write("docs.json", &wrong);
    assert_eq!(refusal(&daemon.deploy("one", &[])), ["invalid-field"]);
    assert_whole(&daemon, "newer-words");
}

#[test]
fn an_operator_says_what_is_let_through() {
    let (folder, state) = (site(), Folder::new(&[]));
    folder.write("other.mdx", page("[a link](/nowhere)"));
    let strict = daemon(&folder, &state, FailOn::Warning);
    folder.write("start.mdx", page("newer-words"));
    assert_eq!(refusal(&strict.deploy("one", &[])), ["broken-link"]);
    assert_whole(&strict, "first-words");
    folder.write("other.mdx", page("no link"));
    assert_eq!(strict.deploy("one", &[])["status"], "success");
    assert_whole(&strict, "newer-words");
    drop(strict);
    let lenient = daemon(&folder, &state, FailOn::Never);
    folder.write("docs.json", CONFIG.replace("\"#000000\"", "7"));
    folder.write("other.mdx", page("[a link](/nowhere)"));
    let deployment = lenient.deploy("one", &[]);
    assert_eq!(deployment["status"], "success", "{deployment}");
    assert!(lenient.page("localhost", "/other").contains("a link"));
    drop(lenient);
    // What was not there before is not lost: nothing was deployed yet.
    let state = Folder::new(&[]);
    folder.write("docs.json", CONFIG.replace("api.json", "nowhere.json"));
    let lenient = daemon(&folder, &state, FailOn::Never);
    folder.write("start.mdx", page("last-words"));
    let deployment = lenient.deploy("one", &[]);
    assert_eq!(deployment["status"], "success", "{deployment}");
    assert!(lenient.page("localhost", "/start").contains("last-words"));
    drop(lenient);
    let strict = daemon(&folder, &state, FailOn::Error);
    assert_eq!(refusal(&strict.deploy("one", &[])), ["missing-spec"]);
}

#[test]
fn a_file_that_cannot_be_read_fails_the_deployment() {
    let (folder, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&folder, &state, FailOn::Error);
    folder.remove("other.mdx");
    std::os::unix::fs::symlink("other.mdx", folder.at("other.mdx")).expect("a link");
    folder.write("start.mdx", page("newer-words"));
    assert_eq!(refusal(&daemon.deploy("one", &[])), ["unreadable-file"]);
    assert_whole(&daemon, "first-words");
    assert_eq!(daemon.get("localhost", "/other").status, 200);
}

/// Where every save is published, what cannot be read is not, however long it stays so.
#[test]
fn a_save_makes_nothing_worse_either() {
    let (folder, state) = (site(), Folder::new(&[]));
    let one = SiteSettings::of_folder(folder.path());
    let daemon = Daemon::start(settings(state.path(), &[("one", one)]));
    assert_whole(&daemon, "first-words");
    let held = || {
        let text = daemon.ask("localhost", "/_quire/status").text();
        let status: Value = serde_json::from_str(&text).expect("JSON");
        let held = status["sites"][0]["held_back"].as_array().cloned();
        held.unwrap_or_default()
            .iter()
            .filter_map(|held| Some(held["path"].as_str()?.to_owned()))
            .collect::<Vec<_>>()
    };
    folder.write("docs.json", &CONFIG[..CONFIG.len() / 2]);
    // A comma is missing: nobody is writing that.
    folder.write("api.json", SPEC.replace("\"1\"},", "\"1\"}"));
    wait_until("they are held back", || held() == ["api.json", "docs.json"]);
    for words in ["second-words", "third-words"] {
        folder.write("start.mdx", page(words));
        wait_until("the page is published", || {
            daemon.page("localhost", "/start").contains(words)
        });
        assert_whole(&daemon, words);
    }
    assert_eq!(held(), ["api.json", "docs.json"]);
    assert_eq!(
        refusal(&daemon.deploy("one", &[])),
        ["invalid-json", "invalid-json"]
    );
    folder.write("docs.json", CONFIG.replace("\"T\"", "\"Mended\""));
    folder.write("api.json", SPEC.replace("Thing", "Other thing"));
    wait_until("they are whole", || held().is_empty());
    wait_until("they are published", || {
        daemon.get("localhost", "/api-reference/other-thing").status == 200
    });
    assert!(daemon.page("localhost", "/start").contains("Mended"));
}

fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is there");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn commit(folder: &Folder) {
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "--quiet", "--message", "more"]);
}

fn of_git(folder: &Folder) -> SiteSettings {
    SiteSettings {
        git: Some(folder.path().to_str().expect("UTF-8").to_owned()),
        ..SiteSettings::default()
    }
}

/// A commit that was refused is not what the next start shows, and the one after it is taken as a whole.
#[test]
fn a_commit_that_was_refused_is_seen_by_nobody() {
    let (folder, state) = (site(), Folder::new(&[]));
    git(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
    commit(&folder);
    let start = || Daemon::start(settings(state.path(), &[("one", of_git(&folder))]));
    let daemon = start();
    assert_eq!(daemon.deploy("one", &[])["status"], "success");
    folder.write("docs.json", "{");
    folder.write("start.mdx", page("second-words"));
    folder.write("images/dot.svg", "<svg/>");
    commit(&folder);
    assert_eq!(refusal(&daemon.deploy("one", &[])), ["invalid-json"]);
    assert_whole(&daemon, "first-words");
    assert_eq!(daemon.get("localhost", "/images/dot.svg").status, 404);
    drop(daemon);
    let daemon = start();
    assert_whole(&daemon, "first-words");
    folder.write("docs.json", CONFIG);
    commit(&folder);
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(deployment["status"], "success", "{deployment}");
    assert_whole(&daemon, "second-words");
    assert_eq!(daemon.get("localhost", "/images/dot.svg").status, 200);
}

/// A site that has become too large is not published, and stays as it was.
#[test]
fn a_site_over_its_quota_is_not_published() {
    let state = Folder::new(&[]);
    let (by_folder, by_commit) = (site(), site());
    git(
        by_commit.path(),
        &["init", "--quiet", "--initial-branch=main"],
    );
    commit(&by_commit);
    let mut one = SiteSettings::of_folder(by_folder.path());
    one.watch = false;
    // There are two pages, an operation and the introduction to it.
    one.quotas.pages = Some(5);
    let two = of_git(&by_commit);
    let mut settings = settings(state.path(), &[("one", one), ("two", two)]);
    settings.quotas.pages = Some(6);
    settings.quotas.files_mb = Some(1);
    let daemon = Daemon::start(settings);
    for (id, folder, quota) in [("one", &by_folder, 5), ("two", &by_commit, 6)] {
        let host = format!("{id}.localhost");
        let is_committed = id == "two";
        let deploy = || {
            if is_committed {
                commit(folder);
            }
            daemon.deploy(id, &[])
        };
        folder.write("start.mdx", page("second-words"));
        assert_eq!(deploy()["status"], "success");
        let more: Vec<String> = (4..=quota).map(|n| format!("more-{n}.mdx")).collect();
        for name in &more {
            folder.write(name, page("more"));
        }
        folder.write("start.mdx", page("third-words"));
        let deployment = deploy();
        let expected = format!(
            "not published: {} pages, and the quota of the site is {quota} (`quotas.pages`)",
            quota + 1
        );
        assert_eq!(deployment["error"], expected, "{deployment}");
        assert!(daemon.page(&host, "/start").contains("second-words"));
        folder.remove(&more[0]);
        assert_eq!(deploy()["status"], "success");
        assert!(daemon.page(&host, "/start").contains("third-words"));
        folder.write("large.bin", "x".repeat(1_000_000));
        folder.write("start.mdx", page("fourth-words"));
        let deployment = deploy();
        let expected = "not published: 2 megabytes of files, and the quota of the site is 1 (`quotas.files_mb`)";
        assert_eq!(deployment["error"], expected, "{deployment}");
        assert!(daemon.page(&host, "/start").contains("third-words"));
        folder.write("large.bin", "x".repeat(900_000));
        assert_eq!(deploy()["status"], "success");
        assert!(daemon.page(&host, "/start").contains("fourth-words"));
    }
}

/// Of a site that has been built for as long as it may on one day, rollbacks are accepted.
#[test]
fn a_site_that_has_built_enough_can_go_back() {
    let (folder, state) = (site(), Folder::new(&[]));
    let mut one = SiteSettings::of_folder(folder.path());
    one.watch = false;
    one.quotas.daily_build_seconds = Some(1);
    // One that took longer than that, in a list of an earlier process.
    let taken = r#"{"id":1,"status":"failure","cause":"api","created":NOW,"finished":NOW,"changed":0,"ms":1000,"log":[]}"#;
    let daemon = Daemon::start(settings(state.path(), &[("one", one.clone())]));
    assert_eq!(daemon.get("localhost", "/start").status, 200);
    drop(daemon);
    let list = state.read("deployments/one.jsonl");
    let stored: Value = serde_json::from_str(list.lines().next().expect("a line")).expect("JSON");
    assert_eq!(stored["status"], "success", "{stored}");
    let taken = taken
        .replace("\"id\":1", "\"id\":2")
        .replace("NOW", &stored["created"].to_string());
    state.write("deployments/one.jsonl", format!("{list}{taken}\n"));
    let daemon = Daemon::start(settings(state.path(), &[("one", one)]));
    let target = "/api/sites/one/deployments";
    let refused = daemon.manage("POST", "localhost", target, &[], "");
    assert_eq!(refused.status, 429, "{}", refused.text());
    let wait: u64 = refused
        .header("retry-after")
        .expect("when")
        .parse()
        .expect("seconds");
    assert!((1..=24 * 60 * 60).contains(&wait), "{wait}");
    assert!(refused.text().contains("quota-used"), "{}", refused.text());
    let target = "/api/sites/one/deployments/1/rollback";
    let accepted = daemon.manage("POST", "localhost", target, &[], "");
    assert_eq!(accepted.status, 202, "{}", accepted.text());
}

/// What one commit does to the site; whether the site may be published with it.
fn change(folder: &Folder, random: &mut Random, n: usize) -> bool {
    folder.write("docs.json", CONFIG);
    folder.write("api.json", SPEC);
    folder.write("start.mdx", page(&format!("words-{n}-end")));
    folder.write("other.mdx", page("other-words"));
    // A break at any byte; one behind the last sign is none.
    let cut = |text: &str, random: &mut Random| text[..random.below(text.len() - 1)].to_owned();
    match random.below(9) {
        0 => {
            folder.write("docs.json", cut(CONFIG, random));
            false
        }
        1 => {
            folder.write("api.json", cut(SPEC, random));
            false
        }
        2 => {
            folder.remove("api.json");
            false
        }
        3 => {
            folder.write("docs.json", CONFIG.replace("[\"start\"", "[7"));
            false
        }
        4 => {
            folder.remove("docs.json");
            false
        }
        // Pages may be as wrong as they like, and gone.
        5 => {
            folder.write("other.mdx", page("<Card>{ <Tab title=\"\n```"));
            true
        }
        6 => {
            folder.write("other.mdx", [0xff, 0xfe, b'<']);
            true
        }
        _ => true,
    }
}

/// `QUIRE_DEPLOYMENTS=300` for longer, `QUIRE_SEED` for others.
#[test]
fn after_any_deployment_the_site_is_one_that_was_fit_to_be_published() {
    let number = |name: &str, otherwise: usize| {
        let value = std::env::var(name).ok();
        value.map_or(otherwise, |value| value.parse().expect("a number"))
    };
    let count = number("QUIRE_DEPLOYMENTS", 30);
    let mut random = Random::new(number("QUIRE_SEED", 1) as u64);
    for is_git in [false, true] {
        let (folder, state) = (site(), Folder::new(&[]));
        git(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
        commit(&folder);
        let mut one = match is_git {
            true => of_git(&folder),
            false => SiteSettings::of_folder(folder.path()),
        };
        one.watch = false;
        let daemon = Daemon::start(settings(state.path(), &[("one", one)]));
        assert_whole(&daemon, "first-words");
        let (mut words, mut refused) = ("first-words".to_owned(), 0);
        for n in 0..count {
            let is_fit = change(&folder, &mut random, n);
            commit(&folder);
            let deployment = daemon.deploy("one", &[]);
            let status = match is_fit {
                true => "success",
                false => "failure",
            };
            assert_eq!(deployment["status"], status, "{n}: {deployment}");
            match is_fit {
                true => words = format!("words-{n}-end"),
                false => refused += 1,
            }
            assert_whole(&daemon, &words);
        }
        assert!(
            refused > count / 4 && refused < count,
            "{refused} of {count}"
        );
    }
}
