//! The playground's relay: `POST /_quire/relay`. The request is a line of JSON that says what to
//! send, and the body of that; the reply is a line of JSON that says what came, and the body of
//! that, part by part as it comes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use hyper::{Method, Response, StatusCode, header};
use queries::site::relay_origins;

use super::access;
use super::reply::{Body, BrokenOff, Refusal, set};
use super::router::{RequestContext, not_allowed, serving};
use super::stream;
use quire_engine::meter;
use quire_net::relay::{Answer, Fault, Relay, Ticket, Upload};
use quire_site::service::Service;
use quire_site::sites::HostMatch;

/// Path, on every site.
pub(super) const PATH: &str = "/_quire/relay";
/// Its methods.
pub(super) const METHODS: &[Method] = &[Method::POST];

/// Longest first line, in bytes.
const MAX_LINE: usize = 64 * 1024;
/// Time limit for draining the rest of a refused request, so that its sender reads the reply.
const DRAIN: Duration = Duration::from_secs(5);

/// The reply to a request for [`PATH`].
pub(super) async fn reply(
    relay: Option<&Arc<Relay>>,
    at: HostMatch,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let site = match &at {
        HostMatch::Site(slot) | HostMatch::Preview(slot, _) => slot.id.clone(),
        HostMatch::Machine | HostMatch::Unknown => return Err(nothing()),
    };
    let relay = relay.ok_or_else(nothing)?;
    if *context.method != Method::POST {
        return Err(not_allowed(METHODS));
    }
    let mut ticket = match enter(relay, &site, context, &body) {
        Ok(ticket) => ticket,
        Err(refused) => {
            relay.counters.ended(refused.code);
            return Err(refused.refusal);
        }
    };
    let service = match serving(at, context)
        .await
        .and_then(|site| site.ok_or_else(nothing))
    {
        Ok(service) => service,
        Err(refusal) => {
            ticket.ended("other");
            return Err(refusal);
        }
    };
    if service.handle().is_untrusted() {
        let message = "nobody has taken up what this preview shows: it sends no requests";
        ticket.ended("foreign-preview");
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "foreign-preview",
            message,
        ));
    }
    let mut body = Some(body);
    let mut revision = service.handle().revisions();
    let answer = tokio::select! {
        answer = exchange(relay, &service, &mut body) => answer,
        // Nobody who could say so is left either.
        _ = revision.wait_for(Option::is_none) => {
            let message = "the server stops; send the request again in a moment";
            Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", message))
        }
    };
    match answer {
        Ok(answer) => Ok(handed_on(&service, answer, ticket)),
        Err(refused) => {
            ticket.ended(refused.code);
            drop(ticket);
            if let Some(body) = body {
                drain(relay, body).await;
            }
            Err(refused.refusal)
        }
    }
}

fn nothing() -> Refusal {
    let message = "there is no relay here; send the request from where you are";
    Refusal::new(StatusCode::NOT_FOUND, "unknown-operation", message)
}

/// A refusal with its code, by which it is counted.
struct Refused {
    code: &'static str,
    refusal: Refusal,
}

impl Refused {
    fn new(status: StatusCode, code: &'static str, message: &str) -> Self {
        Self {
            code,
            // What is left of the body would be taken for the next request.
            refusal: Refusal::new(status, code, message).with(header::CONNECTION, "close"),
        }
    }

    /// A refusal that names what it is about.
    fn about(status: StatusCode, code: &'static str, message: &str, about: &str) -> Self {
        let refusal = Refusal::about(status, code, message, about);
        Self {
            code,
            refusal: refusal.with(header::CONNECTION, "close"),
        }
    }

    fn malformed(message: &str) -> Self {
        Self::about(
            StatusCode::BAD_REQUEST,
            "malformed-request",
            message,
            message,
        )
    }
}

/// Lets a request in that a page of this site sends, if its client did not send too many.
fn enter(
    relay: &Arc<Relay>,
    site: &str,
    context: &RequestContext<'_>,
    body: &Incoming,
) -> Result<Ticket, Refused> {
    let headers = context.headers;
    let is_marked = headers.get("quire-relay").is_some_and(|mark| mark == "1");
    if !is_marked || !access::is_from_own_page(headers, &context.target.authority) {
        return Err(Refused::new(
            StatusCode::FORBIDDEN,
            "cross-origin",
            "only the pages of this site send requests through it",
        ));
    }
    let media_type = headers.get(header::CONTENT_TYPE);
    if media_type.is_none_or(|media_type| media_type != "application/octet-stream") {
        return Err(Refused::malformed(
            "send `Content-Type: application/octet-stream`",
        ));
    }
    if body.size_hint().lower() > relay.limits.request + MAX_LINE as u64 {
        return Err(too_large(relay));
    }
    let admitted = relay.admit(context.client, site, Instant::now());
    admitted.map_err(|wait| {
        let message = "there are too many requests; wait a moment";
        let refused = Refused::new(StatusCode::TOO_MANY_REQUESTS, "relay-limit", message);
        Refused {
            refusal: refused.refusal.with(header::RETRY_AFTER, &wait.to_string()),
            ..refused
        }
    })
}

fn too_large(relay: &Relay) -> Refused {
    let most = relay.limits.request >> 20;
    let message = format!("the body is longer than {most} MiB");
    let status = StatusCode::PAYLOAD_TOO_LARGE;
    Refused::about(status, "body-too-large", &message, &most.to_string())
}

/// Reads what is to be sent, and sends it. A body that is not all there yet is taken out of `body`.
async fn exchange(
    relay: &Arc<Relay>,
    service: &Arc<Service>,
    body: &mut Option<Incoming>,
) -> Result<Answer, Refused> {
    let Some(incoming) = body else {
        return Err(Refused::malformed("the body is missing"));
    };
    let length = incoming.size_hint().exact();
    let start = Start::read(incoming, relay.limits.kept);
    let start = tokio::time::timeout(relay.limits.head_time, start).await;
    let start = start.map_err(|_| {
        let message = "the request did not come in time";
        Refused::new(StatusCode::REQUEST_TIMEOUT, "relay-timeout", message)
    })??;
    let length = length.map(|length| length.saturating_sub(start.line.len() as u64 + 1));
    if length.unwrap_or(start.body.len() as u64) > relay.limits.request {
        return Err(too_large(relay));
    }
    let asked = service.handle().clone();
    let origins =
        move || meter::in_background(|| asked.read(|db, site| relay_origins(db, site).clone()));
    let origins = tokio::task::spawn_blocking(origins).await;
    let Ok(Ok(origins)) = origins else {
        tracing::error!(
            site = service.handle().id(),
            "failed to read the origins of the API"
        );
        let (status, code) = (StatusCode::INTERNAL_SERVER_ERROR, "internal");
        let message = "the specifications of the site cannot be read";
        return Err(Refused::new(status, code, message));
    };
    let request = relay.check(&start.line, &origins).map_err(refused)?;
    let is_too_large = Arc::new(AtomicBool::new(false));
    let upload = match body.take().filter(|_| !start.is_all) {
        None => {
            let sent = start.body.len() as u64;
            relay.counters.sent.fetch_add(sent, Ordering::Relaxed);
            Upload::Whole(start.body)
        }
        Some(incoming) => Upload::Stream(reqwest::Body::wrap(Rest {
            relay: relay.clone(),
            bytes_left: relay.limits.request,
            length,
            first: Some(start.body),
            incoming,
            is_too_large: is_too_large.clone(),
        })),
    };
    let answer = relay.send(request, upload).await;
    answer.map_err(|fault| match is_too_large.load(Ordering::Relaxed) {
        true => too_large(relay),
        false => refused(fault),
    })
}

fn refused(fault: Fault) -> Refused {
    match fault {
        Fault::Malformed(why) => Refused::malformed(&why),
        Fault::Target(origin) => {
            let message = format!(
                "{origin} is no server of this API; whoever runs this site can allow it with `--relay-allow {origin}`"
            );
            Refused::about(StatusCode::FORBIDDEN, "relay-target", &message, &origin)
        }
        Fault::Address(host) => {
            let message = format!(
                "{host} is not at a public address; whoever runs this site can allow it with `--relay-allow ORIGIN`"
            );
            Refused::about(StatusCode::FORBIDDEN, "relay-address", &message, &host)
        }
        Fault::Unreachable(why) => {
            let message = format!("the API cannot be reached: {why}");
            Refused::about(StatusCode::BAD_GATEWAY, "relay-unreachable", &message, &why)
        }
        Fault::Timeout => {
            let message = "the API did not answer in time";
            Refused::new(StatusCode::GATEWAY_TIMEOUT, "relay-timeout", message)
        }
    }
}

/// The reply that hands `answer` on, part by part.
fn handed_on(service: &Service, mut answer: Answer, mut ticket: Ticket) -> Response<Body> {
    let revision = service.handle().revisions();
    let mut response = stream::handed_on(revision, |client| async move {
        let mut part = answer.line.clone();
        while client.send(part).await.is_ok() {
            part = match answer.part(&ticket.relay().counters).await {
                Ok(Some(part)) => part,
                Ok(None) => {
                    ticket.ended("answered");
                    return true;
                }
                Err(why) => {
                    tracing::debug!(?why, "a relayed response is broken off");
                    ticket.ended("broken");
                    return client.send(answer.ending(why)).await.is_ok();
                }
            };
        }
        false
    });
    set(
        &mut response,
        header::CONTENT_TYPE,
        "application/octet-stream",
    );
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// The first line of a request, and so much of the body behind it as is kept.
struct Start {
    line: Bytes,
    body: Bytes,
    /// Whether that is the whole body.
    is_all: bool,
}

impl Start {
    async fn read(incoming: &mut Incoming, limit: usize) -> Result<Self, Refused> {
        let mut bytes = BytesMut::new();
        let mut line: Option<Bytes> = None;
        let is_all = loop {
            let start = line
                .is_none()
                .then(|| memchr::memchr(b'\n', &bytes))
                .flatten();
            if let Some(end) = start {
                line = Some(bytes.split_to(end + 1).freeze().slice(..end));
            }
            if line.as_ref().map_or(bytes.len(), Bytes::len) > MAX_LINE {
                return Err(Refused::malformed("the first line is longer than 64 KiB"));
            }
            if line.is_some() && bytes.len() > limit {
                break false;
            }
            match incoming.frame().await {
                Some(Ok(frame)) => {
                    if let Some(data) = frame.data_ref() {
                        bytes.extend_from_slice(data);
                    }
                }
                Some(Err(_)) => return Err(Refused::malformed("the body ended too early")),
                None => break true,
            }
        };
        let line = line.ok_or_else(|| Refused::malformed("the first line has no end"))?;
        Ok(Self {
            line,
            body: bytes.freeze(),
            is_all,
        })
    }
}

/// A body that is sent on while it comes.
struct Rest {
    relay: Arc<Relay>,
    first: Option<Bytes>,
    incoming: Incoming,
    /// Number of bytes that may still come.
    bytes_left: u64,
    /// Length, if the sender gave it.
    length: Option<u64>,
    is_too_large: Arc<AtomicBool>,
}

impl Rest {
    fn count(&mut self, bytes: Bytes) -> Result<Frame<Bytes>, BrokenOff> {
        let Some(left) = self.bytes_left.checked_sub(bytes.len() as u64) else {
            self.is_too_large.store(true, Ordering::Relaxed);
            return Err(BrokenOff);
        };
        self.bytes_left = left;
        let sent = bytes.len() as u64;
        self.relay.counters.sent.fetch_add(sent, Ordering::Relaxed);
        Ok(Frame::data(bytes))
    }
}

impl hyper::body::Body for Rest {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(self.count(first)));
        }
        loop {
            let frame = Pin::new(&mut self.incoming).poll_frame(cx);
            let frame = match std::task::ready!(frame) {
                Some(Ok(frame)) => frame,
                Some(Err(_)) => return Poll::Ready(Some(Err(BrokenOff))),
                None => return Poll::Ready(None),
            };
            // Trailers are of the connection to the reader.
            if let Ok(bytes) = frame.into_data() {
                return Poll::Ready(Some(self.count(bytes)));
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

/// Reads what is left of a refused request for a while: a connection that is closed in the middle
/// of it discards the reply for a client that is still sending.
async fn drain(relay: &Relay, body: Incoming) {
    let most = usize::try_from(relay.limits.request).unwrap_or(usize::MAX);
    let mut body = Limited::new(body, most);
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    // What takes longer is closed.
    let _ = tokio::time::timeout(DRAIN, rest).await;
}
