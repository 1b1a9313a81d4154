//! The mock of a site's specifications: asked for each request to it, outside of any query. What it reads are the facts that
//! the pages of the operations rest on, so that an edit of a specification is in the next answer.

use serde_json::json;

use crate::db::Db;
use crate::inputs::Site;
use crate::openapi::{operation_index, spec_paths};
use crate::reference::SpecDocument;
use crate::trace::ReadLog;
use base::path::encode_path;
use openapi::mock::path::{Match, find};
use openapi::mock::{Answer, Call, answer, problem};
use openapi::serialize::encode;

/// Path of the mock of a site.
pub const MOCK: &str = "/_quire/mock";

/// A request to the mock.
#[derive(Clone, Copy, Debug)]
pub struct MockRequest<'a> {
    /// Method, in upper case.
    pub method: &'a str,
    /// Path below that of the mock, percent-encoded as it was sent: the specification, then the path of the operation.
    pub path: &'a str,
    /// Text after the `?`, or empty.
    pub query: &'a str,
    /// Headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// Body.
    pub body: &'a [u8],
}

/// The segments below which the mock of the specification at `path` answers: its path in the
/// repository, or its absolute URL as one segment.
pub fn mock_segments(path: &str) -> String {
    match path.contains("://") {
        true => encode(path, false),
        false => encode_path(path),
    }
}

/// Answers `request` with the examples of the specification that its path names.
pub fn mock_answer(db: &dyn Db, site: Site, request: &MockRequest<'_>) -> Answer {
    let specs = spec_paths(db, site);
    let path = request.path.trim_start_matches('/');
    // One path can begin another: `v1.yaml` and `v1.yaml/x` cannot both be files, addresses are one segment.
    let found = specs.iter().find_map(|(name, spec)| {
        let rest = path.strip_prefix(&mock_segments(name))?;
        (rest.is_empty() || rest.starts_with('/')).then_some((*spec, rest))
    });
    let Some((spec, rest)) = found else {
        let known: Vec<String> = specs.iter().map(|(name, _)| mock_segments(name)).collect();
        let detail = format!(
            "the path begins with that of a specification: {}",
            known.join(", ")
        );
        return problem(
            404,
            "there is no such specification",
            json!({ "detail": detail }),
        );
    };
    let path = if rest.is_empty() { "/" } else { rest };
    let (key, values) = match find(operation_index(db, spec), request.method, path) {
        Match::Operation { key, values } => (key, values),
        Match::OtherMethods(methods) => {
            let allow = methods.join(", ");
            let detail = format!("documented: {allow}");
            let title = format!("`{path}` has no method {}", request.method);
            let mut answer = problem(405, &title, json!({ "detail": detail }));
            answer.headers.push(("allow".to_owned(), allow));
            return answer;
        }
        Match::Nothing => {
            let title = format!("the specification has no path that matches `{path}`");
            return problem(404, &title, json!({}));
        }
    };
    let call = Call {
        path: &values,
        query: request.query,
        headers: request.headers,
        body: request.body,
    };
    let log = ReadLog::unrecorded(db, spec);
    let document = SpecDocument::new(&log);
    let answered = answer(&document, &key, document.settings(), &call);
    answered.unwrap_or_else(|| problem(404, "the operation cannot be read", json!({})))
}
