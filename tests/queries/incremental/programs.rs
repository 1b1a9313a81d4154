//! Texts for programs: an edit makes the line of its page anew, and composes the rest of what is kept.

use expect_test::{Expect, expect};
use queries::site::{Output, machine_text, resolve, route_table};

use super::{DOCS, EDITED, TICKETS, museum};
use crate::support::TestSite;

/// Asks for every text; returns what ran.
fn ran(site: &mut TestSite) -> String {
    let routes = route_table(&site.db, site.site).clone();
    for path in routes.text_paths() {
        if let Some(Output::Text(text)) = resolve(&*routes, &path) {
            machine_text(&site.db, site.site, text, "https://docs.example");
        }
    }
    let mut text = String::new();
    for (query, keys) in site.take_keys() {
        text.push_str(&format!("{query} ×{}: {}\n", keys.len(), keys.join(", ")));
    }
    text.replace(": \n", "\n")
}

/// Checks what runs when a page that was edited before becomes `text`.
#[track_caller]
fn check(text: String, expected: Expect) {
    let mut site = museum();
    ran(&mut site);
    site.set(EDITED, TICKETS.replace("a day", "two days"));
    ran(&mut site);
    site.set(EDITED, text);
    expected.assert_eq(&ran(&mut site));
    let differences = crate::support::differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}

#[test]
fn words_make_the_texts_of_their_page_anew() {
    check(
        TICKETS.replace("a day", "three days"),
        expect![[r#"
        front_matter ×1: guides/tickets.mdx
        has_feed ×1: guides/tickets.mdx
        index_entry ×1: guides/tickets.mdx
        page_body ×1: guides/tickets.mdx
        page_markdown ×1: guides/tickets.mdx
        page_text ×1: guides/tickets.mdx
    "#]],
    );
}

#[test]
fn a_title_makes_the_texts_of_its_page_anew() {
    let text = TICKETS.replace("a day", "two days");
    check(
        text.replace("title: Tickets", "title: Entry"),
        expect![[r#"
            front_matter ×1: guides/tickets.mdx
            has_feed ×1: guides/tickets.mdx
            index_entry ×1: guides/tickets.mdx
            is_listed_for_robots ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_facets ×1: guides/tickets.mdx
            page_markdown ×1: guides/tickets.mdx
            page_text ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
            site_map_entry ×1: guides/tickets.mdx
        "#]],
    );
}

#[test]
fn a_color_makes_none() {
    let mut site = museum();
    ran(&mut site);
    site.set("docs.json", DOCS.replace("#00aa77", "#112233"));
    let ran = ran(&mut site);
    for query in [
        "feed_entries",
        "has_feed",
        "index_entry",
        "is_listed_for_robots",
        "page_alternates",
        "page_markdown",
        "site_map_entry",
    ] {
        assert!(!ran.contains(query), "{ran}");
    }
}
