//! `quire check --fix`: writes what diagnostics propose into the files of the site.
//!
//! Only replacements of one word by another are carried out ([`Report::edits`]). What is generated, fetched, or lies outside
//! the folder of the site is left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use queries::base::path::SitePath;
use queries::base::place::{Part, Place};
use queries::site::{Edit, edited};

use super::{Findings, Options, findings};
use crate::rewrite::rewrite;
use quire_engine::report::Report;

/// Maximum number of rounds: a replacement can uncover what another one mends.
const MAX_ROUNDS: usize = 10;

/// What was changed, or would be.
#[derive(Default)]
pub struct AppliedFixes {
    /// Number of changed places by file.
    pub places: BTreeMap<SitePath, usize>,
    /// Lines before and after, if nothing is written.
    pub difference: String,
}

/// Carries out what the findings of the site in `folder` propose, until they propose nothing more, and returns those that
/// are left. With `dry_run`, nothing is written, and all are left.
pub fn fix(
    folder: &Path,
    options: Options<'_>,
    dry_run: bool,
) -> anyhow::Result<(AppliedFixes, Findings)> {
    let root = folder.canonicalize()?;
    let mut fixed = AppliedFixes::default();
    // Other sites are asked once, at the end.
    let own = Options {
        external: None,
        ..options
    };
    let mut found = findings(folder, own)?;
    for _ in 0..MAX_ROUNDS {
        let changes = changes(&root, &found.reports);
        if changes.is_empty() {
            break;
        }
        for change in changes {
            *fixed.places.entry(change.path.clone()).or_default() += change.places;
            match dry_run {
                true => fixed.difference += &change.difference(),
                false => rewrite(&change.file, &change.after)?,
            }
        }
        if dry_run {
            break;
        }
        found = findings(folder, own)?;
    }
    if options.external.is_some() {
        found = findings(folder, options)?;
    }
    Ok((fixed, found))
}

/// A file with its text before and after.
struct Change {
    path: SitePath,
    file: PathBuf,
    before: String,
    after: String,
    places: usize,
}

/// The files that `reports` propose changes of.
fn changes(root: &Path, reports: &[Report]) -> Vec<Change> {
    let mut by_path: BTreeMap<&SitePath, Vec<&Report>> = BTreeMap::new();
    for report in reports.iter().filter(|report| !report.edits.is_empty()) {
        let of_path = by_path.entry(&report.located.path).or_default();
        of_path.push(report);
    }
    let changes = by_path.into_iter();
    changes
        .filter_map(|(path, reports)| change(root, path, &reports))
        .collect()
}

fn change(root: &Path, path: &SitePath, reports: &[&Report]) -> Option<Change> {
    // A link could lead out of the site, and what is fetched has no file.
    let file = root.join(path.as_str()).canonicalize().ok()?;
    if path.is_url() || !file.starts_with(root) || !file.is_file() {
        return None;
    }
    let before = String::from_utf8(fs::read(&file).ok()?).ok()?;
    let (mut after, mut places) = (before.clone(), 0);
    let (mut edits, mut names) = (Vec::<Edit>::new(), BTreeSet::new());
    for report in reports {
        // Two names that are both nearest to a third would be that name twice.
        if let Some(name) = new_name(report)
            && !names.insert(name)
        {
            continue;
        }
        let mut together = edits.clone();
        together.extend_from_slice(&report.edits);
        // One that overlaps with another waits for the next round.
        if let Some(text) = edited(&before, &together)
            && text != after
        {
            (after, edits) = (text, together);
            places += 1;
        }
    }
    (places > 0).then(|| Change {
        path: path.clone(),
        file,
        before,
        after,
        places,
    })
}

/// The object in which `report` renames a member, with the new name; `None` if it is about something else.
fn new_name(report: &Report) -> Option<(String, String)> {
    let Place::Pointer {
        pointer,
        part: Part::Key,
        ..
    } = &report.diagnostic.place
    else {
        return None;
    };
    let (around, _) = pointer.rsplit_once('/')?;
    Some((around.to_owned(), report.diagnostic.replacement.clone()?))
}

impl Change {
    /// The changed lines, in the format of `diff --unified=0`. No line is added or removed.
    fn difference(&self) -> String {
        let path = &self.path;
        let mut text = format!("--- a/{path}\n+++ b/{path}\n");
        let lines = self.before.lines().zip(self.after.lines());
        for (i, (before, after)) in lines.enumerate().filter(|(_, (a, b))| a != b) {
            let number = i + 1;
            text += &format!("@@ -{number} +{number} @@\n-{before}\n+{after}\n");
        }
        text
    }
}

impl AppliedFixes {
    /// Writes what was changed to `out`, a file a line.
    pub fn write(&self, out: &mut dyn Write, dry_run: bool) -> io::Result<()> {
        out.write_all(self.difference.as_bytes())?;
        for (path, places) in &self.places {
            let s = if *places == 1 { "" } else { "s" };
            writeln!(out, "{path}: {places} place{s} changed")?;
        }
        if dry_run {
            writeln!(out, "nothing was written")?;
        }
        if dry_run || !self.places.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }
}
