//! What a preview changes: the pages that are new, gone or say something else, and the problems that it brings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hyper::{Response, StatusCode, header};
use queries::base::diagnostic::Severity;
use queries::base::path::Route;
use queries::site::{self, PageContent, page_content};
use queries::theme::console::{self, Difference};

use super::reply::{self, Body, full, problem, set};
use super::router::RequestContext;
use crate::host::{ReadError, SiteHost};
use crate::service::Service;
use crate::sites::preview::Preview;
use queries::site::report::Report;

pub(super) async fn reply(
    main: &Arc<Service>,
    shown: &Arc<Service>,
    preview: &Preview,
    context: &RequestContext<'_>,
) -> Response<Body> {
    let (before, after) = (main.core().clone(), shown.core().clone());
    let compared = tokio::task::spawn_blocking(move || {
        let before = picture(&before.publisher.host())?;
        let after = picture(&after.publisher.host())?;
        Ok::<_, ReadError>((before, after))
    });
    let (before, after) = match compared.await {
        Ok(Ok(compared)) => compared,
        error => {
            tracing::error!("{} cannot be compared: {:?}", preview.label, error.err());
            return problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "the preview cannot be compared with the site; the log says why",
            );
        }
    };
    let view = difference(&before, &after);
    let view = Difference {
        name: preview.tree.name.clone(),
        commit: preview.tree.commit(),
        site: main.core().id.clone(),
        before: address_of_site(&main.core().id, main.core().base_url(), context),
        ..view
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

/// What a site says and what is wrong with it.
struct Picture {
    pages: BTreeMap<Route, PageContent>,
    /// Place and message.
    problems: Vec<(String, String)>,
}

fn picture(host: &SiteHost) -> Result<Picture, ReadError> {
    let routes = host.read(|db, site| site::route_table(db, site).clone())?;
    let pages: Vec<_> = routes.pages.iter().collect();
    let contents = host.read_all(&pages, |db, _, (route, page)| {
        ((*route).clone(), page_content(db, **page))
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

/// Where it is: `path:line:column`.
fn place(report: &Report) -> String {
    let located = &report.located;
    format!("{}:{}:{}", located.path, located.line, located.column)
}

fn difference(before: &Picture, after: &Picture) -> Difference {
    let mut view = Difference::default();
    for (route, content) in &after.pages {
        let entry = (route.href(), content.title.clone());
        match before.pages.get(route) {
            None => view.added.push(entry),
            Some(old) if old.digest != content.digest => view.changed.push(entry),
            Some(_) => view.same += 1,
        }
    }
    let gone = before
        .pages
        .iter()
        .filter(|(route, _)| !after.pages.contains_key(*route));
    view.removed = gone
        .map(|(route, content)| (route.href(), content.title.clone()))
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
