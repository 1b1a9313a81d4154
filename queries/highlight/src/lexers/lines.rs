//! Lexers of line-based formats: messages of HTTP, patches.

use super::*;

/// A request or a response of HTTP.
pub(crate) struct Http;

impl Highlighter for Http {
    fn spans(&self, code: &str) -> Spans {
        let mut writer = SpanWriter::new(code);
        let mut at = 0;
        for (index, line) in code.split_inclusive('\n').enumerate() {
            let text = line.trim_end();
            if index == 0 {
                let word = text.find(' ').unwrap_or(text.len());
                let is_method = text[..word].bytes().all(|byte| byte.is_ascii_uppercase());
                writer.put(
                    at..at + word,
                    if is_method {
                        TokenKind::Keyword
                    } else {
                        TokenKind::Constant
                    },
                );
                if let Some(version) = text.rfind("HTTP/").filter(|version| *version >= word) {
                    writer.put(at + version..at + text.len(), TokenKind::Constant);
                }
            } else if let Some(colon) = text
                .find(':')
                .filter(|colon| text[..*colon].bytes().all(|b| is_word(b) || b == b'-'))
            {
                writer.put(at..at + colon, TokenKind::Property);
                writer.put(at + colon..at + colon + 1, TokenKind::Punctuation);
                writer.put(at + colon + 1..at + text.len(), TokenKind::String);
            }
            at += line.len();
        }
        writer.spans
    }
}

/// A patch.
pub(crate) struct Diff;

impl Highlighter for Diff {
    fn spans(&self, code: &str) -> Spans {
        let mut writer = SpanWriter::new(code);
        let mut at = 0;
        for line in code.split_inclusive('\n') {
            let text = line.trim_end_matches('\n');
            let kind = match text.as_bytes().first() {
                Some(b'+') => TokenKind::Inserted,
                Some(b'-') => TokenKind::Deleted,
                Some(b'@') => TokenKind::Tag,
                _ => TokenKind::Plain,
            };
            writer.put(at..at + text.len(), kind);
            at += line.len();
        }
        writer.spans
    }
}
