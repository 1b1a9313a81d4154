//! The assistant of a site (SPEC 2.3, 2.4, 4.2). `POST /api/sites/<id>/assistant`
//!
//! Any page may ask, as of search. The reply is one JSON object, or the same parts as the UI message stream of the AI SDK
//! (version 1 of the protocol, `x-vercel-ai-ui-message-stream`): for `Accept: text/event-stream`, and for messages as that SDK
//! sends them, which names no media type in its default transport and reads nothing but the stream.

use std::time::Duration;

use bytes::Bytes;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Response, StatusCode};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::api::Call;
use super::body;
use super::reply::{self, Body, Refusal, full, set};
use super::search::{self, bad};
use super::stream;
use quire_assistant::{self as assistant, Conversation, Failed, Message, Reply, Role};
use quire_search::search_service::Wait;
use quire_site::service::{Service, SiteHandle, Synced};

/// Longest message, in characters.
const MAX_MESSAGE: usize = 16_000;
/// Maximum number of messages of a conversation.
const MAX_MESSAGES: usize = 200;
/// Maximum number of selections of a reader, and of the characters of one.
const MAX_CONTEXTS: usize = 10;
const MAX_CONTEXT: usize = 16_000;
/// Longest path of the page that the reader is on, in characters.
const MAX_PATH: usize = 200;

/// The answer of the site to a conversation.
pub(super) async fn answer(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let service = call.service().await?;
    let (conversation, is_of_ui) = read(call.context.headers, &call.body)?;
    let synced = service.sync_for(Wait::Answer).await;
    if takes_events(call.context.headers, is_of_ui) {
        let model = service.handle().model();
        return Ok(match model.filter(|_| !conversation.is_quoted) {
            Some(_) => stream_answer(service.handle().clone(), conversation, synced),
            None => {
                let (id, reply) = compose_answer(&service, conversation, synced).await?;
                stream_whole(&id, &reply)
            }
        });
    }
    let (id, reply) = compose_answer(&service, conversation, synced).await?;
    Ok(reply::json(StatusCode::OK, &assistant::json(&id, &reply)))
}

/// Answer of the site of `service`, which has waited for its files, to `conversation`, with its id.
pub(super) async fn compose_answer(
    service: &Service,
    conversation: Conversation,
    synced: Synced,
) -> Result<(String, Reply), Refusal> {
    let site = service.handle();
    let found = site.answer(conversation.clone(), synced, None).await;
    let reply = found.map_err(|failed| {
        let (status, code, why) = reason(site, &failed);
        Refusal::new(status, code, why)
    })?;
    Ok((assistant::id(&conversation, &reply), reply))
}

/// Error response when answering fails; details go to the log.
fn reason(site: &SiteHandle, failed: &Failed) -> (StatusCode, &'static str, &'static str) {
    match failed {
        Failed::Search(error) => {
            tracing::error!(site = site.id(), "assistant failed: {error:#}");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                "search-failed",
                "failed to read the search index; see the log",
            )
        }
        Failed::NotReady => (
            StatusCode::SERVICE_UNAVAILABLE,
            "search-not-ready",
            search::NOT_READY,
        ),
        Failed::BrokenOff => (
            StatusCode::BAD_GATEWAY,
            "broken-off",
            "the language model closed the stream early; try again",
        ),
    }
}

/// Part of an answer while it is written.
pub(super) enum Part {
    /// The next piece of text.
    Text(String),
    /// Nothing to send yet: keeps the connection alive.
    Silence,
    /// The end, with the whole text and its sources.
    End(Reply),
    /// The answer failed, with the reason.
    Failed(&'static str),
}

/// Interval of keep-alive messages while an answer is written.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Maximum number of pieces of text that wait for a slow client.
const QUEUE: usize = 16;

/// Answers `conversation` to `client`, each part in the form that `shape` gives it, until that is gone.
pub(super) async fn parts(
    site: &SiteHandle,
    (conversation, synced): (Conversation, Synced),
    client: &mpsc::Sender<Bytes>,
    mut shape: impl FnMut(Part) -> String,
) {
    let (tell, mut pieces) = mpsc::channel(QUEUE);
    let answer = async {
        // Dropped with it, so that what is told comes to its end.
        let tell = tell;
        site.answer(conversation, synced, Some(&tell)).await
    };
    tokio::pin!(answer);
    let mut reply = None;
    let mut heartbeat = tokio::time::interval(HEARTBEAT);
    heartbeat.tick().await;
    loop {
        let part = tokio::select! {
            biased;
            piece = pieces.recv() => match piece {
                Some(piece) => Part::Text(piece),
                None => break,
            },
            ended = &mut answer, if reply.is_none() => {
                reply = Some(ended);
                continue;
            }
            _ = heartbeat.tick() => Part::Silence,
        };
        if client.send(Bytes::from(shape(part))).await.is_err() {
            return;
        }
    }
    let end = match reply {
        Some(Ok(reply)) => Part::End(reply),
        Some(Err(failed)) => Part::Failed(reason(site, &failed).2),
        None => return,
    };
    // Nobody needs the end who is gone.
    let _ = client.send(Bytes::from(shape(end))).await;
}

/// Whether a client reads a stream: it names that, or names no JSON and asks with messages of the AI SDK.
pub(super) fn takes_events(headers: &HeaderMap, is_of_ui: bool) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let accepted = accepted.filter_map(|value| value.to_str().ok());
    let types: Vec<&str> = accepted
        .flat_map(|value| value.split(','))
        .map(|one| one.split(';').next().unwrap_or("").trim())
        .collect();
    let names = |wanted: &str| types.iter().any(|one| one.eq_ignore_ascii_case(wanted));
    names("text/event-stream") || (is_of_ui && !names("application/json"))
}

/// The events of a stream, one after the other.
fn data(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

const DONE: &str = "data: [DONE]\n\n";

fn delta(piece: &str) -> Value {
    json!({ "type": "text-delta", "id": "text-1", "delta": piece })
}

/// The events after the text of `reply`.
fn ending(reply: &Reply) -> Vec<Value> {
    let mut events = vec![json!({ "type": "text-end", "id": "text-1" })];
    events.extend(assistant::sources(reply));
    let metadata = assistant::metadata(reply);
    events.push(json!({ "type": "finish", "messageMetadata": metadata }));
    events
}

/// `reply` as a stream: the text paragraph by paragraph, then the sources.
pub(super) fn stream_whole(id: &str, reply: &Reply) -> Response<Body> {
    let metadata = assistant::metadata(reply);
    let mut events = vec![
        json!({ "type": "start", "messageId": id, "messageMetadata": metadata }),
        json!({ "type": "text-start", "id": "text-1" }),
    ];
    events.extend(reply.text.split_inclusive("\n\n").map(delta));
    events.extend(ending(reply));
    let text = data(&events) + DONE;
    let mut response = Response::new(full(Bytes::from(text)));
    set(&mut response, header::CONTENT_TYPE, "text/event-stream");
    set(&mut response, header::CACHE_CONTROL, "no-store");
    is_ui_messages(&mut response);
    response
}

fn is_ui_messages(response: &mut Response<Body>) {
    let name = HeaderName::from_static("x-vercel-ai-ui-message-stream");
    set(response, name, "v1");
}

/// The answer to `conversation` as a stream, while it is written.
fn stream_answer(site: SiteHandle, conversation: Conversation, synced: Synced) -> Response<Body> {
    let revision = site.revisions();
    let mut response = stream::events(revision, |sender| async move {
        let id = assistant::id_of(&conversation, "");
        let mut is_begun = false;
        let start = data(&[json!({ "type": "start", "messageId": id })]);
        if sender.send(Bytes::from(start)).await.is_err() {
            return;
        }
        let text_start = json!({ "type": "text-start", "id": "text-1" });
        let shape = |part: Part| match part {
            Part::Silence => ": it is being written\n\n".to_owned(),
            Part::Text(piece) if !std::mem::replace(&mut is_begun, true) => {
                data(&[text_start.clone(), delta(&piece)])
            }
            Part::Text(piece) => data(&[delta(&piece)]),
            Part::End(reply) => data(&ending(&reply)) + DONE,
            Part::Failed(why) => {
                let mut events = Vec::new();
                if is_begun {
                    events.push(json!({ "type": "text-end", "id": "text-1" }));
                }
                events.push(json!({ "type": "error", "errorText": why }));
                data(&events) + DONE
            }
        };
        parts(&site, (conversation, synced), &sender, shape).await;
    });
    is_ui_messages(&mut response);
    response
}

/// The conversation in `body`, and whether its question is a message of the AI SDK: it has `parts` and no `content`. Or the
/// reply that says which field is wrong.
pub(super) fn read(headers: &HeaderMap, body: &[u8]) -> Result<(Conversation, bool), Refusal> {
    let value: Value = body::json(headers, body)?;
    let Value::Object(fields) = value else {
        return Err(bad("the body must be an object with `messages`"));
    };
    let raw_messages = match fields.get("messages") {
        Some(Value::Array(messages)) => messages,
        Some(_) => return Err(bad("`messages` must be an array")),
        None => return Err(bad("`messages` is missing")),
    };
    let messages = raw_messages.iter().enumerate();
    let messages: Vec<Message> = messages
        .map(|(i, value)| message(i, value))
        .collect::<Result<_, _>>()?;
    question_last(&messages)?;
    let is_page = |one: &Value| one["type"] == "page";
    let question = raw_messages.last().unwrap_or(&Value::Null);
    let is_of_ui = question["parts"].is_array() && question.get("content").is_none();
    let conversation = Conversation {
        messages,
        context: contexts(&fields)?,
        current_path: path(&fields)?,
        is_of_page: (fields.get("context").and_then(Value::as_array))
            .is_some_and(|raw_messages| raw_messages.iter().any(is_page)),
        is_quoted: is_quoted(&fields)?,
        filter: search::filter(&fields)?,
    };
    Ok((conversation, is_of_ui))
}

/// Returns true if the client asks for quotes: one that shows an answer while a question is typed
/// can neither wait for a model nor spend its quota.
fn is_quoted(fields: &Map<String, Value>) -> Result<bool, Refusal> {
    match fields.get("engine") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::String(name)) if name == assistant::Engine::Extract.name() => Ok(true),
        Some(_) => Err(bad("`engine` must be `extract`")),
    }
}

/// Refuses a conversation that does not end with a question.
pub(super) fn question_last(messages: &[Message]) -> Result<(), Refusal> {
    match messages.last() {
        None => Err(bad("`messages` must not be empty")),
        Some(_) if messages.len() > MAX_MESSAGES => Err(bad(&format!(
            "`messages` must have at most {MAX_MESSAGES} messages"
        ))),
        Some(last) if last.role != Role::User => {
            Err(bad("the last of `messages` must have the role `user`"))
        }
        Some(last) if last.content.trim().is_empty() => {
            Err(bad("the last of `messages` must not be empty"))
        }
        Some(_) => Ok(()),
    }
}

/// The message at place `i`, unless it is too long.
pub(super) fn limited(i: usize, message: Message) -> Result<Message, Refusal> {
    match message.content.chars().count() > MAX_MESSAGE {
        true => Err(bad(&format!(
            "`messages[{i}].content` must have at most {MAX_MESSAGE} characters"
        ))),
        false => Ok(message),
    }
}

/// A message: `{role, content}`, or one of the AI SDK, whose text is in its parts.
fn message(i: usize, value: &Value) -> Result<Message, Refusal> {
    let Value::Object(fields) = value else {
        return Err(bad(&format!("`messages[{i}]` must be an object")));
    };
    let role = match fields.get("role") {
        Some(Value::String(name)) => Role::from_name(name).ok_or_else(|| {
            bad(&format!(
                "`messages[{i}].role` must be `user`, `assistant` or `system`"
            ))
        })?,
        Some(_) => return Err(bad(&format!("`messages[{i}].role` must be a string"))),
        None => return Err(bad(&format!("`messages[{i}].role` is missing"))),
    };
    let content = match (fields.get("content"), fields.get("parts")) {
        (Some(Value::String(content)), _) => content.clone(),
        (Some(Value::Array(parts)), _) | (None, Some(Value::Array(parts))) => text_of(parts),
        (Some(_), _) => return Err(bad(&format!("`messages[{i}].content` must be a string"))),
        (None, Some(_)) => return Err(bad(&format!("`messages[{i}].parts` must be an array"))),
        (None, None) => return Err(bad(&format!("`messages[{i}].content` is missing"))),
    };
    limited(i, Message { role, content })
}

/// The text of the parts of a message that are text.
pub(super) fn text_of(parts: &[Value]) -> String {
    let texts = parts.iter().filter(|part| part["type"] == "text");
    let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}

/// Selections of the reader: texts, or objects with a `value`. The page itself (`type: page`) is
/// not a selection.
fn contexts(fields: &Map<String, Value>) -> Result<Vec<String>, Refusal> {
    let items = match fields.get("context") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items.as_slice(),
        Some(one @ (Value::String(_) | Value::Object(_))) => std::slice::from_ref(one),
        Some(_) => return Err(bad("`context` must be an array")),
    };
    if items.len() > MAX_CONTEXTS {
        return Err(bad(&format!(
            "`context` must have at most {MAX_CONTEXTS} entries"
        )));
    }
    let mut contexts = Vec::new();
    for (i, one) in items.iter().enumerate() {
        let text = match one {
            Value::String(text) => text,
            Value::Object(fields) if fields.get("type").is_some_and(|kind| kind == "page") => {
                continue;
            }
            Value::Object(fields) => match fields.get("value") {
                Some(Value::String(text)) => text,
                _ => return Err(bad(&format!("`context[{i}].value` must be a string"))),
            },
            _ => {
                return Err(bad(&format!(
                    "`context[{i}]` must be an object with a `value`"
                )));
            }
        };
        if text.chars().count() > MAX_CONTEXT {
            return Err(bad(&format!(
                "`context[{i}]` must have at most {MAX_CONTEXT} characters"
            )));
        }
        contexts.push(text.clone());
    }
    Ok(contexts)
}

fn path(fields: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    match fields.get("currentPath") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(path)) if path.chars().count() > MAX_PATH => Err(bad(&format!(
            "`currentPath` must have at most {MAX_PATH} characters"
        ))),
        Some(Value::String(path)) => Ok(Some(path.clone())),
        Some(_) => Err(bad("`currentPath` must be a string")),
    }
}
