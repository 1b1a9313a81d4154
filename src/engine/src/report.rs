//! Findings for the world outside: what the core says of them, and SARIF for code hosts.

use queries::base::diagnostic::{Code, Severity};
use queries::base::place::Located;
use serde_json::{Value, json};

pub use queries::site::report::{Counts, Report, reports, summary, text};

/// A SARIF 2.1.0 log of `reports`, for code hosts that show findings in place.
pub fn sarif(reports: &[Report]) -> Value {
    let rules: Vec<Value> = Code::ALL
        .iter()
        .map(|code| json!({ "id": code.name(), "shortDescription": { "text": code.meaning() } }))
        .collect();
    let results: Vec<Value> = reports
        .iter()
        .map(|report| {
            let Located { path, line, column, width, .. } = &report.located;
            let level = match report.diagnostic.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "note",
            };
            json!({
                "ruleId": report.diagnostic.code.name(),
                "level": level,
                "message": { "text": report.diagnostic.message },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": queries::base::path::encode_path(path.as_str()) },
                    "region": { "startLine": line, "startColumn": column, "endColumn": column + width },
                } }],
            })
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
