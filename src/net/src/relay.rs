//! The playground's relay: sends what a reader of the documentation asks for to the documented API,
//! because most APIs answer no browser on a page of another origin.
//!
//! It sends only to origins that the documents of the site name, only to public addresses, which
//! are checked where the connection is made, and with each redirect. An operator may allow more.
//! Nothing of a request is kept, and neither bodies nor header fields nor queries are logged.

mod counters;
mod redirect;
mod request;

use std::collections::BTreeSet;
use std::error::Error;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use queries::site::origin_covers;
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode, Url};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clients::{Buckets, Clients};
use crate::network::guard::{Network, NoAddress, NotPublic};
use crate::network::{Door, NotSent};
pub use counters::Counters;
use quire_settings::RelaySettings;
use quire_settings::relay::origin;
use request::Ask;

/// Longest to wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Maximum number of bytes passed on at once. Parts of larger chunks are copied: a slice would keep
/// the whole chunk in memory for as long as a slow reader takes.
const PART: usize = 16 << 10;
/// Maximum number of header fields of a response.
const MAX_FIELDS: usize = 1000;
/// Maximum number of redirects followed.
const REDIRECTS: usize = 3;

/// Limits of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest body of a request, in bytes.
    pub request: u64,
    /// Maximum number of body bytes kept to be sent again after a redirect. A longer body is
    /// streamed, and such a redirect is passed on to the reader.
    pub kept: usize,
    /// Longest body of a response, in bytes: a stream is broken off there.
    pub response: u64,
    /// Time limit from the reader's request to the header of the response.
    pub head_time: Duration,
    /// Longest that a response may say nothing.
    pub idle_time: Duration,
    /// Longest that a response may take as a whole.
    pub time: Duration,
    /// Longest that a response may take whose purpose is to go on: server-sent events, lines of
    /// JSON.
    pub stream_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: 10 << 20,
            kept: 256 << 10,
            response: 25 << 20,
            head_time: Duration::from_secs(60),
            idle_time: Duration::from_secs(60),
            time: Duration::from_secs(10 * 60),
            stream_time: Duration::from_secs(30 * 60),
        }
    }
}

/// Sends requests for readers.
pub struct Relay {
    /// Limits of a request.
    pub limits: Limits,
    /// Counters by outcome.
    pub counters: Counters,
    /// Reaches public addresses, and origins that the operator allows.
    door: Door,
    clients: Clients,
    sites: Buckets<String>,
    running: Arc<Semaphore>,
    at_once: usize,
}

/// The relay of a process, if it has one: another configuration puts another in its place. Requests that are on their way
/// end with the one that they began with.
#[derive(Default)]
pub struct CurrentRelay(RwLock<Option<Arc<Relay>>>);

impl CurrentRelay {
    /// The relay that requests are sent with now.
    pub fn get(&self) -> Option<Arc<Relay>> {
        let relay = self.0.read().unwrap_or_else(PoisonError::into_inner);
        relay.clone()
    }

    /// Puts `relay` in the place of the one before.
    pub fn set(&self, relay: Option<Arc<Relay>>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = relay;
    }
}

impl From<Option<Arc<Relay>>> for CurrentRelay {
    fn from(relay: Option<Arc<Relay>>) -> Self {
        Self(RwLock::new(relay))
    }
}

/// Leave to send one request; it is given back when dropped.
pub struct Ticket {
    relay: Arc<Relay>,
    client: IpAddr,
    outcome: &'static str,
    _running: OwnedSemaphorePermit,
}

impl Ticket {
    /// Records how the request ended; without a call it counts as cancelled.
    pub fn ended(&mut self, outcome: &'static str) {
        self.outcome = outcome;
    }

    /// The relay that gave it.
    pub fn relay(&self) -> &Relay {
        &self.relay
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.relay.counters.ended(self.outcome);
        self.relay.clients.leave(self.client);
    }
}

/// A request that may be sent.
pub struct CheckedRequest {
    ask: Ask,
    origin: String,
}

/// Why there is no response.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// The request is malformed.
    Malformed(String),
    /// No document of the site names this origin.
    Target(String),
    /// This host is not, or not only, at public addresses.
    Address(String),
    /// The server could not be reached.
    Unreachable(String),
    /// The answer did not come in time.
    Timeout,
}

/// The body of a request.
pub enum Upload {
    /// All of it.
    Whole(Bytes),
    /// Part of it is still to come.
    Stream(reqwest::Body),
}

impl Relay {
    /// The relay that `settings` describe, which must be right; none if they want none.
    pub fn of(settings: &RelaySettings) -> anyhow::Result<Option<Arc<Self>>> {
        settings.enabled.then(|| Self::new(settings)).transpose()
    }

    /// The relay that `settings` describe, which must be right.
    pub fn new(settings: &RelaySettings) -> anyhow::Result<Arc<Self>> {
        Self::with(settings, Limits::default(), Network::default())
    }

    /// A relay with limits of its own, in a network that may be that of a test.
    pub fn with(
        settings: &RelaySettings,
        limits: Limits,
        network: Network,
    ) -> anyhow::Result<Arc<Self>> {
        let allowed = settings.allow.iter().map(|allowed| origin(allowed));
        let allowed = allowed.collect::<anyhow::Result<_>>()?;
        let door = Door::new(network, allowed, |client| {
            client
                .connect_timeout(CONNECT)
                // Each request resolves the addresses again, and has a connection that nobody had
                // before.
                .pool_max_idle_per_host(0)
                .http1_only()
                // A page shows as many as a browser would.
                .http1_max_headers(MAX_FIELDS)
                // Nobody asks for it, and some send nothing else.
                .gzip(true)
        });
        Ok(Arc::new(Self {
            limits,
            counters: Counters::default(),
            door,
            clients: Clients::new(
                settings.requests_per_minute,
                Duration::from_secs(60),
                settings.client_requests,
            ),
            sites: Buckets::new(
                settings.site_requests_per_minute,
                Duration::from_secs(60),
                usize::MAX,
            ),
            running: Arc::new(Semaphore::new(settings.requests)),
            at_once: settings.requests,
        }))
    }

    /// Lets a request of `client` on the pages of `site` in, or says in how many seconds it may come again.
    pub fn admit(
        self: &Arc<Self>,
        client: IpAddr,
        site: &str,
        now: Instant,
    ) -> Result<Ticket, u64> {
        let running = self
            .running
            .clone()
            .try_acquire_owned()
            .map_err(|_| 1_u64)?;
        self.clients.enter(client, now)?;
        let site = site.to_owned();
        self.sites
            .enter(site.clone(), now)
            .inspect_err(|_| self.clients.leave(client))?;
        self.sites.leave(&site);
        Ok(Ticket {
            relay: self.clone(),
            client,
            outcome: "cancelled",
            _running: running,
        })
    }

    /// Number of requests in flight.
    pub fn in_flight(&self) -> usize {
        self.at_once - self.running.available_permits()
    }

    /// Parses and checks `line`, which must name one of the origins that the site names.
    pub fn check(&self, line: &[u8], allowed: &BTreeSet<String>) -> Result<CheckedRequest, Fault> {
        let ask = Ask::read(line)?;
        let origin = ask.url.origin().ascii_serialization();
        let is_allowed = self.door.allows(&ask.url);
        let is_named = |allowed: &String| {
            Url::parse(allowed).is_ok_and(|allowed| {
                origin_covers(&allowed.origin().ascii_serialization(), &origin)
            })
        };
        if !is_allowed && !allowed.iter().any(is_named) {
            return Err(Fault::Target(origin));
        }
        Ok(CheckedRequest { ask, origin })
    }

    /// Sends a request with `upload` as its body, and waits for the head of the response.
    pub async fn send(&self, request: CheckedRequest, upload: Upload) -> Result<Answer, Fault> {
        let began = Instant::now();
        let (method, origin) = (request.ask.method.clone(), request.origin);
        let sending = self.follow(request.ask, upload);
        let answer = match tokio::time::timeout(self.limits.head_time, sending).await {
            Ok(answer) => answer,
            Err(_) => Err(Fault::Timeout),
        };
        let status = answer.as_ref().map_or(0, |answer| answer.status.as_u16());
        let ms = began.elapsed().as_millis();
        tracing::debug!(%method, origin, status, ms, "relayed");
        answer
    }

    /// Sends a request, and those that redirects ask for instead of it.
    async fn follow(&self, ask: Ask, upload: Upload) -> Result<Answer, Fault> {
        let Ask {
            mut method,
            mut url,
            mut headers,
        } = ask;
        let (mut body, mut again) = match upload {
            Upload::Whole(bytes) => (complete_body(&bytes), Some(bytes)),
            Upload::Stream(stream) => (Some(stream), None),
        };
        let mut redirects = 0;
        loop {
            let has_body = body.is_some();
            let request = self.door.request(method.clone(), url.clone());
            let mut request = request.map_err(|not_sent| match not_sent {
                NotSent::NotPublic(NotPublic(host)) => Fault::Address(host),
                NotSent::NoClient(why) => Fault::Unreachable(why),
            })?;
            request = request.headers(headers.clone());
            match body.take() {
                Some(body) => request = request.body(body),
                // A recipient that expects a body need not guess (RFC 9110, 8.6).
                None if expects_body(&method) => {
                    request = request.header(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
                }
                None => {}
            }
            let response = request.send().await.map_err(fault)?;
            let location = response.headers().get(header::LOCATION);
            let location = location.and_then(|location| location.to_str().ok());
            let next = redirect::next(response.status(), location, &url, &method, has_body);
            let next = next.filter(|next| {
                redirects < REDIRECTS && (!next.keeps_body || !has_body || again.is_some())
            });
            let Some(next) = next else {
                return Ok(Answer::new(&self.limits, response, &url, redirects));
            };
            redirects += 1;
            if !next.keeps_body {
                again = None;
                for name in [header::CONTENT_TYPE, header::CONTENT_ENCODING] {
                    headers.remove(name);
                }
                for name in [header::CONTENT_LANGUAGE, header::CONTENT_LOCATION] {
                    headers.remove(name);
                }
            }
            body = again.as_ref().and_then(complete_body);
            (method, url) = (next.method, next.url);
        }
    }
}

/// A body that is all there; none if it is empty.
fn complete_body(bytes: &Bytes) -> Option<reqwest::Body> {
    (!bytes.is_empty()).then(|| bytes.clone().into())
}

fn expects_body(method: &Method) -> bool {
    matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "QUERY")
}

/// Error before a response. The message holds no address of the request.
fn fault(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    let mut cause: &(dyn Error + 'static) = &error;
    loop {
        if let Some(NotPublic(host)) = cause.downcast_ref() {
            return Fault::Address(host.clone());
        }
        if cause.is::<NoAddress>() {
            return Fault::Unreachable(format!("DNS: {cause}"));
        }
        if cause.is::<rustls::Error>() {
            return Fault::Unreachable(format!("TLS: {cause}"));
        }
        let of_io = cause.downcast_ref::<std::io::Error>();
        if of_io.is_some_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused) {
            return Fault::Unreachable("the connection was refused".to_owned());
        }
        // What an error of I/O is made of is not among its causes.
        let made_of = of_io.and_then(std::io::Error::get_ref);
        let made_of = made_of.map(|error| error as &(dyn Error + 'static));
        match made_of.or_else(|| cause.source()) {
            Some(source) => cause = source,
            None if error.is_timeout() => return Fault::Timeout,
            // The innermost cause says what went wrong.
            None => return Fault::Unreachable(cause.to_string()),
        }
    }
}

/// A response whose body is still to come.
pub struct Answer {
    /// Status.
    pub status: StatusCode,
    /// The line of JSON that tells about it, with its end.
    pub line: Bytes,
    response: Response,
    /// Begins what is said behind a body that has no proper end; no API knows it beforehand.
    mark: String,
    /// Received bytes that were not passed on yet.
    pending: Bytes,
    bytes_left: u64,
    /// Set when more came than may be handed on.
    is_over: bool,
    idle_time: Duration,
    ends: tokio::time::Instant,
}

/// Why a response has no proper end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseBreak {
    /// The response exceeds the size limit.
    TooLarge,
    /// Nothing for too long, or no end.
    TooSlow,
    /// The API, or the way there, broke off.
    Upstream,
}

impl ResponseBreak {
    /// Name by which a page knows it.
    fn code(self) -> &'static str {
        match self {
            Self::TooLarge => "too-large",
            Self::TooSlow => "too-slow",
            Self::Upstream => "broken",
        }
    }
}

impl Answer {
    fn new(limits: &Limits, response: Response, url: &Url, redirects: usize) -> Self {
        let time = match goes_on(response.headers()) {
            true => limits.stream_time,
            false => limits.time,
        };
        let status = response.status();
        let reason = response.extensions().get::<hyper::ext::ReasonPhrase>();
        let reason = match reason {
            Some(reason) => latin(reason.as_bytes()),
            None => status.canonical_reason().unwrap_or_default().to_owned(),
        };
        let mark = format!("\0{:016x}", fastrand::u64(..));
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| [name.to_string(), latin(value.as_bytes())]);
        let line = serde_json::json!({
            "status": status.as_u16(),
            "reason": reason,
            "url": url.as_str(),
            "headers": headers.collect::<Vec<_>>(),
            "redirects": redirects,
            // A reader whose stream is broken off there should know why.
            "limit": limits.response,
            "mark": mark,
        });
        Self {
            status,
            line: Bytes::from(format!("{line}\n")),
            pending: Bytes::new(),
            bytes_left: limits.response,
            is_over: false,
            idle_time: limits.idle_time,
            ends: tokio::time::Instant::now() + time,
            response,
            mark,
        }
    }

    /// Trailer of a body that ends because of `why`. Aborting the connection would discard what was
    /// received and not read yet.
    pub fn ending(&self, why: ResponseBreak) -> Bytes {
        Bytes::from(format!("{}{}", self.mark, why.code()))
    }

    /// The next part of the body; `None` at its end.
    pub async fn part(&mut self, counters: &Counters) -> Result<Option<Bytes>, ResponseBreak> {
        while self.pending.is_empty() {
            match self.chunk(counters).await? {
                Some(chunk) => self.pending = chunk,
                None => return Ok(None),
            }
        }
        let part = self.pending.split_to(self.pending.len().min(PART));
        Ok(Some(Bytes::copy_from_slice(&part)))
    }

    async fn chunk(&mut self, counters: &Counters) -> Result<Option<Bytes>, ResponseBreak> {
        if self.is_over {
            return Err(ResponseBreak::TooLarge);
        }
        let idle = tokio::time::Instant::now() + self.idle_time;
        let chunk = tokio::time::timeout_at(idle.min(self.ends), self.response.chunk()).await;
        let chunk = chunk.map_err(|_| ResponseBreak::TooSlow)?;
        let Some(mut chunk) = chunk.map_err(|_| ResponseBreak::Upstream)? else {
            return Ok(None);
        };
        // The reader gets what a response may have, and then learns that it had more.
        let most = usize::try_from(self.bytes_left).unwrap_or(usize::MAX);
        self.is_over = chunk.len() > most;
        chunk.truncate(most);
        self.bytes_left -= chunk.len() as u64;
        counters
            .received
            .fetch_add(chunk.len() as u64, Ordering::Relaxed);
        Ok(Some(chunk))
    }
}

/// Returns true if the response is a stream without an end (server-sent events, JSON lines).
fn goes_on(headers: &HeaderMap) -> bool {
    const STREAMS: [&str; 5] = [
        "text/event-stream",
        "application/x-ndjson",
        "application/jsonl",
        "application/json-seq",
        "application/stream+json",
    ];
    let media_type = headers.get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let media_type = media_type.unwrap_or_default().split(';').next();
    let media_type = media_type.unwrap_or_default().trim().to_ascii_lowercase();
    STREAMS.contains(&&*media_type)
}

/// The text of a field as browsers read it: each byte is a character.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
