//! Titles of pages: from the frontmatter, from the first heading, from the name of the file; and one `<h1>` a page.

use crate::support::{TestSite, html_and_markdown};

const DOCS: &str = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#000000"},
    "navigation": {"pages": ["page", "other"]}}"##;

/// The HTML and the Markdown of a page with the content `page`.
fn page(page: &str) -> (String, String) {
    let site = TestSite::new(&[
        ("docs.json", DOCS),
        ("page.mdx", page),
        (
            "other.mdx",
            "---\ntitle: Other\n---\n\n[there](/page#getting-started)\n",
        ),
    ]);
    html_and_markdown(&site, "/page")
}

/// Checks the title of a page and the headings of its text, each as `level text`.
#[track_caller]
fn check(source: &str, title: &str, headings: &[&str]) {
    let (html, markdown) = page(source);
    let (_, rest) = html.split_once("<h1 id=\"page-title\">").expect("a title");
    assert_eq!(
        rest.split_once("</h1>").unwrap().0.trim(),
        title,
        "{source}"
    );
    assert_eq!(html.matches("<h1").count(), 1, "{source}");
    let (_, text) = html.split_once("id=\"content\"").expect("a text");
    let found = text.split("<h").skip(1).filter_map(|heading| {
        let level = heading.chars().next().filter(char::is_ascii_digit)?;
        let text = heading.split_once('>')?.1.split_once("</h")?.0;
        let words: String = text
            .split('<')
            .map(|part| part.rsplit('>').next().unwrap())
            .collect();
        Some(format!("{level} {}", words.trim()))
    });
    assert_eq!(found.collect::<Vec<_>>(), headings, "{source}");
    let lines: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with("# "))
        .collect();
    assert_eq!(lines[0], format!("# {title}"), "{markdown}");
}

#[test]
fn the_first_heading_is_the_title_of_a_page_without_one() {
    check(
        "# Getting started\n\nWords.\n\n## Next\n",
        "Getting started",
        &["2 Next"],
    );
    check("Getting *started*\n===\n\nWords.\n", "Getting started", &[]);
    check(
        "---\ndescription: d\n---\n\n<p>x</p>\n\n# Getting `started`\n",
        "Getting started",
        &[],
    );
    check("Words.\n\n## Two\n", "Page", &["2 Two"]);
}

#[test]
fn a_heading_that_repeats_the_title_is_not_shown_again() {
    check(
        "---\ntitle: Getting started\n---\n\n# Getting  started\n\n## Two\n",
        "Getting started",
        &["2 Two"],
    );
}

#[test]
fn another_heading_of_level_one_is_a_heading_of_the_text() {
    check("---\ntitle: A\n---\n\n# B\n\n# C\n", "A", &["2 B", "2 C"]);
    check("# A\n\n# B\n\n# A\n", "A", &["2 B", "2 A"]);
}

#[test]
fn links_to_a_heading_that_is_the_title_lead_to_the_page() {
    let (html, _) = page("# Getting started\n\nWords.\n");
    assert!(html.contains("id=\"getting-started\""), "{html}");
}

#[test]
fn a_page_without_a_header_shows_its_own_heading() {
    let (html, _) = page("---\nmode: custom\n---\n\n# Getting started\n");
    assert!(
        html.contains("<title>Getting started - A</title>"),
        "{html}"
    );
    assert!(
        html.contains("<h1 id=\"getting-started\">Getting started<"),
        "{html}"
    );
}
