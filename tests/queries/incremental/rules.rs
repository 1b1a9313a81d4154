//! What is wrong with a specification: an edit has one slice judged again, the version all of them; how a site grades rules
//! judges nothing again.

use expect_test::{Expect, expect};
use queries::site::site_diagnostics;

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"}, "navigation": {"tabs": [
    {"tab": "Guides", "pages": ["index"]}, {"tab": "API", "openapi": "api.json"}]}, "api": {"rules": {"tag-undefined": "off"}}}"##;

const API: &str = r##"{
  "openapi": "3.1.0",
  "info": {"title": "Museum", "version": "1"},
  "paths": {
    "/tickets": {"get": {"summary": "List", "tags": ["sold"], "responses": {"200": {"description": "Fine."}}},
      "post": {"summary": "Buy", "tags": ["sold"], "responses": {"200": {"description": "Bought."}}}},
    "/hours": {"get": {"summary": "Hours", "tags": ["open"], "responses": {"200": {"description": "Fine."}}}}
  },
  "components": {"schemas": {"Price": {"type": "number"}}}
}
"##;

#[track_caller]
fn check(path: &str, from: &str, to: &str, expected: Expect) {
    let mut site = TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        ("api.json", API),
        ("quire.toml", "[rules]\ninfo-license = \"off\"\n"),
    ]);
    site.outputs();
    site.touch_specs();
    site_diagnostics(&site.db, site.site);
    site.take();
    let text = site.text(path);
    assert!(text.contains(from), "`{from}` is not there");
    site.set(path, text.replacen(from, to, 1));
    site_diagnostics(&site.db, site.site);
    let executed = site.take_keys();
    let mut shown = String::new();
    for query in [
        "slice_faults",
        "slice_facts",
        "spec_edition",
        "site_config",
        "file_rules",
        "spec_rules",
        "spec_diagnostics",
    ] {
        if let Some(keys) = executed.get(query) {
            shown += &format!("{query} ×{}\n", keys.len());
        }
    }
    expected.assert_eq(&shown);
    let stale = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(stale, "", "stale answers");
}

#[test]
fn words_of_an_operation_have_it_judged_and_nothing_else() {
    check(
        "api.json",
        "Bought.",
        "Yours.",
        expect![[r#"
            slice_faults ×1
            slice_facts ×1
        "#]],
    );
}

#[test]
fn a_slip_in_an_operation_is_told_by_the_document() {
    check(
        "api.json",
        "\"summary\": \"Buy\"",
        "\"summry\": \"Buy\"",
        expect![[r#"
            slice_faults ×1
            slice_facts ×1
            spec_diagnostics ×1
        "#]],
    );
}

#[test]
fn a_tag_of_an_operation_is_a_fact() {
    check(
        "api.json",
        "[\"open\"]",
        "[\"opened\"]",
        expect![[r#"
            slice_faults ×1
            slice_facts ×1
            spec_diagnostics ×1
        "#]],
    );
}

#[test]
fn the_version_has_every_slice_judged() {
    check(
        "api.json",
        "3.1.0",
        "3.0.3",
        expect![[r#"
            slice_faults ×6
            slice_facts ×1
            spec_edition ×1
            spec_diagnostics ×1
        "#]],
    );
}

#[test]
fn a_patch_of_the_version_judges_nothing() {
    check(
        "api.json",
        "3.1.0",
        "3.1.1",
        expect![[r#"
            slice_faults ×1
            slice_facts ×1
            spec_edition ×1
            spec_diagnostics ×1
        "#]],
    );
}

#[test]
fn grades_of_a_quire_toml_judge_nothing_and_read_no_configuration() {
    check(
        "quire.toml",
        "\"off\"",
        "\"error\"",
        expect![[r#"
            file_rules ×1
            spec_rules ×1
        "#]],
    );
}

#[test]
fn other_tables_of_a_quire_toml_wake_nobody() {
    check(
        "quire.toml",
        "[rules]",
        "idle_minutes = 5\n[rules]",
        expect![[r#"
            file_rules ×1
        "#]],
    );
}

#[test]
fn grades_of_rules_judge_nothing() {
    check(
        "docs.json",
        "\"off\"",
        "\"error\"",
        expect![[r#"
            site_config ×1
            spec_rules ×1
        "#]],
    );
}

#[test]
fn a_color_judges_nothing() {
    check(
        "docs.json",
        "#00aa77",
        "#00aa78",
        expect![[r#"
            site_config ×1
            spec_rules ×1
        "#]],
    );
}

#[test]
fn words_of_a_page_judge_nothing() {
    check("index.mdx", "Hello", "Hi", expect![""]);
}
