//! Sentences of a line of CommonMark.

/// Abbreviations whose dot ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "dr.", "mr.", "mrs.", "ms.", "st.",
    "inc.", "ltd.", "fig.", "resp.", "incl.", "max.", "min.",
];

/// Longest word that is looked up as an abbreviation, in bytes.
const MAX_ABBREVIATION: usize = 12;

/// The sentences of `line`, in order, each without the blanks around it. Code and links are never cut.
pub(super) fn sentences(line: &str) -> Vec<&str> {
    let mut from = 0;
    let mut found = Vec::new();
    for end in ends(line).into_iter().chain([line.len()]) {
        found.push(line[from..end].trim());
        from = end;
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Ends of the sentences of `line` that have one, in bytes.
pub(super) fn ends(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut from, mut fence, mut brackets) = (0, 0, 0_usize);
    let mut signs = line.char_indices().peekable();
    while let Some((at, c)) = signs.next() {
        match c {
            '\\' => {
                signs.next();
            }
            '`' => {
                let mut ticks = 1;
                while signs.next_if(|(_, next)| *next == '`').is_some() {
                    ticks += 1;
                }
                fence = match fence {
                    0 => ticks,
                    open if open == ticks => 0,
                    open => open,
                };
            }
            _ if fence > 0 => {}
            '[' | '(' => brackets += 1,
            ']' | ')' => brackets = brackets.saturating_sub(1),
            '.' | '!' | '?' | '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' if brackets == 0 =>
            {
                let end = at + c.len_utf8();
                let after = &line[end..];
                let is_border = match c.is_ascii() {
                    true => {
                        after.starts_with(char::is_whitespace) && !is_abbreviation(&line[from..end])
                    }
                    false => true,
                };
                if is_border && !goes_on(after) {
                    found.push(end);
                    from = end;
                }
            }
            _ => {}
        }
    }
    found
}

fn is_abbreviation(sentence: &str) -> bool {
    let mut start = sentence.len().saturating_sub(MAX_ABBREVIATION);
    while !sentence.is_char_boundary(start) {
        start += 1;
    }
    let word = sentence[start..]
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or("");
    let word = word.trim_start_matches(['(', '[']).to_lowercase();
    let is_initial = word.len() == 2 && word.starts_with(|c: char| c.is_ascii_alphabetic());
    is_initial || ABBREVIATIONS.contains(&word.as_str())
}

/// Returns true if `after` begins with a small letter, so that no sentence has ended.
fn goes_on(after: &str) -> bool {
    let next = after.trim_start().chars().next();
    next.is_some_and(char::is_lowercase)
}

/// `markdown` as text: without the signs of code, links and escapes.
pub(super) fn plain(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                if let Some(escaped) = rest.chars().next() {
                    out.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                }
            }
            '`' | '[' => {}
            ']' => {
                if let Some(target) = rest.strip_prefix('(')
                    && let Some((_, after)) = target.split_once(')')
                {
                    rest = after;
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_readers_end_them() {
        assert_eq!(
            sentences(
                "Run `a. B` first. See [the page. Here](/x) e.g. The rest, v1.5 of it! Is it? it goes on. 終わり。次"
            ),
            [
                "Run `a. B` first.",
                "See [the page. Here](/x) e.g. The rest, v1.5 of it!",
                "Is it? it goes on.",
                "終わり。",
                "次"
            ]
        );
        assert_eq!(sentences("  "), [""; 0]);
    }

    #[test]
    fn signs_of_markdown_are_no_text() {
        assert_eq!(
            plain("Run `a_b` or [the \\*page\\*](/x?y=z). \\[no\\]"),
            "Run a_b or the *page*. [no]"
        );
    }
}
