//! The stream of a connection: it gives up when its client takes nothing for a while, and hands on no head which can be read
//! in two ways.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::activity::Activity;
use super::lines::Lines;

/// Input for the parser in place of a refused header: it ends every line and is part of none, so
/// the reply is 400.
const REFUSED: &[u8] = b"\0\r\n\r\n";

/// Connection preface of HTTP/2 (RFC 9113, 3.4). No HTTP/1 request begins with it.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Protocol of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// Reads from `stream` until it is known what is spoken there; returns that with what was read.
pub(super) async fn opening(stream: &mut TcpStream) -> io::Result<(Protocol, Vec<u8>)> {
    let mut read = Vec::with_capacity(PREFACE.len());
    loop {
        if !PREFACE.starts_with(&read) {
            return Ok((Protocol::Http1, read));
        }
        if read.len() == PREFACE.len() {
            return Ok((Protocol::Http2, read));
        }
        let rest = (PREFACE.len() - read.len()) as u64;
        let count = (&mut *stream).take(rest).read_buf(&mut read).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// A connection whose client has said so much as to tell what it speaks.
pub(super) struct Patient {
    stream: TcpStream,
    /// Bytes that were read ahead.
    read_ahead: Vec<u8>,
    lines: Lines,
    /// Rest of [`REFUSED`], once a header is refused.
    refused: Option<&'static [u8]>,
    /// Notified of writes, if all of them are replies: HTTP/2 writes other frames, too.
    activity: Option<Arc<Activity>>,
    write_time: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    pub(super) fn new(
        stream: TcpStream,
        read_ahead: Vec<u8>,
        activity: Option<Arc<Activity>>,
        write_time: Duration,
    ) -> Self {
        Self {
            stream,
            read_ahead,
            lines: Lines::default(),
            refused: None,
            activity,
            write_time,
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
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
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

    /// Notifies the activity of a write.
    fn note(&self, result: &Poll<io::Result<usize>>) {
        if let (Poll::Ready(Ok(1..)), Some(activity)) = (result, &self.activity) {
            activity.note();
        }
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
        let read = if this.read_ahead.is_empty() {
            Pin::new(&mut this.stream).poll_read(cx, buf)
        } else {
            let count = this.read_ahead.len().min(buf.remaining());
            buf.put_slice(&this.read_ahead[..count]);
            this.read_ahead.drain(..count);
            Poll::Ready(Ok(()))
        };
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
        self.note(&written);
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
        self.note(&written);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
