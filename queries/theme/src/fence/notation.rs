//! Marks written into the code itself, in comments: `// [!code ++]`.
//!
//! A mark is about its own line, or about the line below when it stands alone on one; with a count,
//! `[!code focus:3]`, about as many lines. It is taken out of the code, and so is the comment if it
//! held nothing else. What only looks like a mark, because it is not in a comment or has an unknown
//! name, is kept as written.

use std::borrow::Cow;

use crate::components::code_block::LineMark;

/// Code without its marks, and the marks.
pub(super) struct AnnotatedCode<'a> {
    /// The code to show and to copy.
    pub(super) code: Cow<'a, str>,
    /// Marks of lines and words.
    pub(super) notes: Vec<Note>,
}

/// One mark, for `count` lines from the line `from`, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) from: usize,
    pub(super) count: usize,
    pub(super) what: What,
}

/// Meaning of a mark.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Mark of lines.
    Mark(LineMark),
    /// Focus on lines.
    Focus,
    /// Highlight of a word wherever it is in the lines.
    Word(String),
}

const OPEN: &str = "[!code ";

/// Starts of comments. Longer ones first, so that no part of one is left behind.
const OPENERS: &[&str] = &[
    "{/*", "<!--", "<#", "///", "//", "/*", "(*", "##", "#", "---", "--", ";;", ";", "%%", "%",
];

/// Ends of comments that do not end with their line.
const CLOSERS: &[&str] = &["*/}", "-->", "*/", "*)", "#>"];

/// Takes the marks out of `code`.
pub(super) fn read(code: &str) -> AnnotatedCode<'_> {
    if !code.contains(OPEN) {
        return AnnotatedCode {
            code: Cow::Borrowed(code),
            notes: Vec::new(),
        };
    }
    let mut output = String::with_capacity(code.len());
    let mut notes = Vec::new();
    let mut number = 1;
    for line in code.split_inclusive('\n') {
        let (text, end) = match line.strip_suffix('\n') {
            Some(text) => (text, "\n"),
            None => (line, ""),
        };
        let (clean, found) = read_line(text);
        let stands_alone = !found.is_empty() && clean.trim().is_empty();
        for (what, count) in found {
            // A word stands out to the end of the block, unless lines are counted.
            let standard = if matches!(what, What::Word(_)) {
                usize::MAX
            } else {
                1
            };
            notes.push(Note {
                from: number,
                count: count.unwrap_or(standard),
                what,
            });
        }
        if !stands_alone {
            output.push_str(&clean);
            output.push_str(end);
            number += 1;
        }
    }
    AnnotatedCode {
        code: Cow::Owned(output),
        notes,
    }
}

/// A line without its marks, and the marks.
fn read_line(line: &str) -> (Cow<'_, str>, Vec<(What, Option<usize>)>) {
    let mut text = Cow::Borrowed(line);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(OPEN).map(|at| from + at) {
        let Some(end) = text[at..].find(']').map(|len| at + len + 1) else {
            break;
        };
        let is_comment = has_opener(&text[..at]);
        match parse(&text[at + OPEN.len()..end - 1]).filter(|_| is_comment) {
            Some(mark) => {
                found.push(mark);
                let clean = without(&text, at, end);
                text = Cow::Owned(clean);
                from = 0;
            }
            None => from = end,
        }
    }
    (text, found)
}

/// Returns true if a comment has begun at the end of `before`.
fn has_opener(before: &str) -> bool {
    let before = before.trim_end();
    OPENERS.iter().any(|opener| {
        before.ends_with(opener)
            || (opener.len() > 1 || *opener == "#")
                && before
                    .match_indices(opener)
                    .any(|(at, _)| at == 0 || before[..at].ends_with(char::is_whitespace))
    })
}

/// `line` without the mark at `at..end`, and without its comment if nothing else is in it.
fn without(line: &str, at: usize, end: usize) -> String {
    let before = line[..at].trim_end();
    let after = line[end..].trim();
    let (closer, rest) = match CLOSERS.iter().find(|closer| after.starts_with(*closer)) {
        Some(closer) => (*closer, &after[closer.len()..]),
        None => ("", after),
    };
    let opener = OPENERS.iter().find(|opener| before.ends_with(*opener));
    match opener {
        // Nothing else is in the comment, or only a further mark that begins its own.
        Some(opener) if !closer.is_empty() || rest.is_empty() || begins_comment(rest) => {
            let before = before[..before.len() - opener.len()].trim_end_matches([' ', '\t']);
            match rest.is_empty() {
                true => before.to_owned(),
                false => format!("{before} {}", rest.trim_start()),
            }
        }
        _ if after.is_empty() => before.to_owned(),
        _ => format!("{before} {after}"),
    }
}

fn begins_comment(text: &str) -> bool {
    OPENERS.iter().any(|opener| text.starts_with(opener))
}

/// Reads what stands between `[!code ` and `]`: a name, and after a colon how many lines it is about.
fn parse(words: &str) -> Option<(What, Option<usize>)> {
    let words = words.trim();
    if let Some(word) = words.strip_prefix("word:") {
        let (word, count) = match word.rsplit_once(':') {
            Some((word, count)) if !word.ends_with('\\') => match count.parse() {
                Ok(count) => (word, Some(count)),
                Err(_) => (words.strip_prefix("word:")?, None),
            },
            _ => (word, None),
        };
        let word = word.replace("\\:", ":");
        return (!word.is_empty()).then_some((What::Word(word), count));
    }
    let (name, count) = match words.split_once(':') {
        Some((name, count)) => (name, Some(count.trim().parse().ok()?)),
        None => (words, None),
    };
    let what = match name.trim() {
        "++" => What::Mark(LineMark::Added),
        "--" => What::Mark(LineMark::Removed),
        "highlight" | "hl" => What::Mark(LineMark::Highlight),
        "focus" => What::Focus,
        "warning" => What::Mark(LineMark::Warning),
        "error" => What::Mark(LineMark::Error),
        _ => return None,
    };
    Some((what, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_notes(code: &str, expected_code: &str, expected: &[(usize, usize, &str)]) {
        let parsed = read(code);
        let notes: Vec<(usize, usize, String)> = parsed
            .notes
            .iter()
            .map(|note| {
                let what = match &note.what {
                    What::Mark(mark) => format!("{mark:?}"),
                    What::Focus => "Focus".to_owned(),
                    What::Word(word) => word.clone(),
                };
                (note.from, note.count, what)
            })
            .collect();
        let notes: Vec<(usize, usize, &str)> = notes
            .iter()
            .map(|(from, count, what)| (*from, *count, what.as_str()))
            .collect();
        assert_eq!(
            (&*parsed.code, &*notes),
            (expected_code, expected),
            "{code}"
        );
    }

    #[test]
    fn every_syntax_of_comments_holds_marks() {
        for (open, close) in [
            ("//", ""),
            ("#", ""),
            ("--", ""),
            (";", ""),
            ("%", ""),
            ("<!--", " -->"),
            ("/*", " */"),
            ("{/*", " */}"),
        ] {
            check_notes(
                &format!("a\n  b {open} [!code ++]{close}\nc\n"),
                "a\n  b\nc\n",
                &[(2, 1, "Added")],
            );
        }
        check_notes("a #[!code --]", "a", &[(1, 1, "Removed")]);
        check_notes("  x \\ # [!code ++]\n", "  x \\\n", &[(1, 1, "Added")]);
    }

    #[test]
    fn a_mark_alone_on_its_line_is_about_the_lines_below() {
        check_notes(
            "a\n// [!code highlight:2]\nb\nc\n",
            "a\nb\nc\n",
            &[(2, 2, "Highlight")],
        );
        check_notes("b // [!code --:3]\nc", "b\nc", &[(1, 3, "Removed")]);
    }

    #[test]
    fn a_line_may_have_several_marks() {
        check_notes(
            "a // [!code ++] [!code focus]",
            "a",
            &[(1, 1, "Added"), (1, 1, "Focus")],
        );
        check_notes(
            "a // [!code hl] // [!code focus]",
            "a",
            &[(1, 1, "Highlight"), (1, 1, "Focus")],
        );
        check_notes("/* [!code error] */ a", " a", &[(1, 1, "Error")]);
    }

    #[test]
    fn the_rest_of_a_comment_stays() {
        check_notes("a // why [!code ++]", "a // why", &[(1, 1, "Added")]);
        check_notes("a // [!code ++] why", "a // why", &[(1, 1, "Added")]);
    }

    #[test]
    fn words_stand_out_to_the_end_unless_counted() {
        check_notes("// [!code word:a b]\nx", "x", &[(1, usize::MAX, "a b")]);
        check_notes("// [!code word:a\\:b:2]\nx", "x", &[(1, 2, "a:b")]);
        check_notes("x // [!code word:a:1]", "x", &[(1, 1, "a")]);
    }

    #[test]
    fn what_only_looks_like_a_mark_stays() {
        for code in [
            "a [!code ++]",
            "a = \"[!code ++]\"",
            "a // [!code klingon]",
            "a // [!code ++",
            "a // [!code ++:x]",
            "[!code highlight]",
            "// [!code word:]",
        ] {
            check_notes(code, code, &[]);
        }
    }
}
