//! The MCP server of a site. `POST /mcp`, and the cards that describe it below `/.well-known/`.
//!
//! The host says which site answers, as everywhere. Pages of another origin are refused: a page that somebody happens to
//! have open must not ask in their name. Programs send no origin.

use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::access::is_of_other_origin;
use super::body;
use super::reply::{self, Body, Refusal, set};
use super::router::{RequestContext, not_allowed, site_at};
use super::site::base_url;
use quire_mcp::{SiteTools, TOOLS, server};
use quire_search::search_service::Wait;
use quire_site::sites::HostMatch;

/// Path.
pub(super) const PATH: &str = quire_site::service::MCP;
/// Its methods.
pub(super) const METHODS: &[Method] = &[Method::POST];
/// Paths of its descriptions.
pub(super) const CARDS: [&str; 2] = ["/.well-known/mcp.json", "/.well-known/mcp/server-card.json"];

/// Largest body, in bytes.
const MAX_BODY: usize = 64 * 1024;
/// Code of JSON-RPC 2.0 for what is not JSON.
const PARSE_ERROR: i32 = -32_700;

/// Returns true if `path` is that of the server or of a description.
pub(super) fn is_at(path: &str) -> bool {
    path == PATH || CARDS.contains(&path)
}

/// The reply to a request for `path`.
pub(super) async fn reply(
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let nothing = || {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "no-mcp-server",
            "there is no MCP server here",
        )
    };
    let service = site_at(at, context).await?.ok_or_else(nothing)?;
    let site = service.handle().clone();
    if !site.mcp().enabled {
        return Err(nothing());
    }
    let tools = SiteTools::new(service.clone());
    if context.target.path != PATH {
        return match *context.method {
            Method::GET | Method::HEAD => {
                service.sync_for(Wait::Answer).await;
                Ok(card(&tools, context))
            }
            _ => Err(not_allowed(&[Method::GET, Method::HEAD])),
        };
    }
    if is_of_other_origin(context.headers, &context.target.authority) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "foreign-origin",
            "a page of another origin may not ask here",
        ));
    }
    // There are no sessions to follow (GET) or to end (DELETE).
    if *context.method != Method::POST {
        return Err(not_allowed(METHODS));
    }
    let now = Instant::now();
    site.admit_request(context.client, now)
        .map_err(|wait| too_many("this client has sent too many requests", wait))?;
    let body = body::read(body, MAX_BODY).await?;
    if is_call(&body) {
        site.admit_call(now)
            .map_err(|wait| too_many("this site has answered too many calls", wait))?;
    }
    if let Err(error) = serde_json::from_slice::<Value>(&body) {
        let message = format!("the body is not JSON: {error}");
        let answer = json!({
            "jsonrpc": "2.0", "id": null, "error": { "code": PARSE_ERROR, "message": message },
        });
        let mut response = reply::json(StatusCode::BAD_REQUEST, &answer);
        set(&mut response, header::CACHE_CONTROL, "no-store");
        return Ok(response);
    }
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = context.method.clone();
    *request.headers_mut() = context.headers.clone();
    if takes_json(context.headers) {
        // The protocol asks for both to be named, though the reply is always JSON; a client that takes it need not know.
        let both = HeaderValue::from_static("application/json, text/event-stream");
        request.headers_mut().insert(header::ACCEPT, both);
    }
    // HTTP/2 says the host elsewhere.
    if let Ok(host) = HeaderValue::from_str(&context.target.authority) {
        request.headers_mut().insert(header::HOST, host);
    }
    let answer = server::answer(tools, request).await;
    let (head, body) = answer.into_parts();
    let body: Body = body.map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::from_parts(head, body);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    Ok(response)
}

fn too_many(why: &str, wait: u64) -> Refusal {
    let message = format!("{why}; come again in {wait} seconds");
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", &message)
        .with(header::RETRY_AFTER, &wait.to_string())
}

/// Returns true if a client accepts JSON: by name, by a range, or without `Accept`.
fn takes_json(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(header::ACCEPT).iter().peekable();
    accepted.peek().is_none()
        || accepted
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|one| {
                let kind = one.split(';').next().unwrap_or("").trim();
                ["*/*", "application/*", "application/json"]
                    .iter()
                    .any(|known| kind.eq_ignore_ascii_case(known))
            })
}

/// Returns true if a message calls a tool.
fn is_call(body: &Bytes) -> bool {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    message["method"] == "tools/call"
}

/// Description of the server: name, address, capabilities.
fn card(tools: &SiteTools, context: &RequestContext<'_>) -> Response<Body> {
    let site = tools.site();
    let url = format!("{}{PATH}", base_url(site, context));
    let tool_list = TOOLS.iter().map(|tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": (tool.input)(),
            "annotations": { "readOnlyHint": tool.is_read_only },
        })
    });
    let card = json!({
        "name": site.id(),
        "title": format!("{} documentation", tools.name()),
        "description": tools.instructions(),
        "version": env!("CARGO_PKG_VERSION"),
        "url": url,
        "transport": { "type": "streamable-http", "url": url },
        "authentication": { "required": false },
        "capabilities": { "tools": {}, "resources": {} },
        "tools": tool_list.collect::<Vec<_>>(),
    });
    let mut response = reply::json(StatusCode::OK, &card);
    set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(&mut response, header::CACHE_CONTROL, "no-cache");
    response
}
