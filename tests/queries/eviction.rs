//! Large results are let go of and asked for again. What a query creates must not depend on whether its value was found in
//! the artifact store or drawn.

use std::sync::Arc;

use queries::frame::{PageOptions, page_html};
use queries::navigation::PageId;
use queries::site::{
    KnownParts, MachineText, machine_text, part_diagnostics, read_for_programs, reference_part,
    route_table, set_cache_capacity, site_diagnostics, site_diagnostics_with,
};
use salsa::Database as _;

use crate::artifacts::{Artifacts, museum};
use crate::support::{TestSite, differences};

/// Fences that a grammar colors, in pages, in descriptions of operations and of data models.
fn colored() -> Vec<(String, String)> {
    let fence = "```makefile\nall:\n\techo $(HOME)\n```";
    let mut files = museum();
    for (path, text) in &mut files {
        if path.ends_with(".mdx") && !path.starts_with("snippets") {
            text.push_str(&format!("\n{fence}\n"));
        }
        if path == "api.json" {
            let fence = fence.replace('\n', "\\n").replace('\t', "\\t");
            *text = text.replace("All of them.", &format!("All of them.\\n\\n{fence}"));
            *text = text.replace("Its name.", &format!("Its name.\\n\\n{fence}"));
        }
    }
    files
}

#[test]
fn a_first_start_that_lets_go_on_the_way_shows_what_a_clean_build_shows() {
    let artifacts = Arc::new(Artifacts::default());
    let mut site = TestSite::keeping(&colored(), &artifacts);
    set_cache_capacity(&mut site.db, 1);
    let clean = site.fresh().outputs();
    for round in 0..3 {
        assert_eq!(differences(&site.outputs(), &clean), "", "round {round}");
        site.db.trigger_lru_eviction();
    }
}

/// The writer knows everything that a database is made from: nothing is read again.
#[test]
fn a_database_made_anew_from_what_the_writer_knows_shows_the_same() {
    let artifacts = Arc::new(Artifacts::default());
    let mut site = TestSite::keeping(&colored(), &artifacts);
    site.outputs();
    site.set("index.mdx", "# Other words\n");
    site.set("api.json", colored()[1].1.replace("List pets", "Every pet"));
    site.remove("formulas.mdx");
    site.add("late.mdx", "# Late\n\n![Spoon](/images/spoon.png)\n");
    let before = site.outputs();
    let mut rebuilt = site.rebuilt(&artifacts);
    assert_eq!(differences(&rebuilt.outputs(), &before), "");
    // It is written as the first one was.
    rebuilt.set("late.mdx", "# Later\n");
    rebuilt.add("formulas.mdx", "# Formulas\n");
    rebuilt.set("api.json", &colored()[1].1);
    assert_eq!(
        differences(&rebuilt.outputs(), &rebuilt.fresh().outputs()),
        ""
    );
}

/// A document with more operations than are in memory at a time, each with something that is wrong.
fn many_operations() -> String {
    let operation = |n: usize| {
        format!(
            r##""/things/{n}": {{"get": {{"summary": "Thing {n}", "responses": {{"200": {{"description": "ok", "content":
            {{"application/json": {{"schema": {{"type": "integer", "example": "none"}}}}}}}}}}}}}}"##
        )
    };
    let operations: Vec<String> = (0..140).map(operation).collect();
    let paths = operations.join(",");
    format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "Things", "version": "1"}}, "paths": {{{paths}}}}}"#
    )
}

/// A build of a large site has no page drawn twice.
#[test]
fn what_is_asked_of_a_page_while_it_is_in_memory_needs_no_page_later() {
    let docs =
        r#"{"name": "Site", "navigation": {"groups": [{"group": "API", "openapi": "api.json"}]}}"#;
    let files = [
        ("docs.json", docs.to_owned()),
        ("api.json", many_operations()),
    ];
    let mut site = TestSite::new(&files);
    let of_site = site.site;
    let table = route_table(&site.db, of_site).clone();
    let pages: Vec<PageId> = table.pages.values().copied().collect();
    let draw = |db, page: PageId| drop(page_html(db, of_site, page, &PageOptions::default()));
    let mut known = KnownParts::new();
    for page in &pages {
        draw(&site.db, *page);
        read_for_programs(&site.db, *page);
        if let Some(part) = reference_part(&site.db, *page) {
            known.insert(part, part_diagnostics(&site.db, of_site, part));
        }
    }
    site.db.trigger_lru_eviction();
    site.take();
    let texts = pages.iter().map(|page| MachineText::Page(*page));
    for text in texts.chain([MachineText::Full]) {
        assert!(machine_text(&site.db, of_site, text, "").is_some());
    }
    let found = site_diagnostics_with(&site.db, of_site, &known);
    assert!(found.len() >= 140, "{} problems", found.len());
    let drawn = |site: &TestSite| {
        let drawn = site.take_keys();
        drawn.get("operation_reference").map_or(0, Vec::len)
    };
    assert_eq!(drawn(&site), 0);
    // Who has not asked before draws again what was let go of.
    assert_eq!(site_diagnostics(&site.db, of_site), found);
    assert!(drawn(&site) > 0);
}
