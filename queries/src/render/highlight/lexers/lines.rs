//! What is read line by line: messages of HTTP, patches.

use super::*;

/// A request or a response of HTTP.
pub(in crate::render::highlight) struct Http;

impl Highlighter for Http {
    fn spans(&self, code: &str) -> Spans {
        let mut pen = Pen::new(code);
        let mut at = 0;
        for (index, line) in code.split_inclusive('\n').enumerate() {
            let text = line.trim_end();
            if index == 0 {
                let word = text.find(' ').unwrap_or(text.len());
                let is_method = text[..word].bytes().all(|byte| byte.is_ascii_uppercase());
                pen.put(
                    at..at + word,
                    if is_method {
                        TokenKind::Keyword
                    } else {
                        TokenKind::Constant
                    },
                );
                if let Some(version) = text.rfind("HTTP/").filter(|version| *version >= word) {
                    pen.put(at + version..at + text.len(), TokenKind::Constant);
                }
            } else if let Some(colon) = text
                .find(':')
                .filter(|colon| text[..*colon].bytes().all(|b| is_word(b) || b == b'-'))
            {
                pen.put(at..at + colon, TokenKind::Property);
                pen.put(at + colon..at + colon + 1, TokenKind::Punctuation);
                pen.put(at + colon + 1..at + text.len(), TokenKind::String);
            }
            at += line.len();
        }
        pen.spans
    }
}

/// A patch.
pub(in crate::render::highlight) struct Diff;

impl Highlighter for Diff {
    fn spans(&self, code: &str) -> Spans {
        let mut pen = Pen::new(code);
        let mut at = 0;
        for line in code.split_inclusive('\n') {
            let text = line.trim_end_matches('\n');
            let kind = match text.as_bytes().first() {
                Some(b'+') => TokenKind::Inserted,
                Some(b'-') => TokenKind::Deleted,
                Some(b'@') => TokenKind::Tag,
                _ => TokenKind::Plain,
            };
            pen.put(at..at + text.len(), kind);
            at += line.len();
        }
        pen.spans
    }
}
