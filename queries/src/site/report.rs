//! Diagnostics for people and programs: text with the line and carets, and JSON.
//!
//! `check`, the terminal of the preview, the card over a page and the tests all show what this file says. It writes to
//! nobody: who prints it is the shell's business.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::db::Db;
use crate::inputs::Site;
use crate::page::locating::Edit;
use crate::site;
use base::diagnostic::{Code, Diagnostic, Severity};
use base::path::SitePath;
use base::place::{Located, Place};

/// A diagnostic with its place as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Diagnostic.
    pub diagnostic: Diagnostic,
    /// Location.
    pub located: Located,
    /// Changes of its file that put the replacement in its place; none where there is no replacement.
    pub edits: Vec<Edit>,
}

/// Number of diagnostics by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Everything else.
    pub infos: usize,
}

impl Counts {
    /// Counts `diagnostics`.
    pub fn of<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic> + Clone) -> Self {
        let count = |severity| {
            let all = diagnostics.clone().into_iter();
            all.filter(|diagnostic| diagnostic.severity() == severity)
                .count()
        };
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
        }
    }
}

impl Report {
    /// Locates `diagnostic`.
    pub fn new(db: &dyn Db, diagnostic: &Diagnostic) -> Self {
        let mut all = Self::all(db, vec![diagnostic.clone()]);
        all.pop().unwrap_or_else(|| Self {
            located: Located::of_span(diagnostic.place.path(), "", 0, 0),
            diagnostic: diagnostic.clone(),
            edits: Vec::new(),
        })
    }

    /// Locates all `diagnostics`: cheaper than each alone, because a file is looked through once for those in it.
    pub fn all(db: &dyn Db, diagnostics: Vec<Diagnostic>) -> Vec<Self> {
        let located = site::located_all(db, &diagnostics);
        let reports = diagnostics.into_iter().zip(located);
        let report = |(diagnostic, (located, edits))| Self {
            diagnostic,
            located,
            edits,
        };
        reports.map(report).collect()
    }

    /// Returns true if it is shown over the page that is being written: errors. Warnings stay in
    /// the terminal; a card on every page would only teach authors to dismiss it.
    pub fn is_for_overlay(&self) -> bool {
        self.diagnostic.severity() == Severity::Error
    }

    /// `path:line:col: severity[code]: message`, the line, carets, and the hint.
    pub fn text(&self, color: bool) -> String {
        let Located {
            path,
            line,
            column,
            width,
            source_line,
            cut,
        } = &self.located;
        let severity = self.diagnostic.severity();
        let (strong, dim, paint, reset) = match (color, severity) {
            (false, _) => ("", "", "", ""),
            (true, Severity::Error) => ("\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[0m"),
            (true, Severity::Warning) => ("\x1b[1m", "\x1b[2m", "\x1b[1;33m", "\x1b[0m"),
            (true, Severity::Info) => ("\x1b[1m", "\x1b[2m", "\x1b[1;36m", "\x1b[0m"),
        };
        let word = severity.word();
        let code = self.diagnostic.code.name();
        let message = printable(&self.diagnostic.message);
        let mut text = format!(
            "{strong}{path}:{line}:{column}:{reset} {paint}{word}[{code}]{reset}: {message}\n"
        );
        if !matches!(self.diagnostic.place, Place::File(_)) && !source_line.trim().is_empty() {
            let (shown, before) = window(source_line, (*column - 1 - *cut) as usize);
            let number = line.to_string();
            let pad = " ".repeat(number.len());
            let room = shown.chars().count().saturating_sub(before).max(1);
            let carets = "^".repeat((*width as usize).min(room));
            let _ = writeln!(text, "  {dim}{number} |{reset} {}", printable(&shown));
            let _ = writeln!(
                text,
                "  {dim}{pad} |{reset} {}{paint}{carets}{reset}",
                " ".repeat(before)
            );
        }
        if let Some(hint) = &self.diagnostic.hint {
            let _ = writeln!(text, "  {dim}hint:{reset} {}", printable(hint));
        }
        text
    }

    /// One object, as `check --format json` prints it.
    pub fn json(&self) -> Value {
        let mut value = json!({
            "code": self.diagnostic.code.name(),
            "severity": self.diagnostic.severity().word(),
            "path": self.located.path.as_str(),
            "line": self.located.line,
            "column": self.located.column,
            "message": self.diagnostic.message,
        });
        if let Some(hint) = &self.diagnostic.hint {
            value["hint"] = hint.clone().into();
        }
        if let [edit, others @ ..] = &self.edits[..] {
            let place = |edit: &Edit| json!({ "line": edit.line, "column": edit.column, "end_column": edit.end_column, "text": edit.text });
            value["replacement"] = edit.text.clone().into();
            value["end_column"] = edit.end_column.into();
            if !others.is_empty() {
                value["also"] = others.iter().map(place).collect();
            }
        }
        if let Place::Pointer { pointer, .. } = &self.diagnostic.place {
            value["pointer"] = pointer.clone().into();
        }
        value
    }

    /// Report with the line, for the card over the page.
    pub fn overlay_json(&self) -> Value {
        let mut value = self.json();
        let Located {
            source_line,
            column,
            cut,
            ..
        } = &self.located;
        let (text, before) = window(source_line, (column - 1 - cut) as usize);
        value["frame"] = json!({
            "line_number": self.located.line,
            "column": before + 1,
            "width": (self.located.width as usize).min(text.chars().count().saturating_sub(before).max(1)),
            "text": text,
        });
        value
    }
}

/// Everything that is wrong with the site, by file and line.
pub fn reports(db: &dyn Db, site: Site) -> Vec<Report> {
    let mut reports = Report::all(db, site::site_diagnostics(db, site));
    // Stable: what is at one place stays in the order of the codes.
    reports.sort_by(|a, b| {
        let key = |report: &Report| (report.located.line, report.located.column);
        (a.located.path.cmp(&b.located.path)).then_with(|| key(a).cmp(&key(b)))
    });
    reports
}

/// Number of warnings of one kind in one file from which `check` shows the first and lists the
/// places of the others.
const MANY: usize = 4;
/// Maximum number of places listed.
const NAMED: usize = 8;

/// Output of `check` for people: every error, warnings (many of a kind in one file as one), and the
/// summary; with `verbose` every report by itself, and remarks.
pub fn text(reports: &[Report], pages: usize, color: bool, verbose: bool) -> String {
    let mut text = String::new();
    let mut kinds: FxHashMap<(&SitePath, Code), Vec<&Located>> = FxHashMap::default();
    for Report {
        diagnostic,
        located,
        ..
    } in reports
    {
        if !verbose && diagnostic.severity() == Severity::Warning {
            let kind = (&located.path, diagnostic.code);
            kinds.entry(kind).or_default().push(located);
        }
    }
    for report in reports {
        let Report {
            diagnostic,
            located,
            ..
        } = report;
        if !verbose && diagnostic.severity() == Severity::Info {
            continue;
        }
        let kind = kinds.get(&(&located.path, diagnostic.code));
        let others = match kind.map(Vec::as_slice) {
            Some([first, others @ ..]) if others.len() + 1 >= MANY => {
                if !std::ptr::eq(*first, located) {
                    continue;
                }
                others
            }
            _ => &[],
        };
        text += &report.text(color);
        if !others.is_empty() {
            text += &also(others, diagnostic.code, color);
        }
        text.push('\n');
    }
    let counts = Counts::of(reports.iter().map(|report| &report.diagnostic));
    let _ = writeln!(text, "{}", summary(pages, counts));
    text
}

/// The line that stands for the `others` of one kind in one file.
fn also(others: &[&Located], code: Code, color: bool) -> String {
    let (dim, reset) = if color {
        ("\x1b[2m", "\x1b[0m")
    } else {
        ("", "")
    };
    let count = others.len();
    let named = others.iter().take(NAMED);
    let places: Vec<String> = named
        .map(|at| format!("{}:{}", at.line, at.column))
        .collect();
    let rest = if count > NAMED { ", …" } else { "" };
    format!(
        "  {dim}and {count} more {} in this file, at {}{rest} (--verbose shows each){reset}\n",
        code.name(),
        places.join(", ")
    )
}

/// `1067 pages: 2 errors, 1 warning, 3 remarks`.
pub fn summary(pages: usize, counts: Counts) -> String {
    let many =
        |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!(
        "{}: {}, {}, {}",
        many(pages, "page"),
        many(counts.errors, "error"),
        many(counts.warnings, "warning"),
        many(counts.infos, "remark")
    )
}

/// The part of a long line around `column`, and where the column is in it.
fn window(line: &str, column: usize) -> (String, usize) {
    const WIDTH: usize = 90;
    if line.chars().count() <= WIDTH {
        return (line.replace('\t', " "), column);
    }
    let skip = column.saturating_sub(WIDTH / 3);
    let shown: String = line
        .chars()
        .skip(skip)
        .take(WIDTH)
        .map(|c| if c == '\t' { ' ' } else { c })
        .collect();
    (shown, column - skip)
}

/// Text of a user without what a terminal would obey.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken_anchor(path: &str, line: u32) -> Report {
        let path = SitePath::new(path).unwrap();
        let place = Place::File(path.clone());
        let located = Located {
            line,
            ..Located::of_span(&path, "", 0, 0)
        };
        Report {
            diagnostic: Diagnostic::new(Code::BrokenAnchor, place, format!("anchor {line}")),
            located,
            edits: Vec::new(),
        }
    }

    #[test]
    fn many_warnings_of_one_kind_in_one_file_are_one() {
        let lines = |path, count| (1..=count).map(move |line| broken_anchor(path, line));
        let reports: Vec<Report> = lines("a.mdx", 12).chain(lines("b.mdx", 3)).collect();
        assert_eq!(
            text(&reports, 2, false, false),
            "a.mdx:1:1: warning[broken-anchor]: anchor 1\n  \
             and 11 more broken-anchor in this file, at 2:1, 3:1, 4:1, 5:1, 6:1, 7:1, 8:1, 9:1, … (--verbose shows each)\n\n\
             b.mdx:1:1: warning[broken-anchor]: anchor 1\n\n\
             b.mdx:2:1: warning[broken-anchor]: anchor 2\n\n\
             b.mdx:3:1: warning[broken-anchor]: anchor 3\n\n\
             2 pages: 0 errors, 15 warnings, 0 remarks\n"
        );
        let all = text(&reports, 2, false, true);
        assert_eq!(all.matches("warning[").count(), 15);
    }

    #[test]
    fn a_report_shows_the_line_and_carets() {
        let path = SitePath::new("api/pets.mdx").unwrap();
        let line = "openapi: \"GET /pet\"";
        let report = Report {
            diagnostic: Diagnostic::new(
                Code::UnresolvedOperation,
                Place::value(&path, "/openapi"),
                "`GET /pet` is not in openapi.yaml",
            )
            .hint("did you mean `GET /pets`?"),
            located: Located::of_span(&path, line, 9, 10),
            edits: Vec::new(),
        };
        assert_eq!(
            report.text(false),
            "api/pets.mdx:1:10: warning[unresolved-operation]: `GET /pet` is not in openapi.yaml\n  1 | openapi: \"GET /pet\"\n    |          ^^^^^^^^^^\n  hint: did you mean `GET /pets`?\n"
        );
    }

    #[test]
    fn a_terminal_is_not_spoken_to() {
        let path = SitePath::new("a.mdx").unwrap();
        let report = Report {
            diagnostic: Diagnostic::new(
                Code::BrokenLink,
                Place::File(path.clone()),
                "`\x1b]0;x\x07`",
            ),
            located: Located::of_span(&path, "", 0, 0),
            edits: Vec::new(),
        };
        assert!(!report.text(false).contains('\x1b'));
    }
}
