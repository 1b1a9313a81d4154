//! A mock of a documented API: a request is held against the document, and answered with the examples of its responses.
//!
//! Nothing is remembered between requests, and the same request has the same answer. What a request violates is said by
//! place and keyword, as a problem document (RFC 9457).

mod answer;
mod call;
mod faults;
pub mod path;
mod values;
mod xml;

use serde_json::{Value, json};

use super::document::Document;
use super::endpoint::Settings;
use super::merge::Schemas;
use super::view::Page;

pub use answer::Preference;
pub use call::Call;

/// What the mock sends back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: String,
}

/// Something in a request that the document does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where: `path`, `query`, `header`, `cookie`, `body` or `security`.
    pub place: &'static str,
    /// The parameter, or the pointer into the body; empty for the body as a whole.
    pub name: String,
    /// What is wrong with it, and what would be right.
    pub message: String,
}

/// Answers `call` of the operation at `pointer` of `document`; `None` if there is no such operation.
pub fn answer<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    settings: &Settings,
    call: &Call<'_>,
) -> Option<Answer> {
    let mut page = Page::new(Schemas::new(document), settings);
    let operation = page.operation(pointer)?;
    let is_authorized = call::is_authorized(&operation.view, call);
    if !is_authorized {
        let schemes: Vec<&str> = (operation.view.security.alternatives.iter())
            .map(|alternative| alternative.label.as_str())
            .collect();
        let violation = Violation {
            place: "security",
            name: schemes.join(" or "),
            message: "the request has no credentials of this kind; any value will do".to_owned(),
        };
        return Some(refused(401, "no credentials", &[violation]));
    }
    let mut violations = Vec::new();
    for parameter in &operation.parameters {
        call::check_parameter(&mut page.schemas, parameter, call, &mut violations);
    }
    let body = operation.view.body.as_ref();
    if let Some(body) = body {
        let forms = &operation.forms;
        match call::check_body(&mut page.schemas, body, forms, call, &mut violations) {
            Ok(()) => {}
            Err(refused) => return Some(refused),
        }
    }
    if !violations.is_empty() {
        let is_documented = |status: &str| {
            let mut responses = operation.view.responses.iter();
            responses.any(|response| response.status == status)
        };
        let status = if is_documented("422") { 422 } else { 400 };
        let title = "the request does not match the document";
        return Some(refused(status, title, &violations));
    }
    Some(answer::respond(&operation.view, call))
}

/// A problem document (RFC 9457) that lists `violations`.
fn refused(status: u16, title: &str, violations: &[Violation]) -> Answer {
    let violations = violations.iter().map(|violation| {
        json!({
            "in": violation.place,
            "name": violation.name,
            "message": violation.message,
        })
    });
    let violations = Value::Array(violations.collect());
    problem(status, title, json!({ "violations": violations }))
}

/// A problem document of `status`, with the members of `more`.
pub fn problem(status: u16, title: &str, more: Value) -> Answer {
    let mut body = json!({ "title": title, "status": status });
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    Answer {
        status,
        headers: vec![(
            "content-type".to_owned(),
            "application/problem+json".to_owned(),
        )],
        body: format!("{body:#}\n"),
    }
}
