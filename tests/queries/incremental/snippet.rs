//! A file that pages import changes, a constant in it, or a variable of the configuration: the pages that use it are
//! drawn again, and no others.

use expect_test::expect;

use super::{Ask, DOCS, EDITED, TICKETS, check, museum};
use crate::support::TestSite;

const NOTE: &str = "snippets/note.mdx";
const PRICES: &str = "snippets/prices.jsx";

/// Tickets import a note and a constant, visits a note that imports the first one; spoons use a variable.
fn importing_museum() -> TestSite {
    let mut site = museum();
    site.add(NOTE, "Ask at the desk.\n");
    site.add(
        "snippets/around.mdx",
        "import Note from './note.mdx'\n\nAround: <Note/>\n",
    );
    site.add(
        PRICES,
        "export const adult = 14\nexport const Price = ({ of }) => <b>{of} euros</b>\n",
    );
    site.set(
        "docs.json",
        DOCS.replacen('{', "{\"variables\": {\"room\": \"12\"},", 1),
    );
    let tickets = "import Note from '/snippets/note.mdx'\nimport { adult, Price } from '/snippets/prices.jsx'\n\n{adult} <Price of={adult}/>\n\n<Note/>\n";
    site.set(
        EDITED,
        TICKETS.replacen("\n\nA ticket", &format!("\n\n{tickets}\nA ticket"), 1),
    );
    site.set(
        "guides/visits.mdx",
        "import Around from '/snippets/around.mdx'\n\n# Visits\n\n<Around/>\n",
    );
    site.set("things/spoons.mdx", "# Spoons\n\nIn room {{room}}.\n");
    // The first edits have been made: what is measured is the usual one.
    for (path, text) in [
        (NOTE, "Ask at the old desk.\n"),
        (
            PRICES,
            "export const adult = 13\nexport const Price = ({ of }) => <b>{of} euros</b>\n",
        ),
    ] {
        site.set(path, text);
    }
    site.outputs();
    site.take();
    site
}

#[test]
fn a_snippet_wakes_those_that_import_it_at_any_remove() {
    let mut site = importing_museum();
    check(
        &mut site,
        Ask::Pages,
        |site| site.set(NOTE, "Ask at the new desk.\n"),
        expect![[r#"
            has_feed ×2: guides/tickets.mdx, guides/visits.mdx
            page_body ×2: guides/tickets.mdx, guides/visits.mdx
            page_imports ×2: guides/tickets.mdx, guides/visits.mdx
        "#]],
    );
    for path in [EDITED, "guides/visits.mdx"] {
        assert!(site.html(path).contains("Ask at the new desk."), "{path}");
    }
}

#[test]
fn an_exported_constant_wakes_those_that_import_its_file() {
    let mut site = importing_museum();
    assert!(site.html(EDITED).contains("<b>13 euros</b>"));
    check(
        &mut site,
        Ask::Pages,
        |site| {
            site.set(
                PRICES,
                "export const adult = 15\nexport const Price = ({ of }) => <b>{of} euros</b>\n",
            )
        },
        expect![[r#"
            has_feed ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_imports ×1: guides/tickets.mdx
        "#]],
    );
    assert!(site.html(EDITED).contains("<b>15 euros</b>"));
}

#[test]
fn a_variable_wakes_the_pages_that_may_use_one() {
    let mut site = importing_museum();
    assert!(site.html("things/spoons.mdx").contains("In room 12."));
    check(
        &mut site,
        Ask::Pages,
        |site| {
            site.set(
                "docs.json",
                DOCS.replacen('{', "{\"variables\": {\"room\": \"7\"},", 1),
            )
        },
        expect![[r#"
            content_config ×1
            has_feed ×1: things/spoons.mdx
            has_timestamps ×1
            navigation_config ×1
            page_body ×1: things/spoons.mdx
            redirects ×1
            search_config ×1
            seo_config ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
    assert!(site.html("things/spoons.mdx").contains("In room 7."));
}
