//! Documents of Swagger 2.0: what they say is on the page, in the words of OpenAPI 3.0.

use base::data::split::{Format, SplitDocument};
use base::data::swagger::{converted, origin};
use base::path::SitePath;
use openapi::plain::Plain;
use queries::base::content::TextBytes;
use serde_json::{Value, json};

use super::{outline, page};

fn swagger(yaml: &str) -> Value {
    let mut root = base::data::yaml::parse_document(yaml).unwrap().value;
    root["swagger"] = json!("2.0");
    converted(root)
}

#[track_caller]
fn check(yaml: &str, pointer: &str, expected: Value) {
    let document = swagger(yaml);
    assert_eq!(document.pointer(pointer), Some(&expected), "{document:#}");
}

#[test]
fn addresses_are_made_of_schemes_host_and_base_path() {
    check(
        "{schemes: [http, wss, https], host: h.example, basePath: /v1/}",
        "/servers",
        json!([{"url": "https://h.example/v1"}, {"url": "http://h.example/v1"}, {"url": "wss://h.example/v1"}]),
    );
    check(
        "{host: h.example}",
        "/servers",
        json!([{"url": "https://h.example"}]),
    );
    check("{basePath: v1}", "/servers", json!([{"url": "/v1"}]));
    assert_eq!(swagger("{paths: {}}").get("servers"), None);
    check(
        "{host: h, paths: {/a: {get: {schemes: [ws]}}}}",
        "/paths/~1a/get/servers",
        json!([{"url": "ws://h"}]),
    );
}

#[test]
fn members_of_parameters_are_their_schemas() {
    let parameter = |one: &str| {
        let document = swagger(&format!(
            "{{paths: {{/a: {{get: {{parameters: [{one}]}}}}}}}}"
        ));
        document["paths"]["/a"]["get"]["parameters"][0].clone()
    };
    assert_eq!(
        parameter(
            "{name: a, in: query, type: integer, maximum: 5, description: d, allowEmptyValue: true}"
        ),
        json!({"name": "a", "in": "query", "description": "d", "allowEmptyValue": true, "schema": {"type": "integer", "maximum": 5}})
    );
    let array = |format: &str| {
        let one = parameter(&format!(
            "{{name: a, in: query, type: array, items: {{type: string}}{format}}}"
        ));
        (one["style"].clone(), one["explode"].clone())
    };
    assert_eq!(array(""), (json!("form"), json!(false)));
    assert_eq!(
        array(", collectionFormat: multi"),
        (json!("form"), json!(true))
    );
    assert_eq!(
        array(", collectionFormat: ssv"),
        (json!("spaceDelimited"), json!(false))
    );
    assert_eq!(
        array(", collectionFormat: pipes"),
        (json!("pipeDelimited"), json!(false))
    );
    assert_eq!(
        array(", collectionFormat: tsv"),
        (json!("tabDelimited"), json!(false))
    );
    let path = parameter(
        "{name: a, in: path, required: true, type: array, items: {type: string}, collectionFormat: pipes}",
    );
    assert_eq!(path["style"], json!("pipeDelimited"));
    // Items within items.
    let nested = parameter(
        "{name: a, in: query, type: array, items: {type: array, items: {type: array, items: {type: integer}, collectionFormat: ssv}, collectionFormat: pipes}}",
    );
    assert_eq!(nested["x-inner-separators"], json!(["|", " "]));
    assert_eq!(
        parameter(
            "{name: a, in: query, type: array, items: {type: array, items: {type: integer}}}"
        )["x-inner-separators"],
        json!([","])
    );
    let header = parameter("{name: a, in: header, type: array, items: {type: string}}");
    assert_eq!(header.get("style"), None);
}

#[test]
fn forms_and_bodies_are_request_bodies() {
    let form = "{consumes: [application/json], parameters: {F: {name: f, in: formData, type: file}, B: {name: b, in: body, schema: {$ref: '#/definitions/T'}}, Q: {name: q, in: query, type: string}}, paths: {/a: {post: {parameters: [{$ref: '#/parameters/F'}, {$ref: '#/parameters/Q'}]}, put: {consumes: [text/csv, application/xml], parameters: [{$ref: '#/parameters/B'}]}, patch: {parameters: [{name: x, in: formData, type: array, items: {type: string}, collectionFormat: multi, required: true}]}}}}";
    check(
        form,
        "/paths/~1a/post",
        json!({
            "parameters": [{"$ref": "#/components/parameters/Q"}],
            "requestBody": {"required": false, "content": {"multipart/form-data": {"schema": {"type": "object", "properties": {"f": {"type": "string", "format": "binary"}}}}}},
        }),
    );
    let schema = json!({"schema": {"$ref": "#/components/schemas/T"}});
    check(
        form,
        "/paths/~1a/put/requestBody/content",
        json!({"text/csv": schema, "application/xml": schema}),
    );
    check(
        form,
        "/paths/~1a/patch/requestBody",
        json!({"required": true, "content": {"application/x-www-form-urlencoded": {
            "schema": {"type": "object", "properties": {"x": {"type": "array", "items": {"type": "string"}}}, "required": ["x"]},
            "encoding": {"x": {"style": "form", "explode": true}},
        }}}),
    );
    check(
        form,
        "/components/parameters",
        json!({"Q": {"name": "q", "in": "query", "schema": {"type": "string"}}}),
    );
}

#[test]
fn fields_that_all_operations_of_a_path_share_are_in_the_form_of_each() {
    let document = swagger(
        "{paths: {/a: {parameters: [{name: x, in: formData, type: string}, {name: y, in: formData, type: string}], post: {parameters: [{name: y, in: formData, type: integer}]}, put: {}}}}",
    );
    let properties = |method: &str| {
        let body = &document["paths"]["/a"][method]["requestBody"];
        body["content"]["application/x-www-form-urlencoded"]["schema"]["properties"].clone()
    };
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    assert_eq!(properties("post"), json!({"x": text, "y": number}));
    assert_eq!(properties("put"), json!({"x": text, "y": text}));
    assert_eq!(document["paths"]["/a"].get("parameters"), None);
}

#[test]
fn answers_have_a_form_for_each_type() {
    let document = "{produces: [application/json], paths: {/a: {get: {responses: {'200': {description: d, schema: {$ref: '#/definitions/T'}, examples: {application/xml: <t/>}, headers: {X: {type: integer, description: h}}}, '201': {$ref: '#/responses/R'}, '204': {description: n}, '206': {description: f, schema: {type: file}}}}}}}";
    let schema = json!({"$ref": "#/components/schemas/T"});
    check(
        document,
        "/paths/~1a/get/responses/200",
        json!({
            "description": "d",
            "headers": {"X": {"description": "h", "schema": {"type": "integer"}}},
            "content": {"application/json": {"schema": schema}, "application/xml": {"schema": schema, "example": "<t/>"}},
        }),
    );
    check(
        document,
        "/paths/~1a/get/responses/201",
        json!({"$ref": "#/components/responses/R"}),
    );
    check(
        document,
        "/paths/~1a/get/responses/204",
        json!({"description": "n"}),
    );
    check(
        document,
        "/paths/~1a/get/responses/206/content/application~1json/schema",
        json!({"type": "string", "format": "binary"}),
    );
}

#[test]
fn schemes_of_security_have_their_new_names() {
    let document = "{securityDefinitions: {b: {type: basic, description: d}, k: {type: apiKey, in: query, name: k}, o: {type: oauth2, flow: accessCode, authorizationUrl: https://a, tokenUrl: https://t, scopes: {s: S}}, c: {type: oauth2, flow: application, tokenUrl: https://t}}}";
    check(
        document,
        "/components/securitySchemes",
        json!({
            "b": {"type": "http", "scheme": "basic", "description": "d"},
            "k": {"type": "apiKey", "in": "query", "name": "k"},
            "o": {"type": "oauth2", "flows": {"authorizationCode": {"authorizationUrl": "https://a", "tokenUrl": "https://t", "scopes": {"s": "S"}}}},
            "c": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://t", "scopes": {}}}},
        }),
    );
}

#[test]
fn schemas_refer_to_their_new_places() {
    check(
        "{definitions: {T: {discriminator: kind, properties: {kind: {type: string}, more: {type: array, items: {$ref: '#/definitions/T'}}, none: {type: string, x-nullable: true}}, allOf: [{$ref: '#/definitions/U'}]}}}",
        "/components/schemas/T",
        json!({
            "discriminator": {"propertyName": "kind"},
            "properties": {"kind": {"type": "string"}, "more": {"type": "array", "items": {"$ref": "#/components/schemas/T"}}, "none": {"type": "string", "nullable": true}},
            "allOf": [{"$ref": "#/components/schemas/U"}],
        }),
    );
}

#[test]
fn places_lead_back_to_what_was_written() {
    for (converted, written) in [
        ("/openapi", "/swagger"),
        ("/servers/0/url", "/host"),
        (
            "/components/schemas/T/properties/a",
            "/definitions/T/properties/a",
        ),
        ("/components/securitySchemes/k", "/securityDefinitions/k"),
        ("/components/parameters/P/schema/type", "/parameters/P/type"),
        ("/components/requestBodies/B/content/a", "/parameters/B"),
        (
            "/components/responses/R/content/a~1b/schema/type",
            "/responses/R/schema/type",
        ),
        (
            "/paths/~1a/parameters/0/schema/type",
            "/paths/~1a/parameters/0/type",
        ),
        (
            "/paths/~1a/get/parameters/1/schema",
            "/paths/~1a/get/parameters/1",
        ),
        (
            "/paths/~1a/get/requestBody/content",
            "/paths/~1a/get/parameters",
        ),
        (
            "/paths/~1a/get/responses/200/content/a~1b/schema/type",
            "/paths/~1a/get/responses/200/schema/type",
        ),
        (
            "/paths/~1a/get/responses/200/content/a~1b/example/x",
            "/paths/~1a/get/responses/200/examples/a~1b/x",
        ),
        (
            "/paths/~1a/get/responses/200/headers/X/schema/type",
            "/paths/~1a/get/responses/200/headers/X/type",
        ),
        ("/info/title", "/info/title"),
    ] {
        assert_eq!(origin(converted), written);
    }
}

#[test]
fn a_cut_follows_edits_of_what_is_converted() {
    let path = SitePath::new("a.yaml").unwrap();
    let before = "swagger: '2.0'\ninfo: {title: T}\npaths:\n  /a:\n    get:\n      summary: A\ndefinitions:\n  T: {type: object}\n  U: {type: string}\n";
    let first = SplitDocument::split(&path, Format::Yaml, before.as_bytes().into());
    let keys: Vec<&str> = first.slices.iter().map(|slice| &*slice.key).collect();
    let expected = [
        "/openapi",
        "/swagger",
        "/info",
        "/paths/~1a/get",
        "/components/schemas/T",
        "/components/schemas/U",
    ];
    assert_eq!(keys, expected);
    let after: TextBytes = before
        .replace("type: string", "type: integer")
        .as_bytes()
        .into();
    let edited = first.edited(after.clone());
    let anew = SplitDocument::split(&path, Format::Yaml, after);
    assert_eq!(edited.slices, anew.slices);
    let differ = first
        .slices
        .iter()
        .zip(&edited.slices)
        .filter(|(a, b)| a != b);
    let differ: Vec<&str> = differ.map(|(slice, _)| &*slice.key).collect();
    assert_eq!(differ, ["/components/schemas/U"]);
    // An edit that makes it another format is followed too.
    let newer = before.replace("swagger: '2.0'", "openapi: 3.0.3");
    let newer = first.edited(newer.as_bytes().into());
    assert!(
        newer
            .slices
            .iter()
            .any(|slice| &*slice.key == "/definitions")
    );
}

#[test]
fn a_page_is_that_of_an_operation() {
    let document = Plain::new(swagger(
        "{paths: {/a: {post: {summary: A, parameters: [{name: t, in: body, schema: {$ref: '#/definitions/T'}}], responses: {'200': {description: d}}}}}, definitions: {T: {type: object, required: [a], properties: {a: {type: string}, b: {type: array, items: {type: integer}}}}}}",
    ));
    let page = page(&document, "/paths/~1a/post");
    let root = page.value.body.as_ref().unwrap().media[0]
        .root
        .as_ref()
        .unwrap();
    assert_eq!(
        outline(&root.view.contents),
        "a string required\nb integer[]\n"
    );
}

/// What is sent of arrays within arrays: their members in Swagger 2.0, and how two are written as a form.
const NESTED: &[(&str, &str)] = &[
    (
        "items: {type: array, items: {type: integer}, collectionFormat: pipes}, collectionFormat: csv",
        "f=1|2,1|2",
    ),
    (
        "items: {type: array, items: {type: integer}, collectionFormat: csv}, collectionFormat: pipes",
        "f=1,2|1,2",
    ),
    (
        "items: {type: array, items: {type: integer}}, collectionFormat: ssv",
        "f=1,2 1,2",
    ),
    (
        "items: {type: array, items: {type: integer}, collectionFormat: ssv}",
        "f=1 2,1 2",
    ),
    (
        "items: {type: array, items: {type: integer}, collectionFormat: pipes}, collectionFormat: multi",
        "f=1|2&f=1|2",
    ),
    (
        "items: {type: array, items: {type: integer}, collectionFormat: tsv}, collectionFormat: multi",
        "f=1\t2&f=1\t2",
    ),
    (
        "items: {type: array, collectionFormat: pipes, items: {type: array, collectionFormat: ssv, items: {type: integer}}}",
        "f=1 2|1 2,1 2|1 2",
    ),
];

#[test]
fn arrays_within_arrays_of_a_form_are_written_as_they_say() {
    for (members, expected) in NESTED {
        let value = match members.contains("ssv, items") {
            true => "[[[1, 2], [1, 2]], [[1, 2], [1, 2]]]",
            false => "[[1, 2], [1, 2]]",
        };
        let document = swagger(&format!(
            "{{host: h.example, schemes: [https], paths: {{/p: {{post: {{consumes: [application/x-www-form-urlencoded], parameters: [{{name: f, in: formData, required: true, type: array, default: {value}, {members}}}], responses: {{'200': {{description: ok}}}}}}}}}}}}"
        ));
        let document = Plain::new(document);
        let shown = page(&document, "/paths/~1p/post");
        let form = &shown.value.body.as_ref().expect("a body").media[0];
        let contents = &form.root.as_ref().expect("a schema").view.contents;
        let plain = |text: &str| {
            let pairs = [
                ("%7C", "|"),
                ("%2C", ","),
                ("%20", " "),
                ("%09", "\t"),
                ("+", " "),
            ];
            let plain = |text: String, (coded, sign): (&str, &str)| text.replace(coded, sign);
            pairs.into_iter().fold(text.to_owned(), plain)
        };
        let chips = super::seen::chips(&super::seen::row(contents, "f").view);
        assert!(
            chips.iter().any(|chip| plain(chip).contains(expected)),
            "{members}: {chips:?}"
        );
        let playground = shown.value.playground.as_ref().expect("a playground");
        let bodies = serde_json::to_value(playground).expect("JSON")["bodies"].clone();
        let inner = bodies[0]["encodings"][0]["inner"].clone();
        assert!(inner.is_array(), "{members}: {bodies}");
        // The sample is what the mock reads.
        let sample = super::sent::text_of(&document);
        let written = plain(&sample);
        assert!(written.contains(expected), "{members}: {sample}");
        assert_eq!(
            super::mock::faults_of_form(
                &document,
                &expected
                    .replace('\t', "%09")
                    .replace(' ', "%20")
                    .replace('|', "%7C")
            ),
            [""; 0],
            "{members}"
        );
        assert_ne!(
            super::mock::faults_of_form(&document, "f=x"),
            [""; 0],
            "{members}"
        );
    }
}
