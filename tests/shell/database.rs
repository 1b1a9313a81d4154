//! Deployments in a PostgreSQL database, and in a bucket with their lists in a database. Storage itself
//! is in `storage.rs`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use quire_postgres::{Access, Postgres};
use quire_storage::{Error, Expected, Kind, Leases, Name, Records, Storage, Term, wait};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::support::bucket::bucket;
use crate::support::daemon::{json, send, site};
use crate::support::folder::Folder;
use crate::support::postgres::{Server, database, sql};
use crate::support::process::Process;
use crate::support::program::shown;
use crate::support::published::{
    DEPLOYMENTS, Variables, Way, command, daemon, get, listed, post, server, shared,
};
use crate::support::wait_until;

fn open(url: &str) -> Postgres {
    Postgres::with(url, &|_| None, None, None).expect("a database")
}

fn shows(server: &Process, word: &str) -> bool {
    get(server.address, "/start").text().contains(word)
}

/// The address `url` of a database by the way of `way`.
fn by(way: &Way, url: &str) -> String {
    let (_, database) = url.rsplit_once('/').expect("a path");
    format!("postgres://postgres@{}/{database}", way.address)
}

/// The socket of the server of `url`.
fn socket(url: &str) -> String {
    let host = url.split(['@', '/']).nth(3).expect("a host");
    format!("{}/.s.PGSQL.5432", host.replace("%2F", "/"))
}

/// Publishes with a daemon on the storage of `places`, and follows with servers of `from`.
fn publish_and_follow(places: &str, from: &[&str], variables: &Variables) {
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, places);
    let mut daemon = daemon(&state, variables);
    post(&daemon, DEPLOYMENTS);
    let (mut first, second) = (server(from, variables), server(from, variables));
    for server in [&first, &second] {
        for target in ["/start", "/start.md", "/llms.txt", "/sitemap.xml"] {
            let (ours, theirs) = (get(server.address, target), get(daemon.address, target));
            assert_eq!(ours.status, theirs.status, "{target}");
            assert_eq!(ours.text(), theirs.text(), "{target}");
        }
        let (target, body) = ("/api/sites/one/search", r#"{"query":"giraffe"}"#);
        let found = send(server.address, "POST", "one.localhost", target, &[], body);
        assert!(found.text().contains("/start"), "{}", found.text());
    }
    let page = folder.read("start.mdx").replace("giraffe", "okapi");
    folder.write("start.mdx", &page);
    post(&daemon, DEPLOYMENTS);
    for server in [&first, &second] {
        wait_until("it is served", || shows(server, "okapi"));
    }
    post(&daemon, &format!("{DEPLOYMENTS}/1/rollback"));
    for server in [&first, &second] {
        wait_until("it is served", || shows(server, "giraffe"));
    }
    // A daemon on another machine goes on from there.
    daemon.stop();
    let other = Folder::new(&[]);
    shared(&other, &folder, places);
    let next = self::daemon(&other, variables);
    wait_until("it publishes", || shows(&next, "giraffe"));
    first.stop();
    assert!(shows(&second, "giraffe"));
}

#[test]
fn other_processes_serve_what_is_published_to_a_database() {
    let Some(url) = database("serve") else {
        return;
    };
    publish_and_follow(&format!("records = {url:?}"), &["--from", &url], &vec![]);
}

#[test]
fn objects_are_in_a_bucket_and_records_in_a_database() {
    let (Some(records), Some((blobs, variables))) = (database("both"), bucket("both")) else {
        return;
    };
    let places = format!("blobs = {blobs:?}\nrecords = {records:?}");
    publish_and_follow(
        &places,
        &["--from", &blobs, "--records", &records],
        &variables,
    );
    // Neither has what the other takes.
    assert_eq!(wait(open(&records).objects().list()).unwrap(), []);
}

#[test]
fn whoever_waits_is_told_of_a_change() {
    let Some(url) = database("changes") else {
        return;
    };
    let (one, other) = (open(&url), open(&url));
    one.prepare(Access::Write).expect("tables");
    let changes = other.changes().expect("a database tells");
    wait_until("it listens", || changes.has_changed().unwrap());
    let mut seen = other.changes().expect("a database tells");
    let name = Name::new(Kind::Deployments, "one").expect("a name");
    let is_told = |changes: &mut quire_storage::Changes| {
        wait_until("it is told", || changes.has_changed().unwrap());
        changes.mark_unchanged();
    };
    seen.mark_unchanged();
    let first = wait(one.put(&name, b"1", Expected::Absent)).unwrap();
    is_told(&mut seen);
    // A conflict changes nothing.
    let late = wait(one.put(&name, b"2", Expected::Absent));
    assert!(matches!(late, Err(Error::Conflict)));
    let second = wait(one.put(&name, b"2", Expected::Version(first))).unwrap();
    is_told(&mut seen);
    wait(one.delete(&name, &second)).unwrap();
    is_told(&mut seen);
    assert!(!seen.has_changed().unwrap(), "one change is told once");
}

#[test]
fn a_server_that_was_cut_off_follows_again() {
    let Some(url) = database("told") else {
        return;
    };
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, &format!("records = {url:?}"));
    let daemon = daemon(&state, &vec![]);
    post(&daemon, DEPLOYMENTS);
    let server = server(&["--from", &url], &vec![]);
    // Whoever listens is cut off, while something is published.
    for word in ["okapi", "tapir", "kudu"] {
        sql(
            &url,
            "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
        );
        folder.write(
            "start.mdx",
            format!("---\ntitle: Start\n---\n\nOf the {word}.\n"),
        );
        post(&daemon, DEPLOYMENTS);
        wait_until("it is served", || shows(&server, word));
    }
}

#[test]
fn a_statement_whose_answer_was_lost_has_the_effect_of_once() {
    let Some(url) = database("lost answers") else {
        return;
    };
    let way = Way::to(&socket(&url));
    let (direct, far) = (open(&url), open(&by(&way, &url)));
    direct.prepare(Access::Write).expect("tables");
    let name = Name::new(Kind::Deployments, "one").expect("a name");
    let put = |bytes: &'static [u8], expected| {
        way.lose_answer_to(bytes);
        wait(far.put(&name, bytes, expected)).expect("it was written")
    };
    let first = put(b"a first value", Expected::Absent);
    let second = put(b"a second value", Expected::Version(first.clone()));
    let found = wait(direct.get(&name)).unwrap().expect("it is there");
    assert_eq!(
        (&found.bytes[..], &found.version),
        (&b"a second value"[..], &second)
    );
    // Who comes second still does, also if that answer is lost.
    way.lose_answer_to(b"a late value");
    let late = wait(far.put(&name, b"a late value", Expected::Version(first)));
    assert!(matches!(late, Err(Error::Conflict)), "{late:?}");
    way.lose_answer_to(b"a certain lease");
    let lease = wait(far.take("a certain lease", Term::Process)).expect("it was taken");
    assert!(matches!(
        wait(direct.take(
            "a certain lease",
            Term::For(std::time::Duration::from_secs(1))
        )),
        Err(Error::Conflict)
    ));
    way.lose_answer_to(b"a certain lease");
    wait(far.release(lease)).expect("it was released");
}

#[test]
fn processes_outlive_a_database_that_stops() {
    let Some(database_server) = Server::start() else {
        return;
    };
    let url = database_server.database();
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, &format!("records = {url:?}"));
    let daemon = daemon(&state, &vec![]);
    post(&daemon, DEPLOYMENTS);
    let server = server(&["--from", &url], &vec![]);
    let ready = |server: &Process| get(server.address, "/_quire/readyz").text();
    assert!(shows(&server, "giraffe"));
    for stop in ["kill", "stop"] {
        database_server.ask(stop);
        wait_until("it is degraded", || {
            ready(&server).starts_with("degraded\nstorage: ")
        });
        assert!(shows(&server, "giraffe"));
        wait_until("it is degraded", || {
            ready(&daemon).starts_with("degraded\nstorage: ")
        });
        let refused = send(daemon.admin(), "POST", "localhost", DEPLOYMENTS, &[], "");
        assert_eq!(refused.status, 507, "{}", refused.text());
        database_server.ask("start");
        let word = format!("okapi-{stop}");
        let page = folder.read("start.mdx") + &word;
        folder.write("start.mdx", &page);
        post(&daemon, DEPLOYMENTS);
        wait_until("it is served", || shows(&server, &word));
        for process in [&server, &daemon] {
            wait_until("it is ready", || ready(process) == "ready\n");
        }
    }
}

#[test]
fn a_server_goes_on_while_the_network_is_silent() {
    let Some(url) = database("silence") else {
        return;
    };
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, &format!("records = {url:?}"));
    let daemon = daemon(&state, &vec![]);
    post(&daemon, DEPLOYMENTS);
    let way = Way::to(&socket(&url));
    let server = server(&["--from", &by(&way, &url)], &vec![]);
    assert!(shows(&server, "giraffe"));
    way.silence();
    let page = folder.read("start.mdx").replace("giraffe", "okapi");
    folder.write("start.mdx", &page);
    post(&daemon, DEPLOYMENTS);
    assert!(shows(&server, "giraffe"));
    way.mend();
    wait_until("it is served", || shows(&server, "okapi"));
}

#[test]
fn a_database_that_cannot_be_used_is_named_at_the_start() {
    let Some(url) = database("errors") else {
        return;
    };
    let serve = |url: &str| {
        let output = command(&vec![])
            .args(["serve", "--listen", "127.0.0.1:0", "--from", url])
            .output();
        let (code, _, said) = shown(&output.expect("it runs"));
        assert_eq!(code, 2, "{said}");
        let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), 1, "{said}");
        assert!(!said.contains("secret"), "{said}");
        said
    };
    let said = serve("postgres://docs:secret@127.0.0.1:1/docs");
    assert!(said.contains("postgres://docs@127.0.0.1:1/docs"), "{said}");
    assert!(said.contains("refused"), "{said}");
    let missing = url.rsplit_once('/').expect("a path").0.to_owned() + "/nowhere";
    let said = serve(&missing);
    assert!(
        said.contains("database \"nowhere\" does not exist"),
        "{said}"
    );
    let said = serve("postgres://docs:secret@db/docs?colour=red");
    assert!(said.contains("colour"), "{said}");
    // Tables of a later version.
    let storage = open(&url);
    storage.prepare(Access::Write).expect("tables");
    sql(&url, "update quire_schema set version = 7");
    let said = serve(&url);
    assert!(said.contains("version 7"), "{said}");
    let configured = |line: &str| {
        let (state, folder) = (Folder::new(&[]), site("giraffe"));
        shared(&state, &folder, line);
        let output = command(&vec![])
            .args(["daemon", "--config"])
            .arg(state.at("quire.toml"))
            .output();
        let (code, _, said) = shown(&output.expect("it runs"));
        assert_eq!(code, 2, "{said}");
        said
    };
    assert!(configured(&format!("records = {url:?}")).contains("version 7"));
    let said = configured("records = \"postgres://docs:secret@db/docs\"");
    assert!(
        said.contains("storage: records") && said.contains("PGPASSWORD"),
        "{said}"
    );
    assert!(!said.contains("secret"), "{said}");
    let said = configured("records = \"mysql://docs@db/docs\"");
    assert!(said.contains("postgres://USER@HOST/DATABASE"), "{said}");
}

/// A way to the database that speaks TLS as the server `localhost`, with a certificate of these years; the file has its
/// authority.
fn tls(folder: &Folder, socket: String, (from, until): (i32, i32)) -> SocketAddr {
    let parameters = rcgen::CertificateParams::new(["localhost".to_owned()]);
    let mut parameters = parameters.expect("parameters");
    parameters.not_before = rcgen::date_time_ymd(from, 1, 1);
    parameters.not_after = rcgen::date_time_ymd(until, 1, 1);
    let key = rcgen::KeyPair::generate().expect("a key");
    let certificate = parameters.self_signed(&key).expect("a certificate");
    folder.write("authority.pem", certificate.pem());
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let (config, socket) = (config.clone(), socket.clone());
            std::thread::spawn(move || {
                let mut request = [0; 8];
                client.read_exact(&mut request)?;
                client.write_all(b"S")?;
                let connection = rustls::ServerConnection::new(config).expect("a connection");
                let mut client = rustls::StreamOwned::new(connection, client);
                let mut server = UnixStream::connect(socket)?;
                let mut buffer = [0; 4096];
                // By turns: a statement, its answer until the server is ready for the next.
                loop {
                    let length = client.read(&mut buffer)?;
                    server.write_all(&buffer[..length])?;
                    loop {
                        let length = server.read(&mut buffer)?;
                        client.write_all(&buffer[..length])?;
                        if buffer[..length].ends_with(&[b'Z', 0, 0, 0, 5, b'I']) {
                            break;
                        }
                    }
                }
                #[expect(unreachable_code, reason = "it ends with an error")]
                std::io::Result::Ok(())
            });
        }
    });
    address
}

#[test]
fn the_certificate_of_a_database_is_checked() {
    let Some(url) = database("TLS") else {
        return;
    };
    open(&url).prepare(Access::Write).expect("tables");
    let folder = Folder::new(&[]);
    let (_, name) = url.rsplit_once('/').expect("a path");
    let at = |address: SocketAddr| {
        format!(
            "postgres://postgres@localhost:{}/{name}?sslmode=require",
            address.port()
        )
    };
    let far = at(tls(&folder, socket(&url), (1975, 4096)));
    let authority = folder.at("authority.pem").display().to_string();
    let prepare_at = |far: &str, authority: Option<&str>| {
        let variable = |name: &str| match name {
            "PGSSLROOTCERT" => authority.map(str::to_owned),
            _ => None,
        };
        Postgres::with(far, &variable, None, None)?.prepare(Access::Read)
    };
    let prepare = |authority: Option<&str>| prepare_at(&far, authority);
    prepare(Some(&authority)).expect("it is trusted");
    let error = format!("{:#}", prepare(None).expect_err("it is not trusted"));
    assert!(
        error.contains("TLS failed") && error.contains("PGSSLROOTCERT"),
        "{error}"
    );
    // By the clock of this machine it is of another time.
    for years in [(1975, 1976), (4095, 4096)] {
        let far = at(tls(&folder, socket(&url), years));
        let error = prepare_at(&far, Some(&authority)).expect_err("it is not valid");
        let error = format!("{error:#}");
        assert!(
            error.contains("TLS failed") && error.contains("compare the clock of this machine"),
            "{error}"
        );
    }
    folder.write("empty.pem", "");
    let empty = folder.at("empty.pem").display().to_string();
    let error = format!(
        "{:#}",
        prepare(Some(&empty)).expect_err("it has nothing in it")
    );
    assert!(error.contains("no certificate"), "{error}");
}

/// Starts a daemon of `state` with `more` arguments, for tests of several.
fn daemon_with(state: &Folder, more: &[&str], crash: Option<&str>) -> Process {
    let mut daemon = command(&vec![]);
    if let Some(point) = crash {
        daemon.env("QUIRE_CRASH_AT", point);
    }
    daemon.args(["daemon", "--log", "json", "--config"]);
    Process::listen(daemon.arg(state.at("quire.toml")).args(more)).expect("it listens")
}

#[test]
fn daemons_on_one_database_publish_what_any_of_them_deploys() {
    let Some(url) = database("daemons") else {
        return;
    };
    let places = format!("records = {url:?}");
    let (one, other, folder) = (Folder::new(&[]), Folder::new(&[]), site("giraffe"));
    shared(&one, &folder, &places);
    shared(&other, &folder, &places);
    let first = daemon(&one, &vec![]);
    wait_until("it is stored", || {
        listed(&first) == [(1, "success".to_owned(), "start".to_owned())]
    });
    // The next one has nothing to store.
    let second = daemon(&other, &vec![]);
    wait_until("it is published", || shows(&second, "giraffe"));
    let mut number = 1;
    for (daemon, word) in [(&first, "okapi"), (&second, "tapir"), (&first, "kudu")] {
        let page = format!("---\ntitle: Start\n---\n\nOf the {word}.\n");
        folder.write("start.mdx", &page);
        let deployment = post(daemon, DEPLOYMENTS);
        number += 1;
        assert_eq!(deployment["id"], number, "{deployment}");
        for daemon in [&first, &second] {
            wait_until("it is published", || shows(daemon, word));
        }
    }
    // A deployment of one is taken back by the other.
    let deployment = post(&second, &format!("{DEPLOYMENTS}/3/rollback"));
    assert_eq!(deployment["from"], 3);
    for daemon in [&first, &second] {
        wait_until("it is published", || shows(daemon, "tapir"));
    }
    let all = listed(&first);
    assert_eq!(all.len(), 5, "{all:?}");
    assert_eq!(listed(&second), all);
    // What was just accepted by one is known to the other.
    let target = send(first.admin(), "POST", "localhost", DEPLOYMENTS, &[], "");
    let target = target.header("location").expect("a place").to_owned();
    let known = send(second.admin(), "GET", "localhost", &target, &[], "");
    assert_eq!(known.status, 200, "{}", known.text());
}

#[test]
fn a_deployment_of_a_daemon_that_was_killed_is_run_by_another() {
    for point in ["deployment-begun:2", "deployment-published:2"] {
        let Some(url) = database("killed") else {
            return;
        };
        let places = format!("records = {url:?}");
        let (one, other, folder) = (Folder::new(&[]), Folder::new(&[]), site("giraffe"));
        shared(&one, &folder, &places);
        shared(&other, &folder, &places);
        let mut first = daemon_with(&one, &[], Some(point));
        wait_until("it is stored", || {
            listed(&first)
                .iter()
                .any(|(_, status, _)| status == "success")
        });
        let second = daemon_with(&other, &[], None);
        wait_until("it is published", || shows(&second, "giraffe"));
        folder.write("start.mdx", "---\ntitle: Start\n---\n\nOf the okapi.\n");
        // Its answer may be cut off with the process.
        let accepted = std::panic::catch_unwind(|| {
            send(first.admin(), "POST", "localhost", DEPLOYMENTS, &[], "").status
        });
        assert!(accepted.is_err() || accepted.is_ok_and(|status| status == 202));
        first.child.wait().expect("it was killed");
        wait_until(point, || shows(&second, "okapi"));
        wait_until(point, || {
            listed(&second).get(1) == Some(&(2, "success".to_owned(), "api".to_owned()))
        });
        assert_eq!(listed(&second).len(), 2, "{point}");
    }
}

#[test]
fn a_daemon_of_the_role_serve_leaves_deployments_to_others() {
    let Some(url) = database("roles") else {
        return;
    };
    let places = format!("records = {url:?}");
    let (one, other, folder) = (Folder::new(&[]), Folder::new(&[]), site("giraffe"));
    shared(&one, &folder, &places);
    shared(&other, &folder, &places);
    let serving = daemon_with(&one, &["--role", "serve"], None);
    let accepted = send(serving.admin(), "POST", "localhost", DEPLOYMENTS, &[], "");
    assert_eq!(accepted.status, 202, "{}", accepted.text());
    assert_eq!(
        listed(&serving),
        [(1, "queued".to_owned(), "api".to_owned())]
    );
    let building = daemon_with(&other, &[], None);
    for daemon in [&building, &serving] {
        wait_until("it is run", || {
            listed(daemon) == [(1, "success".to_owned(), "api".to_owned())]
        });
    }
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nOf the okapi.\n");
    post(&serving, DEPLOYMENTS);
    wait_until("it is published", || shows(&serving, "okapi"));
    // Alone there is nobody to leave them to.
    let alone = Folder::new(&[]);
    for role in ["serve", "build"] {
        shared(&alone, &folder, &format!("role = {role:?}"));
        let output = command(&vec![])
            .args(["daemon", "--config"])
            .arg(alone.at("quire.toml"))
            .output();
        let (code, _, said) = shown(&output.expect("it runs"));
        assert_eq!(code, 2, "{said}");
        let expected = format!("`role = {role:?}` needs `blobs` or `records`");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn a_daemon_of_the_role_build_deploys_and_serves_no_site() {
    let Some(url) = database("builders") else {
        return;
    };
    let places = format!("records = {url:?}");
    let (one, other, folder) = (Folder::new(&[]), Folder::new(&[]), site("giraffe"));
    shared(&one, &folder, &places);
    shared(&other, &folder, &places);
    // It deploys what is not stored yet by itself.
    let mut building = daemon_with(&one, &["--role", "build"], None);
    let serving = daemon_with(&other, &["--role", "serve"], None);
    wait_until("it is published", || {
        listed(&serving) == [(1, "success".to_owned(), "start".to_owned())]
    });
    let get = |target: &str| send(building.address, "GET", "localhost", target, &[], "");
    for target in [
        "/start",
        "/",
        "/llms.txt",
        "/mcp",
        "/api/sites/one/search?q=giraffe",
    ] {
        let reply = get(target);
        assert_eq!(reply.status, 503, "{target}: {}", reply.text());
        assert!(
            reply.text().contains("builds-only"),
            "{target}: {}",
            reply.text()
        );
    }
    assert_eq!(get("/_quire/readyz").status, 200);
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nOf the okapi.\n");
    post(&serving, DEPLOYMENTS);
    wait_until("it is published", || shows(&serving, "okapi"));
    // What is stored is not read before it is built again.
    building.stop();
    let building = daemon_with(&one, &["--role", "build"], None);
    let status = send(
        building.admin(),
        "GET",
        "localhost",
        "/_quire/status",
        &[],
        "",
    );
    assert_eq!(
        json(&status)["sites"][0]["state"],
        "idle",
        "{}",
        status.text()
    );
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nOf the zebra.\n");
    post(&building, DEPLOYMENTS);
    wait_until("it is published", || shows(&serving, "zebra"));
}

#[test]
fn a_backup_in_a_database_is_served_and_restored() {
    let (Some(url), Some(records), Some((blobs, variables))) = (
        database("backup"),
        database("backup of records"),
        bucket("backup of objects"),
    ) else {
        return;
    };
    let (state, folder) = (Folder::new(&[]), site("giraffe"));
    shared(&state, &folder, "");
    let mut daemon = daemon(&state, &vec![]);
    wait_until("it is stored", || {
        listed(&daemon)
            .iter()
            .any(|(_, status, _)| status == "success")
    });
    let run = |arguments: &[&str], state: &Folder| {
        let output = command(&variables)
            .args(arguments)
            .arg("--state")
            .arg(state.at("state"))
            .output();
        let (code, _, said) = shown(&output.expect("it runs"));
        assert_eq!(code, 0, "{said}");
    };
    let both = [blobs.as_str(), "--records", &records];
    run(&["backup", &url], &state);
    run(&[&["backup"], &both[..]].concat(), &state);
    daemon.stop();
    for from in [vec![url.as_str()], both.to_vec()] {
        let server = server(&[&["--from"], &from[..]].concat(), &variables);
        assert!(shows(&server, "giraffe"));
        let target = Folder::new(&[]);
        run(&[&["restore"], &from[..]].concat(), &target);
        let folder = target.at("state").display().to_string();
        let restored = self::server(&["--from", &folder], &variables);
        assert!(shows(&restored, "giraffe"));
    }
    // Where a daemon publishes, nothing is written.
    shared(&state, &folder, &format!("records = {url:?}"));
    let publishing = self::daemon(&state, &vec![]);
    let refused = command(&variables)
        .args(["backup", &url, "--state"])
        .arg(state.at("state"))
        .output();
    let (code, _, said) = shown(&refused.expect("it runs"));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("a daemon publishes to postgres://"), "{said}");
    drop(publishing);
}
