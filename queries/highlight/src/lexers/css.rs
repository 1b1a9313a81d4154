//! Stylesheets.

use super::*;

/// Stylesheets.
pub(crate) struct Css;

impl Highlighter for Css {
    fn spans(&self, code: &str) -> Spans {
        let bytes = code.as_bytes();
        let mut writer = SpanWriter::new(code);
        let (mut at, mut depth, mut in_value) = (0, 0usize, false);
        while at < bytes.len() {
            let byte = bytes[at];
            let is_name = |byte: u8| is_word(byte) || byte == b'-';
            if bytes[at..].starts_with(b"/*") {
                let end = memchr::memmem::find(&bytes[at..], b"*/")
                    .map_or(bytes.len(), |len| at + len + 2);
                writer.put(at..end, TokenKind::Comment);
                at = end;
            } else if matches!(byte, b'"' | b'\'') {
                let end = string_end(bytes, at).min(bytes.len());
                writer.put(at..end, TokenKind::String);
                at = end;
            } else if byte == b'@' {
                let end = run(bytes, at + 1, is_name);
                writer.put(at..end, TokenKind::Keyword);
                at = end;
            } else if in_value && (byte == b'#' || byte.is_ascii_digit()) {
                let end = run(bytes, at + 1, |byte| {
                    byte.is_ascii_alphanumeric() || b".%".contains(&byte)
                });
                writer.put(at..end, TokenKind::Number);
                at = end;
            } else if is_name(byte) || (!in_value && b".#&*".contains(&byte)) {
                let end = run(bytes, at + 1, is_name);
                let is_function = bytes.get(end) == Some(&b'(');
                let is_property =
                    depth > 0 && bytes.get(run(bytes, end, |byte| byte == b' ')) == Some(&b':');
                let kind = match (in_value, is_property) {
                    (true, _) if is_function => TokenKind::Function,
                    (true, _) => TokenKind::Plain,
                    (false, true) => TokenKind::Property,
                    (false, false) => TokenKind::Tag,
                };
                writer.put(at..end, kind);
                at = end;
            } else {
                match byte {
                    b'{' => (depth, in_value) = (depth + 1, false),
                    b'}' => (depth, in_value) = (depth.saturating_sub(1), false),
                    b';' => in_value = false,
                    b':' if depth > 0 => in_value = true,
                    _ => {}
                }
                writer.put(
                    at..at + 1,
                    if b"{}();:,".contains(&byte) {
                        TokenKind::Punctuation
                    } else {
                        TokenKind::Plain
                    },
                );
                at += 1;
            }
        }
        writer.spans
    }
}
