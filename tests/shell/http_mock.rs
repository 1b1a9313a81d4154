//! The mock over HTTP: where it is, who may ask, and that it follows the specification.

use crate::support::client::Reply;
use crate::support::daemon::{self, Daemon, json, settings};
use crate::support::folder::Folder;
use crate::support::preview::Preview;
use quire_settings::SiteSettings;

const SPEC: &str = r#"openapi: 3.1.0
info: {title: Tea, version: '1'}
servers: [{url: 'https://api.example.com/v1'}]
paths:
  /teas:
    get:
      parameters: [{name: limit, in: query, schema: {type: integer, maximum: 10}}]
      responses: {'200': {description: '', content: {application/json: {example: [{name: sencha}]}}}}
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name]}}}}
      responses: {'201': {description: '', content: {application/json: {example: {name: new}}}}}
  /teas/{name}:
    get:
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: '', content: {application/json: {example: {name: one}}}}}
  /teas/best:
    get:
      responses: {'200': {description: '', content: {application/json: {example: {name: best}}}}}
"#;

fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},
                "navigation":{"openapi":"api/tea house.yaml"}}"##,
        ),
        ("api/tea house.yaml", SPEC),
    ])
}

const BASE: &str = "/_quire/mock/api/tea%20house.yaml";

fn send(
    preview: &Preview,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let target = format!("{BASE}{path}");
    daemon::send(preview.address, method, "localhost", &target, headers, body)
}

#[test]
fn operations_answer_with_their_examples_and_follow_edits() {
    let folder = site();
    let preview = Preview::of(&folder);
    let teas = preview.get(&format!("{BASE}/teas?limit=3"));
    assert_eq!(teas.status, 200);
    assert_eq!(json(&teas)[0]["name"], "sencha");
    assert_eq!(teas.header("content-type"), Some("application/json"));
    // What is written in full goes before a value, whichever stands first.
    let best = preview.get(&format!("{BASE}/teas/best"));
    assert_eq!(json(&best)["name"], "best");
    let one = preview.get(&format!("{BASE}/teas/a%2Fb"));
    assert_eq!(json(&one)["name"], "one");
    let wrong = preview.get(&format!("{BASE}/teas?limit=11"));
    assert_eq!(wrong.status, 400);
    assert_eq!(json(&wrong)["violations"][0]["name"], "limit");
    folder.write("api/tea house.yaml", SPEC.replace("sencha", "matcha"));
    let teas = preview.get(&format!("{BASE}/teas"));
    assert_eq!(json(&teas)[0]["name"], "matcha");
}

#[test]
fn bodies_and_methods_are_looked_at() {
    let folder = site();
    let preview = Preview::of(&folder);
    let send = |method: &str, path: &str, body: &str| {
        let headers = [("Content-Type", "application/json")];
        send(&preview, method, path, &headers, body)
    };
    assert_eq!(send("POST", "/teas", r#"{"name": "x"}"#).status, 201);
    assert_eq!(send("POST", "/teas", "{}").status, 400);
    assert_eq!(send("POST", "/teas", "").status, 400);
    let other = send("DELETE", "/teas", "");
    assert_eq!(
        (other.status, other.header("allow")),
        (405, Some("GET, POST"))
    );
    let mut connection = preview.connect();
    connection.request("HEAD", &format!("{BASE}/teas"), &[]);
    let head = connection.reply_to_head();
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(send("GET", "/coffees", "").status, 404);
    assert_eq!(preview.get("/_quire/mock/other.yaml/teas").status, 404);
    assert_eq!(preview.get("/_quire/mock/").status, 404);
    // Nothing that is a specification is left out of the answer.
    let missing = preview.get("/_quire/mock/api/teas");
    assert!(
        json(&missing)["detail"]
            .as_str()
            .unwrap()
            .contains("tea%20house.yaml")
    );
    let long = "x".repeat(10 * 1024 * 1024 + 1);
    assert_eq!(send("POST", "/teas", &long).status, 413);
}

#[test]
fn a_page_of_another_origin_may_ask() {
    let (folder, state) = (site(), Folder::new(&[]));
    let mocked = SiteSettings {
        mock: true,
        ..SiteSettings::of_folder(folder.path())
    };
    let daemon = Daemon::start(settings(state.path(), &[("with", mocked)]));
    let asked = [
        ("Origin", "https://app.example"),
        ("Access-Control-Request-Method", "DELETE"),
        ("Access-Control-Request-Headers", "x-key, content-type"),
    ];
    let target = format!("{BASE}/teas");
    let reply = daemon.send("OPTIONS", "with.localhost", &target, &asked, "");
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("access-control-allow-methods"), Some("DELETE"));
    assert_eq!(
        reply.header("access-control-allow-headers"),
        Some("x-key, content-type")
    );
    assert_eq!(reply.header("access-control-allow-credentials"), None);
}

/// The page of a front end that is being written runs on another port.
#[test]
fn a_front_end_of_this_machine_may_ask_a_draft() {
    let folder = site();
    let preview = Preview::of(&folder);
    for origin in [
        "http://localhost:5173",
        "http://127.0.0.1:8080",
        "http://app.localhost",
        "http://[::1]:3001",
    ] {
        let site = ("Sec-Fetch-Site", "cross-site");
        let asked = [
            ("Origin", origin),
            site,
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type"),
        ];
        let reply = send(&preview, "OPTIONS", "/teas", &asked, "");
        assert_eq!(
            (reply.status, reply.header("access-control-allow-methods")),
            (204, Some("POST")),
            "{origin}"
        );
        assert_eq!(reply.header("access-control-allow-origin"), Some(origin));
        let headers = [
            ("Origin", origin),
            site,
            ("Content-Type", "application/json"),
        ];
        for (method, body, status) in [
            ("GET", "", 200),
            ("POST", r#"{"name": "x"}"#, 201),
            ("POST", "{}", 400),
        ] {
            let reply = send(&preview, method, "/teas", &headers, body);
            assert_eq!(reply.status, status, "{origin} {method}");
            assert_eq!(
                reply.header("access-control-allow-origin"),
                Some(origin),
                "{method}"
            );
            assert_eq!(
                reply.header("access-control-allow-credentials"),
                Some("true"),
                "{method}"
            );
        }
    }
    for origin in ["https://evil.example", "null"] {
        let reply = send(&preview, "GET", "/teas", &[("Origin", origin)], "");
        assert_eq!(
            (reply.status, reply.header("access-control-allow-origin")),
            (403, None),
            "{origin}"
        );
    }
}

#[test]
fn a_site_of_the_daemon_has_one_only_if_its_settings_say_so() {
    let (folder, state) = (site(), Folder::new(&[]));
    let mocked = SiteSettings {
        mock: true,
        ..SiteSettings::of_folder(folder.path())
    };
    let plain = SiteSettings::of_folder(folder.path());
    let daemon = Daemon::start(settings(
        state.path(),
        &[("with", mocked), ("without", plain)],
    ));
    let status = |host: &str| {
        daemon
            .send("GET", host, &format!("{BASE}/teas"), &[], "")
            .status
    };
    assert_eq!(status("with.localhost"), 200);
    assert_eq!(status("without.localhost"), 404);
    assert_eq!(status("localhost"), 404);
}

#[test]
fn the_playground_of_a_page_is_told_where_the_mock_is() {
    let folder = site();
    let preview = Preview::of(&folder);
    let snapshot = preview.publisher().snapshot();
    let mut routes = snapshot.routes.pages.keys();
    let route = routes.find(|route| route.as_str().contains("best"));
    let page = preview.page(route.expect("a page of the operation").as_str());
    assert!(page.contains(&format!("data-mock=\"{BASE}\"")), "{page}");
}

/// A page cannot set cookies of its choice: they come under another name.
#[test]
fn cookies_of_the_playground_stand_for_those_of_the_browser() {
    let folder = site();
    folder.write(
        "api/tea house.yaml",
        SPEC.replace(
            "  /teas/best:\n    get:\n",
            "  /teas/best:\n    get:\n      parameters: [{name: sort, in: cookie, required: true, schema: {type: integer}}]\n",
        ),
    );
    let preview = Preview::of(&folder);
    let status = |headers: &[(&str, &str)]| send(&preview, "GET", "/teas/best", headers, "").status;
    assert_eq!(status(&[]), 400);
    assert_eq!(status(&[("Cookie", "sort=1")]), 200);
    assert_eq!(
        status(&[("Quire-Cookie", "sort=1"), ("Cookie", "sort=x")]),
        200
    );
    assert_eq!(
        status(&[("Quire-Cookie", "other=1"), ("Cookie", "sort=1")]),
        400
    );
}
