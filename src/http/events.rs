//! Which open pages changed, as server-sent events. Only a page that was served by this run knows the token; what it is
//! told is that it changed, and what is wrong with it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use hyper::{Response, StatusCode, header};
use queries::path::Route;
use queries::site;
use tokio::sync::{mpsc, watch};

use super::reply::{Body, problem, set};
use crate::publish::Publisher;
use crate::report::Report;
use crate::service::Core;

/// How often a quiet stream says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// The stream for one open page: `?token=…&route=…&digest=…`.
pub(super) fn stream(query: &str, core: Arc<Core>) -> Response<Body> {
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
    if parameter("token").as_deref() != Some(core.readers.token()) {
        return problem(
            StatusCode::UNAUTHORIZED,
            "bad-token",
            "the page was not served by this run; load it again",
        );
    }
    let Some(route) = parameter("route").and_then(|route| Route::new(&route)) else {
        return problem(StatusCode::BAD_REQUEST, "bad-route", "`route` is missing");
    };
    let (sender, receiver) = mpsc::channel(16);
    let known = parameter("digest").unwrap_or_default();
    tokio::spawn(follow(core.readers.subscribe(), core, route, known, sender));
    let mut response = Response::new(EventBody(receiver).boxed_unsync());
    set(&mut response, header::CONTENT_TYPE, "text/event-stream");
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// Follows one open page until its reader goes away.
async fn follow(
    mut revision: watch::Receiver<Option<u64>>,
    core: Arc<Core>,
    route: Route,
    mut known: String,
    sender: mpsc::Sender<Bytes>,
) {
    let mut last_diagnostics = String::from("[]");
    revision.mark_changed();
    loop {
        tokio::select! {
            changed = revision.changed() => {
                if changed.is_err() || revision.borrow_and_update().is_none() {
                    return;
                }
            }
            () = tokio::time::sleep(HEARTBEAT) => {
                if sender.send(Bytes::from_static(b": alive\n\n")).await.is_err() {
                    return;
                }
                continue;
            }
            () = sender.closed() => return,
        }
        let (asked, at) = (core.clone(), route.clone());
        let Ok((digest, diagnostics)) =
            tokio::task::spawn_blocking(move || look(&asked.publisher, &at)).await
        else {
            continue;
        };
        if let Some(digest) = digest
            && digest != known
        {
            known.clone_from(&digest);
            if sender
                .send(event("page", &changed(&core, &digest).to_string()))
                .await
                .is_err()
            {
                return;
            }
        }
        if diagnostics != last_diagnostics {
            if sender
                .send(event("diagnostics", &diagnostics))
                .await
                .is_err()
            {
                return;
            }
            last_diagnostics = diagnostics;
        }
    }
}

/// What an open page is told when it changed: its digest, and what made it so.
fn changed(core: &Core, digest: &str) -> serde_json::Value {
    let Some(edit) = core.last_edit() else {
        return serde_json::json!({ "digest": digest });
    };
    serde_json::json!({
        "digest": digest, "queries": edit.executed, "ms": edit.took.as_secs_f64() * 1000.0,
        "because": edit.because(),
    })
}

/// The digest of the page at `route` and what is wrong with it, as JSON.
fn look(publisher: &Publisher, route: &Route) -> (Option<String>, String) {
    let snapshot = publisher.snapshot();
    let Some(id) = snapshot.routes.pages.get(route).copied() else {
        // The page has gone, or never was: what is shown then changes with the set of pages.
        return (
            Some(format!("absent-{}", snapshot.routes.pages.len())),
            "[]".to_owned(),
        );
    };
    let page = publisher.page(&snapshot, route, id);
    let reports = snapshot.host.read(|db, site| {
        let diagnostics = site::diagnostics_for_page(db, site, id);
        diagnostics
            .iter()
            .map(|diagnostic| Report::new(db, diagnostic))
            .collect::<Vec<_>>()
    });
    let mut shown: Vec<serde_json::Value> = reports
        .unwrap_or_default()
        .iter()
        .filter(|report| report.is_for_overlay())
        .map(Report::overlay_json)
        .collect();
    let held = publisher.host().held_back();
    shown.extend(held.values().map(|held| held.report.overlay_json()));
    if let Ok(page) = &page
        && page.is_stale
    {
        shown.push(serde_json::json!({
            "severity": "error", "code": "internal-fault", "path": route.as_str(), "line": 1, "column": 1,
            "message": "this page cannot be drawn because of a fault of the program; its last good version is shown",
        }));
    }
    (
        page.ok().map(|page| page.digest.short()),
        serde_json::Value::from(shown).to_string(),
    )
}

fn event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

struct EventBody(mpsc::Receiver<Bytes>);

impl hyper::body::Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(cx)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
