//! What OpenAPI 3.2 adds.

use openapi::endpoint::{Name, SchemeKind, Span};
use openapi::index::TagNames;
use openapi::playground::Input;
use serde_json::json;

use crate::support::TestSite;

use super::authored::drawn;
use super::seen::POST;
use super::seen::{compact, request, response, row};
use super::{outline, page, plain};

const STREAM: &str = "paths: {/p: {get: {responses: {'200': {description: d, content: {%MEDIA%: {itemSchema: %SCHEMA%}}}}}}}\nopenapi: 3.2.0";

/// The rows and the example of an answer whose items are `schema`.
fn stream(media: &str, schema: &str) -> (String, String) {
    let document = STREAM.replace("%MEDIA%", media).replace("%SCHEMA%", schema);
    let page = page(&plain(&document), "/paths/~1p/get");
    let example = page.value.responses[0].media[0].examples[0].text.clone();
    (outline(&response(&page).contents), example)
}

#[test]
fn methods_without_a_member_of_their_own_have_pages() {
    let document = plain(
        "openapi: 3.2.0\nservers: [{url: https://a.example}]\npaths: {/p: {query: {summary: Q, requestBody: {content: {application/json: {schema: {type: object, properties: {q: {type: string}}}}}}, responses: {}}, additionalOperations: {COPY: {responses: {}}, link: {summary: L, responses: {}}}}}",
    );
    let query = page(&document, "/paths/~1p/query");
    assert_eq!(query.value.method, "QUERY");
    assert_eq!(row(&request(&query).contents, "q").name.text(), "q");
    let copy = page(&document, "/paths/~1p/COPY");
    assert_eq!(
        (copy.value.method.as_str(), copy.value.title.as_str()),
        ("COPY", "COPY /p")
    );
    // The letters are those of the author.
    let link = page(&document, "/paths/~1p/link");
    assert_eq!(
        (link.value.method.as_str(), link.value.title.as_str()),
        ("link", "L")
    );
    let sample = |id: &str| {
        let mut samples = copy.value.samples.iter();
        samples
            .find(|sample| sample.id == id)
            .map(|sample| sample.variants[0].source.clone())
    };
    assert_eq!(
        sample("curl").as_deref(),
        Some("curl --request COPY \\\n  --url 'https://a.example/p'")
    );
}

#[test]
fn tags_of_3_2_make_groups_in_groups() {
    let tags = TagNames::read(&json!([
        {"name": "beta", "kind": "badge"},
        {"name": "cakes", "parent": "food", "summary": "Cakes and pies"},
        {"name": "food", "kind": "nav", "x-group": "Food"},
        {"name": "a", "parent": "b"},
        {"name": "b", "parent": "a"},
    ]));
    assert_eq!(tags.groups("cakes"), ["Food", "Cakes and pies"]);
    assert_eq!(tags.groups("other"), ["other"]);
    assert_eq!(tags.groups("a"), ["b", "a"]);
    assert_eq!(tags.tag_of(["beta", "cakes"].into_iter()), Some("cakes"));
    assert_eq!(tags.tag_of(["beta"].into_iter()), None);
}

#[test]
fn a_server_is_called_by_its_name_where_nothing_describes_it() {
    let document = plain(
        "openapi: 3.2.0\nservers: [{url: https://a, name: prod}, {url: https://b, name: test, description: Test}, {url: https://c}]\npaths: {/p: {get: {responses: {}}}}",
    );
    let page = page(&document, "/paths/~1p/get");
    let labels: Vec<&str> = page
        .value
        .servers
        .iter()
        .map(|server| server.label.as_str())
        .collect();
    assert_eq!(labels, ["prod", "Test", "https://c"]);
}

#[test]
fn items_of_a_stream_are_rows_and_lines() {
    let item = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
    for media in [
        "application/jsonl",
        "application/x-ndjson",
        "application/json-seq",
    ] {
        let (rows, example) = stream(media, item);
        assert_eq!(rows, "id integer\nname string\n");
        assert_eq!(example, r#"{"id":1,"name":"string"}"#, "{media}");
    }
    let event = "{type: object, required: [data], properties: {data: {type: string}, event: {type: string, const: added}, retry: {type: integer}}}";
    let (rows, example) = stream("text/event-stream", event);
    assert_eq!(
        rows,
        "data string required\nevent \"added\"\nretry integer\n"
    );
    assert_eq!(example, "event: added\nretry: 1\ndata: string");
    // What is no event is shown as what it is.
    let (_, example) = stream("text/event-stream", item);
    assert_eq!(compact(Some(&example)), r#"{"id":1,"name":"string"}"#);
}

#[test]
fn examples_of_a_stream_are_its_items() {
    let document = plain(
        "openapi: 3.2.0\npaths: {/p: {get: {responses: {'200': {description: d, content: {application/jsonl: {itemSchema: {type: object}, example: [{a: 1}, {a: 2}]}, text/event-stream: {itemSchema: {type: object}, example: [{event: e, data: \"1\\n2\"}, {data: x}]}}}}}}}",
    );
    let page = page(&document, "/paths/~1p/get");
    let media = &page.value.responses[0].media;
    assert_eq!(media[0].examples[0].text, "{\"a\":1}\n{\"a\":2}");
    assert_eq!(
        media[1].examples[0].text,
        "event: e\ndata: 1\ndata: 2\n\ndata: x"
    );
    // The items are valid, not the list of them.
    assert_eq!(super::codes(&page), <[&str; 0]>::default());
}

#[test]
fn a_device_is_authorized_at_an_address_of_its_own() {
    let document = plain(
        "openapi: 3.2.0\nsecurity: [{o: []}]\ncomponents: {securitySchemes: {o: {type: oauth2, oauth2MetadataUrl: https://a/.well-known/oauth-authorization-server, flows: {deviceAuthorization: {deviceAuthorizationUrl: https://a/device, tokenUrl: https://a/token, scopes: {}}}}}}\npaths: {/p: {get: {responses: {}}}}",
    );
    let page = page(&document, "/paths/~1p/get");
    let scheme = &page.value.security.alternatives[0].schemes[0];
    let SchemeKind::OAuth2 { flows, .. } = &scheme.kind else {
        panic!("{:?}", scheme.kind);
    };
    assert_eq!(flows[0].name, "deviceAuthorization");
    assert!(drawn(&page).contains(
        "<span>Metadata URL: </span><code>https://a/.well-known/oauth-authorization-server</code>"
    ));
    assert_eq!(flows[0].device_url.as_deref(), Some("https://a/device"));
}

/// Parts that are known by their places: each says what it is, and samples, which know parts by names, send what the reader made.
#[test]
fn parts_without_names_say_what_they_are_and_are_not_made_up() {
    let body = |media: &str| {
        let document = plain(&format!(
            "openapi: 3.2.0\nservers: [{{url: https://a.example}}]\npaths: {{/p: {{post: {{requestBody: {{content: {{multipart/mixed: {media}}}}}, responses: {{}}}}}}}}"
        ));
        let page = page(&document, POST);
        let root = page.value.body.as_ref().unwrap().media[0].root.clone();
        let view = root.unwrap().view;
        let said = |chips: &[Vec<Span>]| -> Vec<String> {
            let texts = chips.iter().flatten().map(|span| span.text.clone());
            texts.collect()
        };
        let mut told = vec![said(&view.chips)];
        let rows = view.contents.rows.iter();
        told.extend(
            rows.filter(|row| matches!(row.name, Name::Index(_)))
                .map(|row| said(&row.view.chips)),
        );
        assert_eq!(super::codes(&page), ["positional-parts"]);
        let curl = &page.value.samples[0].variants[0].source;
        assert!(curl.contains("--data-binary '@file'"), "{curl}");
        let playground = page.value.playground.unwrap();
        assert_eq!(playground.bodies[0].input, Some(Input::File));
        told
    };
    assert_eq!(
        body(
            "{schema: {type: array, prefixItems: [{type: object}, {type: string}], items: {type: string}}, prefixEncoding: [{contentType: application/json}, {}], itemEncoding: {contentType: image/png}}"
        ),
        [
            vec![],
            vec!["application/json".to_owned()],
            vec![],
            vec!["image/png".to_owned()]
        ]
    );
    assert_eq!(
        body(
            "{itemSchema: {type: object, properties: {a: {type: string}}}, itemEncoding: {contentType: application/json}}"
        ),
        [["application/json"]]
    );
}

/// Operations of the method `query`, and of others, have pages and are led to.
#[test]
fn operations_of_other_methods_have_addresses() {
    let docs = json!({"name": "D", "theme": "mint", "colors": {"primary": "#336699"}, "navigation": {"groups": [{"group": "A", "openapi": "api.json"}]}});
    let link = |to: &str| json!({"operationRef": to});
    let links = json!({
        "copy": link("#/paths/~1things/additionalOperations/COPY"),
        "query": link("#/paths/~1things/query"),
    });
    let ok = json!({"200": {"description": "ok"}});
    let api = json!({
        "openapi": "3.2.0", "info": {"title": "A", "version": "1"},
        "paths": {"/things": {
            "get": {"summary": "List", "responses": {"200": {"description": "ok", "links": links}}},
            "query": {"responses": ok},
            "additionalOperations": {"COPY": {"responses": ok}},
        }},
    });
    let site = TestSite::new(&[
        ("docs.json", docs.to_string()),
        ("api.json", api.to_string()),
    ]);
    let table = queries::outputs::route_table(&site.db, site.site);
    let routes: Vec<&str> = table.pages.keys().map(|route| route.as_str()).collect();
    assert_eq!(
        routes,
        [
            "/api-reference/copy-things",
            "/api-reference/introduction",
            "/api-reference/list",
            "/api-reference/query-things"
        ]
    );
    let list = table
        .pages
        .iter()
        .find(|(route, _)| route.as_str().ends_with("/list"));
    let (_, page) = list.unwrap();
    let drawn = queries::body::reference_of(&site.db, *page).unwrap();
    for href in ["/api-reference/copy-things", "/api-reference/query-things"] {
        assert!(drawn.main.contains(href), "{href} in {}", drawn.main);
    }
    let found = queries::site::site_diagnostics(&site.db, site.site);
    assert!(
        found
            .iter()
            .all(|found| found.code.name() != "link-missing"),
        "{found:?}"
    );
}
