//! An edit is taken back after it was shown: the engine remembers one content of each file, so the same queries run as
//! for any other edit, and their results are those of before.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

#[test]
fn a_revert_costs_as_much_as_the_edit() {
    let mut site = museum_edited_at(EDITED, &TICKETS.replace("a day", "two days"));
    let before = site.html(EDITED);
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_facts ×1: guides/tickets.mdx
        "#]],
    );
    assert_ne!(site.html(EDITED), before);
}
