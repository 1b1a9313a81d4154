//! One diagnostic for one cause, where the cause is of the whole site: syntax of another tool, a specification that is not
//! there, folders of pictures that are not there. The first one stays, and counts the others.

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostic::{Code, Diagnostic};

use crate::binding::{NO_DOCUMENT, NO_SPECIFICATION};
use crate::links::absent_file;

/// Returns `diagnostics`, in order of their files, with one for each cause.
pub(super) fn once_each(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let diagnostics = foreign_syntax(diagnostics);
    absent_files(absent_specifications(diagnostics))
}

/// Leaves of each kind of syntax of another tool the first diagnostic, which counts the pages.
fn foreign_syntax(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_foreign = |found: &Diagnostic| found.code == Code::ForeignSyntax;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for found in diagnostics.iter().filter(|found| is_foreign(found)) {
        *counts.entry(found.message.clone()).or_default() += 1;
    }
    let first = diagnostics.into_iter().filter_map(|mut found| {
        if !is_foreign(&found) {
            return Some(found);
        }
        let pages = counts.remove(&found.message)?;
        if pages > 1 {
            found
                .message
                .push_str(&format!("; {pages} pages have them"));
        }
        Some(found)
    });
    first.collect()
}

/// What is wrong with a specification as a whole, and how much is missing because of it.
#[derive(Default)]
struct MissingPages {
    /// Places that name it besides the first.
    places: usize,
    /// Pages and entries of the navigation whose operation is in it.
    pages: usize,
}

/// Leaves one diagnostic of each specification that is not there or cannot be read, which counts what is missing with it.
fn absent_specifications(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut absent: BTreeMap<String, MissingPages> = BTreeMap::new();
    for found in &diagnostics {
        if let Some((name, is_named)) = absent_specification(found) {
            let known = absent.contains_key(name);
            absent.entry(name.to_owned()).or_default().places += usize::from(known && is_named);
        }
    }
    let mut seen = BTreeSet::new();
    let mut remaining = Vec::with_capacity(diagnostics.len());
    for found in diagnostics {
        if let Some((name, is_named)) = absent_specification(&found) {
            // A file that cannot be read has a place for each fault.
            if seen.insert(name.to_owned()) || !is_named {
                remaining.push(found);
            }
            continue;
        }
        match missing_spec(&found, &absent) {
            Some(name) => absent.entry(name).or_default().pages += 1,
            None => remaining.push(found),
        }
    }
    for found in &mut remaining {
        let name = absent_specification(found).map(|(name, _)| name.to_owned());
        // The first of each says it.
        let Some(MissingPages { places, pages }) = name.and_then(|name| absent.remove(&name))
        else {
            continue;
        };
        let s = |count: usize| if count == 1 { "" } else { "s" };
        if places > 0 {
            let places = places + 1;
            found
                .message
                .push_str(&format!("; {places} places name it"));
        }
        if pages > 0 {
            let verb = if pages == 1 { "lacks" } else { "lack" };
            found
                .message
                .push_str(&format!("; {pages} page{} {verb} it", s(pages)));
        }
    }
    remaining
}

/// The specification that `found` says is not there or cannot be read, and whether its place is where it is named. One that
/// has another one in its place is mended place by place.
fn absent_specification(found: &Diagnostic) -> Option<(&str, bool)> {
    let path = found.place.path().as_str();
    match found.code {
        _ if found.replacement.is_some() => None,
        Code::MissingSpec => Some((quoted(&found.message)?, true)),
        Code::InvalidJson if matches!(path, "docs.json" | "mint.json") => None,
        Code::InvalidJson | Code::InvalidYaml | Code::UnsupportedVersion => Some((path, false)),
        // Of the pages that name one that the configuration does not, the first says it.
        Code::UnresolvedOperation | Code::UnresolvedChannel => {
            let starts = [NO_SPECIFICATION, NO_DOCUMENT];
            let rest = starts
                .iter()
                .find_map(|start| found.message.strip_prefix(start))?;
            let is_named = rest.starts_with(" `");
            is_named.then(|| Some((quoted(rest)?, true)))?
        }
        _ => None,
    }
}

/// The one of the `absent` specifications for lack of which `found` is there, if it can be told.
fn missing_spec(found: &Diagnostic, absent: &BTreeMap<String, MissingPages>) -> Option<String> {
    if !matches!(
        found.code,
        Code::UnresolvedOperation | Code::UnresolvedChannel
    ) || found.replacement.is_some()
    {
        return None;
    }
    let message = &found.message;
    // It is in this one, of which something could be read.
    if let Some((_, rest)) = message.split_once(" is not in ")
        && let Some(name) = quoted(rest)
        && absent.contains_key(name)
    {
        return Some(name.to_owned());
    }
    let is_without = message.starts_with(&format!("{NO_SPECIFICATION} with "))
        || message.starts_with(&format!("{NO_DOCUMENT} with "))
        || message.starts_with("no specification is in scope");
    // Of several it cannot be told which one it is in.
    let mut names = absent.keys();
    match (names.next(), names.next()) {
        (Some(only), None) if is_without => Some(only.clone()),
        _ => None,
    }
}

/// The first text of `message` in backticks.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

/// Leaves one diagnostic of all files whose folder has none of their kind: a site is often checked without its pictures.
fn absent_files(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut files = BTreeSet::new();
    let mut folders = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    for (kind, path) in diagnostics.iter().filter_map(absent_file) {
        kinds.insert(kind.to_owned());
        folders.insert(
            path.rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned(),
        );
        files.insert(path.to_owned());
    }
    if files.len() < 2 {
        return diagnostics;
    }
    let kind = match (kinds.pop_first(), kinds.is_empty()) {
        (Some(only), true) => only,
        _ => "file".to_owned(),
    };
    let folders = match folders.len() {
        1 => "1 folder".to_owned(),
        count => format!("{count} folders"),
    };
    let mut is_first = true;
    let first = diagnostics.into_iter().filter_map(|mut found| {
        let Some((_, path)) = absent_file(&found) else {
            return Some(found);
        };
        if !std::mem::take(&mut is_first) {
            return None;
        }
        found.message = format!(
            "{} {kind}s in {folders} are not there, such as `{path}`",
            files.len()
        );
        Some(found)
    });
    first.collect()
}
