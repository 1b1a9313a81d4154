//! Rules of AsyncAPI 3.0 that a slice of a document can break by itself, where pages show less for it.

use serde_json::Value;

use base::data::pointer::{child, item, segments};
use base::diagnostic::{Code, Diagnostic};

/// Returns the diagnostics of the slice at `key`.
pub fn faults(key: &str, value: &Value) -> Vec<Diagnostic<String>> {
    let names: Vec<String> = segments(key).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        ["info"] => of_info(key, value),
        ["servers"] => {
            let servers = value.as_object().into_iter().flatten();
            servers
                .flat_map(|(name, server)| of_server(&child(key, name), server))
                .collect()
        }
        ["components", "servers", _] => of_server(key, value),
        ["channels", _] | ["components", "channels", _] => of_channel(key, value),
        ["operations", _] | ["components", "operations", _] => of_operation(key, value),
        _ => Vec::new(),
    }
}

fn violation(at: impl Into<String>, message: impl Into<String>, hint: &str) -> Diagnostic<String> {
    Diagnostic::new(Code::AsyncapiInvalid, at.into(), message.into()).hint(hint)
}

fn is_text(value: &Value, key: &str) -> bool {
    let text = value.get(key).and_then(Value::as_str);
    text.is_some_and(|text| !text.trim().is_empty())
}

fn of_info(key: &str, value: &Value) -> Vec<Diagnostic<String>> {
    let missing = ["title", "version"].into_iter();
    let missing = missing.filter(|name| !is_text(value, name));
    missing
        .map(|name| {
            let message = format!("`info` has no `{name}`, which is a text");
            violation(key, message, "AsyncAPI 3.0 asks for `title` and `version`")
        })
        .collect()
}

fn of_server(key: &str, value: &Value) -> Vec<Diagnostic<String>> {
    if value.get("$ref").is_some() {
        return Vec::new();
    }
    let missing = ["host", "protocol"].into_iter();
    let missing = missing.filter(|name| !is_text(value, name));
    missing
        .map(|name| {
            let message = format!("the server has no `{name}`, which is a text");
            let hint = "such as `host: api.example.com` and `protocol: wss`";
            violation(key, message, hint)
        })
        .collect()
}

fn of_channel(key: &str, value: &Value) -> Vec<Diagnostic<String>> {
    let Some(channel) = value.as_object() else {
        let message = "a channel is an object";
        return vec![violation(
            key,
            message,
            "it has an `address` and `messages`",
        )];
    };
    let mut found = Vec::new();
    if let Some(address) = channel.get("address")
        && !(address.is_string() || address.is_null())
    {
        let hint = "write a text, or leave it out where the address is not known yet";
        found.push(violation(
            child(key, "address"),
            "the address is no text",
            hint,
        ));
    }
    for name in ["publish", "subscribe"] {
        if channel.contains_key(name) {
            let message = format!("`{name}` of a channel is of AsyncAPI 2 and is not read");
            let hint = "describe it below `operations`, with `action: send` or `action: receive`";
            found.push(violation(child(key, name), message, hint));
        }
    }
    if let Some(messages) = channel.get("messages")
        && !messages.is_object()
    {
        let hint = "give each message a name: `messages: {ping: …}`";
        found.push(violation(
            child(key, "messages"),
            "the messages of a channel have names",
            hint,
        ));
    }
    found
}

fn of_operation(key: &str, value: &Value) -> Vec<Diagnostic<String>> {
    if value.get("$ref").is_some() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let action = value.get("action").and_then(Value::as_str);
    if !matches!(action, Some("send" | "receive")) {
        let at = match value.get("action") {
            Some(_) => child(key, "action"),
            None => key.to_owned(),
        };
        let message = "the operation does not say whether the API sends or receives";
        let hint = "add `action: send` or `action: receive`";
        found.push(violation(at, message, hint));
    }
    if super::channel_of(value).is_none() {
        let at = match value.get("channel") {
            Some(_) => child(key, "channel"),
            None => key.to_owned(),
        };
        let message = "the operation names no channel of the document";
        let hint = "add `channel: {$ref: '#/channels/…'}`";
        found.push(violation(at, message, hint));
    }
    if let Some(messages) = value.get("messages") {
        let at = child(key, "messages");
        match messages.as_array() {
            None => {
                let hint = "write `messages: [{$ref: '#/channels/…/messages/…'}]`";
                found.push(violation(
                    at,
                    "the messages of an operation are a list",
                    hint,
                ));
            }
            Some(list) => {
                let wrong = list.iter().enumerate();
                let wrong = wrong.filter(|(_, one)| super::target(one).is_none());
                found.extend(wrong.map(|(i, _)| {
                    let message = "a message of an operation is a reference to one of its channel";
                    let hint = "write `$ref: '#/channels/…/messages/…'`";
                    violation(item(&at, i), message, hint)
                }));
            }
        }
    }
    found
}
