//! Endpoints that are written in MDX: their own file and the part of the configuration that says where requests go wake
//! them, nothing else does.

use expect_test::{Expect, expect};

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"}, "navigation": {"pages": ["index", "buy"]},
    "api": {"mdx": {"server": "https://one.example"}}}"##;

const BUY: &str =
    "---\ntitle: Buy\napi: POST /tickets\n---\n\n<ParamField body=\"day\" required />\n";

/// Checks which of the queries about the endpoint run after an edit.
#[track_caller]
fn check(path: &str, from: &str, to: &str, expected: Expect) {
    let mut site = TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        ("buy.mdx", BUY),
    ]);
    site.outputs();
    for file in ["index.mdx", "buy.mdx"] {
        site.set(file, site.text(file) + "\n");
    }
    site.outputs();
    site.take();
    let text = site.text(path);
    assert!(text.contains(from));
    site.set(path, text.replace(from, to));
    let is = site.outputs();
    let executed = site.take_keys();
    let keys = executed
        .get("manual_reference")
        .cloned()
        .unwrap_or_default();
    expected.assert_eq(&keys.join(" "));
    assert_eq!(differences(&is, &site.fresh().outputs()), "");
}

#[test]
fn its_own_fields_wake_it() {
    check("buy.mdx", "day", "hour", expect!["buy.mdx"]);
}

#[test]
fn the_server_wakes_it() {
    check(
        "docs.json",
        "one.example",
        "two.example",
        expect!["buy.mdx"],
    );
}

#[test]
fn a_color_and_other_pages_do_not() {
    check("docs.json", "00aa77", "aa7700", expect![""]);
    check("index.mdx", "Hello", "Bye", expect![""]);
}
