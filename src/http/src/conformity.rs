//! Validates a response in the playground against the document of its API: `POST
//! /_quire/conformity?path=PAGE&status=200&type=application/json`, with the body as received.
//!
//! Only pages of the site ask. Nothing of what they send is kept or logged.

use hyper::body::Incoming;
use hyper::header;
use hyper::{Method, Response, StatusCode};
use queries::site::{Returned, checked_reply};
use serde_json::{Value, json};

use super::access::own_page;
use super::body;
use super::rates::Kind;
use super::reply::{self, Body, Refusal, set};
use super::router::{RequestContext, not_allowed, serving};
use super::search::bad;
use quire_engine::meter;
use quire_site::sites::HostMatch;

/// Path.
pub(super) const PATH: &str = "/_quire/conformity";
/// Its methods.
pub(super) const METHODS: &[Method] = &[Method::POST];

/// Longest body that is checked, in bytes.
const MAX_BODY: usize = 2 * 1024 * 1024;
/// Longest path of a page and longest media type, in bytes.
const MAX_TEXT: usize = 500;

/// The reply to a request for [`PATH`].
pub(super) async fn reply(
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    if *context.method != Method::POST {
        return Err(not_allowed(METHODS));
    }
    own_page(context)?;
    if let (Some(rates), Some(client)) = (context.rates, context.limited) {
        rates.enter_client(Kind::Search, client)?;
    }
    let nothing = || {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-operation",
            "no page of this site is about such an operation",
        )
    };
    let service = serving(at, context).await?.ok_or_else(nothing)?;
    let (path, status, media) = parse_query(context.query.unwrap_or_default())?;
    let body = body::read(body, MAX_BODY).await?;
    let asked = service.handle().clone();
    let check = move || {
        meter::in_background(|| {
            asked.read(|db, site| {
                let returned = Returned {
                    status,
                    media: &media,
                    body: &body,
                };
                checked_reply(db, site, &path, returned)
            })
        })
    };
    let checked = tokio::task::spawn_blocking(check).await;
    let verdict = match checked {
        Ok(Ok(verdict)) => verdict.ok_or_else(nothing)?,
        failed => {
            if let Ok(Err(error)) = failed {
                tracing::error!(
                    site = service.handle().id(),
                    "failed to validate a response: {error}"
                );
            }
            return Err(Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "check-failed",
                "failed to read the specification; see the log",
            ));
        }
    };
    let violations = verdict.violations.iter().map(|violation| violation.json());
    let violations: Vec<Value> = violations.collect();
    let mut response = reply::json(
        StatusCode::OK,
        &json!({
            "response": verdict.response, "media": verdict.media, "known": verdict.documented,
            "checked": verdict.is_checked, "violations": violations,
        }),
    );
    set(&mut response, header::CACHE_CONTROL, "no-store");
    Ok(response)
}

/// The path of the page, the status and the media type that a query names.
fn parse_query(query: &str) -> Result<(String, u16, String), Refusal> {
    let (mut path, mut status, mut media) = (String::new(), 0, String::new());
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
        if value.len() > MAX_TEXT {
            return Err(bad(&format!("`{name}` is longer than {MAX_TEXT} bytes")));
        }
        match name {
            "path" => path = value.into_owned(),
            "status" => status = value.parse().unwrap_or(0),
            "type" => media = value.into_owned(),
            _ => return Err(bad(&format!("`{name}` is not known"))),
        }
    }
    if !path.starts_with('/') {
        return Err(bad("`path` must be the path of a page"));
    }
    if !(100..=599).contains(&status) {
        return Err(bad("`status` must be a status code"));
    }
    Ok((path, status, media))
}
