//! The files of the output folder: written where they differ, left alone where they are as an earlier build left them,
//! removed where that wrote them and this one did not.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use queries::base::content::ContentHash;
use queries::base::diagnostic::Code;
use queries::base::path::{Route, SitePath};
use queries::site::report::Report;
use serde::{Deserialize, Serialize};

use super::addresses::Addresses;
use super::{Built, Outcome};
use crate::crash_point;
use crate::sources::BUILD_LIST;
use crate::store::outputs::{self, Left, Memory, Outputs};

/// How the names of files begin that are being written.
const UNFINISHED: &str = ".quire-";
/// How many random characters follow.
const RANDOM: usize = 6;

/// Whether `name` is that of a file which a build was writing when it was killed.
fn is_unfinished(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED));
    rest.is_some_and(|rest| {
        rest.len() == RANDOM && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Whether nothing is in `folder` but what a build was writing that was killed before its first file was whole.
pub(super) fn is_empty(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if !is_unfinished(&entry?.file_name()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes what builds that were killed left in `folder`.
pub(super) fn clear_unfinished(folder: &Path) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
    for entry in entries.flatten() {
        let kind = entry.file_type();
        match kind {
            // Where a link leads to is none of ours.
            Ok(kind) if kind.is_dir() => clear_unfinished(&entry.path())?,
            Ok(kind) if kind.is_file() && is_unfinished(&entry.file_name()) => {
                let path = entry.path();
                fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// What an earlier build wrote to `out`.
fn listed(out: &Path) -> BTreeSet<String> {
    fs::read_to_string(out.join(BUILD_LIST))
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// What a build says besides what became of each file.
#[derive(Serialize, Deserialize)]
struct Said {
    pages: usize,
    bytes: u64,
    left_out: Vec<String>,
    reports: Vec<Report>,
}

/// The output folder while it is written.
pub(super) struct Writer {
    out: PathBuf,
    before: BTreeSet<String>,
    /// Where it is kept how the files are left; nowhere without.
    memory: Option<Memory>,
    earlier: Outputs,
    left: Mutex<HashMap<String, Left>>,
}

impl Writer {
    /// A writer of files in `out`, of which `memory` knows how they were left.
    pub(super) fn new(out: PathBuf, memory: Option<Memory>) -> Self {
        Self {
            before: listed(&out),
            out,
            earlier: memory.as_ref().map(Memory::load).unwrap_or_default(),
            memory,
            left: Mutex::default(),
        }
    }

    /// Writes an empty list if there is none: a preview of the site that is running must not take the output for sources.
    pub(super) fn begin(&self) -> anyhow::Result<()> {
        if !self.out.join(BUILD_LIST).exists() {
            self.put(BUILD_LIST, b"")
                .with_context(|| format!("write {BUILD_LIST}"))?;
        }
        Ok(())
    }

    /// What the last build had to say, if it made the files of the same and each is as it was left.
    pub(super) fn unchanged(&self, made_of: ContentHash) -> Option<Built> {
        let (before, said) = self.earlier.whole.as_ref()?;
        if *before != made_of || !self.earlier.files.contains_key(BUILD_LIST) {
            return None;
        }
        let said: Said = postcard::from_bytes(said).ok()?;
        let (mut files, mut is_news) = (HashMap::with_capacity(self.earlier.files.len()), false);
        let known: Vec<(&String, &Left)> = self.earlier.files.iter().collect();
        for (path, left) in known {
            let still = left.still(&self.out.join(path))?;
            is_news |= still != *left;
            files.insert(path.clone(), still);
        }
        let mut built = Built {
            pages: said.pages,
            bytes: said.bytes,
            left_out: said.left_out,
            reports: said.reports,
            ..Built::default()
        };
        let paths = files.keys().filter(|path| *path != BUILD_LIST);
        built.files = paths
            .map(|path| (path.clone(), Outcome::Unchanged))
            .collect();
        built.files.sort();
        if is_news && let Some(memory) = &self.memory {
            let whole = self.earlier.whole.clone();
            memory.save(&Outputs { whole, files });
        }
        Some(built)
    }

    /// Keeps how the files were left, and, if nothing was missing, what all of it was made from.
    pub(super) fn remember(&self, made_of: Option<ContentHash>, built: &Built) {
        let Some(memory) = &self.memory else { return };
        let is_fault = |report: &Report| report.diagnostic.code == Code::InternalFault;
        let is_whole = built.failed.is_empty()
            && built.unwritten.is_empty()
            && built.left == 0
            && !built.reports.iter().any(is_fault);
        let said = || {
            postcard::to_allocvec(&Said {
                pages: built.pages,
                bytes: built.bytes,
                left_out: built.left_out.clone(),
                reports: built.reports.clone(),
            })
        };
        let whole = made_of.filter(|_| is_whole);
        let whole = whole.and_then(|made_of| Some((made_of, said().ok()?)));
        let files = std::mem::take(&mut *self.lock());
        memory.save(&Outputs { whole, files });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Left>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &str, left: Left) {
        self.lock().insert(path.to_owned(), left);
    }

    /// Writes the output at `path`. A file that cannot be written is noted, and costs no other.
    pub(super) fn write(&self, path: &str, bytes: &[u8], built: &mut Built) {
        built.note(path.to_owned(), self.put(path, bytes));
    }

    /// Brings the file at `path` to hold `bytes`.
    pub(super) fn put(&self, path: &str, bytes: &[u8]) -> io::Result<Outcome> {
        let target = self.out.join(path);
        let holds = self.memory.is_some().then(|| ContentHash::of(bytes));
        if let Some(left) = self.earlier.files.get(path)
            && Some(left.holds) == holds
            && let Some(still) = left.still(&target)
        {
            self.note(path, still);
            return Ok(Outcome::Unchanged);
        }
        let outcome = match outputs::read(&target) {
            Ok((stat, present)) if present == bytes => {
                if let Some(holds) = holds {
                    self.note(path, Left::found(stat, holds));
                }
                return Ok(Outcome::Unchanged);
            }
            Ok(_) => Outcome::Changed,
            Err(_) => Outcome::Added,
        };
        let folder = target.parent().unwrap_or(&self.out);
        fs::create_dir_all(folder)?;
        // A reader of the folder sees the old file or the new one, never a half.
        let mut temporary = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .rand_bytes(RANDOM)
            .tempfile_in(folder)?;
        temporary.write_all(bytes)?;
        crash_point::reach("output-written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            temporary
                .as_file()
                .set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        let file = temporary.persist(&target).map_err(|error| error.error)?;
        crash_point::reach("output-replaced");
        if let Some(holds) = holds
            && let Some(left) = Left::written(&file, holds)
        {
            self.note(path, left);
        }
        Ok(outcome)
    }

    /// Removes what earlier builds wrote and this one did not, and writes the list. If the site `is_partial`, nothing is removed:
    /// what is missing may be of what could not be read.
    pub(super) fn finish(&self, addresses: &Addresses<'_>, is_partial: bool, built: &mut Built) {
        let mut present: BTreeSet<String> =
            built.files.iter().map(|(path, _)| path.clone()).collect();
        // What could not be drawn or written keeps its last file. Only one that a build has written may be on the list:
        // whatever else is in the way there belongs to somebody else.
        let failed = built.failed.iter();
        let failed = failed.filter_map(|(route, _)| Some(addresses.file(&Route::new(route)?)));
        let unwritten = built.unwritten.iter().map(|(path, _)| path.clone());
        let kept = failed.chain(unwritten);
        present.extend(kept.filter(|path| self.before.contains(path)));
        if is_partial {
            let written = present.len();
            present.extend(self.before.iter().cloned());
            built.left = present.len() - written;
        }
        let gone: Vec<&String> = self.before.difference(&present).collect();
        let mut stuck = Vec::new();
        for gone in gone {
            // The list is only as good as who edited it: nothing outside of the folder is touched.
            let Some(inside) = SitePath::new(gone) else {
                continue;
            };
            let path = self.out.join(inside.as_str());
            match fs::remove_file(&path) {
                Ok(()) => built.files.push((gone.clone(), Outcome::Removed)),
                // It went by other hands, or its folder did.
                Err(_) if !path.is_file() => continue,
                Err(error) => {
                    let why = format!("cannot be removed: {error}");
                    built.unwritten.push((gone.clone(), why));
                    stuck.push(gone.clone());
                    continue;
                }
            }
            let mut folder = path.parent();
            while let Some(empty) =
                folder.filter(|folder| *folder != self.out && fs::remove_dir(folder).is_ok())
            {
                folder = empty.parent();
            }
        }
        present.extend(stuck);
        let list: String = present.iter().map(|path| format!("{path}\n")).collect();
        if let Err(error) = self.put(BUILD_LIST, list.as_bytes()) {
            let why = format!("cannot be written: {error}");
            built.unwritten.push((BUILD_LIST.to_owned(), why));
        }
    }
}
