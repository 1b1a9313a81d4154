//! Watches the file system: events are hints to look, never facts.
//!
//! Each folder is watched on its own, and listed only after its watch is set, so that a file
//! written into a folder that has just appeared is not missed. When the kernel's queue overflows,
//! everything is read again. When no more watches are available, the folder tree is walked from
//! time to time instead, and the author is notified.
//!
//! Where not all changes have events, the metadata of files is compared every two seconds
//! (`watch/polled.rs`).
//!
//! A site is a path, not a folder: the folder that the path currently names is followed
//! (`watch/root.rs`). While it names none, no file is read, so none counts as removed.

mod cookies;
mod folders;
mod held;
mod polled;
mod quiet;
mod root;
mod waiting;
mod wake;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use notify::{Config, Event, RecommendedWatcher, Watcher};
use queries::base::content::ContentHash;
use queries::base::path::SitePath;

use crate::ignored::IGNORE_FILE;
use crate::sources::{FileState, Sources, Unreadable, whole_site, why};
use quire_engine::host::FileChange;

use cookies::Cookies;
use folders::Folders;
use held::HeldDocuments;
use polled::PollState;
use quiet::Quiet;
use root::{Root, folders_of_links};
use waiting::{Asker, Waiting};
use wake::{Message, Timer};

/// Delay before a file that may still be written is read, where no event marks the end of the
/// write.
const WRITE_DEBOUNCE: Duration = Duration::from_millis(15);

/// Largest file, in bytes, that is assumed to be written by one call and so never read half
/// written. A larger file that is open for writing is read once its length stays the same.
const MAX_ATOMIC_WRITE: u64 = 64 * 1024;

/// Delay before a truncated file counts as empty: editors truncate, then write.
const EMPTY_LIMIT: Duration = Duration::from_secs(1);

/// Maximum time that a request waits for file events from before it.
const SYNC_LIMIT: Duration = Duration::from_millis(500);

/// Maximum time that a visitor of a published site waits for files closed before the request.
const VISITOR_LIMIT: Duration = Duration::from_secs(1);

/// Interval of full scans where watching has failed.
const POLL: Duration = Duration::from_secs(2);

/// Interval of checks whether the path of the site leads to another folder, and the one used while
/// it leads to none.
const ROOT: Duration = Duration::from_secs(2);
const NO_ROOT: Duration = Duration::from_millis(250);

/// Quiet period after which a replaced root folder counts as complete, and the upper bound of the
/// wait: files may still be being copied into it.
const NEW_ROOT: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));

/// Debounce for removals: quiet period and upper bound. The whole folder may be on its way out, or
/// the files may be about to be written again.
const REMOVED: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Delay before an unreadable file is read again: first and maximum.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Receiver of file changes.
pub trait ChangeSink: Send + 'static {
    /// Returns the files known to exist at or below `paths`; `""` means all. Called once per batch
    /// of events.
    fn files_under(&self, paths: &[&str]) -> BTreeSet<SitePath>;
    /// Takes the contents of files that were read, changed or not. `open` names those that a
    /// program has open for writing. Returns the files that are held back because they are
    /// incomplete, with the digests of their contents.
    fn changed(
        &mut self,
        changes: Vec<FileChange>,
        open: &BTreeSet<SitePath>,
    ) -> BTreeMap<SitePath, ContentHash>;
    /// Takes the contents of held-back files that are no longer written, complete or not.
    fn on_writes_finished(&mut self, changes: Vec<FileChange>);
    /// Returns the files that could not be read.
    fn unreadable(&self) -> Vec<SitePath>;
    /// Called every few seconds, to poll what has no file events.
    fn on_tick(&mut self);
    /// Called after a quiet period.
    fn idle(&mut self);
}

/// A running watch. Dropping it ends the thread.
pub struct Watch {
    messages: Sender<Message>,
    quiet: Arc<Quiet>,
    thread: Option<JoinHandle<()>>,
}

/// Asks the watch; cheap to clone.
#[derive(Clone)]
pub struct WatchHandle {
    messages: Sender<Message>,
    quiet: Arc<Quiet>,
}

impl WatchHandle {
    /// Returns when every write that had ended before the call has been applied.
    pub async fn sync(&self) {
        self.ask(Asker::Author).await;
    }

    /// Returns when every file that was closed before the call is as it was then, and after
    /// `VISITOR_LIMIT` anyway. Removed files are there a moment longer. Costs the same whatever the
    /// site holds, and writes nothing; where nothing was written since the last one, it is one call
    /// of the system.
    pub async fn sync_closed(&self) {
        // Counted before asking: events that arrive during the wait are left to the next visitor.
        let event_count = self.quiet.event_count();
        if event_count.is_some_and(|event_count| self.quiet.is_applied(event_count)) {
            return;
        }
        let asked = tokio::time::timeout(VISITOR_LIMIT, self.ask(Asker::Visitor)).await;
        // After a timeout the visitor gets the site as it was, and the next one waits again.
        if asked.is_ok()
            && let Some(event_count) = event_count
        {
            self.quiet.note_applied(event_count);
        }
    }

    async fn ask(&self, by: Asker) {
        let (done, waiting) = tokio::sync::oneshot::channel();
        if self.messages.send(Message::Sync(done, by)).is_ok() {
            // An error means that the watch has ended: then nothing is to be waited for.
            let _ = waiting.await;
        }
    }
}

impl Watch {
    /// Watches `sources` for `sink`, and hands it everything that is there to begin with before it
    /// returns. `polls` says that every file is looked at from time to time, whatever the file
    /// system.
    pub fn start(sources: Sources, polls: bool, sink: impl ChangeSink) -> std::io::Result<Self> {
        let (messages, inbox) = channel();
        let mut watcher = FolderWatcher::open(sources, polls, sink, messages.clone())?;
        let quiet = watcher.folders.quiet().clone();
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .stack_size(quire_engine::host::STACK)
            .spawn(move || {
                watcher.run(&inbox);
            })?;
        Ok(Self {
            messages,
            quiet,
            thread: Some(thread),
        })
    }

    /// A handle to ask with.
    pub fn handle(&self) -> WatchHandle {
        WatchHandle {
            messages: self.messages.clone(),
            quiet: self.quiet.clone(),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct FolderWatcher<F> {
    folders: Folders,
    polled: PollState,
    sources: Sources,
    sink: F,
    /// Paths to look at. None of `removed` is among them.
    pending: BTreeSet<PathBuf>,
    /// Files that may still be being written.
    unfinished: BTreeMap<PathBuf, UnfinishedFile>,
    /// Symbolic links: no event tells that the files they lead to have changed, so they are always
    /// looked at.
    links: BTreeSet<SitePath>,
    /// Cookie files, whose events come after those of all earlier writes; `None` if there is no
    /// room for them.
    cookies: Option<Cookies>,
    requests: Vec<Waiting>,
    /// Number of waiting requests that only wait for large files that are being written.
    deferred: usize,
    /// Files that were written to and not closed since, as far as the system tells.
    open: BTreeSet<PathBuf>,
    /// Documents that end in the middle, which the sink holds back.
    truncated: HeldDocuments,
    /// The folder that is watched; `None` if there is none, or it must be resolved again.
    root: Option<Root>,
    /// Whether the sink was notified that there is none.
    is_lost: bool,
    /// When the folder took the place of another, until it was looked at.
    new_root: Option<Burst>,
    /// Files that were removed, and when; they count as removed a moment later.
    removed: BTreeSet<PathBuf>,
    removing: Option<Burst>,
    /// Whether events were lost since everything was looked at.
    has_lost_events: bool,
    /// Paths that a walk could not list or read.
    unlisted: Vec<FileChange>,
    /// When to look again at what could not be read, and how long after that if it cannot be then.
    retry: Option<(Instant, Duration)>,
}

/// Events that come one upon the other.
#[derive(Clone, Copy)]
struct Burst {
    start: Instant,
    last: Instant,
}

impl Burst {
    fn now() -> Self {
        let since = Instant::now();
        Self {
            start: since,
            last: since,
        }
    }

    /// Time until the quiet period of `limits` has passed, or its upper bound is reached.
    fn remaining(self, limits: (Duration, Duration)) -> Duration {
        let (quiet, most) = limits;
        let quiet = quiet.saturating_sub(self.last.elapsed());
        quiet.min(most.saturating_sub(self.start.elapsed()))
    }
}

/// A file that may still be being written.
struct UnfinishedFile {
    since: Instant,
    /// Length at the last read.
    len: Option<u64>,
}

impl<F: ChangeSink> FolderWatcher<F> {
    /// Creates a watcher, and reads everything once.
    fn open(
        sources: Sources,
        polls: bool,
        sink: F,
        to_inbox: Sender<Message>,
    ) -> std::io::Result<Self> {
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(
            move |event| {
                // The inbox is gone when the watch has ended; then events do not matter.
                let _ = to_inbox.send(Message::Event(event));
            },
            config,
        );
        let watcher = watcher.map_err(|error| {
            tracing::warn!("failed to watch files: {error}; polling every 2 s");
        });
        let cookies = Cookies::new().map_err(|error| {
            let folder = std::env::temp_dir();
            tracing::warn!(
                "failed to create a file in {}: {error}; rescanning the folder before each request",
                folder.display()
            );
        });
        let mut watcher = Self {
            folders: Folders::new(watcher.ok()),
            polled: PollState::new(&sources, polls),
            sources,
            sink,
            pending: BTreeSet::new(),
            unfinished: BTreeMap::new(),
            links: BTreeSet::new(),
            cookies: cookies.ok(),
            requests: Vec::new(),
            deferred: 0,
            open: BTreeSet::new(),
            truncated: HeldDocuments::default(),
            root: None,
            is_lost: false,
            new_root: None,
            removed: BTreeSet::new(),
            removing: None,
            has_lost_events: false,
            unlisted: Vec::new(),
            retry: None,
        };
        watcher.root = Root::at(
            watcher.sources.requested_path(),
            watcher.sources.has_config(),
        )
        .ok();
        watcher.start_over();
        Ok(watcher)
    }

    fn run(&mut self, inbox: &Receiver<Message>) {
        let mut quiet_since = Instant::now();
        let mut last_poll = Instant::now();
        let mut last_settled = Instant::now();
        let mut last_root = Instant::now();
        loop {
            let due = Timer::ALL
                .into_iter()
                .filter_map(|timer| self.time_until(timer));
            let first = match inbox.recv_timeout(due.min().unwrap_or(ROOT)) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let timed_out = first.is_none();
            let mut syncs = Vec::new();
            let mut is_author = false;
            // Everything that is already there belongs to the same burst.
            for message in first
                .into_iter()
                .chain(std::iter::from_fn(|| inbox.try_recv().ok()))
            {
                match message {
                    Message::Stop => return,
                    Message::Sync(done, by) => {
                        is_author |= by == Asker::Author;
                        syncs.push(done);
                    }
                    Message::Event(event) => self.on_event(event),
                }
            }
            // Before a cookie is left: the rescan also sets the watch of the cookie folder again.
            self.make_good();
            if !syncs.is_empty() {
                self.leave_cookie(syncs, is_author);
            }
            if self.folders.is_incomplete() && last_poll.elapsed() >= POLL {
                self.look_at_everything();
                last_poll = Instant::now();
            }
            let overdue = self
                .requests
                .first()
                .is_some_and(|waiting| waiting.since.elapsed() >= SYNC_LIMIT);
            if overdue && self.deferred > 0 {
                // That write has not ended, and may never.
                self.answer(self.deferred);
            } else if overdue {
                // The kernel never reported our own file: it cannot be trusted for others either.
                tracing::warn!("file events are delayed; rescanning the folder");
                self.start_over();
                self.answer(usize::MAX);
            }
            // Not in every round: two looks at the length of a file must be far enough apart to see
            // it grow.
            if last_settled.elapsed() >= WRITE_DEBOUNCE {
                self.give_up_waiting();
                last_settled = Instant::now();
            }
            if last_root.elapsed() >= ROOT || self.is_lost {
                // The root first: the other two read files of the folder that it names.
                self.follow_root();
                self.sink.on_tick();
                self.poll();
                last_root = Instant::now();
            }
            if (self.new_root).is_some_and(|burst| burst.remaining(NEW_ROOT).is_zero()) {
                self.look_at_everything();
            }
            if (self.removing).is_some_and(|burst| burst.remaining(REMOVED).is_zero()) {
                self.count_removed();
            }
            // Some pending file is not being written.
            if self.unfinished.len() < self.pending.len() {
                self.look_at_pending(false);
                quiet_since = Instant::now();
            }
            self.look_at_unreadable();
            if self.deferred > 0 && !self.is_a_long_file_unfinished() {
                self.answer(self.deferred);
            }
            self.adopt_settled(Instant::now());
            if timed_out && quiet_since.elapsed() >= Duration::from_secs(60) {
                self.sink.idle();
                self.sources.give_up_buffers();
                // Without visitors nothing else reads the queue of the kernel, and it would fill.
                self.folders.quiet().event_count();
                quiet_since = Instant::now();
            }
        }
    }

    fn on_event(&mut self, event: notify::Result<Event>) {
        let event = match event {
            Ok(event) if event.need_rescan() => {
                tracing::warn!("file events were lost; rescanning the folder");
                self.has_lost_events = true;
                return;
            }
            Ok(event) => event,
            Err(error) => {
                tracing::warn!("failed to watch files: {error}; rescanning the folder");
                self.has_lost_events = true;
                return;
            }
        };
        if let [path] = &*event.paths
            && (self.cookies.as_ref()).is_some_and(|cookies| path.starts_with(cookies.path()))
        {
            if cookies::tells(event.kind) {
                self.on_cookie(path);
            }
            return;
        }
        // Reading is not a change; closing after a write is the end of one.
        let finished = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
            EventKind::Access(_) => return,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any) => {
                false
            }
            _ => true,
        };
        // Each of the two names has had an event of its own before.
        if event.kind == EventKind::Modify(ModifyKind::Name(RenameMode::Both)) {
            return;
        }
        let is_gone = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let is_removal = matches!(event.kind, EventKind::Remove(_));
        if let Some(burst) = &mut self.new_root {
            burst.last = Instant::now();
        }
        for path in event.paths {
            if is_gone {
                if path == self.sources.root() {
                    // Whatever is there now is another folder, or the same under another name.
                    self.root = None;
                }
                self.folders.forget(&path);
            }
            if let Some(site_path) = self.sources.site_path(&path) {
                self.truncated.touched(&site_path, Instant::now());
            }
            if is_removal {
                let burst = self.removing.get_or_insert_with(Burst::now);
                burst.last = Instant::now();
            } else {
                self.removed.remove(&path);
            }
            if finished {
                self.unfinished.remove(&path);
                self.open.remove(&path);
            } else if !path.is_dir() {
                self.open.insert(path.clone());
                let unfinished = || UnfinishedFile {
                    since: Instant::now(),
                    len: None,
                };
                self.unfinished
                    .entry(path.clone())
                    .or_insert_with(unfinished);
            }
            if is_removal {
                self.pending.remove(&path);
                self.removed.insert(path);
            } else {
                self.pending.insert(path);
            }
        }
    }

    /// Takes what has the length that it had a moment ago as written, but for files that were
    /// emptied: those are about to be written, and a slow writer must not blank a page.
    fn give_up_waiting(&mut self) {
        self.unfinished.retain(|path, unfinished| {
            let len = length(path);
            let is_growing = std::mem::replace(&mut unfinished.len, len) != len;
            let is_emptied = len == Some(0) && unfinished.since.elapsed() < EMPTY_LIMIT;
            len.is_some() && (is_growing || is_emptied)
        });
    }

    fn is_a_long_file_unfinished(&self) -> bool {
        self.unfinished.keys().any(|path| is_long(path))
    }

    /// Looks at the paths that were reported; at those that may still be being written only if
    /// `all`, and if they are short: the half of a specification is worse than an old one.
    fn look_at_pending(&mut self, all: bool) {
        if !self.follow_root() {
            return;
        }
        if self.new_root.is_some() {
            // All of it is looked at when it is whole, or when someone asks.
            if all {
                self.look_at_everything();
            }
            return;
        }
        if all {
            self.unfinished.retain(|path, _| is_long(path));
            self.count_removed();
        }
        let reported = std::mem::take(&mut self.pending);
        let (later, due): (Vec<_>, Vec<_>) = reported
            .into_iter()
            .partition(|path| self.unfinished.contains_key(path));
        self.pending = later.into_iter().collect();
        let root = self.sources.root();
        let is_due = |name: &&str| due.contains(&root.join(name));
        let is_config_due = ["docs.json", "mint.json"].iter().any(is_due);
        if is_due(&IGNORE_FILE) || (is_config_due && self.sources.counts_pages_otherwise()) {
            return self.look_at_everything();
        }
        let mut paths = BTreeSet::new();
        // Paths below which others may be known.
        let mut folders = Vec::new();
        for path in due {
            let Some(site_path) = self.sources.site_path(&path) else {
                continue;
            };
            let kind = std::fs::symlink_metadata(&path).map(|metadata| metadata.file_type());
            if kind.as_ref().is_ok_and(|kind| kind.is_dir()) {
                if !self.sources.is_ignored(&site_path, true) {
                    paths.extend(self.walk(&path));
                }
                // Itself, too: it is not a file any more if it was one, and an earlier failure to
                // list it is over.
                paths.insert(site_path.clone());
                // Files known below it may have been removed with a folder that it replaced.
                folders.push(site_path);
            } else {
                if kind.is_err() {
                    // It may have been a folder; its watches went with it.
                    folders.push(site_path.clone());
                    self.folders.forget(&path);
                }
                if kind.is_ok_and(|kind| kind.is_symlink()) {
                    self.links.insert(site_path.clone());
                }
                paths.insert(site_path);
            }
        }
        let folders: Vec<&str> = folders.iter().map(SitePath::as_str).collect();
        paths.append(&mut self.sink.files_under(&folders));
        // Targets of links have no events of their own, so links are read with every other change.
        if !paths.is_empty() {
            self.links.retain(|link| {
                std::fs::symlink_metadata(self.sources.absolute(link))
                    .is_ok_and(|metadata| metadata.is_symlink())
            });
            paths.extend(self.links.iter().cloned());
        }
        self.look_at(&paths.into_iter().collect::<Vec<_>>());
    }

    /// Looks at every file by the ignore rules that hold now: a change of them may be among what is
    /// pending or was lost.
    fn look_at_everything(&mut self) {
        if !self.follow_root() {
            return;
        }
        self.new_root = None;
        self.count_removed();
        self.pending.clear();
        self.unfinished.clear();
        let root = self.sources.root();
        // Before the walk, which follows the rules.
        let reloaded = self.sources.reload_ignore_rules();
        let mut paths: BTreeSet<SitePath> = self.walk(&root).into_iter().collect();
        paths.append(&mut self.sink.files_under(&[""]));
        // Errors of the folder itself, and of the rules, are over unless they are found again.
        paths.insert(whole_site());
        paths.extend(SitePath::new(IGNORE_FILE));
        if let (Err(error), Some(path)) = (reloaded, SitePath::new(IGNORE_FILE)) {
            let state = FileState::Unreadable(why(&root.join(IGNORE_FILE), &error));
            self.unlisted.push(FileChange { path, state });
        }
        self.look_at(&paths.into_iter().collect::<Vec<_>>());
    }

    /// Polls for changes without events, if the next poll is due.
    fn poll(&mut self) {
        // Files with pending events are read when their writers are done.
        if !self.polled.is_due() || self.new_root.is_some() || !self.pending.is_empty() {
            return;
        }
        let unlisted = self.unlisted.len();
        let mut paths: BTreeSet<SitePath> = self.links.iter().cloned().collect();
        paths.extend(self.sources.files_of_several_names());
        if self.polled.is_everything() {
            let root = self.sources.root();
            paths.extend(self.walk(&root));
            paths.append(&mut self.sink.files_under(&[""]));
            paths.extend(SitePath::new(IGNORE_FILE));
        }
        paths.retain(|path| !path.is_url());
        let changed = self.polled.changed(&self.sources, paths);
        let root = self.sources.root();
        let changed = changed.into_iter().map(|path| root.join(path.as_str()));
        let is_unheard = |path: &PathBuf| !self.removed.contains(path) && !self.open.contains(path);
        self.pending = changed.filter(is_unheard).collect();
        match self.pending.is_empty() {
            true => self.unlisted.truncate(unlisted),
            false => self.look_at_pending(false),
        }
    }

    /// Goes to the folder that the path of the site names now; returns whether there is one.
    /// Another one than before is watched from now on, and looked at when it is whole.
    fn follow_root(&mut self) -> bool {
        let found = Root::at(self.sources.requested_path(), self.sources.has_config());
        let found = found.and_then(|found| {
            let is_other = self.root.as_ref() != Some(&found);
            if is_other {
                let before = self.sources.root();
                self.folders.forget(&before);
                self.sources.follow()?;
            }
            Ok((found, is_other))
        });
        match found {
            Ok((_, false)) => return true,
            Ok((found, true)) => self.root = Some(found),
            Err(error) => {
                self.lose_root(&error);
                return false;
            }
        }
        if std::mem::take(&mut self.is_lost) {
            tracing::info!("{} exists again", self.sources.requested_path().display());
        } else {
            tracing::info!(
                "{} now points to a different folder; following it",
                self.sources.requested_path().display()
            );
        }
        self.pending.clear();
        self.removed.clear();
        self.new_root = Some(Burst::now());
        // The walk sets the watches, so that no change from now on is missed. Its files are read
        // when the folder is complete.
        let root = self.sources.root();
        self.walk(&root);
        self.unlisted.clear();
        self.watch_links();
        true
    }

    /// Records that the path of the site names no folder: the site is kept as it was.
    fn lose_root(&mut self, error: &std::io::Error) {
        self.pending.clear();
        self.unfinished.clear();
        self.removed.clear();
        self.removing = None;
        self.new_root = None;
        self.root = None;
        if std::mem::replace(&mut self.is_lost, true) {
            return;
        }
        let root = self.sources.root();
        self.folders.forget(&root);
        let given = self.sources.requested_path().display();
        let unreadable = Unreadable {
            why: format!(
                "{given}, the folder of the site, is gone: {error}; the site stays as it was"
            )
            .into(),
            hint: "bring the folder back; it is followed as soon as it is there".into(),
        };
        let gone = FileChange {
            path: whole_site(),
            state: FileState::Unreadable(unreadable),
        };
        self.sink.changed(vec![gone], &BTreeSet::new());
    }

    /// Watches the folders of the links on the way to the site.
    fn watch_links(&mut self) {
        for folder in folders_of_links(self.sources.requested_path()) {
            self.folders.watch(&folder);
        }
    }

    /// Accepts the removals.
    fn count_removed(&mut self) {
        self.pending.append(&mut self.removed);
        self.removing = None;
    }

    /// Reads unreadable files again, if it is time.
    fn look_at_unreadable(&mut self) {
        let now = Instant::now();
        let Some((_, pause)) = self.retry.filter(|(due, _)| *due <= now) else {
            return;
        };
        let pause = (pause * 2).min(RETRY.1);
        self.retry = Some((now + pause, pause));
        let paths = self.sink.unreadable();
        if paths.contains(&whole_site()) {
            return self.look_at_everything();
        }
        let paths: Vec<PathBuf> = paths
            .iter()
            .map(|path| self.sources.absolute(path))
            .collect();
        self.pending.extend(paths);
        self.look_at_pending(false);
    }

    /// Rescans once for all events lost so far: while a large folder is removed, the kernel drops
    /// events again and again.
    fn make_good(&mut self) {
        if self.has_lost_events {
            self.start_over();
        }
    }

    /// Reads everything when events were lost. A folder may have been replaced unseen, so all
    /// watches are set again.
    fn start_over(&mut self) {
        self.has_lost_events = false;
        let root = self.sources.root();
        self.folders.forget(&root);
        self.watch_links();
        if let Some(cookies) = &self.cookies {
            let cookies = cookies.path().to_owned();
            self.folders.forget(&cookies);
            self.folders.watch(&cookies);
        }
        self.look_at_everything();
    }

    fn look_at(&mut self, paths: &[SitePath]) {
        let states: Vec<FileState> = self.sources.look_again(paths);
        let changes = paths.iter().cloned().zip(states);
        let mut changes: Vec<FileChange> = changes
            .map(|(path, state)| FileChange { path, state })
            .collect();
        changes.append(&mut self.unlisted);
        // If the folder went away while its files were read, they only seem to be removed.
        if !self.follow_root() || self.new_root.is_some() {
            return;
        }
        let open = self.open.iter();
        let open: BTreeSet<SitePath> = open
            .filter_map(|path| self.sources.site_path(path))
            .collect();
        let held_back = self.sink.changed(changes, &open);
        self.truncated.follow(&held_back, &open, Instant::now());
        self.retry = match self.sink.unreadable().is_empty() {
            true => None,
            false => (self.retry).or(Some((Instant::now() + RETRY.0, RETRY.0))),
        };
    }

    /// Accepts incomplete documents as they are, if they are no longer written at `now`.
    fn adopt_settled(&mut self, now: Instant) {
        let settled = self.truncated.take_settled(now);
        if settled.is_empty() {
            return;
        }
        let states = self.sources.look_again(&settled);
        let changes = settled.into_iter().zip(states);
        self.sink.on_writes_finished(
            changes
                .map(|(path, state)| FileChange { path, state })
                .collect(),
        );
    }

    /// Walks `folder`, setting the watch of each folder before it is listed.
    fn walk(&mut self, folder: &Path) -> Vec<SitePath> {
        let folders = &mut self.folders;
        let walk = (self.sources).walk(folder, &mut |folder| folders.watch(folder));
        self.links.extend(walk.links);
        self.unlisted.extend(walk.unreadable);
        walk.files
    }
}

/// Length of a file in bytes; `None` if it is not a file.
fn length(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|metadata| metadata.len())
}

fn is_long(path: &Path) -> bool {
    length(path).is_some_and(|len| len > MAX_ATOMIC_WRITE)
}

#[cfg(test)]
mod tests;
