//! Search of a site (SPEC 2.1, 2.2, 4.1). `POST /api/sites/<id>/search`
//!
//! Any page may ask: the answer says nothing that the site does not say to everyone.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::{Method, Response, StatusCode};
use serde_json::{Map, Value};

use super::body;
use super::reply::{Body, full, problem, set};
use super::router::{RequestContext, only};
use crate::finder::{self, Wanted};
use crate::index::Filter;
use crate::meter;
use crate::service::Service;

/// Largest body of a question, in bytes.
const MAX_BODY: usize = 16 * 1024;

/// Longest query, in characters.
const MAX_QUERY: usize = 1000;

/// The reply of the site to a question.
pub(super) async fn reply(
    service: Result<Arc<Service>, Box<Response<Body>>>,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Response<Body> {
    let mut response = match *context.method {
        Method::OPTIONS => preflight(),
        _ => answer(service, context, body).await,
    };
    set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    response
}

/// What a browser asks before a page of another origin may ask.
fn preflight() -> Response<Body> {
    let mut response = Response::new(full(""));
    *response.status_mut() = StatusCode::NO_CONTENT;
    set(
        &mut response,
        header::ACCESS_CONTROL_ALLOW_METHODS,
        "POST, OPTIONS",
    );
    set(
        &mut response,
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "content-type",
    );
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, "86400");
    response
}

async fn answer(
    service: Result<Arc<Service>, Box<Response<Body>>>,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Response<Body> {
    if let Some(refusal) = only(context, &[Method::POST, Method::OPTIONS]) {
        return refusal;
    }
    let service = match service {
        Ok(service) => service,
        Err(refusal) => return *refusal,
    };
    let body = match body::read(body, MAX_BODY).await {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    let wanted = match read(context.headers, &body) {
        Ok(wanted) => wanted,
        Err(refusal) => return *refusal,
    };
    if let Some(watch) = service.watching() {
        watch.sync().await;
    }
    let (sections, core) = (wanted.sections, service.core().clone());
    let find = move || meter::beside(|| core.finder.find(&wanted));
    let found = tokio::task::spawn_blocking(find).await;
    let why = match found {
        Ok(Ok(answer)) => {
            let value = finder::json(&answer, sections);
            let mut response = Response::new(full(format!("{value}\n")));
            set(
                &mut response,
                header::CONTENT_TYPE,
                "application/json; charset=utf-8",
            );
            set(&mut response, header::CACHE_CONTROL, "no-store");
            return response;
        }
        Ok(Err(error)) => format!("{error:#}"),
        Err(error) => error.to_string(),
    };
    tracing::error!(site = service.core().id, "nothing can be searched: {why}");
    problem(
        StatusCode::INTERNAL_SERVER_ERROR,
        "search-failed",
        "the index of the site cannot be read; the log says why",
    )
}

/// The question in `body`, or the reply that says which field is wrong.
fn read(headers: &HeaderMap, body: &[u8]) -> Result<Wanted, Box<Response<Body>>> {
    let value: Value = body::json(headers, body)?;
    let Value::Object(fields) = value else {
        return Err(bad("the body must be an object with a `query`"));
    };
    let query = match fields.get("query") {
        Some(Value::String(query)) => query,
        Some(_) => return Err(bad("`query` must be a string")),
        None => return Err(bad("`query` is missing")),
    };
    if query.trim().is_empty() {
        return Err(bad("`query` must not be empty"));
    }
    if query.chars().count() > MAX_QUERY {
        return Err(bad(&format!(
            "`query` must have at most {MAX_QUERY} characters"
        )));
    }
    let limit = match fields.get("limit") {
        None | Some(Value::Null) => 10,
        Some(limit) => match limit.as_u64() {
            Some(limit @ 1..=50) => limit as usize,
            _ => return Err(bad("`limit` must be a whole number from 1 to 50")),
        },
    };
    let filter = match fields.get("filter") {
        None | Some(Value::Null) => Filter::default(),
        Some(Value::Object(filter)) => Filter {
            tab: text(filter, "tab")?,
            version: text(filter, "version")?,
            language: text(filter, "language")?,
            tag: text(filter, "tag")?,
        },
        Some(_) => return Err(bad("`filter` must be an object")),
    };
    Ok(Wanted {
        query: query.clone(),
        semantic: flag(&fields, "semantic")?,
        limit,
        filter,
        sections: flag(&fields, "sections")?,
    })
}

fn flag(fields: &Map<String, Value>, name: &str) -> Result<bool, Box<Response<Body>>> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(bad(&format!("`{name}` must be true or false"))),
    }
}

fn text(filter: &Map<String, Value>, name: &str) -> Result<Option<String>, Box<Response<Body>>> {
    match filter.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(bad(&format!("`filter.{name}` must be a string"))),
    }
}

fn bad(message: &str) -> Box<Response<Body>> {
    Box::new(problem(StatusCode::BAD_REQUEST, "bad-field", message))
}
