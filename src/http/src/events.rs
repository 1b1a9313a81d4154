//! Changes of open pages, as server-sent events. Only pages served by this run know its token; they
//! learn that they changed, and their problems. Pages of another run are told to reload.

use std::time::Duration;

use bytes::Bytes;
use hyper::{Response, StatusCode, header};
use queries::base::path::Route;
use queries::site::PageId;
use tokio::sync::{mpsc, watch};

use super::reply::{Body, Refusal, full, problem, set};
use super::router::RequestContext;
use super::shares::Share;
use super::stream;
use quire_engine::report::Report;
use quire_site::service::SiteHandle;

/// Interval of keep-alive messages of a quiet stream.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// After how many seconds a page that was refused may come again.
const RETRY_AFTER: &str = "10";

/// The stream for one open page: `?token=…&route=…&digest=…`.
pub(super) fn open(context: &RequestContext<'_>, site: SiteHandle) -> Response<Body> {
    let query = context.query.unwrap_or("");
    let parameter = |name: &str| {
        query
            .split('&')
            .find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name))
            .map(|(_, value)| {
                let value = value.replace('+', " ");
                percent_encoding::percent_decode_str(&value)
                    .decode_utf8_lossy()
                    .into_owned()
            })
    };
    let token = parameter("token").filter(|token| !token.is_empty());
    let Some(token) = token else {
        return problem(
            StatusCode::UNAUTHORIZED,
            "bad-token",
            "the page was served by an earlier process; reload it",
        );
    };
    if !site.has_served(&token) {
        return reload();
    }
    let Some(route) = parameter("route").and_then(|route| Route::new(&route)) else {
        return problem(StatusCode::BAD_REQUEST, "bad-route", "`route` is missing");
    };
    let Ok(share) = context.streams.take(context.limited) else {
        let message = "too many open event streams; retry later";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let refusal = Refusal::new(status, "too-many-streams", message);
        return refusal.with(header::RETRY_AFTER, RETRY_AFTER).into();
    };
    let known = parameter("digest").unwrap_or_default();
    let pictures = site.pictures();
    let revision = site.revisions();
    // Before the reply: from then on the page is followed, wherever an edit takes it.
    let page = site.view().page_at(&route);
    stream::events(revision.clone(), |sender| {
        let known = ClientVersions {
            digest: known,
            pictures,
        };
        follow(revision, site, (route, page), known, sender, share)
    })
}

/// Event for a page of another run, which learns nothing else: a browser shows a refusal to no
/// script.
fn reload() -> Response<Body> {
    let mut response = Response::new(full(event("reload", "{}")));
    set(&mut response, header::CONTENT_TYPE, "text/event-stream");
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// State of an open page.
struct ClientVersions {
    /// Digest of the page.
    digest: String,
    /// Number of changes of pictures.
    pictures: u64,
}

/// Sends the changes of one open page.
async fn follow(
    mut revision: watch::Receiver<Option<u64>>,
    site: SiteHandle,
    (mut route, mut page): (Route, Option<PageId>),
    mut versions: ClientVersions,
    sender: mpsc::Sender<Bytes>,
    _share: Share,
) {
    let mut last_diagnostics = String::from("[]");
    revision.mark_changed();
    loop {
        let mut messages = Vec::new();
        tokio::select! {
            changed = revision.changed() => {
                if changed.is_err() {
                    return;
                }
                revision.mark_unchanged();
                let (asked, at) = (site.clone(), route.clone());
                let looked = tokio::task::spawn_blocking(move || look(&asked, at, page));
                let Ok(Look { at, digest, diagnostics, page: now }) = looked.await else {
                    continue;
                };
                page = now.or(page);
                if at != route {
                    messages.push(event("moved", &serde_json::json!({ "href": at.href() }).to_string()));
                    route = at;
                }
                if let Some(digest) = digest
                    && digest != versions.digest
                {
                    versions.digest.clone_from(&digest);
                    messages.push(event("page", &changed_page(&site, &digest).to_string()));
                }
                // After the page: what it shows then may be another picture.
                let pictures = site.pictures();
                if pictures != versions.pictures {
                    versions.pictures = pictures;
                    messages.push(event("pictures", &serde_json::json!({ "count": pictures }).to_string()));
                }
                if diagnostics != last_diagnostics {
                    messages.push(event("diagnostics", &diagnostics));
                    last_diagnostics = diagnostics;
                }
            }
            () = tokio::time::sleep(HEARTBEAT) => {
                messages.push(Bytes::from_static(b": alive\n\n"));
            }
        }
        for message in messages {
            if sender.send(message).await.is_err() {
                return;
            }
        }
    }
}

/// Event of a changed page: its digest, and the cause.
fn changed_page(site: &SiteHandle, digest: &str) -> serde_json::Value {
    let Some(edit) = site.last_edit() else {
        return serde_json::json!({ "digest": digest });
    };
    serde_json::json!({
        "digest": digest, "queries": edit.executed, "ms": edit.took.as_secs_f64() * 1000.0,
        "because": edit.because(),
    })
}

/// State of an open page after a change.
struct Look {
    /// Address.
    at: Route,
    /// Digest; `None` if the page cannot be rendered.
    digest: Option<String>,
    /// Diagnostics, as JSON.
    diagnostics: String,
    /// The page, if there is one.
    page: Option<PageId>,
}

/// Returns the state of the page at `route`. If there is none any more, follows the page `before`
/// to its new route: the route of an operation changes while its summary is edited.
fn look(site: &SiteHandle, route: Route, before: Option<PageId>) -> Look {
    let view = site.view();
    let here = view.page_at(&route).map(|id| (route.clone(), id));
    let moved = || before.and_then(|id| Some((view.route_of(id)?.clone(), id)));
    let Some((at, id)) = here.or_else(moved) else {
        // The page has gone, or never was: what is shown then changes with the set of pages.
        return Look {
            digest: Some(format!("absent-{}", view.page_count())),
            diagnostics: of_held(site).to_string(),
            at: route,
            page: None,
        };
    };
    let page = view.page(&at, id);
    let (of_page, of_site) = view.reports(id).unwrap_or_default();
    let report_json = |report: &Report| overlay_entry(site, report);
    let is_shown = |report: &&Report| report.is_for_overlay();
    let mut entries: Vec<serde_json::Value> =
        of_page.iter().filter(is_shown).map(report_json).collect();
    // They stand beside every page, and in nobody's way.
    entries.extend(of_site.iter().filter(is_shown).map(|report| {
        let mut entry = report_json(report);
        entry["scope"] = "site".into();
        entry
    }));
    if let serde_json::Value::Array(held_back) = of_held(site) {
        entries.extend(held_back);
    }
    if let Ok(page) = &page
        && page.is_stale
    {
        entries.push(serde_json::json!({
            "severity": "error", "code": "internal-fault", "path": at.as_str(), "line": 1, "column": 1,
            "message": "this page cannot be drawn because of a fault of the program; its last good version is shown",
        }));
    }
    Look {
        digest: page.ok().map(|page| page.digest.short()),
        diagnostics: serde_json::Value::from(entries).to_string(),
        at,
        page: Some(id),
    }
}

/// Reports of held-back documents, for any open page.
fn of_held(site: &SiteHandle) -> serde_json::Value {
    let held_back = site.held_back();
    held_back
        .iter()
        .map(|held_back| overlay_entry(site, &held_back.report))
        .collect()
}

/// A diagnostic as the overlay takes it.
fn overlay_entry(site: &SiteHandle, report: &Report) -> serde_json::Value {
    let mut entry = report.overlay_json();
    if let Some(link) = site.link_to(&report.located) {
        entry["open"] = link.into();
    }
    entry
}

fn event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}
