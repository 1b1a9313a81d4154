//! Rows of components that many operations show: drawn once, and anew when the component changes or one in it that has no
//! page of its own.

use expect_test::{Expect, expect};
use openapi::shared::LARGE;
use queries::body::{component_rows, rows_diagnostics};
use queries::reference::rows_at;
use queries::site::{PageOptions, linked_rows, page_html, route_table, rows_html};

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#00aa77"}, "navigation": {"tabs": [
    {"tab": "Guides", "pages": ["index"]}, {"tab": "API", "openapi": "api.yaml"}]}}"##;

/// Two operations that hold `Large`, which holds `Small` and `Other`, which is large as well.
fn api() -> String {
    let fields = |name: &str| -> String {
        let fields = (0..=LARGE).map(|n| format!("        {name}{n}: {{type: string}}\n"));
        fields.collect()
    };
    let operation = |path: &str| {
        format!(
            "  /{path}:\n    get:\n      summary: Get {path}\n      responses:\n        '200':\n          description: ok\n          content: {{application/json: {{schema: {{type: object, properties: {{thing: {{$ref: '#/components/schemas/Large'}}}}}}}}}}\n"
        )
    };
    format!(
        "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\npaths:\n{}{}components:\n  schemas:\n    Large:\n      type: object\n      properties:\n        small: {{$ref: '#/components/schemas/Small'}}\n        other: {{$ref: '#/components/schemas/Other'}}\n{}    Small:\n      type: object\n      properties:\n        one: {{type: string, description: Small words.}}\n    Other:\n      type: object\n      properties:\n        back: {{$ref: '#/components/schemas/Large'}}\n        two: {{type: string, description: Other words.}}\n{}",
        operation("a"),
        operation("b"),
        fields("large"),
        fields("other"),
    )
}

fn site() -> TestSite {
    let text = api();
    let files = [
        ("docs.json", DOCS),
        (
            "index.mdx",
            "[There](/api-reference/get-a#response-200-thing-other-two), [not](/api-reference/get-a#response-200-thing-other-three).\n",
        ),
        ("api.yaml", &text),
    ];
    let mut site = TestSite::new(&files);
    site.outputs();
    site.set("api.yaml", text.replace("Small words.", "Few words."));
    site.outputs();
    site.take();
    site
}

#[track_caller]
fn check(from: &str, to: &str, expected: Expect) {
    let mut site = site();
    let before = api().replace("Small words.", "Few words.");
    site.set("api.yaml", before.replacen(from, to, 1));
    for page in route_table(&site.db, site.site).clone().pages.values() {
        page_html(&site.db, site.site, *page, &PageOptions::default());
        for rows in linked_rows(&site.db, *page).0 {
            rows_html(&site.db, site.site, rows, "en", &PageOptions::default());
            rows_diagnostics(&site.db, rows);
        }
    }
    let mut text = String::new();
    for (query, keys) in site.take_keys() {
        text.push_str(&format!("{query} ×{}: {}\n", keys.len(), keys.join(", ")));
    }
    expected.assert_eq(&text);
    let differences = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}

#[test]
fn words_of_a_component_in_it() {
    check(
        "Few words.",
        "Some words.",
        expect![[r#"
        component_rows ×2: response of /components/schemas/Large, response of /components/schemas/Other
        is_large ×3: /components/schemas/Large, /components/schemas/Other, /components/schemas/Small
        operation_reference ×2: GET /a, GET /b
        reach_digest ×1: /components/schemas/Large
        rows_anchors ×1: response of /components/schemas/Large
        rows_faults ×1: response of /components/schemas/Large
        schema_at ×1: /components/schemas/Small
        slice_digest ×1: /components/schemas/Small
        slice_references ×1: /components/schemas/Small
        slice_value ×1: /components/schemas/Small
    "#]],
    );
}

#[test]
fn words_of_one_that_has_a_page_itself() {
    check(
        "Other words.",
        "More words.",
        expect![[r#"
        component_rows ×2: response of /components/schemas/Large, response of /components/schemas/Other
        is_large ×2: /components/schemas/Large, /components/schemas/Other
        operation_reference ×2: GET /a, GET /b
        reach_digest ×1: /components/schemas/Large
        rows_anchors ×1: response of /components/schemas/Other
        rows_faults ×1: response of /components/schemas/Other
        schema_at ×1: /components/schemas/Other
        slice_digest ×1: /components/schemas/Other
        slice_references ×1: /components/schemas/Other
        slice_value ×1: /components/schemas/Other
    "#]],
    );
}

#[test]
fn two_operations_lead_to_one_page_that_is_no_part_of_them() {
    let site = site();
    let db = &site.db;
    let table = route_table(db, site.site);
    let of = |route: &str| {
        let route = base::path::Route::new(route).expect("a route");
        linked_rows(db, table.pages[&route])
    };
    let (rows, language) = of("/api-reference/get-a");
    assert_eq!((&rows, language), (&of("/api-reference/get-b").0, "en"));
    let [rows] = rows[..] else {
        panic!("{rows:?}");
    };
    let path = rows.path(db, language);
    let page = site.outputs()["/api-reference/get-a"].clone();
    assert!(
        page.contains(&format!("<a data-rows=\"rows\" href=\"{path}\">")),
        "{page}"
    );
    assert!(!page.contains("thing-large7"));
    let drawn = component_rows(db, rows);
    assert!(drawn.main.contains("id=\"rows-small-one\"") && drawn.main.contains("large7"));
    assert_eq!(rows_at(db, site.site, &path), Some((rows, "en".to_owned())));
    assert_eq!(
        rows_at(db, site.site, &path.replace("Large", "Small")),
        None
    );
    let diagnostics = site.outputs()["the diagnostics"].clone();
    assert!(diagnostics.contains("thing-other-three"), "{diagnostics}");
    assert!(!diagnostics.contains("thing-other-two"), "{diagnostics}");
}
