//! The folders that are watched, each on its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::quiet::{Listening, Quiet};

/// The folders with what hears of them.
pub(super) struct Folders {
    watcher: Option<RecommendedWatcher>,
    watched: BTreeMap<PathBuf, Option<Listening>>,
    /// Whether watching has failed and everything is looked at from time to time.
    is_incomplete: bool,
    quiet: Arc<Quiet>,
}

impl Folders {
    /// None; none will be watched without `watcher`.
    pub(super) fn new(watcher: Option<RecommendedWatcher>) -> Self {
        Self {
            is_incomplete: watcher.is_none(),
            watcher,
            watched: BTreeMap::new(),
            quiet: Arc::default(),
        }
    }

    /// Returns true if some folders are not watched.
    pub(super) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Detector of activity in the folders.
    pub(super) fn quiet(&self) -> &Arc<Quiet> {
        &self.quiet
    }

    /// Watches `folder` from now on.
    pub(super) fn watch(&mut self, folder: &Path) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        if self.watched.contains_key(folder) {
            return;
        }
        let mut listening = match self.quiet.is_given_up() {
            true => None,
            false => Listening::to(folder),
        };
        let mut result = watcher.watch(folder, RecursiveMode::NonRecursive);
        let has_none_left =
            matches!(&result, Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch));
        if has_none_left && !self.quiet.is_given_up() {
            // Watching for changes is worth more than detecting that there are none.
            listening = None;
            give_up(&self.quiet, &mut self.watched);
            result = watcher.watch(folder, RecursiveMode::NonRecursive);
        }
        match result {
            Ok(()) => {
                if listening.is_none() && !self.quiet.is_given_up() {
                    give_up(&self.quiet, &mut self.watched);
                }
                self.watched.insert(folder.to_owned(), listening);
            }
            // It vanished between being listed and being watched: its parent will say so.
            Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => {}
            Err(error) => {
                if !self.is_incomplete {
                    tracing::warn!(
                        "failed to watch {}: {error}; polling every 2 s as well",
                        folder.display()
                    );
                }
                self.is_incomplete = true;
            }
        }
    }

    /// Forgets the watches at and below a path that was removed or renamed. A renamed folder keeps its watch in the
    /// kernel under its old name, so it is taken off first.
    pub(super) fn forget(&mut self, path: &Path) {
        let gone: Vec<PathBuf> = self
            .watched
            .range(path.to_owned()..)
            .map(|(folder, _)| folder)
            .take_while(|folder| folder.starts_with(path))
            .cloned()
            .collect();
        for folder in gone {
            self.watched.remove(&folder);
            if let Some(watcher) = &mut self.watcher {
                // Of a removed folder the kernel has taken it off already.
                let _ = watcher.unwatch(&folder);
            }
        }
    }
}

/// Turns off quiet detection: drops the listeners of all `watched` folders.
fn give_up(quiet: &Quiet, watched: &mut BTreeMap<PathBuf, Option<Listening>>) {
    quiet.give_up();
    watched.values_mut().for_each(|listening| *listening = None);
}
