//! The short form of an operation: what a request has, field by field, and what comes back, a line for
//! each. Made from its part of the specification; seldom more than 800 tokens with its code.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value};

/// Most characters of the lines of fields, and of the names of those that are only named.
const FIELDS: usize = 1500;
const NAMES: usize = 300;
/// Most fields that must be there of which more than the name is written.
const REQUIRED: usize = 20;
/// Most characters of a constant.
const MAX_VALUE: usize = 40;
/// Most characters of a description.
const SENTENCE: usize = 120;
/// Most responses that are listed, and most alternatives of a body.
const RESPONSES: usize = 8;
const ALTERNATIVES: usize = 8;
/// Longest chain of references that is followed, and the most levels and alternatives of a type that are written out.
const DEPTH: usize = 8;
const LEVELS: usize = 3;
const KINDS: usize = 4;

/// A field of a request.
struct Field {
    name: String,
    /// `path`, `query`, `header`, `cookie`, `body`.
    place: String,
    kind: String,
    is_required: bool,
    description: String,
}

/// Writes the short form of the operation that `document` is about; `None` if it is no operation of HTTP.
pub(super) fn brief(document: &Value) -> Option<String> {
    let (item, operation) = operation_in(document)?;
    let mut text = String::new();
    if let Some(about) = sentence(&operation["description"]) {
        writeln!(text, "\n{about}").ok()?;
    }
    let parameters = parameters(document, item, operation);
    let (body, note) = body(document, &operation["requestBody"]);
    write_fields(&mut text, parameters.into_iter().chain(body).collect());
    if let Some(note) = note {
        writeln!(text, "\n{note}").ok()?;
    }
    let security = operation["security"].as_array();
    let security = security.or_else(|| document["security"].as_array());
    let names: BTreeSet<&str> = security
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        writeln!(text, "\nSecurity: {}", names.join(", ")).ok()?;
    }
    write_responses(&mut text, document, &operation["responses"]);
    Some(text)
}

/// The only path item of `document` and the only operation of it.
fn operation_in(document: &Value) -> Option<(&Value, &Value)> {
    let items = ["paths", "webhooks"].map(|name| document[name].as_object());
    let item = items.into_iter().flatten().flat_map(Map::values).next()?;
    let item = resolved(document, item);
    let others = ["summary", "description", "servers", "parameters", "$ref"];
    // Methods that no member is named after (OpenAPI 3.2).
    let additional = item["additionalOperations"].as_object();
    let members = item.as_object()?.iter();
    let members = members.filter(|(name, _)| *name != "additionalOperations");
    let mut operations = members.chain(additional.into_iter().flatten());
    let is_operation = |(name, value): &(&String, &Value)| {
        !others.contains(&name.as_str()) && !name.starts_with("x-") && value.is_object()
    };
    let (_, operation) = operations.find(is_operation)?;
    Some((item, operation))
}

/// What `value` refers to; itself if it refers to nothing that `document` has.
fn resolved<'a>(document: &'a Value, mut value: &'a Value) -> &'a Value {
    for _ in 0..DEPTH {
        let Some(pointer) = value["$ref"].as_str().and_then(|to| to.strip_prefix('#')) else {
            break;
        };
        let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8_lossy();
        let Some(found) = document.pointer(&pointer) else {
            break;
        };
        value = found;
    }
    value
}

/// The parameters of an operation; one of its own takes the place of one of its path.
fn parameters(document: &Value, item: &Value, operation: &Value) -> Vec<Field> {
    let lists = [&item["parameters"], &operation["parameters"]];
    let mut fields: Vec<Field> = Vec::new();
    for parameter in lists.into_iter().filter_map(Value::as_array).flatten() {
        let parameter = resolved(document, parameter);
        let (Some(name), Some(place)) = (parameter["name"].as_str(), parameter["in"].as_str())
        else {
            continue;
        };
        let schema = match &parameter["schema"] {
            // Swagger 2.0 has the type beside the name.
            Value::Null => parameter,
            schema => schema,
        };
        let own = &parameter["description"];
        let described =
            sentence(own).or_else(|| sentence(&resolved(document, schema)["description"]));
        fields.retain(|known| known.name != name || known.place != place);
        fields.push(Field {
            name: name.to_owned(),
            place: place.to_owned(),
            kind: kind(document, schema, 0),
            is_required: parameter["required"] == true || place == "path",
            description: described.unwrap_or_default(),
        });
    }
    fields
}

/// The fields of a body, and a sentence about a body that has none.
fn body(document: &Value, body: &Value) -> (Vec<Field>, Option<String>) {
    let body = resolved(document, body);
    let Some(content) = body["content"].as_object() else {
        return (Vec::new(), None);
    };
    let json = content.iter().find(|(kind, _)| kind.contains("json"));
    let Some((media, content)) = json.or_else(|| content.iter().next()) else {
        return (Vec::new(), None);
    };
    let schema = &content["schema"];
    let mut fields = Vec::new();
    let mut required = BTreeSet::new();
    properties(
        document,
        schema,
        &mut BTreeSet::new(),
        &mut fields,
        &mut required,
    );
    for field in &mut fields {
        field.is_required = required.contains(&field.name);
    }
    let whole = resolved(document, schema);
    let alternatives = ["oneOf", "anyOf"].map(|name| whole[name].as_array());
    let alternatives = alternatives.into_iter().flatten().next();
    if !fields.is_empty() && alternatives.is_none() {
        let note = (!media.contains("json")).then(|| format!("The body is `{media}`."));
        return (fields, note);
    }
    let kind = kind(document, schema, 0);
    let is_required = match body["required"] == true {
        true => ", required",
        false => "",
    };
    let mut note = format!("The body is {kind} (`{media}`{is_required}).");
    if let Some(alternatives) = alternatives {
        note.push_str(" It is one of:\n");
        for alternative in alternatives.iter().take(ALTERNATIVES) {
            let (mut fields, mut required) = (Vec::new(), BTreeSet::new());
            let seen = &mut BTreeSet::new();
            properties(document, alternative, seen, &mut fields, &mut required);
            let required: Vec<String> = required.iter().map(|name| format!("`{name}`")).collect();
            let needs = match required.is_empty() {
                true => String::new(),
                false => format!(", with {}", required.join(", ")),
            };
            let name = self::kind(document, alternative, 0);
            note.push_str(&format!("\n- {name}{needs}"));
        }
        if alternatives.len() > ALTERNATIVES {
            let more = alternatives.len() - ALTERNATIVES;
            note.push_str(&format!("\n- and {more} more"));
        }
    }
    (fields, Some(note))
}

/// Adds the properties of `schema` and of what it is composed of to `fields`, and the names of those that
/// must be there to `required`.
fn properties(
    document: &Value,
    schema: &Value,
    seen: &mut BTreeSet<String>,
    fields: &mut Vec<Field>,
    required: &mut BTreeSet<String>,
) {
    // Each part once: bases may name each other.
    if let Some(name) = schema["$ref"].as_str()
        && !seen.insert(name.to_owned())
    {
        return;
    }
    let schema = resolved(document, schema);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        properties(document, part, seen, fields, required);
    }
    let names = schema["required"].as_array().into_iter().flatten();
    required.extend(names.filter_map(|name| name.as_str().map(str::to_owned)));
    let members = schema["properties"].as_object().into_iter().flatten();
    for (name, property) in members {
        let whole = resolved(document, property);
        if whole["readOnly"] == true {
            continue;
        }
        let described = sentence(&property["description"]);
        fields.retain(|known| known.name != *name);
        fields.push(Field {
            name: name.clone(),
            place: "body".to_owned(),
            kind: kind(document, property, 0),
            is_required: false,
            description: described
                .or_else(|| sentence(&whole["description"]))
                .unwrap_or_default(),
        });
    }
}

/// The type of `schema`: `string`, `array of Tag`, `"a" | "b"`. A data model is called by its name.
fn kind(document: &Value, schema: &Value, depth: usize) -> String {
    if depth > LEVELS {
        return "…".to_owned();
    }
    let name = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next());
    let schema = resolved(document, schema);
    if let Some(values) = schema["enum"]
        .as_array()
        .filter(|values| !values.is_empty())
    {
        let shown: Vec<String> = values.iter().take(6).map(value).collect();
        let rest = if values.len() > shown.len() {
            " | …"
        } else {
            ""
        };
        return shown.join(" | ") + rest;
    }
    if let Some(constant) = schema.get("const") {
        return value(constant);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if types.contains(&"array") {
        let items = kind(document, &schema["items"], depth + 1);
        let others: Vec<&str> = types.into_iter().filter(|kind| *kind != "array").collect();
        let others: String = others.iter().map(|kind| format!(" | {kind}")).collect();
        return format!("array of {items}{others}");
    }
    if let (Some(name), [] | ["object"]) = (name, types.as_slice()) {
        return name.to_owned();
    }
    if !types.is_empty() {
        return types.join(" | ");
    }
    for composed in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[composed].as_array() {
            let mut kinds: Vec<String> = Vec::new();
            for part in parts.iter().take(KINDS) {
                let kind = kind(document, part, depth + 1);
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            let sign = if composed == "allOf" { " & " } else { " | " };
            if parts.len() > KINDS {
                kinds.push("…".to_owned());
            }
            return kinds.join(sign);
        }
    }
    if schema["properties"].is_object() {
        return "object".to_owned();
    }
    "any".to_owned()
}

/// A constant, as JSON, cut where it is long.
fn value(constant: &Value) -> String {
    let text = constant.to_string();
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The first sentence of a text, in one line.
fn sentence(text: &Value) -> Option<String> {
    let text = text.as_str()?.trim();
    let paragraph = text.split("\n\n").next()?;
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut ends = line.match_indices(". ").map(|(end, _)| end);
    // The words before it may be "e.g." or "i.e.".
    let end = ends.find(|end| {
        let word = line[..*end].rsplit([' ', '(']).next().unwrap_or_default();
        !word.contains('.')
    });
    let end = end.map_or(line.len(), |end| end + 1);
    let mut cut: String = line[..end].chars().take(SENTENCE).collect();
    if cut.len() < end {
        cut.push('…');
    }
    (!cut.is_empty()).then_some(cut)
}

/// Writes a line for each of `fields`, those that are required first; the last ones by their names alone.
fn write_fields(text: &mut String, mut fields: Vec<Field>) {
    fields.sort_by_key(|field| !field.is_required);
    let mut lines = String::new();
    let mut left: Vec<String> = Vec::new();
    for (number, field) in fields.iter().enumerate() {
        let required = if field.is_required { ", required" } else { "" };
        let description = match field.description.is_empty() {
            true => String::new(),
            false => format!(": {}", field.description),
        };
        let Field {
            name, place, kind, ..
        } = field;
        let line = format!("- `{name}` ({place}, {kind}{required}){description}\n");
        let is_wanted = field.is_required && number < REQUIRED;
        match left.is_empty() && (lines.len() + line.len() <= FIELDS || is_wanted) {
            true => lines.push_str(&line),
            false => left.push(format!("`{name}`")),
        }
    }
    if !lines.is_empty() {
        text.push_str("\nRequest:\n\n");
        text.push_str(&lines);
    }
    if left.is_empty() {
        return;
    }
    let count = left.len();
    let mut shown = 0;
    let mut length = 0;
    while shown < count && length + left[shown].len() <= NAMES {
        length += left[shown].len() + 2;
        shown += 1;
    }
    left.truncate(shown.max(1));
    let more = match count - left.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    text.push_str(&format!("\nAlso: {}{more}.\n", left.join(", ")));
}

/// Writes a line for each response: status, type, description.
fn write_responses(text: &mut String, document: &Value, responses: &Value) {
    let responses = responses.as_object().into_iter().flatten();
    let responses: Vec<_> = responses
        .filter(|(name, _)| !name.starts_with("x-"))
        .collect();
    if responses.is_empty() {
        return;
    }
    text.push_str("\nResponses:\n\n");
    for (status, response) in responses.iter().take(RESPONSES) {
        let response = resolved(document, response);
        let content = response["content"].as_object();
        let schema = content.and_then(|content| content.values().next());
        let schema = schema.map_or(&response["schema"], |content| &content["schema"]);
        let kind = match schema.is_null() {
            true => String::new(),
            false => format!(" ({})", kind(document, schema, 0)),
        };
        let description = sentence(&response["description"]);
        let description = description.map_or(String::new(), |text| format!(": {text}"));
        text.push_str(&format!("- `{status}`{kind}{description}\n"));
    }
    if responses.len() > RESPONSES {
        text.push_str(&format!("- and {} more\n", responses.len() - RESPONSES));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::brief;

    #[test]
    fn fields_and_responses_have_a_line_each() {
        let document = json!({
            "openapi": "3.1.0",
            "security": [{ "key": [] }],
            "paths": { "/tea/{id}": {
                "parameters": [
                    { "name": "id", "in": "path", "schema": { "type": "string" } },
                    { "$ref": "#/components/parameters/Page" },
                ],
                "post": {
                    "description": "Brews a cup. It takes a while.",
                    "parameters": [{ "name": "id", "in": "path", "required": true, "description": "Which tea.", "schema": { "type": "integer" } }],
                    "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Order" } } } },
                    "responses": {
                        "200": { "description": "The cup.", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Cup" } } } },
                        "404": { "$ref": "#/components/responses/Gone" },
                    },
                },
            } },
            "components": {
                "parameters": { "Page": { "name": "page", "in": "query", "schema": { "type": "integer" } } },
                "responses": { "Gone": { "description": "No such tea." } },
                "schemas": {
                    "Base": { "type": "object", "required": ["milk"], "properties": { "milk": { "type": "boolean" } } },
                    "Order": { "allOf": [{ "$ref": "#/components/schemas/Base" }, { "properties": {
                        "size": { "enum": ["small", "large"], "description": "How much." },
                        "tags": { "type": "array", "items": { "$ref": "#/components/schemas/Tag" } },
                        "number": { "type": "integer", "readOnly": true },
                    } }] },
                    "Tag": { "type": "object" },
                    "Cup": { "type": "object" },
                },
            },
        });
        let expected = "
Brews a cup.

Request:

- `id` (path, integer, required): Which tea.
- `milk` (body, boolean, required)
- `page` (query, integer)
- `size` (body, \"small\" | \"large\"): How much.
- `tags` (body, array of Tag)

Security: `key`

Responses:

- `200` (Cup): The cup.
- `404`: No such tea.
";
        assert_eq!(brief(&document).as_deref(), Some(expected));
    }

    #[test]
    fn a_body_may_be_one_of_several() {
        let document = json!({
            "paths": { "/a": { "post": {
                "description": "Takes e.g. a cup. Or more.",
                "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Any" } } } },
            } } },
            "components": { "schemas": {
                "Any": { "oneOf": [{ "$ref": "#/components/schemas/Cup" }, { "$ref": "#/components/schemas/Pot" }, { "type": "string" }] },
                "Cup": { "type": "object", "required": ["size", "milk"], "properties": { "size": {}, "milk": {} } },
                "Pot": { "type": "object" },
            } },
        });
        let expected = "
Takes e.g. a cup.

The body is Any (`application/json`, required). It is one of:

- Cup, with `milk`, `size`
- Pot
- string
";
        assert_eq!(brief(&document).as_deref(), Some(expected));
    }

    #[test]
    fn what_has_no_end_and_what_is_long_is_cut() {
        let names: Vec<String> = (0..200).map(|n| format!("field_{n:03}")).collect();
        let mut properties: serde_json::Map<_, _> = names
            .iter()
            .map(|name| {
                (
                    name.clone(),
                    json!({ "type": "string", "description": "Words ".repeat(99) }),
                )
            })
            .collect();
        properties.insert(
            "self".to_owned(),
            json!({ "$ref": "#/components/schemas/Loop" }),
        );
        let bases = vec![json!({ "$ref": "#/components/schemas/Loop" }); 20];
        let document = json!({
            "paths": { "/a": { "put": { "requestBody": { "content": { "application/json": {
                "schema": { "allOf": [{ "$ref": "#/components/schemas/Loop" }], "required": ["field_150"] },
            } } } } } },
            "components": { "schemas": {
                "Loop": { "allOf": bases, "properties": properties },
            } },
        });
        let text = brief(&document).unwrap();
        assert!(text.starts_with("\nRequest:\n\n- `field_150` (body, string, required): Words"));
        assert!(text.len() < 2_500, "{}", text.len());
        assert!(text.contains(" more.\n"), "{text}");
        assert_eq!(brief(&json!({ "channels": {} })), None);
    }
}
