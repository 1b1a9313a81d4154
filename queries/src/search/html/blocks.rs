//! The blocks of rendered HTML: paragraphs, items, rows of tables and code, as they stand on a
//! page.
//!
//! Search needs words only; an answer from a page needs to know what belongs together. Each line is
//! kept as plain text, which is what the page says, and as CommonMark, which shows it elsewhere.

use serde::{Deserialize, Serialize};

use super::tag::Tag;
use super::text::{self, Text};

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Block {
    /// A paragraph.
    Paragraph(Line),
    /// A title within a passage: of a step, a tab, a card, an entry of a list of terms.
    Title(Line),
    /// A block of an item of a list.
    Item {
        /// Number of lists around it, from 1.
        depth: usize,
        /// Number in a numbered list.
        number: Option<usize>,
        /// Whether it is not the first block of its item.
        is_continued: bool,
        /// Text.
        line: Line,
    },
    /// A row of a table.
    Row {
        /// Whether it is the first of its table.
        is_first: bool,
        /// Whether it stands above the columns.
        is_head: bool,
        /// Cells.
        cells: Vec<Line>,
    },
    /// Code.
    Code {
        /// The language that it is colored as.
        language: Option<String>,
        /// The name above it.
        title: Option<String>,
        /// Lines.
        text: String,
    },
}

/// A piece of rendered HTML in reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A heading that can be linked to.
    Heading {
        /// Number of headings above it, from 0.
        depth: usize,
        /// Text as CommonMark.
        markdown: String,
    },
    /// A block.
    Block(Block),
    /// Start of a quotation or a callout, with the word for its kind, if it has one.
    Quote(Option<&'static str>),
    /// End of a quotation or a callout.
    QuoteEnd,
}

/// A line of text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Visible text.
    pub text: String,
    /// CommonMark, without line breaks.
    pub markdown: String,
}

impl Block {
    /// The lines that it has; none for code.
    pub fn lines(&self) -> &[Line] {
        match self {
            Self::Paragraph(line) | Self::Title(line) | Self::Item { line, .. } => {
                std::slice::from_ref(line)
            }
            Self::Row { cells, .. } => cells,
            Self::Code { .. } => &[],
        }
    }
}

/// Writes `blocks` as CommonMark with the tables of GitHub, a blank line between blocks.
pub fn markdown<'a>(blocks: impl IntoIterator<Item = &'a Block>) -> String {
    let mut out = String::new();
    let mut before: Option<&Block> = None;
    let mut indents: Vec<usize> = Vec::new();
    for block in blocks {
        let is_same_table = matches!((before, block), (Some(Block::Row { .. }), Block::Row { is_first, .. }) if !is_first);
        let is_same_list = matches!(
            (before, block),
            (Some(Block::Item { .. }), Block::Item { is_continued, .. }) if !is_continued
        );
        match () {
            () if out.is_empty() => {}
            () if is_same_table || is_same_list => out.push('\n'),
            () => out.push_str("\n\n"),
        }
        match block {
            Block::Paragraph(line) => out.push_str(&line.markdown),
            Block::Title(line) => {
                out.push_str("**");
                out.push_str(&line.text.replace('*', "\\*"));
                out.push_str("**");
            }
            Block::Item {
                depth,
                number,
                is_continued,
                line,
            } => {
                indents.truncate(depth.saturating_sub(1));
                while indents.len() + 1 < *depth {
                    indents.push(2);
                }
                let indent: usize = indents.iter().sum();
                let sign = number.map_or("-".to_owned(), |number| format!("{number}."));
                let inner = sign.len() + 1;
                indents.push(inner);
                match is_continued {
                    true => out.push_str(&" ".repeat(indent + inner)),
                    false => {
                        out.push_str(&" ".repeat(indent));
                        out.push_str(&sign);
                        out.push(' ');
                    }
                }
                out.push_str(&line.markdown);
            }
            Block::Row { is_head, cells, .. } => {
                let is_above = *is_head && !is_same_table;
                if !is_above && !is_same_table {
                    // A table must have a row above its columns.
                    out.push_str(&format!(
                        "|{}\n|{}\n",
                        "   |".repeat(cells.len()),
                        " --- |".repeat(cells.len())
                    ));
                }
                out.push('|');
                for cell in cells {
                    out.push(' ');
                    out.push_str(&cell.markdown.replace('|', "\\|"));
                    out.push_str(" |");
                }
                if is_above {
                    out.push_str(&format!("\n|{}", " --- |".repeat(cells.len())));
                }
            }
            Block::Code {
                language,
                title,
                text,
            } => {
                let mut fence = "```".to_owned();
                while text.contains(&fence) {
                    fence.push('`');
                }
                let language = language.as_deref().unwrap_or("");
                let title = title.as_deref().filter(|_| !language.is_empty());
                let title = title.map_or(String::new(), |title| {
                    format!(" {}", title.replace('`', "'"))
                });
                out.push_str(&format!(
                    "{fence}{language}{title}\n{}\n{fence}",
                    text.trim_end_matches('\n')
                ));
            }
        }
        if !matches!(block, Block::Item { .. }) {
            indents.clear();
        }
        before = Some(block);
    }
    out
}

/// A list that is open.
enum List {
    Bullets,
    /// The number of the next item.
    Numbers(usize),
}

/// An item that is open.
struct Item {
    number: Option<usize>,
    is_fresh: bool,
}

/// Records blocks while HTML is read. The reader reports when a line ends, and its passage.
#[derive(Default)]
pub(super) struct Recorder {
    /// Blocks by passage.
    passages: Vec<Vec<Block>>,
    text: Text,
    markdown: Text,
    /// Whether the line that is read is a title.
    is_title: bool,
    lists: Vec<List>,
    items: Vec<Item>,
    /// The cells of the row that is open, and whether all of them are heads.
    row: Option<(Vec<Line>, bool)>,
    is_new_table: bool,
    /// The addresses of the links that are open; nothing for those that lead nowhere else, and for those that were written.
    links: Vec<Option<String>>,
    /// Markdown markers of the open emphasis.
    emphasis: Vec<&'static str>,
    /// All of it in reading order, with emphasis and images, if that is wanted instead of passages.
    in_reading_order: Option<Vec<Piece>>,
    /// The open block quotes, and whether each is a piece of its own: not within an item or a cell.
    quotes: Vec<bool>,
    /// The kind of callout that the next line begins with.
    label: Option<&'static str>,
    /// Number of open elements of code within the line, and their text.
    inline_depth: usize,
    inline: String,
    code: String,
    language: Option<String>,
    title: Option<String>,
}

impl Recorder {
    /// Keeps pieces in reading order.
    pub(super) fn reading() -> Self {
        Self {
            in_reading_order: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// The pieces that were read.
    pub(super) fn into_pieces(self) -> Vec<Piece> {
        self.in_reading_order.unwrap_or_default()
    }

    /// A heading was read that has `depth` headings above it.
    pub(super) fn heading(&mut self, depth: usize, title: &str) {
        if let Some(reading) = &mut self.in_reading_order {
            let mut markdown = Text::default();
            markdown.push_plain(title);
            let markdown = markdown.take();
            reading.push(Piece::Heading { depth, markdown });
        }
    }

    /// Begins a quotation, of which every line before is ended: a callout, if it has a kind.
    pub(super) fn begin_quote(&mut self, kind: Option<&str>) {
        let Some(reading) = &mut self.in_reading_order else {
            return;
        };
        let label = kind.and_then(callout_label);
        let is_piece = self.items.is_empty() && self.row.is_none();
        match is_piece {
            true => reading.push(Piece::Quote(label)),
            false => self.label = label,
        }
        self.quotes.push(is_piece);
    }

    /// Ends a quotation, of which every line is ended.
    pub(super) fn end_quote(&mut self) {
        if let Some(reading) = &mut self.in_reading_order
            && self.quotes.pop() == Some(true)
        {
            reading.push(Piece::QuoteEnd);
        }
    }

    /// Returns true if pieces are recorded in reading order.
    pub(super) fn is_reading(&self) -> bool {
        self.in_reading_order.is_some()
    }

    /// An image stands in the line.
    pub(super) fn image(&mut self, tag: &Tag<'_>, alt: &str) {
        let src = text::decoded(tag.attribute("src").unwrap_or(""));
        let leads = ["/", "http://", "https://"]
            .iter()
            .any(|start| src.starts_with(start));
        if leads && !src.contains([' ', '<', '>', '(', ')']) {
            let alt = text::decoded(alt).replace(['[', ']', '\\', '\n'], " ");
            self.text.push("image");
            self.markdown.open(&format!("![{}]({src})", alt.trim()));
        }
    }

    /// Begins an element within the text of passage `at`, of which every line before is ended.
    pub(super) fn start(&mut self, tag: &Tag<'_>) {
        match tag.name {
            "ul" | "menu" => self.lists.push(List::Bullets),
            "ol" => {
                let first = tag.attribute("start").and_then(|start| start.parse().ok());
                self.lists.push(List::Numbers(first.unwrap_or(1)));
            }
            "li" => {
                let number = match self.lists.last_mut() {
                    Some(List::Numbers(next)) => {
                        *next += 1;
                        Some(*next - 1)
                    }
                    _ => None,
                };
                self.items.push(Item {
                    number,
                    is_fresh: true,
                });
            }
            "table" => self.is_new_table = true,
            "tr" => self.row = Some((Vec::new(), true)),
            "code" | "kbd" => self.inline_depth += 1,
            "a" => {
                let href = tag.attribute("href").map(text::decoded);
                let href = href.filter(|href| {
                    href.starts_with(['/', 'h']) && !href.contains([' ', '<', '>', '(', ')'])
                });
                let leads = href.filter(|href| {
                    ["/", "http://", "https://"]
                        .iter()
                        .any(|start| href.starts_with(start))
                });
                if leads.is_some() {
                    self.markdown.begin("[");
                }
                self.links.push(leads);
            }
            "strong" | "b" | "em" | "i"
                if self.in_reading_order.is_some() && self.inline_depth == 0 =>
            {
                let sign = emphasis(tag.name);
                self.markdown.begin(sign);
                self.emphasis.push(sign);
            }
            _ => {}
        }
        if is_title(tag) {
            self.is_title = true;
        }
    }

    /// Ends an element of this name.
    pub(super) fn end(&mut self, name: &str, at: usize) {
        match name {
            "ul" | "ol" | "menu" => {
                self.lists.pop();
            }
            "li" => {
                self.items.pop();
            }
            "td" | "th" => {
                let cell = self.line();
                if let Some((cells, is_head)) = &mut self.row {
                    *is_head &= name == "th" || cell.text.is_empty();
                    cells.push(cell);
                }
            }
            "tr" => {
                if let Some((cells, is_head)) = self.row.take()
                    && cells.iter().any(|cell| !cell.text.is_empty())
                {
                    let is_first = std::mem::take(&mut self.is_new_table);
                    let row = Block::Row {
                        is_first,
                        is_head,
                        cells,
                    };
                    self.push(at, row);
                }
            }
            "code" | "kbd" => {
                self.inline_depth = self.inline_depth.saturating_sub(1);
                if self.inline_depth == 0 {
                    self.end_inline();
                }
            }
            "a" => {
                if let Some(Some(href)) = self.links.pop() {
                    self.markdown.close_link(&href);
                }
            }
            "strong" | "b" | "em" | "i" if self.emphasis.last() == Some(&emphasis(name)) => {
                self.emphasis.pop();
                self.markdown.close_sign(emphasis(name));
            }
            _ => {}
        }
    }

    /// Ends code within a line.
    fn end_inline(&mut self) {
        let code = text::decoded(&std::mem::take(&mut self.inline));
        let words: Vec<&str> = code.split_whitespace().collect();
        let code = words.join(" ");
        if code.is_empty() {
            return;
        }
        let (fence, blank) = match code.contains('`') {
            true => ("``", " "),
            false => ("`", ""),
        };
        let blank = if code.contains("``") { "" } else { blank };
        self.markdown
            .open(&format!("{fence}{blank}{code}{blank}{fence}"));
    }

    fn push(&mut self, at: usize, block: Block) {
        if let Some(reading) = &mut self.in_reading_order {
            reading.push(Piece::Block(block));
            return;
        }
        while self.passages.len() <= at {
            self.passages.push(Vec::new());
        }
        self.passages[at].push(block);
    }

    /// Appends text as it is written in HTML.
    pub(super) fn text(&mut self, html: &str) {
        self.text.push(html);
        match self.inline_depth {
            0 => self.markdown.push_escaped(html),
            _ => self.inline.push_str(html),
        }
    }

    /// The next word is another one.
    pub(super) fn gap(&mut self) {
        self.text.gap();
        self.markdown.gap();
    }

    /// Ends the line, which stands in passage `at`. In a cell it goes on.
    pub(super) fn end_line(&mut self, at: usize) {
        if self.row.is_some() {
            self.gap();
            return;
        }
        let line = self.line();
        if line.text.is_empty() {
            return;
        }
        let depth = self.lists.len();
        let is_title = std::mem::take(&mut self.is_title);
        let block = match self.items.last_mut() {
            Some(item) => Block::Item {
                depth: depth.max(1),
                number: item.number,
                is_continued: !std::mem::take(&mut item.is_fresh),
                line,
            },
            None if is_title => Block::Title(line),
            None => Block::Paragraph(line),
        };
        self.push(at, block);
    }

    fn line(&mut self) -> Line {
        let text = self.text.take();
        if !text.is_empty() {
            // A link around several lines is one of the first; emphasis goes on in the next.
            for sign in self.emphasis.iter().rev() {
                self.markdown.close_sign(sign);
            }
            for href in self.links.iter_mut().rev().filter_map(Option::take) {
                self.markdown.close_link(&href);
            }
        }
        let mut markdown = self.markdown.take();
        if !text.is_empty()
            && let Some(label) = self.label.take()
        {
            markdown.insert_str(0, &format!("**{label}:** "));
        }
        for _ in self.links.iter().flatten() {
            self.markdown.begin("[");
        }
        for sign in &self.emphasis {
            self.markdown.begin(sign);
        }
        Line { text, markdown }
    }

    /// Records the highlighting language of the open code.
    pub(super) fn code_element(&mut self, tag: &Tag<'_>) {
        if tag.name == "code"
            && let Some(language) = tag.class().strip_prefix("language-")
        {
            self.language = Some(language.to_owned());
        }
    }

    /// Appends code as it is written in HTML.
    pub(super) fn code(&mut self, html: &str) {
        text::push_decoded(&mut self.code, html);
    }

    /// Records the name of the next code.
    pub(super) fn code_title(&mut self, title: &str) {
        self.title = Some(title.to_owned()).filter(|title| !title.is_empty());
    }

    /// Ends the code, which stands in passage `at`.
    pub(super) fn end_code(&mut self, at: usize) {
        let text = std::mem::take(&mut self.code);
        let block = Block::Code {
            language: self.language.take(),
            title: self.title.take(),
            text,
        };
        if matches!(&block, Block::Code { text, .. } if !text.trim().is_empty()) {
            self.push(at, block);
        }
    }

    /// The blocks of passage `at`.
    pub(super) fn take(&mut self, at: usize) -> Vec<Block> {
        self.passages
            .get_mut(at)
            .map(std::mem::take)
            .unwrap_or_default()
    }
}

/// The word for a kind of callout (`data-kind` of the theme), in English as all that is read for programs.
fn callout_label(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "note" => "Note",
        "tip" => "Tip",
        "info" => "Info",
        "warning" => "Warning",
        "check" => "Check",
        "danger" => "Danger",
        _ => return None,
    })
}

fn emphasis(name: &str) -> &'static str {
    match name {
        "strong" | "b" => "**",
        _ => "*",
    }
}

/// Returns true if `tag` begins a title that is not a heading of a passage.
fn is_title(tag: &Tag<'_>) -> bool {
    let is_heading = tag.heading_level().is_some() || tag.name == "dt";
    is_heading
        || matches!(
            tag.class(),
            "step-title"
                | "accordion-title"
                | "card-title"
                | "tab-title"
                | "tile-title"
                | "update-label"
        )
}
