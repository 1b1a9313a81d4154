//! The page of a channel as plain data.

use crate::endpoint::{Example, Link, ParameterGroup, Root, Row, Security, Segment, Server};

/// The page of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Pointer, such as `/channels/chat`.
    pub pointer: String,
    /// Key under `channels`.
    pub name: String,
    /// The first of its tags.
    pub tag: Option<String>,
    /// The title, else the name.
    pub title: String,
    /// Protocol, such as `wss`.
    pub protocol: Option<String>,
    /// The address as written; empty where it is not known.
    pub address: String,
    /// The address with its parameters marked.
    pub segments: Vec<Segment>,
    /// Servers whose addresses the address of the channel is a path of.
    pub servers: Vec<Server>,
    /// Servers of other protocols.
    pub brokers: Vec<Server>,
    /// Markdown.
    pub description: String,
    /// The first paragraph of the description as plain text.
    pub meta_description: Option<String>,
    /// `x-docs.content`, MDX.
    pub content: Option<String>,
    /// External documentation.
    pub external_docs: Option<Link>,
    /// Authentication of a connection.
    pub security: Security,
    /// The parameters of the address.
    pub parameters: Vec<Row>,
    /// Parameters of the request that opens a WebSocket.
    pub handshake: Vec<ParameterGroup>,
    /// Messages that clients send, then those that they receive.
    pub exchanges: Vec<Exchange>,
    /// Messages of a channel without operations.
    pub messages: Vec<Message>,
    /// Protocol bindings.
    pub bindings: Vec<Binding>,
}

impl Channel {
    /// The exchanges of one direction.
    pub fn of(&self, direction: Direction) -> impl Iterator<Item = &Exchange> + Clone {
        let exchanges = self.exchanges.iter();
        exchanges.filter(move |exchange| exchange.direction == direction)
    }
}

/// Direction of messages, from the point of view of readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// To the application.
    Send,
    /// From the application.
    Receive,
}

impl Direction {
    /// Both, in the order of the page.
    pub const ALL: [Self; 2] = [Self::Send, Self::Receive];

    /// The word that ids begin with.
    pub fn word(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Receive => "receive",
        }
    }

    /// The heading above its messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Send => "Send",
            Self::Receive => "Receive",
        }
    }
}

/// An operation on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The id of the element.
    pub anchor: String,
    /// Direction of its messages.
    pub direction: Direction,
    /// Key under `operations`.
    pub key: String,
    /// The title, else the summary.
    pub title: Option<String>,
    /// Markdown.
    pub description: String,
    /// External documentation.
    pub external_docs: Option<Link>,
    /// Messages.
    pub messages: Vec<Message>,
    /// Reply.
    pub reply: Option<Reply>,
    /// Protocol bindings.
    pub bindings: Vec<Binding>,
}

impl Exchange {
    /// Returns true if the operation has texts of its own.
    pub fn is_told(&self) -> bool {
        self.title.is_some()
            || !self.description.trim().is_empty()
            || self.reply.is_some()
            || self.external_docs.is_some()
            || !self.bindings.is_empty()
    }
}

/// Reply to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Location of the address of the reply in a message, such as `$message.header#/replyTo`.
    pub location: Option<String>,
    /// Description of the address, Markdown.
    pub description: String,
    /// The title of the channel of the reply, and its page.
    pub channel: Option<(String, Option<String>)>,
    /// Messages.
    pub messages: Vec<Message>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The id of the element, unique on the page.
    pub anchor: String,
    /// The title, else the name.
    pub title: String,
    /// `name`, else the key, where that is not the title.
    pub name: Option<String>,
    /// Content type of its payload.
    pub content_type: Option<String>,
    /// Whether it should not be used any more (`x-deprecated`, `deprecated`).
    pub is_deprecated: bool,
    /// Markdown.
    pub description: String,
    /// External documentation.
    pub external_docs: Option<Link>,
    /// Headers, as an object.
    pub headers: Payload,
    /// Payload.
    pub payload: Payload,
    /// Location of the id that connects it with others, and its description.
    pub correlation: Option<(String, String)>,
    /// Examples, at least one if there is a payload that has a value.
    pub examples: Vec<MessageExample>,
    /// Protocol bindings.
    pub bindings: Vec<Binding>,
}

/// Payload of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Not documented.
    None,
    /// A JSON Schema.
    Schema(Box<Root>),
    /// A schema in another language, shown as it is.
    Text {
        /// The `schemaFormat`, such as `application/vnd.apache.avro;version=1.9.0`.
        format: String,
        /// The language it is colored as.
        language: String,
        /// The schema.
        text: String,
    },
}

/// An example of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageExample {
    /// The payload.
    pub payload: Example,
    /// The headers, JSON.
    pub headers: Option<String>,
}

/// Binding of one protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Name, such as `kafka`.
    pub protocol: String,
    /// Binding as JSON.
    pub text: String,
}
