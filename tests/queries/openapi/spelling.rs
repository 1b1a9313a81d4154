//! A document is the same in JSON and in YAML: so are its pages.

use std::collections::BTreeMap;

use queries::site::route_table;

use super::corpus::documents;
use crate::support::TestSite;

/// Largest document that is looked at where programs are slow, in bytes.
const MAX: usize = 130_000;

/// Every page of a site that shows `text` as the specification `name`, by its address.
fn pages(name: &str, text: &str) -> BTreeMap<String, String> {
    let docs = format!(
        r##"{{"theme": "mint", "name": "M", "colors": {{"primary": "#00aa77"}}, "navigation": {{"tabs": [
            {{"tab": "Guide", "pages": ["index"]}}, {{"tab": "API", "openapi": "{name}"}}]}}}}"##
    );
    let site = TestSite::new(&[
        ("docs.json", docs.as_str()),
        ("index.mdx", "---\ntitle: Home\n---\n\nWords.\n"),
        (name, text),
    ]);
    let table = route_table(&site.db, site.site);
    let pages = table.pages.iter().map(|(route, page)| {
        let page = queries::frame::page_html(&site.db, site.site, *page, &Default::default());
        let html = page.html.replace(name, "api");
        // What a reader typed is remembered by a digest of the name.
        let html = match html.split_once(r#"{"spec":""#) {
            Some((before, after)) => {
                let after = after.split_once('"').expect("the name ends").1;
                format!(r#"{before}{{"spec":"{after}"#)
            }
            None => html,
        };
        (route.to_string(), html)
    });
    pages.collect()
}

#[test]
fn a_document_has_the_same_pages_in_json_and_in_yaml() {
    let (mut compared, mut count) = (0, 0);
    for entry in documents().into_iter().filter(|entry| entry.is_ok) {
        let is_yaml = entry.file.ends_with(".yaml") || entry.file.ends_with(".yml");
        let Some(root) = entry.root.filter(|_| is_yaml) else {
            continue;
        };
        let yaml = super::corpus::text(&entry.file);
        if cfg!(debug_assertions) && yaml.len() > MAX {
            continue;
        }
        let json = serde_json::to_string_pretty(&root).unwrap();
        let (of_yaml, of_json) = (pages("api.yaml", &yaml), pages("api.json", &json));
        let routes = |pages: &BTreeMap<String, String>| pages.keys().cloned().collect::<Vec<_>>();
        assert_eq!(routes(&of_yaml), routes(&of_json), "{}", entry.file);
        for (route, page) in &of_yaml {
            assert!(*page == of_json[route], "{} {route} differs", entry.file);
        }
        compared += 1;
        count += of_yaml.len();
    }
    println!("{compared} documents, {count} pages");
    assert!(compared >= 8 || crate::corpus::corpus().is_none());
}
