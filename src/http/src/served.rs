//! Sites that are served from what their deployments have stored: pages, files, redirects, texts,
//! search, answers that quote. Everything else belongs to the daemon that publishes them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header;
use hyper::{Method, Response, StatusCode};
use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{self, own_file_query};

use super::accept;
use super::assistant;
use super::body;
use super::file;
use super::rates::Kind;
use super::reply::{
    Body, Caching, EXACT, Entity, Refusal, confirmed, entity, full, gzip_confirmed, gzip_entity,
    json, packed_entity, problem, redirect, set,
};
use super::router::{RequestContext, Router, not_allowed};
use super::search;
use super::site::{
    HTML, MAX_COMPRESSED, confine_file, name_texts, set_policy, unreadable, with_query,
};
use quire_search::search_service;
use quire_site::manifest::{EntryCaching, EntryKind, ManifestEntry, ORIGIN};
use quire_site::media::is_compressible;
use quire_site::served::{ServedSite, ServedSites};
use quire_site::service::Content;

/// Largest body of a search, in bytes.
const MAX_SEARCH: usize = 16 * 1024;
/// Largest body of a question to the assistant, in bytes.
const MAX_CONVERSATION: usize = 256 * 1024;

/// Seconds after which a client may ask again for what was not deployed yet.
const RETRY_AFTER: &str = "5";

/// Answers a request of a process that serves `sites`.
pub(super) async fn answer(
    router: &Router,
    sites: &Arc<ServedSites>,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let path = context.target.path.as_str();
    match path {
        "/_quire/healthz" | "/_quire/livez" => return Ok(super::admin::healthy()),
        "/_quire/readyz" => return Ok(ready(router, sites)),
        "/_quire/status" if context.entrance.is_for_administrators() => {
            return Ok(json(StatusCode::OK, &status(sites)));
        }
        _ => {}
    }
    if path.starts_with("/_quire/") || path == super::mcp::PATH {
        return Err(not_served());
    }
    let Some(served) = sites.at(&context.target.host) else {
        if sites.is_empty() {
            return Err(nothing_served(sites));
        }
        return Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            "unknown-host",
            "unknown host",
        ));
    };
    if let Some(rest) = path.strip_prefix("/api/sites/") {
        return operation(&served, context, rest, body).await;
    }
    if !matches!(*context.method, Method::GET | Method::HEAD) {
        return Err(not_allowed(&[Method::GET, Method::HEAD]));
    }
    Ok(output(served, context).await)
}

/// Refusal of every request while there is no site.
fn nothing_served(sites: &ServedSites) -> Refusal {
    let (code, message) = match sites.outage().is_none() && sites.failures().is_empty() {
        true => ("nothing-deployed", "no site was deployed yet"),
        false => (
            "unreadable",
            "what was deployed cannot be read; `/_quire/readyz` says why",
        ),
    };
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
        .with(header::RETRY_AFTER, RETRY_AFTER)
}

/// Readiness: every site is served as it was published last.
fn ready(router: &Router, sites: &ServedSites) -> Response<Body> {
    if !router.process.is_ready.load(Ordering::Acquire) {
        return problem(
            StatusCode::SERVICE_UNAVAILABLE,
            "starting",
            "the store could not be read yet",
        );
    }
    let failures = sites.failures();
    let lines = failures.iter().map(|(id, why)| format!("{id}: {why}\n"));
    let outage = sites.outage().map(|why| format!("storage: {why}\n"));
    let lines: String = outage.into_iter().chain(lines).collect();
    if sites.is_empty() && lines.is_empty() {
        return nothing_served(sites).into();
    }
    let state = match (sites.is_empty(), lines.is_empty()) {
        (true, _) => "unavailable",
        (false, true) => "ready",
        (false, false) => "degraded",
    };
    let mut response = Response::new(full(format!("{state}\n{lines}")));
    if sites.is_empty() {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        set(&mut response, header::RETRY_AFTER, RETRY_AFTER);
    }
    set(
        &mut response,
        header::CONTENT_TYPE,
        "text/plain; charset=utf-8",
    );
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

fn status(sites: &ServedSites) -> serde_json::Value {
    let failures = sites.failures();
    let sites: Vec<serde_json::Value> = (sites.all().iter())
        .map(|site| {
            let manifest = &site.outputs.manifest;
            serde_json::json!({
                "id": site.id,
                "deployment": site.deployment,
                "pages": manifest.pages.len(),
                "bytes": manifest.size(),
                "program": manifest.program,
                "error": failures.get(&site.id),
            })
        })
        .collect();
    serde_json::json!({ "version": env!("CARGO_PKG_VERSION"), "sites": sites })
}

/// An operation at `/api/sites/` and `rest`: search and the assistant are the only ones.
async fn operation(
    served: &Arc<ServedSite>,
    context: &RequestContext<'_>,
    rest: &str,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let kind = match rest.strip_prefix(served.id.as_str()) {
        Some("/search") => Kind::Search,
        Some("/assistant") => Kind::Assistant,
        _ => return Err(not_served()),
    };
    let answered = match *context.method {
        Method::OPTIONS => Ok(search::allowed()),
        Method::POST => ask(served, kind, context, body).await,
        _ => Err(not_allowed(&[Method::POST, Method::OPTIONS])),
    };
    let mut response = answered.unwrap_or_else(Response::from);
    set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    Ok(response)
}

/// Refusal of an operation that only a daemon has.
fn not_served() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "unknown-operation",
        "this process serves published sites, their search and assistant; ask the daemon that publishes them",
    )
}

/// Answers a question, as often as clients may ask.
async fn ask(
    served: &Arc<ServedSite>,
    kind: Kind,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let client = context.rates.zip(context.limited);
    if let Some((rates, client)) = client {
        rates.enter_client(kind, client)?;
    }
    let most = match kind {
        Kind::Search => MAX_SEARCH,
        _ => MAX_CONVERSATION,
    };
    let body = body::read(body, most).await?;
    if let Some(rates) = context.rates {
        rates.enter_site(kind, &served.id)?;
    }
    let mut response = match kind {
        Kind::Search => find(served, context, &body).await?,
        _ => quote(served, context, &body).await?,
    };
    if let Some((rates, client)) = client {
        rates.tell(kind, client, &mut response);
    }
    Ok(response)
}

async fn find(
    served: &Arc<ServedSite>,
    context: &RequestContext<'_>,
    body: &[u8],
) -> Result<Response<Body>, Refusal> {
    let query = search::read(context.headers, body)?;
    let sections = query.sections;
    let found = on_blocking_thread(served, move |site| {
        let search = site.search().map_err(anyhow::Error::msg)?;
        Ok(search.find(&query))
    });
    let value = search_service::json(&found.await?, sections);
    Ok(json(StatusCode::OK, &value))
}

/// The answer of the assistant: quotes, as of a site without a language model.
async fn quote(
    served: &Arc<ServedSite>,
    context: &RequestContext<'_>,
    body: &[u8],
) -> Result<Response<Body>, Refusal> {
    let (conversation, is_of_ui) = assistant::read(context.headers, body)?;
    let asked = conversation.clone();
    let reply = on_blocking_thread(served, move |site| quire_assistant::answer(site, &asked));
    let reply = reply.await?;
    let id = quire_assistant::id(&conversation, &reply);
    Ok(match assistant::takes_events(context.headers, is_of_ui) {
        true => assistant::stream_whole(&id, &reply),
        false => json(StatusCode::OK, &quire_assistant::json(&id, &reply)),
    })
}

/// Runs `work` where it may block; the log says why it failed.
async fn on_blocking_thread<T: Send + 'static>(
    served: &Arc<ServedSite>,
    work: impl FnOnce(&ServedSite) -> anyhow::Result<T> + Send + 'static,
) -> Result<T, Refusal> {
    let site = served.clone();
    let done = tokio::task::spawn_blocking(move || work(&site)).await;
    done.map_err(anyhow::Error::from)
        .and_then(|done| done)
        .map_err(|error| {
            tracing::error!(site = served.id, "failed to answer: {error:#}");
            search::failed()
        })
}

/// The output at the path of a request.
async fn output(served: Arc<ServedSite>, context: &RequestContext<'_>) -> Response<Body> {
    let path = context.target.path.as_str();
    let outputs = &served.outputs;
    if let Some(entry) = outputs.entry(path) {
        let page = Route::new(path).filter(|_| entry.kind == EntryKind::Page);
        let Some(route) = page.filter(|route| outputs.page(route).is_some()) else {
            return send(&served, entry, entry.media_type.as_str(), context).await;
        };
        let twin = accept::wants_text(context.headers)
            .zip(outputs.entry(&site::twin_path(&route)))
            .filter(|(_, twin)| twin.kind == EntryKind::Text);
        let mut response = match twin {
            Some((media_type, twin)) => send(&served, twin, media_type, context).await,
            None => send(&served, entry, &entry.media_type, context).await,
        };
        set(&mut response, header::VARY, "Accept, Accept-Encoding");
        name_texts(false, &mut response);
        return response;
    }
    if let Some((to, is_permanent)) = outputs.moved(path) {
        return redirect(&with_query(&to, context.query), is_permanent);
    }
    if let Some(entry) = unlisted(&served, path) {
        return send(&served, entry, &entry.media_type, context).await;
    }
    let mut response = send(&served, &outputs.manifest.not_found, HTML, context).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_FOUND;
        response.headers_mut().remove(header::ETAG);
    }
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// An output that pages link to by other paths than its own: the complete version of a page, rows
/// of a component without the slash, the sidebar of an earlier deployment.
fn unlisted<'a>(served: &'a ServedSite, path: &str) -> Option<&'a ManifestEntry> {
    let outputs = &served.outputs;
    if let Some(of) = path.strip_prefix(site::WHOLE) {
        return outputs.entry(&format!("{}{}", site::WHOLE, Route::new(of)?));
    }
    if path.starts_with(site::ROWS) {
        return outputs.entry(&format!("{path}/"));
    }
    let (number, _) = path.strip_prefix(site::SIDEBARS)?.split_once('.')?;
    let prefix = format!("{}{number}.", site::SIDEBARS);
    let mut same = outputs.manifest.entries.range(prefix.clone()..);
    let (found, entry) = same.next()?;
    found.starts_with(&prefix).then_some(entry)
}

/// Sends an output.
async fn send(
    served: &Arc<ServedSite>,
    entry: &ManifestEntry,
    media_type: &str,
    context: &RequestContext<'_>,
) -> Response<Body> {
    let caching = match entry.caching {
        EntryCaching::Revalidate => Caching::Revalidate,
        // The sidebar of an earlier deployment has another path.
        EntryCaching::Immutable => match served.outputs.entry(&context.target.path) {
            Some(_) => Caching::Immutable,
            None => Caching::Revalidate,
        },
        EntryCaching::ByQuery(digest) => match context.query == Some(&*own_file_query(digest.0)) {
            true => Caching::Immutable,
            false => Caching::Revalidate,
        },
    };
    let is_streamed = entry.kind == EntryKind::File
        && (entry.size > MAX_COMPRESSED || !is_compressible(media_type));
    if entry.kind == EntryKind::Card {
        let picture = picture(served, entry).await;
        let picture = picture.map(|bytes| Entity {
            digest: ContentHash::of(&bytes),
            bytes,
            variant: EXACT,
            media_type,
            caching,
        });
        return match picture {
            Ok(picture) => entity(context.headers, picture),
            Err(error) => unreadable(&served.id, &context.target.path, &error),
        };
    }
    if is_streamed {
        return with_file_policy(
            served,
            streamed(served, entry, (media_type, caching), context).await,
            media_type,
        );
    }
    let sent = match has_already(entry, (media_type, caching), context) {
        Some(response) => Ok(response),
        None => whole(served, entry, (media_type, caching), context).await,
    };
    let mut response = match sent {
        Ok(response) => response,
        Err(error) => return unreadable(&served.id, &context.target.path, &error),
    };
    let policies = &served.outputs.manifest.policies;
    let policy = entry.policy.and_then(|policy| policies.get(policy));
    set_policy(
        &mut response,
        policy.map(String::as_str),
        &context.target.authority,
    );
    match entry.kind {
        EntryKind::File => with_file_policy(served, response, media_type),
        _ => response,
    }
}

/// The confirmation that the client has an output, for which its bytes are not read; `None` if it
/// does not, or if its bytes depend on the request.
fn has_already(
    entry: &ManifestEntry,
    (media_type, caching): (&str, Caching),
    context: &RequestContext<'_>,
) -> Option<Response<Body>> {
    let content = Entity {
        bytes: Bytes::new(),
        digest: entry.digest.0,
        variant: EXACT,
        media_type,
        caching,
    };
    match entry.kind {
        EntryKind::Page | EntryKind::Plain | EntryKind::File => {
            confirmed(context.headers, &content, entry.size)
        }
        EntryKind::Gzip => gzip_confirmed(context.headers, &content),
        EntryKind::Text | EntryKind::TextList | EntryKind::Card => None,
    }
}

/// Sends an output that is read as a whole.
async fn whole(
    served: &Arc<ServedSite>,
    entry: &ManifestEntry,
    (media_type, caching): (&str, Caching),
    context: &RequestContext<'_>,
) -> anyhow::Result<Response<Body>> {
    let is_sent_packed = entry.packed.is_some()
        && matches!(
            entry.kind,
            EntryKind::Page | EntryKind::Plain | EntryKind::File
        );
    let bytes = read_stored(served, entry).await?;
    let bytes = match is_sent_packed {
        true => bytes,
        false => entry.unpack(bytes)?,
    };
    let (bytes, digest) = match entry.kind {
        EntryKind::Text | EntryKind::TextList => {
            let origin = origin(served, context);
            let bytes = at_origin(bytes, &origin);
            let bytes = match entry.kind {
                EntryKind::TextList => with_digests(served, bytes, &origin).await,
                _ => bytes,
            };
            let digest = ContentHash::of(&bytes);
            (bytes, digest)
        }
        _ => (bytes, entry.digest.0),
    };
    let content = Entity {
        bytes,
        digest,
        variant: EXACT,
        media_type,
        caching,
    };
    match entry.kind {
        EntryKind::Gzip => Ok(gzip_entity(context.headers, content)),
        _ if is_sent_packed => {
            let unpack = |bytes| entry.unpack(bytes);
            packed_entity(context.headers, content, entry.size, unpack)
        }
        _ => Ok(entity(context.headers, content)),
    }
}

/// Reads the bytes of an output as they are stored, where that may block.
async fn read_stored(served: &Arc<ServedSite>, entry: &ManifestEntry) -> anyhow::Result<Bytes> {
    if let Some(bytes) = served.at_hand(entry) {
        return Ok(bytes);
    }
    let (served, entry) = (served.clone(), entry.clone());
    tokio::task::spawn_blocking(move || served.read(&entry)).await?
}

/// Reads the bytes of an output, not compressed, where that may block.
async fn read(served: &Arc<ServedSite>, entry: &ManifestEntry) -> anyhow::Result<Bytes> {
    let stored = read_stored(served, entry).await;
    stored.and_then(|stored| entry.unpack(stored))
}

async fn picture(served: &Arc<ServedSite>, entry: &ManifestEntry) -> anyhow::Result<Bytes> {
    let (served, entry) = (served.clone(), entry.clone());
    let drawn = tokio::task::spawn_blocking(move || served.picture(&entry)).await??;
    let drawn = drawn.ok_or_else(|| anyhow::anyhow!("the picture cannot be drawn"))?;
    Ok(Bytes::from_owner(drawn))
}

/// Sends a large file, or a part of it, as it is read.
async fn streamed(
    served: &Arc<ServedSite>,
    entry: &ManifestEntry,
    (media_type, caching): (&str, Caching),
    context: &RequestContext<'_>,
) -> Response<Body> {
    let described = file::Described {
        length: entry.size,
        digest: entry.digest.0,
        media_type,
        caching,
    };
    let sent = file::reply_without_bytes(context.method, context.headers, described);
    if let Some(response) = sent {
        return response;
    }
    let content = match served.open(entry) {
        Ok(Some(file)) => Ok(Content::Open(Arc::new(file))),
        Ok(None) => read(served, entry).await.map(Content::Read),
        Err(error) => Err(error),
    };
    let sent = content.and_then(|content| {
        let opened = file::Opened {
            content,
            digest: entry.digest.0,
            media_type,
            caching,
        };
        let sent = file::reply(context.method, context.headers, opened, context.flight);
        Ok(sent?)
    });
    sent.unwrap_or_else(|error| unreadable(&served.id, &context.target.path, &error))
}

fn with_file_policy(
    served: &ServedSite,
    mut response: Response<Body>,
    media_type: &str,
) -> Response<Body> {
    confine_file(
        &mut response,
        media_type,
        served.outputs.manifest.is_untrusted,
    );
    response
}

/// Origin of the absolute addresses of the site.
fn origin(served: &ServedSite, context: &RequestContext<'_>) -> String {
    match &served.outputs.manifest.base_url {
        Some(base) => base.trim_end_matches('/').to_owned(),
        None => format!("{}://{}", context.scheme, context.target.authority),
    }
}

/// `text` with its absolute addresses at `origin`.
fn at_origin(text: Bytes, origin: &str) -> Bytes {
    let mut found = memchr::memmem::find_iter(&text, ORIGIN).peekable();
    if found.peek().is_none() {
        return text;
    }
    let mut moved = Vec::with_capacity(text.len());
    let mut end = 0;
    for at in found {
        moved.extend_from_slice(&text[end..at]);
        moved.extend_from_slice(origin.as_bytes());
        end = at + ORIGIN.len();
    }
    moved.extend_from_slice(&text[end..]);
    moved.into()
}

/// `list` with the digests of the texts that it lists, as they are sent with addresses at `origin`.
async fn with_digests(served: &Arc<ServedSite>, list: Bytes, origin: &str) -> Bytes {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(&list) else {
        return list;
    };
    let mut text = String::from_utf8_lossy(&list).into_owned();
    for item in value["skills"].as_array().into_iter().flatten() {
        let (Some(url), Some(stored)) = (item["url"].as_str(), item["digest"].as_str()) else {
            continue;
        };
        let Some(entry) = served.outputs.entry(url) else {
            continue;
        };
        if let Ok(bytes) = read(served, entry).await {
            let sent = match entry.kind {
                EntryKind::Text => at_origin(bytes, origin),
                _ => bytes,
            };
            let digest = ring::digest::digest(&ring::digest::SHA256, &sent);
            let hex = digest.as_ref().iter().map(|byte| format!("{byte:02x}"));
            text = text.replace(stored, &format!("sha256:{}", hex.collect::<String>()));
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_the_origin_of_the_request() {
        let text = format!("<{ORIGIN}/a> and {ORIGIN}");
        let moved = at_origin(text.into(), "https://docs.example.org");
        assert_eq!(
            moved,
            "<https://docs.example.org/a> and https://docs.example.org"
        );
        assert_eq!(at_origin("nothing".into(), "x"), "nothing");
    }
}
