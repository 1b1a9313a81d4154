//! Difference of a preview: new, removed and changed pages, and new problems.
//!
//! Concurrent requests share one computation; the result is cached with the preview until either site changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hyper::{Response, StatusCode, header};
use queries::base::content::ContentHash;
use queries::base::diagnostic::Severity;
use queries::base::path::Route;
use queries::site::{self, page_content};
use queries::theme::console::{self, Difference};

use super::reply::{self, Body, full, problem, set};
use super::router::RequestContext;
use super::texts::TEXTS;
use queries::site::report::Report;
use quire_engine::host::{ReadError, SiteHost, Stop};
use quire_site::service::Service;
use quire_site::sites::preview::Preview;

pub(super) async fn reply(
    main: &Arc<Service>,
    shown: &Arc<Service>,
    preview: &Preview,
    context: &RequestContext<'_>,
) -> Response<Body> {
    let hosts = [main, shown].map(|site| site.handle().host());
    let differing = match compared(preview, hosts).await {
        Ok(differing) => differing,
        Err(error) => {
            tracing::error!("failed to compare {}: {error:#}", preview.label);
            return problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "failed to compare the preview with the site; see the log",
            );
        }
    };
    let view = Difference {
        name: preview.tree.name.clone(),
        commit: preview.tree.commit(),
        site: main.handle().id().to_owned(),
        before: address_of_site(main.handle().id(), main.handle().base_url(), context),
        ..(*differing).clone()
    };
    let wants_json = context
        .query
        .is_some_and(|query| query.split('&').any(|pair| pair == "format=json"));
    if !wants_json {
        return reply::console(console::difference(&view));
    }
    let mut response = Response::new(full(format!("{}\n", as_json(&view))));
    let media_type = reply::JSON;
    set(&mut response, header::CONTENT_TYPE, media_type);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// Returns the difference between `hosts`, a site and its preview, from the cache if neither has changed.
async fn compared(preview: &Preview, hosts: [Arc<SiteHost>; 2]) -> anyhow::Result<Arc<Difference>> {
    let revisions = hosts.each_ref().map(|host| host.revision());
    // Other requests wait; if this one is dropped, its work is cancelled and the next starts over.
    let mut cached = preview.difference.lock().await;
    if let Some((of, differing)) = &*cached
        && *of == revisions
    {
        return Ok(differing.clone());
    }
    let place = TEXTS.place().await;
    let stop = Arc::new(Stop::default());
    let stopped = stop.on_drop();
    let work = move || {
        let _place = place;
        stop.stopping(|| {
            let [before, after] = &hosts;
            Ok::<_, ReadError>(difference(&picture(before)?, &picture(after)?))
        })
    };
    let differing = Arc::new(tokio::task::spawn_blocking(work).await??);
    drop(stopped);
    *cached = Some((revisions, differing.clone()));
    Ok(differing)
}

/// Pages of a site, and its problems.
struct Picture {
    /// Title and digest of each page.
    pages: BTreeMap<Route, (String, ContentHash)>,
    /// Place and message.
    problems: Vec<(String, String)>,
}

fn picture(host: &SiteHost) -> Result<Picture, ReadError> {
    let routes = host.read(|db, site| site::route_table(db, site).clone())?;
    let pages: Vec<_> = routes.pages.iter().collect();
    let contents = host.read_all(&pages, |db, _, (route, page)| {
        let content = page_content(db, **page);
        ((*route).clone(), (content.title, content.digest))
    });
    let problems = host.read(|db, site| {
        let found = site::site_diagnostics(db, site);
        let found = found
            .iter()
            .filter(|found| found.severity() != Severity::Info);
        found
            .map(|found| {
                let report = Report::new(db, found);
                (place(&report), report.diagnostic.message.clone())
            })
            .collect()
    })?;
    Ok(Picture {
        pages: contents.into_iter().collect::<Result<_, _>>()?,
        problems,
    })
}

/// Place of a report: `path:line:column`.
fn place(report: &Report) -> String {
    let located = &report.located;
    format!("{}:{}:{}", located.path, located.line, located.column)
}

fn difference(before: &Picture, after: &Picture) -> Difference {
    let mut view = Difference::default();
    for (route, (title, digest)) in &after.pages {
        let entry = (route.href(), title.clone());
        match before.pages.get(route) {
            None => view.added.push(entry),
            Some((_, old)) if old != digest => view.changed.push(entry),
            Some(_) => view.same += 1,
        }
    }
    let gone = before
        .pages
        .iter()
        .filter(|(route, _)| !after.pages.contains_key(*route));
    view.removed = gone
        .map(|(route, (title, _))| (route.href(), title.clone()))
        .collect();
    // Lines move with every edit: a problem is the same when file and message are.
    let key = |(place, message): &(String, String)| {
        (
            place.split(':').next().unwrap_or_default().to_owned(),
            message.clone(),
        )
    };
    let known: BTreeSet<_> = before.problems.iter().map(key).collect();
    let still: BTreeSet<_> = after.problems.iter().map(key).collect();
    view.introduced = after
        .problems
        .iter()
        .filter(|found| !known.contains(&key(found)))
        .cloned()
        .collect();
    view.mended = before
        .problems
        .iter()
        .filter(|found| !still.contains(&key(found)))
        .count();
    view
}

fn as_json(view: &Difference) -> serde_json::Value {
    let pages = |pages: &[(String, String)]| -> Vec<serde_json::Value> {
        let pages = pages.iter();
        pages
            .map(|(route, title)| serde_json::json!({ "route": route, "title": title }))
            .collect()
    };
    let problems = view.introduced.iter();
    let problems: Vec<serde_json::Value> = problems
        .map(|(place, message)| serde_json::json!({ "place": place, "message": message }))
        .collect();
    serde_json::json!({
        "ref": view.name, "commit": view.commit, "site": view.site, "same": view.same,
        "added": pages(&view.added), "changed": pages(&view.changed), "removed": pages(&view.removed),
        "introduced": problems, "mended": view.mended,
    })
}

/// The address of the site of a preview, without a path.
fn address_of_site(id: &str, base_url: Option<&str>, context: &RequestContext<'_>) -> String {
    if context.target.host.ends_with(".localhost") {
        let host = context
            .headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok())
            .unwrap_or("");
        let port = host
            .rsplit_once(':')
            .map_or(String::new(), |(_, port)| format!(":{port}"));
        return format!("//{id}.localhost{port}");
    }
    base_url.unwrap_or("").trim_end_matches('/').to_owned()
}
