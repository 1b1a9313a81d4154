//! Runs deployments: reads a site, publishes it, and stores what was published; or publishes again
//! what was stored.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use queries::base::diagnostic::Code;
use queries::base::place::Located;
use tokio::sync::Semaphore;

use super::{Cause, NoRelease, Order, Part, Status, Taken, differing};
use crate::service::{Core, DeployOutcome, Edit};
use crate::sites::{SiteSlot, now};
use quire_engine::host::FileChange;
use quire_engine::report::Report;
use quire_source::fetch::FetchResult;
use quire_storage::objects::ObjectId;
use quire_storage::{Error, crash_point};

/// Deploys the site of `slot`, which has started, unless something that it has published is stored:
/// otherwise servers have nothing to serve. Once in a process, whatever comes of it. Does not wait.
pub(crate) fn begin(slot: Arc<SiteSlot>) {
    let deployments = &slot.deployments;
    if deployments.part == Part::Follower || deployments.has_begun.load(Ordering::Relaxed) {
        return;
    }
    tokio::spawn(async move {
        let deployments = slot.deployments.clone();
        let accepted = tokio::task::spawn_blocking(move || {
            let accepted = deployments.accept(Order {
                cause: Cause::Start,
                key: None,
                request: None,
                reason: None,
                from: None,
            })?;
            deployments.has_begun.store(true, Ordering::Relaxed);
            anyhow::Ok(accepted)
        });
        let accepted = accepted.await.map_err(anyhow::Error::from);
        match accepted.and_then(|accepted| accepted) {
            Ok((deployment, true)) => start(slot, deployment.id),
            Ok((_, false)) => {}
            // That was said when the folder was opened.
            Err(error) if is_read_only(&error) && slot.deployments.is_closed() => {}
            Err(error) => tracing::error!(
                site = slot.id,
                "what is published is not stored, so servers have nothing to serve until it is deployed: {error:#}"
            ),
        }
    });
}

/// Returns true if `error` is that nothing can be written to the storage, now or later.
fn is_read_only(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| matches!(cause.downcast_ref(), Some(Error::ReadOnly(_))))
}

/// Places of the deployments of a process. Whoever waits for one gets it in the order of coming.
pub(crate) struct Places {
    /// Of those that are run, and may wait for something elsewhere meanwhile.
    pub(super) runs: Semaphore,
    /// Of those that are built.
    pub(super) builds: Semaphore,
}

/// Number of deployments that are run for each that is built.
const RUNS: usize = 4;

impl Places {
    /// Places of so many deployments that are built at the same time.
    pub(crate) fn new(builds: usize) -> Self {
        Self {
            runs: Semaphore::new(builds.saturating_mul(RUNS).min(Semaphore::MAX_PERMITS)),
            builds: Semaphore::new(builds),
        }
    }
}

/// Starts a task that runs the deployment `id` of `slot`, after those of lower numbers that have not
/// ended: what was accepted last is published last. Does nothing if a task has that deployment. Must
/// be called where a runtime is entered.
pub fn start(slot: Arc<SiteSlot>, id: u64) {
    if slot.deployments.part == Part::Follower {
        return;
    }
    if let Some(taken) = Taken::new(&slot.deployments, id) {
        tokio::spawn(async move {
            let _taken = taken;
            let _turn = slot.deployments.run_lock.lock().await;
            let is_rollback = slot.deployments.is_rollback(id);
            // A host that does not answer keeps no place from others.
            let mut fetched = match is_rollback {
                true => None,
                false => Some(fetch(&slot).await),
            };
            let _place = match is_rollback {
                true => None,
                false => slot.places.runs.acquire().await.ok(),
            };
            let _publishing = slot.deployments.publishing.lock().await;
            // Otherwise it is seen again as long as it has not ended.
            let Some(claim) = slot.deployments.claim().await else {
                return;
            };
            while let Some(next) = slot.deployments.next_until(id) {
                let deployments = slot.deployments.clone();
                let begun = tokio::task::spawn_blocking(move || deployments.begin_run(next)).await;
                let is_begun = begun.unwrap_or(false);
                // One that was accepted before a rollback.
                if is_begun && fetched.is_none() && !slot.deployments.is_rollback(next) {
                    fetched = Some(fetch(&slot).await);
                }
                let copy = fetched.as_ref().unwrap_or(&Ok(()));
                if is_begun && run(&slot, next, copy).await {
                    continue;
                }
                if slot.deployments.is_open(next) {
                    // It is seen again when the storage can be read.
                    break;
                }
            }
            claim.end().await;
        });
    }
}

/// How long a deployment waits for the process that accepted it before another one tries to run it:
/// one that has the site in memory, and one that has not.
const WARM_DELAY: Duration = Duration::from_secs(2);
const COLD_DELAY: Duration = Duration::from_secs(5);

/// Publishes what another process has published last, and runs deployments that none does. Blocks; must
/// be called where a runtime is entered.
///
/// # Errors
///
/// Fails if what was published cannot be read; what was published before stays.
pub(crate) fn catch_up(slot: &Arc<SiteSlot>) -> anyhow::Result<()> {
    let deployments = &slot.deployments;
    let service = slot.running();
    let delay = match service {
        Some(_) => WARM_DELAY,
        None => COLD_DELAY,
    };
    let core = service.as_ref().map(|service| service.core());
    let caught_up = match core.filter(|core| core.is_deployed()) {
        Some(core) => take_up(slot, core),
        None => Ok(()),
    };
    if let Some(last) = deployments.waiting(Instant::now(), delay) {
        start(slot.clone(), last);
    }
    caught_up
}

/// Publishes what was published last, if this process publishes something else.
fn take_up(slot: &SiteSlot, core: &Arc<Core>) -> anyhow::Result<()> {
    let deployments = &slot.deployments;
    // What this process publishes itself is not to be replaced by what was published before.
    let Ok(_publishing) = deployments.publishing.try_lock() else {
        return Ok(());
    };
    let published = deployments.published_release();
    if let Some(release) = published
        && core.released_id() != published
    {
        let (edit, _) = core.restore(release)?;
        let changed = differing(edit.paths().count());
        tracing::info!(site = slot.id, "publishing what is stored: {changed}");
    }
    Ok(())
}

/// Runs the deployment `id` of `slot`; returns false if it has not ended after all.
async fn run(slot: &Arc<SiteSlot>, id: u64, fetched: &Result<(), String>) -> bool {
    let deployments = &slot.deployments;
    let started = Instant::now();
    let waited = AtomicU64::new(0);
    let log = |what: String| {
        tracing::info!(site = slot.id, deployment = id, "{what}");
        let line = format!("{:.3}s {what}", started.elapsed().as_secs_f64());
        deployments.note(id, line);
    };
    log("begins".to_owned());
    crash_point::reach("deployment-begun");
    let order = deployments.get(id);
    let outcome = match order.as_ref().and_then(|order| order.from) {
        Some(from) => {
            let release = order.and_then(|order| order.release);
            go_back(slot, (from, release), &log).await
        }
        None => publish(slot, (id, fetched), &waited, &log).await,
    };
    let refused = outcome.as_ref().err();
    let refused = refused.and_then(|error| error.downcast_ref::<RefusedDeployment>());
    let diagnostics = refused.map(|refused| {
        let reports = refused.0.iter().take(MAX_SHOWN);
        reports.map(Report::json).collect::<Vec<_>>()
    });
    crash_point::reach("deployment-published");
    let error = outcome.as_ref().err().map(|error| format!("{error:#}"));
    let published = outcome.as_ref().ok().cloned();
    let ending = slot.deployments.clone();
    let waited = waited.into_inner();
    let ended = tokio::task::spawn_blocking(move || {
        ending.finish(id, |known| {
            known.finished = Some(now());
            known.ms = milliseconds(started).saturating_sub(waited);
            known.error = error;
            known.diagnostics = diagnostics.unwrap_or_default();
            known.status = Status::Failure;
            if let Some(published) = published {
                known.status = Status::Success;
                known.changed = published.changed;
                known.commit = published.commit;
                known.release = published.release;
            }
        })
    });
    let has_ended = ended.await.unwrap_or_else(|error| {
        tracing::error!(site = slot.id, deployment = id, "{error}");
        true
    });
    crash_point::reach("deployment-done");
    if let Err(error) = outcome {
        let result = match error.is::<NotStored>() {
            true => "servers have the previous version",
            false => "still serving the previous version",
        };
        tracing::error!(
            site = slot.id,
            deployment = id,
            "deployment failed; {result}: {error:#}"
        );
    }
    has_ended
}

/// Context of the error of a deployment that was published and could not be stored.
#[derive(Debug)]
pub(super) struct NotStored;

impl std::fmt::Display for NotStored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("published on this daemon, but not stored")
    }
}

/// Maximum number of diagnostics stored of a failed deployment.
const MAX_SHOWN: usize = 50;

/// Diagnostics that keep a deployment from being published.
#[derive(Debug)]
struct RefusedDeployment(Vec<Report>);

impl std::fmt::Display for RefusedDeployment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(first) = self.0.first() else {
            return f.write_str("not published");
        };
        let Located {
            path, line, column, ..
        } = &first.located;
        let found = &first.diagnostic;
        let (word, code) = (found.severity().word(), found.code.name());
        let message = &found.message;
        write!(
            f,
            "not published: {path}:{line}:{column}: {word}[{code}]: {message}"
        )?;
        match self.0.len() - 1 {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for RefusedDeployment {}

/// Result of a deployment.
#[derive(Clone)]
struct PublishedDeployment {
    changed: usize,
    commit: Option<String>,
    release: Option<ObjectId>,
}

/// Publishes the release of an earlier deployment again.
async fn go_back(
    slot: &Arc<SiteSlot>,
    (from, release): (u64, Option<ObjectId>),
    log: &(dyn Fn(String) + Sync),
) -> anyhow::Result<PublishedDeployment> {
    let release = release.ok_or(NoRelease::NotStored)?;
    let service = slot.service().await;
    let service = service.map_err(|error| anyhow::anyhow!("{error}"))?;
    let core = service.core().clone();
    let restored = tokio::task::spawn_blocking(move || core.restore(release));
    let (edit, of) = restored.await??;
    let (changed, what) = told(&edit);
    log(format!("deployment {from} is published again: {what}"));
    Ok(PublishedDeployment {
        changed,
        commit: of.commit.clone(),
        release: Some(release),
    })
}

/// Number of files that `edit` has published, and that with its cost for the log.
fn told(edit: &Edit) -> (usize, String) {
    let (changed, ms) = (edit.paths().count(), edit.took.as_secs_f64() * 1000.0);
    let differing = differing(changed);
    let what = format!("{differing}; {} queries in {ms:.1} ms", edit.executed);
    (changed, what)
}

/// Milliseconds since `began`.
fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Brings the copy of the repository of a site up to date, if it has one; returns why it cannot be.
async fn fetch(slot: &Arc<SiteSlot>) -> Result<(), String> {
    if slot.settings.git.is_none() {
        return Ok(());
    }
    let own = slot.clone();
    let fetching = tokio::task::spawn_blocking(move || match own.repository()? {
        Some((repository, _)) => repository.fetch(),
        None => Ok(()),
    });
    match fetching.await {
        Ok(fetched) => fetched.map_err(|error| format!("{error:#}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads everything, and publishes it at once; nothing of it if anything cannot be had, or it may not be published.
///
/// Adds the milliseconds to `waited` for which other sites were built.
async fn publish(
    slot: &Arc<SiteSlot>,
    (id, fetched): (u64, &Result<(), String>),
    waited: &AtomicU64,
    log: &(dyn Fn(String) + Sync),
) -> anyhow::Result<PublishedDeployment> {
    fetched.clone().map_err(anyhow::Error::msg)?;
    if slot.settings.git.is_some() {
        log("the copy of the repository is up to date".to_owned());
    }
    let place = || async {
        let began = Instant::now();
        let place = slot.places.builds.acquire().await;
        waited.fetch_add(milliseconds(began), Ordering::Relaxed);
        place
    };
    let core = || async {
        let service = slot.service().await.map_err(anyhow::Error::msg)?;
        anyhow::Ok(service.core().clone())
    };
    let documents = {
        let _place = place().await;
        core().await?
    };
    // Others need not wait for what is slow elsewhere.
    let mut documents = documents.fetch_all().await;
    let mut changes = changes_of(&documents, log)?;
    let _place = place().await;
    // It may have been put out of memory meanwhile.
    let core = core().await?;
    let mut deployed = deploy(&core, changes.clone()).await?;
    if let DeployOutcome::Refused(reports) = &deployed
        && (reports.iter()).any(|report| report.diagnostic.code == Code::MissingSpec)
    {
        // It may be one that no deployment has named before, which nobody has fetched.
        let reading = core.clone();
        let named = tokio::task::spawn_blocking(move || reading.urls_in_files());
        let mut urls = named.await??;
        urls.retain(|url| documents.iter().all(|known| known.url != *url));
        if !urls.is_empty() {
            let fetched = core.fetch(&urls).await;
            changes.extend(changes_of(&fetched, log)?);
            documents.extend(fetched);
            deployed = deploy(&core, changes).await?;
        }
    }
    let edit = match deployed {
        DeployOutcome::Published(edit) => edit,
        DeployOutcome::Refused(reports) => return Err(RefusedDeployment(reports).into()),
        DeployOutcome::OverQuota(over) => return Err(over.into()),
    };
    if core.is_deployed() {
        let asked: BTreeSet<&str> = documents.iter().map(|known| known.url.as_str()).collect();
        fetch_named(&core, &asked, log).await?;
    }
    let (changed, what) = told(&edit);
    log(what);
    let counting = core.clone();
    let (errors, warnings) =
        tokio::task::spawn_blocking(move || counting.count_diagnostics()).await?;
    log(format!("{errors} errors, {warnings} warnings; published"));
    let faults = core.publisher.faults().present();
    if let Some((what, why)) = faults.first() {
        anyhow::bail!(
            "published, but {} could not be drawn because of a fault of the program, which keep their last good version: \
             {what}: {why}",
            faults.len()
        );
    }
    let commit = core.commit();
    let release = match core.is_deployed() {
        false => None,
        true => match store(&core, (id, commit.clone()), log).await {
            Ok(release) => Some(release),
            // It was accepted by an earlier process, which could write there.
            Err(error) if is_read_only(&error) && slot.deployments.is_closed() => {
                log(format!(
                    "not stored, so nobody can go back to it: {error:#}"
                ));
                None
            }
            Err(error) => {
                let error = error.context(NotStored);
                log(format!("{error:#}"));
                return Err(error);
            }
        },
    };
    Ok(PublishedDeployment {
        changed,
        commit,
        release,
    })
}

/// The changes that the fetched `documents` make.
///
/// # Errors
///
/// Fails if one could not be fetched.
fn changes_of(
    documents: &[FetchResult],
    log: &(dyn Fn(String) + Sync),
) -> anyhow::Result<Vec<FileChange>> {
    let mut changes = Vec::new();
    for fetched in documents {
        match &fetched.content {
            Ok(content) => {
                let same = if fetched.is_same { ", as before" } else { "" };
                log(format!("{}: {} bytes{same}", fetched.url, content.len()));
                changes.extend(fetched.change());
            }
            Err(error) => anyhow::bail!("{} could not be fetched: {error:#}", fetched.url),
        }
    }
    Ok(changes)
}

/// Reads every file, and publishes what differs and `changes`, or nothing if that may not be.
async fn deploy(core: &Arc<Core>, changes: Vec<FileChange>) -> anyhow::Result<DeployOutcome> {
    let reading = core.clone();
    let deployed = tokio::task::spawn_blocking(move || {
        reading.deploy(changes, || crash_point::reach("deployment-read"))
    });
    deployed.await?
}

/// Publishes the documents that a deployment names and no deployment before, so that its release
/// has them.
async fn fetch_named(
    core: &Arc<Core>,
    asked: &BTreeSet<&str>,
    log: &(dyn Fn(String) + Sync),
) -> anyhow::Result<()> {
    let mut changes = Vec::new();
    for fetched in core.fetch_others(asked).await {
        match &fetched.content {
            Ok(content) => log(format!("{}: {} bytes", fetched.url, content.len())),
            Err(error) => log(format!("{} could not be fetched: {error:#}", fetched.url)),
        }
        changes.extend(fetched.change());
    }
    if !changes.is_empty() {
        let publishing = core.clone();
        tokio::task::spawn_blocking(move || publishing.publish(changes)).await?;
    }
    Ok(())
}

/// Stores what is published as a release.
async fn store(
    core: &Arc<Core>,
    (id, commit): (u64, Option<String>),
    log: &(dyn Fn(String) + Sync),
) -> anyhow::Result<ObjectId> {
    crash_point::reach("release-storing");
    let storing = core.clone();
    let stored = tokio::task::spawn_blocking(move || storing.store_release(id, commit));
    let (release, of) = stored.await??;
    let (files, bytes) = (of.files.len(), of.size());
    log(format!("stored: {files} files, {bytes} bytes"));
    Ok(release)
}
