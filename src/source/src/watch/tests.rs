//! Tests of the watch, event by event.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use notify::event::Flag;

use super::*;

/// Remembers what it was told that files hold.
#[derive(Clone, Default)]
struct Memory {
    contents: Arc<std::sync::Mutex<BTreeMap<String, String>>>,
    /// Number of calls for files.
    asked: Arc<AtomicUsize>,
}

impl Memory {
    fn text(&self, path: &str) -> Option<String> {
        self.contents.lock().unwrap().get(path).cloned()
    }

    fn paths(&self) -> Vec<String> {
        self.contents.lock().unwrap().keys().cloned().collect()
    }
}

impl ChangeSink for Memory {
    fn files_under(&self, paths: &[&str]) -> BTreeSet<SitePath> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let shown = self.contents.lock().unwrap();
        let is_below = |known: &str| paths.iter().any(|path| known.starts_with(path));
        let below = shown.keys().filter(|known| is_below(known));
        below.filter_map(|known| SitePath::new(known)).collect()
    }

    fn changed(
        &mut self,
        changes: Vec<FileChange>,
        _: &BTreeSet<SitePath>,
    ) -> BTreeMap<SitePath, ContentHash> {
        let mut shown = self.contents.lock().unwrap();
        for FileChange { path, state } in changes {
            match state {
                FileState::Text(text) => {
                    let text = String::from_utf8_lossy(&text).into_owned();
                    shown.insert(path.to_string(), text);
                }
                FileState::Absent => drop(shown.remove(path.as_str())),
                _ => {}
            }
        }
        BTreeMap::new()
    }

    fn on_writes_finished(&mut self, _: Vec<FileChange>) {}

    fn unreadable(&self) -> Vec<SitePath> {
        Vec::new()
    }

    fn on_tick(&mut self) {}

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
    let mut watcher = FolderWatcher::open(sources, false, Memory::default(), messages).unwrap();
    fs::write(folder.path().join(IGNORE_FILE), "b.mdx\n").unwrap();
    watcher.on_event(lost_events());
    watcher.make_good();
    let known = watcher.sink.paths();
    assert_eq!(known, ["a.mdx", "docs.json"]);
}

#[test]
fn a_long_file_is_not_read_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), "{}").unwrap();
    let sources = Sources::open(folder.path()).unwrap();
    let root = sources.root();
    let (messages, _inbox) = channel();
    let mut watcher = FolderWatcher::open(sources, false, Memory::default(), messages).unwrap();
    let write = |path: &str, len: usize| fs::write(root.join(path), "x".repeat(len)).unwrap();
    let known = |watcher: &FolderWatcher<Memory>| watcher.sink.paths();
    let write_event = |path: &str| {
        let kind = EventKind::Modify(ModifyKind::Data(notify::event::DataChange::Any));
        Ok(Event::new(kind).add_path(root.join(path)))
    };
    write("long.json", 100_000);
    write("short.mdx", 100);
    watcher.on_event(write_event("long.json"));
    watcher.on_event(write_event("short.mdx"));
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
    watcher.on_event(write_event("long.json"));
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
    let mut watcher = FolderWatcher::open(sources, false, Memory::default(), messages).unwrap();
    // The folder is replaced, and nobody hears of it.
    fs::remove_dir_all(root.join("a")).unwrap();
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/new.mdx"), "").unwrap();
    watcher.on_event(lost_events());
    watcher.make_good();
    let known = watcher.sink.paths();
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

/// The work of a burst is that of its files, not of its files times its events.
#[test]
fn all_events_of_a_burst_are_made_good_for_at_one_go() {
    const MANY: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), "{}").unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    for number in 0..MANY {
        fs::write(folder.path().join(format!("a/{number}.mdx")), "").unwrap();
    }
    let sources = Sources::open(folder.path()).unwrap();
    let root = sources.root();
    let (messages, _inbox) = channel();
    let mut watcher = FolderWatcher::open(sources, false, Memory::default(), messages).unwrap();
    assert_eq!(watcher.sink.paths().len(), MANY + 1);
    let file_calls =
        |watcher: &FolderWatcher<Memory>| watcher.sink.asked.swap(0, Ordering::Relaxed);
    let removed = |kind, path: &str| {
        let kind = EventKind::Remove(kind);
        Ok(Event::new(kind).add_path(root.join(path)))
    };
    file_calls(&watcher);
    fs::remove_dir_all(root.join("a")).unwrap();
    for number in 0..MANY {
        let path = format!("a/{number}.mdx");
        watcher.on_event(removed(notify::event::RemoveKind::File, &path));
    }
    watcher.on_event(removed(notify::event::RemoveKind::Folder, "a"));
    // They may be about to be rewritten, and are not scanned until then.
    assert!(watcher.pending.is_empty());
    watcher.look_at_pending(false);
    assert_eq!(watcher.sink.paths().len(), MANY + 1);
    file_calls(&watcher);
    watcher.count_removed();
    watcher.look_at_pending(false);
    assert_eq!(watcher.sink.paths(), ["docs.json"]);
    assert_eq!(file_calls(&watcher), 1);
    // The kernel says it again and again while more happens than it remembers.
    for _ in 0..MANY {
        watcher.on_event(lost_events());
    }
    watcher.make_good();
    watcher.make_good();
    assert_eq!(file_calls(&watcher), 1);
}

#[test]
fn waiting_goes_on_when_the_folder_of_cookies_was_tidied_away() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docs.json"), "{}").unwrap();
    let sources = Sources::open(folder.path()).unwrap();
    let root = sources.root();
    let (messages, inbox) = channel();
    let mut watcher = FolderWatcher::open(sources, false, Memory::default(), messages).unwrap();
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
        assert!(watcher.sink.text(name).is_some());
    }
    assert_ne!(watcher.cookies.as_ref().unwrap().path(), cookies);
}

fn watched(folder: &Path) -> (Watch, Memory) {
    fs::write(folder.join("docs.json"), "{}").unwrap();
    let shown = Memory::default();
    let sources = Sources::open(folder).unwrap();
    (Watch::start(sources, false, shown.clone()).unwrap(), shown)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_visitor_sees_each_file_that_was_closed_before_whoever_asks_beside() {
    let folder = tempfile::tempdir().unwrap();
    let (watch, shown) = watched(folder.path());
    let writers = (0..4).map(|writer: usize| {
        let (handle, shown, root) = (watch.handle(), shown.clone(), folder.path().to_owned());
        tokio::spawn(async move {
            for number in 0..150 {
                // Files that are there, in folders that appear, and that come by another name.
                let path = match number % 3 {
                    0 => format!("{writer}.mdx"),
                    1 => format!("{writer}/{number}/page.mdx"),
                    _ => format!("{writer}-{number}.mdx"),
                };
                let file = root.join(&path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                let text = format!("{writer} {number}");
                match number % 3 {
                    2 => {
                        let other = root.join(format!("{writer}.tmp"));
                        fs::write(&other, &text).unwrap();
                        fs::rename(other, file).unwrap();
                    }
                    _ => fs::write(file, &text).unwrap(),
                }
                let asked = Instant::now();
                handle.sync_closed().await;
                // On a machine that is too busy a visitor does not wait for ever.
                if asked.elapsed() < VISITOR_LIMIT {
                    assert_eq!(shown.text(&path), Some(text), "{path}");
                }
                // Nothing else of this one was written meanwhile.
                handle.sync_closed().await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_visitor_waits_for_the_watch_only_if_something_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let (watch, shown) = watched(folder.path());
    let handle = watch.handle();
    let is_quiet = || {
        let event_count = handle
            .quiet
            .event_count()
            .expect("each folder is listened to");
        handle.quiet.is_applied(event_count)
    };
    // Other tests of this process write, too, which nobody can tell apart.
    for round in 0.. {
        handle.sync_closed().await;
        if is_quiet() {
            break;
        }
        assert!(round < 1000, "it is never quiet");
    }
    fs::create_dir(folder.path().join("a")).unwrap();
    assert!(!is_quiet());
    for (number, path) in ["page.mdx", "a/page.mdx", "a/page.mdx"].iter().enumerate() {
        handle.sync_closed().await;
        fs::write(folder.path().join(path), number.to_string()).unwrap();
        assert!(!is_quiet(), "{path}");
        // The count was asked for; whoever asks next waits all the same.
        assert!(!is_quiet(), "{path}");
        handle.sync_closed().await;
        assert_eq!(shown.text(path), Some(number.to_string()));
    }
    // A folder that is not listened to may hold anything.
    handle.quiet.give_up();
    assert_eq!(handle.quiet.event_count(), None);
    fs::write(folder.path().join("page.mdx"), "last").unwrap();
    handle.sync_closed().await;
    assert_eq!(shown.text("page.mdx"), Some("last".to_owned()));
}

/// A watcher that hears of no event, as where somebody else writes to the file system.
fn deaf(folder: &Path, polls: bool) -> (FolderWatcher<Memory>, PathBuf) {
    fs::write(folder.join("docs.json"), "{}").unwrap();
    let sources = Sources::open(folder).unwrap();
    let root = sources.root();
    let (messages, _) = channel();
    let watcher = FolderWatcher::open(sources, polls, Memory::default(), messages);
    (watcher.unwrap(), root)
}

fn poll(watcher: &mut FolderWatcher<Memory>) {
    watcher.polled.make_due();
    watcher.poll();
}

#[test]
fn changes_of_which_nobody_hears_are_seen_from_time_to_time() {
    let folder = tempfile::tempdir().unwrap();
    let (mut watcher, root) = deaf(folder.path(), true);
    let text = |watcher: &FolderWatcher<Memory>, path: &str| watcher.sink.text(path);
    fs::create_dir(root.join("a")).unwrap();
    for round in ["one", "longer"] {
        fs::write(root.join("page.mdx"), round).unwrap();
        fs::write(root.join("a/page.mdx"), round).unwrap();
        poll(&mut watcher);
        for path in ["page.mdx", "a/page.mdx"] {
            assert_eq!(text(&watcher, path).as_deref(), Some(round), "{path}");
        }
    }
    fs::remove_file(root.join("page.mdx")).unwrap();
    fs::remove_dir_all(root.join("a")).unwrap();
    poll(&mut watcher);
    for path in ["page.mdx", "a/page.mdx"] {
        assert_eq!(text(&watcher, path), None, "{path}");
    }
    // What is as it was is not read again.
    let before = watcher.sink.asked.load(Ordering::Relaxed);
    poll(&mut watcher);
    poll(&mut watcher);
    assert_eq!(watcher.sink.asked.load(Ordering::Relaxed), before + 2);
    // Nobody looks before it is time.
    fs::write(root.join("page.mdx"), "three").unwrap();
    watcher.poll();
    assert_eq!(text(&watcher, "page.mdx"), None);
}

#[test]
fn a_file_is_followed_by_its_other_names() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let other = other.path().join("other.mdx");
    fs::write(&other, "one").unwrap();
    fs::hard_link(&other, folder.path().join("page.mdx")).unwrap();
    fs::write(folder.path().join("plain.mdx"), "one").unwrap();
    let (mut watcher, root) = deaf(folder.path(), false);
    for text in ["two", "three"] {
        fs::write(&other, text).unwrap();
        fs::write(root.join("plain.mdx"), text).unwrap();
        poll(&mut watcher);
        assert_eq!(watcher.sink.text("page.mdx").as_deref(), Some(text));
        // Of this one an event tells, but on some file systems.
        if !watcher.polled.is_everything() {
            assert_eq!(watcher.sink.text("plain.mdx").as_deref(), Some("one"));
        }
    }
}
