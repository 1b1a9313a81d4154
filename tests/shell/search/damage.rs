//! Whatever happens to the folder of an index, it is noticed and made anew.

use std::path::Path;
use std::sync::LazyLock;

use queries::search::SearchDocument;
use quire_search::index::{Answer, Changes, Index, Options};

use crate::random_numbers::Random;
use crate::search::invented::{ask, changed, embed, follow, page};

type Damage = Box<dyn Fn(&mut Vec<u8>)>;

fn pages() -> Vec<SearchDocument> {
    let text = "A webhook tells us of pushes. ".repeat(30);
    (0..20)
        .map(|i| {
            page(
                &format!("/page-{i}"),
                &format!("Page {i}"),
                &[("", &text), ("More", "deploy the server")],
            )
        })
        .collect()
}

/// An index in `folder` with some history: several segments, and deleted entries.
fn written(folder: &Path) {
    let index = Index::open(Some(folder), Options::default()).expect("an index");
    follow(&index, &pages()[..12]);
    follow(&index, &[page("/page-3", "Old", &[("", "gone")])]);
    follow(&index, &pages());
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

fn answers(index: &Index) -> Vec<Answer> {
    ["webhook", "server page 7", "gone"]
        .map(|query| ask(index, query))
        .into()
}

/// Opens what is in `folder`: it holds what was written, or nothing. Follows, and must then answer like any other.
fn check(folder: &Path, what: &str) -> bool {
    check_one_of(folder, &[pages()], what)
}

/// Opens what is in `folder`: it holds one of `states`, or nothing. Follows, and must then answer like any other.
fn check_one_of(folder: &Path, states: &[Vec<SearchDocument>], what: &str) -> bool {
    let index = Index::open(Some(folder), Options::default()).expect("an index");
    let manifest = index.manifest();
    let is_kept = states.iter().any(|pages| {
        let changes = pages.iter().map(changed);
        let expected = changes.map(|one| (one.document.route.clone(), one.digest));
        manifest == expected.collect()
    });
    assert!(is_kept || manifest.is_empty(), "{what}: {manifest:?}");
    let changes: Vec<_> = pages().iter().map(changed).collect();
    index
        .follow(
            &Changes {
                gone: &[],
                changed: &changes,
            },
            embed,
        )
        .expect("followed");
    static EXPECTED: LazyLock<Vec<Answer>> =
        LazyLock::new(|| answers(&crate::search::invented::index(&pages())));
    assert_eq!(answers(&index), *EXPECTED, "{what}");
    is_kept
}

#[test]
fn a_damaged_index_is_made_anew() {
    let whole = tempfile::tempdir().expect("a folder");
    written(whole.path());
    assert!(check(whole.path(), "as it was"));
    let mut files: Vec<_> = std::fs::read_dir(whole.path())
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    files.sort();
    assert!(files.len() > 8, "{files:?}");
    let mut kept = Vec::new();
    for file in &files {
        let size = std::fs::metadata(whole.path().join(file))
            .expect("a size")
            .len() as usize;
        let mut damages: Vec<(String, Damage)> = vec![
            (
                "truncated".to_owned(),
                Box::new(move |bytes| bytes.truncate(size / 2)),
            ),
            ("emptied".to_owned(), Box::new(|bytes| bytes.clear())),
            ("zeroed".to_owned(), Box::new(|bytes| bytes.fill(0))),
            (
                "half zeroed".to_owned(),
                Box::new(move |bytes| bytes[size / 2..].fill(0)),
            ),
            (
                "longer".to_owned(),
                Box::new(|bytes| bytes.extend_from_slice(b"more")),
            ),
        ];
        for i in 0..4 {
            let at = (size.saturating_sub(1)) * i / 3;
            damages.push((
                format!("flipped at {at}"),
                Box::new(move |bytes| {
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 0x21;
                    }
                }),
            ));
        }
        for (name, damage) in damages {
            let folder = tempfile::tempdir().expect("a folder");
            copy(whole.path(), folder.path());
            let path = folder.path().join(file);
            let mut bytes = std::fs::read(&path).expect("bytes");
            damage(&mut bytes);
            std::fs::write(&path, bytes).expect("written");
            if check(folder.path(), &format!("{} {name}", file.display())) {
                kept.push(format!("{} {name}", file.display()));
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        copy(whole.path(), folder.path());
        std::fs::remove_file(folder.path().join(file)).expect("removed");
        check(folder.path(), &format!("{} removed", file.display()));
    }
    // A damage that changes nothing is no reason to begin anew, but it is rare.
    assert!(kept.len() < files.len() * 2, "{kept:#?}");
}

/// Nobody waits for the disk when an index is written: after a loss of power each file may be there, missing, short, empty of
/// what was written to it, or the one that was there before.
#[test]
fn an_index_that_was_half_written_when_the_power_went_is_made_anew() {
    let (before, after) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let index = Index::open(Some(after.path()), Options::default()).expect("an index");
    let states = [pages()[..12].to_vec(), pages()];
    follow(&index, &states[0]);
    copy(after.path(), before.path());
    follow(&index, &states[1]);
    drop(index);
    let mut dice = Random::new(7);
    let (mut kept, mut lost) = (0, 0);
    for round in 0..80 {
        let folder = tempfile::tempdir().expect("a folder");
        copy(after.path(), folder.path());
        let mut entries: Vec<_> = std::fs::read_dir(after.path())
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        entries.sort();
        let mut what = format!("round {round}");
        for name in entries {
            // Most of it was written.
            if dice.below(4) != 0 {
                continue;
            }
            let path = folder.path().join(&name);
            let mut bytes = std::fs::read(&path).expect("bytes");
            let at = dice.below(bytes.len() + 1);
            let is_done = match dice.below(4) {
                0 => std::fs::remove_file(&path),
                1 => std::fs::write(&path, &bytes[..at]),
                2 => {
                    bytes[at..].fill(0);
                    std::fs::write(&path, &bytes)
                }
                _ => match std::fs::read(before.path().join(&name)) {
                    Ok(older) => std::fs::write(&path, older),
                    Err(_) => std::fs::remove_file(&path),
                },
            };
            is_done.expect("damaged");
            what.push_str(&format!(", {}", name.display()));
        }
        match check_one_of(folder.path(), &states, &what) {
            true => kept += 1,
            false => lost += 1,
        }
    }
    assert!(kept > 0 && lost > 20, "{kept} kept, {lost} made anew");
}

#[test]
fn an_index_that_was_made_otherwise_is_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path());
    std::fs::write(folder.path().join("notes.txt"), "mine").expect("written");
    let other = Options {
        embedder: "another".to_owned(),
        ..Options::default()
    };
    assert_eq!(
        Index::open(Some(folder.path()), other)
            .expect("an index")
            .manifest()
            .len(),
        0
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("notes.txt")).expect("kept"),
        "mine"
    );
}
