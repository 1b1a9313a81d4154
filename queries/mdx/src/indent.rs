//! Indentation of Markdown inside elements: the common part goes, and what is left never makes an indented code block,
//! which MDX does not have. Fences are recognised here too, because their content is left alone.

use base::place::lines;

/// A fence of backticks or tildes.
pub(super) struct Fence {
    marker: u8,
    len: usize,
}

impl Fence {
    /// The fence that `line` opens, inside any list items and block quotes (CommonMark 4.5).
    pub(super) fn opening(line: &str) -> Option<Self> {
        let mut rest = line.trim_start();
        loop {
            let marker = *rest.as_bytes().first()?;
            if marker == b'`' || marker == b'~' {
                let len = rest.bytes().take_while(|byte| *byte == marker).count();
                let is_fence = len >= 3 && !(marker == b'`' && rest[len..].contains('`'));
                return is_fence.then_some(Self { marker, len });
            }
            rest = match marker {
                b'>' => rest[1..].trim_start(),
                _ => rest[list_marker_len(rest)?..].trim_start(),
            };
        }
    }

    /// Returns true if `line` closes this fence.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
        line.len() >= self.len && line.bytes().all(|byte| byte == self.marker)
    }
}

/// The length of the list marker at the start of `text`, without the space that must follow it (CommonMark 5.2).
fn list_marker_len(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let len = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    matches!(
        text.as_bytes().get(len),
        None | Some(b' ' | b'\t' | b'\n' | b'\r')
    )
    .then_some(len)
}

/// Returns true if `before`, the beginning of a line, has only indentation and the markers of lists
/// and quotes.
pub(super) fn is_container_prefix(before: &str) -> bool {
    let mut rest = before.trim_start();
    while !rest.is_empty() {
        rest = match rest.strip_prefix('>') {
            Some(rest) => rest.trim_start(),
            None => match list_marker_len(rest) {
                Some(len) => rest[len..].trim_start(),
                None => return false,
            },
        };
    }
    true
}

/// Returns the offset of the marker after the first `count` markers of lists and quotes on `line`.
pub(super) fn marker_after(line: &str, count: usize) -> Option<usize> {
    let mut rest = line.trim_start();
    let mut depth = 0;
    loop {
        let len = match rest.strip_prefix('>') {
            Some(_) => 1,
            None => list_marker_len(rest)?,
        };
        if depth == count {
            return Some(line.len() - rest.len());
        }
        depth += 1;
        rest = rest[len..].trim_start();
    }
}

/// Removes the indentation that all lines of `text` share, and what would make a line indented code.
pub(super) fn normalize(text: &str) -> String {
    let common = common_indent(text);
    let mut normalized = String::with_capacity(text.len());
    // The open fence, the indentation removed from its lines, and its column.
    let mut fence: Option<(Fence, usize, usize)> = None;
    // The columns where the content of the open list items begins, innermost last: as written, and as normalized.
    let mut contents: Vec<(usize, usize)> = Vec::new();
    for line in lines(text) {
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = width(&line[..line.len() - rest.len()]);
        let indent = indent.saturating_sub(common);
        if let Some((open, strip, column)) = &fence {
            // Its end counts at any indentation: CommonMark takes one that is indented further for
            // code.
            let is_closing = open.is_closed_by(line);
            let inner = indent.saturating_sub(*strip);
            push_indented(
                &mut normalized,
                if is_closing { *column } else { inner },
                rest,
            );
            if is_closing {
                fence = None;
            }
            continue;
        }
        if rest.trim().is_empty() {
            normalized.push('\n');
            continue;
        }
        while contents
            .last()
            .is_some_and(|(written, _)| indent < *written)
        {
            contents.pop();
        }
        let (written, base) = contents.last().copied().unwrap_or((0, 0));
        // What is further in would be code; it stays further in than what is less so.
        let indent_width = base + (indent - written).min(3);
        let (mut column, mut inner) = (indent_width, rest);
        while let Some(len) = list_marker_len(inner) {
            let after = &inner[len..];
            let gap = after.len() - after.trim_start_matches([' ', '\t']).len();
            let gap = if gap == 0 || gap > 4 || after.trim().is_empty() {
                1
            } else {
                gap
            };
            column += len + gap;
            contents.push((column + indent - indent_width, column));
            inner = after.get(gap..).unwrap_or("");
        }
        // One after the marker of an item has the column of the item's content.
        if let Some(open) = Fence::opening(rest) {
            fence = Some((open, indent - indent_width, column));
        }
        match is_delimiter_row(rest) {
            true => push_indented(&mut normalized, indent_width, &rest.replace('\t', " ")),
            false => push_indented(&mut normalized, indent_width, rest),
        }
    }
    normalized
}

/// Returns true if `line` is the row below the head of a table (GFM 4.10) with tabs in it, which
/// the Markdown parser refuses.
fn is_delimiter_row(line: &str) -> bool {
    line.contains('\t')
        && line.contains('-')
        && line.contains('|')
        && line.bytes().all(|byte| b"|-: \t\r\n".contains(&byte))
}

fn push_indented(out: &mut String, indent: usize, rest: &str) {
    out.extend(std::iter::repeat_n(' ', indent));
    out.push_str(rest);
}

/// The columns that `indent` takes; a tab counts as four.
fn width(indent: &str) -> usize {
    indent
        .bytes()
        .map(|byte| if byte == b'\t' { 4 } else { 1 })
        .sum()
}

/// The smallest indentation of the lines, blank lines and the insides of fences apart.
fn common_indent(text: &str) -> usize {
    let mut fence: Option<Fence> = None;
    let mut common = usize::MAX;
    for line in lines(text) {
        if let Some(open) = &fence {
            if open.is_closed_by(line) {
                fence = None;
            }
            continue;
        }
        let rest = line.trim_start_matches([' ', '\t']);
        if rest.trim().is_empty() {
            continue;
        }
        common = common.min(width(&line[..line.len() - rest.len()]));
        fence = Fence::opening(rest);
    }
    if common == usize::MAX { 0 } else { common }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_indentation_goes_and_code_stays() {
        let text = "\n    # Title\n\n    ```js\n      a\n    ```\n        deep\n";
        assert_eq!(normalize(text), "\n# Title\n\n```js\n  a\n```\n   deep\n");
    }

    #[test]
    fn the_content_of_list_items_keeps_its_place() {
        let text = "- a\n\n  b\n    - c\n\n      d\n          e\n";
        assert_eq!(
            normalize(text),
            "- a\n\n  b\n    - c\n\n      d\n         e\n"
        );
    }

    #[test]
    fn a_fence_may_be_closed_at_any_indentation() {
        let text = "- a\n\n  ```\n  b\n          ```\n  c\n";
        assert_eq!(normalize(text), "- a\n\n  ```\n  b\n  ```\n  c\n");
    }

    #[test]
    fn a_fence_that_follows_a_marker_ends_in_its_item() {
        let text = "* ```js\n  a\n  ```\n\nafter\n1. - ```\n     a\n       b\n     ```\n   - c\n";
        assert_eq!(normalize(text), text);
        let text = "-    ```\n     a\n     ```\n  - b\n";
        assert_eq!(normalize(text), text);
        assert_eq!(
            normalize("x\n    - ```\n          a\n          ```\n    - b\n"),
            "x\n   - ```\n         a\n     ```\n   - b\n"
        );
    }

    #[test]
    fn tabs_between_the_columns_of_a_table_are_blanks() {
        assert_eq!(
            normalize("| a\t|\n| -\t|\t- |\n|\tb |\n"),
            "| a\t|\n| - | - |\n|\tb |\n"
        );
    }

    #[test]
    fn siblings_that_are_indented_deeply_stay_siblings() {
        let text = "types:\n    - a\n    - b\n      c\n        - d\n        - e\n    - f\n";
        let expected = "types:\n   - a\n   - b\n     c\n       - d\n       - e\n   - f\n";
        assert_eq!(normalize(text), expected);
    }

    #[test]
    fn what_stands_further_out_ends_what_stands_further_in() {
        let text = "  1. a\n    - b\n  2. c\n";
        assert_eq!(normalize(text), "1. a\n  - b\n2. c\n");
        let text = "x\n  1. a\n    - b\n  2. c\n";
        assert_eq!(normalize(text), "x\n  1. a\n   - b\n  2. c\n");
    }

    #[test]
    fn a_deeply_indented_fence_keeps_its_inner_indentation() {
        assert_eq!(
            normalize("x\n\n      ```\n        a\n      ```\n\ny\n"),
            "x\n\n   ```\n     a\n   ```\n\ny\n"
        );
    }
}
