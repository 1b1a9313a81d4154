//! Reading site files: ignore rules, symbolic links, unreadable files, buffers of large texts.

use super::*;

fn site(files: &[(&str, &str)]) -> (tempfile::TempDir, Sources) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let sources = Sources::open(folder.path()).unwrap();
    (folder, sources)
}

/// A file that is being written has another length than it had a moment ago.
#[test]
fn a_text_is_read_to_its_end_whatever_length_was_expected() {
    // Two bytes at a time, as a slow disk might.
    struct Slow<'a>(&'a [u8]);
    impl Read for Slow<'_> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            let most = room.len().min(2);
            self.0.read(&mut room[..most])
        }
    }
    for length in 0..20 {
        let before = vec![b'x'; length * 2];
        let read = read_text(&mut Slow(b"words of a page"), length, before).unwrap();
        assert_eq!(&*read, b"words of a page", "{length} expected");
    }
    assert_eq!(read_text(&mut Slow(b""), 3, Vec::new()).unwrap(), b"");
}

#[test]
fn a_large_specification_is_read_into_the_buffer_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("api.json");
    let sources = Sources::open(folder.path()).unwrap();
    let paths = [SitePath::new("api.json").unwrap()];
    let read = |fill: &str, length: usize| {
        let text = fill.repeat(length);
        fs::write(&place, &text).unwrap();
        let [FileState::Text(bytes)] = &sources.look_again(&paths)[..] else {
            panic!("no text");
        };
        assert!(**bytes == *text.as_bytes(), "{fill} {length}");
        bytes.clone()
    };
    let at = |bytes: &TextBytes| bytes.as_ptr();
    let first = read("a", LARGE);
    let second = read("b", LARGE + 1);
    // Whoever has a text keeps it.
    let third = read("c", LARGE + 2);
    assert!(first.iter().all(|byte| *byte == b'a'));
    assert_ne!(at(&first), at(&third));
    let free = at(&second);
    drop((first, second));
    let fourth = read("d", LARGE + 3);
    assert_eq!(at(&fourth), free);
    assert!(third.iter().all(|byte| *byte == b'c'));
    let free = at(&third);
    drop(third);
    assert_eq!(at(&read("e", LARGE)), free);
    // Nothing is kept of a text that is gone, nor in idle moments.
    read("f", LARGE);
    assert_eq!(sources.lock_buffers().len(), 1);
    sources.give_up_buffers();
    assert!(sources.lock_buffers().is_empty());
    read("g", LARGE);
    fs::remove_file(&place).unwrap();
    sources.look_again(&paths);
    assert!(sources.lock_buffers().is_empty());
}

#[test]
fn only_files_that_count_are_walked() {
    let files = [
        "a.mdx",
        ".git/b.mdx",
        "node_modules/c.mdx",
        "README.md",
        "CLAUDE.md",
        "d/AGENTS.md",
        "d/e.md",
        "docs.json",
        "drafts/f.mdx",
        "g.png",
    ];
    let mut files: Vec<_> = files.iter().map(|file| (*file, "x")).collect();
    files.push((".mintignore", "drafts/\n"));
    let (_folder, sources) = site(&files);
    let found: Vec<_> = sources
        .walk(&sources.root(), &mut |_| {})
        .files
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = ["a.mdx", "d/AGENTS.md", "d/e.md", "docs.json", "g.png"];
    assert_eq!(found, expected);
}

#[test]
fn the_output_of_a_build_is_no_source() {
    let files = [("a.mdx", "x"), ("out/b.png", "x"), ("out/c/d.png", "x")];
    let (folder, sources) = site(&files);
    fs::write(folder.path().join("out").join(BUILD_LIST), "").unwrap();
    let found = sources.walk(&sources.root(), &mut |_| {}).files;
    assert_eq!(found, [SitePath::new("a.mdx").unwrap()]);
    let path = SitePath::new("out/c/d.png").unwrap();
    assert!(matches!(sources.look(&path), FileState::Absent));
}

/// Modes do not stop whoever may everything; a link that leads to itself stops everybody.
#[test]
fn what_cannot_be_read_is_not_absent() {
    use std::os::unix::fs::symlink;
    let (folder, sources) = site(&[("a.mdx", "x"), ("b", "a file")]);
    let at = |path: &str| folder.path().join(path);
    symlink(at("loop.mdx"), at("loop.mdx")).unwrap();
    symlink(at("nowhere"), at("dangling.mdx")).unwrap();
    let walk = sources.walk(&sources.root(), &mut |_| {});
    let found: Vec<_> = walk.files.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["a.mdx", "b", "loop.mdx"]);
    let look = |path: &str| sources.look(&SitePath::new(path).unwrap());
    let FileState::Unreadable(reason) = look("loop.mdx") else {
        panic!("{:?}", look("loop.mdx"));
    };
    let place = sources.root().join("loop.mdx");
    let why = format!("{} cannot be read: Too many", place.display());
    assert!(reason.why.starts_with(&why), "{}", reason.why);
    assert!(
        reason.hint.contains("leads back to itself"),
        "{}",
        reason.hint
    );
    for absent in ["dangling.mdx", "none.mdx", "b/none.mdx", "none/none.mdx"] {
        assert!(matches!(look(absent), FileState::Absent), "{absent}");
    }
    let everything = sources.everything([SitePath::new("gone.mdx").unwrap()]);
    let lines: Vec<_> = everything
        .iter()
        .map(|change| match &change.state {
            FileState::Unreadable(_) => format!("{}: unreadable", change.path),
            FileState::Absent => format!("{}: absent", change.path),
            _ => change.path.to_string(),
        })
        .collect();
    assert_eq!(
        lines,
        ["a.mdx", "b", "gone.mdx: absent", "loop.mdx: unreadable"]
    );
    // Without its rules nobody knows what is to be left out.
    symlink("/etc/hostname", at(IGNORE_FILE)).unwrap();
    let error = Sources::open(folder.path()).err().unwrap().to_string();
    assert!(error.ends_with("it is not a file of the site"), "{error}");
    fs::remove_file(at(IGNORE_FILE)).unwrap();
    symlink(at(IGNORE_FILE), at(IGNORE_FILE)).unwrap();
    let error = Sources::open(folder.path()).err().unwrap();
    assert!(error.to_string().contains(IGNORE_FILE), "{error}");
}

/// What is left out stays so under another name.
#[test]
fn a_link_to_what_is_ignored_is_absent() {
    use std::os::unix::fs::symlink;
    let (folder, sources) = site(&[
        (".mintignore", "drafts/\n*.private.txt\n"),
        (".env", "canary"),
        ("a.mdx", "x"),
        ("a.mdx~", "canary"),
        ("drafts/b.mdx", "canary"),
        ("c.private.txt", "canary"),
        ("docs.json", "{}"),
        ("README.md", "x"),
    ]);
    let at = |path: &str| folder.path().join(path);
    for (target, path) in [
        (".env", "env.txt"),
        ("a.mdx~", "backup.mdx"),
        ("drafts/b.mdx", "b.mdx"),
        ("c.private.txt", "c.txt"),
        ("README.md", "index.md"),
    ] {
        symlink(target, at(path)).unwrap();
    }
    symlink(at("drafts"), at("public")).unwrap();
    // A link to a link.
    symlink("b.mdx", at("d.mdx")).unwrap();
    let found = sources.walk(&sources.root(), &mut |_| {}).files;
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["a.mdx", "docs.json", "index.md"]);
    for path in [
        "env.txt",
        "backup.mdx",
        "b.mdx",
        "c.txt",
        "d.mdx",
        "public/b.mdx",
    ] {
        let path = SitePath::new(path).unwrap();
        assert!(
            matches!(sources.look(&path), FileState::Absent),
            "look {path}"
        );
        assert!(sources.open_file(&path).unwrap().is_none(), "open {path}");
    }
}

/// Between a look at where a path leads and the opening of it somebody may put something else there.
#[test]
fn a_link_that_is_swapped_while_it_is_read_leads_nowhere_outside() {
    let (folder, sources) = site(&[("a/page.txt", "inside"), ("b.txt", "inside")]);
    let (outside, _) = site(&[("page.txt", "canary")]);
    let rounds = std::env::var("QUIRE_SWAPS");
    let rounds = rounds.map_or(5_000, |rounds| rounds.parse().unwrap());
    let leaks = swapped(folder.path(), outside.path(), rounds, &|path| {
        sources.open_file(path)
    });
    assert_eq!(leaks, 0);
}

/// Number of reads, in `rounds` attempts, in which `open` returned a file of `outside`. Paths in
/// `folder` are files, folders, links to those and links out of the site by turns.
fn swapped(
    folder: &Path,
    outside: &Path,
    rounds: usize,
    open: &dyn Fn(&SitePath) -> io::Result<Option<fs::File>>,
) -> usize {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    let is_over = AtomicBool::new(false);
    let at = |path: &str| folder.join(path);
    let swap = || {
        for target in [at("b.txt"), outside.join("page.txt")].iter().cycle() {
            let _ = fs::remove_file(at("new"));
            symlink(target, at("new")).unwrap();
            fs::rename(at("new"), at("a/page.txt")).unwrap();
            // The folder, too.
            let _ = fs::rename(at("a"), at("hidden"));
            symlink(outside, at("a")).unwrap();
            fs::remove_file(at("a")).unwrap();
            fs::rename(at("hidden"), at("a")).unwrap();
            if is_over.load(Ordering::Relaxed) {
                return;
            }
        }
    };
    let path = SitePath::new("a/page.txt").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(swap);
        let mut leaks = 0;
        let mut read = 0;
        for _ in 0..rounds {
            let mut text = String::new();
            if let Ok(Some(mut file)) = open(&path) {
                file.read_to_string(&mut text).unwrap();
                read += usize::from(text == "inside");
                leaks += usize::from(text == "canary");
            }
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(read > 0, "nothing was ever read");
        leaks
    })
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_root_is_absent() {
    let (folder, sources) = site(&[("a.mdx", "x")]);
    let (outside, _) = site(&[("secret.mdx", "canary")]);
    std::os::unix::fs::symlink(
        outside.path().join("secret.mdx"),
        folder.path().join("b.mdx"),
    )
    .unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("c")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("a.mdx"), folder.path().join("d.mdx")).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".git/config"), "canary").unwrap();
    std::os::unix::fs::symlink(".git/config", folder.path().join("e.mdx")).unwrap();
    let found: Vec<_> = sources
        .walk(&sources.root(), &mut |_| {})
        .files
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(found, ["a.mdx", "d.mdx"]);
    for path in ["b.mdx", "c/secret.mdx", "e.mdx"] {
        assert!(matches!(
            sources.look(&SitePath::new(path).unwrap()),
            FileState::Absent
        ));
    }
}

/// The files of `sources`, as they are walked.
fn walked(sources: &Sources) -> Vec<String> {
    let walk = sources.walk(&sources.root(), &mut |_| ());
    walk.files.iter().map(SitePath::to_string).collect()
}

#[test]
fn a_readme_or_a_changelog_is_a_page_where_the_configuration_lists_one_or_is_absent() {
    let files = [
        ("CHANGELOG.md", ""),
        ("README.md", ""),
        ("a/CHANGELOG.md", ""),
        ("a/README.md", ""),
        ("CONTRIBUTING.md", ""),
        ("LICENSE.md", ""),
    ];
    let (_folder, sources) = site(&files);
    let pages = ["CHANGELOG.md", "README.md", "a/CHANGELOG.md", "a/README.md"];
    assert_eq!(walked(&sources), pages);
    for (config, expected) in [
        (
            r#"{"pages": ["a/README"]}"#,
            &["README.md", "a/README.md"][..],
        ),
        (
            r#"{"pages": ["CHANGELOG"]}"#,
            &["CHANGELOG.md", "a/CHANGELOG.md"],
        ),
        (r#"{"pages": ["README", "CHANGELOG"]}"#, &pages),
        (r#"{"url": "https://example.org/README.md"}"#, &[]),
    ] {
        let (_folder, sources) = site(&[&files[..], &[("docs.json", config)]].concat());
        let mut found = walked(&sources);
        found.retain(|path| path != "docs.json");
        assert_eq!(found, expected, "{config}");
    }
}

#[test]
fn of_a_single_document_nothing_else_in_its_folder_counts() {
    let (folder, sources) = site(&[
        ("api.yaml", "openapi: 3.1.0"),
        ("docs.json", "{}"),
        ("a.md", ""),
    ]);
    assert!(sources.has_config());
    let sources = Sources::open(&folder.path().join("api.yaml")).unwrap();
    assert_eq!(walked(&sources), ["api.yaml"]);
    assert!(!sources.has_config() && sources.holds_content());
    assert_eq!(sources.requested_path(), folder.path());
}

#[test]
fn a_folder_holds_content_if_a_page_or_a_specification_is_in_it() {
    for (path, text, expected) in [
        ("a/b/c.md", "", true),
        ("a/api.yml", "asyncapi: 3.0.0", true),
        ("package.json", "{\"name\": \"x\"}", false),
        ("node_modules/a.md", "", false),
        ("notes.txt", "openapi", false),
    ] {
        let (_folder, sources) = site(&[(path, text)]);
        assert_eq!(sources.holds_content(), expected, "{path}");
    }
}
