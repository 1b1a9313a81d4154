//! AsyncAPI 2 documents as AsyncAPI 3.0 ones, so that nothing behind the cut knows the older format; and the way back from a
//! pointer of the converted document to where its value is written.
//!
//! In 2 a channel states what its clients do (`publish`, `subscribe`); from 3 on an operation
//! states what the application does, so that `publish` becomes `receive`. References inside the
//! document stay.

use serde_json::{Map, Value, json};

use super::older::has_member;
use super::pointer;

/// The version that converted documents are of.
const VERSION: &str = "3.0.0";
/// The member of a converted document with the version that was written.
pub const ORIGIN: &str = "x-converted-from";

/// The operations of a channel and what the application does then.
const VERBS: [(&str, &str); 2] = [("publish", "receive"), ("subscribe", "send")];

/// Returns true if a document with this `asyncapi` field can be converted.
pub fn is_convertible(version: &Value) -> bool {
    version
        .as_str()
        .is_some_and(|version| version.starts_with("2."))
}

/// Returns true if `text` is a document that is converted.
pub fn is_asyncapi_2(text: &str) -> bool {
    has_member(text, "asyncapi", |value| value.starts_with("2."))
}

/// The document as one of AsyncAPI 3.0, with the version that was written under [`ORIGIN`].
pub fn converted(root: Value) -> Value {
    let Value::Object(mut members) = root else {
        return root;
    };
    let mut document = Map::new();
    document.insert("asyncapi".to_owned(), VERSION.into());
    let version = members.remove("asyncapi").unwrap_or_default();
    document.insert(ORIGIN.to_owned(), version);
    let mut info = object(members.remove("info"));
    for key in ["tags", "externalDocs"] {
        if let Some(value) = members.remove(key) {
            info.insert(key.to_owned(), value);
        }
    }
    document.insert("info".to_owned(), Value::Object(info));
    let mut components = object(members.remove("components"));
    let channels = object(members.remove("channels"));
    if let Some(servers) = members.remove("servers") {
        document.insert("servers".to_owned(), each(servers, server));
    }
    let (channels, operations) = channels_of(channels, &components);
    document.insert("channels".to_owned(), Value::Object(channels));
    document.insert("operations".to_owned(), Value::Object(operations));
    for (section, convert) in [
        ("servers", server as fn(Value) -> Value),
        ("messages", message),
        ("messageTraits", message),
        ("parameters", parameter),
        ("securitySchemes", scheme),
        ("operationTraits", operation_trait),
    ] {
        if let Some(value) = components.remove(section) {
            components.insert(section.to_owned(), each(value, convert));
        }
    }
    if let Some(listed) = components.remove("channels") {
        let (channels, _) = channels_of(object(Some(listed)), &Map::new());
        components.insert("channels".to_owned(), Value::Object(channels));
    }
    document.insert("components".to_owned(), Value::Object(components));
    document.extend(members);
    Value::Object(document)
}

/// Returns the origin of the value at `target` of a converted document: a pointer to it in the
/// original, or to the value that contains it.
pub fn origin(target: &str) -> String {
    let segments: Vec<String> = pointer::segments(target).collect();
    let names: Vec<&str> = segments.iter().map(String::as_str).collect();
    let origin: Vec<&str> = match names.as_slice() {
        ["info", "tags" | "externalDocs", ..] => names[1..].to_vec(),
        ["servers", name, "host" | "pathname", ..] => vec!["servers", name, "url"],
        ["components", "servers", name, "host" | "pathname", ..] => {
            vec!["components", "servers", name, "url"]
        }
        ["operations", key, ..] => {
            let of_verb = VERBS.iter().find_map(|(verb, _)| {
                let channel = key.strip_suffix(verb)?.strip_suffix('.')?;
                Some(vec!["channels", channel, *verb])
            });
            of_verb.unwrap_or_else(|| vec!["channels"])
        }
        ["channels", name, "messages" | "address", ..] => vec!["channels", name],
        [
            "channels",
            name,
            "parameters",
            parameter,
            "enum" | "default" | "examples",
            ..,
        ] => {
            vec!["channels", name, "parameters", parameter]
        }
        [
            "components",
            kind @ ("messages" | "messageTraits"),
            name,
            "payload",
            "schema",
            rest @ ..,
        ] => [&["components", *kind, *name, "payload"], rest].concat(),
        names => names.to_vec(),
    };
    let origin = origin.iter();
    origin.fold(String::new(), |at, name| pointer::child(&at, name))
}

fn object(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

/// The members of an object, each converted unless it is a reference.
fn each(value: Value, convert: impl Fn(Value) -> Value) -> Value {
    let Value::Object(members) = value else {
        return value;
    };
    let members = members.into_iter().map(|(name, member)| {
        let is_free = name.starts_with("x-") || member.get("$ref").is_some();
        let member = if is_free { member } else { convert(member) };
        (name, member)
    });
    Value::Object(members.collect())
}

/// `url` as host and path; what a requirement of security names as a reference.
fn server(value: Value) -> Value {
    let Value::Object(mut members) = value else {
        return value;
    };
    if let Some(Value::String(url)) = members.remove("url") {
        let address = url.split_once("://").map_or(&*url, |(_, address)| address);
        let (host, path) = match address.find('/') {
            Some(at) => address.split_at(at),
            None => (address, ""),
        };
        members.insert("host".to_owned(), host.into());
        if !path.is_empty() {
            members.insert("pathname".to_owned(), path.into());
        }
    }
    secure(&mut members);
    Value::Object(members)
}

fn secure(members: &mut Map<String, Value>) {
    let Some(Value::Array(requirements)) = members.remove("security") else {
        return;
    };
    let schemes = requirements.iter().filter_map(Value::as_object).flatten();
    let schemes = schemes.map(|(name, _)| {
        json!({ "$ref": format!("#{}", pointer::child("/components/securitySchemes", name)) })
    });
    members.insert("security".to_owned(), Value::Array(schemes.collect()));
}

/// Renames `scopes` of OAuth flows to `availableScopes`.
fn scheme(value: Value) -> Value {
    let Value::Object(mut members) = value else {
        return value;
    };
    if let Some(Value::Object(flows)) = members.get_mut("flows") {
        for flow in flows.values_mut().filter_map(Value::as_object_mut) {
            if let Some(scopes) = flow.remove("scopes") {
                flow.insert("availableScopes".to_owned(), scopes);
            }
        }
    }
    Value::Object(members)
}

/// Moves the fields of the schema of a parameter to the parameter.
fn parameter(value: Value) -> Value {
    let Value::Object(mut members) = value else {
        return value;
    };
    let schema = object(members.remove("schema"));
    for key in ["enum", "default", "examples", "description"] {
        if let Some(value) = schema.get(key) {
            members
                .entry(key.to_owned())
                .or_insert_with(|| value.clone());
        }
    }
    Value::Object(members)
}

fn operation_trait(value: Value) -> Value {
    let Value::Object(mut members) = value else {
        return value;
    };
    members.remove("operationId");
    secure(&mut members);
    Value::Object(members)
}

/// Moves the format of a payload next to its schema.
fn message(value: Value) -> Value {
    let Value::Object(mut members) = value else {
        return value;
    };
    members.remove("messageId");
    if let Some(format) = members.remove("schemaFormat")
        && let Some(payload) = members.remove("payload")
    {
        let payload = json!({ "schemaFormat": format, "schema": payload });
        members.insert("payload".to_owned(), payload);
    }
    if let Some(Value::Array(traits)) = members.remove("traits") {
        let traits = traits.into_iter().map(|one| match one.get("$ref") {
            Some(_) => one,
            None => message(one),
        });
        members.insert("traits".to_owned(), traits.collect());
    }
    Value::Object(members)
}

/// Channels with their messages, and the operations that are about them.
fn channels_of(
    authored: Map<String, Value>,
    components: &Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut channels, mut operations) = (Map::new(), Map::new());
    for (address, item) in authored {
        let Value::Object(mut item) = item else {
            continue;
        };
        // A channel may be one of the components.
        let referred = item.get("$ref").and_then(Value::as_str);
        let named = referred.and_then(|to| to.strip_prefix("#/components/channels/"));
        if let Some(Value::Object(there)) = named
            .and_then(|name| components.get("channels")?.get(name))
            .cloned()
        {
            item = there;
        }
        let mut messages = Map::new();
        let at = format!("#{}", pointer::child("/channels", &address));
        for (verb, action) in VERBS {
            let Some(Value::Object(mut operation)) = item.remove(verb) else {
                continue;
            };
            let names = messages_of(operation.remove("message"), verb, &mut messages);
            let names = names.iter();
            let references = names
                .map(|name| json!({ "$ref": pointer::child(&format!("{at}/messages"), name) }));
            let references: Vec<Value> = references.collect();
            let own = format!("{address}.{verb}");
            let key = match operation.remove("operationId") {
                Some(Value::String(id)) if !operations.contains_key(&id) => id,
                _ => own,
            };
            secure(&mut operation);
            operation.insert("action".to_owned(), action.into());
            operation.insert("channel".to_owned(), json!({ "$ref": at }));
            operation.insert("messages".to_owned(), Value::Array(references));
            operations.insert(key, Value::Object(operation));
        }
        if let Some(Value::Array(servers)) = item.remove("servers") {
            let servers = servers.iter().filter_map(Value::as_str);
            let servers = servers
                .map(|name| json!({ "$ref": format!("#{}", pointer::child("/servers", name)) }));
            item.insert("servers".to_owned(), servers.collect());
        }
        if let Some(parameters) = item.remove("parameters") {
            item.insert("parameters".to_owned(), each(parameters, parameter));
        }
        item.insert("address".to_owned(), address.clone().into());
        item.insert("messages".to_owned(), Value::Object(messages));
        channels.insert(address, Value::Object(item));
    }
    (channels, operations)
}

/// Adds the messages of an operation to those of its channel, and returns their names there.
fn messages_of(
    authored: Option<Value>,
    verb: &str,
    messages: &mut Map<String, Value>,
) -> Vec<String> {
    let Some(authored) = authored else {
        return Vec::new();
    };
    let listed = match authored.get("oneOf") {
        Some(Value::Array(listed)) => listed.clone(),
        _ => vec![authored],
    };
    let mut names = Vec::new();
    for one in listed {
        let text = |key: &str| one.get(key).and_then(Value::as_str);
        let referred = text("$ref").and_then(|to| to.rsplit('/').next());
        let name = referred
            .or(text("messageId"))
            .or(text("name"))
            .unwrap_or(verb)
            .to_owned();
        let value = match referred {
            Some(_) => one,
            None => message(one),
        };
        // One message of both operations is one; two of the same name get different names.
        let mut free = name.clone();
        let mut count = 1;
        while messages.get(&free).is_some_and(|known| *known != value) {
            count += 1;
            free = format!("{name}{count}");
        }
        messages.insert(free.clone(), value);
        names.push(free);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_become_channels_and_operations() {
        let document = json!({
            "asyncapi": "2.6.0",
            "info": { "title": "Lights" },
            "tags": [{ "name": "a" }],
            "servers": { "main": { "url": "mqtt://{host}.example:1883/v1", "protocol": "mqtt", "security": [{ "user": [] }] } },
            "channels": { "light/{id}": {
                "description": "A light",
                "servers": ["main"],
                "parameters": { "id": { "description": "Which", "schema": { "type": "string", "enum": ["a"] }, "location": "$message.payload#/id" } },
                "publish": { "operationId": "measured", "message": { "$ref": "#/components/messages/Measured" } },
                "subscribe": { "summary": "Turn", "message": { "oneOf": [{ "name": "on", "payload": { "type": "boolean" } }, { "payload": { "type": "string" } }] } },
            } },
            "components": {
                "messages": { "Measured": { "schemaFormat": "application/vnd.apache.avro;version=1.9.0", "payload": { "type": "record" } } },
                "securitySchemes": { "user": { "type": "oauth2", "flows": { "implicit": { "scopes": { "a": "A" } } } } },
            },
        });
        assert!(is_convertible(&document["asyncapi"]));
        assert_eq!(
            converted(document),
            json!({
                "asyncapi": "3.0.0",
                "x-converted-from": "2.6.0",
                "info": { "title": "Lights", "tags": [{ "name": "a" }] },
                "servers": { "main": { "protocol": "mqtt", "host": "{host}.example:1883", "pathname": "/v1", "security": [{ "$ref": "#/components/securitySchemes/user" }] } },
                "channels": { "light/{id}": {
                    "description": "A light",
                    "servers": [{ "$ref": "#/servers/main" }],
                    "parameters": { "id": { "description": "Which", "location": "$message.payload#/id", "enum": ["a"] } },
                    "address": "light/{id}",
                    "messages": {
                        "Measured": { "$ref": "#/components/messages/Measured" },
                        "on": { "name": "on", "payload": { "type": "boolean" } },
                        "subscribe": { "payload": { "type": "string" } },
                    },
                } },
                "operations": {
                    "measured": { "action": "receive", "channel": { "$ref": "#/channels/light~1{id}" }, "messages": [{ "$ref": "#/channels/light~1{id}/messages/Measured" }] },
                    "light/{id}.subscribe": {
                        "summary": "Turn", "action": "send", "channel": { "$ref": "#/channels/light~1{id}" },
                        "messages": [{ "$ref": "#/channels/light~1{id}/messages/on" }, { "$ref": "#/channels/light~1{id}/messages/subscribe" }],
                    },
                },
                "components": {
                    "messages": { "Measured": { "payload": { "schemaFormat": "application/vnd.apache.avro;version=1.9.0", "schema": { "type": "record" } } } },
                    "securitySchemes": { "user": { "type": "oauth2", "flows": { "implicit": { "availableScopes": { "a": "A" } } } } },
                },
            })
        );
    }

    #[test]
    fn places_lead_to_what_was_written() {
        for (wanted, written) in [
            ("/info/tags/0", "/tags/0"),
            ("/servers/main/host", "/servers/main/url"),
            (
                "/operations/a~1b.publish/messages/0",
                "/channels/a~1b/publish",
            ),
            ("/operations/measured", "/channels"),
            ("/channels/a~1b/messages/on/payload", "/channels/a~1b"),
            (
                "/components/messages/M/payload/schema/fields",
                "/components/messages/M/payload/fields",
            ),
            ("/components/schemas/A/type", "/components/schemas/A/type"),
        ] {
            assert_eq!(origin(wanted), written);
        }
    }

    #[test]
    fn version_is_told_from_the_text() {
        assert!(is_asyncapi_2("asyncapi: 2.6.0\n"));
        assert!(is_asyncapi_2("{\"asyncapi\": \"2.0.0\"}"));
        assert!(!is_asyncapi_2("asyncapi: 3.0.0\n"));
        assert!(!is_asyncapi_2(
            "openapi: 3.1.0\ninfo: {description: asyncapi 2.6}\n"
        ));
    }
}
