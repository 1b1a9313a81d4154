//! Pages that are larger, deeper or more wrong than any person writes: they cost what they hold, and what is left out is said.

use base::diagnostic::{Code, Diagnostic, MAX_LISTED_PER_CODE};
use queries::body::page_body;
use queries::site::site_diagnostics;
use theme::prose::MAX_PAGE_NODES;

use crate::support::TestSite;

const CONFIG: &str = r##"{"name": "A", "theme": "mint", "colors": {"primary": "#0a7"}, "navigation": {"pages": ["a"]}}"##;

fn site(page: &str) -> TestSite {
    TestSite::new(&[("docs.json", CONFIG), ("a.mdx", page)])
}

/// Of the diagnostics of a page those of `code`: as many as are listed, and `rest` that are only counted.
#[track_caller]
fn check_listed(page: &str, code: Code, rest: usize) {
    let site = site(page);
    let all = site_diagnostics(&site.db, site.site);
    let found: Vec<&Diagnostic> = all.iter().filter(|found| found.code == code).collect();
    assert_eq!(found.len(), MAX_LISTED_PER_CODE + usize::from(rest > 0));
    let messages = found
        .iter()
        .filter(|found| found.message.starts_with("and "));
    let said: Vec<&str> = messages.map(|found| found.message.as_str()).collect();
    match rest {
        0 => assert_eq!(said, [""; 0]),
        _ => assert_eq!(said, [format!("and {rest} more of these on this page")]),
    }
}

#[test]
fn a_hundred_of_a_code_are_listed_and_the_others_counted() {
    let links = |count: usize| -> String {
        let links = (0..count).map(|i| format!("[a](/nowhere-{i})\n\n"));
        links.collect()
    };
    check_listed(&links(100), Code::BrokenLink, 0);
    check_listed(&links(101), Code::BrokenLink, 1);
    check_listed(&links(20_000), Code::BrokenLink, 19_900);
    let anchors: String = (0..1000).map(|i| format!("[a](#{i})\n")).collect();
    check_listed(&anchors, Code::BrokenAnchor, 900);
    let imports: String = (0..1000)
        .map(|i| format!("import A{i} from './{i}.mdx'\n"))
        .collect();
    check_listed(&imports, Code::MissingImport, 900);
    check_listed(&"{a} ".repeat(1000), Code::UnsupportedExpression, 900);
    check_listed(&"a { ".repeat(1000), Code::StrayBrace, 900);
}

#[test]
fn rendering_stops_at_the_node_limit() {
    for more in [0, 1, 1000] {
        // A line across the page is one part.
        let site = site(&"***\n\n".repeat(MAX_PAGE_NODES + more));
        let body = page_body(&site.db, site.file("a.mdx"));
        assert_eq!(body.html.matches("<hr>").count(), MAX_PAGE_NODES);
        let codes: Vec<Code> = body.diagnostics.iter().map(|found| found.code).collect();
        let note = body.html.find("class=\"problem\"");
        if more == 0 {
            assert_eq!((codes, note), (vec![], None));
        } else {
            assert_eq!(codes, [Code::PageNodeLimit]);
            // Whoever reads the page sees where it ends.
            assert!(note > body.html.rfind("<hr>"));
        }
    }
}

#[test]
fn what_a_snippet_draws_counts_as_often_as_it_is_drawn() {
    let row = "- row\n".repeat(50);
    let table = format!("import A from '/c.mdx'\n\n{}", "<A/>\n".repeat(50));
    let tables = format!("import A from '/b.mdx'\n\n{}", "<A/>\n".repeat(10_000));
    let files = [
        ("docs.json", CONFIG),
        ("a.mdx", &tables),
        ("b.mdx", &table),
        ("c.mdx", &row),
    ];
    let site = TestSite::new(&files);
    let body = page_body(&site.db, site.file("a.mdx"));
    let codes: Vec<Code> = body.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::PageNodeLimit]);
    // Two parts of each, and some for what holds them: nearly all of the room, and no more.
    let rows = body.html.matches("<li>").count();
    assert!(
        (MAX_PAGE_NODES * 9 / 20..MAX_PAGE_NODES / 2).contains(&rows),
        "{rows}"
    );
    assert_eq!(rows, body.html.matches("</li>").count());
}

#[test]
fn footnotes_and_headings_of_a_long_page_cost_linear_time() {
    let notes: String = (0..20_000)
        .map(|i| format!("a[^{i}]\n\n[^{i}]: b\n\n"))
        .collect();
    let notes = site(&notes);
    let body = page_body(&notes.db, notes.file("a.mdx"));
    assert_eq!(body.html.matches("<li id=\"footnote-").count(), 20_000);
    // The second heading of each pair has the name that GitHub gives to the first, which loses it.
    let headings: String = (0..5_000)
        .map(|i| format!("# a - b{i}\n\n# a-b{i}.\n\n"))
        .collect();
    let headings = site(&headings);
    let body = page_body(&headings.db, headings.file("a.mdx"));
    let alias = |name: &str| format!("<span class=\"anchor-alias\" id=\"{name}\"></span>");
    assert_eq!(body.html.matches(&alias("a-b4999")).count(), 1);
}
