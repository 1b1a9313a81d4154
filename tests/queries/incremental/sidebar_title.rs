//! A page gets a shorter title for the sidebar: as for a title, and the title itself stays.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

#[test]
fn a_sidebar_title_wakes_the_sidebar_of_the_section() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    check(
        &mut site,
        Ask::Everything,
        |site| {
            let short = TICKETS.replace("title: Tickets\n", "title: Tickets\nsidebarTitle: Tix\n");
            site.set(EDITED, short);
        },
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
