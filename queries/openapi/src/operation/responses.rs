//! What comes back.

use serde_json::{Map, Value};

use crate::document::{OperationName, decode_fragment};
use crate::endpoint::{Response, ResponseLink};
use crate::media::open_media;
use crate::reference::follow;
use crate::serialize::text;
use crate::view::{Page, Scope};
use base::data::pointer::child;
use base::diagnostic::Code;

impl<'d> Page<'_, 'd> {
    /// The responses of an operation, and which is open: the first 2xx, else the first.
    pub(super) fn responses(
        &mut self,
        operation: &'d Map<String, Value>,
        pointer: &str,
        prefix: &str,
        scope: &dyn Fn(&str) -> Scope,
    ) -> (Vec<Response>, usize) {
        let mut responses = Vec::new();
        let listed = operation.get("responses");
        let listed = listed.and_then(|map| self.followed(map, &child(pointer, "responses")));
        let base = listed.as_ref().map(|listed| listed.pointer.clone());
        let base = base.unwrap_or_default();
        let listed = listed.map(|listed| listed.members);
        for (status, response) in listed.into_iter().flatten() {
            if status.starts_with("x-") {
                continue;
            }
            let at = child(&base, status);
            if !is_status(status) {
                let message = format!("`{status}` is no status of HTTP");
                self.schemas.problem(Code::StatusInvalid, &at, message);
            }
            let found = self.followed(response, &at);
            let anchor = self.anchor(&format!("{prefix}-{status}"));
            let scope = scope(&anchor);
            let label = if status == "default" {
                "Default"
            } else {
                status
            }
            .to_owned();
            let Some(found) = found else {
                responses.push(Response {
                    anchor,
                    status: status.clone(),
                    label,
                    summary: None,
                    description: String::new(),
                    headers: Vec::new(),
                    media: Vec::new(),
                    open_media: 0,
                    links: Vec::new(),
                });
                continue;
            };
            let headers_at = child(&found.pointer, "headers");
            let of_headers = Scope {
                prefix: format!("{anchor}-header"),
                ..scope.clone()
            };
            let headers = self.headers(found.members.get("headers"), &headers_at, &of_headers);
            let content_at = child(&found.pointer, "content");
            let forms = self.forms(found.members.get("content"), &content_at, &scope);
            let names: Vec<&str> = forms.iter().map(|form| form.media.name.as_str()).collect();
            responses.push(Response {
                anchor,
                status: status.clone(),
                label,
                summary: found.text("summary").map(str::to_owned),
                description: found.text("description").unwrap_or_default().to_owned(),
                headers,
                open_media: open_media(&names),
                media: forms.into_iter().map(|form| form.media).collect(),
                links: self.links(found.members.get("links"), &child(&found.pointer, "links")),
            });
        }
        let open = responses
            .iter()
            .position(|response| response.status.starts_with('2'));
        (responses, open.unwrap_or(0))
    }

    fn links(&mut self, links: Option<&'d Value>, pointer: &str) -> Vec<ResponseLink> {
        let mut rows = Vec::new();
        for (name, link) in links.and_then(Value::as_object).into_iter().flatten() {
            let at = child(pointer, name);
            let mut diagnostics = Vec::new();
            let found = follow(self.schemas.document, link, &at, &mut diagnostics);
            self.schemas.diagnostics.extend(diagnostics);
            let Some(found) = found else {
                continue;
            };
            let id = found.text("operationId");
            let reference = found.text("operationRef");
            let operation = match (id, reference) {
                (Some(id), _) => Some(OperationName::Id(id.to_owned())),
                (None, Some(reference)) => reference
                    .strip_prefix('#')
                    .map(|fragment| OperationName::Pointer(decode_fragment(fragment))),
                (None, None) => None,
            };
            let target = id.or(reference).unwrap_or_default().to_owned();
            let document = self.schemas.document;
            let href = operation
                .as_ref()
                .and_then(|operation| document.operation_href(operation));
            let is_known = href.is_some()
                || matches!(&operation, Some(OperationName::Pointer(at)) if document.value(at).is_some());
            if !is_known {
                let message =
                    format!("the link `{name}` names the operation `{target}`, which has no page");
                self.schemas
                    .problem(Code::LinkMissing, &found.pointer, message);
            }
            let parameters = found.members.get("parameters").and_then(Value::as_object);
            let mut parameters: Vec<(String, String)> = parameters
                .into_iter()
                .flatten()
                .map(|(name, expression)| (name.clone(), text(expression)))
                .collect();
            let body = found.members.get("requestBody");
            parameters.extend(body.map(|body| ("body".to_owned(), text(body))));
            rows.push(ResponseLink {
                name: name.clone(),
                target,
                href,
                description: found.text("description").unwrap_or_default().to_owned(),
                parameters,
            });
        }
        rows
    }
}

/// `200`, `2XX`, `default`.
fn is_status(status: &str) -> bool {
    let bytes = status.as_bytes();
    let is_class = |byte: u8| (b'1'..=b'5').contains(&byte);
    let is_number =
        bytes.len() == 3 && is_class(bytes[0]) && bytes[1..].iter().all(u8::is_ascii_digit);
    let is_range = bytes.len() == 3 && is_class(bytes[0]) && &bytes[1..] == b"XX";
    status == "default" || is_number || is_range
}
