//! Deployments: rereads a site and publishes it as a whole, on request.
//!
//! They are numbered, run one after the other, and are written to a list in storage before anyone
//! is told that they were accepted: one that a crash cut off is run when the daemon comes back.

pub(crate) mod list;
mod run;
pub(crate) mod sweep;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::release::{ReleaseDiff, Releases};
use crate::sites::now;
use quire_settings::DeploymentSettings;
use quire_storage::crash_point;
use quire_storage::objects::ObjectId;
use quire_storage::{Error, Lease, Storage, Term};

pub use run::start;
pub(crate) use run::{Places, begin, catch_up};

use list::{List, ListRecord};
use run::NotStored;

/// Number of times that the list is read again because another process has written it.
const MAX_ATTEMPTS: usize = 100;

/// Number of times that processes begin a deployment before it is given up: it may be what ends them.
const MAX_RUNS: u32 = 3;

/// Pause before a deployment whose end could not be written down is run again.
const RUN_AGAIN: Duration = Duration::from_secs(10);

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// Number: higher is later.
    pub id: u64,
    /// Status.
    pub status: Status,
    /// Origin of the request.
    pub cause: Cause,
    /// The `Idempotency-Key` of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Digest of the request that the key was first sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// When it was accepted, in seconds since 1970.
    pub created: u64,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<u64>,
    /// The commit that was published, of a site from a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Why, as whoever asked for it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of the deployment whose release is published again, of a rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The release that was published, as long as it is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<ObjectId>,
    /// Number of times that a process has begun it, where several may.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// Number of files and specifications that differ from those published before.
    pub changed: usize,
    /// Duration in milliseconds.
    pub ms: u64,
    /// Log, one event per line.
    pub log: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Diagnostics that kept it from being published, as `quire check --format json` writes them:
    /// the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<serde_json::Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Status of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Accepted.
    Queued,
    /// Running.
    InProgress,
    /// Published.
    Success,
    /// Not published: the site is unchanged.
    Failure,
}

impl Status {
    /// Returns true if the status will not change.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Success | Self::Failure)
    }
}

/// Origin of the request for a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A client of the interface.
    Api,
    /// A webhook.
    Webhook,
    /// A client of the interface that takes a deployment back.
    Rollback,
    /// The start of a site of which nothing is stored yet.
    Start,
}

/// Request for a deployment.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// Origin.
    pub cause: Cause,
    /// The `Idempotency-Key`.
    pub key: Option<&'a str>,
    /// Digest of the request that has the key.
    pub request: Option<&'a str>,
    /// Why.
    pub reason: Option<&'a str>,
    /// Number of the deployment to go back to.
    pub from: Option<u64>,
}

/// Why a deployment cannot be gone back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRelease {
    /// No deployment has the number.
    Unknown,
    /// It was not published, or its release is not stored any more.
    NotStored,
    /// No deployment was published before it.
    First,
}

impl std::fmt::Display for NoRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unknown => "no deployment has that number",
            Self::NotStored => {
                "nothing is stored of that deployment: it failed, is older than what is kept, or was of a folder that publishes by itself"
            }
            Self::First => "no deployment was published before that one; name the other with `with`",
        })
    }
}

impl std::error::Error for NoRelease {}

/// Differences between what two deployments published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Number of the earlier deployment.
    pub from: u64,
    /// Number of the later deployment.
    pub to: u64,
    /// Differences.
    #[serde(flatten)]
    pub diff: ReleaseDiff,
}

/// Says how many files differ.
pub fn differing(count: usize) -> String {
    match count {
        1 => "1 file differs".to_owned(),
        count => format!("{count} files differ"),
    }
}

/// A key was sent with another request before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyReused;

impl std::fmt::Display for KeyReused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the key was sent with another request before")
    }
}

impl std::error::Error for KeyReused {}

/// The deployments of a day have taken as long as they may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaUsed {
    /// Most seconds that they may take.
    pub quota: u64,
    /// Seconds until they have taken less.
    pub wait: u64,
}

impl std::fmt::Display for QuotaUsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { quota, wait } = self;
        write!(
            f,
            "deployments of the last 24 hours have taken {quota} seconds, the quota of the site (`quotas.daily_build_seconds`); the next one is accepted in {wait} seconds"
        )
    }
}

impl std::error::Error for QuotaUsed {}

/// How a process takes part in deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It alone publishes to its storage.
    Alone,
    /// Others publish there too, and a lease says who runs the deployments of a site.
    Shared,
    /// It accepts deployments, others run them.
    Follower,
}

/// The deployments of one site.
pub struct Deployments {
    /// Id of the site.
    id: String,
    part: Part,
    /// What is known of them. Never locked while the storage is asked, which may take a minute.
    list: Mutex<List>,
    /// What is written of them; locked before `list`, while it is read or written.
    record: Mutex<ListRecord>,
    storage: Arc<dyn Storage>,
    /// One task of this process runs deployments or waits to run them.
    run_lock: tokio::sync::Mutex<()>,
    /// Held while a deployment is run, and while what another process has published is taken up.
    publishing: tokio::sync::Mutex<()>,
    /// Number of releases that are kept.
    keep: AtomicUsize,
    /// Most seconds of deployments in a day; [`u64::MAX`] without a quota.
    daily_seconds: AtomicU64,
    /// Whether this process has accepted one because nothing was stored.
    has_begun: AtomicBool,
    /// Whether this process has written the list.
    has_written: AtomicBool,
    tasks: Mutex<Tasks>,
}

/// Deployments and the tasks that run them, by number.
#[derive(Default)]
struct Tasks {
    /// Those that a task runs or waits to run.
    taken: BTreeSet<u64>,
    /// Those that a task has begun; it may have ended by a fault of the program.
    begun: BTreeSet<u64>,
    /// When those that have not ended were seen first.
    seen: BTreeMap<u64, Instant>,
}

/// The right to run the deployments of a site. Ends with this value.
struct Claim {
    deployments: Arc<Deployments>,
    lease: Option<Lease>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Where it was not given back: the list could not be read, or a fault ended the task.
        if let Some(lease) = self.lease.take() {
            tokio::spawn(release(self.deployments.clone(), lease));
        }
    }
}

impl Claim {
    /// Gives the right back.
    async fn end(mut self) {
        if let Some(lease) = self.lease.take() {
            release(self.deployments.clone(), lease).await;
        }
    }
}

async fn release(deployments: Arc<Deployments>, lease: Lease) {
    if let Err(error) = deployments.storage.release(lease).await {
        // It is not renewed any more, and ends by itself.
        tracing::warn!(site = deployments.id, "{error}");
    }
}

/// Mark of a deployment that a task runs; goes with this value, also in a panic.
struct Taken(Arc<Deployments>, u64);

impl Taken {
    /// The mark of the deployment `id`, unless another task has it.
    fn new(deployments: &Arc<Deployments>, id: u64) -> Option<Self> {
        let mut tasks = deployments.tasks();
        let is_free = tasks.taken.insert(id);
        if is_free {
            tasks.begun.remove(&id);
        }
        is_free.then(|| Self(deployments.clone(), id))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.tasks().taken.remove(&self.1);
    }
}

impl Deployments {
    /// The deployments of the site `id` that `storage` knows.
    pub fn open(storage: Arc<dyn Storage>, id: &str) -> Self {
        Self::open_as(Part::Alone, storage, id)
    }

    /// Like [`Deployments::open`], for a process that takes part as `part`.
    pub fn open_as(part: Part, storage: Arc<dyn Storage>, id: &str) -> Self {
        let deployments = Self {
            id: id.to_owned(),
            part,
            list: Mutex::default(),
            record: Mutex::new(ListRecord::new(storage.clone(), id)),
            storage,
            run_lock: tokio::sync::Mutex::new(()),
            publishing: tokio::sync::Mutex::new(()),
            keep: AtomicUsize::new(DeploymentSettings::default().keep),
            daily_seconds: AtomicU64::new(u64::MAX),
            has_begun: AtomicBool::new(false),
            has_written: AtomicBool::new(false),
            tasks: Mutex::default(),
        };
        if let Err(error) = deployments.read(&mut deployments.record()) {
            tracing::error!("rejecting deployments until the list can be read: {error}");
        }
        deployments
    }

    /// Sets the number of releases that are kept, and the most seconds that deployments of a day take;
    /// from the next deployment on.
    pub fn set_limits(&self, keep: usize, daily_seconds: Option<u64>) {
        self.keep.store(keep, Ordering::Relaxed);
        let daily_seconds = daily_seconds.unwrap_or(u64::MAX);
        self.daily_seconds.store(daily_seconds, Ordering::Relaxed);
    }

    /// Accepts a deployment, or returns the one that the same key asked for before, and whether it
    /// is new. It is on the disk when this returns. For a start, the one that makes another needless
    /// is returned: the last that was published, if it is stored, or one that has not ended.
    ///
    /// # Errors
    ///
    /// Fails with [`KeyReused`] if the key came with another request, with [`NoRelease`] if there is
    /// nothing to go back to, with [`QuotaUsed`] if those of a day have taken too long, or because the
    /// list cannot be written.
    pub fn accept(&self, order: Order<'_>) -> anyhow::Result<(Deployment, bool)> {
        let Order {
            cause,
            key,
            request,
            reason,
            from,
        } = order;
        let mut record = self.record();
        if self.part != Part::Alone {
            // A number or a release may be another process's, and quite new.
            record.forget();
        }
        for _ in 0..MAX_ATTEMPTS {
            self.read(&mut record)?;
            let (deployment, text) = {
                let list = self.lock();
                if cause == Cause::Start
                    && let Some(needed) = list.published_or_open()
                {
                    return Ok((needed.clone(), false));
                }
                let known = key.and_then(|key| list.keys.iter().find(|(known, _)| known == key));
                if let Some(known) = known.and_then(|(_, id)| list.known.get(id)) {
                    let differs = |(known, now): (&str, &str)| known != now;
                    if known.request.as_deref().zip(request).is_some_and(differs) {
                        return Err(KeyReused.into());
                    }
                    return Ok((known.clone(), false));
                }
                if from.is_none() {
                    let seconds = self.daily_seconds.load(Ordering::Relaxed);
                    list.check_time(seconds, now())?;
                }
                let release = match from {
                    None => None,
                    Some(from) => {
                        let from = list.known.get(&from).ok_or(NoRelease::Unknown)?;
                        Some(from.release.ok_or(NoRelease::NotStored)?)
                    }
                };
                let deployment = Deployment {
                    id: list.known.keys().next_back().map_or(1, |last| last + 1),
                    status: Status::Queued,
                    cause,
                    key: key.map(str::to_owned),
                    request: key.and(request).map(str::to_owned),
                    created: now(),
                    finished: None,
                    commit: None,
                    reason: reason.map(str::to_owned),
                    from,
                    release,
                    attempts: 0,
                    changed: 0,
                    ms: 0,
                    log: Vec::new(),
                    error: None,
                    diagnostics: Vec::new(),
                };
                let text = list.text_with(&deployment, usize::MAX);
                (deployment, text)
            };
            crash_point::reach("deployment-accepting");
            match self.write(&mut record, &text) {
                Ok(()) => {}
                // Its number may be taken.
                Err(Error::Conflict) => continue,
                Err(error) => return Err(error).context("write the list of deployments"),
            }
            crash_point::reach("deployment-accepted");
            let mut list = self.lock();
            let id = deployment.id;
            if let Some(key) = key {
                list.keys.push_back((key.to_owned(), id));
            }
            list.known.insert(id, deployment.clone());
            list.forget();
            return Ok((deployment, true));
        }
        Err(Error::Conflict).context("write the list of deployments")
    }

    /// The deployment of this number.
    pub fn get(&self, id: u64) -> Option<Deployment> {
        self.lock().known.get(&id).cloned()
    }

    /// The last ones, the newest first.
    pub fn last(&self, most: usize) -> Vec<Deployment> {
        self.lock()
            .known
            .values()
            .rev()
            .take(most)
            .cloned()
            .collect()
    }

    /// The commit that was published last, of a site from a repository.
    pub fn published_commit(&self) -> Option<String> {
        let list = self.lock();
        let known = list.known.values().rev();
        let mut published = known.filter(|known| known.status == Status::Success);
        published.next()?.commit.clone()
    }

    /// The release that was published last, if it is stored.
    pub fn published_release(&self) -> Option<ObjectId> {
        let list = self.lock();
        let known = list.known.values().rev();
        let mut published = known.filter(|known| known.status == Status::Success);
        published.next()?.release
    }

    /// Releases of the site and where they are stored.
    pub fn releases(&self) -> Releases {
        Releases::new(self.storage.clone())
    }

    /// Compares the release of the deployment `number` with that of `with`, or of the one that was
    /// published before.
    ///
    /// # Errors
    ///
    /// Fails with [`NoRelease`], or if a release cannot be read.
    pub fn compare(&self, number: u64, with: Option<u64>) -> anyhow::Result<Comparison> {
        if self.part != Part::Alone {
            self.refresh()?;
        }
        let (from, before, after) = {
            let list = self.lock();
            let to = list.known.get(&number).ok_or(NoRelease::Unknown)?;
            let from = match with {
                Some(with) => list.known.get(&with).ok_or(NoRelease::Unknown)?,
                None => {
                    let mut before = list.known.range(..number).rev();
                    let last = before.find(|(_, known)| known.status == Status::Success);
                    last.ok_or(NoRelease::First)?.1
                }
            };
            (from.id, from.release, to.release)
        };
        let releases = self.releases();
        let before = releases.load(before.ok_or(NoRelease::NotStored)?)?;
        let after = releases.load(after.ok_or(NoRelease::NotStored)?)?;
        let diff = before.diff(&after);
        Ok(Comparison {
            from,
            to: number,
            diff,
        })
    }

    /// Deployments that were accepted and have not ended.
    pub fn unfinished(&self) -> Vec<u64> {
        let list = self.lock();
        let open = list.known.values().filter(|known| !known.status.is_final());
        open.map(|known| known.id).collect()
    }

    /// Reads the list again: another process may have written it. Blocks.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn refresh(&self) -> Result<(), Error> {
        let mut record = self.record();
        record.forget();
        self.read(&mut record)
    }

    /// The last deployment that has not ended, was seen `delay` before `now`, and that this process has
    /// not begun; `None` while it runs others.
    fn waiting(&self, now: Instant, delay: Duration) -> Option<u64> {
        let open = self.unfinished();
        let tasks = &mut *self.tasks();
        tasks.seen.retain(|id, _| open.contains(id));
        for id in &open {
            tasks.seen.entry(*id).or_insert(now);
        }
        if !tasks.taken.is_empty() {
            return None;
        }
        let is_due = |id: &&u64| {
            let seen = tasks.seen.get(id).copied().unwrap_or(now);
            !tasks.begun.contains(id) && now.saturating_duration_since(seen) >= delay
        };
        open.iter().rev().find(is_due).copied()
    }

    /// Returns true if the deployment `id` publishes what is stored.
    fn is_rollback(&self, id: u64) -> bool {
        self.get(id).is_some_and(|known| known.from.is_some())
    }

    /// Returns true if the deployment `id` has not ended.
    fn is_open(&self, id: u64) -> bool {
        self.get(id).is_some_and(|known| !known.status.is_final())
    }

    /// Has this process leave the deployment `id` alone for a while, then begin it anew.
    fn put_off(&self, id: u64) {
        let tasks = &mut *self.tasks();
        tasks.begun.remove(&id);
        tasks.seen.insert(id, Instant::now() + RUN_AGAIN);
    }

    /// Writes down that a process begins the deployment `id`; returns false if it may not. One that was
    /// begun [`MAX_RUNS`] times and has not ended is given up. Blocks.
    fn begin_run(&self, id: u64) -> bool {
        if self.part == Part::Alone {
            return true;
        }
        let mut record = self.record();
        let mut written = Err(Error::Conflict);
        for _ in 0..MAX_ATTEMPTS {
            let read = self.read(&mut record);
            let known = self.get(id).filter(|known| !known.status.is_final());
            let Some(mut known) = known else {
                return false;
            };
            if known.attempts >= MAX_RUNS {
                drop(record);
                self.finish(id, |known| {
                    known.finished = Some(now());
                    known.status = Status::Failure;
                    known.error = Some(format!(
                        "given up: {MAX_RUNS} times the process that ran it has ended, or could not write down how it ended"
                    ));
                });
                return false;
            }
            known.attempts += 1;
            let text = read.map(|()| self.lock().text_with(&known, usize::MAX));
            written = text.and_then(|text| self.write(&mut record, &text));
            if written.is_ok() {
                self.lock().known.insert(id, known);
                return true;
            }
            if !matches!(written, Err(Error::Conflict)) {
                break;
            }
        }
        if let Err(error) = written {
            tracing::warn!(
                site = self.id,
                deployment = id,
                "the deployment waits: {error}"
            );
        }
        self.put_off(id);
        false
    }

    /// Takes the right to run deployments; `None` if another process has it, or that cannot be known.
    async fn claim(self: &Arc<Self>) -> Option<Claim> {
        let lease = match self.part {
            Part::Alone => None,
            Part::Follower => return None,
            Part::Shared => {
                let name = format!("deployments-{}", self.id);
                match self.storage.take(&name, Term::Process).await {
                    Ok(lease) => Some(lease),
                    Err(Error::Conflict) => return None,
                    Err(error) => {
                        tracing::warn!(site = self.id, "deployments wait: {error}");
                        return None;
                    }
                }
            }
        };
        let claim = Claim {
            deployments: self.clone(),
            lease,
        };
        if claim.lease.is_some() {
            // The process that had it may have ended some.
            let own = self.clone();
            let read = tokio::task::spawn_blocking(move || own.refresh()).await;
            if let Ok(Err(error)) = read {
                tracing::warn!(site = self.id, "deployments wait: {error}");
                return None;
            }
        }
        Some(claim)
    }

    /// Adds a line to the log of a deployment, which runs. After a crash it is run again whatever is
    /// written of it, so nothing is.
    fn note(&self, id: u64, line: String) {
        if let Some(known) = self.lock().known.get_mut(&id) {
            known.status = Status::InProgress;
            known.log.push(line);
        }
    }

    /// Ends a deployment as `change` says, and writes that down before anyone sees it. On a storage that
    /// others write, one whose end cannot be written has not ended: then this returns false. Blocks.
    fn finish(&self, id: u64, change: impl FnOnce(&mut Deployment)) -> bool {
        let mut record = self.record();
        let Some(mut ended) = self.get(id) else {
            return true;
        };
        change(&mut ended);
        let keep = self.keep.load(Ordering::Relaxed);
        let mut written = Err(Error::Conflict);
        for _ in 0..MAX_ATTEMPTS {
            let read = self.read(&mut record);
            if self.get(id).is_some_and(|known| known.status.is_final()) {
                // Of another process, which took this one for dead.
                tracing::warn!(
                    site = self.id,
                    deployment = id,
                    "another process has ended this deployment"
                );
                return true;
            }
            let text = read.map(|()| self.lock().text_with(&ended, keep));
            written = text.and_then(|text| self.write(&mut record, &text));
            if !matches!(written, Err(Error::Conflict)) {
                break;
            }
        }
        match written {
            Ok(()) => {}
            // That was said when the folder was opened.
            Err(Error::ReadOnly(_)) if self.is_closed() => {}
            // Others would run it in any case: so may this process, once the storage answers.
            Err(error) if self.part != Part::Alone => {
                tracing::error!(
                    site = self.id,
                    deployment = id,
                    "the end of the deployment is not written down, so it is run again: {error}"
                );
                self.put_off(id);
                return false;
            }
            Err(error) => {
                let error = anyhow::Error::from(error).context("write the list of deployments");
                tracing::error!(site = self.id, deployment = id, "{error:#}");
                if ended.status == Status::Success && ended.release.is_some() {
                    ended.release = None;
                    ended.status = Status::Failure;
                    ended.error = Some(format!("{:#}", error.context(NotStored)));
                }
            }
        }
        let mut list = self.lock();
        let is_published = ended.status == Status::Success;
        list.known.insert(id, ended);
        if is_published {
            list.expire(keep);
        }
        true
    }

    /// Reads the list, unless it is known.
    fn read(&self, record: &mut ListRecord) -> Result<(), Error> {
        if let Some(text) = record.read()? {
            self.lock().take_up(&self.id, &text);
        }
        Ok(())
    }

    fn write(&self, record: &mut ListRecord, text: &[u8]) -> Result<(), Error> {
        record.write(text)?;
        self.has_written.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns true if the folder could not be written from the start, as was said then.
    fn is_closed(&self) -> bool {
        self.part == Part::Alone && !self.has_written.load(Ordering::Relaxed)
    }

    /// The first deployment up to the number `last` that has not ended and that no task has begun.
    fn next_until(&self, last: u64) -> Option<u64> {
        let list = self.lock();
        let open = list.known.range(..=last);
        let mut open = open.filter(|(_, known)| !known.status.is_final());
        let mut tasks = self.tasks();
        open.find_map(|(id, _)| tasks.begun.insert(*id).then_some(*id))
    }

    fn tasks(&self) -> std::sync::MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self) -> std::sync::MutexGuard<'_, ListRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
