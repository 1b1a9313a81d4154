//! Findings for the world outside: what the core says of them, and the formats of code hosts.

use std::collections::HashMap;

use queries::base::content::{ContentHash, TextBytes};
use queries::base::diagnostic::{Code, Diagnostic, Severity};
use queries::base::path::SitePath;
use queries::base::place::Located;
use serde_json::{Value, json};

pub use queries::site::report::{Counts, Report, reports, summary, text};

/// Returns the path of a file below `prefix`, the folder of the site in its repository.
fn in_repository(prefix: &str, path: &SitePath) -> String {
    match prefix.is_empty() || path.is_url() {
        true => path.to_string(),
        false => format!("{prefix}/{path}"),
    }
}

/// Message with its hint, in lines.
fn message(report: &Report) -> String {
    let Diagnostic { message, hint, .. } = &report.diagnostic;
    match hint {
        Some(hint) => format!("{message}\n{hint}"),
        None => message.clone(),
    }
}

/// Names that stay when lines move: of the path, the code, the message, and how many such came before.
fn fingerprints(reports: &[Report]) -> Vec<String> {
    let mut seen: HashMap<(&str, Code, &str), usize> = HashMap::new();
    let name = |report: &Report, count: usize| {
        let Diagnostic { code, message, .. } = &report.diagnostic;
        let path = &report.located.path;
        let text = format!("{path}\n{}\n{message}\n{count}", code.name());
        ContentHash::of(text.as_bytes()).short()
    };
    let mut named = Vec::with_capacity(reports.len());
    for report in reports {
        let found = &report.diagnostic;
        let path = report.located.path.as_str();
        let count = seen.entry((path, found.code, &found.message)).or_default();
        *count += 1;
        named.push(name(report, *count));
    }
    named
}

/// Commands of GitHub Actions, one a line, that show `reports` beside the lines of a change.
pub fn github(reports: &[Report], prefix: &str) -> String {
    let escape = |text: &str| {
        let text = text.replace('%', "%25").replace('\r', "%0D");
        text.replace('\n', "%0A")
    };
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    let lines = reports.iter().map(|report| {
        let Located {
            path,
            line,
            column,
            width,
            ..
        } = &report.located;
        let command = match report.diagnostic.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        format!(
            "::{command} file={},line={line},col={column},endColumn={},title={}::{}\n",
            property(&in_repository(prefix, path)),
            column + width,
            property(report.diagnostic.code.name()),
            escape(&message(report)),
        )
    });
    lines.collect()
}

/// Leaves out what the line before says to: `quire-ignore`, alone or with codes.
pub fn without_ignored(
    reports: Vec<Report>,
    text_of: impl Fn(&SitePath) -> Option<TextBytes>,
) -> Vec<Report> {
    let mut texts: HashMap<SitePath, Option<String>> = HashMap::new();
    let mut is_ignored = |report: &Report| {
        let Report {
            diagnostic,
            located,
            ..
        } = report;
        let text = texts.entry(located.path.clone()).or_insert_with(|| {
            let bytes = text_of(&located.path)?;
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
pub const IGNORE: &str = "quire-ignore";

/// A Code Quality report of GitLab.
pub fn gitlab(reports: &[Report], prefix: &str) -> Value {
    let fingerprints = fingerprints(reports);
    let issues = reports
        .iter()
        .zip(fingerprints)
        .map(|(report, fingerprint)| {
            let severity = match report.diagnostic.severity() {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Info => "info",
            };
            json!({
                "description": message(report),
                "check_name": report.diagnostic.code.name(),
                "fingerprint": fingerprint,
                "severity": severity,
                "location": {
                    "path": in_repository(prefix, &report.located.path),
                    "lines": { "begin": report.located.line },
                },
            })
        });
    issues.collect()
}

/// A SARIF 2.1.0 log of `reports`, for code hosts that show findings in place.
pub fn sarif(reports: &[Report], prefix: &str) -> Value {
    let rules: Vec<Value> = Code::ALL
        .iter()
        .map(|code| json!({ "id": code.name(), "shortDescription": { "text": code.meaning() } }))
        .collect();
    let results: Vec<Value> = reports
        .iter()
        .zip(fingerprints(reports))
        .map(|(report, fingerprint)| {
            let Located { path, line, column, width, .. } = &report.located;
            let level = match report.diagnostic.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "note",
            };
            let uri = queries::base::path::encode_path(&in_repository(prefix, path));
            let replacements = report.edits.iter().map(|edit| json!({
                "deletedRegion": { "startLine": edit.line, "startColumn": edit.column, "endColumn": edit.end_column },
                "insertedContent": { "text": edit.text },
            }));
            let fix = json!({
                "description": { "text": report.diagnostic.hint },
                "artifactChanges": [{
                    "artifactLocation": { "uri": uri },
                    "replacements": replacements.collect::<Vec<_>>(),
                }],
            });
            let mut result = json!({
                "ruleId": report.diagnostic.code.name(),
                "level": level,
                "message": { "text": message(report) },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": uri },
                    "region": { "startLine": line, "startColumn": column, "endColumn": column + width },
                } }],
                "partialFingerprints": { "quire/v1": fingerprint },
            });
            if !report.edits.is_empty() {
                result["fixes"] = json!([fix]);
            }
            result
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "quire", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}
