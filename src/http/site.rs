//! Pages, the theme, files of the site, redirects, and the page for everything else.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{self, HeaderMap};
use hyper::{Response, StatusCode};
use queries::config::redirect::Redirect;
use queries::content::ContentHash;
use queries::db::Db;
use queries::frame::own_file_query;
use queries::path::{Route, SitePath, encode_path};
use queries::render::theme;

use super::reply::{
    Body, Caching, Entity, entity, full, gzip_entity, media_type, problem, redirect, set,
};
use crate::archive;
use crate::publish::Snapshot;
use crate::service::{Core, Probe};

const HTML: &str = "text/html; charset=utf-8";

/// The reply for the decoded `path`.
pub(super) async fn reply(
    core: &Arc<Core>,
    path: &str,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Response<Body> {
    if let Some(reply) = of_theme(path, headers) {
        return reply;
    }
    let snapshot = core.publisher.snapshot();
    let with_query = |location: String| with_query(&location, query);
    if let Some(route) = Route::new(path)
        && let Some(id) = snapshot.routes.pages.get(&route)
    {
        // One address for each page: a trailing slash leads to it.
        if path.len() > 1 && path.ends_with('/') {
            return redirect(&with_query(route.href()), true);
        }
        let drawn = page(core, snapshot.clone(), route.clone(), *id, headers).await;
        if core.publisher.faults().is_present(route.as_str()) {
            core.mend(Probe::Page(route));
        }
        return drawn;
    }
    if let Some(file) = snapshot.routes.files.get(path) {
        return asset(core, &snapshot, path, *file, query, headers).await;
    }
    if path == archive::PATH && snapshot.routes.specs.len() > 1 {
        return specs(core, snapshot.clone(), headers).await;
    }
    if let Some(target) = redirected(&snapshot.routes.redirects, path) {
        return redirect(&with_query(target.0), target.1);
    }
    if path == "/"
        && let Some(home) = &snapshot.routes.home
    {
        return redirect(&with_query(home.href()), false);
    }
    if let Some(route) = path
        .trim_end_matches('/')
        .strip_suffix("/index")
        .and_then(Route::new)
        && snapshot.routes.pages.contains_key(&route)
    {
        return redirect(&with_query(route.href()), true);
    }
    not_found(core, path).await
}

/// The file of the theme at `path`, which is the same for all sites.
pub(super) fn of_theme(path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
    let asset = theme::asset_at(path)?;
    let content = Entity {
        bytes: Bytes::from_static(asset.bytes),
        digest: ContentHash::of(asset.bytes),
        media_type: asset.media_type,
        caching: Caching::Immutable,
    };
    Some(match asset.is_gzip {
        true => gzip_entity(headers, content),
        false => entity(headers, content),
    })
}

async fn page(
    core: &Arc<Core>,
    snapshot: Arc<Snapshot>,
    route: Route,
    page: queries::navigation::PageId,
    headers: &HeaderMap,
) -> Response<Body> {
    let publisher = core.publisher.clone();
    let shown = route.clone();
    let composed =
        tokio::task::spawn_blocking(move || publisher.page(&snapshot, &shown, page)).await;
    match composed {
        Ok(Ok(page)) => {
            // What the preview adds is the same for the whole run, so the digest of the page stands for it too.
            let mut response = entity(
                headers,
                Entity {
                    bytes: page.html.clone(),
                    digest: page.digest,
                    media_type: HTML,
                    caching: Caching::Revalidate,
                },
            );
            if page.is_stale {
                set(
                    &mut response,
                    header::WARNING,
                    "110 - \"last good version\"",
                );
            }
            response
        }
        error => {
            let id = ContentHash::of(format!("{route} {error:?}").as_bytes()).short();
            tracing::error!(id, "{route} cannot be drawn: {error:?}");
            problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                &format!("this page cannot be drawn; the log has more under {id}"),
            )
        }
    }
}

/// Sends a file of the site. Its digest is told by length and time, so the bytes are read only when they are sent.
async fn asset(
    core: &Arc<Core>,
    snapshot: &Snapshot,
    path: &str,
    file: queries::inputs::SourceFile,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Response<Body> {
    let Some(site_path) = SitePath::new(path) else {
        return not_found(core, path).await;
    };
    let digest = snapshot.host.read(|db, _| file.digest(db));
    let (reading, to_open) = (core.clone(), site_path.clone());
    let read = tokio::task::spawn_blocking(move || match to_open.extension().as_str() {
        // A specification is sent as its pages show it, also while its file is being written.
        "json" | "yaml" | "yml" => {
            let host = reading.publisher.host();
            let bytes = host.read(|db, _| db.bytes(file.digest(db)));
            bytes.ok().map(|bytes| bytes.to_vec())
        }
        _ => reading.read_file(&to_open),
    });
    let (Ok(digest), Ok(Some(bytes))) = (digest, read.await) else {
        return not_found(core, path).await;
    };
    // An address that names the content leads to another content under another address.
    let is_named = query.is_some_and(|query| query == own_file_query(digest));
    let media_type = media_type(&site_path.extension());
    let mut response = entity(
        headers,
        Entity {
            bytes: Bytes::from(bytes),
            digest,
            media_type,
            caching: if is_named {
                Caching::Immutable
            } else {
                Caching::Revalidate
            },
        },
    );
    if media_type == "image/svg+xml" {
        // An SVG may hold scripts: as an image it runs none, and opened by itself it must not either.
        set(
            &mut response,
            header::CONTENT_SECURITY_POLICY,
            "sandbox; script-src 'none'; style-src 'unsafe-inline'",
        );
    }
    response
}

/// Sends the specifications of the site in one archive.
async fn specs(core: &Arc<Core>, snapshot: Arc<Snapshot>, headers: &HeaderMap) -> Response<Body> {
    let built =
        tokio::task::spawn_blocking(move || archive::of(&snapshot.host, &snapshot.routes.specs));
    match built.await {
        Ok(Ok(bytes)) => entity(
            headers,
            Entity {
                digest: ContentHash::of(&bytes),
                bytes: Bytes::from(bytes),
                media_type: "application/zip",
                caching: Caching::Revalidate,
            },
        ),
        error => {
            tracing::error!("the archive of specifications cannot be built: {error:?}");
            not_found(core, archive::PATH).await
        }
    }
}

async fn not_found(core: &Arc<Core>, path: &str) -> Response<Body> {
    let publisher = core.publisher.clone();
    let shown = path.to_owned();
    let html = tokio::task::spawn_blocking(move || publisher.not_found(&shown)).await;
    let mut response = match html {
        Ok(Ok(html)) => {
            let mut response = Response::new(full(html));
            set(&mut response, header::CONTENT_TYPE, HTML);
            response
        }
        _ => problem(
            StatusCode::NOT_FOUND,
            "not-found",
            "nothing is published here",
        ),
    };
    *response.status_mut() = StatusCode::NOT_FOUND;
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// `location` with the query of the request, which stands before a fragment and after a query of its own.
fn with_query(location: &str, query: Option<&str>) -> String {
    let Some(query) = query else {
        return location.to_owned();
    };
    let (location, fragment) = match location.split_once('#') {
        Some((location, fragment)) => (location, format!("#{fragment}")),
        None => (location, String::new()),
    };
    let joint = if location.contains('?') { '&' } else { '?' };
    format!("{location}{joint}{query}{fragment}")
}

/// Where the redirects of the configuration send `path`, and whether for ever. `:name` stands for one segment, `:name*`
/// and `*` for the rest; what they stand for can be used in the destination.
fn redirected(redirects: &[Redirect], path: &str) -> Option<(String, bool)> {
    redirects.iter().find_map(|redirect| {
        let captured = captures(redirect.source.trim_matches('/'), path.trim_matches('/'))?;
        let mut destination = redirect.destination.clone();
        for (name, value) in captured {
            destination = destination.replace(&name, &escaped(&value));
        }
        // What was captured may begin with a slash, and two of them would lead to another host.
        if redirect.destination.starts_with('/') && !redirect.destination.starts_with("//") {
            destination = format!("/{}", destination.trim_start_matches('/'));
        }
        // A redirect to itself would never end.
        (destination.trim_matches('/') != path.trim_matches('/'))
            .then_some((destination, redirect.permanent))
    })
}

/// What a placeholder stands for, as it may stand in the path of an address.
fn escaped(value: &str) -> String {
    value
        .split('/')
        .map(|segment| encode_path(&segment.replace('%', "%25")))
        .collect::<Vec<_>>()
        .join("/")
}

/// The parts of `path` that the placeholders of `pattern` stand for, longest names first.
fn captures(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
    let mut captured = Vec::new();
    let mut rest = path.split('/');
    let mut segments = pattern.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        if is_last && segment.starts_with(':') && segment.ends_with('*') {
            let tail: Vec<&str> = rest.collect();
            captured.push((segment.to_owned(), tail.join("/")));
            rest = "".split('/');
            rest.next();
            break;
        }
        if is_last && let Some(prefix) = segment.strip_suffix('*') {
            let tail: Vec<&str> = rest.collect();
            let tail = tail.join("/");
            captured.push(("*".to_owned(), tail.strip_prefix(prefix)?.to_owned()));
            rest = "".split('/');
            rest.next();
            break;
        }
        let given = rest.next()?;
        if segment.starts_with(':') && segment.len() > 1 {
            captured.push((segment.to_owned(), given.to_owned()));
        } else if segment != given {
            return None;
        }
    }
    captured.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    rest.next().is_none().then_some(captured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_redirect(source: &str, destination: &str, path: &str, expected: Option<&str>) {
        let redirect = Redirect {
            source: source.to_owned(),
            destination: destination.to_owned(),
            permanent: true,
        };
        assert_eq!(
            redirected(&[redirect], path).map(|(to, _)| to).as_deref(),
            expected,
            "{source} {path}"
        );
    }

    #[test]
    fn redirects_with_placeholders() {
        check_redirect("/a", "/b", "/a", Some("/b"));
        check_redirect("/a", "/b", "/a/", Some("/b"));
        check_redirect("/a", "/b", "/a/c", None);
        check_redirect("/a/:x", "/b/:x", "/a/c", Some("/b/c"));
        check_redirect("/a/:slug*", "/b/:slug*", "/a/c/d", Some("/b/c/d"));
        check_redirect("/a/*", "/b/*", "/a/c/d", Some("/b/c/d"));
        check_redirect("/a-*", "/b-*", "/a-c", Some("/b-c"));
        check_redirect("/a/:slug*", "/a/:slug*", "/a/c", None);
    }

    #[test]
    fn a_redirect_within_the_site_stays_within_the_site() {
        check_redirect("/a/*", "/*", "/a//evil.example", Some("/evil.example"));
        check_redirect("/a/:x*", "/:x*", "/a//evil.example", Some("/evil.example"));
    }

    #[test]
    fn what_a_placeholder_stands_for_is_escaped() {
        check_redirect(
            "/a/:x",
            "/b/:x",
            "/a/ü %41?#",
            Some("/b/%C3%BC%20%2541%3F%23"),
        );
    }

    #[test]
    fn a_query_stands_before_the_fragment() {
        assert_eq!(with_query("/a", Some("x=1")), "/a?x=1");
        assert_eq!(with_query("/a#b", Some("x=1")), "/a?x=1#b");
        assert_eq!(with_query("/a?y=2#b", Some("x=1")), "/a?y=2&x=1#b");
        assert_eq!(with_query("/a#b", None), "/a#b");
    }
}
