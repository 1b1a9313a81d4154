//! Which response is sent, and what it says.

use serde_json::{Value, json};

use super::call::{Call, covers};
use super::{Answer, problem};
use crate::endpoint::{Endpoint, Example, MediaType, Response};

/// What a client would rather have (RFC 7240): `status=404`, `example=empty`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preference {
    /// The status of the response; `code` is understood too.
    pub status: Option<u16>,
    /// The label or the key of an example.
    pub example: Option<String>,
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
                _ => {}
            }
        }
        preference
    }
}

/// The response to a request that is in order.
pub(super) fn respond(view: &Endpoint, call: &Call<'_>) -> Answer {
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
                let known = view.responses.iter().map(|one| one.status.as_str());
                let known: Vec<&str> = known.collect();
                let title = format!("the document has no response `{status}`");
                let detail = format!("documented: {}", known.join(", "));
                problem(400, &title, json!({ "detail": detail }))
            }
            // No response is documented: it went well, as far as anybody knows.
            None => Answer {
                status: 204,
                headers: Vec::new(),
                body: String::new(),
            },
        };
    };
    let mut headers = Vec::new();
    for row in &response.headers {
        let example = row.view.examples.first();
        let name = row.name.text().to_lowercase();
        if let Some(example) = example.filter(|_| is_free(&name)) {
            let value = example.trim_matches('"').to_owned();
            let is_field = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
            if value.bytes().all(is_field) {
                headers.push((name, value));
            }
        }
    }
    let Some(media) = media_of(response, call.header("accept").unwrap_or_default()) else {
        return Answer {
            status,
            headers,
            body: String::new(),
        };
    };
    // A body is not for these (RFC 9110, 15.3.5 and 15.4.5).
    if matches!(status, 100..=199 | 204 | 304) {
        return Answer {
            status,
            headers,
            body: String::new(),
        };
    }
    let wanted = preference.example.as_deref();
    let named = wanted.and_then(|name| {
        let mut examples = media.examples.iter();
        examples.find(|example| example.key == name || example.label == name)
    });
    if let (Some(name), None) = (wanted, named) {
        let known: Vec<&str> = (media.examples.iter())
            .map(|example| example.key.as_str())
            .filter(|key| !key.is_empty())
            .collect();
        let title = format!("the response `{status}` has no example `{name}`");
        let detail = format!("documented: {}", known.join(", "));
        return problem(400, &title, json!({ "detail": detail }));
    }
    headers.push(("content-type".to_owned(), concrete(&media.name)));
    Answer {
        status,
        headers,
        body: named
            .or(media.examples.first())
            .map(|example| body_of(&media.name, example))
            .unwrap_or_default(),
    }
}

/// Whether an example of this header may be sent: those that say how the message itself is written may not.
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
            | "set-cookie"
    )
}

/// The response of a status: as it is written, else by its class, else `default`.
fn of_status(responses: &[Response], status: u16) -> Option<&Response> {
    let written = status.to_string();
    let class = format!("{}XX", status / 100);
    [written.as_str(), class.as_str(), "default"]
        .into_iter()
        .find_map(|wanted| responses.iter().find(|one| one.status == wanted))
}

/// The status that is sent for a response that nobody asked for by number.
fn usual_status(written: &str) -> u16 {
    let class = written
        .strip_suffix("XX")
        .and_then(|class| class.parse::<u16>().ok());
    match (written.parse(), class) {
        (Ok(status), _) => status,
        (_, Some(class)) => class * 100,
        _ => 200,
    }
}

/// The form that `accept` asks for first, by the order of the header; the open one where nothing is asked for or nothing
/// fits, as servers may do (RFC 9110, 12.5.1).
fn media_of<'a>(response: &'a Response, accept: &str) -> Option<&'a MediaType> {
    let open = response.media.get(response.open_media);
    let wanted = accept.split(',').map(|range| {
        let kind = range.split(';').next().unwrap_or_default();
        kind.trim().to_lowercase()
    });
    let mut wanted = wanted.filter(|range| !range.is_empty());
    let found = wanted.find_map(|range| {
        if range == "*/*" {
            return open;
        }
        let of = |media: &&MediaType| {
            let name = media
                .name
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_lowercase();
            covers(&range, &name) || covers(&name, &range)
        };
        response.media.iter().find(of)
    });
    found.or(open)
}

/// A media type that can be sent: a range such as `*/*` stands for JSON, which its example is.
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
