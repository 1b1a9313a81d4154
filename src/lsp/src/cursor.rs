//! The construct of a page at an offset, as far as it is written: pages are incomplete while they are typed, so this reads
//! the text around the offset and not a syntax tree.

use std::ops::Range;

/// Maximum distance, in bytes, between the start of a tag and the offset.
const MAX_TAG: usize = 8 * 1024;

/// A construct of a page. Ranges are of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cursor {
    /// Name of a field of the frontmatter.
    Key { range: Range<usize> },
    /// Value of a field of the frontmatter, without quotes.
    Value { key: String, range: Range<usize> },
    /// Name of an element; `</Name` is closing.
    Tag {
        range: Range<usize>,
        is_closing: bool,
    },
    /// Name of a prop, or the place of one.
    Prop {
        component: String,
        range: Range<usize>,
        /// Props that the element has, without the one at the offset.
        present: Vec<String>,
        /// Whether a value follows.
        has_value: bool,
    },
    /// Value of a prop, without quotes.
    PropValue {
        component: String,
        prop: String,
        range: Range<usize>,
    },
    /// Destination of a link or of a picture of Markdown.
    Link { range: Range<usize> },
    /// Words of an import, without quotes.
    Import { range: Range<usize> },
    /// Text of a heading.
    Heading { range: Range<usize> },
    /// Text, code, an expression.
    Other,
}

/// Returns the range of the frontmatter of `text`, without its fences.
pub(crate) fn front_matter(text: &str) -> Option<Range<usize>> {
    let start = text.strip_prefix('\u{feff}').map_or(0, |_| 3);
    let first = text[start..].split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let from = start + first.len();
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(from..at);
        }
        at += line.len();
    }
    // Its end is not written yet: up to the first line that is no field.
    let mut end = from;
    for line in text[from..].split_inclusive('\n') {
        let is_word = line.trim_end().chars().all(char::is_alphanumeric);
        let is_key = is_word && !line.trim().is_empty();
        let is_field = is_key || line.contains(':') || line.starts_with([' ', '-', '#']);
        if !is_field {
            break;
        }
        end += line.len();
    }
    Some(from..end)
}

/// Returns the lines of the body of `text` outside of fenced code, each with its offset.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let body = front_matter(text).map_or(0, |range| {
        let rest = &text[range.end..];
        let fence = rest.split_inclusive('\n').next().unwrap_or_default();
        range.end
            + if fence.trim_end() == "---" {
                fence.len()
            } else {
                0
            }
    });
    let mut at = body;
    let mut fence: Option<&str> = None;
    text[body..].split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let marks = trimmed.len() - trimmed.trim_start_matches(['`', '~']).len();
        match fence {
            Some(open) => {
                if trimmed.starts_with(open) && marks == trimmed.len() {
                    fence = None;
                }
                None
            }
            None if marks >= 3 => {
                fence = Some(&trimmed[..marks]);
                None
            }
            None => Some((start, line)),
        }
    })
}

/// Returns the construct at `offset` of the page `text`.
pub(crate) fn at(text: &str, offset: usize) -> Cursor {
    if let Some(range) = front_matter(text)
        && range.start <= offset
        && offset <= range.end
        && !(offset == range.end && text[range.end..].starts_with("---"))
    {
        return in_front_matter(text, range, offset);
    }
    let line = lines(text).find(|(start, line)| {
        let end = start + line.len();
        *start <= offset && (offset < end || offset == end && !line.ends_with('\n'))
    });
    let at_end = offset == text.len() && (text.is_empty() || text.ends_with('\n'));
    let (start, line) = match line {
        Some(found) => found,
        None if at_end && !is_in_code(text) => (offset, ""),
        None => return Cursor::Other,
    };
    let line = line.trim_end_matches(['\n', '\r']);
    let before = &line[..(offset - start).min(line.len())];
    let is_in_code = before.matches('`').count() % 2 == 1;
    if let Some(link) = link(start, line, offset).filter(|_| !is_in_code) {
        return link;
    }
    if let Some(tag) = tag(text, offset) {
        return tag;
    }
    if is_in_code {
        return Cursor::Other;
    }
    if let Some(range) = import(start, line, offset) {
        return Cursor::Import { range };
    }
    if let Some(range) = heading(start, line) {
        return Cursor::Heading { range };
    }
    Cursor::Other
}

/// Returns true if `text` ends within fenced code.
fn is_in_code(text: &str) -> bool {
    let probe = format!("{text}\u{1}");
    !lines(&probe).any(|(_, line)| line.ends_with('\u{1}'))
}

fn in_front_matter(text: &str, block: Range<usize>, offset: usize) -> Cursor {
    let start = text[..offset]
        .rfind('\n')
        .map_or(0, |at| at + 1)
        .max(block.start);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    let line = text[start..end].trim_end_matches('\r');
    let is_nested = line.starts_with([' ', '\t', '-']);
    if is_nested {
        let above = text[block.start..start].lines().rev();
        let mut above = above.filter(|line| !line.starts_with([' ', '\t', '-']));
        let key = above.next().and_then(|line| line.split_once(':'));
        let from = start + line.len() - line.trim_start_matches([' ', '\t', '-']).len();
        return match key {
            Some((key, _)) => Cursor::Value {
                key: key.trim().to_owned(),
                range: unquoted(text, from.min(offset)..start + line.len()),
            },
            None => Cursor::Other,
        };
    }
    let colon = line.find(':').filter(|colon| start + colon < offset);
    match colon {
        Some(colon) => {
            let from = start + colon + 1;
            let blanks = text[from..start + line.len()].len()
                - text[from..start + line.len()].trim_start().len();
            let range = (from + blanks).min(offset.max(from))..start + line.len();
            Cursor::Value {
                key: line[..colon].trim().to_owned(),
                range: unquoted(text, range),
            }
        }
        None => {
            let len = line.find(':').unwrap_or(line.len());
            let len = line[..len].trim_end().len().max(offset - start);
            Cursor::Key {
                range: start..start + len,
            }
        }
    }
}

/// Returns `range` without the quotes around it and without white space at its end.
fn unquoted(text: &str, range: Range<usize>) -> Range<usize> {
    let value = &text[range.clone()];
    let trimmed = value.trim_end();
    let Some(quote) = trimmed.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return range.start..range.start + trimmed.len();
    };
    let inner = &trimmed[1..];
    let end = inner.find(quote).unwrap_or(inner.len());
    range.start + 1..range.start + 1 + end
}

/// Returns the part of a tag at `offset`; `None` outside of tags.
fn tag(text: &str, offset: usize) -> Option<Cursor> {
    let from = text[..offset].len().saturating_sub(MAX_TAG);
    let from = (from..=offset).find(|at| text.is_char_boundary(*at))?;
    let mut end = offset;
    // A `<` within a value or an expression of the tag around it is no start of this one.
    let mut found = None;
    while let Some(at) = text[from..end].rfind('<') {
        let open = from + at;
        end = open;
        if let Some(cursor) = read_tag(text, open, offset) {
            found = Some(cursor);
            break;
        }
        if text[open..offset].contains("\n\n") {
            break;
        }
    }
    found
}

/// Reads the tag that begins at `open` up to `offset`; `None` if it ends before, or is none.
fn read_tag(text: &str, open: usize, offset: usize) -> Option<Cursor> {
    let bytes = text.as_bytes();
    let is_closing = bytes.get(open + 1) == Some(&b'/');
    let name_start = open + 1 + usize::from(is_closing);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'$');
    let name_len = bytes[name_start..]
        .iter()
        .take_while(|b| is_name(b))
        .count();
    let name_end = name_start + name_len;
    let starts_well = (bytes.get(name_start)).is_some_and(u8::is_ascii_alphabetic);
    if offset < name_start || name_len > 0 && !starts_well {
        return None;
    }
    if offset <= name_end {
        return Some(Cursor::Tag {
            range: name_start..name_end,
            is_closing,
        });
    }
    if name_len == 0 || is_closing {
        return None;
    }
    let component = text[name_start..name_end].to_owned();
    let mut present = Vec::new();
    let mut at = name_end;
    loop {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if at >= offset {
            // White space before the next prop, or the first byte of it.
            let len = bytes[at..].iter().take_while(|b| is_name(b)).count();
            let (range, len) = match at == offset {
                true => (offset..offset + len, len),
                false => (offset..offset, 0),
            };
            let after = &text[at + len..];
            return Some(Cursor::Prop {
                component,
                range,
                has_value: len > 0 && after.starts_with('='),
                present,
            });
        }
        match bytes.get(at)? {
            b'>' => return None,
            b'/' => {
                at += 1;
                continue;
            }
            b'{' => {
                // `{...props}` or a comment.
                at = end_of_braces(text, at)?;
                if at > offset {
                    return Some(Cursor::Other);
                }
                continue;
            }
            b if is_name(b) => {}
            _ => return None,
        }
        let start = at;
        at += bytes[at..].iter().take_while(|b| is_name(b)).count();
        let prop = start..at;
        if offset <= at {
            return Some(Cursor::Prop {
                component,
                has_value: text[at..].starts_with('='),
                range: prop,
                present,
            });
        }
        present.push(text[prop.clone()].to_owned());
        if bytes.get(at) != Some(&b'=') {
            continue;
        }
        at += 1;
        match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => {
                let from = at + 1;
                let close = text[from..].find(*quote as char).map(|len| from + len);
                // A quote that is not closed yet ends with its line.
                let line = text[from..].find('\n').map_or(text.len(), |len| from + len);
                let close = match close {
                    Some(close) if close <= line || !text[from..close].contains('<') => close,
                    _ => line,
                };
                if offset >= from && offset <= close {
                    return Some(Cursor::PropValue {
                        component,
                        prop: text[prop].to_owned(),
                        range: from..close,
                    });
                }
                at = (close + 1).min(text.len());
            }
            Some(b'{') => {
                let close = end_of_braces(text, at);
                if close.is_none_or(|close| offset < close) {
                    let inner = &text[at + 1..];
                    let blanks = inner.len() - inner.trim_start().len();
                    let quote = inner.trim_start().chars().next();
                    let from = at + 2 + blanks;
                    // `icon={"name"}` is a text like `icon="name"`.
                    if let Some(quote @ ('"' | '\'' | '`')) = quote
                        && offset >= from
                    {
                        let close = text[from..].find([quote, '\n'])?;
                        if offset <= from + close {
                            return Some(Cursor::PropValue {
                                component,
                                prop: text[prop].to_owned(),
                                range: from..from + close,
                            });
                        }
                    }
                    return Some(Cursor::Other);
                }
                at = close?;
            }
            _ => {}
        }
        if at > offset {
            return Some(Cursor::Other);
        }
    }
}

/// Returns the offset behind the brace that closes the one at `open`, quotes observed.
fn end_of_braces(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, open);
    let end = (open + MAX_TAG).min(bytes.len());
    while at < end {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            quote @ (b'"' | b'\'' | b'`') => {
                let rest = &bytes[at + 1..end];
                let is_end = |b: &u8| *b == quote || *b == b'\n' && quote != b'`';
                at += 1 + rest.iter().position(is_end)?;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the destination at `offset` of a link in `line`, which begins at `start`.
fn link(start: usize, line: &str, offset: usize) -> Option<Cursor> {
    let at = offset - start;
    let before = line.get(..at)?;
    let from = match before.rfind("](") {
        Some(open) => {
            let from = open + 2;
            from + usize::from(line[from..].starts_with('<'))
        }
        None => {
            let (label, rest) = line.trim_start().split_once("]:")?;
            label.starts_with('[').then_some(())?;
            let from = line.len() - rest.trim_start().len();
            (from <= at).then_some(from)?
        }
    };
    if from > at || before[from..].contains([')', '>', ' ', '\t']) {
        return None;
    }
    let end = line[at..].find([')', '>', ' ', '\t', '"']);
    let end = end.map_or(line.len(), |end| at + end);
    Some(Cursor::Link {
        range: start + from..start + end,
    })
}

/// Returns the words at `offset` of an import in `line`.
fn import(start: usize, line: &str, offset: usize) -> Option<Range<usize>> {
    let is_import = line.starts_with("import ") || line.starts_with("} from ");
    let quote = line.find(['"', '\'']).filter(|_| is_import)?;
    let from = quote + 1;
    let len = line[from..].find(['"', '\'', ';']);
    let end = len.map_or(line.len(), |len| from + len);
    let at = offset - start;
    (from <= at && at <= end).then_some(start + from..start + end)
}

/// Returns the text of the heading `line` is.
pub(crate) fn heading(start: usize, line: &str) -> Option<Range<usize>> {
    let line = line.trim_end_matches(['\n', '\r']);
    let indent = line.len() - line.trim_start_matches(' ').len();
    let marks = line[indent..].len() - line[indent..].trim_start_matches('#').len();
    let rest = &line[indent + marks..];
    if indent > 3 || marks == 0 || marks > 6 || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let from = line.len() - rest.trim_start().len();
    let text = line[from..].trim_end();
    // A closing run of marks is not part of the text.
    let closed = text.trim_end_matches('#');
    let text = match closed.ends_with(' ') {
        true => closed.trim_end(),
        false => text,
    };
    Some(start + from..start + from + text.len())
}

/// Returns the elements that are open at `offset`, the innermost last.
pub(crate) fn open_elements(text: &str, offset: usize) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for (start, line) in lines(text) {
        let mut from = 0;
        while let Some(at) = line[from..].find('<') {
            let tag = start + from + at;
            from += at + 1;
            if tag >= offset {
                return open;
            }
            let rest = &text[tag + 1..offset.max(tag + 1)];
            let is_closing = rest.starts_with('/');
            let name: String = rest
                .trim_start_matches('/')
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '.')
                .collect();
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            if is_closing {
                if let Some(at) = open.iter().rposition(|known| *known == name) {
                    open.truncate(at);
                }
                continue;
            }
            let end = tag_end(text, tag).filter(|end| *end <= offset);
            if let Some(end) = end
                && !text[..end].ends_with("/>")
                && !is_void(&name)
            {
                open.push(name);
            }
        }
    }
    open
}

fn is_void(name: &str) -> bool {
    let void = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr",
    ];
    void.contains(&name)
}

/// Returns the offset behind the tag that begins at `open`.
fn tag_end(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return Some(at + 1),
            b'{' => at = end_of_braces(text, at)?,
            quote @ (b'"' | b'\'') => {
                at += 2 + bytes[at + 1..].iter().position(|b| b == quote)?;
            }
            b'<' => return None,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the construct at `|` and the text in its range.
    fn cursor(marked: &str) -> (Cursor, String) {
        let offset = marked.find('|').expect("a mark");
        let text = marked.replacen('|', "", 1);
        let cursor = at(&text, offset);
        let range = match &cursor {
            Cursor::Key { range }
            | Cursor::Value { range, .. }
            | Cursor::Tag { range, .. }
            | Cursor::Prop { range, .. }
            | Cursor::PropValue { range, .. }
            | Cursor::Link { range }
            | Cursor::Import { range }
            | Cursor::Heading { range } => range.clone(),
            Cursor::Other => 0..0,
        };
        (cursor, text[range].to_owned())
    }

    fn kind(marked: &str) -> String {
        let (cursor, text) = cursor(marked);
        match cursor {
            Cursor::Key { .. } => format!("key {text:?}"),
            Cursor::Value { key, .. } => format!("value {key} {text:?}"),
            Cursor::Tag { is_closing, .. } => format!("tag {text:?} {is_closing}"),
            Cursor::Prop {
                component, present, ..
            } => format!("prop {component} {text:?} {present:?}"),
            Cursor::PropValue {
                component, prop, ..
            } => format!("propvalue {component}.{prop} {text:?}"),
            Cursor::Link { .. } => format!("link {text:?}"),
            Cursor::Import { .. } => format!("import {text:?}"),
            Cursor::Heading { .. } => format!("heading {text:?}"),
            Cursor::Other => "other".to_owned(),
        }
    }

    #[test]
    fn front_matter_has_keys_and_values() {
        let cases = [
            ("---\nti|\n---\n", "key \"ti\""),
            ("---\nti|tle: A\n---\n", "key \"title\""),
            ("---\n|\n---\n", "key \"\""),
            ("---\ntitle: |\n---\n", "value title \"\""),
            ("---\ntitle:|\n---\n", "value title \"\""),
            (
                "---\nopenapi: \"GET /p|ets\"\n---\n",
                "value openapi \"GET /pets\"",
            ),
            ("---\nopenapi: 'GET |\n---\n", "value openapi \"GET\""),
            (
                "---\nkeywords:\n  - al|pha\n---\n",
                "value keywords \"alpha\"",
            ),
            ("---\ntitle: A\nic|", "key \"ic\""),
            ("---\ntitle: A\n---\n# H|i\n", "heading \"Hi\""),
        ];
        for (marked, expected) in cases {
            assert_eq!(kind(marked), expected, "{marked}");
        }
    }

    #[test]
    fn tags_have_names_props_and_values() {
        let cases = [
            ("text <Ca|", "tag \"Ca\" false"),
            ("text <|", "tag \"\" false"),
            ("<Card>a</Ca|", "tag \"Ca\" true"),
            ("<Card |", "prop Card \"\" []"),
            ("<Card ti|", "prop Card \"ti\" []"),
            (
                "<Card title=\"a\" ic|on=\"b\">",
                "prop Card \"icon\" [\"title\"]",
            ),
            (
                "<Card title=\"a\"\n  | href=\"b\">",
                "prop Card \"\" [\"title\"]",
            ),
            ("<Card title=\"a|", "propvalue Card.title \"a\""),
            (
                "<Card icon=\"ro|cket\" />",
                "propvalue Card.icon \"rocket\"",
            ),
            (
                "<Card icon={\"ro|cket\"} />",
                "propvalue Card.icon \"rocket\"",
            ),
            ("<Card icon={<A />} ti|>", "prop Card \"ti\" [\"icon\"]"),
            ("<Card x={a > b} ti|>", "prop Card \"ti\" [\"x\"]"),
            ("<Card title=\"a\">te|xt</Card>", "other"),
            ("a < b and c|", "other"),
            (
                "<Tabs>\n<Tab title=\"|\n<p>x</p>",
                "propvalue Tab.title \"\"",
            ),
            ("`<Card |`", "prop Card \"\" []"),
            ("```\n<Card |\n```", "other"),
        ];
        for (marked, expected) in cases {
            assert_eq!(kind(marked), expected, "{marked}");
        }
    }

    #[test]
    fn links_imports_and_headings_are_found() {
        let cases = [
            ("[a](/st|art) b", "link \"/start\""),
            ("[a](|", "link \"\""),
            ("[a](/start#|)", "link \"/start#\""),
            ("[a](/start \"ti|tle\")", "other"),
            ("[a](/start) b|", "other"),
            ("![a](<im|g.png>)", "link \"img.png\""),
            ("[ref]: /st|art", "link \"/start\""),
            (
                "import A from '/sn|ippets/a.mdx'",
                "import \"/snippets/a.mdx\"",
            ),
            ("## Two w|ords ##", "heading \"Two words\""),
            ("#no|ne", "other"),
            ("```\n# code|\n```\n", "other"),
        ];
        for (marked, expected) in cases {
            assert_eq!(kind(marked), expected, "{marked}");
        }
    }

    #[test]
    fn open_elements_are_those_without_an_end() {
        let text = "<Tabs>\n<Tab title=\"a > b\">\n<br>\n<Icon icon=\"x\" />\n`a` </Tab>\n<Tab title=\"c\">\n";
        assert_eq!(open_elements(text, text.len()), ["Tabs", "Tab"]);
        assert_eq!(open_elements(text, 7), ["Tabs"]);
    }
}
