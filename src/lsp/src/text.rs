//! Positions of the protocol in texts, in the encoding that client and server agreed on.

use std::ops::Range;

use line_index::{LineCol, LineIndex, TextSize, WideEncoding, WideLineCol};
use lsp_types::{Position, PositionEncodingKind, TextDocumentContentChangeEvent};
use queries::base::place::Located;

/// Unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// The one that every client knows.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// Returns the cheapest of the encodings that a client offers.
    pub(crate) fn choose(offered: &[PositionEncodingKind]) -> Self {
        if offered.contains(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if offered.contains(&PositionEncodingKind::UTF16) {
            Self::Utf16
        } else if offered.contains(&PositionEncodingKind::UTF32) {
            Self::Utf32
        } else {
            Self::default()
        }
    }

    /// Name of the encoding in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the width of `text` in units of this encoding.
    fn width(self, text: &str) -> u32 {
        let width = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
        };
        width as u32
    }

    fn wide(self) -> Option<WideEncoding> {
        match self {
            Self::Utf8 => None,
            Self::Utf16 => Some(WideEncoding::Utf16),
            Self::Utf32 => Some(WideEncoding::Utf32),
        }
    }
}

/// A text with the offsets of its lines.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    text: String,
    lines: LineIndex,
    encoding: Encoding,
}

impl Text {
    pub(crate) fn new(text: String, encoding: Encoding) -> Self {
        let lines = LineIndex::new(&text);
        Self {
            text,
            lines,
            encoding,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the byte offset of `position`, moved into the line if it is beyond the end of it.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let Some(line) = self.lines.line(position.line) else {
            return self.text.len();
        };
        let (start, end) = (usize::from(line.start()), usize::from(line.end()));
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        let column = match self.encoding.wide() {
            None => position.character,
            Some(wide) => {
                let at = WideLineCol {
                    line: position.line,
                    col: position.character,
                };
                // Beyond the end of the line it comes to more than the line, or to nothing.
                let at = self.lines.to_utf8(wide, at);
                at.map_or(u32::MAX, |at| at.col)
            }
        };
        let mut offset = start + (column as usize).min(line.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// Returns the position of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let LineCol { line, col } = self.lines.line_col(TextSize::new(offset as u32));
        let start = offset - col as usize;
        Position::new(line, self.encoding.width(&self.text[start..offset]))
    }

    /// Returns the range of the protocol of a range of bytes.
    pub(crate) fn range(&self, range: Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(self.position(range.start), self.position(range.end))
    }

    /// Returns the range of a finding.
    pub(crate) fn located(&self, located: &Located) -> lsp_types::Range {
        let Located { column, width, .. } = *located;
        self.columns(located.line, column..column + width)
    }

    /// Returns the range of columns, in characters from 1, of a line, from 1.
    pub(crate) fn columns(&self, line: u32, columns: Range<u32>) -> lsp_types::Range {
        let number = line.saturating_sub(1);
        let Some(line) = self.lines.line(number) else {
            return self.range(self.text.len()..self.text.len());
        };
        let line = &self.text[usize::from(line.start())..usize::from(line.end())];
        let line = line.trim_end_matches(['\n', '\r']);
        let at = |column: u32| {
            let before = line.char_indices().nth(column.saturating_sub(1) as usize);
            let end = before.map_or(line.len(), |(at, _)| at);
            Position::new(number, self.encoding.width(&line[..end]))
        };
        lsp_types::Range::new(at(columns.start), at(columns.end))
    }

    /// Takes a change of the client, of a range or of all of it.
    pub(crate) fn change(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None => self.text = change.text,
            Some(range) => {
                let start = self.offset(range.start);
                let end = self.offset(range.end).max(start);
                self.text.replace_range(start..end, &change.text);
            }
        }
        self.lines = LineIndex::new(&self.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "a\u{e9}\u{1f600}b\r\nsecond\n\nlast";

    #[test]
    fn offsets_and_positions_agree_in_each_encoding() {
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let text = Text::new(SAMPLE.to_owned(), encoding);
            for (offset, _) in SAMPLE.char_indices().filter(|(_, c)| *c != '\n') {
                let position = text.position(offset);
                assert_eq!(text.offset(position), offset, "{encoding:?} {position:?}");
            }
        }
    }

    #[test]
    fn columns_are_counted_in_the_units_of_the_encoding() {
        let columns = [
            (Encoding::Utf8, 7),
            (Encoding::Utf16, 4),
            (Encoding::Utf32, 3),
        ];
        for (encoding, column) in columns {
            let text = Text::new(SAMPLE.to_owned(), encoding);
            let at = SAMPLE.find('b').expect("it is there");
            assert_eq!(text.position(at), Position::new(0, column));
        }
    }

    #[test]
    fn positions_beyond_the_text_end_in_it() {
        let text = Text::new(SAMPLE.to_owned(), Encoding::Utf16);
        let end_of_first = SAMPLE.find('\r').expect("it is there");
        assert_eq!(text.offset(Position::new(0, 99)), end_of_first);
        assert_eq!(text.offset(Position::new(99, 0)), SAMPLE.len());
    }

    #[test]
    fn changes_are_taken_in_their_order() {
        let mut text = Text::new("one\ntwo\n".to_owned(), Encoding::Utf16);
        let change = |from: (u32, u32), to: (u32, u32), text: &str| {
            let position = |(line, column)| Position::new(line, column);
            TextDocumentContentChangeEvent {
                range: Some(lsp_types::Range::new(position(from), position(to))),
                range_length: None,
                text: text.to_owned(),
            }
        };
        text.change(change((0, 3), (1, 0), " "));
        text.change(change((0, 7), (0, 7), "\nthree"));
        assert_eq!(text.as_str(), "one two\nthree\n");
        text.change(TextDocumentContentChangeEvent {
            range: None,
            range_length: None,
            text: "all".to_owned(),
        });
        assert_eq!(text.as_str(), "all");
    }
}
