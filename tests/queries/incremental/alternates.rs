//! Pages in several languages: words wake no twin, a title none either; a page that appears wakes what lists pages, and of the
//! alternates those that it joins.

use expect_test::{Expect, expect};
use queries::alternates::{default_language, language_twins, page_alternates, switches};
use queries::site::route_table;

use crate::support::{TestSite, differences, source_of};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"}, "navigation": {"languages": [
    {"language": "en", "default": true, "groups": [{"group": "Use", "pages": ["en/tickets", "en/visits", "en/tours"]}]},
    {"language": "de", "groups": [{"group": "Besuch", "pages": ["de/tickets", "de/visits"]}]}]}}"##;

/// The page that is edited.
const EDITED: &str = "de/tickets.mdx";

const TICKETS: &str = "---\ntitle: Karten\n---\n\nEine Karte gilt einen Tag.\n";

/// The queries that the tests are about.
const QUERIES: [&str; 5] = [
    "default_language",
    "is_unindexed",
    "language_twins",
    "page_alternates",
    "switches",
];

/// A site in two languages, whose edited page and configuration were edited before.
fn museum() -> TestSite {
    let page = |title: &str| format!("---\ntitle: {title}\n---\n\nWords.\n");
    let files = [
        ("docs.json", DOCS.to_owned()),
        ("en/tickets.mdx", page("Tickets")),
        ("en/visits.mdx", page("Visits")),
        ("en/tours.mdx", page("Tours")),
        (EDITED, TICKETS.to_owned()),
        ("de/visits.mdx", page("Besuche")),
    ];
    let mut site = TestSite::new(&files);
    ask(&site);
    site.set(EDITED, TICKETS.replace("einen Tag", "zwei Tage"));
    ask(&site);
    site.take();
    site
}

/// What each page is told of its twins.
fn ask(site: &TestSite) -> String {
    let (db, of_site) = (&site.db, site.site);
    switches(db, of_site);
    language_twins(db, of_site);
    let default = default_language(db, of_site);
    let mut told = format!("default {default:?}\n");
    for (route, page) in &route_table(db, of_site).pages {
        let alternates = page_alternates(db, *page).iter();
        let alternates: Vec<String> = alternates
            .map(|twin| {
                let first = if twin.is_default { " (default)" } else { "" };
                format!("{} {}{first}", twin.language, twin.href)
            })
            .collect();
        let alternates = match alternates.is_empty() {
            true => "alone".to_owned(),
            false => alternates.join(", "),
        };
        told += &format!("{route} ({}): {alternates}\n", source_of(db, *page));
    }
    told
}

/// Checks which of the queries run after an edit, and what the pages are told then, if it is something else.
#[track_caller]
fn check<T>(edit: impl FnOnce(&mut TestSite) -> T, expected: Expect) {
    let mut site = museum();
    let before = ask(&site);
    edit(&mut site);
    let after = ask(&site);
    let executed = site.take_keys();
    let mut shown = String::new();
    for query in QUERIES {
        if let Some(keys) = executed.get(query) {
            shown += &format!("{query} ×{}: {}\n", keys.len(), keys.join(", "));
        }
    }
    let mut shown = shown.replace(": \n", "\n");
    let gone = before
        .lines()
        .filter(|line| after.lines().all(|other| other != *line));
    shown.extend(gone.map(|line| format!("- {line}\n")));
    let new = after
        .lines()
        .filter(|line| before.lines().all(|other| other != *line));
    shown.extend(new.map(|line| format!("+ {line}\n")));
    expected.assert_eq(&shown);
    let stale = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(stale, "", "stale answers");
}

#[test]
fn twins_are_found() {
    expect![[r#"
        default Some("en")
        /de/tickets (de/tickets.mdx): en /en/tickets (default), de /de/tickets
        /de/visits (de/visits.mdx): en /en/visits (default), de /de/visits
        /en/tickets (en/tickets.mdx): en /en/tickets (default), de /de/tickets
        /en/tours (en/tours.mdx): alone
        /en/visits (en/visits.mdx): en /en/visits (default), de /de/visits
    "#]]
    .assert_eq(&ask(&museum()));
}

#[test]
fn words_wake_none() {
    check(
        |site| site.set(EDITED, TICKETS.replace("einen Tag", "drei Tage")),
        expect![[r#""#]],
    );
}

#[test]
fn a_title_wakes_what_looks_at_the_frontmatter_alone() {
    check(
        |site| {
            let text = TICKETS.replace("einen Tag", "zwei Tage");
            site.set(EDITED, text.replace("Karten", "Eintritt"));
        },
        expect![[r#"
            is_unindexed ×1: de/tickets.mdx
        "#]],
    );
}

#[test]
fn a_page_that_robots_leave_alone_is_no_twin() {
    check(
        |site| {
            let text = TICKETS.replace("einen Tag", "zwei Tage");
            site.set(EDITED, text.replace("Karten\n", "Karten\nnoindex: true\n"));
        },
        expect![[r#"
            is_unindexed ×1: de/tickets.mdx
            page_alternates ×2: de/tickets.mdx, en/tickets.mdx
            - /de/tickets (de/tickets.mdx): en /en/tickets (default), de /de/tickets
            - /en/tickets (en/tickets.mdx): en /en/tickets (default), de /de/tickets
            + /de/tickets (de/tickets.mdx): alone
            + /en/tickets (en/tickets.mdx): alone
        "#]],
    );
}

#[test]
fn a_twin_that_appears_wakes_the_page_that_it_joins() {
    check(
        |site| {
            site.add("de/tours.mdx", "---\ntitle: Rundgänge\n---\n\nWorte.\n");
            site.set(
                "docs.json",
                DOCS.replace("\"de/visits\"", "\"de/visits\", \"de/tours\""),
            );
        },
        expect![[r#"
            default_language ×1
            is_unindexed ×2: de/tours.mdx, en/tours.mdx
            language_twins ×1
            page_alternates ×6: de/tickets.mdx, de/tours.mdx, de/visits.mdx, en/tickets.mdx, en/tours.mdx, en/visits.mdx
            switches ×1
            - /en/tours (en/tours.mdx): alone
            + /de/tours (de/tours.mdx): en /en/tours (default), de /de/tours
            + /en/tours (en/tours.mdx): en /en/tours (default), de /de/tours
        "#]],
    );
}

#[test]
fn a_page_in_no_navigation_wakes_none() {
    check(
        |site| {
            site.add("de/notes.mdx", "---\ntitle: Notizen\n---\n\nWorte.\n");
        },
        expect![[r#"
            page_alternates ×1: de/notes.mdx
            + /de/notes (de/notes.mdx): alone
        "#]],
    );
}

#[test]
fn a_label_of_a_group_wakes_what_reads_the_navigation() {
    check(
        |site| site.set("docs.json", DOCS.replace("Besuch", "Vor Ort")),
        expect![[r#"
            default_language ×1
            language_twins ×1
            switches ×1
        "#]],
    );
}

#[test]
fn another_default_language_is_another_default_of_all() {
    check(
        |site| {
            let docs = DOCS.replace(", \"default\": true", "");
            site.set(
                "docs.json",
                docs.replace("\"de\",", "\"de\", \"default\": true,"),
            );
        },
        expect![[r#"
            default_language ×1
            language_twins ×1
            page_alternates ×5: de/tickets.mdx, de/visits.mdx, en/tickets.mdx, en/tours.mdx, en/visits.mdx
            switches ×1
            - default Some("en")
            - /de/tickets (de/tickets.mdx): en /en/tickets (default), de /de/tickets
            - /de/visits (de/visits.mdx): en /en/visits (default), de /de/visits
            - /en/tickets (en/tickets.mdx): en /en/tickets (default), de /de/tickets
            - /en/visits (en/visits.mdx): en /en/visits (default), de /de/visits
            + default Some("de")
            + /de/tickets (de/tickets.mdx): en /en/tickets, de /de/tickets (default)
            + /de/visits (de/visits.mdx): en /en/visits, de /de/visits (default)
            + /en/tickets (en/tickets.mdx): en /en/tickets, de /de/tickets (default)
            + /en/visits (en/visits.mdx): en /en/visits, de /de/visits (default)
        "#]],
    );
}
