//! A file is written twice, and holds in the end what it held before anybody asked.
//!
//! The digest was set, so the revision is another one and the readers of the digest run; all they return is equal.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

#[test]
fn a_change_that_is_taken_back_before_anyone_asks_stops_at_the_readers_of_the_file() {
    let mut site = museum_edited_at(EDITED, TICKETS.trim_end());
    check(
        &mut site,
        Ask::Everything,
        |site| {
            site.set(EDITED, "Gone.");
            site.set(EDITED, TICKETS.trim_end());
        },
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
}
