//! Feedback of readers: `POST /_quire/feedback` from pages of a site, `GET` for administrators.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::{Method, Response, StatusCode};
use queries::base::path::encode_path;
use queries::theme::console::{self, PageFeedback};
use serde_json::{Map, Value, json};

use super::accept::takes_html;
use super::access::{may_see, own_page, said_too_much};
use super::body;
use super::reply::{self, Body, Refusal, full, set};
use super::router::{RequestContext, not_allowed, serving};
use super::search::bad;
use quire_site::feedback::{About, Entry};
use quire_site::sites::{HostMatch, SiteSlot, Sites};

/// Path.
pub(super) const PATH: &str = "/_quire/feedback";
/// Its methods.
pub(super) const METHODS: &[Method] = &[Method::GET, Method::HEAD, Method::POST];

/// Largest body, in bytes.
const MAX_BODY: usize = 16 * 1024;
/// Longest fields, in characters.
const MAX_PATH: usize = 500;
const MAX_TEXT: usize = 2000;
const MAX_ID: usize = 100;

/// The reply to a request for [`PATH`].
pub(super) async fn reply(
    sites: &Sites,
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    match *context.method {
        Method::POST => {
            let service = serving(at, context).await?.ok_or_else(no_site)?;
            own_page(context)?;
            let feedback = service.handle().feedback().clone();
            let admitted = feedback.admit(context.client);
            admitted.map_err(said_too_much)?;
            let body = body::read(body, MAX_BODY).await?;
            let is_form = is_form(context.headers);
            let entry = match is_form {
                true => entry(&fields_of_form(&body))?,
                false => read(context.headers, &body)?,
            };
            // Without scripts the reader is led back, to the line that thanks.
            let back = format!("{}#feedback-thanks", encode_path(&entry.path));
            // What cannot be kept is in the log; the reader has done their part.
            let _ = tokio::task::spawn_blocking(move || feedback.add(entry)).await;
            let mut response = Response::new(full(""));
            *response.status_mut() = StatusCode::NO_CONTENT;
            if is_form {
                *response.status_mut() = StatusCode::SEE_OTHER;
                set(&mut response, header::LOCATION, &back);
            }
            Ok(response)
        }
        Method::GET | Method::HEAD if may_see(&at, context) => {
            let slots = match at {
                HostMatch::Site(slot) => vec![slot],
                HostMatch::Preview(slot, label) => {
                    vec![
                        super::router::visit(&slot, &label, context)
                            .await?
                            .slot
                            .clone(),
                    ]
                }
                HostMatch::Machine | HostMatch::Unknown => sites.all(),
            };
            let is_page = takes_html(context.headers);
            let shown = tokio::task::spawn_blocking(move || list(&slots, is_page)).await;
            shown.map_err(|_| no_site())
        }
        Method::GET | Method::HEAD => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "not-found",
            "not found",
        )),
        _ => Err(not_allowed(METHODS)),
    }
}

fn no_site() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "unknown-site",
        "unknown site; sites are served at ID.localhost",
    )
}

/// Everything that was said of the sites at `slots`, the newest first. Blocks.
fn list(slots: &[Arc<SiteSlot>], is_page: bool) -> Response<Body> {
    let mut collected: Vec<(String, Entry)> = Vec::new();
    for slot in slots {
        let entries = slot.feedback.entries().into_iter();
        collected.extend(entries.map(|entry| (slot.id.clone(), entry)));
    }
    collected.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.at));
    if is_page {
        let rows: Vec<PageFeedback> = collected.into_iter().map(row).collect();
        return reply::console(console::feedback(&rows));
    }
    let entries = collected.into_iter().map(|(site, entry)| {
        let mut value = serde_json::to_value(&entry).unwrap_or_default();
        value["site"] = json!(site);
        value
    });
    reply::json(
        StatusCode::OK,
        &json!({ "feedback": entries.collect::<Vec<_>>() }),
    )
}

fn row((site, entry): (String, Entry)) -> PageFeedback {
    PageFeedback {
        site,
        at: entry.at,
        kind: match entry.kind {
            About::Page => "page",
            About::Assistant => "assistant",
            About::Mcp => "mcp",
        },
        path: entry.path,
        helpful: entry.helpful,
        text: entry.text.unwrap_or_default(),
    }
}

/// The entry in `body`, or the reply that says which field is wrong.
fn read(headers: &HeaderMap, body: &[u8]) -> Result<Entry, Refusal> {
    let value: Value = body::json(headers, body)?;
    let Value::Object(fields) = value else {
        return Err(bad("the body must be an object with `kind` and `path`"));
    };
    entry(&fields)
}

/// Returns true if a browser sent the body as a form.
fn is_form(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE);
    let given = given.and_then(|given| given.to_str().ok()).unwrap_or("");
    let name = given.split(';').next().unwrap_or("").trim();
    name.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// The fields of a form (WHATWG URL, 5.1), each as a body in JSON would have it.
fn fields_of_form(body: &[u8]) -> Map<String, Value> {
    let text = |bytes: &[u8]| {
        let spaced: Vec<u8> = (bytes.iter())
            .map(|byte| if *byte == b'+' { b' ' } else { *byte })
            .collect();
        let decoded = percent_encoding::percent_decode(&spaced);
        decoded.decode_utf8_lossy().into_owned()
    };
    let mut fields = Map::new();
    for pair in body.split(|byte| *byte == b'&') {
        let at = pair.iter().position(|byte| *byte == b'=');
        let (name, value) = pair.split_at(at.unwrap_or(pair.len()));
        let (name, value) = (text(name), text(value.strip_prefix(b"=").unwrap_or(value)));
        let value = match (&*name, &*value) {
            ("helpful", "true") => Value::Bool(true),
            ("helpful", "false") => Value::Bool(false),
            _ => Value::from(value),
        };
        fields.insert(name, value);
    }
    fields
}

/// The entry that `fields` make, or the reply that says which of them is wrong.
fn entry(fields: &Map<String, Value>) -> Result<Entry, Refusal> {
    let kind = fields.get("kind").and_then(Value::as_str);
    let kind = kind
        .and_then(About::from_name)
        .ok_or_else(|| bad("`kind` must be `page`, `assistant` or `mcp`"))?;
    let path = text(fields, "path", MAX_PATH)?.ok_or_else(|| bad("`path` is missing"))?;
    if !path.starts_with('/') || path.starts_with("//") || path.chars().any(char::is_control) {
        return Err(bad(
            "`path` must be the path of a page, such as `/guides/keys`",
        ));
    }
    let helpful = match fields.get("helpful") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(helpful)) => Some(*helpful),
        Some(_) => return Err(bad("`helpful` must be true or false")),
    };
    let comment = text(fields, "text", MAX_TEXT)?;
    if helpful.is_none() && comment.is_none() {
        return Err(bad("`helpful` or `text` must be given"));
    }
    Ok(Entry {
        helpful,
        text: comment,
        id: text(fields, "id", MAX_ID)?,
        ..Entry::now(kind, &path)
    })
}

/// A text of at most `most` characters; nothing if it is empty.
fn text(fields: &Map<String, Value>, name: &str, most: usize) -> Result<Option<String>, Refusal> {
    let text = match fields.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim(),
        Some(_) => return Err(bad(&format!("`{name}` must be a string"))),
    };
    if text.chars().count() > most {
        return Err(bad(&format!(
            "`{name}` must have at most {most} characters"
        )));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}
