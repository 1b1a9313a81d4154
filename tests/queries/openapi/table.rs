//! The tricky cases, each by its number.

use openapi::endpoint::{SchemeKind, Settings, Why};
use openapi::plain::Plain;
use openapi::playground::{Input, Style};
use serde_json::{Value, json};

use super::seen::{
    PETS, POST, chips, request, response, returned, row, schema, schema30, sent, with,
};
use super::{both_ways, codes, model_page, outline, page, page_with, plain};

#[test]
fn case_01_to_03_recursion() {
    let node = |rest: &str| {
        let schemas = format!(
            "Node: {{type: object{rest}, properties: {{id: {{type: string}}, children: {{type: array, items: {{$ref: '#/components/schemas/Node'}}}}}}}}"
        );
        with(&schemas, "{$ref: '#/components/schemas/Node'}")
    };
    let first = node("");
    assert_eq!(
        outline(&request(&first).contents),
        "id string\nchildren Node[] (recursive)\n"
    );
    let children = row(&request(&first).contents, "children");
    let elsewhere = children.view.contents.elsewhere.as_ref().unwrap();
    assert_eq!(elsewhere.why, Why::Recursive);
    assert_eq!(elsewhere.href.as_deref(), Some("#body"));
    assert_eq!(sent(&first), r#"{"id":"string"}"#);
    assert_eq!(
        sent(&node(", required: [children]")),
        r#"{"id":"string","children":[]}"#
    );
    let third = both_ways(
        "3.1.0",
        "Node: {type: object, required: [children], properties: {id: {type: string}, children: {type: array, minItems: 1, items: {$ref: '#/components/schemas/Node'}}}}",
        "{$ref: '#/components/schemas/Node'}",
    );
    let third = page(&third, POST);
    assert_eq!(sent(&third), r#"{"id":"string","children":[{}]}"#);
    assert!(
        codes(&third).contains(&"schema-infinite"),
        "{:?}",
        codes(&third)
    );
}

#[test]
fn case_04_allof_of_itself() {
    let page = with(
        "Self: {allOf: [{$ref: '#/components/schemas/Self'}, {properties: {a: {type: string}}}]}",
        "{$ref: '#/components/schemas/Self'}",
    );
    assert_eq!(outline(&request(&page).contents), "a string\n");
    assert_eq!(sent(&page), r#"{"a":"string"}"#);
}

#[test]
fn case_05_mutual_recursion() {
    let document = both_ways(
        "3.1.0",
        "{A: {properties: {b: {$ref: '#/components/schemas/B'}}}, B: {properties: {a: {$ref: '#/components/schemas/A'}}}}",
        "{}",
    );
    let model = model_page(&document, "A");
    assert_eq!(
        outline(&model.value.root.view.contents),
        "b B\n  a A (recursive)\n"
    );
}

#[test]
fn case_06_a_loop_of_references() {
    let page = with(
        "X: {$ref: '#/components/schemas/X'}",
        "{$ref: '#/components/schemas/X'}",
    );
    assert_eq!(request(&page).label.plain(), "unresolved");
    assert_eq!(codes(&page), ["ref-loop"]);
}

/// Nothing is valid, which the author is told of; readers see the last definition.
#[test]
fn case_07_a_contradiction() {
    let page = schema("{allOf: [{type: string}, {type: integer}]}");
    let view = request(&page);
    assert_eq!(
        (view.label.plain().as_str(), &view.note),
        ("integer", &None)
    );
    assert_eq!(chips(view), ["no value fits"]);
    assert_eq!(codes(&page), ["allof-conflict", "sample-unverified"]);
    assert_eq!(sent(&page), "1");
}

#[test]
fn what_generators_make_up_is_not_shown() {
    let made = schema(
        "{type: object, properties: {trial_count: {title: Trial Count, type: integer, minimum: 0.0, maximum: 10.0}, rate: {title: Share, type: number, minimum: 0.5}}}",
    );
    let view = request(&made);
    let rows = &view.contents.rows;
    assert_eq!(rows[0].view.title, None);
    assert_eq!(chips(&rows[0].view), ["0 – 10"]);
    assert_eq!(rows[1].view.title.as_deref(), Some("Share"));
    assert_eq!(chips(&rows[1].view), ["≥ 0.5"]);
    let body = with(
        "Body_read_runs_filter_post: {title: Body_read_runs_filter_post, type: object, properties: {a: {type: string}}}",
        "{$ref: '#/components/schemas/Body_read_runs_filter_post'}",
    );
    assert_eq!(request(&body).label.plain(), "object");
    assert_eq!(request(&body).title, None);
}

#[test]
fn case_08_to_12_merging() {
    let eight = schema("{type: integer, allOf: [{minimum: 5}, {minimum: 10, maximum: 12}]}");
    assert_eq!(chips(request(&eight)), ["10 – 12"]);
    assert_eq!(sent(&eight), "10");

    let nine = schema("{allOf: [{enum: [a, b]}, {enum: [b, c]}]}");
    assert_eq!(request(&nine).label.plain(), "\"b\"");
    assert_eq!(sent(&nine), "\"b\"");

    let ten = schema("{required: [id], allOf: [{properties: {id: {type: string}}}]}");
    assert_eq!(outline(&request(&ten).contents), "id string required\n");

    let eleven = schema(
        "{allOf: [{properties: {a: {type: string}}, additionalProperties: false}, {properties: {b: {type: string}}, additionalProperties: false}]}",
    );
    assert_eq!(outline(&request(&eleven).contents), "a string\nb string\n");
    assert_eq!(chips(request(&eleven)), ["no other properties"]);
    assert_eq!(codes(&eleven), ["allof-closed"]);

    let twelve = with(
        "Base: {type: object, properties: {a: {type: string}}}",
        "{type: object, properties: {x: {allOf: [{$ref: '#/components/schemas/Base'}, {description: d}]}}}",
    );
    let x = row(&request(&twelve).contents, "x");
    assert_eq!(
        (x.view.label.plain().as_str(), x.description.as_str()),
        ("Base", "d")
    );
}

#[test]
fn case_13_a_union_with_siblings() {
    let page = schema(
        "{type: object, properties: {kind: {type: string}}, oneOf: [{title: A, required: [a], properties: {a: {type: string}}}, {title: B, required: [b], properties: {b: {type: integer}}}]}",
    );
    let expected = "kind string\none of\n| A\n  a string required\n| B\n  b integer required\n";
    assert_eq!(outline(&request(&page).contents), expected);
    assert_eq!(sent(&page), r#"{"kind":"string","a":"string"}"#);
}

#[test]
fn case_14_a_discriminator_with_a_mapping() {
    let page = with(
        PETS,
        "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: petType, mapping: {dog: '#/components/schemas/Dog', hound: '#/components/schemas/Dog', cat: '#/components/schemas/Cat'}}}",
    );
    let expected = "one of by petType\n| cat\n  petType \"cat\" required\n  lives integer\n| dog, hound\n  petType enum<string> required\n  bark boolean\n";
    assert_eq!(outline(&request(&page).contents), expected);
    assert!(
        sent(&page).contains(r#""petType":"cat""#),
        "{}",
        sent(&page)
    );
}

#[test]
fn case_15_a_discriminator_over_children() {
    let page = with(
        "{Base: {type: object, required: [kind], discriminator: {propertyName: kind}, properties: {name: {type: string}, kind: {type: string}}}, Cat: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {lives: {type: integer}}}]}, Dog: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {bark: {type: boolean}}}]}}",
        "{$ref: '#/components/schemas/Base'}",
    );
    let expected = "kind string required\nname string\none of by kind\n| Cat\n  kind \"Cat\" required\n  lives integer\n| Dog\n  kind \"Dog\" required\n  bark boolean\n";
    assert_eq!(outline(&request(&page).contents), expected);
    assert_eq!(sent(&page), r#"{"name":"string","kind":"Cat","lives":1}"#);
}

#[test]
fn case_16_a_mapping_by_bare_name() {
    let page = with(
        PETS,
        "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: petType, mapping: {hound: Dog}}}",
    );
    let labels: Vec<&str> = request(&page).contents.choosers[0]
        .branches
        .iter()
        .map(|one| one.label.as_str())
        .collect();
    assert_eq!(labels, ["Cat", "hound"]);
}

#[test]
fn case_17_to_20_null() {
    let seventeen = schema("{oneOf: [{type: string}, {type: 'null'}]}");
    assert_eq!(request(&seventeen).label.plain(), "string | null");
    assert!(request(&seventeen).contents.is_empty());
    assert_eq!(sent(&seventeen), "\"string\"");

    let settings = Settings {
        pills: vec!["nullable".to_owned()],
        ..Settings::default()
    };
    let nullable = [
        (
            "3.0.3",
            "{type: object, properties: {a: {type: string, nullable: true}}}",
        ),
        (
            "3.1.0",
            "{type: object, properties: {a: {type: [string, 'null']}}}",
        ),
        (
            "3.1.0",
            "{type: object, properties: {a: {anyOf: [{type: string}, {type: 'null'}]}}}",
        ),
    ];
    for (version, text) in nullable {
        let page = page_with(&both_ways(version, "{}", text), POST, &settings);
        assert_eq!(
            outline(&request(&page).contents),
            "a string | null nullable\n",
            "{text}"
        );
    }

    let nineteen = schema("{type: [object, 'null'], properties: {a: {type: string}}}");
    assert_eq!(request(&nineteen).label.plain(), "object | null");
    assert_eq!(outline(&request(&nineteen).contents), "a string\n");
    assert_eq!(sent(&nineteen), r#"{"a":"string"}"#);

    let twenty = schema30("{type: string, nullable: true, enum: [a, null]}");
    // One member besides `null`.
    assert_eq!(request(&twenty).label.plain(), "enum<string> | null");
    let values: Vec<&str> = request(&twenty)
        .values
        .iter()
        .map(|one| one.text.as_str())
        .collect();
    assert_eq!(values, ["a", "null"]);
    assert_eq!(sent(&twenty), "\"a\"");
}

#[test]
fn case_21_a_union_of_constants() {
    let page = schema("{oneOf: [{const: 1, title: One}, {const: 2, title: Two, description: d}]}");
    let view = request(&page);
    assert!(view.contents.choosers.is_empty());
    let values: Vec<(&str, Option<&str>, &str)> = view
        .values
        .iter()
        .map(|one| {
            (
                one.text.as_str(),
                one.name.as_deref(),
                one.description.as_str(),
            )
        })
        .collect();
    assert_eq!(values, [("1", Some("One"), ""), ("2", Some("Two"), "d")]);
    assert_eq!(view.label.plain(), "enum<integer>");
    assert_eq!(sent(&page), "1");
}

const USER: &str = "User: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, password: {type: string, writeOnly: true}, name: {type: string}}}";

#[test]
fn case_22_to_24_directions() {
    let user = "{$ref: '#/components/schemas/User'}";
    let direct = with(USER, user);
    assert_eq!(
        outline(&request(&direct).contents),
        "password string write-only\nname string required\n"
    );
    assert_eq!(
        outline(&response(&direct).contents),
        "id integer required read-only\nname string required\n"
    );
    assert_eq!(sent(&direct), r#"{"password":"string","name":"string"}"#);
    assert_eq!(returned(&direct), r#"{"id":1,"name":"string"}"#);

    let nested = with(
        USER,
        &format!("{{oneOf: [{{title: Many, type: array, items: {user}}}, {{type: string}}]}}"),
    );
    let expected =
        "one of\n| Many\n  password string write-only\n  name string required\n| string\n";
    assert_eq!(outline(&request(&nested).contents), expected);
    assert_eq!(sent(&nested), r#"[{"password":"string","name":"string"}]"#);

    let webhook = plain(&format!(
        "webhooks: {{newUser: {{post: {{requestBody: {{content: {{application/json: {{schema: {user}}}}}}}, responses: {{'200': {{description: ok}}}}}}}}}}\ncomponents: {{schemas: {{{USER}}}}}"
    ));
    let webhook = page(&webhook, "/webhooks/newUser/post");
    assert_eq!(
        outline(&request(&webhook).contents),
        "id integer required read-only\nname string required\n"
    );
    let model = model_page(&both_ways("3.1.0", USER, "{}"), "User");
    assert_eq!(model.value.root.view.contents.rows.len(), 3);
}

#[test]
fn case_25_and_26_examples_that_are_there() {
    for (kind, example) in [
        ("integer", "0"),
        ("boolean", "false"),
        ("string", "\"\""),
        ("[string, 'null']", "null"),
    ] {
        let page = schema(&format!("{{type: {kind}, example: {example}}}"));
        assert_eq!(sent(&page), example);
        let document = plain(&format!(
            "paths: {{/p: {{post: {{requestBody: {{content: {{application/json: {{example: {example}, schema: {{type: {kind}, default: 1}}}}}}}}}}}}}}"
        ));
        assert_eq!(sent(&super::page(&document, POST)), example);
    }
    let document = plain(
        "paths: {/p: {post: {requestBody: {content: {application/json: {examples: {}, schema: {type: integer}}}}}}}",
    );
    assert_eq!(sent(&page(&document, POST)), "1");
}

#[test]
fn case_27_to_31_scalars() {
    assert_eq!(
        sent(&schema(
            "{type: integer, exclusiveMinimum: 0, multipleOf: 5}"
        )),
        "5"
    );
    let page = schema30("{type: integer, minimum: 0, exclusiveMinimum: true}");
    assert_eq!(chips(request(&page)), ["> 0"]);
    let page = schema(r#"{type: string, pattern: "^[A-Z]{3}-\\d{2,4}$"}"#);
    assert_eq!(sent(&page), "\"AAA-00\"");
    let code = request(&page).chips[0]
        .iter()
        .find(|span| span.is_code)
        .unwrap();
    assert_eq!(code.text, r"^[A-Z]{3}-\d{2,4}$");
    assert_eq!(
        sent(&schema("{type: string, minLength: 10}")),
        "\"stringstri\""
    );
    let page = schema("{type: array, uniqueItems: true, minItems: 2, items: {enum: [x, y]}}");
    assert_eq!(sent(&page), r#"["x","y"]"#);
}

#[test]
fn case_32_to_35_objects() {
    let page = schema("{type: object, additionalProperties: {type: integer}}");
    assert_eq!(request(&page).label.plain(), "map<string, integer>");
    assert_eq!(outline(&request(&page).contents), "[key: string] integer\n");
    assert_eq!(sent(&page), r#"{"key":1}"#);

    let page = schema("{type: object, properties: {a: {}}}");
    assert_eq!(outline(&request(&page).contents), "a any\n");
    assert_eq!(sent(&page), r#"{"a":"any"}"#);

    let page = schema("{type: object, required: [z]}");
    assert_eq!(outline(&request(&page).contents), "z any required\n");
    assert_eq!(sent(&page), r#"{"z":"any"}"#);

    let page =
        schema("{type: object, properties: {n: {type: integer, default: 9007199254740993}}}");
    assert_eq!(
        row(&request(&page).contents, "n").view.default.as_deref(),
        Some("9007199254740993")
    );
    assert_eq!(sent(&page), r#"{"n":9007199254740993}"#);
    for sample in &page.value.samples {
        assert!(
            sample.variants[0].source.contains("9007199254740993"),
            "{}",
            sample.id
        );
    }
}

/// The address in the first code sample of `GET /p` with these parameters.
fn url(path: &str, parameters: &str) -> String {
    let document = plain(&format!(
        "servers: [{{url: 'https://h'}}]\npaths: {{'{path}': {{get: {{parameters: {parameters}}}}}}}"
    ));
    let pointer = base::data::pointer::child("/paths", path);
    let page = page(&document, &format!("{pointer}/get"));
    let source = page.value.samples[0].variants[0].source.clone();
    let line = source.lines().next().unwrap_or_default().to_owned();
    line.trim_start_matches("curl --url 'https://h")
        .trim_end_matches([' ', '\\', '\''])
        .to_owned()
}

#[test]
fn case_36_to_41_parameters() {
    let url36 = url(
        "/p",
        r#"[{name: filter, in: query, required: true, style: deepObject, schema: {type: object}, example: {a: {b: 1}, c: [1, 2]}}]"#,
    );
    assert_eq!(
        url36,
        "/p?filter%5Ba%5D%5Bb%5D=1&filter%5Bc%5D=1&filter%5Bc%5D=2"
    );
    let q = |rest: &str| {
        url(
            "/p",
            &format!(
                "[{{name: q, in: query, schema: {{type: string}}, example: 'a b&c/d'{rest}}}]"
            ),
        )
    };
    assert_eq!(q(""), "/p?q=a%20b%26c%2Fd");
    assert_eq!(q(", allowReserved: true"), "/p?q=a%20b%26c/d");
    assert_eq!(
        url(
            "/files/{p}",
            "[{name: p, in: path, schema: {type: string}, example: 'a/b c'}]"
        ),
        "/files/a%2Fb%20c"
    );
    let list = |place: &str, name: &str| {
        let document = plain(&format!(
            "paths: {{/p: {{get: {{parameters: [{{name: {name}, in: {place}, schema: {{type: array, items: {{type: integer}}}}, example: [1, 2]}}]}}}}}}"
        ));
        page(&document, "/paths/~1p/get").value.samples[0].variants[0]
            .source
            .clone()
    };
    assert!(list("cookie", "ids").contains("'Cookie: ids=1; ids=2'"));
    assert!(list("header", "X-Ids").contains("'X-Ids: 1,2'"));
}

#[test]
fn case_42_to_44_forms_of_a_body() {
    let document = plain(
        "
paths:
  /p:
    post:
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                files: {type: array, items: {type: string, format: binary}, minItems: 2}
                meta: {type: object, properties: {a: {type: integer}}}
                note: {type: object, properties: {b: {type: integer}}}
            encoding:
              meta: {contentType: application/json}
              note: {contentType: application/merge-patch+json}
          application/json:
            schema: {type: object, properties: {a: {type: integer}}}
",
    );
    let page = page(&document, POST);
    let body = page.value.body.as_ref().unwrap();
    assert_eq!(body.open_media, 1);
    assert_eq!(
        row(&body.media[0].root.as_ref().unwrap().view.contents, "files")
            .view
            .label
            .plain(),
        "file[]"
    );
    let curl = &page.value.samples[0].variants;
    assert_eq!(curl.len(), 2);
    assert_eq!(curl[0].media.as_deref(), Some("multipart/form-data"));
    let multipart = &curl[0].source;
    assert_eq!(
        multipart.matches("--form 'files=@file'").count(),
        2,
        "{multipart}"
    );
    assert!(
        multipart.contains("application/merge-patch+json"),
        "{multipart}"
    );
    assert!(!multipart.contains("Content-Type"), "{multipart}");
    assert!(
        curl[1]
            .source
            .contains("--header 'Content-Type: application/json'")
    );
    let playground = page.value.playground.as_ref().unwrap();
    let Some(Input::Object { fields, .. }) = &playground.bodies[0].input else {
        panic!("a form has fields")
    };
    assert_eq!(
        fields[0].input,
        Input::List {
            item: Box::new(Input::File),
            min_items: Some(2),
            max_items: None,
        }
    );
    let meta = &playground.bodies[0].encodings[0];
    assert_eq!(
        (meta.name.as_str(), meta.content_type.as_deref()),
        ("meta", Some("application/json"))
    );
}

const SCHEMES: &str = "components: {securitySchemes: {a: {type: http, scheme: bearer}, b: {type: apiKey, in: header, name: X-B}, c: {type: apiKey, in: query, name: c}}}";

#[test]
fn case_45_and_46_security() {
    let document = plain(&format!(
        "security: [{{a: []}}, {{b: [], c: []}}]\npaths: {{/p: {{get: {{}}, post: {{security: []}}, put: {{security: [{{}}]}}, patch: {{security: [{{}}, {{b: [], c: []}}]}}, delete: {{security: [{{nope: []}}]}}}}}}\n{SCHEMES}"
    ));
    let security = |method: &str| {
        page(&document, &format!("/paths/~1p/{method}"))
            .value
            .security
    };
    let get = security("get");
    let labels: Vec<&str> = get
        .alternatives
        .iter()
        .map(|one| one.label.as_str())
        .collect();
    assert_eq!(labels, ["a", "b + c"]);
    assert!(!get.is_optional);
    assert_eq!(get.alternatives[0].schemes[0].anchor, "auth-a");
    assert_eq!(security("post"), Default::default());
    assert!(security("put").is_none);
    let patch = page(&document, "/paths/~1p/patch");
    assert!(patch.value.security.is_optional);
    let curl = &patch.value.samples[0].variants[0].source;
    assert!(
        curl.contains("'X-B: <api-key>'") && curl.contains("c=%3Capi-key%3E"),
        "{curl}"
    );
    let delete = page(&document, "/paths/~1p/delete");
    assert_eq!(codes(&delete), ["security-missing"]);
    assert_eq!(
        delete.value.security.alternatives[0].schemes[0].label,
        "unknown scheme"
    );
}

#[test]
fn scopes_that_an_operation_needs_come_first() {
    let document = plain(
        "{security: [{o: [c, b]}], components: {securitySchemes: {o: {type: oauth2, flows: {implicit: {authorizationUrl: https://a, scopes: {a: A, b: B, c: C, d: D}}}}}}, paths: {/p: {get: {responses: {}}}}}",
    );
    let page = page(&document, "/paths/~1p/get");
    let SchemeKind::OAuth2 { flows, .. } = &page.value.security.alternatives[0].schemes[0].kind
    else {
        panic!("{:?}", page.value.security);
    };
    let scopes: Vec<&str> = flows[0].scopes.iter().map(|scope| &*scope.name).collect();
    assert_eq!(scopes, ["b", "c", "a", "d"]);
}

#[test]
fn case_47_and_48_servers() {
    let document = plain("paths: {/p: {get: {}}}");
    let none = page(&document, "/paths/~1p/get");
    assert!(none.value.servers.is_empty());
    assert_eq!(
        none.value.samples[0].variants[0].source,
        "curl --url '{baseUrl}/p'"
    );
    let document = plain(
        "servers: [{url: 'https://other'}]\npaths: {/p: {servers: [{url: 'https://{region}.h/v1/', variables: {region: {enum: [eu, us], default: us}}}], get: {}}}",
    );
    let page = page(&document, "/paths/~1p/get");
    let server = &page.value.servers[0];
    assert_eq!(server.address, "https://us.h/v1");
    assert_eq!(server.variables[0].values, ["eu", "us"]);
    assert_eq!(
        page.value.samples[0].variants[0].source,
        "curl --url 'https://us.h/v1/p'"
    );
}

#[test]
fn case_49_callbacks() {
    let document = plain(
        "
paths:
  /p:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {callbackUrl: {type: string}}}}}}
      callbacks:
        onEvent:
          '{$request.body#/callbackUrl}':
            post:
              requestBody: {content: {application/json: {schema: {type: object, properties: {id: {type: integer, readOnly: true}, secret: {type: string, writeOnly: true}}}}}}
              responses: {'200': {description: ok}}
",
    );
    let page = page(&document, POST);
    let callback = &page.value.callbacks[0];
    assert_eq!(callback.anchor, "callback-onEvent");
    let request = &callback.requests[0];
    assert_eq!(request.method, "POST");
    assert_eq!(request.expression, "{$request.body#/callbackUrl}");
    assert_eq!(request.href.as_deref(), Some("#body-callbackUrl"));
    let body = request.body.as_ref().unwrap();
    assert_eq!(
        outline(&body.media[0].root.as_ref().unwrap().view.contents),
        "id integer read-only\n"
    );
    assert_eq!(request.responses[0].status, "200");
}

#[test]
fn case_50_a_title_of_method_and_path() {
    let document = plain("paths: {'/users/{id}': {get: {}}}");
    assert_eq!(
        page(&document, "/paths/~1users~1{id}/get").value.title,
        "GET /users/{id}"
    );
}

#[test]
fn case_51_and_52_pills() {
    let settings = Settings {
        pills: vec!["nullable".to_owned(), "x-internal".to_owned()],
        ..Settings::default()
    };
    let pills = |text: &str| {
        let document = both_ways(
            "3.1.0",
            "{}",
            &format!("{{type: object, properties: {{p: {text}}}}}"),
        );
        let page = page_with(&document, POST, &settings);
        let row = row(&response(&page).contents, "p").clone();
        let after: Vec<String> = row.after.iter().map(|pill| pill.text.clone()).collect();
        (
            row.before,
            row.view.label.plain(),
            after,
            codes(&page).join(" "),
        )
    };
    let (before, label, after, _) = pills(
        "{type: [string, 'null'], readOnly: true, x-internal: admin, x-docs: {pre: [PII], post: [indexed]}}",
    );
    assert_eq!(before, ["PII"]);
    assert_eq!(label, "string | null");
    assert_eq!(after, ["read-only", "nullable", "admin", "indexed"]);
    let (before, ..) = pills("{type: string, x-mint: {pre: [PII]}}");
    assert_eq!(before, ["PII"]);
    let table: [(&str, &[&str]); 5] = [
        ("true", &["x-internal"]),
        ("false", &[]),
        ("7", &["7"]),
        ("[a, b]", &["a", "b"]),
        ("{}", &[]),
    ];
    for (value, expected) in table {
        let (_, _, after, _) = pills(&format!("{{type: string, x-internal: {value}}}"));
        assert_eq!(after, expected, "{value}");
    }
    let (_, _, after, codes) = pills("{type: string, x-docs: {post: [1, ok]}}");
    assert_eq!(
        (after, codes.as_str()),
        (vec!["ok".to_owned()], "pill-type")
    );
}

#[test]
fn case_53_and_54_responses() {
    let document = plain(
        "paths: {/p: {get: {responses: {'2XX': {description: fine}, default: {description: else}, '2000': {description: odd}, '404': {description: none, content: {text/event-stream: {schema: {type: object, properties: {event: {type: string}}}}}}}}}}",
    );
    let page = page(&document, "/paths/~1p/get");
    let labels: Vec<&str> = page
        .value
        .responses
        .iter()
        .map(|one| one.label.as_str())
        .collect();
    assert_eq!(labels, ["2XX", "Default", "2000", "404"]);
    assert_eq!(page.value.open_response, 0);
    assert_eq!(codes(&page), ["status-invalid"]);
    let stream = &page.value.responses[3].media[0];
    assert_eq!(
        outline(&stream.root.as_ref().unwrap().view.contents),
        "event string\n"
    );
}

#[test]
fn case_55_and_56_references() {
    let thirty = both_ways(
        "3.0.3",
        "X: {type: string, description: target, minLength: 1}",
        "{type: object, properties: {a: {$ref: '#/components/schemas/X', description: d, maxLength: 3}}}",
    );
    let thirty = page(&thirty, POST);
    let a = row(&request(&thirty).contents, "a");
    assert_eq!(a.description, "d");
    assert_eq!(chips(&a.view), ["≥ 1 characters"]);
    let thirty_one = with(
        "X: {type: string, description: target, minLength: 1}",
        "{type: object, properties: {a: {$ref: '#/components/schemas/X', description: d, maxLength: 3}}}",
    );
    assert_eq!(
        chips(&row(&request(&thirty_one).contents, "a").view),
        ["1 – 3 characters"]
    );
    let encoded = with(
        "{'a/b c': {type: integer}}",
        "{$ref: '#/components/schemas/a~1b%20c'}",
    );
    assert_eq!(request(&encoded).label.plain(), "integer");
    assert!(encoded.diagnostics.is_empty(), "{:?}", encoded.diagnostics);
    let broken = schema(
        "{type: object, properties: {a: {$ref: 'other.yaml#/X'}, b: {$ref: '#/components/schemas/No'}}}",
    );
    assert_eq!(
        outline(&request(&broken).contents),
        "a unresolved\nb unresolved\n"
    );
    assert_eq!(codes(&broken), ["ref-external", "ref-missing"]);
    let note = row(&request(&broken).contents, "a")
        .view
        .note
        .as_ref()
        .unwrap();
    assert_eq!(note[0].text, "other.yaml#/X");
}

/// Raw HTML of a description is left as it is here; templates clean it.
#[test]
fn case_57_descriptions_are_markdown() {
    let page =
        schema("{type: object, properties: {a: {description: '<script>x</script><b>bold</b>'}}}");
    assert_eq!(
        row(&request(&page).contents, "a").description,
        "<script>x</script><b>bold</b>"
    );
}

#[test]
fn case_59_odd_names() {
    let page = schema(
        "{type: object, properties: {constructor: {type: string}, __proto__: {type: string}, a b: {type: string}, a-b: {type: string}, a.b: {type: string}, 日本: {type: string}}}",
    );
    let rows = &request(&page).contents.rows;
    let anchors: Vec<&str> = rows.iter().map(|row| row.anchor.as_str()).collect();
    let expected = [
        "body-constructor",
        "body-__proto__",
        "body-a-b",
        "body-a-b-2",
        "body-a.b",
        "body-日本",
    ];
    assert_eq!(anchors, expected);
}

#[test]
fn case_60_conditions() {
    let page = schema(
        "{type: object, properties: {t: {type: string}, y: {type: integer}}, if: {properties: {t: {const: x}}}, then: {required: [y]}}",
    );
    let expected = "t string\ny integer\nWhen t is \"x\":\n  y integer required\n";
    assert_eq!(outline(&request(&page).contents), expected);
    let value: Value = serde_json::from_str(&sent(&page)).unwrap();
    assert_eq!(value["t"], json!("x"));
    assert!(value.get("y").is_some());
}

#[test]
fn both_forms_of_a_document_give_one_page() {
    let yaml = "paths: {'/p/{id}': {post: {parameters: [{name: id, in: path, required: true, schema: {type: integer, minimum: 1}}], requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: number, example: 1.5}, b: {enum: [x, 2, null]}}}}}}, responses: {200: {description: ok}}}}}\nopenapi: 3.1.0";
    let from_yaml = base::data::yaml::parse_document(yaml).unwrap().value;
    let text = serde_json::to_string_pretty(&from_yaml).unwrap();
    let from_json: Value = serde_json::from_str(&text).unwrap();
    let (one, other) = (Plain::new(from_yaml), Plain::new(from_json));
    let pointer = "/paths/~1p~1{id}/post";
    assert_eq!(page(&one, pointer), page(&other, pointer));
    assert_eq!(page(&one, pointer).value.responses[0].status, "200");
}

#[test]
fn a_query_style_is_part_of_the_playground() {
    let document = plain(
        "paths: {/p: {get: {parameters: [{name: f, in: query, style: pipeDelimited, schema: {type: array, items: {type: string, format: date}}}]}}}",
    );
    let page = page(&document, "/paths/~1p/get");
    let parameter = &page.value.playground.as_ref().unwrap().parameters[0];
    assert_eq!(
        (parameter.style, parameter.explode),
        (Style::PipeDelimited, false)
    );
    let text = serde_json::to_string(parameter).unwrap();
    assert_eq!(
        text,
        r#"{"name":"f","in":"query","style":"pipeDelimited","explode":false,"input":"list","item":{"input":"text","type":"date"}}"#
    );
}

#[test]
fn a_label_says_what_a_union_or_a_tuple_holds() {
    let cases = [
        (
            "{anyOf: [{type: string}, {type: integer}, {type: number}, {type: boolean}]}",
            "string | integer | number | boolean",
        ),
        (
            "{type: object, additionalProperties: {type: [string, integer, number, boolean, 'null']}}",
            "map<string, string | integer | number | boolean | null>",
        ),
        // The branches of a union within a union are those of the union.
        (
            "{type: array, items: {anyOf: [{oneOf: [{$ref: '#/components/schemas/AVeryLongName'}, {$ref: '#/components/schemas/B'}]}, {oneOf: [{$ref: '#/components/schemas/C'}, {$ref: '#/components/schemas/D'}, {$ref: '#/components/schemas/AnotherLongName'}]}]}}",
            "(AVeryLongName | B | C | +2)[]",
        ),
        (
            "{anyOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}, {$ref: '#/components/schemas/D'}, {$ref: '#/components/schemas/AnotherLongName'}]}",
            "B | C | D | +1",
        ),
        (
            "{type: array, prefixItems: [{type: string}, {type: integer}], minItems: 2, maxItems: 2}",
            "[string, integer]",
        ),
        (
            "{type: array, prefixItems: [{type: string}], minItems: 1}",
            "[string, …any]",
        ),
        // Objects without a name say no more twice.
        (
            "{oneOf: [{type: object, properties: {a: {}}}, {type: object, properties: {b: {}}}]}",
            "object",
        ),
    ];
    let named = ["AVeryLongName", "AnotherLongName", "B", "C", "D"];
    let named = named
        .map(|name| format!("{name}: {{type: object, properties: {{x{name}: {{type: string}}}}}}"));
    let schemas = format!("{{{}}}", named.join(", "));
    for (text, expected) in cases {
        let page = with(&schemas, text);
        assert_eq!(request(&page).label.plain(), expected, "{text}");
    }
}
