//! Values of authors in samples: before generated ones, also where their schemas do not allow them.

use openapi::endpoint::{Endpoint, Modelled};

use super::seen::{POST, chips, request, response, returned, row, schema, sent, with};
use super::{codes, page, plain};

/// The page of a request and a response with a property `v` of this schema, as a document in YAML has it.
fn both(text: &str) -> Modelled<Endpoint> {
    let document = plain(&format!(
        "
openapi: 3.0.3
paths:
  /p:
    post:
      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/V'}}}}}}}}
      responses: {{'200': {{description: ok, content: {{application/json: {{schema: {{$ref: '#/components/schemas/V'}}}}}}}}}}
components:
  schemas:
    V:
      type: object
      properties:
        v: {text}
        w: {{type: string, example: kept}}
"
    ));
    page(&document, POST)
}

/// The sample of a property `v` of this schema beside a valid one, and what is reported.
#[track_caller]
fn check_example(text: &str, value: &str, reported: &[&str]) {
    let shown = both(text);
    let expected = format!(r#"{{"v":{value},"w":"kept"}}"#);
    assert_eq!(sent(&shown), expected, "{text}");
    assert_eq!(returned(&shown), expected, "{text}");
    assert_eq!(codes(&shown), reported, "{text}");
}

#[test]
fn example_of_another_type_is_the_text_it_is() {
    let mismatch = &["example-mismatch"];
    check_example("{type: string, example: 12345}", r#""12345""#, mismatch);
    check_example("{type: string, example: 1.10}", r#""1.10""#, mismatch);
    check_example("{type: string, example: true}", r#""true""#, mismatch);
    check_example(
        "{type: string, format: date, example: 20240101}",
        r#""20240101""#,
        mismatch,
    );
    check_example(
        "{type: string, nullable: true, example: 7}",
        r#""7""#,
        mismatch,
    );
    check_example(
        "{type: array, items: {type: string}, example: [1, 2]}",
        r#"["1","2"]"#,
        mismatch,
    );
    check_example(
        "{type: object, properties: {a: {type: string}}, example: {a: 1}}",
        r#"{"a":"1"}"#,
        mismatch,
    );
    check_example(
        "{type: array, items: {type: string}, example: 'a,b'}",
        r#""a,b""#,
        mismatch,
    );
    check_example(
        "{type: string, enum: [a, b], example: c}",
        r#""c""#,
        mismatch,
    );
    check_example(
        "{type: string, pattern: '^[A-Z]+$', example: abc}",
        r#""abc""#,
        mismatch,
    );
    check_example(
        "{type: string, minLength: 5, example: abc}",
        r#""abc""#,
        mismatch,
    );
    check_example("{type: integer, maximum: 5, example: 9}", "9", mismatch);
    check_example("{type: string, example: null}", "null", mismatch);
    check_example("{type: string, example: +49301234}", r#""+49301234""#, &[]);
    check_example("{type: string, example: 0x1F}", r#""0x1F""#, &[]);
    check_example("{type: integer, example: 0x1F}", "31", &[]);
    check_example("{type: integer, example: +5}", "5", &[]);
    check_example("{allOf: [{type: string, example: 5}]}", r#""5""#, mismatch);
    // What a text says as JSON it is.
    check_example("{type: integer, example: '42'}", "42", &[]);
    check_example("{type: boolean, example: 'true'}", "true", &[]);
    check_example("{type: number, example: '1.5'}", "1.5", &[]);
    check_example("{type: string, example: right}", r#""right""#, &[]);
}

#[test]
fn default_of_another_type_is_the_text_it_is() {
    check_example("{type: string, default: 12345}", r#""12345""#, &[]);
    check_example(
        "{type: string, maxLength: 3, default: longer}",
        r#""longer""#,
        &[],
    );
    check_example("{type: string, format: uuid, default: ''}", r#""""#, &[]);
    check_example(
        "{type: string, minLength: 2, default: ''}",
        r#""string""#,
        &[],
    );
    check_example("{type: string, enum: [a, b], default: c}", r#""a""#, &[]);
}

#[test]
fn members_around_an_invalid_example_stay() {
    let shown = schema(
        "{type: object, required: [id], properties: {id: {type: integer, minimum: 1, examples: [0]}, list: {type: array, items: {type: object, properties: {zip: {type: string, examples: [123]}, n: {type: integer}}}}}}",
    );
    assert_eq!(sent(&shown), r#"{"id":0,"list":[{"zip":"123","n":1}]}"#);
    assert_eq!(codes(&shown), ["example-mismatch"]);
}

#[test]
fn optional_union_stays_in_the_sample() {
    let choice = "oneOf: [{type: object, properties: {c: {type: string}}}, {type: object, properties: {d: {type: string}}}]";
    let shown = schema(&format!(
        "{{type: object, required: [id], properties: {{id: {{type: string}}, opt: {{{choice}}}, list: {{type: array, items: {{{choice}}}}}, nul: {{anyOf: [{{{choice}}}, {{type: 'null'}}]}}}}}}"
    ));
    assert_eq!(
        sent(&shown),
        r#"{"id":"string","opt":{"c":"string"},"list":[{"c":"string"}],"nul":{"c":"string"}}"#
    );
    assert_eq!(codes(&shown), ["sample-unverified"]);
    let dates = schema(
        "{type: object, properties: {when: {oneOf: [{type: string, format: date}, {type: string, format: date-time}]}, x: {type: string}}}",
    );
    assert_eq!(sent(&dates), r#"{"when":"2025-01-15","x":"string"}"#);
    // A tuple holds one too.
    let tuple = schema(&format!(
        "{{type: object, properties: {{t: {{type: array, prefixItems: [{{type: integer}}, {{{choice}}}]}}}}}}"
    ));
    assert_eq!(sent(&tuple), r#"{"t":[1,{"c":"string"}]}"#);
}

#[test]
fn formats_keep_their_limits() {
    let of = |text: &str| {
        sent(&schema(&format!(
            "{{type: object, properties: {{v: {text}}}}}"
        )))
    };
    assert_eq!(
        of("{type: string, format: email, maxLength: 10}"),
        r#"{"v":"a@b.co"}"#
    );
    assert_eq!(
        of("{type: string, format: hostname, maxLength: 6}"),
        r#"{"v":"a.co"}"#
    );
    assert_eq!(
        of("{type: string, format: uri, maxLength: 12}"),
        r#"{"v":"https://a.co"}"#
    );
    assert_eq!(
        of("{type: string, format: email, minLength: 20}"),
        r#"{"v":"aaaaaaaa@example.com"}"#
    );
    assert_eq!(
        of("{type: string, format: uri, minLength: 25}"),
        r#"{"v":"https://example.com/aaaaa"}"#
    );
    assert_eq!(
        of("{type: string, format: email}"),
        r#"{"v":"user@example.com"}"#
    );
}

#[test]
fn row_shows_the_example_as_it_is_written() {
    let shown = both("{type: string, example: 1.10}");
    assert_eq!(row(&request(&shown).contents, "v").view.examples, ["1.10"]);
    let shown = both("{type: string, example: 0x1F}");
    assert_eq!(row(&request(&shown).contents, "v").view.examples, ["0x1F"]);
}

/// A user in what is sent and what is returned: `id` only comes back, `pw` is only sent.
const USER: &str = "{type: object, properties: {id: {type: integer, readOnly: true}, pw: {type: string, writeOnly: true}, n: {type: string}}}";

#[test]
fn authored_values_are_without_what_the_direction_hides() {
    let whole = "{id: 1, pw: p, n: a}";
    for (shape, sent_value, returned_value) in [
        (
            format!("{{type: object, additionalProperties: {USER}, example: {{k: {whole}}}}}"),
            r#"{"k":{"pw":"p","n":"a"}}"#,
            r#"{"k":{"id":1,"n":"a"}}"#,
        ),
        (
            format!(
                "{{type: object, patternProperties: {{'^k': {USER}}}, example: {{k: {whole}}}}}"
            ),
            r#"{"k":{"pw":"p","n":"a"}}"#,
            r#"{"k":{"id":1,"n":"a"}}"#,
        ),
        (
            format!(
                "{{type: array, prefixItems: [{USER}], items: {{type: string}}, example: [{whole}, x]}}"
            ),
            r#"[{"pw":"p","n":"a"},"x"]"#,
            r#"[{"id":1,"n":"a"},"x"]"#,
        ),
        (
            USER.replacen(
                "type: object",
                &format!("type: object, default: {whole}"),
                1,
            ),
            r#"{"pw":"p","n":"a"}"#,
            r#"{"id":1,"n":"a"}"#,
        ),
        (
            format!("{{type: array, items: {USER}, default: [{whole}]}}"),
            r#"[{"pw":"p","n":"a"}]"#,
            r#"[{"id":1,"n":"a"}]"#,
        ),
    ] {
        let document = schema(&format!("{{type: object, properties: {{v: {shape}}}}}"));
        assert_eq!(
            sent(&document),
            format!(r#"{{"v":{sent_value}}}"#),
            "{shape}"
        );
        assert_eq!(
            returned(&document),
            format!(r#"{{"v":{returned_value}}}"#),
            "{shape}"
        );
        for (view, hidden) in [
            (request(&document), "\"id\""),
            (response(&document), "\"pw\""),
        ] {
            let v = row(&view.contents, "v");
            let shown = [
                v.view.examples.join(" "),
                v.view.default.clone().unwrap_or_default(),
            ];
            assert!(!shown.concat().contains(hidden), "{shape}: {shown:?}");
            assert!(!shown.concat().is_empty(), "{shape}");
        }
    }
}

#[test]
fn dependent_names_are_without_what_the_direction_hides() {
    let document = schema(
        "{type: object, required: [k], properties: {k: {type: string}, id: {type: integer, readOnly: true}, a: {type: string}}, dependentRequired: {k: [id, a], id: [k]}}",
    );
    assert_eq!(sent(&document), r#"{"k":"string","a":"string"}"#);
    assert_eq!(returned(&document), r#"{"k":"string","id":1,"a":"string"}"#);
    assert_eq!(chips(request(&document)), ["if k is present: a required"]);
    assert_eq!(
        chips(response(&document)),
        [
            "if k is present: id, a required",
            "if id is present: k required"
        ]
    );
}

#[test]
fn values_of_a_string_are_the_texts_that_are_written() {
    check_example("{type: string, enum: [1.0, 2.0]}", r#""1.0""#, &[]);
    check_example("{type: string, enum: [1, 2]}", r#""1""#, &[]);
    check_example("{type: string, enum: [true, x]}", r#""true""#, &[]);
    check_example(
        "{type: string, nullable: true, enum: [1.10, null]}",
        r#""1.10""#,
        &[],
    );
    check_example(
        "{type: string, enum: [1.0, 2.0], default: 2.0}",
        r#""2.0""#,
        &[],
    );
    check_example("{type: number, enum: [1.0, 2.0]}", "1.0", &[]);
    let shown = schema("{type: object, properties: {v: {type: string, const: 1.5}}}");
    assert_eq!(sent(&shown), r#"{"v":"1.5"}"#);
    // Below names that are not fixed an example is the text that it is, too.
    let shown = schema("{type: object, additionalProperties: {type: string}, example: {k: 1.5}}");
    assert_eq!(sent(&shown), r#"{"k":"1.5"}"#);
}

#[test]
fn examples_of_members_of_all_of_are_members_of_the_sample() {
    let pet =
        "{type: object, properties: {id: {type: integer}, name: {type: string}}, example: {id: 7}}";
    for (more, expected) in [
        (
            "{type: object, required: [breed], properties: {breed: {type: string}}, example: {breed: pug}}",
            r#"{"id":7,"breed":"pug"}"#,
        ),
        (
            "{type: object, required: [breed], properties: {breed: {type: string}}}",
            r#"{"id":7,"name":"string","breed":"string"}"#,
        ),
        (
            "{type: object, required: [breed], properties: {breed: {type: string}, id: {type: integer, minimum: 10}}}",
            r#"{"id":10,"name":"string","breed":"string"}"#,
        ),
    ] {
        let shown = schema(&format!(
            "{{type: object, properties: {{v: {{allOf: [{pet}, {more}]}}}}}}"
        ));
        assert_eq!(sent(&shown), format!(r#"{{"v":{expected}}}"#), "{more}");
        assert_eq!(codes(&shown), [""; 0], "{more}");
    }
    // What is an example of the base is none of its children.
    let schemas = "
Base: {type: object, required: [kind], discriminator: {propertyName: kind}, properties: {kind: {type: string}, age: {type: integer}}, example: {kind: Cat, age: 3}}
Cat: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {meow: {type: integer}}}]}
Dog: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {bark: {type: integer}}}]}
";
    let shown = with(
        schemas,
        "{type: object, properties: {c: {$ref: '#/components/schemas/Cat'}, d: {$ref: '#/components/schemas/Dog'}}}",
    );
    assert_eq!(
        sent(&shown),
        r#"{"c":{"kind":"Cat","age":3},"d":{"kind":"Dog","age":3,"bark":1}}"#
    );
    let contents = &request(&shown).contents;
    assert_eq!(
        row(contents, "c").view.examples,
        [r#"{"kind":"Cat","age":3}"#]
    );
    assert_eq!(row(contents, "d").view.examples, [""; 0]);
}

#[test]
fn items_that_differ_are_of_their_format() {
    for (format, expected) in [
        ("date", r#"["2025-01-15","2025-01-11"]"#),
        (
            "date-time",
            r#"["2025-01-15T09:30:00Z","2025-01-15T09:30:01Z"]"#,
        ),
        ("email", r#"["user@example.com","user@example.coa"]"#),
        ("ipv4", r#"["192.0.2.1","192.0.2.2"]"#),
    ] {
        let shown = schema(&format!(
            "{{type: object, properties: {{v: {{type: array, uniqueItems: true, minItems: 2, items: {{type: string, format: {format}}}}}}}}}"
        ));
        assert_eq!(sent(&shown), format!(r#"{{"v":{expected}}}"#), "{format}");
    }
}

#[test]
fn schema_that_ends_with_an_empty_list_is_not_infinite() {
    let schemas = "
Tree: {type: object, required: [kids], properties: {kids: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}
";
    for shape in [
        "{$ref: '#/components/schemas/Tree'}",
        "{allOf: [{$ref: '#/components/schemas/Tree'}, {required: [v], properties: {v: {minimum: 9}}}]}",
    ] {
        let shown = with(schemas, shape);
        assert_eq!(codes(&shown), [""; 0], "{shape}\n{}", sent(&shown));
    }
}

/// What is reported of an example of a media type beside this schema.
#[track_caller]
fn check_of_media(media: &str, schema: &str, example: &str, reported: &[&str]) {
    for version in ["3.0.3", "3.1.0"] {
        for written in [
            format!("example: {example}"),
            format!("examples: {{one: {{value: {example}}}}}"),
        ] {
            let content = format!("{{content: {{{media}: {{schema: {schema}, {written}}}}}}}");
            let document = plain(&format!(
                "
openapi: {version}
paths:
  /p:
    post:
      requestBody: {content}
      responses: {{'200': {{description: ok, content: {{{media}: {{schema: {schema}, {written}}}}}}}}}
components:
  schemas:
    O: {{type: object, required: [a], properties: {{a: {{type: integer}}}}}}
    L: {{type: array, items: {{$ref: '#/components/schemas/O'}}}}
"
            ));
            let shown = page(&document, POST);
            assert_eq!(codes(&shown), reported, "{media} {schema} {written}");
        }
    }
}

#[test]
fn text_of_a_media_type_is_an_example_of_what_it_says() {
    let (object, list) = (
        "{$ref: '#/components/schemas/O'}",
        "{$ref: '#/components/schemas/L'}",
    );
    for (media, schema, text) in [
        ("application/xml", object, "'<O><a>1</a></O>'"),
        ("application/soap+xml", object, "'<O><a>1</a></O>'"),
        ("text/xml; charset=utf-8", "{type: integer}", "'<n>5</n>'"),
        ("text/csv", list, "'a\n\n1'"),
        ("text/csv", object, "'a,b'"),
        ("application/x-www-form-urlencoded", object, "a=1&b=2"),
        ("application/x-ndjson", list, r#""{\"a\":1}\n{\"a\":2}""#),
        ("application/x-ndjson", list, r#"'{"a":1}'"#),
        ("application/jsonl", object, r#""{\"a\":1}\n{\"a\":2}""#),
        ("application/yaml", object, "'a: 1'"),
        ("text/event-stream", object, "'data: {}'"),
        ("application/cbor", object, "oWFhAQ=="),
        ("text/plain", object, "'a is 1'"),
        (
            "application/xml",
            "{oneOf: [{type: object}, {type: array, items: {}}]}",
            "<O/>",
        ),
        (
            "application/xml",
            "{anyOf: [{$ref: '#/components/schemas/O'}]}",
            "<O/>",
        ),
        (
            "application/xml",
            "{allOf: [{$ref: '#/components/schemas/O'}]}",
            "<O/>",
        ),
    ] {
        check_of_media(media, schema, text, &[]);
    }
    let mismatch = &["example-mismatch"];
    for (media, schema, text) in [
        ("application/json", object, "text"),
        ("application/problem+json", list, "text"),
        ("text/plain", "{type: integer}", "text"),
        ("text/plain", "{type: string, maxLength: 3}", "text"),
        ("text/csv", "{type: string, enum: [a]}", "text"),
        ("application/xml", object, "{a: text}"),
        ("application/x-ndjson", list, "[{a: text}]"),
        ("text/csv", list, "[1]"),
    ] {
        check_of_media(media, schema, text, mismatch);
    }
}

#[test]
fn text_that_a_schema_exemplifies_itself_by_is_one_of_its_media_type() {
    let of = |media: &str| {
        let document = plain(&format!(
            "paths: {{/p: {{post: {{requestBody: {{content: {{{media}: {{schema: {{type: object, properties: {{a: {{type: integer}}}}, example: '<O/>'}}}}}}}}}}}}}}"
        ));
        codes(&page(&document, POST))
    };
    assert_eq!(of("application/xml"), [""; 0]);
    assert_eq!(of("application/json"), ["example-mismatch"]);
    // The style of a parameter is no media type.
    let document = plain(
        "paths: {/p: {post: {parameters: [{name: q, in: query, schema: {type: object, properties: {a: {type: integer}}}, example: text}, {name: x, in: query, content: {application/xml: {schema: {type: object}, example: <x/>}}}]}}}",
    );
    assert_eq!(codes(&page(&document, POST)), ["example-mismatch"]);
}

#[test]
fn a_tree_that_may_be_empty_ends() {
    for narrowed in [
        "allOf: [{$ref: '#/components/schemas/Tree'}, {properties: {v: {minimum: 9}}}]",
        "allOf: [{$ref: '#/components/schemas/Tree'}], properties: {v: {minimum: 9}}",
        "allOf: [{$ref: '#/components/schemas/Tree'}, {properties: {v: {minimum: 9}, kids: {maxItems: 5}}}]",
        "$ref: '#/components/schemas/Map'",
        "allOf: [{$ref: '#/components/schemas/Map'}, {properties: {v: {minimum: 9}}}]",
        "type: object, properties: {in: {allOf: [{$ref: '#/components/schemas/Tree'}, {properties: {v: {minimum: 9}}}]}}",
    ] {
        let shown = with(
            "{Tree: {type: object, required: [v, kids], properties: {v: {type: integer}, kids: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}, Map: {type: object, required: [v, kids], properties: {v: {type: integer}, kids: {type: object, additionalProperties: {$ref: '#/components/schemas/Map'}}}}}",
            &format!("{{{narrowed}}}"),
        );
        assert_eq!(codes(&shown), [""; 0], "{narrowed} {}", sent(&shown));
    }
    let endless = with(
        "{Tree: {type: object, required: [kid], properties: {kid: {$ref: '#/components/schemas/Tree'}}}}",
        "{allOf: [{$ref: '#/components/schemas/Tree'}, {properties: {v: {type: integer}}}]}",
    );
    assert!(codes(&endless).contains(&"schema-infinite"));
}

/// Where examples are told not to be valid.
fn mismatches(page: &Modelled<Endpoint>) -> Vec<String> {
    let found = page.diagnostics.iter();
    let found = found.filter(|found| found.code.name() == "example-mismatch");
    found.map(|found| found.place.clone()).collect()
}

#[test]
fn every_example_of_a_schema_is_checked() {
    let of = |text: &str| {
        let shown = page(
            &plain(&format!(
                "{{paths: {{/p: {{post: {{requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/V'}}}}}}}}}}}}}}, components: {{schemas: {{V: {{type: object, properties: {{v: {text}}}}}}}}}}}"
            )),
            POST,
        );
        mismatches(&shown)
    };
    let v = "/components/schemas/V/properties/v";
    assert_eq!(of("{type: integer, examples: [1, 2]}"), [""; 0]);
    assert_eq!(
        of("{type: integer, examples: [1, a]}"),
        [format!("{v}/examples/1")]
    );
    assert_eq!(
        of("{type: object, properties: {a: {type: integer}}, examples: [{a: 1}, {a: 2}, {a: x}]}"),
        [format!("{v}/examples/2/a")]
    );
    assert_eq!(of("{type: string, examples: [a, b]}"), [""; 0]);
    // A document of XML, and what belongs to a member of `allOf`.
    assert_eq!(of("{type: object, examples: [{}, <v/>]}"), [""; 0]);
    assert_eq!(
        of(
            "{allOf: [{type: object, examples: [{}, {a: 1}]}, {required: [b], properties: {b: {default: 1}}}]}"
        ),
        [""; 0]
    );
}

#[test]
fn examples_of_headers_are_checked() {
    let of = |header: &str| {
        let document = plain(&format!(
            "{{paths: {{/p: {{post: {{responses: {{'200': {{description: ok, headers: {{X-A: {header}}}}}}}}}}}}}, components: {{headers: {{H: {{schema: {{type: integer}}, example: a}}}}}}}}"
        ));
        mismatches(&page(&document, POST)).len()
    };
    for (header, expected) in [
        ("{schema: {type: integer}, example: a}", 1),
        ("{schema: {type: integer}, example: 5}", 0),
        ("{schema: {type: integer}, example: '5'}", 0),
        (
            "{schema: {type: integer}, examples: {one: {value: 5}, two: {value: a}}}",
            1,
        ),
        ("{schema: {type: integer, examples: [a]}}", 1),
        ("{schema: {type: integer, examples: [1, a]}}", 1),
        ("{schema: {type: string, maxLength: 2}, example: abc}", 1),
        ("{$ref: '#/components/headers/H'}", 1),
        (
            "{schema: {type: array, items: {type: integer}}, example: '1,2'}",
            0,
        ),
        (
            "{schema: {type: array, items: {type: integer}}, example: [1, a]}",
            1,
        ),
        (
            "{content: {application/json: {schema: {type: object, required: [a]}, example: {b: 1}}}}",
            1,
        ),
        (
            "{content: {application/xml: {schema: {type: object, required: [a]}, example: <b/>}}}",
            0,
        ),
    ] {
        assert_eq!(of(header), expected, "{header}");
    }
    // Headers of parts, too.
    let document = plain(
        "paths: {/p: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, encoding: {a: {headers: {X-A: {schema: {type: integer}, example: a}}}}}}}}}}",
    );
    assert_eq!(mismatches(&page(&document, POST)).len(), 1);
}
