//! Processes on one storage whose clocks differ: by an hour, one daemon ahead and another one behind, and by a month.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use queries::base::content::ContentHash;
use quire_bucket::Bucket;
use quire_postgres::Postgres;
use quire_storage::objects::hex;
use quire_storage::{Storage, shown_address, wait};

use crate::support::bucket::bucket;
use crate::support::clock::off_by;
use crate::support::daemon::{json, send, site};
use crate::support::folder::Folder;
use crate::support::postgres::{database, sql};
use crate::support::process::Process;
use crate::support::program::shown;
use crate::support::published::{
    DEPLOYMENTS, Variables, command, daemon, get, listed, post, server, shared,
};
use crate::support::wait_until;

const WORDS: [&str; 8] = [
    "giraffe", "okapi", "tapir", "kudu", "bongo", "eland", "nyala", "oryx",
];

/// A storage that processes share.
struct Shared {
    /// Its address, and where `serve` finds it.
    url: String,
    /// How `quire.toml` names it.
    places: String,
    /// What it is in messages.
    what: &'static str,
    variables: Variables,
}

fn in_database(test: &str) -> Option<Shared> {
    let url = database(test)?;
    Some(Shared {
        places: format!("records = {url:?}"),
        url,
        what: "the database",
        variables: vec![],
    })
}

fn in_bucket(test: &str) -> Option<Shared> {
    let (url, variables) = bucket(test)?;
    Some(Shared {
        places: format!("blobs = {url:?}"),
        url,
        what: "the store",
        variables,
    })
}

impl Shared {
    /// A daemon that publishes `folder`, with more `variables`.
    fn daemon(&self, state: &Folder, folder: &Folder, variables: &[(String, String)]) -> Process {
        shared(state, folder, &self.places);
        daemon(state, &[&self.variables, variables].concat())
    }

    fn server(&self, variables: &[(String, String)]) -> Process {
        let variables = [&self.variables, variables].concat();
        server(&["--from", &self.url], &variables)
    }

    /// Asserts that `process` has said once that its clock is off by `how`.
    #[track_caller]
    fn assert_told(&self, process: &Process, how: &str) {
        let about = |line: &&String| line.contains("clock");
        let said: Vec<&String> = process.said.iter().filter(about).collect();
        let told = format!(
            "{}: the clock of this machine is {how} that of {}; synchronize it (NTP)",
            shown_address(&self.url),
            self.what
        );
        assert!(
            said.len() == 1 && said[0].contains(&told) && said[0].contains("WARN"),
            "{how}: {:#?}",
            process.said
        );
    }
}

/// Has `word` in every page of the site, in its name and in its sidebar.
fn write(folder: &Folder, word: &str) {
    let config = format!(
        r##"{{"name":"Site of {word}","theme":"mint","colors":{{"primary":"#000000"}},"navigation":{{"pages":["start","other"]}}}}"##
    );
    folder.write("docs.json", config);
    for (path, title) in [("start.mdx", "Start"), ("other.mdx", "Other")] {
        let page = format!("---\ntitle: {title} {word}\n---\n\nOf the {word}.\n");
        folder.write(path, page);
    }
}

/// A site whose pages all have the first word.
fn first_site() -> Folder {
    let folder = site(WORDS[0]);
    write(&folder, WORDS[0]);
    folder
}

/// The word that all of the page at `address` has.
#[track_caller]
fn word_at(address: SocketAddr, target: &str) -> &'static str {
    let page = get(address, target);
    assert_eq!(page.status, 200, "{target}: {}", page.text());
    let text = page.text();
    let found: Vec<&str> = WORDS
        .into_iter()
        .filter(|word| text.contains(word))
        .collect();
    assert_eq!(found.len(), 1, "{target}, of one deployment: {found:?}");
    found[0]
}

/// Somebody who reads pages of several processes all the time, each of which must be of one deployment.
struct Visitor {
    is_gone: Arc<AtomicBool>,
    thread: Option<JoinHandle<usize>>,
}

impl Visitor {
    fn of(processes: &[&Process]) -> Self {
        let addresses: Vec<SocketAddr> = processes.iter().map(|process| process.address).collect();
        let is_gone = Arc::new(AtomicBool::new(false));
        let gone = is_gone.clone();
        let thread = std::thread::spawn(move || {
            let mut answers = 0;
            while !gone.load(Ordering::SeqCst) {
                for address in &addresses {
                    word_at(*address, "/start");
                    word_at(*address, "/other");
                    answers += 2;
                }
                std::thread::park_timeout(Duration::from_millis(2));
            }
            answers
        });
        Self {
            is_gone,
            thread: Some(thread),
        }
    }

    /// Returns after at least one look at each process.
    #[track_caller]
    fn leave(mut self) {
        self.is_gone.store(true, Ordering::SeqCst);
        let thread = self.thread.take().expect("it runs");
        assert!(thread.join().expect("every page is of one deployment") > 0);
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.is_gone.store(true, Ordering::SeqCst);
    }
}

/// Deploys by turns and at once with two daemons, and follows with a server.
fn publish_by_turns(storage: &Shared) {
    let (Some(plus), Some(minus)) = (off_by("+1h"), off_by("-1h")) else {
        return;
    };
    let (one, other, folder) = (Folder::new(&[]), Folder::new(&[]), first_site());
    let ahead = storage.daemon(&one, &folder, &plus);
    storage.assert_told(&ahead, "60 minutes ahead of");
    wait_until("it is stored", || {
        listed(&ahead) == [(1, "success".to_owned(), "start".to_owned())]
    });
    let behind = storage.daemon(&other, &folder, &minus);
    storage.assert_told(&behind, "60 minutes behind");
    let server = storage.server(&[]);
    assert!(!server.said.iter().any(|line| line.contains("clock")));
    let all = [&ahead, &behind, &server];
    for process in all {
        wait_until("it is published", || {
            get(process.address, "/start").status == 200
        });
    }
    let visitor = Visitor::of(&all);
    let shown_by_all = |word: &str| {
        for process in all {
            wait_until(word, || word_at(process.address, "/start") == word);
        }
    };
    for (turn, word) in WORDS.iter().enumerate().skip(1) {
        let daemon = [&ahead, &behind][turn % 2];
        write(&folder, word);
        let deployment = post(daemon, DEPLOYMENTS);
        assert_eq!(deployment["id"], turn + 1, "{deployment}");
        shown_by_all(word);
    }
    // At once: each goes back to four others.
    let back = |daemon: &Process, numbers: [usize; 4]| {
        let target = |number| format!("{DEPLOYMENTS}/{number}/rollback");
        let ended = numbers.map(|number| post(daemon, &target(number)));
        ended.map(|one| {
            let number = |field: &str| one[field].as_u64().expect("a number");
            (number("id"), number("from"))
        })
    };
    let mut ended: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let one = scope.spawn(|| back(&ahead, [1, 3, 5, 7]));
        let other = scope.spawn(|| back(&behind, [2, 4, 6, 8]));
        [one, other]
            .into_iter()
            .flat_map(|daemon| daemon.join().expect("all are accepted"))
            .collect()
    });
    ended.sort_unstable();
    let numbers: Vec<u64> = ended.iter().map(|(id, _)| *id).collect();
    assert_eq!(numbers, (9..=16).collect::<Vec<u64>>());
    // The last one is what all show, and stays it.
    let (_, from) = ended[ended.len() - 1];
    let last = WORDS[usize::try_from(from).expect("a number") - 1];
    shown_by_all(last);
    visitor.leave();
    shown_by_all(last);
    let lists = [listed(&ahead), listed(&behind)];
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0].len(), 16, "{:?}", lists[0]);
    assert!(lists[0].iter().all(|(_, status, _)| status == "success"));
}

#[test]
fn daemons_whose_clocks_differ_publish_by_turns_to_a_database() {
    if let Some(storage) = in_database("clocks") {
        publish_by_turns(&storage);
    }
}

#[test]
fn daemons_whose_clocks_differ_publish_by_turns_to_a_bucket() {
    if let Some(storage) = in_bucket("clocks") {
        publish_by_turns(&storage);
    }
}

/// Kills the daemon whose clock is off by `killed` while it runs a deployment; that of `alive` runs it.
fn kill_within_a_run(storage: &Shared, killed: &str, alive: &str) {
    let (Some(killed), Some(alive)) = (off_by(killed), off_by(alive)) else {
        return;
    };
    let (one, other, folder) = (Folder::new(&[]), Folder::new(&[]), first_site());
    let alive = storage.daemon(&one, &folder, &alive);
    wait_until("it is stored", || {
        listed(&alive) == [(1, "success".to_owned(), "start".to_owned())]
    });
    let crash = ("QUIRE_CRASH_AT".to_owned(), "deployment-begun".to_owned());
    let mut killed = storage.daemon(&other, &folder, &[&killed[..], &[crash]].concat());
    let server = storage.server(&[]);
    let visitor = Visitor::of(&[&alive, &server]);
    write(&folder, "okapi");
    // Its answer may be cut off with the process.
    let accepted = std::panic::catch_unwind(|| {
        send(killed.admin(), "POST", "localhost", DEPLOYMENTS, &[], "").status
    });
    assert!(accepted.is_err() || accepted.is_ok_and(|status| status == 202));
    killed.child.wait().expect("it was killed");
    for process in [&alive, &server] {
        wait_until("another one runs it", || {
            word_at(process.address, "/start") == "okapi"
        });
    }
    wait_until("it has ended", || {
        listed(&alive).get(1) == Some(&(2, "success".to_owned(), "api".to_owned()))
    });
    // The number after it is the next one.
    write(&folder, "tapir");
    assert_eq!(post(&alive, DEPLOYMENTS)["id"], 3);
    wait_until("it is served", || {
        word_at(server.address, "/start") == "tapir"
    });
    visitor.leave();
    assert_eq!(listed(&alive).len(), 3);
}

/// In both directions, at the same time.
fn kill_each_within_a_run(storages: Option<[Shared; 2]>) {
    let Some([one, other]) = storages else { return };
    std::thread::scope(|scope| {
        scope.spawn(|| kill_within_a_run(&one, "+1h", "-1h"));
        scope.spawn(|| kill_within_a_run(&other, "-1h", "+1h"));
    });
}

#[test]
fn a_daemon_with_another_clock_runs_what_one_left_in_a_database() {
    let storages = in_database("clocks").zip(in_database("clocks"));
    kill_each_within_a_run(storages.map(Into::into));
}

#[test]
fn a_daemon_with_another_clock_runs_what_one_left_in_a_bucket() {
    let storages = in_bucket("clocks").zip(in_bucket("clocks"));
    kill_each_within_a_run(storages.map(Into::into));
}

/// A daemon that is a month ahead deletes the object `old` of `objects`, and leaves the one that was stored just now.
fn sweep_a_month_ahead(storage: &Shared, objects: &dyn Storage, old: &'static [u8]) {
    let Some(month) = off_by("+30d") else { return };
    let (objects, old) = (objects.objects(), ContentHash::of(old));
    // A sweep comes to it first: it goes by the digests.
    let young = (0..)
        .map(|number| format!("young {number}"))
        .find(|text| ContentHash::of(text.as_bytes()).as_bytes() < old.as_bytes());
    let young = young.expect("there are many").into_bytes();
    let young = wait(objects.put(young.into())).expect("it is stored");
    let (state, folder) = (Folder::new(&[]), first_site());
    let daemon = storage.daemon(&state, &folder, &month);
    storage.assert_told(&daemon, "30 days ahead of");
    let is_there = |digest| wait(objects.get(digest)).expect("it can be read").is_some();
    wait_until("it sweeps", || !is_there(&old));
    assert!(is_there(&young));
    // What it has published itself is there, too.
    let server = storage.server(&[]);
    for target in ["/start", "/other"] {
        assert_eq!(word_at(server.address, target), WORDS[0]);
    }
}

#[test]
fn a_clock_that_is_ahead_deletes_no_young_object_of_a_database() {
    let Some(storage) = in_database("a sweep") else {
        return;
    };
    let open = || Postgres::with(&storage.url, &|_| None, None, None).expect("a database");
    let rights = quire_postgres::Access::Write;
    open().prepare(rights).expect("tables");
    wait(open().objects().put("old".into())).expect("it is stored");
    let aged = "update quire_objects set stored = stored - interval '20 days'";
    sql(&storage.url, aged);
    sweep_a_month_ahead(&storage, &open(), b"old");
}

#[test]
fn a_clock_that_is_ahead_deletes_no_young_object_of_a_bucket() {
    let Some(storage) = in_bucket("a sweep") else {
        return;
    };
    let open = |clock: Option<quire_storage::Clock>| {
        Bucket::with(&storage.url, storage.variables.clone(), None, clock).expect("a bucket")
    };
    const DAYS: Duration = Duration::from_secs(20 * 24 * 60 * 60);
    let before = open(Some(Arc::new(|| SystemTime::now() - DAYS)));
    wait(before.objects().put("old".into())).expect("it is stored");
    sweep_a_month_ahead(&storage, &open(None), b"old");
}

/// A sweep marks an object, looks at its age, and deletes it. Who stores that object meanwhile waits, whatever its own clock
/// says of the age of the mark.
#[test]
fn an_object_is_not_stored_while_a_sweep_deletes_it() {
    let (Some(first), Some(second)) = (in_bucket("a mark"), in_bucket("a mark")) else {
        return;
    };
    let Some(plus) = off_by("+1h") else { return };
    let folder = first_site();
    let (one, other) = (Folder::new(&[]), Folder::new(&[]));
    let model = first.daemon(&one, &folder, &[]);
    wait_until("it is stored", || {
        listed(&model) == [(1, "success".to_owned(), "start".to_owned())]
    });
    let opened = Bucket::with(&first.url, first.variables.clone(), None, None);
    let stored = wait(opened.expect("a bucket").objects().list()).expect("a list");
    // Marks of another sweep, written now, of the same objects in the second bucket.
    let (_, host) = second.variables[0].1.split_once("://").expect("an address");
    let address: SocketAddr = host.parse().expect("an address");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = now.as_millis().to_string();
    let (_, path) = second.url.split_once("://").expect("an address");
    let marks = stored
        .iter()
        .map(|object| format!("/{path}/condemned/{}", hex(&object.digest)));
    let marks: Vec<String> = marks.collect();
    let headers = [
        ("x-amz-meta-quire-stored", now.as_str()),
        // Requests of this test are not signed.
        ("x-amz-acl", "public-read"),
    ];
    let ask = |method: &str, mark: &str| send(address, method, host, mark, &headers, "").status;
    assert!(marks.iter().all(|mark| ask("PUT", mark) == 200));
    let ahead = second.daemon(&other, &folder, &plus);
    wait_until("it gives up", || {
        listed(&ahead) == [(1, "failure".to_owned(), "start".to_owned())]
    });
    let target = format!("{DEPLOYMENTS}/1");
    let deployment = json(&send(ahead.admin(), "GET", "localhost", &target, &[], ""));
    let error = deployment["error"].as_str().expect("an error");
    assert!(error.contains("a sweep is deleting it"), "{deployment}");
    assert!(marks.iter().all(|mark| ask("HEAD", mark) == 200));
    // When the sweep has ended, all can be stored.
    assert!(marks.iter().all(|mark| ask("DELETE", mark) < 300));
    assert_eq!(post(&ahead, DEPLOYMENTS)["id"], 2);
}

/// An address where every request is refused as one that is signed at a wrong time.
fn refusing_store() -> SocketAddr {
    const BODY: &str = "<?xml version=\"1.0\"?><Error><Code>RequestTimeTooSkewed</Code><Message>The difference between the \
                        request time and the current time is too large.</Message></Error>";
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    // It ends with the process.
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut request = [0; 8 << 10];
            let reply = format!(
                "HTTP/1.1 403 Forbidden\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{BODY}",
                BODY.len()
            );
            // A request for a list has no body.
            let _ = client.read(&mut request);
            let _ = client.write_all(reply.as_bytes());
        }
    });
    address
}

#[test]
fn a_store_that_refuses_a_clock_is_named_with_the_difference() {
    let variables: Variables = [
        ("AWS_ENDPOINT_URL", format!("http://{}", refusing_store())),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    let output = command(&variables)
        .args(["serve", "--listen", "127.0.0.1:0", "--from", "s3://docs"])
        .output();
    let (code, _, said) = shown(&output.expect("it runs"));
    assert_eq!(code, 2, "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("s3://docs"), "{said}");
    assert!(said.contains("the clock of this machine is "), "{said}");
    assert!(said.contains(" days ahead of that of the store"), "{said}");
    assert!(said.contains("(RequestTimeTooSkewed)"), "{said}");
}
