//! Places of nodes in the text, and diagnostics at them.

use super::{LINE_REACH, Open, Scanner};
use crate::markdown::{GUARD, block_placeholder, placeholder};
use crate::tag::{self, Tag};
use crate::{Node, indent};
use base::diagnostic::{Code, Diagnostic};
use base::place::BlockIndex;

impl<'a> Scanner<'a> {
    /// The text in which the end of a tag or an expression is looked for.
    pub(super) fn reach(&self) -> &'a str {
        tag::within_reach(self.rest(), self.failures)
    }

    /// `tag`, which was looked for in `text`.
    pub(super) fn note_search(&self, tag: Option<Tag>, text: &str) -> Option<Tag> {
        self.count_bytes(tag.as_ref().map_or(text.len(), |tag| tag.len));
        tag
    }

    /// Counts `bytes` that were looked at, for the tests.
    pub(super) fn count_bytes(&self, bytes: usize) {
        #[cfg(test)]
        self.bytes_read.set(self.bytes_read.get() + bytes);
        let _ = bytes;
    }

    /// Returns true if only indentation and markers of lists and quotes precede the current place
    /// on its line.
    pub(super) fn begins_line(&self) -> bool {
        indent::is_container_prefix(self.line_before())
    }

    /// The present line up to the present place: of a long line its end, so that each look costs the same.
    pub(super) fn line_before(&self) -> &str {
        let mut from = self.out.len().saturating_sub(LINE_REACH);
        while !self.out.is_char_boundary(from) {
            from -= 1;
        }
        let end = &self.out[from..];
        match memchr::memrchr(b'\n', end.as_bytes()) {
            Some(at) => &end[at + 1..],
            // Blank as the end of a long line may be, it is not the beginning of one.
            None if from > 0 && end.trim().is_empty() => "…",
            None => end,
        }
    }

    /// Leaves a placeholder for `node`: a block of its own if its tags begin and end their lines.
    pub(super) fn place(&mut self, node: Node, begins_line: bool) {
        let after = self.line().trim();
        let closes = |open: &Open| {
            let name = after.strip_prefix("</").map(str::trim_start);
            name.is_some_and(|name| name.starts_with(open.tag.name.as_str()))
        };
        let ends_line = after.is_empty() || self.open.last().is_some_and(closes);
        let is_stray = begins_line && !ends_line && after.starts_with("</");
        self.place_node(node, begins_line && ends_line);
        if is_stray {
            // Behind a tag that closes nothing, which goes, it may be alone on its line, and is no HTML block all the same.
            self.out.push_str(GUARD);
        }
    }

    pub(super) fn place_node(&mut self, node: Node, is_block: bool) {
        let index = self.document.nodes.len();
        self.document.nodes.push(node);
        self.out.push_str(&match is_block {
            true => block_placeholder(index),
            false => placeholder(index),
        });
    }

    pub(super) fn report(
        &mut self,
        code: Code,
        at: usize,
        len: usize,
        message: String,
        hint: &str,
    ) {
        if !self.tally.count(code) {
            return;
        }
        let blocks = self
            .blocks
            .get_or_insert_with(|| BlockIndex::new(self.text));
        let place = blocks.place(self.path, self.text, at, len);
        self.document
            .diagnostics
            .push(Diagnostic::new(code, place, message).hint(hint));
    }
}
