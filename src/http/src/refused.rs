//! Connections that are too many: they are told so in the words of what they speak, and closed. Nothing that they say is
//! parsed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::patient::PREFACE;

/// The reply to HTTP/1.
const REPLY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
content-type: application/json; charset=utf-8\r\n\
content-length: 88\r\n\
retry-after: 2\r\n\
cache-control: no-store\r\n\
connection: close\r\n\
\r\n\
{\"error\":{\"code\":\"too-many-connections\",\"message\":\"too many connections; retry later\"}}\n";

/// The reply to HTTP/2: empty SETTINGS, which come first (RFC 9113, 3.4), and GOAWAY of stream 0 with ENHANCE_YOUR_CALM: none
/// of its requests was looked at, and each may be sent again.
const GOAWAY: &[u8] = b"\0\0\0\x04\0\0\0\0\0\
\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x0b";

/// Time limit for the first bytes of a client, which it sends with the connection.
const SAYING: Duration = Duration::from_millis(20);
/// Time limit for the client to close its end. Closing here before all it sends is read would lose
/// the reply.
const LEAVING: Duration = Duration::from_secs(1);
/// Maximum number of bytes read from the client until then.
const MAX_DRAINED: usize = 64 << 10;

/// Purpose of a connection over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionPurpose {
    /// A health check.
    Health,
    /// Something else, or nothing as yet.
    Http1,
    Http2,
}

/// The paths that tell how the process is.
const HEALTH: [&str; 3] = ["/_quire/livez", "/_quire/healthz", "/_quire/readyz"];

/// Returns true if `path` is a health check.
pub(super) fn is_health(path: &str) -> bool {
    HEALTH.contains(&path)
}

/// Purpose of a connection, by its first bytes, which are not consumed.
pub(super) async fn peek_purpose(stream: &TcpStream) -> ConnectionPurpose {
    let mut buffer = [0; 64];
    let peeked = tokio::time::timeout(SAYING, stream.peek(&mut buffer)).await;
    let Ok(Ok(count)) = peeked else {
        return ConnectionPurpose::Http1;
    };
    let buffer = &buffer[..count];
    if count > 0 && PREFACE.starts_with(&buffer[..count.min(PREFACE.len())]) {
        return ConnectionPurpose::Http2;
    }
    let target = buffer.strip_prefix(b"GET ");
    let target = target.or_else(|| buffer.strip_prefix(b"HEAD "));
    let is_health = target.is_some_and(|target| {
        let mut paths = HEALTH.iter();
        paths.any(|path| {
            target
                .strip_prefix(path.as_bytes())
                .is_some_and(|rest| rest.starts_with(b" "))
        })
    });
    match is_health {
        true => ConnectionPurpose::Health,
        false => ConnectionPurpose::Http1,
    }
}

/// Sends a refusal, and waits a moment until the client leaves.
pub(super) async fn leave(mut stream: TcpStream, purpose: ConnectionPurpose) {
    let reply = match purpose {
        ConnectionPurpose::Http2 => GOAWAY,
        ConnectionPurpose::Health | ConnectionPurpose::Http1 => REPLY,
    };
    let leaving = async {
        stream.write_all(reply).await?;
        stream.shutdown().await?;
        let (mut buffer, mut read) = ([0; 4096], 0);
        while read < MAX_DRAINED {
            match stream.read(&mut buffer).await? {
                0 => break,
                count => read += count,
            }
        }
        std::io::Result::Ok(())
    };
    // Whoever is gone needs no reply.
    let _ = tokio::time::timeout(LEAVING, leaving).await;
}

/// Connections that were told to leave without being looked at. They are kept for a moment: one that is closed before all that
/// its client sends is read loses the reply (RFC 9293, 3.6.1: a reset).
pub(super) struct HeldConnections {
    connections: VecDeque<(Instant, TcpStream)>,
    capacity: usize,
}

impl HeldConnections {
    /// Keeps so many at most.
    pub(super) fn new(most: usize) -> Self {
        Self {
            connections: VecDeque::new(),
            capacity: most,
        }
    }

    /// Sends a refusal that fits what the client has sent so far, without waiting. The oldest of
    /// too many refused connections is closed.
    pub(super) fn tell(&mut self, stream: TcpStream) {
        let begun = drain(&stream);
        let is_http2 = !begun.is_empty() && PREFACE.starts_with(&begun);
        let reply = if is_http2 { GOAWAY } else { REPLY };
        // Not by the runtime, which does not know yet that a connection just accepted takes something. Whoever is gone needs
        // no reply.
        let _ = send(&stream, reply, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
        let _ = shutdown(&stream, Shutdown::Write);
        self.connections
            .push_back((Instant::now() + LEAVING, stream));
        if self.connections.len() > self.capacity {
            self.close_first();
        }
    }

    /// Closes those whose time is over, once it is over for one.
    pub(super) async fn expire(&mut self) {
        let Some((until, _)) = self.connections.front() else {
            return std::future::pending().await;
        };
        tokio::time::sleep_until((*until).into()).await;
        while self
            .connections
            .front()
            .is_some_and(|(until, _)| *until <= Instant::now())
        {
            self.close_first();
        }
    }

    fn close_first(&mut self) {
        if let Some((_, stream)) = self.connections.pop_front() {
            drain(&stream);
        }
    }
}

/// Reads what a client has sent, up to a bound; returns how it begins.
fn drain(stream: &TcpStream) -> Vec<u8> {
    let (mut buffer, mut read, mut begun) = ([0; 4096], 0, Vec::new());
    while read < MAX_DRAINED {
        let taken = recv(stream, &mut buffer[..], RecvFlags::DONTWAIT);
        let Ok((_, count @ 1..)) = taken else { break };
        if read == 0 {
            begun.extend_from_slice(&buffer[..count.min(PREFACE.len())]);
        }
        read += count;
    }
    begun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_says_how_long_it_is() {
        let text = std::str::from_utf8(REPLY).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = format!("content-length: {}\r\n", body.len());
        assert!(head.contains(&length), "{length}");
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["error"]["code"], "too-many-connections");
    }
}
