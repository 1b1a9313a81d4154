//! The part of a document that an operation is: whatever its page shows is in it, or is named with its address.
//!
//! The walker is that of `completeness.rs`, over the document and over its part. It follows the children of a discriminated
//! base in both.

use std::collections::BTreeMap;

use base::data::pointer::{child, segments};
use expect_test::{Expect, expect};
use openapi::fragment::{Room, component_fragment, named_by, operation_fragment, reached_from};
use openapi::plain::Plain;
use openapi::slice::references_in;
use queries::catalog::{operation_contradictions, operation_document};
use queries::markdown::page_markdown;
use queries::page::subject_pages;
use serde_json::{Value, json};

use crate::support::TestSite;

use super::completeness::{Walker, decoded};
use super::corpus::documents;
use super::operations;

/// The components that extend each that has a discriminator and no union, at any remove.
fn children(root: &Value) -> BTreeMap<String, Vec<String>> {
    let schemas = root.pointer("/components/schemas");
    let schemas = schemas.and_then(Value::as_object);
    let mut bases = BTreeMap::<String, Vec<String>>::new();
    for (name, schema) in schemas.into_iter().flatten() {
        let all = schema["allOf"].as_array().into_iter().flatten();
        for base in all.filter_map(|base| base["$ref"].as_str()) {
            let base = decoded(base.trim_start_matches('#'));
            let of_base = bases.entry(base).or_default();
            of_base.push(child("/components/schemas", name));
        }
    }
    let is_open = |base: &String| {
        let schema = root.pointer(base).unwrap_or(&Value::Null);
        let is_union = schema["oneOf"].is_array() || schema["anyOf"].is_array();
        schema["discriminator"].is_object() && !is_union
    };
    let open: Vec<String> = bases.keys().filter(|base| is_open(base)).cloned().collect();
    let all = open.into_iter().map(|base| {
        let mut found = vec![base.clone()];
        let mut at = 0;
        while let Some(one) = found.get(at) {
            let more = bases.get(one).cloned().unwrap_or_default().into_iter();
            let more: Vec<String> = more.filter(|one| !found.contains(one)).collect();
            found.extend(more);
            at += 1;
        }
        found.remove(0);
        (base, found)
    });
    all.collect()
}

/// What was found of the operations that were looked at.
#[derive(Default)]
struct Survey {
    operations: usize,
    paths: usize,
    behind: usize,
    missing: Vec<String>,
}

impl Survey {
    fn look(&mut self, file: &str, root: &Value, every: usize, room: Room) {
        let document = Plain::new(root.clone());
        let children = children(root);
        for pointer in operations(root).into_iter().step_by(every) {
            let Some(fragment) = operation_fragment(&&document, &pointer, room) else {
                self.missing.push(format!("{file} {pointer}"));
                continue;
            };
            self.operations += 1;
            let named = format!("{file} {pointer}");
            self.resolves(&named, root, &fragment.value, &fragment.omitted);
            let operation = root.pointer(&pointer).unwrap_or(&Value::Null);
            let own = fragment.value.pointer(&pointer).unwrap_or(&Value::Null);
            let is_webhook = pointer.starts_with("/webhooks");
            let security = operation.get("security");
            let security = security.or_else(|| root.get("security").filter(|_| !is_webhook));
            if security.is_some_and(Value::is_array) && own.get("security") != security {
                self.missing.push(format!("{named} security"));
            }
            let places = [("requestBody".to_owned(), None)].into_iter();
            let statuses = operation["responses"].as_object().into_iter().flatten();
            let statuses = statuses.map(|(status, _)| (child("/responses", status), Some(status)));
            for (place, status) in places.chain(statuses.map(|(at, s)| (at, Some(s)))) {
                let place = format!("/{}", place.trim_start_matches('/'));
                let (Some(whole), Some(part)) = (operation.pointer(&place), own.pointer(&place))
                else {
                    if operation.pointer(&place).is_some() {
                        self.missing.push(format!("{named} {place}"));
                    }
                    continue;
                };
                let hidden = match status.is_none() != is_webhook {
                    true => ["readOnly", "writeOnly"],
                    false => ["writeOnly", "readOnly"],
                };
                let walker = |root, omitted: &[String]| Walker {
                    root,
                    hidden,
                    fields: Vec::new(),
                    texts: Vec::new(),
                    children: children.clone(),
                    omitted: omitted.to_vec(),
                    links: Vec::new(),
                };
                let mut of_whole = walker(root, &[]);
                let mut of_part = walker(&fragment.value, &fragment.omitted);
                if of_part.is_omitted(part) {
                    self.behind += 1;
                    continue;
                }
                let Some(holder) = of_whole.resolved(whole, &mut Vec::new()) else {
                    continue;
                };
                let Some(found) = of_part.resolved(part, &mut Vec::new()) else {
                    self.missing.push(format!("{named} {place}"));
                    continue;
                };
                let media = holder.get("content").and_then(Value::as_object);
                for (name, media) in media.into_iter().flatten() {
                    let Some(schema) = media.get("schema") else {
                        continue;
                    };
                    let Some(shown) = found["content"][name].get("schema") else {
                        self.missing.push(format!("{named} {place} {name}"));
                        continue;
                    };
                    // Without the root of its body no request can be written.
                    if status.is_none() && of_part.is_omitted(shown) {
                        self.missing.push(format!("{named} root of the body"));
                    }
                    of_whole.fields.clear();
                    of_part.fields.clear();
                    of_part.links.clear();
                    of_whole.walk(schema, &[], &[]);
                    of_part.walk(shown, &[], &[]);
                    let known: std::collections::BTreeSet<&Vec<String>> =
                        of_part.fields.iter().collect();
                    for path in &of_whole.fields {
                        self.paths += 1;
                        if known.contains(path) {
                            continue;
                        }
                        match of_part.links.iter().any(|link| path.starts_with(link)) {
                            true => self.behind += 1,
                            false => {
                                let path = path.join(".");
                                self.missing.push(format!("{named} {place} {path}"));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Each reference of a part leads to something in it, or to what it leaves out, or leads nowhere in the document either.
    fn resolves(&mut self, named: &str, root: &Value, part: &Value, omitted: &[String]) {
        for reference in references_in(part) {
            let Some(pointer) = reference.strip_prefix('#') else {
                continue;
            };
            let pointer = decoded(pointer);
            let is_omitted = || {
                omitted
                    .iter()
                    .any(|known| pointer.starts_with(known.as_str()))
            };
            let is_there = part.pointer(&pointer).is_some() || is_omitted();
            if pointer.starts_with('/') && root.pointer(&pointer).is_some() && !is_there {
                self.missing.push(format!("{named} {reference}"));
            }
        }
    }
}

#[test]
fn every_field_of_the_corpus_is_in_its_part_or_behind_an_address() {
    for (name, room) in [("twin", Room::TWIN), ("answer", Room::ANSWER)] {
        let mut survey = Survey::default();
        for entry in documents() {
            let Some(root) = entry.root.filter(|_| entry.is_ok) else {
                continue;
            };
            survey.look(&entry.file, &root, 1, room);
        }
        let Survey {
            operations,
            paths,
            behind,
            missing,
        } = survey;
        println!("{name}: {operations} operations, {paths} paths, {behind} behind an address");
        assert_eq!(
            missing.len(),
            0,
            "{name}: {:#?}",
            &missing[..missing.len().min(20)]
        );
    }
}

fn document(extra: Value) -> Plain {
    let mut root = json!({"openapi": "3.1.0", "info": {"title": "A", "version": "1"}});
    for (key, value) in extra.as_object().unwrap() {
        root[key] = value.clone();
    }
    Plain::new(root)
}

fn returning(schema: Value, schemas: Value) -> Plain {
    let content = json!({"application/json": {"schema": schema}});
    document(json!({
        "paths": {"/a": {"get": {"responses": {"200": {"description": "", "content": content}}}}},
        "components": {"schemas": schemas},
    }))
}

/// The names of the schemas in the part of `GET /a`.
#[track_caller]
fn check_schemas(document: &Plain, expected: Expect) {
    let part = operation_fragment(&document, "/paths/~1a/get", Room::TWIN).unwrap();
    let schemas = part.value["components"]["schemas"].as_object();
    let names: Vec<&String> = schemas
        .into_iter()
        .flat_map(|members| members.keys())
        .collect();
    expected.assert_eq(&format!("{names:?} {:?}", part.omitted));
}

fn base() -> Value {
    json!({"type": "object", "properties": {"kind": {"type": "string"}},
        "discriminator": {"propertyName": "kind", "mapping": {"t": "#/components/schemas/Text", "box": "Box"}}})
}

fn extends(name: &str) -> Value {
    json!({"allOf": [{"$ref": format!("#/components/schemas/{name}")}, {"properties": {"x": {"type": "string"}}}]})
}

#[test]
fn children_of_a_base_are_in_the_part() {
    let to = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    // By the mapping, as references and as bare names, by extension, at any remove; nothing else.
    let schemas = json!({
        "Base": base(), "Text": {"type": "object"}, "Box": {"type": "object"}, "Own": extends("Base"),
        "Grand": extends("Own"), "Great": extends("Grand"), "Unused": {"type": "string"},
    });
    let all = || expect![[r#"["Base", "Text", "Box", "Own", "Grand", "Great"] []"#]];
    for schema in [
        to("Base"),
        json!({"type": "array", "items": to("Base")}),
        json!({"anyOf": [to("Base"), {"type": "null"}]}),
        json!({"allOf": [to("Base")]}),
        json!({"type": "object", "additionalProperties": to("Base")}),
    ] {
        check_schemas(&returning(schema, schemas.clone()), all());
    }
    // A child that is used by itself brings its base and what extends it, and not its siblings.
    check_schemas(
        &returning(to("Own"), schemas.clone()),
        expect![[r#"["Own", "Grand", "Base", "Great"] []"#]],
    );
    // Another name of a base is used as that.
    let mut named = schemas;
    named["Alias"] = json!({"allOf": [to("Base")]});
    check_schemas(
        &returning(to("Alias"), named),
        expect![[r#"["Alias", "Base", "Text", "Box", "Own", "Grand", "Great"] []"#]],
    );
    // A property may be called as the keyword is.
    let plain = json!({"Base": {"properties": {"discriminator": {"type": "object", "properties": {"mapping": {"type": "object"}}}}},
        "Own": extends("Base")});
    check_schemas(&returning(to("Base"), plain), expect![[r#"["Base"] []"#]]);
}

#[test]
fn references_lead_to_what_is_in_the_part() {
    // Into another path, into a list, by an anchor, by an id.
    let content = |schema: Value| json!({"content": {"application/json": {"schema": schema}}});
    let source = document(json!({
        "paths": {
            "/a": {"get": {
                "parameters": [{"$ref": "#/paths/~1b/get/parameters/1"}],
                "responses": {
                    "200": content(json!({"$ref": "#/paths/~1b/get/responses/200/content/application~1json/schema"})),
                    "201": content(json!({"$ref": "#here"})),
                    "202": content(json!({"$ref": "https://a.example/there"})),
                    "203": content(json!({"$ref": "#/components/schemas/Deep/properties/inner"})),
                    "204": {"$ref": "#/components/responses/Gone"},
                },
            }},
            "/b": {"get": {
                "parameters": [{"name": "x", "in": "query"}, {"name": "y", "in": "query"}],
                "responses": {"200": content(json!({"type": "object", "properties": {"z": {"$ref": "#/components/schemas/Z"}}}))},
            }},
        },
        "components": {
            "responses": {"Gone": {"description": "Gone."}},
            "schemas": {
                "Z": {"type": "string"}, "Here": {"$anchor": "here", "type": "string"},
                "There": {"$id": "https://a.example/there", "type": "string"},
                "Deep": {"properties": {"inner": {"type": "string"}}}, "Unused": {"type": "string"},
            },
        },
    }));
    check_schemas(&source, expect![[r#"["Here", "There", "Deep", "Z"] []"#]]);
    let part = operation_fragment(&&source, "/paths/~1a/get", Room::TWIN)
        .unwrap()
        .value;
    assert_eq!(part["paths"]["/b"]["get"]["parameters"][1]["name"], "y");
    assert_eq!(
        part["components"]["responses"]["Gone"]["description"],
        "Gone."
    );
    assert!(
        part.pointer("/paths/~1b/get/responses/200/content/application~1json/schema")
            .is_some()
    );
}

#[test]
fn what_is_inherited_is_written_out() {
    let security = json!([{"key": []}, {"oauth": ["read"], "key": []}]);
    let schemes = json!({"key": {"type": "apiKey"}, "oauth": {"$ref": "#/components/securitySchemes/other"},
        "other": {"type": "oauth2"}, "unused": {"type": "http"}});
    let item = json!({
        "parameters": [{"$ref": "#/components/parameters/P"}], "servers": [{"url": "/of-path"}],
        "get": {"responses": {}}, "put": {"security": [], "servers": [{"url": "/own"}], "responses": {}},
        "query": {"responses": {}}, "additionalOperations": {"COPY": {"responses": {}}},
    });
    for at in ["direct", "behind a reference"] {
        let (path, items) = match at {
            "direct" => (item.clone(), json!({})),
            _ => (
                json!({"$ref": "#/components/pathItems/I"}),
                json!({"I": item.clone()}),
            ),
        };
        let source = document(json!({
            "servers": [{"url": "/of-document"}], "security": security,
            "paths": {"/a": path, "/b": {"get": {"responses": {}}}}, "webhooks": {"w": {"post": {"responses": {}}}},
            "components": {"securitySchemes": schemes, "pathItems": items, "parameters": {"P": {"name": "p"}}},
        }));
        let of = |pointer: &str| {
            operation_fragment(&&source, pointer, Room::TWIN)
                .unwrap()
                .value
        };
        let part = of("/paths/~1a/get");
        assert_eq!(part["paths"]["/a"]["get"]["security"], security, "{at}");
        assert_eq!(part["paths"]["/a"]["servers"][0]["url"], "/of-path", "{at}");
        assert!(part.get("servers").is_none(), "{at}");
        assert_eq!(part["components"]["parameters"]["P"]["name"], "p", "{at}");
        let names: Vec<&String> = part["components"]["securitySchemes"]
            .as_object()
            .unwrap()
            .keys()
            .collect();
        assert_eq!(names, ["key", "oauth", "other"], "{at}");
        let part = of("/paths/~1a/put");
        assert_eq!(part["paths"]["/a"]["put"]["security"], json!([]), "{at}");
        assert!(part["paths"]["/a"].get("servers").is_none(), "{at}");
        let part = of("/paths/~1a/COPY");
        assert_eq!(
            part["paths"]["/a"]["additionalOperations"]["COPY"]["security"], security,
            "{at}"
        );
        let part = of("/paths/~1b/get");
        assert_eq!(part["servers"][0]["url"], "/of-document", "{at}");
        // Nobody sends credentials that are meant for the API to a webhook.
        let part = of("/webhooks/w/post");
        assert!(
            part["webhooks"]["w"]["post"].get("security").is_none(),
            "{at}"
        );
        assert!(
            part.get("servers").is_none() && part.get("components").is_none(),
            "{at}"
        );
    }
}

#[test]
fn what_is_needed_least_is_left_out_first() {
    let to = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let long = |inner: Value| json!({"type": "object", "description": "word ".repeat(2000), "properties": {"inner": inner}});
    let content = |name: &str| json!({"description": "", "content": {"application/json": {"schema": to(name)}}});
    let source = document(json!({
        "paths": {"/a": {"get": {
            "responses": {"400": content("Wrong"), "200": content("Fine"), "default": content("Other")},
            "requestBody": {"$ref": "#/components/requestBodies/Body"},
        }}},
        "components": {
            "requestBodies": {"Body": content("Asked")},
            "schemas": {
                "Wrong": long(json!({})), "Other": {"type": "string"}, "Fine": {"properties": {"inner": to("Deep")}},
                "Deep": {"type": "string"}, "Asked": long(to("Within")), "Within": long(json!({})),
            },
        },
    }));
    check_schemas(
        &source,
        expect![[
            r#"["Asked", "Fine", "Deep", "Other"] ["/components/schemas/Within", "/components/schemas/Wrong"]"#
        ]],
    );
    // Without the root of the body there is no request, however long it is.
    let tight = Room {
        bytes: 100,
        request: 20_000,
    };
    let part = operation_fragment(&&source, "/paths/~1a/get", tight).unwrap();
    assert!(part.value["components"]["schemas"]["Asked"].is_object());
    assert_eq!(segments(&part.omitted[0]).last().unwrap(), "Within");
    let bare = operation_fragment(&&source, "/paths/~1a/get", Room::NONE).unwrap();
    assert!(bare.value.get("components").is_none());
    assert_eq!(bare.omitted.len(), 4);
}

#[test]
fn a_data_model_brings_what_it_reaches() {
    let schemas = json!({"Base": base(), "Text": extends("Base"), "Box": {"properties": {"in": {"$ref": "#/components/schemas/Base"}}}, "Unused": {}});
    let source = document(json!({"components": {"schemas": schemas}}));
    let part = component_fragment(&&source, "/components/schemas/Base", Room::TWIN).unwrap();
    let names: Vec<&String> = part.value["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["Base", "Text", "Box"]);
    assert_eq!(
        named_by(&&source, "/components/schemas/Base"),
        ["/components/schemas/Text", "/components/schemas/Box"]
    );
    let reached = reached_from(&&source, ["/components/schemas/Box".to_owned()].into());
    assert_eq!(reached.len(), 3);
}

#[test]
fn what_extends_an_alias_of_a_base_extends_the_base() {
    let to = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let base = json!({"type": "object", "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"}});
    let text = json!({"allOf": [to("Alias"), {"properties": {"t": to("Inner")}}]});
    let aliases = [
        (to("Base"), json!({})),
        (json!({"allOf": [to("Base")]}), json!({})),
        (
            json!({"$ref": "#/components/schemas/Base", "description": "D"}),
            json!({}),
        ),
        (to("Second"), json!({"Second": to("Base")})),
    ];
    for (alias, more) in aliases {
        let mut schemas = json!({
            "Base": base, "Alias": alias, "Text": text, "Inner": {"type": "string"}, "Own": extends("Base"),
            "Grand": extends("Text"), "Unused": {"type": "string"},
        });
        for (name, schema) in more.as_object().unwrap() {
            schemas[name] = schema.clone();
        }
        let names = |start: Value| {
            let source = returning(start, schemas.clone());
            let part = operation_fragment(&&source, "/paths/~1a/get", Room::TWIN).unwrap();
            let mut names: Vec<String> = part.value["components"]["schemas"]
                .as_object()
                .unwrap()
                .keys()
                .filter(|name| *name != "Second")
                .cloned()
                .collect();
            names.sort();
            names
        };
        let all = ["Alias", "Base", "Grand", "Inner", "Own", "Text"];
        assert_eq!(names(to("Base")), all, "{alias}");
        assert_eq!(names(to("Alias")), all, "{alias}");
        assert_eq!(
            names(json!({"type": "array", "items": to("Base")})),
            all,
            "{alias}"
        );
        // Of a child, what it extends and what extends it.
        let of_child = ["Alias", "Base", "Grand", "Inner", "Text"];
        assert_eq!(names(to("Text")), of_child, "{alias}");
        let of_grandchild = ["Alias", "Base", "Grand", "Inner", "Text"];
        assert_eq!(names(to("Grand")), of_grandchild, "{alias}");
    }
}

/// The YAML that a twin has of its specification, and what it says is left out, with the addresses.
fn of_twin(text: &str) -> (Value, Vec<(String, String)>) {
    let from = text
        .rfind("\n## OpenAPI\n\n")
        .expect("a part of the document");
    let mut lines = text[from + 13..].lines();
    let fence = lines.next().unwrap();
    let fence: String = fence.chars().take_while(|c| *c == '`').collect();
    let yaml: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
    let value = base::data::yaml::parse_document(&format!("{}\n", yaml.join("\n")))
        .expect("YAML")
        .value;
    let left = lines.filter_map(|line| {
        let (pointer, address) = line.strip_prefix("- [`#")?.split_once("`](<")?;
        Some((pointer.to_owned(), address.strip_suffix(">)")?.to_owned()))
    });
    (value, left.collect())
}

/// The twin of a page and the answer of a tool are the parts of the document that the walker looks at above.
#[test]
fn twins_and_answers_hold_the_parts_of_their_operations() {
    let (mut looked, mut left_out) = (0, 0);
    for entry in documents().into_iter().filter(|entry| entry.is_ok) {
        let text = super::corpus::text(&entry.file);
        // Swagger 2.0 is another document once it is read.
        let is_known = |root: &Value| text.len() < 150_000 && root.get("swagger").is_none();
        let Some(root) = entry.root.filter(is_known) else {
            continue;
        };
        let name = if entry.file.ends_with(".json") {
            "api.json"
        } else {
            "api.yaml"
        };
        let docs = format!(
            r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {{"openapi": "{name}"}}}}"##
        );
        let site = TestSite::unobserved(&[("docs.json", docs.as_str()), (name, &text)]);
        let pages = &subject_pages(&site.db, site.site).operations;
        let document = Plain::new(root);
        let mut keys: Vec<_> = pages
            .iter()
            .map(|(operation, page)| (operation.key(&site.db), *operation, *page))
            .collect();
        keys.sort_by_key(|(key, ..)| *key);
        for (key, operation, page) in keys
            .into_iter()
            .filter(|(key, ..)| *key != "/info")
            .step_by(11)
        {
            let named = format!("{} {key}", entry.file);
            let Some(part) = operation_fragment(&&document, key, Room::TWIN) else {
                continue;
            };
            let markdown = page_markdown(&site.db, page);
            let (value, left) = of_twin(markdown);
            let mut expected = part.value;
            for kind in ["paths", "webhooks"] {
                let items = expected.get_mut(kind).and_then(Value::as_object_mut);
                let items = items
                    .into_iter()
                    .flatten()
                    .filter_map(|(_, item)| item.as_object_mut());
                for operation in items
                    .flatten()
                    .filter_map(|(_, operation)| operation.as_object_mut())
                {
                    operation.retain(|name, _| name != "summary" && name != "description");
                }
            }
            assert_eq!(value.to_string(), expected.to_string(), "{named}");
            let pointers: Vec<&String> = left.iter().map(|(pointer, _)| pointer).collect();
            assert_eq!(pointers, part.omitted.iter().collect::<Vec<_>>(), "{named}");
            for (pointer, address) in &left {
                assert_eq!(*address, format!("/{name}#{pointer}"), "{named}");
            }
            let answer = operation_document(&site.db, operation).unwrap();
            let expected = operation_fragment(&&document, key, Room::ANSWER).unwrap();
            assert_eq!(
                answer.value.to_string(),
                expected.value.to_string(),
                "{named}"
            );
            assert_eq!(answer.omitted, expected.omitted, "{named}");
            looked += 1;
            left_out += left.len();
        }
    }
    println!("{looked} twins and answers, {left_out} parts behind an address");
}

/// What is left out of a twin is on the page of a data model, or in the document.
#[test]
fn what_a_twin_leaves_out_has_an_address() {
    let long = json!({"type": "object", "description": "word ".repeat(4000)});
    let to = |at: &str| json!({"$ref": format!("#/components/{at}")});
    let content = json!({"application/json": {"schema": to("schemas/Long")}});
    let api = json!({
        "openapi": "3.1.0", "info": {"title": "A", "version": "1"},
        "paths": {"/a": {"get": {"summary": "Ask", "responses": {
            "200": {"description": "x", "content": content}, "400": to("responses/Wrong")}}}},
        "components": {
            "responses": {"Wrong": {"description": "word ".repeat(4000)}}, "schemas": {"Long": long},
        },
    });
    let site = |models: bool| {
        let docs = json!({"theme": "mint", "name": "A", "colors": {"primary": "#0a7"},
            "api": {"models": models}, "navigation": {"openapi": "docs/api file.json"}});
        TestSite::new(&[
            ("docs.json", docs.to_string()),
            ("docs/api file.json", api.to_string()),
        ])
    };
    for (models, expected) in [
        (true, "/api-reference/models/long.md"),
        (false, "/docs/api%20file.json#/components/schemas/Long"),
    ] {
        let site = site(models);
        let table = queries::outputs::route_table(&site.db, site.site);
        let (_, page) = table
            .pages
            .iter()
            .find(|(route, _)| route.as_str().ends_with("/ask"))
            .unwrap();
        let (_, left) = of_twin(page_markdown(&site.db, *page));
        let expected = [
            ("/components/schemas/Long".to_owned(), expected.to_owned()),
            (
                "/components/responses/Wrong".to_owned(),
                "/docs/api%20file.json#/components/responses/Wrong".to_owned(),
            ),
        ];
        assert_eq!(left, expected);
        if models {
            assert!(
                table
                    .pages
                    .keys()
                    .any(|route| route.as_str() == "/api-reference/models/long")
            );
        }
    }
}

/// What a page says beside a row, programs are told below the part: where nothing is valid, and why.
#[test]
fn schemas_that_contradict_themselves_are_named() {
    let docs = json!({"name": "D", "theme": "mint", "colors": {"primary": "#336699"}, "navigation": {"groups": [{"group": "A", "openapi": "api.json"}]}});
    let ids = json!({"allOf": [{"$ref": "#/components/schemas/Low"}, {"minimum": 5}]});
    let schema = json!({"type": "object", "properties": {"id": ids}});
    let content = json!({"application/json": {"schema": schema}});
    let api = json!({
        "openapi": "3.1.0", "info": {"title": "A", "version": "1"},
        "paths": {
            "/ask": {"get": {"summary": "Ask", "responses": {"200": {"description": "ok", "content": content}}}},
            "/well": {"get": {"summary": "Well", "responses": {"200": {"description": "ok"}}}},
        },
        "components": {"schemas": {"Low": {"type": "integer", "maximum": 3}}},
    });
    let site = TestSite::new(&[
        ("docs.json", docs.to_string()),
        ("api.json", api.to_string()),
    ]);
    let line = "`#/paths/~1ask/get/responses/200/content/application~1json/schema/properties/id`: the members of `allOf` contradict each other: no number is between 5 and 3";
    let pages = &subject_pages(&site.db, site.site).operations;
    let mut pages: Vec<_> = pages.iter().collect();
    pages.sort_by_key(|(operation, _)| operation.key(&site.db));
    for (operation, page) in pages {
        let found = operation_contradictions(&site.db, *operation);
        let markdown = page_markdown(&site.db, *page);
        if operation.key(&site.db) == "/paths/~1ask/get" {
            assert_eq!(found, [line]);
            let told = format!(
                "These schemas contradict themselves, so that no value may fit:\n\n- {line}\n"
            );
            assert!(markdown.ends_with(&told), "{markdown}");
        } else {
            assert_eq!(found, [""; 0]);
            assert!(!markdown.contains("contradict"), "{markdown}");
        }
    }
}
