//! A state folder that cannot be written, for each reason and each command: sites are built, checked, previewed and served
//! all the same, what was kept is read, and one line says what is not had. Nothing is accepted that cannot be written down.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use quire_storage::pack::{INDEX_FILE, PACK_FILE};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;

use crate::support::client::Connection;
use crate::support::daemon::send;
use crate::support::folder::{Folder, files_of};
use crate::support::process::{Process, quire_as_nobody as quire};
use crate::support::wait_until;

const QUIRE: &str = env!("CARGO_BIN_EXE_quire");

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","other"]}}"##;

/// Why a state folder cannot be written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Why {
    /// Read-only, with what an earlier run kept.
    ReadOnly,
    /// Read-only and empty.
    ReadOnlyEmpty,
    /// Missing, below something that is no folder.
    NoParent,
    /// Missing, below a read-only folder.
    ClosedParent,
    /// A folder stands where the lock is to be.
    LockIsFolder,
}

const ALL: [Why; 5] = [
    Why::ReadOnly,
    Why::ReadOnlyEmpty,
    Why::NoParent,
    Why::ClosedParent,
    Why::LockIsFolder,
];

/// A site and a state folder of that kind.
struct Ground {
    site: Folder,
    around: Folder,
    state: PathBuf,
}

impl Ground {
    /// `fill` has an earlier run write its state to the folder that it is given.
    fn new(why: Why, lock: &str, fill: impl Fn(&Folder, &Path)) -> Self {
        let site = Folder::new(&[
            ("docs.json", CONFIG),
            ("start.mdx", "---\ntitle: Start\n---\n\nFirst giraffe.\n"),
            ("other.mdx", "---\ntitle: Other\n---\n\nSome words.\n"),
        ]);
        let around = Folder::new(&[("file", "")]);
        fs::create_dir(around.at("closed")).expect("a folder");
        let mut state = around.at("closed/state");
        match why {
            Why::ReadOnly => fill(&site, &state),
            Why::ReadOnlyEmpty => fs::create_dir(&state).expect("a folder"),
            Why::NoParent => state = around.at("file/state"),
            Why::ClosedParent => {}
            Why::LockIsFolder => fs::create_dir_all(state.join(lock)).expect("a folder"),
        }
        // Another user is to come in.
        set_mode(site.path(), 0o755, 0o644);
        set_mode(around.path(), 0o755, 0o644);
        match why {
            Why::LockIsFolder => set_mode(&around.at("closed"), 0o777, 0o666),
            _ => set_mode(&around.at("closed"), 0o555, 0o444),
        }
        Self {
            site,
            around,
            state,
        }
    }

    /// Every file and what it holds.
    fn kept(&self) -> Vec<(String, Vec<u8>)> {
        let read = |file: String| {
            let bytes = fs::read(self.around.at(&file)).expect("read");
            (file, bytes)
        };
        files_of(self.around.path()).into_iter().map(read).collect()
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // Or nobody could remove it.
        set_mode(self.around.path(), 0o755, 0o644);
    }
}

/// Gives `path` and what is below it the mode of folders and of files. Sockets stay as they are.
pub(crate) fn set_mode(path: &Path, folders: u32, files: u32) {
    let metadata = fs::symlink_metadata(path).expect("it is there");
    let set = |mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("ours");
    if metadata.is_dir() {
        set(0o755);
        for entry in fs::read_dir(path).expect("list") {
            set_mode(&entry.expect("list").path(), folders, files);
        }
        set(folders);
    } else if metadata.is_file() {
        set(files);
    }
}

fn built(site: &Folder, state: &Path) {
    let out = Folder::new(&[]);
    let output = Command::new(QUIRE)
        .args(["build", "--quiet", "--out"])
        .arg(out.path())
        .arg(site.path())
        .arg("--state")
        .arg(state)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
}

/// The one line of `said` that tells of the state.
#[track_caller]
fn only_line<'a>(said: &[&'a str], why: Why) -> &'a str {
    let lines: Vec<&str> = (said.iter().copied())
        .filter(|line| line.contains("cannot be written"))
        .collect();
    let [line] = lines[..] else {
        panic!("{why:?}: {said:#?}");
    };
    line
}

#[test]
fn a_build_and_a_check_do_without() {
    for why in ALL {
        let ground = Ground::new(why, "artifacts.lock", built);
        let before = ground.kept();
        let out = Folder::new(&[]);
        set_mode(out.path(), 0o777, 0o666);
        let build = |arguments: &[&str], folder: &str| {
            let output = quire()
                .arg("build")
                .arg(ground.site.path())
                .arg("--out")
                .arg(out.at(folder))
                .args(arguments)
                .output()
                .expect("it runs");
            assert!(output.status.success(), "{why:?}: {output:?}");
            String::from_utf8(output.stderr).expect("UTF-8")
        };
        let state = ground.state.to_str().expect("UTF-8");
        let said = build(&["--state", state], "with");
        let line = only_line(&said.lines().collect::<Vec<_>>(), why);
        assert!(line.contains(state), "{line}");
        assert_eq!(said.lines().count(), 1, "{why:?}: {said}");
        assert_eq!(build(&["--no-state"], "without"), "");
        // What is packed is no text; of the others every byte counts.
        let is_text = |path: &str| path.ends_with(".html") || path.ends_with(".txt");
        let texts = |folder: &str| {
            let files = files_of(&out.at(folder)).into_iter();
            let files = files.filter(|file| is_text(file));
            files
                .map(|file| (out.read(&format!("{folder}/{file}")), file))
                .collect::<Vec<_>>()
        };
        assert_eq!(files_of(&out.at("with")), files_of(&out.at("without")));
        assert_eq!(texts("with"), texts("without"));

        let check = |arguments: &[&str]| {
            let mut command = quire();
            command.arg("check").arg(ground.site.path());
            command.args(arguments).output().expect("it runs")
        };
        let (with, without) = (check(&["--state", state]), check(&["--no-state"]));
        assert_eq!(with.stdout, without.stdout, "{why:?}");
        assert_eq!(with.status.code(), without.status.code(), "{why:?}");
        let said = String::from_utf8(with.stderr).expect("UTF-8");
        only_line(&said.lines().collect::<Vec<_>>(), why);
        assert_eq!(said.lines().count(), 1, "{why:?}: {said}");
        assert_eq!(ground.kept(), before, "{why:?}");
    }
}

/// How much of what was asked of the store was there, by the status of the process at `address`.
fn hit_rate(address: SocketAddr) -> f64 {
    let status = get(address, "/_quire/status");
    let status: Value = serde_json::from_str(&status).expect("JSON");
    status["cache"]["hit_rate"].as_f64().expect("a share")
}

#[track_caller]
fn get(address: SocketAddr, target: &str) -> String {
    let reply = Connection::open(address).get(target);
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply.text()
}

fn found(address: SocketAddr, site: &str, word: &str) -> usize {
    let body = serde_json::json!({ "query": word }).to_string();
    let headers = [("Content-Type", "application/json")];
    let target = format!("/api/sites/{site}/search");
    let reply = send(address, "POST", "localhost", &target, &headers, &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let answer: Value = serde_json::from_slice(&reply.body).expect("JSON");
    answer["results"].as_array().expect("a list").len()
}

/// Pages are served, found, and follow the files.
#[track_caller]
fn check_use(ground: &Ground, address: SocketAddr, site: &str, why: Why) {
    assert!(get(address, "/start").contains("giraffe"), "{why:?}");
    assert_eq!(found(address, site, "giraffe"), 1, "{why:?}");
    let text = "---\ntitle: Start\n---\n\nSecond telescope.\n";
    ground.site.write_by_rename("start.mdx", text);
    // Whoever has another's files as temporary ones may not read them.
    set_mode(ground.site.path(), 0o755, 0o644);
    wait_until("the edit is published", || {
        get(address, "/start").contains("telescope")
    });
    wait_until("the edit is found", || {
        found(address, site, "telescope") == 1 && found(address, site, "giraffe") == 0
    });
}

/// Ended when the test is.
struct EndedOnDrop(Child);

impl EndedOnDrop {
    /// A preview of `site` by `command`; where it listens for its administrator, and what it said until then.
    fn preview(
        mut command: Command,
        site: &Folder,
        state: &Path,
    ) -> (Self, SocketAddr, Vec<String>) {
        let child = command
            .arg("dev")
            .arg(site.path())
            .args([
                "--port",
                "0",
                "--id",
                "docs",
                "--admin",
                "127.0.0.1:0",
                "--state",
            ])
            .arg(state)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = Self(child.expect("it starts"));
        let mut lines = BufReader::new(child.0.stderr.take().expect("a pipe")).lines();
        let mut said = Vec::new();
        let address = loop {
            let line = lines.next().expect("it listens").expect("UTF-8");
            said.push(line.clone());
            if let Some((_, rest)) = line.split_once(" say at http://") {
                said.pop();
                break rest.parse().expect("an address");
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        (child, address, said)
    }
}

impl Drop for EndedOnDrop {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_preview_does_without() {
    for why in ALL {
        let ground = Ground::new(why, "artifacts.lock", built);
        let before = ground.kept();
        let (preview, address, said) = EndedOnDrop::preview(quire(), &ground.site, &ground.state);
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        only_line(&said, why);
        get(address, "/start");
        let rate = hit_rate(address);
        assert_eq!(rate > 0.5, why == Why::ReadOnly, "{why:?}: {rate}");
        check_use(&ground, address, "docs", why);
        drop(preview);
        assert_eq!(ground.kept(), before, "{why:?}");
    }
}

#[test]
fn the_state_of_a_preview_that_ended_is_opened_without_a_walk() {
    let site = Folder::new(&[("docs.json", CONFIG), ("start.mdx", "First giraffe.\n")]);
    let around = Folder::new(&[]);
    let state = around.at("state");
    let (mut preview, address, _) = EndedOnDrop::preview(Command::new(QUIRE), &site, &state);
    get(address, "/start");
    let pid = Pid::from_child(&preview.0);
    kill_process(pid, Signal::TERM).expect("it runs");
    assert!(preview.0.wait().expect("it ends").success());
    let pack = fs::metadata(state.join(PACK_FILE)).expect("a pack");
    let index = fs::read(state.join(INDEX_FILE)).expect("an index");
    // It says up to where it tells of the pack.
    let end = pack.len().to_le_bytes();
    assert!(index.windows(8).any(|bytes| bytes == end));
}

/// Configuration of a daemon with its state in `state`.
fn config(site: &Folder, state: &Path, watch: bool) -> String {
    format!(
        "state = {state:?}\n[listen]\naddress = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n[sites.docs]\nroot = {:?}\nwatch = {watch}\nsearch_deadline_ms = 60000\n",
        site.path()
    )
}

fn deploy(address: SocketAddr) -> (u16, Value) {
    let target = "/api/sites/docs/deployments";
    let reply = send(address, "POST", "localhost", target, &[], "");
    let body = serde_json::from_slice(&reply.body).expect("JSON");
    (reply.status, body)
}

#[track_caller]
fn wait_for_success(address: SocketAddr, id: &Value) {
    wait_until("it is deployed", || {
        let deployment = get(address, &format!("/api/sites/docs/deployments/{id}"));
        let deployment: Value = serde_json::from_str(&deployment).expect("JSON");
        deployment["status"] == "success"
    });
}

/// Has a daemon work on `state` and end.
fn served(site: &Folder, state: &Path) {
    let folder = Folder::new(&[("quire.toml", &config(site, state, true))]);
    let mut process = Process::start(&folder);
    assert_eq!(found(process.admin(), "docs", "giraffe"), 1);
    let (status, deployment) = deploy(process.admin());
    assert_eq!(status, 202, "{deployment}");
    wait_for_success(process.admin(), &deployment["id"]);
    assert_eq!(process.stop().code(), Some(0));
}

#[test]
fn a_daemon_serves_and_accepts_nothing() {
    for why in ALL {
        let ground = Ground::new(why, "lock", served);
        let before = ground.kept();
        let settings = config(&ground.site, &ground.state, true);
        let folder = Folder::new(&[("quire.toml", &settings)]);
        set_mode(folder.path(), 0o755, 0o644);
        let mut process = Process::start_by(&mut quire(), &folder);
        let address = process.admin();
        let said: Vec<&str> = process.said.iter().map(String::as_str).collect();
        let line = only_line(&said, why);
        assert!(line.contains("rejecting deployments"), "{line}");
        assert!(line.contains(r#""level":"ERROR""#), "{line}");
        assert_eq!(said.len(), 2, "that, and where it listens: {said:#?}");
        wait_until("it is ready", || {
            Connection::open(address).get("/_quire/readyz").status == 200
        });
        assert_eq!(hit_rate(address) > 0.9, why == Why::ReadOnly, "{why:?}");
        // What was accepted before is known, and nothing new is accepted.
        let list = get(address, "/api/sites/docs/deployments");
        assert_eq!(
            list.matches("success").count(),
            usize::from(why == Why::ReadOnly)
        );
        let (status, body) = deploy(address);
        assert_eq!(
            (status, &body["error"]["code"]),
            (507, &"not-accepted".into())
        );
        let message = body["error"]["message"].as_str().expect("a text");
        assert!(message.contains("could not be written down"), "{message}");
        assert!(
            !message.contains('/'),
            "no path goes to a client: {message}"
        );
        check_use(&ground, address, "docs", why);
        assert_eq!(process.stop().code(), Some(0), "{why:?}");
        assert_eq!(ground.kept(), before, "{why:?}");
    }
}

/// Whoever only reads is still another daemon on the folder, and leaves it to who can write.
#[test]
fn who_only_reads_yields() {
    let ground = Ground::new(Why::ReadOnly, "lock", served);
    let settings = config(&ground.site, &ground.state, true);
    let folder = Folder::new(&[("quire.toml", &settings)]);
    set_mode(folder.path(), 0o755, 0o644);
    let reader = Process::start_by(&mut quire(), &folder);
    set_mode(&ground.around.at("closed"), 0o755, 0o644);
    let writer = Process::start(&folder);
    let (status, _) = deploy(writer.admin());
    assert_eq!(status, 202);
    assert_eq!(deploy(reader.admin()).0, 507);
    drop(reader);
    // Its end took nothing with it.
    let asked = Command::new(QUIRE)
        .args(["status", "--json", "--state"])
        .arg(&ground.state)
        .output()
        .expect("it runs");
    assert!(asked.status.success(), "{asked:?}");
    let error = Process::try_start_by(&mut quire(), &folder).err();
    assert_eq!(
        error.and_then(|status| status.code()),
        Some(2),
        "another daemon runs"
    );
}

/// A disk that is full refuses a deployment, and takes it once there is room, without a restart.
#[test]
fn a_full_disk_refuses_a_deployment_until_there_is_room() {
    let site = Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", "---\ntitle: Start\n---\n\nFirst giraffe.\n"),
        ("other.mdx", "---\ntitle: Other\n---\n\nSome words.\n"),
    ]);
    let folder = Folder::new(&[]);
    folder.write("quire.toml", config(&site, &folder.at("state"), false));
    served(&site, &folder.at("state"));
    // A list as long as a file can be, of one deployment that is done and said much.
    let list = folder.read("state/deployments/docs.jsonl");
    let last = list.lines().last().expect("a line");
    let mut deployment: Value = serde_json::from_str(last).expect("JSON");
    deployment["log"] = serde_json::json!([""]);
    let length = deployment.to_string().len() + 1;
    deployment["log"] = serde_json::json!(["x".repeat((8 << 10) - length)]);
    let text = format!("{deployment}\n");
    folder.write("state/deployments/docs.jsonl", &text);
    let process = Process::start_on_a_full_disk(&folder);
    let address = process.admin();
    assert!(get(address, "/start").contains("giraffe"));
    site.write("start.mdx", "---\ntitle: Start\n---\n\nSecond telescope.\n");
    for _ in 0..3 {
        let (status, body) = deploy(address);
        assert_eq!(
            (status, &body["error"]["code"]),
            (507, &"not-accepted".into())
        );
    }
    assert!(
        get(address, "/start").contains("giraffe"),
        "nothing was published"
    );
    let kept = folder.read("state/deployments/docs.jsonl");
    assert!(kept == text, "half a line is none");
    let unlimited = Rlimit {
        current: None,
        maximum: None,
    };
    prlimit(
        Some(Pid::from_child(&process.child)),
        Resource::Fsize,
        unlimited,
    )
    .expect("room");
    let (status, deployment) = deploy(address);
    assert_eq!(status, 202, "{deployment}");
    wait_for_success(address, &deployment["id"]);
    assert!(get(address, "/start").contains("telescope"));
}

/// One writes and the others read: they show the same, and take from each other what was drawn.
/// The files of the search index in `state`: what is written anew has another name.
fn indexed(state: &Path) -> Vec<String> {
    let entries = fs::read_dir(state.join("search"))
        .into_iter()
        .flatten()
        .flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".store")).collect();
    names.sort();
    names
}

#[test]
fn a_preview_that_starts_again_indexes_nothing() {
    let site = Folder::new(&[
        ("docs.json", r#"{"navigation": {"pages": ["start"]}}"#),
        ("start.mdx", "---\ntitle: Start\n---\n\nFirst giraffe.\n"),
    ]);
    let state = tempfile::tempdir().expect("a folder");
    let start = || EndedOnDrop::preview(Command::new(QUIRE), &site, state.path());
    let wait_for = |address, word| {
        wait_until("the page is found", || found(address, "docs", word) == 1);
    };
    let (first, address, _) = start();
    wait_for(address, "giraffe");
    let made = indexed(state.path());
    assert_eq!(made.len(), 1, "{made:?}");
    // Another one meanwhile has an index of its own.
    let (second, beside, _) = start();
    wait_for(beside, "giraffe");
    drop((first, second));
    let (third, again, _) = start();
    wait_for(again, "giraffe");
    assert_eq!(indexed(state.path()), made);
    // What was written since is found.
    drop(third);
    site.write("start.mdx", "---\ntitle: Start\n---\n\nSecond telescope.\n");
    let (_fourth, again, _) = start();
    wait_for(again, "telescope");
    assert_ne!(indexed(state.path()), made);
}

#[test]
fn a_daemon_a_preview_and_builds_share_a_state() {
    let ground = Ground::new(Why::ReadOnly, "lock", served);
    set_mode(&ground.around.at("closed"), 0o755, 0o644);
    let artifacts = ground.state.join("artifacts");
    let settings = config(&ground.site, &ground.state, true);
    let folder = Folder::new(&[("quire.toml", &settings)]);
    let mut daemon = Process::start(&folder);
    let (preview, address, said) =
        EndedOnDrop::preview(Command::new(QUIRE), &ground.site, &artifacts);
    assert_eq!(said.len(), 1, "where it listens: {said:?}");
    assert!(get(address, "/start").contains("giraffe"));
    assert!(hit_rate(address) > 0.5);
    check_use(&ground, address, "docs", Why::ReadOnly);
    wait_until("the daemon sees the edit", || {
        get(daemon.admin(), "/start").contains("telescope")
    });
    for state in [&artifacts, &ground.state] {
        let out = Folder::new(&[]);
        let output = Command::new(QUIRE)
            .args(["build", "--quiet", "--out"])
            .arg(out.path())
            .arg(ground.site.path())
            .arg("--state")
            .arg(state)
            .output()
            .expect("it runs");
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
        assert!(out.read("start/index.html").contains("telescope"));
    }
    drop(preview);
    assert_eq!(daemon.stop().code(), Some(0));
    let daemon = Process::start(&folder);
    assert!(get(daemon.admin(), "/start").contains("telescope"));
    assert!(hit_rate(daemon.admin()) > 0.9, "the pack is whole");
    let second = Process::try_start_by(&mut Command::new(QUIRE), &folder).err();
    assert_eq!(
        second.and_then(|status| status.code()),
        Some(2),
        "one at a time"
    );
}
