//! Deployments in a bucket: one process publishes, others serve, and the bucket is enough for all of
//! them. Storage itself is in `storage.rs`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use quire_bucket::Bucket;
use quire_storage::{Error, Expected, Kind, Leases, Name, Records, Term, wait};

use crate::state_folder::set_mode;
use crate::support::bucket::bucket;
use crate::support::daemon::{json, send, site};
use crate::support::folder::{Folder, files_of};
use crate::support::process::{Process, quire_as_nobody};
use crate::support::program::shown;
use crate::support::published::{Variables, Way, command, daemon, get, post, server, shared};
use crate::support::wait_until;

#[test]
fn another_process_serves_what_is_published_to_a_bucket() {
    let Some((url, variables)) = bucket("serve") else {
        return;
    };
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, &format!("blobs = {url:?}"));
    // Before the first deployment nothing is to be served.
    let mut first = server(&["--from", &url], &variables);
    let early = get(first.address, "/start");
    assert_eq!(
        (early.status, early.header("retry-after")),
        (503, Some("5"))
    );
    let mut daemon = daemon(&state, &variables);
    wait_until("it is served", || {
        get(first.address, "/start").status == 200
    });
    let second = server(&["--from", &url], &variables);
    for server in [&first, &second] {
        for target in ["/start", "/start.md", "/llms.txt", "/sitemap.xml"] {
            let (ours, theirs) = (get(server.address, target), get(daemon.address, target));
            assert_eq!(ours.status, theirs.status, "{target}");
            assert_eq!(ours.text(), theirs.text(), "{target}");
        }
        let body = r#"{"query":"giraffe"}"#;
        let target = "/api/sites/one/search";
        let found = send(server.address, "POST", "one.localhost", target, &[], body);
        assert_eq!(found.status, 200, "{}", found.text());
        assert!(found.text().contains("/start"), "{}", found.text());
    }
    // What is published next, and what is taken back, is served by both.
    let page = folder.read("start.mdx").replace("giraffe", "okapi");
    folder.write("start.mdx", &page);
    post(&daemon, "/api/sites/one/deployments");
    let shows = |server: &Process, word: &str| get(server.address, "/start").text().contains(word);
    for server in [&first, &second] {
        wait_until("it is served", || shows(server, "okapi"));
    }
    post(&daemon, "/api/sites/one/deployments/1/rollback");
    for server in [&first, &second] {
        wait_until("it is served", || shows(server, "giraffe"));
    }
    // Servers need no daemon, and a daemon on another machine goes on from the bucket.
    daemon.stop();
    assert!(shows(&second, "giraffe"));
    let other = Folder::new(&[]);
    shared(&other, &folder, &format!("blobs = {url:?}"));
    let next = self::daemon(&other, &variables);
    wait_until("it publishes", || shows(&next, "giraffe"));
    let list = json(&send(
        next.admin(),
        "GET",
        "localhost",
        "/api/sites/one/deployments",
        &[],
        "",
    ));
    assert_eq!(
        list["deployments"].as_array().map(Vec::len),
        Some(3),
        "{list}"
    );
    first.stop();
}

#[test]
fn daemons_on_one_bucket_publish_what_any_of_them_deploys() {
    let Some((url, variables)) = bucket("daemons") else {
        return;
    };
    let places = format!("blobs = {url:?}");
    let (one, other, folder) = (Folder::new(&[]), Folder::new(&[]), site("giraffe"));
    shared(&one, &folder, &places);
    shared(&other, &folder, &places);
    let (mut first, second) = (daemon(&one, &variables), daemon(&other, &variables));
    let shows = |daemon: &Process, word: &str| get(daemon.address, "/start").text().contains(word);
    for (daemon, word) in [(&first, "okapi"), (&second, "tapir")] {
        folder.write(
            "start.mdx",
            format!("---\ntitle: Start\n---\n\nOf the {word}.\n"),
        );
        post(daemon, "/api/sites/one/deployments");
        for daemon in [&first, &second] {
            wait_until("it is published", || shows(daemon, word));
        }
    }
    // The other one goes on when one was killed.
    first.kill();
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nOf the kudu.\n");
    post(&second, "/api/sites/one/deployments");
    assert!(shows(&second, "kudu"));
}

#[test]
fn a_daemon_publishes_with_a_state_folder_that_cannot_be_written() {
    let Some((url, variables)) = bucket("closed state") else {
        return;
    };
    let (state, folder) = (Folder::new(&[("state/keep", "")]), site("giraffe"));
    shared(&state, &folder, &format!("blobs = {url:?}"));
    for folder in [&state, &folder] {
        set_mode(folder.path(), 0o755, 0o644);
    }
    set_mode(&state.at("state"), 0o555, 0o444);
    let mut command = quire_as_nobody();
    let mut daemon = Process::start_by(command.envs(variables.clone()), &state);
    let [said, _] = &daemon.said[..] else {
        panic!("that, and where it listens: {:#?}", daemon.said);
    };
    assert!(said.contains("cannot be written"), "{said}");
    assert!(said.contains(&format!("publishing to {url} ")), "{said}");
    assert!(!said.contains("rejecting"), "{said}");
    let deployment = post(&daemon, "/api/sites/one/deployments");
    assert!(deployment["release"].is_string(), "{deployment}");
    let server = server(&["--from", &url], &variables);
    assert!(get(server.address, "/start").text().contains("giraffe"));
    for address in [daemon.address, server.address] {
        let (target, body) = ("/api/sites/one/search", r#"{"query":"giraffe"}"#);
        let found = send(address, "POST", "one.localhost", target, &[], body);
        assert!(found.text().contains("/start"), "{}", found.text());
    }
    daemon.stop();
    assert_eq!(files_of(&state.at("state")), ["keep"]);
    set_mode(&state.at("state"), 0o755, 0o644);
}

#[test]
fn a_backup_in_a_bucket_is_restored() {
    let Some((url, variables)) = bucket("backup") else {
        return;
    };
    let (state, folder, target) = (Folder::new(&[]), site("giraffe"), Folder::new(&[]));
    shared(&state, &folder, &format!("blobs = \"{url}/live\""));
    let daemon = daemon(&state, &variables);
    post(&daemon, "/api/sites/one/deployments");
    let restore = |place: &str, state: &Folder| {
        let output = command(&variables)
            .args(["restore", place, "--state"])
            .arg(state.at("state"))
            .output();
        shown(&output.expect("it runs"))
    };
    let (code, _, said) = restore(&format!("{url}/live"), &target);
    assert_eq!(code, 0, "{said}");
    let backup = |place: String| {
        let output = command(&variables)
            .args(["backup", &place, "--state"])
            .arg(target.at("state"))
            .output();
        shown(&output.expect("it runs"))
    };
    let (code, _, said) = backup(format!("{url}/backup"));
    assert_eq!(code, 0, "{said}");
    // A daemon publishes there.
    let (code, _, said) = backup(format!("{url}/live"));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("a daemon publishes to s3://"), "{said}");
    let (code, _, said) = backup("gs://elsewhere".to_owned());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("`gs://` is not supported"), "{said}");
    let server = server(&["--from", &format!("{url}/backup")], &variables);
    assert!(get(server.address, "/start").text().contains("giraffe"));
    let (code, _, said) = restore(&format!("{url}/nothing"), &Folder::new(&[]));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("there is no backup"), "{said}");
}

#[test]
fn a_bucket_that_cannot_be_used_is_named_at_the_start() {
    let Some((url, variables)) = bucket("errors") else {
        return;
    };
    let with = |name: &str, value: &str| {
        let mut variables = variables.clone();
        variables.retain(|(known, _)| known != name);
        variables.push((name.to_owned(), value.to_owned()));
        variables
    };
    let serve = |url: &str, variables: &Variables| {
        let output = command(variables)
            .args(["serve", "--listen", "127.0.0.1:0", "--from", url])
            .output();
        let (code, _, said) = shown(&output.expect("it runs"));
        assert_eq!(code, 2, "{said}");
        let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), 1, "{said}");
        said
    };
    let said = serve("s3://no-such-bucket/sites", &variables);
    assert!(said.contains("s3://no-such-bucket/sites"), "{said}");
    assert!(
        said.contains("bucket does not exist (NoSuchBucket)"),
        "{said}"
    );
    let said = serve("s3://", &variables);
    assert!(said.contains("names no bucket"), "{said}");
    // Nobody listens there.
    let said = serve(&url, &with("AWS_ENDPOINT_URL", "http://127.0.0.1:1"));
    assert!(said.to_lowercase().contains("connect"), "{said}");
}

/// A way to the store that loses one answer: the store has written, and says that it failed.
fn losing_one_answer(store: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut is_lost = false;
        for mut client in listener.incoming().flatten() {
            // One request a connection, so that a reply ends with the stream.
            let request = read_request(&mut client);
            if request.is_empty() {
                continue;
            }
            let head = String::from_utf8_lossy(&request).to_lowercase();
            let mut to = TcpStream::connect(store).expect("the store listens");
            let end = b"\r\n".len() + request.windows(2).position(|two| two == b"\r\n").unwrap();
            to.write_all(&request[..end]).unwrap();
            to.write_all(b"Connection: close\r\n").unwrap();
            to.write_all(&request[end..]).unwrap();
            let mut reply = Vec::new();
            to.read_to_end(&mut reply).unwrap();
            let is_conditional = head.contains("if-match:") || head.contains("if-none-match:");
            if is_conditional && !is_lost {
                is_lost = true;
                reply = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .to_vec();
            }
            client.write_all(&reply).unwrap();
        }
    });
    address
}

/// Reads a request with its body.
fn read_request(client: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap() == 1 {
        request.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&request).to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
    client.read_exact(&mut body).unwrap();
    request.append(&mut body);
    request
}

#[test]
fn a_clock_that_is_ahead_takes_no_lease() {
    let Some((url, variables)) = bucket("clocks") else {
        return;
    };
    let open = |ahead: u64| {
        let clock = Arc::new(move || SystemTime::now() + Duration::from_secs(ahead));
        Bucket::with(&url, variables.clone(), None, Some(clock)).expect("a bucket")
    };
    const HOUR: u64 = 60 * 60;
    let (one, ahead) = (open(0), open(HOUR));
    let lease = wait(one.take("a", Term::Process)).expect("it is free");
    let taken = wait(ahead.take("a", Term::Process));
    assert!(matches!(taken, Err(Error::Conflict)));
    wait(one.release(lease)).unwrap();
    wait(ahead.take("a", Term::Process)).expect("it was released");
}

#[test]
fn a_write_whose_answer_was_lost_is_no_conflict() {
    for expected in [None, Some("before")] {
        let Some((url, variables)) = bucket("lost answer") else {
            return;
        };
        let open = |variables: &Variables| {
            Bucket::with(&url, variables.clone(), None, None).expect("a bucket")
        };
        let direct = open(&variables);
        let name = Name::new(Kind::Deployments, "one").expect("a name");
        let put = |storage: &Bucket, text: &str, expected| {
            wait(storage.put(&name, text.as_bytes(), expected))
        };
        let expected = match expected {
            None => Expected::Absent,
            Some(text) => {
                let version = put(&direct, text, Expected::Absent);
                Expected::Version(version.expect("it is written"))
            }
        };
        let (_, store) = variables[0].1.split_once("://").expect("an address");
        let mut by_way = variables.clone();
        let way = losing_one_answer(store.parse().expect("an address"));
        by_way[0].1 = format!("http://{way}");
        let by_way = open(&by_way);
        let version = put(&by_way, "mine", expected.clone()).expect("it was written");
        let found = wait(direct.get(&name)).unwrap().expect("it is there");
        assert_eq!(found.bytes, b"mine");
        assert_eq!(found.version, version);
        // Who comes second still does.
        let late = put(&by_way, "late", expected);
        assert!(matches!(late, Err(Error::Conflict)), "{late:?}");
    }
}

#[test]
fn a_server_goes_on_while_the_store_is_away() {
    let Some((url, variables)) = bucket("outage") else {
        return;
    };
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, &format!("blobs = {url:?}"));
    let daemon = daemon(&state, &variables);
    post(&daemon, "/api/sites/one/deployments");
    let (_, store) = variables[0].1.split_once("://").expect("an address");
    let way = Way::to(store);
    let mut by_way = variables.clone();
    by_way[0].1 = format!("http://{}", way.address);
    let server = server(&["--from", &url], &by_way);
    let ready = || get(server.address, "/_quire/readyz").text();
    assert!(get(server.address, "/start").text().contains("giraffe"));
    assert_eq!(ready(), "ready\n");
    way.cut();
    wait_until("it is degraded", || {
        ready().starts_with("degraded\nstorage: ")
    });
    assert_eq!(get(server.address, "/start").status, 200);
    assert_eq!(get(server.address, "/other").status, 503);
    // What is published meanwhile is taken up when the store is there again.
    let page = folder.read("start.mdx").replace("giraffe", "okapi");
    folder.write("start.mdx", &page);
    post(&daemon, "/api/sites/one/deployments");
    assert!(get(server.address, "/start").text().contains("giraffe"));
    way.mend();
    wait_until("it is served", || {
        get(server.address, "/start").text().contains("okapi")
    });
    assert_eq!(ready(), "ready\n");
    assert_eq!(get(server.address, "/other").status, 200);
}

/// A store that gives no answer keeps no daemon from ending.
#[test]
fn a_daemon_stops_while_the_store_is_silent() {
    let Some((url, variables)) = bucket("stop") else {
        return;
    };
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, &format!("blobs = {url:?}"));
    let (_, store) = variables[0].1.split_once("://").expect("an address");
    let way = Way::to(store);
    let mut by_way = variables.clone();
    by_way[0].1 = format!("http://{}", way.address);
    let mut daemon = daemon(&state, &by_way);
    post(&daemon, "/api/sites/one/deployments");
    way.silence();
    // A view that is counted, and was not written before.
    let browser = [
        ("User-Agent", "Mozilla/5.0 Firefox/140.0"),
        ("Sec-Fetch-Dest", "document"),
    ];
    let page = send(
        daemon.address,
        "GET",
        "one.localhost",
        "/start",
        &browser,
        "",
    );
    assert_eq!(page.status, 200);
    assert_eq!(daemon.stop().code(), Some(0));
}
