//! The title of one page changes: its label and the sidebar of its section. The body of the page is drawn again because
//! its file changed; no other body, no header, no other sidebar, no link check of another page.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at, warm_museum};

/// The link check of the page that links to its heading runs because the anchors became less durable.
#[test]
fn first() {
    let mut site = warm_museum();
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS.replace("Tickets", "Entry")),
        expect![[r#"
            bucket_diagnostics ×2: bucket 25, bucket 64
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            link_diagnostics ×2: guides/tickets.mdx, guides/visits.mdx
            page_anchors ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
            page_head ×2: guides/tickets.mdx, guides/visits.mdx
            page_label ×1: guides/tickets.mdx
            page_links ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
            run_links ×1: run
            section_sidebar ×1: [0]
        "#]],
    );
}

#[test]
fn then() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS.replace("Tickets", "Entry")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_head ×2: guides/tickets.mdx, guides/visits.mdx
            page_label ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
            run_links ×1: run
            section_sidebar ×1: [0]
        "#]],
    );
}
