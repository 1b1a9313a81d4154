//! Pictures of pages: a title or a label says something new on the cards that show it, words of pages on none, a color is
//! the same for all.

use expect_test::{Expect, expect};
use queries::site::{card_look, page_card, route_table};

use super::{DOCS, EDITED, TICKETS, museum};
use crate::support::{TestSite, differences};

/// Asks for every card; returns what ran.
fn ran(site: &mut TestSite) -> String {
    card_look(&site.db, site.site);
    for page in route_table(&site.db, site.site).pages.values() {
        page_card(&site.db, *page);
    }
    let mut text = String::new();
    for (query, keys) in site.take_keys() {
        text.push_str(&format!("{query} ×{}: {}\n", keys.len(), keys.join(", ")));
    }
    text.replace(": \n", "\n")
}

/// Checks what runs when a page that was edited before becomes `text`.
#[track_caller]
fn check(path: &str, text: String, expected: Expect) {
    let mut site = museum();
    ran(&mut site);
    site.set(EDITED, TICKETS.replace("a day", "two days"));
    ran(&mut site);
    site.set(path, text);
    expected.assert_eq(&ran(&mut site));
    let differences = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}

#[test]
fn words_make_none_anew() {
    check(
        EDITED,
        TICKETS.replace("a day", "three days"),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
        "#]],
    );
}

#[test]
fn a_title_makes_its_own_anew() {
    let text = TICKETS.replace("a day", "two days");
    check(
        EDITED,
        text.replace("title: Tickets", "title: Entry"),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            page_card ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
        "#]],
    );
}

#[test]
fn a_description_makes_its_own_anew() {
    let text = TICKETS.replace("a day", "two days");
    check(
        EDITED,
        text.replace(
            "title: Tickets",
            "title: Tickets\ndescription: Where to buy them",
        ),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            page_card ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
        "#]],
    );
}

#[test]
fn a_color_makes_their_look_anew() {
    check(
        "docs.json",
        DOCS.replace("#00aa77", "#112233"),
        expect![[r#"
            card_look ×1
            navigation_config ×1
            redirects ×1
            site_config ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
}

#[test]
fn a_label_makes_all_anew() {
    check(
        "docs.json",
        DOCS.replace("\"Use\"", "\"Visit\""),
        expect![[r#"
            breadcrumbs ×1
            generated_pages ×1
            navigation_config ×1
            navigation_tree ×1
            page_card ×5: guides/tickets.mdx, guides/visits.mdx, index.mdx, things/handles.mdx, things/spoons.mdx
            redirects ×1
            sections ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
}
