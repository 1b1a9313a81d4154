//! The text of rendered HTML: what a reader sees is what is found.
//!
//! One pass over the markup that the templates draw (and that authors write), without a tree: text is joined as a browser
//! joins it, signs of the theme (copy buttons, permalinks, icons) are left out, and a passage begins at every heading that
//! can be linked to.

pub mod blocks;
mod tag;
mod text;

use super::Passage;
use blocks::{Block, Piece, Recorder};
use tag::{Kind, Tag};
use text::Text;
use theme::words::in_english;

/// The text of `html`, cut at the headings that have an id: what stands before the first, if anything, then a passage for
/// each.
///
/// Accordions, entries of a changelog and steps whose titles are headings are passages of their own, and what follows
/// them belongs again to the passage around them.
pub fn passages(html: &str) -> Vec<Passage> {
    let html = &in_english(html);
    let mut reader = Reader::default();
    reader.read(html);
    let passages = reader.finish();
    passages.into_iter().map(|(passage, _)| passage).collect()
}

/// The passages of `html`, each with its blocks.
pub fn passages_with_blocks(html: &str) -> Vec<(Passage, Vec<Block>)> {
    let html = &in_english(html);
    let mut reader = Reader {
        blocks: Some(Recorder::default()),
        ..Reader::default()
    };
    reader.read(html);
    reader.finish()
}

/// All of `html` in reading order: headings that can be linked to, and what stands between them.
pub fn pieces(html: &str) -> Vec<Piece> {
    let html = &in_english(html);
    let mut reader = Reader {
        blocks: Some(Recorder::reading()),
        ..Reader::default()
    };
    reader.read(html);
    reader.blocks.map_or_else(Vec::new, Recorder::into_pieces)
}

/// An element that is open.
struct Open<'a> {
    name: &'a str,
    role: Role,
    /// Whether what keeps blocks was told of it.
    is_recorded: bool,
}

/// Effect of the end of an element.
enum Role {
    /// Nothing.
    Inline,
    /// A blank: a browser sets it apart from its neighbors on the same line.
    Spaced,
    /// The end of a line.
    Block,
    /// The end of something that is not read.
    Unread,
    /// The end of a block of code.
    Code,
    /// The end of what a block of code is called.
    CodeTitle,
    /// The end of the heading that is being read.
    Heading,
    /// The end of a quotation or a callout.
    Quote,
    /// The end of a part with a title of its own: the passage that goes on, and the headings above it.
    Part { passage: usize, floor: usize },
}

/// A heading that is being read.
struct Heading {
    level: u8,
    anchor: String,
}

#[derive(Default)]
struct Draft {
    anchor: Option<String>,
    headings: Vec<String>,
    body: Text,
    code: String,
}

#[derive(Default)]
struct Reader<'a> {
    open: Vec<Open<'a>>,
    drafts: Vec<Draft>,
    /// The passage that text goes to.
    at: usize,
    /// The headings above, with their levels.
    path: Vec<(u8, String)>,
    /// Number of them above the part that is being read.
    floor: usize,
    /// Number of open elements that are not read.
    unread: usize,
    /// Number of open blocks of code.
    codes: usize,
    heading: Option<Heading>,
    /// The text of the heading or of the name of code that is being read.
    title: Text,
    is_code_title: bool,
    /// The ids of the open parts, empty once the title was read.
    untitled: Vec<String>,
    /// Recorder of blocks, if they are wanted.
    blocks: Option<Recorder>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, html: &'a str) {
        self.drafts.push(Draft::default());
        let mut rest = html;
        while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
            self.text(&rest[..at]);
            rest = &rest[at..];
            let Some((tag, after)) = Tag::first(rest) else {
                // A `<` that begins no tag is text.
                self.text("<");
                rest = &rest[1..];
                continue;
            };
            rest = after;
            match tag.kind() {
                Kind::Nothing => {}
                Kind::End => self.end(tag.name),
                Kind::Void => self.void(&tag),
                Kind::Skipped => {
                    self.gap();
                    rest = tag.after_end(after);
                }
                Kind::Start => rest = self.start(&tag, after),
            }
        }
        self.text(rest);
        while let Some(open) = self.open.pop() {
            self.close_element(open);
        }
        self.block();
    }

    /// Handles a start tag that is followed by `after`; returns the HTML that is left to be read.
    fn start(&mut self, tag: &Tag<'a>, after: &'a str) -> &'a str {
        let mut rest = after;
        let mut is_recorded = false;
        let role = if self.codes > 0 && self.unread == 0 {
            if let Some(blocks) = &mut self.blocks {
                blocks.code_element(tag);
            }
            // Colors of code.
            Role::Inline
        } else if self.unread > 0 || tag.is_unread() {
            self.unread += 1;
            Role::Unread
        } else if tag.name == "pre" {
            self.block();
            self.codes += 1;
            Role::Code
        } else {
            let role = self.role(tag, &mut rest);
            if self.is_in_body()
                && let Some(blocks) = &mut self.blocks
            {
                blocks.start(tag);
                is_recorded = true;
            }
            role
        };
        self.open.push(Open {
            name: tag.name,
            role,
            is_recorded,
        });
        rest
    }

    fn role(&mut self, tag: &Tag<'a>, rest: &mut &'a str) -> Role {
        match tag.class() {
            "code-title" | "tab-title" if tag.has_class("code-title") => {
                self.is_code_title = true;
                return Role::CodeTitle;
            }
            "accordion" | "update" | "step" => {
                if let Some(id) = tag.id() {
                    self.block();
                    self.untitled.push(id);
                    return Role::Part {
                        passage: self.at,
                        floor: self.floor,
                    };
                }
            }
            "accordion-title" | "update-label" | "step-title" if self.heading.is_none() => {
                // The title of a step is a heading only where it is drawn as one.
                if tag.name != "p"
                    && let Some(anchor) = self.untitled.last().filter(|id| !id.is_empty())
                {
                    let anchor = anchor.clone();
                    self.begin_heading(0, anchor);
                    return Role::Heading;
                }
            }
            "expandable-closed" => {
                *rest = rest.strip_prefix("Show ").unwrap_or(rest);
                *rest = rest.strip_prefix("child attributes").unwrap_or(rest);
            }
            _ if tag.has_class("callout") || tag.name == "blockquote" => {
                self.block();
                if let Some(blocks) = &mut self.blocks {
                    blocks.begin_quote(tag.attribute("data-kind"));
                }
                return Role::Quote;
            }
            _ if tag.name == "summary" => {
                *rest = rest.strip_prefix("Show the prompt").unwrap_or(rest);
            }
            _ => {}
        }
        if let Some(level) = tag.heading_level()
            && let Some(anchor) = tag.id()
            && self.heading.is_none()
        {
            self.begin_heading(level, anchor);
            return Role::Heading;
        }
        if tag.is_block() {
            self.block();
            return Role::Block;
        }
        if tag.is_spaced() {
            self.spaced();
            return Role::Spaced;
        }
        Role::Inline
    }

    fn void(&mut self, tag: &Tag<'a>) {
        if self.unread > 0 {
            return;
        }
        match tag.name {
            "br" if self.codes > 0 => self.code("\n"),
            "br" | "hr" => self.block(),
            "img" if !tag.is_unread() => {
                let alt = tag.attribute("alt").unwrap_or("");
                let is_in_body = self.is_in_body();
                match &mut self.blocks {
                    Some(blocks) if is_in_body && blocks.is_reading() => {
                        blocks.gap();
                        blocks.image(tag, alt);
                        blocks.gap();
                    }
                    _ if alt.is_empty() => {}
                    _ => {
                        self.spaced();
                        self.push(alt);
                        self.spaced();
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else {
            return;
        };
        while self.open.len() > at {
            if let Some(open) = self.open.pop() {
                self.close_element(open);
            }
        }
    }

    fn close_element(&mut self, open: Open<'_>) {
        self.close(open.role);
        if open.is_recorded
            && let Some(blocks) = &mut self.blocks
        {
            blocks.end(open.name, self.at);
        }
    }

    fn close(&mut self, role: Role) {
        match role {
            Role::Inline => {}
            Role::Spaced => self.spaced(),
            Role::Block => self.block(),
            Role::Unread => self.unread -= 1,
            Role::Code => {
                self.codes -= 1;
                let code = &mut self.drafts[self.at].code;
                if !code.is_empty() && !code.ends_with('\n') {
                    code.push('\n');
                }
                if let Some(blocks) = &mut self.blocks {
                    blocks.end_code(self.at);
                }
                self.block();
            }
            Role::CodeTitle => {
                self.is_code_title = false;
                let title = self.title.take();
                if let Some(blocks) = &mut self.blocks {
                    blocks.code_title(if title == "Code" { "" } else { &title });
                }
                // What the theme calls code without a name.
                if !title.is_empty() && title != "Code" {
                    let code = &mut self.drafts[self.at].code;
                    code.push_str(&title);
                    code.push('\n');
                }
                self.block();
            }
            Role::Heading => self.end_heading(),
            Role::Quote => {
                self.block();
                if let Some(blocks) = &mut self.blocks {
                    blocks.end_quote();
                }
            }
            Role::Part { passage, floor } => {
                self.block();
                if self.untitled.pop().is_some_and(|id| id.is_empty()) {
                    self.at = passage;
                    self.path.truncate(self.floor - 1);
                    self.floor = floor;
                }
                self.block();
            }
        }
    }

    fn begin_heading(&mut self, level: u8, anchor: String) {
        self.block();
        self.title.take();
        self.heading = Some(Heading { level, anchor });
    }

    /// A heading was read: a passage begins. One of level 0 is the title of the innermost part.
    fn end_heading(&mut self) {
        let Some(heading) = self.heading.take() else {
            return;
        };
        let title = self.title.take();
        let is_part = heading.level == 0;
        // What stands below a heading without words goes on with what stands above it.
        if title.is_empty() {
            return;
        }
        while !is_part
            && self.path.len() > self.floor
            && self
                .path
                .last()
                .is_some_and(|(level, _)| *level >= heading.level)
        {
            self.path.pop();
        }
        self.path.push((heading.level, title));
        if is_part {
            self.floor = self.path.len();
            if let Some(id) = self.untitled.last_mut() {
                id.clear();
            }
        }
        if let (Some(blocks), Some((_, title))) = (&mut self.blocks, self.path.last())
            && !title.is_empty()
        {
            blocks.heading(self.path.len() - 1, title);
        }
        let headings = self.path.iter().map(|(_, text)| text.clone());
        let headings = headings.filter(|text| !text.is_empty()).collect();
        self.drafts.push(Draft {
            anchor: Some(heading.anchor),
            headings,
            ..Draft::default()
        });
        self.at = self.drafts.len() - 1;
    }

    /// Target of text that is not code.
    fn target(&mut self) -> &mut Text {
        match self.heading.is_some() || self.is_code_title {
            true => &mut self.title,
            false => &mut self.drafts[self.at].body,
        }
    }

    /// Returns true if the current text belongs to a passage, not to a heading or the name of code.
    fn is_in_body(&self) -> bool {
        self.heading.is_none() && !self.is_code_title
    }

    fn block(&mut self) {
        self.target().line();
        if self.is_in_body()
            && let Some(blocks) = &mut self.blocks
        {
            blocks.end_line(self.at);
        }
    }

    /// Separates neighbors on the same line.
    fn spaced(&mut self) {
        self.target().gap();
        if self.is_in_body()
            && let Some(blocks) = &mut self.blocks
        {
            blocks.gap();
        }
    }

    /// Text outside of code, as it is written in HTML.
    fn push(&mut self, html: &str) {
        self.target().push(html);
        if self.is_in_body()
            && let Some(blocks) = &mut self.blocks
        {
            blocks.text(html);
        }
    }

    /// Text of code, as it is written in HTML.
    fn code(&mut self, html: &str) {
        text::push_decoded(&mut self.drafts[self.at].code, html);
        if let Some(blocks) = &mut self.blocks {
            blocks.code(html);
        }
    }

    /// An inline image (SVG) separates the words next to it, as in a browser.
    fn gap(&mut self) {
        if self.unread == 0 && self.codes == 0 {
            self.spaced();
        }
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() || self.unread > 0 {
            return;
        }
        if self.codes > 0 && !self.is_code_title {
            self.code(text);
        } else {
            self.push(text);
        }
    }

    fn finish(self) -> Vec<(Passage, Vec<Block>)> {
        let mut recorder = self.blocks.unwrap_or_default();
        let drafts = self.drafts.into_iter().enumerate();
        let passages = drafts.map(|(at, draft)| {
            let passage = Passage {
                anchor: draft.anchor,
                headings: draft.headings,
                body: draft.body.finish(),
                code: draft.code,
            };
            (passage, recorder.take(at))
        });
        passages
            .filter(|(passage, _)| {
                passage.anchor.is_some() || !passage.body.is_empty() || !passage.code.is_empty()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
