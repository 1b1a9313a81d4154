//! The mock of a site's specifications: every operation answers with its examples, and says what of a request the document
//! does not allow. `/_quire/mock/<specification>/<path of the operation>`, any method.
//!
//! Any page may ask, and any program: the answers are what the site shows to everyone.

use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Response, StatusCode};
use queries::site::{MOCK, MockAnswer, MockRequest, mock_answer};

use super::access::own_machine;
use super::body;
use super::reply::{Body, Refusal, full, set};
use super::router::{RequestContext, serving};
use quire_engine::meter;
use quire_site::sites::HostMatch;

/// Returns true if `path` belongs to the mock.
pub(super) fn is_at(path: &str) -> bool {
    let rest = path.strip_prefix(MOCK);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// The header that stands for `Cookie`.
const COOKIE: &str = "quire-cookie";

/// Longest body of a request, in bytes.
const MAX_BODY: usize = 10 * 1024 * 1024;

/// The reply to a request below [`MOCK`].
pub(super) async fn reply(
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let service = match serving(at, context).await? {
        Some(service) if service.handle().has_mock() => service,
        _ => {
            let message = "there is no mock here: `quire dev --mock` has one, and a site of the daemon with `mock = true`";
            return Err(Refusal::new(
                StatusCode::NOT_FOUND,
                "unknown-operation",
                message,
            ));
        }
    };
    let wants = |name: &str| context.headers.get(name).is_some();
    let is_preflight = *context.method == Method::OPTIONS
        && wants("origin")
        && wants("access-control-request-method");
    if is_preflight {
        return Ok(preflight(context.headers));
    }
    let body = body::read(body, MAX_BODY).await?;
    let method = context.method.as_str().to_owned();
    let path = context.encoded_path.strip_prefix(MOCK);
    let path = path.unwrap_or_default().to_owned();
    let query = context.query.unwrap_or_default().to_owned();
    let headers = texts(context.headers);
    let asked = service.handle().clone();
    let answer = move || {
        meter::in_background(|| {
            asked.read(|db, site| {
                let request = MockRequest {
                    method: &method,
                    path: &path,
                    query: &query,
                    headers: &headers,
                    body: &body,
                };
                mock_answer(db, site, &request)
            })
        })
    };
    let answer = tokio::task::spawn_blocking(answer).await;
    match answer {
        Ok(Ok(answer)) => Ok(response(answer, own_machine(context.headers))),
        failed => {
            let why = match failed {
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
                Ok(Ok(_)) => String::new(),
            };
            tracing::error!(site = service.handle().id(), "mock failed: {why}");
            Err(Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "mock-failed",
                "failed to read the specification; see the log",
            ))
        }
    }
}

/// Headers as texts, names in lower case; bytes that are no text are left out. A page cannot set cookies of its choice, so
/// the playground sends them under another name, which then stands for those that the browser has for this host.
fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let has_own = headers.contains_key(COOKIE);
    let texts = headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        let name = match name.as_str() {
            "cookie" if has_own => return None,
            COOKIE => "cookie",
            name => name,
        };
        Some((name.to_owned(), value.to_owned()))
    });
    texts.collect()
}

/// Lets pages of every origin read `response`. A front end that is being written on this machine, whose page is `origin`, may
/// send its cookies, too, and gets those of the mock.
fn allow(response: &mut Response<Body>, origin: Option<&str>) {
    set(
        response,
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        origin.unwrap_or("*"),
    );
    if origin.is_some() {
        set(response, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
        set(response, header::VARY, "origin");
    }
}

fn response(answer: MockAnswer, origin: Option<&str>) -> Response<Body> {
    let body = match answer.picture {
        Some(picture) => full(picture),
        None => full(answer.body),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    set(&mut response, header::CACHE_CONTROL, "no-store");
    allow(&mut response, origin);
    set(&mut response, header::ACCESS_CONTROL_EXPOSE_HEADERS, "*");
    // Examples are the author's, and are never run as a page of this host.
    set(&mut response, header::CONTENT_SECURITY_POLICY, "sandbox");
    response
}

/// Preflight reply: pages of any origin may send anything, and cookies if they are of this machine.
fn preflight(headers: &HeaderMap) -> Response<Body> {
    let mut response = Response::new(full(""));
    *response.status_mut() = StatusCode::NO_CONTENT;
    allow(&mut response, own_machine(headers));
    let header_pairs = [
        (
            header::ACCESS_CONTROL_REQUEST_METHOD,
            header::ACCESS_CONTROL_ALLOW_METHODS,
        ),
        (
            header::ACCESS_CONTROL_REQUEST_HEADERS,
            header::ACCESS_CONTROL_ALLOW_HEADERS,
        ),
    ];
    for (requested, allowed) in header_pairs {
        if let Some(value) = headers.get(requested).and_then(|value| value.to_str().ok()) {
            set(&mut response, allowed, value);
        }
    }
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, "600");
    response
}
