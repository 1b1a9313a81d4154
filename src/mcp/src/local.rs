//! `quire mcp`: the tools of a site in a folder, for a program at the other end of the standard streams.

use std::path::Path;
use std::sync::Arc;

use super::{SiteTools, server};
use quire_settings::{AssistantSettings, FailOn, McpSettings};
use quire_site::feedback::Feedback;
use quire_site::service::{Searching, Service, Setup, Source};
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
        feedback: Arc::new(Feedback::kept(state, &id)),
        analytics: None,
        published: false,
        foreign: false,
        id,
        source: Source::Folder(folder.to_owned()),
        watch: true,
        poll: false,
        fail_on: FailOn::Never,
        live: false,
        editor: None,
        base_url: None,
        noindex: false,
        mock: false,
        searching: Searching::InMemory,
        embedder: None,
        assistant: AssistantSettings::default(),
        model: None,
        mcp: McpSettings::default(),
        store: Store::of(state),
        fetching: FetchPolicy::of_site(&[])?,
        heard: Arc::new(|_| ()),
        say: Arc::new(|what| tracing::warn!("{what}")),
    };
    let service = tokio::task::spawn_blocking(move || Service::start(setup)).await??;
    let store = service.store().clone();
    let answered = server::over_standard_streams(SiteTools::new(Arc::new(service))).await;
    store.idle();
    answered
}
