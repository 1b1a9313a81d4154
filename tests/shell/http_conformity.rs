//! Replies of an API that a page holds against its document: what is told, who may ask, what is refused.

use serde_json::{Value, json};

use crate::support::client::Reply;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use quire_settings::SiteSettings;

const HOST: &str = "docs.localhost";
const OWN: (&str, &str) = ("Origin", "http://docs.localhost");

const DOCS: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},
    "navigation":{"pages":["start",{"group":"API","openapi":"api.yaml"}]}}"##;
const API: &str = "openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /things:
    get:
      summary: List things
      responses:
        '200': {description: Fine., content: {application/json: {schema: {type: array, items: {type: object, required: [id], properties: {id: {type: integer, maximum: 9}, secret: {type: string, writeOnly: true}}}}}}}
        '4XX': {description: Wrong.}
";

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", DOCS),
        ("start.mdx", "---\ntitle: Start\n---\n\nWords.\n"),
        ("api.yaml", API),
    ])
}

fn daemon(site: &Folder, state: &Folder) -> Daemon {
    let of_site = SiteSettings::of_folder(site.path());
    Daemon::start(settings(state.path(), &[("docs", of_site)]))
}

fn send(daemon: &Daemon, method: &str, query: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let target = format!("/_quire/conformity?{query}");
    daemon.send(method, HOST, &target, headers, body)
}

const PAGE: &str = "path=/api-reference/list-things";

#[test]
fn a_reply_is_held_against_the_response_of_its_status() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let check = |rest: &str, body: &str| {
        let reply = send(&daemon, "POST", &format!("{PAGE}&{rest}"), &[OWN], body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        serde_json::from_slice::<Value>(&reply.body).unwrap()
    };
    let json = "status=200&type=application%2Fjson%3B%20charset%3Dutf-8";
    let fine = check(json, r#"[{"id": 1}]"#);
    let expected = json!({"response": "200", "media": "application/json", "known": [], "checked": true, "violations": []});
    assert_eq!(fine, expected);
    let wrong = check(json, r#"[{"id": 10}, {}]"#);
    let named: Vec<&Value> = wrong["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(named, ["/0/id", "/1/id"]);
    let first = &wrong["violations"][0];
    assert_eq!(
        (&first["keyword"], &first["expected"], &first["given"]),
        (&json!("maximum"), &json!(9), &json!(10))
    );
    assert_eq!(check(json, "{")["violations"].as_array().unwrap().len(), 1);
    // No such status, another media type, a response without a body.
    assert_eq!(
        check("status=302&type=", "")["known"],
        json!(["200", "4XX"])
    );
    assert_eq!(
        check("status=200&type=text/csv", "a")["known"],
        json!(["application/json"])
    );
    let missing = check("status=404&type=application/json", "{}");
    assert_eq!(
        (&missing["response"], &missing["checked"]),
        (&json!("4XX"), &json!(false))
    );
}

#[test]
fn only_pages_of_the_site_ask_and_wrong_questions_are_refused() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let right = format!("{PAGE}&status=200&type=application/json");
    for headers in [
        &[][..],
        &[("Origin", "https://evil.example")],
        &[OWN, ("Sec-Fetch-Site", "cross-site")],
    ] {
        assert_eq!(
            send(&daemon, "POST", &right, headers, "[]").status,
            403,
            "{headers:?}"
        );
    }
    assert_eq!(send(&daemon, "GET", &right, &[OWN], "").status, 405);
    for (query, status) in [
        ("", 400),
        (PAGE, 400),
        ("status=200", 400),
        ("path=/start&status=200", 404),
        ("path=/nowhere&status=200", 404),
        ("path=/api-reference/list-things&status=99", 400),
        ("path=/api-reference/list-things&status=200&other=1", 400),
    ] {
        assert_eq!(
            send(&daemon, "POST", query, &[OWN], "").status,
            status,
            "{query}"
        );
    }
    let long = " ".repeat(2 * 1024 * 1024 + 1);
    assert_eq!(send(&daemon, "POST", &right, &[OWN], &long).status, 413);
}
