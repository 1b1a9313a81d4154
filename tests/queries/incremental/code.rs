//! Code that a grammar colours is coloured when it changes, not when the words around it do.

use expect_test::expect;

use super::{Ask, EDITED, TICKETS, check, museum_edited_at};

const LUA: &str = "\n```lua\nlocal a = 1\n```\n\n```perl\nmy $b = 2;\n```\n";

fn edited() -> crate::support::TestSite {
    museum_edited_at(EDITED, &format!("{TICKETS}{LUA}"))
}

#[test]
fn words_leave_it_alone() {
    check(
        &mut edited(),
        Ask::Pages,
        |site| {
            site.set(
                EDITED,
                format!("{}{LUA}", TICKETS.replace("a day", "three days")),
            )
        },
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
}

#[test]
fn a_block_that_changed_is_coloured_alone() {
    check(
        &mut edited(),
        Ask::Pages,
        |site| site.set(EDITED, format!("{TICKETS}{}", LUA.replace('1', "3"))),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            grammar_spans ×1: block
            page_body ×1: guides/tickets.mdx
        "#]],
    );
}

#[test]
fn blocks_that_change_places_are_found_again() {
    let swapped = "\n```perl\nmy $b = 2;\n```\n\n```lua\nlocal a = 1\n```\n";
    check(
        &mut edited(),
        Ask::Pages,
        |site| site.set(EDITED, format!("{TICKETS}{swapped}")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
}

/// A lexer is as fast as remembering.
#[test]
fn code_with_a_lexer_is_no_query() {
    check(
        &mut edited(),
        Ask::Pages,
        |site| site.set(EDITED, format!("{TICKETS}{LUA}\n```js\nlet a\n```\n")),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
        "#]],
    );
}
