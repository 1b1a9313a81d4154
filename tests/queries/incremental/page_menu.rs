//! What stands at the head of an article changes: the menu of every page or of one, the way to a page. Of the site it is read
//! while a page is composed, so no page is drawn anew; of a page it wakes the head of that page.

use expect_test::expect;

use super::{Ask, DOCS, check, museum_edited_at};

fn docs_with(more: &str) -> String {
    DOCS.replacen('{', &format!("{{{more}, "), 1)
}

#[test]
fn of_the_site() {
    let mut site = museum_edited_at(
        "docs.json",
        &docs_with(r#""contextual": {"options": ["copy"]}"#),
    );
    check(
        &mut site,
        Ask::Everything,
        |site| {
            let more =
                r#""contextual": {"options": ["view"]}, "styling": {"eyebrows": "breadcrumbs"}"#;
            site.set("docs.json", docs_with(more));
        },
        expect![[r#"
            api_config ×1
            content_config ×1
            frame_header ×1
            icon_set ×1
            navigation_config ×1
            redirects ×1
            search_config ×1
            seo_config ×1
            site_config ×1
            site_frame ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
    let html = site.html("guides/tickets.mdx");
    assert!(html.contains("href=\"/guides/tickets.md\"") && !html.contains("Copy page"));
    assert!(html.contains("class=\"breadcrumbs\""));
}

#[test]
fn of_a_page() {
    let page = |menu: &str| {
        format!("---\ntitle: Tickets\ncontextual: {{options: [{menu}]}}\n---\n\nWords.\n")
    };
    let mut site = museum_edited_at("guides/tickets.mdx", &page("copy"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("guides/tickets.mdx", page("view")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_head ×1: guides/tickets.mdx
            page_label ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
        "#]],
    );
    assert!(!site.html("guides/tickets.mdx").contains("Copy page"));
    assert!(site.html("guides/visits.mdx").contains("Copy page"));
}
