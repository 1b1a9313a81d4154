//! Documents that are made to hurt: deep, wide, looping. Each gets a page, in bounded work.

use std::time::{Duration, Instant};

use queries::openapi::document::Plain;
use serde_json::{Map, Value, json};

use super::{both_ways, outline, page};

/// A page of the document with these schemas, whose body is `S0`; it must not take long.
fn quick(schemas: Map<String, Value>) -> queries::openapi::endpoint::Endpoint {
    let content =
        json!({ "application/json": { "schema": { "$ref": "#/components/schemas/S0" } } });
    let document = Plain::new(json!({
        "openapi": "3.1.0",
        "paths": { "/p": { "post": { "requestBody": { "content": content } } } },
        "components": { "schemas": schemas },
    }));
    let start = Instant::now();
    let first = document.root()["components"]["schemas"]["S0"].to_string();
    println!("{:.120}", first);
    let page = page(&document, "/paths/~1p/post");
    // Minutes where it is exponential; a slow machine takes a second.
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    page.value
}

fn levels(count: usize, schema: impl Fn(Value) -> Value) -> Map<String, Value> {
    let level = |n: usize| {
        let next = json!({ "$ref": format!("#/components/schemas/S{}", n + 1) });
        (
            format!("S{n}"),
            if n + 1 == count {
                json!({ "type": "string" })
            } else {
                schema(next)
            },
        )
    };
    (0..count).map(level).collect()
}

#[test]
fn chains_and_pyramids_end() {
    quick(levels(1500, |next| next));
    quick(levels(
        300,
        |next| json!({ "allOf": [next, { "properties": { "a": {} } }] }),
    ));
    quick(levels(40, |next| json!({ "allOf": [next.clone(), next] })));
    quick(levels(
        40,
        |next| json!({ "allOf": [next.clone(), next, { "$ref": "#/components/schemas/S0" }] }),
    ));
    quick(levels(40, |next| json!({ "oneOf": [next.clone(), next] })));
    quick(levels(
        40,
        |next| json!({ "anyOf": [{ "title": "a", "properties": { "x": next } }, { "title": "b", "properties": { "y": next } }] }),
    ));
    quick(levels(
        30,
        |next| json!({ "properties": { "k": {} }, "oneOf": [{ "allOf": [next], "required": ["a"] }, { "allOf": [next], "required": ["b"] }] }),
    ));
    quick(levels(
        40,
        |next| json!({ "type": "array", "items": next, "minItems": 3 }),
    ));
    quick(levels(
        30,
        |next| json!({ "type": "object", "required": ["a", "b"], "properties": { "a": next, "b": next } }),
    ));
    quick(levels(
        20,
        |next| json!({ "not": { "anyOf": [next.clone(), next] } }),
    ));
}

#[test]
fn deep_inline_schemas_do_not_overflow() {
    let mut schema = json!({ "type": "string" });
    for _ in 0..120 {
        schema = json!({ "type": "array", "items": schema });
    }
    let mut nested = json!({ "type": "string" });
    for _ in 0..120 {
        nested = json!({ "anyOf": [nested, { "type": "integer" }], "description": "d" });
    }
    for schema in [schema, nested] {
        quick([("S0".to_owned(), schema)].into_iter().collect());
    }
}

/// Values of any kind in any place are read as far as they make sense.
#[test]
fn nonsense_has_a_page() {
    let nonsense = [
        json!(null),
        json!(true),
        json!(-1),
        json!("x"),
        json!([]),
        json!([1, null, {}]),
        json!({}),
        json!({ "$ref": "#/components/schemas/S0" }),
        json!({ "$ref": 7 }),
        json!({ "a": { "b": [] } }),
    ];
    let keywords = [
        "type",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "items",
        "prefixItems",
        "contains",
        "minItems",
        "maxItems",
        "allOf",
        "oneOf",
        "anyOf",
        "not",
        "if",
        "then",
        "else",
        "discriminator",
        "minimum",
        "exclusiveMinimum",
        "maximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "default",
        "example",
        "examples",
        "xml",
        "x-docs",
        "x-default",
        "dependentRequired",
        "dependentSchemas",
        "propertyNames",
        "minProperties",
        "readOnly",
        "contentSchema",
        "$dynamicRef",
        "nullable",
    ];
    for keyword in keywords {
        for value in &nonsense {
            for kind in ["object", "array", "string", "integer"] {
                let schema = json!({ "type": kind, keyword: value });
                let text = schema.to_string();
                if std::env::var_os("QUIRE_VERBOSE").is_some() {
                    println!("{text}");
                }
                let schemas = format!("S0: {text}");
                for version in ["3.0.3", "3.1.0"] {
                    let document =
                        both_ways(version, &schemas, "{$ref: '#/components/schemas/S0'}");
                    let page = page(&document, "/paths/~1p/post");
                    let root = page.value.body.unwrap().media[0].root.clone().unwrap();
                    assert!(
                        !root.view.label.plain().is_empty()
                            || !outline(&root.view.contents).is_empty(),
                        "{text}"
                    );
                }
            }
        }
    }
    let operations = [
        "parameters",
        "requestBody",
        "responses",
        "callbacks",
        "security",
        "servers",
        "tags",
        "x-codeSamples",
        "externalDocs",
        "summary",
        "deprecated",
    ];
    for key in operations {
        for value in &nonsense {
            let document = Plain::new(json!({
                "openapi": "3.1.0",
                "paths": { "/p": { "post": { key: value } } },
                "components": { "schemas": { "S0": {} } },
            }));
            assert_eq!(page(&document, "/paths/~1p/post").value.method, "POST");
        }
    }
}
