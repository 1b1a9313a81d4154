//! Looks at the files of a site: all of them, when it is read again or deployed, and those that could not be read.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use queries::base::path::SitePath;
use queries::site::{self, Db};

use super::{Core, Edit, Source, candidate, lock};
use quire_engine::host::{FileChange, SiteHost};
use quire_engine::report::Report;
use quire_engine::unfinished::Adoption;
use quire_settings::QuotaSettings;
use quire_source::fetch;
use quire_source::load;
use quire_source::repository;
use quire_source::sources::whole_site;

/// Delay before an unreadable file is read again: first and maximum.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Bytes of a megabyte of a quota.
const MEGABYTE: u64 = 1_000_000;

/// Result of a deployment.
pub(crate) enum DeployOutcome {
    /// Published: what visitors see.
    Published(Edit),
    /// Refused with these reports; the site is unchanged.
    Refused(Vec<Report>),
    /// More than the site may take; it is unchanged.
    OverQuota(OverQuota),
}

/// A quota, and what would be published.
#[derive(Debug)]
pub(crate) struct OverQuota {
    /// Name of the setting.
    name: &'static str,
    quota: u64,
    found: u64,
    unit: &'static str,
}

impl fmt::Display for OverQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            quota,
            found,
            unit,
        } = self;
        write!(
            f,
            "not published: {found} {unit}, and the quota of the site is {quota} (`quotas.{name}`)"
        )
    }
}

impl std::error::Error for OverQuota {}

/// Files of a site, as they were read.
struct ReadFiles {
    changes: Vec<FileChange>,
    /// The commit that they are of, of a site from a repository.
    commit_reading: Option<repository::Reading>,
}

impl Core {
    /// Looks at every file of the site and publishes what differs, all of it at once.
    pub(crate) fn reread(self: &Arc<Self>) -> anyhow::Result<Edit> {
        let looked = self.look()?;
        let _turn = lock(&self.publish_lock);
        Ok(self.publish_looked(looked))
    }

    /// Looks at every file of a site of which nothing is published, and publishes them, unless they are more
    /// than it may take.
    pub(super) fn begin_anew(self: &Arc<Self>) -> anyhow::Result<Edit> {
        let looked = self.look()?;
        let _turn = lock(&self.publish_lock);
        if self.setup.source.quotas != QuotaSettings::default() {
            let candidate = self.publisher.host().candidate();
            candidate.apply(looked.changes.clone());
            if let Some(over) = self.over_quota(&candidate, &looked)? {
                return Err(over.into());
            }
        }
        Ok(self.publish_looked(looked))
    }

    /// Looks at every file of the site and publishes what differs and `documents`, all of it at once; or, if it may not be,
    /// nothing of it. `read` is called between.
    pub(crate) fn deploy(
        self: &Arc<Self>,
        documents: Vec<FileChange>,
        read: fn(),
    ) -> anyhow::Result<DeployOutcome> {
        // Nobody else publishes meanwhile: what is examined is what is published.
        let _turn = lock(&self.publish_lock);
        let mut looked = self.look()?;
        looked.changes.extend(documents);
        read();
        // A preview shows its branch as it is.
        if self.setup.publication.published {
            let host = self.publisher.host();
            let candidate = host.candidate();
            candidate.apply(looked.changes.clone());
            let objections = candidate::objections(&host, &candidate, self.setup.source.fail_on);
            if !objections.is_empty() {
                return Ok(DeployOutcome::Refused(objections));
            }
            if let Some(over) = self.over_quota(&candidate, &looked)? {
                return Ok(DeployOutcome::OverQuota(over));
            }
        }
        let edit = self.publish_looked(looked);
        if self.setup.source.watch {
            return Ok(DeployOutcome::Published(edit));
        }
        if let Some(files) = &self.files
            && let Err(error) = files.follow().and_then(|()| files.reload_ignore_rules())
        {
            tracing::warn!(site = self.id, "failed to read the site folder: {error}");
        }
        self.retry_later();
        Ok(DeployOutcome::Published(edit))
    }

    /// Returns the quota that `candidate`, made of what was `looked` at, exceeds.
    fn over_quota(
        &self,
        candidate: &SiteHost,
        looked: &ReadFiles,
    ) -> anyhow::Result<Option<OverQuota>> {
        // A folder that is followed publishes by itself.
        if self.setup.source.is_followed() {
            return Ok(None);
        }
        let quotas = self.setup.source.quotas;
        if let Some(quota) = quotas.pages {
            let pages = |db: &dyn Db, site| site::route_table(db, site).pages.len();
            let found = candidate.read(|db, site| pages(db, site));
            let found = found.context("count the pages")?;
            if found > quota {
                return Ok(Some(OverQuota {
                    name: "pages",
                    quota: quota as u64,
                    found: found as u64,
                    unit: "pages",
                }));
            }
        }
        if let Some(quota) = quotas.files_mb {
            let bytes = self.size_of(candidate, looked)?;
            if bytes > quota.saturating_mul(MEGABYTE) {
                return Ok(Some(OverQuota {
                    name: "files_mb",
                    quota,
                    found: bytes.div_ceil(MEGABYTE),
                    unit: "megabytes of files",
                }));
            }
        }
        Ok(None)
    }

    /// Returns the number of bytes of the files and fetched documents of `candidate`.
    fn size_of(&self, candidate: &SiteHost, looked: &ReadFiles) -> anyhow::Result<u64> {
        let sources = candidate.sources();
        let (fetched, own): (Vec<_>, Vec<_>) =
            sources.iter().partition(|facts| facts.path.is_url());
        let contents = candidate.store().contents();
        let fetched = fetched.iter().map(|facts| {
            let bytes = contents.bytes(facts.digest).ok().flatten();
            bytes.map_or(0, |bytes| bytes.len() as u64)
        });
        let own: u64 = match (&self.setup.source.files, &looked.commit_reading) {
            (Source::Tree(tree), Some(reading)) => tree.size_of(reading)?,
            (Source::Folder(folder), _) => own
                .iter()
                // What is gone meanwhile takes nothing.
                .filter_map(|facts| folder.join(facts.path.as_str()).metadata().ok())
                .map(|metadata| metadata.len())
                .sum(),
            (Source::Tree(_), None) => 0,
        };
        Ok(own + fetched.sum::<u64>())
    }

    /// Returns the addresses of specifications that the present files name, published or not. Blocks.
    pub(crate) fn urls_in_files(&self) -> anyhow::Result<Vec<String>> {
        let looked = self.look()?;
        let candidate = self.publisher.host().candidate();
        candidate.apply(looked.changes);
        Ok(fetch::urls(&candidate))
    }

    fn publish_looked(self: &Arc<Self>, looked: ReadFiles) -> Edit {
        if let (Source::Tree(tree), Some(reading)) =
            (&self.setup.source.files, looked.commit_reading)
        {
            tree.adopt(reading);
        }
        self.replace_released();
        self.publish_and_tell(looked.changes, Adoption::AsItIs)
    }

    /// Looks at every file of the site: what may differ from what is published.
    fn look(&self) -> anyhow::Result<ReadFiles> {
        let folder = match &self.setup.source.files {
            Source::Folder(folder) => folder,
            Source::Tree(tree) => {
                let mut reading = match self.released() {
                    // What was published may be of another commit than the one adopted last.
                    Some(_) => {
                        let mut reading = tree.read_whole()?;
                        let gone = self.gone(&reading);
                        reading.changes.extend(gone);
                        reading
                    }
                    None => tree.read()?,
                };
                return Ok(ReadFiles {
                    changes: std::mem::take(&mut reading.changes),
                    commit_reading: Some(reading),
                });
            }
        };
        let sources = match self.setup.source.derives_config {
            true => load::open(folder)?,
            false => load::open_configured(folder)?,
        };
        let known = self.publisher.host().files_under([""]).into_iter();
        Ok(ReadFiles {
            changes: sources.everything(known.filter(|path| !path.is_url())),
            commit_reading: None,
        })
    }

    /// Returns true if reading the site again would give the same site: nothing is gone or
    /// unreadable, and the folder holds what was published.
    pub(crate) fn can_be_read_again(&self) -> bool {
        let is_followed =
            self.setup.source.watch || matches!(self.setup.source.files, Source::Tree(_));
        (is_followed || self.released().is_some()) && self.unreadable().is_empty()
    }

    /// Files that cannot be read at present; they are read again later.
    pub(super) fn unreadable(&self) -> Vec<SitePath> {
        let held_back = self.publisher.host().held_back().into_iter();
        let unreadable = held_back.filter(|(_, held_back)| held_back.is_unreadable());
        unreadable.map(|(path, _)| path).collect()
    }

    /// Retries files that could not be read until all were read; for sites whose folder is not
    /// watched.
    pub(super) fn retry_later(self: &Arc<Self>) {
        if self.unreadable().is_empty() || self.is_retrying.swap(true, Ordering::AcqRel) {
            return;
        }
        let weak = Arc::downgrade(self);
        self.runtime.spawn(async move {
            let mut pause = RETRY.0;
            loop {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(RETRY.1);
                let Some(core) = weak.upgrade() else { return };
                let retried = tokio::task::spawn_blocking(move || core.retry());
                // What faults is told by the log, and tried again.
                if retried.await.is_ok_and(|is_done| is_done) {
                    return;
                }
            }
        });
    }

    /// Returns whether everything could be read.
    fn retry(self: &Arc<Self>) -> bool {
        let _turn = lock(&self.publish_lock);
        let paths = self.unreadable();
        let changes = match (&self.files, paths.contains(&whole_site())) {
            (None, _) => Vec::new(),
            (Some(files), true) => files.everything([]),
            (Some(files), false) => {
                let walked = paths.iter().flat_map(|path| {
                    let walk = files.walk(&files.absolute(path), &mut |_| {});
                    walk.files
                        .into_iter()
                        .chain(walk.unreadable.into_iter().map(|found| found.path))
                });
                let mut all: Vec<SitePath> = walked.collect();
                all.extend(paths);
                all.sort();
                all.dedup();
                let states = files.look_all(&all);
                let changes = all.into_iter().zip(states);
                changes
                    .map(|(path, state)| FileChange { path, state })
                    .collect()
            }
        };
        if !changes.is_empty() {
            self.publish_and_tell(changes, Adoption::AsItIs);
        }
        let is_done = self.unreadable().is_empty();
        if is_done {
            self.is_retrying.store(false, Ordering::Release);
        }
        is_done
    }
}
