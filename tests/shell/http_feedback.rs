//! What readers say, over HTTP: who may, field by field, how much, who sees it, and that it is kept.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::support::client::Reply;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::{Folder, text_below};
use quire_settings::SiteSettings;

const DOCS: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start"]}}"##;
const HOST: &str = "docs.localhost";
const OWN: (&str, &str) = ("Origin", "http://docs.localhost");

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", DOCS),
        ("start.mdx", "---\ntitle: Start\n---\n\nWords.\n"),
    ])
}

fn daemon(site: &Folder, state: &Folder) -> Daemon {
    let mut settings = settings(
        state.path(),
        &[
            ("docs", SiteSettings::of_folder(site.path())),
            ("other", SiteSettings::of_folder(site.path())),
        ],
    );
    settings.listen.admin = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    settings.listen.proxies = vec!["127.0.0.1".to_owned()];
    Daemon::start(settings)
}

fn say(daemon: &Daemon, headers: &[(&str, &str)], body: &Value) -> Reply {
    let mut all = vec![("Content-Type", "application/json")];
    all.extend_from_slice(headers);
    daemon.send("POST", HOST, "/_quire/feedback", &all, &body.to_string())
}

fn said(daemon: &Daemon, host: &str) -> Vec<Value> {
    let reply = daemon.ask(host, "/_quire/feedback");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let mut list: Value = serde_json::from_slice(&reply.body).unwrap();
    let list = list["feedback"].as_array_mut().unwrap();
    for entry in list.iter_mut() {
        assert!(entry["at"].as_u64().unwrap() > 1_700_000_000);
        entry.as_object_mut().unwrap().remove("at");
    }
    list.clone()
}

#[test]
fn what_is_said_is_kept_and_shown_to_the_administrator() {
    let (site, state) = (site(), Folder::new(&[]));
    let all = json!({ "kind": "assistant", "path": "/start", "helpful": false, "text": " <b>No</b> ", "id": "assistant-7" });
    let page = json!({ "kind": "page", "path": "/start", "helpful": true, "unknown": 1 });
    {
        let daemon = daemon(&site, &state);
        for body in [&all, &page] {
            let reply = say(&daemon, &[OWN], body);
            assert_eq!((reply.status, reply.text().as_str()), (204, ""));
        }
    }
    let daemon = daemon(&site, &state);
    let expected = [
        json!({ "kind": "page", "path": "/start", "helpful": true, "site": "docs" }),
        json!({ "kind": "assistant", "path": "/start", "helpful": false, "text": "<b>No</b>", "id": "assistant-7", "site": "docs" }),
    ];
    assert_eq!(said(&daemon, HOST), expected);
    assert_eq!(said(&daemon, "other.localhost"), [Value::Null; 0]);
    assert_eq!(said(&daemon, "localhost"), expected, "of all sites");
    let table = daemon.manage(
        "GET",
        HOST,
        "/_quire/feedback",
        &[("Accept", "text/html")],
        "",
    );
    assert_eq!(
        table.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(table.text().contains("&lt;b&gt;No&lt;/b&gt;"));
    // Nothing of who said it is kept.
    let kept = text_below(&state, "feedback/docs.");
    assert!(!kept.contains("127.0.0.1"), "{kept}");
    // Whoever comes in as visitors do sees nothing of it.
    assert_eq!(daemon.get(HOST, "/_quire/feedback").status, 404);
}

#[test]
fn a_form_is_taken_too_and_leads_back_to_its_page() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let send = |headers: &[(&str, &str)], body: &str| {
        let all = [&[form], headers].concat();
        daemon.send("POST", HOST, "/_quire/feedback", &all, body)
    };
    let body = "kind=page&path=%2Fguides%2F%C3%BCber+uns&text=a+%26+b%2Bc&helpful=false";
    assert_eq!(send(&[], body).status, 403, "of nobody knows whom");
    let reply = send(&[OWN], body);
    assert_eq!(reply.status, 303);
    let back = "/guides/%C3%BCber%20uns#feedback-thanks";
    assert_eq!(reply.header("location"), Some(back));
    let expected = json!({ "kind": "page", "path": "/guides/über uns", "helpful": false, "text": "a & b+c", "site": "docs" });
    assert_eq!(said(&daemon, HOST), [expected]);
    for wrong in [
        "kind=page&path=%2Fa",
        "kind=page&path=%2Fa&helpful=perhaps",
        "kind=page&path=%2F%2Fevil.example&helpful=true",
        "kind=page&path=https%3A%2F%2Fevil.example&helpful=true",
        "kind=page&path=%2Fa%0D%0AX%3A1&helpful=true",
        "&&=&",
    ] {
        assert_eq!(send(&[OWN], wrong).status, 400, "{wrong}");
    }
    let long = format!("kind=page&path=%2Fa&text={}", "x".repeat(3000));
    assert_eq!(send(&[OWN], &long).status, 400);
    let longer = format!("kind=page&path=%2Fa&text={}", "x".repeat(20_000));
    assert_eq!(send(&[OWN], &longer).status, 413);
}

#[test]
fn only_a_page_of_the_site_says_something() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let body = json!({ "kind": "page", "path": "/start", "helpful": true });
    for headers in [
        &[][..],
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[OWN, ("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "none")],
    ] {
        let reply = say(&daemon, headers, &body);
        assert_eq!(reply.status, 403, "{headers:?}");
    }
    assert_eq!(
        say(&daemon, &[("Sec-Fetch-Site", "same-origin")], &body).status,
        204
    );
    let reply = daemon.send("PUT", HOST, "/_quire/feedback", &[OWN], "");
    assert_eq!(reply.status, 405);
    assert_eq!(reply.header("allow"), Some("GET, HEAD, POST"));
    let reply = daemon.send(
        "POST",
        "localhost",
        "/_quire/feedback",
        &[("Origin", "http://localhost")],
        "{}",
    );
    assert_eq!(reply.status, 404, "no site has that host");
    assert_eq!(said(&daemon, HOST).len(), 1);
}

#[test]
fn wrong_fields_are_named() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let long = "x".repeat(2001);
    for (body, named) in [
        (json!([]), "object"),
        (json!({}), "`kind`"),
        (
            json!({ "kind": "joke", "path": "/a", "helpful": true }),
            "`kind`",
        ),
        (json!({ "kind": "page", "helpful": true }), "`path`"),
        (
            json!({ "kind": "page", "path": "a", "helpful": true }),
            "`path`",
        ),
        (
            json!({ "kind": "page", "path": "/a\nb", "helpful": true, "text": 1 }),
            "`path`",
        ),
        (json!({ "kind": "page", "path": "/a", "text": 1 }), "`text`"),
        (
            json!({ "kind": "page", "path": "/a", "helpful": "yes" }),
            "`helpful`",
        ),
        (
            json!({ "kind": "page", "path": "/a" }),
            "`helpful` or `text`",
        ),
        (
            json!({ "kind": "page", "path": "/a", "text": " " }),
            "`helpful` or `text`",
        ),
        (
            json!({ "kind": "page", "path": "/a", "text": long }),
            "`text`",
        ),
        (
            json!({ "kind": "page", "path": "/a", "helpful": true, "id": long }),
            "`id`",
        ),
    ] {
        let reply = say(&daemon, &[OWN], &body);
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.text().contains(named), "{body}: {}", reply.text());
    }
    assert_eq!(said(&daemon, HOST), [Value::Null; 0]);
}

#[test]
fn a_client_says_so_much_a_minute() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let body = json!({ "kind": "page", "path": "/start", "helpful": true });
    let mut statuses: Vec<u16> = (0..32)
        .map(|_| say(&daemon, &[OWN], &body).status)
        .collect();
    let refused = say(&daemon, &[OWN], &body);
    assert_eq!(refused.status, 429);
    assert!(
        refused
            .header("retry-after")
            .is_some_and(|wait| wait.parse::<u64>().is_ok())
    );
    statuses.sort_unstable();
    assert_eq!(statuses[..30], [204; 30]);
    let other = say(&daemon, &[OWN, ("X-Forwarded-For", "192.0.2.1")], &body);
    assert_eq!(other.status, 204);
}
