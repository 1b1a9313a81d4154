//! The one pass over a page's body: Markdown on one side, elements and expressions on the other.

mod containers;
mod foreign;
mod place;
mod text;
mod written;

use std::cell::Cell;
use std::collections::BTreeSet;

use text::{
    autolink_len, begins_block, code_span_len, has_blank_line, holds_block, is_module_line,
    unquote, with_blanks,
};
use written::LineBuffer;

use super::container::End;
use super::formula;
use super::indent::{self, Fence};
use super::markdown::{COMMENT, Definitions, GUARD};
use super::tag::{self, Tag, TagKind};
use super::{Document, Dollars, Element, Fragment, Node};
use base::diagnostic::{Code, Tally};
use base::path::SitePath;
use base::place::BlockIndex;

/// Maximum distance, in bytes, that a tag or an expression looks back on its line for the text
/// before it.
const LINE_REACH: usize = 512;

/// Elements nested deeper than this are text; no page of a person nests so deep, and rendering
/// recurses.
const MAX_DEPTH: usize = 256;

/// Maximum number of nested block quotes and lists that begin on one line: rendering one costs its
/// content.
const MAX_MARKERS: usize = 100;

/// Number of bytes, of the lines after its own, in which a tag in a block quote is searched at
/// first.
const FIRST_LINES: usize = 1024;

/// HTML elements within a line of text (HTML Living Standard, phrasing content), whose blanks are
/// visible.
const PHRASING: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
    "sup", "time", "tt", "u", "var",
];

/// A blank that Markdown keeps at the beginning and the end of a paragraph.
const BLANK: &str = "&#32;";

/// HTML elements that never have children.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

pub(super) fn scan(path: &SitePath, text: &str, start: usize, dollars: Dollars) -> Document {
    let mut scanner = Scanner::new(path, text, start, dollars);
    scanner.run();
    scanner.document
}

struct Open {
    tag: Tag,
    at: usize,
    /// The Markdown around the element, up to it.
    outer: LineBuffer,
    /// Whether only indentation precedes it on its line.
    begins_line: bool,
    /// Number of block quotes around it: the lines of its children begin with as many marks.
    quote_depth: usize,
    /// End of a container, which has no closing tag.
    end: Option<End>,
}

struct Scanner<'a> {
    path: &'a SitePath,
    text: &'a str,
    blocks: Option<BlockIndex>,
    at: usize,
    /// End of the line that was inspected last, its ending included.
    line_end: Cell<usize>,
    document: Document,
    open: Vec<Open>,
    out: LineBuffer,
    failures: u32,
    /// Number of diagnostics by code.
    tally: Tally,
    /// Set once a search for the end of a comment has failed, so that it is not repeated.
    lacks_comment_end: bool,
    /// What was reported of other tools.
    foreign_syntax: BTreeSet<String>,
    dollars: Dollars,
    /// Number of bytes inspected.
    #[cfg(test)]
    bytes_read: Cell<usize>,
}

impl<'a> Scanner<'a> {
    fn new(path: &'a SitePath, text: &'a str, start: usize, dollars: Dollars) -> Self {
        Self {
            path,
            text,
            blocks: None,
            at: start,
            line_end: Cell::new(start),
            document: Document::default(),
            open: Vec::new(),
            out: LineBuffer::with_capacity(text.len() - start + 64),
            failures: 0,
            tally: Tally::default(),
            lacks_comment_end: false,
            foreign_syntax: BTreeSet::new(),
            dollars,
            #[cfg(test)]
            bytes_read: Cell::default(),
        }
    }

    fn run(&mut self) {
        let mut after_blank = true;
        while self.at < self.text.len() {
            let line = self.line();
            if line.trim().is_empty() {
                self.out.end_line();
                self.at += line.len();
                after_blank = true;
                continue;
            }
            self.end_indented();
            let line = self.line();
            if after_blank && self.is_between_blocks() && is_module_line(line) {
                let len = tag::module_len(self.rest());
                self.document
                    .modules
                    .push(self.rest()[..len].trim_end().to_owned());
                self.out.end_line();
                self.at += len;
            } else if let Some(fence) = Fence::opening(line) {
                after_blank = false;
                self.fence(&fence);
            } else if self.container_line() || self.foreign_line() {
                after_blank = true;
            } else {
                let start = self.at;
                self.end_deep_nesting();
                self.text_line();
                // A comment is as good as a blank line.
                let read = self.text[start..self.at].trim();
                after_blank = read.starts_with("{/*") && read.ends_with("*/}");
            }
        }
        while !self.open.is_empty() {
            self.give_up_top();
        }
        std::mem::take(&mut self.tally).add_rest(&mut self.document.diagnostics);
        let root = std::mem::take(&mut self.out);
        self.document.root = Fragment {
            text: indent::normalize(&root),
            is_inline: false,
        };
        let children = self.document.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(&element.children),
            Node::Expression { .. } | Node::Formula { .. } => None,
        });
        let fragments = std::iter::once(&self.document.root).chain(children);
        self.document.definitions = Definitions::collect(fragments);
    }

    /// Returns true if a statement may begin here: MDX reads one within elements too, if those are
    /// blocks, but not in a block quote.
    fn is_between_blocks(&self) -> bool {
        (self.open.iter()).all(|open| open.begins_line && open.quote_depth == 0)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The rest of the present line, its ending included.
    fn line(&self) -> &'a str {
        if self.at >= self.line_end.get() {
            let rest = self.rest();
            let len = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
            self.count_bytes(len);
            self.line_end.set(self.at + len);
        }
        &self.text[self.at..self.line_end.get()]
    }

    fn copy(&mut self, len: usize) {
        self.out.push_str(&self.rest()[..len]);
        self.at += len;
    }

    fn fence(&mut self, fence: &Fence) {
        self.copy(self.line().len());
        while self.at < self.text.len() {
            let line = self.line();
            self.copy(line.len());
            if fence.is_closed_by(line) {
                return;
            }
        }
    }

    /// Reads to the end of a line; of a later one if a tag, an expression or a code span runs over several.
    fn text_line(&mut self) {
        while self.at < self.text.len() {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|b| matches!(b, b'\n' | b'\\' | b'`' | b'$' | b'<' | b'{'));
            let Some(plain) = plain else {
                return self.copy(rest.len());
            };
            if plain > 0 {
                self.copy(plain);
                continue;
            }
            match rest.as_bytes()[0] {
                b'\n' => return self.copy(1),
                b'\\' => self.copy(
                    1 + rest[1..]
                        .chars()
                        .next()
                        .filter(|c| *c != '\n')
                        .map_or(0, char::len_utf8),
                ),
                b'`' => self.copy(code_span_len(rest)),
                b'$' => self.dollar(),
                b'<' => self.angle(),
                _ => self.brace(),
            }
        }
    }

    fn angle(&mut self) {
        let rest = self.rest();
        if rest.starts_with("<!--") && !self.lacks_comment_end {
            match memchr::memmem::find(rest.as_bytes(), b"-->") {
                Some(end) => return self.comment(end + 3),
                None => {
                    self.count_bytes(rest.len());
                    self.lacks_comment_end = true;
                }
            }
        }
        if let Some(len) = autolink_len(rest).or_else(|| self.destination_len(rest)) {
            return self.copy(len);
        }
        let Some(tag) = self.tag() else {
            self.failures += 1;
            let message = match rest[1..].chars().next() {
                // Text in MDX, too: a name follows at once, or it is no tag.
                Some(c) if c.is_whitespace() => None,
                Some(c) if c.is_alphabetic() || c == '/' => {
                    Some("`<` begins a tag that does not end".to_owned())
                }
                Some(c) => Some(format!("`<{c}` is not a tag; shown as text")),
                None => Some("`<` is not a tag; shown as text".to_owned()),
            };
            if let Some(message) = message {
                let hint = "write `&lt;`, or put it in backticks";
                self.report(Code::StrayAngle, self.at, 1, message, hint);
            }
            self.out.push_str("&lt;");
            self.at += 1;
            return;
        };
        let (at, len) = (self.at, tag.len);
        match tag.kind {
            TagKind::SelfClosing => self.empty_element(tag),
            TagKind::Opening if VOID.contains(&tag.name.as_str()) => self.empty_element(tag),
            TagKind::Opening if self.open.len() >= MAX_DEPTH => {
                let hint = "close some of the elements around it";
                self.report(
                    Code::UnclosedTag,
                    at,
                    len,
                    "elements nest deeper than 256".to_owned(),
                    hint,
                );
                self.at += len;
            }
            TagKind::Opening => {
                let begins_line = self.begins_line();
                let quote_depth = self.quote_depth();
                self.at += len;
                let outer = std::mem::take(&mut self.out);
                self.open.push(Open {
                    tag,
                    at,
                    outer,
                    begins_line,
                    quote_depth,
                    end: None,
                });
            }
            TagKind::Closing if VOID.contains(&tag.name.as_str()) => self.at += len,
            TagKind::Closing => {
                let is_opening = |open: &Open| open.end.is_none() && open.tag.name == tag.name;
                let Some(depth) = self.open.iter().rposition(is_opening) else {
                    let name = &tag.name;
                    let message = format!("`</{name}>` closes nothing");
                    self.report(
                        Code::UnexpectedClosingTag,
                        at,
                        len,
                        message,
                        "remove it, or open the element before",
                    );
                    self.at += len;
                    return;
                };
                while self.open.len() > depth + 1 {
                    self.give_up_top();
                }
                self.at += len;
                self.close_top();
            }
        }
    }

    /// The tag at the present place. In a block quote its later lines begin with `>`, which is no part of it.
    fn tag(&self) -> Option<Tag> {
        let reach = self.reach();
        let depth = self.quote_depth();
        if depth == 0 {
            return self.note_search(tag::tag(reach), reach);
        }
        // Nearly every tag ends where it begins. Of the lines that follow no more are looked at than it takes: windows end
        // where a line does, so that what is a tag in one is the same tag in all.
        let mut end = self.line().len().min(reach.len());
        let mut more = FIRST_LINES;
        if let Some(tag) = self.note_search(tag::tag(&reach[..end]), &reach[..end]) {
            return Some(tag);
        }
        while end < reach.len() {
            let from = (end + more).min(reach.len()) - 1;
            let line_end = memchr::memchr(b'\n', &reach.as_bytes()[from..]);
            end = line_end.map_or(reach.len(), |at| from + at + 1);
            more *= 4;
            self.count_bytes(end);
            let (unquoted, removed) = unquote(&reach[..end], depth);
            if let Some(mut tag) = tag::tag(&unquoted) {
                let before = removed.iter().take_while(|(at, _)| *at < tag.len);
                tag.len += before.map(|(_, len)| len).sum::<usize>();
                return Some(tag);
            }
        }
        None
    }

    /// The length of the `<…>` at the start of `text` if it is the destination of a link (CommonMark 6.3).
    fn destination_len(&self, text: &str) -> Option<usize> {
        if !self.out.ends_with("](") {
            return None;
        }
        // Another `<` does not belong to it, unless a backslash precedes it.
        let end = (1..text.len()).find(|at| match text.as_bytes()[*at] {
            b'>' | b'\n' => true,
            b'<' => text.as_bytes()[at - 1] != b'\\',
            _ => false,
        });
        let end = end.filter(|end| text[*end..].starts_with('>'))?;
        Some(end + 1)
    }

    /// Copies the first markers of the current line if there are more than are rendered, and
    /// escapes the next one.
    fn end_deep_nesting(&mut self) {
        let Some(at) = indent::marker_after(self.line(), MAX_MARKERS) else {
            return;
        };
        self.copy(at);
        let message = format!(
            "more than {MAX_MARKERS} block quotes and lists begin here, one in the other; from this one on they are text"
        );
        let hint = "write `\\` before the mark if text is meant";
        self.report(Code::DeepNesting, self.at, 1, message, hint);
        let digits = (self.rest().bytes()).take_while(u8::is_ascii_digit).count();
        self.copy(digits);
        self.out.push_str("\\");
        self.copy(1);
    }

    /// Returns the number of block quotes around the current line.
    fn quote_depth(&self) -> usize {
        // Of a long line its beginning: a page whose tags are all mistakes may be blank for as far as it was read.
        let line = self.out.line().bytes().take(LINE_REACH);
        let marks =
            (line.skip_while(u8::is_ascii_whitespace)).take_while(|b| matches!(b, b'>' | b' '));
        marks.filter(|byte| *byte == b'>').count()
    }

    fn empty_element(&mut self, tag: Tag) {
        let begins_line = self.begins_line();
        let at = self.at;
        self.at += tag.len;
        let element = Element {
            name: tag.name,
            attributes: tag.attributes,
            children: Fragment::default(),
            at,
            fault: None,
        };
        self.place(Node::Element(element), begins_line);
    }

    fn close_top(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let mut inner = std::mem::replace(&mut self.out, open.outer).into_text();
        if open.quote_depth > 0 {
            inner = unquote(&inner, open.quote_depth).0;
        }
        let after = self.line().trim_start();
        let is_container = open.end.is_some();
        let ends_line = is_container || after.is_empty() || after.starts_with("</");
        let is_in_line = !(open.begins_line && ends_line);
        let begins_with_text = !inner.split('\n').next().unwrap_or("").trim().is_empty();
        let is_inline = !is_container
            && !has_blank_line(&inner)
            && (begins_with_text || is_in_line && !holds_block(&inner));
        let is_phrasing = PHRASING.contains(&open.tag.name.as_str());
        let mut text = indent::normalize(&inner);
        if is_inline && (is_in_line || is_phrasing) && !inner.trim().is_empty() {
            text = with_blanks(&inner, text.trim());
        }
        if is_inline && text.starts_with(begins_block) {
            text.insert_str(0, GUARD);
        }
        let children = Fragment { text, is_inline };
        let element = Element {
            name: open.tag.name,
            attributes: open.tag.attributes,
            children,
            at: open.at,
            fault: None,
        };
        if is_container {
            self.place_node(Node::Element(element), true);
        } else if is_inline && open.begins_line && self.is_among_text(is_phrasing) {
            self.place_node(Node::Element(element), false);
            // Not alone on its line it is no HTML block, but part of a paragraph.
            self.out.push_str(GUARD);
        } else {
            self.place(Node::Element(element), open.begins_line);
        }
    }

    /// Returns true if the present line, which ends here, is part of a paragraph: it has a line of text before or after it, or
    /// one of phrasing, if it is of phrasing itself.
    fn is_among_text(&self, is_phrasing: bool) -> bool {
        let line = self.line();
        if !line.trim().is_empty() {
            return false;
        }
        let next = self.rest()[line.len()..].split('\n').next().unwrap_or("");
        let has_next =
            line.ends_with('\n') && !(next.trim().is_empty() || next.trim().starts_with('<'));
        is_phrasing || self.follows_text() || has_next
    }

    /// Returns true if the line before the current one has text.
    fn follows_text(&self) -> bool {
        let (before, prefix) = self.out.split_at(self.out.line_start());
        if !prefix.trim().is_empty() {
            return false;
        }
        let before = before.strip_suffix('\n').unwrap_or(before);
        let before = before.rsplit('\n').next().unwrap_or("").trim();
        !before.is_empty() && !before.ends_with("/>") && !before.ends_with("-->")
    }

    /// Treats the innermost open element as an error: reports it in its place, and keeps its
    /// children as siblings.
    fn give_up_top(&mut self) {
        if self.open.last().is_some_and(|open| open.end.is_some()) {
            return self.end_container_early();
        }
        let Some(open) = self.open.pop() else { return };
        let inner = std::mem::replace(&mut self.out, open.outer);
        let Tag {
            name,
            attributes,
            len,
            ..
        } = open.tag;
        let message = format!("`<{name}>` is never closed");
        let hint = format!("add `</{name}>`, or write `<{name} />`");
        self.report(Code::UnclosedTag, open.at, len, message.clone(), &hint);
        let children = Fragment::default();
        let element = Element {
            name,
            attributes,
            children,
            at: open.at,
            fault: Some(message),
        };
        let begins_line =
            open.begins_line && inner.split('\n').next().unwrap_or("").trim().is_empty();
        self.place_node(Node::Element(element), begins_line);
        self.out.push_str(&inner);
    }

    /// Leaves a comment out. One that has its lines to itself is a block, which ends a list before it.
    fn comment(&mut self, len: usize) {
        let begins_line = self.begins_line();
        self.at += len;
        if begins_line && self.line().trim().is_empty() {
            self.out.push_str(COMMENT);
        }
    }

    /// Returns true if the current place is inside a bare address, in which braces are not an
    /// expression: `https://host/{id}`.
    fn is_in_address(&self) -> bool {
        let before = self.line_before();
        let word = before.rsplit(char::is_whitespace).next().unwrap_or("");
        let Some(at) = word.rfind("://") else {
            return false;
        };
        let scheme = &word[..at];
        let begins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
        (scheme.ends_with("http") || scheme.ends_with("https"))
            && word[at + 3..].starts_with(begins)
            && !word[at..].contains(['<', '>', '`'])
    }

    fn dollar(&mut self) {
        let rest = self.rest();
        let begins_line = self.begins_line();
        // Where dollars are text, braces between two of them still begin no expression.
        let is_text = self.dollars == Dollars::Text;
        let dollars = if is_text {
            Dollars::Detected
        } else {
            self.dollars
        };
        let Some(formula) = formula::read(rest, begins_line, self.line_before(), dollars) else {
            let signs = rest.bytes().take_while(|byte| *byte == b'$').count();
            return self.copy(signs);
        };
        if is_text {
            return self.copy(formula.len);
        }
        let (at, is_display) = (self.at, formula.is_display);
        let source = match self.quote_depth() {
            0 => formula.source.to_owned(),
            depth => unquote(formula.source, depth).0,
        };
        self.at += formula.len;
        let node = Node::Formula {
            source,
            is_display,
            at,
        };
        if is_display {
            self.place(node, begins_line);
        } else {
            self.place_node(node, false);
            // Alone on its line it is a paragraph and no HTML block.
            self.out.push_str(GUARD);
        }
    }

    fn brace(&mut self) {
        if self.is_in_address() {
            return self.copy(1);
        }
        let rest = self.rest();
        if let Some(len) = self.template_tag() {
            return self.copy_as_text(len);
        }
        if self.attribute_list() {
            return;
        }
        let begins_line = self.begins_line();
        let len = tag::expression_len(self.reach());
        self.count_bytes(len.unwrap_or(self.reach().len()));
        let len = len.filter(|len| begins_line || !has_blank_line(&rest[..*len]));
        let Some(len) = len else {
            self.failures += 1;
            let message = "`{` does not begin an expression; shown as text".to_owned();
            self.report(
                Code::StrayBrace,
                self.at,
                1,
                message,
                "write `\\{`, or put it in backticks",
            );
            self.out.push_str("&#123;");
            self.at += 1;
            return;
        };
        let source = &rest[1..len - 1];
        if tag::is_comment(source) {
            return self.comment(len);
        }
        let at = self.at;
        self.at += len;
        let source = source.trim().to_owned();
        self.place(Node::Expression { source, at }, begins_line);
    }
}

#[cfg(test)]
mod tests;
