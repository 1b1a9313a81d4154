//! Discriminators of bases: which components a base stands for, and the value that each of them has.

use openapi::endpoint::{Contents, Endpoint, Modelled};

use super::seen::{POST, request, row, sent, with};
use super::{both_ways, codes, model_page, outline, page};

/// Bases with subtypes: a mapping with the base itself, and three generations without a mapping.
const SHAPES: &str = "
Shape:
  type: object
  required: [kind]
  discriminator:
    propertyName: kind
    mapping: {plain: '#/components/schemas/Shape', disc: '#/components/schemas/Disc', box: '#/components/schemas/Box'}
  properties: {kind: {type: string}, area: {type: number}}
Disc: {allOf: [{$ref: '#/components/schemas/Shape'}, {type: object, properties: {radius: {type: number}}}]}
Box: {allOf: [{$ref: '#/components/schemas/Shape'}, {type: object, properties: {side: {type: number}}}]}
A: {type: object, required: [t], discriminator: {propertyName: t}, properties: {t: {type: string}, a: {type: string}}}
B: {allOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {b: {type: string}}}]}
C: {allOf: [{$ref: '#/components/schemas/B'}, {type: object, properties: {c: {type: string}}}]}
AliasOfA: {allOf: [{$ref: '#/components/schemas/A'}]}
OtherOfA: {$ref: '#/components/schemas/A', description: Another name}
D: {allOf: [{$ref: '#/components/schemas/AliasOfA'}, {type: object, properties: {d: {type: string}}}]}
Any: {oneOf: [{$ref: '#/components/schemas/Shape'}, {$ref: '#/components/schemas/Disc'}]}
";

fn shapes(schema: &str) -> Modelled<Endpoint> {
    with(SHAPES, schema)
}

fn refer(name: &str) -> String {
    format!("{{$ref: '#/components/schemas/{name}'}}")
}

/// The tabs of the first chooser.
fn tabs(contents: &Contents) -> Vec<&str> {
    let branches = contents.choosers.first().map(|chooser| &chooser.branches);
    let branches = branches.into_iter().flatten();
    branches.map(|branch| branch.label.as_str()).collect()
}

#[test]
fn base_is_a_choice_between_itself_and_all_generations() {
    let shown = shapes(&refer("Shape"));
    assert_eq!(
        outline(&request(&shown).contents),
        "kind string required\narea number\none of by kind\n| plain\n  kind \"plain\" required\n| disc\n  kind \"disc\" required\n  radius number\n| box\n  kind \"box\" required\n  side number\n"
    );
    assert_eq!(sent(&shown), r#"{"kind":"plain","area":1.5}"#);
    let generations = shapes(&refer("A"));
    assert_eq!(tabs(&request(&generations).contents), ["B", "C", "D"]);
    assert_eq!(sent(&generations), r#"{"t":"B","a":"string","b":"string"}"#);
}

#[test]
fn base_behind_a_wrapper_is_the_same_choice() {
    let base = refer("A");
    for (wrapped, label) in [
        (format!("{{allOf: [{base}]}}"), "A"),
        (format!("{{allOf: [{base}], description: d}}"), "A"),
        (format!("{{anyOf: [{base}, {{type: 'null'}}]}}"), "A | null"),
        (format!("{{oneOf: [{base}, {{type: 'null'}}]}}"), "A | null"),
        (
            format!("{{oneOf: [{{type: 'null'}}, {base}], description: d}}"),
            "A | null",
        ),
        (format!("{{oneOf: [{base}]}}"), "A"),
        (
            "{$ref: '#/components/schemas/A', description: d}".to_owned(),
            "A",
        ),
        (refer("AliasOfA"), "AliasOfA"),
        (refer("OtherOfA"), "OtherOfA"),
        (
            format!("{{type: array, items: {{anyOf: [{base}, {{type: 'null'}}]}}}}"),
            "(A | null)[]",
        ),
        (
            format!("{{type: object, additionalProperties: {{allOf: [{base}]}}}}"),
            "map<string, A>",
        ),
    ] {
        let shown = shapes(&format!("{{type: object, properties: {{v: {wrapped}}}}}"));
        let v = row(&request(&shown).contents, "v");
        assert_eq!(v.view.label.plain(), label, "{wrapped}");
        let contents = match v.view.contents.rows.first() {
            Some(key) if key.name.text().starts_with('[') => &key.view.contents,
            _ => &v.view.contents,
        };
        assert_eq!(tabs(contents), ["B", "C", "D"], "{wrapped}");
        assert!(
            sent(&shown).contains(r#"{"t":"B","a":"string","b":"string"}"#),
            "{wrapped}: {}",
            sent(&shown)
        );
    }
    // With keywords beside it the base is no component any more, and the same choice.
    for wrapped in [
        format!("{{allOf: [{base}], required: [a]}}"),
        format!("{{allOf: [{base}, {{required: [a]}}]}}"),
        format!("{{allOf: [{base}, {{type: object, properties: {{x: {{type: string}}}}}}]}}"),
        format!("{{allOf: [{base}], properties: {{t: {{description: d}}}}}}"),
        format!("{{allOf: [{{allOf: [{base}], required: [a]}}], description: d}}"),
        format!("{{allOf: [{}, {{required: [a]}}]}}", refer("AliasOfA")),
        format!("{{anyOf: [{{allOf: [{base}], required: [a]}}, {{type: 'null'}}]}}"),
    ] {
        let shown = shapes(&format!("{{type: object, properties: {{v: {wrapped}}}}}"));
        let v = row(&request(&shown).contents, "v");
        assert_eq!(tabs(&v.view.contents), ["B", "C", "D"], "{wrapped}");
        let sent = sent(&shown);
        assert!(
            sent.contains(r#""t":"B""#) && sent.contains(r#""b":"string""#),
            "{wrapped}: {sent}"
        );
    }
    // What gives the deciding property its value is one of them.
    let chosen = format!("{{allOf: [{base}, {{properties: {{t: {{const: C}}}}}}]}}");
    let shown = shapes(&format!("{{type: object, properties: {{v: {chosen}}}}}"));
    let v = row(&request(&shown).contents, "v");
    assert_eq!(tabs(&v.view.contents), Vec::<&str>::new());
    for wrapped in [
        format!("{{nullable: true, allOf: [{base}]}}"),
        format!("{{nullable: true, type: object, allOf: [{base}]}}"),
        format!("{{nullable: true, oneOf: [{base}]}}"),
        format!("{{anyOf: [{base}, {{nullable: true}}]}}"),
    ] {
        let schema = format!("{{type: object, properties: {{v: {wrapped}}}}}");
        let schemas = SHAPES.replace(
            "OtherOfA: {$ref: '#/components/schemas/A', description: Another name}",
            "",
        );
        let shown = page(&both_ways("3.0.3", &schemas, &schema), POST);
        let v = row(&request(&shown).contents, "v");
        assert_eq!(v.view.label.plain(), "A | null", "{wrapped}");
        assert_eq!(tabs(&v.view.contents), ["B", "C", "D"], "{wrapped}");
        assert!(
            sent(&shown).contains(r#""t":"B""#),
            "{wrapped}: {}",
            sent(&shown)
        );
    }
}

#[test]
fn subtype_alone_has_the_value_that_chooses_it() {
    for (schema, name, outlined, sample) in [
        (
            refer("Disc"),
            "kind",
            "\"disc\"",
            r#"{"kind":"disc","area":1.5,"radius":1.5}"#,
        ),
        (
            refer("C"),
            "t",
            "\"C\"",
            r#"{"t":"C","a":"string","b":"string","c":"string"}"#,
        ),
        (
            refer("B"),
            "t",
            "\"B\"",
            r#"{"t":"B","a":"string","b":"string"}"#,
        ),
        (
            refer("D"),
            "t",
            "\"D\"",
            r#"{"t":"D","a":"string","d":"string"}"#,
        ),
        (
            format!("{{type: array, items: {}}}", refer("Disc")),
            "kind",
            "\"disc\"",
            r#"[{"kind":"disc","area":1.5,"radius":1.5}]"#,
        ),
        (
            format!("{{anyOf: [{}, {{type: 'null'}}]}}", refer("Disc")),
            "kind",
            "\"disc\"",
            r#"{"kind":"disc","area":1.5,"radius":1.5}"#,
        ),
    ] {
        let shown = shapes(&schema);
        let kind = row(&request(&shown).contents, name);
        assert_eq!(kind.view.label.plain(), outlined, "{schema}");
        assert_eq!(sent(&shown), sample, "{schema}");
        assert_eq!(codes(&shown), <[&str; 0]>::default());
    }
    let model = model_page(&both_ways("3.1.0", SHAPES, "{}"), "Box");
    let kind = row(&model.value.root.view.contents, "kind");
    assert_eq!(kind.view.label.plain(), "\"box\"");
}

#[test]
fn union_of_subtypes_tells_them_apart() {
    let shown = shapes(&format!("{{oneOf: [{}, {}]}}", refer("Disc"), refer("Box")));
    assert_eq!(
        outline(&request(&shown).contents),
        "one of\n| Disc\n  kind \"disc\" required\n  area number\n  radius number\n| Box\n  kind \"box\" required\n  area number\n  side number\n"
    );
    assert_eq!(sent(&shown), r#"{"kind":"disc","area":1.5,"radius":1.5}"#);
    assert_eq!(codes(&shown), <[&str; 0]>::default());
}

#[test]
fn base_beside_its_subtypes_offers_only_the_others() {
    let shown = shapes(&refer("Any"));
    assert_eq!(
        outline(&request(&shown).contents),
        "one of\n| Shape\n  kind string required\n  area number\n  one of by kind\n  | plain\n    kind \"plain\" required\n  | box\n    kind \"box\" required\n    side number\n| Disc\n  kind \"disc\" required\n  area number\n  radius number\n"
    );
    let all = format!(
        "{{oneOf: [{}, {}, {}]}}",
        refer("Shape"),
        refer("Disc"),
        refer("Box")
    );
    let shown = shapes(&all);
    assert_eq!(tabs(&request(&shown).contents), ["Shape", "Disc", "Box"]);
    let first = &request(&shown).contents.choosers[0].branches[0]
        .view
        .contents;
    assert_eq!(tabs(first), <[&str; 0]>::default());
    assert_eq!(row(first, "kind").view.label.plain(), "\"plain\"");
}

/// An enumeration, a constant or an example of the author's says more than the name of a component.
#[test]
fn values_that_the_author_writes_are_kept() {
    let of = |kind: &str| {
        let schemas = format!(
            "Base: {{type: object, discriminator: {{propertyName: kind}}, properties: {{kind: {kind}}}}}\nLeaf: {{allOf: [{}, {{type: object, properties: {{n: {{type: integer}}}}}}]}}",
            refer("Base")
        );
        let shown = with(&schemas, &refer("Leaf"));
        row(&request(&shown).contents, "kind").view.label.plain()
    };
    assert_eq!(of("{type: string}"), "\"Leaf\"");
    assert_eq!(of("{type: string, enum: [Leaf, Other]}"), "\"Leaf\"");
    assert_eq!(of("{type: string, enum: [leaf, other]}"), "enum<string>");
    assert_eq!(of("{type: string, example: leaf}"), "string");
    assert_eq!(of("{type: integer}"), "integer");
}

#[test]
fn generations_that_lead_to_themselves_end() {
    let schemas = "
A: {type: object, discriminator: {propertyName: t}, properties: {t: {$ref: '#/components/schemas/B'}, next: {$ref: '#/components/schemas/A'}}, allOf: [{$ref: '#/components/schemas/C'}]}
B: {allOf: [{$ref: '#/components/schemas/A'}, {properties: {b: {$ref: '#/components/schemas/C'}}}]}
C: {allOf: [{$ref: '#/components/schemas/B'}, {properties: {c: {type: string}}}]}
";
    for name in ["A", "B", "C"] {
        let shown = with(schemas, &refer(name));
        assert!(!outline(&request(&shown).contents).is_empty(), "{name}");
    }
}

/// A base, and two generations that extend it by `first` and `second`.
fn generations(base: &str, first: &str, child: &str, second: &str) -> String {
    format!(
        "{{
A: {{{base} type: object, required: [t], discriminator: {{propertyName: t}}, properties: {{t: {{type: string}}, a: {{type: string}}}}}},
B: {{{child} allOf: [{{$ref: '{first}'}}, {{type: object, properties: {{b: {{type: string}}}}}}]}},
C: {{allOf: [{{$ref: '{second}'}}, {{type: object, properties: {{c: {{type: string}}}}}}]}}}}"
    )
}

/// Ways to name the base and its child: `$id`, `$anchor`, relative and whole.
const NAMES: &[[&str; 4]] = &[
    ["", "#/components/schemas/A", "", "#/components/schemas/B"],
    [
        "$id: 'https://x.example/a',",
        "https://x.example/a",
        "",
        "#/components/schemas/B",
    ],
    [
        "$id: 'https://x.example/a',",
        "https://x.example/a#",
        "",
        "#/components/schemas/B",
    ],
    ["$id: 'urn:x:a',", "urn:x:a", "$id: 'urn:x:b',", "urn:x:b"],
    ["$id: a.json,", "a.json", "$id: b.json,", "b.json"],
    ["$id: a.json,", "./a.json", "$id: b.json,", "./b.json"],
    [
        "$id: 'https://x.example/s/a',",
        "a",
        "$id: 'https://x.example/s/b',",
        "https://x.example/s/b",
    ],
    [
        "$id: 'https://x.example/s/a',",
        "/s/a",
        "$id: 'https://x.example/t/b',",
        "https://x.example/t/b",
    ],
    [
        "$id: 'https://x.example/s/a',",
        "../s/a",
        "$id: 'https://x.example/t/b',",
        "https://x.example/t/b",
    ],
    ["$anchor: base,", "#base", "$anchor: child,", "#child"],
    [
        "$id: 'https://x.example/a', $anchor: base,",
        "https://x.example/a#base",
        "",
        "#/components/schemas/B",
    ],
    [
        "",
        "#/components/schemas/A",
        "$id: 'https://x.example/b',",
        "https://x.example/b",
    ],
    [
        "",
        "api.yaml#/components/schemas/A",
        "",
        "api.yaml#/components/schemas/B",
    ],
];

#[test]
fn base_is_the_same_by_whatever_name_its_children_call_it() {
    let mut pages = std::collections::BTreeSet::new();
    for [base, first, child, second] in NAMES {
        let schemas = generations(base, first, child, second);
        let shown = {
            let mut document = both_ways("3.1.0", &schemas, &refer("A"));
            document.base = "https://docs.example/api.yaml".to_owned();
            page(&document, POST)
        };
        assert_eq!(tabs(&request(&shown).contents), ["B", "C"], "{first}");
        assert_eq!(
            sent(&shown),
            r#"{"t":"B","a":"string","b":"string"}"#,
            "{first}"
        );
        assert_eq!(codes(&shown), [""; 0], "{first}");
        let text = format!(
            "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths:\n  /p:\n    post:\n      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/A'}}}}}}}}\n      responses: {{'200': {{description: ok}}}}\ncomponents:\n  schemas: {}\n",
            schemas.replace('\n', "\n    ")
        );
        pages.insert(super::spelling::pages("api.yaml", &text)["/api-reference/post-p"].clone());
    }
    assert_eq!(pages.len(), 1);
}
