//! `quire check`: everything that is wrong with a site, for people and programs.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use queries::base::diagnostic::{Diagnostic, Severity};
use queries::base::path::{Route, SitePath};
use queries::site::{
    self, generated_pages, operation_reference, page_anchors, page_diagnostics, page_links,
    page_list,
};
use serde_json::{Value, json};

use quire_engine::host::SiteHost;
use quire_engine::report::{self, Counts, Report, github, gitlab, sarif};
use quire_engine::survey;
use quire_source::links_out;
use quire_source::load::{load_branch_point, load_with};
use quire_source::repository::Repository;
use quire_source::sources::{FileState, Sources};

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
pub struct Known<'a> {
    /// Findings of an earlier run, as `--format json` writes them.
    pub baseline: Option<&'a Path>,
    /// Branch, tag or commit: what was found where this branch left it is known.
    pub since: Option<&'a str>,
}

/// Findings by file, code and message, each with its number: lines move.
#[derive(Default)]
struct Counted(HashMap<(String, String, String), usize>);

impl Counted {
    fn add(&mut self, path: &str, code: &str, message: &str) {
        let key = (path.to_owned(), code.to_owned(), message.to_owned());
        *self.0.entry(key).or_default() += 1;
    }

    /// Takes a finding away; returns false if there is no further one like it.
    fn take(&mut self, report: &Report) -> bool {
        let Report {
            diagnostic,
            located,
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

/// Checks the site in `folder`, in a process that ends then. What is rendered for it is kept in the
/// folder `state`, if there is one.
pub fn findings(folder: &Path, known: Known<'_>, state: Option<&Path>) -> anyhow::Result<Findings> {
    let mut counted = Counted::default();
    if let Some(path) = known.baseline {
        read_baseline(path, &mut counted)?;
    }
    if let Some(name) = known.since {
        let host = load_branch_point(folder, name, state)?;
        let host = host.with_context(|| format!("{}: no Git repository", folder.display()))?;
        let (diagnostics, _) = diagnostics(&host);
        for report in survey::located(&host, diagnostics) {
            let Report {
                diagnostic,
                located,
            } = &report;
            let path = located.path.as_str();
            counted.add(path, diagnostic.code.name(), &diagnostic.message);
        }
        host.store().finish();
    }
    let loaded = load_with(folder, "", None, state)?;
    let (found, pages) = diagnostics(&loaded.host);
    let mut all = loaded.unread.clone();
    all.extend(found);
    links_out::say(&loaded.sources, &mut all);
    let mut reports = survey::located(&loaded.host, all);
    reports.retain(|report| !counted.take(report));
    let reports = without_ignored(&loaded.sources, reports);
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

/// Everything that is wrong with the site of `host`, and the number of its pages.
fn diagnostics(host: &SiteHost) -> (Vec<Diagnostic>, usize) {
    let routes = host.read(|db, site| {
        let listed = page_list(db, site).value.keys();
        listed.cloned().collect::<Vec<Route>>()
    });
    // What faults here faults below too, where it becomes a diagnostic.
    let routes = routes.unwrap_or_default();
    // The bodies are drawn by all cores; the rest asks for what is then known of them.
    let _ = host.read_all(&routes, |db, site, route| {
        if let Some(file) = page_list(db, site).value.get(route) {
            page_diagnostics(db, *file);
            page_links(db, *file);
            page_anchors(db, *file);
        }
    });
    let operations = host
        .read(|db, site| site::documented_operations(db, site))
        .unwrap_or_default();
    let _ = host.read_all(&operations, |db, _, operation| {
        operation_reference(db, *operation);
    });
    let generated = host.read(|db, site| generated_pages(db, site).pages.len());
    let pages = routes.len() + generated.unwrap_or_default();
    (survey::diagnostics(host), pages)
}

/// Reads what `--format json` wrote: an object a line.
fn read_baseline(path: &Path, counted: &mut Counted) -> anyhow::Result<()> {
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

/// Leaves out what the line before says to: `quire-ignore`, alone or with codes.
fn without_ignored(sources: &Sources, reports: Vec<Report>) -> Vec<Report> {
    let mut texts: HashMap<SitePath, Option<String>> = HashMap::new();
    let mut is_ignored = |report: &Report| {
        let Report {
            diagnostic,
            located,
        } = report;
        let text = texts.entry(located.path.clone()).or_insert_with(|| {
            let FileState::Text(bytes) = sources.look(&located.path) else {
                return None;
            };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            text.contains(IGNORE).then_some(text)
        });
        let text = text.as_ref().filter(|_| located.line > 1);
        let before = text.and_then(|text| text.lines().nth(located.line as usize - 2));
        let codes = before
            .and_then(|line| line.split_once(IGNORE))
            .map(|(_, rest)| rest);
        codes.is_some_and(|rest| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let mut codes = rest
                .split(|c| !is_word(c))
                .filter(|word| word.len() > 2)
                .peekable();
            codes.peek().is_none() || codes.any(|code| code == diagnostic.code.name())
        })
    };
    let mut reports = reports;
    reports.retain(|report| !is_ignored(report));
    reports
}

/// Word of a comment that has findings on the next line left out.
const IGNORE: &str = "quire-ignore";

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
