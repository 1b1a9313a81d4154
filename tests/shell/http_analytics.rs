//! What is read and searched for, over HTTP: what counts and what does not, who sees it, that it is kept; and the policy of pages
//! that load services of others.

use std::net::SocketAddr;

use quire_settings::SiteSettings;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::support::client::{Connection, Reply};
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::{Folder, text_below};

const DOCS: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","next"]}}"##;
const HOST: &str = "docs.localhost";
const OWN: (&str, &str) = ("Origin", "http://docs.localhost");
const AGENT: (&str, &str) = (
    "User-Agent",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
);
const SHOWN: (&str, &str) = ("Sec-Fetch-Dest", "document");

fn site_with(docs: &str) -> Folder {
    Folder::new(&[
        ("docs.json", docs),
        ("start.mdx", "---\ntitle: Start\n---\n\nWords.\n"),
        ("next.mdx", "---\ntitle: Next\n---\n\nWords.\n"),
    ])
}

fn daemon(site: &Folder, state: &Folder) -> Daemon {
    let counted = SiteSettings::of_folder(site.path());
    let silent = SiteSettings {
        analytics: false,
        ..counted.clone()
    };
    let mut settings = settings(state.path(), &[("docs", counted), ("silent", silent)]);
    settings.listen.admin = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    Daemon::start(settings)
}

fn read(daemon: &Daemon, target: &str, headers: &[(&str, &str)]) -> Reply {
    daemon.send("GET", HOST, target, headers, "")
}

fn tell(daemon: &Daemon, headers: &[(&str, &str)], body: &Value) -> u16 {
    let mut all = vec![("Content-Type", "application/json"), AGENT];
    all.extend_from_slice(headers);
    let body = body.to_string();
    let reply = daemon.send("POST", HOST, "/_quire/analytics", &all, &body);
    reply.status
}

fn counted(daemon: &Daemon, host: &str) -> Value {
    let reply = daemon.ask(host, "/_quire/analytics");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let counted: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(counted["sites"].as_array().unwrap().len(), 1, "{counted}");
    counted["sites"][0].clone()
}

/// The pages that were read.
fn pages(daemon: &Daemon) -> Value {
    counted(daemon, HOST)["pages"].clone()
}

#[test]
fn what_readers_open_is_counted_once_and_what_programs_ask_for_is_not() {
    let (site, state) = (site_with(DOCS), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    for headers in [
        &[][..],
        &[SHOWN],
        &[AGENT],
        &[AGENT, ("Accept", "text/html")],
        &[AGENT, ("Sec-Fetch-Dest", "empty"), ("Accept", "text/html")],
        &[AGENT, SHOWN, ("Sec-Purpose", "prefetch")],
        &[AGENT, SHOWN, ("DNT", "1")],
        &[AGENT, SHOWN, ("Sec-GPC", "1")],
        &[AGENT, SHOWN, ("Accept", "text/markdown")],
        &[SHOWN, ("User-Agent", "Googlebot/2.1")],
    ] {
        assert_eq!(read(&daemon, "/start", headers).status, 200, "{headers:?}");
    }
    assert_eq!(read(&daemon, "/nowhere", &[AGENT, SHOWN]).status, 404);
    let mut connection = Connection::open(daemon.address);
    connection.send(format!(
        "HEAD /start HTTP/1.1\r\nHost: {HOST}\r\n{}: {}\r\n{}: {}\r\n\r\n",
        AGENT.0, AGENT.1, SHOWN.0, SHOWN.1
    ));
    assert_eq!(connection.reply_to_head().status, 200);
    assert_eq!(pages(&daemon), json!([]));

    let first = read(&daemon, "/start", &[AGENT, SHOWN]);
    assert_eq!(first.status, 200);
    assert_eq!(first.header("set-cookie"), None);
    // What a browser has already is read again, too.
    let tag = first.header("etag").unwrap().to_owned();
    let again = read(&daemon, "/start", &[AGENT, SHOWN, ("If-None-Match", &tag)]);
    assert_eq!(again.status, 304);
    let accept = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    assert_eq!(read(&daemon, "/next", &[AGENT, accept]).status, 200);
    let expected = json!([{ "path": "/start", "views": 2 }, { "path": "/next", "views": 1 }]);
    assert_eq!(pages(&daemon), expected);
    let days = counted(&daemon, HOST)["days"].clone();
    let days = days.as_array().unwrap();
    assert_eq!((days.len(), &days[29]["views"]), (30, &json!(3)));
}

#[test]
fn what_pages_tell_is_kept_and_shown_to_the_administrator() {
    let (site, state) = (site_with(DOCS), Folder::new(&[]));
    {
        let daemon = daemon(&site, &state);
        for body in [
            json!({ "path": "/next" }),
            json!({ "path": "/nowhere" }),
            json!({ "query": "Rotate <keys>", "found": false }),
            json!({ "query": "rotate  <keys>", "found": false }),
            json!({ "query": "words", "found": true }),
        ] {
            assert_eq!(tell(&daemon, &[OWN], &body), 204, "{body}");
        }
        let search = json!({ "query": "quiet", "found": false });
        for mind in [("DNT", "1"), ("Sec-GPC", "1")] {
            assert_eq!(tell(&daemon, &[OWN, mind], &search), 204);
        }
    }
    let kept = text_below(&state, "analytics/docs.");
    for secret in ["127.0.0.1", "Firefox", "quiet", "nowhere"] {
        assert!(!kept.contains(secret), "{kept}");
    }
    let daemon = daemon(&site, &state);
    let shown = counted(&daemon, HOST);
    assert_eq!(shown["site"], "docs");
    assert_eq!(shown["pages"], json!([{ "path": "/next", "views": 1 }]));
    let expected = json!([{ "query": "rotate <keys>", "count": 2 }]);
    assert_eq!(shown["without_result"], expected);
    let today = &shown["days"][29];
    assert_eq!(
        (&today["searches"], &today["without_result"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(
        counted(&daemon, "localhost"),
        shown,
        "of all sites that are counted"
    );
    let few = daemon.ask(HOST, "/_quire/analytics?days=7").text();
    let few: Value = serde_json::from_str(&few).unwrap();
    assert_eq!(few["sites"][0]["days"].as_array().unwrap().len(), 7);
    assert_eq!(daemon.ask(HOST, "/_quire/analytics?days=31").status, 400);
    let html = [("Accept", "text/html")];
    let page = daemon.manage("GET", HOST, "/_quire/analytics", &html, "");
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(
        page.text().contains("rotate &lt;keys&gt;"),
        "{}",
        page.text()
    );
    // Whoever comes in as visitors do sees nothing of it.
    assert_eq!(read(&daemon, "/_quire/analytics", &[]).status, 404);
}

#[test]
fn only_a_page_of_the_site_tells_something_and_tells_it_right() {
    let (site, state) = (site_with(DOCS), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let view = json!({ "path": "/next" });
    for headers in [
        &[][..],
        &[("Origin", "http://evil.example")],
        &[OWN, ("Sec-Fetch-Site", "cross-site")],
    ] {
        assert_eq!(tell(&daemon, headers, &view), 403, "{headers:?}");
    }
    for wrong in [
        json!({}),
        json!([]),
        json!({ "path": 1 }),
        json!({ "path": "/../a" }),
        json!({ "query": "a" }),
        json!({ "query": "a", "found": "no" }),
        json!({ "path": "/next", "query": "a", "found": true }),
    ] {
        assert_eq!(tell(&daemon, &[OWN], &wrong), 400, "{wrong}");
    }
    let long = json!({ "query": "x".repeat(9000), "found": true });
    assert_eq!(tell(&daemon, &[OWN], &long), 413);
    assert_eq!(counted(&daemon, HOST)["pages"], json!([]));
    let mut statuses: Vec<u16> = (0..130).map(|_| tell(&daemon, &[OWN], &view)).collect();
    assert_eq!(statuses.pop(), Some(429), "a client tells so much a minute");
}

#[test]
fn nothing_is_counted_where_somebody_does_not_want_it() {
    let telemetry = DOCS.replace(
        "{\"name\"",
        r#"{"integrations":{"telemetry":{"enabled":false}},"name""#,
    );
    let (site, state) = (site_with(&telemetry), Folder::new(&[]));
    {
        let daemon = daemon(&site, &state);
        // The author.
        let page = read(&daemon, "/start", &[AGENT, SHOWN]);
        assert!(!page.text().contains("readers."), "{}", page.text());
        assert_eq!(tell(&daemon, &[OWN], &json!({ "path": "/next" })), 204);
        assert_eq!(pages(&daemon), json!([]));
        // Whoever runs it.
        let silent = daemon.ask("silent.localhost", "/_quire/analytics");
        assert_eq!(silent.status, 404);
    }
    assert!(!state.at("analytics").exists());
    // With nothing in the way the page tells what it shows.
    let (site, state) = (site_with(DOCS), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    assert!(
        read(&daemon, "/start", &[])
            .text()
            .contains("/_theme/readers.")
    );
    let silent = daemon.page("silent.localhost", "/start");
    assert!(!silent.contains("readers."), "{silent}");
}

/// The sources of `name` in a policy.
fn sources<'p>(policy: &'p str, name: &str) -> Vec<&'p str> {
    let list = policy.split("; ").find_map(|list| list.strip_prefix(name));
    list.expect("the directive").split_whitespace().collect()
}

#[test]
fn the_policy_names_the_services_and_the_scripts_of_the_page() {
    let with = r#"{"integrations":{"ga4":{"measurementId":"G-1"},"plausible":{"domain":"a.example","server":"p.example"}},"name""#;
    let site = site_with(&DOCS.replace("{\"name\"", with));
    let state = Folder::new(&[]);
    let daemon = daemon(&site, &state);
    for target in ["/start", "/nowhere"] {
        let reply = read(&daemon, target, &[]);
        let policy = reply.header("content-security-policy").expect("a policy");
        let scripts = sources(policy, "script-src ");
        for named in [
            "'self'",
            "https://www.googletagmanager.com",
            "https://p.example",
        ] {
            assert!(scripts.contains(&named), "{policy}");
        }
        assert!(
            !scripts.contains(&"'unsafe-inline'") && !scripts.contains(&"https:"),
            "{policy}"
        );
        assert!(
            !sources(policy, "connect-src ").contains(&"https:"),
            "{policy}"
        );
        // Each script that stands in the page is named by its digest, and no other is.
        let text = reply.text();
        assert!(!text.contains("http-equiv=\"Content-Security-Policy\""));
        let inline = text.split("<script>").skip(1);
        let inline: Vec<String> = inline
            .map(|rest| rest.split("</script>").next().unwrap())
            .map(|code| {
                format!(
                    "'sha256-{}'",
                    base64(digest(&SHA256, code.as_bytes()).as_ref())
                )
            })
            .collect();
        let hashes: Vec<&str> = scripts
            .iter()
            .copied()
            .filter(|source| source.starts_with("'sha256"))
            .collect();
        assert_eq!(inline, hashes);
    }
    // Requests to the documented API may be sent, and own scripts may do what they like.
    site.write("docs.json", DOCS.replace("{\"name\"", r#"{"api":{"mdx":{"server":"https://api.example"}},"integrations":{"ga4":{"measurementId":"G-1"}},"name""#));
    daemon.deploy("docs", &[]);
    let reply = read(&daemon, "/start", &[]);
    let policy = reply.header("content-security-policy").expect("a policy");
    assert!(
        sources(policy, "connect-src ").contains(&"https:"),
        "{policy}"
    );
    assert!(
        !sources(policy, "script-src ").contains(&"https:"),
        "{policy}"
    );
    site.write("own.js", "window.own = true;\n");
    daemon.deploy("docs", &[]);
    let reply = read(&daemon, "/start", &[]);
    let policy = reply.header("content-security-policy").expect("a policy");
    assert!(
        sources(policy, "script-src ").contains(&"'unsafe-inline'"),
        "{policy}"
    );
    // Without services and scripts of its own nothing runs but ours.
    site.write("docs.json", DOCS);
    site.remove("own.js");
    daemon.deploy("docs", &[]);
    for target in ["/start", "/nowhere"] {
        let reply = read(&daemon, target, &[]);
        assert!(!reply.text().contains("quire-vendors"));
        let policy = reply.header("content-security-policy").expect("a policy");
        let scripts = sources(policy, "script-src ");
        let is_ours = |source: &&str| *source == "'self'" || source.starts_with("'sha256-");
        assert!(scripts.len() > 1 && scripts.iter().all(is_ours), "{policy}");
        assert_eq!(sources(policy, "frame-ancestors "), ["'self'"]);
    }
}

/// Base64 with padding (RFC 4648, 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = three.iter().chain(&[0; 2]).take(3);
        let number = number.fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
        for i in 0..4 {
            let digit = DIGITS[number >> (18 - 6 * i) & 63];
            text.push(if i <= three.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    text
}
