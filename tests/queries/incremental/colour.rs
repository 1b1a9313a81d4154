//! A colour in `docs.json` changes: the configuration is read and projected again, and the frame around the pages.
//! The navigation, headers, sidebars and bodies stay asleep.

use expect_test::expect;

use super::{Ask, DOCS, check, museum_edited_at, warm_museum};

/// The demotion of `docs.json` wakes everything that rests on the configuration, once; no body does.
#[test]
fn first() {
    let mut site = warm_museum();
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", DOCS.replace("#00aa77", "#aa0077")),
        expect![[r#"
            bucket_diagnostics ×5: bucket 104 bucket 118 bucket 127 bucket 25 bucket 64
            frame_header ×1
            navigation_config ×1
            navigation_tree ×1
            orphan_diagnostic ×5: guides/tickets.mdx guides/visits.mdx index.mdx things/handles.mdx things/spoons.mdx
            page_section ×5: guides/tickets.mdx guides/visits.mdx index.mdx things/handles.mdx things/spoons.mdx
            redirects ×1
            route_table ×1
            section_header ×2: [0] [1]
            section_sidebar ×2: [0] [1]
            sections ×1
            sections_by_page ×1
            seo_config ×1
            site_config ×1
            site_frame ×1
            theme_config ×1
        "#]],
    );
    assert!(site.html("index.mdx").contains("#aa0077"));
}

#[test]
fn then() {
    let mut site = museum_edited_at("docs.json", &DOCS.replace("#00aa77", "#aa0077"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", DOCS.replace("#00aa77", "#7700aa")),
        expect![[r#"
            frame_header ×1
            navigation_config ×1
            redirects ×1
            seo_config ×1
            site_config ×1
            site_frame ×1
            theme_config ×1
        "#]],
    );
    assert!(site.html("index.mdx").contains("#7700aa"));
}
