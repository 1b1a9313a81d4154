//! `quire mcp`: the tools of a site in a folder, for a program at the other end of the standard streams.

use std::path::Path;
use std::sync::Arc;

use super::{SiteTools, server};
use quire_site::feedback::Feedback;
use quire_site::service::{
    Hooks, IndexMode, Publication, SearchSetup, Service, Services, Setup, SiteSource,
};
use quire_source::fetch::FetchPolicy;
use quire_source::load;
use quire_storage::store::Store;

/// Answers about the site in `folder`, and follows its files, until the program closes its stream.
///
/// # Errors
///
/// Returns why the site cannot be read.
pub async fn answer(folder: &Path, state: Option<&Path>) -> anyhow::Result<()> {
    let id = load::id_of(folder);
    let setup = Setup {
        source: SiteSource::watched(folder.to_owned(), FetchPolicy::of_site(&[])?),
        publication: Publication::default(),
        search: SearchSetup {
            mode: IndexMode::InMemory,
            embedder: None,
            deadline: None,
        },
        services: Services::of(Store::of(state), Feedback::in_folder(state, &id)),
        hooks: Hooks::default(),
        id,
    };
    let service = tokio::task::spawn_blocking(move || Service::start(setup)).await??;
    let store = service.store().clone();
    let answered = server::over_standard_streams(SiteTools::new(Arc::new(service))).await;
    store.idle();
    answered
}
