//! One diagnostic for one cause of the whole site: it stands at the first place, and counts the others.

use queries::site::site_diagnostics;

use crate::support::TestSite;

fn config(navigation: &str) -> String {
    format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#00aa77"}}, "navigation": {navigation}}}"##
    )
}

/// Codes and messages of a site, remarks left out.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let site = TestSite::new(files);
    let found = site_diagnostics(&site.db, site.site).into_iter();
    let found = found.filter(|found| found.severity != base::diagnostic::Severity::Info);
    found
        .map(|found| {
            format!(
                "{}: {}: {}",
                found.place.path(),
                found.code.name(),
                found.message
            )
        })
        .collect()
}

const PET: &str = "---\nopenapi: GET /pets\n---\n";
const TOY: &str = "---\nopenapi: POST /toys\n---\n";

#[test]
fn a_specification_that_is_not_there_is_said_once_with_what_lacks_it() {
    let docs = config(
        r#"{"tabs": [{"tab": "A", "openapi": "https://a.example/api.json", "pages": ["index", "a", "b"]},
            {"tab": "B", "openapi": "https://a.example/api.json", "pages": ["c"]}]}"#,
    );
    let files = [
        ("docs.json", docs.as_str()),
        ("index.mdx", "A\n"),
        ("a.mdx", PET),
        ("b.mdx", TOY),
        ("c.mdx", PET),
    ];
    assert_eq!(
        found(&files),
        [
            "docs.json: missing-spec: `https://a.example/api.json` could not be fetched; 2 places name it; 3 pages lack it"
        ]
    );
}

#[test]
fn pages_that_name_a_specification_that_is_not_there_are_counted() {
    let docs = config(r#"{"pages": ["index", "a", "b"]}"#);
    let named = "---\nopenapi: gone.json GET /pets\n---\n";
    let files = [
        ("docs.json", docs.as_str()),
        ("index.mdx", "A\n"),
        ("a.mdx", named),
        ("b.mdx", named),
    ];
    assert_eq!(
        found(&files),
        ["a.mdx: unresolved-operation: there is no specification `gone.json`; 2 places name it"]
    );
}

#[test]
fn a_specification_that_cannot_be_read_is_said_once_with_what_lacks_it() {
    let docs = config(r#"{"pages": ["index", "a", "b"]}"#);
    let files = [
        ("docs.json", docs.as_str()),
        ("index.mdx", "A\n"),
        ("a.mdx", PET),
        ("b.mdx", TOY),
        (
            "api.yaml",
            "openapi: 4.0.0\ninfo: {title: A, version: '1'}\npaths: {}\n",
        ),
    ];
    let found = found(&files);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("unsupported-version") && found[0].ends_with("; 2 pages lack it"),
        "{found:?}"
    );
}

#[test]
fn an_operation_that_is_in_no_specification_is_said_of_each_page() {
    let docs = config(r#"{"pages": ["index", "a", "b"]}"#);
    let api = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\nservers: [{url: 'https://a.example'}]\npaths:\n  /users/{id}/orders:\n    get: {responses: {'200': {description: A}}, parameters: [{name: id, in: path, required: true, schema: {type: string}}]}\n";
    let files = [
        ("docs.json", docs.as_str()),
        ("index.mdx", "A\n"),
        ("a.mdx", PET),
        ("b.mdx", TOY),
        ("api.yaml", api),
    ];
    let found = found(&files);
    let count = found
        .iter()
        .filter(|one| one.contains("unresolved-operation"))
        .count();
    assert_eq!(count, 2, "{found:?}");
}

#[test]
fn folders_of_pictures_that_are_not_there_are_one_line() {
    let docs = config(r#"{"pages": ["index", "b"]}"#);
    let page = "![A](/images/a.png) ![A](images/a.png) ![B](/images/b.webp) ![C](/logo/c.png)\n";
    let files = [
        ("docs.json", docs.as_str()),
        ("index.mdx", page),
        ("b.mdx", "![C](/logo/c.png) ![D](/d.jpg)\n"),
    ];
    assert_eq!(
        found(&files),
        ["b.mdx: missing-file: 4 pictures in 3 folders are not there, such as `/logo/c.png`"]
    );
    // One by itself is said as it is, and one whose folder is there stays apart.
    let page = "![A](/images/a.png) ![B](/logo/b.png)\n";
    let files = [
        ("docs.json", docs.as_str()),
        ("index.mdx", page),
        ("b.mdx", "B\n"),
        ("logo/c.png", ""),
    ];
    assert_eq!(
        found(&files),
        [
            "index.mdx: missing-file: `/images/a.png` is not there, and its folder has no other picture",
            "index.mdx: missing-file: `/logo/b.png` is not a file of the site",
        ]
    );
}

#[test]
fn more_pictures_than_are_listed_for_a_page_are_counted() {
    let docs = config(r#"{"pages": ["index"]}"#);
    let page: String = (0..150)
        .map(|n| format!("![A](/images/{n}.png)\n\n"))
        .collect();
    let files = [("docs.json", docs.as_str()), ("index.mdx", page.as_str())];
    let found = found(&files);
    assert!(
        found[0].contains("150 pictures in 1 folder are not there"),
        "{found:?}"
    );
    assert_eq!(found.len(), 1, "{found:?}");
}
