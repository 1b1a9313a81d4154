//! The `search` command: one question to a site in a folder, for people and for scripts.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use quire_engine::host::STACK;
use quire_search::embedder::{Embedder, Patience};
use quire_search::index::Snippet;
use quire_search::search_service::{SearchQuery, SearchService, json, rounded};
use quire_settings::EmbedderSettings;
use quire_source::load::load_with;

/// A site to be searched once.
pub struct Place<'a> {
    /// Folder.
    pub folder: &'a Path,
    /// Where what was rendered before is taken from.
    pub state: Option<&'a Path>,
    /// Embedder that makes vectors of its passages besides this program.
    pub embedder: Option<EmbedderSettings>,
}

/// Searches a site once and writes what is found to `out`, for people or as JSON.
///
/// # Errors
///
/// Returns why the site cannot be read or `out` not be written.
pub fn search(
    place: &Place<'_>,
    query: &SearchQuery,
    style: Style,
    out: &mut dyn Write,
) -> anyhow::Result<usize> {
    let site = searched(place, query.semantic)?;
    let answer = site.search_service.find(query)?;
    let count = answer.results.len();
    if style == Style::Json {
        writeln!(out, "{:#}", json(&answer, query.sections))?;
        return Ok(count);
    }
    let (bold, faint, plain) = match style {
        Style::Colored => ("\x1b[1m", "\x1b[2m", "\x1b[0m"),
        _ => ("", "", ""),
    };
    for hit in &answer.results {
        let score = rounded(hit.score);
        writeln!(
            out,
            "{bold}{}{plain}  {}  {faint}{score:.2}{plain}",
            hit.title, hit.url
        )?;
        for section in &hit.sections {
            if let Some(anchor) = &section.anchor {
                writeln!(out, "    {}  {faint}#{anchor}{plain}", section.title)?;
            }
            write_snippet(out, &section.snippet, bold, plain)?;
        }
        if hit.sections.is_empty() {
            write_snippet(out, &hit.snippet, bold, plain)?;
        }
        writeln!(out)?;
    }
    if count == 0 {
        writeln!(out, "nothing was found for `{}`", query.query)?;
    }
    Ok(count)
}

/// A site whose pages can be found.
pub(crate) struct SearchableSite {
    /// What finds them.
    pub(crate) search_service: SearchService,
    /// Dropped last: requests run on it.
    _runtime: Option<tokio::runtime::Runtime>,
}

/// Reads the site at `place`. With another embedder, if meanings are compared, it waits for the vectors of that; if that
/// does not answer, this program compares what it has no vectors of.
pub(crate) fn searched(place: &Place<'_>, is_semantic: bool) -> anyhow::Result<SearchableSite> {
    let loaded = load_with(place.folder, "", None, place.state)?;
    let host = Arc::new(loaded.host);
    let mut runtime = None;
    let search_service = match place.embedder.as_ref().filter(|_| is_semantic) {
        None => SearchService::new(host, None),
        Some(settings) => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let builder = builder.worker_threads(1).thread_stack_size(STACK);
            let handle = runtime
                .insert(builder.enable_all().build()?)
                .handle()
                .clone();
            let cache = host.store().embedding_cache().clone();
            let other = Embedder::new(settings, cache, handle, Patience::short())?;
            let search_service = Arc::new(SearchService::with(
                host,
                None,
                Some(other.clone()),
                Arc::default(),
            ));
            search_service.follow()?;
            other.catch_up(&search_service);
            let search_service = Arc::into_inner(search_service);
            search_service.context("the worker has ended and holds nothing")?
        }
    };
    Ok(SearchableSite {
        search_service,
        _runtime: runtime,
    })
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As JSON.
    Json,
    /// As text.
    Plain,
    /// As text for a terminal.
    Colored,
}

fn write_snippet(
    out: &mut dyn Write,
    snippet: &Snippet,
    bold: &str,
    plain: &str,
) -> std::io::Result<()> {
    if snippet.text.is_empty() {
        return Ok(());
    }
    let (mut text, mut at) = (String::new(), 0);
    for found in &snippet.matches {
        let before = snippet.text.get(at..found.start).unwrap_or_default();
        let word = snippet.text.get(found.clone()).unwrap_or_default();
        text.push_str(&format!("{before}{bold}{word}{plain}"));
        at = found.end;
    }
    text.push_str(snippet.text.get(at..).unwrap_or_default());
    writeln!(out, "    {text}")
}
