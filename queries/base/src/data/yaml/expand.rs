//! Lower bound of the size of a document with its aliases expanded, computed from its text in one
//! pass.

use std::collections::HashMap;

use super::{BREAKS, marks};

/// A node that an anchor names.
struct AnchoredNode<'t> {
    name: &'t str,
    /// The place of the mark.
    start: usize,
    /// End of the node, or an offset after it.
    end: usize,
    /// Whether it is a text or a number, which holds no aliases.
    is_scalar: bool,
}

/// Returns the size of `text` with its aliases expanded, in bytes; it may be too large, and never
/// too small.
pub(super) fn expanded(text: &str) -> usize {
    let anchors: Vec<(usize, &str)> = marks(text, b'&').collect();
    let names: std::collections::HashSet<&str> = anchors.iter().map(|(_, name)| *name).collect();
    // An alias of a name that no anchor has is an error or a word of prose; neither grows.
    let aliases: Vec<(usize, &str)> = marks(text, b'*')
        .filter(|(_, name)| names.contains(name))
        .collect();
    if aliases.is_empty() {
        return text.len();
    }
    let lines = with_lines(text);
    let anchors = anchors.into_iter().map(|(start, name)| {
        let (end, is_scalar) = end_of_node(&lines, start, start + 1 + name.len());
        AnchoredNode {
            name,
            start,
            end,
            is_scalar,
        }
    });
    let mut anchors: Vec<AnchoredNode<'_>> = anchors.collect();
    // Inner nodes end before the outer one, so the sizes that it needs are known.
    anchors.sort_by_key(|one| (one.end, std::cmp::Reverse(one.start)));
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    let size_of = |sizes: &HashMap<&str, usize>, (from, to): (usize, usize)| {
        let first = aliases.partition_point(|(at, _)| *at < from);
        let within = aliases[first..].iter().take_while(|(at, _)| *at < to);
        within.fold(to - from, |sum, (_, name)| {
            // A node that holds itself has no end.
            sum.saturating_add(sizes.get(name).copied().unwrap_or(usize::MAX))
        })
    };
    for one in &anchors {
        let size = match one.is_scalar {
            true => one.end - one.start,
            false => size_of(&sizes, (one.start, one.end)),
        };
        // Of anchors with one name, the largest.
        let known = sizes.entry(one.name).or_default();
        *known = size.max(*known);
    }
    size_of(&sizes, (0, text.len()))
}

/// The bytes of `text` with `\n` at the end of each line that the parser sees, everything else at its place.
fn with_lines(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for end in BREAKS {
        for at in memchr::memmem::find_iter(text.as_bytes(), end) {
            bytes[at..at + end.len()].fill(b' ');
            let last = at + end.len() - 1;
            if bytes.get(last + 1) != Some(&b'\n') {
                bytes[last] = b'\n';
            }
        }
    }
    bytes
}

/// Returns the end of the node whose anchor is at `start` and whose text begins after `from`, and
/// whether it is a scalar.
fn end_of_node(bytes: &[u8], start: usize, from: usize) -> (usize, bool) {
    let line = bytes[..start]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let indent = indent_of(&bytes[line..]);
    let end_of_line =
        |at: usize| memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n + 1);
    let first = first_of_node(bytes, from);
    let is_of_line = first < end_of_line(from);
    // What brackets and quotes hold may go on further to the left.
    let (enclosed, is_quoted) = match bytes.get(first) {
        Some(b'[' | b'{') => (end_of_brackets(bytes, first), false),
        Some(quote @ (b'"' | b'\'')) => (end_of_quote(bytes, first, *quote), true),
        _ => (0, false),
    };
    if enclosed > 0 && is_of_line {
        return (enclosed, is_quoted);
    }
    // Behind the end of the line a list or an object may follow, whatever it begins with.
    let is_scalar = is_of_line && first < bytes.len();
    let mut end = end_of_line(from);
    // A list may have the same indentation as its key.
    let is_item = bytes[line..start].trim_ascii_start().starts_with(b"-");
    while end < bytes.len() {
        let rest = &bytes[end..];
        let own = indent_of(rest);
        let text = &rest[own..];
        let is_blank = matches!(text.first(), None | Some(b'\n' | b'\r' | b'#'));
        let is_list = own == indent && !is_item && !is_scalar && text.starts_with(b"-");
        if !is_blank && own <= indent && !is_list {
            break;
        }
        end = end_of_line(end);
    }
    (end.max(enclosed), is_scalar)
}

/// Returns the start of the text of a node whose anchor ends at `from`: after blanks, line breaks,
/// comments and tags.
fn first_of_node(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &bytes[at..];
        let is_end = |byte: &u8| byte.is_ascii_whitespace();
        at += match rest.first() {
            Some(b' ' | b'\t' | b'\n' | b'\r') => 1,
            Some(b'#') => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            Some(b'!') => rest.iter().position(is_end).unwrap_or(rest.len()),
            _ => return at,
        };
    }
}

fn indent_of(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b' ').count()
}

/// Behind the bracket that closes the one at `open`; behind the text if none does.
fn end_of_brackets(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (n, byte) in bytes[open..].iter().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return open + n + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

fn end_of_quote(bytes: &[u8], open: usize, quote: u8) -> usize {
    let mut is_escaped = false;
    for (n, byte) in bytes[open + 1..].iter().enumerate() {
        match byte {
            b'\\' if quote == b'"' && !is_escaped => is_escaped = true,
            byte if *byte == quote && !is_escaped => return open + n + 2,
            _ => is_escaped = false,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_aliases_is_as_large_as_it_is() {
        assert_eq!(expanded("a: &a 1\nb: 2 * 3\nc: '*'\n"), 24);
    }

    #[test]
    fn an_alias_counts_as_what_it_names() {
        let node = "&a\n  x: 1\n  y: 2\n";
        let text = format!("a: {node}b: *a\nc: 0\n");
        assert_eq!(expanded(&text), text.len() + node.len());
        let list = "&a\n- 1\n- 2\n";
        let text = format!("a: {list}b: *a\n");
        assert_eq!(expanded(&text), text.len() + list.len());
        let item = "&a\n  x: 1\n";
        let text = format!("- {item}- *a\n");
        assert_eq!(expanded(&text), text.len() + item.len());
    }

    #[test]
    fn sizes_multiply() {
        let mut text = "a0: &a0 [x, x]\n".to_owned();
        for n in 1..30 {
            text.push_str(&format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1));
        }
        assert!(expanded(&text) > 1 << 29, "{}", expanded(&text));
    }

    #[test]
    fn what_goes_on_further_left_counts_too() {
        for node in [
            "&a [1,\n2, 3]\n",
            "&a \"one\ntwo \\\" three\"\n",
            "&a {x: [1,\n2]}\n",
        ] {
            let text = format!("a: {node}b: *a\n");
            assert!(expanded(&text) >= text.len() + node.len() - 1, "{node}");
        }
    }

    /// Everything that the parser takes for an anchor counts: after a tag, before one, after any
    /// break that it knows.
    #[test]
    fn no_spelling_hides_a_node() {
        let long = "1, ".repeat(400);
        let list = format!("[{long}1]");
        let items = long.replace(", ", ",\n");
        for (text, is_read) in [
            (format!("a: &a {list}\nb: *a\n"), true),
            (format!("a: !t &a {list}\nb: *a\n"), true),
            (format!("a: !!seq &a {list}\nb: *a\n"), true),
            (format!("a: !<tag:x,1> &a {list}\nb: *a\n"), true),
            (format!("[!!seq &a {list}, *a]\n"), true),
            (format!("a: &a !!seq {list}\nb: *a\n"), true),
            (format!("a: &a\n {list}\nb: *a\n"), true),
            (format!("a: &a\n [{items}1]\nb: *a\n"), true),
            (format!("a: &a # list\n [{items}1]\nb: *a\n"), true),
            (format!("a: &a !!seq [{items}1]\nb: *a\n"), true),
            (
                format!("a: &a\n # list\n !!seq\n [{items}1]\nb: *a\n"),
                true,
            ),
            (format!("a:\r &a {list}\rb: *a\r"), true),
            (format!("a: &a\r {list}\rb: *a\r"), true),
            (format!("a:\u{85} &a {list}\u{85}b: *a\n"), true),
            (format!("a:\u{2028} &a {list}\nb:\u{2029} *a\n"), true),
            (format!("a: &a\u{2028} {list}\nb: *a\n"), true),
            (format!("\u{feff}[&a {list}, *a]\n"), true),
        ] {
            let read = serde_yaml::from_str::<serde_yaml::Value>(&text);
            assert_eq!(read.is_ok(), is_read, "{}: {read:?}", &text[..24]);
            assert!(
                expanded(&text) >= text.len() + list.len(),
                "{}: {} of {}",
                text.chars().take(24).collect::<String>().escape_debug(),
                expanded(&text),
                text.len()
            );
        }
    }

    /// Texts made of pieces, in any order: where the parser follows an alias, more is counted than there is.
    #[test]
    fn every_alias_that_the_parser_follows_counts() {
        let pieces = [
            "a: ", "b: ", "&a ", "&a", "*a", "*a ", "[", "]", "{", "}", ", ", "\n", "\r", "\r\n",
            " ", "- ", "!t ", "!<t,1> ", "\u{2028}", "\u{85}", "x", "'q'", "\"q\"", "? ", ": ",
            "# c\n", "--- ", "|\n", "\t", "\u{feff}",
        ];
        let is_read = |text: &str| serde_yaml::from_str::<serde_yaml::Value>(text).is_ok();
        let mut seed = 7_u64;
        let mut next = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % most
        };
        let mut followed = 0;
        for _ in 0..60_000 {
            let mut text = String::new();
            let frame = [
                (["a: ", "- ", "[", "{x: ", "? ", "--- ["], "&a "),
                (
                    ["\nb: ", "\n- ", ", ", ", y: ", "\r- ", "\u{2028}b: "],
                    "*a",
                ),
                (["", "\n", "]", "}", "\r", " # c\n"], ""),
            ];
            for (opens, mark) in frame {
                text.push_str(opens[next(opens.len())]);
                (0..next(3)).for_each(|_| text.push_str(pieces[next(pieces.len())]));
                text.push_str(mark);
            }
            // Another name is that of no anchor.
            if is_read(&text) && !is_read(&text.replace("*a", "*b")) {
                followed += 1;
                assert!(
                    expanded(&text) > text.len(),
                    "{text:?}: {}",
                    expanded(&text)
                );
            }
        }
        assert!(followed > 500, "{followed}");
    }

    #[test]
    fn nodes_of_one_line_hold_what_their_brackets_hold() {
        let inner = "&d { type: string }";
        let text = format!("c: &c {{ a: {inner}, b: *d, c: *d }}\ne: *c\n");
        let outer = text.find("\ne").unwrap() - 3 + 2 * inner.len();
        assert_eq!(expanded(&text), text.len() + 2 * inner.len() + outer);
        let text = "{ a: &a 1, b: *a, c: *a }\n";
        assert!(expanded(text) < 3 * text.len(), "{}", expanded(text));
        let long = "x".repeat(1000);
        let text = format!("a: &a {long}, *a\n  {long}\nb: *a\n");
        assert!(expanded(&text) > 4000);
    }

    #[test]
    fn a_node_that_holds_itself_has_no_end() {
        assert_eq!(expanded("a: &a\n  b: *a\n"), usize::MAX);
    }
}
