//! Where requests go and what they carry, as samples and rows have it: base addresses, parameters with `content`, forms, cookies,
//! addresses of OAuth 2.0.

use openapi::endpoint::{Endpoint, Modelled, SchemeKind, Settings};
use openapi::plain::Plain;
use serde_json::{Value, json};

use super::{page_with, plain};

fn settings() -> Settings {
    Settings {
        languages: vec!["curl".to_owned()],
        ..Settings::default()
    }
}

fn get(document: &Plain) -> Modelled<Endpoint> {
    page_with(document, "/paths/~1p/get", &settings())
}

/// The first sample of `GET /p`, in one line.
fn sample(document: &Plain) -> String {
    let page = get(document).value;
    page.samples[0].variants[0].source.replace(" \\\n ", "")
}

/// What the first row of `GET /p` says of how it is sent.
fn sent_as(document: &Plain) -> String {
    let page = get(document).value;
    let row = &page.parameters[0].rows[0];
    let spans = row.view.chips.iter().flatten();
    let text: String = spans.map(|span| span.text.as_str()).collect();
    text.split_once("sent as ")
        .map_or(String::new(), |(_, text)| text.to_owned())
}

fn with_parameter(parameter: &str) -> Plain {
    let path = match parameter.contains("in: path") {
        true => "/p/{t}",
        false => "/p",
    };
    let mut document = plain(&format!(
        "
servers: [{{url: 'https://h.example'}}]
paths:
  /p: {{get: {{parameters: [{parameter}], responses: {{'204': {{description: ok}}}}}}}}
"
    ));
    if path != "/p" {
        let mut root = document.root().clone();
        let item = root["paths"]["/p"].take();
        root["paths"] = json!({ path: item });
        document = Plain::new(root);
    }
    document
}

#[track_caller]
fn check_parameter(parameter: &str, expected: &str) {
    let document = with_parameter(parameter);
    let pointer = match parameter.contains("in: path") {
        true => "/paths/~1p~1{t}/get",
        false => "/paths/~1p/get",
    };
    let page = page_with(&document, pointer, &settings()).value;
    let source = page.samples[0].variants[0].source.replace(" \\\n ", "");
    let source = source.replace("curl --url 'https://h.example/p", "");
    assert_eq!(source, expected, "{parameter}");
}

#[test]
fn parameters_with_content_are_written_by_their_media_type() {
    for (parameter, expected) in [
        (
            "{in: query, name: t, required: true, content: {text/plain: {schema: {type: string}, example: 'a b'}}}",
            "?t=a%20b'",
        ),
        (
            "{in: header, name: X-T, required: true, content: {text/plain: {schema: {type: string}, example: 'a b'}}}",
            "' --header 'X-T: a b'",
        ),
        (
            "{in: path, name: t, required: true, content: {text/plain: {schema: {type: string}, example: 'a b/c'}}}",
            "/a%20b%2Fc'",
        ),
        (
            "{in: cookie, name: t, required: true, content: {text/plain: {schema: {type: string}, example: 'a b'}}}",
            "' --header 'Cookie: t=a%20b'",
        ),
        (
            "{in: query, name: t, required: true, content: {text/csv: {schema: {type: string}, example: 'a,b'}}}",
            "?t=a%2Cb'",
        ),
        (
            "{in: query, name: t, required: true, content: {application/xml: {schema: {type: string}, example: '<a/>'}}}",
            "?t=%3Ca%2F%3E'",
        ),
        (
            "{in: query, name: t, required: true, content: {application/jwt: {schema: {type: string}, example: aa.bb.cc}}}",
            "?t=aa.bb.cc'",
        ),
        (
            "{in: query, name: t, required: true, content: {application/vnd.x+json: {schema: {type: string}, example: ab}}}",
            "?t=%22ab%22'",
        ),
        (
            "{in: query, name: t, required: true, content: {text/plain; charset=utf-8: {schema: {type: integer}, example: 3}}}",
            "?t=3'",
        ),
        (
            "{in: query, name: t, required: true, content: {application/x-www-form-urlencoded: {schema: {type: object}, example: {a: 1, b: x y}}}}",
            "?t=a%3D1%26b%3Dx%2By'",
        ),
        (
            "{in: query, name: t, content: {text/plain: {schema: {type: string}, examples: {one: {value: 'a b'}}}}}",
            "?t=a%20b'",
        ),
        (
            "{in: query, name: t, required: true, content: {text/plain: {}}}",
            "'",
        ),
        (
            "{in: query, name: t, required: true, content: {text/plain: {schema: {type: [string, 'null'], examples: ['a b']}}}}",
            "?t=a%20b'",
        ),
        (
            "{in: query, name: t, required: true, content: {application/xml: {schema: {type: object, xml: {name: a}, properties: {b: {type: integer, example: 1}}}}}}",
            "?t=%3C%3Fxml%20version%3D%221.0%22%20encoding%3D%22UTF-8%22%3F%3E%0A%3Ca%3E%0A%20%20%3Cb%3E1%3C%2Fb%3E%0A%3C%2Fa%3E'",
        ),
    ] {
        check_parameter(parameter, expected);
    }
}

#[test]
fn a_query_string_is_the_query() {
    for (parameter, expected) in [
        (
            "{in: querystring, name: q, required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}, b: {type: array, items: {type: integer}}}}, example: {a: x y, b: [1, 2]}}}}",
            "?a=x%20y&b=1&b=2'",
        ),
        (
            "{in: querystring, name: q, required: true, content: {application/json: {schema: {type: object}, example: {numbers: [1, 2], flag: null}}}}",
            "?%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D'",
        ),
        (
            "{in: querystring, name: q, required: true, content: {application/jsonpath: {schema: {type: string}, example: '$.a.b[1:1]'}}}",
            "?%24.a.b%5B1%3A1%5D'",
        ),
    ] {
        check_parameter(parameter, expected);
    }
}

#[test]
fn cookies_are_written_by_their_style() {
    for (parameter, expected) in [
        (
            "{in: cookie, name: c, required: true, schema: {type: string}, example: 'a b;c'}",
            "' --header 'Cookie: c=a%20b%3Bc'",
        ),
        (
            "{in: cookie, name: c, required: true, schema: {type: array, items: {type: string}}, example: [a b, c]}",
            "' --header 'Cookie: c=a%20b; c=c'",
        ),
        (
            "{in: cookie, name: c, required: true, style: cookie, schema: {type: string}, example: a%20b=}",
            "' --header 'Cookie: c=a%20b='",
        ),
        (
            "{in: cookie, name: c, required: true, style: cookie, schema: {type: object}, example: {a: 1, b: x/y}}",
            "' --header 'Cookie: a=1; b=x/y'",
        ),
    ] {
        check_parameter(parameter, expected);
    }
    let raw = |example: &str| {
        let parameter = format!(
            "{{in: cookie, name: c, required: true, style: cookie, schema: {{type: string}}, example: '{example}'}}"
        );
        let found = get(&with_parameter(&parameter)).diagnostics;
        found
            .iter()
            .any(|found| found.message.contains("the style `cookie`"))
    };
    assert!(raw("a b") && raw("a;b") && raw("ä"));
    assert!(!raw("a/b=c"));
}

#[test]
fn what_is_shown_as_sent_is_what_the_schema_allows() {
    for (parameter, expected) in [
        (
            "{name: f, in: query, style: deepObject, schema: {type: object, properties: {n: {type: integer, example: 7}}}}",
            "f[n]=7",
        ),
        (
            "{name: c, in: query, content: {application/json: {schema: {type: object, properties: {x: {type: integer}}, additionalProperties: false}}}}",
            "c={\"x\":1}",
        ),
        (
            "{name: c, in: query, content: {application/json: {schema: {type: object, properties: {x: {type: string}, y: {type: string}, z: {type: string}}}}}}",
            "c={\"x\":\"a\",\"y\":\"b\"}",
        ),
        (
            "{name: c, in: query, schema: {type: object, properties: {x: {type: string}, y: {type: boolean}, z: {type: string}}, required: [z]}}",
            "x=a&y=true&z=b",
        ),
        (
            "{name: c, in: query, schema: {type: object, additionalProperties: {type: integer}}}",
            "key=1",
        ),
        (
            "{name: c, in: query, schema: {type: object}}",
            "key1=a&key2=b",
        ),
        (
            "{name: c, in: query, schema: {type: object}, example: {mine: 1, yours: 2, theirs: 3}}",
            "mine=1&yours=2",
        ),
        (
            "{name: c, in: query, schema: {type: array, items: {type: string}}}",
            "c=a&c=b",
        ),
        (
            "{name: c, in: query, schema: {type: array, items: {type: integer}}}",
            "c=1&c=2",
        ),
        (
            "{name: c, in: query, explode: false, schema: {type: array, items: {type: string, enum: [up, down]}}}",
            "c=up,down",
        ),
        (
            "{name: c, in: query, explode: false, schema: {type: array, items: {type: string, enum: [up]}}}",
            "c=up,up",
        ),
        (
            "{name: c, in: query, explode: false, schema: {type: array, uniqueItems: true, items: {type: string, enum: [up]}}}",
            "c=up",
        ),
        (
            "{name: c, in: query, explode: false, schema: {type: array, maxItems: 1, items: {type: string}}}",
            "c=string",
        ),
        (
            "{name: c, in: query, explode: false, schema: {type: array, minItems: 3, items: {type: integer}}}",
            "c=1,1,1",
        ),
        (
            "{name: c, in: query, explode: false, schema: {type: array, items: {type: string, format: date}}, example: ['2026-01-02', '2026-01-03', '2026-01-04']}",
            "c=2026-01-02,2026-01-03",
        ),
        (
            "{name: c, in: query, explode: false, schema: {type: array, items: {type: boolean}}}",
            "c=true,true",
        ),
        (
            "{name: c, in: query, schema: {type: [object, 'null'], properties: {a: {type: string, const: only}}, additionalProperties: false}}",
            "a=only",
        ),
        (
            "{name: c, in: query, style: deepObject, schema: {type: object, properties: {in: {type: array, items: {type: integer, minimum: 5}}}}}",
            "c[in]=5&c[in]=6",
        ),
        (
            "{name: c, in: query, style: deepObject, schema: {allOf: [{type: object, properties: {a: {type: string, pattern: '^x+$'}}}]}}",
            "c[a]=x",
        ),
        (
            "{name: X, in: header, schema: {type: object, properties: {n: {type: number}}}}",
            "X: n,1.5",
        ),
        (
            "{name: q, in: querystring, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: integer}, b: {type: string}}}}}}",
            "a=1&b=b",
        ),
        (
            "{name: q, in: query, content: {text/csv: {schema: {type: array, items: {type: string}}}}}",
            "",
        ),
    ] {
        assert_eq!(sent_as(&with_parameter(parameter)), expected, "{parameter}");
    }
}

#[test]
fn objects_in_forms_are_json_unless_a_style_is_said() {
    let body = |encoding: &str| {
        let document = plain(&format!(
            "
servers: [{{url: 'https://h.example'}}]
paths:
  /p: {{post: {{requestBody: {{content: {{application/x-www-form-urlencoded: {{
    schema: {{type: object, properties: {{n: {{type: string}}, o: {{type: object, properties: {{m: {{type: string}}}}}}, l: {{type: array, items: {{type: string}}}}, d: {{type: array, items: {{type: object}}}}}}}},
    example: {{n: a b, o: {{m: x y}}, l: [a, b], d: [{{k: 1}}]}}{encoding}}}}}}}, responses: {{'204': {{description: ok}}}}}}}}
"
        ));
        let page = page_with(&document, "/paths/~1p/post", &settings()).value;
        let source = &page.samples[0].variants[0].source;
        source
            .split("--data '")
            .nth(1)
            .unwrap()
            .trim_end_matches('\'')
            .to_owned()
    };
    let rest = "&l=a&l=b&d=%7B%22k%22%3A1%7D";
    assert_eq!(body(""), format!("n=a+b&o=%7B%22m%22%3A%22x+y%22%7D{rest}"));
    let typed = ", encoding: {o: {contentType: application/json}, n: {contentType: text/plain}}";
    assert_eq!(
        body(typed),
        format!("n=a+b&o=%7B%22m%22%3A%22x+y%22%7D{rest}")
    );
    assert_eq!(
        body(", encoding: {o: {style: form}}"),
        format!("n=a+b&m=x+y{rest}")
    );
    assert_eq!(
        body(", encoding: {o: {style: deepObject}}"),
        format!("n=a+b&o%5Bm%5D=x+y{rest}")
    );
    assert_eq!(
        body(", encoding: {o: {explode: false}}"),
        format!("n=a+b&o=m,x+y{rest}")
    );
}

fn at(servers: &str, base: &str) -> Plain {
    let mut document = plain(&format!(
        "{servers}\npaths: {{/p: {{get: {{responses: {{'204': {{description: ok}}}}}}}}}}"
    ));
    base.clone_into(&mut document.base);
    document
}

#[test]
fn relative_servers_are_below_where_the_document_is() {
    let stored = "/specs/api.yaml";
    let fetched = "https://api.example.org/v3/openapi.json";
    for (url, base, expected) in [
        ("/api/v1", stored, "curl --url '{baseUrl}/api/v1/p'"),
        (
            "/api/v1/",
            fetched,
            "curl --url 'https://api.example.org/api/v1/p'",
        ),
        (
            "v1",
            fetched,
            "curl --url 'https://api.example.org/v3/v1/p'",
        ),
        (
            "../v1",
            fetched,
            "curl --url 'https://api.example.org/v1/p'",
        ),
        ("/", fetched, "curl --url 'https://api.example.org/p'"),
        ("/", stored, "curl --url '{baseUrl}/p'"),
        ("./", stored, "curl --url '{baseUrl}/specs/p'"),
        (
            "//other.example/v1",
            stored,
            "curl --url 'https://other.example/v1/p'",
        ),
        (
            "https://h.example/v1",
            stored,
            "curl --url 'https://h.example/v1/p'",
        ),
        (
            "/{stage}",
            "https://docs.example/api.yaml",
            "curl --url 'https://docs.example/test/p'",
        ),
    ] {
        let variables = if url.contains('{') {
            ", variables: {stage: {default: test}}"
        } else {
            ""
        };
        let document = at(&format!("servers: [{{url: '{url}'{variables}}}]"), base);
        assert_eq!(sample(&document), expected, "{url}");
    }
    let page = get(&at("servers: [{url: /api/v1}]", stored)).value;
    assert_eq!(page.servers[0].address, "{baseUrl}/api/v1");
    let island = serde_json::to_value(page.playground).unwrap();
    assert_eq!(island["servers"][0]["relative"], json!(true));
    let page = get(&at("servers: [{url: /api/v1}]", fetched)).value;
    let island = serde_json::to_value(page.playground).unwrap();
    assert_eq!(island["servers"][0].get("relative"), None);
}

#[test]
fn addresses_of_oauth_are_those_of_the_server_and_say_when_they_are_none() {
    let of = |servers: &str, flow: &str| {
        let document = plain(&format!(
            "
{servers}
security: [{{o: [read]}}]
paths: {{/p: {{get: {{responses: {{'204': {{description: ok}}}}}}}}}}
components: {{securitySchemes: {{o: {{type: oauth2, flows: {{authorizationCode: {flow}}}}}}}}}
"
        ));
        let page = get(&document);
        let kind = &page.value.security.alternatives[0].schemes[0].kind;
        let SchemeKind::OAuth2 { flows, .. } = kind else {
            panic!("{kind:?}")
        };
        let flow = &flows[0];
        let addresses = [&flow.authorization_url, &flow.token_url, &flow.refresh_url];
        let addresses = addresses.map(|address| address.clone().unwrap_or_default());
        let told = page
            .diagnostics
            .iter()
            .filter(|found| found.code.name() == "oauth-address");
        let told: Vec<String> = told.map(|found| found.place.clone()).collect();
        let island: Value = serde_json::to_value(page.value.playground).unwrap();
        (
            addresses.join(" "),
            told,
            island["security"][0][0]["flows"][0]["tokenUrl"].clone(),
        )
    };
    let servers = "servers: [{url: 'https://{tenant}.example.com/v2', variables: {tenant: {default: demo}}}, {url: 'https://b.example'}]";
    let (shown, told, raw) = of(
        servers,
        "{authorizationUrl: 'https://{tenant}.example.com/oauth/authorize', tokenUrl: /oauth/token, refreshUrl: ../refresh, scopes: {}}",
    );
    assert_eq!(
        shown,
        "https://demo.example.com/oauth/authorize https://demo.example.com/oauth/token https://demo.example.com/refresh"
    );
    assert_eq!(told, [] as [&str; 0]);
    // The page's script fills in what its reader chooses.
    assert_eq!(raw, "/oauth/token");
    let (shown, told, _) = of(
        servers,
        "{authorizationUrl: 'https://{nobody}.example.com/a', tokenUrl: 'https://a.example/t', scopes: {}}",
    );
    assert_eq!(shown, "https://{nobody}.example.com/a https://a.example/t ");
    assert_eq!(
        told,
        ["/components/securitySchemes/o/flows/authorizationCode/authorizationUrl"]
    );
    let (shown, told, _) = of(
        "",
        "{authorizationUrl: /a, tokenUrl: 'https://a.example/t', scopes: {}}",
    );
    assert_eq!(shown, "/a https://a.example/t ");
    assert_eq!(told.len(), 1);
}

#[test]
fn addresses_of_configurations_are_those_of_the_server() {
    let of = |version: &str, scheme: &str| {
        let document = plain(&format!(
            "
openapi: {version}
servers: [{{url: 'https://{{tenant}}.example.com/v2', variables: {{tenant: {{default: demo}}}}}}]
security: [{{o: []}}]
paths: {{/p: {{get: {{responses: {{'200': {{description: ok}}}}}}}}}}
components: {{securitySchemes: {{o: {scheme}}}}}
"
        ));
        let page = get(&document);
        let scheme = page.value.security.alternatives[0].schemes[0].clone();
        match scheme.kind {
            SchemeKind::OpenIdConnect { url } => url,
            SchemeKind::OAuth2 { metadata_url, .. } => metadata_url.unwrap_or_default(),
            other => format!("{other:?}"),
        }
    };
    for (written, expected) in [
        (
            "/.well-known/openid",
            "https://demo.example.com/.well-known/openid",
        ),
        (
            "'https://{tenant}.example.com/x'",
            "https://demo.example.com/x",
        ),
        ("'https://a.example/x'", "https://a.example/x"),
        ("''", ""),
    ] {
        for version in ["3.0.3", "3.1.0"] {
            let scheme = format!("{{type: openIdConnect, openIdConnectUrl: {written}}}");
            assert_eq!(of(version, &scheme), expected, "{version}");
        }
        let scheme = format!("{{type: oauth2, oauth2MetadataUrl: {written}, flows: {{}}}}");
        assert_eq!(of("3.2.0", &scheme), expected);
    }
}

#[test]
fn expressions_of_callbacks_name_parameters_of_the_operation() {
    let of = |expression: &str, more: &str| {
        let document = plain(&format!(
            "
servers: [{{url: 'https://a.example'}}]
paths:
  /p:
    parameters: [{{name: of-path, in: query, schema: {{type: string}}}}]
    get:
      parameters: [{{name: url, in: query, schema: {{type: string}}}}, {{name: id, in: path, required: true, schema: {{type: string}}}}{more}]
      callbacks: {{c: {{'{expression}': {{post: {{responses: {{'200': {{description: ok}}}}}}}}}}}}
      responses: {{'200': {{description: ok}}}}
"
        ));
        let found = get(&document).diagnostics.into_iter();
        let found = found.filter(|found| found.code.name() == "callback-expression");
        found
            .map(|found| found.hint.unwrap_or_default())
            .collect::<Vec<_>>()
    };
    for expression in [
        "{$request.query.url}",
        "{$request.query.of-path}/a",
        "https://a.example/{$request.path.id}?x={$request.query.url}",
        "{$request.header.X-Any}",
        "{$url}",
        "{$request.query",
    ] {
        assert_eq!(of(expression, ""), [""; 0], "{expression}");
    }
    assert_eq!(of("{$request.query.ur}", ""), ["did you mean `url`?"]);
    assert_eq!(
        of("{$request.path.nope}", ""),
        ["name a parameter of the operation"]
    );
    assert_eq!(of("{$request.query.url}/{$request.path.url}", "").len(), 1);
    // One of another document may be it.
    assert_eq!(
        of("{$request.query.nope}", ", {$ref: 'other.yaml#/x'}"),
        [""; 0]
    );
}

#[test]
fn expressions_of_links_name_parts_of_the_request_and_the_response() {
    let of = |expression: &str| {
        let document = plain(&format!(
            "
servers: [{{url: 'https://a.example'}}]
paths:
  /p:
    get:
      operationId: self
      parameters: [{{name: url, in: query, schema: {{type: string}}}}, {{name: X-Own, in: header, schema: {{type: string}}}}, {{name: id, in: path, required: true, schema: {{type: string}}}}]
      requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{a: {{type: object, properties: {{b: {{type: string}}}}}}, open: {{}}}}}}}}}}}}
      responses:
        '200':
          description: ok
          headers: {{Location: {{schema: {{type: string}}}}}}
          content:
            application/json: {{schema: {{type: object, properties: {{id: {{type: string}}, list: {{type: array, items: {{$ref: '#/components/schemas/Item'}}}}, any: {{oneOf: [{{type: object}}, {{type: string}}]}}, map: {{type: object, additionalProperties: {{type: integer}}}}}}}}}}
            application/xml: {{schema: {{type: object, properties: {{only: {{type: string}}}}}}}}
          links: {{self: {{operationId: self, parameters: {{id: '{expression}'}}}}}}
components: {{schemas: {{Item: {{type: object, properties: {{uid: {{type: string}}, a/b: {{type: string}}}}}}}}}}
"
        ));
        let found = get(&document).diagnostics.into_iter();
        let found = found.filter(|found| found.code.name() == "link-expression");
        found
            .map(|found| {
                assert!(found.place.ends_with("/links/self/parameters/id"));
                found.hint.unwrap_or_default()
            })
            .collect::<Vec<_>>()
    };
    for expression in [
        "$response.body",
        "$response.body#",
        "$response.body#/id",
        "$response.body#/list/0/uid",
        "$response.body#/list/0/a~1b",
        "$response.body#/any/whatever",
        "$response.body#/map/some",
        "$response.body#/only",
        "$response.header.location",
        "$response.header.Content-Type",
        "$request.body#/a/b",
        "$request.body#/open/x/y",
        "$request.query.url",
        "$request.path.id",
        "$request.header.x-own",
        "$url",
        "$method",
        "a constant",
        "{$response.body#/id}-{$request.query.url}",
    ] {
        assert_eq!(of(expression), [""; 0], "{expression}");
    }
    let nothing = "name a part that is described there";
    for (expression, hint) in [
        ("$response.body#/idd", "did you mean `id`?"),
        ("$response.body#/list/0/uidd", "did you mean `uid`?"),
        ("$response.body#/list/first/uid", nothing),
        ("$response.body#/id/x", nothing),
        ("$response.header.Locaton", "did you mean `Location`?"),
        ("$response.header.X-Other", nothing),
        ("$request.body#/a/other", nothing),
        ("$request.body#/nothing", nothing),
        ("$request.query.ur", "did you mean `url`?"),
        ("$request.path.url", nothing),
        ("$request.header.nope", nothing),
        ("x-{$response.body#/idd}", "did you mean `id`?"),
    ] {
        assert_eq!(of(expression), [hint], "{expression}");
    }
}

/// Pets by their kind, which a mapping names otherwise than their schemas.
#[test]
fn a_parameter_with_a_discriminator_is_sent_with_the_value_of_its_mapping() {
    let mapping = "propertyName: kind, mapping: {cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}";
    let of = |schema: &str| {
        let document = plain(&format!(
            "
servers: [{{url: 'https://h.example'}}]
paths:
  /p: {{get: {{parameters: [{{name: pet, in: query, required: true, style: deepObject, schema: {schema}}}], responses: {{'204': {{description: ok}}}}}}}}
components:
  schemas:
    Base: {{type: object, required: [kind], properties: {{kind: {{type: string}}, name: {{type: string}}}}, discriminator: {{{mapping}}}}}
    Cat: {{allOf: [{{$ref: '#/components/schemas/Base'}}, {{type: object, properties: {{lives: {{type: integer}}}}}}]}}
    Dog: {{allOf: [{{$ref: '#/components/schemas/Base'}}, {{type: object, properties: {{bark: {{type: boolean}}}}}}]}}
    Tom: {{type: object, required: [kind], properties: {{kind: {{type: string}}, lives: {{type: integer}}}}}}
    Rex: {{type: object, required: [kind], properties: {{kind: {{type: string}}, bark: {{type: boolean}}}}}}
"
        ));
        (sent_as(&document), sample(&document))
    };
    let tom = "propertyName: kind, mapping: {cat: '#/components/schemas/Tom', dog: '#/components/schemas/Rex'}";
    let union = "[{$ref: '#/components/schemas/Tom'}, {$ref: '#/components/schemas/Rex'}]";
    for schema in [
        "{$ref: '#/components/schemas/Base'}".to_owned(),
        "{allOf: [{$ref: '#/components/schemas/Base'}], description: d}".to_owned(),
        format!("{{oneOf: {union}, discriminator: {{{tom}}}}}"),
        format!("{{anyOf: {union}, discriminator: {{{tom}}}}}"),
        format!("{{type: object, oneOf: {union}, discriminator: {{{tom}}}}}"),
        format!(
            "{{type: object, required: [kind], properties: {{kind: {{type: string}}}}, oneOf: {union}, discriminator: {{{tom}}}}}"
        ),
        "{$ref: '#/components/schemas/Cat'}".to_owned(),
    ] {
        let (shown, code) = of(&schema);
        assert!(shown.starts_with("pet[kind]=cat&pet["), "{schema}: {shown}");
        assert!(
            code.contains("pet%5Bkind%5D=cat") || code.contains("pet[kind]=cat"),
            "{schema}: {code}"
        );
    }
}

/// The first sample of `POST /p`.
pub(super) fn text_of(document: &Plain) -> String {
    let page = page_with(document, "/paths/~1p/post", &settings()).value;
    page.samples[0].variants[0].source.clone()
}
