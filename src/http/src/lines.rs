//! Refuses heads of requests that the parser accepts and a proxy in front may read differently, so
//! that the two would see different requests (request smuggling; RFC 9112, 2.2 and 6.1): a line
//! that ends with a bare LF, and a length given in two ways.
//!
//! Bodies are skipped: their length is read from the head. After a body in chunks, or the preface
//! of HTTP/2, nothing more is checked; the router ends a connection after a request with chunks.

/// Follows the bytes of one connection.
#[derive(Default)]
pub(super) struct Lines {
    at: At,
    /// Beginning of the current line, without its end.
    line: Vec<u8>,
    /// The byte before the current one.
    last: u8,
    is_request_line: bool,
    length: Option<u64>,
    is_chunked: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    /// Before the first byte of a head.
    #[default]
    Start,
    Head,
    /// Inside a body, with this number of bytes left.
    Body(u64),
    Unchecked,
}

/// Number of bytes kept of a line: enough for the fields that give the length of a body.
const KEPT: usize = 256;

impl Lines {
    /// Checks the next `bytes` of the connection. An error is the index of the first refused byte.
    pub(super) fn check(&mut self, bytes: &[u8]) -> Result<(), usize> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match self.at {
                At::Unchecked => return Ok(()),
                // In a body LF is data, so it must not be scanned.
                At::Body(rest) => {
                    let here = (bytes.len() - at) as u64;
                    if here < rest {
                        self.at = At::Body(rest - here);
                        return Ok(());
                    }
                    // The body ends within these bytes, and the next head may begin in them, too.
                    at += rest as usize;
                    self.at = At::Start;
                }
                At::Start | At::Head => {
                    self.head_byte(*byte).map_err(|()| at)?;
                    at += 1;
                }
            }
        }
        Ok(())
    }

    fn head_byte(&mut self, byte: u8) -> Result<(), ()> {
        if self.at == At::Start {
            *self = Self {
                at: At::Head,
                is_request_line: true,
                ..Self::default()
            };
        }
        if byte != b'\n' {
            if self.line.len() < KEPT {
                self.line.push(byte);
            }
            self.last = byte;
            return Ok(());
        }
        if std::mem::take(&mut self.last) != b'\r' {
            return Err(());
        }
        let mut line = std::mem::take(&mut self.line);
        line.pop_if(|byte| *byte == b'\r');
        if line.is_empty() {
            return self.end_of_head();
        }
        if std::mem::take(&mut self.is_request_line) {
            // Frames of HTTP/2 have no lines.
            if line == b"PRI * HTTP/2.0" {
                self.at = At::Unchecked;
            }
            return Ok(());
        }
        let line = String::from_utf8_lossy(&line);
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name.eq_ignore_ascii_case("content-length") {
            // The parser refuses an invalid length, so its value here does not matter.
            self.length = Some(value.trim().parse().unwrap_or(0));
        }
        self.is_chunked |= name.eq_ignore_ascii_case("transfer-encoding");
        Ok(())
    }

    fn end_of_head(&mut self) -> Result<(), ()> {
        self.at = match (self.is_request_line, self.is_chunked, self.length) {
            // An empty line before a request is skipped (RFC 9112, 2.2).
            (true, ..) => At::Head,
            (false, true, None) => At::Unchecked,
            // The parser goes by the chunks, a proxy may go by the length.
            (false, true, Some(_)) => return Err(()),
            (false, false, Some(length @ 1..)) => At::Body(length),
            (false, false, _) => At::Start,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that `text` is refused after `accepted`, however it is cut into pieces.
    #[track_caller]
    fn check(text: &str, accepted: Option<&str>) {
        for step in [1, 2, 7, text.len()] {
            let mut lines = Lines::default();
            let mut refused = None;
            for (i, part) in text.as_bytes().chunks(step).enumerate() {
                if let Err(at) = lines.check(part) {
                    refused = Some(i * step + at);
                    break;
                }
            }
            assert_eq!(refused.map(|at| &text[..at]), accepted, "by {step}");
        }
    }

    #[test]
    fn a_bare_line_feed_in_a_head_is_refused() {
        check("GET / HTTP/1.1\nA: b\r\n\r\n", Some("GET / HTTP/1.1"));
        check(
            "GET / HTTP/1.1\r\nA: b\n\r\n",
            Some("GET / HTTP/1.1\r\nA: b"),
        );
        check("GET / HTTP/1.1\r\n\n", Some("GET / HTTP/1.1\r\n"));
        // In a line of any length, whatever stands in it.
        for length in [1, KEPT - 4, KEPT - 3, KEPT - 2, KEPT, 2 * KEPT] {
            for tail in ["b", "\rb", "\r\r\rb"] {
                let head = format!("GET / HTTP/1.1\r\nA: {}{tail}", "a".repeat(length));
                check(&format!("{head}\n\r\n"), Some(&head));
                check(&format!("{head}\r\n\r\n"), None);
            }
        }
    }

    #[test]
    fn a_length_told_in_two_ways_is_refused() {
        for (one, other) in [
            ("Content-Length: 5", "Transfer-Encoding: chunked"),
            ("transfer-encoding: chunked", "content-length: 0"),
        ] {
            let head = format!("POST / HTTP/1.1\r\n{one}\r\n{other}\r\n\r");
            check(&format!("{head}\nhello"), Some(&head));
        }
    }

    #[test]
    fn the_next_head_on_the_connection_is_looked_at_too() {
        check(
            "GET / HTTP/1.1\r\n\r\n\r\nGET /a HTTP/1.1\r\nA: b\nC: d",
            Some("GET / HTTP/1.1\r\n\r\n\r\nGET /a HTTP/1.1\r\nA: b"),
        );
        check(
            "POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n\n\n\nGET / HTTP/1.1\n",
            Some("POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n\n\n\nGET / HTTP/1.1"),
        );
    }

    #[test]
    fn bodies_and_frames_are_passed_by() {
        check(
            "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n{\n}\nGET / HTTP/1.1\r\n\r\n",
            None,
        );
        check(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n0\r\n\r\n",
            None,
        );
        check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n", None);
    }
}
