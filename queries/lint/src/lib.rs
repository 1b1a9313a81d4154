//! What is wrong with OpenAPI documents: the published schemas of OpenAPI, and rules that schemas cannot say.
//!
//! A document is judged slice by slice ([`slice_findings`]), so that an edit has one slice judged again; what slices say of
//! each other is judged from small facts of each ([`document`]). Each rule is a code of `base::diagnostic` and can be
//! graded or turned off by its name. Nothing here decides what pages show.

pub mod document;
pub mod objects;
mod operations;
mod schemas;
mod structure;

pub use operations::placeholders;

use std::collections::BTreeMap;

use base::data::pointer;
use base::diagnostic::Diagnostic;
use serde_json::Value;

use objects::{Edition, Holds, Kind, of_slice, walk};

/// A diagnostic before it is known how its file is called: its place is a JSON pointer (RFC 6901).
pub type Finding = Diagnostic<String>;

/// The rules that the slice at `key` breaks by itself.
pub fn slice_findings(edition: Edition, key: &str, value: &Value) -> Vec<Finding> {
    let holds = of_slice(key);
    let method = method(key, holds);
    let mut found = Vec::new();
    walk(holds, value, &mut key.to_owned(), &mut |at, object| {
        // The dialect of schemas from 3.1 on knows nothing of what OpenAPI adds to it.
        let is_added =
            edition > Edition::V30 && matches!(object.kind, Kind::Discriminator | Kind::Xml);
        if !object.is_inner || is_added {
            found.extend(structure::faults(edition, object.kind, object.value, at));
        }
        found.extend(structure::strayed(object.kind, object.value, at));
        if object.kind == Kind::Schema {
            schemas::violations(edition, at, object, &mut found);
        }
        let method = method.filter(|_| !object.is_inner);
        operations::violations(edition, at, object, method, &mut found);
    });
    // What should be a list and is none holds nothing that could be walked.
    if let (Holds::List(_), false) = (holds, value.is_array()) {
        let name = pointer::segments(key).last().unwrap_or_default();
        let message = format!("`{name}` must be a list");
        found.push(Finding::new(
            base::diagnostic::Code::SpecFieldType,
            key,
            message,
        ));
    }
    found
}

/// Returns the HTTP method of a slice that is an operation.
fn method(key: &str, holds: Holds) -> Option<&str> {
    let is_path = key.starts_with("/paths/") && holds == Holds::One(Kind::Operation);
    key.rsplit('/').next().filter(|_| is_path)
}

/// Minimum number of findings with one cause that are reported as one line.
const MANY: usize = 4;

/// Findings of one cause (one code, one message) as one line with a count, where there are many.
pub fn grouped(found: Vec<Finding>) -> Vec<Finding> {
    let mut counts: BTreeMap<(base::diagnostic::Code, String), usize> = BTreeMap::new();
    for finding in &found {
        *counts
            .entry((finding.code, finding.message.clone()))
            .or_default() += 1;
    }
    let mut result = Vec::with_capacity(counts.len());
    for mut finding in found {
        let Some(count) = counts.get_mut(&(finding.code, finding.message.clone())) else {
            continue;
        };
        match *count {
            0 => continue,
            n if n >= MANY => {
                finding.message =
                    format!("{} (here and in {} more places)", finding.message, n - 1);
                finding.replacement = None;
                *count = 0;
            }
            _ => {}
        }
        result.push(finding);
    }
    result
}
