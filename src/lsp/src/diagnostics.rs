//! Findings of the whole site, sent for the documents whose findings changed.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lsp_server::{Message, Notification};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{DiagnosticSeverity, NumberOrString, PublishDiagnosticsParams, Range, TextEdit};
use queries::base::diagnostic::Severity;
use queries::base::path::SitePath;
use queries::site;
use quire_engine::report::{self, Report};
use quire_engine::survey;
use quire_source::links_out;

use serde_json::Value;

use crate::actions::Mend;
use crate::project::Project;
use crate::text::Text;

/// Quiet period after which findings are collected: within it the next key may come.
const QUIET: Duration = Duration::from_millis(60);

/// Name of the program in the editor.
const SOURCE: &str = "quire";

/// Sends the findings of `project` after each change, until the server ends.
pub(crate) fn follow(project: &Weak<Project>, changed: &Receiver<()>, sender: &Sender<Message>) {
    let mut sent = SentFindings::default();
    let mut send = |is_first: bool| {
        let project = project.upgrade().ok_or(ClientGone)?;
        if is_first {
            // Cold: pages are rendered by all cores.
            survey::checked(&project.host);
        }
        sent.send(&project, sender)
    };
    if send(true).is_err() {
        return;
    }
    while changed.recv().is_ok() {
        loop {
            match changed.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        if send(false).is_err() {
            return;
        }
    }
}

/// Findings that the client has, by document.
#[derive(Default)]
struct SentFindings(BTreeMap<SitePath, Vec<lsp_types::Diagnostic>>);

/// The client is gone.
struct ClientGone;

impl SentFindings {
    /// Sends what differs from what was sent before.
    fn send(&mut self, project: &Project, sender: &Sender<Message>) -> Result<(), ClientGone> {
        let now = diagnostics_by_path(project);
        let gone = self.0.keys().filter(|path| !now.contains_key(*path));
        let empty = gone.map(|path| (path.clone(), Vec::new()));
        let mut changed: Vec<(SitePath, Vec<lsp_types::Diagnostic>)> = empty.collect();
        let differing = now
            .iter()
            .filter(|(path, found)| self.0.get(*path) != Some(*found));
        changed.extend(differing.map(|(path, found)| (path.clone(), found.clone())));
        for (path, diagnostics) in changed {
            let Some(uri) = project.uri_of(&path) else {
                continue;
            };
            let params = PublishDiagnosticsParams::new(uri, diagnostics, None);
            let method = PublishDiagnostics::METHOD.to_owned();
            let message = Message::Notification(Notification::new(method, params));
            sender.send(message).map_err(|_| ClientGone)?;
        }
        self.0 = now;
        Ok(())
    }
}

/// Returns the findings of the site, as `quire check` has them.
pub(crate) fn reports(project: &Project) -> Vec<Report> {
    let host = &project.host;
    let mut diagnostics = survey::diagnostics(host);
    links_out::say(project.sources(), &mut diagnostics);
    let mut reports = survey::located(host, diagnostics);
    let held_back = host.held_back().into_values();
    reports.extend(held_back.map(|held_back| held_back.report));
    let text_of = |path: &SitePath| host.read(|db, _| site::text_at(db, path)).ok().flatten();
    report::without_ignored(reports, text_of)
}

fn diagnostics_by_path(project: &Project) -> BTreeMap<SitePath, Vec<lsp_types::Diagnostic>> {
    let mut by_path: BTreeMap<SitePath, Vec<Report>> = BTreeMap::new();
    for report in reports(project) {
        // Specifications that are fetched are no documents.
        if !report.located.path.is_url() {
            let path = report.located.path.clone();
            by_path.entry(path).or_default().push(report);
        }
    }
    let found = by_path.into_iter().map(|(path, reports)| {
        let text = project.text(&path);
        let found = reports
            .iter()
            .map(|report| diagnostic(report, text.as_deref()));
        let found = found.collect();
        (path, found)
    });
    found.collect()
}

fn diagnostic(report: &Report, text: Option<&Text>) -> lsp_types::Diagnostic {
    let found = &report.diagnostic;
    let severity = match found.severity() {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
    };
    let range = match text {
        Some(text) => text.located(&report.located),
        None => Range::default(),
    };
    let message = match &found.hint {
        Some(hint) => format!("{}\n{hint}", found.message),
        None => found.message.clone(),
    };
    lsp_types::Diagnostic {
        range,
        severity: Some(severity),
        code: Some(NumberOrString::String(found.code.name().to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        data: text.and_then(|text| mend(report, text)),
        ..lsp_types::Diagnostic::default()
    }
}

/// Returns what a quick fix writes: the word that was meant, and the edits that write it.
fn mend(report: &Report, text: &Text) -> Option<Value> {
    let word = report.diagnostic.replacement.as_ref()?;
    let edits = report.edits.iter().map(|edit| {
        let range = text.columns(edit.line, edit.column..edit.end_column);
        TextEdit::new(range, edit.text.clone())
    });
    let edits: Vec<TextEdit> = edits.collect();
    let mend = Mend {
        // The place of a component begins with its tag.
        word: word.trim_start_matches('<').to_owned(),
        edits,
    };
    (!mend.edits.is_empty()).then(|| serde_json::to_value(mend).ok())?
}
