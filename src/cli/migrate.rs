//! `quire migrate`: writes the `docs.json` of a site of another generator.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use quire_migrate::{Migration, Tool};

use super::arguments::{Generator, MigrateArguments};
use super::{count_of, say};

/// Name of the file with ignore rules.
const IGNORE_FILE: &str = quire_source::ignored::IGNORE_FILE;

/// Maximum number of pages that are named as in no navigation.
const MAX_UNLISTED: usize = 10;

pub(super) fn migrate(arguments: &MigrateArguments) -> anyhow::Result<ExitCode> {
    let tool = arguments.from.map(|generator| match generator {
        Generator::Docusaurus => Tool::Docusaurus,
        Generator::Vitepress => Tool::Vitepress,
        Generator::Mkdocs => Tool::Mkdocs,
        Generator::Mint => Tool::Mint,
    });
    let folder = &arguments.dir;
    let found = quire_migrate::migrate(folder, tool)?;
    let served = match found.served.as_str() {
        "" => folder.clone(),
        below => folder.join(below),
    };
    let config = serde_json::to_string_pretty(&found.config)? + "\n";
    if arguments.dry_run {
        io::stdout().lock().write_all(config.as_bytes())?;
        lines(&found, arguments, &served)
            .iter()
            .for_each(|line| say(line));
        if !found.ignored.is_empty() {
            let rules = found.ignored.lines().count();
            let path = served.join(IGNORE_FILE);
            say(&format!(
                "{}: would be written, with {rules} rules",
                path.display()
            ));
        }
        return Ok(ExitCode::SUCCESS);
    }
    refuse_outside(folder, &served)?;
    let path = served.join("docs.json");
    if path.symlink_metadata().is_ok() {
        if !arguments.force {
            bail!(
                "{}: there is a docs.json already; remove it, or give `--force`",
                served.display()
            );
        }
        fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
    }
    let mut out = io::stdout().lock();
    create(&path, &config)?;
    writeln!(out, "{}: written, from {}", path.display(), found.source)?;
    if !found.ignored.is_empty() {
        write_ignored(&served, &found.ignored, &mut out)?;
    }
    if arguments.write_titles {
        write_titles(folder, &found, &mut out)?;
    }
    for line in lines(&found, arguments, &served) {
        writeln!(out, "{line}")?;
    }
    let served = served.display();
    writeln!(out, "next: quire check {served}; quire dev {served}")?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a folder to serve that is a link out of `folder`: nothing is written elsewhere.
fn refuse_outside(folder: &Path, served: &Path) -> anyhow::Result<()> {
    let open = |path: &Path| {
        let place = path.canonicalize();
        place.with_context(|| format!("open {}", path.display()))
    };
    if !open(served)?.starts_with(open(folder)?) {
        bail!("{}: leads out of {}", served.display(), folder.display());
    }
    Ok(())
}

/// The report, line by line.
fn lines(found: &Migration, arguments: &MigrateArguments, served: &Path) -> Vec<String> {
    let counts = &found.counts;
    let mut lines = vec![format!(
        "{}: {} in the navigation in {}, {} in the folder that no navigation lists, {}",
        found.tool.name(),
        count_of(counts.listed, "page"),
        count_of(counts.groups, "group"),
        count_of(found.unlisted.len(), "page"),
        count_of(counts.redirects, "redirect"),
    )];
    if !found.unlisted.is_empty() {
        let more = found.unlisted.len().saturating_sub(MAX_UNLISTED);
        let mut names = found.unlisted[..found.unlisted.len() - more].join(", ");
        if more > 0 {
            let _ = write!(names, " and {more} more");
        }
        lines.push(format!(
            "in no navigation, and reached by address alone: {names}"
        ));
    }
    if !found.served.is_empty() {
        lines.push(format!("the folder to serve is {}", served.display()));
    }
    if !found.titles.is_empty() && !arguments.write_titles {
        lines.push(format!(
            "{} had another title in the sidebar: `--write-titles` writes it to the frontmatter, as \
             `sidebarTitle`",
            count_of(found.titles.len(), "page")
        ));
    }
    lines.extend(found.report.iter().cloned());
    lines
}

/// Writes the ignore rules, or says what to add to those that are there.
fn write_ignored(folder: &Path, rules: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let path = folder.join(IGNORE_FILE);
    if path.symlink_metadata().is_ok() {
        let known = fs::read_to_string(&path).unwrap_or_default();
        let missing = rules
            .lines()
            .filter(|rule| !known.lines().any(|line| line == *rule));
        let missing: Vec<&str> = missing.collect();
        if !missing.is_empty() {
            writeln!(out, "{}: there already; add these lines:", path.display())?;
        }
        for line in missing {
            writeln!(out, "  {line}")?;
        }
        return Ok(());
    }
    create(&path, rules)?;
    writeln!(
        out,
        "{}: written, with files that are no part of the site",
        path.display()
    )?;
    Ok(())
}

fn write_titles(folder: &Path, found: &Migration, out: &mut dyn Write) -> anyhow::Result<()> {
    for (file, title) in &found.titles {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let text = quire_migrate::with_sidebar_title(&text, title);
        fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
        writeln!(out, "{}: `sidebarTitle` written", path.display())?;
    }
    Ok(())
}

/// Writes a file that is not there yet.
fn create(path: &Path, text: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("write {}", path.display()))
}
