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
