//! Many pages in one group: how many queries an edit of a label runs does not grow with their number, and a title draws the
//! links around it alone.

use expect_test::{Expect, expect};
use queries::site::route_table;

use crate::support::TestSite;

/// The page that is asked for: in the second run of its group.
const ASKED: &str = "r/r70.mdx";

fn docs(count: usize, other: &str, own: &str) -> String {
    let pages: Vec<String> = (0..count).map(|n| format!("\"r/r{n}\"")).collect();
    format!(
        r##"{{"theme": "mint", "name": "Museum", "colors": {{"primary": "#00aa77"}}, "navigation": {{"tabs": [
            {{"tab": "Home", "groups": [{{"group": "{other}", "pages": ["index"]}}]}},
            {{"tab": "API", "groups": [{{"group": "All", "pages": [{{"group": "{own}", "pages": [{}]}}]}}]}}]}}}}"##,
        pages.join(", ")
    )
}

fn page(n: usize, title: &str) -> String {
    // Every third page has an icon, so that the runs share them with each other and with the sidebar.
    let icon = if n.is_multiple_of(3) {
        "icon: bolt\n"
    } else {
        ""
    };
    format!("---\nopenapi: GET /r{n}\n{icon}sidebarTitle: {title}\n---\n\nWords.\n")
}

fn museum(count: usize) -> TestSite {
    let mut spec = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths:\n".to_owned();
    let mut files = vec![
        ("docs.json".to_owned(), docs(count, "Start", "Rooms")),
        ("index.mdx".to_owned(), "Hello.\n".to_owned()),
    ];
    for n in 0..count {
        spec += &format!("  /r{n}:\n    get:\n      summary: Room {n}\n");
        files.push((format!("r/r{n}.mdx"), page(n, &format!("Room {n}"))));
    }
    files.push(("api.yaml".to_owned(), spec));
    TestSite::new(&files)
}

/// The queries that run between an edit that writes `label` and the page at `asked`, with how often. It is the second of
/// its kind.
fn executed(count: usize, path: &str, text: impl Fn(usize, &str) -> String, asked: &str) -> String {
    let mut site = museum(count);
    let ask = |site: &TestSite| {
        assert_eq!(route_table(&site.db, site.site).pages.len(), count + 1);
        site.html(asked)
    };
    ask(&site);
    site.set(path, text(count, "Before"));
    ask(&site);
    site.take();
    site.set(path, text(count, "After"));
    let html = ask(&site);
    let executed = site.take();
    assert!(html.contains("After") && !html.contains("Before"));
    assert_eq!(html, site.fresh().html(asked));
    executed
}

#[track_caller]
fn check(path: &str, text: impl Fn(usize, &str) -> String, asked: &str, expected: Expect) {
    let few = executed(100, path, &text, asked);
    expected.assert_eq(&few);
    assert_eq!(executed(300, path, &text, asked), few);
}

#[test]
fn a_label_of_their_group_draws_none_of_their_links() {
    let text = |count, label: &str| docs(count, "Start", label);
    check(
        "docs.json",
        text,
        ASKED,
        expect![
            "api_config, content_config, generated_pages, language_twins, navigation_config, navigation_tree, page_head, redirects, search_config, section_sidebar, sections, seo_config, site_config, theme_config"
        ],
    );
}

#[test]
fn a_label_of_another_group_draws_none_of_their_links() {
    let text = |count, label: &str| docs(count, label, "Rooms");
    check(
        "docs.json",
        text,
        "index.mdx",
        expect![
            "content_config, generated_pages, is_ordered_by_names, language_twins, navigation_config, navigation_tree, page_head, redirects, search_config, section_sidebar, sections, seo_config, site_config, theme_config"
        ],
    );
}

#[test]
fn a_title_draws_the_links_around_it() {
    let text = |_, title: &str| page(70, title);
    check(
        ASKED,
        text,
        ASKED,
        expect![
            "front_matter, has_feed, page_body, page_head, page_label, page_title, run_links, section_sidebar"
        ],
    );
}
