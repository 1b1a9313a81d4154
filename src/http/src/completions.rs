//! The assistant in the form of OpenAI's chat completions, for clients that know no other. `POST /v1/chat/completions` and
//! `GET /v1/models` on the host of a site that offers it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::{Method, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use super::assistant::{Part, compose_answer, limited, parts, question_last, text_of};
use super::body;
use super::rates::Kind;
use super::reply::{self, Body, Refusal, full, set};
use super::router::{RequestContext, not_allowed, site_at};
use super::search::bad;
use super::stream;
use quire_assistant::{self as assistant, Conversation, Message, Role};
use quire_search::search_service::Wait;
use quire_site::service::{Service, SiteHandle, Synced};
use quire_site::sites::HostMatch;

/// Path, on a site that offers it.
pub(super) const PATH: &str = "/v1/chat/completions";
/// Its methods.
pub(super) const METHODS: &[Method] = &[Method::POST];

/// Path of the list of models, and of one of them.
pub(super) const MODELS: &str = "/v1/models";
pub(super) const ONE_MODEL: &str = "/v1/models/{model}";
/// Methods of both.
pub(super) const MODELS_METHODS: &[Method] = &[Method::GET];

/// Name of the model if the client names none.
const MODEL: &str = "quire";
/// Largest body, in bytes.
const MAX_BODY: usize = 256 * 1024;

/// The reply to a request for [`PATH`].
pub(super) async fn reply(
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let site = match &at {
        HostMatch::Site(slot) | HostMatch::Preview(slot, _) => Some(slot.id.clone()),
        HostMatch::Machine | HostMatch::Unknown => None,
    };
    let service = offering(at, context).await?;
    if *context.method != Method::POST {
        return Err(not_allowed(METHODS));
    }
    if let (Some(rates), Some(site)) = (context.rates, site) {
        let client = context.limited;
        client.map_or(Ok(()), |client| rates.enter_client(Kind::Assistant, client))?;
        rates.enter_site(Kind::Assistant, &site)?;
    }
    let body = body::read(body, MAX_BODY).await?;
    let value: Value = body::json(context.headers, &body)?;
    let Value::Object(fields) = value else {
        return Err(bad("the body must be an object with `messages`"));
    };
    let conversation = Conversation {
        messages: messages(&fields)?,
        ..Conversation::default()
    };
    let model = match fields.get("model") {
        Some(Value::String(model)) => model.clone(),
        None => MODEL.to_owned(),
        Some(_) => return Err(bad("`model` must be a string")),
    };
    let counts_usage = match fields.get("stream_options") {
        None | Some(Value::Null) => false,
        Some(Value::Object(options)) => options.get("include_usage") == Some(&Value::Bool(true)),
        Some(_) => return Err(bad("`stream_options` must be an object")),
    };
    let is_stream = match fields.get("stream") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(stream)) => *stream,
        Some(_) => return Err(bad("`stream` must be true or false")),
    };
    let mut completion = Completion {
        id: completion_id(&assistant::id_of(&conversation, "")),
        model,
        created: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs()),
        asked: conversation
            .messages
            .iter()
            .map(|one| tokens(&one.content))
            .sum(),
        counts_usage,
    };
    let synced = service.sync_for(Wait::Answer).await;
    if is_stream && service.handle().model().is_some() {
        return Ok(stream_completion(
            service.handle().clone(),
            (conversation, synced),
            completion,
        ));
    }
    let (id, reply) = compose_answer(&service, conversation, synced).await?;
    completion.id = completion_id(&id);
    let (media_type, text) = match is_stream {
        true => ("text/event-stream", completion.stream(&reply.text)),
        false => (reply::JSON, completion.complete_json(&reply.text)),
    };
    let mut response = Response::new(full(text));
    set(&mut response, header::CONTENT_TYPE, media_type);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    Ok(response)
}

/// The reply to a request for [`MODELS`] or one of them.
pub(super) async fn models(
    at: HostMatch,
    context: &RequestContext<'_>,
) -> Result<Response<Body>, Refusal> {
    offering(at, context).await?;
    if !matches!(*context.method, Method::GET | Method::HEAD) {
        return Err(not_allowed(MODELS_METHODS));
    }
    let model = json!({ "id": MODEL, "object": "model", "created": 0, "owned_by": MODEL });
    let name = context.target.path.as_str().strip_prefix(MODELS);
    match name.map(|name| name.trim_matches('/')) {
        Some("") | None => {
            let list = json!({ "object": "list", "data": [model] });
            Ok(reply::json(StatusCode::OK, &list))
        }
        Some(MODEL) => Ok(reply::json(StatusCode::OK, &model)),
        Some(_) => {
            let message = "there is no such model here; there is `quire`";
            Err(Refusal::new(
                StatusCode::NOT_FOUND,
                "unknown-model",
                message,
            ))
        }
    }
}

/// The site at `at`, if it offers chat completions.
async fn offering(at: HostMatch, context: &RequestContext<'_>) -> Result<Arc<Service>, Refusal> {
    let nothing = || {
        let message = "there are no chat completions here: `quire dev --chat-completions` has them, and a site of the daemon \
            with `assistant.chat_completions = true`";
        Refusal::new(StatusCode::NOT_FOUND, "no-chat-completions", message)
    };
    let service = site_at(at, context).await?.ok_or_else(nothing)?;
    match service.handle().assistant().chat_completions {
        true => Ok(service),
        false => Err(nothing()),
    }
}

/// Number of tokens of `text`, at four characters each: which model counts is not known.
fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

fn completion_id(id: &str) -> String {
    id.replacen("assistant", "chatcmpl", 1)
}

/// The answer to `conversation` in chunks, while it is written.
fn stream_completion(
    site: SiteHandle,
    (conversation, synced): (Conversation, Synced),
    completion: Completion,
) -> Response<Body> {
    let revision = site.revisions();
    stream::events(revision, |sender| async move {
        let start = completion.start();
        if sender.send(Bytes::from(start)).await.is_err() {
            return;
        }
        let mut said = 0;
        let shape = |part: Part| match part {
            Part::Silence => ": it is being written\n\n".to_owned(),
            Part::Text(piece) => {
                said += piece.chars().count();
                completion.piece(&piece)
            }
            Part::End(_) => completion.end(said.div_ceil(4)),
            Part::Failed(why) => {
                let error = json!({ "message": why, "type": "server_error", "code": "broken-off" });
                format!("data: {}\n\n", json!({ "error": error }))
            }
        };
        parts(&site, (conversation, synced), &sender, shape).await;
    })
}

/// Fields of every object of an answer.
struct Completion {
    id: String,
    model: String,
    /// Seconds since 1970.
    created: u64,
    /// Number of tokens of the messages.
    asked: usize,
    /// Whether a stream ends with the numbers of tokens.
    counts_usage: bool,
}

impl Completion {
    fn object(&self, object: &str, choice: &Value) -> Value {
        json!({
            "id": self.id,
            "object": object,
            "created": self.created,
            "model": self.model,
            "choices": [choice],
        })
    }

    /// Numbers of tokens, estimated ([`tokens`]).
    fn usage(&self, said: usize) -> Value {
        json!({
            "prompt_tokens": self.asked,
            "completion_tokens": said,
            "total_tokens": self.asked + said,
        })
    }

    fn complete_json(&self, text: &str) -> String {
        let message = json!({ "role": "assistant", "content": text, "refusal": null });
        let choice =
            json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" });
        let mut completion = self.object("chat.completion", &choice);
        completion["usage"] = self.usage(tokens(text));
        format!("{completion}\n")
    }

    fn chunk(&self, delta: &Value, end: &Value) -> String {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": end });
        let chunk = self.object("chat.completion.chunk", &choice);
        format!("data: {chunk}\n\n")
    }

    fn start(&self) -> String {
        self.chunk(&json!({ "role": "assistant", "content": "" }), &Value::Null)
    }

    fn piece(&self, text: &str) -> String {
        self.chunk(&json!({ "content": text }), &Value::Null)
    }

    fn end(&self, said: usize) -> String {
        let mut end = self.chunk(&json!({}), &json!("stop"));
        if self.counts_usage {
            let mut chunk = self.object("chat.completion.chunk", &Value::Null);
            chunk["choices"] = json!([]);
            chunk["usage"] = self.usage(said);
            end.push_str(&format!("data: {chunk}\n\n"));
        }
        end + "data: [DONE]\n\n"
    }

    fn stream(&self, text: &str) -> String {
        let pieces = text.split_inclusive("\n\n").map(|piece| self.piece(piece));
        let pieces: String = pieces.collect();
        self.start() + &pieces + &self.end(tokens(text))
    }
}

/// The messages of a request; those of tools, which this assistant has none of, are left out.
fn messages(fields: &Map<String, Value>) -> Result<Vec<Message>, Refusal> {
    let listed = match fields.get("messages") {
        Some(Value::Array(listed)) => listed,
        Some(_) => return Err(bad("`messages` must be an array")),
        None => return Err(bad("`messages` is missing")),
    };
    let mut messages = Vec::new();
    for (i, value) in listed.iter().enumerate() {
        let role = match value["role"].as_str() {
            Some("developer") => Role::System,
            Some("tool" | "function") => continue,
            Some(name) => Role::from_name(name).ok_or_else(|| {
                bad(&format!(
                    "`messages[{i}].role` must be `system`, `developer`, `user`, `assistant` or `tool`"
                ))
            })?,
            None => return Err(bad(&format!("`messages[{i}].role` must be a string"))),
        };
        let content = match &value["content"] {
            Value::String(content) => content.clone(),
            Value::Array(parts) => text_of(parts),
            // An assistant that only called tools said nothing.
            Value::Null if role == Role::Assistant => String::new(),
            _ => return Err(bad(&format!("`messages[{i}].content` must be a string"))),
        };
        messages.push(limited(i, Message { role, content })?);
    }
    question_last(&messages)?;
    Ok(messages)
}
