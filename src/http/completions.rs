//! The assistant in the form of OpenAI's chat completions, for clients that know no other. `POST /v1/chat/completions` on
//! the host of a site that offers it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::body::Incoming;
use hyper::{Method, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use super::assistant::{answered, limited, question_last, text_of};
use super::body;
use super::reply::{Body, Refusal, full, set};
use super::router::{RequestContext, not_allowed, serving};
use super::search::bad;
use crate::assistant::{Conversation, Message, Role};
use crate::service::Service;
use crate::sites::HostMatch;

/// Where it is, on a site that offers it.
pub(super) const PATH: &str = "/v1/chat/completions";

/// What the model is called if a client names none.
const MODEL: &str = "quire";
/// Largest body, in bytes.
const MAX_BODY: usize = 256 * 1024;

/// The reply to a request for [`PATH`].
pub(super) async fn reply(
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let nothing = || {
        let message = "there are no chat completions here: `quire dev --chat-completions` has them, and a site of the daemon \
            with `assistant.chat_completions = true`";
        Refusal::new(StatusCode::NOT_FOUND, "no-chat-completions", message)
    };
    let service: Arc<Service> = serving(at).await?.ok_or_else(nothing)?;
    if !service.core().assistant().chat_completions {
        return Err(nothing());
    }
    if *context.method != Method::POST {
        return Err(not_allowed(&[Method::POST]));
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
    let is_stream = match fields.get("stream") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(stream)) => *stream,
        Some(_) => return Err(bad("`stream` must be true or false")),
    };
    let (id, reply) = answered(&service, conversation).await?;
    let completion = Completion {
        id: id.replacen("assistant", "chatcmpl", 1),
        model,
        created: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs()),
    };
    let (media_type, text) = match is_stream {
        true => ("text/event-stream", completion.stream(&reply.text)),
        false => (
            "application/json; charset=utf-8",
            completion.whole(&reply.text),
        ),
    };
    let mut response = Response::new(full(text));
    set(&mut response, header::CONTENT_TYPE, media_type);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    Ok(response)
}

/// What every object of an answer says.
struct Completion {
    id: String,
    model: String,
    /// Seconds since 1970.
    created: u64,
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

    fn whole(&self, text: &str) -> String {
        let message = json!({ "role": "assistant", "content": text, "refusal": null });
        let choice =
            json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" });
        format!("{}\n", self.object("chat.completion", &choice))
    }

    fn stream(&self, text: &str) -> String {
        let chunk = |delta: Value, end: Value| {
            let choice =
                json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": end });
            format!(
                "data: {}\n\n",
                self.object("chat.completion.chunk", &choice)
            )
        };
        let mut stream = chunk(json!({ "role": "assistant", "content": "" }), Value::Null);
        for piece in text.split_inclusive("\n\n") {
            stream.push_str(&chunk(json!({ "content": piece }), Value::Null));
        }
        stream.push_str(&chunk(json!({}), json!("stop")));
        stream.push_str("data: [DONE]\n\n");
        stream
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
            Some(name) => Role::named(name).ok_or_else(|| {
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
