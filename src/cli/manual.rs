//! `quire manual`: the manual, which the program carries, as a site.

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use include_dir::{Dir, include_dir};

use super::arguments::{Cli, Command, ManualArguments, Voice};

static MANUAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/manual");

/// Serves the manual from a folder that goes with the process.
pub(super) fn manual(arguments: &ManualArguments, voice: &Voice) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &arguments.out {
        MANUAL
            .extract(create(folder)?)
            .with_context(|| format!("write the manual to {}", folder.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = tempfile::tempdir().context("make a folder for the manual")?;
    MANUAL
        .extract(folder.path())
        .context("write the manual to a temporary folder")?;
    let path = folder.path().display().to_string();
    let port = arguments.port.to_string();
    let mut words = vec!["quire", "dev", &path, "--port", &port, "--no-state"];
    if arguments.open {
        words.push("--open");
    }
    match Cli::try_parse_from(words)?.command {
        Command::Dev(preview) => super::dev(preview, voice),
        _ => unreachable!("the words above are a preview"),
    }
}

fn create(folder: &std::path::Path) -> anyhow::Result<&std::path::Path> {
    std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    Ok(folder)
}
