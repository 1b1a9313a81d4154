//! Pages that name an operation (`openapi: GET /r0`): the specifications in scope around them say whose it is. A label
//! leaves every binding asleep; another `openapi` of the navigation wakes those of the pages it is in scope of.

use expect_test::{Expect, expect};
use queries::binding::bound_operation;

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"}, "navigation": {"tabs": [
    {"tab": "One", "openapi": "one.yaml", "groups": [
        {"group": "First", "pages": ["a/r0", "a/r1"]},
        {"group": "Second", "openapi": "two.yaml", "pages": ["b/r0", "b/r1"]}]},
    {"tab": "Two", "groups": [{"group": "Third", "pages": ["c/r0", "index"]}]}]}}"##;

fn spec(title: &str) -> String {
    let operation = |n: u8| format!("  /r{n}:\n    get:\n      summary: {title} {n}\n");
    format!(
        "openapi: 3.1.0\ninfo: {{title: {title}, version: '1'}}\npaths:\n{}{}",
        operation(0),
        operation(1)
    )
}

fn museum() -> TestSite {
    let bound = |n: u8| format!("---\nopenapi: GET /r{n}\n---\n\nWords.\n");
    let mut files = vec![
        ("docs.json".to_owned(), DOCS.to_owned()),
        ("index.mdx".to_owned(), "Hello.\n".to_owned()),
        ("one.yaml".to_owned(), spec("One")),
        ("two.yaml".to_owned(), spec("Two")),
        ("c/r0.mdx".to_owned(), bound(0)),
    ];
    for (folder, n) in [("a", 0), ("a", 1), ("b", 0), ("b", 1)] {
        files.push((format!("{folder}/r{n}.mdx"), bound(n)));
    }
    let site = TestSite::new(&files);
    site.outputs();
    site.take();
    site
}

/// Checks which bindings are looked for again after an edit of the configuration, and whose operations they are then.
#[track_caller]
fn check(site: &mut TestSite, from: &str, to: &str, expected: Expect) {
    let text = site.text("docs.json");
    assert!(text.contains(from));
    site.set("docs.json", text.replace(from, to));
    let is = site.outputs();
    let executed = site.take_keys();
    let woken = executed.get("page_binding").cloned().unwrap_or_default();
    let of_page = |path: &String| {
        let operation = bound_operation(&site.db, site.file(path));
        let spec = operation.map(|operation| operation.spec(&site.db).path(&site.db).to_string());
        format!("{path} → {}\n", spec.unwrap_or_default())
    };
    expected.assert_eq(&woken.iter().map(of_page).collect::<String>());
    assert_eq!(differences(&is, &site.fresh().outputs()), "");
    site.take();
}

#[test]
fn labels_wake_no_binding() {
    let mut site = museum();
    // The very first edit, one after others, and one after an edit of a page and of a specification.
    check(&mut site, "\"First\"", "\"Other\"", expect![""]);
    check(&mut site, "\"Second\"", "\"Another\"", expect![""]);
    check(&mut site, "\"One\"", "\"Uno\"", expect![""]);
    site.set("a/r0.mdx", "---\nopenapi: GET /r0\n---\n\nOthers.\n");
    site.set("one.yaml", spec("One").replace("One 0", "Uno 0"));
    site.outputs();
    site.take();
    check(&mut site, "\"Other\"", "\"First\"", expect![""]);
    check(&mut site, "00aa77", "aa7700", expect![""]);
}

#[test]
fn a_page_that_moves_within_its_scope_wakes_no_binding() {
    let mut site = museum();
    check(
        &mut site,
        r#""a/r0", "a/r1""#,
        r#""a/r1", "a/r0""#,
        expect![""],
    );
}

#[test]
fn an_inherited_specification_wakes_the_pages_it_is_in_scope_of() {
    let mut site = museum();
    check(
        &mut site,
        r#""openapi": "one.yaml""#,
        r#""openapi": "two.yaml""#,
        expect![[r#"
            a/r0.mdx → two.yaml
            a/r1.mdx → two.yaml
        "#]],
    );
    check(
        &mut site,
        r#""group": "Second", "openapi": "two.yaml""#,
        r#""group": "Second", "openapi": "one.yaml""#,
        expect![[r#"
            b/r0.mdx → one.yaml
            b/r1.mdx → one.yaml
        "#]],
    );
    // What a group says again is what its pages inherited before.
    check(
        &mut site,
        r#""group": "First""#,
        r#""group": "First", "openapi": "two.yaml""#,
        expect![""],
    );
}

#[test]
fn a_page_that_moves_to_another_scope_wakes_its_binding() {
    let mut site = museum();
    check(
        &mut site,
        r#""b/r0", "b/r1""#,
        r#""b/r0", "b/r1", "c/r0""#,
        expect![[r#"
            c/r0.mdx → two.yaml
        "#]],
    );
    // It is listed where it was, too: the first listing counts.
    check(
        &mut site,
        r#"["c/r0", "index"]"#,
        r#"["index"]"#,
        expect![""],
    );
}
