//! Values read back from the wire: the inverse of how parameters and forms are written (OpenAPI 3.1, 4.8.12.3).

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::path::decoded;
use crate::direction::Hidden;
use crate::endpoint::Location;
use crate::merge::Schemas;
use crate::playground::Style;
use crate::schema::{Schema, Type};
use crate::serialize::{PROPERTY, Serialization, Written};

/// A name and a value of a query, of a form or of a cookie, as they were sent.
pub(super) type Pair<'a> = (&'a str, &'a str);

/// The kind of value that a parameter has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Scalar,
    List,
    Object,
}

fn shape(schemas: &mut Schemas<'_, '_>, schema: &Arc<Schema>) -> Shape {
    let flat = schemas.flat(schema);
    // A schema that allows everything is read as text.
    if flat.schema.allows(Type::String) {
        return Shape::Scalar;
    }
    match (
        flat.schema.allows(Type::Array),
        flat.schema.allows(Type::Object),
    ) {
        (true, _) => Shape::List,
        (false, true) => Shape::Object,
        (false, false) => Shape::Scalar,
    }
}

/// Pairs of a query or a form, still encoded: `a=1&b` is `a` with `1` and `b` with nothing.
pub(super) fn pairs(text: &str) -> Vec<Pair<'_>> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect()
}

/// The text of a part of a query or a form: a plus is a space in either (WHATWG URL, 5.1).
pub(super) fn form_text(encoded: &str) -> String {
    decoded(&encoded.replace('+', " "))
}

/// Reads the parameter or property `name` out of the pairs of a query or a form; `None` if it is not there.
pub(super) fn of_pairs(
    schemas: &mut Schemas<'_, '_>,
    spec: &Serialization,
    name: &str,
    schema: &Arc<Schema>,
    pairs: &[Pair<'_>],
) -> Option<Value> {
    of_encoded(schemas, spec, name, schema, pairs, form_text)
}

/// Reads the parameter `name` out of cookies, in which a plus is a plus, and those of the style
/// `cookie` are not encoded.
pub(super) fn of_cookies(
    schemas: &mut Schemas<'_, '_>,
    spec: &Serialization,
    name: &str,
    schema: &Arc<Schema>,
    pairs: &[Pair<'_>],
) -> Option<Value> {
    let is_raw = spec.style == Style::Cookie && spec.written == Written::Style;
    let read: fn(&str) -> String = if is_raw { str::to_owned } else { decoded };
    of_encoded(schemas, spec, name, schema, pairs, read)
}

/// A value that is the whole query (`in: querystring`), `query` as it was sent; `None` if nothing was.
pub(super) fn of_query(
    schemas: &mut Schemas<'_, '_>,
    spec: &Serialization,
    schema: &Arc<Schema>,
    query: &str,
) -> Option<Value> {
    if query.is_empty() {
        return None;
    }
    Some(match spec.written {
        Written::Form => form(schemas, schema, &pairs(query), |_| PROPERTY),
        Written::Json => json_or_text(&decoded(query)),
        _ => content_text(schemas, schema, decoded(query)),
    })
}

/// Reads the members of a form, each according to `encoding_of`.
pub(super) fn form(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    pairs: &[Pair<'_>],
    encoding_of: impl Fn(&str) -> Serialization,
) -> Value {
    let flat = schemas.flat(schema);
    let mut members = Map::new();
    for (name, property) in &flat.schema.properties {
        let found = of_pairs(schemas, &encoding_of(name), name, property, pairs);
        members.extend(found.map(|value| (name.clone(), value)));
    }
    for (name, value) in pairs {
        let name = form_text(name);
        let is_known = flat.schema.property(&name).is_some() || name.contains('[');
        if !is_known {
            members.insert(name, Value::String(form_text(value)));
        }
    }
    Value::Object(members)
}

/// A text of a media type that is not JSON: what it holds otherwise is not looked into.
fn content_text(schemas: &mut Schemas<'_, '_>, schema: &Arc<Schema>, text: String) -> Value {
    typed(schemas, schema, &text)
}

/// Returns true if a value of `schema` is written as a text that is not parsed here: XML, CSV.
pub(super) fn is_opaque(
    schemas: &mut Schemas<'_, '_>,
    spec: &Serialization,
    schema: &Arc<Schema>,
) -> bool {
    spec.written == Written::Text && shape(schemas, schema) != Shape::Scalar
}

/// Reads the parameter or property `name` out of pairs, whose texts `read` decodes.
fn of_encoded(
    schemas: &mut Schemas<'_, '_>,
    spec: &Serialization,
    name: &str,
    schema: &Arc<Schema>,
    pairs: &[Pair<'_>],
    form_text: fn(&str) -> String,
) -> Option<Value> {
    let mine = || {
        let mine = pairs.iter().filter(|(key, _)| form_text(key) == name);
        mine.map(|(_, value)| *value)
    };
    let shape = shape(schemas, schema);
    match spec.written {
        Written::Json => return mine().next().map(|value| json_or_text(&form_text(value))),
        Written::Text => {
            let text = mine().next().map(form_text)?;
            return Some(content_text(schemas, schema, text));
        }
        Written::Form => {
            let text = mine().next().map(form_text)?;
            return Some(form(schemas, schema, &self::pairs(&text), |_| PROPERTY));
        }
        // Members in brackets are accepted as well: many clients write only those.
        Written::Property if shape == Shape::Object => {
            let own = mine().next().map(|value| json_or_text(&form_text(value)));
            return own.or_else(|| deep_object(schemas, name, schema, pairs));
        }
        Written::Style | Written::Property => {}
    }
    if spec.style == Style::DeepObject {
        return deep_object(schemas, name, schema, pairs);
    }
    let is_repeated = spec.explode;
    match shape {
        Shape::Scalar => mine()
            .next()
            .map(|value| typed(schemas, schema, &form_text(value))),
        Shape::List => {
            let items: Vec<String> = if is_repeated {
                mine().map(form_text).collect()
            } else {
                let whole = mine().next()?;
                let items = split(whole, spec.style);
                let items: Vec<String> = items.iter().map(|item| form_text(item)).collect();
                // Many clients encode the comma between items, too: read so where the whole is no item.
                let encoded: Vec<String> = match (&items[..], spec.style) {
                    ([one], Style::Form) => one.split(',').map(str::to_owned).collect(),
                    _ => Vec::new(),
                };
                let mut is_valid = |items: &[String]| {
                    let value = list(schemas, schema, items, &spec.inner);
                    schemas.check(schema, &value, Hidden::Nothing).is_ok()
                };
                match encoded.len() > 1 && !is_valid(&items) && is_valid(&encoded) {
                    true => encoded,
                    false => items,
                }
            };
            if is_repeated && items.is_empty() {
                return None;
            }
            Some(list(schemas, schema, &items, &spec.inner))
        }
        Shape::Object if is_repeated => {
            let flat = schemas.flat(schema);
            let names: Vec<String> = flat
                .schema
                .properties
                .iter()
                .map(|(name, _)| name.clone())
                .collect();
            let members: Vec<(String, String)> = (pairs.iter())
                .map(|(key, value)| (form_text(key), form_text(value)))
                .filter(|(key, _)| names.contains(key))
                .collect();
            (!members.is_empty()).then(|| object(schemas, schema, &members))
        }
        Shape::Object => {
            let whole = mine().next()?;
            let parts: Vec<String> = (split(whole, spec.style).iter())
                .map(|part| form_text(part))
                .collect();
            Some(object(schemas, schema, &alternating(&parts)))
        }
    }
}

/// Reads a value of a path or of a header, `raw` as it was sent.
pub(super) fn of_text(
    schemas: &mut Schemas<'_, '_>,
    spec: &Serialization,
    name: &str,
    schema: &Arc<Schema>,
    raw: &str,
    location: Location,
) -> Value {
    let text = |part: &str| match location {
        Location::Path => decoded(part),
        _ => part.trim().to_owned(),
    };
    match spec.written {
        Written::Json => return json_or_text(&text(raw)),
        Written::Text => return content_text(schemas, schema, text(raw)),
        Written::Form => return form(schemas, schema, &pairs(&text(raw)), |_| PROPERTY),
        Written::Style | Written::Property => {}
    }
    let shape = shape(schemas, schema);
    let body = match spec.style {
        Style::Label => raw.strip_prefix('.').unwrap_or(raw),
        Style::Matrix => ["%3B", "%3b", ";"]
            .iter()
            .find_map(|first| raw.strip_prefix(first))
            .unwrap_or(raw),
        _ => raw,
    };
    let between = match (spec.style, spec.explode) {
        (Style::Label, true) => '.',
        (Style::Matrix, true) => ';',
        _ => ',',
    };
    // Of `;name=value` the value; of an object with `explode` every pair is a member.
    let own = |part: &str| match spec.style {
        Style::Matrix => match part.split_once('=') {
            Some((key, value)) if decoded(key) == name => value.to_owned(),
            None if decoded(part) == name => String::new(),
            _ => part.to_owned(),
        },
        _ => part.to_owned(),
    };
    match shape {
        Shape::Scalar => typed(schemas, schema, &text(&own(body))),
        Shape::List => {
            let body = match spec.explode {
                true => body.to_owned(),
                false => own(body),
            };
            let items: Vec<String> = match spec.style {
                Style::SpaceDelimited | Style::PipeDelimited | Style::TabDelimited
                    if !spec.explode =>
                {
                    split(&body, spec.style)
                        .iter()
                        .map(|item| text(item))
                        .collect()
                }
                _ => body.split(between).map(|item| text(&own(item))).collect(),
            };
            list(schemas, schema, &items, &spec.inner)
        }
        Shape::Object => {
            let members = match spec.explode {
                true => (body.split(between))
                    .filter_map(|pair| pair.split_once('='))
                    .map(|(key, value)| (text(key), text(value)))
                    .collect(),
                false => {
                    let body = own(body);
                    alternating(&body.split(',').map(text).collect::<Vec<_>>())
                }
            };
            object(schemas, schema, &members)
        }
    }
}

/// Error of a path value that does not begin as its style requires: `;name=5`, `.5`.
pub(super) fn unstyled(spec: &Serialization, name: &str, raw: &str) -> Option<String> {
    let (first, usual) = match spec.style {
        _ if spec.written != Written::Style => return None,
        Style::Matrix => (';', format!(";{name}=…")),
        Style::Label => ('.', ".…".to_owned()),
        _ => return None,
    };
    let is_right = decoded(raw).starts_with(first);
    (!is_right).then(|| {
        format!(
            "it is written as `{usual}`, and {} was given",
            Value::from(raw)
        )
    })
}

fn split(whole: &str, style: Style) -> Vec<String> {
    let between: &[&str] = match style {
        Style::SpaceDelimited => &["%20", "+", " "],
        Style::PipeDelimited => &["%7C", "%7c", "|"],
        Style::TabDelimited => &["%09", "\t"],
        _ => &[","],
    };
    let mut whole = whole.to_owned();
    for other in &between[1..] {
        whole = whole.replace(other, between[0]);
    }
    whole.split(between[0]).map(str::to_owned).collect()
}

fn alternating(parts: &[String]) -> Vec<(String, String)> {
    let pairs = parts.chunks(2);
    pairs
        .map(|pair| (pair[0].clone(), pair.get(1).cloned().unwrap_or_default()))
        .collect()
}

/// `name[a][b]=1` as `{"a": {"b": 1}}`; what repeats is a list, and so is what is numbered where a list is wanted.
fn deep_object(
    schemas: &mut Schemas<'_, '_>,
    name: &str,
    schema: &Arc<Schema>,
    pairs: &[Pair<'_>],
) -> Option<Value> {
    let mut found = Value::Null;
    for (key, value) in pairs {
        let key = form_text(key);
        let Some(way) = key
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('['))
        else {
            continue;
        };
        let Some(way) = way.strip_suffix(']') else {
            continue;
        };
        let steps: Vec<&str> = way.split("][").take(MAX_STEPS).collect();
        put(&mut found, &steps, form_text(value));
    }
    (!found.is_null()).then(|| retyped(schemas, schema, found, 0))
}

/// Maximum number of steps into a deep object.
const MAX_STEPS: usize = 16;

fn put(at: &mut Value, steps: &[&str], text: String) {
    // `name[]` is an item of a list, however many there are.
    if steps == [""] {
        if !at.is_array() {
            *at = match at.take() {
                Value::Null => Value::Array(Vec::new()),
                other => Value::Array(vec![other]),
            };
        }
        if let Value::Array(items) = at {
            items.push(Value::String(text));
        }
        return;
    }
    let Some((first, rest)) = steps.split_first() else {
        *at = match at.take() {
            Value::Null => Value::String(text),
            Value::Array(mut items) => {
                items.push(Value::String(text));
                Value::Array(items)
            }
            other => Value::Array(vec![other, Value::String(text)]),
        };
        return;
    };
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    if let Value::Object(members) = at {
        put(members.entry(*first).or_insert(Value::Null), rest, text);
    }
}

/// A value whose leaves are texts, with the leaves read as their schemas want them.
pub(super) fn retyped(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    value: Value,
    depth: usize,
) -> Value {
    if depth > MAX_STEPS {
        return value;
    }
    let flat = schemas.flat(schema);
    match value {
        Value::String(text) if !flat.schema.allows(Type::String) => {
            let is_list = flat.schema.allows(Type::Array);
            // A part of a form that is an object is JSON, whether it says so or not (OpenAPI 3.1, 4.8.15.1).
            let is_only_list = is_only_list(&flat.schema);
            match serde_json::from_str::<Value>(&text) {
                Ok(value @ Value::Object(_)) if !is_only_list => value,
                Ok(value @ Value::Array(_)) if is_list && !holds_files(schemas, schema) => value,
                // One part is a list of one: a file whose text happens to be JSON, too.
                _ if is_list => {
                    let items = Value::Array(vec![Value::String(text)]);
                    retyped(schemas, schema, items, depth + 1)
                }
                _ => typed(schemas, schema, &text),
            }
        }
        Value::String(text) => typed(schemas, schema, &text),
        Value::Array(items) => {
            let item = flat.schema.items.clone();
            let items = items.into_iter().map(|value| match &item {
                Some(item) => retyped(schemas, item, value, depth + 1),
                None => value,
            });
            Value::Array(items.collect())
        }
        Value::Object(members) if is_numbered(&members) && is_only_list(&flat.schema) => {
            let items = members.into_iter().map(|(_, value)| value).collect();
            retyped(schemas, schema, Value::Array(items), depth)
        }
        // A part of JSON is one item, too.
        Value::Object(members) if is_only_list(&flat.schema) && holds_objects(schemas, schema) => {
            let items = Value::Array(vec![Value::Object(members)]);
            retyped(schemas, schema, items, depth + 1)
        }
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, value)| {
                let value = match flat.schema.property(&key).cloned() {
                    Some(property) => retyped(schemas, &property, value, depth + 1),
                    None => value,
                };
                (key, value)
            });
            Value::Object(members.collect())
        }
        other => other,
    }
}

/// Returns true if the items of the list `schema` are files.
fn holds_files(schemas: &mut Schemas<'_, '_>, schema: &Arc<Schema>) -> bool {
    let items = schemas.flat(schema).schema.items.clone();
    items.is_some_and(|items| schemas.flat(&items).schema.is_binary)
}

/// Returns true if the items of the list `schema` are objects.
fn holds_objects(schemas: &mut Schemas<'_, '_>, schema: &Arc<Schema>) -> bool {
    let items = schemas.flat(schema).schema.items.clone();
    items.is_some_and(|items| schemas.flat(&items).schema.allows(Type::Object))
}

/// Whether the names of members are the numbers of items, in order.
fn is_numbered(members: &Map<String, Value>) -> bool {
    let mut names = members.keys().enumerate();
    names.all(|(number, name)| *name == number.to_string())
}

fn is_only_list(schema: &Schema) -> bool {
    schema.allows(Type::Array) && !schema.allows(Type::Object)
}

/// The items of a list, each as its text; lists within it have the separators `inner`, the outermost first.
fn list(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    items: &[String],
    inner: &[Option<char>],
) -> Value {
    let Some(of_items) = schemas.flat(schema).schema.items.clone() else {
        let items = items.iter().map(|item| Value::String(item.clone()));
        return Value::Array(items.collect());
    };
    let is_list = shape(schemas, &of_items) == Shape::List;
    let read = |item: &String| match inner {
        [Some(between), rest @ ..] if is_list => {
            let parts: Vec<String> = item.split(*between).map(str::to_owned).collect();
            list(schemas, &of_items, &parts, rest)
        }
        _ => typed(schemas, &of_items, item),
    };
    Value::Array(items.iter().map(read).collect())
}

fn object(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    members: &[(String, String)],
) -> Value {
    let flat = schemas.flat(schema);
    let members = members.iter().map(|(key, text)| {
        let value = match flat.schema.property(key).cloned() {
            Some(property) => typed(schemas, &property, text),
            None => Value::String(text.clone()),
        };
        (key.clone(), value)
    });
    Value::Object(members.collect())
}

/// `text` as the value of `schema` that it can be: a number or a boolean where one is valid, else the text.
pub(super) fn typed(schemas: &mut Schemas<'_, '_>, schema: &Arc<Schema>, text: &str) -> Value {
    let flat = schemas.flat(schema);
    let number = || serde_json::from_str::<Number>(text).ok().map(Value::Number);
    let boolean = || match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    };
    let null = || (text.is_empty() || text == "null").then_some(Value::Null);
    let readings = [
        Some(Value::String(text.to_owned())),
        number(),
        boolean(),
        null(),
    ];
    let readings: Vec<Value> = readings.into_iter().flatten().collect();
    let valid = readings
        .iter()
        .find(|value| schemas.check(schema, value, Hidden::Nothing).is_ok());
    // Where no reading is valid, that of the right type has the better message.
    let of_type = || {
        let of_type = |value: &&Value| {
            let of = Type::of(value);
            flat.schema.allows(of) || of == Type::Integer && flat.schema.allows(Type::Number)
        };
        readings.iter().find(of_type)
    };
    valid
        .or_else(of_type)
        .cloned()
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
