//! The navigation of small sites beside what the reference product makes of them.
//!
//! The sites and the recorded outputs are in the shared folder (`conformance/navigation`). Where ours differs on purpose,
//! the reason is in [`CHOSEN`] and our own output in `conformance/<case>.txt`; everywhere else the two must be equal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use queries::binding::{Binding, page_binding};
use queries::navigation::{NavigationNode, PageId, navigation_tree};
use queries::page::{entry_name, front_matter_of, is_introduction, label_of, route_of, title_of};
use queries::site::{route_table, site_diagnostics};

use crate::support::{TestSite, shown};

/// Where ours differs on purpose, and why.
const CHOSEN: &[(&str, &str)] = &[
    (
        "03-tab-openapi-plus-pages",
        "the author's own pages stand before the generated groups, as in case 35",
    ),
    (
        "07-array-openapi",
        "every specification of an array is used, not only the first",
    ),
    (
        "09-directory",
        "addresses need no escapes: a space becomes a dash",
    ),
    (
        "11c-match-case",
        "one operation that is not there is one diagnostic; the rest is built",
    ),
    (
        "11e-match-param",
        "one operation that is not there is one diagnostic; the rest is built",
    ),
    (
        "11f-match-nomethod",
        "one operation that is not there is one diagnostic; the rest is built",
    ),
    (
        "11g-match-nospec",
        "an operation without a specification is no page, and is said to be none",
    ),
    (
        "12b-webhook-missing",
        "one webhook that is not there is one diagnostic; the rest is built",
    ),
    (
        "14-root-openapi",
        "`openapi` is inherited from the root of the navigation too",
    ),
    (
        "15-api-openapi-only",
        "`api.openapi` is the default specification where no element names one",
    ),
    (
        "16-missing-spec",
        "a specification that is not there is one diagnostic; the rest is built",
    ),
    (
        "17-mdx-frontmatter",
        "a page without a title takes it from its operation, the first that matches",
    ),
    (
        "18-two-tabs-same-dir",
        "two operations never share one page",
    ),
    (
        "20-versions",
        "generated pages carry the version of the element around them (SPEC 2.7)",
    ),
    (
        "23-slugs",
        "addresses need no escapes; the reference product's redirect to them",
    ),
    (
        "24-external-ref",
        "one bad reference is one diagnostic; the rest is built",
    ),
    (
        "26-missing-ref",
        "one bad reference is one diagnostic; the rest is built",
    ),
    (
        "27-swagger2",
        "Swagger 2.0 is read as OpenAPI 3.0, and its author is told",
    ),
    (
        "28-no-paths",
        "a document without operations is a warning; the rest of the site is built",
    ),
    ("29-openapi32", "the author is told what is missing"),
    ("30-invalid", "an operation without responses has a page"),
    (
        "31-yaml-bad",
        "a document that cannot be read is one diagnostic; the rest of the site is built",
    ),
    (
        "32-href-variants",
        "a page with an address of its own keeps the summary as its title in the sidebar",
    ),
    (
        "37-refs-pathitem",
        "references inside the document resolve, those of path items too",
    ),
    ("38-case-dir-dups", "two operations never share one page"),
    (
        "40-page-normalise",
        "a page may be named with its extension",
    ),
];

pub(crate) fn files(folder: &Path, below: &str, found: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            files(&path, &format!("{name}/"), found);
        } else {
            found.push((name, std::fs::read(&path).unwrap()));
        }
    }
}

/// Whether a page opens the reference of a specification: the reference product has none.
fn is_own(site: &TestSite, page: PageId) -> bool {
    let operation = match page {
        PageId::Generated(page) => page.operation(&site.db),
        PageId::File(_) => return false,
    };
    is_introduction(&site.db, operation)
}

fn draw(site: &TestSite, nodes: &[NavigationNode], depth: usize, text: &mut String) {
    for node in nodes.iter().flat_map(NavigationNode::each) {
        let indent = "  ".repeat(depth);
        let Some(page) = node.target.pages().next() else {
            if node.children.is_empty() && node.kind.word() == "page" {
                text.push_str(&format!("{indent}- unresolved\n"));
                continue;
            }
            let hidden = if node.hidden && depth == 0 {
                " hidden"
            } else {
                ""
            };
            text.push_str(&format!(
                "{indent}[{}:{}]{hidden}\n",
                node.kind.word(),
                node.label
            ));
            draw(site, &node.children, depth + 1, text);
            continue;
        };
        if !is_own(site, page) {
            text.push_str(&format!("{indent}- {}\n", line(site, page)));
        }
    }
}

fn line(site: &TestSite, page: PageId) -> String {
    let db = &site.db;
    let title = title_of(db, page);
    let mut text = format!("{} | title={title:?}", route_of(db, page));
    let label = &label_of(db, page).label;
    if *label != title {
        text.push_str(&format!(" sidebar={label:?}"));
    }
    let front_matter = front_matter_of(db, page);
    let operation = match page {
        PageId::Generated(page) => Some(page.operation(db)),
        PageId::File(file) => match page_binding(db, file) {
            Binding::Operation(operation) => Some(*operation),
            _ => None,
        },
    };
    if let (PageId::Generated(_), Some(operation)) = (page, operation) {
        let (method, path) = entry_name(db, operation);
        let spec = operation.spec(db).path(db);
        text.push_str(&format!(
            " openapi=\"/{spec} {} {path}\"",
            method.to_lowercase()
        ));
    } else if let Some(openapi) = &front_matter.openapi {
        text.push_str(&format!(" openapi={openapi:?}"));
    }
    if front_matter.deprecated == Some(true) {
        text.push_str(" deprecated");
    }
    if let Some(version) = &front_matter.version {
        text.push_str(&format!(" version={version}"));
    }
    let mut rest = serde_json::Map::new();
    if let Some(schema) = &front_matter.openapi_schema {
        rest.insert("openapi-schema".into(), schema.clone().into());
    }
    if let Some(api) = &front_matter.api {
        rest.insert("api".into(), api.clone().into());
    }
    for (key, value) in &front_matter.other {
        rest.insert(key.clone(), value.clone());
    }
    if !rest.is_empty() {
        text.push_str(&format!(" +{}", serde_json::Value::Object(rest)));
    }
    text
}

fn output(site: &TestSite) -> String {
    let (db, id) = (&site.db, site.site);
    let mut text = String::new();
    draw(site, &navigation_tree(db, id).nodes, 0, &mut text);
    let mut names: Vec<String> = route_table(db, id)
        .pages
        .iter()
        .filter(|(_, page)| !is_own(site, **page))
        .map(|(route, page)| match page {
            PageId::File(file) => file.path(db).to_string(),
            PageId::Generated(_) => format!("{}.mdx", route.as_str().trim_start_matches('/')),
        })
        .collect();
    names.sort();
    text.push_str(&format!("FILES: {}\n", names.join(" ")));
    text
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn the_navigation_is_that_of_the_reference_product_or_differs_for_a_reason() {
    let Some(corpus) = crate::corpus::corpus() else {
        eprintln!(
            "SKIPPED the_navigation_is_that_of_the_reference_product: no shared folder; set QUIRE_SHARED"
        );
        return;
    };
    let folder = corpus.with_file_name("conformance").join("navigation");
    let chosen: BTreeMap<&str, &str> = CHOSEN.iter().copied().collect();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    let (mut equal, mut wrong) = (0, String::new());
    for case in &cases {
        let name = case.file_name().unwrap().to_str().unwrap();
        let mut found = Vec::new();
        files(&case.join("site"), "", &mut found);
        let site = TestSite::new(&found);
        let reference = std::fs::read_to_string(case.join("reference.txt")).unwrap();
        let is = output(&site);
        if is == reference {
            equal += 1;
            assert!(
                !chosen.contains_key(name),
                "{name} is listed as different and is not"
            );
            continue;
        }
        let diagnostics = shown(&site_diagnostics(&site.db, site.site));
        let is = format!("{is}{diagnostics}");
        let own = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../tests/queries/conformance")
            .join(format!("{name}.txt"));
        if std::env::var_os("UPDATE_EXPECT").is_some() && chosen.contains_key(name) {
            std::fs::create_dir_all(own.parent().unwrap()).unwrap();
            std::fs::write(&own, &is).unwrap();
        }
        let expected = std::fs::read_to_string(&own).unwrap_or_default();
        if !chosen.contains_key(name) || is != expected {
            wrong.push_str(&format!(
                "=== {name}\n--- reference\n{reference}--- ours\n{is}\n"
            ));
        }
    }
    assert_eq!(wrong, "");
    assert_eq!(equal + chosen.len(), cases.len());
}
