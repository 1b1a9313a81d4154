//! A heading of one page changes: besides its body, the link checks of the pages that link to its headings. Pages that
//! link to the page as a whole (`/things/spoons`) stay asleep, and so does the sidebar.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

#[test]
fn a_renamed_heading_wakes_the_pages_that_link_to_headings() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS.replace("Prices", "Costs")),
        expect![[r#"
            bucket_diagnostics ×1: bucket 64
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            link_diagnostics ×1: guides/visits.mdx
            page_anchors ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
            page_links ×1: guides/tickets.mdx
        "#]],
    );
    assert!(
        site.outputs()["the report"].contains("guides/visits.mdx:3:22: warning[broken-anchor]")
    );
}
