//! The page that opens the reference of a document: what the document says of itself, where the API
//! is, how requests prove who sent them, and links to the operations.
//!
//! The document does not determine which operations have pages: the caller passes an [`Overview`].

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;

use super::channel;
use super::document::Document;
use super::endpoint::{Link, Modelled, Scheme, Server};
use super::index::{LabelOverrides, OperationMeta, TagNames};
use super::operation::{external_docs, external_link, unresolved};
use super::security::scheme_named;
use super::server::{resolve_flows_of, server};
use super::view::{meta_description, safe};

/// The pointer that such a page is known by, as others are by the pointers of what they are about.
pub const INTRODUCTION: &str = "/info";

/// Maximum number of operations that such a page lists. If there are more, it lists the groups,
/// with a link to the first page of each and the number of their pages: a link is some twenty bytes
/// of a compressed page.
pub const MAX_LISTED_OPERATIONS: usize = 500;

/// The title of an API that has none.
const UNTITLED: &str = "Introduction";

/// Returns the entry of the page in lists: the title of the API, which is neither cut nor has a
/// method next to it.
pub fn meta(info: Option<&Value>) -> OperationMeta {
    OperationMeta {
        label: LabelOverrides {
            title: Some(text(info, "title").unwrap_or(UNTITLED).to_owned()),
            hide_api_marker: Some(true),
            ..LabelOverrides::default()
        },
        ..OperationMeta::default()
    }
}

/// Returns a one-line description of the API: its summary, else the first paragraph of its
/// description.
pub fn described(info: Option<&Value>) -> Option<String> {
    let summary = text(info, "summary");
    meta_description(summary.or_else(|| text(info, "description"))?)
}

fn text<'v>(value: Option<&'v Value>, key: &str) -> Option<&'v str> {
    let text = value?.get(key)?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

/// Content from the rest of the document and from the site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// The keys of the security schemes, in the order of the document.
    pub schemes: Vec<String>,
    /// The operations that have a page, by the tag in whose group they are, in the order of those groups.
    pub groups: Vec<OverviewGroup>,
}

/// The operations of one tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OverviewGroup {
    /// The tag; `None` of operations without one.
    pub tag: Option<String>,
    /// The name of their group.
    pub label: String,
    /// Operations.
    pub pages: Vec<OverviewPage>,
}

/// The page of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OverviewPage {
    /// Method in upper case; `WEBHOOK` for one. `None` where its page shows none.
    pub method: Option<String>,
    /// Title.
    pub title: String,
    /// Page.
    pub href: String,
    /// Whether it is marked as deprecated.
    pub is_deprecated: bool,
}

/// The page that opens the reference of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// The title of the API.
    pub title: String,
    /// Version of the API.
    pub version: Option<String>,
    /// The summary, where the description does not begin with it; Markdown.
    pub summary: String,
    /// Markdown.
    pub description: String,
    /// The description in a line of plain text.
    pub meta_description: Option<String>,
    /// The terms of use.
    pub terms: Option<Link>,
    /// Persons and addresses to ask.
    pub contact: Vec<NameLink>,
    /// The licence.
    pub license: Option<NameLink>,
    /// URL of the document itself.
    pub download: Option<String>,
    /// Base addresses of the API.
    pub servers: Vec<Base>,
    /// Authentication of requests.
    pub schemes: Vec<Scheme>,
    /// Whether it is an API of channels.
    pub has_channels: bool,
    /// Operations of the API, by tags.
    pub tags: Vec<TagSection>,
    /// External documentation.
    pub external_docs: Option<Link>,
}

/// A name that may lead somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameLink {
    /// Name.
    pub label: String,
    /// Destination.
    pub href: Option<String>,
}

/// A base address of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The address and its variables.
    pub server: Server,
    /// Name (OpenAPI 3.2).
    pub name: Option<String>,
    /// Markdown.
    pub description: String,
}

/// A tag, and the operations in its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagSection {
    /// The id of its heading.
    pub anchor: String,
    /// The name of its group.
    pub label: String,
    /// Markdown.
    pub description: String,
    /// External documentation.
    pub external_docs: Option<Link>,
    /// Whether it has no tag, and its name is not the author's.
    pub is_untagged: bool,
    /// Operations; the first only, where the page would list too many.
    pub pages: Vec<OverviewPage>,
    /// Number of operations.
    pub count: usize,
}

impl TagSection {
    /// Returns the first page of the operations, if they are not listed.
    pub fn beginning(&self) -> Option<&OverviewPage> {
        self.pages.first().filter(|_| self.pages.len() < self.count)
    }
}

/// Models the page.
pub fn introduction<'d>(
    document: &dyn Document<'d>,
    overview: &Overview,
) -> Modelled<Introduction> {
    let info = document.value(INTRODUCTION);
    let member = |key: &str| info.and_then(|info| info.get(key));
    let field = |key: &str| text(info, key);
    let mut diagnostics = Vec::new();
    let whole = channel::is_asyncapi(document).then(|| channel::whole(document, &overview.schemes));
    let has_channels = whole.is_some();
    let (servers, schemes, declared, top) = match whole {
        Some(whole) => {
            diagnostics.extend(whole.diagnostics);
            let tags = Some(Cow::Owned(whole.tags));
            (whole.servers, whole.schemes, tags, member("externalDocs"))
        }
        None => {
            let schemes = overview.schemes.iter();
            let mut schemes: Vec<Scheme> = schemes
                .filter_map(|key| scheme_named(document, key, &mut diagnostics))
                .collect();
            let own = document.base();
            let servers = document.value("/servers").and_then(Value::as_array);
            let servers = servers.into_iter().flatten();
            let servers: Vec<Base> = servers.filter_map(|one| base(one, &own)).collect();
            let first = servers.first().map(|first| &first.server);
            for scheme in &mut schemes {
                resolve_flows_of(
                    &scheme.key,
                    &mut scheme.kind,
                    first,
                    &mut |key, flow, name, address| {
                        diagnostics.push(unresolved(key, &flow.name, name, address));
                    },
                );
            }
            let tags = document.value("/tags").map(Cow::Borrowed);
            (servers, schemes, tags, document.value("/externalDocs"))
        }
    };
    let description = field("description").unwrap_or_default();
    let summary = field("summary").filter(|summary| !description.starts_with(summary));
    let mut ids: HashSet<String> = schemes.iter().map(|scheme| scheme.anchor.clone()).collect();
    let value = Introduction {
        title: field("title").unwrap_or(UNTITLED).to_owned(),
        version: member("version").and_then(version),
        summary: summary.unwrap_or_default().to_owned(),
        description: description.to_owned(),
        meta_description: described(info),
        terms: field("termsOfService").map(|href| external_link(href, None)),
        contact: member("contact").map(contact).unwrap_or_default(),
        license: member("license").and_then(license),
        download: document.address(),
        servers,
        schemes,
        has_channels,
        tags: tags(declared.as_deref(), overview, &mut ids),
        external_docs: top.and_then(|docs| {
            Some(external_link(
                text(Some(docs), "url")?,
                text(Some(docs), "description"),
            ))
        }),
    };
    diagnostics.sort();
    diagnostics.dedup();
    Modelled { value, diagnostics }
}

/// Returns a version as it is written; authors omit the quotes.
fn version(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn contact(contact: &Value) -> Vec<NameLink> {
    let field = |key: &str| text(Some(contact), key);
    let (name, url, email) = (field("name"), field("url"), field("email"));
    let mut entries = Vec::new();
    if let Some(label) = name.or(url) {
        entries.push(NameLink {
            label: label.to_owned(),
            href: url.map(str::to_owned),
        });
    }
    entries.extend(email.map(|email| NameLink {
        label: email.to_owned(),
        href: Some(format!("mailto:{email}")),
    }));
    entries
}

/// The licence: one that is named by an SPDX expression leads to its text, if it is a single one.
fn license(license: &Value) -> Option<NameLink> {
    let field = |key: &str| text(Some(license), key);
    let (url, expression) = (field("url"), field("identifier"));
    let is_one = |expression: &&str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-.+".contains(c);
        expression.chars().all(is_part)
    };
    let of_expression = expression.filter(is_one);
    let href = url.map(str::to_owned);
    Some(NameLink {
        label: field("name").or(expression).or(url)?.to_owned(),
        href: href.or_else(|| Some(format!("https://spdx.org/licenses/{}.html", of_expression?))),
    })
}

fn base(value: &Value, own: &str) -> Option<Base> {
    Some(Base {
        server: server(value, Some(own))?,
        name: text(Some(value), "name").map(str::to_owned),
        description: text(Some(value), "description")
            .unwrap_or_default()
            .to_owned(),
    })
}

/// The sections of the tags, in the order of the groups. Tags that contain other groups come before
/// them; tags without operations but with a description come last.
fn tags(
    declared: Option<&Value>,
    overview: &Overview,
    ids: &mut HashSet<String>,
) -> Vec<TagSection> {
    let names = declared.map_or_else(TagNames::default, TagNames::read);
    let declared = declared.and_then(Value::as_array).into_iter().flatten();
    let declared: Vec<(&str, &Value)> = declared
        .filter_map(|tag| Some((tag.get("name")?.as_str()?, tag)))
        .collect();
    let mut seen = HashSet::new();
    let all: usize = overview.groups.iter().map(|group| group.pages.len()).sum();
    let mut sections = Vec::new();
    let mut add = |tag: Option<&str>, label: &str, pages: &[OverviewPage]| {
        let about = tag.and_then(|tag| {
            let mut declared = declared.iter();
            declared
                .find(|(name, _)| *name == tag)
                .map(|(_, about)| *about)
        });
        let description = text(about, "description").unwrap_or_default();
        if pages.is_empty() && description.is_empty() {
            return;
        }
        let wanted = format!("tag-{}", safe(tag.unwrap_or(label)));
        let mut anchor = wanted.clone();
        for number in 2.. {
            if ids.insert(anchor.clone()) {
                break;
            }
            anchor = format!("{wanted}-{number}");
        }
        sections.push(TagSection {
            anchor,
            label: label.to_owned(),
            description: description.to_owned(),
            external_docs: about.and_then(Value::as_object).and_then(external_docs),
            is_untagged: tag.is_none(),
            pages: match all > MAX_LISTED_OPERATIONS {
                true => pages.iter().take(1).cloned().collect(),
                false => pages.to_vec(),
            },
            count: pages.len(),
        });
    };
    for group in &overview.groups {
        let Some(tag) = &group.tag else {
            add(None, &group.label, &group.pages);
            continue;
        };
        for around in names.around(tag) {
            if around != tag && seen.insert(around.to_owned()) {
                let own = overview.groups.iter();
                let has_pages = own
                    .clone()
                    .any(|group| group.tag.as_deref() == Some(around));
                if !has_pages {
                    add(Some(around), names.group(around), &[]);
                }
            }
        }
        seen.insert(tag.clone());
        add(Some(tag), &group.label, &group.pages);
    }
    for (tag, _) in &declared {
        if seen.insert((*tag).to_owned()) && !names.is_mark(tag) {
            add(Some(tag), names.group(tag), &[]);
        }
    }
    sections
}
