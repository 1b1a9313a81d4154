//! `$id` as the base of references, and `$dynamicRef` to what is around: the examples of OpenAPI and of JSON Schema, and those
//! that authors write.

use openapi::plain::Plain;
use serde_json::{Value, json};

use super::seen::{POST, chips, request, row, sent};
use super::{both_ways, codes, model_page, outline, page};

/// The page of a body `{$ref: name}` with these components.
#[track_caller]
fn check(schemas: &str, body: &str, label: &str, rows: &str, sample: &str) {
    let page = page(&both_ways("3.1.0", schemas, body), POST);
    let view = request(&page);
    assert_eq!(view.label.plain(), label, "{body}");
    assert_eq!(outline(&view.contents), rows, "{body}");
    assert_eq!(sent(&page), sample, "{body}");
    assert_eq!(codes(&page), <[&str; 0]>::default(), "{body}");
}

/// OpenAPI 3.1, 4.8.24: a generic array, as the text of the specification has it.
const GENERIC: &str = "
genericArrayComponent:
  $id: fully_generic_array
  type: array
  items: {$dynamicRef: '#generic-array'}
  $defs:
    allowAll: {$dynamicAnchor: generic-array}
numberArray:
  $id: array_of_numbers
  $ref: fully_generic_array
  $defs:
    numbersOnly: {$dynamicAnchor: generic-array, type: number}
stringArray:
  $id: array_of_strings
  $ref: fully_generic_array
  $defs:
    stringsOnly: {$dynamicAnchor: generic-array, type: string}
objWithTypedArray:
  $id: obj_with_typed_array
  type: object
  required: [dataType, data]
  properties: {dataType: {enum: [string, number]}}
  oneOf:
    - properties: {dataType: {const: string}, data: {$ref: array_of_strings}}
    - properties: {dataType: {const: number}, data: {$ref: array_of_numbers}}
";

#[test]
fn a_generic_array_is_an_array_of_what_each_use_says() {
    let to = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    check(
        GENERIC,
        &to("genericArrayComponent"),
        "any[]",
        "",
        r#"["any"]"#,
    );
    check(GENERIC, &to("numberArray"), "number[]", "", "[1.5]");
    check(GENERIC, &to("stringArray"), "string[]", "", r#"["string"]"#);
    check(
        GENERIC,
        &to("objWithTypedArray"),
        "objWithTypedArray",
        "dataType enum<string> required\none of\n| Option 1\n  dataType \"string\" required\n  data string[] required\n| Option 2\n  dataType \"number\" required\n  data number[] required\n",
        r#"{"dataType":"string","data":["string"]}"#,
    );
    // Side by side, in one body.
    check(
        GENERIC,
        "{type: object, properties: {n: {$ref: array_of_numbers}, s: {$ref: array_of_strings}, any: {$ref: fully_generic_array}}}",
        "object",
        "n number[]\ns string[]\nany any[]\n",
        r#"{"n":[1.5],"s":["string"],"any":["any"]}"#,
    );
}

/// JSON Schema 2020-12, Core, appendix C.3: a tree that is open, and one that is not.
#[test]
fn a_tree_extends_itself_at_each_of_its_nodes() {
    let schemas = "
Tree:
  $id: https://example.com/tree
  $dynamicAnchor: node
  type: object
  properties:
    data: {type: string}
    children: {type: array, items: {$dynamicRef: '#node'}}
StrictTree:
  $id: https://example.com/strict-tree
  $dynamicAnchor: node
  $ref: tree
  unevaluatedProperties: false
  properties: {weight: {type: integer}}
";
    let strict = page(
        &both_ways(
            "3.1.0",
            schemas,
            "{$ref: 'https://example.com/strict-tree'}",
        ),
        POST,
    );
    let view = request(&strict);
    assert_eq!(
        outline(&view.contents),
        "data string\nchildren StrictTree[] (recursive)\nweight integer\n"
    );
    assert_eq!(chips(view), ["no other properties"]);
    assert_eq!(codes(&strict), <[&str; 0]>::default());
    let open = page(
        &both_ways("3.1.0", schemas, "{$ref: 'https://example.com/tree'}"),
        POST,
    );
    let children = row(&request(&open).contents, "children");
    assert_eq!(children.view.label.plain(), "Tree[]");
    assert!(children.view.label.is_recursive);
}

/// Pages of a list whose items each use says: without `$id`, where components are what is meant.
#[test]
fn a_generic_page_has_the_items_of_each_use() {
    let schemas = "
Page:
  type: object
  properties:
    total: {type: integer}
    items: {type: array, items: {$dynamicRef: '#item'}}
    next: {anyOf: [{$ref: '#/components/schemas/Cursor'}, {type: 'null'}]}
  $defs: {item: {$dynamicAnchor: item}}
Cursor: {type: object, properties: {after: {$dynamicRef: '#item'}}, $defs: {item: {$dynamicAnchor: item, type: string}}}
Pet: {type: object, properties: {name: {type: string}}}
PetPage: {$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/Pet'}}}
";
    let rows = "total integer\nitems Pet[]\n  name string\nnext Cursor | null\n  after Pet\n    name string\n";
    let sample = r#"{"total":1,"items":[{"name":"string"}],"next":{"after":{"name":"string"}}}"#;
    check(
        schemas,
        "{$ref: '#/components/schemas/PetPage'}",
        "PetPage",
        rows,
        sample,
    );
    // Bound where it is used, and in a list of such pages.
    check(
        schemas,
        "{$ref: '#/components/schemas/Page', $defs: {x: {$dynamicAnchor: item, type: boolean}}}",
        "Page",
        "total integer\nitems boolean[]\nnext Cursor | null\n  after boolean\n",
        r#"{"total":1,"items":[true],"next":{"after":true}}"#,
    );
    let document = both_ways("3.1.0", schemas, "{}");
    assert_eq!(
        outline(&model_page(&document, "PetPage").value.root.view.contents),
        rows
    );
    assert_eq!(
        outline(&model_page(&document, "Cursor").value.root.view.contents),
        "after string\n"
    );
}

#[test]
fn references_within_a_schema_with_an_id_begin_there() {
    let schemas = "
Order:
  $id: https://example.com/schemas/order
  type: object
  properties:
    a: {$ref: '#/$defs/address'}
    b: {$ref: 'item'}
    c: {$ref: '/schemas/item#part'}
    d: {$ref: '#named'}
    e: {$ref: '#/components/schemas/Plain'}
    f: {$ref: 'item#/$defs/deep'}
    g: {$ref: 'inner'}
  $defs:
    address: {type: object, properties: {street: {type: string}}}
    named: {$anchor: named, type: boolean}
    inner: {$id: inner, type: array, items: {$ref: '#/$defs/x'}, $defs: {x: {type: number}}}
Item:
  $id: https://example.com/schemas/item
  type: object
  properties: {sku: {type: string}}
  $defs:
    part: {$anchor: part, type: integer}
    deep: {$ref: '#part'}
Other: {$anchor: named, type: string}
Plain: {type: string, format: uuid}
";
    let page = page(
        &both_ways(
            "3.1.0",
            schemas,
            "{$ref: 'https://example.com/schemas/order'}",
        ),
        POST,
    );
    assert_eq!(
        outline(&request(&page).contents),
        "a address\n  street string\nb Item\n  sku string\nc integer\nd boolean\ne string<uuid>\nf integer\ng number[]\n"
    );
    assert_eq!(codes(&page), <[&str; 0]>::default());
    // From outside, by pointers that lead into it.
    check(
        schemas,
        "{$ref: '#/components/schemas/Order/$defs/inner'}",
        "number[]",
        "",
        "[1.5]",
    );
    check(
        schemas,
        "{$ref: 'https://example.com/schemas/inner'}",
        "number[]",
        "",
        "[1.5]",
    );
}

/// OpenAPI 3.2, 4.1.2.2: `$self` is what a relative `$id` is relative to.
#[test]
fn an_id_is_relative_to_the_name_of_the_document() {
    let document = |own: Value, id: &str, reference: &str| {
        Plain::new(json!({
            "openapi": "3.2.0", "$self": own,
            "paths": {"/p": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": reference}}}}}}},
            "components": {"schemas": {"A": {"$id": id, "type": "object", "properties": {"a": {"type": "string"}}}}},
        }))
    };
    let own = || json!("https://example.com/api/openapi.json");
    for (id, reference) in [
        ("schemas/a", "https://example.com/api/schemas/a"),
        ("https://example.com/api/schemas/a", "schemas/a"),
        ("/schemas/a", "https://example.com/schemas/a"),
    ] {
        let page = page(&document(own(), id, reference), POST);
        assert_eq!(outline(&request(&page).contents), "a string\n", "{id}");
        assert!(!codes(&page).contains(&"ref-external"), "{id}");
    }
    let page = page(&document(own(), "schemas/a", "schemas/b"), POST);
    assert_eq!(codes(&page), ["ref-external"]);
}
