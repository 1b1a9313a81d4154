//! Choice of a response, and its content.

use serde_json::{Value, json};

use super::call::{Call, covers};
use super::{Answer, dynamic, pictures, problem};
use crate::endpoint::{Endpoint, Example, MediaType, Response};
use crate::merge::Schemas;
use crate::operation::DocumentedOperation;
use crate::response::{response_header, response_schema};

/// Preferences of a client (RFC 7240): `status=404`, `example=empty`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preference {
    /// The status of the response; `code` is understood too.
    pub status: Option<u16>,
    /// The label or the key of an example.
    pub example: Option<String>,
    /// Whether values are wanted that are made of the schema (`dynamic=true`), not the examples of the document.
    pub is_dynamic: bool,
}

impl Preference {
    /// Reads a `Prefer` header; what is not known is left out, as the standard asks.
    pub fn of(header: &str) -> Self {
        let mut preference = Self::default();
        for part in header.split([',', ';']) {
            let Some((name, value)) = part.split_once('=') else {
                continue;
            };
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "status" | "code" => preference.status = value.parse().ok(),
                "example" => preference.example = Some(value.to_owned()),
                "dynamic" => preference.is_dynamic = value.eq_ignore_ascii_case("true"),
                _ => {}
            }
        }
        preference
    }
}

/// The response to a request that is in order.
pub(super) fn respond(
    schemas: &mut Schemas<'_, '_>,
    operation: &DocumentedOperation,
    call: &Call<'_>,
) -> Answer {
    let view = &operation.view;
    let preference = Preference::of(call.header("prefer").unwrap_or_default());
    let found = match preference.status {
        Some(status) => of_status(&view.responses, status).map(|response| (status, response)),
        None => view
            .responses
            .get(view.open_response)
            .map(|response| (usual_status(&response.status), response)),
    };
    let Some((status, response)) = found else {
        return match preference.status {
            Some(status) => {
                let statuses = view.responses.iter().map(|one| one.status.as_str());
                let statuses: Vec<&str> = statuses.collect();
                let title = format!("the document has no response `{status}`");
                let detail = format!("documented: {}", statuses.join(", "));
                problem(404, &title, json!({ "detail": detail }))
            }
            // No response is documented: it went well, as far as anybody knows.
            None => Answer {
                status: 204,
                headers: Vec::new(),
                body: String::new(),
                picture: None,
            },
        };
    };
    let accept = call.header("accept").unwrap_or_default();
    let Some(media) = media_of(response, accept) else {
        if response.media.is_empty() || is_bodiless(status) {
            return bodiless(schemas, view, status, response);
        }
        if let Some(answer) = documented(schemas, view, call, &[406]) {
            return answer;
        }
        let media_types: Vec<&str> = response.media.iter().map(|one| one.name.as_str()).collect();
        let title = format!("the response `{status}` has no form that `{accept}` allows");
        let detail = format!("documented: {}", media_types.join(", "));
        return problem(406, &title, json!({ "detail": detail }));
    };
    if is_bodiless(status) {
        return bodiless(schemas, view, status, response);
    }
    let example_name = preference.example.as_deref();
    let named_example = example_name.and_then(|name| {
        let mut examples = media.examples.iter();
        examples.find(|example| example.key == name || example.label == name)
    });
    if let (Some(name), None) = (example_name, named_example) {
        let keys: Vec<&str> = (media.examples.iter())
            .map(|example| example.key.as_str())
            .filter(|key| !key.is_empty())
            .collect();
        let title = format!("the response `{status}` has no example `{name}`");
        let detail = format!("documented: {}", keys.join(", "));
        return problem(404, &title, json!({ "detail": detail }));
    }
    let example = named_example.or(media.examples.first());
    let headers = headers_of(schemas, view, response);
    let mut answer = answer_with(status, headers, media, example);
    if preference.is_dynamic
        && named_example.is_none()
        && answer.picture.is_none()
        && let Some(schema) = response_schema(schemas, &view.pointer, &response.status, &media.name)
        && let Some(body) = dynamic::body(schemas, &schema, &media.name, call)
    {
        answer.body = body;
    }
    answer
}

/// The first response of the document with a body that has one of `statuses`, else that of their class, or that for everything
/// else, with the first of them. In the form that the client would rather have, or in any.
pub(super) fn documented(
    schemas: &mut Schemas<'_, '_>,
    view: &Endpoint,
    call: &Call<'_>,
    statuses: &[u16],
) -> Option<Answer> {
    let preference = Preference::of(call.header("prefer").unwrap_or_default());
    let with_body = |written: &str| {
        let mut responses = view.responses.iter();
        responses.find(|one| one.status == written && !one.media.is_empty())
    };
    let exact = || {
        let mut statuses = statuses.iter();
        statuses.find_map(|status| Some((*status, with_body(&status.to_string())?)))
    };
    let first = *statuses.first()?;
    let class = || Some((first, with_body(&format!("{}XX", first / 100))?));
    let other = || Some((first, with_body("default")?));
    // An empty response of this very status matches the document, too.
    let is_said = statuses.iter().any(|status| {
        let mut responses = view.responses.iter();
        responses.any(|one| one.status == status.to_string())
    });
    let (status, response) = match exact() {
        Some(found) => found,
        None if is_said => return None,
        None => class().or_else(other)?,
    };
    let accept = call.header("accept").unwrap_or_default();
    let open = response.media.get(response.open_media);
    let media = media_of(response, accept).or(open)?;
    let example_name = preference.example.as_deref();
    let example = media.examples.iter().find(|example| {
        let is_asked_for = preference.status == Some(status);
        is_asked_for
            && example_name.is_some_and(|name| example.key == name || example.label == name)
    });
    Some(answer_with(
        status,
        headers_of(schemas, view, response),
        media,
        example.or(media.examples.first()),
    ))
}

/// A response in one of its forms, with `headers`.
fn answer_with(
    status: u16,
    mut headers: Vec<(String, String)>,
    media: &MediaType,
    example: Option<&Example>,
) -> Answer {
    let kind = media.name.split(';').next().unwrap_or_default();
    let kind = kind.trim().to_lowercase();
    let kind = if kind == "image/*" {
        "image/png"
    } else {
        &kind
    };
    // An example of a picture that a document can hold is no picture.
    let is_own = kind == "image/svg+xml" && example.is_some_and(|one| one.text.contains("<svg"));
    let picture = pictures::picture(kind).filter(|_| !is_own);
    let name = match picture {
        Some(_) => kind.to_owned(),
        None => concrete(&media.name),
    };
    headers.push(("content-type".to_owned(), name));
    let body = example.filter(|_| picture.is_none());
    Answer {
        status,
        headers,
        body: body
            .map(|example| body_of(&media.name, example))
            .unwrap_or_default(),
        picture,
    }
}

/// A response without a body.
fn bodiless(
    schemas: &mut Schemas<'_, '_>,
    view: &Endpoint,
    status: u16,
    response: &Response,
) -> Answer {
    Answer {
        status,
        headers: headers_of(schemas, view, response),
        body: String::new(),
        picture: None,
    }
}

/// Returns true if a status has no body (RFC 9110, 15.3.5 and 15.4.5).
fn is_bodiless(status: u16) -> bool {
    matches!(status, 100..=199 | 204 | 205 | 304)
}

/// The headers of a response that have an example or a default, and those that it must have.
fn headers_of(
    schemas: &mut Schemas<'_, '_>,
    view: &Endpoint,
    response: &Response,
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for row in &response.headers {
        let own = row.name.text();
        let name = own.to_lowercase();
        if !is_free(&name) {
            continue;
        }
        let value = row.view.examples.first().or(row.view.default.as_ref());
        let value = match value {
            Some(value) => {
                Some(serde_json::from_str::<String>(value).unwrap_or_else(|_| value.clone()))
            }
            None if row.is_required => {
                response_header(schemas, &view.pointer, &response.status, own)
            }
            None => None,
        };
        let is_field = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
        if let Some(value) = value.filter(|value| value.bytes().all(is_field)) {
            headers.push((name, value));
        }
    }
    headers
}

/// Returns true if an example of this header may be sent: those that describe the encoding of the
/// message itself may not.
fn is_free(name: &str) -> bool {
    !matches!(
        name,
        "content-type"
            | "content-length"
            | "content-encoding"
            | "transfer-encoding"
            | "connection"
            | "upgrade"
            | "trailer"
            | "date"
    )
}

/// The response of a status: as it is written, else by its class, else `default`.
pub(super) fn of_status(responses: &[Response], status: u16) -> Option<&Response> {
    let code = status.to_string();
    let class = format!("{}XX", status / 100);
    [code.as_str(), class.as_str(), "default"]
        .into_iter()
        .find_map(|key| responses.iter().find(|one| one.status == key))
}

/// Returns the status that is sent for a response that was not requested by number.
fn usual_status(response: &str) -> u16 {
    let class = response
        .strip_suffix("XX")
        .and_then(|class| class.parse::<u16>().ok());
    match (response.parse(), class) {
        (Ok(status), _) => status,
        (_, Some(class)) => class * 100,
        _ => 200,
    }
}

/// The form that `accept` weighs most (RFC 9110, 12.5.1): by the most specific range for each, of
/// several that weigh the same that of the range that is named first, and in that range the open
/// one. `None` if none is allowed.
fn media_of<'a>(response: &'a Response, accept: &str) -> Option<&'a MediaType> {
    let open = response.media.get(response.open_media);
    let ranges = ranges(accept);
    if ranges.is_empty() {
        return open;
    }
    let mut best: Option<(f32, usize, &MediaType)> = None;
    let others = response.media.iter();
    for media in open.into_iter().chain(others) {
        let name = media.name.split(';').next().unwrap_or_default();
        let name = name.trim().to_lowercase();
        let covering = ranges.iter().enumerate().filter(|(_, (range, _))| {
            // A document may have a range, too.
            covers(range, &name) || covers(&name, range)
        });
        let Some((place, (_, weight))) =
            covering.max_by_key(|(place, (range, _))| (detail(range), std::cmp::Reverse(*place)))
        else {
            continue;
        };
        let is_better =
            best.is_none_or(|(known, at, _)| *weight > known || (*weight == known && place < at));
        if *weight > 0.0 && is_better {
            best = Some((*weight, place, media));
        }
    }
    best.map(|(_, _, media)| media)
}

/// The ranges of an `Accept` header with their weights.
fn ranges(accept: &str) -> Vec<(String, f32)> {
    let ranges = accept.split(',').filter_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let range = parts.next().unwrap_or_default().to_lowercase();
        let weight = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let is_weight = name.trim().eq_ignore_ascii_case("q");
            is_weight.then(|| value.trim().parse::<f32>().unwrap_or(1.0))
        });
        (!range.is_empty()).then(|| (range, weight.unwrap_or(1.0)))
    });
    ranges.collect()
}

/// Returns the specificity of a range.
fn detail(range: &str) -> usize {
    match range.split_once('/') {
        Some(("*", _)) | None => 0,
        Some((_, "*")) => 1,
        Some(_) => 2,
    }
}

/// A media type that can be sent: a range such as `*/*` means JSON, as its example is JSON.
fn concrete(name: &str) -> String {
    match name.contains('*') {
        true => "application/json".to_owned(),
        false => name.to_owned(),
    }
}

/// The text of an example as it goes over the wire: streams of JSON have one value a line, or one an event.
fn body_of(media: &str, example: &Example) -> String {
    let kind = media
        .split(';')
        .next()
        .unwrap_or(media)
        .trim()
        .to_lowercase();
    let compact = || match serde_json::from_str::<Value>(&example.text) {
        Ok(value) => value.to_string(),
        Err(_) => example.text.replace('\n', " "),
    };
    match kind.as_str() {
        "text/event-stream"
            if !example.text.starts_with("data:") && !example.text.starts_with("event:") =>
        {
            format!("data: {}\n\n", compact())
        }
        "application/x-ndjson" | "application/jsonl" | "application/json-lines" => {
            format!("{}\n", compact())
        }
        "application/json-seq" => format!("\u{1e}{}\n", compact()),
        _ => example.text.clone(),
    }
}
