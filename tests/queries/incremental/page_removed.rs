//! A page vanishes: as for one that appears. The pages that link to it keep their bodies and get a warning.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum, warm_museum};

#[test]
fn a_listed_page_leaves_its_section() {
    let mut site = warm_museum();
    check(
        &mut site,
        Ask::Everything,
        |site| site.remove(EDITED),
        expect![[r#"
            bucket_assets ×1: bucket 25
            bucket_diagnostics ×3: bucket 118, bucket 25, bucket 64
            bucket_own_files ×1: bucket 25
            bucket_pages ×1: bucket 25
            bucket_subjects ×1: bucket 25
            first_pages ×1
            generated_pages ×1
            language_twins ×1
            link_diagnostics ×2: guides/visits.mdx, things/spoons.mdx
            navigation_tree ×1
            page_head ×1: guides/visits.mdx
            page_list ×1
            page_names ×1
            page_section ×3: guides/visits.mdx, things/handles.mdx, things/spoons.mdx
            route_table ×1
            run_links ×1: run
            section_sidebar ×1: [0]
            sections ×1
            sections_by_page ×1
        "#]],
    );
    let report = &site.outputs()["the report"];
    assert!(
        report.contains("docs.json:2:101: warning[missing-page]"),
        "{report}"
    );
    assert!(
        report.contains("guides/visits.mdx:3:22: warning[broken-link]"),
        "{report}"
    );
}

/// A file that comes back with its old content is the same input: its body was kept.
#[test]
fn a_page_that_comes_back_is_not_drawn_again() {
    let mut site = museum();
    site.outputs();
    site.remove(EDITED);
    site.outputs();
    site.take();
    check(
        &mut site,
        Ask::Everything,
        |site| site.add(EDITED, TICKETS),
        expect![[r#"
            bucket_assets ×1: bucket 25
            bucket_diagnostics ×3: bucket 118, bucket 25, bucket 64
            bucket_own_files ×1: bucket 25
            bucket_pages ×1: bucket 25
            bucket_subjects ×1: bucket 25
            first_pages ×1
            generated_pages ×1
            language_twins ×1
            link_diagnostics ×3: guides/tickets.mdx, guides/visits.mdx, things/spoons.mdx
            navigation_tree ×1
            page_head ×2: guides/tickets.mdx, guides/visits.mdx
            page_list ×1
            page_names ×1
            page_section ×4: guides/tickets.mdx, guides/visits.mdx, things/handles.mdx, things/spoons.mdx
            route_table ×1
            run_links ×1: run
            section_sidebar ×1: [0]
            sections ×1
            sections_by_page ×1
        "#]],
    );
}
