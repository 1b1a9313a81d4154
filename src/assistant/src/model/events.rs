//! Reads server-sent events as their bytes arrive (HTML standard, section 9.2), up to a size.

/// Longest event, in bytes.
pub const MAX_EVENT: usize = 1 << 20;

/// An event that is longer than [`MAX_EVENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// Parser of a stream of events.
#[derive(Debug, Default)]
pub struct Events {
    /// The line that is not at its end.
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, which a line feed may belong to.
    is_returned: bool,
    /// Whether the first line was read, which may begin with a byte order mark.
    is_begun: bool,
    /// The data of the event that is not at its end.
    data: Option<String>,
}

impl Events {
    /// The data of the events that end in `bytes`, in their order.
    ///
    /// # Errors
    ///
    /// Returns that one is too long to be kept.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let was_returned = std::mem::replace(&mut self.is_returned, byte == b'\r');
            match byte {
                b'\n' if was_returned => {}
                b'\n' | b'\r' => self.end_line(&mut events)?,
                _ if self.line.len() >= MAX_EVENT => return Err(TooLong),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self, events: &mut Vec<String>) -> Result<(), TooLong> {
        let mut line = self.line.as_slice();
        if !std::mem::replace(&mut self.is_begun, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            events.extend(self.data.take());
        } else if let Some(value) = line.strip_prefix(b"data") {
            let value = match value {
                [] => Some(value),
                [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
                _ => None,
            };
            if let Some(value) = value {
                let value = String::from_utf8_lossy(value);
                match &mut self.data {
                    Some(data) if data.len() + value.len() >= MAX_EVENT => return Err(TooLong),
                    Some(data) => {
                        data.push('\n');
                        data.push_str(&value);
                    }
                    None => self.data = Some(value.into_owned()),
                }
            }
        }
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &[u8], expected: &[&str]) {
        for at in 0..=stream.len() {
            let mut events = Events::default();
            let mut found = events.push(&stream[..at]).unwrap();
            found.extend(events.push(&stream[at..]).unwrap());
            assert_eq!(found, expected, "cut at {at}");
        }
        let mut events = Events::default();
        let each = stream.chunks(1).map(|byte| events.push(byte).unwrap());
        assert_eq!(each.collect::<Vec<_>>().concat(), expected);
    }

    #[test]
    fn events_are_read_wherever_they_are_cut() {
        check(b"data: a\n\ndata:b\n\n", &["a", "b"]);
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check(b"data: a\r\rdata: b\r\r", &["a", "b"]);
        check("\u{feff}data: é – 日本\n\n".as_bytes(), &["é – 日本"]);
        check(
            b": kept alive\n\nevent: x\ndata: 1\ndata:  2\ndata\nid: 7\n\n",
            &["1\n 2\n"],
        );
        check(b"data: cut off", &[]);
        check(b"database: no\ndata: a\n", &[]);
        check(b"\n\n\ndata: \xff\n\n", &["\u{fffd}"]);
    }

    #[test]
    fn what_is_too_long_is_not_kept() {
        let mut events = Events::default();
        let line = vec![b'x'; 10 << 20];
        assert_eq!(events.push(&line), Err(TooLong));
        let mut events = Events::default();
        let lines = b"data: 0123456789abcdef\n".repeat(1 << 17);
        assert_eq!(events.push(&lines), Err(TooLong));
    }
}
