//! What pages of a specification look like as HTML: whatever an author wrote, the page around it stays whole.

use std::collections::{BTreeMap, BTreeSet};

use highlight::by_grammar;
use html5gum::{Token, Tokenizer};
use openapi::endpoint::Settings;
use openapi::model::model;
use openapi::operation::endpoint;
use openapi::plain::Plain;
use serde_json::{Value, json};
use theme::reference::{self, Context, RenderedReference};
use theme::words::in_english;

use super::corpus::documents;
use super::operations;

pub(super) const CONTEXT: Context<'_> = Context {
    base_path: "",
    by_grammar: &by_grammar,
    is_expanded: false,
};

/// Elements that have no end tag.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    "path", "rect", "circle", "line", "polyline", "polygon", "ellipse", "use",
];

/// What is wrong with the HTML of a page.
pub(super) fn faults(drawn: &RenderedReference) -> Vec<String> {
    let side = format!("{}{}", drawn.side, drawn.examples);
    let head = format!("{}{}", drawn.bar, drawn.head);
    let main = format!("{}{}", drawn.security, drawn.main);
    let html = reference::whole(&head, &side, "", &main).into_string();
    let html = in_english(&html);
    let mut faults = Vec::new();
    let mut open = Vec::new();
    let mut ids = BTreeMap::<String, usize>::new();
    let mut inner = BTreeSet::new();
    for token in Tokenizer::new(&*html) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                for (key, value) in &tag.attributes {
                    let key = String::from_utf8_lossy(key).into_owned();
                    let value = String::from_utf8_lossy(value).into_owned();
                    match key.as_str() {
                        "id" => *ids.entry(value).or_default() += 1,
                        "href" if value.starts_with('#') => {
                            inner.insert(value[1..].to_owned());
                        }
                        "href" if value.to_lowercase().starts_with("javascript:") => {
                            faults.push(format!("`{value}` runs"));
                        }
                        "style" => faults.push(format!("<{name}> has a style")),
                        _ if key.starts_with("on") => faults.push(format!("<{name}> has {key}")),
                        _ => {}
                    }
                }
                if !tag.self_closing && !VOID.contains(&name.as_str()) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                let opened = open.pop();
                if opened.as_ref() != Some(&name) {
                    faults.push(format!("</{name}> ends {opened:?}"));
                }
            }
            Token::Error(error) => faults.push(format!("{error:?}")),
            _ => {}
        }
    }
    faults.extend(open.iter().map(|name| format!("<{name}> is not closed")));
    let twice = ids.iter().filter(|(_, count)| **count > 1);
    faults.extend(twice.map(|(id, count)| format!("#{id} is there {count} times")));
    let absent = drawn.anchors.iter().filter(|id| !ids.contains_key(*id));
    faults.extend(absent.map(|id| format!("#{id} is promised and not there")));
    let entries = drawn
        .outline
        .iter()
        .filter(|entry| !ids.contains_key(&entry.id));
    faults.extend(entries.map(|entry| format!("the heading #{} is not there", entry.id)));
    // Links of descriptions are the author's; those to rows are ours.
    let written: BTreeSet<&str> = drawn.links.iter().map(String::as_str).collect();
    let lost = inner.iter().filter(|id| !ids.contains_key(*id));
    let lost = lost.filter(|id| !written.contains(format!("#{id}").as_str()));
    faults.extend(lost.map(|id| format!("a link leads to #{id}, which does not exist")));
    // What is not shown in its place is somewhere.
    let cut = html.split("<p class=\"elsewhere\">").skip(1);
    let cut = cut.filter_map(|rest| rest.split("</p>").next());
    let dead = cut.filter(|words| !words.contains("<a href=\""));
    faults.extend(dead.map(|words| format!("`{words}` leads nowhere")));
    faults
}

#[test]
fn pages_of_real_documents_are_whole() {
    let settings = Settings::default();
    let mut all = Vec::new();
    let (mut pages, mut bytes, mut largest) = (0, 0, 0);
    for entry in documents() {
        let Some(root) = &entry.root else { continue };
        let mut document = Plain::new(root.clone());
        document.address = Some(format!("/{}", entry.file));
        for pointer in operations(root)
            .iter()
            .step_by(if cfg!(debug_assertions) { 5 } else { 1 })
        {
            let Some(page) = endpoint(&&document, pointer, &settings) else {
                continue;
            };
            let drawn = reference::endpoint(&page.value, CONTEXT);
            pages += 1;
            let size = [
                &drawn.bar,
                &drawn.head,
                &drawn.side,
                &drawn.examples,
                &drawn.security,
                &drawn.main,
            ]
            .map(String::len)
            .iter()
            .sum::<usize>();
            bytes += size;
            largest = largest.max(size);
            let found = faults(&drawn).into_iter();
            all.extend(found.map(|fault| format!("{} {pointer}: {fault}", entry.file)));
        }
    }
    eprintln!("{pages} pages, {bytes} bytes, the largest {largest}");
    assert!(
        all.is_empty(),
        "{}: {}",
        all.len(),
        all[..all.len().min(20)].join("\n")
    );
}

/// A document whose every text is `x`.
fn hostile(x: &str) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {"title": x, "version": x},
        "servers": [{"url": format!("https://a.example/{x}"), "description": x}, {"url": "/b", "description": x}],
        "paths": {"/a/{id}": {"post": {
            "summary": x, "description": x, "operationId": x, "tags": [x],
            "externalDocs": {"url": x, "description": x},
            "security": [{"key": []}, {"flow": [x]}],
            "x-codeSamples": [{"lang": x, "label": x, "source": x}],
            "parameters": [{"name": x, "in": "query", "description": x, "example": x, "schema": {
                "type": "string", "title": x, "pattern": x, "enum": [x, "b"], "x-enumNames": [x, x], "x-enumDescriptions": [x, x],
                "default": x, "x-docs": {"pre": [x], "post": [x]}}}],
            "requestBody": {"description": x, "content": {"application/json": {"schema": {
                "type": "object", "title": x, "properties": {"p": {"oneOf": [
                    {"title": x, "description": x, "type": "object", "properties": {"a": {"type": "string"}}},
                    {"title": format!("{x}{x}"), "type": "object", "properties": {"b": {"type": "string"}}}]}},
                "patternProperties": {"^a": {"type": "string", "description": x}}}},
                x: {"schema": {"type": "string"}, "examples": {x: {"summary": x, "description": x, "value": x}}}}},
            "callbacks": {x: {format!("https://c.example/{x}"): {"post": {"summary": x, "description": x, "responses": {"200": {"description": x}}}}}},
            "responses": {"200": {"description": x, "headers": {x: {"description": x, "schema": {"type": "string"}}},
                "links": {x: {"operationId": x, "description": x, "parameters": {x: x}}},
                "content": {"application/json": {"examples": {x: {"externalValue": x}, "b": {"value": x}}}}},
                x: {"description": x}}
        }}},
        "components": {"securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": x, "description": x},
            "flow": {"type": "oauth2", "description": x, "flows": {"implicit": {"authorizationUrl": x, "scopes": {x: x}}}}},
            "schemas": {"M": {"type": "object", "description": x, "title": x, "properties": {"p": {"type": "string", "description": x}}}}}
    })
}

#[test]
fn no_word_of_an_author_ends_what_is_around_it() {
    let settings = Settings::default();
    for x in [
        "<x>",
        "\"><script>alert(1)</script>",
        "</section></div></li></ul>",
        "javascript:alert(1)",
        "' onclick=alert(1) x='",
        "<img src=x onerror=alert(1)>",
        "<svg><script>alert(1)</script></svg>",
        "<!--",
        "]]>",
        "a b#c/d?e%f~g",
    ] {
        let document = Plain::new(hostile(x));
        let page = endpoint(&&document, "/paths/~1a~1{id}/post", &settings).unwrap();
        let drawn = reference::endpoint(&page.value, CONTEXT);
        assert_eq!(faults(&drawn), Vec::<String>::new(), "{x}");
        let html = [
            drawn.bar,
            drawn.head,
            drawn.side,
            drawn.examples,
            drawn.security,
            drawn.main,
        ]
        .concat();
        assert!(!html.contains("<x>") && !html.contains("<script"), "{x}");
        let island = reference::island(&page.value.playground.unwrap());
        assert_eq!(island.matches('<').count(), 2, "{island}");
        let page = model(&&document, "/components/schemas/M", &settings).unwrap();
        assert_eq!(
            faults(&reference::model(&page.value, CONTEXT)),
            Vec::<String>::new(),
            "{x}"
        );
    }
}
