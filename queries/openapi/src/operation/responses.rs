//! Responses of an operation.

use serde_json::{Map, Value};

use super::links::{RequestParts, ResponseParts};
use crate::endpoint::Response;
use crate::media::open_media;
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
        requested: RequestParts<'_>,
        scope: &dyn Fn(&str) -> Scope,
    ) -> (Vec<Response>, usize) {
        let mut responses = Vec::new();
        let listed = operation.get("responses");
        let listed = listed.and_then(|map| self.follow(map, &child(pointer, "responses")));
        let base = listed.as_ref().map(|listed| listed.pointer.clone());
        let base = base.unwrap_or_default();
        let listed = listed.map(|listed| listed.members);
        let none = Map::new();
        for (status, response) in listed.into_iter().flatten() {
            if status.starts_with("x-") {
                continue;
            }
            let at = child(&base, status);
            if !is_status(status) {
                let message = format!("`{status}` is no status of HTTP");
                self.schemas.problem(Code::StatusInvalid, &at, message);
            }
            let found = self.follow(response, &at);
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
            let of_links = found.members.get("links");
            let returned = ResponseParts {
                bodies: forms
                    .iter()
                    .filter_map(|form| form.schema.clone())
                    .collect(),
                headers: (found.members.get("headers").and_then(Value::as_object))
                    .or(Some(&none))
                    .filter(|headers| !headers.contains_key("$ref")),
            };
            let links = self.links(
                of_links,
                &child(&found.pointer, "links"),
                requested,
                &returned,
            );
            responses.push(Response {
                anchor,
                status: status.clone(),
                label,
                summary: found.text("summary").map(str::to_owned),
                description: found.text("description").unwrap_or_default().to_owned(),
                headers,
                open_media: open_media(&names),
                media: forms.into_iter().map(|form| form.media).collect(),
                links,
            });
        }
        let open = responses
            .iter()
            .position(|response| response.status.starts_with('2'));
        (responses, open.unwrap_or(0))
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
