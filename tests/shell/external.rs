//! `quire check --external`: links to other sites, asked of a server of the test.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::support::folder::Folder;
use crate::support::program::{quire, shown};

/// A server that answers by the path: `/404` with that status, `/get/200` with it to GET alone.
struct Server {
    origin: String,
    /// The first lines of the requests.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = seen.clone();
        // It ends with the process of the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = BufReader::new(stream);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if stream.read_line(&mut head).unwrap_or(0) == 0 {
                        break;
                    }
                }
                let line = head.lines().next().unwrap_or_default().to_owned();
                let mut words = line.split(' ');
                let (method, path) = (words.next().unwrap_or_default(), words.next());
                let path = path.unwrap_or_default();
                let reply = match path.trim_start_matches('/').split_once('/') {
                    Some(("get", status)) if method == "GET" => format!("{status} A"),
                    Some(("get", _)) => "405 A".to_owned(),
                    Some(("to", next)) => format!("302 A\r\nLocation: /{next}"),
                    _ => format!("{} A", path.trim_start_matches('/')),
                };
                log.lock()
                    .expect("nobody panics")
                    .push(format!("{method} {path}"));
                let reply =
                    format!("HTTP/1.1 {reply}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                let _ = stream.get_mut().write_all(reply.as_bytes());
            }
        });
        Self {
            origin: format!("http://127.0.0.1:{port}"),
            seen,
        }
    }

    fn take(&self) -> Vec<String> {
        let mut seen = std::mem::take(&mut *self.seen.lock().expect("nobody panics"));
        seen.sort();
        seen
    }
}

/// A site whose page links to `links`.
fn site(links: &[String]) -> Folder {
    let links: String = links
        .iter()
        .map(|link| format!("[a]({link})\n\n"))
        .collect();
    Folder::new(&[
        (
            "docs/docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start"]}}"##,
        ),
        (
            "docs/start.mdx",
            &format!("---\ntitle: Start\n---\n\n{links}"),
        ),
    ])
}

#[track_caller]
fn check(arguments: &[&str], folder: &Folder, allowed: &str) -> (i32, String, String) {
    let output = quire()
        .args(["check", "docs", "--state", "state"])
        .args(arguments)
        .current_dir(folder.path())
        .env("QUIRE_FETCH_ALLOW", allowed)
        .output()
        .expect("it starts");
    shown(&output)
}

#[test]
fn links_that_are_gone_are_warnings_and_the_rest_is_not_certain() {
    let server = Server::start();
    let paths = [
        "/200",
        "/404",
        "/410",
        "/403",
        "/429",
        "/503",
        "/get/200",
        "/get/404",
        "/to/200",
        "/to/to/404",
        "/200#a",
    ];
    let links: Vec<String> = paths
        .iter()
        .map(|path| format!("{}{path}", server.origin))
        .collect();
    let folder = site(&links);
    let (code, out, err) = check(&["--external", "--verbose"], &folder, &server.origin);
    assert_eq!(code, 0, "{out}{err}");
    for (path, code) in [
        ("/404", "warning[dead-link]"),
        ("/410", "warning[dead-link]"),
        ("/get/404", "warning[dead-link]"),
        ("/to/to/404", "warning[dead-link]"),
        ("/403", "info[uncertain-link]"),
        ("/429", "info[uncertain-link]"),
        ("/503", "info[uncertain-link]"),
    ] {
        assert!(
            out.contains(&format!("{code}: `{}{path}`", server.origin)),
            "{path}: {out}"
        );
    }
    assert!(
        out.ends_with("1 page: 0 errors, 4 warnings, 3 remarks\n"),
        "{out}"
    );
    let seen = server.take();
    let count = |line: &str| seen.iter().filter(|seen| *seen == line).count();
    // What differs after `#` is one address; what HEAD says of a fault is asked by GET.
    assert_eq!(
        (count("HEAD /get/200"), count("GET /get/200")),
        (1, 1),
        "{seen:?}"
    );
    assert_eq!((count("HEAD /404"), count("GET /404")), (2, 2), "{seen:?}");
    assert_eq!(count("GET /200"), 0, "{seen:?}");

    // Certain answers are believed for a day.
    let (_, again, _) = check(&["--external", "--verbose"], &folder, &server.origin);
    assert_eq!(again, out);
    let seen = server.take();
    let is_uncertain = |line: &String| {
        ["/403", "/429", "/503"]
            .iter()
            .any(|path| line.ends_with(path))
    };
    assert!(
        !seen.is_empty() && seen.iter().all(is_uncertain),
        "{seen:?}"
    );
}

#[test]
fn nothing_is_asked_without_the_flag_nor_where_the_network_may_not_lead() {
    let server = Server::start();
    let folder = site(&[format!("{}/404", server.origin)]);
    let clean = "1 page: 0 errors, 0 warnings, 0 remarks\n";
    for (arguments, allowed) in [(&[][..], server.origin.as_str()), (&["--external"][..], "")] {
        let (code, out, err) = check(arguments, &folder, allowed);
        assert_eq!((code, out.as_str()), (0, clean), "{err}");
    }
    assert_eq!(server.take(), [""; 0]);
}

#[test]
fn a_server_that_does_not_speak_is_not_certain() {
    let closed = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let origin = format!("http://{}", closed.local_addr().expect("an address"));
    drop(closed);
    let folder = site(&[format!("{origin}/a")]);
    let (code, out, _) = check(&["--external", "--verbose", "--strict"], &folder, &origin);
    assert!(code == 0 && out.contains("info[uncertain-link]"), "{out}");
}
