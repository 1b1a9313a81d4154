//! The page that opens the reference of a document.

use base::diagnostic::Code;
use base::path::Route;
use openapi::introduction::MAX_LISTED_OPERATIONS;
use queries::body::reference_of;
use queries::markdown::page_markdown;
use queries::navigation::PageId;
use queries::page::label_of;
use queries::search::page_text;
use queries::site::{route_table, site_diagnostics};
use serde_json::{Value, json};
use theme::words::{Word, in_english};

use crate::cases::{fixtures, site};
use crate::support::TestSite;

/// The demonstration of all that such a page can show.
fn harbor() -> TestSite {
    site(&fixtures().join("reference-introduction/site"))
}

fn page(site: &TestSite, route: &str) -> Option<PageId> {
    let route = Route::new(route)?;
    route_table(&site.db, site.site).pages.get(&route).copied()
}

#[test]
fn programs_read_what_it_says() {
    let site = harbor();
    let page = page(&site, "api-reference/introduction-1").unwrap();
    let text = page_markdown(&site.db, page);
    assert!(text.starts_with("# Harbor API\n\nBerths, pilots and the tide.\n\nAsk for a berth"));
    for said in [
        "- `Version` 2.1\n",
        "- `License` [Apache License 2.0](https://spdx.org/licenses/Apache-2.0.html)\n",
        "- `https://{port}.harbor.example:{number}/v2` Any other port.\n- `{port}` Which port. north, south\n",
        "- `X-Key` API key in header From the office.\n",
        "https://harbor.example/token",
        "`berths:write` Ask for berths.",
        "## Times\n\nAll times are **UTC**.\n\n### Of the tide\n",
        "## pilots\n\nWho steers.\n\n- `GET` [GET /pilots](/api-reference/pilots/get-pilots)\n",
        "## history\n\nTold here and nowhere else.\n",
    ] {
        assert!(text.contains(said), "`{said}` is not in\n{text}");
    }
    // What readers cannot come to is named nowhere, and nothing runs.
    assert!(
        !text.contains("Secret") && !text.contains("<script"),
        "{text}"
    );
}

/// Headings of the description stand in the contents of the page, as deep as on other pages, and no id is given twice.
#[test]
fn headings_of_the_description_are_places_of_the_page() {
    let site = harbor();
    let page = page(&site, "api-reference/introduction-1").unwrap();
    let drawn = reference_of(&site.db, page).unwrap();
    let outline = drawn.outline.iter();
    let outline: Vec<_> = outline
        .map(|entry| (entry.level, entry.id.as_str(), entry.title.as_str()))
        .take(6)
        .collect();
    assert_eq!(
        outline,
        [
            (2, "times", "Times"),
            (3, "of-the-tide", "Of the tide"),
            (2, "operations-2", "Operations"),
            (2, "servers", Word::BaseUrls.marker()),
            (2, "authentication", Word::Authorizations.marker()),
            (2, "operations", Word::Operations.marker()),
        ]
    );
    for entry in &drawn.outline {
        let id = format!(" id=\"{}\"", entry.id);
        let html = format!("{}{}", drawn.head, drawn.main);
        assert_eq!(html.matches(&id).count(), 1, "{id}");
        assert!(drawn.anchors.contains(&entry.id));
    }
    let text = page_text(&site.db, page);
    let passage = text.passages.iter();
    let mut passage = passage.filter(|passage| passage.body == "They stand in the almanac.");
    let passage = passage.next().expect("the passage is found");
    assert_eq!(passage.anchor.as_deref(), Some("of-the-tide"));
    assert_eq!(passage.headings, ["Times", "Of the tide"]);
}

/// So do those of operations, webhooks and data models.
#[test]
fn headings_of_every_description_are_places_of_their_page() {
    let about = "First.\n\n# Limits\n\nTen a minute.\n\n## Responses\n\nSee [limits](#limits).";
    let operation = json!({"summary": "List", "description": about, "responses": {"200": {"description": "ok"}}});
    let document = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://x.example"}],
        "paths": {"/a": {"get": operation}}, "webhooks": {"sent": {"post": operation}},
        "components": {"schemas": {"Ticket": {"type": "object", "description": about, "properties": {"id": {"type": "string"}}}}}});
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {"pages": ["GET /a", "webhook sent", "ticket"]}, "api": {"openapi": "api.json"}}"##;
    let document = document.to_string();
    let site = TestSite::new(&[
        ("docs.json", docs),
        ("api.json", &document),
        (
            "ticket.mdx",
            "---\ntitle: Ticket\nopenapi-schema: Ticket\n---\n",
        ),
    ]);
    let pages: Vec<(Route, PageId)> = (route_table(&site.db, site.site).pages.iter())
        .map(|(route, page)| (route.clone(), *page))
        .filter(|(_, page)| reference_of(&site.db, *page).is_some())
        .collect();
    assert_eq!(pages.len(), 3, "{pages:?}");
    for (route, page) in pages {
        let drawn = reference_of(&site.db, page).unwrap();
        let outline: Vec<_> = (drawn.outline.iter().take(2))
            .map(|entry| (entry.level, entry.id.as_str()))
            .collect();
        let has_responses = route.as_str() != "/ticket";
        let second = if has_responses {
            "responses-2"
        } else {
            "responses"
        };
        assert_eq!(outline, [(2, "limits"), (3, second)], "{route}");
        for entry in &drawn.outline {
            let html = format!("{}{}{}", drawn.head, drawn.security, drawn.main);
            let id = format!(" id=\"{}\"", entry.id);
            assert_eq!(html.matches(&id).count(), 1, "{route} {id}");
            assert!(drawn.anchors.contains(&entry.id));
        }
        let text = page_text(&site.db, page);
        let passage = text.passages.iter();
        let mut passage = passage.filter(|passage| passage.body.contains("Ten a minute."));
        let passage = passage.next().expect("the passage is found");
        assert_eq!(passage.anchor.as_deref(), Some("limits"), "{route}");
        let text = page_markdown(&site.db, page);
        assert!(text.contains("## Limits\n\nTen a minute."), "{text}");
    }
    let found = site_diagnostics(&site.db, site.site);
    assert!(
        found.iter().all(|one| one.code != Code::BrokenAnchor),
        "{found:?}"
    );
}

/// Of a document with more operations than a page lists it tells the groups, where each begins and how large it is.
#[test]
fn of_too_many_operations_it_lists_the_groups() {
    let drawn = |count: usize| {
        let paths = (0..count).map(|n| {
            let operation =
                json!({"tags": [format!("tag {}", n % 3)], "summary": format!("Do {n}")});
            (format!("/p{n}"), json!({ "get": operation }))
        });
        let paths: serde_json::Map<String, Value> = paths.collect();
        let document = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
            "tags": [{"name": "tag 1", "description": "Ones."}], "paths": paths});
        let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {"openapi": "api.json"}}"##;
        let document = document.to_string();
        let site = TestSite::new(&[("docs.json", docs), ("api.json", &document)]);
        let page = page(&site, "api-reference/introduction").unwrap();
        let html = reference_of(&site.db, page).unwrap().main.clone();
        (
            in_english(&html).into_owned(),
            page_markdown(&site.db, page).to_string(),
        )
    };
    let (html, _) = drawn(MAX_LISTED_OPERATIONS);
    assert_eq!(html.matches("/do-").count(), MAX_LISTED_OPERATIONS);
    let (html, text) = drawn(MAX_LISTED_OPERATIONS + 1);
    assert_eq!(html.matches("/do-").count(), 3, "{html}");
    let first = r#"<a href="/api-reference/tag-1/do-1"><span class="uses-title">Operations: 167</span></a>"#;
    assert!(html.contains(first), "{html}");
    let told = "## tag 1\n\nOnes.\n\n- `Operations` [167](/api-reference/tag-1/do-1)\n";
    assert!(text.contains(told), "{text}");
}

/// Operations without a tag need no name of ours for their group where there is no other.
#[test]
fn the_only_group_has_no_name_of_ours() {
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {"openapi": "api.json"}}"##;
    let document = r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {}}}}"#;
    let site = TestSite::new(&[("docs.json", docs), ("api.json", document)]);
    let page = page(&site, "api-reference/introduction").unwrap();
    let drawn = reference_of(&site.db, page).unwrap();
    let ids: Vec<&str> = drawn.outline.iter().map(|entry| &*entry.id).collect();
    assert_eq!(ids, ["operations"]);
    assert!(drawn.main.contains(r#"href="/api-reference/get-a""#));
}

#[test]
fn it_has_no_method_and_the_name_of_the_api() {
    let site = harbor();
    let label = label_of(&site.db, page(&site, "bare/introduction").unwrap());
    assert_eq!((&*label.label, &label.method), ("Bare", &None));
}

/// The setting decides, and the address of no other page depends on it.
#[test]
fn other_pages_stay_where_they_are_without_it() {
    let mut site = harbor();
    let routes = |site: &TestSite| -> Vec<String> {
        let pages = route_table(&site.db, site.site).pages.keys();
        pages.map(Route::to_string).collect()
    };
    let with = routes(&site);
    let docs = site.text("docs.json");
    let docs = docs.replacen('{', r#"{"api": {"introduction": false},"#, 1);
    site.set("docs.json", docs);
    let without = routes(&site);
    let mut gone = with;
    gone.retain(|route| !without.contains(route));
    assert_eq!(
        gone,
        ["/api-reference/introduction-1", "/bare/introduction"]
    );
}
