//! The one pass over a page's body: Markdown on one side, elements and expressions on the other.

use super::formula;
use super::indent::{self, Fence};
use super::markdown::{COMMENT, Definitions, GUARD};
use super::tag::{self, Tag, TagKind};
use super::{Document, Dollars, Element, Fragment, Node};
use crate::diagnostic::{Code, Diagnostic};
use crate::path::SitePath;
use crate::place::{BlockIndex, lines};

/// After this many tags or expressions that never ended, the next ones are looked for in [`SHORT_REACH`] bytes only:
/// a page of ten thousand stray braces still costs linear time.
const PATIENCE: u32 = 64;
const SHORT_REACH: usize = 4096;

/// How far back on its line a tag or an expression looks for what stands before it, in bytes.
const LINE_REACH: usize = 512;

/// Elements nested deeper than this are text; no page of a person nests so deep, and drawing recurses.
const MAX_DEPTH: usize = 256;

/// HTML elements that never have children.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

pub(super) fn scan(path: &SitePath, text: &str, start: usize, dollars: Dollars) -> Document {
    let mut scanner = Scanner {
        path,
        text,
        blocks: None,
        at: start,
        document: Document::default(),
        open: Vec::new(),
        out: String::with_capacity(text.len() - start + 64),
        failures: 0,
        dollars,
    };
    scanner.run();
    scanner.document
}

struct Open {
    tag: Tag,
    at: usize,
    /// The Markdown around the element, up to it.
    outer: String,
    /// Whether nothing but indentation stands before it on its line.
    begins_line: bool,
    /// How many block quotes it stands in: its children's lines begin with as many marks.
    quote_depth: usize,
}

struct Scanner<'a> {
    path: &'a SitePath,
    text: &'a str,
    blocks: Option<BlockIndex>,
    at: usize,
    document: Document,
    open: Vec<Open>,
    out: String,
    failures: u32,
    dollars: Dollars,
}

impl<'a> Scanner<'a> {
    fn run(&mut self) {
        let mut after_blank = true;
        while self.at < self.text.len() {
            let line = self.line();
            if line.trim().is_empty() {
                self.out.push('\n');
                self.at += line.len();
                after_blank = true;
            } else if after_blank && self.open.is_empty() && is_module_line(line) {
                let len = tag::module_len(self.rest());
                self.document
                    .modules
                    .push(self.rest()[..len].trim_end().to_owned());
                self.out.push('\n');
                self.at += len;
            } else if let Some(fence) = Fence::opening(line) {
                after_blank = false;
                self.fence(&fence);
            } else {
                let start = self.at;
                self.text_line();
                // A comment is as good as a blank line.
                let read = self.text[start..self.at].trim();
                after_blank = read.starts_with("{/*") && read.ends_with("*/}");
            }
        }
        while !self.open.is_empty() {
            self.give_up_top();
        }
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

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The rest of the present line, its ending included.
    fn line(&self) -> &'a str {
        let rest = self.rest();
        &rest[..memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1)]
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
        if rest.starts_with("<!--")
            && let Some(end) = rest.find("-->")
        {
            return self.comment(end + 3);
        }
        if let Some(len) = autolink_len(rest).or_else(|| self.destination_len(rest)) {
            return self.copy(len);
        }
        let Some(tag) = self.tag() else {
            self.failures += 1;
            let message = match rest[1..].chars().next() {
                Some(c) if c.is_alphabetic() || c == '/' => {
                    "`<` begins a tag that does not end".to_owned()
                }
                Some(c) if !c.is_whitespace() => format!("`<{c}` is no tag and was read as text"),
                _ => "`<` is no tag and was read as text".to_owned(),
            };
            self.report(
                Code::StrayAngle,
                self.at,
                1,
                message,
                "write `&lt;`, or put it in backticks",
            );
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
                });
            }
            TagKind::Closing if VOID.contains(&tag.name.as_str()) => self.at += len,
            TagKind::Closing => {
                let Some(depth) = self.open.iter().rposition(|open| open.tag.name == tag.name)
                else {
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
        if self.quote_depth() == 0 {
            return tag::tag(reach);
        }
        let (unquoted, removed) = unquote(reach, self.quote_depth());
        let mut tag = tag::tag(&unquoted)?;
        let before = removed.iter().take_while(|(at, _)| *at < tag.len);
        tag.len += before.map(|(_, len)| len).sum::<usize>();
        Some(tag)
    }

    /// The length of the `<…>` at the start of `text` if it is the destination of a link (CommonMark 6.3).
    fn destination_len(&self, text: &str) -> Option<usize> {
        if !self.out.ends_with("](") {
            return None;
        }
        let end = text
            .find(['>', '\n'])
            .filter(|end| text[*end..].starts_with('>'))?;
        Some(end + 1)
    }

    /// How many block quotes the present line is in.
    fn quote_depth(&self) -> usize {
        let line = &self.out[self.line_start()..];
        let marks = line
            .trim_start()
            .split(|c: char| c != '>' && c != ' ')
            .next()
            .unwrap_or("");
        marks.bytes().filter(|byte| *byte == b'>').count()
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
        let mut inner = std::mem::replace(&mut self.out, open.outer);
        if open.quote_depth > 0 {
            inner = unquote(&inner, open.quote_depth).0;
        }
        let is_inline =
            !inner.split('\n').next().unwrap_or("").trim().is_empty() && !has_blank_line(&inner);
        let mut text = indent::normalize(&inner);
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
        if is_inline && open.begins_line && self.is_among_text() {
            self.place_node(Node::Element(element), false);
            // Not alone on its line it is no HTML block, but part of a paragraph.
            self.out.push_str(GUARD);
        } else {
            self.place(Node::Element(element), open.begins_line);
        }
    }

    /// Whether the present line, which ends here, has one of text before or after it.
    fn is_among_text(&self) -> bool {
        let rest = self.rest();
        let Some((ending, next)) = rest.split_once('\n') else {
            return rest.trim().is_empty() && self.follows_text();
        };
        let next = next.split('\n').next().unwrap_or("").trim();
        ending.trim().is_empty()
            && (self.follows_text() || !(next.is_empty() || next.starts_with('<')))
    }

    /// Whether the line before the present one holds text.
    fn follows_text(&self) -> bool {
        let mut lines = self.out.rsplit('\n');
        let prefix = lines.next().unwrap_or("");
        let before = lines.next().unwrap_or("").trim();
        prefix.trim().is_empty() && !before.is_empty() && !before.ends_with("/>")
    }

    /// Takes the innermost open element for a mistake: says so in its place, and keeps its children as siblings.
    fn give_up_top(&mut self) {
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

    /// Whether the present place is inside of a bare address, in which braces are no expression: `https://host/{id}`.
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
            Dollars::Pairs
        } else {
            self.dollars
        };
        let Some(formula) = formula::read(rest, begins_line, dollars) else {
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
        let begins_line = self.begins_line();
        let len = tag::expression_len(self.reach())
            .filter(|len| begins_line || !has_blank_line(&rest[..*len]));
        let Some(len) = len else {
            self.failures += 1;
            let message = "`{` begins no expression and was read as text".to_owned();
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

    /// The text in which the end of a tag or an expression is looked for.
    fn reach(&self) -> &'a str {
        let rest = self.rest();
        if self.failures < PATIENCE || rest.len() <= SHORT_REACH {
            return rest;
        }
        let mut end = SHORT_REACH;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        &rest[..end]
    }

    /// Whether only indentation and markers of lists and quotes stand before the present place on its line.
    fn begins_line(&self) -> bool {
        indent::is_container_prefix(self.line_before())
    }

    /// Where the present line begins in what was written.
    fn line_start(&self) -> usize {
        memchr::memrchr(b'\n', self.out.as_bytes()).map_or(0, |at| at + 1)
    }

    /// The present line up to the present place: of a long line its end, so that each look costs the same.
    fn line_before(&self) -> &str {
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
    fn place(&mut self, node: Node, begins_line: bool) {
        let after = self.line();
        let ends_line = after.trim().is_empty() || after.trim_start().starts_with("</");
        self.place_node(node, begins_line && ends_line);
    }

    fn place_node(&mut self, node: Node, is_block: bool) {
        let index = self.document.nodes.len();
        self.document.nodes.push(node);
        if !is_block {
            self.out.push_str(&super::markdown::placeholder(index));
            return;
        }
        // A block placeholder begins and ends an HTML block: a blank line on either side, inside of the same quotes.
        let quote = ">".repeat(self.quote_depth());
        let line_start = self.line_start();
        let is_bare = self.out[line_start..]
            .trim_matches([' ', '\t', '>'])
            .is_empty();
        let before = self.out[..line_start].trim_end_matches('\n');
        let follows_blank = before.len() + 1 < line_start || before.ends_with('>');
        if is_bare && line_start > 0 && !follows_blank {
            self.out.insert_str(line_start, &format!("{quote}\n"));
        }
        self.out.push_str(&super::markdown::placeholder(index));
        self.out.push('\n');
        self.out.push_str(&quote);
    }

    fn report(&mut self, code: Code, at: usize, len: usize, message: String, hint: &str) {
        let blocks = self
            .blocks
            .get_or_insert_with(|| BlockIndex::new(self.text));
        let place = blocks.place(self.path, self.text, at, len);
        self.document
            .diagnostics
            .push(Diagnostic::new(code, place, message).hint(hint));
    }
}

/// `text` without the marks of `depth` block quotes at the beginning of each line but the first, and what was removed:
/// offsets in the new text, and how many bytes were there.
fn unquote(text: &str, depth: usize) -> (String, Vec<(usize, usize)>) {
    let mut unquoted = String::with_capacity(text.len());
    let mut removed = Vec::new();
    for (index, line) in lines(text).enumerate() {
        let mut rest = line;
        for _ in 0..if index == 0 { 0 } else { depth } {
            match rest.trim_start_matches(' ').strip_prefix('>') {
                Some(inner) => rest = inner.strip_prefix(' ').unwrap_or(inner),
                None => break,
            }
        }
        if rest.len() < line.len() {
            removed.push((unquoted.len(), line.len() - rest.len()));
        }
        unquoted.push_str(rest);
    }
    (unquoted, removed)
}

/// Whether `line` begins an ESM statement rather than a sentence with that word.
fn is_module_line(line: &str) -> bool {
    let first_is = |rest: &str, words: &[&str]| {
        let rest = rest.trim_start();
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        words.contains(&&rest[..end])
    };
    if let Some(rest) = line.strip_prefix("import") {
        let target = rest.trim_start();
        return (rest.starts_with([' ', '{', '"', '\'', '*']))
            && (target.starts_with(['{', '"', '\'', '*']) || rest.contains(" from "));
    }
    line.strip_prefix("export").is_some_and(|rest| {
        rest.starts_with([' ', '{'])
            && (rest.trim_start().starts_with(['{', '*'])
                || first_is(
                    rest,
                    &[
                        "const", "let", "var", "function", "default", "async", "class",
                    ],
                ))
    })
}

/// Whether a block might begin with `c`.
fn begins_block(c: char) -> bool {
    matches!(c, '#' | '-' | '+' | '*' | '>' | '`' | '~' | '|' | '=' | '_') || c.is_ascii_digit()
}

fn has_blank_line(text: &str) -> bool {
    lines(text.trim_end())
        .skip(1)
        .any(|line| line.trim().is_empty())
}

/// The length of the code span at the start of `text`, or of its run of backticks if it never closes (CommonMark 6.1).
fn code_span_len(text: &str) -> usize {
    let run = text.bytes().take_while(|byte| *byte == b'`').count();
    let mut at = run;
    while let Some(next) = text[at..].find(['`', '\n']) {
        at += next;
        if text[at..].starts_with('\n') {
            // A paragraph ends at a blank line, and a code span with it.
            if text[at + 1..]
                .split('\n')
                .next()
                .is_none_or(|line| line.trim().is_empty())
            {
                return run;
            }
            at += 1;
            continue;
        }
        let closing = text[at..].bytes().take_while(|byte| *byte == b'`').count();
        at += closing;
        if closing == run {
            return at;
        }
    }
    run
}

/// The length of the autolink `<scheme:…>` or `<user@host>` at the start of `text` (CommonMark 6.5).
fn autolink_len(text: &str) -> Option<usize> {
    let end = text
        .find(['>', ' ', '\n', '\t'])
        .filter(|end| text[*end..].starts_with('>'))?;
    let inner = &text[1..end];
    let scheme = inner.split(':').next()?;
    let is_uri = scheme.len() < inner.len()
        && (2..=32).contains(&scheme.len())
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    let is_email = inner.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.contains('.') && !inner.contains(['/', '"', '\'', '=', '<', '\\'])
    });
    // `svg:rect` is a tag with a namespace; a URI of one of these has more than letters after its colon.
    let is_name = inner
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b':');
    ((is_uri && !is_name && !inner.contains('<')) || is_email).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check_tree(text: &str, expected: &Expect) {
        let document = scan(
            &SitePath::new("a.mdx").unwrap(),
            text,
            0,
            Dollars::default(),
        );
        let mut shown = String::new();
        show(&document, &document.root, 0, &mut shown);
        for module in &document.modules {
            shown.push_str(&format!("module {module:?}\n"));
        }
        for diagnostic in &document.diagnostics {
            shown.push_str(&format!(
                "{}: {}\n",
                diagnostic.code.name(),
                diagnostic.message
            ));
        }
        expected.assert_eq(&shown);
    }

    fn show(document: &Document, fragment: &Fragment, depth: usize, out: &mut String) {
        let pad = "  ".repeat(depth);
        out.push_str(&format!(
            "{pad}{:?}{}\n",
            fragment.text,
            if fragment.is_inline { " inline" } else { "" }
        ));
        let mut rest = fragment.text.as_str();
        while let Some(at) = rest.find("<x-m") {
            let end = at + rest[at..].find('>').unwrap() + 1;
            match &document.nodes[super::super::markdown::node_index(&rest[at..end]).unwrap()] {
                Node::Element(element) => {
                    out.push_str(&format!("{pad}<{}>\n", element.name));
                    if !element.children.text.is_empty() {
                        show(document, &element.children, depth + 1, out);
                    }
                }
                Node::Expression { source, .. } => out.push_str(&format!("{pad}{{{source}}}\n")),
                Node::Formula { source, .. } => out.push_str(&format!("{pad}${source}$\n")),
            }
            rest = &rest[end..];
        }
    }

    #[test]
    fn elements_on_their_own_lines_are_blocks() {
        check_tree(
            "text\n<Note>\n  inside\n\n      more\n</Note>\n# after\n",
            &expect![[r##"
                "text\n\n<x-m0/>\n\n# after\n"
                <Note>
                  "\ninside\n\nmore\n"
            "##]],
        );
    }

    #[test]
    fn elements_within_a_line_stay_in_it() {
        check_tree(
            "a <b>bold</b> *c* <br> <Icon icon=\"x\" /> d\n",
            &expect![[r#"
                "a <x-m0/> *c* <x-m1/> <x-m2/> d\n"
                <b>
                  "bold" inline
                <br>
                <Icon>
            "#]],
        );
    }

    fn parse(text: &str) -> Document {
        scan(
            &SitePath::new("page.mdx").unwrap(),
            text,
            0,
            Dollars::default(),
        )
    }

    #[test]
    fn a_comment_between_items_ends_the_list() {
        let document = parse("- a\n{/* c */}\n- b\n");
        assert_eq!(document.root.text, "- a\n<!-- -->\n- b\n");
    }

    #[test]
    fn braces_in_an_address_are_text() {
        for text in [
            "at https://api.org/{id} now\n",
            "https://mcp.${DOMAIN}.com\n",
        ] {
            let document = parse(text);
            assert_eq!(
                (document.root.text.as_str(), document.nodes.len()),
                (text, 0)
            );
        }
        assert_eq!(
            parse("`https://a.b`.{x} <a>https://a.b</a>{y}\n")
                .nodes
                .len(),
            3
        );
        assert_eq!(parse("https:// {x} http://{y}\n").nodes.len(), 2);
    }

    #[test]
    fn modules_and_comments_leave_nothing() {
        check_tree(
            "import A from '/a.mdx'\nimport {\n  B\n} from './b'\n\nexport const c = {\n\n  d: 1\n}\n\n{/* no */}\nimport the goods.\n",
            &expect![[r#"
                "\n\n\n\n<!-- -->\nimport the goods.\n"
                module "import A from '/a.mdx'\nimport {\n  B\n} from './b'"
                module "export const c = {\n\n  d: 1\n}"
            "#]],
        );
    }

    #[test]
    fn a_module_may_follow_a_comment() {
        check_tree(
            "é <b>ú</b>\n\n{/* a\n\n b */}\nexport const c = 1\n",
            &expect![[r#"
                "é <x-m0/>\n\n<!-- -->\n\n"
                <b>
                  "ú" inline
                module "export const c = 1"
            "#]],
        );
    }

    #[test]
    fn code_is_left_alone() {
        check_tree(
            "`<a>` ``{b`}`` $$\\frac{1}{2}$$\n\n```js\n<c>{d}\n```\n\n- ```\n  {e}\n  ```\n",
            &expect![[r#"
                "`<a>` ``{b`}`` <x-m0/>\n\n```js\n<c>{d}\n```\n\n- ```\n  {e}\n```\n"
                $\frac{1}{2}$
            "#]],
        );
    }

    #[test]
    fn lenient_prose_is_text_with_a_warning() {
        check_tree(
            "<5s, a { b, <https://x.y/{z}> \\{c\\} \\<d>\n\n}\n",
            &expect![[r#"
                "&lt;5s, a &#123; b, <https://x.y/{z}> \\{c\\} \\<d>\n\n}\n"
                stray-angle: `<5` is no tag and was read as text
                stray-brace: `{` begins no expression and was read as text
            "#]],
        );
    }

    #[test]
    fn a_tag_that_never_closes_loses_nothing() {
        check_tree(
            "<Card>\na\n<Note>\nb\n</Card>\nc </Tip>\n",
            &expect![[r#"
                "<x-m1/>\n\nc \n"
                <Card>
                  "\na\n\n<x-m0/>\n\nb\n"
                  <Note>
                unclosed-tag: `<Note>` is never closed
                unexpected-closing-tag: `</Tip>` closes nothing
            "#]],
        );
    }

    #[test]
    fn elements_in_block_quotes_have_marks_on_their_lines() {
        check_tree(
            "> text\n> <Field\n>   type=\"A<B>\"\n> >\n>   inside\n> </Field>\n> more\n",
            &expect![[r#"
                "> text\n>\n> <x-m0/>\n>\n> more\n"
                <Field>
                  "\ninside\n"
            "#]],
        );
    }

    #[test]
    fn a_link_destination_in_angle_brackets_is_no_tag() {
        check_tree(
            "![a](</b c().png>)\n",
            &expect![[r#"
                "![a](</b c().png>)\n"
            "#]],
        );
    }

    #[test]
    fn ten_thousand_stray_braces_cost_linear_time() {
        let document = scan(
            &SitePath::new("a.mdx").unwrap(),
            &"{ <a b=\" ".repeat(10_000),
            0,
            Dollars::default(),
        );
        assert!(document.diagnostics.len() >= 10_000);
    }

    #[test]
    fn nesting_without_end_is_bounded() {
        let document = scan(
            &SitePath::new("a.mdx").unwrap(),
            &"<a>".repeat(10_000),
            0,
            Dollars::default(),
        );
        assert!(document.nodes.len() <= MAX_DEPTH);
    }
}
