//! Reference pages of the manual that follow from the program: `UPDATE_EXPECT=1` writes them anew.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use base::diagnostic::{Code, Severity};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Compares a page of the manual with what it must be.
#[track_caller]
pub(crate) fn check(page: &str, expected: &str) {
    let path = root().join("fixtures/manual").join(page);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{} (UPDATE_EXPECT=1 writes it)",
        path.display()
    );
}

/// The reports of `diagnostics.txt` of every fixture, each a paragraph.
fn reports() -> Vec<String> {
    let mut folders: Vec<PathBuf> = (fs::read_dir(root().join("fixtures")).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let mut found = Vec::new();
    while !folders.is_empty() {
        let folder = folders.remove(0);
        let text = fs::read_to_string(folder.join("expected/diagnostics.txt")).unwrap_or_default();
        found.extend(
            text.split("\n\n")
                .map(|report| report.trim_end().to_owned()),
        );
        let mut edits: Vec<PathBuf> = fs::read_dir(folder.join("edits"))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .collect();
        edits.sort();
        folders.extend(edits);
    }
    found
}

/// The shortest report of `code`, which shows the line and what to do about it if any does.
fn example(code: Code, reports: &[String]) -> Option<&str> {
    let mark = format!("[{}]: ", code.name());
    let of_code = reports.iter().filter(|report| {
        let first = report.lines().next().unwrap_or_default();
        first.contains(&mark)
    });
    let of_code = of_code.min_by_key(|report| {
        let shows_line = report.contains("\n    | ") || report.contains(" | ");
        (!shows_line, !report.contains("hint: "), report.len())
    });
    of_code.map(String::as_str)
}

/// Text in which nothing is Markdown or MDX outside of its code spans.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => {
                let part = part.replace('{', "\\{").replace('<', "&lt;");
                out.push_str(&part.replace('*', "\\*"));
            }
            _ => write!(out, "`{part}`").unwrap(),
        }
    }
    out
}

#[test]
fn each_diagnostic_is_described_with_an_example() {
    let reports = reports();
    let mut page = "---\ntitle: Diagnostics\ndescription: \"Every code that check and the preview \
        report: what it means, an example, and what to do.\"\n---\n\n{/* Written by \
        tests/queries/manual.rs from the table of codes and the fixtures. */}\n\n\
        `quire check` prints each finding with its place, its code and a hint, and `quire dev` shows \
        errors over the page. Errors make `check` fail; warnings do with `--strict`; remarks are printed \
        with `--verbose`. [How a site grades the rules of specifications](/api/rules), \
        [how a finding is left out](/write/check).\n"
        .to_owned();
    let severities = [
        (
            Severity::Error,
            "Errors",
            "Something that the author wrote cannot be shown as meant.",
        ),
        (
            Severity::Warning,
            "Warnings",
            "Something is doubtful, or was read leniently.",
        ),
        (
            Severity::Info,
            "Remarks",
            "Something that the author may want to know.",
        ),
    ];
    let mut without = Vec::new();
    for (severity, title, about) in severities {
        write!(page, "\n## {title}\n\n{about}\n").unwrap();
        let mut codes: Vec<Code> = Code::ALL.to_vec();
        codes.retain(|code| code.severity() == severity);
        codes.sort_by_key(|code| code.name());
        for code in codes {
            write!(
                page,
                "\n### {}\n\n{}\n",
                code.name(),
                escaped(code.meaning())
            )
            .unwrap();
            match example(code, &reports) {
                Some(report) => write!(page, "\n````text\n{report}\n````\n").unwrap(),
                None => without.push(code.name()),
            }
        }
    }
    // Those that no fixture can have: `tests/queries/codes.rs` says why.
    assert!(without.len() <= 6, "{without:?}");
    check("reference/diagnostics.mdx", &page);
}

#[test]
fn each_component_is_described_with_an_example() {
    let mut page = "---\ntitle: Components and props\ndescription: \"Every component with its props, as it \
        looks and as it is written.\"\n---\n\n{/* Written by tests/queries/manual.rs from \
        queries/theme/src/element/components.txt. */}\n\nComponents need no import. All take `className`, \
        `style` and `id`.\n"
        .to_owned();
    for docs in theme::component_docs() {
        write!(page, "\n## {}\n\n{}\n", docs.name, escaped(docs.about)).unwrap();
        if !docs.props.is_empty() {
            page.push_str("\n| Prop | What it does |\n|---|---|\n");
            for (name, about) in &docs.props {
                writeln!(page, "| `{name}` | {} |", escaped(about)).unwrap();
            }
        }
        if let Some(example) = docs.example {
            write!(page, "\n{example}\n\n````mdx wrap\n{example}\n````\n").unwrap();
        }
    }
    check("reference/components.mdx", &page);
}
