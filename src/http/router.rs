//! One table: what a host and a path mean. Everything that is not in it is looked up in the closed map of the outputs of
//! the site that the host names.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::{Method, Request, Response, StatusCode};

use super::gate::{self, Target};
use super::reply::{Body, Refusal, full, set};
use super::{admin, analytics, api, completions, diff, events, feedback, mcp, mock, relay, site};
use crate::relay::CurrentRelay;
use crate::service::Service;
use crate::sites::preview::Preview;
use crate::sites::{HostMatch, SiteSlot, Sites};

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
    /// Clients of the admin listener, and of this machine.
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

/// Every operation below `/_quire/`.
static OPERATIONS: &[Operation] = &[
    Operation {
        path: "/_quire/healthz",
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
        path: "/_quire/events",
        access: Visible::ToAnyone,
        subject: Subject::Site(|service, context| {
            events::open(context.query.unwrap_or(""), service.core().clone())
        }),
    },
    Operation {
        path: "/_quire/diff",
        access: Visible::ToAnyone,
        subject: Subject::Preview(|main, service, preview, context| {
            Box::pin(diff::reply(main, service, preview, context))
        }),
    },
];

/// What requests are answered from.
pub struct Router {
    /// The sites.
    pub sites: Arc<Sites>,
    /// The process, for its status.
    pub process: Arc<admin::Process>,
    /// What sends the requests of playgrounds; none if the operator wants none.
    pub relay: Arc<CurrentRelay>,
    /// Whether this is the listener of the administrator, who is told everything.
    pub is_admin: bool,
}

/// A request without its body, as handlers see it.
pub struct RequestContext<'a> {
    /// What it is for.
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
    /// Whether it comes from this machine, from a client that named it and through no proxy.
    pub is_from_here: bool,
}

impl Router {
    /// The reply to `request` of the client at `peer`.
    pub async fn reply(
        self: Arc<Self>,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Response<Body> {
        let target = match gate::check(&request) {
            Ok(target) => target,
            Err(refusal) => return refusal.into(),
        };
        let (head, body) = request.into_parts();
        let context = RequestContext {
            is_from_here: is_from_here(peer, &target.host, &head.headers),
            client: client(peer, &head.headers),
            target,
            method: &head.method,
            encoded_path: head.uri.path(),
            query: head.uri.query(),
            headers: &head.headers,
        };
        let is_head = head.method == Method::HEAD;
        let answer = self.answer(&context, body).await;
        let mut response = answer.unwrap_or_else(Response::from);
        set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        set(
            &mut response,
            header::REFERRER_POLICY,
            "strict-origin-when-cross-origin",
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
        response
    }

    async fn answer(
        &self,
        context: &RequestContext<'_>,
        body: Incoming,
    ) -> Result<Response<Body>, Refusal> {
        let at = self.sites.at(&context.target.host);
        if matches!(at, HostMatch::Unknown) && !self.is_admin {
            let refusal = Refusal::new(
                StatusCode::MISDIRECTED_REQUEST,
                "unknown-host",
                "this server does not serve that host",
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
        if let Some(rest) = path.strip_prefix("/api/sites/") {
            return api::reply(&self.sites, &at, context, rest, body).await;
        }
        if mock::is_at(path) {
            return mock::reply(at, context, body).await;
        }
        if path == completions::PATH {
            return completions::reply(at, context, body).await;
        }
        if mcp::is_at(path) {
            return mcp::reply(at, context, body).await;
        }
        if path == relay::PATH {
            return relay::reply(self.relay.get().as_ref(), at, context, body).await;
        }
        let may_see = self.is_admin || context.is_from_here;
        if path == feedback::PATH {
            return feedback::reply(&self.sites, may_see, at, context, body).await;
        }
        if path == analytics::PATH {
            return analytics::reply(&self.sites, may_see, at, context, body).await;
        }
        if !matches!(*context.method, Method::GET | Method::HEAD) {
            return Err(not_allowed(&[Method::GET, Method::HEAD]));
        }
        let operation = OPERATIONS.iter().find(|row| row.path == path);
        let operation = operation.filter(|row| may_see || row.access == Visible::ToAnyone);
        let subject = operation.map(|row| &row.subject);
        if let Some(Subject::Process(handler)) = subject {
            return Ok(handler(self));
        }
        if let Some(Subject::Examined(handler)) = subject {
            return Ok(handler(self).await);
        }
        match at {
            HostMatch::Site(slot) => Ok(serve(&started(&slot).await?, subject, context).await),
            HostMatch::Preview(slot, label) => preview(&slot, &label, subject, context).await,
            HostMatch::Machine | HostMatch::Unknown if path == "/" && may_see => {
                Ok(admin::front(&self.sites))
            }
            HostMatch::Machine | HostMatch::Unknown => site::of_theme(path, context.headers)
                .ok_or_else(|| {
                    Refusal::new(
                        StatusCode::NOT_FOUND,
                        "unknown-site",
                        "no site is called so; sites are at ID.localhost",
                    )
                }),
        }
    }
}

/// The reply of a preview, opened if need be.
async fn preview(
    slot: &Arc<SiteSlot>,
    label: &str,
    subject: Option<&Subject>,
    context: &RequestContext<'_>,
) -> Result<Response<Body>, Refusal> {
    let preview = visit(slot, label).await?;
    let service = started(&preview.slot).await?;
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
    let core = service.core();
    let path = context.target.path.as_str();
    if let Some(Subject::Site(handler)) = subject {
        return handler(service, context);
    }
    if let Some(watch) = service.watch()
        && !path.starts_with("/_theme/")
    {
        watch.sync().await;
    }
    site::reply(core, context).await
}

/// The site or the preview that a host means, as current as its files; `None` where a host means neither.
pub(super) async fn serving(at: HostMatch) -> Result<Option<Arc<Service>>, Refusal> {
    let service = match at {
        HostMatch::Preview(slot, label) => {
            let preview = visit(&slot, &label).await?;
            let service = started(&preview.slot).await?;
            preview.follow().await;
            service
        }
        HostMatch::Site(slot) => started(&slot).await?,
        HostMatch::Machine | HostMatch::Unknown => return Ok(None),
    };
    if let Some(watch) = service.watching() {
        watch.sync().await;
    }
    Ok(Some(service))
}

/// The site at `slot`, started if need be, or the reply that says why it cannot be.
pub(super) async fn started(slot: &Arc<SiteSlot>) -> Result<Arc<Service>, Refusal> {
    slot.service().await.map_err(|error| {
        Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "site-not-ready",
            &format!("the site cannot be read: {error}"),
        )
        .with(header::RETRY_AFTER, "5")
    })
}

/// The preview of `label`, opened if need be, or the reply that says why there is none.
pub(super) async fn visit(slot: &Arc<SiteSlot>, label: &str) -> Result<Arc<Preview>, Refusal> {
    let nothing = || {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-ref",
            "no branch, tag or commit of the site is called so",
        )
    };
    if !slot.settings.previews {
        return Err(nothing());
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
            tracing::error!(
                site = slot.id,
                "the preview {label} cannot be opened: {why}"
            );
            Err(Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "site-not-ready",
                "the repository of the site cannot be read",
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
        &format!("only {names} is served here"),
    )
    .with(header::ALLOW, &names)
}

/// The client that sent a request: behind a proxy of this machine the one that the proxy names.
fn client(peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
    let peer = peer.ip().to_canonical();
    let named = headers.get_all("x-forwarded-for").iter().next_back();
    let named = named.and_then(|list| list.to_str().ok()?.rsplit(',').next());
    let named = named.and_then(|name| name.trim().parse().ok());
    named.filter(|_| peer.is_loopback()).unwrap_or(peer)
}

/// Whether a request comes from this machine. One that a proxy handed on does not, wherever the proxy is.
fn is_from_here(peer: SocketAddr, host: &str, headers: &HeaderMap) -> bool {
    let is_handed_on = [
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-real-ip",
        "via",
    ]
    .into_iter()
    .any(|name| headers.contains_key(name));
    let is_named_so = host == "localhost"
        || host.ends_with(".localhost")
        || host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|ip| ip.is_loopback())
        || host == "[::1]";
    peer.ip().to_canonical().is_loopback() && is_named_so && !is_handed_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_of_this_machine_names_its_clients() {
        let mut headers = HeaderMap::new();
        let named = "198.51.100.7, 192.0.2.9".parse().unwrap();
        headers.insert("x-forwarded-for", named);
        fn of(peer: &str, headers: &HeaderMap) -> String {
            client(peer.parse().unwrap(), headers).to_string()
        }
        assert_eq!(of("127.0.0.1:1", &headers), "192.0.2.9");
        // Others may say what they like.
        assert_eq!(of("203.0.113.5:1", &headers), "203.0.113.5");
        assert_eq!(of("[::ffff:203.0.113.5]:1", &headers), "203.0.113.5");
        headers.insert("x-forwarded-for", "unknown".parse().unwrap());
        assert_eq!(of("[::1]:1", &headers), "::1");
    }

    #[test]
    fn only_a_direct_client_of_this_machine_is_from_here() {
        let here: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let there: SocketAddr = "192.0.2.1:1".parse().unwrap();
        let none = HeaderMap::new();
        assert!(is_from_here(here, "localhost", &none));
        assert!(is_from_here(
            "[::ffff:127.0.0.1]:1".parse().unwrap(),
            "docs.localhost",
            &none
        ));
        assert!(!is_from_here(there, "localhost", &none));
        assert!(!is_from_here(here, "docs.example.org", &none));
        let mut proxied = HeaderMap::new();
        proxied.insert("x-forwarded-for", "192.0.2.1".parse().unwrap());
        assert!(!is_from_here(here, "localhost", &proxied));
    }
}
