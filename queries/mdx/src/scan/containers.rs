//! Containers of other tools, opened and ended by lines.

use super::{MAX_DEPTH, Open, Scanner};
use crate::container::{self, End, Opening};
use crate::indent;
use crate::tag::{Tag, TagKind};
use base::diagnostic::Code;

impl Scanner<'_> {
    /// Reads the present line if it begins or ends a container.
    pub(super) fn container_line(&mut self) -> bool {
        let line = self.line();
        let in_prefix = |c: char| c.is_ascii_digit() || " \t>-*+.)".contains(c);
        let text = line.trim_start_matches(in_prefix);
        // Nearly every line ends here.
        if !text.starts_with([':', '!', '?', '=']) {
            return false;
        }
        let prefix = line.len() - text.len();
        if !indent::is_container_prefix(&line[..prefix]) {
            return false;
        }
        if let Some(colons) = container::closing_colons(text) {
            return self.end_colons(prefix, colons);
        }
        if self.open.len() + 1 >= MAX_DEPTH {
            return false;
        }
        if text.starts_with(":::") {
            let Some(opening) = container::in_colons(text) else {
                self.report_unknown_container(prefix, text);
                return false;
            };
            self.begin_container(prefix, opening);
            return true;
        }
        // What is indented belongs to it: nothing but blanks may stand before.
        if !line[..prefix].trim().is_empty() {
            return false;
        }
        let column = container::column(line);
        if let Some(opening) = container::tab(text, column) {
            self.begin_tab(prefix, column, opening);
            return true;
        }
        match container::by_indent(text, column) {
            Some(opening) if text.contains('"') || self.has_content(&opening) => {
                self.begin_container(prefix, opening);
            }
            _ => return false,
        }
        true
    }

    /// Returns true if something belongs to the block that the present line begins.
    fn has_content(&self, opening: &Opening) -> bool {
        let End::Column(column) = opening.end else {
            return true;
        };
        let next = self.rest()[self.line().len()..].split_inclusive('\n');
        let next = next.take_while(|line| line.trim().is_empty()).map(str::len);
        let at = self.line().len() + next.sum::<usize>();
        self.count_bytes(at);
        let next = self.rest()[at..].split('\n').next().unwrap_or("");
        container::column(next) >= column
    }

    /// Begins a tab, and the group of tabs around it unless one is open.
    fn begin_tab(&mut self, prefix: usize, column: usize, tab: Opening) {
        let end = End::Tabs(column);
        let is_next = self.open.last().is_some_and(|open| open.end == Some(end));
        match is_next {
            true => self.begin_container(prefix, tab),
            false => {
                let group = Opening {
                    name: "Tabs",
                    attributes: Vec::new(),
                    end,
                };
                self.begin(prefix, 0, group);
                self.begin_container(0, tab);
            }
        }
    }

    /// Begins a container with the rest of the present line, behind `prefix` bytes.
    fn begin_container(&mut self, prefix: usize, opening: Opening) {
        let len = self.line()[prefix..].trim_end_matches(['\n', '\r']).len();
        self.begin(prefix, len, opening);
        let ending = self.line().len();
        self.copy(ending);
    }

    fn begin(&mut self, prefix: usize, len: usize, opening: Opening) {
        self.copy(prefix);
        let quote_depth = self.quote_depth();
        let at = self.at;
        self.at += len;
        let outer = std::mem::take(&mut self.out);
        self.open.push(Open {
            tag: Tag {
                name: opening.name.to_owned(),
                kind: TagKind::Opening,
                attributes: opening.attributes,
                starts: Vec::new(),
                len,
            },
            at,
            outer,
            begins_line: true,
            quote_depth,
            end: Some(opening.end),
        });
    }

    /// Ends the container that a line of `colons` behind `prefix` bytes closes: the innermost with as
    /// many, else the innermost with fewer.
    fn end_colons(&mut self, prefix: usize, colons: usize) -> bool {
        let count = |open: &Open| match open.end {
            Some(End::Colons(count)) => Some(count),
            _ => None,
        };
        let open = self.open.iter();
        let same = open.clone().rposition(|open| count(open) == Some(colons));
        let fewer = || {
            open.clone()
                .rposition(|open| count(open) < Some(colons) && count(open).is_some())
        };
        let Some(depth) = same.or_else(fewer) else {
            return false;
        };
        while self.open.len() > depth + 1 {
            self.give_up_top();
        }
        self.copy(prefix);
        let rest = self.line().len();
        self.at += rest;
        self.close_top();
        self.out.end_line();
        true
    }

    /// Ends the containers to which the present line does not belong, by its indentation.
    pub(super) fn end_indented(&mut self) {
        while !self.open.is_empty() {
            let line = self.line();
            let (column, text) = (container::column(line), line.trim_start());
            let ended = |open: &Open| open.end.is_some_and(|end| end.is_before(column, text));
            let Some(depth) = self.open.iter().position(ended) else {
                return;
            };
            while self.open.len() > depth + 1 {
                self.give_up_top();
            }
            self.close_top();
            self.out.end_line();
        }
    }

    /// Ends the innermost container where what is around it ends.
    pub(super) fn end_container_early(&mut self) {
        let Some(Open {
            end: Some(End::Colons(colons)),
            at,
            tag,
            ..
        }) = self.open.last()
        else {
            return self.close_top();
        };
        let (at, len, colons) = (*at, tag.len, ":".repeat(*colons));
        let name = self.text[at..at + len].trim();
        let message = format!("`{name}` is never closed; it ends with what is around it");
        let hint = format!("add a line `{colons}` behind its text");
        self.report(Code::UnclosedTag, at, len, message, &hint);
        self.close_top();
    }

    /// Reports a container that no tool is known to have.
    fn report_unknown_container(&mut self, prefix: usize, text: &str) {
        let text = text.trim_end();
        let name = text.trim_start_matches(':').trim_start();
        let end = name.find(|c: char| !(c.is_alphanumeric() || "-_".contains(c)));
        let name = &name[..end.unwrap_or(name.len())];
        if name.is_empty() {
            return;
        }
        let message = format!("`:::{name}` is no container that is known; shown as text");
        let hint = "known are note, tip, info, warning, danger, details, code-group and their like; \
                    else write the component itself, as `<Steps>`";
        let at = self.at + prefix;
        self.report_foreign(at, text.len(), message, hint);
    }
}
