//! A page is broken in the middle of an edit, and mended: each costs what an edit of that page costs, and no other page
//! hears of it.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

#[test]
fn an_unclosed_tag_and_its_mending() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    let broken = TICKETS.replace("A ticket", "<Note>A ticket");
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, &broken),
        expect![[r#"
            bucket_diagnostics ×1: bucket 25
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_anchors ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
            page_links ×1: guides/tickets.mdx
        "#]],
    );
    assert!(site.outputs()["the report"].contains("guides/tickets.mdx:5:1: error[unclosed-tag]"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS),
        expect![[r#"
            bucket_diagnostics ×1: bucket 25
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_anchors ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
            page_links ×1: guides/tickets.mdx
        "#]],
    );
}

/// A page without a readable title falls back to its name, so its label wakes the sidebar.
#[test]
fn a_broken_frontmatter_and_its_mending() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    let broken = TICKETS.replace("title: Tickets", "title: [Entry");
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, &broken),
        expect![[r#"
            bucket_diagnostics ×1: bucket 25
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            is_ordered_by_names ×1
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_head ×1: guides/tickets.mdx
            page_label ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
        "#]],
    );
    assert!(site.outputs()["the report"].contains("error[invalid-frontmatter]"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS),
        expect![[r#"
            bucket_diagnostics ×1: bucket 25
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_head ×1: guides/tickets.mdx
            page_label ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
        "#]],
    );
}

/// A configuration that is no JSON leaves a site without navigation; mended, everything is as before, and no body was
/// drawn.
#[test]
fn a_broken_configuration_and_its_mending() {
    use super::DOCS;
    let mut site = museum_edited_at("docs.json", &format!("{DOCS}\n"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", &DOCS[..DOCS.len() - 1]),
        expect![[r#"
            api_config ×1
            content_config ×1
            first_pages ×1
            frame_header ×1
            generated_pages ×1
            has_navigation ×1
            icon_set ×1
            language_twins ×1
            navigation_config ×1
            navigation_tree ×1
            orphan_diagnostic ×4: guides/tickets.mdx, guides/visits.mdx, things/handles.mdx, things/spoons.mdx
            page_head ×3: guides/tickets.mdx, guides/visits.mdx, things/spoons.mdx
            page_section ×4: guides/tickets.mdx, guides/visits.mdx, things/handles.mdx, things/spoons.mdx
            redirects ×1
            route_table ×1
            search_config ×1
            section_header ×1: []
            section_sidebar ×1: []
            sections ×1
            sections_by_page ×1
            seo_config ×1
            site_config ×1
            site_frame ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
    assert!(site.outputs()["the report"].contains("error[invalid-json]"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set("docs.json", DOCS),
        expect![[r#"
            api_config ×1
            content_config ×1
            first_pages ×1
            frame_header ×1
            generated_pages ×1
            icon_set ×1
            language_twins ×1
            navigation_config ×1
            navigation_tree ×1
            orphan_diagnostic ×4: guides/tickets.mdx, guides/visits.mdx, things/handles.mdx, things/spoons.mdx
            page_head ×3: guides/tickets.mdx, guides/visits.mdx, things/spoons.mdx
            page_section ×4: guides/tickets.mdx, guides/visits.mdx, things/handles.mdx, things/spoons.mdx
            redirects ×1
            route_table ×1
            run_links ×3: run, run, run
            search_config ×1
            section_header ×2: [0], [1]
            section_sidebar ×2: [0], [1]
            sections ×1
            sections_by_page ×1
            seo_config ×1
            site_config ×1
            site_frame ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
}
