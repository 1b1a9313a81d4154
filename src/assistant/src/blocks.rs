//! Blocks of CommonMark as it arrives: each once the line is complete that ends it.
//!
//! Reads the output of [`CitationLinker`](super::cited::CitationLinker), whose fences stand at the start of their lines. What is within an
//! item or a quote is read as far as answers use it: items hold lines, and quotes are paragraphs.

use std::cell::Cell;

use super::cited::{is_divider, marker};

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AnswerBlock {
    /// Its level, from 1, and the line. A line in bold is one of the level [`BOLD`].
    Heading(usize, String),
    Paragraph(String),
    /// Items that no blank line divides.
    List(Vec<Item>),
    /// Lines of a table: its head, the divider, its rows.
    Table(Vec<String>),
    /// Code with its fences.
    Fence(String),
    Rule,
}

/// Level of a line in bold.
const BOLD: usize = 7;

impl AnswerBlock {
    /// The text, without the markers of items.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Heading(_, text) | Self::Paragraph(text) | Self::Fence(text) => text.clone(),
            Self::List(items) => items
                .iter()
                .map(|item| item.text.as_str())
                .collect::<Vec<_>>()
                .join("\n"),
            Self::Table(rows) => rows.join("\n"),
            Self::Rule => String::new(),
        }
    }
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) indent: usize,
    /// Its number and the sign behind it, or the sign of a list without numbers.
    number: Option<usize>,
    sign: char,
    /// How far the number is too high, as items before it were left out.
    pub(super) shift: Cell<usize>,
    pub(super) text: String,
}

impl Item {
    /// Returns true if a list starts here again.
    pub(super) fn is_first(&self) -> bool {
        self.number.is_some_and(|number| number <= 1)
    }

    /// Its marker, with the number that it has now.
    pub(super) fn marker(&self) -> String {
        match self.number {
            Some(number) => format!("{}{}", number.saturating_sub(self.shift.get()), self.sign),
            None => self.sign.to_string(),
        }
    }
}

/// Place of a block among the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) number: usize,
    /// Whether no blank line stands before it.
    pub(super) is_tight: bool,
}

/// Text as it arrives.
#[derive(Default)]
pub(super) struct BlockReader {
    /// The current line.
    line: String,
    /// Lines of the current blocks.
    lines: Vec<String>,
    /// Mark, number of marks and text of the current block of code.
    fence: Option<(char, usize, String)>,
    count: usize,
    /// Whether the last line was one of a block.
    is_tight: bool,
}

impl BlockReader {
    /// Blocks that are complete after `piece`.
    pub(super) fn push(&mut self, piece: &str) -> Vec<(Place, AnswerBlock)> {
        let mut blocks = Vec::new();
        for part in piece.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(end) => {
                    self.line.push_str(end);
                    let line = std::mem::take(&mut self.line);
                    self.end_line(line, &mut blocks);
                }
                None => self.line.push_str(part),
            }
        }
        blocks
    }

    /// The rest.
    pub(super) fn finish(&mut self) -> Vec<(Place, AnswerBlock)> {
        let mut blocks = Vec::new();
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.end_line(line, &mut blocks);
        }
        self.end_lines(&mut blocks);
        if let Some((mark, length, text)) = self.fence.take() {
            let end = mark.to_string().repeat(length);
            self.add(AnswerBlock::Fence(format!("{text}\n{end}")), &mut blocks);
        }
        blocks
    }

    fn end_line(&mut self, line: String, blocks: &mut Vec<(Place, AnswerBlock)>) {
        if let Some((mark, length, text)) = &mut self.fence {
            text.push('\n');
            text.push_str(&line);
            let bare = line.trim();
            if bare.chars().all(|c| c == *mark) && bare.len() >= *length {
                let text = std::mem::take(text);
                self.fence = None;
                self.add(AnswerBlock::Fence(text), blocks);
            }
            return;
        }
        if let Some((mark, length)) = opening(&line) {
            self.end_lines(blocks);
            self.fence = Some((mark, length, line));
            return;
        }
        if line.trim().is_empty() {
            self.end_lines(blocks);
            self.is_tight = false;
        } else {
            self.lines.push(line);
        }
    }

    fn add(&mut self, block: AnswerBlock, blocks: &mut Vec<(Place, AnswerBlock)>) {
        self.count += 1;
        let place = Place {
            number: self.count,
            is_tight: self.is_tight,
        };
        self.is_tight = true;
        blocks.push((place, block));
    }

    /// Reads the blocks of the lines between two blank ones.
    fn end_lines(&mut self, blocks: &mut Vec<(Place, AnswerBlock)>) {
        let lines = std::mem::take(&mut self.lines);
        let mut items: Vec<Item> = Vec::new();
        let mut paragraph: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at].as_str();
            let is_head = line.contains('|')
                && lines
                    .get(at + 1)
                    .is_some_and(|next| next.contains('|') && is_divider(next));
            let other = if is_head {
                let rest = &lines[at..];
                let end = rest
                    .iter()
                    .skip(2)
                    .position(|line| marker(line).1 > 0 || heading(line).is_some());
                let rows = &rest[..end.map_or(rest.len(), |end| end + 2)];
                at += rows.len();
                Some(AnswerBlock::Table(rows.to_vec()))
            } else if let Some(level) = heading(line) {
                at += 1;
                Some(AnswerBlock::Heading(level, line.trim().to_owned()))
            } else if is_rule(line) {
                at += 1;
                Some(AnswerBlock::Rule)
            } else {
                None
            };
            let item = if other.is_none() { item(line) } else { None };
            if other.is_some() || item.is_some() {
                self.end_paragraph(&mut paragraph, blocks);
            }
            if let Some(block) = other {
                self.end_list(&mut items, blocks);
                self.add(block, blocks);
                continue;
            }
            at += 1;
            match (item, items.last_mut()) {
                (Some(item), _) => items.push(item),
                (None, Some(last)) => {
                    last.text.push('\n');
                    last.text.push_str(line);
                }
                (None, None) => paragraph.push(line),
            }
        }
        self.end_paragraph(&mut paragraph, blocks);
        self.end_list(&mut items, blocks);
    }

    fn end_paragraph(&mut self, lines: &mut Vec<&str>, blocks: &mut Vec<(Place, AnswerBlock)>) {
        let lines = std::mem::take(lines);
        if lines.is_empty() {
            return;
        }
        let text = lines.join("\n");
        let block = match is_bold(&text) {
            true => AnswerBlock::Heading(BOLD, text),
            false => AnswerBlock::Paragraph(text),
        };
        self.add(block, blocks);
    }

    fn end_list(&mut self, items: &mut Vec<Item>, blocks: &mut Vec<(Place, AnswerBlock)>) {
        if !items.is_empty() {
            self.add(AnswerBlock::List(std::mem::take(items)), blocks);
        }
    }
}

/// Mark and length of the fence that `line` opens.
fn opening(line: &str) -> Option<(char, usize)> {
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let is_code = mark == '`' && line[length..].contains('`');
    (length >= 3 && !is_code).then_some((mark, length))
}

/// Level of the heading that `line` is.
fn heading(line: &str) -> Option<usize> {
    let bare = line.trim_start_matches(' ');
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&level) && line.len() - bare.len() < 4;
    (is_heading && bare[level..].starts_with([' ', '\t'])).then_some(level)
}

/// Returns true if `line` is a thematic break, or underlines a heading.
fn is_rule(line: &str) -> bool {
    let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let first = bare.chars().next().unwrap_or('a');
    let least = if first == '=' { 1 } else { 3 };
    matches!(first, '-' | '*' | '_' | '=')
        && bare.len() >= least
        && bare.chars().all(|c| c == first)
}

/// Returns true if `text` is a line in bold that stands for a heading.
fn is_bold(text: &str) -> bool {
    let bare = text.trim().trim_end_matches([':', '：']);
    let inner = bare
        .strip_prefix("**")
        .and_then(|bare| bare.strip_suffix("**"));
    inner.is_some_and(|inner| {
        !inner.is_empty()
            && !inner.contains("**")
            && !inner.contains(['\n', '['])
            && !inner.ends_with(['.', '!', '。'])
    })
}

/// The item that begins with `line`.
fn item(line: &str) -> Option<Item> {
    let indent = line.bytes().take_while(|byte| *byte == b' ').count();
    let (end, _) = marker(line);
    let (sign, length) = match line[indent..].chars().next() {
        Some('•') => ('-', '•'.len_utf8()),
        _ if end > 0 => (line[..end].chars().next_back()?, end - indent),
        _ => return None,
    };
    Some(Item {
        indent,
        number: line[indent..indent + length]
            .strip_suffix(['.', ')'])
            .and_then(|number| number.parse().ok()),
        sign,
        shift: Cell::new(0),
        text: line[indent + length..].trim().to_owned(),
    })
}

/// `text`, which stood within a line, so that it opens no block at the start of one.
pub(super) fn moved_start(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let is_block = match digits {
        0 => {
            text.starts_with(['~', '#', '>', '=', '|', '+'])
                || text.starts_with(['-', '*', '_'])
                    && !text[1..].starts_with(|c: char| {
                        c.is_alphanumeric() || matches!(c, '*' | '_') && !may_be_rule(text)
                    })
        }
        _ => rest.starts_with(['.', ')']),
    };
    match is_block {
        true => format!("{}\\{rest}", &text[..digits]),
        false => text.to_owned(),
    }
}

/// Returns true if the line at the start of `text` may be a thematic break.
fn may_be_rule(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or(text);
    line.chars()
        .all(|c| matches!(c, '-' | '*' | '_' | ' ' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds of the blocks of `text`, with the lines of each.
    fn blocks(text: &str) -> Vec<(&'static str, bool, String)> {
        let mut reader = BlockReader::default();
        let mut found = reader.push(text);
        found.extend(reader.finish());
        let found = found.iter().map(|(place, block)| {
            let kind = match block {
                AnswerBlock::Heading(..) => "heading",
                AnswerBlock::Paragraph(_) => "paragraph",
                AnswerBlock::List(_) => "list",
                AnswerBlock::Table(_) => "table",
                AnswerBlock::Fence(_) => "fence",
                AnswerBlock::Rule => "rule",
            };
            (kind, place.is_tight, block.text())
        });
        found.collect()
    }

    #[test]
    fn blocks_end_at_blank_lines_and_at_other_blocks() {
        let text = "# Keys\nA\nb:\n- c\n  d\n  1. e\n```sh\n\n- f\n```\n| g | h |\n|---|---|\n| i | j |\n\n---\n**K**\n\n~~~\nl";
        let expected = [
            ("heading", false, "# Keys"),
            ("paragraph", true, "A\nb:"),
            ("list", true, "c\n  d\ne"),
            ("fence", true, "```sh\n\n- f\n```"),
            ("table", true, "| g | h |\n|---|---|\n| i | j |"),
            ("rule", false, ""),
            ("heading", true, "**K**"),
            ("fence", false, "~~~\nl\n~~~"),
        ];
        let expected = expected.map(|(kind, is_tight, text)| (kind, is_tight, text.to_owned()));
        assert_eq!(blocks(text), expected);
        assert_eq!(blocks("\n\n"), []);
    }

    #[test]
    fn items_have_their_numbers() {
        let mut reader = BlockReader::default();
        let _ = reader.push("  3) a\n- b\n• c");
        let found = reader.finish();
        let [(_, AnswerBlock::List(items))] = &found[..] else {
            panic!("{found:?}");
        };
        let markers: Vec<String> = items.iter().map(Item::marker).collect();
        assert_eq!(markers, ["3)", "-", "-"]);
        items[0].shift.set(1);
        assert_eq!((items[0].marker().as_str(), items[0].indent), ("2)", 2));
    }
}
