//! When the pages of a site were changed last, by the history of its repository.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::MutexGuard;

use queries::base::path::SitePath;
use queries::site::is_page;

use super::{Core, Source, lock};
use quire_engine::host::AppliedChanges;
use quire_source::repository::{Checkout, HeadStamp, Repository};

/// Dates of pages.
#[derive(Default)]
pub(super) struct GitDates {
    /// The commit whose history was read.
    commit: Option<String>,
    /// Stamp of the checkout at that time.
    stamp: Option<HeadStamp>,
}

/// Pages whose dates are read from the git history.
enum DatedPages {
    All,
    /// Pages that appeared since all were asked for.
    Appeared(BTreeSet<SitePath>),
}

impl Core {
    /// Reads when the pages were changed last, if another commit is checked out than when that was read before or pages have
    /// appeared since, and publishes what differs. Blocks.
    pub(crate) fn date_pages(&self) {
        let mut dated = lock(&self.git_dates);
        let has_appeared = !lock(&self.appeared).is_empty();
        let place = match &self.setup.source.files {
            Source::Folder(folder) => {
                // An edit is no commit: mostly, nothing need be asked.
                let Some(checkout) = Checkout::containing(folder) else {
                    return;
                };
                let stamp = checkout.stamp();
                if stamp.is_some() && stamp == dated.stamp && !has_appeared {
                    return;
                }
                dated.stamp = stamp;
                match Repository::containing(folder) {
                    Ok(Some((repository, prefix))) => {
                        let head = repository.head();
                        head.map(|head| (repository, prefix, head))
                    }
                    // Without the program nobody knows.
                    _ => None,
                }
            }
            Source::Tree(tree) => self.commit().map(|commit| {
                let prefix = tree.prefix().to_owned();
                (tree.repository().clone(), prefix, commit)
            }),
        };
        let Some((repository, prefix, commit)) = place else {
            return;
        };
        let host = self.publisher.host();
        // Those that appear from now on are asked for the next time.
        let appeared = std::mem::take(&mut *lock(&self.appeared));
        let asked = match dated.commit.as_ref() == Some(&commit) {
            true if appeared.is_empty() => return,
            true => DatedPages::Appeared(appeared),
            false => DatedPages::All,
        };
        let read = match asked {
            DatedPages::All => {
                let files = host.files_under([""]).into_iter();
                let pages = files.filter(|path| !path.is_url() && is_page(path));
                repository.dates(&commit, &prefix, pages.collect())
            }
            // Nearly always they are new, and the whole history would be walked for nothing.
            DatedPages::Appeared(mut pages) => repository
                .retain_files(&commit, &prefix, &mut pages)
                .and_then(|()| {
                    let new = repository.dates(&commit, &prefix, pages)?;
                    Ok(host.dates().into_iter().chain(new).collect())
                }),
        };
        match read {
            Ok(dates) => {
                dated.commit = Some(commit);
                let _turn = lock(&self.publish_lock);
                let host = self.publisher.host();
                let before = host.revision();
                if host.set_dates(dates) {
                    let after = host.revision();
                    self.publisher.refresh();
                    self.search_service
                        .note(&AppliedChanges::default(), before, after);
                    self.readers.announce(after);
                }
            }
            Err(error) => {
                dated.stamp = None;
                tracing::warn!("failed to read the git history of the pages: {error:#}");
            }
        }
    }

    /// Notes that `paths` have appeared: the pages among them are dated the next time.
    pub(super) fn note_appeared(&self, paths: &[SitePath]) {
        let pages = paths.iter().filter(|path| !path.is_url() && is_page(path));
        lock(&self.appeared).extend(pages.cloned());
    }

    /// Updates the dates of pages in the background, if another commit was made or checked out
    /// since.
    pub(super) fn follow_commits(self: &Arc<Self>) {
        let Source::Folder(folder) = &self.setup.source.files else {
            return;
        };
        let Some(stamp) = Checkout::containing(folder).and_then(|checkout| checkout.stamp()) else {
            return;
        };
        // Whoever holds it is dating them.
        let has_moved = |dated: MutexGuard<'_, GitDates>| dated.stamp.is_some_and(|of| of != stamp);
        if self.git_dates.try_lock().is_ok_and(has_moved) {
            self.date_pages_later();
        }
    }

    /// Like [`Core::date_pages`], beside everything else: pages are served in the meantime.
    pub(super) fn date_pages_later(self: &Arc<Self>) {
        let core = self.clone();
        self.runtime.spawn_blocking(move || core.date_pages());
    }
}
