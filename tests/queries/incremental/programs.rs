//! Texts for programs: an edit makes the line of its page anew, and composes the rest of what is kept.

use expect_test::{Expect, expect};
use queries::site::{MachineText, Output, machine_text, resolve, route_table};

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

#[test]
fn a_skill_makes_addresses_anew_by_its_name_alone() {
    let skill = |name: &str, words: &str| format!("---\nname: {name}\n---\n\n{words}.\n");
    let mut site = museum();
    let path = ".mintlify/skills/pour/SKILL.md";
    site.add("skill.md", skill("visit", "Go"));
    site.add(path, skill("pour", "Go"));
    ran(&mut site);
    // The first edit of a file makes it one that is edited.
    site.set("skill.md", skill("visit", "Stay"));
    site.set(path, skill("pour", "Stay"));
    ran(&mut site);
    site.set("skill.md", skill("visit", "Come"));
    let words = ran(&mut site);
    assert!(words.contains("skill_name ×1\n"), "{words}");
    assert!(!words.contains("route_table"), "{words}");
    site.set("skill.md", skill("view", "Come"));
    let name = ran(&mut site);
    assert!(name.contains("skill_name ×1\n"), "{name}");
    assert!(name.contains("route_table ×1\n"), "{name}");
    site.set(path, skill("other", "Come"));
    // The address is that of its folder, and lists are composed of what is there.
    assert_eq!(ran(&mut site), "");
    let differences = crate::support::differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}

/// How many pages the large site has.
const MANY: usize = 1200;

/// A site of many pages in two groups.
fn many() -> TestSite {
    let name = |n: usize| format!("\"g{}/p{n}\"", n % 2);
    let listed = |group: usize| {
        let pages = (0..MANY).filter(|n| n % 2 == group).map(name);
        pages.collect::<Vec<_>>().join(", ")
    };
    let docs = format!(
        r##"{{"theme": "mint", "name": "Museum", "colors": {{"primary": "#00aa77"}}, "navigation": {{"groups": [
            {{"group": "Even", "pages": [{}]}}, {{"group": "Odd", "pages": [{}]}}]}}}}"##,
        listed(0),
        listed(1)
    );
    let mut files = vec![("docs.json".to_owned(), docs)];
    files.extend((0..MANY).map(|n| (path_of(n), page_of(n, "Title", "a day"))));
    TestSite::new(&files)
}

fn path_of(n: usize) -> String {
    format!("g{}/p{n}.mdx", n % 2)
}

fn page_of(n: usize, title: &str, words: &str) -> String {
    format!("---\ntitle: {title} {n}\n---\n\nThing {n} is shown for {words}.\n")
}

/// The lines of `llms.txt`.
fn listed(site: &TestSite) -> Vec<String> {
    let text = machine_text(
        &site.db,
        site.site,
        MachineText::Index,
        "https://docs.example",
    );
    text.expect("a list").lines().map(str::to_owned).collect()
}

/// Of many pages an edit makes the texts of one anew: its twin and its line, and no line or twin of another.
#[test]
fn an_edit_among_many_pages_costs_its_own_texts() {
    let mut site = many();
    ran(&mut site);
    let (path, n) = (path_of(701), 701);
    site.set(&path, page_of(n, "Title", "two days"));
    ran(&mut site);
    let before = listed(&site);
    assert_eq!(
        before.iter().filter(|line| line.starts_with("- [")).count(),
        MANY
    );
    site.take();
    for (title, words, expected) in [
        (
            "Title",
            "three days",
            expect![[r#"
            front_matter ×1: g1/p701.mdx
            has_feed ×1: g1/p701.mdx
            index_entry ×1: g1/p701.mdx
            page_body ×1: g1/p701.mdx
            page_markdown ×1: g1/p701.mdx
            page_text ×1: g1/p701.mdx
        "#]],
        ),
        (
            "Name",
            "three days",
            expect![[r#"
            front_matter ×1: g1/p701.mdx
            has_feed ×1: g1/p701.mdx
            index_entry ×1: g1/p701.mdx
            is_listed_for_robots ×1: g1/p701.mdx
            page_body ×1: g1/p701.mdx
            page_facets ×1: g1/p701.mdx
            page_markdown ×1: g1/p701.mdx
            page_text ×1: g1/p701.mdx
            page_title ×1: g1/p701.mdx
            site_map_entry ×1: g1/p701.mdx
        "#]],
        ),
    ] {
        let before = listed(&site);
        site.take();
        site.set(&path, page_of(n, title, words));
        expected.assert_eq(&ran(&mut site));
        let after = listed(&site);
        assert_eq!(before.len(), after.len());
        let changed: Vec<&String> = (before.iter().zip(&after))
            .filter(|(before, after)| before != after)
            .map(|(_, after)| after)
            .collect();
        assert_eq!(changed.len(), 1, "{changed:?}");
        assert!(
            changed[0].contains(&format!("[{title} {n}]")),
            "{changed:?}"
        );
        assert!(changed[0].contains(words), "{changed:?}");
    }
    let differences = crate::support::differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}
