//! Places in a user's files, and how they become a line and a column.
//!
//! A query result never holds a byte offset or a line number: those change with every keystroke above them and would
//! wake every reader. It holds a [`Place`], an address that survives edits elsewhere in the file. The façade turns it
//! into a [`Located`] at the very end, from the text as it is then.

use serde::{Deserialize, Serialize};

use crate::path::SitePath;

/// An address in one of the user's files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// The file as a whole.
    File(SitePath),
    /// A node of a JSON or YAML document (or of a page's frontmatter), by its RFC 6901 pointer.
    Pointer {
        /// The file.
        path: SitePath,
        /// The pointer, `""` for the whole document.
        pointer: String,
        /// The key or the value.
        part: Part,
    },
    /// A range of text, by its block of non-blank lines.
    Block {
        /// The file.
        path: SitePath,
        /// Index of the maximal run of non-blank lines, from 0.
        block: u32,
        /// The line in that block, counted from 0.
        line: u32,
        /// The column in that line in characters, counted from 0.
        column: u32,
        /// Width in characters; at least 1.
        width: u32,
    },
}

/// Half of a member of an object that a [`Place::Pointer`] refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Part {
    /// The key (name) of the member.
    Key,
    /// The value of the member.
    Value,
}

impl Place {
    /// The file the place is in.
    pub fn path(&self) -> &SitePath {
        match self {
            Self::File(path) | Self::Pointer { path, .. } | Self::Block { path, .. } => path,
        }
    }

    /// Returns true if the place is a node of a document at `pointer` or below it.
    pub fn is_within(&self, pointer: &str) -> bool {
        let Self::Pointer { pointer: own, .. } = self else {
            return false;
        };
        let rest = own.strip_prefix(pointer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The value at `pointer` of `path`.
    pub fn value(path: &SitePath, pointer: impl Into<String>) -> Self {
        Self::Pointer {
            path: path.clone(),
            pointer: pointer.into(),
            part: Part::Value,
        }
    }

    /// The key of the member at `pointer` of `path`.
    pub fn key(path: &SitePath, pointer: impl Into<String>) -> Self {
        Self::Pointer {
            path: path.clone(),
            pointer: pointer.into(),
            part: Part::Key,
        }
    }

    /// The place of the byte range `at..at + len` of `text`, which is the whole content of `path`.
    pub fn in_text(path: &SitePath, text: &str, at: usize, len: usize) -> Self {
        BlockIndex::new(text).place(path, text, at, len)
    }
}

/// The line number of a line that is in no block.
const BLANK: u32 = u32::MAX;

/// Starts of the blocks of a text; turns byte offsets into [`Place::Block`]. Lives only while a
/// file is parsed.
pub struct BlockIndex {
    /// Byte offset, block, and line in that block, of each line.
    lines: Vec<(usize, u32, u32)>,
}

impl BlockIndex {
    /// Indexes `text` in one pass.
    pub fn new(text: &str) -> Self {
        let mut lines = Vec::new();
        let (mut block, mut line_in_block, mut offset) = (0u32, 0u32, 0);
        let mut in_block = false;
        for line in self::lines(text) {
            if line.trim().is_empty() {
                if in_block {
                    block += 1;
                    line_in_block = 0;
                }
                in_block = false;
                lines.push((offset, block, BLANK));
            } else {
                in_block = true;
                lines.push((offset, block, line_in_block));
                line_in_block += 1;
            }
            offset += line.len();
        }
        if lines.is_empty() {
            lines.push((0, 0, 0));
        }
        Self { lines }
    }

    /// The place of the byte range `at..at + len`; the width is cut at the end of the line.
    pub fn place(&self, path: &SitePath, text: &str, at: usize, len: usize) -> Place {
        let at = at.min(text.len());
        let index = self
            .lines
            .partition_point(|(start, _, _)| *start <= at)
            .saturating_sub(1);
        let (start, block, line) = self.lines[index];
        let line = if line == BLANK { 0 } else { line };
        let rest = &text[floor_char(text, at)..];
        let rest = rest.split('\n').next().unwrap_or("").trim_end_matches('\r');
        let width = rest[..floor_char(rest, len.min(rest.len()))]
            .chars()
            .count()
            .max(1);
        let column = text[start..floor_char(text, at)].chars().count();
        Place::Block {
            path: path.clone(),
            block,
            line,
            column: column as u32,
            width: width as u32,
        }
    }

    /// The byte range of `text` that a [`Place::Block`] with these members names, and its length; `None` if it is gone.
    pub fn span(
        &self,
        text: &str,
        (block, line): (u32, u32),
        (column, width): (u32, u32),
    ) -> Option<(usize, usize)> {
        let start = self.offset(block, line)?;
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let skip = |from: usize, n: u32| {
            text[from..end]
                .char_indices()
                .nth(n as usize)
                .map_or(end, |(i, _)| from + i)
        };
        let from = skip(start, column);
        Some((from, skip(from, width) - from))
    }

    /// The byte offset where line `line` of block `block` begins.
    fn offset(&self, block: u32, line: u32) -> Option<usize> {
        // The blank lines before a block have its number; its own lines are consecutive, in order.
        let first =
            (self.lines).partition_point(|(_, b, l)| *b < block || (*b == block && *l == BLANK));
        let (start, b, l) = self.lines.get(first + line as usize)?;
        (*b == block && *l == line).then_some(*start)
    }
}

/// The largest character boundary of `text` that is not beyond `at`.
fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A place as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// The file.
    pub path: SitePath,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Number of characters to underline; at least 1.
    pub width: u32,
    /// The text of the line, without its line ending; of a long one the part around the column.
    pub source_line: String,
    /// Number of characters of the line before `source_line`.
    pub cut: u32,
}

/// Maximum number of characters of a line shown before a place and after it: the line may be a
/// whole document.
const SHOWN: (usize, usize) = (200, 400);

impl Located {
    /// The byte range `at..at + len` of `text`, the present content of `path`.
    pub fn of_span(path: &SitePath, text: &str, at: usize, len: usize) -> Self {
        let at = floor_char(text, at);
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..]
            .find('\n')
            .map_or(text.len(), |newline| at + newline);
        let covered = &text[at..floor_char(text, (at + len).min(end)).max(at)];
        let before = text[start..at].char_indices().rev().nth(SHOWN.0 - 1);
        let from = before.map_or(start, |(i, _)| start + i);
        let after = text[at..end].char_indices().nth(SHOWN.1);
        let to = after.map_or(end, |(i, _)| at + i);
        Self {
            path: path.clone(),
            line: memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count() as u32 + 1,
            column: text[start..at].chars().count() as u32 + 1,
            width: covered.chars().count().max(1) as u32,
            source_line: text[from..to].trim_end_matches('\r').to_owned(),
            cut: text[start..from].chars().count() as u32,
        }
    }
}

/// The lines of `text`, their endings included.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_span(
        text: &str,
        block: u32,
        line: u32,
        column: u32,
        width: u32,
    ) -> Option<(usize, usize)> {
        BlockIndex::new(text).span(text, (block, line), (column, width))
    }

    #[test]
    fn a_block_place_survives_edits_elsewhere() {
        let path = SitePath::new("a.mdx").unwrap();
        let before = "one\n\ntwo wrong\nthree\n";
        let place = Place::in_text(&path, before, before.find("wrong").unwrap(), 5);
        let after = "one and more\n\n\n\ntwo wrong\nthree\n";
        let Place::Block {
            block,
            line,
            column,
            width,
            ..
        } = place
        else {
            panic!("a place in text is a block")
        };
        let (at, len) = block_span(after, block, line, column, width).unwrap();
        let located = Located::of_span(&path, after, at, len);
        assert_eq!((located.line, located.column, located.width), (5, 5, 5));
        assert_eq!(located.source_line, "two wrong");
    }

    #[test]
    fn of_a_line_without_end_only_a_part_is_shown() {
        let path = SitePath::new("a.json").unwrap();
        let text = format!("{}wrong{}\n", "ä".repeat(10_000), "b".repeat(10_000));
        let at = text.find("wrong").unwrap();
        let located = Located::of_span(&path, &text, at, 5);
        assert_eq!((located.column, located.cut), (10_001, 9_800));
        let shown: Vec<char> = located.source_line.chars().collect();
        assert_eq!(shown.len(), 600);
        assert_eq!(shown[200..205], ['w', 'r', 'o', 'n', 'g']);
    }

    #[test]
    fn a_block_that_is_gone_has_no_span() {
        assert_eq!(block_span("a\n", 1, 0, 0, 1), None);
        assert_eq!(block_span("a\n\nb\n", 1, 0, 0, 1), Some((3, 1)));
    }
}
