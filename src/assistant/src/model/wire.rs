//! The two forms in which models are asked: what is sent, and what each event of a reply says.

use serde_json::{Value, json};

use quire_settings::ModelApi;

/// Author of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The reader.
    User,
    /// The model.
    Assistant,
}

/// Message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Author.
    pub speaker: Speaker,
    /// Text.
    pub text: String,
}

/// Prompt of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Instructions.
    pub system: String,
    /// Conversation so far; the first and the last message are the reader's.
    pub turns: Vec<Turn>,
}

/// Parameters that a model accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Habits {
    /// Whether it takes no temperature but its own.
    pub has_own_temperature: bool,
    /// Whether the most tokens are `max_completion_tokens`.
    pub counts_completion: bool,
}

impl Habits {
    /// Parameters to try after the refusal `refusal`; `None` if it is not about parameters.
    pub(super) fn after(self, refusal: &str) -> Option<Self> {
        let mut next = self;
        next.has_own_temperature |= refusal.contains("temperature");
        next.counts_completion |= refusal.contains("max_completion_tokens");
        (next != self).then_some(next)
    }
}

/// Why a model said no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// End of the answer.
    Whole,
    /// Limit of the length.
    Length,
}

/// Event of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The next words.
    Text(String),
    /// Nothing follows that is to be read.
    End(Ending),
    /// The stream is at its end; whether the answer is was said before.
    Closed,
    /// Failure: why it cannot or will not go on, and whether a later request may succeed.
    Failed(String, bool),
}

/// The body of a request for `prompt`.
pub(super) fn body(
    api: ModelApi,
    model: &str,
    prompt: &Prompt,
    (max_tokens, habits): (u32, Habits),
) -> Value {
    let turns = prompt.turns.iter().map(|turn| {
        let role = match turn.speaker {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        json!({ "role": role, "content": turn.text })
    });
    let mut body = match api {
        ModelApi::OpenAi => {
            let system = json!({ "role": "system", "content": prompt.system });
            let messages: Vec<Value> = std::iter::once(system).chain(turns).collect();
            json!({ "model": model, "messages": messages, "stream": true })
        }
        ModelApi::Anthropic => {
            let messages: Vec<Value> = turns.collect();
            json!({ "model": model, "system": prompt.system, "messages": messages, "stream": true })
        }
    };
    if !habits.has_own_temperature {
        body["temperature"] = json!(0);
    }
    let most = match habits.counts_completion {
        true => "max_completion_tokens",
        false => "max_tokens",
    };
    body[most] = json!(max_tokens);
    body
}

/// Events in `data`.
pub(super) fn events(api: ModelApi, data: &str) -> Vec<Event> {
    if data.trim() == "[DONE]" {
        return vec![Event::Closed];
    }
    let Ok(value) = serde_json::from_str::<Value>(data) else {
        let why = "it sent an event that is not JSON";
        return vec![Event::Failed(why.to_owned(), false)];
    };
    if let Some(failed) = failed(&value) {
        return vec![failed];
    }
    let events = match api {
        ModelApi::OpenAi => {
            let choice = &value["choices"][0];
            let delta = text(&choice["delta"]["content"]);
            [delta, ended(&choice["finish_reason"])]
        }
        ModelApi::Anthropic => match value["type"].as_str() {
            Some("content_block_delta") => [text(&value["delta"]["text"]), None],
            Some("message_delta") => [ended(&value["delta"]["stop_reason"]), None],
            Some("message_stop") => [Some(Event::Closed), None],
            _ => [None, None],
        },
    };
    events.into_iter().flatten().collect()
}

/// Events of a response that came as a whole although a stream was requested.
pub(super) fn whole_events(api: ModelApi, reply: &[u8]) -> Vec<Event> {
    let Ok(value) = serde_json::from_slice::<Value>(reply) else {
        let why = "what it sent is no answer";
        return vec![Event::Failed(why.to_owned(), false)];
    };
    if let Some(failed) = failed(&value) {
        return vec![failed];
    }
    match api {
        ModelApi::OpenAi => {
            let choice = &value["choices"][0];
            let content = text(&choice["message"]["content"]);
            content
                .into_iter()
                .chain(ended(&choice["finish_reason"]))
                .collect()
        }
        ModelApi::Anthropic => {
            let blocks = value["content"].as_array().into_iter().flatten();
            let texts = blocks.filter_map(|block| text(&block["text"]));
            texts.chain(ended(&value["stop_reason"])).collect()
        }
    }
}

fn text(value: &Value) -> Option<Event> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    Some(Event::Text(text.to_owned()))
}

fn ended(reason: &Value) -> Option<Event> {
    Some(match reason.as_str()? {
        "stop" | "end_turn" | "stop_sequence" => Event::End(Ending::Whole),
        "length" | "max_tokens" => Event::End(Ending::Length),
        other => Event::Failed(format!("it ended with `{other}`"), false),
    })
}

/// The complaint that a reply is.
fn failed(value: &Value) -> Option<Event> {
    let error = value.get("error").filter(|error| !error.is_null())?;
    let message = error["message"].as_str().or(error.as_str());
    let kind = error["type"].as_str().or(error["code"].as_str());
    let is_later = matches!(
        kind,
        Some("overloaded_error" | "rate_limit_error" | "api_error" | "server_error")
    );
    let message = message.or(kind).unwrap_or("an error that says nothing");
    Some(Event::Failed(message.to_owned(), is_later))
}
