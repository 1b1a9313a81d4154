//! Code that a grammar colors is colored when it changes, not when the words around it do.

use std::sync::Arc;

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};
use crate::artifacts::Artifacts;
use crate::support::TestSite;

const LUA: &str = "\n```lua\nlocal a = 1\n```\n\n```perl\nmy $b = 2;\n```\n";

/// Edits a page that ends with the two blocks of [`LUA`], and returns how many blocks were colored for it and how many
/// found.
#[track_caller]
fn check_spans(edited: &str, expected: &str) {
    let artifacts = Arc::new(Artifacts::default());
    let before = museum_edited_at(EDITED, &format!("{TICKETS}{LUA}"));
    let mut site = TestSite::keeping(&before.contents(), &artifacts);
    site.outputs();
    artifacts.take();
    site.set(EDITED, edited);
    site.outputs();
    let spans = artifacts.take().into_iter();
    let spans: Vec<String> = spans.filter(|line| line.starts_with("grammar")).collect();
    assert_eq!(spans, [expected]);
}

#[test]
fn words_leave_it_alone() {
    let edited = format!("{}{LUA}", TICKETS.replace("a day", "three days"));
    check_spans(&edited, "grammar spans: 0 made, 2 found");
}

#[test]
fn a_block_that_changed_is_colored_alone() {
    let edited = format!("{TICKETS}{}", LUA.replace('1', "3"));
    check_spans(&edited, "grammar spans: 1 made, 1 found");
}

#[test]
fn blocks_that_change_places_are_found_again() {
    let swapped = "\n```perl\nmy $b = 2;\n```\n\n```lua\nlocal a = 1\n```\n";
    let edited = format!("{TICKETS}{swapped}");
    check_spans(&edited, "grammar spans: 0 made, 2 found");
}

/// A lexer is as fast as remembering.
#[test]
fn code_with_a_lexer_is_not_stored() {
    let edited = format!("{TICKETS}{LUA}\n```js\nlet a\n```\n");
    check_spans(&edited, "grammar spans: 0 made, 2 found");
}

/// Blocks are no entities of the database: whoever draws creates nothing.
#[test]
fn a_block_that_changed_is_no_query() {
    check(
        &mut museum_edited_at(EDITED, &format!("{TICKETS}{LUA}")),
        Ask::Pages,
        |site| site.set(EDITED, format!("{TICKETS}{}", LUA.replace('1', "3"))),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
}
