//! The page of a channel: its address, messages sent and received on it, with examples next to
//! them.

use maud::{Markup, html};

use super::sections::section;
use super::{Context, RenderedReference, Writer, external, header};
use crate::components::code_block::code_block;
use crate::icon::icon;
use crate::pill::deprecated_pill;
use crate::prose::OutlineEntry;
use crate::words::Word;
use mdx::plain::Headings;
use openapi::channel::{
    Binding, Channel, Direction, Exchange, Message, MessageExample, Payload, Reply, marker,
};
use openapi::endpoint::Server;
use openapi::index::CHANNEL;

/// Renders the page of a channel.
pub fn channel(view: &Channel, context: Context<'_>) -> RenderedReference {
    let mut writer = Writer::new(context);
    let bar = writer.address(view);
    let mut panels = Vec::new();
    for direction in Direction::ALL {
        let messages: Vec<&Message> = view.of(direction).flat_map(|it| &it.messages).collect();
        panels.extend(writer.panel(direction.word(), word_of(direction), &messages));
        let replies = view.of(direction).filter_map(|it| it.reply.as_ref());
        let replies: Vec<&Message> = replies.flat_map(|reply| &reply.messages).collect();
        let id = format!("{}-reply", direction.word());
        panels.extend(writer.panel(&id, Word::Reply, &replies));
    }
    let messages: Vec<&Message> = view.messages.iter().collect();
    panels.extend(writer.panel("messages", Word::Messages, &messages));
    let security = writer.security(&view.security);
    let main = html! {
        @if !view.parameters.is_empty() {
            @let heading = writer.heading("parameters", Word::Parameters.english());
            (section(heading, writer.rows(&view.parameters)))
        }
        @for group in &view.handshake { (writer.parameters(group)) }
        @for direction in Direction::ALL { (writer.direction(view, direction)) }
        @if !view.messages.is_empty() {
            @let heading = writer.heading("messages", Word::Messages.english());
            @let drawn = writer.messages(&view.messages);
            (section(heading, drawn))
        }
        @if !view.bindings.is_empty() {
            @let heading = writer.heading("bindings", Word::Bindings.english());
            (section(heading, writer.bindings(&view.bindings)))
        }
        @if let Some(link) = &view.external_docs { (external(link)) }
    };
    let head = writer.opening(&view.description);
    let mut panels = panels.into_iter();
    let side = panels.next().unwrap_or_default();
    let examples = html! { @for panel in panels { (panel) } };
    RenderedReference {
        bar: bar.0,
        security: security.0,
        ..writer.finish(&head, &side, &examples, &main)
    }
}

fn word_of(direction: Direction) -> Word {
    match direction {
        Direction::Send => Word::Send,
        Direction::Receive => Word::Receive,
    }
}

impl Writer<'_> {
    /// Renders the line with protocol and address: what a reader copies is the absolute URL.
    fn address(&mut self, view: &Channel) -> Markup {
        let marker = view
            .protocol
            .as_deref()
            .map_or_else(|| CHANNEL.to_owned(), marker);
        let first = view.servers.first();
        let is_path = view.address.starts_with('/');
        html! {
            div.endpoint data-code {
                div.endpoint-line {
                    span.endpoint-method.method.method-pill data-method=(marker.to_ascii_lowercase()) { (marker) }
                    // An address that is only known when the channel is used is none to copy.
                    @if !view.address.is_empty() || first.is_some() {
                        code.endpoint-path data-copy-text {
                            @if let Some(server) = first {
                                span.endpoint-base data-server-address { (header::base(&server.address)) }
                                @if !is_path && !view.address.is_empty() { "/" }
                            }
                            (header::path(&view.segments))
                        }
                        button.copy-button.endpoint-copy type="button" data-copy aria-label=(Word::CopyAddress) {
                            span.copy-idle { (icon("copy").unwrap_or_default()) }
                            span.copy-done { (icon("check").unwrap_or_default()) }
                        }
                    }
                }
                (header::choice(&view.servers))
                @for (i, server) in view.servers.iter().enumerate() {
                    @if !server.variables.is_empty() { (header::variables(self, i, server)) }
                }
                @for server in &view.brokers { (broker(server)) }
            }
        }
    }

    /// Renders what goes one way; nothing if nothing does.
    fn direction(&mut self, view: &Channel, direction: Direction) -> Markup {
        let exchanges: Vec<&Exchange> = view.of(direction).collect();
        if exchanges.is_empty() {
            return html! {};
        }
        let heading = self.heading(direction.word(), direction.title());
        let about = match direction {
            Direction::Send => Word::SendAbout,
            Direction::Receive => Word::ReceiveAbout,
        };
        let is_one = exchanges.len() == 1;
        let drawn = html! {
            p.section-note { (about) }
            @for exchange in exchanges { (self.exchange(exchange, is_one)) }
        };
        section(heading, drawn)
    }

    /// Renders an operation, with a head unless it is the only one and says nothing itself.
    fn exchange(&mut self, exchange: &Exchange, is_one: bool) -> Markup {
        if is_one && !exchange.is_told() {
            return self.messages(&exchange.messages);
        }
        self.anchors.push(exchange.anchor.clone());
        html! {
            div.exchange id=(exchange.anchor) {
                p.exchange-head {
                    span.exchange-title { (exchange.title.as_deref().unwrap_or(&exchange.key)) }
                    @if exchange.title.is_some() { code.media-name { (exchange.key) } }
                }
                (self.text(&exchange.description, Headings::Flat))
                @if let Some(link) = &exchange.external_docs { (external(link)) }
                (self.messages(&exchange.messages))
                @if let Some(reply) = &exchange.reply { (self.reply(reply)) }
                @if !exchange.bindings.is_empty() {
                    p.part-title { (Word::Bindings) }
                    (self.bindings(&exchange.bindings))
                }
            }
        }
    }

    fn messages(&mut self, messages: &[Message]) -> Markup {
        html! { @for message in messages { (self.message(message, true)) } }
    }

    fn message(&mut self, message: &Message, is_listed: bool) -> Markup {
        self.anchors.push(message.anchor.clone());
        if is_listed {
            self.outline.push(OutlineEntry {
                level: 3,
                id: message.anchor.clone(),
                title: message.title.clone(),
            });
        }
        let link = html! {
            a.anchor href={ "#" (message.anchor) } aria-label=(Word::LinkTo.of(&message.title)) {}
        };
        html! {
            div.message {
                div.message-head {
                    @if is_listed { h3 id=(message.anchor) { (message.title) (link) } }
                    @else { h4 id=(message.anchor) { (message.title) (link) } }
                    @if message.is_deprecated { (deprecated_pill()) }
                    @if let Some(name) = &message.name { code.media-name { (name) } }
                }
                (self.text(&message.description, Headings::Flat))
                (self.carried(Word::Headers, None, &message.headers))
                (self.carried(Word::Payload, message.content_type.as_deref(), &message.payload))
                @if let Some((location, about)) = &message.correlation {
                    p.part-title { (Word::CorrelationId) code.media-name { (location) } }
                    (self.text(about, Headings::Flat))
                }
                @if !message.bindings.is_empty() {
                    p.part-title { (Word::Bindings) }
                    (self.bindings(&message.bindings))
                }
                @if let Some(link) = &message.external_docs { (external(link)) }
            }
        }
    }

    /// Renders headers or payload; nothing where they are not documented.
    fn carried(&mut self, title: Word, content_type: Option<&str>, payload: &Payload) -> Markup {
        let head = html! {
            p.part-title { (title) @if let Some(name) = content_type { code.media-name { (name) } } }
        };
        match payload {
            Payload::None => html! {},
            Payload::Schema(root) => html! { (head) (self.root(root)) },
            Payload::Text {
                format,
                language,
                text,
            } => html! {
                (head)
                p.row-value { span { (Word::Format) " " } code { (format) } }
                (code_block(&self.code(language, text)))
            },
        }
    }

    fn reply(&mut self, reply: &Reply) -> Markup {
        html! {
            div.message-reply {
                p.reference-heading { (Word::Reply) }
                @if let Some((title, href)) = &reply.channel {
                    p.row-value {
                        @match href {
                            Some(href) => a href=(href) { (title) },
                            None => span { (title) },
                        }
                    }
                }
                @if let Some(location) = &reply.location { p.row-value { code { (location) } } }
                (self.text(&reply.description, Headings::Flat))
                @for message in &reply.messages { (self.message(message, false)) }
            }
        }
    }

    fn bindings(&mut self, bindings: &[Binding]) -> Markup {
        html! {
            @for binding in bindings {
                div.binding {
                    p.part-title { code.media-name { (binding.protocol) } }
                    (code_block(&self.code("json", &binding.text)))
                }
            }
        }
    }

    /// Renders the examples of messages; nothing if none has one.
    fn panel(&mut self, id: &str, title: Word, messages: &[&Message]) -> Option<Markup> {
        let mut unique: Vec<&Message> = Vec::new();
        for message in messages {
            // A message of two operations is one.
            let is_known = |known: &&Message| {
                known.title == message.title && known.examples == message.examples
            };
            if !message.examples.is_empty() && !unique.iter().any(is_known) {
                unique.push(message);
            }
        }
        let labels: Vec<String> = labels(&unique);
        let examples = match &unique[..] {
            [] => return None,
            [one] => self.message_examples(&one.examples),
            several => html! {
                div data-tabs {
                    div.tab-select.option-dropdown {
                        select aria-label=(Word::Message) { @for label in &labels { option { (label) } } }
                        (icon("chevron-down").unwrap_or_default())
                    }
                    @for (i, message) in several.iter().enumerate() {
                        section.tab-panel data-tab=(labels[i]) data-active[i == 0] {
                            p.tab-title { (labels[i]) }
                            (self.message_examples(&message.examples))
                        }
                    }
                }
            },
        };
        Some(html! {
            section.reference-panel id={ (id) "-example" } aria-label=(title) {
                div.reference-panel-head {
                    span.reference-panel-title { (title) }
                    @if let [one] = &unique[..] { span.reference-panel-about { (one.title) } }
                }
                (examples)
            }
        })
    }

    /// Renders the examples of one message: one as it is, several behind a list to choose from.
    fn message_examples(&mut self, examples: &[MessageExample]) -> Markup {
        let [_, _, ..] = examples else {
            return html! { @for one in examples { (self.message_example(one)) } };
        };
        html! {
            div data-tabs {
                div.tab-select {
                    select data-examples aria-label=(Word::Example) {
                        @for one in examples { option { (one.payload.label) } }
                    }
                    (icon("chevron-down").unwrap_or_default())
                }
                @for (i, one) in examples.iter().enumerate() {
                    section.tab-panel data-tab=(one.payload.label) data-active[i == 0] {
                        p.tab-title { (one.payload.label) }
                        (self.message_example(one))
                    }
                }
            }
        }
    }

    fn message_example(&mut self, example: &MessageExample) -> Markup {
        html! {
            @if let Some(headers) = &example.headers {
                p.example-part { (Word::Headers) }
                (self.plain_code("json", headers))
                @if !example.payload.text.is_empty() { p.example-part { (Word::Payload) } }
            }
            @if !example.payload.text.is_empty() { (self.example(&example.payload)) }
        }
    }
}

/// The titles of messages, each once.
fn labels(messages: &[&Message]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for message in messages {
        let mut label = message.title.clone();
        let mut count = 1;
        while labels.contains(&label) {
            count += 1;
            label = format!("{} ({count})", message.title);
        }
        labels.push(label);
    }
    labels
}

/// Renders a server that the address of a channel is no path of.
fn broker(server: &Server) -> Markup {
    html! {
        div.endpoint-server {
            span { @if server.label == server.url { (Word::Server) } @else { (server.label) } }
            code.endpoint-broker { (server.address) }
        }
    }
}
