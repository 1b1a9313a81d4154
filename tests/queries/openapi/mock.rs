//! The mock: which operation a request is for, what is wrong with it, and what comes back.

use openapi::endpoint::{Endpoint, Settings};
use openapi::mock::path::Values;
use openapi::mock::{Answer, Call, Preference, answer};
use openapi::operation::endpoint;
use openapi::plain::Plain;
use serde_json::Value;

use super::corpus::documents;
use super::{operations, plain};

const SHOP: &str = r#"
security: [{key: []}, {token: []}]
paths:
  /orders/{id}:
    get:
      security: []
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, minimum: 1}}
        - {name: ids, in: query, schema: {type: array, items: {type: integer}, maxItems: 3}}
        - {name: piped, in: query, style: pipeDelimited, explode: false, schema: {type: array, items: {type: string, enum: [a, b]}}}
        - {name: filter, in: query, style: deepObject, schema: {type: object, properties: {size: {type: integer}, deep: {type: object, properties: {on: {type: boolean}}}, rules: {type: array, items: {type: object, additionalProperties: false, properties: {on: {type: boolean}, by: {type: array, items: {type: integer}}}}}}}}
        - {name: color, in: query, schema: {type: object, properties: {R: {type: integer}, G: {type: integer}}}}
        - {name: exact, in: query, content: {application/json: {schema: {type: object, required: [a]}}}}
        - {name: X-Days, in: header, schema: {type: array, items: {type: integer}}}
        - {name: visits, in: cookie, schema: {type: integer}}
        - {name: page, in: query, required: true, schema: {type: string, pattern: '^\d+$'}}
      responses:
        '200':
          description: ''
          headers: {X-Rate: {schema: {type: integer}, example: 60}}
          content:
            application/json:
              examples:
                full: {summary: A full order, value: {id: 1, total: 12.5}}
                empty: {value: {id: 2}}
            text/csv: {example: "id,total\n1,12.50"}
        '404': {description: '', content: {application/json: {example: {error: none}}}}
        5XX: {description: '', content: {text/plain: {example: oh}}}
  /orders:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [name], properties: {name: {type: string}, id: {type: integer, readOnly: true}, big: {type: integer}}}
          application/x-www-form-urlencoded:
            schema: {type: object, required: [name], properties: {name: {type: string}, tags: {type: array, items: {type: string}, minItems: 2}}}
          multipart/form-data:
            schema: {type: object, required: [file], properties: {file: {type: string, format: binary}, count: {type: integer}}}
          text/plain: {}
          text/csv: {schema: {type: string, maxLength: 3}}
          application/xml: {schema: {type: object}}
          application/vnd.many+json:
            schema: {type: object, required: [a, b], additionalProperties: false, properties: {a: {type: string}, b: {type: string}, n: {type: integer, minimum: 1}, deep: {type: array, items: {type: object, required: [x], properties: {x: {type: boolean}}}}}}
      responses:
        '201': {description: ''}
        '422': {description: ''}
  /stream:
    get:
      security: []
      responses:
        '200': {description: '', content: {text/event-stream: {example: {delta: hi}}}}
components:
  securitySchemes:
    key: {type: apiKey, in: query, name: api_key}
    token: {type: http, scheme: bearer}
"#;

struct MockRequest<'a> {
    pointer: &'a str,
    path: &'a [(&'a str, &'a str)],
    query: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: &'a [u8],
}

fn send(document: &Plain, sent: &MockRequest<'_>) -> Answer {
    let owned = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        pairs.collect::<Vec<_>>()
    };
    let call = Call {
        path: &owned(sent.path),
        query: sent.query,
        headers: &owned(sent.headers),
        body: sent.body,
    };
    answer(&document, sent.pointer, &Settings::default(), &call).expect("an operation")
}

fn get(query: &str, headers: &[(&str, &str)]) -> Answer {
    get_at("7", query, headers)
}

fn get_at(id: &str, query: &str, headers: &[(&str, &str)]) -> Answer {
    let sent = MockRequest {
        pointer: "/paths/~1orders~1{id}/get",
        path: &[("id", id)],
        query,
        headers,
        body: b"",
    };
    send(&plain(SHOP), &sent)
}

fn post(kind: &str, body: &[u8]) -> Answer {
    let sent = MockRequest {
        pointer: "/paths/~1orders/post",
        path: &[],
        query: "api_key=1",
        headers: &[("content-type", kind)],
        body,
    };
    send(&plain(SHOP), &sent)
}

/// The places and names that an answer complains about.
fn complaints(answer: &Answer) -> Vec<String> {
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let listed = body["violations"].as_array();
    let names = listed.into_iter().flatten().map(|violation| {
        let text = |key: &str| violation[key].as_str().unwrap().to_owned();
        format!("{} {}", text("in"), text("name"))
    });
    names.collect()
}

#[test]
fn a_request_in_order_gets_the_first_example() {
    let answer = get("page=1", &[]);
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.headers,
        [
            ("x-rate".to_owned(), "60".to_owned()),
            ("content-type".to_owned(), "application/json".to_owned())
        ]
    );
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body.to_string(), r#"{"id":1,"total":12.5}"#);
}

#[test]
fn values_are_read_as_they_are_written() {
    for query in [
        "page=1&ids=1&ids=2",
        "page=1&piped=a%7Cb",
        "page=1&piped=a|b",
        "page=1&filter[size]=3&filter%5Bdeep%5D%5Bon%5D=true",
        "page=1&filter[rules][0][on]=true&filter[rules][0][by]=1&filter[rules][0][by]=2&filter[rules][1][on]=false",
        "page=1&R=1&G=2",
        "page=1&exact=%7B%22a%22%3A1%7D",
    ] {
        assert_eq!(get(query, &[]).status, 200, "{query}");
    }
    let headers = [("x-days", "1, 2"), ("cookie", "a=b; visits=3")];
    assert_eq!(get("page=1", &headers).status, 200);
}

#[test]
fn values_of_other_media_types_and_styles_are_read_as_they_are_written() {
    let check = |parameter: &str, query: &str, headers: &[(&str, &str)], is_right: bool| {
        let document = plain(&format!(
            "paths: {{/p: {{get: {{parameters: [{parameter}], responses: {{'200': {{description: ''}}}}}}}}}}"
        ));
        let sent = MockRequest {
            pointer: "/paths/~1p/get",
            path: &[],
            query,
            headers,
            body: b"",
        };
        let told = complaints(&send(&document, &sent));
        assert_eq!(
            told.is_empty(),
            is_right,
            "{parameter} {query} {headers:?}: {told:?}"
        );
    };
    let text = "{name: t, in: query, required: true, content: {text/plain: {schema: {type: string, enum: ['a b']}}}}";
    check(text, "t=a%20b", &[], true);
    check(text, "t=%22a%20b%22", &[], false);
    let count =
        "{name: t, in: query, required: true, content: {text/plain: {schema: {type: integer}}}}";
    check(count, "t=3", &[], true);
    check(count, "t=x", &[], false);
    let xml = "{name: t, in: query, required: true, content: {application/xml: {schema: {type: object, required: [a]}}}}";
    check(xml, "t=%3Ca%2F%3E", &[], true);
    check(xml, "", &[], false);
    let form = "{name: f, in: query, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {type: integer}}}}}}";
    check(form, "f=a%3D1%26b%3D2", &[], true);
    check(form, "f=a%3Dx", &[], false);
    let whole = "{name: q, in: querystring, required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {type: integer}, o: {type: object, properties: {n: {type: integer}}}}}}}}";
    check(whole, "a=1&o=%7B%22n%22%3A1%7D", &[], true);
    check(whole, "a=x", &[], false);
    check(whole, "a=1&o=%7B%22n%22%3A%22x%22%7D", &[], false);
    check(whole, "", &[], false);
    let json = "{name: q, in: querystring, required: true, content: {application/json: {schema: {type: object, required: [a]}}}}";
    check(json, "%7B%22a%22%3A1%7D", &[], true);
    check(json, "%7B%7D", &[], false);
    let cookie = "{name: c, in: cookie, schema: {type: string, enum: ['a b+c']}}";
    check(cookie, "", &[("cookie", "c=a%20b+c")], true);
    check(cookie, "", &[("cookie", "c=a%20b%20c")], false);
    let raw = "{name: c, in: cookie, style: cookie, schema: {type: string, enum: ['a%20b']}}";
    check(raw, "", &[("cookie", "c=a%20b")], true);
}

#[test]
fn an_object_of_a_form_is_json_under_its_name() {
    let check = |encoding: &str, body: &str, is_right: bool| {
        let document = plain(&format!(
            "paths: {{/p: {{post: {{requestBody: {{required: true, content: {{application/x-www-form-urlencoded: {{schema: {{type: object, required: [o], properties: {{o: {{type: object, required: [n], properties: {{n: {{type: integer}}}}}}}}}}{encoding}}}}}}}, responses: {{'200': {{description: ''}}}}}}}}}}"
        ));
        let sent = MockRequest {
            pointer: "/paths/~1p/post",
            path: &[],
            query: "",
            headers: &[("content-type", "application/x-www-form-urlencoded")],
            body: body.as_bytes(),
        };
        let answer = send(&document, &sent);
        assert_eq!(answer.status < 300, is_right, "{body}: {}", answer.body);
    };
    check("", "o=%7B%22n%22%3A1%7D", true);
    check("", "o=%7B%22n%22%3A%22x%22%7D", false);
    check("", "o%5Bn%5D=1", true);
    check("", "n=1", false);
    check(", encoding: {o: {style: form}}", "n=1", true);
}

#[test]
fn what_the_document_does_not_allow_is_said_by_place_and_name() {
    for (id, query, headers, expected) in [
        ("0", "page=1", &[][..], "path id"),
        ("x", "page=1", &[], "path id"),
        ("7", "", &[], "query page"),
        ("7", "page=one", &[], "query page"),
        ("7", "page=1&ids=1&ids=x", &[], "query ids"),
        ("7", "page=1&ids=1&ids=2&ids=3&ids=4", &[], "query ids"),
        ("7", "page=1&piped=a|c", &[], "query piped"),
        ("7", "page=1&filter[size]=big", &[], "query filter"),
        ("7", "page=1&filter[deep][on]=1", &[], "query filter"),
        ("7", "page=1&filter[rules][0][on]=1", &[], "query filter"),
        (
            "7",
            "page=1&filter[rules][one][on]=true",
            &[],
            "query filter",
        ),
        ("7", "page=1&R=red", &[], "query color"),
        ("7", "page=1&exact=%7B%7D", &[], "query exact"),
        ("7", "page=1&exact=nothing", &[], "query exact"),
        ("7", "page=1", &[("x-days", "1,x")], "header X-Days"),
        ("7", "page=1", &[("cookie", "visits=many")], "cookie visits"),
    ] {
        let answer = get_at(id, query, headers);
        assert_eq!(answer.status, 400, "{id} {query} {headers:?}");
        assert_eq!(complaints(&answer), [expected], "{id} {query} {headers:?}");
    }
    // All of it at once.
    let all = get_at("0", "ids=x", &[]);
    assert_eq!(complaints(&all), ["path id", "query ids", "query page"]);
}

#[test]
fn bodies_are_held_against_their_own_form() {
    let form = "application/x-www-form-urlencoded";
    let parts = "multipart/form-data; boundary=\"x\"";
    let part = |rest: &str| format!("--x\r\nContent-Disposition: form-data; {rest}\r\n--x--\r\n");
    let file = part("name=\"file\"; filename=\"a\"\r\nContent-Type: image/png\r\n\r\n\u{1}");
    let count = part("name=\"count\"\r\n\r\nmany");
    for (kind, body, status) in [
        ("application/json", r#"{"name": "a"}"#, 201),
        ("application/json; charset=utf-8", r#"{"name": "a"}"#, 201),
        // A number that no double holds.
        (
            "application/json",
            r#"{"name": "a", "big": 9007199254740993}"#,
            201,
        ),
        ("application/json", r#"{"name": 1}"#, 422),
        ("application/json", r"{}", 422),
        ("application/json", r#"{"name": "a""#, 422),
        (form, "name=a+b&tags=x&tags=y", 201),
        (form, "name=a&tags=x", 422),
        (form, "tags=x&tags=y", 422),
        (parts, file.as_str(), 201),
        (parts, count.as_str(), 422),
        (parts, "", 422),
        ("text/plain", "anything", 201),
        ("text/csv", "abc", 201),
        ("text/csv", "abcd", 422),
        ("application/xml", "<a><b/></a>", 201),
        ("application/xml; charset=utf-8", "<a><b></a>", 422),
        ("application/xml", "{}", 422),
        ("image/png", "anything", 415),
        ("", r#"{"name": "a"}"#, 201),
    ] {
        let answer = post(kind, body.as_bytes());
        assert_eq!(answer.status, status, "{kind} {body}: {}", answer.body);
    }
    assert_eq!(post("text/plain", b"").status, 422);
    // Bytes that are no text, unless another encoding is said.
    assert_eq!(post("text/plain", b"\xff").status, 422);
    assert_eq!(post("text/plain; charset=latin1", b"\xff").status, 201);
}

#[test]
fn one_fault_of_a_body_does_not_hide_the_others() {
    let body = br#"{"b": 1, "n": 0, "odd": 1, "deep": [{"x": true}, {"x": 1}, {}]}"#;
    let answer = post("application/vnd.many+json", body);
    let expected = [
        "body /a",
        "body /b",
        "body /deep/1/x",
        "body /deep/2/x",
        "body /n",
        "body /odd",
    ];
    let mut found = complaints(&answer);
    found.sort();
    assert_eq!(found, expected, "{}", answer.body);
    assert!(answer.body.contains("`minimum`"), "{}", answer.body);
}

#[test]
fn some_credentials_are_needed_and_any_will_do() {
    let with = |query: &str, headers: &[(&str, &str)]| {
        let sent = MockRequest {
            pointer: "/paths/~1orders/post",
            path: &[],
            query,
            headers,
            body: br#"{"name": "a"}"#,
        };
        send(&plain(SHOP), &sent)
    };
    let json = ("content-type", "application/json");
    assert_eq!(with("", &[json]).status, 401);
    assert_eq!(complaints(&with("", &[json])), ["security key or token"]);
    assert_eq!(with("", &[json, ("authorization", "Bearer ")]).status, 401);
    assert_eq!(with("", &[json, ("authorization", "Basic x")]).status, 401);
    assert_eq!(with("", &[json, ("authorization", "bearer x")]).status, 201);
    assert_eq!(with("api_key=x", &[json]).status, 201);
}

#[test]
fn a_client_chooses_the_response_and_its_example() {
    let prefer = |value: &str| get("page=1", &[("prefer", value)]);
    assert_eq!(prefer("status=404").status, 404);
    assert!(prefer("code=404").body.contains("none"));
    // By its class, and the number that was asked for.
    assert_eq!(prefer("status=503").status, 503);
    assert_eq!(prefer("status=503").body, "oh");
    assert!(prefer("example=empty").body.contains("\"id\": 2"));
    assert!(prefer("example=\"A full order\"").body.contains("12.5"));
    assert!(
        prefer("respond-async, status=200; example=full")
            .body
            .contains("12.5")
    );
    for unknown in ["status=418", "example=none"] {
        let answer = prefer(unknown);
        assert_eq!(answer.status, 404, "{unknown}");
        assert!(answer.body.contains("documented: "), "{}", answer.body);
    }
    for (accept, kind) in [
        ("text/csv, */*;q=0.1", "text/csv"),
        ("application/json;q=0.2, text/csv;q=0.8", "text/csv"),
        ("text/csv;q=0.5, application/json;q=0.6", "application/json"),
        ("application/json;q=0, */*", "text/csv"),
        ("text/*, application/json;q=0.9", "text/csv"),
        ("*/*", "application/json"),
        ("text/csv, application/json", "text/csv"),
        ("", "application/json"),
    ] {
        let answer = get("page=1", &[("accept", accept)]);
        let expected = ("content-type".to_owned(), kind.to_owned());
        assert_eq!(
            (answer.status, answer.headers.last()),
            (200, Some(&expected)),
            "{accept}"
        );
    }
    for accept in ["image/png", "application/json;q=0, text/csv;q=0.0"] {
        let answer = get("page=1", &[("accept", accept)]);
        assert_eq!(answer.status, 406, "{accept}");
        assert!(answer.body.contains("text/csv"), "{}", answer.body);
    }
    assert_eq!(
        Preference::of("status=x, =, wait=10"),
        Preference::default()
    );
}

const ERRORS: &str = r#"
paths:
  /exact:
    post: &post
      security: [{basic: []}]
      requestBody: {content: {application/json: {schema: {type: object, required: [n], properties: {n: {type: integer}}}}}}
      responses:
        '200': {description: '', content: {application/json: {example: {ok: true}}}}
        '400': {description: '', content: {application/json: {schema: {type: object, required: [message], properties: {message: {type: string, example: "no"}}}}}}
        '401': {description: '', headers: {WWW-Authenticate: {schema: {type: string}, example: 'Basic realm="shop"'}}, content: {application/problem+json: {example: {title: who}}}}
        '406': {description: '', content: {application/json: {example: {form: none}}}}
        '415': {description: '', content: {application/json: {examples: {a: {value: {kind: a}}, b: {value: {kind: b}}}}}}
  /other:
    post:
      security: [{token: [], key: []}]
      requestBody: {content: {application/json: {schema: {type: object, required: [n]}}}}
      responses:
        '200': {description: '', content: {application/json: {example: {ok: true}}}}
        default: {description: '', content: {application/json: {example: {code: other}}}}
  /class:
    post:
      requestBody: {content: {application/json: {schema: {type: object, required: [n]}}}}
      responses:
        '200': {description: '', content: {application/json: {example: {ok: true}}}}
        '4XX': {description: '', content: {application/json: {example: {code: class}}}}
        default: {description: '', content: {application/json: {example: {code: other}}}}
  /none:
    post:
      security: [{token: []}, {basic: []}]
      requestBody: {content: {application/json: {schema: {type: object, required: [n]}}}}
      responses:
        '200': {description: '', content: {application/json: {example: {ok: true}}}}
        '404': {description: '', content: {application/json: {example: {e: 404}}}}
components:
  securitySchemes:
    basic: {type: http, scheme: basic}
    token: {type: http, scheme: bearer}
    key: {type: apiKey, in: header, name: X-Key}
"#;

#[test]
fn errors_are_those_of_the_document() {
    let wrong = |path: &str, headers: &[(&str, &str)], body: &[u8]| {
        let pointer = format!("/paths/~1{path}/post");
        let sent = MockRequest {
            pointer: &pointer,
            path: &[],
            query: "",
            headers,
            body,
        };
        let answer = send(&plain(ERRORS), &sent);
        let header = |name: &str| {
            let mut headers = answer.headers.iter();
            let found = headers.find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        let violations: Value =
            serde_json::from_str(&header("quire-violations")).unwrap_or_default();
        (
            answer.status,
            body,
            header("content-type"),
            header("www-authenticate"),
            violations,
        )
    };
    let json = ("content-type", "application/json");
    let basic = ("authorization", "Basic eDp5");
    let token = ("authorization", "Bearer x");
    let (status, body, kind, challenge, violations) = wrong("exact", &[json], b"{}");
    assert_eq!((status, body["title"].as_str()), (401, Some("who")));
    assert_eq!(
        (kind.as_str(), challenge.as_str()),
        ("application/problem+json", "Basic realm=\"shop\"")
    );
    assert_eq!(violations[0]["in"], "security");
    let (status, body, _, _, violations) = wrong("exact", &[json, basic], br#"{"n": "\u00e4"}"#);
    assert_eq!(
        (status, body.to_string().as_str()),
        (400, r#"{"message":"no"}"#)
    );
    assert_eq!(
        violations.to_string(),
        r#"[{"in":"body","name":"/n","message":"`type` is \"integer\", and \"ä\" was given (`#/paths/~1exact/post/requestBody/content/application~1json/schema/properties/n`)","keyword":"type","expected":"integer","given":"ä"}]"#
    );
    let (status, body, ..) = wrong("exact", &[basic, ("content-type", "text/csv")], b"x");
    assert_eq!((status, body["kind"].as_str()), (415, Some("a")));
    let prefer = ("prefer", "code=415, example=b");
    let (status, body, ..) = wrong(
        "exact",
        &[basic, prefer, ("content-type", "text/csv")],
        b"x",
    );
    assert_eq!((status, body["kind"].as_str()), (415, Some("b")));
    let (status, body, ..) = wrong(
        "exact",
        &[json, basic, ("accept", "text/csv")],
        br#"{"n": 1}"#,
    );
    assert_eq!((status, body["form"].as_str()), (406, Some("none")));
    // What the document says of everything else.
    let (status, body, _, challenge, _) = wrong("other", &[json], b"{}");
    assert_eq!(
        (status, body["code"].as_str(), challenge.as_str()),
        (401, Some("other"), "Bearer")
    );
    let (status, body, ..) = wrong("other", &[json, token, ("x-key", "1")], b"{}");
    assert_eq!((status, body["code"].as_str()), (422, Some("other")));
    let (status, body, ..) = wrong("class", &[json], b"{}");
    assert_eq!((status, body["code"].as_str()), (422, Some("class")));
    // Nothing is documented.
    let (status, body, kind, challenge, violations) = wrong("none", &[json], b"{}");
    assert_eq!(
        (status, challenge.as_str()),
        (401, "Bearer, Basic realm=\"mock\"")
    );
    assert_eq!(
        (kind.as_str(), &violations),
        ("application/problem+json", &Value::Null)
    );
    assert_eq!(body["violations"][0]["in"], "security");
    let (status, body, ..) = wrong("none", &[json, token], b"{}");
    assert_eq!(status, 400);
    assert_eq!(body["violations"][0]["keyword"], "required");
}

#[test]
fn headers_pictures_and_values_of_schemas_are_sent() {
    const SOURCE: &str = r#"
paths:
  /a:
    get:
      parameters:
        - {name: when, in: query, schema: {type: string, format: date-time}}
        - {name: id, in: query, schema: {type: integer, format: int32}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: words, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: f, in: query, style: deepObject, schema: {type: object, properties: {c: {type: array, items: {type: integer}}, d: {type: object, properties: {e: {type: array, items: {type: string}}}}}}}
      responses:
        '200':
          description: ''
          headers:
            X-Left: {schema: {type: integer, default: 9}}
            X-Name: {schema: {type: string, example: "a b"}}
            X-Nothing: {schema: {type: string}}
            Set-Cookie: {schema: {type: string, example: "sid=1; Path=/"}}
            Content-Length: {schema: {type: integer, example: 5}}
          content:
            application/json:
              schema:
                type: object
                required: [id, tags, at, kind]
                properties:
                  id: {type: integer, minimum: 5, maximum: 9}
                  tags: {type: array, minItems: 2, items: {type: string, enum: [a, b, c]}}
                  at: {type: string, format: date-time}
                  kind: {oneOf: [{type: object, required: [x], properties: {x: {type: boolean}}}, {type: string, format: uuid}]}
                  secret: {type: string, writeOnly: true}
              example: {id: 5, tags: [a, a], at: "2025-01-01T00:00:00Z", kind: {x: true}}
  /picture:
    get:
      responses:
        '200': {description: '', content: {image/png: {}, image/svg+xml: {example: "<svg/>"}, image/jpeg: {schema: {type: string, format: binary}}, image/avif: {}}}
"#;
    let document = plain(SOURCE);
    let get = |path: &str, query: &str, headers: &[(&str, &str)]| {
        let pointer = format!("/paths/~1{path}/get");
        let sent = MockRequest {
            pointer: &pointer,
            path: &[],
            query,
            headers,
            body: b"",
        };
        send(&document, &sent)
    };
    let answer = get("a", "", &[]);
    let expected = [
        ("x-left", "9"),
        ("x-name", "a b"),
        ("set-cookie", "sid=1; Path=/"),
        ("content-type", "application/json"),
    ];
    let headers: Vec<(&str, &str)> = (answer.headers.iter())
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(headers, expected);
    // Values of the schema, valid, the same for the same request and others for another.
    let dynamic = |query: &str| {
        let answer = get("a", query, &[("prefer", "dynamic=true")]);
        assert_eq!(answer.status, 200, "{}", answer.body);
        serde_json::from_str::<Value>(&answer.body).unwrap()
    };
    assert_eq!(dynamic("id=1"), dynamic("id=1"));
    let mut seen = std::collections::BTreeSet::new();
    for id in 0..20 {
        let value = dynamic(&format!("id={id}"));
        assert!((5..=9).contains(&value["id"].as_i64().unwrap()), "{value}");
        assert!(value["tags"].as_array().unwrap().len() >= 2, "{value}");
        assert!(value.get("secret").is_none(), "{value}");
        assert!(
            value["kind"]["x"].is_boolean() || value["kind"].is_string(),
            "{value}"
        );
        seen.insert(value.to_string());
    }
    assert!(seen.len() > 10, "{seen:?}");
    // Pictures are pictures, unless the document has one.
    for (accept, begins) in [
        ("image/png", &b"\x89PNG"[..]),
        ("image/jpeg", b"\xff\xd8\xff"),
        ("image/*", b"\x89PNG"),
    ] {
        let answer = get("picture", "", &[("accept", accept)]);
        assert!(
            answer
                .picture
                .is_some_and(|bytes| bytes.starts_with(begins)),
            "{accept}"
        );
    }
    let own = get("picture", "", &[("accept", "image/svg+xml")]);
    assert_eq!((own.picture, own.body.as_str()), (None, "<svg/>"));
    // Formats count, encoded commas part items where the whole is none, and brackets without a name are a list.
    for (query, status) in [
        ("when=2025-01-15T09:30:00Z", 200),
        ("when=today", 400),
        ("id=2147483648", 400),
        ("ids=1%2C2", 200),
        ("ids=1,2", 200),
        ("ids=1%2Cx", 400),
        ("words=a%2Cb", 200),
        ("f[c][]=1&f[c][]=2", 200),
        ("f%5Bc%5D%5B%5D=1", 200),
        ("f[c][]=x", 400),
        ("f[d][e][]=a", 200),
    ] {
        assert_eq!(get("a", query, &[]).status, status, "{query}");
    }
}

#[test]
fn a_stream_is_sent_as_events() {
    let sent = MockRequest {
        pointer: "/paths/~1stream/get",
        path: &[],
        query: "",
        headers: &[],
        body: b"",
    };
    let answer = send(&plain(SHOP), &sent);
    assert_eq!(answer.body, "data: {\"delta\":\"hi\"}\n\n");
}

/// The raw HTTP sample of a page, taken apart.
fn sample(view: &Endpoint) -> Option<(String, Values, String)> {
    let sample = view
        .samples
        .iter()
        .find(|sample| sample.id == "http" && !sample.is_authored)?;
    let text = &sample.variants.first()?.source;
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let target = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    Some((target, headers.collect(), body.replace('\n', "\r\n")))
}

/// The sample of a page is a request that the document allows, read back from the wire: writing and reading are inverse.
#[test]
fn the_mock_takes_the_sample_requests_of_real_documents() {
    let settings = Settings {
        languages: vec!["http".to_owned()],
        ..Settings::default()
    };
    let (mut taken, mut refused) = (0, Vec::new());
    for entry in documents() {
        let Some(root) = entry.root.filter(|_| entry.is_ok) else {
            continue;
        };
        let listed: Vec<String> = operations(&root)
            .into_iter()
            .filter(|pointer| pointer.starts_with("/paths/"))
            // Enough of each to see every style.
            .step_by(5)
            .collect();
        let document = Plain::new(root);
        for pointer in listed {
            let Some(modelled) = endpoint(&&document, &pointer, &settings) else {
                continue;
            };
            let view = modelled.value;
            // What the document itself contradicts cannot be sent in order.
            if !modelled.diagnostics.is_empty() {
                continue;
            }
            let Some((target, headers, body)) = sample(&view) else {
                continue;
            };
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            // Below the address of its server.
            let depth = |path: &str| path.trim_end_matches('/').matches('/').count();
            let mut own = path;
            for _ in 0..depth(path).saturating_sub(depth(&view.path)) {
                own = own[1..].find('/').map_or("", |at| &own[1 + at..]);
            }
            let values = openapi::mock::path::values(&view.path, own);
            let Some(values) = values else {
                refused.push(format!(
                    "{} {pointer}: {path} is no {}",
                    entry.file, view.path
                ));
                continue;
            };
            let call = Call {
                path: &values,
                query,
                headers: &headers,
                body: body.as_bytes(),
            };
            let answer = answer(&&document, &pointer, &settings, &call).expect("an operation");
            // What a reader must put into a path is no value yet.
            let mut complaints = complaints(&answer);
            // Examples that are of another format than their schema says are the author's.
            let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
            let is_format = |complaint: &String| {
                let listed = body["violations"].as_array();
                listed.into_iter().flatten().any(|violation| {
                    let name = format!(
                        "{} {}",
                        violation["in"].as_str().unwrap(),
                        violation["name"].as_str().unwrap()
                    );
                    name == *complaint && violation["keyword"] == "format"
                })
            };
            complaints.retain(|complaint| !is_format(complaint));
            let is_open = |complaint: &String| {
                let open = values
                    .iter()
                    .filter(|(name, value)| *value == format!("{{{name}}}"));
                open.into_iter()
                    .any(|(name, _)| *complaint == format!("path {name}"))
            };
            complaints.retain(|complaint| !is_open(complaint));
            match complaints.is_empty() && answer.status != 415 {
                true => taken += 1,
                false => refused.push(format!("{} {pointer}: {}", entry.file, answer.body)),
            }
        }
    }
    println!(
        "{taken} sample requests were taken, {} were not",
        refused.len()
    );
    for line in &refused {
        println!("{line}");
    }
    assert!(refused.is_empty(), "{} of {taken}", refused.len());
}

#[test]
fn a_header_that_a_response_must_have_is_sent() {
    for version in ["3.0.3", "3.1.0"] {
        let document = plain(&format!(
            "
openapi: {version}
paths:
  /a:
    get:
      responses:
        '200': {{$ref: '#/components/responses/Ok'}}
        '204': {{description: '', headers: {{X-Kind: {{$ref: '#/components/headers/Kind'}}, X-None: {{required: true}}}}}}
        '400': {{description: '', headers: {{X-Kind: {{$ref: '#/components/headers/Kind'}}}}, content: {{application/json: {{example: {{}}}}}}}}
components:
  headers:
    Kind: {{required: true, schema: {{$ref: '#/components/schemas/Kind'}}}}
  schemas:
    Kind: {{type: string, enum: [big, small]}}
  responses:
    Ok:
      description: ''
      headers:
        X-Kind: {{$ref: '#/components/headers/Kind'}}
        X-List: {{required: true, schema: {{type: array, minItems: 2, items: {{type: integer, minimum: 4}}}}}}
        X-Map: {{required: true, explode: true, schema: {{type: object, properties: {{a: {{type: integer}}}}}}}}
        X-Json: {{required: true, content: {{application/json: {{schema: {{type: array, items: {{type: boolean}}}}}}}}}}
        X-Free: {{schema: {{type: integer}}}}
        Content-Length: {{required: true, schema: {{type: integer}}}}
"
        ));
        let of = |status: &str| {
            let sent = MockRequest {
                pointer: "/paths/~1a/get",
                path: &[],
                query: "",
                headers: &[("prefer", status)],
                body: b"",
            };
            let headers = send(&document, &sent).headers.into_iter();
            let headers = headers.filter(|(name, _)| name != "content-type");
            let headers = headers.map(|(name, value)| format!("{name}: {value}"));
            headers.collect::<Vec<_>>()
        };
        let whole = ["x-kind: big", "x-list: 4,4", "x-map: a=1", "x-json: [true]"];
        assert_eq!(of("status=200"), whole, "{version}");
        assert_eq!(of("status=204"), ["x-kind: big"], "{version}");
        assert_eq!(of("status=400"), ["x-kind: big"], "{version}");
    }
}

#[test]
fn a_value_of_a_path_is_written_in_its_style() {
    let check = |style: &str, schema: &str, raw: &str, is_right: bool| {
        let document = plain(&format!(
            "paths: {{'/p/{{id}}': {{get: {{parameters: [{{name: id, in: path, required: true, style: {style}, schema: {schema}}}], responses: {{'204': {{description: ''}}}}}}}}}}"
        ));
        let sent = MockRequest {
            pointer: "/paths/~1p~1{id}/get",
            path: &[("id", raw)],
            query: "",
            headers: &[],
            body: b"",
        };
        let answer = send(&document, &sent);
        let told = (answer.status, answer.body.as_str());
        assert_eq!(
            answer.status == 204,
            is_right,
            "{style} {schema} {raw}: {told:?}"
        );
        let expected: &[&str] = if is_right { &[] } else { &["path id"] };
        assert_eq!(complaints(&answer), expected, "{style} {schema} {raw}");
    };
    let (number, list) = ("{type: integer}", "{type: array, items: {type: integer}}");
    let object = "{type: object, properties: {a: {type: integer}}}";
    for (raw, is_right) in [
        (";id=5", true),
        ("%3Bid=5", true),
        ("5", false),
        ("id=5", false),
        (";id=x", false),
    ] {
        check("matrix", number, raw, is_right);
    }
    for (raw, is_right) in [(".5", true), ("5", false), (".x", false)] {
        check("label", number, raw, is_right);
    }
    check("matrix", list, ";id=1,2", true);
    check("matrix", list, "1,2", false);
    check("matrix, explode: true", list, ";id=1;id=2", true);
    check("matrix, explode: true", object, ";a=1", true);
    check("matrix, explode: true", object, "a=1", false);
    check("label", list, ".1,2", true);
    check("label, explode: true", list, ".1.2", true);
    check("label, explode: true", list, "1.2", false);
    check("simple", number, "5", true);
}

/// A body of parts with the boundary `x`: name, rest of the head, text of each.
fn multipart<'a>(parts: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> String {
    let parts = parts.map(|(name, head, text)| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{head}\r\n\r\n{text}\r\n")
    });
    parts.collect::<String>() + "--x--\r\n"
}

#[test]
fn parts_are_read_by_their_styles() {
    let check = |schema: &str, encoding: &str, parts: &[(&str, &str)], is_right: bool| {
        let document = plain(&format!(
            "paths: {{/p: {{post: {{requestBody: {{content: {{multipart/form-data: {{schema: {{type: object, additionalProperties: false, properties: {{o: {schema}}}}}, encoding: {{o: {encoding}}}}}}}}}, responses: {{'204': {{description: ''}}}}}}}}}}"
        ));
        let body = multipart(parts.iter().map(|(name, text)| (*name, "", *text)));
        let sent = MockRequest {
            pointer: "/paths/~1p/post",
            path: &[],
            query: "",
            headers: &[("content-type", "multipart/form-data; boundary=x")],
            body: body.as_bytes(),
        };
        let answer = send(&document, &sent);
        assert_eq!(
            answer.status == 204,
            is_right,
            "{encoding} {parts:?}: {}",
            answer.body
        );
    };
    let object = "{type: object, additionalProperties: false, properties: {a: {type: integer}, b: {enum: ['5%2B+ c']}}}";
    let deep = "{style: deepObject}";
    check(object, deep, &[("o[a]", "1"), ("o[b]", "5%2B+ c")], true);
    check(object, deep, &[("o[a]", "x")], false);
    check(object, deep, &[("o[c]", "1")], false);
    check(
        object,
        "{style: form, explode: false}",
        &[("o", "a,1")],
        true,
    );
    check(
        object,
        "{style: form, explode: false}",
        &[("o", "a,x")],
        false,
    );
    check(object, "{style: form}", &[("a", "1")], true);
    let list = "{type: array, maxItems: 2, items: {type: integer}}";
    check(
        list,
        "{style: pipeDelimited, explode: false}",
        &[("o", "1|2")],
        true,
    );
    check(
        list,
        "{style: pipeDelimited, explode: false}",
        &[("o", "1|2|3")],
        false,
    );
    check(list, "{explode: true}", &[("o", "1"), ("o", "2")], true);
    // Without a style an object is JSON.
    check(object, "{}", &[("o", r#"{"a": 1}"#)], true);
    check(object, "{}", &[("o", "a,1")], false);
}

#[test]
fn one_part_is_a_list_of_one() {
    let file = "{type: string, format: binary}";
    let content = "{type: string, contentMediaType: application/octet-stream}";
    let object = "{type: object, required: [a], properties: {a: {type: integer}}}";
    let objects = format!("{{type: array, items: {object}}}");
    let json = "\r\nContent-Type: application/json";
    let upload = "; filename=\"a.json\"\r\nContent-Type: application/octet-stream";
    for (schema, parts, is_right) in [
        // A file is a file, whatever is written in it.
        (
            format!("{{type: array, items: {file}}}"),
            vec![(upload, r#"{"a": 1}"#)],
            true,
        ),
        (
            format!("{{type: array, items: {content}}}"),
            vec![(upload, r#"{"a": 1}"#)],
            true,
        ),
        (
            format!("{{type: [array, 'null'], items: {file}}}"),
            vec![(upload, "[1]")],
            true,
        ),
        (
            format!("{{type: array, minItems: 2, items: {file}}}"),
            vec![(upload, "{}")],
            false,
        ),
        (
            format!("{{type: array, minItems: 2, items: {file}}}"),
            vec![(upload, "{}"), (upload, "[]")],
            true,
        ),
        (file.to_owned(), vec![(upload, r#"{"a": 1}"#)], true),
        // So is an object one item, with and without its type.
        (objects.clone(), vec![("", r#"{"a": 1}"#)], true),
        (objects.clone(), vec![(json, r#"{"a": 1}"#)], true),
        (objects.clone(), vec![(json, r#"{"a": "x"}"#)], false),
        (objects.clone(), vec![("", r#"{"b": 1}"#)], false),
        (
            objects.clone(),
            vec![(json, r#"[{"a": 1}, {"a": 2}]"#)],
            true,
        ),
        (
            objects.clone(),
            vec![(json, r#"{"a": 1}"#), ("", r#"{"a": 2}"#)],
            true,
        ),
        (object.to_owned(), vec![(json, r#"{"a": 1}"#)], true),
    ] {
        let document = plain(&format!(
            "openapi: 3.1.0\npaths: {{/p: {{post: {{requestBody: {{content: {{multipart/form-data: {{schema: {{type: object, properties: {{o: {schema}}}}}}}}}}}, responses: {{'204': {{description: ''}}}}}}}}}}"
        ));
        let body = multipart(parts.iter().map(|(head, text)| ("o", *head, *text)));
        let sent = MockRequest {
            pointer: "/paths/~1p/post",
            path: &[],
            query: "",
            headers: &[("content-type", "multipart/form-data; boundary=x")],
            body: body.as_bytes(),
        };
        let answer = send(&document, &sent);
        assert_eq!(
            answer.status == 204,
            is_right,
            "{schema} {parts:?}: {}",
            answer.body
        );
    }
}

/// What is said of `POST /p` with this form.
pub(super) fn faults_of_form(document: &Plain, body: &str) -> Vec<String> {
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let sent = MockRequest {
        pointer: "/paths/~1p/post",
        path: &[],
        query: "",
        headers: &headers,
        body: body.as_bytes(),
    };
    complaints(&send(document, &sent))
}
