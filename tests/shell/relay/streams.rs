//! Answers that come in parts: handed on as they come, held back by slow readers, ended by both
//! sides.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};

use quire_net::relay::Limits;
use serde_json::json;

use super::support::{Api, Playground, answer, parts, request, settings, site};
use crate::support::client::Connection;
use crate::support::folder::Folder;
use crate::support::process::Process;
use crate::support::{PATIENCE, wait_until};

const EVENTS: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// An API that says one event each time it is told to, and tells when its client has gone.
fn speaking() -> (Api, Sender<String>, Receiver<()>) {
    let (say, said) = channel::<String>();
    let (gone, is_gone) = channel();
    let said = Mutex::new(said);
    let api = Api::start(move |_, stream| {
        let _ = stream.write_all(EVENTS.as_bytes());
        let said = said.lock().expect("nobody panics");
        while let Ok(event) = said.recv() {
            if event.is_empty() {
                // Until the client goes.
                let _ = stream.read(&mut [0]);
                let _ = gone.send(());
                return;
            }
            let _ = stream.write_all(event.as_bytes());
        }
    });
    (api, say, is_gone)
}

/// Reads parts until they hold `text`.
#[track_caller]
fn read_until(connection: &mut crate::support::client::Connection, text: &str) -> String {
    let mut read = String::new();
    while !read.contains(text) {
        let part = connection.chunk().expect("it goes on");
        read += &String::from_utf8(part).expect("UTF-8");
    }
    read
}

#[test]
fn events_arrive_one_by_one() {
    let (api, say, _) = speaking();
    let playground = Playground::of(&api);
    let mut connection = playground.open(&json!({ "method": "GET", "url": api.url("/") }), b"");
    assert_eq!(connection.try_head().expect("a head").0, 200);
    // The head is there before the first event is.
    assert!(read_until(&mut connection, "\n").contains("\"text/event-stream\""));
    for n in 0..50 {
        let event = format!("data: {n}\n\n");
        say.send(event.clone()).expect("it listens");
        // The next one is said only when this one has come: nobody waits for more.
        assert_eq!(read_until(&mut connection, &event), event);
    }
    drop(say);
    assert_eq!(connection.chunk(), None);
    wait_until("it is counted", || playground.ended("answered") == 1);
    assert_eq!(playground.relay.in_flight(), 0);
}

#[test]
fn a_reader_who_goes_ends_the_request_to_the_api() {
    let (api, say, is_gone) = speaking();
    let playground = Playground::of(&api);
    let mut connection = playground.open(&json!({ "method": "GET", "url": api.url("/") }), b"");
    connection.try_head().expect("a head");
    say.send("data: 1\n\n".to_owned()).expect("it listens");
    read_until(&mut connection, "data: 1\n\n");
    say.send(String::new()).expect("it listens");
    assert_eq!(playground.relay.in_flight(), 1);
    drop(connection);
    is_gone.recv_timeout(PATIENCE).expect("the API is told");
    wait_until("it is counted", || playground.ended("cancelled") == 1);
    assert_eq!(playground.relay.in_flight(), 0);
}

#[test]
fn a_reader_who_goes_before_the_answer_ends_it_too() {
    let (came, has_come) = channel();
    let (gone, is_gone) = channel();
    let api = Api::start(move |_, stream| {
        let _ = came.send(());
        let _ = stream.read(&mut [0]);
        let _ = gone.send(());
    });
    let playground = Playground::of(&api);
    let connection = playground.open(&json!({ "method": "POST", "url": api.url("/") }), b"body");
    has_come.recv_timeout(PATIENCE).expect("the API is asked");
    drop(connection);
    is_gone.recv_timeout(PATIENCE).expect("the API is told");
    wait_until("it is counted", || playground.ended("cancelled") == 1);
    assert_eq!(playground.relay.in_flight(), 0);
}

/// The body of an answer without a proper end, and what is said of that.
fn ending(came: &str) -> (&str, &str) {
    let (line, body) = came.split_once('\n').expect("a line");
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let mark = line["mark"].as_str().expect("a mark");
    assert!(mark.starts_with('\0') && mark.len() == 17, "{mark:?}");
    body.split_once(mark).expect("the mark")
}

#[test]
fn an_answer_that_breaks_off_is_broken_off() {
    for reply in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\nbanana\r\n",
    ] {
        let api = Api::saying(reply);
        let playground = Playground::of(&api);
        let mut connection = playground.open(&json!({ "method": "GET", "url": api.url("/") }), b"");
        let (_, headers) = connection.try_head().expect("a head");
        assert!(headers.contains(&("transfer-encoding".to_owned(), "chunked".to_owned())));
        // What came is there, and behind it that it is not whole.
        let came = read_until(&mut connection, "broken");
        assert_eq!(ending(&came), ("only this", "broken"), "{reply}");
        wait_until("it is counted", || playground.ended("broken") == 1);
    }
}

#[test]
fn a_stop_breaks_off_what_goes_on() {
    let (api, say, is_gone) = speaking();
    let mut playground = Playground::of(&api);
    let mut connection = playground.open(&json!({ "method": "GET", "url": api.url("/") }), b"");
    connection.try_head().expect("a head");
    say.send("data: 1\n\n".to_owned()).expect("it listens");
    read_until(&mut connection, "data: 1\n\n");
    say.send(String::new()).expect("it listens");
    playground.preview.ask_to_stop();
    assert!(connection.is_closed_by_server());
    is_gone.recv_timeout(PATIENCE).expect("the API is told");
    wait_until("it ends", || playground.preview.has_ended());
}

#[test]
fn a_stop_ends_what_was_not_answered() {
    let (came, has_come) = channel();
    let api = Api::start(move |_, stream| {
        let _ = came.send(());
        let _ = stream.read(&mut [0]);
    });
    let mut playground = Playground::of(&api);
    let mut connection = playground.open(&json!({ "method": "GET", "url": api.url("/") }), b"");
    has_come.recv_timeout(PATIENCE).expect("the API is asked");
    playground.preview.ask_to_stop();
    assert_eq!(super::support::code(&connection.reply()), "stopping");
    wait_until("it ends", || playground.preview.has_ended());
}

/// How much of an answer each of the streams has.
const LENGTH: usize = 16 << 20;

fn flood(stream: &mut TcpStream, written: &AtomicUsize) {
    static PART: OnceLock<Vec<u8>> = OnceLock::new();
    let part = PART.get_or_init(|| vec![b'x'; 64 << 10]);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n");
    if stream.write_all(head.as_bytes()).is_err() {
        return;
    }
    for _ in 0..LENGTH / part.len() {
        if stream.write_all(part).is_err() {
            return;
        }
        written.fetch_add(part.len(), Ordering::Relaxed);
    }
}

/// A daemon of its own: what it holds is not mixed with what other tests do.
#[test]
fn two_hundred_answers_at_once_are_held_back_and_not_held() {
    const STREAMS: usize = 200;
    let written = Arc::new(AtomicUsize::new(0));
    let counted = written.clone();
    let api = Api::start(move |_, stream| flood(stream, &counted));
    let (folder, state) = (site(&[]), Folder::new(&[]));
    let config = format!(
        "state = \"state\"\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n[relay]\nallow = [\"{}\"]\n\
         requests_per_minute = 1000000\nsite_requests_per_minute = 1000000\nclient_requests = 1000\nrequests = 1000\n\
         [sites.docs]\nroot = {:?}\nwatch = false\n",
        api.origin(),
        folder.path()
    );
    state.write("quire.toml", config);
    let mut daemon = Process::start(&state);
    let (address, admin, pid) = (daemon.address, daemon.admin(), daemon.child.id());
    let host = format!("docs.localhost:{}", address.port());
    let line = json!({ "method": "GET", "url": api.url("/") });
    let open = || {
        let mut connection = Connection::open(address);
        connection.send(request(&host, &line, b""));
        connection
    };
    let in_flight = || {
        let mut connection = Connection::open(admin);
        connection.request("GET", "/_quire/metrics", &[]);
        let metrics = connection.reply().text();
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("quire_relay_in_flight "));
        let count = line.and_then(|count| count.trim().parse::<usize>().ok());
        count.unwrap_or_else(|| panic!("{metrics}"))
    };
    // What is loaded once is loaded before.
    drop(open().try_head());
    wait_until("the first has ended", || in_flight() == 0);
    written.store(0, Ordering::Relaxed);
    let before = resident_bytes_of(pid);
    let mut connections: Vec<_> = (0..STREAMS).map(|_| open()).collect();
    for connection in &mut connections {
        assert_eq!(connection.try_head().expect("a head").0, 200);
    }
    assert_eq!(in_flight(), STREAMS);
    // Until nothing moves any more: every stream is stopped by a reader who takes nothing.
    let mut last = usize::MAX;
    let mut still = 0;
    wait_until("the streams are held back", || {
        let now = written.load(Ordering::Relaxed);
        still = if now == last { still + 1 } else { 0 };
        last = now;
        still > 100
    });
    let all = STREAMS * LENGTH;
    assert!(last < all, "all {all} bytes are somewhere");
    let grown = resident_bytes_of(pid).saturating_sub(before);
    // Of each the last that was read of a fast API, and what is on its way to the reader.
    let most = STREAMS * (2 << 20);
    assert!(grown < most, "{grown} bytes for {STREAMS} streams");
    // One of them is read to its end: what was held back comes, and nothing of it is lost.
    let mut first = connections.swap_remove(0);
    drop(connections);
    let mut count = 0;
    while let Some(part) = first.chunk() {
        if part.first() != Some(&b'{') {
            count += part.len();
        }
    }
    assert_eq!(count, LENGTH);
    drop(first);
    wait_until("the others are let go of", || in_flight() == 0);
    assert!(daemon.stop().success());
}

/// The memory of the process `pid` that is in RAM, in bytes.
fn resident_bytes_of(pid: u32) -> usize {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).expect("it runs");
    let pages = statm.split_whitespace().nth(1).expect("a number of pages");
    pages.parse::<usize>().expect("a number") * 4096
}

#[test]
fn an_answer_may_be_so_long_and_no_longer() {
    let limits = Limits {
        response: 1 << 20,
        ..Limits::default()
    };
    for (length, is_whole) in [
        ((1 << 20) - 1, true),
        (1 << 20, true),
        ((1 << 20) + 1, false),
        (5 << 20, false),
    ] {
        let api = Api::saying(answer("200 OK", "", &"x".repeat(length)));
        let playground = Playground::with(settings(&[api.origin()]), limits);
        let mut connection = playground.open(&json!({ "method": "GET", "url": api.url("/") }), b"");
        connection.try_head().expect("a head");
        let line = connection.chunk().expect("a line");
        assert_eq!(parts(&line).0["limit"], 1 << 20);
        let mark = parts(&line).0["mark"].as_str().expect("a mark").to_owned();
        let mut body = parts(&line).1.to_vec();
        while let Some(chunk) = connection.chunk() {
            body.extend(chunk);
        }
        let ending = format!("{mark}too-large");
        match body.strip_suffix(ending.as_bytes()) {
            Some(rest) => assert_eq!((rest.len(), is_whole), (1 << 20, false)),
            None => assert_eq!((body.len(), is_whole), (length, true)),
        }
        let outcome = if is_whole { "answered" } else { "broken" };
        wait_until("it is counted", || playground.ended(outcome) == 1);
    }
}
