//! Classifies text for the scanner: modules, code spans, addresses, the marks of block quotes.

use base::place::lines;

use super::BLANK;
use crate::indent::Fence;

/// `text` without the marks of `depth` block quotes at the beginning of each line but the first, and what was removed:
/// offsets in the new text, and how many bytes were there.
pub(super) fn unquote(text: &str, depth: usize) -> (String, Vec<(usize, usize)>) {
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

/// Returns true if `line` begins an ESM statement rather than a sentence with that word:
/// `import data from a file` is one, which MDX refuses and readers want to see.
pub(super) fn is_module_line(line: &str) -> bool {
    let line = line.trim_end();
    if let Some(rest) = line.strip_prefix("import") {
        let begins_name =
            |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c));
        let target = rest.trim_start();
        // Further names after the first may be on the next line.
        let is_whole = || {
            let name = target.split(|c: char| !(c.is_alphanumeric() || "_$".contains(c)));
            let behind = target[name.map(str::len).next().unwrap_or(0)..].trim_start();
            let from = behind.strip_prefix("from").map(str::trim_start);
            behind.starts_with(',') || from.is_some_and(|from| from.starts_with(['"', '\'']))
        };
        return rest.starts_with([' ', '{', '"', '\'', '*'])
            && (target.starts_with(['{', '"', '\'', '*']) || begins_name(target) && is_whole());
    }
    let Some(rest) = line.strip_prefix("export") else {
        return false;
    };
    let target = rest.trim_start();
    if !rest.starts_with([' ', '{']) || target.starts_with(['{', '*']) {
        return rest.starts_with([' ', '{']);
    }
    let (word, rest) = target.split_once(' ').unwrap_or((target, ""));
    match word {
        "const" | "let" | "var" => rest.contains('=') || rest.starts_with(['{', '[']),
        "function" | "async" | "class" => rest.contains(['(', '{']),
        // A name, or something that no sentence has.
        "default" => {
            !rest.trim().contains(' ') || rest.contains(['(', '{', '=', '<', '`', '"', '\''])
        }
        _ => false,
    }
}

/// Returns true if a block might begin with `c`.
pub(super) fn begins_block(c: char) -> bool {
    matches!(c, '#' | '-' | '+' | '*' | '>' | '`' | '~' | '|' | '=' | '_') || c.is_ascii_digit()
}

/// Returns true if a line of `text` begins a block that interrupts a paragraph: a heading, a list, a quote, code, or a block
/// placeholder.
pub(super) fn holds_block(text: &str) -> bool {
    lines(text).any(|line| {
        let line = line.trim_start();
        let interrupts = ["#", ">", "- ", "* ", "+ ", "1. ", "1) ", "|", "<!--"];
        interrupts.iter().any(|mark| line.starts_with(mark)) || Fence::opening(line).is_some()
    })
}

/// `text`, which is `inner` without the blanks around it, with one blank on either side where `inner` has any.
pub(super) fn with_blanks(inner: &str, text: &str) -> String {
    let blank = |has: bool| if has { BLANK } else { "" };
    let before = blank(inner.starts_with(char::is_whitespace));
    let after = blank(inner.ends_with(char::is_whitespace));
    format!("{before}{text}{after}")
}

pub(super) fn has_blank_line(text: &str) -> bool {
    lines(text.trim_end())
        .skip(1)
        .any(|line| line.trim().is_empty())
}

/// The length of the code span at the start of `text`, or of its run of backticks if it never closes (CommonMark 6.1).
pub(super) fn code_span_len(text: &str) -> usize {
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
pub(super) fn autolink_len(text: &str) -> Option<usize> {
    // Neither has a `<` in it: what follows that is looked at by itself.
    let end = 1
        + (text[1..].find(['>', '<', ' ', '\n', '\t']))
            .filter(|end| text[1 + end..].starts_with('>'))?;
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
