//! Validates a request to the mock against its operation.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::faults::faults;
use super::path::decoded;
use super::values::{self, form_text, of_cookies, of_pairs, of_query, of_text, pairs};
use super::xml::well_formed;
use super::{Rule, Violation};
use crate::direction::Hidden;
use crate::endpoint::{Body, Endpoint, Location, Scheme, SchemeKind};
use crate::media::{Form, Format, encoding_of, is_styled_part};
use crate::merge::Schemas;
use crate::operation::Parameter;
use crate::schema::Schema;
use crate::serialize::Written;

/// A request to a mock.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The values of the path, percent-encoded as they were sent.
    pub path: &'a [(String, String)],
    /// Query after the `?`, or nothing.
    pub query: &'a str,
    /// Headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// Body.
    pub body: &'a [u8],
}

impl<'a> Call<'a> {
    /// The first header of this name, which is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&'a str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name)?;
        Some(found.1.as_str())
    }

    /// Names and values of the cookies (RFC 6265, 4.2).
    fn cookies(&self) -> Vec<(&'a str, &'a str)> {
        let cookies = self.header("cookie").unwrap_or_default().split(';');
        cookies
            .filter_map(|cookie| cookie.trim().split_once('='))
            .collect()
    }
}

/// Returns true if `call` has the credentials of one of the alternatives. Their values are not
/// checked.
pub(super) fn is_authorized(view: &Endpoint, call: &Call<'_>) -> bool {
    let security = &view.security;
    if security.is_optional || security.is_none || security.alternatives.is_empty() {
        return true;
    }
    let mut alternatives = security.alternatives.iter();
    alternatives.any(|alternative| {
        alternative
            .schemes
            .iter()
            .all(|scheme| is_there(scheme, call))
    })
}

fn is_there(scheme: &Scheme, call: &Call<'_>) -> bool {
    let begins = |word: &str| {
        let value = call.header("authorization").unwrap_or_default();
        let start = value.get(..word.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(word) && !value[word.len()..].trim().is_empty()
    };
    match &scheme.kind {
        SchemeKind::ApiKey { location } => match location {
            Location::Query => pairs(call.query)
                .iter()
                .any(|(name, _)| form_text(name) == scheme.name),
            Location::Cookie => call.cookies().iter().any(|(name, _)| *name == scheme.name),
            _ => call.header(&scheme.name.to_lowercase()).is_some(),
        },
        SchemeKind::Bearer { .. }
        | SchemeKind::OAuth2 { .. }
        | SchemeKind::OpenIdConnect { .. } => begins("bearer "),
        SchemeKind::Basic => begins("basic "),
        // Not visible in a request, or unknown.
        _ => true,
    }
}

/// Holds one parameter against its schema.
pub(super) fn check_parameter(
    schemas: &mut Schemas<'_, '_>,
    parameter: &Parameter,
    call: &Call<'_>,
    violations: &mut Vec<Violation>,
) {
    let place = parameter.location.word();
    let violation = |rule: Option<Rule>, message: String| Violation {
        place,
        name: parameter.name.clone(),
        message,
        rule,
    };
    let Some(schema) = &parameter.schema else {
        return;
    };
    let (name, spec) = (parameter.name.as_str(), &parameter.spec);
    let value = match parameter.location {
        Location::Path => {
            let mut values = call.path.iter();
            let raw = values.find(|(known, _)| known == name);
            if let Some(message) = raw.and_then(|(_, raw)| values::unstyled(spec, name, raw)) {
                violations.push(violation(None, message));
                return;
            }
            raw.map(|(_, raw)| of_text(schemas, spec, name, schema, raw, Location::Path))
        }
        Location::Header => call
            .header(&name.to_lowercase())
            .map(|raw| of_text(schemas, spec, name, schema, raw, Location::Header)),
        Location::Query if spec.is_whole => of_query(schemas, spec, schema, call.query),
        Location::Query => {
            let pairs = pairs(call.query);
            // Empty where the document allows that.
            let is_blank = |(key, value): &(&str, &str)| value.is_empty() && form_text(key) == name;
            if parameter.allows_empty && pairs.iter().any(is_blank) {
                return;
            }
            of_pairs(schemas, spec, name, schema, &pairs)
        }
        Location::Cookie => of_cookies(schemas, spec, name, schema, &call.cookies()),
    };
    match value {
        Some(_) if values::is_opaque(schemas, spec, schema) => {}
        Some(value) => {
            for fault in faults(schemas, schema, &value, Hidden::Nothing) {
                let message = match fault.at.as_str() {
                    "" => fault.message.clone(),
                    at => format!("{at}: {}", fault.message),
                };
                violations.push(violation(Some(fault.rule), message));
            }
        }
        None if parameter.row.is_required => {
            violations.push(violation(None, "it is required".to_owned()));
        }
        None => {}
    }
}

/// A body of a media type that the document does not have.
pub(super) struct UnknownMedia {
    /// Value as sent.
    pub(super) content_type: String,
    /// Media types of the document.
    pub(super) documented_types: Vec<String>,
}

/// Holds the body against its form; an error names the media types of the document, where that of the body is another and
/// nothing can be said of it.
pub(super) fn check_body(
    schemas: &mut Schemas<'_, '_>,
    body: &Body,
    forms: &[Form],
    call: &Call<'_>,
    violations: &mut Vec<Violation>,
) -> Result<(), UnknownMedia> {
    let mut violated = |name: String, message: String, rule: Option<Rule>| {
        violations.push(Violation {
            place: "body",
            name,
            message,
            rule,
        });
    };
    if call.body.is_empty() {
        if body.is_required {
            violated(String::new(), "it is required".to_owned(), None);
        }
        return Ok(());
    }
    if forms.is_empty() {
        return Ok(());
    }
    let content_type = call.header("content-type").unwrap_or_default();
    let kind = |text: &str| {
        let kind = text.split(';').next().unwrap_or_default();
        kind.trim().to_lowercase()
    };
    let is_of = |form: &&Form| covers(&kind(&form.media.name), &kind(content_type));
    let Some(form) = forms.iter().find(is_of) else {
        let types = forms.iter().map(|form| form.media.name.clone());
        return Err(UnknownMedia {
            content_type: content_type.to_owned(),
            documented_types: types.collect(),
        });
    };
    // The sent type is more specific: `text/*` may be any text.
    let format = match content_type {
        "" => Format::of(&form.media.name),
        content_type => Format::of(content_type),
    };
    if matches!(
        format,
        Format::Xml | Format::Text | Format::Lines | Format::Events
    ) && !kind(content_type).ends_with("/*")
    {
        let is_other = |parameter: &str| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            name.trim().eq_ignore_ascii_case("charset")
                && !value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        };
        // Other encodings of characters are nothing that is known here.
        if content_type.split(';').any(is_other) {
            return Ok(());
        }
        if let Err(error) = std::str::from_utf8(call.body) {
            let at = error.valid_up_to();
            violated(
                String::new(),
                format!("it is no UTF-8: byte {at} is part of no character"),
                None,
            );
            return Ok(());
        }
    }
    let text = String::from_utf8_lossy(call.body);
    if format == Format::Xml {
        if let Err(why) = well_formed(&text) {
            violated(String::new(), format!("it is no XML: {why}"), None);
        }
        // What its elements hold is theirs.
        return Ok(());
    }
    let Some(schema) = &form.schema else {
        return Ok(());
    };
    let value = match format {
        Format::Json => match serde_json::from_str::<Value>(&text) {
            Ok(value) => value,
            Err(error) => {
                violated(String::new(), format!("it is no JSON: {error}"), None);
                return Ok(());
            }
        },
        Format::Form => {
            let pairs = pairs(&text);
            let encoding_by_name =
                |name: &str| encoding_of(form.encoding.get(name).and_then(Value::as_object));
            values::form(schemas, schema, &pairs, encoding_by_name)
        }
        Format::Multipart => {
            let members = styled(schemas, schema, form, parts(content_type, call.body));
            values::retyped(schemas, schema, Value::Object(members), 0)
        }
        Format::Text if schemas.flat(schema).schema.is_binary => return Ok(()),
        Format::Text => values::typed(schemas, schema, &text),
        // What is in them is theirs.
        Format::Xml | Format::Binary | Format::Lines | Format::Events => return Ok(()),
    };
    for fault in faults(schemas, schema, &value, Hidden::ReadOnly) {
        violated(fault.at, fault.message, Some(fault.rule));
    }
    Ok(())
}

/// The members of a form in parts, with those that are written by a style put together.
fn styled(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    form: &Form,
    mut members: Map<String, Value>,
) -> Map<String, Value> {
    let version = schemas.document.version();
    let flat = schemas.flat(schema);
    for (name, property) in &flat.schema.properties {
        let encoding = form.encoding.get(name).and_then(Value::as_object);
        if !is_styled_part(version, encoding) {
            continue;
        }
        // Nothing in a part is encoded.
        let raw = |text: &str| text.replace('%', "%25").replace('+', "%2B");
        let raw_pairs = members.iter().flat_map(|(name, value)| {
            let values = match value {
                Value::Array(items) => items.as_slice(),
                one => std::slice::from_ref(one),
            };
            let texts = values.iter().filter_map(Value::as_str);
            texts.map(|text| (raw(name), raw(text)))
        });
        let raw_pairs: Vec<(String, String)> = raw_pairs.collect();
        let pairs: Vec<_> = (raw_pairs.iter())
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let mut spec = encoding_of(encoding);
        spec.written = Written::Style;
        let Some(value) = of_pairs(schemas, &spec, name, property, &pairs) else {
            continue;
        };
        let bracket_prefix = format!("{name}[");
        members.retain(|key, _| {
            let is_own = flat.schema.property(key).is_some();
            let is_within = spec.explode && !is_own && value.get(key).is_some();
            !(is_within || key.starts_with(&bracket_prefix))
        });
        members.insert(name.clone(), value);
    }
    members
}

/// Returns true if the media type or range `range` covers `media_type` (RFC 9110, 12.5.1); an empty
/// `media_type` means the only one there is, and is covered.
pub(super) fn covers(range: &str, media_type: &str) -> bool {
    let (kind, subtype) = range.split_once('/').unwrap_or((range, "*"));
    let (media_kind, media_subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    media_type.is_empty()
        || (kind == "*" || kind == media_kind) && (subtype == "*" || subtype == media_subtype)
}

/// The parts of a multipart body (RFC 7578) as members: files are texts, repeated parts are a list.
/// A part declared as JSON is parsed.
fn parts(content_type: &str, body: &[u8]) -> Map<String, Value> {
    let mut members = Map::new();
    let boundary = content_type.split(';').find_map(|parameter| {
        let (name, value) = parameter.trim().split_once('=')?;
        let is_boundary = name.eq_ignore_ascii_case("boundary");
        is_boundary.then(|| value.trim_matches('"').to_owned())
    });
    let Some(boundary) = boundary.filter(|boundary| !boundary.is_empty()) else {
        return members;
    };
    // Bytes that are no text are part of files, whose content does not matter.
    let body = String::from_utf8_lossy(body);
    for part in body.split(&format!("--{boundary}")).skip(1) {
        let Some((head, content)) = part.split_once("\r\n\r\n") else {
            continue;
        };
        let line = |name: &str| {
            let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
            let found = lines.find(|(known, _)| known.trim().eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim())
        };
        let disposition = line("content-disposition").unwrap_or_default();
        let name = disposition.split(';').find_map(|parameter| {
            let value = parameter.trim().strip_prefix("name=")?;
            Some(decoded(value.trim_matches('"')))
        });
        let Some(name) = name else {
            continue;
        };
        let content = content.strip_suffix("\r\n").unwrap_or(content);
        let is_json = line("content-type").is_some_and(crate::media::is_json);
        let value = match serde_json::from_str::<Value>(content) {
            Ok(value) if is_json => value,
            _ => Value::String(content.to_owned()),
        };
        match members.get_mut(&name) {
            Some(Value::Array(items)) => items.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None => {
                members.insert(name, value);
            }
        }
    }
    members
}
