//! A mock of a documented API: a request is held against the document, and answered with the examples of its responses.
//!
//! Nothing is remembered between requests, and the same request has the same answer. A request that
//! violates the document gets the error that the document has for that, with its headers; where it
//! has none a problem document (RFC 9457). What is violated is reported by place, keyword, expected
//! and given value: in the problem document, or in a header.

mod answer;
mod call;
mod dynamic;
mod faults;
pub mod path;
mod pictures;
pub mod returned;
mod values;
mod xml;

use serde_json::{Value, json};

use super::document::Document;
use super::endpoint::{Endpoint, SchemeKind, Settings};
use super::merge::Schemas;
use super::view::Page;

pub use answer::Preference;
pub use call::Call;

/// The header that lists what a request violates, as JSON, beside an error in the form of the document.
pub const VIOLATIONS: &str = "quire-violations";
/// Maximum length of that header, in bytes; further violations are counted.
const MAX_HEADER: usize = 4 * 1024;

/// Response of the mock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: String,
    /// Bytes that are sent in its place.
    pub picture: Option<&'static [u8]>,
}

/// Something in a request that the document does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Place: `path`, `query`, `header`, `cookie`, `body` or `security`.
    pub place: &'static str,
    /// The parameter, or the pointer into the body; empty for the body as a whole.
    pub name: String,
    /// Error, with the expected value.
    pub message: String,
    /// The rule of a schema that it breaks.
    pub rule: Option<Rule>,
}

/// A rule of a schema that a value breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The keyword that failed.
    pub keyword: &'static str,
    /// Expectation of the keyword; null where it is more than a few words.
    pub expected: Value,
    /// Given value; null where there is none, or where it is long.
    pub given: Value,
}

impl Violation {
    /// The violation as programs read it.
    pub fn json(&self) -> Value {
        let mut value = json!({
            "in": self.place,
            "name": self.name,
            "message": self.message,
        });
        if let Some(rule) = &self.rule {
            value["keyword"] = json!(rule.keyword);
            for (name, part) in [("expected", &rule.expected), ("given", &rule.given)] {
                if !part.is_null() {
                    value[name] = part.clone();
                }
            }
        }
        value
    }
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
    page.schemas.demand_formats();
    let view = &operation.view;
    if !call::is_authorized(view, call) {
        let schemes: Vec<&str> = (view.security.alternatives.iter())
            .map(|alternative| alternative.label.as_str())
            .collect();
        let violation = Violation {
            place: "security",
            name: schemes.join(" or "),
            message: "the request has no credentials of this kind; any value will do".to_owned(),
            rule: None,
        };
        let mut answer = refused(
            &mut page.schemas,
            view,
            call,
            &[401],
            "no credentials",
            &[violation],
        );
        let is_challenge = |(name, _): &(String, String)| name == "www-authenticate";
        let challenges = challenges(view);
        if !challenges.is_empty() && !answer.headers.iter().any(is_challenge) {
            let header = ("www-authenticate".to_owned(), challenges);
            answer.headers.push(header);
        }
        return Some(answer);
    }
    let mut violations = Vec::new();
    for parameter in &operation.parameters {
        call::check_parameter(&mut page.schemas, parameter, call, &mut violations);
    }
    if let Some(body) = &view.body {
        let forms = &operation.forms;
        if let Err(unknown) =
            call::check_body(&mut page.schemas, body, forms, call, &mut violations)
        {
            let content_type = &unknown.content_type;
            let title = format!("the document knows no body of the type `{content_type}`");
            let violation = Violation {
                place: "header",
                name: "Content-Type".to_owned(),
                message: format!("send one of: {}", unknown.documented_types.join(", ")),
                rule: None,
            };
            return Some(refused(
                &mut page.schemas,
                view,
                call,
                &[415],
                &title,
                &[violation],
            ));
        }
    }
    if !violations.is_empty() {
        let title = "the request does not match the document";
        return Some(refused(
            &mut page.schemas,
            view,
            call,
            &[422, 400],
            title,
            &violations,
        ));
    }
    Some(answer::respond(&mut page.schemas, &operation, call))
}

/// The answer to a request with `violations`: the first response of the document that has one of `statuses` and a body, else its
/// response for all of their class or for everything else, else a problem document.
fn refused(
    schemas: &mut Schemas<'_, '_>,
    view: &Endpoint,
    call: &Call<'_>,
    statuses: &[u16],
    title: &str,
    violations: &[Violation],
) -> Answer {
    if let Some(mut answer) = answer::documented(schemas, view, call, statuses) {
        let header = (VIOLATIONS.to_owned(), header_of(violations));
        answer.headers.push(header);
        return answer;
    }
    let is_documented = |status: &&u16| {
        let mut responses = view.responses.iter();
        responses.any(|response| response.status == status.to_string())
    };
    let status = statuses.iter().find(is_documented).or(statuses.last());
    let violations: Vec<Value> = violations.iter().map(Violation::json).collect();
    problem(
        status.copied().unwrap_or(400),
        title,
        json!({ "violations": violations }),
    )
}

/// `violations` as the value of a header: JSON in ASCII.
fn header_of(violations: &[Violation]) -> String {
    let mut text = "[".to_owned();
    for (index, violation) in violations.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let mut next = comma.to_owned();
        for c in violation.json().to_string().chars() {
            match c {
                ' '..='~' => next.push(c),
                c => {
                    let mut units = [0; 2];
                    for unit in c.encode_utf16(&mut units) {
                        next.push_str(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        if text.len() + next.len() > MAX_HEADER {
            let left = violations.len() - index;
            text.push_str(&format!("{comma}{{\"more\":{left}}}"));
            break;
        }
        text.push_str(&next);
    }
    text + "]"
}

/// The challenges that the security of an operation amounts to (RFC 9110, 11.6.1).
fn challenges(view: &Endpoint) -> String {
    let schemes = view.security.alternatives.iter();
    let schemes = schemes.flat_map(|alternative| &alternative.schemes);
    let mut challenges = Vec::new();
    for scheme in schemes {
        let challenge = match &scheme.kind {
            SchemeKind::Basic => "Basic realm=\"mock\"",
            SchemeKind::Bearer { .. }
            | SchemeKind::OAuth2 { .. }
            | SchemeKind::OpenIdConnect { .. } => "Bearer",
            _ => continue,
        };
        if !challenges.contains(&challenge) {
            challenges.push(challenge);
        }
    }
    challenges.join(", ")
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
        picture: None,
    }
}
