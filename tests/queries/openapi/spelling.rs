//! A document is the same in JSON and in YAML: so are its pages.

use std::collections::BTreeMap;

use base::data::yaml;
use openapi::channel::channel;
use openapi::endpoint::Settings;
use openapi::plain::Plain;
use queries::site::route_table;
use serde_json::{Value, json};

use super::corpus::documents;
use super::seen::{POST, returned, schema, sent};
use super::{page, plain};
use crate::support::TestSite;

/// Largest document that is looked at where programs are slow, in bytes.
const MAX: usize = 130_000;

/// Every page of a site that shows `text` as the specification `name`, by its address.
pub(super) fn pages(name: &str, text: &str) -> BTreeMap<String, String> {
    let docs = format!(
        r##"{{"theme": "mint", "name": "M", "colors": {{"primary": "#00aa77"}}, "navigation": {{"tabs": [
            {{"tab": "Guide", "pages": ["index"]}}, {{"tab": "API", "openapi": "{name}"}}]}}}}"##
    );
    let site = TestSite::new(&[
        ("docs.json", docs.as_str()),
        ("index.mdx", "---\ntitle: Home\n---\n\nWords.\n"),
        (name, text),
    ]);
    let table = route_table(&site.db, site.site);
    let pages = table.pages.iter().map(|(route, page)| {
        let page = queries::frame::page_html(&site.db, site.site, *page, &Default::default());
        let html = page.html.replace(name, "api");
        // What a reader typed is remembered by a digest of the name.
        let html = match html.split_once(r#"{"spec":""#) {
            Some((before, after)) => {
                let after = after.split_once('"').expect("the name ends").1;
                format!(r#"{before}{{"spec":"{after}"#)
            }
            None => html,
        };
        (route.to_string(), html)
    });
    pages.collect()
}

#[test]
fn a_document_has_the_same_pages_in_json_and_in_yaml() {
    let (mut compared, mut count) = (0, 0);
    for entry in documents().into_iter().filter(|entry| entry.is_ok) {
        let is_yaml = entry.file.ends_with(".yaml") || entry.file.ends_with(".yml");
        let Some(root) = entry.root.filter(|_| is_yaml) else {
            continue;
        };
        let yaml = super::corpus::text(&entry.file);
        if cfg!(debug_assertions) && yaml.len() > MAX {
            continue;
        }
        let json = serde_json::to_string_pretty(&root).unwrap();
        let (of_yaml, of_json) = (pages("api.yaml", &yaml), pages("api.json", &json));
        let routes = |pages: &BTreeMap<String, String>| pages.keys().cloned().collect::<Vec<_>>();
        assert_eq!(routes(&of_yaml), routes(&of_json), "{}", entry.file);
        for (route, page) in &of_yaml {
            assert!(*page == of_json[route], "{} {route} differs", entry.file);
        }
        compared += 1;
        count += of_yaml.len();
    }
    println!("{compared} documents, {count} pages");
    assert!(compared >= 8 || crate::corpus::corpus().is_none());
}

/// Scalars that YAML reads as another type than a text, and what they are as JSON.
const SCALARS: &[(&str, &str)] = &[
    (".5", "0.5"),
    ("-.5", "-0.5"),
    ("+.50", "0.50"),
    ("5.", "5.0"),
    ("+1", "1"),
    ("+49301234", "49301234"),
    ("+1.20", "1.20"),
    ("0x1F", "31"),
    ("-0x1F", "-31"),
    ("0o17", "15"),
    ("0b11", "3"),
    ("-0", "-0"),
    ("1e3", "1e+3"),
    ("1E3", "1e+3"),
    ("1.10", "1.10"),
    ("12345678901234567890123", "12345678901234567890123"),
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("~", "null"),
];

/// Scalars that are texts to YAML 1.2, whatever they were to YAML 1.1.
const TEXTS: &[&str] = &[
    "1_000",
    "Yes",
    "no",
    "on",
    "y",
    "2024-01-01",
    "2024-01-01T10:00:00Z",
    "12:30",
    "12:30:45",
    "01234",
    "1.2.3",
    ".inf",
    "-.INF",
    ".nan",
];

/// A document with `scalar` in every place of a request and a response, of values of type `kind`.
fn everywhere(scalar: &str, kind: &str) -> super::Plain {
    plain(&format!(
        "
openapi: 3.1.0
paths:
  /p:
    post:
      parameters:
        - {{name: a, in: query, schema: {{type: {kind}}}, example: {scalar}}}
        - {{name: b, in: query, schema: {{type: {kind}, example: {scalar}}}}}
        - {{name: c, in: query, schema: {{$ref: '#/components/schemas/K'}}, examples: {{x: {{value: {scalar}}}}}}}
        - {{name: d, in: query, schema: {{type: {kind}, default: {scalar}}}}}
        - {{name: e, in: header, schema: {{type: {kind}, enum: [{scalar}]}}}}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                a: {{type: {kind}, example: {scalar}}}
                b:
                  $ref: '#/components/schemas/K'
                  default: {scalar}
                c: {{type: array, items: {{type: {kind}, enum: [{scalar}]}}}}
                d: {{allOf: [{{$ref: '#/components/schemas/K'}}], example: {scalar}}}
                e:
                  type: object
                  additionalProperties: {{type: {kind}}}
                  example: {{x: {scalar}}}
                f:
                  type: array
                  items: {{$ref: '#/components/schemas/K'}}
                  example:
                    - {scalar}
                g: {{type: {kind}, const: {scalar}}}
                h: {{type: {kind}, examples: [{scalar}]}}
                i: {{oneOf: [{{type: {kind}, example: {scalar}}}, {{type: object}}]}}
      responses:
        '200':
          description: ok
          headers:
            X-A: {{schema: {{type: {kind}}}, example: {scalar}}}
          content:
            application/json:
              schema: {{type: array, items: {{$ref: '#/components/schemas/O'}}}}
              example:
                - {{k: {scalar}, l: [{scalar}]}}
components:
  schemas:
    K: {{type: {kind}}}
    O:
      allOf:
        - {{type: object, properties: {{k: {{$ref: '#/components/schemas/K'}}}}}}
        - {{type: object, properties: {{l: {{type: array, items: {{$ref: '#/components/schemas/K'}}}}}}}}
"
    ))
}

#[track_caller]
fn check_everywhere(scalar: &str, kind: &str, json: &str, word: &str) {
    let shown = page(&everywhere(scalar, kind), POST);
    let expected = r#"{"a":J,"b":J,"c":[J],"d":J,"e":{"x":J},"f":[J],"g":J,"h":J,"i":J}"#;
    assert_eq!(sent(&shown), expected.replace('J', json), "{kind} {scalar}");
    let expected = r#"[{"k":J,"l":[J]}]"#.replace('J', json);
    assert_eq!(returned(&shown), expected, "{kind} {scalar}");
    let rows = (shown.value.parameters.iter()).flat_map(|group| &group.rows);
    for row in rows {
        let view = &row.view;
        let values = view.values.iter().map(|value| &value.text);
        let said: Vec<&String> = view
            .examples
            .iter()
            .chain(&view.default)
            .chain(values)
            .collect();
        let in_label = view.label.plain().contains(word);
        assert!(
            said == [word] || in_label,
            "{kind} {scalar}: {:?} {said:?}",
            row.name
        );
    }
    let header = &shown.value.responses[0].headers[0].view.examples;
    assert_eq!(header, &[word], "{kind} {scalar}");
}

#[test]
fn scalars_of_texts_are_spelled_as_they_are_written() {
    let spelled = SCALARS.iter().map(|(scalar, _)| scalar);
    // Of a default that is `~` nothing is sent, as of any other `null`.
    for scalar in spelled.chain(TEXTS).filter(|scalar| **scalar != "~") {
        let json = serde_json::Value::from(*scalar).to_string();
        check_everywhere(scalar, "string", &json, scalar);
    }
}

#[test]
fn tilde_is_a_text_where_nothing_else_may_stand() {
    let kinds = [
        ("{type: string, example: ~}", r#"{"v":"~"}"#),
        ("{type: string, enum: [~]}", r#"{"v":"~"}"#),
        ("{type: string, const: ~}", r#"{"v":"~"}"#),
        (
            "{type: array, items: {type: string}, example: [~, a]}",
            r#"{"v":["~","a"]}"#,
        ),
        ("{type: [string, 'null'], example: ~}", r#"{"v":null}"#),
        ("{type: string, example: null}", r#"{"v":null}"#),
        ("{type: string, enum: [null, a]}", r#"{"v":"a"}"#),
    ];
    for (text, expected) in kinds {
        let shown = schema(&format!("{{type: object, properties: {{v: {text}}}}}"));
        assert_eq!(sent(&shown), expected, "{text}");
    }
}

#[test]
fn numbers_and_booleans_are_valid_json_however_they_are_written() {
    for (scalar, json) in SCALARS {
        let kind = match *json {
            "true" | "false" => "boolean",
            "null" => continue,
            _ => "number",
        };
        check_everywhere(scalar, kind, json, json);
    }
}

#[test]
fn examples_of_messages_are_spelled_as_they_are_written() {
    let spelled = SCALARS.iter().map(|(scalar, _)| scalar);
    for scalar in spelled.chain(TEXTS).filter(|scalar| **scalar != "~") {
        let document = yaml::parse_document(&format!(
            "
asyncapi: 3.0.0
channels:
  c:
    address: c
    messages:
      m:
        headers: {{type: object, properties: {{code: {{type: string}}}}}}
        payload:
          type: object
          properties:
            a: {{type: string}}
            b: {{type: array, items: {{type: string}}}}
        examples:
          - payload: {{a: {scalar}, b: [{scalar}]}}
            headers: {{code: {scalar}}}
      n:
        payload: {{type: string}}
        traits:
          - examples:
              - payload: {scalar}
operations:
  o: {{action: send, channel: {{$ref: '#/channels/c'}}}}
"
        ));
        let plain = Plain::new(document.unwrap().value);
        let view = channel(&&plain, "/channels/c", &Settings::default()).unwrap();
        let messages = &view.value.exchanges[0].messages;
        let json: Value = serde_json::from_str(&messages[0].examples[0].payload.text).unwrap();
        assert_eq!(json, json!({"a": scalar, "b": [scalar]}), "{scalar}");
        let headers = messages[0].examples[0].headers.as_deref().unwrap();
        let headers: Value = serde_json::from_str(headers).unwrap();
        assert_eq!(headers, json!({"code": scalar}), "{scalar}");
        let text: Value = serde_json::from_str(&messages[1].examples[0].payload.text).unwrap();
        assert_eq!(text, json!(scalar));
    }
}
