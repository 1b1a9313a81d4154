//! A start with the state of an earlier one: nothing is drawn, no file is read that is as it was, nothing is stale.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use queries::base::content::LARGE;
use queries::base::path::SitePath;
use queries::frame::{PageOptions, page_html};
use queries::site::route_table;
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_source::load::{LoadedSite, load, load_with};
use quire_storage::store::contents::ContentSize;
use quire_storage::store::{Store, StoreStats};

use crate::random_numbers::Random;
use crate::support::folder::{files_of, let_files_rest};

const MUSEUM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/museum");

/// A copy of the museum whose files were written long ago.
fn museum() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(Path::new(MUSEUM), folder.path());
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Everything that the site in `folder` shows.
fn shown(loaded: &LoadedSite) -> Vec<(String, String)> {
    let read = loaded.host.read(|db, site| {
        let table = route_table(db, site).clone();
        let pages = table.pages.iter().map(|(route, page)| {
            let page = page_html(db, site, *page, &PageOptions::default());
            (route.to_string(), page.html)
        });
        pages.collect::<Vec<_>>()
    });
    read.unwrap()
}

/// Starts with the state in `state`; what is shown, and the figures of the store.
fn start(folder: &Path, state: &Path) -> (Vec<(String, String)>, StoreStats) {
    let loaded = load_with(folder, "", None, Some(state)).unwrap();
    let shown = shown(&loaded);
    (shown, loaded.host.store().stats())
}

#[test]
fn a_second_start_draws_nothing_and_reads_only_what_it_must() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    let_files_rest(folder.path());
    let (first, stats) = start(folder.path(), state.path());
    assert!(stats.drawn() > 10, "{stats:?}");
    assert_eq!(
        first,
        shown(&load(folder.path(), "").unwrap()),
        "a first start"
    );
    let (second, stats) = start(folder.path(), state.path());
    assert_eq!(second, first);
    assert_eq!(stats.drawn(), 0, "{stats:?}");
    // What is drawn from the pack needs no text.
    let loaded = load_with(folder.path(), "", None, Some(state.path())).unwrap();
    shown(&loaded);
    let pages = second.iter().map(|(_, html)| html.len()).sum::<usize>();
    assert!(loaded.host.store().contents().size().bytes < pages / 2);
}

#[test]
fn an_edit_between_two_starts_is_seen_and_its_revert_is_kept() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    let_files_rest(folder.path());
    start(folder.path(), state.path());
    let path = folder.path().join("index.mdx");
    let text = fs::read_to_string(&path).unwrap();
    let mut edited = text.clone().into_bytes();
    // Same length, and the same time of modification: only the system's own time of change tells.
    let at = text.rfind("the ").unwrap();
    edited[at..at + 3].copy_from_slice(b"THE");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, &edited).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    let (shown_now, stats) = start(folder.path(), state.path());
    assert_eq!(shown_now, shown(&load(folder.path(), "").unwrap()));
    assert_eq!(stats.drawn(), 1, "{stats:?}");
    fs::write(&path, &text).unwrap();
    let (shown_now, stats) = start(folder.path(), state.path());
    assert_eq!(shown_now, shown(&load(folder.path(), "").unwrap()));
    assert_eq!(stats.drawn(), 0, "a revert draws nothing: {stats:?}");
}

/// How a long specification is cut is remembered, until it is another.
#[test]
fn a_long_specification_is_cut_once() {
    let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let config = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"groups":[{"group":"API","openapi":"api.json"}]}}"##;
    fs::write(folder.path().join("docs.json"), config).unwrap();
    let write = |words: &str| {
        let paths = (0..300).map(|n| {
            let operation = serde_json::json!({ "summary": format!("Number {n}"), "description": words.repeat(30) });
            (format!("/path-{n}"), serde_json::json!({ "get": operation }))
        });
        let paths: serde_json::Map<String, serde_json::Value> = paths.collect();
        let document = serde_json::json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "paths": paths });
        fs::write(folder.path().join("api.json"), document.to_string()).unwrap();
    };
    for words in ["first ", "second ", "first "] {
        write(words);
        let right = shown(&load(folder.path(), "").unwrap());
        assert!(right.iter().any(|(_, html)| html.contains(words)));
        let (once, stats) = start(folder.path(), state.path());
        assert_eq!(once, right);
        let (found, made) = stats.kinds["cut"];
        assert_eq!(made + found, 1, "{stats:?}");
        let (again, stats) = start(folder.path(), state.path());
        assert_eq!(again, right);
        assert_eq!(stats.kinds["cut"], (1, 0), "{stats:?}");
        assert_eq!(stats.drawn(), 0, "{stats:?}");
    }
}

/// A specification so large that it is followed in pieces and not read for its digest at a start. Edits keep its length.
#[test]
fn a_large_specification_that_changed_between_two_starts_is_seen() {
    let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let config = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"groups":[{"group":"API","openapi":"api.json"}]}}"##;
    fs::write(folder.path().join("docs.json"), config).unwrap();
    for (words, rests) in [
        ("first", true),
        ("other", true),
        ("third", false),
        ("first", true),
    ] {
        let document = serde_json::json!({
            "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
            "x-more": "much more ".repeat(LARGE / 8),
            "paths": { "/a": { "get": { "summary": "A", "description": words } } },
        });
        fs::write(folder.path().join("api.json"), document.to_string()).unwrap();
        if rests {
            let_files_rest(folder.path());
        }
        let right = shown(&load(folder.path(), "").unwrap());
        assert!(right.iter().any(|(_, html)| html.contains(words)));
        for _ in 0..2 {
            let (shown, _) = start(folder.path(), state.path());
            assert_eq!(shown, right, "{words}");
        }
    }
}

/// The clock jumps ahead and back between starts: files are of years to come and of years ago, and edits that keep the
/// length are given the time of what they replace.
#[test]
fn a_clock_that_jumps_hides_no_edit() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    let page = folder.path().join("index.mdx");
    let set = |year: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs((year - 1970) * 31_556_952);
        let file = fs::File::options().write(true).open(&page).unwrap();
        file.set_modified(time).unwrap();
    };
    let write = |word: &str| {
        let text = format!("---\ntitle: Welcome\n---\n\nSeen {word} times.\n");
        fs::write(&page, text).unwrap();
    };
    let words = ["four", "five", "nine", "zero"];
    for (word, year) in words.into_iter().zip([2100, 1971, 2100, 1971]) {
        write(word);
        set(year);
        for _ in 0..2 {
            let (shown, _) = start(folder.path(), state.path());
            let all: String = shown.iter().map(|(_, html)| html.as_str()).collect();
            assert!(all.contains(&format!("Seen {word} times")), "{word}");
        }
        let (shown, _) = start(folder.path(), state.path());
        assert_eq!(shown, self::shown(&load(folder.path(), "").unwrap()));
    }
}

#[test]
fn reads_detect_changes_without_events() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    let_files_rest(folder.path());
    start(folder.path(), state.path());
    // The pages are known by their digests alone; then one is written behind the host's back, one is deleted.
    fs::remove_file(state.path().join("artifacts.pack")).unwrap();
    let loaded = load_with(folder.path(), "", None, Some(state.path())).unwrap();
    fs::write(
        folder.path().join("index.mdx"),
        "---\ntitle: Unseen\n---\n\nwritten-unseen\n",
    )
    .unwrap();
    let shown_now = shown(&loaded);
    assert!(
        shown_now
            .iter()
            .any(|(_, html)| html.contains("written-unseen"))
    );
    assert!(loaded.host.take_resynced(), "whoever publishes is told");
    assert_eq!(shown_now, shown(&load(folder.path(), "").unwrap()));
}

#[test]
fn damaged_state_costs_time_only() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    let_files_rest(folder.path());
    let (right, _) = start(folder.path(), state.path());
    let files: Vec<_> = (files_of(state.path())
        .iter()
        .map(|file| state.path().join(file)))
    .map(|path| (path.clone(), fs::read(&path).unwrap()))
    .filter(|(_, bytes)| !bytes.is_empty())
    .collect();
    assert!(files.len() >= 3, "pack, index and files: {files:?}");
    let mut dice = Random::new(3);
    for round in 0..12 {
        for (path, bytes) in &files {
            let mut bytes = bytes.clone();
            for _ in 0..dice.below(20) {
                let at = dice.below(bytes.len());
                bytes[at] ^= 1 << dice.below(8);
            }
            if dice.below(4) == 0 {
                bytes.truncate(dice.below(bytes.len()));
            }
            fs::write(path, bytes).unwrap();
        }
        let (is, _) = start(folder.path(), state.path());
        assert_eq!(is, right, "round {round}");
    }
}

fn quire() -> Command {
    Command::new(env!("CARGO_BIN_EXE_quire"))
}

#[test]
fn the_cache_of_the_user_is_used_unless_it_is_switched_off() {
    let (folder, cache) = (museum(), tempfile::tempdir().unwrap());
    let build = |arguments: &[&str], state: Option<&str>| {
        let out = tempfile::tempdir().unwrap();
        let mut command = quire();
        command
            .arg("build")
            .arg(folder.path())
            .arg("--out")
            .arg(out.path())
            .arg("--quiet")
            .args(arguments)
            .env("XDG_CACHE_HOME", cache.path())
            .env_remove("QUIRE_STATE");
        if let Some(state) = state {
            command.env("QUIRE_STATE", state);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        fs::read(out.path().join("index.html")).unwrap()
    };
    let kept = cache.path().join("quire/state");
    let cold = build(&["--no-state"], None);
    assert_eq!(build(&[], Some("off")), cold);
    assert!(!kept.exists());
    let elsewhere = cache.path().join("elsewhere");
    assert_eq!(build(&["--state", elsewhere.to_str().unwrap()], None), cold);
    assert!(elsewhere.join("artifacts.pack").exists() && !kept.exists());
    for _ in 0..2 {
        assert_eq!(build(&[], None), cold);
        assert!(kept.exists());
    }
}

/// A disk that takes no more: the answer is the same, and one line says why the next start will be slow.
#[test]
fn a_full_disk_is_said_once_and_costs_nothing_else() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    // A limit on the length of files stands for it; the output is on another disk, which is not limited: a pipe.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" check \"$1\" --format json --state \"$2\"";
    let output = Command::new("bash")
        .args(["-c", script])
        .arg(env!("CARGO_BIN_EXE_quire"))
        .args([folder.path(), state.path()])
        .output()
        .unwrap();
    let unlimited = quire()
        .arg("check")
        .arg(folder.path())
        .args(["--format", "json", "--no-state"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, unlimited.stdout);
    assert_eq!(output.status.code(), unlimited.status.code());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        said.matches("caching artifacts in memory").count(),
        1,
        "{said}"
    );
    // What did fit is of use, or at least does no harm.
    let (shown_now, _) = start(folder.path(), state.path());
    assert_eq!(shown_now, shown(&load(folder.path(), "").unwrap()));
}

#[test]
fn two_processes_share_a_state() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    let first = Arc::new(load_with(folder.path(), "", None, Some(state.path())).unwrap());
    let right = shown(&first);
    let (second, stats) = start(folder.path(), state.path());
    assert_eq!(second, right);
    assert!(
        stats.drawn() > 0,
        "the first one has not written yet: {stats:?}"
    );
    first.host.store().flush();
    let (third, stats) = start(folder.path(), state.path());
    assert_eq!(third, right);
    assert_eq!(stats.drawn(), 0, "{stats:?}");
}

/// Texts that were typed over nobody sees again: nothing is written of those that are gone by then.
#[test]
fn only_the_last_of_many_edits_is_kept() {
    let folder = museum();
    let index = folder.path().join("index.mdx");
    let text = fs::read_to_string(&index).unwrap();
    let entries = |edits: usize| {
        let state = tempfile::tempdir().unwrap();
        fs::write(&index, &text).unwrap();
        let loaded = load_with(folder.path(), "", None, Some(state.path())).unwrap();
        shown(&loaded);
        for edit in 0..edits {
            fs::write(&index, format!("{text}\nMore {edit}.\n")).unwrap();
            let path = SitePath::new("index.mdx").unwrap();
            let state = loaded.sources.look(&path);
            loaded.host.apply([FileChange { path, state }]);
            shown(&loaded);
        }
        let last = shown(&loaded);
        let store = loaded.host.store().clone();
        // A site that ends has nothing instead of what it lets go of.
        drop(loaded);
        store.idle();
        let entries = store.stats().pack.entries;
        drop(store);
        let (again, stats) = start(folder.path(), state.path());
        assert_eq!(again, last);
        assert_eq!(stats.drawn(), 0, "{stats:?}");
        entries
    };
    let one = entries(1);
    assert_eq!(entries(20), one);
    assert!(one > 10);
}

/// The store is shared by the sites of a process, which come and go.
#[test]
fn a_site_that_ends_leaves_no_contents() {
    let (folder, state) = (museum(), tempfile::tempdir().unwrap());
    for reads_again in [true, false] {
        let store = Store::open(state.path());
        let loaded = load(folder.path(), "").unwrap();
        let sources = loaded.sources;
        let paths = sources.walk(&sources.root(), &mut |_| {}).files;
        let reader = reads_again.then(|| quire_source::load::reader(&sources));
        let options = HostOptions {
            observer: None,
            store: store.clone(),
            reader,
            cache_capacity: None,
        };
        let host = SiteHost::new("", options);
        let look = || {
            let states = sources.look_all(&paths);
            let changes = paths.iter().cloned().zip(states);
            changes.map(|(path, state)| FileChange { path, state })
        };
        host.apply(look());
        let index = folder.path().join("index.mdx");
        let text = fs::read_to_string(&index).unwrap();
        fs::write(&index, format!("{text}\nMore {reads_again}.\n")).unwrap();
        assert_eq!(host.apply(look()).changed.len(), 1);
        assert!(store.contents().size().contents > paths.len() / 2);
        drop(host);
        assert_eq!(store.contents().size(), ContentSize::default());
    }
}
