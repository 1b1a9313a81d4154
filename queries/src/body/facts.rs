//! Facts about the body of a page for other queries: a few hundred bytes besides its markup, cached
//! on their own.

use serde::{Deserialize, Serialize};

use super::{page_body, page_body_name_if_stored};
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::trace::{Subject, cached_reading};
use base::diagnostic::Diagnostic;
use theme::prose::WrittenLink;

/// Facts about a body, without its markup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyFacts {
    /// Every place that a link can lead to.
    pub anchors: Vec<String>,
    /// Links as written.
    pub links: Vec<WrittenLink>,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics of its components with state, should no script go on with them.
    pub otherwise: Vec<Diagnostic>,
}

/// Facts about the body of a page. Wakes with [`page_body`], which is not read where its facts are
/// stored: a check of the site asks for the facts of every page. Where bodies are stored it wakes with
/// everything that a body reads, hit or miss.
///
/// Read by the projections beside [`page_body`], which keep what they need of it, and evicted early.
#[salsa::tracked(lru = 64)]
pub fn page_facts(db: &dyn Db, file: SourceFile) -> BodyFacts {
    let facts = || {
        let body = page_body(db, file);
        BodyFacts {
            anchors: body.anchors.clone(),
            links: body.links.clone(),
            diagnostics: body.diagnostics.clone(),
            otherwise: body
                .islands
                .iter()
                .map(|island| island.otherwise.clone())
                .collect(),
        }
    };
    match page_body_name_if_stored(db, file) {
        Some(name) => {
            let made_of = [&name.as_bytes()[..]];
            let made_of = Subject::of_text(&made_of, file.digest(db));
            cached_reading(db, "page facts", made_of, facts)
        }
        None => facts(),
    }
}

/// Sets how many results are kept.
pub(super) fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    page_facts::set_lru_capacity(db, capacity);
}
