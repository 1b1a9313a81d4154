//! In an idle moment edited files become durable again: each is read once more, and nothing else runs, because what
//! they return is equal and at least as durable.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

/// The first edit after a promotion lowers the file again. The queries at the edge run and are less durable than
/// before, so their direct readers run; those readers had kept the low durability of their last run, so it ends there.
#[test]
fn a_promotion_reads_the_edited_files_once() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    check(
        &mut site,
        Ask::Everything,
        |site| assert_eq!(site.promote().len(), 1),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_diagnostics ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
            page_head ×1: guides/tickets.mdx
            page_label ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
        "#]],
    );
}
