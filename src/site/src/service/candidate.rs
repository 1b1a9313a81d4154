//! Decides whether changes may be published: a candidate database is built beside the served one
//! and surveyed. It is not served, and its queries are not counted.

use queries::base::diagnostic::{Code, Diagnostic, Severity};
use queries::site::{self, is_page};

use quire_engine::host::SiteHost;
use quire_engine::report::Report;
use quire_engine::survey;
use quire_settings::FailOn;

/// Diagnostics that keep `candidate` from being published in the place of what `host` has; empty if it
/// may be.
///
/// With [`FailOn::Error`] that are errors of the site as a whole: of its configuration, specifications and files that cannot
/// be read, faults of the program. What is wrong with a page or an operation costs that and no deployment, unless it is
/// [`FailOn::Warning`]. With [`FailOn::Never`] a configuration or specification that could be read must be readable.
pub(super) fn objections(host: &SiteHost, candidate: &SiteHost, fail_on: FailOn) -> Vec<Report> {
    let held_back = candidate.held_back().into_values();
    let unreadable = held_back.filter(|held_back| held_back.is_unreadable());
    let mut reports: Vec<Report> = unreadable.map(|held_back| held_back.report).collect();
    // What it held before stays, so that of a page is not lost.
    reports.retain(|report| fail_on != FailOn::Never || !is_page(&report.located.path));
    let mut diagnostics = match fail_on {
        FailOn::Warning => survey::diagnostics(candidate),
        FailOn::Error | FailOn::Never => of_whole(candidate),
    };
    diagnostics.retain(|found| match fail_on {
        FailOn::Warning => found.severity() != Severity::Info,
        FailOn::Error => found.severity() == Severity::Error,
        FailOn::Never => is_unreadable(found.code),
    });
    if fail_on == FailOn::Never && !diagnostics.is_empty() {
        let before = of_whole(host);
        diagnostics.retain(|found| !before.contains(found));
    }
    reports.extend(survey::located(candidate, diagnostics));
    reports
}

/// Diagnostics of the configuration, and of specifications as a whole; none of single pages or
/// operations.
fn of_whole(host: &SiteHost) -> Vec<Diagnostic> {
    let found = host.read(|db, site| {
        site::route_table(db, site);
        let mut found = site::config_diagnostics(db, site);
        for spec in site.specs(db) {
            let of_spec = site::document_diagnostics(db, site, *spec).into_iter();
            found.extend(of_spec.filter(|found| is_unreadable(found.code) || is_raised(found)));
        }
        found.retain(|found| !is_page(found.place.path()));
        found
    });
    let what = "the site cannot be made";
    let mut found =
        found.unwrap_or_else(|error| vec![survey::fault(site::config_place(), what, &error)]);
    found.sort_by(|a, b| (a.place.path(), a).cmp(&(b.place.path(), b)));
    found.dedup();
    found
}

/// Returns true if a rule of the site raises the diagnostic to an error.
fn is_raised(found: &Diagnostic) -> bool {
    found.severity() == Severity::Error && found.code.severity() != Severity::Error
}

/// Returns true if a diagnostic means that a configuration or a specification cannot be read.
fn is_unreadable(code: Code) -> bool {
    matches!(
        code,
        Code::MissingConfig
            | Code::InvalidJson
            | Code::InvalidYaml
            | Code::MissingRef
            | Code::CyclicRef
            | Code::MissingSpec
            | Code::OverlayInvalid
            | Code::UnsupportedVersion
            | Code::InternalFault
    )
}
