//! `quire mv`: moves a page, a file or a folder, with everything that names it.

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use queries::base::path::SitePath;
use quire_lsp::moves::{Moves, plan};
use quire_source::sources::{FileState, Sources};

use super::arguments::MvArguments;
use crate::rewrite::rewrite;

pub(super) fn mv(arguments: &MvArguments) -> anyhow::Result<ExitCode> {
    let (old, new) = (absolute(&arguments.old)?, absolute(&arguments.new)?);
    let is_there = old.symlink_metadata().is_ok();
    let new = match (arguments.moved, is_there) {
        (false, true) => destination(&old, &new)?,
        (true, false) => moved_to(&old, &new)?,
        (false, false) => bail!(
            "{}: there is no such file or folder; --moved says that it is at the new place already",
            arguments.old.display()
        ),
        (true, true) => bail!(
            "{}: it was not moved yet; leave out --moved",
            arguments.old.display()
        ),
    };
    let root = root_of(&old, arguments.dir.as_deref())?;
    let (from, to) = (site_path(&root, &old)?, site_path(&root, &new)?);
    let sources = Sources::open(&root).with_context(|| format!("open {}", root.display()))?;
    let files = sources.everything([]);
    let below = |path: &SitePath, (from, to): (&SitePath, &SitePath)| {
        let rest = path.as_str().strip_prefix(from.as_str())?;
        let is_below = rest.is_empty() || rest.starts_with('/');
        SitePath::new(&format!("{to}{rest}")).filter(|_| is_below)
    };
    // Every file by its path before the move.
    let before = |path: SitePath| match arguments.moved {
        true => below(&path, (&to, &from)).unwrap_or(path),
        false => path,
    };
    let paths: Vec<SitePath> = files.into_iter().map(|file| before(file.path)).collect();
    let moved = paths.iter();
    let moved = moved.filter_map(|path| Some((path.clone(), below(path, (&from, &to))?)));
    let moves = Moves::new(moved.collect());
    let text_of = |path: &SitePath| {
        let path = if arguments.moved {
            moves.after(path)
        } else {
            path
        };
        match sources.look(path) {
            FileState::Text(bytes) => String::from_utf8(bytes.to_vec()).ok(),
            _ => None,
        }
    };
    let planned = plan(paths, &text_of, &moves, !arguments.no_redirect);
    let edits = &planned.edits;
    let mut out = io::stdout().lock();
    if !arguments.dry_run {
        if let Some(folder) = new.parent().filter(|_| !arguments.moved) {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        if !arguments.moved {
            fs::rename(&old, &new)
                .with_context(|| format!("move {} to {}", old.display(), new.display()))?;
        }
        for edit in edits {
            rewrite(&root.join(moves.after(&edit.path).as_str()), &edit.text)?;
        }
    }
    let already = if arguments.moved {
        " (moved already)"
    } else {
        ""
    };
    writeln!(out, "{from} -> {to}{already}")?;
    for edit in edits.iter().filter(|edit| edit.places > 0) {
        let s = if edit.places == 1 { "" } else { "s" };
        writeln!(
            out,
            "{}: {} place{s} changed",
            moves.after(&edit.path),
            edit.places
        )?;
    }
    if let Some((path, count)) = planned.redirects {
        let s = if count == 1 { "" } else { "s" };
        writeln!(out, "{path}: {count} redirect{s} added")?;
    }
    if arguments.dry_run {
        writeln!(out, "nothing was written")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the place that another program moved `old` to: `new`, with the extension of `old`.
fn moved_to(old: &Path, new: &Path) -> anyhow::Result<PathBuf> {
    let mut destination = new.to_owned();
    if !destination.exists() && destination.extension().is_none() {
        destination.set_extension(old.extension().unwrap_or_default());
    }
    ensure!(
        destination.exists(),
        "{}: this is not where it was moved to",
        new.display()
    );
    Ok(destination)
}

/// Returns the place that `old` is moved to: within `new` if that is a folder.
fn destination(old: &Path, new: &Path) -> anyhow::Result<PathBuf> {
    let mut new = new.to_owned();
    if new.is_dir() {
        new.push(old.file_name().context("name a file or a folder")?);
    } else if old.is_file() && new.extension().is_none() {
        new.set_extension(old.extension().unwrap_or_default());
    }
    if new.symlink_metadata().is_ok() {
        bail!("{}: there is a file of this name already", new.display());
    }
    ensure!(
        !new.starts_with(old),
        "a folder cannot be moved into itself"
    );
    Ok(new)
}

/// Returns the root of the site: the nearest folder above `old` with a configuration.
fn root_of(old: &Path, site_folder: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(site_folder) = site_folder {
        return absolute(site_folder);
    }
    let is_root = |folder: &&Path| {
        ["docs.json", "mint.json"]
            .iter()
            .any(|name| folder.join(name).is_file())
    };
    let above = old.ancestors().skip(1).find(is_root);
    above.map(Path::to_owned).with_context(|| {
        format!(
            "{}: no folder above it has a docs.json; name the site by --dir",
            old.display()
        )
    })
}

fn site_path(root: &Path, path: &Path) -> anyhow::Result<SitePath> {
    let below = path.strip_prefix(root).ok().and_then(|path| path.to_str());
    let path = below.and_then(SitePath::new);
    path.with_context(|| format!("it would leave the site at {}", root.display()))
}

/// Returns an absolute path without `.` and `..`, symbolic links left as they are.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Ok(plain)
}
