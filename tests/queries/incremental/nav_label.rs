//! A label of the navigation changes: the tree and what shows the label. Bodies and link checks stay asleep, and so do
//! the section of every page and the sidebars of other sections.

use expect_test::expect;

use super::{Ask, DOCS, check, museum_edited_at};

/// The label of a group is shown by the sidebar of its section alone.
#[test]
fn of_a_group() {
    let mut site = museum_edited_at("docs.json", &format!("{DOCS}\n"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", DOCS.replace("\"Use\"", "\"Enjoy\"")),
        expect![[r#"
            api_config ×1
            content_config ×1
            generated_pages ×1
            language_twins ×1
            navigation_config ×1
            navigation_tree ×1
            page_head ×2: guides/tickets.mdx, guides/visits.mdx
            redirects ×1
            search_config ×1
            section_sidebar ×1: [0]
            sections ×1
            seo_config ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
}

/// The label of a tab is shown by the header of every section, and no sidebar.
#[test]
fn of_a_tab() {
    let mut site = museum_edited_at("docs.json", &format!("{DOCS}\n"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", DOCS.replace("\"Reference\"", "\"Collection\"")),
        expect![[r#"
            api_config ×1
            content_config ×1
            generated_pages ×1
            language_twins ×1
            navigation_config ×1
            navigation_tree ×1
            page_head ×3: guides/tickets.mdx, guides/visits.mdx, things/spoons.mdx
            redirects ×1
            search_config ×1
            section_header ×2: [0], [1]
            sections ×1
            seo_config ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
}
