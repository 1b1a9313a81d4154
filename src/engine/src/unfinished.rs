//! Documents that end in the middle or cannot be read, as they do while they are being written:
//! their changes are held back, and the site goes on with what they held before, until they are
//! whole or mended.
//!
//! Files that cannot be read are among them: what they held before stays, and they are looked at again.
//!
//! Held back is a state of files, beside the database: no query knows of it, and what the site
//! shows is what a clean build of the last whole documents shows. The watcher of the files decides
//! for how long.

use std::collections::BTreeMap;

use queries::base::content::ContentHash;
use queries::base::data::split::{is_cut_json, last_sign};
use queries::base::data::{json, yaml};
use queries::base::diagnostic::{Code, Diagnostic};
use queries::base::path::SitePath;
use queries::base::place::{Located, Place};
use queries::change::{RefusalCause, Text, Unreadable};
use queries::site::report::Report;
use serde::de::IgnoredAny;

pub use queries::change::Adoption;

/// The documents that are held back.
#[derive(Clone, Debug, Default)]
pub struct HeldBackDocuments(BTreeMap<SitePath, HeldBack>);

/// A document that is held back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// The digest of that; of nothing if it cannot be read or is gone.
    pub digest: ContentHash,
    /// Report of where it ends.
    pub report: Report,
}

impl HeldBack {
    fn of_file(path: &SitePath, code: Code, message: String, hint: &str) -> Self {
        let diagnostic = Diagnostic::new(code, Place::File(path.clone()), message).hint(hint);
        let located = Located::of_span(path, "", 0, 0);
        Self {
            digest: ContentHash::of(b""),
            report: Report {
                diagnostic,
                located,
                edits: Vec::new(),
            },
        }
    }

    /// Returns true if it cannot be read, and is read again later.
    pub fn is_unreadable(&self) -> bool {
        self.report.diagnostic.code == Code::UnreadableFile
    }

    /// Returns true if it is a text that is being written. If it can be read, it is accepted after
    /// a while.
    pub fn is_unfinished(&self) -> bool {
        !self.is_unreadable() && self.report.diagnostic.code != Code::MissingConfig
    }
}

impl HeldBackDocuments {
    /// Holds back what the file at `path` holds, for this reason.
    pub fn hold(&mut self, path: &SitePath, text: &Text, why: RefusalCause) {
        let entry = HeldBack {
            digest: text.digest,
            report: report(path, &text.bytes, why),
        };
        self.0.insert(path.clone(), entry);
    }

    /// Holds back what is at `path` and cannot be read; `is_known` says whether it was read before.
    pub fn hold_unreadable(&mut self, path: &SitePath, unreadable: &Unreadable, is_known: bool) {
        let Unreadable { why, hint } = unreadable;
        let rest = match is_known {
            true => "; what it held before stays in use",
            false => "",
        };
        let message = format!("{why}{rest}");
        let entry = HeldBack::of_file(path, Code::UnreadableFile, message, hint);
        self.0.insert(path.clone(), entry);
    }

    /// Holds back that the configuration at `path` is gone.
    pub fn hold_missing_config(&mut self, path: &SitePath) {
        let message = "the configuration is gone; its last version stays in use".to_owned();
        let hint = "a site has a docs.json: bring it back, or end the preview";
        let entry = HeldBack::of_file(path, Code::MissingConfig, message, hint);
        self.0.insert(path.clone(), entry);
    }

    /// Lets go of the file at `path`: it was taken as it is, or is whole again, or gone.
    pub fn let_go(&mut self, path: &SitePath) {
        self.0.remove(path);
    }

    /// The documents that are held back, by their paths.
    pub fn all(&self) -> &BTreeMap<SitePath, HeldBack> {
        &self.0
    }
}

/// Reports where the file at `path` ends, or why it cannot be read.
fn report(path: &SitePath, bytes: &[u8], why: RefusalCause) -> Report {
    let text = String::from_utf8_lossy(bytes);
    let is_json = path.extension() == "json";
    let (mut diagnostic, at) = match why {
        RefusalCause::Cut if !is_json || is_cut_json(bytes) => ending(path, &text),
        RefusalCause::NoOverlay if text.trim().is_empty() => ending(path, &text),
        RefusalCause::Cut | RefusalCause::Broken | RefusalCause::NoOverlay => {
            let fault = match is_json {
                true => json_fault(path, &text),
                false => yaml_fault(path, &text),
            };
            fault.unwrap_or_else(|| match why {
                RefusalCause::NoOverlay => no_overlay(path),
                RefusalCause::Cut | RefusalCause::Broken => no_specification(path),
            })
        }
    };
    let message = diagnostic.message;
    diagnostic.message = format!("{message}; its last whole version stays in use");
    Report {
        located: Located::of_span(path, &text, at, 1),
        diagnostic,
        edits: Vec::new(),
    }
}

/// Place where an incomplete document ends.
fn ending(path: &SitePath, text: &str) -> (Diagnostic, usize) {
    let at = last_sign(text, text.len());
    let message = if text.trim().is_empty() {
        "the file is empty"
    } else if path.extension() != "json" && text.ends_with('\n') {
        "the file is still being written"
    } else {
        "the file ends in the middle"
    };
    let place = Place::in_text(path, text, at, 1);
    let hint = "write it to its end; the site goes on when it can be read";
    let diagnostic = Diagnostic::new(Code::TruncatedFile, place, message).hint(hint);
    (diagnostic, at)
}

/// First error of a document as JSON.
fn json_fault(path: &SitePath, text: &str) -> Option<(Diagnostic, usize)> {
    let read = serde_json::from_str::<IgnoredAny>(text.trim_start_matches('\u{feff}'));
    Some(json::fault(path, text, &read.err()?))
}

/// First error of a document as YAML.
fn yaml_fault(path: &SitePath, text: &str) -> Option<(Diagnostic, usize)> {
    let error = yaml::parse_document(text).err()?;
    // A tab is what is wrong itself; any other white space stands behind it.
    let at = match text.as_bytes().get(error.at) {
        Some(b'\t') => error.at,
        _ => last_sign(text, error.at),
    };
    let place = Place::in_text(path, text, at, 1);
    let message = format!("not valid YAML: {}", error.message);
    let hint = "check the indentation, quotes and colons at or just before this position";
    Some((
        Diagnostic::new(Code::InvalidYaml, place, message).hint(hint),
        at,
    ))
}

/// A document that can be read, and is no longer one of OpenAPI.
fn no_specification(path: &SitePath) -> (Diagnostic, usize) {
    let message = "the document is no specification any more";
    let hint = "begin it with `openapi: 3.1.0`, or remove the file";
    let diagnostic = Diagnostic::new(Code::UnsupportedVersion, Place::File(path.clone()), message);
    (diagnostic.hint(hint), 0)
}

/// A document that can be read, and is no longer an overlay.
fn no_overlay(path: &SitePath) -> (Diagnostic, usize) {
    let message = "the document is no overlay any more";
    let hint = "begin it with `overlay: 1.0.0`, or have the configuration name it no more";
    let diagnostic = Diagnostic::new(Code::OverlayInvalid, Place::File(path.clone()), message);
    (diagnostic.hint(hint), 0)
}
