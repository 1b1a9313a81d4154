//! A commit dates a page: its head wakes, and what the site map says of it. Bodies, sidebars and other pages stay asleep.

use expect_test::expect;

use super::{Ask, DOCS, check, museum_edited_at};
use queries::site::{MachineText, machine_text};

fn docs() -> String {
    DOCS.replacen('{', "{\"metadata\": {\"timestamp\": true}, ", 1)
}

#[test]
fn the_day_of_a_page_is_shown_on_it() {
    let mut site = museum_edited_at("docs.json", &docs());
    let old = [
        ("guides/tickets.mdx", "2024-01-02"),
        ("guides/visits.mdx", "2024-01-02"),
    ];
    assert!(site.date(&old));
    site.html("guides/tickets.mdx");
    site.html("guides/visits.mdx");
    site.take();
    check(
        &mut site,
        Ask::Everything,
        |site| {
            let new = [old[1], ("guides/tickets.mdx", "2026-11-21")];
            assert!(site.date(&new));
            assert!(!site.date(&new), "the same days are no news");
            true
        },
        expect![[r#"
            page_head ×1: guides/tickets.mdx
        "#]],
    );
    let html = site.html("guides/tickets.mdx");
    assert!(
        html.contains("<time datetime=\"2026-11-21\">21 November 2026</time>"),
        "{html}"
    );
    assert!(html.contains("\"dateModified\":\"2026-11-21\""));
    assert!(site.html("guides/visits.mdx").contains("2 January 2024"));
    let map = machine_text(
        &site.db,
        site.site,
        MachineText::SiteMap,
        "https://a.example",
    )
    .unwrap();
    assert!(map.contains("<lastmod>2026-11-21</lastmod>"), "{map}");
}

#[test]
fn a_page_that_appears_later_has_its_day() {
    let mut site = museum_edited_at("docs.json", &docs());
    assert!(
        !site.date(&[("guides/late.mdx", "2025-05-06")]),
        "no file of that name is there"
    );
    site.add("guides/late.mdx", "---\ntitle: Late\n---\n\nWords.\n");
    assert!(site.html("guides/late.mdx").contains("6 May 2025"));
}

#[test]
fn what_the_author_says_stands_above_the_history() {
    let mut site = museum_edited_at("docs.json", DOCS.trim_end());
    site.date(&[("guides/tickets.mdx", "2025-05-06")]);
    let page = |fields: &str| format!("---\ntitle: Tickets\n{fields}---\n\nWords.\n");
    let shown = |site: &mut crate::support::TestSite, fields: &str| {
        site.set("guides/tickets.mdx", page(fields));
        let html = site.html("guides/tickets.mdx");
        let (_, rest) = html.split_once("class=\"last-modified\">")?;
        Some(rest.split_once("</p>")?.0.to_owned())
    };
    assert_eq!(shown(&mut site, ""), None, "the site does not want it");
    let day = |iso: &str, text: &str| {
        Some(format!(
            "Last modified <time datetime=\"{iso}\">{text}</time>"
        ))
    };
    assert_eq!(
        shown(&mut site, "timestamp: true\n"),
        day("2025-05-06", "6 May 2025")
    );
    let own = "timestamp: true\nlastUpdatedDate: 2020-02-03\n";
    assert_eq!(shown(&mut site, own), day("2020-02-03", "3 February 2020"));
    let words = "timestamp: true\nlastUpdatedDate: Spring 2020\n";
    assert_eq!(
        shown(&mut site, words),
        Some("Last modified Spring 2020".to_owned())
    );
    site.set("docs.json", docs());
    assert_eq!(shown(&mut site, "timestamp: false\n"), None);
}
