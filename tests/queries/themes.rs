//! Themes: nine names, each another look.

use std::collections::{BTreeMap, BTreeSet};

use queries::frame::{PageOptions, is_asset_used, not_found_html, page_html};
use queries::site::route_table;
use serde_json::{Value, json};
use theme::assets::{ASSETS, asset_at, asset_url};
use theme::search::SearchSource;

use crate::support::TestSite;

const SPEC: &str = r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.example"}],
    "paths": {"/things": {"get": {"summary": "List", "responses": {"200": {"description": "All.",
    "content": {"application/json": {"example": {"a": 1}}}}}}}}}"#;

/// A site with one of everything that has an id.
fn docs(theme: &str) -> Value {
    json!({
        "theme": theme, "name": "Sample", "colors": {"primary": "#00aa77"},
        "banner": {"content": "News"},
        "navbar": {"links": [{"label": "Blog", "href": "https://blog.example"}], "primary": {"type": "button", "label": "Go", "href": "/start"}},
        "navigation": {"languages": [
            {"language": "en", "tabs": [
                {"tab": "Guides", "groups": [{"group": "G", "pages": ["start", "aside", "center", "pagination"]}]},
                {"tab": "API", "openapi": "api.json"},
            ]},
            {"language": "de", "groups": [{"group": "G", "pages": ["de/start"]}]},
        ]},
    })
}

fn site(theme: &str) -> TestSite {
    let text = |front: &str, text: &str| format!("---\ntitle: A page\n{front}---\n\n{text}\n");
    TestSite::new(&[
        ("docs.json", docs(theme).to_string()),
        ("api.json", SPEC.to_owned()),
        ("start.mdx", text("", "## One\n\nWords.")),
        (
            "aside.mdx",
            text("", "Words.\n\n<Panel>\n\nBeside.\n\n</Panel>"),
        ),
        ("center.mdx", text("mode: center\n", "## One\n\nWords.")),
        (
            "pagination.mdx",
            text(
                "",
                "## Pagination\n\n## Sidebar\n\n## Panel\n\n<Panel>\n\nBeside.\n\n</Panel>",
            ),
        ),
        ("de/start.mdx", text("", "Wörter.")),
    ])
}

/// Every page of `site` with search and an assistant, and what stands where there is none, by address.
pub(crate) fn all_pages(site: &TestSite) -> BTreeMap<String, String> {
    let options = PageOptions {
        search: Some(SearchSource::Service("/api/sites/a/search".to_owned())),
        assistant: Some("/api/sites/a/assistant".to_owned()),
        ..PageOptions::default()
    };
    let (db, site) = (&site.db, site.site);
    let routes = route_table(db, site).pages.iter();
    let mut pages: BTreeMap<String, String> = routes
        .map(|(route, page)| {
            (
                route.as_str().to_owned(),
                page_html(db, site, *page, &options).html,
            )
        })
        .collect();
    pages.insert(
        "404".to_owned(),
        not_found_html(db, site, "/star", &options),
    );
    pages
}

#[test]
fn each_theme_is_another_look() {
    let mut looks = BTreeSet::new();
    for (name, _) in config::appearance::ThemeName::ALL {
        let site = site(name);
        let html = &all_pages(&site)["/start"];
        assert!(
            html.contains(&format!("data-theme-name=\"{name}\"")),
            "{name}"
        );
        // What makes the look is in the stylesheets that the page asks for, and those of one theme alone are written.
        let linked: Vec<&str> = html
            .match_indices(" href=\"/_theme/")
            .filter_map(|(at, _)| html[at + 7..].split('"').next())
            .collect();
        let sheets: Vec<_> = linked
            .iter()
            .filter_map(|address| asset_at(address))
            .collect();
        let own: Vec<_> = sheets
            .iter()
            .filter(|sheet| sheet.theme().is_some())
            .collect();
        assert_eq!(own.len(), usize::from(*name != "mint"), "{name}");
        let used = |asset: &&theme::assets::Asset| is_asset_used(&site.db, site.site, asset);
        let used: Vec<_> = ASSETS
            .iter()
            .filter(used)
            .filter_map(|asset| asset.theme())
            .collect();
        assert_eq!(
            used,
            own.iter()
                .filter_map(|sheet| sheet.theme())
                .collect::<Vec<_>>()
        );
        let rules = own
            .iter()
            .map(|sheet| std::str::from_utf8(sheet.bytes).unwrap());
        // Names and comments apart.
        let rules: String = rules.flat_map(|text| text.lines().skip(1)).collect();
        looks.insert(rules);
    }
    assert_eq!(looks.len(), 9);
}

#[test]
fn a_site_with_its_own_typeface_asks_for_none_of_ours() {
    let face = asset_url("inter-latin.woff2");
    let mut site = site("mint");
    assert!(all_pages(&site)["/start"].contains(&face));
    let mut docs = docs("mint");
    docs["fonts"] = json!({"family": "Geist"});
    site.add("docs.json", docs.to_string());
    assert!(!all_pages(&site)["/start"].contains(".woff2"));
    let is_used = |name: &str| {
        let asset = ASSETS
            .iter()
            .find(|asset| asset.name == name)
            .expect("an asset");
        is_asset_used(&site.db, site.site, asset)
    };
    assert!(!is_used("inter-latin.woff2") && !is_used("jetbrains-mono-latin.woff2"));
    assert!(is_used("quire.css"));
}
