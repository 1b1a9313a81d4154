//! What `dev` serves is a draft on the machine of its author: its own pages and those of this machine read it, and no site
//! that the author visits meanwhile.

use crate::support::client::{Connection, Reply};
use crate::support::folder::Folder;
use crate::support::preview::Preview;

const SPEC: &str = r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/pets":{"get":{"summary":"List pets","responses":{}}}}}"#;

fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start",{"group":"API","openapi":"api.json"}]}}"##,
        ),
        (
            "start.mdx",
            "---\ntitle: Start\n---\n\nUnpublished giraffe.\n",
        ),
        ("api.json", SPEC),
    ])
}

/// What a site answers to programs: method, path and body.
const DATA: &[(&str, &str, &str)] = &[
    ("POST", "/api/sites/t/search", r#"{"query":"giraffe"}"#),
    ("OPTIONS", "/api/sites/t/search", ""),
    (
        "POST",
        "/api/sites/t/assistant",
        r#"{"messages":[{"role":"user","content":"giraffe"}]}"#,
    ),
    ("OPTIONS", "/api/sites/t/assistant", ""),
    (
        "POST",
        "/v1/chat/completions",
        r#"{"model":"m","messages":[{"role":"user","content":"giraffe"}]}"#,
    ),
    ("GET", "/_quire/mock/api.json/pets", ""),
    ("GET", "/.well-known/mcp.json", ""),
    ("GET", "/api.json", ""),
    ("GET", "/llms-full.txt", ""),
    ("GET", "/start.md", ""),
    ("GET", "/start", ""),
];

fn send(preview: &Preview, row: &(&str, &str, &str), headers: &[(&str, &str)]) -> Reply {
    send_to(&preview.address.to_string(), preview, row, headers)
}

fn send_to(
    host: &str,
    preview: &Preview,
    (method, path, body): &(&str, &str, &str),
    headers: &[(&str, &str)],
) -> Reply {
    let mut connection = Connection::open(preview.address);
    let mut all = format!("Host: {host}\r\n");
    all.push_str("Content-Type: application/json\r\nConnection: close\r\n");
    for (name, value) in headers {
        all.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = body.len();
    connection.send(format!(
        "{method} {path} HTTP/1.1\r\n{all}Content-Length: {length}\r\n\r\n{body}"
    ));
    connection.reply()
}

#[test]
fn no_page_of_another_site_reads_a_draft() {
    let folder = site();
    let preview = Preview::of(&folder);
    let own = format!("http://{}", preview.address);
    for row in DATA {
        for foreign in [
            &[("Origin", "https://evil.example")][..],
            &[("Origin", "null")],
            &[("Origin", "http://localhost.evil.example")],
            &[("Origin", "http://127.0.0.1.evil.example:3000")],
            &[("Origin", &own), ("Origin", "https://evil.example")],
            &[
                ("Origin", "https://evil.example"),
                ("Sec-Fetch-Site", "cross-site"),
                ("Sec-Fetch-Mode", "cors"),
            ],
            // A script, a style or a picture: no origin is sent with it.
            &[
                ("Sec-Fetch-Site", "cross-site"),
                ("Sec-Fetch-Mode", "no-cors"),
            ],
            &[
                ("Sec-Fetch-Site", "same-site"),
                ("Sec-Fetch-Mode", "no-cors"),
            ],
        ] {
            let reply = send(&preview, row, foreign);
            assert_eq!(reply.status, 403, "{row:?} {foreign:?}");
            assert_eq!(reply.header("access-control-allow-origin"), None, "{row:?}");
            assert!(!reply.text().contains("giraffe"), "{row:?}");
        }
    }
}

#[test]
fn own_pages_and_those_of_this_machine_do() {
    let folder = site();
    let preview = Preview::of(&folder);
    let own = format!("http://{}", preview.address);
    for row in DATA {
        let plain = send(&preview, row, &[]);
        assert!(
            matches!(plain.status, 200 | 204),
            "{row:?}: {}",
            plain.text()
        );
        assert_eq!(plain.header("access-control-allow-origin"), None, "{row:?}");
        for headers in [
            &[("Origin", own.as_str())][..],
            &[("Origin", &own), ("Sec-Fetch-Site", "same-origin")],
            // Behind a proxy that calls this server by another name.
            &[
                ("Origin", "https://preview.codespace.example"),
                ("Sec-Fetch-Site", "same-origin"),
            ],
            &[("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")],
            // A link on another site.
            &[
                ("Sec-Fetch-Site", "cross-site"),
                ("Sec-Fetch-Mode", "navigate"),
            ],
        ] {
            let reply = send(&preview, row, headers);
            assert_eq!(reply.status, plain.status, "{row:?} {headers:?}");
        }
        for origin in [
            "http://localhost:5173",
            "http://app.localhost:8080",
            "http://127.0.0.1:8000",
            "http://[::1]:8000",
        ] {
            let headers = [("Origin", origin), ("Sec-Fetch-Site", "cross-site")];
            let reply = send(&preview, row, &headers);
            assert_eq!(reply.status, plain.status, "{row:?} {origin}");
            let allowed = reply.header("access-control-allow-origin");
            // Where any page may ask of a site that is published.
            let is_open = ["/api/", "/_quire/mock/", "/.well-known/mcp"];
            let is_open = is_open.iter().any(|begin| row.1.starts_with(begin));
            assert_eq!(allowed, is_open.then_some(origin), "{row:?}");
            let mut headers = reply.headers.iter();
            let varies = headers.any(|(name, value)| name == "vary" && value == "origin");
            assert_eq!(varies, is_open, "{row:?}");
        }
    }
}

/// Whoever owns a name can have it mean the machine of the author, whose browser then takes both for one origin.
#[test]
fn a_foreign_name_that_leads_to_this_machine_reads_no_draft() {
    let folder = site();
    let preview = Preview::of(&folder);
    let port = preview.address.port();
    for host in [
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
    ] {
        let origin = format!("http://{host}");
        for headers in [&[][..], &[("Origin", origin.as_str())]] {
            for row in DATA {
                let reply = send_to(&host, &preview, row, headers);
                assert_eq!(reply.status, 421, "{row:?} {host} {headers:?}");
                assert!(!reply.text().contains("giraffe"), "{row:?} {host}");
            }
        }
    }
}
