//! Previews: any branch, tag or commit of a site's repository, without a checkout.

use std::process::Command;

use quire_settings::SiteSettings;
use serde_json::Value;

use crate::support::client::Reply;
use crate::support::daemon::{Daemon, json, settings};
use crate::support::folder::Folder;
use crate::support::wait_until;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","other","gone"]}}"##;

/// A repository with a site in `docs/`, and a branch `feature/x` that changes it.
struct Repository(Folder);

impl Repository {
    fn new() -> Self {
        let folder = Folder::new(&[
            ("docs/docs.json", CONFIG),
            (
                "docs/start.mdx",
                "---\ntitle: Start\n---\n\nmain-words [other](/other)\n",
            ),
            ("docs/other.mdx", "---\ntitle: Other\n---\n\nSame words.\n"),
            ("docs/gone.mdx", "---\ntitle: Gone\n---\n\nGone soon.\n"),
            ("docs/secret.txt.md", "---\ntitle: x\n---\n"),
            ("outside.txt", "canary"),
        ]);
        let repository = Self(folder);
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.commit("one");
        repository.git(&["checkout", "--quiet", "-b", "feature/x"]);
        repository.0.write(
            "docs/start.mdx",
            "---\ntitle: Start\n---\n\nbranch-words [gone](/gone)\n",
        );
        repository
            .0
            .write("docs/new.mdx", "---\ntitle: New\n---\n\nnew-words\n");
        repository.0.remove("docs/gone.mdx");
        repository
            .0
            .write("docs/docs.json", CONFIG.replace("\"gone\"", "\"new\""));
        std::os::unix::fs::symlink("../outside.txt", repository.0.at("docs/leak.txt"))
            .expect("a link");
        repository.commit("two");
        repository.git(&["checkout", "--quiet", "main"]);
        repository
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.org",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(arguments)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git is there");
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    fn daemon(&self, state: &Folder) -> Daemon {
        let site = SiteSettings::of_folder(&self.0.at("docs"));
        Daemon::start(settings(state.path(), &[("docs", site)]))
    }
}

const HOST: &str = "feature-x--docs.localhost";

#[test]
fn a_branch_is_served_beside_the_site() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let before = repository.git(&["status", "--porcelain", "--branch"]);
    let daemon = repository.daemon(&state);
    assert!(daemon.page(HOST, "/start").contains("branch-words"));
    assert!(
        daemon
            .page("docs.localhost", "/start")
            .contains("main-words")
    );
    assert_eq!(daemon.get(HOST, "/gone").status, 404);
    assert!(daemon.page(HOST, "/new").contains("new-words"));
    // A link in a commit is not followed.
    assert_eq!(daemon.get(HOST, "/leak.txt").status, 404);
    assert_eq!(
        daemon.get(HOST, "/start").header("x-robots-tag"),
        Some("noindex")
    );
    assert_eq!(daemon.get("nothing--docs.localhost", "/start").status, 404);
    assert_eq!(daemon.get("--docs.localhost", "/start").status, 404);
    assert_eq!(
        daemon
            .get("--upload-pack=x--docs.localhost", "/start")
            .status,
        400
    );
    // The author's own files are as they were.
    assert_eq!(
        repository.git(&["status", "--porcelain", "--branch"]),
        before
    );
    let commit = repository.git(&["rev-parse", "--short=8", "feature/x"]);
    assert!(
        daemon
            .page(&format!("{commit}--docs.localhost"), "/start")
            .contains("branch-words")
    );
}

#[test]
fn a_preview_follows_its_branch() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    daemon.page(HOST, "/start");
    repository.git(&["checkout", "--quiet", "feature/x"]);
    repository
        .0
        .write("docs/new.mdx", "---\ntitle: New\n---\n\nnewest-words\n");
    repository.commit("three");
    wait_until("the preview follows", || {
        daemon.page(HOST, "/new").contains("newest-words")
    });
    let previews = daemon.sites.get("docs").expect("a site").previews.open();
    let service = previews[0].slot.running().expect("in memory");
    let edit = service.handle().last_edit().expect("an edit");
    assert_eq!(
        edit.paths().map(ToString::to_string).collect::<Vec<_>>(),
        ["new.mdx"]
    );
    // A branch that is gone keeps what it showed last.
    repository.git(&["checkout", "--quiet", "main"]);
    repository.git(&["branch", "--quiet", "-D", "feature/x"]);
    assert!(daemon.page(HOST, "/new").contains("newest-words"));
}

#[test]
fn a_preview_shows_what_it_changes() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    let difference = json(&daemon.get(HOST, "/_quire/diff?format=json"));
    let routes = |name: &str| -> Vec<String> {
        let pages = difference[name].as_array().expect("a list").iter();
        pages
            .map(|page| page["route"].as_str().expect("a route").to_owned())
            .collect()
    };
    assert_eq!(routes("changed"), ["/start"]);
    assert_eq!(routes("added"), ["/new"]);
    assert_eq!(routes("removed"), ["/gone"]);
    assert_eq!(difference["ref"], "feature/x");
    let introduced = difference["introduced"].as_array().expect("a list");
    assert_eq!(introduced.len(), 1, "{difference}");
    assert_eq!(introduced[0]["place"], "start.mdx:5:21", "{difference}");
    let page = daemon.page(HOST, "/_quire/diff");
    for part in [
        "feature/x",
        "//docs.localhost/start",
        "1 changed page",
        "/gone",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // The site itself differs from nothing.
    assert_eq!(daemon.get("docs.localhost", "/_quire/diff").status, 404);
}

#[test]
fn previews_are_listed_opened_and_closed() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    let path = "/api/sites/docs/previews";
    let list = || json(&daemon.ask("localhost", path))["previews"].clone();
    let find = |name: &str| {
        let list = list();
        let found = list
            .as_array()
            .and_then(|all| all.iter().find(|one| one["ref"] == name).cloned());
        found.unwrap_or_else(|| panic!("{name} is not listed: {list}"))
    };
    assert_eq!(
        (&find("feature/x")["label"], &find("feature/x")["open"]),
        (&"feature-x".into(), &false.into())
    );
    let opened = daemon.manage("POST", "localhost", path, &[], r#"{"ref":"feature/x"}"#);
    assert_eq!(opened.status, 201, "{}", opened.text());
    assert_eq!(json(&opened)["host"], HOST);
    assert_eq!(find("feature/x")["open"], true);
    let refused = daemon.manage(
        "POST",
        "localhost",
        path,
        &[],
        r#"{"ref":"--output=/tmp/x"}"#,
    );
    assert_eq!(refused.status, 404);
    let wrong = daemon.manage(
        "POST",
        "localhost",
        path,
        &[("Content-Type", "text/plain")],
        r#"{"ref":"main"}"#,
    );
    assert_eq!(wrong.status, 415);
    assert_eq!(
        daemon
            .manage("DELETE", "localhost", &format!("{path}/feature-x"), &[], "")
            .status,
        204
    );
    assert_eq!(
        daemon
            .manage("DELETE", "localhost", &format!("{path}/feature-x"), &[], "")
            .status,
        404
    );
    assert_eq!(find("feature/x")["open"], false);
    assert_eq!(
        daemon.get(HOST, "/start").status,
        200,
        "a visit opens it again"
    );
}

/// The code of a refusal.
fn refusal(reply: &Reply) -> (u16, Value) {
    (reply.status, json(reply)["error"]["code"].clone())
}

/// The address that the page at `/start` of `host` asks when its reader searches.
fn search_of_page(daemon: &Daemon, host: &str) -> String {
    let page = daemon.page(host, "/start");
    let (_, rest) = page.split_once("content=\"/api/sites/").expect("search");
    let (id, _) = rest.split_once("/search\"").expect("an address");
    format!("/api/sites/{id}/search")
}

#[test]
fn search_on_the_host_of_a_preview_is_about_the_preview() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    let found = |host: &str, path: &str, words: &str| -> Vec<String> {
        let body = serde_json::json!({ "query": words }).to_string();
        let reply = daemon.send("POST", host, path, &[], &body);
        assert_eq!(reply.status, 200, "{host}{path}: {}", reply.text());
        let results = json(&reply)["results"].as_array().expect("a list").clone();
        let urls = results.iter().map(|hit| hit["url"].as_str());
        urls.map(|url| url.expect("an address").to_owned())
            .collect()
    };
    let of_page = search_of_page(&daemon, HOST);
    assert_eq!(of_page, "/api/sites/feature-x--docs/search");
    for path in [of_page.as_str(), "/api/sites/docs/search"] {
        assert_eq!(found(HOST, path, "new"), ["/new"], "{path}");
        assert!(found(HOST, path, "soon").is_empty(), "{path}");
    }
    let of_site = search_of_page(&daemon, "docs.localhost");
    assert_eq!(found("docs.localhost", &of_site, "soon"), ["/gone"]);
    // What a browser is told before it asks depends on no ref; the answer does.
    let reply = daemon.send("OPTIONS", HOST, &of_page, &[], "");
    assert_eq!(reply.status, 204);
    let reply = daemon.send("OPTIONS", "nothing--docs.localhost", &of_site, &[], "");
    assert_eq!(reply.status, 204);
    let nothing = daemon.send("POST", "nothing--docs.localhost", &of_site, &[], "{}");
    assert_eq!(refusal(&nothing), (404, "unknown-ref".into()));
    assert_eq!(nothing.header("access-control-allow-origin"), Some("*"));
}

#[test]
fn a_preview_answers_from_its_own_content() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    let asked = |host: &str, path: &str, question: &str| {
        let body = serde_json::json!({ "messages": [{ "role": "user", "content": question }] });
        let reply = daemon.send("POST", host, path, &[], &body.to_string());
        assert_eq!(reply.status, 200, "{host}{path}: {}", reply.text());
        let answer = json(&reply);
        let text = answer["parts"][0]["text"].as_str().expect("a text");
        text.to_owned()
    };
    let of_site = "/api/sites/docs/assistant";
    for path in ["/api/sites/feature-x--docs/assistant", of_site] {
        let text = asked(HOST, path, "start");
        assert!(text.contains("branch-words"), "{path}: {text}");
        assert!(
            !asked(HOST, path, "gone soon").contains("Gone soon"),
            "{path}"
        );
    }
    let text = asked("docs.localhost", of_site, "start");
    assert!(
        text.contains("main-words") && !text.contains("branch-words"),
        "{text}"
    );
    let text = asked("docs.localhost", of_site, "gone soon");
    assert!(text.contains("Gone soon."), "{text}");
}

#[test]
fn programs_on_the_host_of_a_preview_are_answered_from_it() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    let post = |host: &str, target: &str, headers: &[(&str, &str)], body: serde_json::Value| {
        daemon.send("POST", host, target, headers, &body.to_string())
    };
    let start = |host: &str| {
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let params = serde_json::json!({ "name": "get_page", "arguments": { "path": "/start" } });
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let reply = post(host, "/mcp", &headers, body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        json(&reply)["result"]["content"][0]["text"].to_string()
    };
    assert!(start(HOST).contains("branch-words"), "{}", start(HOST));
    assert!(start("docs.localhost").contains("main-words"));
    // What is said of it is not said of the site.
    let own = format!("http://{HOST}");
    let body = serde_json::json!({ "kind": "page", "path": "/start", "helpful": false });
    let said = post(HOST, "/_quire/feedback", &[("Origin", &own)], body);
    assert_eq!(said.status, 204, "{}", said.text());
    let count = |host: &str| {
        let list = json(&daemon.ask(host, "/_quire/feedback"));
        list["feedback"].as_array().expect("a list").len()
    };
    assert_eq!((count(HOST), count("docs.localhost")), (1, 0));
}

#[test]
fn deployments_on_the_host_of_a_preview_are_those_of_the_preview() {
    let (repository, state) = (Repository::new(), Folder::new(&[("token", "s3cret\n")]));
    let mut site = SiteSettings::of_folder(&repository.0.at("docs"));
    site.token_file = Some(state.at("token"));
    let daemon = Daemon::start(settings(&state.at("state"), &[("docs", site)]));
    let path = "/api/sites/feature-x--docs/deployments";
    let of_site = "/api/sites/docs/deployments";
    let token: &[(&str, &str)] = &[("Authorization", "Bearer s3cret")];
    let count = |host: &str, path: &str| {
        let reply = daemon.send("GET", host, path, token, "");
        assert_eq!(reply.status, 200, "{host}{path}: {}", reply.text());
        let list = json(&reply)["deployments"].clone();
        list.as_array().expect("a list").len()
    };
    // Who may not deploy opens no preview either, and is told so before the body is read.
    for body in [String::new(), "x".repeat(300_000)] {
        let refused = daemon.send("POST", HOST, path, &[], &body);
        assert_eq!(refusal(&refused), (401, "unauthorized".into()));
    }
    let slot = daemon.sites.get("docs").expect("a site");
    assert!(slot.previews.open().is_empty());
    let path_of_nothing = "/api/sites/nothing--docs/deployments";
    let nothing = daemon.send(
        "POST",
        "nothing--docs.localhost",
        path_of_nothing,
        token,
        "",
    );
    assert_eq!(refusal(&nothing), (404, "unknown-ref".into()));

    let accepted = daemon.send("POST", HOST, path, token, "");
    assert_eq!(accepted.status, 202, "{}", accepted.text());
    let location = accepted.header("location").expect("a place").to_owned();
    assert_eq!(location, "/api/sites/feature-x--docs/deployments/1");
    let mut deployment = Value::Null;
    wait_until("the deployment ends", || {
        deployment = json(&daemon.send("GET", HOST, &location, token, ""));
        matches!(deployment["status"].as_str(), Some("success" | "failure"))
    });
    assert_eq!(deployment["status"], "success", "{deployment}");
    let commit = repository.git(&["rev-parse", "feature/x"]);
    assert_eq!(deployment["commit"], commit, "{deployment}");
    let same = daemon.send("GET", HOST, &format!("{path}/1"), token, "");
    assert_eq!(json(&same), deployment);
    assert_eq!(count(HOST, path), 1);
    assert_eq!(count("docs.localhost", of_site), 0);
    let of_main = "/api/sites/main--docs/deployments";
    assert_eq!(count("main--docs.localhost", of_main), 0);
    // A preview speaks for itself alone, and on the host of its site the site does.
    for (host, id) in [
        (HOST, "docs"),
        (HOST, "main--docs"),
        (HOST, "other"),
        ("docs.localhost", "feature-x--docs"),
    ] {
        let path = format!("/api/sites/{id}/deployments");
        let refused = daemon.send("GET", host, &path, token, "");
        assert_eq!(refusal(&refused), (404, "unknown-site".into()), "{id}");
    }
}

#[test]
fn a_webhook_of_another_branch_deploys_no_preview() {
    let (repository, state) = (
        Repository::new(),
        Folder::new(&[("hook", "It's a Secret to Everybody")]),
    );
    let mut site = SiteSettings::of_folder(&repository.0.at("docs"));
    site.webhook_secret_file = Some(state.at("hook"));
    let daemon = Daemon::start(settings(&state.at("state"), &[("docs", site)]));
    let push = |branch: &str| {
        let body = format!("{{\"ref\":\"refs/heads/{branch}\"}}");
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"It's a Secret to Everybody");
        let signature = ring::hmac::sign(&key, body.as_bytes());
        let digits = signature.as_ref().iter().map(|byte| format!("{byte:02x}"));
        let signature = format!("sha256={}", digits.collect::<String>());
        let headers = [("X-Hub-Signature-256", signature.as_str())];
        let path = "/api/sites/feature-x--docs/deployments";
        daemon.send("POST", HOST, path, &headers, &body)
    };
    let ignored = push("main");
    assert_eq!(ignored.status, 200, "{}", ignored.text());
    assert_eq!(json(&ignored)["status"], "ignored");
    assert_eq!(push("feature/x").status, 202);
}

#[test]
fn a_preview_has_no_previews() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    daemon.page(HOST, "/start");
    for (id, why) in [
        ("docs", "unknown-site"),
        ("feature-x--docs", "unknown-operation"),
    ] {
        for (method, rest, body) in [
            ("GET", "previews", ""),
            ("POST", "previews", r#"{"ref":"main"}"#),
            ("DELETE", "previews/feature-x", ""),
            ("PUT", "previews", ""),
        ] {
            let path = format!("/api/sites/{id}/{rest}");
            let refused = daemon.send(method, HOST, &path, &[], body);
            assert_eq!(refusal(&refused), (404, why.into()));
        }
    }
    let slot = daemon.sites.get("docs").expect("a site");
    let open = slot.previews.open();
    let labels: Vec<&str> = open.iter().map(|preview| preview.label.as_str()).collect();
    assert_eq!(labels, ["feature-x"]);
}

#[test]
fn the_preview_that_was_not_visited_for_longest_makes_room() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    for name in ["a", "b", "c"] {
        repository.git(&["branch", name]);
    }
    let site = SiteSettings::of_folder(&repository.0.at("docs"));
    let mut settings = settings(state.path(), &[("docs", site)]);
    settings.previews.most = 2;
    let daemon = Daemon::start(settings);
    for name in ["a", "b", "c"] {
        daemon.page(&format!("{name}--docs.localhost"), "/start");
    }
    let open = daemon.sites.get("docs").expect("a site").previews.open();
    assert_eq!(open.len(), 2);
    assert!(open.iter().any(|preview| preview.label == "c"));
}

/// Two sites of one repository with three branches, and previews that have as much memory as two without words.
#[test]
fn previews_of_all_sites_share_their_memory() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    for name in ["a", "b", "c"] {
        repository.git(&["branch", name]);
    }
    let site = SiteSettings::of_folder(&repository.0.at("docs"));
    let sites = [("docs", site.clone()), ("other", site)];
    let mut settings = settings(state.path(), &sites);
    settings.previews.memory_mb = 9;
    let daemon = Daemon::start(settings);
    let open = || -> Vec<String> {
        let slots = ["docs", "other"].map(|id| daemon.sites.get(id).expect("a site"));
        let open = slots.iter().flat_map(|slot| slot.previews.open());
        open.map(|preview| preview.slot.id.clone()).collect()
    };
    let visit = |name: &str| daemon.page(&format!("{name}.localhost"), "/start");
    visit("a--docs");
    visit("b--other");
    assert_eq!(open(), ["a--docs", "b--other"]);
    visit("a--docs");
    visit("c--docs");
    // The one that was visited last stays, of whichever site the other is.
    assert_eq!(open(), ["a--docs", "c--docs"]);
    // Closed is not gone.
    assert!(visit("b--other").contains("main-words"));
    assert_eq!(open(), ["c--docs", "b--other"]);
}

#[test]
fn one_preview_has_room_whatever_it_takes() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let site = SiteSettings::of_folder(&repository.0.at("docs"));
    let mut settings = settings(state.path(), &[("docs", site)]);
    settings.previews.memory_mb = 0;
    let daemon = Daemon::start(settings);
    for _ in 0..2 {
        assert!(daemon.page(HOST, "/start").contains("branch-words"));
        let open = daemon.sites.get("docs").expect("a site").previews.open();
        assert_eq!(open.len(), 1);
    }
}

#[test]
fn so_many_commits_a_minute_get_a_preview() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let commits = ["three", "four", "five"].map(|message| {
        repository.0.write("docs/other.mdx", message);
        repository.commit(message);
        repository.git(&["rev-parse", "HEAD"])
    });
    let site = SiteSettings::of_folder(&repository.0.at("docs"));
    let mut settings = settings(state.path(), &[("docs", site)]);
    settings.rates.site_commits = 2;
    let daemon = Daemon::start(settings);
    let [one, two, three] = commits.map(|commit| format!("{commit}--docs.localhost"));
    let visit = |host: &str| daemon.get(host, "/start");
    assert_eq!([visit(&one).status, visit(&two).status], [200, 200]);
    let refused = visit(&three);
    assert_eq!(refusal(&refused), (429, "site-busy".into()));
    assert!(refused.header("retry-after").is_some());
    // Those that are open are there, and so are branches.
    for host in [&one, &two, HOST] {
        assert_eq!(visit(host).status, 200);
    }
    // Whatever path it is, and whatever it names.
    let nothing = "0000000--docs.localhost";
    for (host, path) in [(three.as_str(), "/mcp"), (nothing, "/start")] {
        assert_eq!(daemon.get(host, path).status, 429, "{path}");
    }
}

#[test]
fn what_a_preview_changes_is_kept_until_either_site_changes() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let daemon = repository.daemon(&state);
    let ask = || json(&daemon.get(HOST, "/_quire/diff?format=json"));
    let first = ask();
    let open = daemon.sites.get("docs").expect("a site").previews.open();
    let kept = || open[0].difference.blocking_lock().clone().expect("kept").1;
    // The days of pages may come meanwhile.
    wait_until("nothing is worked out again", || {
        let before = kept();
        assert_eq!(ask(), first);
        std::sync::Arc::ptr_eq(&before, &kept())
    });
    repository.git(&["checkout", "--quiet", "feature/x"]);
    repository
        .0
        .write("docs/late.mdx", "---\ntitle: Late\n---\n");
    repository.commit("three");
    // What is checked out is the site itself.
    repository.git(&["checkout", "--quiet", "main"]);
    let has_late = || ask()["added"].to_string().contains("Late");
    wait_until("the new page is told of", has_late);
}

#[test]
fn a_site_can_come_from_a_repository_elsewhere() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let site = SiteSettings {
        git: Some(repository.0.path().display().to_string()),
        folder: "docs".to_owned(),
        ..SiteSettings::default()
    };
    let daemon = Daemon::start(settings(state.path(), &[("docs", site.clone())]));
    assert!(daemon.page("localhost", "/start").contains("main-words"));
    assert!(daemon.page(HOST, "/start").contains("branch-words"));
    repository
        .0
        .write("docs/start.mdx", "---\ntitle: Start\n---\n\npushed-words\n");
    repository.commit("four");
    assert!(daemon.page("localhost", "/start").contains("main-words"));
    let deployment = daemon.deploy("docs", &[]);
    assert_eq!(
        (&deployment["status"], &deployment["changed"]),
        (&"success".into(), &1.into()),
        "{deployment}"
    );
    assert_eq!(deployment["commit"], repository.git(&["rev-parse", "main"]));
    assert!(daemon.page("localhost", "/start").contains("pushed-words"));
    drop(daemon);
    // After a restart it is the commit that was published.
    let daemon = Daemon::start(settings(state.path(), &[("docs", site)]));
    assert!(daemon.page("localhost", "/start").contains("pushed-words"));
}

#[test]
fn the_playground_of_a_branch_has_the_origins_of_the_branch() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    repository.git(&["checkout", "--quiet", "feature/x"]);
    let page = "---\ntitle: Send\napi: GET http://10.0.0.9/x\n---\n";
    repository.0.write("docs/send.mdx", page);
    repository.commit("three");
    repository.git(&["checkout", "--quiet", "main"]);
    let daemon = repository.daemon(&state);
    let ask = |name: &str, origin: &str| {
        let host = format!("{name}:{}", daemon.address.port());
        let headers = [
            ("Origin", origin),
            ("Quire-Relay", "1"),
            ("Content-Type", "application/octet-stream"),
        ];
        let line = "{\"method\":\"GET\",\"url\":\"http://10.0.0.9/x\",\"headers\":[]}\n";
        let reply = daemon.send("POST", &host, "/_quire/relay", &headers, line);
        json(&reply)["error"]["code"]
            .as_str()
            .expect("a code")
            .to_owned()
    };
    let origin = |name: &str| format!("http://{name}:{}", daemon.address.port());
    assert_eq!(ask(HOST, &origin(HOST)), "relay-address");
    let main = "docs.localhost";
    assert_eq!(ask(main, &origin(main)), "relay-target");
    // A branch is another origin than the site.
    assert_eq!(ask(HOST, &origin(main)), "cross-origin");
    assert_eq!(ask(main, &origin(HOST)), "cross-origin");
    let nothing = "nothing--docs.localhost";
    assert_eq!(ask(nothing, &origin(nothing)), "unknown-ref");
}

#[test]
fn a_preview_counts_nobody_and_loads_nothing_of_others() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    let with = r#"{"integrations":{"ga4":{"measurementId":"G-1"}},"name""#;
    let docs = CONFIG.replace("{\"name\"", with);
    repository.0.write("docs/docs.json", docs);
    repository.commit("three");
    let site = SiteSettings::of_folder(&repository.0.at("docs"));
    let daemon = Daemon::start(settings(state.path(), &[("docs", site)]));
    let reader = [
        ("User-Agent", "Mozilla/5.0 Firefox/140.0"),
        ("Sec-Fetch-Dest", "document"),
    ];
    let read = |host: &str| daemon.send("GET", host, "/start", &reader, "");
    let (published, preview) = (read("docs.localhost"), read("main--docs.localhost"));
    assert_eq!((published.status, preview.status), (200, 200));
    for (reply, expected) in [(&published, true), (&preview, false)] {
        let text = reply.text();
        assert_eq!(text.contains("quire-vendors"), expected, "{text}");
        assert_eq!(text.contains("/_theme/readers."), expected, "{text}");
        let policy = reply.header("content-security-policy").expect("a policy");
        assert_eq!(policy.contains("googletagmanager"), expected, "{policy}");
    }
    let counted = daemon.ask("docs.localhost", "/_quire/analytics");
    let counted: Value = serde_json::from_slice(&counted.body).expect("JSON");
    let pages = counted["sites"][0]["pages"].to_string();
    assert_eq!(pages, r#"[{"path":"/start","views":1}]"#);
    let own = ("Origin", "http://main--docs.localhost");
    let json = ("Content-Type", "application/json");
    for (method, body) in [("GET", ""), ("POST", r#"{"path":"/start"}"#)] {
        let reply = daemon.send(
            method,
            "main--docs.localhost",
            "/_quire/analytics",
            &[own, json],
            body,
        );
        assert_eq!(reply.status, 404, "{method}");
    }
}

/// Whoever proposes a change brings a commit that is on no branch: it is shown, and what it holds does not run.
#[test]
fn a_commit_that_nobody_has_taken_up_runs_nothing() {
    let (repository, state) = (Repository::new(), Folder::new(&[]));
    repository.git(&["checkout", "--quiet", "-b", "proposed"]);
    let page = "---\ntitle: Start\n---\n\nproposed-words <script>{`top.ran = 1`}</script>\n";
    repository.0.write("docs/start.mdx", page);
    repository.0.write("docs/own.js", "window.ran = true;\n");
    repository.0.write("docs/files/page.pdf", "%PDF");
    repository.commit("proposed");
    let commit = repository.git(&["rev-parse", "--short=12", "HEAD"]);
    repository.git(&["checkout", "--quiet", "main"]);
    let runs = |daemon: &Daemon, host: &str, target: &str| {
        let reply = daemon.get(host, target);
        let policy = reply.header("content-security-policy").unwrap_or_default();
        let words = reply.text();
        let runs = !policy.contains("sandbox") && !runs_only_ours(policy);
        (reply.status, words.contains("proposed-words"), runs)
    };
    {
        let daemon = repository.daemon(&state);
        let branch = "proposed--docs.localhost";
        assert_eq!(runs(&daemon, branch, "/start"), (200, true, true));
        assert_eq!(runs(&daemon, branch, "/files/page.pdf"), (200, false, true));
        // A commit of a branch is as good as the branch.
        let held = format!("{commit}--docs.localhost");
        assert_eq!(runs(&daemon, &held, "/start"), (200, true, true));
    }
    repository.git(&["branch", "--quiet", "-D", "proposed"]);
    let state = Folder::new(&[]);
    let daemon = repository.daemon(&state);
    let foreign = format!("{commit}--docs.localhost");
    assert_eq!(runs(&daemon, &foreign, "/start"), (200, true, false));
    assert_eq!(
        runs(&daemon, &foreign, "/files/page.pdf"),
        (200, false, false)
    );
    for target in ["/nowhere", "/_whole/start"] {
        let reply = daemon.get(&foreign, target);
        let policy = reply.header("content-security-policy").expect("a policy");
        assert!(runs_only_ours(policy), "{target}: {policy}");
        assert!(
            policy.contains("; form-action 'none'"),
            "{target}: {policy}"
        );
    }
}

/// Whether a policy lets scripts of the theme and of the sidebar run, and no others.
fn runs_only_ours(policy: &str) -> bool {
    let mut directives = policy.split("; ");
    let scripts = directives.find_map(|one| one.strip_prefix("script-src "));
    let is_ours = |source: &str| {
        source.starts_with("'sha256-")
            || source.ends_with(".localhost/_theme/")
            || source.ends_with(".localhost/_sidebar/")
    };
    scripts.is_some_and(|sources| sources.split(' ').all(is_ours))
}
