//! How much a page shows of what stands many times, and how much of what stands in itself.

use std::collections::BTreeSet;

use openapi::direction::Direction;
use openapi::endpoint::{Endpoint, Modelled, Why};
use openapi::model::sample_at;
use serde_json::{Value, json};

use super::seen::{POST, request, sent, with};
use super::{codes, outline, page, plain};

/// The page of an operation whose body has `count` properties of the component `C`.
fn many_times(count: usize, component: &str) -> Modelled<Endpoint> {
    let properties: Vec<String> = (0..count)
        .map(|n| format!("p{n}: {{$ref: '#/components/schemas/C'}}"))
        .collect();
    let document = plain(&format!(
        "paths: {{/p: {{post: {{requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{{}}}}}}}}}}}}}}}}}\ncomponents: {{schemas: {{C: {component}}}}}",
        properties.join(", ")
    ));
    page(&document, POST)
}

/// How many rows of the body show what is in them, and how many link to where it was shown.
fn shown_and_linked(page: &Modelled<Endpoint>) -> (usize, usize) {
    let rows = &request(page).contents.rows;
    let shown = rows.iter().map(|row| &row.view.contents);
    let linked = rows
        .iter()
        .filter_map(|row| row.view.contents.elsewhere.as_ref());
    let linked = linked.filter(|one| {
        assert_eq!(one.href.as_deref(), Some("#body-p0"));
        one.why == Why::Repeated
    });
    (
        shown.filter(|contents| !contents.rows.is_empty()).count(),
        linked.count(),
    )
}

#[test]
fn case_58_a_component_many_times() {
    let page = many_times(
        40,
        "{type: object, properties: {x: {type: object, properties: {y: {type: string}}}}}",
    );
    assert_eq!(shown_and_linked(&page), (3, 37));
}

#[test]
fn a_small_component_is_shown_wherever_it_is_used() {
    let page = many_times(
        40,
        "{type: object, properties: {x: {type: string}, y: {type: array, items: {type: integer}}}}",
    );
    assert_eq!(shown_and_linked(&page), (40, 0));
    let fields: Vec<String> = (0..9).map(|n| format!("f{n}: {{type: string}}")).collect();
    let large = format!("{{type: object, properties: {{{}}}}}", fields.join(", "));
    assert_eq!(shown_and_linked(&many_times(40, &large)), (3, 37));
}

#[test]
fn the_root_of_a_body_is_shown_however_often_it_was() {
    let fields: Vec<String> = (0..20).map(|n| format!("f{n}: {{type: string}}")).collect();
    let responses: Vec<String> = (0..9)
        .map(|n| {
            format!("'40{n}': {{description: d, content: {{application/json: {{schema: {{$ref: '#/components/schemas/E'}}}}}}}}")
        })
        .collect();
    let document = plain(&format!(
        "paths: {{/p: {{post: {{responses: {{{}}}}}}}}}\ncomponents: {{schemas: {{E: {{type: object, properties: {{{}}}}}}}}}",
        responses.join(", "),
        fields.join(", ")
    ));
    let page = page(&document, POST);
    for response in &page.value.responses {
        let root = response.media[0].root.as_ref().unwrap();
        assert_eq!(root.view.contents.rows.len(), 20, "{}", response.status);
    }
}

#[test]
fn a_sample_of_unions_in_unions_is_short_and_says_what_is_near() {
    let levels: Vec<String> = (0..8)
        .map(|n| {
            let next = format!("{{$ref: '#/components/schemas/L{}'}}", n + 1);
            format!(
                "L{n}: {{oneOf: [{{$ref: '#/components/schemas/A{n}'}}]}}\nA{n}: {{type: object, required: [name], properties: {{name: {{type: string}}, one: {next}, two: {{type: array, items: {next}}}, three: {next}}}}}"
            )
        })
        .collect();
    let schemas = format!("{}\nL8: {{type: string}}", levels.join("\n"));
    let page = with(&schemas, "{$ref: '#/components/schemas/L0'}");
    let sample = sent(&page);
    assert!(sample.len() <= 6 << 10, "{} bytes", sample.len());
    let value: Value = serde_json::from_str(&sample).unwrap();
    for pointer in ["/one/one/name", "/two/0/name", "/three/three/name"] {
        assert_eq!(value.pointer(pointer), Some(&json!("string")), "{pointer}");
    }
    assert_eq!(codes(&page), <[&str; 0]>::default());
}

/// Ways through `allOf` multiply; the union at their end is one all the same.
#[test]
fn a_union_that_many_members_lead_to_is_shown_once() {
    let level = |n: usize| {
        let next = format!("{{$ref: '#/components/schemas/L{}'}}", n + 1);
        format!("L{n}: {{allOf: [{next}, {next}]}}")
    };
    let levels: Vec<String> = (0..9).map(level).collect();
    let union = "{oneOf: [{title: One, type: object, required: [a], properties: {a: {type: string}}}, {title: Other, type: object, required: [b], properties: {b: {type: integer}}}]}";
    let schemas = format!("{}\nL9: {union}", levels.join("\n"));
    let page = with(&schemas, "{$ref: '#/components/schemas/L0'}");
    let expected = "one of\n| One\n  a string required\n| Other\n  b integer required\n";
    assert_eq!(outline(&request(&page).contents), expected);
    assert_eq!(sent(&page), r#"{"a":"string"}"#);
    assert_eq!(codes(&page), <[&str; 0]>::default());
}

/// Each sample is on a page once for each language of code.
#[test]
fn a_sample_that_would_be_long_as_it_is_drawn_is_less_deep() {
    let mut depths = BTreeSet::new();
    for width in 1..6 {
        let fields = |inner: &str| {
            let fields = (0..width).map(|n| format!("f{n}: {inner}"));
            let fields: Vec<String> = fields.collect();
            format!("{{type: object, properties: {{{}}}}}", fields.join(", "))
        };
        let mut schema = "{type: string}".to_owned();
        for _ in 0..6 {
            schema = fields(&schema);
        }
        let document = plain(&format!("components: {{schemas: {{Deep: {schema}}}}}"));
        let pointer = "/components/schemas/Deep";
        let sample = sample_at(&&document, pointer, Direction::Model).expect("a sample");
        let text = serde_json::to_string_pretty(&sample).expect("JSON");
        assert!(text.len() < 2100, "{width}: {} bytes\n{text}", text.len());
        let deepest = text
            .lines()
            .map(|line| line.len() - line.trim_start().len());
        depths.insert(deepest.max().unwrap_or(0) / 2);
    }
    // As deep as there is room.
    assert!(depths.len() > 2, "{depths:?}");
}
