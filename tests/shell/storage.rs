//! Conformance of storage: the claims that every implementation must meet, tried on a folder of the
//! machine, on memory, on a bucket and on a database. Another implementation is a line of [`each`]; only the tests of damage,
//! kills and closed folders know files.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use queries::base::content::ContentHash;
use quire_bucket::Bucket;
use quire_postgres::{Access, Postgres};
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::pack::PACK_FILE;
use quire_storage::{
    Area, Blobs, Clock, Error, Expected, Kind, Leases, Name, Record, Records, Storage, Term,
    Version, wait,
};

use crate::random_numbers::Random;
use crate::support::bucket::bucket;
use crate::support::postgres::database;

/// Writers and readers at once.
const THREADS: usize = 4;

const AREA: Area = Area {
    folder: "blobs",
    limit: 8 << 20,
};

/// A storage that is empty, and its clock.
struct Ground {
    what: &'static str,
    /// Opens it as another process would.
    open: Box<dyn Fn() -> Arc<dyn Storage> + Sync>,
    /// Seconds since 1970.
    now: Arc<AtomicU64>,
}

/// Runs `check` on each implementation.
fn each(check: impl Fn(&Ground)) {
    let clock = || {
        let now = Arc::new(AtomicU64::new(1_000));
        let read = now.clone();
        let clock: Clock =
            Arc::new(move || UNIX_EPOCH + Duration::from_secs(read.load(Ordering::SeqCst)));
        (now, clock)
    };
    let folder = tempfile::tempdir().unwrap();
    let (root, (now, by)) = (folder.path().to_owned(), clock());
    check(&Ground {
        what: "directory",
        open: Box::new(move || Arc::new(Directory::with_clock(&root, by.clone()))),
        now,
    });
    let (now, by) = clock();
    let memory = Memory::with_clock(by);
    check(&Ground {
        what: "memory",
        open: Box::new(move || Arc::new(memory.clone())),
        now,
    });
    if let Some((url, variables)) = bucket("storage") {
        let (now, by) = clock();
        let local: Arc<dyn Storage> = Arc::new(Memory::with_clock(by.clone()));
        let open = move || {
            let opened = Bucket::with(
                &url,
                variables.clone(),
                Some(local.clone()),
                Some(by.clone()),
            );
            Arc::new(opened.expect("a bucket")) as Arc<dyn Storage>
        };
        check(&Ground {
            what: "bucket",
            open: Box::new(open),
            now,
        });
    }
    if let Some(url) = database("storage") {
        let (now, by) = clock();
        let local: Arc<dyn Storage> = Arc::new(Memory::with_clock(by.clone()));
        let none = |_: &str| None;
        let first = Postgres::with(&url, &none, None, None).expect("a database");
        first.prepare(Access::Write).expect("tables");
        let open = move || {
            let opened = Postgres::with(&url, &none, Some(local.clone()), Some(by.clone()));
            Arc::new(opened.expect("a database")) as Arc<dyn Storage>
        };
        check(&Ground {
            what: "database",
            open: Box::new(open),
            now,
        });
    }
}

fn name(text: &str) -> Name {
    Name::new(Kind::Deployments, text).expect("a name")
}

fn get(storage: &dyn Storage, name: &Name) -> Option<Record> {
    wait(storage.get(name)).expect("it can be read")
}

#[track_caller]
fn put(storage: &dyn Storage, name: &Name, bytes: &[u8], expected: Expected) -> Version {
    wait(storage.put(name, bytes, expected)).expect("it can be written")
}

#[track_caller]
fn is_conflict<T>(outcome: Result<T, Error>) {
    assert!(matches!(outcome, Err(Error::Conflict)));
}

#[test]
fn a_record_is_what_was_written_last() {
    each(|ground| {
        let (one, other) = ((ground.open)(), (ground.open)());
        assert_eq!(get(&*one, &name("a")), None, "{}", ground.what);
        let first = put(&*one, &name("a"), b"first", Expected::Absent);
        let found = get(&*other, &name("a")).expect("it is there");
        assert_eq!(
            (&found.bytes[..], &found.version),
            (&b"first"[..], &first),
            "{}",
            ground.what
        );
        let second = put(&*other, &name("a"), b"", Expected::Version(first.clone()));
        assert_ne!(second, first);
        assert_eq!(get(&*one, &name("a")).expect("it is there").bytes, b"");
        put(&*one, &name("a"), b"third", Expected::Any);
        assert_eq!(
            get(&*other, &name("a")).expect("it is there").bytes,
            b"third"
        );
        // Another kind and another place are other records.
        let kind = Name::new(Kind::Specification, "a").expect("a name");
        assert_eq!(get(&*one, &kind), None);
        assert_eq!(get(&*one.below("x"), &name("a")), None);
    });
}

#[test]
fn a_record_is_written_only_as_expected() {
    each(|ground| {
        let storage = (ground.open)();
        let missing = Expected::Version(Version::new(b"none"));
        is_conflict(wait(storage.put(&name("a"), b"x", missing)));
        let first = put(&*storage, &name("a"), b"first", Expected::Absent);
        is_conflict(wait(storage.put(&name("a"), b"x", Expected::Absent)));
        put(
            &*storage,
            &name("a"),
            b"second",
            Expected::Version(first.clone()),
        );
        let stale = Expected::Version(first.clone());
        is_conflict(wait(storage.put(&name("a"), b"x", stale)));
        is_conflict(wait(storage.delete(&name("a"), &first)));
        let found = get(&*storage, &name("a")).expect("it is there");
        assert_eq!(found.bytes, b"second", "{}", ground.what);
        wait(storage.delete(&name("a"), &found.version)).expect("it is removed");
        assert_eq!(get(&*storage, &name("a")), None);
        let again = wait(storage.delete(&name("a"), &found.version));
        assert!(matches!(again, Err(Error::NotFound)));
        put(&*storage, &name("a"), b"anew", Expected::Absent);
    });
}

#[test]
fn records_are_listed_by_kind_and_prefix() {
    each(|ground| {
        let storage = (ground.open)();
        assert_eq!(wait(storage.list(Kind::Deployments, "")).unwrap(), []);
        for text in ["b", "ab", "aa.x", "c--ab"] {
            put(&*storage, &name(text), b"", Expected::Absent);
        }
        let kind = Name::new(Kind::Specification, "ac").expect("a name");
        put(&*storage, &kind, b"", Expected::Absent);
        let list = |prefix| wait(storage.list(Kind::Deployments, prefix)).unwrap();
        assert_eq!(list("a"), ["aa.x", "ab"].map(name), "{}", ground.what);
        assert_eq!(list(""), ["aa.x", "ab", "b", "c--ab"].map(name));
        assert_eq!(list("z"), []);
    });
}

/// A folder that did not change is not looked into again, for a second.
#[test]
fn a_look_at_all_records_misses_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let later = Arc::new(AtomicU64::new(0));
    let (seconds, begin) = (later.clone(), SystemTime::now());
    let clock: Clock =
        Arc::new(move || begin + Duration::from_secs(seconds.load(Ordering::SeqCst)));
    let (writer, reader) = (
        Directory::new(folder.path()),
        Directory::with_clock(folder.path(), clock),
    );
    let look = || wait(reader.stamps(Kind::Deployments)).expect("a list");
    assert_eq!(look(), []);
    let mut before = Vec::new();
    for n in 0..300_u64 {
        put(&writer, &name("a"), &n.to_le_bytes(), Expected::Any);
        if n % 3 == 0 {
            // As if that were long ago, so that what is found is kept.
            let records = std::fs::File::open(folder.path().join("deployments")).unwrap();
            let long_ago = SystemTime::now() - Duration::from_secs(10 + n);
            records.set_modified(long_ago).unwrap();
        }
        let found = look();
        assert_ne!(found, before, "{n}");
        assert_eq!(look(), found);
        before = found;
    }
    put(&writer, &name("b"), b"", Expected::Absent);
    assert_eq!(look().len(), 2);
    let version = get(&writer, &name("b")).expect("it is there").version;
    wait(writer.delete(&name("b"), &version)).unwrap();
    assert_eq!(look().len(), 1);
    // Written into by another program: the folder tells nothing of it.
    later.fetch_add(10_000, Ordering::SeqCst);
    let found = look();
    std::fs::write(folder.path().join("deployments/a.jsonl"), "other").unwrap();
    assert_eq!(look(), found, "it is kept");
    later.fetch_add(2, Ordering::SeqCst);
    assert_ne!(look(), found);
}

#[test]
fn a_name_leads_nowhere_else() {
    for text in [
        "",
        ".",
        "..",
        ".lock",
        "a/b",
        "../a",
        "a\0",
        "ä",
        &"x".repeat(201),
    ] {
        assert_eq!(Name::new(Kind::Deployments, text), None, "{text}");
    }
}

#[test]
fn of_concurrent_writers_one_wins() {
    each(|ground| {
        let storage = (ground.open)();
        let mut expected = Expected::Absent;
        for round in 0..50 {
            let start = Barrier::new(THREADS);
            let (start, expected_now) = (&start, &expected);
            let won = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..THREADS)
                    .map(|n| {
                        scope.spawn(move || {
                            let own = (ground.open)();
                            let bytes = format!("{round} {n}");
                            start.wait();
                            let put =
                                wait(own.put(&name("a"), bytes.as_bytes(), expected_now.clone()));
                            match put {
                                Ok(version) => Some((version, bytes)),
                                Err(Error::Conflict) => None,
                                Err(error) => panic!("{error}"),
                            }
                        })
                    })
                    .collect();
                let ended = writers.into_iter().map(|writer| writer.join().unwrap());
                ended.flatten().collect::<Vec<_>>()
            });
            let [(version, bytes)] = &won[..] else {
                panic!("{}: {won:?} in round {round}", ground.what);
            };
            let found = get(&*storage, &name("a")).expect("it is there");
            assert_eq!(
                (&found.version, &found.bytes[..]),
                (version, bytes.as_bytes())
            );
            expected = Expected::Version(version.clone());
        }
    });
}

#[test]
fn no_change_of_a_record_is_lost() {
    const CHANGES: u64 = 40;
    each(|ground| {
        let add = || {
            let own = (ground.open)();
            for _ in 0..CHANGES {
                loop {
                    let found = get(&*own, &name("sum"));
                    let (sum, expected) = match found {
                        None => (0, Expected::Absent),
                        Some(record) => (
                            String::from_utf8(record.bytes)
                                .unwrap()
                                .parse::<u64>()
                                .unwrap(),
                            Expected::Version(record.version),
                        ),
                    };
                    match wait(own.put(&name("sum"), (sum + 1).to_string().as_bytes(), expected)) {
                        Ok(_) => break,
                        Err(Error::Conflict) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(add);
            }
        });
        let sum = get(&*(ground.open)(), &name("sum"))
            .expect("it is there")
            .bytes;
        let all = CHANGES * THREADS as u64;
        assert_eq!(sum, all.to_string().as_bytes(), "{}", ground.what);
    });
}

/// A value that shows its number, its length and whether it is whole.
fn numbered(n: u64) -> Vec<u8> {
    let text = format!("{n} ").repeat(1 + (n as usize * 31) % 900);
    let digest = ContentHash::of(text.as_bytes());
    [digest.as_bytes(), text.as_bytes()].concat()
}

fn number_of(bytes: &[u8]) -> Option<u64> {
    let (digest, text) = bytes.split_at_checked(32)?;
    (ContentHash::of(text).as_bytes() == digest).then_some(())?;
    std::str::from_utf8(text)
        .ok()?
        .split(' ')
        .next()?
        .parse()
        .ok()
}

#[test]
fn readers_see_whole_records_in_their_order() {
    each(|ground| {
        let storage = (ground.open)();
        put(&*storage, &name("a"), &numbered(0), Expected::Absent);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let readers: Vec<_> = (1..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        let (own, mut last) = ((ground.open)(), 0);
                        while !is_over.load(Ordering::SeqCst) {
                            let found = get(&*own, &name("a")).expect("it never vanishes");
                            let n = number_of(&found.bytes).expect("it is whole");
                            assert!(n >= last, "{n} after {last}");
                            last = n;
                        }
                    })
                })
                .collect();
            for n in 1..200 {
                put(&*storage, &name("a"), &numbered(n), Expected::Any);
            }
            is_over.store(true, Ordering::SeqCst);
            for reader in readers {
                reader.join().expect(ground.what);
            }
        });
    });
}

fn key(n: u64) -> ContentHash {
    ContentHash::of(&n.to_le_bytes())
}

fn value(n: u64) -> Arc<[u8]> {
    Arc::from(numbered(n))
}

fn blob(blobs: &dyn Blobs, n: u64) -> Option<Arc<[u8]>> {
    wait(blobs.get(&key(n))).expect("it can be read")
}

#[test]
fn a_blob_is_stored_once_and_stays() {
    each(|ground| {
        let storage = (ground.open)();
        let blobs = storage.blobs(AREA);
        assert_eq!(blob(&*blobs, 1), None, "{}", ground.what);
        assert!(!wait(blobs.contains(&key(1))).unwrap());
        assert!(wait(blobs.put_if_absent(key(1), value(1))).unwrap());
        assert!(wait(blobs.contains(&key(1))).unwrap());
        assert!(!wait(blobs.put_if_absent(key(1), value(9))).unwrap());
        assert_eq!(blob(&*blobs, 1), Some(value(1)), "before it is flushed");
        wait(blobs.flush()).unwrap();
        assert!(!wait(blobs.put_if_absent(key(1), value(9))).unwrap());
        assert_eq!(blob(&*blobs, 1), Some(value(1)), "after it is flushed");
        wait(blobs.put(key(2), value(9))).unwrap();
        wait(blobs.put(key(2), value(2))).unwrap();
        assert_eq!(blob(&*blobs, 2), Some(value(2)), "the last one counts");
        wait(blobs.sweep()).unwrap();
        assert_eq!(blobs.size().entries, 2, "{}", ground.what);
        drop((blobs, storage));
        let blobs = (ground.open)().blobs(AREA);
        let found = (1..4).map(|n| blob(&*blobs, n)).collect::<Vec<_>>();
        assert_eq!(found, [Some(value(1)), Some(value(2)), None]);
        assert!(!wait(blobs.put_if_absent(key(1), value(9))).unwrap());
    });
}

#[test]
fn of_concurrent_writers_of_a_blob_one_stores_it() {
    each(|ground| {
        let blobs = (ground.open)().blobs(AREA);
        for n in 0..60 {
            let start = Barrier::new(THREADS);
            let put = |writer: u64| {
                let bytes = value(n * 100 + writer);
                start.wait();
                let is_stored = wait(blobs.put_if_absent(key(n), bytes.clone())).unwrap();
                // What is being written is still there.
                if writer == 0 {
                    wait(blobs.flush()).unwrap();
                }
                is_stored.then_some(bytes)
            };
            let put = &put;
            let stored: Vec<_> = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..THREADS as u64)
                    .map(|writer| scope.spawn(move || put(writer)))
                    .collect();
                let ended = writers.into_iter().map(|writer| writer.join().unwrap());
                ended.flatten().collect()
            });
            assert_eq!(stored.len(), 1, "{}: of {n}", ground.what);
            assert_eq!(blob(&*blobs, n), stored.into_iter().next());
        }
    });
}

#[test]
fn blobs_are_read_while_others_are_written() {
    const COUNT: u64 = 300;
    each(|ground| {
        let blobs = (ground.open)().blobs(AREA);
        let written = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for seed in 1..THREADS as u64 {
                let (blobs, written) = (&blobs, &written);
                scope.spawn(move || {
                    let mut dice = Random::new(seed);
                    loop {
                        let there = written.load(Ordering::SeqCst);
                        let n = dice.below(COUNT as usize) as u64;
                        let found = blob(&**blobs, n);
                        assert!(found.is_some() || n >= there, "{n} of {there}");
                        assert!(found.is_none_or(|found| found == value(n)), "{n}");
                        if there == COUNT {
                            break;
                        }
                    }
                });
            }
            for n in 0..COUNT {
                wait(blobs.put_if_absent(key(n), value(n))).unwrap();
                written.store(n + 1, Ordering::SeqCst);
                if n % 10 == 0 {
                    wait(blobs.flush()).unwrap();
                }
            }
        });
    });
}

/// Only what is on a disk can be damaged there.
#[test]
fn a_damaged_blob_is_missing_and_never_wrong() {
    const COUNT: u64 = 8;
    let folder = tempfile::tempdir().unwrap();
    let open = || Directory::new(folder.path()).blobs(AREA);
    let short = |n: u64| Arc::from(&numbered(n)[..34]);
    let blobs = open();
    for n in 0..COUNT {
        wait(blobs.put_if_absent(key(n), short(n))).unwrap();
    }
    wait(blobs.flush()).unwrap();
    drop(blobs);
    let file = folder.path().join(AREA.folder).join(PACK_FILE);
    let whole = std::fs::read(&file).unwrap();
    let mut missing = 0;
    for at in (0..whole.len()).step_by(3) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&file, &damaged).unwrap();
        let blobs = open();
        for n in 0..COUNT {
            let found = blob(&*blobs, n);
            missing += usize::from(found.is_none());
            assert!(found.is_none_or(|found| found == short(n)), "{n} at {at}");
            // Whoever misses it makes it again.
            let is_there = wait(blobs.contains(&key(n))).unwrap();
            let is_stored = wait(blobs.put_if_absent(key(n), short(n))).unwrap();
            assert_eq!(is_stored, !is_there, "{n} at {at}");
            assert_eq!(blob(&*blobs, n), Some(short(n)), "{n} at {at}");
        }
    }
    assert!(missing > 0, "nothing was damaged");
}

const MINUTE: Term = Term::For(Duration::from_secs(60));

#[test]
fn a_lease_has_one_holder() {
    each(|ground| {
        let (one, other) = ((ground.open)(), (ground.open)());
        for term in [Term::Process, MINUTE] {
            let lease = wait(one.take("a", term)).expect("it is free");
            is_conflict(wait(other.take("a", term)));
            is_conflict(wait(one.take("a", term)));
            let next = wait(other.take("b", term)).expect("another name");
            wait(one.renew(&lease, term)).expect("it is held");
            wait(one.release(lease)).expect("it is held");
            let again = wait(other.take("a", term)).expect(ground.what);
            wait(other.release(again)).unwrap();
            wait(other.release(next)).unwrap();
        }
    });
}

#[test]
fn a_lease_that_is_not_renewed_ends() {
    each(|ground| {
        let (one, other) = ((ground.open)(), (ground.open)());
        let at = |seconds| ground.now.store(seconds, Ordering::SeqCst);
        let lease = wait(one.take("a", MINUTE)).expect("it is free");
        at(1_059);
        is_conflict(wait(other.take("a", MINUTE)));
        wait(one.renew(&lease, MINUTE)).expect("it is held");
        at(1_118);
        is_conflict(wait(other.take("a", MINUTE)));
        at(1_119);
        let next = wait(other.take("a", MINUTE)).expect(ground.what);
        // Whoever had it learns that it is lost, and takes nothing from who has it now.
        is_conflict(wait(one.renew(&lease, MINUTE)));
        wait(one.release(lease)).expect("there is nothing to do");
        is_conflict(wait(one.take("a", MINUTE)));
        wait(other.renew(&next, MINUTE)).expect("it is held");
        wait(other.release(next)).unwrap();
        // One that is late but was not missed goes on.
        let late = wait(one.take("a", MINUTE)).expect("it is free");
        at(2_000);
        wait(one.renew(&late, MINUTE)).expect("nobody else took it");
        is_conflict(wait(other.take("a", MINUTE)));
        wait(one.release(late)).unwrap();
        // One of the process ends with that.
        let lease = wait(one.take("a", Term::Process)).expect("it is free");
        at(9_000_000);
        is_conflict(wait(other.take("a", MINUTE)));
        wait(one.release(lease)).unwrap();
    });
}

#[test]
fn of_concurrent_takers_one_gets_the_lease() {
    each(|ground| {
        // One that ended with its holder alive is taken as well.
        let late = wait((ground.open)().take("a", MINUTE)).expect("it is free");
        for round in 0..30_u64 {
            ground.now.fetch_add(60, Ordering::SeqCst);
            let start = Barrier::new(THREADS);
            let start = &start;
            let taken: Vec<_> = std::thread::scope(|scope| {
                let takers: Vec<_> = (0..THREADS)
                    .map(|_| {
                        scope.spawn(move || {
                            let own = (ground.open)();
                            start.wait();
                            wait(own.take("a", MINUTE)).ok()
                        })
                    })
                    .collect();
                let ended = takers.into_iter().map(|taker| taker.join().unwrap());
                ended.flatten().collect()
            });
            assert_eq!(taken.len(), 1, "{}: round {round}", ground.what);
            // Every second one is left to end.
            if round % 2 == 0 {
                for lease in taken {
                    wait((ground.open)().release(lease)).unwrap();
                }
            } else {
                std::mem::forget(taken);
            }
        }
        is_conflict(wait((ground.open)().renew(&late, MINUTE)));
    });
}

#[test]
fn what_cannot_be_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let open = Directory::new(folder.path());
    let version = put(&open, &name("a"), b"text", Expected::Absent);
    wait(open.blobs(AREA).put_if_absent(key(1), value(1))).unwrap();
    let closed = Directory::closed(folder.path(), &"for a reason".into());
    let found = get(&closed, &name("a")).expect("it is there");
    assert_eq!(found.bytes, b"text");
    assert_eq!(
        wait(closed.list(Kind::Deployments, "")).unwrap(),
        [name("a")]
    );
    let refused = [
        wait(closed.put(&name("a"), b"x", Expected::Any)).err(),
        wait(closed.put(&name("b"), b"x", Expected::Absent)).err(),
        wait(closed.delete(&name("a"), &version)).err(),
        wait(closed.take("lease", Term::Process)).err(),
    ];
    for error in refused {
        let error = error.expect("it is refused");
        assert!(matches!(error, Error::ReadOnly(_)), "{error:?}");
        assert!(error.to_string().ends_with("for a reason"), "{error}");
    }
    let blobs = closed.blobs(AREA);
    assert!(blobs.is_closed());
    assert_eq!(blob(&*blobs, 1), Some(value(1)));
    wait(blobs.put_if_absent(key(2), value(2))).unwrap();
    wait(blobs.sweep()).unwrap();
    drop(blobs);
    assert_eq!(blob(&*open.blobs(AREA), 2), None, "it was not written");
    // A place that can be no folder has nothing in it, and says so to who writes.
    std::fs::write(folder.path().join("file"), "").unwrap();
    let nowhere = Directory::new(&folder.path().join("file/state"));
    assert_eq!(get(&nowhere, &name("a")), None);
    let error = wait(nowhere.put(&name("a"), b"x", Expected::Any)).unwrap_err();
    assert!(error.to_string().contains("file/state"), "{error}");
}

/// Set for the process that writes instead of the test: the folder that it writes to.
const WRITER: &str = "QUIRE_STORAGE_WRITER";

/// Writes more than there is room for.
fn write_too_much(folder: &Path) {
    let storage = Directory::new(folder);
    let lease = wait(storage.take("lock", Term::Process)).expect("it takes no room");
    let version = put(&storage, &name("a"), b"small", Expected::Absent);
    let mut dice = Random::new(1);
    let large: Vec<u8> = (0..64 << 10).map(|_| dice.next() as u8).collect();
    let error = wait(storage.put(&name("a"), &large, Expected::Version(version))).unwrap_err();
    assert!(matches!(error, Error::Full(_)), "{error:?}");
    assert_eq!(get(&storage, &name("a")).expect("it stays").bytes, b"small");
    let left = std::fs::read_dir(folder.join("deployments"))
        .unwrap()
        .count();
    assert_eq!(left, 2, "the record and its lock");
    // What cannot be written stays in memory.
    let blobs = storage.blobs(AREA);
    wait(blobs.put_if_absent(key(1), value(1))).unwrap();
    wait(blobs.flush()).unwrap();
    wait(blobs.put_if_absent(key(2), large.clone().into())).unwrap();
    for _ in 0..2 {
        wait(blobs.flush()).unwrap();
        assert_eq!(blob(&*blobs, 1), Some(value(1)));
        assert_eq!(blob(&*blobs, 2).as_deref(), Some(&large[..]));
    }
    drop(blobs);
    assert_eq!(blob(&*storage.blobs(AREA), 1), Some(value(1)));
    wait(storage.release(lease)).unwrap();
}

#[test]
fn a_full_disk_keeps_what_is_there() {
    if let Some(folder) = std::env::var_os(WRITER) {
        return write_too_much(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let thread = std::thread::current();
    // A limit of 8 KiB on files is the nearest to a full disk that a test can have for itself.
    let output = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -Sf 8; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", thread.name().expect("a test has a name")])
        .env(WRITER, folder.path())
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert!(folder.path().join("deployments/a.jsonl").exists(), "it ran");
}

/// Writes as fast as it can, until a point ends the process.
fn write_until_killed(folder: &Path) {
    let storage = Directory::new(folder);
    let _lease = wait(storage.take("lock", Term::Process)).expect("it is free");
    let blobs = storage.blobs(AREA);
    for n in 1.. {
        let found = get(&storage, &name("a")).map(|record| record.version);
        let expected = found.map_or(Expected::Absent, Expected::Version);
        put(&storage, &name("a"), &numbered(n), expected);
        wait(blobs.put_if_absent(key(n), value(n))).unwrap();
        wait(blobs.flush()).unwrap();
        // For the test to see how far it came.
        std::fs::write(folder.join("done"), n.to_string()).unwrap();
    }
}

#[test]
fn a_kill_within_a_write_leaves_the_old_or_the_new() {
    if let Some(folder) = std::env::var_os(WRITER) {
        return write_until_killed(Path::new(&folder));
    }
    let points = [
        // The point, and which record is there after it is passed for the third time.
        ("deployments-written", 2),
        ("deployments-replaced", 3),
        ("pack-appending", 3),
        ("pack-appended", 3),
    ];
    for (point, expected) in points {
        let folder = tempfile::tempdir().unwrap();
        let thread = std::thread::current();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", thread.name().expect("a test has a name")])
            .env(WRITER, folder.path())
            .env("QUIRE_CRASH_AT", format!("{point}:3"))
            .output()
            .expect("it runs");
        assert_eq!(output.status.signal(), Some(9), "{point}: {output:?}");
        assert_eq!(
            std::fs::read_to_string(folder.path().join("done")).unwrap(),
            "2",
            "{point}"
        );
        let storage = Directory::new(folder.path());
        // Its lease ended with it.
        let lease = wait(storage.take("lock", Term::Process)).expect(point);
        let found = get(&storage, &name("a")).expect("it is there");
        assert_eq!(number_of(&found.bytes), Some(expected), "{point}");
        let blobs = storage.blobs(AREA);
        let there = (1..5).filter(|n| {
            let found = blob(&*blobs, *n);
            assert!(
                found.as_ref().is_none_or(|found| *found == value(*n)),
                "{point}"
            );
            found.is_some()
        });
        let there: BTreeSet<u64> = there.collect();
        // What was flushed is there; of what was not, anything.
        assert!(
            there.is_superset(&BTreeSet::from([1, 2])),
            "{point}: {there:?}"
        );
        assert_eq!(there.contains(&3), point == "pack-appended", "{point}");
        // It goes on, and what was half done is cleared away.
        put(
            &storage,
            &name("a"),
            b"on",
            Expected::Version(found.version),
        );
        wait(blobs.put_if_absent(key(9), value(9))).unwrap();
        wait(blobs.flush()).unwrap();
        assert_eq!(blob(&*blobs, 9), Some(value(9)), "{point}");
        storage.clear_leftovers(Kind::Deployments);
        assert_eq!(
            wait(storage.list(Kind::Deployments, "")).unwrap(),
            [name("a")],
            "{point}"
        );
        let left = std::fs::read_dir(folder.path().join("deployments")).unwrap();
        let left: BTreeSet<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(
            left,
            BTreeSet::from([".lock".into(), "a.jsonl".into()]),
            "{point}"
        );
        wait(storage.release(lease)).unwrap();
    }
}

fn object(storage: &dyn Storage, digest: &ContentHash) -> Option<Vec<u8>> {
    let found = wait(storage.objects().get(digest)).expect("it can be read");
    found.map(|bytes| bytes.to_vec())
}

#[test]
fn an_object_is_what_its_digest_says_and_stays() {
    each(|ground| {
        let (one, other) = ((ground.open)(), (ground.open)());
        let digest = ContentHash::of(b"a page");
        assert_eq!(object(&*one, &digest), None, "{}", ground.what);
        assert_eq!(wait(one.objects().list()).unwrap(), []);
        for storage in [&one, &other] {
            let put = wait(storage.objects().put("a page".into())).unwrap();
            assert_eq!(put, digest);
        }
        let empty = wait(one.objects().put("".into())).unwrap();
        assert_eq!(object(&*other, &digest).as_deref(), Some(&b"a page"[..]));
        assert_eq!(object(&*other, &empty).as_deref(), Some(&b""[..]));
        let mut sizes: Vec<u64> = (wait(other.objects().list()).unwrap().iter())
            .map(|info| info.size)
            .collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [0, 6], "{}", ground.what);
        assert_eq!(object(&*one.below("x"), &digest), None);
    });
}

/// More than any [`Objects::grace`](quire_storage::Objects::grace) after the begin.
const LATER: u64 = 1_000 + 30 * 24 * 60 * 60;

#[test]
fn an_object_that_was_put_again_outlives_a_sweep() {
    each(|ground| {
        let objects = (ground.open)().objects();
        let digest = wait(objects.put("a".into())).unwrap();
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        assert!(!wait(objects.delete(&digest, at(1_000))).unwrap());
        ground.now.store(LATER, Ordering::SeqCst);
        // Another deployment has it too, just before the sweep comes by.
        wait((ground.open)().objects().put("a".into())).unwrap();
        assert!(!wait(objects.delete(&digest, at(LATER - 500))).unwrap());
        assert!(wait(objects.delete(&digest, at(LATER + 1))).unwrap());
        assert!(!wait(objects.delete(&digest, at(LATER + 1))).unwrap());
        assert_eq!(wait(objects.get(&digest)).unwrap(), None, "{}", ground.what);
        assert_eq!(wait(objects.list()).unwrap(), []);
    });
}

#[test]
fn a_touched_object_outlives_a_sweep() {
    each(|ground| {
        let objects = (ground.open)().objects();
        let digest = ContentHash::of(b"a");
        assert!(!wait(objects.touch(&digest)).unwrap(), "{}", ground.what);
        wait(objects.put("a".into())).unwrap();
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        ground.now.store(LATER, Ordering::SeqCst);
        assert!(wait((ground.open)().objects().touch(&digest)).unwrap());
        assert!(!wait(objects.delete(&digest, at(LATER - 500))).unwrap());
        assert!(wait(objects.delete(&digest, at(LATER + 1))).unwrap());
        assert!(!wait(objects.touch(&digest)).unwrap());
    });
}

/// Only what is on a disk can be damaged there.
#[test]
fn a_damaged_object_is_missing_until_it_is_put_again() {
    let folder = tempfile::tempdir().unwrap();
    let objects = Directory::new(folder.path()).objects();
    let digest = wait(objects.put("whole".into())).unwrap();
    let name = quire_storage::objects::hex(&digest);
    let file = folder
        .path()
        .join("objects")
        .join(&name[..2])
        .join(&name[2..]);
    std::fs::write(&file, "whale").unwrap();
    assert_eq!(wait(objects.get(&digest)).unwrap(), None);
    wait(objects.put("whole".into())).unwrap();
    let found = wait(objects.get(&digest)).unwrap();
    assert_eq!(found.as_deref(), Some(&b"whole"[..]));
    // What someone else has put there is no object.
    std::fs::write(file.with_file_name("notes"), "").unwrap();
    assert_eq!(wait(objects.list()).unwrap().len(), 1);
    let closed = Directory::closed(folder.path(), &"read-only".into()).objects();
    assert!(matches!(
        wait(closed.put("more".into())),
        Err(Error::ReadOnly(_))
    ));
    assert!(wait(closed.get(&digest)).unwrap().is_some());
}
