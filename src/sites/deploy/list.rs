//! The list of the deployments of a site: a line for each step, the last of a number counts. It is on the disk before anyone
//! is told of it, and written anew when it is long.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::Deployment;
use crate::crash_point;
use crate::replace::{When, replace};

/// How many deployments of a site are remembered.
pub(super) const REMEMBERED: usize = 200;

/// Most lines of the list before it is written anew.
const LINES: usize = 1000;

/// The deployments of a site in memory and on the disk.
#[derive(Default)]
pub(super) struct List {
    /// Where it is written; nowhere without.
    path: Option<PathBuf>,
    /// Why nothing can be written, if that is known.
    pub(super) closed: Option<Arc<str>>,
    /// Whether what is written there is known.
    is_read: bool,
    /// Whether its last line may not be whole.
    is_torn: bool,
    file: Option<File>,
    lines: usize,
    /// By their numbers.
    pub(super) known: BTreeMap<u64, Deployment>,
    /// Numbers by key, the oldest first.
    pub(super) keys: VecDeque<(String, u64)>,
}

impl List {
    /// A list that was not read yet.
    pub(super) fn new(path: Option<PathBuf>, closed: Option<Arc<str>>) -> Self {
        Self {
            path,
            closed,
            ..Self::default()
        }
    }

    /// Reads what is written, unless that was done. A list that is there and cannot be read is not taken for an empty one:
    /// that would be written over it.
    pub(super) fn read(&mut self) -> anyhow::Result<()> {
        let Some(path) = self.path.clone().filter(|_| !self.is_read) else {
            return Ok(());
        };
        let text = match fs::read(&path) {
            Ok(text) => text,
            // There is none yet, or there cannot be one.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Vec::new()
            }
            Err(error) => return Err(error).with_context(|| format!("read {}", path.display())),
        };
        // The last line may have been cut off: then nobody was told of it.
        for line in text
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| line.ends_with(b"\n"))
        {
            self.lines += 1;
            match serde_json::from_slice::<Deployment>(line) {
                Ok(deployment) => {
                    self.known.insert(deployment.id, deployment);
                }
                Err(error) => {
                    tracing::warn!("{}: a line cannot be read: {error}", path.display());
                }
            }
        }
        let keyed = self
            .known
            .values()
            .filter_map(|known| Some((known.key.clone()?, known.id)));
        self.keys = keyed.collect();
        self.forget();
        self.is_read = true;
        self.is_torn = text.last().is_some_and(|last| *last != b'\n');
        // What follows a torn line must not become a part of it.
        if self.closed.is_none()
            && let Err(error) = self.rewrite()
        {
            tracing::warn!("{}: {error:#}", path.display());
        }
        Ok(())
    }

    /// Writes `deployment` to the disk.
    pub(super) fn append(&mut self, deployment: &Deployment) -> anyhow::Result<()> {
        let Some(path) = self.path.clone() else {
            return Ok(());
        };
        if let Some(why) = &self.closed {
            anyhow::bail!("{why}");
        }
        let is_torn = self.is_torn;
        if self.lines >= LINES || is_torn {
            let rewritten = self.rewrite();
            // A list that is too long is better than none; one that ends within a line would swallow the next.
            if is_torn {
                rewritten?;
            }
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open(&path)?),
        };
        let mut line = serde_json::to_vec(deployment)?;
        line.push(b'\n');
        let start = file.metadata()?.len();
        let mut written = file.write_all(&line);
        crash_point::reach("deployment-appended");
        written = written.and_then(|()| file.sync_data());
        if let Err(error) = written {
            // Half a line would spoil the next one.
            self.is_torn = file.set_len(start).is_err();
            return Err(error.into());
        }
        self.lines += 1;
        Ok(())
    }

    /// Forgets the oldest.
    pub(super) fn forget(&mut self) {
        while self.known.len() > REMEMBERED {
            self.known.pop_first();
        }
        let first = self.known.keys().next().copied().unwrap_or(0);
        self.keys.retain(|(_, id)| *id >= first);
    }

    /// Writes the list anew: each deployment once.
    fn rewrite(&mut self) -> anyhow::Result<()> {
        let Some(path) = self.path.clone() else {
            return Ok(());
        };
        write_list(&path, self.known.values())?;
        self.lines = self.known.len();
        self.is_torn = false;
        // That of before is no longer the list.
        self.file = None;
        Ok(())
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().create(true).append(true).open(path)
}

fn write_list<'a>(path: &Path, all: impl Iterator<Item = &'a Deployment>) -> anyhow::Result<()> {
    let folder = path.parent().context("a folder")?;
    fs::create_dir_all(folder)?;
    let mut text = Vec::new();
    for deployment in all {
        serde_json::to_writer(&mut text, deployment)?;
        text.push(b'\n');
    }
    let points = ["deployments-written", "deployments-replaced"];
    replace(path, &text, When::Now, points)?;
    Ok(())
}
