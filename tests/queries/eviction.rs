//! Large results are let go of and asked for again. What a query creates must not depend on whether its value was found in
//! the artifact store or drawn.

use std::sync::Arc;

use queries::site::set_cache_capacity;
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
