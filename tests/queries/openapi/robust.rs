//! Documents that are made to hurt: deep, wide, looping. Each gets a page, in bounded work.

use std::time::{Duration, Instant};

use openapi::endpoint::{Settings, Why};
use openapi::operation::endpoint;
use openapi::plain::Plain;
use serde_json::{Map, Value, json};

use super::{both_ways, outline, page};

/// A page of the document with these schemas, whose body is `S0`; it must not take long.
fn quick(schemas: Map<String, Value>) -> openapi::endpoint::Endpoint {
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
        start.elapsed() < Duration::from_secs(600),
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

/// Components are shown to their end, however deep they are.
#[test]
fn deep_components_are_shown_to_their_end() {
    let page = quick(levels(
        12,
        |next| json!({ "type": "object", "properties": { "next": next } }),
    ));
    let root = &page.body.unwrap().media[0].root.clone().unwrap();
    let lines = outline(&root.view.contents);
    assert_eq!(lines.lines().count(), 11, "{lines}");
    assert!(lines.ends_with("next string\n"), "{lines}");
}

/// A page that would have very many rows shows components less deep, and what is written in place to its end; what is not
/// shown is in the document.
#[test]
fn large_pages_are_less_deep() {
    let deep = json!({ "properties": { "a": { "type": "object", "properties": { "b": { "type": "object",
        "properties": { "c": { "type": "object", "properties": { "d": { "type": "object", "properties": { "e": {} } } } } } } } } } });
    let mut schemas = levels(
        12,
        |next| json!({ "type": "object", "properties": { "next": next } }),
    );
    schemas["S0"]["properties"]["inline"] = deep;
    let mut document = Plain::new(json!({
        "openapi": "3.1.0",
        "paths": { "/p": { "post": { "requestBody": { "content": { "application/json":
            { "schema": { "$ref": "#/components/schemas/S0" } } } } } } },
        "components": { "schemas": schemas },
    }));
    document.address = Some("/api.json".to_owned());
    let settings = Settings {
        rows: 10,
        ..Settings::default()
    };
    let page = endpoint(&&document, "/paths/~1p/post", &settings).unwrap();
    let body = page.value.body.unwrap();
    let root = body.media[0].root.as_ref().unwrap();
    let lines = outline(&root.view.contents);
    assert_eq!(lines.matches("next ").count(), 4, "{lines}");
    assert!(lines.contains("          e any"), "{lines}");
    let at = root.view.contents.contents_at("body-next-next-next-next");
    let elsewhere = at.and_then(|contents| contents.elsewhere.as_ref()).unwrap();
    assert_eq!(elsewhere.why, Why::Deeper);
    assert_eq!(elsewhere.name.as_deref(), Some("S4"));
    assert_eq!(elsewhere.href.as_deref(), Some("/api.json"));
    assert!(elsewhere.is_source);
}

/// On a page of many rows each component that is not small is shown once, and the others lead there.
#[test]
fn components_of_a_large_page_are_shown_once() {
    let fields = |count: usize| {
        let fields = (0..count).map(|n| (format!("f{n}"), json!({ "type": "string" })));
        json!({ "type": "object", "properties": fields.collect::<Map<_, _>>() })
    };
    let used = (0..4).map(|n| (format!("p{n}"), json!({ "$ref": "#/components/schemas/T" })));
    let small = (0..4).map(|n| (format!("s{n}"), json!({ "$ref": "#/components/schemas/S" })));
    let document = Plain::new(json!({
        "openapi": "3.1.0",
        "paths": { "/p": { "post": { "requestBody": { "content": { "application/json":
            { "schema": { "type": "object", "properties": used.chain(small).collect::<Map<_, _>>() } } } } } } },
        "components": { "schemas": { "T": fields(20), "S": fields(2) } },
    }));
    let shown = |rows: usize| {
        let settings = Settings {
            rows,
            ..Settings::default()
        };
        let page = endpoint(&&document, "/paths/~1p/post", &settings).unwrap();
        let body = page.value.body.unwrap();
        assert!(!body.media[0].examples.is_empty());
        assert!(!page.value.samples.is_empty());
        let rows = &body.media[0].root.as_ref().unwrap().view.contents.rows;
        let rows = rows.iter().map(|row| row.view.contents.rows.len());
        rows.collect::<Vec<_>>()
    };
    assert_eq!(shown(1500), [20, 20, 20, 0, 2, 2, 2, 2]);
    assert_eq!(shown(100), [20, 0, 0, 0, 2, 2, 2, 2]);
}

/// Ways that lead everywhere from everywhere end when the page is full.
#[test]
fn webs_of_components_end() {
    let all: Vec<Value> = (0..40)
        .map(|n| json!({ "$ref": format!("#/components/schemas/S{n}") }))
        .collect();
    let web = (0..40).map(|n| {
        let schema = json!({ "title": format!("t{n}"), "discriminator": { "propertyName": "k" }, "oneOf": all,
            "properties": { "k": {}, "of": { "oneOf": all } } });
        (format!("S{n}"), schema)
    });
    quick(web.collect());
    let web = (0..40).map(|n| {
        let parts = (0..40).map(|m| (format!("p{m}"), all[m].clone()));
        (
            format!("S{n}"),
            json!({ "properties": parts.collect::<Map<_, _>>() }),
        )
    });
    quick(web.collect());
}

/// Unions of ten branches with properties beside them, six deep and around again: each branch is taken together with its
/// siblings, once for each place that shows it.
#[test]
fn recursive_unions_beside_properties_end() {
    let reference = |name: String| json!({ "$ref": format!("#/components/schemas/{name}") });
    let mut schemas = Map::new();
    for level in 0..6 {
        let branches: Vec<Value> = (0..10)
            .map(|n| reference(format!("B{level}x{n}")))
            .collect();
        let union = json!({ "type": "object", "required": ["kind", "name"], "oneOf": branches,
            "properties": { "kind": { "type": "string" } }, "discriminator": { "propertyName": "kind" } });
        schemas.insert(format!("S{level}"), union);
        for n in 0..10 {
            let next = reference(format!("S{}", (level + 1) % 6));
            let branch = json!({ "type": "object", "properties": { "name": { "type": "string" },
                format!("own{n}"): {}, "one": next, "many": { "type": "array", "items": next }, "first": reference("S0".to_owned()) } });
            schemas.insert(format!("B{level}x{n}"), branch);
        }
    }
    let page = quick(schemas);
    let root = page.body.unwrap().media[0].root.clone().unwrap();
    // Each branch once.
    let outline = outline(&root.view.contents);
    assert_eq!(outline.matches("own").count(), 60, "{outline}");
    let lines = outline.lines().count();
    assert!((400..1000).contains(&lines), "{lines} lines");
    let sample = &page.samples[0].variants[0].source;
    assert!(sample.contains(r#""kind": "B0x0""#), "{sample}");
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
