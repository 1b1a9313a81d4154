//! The request that code samples send: values of the author, else samples; placeholders for secrets.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::code::{DEFAULT, Part, Payload, Request, language};
use super::document::Document;
use super::endpoint::{CodeSample, CodeVariant, Location, SchemeKind, Security, Server};
use super::media::{Form, Format, encoding_of, is_styled_part};
use super::operation::Parameter;
use super::sample::BYTES;
use super::schema::Schema;
use super::serialize::{self, Written, address, text};
use super::slice::decode_fragment;
use super::view::Page;

/// Parts of a request.
pub(super) struct Draft<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) servers: &'a [Server],
    pub(super) security: &'a Security,
    pub(super) parameters: &'a [Parameter],
    pub(super) forms: &'a [Form],
    /// Whether one of the forms must be sent.
    pub(super) needs_body: bool,
    /// The media type that is asked for, unless it is JSON.
    pub(super) accept: Option<String>,
}

/// The author's samples, and generated ones in the other languages.
pub(super) fn samples(
    page: &mut Page<'_, '_>,
    draft: &Draft<'_>,
    operation: &Map<String, Value>,
) -> Vec<CodeSample> {
    let mut samples = authored(operation);
    if !page.settings.is_generated {
        return samples;
    }
    let languages: Vec<String> = match page.settings.languages.is_empty() {
        true => DEFAULT.iter().map(|name| (*name).to_owned()).collect(),
        false => page.settings.languages.clone(),
    };
    let credentials = Credentials::of(draft.security);
    let requests: Vec<(Option<String>, Request)> = forms(draft)
        .into_iter()
        .map(|form| {
            (
                form.map(|form| form.media.name.clone()),
                request(page, draft, form, &credentials),
            )
        })
        .collect();
    for language in languages.iter().filter_map(|name| language(name)) {
        // An author's sample replaces ours of the same language, and a language named twice is used
        // once.
        if samples.iter().any(|sample| sample.id == language.id) {
            continue;
        }
        let variants = requests.iter().map(|(media, request)| CodeVariant {
            media: media.clone(),
            source: language.sample(request),
        });
        samples.push(CodeSample {
            id: language.id.to_owned(),
            label: free_label(&samples, language.label),
            language: language.highlight.to_owned(),
            variants: variants.collect(),
            is_authored: false,
        });
    }
    samples
}

/// `x-codeSamples`, grouped by language.
fn authored(operation: &Map<String, Value>) -> Vec<CodeSample> {
    let listed = ["x-codeSamples", "x-code-samples"]
        .iter()
        .find_map(|key| operation.get(*key)?.as_array());
    let mut samples: Vec<CodeSample> = Vec::new();
    for entry in listed.into_iter().flatten() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let Some(source) = text("source") else {
            continue;
        };
        let name = text("lang").or(text("label")).unwrap_or("text");
        let known = language(name);
        let id = known.map_or(name.to_lowercase(), |language| language.id.to_owned());
        let label = text("label")
            .or(known.map(|language| language.label))
            .unwrap_or(name);
        let highlight = known.map_or(id.clone(), |language| language.highlight.to_owned());
        let sample = CodeSample {
            label: free_label(&samples, label),
            language: highlight,
            variants: vec![CodeVariant {
                media: None,
                source: source.trim_end().to_owned(),
            }],
            is_authored: true,
            id: id.clone(),
        };
        // Behind the last one of its language.
        match samples.iter().rposition(|other| other.id == id) {
            Some(last) => samples.insert(last + 1, sample),
            None => samples.push(sample),
        }
    }
    samples
}

/// A label that no sample has: a tab is known by it. One that is taken gets a number.
fn free_label(samples: &[CodeSample], label: &str) -> String {
    let is_free = |label: &str| samples.iter().all(|sample| sample.label != label);
    let numbered = (2..=samples.len() + 1).map(|number| format!("{label} ({number})"));
    let mut labels = std::iter::once(label.to_owned()).chain(numbered);
    labels.find(|label| is_free(label)).unwrap_or_default()
}

/// The forms of the body; `None` is a request without one.
fn forms<'a>(draft: &Draft<'a>) -> Vec<Option<&'a Form>> {
    match draft.forms {
        [] => vec![None],
        forms => forms.iter().map(Some).collect(),
    }
}

/// The requests of the samples, one for each form of the body, without credentials and base address: a page adds those that its
/// reader has chosen elsewhere.
pub(super) fn bare_requests(page: &mut Page<'_, '_>, draft: &Draft<'_>) -> Vec<Request> {
    let base = address(base(draft), "").len();
    let requests = forms(draft).into_iter().map(|form| {
        let mut request = request(page, draft, form, &Credentials::default());
        request.url.drain(..base);
        request
    });
    requests.collect()
}

/// Credentials of a request: pairs of the query, headers, cookies.
#[derive(Default)]
struct Credentials {
    query: Vec<String>,
    headers: Vec<(String, String)>,
    cookies: Vec<String>,
}

impl Credentials {
    /// Placeholders for the first alternative, or what the document fills in.
    fn of(security: &Security) -> Self {
        let mut credentials = Self::default();
        let schemes = security.alternatives.first().map(|first| &first.schemes);
        for scheme in schemes.into_iter().flatten() {
            let prefill = scheme.prefill.as_deref();
            let authorization = match &scheme.kind {
                SchemeKind::ApiKey { location } => {
                    let key = prefill.unwrap_or("<api-key>");
                    match location {
                        Location::Query => {
                            let name = serialize::encode(&scheme.name, false);
                            let pair = format!("{name}={}", serialize::encode(key, false));
                            credentials.query.push(pair);
                        }
                        Location::Cookie => {
                            credentials.cookies.push(format!("{}={key}", scheme.name));
                        }
                        _ => {
                            let header = (scheme.name.clone(), key.to_owned());
                            credentials.headers.push(header);
                        }
                    }
                    continue;
                }
                SchemeKind::Basic => "Basic <credentials>".to_owned(),
                SchemeKind::Bearer { .. }
                | SchemeKind::OAuth2 { .. }
                | SchemeKind::OpenIdConnect { .. } => {
                    format!("Bearer {}", prefill.unwrap_or("<token>"))
                }
                SchemeKind::Http { .. } | SchemeKind::MutualTls | SchemeKind::Unknown => continue,
            };
            let header = ("Authorization".to_owned(), authorization);
            credentials.headers.push(header);
        }
        credentials
    }
}

/// The base address of the samples.
fn base<'a>(draft: &Draft<'a>) -> &'a str {
    let first = draft.servers.first();
    first.map_or("{baseUrl}", |server| server.address.as_str())
}

/// The request with one form of the body.
fn request(
    page: &mut Page<'_, '_>,
    draft: &Draft<'_>,
    form: Option<&Form>,
    credentials: &Credentials,
) -> Request {
    let is_sent = |parameter: &&Parameter| {
        parameter.row.is_required || page.settings.has_optional && parameter.is_authored
    };
    let parameters: Vec<&Parameter> = draft.parameters.iter().filter(is_sent).collect();
    let mut query = Vec::new();
    let mut headers = credentials.headers.clone();
    let mut cookies = credentials.cookies.clone();
    let mut path = draft.path.to_owned();
    for parameter in &parameters {
        let Some(value) = &parameter.value else {
            continue;
        };
        let name = &parameter.name;
        // A made-up value would look like one that works: the name shows what belongs there.
        let is_open = parameter.location == Location::Path
            && !parameter.is_authored
            && !has_values(page, parameter);
        if is_open {
            continue;
        }
        match parameter.location {
            Location::Path => {
                let written = serialize::path(&parameter.spec, name, value);
                path = path.replace(&format!("{{{name}}}"), &written);
            }
            Location::Query => query.extend(serialize::query(&parameter.spec, name, value)),
            Location::Header => {
                headers.push((name.clone(), serialize::header(&parameter.spec, value)));
            }
            Location::Cookie => cookies.extend(serialize::cookie(&parameter.spec, name, value)),
        }
    }
    query.extend(credentials.query.iter().cloned());
    if let Some(accept) = &draft.accept {
        headers.push(("Accept".to_owned(), accept.clone()));
    }
    if !cookies.is_empty() {
        headers.push(("Cookie".to_owned(), cookies.join("; ")));
    }
    let payload = form.and_then(|form| payload(page, form));
    if let (Some(form), Some(payload)) = (form, &payload)
        && !matches!(payload, Payload::Multipart(_))
    {
        headers.push((
            "Content-Type".to_owned(),
            concrete(&form.media.name).to_owned(),
        ));
    }
    let mut url = address(base(draft), &path);
    if !query.is_empty() {
        // A path of the document may hold a query of its own.
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&query.join("&"));
    }
    Request {
        method: draft.method.to_owned(),
        url,
        headers,
        payload,
    }
}

/// The media type that a sample sends for the range `name`: a `Content-Type` names one (RFC 9110, 8.3).
fn concrete(name: &str) -> &str {
    match name.split(';').next().unwrap_or(name).trim() {
        "*/*" | "application/*" => "application/json",
        "text/*" => "text/plain",
        "image/*" => "image/png",
        "audio/*" => "audio/mpeg",
        "video/*" => "video/mp4",
        range if range.ends_with("/*") => "application/octet-stream",
        _ => name,
    }
}

/// Returns true if the document lists the values of a parameter.
fn has_values(page: &mut Page<'_, '_>, parameter: &Parameter) -> bool {
    let schema = parameter.schema.as_ref();
    schema.is_some_and(|schema| page.schemas.flat(schema).schema.values.is_some())
}

/// The body in one of its forms.
fn payload(page: &mut Page<'_, '_>, form: &Form) -> Option<Payload> {
    let is_binary = form.schema.as_ref().is_some_and(|schema| {
        let flat = page.schemas.flat(schema);
        flat.schema.is_binary
    });
    let format = Format::of(&form.media.name);
    if form.is_positional {
        return Some(Payload::File);
    }
    if is_binary || format == Format::Binary && !matches!(form.value, Some(Value::Object(_))) {
        return Some(Payload::File);
    }
    let value = form.value.as_ref()?;
    Some(match format {
        Format::Json | Format::Binary => match value {
            Value::String(text)
                if form
                    .media
                    .examples
                    .first()
                    .is_some_and(|one| one.text == *text) =>
            {
                Payload::Text(text.clone())
            }
            value => Payload::Json(value.clone()),
        },
        Format::Form => match value {
            Value::Object(_) => Payload::Text(page.form_text(value, &form.encoding)),
            other => Payload::Text(text(other)),
        },
        Format::Multipart => Payload::Multipart(parts(page, form, value)),
        Format::Xml | Format::Text | Format::Lines | Format::Events => {
            let example = form.media.examples.first();
            Payload::Text(example.map_or_else(|| text(value), |example| example.text.clone()))
        }
    })
}

/// The parts of a form: one for each property, one for each item of an array.
fn parts(page: &mut Page<'_, '_>, form: &Form, value: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    let flat = form.schema.as_ref().map(|schema| page.schemas.flat(schema));
    for (name, member) in value.as_object().into_iter().flatten() {
        let property = flat.as_ref().and_then(|flat| flat.schema.member(name));
        let is_always_file = property.as_ref().is_some_and(|property| {
            let flat = page.schemas.flat(property);
            let items = flat.schema.items.clone();
            flat.schema.is_binary
                || items.is_some_and(|items| page.schemas.flat(&items).schema.is_binary)
        });
        let encoding = form.encoding.get(name).and_then(Value::as_object);
        let is_styled = is_styled_part(page.schemas.document.version(), encoding);
        let headers = part_headers(page.schemas.document, encoding);
        let is_text = !is_always_file && member != BYTES;
        if is_styled && is_text && !matches!(member, Value::Null) {
            parts.extend(styled(&encoding_of(encoding), name, member, &headers));
            continue;
        }
        let kind = encoding.and_then(|encoding| encoding.get("contentType")?.as_str());
        let kind = kind.filter(|_| !is_styled);
        // Only a single concrete type is meaningful.
        let kind = kind.filter(|kind| !kind.contains(['*', ',']));
        let items = match member {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        for item in items {
            // Wherever the schema of the part is: in a branch of the form or of the part, in a condition, in a tuple.
            let is_file = is_always_file || item == BYTES;
            // Default type of a part (RFC 7578, 4.4).
            let usual = match is_file {
                true => "application/octet-stream",
                false => "text/plain",
            };
            let is_nested = matches!(item, Value::Object(_) | Value::Array(_));
            let kind = kind.or((is_nested && !is_file).then_some("application/json"));
            let text = match kind.map(Format::of) {
                Some(Format::Json) if item.is_string() => item.to_string(),
                Some(Format::Xml) if is_nested => {
                    let schema = property
                        .as_ref()
                        .and_then(|property| item_schema(page, property, member));
                    schema.map_or_else(|| text(item), |schema| page.schemas.xml(&schema, item))
                }
                Some(Format::Form) if item.is_object() => page.form_text(item, &Map::new()),
                _ => text(item),
            };
            parts.push(Part {
                name: name.clone(),
                text: (!is_file).then_some(text),
                content_type: kind.filter(|kind| *kind != usual).map(str::to_owned),
                headers: headers.clone(),
            });
        }
    }
    parts
}

/// The parts of a property that is written by its style, in which nothing is encoded.
fn styled(
    spec: &serialize::Serialization,
    name: &str,
    value: &Value,
    headers: &[(String, String)],
) -> Vec<Part> {
    let mut spec = *spec;
    spec.written = Written::Style;
    let pairs = serialize::query(&spec, name, value).into_iter();
    let pairs = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((&pair, ""));
        Part {
            name: decode_fragment(name),
            text: Some(decode_fragment(value)),
            content_type: None,
            headers: headers.to_vec(),
        }
    });
    pairs.collect()
}

/// The schema of what one part of `property` holds, of which `value` is the whole.
fn item_schema(
    page: &mut Page<'_, '_>,
    property: &Arc<Schema>,
    value: &Value,
) -> Option<Arc<Schema>> {
    match value {
        Value::Array(_) => page.schemas.flat(property).schema.items.clone(),
        _ => Some(property.clone()),
    }
}

/// Serializations of the properties of a form, for the playground.
pub(super) fn encodings(
    document: &dyn Document<'_>,
    form: &Form,
) -> Vec<super::playground::PlaygroundEncoding> {
    let encodings = form.encoding.iter().map(|(name, encoding)| {
        let encoding = encoding.as_object();
        let spec = encoding_of(encoding);
        super::playground::PlaygroundEncoding {
            name: name.clone(),
            content_type: encoding
                .and_then(|encoding| encoding.get("contentType")?.as_str())
                .map(str::to_owned),
            style: spec.style,
            explode: spec.explode,
            allow_reserved: spec.allow_reserved,
            json: spec.written == Written::Json,
            inner: spec.inner.iter().flatten().copied().collect(),
            styled: match Format::of(&form.media.name) {
                Format::Multipart => is_styled_part(document.version(), encoding),
                _ => spec.written == Written::Style,
            },
            headers: part_headers(document, encoding),
        }
    });
    encodings.collect()
}

/// Returns the target of a value if it is a reference, else the value.
fn referred<'v, 'd: 'v>(document: &dyn Document<'d>, value: &'v Value) -> Option<&'v Value> {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.value(reference.strip_prefix('#')?),
        None => Some(value),
    }
}

/// Returns the headers of a part whose value the document defines: by an example, a default or the
/// only value that is allowed. Its type is defined elsewhere (OpenAPI 3.1, 4.8.15.1.1).
fn part_headers(
    document: &dyn Document<'_>,
    encoding: Option<&Map<String, Value>>,
) -> Vec<(String, String)> {
    let headers = encoding.and_then(|encoding| encoding.get("headers")?.as_object());
    let headers = headers.into_iter().flatten();
    let headers = headers.filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    let headers = headers.filter_map(|(name, header)| {
        let header = referred(document, header)?;
        let of = |key: &str| header.get(key);
        let first = || of("examples")?.as_object()?.values().next()?.get("value");
        let schema = of("schema").and_then(|schema| referred(document, schema));
        let of_schema = |key: &str| schema?.get(key);
        let only = |key: &str| of_schema(key)?.as_array()?.first();
        let value = of("example")
            .or_else(first)
            .or_else(|| of_schema("const"))
            .or_else(|| of_schema("default"))
            .or_else(|| of_schema("example"))
            .or_else(|| only("examples"))
            .or_else(|| only("enum"))?;
        let line = |text: &str| text.replace(['\r', '\n'], " ");
        Some((line(name), line(&text(value))))
    });
    headers.collect()
}
