//! What is said of parts of schemas that have no row of their own: items, branches of unions of scalars, `null`, schemas
//! that are referred to.

use openapi::endpoint::{Annotation, View};

use super::authored::drawn;
use super::seen::{POST, chips, request, response, row, schema, schema30, sent, with};
use super::{codes, page, plain};

/// Annotations as lines: subject, title, description, default, examples.
fn told(view: &View) -> Vec<String> {
    let line = |one: &Annotation| {
        let mut words = Vec::new();
        words.extend(one.subject.clone());
        words.extend(one.title.clone());
        words.push(one.description.clone());
        words.extend(one.is_deprecated.then(|| "deprecated".to_owned()));
        words.extend(one.default.iter().map(|value| format!("default {value}")));
        words.extend(one.examples.iter().map(|value| format!("example {value}")));
        words.retain(|word| !word.is_empty());
        words.join(" ")
    };
    view.annotations.iter().map(line).collect()
}

#[track_caller]
fn check_items(items: &str, constraints: &[&str], words: &[&str]) {
    let shown = schema(&format!(
        "{{type: object, properties: {{v: {{type: array, items: {items}}}}}}}"
    ));
    for view in [request(&shown), response(&shown)] {
        let v = row(&view.contents, "v");
        assert_eq!(chips(&v.view), constraints, "{items}");
        assert_eq!(told(&v.view), words, "{items}");
    }
}

#[test]
fn array_says_what_its_items_are() {
    check_items(
        "{type: string, maxLength: 5, pattern: ^a}",
        &["each: ≤ 5 characters, matches ^a"],
        &[],
    );
    check_items("{type: integer, minimum: 3}", &["each: ≥ 3"], &[]);
    check_items(
        "{type: number, multipleOf: 0.5, maximum: 9}",
        &["each: ≤ 9, multiple of 0.5"],
        &[],
    );
    check_items(
        "{type: string, description: An item, default: abc, examples: [x, y], deprecated: true}",
        &[],
        &["each: An item deprecated default abc example x example y"],
    );
    check_items(
        "{type: array, minItems: 2, uniqueItems: true, description: A pair, items: {type: string, maxLength: 3, description: A half}}",
        &["each: ≥ 2 items, unique items, each: ≤ 3 characters"],
        &["each: A pair", "each: A half"],
    );
    check_items(
        "{anyOf: [{type: string, minLength: 2, description: A name}, {type: integer, description: An id}]}",
        &["each: ≥ 2 characters or integer"],
        &["string A name", "integer An id"],
    );
    check_items(
        "{type: [string, 'null'], maxLength: 5}",
        &["each: ≤ 5 characters"],
        &[],
    );
    // An object is described where its rows are.
    check_items(
        "{type: object, description: A thing, minProperties: 1, properties: {a: {type: string}}}",
        &["each: ≥ 1 properties"],
        &["each: A thing"],
    );
}

#[test]
fn parameters_and_headers_say_what_their_items_are() {
    let document = plain(
        "
paths:
  /p:
    post:
      parameters: [{name: ids, in: query, schema: {type: array, items: {$ref: '#/components/schemas/Code'}}}]
      responses:
        '200':
          description: ok
          headers: {X-Ids: {schema: {type: array, items: {type: integer, maximum: 7, description: A number}}}}
components: {schemas: {Code: {type: string, minLength: 2, maxLength: 2, description: Two letters}}}
",
    );
    let page = page(&document, POST);
    let ids = &page.value.parameters[0].rows[0].view;
    assert_eq!(chips(ids)[0], "each: exactly 2 characters");
    assert_eq!(told(ids), ["each: Two letters"]);
    let header = &page.value.responses[0].headers[0].view;
    assert_eq!(chips(header)[0], "each: ≤ 7");
    assert_eq!(told(header), ["each: A number"]);
    let html = drawn(&page);
    assert!(
        html.contains("Two letters") && html.contains("exactly 2 characters"),
        "{html}"
    );
}

#[test]
fn words_of_every_branch_are_told() {
    let of = |text: &str| {
        let components = "S: {type: object, description: of S, properties: {q: {type: string}}}";
        let shown = with(
            components,
            &format!("{{type: object, properties: {{v: {text}}}}}"),
        );
        let v = row(&request(&shown).contents, "v").clone();
        (v.description.clone(), told(&v.view))
    };
    let lines = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("{anyOf: [{type: string}, {type: 'null', title: Unknown, description: of null}]}"),
        (String::new(), lines(&["null Unknown of null"]))
    );
    assert_eq!(
        of(
            "{description: outer, anyOf: [{type: string, description: inner}, {type: 'null', description: of null}]}"
        ),
        ("outer".to_owned(), lines(&["inner", "null of null"]))
    );
    assert_eq!(
        of("{anyOf: [{$ref: '#/components/schemas/S'}, {type: 'null', title: Gone}]}"),
        ("of S".to_owned(), lines(&["null Gone"]))
    );
    assert_eq!(
        of(
            "{oneOf: [{type: integer, title: Int}, {type: string, title: Str}, {const: null, description: of null}]}"
        ),
        (
            String::new(),
            lines(&["integer Int", "string Str", "null of null"])
        )
    );
    assert_eq!(
        of("{description: Billing address, $ref: '#/components/schemas/S'}"),
        ("Billing address".to_owned(), lines(&["of S"]))
    );
    // A text that holds the other says it.
    assert_eq!(
        of("{description: It is of S., allOf: [{$ref: '#/components/schemas/S'}]}"),
        ("It is of S.".to_owned(), lines(&[]))
    );
}

/// `null` as a component, and within a union of a union.
#[test]
fn null_is_said_wherever_it_stands() {
    let components = "JustNull: {type: 'null'}\nGone: {type: 'null', description: of gone}\nAlias: {$ref: '#/components/schemas/JustNull'}\nConst: {const: null}\nSpot: {type: object, properties: {x: {type: integer}}}\nOther: {type: object, properties: {y: {type: integer}}}";
    let to = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    for (text, label, said) in [
        (format!("{{anyOf: [{}, {}]}}", to("Spot"), to("JustNull")), "Spot | null", ""),
        (format!("{{oneOf: [{}, {}]}}", to("Alias"), to("Spot")), "Spot | null", ""),
        (format!("{{anyOf: [{}, {}]}}", to("Spot"), to("Const")), "Spot | null", ""),
        (format!("{{anyOf: [{{type: string}}, {}]}}", to("JustNull")), "string | null", ""),
        (
            format!("{{anyOf: [{}, {}, {}]}}", to("Spot"), to("Gone"), to("Other")),
            "Spot | Other | null",
            "of gone",
        ),
        (format!("{{anyOf: [{}]}}", to("JustNull")), "null", ""),
        (
            "{anyOf: [{anyOf: [{type: string}, {type: boolean}, {type: 'null', description: of null}]}, {type: integer}]}".to_owned(),
            "string | boolean | integer | null",
            "of null",
        ),
        (
            "{anyOf: [{anyOf: [{type: string}, {type: 'null', description: of null}]}, {type: integer}]}".to_owned(),
            "string | null | integer",
            "of null",
        ),
        (
            format!("{{anyOf: [{{anyOf: [{}, {{type: 'null', description: of null}}]}}, {}]}}", to("Spot"), to("Other")),
            "Spot | null | Other",
            "of null",
        ),
        (
            format!("{{anyOf: [{{anyOf: [{}, {}, {{type: 'null', description: of null}}]}}, {{type: string}}]}}", to("Spot"), to("Other")),
            "Spot | Other | string | null",
            "of null",
        ),
    ] {
        let schema = format!("{{type: object, properties: {{v: {text}}}}}");
        let shown = page(&super::both_ways("3.1.0", components, &schema), POST);
        let v = row(&request(&shown).contents, "v");
        assert_eq!(v.view.label.plain(), label, "{text}");
        let all = format!("{:?}", v.view);
        assert_eq!(all.contains("description: \"of "), !said.is_empty(), "{text}");
        assert!(all.contains(said), "{text}");
        assert!(!all.contains("label: \"null\""), "{text}");
        assert_eq!(codes(&shown), <[&str; 0]>::default(), "{text}");
    }
}

#[test]
fn constants_keep_the_words_of_null() {
    let shown = schema(
        "{type: object, properties: {v: {oneOf: [{const: x, title: X, description: of x}, {const: 'y'}, {const: null, title: None, description: of null}]}}}",
    );
    let values = &row(&request(&shown).contents, "v").view.values;
    let listed = values.iter().map(|value| {
        (
            value.text.as_str(),
            value.name.as_deref().unwrap_or_default(),
            value.description.as_str(),
        )
    });
    assert_eq!(
        listed.collect::<Vec<_>>(),
        [
            ("x", "X", "of x"),
            ("y", "", ""),
            ("null", "None", "of null")
        ]
    );
}

#[test]
fn nullable_beside_a_composition_is_nullable() {
    let components = "Spot: {type: object, properties: {x: {type: integer}}}\nOther: {type: object, properties: {y: {type: integer}}}\nTone: {type: string, enum: [low, high]}\nCode: {type: string}";
    let spot = "{$ref: '#/components/schemas/Spot'}";
    for (text, label) in [
        (
            format!("{{nullable: true, allOf: [{spot}]}}"),
            "Spot | null",
        ),
        (
            format!("{{type: object, nullable: true, allOf: [{spot}]}}"),
            "Spot | null",
        ),
        (
            format!("{{type: object, nullable: true, anyOf: [{spot}]}}"),
            "Spot | null",
        ),
        (
            format!("{{type: object, nullable: true, oneOf: [{spot}]}}"),
            "Spot | null",
        ),
        (
            format!("{{anyOf: [{spot}, {{nullable: true}}]}}"),
            "Spot | null",
        ),
        (
            format!("{{oneOf: [{{nullable: true, description: none}}, {spot}]}}"),
            "Spot | null",
        ),
        (
            format!(
                "{{type: object, nullable: true, allOf: [{spot}, {{properties: {{n: {{type: string}}}}}}]}}"
            ),
            "object | null",
        ),
        (
            format!(
                "{{type: object, nullable: true, oneOf: [{spot}, {{$ref: '#/components/schemas/Other'}}]}}"
            ),
            "Spot | Other | null",
        ),
        (
            "{type: string, nullable: true, allOf: [{$ref: '#/components/schemas/Tone'}]}"
                .to_owned(),
            "enum<string> | null",
        ),
        (
            "{type: string, nullable: true, allOf: [{$ref: '#/components/schemas/Code'}]}"
                .to_owned(),
            "string | null",
        ),
    ] {
        let schema = format!("{{type: object, properties: {{v: {text}}}}}");
        let shown = page(&super::both_ways("3.0.3", components, &schema), POST);
        assert_eq!(
            row(&request(&shown).contents, "v").view.label.plain(),
            label,
            "{text}"
        );
    }
}

#[test]
fn object_without_other_properties_says_so() {
    let of = |rest: &str| {
        let shown = schema(&format!(
            "{{type: object, properties: {{v: {{type: object, properties: {{a: {{type: string}}}}{rest}}}}}}}"
        ));
        chips(&row(&request(&shown).contents, "v").view)
    };
    assert_eq!(of(", additionalProperties: false"), ["no other properties"]);
    assert_eq!(
        of(", unevaluatedProperties: false"),
        ["no other properties"]
    );
    assert_eq!(of(", additionalProperties: true"), <[&str; 0]>::default());
    assert_eq!(of(""), <[&str; 0]>::default());
}

#[test]
fn open_enumeration_offers_its_values() {
    let shown = schema30(
        "{type: object, properties: {v: {anyOf: [{type: string}, {type: string, enum: [a, b]}]}}}",
    );
    let v = row(&request(&shown).contents, "v");
    let values: Vec<&str> = v
        .view
        .values
        .iter()
        .map(|value| value.text.as_str())
        .collect();
    assert_eq!(values, ["a", "b"]);
    assert_eq!(sent(&shown), r#"{"v":"a"}"#);
}

#[test]
fn items_are_told_in_arrays_of_arrays_and_beside_other_types() {
    let values =
        |view: &View| -> Vec<String> { view.values.iter().map(|one| one.text.clone()).collect() };
    for (shape, constraints, listed) in [
        (
            "{type: array, items: {type: array, items: {type: string, enum: [a, b]}}}",
            &[][..],
            &["a", "b"][..],
        ),
        (
            "{type: array, items: {type: array, items: {type: array, items: {enum: [1, 2]}}}}",
            &[],
            &["1", "2"],
        ),
        (
            "{type: [array, string], items: {type: string, maxLength: 5}}",
            &["each: ≤ 5 characters"],
            &[],
        ),
        (
            "{type: [array, 'null', integer], items: {type: string, enum: [a, b]}}",
            &[],
            &["a", "b"],
        ),
        (
            "{items: {type: string, pattern: ^a}}",
            &["each: matches ^a"],
            &[],
        ),
        (
            "{type: array, items: {type: [array, string], items: {type: integer, minimum: 3}}}",
            &["each: each: ≥ 3"],
            &[],
        ),
    ] {
        let shown = schema(&format!("{{type: object, properties: {{v: {shape}}}}}"));
        for view in [request(&shown), response(&shown)] {
            let v = row(&view.contents, "v");
            assert_eq!(chips(&v.view), constraints, "{shape}");
            assert_eq!(values(&v.view), listed, "{shape}");
        }
    }
    let shown = schema(
        "{type: object, properties: {v: {type: [array, string], items: {type: string, description: An item}}}}",
    );
    assert_eq!(
        told(&row(&request(&shown).contents, "v").view),
        ["each: An item"]
    );
}

/// The tabs of the first chooser, each with its rows and chips.
fn tabs(view: &View) -> Vec<String> {
    let branches = view.contents.choosers.iter().flat_map(|one| &one.branches);
    let line = |one: &openapi::endpoint::Branch| {
        let rows = one.view.contents.rows.iter();
        let rows: Vec<String> = rows.map(|row| row.name.text().to_owned()).collect();
        format!("{} [{}] {:?}", one.label, rows.join(" "), chips(&one.view))
    };
    branches.map(line).collect()
}

#[test]
fn branch_of_required_names_says_them_and_repeats_no_row() {
    let fields = "type: object, properties: {serial: {type: string}, nick: {type: string}}";
    for (union, expected) in [
        (
            "oneOf: [{required: [serial]}, {required: [nick]}]",
            &["serial required [] []", "nick required [] []"][..],
        ),
        (
            "anyOf: [{required: [serial, nick]}, {required: [nick]}]",
            &["serial, nick required [] []", "nick required [] []"],
        ),
        (
            "oneOf: [{type: object, required: [serial]}, {required: [nick]}]",
            &["serial required [] []", "nick required [] []"],
        ),
        (
            "oneOf: [{title: By serial, required: [serial]}, {required: [nick]}]",
            &["By serial [] [\"required serial\"]", "nick required [] []"],
        ),
        (
            "oneOf: [{required: [serial], not: {required: [nick]}}, {required: [nick]}]",
            &[
                "serial required [] [\"not: required nick\"]",
                "nick required [] []",
            ],
        ),
        // What nothing describes has a row.
        (
            "anyOf: [{required: [serial]}, {required: [other]}]",
            &["serial required [] []", "other required [other] []"],
        ),
        // What a branch describes stands in it.
        (
            "oneOf: [{required: [serial], properties: {serial: {minLength: 3}}}, {required: [nick]}]",
            &["Option 1 [serial] []", "nick required [] []"],
        ),
    ] {
        let shown = schema(&format!("{{{fields}, {union}}}"));
        for view in [request(&shown), response(&shown)] {
            assert_eq!(tabs(view), expected, "{union}");
        }
    }
    let behind = schema(&format!(
        "{{allOf: [{{{fields}}}, {{oneOf: [{{required: [serial]}}, {{required: [nick]}}]}}]}}"
    ));
    let tabs = tabs(request(&behind));
    assert_eq!(tabs, ["serial required [] []", "nick required [] []"]);
}

#[test]
fn negated_union_of_required_names_says_them() {
    for (negated, expected) in [
        (
            "{anyOf: [{required: [a]}, {required: [b]}]}",
            "not: required a or required b",
        ),
        ("{required: [a, b]}", "not: required a, b"),
        (
            "{oneOf: [{required: [a]}, {type: string}]}",
            "not: object | string",
        ),
    ] {
        let shown = schema(&format!(
            "{{type: object, properties: {{a: {{type: string}}, b: {{type: string}}}}, not: {negated}}}"
        ));
        assert_eq!(chips(request(&shown)), [expected], "{negated}");
    }
}
