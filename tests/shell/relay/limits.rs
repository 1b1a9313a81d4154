//! What a request may cost: how long it may be, how long it may take, how many there may be.

use std::io::{Read, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use quire_net::relay::Limits;
use quire_settings::RelaySettings;
use serde_json::json;

use super::support::{Api, Playground, answer, code, parts, request, settings, unsized_request};
use crate::support::{PATIENCE, wait_until};

/// Limits of time that a test waits for.
fn quick() -> Limits {
    Limits {
        head_time: Duration::from_millis(300),
        ..Limits::default()
    }
}

#[test]
fn a_body_may_be_so_long_and_no_longer() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let limits = Limits {
        request: 1 << 20,
        ..Limits::default()
    };
    let playground = Playground::with(settings(&[api.origin()]), limits);
    let line = json!({ "method": "POST", "url": api.url("/") });
    let body = vec![b'x'; (1 << 20) + 1];
    let reply = playground.send(&line, &body[1..]);
    assert_eq!(parts(&reply.body).1, b"ok");
    assert_eq!(api.take_seen()[0].body.len(), 1 << 20);
    // What says that it is longer is not sent on at all.
    for length in [(1 << 20) + 1, 2 << 20, 20 << 20] {
        let reply = playground.send(&line, &vec![b'x'; length]);
        assert_eq!((reply.status, &*code(&reply)), (413, "body-too-large"));
    }
    assert!(api.take_seen().is_empty());
    // What only turns out to be is not sent to its end.
    let whole = request(&playground.host(), &line, &body);
    let whole = unsized_request(&whole);
    let mut connection = playground.preview.connect();
    connection.send(whole);
    let reply = connection.reply();
    assert_eq!((reply.status, &*code(&reply)), (413, "body-too-large"));
    wait_until("the API has seen it", || {
        !api.seen.lock().unwrap().is_empty()
    });
    let seen = api.take_seen();
    assert!(seen.iter().all(|seen| !seen.is_whole), "{}", seen.len());
    assert_eq!(playground.ended("body-too-large"), 4);
    assert_eq!(playground.relay.in_flight(), 0);
}

#[test]
fn a_small_limit_holds_for_what_is_kept_too() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let limits = Limits {
        request: 1000,
        ..Limits::default()
    };
    let playground = Playground::with(settings(&[api.origin()]), limits);
    let line = json!({ "method": "POST", "url": api.url("/") });
    let reply = playground.send(&line, &[b'x'; 1001]);
    assert_eq!(code(&reply), "body-too-large");
    assert!(api.take_seen().is_empty());
}

#[test]
fn an_api_that_says_nothing_is_given_up() {
    let (gone, is_gone) = channel();
    let api = Api::start(move |_, stream| {
        let _ = stream.read(&mut [0]);
        let _ = gone.send(());
    });
    let playground = Playground::with(settings(&[api.origin()]), quick());
    let reply = playground.get(&api.url("/"));
    assert_eq!((reply.status, &*code(&reply)), (504, "relay-timeout"));
    is_gone
        .recv_timeout(PATIENCE)
        .expect("the connection is closed");
    assert_eq!(playground.ended("relay-timeout"), 1);
}

#[test]
fn an_api_that_drips_its_head_is_given_up() {
    let api = Api::start(|_, stream| {
        // Whatever it says, it never comes to the end of its head.
        for n in 0_u64.. {
            let field = format!("X-{n}: y\r\n");
            let text = if n == 0 {
                "HTTP/1.1 200 OK\r\n"
            } else {
                &field
            };
            std::thread::park_timeout(Duration::from_millis(20));
            if stream.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    });
    let playground = Playground::with(settings(&[api.origin()]), quick());
    let reply = playground.get(&api.url("/"));
    assert!(
        ["relay-timeout", "relay-unreachable"].contains(&&*code(&reply)),
        "{}",
        reply.text()
    );
}

#[test]
fn an_answer_that_stops_or_never_ends_is_broken_off() {
    let silent = Api::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
        let _ = stream.read(&mut [0]);
    });
    let endless = Api::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            std::thread::park_timeout(Duration::from_millis(10));
        }
    });
    let limits = Limits {
        idle_time: Duration::from_millis(300),
        time: Duration::from_millis(500),
        ..Limits::default()
    };
    for api in [silent, endless] {
        let playground = Playground::with(settings(&[api.origin()]), limits);
        let mut connection = playground.open(&json!({ "method": "GET", "url": api.url("/") }), b"");
        let reply = connection.reply();
        let (line, body) = parts(&reply.body);
        let ending = format!("{}too-slow", line["mark"].as_str().expect("a mark"));
        let came = body.strip_suffix(ending.as_bytes()).expect("why it ends");
        assert!(came.len() > 2, "{came:?}");
        wait_until("it is counted", || playground.ended("broken") == 1);
        assert_eq!(playground.relay.in_flight(), 0);
    }
}

#[test]
fn events_may_go_on_for_longer() {
    let api = Api::start(|_, stream| {
        let _ = stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\n",
        );
        for n in 0..40 {
            let _ = stream.write_all(format!("data: {n}\n\n").as_bytes());
            std::thread::park_timeout(Duration::from_millis(10));
        }
    });
    let limits = Limits {
        time: Duration::ZERO,
        ..Limits::default()
    };
    let playground = Playground::with(settings(&[api.origin()]), limits);
    let reply = playground.get(&api.url("/"));
    assert!(reply.text().ends_with("data: 39\n\n"), "{}", reply.text());
}

#[test]
fn a_sender_who_never_ends_is_refused() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let playground = Playground::with(settings(&[api.origin()]), quick());
    let line = json!({ "method": "POST", "url": api.url("/") });
    let whole = request(&playground.host(), &line, b"body");
    for end in [whole.len() - 1, whole.len() - 6] {
        let mut connection = playground.preview.connect();
        connection.send(&whole[..end]);
        let reply = connection.reply();
        assert_eq!((reply.status, &*code(&reply)), (408, "relay-timeout"));
    }
    // One whose body is sent on already: the API cannot answer in time.
    let mut connection = playground.preview.connect();
    let whole = request(&playground.host(), &line, &vec![b'x'; 1 << 20]);
    connection.send(&whole[..whole.len() - 1]);
    assert_eq!(code(&connection.reply()), "relay-timeout");
    assert_eq!(playground.relay.in_flight(), 0);
}

#[test]
fn a_client_has_so_many_at_once_and_so_many_a_minute() {
    let api = Api::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        let _ = stream.read(&mut [0]);
    });
    let settings = RelaySettings {
        allow: vec![api.origin()],
        requests_per_minute: 8,
        ..RelaySettings::default()
    };
    let playground = Playground::with(settings, Limits::default());
    let line = json!({ "method": "GET", "url": api.url("/") });
    let mut open: Vec<_> = (0..6).map(|_| playground.open(&line, b"")).collect();
    for connection in &mut open {
        assert_eq!(connection.try_head().expect("a head").0, 200);
    }
    let refused = |expected: u64| {
        let reply = playground.send(&line, b"");
        assert_eq!((reply.status, &*code(&reply)), (429, "relay-limit"));
        let wait: u64 = reply
            .header("retry-after")
            .expect("a time")
            .parse()
            .expect("a number");
        assert!((1..=expected).contains(&wait), "{wait}");
    };
    refused(1);
    // Who ends one may begin another.
    drop(open.pop());
    wait_until("it has ended", || playground.relay.in_flight() == 5);
    open.push(playground.open(&line, b""));
    assert_eq!(open[5].try_head().expect("a head").0, 200);
    open.clear();
    wait_until("they have ended", || playground.relay.in_flight() == 0);
    let mut last = playground.open(&line, b"");
    assert_eq!(last.try_head().expect("a head").0, 200);
    // Eight in a minute, and no ninth.
    refused(8);
    assert_eq!(playground.ended("relay-limit"), 2);
}

#[test]
fn all_clients_together_have_so_many_at_once() {
    let api = Api::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        let _ = stream.read(&mut [0]);
    });
    let settings = RelaySettings {
        requests: 3,
        ..settings(&[api.origin()])
    };
    let playground = Playground::with(settings, Limits::default());
    let line = json!({ "method": "GET", "url": api.url("/") });
    let mut open: Vec<_> = (0..3).map(|_| playground.open(&line, b"")).collect();
    for connection in &mut open {
        assert_eq!(connection.try_head().expect("a head").0, 200);
    }
    let reply = playground.send(&line, b"");
    assert_eq!(code(&reply), "relay-limit");
    assert_eq!(reply.header("retry-after"), Some("1"));
    open.clear();
    wait_until("they have ended", || playground.relay.in_flight() == 0);
}
