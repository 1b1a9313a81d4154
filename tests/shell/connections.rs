//! Connections are budgets: so many at once, of a client and of a protocol; those without a request are closed, and whoever
//! is too many is told so at once. So much may be asked for in a minute.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use quire_http::server::Limits;
use quire_settings::{Settings, SiteSettings};
use serde_json::Value;

use crate::support::client::{Connection, Reply};
use crate::support::daemon::{Daemon, send, settings};
use crate::support::folder::Folder;
use crate::support::http2::{GOAWAY, HEADERS, Http2, PING, SETTINGS};
use crate::support::preview::Preview;
use crate::support::wait_until;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start"]}}"##;

/// What GOAWAY says of a client that is too many (RFC 9113, 7): stream 0, ENHANCE_YOUR_CALM.
const TOO_MANY: [u8; 8] = [0, 0, 0, 0, 0, 0, 0, 0xb];

/// The first byte of the fields of a reply with the status 200.
const OK: u8 = 0x88;

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", "---\ntitle: Start\n---\n\nHow to make tea.\n"),
    ])
}

fn preview(site: &Folder, limits: Limits) -> Preview {
    Preview::start(site.path(), limits)
}

/// A connection from another address of this machine, which is another client: 127.0.0.`client`.
#[track_caller]
fn from(client: u8, to: SocketAddr) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, client));
        socket.bind(SocketAddr::new(address, 0))?;
        socket.connect(to).await?.into_std()
    });
    let stream = stream.expect("a connection");
    stream.set_nonblocking(false).expect("a mode");
    stream
}

/// Asks for `target` from 127.0.0.`client`; the connection stays open.
#[track_caller]
fn ask(client: u8, to: SocketAddr, target: &str) -> (Connection, u16) {
    let mut connection = Connection::of(from(client, to));
    let status = connection.get(target).status;
    (connection, status)
}

#[track_caller]
fn check_refused(reply: &Reply) {
    assert_eq!(reply.status, 503);
    assert_eq!(reply.header("retry-after"), Some("2"));
    assert_eq!(reply.header("connection"), Some("close"));
    let body: Value = serde_json::from_slice(&reply.body).expect("JSON");
    assert_eq!(body["error"]["code"], "too-many-connections");
}

#[test]
fn above_the_limit_a_connection_is_told_so_at_once() {
    let folder = site();
    for refusals in [4, 0] {
        let limits = Limits {
            connections: 2,
            refusals,
            ..Limits::default()
        };
        let preview = preview(&folder, limits);
        let (mut first, mut second) = (preview.connect(), preview.connect());
        assert_eq!(first.get("/start").status, 200);
        assert_eq!(second.get("/start").status, 200);
        for _ in 0..20 {
            // It need not ask for anything.
            let mut third = preview.connect();
            check_refused(&third.reply());
            assert!(third.is_closed_by_server());
        }
        // Nor is the reply lost of one that sends more than anybody reads.
        let mut third = preview.connect();
        third.send(format!(
            "POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n{}",
            "x".repeat(20_000)
        ));
        check_refused(&third.reply());
        assert_eq!(first.get("/start").status, 200);
        drop(second);
        wait_until("there is room", || preview.status("/start") == 200);
    }
}

#[test]
fn clients_over_the_limit_are_refused() {
    let folder = site();
    let limits = Limits {
        connections: 1,
        refusals: 40,
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    let mut first = preview.connect();
    assert_eq!(first.get("/start").status, 200);
    // More than wait to be looked at, and fewer than are kept until they leave.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let connect = || TcpStream::connect(preview.address).expect("a connection");
                let mut above: Vec<TcpStream> = (0..25).map(|_| connect()).collect();
                for connection in &mut above {
                    let request = b"GET /start HTTP/1.1\r\nHost: localhost\r\n\r\n";
                    connection.write_all(request).expect("a request");
                }
                for mut connection in above {
                    let mut reply = String::new();
                    // To its end, which is not a reset.
                    connection.read_to_string(&mut reply).expect("a reply");
                    assert!(reply.starts_with("HTTP/1.1 503 "), "{reply}");
                    assert!(reply.ends_with("retry later\"}}\n"), "{reply}");
                }
            });
        }
    });
    assert_eq!(first.get("/start").status, 200);
}

#[test]
fn a_client_has_so_many_connections() {
    let folder = site();
    let limits = Limits {
        connections: 64,
        client_connections: 3,
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    let mut held: Vec<_> = (0..3).map(|_| ask(2, preview.address, "/start")).collect();
    assert!(held.iter().all(|(_, status)| *status == 200));
    assert_eq!(ask(2, preview.address, "/start").1, 503);
    let other = ask(3, preview.address, "/start");
    assert_eq!(other.1, 200);
    // A proxy of this machine speaks for many.
    let proxy: Vec<_> = (0..20).map(|_| ask(1, preview.address, "/start")).collect();
    assert!(proxy.iter().all(|(_, status)| *status == 200));
    held.pop();
    wait_until("it has one less", || {
        ask(2, preview.address, "/start").1 == 200
    });
}

#[test]
fn clients_that_take_all_they_can_leave_some() {
    let folder = site();
    let limits = Limits {
        connections: 40,
        client_connections: 40,
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    let mut held = Vec::new();
    for client in 2..10 {
        for _ in 0..10 {
            held.push(from(client, preview.address));
        }
    }
    assert_eq!(ask(200, preview.address, "/start").1, 200);
}

#[test]
fn http_2_has_limits_of_its_own() {
    let folder = site();
    let limits = Limits {
        http2_connections: 8,
        client_http2_connections: 1,
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    let mut first = Http2::on(from(2, preview.address), &[]);
    first.get(1, "/start");
    assert_eq!(first.status(1), OK);
    let mut second = Http2::on(from(2, preview.address), &[]);
    second.get(1, "/start");
    assert_eq!(second.frame().expect("a frame").kind, SETTINGS);
    let goaway = second.next(GOAWAY).expect("a frame");
    assert_eq!(goaway.payload, TOO_MANY);
    assert!(second.frame().is_none());
    let mut other = Http2::on(from(3, preview.address), &[]);
    other.get(1, "/start");
    assert_eq!(other.status(1), OK);
    assert_eq!(ask(2, preview.address, "/start").1, 200);
    first.get(3, "/start");
    assert_eq!(first.status(3), OK);
}

#[test]
fn http_2_is_refused_in_its_own_words() {
    let folder = site();
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    let mut first = preview.connect();
    assert_eq!(first.get("/start").status, 200);
    let mut second = Http2::open(preview.address, &[]);
    let goaway = second.next(GOAWAY).expect("a frame");
    assert_eq!(goaway.payload, TOO_MANY);
    assert!(second.frame().is_none());
}

fn short(idle: u64) -> Limits {
    Limits {
        idle_time: Duration::from_millis(idle),
        header_time: Duration::from_secs(3600),
        ..Limits::default()
    }
}

#[test]
fn http_2_without_a_request_is_closed() {
    let folder = site();
    let preview = preview(&folder, short(200));
    let mut silent = Http2::open(preview.address, &[]);
    let mut used = Http2::open(preview.address, &[]);
    used.get(1, "/start");
    assert_eq!(used.status(1), OK);
    for connection in [&mut silent, &mut used] {
        assert!(connection.next(GOAWAY).is_some());
        while connection.frame().is_some() {}
    }
}

#[test]
fn pings_are_no_requests() {
    let folder = site();
    let preview = preview(&folder, short(200));
    let mut connection = Http2::open(preview.address, &[]);
    let mut was_told = false;
    connection.send(PING, 0, 0, &[7; 8]);
    // It answers and sends for as long as it can.
    while let Some(frame) = connection.frame() {
        was_told |= frame.kind == GOAWAY;
        match (frame.kind, frame.flags) {
            (PING, 0) => connection.send(PING, 1, 0, &frame.payload),
            (PING, _) => connection.send(PING, 0, 0, &[7; 8]),
            _ => {}
        }
    }
    assert!(was_told);
}

#[test]
fn http_1_without_a_request_is_closed() {
    let folder = site();
    let preview = preview(&folder, short(200));
    let mut connection = preview.connect();
    assert_eq!(connection.get("/start").status, 200);
    assert!(connection.is_closed_by_server());
    // One that has begun to ask is not idle for longer.
    let mut slow = preview.connect();
    slow.send("GET /start HTTP/1.1\r\n");
    assert!(
        slow.try_reply(false)
            .is_none_or(|reply| reply.status == 408)
    );
}

#[test]
fn replies_that_nobody_takes_are_cut_off_in_http_2_too() {
    let folder = site();
    folder.write("big.zip", vec![7_u8; 1 << 20]);
    let limits = Limits {
        write_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    // SETTINGS_INITIAL_WINDOW_SIZE: no byte of a reply may be sent.
    let mut greedy = Http2::open(preview.address, &[(4, 0)]);
    for n in 0..64 {
        greedy.get(2 * n + 1, "/big.zip");
    }
    assert_eq!(greedy.next(HEADERS).expect("a reply").payload[0], OK);
    assert_eq!(preview.status("/start"), 200);
    assert!(greedy.next(GOAWAY).is_some());
    while greedy.frame().is_some() {}
    // A client that takes all of it, part by part, is served to the end.
    let mut patient = Http2::open(preview.address, &[]);
    patient.get(1, "/big.zip");
    let mut length = 0;
    while let Some(frame) = patient.frame() {
        if frame.kind == crate::support::http2::DATA {
            length += frame.payload.len();
            let more = u32::try_from(frame.payload.len())
                .expect("short")
                .to_be_bytes();
            if more != [0; 4] {
                patient.send(8, 0, 0, &more);
                patient.send(8, 0, 1, &more);
            }
            if frame.flags & 1 == 1 {
                break;
            }
        }
    }
    assert_eq!(length, 1 << 20);
}

#[test]
fn a_client_has_so_many_replies_that_it_does_not_read() {
    let folder = site();
    folder.write("big.zip", vec![7_u8; 1 << 20]);
    let limits = Limits {
        connections: 64,
        client_connections: 2,
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    // Twice as many as connections, on however many of these.
    let mut greedy = Http2::on(from(2, preview.address), &[(4, 0)]);
    for id in [1, 3, 5, 7] {
        greedy.get(id, "/big.zip");
        assert_eq!(greedy.status(id), OK, "{id}");
    }
    greedy.get(9, "/big.zip");
    let refused = greedy.next(HEADERS).expect("a reply");
    assert_eq!(refused.id, 9);
    assert_ne!(refused.payload[0], OK);
    // It ends with its fields, which need no leave to be sent: nothing of it is kept.
    assert_eq!(refused.flags & 1, 1);
    greedy.get(11, "/_quire/livez");
    assert_eq!(greedy.status(11), OK);
    assert_eq!(ask(2, preview.address, "/start").1, 503);
    assert_eq!(ask(3, preview.address, "/start").1, 200);
    drop(greedy);
    wait_until("they are given back", || {
        ask(2, preview.address, "/start").1 == 200
    });
}

/// Bytes of replies in memory, as the process says.
fn held_bytes(preview: &Preview) -> usize {
    let metrics = send(
        preview.admin,
        "GET",
        "localhost",
        "/_quire/metrics",
        &[],
        "",
    );
    let text = metrics.text();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("quire_http_reply_bytes "));
    line.expect("a line").parse().expect("a number")
}

#[test]
fn a_text_of_the_whole_site_is_in_memory_once_however_many_take_it() {
    let folder = site();
    folder.write(
        "start.mdx",
        format!(
            "---\ntitle: Start\n---\n\n{}",
            "How to make tea.\n\n".repeat(20_000)
        ),
    );
    let preview = Preview::of(&folder);
    let length = preview.page("/llms-full.txt").len();
    assert!(length > 300_000, "{length}");
    wait_until("nothing is held", || held_bytes(&preview) == 0);
    // No byte of a reply may be sent.
    let mut greedy: Vec<Http2> = (2..6)
        .map(|client| Http2::on(from(client, preview.address), &[(4, 0)]))
        .collect();
    for id in [1, 3, 5, 7, 9] {
        for client in &mut greedy {
            client.get(id, "/llms-full.txt");
        }
    }
    for client in &mut greedy {
        for _ in 0..5 {
            let reply = client.next(HEADERS).expect("a reply");
            assert_eq!(reply.payload[0], OK, "{}", reply.id);
        }
    }
    let held = held_bytes(&preview);
    // Addresses in it may be longer.
    assert!(
        (length / 2..2 * length).contains(&held),
        "{held} of {length}"
    );
    assert_eq!(preview.page("/llms-full.txt").len(), length);
    drop(greedy);
    wait_until("it is let go of", || held_bytes(&preview) == 0);
}

#[test]
fn how_the_process_is_can_be_asked_when_nothing_else_can() {
    let folder = site();
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    let mut first = preview.connect();
    assert_eq!(first.get("/start").status, 200);
    for _ in 0..50 {
        for target in ["/_quire/livez", "/_quire/healthz", "/_quire/readyz"] {
            let mut connection = preview.connect();
            let reply = connection.get(target);
            assert_eq!(reply.status, 200, "{target}");
            assert!(connection.is_closed_by_server());
        }
        check_refused(&preview.get("/start"));
        check_refused(&preview.get("/_quire/livezz"));
    }
    let admin = send(preview.admin, "GET", "localhost", "/_quire/status", &[], "");
    assert_eq!(admin.status, 200);
}

/// Opens the stream of the page `/start` as 127.0.0.`client`.
fn stream(client: u8, preview: &Preview) -> (Connection, u16, Option<String>) {
    let page = preview.page("/start");
    let (_, after) = page.split_once("/_quire/events?").expect("an address");
    let (query, _) = after.split_once("&quot;").expect("its end");
    let target = format!("/_quire/events?{}", query.replace("&amp;", "&"));
    let mut connection = Connection::of(from(client, preview.address));
    connection.request("GET", &target, &[]);
    let (status, headers) = connection.try_head().expect("a reply");
    let mut wait = headers
        .into_iter()
        .filter(|(name, _)| name == "retry-after");
    let wait = wait.next().map(|(_, wait)| wait);
    (connection, status, wait)
}

#[test]
fn open_pages_have_a_budget_of_their_own() {
    let folder = site();
    let limits = Limits {
        event_streams: 4,
        client_event_streams: 1,
        idle_time: Duration::from_millis(100),
        ..Limits::default()
    };
    let preview = preview(&folder, limits);
    let mut held = vec![stream(2, &preview)];
    assert_eq!(held[0].1, 200);
    let (_, status, wait) = stream(2, &preview);
    assert_eq!((status, wait.as_deref()), (503, Some("10")));
    // All of them together.
    held.extend((0..3).map(|_| stream(1, &preview)));
    assert!(held.iter().all(|(_, status, _)| *status == 200));
    let (_, status, wait) = stream(1, &preview);
    assert_eq!((status, wait.as_deref()), (503, Some("10")));
    assert_eq!(preview.status("/start"), 200);
    // They are no idle connections: one that is, and began later, is closed, and they go on.
    let mut idle = preview.connect();
    assert_eq!(idle.get("/start").status, 200);
    assert!(idle.is_closed_by_server());
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nOther words.\n");
    for (connection, ..) in &mut held {
        let chunk = connection.chunk().expect("the stream goes on");
        assert!(chunk.starts_with(b"event: "), "{chunk:?}");
    }
    held.clear();
    wait_until("one is given back", || stream(2, &preview).1 == 200);
}

fn daemon(site: &Folder, state: &Folder, change: impl FnOnce(&mut Settings)) -> Daemon {
    let mut settings = settings(
        state.path(),
        &[
            ("docs", SiteSettings::of_folder(site.path())),
            ("other", SiteSettings::of_folder(site.path())),
        ],
    );
    change(&mut settings);
    Daemon::start(settings)
}

/// Searches `site` in the name of `client`.
fn search(daemon: &Daemon, site: &str, client: &str) -> Reply {
    let headers = [
        ("Content-Type", "application/json"),
        ("X-Forwarded-For", client),
    ];
    let target = format!("/api/sites/{site}/search");
    let host = format!("{site}.localhost");
    daemon.send("POST", &host, &target, &headers, r#"{"query":"tea"}"#)
}

#[track_caller]
fn check_limited(reply: &Reply, code: &str) {
    assert_eq!(reply.status, 429, "{}", reply.text());
    let body: Value = serde_json::from_slice(&reply.body).expect("JSON");
    assert_eq!(body["error"]["code"], code);
    let wait = reply
        .header("retry-after")
        .and_then(|wait| wait.parse().ok());
    assert!(
        wait.is_some_and(|wait: u64| (1..=60).contains(&wait)),
        "{wait:?}"
    );
}

#[test]
fn clients_and_sites_search_so_often() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state, |settings| {
        settings.listen.proxies = vec!["127.0.0.1".to_owned()];
        settings.rates.client_searches = 2;
        settings.rates.site_searches = 3;
    });
    let first = search(&daemon, "docs", "198.51.100.9, 192.0.2.1");
    assert_eq!(first.status, 200);
    let policy = "\"client\";q=2;w=60, \"site\";q=3;w=60";
    assert_eq!(first.header("ratelimit-policy"), Some(policy));
    let left = first.header("ratelimit").expect("what is left");
    assert!(left.starts_with("\"client\";r=1;t="), "{left}");
    assert_eq!(search(&daemon, "docs", "192.0.2.1").status, 200);
    // What a visitor says of itself does not count.
    let third = search(&daemon, "docs", "203.0.113.1, 192.0.2.1");
    check_limited(&third, "too-many-requests");
    assert_eq!(third.header("ratelimit-policy"), Some(policy));
    assert_eq!(third.header("access-control-allow-origin"), Some("*"));
    assert_eq!(search(&daemon, "docs", "192.0.2.2").status, 200);
    check_limited(&search(&daemon, "docs", "192.0.2.2"), "site-busy");
    assert_eq!(search(&daemon, "other", "192.0.2.3").status, 200);
    assert_eq!(daemon.get("docs.localhost", "/start").status, 200);
}

#[test]
fn forwarded_headers_are_ignored_from_untrusted_peers() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state, |settings| {
        settings.rates.client_searches = 2;
        settings.rates.site_searches = 4;
    });
    // Many visitors may have the address of this machine: no limit of one client is theirs, and that of the site is.
    let statuses: Vec<u16> = (0..5)
        .map(|n| search(&daemon, "docs", &format!("192.0.2.{n}")).status)
        .collect();
    assert_eq!(statuses, [200, 200, 200, 200, 429]);
    // A client that names another each time is one client.
    let mut statuses = Vec::new();
    for n in 0..3 {
        let mut connection = Connection::of(from(2, daemon.address));
        connection.send(format!(
            "POST /api/sites/other/search HTTP/1.1\r\nHost: other.localhost\r\nX-Forwarded-For: 192.0.2.{n}\r\n\
             Content-Length: 15\r\n\r\n{{\"query\":\"tea\"}}"
        ));
        statuses.push(connection.reply().status);
    }
    assert_eq!(statuses, [200, 200, 429]);
}

#[test]
fn how_a_site_is_reached_is_believed_of_proxies_that_are_listed() {
    let site = site();
    for (proxies, scheme) in [
        (&["127.0.0.1"][..], "https"),
        (&["10.0.0.0/8", "127.0.0.3"], "http"),
        (&[], "http"),
    ] {
        let state = Folder::new(&[]);
        let daemon = daemon(&site, &state, |settings| {
            settings.listen.proxies = proxies.iter().map(|name| (*name).to_owned()).collect();
            let docs = settings.sites.get_mut("docs").expect("a site");
            docs.domains = vec!["docs.example.org".to_owned()];
            let other = settings.sites.get_mut("other").expect("a site");
            other.base_url = Some("https://other.example.org".to_owned());
        });
        let asked = |client: u8, host: &str, said: &str| {
            let mut connection = Connection::of(from(client, daemon.address));
            connection.send(format!(
                "GET /llms.txt HTTP/1.1\r\nHost: {host}\r\n{said}\r\n"
            ));
            let text = connection.reply().text();
            let (_, address) = text.split_once("](").expect("a link");
            let (address, _) = address.split_once(')').expect("its end");
            address.to_owned()
        };
        let (own, https) = ("docs.example.org", "X-Forwarded-Proto: https\r\n");
        let expected = format!("{scheme}://docs.example.org/start.md");
        assert_eq!(asked(1, own, https), expected, "{proxies:?}");
        // A visitor is no proxy, and a proxy may say nothing.
        let plain = "http://docs.example.org/start.md";
        assert_eq!(asked(2, own, https), plain, "{proxies:?}");
        for said in ["", "X-Forwarded-Proto: http\r\n"] {
            assert_eq!(asked(1, own, said), plain, "{proxies:?}");
        }
        // What the operator calls the site needs no proxy that says anything.
        for said in ["", https] {
            let address = asked(1, "other.localhost", said);
            assert_eq!(address, "https://other.example.org/start.md", "{proxies:?}");
        }
    }
}

#[test]
fn the_assistant_is_asked_so_often() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state, |settings| {
        settings.listen.proxies = vec!["127.0.0.1".to_owned()];
        settings.rates.client_questions = 2;
        let docs = settings.sites.get_mut("docs").expect("a site");
        docs.assistant.chat_completions = true;
    });
    let ask = |target: &str, client: &str| {
        let headers = [
            ("Content-Type", "application/json"),
            ("X-Forwarded-For", client),
        ];
        let body = r#"{"messages":[{"role":"user","content":"How do I make tea?"}]}"#;
        daemon.send("POST", "docs.localhost", target, &headers, body)
    };
    let (own, openai) = ("/api/sites/docs/assistant", "/v1/chat/completions");
    assert_eq!(ask(own, "192.0.2.1").status, 200);
    assert_eq!(ask(openai, "192.0.2.1").status, 200);
    check_limited(&ask(own, "192.0.2.1"), "too-many-requests");
    check_limited(&ask(openai, "192.0.2.1"), "too-many-requests");
    assert_eq!(ask(own, "192.0.2.2").status, 200);
}

#[test]
fn deployments_are_asked_for_so_often() {
    let (site, state) = (site(), Folder::new(&[]));
    state.write("token", "secret");
    let daemon = daemon(&site, &state, |settings| {
        settings.listen.proxies = vec!["127.0.0.1".to_owned()];
        settings.rates.client_deployments = 3;
        settings.rates.site_deployments = 2;
        let docs = settings.sites.get_mut("docs").expect("a site");
        docs.token_file = Some(state.at("token"));
    });
    let deploy = |client: &str, token: &str| {
        let token = format!("Bearer {token}");
        let headers = [("Authorization", &token[..]), ("X-Forwarded-For", client)];
        let target = "/api/sites/docs/deployments";
        daemon.send("POST", "docs.localhost", target, &headers, "")
    };
    // Tokens are tried so often, and that takes nothing from those who have one.
    for _ in 0..3 {
        assert_eq!(deploy("192.0.2.1", "guess").status, 401);
    }
    check_limited(&deploy("192.0.2.1", "guess"), "too-many-requests");
    check_limited(&deploy("192.0.2.1", "secret"), "too-many-requests");
    assert_eq!(deploy("192.0.2.2", "secret").status, 202);
    assert_eq!(deploy("192.0.2.3", "secret").status, 202);
    check_limited(&deploy("192.0.2.4", "secret"), "site-busy");
    // Administrators are not counted.
    for _ in 0..5 {
        let headers = [("Authorization", "Bearer secret")];
        let reply = daemon.manage(
            "POST",
            "localhost",
            "/api/sites/docs/deployments",
            &headers,
            "",
        );
        assert_eq!(reply.status, 202);
    }
}
