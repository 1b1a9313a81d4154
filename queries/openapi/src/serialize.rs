//! Serialization of values: the styles of parameters (OpenAPI 3.1, 4.8.12.3), to the byte.

use serde_json::{Map, Value};

use super::endpoint::Location;
use super::media::Format;
use super::playground::Style;
use base::data::swagger;

/// Format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Format of its style.
    Style,
    /// An object as JSON, everything else by its style: a property of a form for which the document
    /// defines nothing else (OpenAPI 3.1.1, 4.8.15.1).
    Property,
    /// Compact JSON (`content`).
    Json,
    /// Pairs of `application/x-www-form-urlencoded` (`content`).
    Form,
    /// Text of any other media type (`content`).
    Text,
}

/// Serialization of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serialization {
    /// The style.
    pub style: Style,
    /// Whether each item is written on its own.
    pub explode: bool,
    /// Whether reserved characters stay.
    pub allow_reserved: bool,
    /// Encoding of the value: by style, as JSON, as a form or as text.
    pub written: Written,
    /// Whether the value is the query as a whole (`in: querystring`, OpenAPI 3.2).
    pub is_whole: bool,
    /// Separators of the items of arrays within an array, the outermost first (`collectionFormat`
    /// of Swagger 2.0).
    pub inner: Inner,
}

/// Separators of the items of arrays within an array.
pub type Inner = [Option<char>; 3];

impl Serialization {
    /// Reads the serialization of a parameter, with the defaults of its location.
    pub fn of(members: &Map<String, Value>, location: Location) -> Self {
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        let default = match location {
            Location::Query | Location::Cookie => Style::Form,
            Location::Path | Location::Header => Style::Simple,
        };
        let style = text("style").and_then(style_of);
        // Only cookies are written as cookies.
        let style = style.filter(|style| *style != Style::Cookie || location == Location::Cookie);
        let style = style.unwrap_or(default);
        let explode = members.get("explode").and_then(Value::as_bool);
        let explode = match style {
            Style::DeepObject => true,
            style => explode.unwrap_or(matches!(style, Style::Form | Style::Cookie)),
        };
        let allow_reserved = members.get("allowReserved") == Some(&Value::Bool(true));
        let content = members.get("content").and_then(Value::as_object);
        let content = content.filter(|_| !members.contains_key("schema"));
        Self {
            style,
            explode,
            allow_reserved: allow_reserved && location == Location::Query,
            written: content.map_or(Written::Style, |content| {
                // Without a media type nothing is said.
                match content.keys().next().map(|name| Format::of(name)) {
                    None | Some(Format::Json) => Written::Json,
                    Some(Format::Form) => Written::Form,
                    Some(_) => Written::Text,
                }
            }),
            is_whole: text("in") == Some("querystring"),
            inner: inner_separators(members.get(swagger::INNER_SEPARATORS)),
        }
    }

    /// The text of a value, or of an item of an array. Arrays within an array have their own
    /// separators, where those are given.
    fn text(&self, value: &Value) -> String {
        self.nested_text(value, 0)
    }

    fn nested_text(&self, value: &Value, level: usize) -> String {
        match (value, self.inner.get(level).copied().flatten()) {
            (Value::Array(items), Some(separator)) => {
                let items = items.iter().map(|item| self.nested_text(item, level + 1));
                join(items, separator.encode_utf8(&mut [0; 4]))
            }
            (value, _) => text(value),
        }
    }

    /// The text of a value that is not written by its style.
    fn content(&self, value: &Value) -> Option<String> {
        match self.written {
            Written::Style => None,
            Written::Property => value.is_object().then(|| value.to_string()),
            Written::Json => Some(value.to_string()),
            Written::Text => Some(text(value)),
            Written::Form => Some(form(&form_pairs(value))),
        }
    }
}

/// Serialization of the properties of a form for which the document defines nothing else.
pub(super) const PROPERTY: Serialization = Serialization {
    style: Style::Form,
    explode: true,
    allow_reserved: false,
    written: Written::Property,
    is_whole: false,
    inner: [None; 3],
};

/// Separators in a document converted from Swagger 2.0.
pub fn inner_separators(separators: Option<&Value>) -> Inner {
    let mut inner = [None; 3];
    let separators = separators.and_then(Value::as_array).into_iter().flatten();
    for (separator, one) in inner.iter_mut().zip(separators) {
        *separator = one.as_str().and_then(|text| text.chars().next());
    }
    inner
}

/// The pairs of a value that is a form by itself.
fn form_pairs(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, member)| query(&PROPERTY, name, member))
            .collect(),
        // A form that is written as a text.
        other => vec![text(other)],
    }
}

/// The style of a name of the specification, or of the one that Swagger 2.0 has besides.
pub fn style_of(name: &str) -> Option<Style> {
    Some(match name {
        "matrix" => Style::Matrix,
        "label" => Style::Label,
        "form" => Style::Form,
        "simple" => Style::Simple,
        "spaceDelimited" => Style::SpaceDelimited,
        "pipeDelimited" => Style::PipeDelimited,
        swagger::TAB_DELIMITED => Style::TabDelimited,
        "deepObject" => Style::DeepObject,
        "cookie" => Style::Cookie,
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
    if let Some(text) = spec.content(value) {
        return encode(&text, false);
    }
    let one = |value: &Value| encode(&spec.text(value), false);
    let name = encode(name, false);
    let pair = |(key, value): (&String, &Value)| format!("{}={}", encode(key, false), one(value));
    let flat = |(key, value): (&String, &Value)| format!("{},{}", encode(key, false), one(value));
    let (first, between) = match spec.style {
        Style::Matrix => (";", ";"),
        Style::Label if spec.explode => (".", "."),
        Style::Label => (".", ","),
        _ => ("", separator(spec)),
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

/// Returns the encoded separator of the items of a list.
fn separator(spec: &Serialization) -> &'static str {
    match spec.style {
        Style::SpaceDelimited if !spec.explode => "%20",
        Style::PipeDelimited if !spec.explode => "%7C",
        Style::TabDelimited if !spec.explode => "%09",
        _ => ",",
    }
}

fn join(texts: impl Iterator<Item = String>, separator: &str) -> String {
    texts.collect::<Vec<String>>().join(separator)
}

/// The pairs that a value adds to a query, encoded, without `&`; also those of a form.
pub fn query(spec: &Serialization, name: &str, value: &Value) -> Vec<String> {
    let encoded = |text: &str| encode(text, spec.allow_reserved);
    let name_text = encode(name, false);
    if spec.is_whole && spec.written == Written::Form && value.is_object() {
        return form_pairs(value);
    }
    if let Some(text) = spec.content(value) {
        return match spec.is_whole {
            // A form that is written as a text is encoded by its author.
            true if spec.written == Written::Form => vec![text],
            true => vec![encoded(&text)],
            false => vec![format!("{name_text}={}", encoded(&text))],
        };
    }
    let one = |value: &Value| encoded(&spec.text(value));
    let pair = |value: &Value| format!("{name_text}={}", one(value));
    let separator = separator(spec);
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
    let value = match (spec.content(value), value) {
        (Some(text), _) => text,
        (None, Value::Null) => String::new(),
        (None, Value::Array(items)) => {
            let separator = match separator(spec) {
                "%20" => " ",
                "%7C" => "|",
                "%09" => "\t",
                comma => comma,
            };
            join(items.iter().map(|item| spec.text(item)), separator)
        }
        (None, Value::Object(members)) => {
            let between = if spec.explode { "=" } else { "," };
            let pairs = members
                .iter()
                .map(|(key, value)| format!("{key}{between}{}", text(value)));
            join(pairs, ",")
        }
        (None, scalar) => text(scalar),
    };
    value.replace(['\r', '\n'], " ")
}

/// Returns a name for the `Cookie` header: characters that a name cannot have are encoded (RFC
/// 6265, 4.1.1).
fn cookie_name(name: &str) -> String {
    let is_kept = |c: char| c.is_ascii_graphic() && !"()<>@,;:\\\"/?={}".contains(c);
    name.chars()
        .map(|c| match is_kept(c) {
            true => c.to_string(),
            false => encode(&c.to_string(), false),
        })
        .collect()
}

/// Returns true if a pair can stand in the `Cookie` header as it is (RFC 6265, 4.1.1). Commas, which lists have, are let pass as
/// everybody does.
pub fn is_cookie(pair: &str) -> bool {
    let is_good = |c: char| c.is_ascii_graphic() && !matches!(c, ';' | '"' | '\\');
    pair.chars().all(is_good)
}

/// The pairs that a value adds to the `Cookie` header: encoded, but for the style `cookie` and JSON, which are written as they are.
pub fn cookie(spec: &Serialization, name: &str, value: &Value) -> Vec<String> {
    let is_styled = spec.style == Style::Cookie && spec.written == Written::Style;
    let is_raw = is_styled || spec.written == Written::Json;
    let encoded = |text: &str| match is_raw {
        true => text.replace(['\r', '\n'], " "),
        false => encode(text, false),
    };
    let one = |value: &Value| encoded(&spec.text(value));
    let pair = |name: &str, value: String| match is_raw {
        true => format!("{}={value}", encoded(name)),
        false => format!("{}={value}", cookie_name(name)),
    };
    if let Some(text) = spec.content(value) {
        return vec![pair(name, encoded(&text))];
    }
    match value {
        Value::Null => vec![pair(name, String::new())],
        Value::Array(items) if spec.explode => {
            items.iter().map(|item| pair(name, one(item))).collect()
        }
        Value::Array(items) => vec![pair(name, join(items.iter().map(one), ","))],
        Value::Object(members) if spec.explode => members
            .iter()
            .map(|(key, value)| pair(key, one(value)))
            .collect(),
        Value::Object(members) if members.is_empty() => Vec::new(),
        Value::Object(members) => {
            let flat = members
                .iter()
                .flat_map(|(key, value)| [encoded(key), one(value)]);
            vec![pair(name, join(flat, ","))]
        }
        scalar => vec![pair(name, one(scalar))],
    }
}

/// A form (`application/x-www-form-urlencoded`) of pairs as [`query`] gives them: spaces become `+`.
pub fn form(pairs: &[String]) -> String {
    pairs.join("&").replace("%20", "+")
}

/// Returns true if a style is defined for a value (OpenAPI 3.1, 4.8.12.4).
pub fn is_defined(spec: &Serialization, value: &Value) -> bool {
    match spec.style {
        Style::SpaceDelimited | Style::PipeDelimited | Style::TabDelimited => {
            !is_scalar(value) && !spec.explode
        }
        Style::DeepObject => value.is_object(),
        _ => true,
    }
}

/// An address: a base, one trailing slash removed, and a path.
pub fn address(base: &str, path: &str) -> String {
    format!("{}{path}", base.strip_suffix('/').unwrap_or(base))
}
