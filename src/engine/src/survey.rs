//! Everything that is wrong with a site, faults of the program included: a query that panics is a diagnostic of what it is
//! about, and the rest of the site is surveyed.

use queries::base::diagnostic::{Code, Diagnostic};
use queries::base::path::Route;
use queries::base::place::{Located, Place};
use queries::site::{
    self, DiagnosticPart, KnownParts, generated_pages, operation_reference, page_anchors,
    page_diagnostics, page_links, page_list,
};

use crate::host::{ReadError, SiteHost};
use crate::report::Report;

/// Diagnostics of the site of `host`, whose pages are rendered by all cores, and the number of its pages.
pub fn checked(host: &SiteHost) -> (Vec<Diagnostic>, usize) {
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
    (diagnostics(host), pages)
}

/// Diagnostics of the site of `host`, by file and place.
pub fn diagnostics(host: &SiteHost) -> Vec<Diagnostic> {
    diagnostics_with(host, &KnownParts::new())
}

/// Like [`diagnostics`], where `cached_parts` need not be asked for.
pub fn diagnostics_with(host: &SiteHost, cached_parts: &KnownParts) -> Vec<Diagnostic> {
    let error = match host.read(|db, site| site::site_diagnostics_with(db, site, cached_parts)) {
        Ok(diagnostics) => return diagnostics,
        Err(error) => error,
    };
    // Something faults: each part by itself, so that it costs itself only.
    let Ok(parts) = host.read(|db, site| site::diagnostic_parts(db, site)) else {
        return vec![of_site(&error)];
    };
    let answers = host.read_all(&parts, |db, site, part| {
        site::part_diagnostics(db, site, *part)
    });
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for (part, answer) in parts.into_iter().zip(answers) {
        match answer {
            Ok(found) => diagnostics.extend(found),
            Err(error) => diagnostics.push(of_part(host, part, &error)),
        }
    }
    if !diagnostics
        .iter()
        .any(|found| found.code == Code::InternalFault)
    {
        // Nothing is missing, but somebody should know.
        let what = "the site is checked part by part";
        diagnostics.push(fault(site::config_place(), what, &error));
    }
    diagnostics.sort_by(|a, b| (a.place.path(), a).cmp(&(b.place.path(), b)));
    diagnostics.dedup();
    diagnostics
}

/// Turns the places of `diagnostics` into lines and columns.
pub fn located(host: &SiteHost, diagnostics: Vec<Diagnostic>) -> Vec<Report> {
    let reports = host.read(|db, _| Report::all(db, diagnostics.clone()));
    reports.unwrap_or_else(|_| {
        // Where they are cannot be told; what they are can.
        let report = |diagnostic: Diagnostic| Report {
            located: Located::of_span(diagnostic.place.path(), "", 0, 0),
            diagnostic,
            edits: Vec::new(),
        };
        diagnostics.into_iter().map(report).collect()
    })
}

/// The diagnostic of a fault at `place`.
pub fn fault(place: Place, what: &str, error: &ReadError) -> Diagnostic {
    let message = format!("{what} because of a fault of the program: {error}");
    Diagnostic::new(Code::InternalFault, place, message)
        .hint("please report this bug and attach the file; the rest of the site was built")
}

fn of_site(error: &ReadError) -> Diagnostic {
    fault(site::config_place(), "the site cannot be checked", error)
}

fn of_part(host: &SiteHost, part: DiagnosticPart, error: &ReadError) -> Diagnostic {
    let what = match part {
        DiagnosticPart::Site => "the navigation cannot be resolved",
        DiagnosticPart::Spec(_) => "the specification cannot be checked",
        DiagnosticPart::Operation(_) => "the page of this operation cannot be drawn",
        DiagnosticPart::Model(_) => "the page of this data model cannot be drawn",
        DiagnosticPart::Page(_) => "the page cannot be drawn",
    };
    match host.read(|db, _| site::part_place(db, part)) {
        Ok(place) => fault(place, what, error),
        Err(_) => of_site(error),
    }
}
