//! The page of a channel of an AsyncAPI 3.0 document, and its entry in lists.
//!
//! A document describes an application, and `send` and `receive` are what the application does.
//! Readers are on the other side: what the application receives they send. Everything here is from
//! their point of view.

mod connection;
mod message;
mod rules;
mod views;
mod whole;

use serde_json::{Map, Value};

use super::document::{Document, OperationName};
use super::endpoint::{Location, Modelled, Settings};
use super::index::OperationMeta;
use super::merge::Schemas;
use super::operation::{external_docs, path_segments};
use super::reference::{ResolvedObject, follow};
use super::schema::docs;
use super::slice::decode_fragment;
use super::title::summary_title;
use super::view::{Page, meta_description};
use base::data::pointer::{child, item, segments};
use base::diagnostic::{Code, Diagnostic};

pub use self::connection::marker;
pub use self::rules::faults;
pub use self::views::{
    Binding, Channel, Direction, Exchange, Message, MessageExample, Payload, Reply,
};
pub(crate) use self::whole::{is_asyncapi, whole};

/// Member of the document that contains the channels.
pub const CHANNELS: &str = "/channels";

/// The name of the channel at the pointer of an entry; `None` if that is the pointer of something else.
pub fn name_of(pointer: &str) -> Option<String> {
    let mut names = segments(pointer);
    let is_channel = names.next()? == "channels";
    let name = names.next()?;
    (is_channel && names.next().is_none()).then_some(name)
}

/// Returns the pointer in the `$ref` of `value`, within the document.
pub fn target(value: &Value) -> Option<String> {
    let reference = value.get("$ref")?.as_str()?;
    Some(decode_fragment(reference.strip_prefix('#')?))
}

/// The pointer of the channel that an operation is about.
pub fn channel_of(operation: &Value) -> Option<String> {
    target(operation.get("channel")?)
}

/// Returns the entry of the channel `channel` in lists; `value` returns the value at a pointer of
/// its document.
pub fn meta<'v>(channel: &'v Value, value: &dyn Fn(&str) -> Option<&'v Value>) -> OperationMeta {
    let declared = OperationMeta::read(channel);
    let text = |key: &str| {
        let text = channel.get(key)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let tags = channel.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten().filter_map(|tag| {
        let tag = match target(tag) {
            Some(pointer) => value(&pointer)?,
            None => tag,
        };
        Some(tag.get("name")?.as_str()?.to_owned())
    });
    OperationMeta {
        summary: text("title"),
        tags: tags.collect(),
        id: None,
        protocol: connection::protocol(channel, value),
        ..declared
    }
}

/// Returns the description of a channel, else its summary.
pub fn description(channel: &Map<String, Value>) -> &str {
    let text = |key: &str| channel.get(key).and_then(Value::as_str);
    let own = text("description").filter(|text| !text.trim().is_empty());
    own.or_else(|| text("summary")).unwrap_or_default()
}

/// Joins a summary and a description: both, unless one contains the other.
fn about(summary: Option<&str>, description: Option<&str>) -> String {
    let is_said = |text: &&str| !text.trim().is_empty();
    let (summary, description) = (summary.filter(is_said), description.filter(is_said));
    match (summary, description) {
        (Some(summary), Some(text)) if !text.contains(summary.trim()) => {
            format!("{summary}\n\n{text}")
        }
        (summary, text) => text.or(summary).unwrap_or_default().to_owned(),
    }
}

/// Models the page of the channel at `pointer` (`/channels/chat`), if it exists.
pub fn channel<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    settings: &Settings,
) -> Option<Modelled<Channel>> {
    let mut page = Page::new(Schemas::new(document), settings);
    let mut view = page.channel(pointer)?;
    while let Some(smaller) = page.smaller() {
        page = smaller;
        view = page.channel(pointer)?;
    }
    Some(Modelled {
        value: view,
        diagnostics: page.schemas.diagnostics.into_iter().collect(),
    })
}

impl<'d> Page<'_, 'd> {
    fn channel(&mut self, pointer: &str) -> Option<Channel> {
        let name = name_of(pointer)?;
        let document = self.schemas.document;
        let written = document.value(pointer)?;
        let channel = self.follow(written, pointer)?;
        let own = docs(channel.members, "metadata").and_then(|it| it.get("description")?.as_str());
        let own = own.filter(|own| !own.trim().is_empty());
        let described = own.unwrap_or_else(|| description(channel.members));
        let about = match own {
            Some(own) => own.to_owned(),
            None => {
                let summary = channel.text("summary");
                // A title that repeats it is enough.
                let summary = summary.filter(|summary| channel.text("title") != Some(summary));
                about(summary, channel.text("description"))
            }
        };
        // Ids of the page itself.
        for id in ["send-example", "receive-example", "messages-example"] {
            self.anchor(id);
        }
        let operations = self.operations(pointer, &channel.pointer);
        let servers = self.servers_of(&channel);
        let security = self.security_of(&operations, &servers);
        let connection = self.connection(&channel, &servers);
        let parameters = self.address_parameters(&channel);
        let mut exchanges = Vec::new();
        for (at, operation) in &operations {
            exchanges.extend(self.exchange(at, operation, &channel));
        }
        exchanges.sort_by_key(|exchange| exchange.direction);
        let messages = match exchanges.is_empty() {
            true => self.all_messages(&channel, "message"),
            false => Vec::new(),
        };
        let title = channel
            .text("title")
            .filter(|title| !title.trim().is_empty());
        let address = channel.text("address").unwrap_or_default().to_owned();
        let tag = meta(document.value(&channel.pointer)?, &|pointer| {
            document.value(pointer)
        })
        .tags;
        Some(Channel {
            pointer: pointer.to_owned(),
            title: title.map_or_else(|| name.clone(), summary_title),
            name,
            tag: tag.into_iter().next(),
            protocol: connection.protocol,
            segments: path_segments(&address),
            address,
            servers: connection.servers,
            brokers: connection.brokers,
            meta_description: meta_description(described),
            description: about,
            content: docs(channel.members, "content")
                .and_then(Value::as_str)
                .map(str::to_owned),
            external_docs: external_docs(channel.members),
            security,
            parameters,
            handshake: connection.handshake,
            exchanges,
            messages,
            bindings: self.bindings(&[&channel], connection.is_shaken),
        })
    }

    /// Follows the references of an object; what is wrong with them is noted.
    pub(super) fn follow(&mut self, value: &'d Value, pointer: &str) -> Option<ResolvedObject<'d>> {
        let mut diagnostics = Vec::new();
        let found = follow(self.schemas.document, value, pointer, &mut diagnostics);
        self.schemas.diagnostics.extend(diagnostics);
        found
    }

    /// The objects of a list, or behind its references.
    fn follow_list(&mut self, list: Option<&'d Value>, pointer: &str) -> Vec<ResolvedObject<'d>> {
        let list = list.and_then(Value::as_array).into_iter().flatten();
        let listed = list
            .enumerate()
            .filter_map(|(i, value)| self.follow(value, &item(pointer, i)));
        listed.collect()
    }

    /// The operations of a channel, with the pointers of each: under its own name, or that of what its reference leads to.
    fn operations(&mut self, pointer: &str, place: &str) -> Vec<(String, ResolvedObject<'d>)> {
        let document = self.schemas.document;
        let mut pointers = document.channel_operations(pointer);
        if place != pointer {
            pointers.extend(document.channel_operations(place));
        }
        let found = pointers.into_iter().filter_map(|at| {
            let operation = self.follow(document.value(&at)?, &at)?;
            Some((at, operation))
        });
        found.collect()
    }

    /// Models the messages of one operation; `None` if it does not state whether it sends or
    /// receives.
    fn exchange(
        &mut self,
        at: &str,
        operation: &ResolvedObject<'d>,
        channel: &ResolvedObject<'d>,
    ) -> Option<Exchange> {
        let direction = match operation.text("action") {
            Some("send") => Direction::Receive,
            Some("receive") => Direction::Send,
            _ => return None,
        };
        let key = segments(at).last().unwrap_or_default();
        let traits = self.traits(operation);
        let text = |key: &str| {
            let holders = std::iter::once(operation).chain(&traits);
            let mut texts = holders.filter_map(|found| found.text(key));
            texts.find(|text| !text.trim().is_empty())
        };
        let (title, summary, text) = (text("title"), text("summary"), text("description"));
        // Without a title it is one, and is told as a whole where nothing else is.
        let below = summary.filter(|summary| match title {
            Some(title) => *summary != title,
            None => text.is_none(),
        });
        let title = title.or(summary).map(summary_title);
        let description = about(below, text);
        let is_title = title.as_deref() == Some(&description);
        let description = match is_title {
            true => String::new(),
            false => description,
        };
        let anchor = self.anchor(&format!("{}-{key}", direction.word()));
        let messages = match operation.members.get("messages") {
            Some(list) => {
                let at = child(&operation.pointer, "messages");
                self.messages(Some(list), &at, direction.word())
            }
            None => self.all_messages(channel, direction.word()),
        };
        let reply = operation.members.get("reply");
        let reply = reply.and_then(|reply| self.reply(reply, &child(&operation.pointer, "reply")));
        let holders: Vec<&ResolvedObject<'d>> = std::iter::once(operation).chain(&traits).collect();
        let bindings = self.bindings(&holders, false);
        Some(Exchange {
            anchor,
            direction,
            key,
            title,
            description,
            external_docs: external_docs(operation.members),
            messages,
            reply,
            bindings,
        })
    }

    /// Returns the traits of an object. Of two with the same field the later one counts (AsyncAPI
    /// 3.0, Traits Merge Mechanism), so it comes first.
    fn traits(&mut self, of: &ResolvedObject<'d>) -> Vec<ResolvedObject<'d>> {
        let mut traits = self.follow_list(of.members.get("traits"), &child(&of.pointer, "traits"));
        traits.reverse();
        traits
    }

    fn reply(&mut self, reply: &'d Value, pointer: &str) -> Option<Reply> {
        let reply = self.follow(reply, pointer)?;
        let document = self.schemas.document;
        let of_channel = reply.members.get("channel").and_then(target);
        let channel = of_channel.and_then(|pointer| {
            let found = self.follow(document.value(&pointer)?, &pointer)?;
            let name = segments(&pointer).last().unwrap_or_default();
            let title = found.text("title").map_or(name, summary_title);
            let href = document.operation_href(&OperationName::Pointer(pointer));
            Some((title, href, found))
        });
        let at = child(&reply.pointer, "messages");
        let messages = match (reply.members.get("messages"), &channel) {
            (None, Some((_, _, channel))) => self.all_messages(channel, "reply"),
            (list, _) => self.messages(list, &at, "reply"),
        };
        let address = reply.members.get("address");
        let address =
            address.and_then(|address| self.follow(address, &child(&reply.pointer, "address")));
        let text = |key: &str| Some(address.as_ref()?.text(key)?.to_owned());
        Some(Reply {
            location: text("location"),
            description: text("description").unwrap_or_default(),
            channel: channel.map(|(title, href, _)| (title, href)),
            messages,
        })
    }

    /// The parameters of the address, which are texts.
    fn address_parameters(&mut self, channel: &ResolvedObject<'d>) -> Vec<super::endpoint::Row> {
        let at = child(&channel.pointer, "parameters");
        let parameters = channel.members.get("parameters").and_then(Value::as_object);
        let address = channel.text("address").unwrap_or_default();
        let mut rows = Vec::new();
        for (name, parameter) in parameters.into_iter().flatten() {
            let at = child(&at, name);
            let Some(found) = self.follow(parameter, &at) else {
                continue;
            };
            if !address.contains(&format!("{{{name}}}")) {
                let message =
                    format!("the address has no `{{{name}}}`, which a parameter describes");
                let unused = Diagnostic::new(Code::PathParameterUnused, at.clone(), message);
                let unused = unused.hint("fix the name or remove the parameter");
                self.schemas.diagnostics.insert(unused);
            }
            rows.push(self.address_parameter(name, &found));
        }
        for segment in path_segments(address) {
            let super::endpoint::Segment::Parameter(name) = segment else {
                continue;
            };
            if !parameters.is_some_and(|parameters| parameters.contains_key(&name)) {
                let message = format!("no parameter describes `{{{name}}}` of the address");
                let hint = format!("add `{name}` to the `parameters` of the channel");
                let at = child(&channel.pointer, "address");
                let missing = Diagnostic::new(Code::PathParameterMissing, at, message);
                self.schemas.diagnostics.insert(missing.hint(hint));
            }
        }
        rows
    }

    fn address_parameter(
        &mut self,
        name: &str,
        found: &ResolvedObject<'d>,
    ) -> super::endpoint::Row {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "string".into());
        for key in ["enum", "default", "examples"] {
            if let Some(value) = found.members.get(key) {
                schema.insert(key.to_owned(), value.clone());
            }
        }
        if let Some(description) = found.text("description") {
            schema.insert("description".to_owned(), description.into());
        }
        let version = self.schemas.document.version();
        // A place of its own: the parameter is no schema, and nothing is known of it under its pointer.
        let place = format!("{}&text", found.pointer);
        let schema = super::schema::parse(version, &Value::Object(schema), &place);
        let scope = message::scope(Location::Path.word());
        let name = super::endpoint::Name::Plain(name.to_owned());
        let is_required = !found.members.contains_key("default");
        let mut row = self.row(name, &schema, is_required, None, &scope);
        // Location of its value in a message (AsyncAPI 3.0, Parameter Object).
        let location = found.text("location");
        row.view
            .chips
            .extend(location.map(|location| vec![super::endpoint::Span::code(location)]));
        row
    }

    /// The bindings of an object and of its traits, each protocol once. The handshake of a
    /// WebSocket is elsewhere.
    fn bindings(&mut self, holders: &[&ResolvedObject<'d>], without_ws: bool) -> Vec<Binding> {
        let mut bindings: Vec<Binding> = Vec::new();
        for holder in holders {
            let at = child(&holder.pointer, "bindings");
            let listed = holder.members.get("bindings");
            let listed = listed.and_then(|listed| self.follow(listed, &at));
            for (protocol, value) in listed.iter().flat_map(|listed| listed.members) {
                let at = child(&at, protocol);
                let Some(value) = self.follow(value, &at) else {
                    continue;
                };
                let is_known = bindings.iter().any(|known| known.protocol == *protocol);
                let is_left_out = (without_ws && protocol == "ws") || protocol.starts_with("x-");
                if !value.members.is_empty() && !is_known && !is_left_out {
                    bindings.push(Binding {
                        protocol: protocol.clone(),
                        text: super::media::pretty(&Value::Object(value.members.clone())),
                    });
                }
            }
        }
        bindings
    }
}
