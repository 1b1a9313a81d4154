//! What is refused before anything looks at it, and clients that take their time.

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;

use quire_http::server::Limits;

use crate::support::client::Connection;
use crate::support::folder::Folder;
use crate::support::preview::Preview;
use crate::support::wait_until;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start"]}}"##;

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", "---\ntitle: Start\n---\n"),
    ])
}

/// Far more than the buffers of two sockets hold.
const BIG: usize = 32 << 20;

fn site_with_big_file() -> Folder {
    let folder = site();
    folder.write("big.zip", vec![7_u8; BIG]);
    folder
}

/// Sends each request on a connection of its own and compares the status; `0` means closed without a reply.
#[track_caller]
fn check_raw(cases: &[(&str, u16)]) {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut report = String::new();
    for (request, expected) in cases {
        let mut connection = preview.connect();
        connection.send(request);
        let status = connection.try_reply(false).map_or(0, |reply| reply.status);
        if status != *expected {
            let shown: String = request.chars().take(120).collect();
            report.push_str(&format!("{status} instead of {expected}: {shown:?}\n"));
        }
    }
    assert_eq!(report, "");
}

#[test]
fn exactly_one_known_host_is_needed() {
    check_raw(&[
        ("GET /start HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
        ("GET /start HTTP/1.1\r\nhost: LOCALHOST:3000\r\n\r\n", 200),
        ("GET /start HTTP/1.1\r\nHost: a.localhost\r\n\r\n", 200),
        ("GET /start HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", 200),
        ("GET /start HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200),
        ("GET /start HTTP/1.1\r\n\r\n", 400),
        ("GET /start HTTP/1.0\r\n\r\n", 400),
        ("GET /start HTTP/1.0\r\nHost: localhost\r\n\r\n", 200),
        ("GET /start HTTP/1.1\r\nHost:\r\n\r\n", 400),
        (
            "GET /start HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
            400,
        ),
        (
            "GET /start HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
            400,
        ),
        ("GET /start HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (
            "GET /start HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n",
            421,
        ),
        (
            "GET /start HTTP/1.1\r\nHost: evil.example#localhost\r\n\r\n",
            400,
        ),
        (
            "GET /start HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n",
            400,
        ),
        (
            "GET /start HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n",
            400,
        ),
        (
            "GET /_quire/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            421,
        ),
        (
            "GET /_quire/events HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            421,
        ),
        ("GET /_theme/x HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        // An absolute target and the field name one host.
        (
            "GET http://localhost/start HTTP/1.1\r\nHost: Localhost\r\n\r\n",
            200,
        ),
        (
            "GET http://localhost/start HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            400,
        ),
        (
            "GET http://evil.example/start HTTP/1.1\r\nHost: localhost\r\n\r\n",
            400,
        ),
    ]);
}

#[test]
fn the_length_of_a_request_is_told_in_one_way() {
    check_raw(&[
        (
            "POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            400,
        ),
        (
            "POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            400,
        ),
        (
            "POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
            400,
        ),
        (
            "POST /start HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
            400,
        ),
        (
            "POST /start HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            405,
        ),
        (
            "POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
            405,
        ),
    ]);
}

#[test]
fn lines_end_as_the_protocol_says() {
    check_raw(&[
        ("GET /start HTTP/1.1\nHost: localhost\n\n", 400),
        ("GET /start HTTP/1.1\r\nHost: localhost\n\r\n", 400),
        ("GET /start HTTP/1.1\nHost: localhost\r\n\r\n", 400),
        (
            "GET /start HTTP/1.1\r\nA: b\nHost: evil.example\r\nHost: localhost\r\n\r\n",
            400,
        ),
        ("GET /start HTTP/1.1\r\nHost: localhost\r\n\n", 400),
        (
            "GET /start HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n",
            400,
        ),
        (
            "GET /start HTTP/1.1\r\nHost: localhost\r\nA : b\r\n\r\n",
            400,
        ),
        (
            "GET /start HTTP/1.1\r\nHost: localhost\r\nA: \0\r\n\r\n",
            400,
        ),
        ("\r\nGET /start HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
    ]);
}

#[test]
fn a_bare_line_feed_is_refused_on_a_used_connection_too() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    assert_eq!(connection.get("/start").status, 200);
    connection.send("POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n\n\n\n");
    assert_eq!(connection.reply().status, 405);
    connection.send("GET /start HTTP/1.1\r\nHost: localhost\nA: b\r\n\r\n");
    assert_eq!(connection.reply().status, 400);
    assert!(connection.is_closed_by_server());
}

#[test]
fn nothing_follows_a_body_in_chunks_on_its_connection() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    let chunked = "Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    connection.send(format!("GET /start HTTP/1.1\r\n{chunked}"));
    let reply = connection.reply();
    assert_eq!(
        (reply.status, reply.header("connection")),
        (200, Some("close"))
    );
    assert!(connection.is_closed_by_server());
}

#[test]
fn what_is_too_large_is_refused_by_name() {
    let fields = |count: usize| {
        let fields: String = (0..count).map(|i| format!("x-{i}: 1\r\n")).collect();
        format!("GET /start HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n")
    };
    let value = |length: usize| {
        let value = "v".repeat(length);
        format!("GET /start HTTP/1.1\r\nHost: localhost\r\nx: {value}\r\n\r\n")
    };
    let target = |length: usize| {
        let target = "a".repeat(length);
        format!("GET /{target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    };
    check_raw(&[
        (&fields(60), 200),
        (&fields(64), 431),
        (&fields(79), 431),
        (&fields(300), 431),
        (&value(30_000), 200),
        (&value(40_000), 431),
        (&target(8_000), 404),
        (&target(8_192), 414),
        (&target(20_000), 414),
    ]);
}

#[test]
fn what_is_no_request_is_refused() {
    check_raw(&[
        ("hello\r\n\r\n", 400),
        (
            "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}\r\n\r\n",
            400,
        ),
        ("GET\r\n\r\n", 400),
        ("GET /start\r\n\r\n", 400),
        ("GET /start HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
        ("GET /start HTTP/1.1 x\r\nHost: localhost\r\n\r\n", 400),
        ("GET  /start HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("G(T /start HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("BREW /start HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (
            "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            400,
        ),
        ("GET /sta\rrt HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /a/../start HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ]);
}

#[test]
fn refusals_have_a_code_for_programs() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    connection.send("GET /start HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    let reply = connection.reply();
    let body: serde_json::Value = serde_json::from_slice(&reply.body).expect("JSON");
    assert_eq!(body["error"]["code"], "unknown-host");
    assert!(body["error"]["message"].is_string());
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

#[test]
fn http_2_is_spoken_to_who_begins_with_it() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut stream = TcpStream::connect(preview.address).expect("connect");
    std::io::Write::write_all(
        &mut stream,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    )
    .expect("send");
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).expect("a frame");
    assert_eq!(frame[3], 4, "the first frame is SETTINGS: {frame:?}");
}

#[test]
fn a_client_that_is_slow_to_ask_is_cut_off() {
    let folder = site();
    let limits = Limits {
        header_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let preview = Preview::start(folder.path(), limits);
    let mut slow: Vec<Connection> = (0..50)
        .map(|i| {
            let mut connection = preview.connect();
            connection.send(&"GET /start HTTP/1.1\r\nHost: localhost\r\n"[..i % 30]);
            connection
        })
        .collect();
    // Others are served meanwhile.
    assert_eq!(preview.status("/start"), 200);
    for connection in &mut slow {
        let reply = connection.try_reply(false);
        assert!(reply.is_none_or(|reply| reply.status == 408));
    }
}

#[test]
fn a_client_that_takes_nothing_is_cut_off_and_stops_nobody() {
    let folder = site_with_big_file();
    let limits = Limits {
        write_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let preview = Preview::start(folder.path(), limits);
    let mut idle: Vec<Connection> = (0..4)
        .map(|_| {
            let mut connection = preview.connect();
            connection.request("GET", "/big.zip", &[]);
            connection
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(preview.status("/start"), 200);
    }
    // A stop waits for nobody who was cut off; it is the end of them that lets it end.
    let mut preview = preview;
    preview.ask_to_stop();
    wait_until("the idle clients are cut off", || preview.has_ended());
    for connection in &mut idle {
        let (status, _) = connection.try_head().expect("the reply had begun");
        assert_eq!(status, 200);
        assert!(connection.read_to_end() < BIG, "the rest is not sent");
    }
}

#[test]
fn a_stop_lets_running_requests_end() {
    let folder = site_with_big_file();
    let mut preview = Preview::of(&folder);
    let mut unused = preview.connect();
    assert_eq!(unused.get("/start").status, 200);
    let mut running = preview.connect();
    running.request("GET", "/big.zip", &[]);
    let (status, _) = running.try_head().expect("a reply");
    assert_eq!(status, 200);
    preview.ask_to_stop();
    wait_until("nobody listens any more", || {
        TcpStream::connect(preview.address).is_err()
    });
    assert!(unused.is_closed_by_server());
    assert!(!preview.has_ended());
    assert_eq!(running.read_to_end(), BIG, "not a byte is missing");
    wait_until("the server ends", || preview.has_ended());
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let folder = site_with_big_file();
    let limits = Limits {
        stop_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let mut preview = Preview::start(folder.path(), limits);
    let mut idle = preview.connect();
    idle.request("GET", "/big.zip", &[]);
    assert_eq!(idle.try_head().expect("a reply").0, 200);
    preview.ask_to_stop();
    wait_until("the server ends", || preview.has_ended());
}
