//! Markup: tags, attributes, comments.

use super::*;

/// HTML, XML and their kin.
pub(crate) struct Markup;

impl Highlighter for Markup {
    fn spans(&self, code: &str) -> Spans {
        let bytes = code.as_bytes();
        let mut writer = SpanWriter::new(code);
        let mut at = 0;
        while let Some(len) = memchr::memchr(b'<', &bytes[at..]) {
            at += len;
            if bytes[at..].starts_with(b"<!--") {
                let end = memchr::memmem::find(&bytes[at..], b"-->")
                    .map_or(bytes.len(), |len| at + len + 3);
                writer.put(at..end, TokenKind::Comment);
                at = end;
            } else if matches!(bytes.get(at + 1), Some(b'!' | b'?')) {
                let end =
                    memchr::memchr(b'>', &bytes[at..]).map_or(bytes.len(), |len| at + len + 1);
                writer.put(at..end, TokenKind::Comment);
                at = end;
            } else if begins_element(bytes, at) {
                at = markup_tag(code, at, &mut writer);
            } else {
                at += 1;
            }
        }
        writer.spans
    }
}

/// Colors the tag at `at`; returns where it ends. Braces of expressions are left to the caller.
pub(super) fn markup_tag(code: &str, at: usize, writer: &mut SpanWriter) -> usize {
    let bytes = code.as_bytes();
    let open = if bytes.get(at + 1) == Some(&b'/') {
        at + 2
    } else {
        at + 1
    };
    writer.put(at..open, TokenKind::Punctuation);
    let mut at = run(bytes, open, |byte| is_word(byte) || b".-:".contains(&byte));
    writer.put(open..at, TokenKind::Tag);
    while at < bytes.len() {
        match bytes[at] {
            b'>' => {
                writer.put(at..at + 1, TokenKind::Punctuation);
                return at + 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'>') => {
                writer.put(at..at + 2, TokenKind::Punctuation);
                return at + 2;
            }
            b'=' => {
                writer.put(at..at + 1, TokenKind::Operator);
                at += 1;
            }
            b'"' | b'\'' => {
                let end = multiline_end(bytes, at + 1, if bytes[at] == b'"' { "\"" } else { "'" })
                    .min(bytes.len());
                writer.put(at..end, TokenKind::String);
                at = end;
            }
            b'{' => {
                let end = mdx::expression_len(&code[at..]).map_or(bytes.len(), |len| at + len);
                at = end;
            }
            b'<' => return at,
            byte if is_word(byte) || b"@:-".contains(&byte) => {
                let end = run(bytes, at, |byte| is_word(byte) || b"@:.-".contains(&byte));
                writer.put(at..end, TokenKind::Attribute);
                at = end;
            }
            _ => at += 1,
        }
    }
    at
}
