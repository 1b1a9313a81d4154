//! The files of the output folder: written where they differ, left alone where they are as an earlier build left them,
//! removed where that wrote them and this one did not.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, IoSlice, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use queries::base::content::ContentHash;
use queries::base::diagnostic::Code;
use queries::base::path::{Route, SitePath};
use queries::site::report::Report;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::addresses::Addresses;
use super::{BuildResult, Outcome};
use crate::outputs::{
    self, FileRecord, FullTextRecord, Memory, Outputs, PageRecord, RowPagesRecord,
};
use quire_source::sources::BUILD_LIST;
use quire_storage::crash_point;

/// The folder of files that are being written, below the output folder: a build that is killed leaves nothing half elsewhere.
pub(super) const UNFINISHED: &str = ".quire-unfinished";

/// Returns true if `folder` holds nothing but temporary files of a build that was killed before its
/// first file was complete.
pub(super) fn is_empty(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if entry?.file_name() != UNFINISHED {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Maximum number of buffers per write call: `IOV_MAX` of Linux and macOS.
const AT_A_TIME: usize = 1024;

/// `file` with `parts` in it, readable to everybody.
fn write_parts(file: NamedTempFile, parts: &[impl AsRef<[u8]>]) -> io::Result<NamedTempFile> {
    let mut to = file.as_file();
    for parts in parts.chunks(AT_A_TIME) {
        let slices = parts.iter().map(|part| IoSlice::new(part.as_ref()));
        let mut slices: Vec<IoSlice<'_>> = slices.collect();
        let mut rest = &mut slices[..];
        // Empty ones at the beginning are none.
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            match to.write_vectored(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => IoSlice::advance_slices(&mut rest, count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
    crash_point::reach("output-written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let readable = fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(readable)?;
    }
    Ok(file)
}

/// Returns true if `bytes` is the concatenation of `parts`.
fn is_joined(mut bytes: &[u8], parts: &[impl AsRef<[u8]>]) -> bool {
    for part in parts {
        match bytes.strip_prefix(part.as_ref()) {
            Some(rest) => bytes = rest,
            None => return false,
        }
    }
    bytes.is_empty()
}

/// Files that an earlier build wrote to `out`.
fn previous_files(out: &Path) -> BTreeSet<String> {
    fs::read_to_string(out.join(BUILD_LIST))
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Report of a build besides the outcomes of files.
#[derive(Serialize, Deserialize)]
struct BuildSummary {
    pages: usize,
    bytes: u64,
    left_out: Vec<String>,
    reports: Vec<Report>,
}

/// The output folder while it is written.
pub(super) struct Writer {
    out: PathBuf,
    before: BTreeSet<String>,
    /// Record of the manifest; `None` without state.
    memory: Option<Memory>,
    earlier: Outputs,
    /// Manifest of this build so far.
    manifest: Mutex<Outputs>,
}

impl Drop for Writer {
    fn drop(&mut self) {
        // It is not there if nothing was written.
        let _ = fs::remove_dir(self.out.join(UNFINISHED));
    }
}

impl Writer {
    /// A writer of files in `out`, of which `memory` knows how they were left.
    pub(super) fn new(out: PathBuf, memory: Option<Memory>) -> Self {
        let earlier = memory.as_ref().map(Memory::load).unwrap_or_default();
        let mut manifest = Outputs::default();
        manifest.files.reserve(earlier.files.len());
        manifest.pages.reserve(earlier.pages.len());
        manifest.texts.reserve(earlier.texts.len());
        Self {
            before: previous_files(&out),
            out,
            earlier,
            memory,
            manifest: Mutex::new(manifest),
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

    /// Report of the last build, if its inputs are the same and each file is unchanged.
    pub(super) fn unchanged(&self, made_of: ContentHash) -> Option<BuildResult> {
        let (before, summary) = self.earlier.whole.as_ref()?;
        if *before != made_of || !self.earlier.files.contains_key(BUILD_LIST) {
            return None;
        }
        let summary: BuildSummary = postcard::from_bytes(summary).ok()?;
        let (mut files, mut is_news) = (FxHashMap::default(), false);
        files.reserve(self.earlier.files.len());
        let known: Vec<(&String, &FileRecord)> = self.earlier.files.iter().collect();
        for (path, left) in known {
            let still = left.revalidate(&self.out.join(path))?;
            is_news |= still != *left;
            files.insert(path.clone(), still);
        }
        let mut built = BuildResult {
            pages: summary.pages,
            bytes: summary.bytes,
            left_out: summary.left_out,
            reports: summary.reports,
            ..BuildResult::default()
        };
        let paths = files.keys().filter(|path| *path != BUILD_LIST);
        built.files = paths
            .map(|path| (path.clone(), Outcome::Unchanged))
            .collect();
        built.files.sort();
        if is_news && let Some(memory) = &self.memory {
            let rest = self.earlier.clone();
            memory.save(&Outputs { files, ..rest });
        }
        Some(built)
    }

    /// Keeps how the files were left, and, if nothing was missing, what all of it was made from.
    pub(super) fn remember(&self, made_of: Option<ContentHash>, built: &BuildResult) {
        let Some(memory) = &self.memory else { return };
        let is_fault = |report: &Report| report.diagnostic.code == Code::InternalFault;
        let is_whole = built.failed.is_empty()
            && built.unwritten.is_empty()
            && built.left == 0
            && !built.reports.iter().any(is_fault);
        let summary = || {
            postcard::to_allocvec(&BuildSummary {
                pages: built.pages,
                bytes: built.bytes,
                left_out: built.left_out.clone(),
                reports: built.reports.clone(),
            })
        };
        let whole = made_of.filter(|_| is_whole);
        let whole = whole.and_then(|made_of| Some((made_of, summary().ok()?)));
        let left = std::mem::take(&mut *self.lock());
        memory.save(&Outputs { whole, ..left });
    }

    fn lock(&self) -> MutexGuard<'_, Outputs> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &str, record: FileRecord) {
        self.lock().files.insert(path.to_owned(), record);
    }

    /// Returns true if a manifest is stored.
    pub(super) fn is_kept(&self) -> bool {
        self.memory.is_some()
    }

    /// Returns true if the file at `path` is as the last build left it; it then belongs to this
    /// build too.
    pub(super) fn keep(&self, path: &str) -> bool {
        let left = self.earlier.files.get(path);
        let Some(still) = left.and_then(|left| left.revalidate(&self.out.join(path))) else {
            return false;
        };
        self.note(path, still);
        true
    }

    /// Manifest entry of the page at `path`, if its inputs are `source` and its file is unmodified:
    /// it need not be composed.
    pub(super) fn kept_page(&self, path: &str, source: ContentHash) -> Option<PageRecord> {
        let page = self.earlier.pages.get(path)?;
        let is_kept = page.source == source
            && page.companions.iter().all(|name| self.keep(name))
            && self.keep(path);
        is_kept.then(|| page.clone())
    }

    /// Remembers the page in the file at `path`.
    pub(super) fn remember_page(&self, path: String, page: PageRecord) {
        self.lock().pages.insert(path, page);
    }

    /// Remembers that nothing is wrong with the page in the file at `path`, whatever others hold. That was found of what follows
    /// from `source`, and the page may be of what was there before.
    pub(super) fn remember_sound(&self, path: &str, source: ContentHash) {
        if let Some(page) = self.lock().pages.get_mut(path) {
            page.is_sound = page.source == source;
        }
    }

    /// Whether the file at `path` holds a text for programs, if `source` is its input and it is
    /// unchanged.
    pub(super) fn kept_text(&self, path: &str, source: ContentHash) -> Option<bool> {
        let (before, is_there) = self.earlier.texts.get(path)?;
        (*before == source && (!is_there || self.keep(path))).then_some(*is_there)
    }

    /// Remembers what the text of a page in the file at `path` follows from, and whether there is one.
    pub(super) fn remember_text(&self, path: String, source: ContentHash, is_there: bool) {
        self.lock().texts.insert(path, (source, is_there));
    }

    /// Manifest entry of the pages with rows of components, if `surroundings` are their inputs and
    /// all files are unmodified.
    pub(super) fn kept_rows(&self, surroundings: ContentHash) -> Option<&RowPagesRecord> {
        let rows = self.earlier.rows.as_ref()?;
        let is_kept =
            rows.surroundings == surroundings && rows.files.iter().all(|path| self.keep(path));
        is_kept.then_some(rows)
    }

    /// Remembers the pages with rows.
    pub(super) fn remember_rows(&self, rows: RowPagesRecord) {
        self.lock().rows = Some(rows);
    }

    /// Manifest entry of the full text, if `surroundings` are its inputs.
    pub(super) fn kept_full(&self, surroundings: ContentHash) -> Option<&FullTextRecord> {
        let full = self.earlier.full.as_ref();
        full.filter(|full| full.surroundings == surroundings)
    }

    /// Remembers the text of all pages.
    pub(super) fn remember_full(&self, full: FullTextRecord) {
        self.lock().full = Some(full);
    }

    /// Content of the file at `path`, if it is as the last build left it.
    pub(super) fn previous_content(&self, path: &str) -> Option<Vec<u8>> {
        let holds = self.earlier.files.get(path)?.holds;
        let (_, bytes) = outputs::read(&self.out.join(path)).ok()?;
        (ContentHash::of(&bytes) == holds).then_some(bytes)
    }

    /// Writes the output at `path`. A file that cannot be written is noted, and costs no other.
    pub(super) fn write(&self, path: &str, bytes: &[u8], built: &mut BuildResult) {
        built.note(path.to_owned(), self.put(path, bytes));
    }

    /// Brings the file at `path` to hold `bytes`.
    pub(super) fn put(&self, path: &str, bytes: &[u8]) -> io::Result<Outcome> {
        self.put_parts(path, &[bytes], self.digest(&[bytes]))
    }

    /// The digest of `parts`, one after the other, if it is kept.
    pub(super) fn digest(&self, parts: &[impl AsRef<[u8]>]) -> Option<ContentHash> {
        (self.memory.is_some()).then(|| ContentHash::of_joined(parts))
    }

    /// Brings the file at `path` to hold `parts`, one after the other, whose [`Writer::digest`] is `holds`.
    pub(super) fn put_parts(
        &self,
        path: &str,
        parts: &[impl AsRef<[u8]>],
        holds: Option<ContentHash>,
    ) -> io::Result<Outcome> {
        let target = self.out.join(path);
        let left = self.earlier.files.get(path);
        let left = left.and_then(|left| left.revalidate(&target));
        let outcome = match left.filter(|_| holds.is_some()) {
            Some(left) if Some(left.holds) == holds => {
                self.note(path, left);
                return Ok(Outcome::Unchanged);
            }
            Some(_) => Outcome::Changed,
            None => match outputs::read(&target) {
                Ok((stat, present)) if is_joined(&present, parts) => {
                    if let Some(holds) = holds {
                        self.note(path, FileRecord::from_stat(stat, holds));
                    }
                    return Ok(Outcome::Unchanged);
                }
                Ok(_) => Outcome::Changed,
                Err(_) => Outcome::Added,
            },
        };
        let folder = target.parent().unwrap_or(&self.out);
        fs::create_dir_all(folder)?;
        // A reader of the folder sees the old file or the new one, never a half.
        let temporary = self.temporary()?;
        let file = match write_parts(temporary, parts)?.persist(&target) {
            Ok(file) => file,
            // What is below this folder is on another disk.
            Err(error) if error.error.kind() == ErrorKind::CrossesDevices => {
                let temporary = NamedTempFile::new_in(folder)?;
                write_parts(temporary, parts)?.persist(&target)?
            }
            Err(error) => return Err(error.into()),
        };
        crash_point::reach("output-replaced");
        if let Some(holds) = holds
            && let Some(left) = FileRecord::after_write(&file, holds)
        {
            self.note(path, left);
        }
        Ok(outcome)
    }

    /// A file to be written, of which no reader of the folder takes notice.
    fn temporary(&self) -> io::Result<NamedTempFile> {
        let folder = self.out.join(UNFINISHED);
        match NamedTempFile::new_in(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(&folder)?;
                NamedTempFile::new_in(&folder)
            }
            made => made,
        }
    }

    /// Removes what earlier builds wrote and this one did not, and writes the list. If the site `is_partial`, nothing is removed:
    /// what is missing may be of what could not be read.
    pub(super) fn finish(
        &self,
        addresses: &Addresses<'_>,
        is_partial: bool,
        built: &mut BuildResult,
    ) {
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
        let stale: Vec<&String> = self.before.difference(&present).collect();
        let mut stuck = Vec::new();
        for name in stale {
            // The list is only as good as who edited it: nothing outside of the folder is touched.
            let Some(inside) = SitePath::new(name) else {
                continue;
            };
            let path = self.out.join(inside.as_str());
            match fs::remove_file(&path) {
                Ok(()) => built.files.push((name.clone(), Outcome::Removed)),
                // It went by other hands, or its folder did.
                Err(_) if !path.is_file() => continue,
                Err(error) => {
                    let why = format!("cannot be removed: {error}");
                    built.unwritten.push((name.clone(), why));
                    stuck.push(name.clone());
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
