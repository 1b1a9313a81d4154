//! The page that opens the reference of a document.

use std::borrow::Cow;

use maud::{Markup, html};
use mdx::plain::{self, Headings};
use openapi::endpoint::Variable;
use openapi::introduction::{Base, Introduction, NameLink, TagSection};

use super::sections::section;
use super::{Context, RenderedReference, Writer, external, header};
use crate::icon::icon;
use crate::pill::deprecated_pill;
use crate::prose::OutlineEntry;
use crate::words::{self, Word};

/// Renders the page that opens the reference of a document.
pub fn introduction(view: &Introduction, context: Context<'_>) -> RenderedReference {
    let mut writer = Writer::new(context);
    let facts = facts(view);
    if !facts.0.is_empty() {
        writer.anchors.push(FACTS.to_owned());
    }
    let summary = writer.text(&view.summary, Headings::Flat);
    let main = html! {
        @if !view.servers.is_empty() {
            @let heading = writer.heading("servers", Word::BaseUrls.english());
            @let servers = html! { ul.rows { @for base in &view.servers { (writer.base_url(base)) } } };
            (section(heading, servers))
        }
        @if !view.schemes.is_empty() {
            @let heading = writer.heading("authentication", Word::Authorizations.english());
            @let schemes = html! { ul.rows { @for scheme in &view.schemes { (writer.scheme(scheme, false)) } } };
            (section(heading, schemes))
        }
        @if !view.tags.is_empty() {
            @let (id, listed) = match view.has_channels {
                true => ("channels", Word::Channels),
                false => ("operations", Word::Operations),
            };
            @let heading = writer.heading(id, listed.english());
            @let tags = html! {
                @match &view.tags[..] {
                    [one] if one.is_untagged => (pages(one, listed)),
                    tags => { @for tag in tags { (writer.tag(tag, listed)) } }
                }
            };
            (section(heading, tags))
        }
        @if let Some(link) = &view.external_docs { (external(link)) }
    };
    let head = html! { (facts) (summary) (writer.opening(&view.description)) };
    writer.finish(&head, &html! {}, &html! {}, &main)
}

/// The id of the facts about the API.
const FACTS: &str = "about";

/// Renders the facts about the API: version, licence, terms, contact, the document itself; nothing
/// where nothing is.
fn facts(view: &Introduction) -> Markup {
    let terms = view.terms.as_ref().map(|terms| NameLink {
        label: terms.label.clone(),
        href: Some(terms.href.clone()),
    });
    let is_empty = view.version.is_none()
        && view.license.is_none()
        && terms.is_none()
        && view.contact.is_empty()
        && view.download.is_none();
    if is_empty {
        return html! {};
    }
    html! {
        dl.api-facts id=(FACTS) {
            @if let Some(version) = &view.version {
                div { dt { (Word::Version) } dd { code { (version) } } }
            }
            @if let Some(license) = &view.license {
                div { dt { (Word::License) } dd { (link(license)) } }
            }
            @if let Some(terms) = &terms {
                div { dt { (Word::TermsOfService) } dd { (link(terms)) } }
            }
            @if !view.contact.is_empty() {
                div { dt { (Word::Contact) } dd {
                    @for (i, contact) in view.contact.iter().enumerate() {
                        @if i > 0 { ", " }
                        (link(contact))
                    }
                } }
            }
            @if let Some(href) = &view.download {
                div { dt { (Word::Specification) } dd {
                    a href=(href) download { (file_name(href)) (icon("download").unwrap_or_default()) }
                } }
            }
        }
    }
}

/// The last part of an address.
fn file_name(href: &str) -> &str {
    let path = href.split(['?', '#']).next().unwrap_or(href);
    let name = path.trim_end_matches('/').rsplit('/').next();
    name.filter(|name| !name.is_empty()).unwrap_or(href)
}

fn link(entry: &NameLink) -> Markup {
    match entry
        .href
        .as_deref()
        .filter(|href| plain::is_safe_link(href))
    {
        Some(href) => html! { a href=(href) { (entry.label) } },
        None => html! { (entry.label) },
    }
}

impl Writer<'_> {
    /// Renders a base address: a reader copies it with the defaults of its variables.
    fn base_url(&mut self, base: &Base) -> Markup {
        html! {
            li.row.api-base {
                @if let Some(name) = &base.name { p.row-title { (name) } }
                div.endpoint data-code {
                    div.endpoint-line {
                        code.endpoint-path data-copy-text { (header::base(&base.server.address)) }
                        button.copy-button.endpoint-copy type="button" data-copy aria-label=(Word::CopyAddress) {
                            span.copy-idle { (icon("copy").unwrap_or_default()) }
                            span.copy-done { (icon("check").unwrap_or_default()) }
                        }
                    }
                }
                (self.text(&base.description, Headings::Flat))
                @if !base.server.variables.is_empty() {
                    p.row-value { code { (base.server.url) } }
                    ul.value-list data-told {
                        @for variable in &base.server.variables { (self.variable(variable)) }
                    }
                }
            }
        }
    }

    fn variable(&mut self, variable: &Variable) -> Markup {
        let others = variable.values.iter();
        let others: Vec<&String> = others.filter(|value| **value != variable.default).collect();
        html! {
            li {
                code { "{" (variable.name) "}" }
                @if !variable.default.is_empty() {
                    span.row-value { " " (Word::Default) " " code { (variable.default) } }
                }
                @if !others.is_empty() {
                    span.row-value {
                        " " (Word::Or) " "
                        @for (i, value) in others.iter().enumerate() {
                            @if i > 0 { ", " }
                            code { (value) }
                        }
                    }
                }
                (self.text(&variable.description, Headings::Flat))
            }
        }
    }

    /// Renders a tag, and the ways to its operations.
    fn tag(&mut self, tag: &TagSection, heading: Word) -> Markup {
        self.anchors.push(tag.anchor.clone());
        let label = match tag.is_untagged {
            true => words::spoken(&tag.label),
            false => Cow::Borrowed(&*tag.label),
        };
        let label = &*label;
        self.outline.push(OutlineEntry {
            level: 3,
            id: tag.anchor.clone(),
            title: label.to_owned(),
        });
        html! {
            section.api-tag {
                h3 id=(tag.anchor) {
                    (label)
                    a.anchor href={ "#" (tag.anchor) } aria-label=(Word::LinkTo.around(&html! { (label) })) {}
                }
                (self.text(&tag.description, Headings::Flat))
                @if let Some(link) = &tag.external_docs { (external(link)) }
                (pages(tag, heading))
            }
        }
    }
}

/// Renders the ways to the pages of a tag: of too many the way to the first, with their number.
fn pages(tag: &TagSection, heading: Word) -> Markup {
    if let Some(first) = tag.beginning() {
        return html! {
            ul.uses { li { a href=(first.href) { span.uses-title { (heading) ": " (tag.count) } } } }
        };
    }
    html! {
        @if !tag.pages.is_empty() {
            ul.uses {
                @for page in &tag.pages {
                    li { a href=(page.href) {
                        @if let Some(method) = &page.method {
                            span.method data-method=(method.to_ascii_lowercase()) { (method) }
                        }
                        span.uses-title { (page.title) }
                        @if page.is_deprecated { (deprecated_pill()) }
                    } }
                }
            }
        }
    }
}
