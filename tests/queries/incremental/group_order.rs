//! Two groups of a tab change places: the sidebar of that section, and the first page behind its tab. No page changes its
//! section, so nothing that rests on the section of a page runs.

use expect_test::expect;

use super::{Ask, DOCS, check, museum_edited_at};

#[test]
fn groups_that_change_places_wake_their_section() {
    let mut site = museum_edited_at("docs.json", &format!("{DOCS}\n"));
    let start = r#"{"group": "Start", "pages": ["index"]}"#;
    let use_ = r#"{"group": "Use", "pages": ["guides/tickets", "guides/visits"]}"#;
    let swapped = DOCS.replace(&format!("{start}, {use_}"), &format!("{use_}, {start}"));
    assert_ne!(swapped, DOCS);
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", swapped),
        expect![[r#"
            api_config ×1
            content_config ×1
            first_pages ×1
            generated_pages ×1
            language_twins ×1
            navigation_config ×1
            navigation_tree ×1
            page_head ×3: guides/tickets.mdx, guides/visits.mdx, things/spoons.mdx
            redirects ×1
            search_config ×1
            section_header ×2: [0], [1]
            section_sidebar ×1: [0]
            sections ×1
            sections_by_page ×1
            seo_config ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
}
