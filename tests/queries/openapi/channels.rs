//! Pages of channels as plain functions: what is read of a document, and that no document can break the page around it.

use base::data::{pointer, yaml};
use expect_test::{Expect, expect};
use openapi::channel::{Payload, channel};
use openapi::endpoint::Settings;
use openapi::plain::Plain;
use serde_json::{Value, json};
use theme::reference;

use super::drawn::{CONTEXT, faults};

/// The document of the fixture: every field that pages show.
fn harbor() -> Value {
    let text = include_str!("../../../fixtures/asyncapi-channels/site/harbor.yaml");
    yaml::parse_document(text).unwrap().value
}

/// The exchanges of the channel `name`, their messages and what these carry, a line each.
#[track_caller]
fn check(document: Value, name: &str, expected: Expect) {
    let plain = Plain::new(document);
    let at = pointer::child("/channels", name);
    let view = channel(&&plain, &at, &Settings::default()).unwrap().value;
    let carried = |payload: &Payload| match payload {
        Payload::None => "nothing".to_owned(),
        Payload::Schema(root) => root.view.label.plain(),
        Payload::Text { format, .. } => format!("text in {format}"),
    };
    let mut text = String::new();
    let servers = view.servers.iter().chain(&view.brokers);
    for server in servers {
        text.push_str(&format!("server {}\n", server.address));
    }
    for alternative in &view.security.alternatives {
        text.push_str(&format!("security {}\n", alternative.schemes[0].label));
    }
    let mut message = |indent: &str, message: &openapi::channel::Message| {
        text.push_str(&format!(
            "{indent}{} ({}): {}, headers {}, {} examples\n",
            message.title,
            message.anchor,
            carried(&message.payload),
            carried(&message.headers),
            message.examples.len(),
        ));
    };
    for exchange in &view.exchanges {
        message_head(exchange, &mut message);
    }
    for one in &view.messages {
        message("", one);
    }
    expected.assert_eq(&text);
}

fn message_head(
    exchange: &openapi::channel::Exchange,
    message: &mut impl FnMut(&str, &openapi::channel::Message),
) {
    for one in &exchange.messages {
        message(&format!("{} ", exchange.direction.word()), one);
    }
    for one in exchange.reply.iter().flat_map(|reply| &reply.messages) {
        message("  reply ", one);
    }
}

#[test]
fn traits_and_references_are_followed() {
    check(
        harbor(),
        "berths",
        expect![[r#"
        server wss://live.harbor.example/v1
        server wss://north.harbor.example
        security API key in header
        send Subscribe (send-berth.subscribe): object, headers object, 2 examples
          reply Refused (reply-berth.refused): object, headers nothing, 1 examples
        receive Ship docked (receive-berth.docked): object, headers nothing, 1 examples
        receive Refused (receive-berth.refused): object, headers nothing, 1 examples
    "#]],
    );
}

#[test]
fn headers_of_a_message_and_of_its_traits_are_one_object() {
    let mut document = harbor();
    document["components"]["messages"]["Subscribe"]["headers"] =
        json!({"type": "object", "properties": {"own": {"type": "string"}}});
    let plain = Plain::new(document);
    let view = channel(&&plain, "/channels/berths", &Settings::default()).unwrap();
    let Payload::Schema(headers) = &view.value.exchanges[0].messages[0].headers else {
        panic!("there are headers");
    };
    let rows = headers.view.contents.rows.iter();
    let names: Vec<&str> = rows.map(|row| row.name.text()).collect();
    assert_eq!(names, ["own", "replyTo", "trace"]);
}

#[test]
fn a_channel_without_operations_shows_its_messages() {
    let document = json!({"asyncapi": "3.0.0", "servers": {"b": {"host": "b.example", "protocol": "kafka", "security": [{"type": "plain"}]}},
        "channels": {"a": {"messages": {
            "bare": {},
            "wrapped": {"payload": {"schema": {"type": "integer"}}},
            "openapi": {"payload": {"schemaFormat": "application/vnd.oai.openapi+json;version=3.0.0", "schema": {"type": "boolean"}}},
            "avro": {"payload": {"schemaFormat": "application/vnd.apache.avro+json;version=1.9.0", "schema": {"type": "string"}}},
            "proto": {"payload": {"schemaFormat": "application/vnd.google.protobuf;version=3", "schema": "message A {}"}}}}}});
    check(
        document,
        "a",
        expect![[r#"
        server kafka://b.example
        security SASL/PLAIN
        bare (message-bare): nothing, headers nothing, 0 examples
        wrapped (message-wrapped): integer, headers nothing, 1 examples
        openapi (message-openapi): boolean, headers nothing, 1 examples
        avro (message-avro): text in application/vnd.apache.avro+json;version=1.9.0, headers nothing, 0 examples
        proto (message-proto): text in application/vnd.google.protobuf;version=3, headers nothing, 0 examples
    "#]],
    );
}

#[test]
fn payload_is_read_in_the_dialect_that_it_names() {
    let label = |format: &str| {
        let document = json!({"asyncapi": "3.0.0", "channels": {"a": {"messages": {"m": {"payload": {"schemaFormat": format, "schema": {"$ref": "#/components/schemas/Root"}}}}}},
        "components": {"schemas": {
            "Root": {"type": "object", "properties": {"a": {"type": "string", "nullable": true}, "b": {"$ref": "#/components/schemas/Inner"}, "n": {"type": "integer", "minimum": 1, "exclusiveMinimum": true}}},
            "Inner": {"type": "array", "nullable": true, "items": {"type": "integer", "nullable": true}},
        }}});
        let plain = Plain::new(document);
        let view = channel(&&plain, "/channels/a", &Settings::default()).unwrap();
        let Payload::Schema(root) = &view.value.messages[0].payload else {
            panic!("a schema");
        };
        let labels = root.view.contents.rows.iter();
        let labels = labels.map(|row| row.view.label.plain());
        labels.collect::<Vec<_>>()
    };
    let (old, new) = (
        ["string | null", "(integer | null)[] | null", "integer"],
        ["string", "integer[]", "integer"],
    );
    for format in [
        "application/vnd.oai.openapi;version=3.0.0",
        "application/vnd.oai.openapi+json; version=3.0.3",
        "application/vnd.oai.openapi+yaml;version=\"3.0\"",
    ] {
        assert_eq!(label(format), old, "{format}");
    }
    for format in [
        "application/vnd.oai.openapi;version=3.1.0",
        "application/vnd.aai.asyncapi;version=3.0.0",
    ] {
        assert_eq!(label(format), new, "{format}");
    }
}

#[test]
fn summary_beside_a_title_is_told() {
    let of = |members: Value| {
        let mut harbor = harbor();
        for name in ["title", "summary", "description"] {
            for at in ["/channels/berths", "/operations/berthChanged"] {
                let holder = harbor.pointer_mut(at).unwrap().as_object_mut().unwrap();
                holder.remove(name);
                holder.remove("traits");
                holder.extend(
                    members
                        .get(name)
                        .map(|text| (name.to_owned(), text.clone())),
                );
            }
        }
        let plain = Plain::new(harbor);
        let view = channel(&&plain, "/channels/berths", &Settings::default()).unwrap();
        let mut exchanges = view.value.exchanges.into_iter();
        let exchange = exchanges.find(|one| one.key == "berthChanged").unwrap();
        (view.value.description, exchange.description)
    };
    let both = |text: &str| (text.to_owned(), text.to_owned());
    assert_eq!(
        of(json!({"title": "T", "summary": "S.", "description": "D."})),
        both("S.\n\nD.")
    );
    assert_eq!(of(json!({"title": "T", "summary": "S."})), both("S."));
    assert_eq!(
        of(json!({"title": "T", "summary": "D", "description": "D and more."})),
        both("D and more.")
    );
    assert_eq!(of(json!({"title": "S.", "summary": "S."})), both(""));
    assert_eq!(
        of(json!({"title": "S.", "summary": "S.", "description": "D."})),
        both("D.")
    );
    // Without a title the summary of an operation is one.
    let (channel, operation) = of(json!({"summary": "S.", "description": "D."}));
    assert_eq!((channel.as_str(), operation.as_str()), ("S.\n\nD.", "D."));
}

#[test]
fn the_security_of_operations_stands_in_place_of_that_of_servers() {
    let mut document = harbor();
    document["operations"]["berthChanged"]["security"] = json!([{"type": "http", "scheme": "bearer"}, {"type": "oauth2", "scopes": ["read"],
        "flows": {"clientCredentials": {"tokenUrl": "https://t.example", "availableScopes": {"read": "Reads."}}}}]);
    check(
        document,
        "berths",
        expect![[r#"
        server wss://live.harbor.example/v1
        server wss://north.harbor.example
        security Bearer <token>
        security OAuth 2.0
        send Subscribe (send-berth.subscribe): object, headers object, 2 examples
          reply Refused (reply-berth.refused): object, headers nothing, 1 examples
        receive Ship docked (receive-berth.docked): object, headers nothing, 1 examples
        receive Refused (receive-berth.refused): object, headers nothing, 1 examples
    "#]],
    );
}

#[test]
fn whatever_stands_in_a_document_its_pages_are_whole() {
    fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    pointers(member, &pointer::child(at, name), found);
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    pointers(item, &pointer::item(at, i), found);
                }
            }
            _ => {}
        }
    }
    let document = harbor();
    let mut all = Vec::new();
    pointers(&document, "", &mut all);
    let (mut drawn, mut wrong) = (0, Vec::new());
    for at in all.iter().filter(|at| !at.is_empty()) {
        for other in [
            Value::Null,
            json!("<script>x</script>"),
            json!([{}]),
            json!({"$ref": format!("#{at}")}),
        ] {
            let mut changed = document.clone();
            *changed.pointer_mut(at).unwrap() = other;
            let plain = Plain::new(changed);
            let Some(view) = channel(&&plain, "/channels/berths", &Settings::default()) else {
                continue;
            };
            drawn += 1;
            let page = reference::channel(&view.value, CONTEXT);
            wrong.extend(faults(&page).iter().map(|fault| format!("{at}: {fault}")));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(drawn > 500, "{drawn}");
}
