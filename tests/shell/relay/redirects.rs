//! Redirects: followed within an origin, three at most, as browsers do it; handed on otherwise.

use serde_json::{Value, json};

use super::support::{Api, Playground, answer, parts};

fn moved(status: &str, location: &str) -> String {
    answer(status, &format!("Location: {location}\r\n"), "moved")
}

/// Sends a request to an API that gives these answers; returns what came, and how each request
/// began, with its body.
#[track_caller]
fn sent(replies: &[String], method: &str, body: &[u8]) -> (Value, Vec<u8>, Vec<String>) {
    let api = Api::script(replies);
    let playground = Playground::of(&api);
    let headers = json!([["Content-Type", "text/plain"], ["X-Key", "k"]]);
    let line = json!({ "method": method, "url": api.url("/a/b"), "headers": headers });
    let reply = playground.send(&line, body);
    let (mut line, body) = parts(&reply.body);
    line["url"] = line["url"]
        .as_str()
        .unwrap()
        .replace(&api.origin(), "")
        .into();
    let seen = api.take_seen().into_iter().map(|seen| {
        assert!(seen.head.contains("x-key: k"), "{}", seen.head);
        let has_type = seen.head.contains("content-type: ");
        assert_eq!(
            has_type,
            seen.head.contains("content-length: 4"),
            "{}",
            seen.head
        );
        let start = seen
            .head
            .lines()
            .next()
            .unwrap()
            .trim_end_matches(" HTTP/1.1");
        format!("{start} {}", String::from_utf8_lossy(&seen.body))
            .trim_end()
            .to_owned()
    });
    (line, body.to_vec(), seen.collect())
}

#[test]
fn methods_and_bodies_change_as_in_browsers() {
    let end = answer("200 OK", "", "end");
    for (status, method, expected) in [
        ("301 Moved Permanently", "POST", "GET /c"),
        ("302 Found", "POST", "GET /c"),
        ("303 See Other", "POST", "GET /c"),
        ("303 See Other", "PUT", "GET /c"),
        ("307 Temporary Redirect", "POST", "POST /c body"),
        ("308 Permanent Redirect", "PUT", "PUT /c body"),
    ] {
        let (line, body, seen) = sent(&[moved(status, "/c"), end.clone()], method, b"body");
        assert_eq!(
            seen,
            [format!("{method} /a/b body"), expected.to_owned()],
            "{status}"
        );
        assert_eq!(
            (&line["status"], &line["redirects"]),
            (&json!(200), &json!(1))
        );
        assert_eq!((&line["url"], &*body), (&json!("/c"), &b"end"[..]));
    }
    let (line, body, seen) = sent(&[moved("302 Found", "/c")], "PUT", b"body");
    assert_eq!(
        (&line["status"], &line["redirects"], &*body),
        (&json!(302), &json!(0), &b"moved"[..])
    );
    assert_eq!(seen.len(), 1);
}

#[test]
fn relay_follows_three_redirects() {
    let steps = [
        moved("307 Temporary Redirect", "c"),
        moved("307 Temporary Redirect", "../d?x=1"),
        moved("307 Temporary Redirect", "/e"),
        moved("307 Temporary Redirect", "/f"),
        answer("200 OK", "", "too far"),
    ];
    let (line, body, seen) = sent(&steps, "POST", b"body");
    assert_eq!(
        seen,
        [
            "POST /a/b body",
            "POST /a/c body",
            "POST /d?x=1 body",
            "POST /e body"
        ]
    );
    assert_eq!(
        (&line["status"], &line["redirects"]),
        (&json!(307), &json!(3))
    );
    assert_eq!((&line["url"], &*body), (&json!("/e"), &b"moved"[..]));
    let has_location = line["headers"]
        .as_array()
        .unwrap()
        .contains(&json!(["location", "/f"]));
    assert!(has_location, "{line}");
}

#[test]
fn a_body_that_was_not_kept_is_not_sent_again() {
    let body = vec![b'x'; 1 << 20];
    let api = Api::script(&[
        moved("307 Temporary Redirect", "/c"),
        answer("200 OK", "", "end"),
    ]);
    let playground = Playground::of(&api);
    let line = json!({ "method": "POST", "url": api.url("/"), "headers": [] });
    let reply = playground.send(&line, &body);
    let (line, body) = parts(&reply.body);
    assert_eq!((&line["status"], body), (&json!(307), &b"moved"[..]));
    assert_eq!(api.take_seen().len(), 1);
}

#[test]
fn another_origin_is_not_followed_even_if_it_is_allowed() {
    let other = Api::saying(answer("200 OK", "", "other"));
    let api = Api::script(&[moved("302 Found", &other.url("/x"))]);
    let allowed = [api.origin(), other.origin()];
    let playground = Playground::with(super::support::settings(&allowed), Default::default());
    let reply = playground.get(&api.url("/"));
    let (line, body) = parts(&reply.body);
    assert_eq!((&line["status"], body), (&json!(302), &b"moved"[..]));
    assert!(other.take_seen().is_empty());
}

#[test]
fn a_redirect_that_leads_nowhere_is_an_answer() {
    for headers in [
        "",
        "Location: \r\n",
        "Location: http://[\r\n",
        "Location: \u{80}\r\n",
    ] {
        let api = Api::saying(answer("302 Found", headers, "nowhere"));
        let playground = Playground::of(&api);
        let reply = playground.get(&api.url("/a"));
        let (line, body) = parts(&reply.body);
        assert_eq!(body, b"nowhere", "{headers:?}: {line}");
    }
}
