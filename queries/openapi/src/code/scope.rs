//! Variables of a request in templates: `code/languages/README.md` lists them.

use super::quote::is_native;
use super::template::{Frame, Slot};
use super::{Part, Payload, Request};

/// The name of a file, where no reader has chosen one.
const FILE: &str = "file";

/// The body as text, JSON indented by two spaces; `None` for files, forms in parts and requests without a body.
pub(crate) fn body_text(request: &Request) -> Option<String> {
    match request.payload.as_ref()? {
        Payload::Json(value) => serde_json::to_string_pretty(value).ok(),
        Payload::Text(text) => Some(text.clone()),
        Payload::Multipart(_) | Payload::File => None,
    }
}

/// The names of a request, whose body as text is `text`.
pub(super) fn frame<'a>(request: &'a Request, text: Option<&'a str>) -> Frame<'a> {
    let mut frame = Frame::default();
    frame.text("method", &*request.method);
    frame.text("url", &*request.url);
    let (host, target) = host_and_target(&request.url);
    frame.text("host", host);
    frame.text("target", target);
    let is_media = |name: &str| name.eq_ignore_ascii_case("content-type");
    let header = |(name, value): &'a (String, String)| {
        let mut frame = Frame::default();
        frame.text("name", &**name);
        frame.text("value", &**value);
        frame
    };
    let others = request.headers.iter().filter(|(name, _)| !is_media(name));
    frame.each("headers", request.headers.iter().map(header).collect());
    frame.each("others", others.map(header).collect());
    if let Some((_, media)) = request.headers.iter().find(|(name, _)| is_media(name)) {
        frame.text("media", &**media);
    }
    frame.flag("body", request.payload.is_some());
    if let Some(text) = text {
        frame.text("text", text);
    }
    let mut has_file = false;
    match &request.payload {
        Some(Payload::Json(value)) => {
            frame.flag("is_json", true);
            if is_native(value) {
                frame.0.push(("native", Slot::Json(value)));
            }
        }
        Some(Payload::Multipart(form)) => {
            has_file = form.iter().any(|part| part.text.is_none());
            frame.flag(
                "is_typed",
                form.iter().any(|part| part.content_type.is_some()),
            );
            let mut texts = form.iter().filter_map(|part| part.text.as_deref());
            frame.flag("text_lines", texts.any(|text| text.contains(['\n', '\r'])));
            let is_typed = |part: &Part| part.text.is_some() && part.content_type.is_some();
            let is_headed = |part: &Part| !part.headers.is_empty();
            frame.flag("headed", form.iter().any(is_headed));
            let is_written = |part: &Part| is_typed(part) || is_headed(part);
            frame.flag("typed_text", form.iter().any(is_written));
            let is_twin = |at: usize| form[..at].iter().any(|other| other.name == form[at].name);
            frame.flag("twins", (1..form.len()).any(is_twin));
            let parts = (0..form.len()).map(|at| part(form, at));
            frame.0.push(("parts", Slot::Each(parts.collect())));
        }
        Some(Payload::File) => {
            has_file = true;
            frame.text("file", FILE);
        }
        Some(Payload::Text(_)) | None => {}
    }
    if has_file {
        let mut file = Frame::default();
        file.text("file", FILE);
        file.text("var", FILE);
        file.text("index", "0");
        frame.each("files", vec![file]);
    }
    frame
}

/// Returns the template variables for one part of a form.
fn part(form: &[Part], at: usize) -> Frame<'_> {
    let part = &form[at];
    let mut frame = Frame::default();
    frame.text("name", &*part.name);
    frame.text("index", at.to_string());
    match &part.text {
        Some(text) => frame.text("text", &**text),
        None => {
            frame.text("file", FILE);
            frame.text("var", FILE);
        }
    }
    if let Some(kind) = &part.content_type {
        frame.text("type", &**kind);
    }
    let headers = part.headers.iter().map(|(name, value)| {
        let mut frame = Frame::default();
        frame.text("name", &**name);
        frame.text("value", &**value);
        frame
    });
    frame.each("own", headers.collect());
    frame
}

/// The host and what is asked of it.
fn host_and_target(url: &str) -> (&str, String) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    match target.starts_with('/') {
        true => (host, target.to_owned()),
        false => (host, format!("/{target}")),
    }
}
