//! Pages, the theme, files of the site, redirects, and the page for everything else.

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::sync::LazyLock;

use bytes::Bytes;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Method, Response, StatusCode};
use queries::base::content::ContentHash;
use queries::base::path::{Route, SitePath};
use queries::site::{
    self, LLMS, LLMS_FULL, MachineText, Output, PageHtml, PageId, SourceFile, own_file_query,
};
use queries::theme::assets::{self, Asset};
use queries::theme::vendors;

use super::accept;
use super::analytics::{is_navigation, is_reader};
use super::file;
use super::flight::{Streamed, no_room};
use super::gate::Target;
use super::reply::{
    Body, Caching, EXACT, Entity, entity, full, gzip_entity, media_type, problem, redirect, set,
};
use super::router::RequestContext;
use super::texts::{self, NoText};
use quire_engine::host::ReadError;
use quire_site::media::is_compressible;
use quire_site::service::{Content, OwnFile, SiteHandle, View};

pub(super) const HTML: &str = "text/html; charset=utf-8";

/// Largest file that is compressed, in bytes: it is in memory as a whole for that.
pub(super) const MAX_COMPRESSED: u64 = 4 << 20;

/// The reply for what is at the path of a request.
pub(super) async fn reply(handle: &SiteHandle, context: &RequestContext<'_>) -> Response<Body> {
    let (path, query) = (context.target.path.as_str(), context.query);
    let headers = context.headers;
    let view = handle.view();
    match view.resolve(path) {
        Some(Output::Page(id, route)) => {
            let mut response = match accept::wants_text(headers) {
                Some(media_type) => {
                    let text = MachineText::Page(id);
                    machine_text(handle, view, text, media_type, context).await
                }
                None => page(handle, (view, route), id, context).await,
            };
            set(&mut response, header::VARY, "Accept, Accept-Encoding");
            name_texts(handle.mcp().enabled, &mut response);
            response
        }
        Some(Output::Text(text)) => {
            let media_type = text.media_type();
            machine_text(handle, view, text, media_type, context).await
        }
        Some(Output::File(file)) => asset(handle, &view, file, context).await,
        Some(Output::Card(page)) => card(view, page, context).await,
        Some(Output::Islands(file)) => match islands(&view, file, context).await {
            Some(script) => script,
            None => not_found(handle, &context.target).await,
        },
        Some(Output::Archive) => specs(handle, view, context).await,
        Some(Output::Theme(asset)) => of_asset(asset, headers),
        Some(Output::Moved { to, is_permanent }) => redirect(&with_query(&to, query), is_permanent),
        None => {
            let found = match path.strip_prefix(site::WHOLE) {
                Some(of) => complete_page(handle, &view, of, context).await,
                None if path.starts_with(site::ROWS) => {
                    let path = path.to_owned();
                    let composed = move || view.rows_page(&path);
                    unlisted_page(handle, composed, context).await
                }
                None => sidebar(&view, path, headers).await,
            };
            match found {
                Some(found) => found,
                None => not_found(handle, &context.target).await,
            }
        }
    }
}

/// The complete version of the page at `path`, with the parts that the ordinary one leaves out.
async fn complete_page(
    handle: &SiteHandle,
    view: &View,
    path: &str,
    context: &RequestContext<'_>,
) -> Option<Response<Body>> {
    let route = Route::new(path)?;
    let page = view.page_at(&route)?;
    let view = view.clone();
    let composed = move || view.whole_page(page);
    unlisted_page(handle, composed, context).await
}

/// Response with the page that `compose` returns. Such pages are not in the table of routes; other
/// pages link to them and load parts of them.
async fn unlisted_page(
    handle: &SiteHandle,
    compose: impl FnOnce() -> Result<Option<PageHtml>, ReadError> + Send + 'static,
    context: &RequestContext<'_>,
) -> Option<Response<Body>> {
    let compose = tokio::task::spawn_blocking(compose);
    let page = compose.await.ok()?.ok().flatten()?;
    let mut response = entity(
        context.headers,
        Entity {
            bytes: Bytes::from(page.html),
            digest: page.digest,
            variant: Some(handle.variant() + 1),
            media_type: HTML,
            caching: Caching::Revalidate,
        },
    );
    set_policy(
        &mut response,
        page.policy.as_deref(),
        &context.target.authority,
    );
    Some(response)
}

/// The script at `path` with all links of a sidebar.
async fn sidebar(view: &View, path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
    let (view, asked) = (view.clone(), path.to_owned());
    let written = tokio::task::spawn_blocking(move || view.sidebar_script(&asked));
    let (script, is_current) = written.await.ok()?.ok().flatten()?;
    Some(entity(
        headers,
        Entity {
            digest: ContentHash::of(script.as_bytes()),
            variant: EXACT,
            bytes: Bytes::from(script),
            media_type: "text/javascript; charset=utf-8",
            caching: match is_current {
                true => Caching::Immutable,
                false => Caching::Revalidate,
            },
        },
    ))
}

/// The script of the components of a page.
async fn islands(
    view: &View,
    file: SourceFile,
    context: &RequestContext<'_>,
) -> Option<Response<Body>> {
    let view = view.clone();
    let compiled = tokio::task::spawn_blocking(move || view.islands(file));
    let (script, digest) = compiled.await.ok()?.ok().flatten()?;
    let is_current = context.query == Some(&*site::own_file_query(digest));
    Some(entity(
        context.headers,
        Entity {
            digest,
            variant: EXACT,
            bytes: Bytes::from(script.as_bytes().to_vec()),
            media_type: "text/javascript; charset=utf-8",
            caching: match is_current {
                true => Caching::Immutable,
                false => Caching::Revalidate,
            },
        },
    ))
}

/// The file of the theme at `path`, which is the same for all sites.
pub(super) fn of_theme(path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
    Some(of_asset(assets::asset_at(path)?, headers))
}

fn of_asset(asset: &Asset, headers: &HeaderMap) -> Response<Body> {
    let content = Entity {
        bytes: Bytes::from_static(asset.bytes),
        digest: digest_of(asset),
        variant: EXACT,
        media_type: asset.media_type,
        caching: match asset.is_fixed() {
            true => Caching::Revalidate,
            false => Caching::Immutable,
        },
    };
    match asset.is_gzip {
        true => gzip_entity(headers, content),
        false => entity(headers, content),
    }
}

/// The digest of a file of the theme.
fn digest_of(asset: &Asset) -> ContentHash {
    static DIGESTS: LazyLock<HashMap<&str, ContentHash>> = LazyLock::new(|| {
        let all = assets::ASSETS.iter();
        all.map(|asset| (asset.name, ContentHash::of(asset.bytes)))
            .collect()
    });
    let known = DIGESTS.get(asset.name).copied();
    known.unwrap_or_else(|| ContentHash::of(asset.bytes))
}

async fn page(
    handle: &SiteHandle,
    (view, route): (View, Route),
    page: PageId,
    context: &RequestContext<'_>,
) -> Response<Body> {
    // What was composed is sent at once; what is to be composed may take a while.
    let page_reply = match view.composed(&route) {
        Some(page) => Ok(Ok(page)),
        None => {
            let shown = route.clone();
            tokio::task::spawn_blocking(move || view.page(&shown, page)).await
        }
    };
    let is_current = matches!(&page_reply, Ok(Ok(page)) if !page.is_stale);
    if !is_current {
        handle.mend_page(&route);
    }
    match page_reply {
        Ok(Ok(page)) => {
            // What the preview adds is the same for the whole run.
            let mut response = entity(
                context.headers,
                Entity {
                    bytes: page.html.clone(),
                    digest: handle.digest_of_run(page.digest),
                    variant: Some(handle.variant()),
                    media_type: HTML,
                    caching: Caching::Revalidate,
                },
            );
            set_policy(
                &mut response,
                page.policy.as_deref(),
                &context.target.authority,
            );
            if let Some(analytics) = handle.analytics().filter(|_| page.is_counted)
                && context.method == Method::GET
                && is_navigation(context.headers)
                && is_reader(context.headers)
            {
                analytics.viewed(route.as_str());
            }
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
            tracing::error!(id, "failed to render {route}: {error:?}");
            problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                &format!("failed to render this page; see {id} in the log"),
            )
        }
    }
}

/// Sends the Content-Security-Policy of a page with it, and whose frame it may stand in, which only a header can say.
pub(super) fn set_policy(response: &mut Response<Body>, policy: Option<&str>, authority: &str) {
    if let Some(policy) = policy {
        let policy = vendors::at_host(policy, authority);
        let policy = format!("{policy}; frame-ancestors 'self'");
        set(response, header::CONTENT_SECURITY_POLICY, &policy);
    }
}

/// Sends a file of the site. Text that is not long is compressed; everything else is read while it is sent.
async fn asset(
    handle: &SiteHandle,
    view: &View,
    file: SourceFile,
    context: &RequestContext<'_>,
) -> Response<Body> {
    let Ok((site_path, digest)) = view.file(file) else {
        return not_found(handle, &context.target).await;
    };
    let (reading, to_open) = (handle.clone(), site_path.clone());
    let media_type = media_type(&site_path.extension());
    let read = tokio::task::spawn_blocking(move || -> io::Result<Option<OwnFile>> {
        // A specification is sent as its pages show it, also while its file is being written.
        if is_specification(&to_open) {
            let bytes = reading.read(|db, _| db.bytes(file.digest(db)));
            return Ok(bytes.ok().map(|bytes| OwnFile {
                content: Content::Read(Bytes::from_owner(bytes)),
                digest: Some(digest),
            }));
        }
        if let Ok(Some(style)) = reading.read(|db, _| site::own_style(db, file).clone()) {
            return Ok(Some(OwnFile {
                content: Content::Read(Bytes::from(style.css.as_bytes().to_vec())),
                digest: Some(style.digest),
            }));
        }
        let Some(opened) = reading.open_file(&to_open)? else {
            return Ok(None);
        };
        let content = match is_compressible(media_type) {
            true => opened.content.read(MAX_COMPRESSED)?,
            false => opened.content,
        };
        Ok(Some(OwnFile { content, ..opened }))
    });
    let file = match read.await {
        Ok(Ok(Some(file))) => file,
        Ok(Err(error)) => return unreadable(handle.id(), site_path.as_str(), &error),
        _ => return not_found(handle, &context.target).await,
    };
    // Other content has another address. What was written since the site was looked at is not the
    // content that its address names.
    let named = file.digest.unwrap_or(digest);
    let is_named = (context.query).is_some_and(|query| query == own_file_query(named));
    let caching = match is_named {
        true => Caching::Immutable,
        false => Caching::Revalidate,
    };
    let (digest, variant) = match (&file.content, file.digest) {
        // Of what is no text it is the digest of its size and times.
        (_, Some(file)) => (file, EXACT.filter(|_| is_specification(&site_path))),
        (Content::Read(bytes), None) => (ContentHash::of(bytes), EXACT),
        (Content::Open(_), None) => (digest, None),
    };
    let mut response = match file.content {
        Content::Read(bytes) if is_compressible(media_type) => {
            let content = Entity {
                bytes,
                digest,
                variant,
                media_type,
                caching,
            };
            entity(context.headers, content)
        }
        content => {
            let file = file::Opened {
                content,
                digest,
                media_type,
                caching,
            };
            match file::reply(context.method, context.headers, file, context.flight) {
                Ok(response) => response,
                Err(error) => return unreadable(handle.id(), site_path.as_str(), &error),
            }
        }
    };
    confine_file(&mut response, media_type, handle.is_untrusted());
    response
}

/// Keeps a file of the site that is opened by itself from running scripts, if it may hold some.
pub(super) fn confine_file(response: &mut Response<Body>, media_type: &str, is_untrusted: bool) {
    if media_type == "image/svg+xml" || is_untrusted {
        // An SVG may hold scripts: as an image it runs none, and opened by itself it must not either.
        set(
            response,
            header::CONTENT_SECURITY_POLICY,
            "sandbox; script-src 'none'; style-src 'unsafe-inline'",
        );
    }
}

/// Returns true if the file at `path` may be a specification, by its name.
fn is_specification(path: &SitePath) -> bool {
    matches!(path.extension().as_str(), "json" | "yaml" | "yml")
}

/// Reply for a file that exists but cannot be read now: the client may retry.
pub(super) fn unreadable(site: &str, path: &str, error: &dyn Display) -> Response<Body> {
    tracing::error!(site, "failed to read {path}: {error:#}");
    let mut response = problem(
        StatusCode::SERVICE_UNAVAILABLE,
        "unreadable-file",
        "failed to read this file; see the log",
    );
    set(&mut response, header::RETRY_AFTER, "5");
    response
}

/// Sends a text that is made for programs.
async fn machine_text(
    handle: &SiteHandle,
    view: View,
    text: MachineText,
    media_type: &str,
    context: &RequestContext<'_>,
) -> Response<Body> {
    let base = base_url(handle, context);
    if let MachineText::Full | MachineText::Index | MachineText::SiteMap = text {
        let key = texts::Key {
            site: handle.variant(),
            revision: view.revision(),
            path: context.target.path.clone(),
            base: base.clone(),
        };
        let make = move || view.text(text, &base);
        let made = texts::TEXTS.get(key, context.flight, make).await;
        return whole_text(handle, made, media_type, context).await;
    }
    let made = tokio::task::spawn_blocking(move || view.text(text, &base)).await;
    match made {
        Ok(Ok(Some(text))) => entity(
            context.headers,
            Entity {
                digest: ContentHash::of(text.as_bytes()),
                variant: EXACT,
                bytes: Bytes::from(text),
                media_type,
                caching: Caching::Revalidate,
            },
        ),
        Ok(Ok(None)) => not_found(handle, &context.target).await,
        error => not_made(&context.target.path, &error),
    }
}

/// Sends a text of the whole site, which has its room.
async fn whole_text(
    handle: &SiteHandle,
    made: Result<(ContentHash, Bytes), NoText<ReadError>>,
    media_type: &str,
    context: &RequestContext<'_>,
) -> Response<Body> {
    let (digest, bytes) = match made {
        Ok(made) => made,
        Err(NoText::None) => return not_found(handle, &context.target).await,
        Err(NoText::NoRoom) => return no_room(),
        Err(error) => return not_made(&context.target.path, &error),
    };
    let mut response = entity(
        context.headers,
        Entity {
            digest,
            variant: EXACT,
            bytes,
            media_type,
            caching: Caching::Revalidate,
        },
    );
    // What it is compressed to has room of its own.
    if !response.headers().contains_key(header::CONTENT_ENCODING) {
        response.extensions_mut().insert(Streamed);
    }
    response
}

/// The reply where a text cannot be made.
fn not_made(path: &str, error: &dyn std::fmt::Debug) -> Response<Body> {
    let id = ContentHash::of(format!("{path} {error:?}").as_bytes()).short();
    tracing::error!(id, "failed to generate {path}: {error:?}");
    problem(
        StatusCode::INTERNAL_SERVER_ERROR,
        "internal",
        &format!("failed to generate this file; see {id} in the log"),
    )
}

/// Sends the picture of a page.
async fn card(view: View, page: PageId, context: &RequestContext<'_>) -> Response<Body> {
    let path = &context.target.path;
    let drawn = tokio::task::spawn_blocking(move || view.card(page)).await;
    match drawn {
        Ok(Ok(Some(png))) => entity(
            context.headers,
            Entity {
                digest: ContentHash::of(&png),
                variant: EXACT,
                bytes: Bytes::from_owner(png),
                media_type: "image/png",
                caching: Caching::Revalidate,
            },
        ),
        error => {
            let id = ContentHash::of(format!("{path} {error:?}").as_bytes()).short();
            tracing::error!(id, "failed to render {path}: {:?}", error.map(|_| ()));
            problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                &format!("failed to render this picture; see {id} in the log"),
            )
        }
    }
}

/// Names what there is for programs besides the page (RFC 8288).
pub(super) fn name_texts(has_mcp: bool, response: &mut Response<Body>) {
    let mut links = format!("<{LLMS}>; rel=\"llms-txt\", <{LLMS_FULL}>; rel=\"llms-full-txt\"");
    if has_mcp {
        let card = super::mcp::CARDS[1];
        links.push_str(&format!(", <{card}>; rel=\"mcp-server-card\""));
    }
    set(response, header::LINK, &links);
    set(response, HeaderName::from_static("x-llms-txt"), LLMS);
}

/// Origin of the site's absolute addresses: that of the operator, else the host that the client
/// named, with the scheme of a listed proxy.
pub(super) fn base_url(handle: &SiteHandle, context: &RequestContext<'_>) -> String {
    match handle.base_url() {
        Some(base) => base.trim_end_matches('/').to_owned(),
        None => format!("{}://{}", context.scheme, context.target.authority),
    }
}

/// Sends the specifications of the site in one archive.
async fn specs(handle: &SiteHandle, view: View, context: &RequestContext<'_>) -> Response<Body> {
    match tokio::task::spawn_blocking(move || view.archive()).await {
        Ok(Ok(bytes)) => entity(
            context.headers,
            Entity {
                digest: ContentHash::of(&bytes),
                variant: EXACT,
                bytes: Bytes::from(bytes),
                media_type: "application/zip",
                caching: Caching::Revalidate,
            },
        ),
        error => {
            tracing::error!("failed to build the archive of specifications: {error:?}");
            not_found(handle, &context.target).await
        }
    }
}

async fn not_found(handle: &SiteHandle, target: &Target) -> Response<Body> {
    let (asked, shown) = (handle.clone(), target.path.clone());
    let html = tokio::task::spawn_blocking(move || asked.not_found(&shown));
    let mut response = match html.await {
        Ok(Ok((html, policy))) => {
            let mut response = Response::new(full(html));
            set(&mut response, header::CONTENT_TYPE, HTML);
            set_policy(&mut response, Some(&policy), &target.authority);
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
pub(super) fn with_query(location: &str, query: Option<&str>) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_stands_before_the_fragment() {
        assert_eq!(with_query("/a", Some("x=1")), "/a?x=1");
        assert_eq!(with_query("/a#b", Some("x=1")), "/a?x=1#b");
        assert_eq!(with_query("/a?y=2#b", Some("x=1")), "/a?y=2&x=1#b");
        assert_eq!(with_query("/a#b", None), "/a#b");
    }
}
