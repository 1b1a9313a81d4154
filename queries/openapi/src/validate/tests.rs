//! Unevaluated members and items, in the words of the JSON Schema Test Suite.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::direction::Hidden;
use crate::merge::Schemas;
use crate::plain::Plain;
use crate::schema::Schema;

/// Returns true if `value` is valid against `schema`.
fn is_valid(schema: &Value, value: &Value) -> bool {
    // A resource of its own, as a document of the suite is.
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        let id = "https://suite.example/s".into();
        members.entry("$id").or_insert(id);
    }
    let document =
        Plain::new(json!({ "openapi": "3.1.0", "components": { "schemas": { "S": schema } } }));
    let document = &document;
    let mut schemas = Schemas::new(&document);
    let schema = Arc::new(Schema {
        pointer: "/s".to_owned(),
        reference: Some("#/components/schemas/S".to_owned()),
        ..Schema::default()
    });
    schemas.check(&schema, value, Hidden::Nothing).is_ok()
}

#[track_caller]
fn check(schema: &Value, valid: &[Value], invalid: &[Value]) {
    for value in valid {
        assert!(is_valid(schema, value), "{value} is valid against {schema}");
    }
    for value in invalid {
        assert!(
            !is_valid(schema, value),
            "{value} is not valid against {schema}"
        );
    }
}

#[test]
fn conditions_evaluate_where_they_hold() {
    let object = |keywords: Value| {
        let mut schema =
            json!({ "type": "object", "properties": { "k": {} }, "unevaluatedProperties": false });
        let own = schema.as_object_mut().expect("an object");
        own.extend(keywords.as_object().expect("an object").clone());
        schema
    };
    let is_a = json!({ "properties": { "k": { "const": "a" }, "i": {} }, "required": ["k"] });
    let then = json!({ "properties": { "t": {} } });
    let otherwise = json!({ "properties": { "e": {} } });
    let schema = object(json!({ "if": is_a, "then": then, "else": otherwise }));
    let valid = [
        json!({ "k": "a", "t": 1, "i": 1 }),
        json!({ "k": "b", "e": 1 }),
        json!({ "k": "a" }),
    ];
    let invalid = [
        json!({ "k": "a", "e": 1 }),
        json!({ "k": "b", "t": 1 }),
        json!({ "k": "b", "i": 1 }),
    ];
    check(&schema, &valid, &invalid);
    // Behind `allOf`, `$ref` and a second condition.
    let condition = json!({ "if": is_a, "then": then, "else": otherwise });
    check(&object(json!({ "allOf": [condition] })), &valid, &invalid);
    check(
        &object(json!({ "$ref": "#/$defs/c", "$defs": { "c": condition } })),
        &valid,
        &invalid,
    );
    let other = json!({ "if": { "required": ["z"] }, "then": { "properties": { "z": {} } } });
    check(
        &object(json!({ "allOf": [other, condition] })),
        &valid,
        &invalid,
    );
    check(&object(json!({ "anyOf": [condition] })), &valid, &invalid);
    check(
        &object(json!({ "if": is_a })),
        &[json!({ "k": "a", "i": 1 })],
        &[json!({ "k": "b", "i": 1 })],
    );
    // What is within `then` follows it.
    let deep = object(
        json!({ "if": is_a, "then": { "anyOf": [{ "properties": { "t": { "type": "integer" } } }] } }),
    );
    check(
        &deep,
        &[json!({ "k": "a", "t": 1 })],
        &[json!({ "k": "b", "t": 1 })],
    );
}

#[test]
fn dependent_schemas_and_branches_evaluate_where_they_count() {
    let dependent = json!({
        "properties": { "a": {} },
        "dependentSchemas": { "a": { "properties": { "b": {} } } },
        "unevaluatedProperties": false,
    });
    check(
        &dependent,
        &[json!({ "a": 1, "b": 1 }), json!({})],
        &[json!({ "b": 1 }), json!({ "a": 1, "c": 1 })],
    );
    for word in ["anyOf", "oneOf"] {
        let schema = json!({
            word: [
                { "properties": { "a": { "const": 1 }, "b": {} }, "required": ["a"] },
                { "properties": { "a": { "const": 2 }, "c": {} }, "required": ["a"] },
            ],
            "unevaluatedProperties": false,
        });
        let valid = [json!({ "a": 1, "b": 1 }), json!({ "a": 2, "c": 1 })];
        check(
            &schema,
            &valid,
            &[json!({ "a": 1, "c": 1 }), json!({ "a": 2, "b": 1 })],
        );
    }
    let not =
        json!({ "not": { "not": { "properties": { "a": {} } } }, "unevaluatedProperties": false });
    check(&not, &[json!({})], &[json!({ "a": 1 })]);
    let open = json!({ "anyOf": [{ "unevaluatedProperties": true }, { "required": ["z"] }], "unevaluatedProperties": false });
    check(&open, &[json!({ "a": 1 })], &[]);
}

#[test]
fn items_evaluate_as_properties_do() {
    let contains = json!({ "prefixItems": [true], "contains": { "type": "string" }, "unevaluatedItems": false });
    check(
        &contains,
        &[json!([1, "a"]), json!(["a", "b"])],
        &[json!([1, "a", 2]), json!([1, 2])],
    );
    let condition = json!({
        "prefixItems": [{ "enum": [1, 2] }],
        "if": { "prefixItems": [{ "const": 1 }] },
        "then": { "prefixItems": [true, { "type": "string" }] },
        "else": { "prefixItems": [true, true, true] },
        "unevaluatedItems": false,
    });
    check(
        &condition,
        &[json!([1, "a"]), json!([2, 1, 1])],
        &[json!([1, "a", 1]), json!([2, 1, 1, 1])],
    );
    let branches = json!({
        "anyOf": [
            { "prefixItems": [{ "const": 1 }, true] },
            { "prefixItems": [{ "const": 2 }, true, true] },
        ],
        "unevaluatedItems": false,
    });
    check(
        &branches,
        &[json!([1, 0]), json!([2, 0, 0])],
        &[json!([1, 0, 0]), json!([2, 0, 0, 0])],
    );
    let open = json!({ "anyOf": [{ "unevaluatedItems": true }, { "minItems": 9 }], "unevaluatedItems": false });
    check(&open, &[json!([1])], &[]);
    let rest = json!({ "allOf": [{ "prefixItems": [true], "contains": { "const": 9 } }], "unevaluatedItems": { "type": "string" } });
    check(&rest, &[json!([1, "a", 9])], &[json!([1, 2, 9])]);
}
