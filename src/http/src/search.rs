//! Search of a site (SPEC 2.1, 2.2, 4.1). `POST /api/sites/<id>/search`
//!
//! Any page may ask: the answer says nothing that the site does not say to everyone.

use hyper::header::{self, HeaderMap};
use hyper::{Response, StatusCode};
use serde_json::{Map, Value};

use super::api::Call;
use super::body;
use super::reply::{self, Body, Refusal, full, set};
use quire_search::index::Filter;
use quire_search::search_service::{self, NotReady, SearchQuery, Wait};

/// Error message while the first index is being built.
pub(super) const NOT_READY: &str = "the search index is being built; retry in a moment";

/// Longest query, in characters.
const MAX_QUERY: usize = 1000;
/// Keys of a filter.
const FILTERS: [&str; 4] = ["tab", "version", "language", "tag"];

/// Preflight reply for pages of another origin.
pub(super) async fn preflight(_: Call<'_>) -> Result<Response<Body>, Refusal> {
    Ok(allowed())
}

/// Reply that allows pages of other origins to ask.
pub(super) fn allowed() -> Response<Body> {
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
        "content-type, accept, user-agent",
    );
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, "86400");
    response
}

/// The answer of the site to a question.
pub(super) async fn answer(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let service = call.service().await?;
    let wanted = read(call.context.headers, &call.body)?;
    let (sections, site) = (wanted.sections, service.handle());
    let synced = service.sync_for(Wait::Search).await;
    let found = site.run_blocking(synced.due, move |site| {
        let mut answer = site.find(&wanted)?;
        if answer.indexing.is_none() {
            answer.revision = answer.revision.or_else(|| site.earlier_revision(synced));
        }
        anyhow::Ok(answer)
    });
    let found = found.await;
    let why = match found {
        Ok(Ok(answer)) => {
            let value = search_service::json(&answer, sections);
            return Ok(reply::json(StatusCode::OK, &value));
        }
        Ok(Err(error)) if error.is::<NotReady>() => return Err(not_ready()),
        Ok(Err(error)) => format!("{error:#}"),
        Err(error) => error.to_string(),
    };
    tracing::error!(site = site.id(), "search failed: {why}");
    Err(failed())
}

/// 500 response where the index cannot be read.
pub(super) fn failed() -> Refusal {
    Refusal::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "search-failed",
        "failed to read the search index; see the log",
    )
}

/// 503 response while no page is indexed.
pub(super) fn not_ready() -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "search-not-ready",
        NOT_READY,
    )
    .with(header::RETRY_AFTER, "2")
}

/// The question in `body`, or the reply that says which field is wrong.
pub(super) fn read(headers: &HeaderMap, body: &[u8]) -> Result<SearchQuery, Refusal> {
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
    Ok(SearchQuery {
        query: query.clone(),
        semantic: flag(&fields, "semantic")?,
        limit,
        filter: filter(&fields)?,
        sections: flag(&fields, "sections")?,
    })
}

/// Filter of pages, from the field `filter`.
pub(super) fn filter(fields: &Map<String, Value>) -> Result<Filter, Refusal> {
    let filter = match fields.get("filter") {
        None | Some(Value::Null) => return Ok(Filter::default()),
        Some(Value::Object(filter)) => filter,
        Some(_) => return Err(bad("`filter` must be an object")),
    };
    if let Some(unknown) = filter.keys().find(|key| !FILTERS.contains(&&key[..])) {
        let known = FILTERS.map(|name| format!("`{name}`")).join(", ");
        return Err(bad(&format!(
            "`filter.{unknown}` is not known; a filter has {known}"
        )));
    }
    Ok(Filter {
        tab: text(filter, "tab")?,
        version: text(filter, "version")?,
        language: text(filter, "language")?,
        tag: text(filter, "tag")?,
        ..Filter::default()
    })
}

fn flag(fields: &Map<String, Value>, name: &str) -> Result<bool, Refusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(bad(&format!("`{name}` must be true or false"))),
    }
}

fn text(filter: &Map<String, Value>, name: &str) -> Result<Option<String>, Refusal> {
    match filter.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(bad(&format!("`filter.{name}` must be a string"))),
    }
}

/// The refusal of a request with a field that is wrong.
pub(super) fn bad(message: &str) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "bad-field", message)
}
