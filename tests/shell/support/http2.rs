//! HTTP/2 on a plain socket: frames are what the test says (RFC 9113, 4.1).

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::PATIENCE;

/// What a client begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;

/// One connection.
pub(crate) struct Http2 {
    stream: TcpStream,
}

/// One frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) id: u32,
    pub(crate) payload: Vec<u8>,
}

impl Http2 {
    /// Begins on `stream` with these settings (number, value).
    #[track_caller]
    pub(crate) fn on(stream: TcpStream, settings: &[(u16, u32)]) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a limit");
        let mut this = Self { stream };
        let pair = |(name, value): &(u16, u32)| {
            [&name.to_be_bytes()[..], &value.to_be_bytes()[..]].concat()
        };
        let settings: Vec<u8> = settings.iter().flat_map(pair).collect();
        // The server may refuse it before it is all there.
        let _ = this.stream.write_all(PREFACE);
        this.send(SETTINGS, 0, 0, &settings);
        this
    }

    #[track_caller]
    pub(crate) fn open(address: SocketAddr, settings: &[(u16, u32)]) -> Self {
        Self::on(TcpStream::connect(address).expect("connect"), settings)
    }

    /// Sends a frame; the server may have closed already.
    pub(crate) fn send(&mut self, kind: u8, flags: u8, id: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len())
            .expect("a short one")
            .to_be_bytes();
        let mut frame = length[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(id.to_be_bytes());
        frame.extend(payload);
        let _ = self.stream.write_all(&frame);
    }

    /// Sends a whole request for `target` on the stream `id`.
    pub(crate) fn get(&mut self, id: u32, target: &str) {
        // `:method GET`, `:scheme http`, `:authority`, `:path` (RFC 7541, appendix A).
        let mut fields = vec![0x82, 0x86];
        for (name, value) in [(1, "localhost"), (4, target)] {
            fields.push(name);
            fields.push(u8::try_from(value.len()).expect("a short one"));
            fields.extend(value.as_bytes());
        }
        let (end_headers, end_stream) = (4, 1);
        self.send(HEADERS, end_headers | end_stream, id, &fields);
    }

    /// The next frame; `None` when the connection is closed.
    pub(crate) fn frame(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        self.stream.read_exact(&mut payload).ok()?;
        Some(Frame {
            kind: head[3],
            flags: head[4],
            id: u32::from_be_bytes([head[5], head[6], head[7], head[8]]),
            payload,
        })
    }

    /// Reads until a frame of `kind` comes; `None` when the connection is closed before.
    pub(crate) fn next(&mut self, kind: u8) -> Option<Frame> {
        std::iter::from_fn(|| self.frame()).find(|frame| frame.kind == kind)
    }

    /// The first byte of the field section of the reply on the stream `id`: 0x88 is 200.
    #[track_caller]
    pub(crate) fn status(&mut self, id: u32) -> u8 {
        loop {
            let frame = self.next(HEADERS).expect("a reply");
            if frame.id == id {
                return frame.payload[0];
            }
        }
    }
}
