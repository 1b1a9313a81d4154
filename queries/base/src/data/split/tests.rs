use super::*;
use crate::content::TextBytes;

fn path(format: Format) -> SitePath {
    SitePath::new(match format {
        Format::Json => "api.json",
        Format::Yaml => "api.yaml",
    })
    .unwrap()
}

fn split(format: Format, text: &str) -> SplitDocument {
    SplitDocument::split(&path(format), format, text.as_bytes().into())
}

fn slice_lines(document: &SplitDocument) -> Vec<String> {
    let slices = document.slices.iter();
    slices
        .map(|slice| format!("{} {}", slice.key, slice.json))
        .collect()
}

const JSON: &str = r##"{ "openapi": "3.1.0", "info": {"title": "T"},
  "paths": { "/a/{b}": { "parameters": [], "get": {"x": 1} }, "/empty": {}, "/c": {"$ref": "#/x"} },
  "components": { "schemas": { "A": {"type": "string"}, "B": true } }, "tags": [] }"##;

const YAML: &str = "openapi: 3.1.0\ninfo:\n  title: T # words\npaths:\n  /a/{b}:\n    parameters: []\n    get:\n      x: 1\n\n  /empty: {}\n  '/c': { $ref: '#/x' }\n# between\ncomponents:\n  schemas:\n    A:\n      type: string\n    B: true\ntags: []\n";

const KEYS: [&str; 9] = [
    "/openapi \"3.1.0\"",
    "/info {\"title\":\"T\"}",
    "/paths/~1a~1{b}/parameters []",
    "/paths/~1a~1{b}/get {\"x\":1}",
    "/paths/~1empty {}",
    "/paths/~1c/$ref \"#/x\"",
    "/components/schemas/A {\"type\":\"string\"}",
    "/components/schemas/B true",
    "/tags []",
];

#[test]
fn both_formats_give_the_same_slices() {
    let json: Vec<String> = slice_lines(&split(Format::Json, JSON));
    let json: Vec<String> = json
        .iter()
        .map(|slice| slice.replace("\": ", "\":"))
        .collect();
    assert_eq!(json, KEYS);
    let yaml = split(Format::Yaml, YAML);
    assert_eq!(slice_lines(&yaml), KEYS);
    assert_eq!(yaml.problems, []);
    assert!(!yaml.spans.is_empty());
    assert!(yaml.is_specification());
}

#[test]
fn a_cut_that_was_kept_is_the_cut() {
    let broken = JSON.replace("true }", "tru }");
    let texts: [(Format, &[u8]); 7] = [
        (Format::Json, JSON.as_bytes()),
        (Format::Yaml, YAML.as_bytes()),
        (Format::Json, broken.as_bytes()),
        (
            Format::Json,
            b"{\"openapi\": \"3.0.0\", \"info\": \"\xff\"}",
        ),
        (Format::Yaml, b"openapi: 3.0.0\nx: &a {b: 1}\ny: *a\n"),
        (Format::Json, b""),
        (Format::Yaml, b"{openapi: 3.0.0, paths: {}}\n"),
    ];
    for (format, text) in texts {
        let cut = SplitDocument::split(&path(format), format, text.into());
        let bytes = postcard::to_allocvec(&cut.storable()).unwrap();
        let kept: StoredCut = postcard::from_bytes(&bytes).unwrap();
        let again = SplitDocument::of_kept(&path(format), format, text.into(), kept).unwrap();
        assert_eq!(slice_lines(&again), slice_lines(&cut));
        assert_eq!((&again.spans, &again.problems), (&cut.spans, &cut.problems));
        assert_eq!(again.text, cut.text);
    }
    let kept = split(Format::Json, JSON).storable();
    let other = SplitDocument::of_kept(
        &path(Format::Json),
        Format::Json,
        b"{}".as_slice().into(),
        kept,
    );
    assert!(other.is_none());
}

#[test]
fn an_edit_inside_a_slice_changes_this_slice() {
    for (format, text, from, to) in [
        (Format::Json, JSON, "\"x\": 1", "\"x\": [1, 2]"),
        (Format::Yaml, YAML, "x: 1", "x: [1, 2]\n      y: 3"),
    ] {
        let before = split(format, text);
        let text = text.replace(from, to);
        let bytes: TextBytes = text.as_bytes().into();
        let same = (
            common_prefix(before.text(), &bytes),
            common_suffix(before.text(), &bytes),
        );
        let edit = before.edit(&bytes, same).expect("one slice");
        let mut after = before.clone();
        assert_eq!(after.apply(edit), Some(3));
        assert_eq!(slice_lines(&after), slice_lines(&split(format, &text)));
        assert_eq!(after.spans, split(format, &text).spans);
        for (i, (old, new)) in before.slices.iter().zip(&after.slices).enumerate() {
            assert_eq!(Arc::ptr_eq(&old.json, &new.json), i != 3, "slice {i}");
        }
    }
}

#[test]
fn anchors_and_merge_keys_are_followed() {
    let text = "openapi: 3.0.0\nx-base: &base\n  a: 1\npaths:\n  /a:\n    get:\n      <<: *base\n      b: *base\n";
    let document = split(Format::Yaml, text);
    assert_eq!(document.problems, []);
    assert_eq!(
        slice_lines(&document)[2],
        "/paths/~1a/get {\"b\":{\"a\":1},\"a\":1}"
    );
}

#[test]
fn words_that_look_like_anchors_leave_edits_within_their_slice() {
    let words = [
        "https://example.com/search?q={query}{&page,per_page}",
        "https://example.com/a?b={b}&c={c}{&d}",
        "|\n        &lt;b&gt; and [&amp;]\n        - &nbsp;",
    ];
    for words in words {
        let text = format!(
            "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      description: {words}\n  /b:\n    get: {{}}\n"
        );
        let document = split(Format::Yaml, &text);
        assert!(document.is_incremental(), "{words}");
        assert!(slice_lines(&document)[1].contains("&"), "{words}");
    }
}

#[test]
fn repeated_keys_are_said_and_the_last_one_wins() {
    let json = r#"{"openapi":"3.0.0","paths":{"/a":{"get":{}},"/a":{"put":{"x":1,"x":2}}}}"#;
    let yaml =
        "openapi: 3.0.0\npaths:\n  /a:\n    get: {}\n  /a:\n    put:\n      x: 1\n      x: 2\n";
    for (format, text) in [(Format::Json, json), (Format::Yaml, yaml)] {
        let document = split(format, text);
        let codes: Vec<Code> = document
            .problems
            .iter()
            .map(|problem| problem.code)
            .collect();
        assert_eq!(
            codes,
            [Code::DuplicateKey, Code::DuplicateKey],
            "{format:?}"
        );
        assert_eq!(document.slices.len(), 2, "{:?}", slice_lines(&document));
        assert_eq!(&*document.slices[1].key, "/paths/~1a/put");
    }
}

#[test]
fn what_is_before_and_after_a_fault_is_kept() {
    let cut = split(Format::Json, &JSON[..200]);
    assert_eq!(cut.slices.len(), 6, "{:?}", slice_lines(&cut));
    assert_eq!(cut.problems[0].code, Code::InvalidJson);
    let inside = split(Format::Json, &JSON.replace("\"x\": 1", "\"x\": oops"));
    assert_eq!(inside.slices.len(), 8);
    let yaml = split(Format::Yaml, &YAML.replace("x: 1", "x: [1, 2"));
    assert_eq!(yaml.problems[0].code, Code::InvalidYaml);
    assert_eq!(yaml.slices.len(), 8, "{:?}", slice_lines(&yaml));
}

#[test]
fn fault_beside_anchors_keeps_the_blocks_that_have_none() {
    let text = "openapi: 3.1.0\nx-a: &a {b: 1}\nx-c: *a\npaths:\n  /a:\n    get: {summary: A}\n  /b:\n    get: {summary: [\n";
    let document = split(Format::Yaml, text);
    assert!(document.is_specification());
    assert_eq!(document.problems.len(), 1);
    assert_eq!(document.problems[0].code, Code::InvalidYaml);
    let shown = slice_lines(&document);
    assert!(
        shown.contains(&"/paths/~1a/get {\"summary\":\"A\"}".to_owned()),
        "{shown:?}"
    );
}

#[test]
fn extension_of_components_is_one_slice() {
    let yaml = "openapi: 3.1.0\ncomponents:\n  x-content:\n    application/json:\n      schema: {type: object}\n  schemas:\n    A: {type: string}\n";
    let json = r#"{"openapi":"3.1.0","components":{"x-content":{"application/json":{"schema":{"type":"object"}}},"schemas":{"A":{"type":"string"}}}}"#;
    for document in [split(Format::Yaml, yaml), split(Format::Json, json)] {
        let expected = [
            r#"/openapi "3.1.0""#,
            r#"/components/x-content {"application/json":{"schema":{"type":"object"}}}"#,
            r#"/components/schemas/A {"type":"string"}"#,
        ];
        assert_eq!(slice_lines(&document), expected);
    }
}

#[test]
fn keys_that_are_numbers_are_text() {
    let text = "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: ok}\n";
    let document = split(Format::Yaml, text);
    assert_eq!(
        slice_lines(&document)[1],
        "/paths/~1a/get {\"responses\":{\"200\":{\"description\":\"ok\"}}}"
    );
}

#[test]
fn lists_may_stand_as_far_out_as_their_key() {
    let text = "openapi: 3.0.0\ntags:\n- name: a\n- name: b\npaths: {}\n";
    let document = split(Format::Yaml, text);
    assert_eq!(
        slice_lines(&document),
        [
            "/openapi \"3.0.0\"",
            "/tags [{\"name\":\"a\"},{\"name\":\"b\"}]",
            "/paths {}"
        ]
    );
}

#[test]
fn windows_line_ends_and_byte_order_marks_do_not_matter() {
    let text = format!("\u{feff}{}", YAML.replace('\n', "\r\n"));
    assert_eq!(slice_lines(&split(Format::Yaml, &text)), KEYS);
    let text = format!("\u{feff}{}", JSON.replace('\n', "\r\n"));
    assert_eq!(split(Format::Json, &text).slices.len(), KEYS.len());
}

#[test]
fn long_keys_may_be_marked() {
    let text = "openapi: 3.0.0\npaths:\n  ? /a\n  : get: {x: 1}\n    put: {}\n  /b:\n    get: {}\n";
    let document = split(Format::Yaml, text);
    assert!(document.is_incremental());
    assert_eq!(
        slice_lines(&document)[1..],
        [
            "/paths/~1a/get {\"x\":1}",
            "/paths/~1a/put {}",
            "/paths/~1b/get {}"
        ]
    );
}
