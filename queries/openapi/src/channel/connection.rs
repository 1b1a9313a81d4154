//! Connection to a channel: servers, protocols, security, the handshake of a WebSocket.

use serde_json::{Map, Value, json};

use crate::endpoint::{Alternative, Location, ParameterGroup, Security, Server};
use crate::reference::ResolvedObject;
use crate::security::described_scheme;
use crate::server::server;
use crate::view::Page;
use base::data::pointer::{child, item, segments};

/// Connection on the page of a channel.
#[derive(Default)]
pub(super) struct Connection {
    pub(super) protocol: Option<String>,
    pub(super) servers: Vec<Server>,
    pub(super) brokers: Vec<Server>,
    pub(super) handshake: Vec<ParameterGroup>,
    /// Whether the bindings of the channel define the handshake.
    pub(super) is_shaken: bool,
}

/// Protocols whose channels are paths of the server's address.
const BY_PATH: [&str; 6] = ["ws", "wss", "http", "https", "mercure", "sse"];

/// The name that readers know a protocol by, in upper case: that of its secure form is the same but for WebSockets.
pub fn marker(protocol: &str) -> String {
    let lower = protocol.to_ascii_lowercase();
    let plain = match lower.as_str() {
        "kafka-secure" => "kafka",
        "secure-mqtt" | "mqtts" | "mqtt5" => "mqtt",
        "amqps" | "amqp1" => "amqp",
        "https" => "http",
        "stomps" => "stomp",
        other => other,
    };
    let short: String = plain.chars().take(8).collect();
    short.to_ascii_uppercase()
}

/// The protocol of a channel: that of the first of its servers, else of the first of the document.
pub(super) fn protocol<'v>(
    channel: &Value,
    value: &dyn Fn(&str) -> Option<&'v Value>,
) -> Option<String> {
    let own = channel.get("servers").and_then(Value::as_array);
    let first = own.and_then(|own| super::target(own.first()?));
    let mut server = match first {
        Some(pointer) => value(&pointer)?,
        None => value("/servers")?.as_object()?.values().next()?,
    };
    // A server may be one of the components.
    for _ in 0..16 {
        let Some(pointer) = super::target(server) else {
            break;
        };
        server = value(&pointer)?;
    }
    let protocol = server.get("protocol")?.as_str()?.trim();
    (!protocol.is_empty()).then(|| protocol.to_owned())
}

impl<'d> Page<'_, 'd> {
    /// The servers of a channel, with their names: its own, else all of the document.
    pub(super) fn servers_of(
        &mut self,
        channel: &ResolvedObject<'d>,
    ) -> Vec<(String, ResolvedObject<'d>)> {
        let document = self.schemas.document;
        let own = channel.members.get("servers").and_then(Value::as_array);
        let mut servers = Vec::new();
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            for (i, value) in own.iter().enumerate() {
                let name = super::target(value).and_then(|target| segments(&target).last());
                let at = item(&child(&channel.pointer, "servers"), i);
                let found = self.follow(value, &at);
                servers.extend(found.map(|found| (name.unwrap_or_default(), found)));
            }
            return servers;
        }
        let all = document.value("/servers").and_then(Value::as_object);
        for (name, value) in all.into_iter().flatten() {
            let found = self.follow(value, &child("/servers", name));
            servers.extend(found.map(|found| (name.clone(), found)));
        }
        servers
    }

    pub(super) fn connection(
        &mut self,
        channel: &ResolvedObject<'d>,
        servers: &[(String, ResolvedObject<'d>)],
    ) -> Connection {
        let mut connection = Connection::default();
        for (name, found) in servers {
            let protocol = found.text("protocol").unwrap_or_default().trim();
            if connection.protocol.is_none() && !protocol.is_empty() {
                connection.protocol = Some(protocol.to_owned());
            }
            let Some(server) = self.server(name, found) else {
                continue;
            };
            match BY_PATH.contains(&protocol.to_ascii_lowercase().as_str()) {
                true => connection.servers.push(server),
                false => connection.brokers.push(server),
            }
        }
        let ws = channel.members.get("bindings");
        let at = child(&channel.pointer, "bindings");
        let ws = ws.and_then(|bindings| self.follow(bindings, &at));
        let ws = ws.and_then(|found| {
            let ws = found.members.get("ws")?.as_object()?;
            Some((ws, child(&found.pointer, "ws")))
        });
        if let Some((ws, at)) = ws {
            connection.is_shaken = true;
            for (key, location) in [("query", Location::Query), ("headers", Location::Header)] {
                let schema = ws
                    .contains_key(key)
                    .then(|| self.schemas.at(&child(&at, key)));
                let Some(schema) = schema.flatten() else {
                    continue;
                };
                let contents = self.contents(&schema, &super::message::scope(location.word()));
                if !contents.rows.is_empty() {
                    let rows = contents.rows;
                    connection.handshake.push(ParameterGroup { location, rows });
                }
            }
        }
        connection
    }

    /// A server as the address that readers see.
    pub(super) fn server(&self, name: &str, found: &ResolvedObject<'d>) -> Option<Server> {
        let host = found.text("host")?.trim_end_matches('/');
        let protocol = found.text("protocol").unwrap_or_default();
        let path = found.text("pathname").unwrap_or_default();
        let slash = match path.is_empty() || path.starts_with('/') {
            true => "",
            false => "/",
        };
        let url = match protocol {
            "" => format!("{host}{slash}{path}"),
            protocol => format!("{protocol}://{host}{slash}{path}"),
        };
        let variables = found.members.get("variables").and_then(Value::as_object);
        let variables = variables.into_iter().flatten().map(|(name, variable)| {
            let referenced = super::target(variable);
            let referenced = referenced.and_then(|pointer| self.schemas.document.value(&pointer));
            (name.clone(), referenced.unwrap_or(variable).clone())
        });
        let variables: Map<String, Value> = variables.collect();
        let label = found.text("title").unwrap_or(name);
        server(
            &json!({"url": url, "name": label, "variables": variables}),
            None,
        )
    }

    /// Returns the authentication of a connection: as required by its operations, else by its
    /// servers.
    pub(super) fn security_of(
        &mut self,
        operations: &[(String, ResolvedObject<'d>)],
        servers: &[(String, ResolvedObject<'d>)],
    ) -> Security {
        let mut security = Security::default();
        for (_, holder) in operations.iter().chain(servers) {
            // What operations ask for counts in place of what servers do.
            let is_server = servers.iter().any(|(_, one)| one.pointer == holder.pointer);
            if is_server
                && operations
                    .iter()
                    .any(|(_, it)| it.members.contains_key("security"))
            {
                break;
            }
            let at = child(&holder.pointer, "security");
            let list = holder.members.get("security").and_then(Value::as_array);
            for (i, value) in list.into_iter().flatten().enumerate() {
                let Some(found) = self.follow(value, &item(&at, i)) else {
                    continue;
                };
                let key = super::target(value).and_then(|target| segments(&target).last());
                let key = key.unwrap_or_else(|| found.text("type").unwrap_or("auth").to_owned());
                let scheme = described_scheme(&key, &found);
                let is_known = |known: &Alternative| known.label == key;
                if !security.alternatives.iter().any(is_known) {
                    let anchor = &scheme.anchor;
                    if !self.has_anchor(anchor) {
                        self.anchor(anchor);
                    }
                    security.alternatives.push(Alternative {
                        label: key,
                        schemes: vec![scheme],
                    });
                }
            }
        }
        security
    }
}
