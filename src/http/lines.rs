//! The line ends of request heads. The parser takes a bare LF for a line end; a proxy in front may not, and then the two
//! see different requests (RFC 9112, 2.2). Here a bare LF becomes a NUL, which the parser refuses with 400.
//!
//! Bodies are passed by: their length is read from the head. After a body in chunks, or the preface of HTTP/2, nothing
//! more is looked at; the router ends a connection after a request with chunks.

/// Follows the bytes of one connection.
#[derive(Default)]
pub(super) struct Lines {
    at: At,
    line: Vec<u8>,
    body: u64,
    is_chunked: bool,
    is_first: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    #[default]
    Start,
    Head,
    Body,
    Unchecked,
}

/// How much of a line is kept: enough for the fields that tell the length of a body.
const KEPT: usize = 256;

impl Lines {
    /// Looks at the next `bytes` of the connection, and spoils what ends a line of a head without CR.
    pub(super) fn pass(&mut self, bytes: &mut [u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.at {
                At::Unchecked => return,
                At::Body => {
                    let skipped = usize::try_from(self.body)
                        .unwrap_or(usize::MAX)
                        .min(rest.len());
                    self.body -= skipped as u64;
                    rest = &mut rest[skipped..];
                    if self.body == 0 {
                        self.at = At::Start;
                    }
                }
                At::Start | At::Head => {
                    let (byte, after) = rest.split_first_mut().expect("it is not empty");
                    self.head_byte(byte);
                    rest = after;
                }
            }
        }
    }

    fn head_byte(&mut self, byte: &mut u8) {
        if self.at == At::Start {
            self.at = At::Head;
            self.is_first = true;
            self.is_chunked = false;
        }
        if *byte != b'\n' {
            if self.line.len() < KEPT || *byte == b'\r' {
                self.line.push(*byte);
            }
            return;
        }
        if self.line.pop() != Some(b'\r') {
            *byte = 0;
            self.at = At::Unchecked;
            return;
        }
        self.end_line();
        self.line.clear();
    }

    fn end_line(&mut self) {
        if self.line.is_empty() {
            // An empty line before a request is passed over (RFC 9112, 2.2).
            if !self.is_first {
                self.at = match (self.is_chunked, self.body) {
                    (true, _) => At::Unchecked,
                    (false, 0) => At::Start,
                    (false, _) => At::Body,
                };
            }
            return;
        }
        if std::mem::take(&mut self.is_first) {
            if self.line == b"PRI * HTTP/2.0" {
                self.at = At::Unchecked;
            }
            return;
        }
        let line = String::from_utf8_lossy(&self.line);
        let Some((name, value)) = line.split_once(':') else {
            return;
        };
        if name.eq_ignore_ascii_case("content-length") {
            self.body = value.trim().parse().unwrap_or(0);
        }
        self.is_chunked |= name.eq_ignore_ascii_case("transfer-encoding");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        for step in [1, 2, 7, text.len()] {
            let mut lines = Lines::default();
            let mut bytes = text.as_bytes().to_vec();
            for part in bytes.chunks_mut(step) {
                lines.pass(part);
            }
            assert_eq!(String::from_utf8_lossy(&bytes), expected, "by {step}");
        }
    }

    #[track_caller]
    fn check_untouched(text: &str) {
        check(text, text);
    }

    #[test]
    fn a_bare_line_feed_in_a_head_is_spoiled() {
        check(
            "GET / HTTP/1.1\nA: b\r\n\r\n",
            "GET / HTTP/1.1\0A: b\r\n\r\n",
        );
        check(
            "GET / HTTP/1.1\r\nA: b\n\r\n",
            "GET / HTTP/1.1\r\nA: b\0\r\n",
        );
        check(
            "GET / HTTP/1.1\r\nA: b\r\n\n",
            "GET / HTTP/1.1\r\nA: b\r\n\0",
        );
    }

    #[test]
    fn the_next_head_on_the_connection_is_looked_at_too() {
        check(
            "GET / HTTP/1.1\r\n\r\n\r\nGET /a HTTP/1.1\r\nA: b\nC: d",
            "GET / HTTP/1.1\r\n\r\n\r\nGET /a HTTP/1.1\r\nA: b\0C: d",
        );
        check(
            "POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n\n\n\nGET / HTTP/1.1\n",
            "POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n\n\n\nGET / HTTP/1.1\0",
        );
    }

    #[test]
    fn bodies_and_frames_are_passed_by() {
        check_untouched("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n{\n}\nGET / HTTP/1.1\r\n\r\n");
        check_untouched(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n0\r\n\r\n",
        );
        check_untouched("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n");
    }
}
