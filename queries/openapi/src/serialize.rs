//! How values are put on the wire: the styles of parameters (OpenAPI 3.1, 4.8.12.3), to the byte.

use serde_json::{Map, Value};

use super::endpoint::Location;
use super::playground::Style;

/// How a parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serialization {
    /// The style.
    pub style: Style,
    /// Whether each item is written on its own.
    pub explode: bool,
    /// Whether reserved characters stay.
    pub allow_reserved: bool,
    /// Whether the value is written as JSON (`content`).
    pub json: bool,
}

impl Serialization {
    /// What a parameter says, with the defaults of its place.
    pub fn of(members: &Map<String, Value>, location: Location) -> Self {
        let style = members.get("style").and_then(Value::as_str);
        let default = match location {
            Location::Query | Location::Cookie => Style::Form,
            Location::Path | Location::Header => Style::Simple,
        };
        let style = style.and_then(style_of).unwrap_or(default);
        let explode = members.get("explode").and_then(Value::as_bool);
        let explode = match style {
            Style::DeepObject => true,
            style => explode.unwrap_or(style == Style::Form),
        };
        let allow_reserved = members.get("allowReserved") == Some(&Value::Bool(true));
        Self {
            style,
            explode,
            allow_reserved: allow_reserved && location == Location::Query,
            json: members.contains_key("content") && !members.contains_key("schema"),
        }
    }
}

/// The style of a name of the specification.
pub fn style_of(name: &str) -> Option<Style> {
    Some(match name {
        "matrix" => Style::Matrix,
        "label" => Style::Label,
        "form" => Style::Form,
        "simple" => Style::Simple,
        "spaceDelimited" => Style::SpaceDelimited,
        "pipeDelimited" => Style::PipeDelimited,
        "deepObject" => Style::DeepObject,
        _ => return None,
    })
}

/// A value as text: texts as they are, everything else as compact JSON.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Percent-encodes what is not unreserved (RFC 3986, 2.3). With `keeps_reserved`, reserved characters and escapes stay,
/// but for those that would end a value of a query.
pub fn encode(text: &str, keeps_reserved: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        let is_unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
        let is_escape = || {
            let digits = bytes.get(index + 1..index + 3);
            *byte == b'%' && digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        let is_kept = keeps_reserved && (b":/?[]@!$'()*,;=".contains(byte) || is_escape());
        if is_unreserved || is_kept {
            encoded.push(char::from(*byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// A value in a path, encoded.
pub fn path(spec: &Serialization, name: &str, value: &Value) -> String {
    if spec.json {
        return encode(&value.to_string(), false);
    }
    let one = |value: &Value| encode(&text(value), false);
    let name = encode(name, false);
    let pair = |(key, value): (&String, &Value)| format!("{}={}", encode(key, false), one(value));
    let flat = |(key, value): (&String, &Value)| format!("{},{}", encode(key, false), one(value));
    let (first, between) = match spec.style {
        Style::Matrix => (";", ";"),
        Style::Label if spec.explode => (".", "."),
        Style::Label => (".", ","),
        _ => ("", ","),
    };
    let is_matrix = spec.style == Style::Matrix;
    match value {
        Value::Null if is_matrix => format!(";{name}"),
        Value::Null => first.to_owned(),
        Value::Array(items) if is_matrix && spec.explode => items
            .iter()
            .map(|item| format!(";{name}={}", one(item)))
            .collect(),
        Value::Array(items) => {
            let joined = join(items.iter().map(one), if is_matrix { "," } else { between });
            if is_matrix {
                format!(";{name}={joined}")
            } else {
                format!("{first}{joined}")
            }
        }
        Value::Object(members) if spec.explode => {
            format!("{first}{}", join(members.iter().map(pair), between))
        }
        Value::Object(members) => {
            let joined = join(members.iter().map(flat), ",");
            if is_matrix {
                format!(";{name}={joined}")
            } else {
                format!("{first}{joined}")
            }
        }
        value if is_matrix => format!(";{name}={}", one(value)),
        value => format!("{first}{}", one(value)),
    }
}

fn join(texts: impl Iterator<Item = String>, separator: &str) -> String {
    texts.collect::<Vec<String>>().join(separator)
}

/// The pairs that a value adds to a query, encoded, without `&`; also those of a form.
pub fn query(spec: &Serialization, name: &str, value: &Value) -> Vec<String> {
    let encoded = |text: &str| encode(text, spec.allow_reserved);
    let name_text = encode(name, false);
    if spec.json {
        return vec![format!("{name_text}={}", encoded(&value.to_string()))];
    }
    let one = |value: &Value| encoded(&text(value));
    let pair = |value: &Value| format!("{name_text}={}", one(value));
    let separator = match spec.style {
        Style::SpaceDelimited if !spec.explode => "%20",
        Style::PipeDelimited if !spec.explode => "%7C",
        _ => ",",
    };
    match value {
        Value::Null => vec![format!("{name_text}=")],
        Value::Array(items) if spec.explode => items.iter().map(pair).collect(),
        Value::Array(items) => vec![format!(
            "{name_text}={}",
            join(items.iter().map(one), separator)
        )],
        Value::Object(members) if members.is_empty() => Vec::new(),
        Value::Object(members) if spec.style == Style::DeepObject => {
            let mut pairs = Vec::new();
            for (key, member) in members {
                deep(
                    &format!("{name_text}%5B{}%5D", encode(key, false)),
                    member,
                    &one,
                    &mut pairs,
                );
            }
            pairs
        }
        Value::Object(members) if spec.explode => members
            .iter()
            .map(|(key, value)| format!("{}={}", encode(key, false), one(value)))
            .collect(),
        Value::Object(members) => {
            let flat = members
                .iter()
                .flat_map(|(key, value)| [encode(key, false), one(value)]);
            vec![format!("{name_text}={}", join(flat, separator))]
        }
        scalar => vec![pair(scalar)],
    }
}

/// `a[b][c]=1`, arrays as repeated pairs; those that hold objects or arrays with the number of each item, `a[b][0][c]=1`. No
/// version of OpenAPI says how: this is what the parsers of servers that read brackets take for a list.
fn deep(name: &str, value: &Value, one: &dyn Fn(&Value) -> String, pairs: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                deep(
                    &format!("{name}%5B{}%5D", encode(key, false)),
                    member,
                    one,
                    pairs,
                );
            }
        }
        Value::Array(items) if items.iter().all(is_scalar) => {
            pairs.extend(items.iter().map(|item| format!("{name}={}", one(item))));
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                deep(&format!("{name}%5B{number}%5D"), item, one, pairs);
            }
        }
        Value::Null => pairs.push(format!("{name}=")),
        scalar => pairs.push(format!("{name}={}", one(scalar))),
    }
}

/// The value of a header: neither encoded nor quoted, without line breaks.
pub fn header(spec: &Serialization, value: &Value) -> String {
    let value = if spec.json {
        value.to_string()
    } else {
        match value {
            Value::Null => String::new(),
            Value::Array(items) => join(items.iter().map(text), ","),
            Value::Object(members) => {
                let between = if spec.explode { "=" } else { "," };
                let pairs = members
                    .iter()
                    .map(|(key, value)| format!("{key}{between}{}", text(value)));
                join(pairs, ",")
            }
            scalar => text(scalar),
        }
    };
    value.replace(['\r', '\n'], " ")
}

/// The pairs that a value adds to the `Cookie` header, not encoded.
pub fn cookie(spec: &Serialization, name: &str, value: &Value) -> Vec<String> {
    let safe = |text: String| text.replace(['\r', '\n'], " ");
    if spec.json {
        return vec![safe(format!("{name}={value}"))];
    }
    let pairs: Vec<String> = match value {
        Value::Null => vec![format!("{name}=")],
        Value::Array(items) if spec.explode => items
            .iter()
            .map(|item| format!("{name}={}", text(item)))
            .collect(),
        Value::Array(items) => vec![format!("{name}={}", join(items.iter().map(text), ","))],
        Value::Object(members) if spec.explode => members
            .iter()
            .map(|(key, value)| format!("{key}={}", text(value)))
            .collect(),
        Value::Object(members) if members.is_empty() => Vec::new(),
        Value::Object(members) => {
            let flat = members
                .iter()
                .flat_map(|(key, value)| [key.clone(), text(value)]);
            vec![format!("{name}={}", join(flat, ","))]
        }
        scalar => vec![format!("{name}={}", text(scalar))],
    };
    pairs.into_iter().map(safe).collect()
}

/// A form (`application/x-www-form-urlencoded`) of pairs as [`query`] gives them: spaces become `+`.
pub fn form(pairs: &[String]) -> String {
    pairs.join("&").replace("%20", "+")
}

/// Whether a style is defined for a value (OpenAPI 3.1, 4.8.12.4).
pub fn is_defined(spec: &Serialization, value: &Value) -> bool {
    match spec.style {
        Style::SpaceDelimited | Style::PipeDelimited => !is_scalar(value) && !spec.explode,
        Style::DeepObject => value.is_object(),
        _ => true,
    }
}

/// An address: a base, one trailing slash removed, and a path.
pub fn address(base: &str, path: &str) -> String {
    format!("{}{path}", base.strip_suffix('/').unwrap_or(base))
}
