//! Requests that are refused before anything is sent: of other origins, malformed, where there is
//! no relay.

use std::sync::atomic::Ordering;

use quire_http::server::Limits;
use serde_json::json;

use super::support::{Api, Playground, Program, answer, code, parts, request, settings, site};
use crate::fetch::Server;
use crate::support::client::Connection;
use crate::support::preview::Preview;

/// A proper request for `url`, one field of which has another value; `None` leaves it out.
fn changed(host: &str, url: &str, field: &str, value: Option<&str>) -> Vec<u8> {
    let line = json!({ "method": "GET", "url": url, "headers": [] });
    let request = String::from_utf8(request(host, &line, b"")).unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let of_field = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default();
        name.eq_ignore_ascii_case(field)
    };
    let mut lines: Vec<String> = (head.lines().filter(|line| !of_field(line)))
        .map(str::to_owned)
        .collect();
    lines.extend(value.map(|value| format!("{field}: {value}")));
    format!("{}\r\n\r\n{body}", lines.join("\r\n")).into_bytes()
}

#[test]
fn pages_of_other_origins_send_nothing() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let playground = Playground::of(&api);
    let (host, url) = (playground.host(), api.url("/"));
    let ask = |field: &str, value: Option<&str>| {
        let mut connection = playground.preview.connect();
        connection.send(changed(&host, &url, field, value));
        connection.reply()
    };
    let port = playground.preview.address.port();
    let other_port = format!("http://127.0.0.1:{}", port ^ 1);
    let other_host = format!("http://localhost:{port}");
    for (field, value) in [
        ("Origin", Some("https://evil.example")),
        ("Origin", Some("null")),
        ("Origin", Some("")),
        ("Origin", Some("http://127.0.0.1")),
        ("Origin", Some(&*other_port)),
        ("Origin", Some(&*other_host)),
        ("Origin", Some(&*format!("http://{host}.evil.example"))),
        ("Origin", Some(&*format!("http://evil.example/{host}"))),
        (
            "Origin",
            Some(&*format!("http://{host}\r\nOrigin: https://evil.example")),
        ),
        ("Sec-Fetch-Site", Some("cross-site")),
        ("Sec-Fetch-Site", Some("same-site")),
        ("Sec-Fetch-Site", Some("none")),
        ("Sec-Fetch-Site", Some("")),
        ("Quire-Relay", None),
        ("Quire-Relay", Some("0")),
        ("Quire-Relay", Some("")),
    ] {
        let reply = ask(field, value);
        assert_eq!(
            (reply.status, &*code(&reply)),
            (403, "cross-origin"),
            "{field}: {value:?}"
        );
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    assert_eq!(playground.ended("cross-origin"), 16);
    // A browser says at least one of the two; what says neither is none.
    let (head, body) = (
        changed(&host, &url, "Origin", None),
        ask("Sec-Fetch-Site", None),
    );
    assert_eq!(body.status, 200);
    let head = String::from_utf8(head).unwrap();
    let mut connection = playground.preview.connect();
    connection.send(head.replace("Sec-Fetch-Site: same-origin\r\n", ""));
    assert_eq!(code(&connection.reply()), "cross-origin");
    assert_eq!(ask("Origin", None).status, 200);
    // A name of this server that is another's leads nowhere.
    assert_eq!(ask("Host", Some("evil.example")).status, 421);
    assert_eq!(api.take_seen().len(), 2);
}

#[test]
fn a_preflight_of_another_origin_is_not_answered() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let playground = Playground::of(&api);
    let mut connection = playground.preview.connect();
    let origins = [
        ("https://evil.example", (403, None)),
        ("http://localhost:5173", (405, Some("POST"))),
    ];
    let methods = ["OPTIONS", "GET", "HEAD", "PUT"];
    let all = methods
        .iter()
        .flat_map(|method| origins.map(|origin| (*method, origin)));
    for (method, (origin, expected)) in all {
        let asks = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "quire-relay"),
        ];
        connection.request(method, "/_quire/relay", &asks);
        let reply = match method {
            "HEAD" => connection.reply_to_head(),
            _ => connection.reply(),
        };
        assert_eq!(
            (reply.status, reply.header("allow")),
            expected,
            "{method} {origin}"
        );
        assert_eq!(reply.header("access-control-allow-origin"), None);
        assert_eq!(reply.header("access-control-allow-headers"), None);
    }
    assert!(api.take_seen().is_empty());
}

#[test]
fn what_is_no_request_is_refused() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let playground = Playground::of(&api);
    let (host, url) = (playground.host(), api.url("/"));
    let send = |body: &[u8]| {
        let whole = String::from_utf8(request(&host, &json!(0), b"")).unwrap();
        let head = whole.split("\r\n\r\n").next().unwrap();
        let head = head.replace(
            "Content-Length: 2",
            &format!("Content-Length: {}", body.len()),
        );
        let mut connection = playground.preview.connect();
        connection.send(head + "\r\n\r\n");
        connection.send(body);
        connection.reply()
    };
    let long = "x".repeat(70_000);
    for body in [
        String::new(),
        "\n".to_owned(),
        "{}\n".to_owned(),
        "null\n".to_owned(),
        "[]\n".to_owned(),
        json!({ "method": "GET", "url": url, "headers": [] }).to_string(),
        json!({ "method": "CONNECT", "url": url, "headers": [] }).to_string() + "\n",
        json!({ "method": "GET / HTTP/1.1\r\nX: y\r\n", "url": url, "headers": [] }).to_string()
            + "\n",
        json!({ "method": "GET", "url": url, "headers": [["X", "a\r\nY: b"]] }).to_string() + "\n",
        json!({ "method": "GET", "url": url, "headers": [["X: a\r\nY", "b"]] }).to_string() + "\n",
        json!({ "method": "GET", "url": url, "headers": [["X", "\u{0}"]] }).to_string() + "\n",
        json!({ "method": "GET", "url": url, "headers": [["X", "b", "c"]] }).to_string() + "\n",
        json!({ "method": "GET", "url": url, "headers": [["X", long]] }).to_string() + "\n",
        json!({ "method": "GET", "url": format!("{url}{}", &long[..20_000]), "headers": [] })
            .to_string()
            + "\n",
        json!({ "url": url, "headers": [] }).to_string() + "\n",
        long.clone(),
    ] {
        let reply = send(body.as_bytes());
        let shown = &body[..body.len().min(80)];
        assert_eq!(
            (reply.status, &*code(&reply)),
            (400, "malformed-request"),
            "{shown}"
        );
    }
    let reply = send(b"\xff\xfe\n");
    assert_eq!(code(&reply), "malformed-request");
    for media_type in [None, Some("application/json"), Some("text/plain")] {
        let mut connection = playground.preview.connect();
        connection.send(changed(&host, &url, "Content-Type", media_type));
        assert_eq!(code(&connection.reply()), "malformed-request");
    }
    assert!(api.take_seen().is_empty());
}

#[test]
fn what_the_site_does_not_name_is_refused_with_a_way_out() {
    let playground = Playground::with(settings(&[]), Default::default());
    let reply = playground.get("https://API.example:8443/secret?key=secret");
    assert_eq!((reply.status, &*code(&reply)), (403, "relay-target"));
    let text = reply.text();
    assert!(
        text.contains("`--relay-allow https://api.example:8443`"),
        "{text}"
    );
    assert!(!text.contains("secret"), "{text}");
    // Whoever sends a lot gets to it, too.
    let line = json!({ "method": "PUT", "url": "https://api.example/", "headers": [] });
    let reply = playground.send(&line, &vec![b'x'; 9 << 20]);
    assert_eq!(code(&reply), "relay-target");
    assert_eq!(playground.relay.counters.sent.load(Ordering::Relaxed), 0);
}

#[test]
fn why_an_api_is_not_reached_is_said() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let server = Server::start();
    let untrusted = format!("https://localhost:{}", server.port);
    let plain = Api::saying(answer("200 OK", "", "ok"));
    let no_tls = format!("https://{}", plain.address);
    let nowhere = "http://nowhere.invalid".to_owned();
    let allowed = [
        closed.clone(),
        untrusted.clone(),
        no_tls.clone(),
        nowhere.clone(),
    ];
    let playground = Playground::with(settings(&allowed), Default::default());
    for (origin, part) in [
        (closed, "the connection was refused"),
        (untrusted, "TLS: "),
        (no_tls, "TLS: "),
        (
            nowhere,
            "DNS: the address of nowhere.invalid cannot be told",
        ),
    ] {
        let reply = playground.get(&format!("{origin}/secret"));
        assert_eq!(
            (reply.status, &*code(&reply)),
            (502, "relay-unreachable"),
            "{origin}"
        );
        let text = reply.text();
        assert!(
            text.contains(part) && !text.contains("secret"),
            "{origin}: {text}"
        );
    }
}

#[test]
fn whoever_still_sends_gets_to_know_too() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let playground = Playground::with(settings(std::slice::from_ref(&closed)), Default::default());
    for _ in 0..8 {
        let line = json!({ "method": "PUT", "url": closed, "headers": [] });
        let reply = playground.send(&line, &vec![b'x'; 9 << 20]);
        assert_eq!(code(&reply), "relay-unreachable");
    }
}

#[test]
fn without_a_relay_nothing_is_there() {
    let folder = site(&["http://10.0.0.1".to_owned()]);
    let preview = Preview::with_relay(folder.path(), Limits::default(), None);
    let line = json!({ "method": "GET", "url": "http://10.0.0.1/", "headers": [] });
    let mut connection = preview.connect();
    connection.send(request(&preview.address.to_string(), &line, b""));
    let reply = connection.reply();
    assert_eq!((reply.status, &*code(&reply)), (404, "unknown-operation"));
    let metrics = Connection::open(preview.admin).get("/_quire/metrics");
    assert_eq!(metrics.status, 200);
    assert!(!metrics.text().contains("quire_relay"));
    assert_eq!(preview.status("/_quire/relay"), 404);
}

/// The program itself, which says all it can.
#[test]
fn nothing_of_a_request_is_logged() {
    let api = Api::saying(answer(
        "200 OK",
        "X-Secret: secret-answer-field\r\n",
        "secret-answer",
    ));
    let folder = site(&[]);
    let program = Program::start(&folder, &["-vv", "--relay-allow", &api.origin()], &[]);
    let line = json!({
        "method": "POST", "url": api.url("/secret-path?secret-query=1"),
        "headers": [["Authorization", "Bearer secret-token"], ["Cookie", "secret-cookie=1"], ["X-Key", "secret-key"]],
    });
    let reply = program.send(&line, b"secret-body");
    assert_eq!(parts(&reply.body).1, b"secret-answer");
    let said = program.log_until("relayed");
    assert!(said.contains(&api.origin()), "{said}");
    for line in said.lines() {
        assert!(!line.contains("secret"), "{line}");
    }
}
