//! A page appears: the lists of its bucket, the list of pages and the routes. The navigation looks its pages up again,
//! and is equal unless it names the new page. Every link of the site may lead to it, so the checks of pages with links
//! run; no body is drawn but its own.

use expect_test::expect;

use super::{Ask, DOCS, check, museum_edited_at, warm_museum};

#[test]
fn a_page_in_no_navigation() {
    let mut site = warm_museum();
    check(
        &mut site,
        Ask::Everything,
        |site| site.add("things/stools.mdx", "# Stools\n"),
        expect![[r#"
            bucket_assets ×1: bucket 106
            bucket_diagnostics ×1: bucket 106
            bucket_own_files ×1: bucket 106
            bucket_pages ×1: bucket 106
            bucket_subjects ×1: bucket 106
            first_pages ×1
            front_matter ×1: things/stools.mdx
            has_navigation ×1
            link_diagnostics ×4: guides/tickets.mdx, guides/visits.mdx, things/spoons.mdx, things/stools.mdx
            navigation_tree ×1
            orphan_diagnostic ×1: things/stools.mdx
            page_body ×1: things/stools.mdx
            page_diagnostics ×1: things/stools.mdx
            page_facts ×1: things/stools.mdx
            page_links ×1: things/stools.mdx
            page_list ×1
            page_names ×1
            page_route ×1: things/stools.mdx
            page_section ×1: things/stools.mdx
            route_table ×1
        "#]],
    );
}

#[test]
fn a_page_the_navigation_was_waiting_for() {
    let docs = DOCS.replace(
        "\"things/handles\"",
        "\"things/handles\", \"things/stools\"",
    );
    let mut site = museum_edited_at("docs.json", &docs);
    assert!(site.outputs()["the report"].contains("warning[missing-page]"));
    site.take();
    check(
        &mut site,
        Ask::Everything,
        |site| site.add("things/stools.mdx", "# Stools\n"),
        expect![[r#"
            bucket_assets ×1: bucket 106
            bucket_diagnostics ×1: bucket 106
            bucket_own_files ×1: bucket 106
            bucket_pages ×1: bucket 106
            bucket_subjects ×1: bucket 106
            first_pages ×1
            front_matter ×1: things/stools.mdx
            generated_pages ×1
            language_twins ×1
            link_diagnostics ×4: guides/tickets.mdx, guides/visits.mdx, things/spoons.mdx, things/stools.mdx
            navigation_tree ×1
            orphan_diagnostic ×1: things/stools.mdx
            page_body ×1: things/stools.mdx
            page_diagnostics ×1: things/stools.mdx
            page_facts ×1: things/stools.mdx
            page_head ×1: things/spoons.mdx
            page_label ×1: things/stools.mdx
            page_links ×1: things/stools.mdx
            page_list ×1
            page_names ×1
            page_route ×1: things/stools.mdx
            page_section ×5: guides/tickets.mdx, guides/visits.mdx, things/handles.mdx, things/spoons.mdx, things/stools.mdx
            page_title ×1: things/stools.mdx
            replaced_page ×1: things/stools.mdx
            route_table ×1
            run_links ×1: run
            section_sidebar ×1: [1]
            sections ×1
            sections_by_page ×1
        "#]],
    );
    assert!(site.html("things/spoons.mdx").contains("/things/stools"));
}
