//! Output of the scanner so far.

use std::ops::Deref;

/// A text that grows, of which it is known where the last line begins: the line may be as long as the page, and everything on
/// it asks.
#[derive(Default)]
pub(super) struct LineBuffer {
    text: String,
    line_start: usize,
}

impl LineBuffer {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            line_start: 0,
        }
    }

    pub(super) fn push_str(&mut self, more: &str) {
        if let Some(at) = memchr::memrchr(b'\n', more.as_bytes()) {
            self.line_start = self.text.len() + at + 1;
        }
        self.text.push_str(more);
    }

    /// Ends the present line.
    pub(super) fn end_line(&mut self) {
        self.push_str("\n");
    }

    /// Returns the start of the current line.
    pub(super) fn line_start(&self) -> usize {
        self.line_start
    }

    /// The present line.
    pub(super) fn line(&self) -> &str {
        &self.text[self.line_start..]
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl Deref for LineBuffer {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}
