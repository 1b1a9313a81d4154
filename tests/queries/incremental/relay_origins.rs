//! Where requests of the playground may go: servers and token addresses of specifications, whole
//! addresses of pages and the `server` of the configuration wake it, nothing else does.

use expect_test::{Expect, expect};
use queries::relay::relay_origins;

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"}, "navigation": {"tabs": [
    {"tab": "Guides", "pages": ["index", "buy"]}, {"tab": "API", "openapi": "api.json"}]},
    "api": {"mdx": {"server": ["https://Config.example/v1", "/relative"]}}}"##;

const BUY: &str = "---\ntitle: Buy\napi: POST https://page.example:8443/tickets\n---\n\nText.\n";

const API: &str = r##"{
  "openapi": "3.1.0",
  "info": {"title": "Museum", "version": "1"},
  "servers": [{"url": "https://{region}.example/v1", "variables": {"region": {"enum": ["eu", "us"], "default": "eu"}}}],
  "paths": {
    "/tickets": {
      "servers": [{"url": "http://item.example"}],
      "get": {"summary": "List", "responses": {"200": {"description": "Fine."}}},
      "post": {"summary": "Sell", "servers": [{"url": "https://{any}.example", "variables": {"any": {"default": "own"}}}],
        "responses": {"201": {"description": "Sold."}}}
    },
    "/moved": {"$ref": "#/components/pathItems/moved"}
  },
  "components": {"pathItems": {"moved": {"get": {"servers": [{"url": "https://moved.example"}],
    "summary": "Moved", "responses": {"200": {"description": "Fine."}}}}},
    "securitySchemes": {"login": {"type": "oauth2", "description": "Sign in.", "flows": {"authorizationCode": {
      "authorizationUrl": "https://page.example/authorize", "tokenUrl": "https://token.example/v1", "scopes": {}}}}}}
}
"##;

const FILES: &[(&str, &str)] = &[
    ("docs.json", DOCS),
    ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
    ("buy.mdx", BUY),
    ("api.json", API),
];

fn origins(site: &TestSite) -> String {
    let origins = relay_origins(&site.db, site.site).iter();
    origins.map(|origin| format!("{origin}\n")).collect()
}

/// Checks which of the queries behind the origins run after an edit, and what they are then, if
/// they are others.
#[track_caller]
fn check(path: &str, from: &str, to: &str, expected: Expect) {
    let mut site = TestSite::new(FILES);
    site.outputs();
    // A first edit makes a file less durable, which runs what rests on it once.
    for (file, from, to) in [("index.mdx", "Hello", "Hi"), ("buy.mdx", "Text", "Words")] {
        site.set(file, site.text(file).replace(from, to));
    }
    site.touch_specs();
    let before = origins(&site);
    site.take();
    let text = site.text(path);
    assert!(text.contains(from), "`{from}` is not there");
    site.set(path, text.replacen(from, to, 1));
    let after = origins(&site);
    let executed = site.take_keys();
    let mut shown = String::new();
    for query in ["slice_origins", "bucket_origins", "relay_origins"] {
        if let Some(keys) = executed.get(query) {
            shown += &format!("{query} ×{}\n", keys.len());
        }
    }
    let gone = before.lines().filter(|line| !after.contains(line));
    shown.extend(gone.map(|line| format!("- {line}\n")));
    let new = after.lines().filter(|line| !before.contains(line));
    shown.extend(new.map(|line| format!("+ {line}\n")));
    expected.assert_eq(&shown);
    let stale = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(stale, "", "stale answers");
}

#[test]
fn every_place_that_names_a_server_counts() {
    let expected = expect![[r#"
        http://item.example
        https://config.example
        https://eu.example
        https://moved.example
        https://own.example
        https://page.example:8443
        https://token.example
        https://us.example
    "#]];
    expected.assert_eq(&origins(&TestSite::new(FILES)));
}

#[test]
fn a_relative_server_is_at_the_address_of_the_site_and_free_variables_are_labels() {
    let mut site = TestSite::new(FILES);
    let api = API
        .replace("https://moved.example", "/moved")
        .replace("https://{any}.example", "https://{any}.api.example")
        .replace("https://token.example", "https://{any}.token.example");
    site.set("api.json", api);
    let all = origins(&site);
    for origin in [
        "https://*.api.example",
        "https://own.api.example",
        "https://*.token.example",
    ] {
        assert!(all.lines().any(|line| line == origin), "{origin}: {all}");
    }
    assert!(!all.contains("docs.example"), "{all}");
    let docs = DOCS.replacen(
        '{',
        r#"{"seo": {"metatags": {"canonical": "https://docs.example/x"}}, "#,
        1,
    );
    site.set("docs.json", docs);
    assert!(origins(&site).contains("https://docs.example\n"));
    assert_eq!(differences(&site.outputs(), &site.fresh().outputs()), "");
}

#[test]
fn a_server_wakes_it() {
    check(
        "api.json",
        "\"us\"",
        "\"ap\"",
        expect![[r#"
        slice_origins ×1
        relay_origins ×1
        - https://us.example
        + https://ap.example
    "#]],
    );
    check(
        "api.json",
        "own",
        "other",
        expect![[r#"
        slice_origins ×1
        relay_origins ×1
        - https://own.example
        + https://other.example
    "#]],
    );
    check(
        "api.json",
        "moved.example",
        "gone.example",
        expect![[r#"
        slice_origins ×1
        relay_origins ×1
        - https://moved.example
        + https://gone.example
    "#]],
    );
    check(
        "docs.json",
        "Config",
        "Setting",
        expect![[r#"
        relay_origins ×1
        - https://config.example
        + https://setting.example
    "#]],
    );
    check(
        "buy.mdx",
        "page.example",
        "site.example",
        expect![[r#"
        bucket_origins ×1
        relay_origins ×1
        - https://page.example:8443
        + https://site.example:8443
    "#]],
    );
}

#[test]
fn an_address_that_gives_tokens_wakes_it() {
    check(
        "api.json",
        "token.example",
        "login.example",
        expect![[r#"
        slice_origins ×1
        relay_origins ×1
        - https://token.example
        + https://login.example
    "#]],
    );
    for (from, to) in [
        ("Sign in", "Log in"),
        ("page.example/authorize", "other.example/authorize"),
    ] {
        check(
            "api.json",
            from,
            to,
            expect![[r#"
            slice_origins ×1
        "#]],
        );
    }
}

#[test]
fn the_path_of_a_server_and_the_words_beside_it_stop_at_their_slice() {
    check(
        "api.json",
        "}.example/v1",
        "}.example/v2",
        expect![[r#"
            slice_origins ×1
        "#]],
    );
    check(
        "api.json",
        "Sell",
        "Buy",
        expect![[r#"
            slice_origins ×1
        "#]],
    );
}

#[test]
fn words_do_not_wake_it() {
    check(
        "api.json",
        "\"List\"",
        "\"All\"",
        expect![[r#"
        slice_origins ×1
    "#]],
    );
    check("index.mdx", "Hi", "Bye", expect![""]);
    check("buy.mdx", "Words", "Bye", expect![""]);
    check("docs.json", "00aa77", "aa7700", expect![""]);
}

#[test]
fn the_title_of_a_page_stops_at_its_bucket() {
    check(
        "index.mdx",
        "Welcome",
        "Hello",
        expect![[r#"
        bucket_origins ×1
    "#]],
    );
}
