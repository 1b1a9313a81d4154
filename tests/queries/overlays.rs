//! Overlays on specifications: what is shown, offered and found is the document with them; an edit of one, or of what it
//! changes, draws what differs.

use queries::binding::{Binding, page_binding};
use queries::catalog::{catalog_specs, spec_download, spec_text};
use queries::page::page_list;
use queries::site::{Output, machine_text, resolve, route_table, site_diagnostics};

use crate::support::{TestSite, differences, shown};

const API: &str = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get: {summary: Get a, responses: {'200': {description: Fine}}}\n  /b:\n    get: {summary: Get b, description: B, responses: {'200': {description: Fine}}}\n    post: {summary: Post b, responses: {'200': {description: Fine}}}\n";

fn overlay(actions: &str) -> String {
    format!("overlay: 1.0.0\ninfo: {{title: T, version: '1'}}\nactions:\n{actions}\n")
}

fn docs(navigation: &str) -> String {
    format!(
        r##"{{"theme": "mint", "name": "T", "colors": {{"primary": "#00aa77"}}, "navigation": {navigation}}}"##
    )
}

/// Two versions of one document, and a page in the scope of the second.
const VERSIONS: &str = r#"{"versions": [
    {"version": "v1", "openapi": {"source": "api.yaml", "directory": "v1", "overlays": ["one.yaml"]}},
    {"version": "v2", "openapi": {"source": "api.yaml", "directory": "v2", "overlays": ["./two.json"]},
        "groups": [{"group": "G", "pages": ["bound", "GET /b"]}]}]}"#;

fn versions() -> TestSite {
    TestSite::new(&[
        ("docs.json", docs(VERSIONS).as_str()),
        ("bound.mdx", "---\nopenapi: api.yaml GET /a\n---\n"),
        ("api.yaml", API),
        (
            "one.yaml",
            &overlay("- {target: $.paths.*.get, update: {summary: One}}"),
        ),
        (
            "two.json",
            r#"{"overlay": "1.0.0", "info": {"title": "T", "version": "1"}, "actions": [
                {"target": "$.paths['/a'].get", "update": {"summary": "Two", "description": "Of the second."}},
                {"target": "$.paths['/b'].post", "remove": true}]}"#,
        ),
    ])
}

/// The routes of a site, with their specifications.
fn routes(site: &TestSite) -> Vec<String> {
    let tree = queries::site::routes::routes(&site.db, site.site);
    let pages = tree["pages"].as_array().unwrap().iter();
    pages
        .map(|page| {
            format!(
                "{} {}",
                page["route"].as_str().unwrap(),
                page["spec"].as_str().unwrap()
            )
        })
        .collect()
}

#[test]
fn one_document_with_different_overlays_is_several_specifications() {
    let site = versions();
    assert_eq!(
        routes(&site),
        [
            "/v1/introduction api.yaml",
            "/v1/one api.yaml",
            "/v1/one-1 api.yaml",
            "/v1/post-b api.yaml",
            "/bound api.two.yaml",
            "/v2/get-b api.two.yaml",
        ]
    );
    assert_eq!(
        catalog_specs(&site.db, site.site),
        ["api.two.yaml", "api.yaml"]
    );
    let file = *page_list(&site.db, site.site)
        .value
        .values()
        .next()
        .unwrap();
    let Binding::Operation(operation) = page_binding(&site.db, file) else {
        panic!("the page is about an operation");
    };
    assert_eq!(
        operation.spec(&site.db).name(&site.db).as_str(),
        "api.two.yaml"
    );
    assert!(site.html("bound.mdx").contains("Of the second."));
}

#[test]
fn what_is_downloaded_is_the_document_with_its_overlays() {
    let site = versions();
    let table = route_table(&site.db, site.site);
    let text = |path: &str| match resolve(&**table, path) {
        Some(Output::Text(text)) => machine_text(&site.db, site.site, text, ""),
        _ => None,
    };
    let one = text("/api.yaml").unwrap();
    assert!(
        one.contains("summary: One") && one.contains("summary: Post b"),
        "{one}"
    );
    let two = text("/api.two.yaml").unwrap();
    assert!(
        two.contains("Of the second.") && !two.contains("Post b"),
        "{two}"
    );
    let archived = table.specs.iter();
    let archived =
        archived.map(|spec| String::from_utf8(spec_download(&site.db, *spec).to_vec()).unwrap());
    assert_eq!(archived.collect::<Vec<_>>(), [two, one]);
    let (stored, is_yaml) = spec_text(&site.db, site.site, "api.yaml").unwrap();
    assert!(is_yaml && stored.contains("summary: One"), "{stored}");
    // An overlay is nobody's download.
    assert_eq!(resolve(&**table, "/one.yaml"), None);
}

/// Edits of a site, after each of which everything is as if it had been so from the start.
#[test]
fn overlays_come_and_go_with_the_configuration_and_their_files() {
    let mut site = versions();
    let check = |site: &TestSite, routes_now: &[&str], found: &str| {
        assert_eq!(routes(site), routes_now);
        let errors = site_diagnostics(&site.db, site.site).into_iter();
        let errors = errors.filter(|found| found.severity() != base::diagnostic::Severity::Info);
        assert_eq!(shown(&errors.collect::<Vec<_>>()), found);
        assert_eq!(differences(&site.outputs(), &site.fresh().outputs()), "");
    };
    let plain = r#"{"groups": [{"group": "G", "openapi": "api.yaml"}]}"#;
    let with = r#"{"groups": [{"group": "G", "openapi": {"source": "api.yaml", "overlays": ["one.yaml"]}}]}"#;
    site.outputs();
    site.remove("bound.mdx");
    site.set("docs.json", docs(plain));
    let before = [
        "/api-reference/introduction api.yaml",
        "/api-reference/get-a api.yaml",
        "/api-reference/get-b api.yaml",
        "/api-reference/post-b api.yaml",
    ];
    check(&site, &before, "");
    site.set("docs.json", docs(with));
    let one = overlay("- {target: \"$.paths['/a'].get\", update: {summary: New a}}");
    site.set("one.yaml", &one);
    let after = [
        "/api-reference/introduction api.yaml",
        "/api-reference/new-a api.yaml",
        "/api-reference/get-b api.yaml",
        "/api-reference/post-b api.yaml",
    ];
    check(&site, &after, "");
    // What is broken changes nothing, and the document is shown as it is.
    site.set("one.yaml", "overlay: [");
    let broken = "one.yaml:block 0, 0:10: error[invalid-yaml] not valid YAML: did not find expected node content\n  check the indentation, quotes and colons at or just before this position\n";
    check(&site, &before, broken);
    site.remove("one.yaml");
    let missing = "docs.json:/navigation/groups/0/openapi/overlays/0: error[missing-overlay] there is no overlay `one.yaml`\n  the path is relative to the folder of docs.json\n";
    check(&site, &before, missing);
    site.add("one.yaml", &one);
    check(&site, &after, "");
    site.set("api.yaml", API.replace("Post b", "Post it"));
    check(
        &site,
        &[
            after[0],
            after[1],
            after[2],
            "/api-reference/post-it api.yaml",
        ],
        "",
    );
    site.remove("api.yaml");
    assert_eq!(routes(&site), Vec::<String>::new());
    site.add("api.yaml", API);
    check(&site, &after, "");
}

#[test]
fn a_configuration_in_parts_names_overlays_too() {
    let mut site = TestSite::new(&[
        ("docs.json", docs(r#"{"$ref": "navigation.json"}"#).as_str()),
        ("navigation.json", r#"{"openapi": "api.yaml"}"#),
        ("api.yaml", API),
        (
            "one.yaml",
            &overlay("- {target: $.paths.*.get, remove: true}"),
        ),
    ]);
    assert_eq!(routes(&site).len(), 4);
    let with = r#"{"openapi": {"source": "api.yaml", "overlays": ["one.yaml"]}}"#;
    site.set("navigation.json", with);
    assert_eq!(
        routes(&site),
        [
            "/api-reference/introduction api.yaml",
            "/api-reference/post-b api.yaml"
        ]
    );
}

/// The queries that ran after an edit, of those that judge and draw operations.
fn executed(path: &str, from: &str, to: &str) -> Vec<String> {
    let with = r#"{"openapi": {"source": "api.yaml", "overlays": ["one.yaml"]}}"#;
    let actions = "- {target: \"$.paths['/a'].get\", update: {description: Of an overlay}}\n- {target: $.paths.*.post, update: {description: Posts}}";
    let mut site = TestSite::new(&[
        ("docs.json", docs(with).as_str()),
        ("api.yaml", API),
        ("one.yaml", &overlay(actions)),
    ]);
    site.outputs();
    site.touch_specs();
    let text = site.text(path);
    assert!(text.contains(from), "`{from}` is not there");
    site.set(path, text.replacen(from, to, 1));
    let outputs = site.outputs();
    let ran = site.take_keys();
    assert_eq!(differences(&outputs, &site.fresh().outputs()), "");
    let wanted = [
        "navigation_tree",
        "operation_reference",
        "slice_meta",
        "spec_diagnostics",
    ];
    let shown = wanted.iter().filter_map(|query| {
        let keys = ran.get(*query)?;
        Some(format!("{query}: {}", keys.join(", ")))
    });
    shown.collect()
}

#[test]
fn an_edit_of_an_overlay_draws_what_it_changes() {
    let one = ["operation_reference: GET /a", "slice_meta: GET /a"];
    assert_eq!(executed("one.yaml", "Of an overlay", "Of an edit"), one);
    assert_eq!(executed("one.yaml", "title: T", "title: Another"), [""; 0]);
    assert_eq!(
        executed("one.yaml", "actions:", "actions: # words"),
        [""; 0]
    );
}

#[test]
fn an_edit_of_a_document_with_overlays_draws_what_differs() {
    let one = ["operation_reference: GET /b", "slice_meta: GET /b"];
    assert_eq!(
        executed("api.yaml", "description: B,", "description: New,"),
        one
    );
    // What an overlay says in its place is never seen.
    assert_eq!(
        executed("api.yaml", "Get a,", "Get a, description: Old,"),
        ["slice_meta: GET /a"]
    );
}
