//! What an edit wakes: one file for each row of the table in `queries/README.md`.
//!
//! Every test asks for what the preview asks after an edit (the routes, the edited page, another one), lists every query
//! that ran with its keys, and compares all outputs with those of a database that never saw an edit. A query that runs
//! without need is as much a failure as a stale page.
//!
//! The *first* edit of a file runs more than the following ones: it lowers the durability of its digest, and a result
//! that became less durable counts as changed even if it is equal, so everything that rests on it runs once. The first
//! edit is told apart as `first`, the usual one as `then`.

mod alternates;
mod backlinks;
mod bound_pages;
mod broken_and_mended;
mod cards;
mod channels;
mod code;
mod color;
mod dated;
mod derived;
mod exports;
mod external_paths;
mod formulas;
mod frontmatter_hidden;
mod group_order;
mod heading;
mod image;
mod island;
mod link;
mod manual_endpoint;
mod many_pages;
mod markdown;
mod nav_label;
mod page_added;
mod page_menu;
mod page_removed;
mod programs;
mod promoted;
mod relay_origins;
mod reverted;
mod rows;
mod rules;
mod saved_without_change;
mod search;
mod sidebar_title;
mod snippet;
mod specification;
mod stylesheet;
mod title;
mod touched;
mod utility_class;
mod words;

use expect_test::Expect;
use queries::site::{route_table, site_diagnostics};

use crate::support::{TestSite, differences, source_of};

/// The page that the tests edit: `/guides/tickets`, which `/guides/visits` links to.
pub(super) const EDITED: &str = "guides/tickets.mdx";

pub(super) const TICKETS: &str = "---\ntitle: Tickets\n---\n\nA ticket is valid for a day.\n\n## Prices\n\nSee [visits](/guides/visits).\n";

pub(super) const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"}, "navigation": {"tabs": [
    {"tab": "Guides", "groups": [{"group": "Start", "pages": ["index"]}, {"group": "Use", "pages": ["guides/tickets", "guides/visits"]}]},
    {"tab": "Reference", "groups": [{"group": "Things", "pages": ["things/spoons", "things/handles"]}]}]}}"##;

/// Two tabs, five pages. `/guides/visits` links to a heading of `/guides/tickets`, `/things/spoons` to the page itself.
pub(super) fn museum() -> TestSite {
    TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        (EDITED, TICKETS),
        (
            "guides/visits.mdx",
            "# Visits\n\nFirst buy a [ticket](tickets#prices).\n",
        ),
        (
            "things/spoons.mdx",
            "# Spoons\n\nSee them with a [ticket](/guides/tickets).\n",
        ),
        (
            "things/handles.mdx",
            "# Handles\n\nNothing leads from here.\n",
        ),
    ])
}

/// A museum whose every question was asked, and whose file at `path` was edited before.
pub(super) fn museum_edited_at(path: &str, bytes: &str) -> TestSite {
    let mut site = museum();
    site.outputs();
    site.set(path, bytes);
    site.outputs();
    site.take();
    site
}

/// A museum whose every question was asked.
pub(super) fn warm_museum() -> TestSite {
    let site = museum();
    site.outputs();
    site.take();
    site
}

/// What to ask after an edit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// The routes, the edited page if it is there, and a page of the same and of another section.
    Pages,
    /// Pages, and what is wrong with the site.
    Everything,
}

/// Checks which queries run between an edit and the answers to `ask`, and that no answer is stale.
#[track_caller]
pub(super) fn check<T>(
    site: &mut TestSite,
    ask: Ask,
    edit: impl FnOnce(&mut TestSite) -> T,
    expected: Expect,
) {
    edit(site);
    let table = route_table(&site.db, site.site).clone();
    for path in [EDITED, "guides/visits.mdx", "things/spoons.mdx"] {
        if table
            .pages
            .values()
            .any(|page| source_of(&site.db, *page) == path)
        {
            site.html(path);
        }
    }
    if ask == Ask::Everything {
        site_diagnostics(&site.db, site.site);
    }
    let mut text = String::new();
    for (query, keys) in site.take_keys() {
        text.push_str(&format!("{query} ×{}: {}\n", keys.len(), keys.join(", ")));
    }
    expected.assert_eq(&text.replace(": \n", "\n"));
    let differences = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
    site.take();
}
