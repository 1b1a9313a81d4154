//! `quire backup` and `quire restore`: copies of a state folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{bail, ensure};
use indicatif::HumanBytes;

use super::arguments::{BackupArguments, Voice};
use super::{progress_bar, say};
use crate::control::{self, StateFolder};
use crate::daemon::take_for_backup;
use crate::place::Place;
use quire_site::backup::{self, Summary};
use quire_storage::directory::Directory;
use quire_storage::{Storage, wait};

pub(super) fn backup(arguments: &BackupArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let state = state_of(arguments)?;
    ensure!(
        state.is_dir(),
        "{}: there is no state folder; give that of the daemon with `--state DIR`",
        state.display()
    );
    let place = place_of(arguments);
    let folder = match &place {
        Place::Both(objects, _) => objects,
        place => place,
    };
    let is_same = matches!(folder, Place::Folder(folder) if is_same(&state, folder));
    ensure!(
        !is_same,
        "{place}: a state folder is no backup of itself; give another folder"
    );
    let to = place.write(None)?;
    let from = Place::Folder(state).read(None)?;
    if !place.is_shared() {
        return copy(&from, &to, voice);
    }
    // A daemon that publishes there would lose what it has published since.
    let leases = take_for_backup(&*to, &place)?;
    let copied = copy(&from, &to, voice);
    for lease in leases {
        if let Err(error) = wait(to.release(lease)) {
            say(&format!("warning: {error}"));
        }
    }
    copied
}

pub(super) fn restore(arguments: &BackupArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    let state = state_of(arguments)?;
    let place = place_of(arguments);
    let from = place.read(None)?;
    if !backup::is_used(&*from)? {
        bail!("{place}: there is no backup");
    }
    // No daemon may write there meanwhile.
    let taken = StateFolder::take(&state)?;
    if let Some(why) = taken.closed() {
        bail!("{why}");
    }
    let to: Arc<dyn Storage> = Arc::new(Directory::new(taken.path()));
    if backup::is_used(&*to)? {
        bail!(
            "{}: it has deployments already; give an empty folder with `--state DIR`, or move this one away",
            taken.path().display()
        );
    }
    copy(&from, &to, voice)
}

fn place_of(arguments: &BackupArguments) -> Place {
    let place = arguments.place.clone();
    match arguments.records.clone() {
        Some(records) => place.with_records(records),
        None => place,
    }
}

fn state_of(arguments: &BackupArguments) -> anyhow::Result<PathBuf> {
    arguments
        .state
        .clone()
        .map_or_else(control::default_state, Ok)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

fn copy(from: &Arc<dyn Storage>, to: &Arc<dyn Storage>, voice: &Voice) -> anyhow::Result<ExitCode> {
    let bar = progress_bar(voice.quiet, "{bar:30} {pos}/{len} objects {elapsed}");
    let step = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let summary = backup::copy(from, to, SystemTime::now(), &step)?;
    bar.finish_and_clear();
    for missing in &summary.missing {
        say(&format!("error: {missing}"));
    }
    if !voice.quiet {
        say(&told(&summary));
    }
    Ok(match summary.missing.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn told(summary: &Summary) -> String {
    let Summary {
        sites,
        objects,
        copied,
        bytes,
        deleted,
        ..
    } = summary;
    let mut told = format!(
        "{sites} sites, {objects} objects: copied {copied} ({})",
        HumanBytes(*bytes)
    );
    if *deleted > 0 {
        told += &format!(", deleted {deleted} that nothing needs");
    }
    told
}
