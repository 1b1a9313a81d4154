//! A file is saved with the content it had: the digest is equal, nothing is written, nothing runs.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, warm_museum};

#[test]
fn saving_without_a_change_runs_nothing() {
    let mut site = warm_museum();
    check(
        &mut site,
        Ask::Everything,
        |site| site.set(EDITED, TICKETS),
        expect![[""]],
    );
}
