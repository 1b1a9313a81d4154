//! Samples of every schema position of the corpus, judged by a validator of others.
//!
//! The judge reads JSON Schema 2020-12, so documents of 3.0 are converted first, by a converter that shares nothing with
//! the normaliser under test.

use std::collections::BTreeMap;

use base::data::pointer::child;
use openapi::direction::Direction;
use openapi::model::sample_at;
use openapi::plain::Plain;
use serde_json::{Map, Value, json};

use super::corpus::documents;

/// A schema of 3.0 as one of 2020-12.
fn converted(value: &Value, is_30: bool) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| converted(item, is_30)).collect(),
        Value::Object(members) if is_30 => {
            if let (Some(reference), true) = (
                members.get("$ref"),
                members.get("$ref").is_some_and(Value::is_string),
            ) {
                return json!({ "$ref": reference });
            }
            let mut out = Map::new();
            for (key, member) in members {
                match key.as_str() {
                    "nullable" | "discriminator" | "xml" | "example" | "externalDocs" => {
                        if member.is_object()
                            && key != "xml"
                            && key != "externalDocs"
                            && key != "discriminator"
                        {
                            out.insert(key.clone(), converted(member, is_30));
                        }
                    }
                    "enum" | "default" | "const" | "examples" => {
                        out.insert(key.clone(), member.clone());
                    }
                    "properties" => {
                        let named = member.as_object().into_iter().flatten();
                        let named: Map<String, Value> = named
                            .map(|(name, member)| (name.clone(), converted(member, is_30)))
                            .collect();
                        out.insert(key.clone(), Value::Object(named));
                    }
                    _ => {
                        out.insert(key.clone(), converted(member, is_30));
                    }
                }
            }
            let is_nullable = members.get("nullable") == Some(&json!(true));
            if let (Some(Value::String(kind)), true) = (members.get("type"), is_nullable) {
                out.insert("type".to_owned(), json!([kind, "null"]));
            }
            for (limit, flag) in [
                ("minimum", "exclusiveMinimum"),
                ("maximum", "exclusiveMaximum"),
            ] {
                match members.get(flag) {
                    Some(Value::Bool(true)) => {
                        out.remove(flag);
                        if let Some(number) = out.remove(limit) {
                            out.insert(flag.to_owned(), number);
                        }
                    }
                    Some(Value::Bool(false)) => {
                        out.remove(flag);
                    }
                    _ => {}
                }
            }
            Value::Object(out)
        }
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(key, member)| (key.clone(), converted(member, is_30)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// The pointers of schemas with the direction they are used in: models, bodies, answers.
fn positions(root: &Value) -> Vec<(String, Direction)> {
    let mut found = Vec::new();
    let schemas = root
        .pointer("/components/schemas")
        .and_then(Value::as_object);
    for (name, _) in schemas.into_iter().flatten() {
        found.push((child("/components/schemas", name), Direction::Model));
    }
    for operation in super::operations(root) {
        if operation.starts_with("/webhooks") {
            continue;
        }
        let Some(value) = root.pointer(&operation) else {
            continue;
        };
        let mut add = |at: &str, direction: Direction| {
            let content = root.pointer(at).and_then(Value::as_object);
            for (media, value) in content.into_iter().flatten() {
                if value.get("schema").is_some() {
                    found.push((format!("{}/schema", child(at, media)), direction));
                }
            }
        };
        add(
            &format!("{operation}/requestBody/content"),
            Direction::Request,
        );
        let responses = value.get("responses").and_then(Value::as_object);
        for (status, _) in responses.into_iter().flatten() {
            let at = child(&format!("{operation}/responses"), status);
            add(&format!("{at}/content"), Direction::Response);
        }
    }
    found
}

/// A schema without requirements that the direction drops: names of read-only or write-only properties.
fn relaxed(value: &Value, hidden: &str, root: &Value) -> Value {
    match value {
        Value::Array(items) => items
            .iter()
            .map(|item| relaxed(item, hidden, root))
            .collect(),
        Value::Object(members) => {
            let mut out: Map<String, Value> = members
                .iter()
                .map(|(key, member)| match key.as_str() {
                    "enum" | "default" | "const" | "example" | "examples" => {
                        (key.clone(), member.clone())
                    }
                    _ => (key.clone(), relaxed(member, hidden, root)),
                })
                .collect();
            if let Some(Value::Array(required)) = members.get("required") {
                let is_hidden = |name: &Value| {
                    let Some(name) = name.as_str() else {
                        return false;
                    };
                    hides(members, name, hidden, root, 0)
                };
                // The judge does not like a name twice.
                let mut kept: Vec<Value> = Vec::new();
                for name in required.iter().filter(|name| !is_hidden(name)) {
                    if !kept.contains(name) {
                        kept.push(name.clone());
                    }
                }
                out.insert("required".to_owned(), Value::Array(kept));
            }
            Value::Object(out)
        }
        other => other.clone(),
    }
}

/// Whether a property of a schema, or of a member of its `allOf`, is hidden.
fn hides(
    members: &Map<String, Value>,
    name: &str,
    hidden: &str,
    root: &Value,
    depth: usize,
) -> bool {
    if depth > 8 {
        return false;
    }
    let mut property = members.get("properties").and_then(|all| all.get(name));
    for _ in 0..8 {
        let Some(found) = property else {
            break;
        };
        if found.get(hidden) == Some(&json!(true)) {
            return true;
        }
        let reference = found.get("$ref").and_then(Value::as_str);
        property = reference.and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    }
    let all = members
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    all.into_iter().any(|member| {
        let reference = member.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| root.pointer(reference.strip_prefix('#')?));
        let member = target.unwrap_or(member).as_object();
        member.is_some_and(|member| hides(member, name, hidden, root, depth + 1))
    })
}

/// How many samples there are of which kind.
#[derive(Default)]
struct Counts {
    valid: usize,
    none: usize,
    skipped: usize,
    /// Samples with nothing in them, of schemas with something.
    empty: Vec<String>,
    invalid: BTreeMap<String, Vec<String>>,
}

/// Whether a value of the schema has something in it, as far as the direction goes: a property that is not forbidden, an item.
/// Own code: it knows nothing of how samples are made.
fn holds_something(value: &Value, hidden: &str, root: &Value, seen: &mut Vec<String>) -> bool {
    let Some(members) = value.as_object() else {
        return false;
    };
    if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#');
        let target = target.map(|target| target.replace("%20", " "));
        if let Some(target) = target.filter(|target| !seen.contains(target)) {
            seen.push(target.clone());
            if let Some(found) = root.pointer(&target) {
                return holds_something(found, hidden, root, seen);
            }
        }
        return false;
    }
    // What an author gives as an example is printed as it is.
    if ["example", "examples", "default", "enum", "const"]
        .iter()
        .any(|key| members.contains_key(*key))
    {
        return false;
    }
    let properties = members.get("properties").and_then(Value::as_object);
    let has_property = properties.into_iter().flatten().any(|(name, property)| {
        *property != json!(false) && !hides(members, name, hidden, root, 0)
    });
    let is_open = members.get("maxItems") != Some(&json!(0));
    let has_item = members.get("items").is_some_and(Value::is_object) && is_open;
    let composed = ["allOf", "oneOf", "anyOf"]
        .iter()
        .filter_map(|key| members.get(*key)?.as_array());
    let composed: Vec<&Value> = composed.flatten().collect();
    has_property
        || has_item
        || composed
            .into_iter()
            .any(|member| holds_something(member, hidden, root, seen))
}

fn is_empty(sample: &Value) -> bool {
    match sample {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[test]
fn an_empty_default_is_no_sample_of_what_can_be_sent() {
    let document = Plain::new(json!({
        "openapi": "3.1.0",
        "components": {"schemas": {
            "Session": {"type": "object", "properties": {"name": {"type": "string"}, "state": {"type": "object", "default": {}}}},
            "Started": {"$ref": "#/components/schemas/Session", "description": "What it begins with.", "default": {}},
            "Named": {"$ref": "#/components/schemas/Session", "default": {"name": "Ada"}},
            "Labels": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}}
        }}
    }));
    for (name, expected) in [
        ("Started", json!({"name": "string", "state": {}})),
        ("Named", json!({"name": "Ada"})),
        ("Labels", json!({})),
    ] {
        let pointer = format!("/components/schemas/{name}");
        let sample = sample_at(&&document, &pointer, Direction::Request);
        assert_eq!(sample, Some(expected), "{name}");
    }
}

/// `additionalProperties` knows the properties beside it alone, so that one beside `allOf` excludes all there are: whoever
/// writes that means the whole.
#[test]
fn what_is_closed_beside_all_of_is_closed_as_a_whole() {
    let document = Plain::new(json!({
        "openapi": "3.1.0",
        "components": {"schemas": {
            "Reply": {"type": "object", "properties": {"log": {"$ref": "#/components/schemas/Log"}}, "additionalProperties": false},
            "Log": {"type": "object", "additionalProperties": false, "allOf": [
                {"properties": {"id": {"type": "string"}}},
                {"oneOf": [
                    {"properties": {"s3": {"type": "string"}}, "required": ["s3"]},
                    {"properties": {"dog": {"type": "integer"}}, "required": ["dog"]}
                ]}
            ]},
            "Named": {"$ref": "#/components/schemas/Log", "additionalProperties": false},
            "Closed": {"type": "object", "additionalProperties": false}
        }}
    }));
    let log = json!({"id": "string", "s3": "string"});
    for (name, expected) in [
        ("Reply", json!({"log": log})),
        ("Log", log.clone()),
        ("Named", log),
        ("Closed", json!({})),
    ] {
        let pointer = format!("/components/schemas/{name}");
        let sample = sample_at(&&document, &pointer, Direction::Response);
        assert_eq!(sample, Some(expected), "{name}");
    }
}

/// A document without the examples and defaults of its schemas: what authors write is in samples as it is, valid or not
/// (`examples.rs`), and what is made without it has to be valid.
fn without_authored(value: &Value, is_named: bool) -> Value {
    match value {
        Value::Array(items) => items
            .iter()
            .map(|item| without_authored(item, false))
            .collect(),
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, _)| {
                is_named || !matches!(key.as_str(), "example" | "examples" | "default")
            });
            let kept = kept.map(|(key, member)| {
                let is_map = !is_named
                    && matches!(
                        key.as_str(),
                        "properties" | "schemas" | "patternProperties" | "responses"
                    );
                (key.clone(), without_authored(member, is_map))
            });
            Value::Object(kept.collect())
        }
        other => other.clone(),
    }
}

#[test]
fn samples_of_the_corpus_are_valid() {
    let mut counts = Counts::default();
    for entry in documents() {
        let Some(root) = entry.root.filter(|_| entry.is_ok) else {
            continue;
        };
        let root = without_authored(&root, false);
        let is_30 = root["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.0"));
        let judged = converted(&root, is_30);
        let document = Plain::new(root.clone());
        for direction in [Direction::Model, Direction::Request, Direction::Response] {
            let of_direction: Vec<(String, Direction)> = positions(&root)
                .into_iter()
                .filter(|(_, one)| *one == direction)
                .collect();
            if of_direction.is_empty() {
                continue;
            }
            let hidden = match direction {
                Direction::Model => "x-hidden-in-no-direction",
                Direction::Request | Direction::Reply => "readOnly",
                Direction::Response | Direction::Event => "writeOnly",
            };
            let judged = relaxed(&judged, hidden, &judged);
            for (pointer, _) in &of_direction {
                let sample = sample_at(&&document, pointer, direction);
                let schema = root.pointer(pointer).unwrap_or(&Value::Null);
                if sample.as_ref().is_none_or(is_empty)
                    && holds_something(schema, hidden, &root, &mut Vec::new())
                {
                    counts
                        .empty
                        .push(format!("{} {pointer} {sample:?}", entry.file));
                }
            }
            judge(&entry.file, &document, judged, &of_direction, &mut counts);
        }
    }
    let invalid: usize = counts.invalid.values().map(Vec::len).sum();
    println!(
        "{} valid, {invalid} not, {} without a value, {} not judged, {} empty",
        counts.valid,
        counts.none,
        counts.skipped,
        counts.empty.len()
    );
    for (cause, places) in &counts.invalid {
        println!("{:5} {cause}", places.len());
        if std::env::var_os("QUIRE_VERBOSE").is_some() {
            println!("{}", places.join("\n"));
        }
    }
    println!("{}", counts.empty.join("\n"));
    let found: Vec<(&str, usize)> = counts
        .invalid
        .iter()
        .map(|(cause, places)| (cause.as_str(), places.len()))
        .collect();
    if counts.valid > 0 {
        assert_eq!(found, KNOWN);
        assert_eq!(counts.empty, <[String; 0]>::default());
        assert!(counts.valid >= 7151, "{} valid", counts.valid);
    }
}

/// What the judge refuses, by cause.
const KNOWN: [(&str, usize); 5] = [
    // Two members of an `allOf` that are both closed: shown as their union, nothing is valid against both.
    ("AdditionalProperties", 1),
    // Documents that contradict themselves in what they require: samples follow what was said last, as rows do. Eight are strings
    // whose values are written as numbers (`enum: [1, 2]`): the texts that are meant are not in the list.
    ("Enum", 11),
    // Branches of a `oneOf` that take each other's values, because no property of theirs is required and all allow others:
    // only a value that names a property of the other branch with a type that is wrong there would be valid against one.
    // A reader is told more by the value as it is. In 19 of them a discriminator decides, which the judge does not know.
    ("OneOfMultipleValid", 32),
    // Unions of which no branch can be had stay in the sample with the first, reported, like the last three of the next line.
    ("OneOfNotValid", 1),
    // `{type: string, enum: [null]}` three times, and contradictions: fields of two types stay in the sample with one of them.
    ("Type", 18),
];

fn judge(
    file: &str,
    document: &Plain,
    judged: Value,
    positions: &[(String, Direction)],
    counts: &mut Counts,
) {
    let resource = jsonschema::Resource::from_contents(judged);
    let registry = jsonschema::Registry::new()
        .add("urn:document", resource)
        .and_then(|registry| registry.prepare());
    let Ok(registry) = registry else {
        counts.skipped += positions.len();
        return;
    };
    for (pointer, direction) in positions {
        let Some(sample) = sample_at(&document, pointer, *direction) else {
            counts.none += 1;
            if std::env::var_os("QUIRE_VERBOSE").is_some() {
                println!("NONE {file} {pointer}");
            }
            continue;
        };
        let fragment = pointer
            .replace('%', "%25")
            .replace('{', "%7B")
            .replace('}', "%7D")
            .replace(' ', "%20");
        let schema = json!({ "$ref": format!("urn:document#{fragment}") });
        let validator = jsonschema::options()
            .with_registry(&registry)
            .should_validate_formats(false)
            .build(&schema);
        match validator {
            Err(error) => {
                counts.skipped += 1;
                if std::env::var_os("QUIRE_VERBOSE").is_some() {
                    println!("{file} {pointer}: {error}");
                }
            }
            Ok(validator) => match validator.iter_errors(&sample).next() {
                None => counts.valid += 1,
                Some(error) => {
                    let sample = sample.to_string();
                    let kind = format!("{:?}", error.kind());
                    let kind = kind
                        .split([' ', '{', '('])
                        .next()
                        .unwrap_or_default()
                        .to_owned();
                    let text: String = error.to_string().chars().take(200).collect();
                    counts.invalid.entry(kind).or_default().push(format!(
                        "{file} {pointer} at {}: {text} IN {sample:.400}",
                        error.instance_path()
                    ));
                }
            },
        }
    }
}
