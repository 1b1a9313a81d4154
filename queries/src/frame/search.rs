//! Settings of the search dialog of a page.

use super::address::site_href;
use crate::db::Db;
use crate::navigation::Section;
use config::navigation::NodeKind;
use theme::assets::asset_url;
use theme::search::{SearchSource, SearchView};

/// Settings of the dialog on a page of `section`: its source, and the version and language of the
/// reader.
pub(super) fn search_view(
    db: &dyn Db,
    section: Option<Section<'_>>,
    source: SearchSource,
) -> SearchView {
    // Where there is one version only, there is nothing to narrow a search down to.
    let chosen = |kind: NodeKind| {
        let breadcrumb = section?.breadcrumb(db);
        let step = breadcrumb
            .iter()
            .find(|step| step.kind == kind && step.choices.len() > 1)?;
        let choice = step.choices.get(step.chosen)?;
        Some(choice.label.clone())
    };
    SearchView {
        source,
        script: site_href(db, &asset_url("search.js")),
        searcher: site_href(db, &asset_url("searcher.js")),
        version: chosen(NodeKind::Version),
        language: chosen(NodeKind::Language),
    }
}
