//! The accept loop: connections are counted, headers must come in time, replies must be taken in time, and a stop lets
//! running requests end.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::Sleep;

use super::gate::MAX_HEADERS;
use super::lines::Lines;
use super::reply::Body;
use super::router::Router;

/// What connections may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most connections at once.
    pub connections: usize,
    /// How long the header of a request may take.
    pub header_time: Duration,
    /// How long a client may take nothing of a reply that waits for it.
    pub write_time: Duration,
    /// How long running requests may go on after a stop.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            header_time: Duration::from_secs(5),
            write_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(10),
        }
    }
}

/// Largest header of a request, in bytes.
const MAX_HEADER_BYTES: usize = 32 * 1024;

/// Serves until `stop` is done; then lets running requests and streams end, within the time that `limits` give them.
pub async fn serve(
    listener: TcpListener,
    router: Arc<Router>,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let builder = protocols(limits);
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(limits.connections));
    let mut stop = std::pin::pin!(stop);
    loop {
        // Above the limit connections wait in the kernel's queue.
        let permit = tokio::select! {
            permit = permits.clone().acquire_owned() => permit,
            () = &mut stop => break,
        };
        let Ok(permit) = permit else { break };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, most likely: others will be given back.
                    tracing::warn!("accepting a connection: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        // Pages are sent whole; waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(Patient::new(stream, limits));
        let service = answering(router.clone(), peer);
        let connection = graceful.watch(builder.serve_connection(io, service).into_owned());
        tokio::spawn(async move {
            // A client that goes away or sends nonsense is no fault of ours.
            if let Err(error) = connection.await {
                tracing::debug!("connection: {error}");
            }
            drop(permit);
        });
    }
    drop(listener);
    // Streams to open pages have no end of their own.
    router.sites.end_streams();
    let ended = tokio::time::timeout(limits.stop_time, graceful.shutdown()).await;
    if ended.is_err() {
        tracing::warn!("some connections did not end in time and were cut");
    }
}

/// Serves one connection that is no TCP one: that of a client of the socket.
pub async fn serve_one(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    router: Arc<Router>,
    limits: Limits,
) {
    let nobody = SocketAddr::from(([127, 0, 0, 1], 0));
    let (builder, service) = (protocols(limits), answering(router, nobody));
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
        .max_send_buf_size(64 * 1024)
        .max_header_list_size(MAX_HEADER_BYTES as u32)
        .keep_alive_interval(Duration::from_secs(30));
    builder
}

/// Answers the requests of the client at `peer`.
fn answering(
    router: Arc<Router>,
    peer: SocketAddr,
) -> impl Service<
    Request<Incoming>,
    Response = Response<Body>,
    Error = Infallible,
    Future: Send + 'static,
> + Clone
+ Send
+ 'static {
    service_fn(move |request| {
        let router = router.clone();
        async move {
            let (process, began) = (router.process.clone(), Instant::now());
            let reply = router.reply(request, peer).await;
            let status = reply.status().as_u16();
            process.requests.record(status, began.elapsed());
            Ok(reply)
        }
    })
}

/// What the parser is given instead of a head that is refused: it ends every line and is part of none, so the reply is 400.
const REFUSED: &[u8] = b"\0\r\n\r\n";

/// How many bytes tell the protocols apart. The parser has no limit of time before it has seen them.
const OPENING: usize = 24;

/// A connection that gives up when its client says nothing at first, or takes nothing for a while, and that hands on no
/// head which can be read in two ways.
struct Patient {
    stream: TcpStream,
    lines: Lines,
    /// What is left of [`REFUSED`], once a head is refused.
    refused: Option<&'static [u8]>,
    /// How much was read, and until when there must be [`OPENING`] bytes.
    opening: Option<(usize, Pin<Box<Sleep>>)>,
    write_time: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, limits: Limits) -> Self {
        Self {
            stream,
            lines: Lines::default(),
            refused: None,
            opening: Some((0, Box::pin(tokio::time::sleep(limits.header_time)))),
            write_time: limits.write_time,
            stalled: None,
        }
    }

    fn refuse(&mut self, buf: &mut ReadBuf<'_>) {
        let rest = self.refused.unwrap_or(REFUSED);
        let (now, later) = rest.split_at(rest.len().min(buf.remaining()));
        buf.put_slice(now);
        self.refused = Some(later);
    }

    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let write_time = self.write_time;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(write_time)));
        stalled
            .as_mut()
            .poll(cx)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.refused.is_some() {
            this.refuse(buf);
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buf);
        if let Some((count, deadline)) = &mut this.opening {
            *count += buf.filled().len() - before;
            if *count >= OPENING {
                this.opening = None;
            } else if read.is_pending() && deadline.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        if let Err(at) = this.lines.check(&buf.filled()[before..]) {
            buf.set_filled(before + at);
            this.refuse(buf);
        }
        read
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
