//! Deployments over HTTP: what they publish and what they do not, who may ask for them.

use crate::support::daemon::{Daemon, json, of, settings, site};
use crate::support::folder::Folder;

#[test]
fn a_deployment_publishes_everything_at_once() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let mut unwatched = of(&one);
    unwatched.watch = false;
    let daemon = Daemon::start(settings(state.path(), &[("one", unwatched)]));
    assert!(daemon.page("localhost", "/start").contains("one-words"));
    one.write("start.mdx", "---\ntitle: Start\n---\n\nnewer-words\n");
    one.write("third.mdx", "---\ntitle: Third\n---\n\nthird-words\n");
    one.remove("other.mdx");
    assert!(daemon.page("localhost", "/start").contains("one-words"));
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(
        (&deployment["status"], &deployment["changed"]),
        (&"success".into(), &3.into()),
        "{deployment}"
    );
    assert!(daemon.page("localhost", "/start").contains("newer-words"));
    assert!(daemon.page("localhost", "/third").contains("third-words"));
    assert_eq!(daemon.get("localhost", "/other").status, 404);
    // Nothing new: nothing is published, and that is a success.
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(
        (&deployment["status"], &deployment["changed"]),
        (&"success".into(), &0.into())
    );
    let list = json(&daemon.ask("localhost", "/api/sites/one/deployments"));
    assert_eq!(list["deployments"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        daemon
            .ask("localhost", "/api/sites/one/deployments/9")
            .status,
        404
    );
}

#[test]
fn a_failed_deployment_keeps_the_last_site() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let mut unwatched = of(&one);
    unwatched.watch = false;
    let daemon = Daemon::start(settings(state.path(), &[("one", unwatched)]));
    daemon.page("localhost", "/start");
    one.rename("docs.json", "docs.json.bak");
    one.write("start.mdx", "---\ntitle: Start\n---\n\nnewer-words\n");
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(deployment["status"], "failure", "{deployment}");
    assert!(
        deployment["error"]
            .as_str()
            .is_some_and(|error| error.contains("docs.json")),
        "{deployment}"
    );
    assert!(daemon.page("localhost", "/start").contains("one-words"));
    one.rename("docs.json.bak", "docs.json");
    assert_eq!(daemon.deploy("one", &[])["status"], "success");
    assert!(daemon.page("localhost", "/start").contains("newer-words"));
}

#[test]
fn a_specification_that_cannot_be_fetched_fails_the_deployment() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let mut unwatched = of(&one);
    unwatched.watch = false;
    one.write(
        "docs.json",
        r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start",{"group":"API","openapi":"https://127.0.0.1:1/openapi.json"}]}}"##,
    );
    let daemon = Daemon::start(settings(state.path(), &[("one", unwatched)]));
    daemon.page("localhost", "/start");
    one.write("start.mdx", "---\ntitle: Start\n---\n\nnewer-words\n");
    let deployment = daemon.deploy("one", &[]);
    assert_eq!(deployment["status"], "failure");
    // A server is told what to fetch by others: it does not reach into its own network.
    assert!(
        deployment["error"]
            .as_str()
            .is_some_and(|error| error.contains("not public")),
        "{deployment}"
    );
    assert!(daemon.page("localhost", "/start").contains("one-words"));
}

#[test]
fn the_same_key_is_one_deployment() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    let post = |key: &str| {
        daemon.manage(
            "POST",
            "one.localhost",
            "/api/sites/one/deployments",
            &[("Idempotency-Key", key)],
            "",
        )
    };
    let first = json(&post("a"));
    assert_eq!(json(&post("a"))["id"], first["id"]);
    assert_ne!(json(&post("b"))["id"], first["id"]);
    assert_eq!(post(&"x".repeat(300)).status, 400);
}

/// What another process has accepted is run before what is accepted after it.
#[test]
fn what_nobody_runs_is_run_first() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let mut unwatched = of(&one);
    unwatched.watch = false;
    let daemon = Daemon::start(settings(state.path(), &[("one", unwatched)]));
    let path = "deployments/one.jsonl";
    let other = r#"{"id":7,"status":"queued","cause":"api","key":"a","created":1,"changed":0,"ms":0,"log":[]}"#;
    state.write(path, format!("{}{other}\n", state.read(path)));
    one.write("start.mdx", "---\ntitle: Start\n---\n\nnewer-words\n");
    // The list was written by another, so it is read again.
    assert_eq!(daemon.deploy("one", &[])["id"], 8);
    let list = json(&daemon.ask("localhost", "/api/sites/one/deployments"));
    let list = list["deployments"].as_array().expect("a list").iter();
    let ended: Vec<_> = list
        .map(|one| [&one["id"], &one["status"], &one["changed"]].map(ToString::to_string))
        .collect();
    let ended: Vec<String> = ended.iter().map(|one| one.join(" ")).collect();
    assert_eq!(ended[..2], ["8 \"success\" 0", "7 \"success\" 1"]);
    // A repeated request finds it.
    let again = daemon.deploy("one", &[("Idempotency-Key", "a")]);
    assert_eq!(again["id"], 7);
}

/// A key stands for one request: whoever sends another with it has mixed them up.
#[test]
fn a_key_of_another_request_is_refused() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let start = || Daemon::start(settings(state.path(), &[("one", of(&one))]));
    let post = |daemon: &Daemon, key: &str, body: &str| {
        let headers = [("Idempotency-Key", key)];
        let path = "/api/sites/one/deployments";
        daemon.manage("POST", "localhost", path, &headers, body)
    };
    let daemon = start();
    let first = json(&post(&daemon, "a", r#"{"ref":"refs/heads/main"}"#));
    let check = |daemon: &Daemon| {
        for body in ["", "{}", r#"{"ref":"refs/heads/other"}"#] {
            let refused = post(daemon, "a", body);
            assert_eq!(refused.status, 422, "{body}: {}", refused.text());
            let code = json(&refused)["error"]["code"].clone();
            assert_eq!(code, "idempotency-key-reused");
        }
        let again = post(daemon, "a", r#"{"ref":"refs/heads/main"}"#);
        assert_eq!((again.status, &json(&again)["id"]), (202, &first["id"]));
        assert!(!again.text().contains("\"request\""), "{}", again.text());
    };
    check(&daemon);
    drop(daemon);
    let daemon = start();
    check(&daemon);
    assert_ne!(json(&post(&daemon, "b", "{}"))["id"], first["id"]);
}

#[test]
fn a_key_that_cannot_be_read_is_refused() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    for key in ["\u{fc}", "", "  "] {
        let headers = [("Idempotency-Key", key)];
        let path = "/api/sites/one/deployments";
        let refused = daemon.manage("POST", "localhost", path, &headers, "{}");
        assert_eq!(refused.status, 400, "{key:?}: {}", refused.text());
        assert_eq!(json(&refused)["error"]["code"], "bad-idempotency-key");
    }
    let list = daemon.manage("GET", "localhost", "/api/sites/one/deployments", &[], "");
    assert_eq!(json(&list)["deployments"].as_array().map(Vec::len), Some(0));
}

#[test]
fn deployments_need_the_token() {
    let (one, state) = (
        site("one"),
        Folder::new(&[
            ("token", "s3cret\n"),
            ("hook", "It's a Secret to Everybody"),
        ]),
    );
    let mut closed = of(&one);
    closed.token_file = Some(state.at("token"));
    closed.webhook_secret_file = Some(state.at("hook"));
    let daemon = Daemon::start(settings(&state.at("state"), &[("one", closed)]));
    let path = "/api/sites/one/deployments";
    let post = |headers: &[(&str, &str)], body: &str| {
        daemon.send("POST", "localhost", path, headers, body)
    };
    let refused = post(&[], "");
    assert_eq!(
        (refused.status, refused.header("www-authenticate")),
        (401, Some("Bearer"))
    );
    assert_eq!(post(&[("Authorization", "Bearer wrong")], "").status, 401);
    assert_eq!(post(&[("Authorization", "Bearer s3cret")], "").status, 202);
    assert_eq!(daemon.get("localhost", path).status, 401);
    // The example of the documentation of GitHub's webhooks.
    let right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let hook = |signature: &str, body: &str| post(&[("X-Hub-Signature-256", signature)], body);
    assert_eq!(hook(right, "Hello, World!").status, 202);
    assert_eq!(hook(right, "Hello, World?").status, 401);
    assert_eq!(hook("sha256=00", "Hello, World!").status, 401);
    assert_eq!(hook("sha256=zz", "Hello, World!").status, 401);
    let ping = post(
        &[("X-Hub-Signature-256", right), ("X-GitHub-Event", "ping")],
        "Hello, World!",
    );
    assert_eq!(ping.status, 200);
}

#[test]
fn a_page_of_another_origin_deploys_nothing() {
    let (one, state) = (site("one"), Folder::new(&[]));
    let daemon = Daemon::start(settings(state.path(), &[("one", of(&one))]));
    let path = "/api/sites/one/deployments";
    let post =
        |headers: &[(&str, &str)]| daemon.manage("POST", "localhost", path, headers, "").status;
    assert_eq!(post(&[("Origin", "https://evil.example")]), 403);
    assert_eq!(post(&[("Origin", "null")]), 403);
    assert_eq!(post(&[("Origin", "http://localhost")]), 202);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let (one, two, state) = (site("one"), site("two"), Folder::new(&[]));
    let daemon = Daemon::start(settings(
        state.path(),
        &[("one", of(&one)), ("two", of(&two))],
    ));
    let check = |method: &str, host: &str, target: &str, body: &str, status: u16| {
        let reply = daemon.manage(method, host, target, &[], body);
        assert_eq!(
            reply.status,
            status,
            "{method} {host}{target}: {}",
            reply.text()
        );
    };
    check("POST", "localhost", "/api/sites/three/deployments", "", 404);
    // A host that is a site speaks for that site alone.
    check(
        "POST",
        "two.localhost",
        "/api/sites/one/deployments",
        "",
        404,
    );
    check("PUT", "localhost", "/api/sites/one/deployments", "", 405);
    check("POST", "localhost", "/api/sites/one/deployments/1", "", 405);
    check("POST", "localhost", "/api/sites/one/other", "", 404);
    check(
        "POST",
        "localhost",
        "/api/sites/one/deployments",
        &"x".repeat(300_000),
        413,
    );
    check("POST", "localhost", "/api/sites/one/previews", "{", 400);
    check(
        "POST",
        "localhost",
        "/api/sites/one/previews",
        "{\"x\":1}",
        400,
    );
    check("POST", "localhost", "/api/sites/one/previews", "{}", 400);
    check(
        "POST",
        "localhost",
        "/api/sites/one/previews",
        "{\"ref\":\"main\"}",
        404,
    );
    check("POST", "one.localhost", "/start", "", 405);
}
