//! Lines of the specification that pages show: what they are bound to, what stays of their header, what is said of what is
//! not there.

use queries::frame::{PageOptions, page_html};
use queries::outputs::route_table;
use queries::site::site_diagnostics;

use crate::support::TestSite;

const API: &str = r##"{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://a.example"}],
    "security": [{"key": []}],
    "paths": {"/tickets/{id}": {"get": {"summary": "Read", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}}},
    "webhooks": {"sold": {"post": {"summary": "Sold"}}},
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "schemas": {"Ticket": {"type": "object", "properties": {"id": {"type": "string"}}}}}}"##;

/// A site with two specifications, the configuration `rest` and one page with this frontmatter.
fn site(rest: &str, front_matter: &str) -> TestSite {
    let docs = format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}{rest}, "navigation": {{"groups": [{{"group": "G", "pages": ["p"]}}, {{"group": "API", "openapi": "api.json"}}, {{"group": "B", "openapi": {{"source": "b.json", "directory": "b"}}}}]}}}}"##
    );
    let page = format!("---\n{front_matter}\n---\n\nWords.\n");
    TestSite::new(&[
        ("docs.json", docs.as_str()),
        ("api.json", API),
        ("b.json", API),
        ("p.mdx", page.as_str()),
    ])
}

/// The page `p`, as visitors get it or as a preview shows it.
fn html(site: &TestSite, is_preview: bool) -> String {
    let options = PageOptions {
        preview_token: is_preview.then(|| "t".to_owned()),
        ..PageOptions::default()
    };
    let pages = &route_table(&site.db, site.site).pages;
    let page = pages.iter().find(|(route, _)| route.to_string() == "/p");
    let (_, page) = page.expect("the page p");
    page_html(&site.db, site.site, *page, &options).html
}

/// What is said of the page `p`: severity, code, message, hint.
fn said(site: &TestSite) -> String {
    let all = site_diagnostics(&site.db, site.site).into_iter();
    let of_page = all.filter(|found| found.place.path().to_string() == "p.mdx");
    let lines = of_page.map(|found| {
        let (severity, code) = (found.severity().word(), found.code.name());
        format!(
            "{severity} {code}: {} ({})",
            found.message,
            found.hint.unwrap_or_default()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// SPEC 1.3 and 2.5 (S5, S15): what is documented stays; how it is sent goes.
#[test]
fn header_keeps_method_and_path_without_a_playground() {
    for (rest, front_matter) in [
        ("", "openapi: api.json GET /tickets/{id}\nplayground: none"),
        (
            r#", "api": {"playground": {"display": "none"}}"#,
            "openapi: api.json GET /tickets/{id}",
        ),
        (
            r#", "display": "none""#,
            "openapi: api.json GET /tickets/{id}",
        ),
        (
            "",
            "api: GET https://a.example/tickets/{id}\nplayground: none",
        ),
    ] {
        let html = html(&site(rest, front_matter), false);
        for shown in ["endpoint-method", "/tickets", "{id}", "endpoint-copy"] {
            assert!(
                html.contains(shown),
                "{shown} {rest} {front_matter}\n{html}"
            );
        }
        for hidden in ["tryit-button", "id=\"authorizations\""] {
            assert!(!html.contains(hidden), "{hidden} {rest} {front_matter}");
        }
    }
    let html = html(&site("", "openapi: api.json GET /tickets/{id}"), false);
    assert!(
        html.contains("tryit-button") && html.contains("id=\"authorizations\""),
        "{html}"
    );
}

/// SPEC 2.6 (S30): no one of several schemas is taken for the one that is meant.
#[test]
fn ambiguous_schema_is_an_error_that_the_page_shows() {
    let ambiguous = site("", "openapi-schema: Ticket");
    let expected = "error unresolved-schema: several specifications have a schema `Ticket`: api.json, b.json (name one before it: `api.json Ticket`)";
    assert_eq!(said(&ambiguous), expected);
    for is_preview in [false, true] {
        let html = html(&ambiguous, is_preview);
        assert!(
            html.contains("several specifications have a schema"),
            "{html}"
        );
        assert!(html.contains("Words."), "{html}");
    }
    assert_eq!(said(&site("", "openapi-schema: b.json Ticket")), "");
}

/// SPEC 7 (S45): what is named and is not there.
#[test]
fn unresolved_binding_is_said_in_previews() {
    for (front_matter, expected) in [
        (
            "openapi: api.json webhook solt",
            "warning unresolved-operation: the webhook `solt` is not in `api.json` (did you mean `sold`?)",
        ),
        (
            "openapi: api.json webhook refunded",
            "warning unresolved-operation: the webhook `refunded` is not in `api.json` (the name is a key of `webhooks`, exactly as it is written there)",
        ),
        (
            "openapi: api.json GET /ticket/{id}",
            "warning unresolved-operation: the operation `GET /ticket/{id}` is not in `api.json` (did you mean `GET /tickets/{id}`?)",
        ),
    ] {
        let site = site("", front_matter);
        assert_eq!(said(&site), expected);
        let message = "is not in <code>api.json</code>";
        assert!(html(&site, true).contains(message), "{}", html(&site, true));
        assert!(!html(&site, false).contains(message));
    }
}

/// SPEC 7 (S45): a method of `api:` that there is not.
#[test]
fn unknown_method_is_said_with_a_hint() {
    for (written, expected) in [
        (
            "GTE https://a.example/x",
            "warning invalid-frontmatter-field: `GTE` of `GTE https://a.example/x` is not an HTTP method (did you mean `GET`?)",
        ),
        (
            "FETCH /x",
            "warning invalid-frontmatter-field: `FETCH` of `FETCH /x` is not an HTTP method (did you mean `PATCH`?)",
        ),
    ] {
        let site = site("", &format!("api: {written}"));
        assert_eq!(said(&site), expected);
        assert!(html(&site, true).contains("is not an HTTP method"));
    }
}
