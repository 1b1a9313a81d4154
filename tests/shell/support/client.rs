//! HTTP/1.1 on a plain socket: what is sent is what the test says, and nothing is repaired on the way.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::PATIENCE;

/// One connection.
pub(crate) struct Connection {
    reader: BufReader<TcpStream>,
}

/// A reply, decoded from its framing but not from its encoding.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    #[track_caller]
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self::of(TcpStream::connect_timeout(&address, PATIENCE).expect("connect"))
    }

    #[track_caller]
    pub(crate) fn of(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a limit");
        Self {
            reader: BufReader::new(stream),
        }
    }

    /// Sends `bytes` as they are. The server may have closed already: then the reply tells why.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.reader.get_mut().write_all(bytes.as_ref());
    }

    /// Sends a proper request without a body.
    pub(crate) fn request(&mut self, method: &str, target: &str, headers: &[(&str, &str)]) {
        let mut request = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        self.send(request);
    }

    #[track_caller]
    pub(crate) fn get(&mut self, target: &str) -> Reply {
        self.request("GET", target, &[]);
        self.reply()
    }

    /// The next reply; it must come.
    #[track_caller]
    pub(crate) fn reply(&mut self) -> Reply {
        self.try_reply(false).expect("a reply")
    }

    /// The next reply to a HEAD request.
    #[track_caller]
    pub(crate) fn reply_to_head(&mut self) -> Reply {
        self.try_reply(true).expect("a reply")
    }

    /// The next reply; `None` when the connection is closed instead.
    #[track_caller]
    pub(crate) fn try_reply(&mut self, is_head: bool) -> Option<Reply> {
        let (status, headers) = self.try_head()?;
        let mut reply = Reply {
            status,
            headers,
            body: Vec::new(),
        };
        if is_head || status == 304 {
            return Some(reply);
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                reply.body.extend(chunk);
            }
        } else if let Some(length) = reply.header("content-length") {
            reply.body = vec![0; length.parse().expect("a length")];
            self.reader
                .read_exact(&mut reply.body)
                .expect("the whole body");
        }
        Some(reply)
    }

    /// The head of the next reply.
    #[track_caller]
    pub(crate) fn try_head(&mut self) -> Option<(u16, Vec<(String, String)>)> {
        let line = self.line()?;
        let status = line
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status line: {line:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line().expect("the whole head");
            match line.split_once(':') {
                Some((name, value)) => {
                    headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
                }
                None => return Some((status, headers)),
            }
        }
    }

    /// The next chunk of a body; `None` at its end.
    #[track_caller]
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = self.line().expect("the size of a chunk");
        let size = usize::from_str_radix(&size, 16).expect("a size");
        let mut bytes = vec![0; size + 2];
        self.reader.read_exact(&mut bytes).expect("a whole chunk");
        bytes.truncate(size);
        (size > 0).then_some(bytes)
    }

    /// Whether the server closes the connection without another word.
    #[track_caller]
    pub(crate) fn is_closed_by_server(&mut self) -> bool {
        self.line().is_none()
    }

    /// The next `count` bytes.
    #[track_caller]
    pub(crate) fn read(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.reader.read_exact(&mut bytes).expect("all of them");
        bytes
    }

    /// How many bytes come before the connection is closed.
    pub(crate) fn read_to_end(&mut self) -> usize {
        let mut buffer = vec![0; 64 << 10];
        let mut count = 0;
        // A reset is an end too.
        while let Ok(read @ 1..) = self.reader.read(&mut buffer) {
            count += read;
        }
        count
    }

    #[track_caller]
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("read a line: {error}"),
        }
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(of, _)| of == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body without its encoding.
    #[track_caller]
    pub(crate) fn decoded(&self) -> Vec<u8> {
        let mut decoded = Vec::new();
        match self.header("content-encoding") {
            None => return self.body.clone(),
            Some("gzip") => flate2::read::GzDecoder::new(&self.body[..]).read_to_end(&mut decoded),
            Some("br") => brotli::Decompressor::new(&self.body[..], 4096).read_to_end(&mut decoded),
            Some(other) => panic!("an encoding that was not asked for: {other}"),
        }
        .expect("a whole encoding");
        decoded
    }
}
