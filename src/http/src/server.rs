//! The accept loop: connections are counted per client, and those over the limit are refused at
//! once; headers must arrive in time, replies must be read in time, and a stop lets running
//! requests end.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response, StatusCode, header};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::activity::Activity;
use super::gate::MAX_HEADERS;
use super::patient::{Patient, Protocol, opening};
use super::refused::{self, ConnectionPurpose, HeldConnections};
use super::reply::{Body, Refusal, full, set};
use super::router::{Peer, Router};
use super::shares::{NoShare, Share, Shares};
use quire_net::clients::network;
use quire_storage::allocator as memory;

/// Limits of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections of one client.
    pub client_connections: usize,
    /// Maximum number of HTTP/2 connections, each of which carries many requests.
    pub http2_connections: usize,
    /// Maximum number of HTTP/2 connections of one client.
    pub client_http2_connections: usize,
    /// Maximum number of event streams.
    pub event_streams: usize,
    /// Maximum number of event streams of one client.
    pub client_event_streams: usize,
    /// Number of additional connections for health checks.
    pub health: usize,
    /// Number of additional connections that are examined before they are refused; four times as
    /// many are refused unseen, and kept until they leave.
    pub refusals: usize,
    /// Time limit of a request header.
    pub header_time: Duration,
    /// Idle timeout of a connection.
    pub idle_time: Duration,
    /// Time limit for a client that reads nothing of a pending reply.
    pub write_time: Duration,
    /// Grace period for running requests after a stop.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            client_connections: 64,
            http2_connections: 256,
            client_http2_connections: 16,
            event_streams: 512,
            client_event_streams: 32,
            health: 16,
            refusals: 64,
            header_time: Duration::from_secs(5),
            idle_time: Duration::from_secs(60),
            write_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(10),
        }
    }
}

impl Limits {
    /// The limits of a listener of `connections`, all of which one client may have.
    #[must_use]
    pub fn of_administrators(self, connections: usize) -> Self {
        Self {
            connections,
            client_connections: connections,
            http2_connections: connections,
            client_http2_connections: connections,
            event_streams: connections / 2,
            client_event_streams: connections / 2,
            ..self
        }
    }
}

/// Largest header of a request, in bytes.
const MAX_HEADER_BYTES: usize = 32 * 1024;

/// Time limit for a refused client to leave.
const LEAVING: Duration = Duration::from_secs(5);

/// Number of waiting connections per connection that is examined.
pub const HELD: usize = 4;

/// Grace period for connections without a request after a stop.
const UNASKED: Duration = Duration::from_secs(1);

/// Maximum pending connections; the kernel caps it at `net.core.somaxconn`.
const BACKLOG: u32 = 4096;

/// Interval of log lines about refused connections.
const SAID_AFTER: Duration = Duration::from_secs(10);

/// Binds a listener with a backlog for bursts: a full backlog drops the first packet, which clients
/// resend after a second.
///
/// # Errors
///
/// Fails if the address is in use or not local.
pub fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // A restart does not wait for the last connections of the process before it.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` is done; then lets running requests and streams end, within the time that
/// `limits` give them.
pub async fn serve(
    listener: TcpListener,
    router: Arc<Router>,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let (stopping, stopped) = watch::channel(false);
    let server = Arc::new(Server {
        router,
        connections: Shares::new(limits.connections, limits.client_connections),
        http2: Shares::new(limits.http2_connections, limits.client_http2_connections),
        // One client must not make health checks of the others fail.
        health: Shares::new(limits.health, limits.health.div_ceil(4)),
        streams: Shares::new(limits.event_streams, limits.client_event_streams),
        // An HTTP/2 connection carries many requests, each of which may hold a file open.
        requests: Shares::new(2 * limits.connections, 2 * limits.client_connections),
        refusals: Arc::new(Semaphore::new(limits.refusals)),
        limits,
    });
    let mut stop = std::pin::pin!(stop);
    let mut refusals = Refusals::default();
    let mut retained = HeldConnections::new(HELD * limits.refusals);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, most likely. The pause lets other connections end;
                    // without it the loop would spin, since the connection stays in the backlog.
                    tracing::warn!("failed to accept a connection: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = retained.expire() => continue,
            () = &mut stop => break,
        };
        // Pages are sent whole; waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let client = server.router.proxies.limited(peer.ip()).map(network);
        match server.connections.take(client) {
            Ok(share) => {
                let (server, stopped) = (server.clone(), stopped.clone());
                tokio::spawn(server.converse(stream, peer, client, share, stopped));
            }
            Err(why) => {
                refusals.count(why, peer.ip(), server.connections.in_use());
                match server.refusals.clone().try_acquire_owned() {
                    Ok(permit) => {
                        let (server, stopped) = (server.clone(), stopped.clone());
                        tokio::spawn(async move {
                            server.refuse(stream, peer, client, stopped).await;
                            drop(permit);
                        });
                    }
                    // Refused without reading its request, and without a task that waits for it to
                    // leave.
                    Err(_) => retained.tell(stream),
                }
            }
        }
    }
    drop(listener);
    // `closed` below returns once every connection has dropped its receiver; this one would keep it
    // waiting.
    drop(stopped);
    stopping.send_replace(true);
    // Streams to open pages have no end of their own.
    server.router.sites.end_streams();
    let ended = tokio::time::timeout(limits.stop_time, stopping.closed()).await;
    if ended.is_err() {
        tracing::warn!("closed connections that did not finish before the shutdown timeout");
    }
}

/// Connections refused since the last log line.
#[derive(Default)]
struct Refusals {
    count: u64,
    last_report: Option<Instant>,
}

impl Refusals {
    /// Counts one, and logs the count at most once per [`SAID_AFTER`].
    fn count(&mut self, why: NoShare, last: IpAddr, open: usize) {
        self.count += 1;
        let is_new = |last_report: Instant| last_report.elapsed() >= SAID_AFTER;
        if self.last_report.is_none_or(is_new) {
            let refused = std::mem::take(&mut self.count);
            let limit = match why {
                NoShare::Total => "limits.connections",
                NoShare::Client => "limits.client_connections",
            };
            tracing::warn!(refused, open, %last, limit, "connection limit reached; refusing connections");
            self.last_report = Some(Instant::now());
        }
    }
}

/// One listener with the state that its connections share.
struct Server {
    router: Arc<Router>,
    connections: Arc<Shares>,
    http2: Arc<Shares>,
    health: Arc<Shares>,
    streams: Arc<Shares>,
    requests: Arc<Shares>,
    refusals: Arc<Semaphore>,
    limits: Limits,
}

impl Server {
    /// Serves the connection of `peer`, which holds `share` until its end.
    async fn converse(
        self: Arc<Self>,
        mut stream: TcpStream,
        peer: SocketAddr,
        client: Option<IpAddr>,
        share: Share,
        mut stopped: watch::Receiver<bool>,
    ) {
        // The protocol is determined before hyper reads anything: connections of HTTP/2 have limits
        // of their own, as each carries many requests.
        let opened = tokio::select! {
            opened = tokio::time::timeout(self.limits.header_time, opening(&mut stream)) => opened,
            // It has not sent a request.
            () = until_stopped(&mut stopped) => return,
        };
        // A client that sends nothing, or goes away, gets no reply.
        let Ok(Ok((protocol, begun))) = opened else {
            return;
        };
        let http2 = match protocol {
            Protocol::Http1 => None,
            Protocol::Http2 => match self.http2.take(client) {
                Ok(share) => Some(share),
                Err(_) => {
                    // Its place is free for others while it leaves.
                    drop(share);
                    if let Ok(_permit) = self.refusals.clone().try_acquire_owned() {
                        refused::leave(stream, ConnectionPurpose::Http2).await;
                    }
                    return;
                }
            },
        };
        let keep_alive = KeepAlive::Yes;
        self.exchange(stream, begun, peer, protocol, keep_alive, stopped)
            .await;
        drop((share, http2));
    }

    /// Refuses a client, unless it asks for health.
    async fn refuse(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        client: Option<IpAddr>,
        stopped: watch::Receiver<bool>,
    ) {
        let purpose = refused::peek_purpose(&stream).await;
        // One request per connection: the few places for health checks are soon free again.
        if purpose == ConnectionPurpose::Health
            && let Ok(_share) = self.health.take(client)
        {
            let (begun, protocol) = (Vec::new(), Protocol::Http1);
            return self
                .exchange(stream, begun, peer, protocol, KeepAlive::No, stopped)
                .await;
        }
        refused::leave(stream, purpose).await;
    }

    /// Answers the requests of a connection until it ends or is idle.
    async fn exchange(
        &self,
        stream: TcpStream,
        read_ahead: Vec<u8>,
        peer: SocketAddr,
        protocol: Protocol,
        keep_alive: KeepAlive,
        mut stopped: watch::Receiver<bool>,
    ) {
        let limits = self.limits;
        let activity = Activity::new();
        let mut builder = protocols(limits);
        builder.http1().keep_alive(keep_alive == KeepAlive::Yes);
        // With HTTP/1 every write is part of a reply, so it shows that the client reads. HTTP/2
        // also writes other frames: there the parts of replies are counted when they are taken.
        let (builder, written) = match protocol {
            Protocol::Http1 => (builder.http1_only(), Some(activity.clone())),
            Protocol::Http2 => (builder.http2_only(), None),
        };
        let io = TokioIo::new(Patient::new(stream, read_ahead, written, limits.write_time));
        let peer = Peer {
            address: peer,
            streams: self.streams.clone(),
            requests: self.requests.clone(),
            limited: self.router.proxies.limited(peer.ip()).map(network),
        };
        let service = answering(self.router.clone(), peer, activity.clone());
        let mut connection = std::pin::pin!(builder.serve_connection(io, service));
        let ended = tokio::select! {
            ended = connection.as_mut() => Some(ended),
            () = activity.ended(limits.idle_time, limits.write_time) => {
                connection.as_mut().graceful_shutdown();
                // A reply that is still pending then is dropped with the connection.
                tokio::time::timeout(LEAVING.min(limits.idle_time), connection.as_mut()).await.ok()
            }
            () = until_stopped(&mut stopped) => {
                connection.as_mut().graceful_shutdown();
                // `serve` limits the wait for running requests; connections without one end sooner.
                tokio::select! {
                    ended = connection.as_mut() => Some(ended),
                    () = activity.ended(UNASKED, limits.write_time) => None,
                }
            }
        };
        // A client that goes away or sends nonsense is not our fault.
        if let Some(Err(error)) = ended {
            tracing::debug!("connection: {error}");
        }
        memory::note_activity();
    }
}

/// Returns when the server stops.
async fn until_stopped(stopped: &mut watch::Receiver<bool>) {
    // The sender is gone only with the server.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Reuse of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeepAlive {
    Yes,
    No,
}

/// Serves one connection of the Unix socket.
pub async fn serve_one(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    router: Arc<Router>,
    limits: Limits,
) {
    let nobody = Peer {
        address: SocketAddr::from(([127, 0, 0, 1], 0)),
        streams: Shares::new(1, 1),
        requests: Shares::new(usize::MAX, usize::MAX),
        limited: None,
    };
    let service = answering(router, nobody, Activity::new());
    let builder = protocols(limits);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!("socket: {error}");
    }
}

fn protocols(limits: Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_headers(MAX_HEADERS + 16)
        .max_buf_size(MAX_HEADER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(64)
        // Bodies that are not read yet: only requests to the relay have large ones.
        .initial_stream_window_size(64 * 1024)
        .initial_connection_window_size(256 * 1024)
        .max_send_buf_size(64 * 1024)
        .max_header_list_size(MAX_HEADER_BYTES as u32)
        // Finds clients that are gone; those that answer and ask for nothing are not found so.
        .keep_alive_interval(Duration::from_secs(30));
    builder
}

/// The reply to a client with too many unread replies. With HTTP/2 (`in_parts`) it has no body: a
/// client that lets none be sent (RFC 9113, 6.9.2) would make the server buffer each of them.
fn too_many(in_parts: bool) -> Response<Body> {
    if in_parts {
        let mut reply = Response::new(full(""));
        *reply.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        set(&mut reply, header::RETRY_AFTER, "2");
        set(&mut reply, header::CACHE_CONTROL, "no-store");
        return reply;
    }
    let refusal = Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "too-many-open-requests",
        "too many responses are not being read; retry later",
    );
    refusal.with(header::RETRY_AFTER, "2").into()
}

/// Answers the requests of the client at `peer`.
fn answering(
    router: Arc<Router>,
    peer: Peer,
    activity: Arc<Activity>,
) -> impl Service<
    Request<Incoming>,
    Response = Response<Body>,
    Error = Infallible,
    Future: Send + 'static,
> + Clone
+ Send
+ 'static {
    service_fn(move |request| {
        let (router, peer, ongoing) = (router.clone(), peer.clone(), activity.begin());
        // Held until the reply is read to its end: a client that does not read runs out of shares.
        let share = peer.requests.take(peer.limited);
        async move {
            let (process, began) = (router.process.clone(), Instant::now());
            let in_parts = request.version() == hyper::Version::HTTP_2;
            let reply = match &share {
                Err(_) if !refused::is_health(request.uri().path()) => too_many(in_parts),
                _ => router.reply(request, peer).await,
            };
            let status = reply.status().as_u16();
            process.requests.record(status, began.elapsed());
            Ok(ongoing.watch(reply, share.ok(), in_parts))
        }
    })
}
