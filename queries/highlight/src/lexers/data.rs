//! Data: JSON, YAML, TOML and their kin.

use super::*;

/// Data of keys and values: JSON, YAML, TOML.
pub(crate) struct Data {
    /// Between key and value.
    pub(crate) separator: u8,
    pub(crate) comment: &'static str,
    pub(crate) is_json: bool,
}

impl Highlighter for Data {
    fn spans(&self, code: &str) -> Spans {
        let bytes = code.as_bytes();
        let mut writer = SpanWriter::new(code);
        let mut at = 0;
        let mut begins_line = true;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte == b'\n' {
                begins_line = true;
                at += 1;
            } else if byte.is_ascii_whitespace() {
                at += 1;
            } else if bytes[at..].starts_with(self.comment.as_bytes())
                && (at == 0 || !is_word(bytes[at - 1]))
            {
                let end = line_end(bytes, at);
                writer.put(at..end, TokenKind::Comment);
                at = end;
            } else if matches!(byte, b'"' | b'\'') {
                let end = string_end(bytes, at).min(bytes.len());
                let next = run(bytes, end, |byte| byte == b' ');
                let is_key = bytes.get(next) == Some(&self.separator);
                writer.put(
                    at..end,
                    if is_key {
                        TokenKind::Property
                    } else {
                        TokenKind::String
                    },
                );
                (at, begins_line) = (end, false);
            } else if !self.is_json && self.separator == b'=' && byte == b'[' && begins_line {
                let end = line_end(bytes, at);
                let end = memchr::memrchr(b']', &bytes[at..end]).map_or(end, |len| at + len + 1);
                writer.put(at..end, TokenKind::Tag);
                (at, begins_line) = (end, false);
            } else if is_word(byte)
                || (byte == b'-' && bytes.get(at + 1).is_some_and(|next| is_word(*next)))
            {
                at = self.word(code, at, begins_line, &mut writer);
                begins_line = false;
            } else {
                let kind = match byte {
                    b'=' => TokenKind::Operator,
                    b'{' | b'}' | b'[' | b']' | b',' | b':' => TokenKind::Punctuation,
                    b'-' if begins_line => TokenKind::Punctuation,
                    b'&' | b'*' | b'!' | b'|' | b'>' if !self.is_json => TokenKind::Operator,
                    _ => TokenKind::Plain,
                };
                writer.put(at..at + 1, kind);
                begins_line &= byte == b'-';
                at += 1;
            }
        }
        writer.spans
    }
}

impl Data {
    /// A bare word: a key, a number, a constant, or text to the end of its line.
    fn word(&self, code: &str, at: usize, begins_line: bool, writer: &mut SpanWriter) -> usize {
        let bytes = code.as_bytes();
        let end = floor(
            code,
            run(bytes, at, |byte| is_word(byte) || b"-./$".contains(&byte)),
        );
        let next = run(bytes, end, |byte| byte == b' ');
        let follows = bytes.get(next) == Some(&self.separator)
            && (self.separator == b'=' || bytes.get(next + 1).is_none_or(u8::is_ascii_whitespace));
        if follows && (begins_line || self.is_json) {
            writer.put(at..end, TokenKind::Property);
            return end;
        }
        let word = &code[at..end];
        let is_number = word
            .trim_start_matches('-')
            .starts_with(|c: char| c.is_ascii_digit())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte))
            && word.parse::<f64>().is_ok();
        if is_number {
            writer.put(at..end, TokenKind::Number);
        } else if matches!(
            word,
            "true" | "false" | "null" | "True" | "False" | "yes" | "no" | "on" | "off"
        ) {
            writer.put(at..end, TokenKind::Constant);
        } else if !self.is_json && self.separator == b':' && !begins_line {
            // A value without quotes goes to the end of its line or to a comment.
            let line = line_end(bytes, at);
            let stop = memchr::memmem::find(&bytes[at..line], b" #").map_or(line, |len| at + len);
            let text = code[at..stop].trim_end();
            if !text.contains([',', ']', '}']) {
                writer.put(at..at + text.len(), TokenKind::String);
                return at + text.len();
            }
        }
        end.max(at + 1)
    }
}
