//! Syntax of other tools that is shown as text, and reported once for a page.

use super::Scanner;
use crate::{Node, foreign};
use base::diagnostic::Code;

impl Scanner<'_> {
    /// Reads the present line if another tool would replace it as a whole.
    pub(super) fn foreign_line(&mut self) -> bool {
        let line = self.line();
        if !line.trim_start().starts_with(['[', '<', '-']) {
            return false;
        }
        let Some(read) = foreign::line(line) else {
            return false;
        };
        let at = self.at;
        self.report_foreign(at, read.len, read.message.to_owned(), read.hint);
        match foreign::is_left_out(&read) {
            true => self.at += line.len(),
            false => {
                self.copy_as_text(read.len);
                self.copy(line.len() - read.len);
            }
        }
        true
    }

    /// Returns the length of the tag of a template language at the present place, and reports it.
    pub(super) fn template_tag(&mut self) -> Option<usize> {
        let read = foreign::template_tag(self.reach())?;
        self.count_bytes(read.len);
        let at = self.at;
        self.report_foreign(at, read.len, read.message.to_owned(), read.hint);
        Some(read.len)
    }

    /// Reads the attribute list at the present place: its id is that of the heading it stands in, the
    /// rest is left out.
    pub(super) fn attribute_list(&mut self) -> bool {
        let before = self.line_before();
        let follows = before.ends_with([')', '`', ']', '*']);
        let Some(list) = foreign::attribute_list(self.reach(), follows) else {
            return false;
        };
        let at = self.at;
        if list.has_more {
            let message = "attribute lists (`{ .class }`) are left out".to_owned();
            let hint =
                "write HTML with `className`, or remove them; `{#id}` behind a heading works";
            self.report_foreign(at, list.len, message, hint);
        }
        let source = list.id.map(|id| format!("#{id}"));
        self.at += list.len;
        if let Some(source) = source {
            self.place_node(Node::Expression { source, at }, false);
        }
        true
    }

    /// Reports something of another tool unless the page has had it before.
    pub(super) fn report_foreign(&mut self, at: usize, len: usize, message: String, hint: &str) {
        if !self.foreign_syntax.contains(&message) {
            self.foreign_syntax.insert(message.clone());
            self.report(Code::ForeignSyntax, at, len, message, hint);
        }
    }

    /// Copies `len` bytes in which nothing is Markdown.
    pub(super) fn copy_as_text(&mut self, len: usize) {
        for c in self.rest()[..len].chars() {
            match c {
                c if c.is_ascii_punctuation() => self.out.push_str(&format!("&#{};", c as u32)),
                c => self.out.push_str(c.encode_utf8(&mut [0; 4])),
            }
        }
        self.at += len;
    }
}
