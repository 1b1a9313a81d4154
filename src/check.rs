//! `quire check`: everything that is wrong with a site, for people and programs.

pub mod fix;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use queries::base::diagnostic::Severity;
use serde_json::{Value, json};

use quire_engine::report::{self, Counts, Report, github, gitlab, sarif};
use quire_engine::survey;
use quire_source::links_out;
use quire_source::load::{load_branch_point, load_with};
use quire_source::repository::Repository;
use quire_source::sources::FileState;

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line, then the summary.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Commands of GitHub Actions, which show findings beside the lines of a change.
    Github,
    /// A Code Quality report of GitLab.
    Gitlab,
}

/// What was found.
pub struct Findings {
    /// The findings, by file and place.
    pub reports: Vec<Report>,
    /// How many pages the site has.
    pub pages: usize,
    /// The folder of the site in its repository.
    pub prefix: String,
}

/// What is left out of the findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExcludedFindings<'a> {
    /// Findings of an earlier run, as `--format json` writes them.
    pub baseline: Option<&'a Path>,
    /// Branch, tag or commit: what was found where this branch left it is known.
    pub since: Option<&'a str>,
}

/// Findings by file, code and message, each with its number: lines move.
#[derive(Default)]
struct FindingCounts(HashMap<(String, String, String), usize>);

impl FindingCounts {
    fn add(&mut self, path: &str, code: &str, message: &str) {
        let key = (path.to_owned(), code.to_owned(), message.to_owned());
        *self.0.entry(key).or_default() += 1;
    }

    /// Takes a finding away; returns false if there is no further one like it.
    fn take(&mut self, report: &Report) -> bool {
        let Report {
            diagnostic,
            located,
            ..
        } = report;
        let key = (
            located.path.to_string(),
            diagnostic.code.name().to_owned(),
            diagnostic.message.clone(),
        );
        match self.0.get_mut(&key) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// What is checked, and against what.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// What is left out.
    pub known: ExcludedFindings<'a>,
    /// The folder in which what is rendered is kept.
    pub state: Option<&'a Path>,
    /// Set to ask other sites for the links to them: is told how many of how many are done.
    pub external: Option<&'a dyn Fn(usize, usize)>,
}

/// Checks the site in `folder`, in a process that ends then.
pub fn findings(folder: &Path, options: Options<'_>) -> anyhow::Result<Findings> {
    let Options {
        known,
        state,
        external,
    } = options;
    let mut counted = FindingCounts::default();
    if let Some(path) = known.baseline {
        read_baseline(path, &mut counted)?;
    }
    if let Some(name) = known.since {
        let host = load_branch_point(folder, name, state)?;
        let host = host.with_context(|| format!("{}: no Git repository", folder.display()))?;
        let (diagnostics, _) = survey::checked(&host);
        for report in survey::located(&host, diagnostics) {
            let Report {
                diagnostic,
                located,
                ..
            } = &report;
            let path = located.path.as_str();
            counted.add(path, diagnostic.code.name(), &diagnostic.message);
        }
        host.store().finish();
    }
    let loaded = load_with(folder, "", None, state)?;
    let (found, pages) = survey::checked(&loaded.host);
    let mut all = loaded.unread.clone();
    all.extend(found);
    if let Some(progress) = external {
        all.extend(quire_source::external::diagnostics(&loaded.host, progress)?);
    }
    links_out::say(&loaded.sources, &mut all);
    let mut reports = survey::located(&loaded.host, all);
    reports.retain(|report| !counted.take(report));
    let reports = report::without_ignored(reports, |path| match loaded.sources.look(path) {
        FileState::Text(bytes) => Some(bytes),
        FileState::Seen(seen) => seen.bytes,
        _ => None,
    });
    // Without Git, paths are those of the site.
    let repository = Repository::containing(folder).ok().flatten();
    let prefix = repository.map_or_else(String::new, |(_, prefix)| prefix);
    loaded.leave();
    Ok(Findings {
        reports,
        pages,
        prefix,
    })
}

/// Reads what `--format json` wrote: an object a line.
fn read_baseline(path: &Path, counted: &mut FindingCounts) -> anyhow::Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    for (number, line) in text.lines().enumerate() {
        let place = || {
            format!(
                "{}:{}: no line of `--format json`",
                path.display(),
                number + 1
            )
        };
        let line: Value = serde_json::from_str(line).with_context(place)?;
        let member = |name: &str| line[name].as_str().unwrap_or_default();
        if line.get("summary").is_none() {
            counted.add(member("path"), member("code"), member("message"));
        }
    }
    Ok(())
}

/// Writes `findings` to `out`. Remarks are written to people only if `verbose`.
pub fn write(
    out: &mut dyn Write,
    findings: &Findings,
    format: Format,
    color: bool,
    verbose: bool,
) -> io::Result<()> {
    let counts = Counts::of(findings.reports.iter().map(|report| &report.diagnostic));
    match format {
        Format::Text => {
            let text = report::text(&findings.reports, findings.pages, color, verbose);
            out.write_all(text.as_bytes())
        }
        Format::Json => {
            for report in &findings.reports {
                writeln!(out, "{}", report.json())?;
            }
            let Counts {
                errors, warnings, ..
            } = counts;
            writeln!(
                out,
                "{}",
                json!({ "summary": { "errors": errors, "warnings": warnings, "pages": findings.pages } })
            )
        }
        Format::Sarif => writeln!(out, "{:#}", sarif(&findings.reports, &findings.prefix)),
        Format::Gitlab => writeln!(out, "{:#}", gitlab(&findings.reports, &findings.prefix)),
        Format::Github => {
            let shown = findings
                .reports
                .iter()
                .filter(|report| verbose || report.diagnostic.severity() != Severity::Info);
            let shown: Vec<Report> = shown.cloned().collect();
            out.write_all(github(&shown, &findings.prefix).as_bytes())?;
            let text = report::summary(findings.pages, counts);
            writeln!(out, "{text}")
        }
    }
}
