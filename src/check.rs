//! `quire check`: everything that is wrong with a site, for people and programs.

use std::io::{self, Write};
use std::path::Path;

use queries::base::path::Route;
use queries::site::{
    self, generated_pages, operation_reference, page_anchors, page_diagnostics, page_links,
    page_list,
};
use serde_json::json;

use quire_engine::report::{self, Counts, Report, sarif};
use quire_engine::survey;
use quire_source::links_out;
use quire_source::load::load_with;

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
}

/// What was found.
pub struct Findings {
    /// The findings, by file and place.
    pub reports: Vec<Report>,
    /// How many pages the site has.
    pub pages: usize,
}

/// Checks the site in `folder`, in a process that ends then. What is rendered for it is kept in the
/// folder `state`, if there is one.
pub fn findings(folder: &Path, state: Option<&Path>) -> anyhow::Result<Findings> {
    let loaded = load_with(folder, "", None, state)?;
    let host = &loaded.host;
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
    let generated = generated.unwrap_or_default();
    let mut diagnostics = loaded.unread.clone();
    diagnostics.extend(survey::diagnostics(host));
    links_out::say(&loaded.sources, &mut diagnostics);
    let findings = Findings {
        reports: survey::located(host, diagnostics),
        pages: routes.len() + generated,
    };
    loaded.leave();
    Ok(findings)
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
        Format::Sarif => writeln!(out, "{:#}", sarif(&findings.reports)),
    }
}
