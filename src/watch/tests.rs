//! What a watch sees, told event by event.

use std::fs;

use notify::event::Flag;

use super::*;

/// Remembers what it was told to be there.
#[derive(Default)]
struct Memory(BTreeSet<SitePath>);

impl ChangeSink for Memory {
    fn files_under(&self, _: &str) -> Vec<SitePath> {
        self.0.iter().cloned().collect()
    }

    fn changed(
        &mut self,
        changes: Vec<FileChange>,
        _: &BTreeSet<SitePath>,
    ) -> BTreeMap<SitePath, ContentHash> {
        for FileChange { path, state } in changes {
            if matches!(state, FileState::Absent) {
                self.0.remove(&path);
            } else {
                self.0.insert(path);
            }
        }
        BTreeMap::new()
    }

    fn settled(&mut self, _: Vec<FileChange>) {}

    fn unreadable(&self) -> Vec<SitePath> {
        Vec::new()
    }

    fn moment(&mut self) {}

    fn idle(&mut self) {}
}

fn lost_events() -> notify::Result<Event> {
    Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan))
}

#[test]
fn ignore_rules_written_unseen_count_after_a_full_look() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), "{}").unwrap();
    fs::write(folder.path().join(IGNORE_FILE), "a.mdx\n").unwrap();
    fs::write(folder.path().join("a.mdx"), "").unwrap();
    fs::write(folder.path().join("b.mdx"), "").unwrap();
    let sources = Sources::open(folder.path()).unwrap();
    let (messages, _inbox) = channel();
    let mut watcher = FolderWatcher::open(sources, Memory::default(), messages).unwrap();
    fs::write(folder.path().join(IGNORE_FILE), "b.mdx\n").unwrap();
    watcher.on_event(lost_events());
    let known: Vec<_> = watcher.sink.0.iter().map(ToString::to_string).collect();
    assert_eq!(known, ["a.mdx", "docs.json"]);
}

#[test]
fn a_long_file_is_not_read_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), "{}").unwrap();
    let sources = Sources::open(folder.path()).unwrap();
    let root = sources.root();
    let (messages, _inbox) = channel();
    let mut watcher = FolderWatcher::open(sources, Memory::default(), messages).unwrap();
    let write = |path: &str, len: usize| fs::write(root.join(path), "x".repeat(len)).unwrap();
    let known = |watcher: &FolderWatcher<Memory>| -> Vec<String> {
        watcher.sink.0.iter().map(ToString::to_string).collect()
    };
    let written = |path: &str| {
        let kind = EventKind::Modify(ModifyKind::Data(notify::event::DataChange::Any));
        Ok(Event::new(kind).add_path(root.join(path)))
    };
    write("long.json", 100_000);
    write("short.mdx", 100);
    watcher.on_event(written("long.json"));
    watcher.on_event(written("short.mdx"));
    // Someone asks: what is short is there as far as it is written.
    watcher.look_at_pending(true);
    assert_eq!(known(&watcher), ["docs.json", "short.mdx"]);
    assert!(watcher.is_a_long_file_unfinished());
    for len in [200_000, 300_000] {
        write("long.json", len);
        watcher.give_up_waiting();
        watcher.look_at_pending(false);
        assert_eq!(known(&watcher), ["docs.json", "short.mdx"]);
    }
    // It has the length that it had.
    watcher.give_up_waiting();
    assert!(!watcher.is_a_long_file_unfinished());
    watcher.look_at_pending(false);
    assert_eq!(known(&watcher), ["docs.json", "long.json", "short.mdx"]);
    // Closed: nobody need wait.
    write("long.json", 400_000);
    watcher.on_event(written("long.json"));
    let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
    watcher.on_event(Ok(Event::new(closed).add_path(root.join("long.json"))));
    assert!(!watcher.is_a_long_file_unfinished());
}

#[test]
fn lost_events_are_made_up_for_by_a_full_look() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), "{}").unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    fs::write(folder.path().join("a/old.mdx"), "").unwrap();
    let sources = Sources::open(folder.path()).unwrap();
    let root = sources.root();
    let (messages, inbox) = channel();
    let mut watcher = FolderWatcher::open(sources, Memory::default(), messages).unwrap();
    // The folder is replaced, and nobody hears of it.
    fs::remove_dir_all(root.join("a")).unwrap();
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/new.mdx"), "").unwrap();
    watcher.on_event(lost_events());
    let known: Vec<_> = watcher.sink.0.iter().map(ToString::to_string).collect();
    assert_eq!(known, ["a/new.mdx", "docs.json"]);
    // From now on the new folder is heard of.
    while inbox.try_recv().is_ok() {}
    let later = root.join("a/later.mdx");
    fs::write(&later, "").unwrap();
    let limit = Duration::from_secs(60);
    loop {
        match inbox
            .recv_timeout(limit)
            .expect("an event of the new folder")
        {
            Message::Event(Ok(event)) if event.paths.contains(&later) => break,
            _ => {}
        }
    }
}

#[test]
fn waiting_goes_on_when_the_folder_of_cookies_was_tidied_away() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), "{}").unwrap();
    let sources = Sources::open(folder.path()).unwrap();
    let root = sources.root();
    let (messages, inbox) = channel();
    let mut watcher = FolderWatcher::open(sources, Memory::default(), messages).unwrap();
    let cookies = watcher.cookies.as_ref().unwrap().path().to_owned();
    for name in ["a.mdx", "b.mdx"] {
        fs::remove_dir_all(&cookies).unwrap_or_default();
        fs::write(root.join(name), "").unwrap();
        let (done, mut answered) = tokio::sync::oneshot::channel();
        watcher.leave_cookie(vec![done], false);
        while answered.try_recv().is_err() {
            match inbox.recv_timeout(Duration::from_secs(60)).unwrap() {
                Message::Event(event) => watcher.on_event(event),
                Message::Sync(..) | Message::Stop => {}
            }
        }
        assert!(watcher.sink.0.iter().any(|path| path.as_str() == name));
    }
    assert_ne!(watcher.cookies.as_ref().unwrap().path(), cookies);
}
