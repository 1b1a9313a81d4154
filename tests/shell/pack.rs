//! The artifact pack under everything that can happen to a file: never a wrong byte, never a panic, at worst a miss.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use queries::base::content::ContentHash;
use quire_storage::pack::{INDEX_FILE, PACK_FILE, Pack};

use crate::random_numbers::Random;

fn key(n: u64) -> ContentHash {
    ContentHash::of(&n.to_le_bytes())
}

/// A value that can be told from every other, and of a length of its own.
fn value(n: u64) -> Arc<[u8]> {
    let len = 40 + (n as usize * 37) % 400;
    let mut text = format!("value {n} ");
    while text.len() < len {
        text.push_str("qREC ");
    }
    Arc::from(text.into_bytes())
}

/// The pack in `folder`, to write. A program that another test starts has copies of every lock of this process for a
/// moment, until it runs.
fn open(folder: &Path) -> Pack {
    loop {
        let pack = Pack::open(folder);
        if pack.is_writer() {
            return pack;
        }
    }
}

/// Puts the values `numbers` into the pack in `folder`, and closes it.
fn fill(folder: &Path, numbers: impl IntoIterator<Item = u64>) {
    let pack = open(folder);
    for n in numbers {
        pack.put(key(n), value(n));
        pack.flush();
    }
}

/// Which of the values below `count` are there. Each that is there must be the right one.
#[track_caller]
fn present(pack: &Pack, count: u64, what: &str) -> Vec<u64> {
    let there = (0..count).filter(|n| {
        let found = pack.get(&key(*n));
        if let Some(found) = &found {
            assert!(**found == *value(*n), "a wrong value: {what}");
        }
        found.is_some()
    });
    there.collect()
}

fn all(count: u64) -> Vec<u64> {
    (0..count).collect()
}

#[test]
fn what_is_put_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let pack = open(folder.path());
    pack.put(key(1), value(1));
    assert_eq!(pack.get(&key(1)), Some(value(1)), "before it is written");
    pack.flush();
    assert_eq!(pack.get(&key(1)), Some(value(1)), "after it is written");
    pack.put(key(1), value(2));
    assert_eq!(pack.get(&key(1)), Some(value(2)), "the last one counts");
    drop(pack);
    let pack = open(folder.path());
    assert_eq!(pack.get(&key(1)), Some(value(2)));
    assert_eq!(pack.get(&key(2)), None);
}

#[test]
fn the_index_is_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 0..20);
    let index = folder.path().join(INDEX_FILE);
    let old = fs::read(&index).unwrap();
    fill(folder.path(), 20..30);
    let check = |what: &str| {
        assert_eq!(present(&open(folder.path()), 30, what), all(30), "{what}");
    };
    fs::write(&index, &old).unwrap();
    check("an old one is completed");
    fs::write(&index, b"quireidx and then nothing of the kind").unwrap();
    check("a damaged one is not used");
    fs::remove_file(&index).unwrap();
    check("without one the records are walked");
    // One of another pack, for places where other things are.
    let other = tempfile::tempdir().unwrap();
    fill(other.path(), 5..30);
    fs::copy(other.path().join(INDEX_FILE), &index).unwrap();
    check("one of another pack is not used");
}

#[test]
fn damage_costs_values_and_never_makes_wrong_ones() {
    let folder = tempfile::tempdir().unwrap();
    const COUNT: u64 = 40;
    fill(folder.path(), 0..COUNT);
    let (pack_file, index_file) = (
        folder.path().join(PACK_FILE),
        folder.path().join(INDEX_FILE),
    );
    let (pack_bytes, index_bytes) = (
        fs::read(&pack_file).unwrap(),
        fs::read(&index_file).unwrap(),
    );
    let mut dice = Random::new(7);
    let mut left = 0;
    let mut kinds = [0; 6];
    for round in 0..2_000 {
        let (mut pack, mut index) = (pack_bytes.clone(), index_bytes.clone());
        // The index with it, without it, or alone.
        let on_index = dice.below(4) == 0;
        if dice.below(3) == 0 {
            index.clear();
        }
        let bytes = if on_index { &mut index } else { &mut pack };
        let kind = dice.below(6);
        kinds[kind] += 1;
        for _ in 0..=dice.below(3) {
            damage(bytes, kind, &mut dice);
        }
        fs::write(&pack_file, &pack).unwrap();
        fs::write(&index_file, &index).unwrap();
        let opened = open(folder.path());
        let what = format!("round {round}, kind {kind}, index {on_index}");
        left += present(&opened, COUNT, &what).len();
        // It goes on: what is put now is kept.
        opened.put(key(999), value(999));
        opened.flush();
        assert_eq!(opened.get(&key(999)), Some(value(999)), "{what}");
        drop(opened);
        let opened = open(folder.path());
        assert_eq!(
            opened.get(&key(999)),
            Some(value(999)),
            "{what}, opened again"
        );
        present(&opened, COUNT, &what);
    }
    assert!(kinds.iter().all(|count| *count > 200), "{kinds:?}");
    // Most damages cost a few values each.
    let share = left as f64 / (2_000.0 * COUNT as f64);
    assert!(share > 0.75, "only {share} of all values were left");
}

/// Damages `bytes`: flips a bit, cuts the end off, swaps two stretches, zeroes one, appends garbage, copies one elsewhere.
fn damage(bytes: &mut Vec<u8>, kind: usize, dice: &mut Random) {
    if bytes.len() < 2 {
        bytes.push(b'q');
        return;
    }
    let len = (1 + dice.below(300)).min(bytes.len() / 2);
    let at = dice.below(bytes.len() - len);
    let other = dice.below(bytes.len() - len);
    match kind {
        0 => bytes[at] ^= 1 << dice.below(8),
        // Near the end, as a crash does; sometimes anywhere.
        1 if dice.below(8) > 0 => bytes.truncate(bytes.len() - len),
        1 => bytes.truncate(at),
        2 => {
            for i in 0..len {
                bytes.swap(at + i, other + i);
            }
        }
        3 => bytes[at..at + len].fill(0),
        4 => bytes.extend((0..len).map(|_| dice.next() as u8)),
        _ => bytes.copy_within(at..at + len, other),
    }
}

#[test]
fn a_record_that_was_cut_anywhere_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 0..5);
    let file = folder.path().join(PACK_FILE);
    let before = fs::read(&file).unwrap();
    fill(folder.path(), 5..6);
    let after = fs::read(&file).unwrap();
    assert!(after.starts_with(&before), "records are appended");
    for len in before.len()..after.len() {
        for keeps_index in [true, false] {
            fs::write(&file, &after[..len]).unwrap();
            if !keeps_index {
                let _ = fs::remove_file(folder.path().join(INDEX_FILE));
            }
            let pack = open(folder.path());
            assert_eq!(present(&pack, 6, &format!("cut at {len}")), all(5));
            assert_eq!(fs::metadata(&file).unwrap().len(), before.len() as u64);
            pack.put(key(5), value(5));
            drop(pack);
            assert_eq!(present(&open(folder.path()), 6, "made again"), all(6));
        }
    }
}

#[test]
fn a_foreign_file_and_another_version_are_no_packs() {
    let garbage = vec![b'x'; 5_000];
    let mut newer = {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), 0..5);
        fs::read(folder.path().join(PACK_FILE)).unwrap()
    };
    newer[8] = 200;
    for bytes in [&b""[..], b"q", b"quirepak", &garbage, &newer] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(PACK_FILE), bytes).unwrap();
        let pack = open(folder.path());
        assert!(present(&pack, 5, "of something else").is_empty());
        pack.put(key(1), value(1));
        drop(pack);
        assert_eq!(present(&open(folder.path()), 5, "begun anew"), [1]);
    }
}

#[test]
fn a_folder_in_the_place_of_the_file_leaves_a_pack_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(PACK_FILE)).unwrap();
    let pack = Pack::open(folder.path());
    pack.put(key(1), value(1));
    pack.idle();
    assert_eq!(pack.get(&key(1)), Some(value(1)));
    let nowhere = Pack::open(Path::new("/proc/nowhere"));
    nowhere.put(key(1), value(1));
    nowhere.idle();
    assert_eq!(nowhere.get(&key(1)), Some(value(1)));
}

#[test]
fn a_folder_that_cannot_be_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 0..5);
    // Files that may not be written either way: one for users, one for whoever may everything.
    fs::remove_file(folder.path().join("artifacts.lock")).unwrap();
    fs::create_dir(folder.path().join("artifacts.lock")).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let before = fs::read(folder.path().join(PACK_FILE)).unwrap();
    let pack = Pack::open(folder.path());
    assert!(!pack.is_writer());
    pack.put(key(7), value(7));
    pack.idle();
    assert_eq!(present(&pack, 8, "read only"), [0, 1, 2, 3, 4, 7]);
    drop(pack);
    assert_eq!(fs::read(folder.path().join(PACK_FILE)).unwrap(), before);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn one_process_writes_and_the_others_read() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 0..5);
    let first = open(folder.path());
    let second = Pack::open(folder.path());
    assert!(first.is_writer() && !second.is_writer());
    second.put(key(6), value(6));
    second.idle();
    first.put(key(5), value(5));
    first.flush();
    assert_eq!(present(&first, 7, "the writer"), all(6));
    // The second knows what was there when it came, and what it made itself.
    assert_eq!(present(&second, 7, "the reader"), [0, 1, 2, 3, 4, 6]);
    drop(second);
    drop(first);
    assert!(
        open(folder.path()).is_writer(),
        "the lock goes with its holder"
    );
    assert_eq!(present(&open(folder.path()), 7, "later"), all(6));
}

#[test]
fn the_file_keeps_its_bound_and_what_was_used_last() {
    let folder = tempfile::tempdir().unwrap();
    let limit = 64 << 10;
    let pack = Pack::with_limit(folder.path(), limit);
    let bound = || {
        let len = fs::metadata(folder.path().join(PACK_FILE)).unwrap().len();
        assert!(len <= limit, "{len} bytes");
    };
    for n in 0..2_000 {
        pack.put(key(n), value(n));
        if n % 10 == 0 {
            pack.flush();
            // Two that are used all the time.
            assert_eq!(pack.get(&key(0)), Some(value(0)), "after {n}");
            bound();
        }
    }
    pack.idle();
    bound();
    let there = present(&pack, 2_000, "after compactions");
    assert!(there.contains(&0) && there.contains(&1_999));
    assert!(!there.contains(&100), "what nobody used goes first");
    let size = pack.size();
    drop(pack);
    let pack = Pack::with_limit(folder.path(), limit);
    assert_eq!(pack.size(), size);
    assert_eq!(present(&pack, 2_000, "after a restart"), there);
}

#[test]
fn a_reader_is_not_disturbed_by_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let limit = 64 << 10;
    fill(folder.path(), 0..50);
    let writer = Pack::with_limit(folder.path(), limit);
    let reader = Pack::with_limit(folder.path(), limit);
    for n in 1_000..2_000 {
        writer.put(key(n), value(n));
        writer.flush();
    }
    assert_eq!(present(&reader, 50, "the file of before"), all(50));
}

#[test]
fn many_threads_find_what_they_put() {
    let folder = tempfile::tempdir().unwrap();
    let pack = Pack::with_limit(folder.path(), 1 << 20);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let pack = &pack;
            scope.spawn(move || {
                for n in 0..500 {
                    let n = thread * 1_000 + n;
                    pack.put(key(n), value(n));
                    if n % 7 == 0 {
                        pack.flush();
                    }
                    assert_eq!(pack.get(&key(n)), Some(value(n)));
                }
            });
        }
    });
}

/// What is no file is not written to.
#[cfg(target_os = "linux")]
#[test]
fn a_device_in_the_place_of_the_file_leaves_a_pack_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join(PACK_FILE)).unwrap();
    let pack = Pack::open(folder.path());
    for n in 0..5 {
        pack.put(key(n), value(n));
        pack.idle();
    }
    assert_eq!(present(&pack, 5, "in memory"), all(5));
}
