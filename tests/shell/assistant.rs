//! The assistant: what it answers, what it refuses, and what of it is on a page.

mod asked;
mod direct;
mod http;
mod needs;
mod pairs;
mod preferred;
mod quality;
mod quoted;

use std::sync::Arc;

use quire_search::search_service::SearchService;
use quire_source::load::load_with;

use crate::search::off_topic;
use crate::support::folder::Folder;

/// Search of the site in `folder`, without state.
fn searched(folder: &Folder) -> SearchService {
    let host = load_with(folder.path(), "", None, None)
        .expect("a site")
        .host;
    SearchService::new(Arc::new(host), None)
}
