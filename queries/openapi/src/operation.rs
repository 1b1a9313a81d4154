//! The page of an operation or of a webhook.

mod callbacks;
mod links;
mod parameters;
mod path_item;
mod responses;

use serde_json::{Map, Value};

use super::direction::Hidden;
use super::document::Document;
use super::endpoint::{
    Body, Endpoint, Kind, Link, Modelled, Security, Segment, Server, Settings, Tag,
};
use super::index::{Method, TagNames};
use super::inputs;
use super::media::{Form, open_media};
use super::merge::Schemas;
use super::reference::follow;
use super::request::{Draft, samples};
use super::schema::docs;
use super::security::security;
use super::server::{resolve_flows, server};
use super::title::{operation_description, summary_title};
use super::view::{Page, Scope, meta_description};
use base::data::pointer::{child, segments};
use base::diagnostic::{Code, Diagnostic};

use self::links::RequestParts;
pub(super) use self::parameters::Parameter;
use self::path_item::PathItem;
pub(super) use self::path_item::path_items;

/// Models the page of the operation at `pointer` (`/paths/~1users/get`, `/webhooks/newPet/post`),
/// if it exists.
pub fn endpoint<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    settings: &Settings,
) -> Option<Modelled<Endpoint>> {
    let mut page = Page::new(Schemas::new(document), settings);
    let mut documented = page.operation(pointer)?;
    while let Some(smaller) = page.smaller() {
        page = smaller;
        documented = page.operation(pointer)?;
    }
    Some(Modelled {
        value: documented.view,
        diagnostics: page.schemas.diagnostics.into_iter().collect(),
    })
}

/// An operation, with what requests for it are written and checked by.
pub(super) struct DocumentedOperation {
    /// View of its page.
    pub(super) view: Endpoint,
    /// Parameters, in the order of the page.
    pub(super) parameters: Vec<Parameter>,
    /// Forms of the body.
    pub(super) forms: Vec<Form>,
}

impl<'d> Page<'_, 'd> {
    /// Returns the operation at `pointer`, if it exists.
    pub(super) fn operation(&mut self, pointer: &str) -> Option<DocumentedOperation> {
        let mut names = segments(pointer);
        let kind = match names.next()?.as_str() {
            "paths" => Kind::Operation,
            "webhooks" => Kind::Webhook,
            _ => return None,
        };
        let path = names.next()?;
        let method = names.next()?;
        if names.next().is_some() {
            return None;
        }
        let item = PathItem::new(self, pointer.rsplit_once('/')?.0);
        let (operation, at) = match item.member(self, &method) {
            Some(found) => found,
            None => item.other(self, &method)?,
        };
        let operation = operation.as_object()?;
        let mut documented = self.documented(kind, &path, &method, operation, &at, &item);
        documented.view.pointer = pointer.to_owned();
        Some(documented)
    }

    fn documented(
        &mut self,
        kind: Kind,
        path: &str,
        method: &str,
        operation: &'d Map<String, Value>,
        pointer: &str,
        item: &PathItem,
    ) -> DocumentedOperation {
        let is_webhook = kind == Kind::Webhook;
        let text = |key: &str| operation.get(key).and_then(Value::as_str);
        let metadata = docs(operation, "metadata").and_then(|metadata| metadata.get("description"));
        let own = metadata
            .and_then(Value::as_str)
            .filter(|text| !text.trim().is_empty());
        let description = own
            .unwrap_or_else(|| operation_description(operation))
            .to_owned();
        let method = match Method::of(method) {
            Some(named) => named.name(),
            // Other methods are sent as they are written (OpenAPI 3.2, 4.9.1).
            None => method.to_owned(),
        };
        let title = match text("summary").filter(|summary| !summary.trim().is_empty()) {
            Some(summary) => summary_title(summary),
            None if is_webhook => path.to_owned(),
            None => format!("{method} {path}"),
        };
        let security = self.security(kind, operation, pointer);
        for alternative in &security.alternatives {
            for scheme in &alternative.schemes {
                if !self.is_taken(&scheme.anchor) {
                    self.anchor(&scheme.anchor);
                }
            }
        }
        let scope = |prefix: &str, is_request: bool| Scope {
            prefix: prefix.to_owned(),
            depth: 0,
            hidden: match (is_webhook, is_request) {
                (false, true) | (true, false) => Hidden::ReadOnly,
                _ => Hidden::WriteOnly,
            },
            is_request,
        };
        let parameters = self.parameters(operation, pointer, Some(item), "");
        let (body, forms) = self.body(operation, pointer, is_webhook, &scope("body", true));
        let sent = forms.first().and_then(|form| form.schema.clone());
        let known = self
            .are_known(operation, item)
            .then_some(parameters.as_slice());
        let callbacks = self.callbacks(operation, pointer, sent.as_ref(), known);
        let requested = RequestParts {
            parameters: known,
            body: sent.as_ref(),
        };
        let (responses, open_response) =
            self.responses(operation, pointer, "response", requested, &|prefix| {
                scope(prefix, false)
            });
        let servers = if is_webhook {
            Vec::new()
        } else {
            self.servers(operation, pointer, item)
        };
        let shown_security = self.with_flow_urls(security.clone(), &servers);
        let accept = accept(&responses, open_response);
        let draft = Draft {
            method: &method,
            path,
            servers: &servers,
            security: &security,
            parameters: &parameters,
            forms: &forms,
            needs_body: body.as_ref().is_some_and(|body| body.is_required),
            accept: accept.clone(),
        };
        let (samples, playground) = if is_webhook || self.is_discarded() {
            (Vec::new(), None)
        } else {
            (
                samples(self, &draft, operation),
                Some(inputs::playground(self, &draft)),
            )
        };
        let view = Endpoint {
            kind,
            pointer: pointer.to_owned(),
            operation_id: text("operationId").map(str::to_owned),
            tag: self.tag(operation),
            title,
            segments: if is_webhook {
                vec![Segment::Text(path.to_owned())]
            } else {
                path_segments(path)
            },
            method,
            path: path.to_owned(),
            servers,
            meta_description: meta_description(&description),
            description,
            content: docs(operation, "content")
                .and_then(Value::as_str)
                .map(str::to_owned),
            is_deprecated: operation.get("deprecated") == Some(&Value::Bool(true)),
            external_docs: external_docs(operation),
            security: shown_security,
            parameters: parameters::groups(&parameters),
            body,
            callbacks,
            responses,
            open_response,
            samples,
            playground,
        };
        DocumentedOperation {
            view,
            parameters,
            forms,
        }
    }

    fn security(
        &mut self,
        kind: Kind,
        operation: &'d Map<String, Value>,
        pointer: &str,
    ) -> Security {
        let own = operation.get("security");
        if kind == Kind::Webhook && own.is_none() {
            return Security::default();
        }
        let mut diagnostics = Vec::new();
        let security = security(self.schemas.document, own, pointer, &mut diagnostics);
        self.schemas.diagnostics.extend(diagnostics);
        security
    }

    fn tag(&self, operation: &Map<String, Value>) -> Option<Tag> {
        let tags = operation.get("tags")?.as_array()?;
        let known = self.schemas.document.value("/tags");
        let known = known.map_or_else(TagNames::default, TagNames::read);
        let name = known.tag_of(tags.iter().filter_map(Value::as_str))?;
        Some(Tag {
            label: known.group(name).to_owned(),
            name: name.to_owned(),
        })
    }

    /// The request body, and its forms with what code needs.
    pub(super) fn body(
        &mut self,
        operation: &'d Map<String, Value>,
        pointer: &str,
        is_sent_by_api: bool,
        scope: &Scope,
    ) -> (Option<Body>, Vec<Form>) {
        let Some(body) = operation.get("requestBody") else {
            return (None, Vec::new());
        };
        let mut diagnostics = Vec::new();
        let at = child(pointer, "requestBody");
        let found = follow(self.schemas.document, body, &at, &mut diagnostics);
        self.schemas.diagnostics.extend(diagnostics);
        let Some(found) = found else {
            return (None, Vec::new());
        };
        let anchor = self.anchor(&scope.prefix);
        let content = found.members.get("content");
        let forms = self.forms(content, &child(&found.pointer, "content"), scope);
        let names: Vec<&str> = forms.iter().map(|form| form.media.name.as_str()).collect();
        let body = Body {
            anchor,
            title: if is_sent_by_api { "Payload" } else { "Body" }.to_owned(),
            is_required: found.is("required"),
            description: found.text("description").unwrap_or_default().to_owned(),
            open_media: open_media(&names),
            media: forms.iter().map(|form| form.media.clone()).collect(),
        };
        (Some(body), forms)
    }

    fn servers(
        &mut self,
        operation: &'d Map<String, Value>,
        pointer: &str,
        item: &PathItem,
    ) -> Vec<Server> {
        let own = operation
            .get("servers")
            .map(|servers| (servers, child(pointer, "servers")));
        let of_path = || item.member(self, "servers");
        let found = own.or_else(of_path).map(|(servers, _)| servers);
        let found = found.or_else(|| self.schemas.document.value("/servers"));
        let servers = found.and_then(Value::as_array).into_iter().flatten();
        let base = self.schemas.document.base();
        servers.filter_map(|one| server(one, Some(&base))).collect()
    }

    /// `security` with the addresses of its flows as the first of `servers` has them.
    fn with_flow_urls(&mut self, mut security: Security, servers: &[Server]) -> Security {
        let mut problems = Vec::new();
        resolve_flows(
            &mut security,
            servers.first(),
            &mut |key, flow, name, address| {
                problems.push(unresolved(key, &flow.name, name, address));
            },
        );
        self.schemas.diagnostics.extend(problems);
        security
    }

    /// Returns true if every parameter of an operation was read: one of another document may have
    /// any name.
    fn are_known(&mut self, operation: &'d Map<String, Value>, item: &PathItem) -> bool {
        let of_path = item.member(self, "parameters").map(|(list, _)| list);
        let lists = operation.get("parameters").into_iter().chain(of_path);
        let mut all = lists.filter_map(Value::as_array).flatten();
        all.all(|one| follow(self.schemas.document, one, "", &mut Vec::new()).is_some())
    }

    fn is_taken(&self, anchor: &str) -> bool {
        self.has_anchor(anchor)
    }
}

/// Reports that `address`, the value of `name` in the flow `flow` of the scheme `key`, is not a
/// usable token URL.
pub(super) fn unresolved(key: &str, flow: &str, name: &str, address: &str) -> Diagnostic<String> {
    let scheme = child("/components/securitySchemes", key);
    let at = child(&child(&child(&scheme, "flows"), flow), name);
    let message = format!("`{address}` is no address that a token can be asked of");
    let hint = match address.find('{') {
        Some(_) => {
            "name each variable as a server of the document does, or write the address itself"
        }
        None => "write a whole address, or give the document a server that it is relative to",
    };
    Diagnostic::new(Code::OauthAddress, at, message).hint(hint)
}

/// A path cut at its parameters.
pub(super) fn path_segments(path: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut rest = path;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else {
            break;
        };
        if open > 0 {
            segments.push(Segment::Text(rest[..open].to_owned()));
        }
        segments.push(Segment::Parameter(rest[open + 1..open + length].to_owned()));
        rest = &rest[open + length + 1..];
    }
    if !rest.is_empty() {
        segments.push(Segment::Text(rest.to_owned()));
    }
    segments
}

/// `externalDocs` as a link: its description, else the host.
pub(super) fn external_docs(members: &Map<String, Value>) -> Option<Link> {
    let docs = members.get("externalDocs")?;
    let label = docs.get("description").and_then(Value::as_str);
    Some(external_link(docs.get("url")?.as_str()?, label))
}

/// A link to other documentation: its description, else the host.
pub(super) fn external_link(href: &str, label: Option<&str>) -> Link {
    let href = href.to_owned();
    let host = href
        .split_once("://")
        .map_or(href.as_str(), |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or(host);
    let label = label
        .filter(|label| !label.is_empty())
        .unwrap_or(host)
        .to_owned();
    Link { href, label }
}

/// The media type that a request asks for: that of the open response, unless it is JSON.
fn accept(responses: &[super::endpoint::Response], open: usize) -> Option<String> {
    let response = responses.get(open)?;
    let media = response.media.get(response.open_media)?;
    (!super::media::is_json(&media.name) && media.name != "*/*").then(|| media.name.clone())
}
