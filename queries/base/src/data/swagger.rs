//! Swagger 2.0 documents as OpenAPI 3.0 ones, so that nothing behind the cut knows the older format; and the way back from a
//! pointer of the converted document to where its value is written.
//!
//! What the newer format has no place for is left out. References inside the document are followed
//! where a parameter becomes a body; others are written from scratch.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::older::has_member;
use super::pointer;
use super::yaml::SPELLED;

/// The version that converted documents are of.
const VERSION: &str = "3.0.3";

/// Media type of bodies and responses for which the document names none.
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// Members of an operation or of a path item.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch"];

/// Members of a parameter, a header or an item that belong to its schema.
const OF_SCHEMA: &[&str] = &[
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
    SPELLED,
];

/// Returns true if a document with this `swagger` field can be converted.
pub fn is_convertible(version: &Value) -> bool {
    match version {
        Value::String(version) => version == "2.0",
        Value::Number(version) => version.as_f64() == Some(2.0),
        _ => false,
    }
}

/// Returns true if `text` is a document that is converted.
pub fn is_swagger(text: &str) -> bool {
    has_member(text, "swagger", |value| {
        value.starts_with("2.0") || value.starts_with("2\n")
    })
}

/// The document as one of OpenAPI 3.0. `swagger` stays, as a mark of where it comes from.
pub fn converted(root: Value) -> Value {
    let Value::Object(members) = root else {
        return root;
    };
    let converter = Converter { root: &members };
    Value::Object(converter.document())
}

/// Returns the origin of the value at `target` of a converted document: a pointer to it in the
/// original, or to the value that contains it.
pub fn origin(target: &str) -> String {
    let segments: Vec<String> = pointer::segments(target).collect();
    let names: Vec<&str> = segments.iter().map(String::as_str).collect();
    let origin: Vec<&str> = match names.as_slice() {
        ["openapi", ..] => vec!["swagger"],
        ["servers", ..] => vec!["host"],
        ["components", kind, rest @ ..] => {
            let top = match *kind {
                "schemas" => "definitions",
                "securitySchemes" => "securityDefinitions",
                "parameters" | "requestBodies" => "parameters",
                kind => kind,
            };
            let rest = match (*kind, rest) {
                ("responses", [name, inner @ ..]) => {
                    [&[*name], of_response(inner).as_slice()].concat()
                }
                ("parameters", [name, "schema", inner @ ..]) => [&[*name], inner].concat(),
                ("requestBodies", [name, ..]) => vec![*name],
                (_, rest) => rest.to_vec(),
            };
            [&[top], rest.as_slice()].concat()
        }
        ["paths", path, "parameters", index, "schema", rest @ ..] => {
            [&["paths", *path, "parameters", *index], rest].concat()
        }
        [
            "paths",
            path,
            method,
            "parameters",
            index,
            "schema",
            rest @ ..,
        ] => [&["paths", *path, *method, "parameters", *index], rest].concat(),
        ["paths", path, method, "requestBody", ..] => vec!["paths", *path, *method, "parameters"],
        ["paths", path, method, "servers", ..] => vec!["paths", *path, *method, "schemes"],
        ["paths", path, method, "responses", status, rest @ ..] => {
            let response = ["paths", *path, *method, "responses", *status];
            [&response[..], of_response(rest).as_slice()].concat()
        }
        names => names.to_vec(),
    };
    origin
        .iter()
        .fold(String::new(), |at, name| pointer::child(&at, name))
}

/// Returns the origin of a value below a response.
fn of_response<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    match rest {
        ["content", media, "example", rest @ ..] => [&["examples", *media], rest].concat(),
        ["content", _, rest @ ..] => rest.to_vec(),
        ["headers", name, "schema", rest @ ..] => [&["headers", *name], rest].concat(),
        rest => rest.to_vec(),
    }
}

struct Converter<'a> {
    root: &'a Map<String, Value>,
}

/// Parameters of an operation, in their new places.
#[derive(Default)]
struct Parameters {
    plain: Vec<Value>,
    body: Option<Value>,
    /// The fields of a form, as they are written.
    form: Vec<Map<String, Value>>,
}

impl<'a> Converter<'a> {
    fn document(&self) -> Map<String, Value> {
        let mut document = Map::new();
        document.insert("openapi".to_owned(), json!(VERSION));
        let mut components = Map::new();
        for (name, value) in self.root {
            match name.as_str() {
                "host" | "basePath" | "schemes" => {
                    if !document.contains_key("servers") {
                        let servers = self.servers(self.root.get("schemes"));
                        document.extend(servers.map(|servers| ("servers".to_owned(), servers)));
                    }
                }
                "consumes" | "produces" => {}
                "paths" => {
                    let paths = mapped(value, |name, item| match name.starts_with("x-") {
                        true => item.clone(),
                        false => self.path_item(item),
                    });
                    document.insert(name.clone(), paths);
                }
                "definitions" => {
                    let schemas = mapped(value, |_, schema| schema_of(schema));
                    components.insert("schemas".to_owned(), schemas);
                }
                "parameters" => self.shared_parameters(value, &mut components),
                "responses" => {
                    let produces = self.root.get("produces");
                    let responses = mapped(value, |_, one| response(one, produces));
                    components.insert("responses".to_owned(), responses);
                }
                "securityDefinitions" => {
                    let schemes = mapped(value, |_, scheme| security_scheme(scheme));
                    components.insert("securitySchemes".to_owned(), schemes);
                }
                _ => {
                    document.insert(name.clone(), value.clone());
                }
            }
        }
        if !components.is_empty() {
            document.insert("components".to_owned(), Value::Object(components));
        }
        document
    }

    /// The addresses of a document or an operation with these `schemes`; `None` if the document has
    /// none.
    fn servers(&self, schemes: Option<&Value>) -> Option<Value> {
        let text = |name: &str| self.root.get(name).and_then(Value::as_str);
        let (host, base) = (text("host"), text("basePath").unwrap_or_default());
        let base = match base.trim_end_matches('/') {
            "" => String::new(),
            base if base.starts_with('/') => base.to_owned(),
            base => format!("/{base}"),
        };
        let Some(host) = host else {
            return (!base.is_empty()).then(|| json!([{ "url": base }]));
        };
        let mut schemes: Vec<&str> = texts(schemes);
        // The encrypted one first, as a client would.
        schemes.sort_by_key(|scheme| match *scheme {
            "https" => 0,
            "http" => 1,
            _ => 2,
        });
        if schemes.is_empty() {
            schemes.push("https");
        }
        let servers = schemes.iter();
        let servers = servers.map(|scheme| json!({ "url": format!("{scheme}://{host}{base}") }));
        Some(servers.collect())
    }

    /// Parameters that operations refer to: those that are bodies become bodies, the fields of
    /// forms stay with the operations that name them.
    fn shared_parameters(&self, shared: &Value, components: &mut Map<String, Value>) {
        let (mut parameters, mut bodies) = (Map::new(), Map::new());
        let named = self.named_parameters();
        for (name, one) in shared.as_object().into_iter().flatten() {
            match one.get("in").and_then(Value::as_str) {
                // Written out wherever it is named, so that nothing would refer to it.
                Some("body") if named.contains(name.as_str()) => {}
                Some("body") => {
                    let body = request_body(one, self.root.get("consumes"));
                    bodies.insert(name.clone(), body);
                }
                Some("formData") => {}
                _ => {
                    parameters.insert(name.clone(), parameter(one));
                }
            }
        }
        for (kind, members) in [("parameters", parameters), ("requestBodies", bodies)] {
            if !members.is_empty() {
                components.insert(kind.to_owned(), Value::Object(members));
            }
        }
    }

    /// The names of the parameters of the document that paths and operations refer to.
    fn named_parameters(&self) -> BTreeSet<&'a str> {
        let items = self.root.get("paths").and_then(Value::as_object);
        let items: Vec<&'a Value> = items.into_iter().flat_map(Map::values).collect();
        let operations = items.iter().flat_map(|item| {
            let methods = METHODS.iter();
            methods.filter_map(|method| item.get(*method))
        });
        let lists = operations.chain(items.iter().copied());
        let lists = lists.filter_map(|holder| holder.get("parameters")?.as_array());
        lists
            .flatten()
            .filter_map(|one| one.get("$ref")?.as_str()?.strip_prefix("#/parameters/"))
            .collect()
    }

    fn path_item(&self, item: &Value) -> Value {
        let Some(members) = item.as_object() else {
            return item.clone();
        };
        let shared = self.parameters(members.get("parameters"), None);
        let mut converted = Map::new();
        for (name, value) in members {
            if name == "parameters" {
                if !shared.plain.is_empty() {
                    converted.insert(name.clone(), Value::Array(shared.plain.clone()));
                }
            } else if METHODS.contains(&name.as_str()) {
                converted.insert(name.clone(), self.operation(value, &shared));
            } else {
                converted.insert(name.clone(), referring(value));
            }
        }
        Value::Object(converted)
    }

    fn operation(&self, operation: &Value, shared: &Parameters) -> Value {
        let Some(members) = operation.as_object() else {
            return operation.clone();
        };
        let own = |name: &str| members.get(name).or_else(|| self.root.get(name));
        let (consumes, produces) = (own("consumes"), own("produces"));
        let parameters = self.parameters(members.get("parameters"), consumes);
        let body = parameters.body.or_else(|| match &parameters.form[..] {
            [] if shared.form.is_empty() => shared.body.clone(),
            form => {
                let inherited = shared.form.iter().filter(|one| {
                    let is_own = |own: &Map<String, Value>| own.get("name") == one.get("name");
                    !form.iter().any(is_own)
                });
                let form: Vec<_> = inherited.chain(form).collect();
                Some(form_body(&form, consumes))
            }
        });
        let mut converted = Map::new();
        for (name, value) in members {
            match name.as_str() {
                "consumes" | "produces" => {}
                "schemes" => {
                    let servers = self.servers(Some(value));
                    converted.extend(servers.map(|servers| ("servers".to_owned(), servers)));
                }
                "parameters" => {
                    if !parameters.plain.is_empty() {
                        converted.insert(name.clone(), Value::Array(parameters.plain.clone()));
                    }
                    converted.extend(body.clone().map(|body| ("requestBody".to_owned(), body)));
                }
                "responses" => {
                    let responses = mapped(value, |_, one| response(one, produces));
                    converted.insert(name.clone(), responses);
                }
                _ => {
                    converted.insert(name.clone(), value.clone());
                }
            }
        }
        if let (Some(body), false) = (body, converted.contains_key("requestBody")) {
            converted.insert("requestBody".to_owned(), body);
        }
        Value::Object(converted)
    }

    /// The parameters of an operation or a path item, each where it belongs.
    fn parameters(&self, list: Option<&Value>, consumes: Option<&Value>) -> Parameters {
        let mut parameters = Parameters::default();
        let consumes = consumes.or_else(|| self.root.get("consumes"));
        for one in list.and_then(Value::as_array).into_iter().flatten() {
            let target = one.get("$ref").and_then(Value::as_str);
            let named = target.and_then(|target| target.strip_prefix("#/parameters/"));
            let behind = named.and_then(|name| self.root.get("parameters")?.get(name));
            let meant = behind.unwrap_or(one);
            match (meant.get("in").and_then(Value::as_str), named) {
                // Types of media are those of the operation, so a body that is shared is written out.
                (Some("body"), _) => parameters.body = Some(request_body(meant, consumes)),
                (Some("formData"), _) => parameters.form.extend(meant.as_object().cloned()),
                (_, Some(_)) => parameters.plain.push(referring(one)),
                (_, None) => parameters.plain.push(parameter(one)),
            }
        }
        parameters
    }
}

/// An object whose members are made of those of `value`.
fn mapped(value: &Value, each: impl Fn(&str, &Value) -> Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, member)| (name.clone(), each(name, member)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

/// A parameter that is no part of a body.
fn parameter(one: &Value) -> Value {
    let Some(members) = one.as_object() else {
        return one.clone();
    };
    if members.contains_key("$ref") {
        return referring(one);
    }
    let mut converted = Map::new();
    for (name, value) in members {
        let is_of_schema = OF_SCHEMA.contains(&name.as_str()) && name != SPELLED;
        if !is_of_schema && name != "collectionFormat" {
            converted.insert(name.clone(), value.clone());
        }
    }
    let place = members.get("in").and_then(Value::as_str);
    converted.extend(style(members, place == Some("query")));
    let inner = separators(members);
    if !inner.is_empty() {
        converted.insert(INNER_SEPARATORS.to_owned(), json!(inner));
    }
    converted.insert("schema".to_owned(), own_schema(members));
    Value::Object(converted)
}

/// Member of a parameter with the separators of the items of arrays within its array, the outermost
/// first: OpenAPI 3 does not define how they are written.
pub const INNER_SEPARATORS: &str = "x-inner-separators";

/// Returns the separators of the items of nested arrays of a parameter.
fn separators(members: &Map<String, Value>) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut items = members.get("items");
    while let Some(inner) = items.filter(|items| items["type"] == "array") {
        found.push(match inner["collectionFormat"].as_str() {
            Some("ssv") => " ",
            Some("tsv") => "\t",
            Some("pipes") => "|",
            _ => ",",
        });
        items = inner.get("items");
    }
    found
}

/// The style of items with tabs between them, which OpenAPI 3 has none for.
pub const TAB_DELIMITED: &str = "tabDelimited";

/// Returns the style of an array, from its `collectionFormat`.
fn style(members: &Map<String, Value>, is_query: bool) -> Map<String, Value> {
    let mut style = Map::new();
    if members.get("type").and_then(Value::as_str) != Some("array") {
        return style;
    }
    let format = members.get("collectionFormat").and_then(Value::as_str);
    let format = format.unwrap_or("csv");
    if !is_query && !matches!(format, "ssv" | "pipes" | "tsv") {
        // Elsewhere items are separated by commas, as they are without a style.
        return style;
    }
    let (name, explode) = match format {
        "multi" => ("form", true),
        "tsv" => (TAB_DELIMITED, false),
        "ssv" => ("spaceDelimited", false),
        "pipes" => ("pipeDelimited", false),
        _ => ("form", false),
    };
    style.insert("style".to_owned(), json!(name));
    style.insert("explode".to_owned(), json!(explode));
    style
}

/// Returns the schema in the members of a parameter, a header or a field of a form.
fn own_schema(members: &Map<String, Value>) -> Value {
    let of_schema = members.iter();
    let of_schema = of_schema.filter(|(name, _)| OF_SCHEMA.contains(&name.as_str()));
    let own: Map<String, Value> = of_schema
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    schema_of(&Value::Object(own))
}

fn request_body(body: &Value, consumes: Option<&Value>) -> Value {
    let mut media = texts(consumes);
    // A form is no type of a body that is a schema.
    media.retain(|media| *media != FORM && *media != MULTIPART);
    if media.is_empty() {
        media.push(JSON);
    }
    let schema = body.get("schema").map(schema_of).unwrap_or(json!({}));
    let mut converted = Map::new();
    for (name, value) in body.as_object().into_iter().flatten() {
        let is_kept = matches!(name.as_str(), "description" | "required");
        if is_kept || name.starts_with("x-") && name != "x-examples" {
            converted.insert(name.clone(), value.clone());
        }
    }
    let spellings = body.get(SPELLED);
    let content = media.into_iter().map(|media| {
        let mut one = Map::new();
        one.insert("schema".to_owned(), schema.clone());
        let example = body.get("x-examples").and_then(|all| all.get(media));
        one.extend(example.map(|example| ("example".to_owned(), example.clone())));
        one.extend(spellings.map(|all| (SPELLED.to_owned(), all.clone())));
        (media.to_owned(), Value::Object(one))
    });
    converted.insert("content".to_owned(), Value::Object(content.collect()));
    Value::Object(converted)
}

/// The body that the fields of a form make.
fn form_body(form: &[&Map<String, Value>], consumes: Option<&Value>) -> Value {
    let mut media = texts(consumes);
    media.retain(|media| *media == FORM || *media == MULTIPART);
    let has_file = (form.iter()).any(|field| field.get("type") == Some(&json!("file")));
    if has_file {
        media = vec![MULTIPART];
    } else if media.is_empty() {
        media = vec![FORM];
    }
    let (mut properties, mut required, mut encoding) = (Map::new(), Vec::new(), Map::new());
    for field in form {
        let Some(name) = field.get("name").and_then(Value::as_str) else {
            continue;
        };
        let mut schema = own_schema(field);
        if let (Value::Object(schema), Some(text)) = (&mut schema, field.get("description")) {
            schema.insert("description".to_owned(), text.clone());
        }
        properties.insert(name.to_owned(), schema);
        if field.get("required") == Some(&Value::Bool(true)) {
            required.push(json!(name));
        }
        let mut style = style(field, true);
        if !style.is_empty() {
            let inner = separators(field);
            if !inner.is_empty() {
                style.insert(INNER_SEPARATORS.to_owned(), json!(inner));
            }
            encoding.insert(name.to_owned(), Value::Object(style));
        }
    }
    let is_required = !required.is_empty();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if is_required {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    let content = media.into_iter().map(|media| {
        let mut one = Map::new();
        one.insert("schema".to_owned(), Value::Object(schema.clone()));
        if media == FORM && !encoding.is_empty() {
            one.insert("encoding".to_owned(), Value::Object(encoding.clone()));
        }
        (media.to_owned(), Value::Object(one))
    });
    let content: Map<String, Value> = content.collect();
    json!({ "required": is_required, "content": content })
}

fn response(response: &Value, produces: Option<&Value>) -> Value {
    let Some(members) = response.as_object() else {
        return response.clone();
    };
    if members.contains_key("$ref") {
        return referring(response);
    }
    let mut converted = Map::new();
    for (name, value) in members {
        match name.as_str() {
            "schema" | "examples" => {}
            "headers" => {
                let headers = mapped(value, |_, header| {
                    let Some(members) = header.as_object() else {
                        return header.clone();
                    };
                    let mut converted = Map::new();
                    let text = members.get("description");
                    converted.extend(text.map(|text| ("description".to_owned(), text.clone())));
                    converted.extend(style(members, false));
                    converted.insert("schema".to_owned(), own_schema(members));
                    Value::Object(converted)
                });
                converted.insert(name.clone(), headers);
            }
            _ => {
                converted.insert(name.clone(), value.clone());
            }
        }
    }
    let (schema, examples) = (members.get("schema"), members.get("examples"));
    let spellings = members.get(SPELLED);
    let examples = examples.and_then(Value::as_object);
    if schema.is_none() && examples.is_none() {
        return Value::Object(converted);
    }
    let is_file = schema.is_some_and(|schema| schema.get("type") == Some(&json!("file")));
    let mut media = texts(produces);
    for (name, _) in examples.into_iter().flatten() {
        if !media.contains(&name.as_str()) {
            media.push(name);
        }
    }
    if media.is_empty() {
        let usual = if is_file {
            "application/octet-stream"
        } else {
            JSON
        };
        media.push(usual);
    }
    let content = media.into_iter().map(|media| {
        let mut one = Map::new();
        one.extend(schema.map(|schema| ("schema".to_owned(), schema_of(schema))));
        let example = examples.and_then(|examples| examples.get(media));
        one.extend(example.map(|example| ("example".to_owned(), example.clone())));
        one.extend(spellings.map(|all| (SPELLED.to_owned(), all.clone())));
        (media.to_owned(), Value::Object(one))
    });
    converted.insert("content".to_owned(), Value::Object(content.collect()));
    Value::Object(converted)
}

fn security_scheme(scheme: &Value) -> Value {
    let Some(members) = scheme.as_object() else {
        return scheme.clone();
    };
    let mut converted = Map::new();
    for (name, value) in members {
        match (name.as_str(), value.as_str()) {
            ("type", Some("basic")) => {
                converted.insert("type".to_owned(), json!("http"));
                converted.insert("scheme".to_owned(), json!("basic"));
            }
            ("flow" | "authorizationUrl" | "tokenUrl" | "scopes", _) => {}
            _ => {
                converted.insert(name.clone(), value.clone());
            }
        }
    }
    if let Some(flow) = members.get("flow").and_then(Value::as_str) {
        let name = match flow {
            "application" => "clientCredentials",
            "accessCode" => "authorizationCode",
            flow => flow,
        };
        let mut one = Map::new();
        for key in ["authorizationUrl", "tokenUrl"] {
            one.extend(members.get(key).map(|url| (key.to_owned(), url.clone())));
        }
        let scopes = members.get("scopes").cloned().unwrap_or(json!({}));
        one.insert("scopes".to_owned(), scopes);
        converted.insert("flows".to_owned(), json!({ name: one }));
    }
    Value::Object(converted)
}

/// Converts a schema, with its references to new places.
fn schema_of(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let mut converted = Map::new();
    for (name, value) in members {
        let (name, value) = match name.as_str() {
            "$ref" => (name.as_str(), reference(value)),
            "properties" => ("properties", mapped(value, |_, one| schema_of(one))),
            "items" | "additionalProperties" | "not" => (name.as_str(), schema_of(value)),
            "allOf" | "oneOf" | "anyOf" => {
                let branches = value.as_array().into_iter().flatten();
                (name.as_str(), branches.map(schema_of).collect())
            }
            "discriminator" if value.is_string() => {
                ("discriminator", json!({ "propertyName": value }))
            }
            "type" if value == "file" => {
                converted.insert("type".to_owned(), json!("string"));
                ("format", json!("binary"))
            }
            "x-nullable" => ("nullable", value.clone()),
            // The separator of an array of a parameter is given next to its schema.
            "collectionFormat" => continue,
            _ => (name.as_str(), value.clone()),
        };
        converted.insert(name.to_owned(), value);
    }
    Value::Object(converted)
}

/// An object that refers to another, which is in its new place.
fn referring(value: &Value) -> Value {
    mapped(value, |name, member| match name {
        "$ref" => reference(member),
        _ => member.clone(),
    })
}

/// Returns a reference to the new place of its target.
fn reference(value: &Value) -> Value {
    let Some(text) = value.as_str() else {
        return value.clone();
    };
    let places = [
        ("#/definitions/", "#/components/schemas/"),
        ("#/parameters/", "#/components/parameters/"),
        ("#/responses/", "#/components/responses/"),
    ];
    let moved = places.iter().find_map(|(before, after)| {
        let rest = text.strip_prefix(before)?;
        Some(json!(format!("{after}{rest}")))
    });
    moved.unwrap_or_else(|| value.clone())
}
