//! One table: what a host and a path mean. Everything that is not in it is looked up in the closed map of the outputs of
//! the site that the host names.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Method, Request, Response, StatusCode};

#[cfg(test)]
use super::description::DescribedOperation;
use super::flight::Flight;
use super::gate::{self, Target};
use super::rates::{Kind, Rates};
use super::reply::{Body, Refusal, full, set};
use super::shares::Shares;
use super::{
    access, admin, analytics, api, completions, conformity, description, diff, events, feedback,
    mcp, mock, relay, served, site,
};
use quire_net::relay::CurrentRelay;
use quire_search::search_service::Wait;
use quire_settings::Proxies;
use quire_site::served::ServedSites;
use quire_site::service::Service;
use quire_site::sites::preview::{Preview, is_commit};
use quire_site::sites::{HostMatch, SiteSlot, Sites};

/// One operation of the process, of a site or of a preview, by its whole path: a row of the table.
/// All answer GET and HEAD, and read no body.
struct Operation {
    path: &'static str,
    access: Visible,
    subject: Subject,
}

/// Clients that an operation is there for; for others there is nothing at its path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visible {
    ToAnyone,
    /// Clients of the admin listener and of the socket.
    ToAdministrators,
}

/// The thing that an operation is about, with the function that answers.
enum Subject {
    /// The process, on every host.
    Process(fn(&Router) -> Response<Body>),
    /// The process, which does something to find out.
    Examined(for<'a> fn(&'a Router) -> Answer<'a>),
    /// The site or the preview of the host.
    Site(fn(&Arc<Service>, &RequestContext<'_>) -> Response<Body>),
    /// The preview of the host, beside the site that it is a preview of.
    Preview(
        for<'a> fn(
            &'a Arc<Service>,
            &'a Arc<Service>,
            &'a Preview,
            &'a RequestContext<'_>,
        ) -> Answer<'a>,
    ),
}

type Answer<'a> = Pin<Box<dyn Future<Output = Response<Body>> + Send + 'a>>;

/// One operation that reads a body or refuses methods by itself: a row of the second table. It has its path on every host.
struct Endpoint {
    is_at: fn(&str) -> bool,
    /// Path and methods, for the description; `None` for paths that others describe.
    #[cfg_attr(not(test), expect(dead_code, reason = "the handler refuses others"))]
    described: Option<(&'static str, &'static [Method])>,
    handler: for<'a> fn(&'a Router, HostMatch, &'a RequestContext<'_>, Incoming) -> Outcome<'a>,
}

type Outcome<'a> = Pin<Box<dyn Future<Output = Result<Response<Body>, Refusal>> + Send + 'a>>;

/// Every operation below `/_quire/`.
static OPERATIONS: &[Operation] = &[
    Operation {
        path: "/_quire/healthz",
        access: Visible::ToAnyone,
        subject: Subject::Process(|_| admin::healthy()),
    },
    Operation {
        path: "/_quire/livez",
        access: Visible::ToAnyone,
        subject: Subject::Process(|_| admin::healthy()),
    },
    Operation {
        path: "/_quire/readyz",
        access: Visible::ToAnyone,
        subject: Subject::Examined(|router| Box::pin(admin::ready(&router.process, &router.sites))),
    },
    Operation {
        path: "/_quire/status",
        access: Visible::ToAdministrators,
        subject: Subject::Process(|router| admin::status(&router.process, &router.sites)),
    },
    Operation {
        path: "/_quire/metrics",
        access: Visible::ToAdministrators,
        subject: Subject::Process(|router| {
            admin::metrics(
                &router.process,
                &router.sites,
                router.relay.get().as_deref(),
            )
        }),
    },
    Operation {
        path: "/_quire/openapi.json",
        access: Visible::ToAnyone,
        subject: Subject::Process(|_| description::show()),
    },
    Operation {
        path: "/_quire/events",
        access: Visible::ToAnyone,
        subject: Subject::Site(|service, context| events::open(context, service.handle().clone())),
    },
    Operation {
        path: "/_quire/diff",
        access: Visible::ToAnyone,
        subject: Subject::Preview(|main, service, preview, context| {
            Box::pin(diff::reply(main, service, preview, context))
        }),
    },
];

/// Every operation with its own methods, outside of `/api/sites/`.
static ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        // Its paths are those of the specifications of the site.
        is_at: mock::is_at,
        described: None,
        handler: |_, at, context, body| Box::pin(mock::reply(at, context, body)),
    },
    Endpoint {
        is_at: |path| path == completions::PATH,
        described: Some((completions::PATH, completions::METHODS)),
        handler: |_, at, context, body| Box::pin(completions::reply(at, context, body)),
    },
    Endpoint {
        is_at: |path| {
            let rest = path.strip_prefix(completions::MODELS);
            rest.is_some_and(|rest| rest.is_empty() || rest == "/")
        },
        described: Some((completions::MODELS, completions::MODELS_METHODS)),
        handler: |_, at, context, _| Box::pin(completions::models(at, context)),
    },
    Endpoint {
        is_at: |path| {
            let rest = path.strip_prefix(completions::MODELS);
            rest.is_some_and(|rest| rest.starts_with('/'))
        },
        described: Some((completions::ONE_MODEL, completions::MODELS_METHODS)),
        handler: |_, at, context, _| Box::pin(completions::models(at, context)),
    },
    Endpoint {
        // With its cards, which the protocol describes.
        is_at: mcp::is_at,
        described: Some((mcp::PATH, mcp::METHODS)),
        handler: |_, at, context, body| Box::pin(mcp::reply(at, context, body)),
    },
    Endpoint {
        is_at: |path| path == conformity::PATH,
        described: Some((conformity::PATH, conformity::METHODS)),
        handler: |_, at, context, body| Box::pin(conformity::reply(at, context, body)),
    },
    Endpoint {
        is_at: |path| path == relay::PATH,
        described: Some((relay::PATH, relay::METHODS)),
        handler: |router, at, context, body| {
            Box::pin(async move {
                let relay = router.relay.get();
                relay::reply(relay.as_ref(), at, context, body).await
            })
        },
    },
    Endpoint {
        is_at: |path| path == feedback::PATH,
        described: Some((feedback::PATH, feedback::METHODS)),
        handler: |router, at, context, body| {
            Box::pin(feedback::reply(&router.sites, at, context, body))
        },
    },
    Endpoint {
        is_at: |path| path == analytics::PATH,
        described: Some((analytics::PATH, analytics::METHODS)),
        handler: |router, at, context, body| {
            Box::pin(analytics::reply(&router.sites, at, context, body))
        },
    },
];

/// The operations of both tables.
#[cfg(test)]
pub(super) fn described() -> impl Iterator<Item = DescribedOperation> {
    let operations = OPERATIONS.iter().map(|row| (row.path, &[Method::GET][..]));
    let endpoints = ENDPOINTS.iter().filter_map(|row| row.described);
    let rows = operations.chain(endpoints);
    rows.flat_map(|(path, methods)| {
        let methods = methods.iter().filter(|method| **method != Method::HEAD);
        methods.map(|method| DescribedOperation {
            path: path.to_owned(),
            method: method.clone(),
            // Bodies are of POST alone; whom it is for and how often is up to the handler.
            has_body: method == Method::POST,
            access: None,
            is_limited: None,
        })
    })
}

/// State that requests are answered from.
pub struct Router {
    /// The sites.
    pub sites: Arc<Sites>,
    /// The sites of a process that serves what others have published: then `sites` has none.
    pub served: Option<Arc<ServedSites>>,
    /// The process, for its status.
    pub process: Arc<admin::Process>,
    /// Relay of the playground; `None` if the operator disables it.
    pub relay: Arc<CurrentRelay>,
    /// Entrance of the requests.
    pub entrance: Entrance,
    /// Programs before it that speak for its visitors.
    pub proxies: Proxies,
    /// Rates of expensive operations; `None` without limits.
    pub rates: Option<Arc<Rates>>,
    /// Whether published sites are served; otherwise others do, and this process builds.
    pub serves_sites: bool,
    /// Whether what is served is a draft on the machine of its author, which no page of another site may read.
    pub is_draft: bool,
}

/// Where a request came in. Nothing else makes a client an administrator: a proxy on this machine has the address of this
/// machine, whoever it speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// The listener for visitors.
    Public,
    /// The listener that the operator set apart for administrators.
    Admin,
    /// The socket in the state folder, which only the user of the daemon can open.
    Socket,
}

impl Entrance {
    /// Whether who comes in here runs the process.
    pub fn is_for_administrators(self) -> bool {
        self != Self::Public
    }
}

/// The other end of a connection.
#[derive(Clone)]
pub struct Peer {
    /// Address.
    pub address: SocketAddr,
    /// Pages that are told of changes by the listener that it came to.
    pub streams: Arc<Shares>,
    /// Requests that are not answered to their end.
    pub requests: Arc<Shares>,
    /// The client that limits for one client are for; none where many look like one.
    pub limited: Option<IpAddr>,
}

/// A request without its body, as handlers see it.
pub struct RequestContext<'a> {
    /// Target.
    pub target: Target,
    /// Method.
    pub method: &'a Method,
    /// Path as it was sent, percent-encoded.
    pub encoded_path: &'a str,
    /// Query, if it has one.
    pub query: Option<&'a str>,
    /// Header.
    pub headers: &'a HeaderMap,
    /// The client that sends it, as far as that can be told.
    pub client: IpAddr,
    /// The scheme by which it reaches the site, as far as that can be told.
    pub scheme: &'static str,
    /// The client that limits for one client are for; none where many clients look like one.
    pub limited: Option<IpAddr>,
    /// Entrance.
    pub entrance: Entrance,
    /// Rates; `None` without limits.
    pub rates: Option<&'a Rates>,
    /// Pages that are told of changes.
    pub streams: &'a Arc<Shares>,
    /// Room for its reply.
    pub flight: &'a Flight,
}

impl Router {
    /// The reply to `request` of the client at `peer`.
    pub async fn reply(self: Arc<Self>, request: Request<Incoming>, peer: Peer) -> Response<Body> {
        let target = match gate::check(&request) {
            Ok(target) => target,
            Err(refusal) => return refusal.into(),
        };
        let (head, body) = request.into_parts();
        let entrance = match is_relayed(&head.headers) {
            true => Entrance::Public,
            false => self.entrance,
        };
        let is_proxy = self.proxies.are_at(peer.address.ip());
        let client = self.client(peer.address.ip(), &head.headers);
        let rates = self.rates.as_deref();
        let limited = self.proxies.limited(client);
        let flight = self.process.flight.of(limited);
        let context = RequestContext {
            entrance,
            client,
            scheme: scheme(&head.headers, is_proxy),
            limited,
            rates: rates.filter(|_| !entrance.is_for_administrators()),
            streams: &peer.streams,
            target,
            method: &head.method,
            encoded_path: head.uri.path(),
            query: head.uri.query(),
            headers: &head.headers,
            flight: &flight,
        };
        let is_head = head.method == Method::HEAD;
        let is_foreign =
            self.is_draft && access::is_of_other_site(context.headers, &context.target.authority);
        let answer = match is_foreign {
            true => Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "foreign-origin",
                "drafts are not readable from other origins",
            )),
            false => self.answer(&context, body).await,
        };
        let mut response = answer.unwrap_or_else(Response::from);
        if self.is_draft {
            access::only_own_machine(&mut response, &head.headers);
        }
        set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        set(
            &mut response,
            header::REFERRER_POLICY,
            "strict-origin-when-cross-origin",
        );
        set(
            &mut response,
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        );
        if head.headers.contains_key(header::TRANSFER_ENCODING) {
            set(&mut response, header::CONNECTION, "close");
        }
        if is_head {
            if let Some(length) = response.body().size_hint().exact() {
                let length = length.to_string();
                set(&mut response, header::CONTENT_LENGTH, &length);
            }
            *response.body_mut() = full("");
        }
        match entrance.is_for_administrators() {
            true => response,
            false => flight.with_room(response),
        }
    }

    /// The client that sent a request: the one that a proxy names, if it is a proxy that sent it.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let hops_headers = headers.get_all("x-forwarded-for").iter();
        let hops_headers: Vec<&str> = hops_headers.filter_map(|hops| hops.to_str().ok()).collect();
        let is_forwarded = !hops_headers.is_empty() || headers.contains_key(FORWARDED_PROTO);
        if is_forwarded && peer.is_loopback() && !self.proxies.are_at(peer) {
            static SAID: std::sync::Once = std::sync::Once::new();
            SAID.call_once(|| {
                tracing::warn!(
                    "requests from {peer} name their clients (`X-Forwarded-For`) or how these reach the site (`X-Forwarded-Proto`), which is not believed: if that is a proxy, write `listen.proxies = [\"{peer}\"]`"
                );
            });
        }
        let hops = hops_headers.iter().flat_map(|hops| hops.split(','));
        self.proxies.client(peer, hops)
    }

    async fn answer(
        &self,
        context: &RequestContext<'_>,
        body: Incoming,
    ) -> Result<Response<Body>, Refusal> {
        if let Some(served) = &self.served {
            return served::answer(self, served, context, body).await;
        }
        let at = self.sites.at(&context.target.host);
        let is_admin = context.entrance.is_for_administrators();
        if matches!(at, HostMatch::Unknown) && !is_admin {
            let refusal = Refusal::new(
                StatusCode::MISDIRECTED_REQUEST,
                "unknown-host",
                "unknown host",
            );
            let operation = context.target.path.strip_prefix("/api/sites/");
            if !operation.is_some_and(api::is_for_anyone) {
                return Err(refusal);
            }
            let mut response = Response::from(refusal);
            set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
            return Ok(response);
        }
        let path = context.target.path.as_str();
        // Administrators come for feedback and counts, too.
        let is_left_to_others = !self.serves_sites && !is_admin && matches!(at, HostMatch::Site(_));
        if let Some(rest) = path.strip_prefix("/api/sites/") {
            if !self.serves_sites && !at.is_preview() && api::is_for_anyone(rest) {
                return Ok(api::for_anyone(not_served().into()));
            }
            return api::reply(&self.sites, &at, context, rest, body).await;
        }
        if is_left_to_others && ENDPOINTS.iter().any(|row| (row.is_at)(path)) {
            return Err(not_served());
        }
        if let Some(row) = ENDPOINTS.iter().find(|row| (row.is_at)(path)) {
            return (row.handler)(self, at, context, body).await;
        }
        if !matches!(*context.method, Method::GET | Method::HEAD) {
            return Err(not_allowed(&[Method::GET, Method::HEAD]));
        }
        let operation = OPERATIONS.iter().find(|row| row.path == path);
        let operation = operation.filter(|row| is_admin || row.access == Visible::ToAnyone);
        let subject = operation.map(|row| &row.subject);
        if let Some(Subject::Process(handler)) = subject {
            return Ok(handler(self));
        }
        if let Some(Subject::Examined(handler)) = subject {
            return Ok(handler(self).await);
        }
        match at {
            HostMatch::Site(_) if is_left_to_others => Err(not_served()),
            HostMatch::Site(slot) => Ok(serve(&started(&slot).await?, subject, context).await),
            HostMatch::Preview(slot, label) => preview(&slot, &label, subject, context).await,
            HostMatch::Machine | HostMatch::Unknown if path == "/" && is_admin => {
                Ok(admin::front(&self.sites))
            }
            HostMatch::Machine | HostMatch::Unknown => site::of_theme(path, context.headers)
                .ok_or_else(|| {
                    Refusal::new(
                        StatusCode::NOT_FOUND,
                        "unknown-site",
                        "unknown site; sites are served at ID.localhost",
                    )
                }),
        }
    }
}

/// The refusal of what the servers of a site answer.
fn not_served() -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "builds-only",
        "this daemon builds sites and does not serve them (`role = \"build\"`); ask a daemon of another role, or `quire serve`",
    )
}

/// The reply of a preview, opened if need be.
async fn preview(
    slot: &Arc<SiteSlot>,
    label: &str,
    subject: Option<&Subject>,
    context: &RequestContext<'_>,
) -> Result<Response<Body>, Refusal> {
    let preview = visit(slot, label, context).await?;
    let service = open_preview(&preview).await?;
    if !context.target.path.starts_with("/_theme/") {
        preview.follow().await;
    }
    let mut response = match subject {
        Some(Subject::Preview(handler)) => match started(slot).await {
            Ok(main) => handler(&main, &service, &preview, context).await,
            Err(refusal) => refusal.into(),
        },
        _ => serve(&service, subject, context).await,
    };
    set(
        &mut response,
        header::HeaderName::from_static("x-robots-tag"),
        "noindex",
    );
    Ok(response)
}

/// The reply of a site that is in memory.
async fn serve(
    service: &Arc<Service>,
    subject: Option<&Subject>,
    context: &RequestContext<'_>,
) -> Response<Body> {
    let path = context.target.path.as_str();
    if let Some(Subject::Site(handler)) = subject {
        return handler(service, context);
    }
    if !path.starts_with("/_theme/") {
        service.sync_for_page().await;
    }
    site::reply(service.handle(), context).await
}

/// The site or the preview that a host means, as current as its files; `None` where a host means neither.
pub(super) async fn serving(
    at: HostMatch,
    context: &RequestContext<'_>,
) -> Result<Option<Arc<Service>>, Refusal> {
    let service = site_at(at, context).await?;
    if let Some(service) = &service {
        service.sync_for(Wait::Answer).await;
    }
    Ok(service)
}

/// Like [`serving`], for a handler that waits for the files of the site itself: a request has one deadline.
pub(super) async fn site_at(
    at: HostMatch,
    context: &RequestContext<'_>,
) -> Result<Option<Arc<Service>>, Refusal> {
    Ok(match at {
        HostMatch::Preview(slot, label) => {
            let preview = visit(&slot, &label, context).await?;
            let service = open_preview(&preview).await?;
            preview.follow().await;
            Some(service)
        }
        HostMatch::Site(slot) => Some(started(&slot).await?),
        HostMatch::Machine | HostMatch::Unknown => None,
    })
}

/// The site at `slot`, started if need be, or the reply that says why it cannot be.
pub(super) async fn started(slot: &Arc<SiteSlot>) -> Result<Arc<Service>, Refusal> {
    slot.service().await.map_err(|error| not_ready(&error))
}

/// The site of `preview`, as [`started`].
async fn open_preview(preview: &Arc<Preview>) -> Result<Arc<Service>, Refusal> {
    preview.service().await.map_err(|error| not_ready(&error))
}

fn not_ready(error: &str) -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "site-not-ready",
        &format!("failed to read the site: {error}"),
    )
    .with(header::RETRY_AFTER, "5")
}

/// The preview of `label`, opened if need be, or the reply that says why there is none.
pub(super) async fn visit(
    slot: &Arc<SiteSlot>,
    label: &str,
    context: &RequestContext<'_>,
) -> Result<Arc<Preview>, Refusal> {
    let nothing = || {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-ref",
            "unknown branch, tag or commit",
        )
    };
    if !slot.settings.previews {
        return Err(nothing());
    }
    if let Some(open) = slot.previews.get(label) {
        return Ok(open);
    }
    // A label that may be a commit is counted before anything is asked of the repository.
    if let Some(rates) = context.rates.filter(|_| is_commit(label)) {
        let client = context.limited;
        client.map_or(Ok(()), |client| rates.enter_client(Kind::Commit, client))?;
        rates.enter_site(Kind::Commit, &slot.id)?;
    }
    let (parent, wanted) = (slot.clone(), label.to_owned());
    let found = tokio::task::spawn_blocking(move || parent.previews.visit(&parent, &wanted)).await;
    match found {
        Ok(Ok(Some(preview))) => Ok(preview),
        Ok(Ok(None)) => Err(nothing()),
        failed => {
            let why = match failed {
                Ok(Err(error)) => format!("{error:#}"),
                Err(error) => error.to_string(),
                Ok(Ok(_)) => String::new(),
            };
            tracing::error!(site = slot.id, "failed to open the preview {label}: {why}");
            Err(Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "site-not-ready",
                "failed to read the repository of the site",
            ))
        }
    }
}

/// The refusal of a request where only `methods` are served.
pub(super) fn not_allowed<'a>(methods: impl IntoIterator<Item = &'a Method>) -> Refusal {
    let names: Vec<&str> = methods.into_iter().map(Method::as_str).collect();
    let names = names.join(", ");
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method-not-allowed",
        &format!("method not allowed; use {names}"),
    )
    .with(header::ALLOW, &names)
}

/// Scheme that the client of a proxy uses.
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The scheme that the sender of a request says the site is reached by, if it is a proxy; else that of this server.
fn scheme(headers: &HeaderMap, is_proxy: bool) -> &'static str {
    let named = headers.get(FORWARDED_PROTO).filter(|_| is_proxy);
    match named.is_some_and(|named| named.as_bytes().eq_ignore_ascii_case(b"https")) {
        true => "https",
        false => "http",
    }
}

/// Returns true if the relay of such a program sent the request (RFC 9110, 7.6.3): it is a
/// reader's, whatever its entrance.
fn is_relayed(headers: &HeaderMap) -> bool {
    let via = headers.get_all(header::VIA).iter();
    let mut hops = via.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    hops.any(|hop| hop.trim_ascii() == b"1.1 quire")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_relay_sends_is_of_a_reader() {
        let via = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::VIA, value.parse().unwrap());
            is_relayed(&headers)
        };
        assert!(via("1.1 quire"));
        assert!(via("1.1 quire, 1.1 proxy.internal"));
        assert!(!via("1.1 proxy.internal"));
        assert!(!is_relayed(&HeaderMap::new()));
    }
}
