//! What a deployment has published is stored, and comes back as it was: by a rollback, and after a
//! restart, whatever the folder holds by then.

use std::process::Command;

use quire_settings::{Settings, SiteSettings};
use serde_json::{Value, json};

use crate::fetch::{SPEC, Server, answer};
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::{Folder, files_of};
use crate::support::process::Process;
use crate::support::{git, wait_until};

/// A word that is only on the pages of a version; no two are alike enough for a slip.
const WORDS: [&str; 3] = ["giraffe", "telescope", "marmalade"];

/// The files of a version of the site: two pages, of which one is called by the version, a picture
/// and a specification.
fn files(version: usize) -> Vec<(String, String)> {
    let word = WORDS[version];
    let config = json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" }, "search": { "semantic": false },
        "navigation": { "groups": [
            { "group": "Pages", "pages": ["start", format!("only-{version}")] },
            { "group": "API", "openapi": "api.json" },
        ]},
    });
    let spec = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
        "paths": { "/a": { "get": { "summary": "Thing", "description": format!("About the {word}."),
            "responses": { "200": { "description": "OK" } } } } },
    });
    let page = |body: &str| format!("---\ntitle: A page\n---\n\n{body}\n");
    vec![
        ("docs.json".to_owned(), config.to_string()),
        (
            "start.mdx".to_owned(),
            page(&format!("The {word}.\n\n![](/images/a.bin.png)")),
        ),
        (
            format!("only-{version}.mdx"),
            page(&format!("Here is a {word}.")),
        ),
        (
            "images/a.bin.png".to_owned(),
            format!("picture of a {word}"),
        ),
        ("api.json".to_owned(), spec.to_string()),
    ]
}

/// Makes `folder` that version.
fn write(folder: &Folder, version: usize) {
    for (path, text) in files(version) {
        folder.write(&path, text);
    }
    for other in (0..WORDS.len()).filter(|other| *other != version) {
        let path = format!("only-{other}.mdx");
        if folder.at(&path).exists() {
            folder.remove(&path);
        }
    }
}

fn deployed(folder: &Folder, state: &Folder) -> Settings {
    let mut one = SiteSettings::of_folder(folder.path());
    one.watch = false;
    settings(state.path(), &[("one", one)])
}

/// Writes settings for processes: the site in `folder`, published by deployments.
fn configure(state: &Folder, folder: &Folder) {
    state.write(
        "quire.toml",
        format!(
            "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n[sites.one]\nroot = {:?}\nwatch = false\n",
            folder.path()
        ),
    );
}

/// Checks that every kind of address shows that version and no other.
#[track_caller]
fn assert_shows(daemon: &Daemon, version: usize) {
    let page = daemon.page("localhost", "/start");
    let operation = daemon.page("localhost", "/api-reference/thing");
    let twin = daemon.page("localhost", "/start.md");
    let picture = daemon.page("localhost", "/images/a.bin.png");
    let found = daemon.send(
        "POST",
        "localhost",
        "/api/sites/one/search",
        &[("Content-Type", "application/json")],
        &json!({ "query": WORDS[version] }).to_string(),
    );
    let found = found.text();
    assert!(found.contains("/start"), "{found}");
    for (other, word) in WORDS.iter().enumerate() {
        let is_meant = other == version;
        for text in [&page, &operation, &twin, &picture] {
            assert_eq!(text.contains(word), is_meant, "{word}: {text}");
        }
        let own = daemon.get("localhost", &format!("/only-{other}"));
        assert_eq!(own.status == 200, is_meant, "/only-{other}: {}", own.status);
    }
}

/// The file at `path`, as far as it is text.
fn text(folder: &Folder, path: &str) -> String {
    let bytes = std::fs::read(folder.at(path)).expect("it is there");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn list(daemon: &Daemon) -> Vec<Value> {
    let reply = daemon.ask("localhost", "/api/sites/one/deployments");
    let list: Value = serde_json::from_slice(&reply.body).expect("JSON");
    list["deployments"].as_array().expect("a list").clone()
}

/// Asks for a rollback and waits for its end.
#[track_caller]
fn roll_back(daemon: &Daemon, number: u64) -> Value {
    let path = format!("/api/sites/one/deployments/{number}/rollback");
    let reply = daemon.manage(
        "POST",
        "localhost",
        &path,
        &[],
        r#"{"reason":"Wrong prices"}"#,
    );
    assert_eq!(reply.status, 202, "{}", reply.text());
    let location = reply.header("location").expect("a place").to_owned();
    let mut deployment = Value::Null;
    wait_until("the rollback ends", || {
        deployment =
            serde_json::from_slice(&daemon.ask("localhost", &location).body).expect("JSON");
        matches!(deployment["status"].as_str(), Some("success" | "failure"))
    });
    deployment
}

#[track_caller]
fn assert_refused(daemon: &Daemon, target: &str, status: u16, code: &str) {
    let method = match target.contains("rollback") {
        true => "POST",
        false => "GET",
    };
    let target = format!("/api/sites/one/deployments/{target}");
    let reply = daemon.manage(method, "localhost", &target, &[], "");
    assert_eq!(reply.status, status, "{}", reply.text());
    assert!(
        reply.text().contains(&format!("\"{code}\"")),
        "{}",
        reply.text()
    );
}

#[test]
fn what_was_published_comes_back_as_it_was() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    let daemon = Daemon::start(deployed(&folder, &state));
    let first = list(&daemon)[0].clone();
    assert_eq!(first["cause"], "start");
    let release = first["release"].as_str().expect("it is stored");
    write(&folder, 1);
    daemon.deploy("one", &[]);
    assert_shows(&daemon, 1);
    // What the folder holds is not asked.
    write(&folder, 2);
    let back = roll_back(&daemon, 1);
    assert_eq!(back["status"], "success", "{back}");
    assert_eq!((&back["id"], &back["from"]), (&3.into(), &1.into()));
    assert_eq!(back["cause"], "rollback");
    assert_eq!(back["reason"], "Wrong prices");
    assert_eq!(back["release"], release, "nothing is stored again");
    assert_shows(&daemon, 0);
    // And forth.
    roll_back(&daemon, 2);
    assert_shows(&daemon, 1);
    daemon.deploy("one", &[]);
    assert_shows(&daemon, 2);
    let ids: Vec<u64> = list(&daemon)
        .iter()
        .filter_map(|one| one["id"].as_u64())
        .collect();
    assert_eq!(ids, [5, 4, 3, 2, 1]);
}

#[test]
fn pages_are_byte_for_byte_those_of_the_deployment() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    let daemon = Daemon::start(deployed(&folder, &state));
    let targets = [
        "/start",
        "/only-0",
        "/api-reference/thing",
        "/llms.txt",
        "/sitemap.xml",
        "/start.md",
    ];
    let bytes = |daemon: &Daemon| targets.map(|target| daemon.get("localhost", target).body);
    let before = bytes(&daemon);
    write(&folder, 1);
    daemon.deploy("one", &[]);
    roll_back(&daemon, 1);
    assert!(bytes(&daemon) == before, "after a rollback");
    drop(daemon);
    let daemon = Daemon::start(deployed(&folder, &state));
    // Its address has another port, which machine texts name.
    for (target, before) in targets.iter().zip(before).take(3) {
        assert!(
            daemon.get("localhost", target).body == before,
            "{target} after a restart"
        );
    }
}

#[test]
fn a_restart_shows_the_last_deployment_and_not_the_folder() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    let daemon = Daemon::start(deployed(&folder, &state));
    write(&folder, 1);
    assert_shows(&daemon, 0);
    drop(daemon);
    let daemon = Daemon::start(deployed(&folder, &state));
    assert_shows(&daemon, 0);
    daemon.deploy("one", &[]);
    assert_shows(&daemon, 1);
    roll_back(&daemon, 1);
    drop(daemon);
    // Without the folder, too.
    let mut without = deployed(&folder, &state);
    let site = without.sites.get_mut("one").expect("a site");
    site.root = Some(folder.at("gone"));
    let daemon = Daemon::start(without);
    assert_shows(&daemon, 0);
    drop(daemon);
    let daemon = Daemon::start(deployed(&folder, &state));
    assert_shows(&daemon, 0);
    daemon.deploy("one", &[]);
    assert_shows(&daemon, 1);
}

#[test]
fn a_site_from_a_repository_goes_back_and_on() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    let git = |arguments: &[&str]| git(folder.path(), arguments);
    let commit = |version: usize| {
        write(&folder, version);
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "-m", "version"]);
        git(&["rev-parse", "HEAD"])
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    let first = commit(0);
    let from_git = || {
        let one = SiteSettings {
            git: Some(format!("file://{}", folder.path().display())),
            ..SiteSettings::default()
        };
        settings(state.path(), &[("one", one)])
    };
    let daemon = Daemon::start(from_git());
    let second = commit(1);
    assert_eq!(daemon.deploy("one", &[])["commit"], *second);
    assert_shows(&daemon, 1);
    assert_eq!(roll_back(&daemon, 1)["commit"], *first);
    assert_shows(&daemon, 0);
    drop(daemon);
    let daemon = Daemon::start(from_git());
    assert_shows(&daemon, 0);
    // The same commit as two deployments before, and one after it.
    assert_eq!(daemon.deploy("one", &[])["commit"], *second);
    assert_shows(&daemon, 1);
    roll_back(&daemon, 1);
    let third = commit(2);
    assert_eq!(daemon.deploy("one", &[])["commit"], *third);
    assert_shows(&daemon, 2);
}

#[test]
fn deployments_are_compared() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    let daemon = Daemon::start(deployed(&folder, &state));
    write(&folder, 1);
    daemon.deploy("one", &[]);
    let diff = |target: &str| -> Value {
        let target = format!("/api/sites/one/deployments/{target}");
        serde_json::from_slice(&daemon.ask("localhost", &target).body).expect("JSON")
    };
    let expected = json!({
        "from": 1, "to": 2, "added": ["only-1.mdx"],
        "changed": ["api.json", "docs.json", "images/a.bin.png", "start.mdx"],
        "removed": ["only-0.mdx"],
    });
    assert_eq!(diff("2/diff"), expected);
    assert_eq!(diff("2/diff?with=1"), expected);
    roll_back(&daemon, 1);
    let same = json!({ "from": 1, "to": 3, "added": [], "changed": [], "removed": [] });
    assert_eq!(diff("3/diff?with=1"), same);
    assert_refused(&daemon, "1/diff", 409, "no-release");
    assert_refused(&daemon, "2/diff?with=9", 404, "unknown-deployment");
    assert_refused(&daemon, "x/diff", 404, "unknown-deployment");
}

#[test]
fn what_is_not_stored_cannot_be_gone_back_to() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    let mut settings = deployed(&folder, &state);
    settings.deployments.keep = 1;
    let daemon = Daemon::start(settings);
    folder.write("docs.json", "{");
    assert_eq!(daemon.deploy("one", &[])["status"], "failure");
    write(&folder, 1);
    daemon.deploy("one", &[]);
    assert_refused(&daemon, "9/rollback", 404, "unknown-deployment");
    assert_refused(&daemon, "x/rollback", 404, "unknown-deployment");
    // A failed one, and one that is older than what is kept.
    assert_refused(&daemon, "2/rollback", 409, "no-release");
    assert_refused(&daemon, "1/rollback", 409, "no-release");
    let long = "x".repeat(501);
    for body in [
        "7",
        "{\"reason\":7}",
        "{\"why\":\"\"}",
        &json!({ "reason": long }).to_string(),
    ] {
        let target = "/api/sites/one/deployments/3/rollback";
        let reply = daemon.manage("POST", "localhost", target, &[], body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.text());
    }
    assert_eq!(list(&daemon).len(), 3);
    assert_shows(&daemon, 1);
    drop(daemon);
    // A folder that publishes by itself stays what it is.
    let daemon = Daemon::start(crate::support::daemon::settings(
        state.path(),
        &[("one", SiteSettings::of_folder(folder.path()))],
    ));
    assert_eq!(daemon.deploy("one", &[])["release"], Value::Null);
    assert_refused(&daemon, "3/rollback", 409, "follows-folder");
    assert_shows(&daemon, 1);
}

#[test]
fn a_damaged_object_costs_the_rollback_and_not_the_site() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    let daemon = Daemon::start(deployed(&folder, &state));
    write(&folder, 1);
    daemon.deploy("one", &[]);
    for file in files_of(&state.at("objects")) {
        let path = format!("objects/{file}");
        if text(&state, &path).starts_with("---") && text(&state, &path).contains("giraffe") {
            state.write(&path, "something else");
        }
    }
    let back = roll_back(&daemon, 1);
    assert_eq!(back["status"], "failure", "{back}");
    let error = back["error"].as_str().expect("why");
    assert!(
        error.contains("only-0.mdx") && error.contains("damaged"),
        "{error}"
    );
    assert_shows(&daemon, 1);
    // A restart shows what was published last, and what cannot be read of that is read from the folder.
    drop(daemon);
    assert_shows(&Daemon::start(deployed(&folder, &state)), 1);
}

/// Servers see nothing of a deployment that was not stored: it has failed, and is not where others
/// go back to.
#[test]
fn what_cannot_be_stored_fails_the_deployment() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    let daemon = Daemon::start(deployed(&folder, &state));
    // Whoever may everything can write to every folder, but not to a file as to one.
    state.rename("objects", "aside");
    state.write("objects", "no folder");
    write(&folder, 1);
    let failed = daemon.deploy("one", &[]);
    assert_eq!(failed["status"], "failure", "{failed}");
    let error = failed["error"].as_str().expect("why");
    let start = "published on this daemon, but not stored: ";
    assert!(
        error.starts_with(start) && error.contains("objects"),
        "{error}"
    );
    let log = failed["log"].as_array().expect("a log");
    let last = log.last().and_then(Value::as_str).expect("a line");
    assert!(last.contains(start), "{log:?}");
    assert_shows(&daemon, 1);
    assert_refused(&daemon, "2/rollback", 409, "no-release");
    state.remove("objects");
    state.rename("aside", "objects");
    drop(daemon);
    // What servers have is what a restart publishes.
    let daemon = Daemon::start(deployed(&folder, &state));
    assert_shows(&daemon, 0);
    let stored = daemon.deploy("one", &[]);
    assert_eq!(stored["status"], "success", "{stored}");
    assert!(stored["release"].is_string(), "{stored}");
    assert_shows(&daemon, 1);
}

#[test]
fn a_lost_object_is_stored_again_by_the_next_deployment() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    folder.write("shared.txt", "in every version");
    let daemon = Daemon::start(deployed(&folder, &state));
    let objects = files_of(&state.at("objects"));
    let is_shared = |file: &&String| text(&state, &format!("objects/{file}")) == "in every version";
    let lost = objects.iter().find(is_shared).expect("it is stored");
    state.remove(&format!("objects/{lost}"));
    write(&folder, 1);
    daemon.deploy("one", &[]);
    write(&folder, 2);
    daemon.deploy("one", &[]);
    assert_eq!(roll_back(&daemon, 2)["status"], "success");
    assert_shows(&daemon, 1);
    let shared = daemon.page("localhost", "/shared.txt");
    assert_eq!(shared, "in every version");
}

#[test]
fn the_command_lists_compares_and_goes_back() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    write(&folder, 0);
    configure(&state, &folder);
    let mut process = Process::start(&state);
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_quire"))
            .arg("deployments")
            .args(arguments)
            .args(["--state", &state.at("state").display().to_string()])
            .output()
            .expect("it runs");
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8(text).expect("UTF-8"),
        )
    };
    let deploy = || {
        let target = "/api/sites/one/deployments";
        let reply =
            crate::support::daemon::send(process.admin(), "POST", "localhost", target, &[], "");
        assert_eq!(reply.status, 202);
        let deployment: Value = serde_json::from_slice(&reply.body).expect("JSON");
        let number = deployment["id"].to_string();
        wait_until("it is published", || {
            run(&["show", "one", &number]).1.contains("success")
        });
    };
    wait_until("it is deployed", || {
        run(&["list", "one"]).1.contains("success")
    });
    write(&folder, 1);
    deploy();
    let (_, diff) = run(&["diff", "one", "2"]);
    assert!(diff.starts_with("+ only-1.mdx\n~ api.json\n"), "{diff}");
    assert!(
        diff.ends_with("- only-0.mdx\n6 files differ between 1 and 2\n"),
        "{diff}"
    );
    // To the one that was published before.
    let (code, shown) = run(&["rollback", "one", "--reason", "Wrong prices"]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("deployment 1 is published again"), "{shown}");
    let (_, listed) = run(&["list", "one"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines[0].starts_with("*     3") && lines[0].ends_with("Wrong prices"),
        "{listed}"
    );
    assert!(
        lines[0].contains("rollback") && lines[0].contains("to 1"),
        "{listed}"
    );
    assert!(lines[1].starts_with("      2"), "{listed}");
    let (code, shown) = run(&["rollback", "one", "9"]);
    assert_eq!(
        (code, &*shown),
        (Some(2), "error: no deployment has that number\n")
    );
    let (code, shown) = run(&["list", "other"]);
    assert_eq!(code, Some(2), "{shown}");
    let (_, json) = run(&["list", "one", "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["deployments"].as_array().map(Vec::len), Some(3));
    assert!(process.stop().success());
}

/// A specification on the network is part of what a deployment has published.
#[test]
fn a_specification_that_was_fetched_comes_back_without_the_network() {
    let (folder, state, server) = (Folder::new(&[]), Folder::new(&[]), Server::start());
    let url = format!("https://localhost:{}/openapi.json", server.port);
    let config = json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" },
        "navigation": { "pages": ["start"] },
    });
    folder.write("docs.json", config.to_string());
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nWords.\n");
    state.write("certificate.pem", &server.certificate);
    configure(&state, &folder);
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command
            .env("XDG_CACHE_HOME", state.at("cache"))
            .env("SSL_CERT_FILE", state.at("certificate.pem"))
            .env(
                "QUIRE_FETCH_ALLOW",
                format!("https://localhost:{}", server.port),
            );
        Process::start_by(&mut command, &state)
    };
    let ask = |process: &Process, method: &str, target: &str| {
        crate::support::daemon::send(process.admin(), method, "localhost", target, &[], "")
    };
    let publish = |process: &Process, target: &str| {
        let reply = ask(process, "POST", target);
        assert_eq!(reply.status, 202, "{}", reply.text());
        let place = reply.header("location").expect("a place").to_owned();
        wait_until("it is published", || {
            let reply = ask(process, "GET", &place).text();
            assert!(!reply.contains("\"failure\""), "{reply}");
            reply.contains("\"success\"")
        });
    };
    let shows = |process: &Process, summary: &str| {
        let page = ask(process, "GET", &format!("/api-reference/{summary}"));
        page.status == 200
    };
    let document = |summary: &str| answer("200 OK", "", &SPEC.replace("List pets", summary));
    let mut process = start();
    wait_until("it is deployed", || {
        ask(&process, "GET", "/api/sites/one/deployments/1")
            .text()
            .contains("\"success\"")
    });
    // The second deployment is the first that names it.
    let mut with = config;
    with["navigation"] = json!({ "groups": [
        { "group": "Pages", "pages": ["start"] }, { "group": "API", "openapi": url },
    ]});
    folder.write("docs.json", with.to_string());
    server.will_say(&vec![document("giraffe"); 3]);
    publish(&process, "/api/sites/one/deployments");
    assert!(shows(&process, "giraffe"));
    server.will_say(&vec![document("telescope"); 3]);
    wait_until("the later document is published", || {
        publish(&process, "/api/sites/one/deployments");
        shows(&process, "telescope")
    });
    server.will_say(&vec![answer("503 Service Unavailable", "", ""); 9]);
    publish(&process, "/api/sites/one/deployments/2/rollback");
    assert!(shows(&process, "giraffe") && !shows(&process, "telescope"));
    assert!(process.stop().success());
    let mut process = start();
    assert!(shows(&process, "giraffe") && !shows(&process, "telescope"));
    assert!(process.stop().success());
}
