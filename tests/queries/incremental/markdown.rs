//! Pages as Markdown: an edit makes that of the page anew, and of the pages that show what changed; nothing else does.

use queries::markdown::page_markdown;
use queries::outputs::route_table;

use super::{DOCS, EDITED, TICKETS, museum};
use crate::support::TestSite;

/// Asks for every page as Markdown; returns which were made.
fn made(site: &mut TestSite) -> Vec<String> {
    for page in route_table(&site.db, site.site).clone().pages.values() {
        page_markdown(&site.db, *page);
    }
    let mut keys = site.take_keys();
    keys.remove("page_markdown").unwrap_or_default()
}

#[test]
fn words_of_a_page_make_its_own_anew() {
    let mut site = museum();
    assert_eq!(made(&mut site).len(), 5);
    site.set(EDITED, TICKETS.replace("a day", "two days"));
    made(&mut site);
    site.set(EDITED, TICKETS.replace("a day", "three days"));
    assert_eq!(made(&mut site), [EDITED]);
    site.set(EDITED, TICKETS.replace("a day", "three days"));
    assert!(made(&mut site).is_empty());
}

#[test]
fn labels_and_colors_make_none() {
    let mut site = museum();
    made(&mut site);
    for (from, to) in [("\"Use\"", "\"Visit\""), ("#00aa77", "#112233")] {
        let text = DOCS.replace(from, to);
        assert_ne!(text, DOCS);
        site.set("docs.json", text);
        assert!(made(&mut site).is_empty(), "{to}");
    }
}

const API: &str = r##"{
  "openapi": "3.1.0", "info": {"title": "A", "version": "1"},
  "paths": {
    "/a": {"get": {"summary": "One", "responses": {"200": {"description": "x", "content": {"application/json": {
      "schema": {"$ref": "#/components/schemas/Shared"}}}}}}},
    "/b": {"get": {"summary": "Two", "responses": {"200": {"description": "y"}}}}
  },
  "components": {"schemas": {"Shared": {"type": "object", "properties": {"id": {"type": "string"}}},
    "Other": {"type": "string"}}}
}"##;

#[test]
fn a_schema_makes_those_of_the_pages_that_reach_it() {
    let mut site = TestSite::new(&[
        (
            "docs.json",
            r##"{"theme": "mint", "name": "A", "colors": {"primary": "#000000"},
                "navigation": {"tabs": [{"tab": "Guides", "pages": ["index"]}, {"tab": "API", "openapi": "api.json"}]}}"##,
        ),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        ("api.json", API),
    ]);
    // The page of the guide, two operations and what opens their reference.
    assert_eq!(made(&mut site).len(), 4);
    site.touch_specs();
    made(&mut site);
    site.set("api.json", API.replace("\"id\"", "\"key\""));
    assert_eq!(made(&mut site), ["GET /a in api-reference"]);
    // What no page reaches wakes none.
    let edited = API.replace("\"id\"", "\"key\"");
    site.set(
        "api.json",
        edited.replace("{\"type\": \"string\"}}\n}", "{\"type\": \"integer\"}}\n}"),
    );
    assert!(made(&mut site).is_empty());
}

const BASES: &str = r##"{
  "openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "security": [{"key": []}],
  "paths": {
    "/a": {"get": {"summary": "One", "responses": {"200": {"description": "x", "content": {"application/json": {
      "schema": {"$ref": "#/components/schemas/Base"}}}}}}},
    "/b": {"get": {"summary": "Two", "security": [], "responses": {"200": {"description": "y", "content": {"application/json": {
      "schema": {"$ref": "#/components/schemas/Other"}}}}}}},
    "/c": {"get": {"summary": "Three", "security": [], "responses": {"200": {"description": "z", "content": {"application/json": {
      "schema": {"$ref": "#/paths/~1b/get/responses/200/content/application~1json/schema"}}}}}}}
  },
  "components": {
    "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}, "token": {"type": "http", "scheme": "basic"}},
    "schemas": {
      "Base": {"type": "object", "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"}},
      "Child": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"x": {"type": "string"}}}]},
      "Other": {"type": "object", "properties": {"y": {"type": "string"}}},
      "Free": {"type": "string"}
    }
  }
}"##;

#[test]
fn what_an_operation_inherits_and_its_children_make_it_anew() {
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#000000"},
        "navigation": {"tabs": [{"tab": "API", "openapi": "api.json"}]}}"##;
    let mut site = TestSite::new(&[("docs.json", docs), ("api.json", BASES)]);
    made(&mut site);
    site.touch_specs();
    made(&mut site);
    let mut text = BASES.to_owned();
    let mut edit = |from: &str, to: &str| {
        let edited = text.replacen(from, to, 1);
        assert_ne!(edited, text);
        text = edited;
        site.set("api.json", text.clone());
        let mut pages = made(&mut site);
        // What opens the reference lists the schemes.
        pages.retain(|page| page.starts_with("GET "));
        pages
    };
    // The requirements of the document concern who has none of its own.
    assert_eq!(
        edit(
            r#""security": [{"key": []}]"#,
            r#""security": [{"token": []}]"#
        ),
        ["GET /a in api-reference"]
    );
    assert_eq!(edit("\"basic\"", "\"digest\""), ["GET /a in api-reference"]);
    // A child, a child of a child, and words of it.
    let child =
        r##""Child": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"x""##;
    let grand =
        r##""Grand": {"allOf": [{"$ref": "#/components/schemas/Child"}, {"properties": {"y""##;
    assert_eq!(
        edit(child, &child.replace("\"x\"", "\"z\"")),
        ["GET /a in api-reference"]
    );
    let free = r#""Free": {"type": "string"}"#;
    let with = format!("{free}, {grand}: {{\"type\": \"string\"}}}}}}]}}");
    assert_eq!(edit(free, &with), ["GET /a in api-reference"]);
    assert_eq!(
        edit(grand, &grand.replace("\"y\"", "\"w\"")),
        ["GET /a in api-reference"]
    );
    // What another operation refers to within it.
    assert_eq!(
        edit(
            r##"{"$ref": "#/components/schemas/Other"}"##,
            r#"{"type": "array"}"#
        ),
        ["GET /b in api-reference", "GET /c in api-reference"]
    );
    // What nobody reaches.
    assert!(edit(free, r#""Free": {"type": "number"}"#).is_empty());
}
