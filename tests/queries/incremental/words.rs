//! Words of one page change: its body is drawn again. Sidebars, headers, routes, every other page, and the link checks
//! of the pages that link to it stay asleep.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at, warm_museum};

/// The demotion of the file wakes whatever rests on its frontmatter, body, links and anchors, once: its label and the
/// sidebar that shows it, and the link check of the page that links to one of its headings.
#[test]
fn first() {
    let mut site = warm_museum();
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS.replace("a day", "two days")),
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
    let mut site = museum_edited_at(EDITED, &TICKETS.replace("a day", "two days"));
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS.replace("a day", "three days")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
        "#]],
    );
}

/// Asking for pages alone does not pay for the checks.
#[test]
fn then_without_diagnostics() {
    let mut site = museum_edited_at(EDITED, &TICKETS.replace("a day", "two days"));
    check(
        &mut site,
        Ask::Pages,
        |site| site.set(EDITED, TICKETS.replace("a day", "three days")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
}
