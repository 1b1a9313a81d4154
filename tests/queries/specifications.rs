//! Real specifications, each on a site of its own: no operation is lost, whatever the document is like; and the operations
//! that real sites name are found.

use std::collections::BTreeSet;
use std::path::Path;

use base::data::split::Format;
use base::path::SitePath;
use queries::binding::{Binding, page_binding};
use queries::navigation::{NavigationNode, Target, navigation_tree};
use queries::page::page_list;
use queries::site::{route_table, site_diagnostics};
use serde_json::Value;

use crate::conformance::files as files_below;
use crate::corpus::corpus;
use crate::support::TestSite;

const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// A document read as a whole by the second opinion on YAML, or by the JSON parser; `None` when it is neither.
fn whole(format: Format, bytes: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Format::Json => serde_json::from_str(text).ok(),
        Format::Yaml => {
            let options = serde_saphyr::options! {
                strict_booleans: true,
                budget: serde_saphyr::budget! { max_nodes: 5_000_000, max_total_scalar_bytes: 256 << 20 },
            };
            serde_saphyr::from_str_with_options(text, options).ok()
        }
    }
}

/// Counts the operations of a document that have a page, independently of how pages are made.
fn operations(document: &Value) -> usize {
    let mut count = 0;
    for place in ["paths", "webhooks"] {
        let items = document.get(place).and_then(Value::as_object);
        for (_, item) in items.into_iter().flatten() {
            let mut methods: BTreeSet<&str> = BTreeSet::new();
            let mut item = Some(item);
            while let Some(here) = item {
                methods.extend(METHODS.into_iter().filter(|method| {
                    here.get(method).is_some_and(|operation| {
                        let flag = |key: &str| operation.get(key) == Some(&Value::Bool(true));
                        !flag("x-hidden") && !flag("x-excluded")
                    })
                }));
                item = here
                    .get("$ref")
                    .and_then(Value::as_str)
                    .and_then(|reference| document.pointer(reference.strip_prefix('#')?));
            }
            count += methods.len();
        }
    }
    count
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn no_operation_of_a_real_specification_is_lost() {
    let Some(corpus) = corpus() else {
        eprintln!(
            "SKIPPED no_operation_of_a_real_specification_is_lost: no corpus; set QUIRE_SHARED"
        );
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let (mut documents, mut pages, mut wrong) = (0, 0, String::new());
    for entry in manifest["openapi"].as_array().unwrap() {
        let path = corpus.join("openapi").join(entry["file"].as_str().unwrap());
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        let docs = format!(
            r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {{"groups": [{{"group": "G", "openapi": "{name}"}}]}}}}"##
        );
        let site = TestSite::new(&[("docs.json", docs.as_bytes()), (name.as_str(), &bytes)]);
        let table = route_table(&site.db, site.site);
        let diagnostics = site_diagnostics(&site.db, site.site);
        let of_spec = diagnostics
            .iter()
            .filter(|found| found.place.path().as_str() == name)
            .count();
        let format = Format::of(&SitePath::new(&name).unwrap()).unwrap();
        let expect = entry["expect"].as_str().unwrap();
        let whole = whole(format, &bytes);
        // A document before 3.0 is one that cannot be read, whatever else is true of it.
        let is_old = entry["version"].as_str() == Some("2.0");
        if expect == "ok" && !is_old {
            let document = whole.unwrap_or_else(|| panic!("{name} is not read as a whole"));
            let counted = operations(&document);
            // One opens the reference, if there is any.
            let made = table.pages.len() - usize::from(!table.pages.is_empty());
            if made != counted {
                wrong.push_str(&format!("{name}: {made} pages of {counted} operations\n"));
            }
            documents += 1;
            pages += made;
        } else if of_spec == 0 && !(expect == "negative:truncated" && whole.is_some()) {
            wrong.push_str(&format!("{name} is {expect} and nothing is said of it\n"));
        }
    }
    assert_eq!(wrong, "");
    assert!(
        documents > 50 && pages > 2000,
        "{documents} documents, {pages} pages"
    );
}

fn count(nodes: &[NavigationNode]) -> usize {
    let here = nodes
        .iter()
        .filter(|node| matches!(node.target, Target::Generated(_)));
    here.count()
        + nodes
            .iter()
            .map(|node| count(&node.children))
            .sum::<usize>()
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn operations_that_real_sites_name_are_found() {
    let Some(corpus) = corpus() else {
        eprintln!("SKIPPED operations_that_real_sites_name_are_found: no corpus; set QUIRE_SHARED");
        return;
    };
    let site_at = |id: &str| {
        let folder = corpus.join("sites").join(id);
        let mut files = Vec::new();
        files_below(&folder, "", &mut files);
        TestSite::new(&files)
    };
    let polar = site_at("polar");
    assert_eq!(count(&navigation_tree(&polar.db, polar.site).nodes), 336);
    let mut report = String::new();
    for id in ["spree", "trigger", "mem0", "crewai", "mintlify", "polar"] {
        let site = site_at(id);
        let (mut found, mut elsewhere, mut lost) = (0, 0, Vec::new());
        for file in page_list(&site.db, site.site).value.values() {
            let Some(subject) = file.subject(&site.db) else {
                continue;
            };
            let Some(operation) = &subject.operation else {
                continue;
            };
            match page_binding(&site.db, *file) {
                Binding::Operation(_) => found += 1,
                Binding::None => {}
                Binding::Unresolved(..) => {
                    // A document that is not part of the repository cannot be looked into.
                    let named = operation.split_whitespace().next().unwrap_or_default();
                    let names_a_file = Path::new(named).extension().is_some();
                    match !names_a_file || site.exists(named.trim_start_matches('/')) {
                        true => lost.push(format!("{}: {operation}", file.path(&site.db))),
                        false => elsewhere += 1,
                    }
                }
            }
        }
        report.push_str(&format!(
            "{id}: {found} found, {elsewhere} in documents that are not there, {lost:#?}\n"
        ));
    }
    expect_test::expect![[r#"
        spree: 0 found, 0 in documents that are not there, []
        trigger: 62 found, 0 in documents that are not there, []
        mem0: 38 found, 0 in documents that are not there, []
        crewai: 28 found, 0 in documents that are not there, []
        mintlify: 100 found, 0 in documents that are not there, [
            "es/api/analytics/feedback-by-page.mdx: /es/analytics.openapi.json GET /v1/analytics/{projectId}/feedback/by-page",
            "es/api/analytics/searches.mdx: /es/analytics.openapi.json GET /v1/analytics/{projectId}/searches",
            "es/api/analytics/views.mdx: /es/analytics.openapi.json GET /v1/analytics/{projectId}/views",
            "es/api/analytics/visitors.mdx: /es/analytics.openapi.json GET /v1/analytics/{projectId}/visitors",
            "fr/api/analytics/feedback-by-page.mdx: /fr/analytics.openapi.json GET /v1/analytics/{projectId}/feedback/by-page",
            "fr/api/analytics/searches.mdx: /fr/analytics.openapi.json GET /v1/analytics/{projectId}/searches",
            "fr/api/analytics/views.mdx: /fr/analytics.openapi.json GET /v1/analytics/{projectId}/views",
            "fr/api/analytics/visitors.mdx: /fr/analytics.openapi.json GET /v1/analytics/{projectId}/visitors",
            "zh/api/analytics/feedback-by-page.mdx: /zh/analytics.openapi.json GET /v1/analytics/{projectId}/feedback/by-page",
            "zh/api/analytics/searches.mdx: /zh/analytics.openapi.json GET /v1/analytics/{projectId}/searches",
            "zh/api/analytics/views.mdx: /zh/analytics.openapi.json GET /v1/analytics/{projectId}/views",
            "zh/api/analytics/visitors.mdx: /zh/analytics.openapi.json GET /v1/analytics/{projectId}/visitors",
        ]
        polar: 0 found, 0 in documents that are not there, []
    "#]].assert_eq(&report);
}
