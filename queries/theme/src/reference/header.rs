//! The line with method, base address and path.

use maud::{Markup, html};

use super::{Writer, is_webhook};
use crate::icon::icon;
use crate::words::Word;
use mdx::plain::Headings;
use openapi::endpoint::{Endpoint, Segment, Server, Variable};

/// Renders it: what a reader copies is the absolute URL.
pub(super) fn header(writer: &mut Writer<'_>, view: &Endpoint) -> Markup {
    let is_webhook = is_webhook(view);
    let first = view.servers.first();
    html! {
        div.endpoint data-code {
            div.endpoint-line {
                @if is_webhook {
                    span.endpoint-method.method.method-pill data-method="webhook" { "WEBHOOK" }
                } @else {
                    span.endpoint-method.method.method-pill data-method=(view.method.to_ascii_lowercase()) { (view.method) }
                }
                code.endpoint-path data-copy-text {
                    @if !is_webhook && let Some(server) = first {
                        span.endpoint-base data-server-address { (base(&server.address)) }
                    }
                    (path(&view.segments))
                }
                button.copy-button.endpoint-copy type="button" data-copy
                    aria-label=(if is_webhook { Word::CopyName } else { Word::CopyAddress }) {
                    span.copy-idle { (icon("copy").unwrap_or_default()) }
                    span.copy-done { (icon("check").unwrap_or_default()) }
                }
            }
            (choice(&view.servers))
            @for (i, server) in view.servers.iter().enumerate() {
                @if !server.variables.is_empty() { (variables(writer, i, server)) }
            }
        }
    }
}

/// Renders the list that a base address is chosen from; nothing where there is no choice.
pub(super) fn choice(servers: &[Server]) -> Markup {
    html! {
        @if servers.len() > 1 {
            label.endpoint-server.option-dropdown {
                span { (Word::BaseUrl) }
                select data-server {
                    @for server in servers {
                        option value=(server.address) data-url=(server.url) {
                            (server.address)
                            @if server.label != server.url && server.label != server.address { " – " (server.label) }
                        }
                    }
                }
                (icon("chevron-down").unwrap_or_default())
            }
        }
    }
}

/// Renders the variables of a base address; those of the first are shown, which is chosen at first.
pub(super) fn variables(writer: &mut Writer<'_>, index: usize, server: &Server) -> Markup {
    let url = server.url.strip_suffix('/').unwrap_or(&server.url);
    html! {
        div role="group" aria-label=(Word::AddressVariables) data-server-index=(index) data-server-url=(url) hidden[index > 0] {
            @for variable in &server.variables {
                label.endpoint-server.option-dropdown {
                    span { (variable.name) }
                    (field(variable))
                }
                @if !variable.description.trim().is_empty() {
                    div.endpoint-variable-text { (writer.text(&variable.description, Headings::Flat)) }
                }
            }
        }
    }
}

/// Renders what a variable is chosen or typed in.
fn field(variable: &Variable) -> Markup {
    let Variable {
        name,
        default,
        values,
        ..
    } = variable;
    let is_listed = values.contains(default);
    html! {
        @if values.is_empty() {
            input type="text" data-server-variable=(name) data-default=(default) value=(default) spellcheck="false" autocomplete="off" autocapitalize="off";
        } @else {
            select data-server-variable=(name) data-default=(default) {
                @if !is_listed { option selected { (default) } }
                @for value in values { option selected[value == default] { (value) } }
            }
            (icon("chevron-down").unwrap_or_default())
        }
    }
}

/// Renders a base address. A line may break before a slash of its path.
pub(super) fn base(address: &str) -> Markup {
    let path_at = address.find("://").map_or(0, |at| at + "://".len());
    let (host, path) = match address[path_at..].find('/') {
        Some(at) => address.split_at(path_at + at),
        None => (address, ""),
    };
    html! { (host) @for part in path.split('/').skip(1) { wbr; "/" (part) } }
}

/// Renders a path with its parameters marked. A line may break before a slash.
pub(super) fn path(segments: &[Segment]) -> Markup {
    html! {
        @for segment in segments {
            @match segment {
                Segment::Text(text) => { @for (i, part) in text.split('/').enumerate() {
                    @if i > 0 { wbr; "/" } (part)
                } },
                Segment::Parameter(name) => { var.endpoint-parameter { "{" (name) "}" } },
            }
        }
    }
}
