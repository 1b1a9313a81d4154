//! Our Markdown, before MDX comes into it, against the examples of the CommonMark specification and of GitHub's
//! extensions. `tests/oracle/examples.mjs` writes them; `tests/run` calls it.

use std::collections::BTreeMap;
use std::path::Path;

use mdx::markdown::{Definitions, events};

use crate::support::TestSite;

/// `html` without what no reader sees: blanks between tags, and how tags, quotes and some attributes are written.
fn plain(html: &str) -> String {
    let mut plain = html
        .replace(" />", ">")
        .replace("\"/>", "\">")
        .replace(
            " type=\"checkbox\" disabled=\"\"",
            " disabled=\"\" type=\"checkbox\"",
        )
        .replace("style=\"text-align: left\"", "align=\"left\"")
        .replace("style=\"text-align: right\"", "align=\"right\"")
        .replace("style=\"text-align: center\"", "align=\"center\"")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("\n", " ");
    while plain.contains("  ") {
        plain = plain.replace("  ", " ");
    }
    plain
        .replace("> <", "><")
        .replace("<tbody></tbody>", "")
        .replace(" </", "</")
        .replace("<li> ", "<li>")
        .trim()
        .to_owned()
}

fn drawn(markdown: &str, with_autolinks: bool) -> String {
    let mut html = String::new();
    pulldown_cmark::html::push_html(
        &mut html,
        events(markdown, &Definitions::default(), with_autolinks),
    );
    html
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn markdown_means_what_its_specification_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/markdown-examples.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!(
            "SKIPPED markdown_means_what_its_specification_says: run tests/oracle/examples.mjs"
        );
        return;
    };
    let examples: Vec<BTreeMap<String, String>> = serde_json::from_str(&text).unwrap();
    assert!(examples.len() > 652 + 40, "{} examples", examples.len());
    let mut wrong = Vec::new();
    for (at, example) in examples.iter().enumerate() {
        let (number, markdown) = (at + 1, &example["markdown"]);
        let ours = plain(&drawn(markdown, example["section"] == "GitHub"));
        let expected = plain(&example["html"]);
        if ours != expected {
            wrong.push(format!(
                "{number} {}\n{markdown:?}\nours:     {ours}\nexpected: {expected}\n",
                example["section"]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        examples.len(),
        wrong.join("\n")
    );
}

#[test]
fn an_address_is_a_link_but_in_a_link() {
    assert_eq!(
        drawn("[a https://b.c](d) https://e.f\n", true),
        "<p><a href=\"d\">a https://b.c</a> <a href=\"https://e.f\">https://e.f</a></p>\n"
    );
}

#[test]
fn a_cell_of_the_head_that_says_nothing_is_no_header() {
    let site = TestSite::new(&[(
        "a.mdx",
        "|   | B | `` ` `` |\n|:--|--:|---|\n| x |   | z |\n",
    )]);
    let html = site.html("a.mdx");
    let head = "<thead><tr><td style=\"text-align:left\"></td><th style=\"text-align:right\">B</th><th><code";
    assert!(html.contains(head), "{html}");
    assert!(
        html.contains("<td style=\"text-align:right\"></td>"),
        "{html}"
    );
}
