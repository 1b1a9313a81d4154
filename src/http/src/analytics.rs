//! Counts of views and searches: `POST /_quire/analytics` from pages of a site, `GET` for
//! administrators.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::{Method, Response, StatusCode};
use queries::base::path::Route;
use queries::site;
use queries::theme::console::{self, CountedDay, CountedSite, date};
use serde_json::{Value, json};

use super::accept::takes_html;
use super::access::{may_see, own_page, said_too_much};
use super::body;
use super::reply::{self, Body, Refusal, full};
use super::router::{RequestContext, not_allowed, serving};
use super::search::bad;
use quire_site::analytics::{Counts, DAYS, today};
use quire_site::service::ANALYTICS;
use quire_site::sites::{HostMatch, SiteSlot, Sites};

/// Path.
pub(super) const PATH: &str = ANALYTICS;
/// Its methods.
pub(super) const METHODS: &[Method] = &[Method::GET, Method::HEAD, Method::POST];

/// Largest body, in bytes.
const MAX_BODY: usize = 8 * 1024;
/// Maximum number of pages, and of searches, listed.
const MAX_LISTED: usize = 100;

/// Substrings of the user agents of bots, whose visits are not counted; in lower case.
const PROGRAMS: &[&str] = &[
    "bot",
    "crawl",
    "spider",
    "slurp",
    "archiver",
    "scrap",
    "fetch",
    "preview",
    "monitor",
    "headless",
    "lighthouse",
    "curl",
    "wget",
    "python",
    "httpclient",
    "http-client",
    "okhttp",
    "go-http",
    "java/",
    "axios",
    "node",
    "ruby",
    "perl",
    "libwww",
    "facebookexternalhit",
    "feed",
    "validator",
    "checker",
    "claude",
    "perplexity",
];

/// Returns true if `headers` are those of a person who does not object to being counted: a browser,
/// no program, no prefetch, without `DNT` or `Sec-GPC`.
pub(super) fn is_reader(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(agent) = text("user-agent").map(str::to_ascii_lowercase) else {
        return false;
    };
    let is_ahead = ["sec-purpose", "purpose", "x-moz"]
        .iter()
        .any(|name| text(name).is_some_and(|value| value.contains("prefetch")));
    let is_program = PROGRAMS.iter().any(|part| agent.contains(part));
    !is_program && !is_ahead && text("dnt") != Some("1") && text("sec-gpc") != Some("1")
}

/// Returns true if a browser shows the reply as a page of its own. Pages that scripts load are
/// counted by [`reply`] when they are shown.
pub(super) fn is_navigation(headers: &HeaderMap) -> bool {
    match headers.get("sec-fetch-dest") {
        Some(dest) => dest == "document",
        // Browsers say so only over connections that they trust; scripts of our pages ask for HTML and nothing else.
        None => {
            let accepted = headers.get(header::ACCEPT);
            accepted.is_some_and(|accepted| accepted.as_bytes().starts_with(b"text/html,"))
        }
    }
}

/// The reply to a request for [`PATH`].
pub(super) async fn reply(
    sites: &Sites,
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    match *context.method {
        Method::POST => {
            own_page(context)?;
            note(at, context, body).await?;
            let mut response = Response::new(full(""));
            *response.status_mut() = StatusCode::NO_CONTENT;
            Ok(response)
        }
        Method::GET | Method::HEAD if may_see(&at, context) => {
            let slots = match at {
                HostMatch::Site(slot) => vec![slot],
                HostMatch::Preview(..) => Vec::new(),
                HostMatch::Machine | HostMatch::Unknown => sites.all(),
            };
            let slots: Vec<_> = (slots.into_iter())
                .filter(|slot| slot.analytics().is_some())
                .collect();
            if slots.is_empty() {
                return Err(nothing());
            }
            let days = days(context.query)?;
            let is_page = takes_html(context.headers);
            let shown = tokio::task::spawn_blocking(move || list(&slots, days, is_page)).await;
            shown.map_err(|_| nothing())
        }
        Method::GET | Method::HEAD => Err(nothing()),
        _ => Err(not_allowed(METHODS)),
    }
}

fn nothing() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "not-found", "not found")
}

/// Requested number of days.
fn days(query: Option<&str>) -> Result<u64, Refusal> {
    let pairs = query.unwrap_or("").split('&');
    let Some(days) = pairs.filter_map(|pair| pair.strip_prefix("days=")).next() else {
        return Ok(DAYS);
    };
    let days = days.parse().ok().filter(|days| (1..=DAYS).contains(days));
    days.ok_or_else(|| bad(&format!("`days` must be a number from 1 to {DAYS}")))
}

/// Counts what a page tells: `{"path": "/a"}` when it is shown without being loaded, `{"query": "a", "found": true}` for a search.
async fn note(at: HostMatch, context: &RequestContext<'_>, body: Incoming) -> Result<(), Refusal> {
    // Previews of branches count nothing.
    let service = serving(at, context).await?.ok_or_else(nothing)?;
    let site = service.handle();
    let analytics = site.analytics().ok_or_else(nothing)?;
    let admitted = analytics.admit(context.client);
    admitted.map_err(said_too_much)?;
    let body = body::read(body, MAX_BODY).await?;
    let event: Value = body::json(context.headers, &body)?;
    let asked = site.clone();
    let is_counted = tokio::task::spawn_blocking(move || asked.read(site::is_counted));
    if !is_reader(context.headers) || !matches!(is_counted.await, Ok(Ok(true))) {
        return Ok(());
    }
    match (
        event["path"].as_str(),
        event["query"].as_str(),
        event["found"].as_bool(),
    ) {
        (Some(path), None, None) => {
            let route = Route::new(path).ok_or_else(|| bad("`path` must be the path of a page"))?;
            // Of pages that are not there nothing is counted.
            if site.view().page_at(&route).is_some() {
                analytics.viewed(route.as_str());
            }
        }
        (None, Some(query), Some(found)) => analytics.searched(query, found),
        _ => return Err(bad("the body must have `path`, or `query` and `found`")),
    }
    Ok(())
}

/// Counts of the sites at `slots` in the last `days`. Blocks.
fn list(slots: &[Arc<SiteSlot>], days: u64, is_page: bool) -> Response<Body> {
    let today = today();
    let counted = slots.iter().filter_map(|slot| {
        let counts = slot.analytics()?.counts();
        Some(summed(&slot.id, &counts, today, days))
    });
    let counted: Vec<CountedSite> = counted.collect();
    if is_page {
        return reply::console(console::analytics(&counted));
    }
    let sites: Vec<Value> = counted.iter().map(site_json).collect();
    reply::json(StatusCode::OK, &json!({ "sites": sites }))
}

fn site_json(site: &CountedSite) -> Value {
    let days = site.days.iter().map(|day| {
        json!({
            "day": date(day.number), "views": day.views, "searches": day.searches, "without_result": day.without_result,
        })
    });
    let pages = site.pages.iter();
    let pages = pages.map(|(path, views)| json!({ "path": path, "views": views }));
    let queries = site.queries.iter();
    let queries = queries.map(|(query, count)| json!({ "query": query, "count": count }));
    json!({
        "site": site.site,
        "days": days.collect::<Vec<_>>(),
        "pages": pages.collect::<Vec<_>>(),
        "without_result": queries.collect::<Vec<_>>(),
    })
}

/// The counts of the last `days` of a site: each day, also those without any, and of pages and searches the most first.
fn summed(site: &str, counts: &Counts, today: u64, days: u64) -> CountedSite {
    let mut sum = Counts::default();
    let first = (today + 1).saturating_sub(days);
    let days = (first..=today).map(|number| {
        let day = counts.days.get(&number).cloned().unwrap_or_default();
        let row = CountedDay {
            number,
            views: day.views,
            searches: day.searches,
            without_result: day.without_result,
        };
        let all = sum.days.entry(0).or_default();
        for (into, from) in [(&mut all.pages, day.pages), (&mut all.queries, day.queries)] {
            for (name, count) in from {
                *into.entry(name).or_insert(0) += count;
            }
        }
        row
    });
    let days = days.collect();
    let all = sum.days.remove(&0).unwrap_or_default();
    let most = |counts: std::collections::BTreeMap<String, u64>| {
        let mut listed: Vec<(String, u64)> = counts.into_iter().collect();
        listed.sort_by(|(a, x), (b, y)| (y, a).cmp(&(x, b)));
        listed.truncate(MAX_LISTED);
        listed
    };
    CountedSite {
        site: site.to_owned(),
        days,
        pages: most(all.pages),
        queries: most(all.queries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let value = header::HeaderValue::from_static(value);
            (header::HeaderName::from_static(name), value)
        });
        pairs.collect()
    }

    const FIREFOX: (&str, &str) = (
        "user-agent",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    );

    #[test]
    fn programs_and_readers_who_mind_are_not_counted() {
        assert!(is_reader(&headers(&[FIREFOX])));
        for not in [
            &[][..],
            &[(
                "user-agent",
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            )],
            &[("user-agent", "curl/8.5.0")],
            &[(
                "user-agent",
                "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0 Safari/537.36",
            )],
            &[FIREFOX, ("dnt", "1")],
            &[FIREFOX, ("sec-gpc", "1")],
            &[FIREFOX, ("sec-purpose", "prefetch;prerender")],
        ] {
            assert!(!is_reader(&headers(not)), "{not:?}");
        }
        assert!(is_reader(&headers(&[FIREFOX, ("dnt", "0")])));
    }

    #[test]
    fn a_page_that_a_script_reads_is_no_navigation() {
        assert!(is_navigation(&headers(&[("sec-fetch-dest", "document")])));
        assert!(!is_navigation(&headers(&[
            ("sec-fetch-dest", "empty"),
            ("accept", "text/html,*/*")
        ])));
        assert!(is_navigation(&headers(&[(
            "accept",
            "text/html,application/xhtml+xml,*/*;q=0.8"
        )])));
        assert!(!is_navigation(&headers(&[("accept", "text/html")])));
        assert!(!is_navigation(&headers(&[])));
    }
}
