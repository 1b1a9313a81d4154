//! Finds formulas in text.

use super::Dollars;

/// The longest formula, in bytes.
const MAX_FORMULA: usize = 10_000;

/// A formula at the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Formula<'a> {
    /// Source between the dollar signs.
    pub(super) source: &'a str,
    /// Whether it is set apart from the text.
    pub(super) is_display: bool,
    /// The length of it all.
    pub(super) len: usize,
}

/// The formula at the start of `text`, which begins with a dollar sign; `before` is the text before
/// it on its line, and `begins_line` is set if none of that is read as text.
///
/// `$$…$$` ends within its paragraph, or on a line of its own if it begins on one; among other text
/// it is a part of the line, as remark-math has it, and set apart where it has only a stop next to
/// it. `$…$` follows Pandoc: no blank after the first sign nor before the last, and no digit after
/// it, so that $5 and $10 are prices. Where the site does not say what dollars are,
/// [`reads_as_formula`] does.
pub(super) fn read<'a>(
    text: &'a str,
    begins_line: bool,
    before: &str,
    dollars: Dollars,
) -> Option<Formula<'a>> {
    let mut end = text.len().min(MAX_FORMULA);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let formula = match text.strip_prefix("$$") {
        Some(inner) => display(inner, begins_line),
        None => inline(&text[1..]).filter(|formula| {
            dollars == Dollars::Formulas
                || is_apart(before, &text[formula.len..])
                    && !is_cut(before, formula.source)
                    && reads_as_formula(formula.source)
        }),
    };
    formula.filter(|formula| !formula.source.trim().is_empty())
}

fn display(inner: &str, begins_line: bool) -> Option<Formula<'_>> {
    let formula = |end: usize, close: usize| Formula {
        source: &inner[..end],
        is_display: true,
        len: 2 + end + close,
    };
    let first_line = inner.lines().next().unwrap_or_default();
    if begins_line && first_line.trim().is_empty() {
        let mut at = 0;
        for line in inner.split_inclusive('\n').skip(1) {
            at = if at == 0 { inner.find('\n')? + 1 } else { at };
            let text = line.trim_start_matches([' ', '\t', '>']);
            if let Some(rest) = text.strip_prefix("$$")
                && rest.trim().is_empty()
            {
                let close = line.len() - text.len() + 2;
                return Some(formula(at, close));
            }
            at += line.len();
        }
    }
    let end = inner.find("$$")?;
    let after = inner[end + 2..].lines().next().unwrap_or_default();
    let is_alone = begins_line && matches!(after.trim(), "" | "." | "," | ";");
    let is_one_paragraph = !inner[..end]
        .lines()
        .skip(1)
        .any(|line| line.trim().is_empty());
    // A third sign is of money, or of a shell.
    let is_closed = !inner[end + 2..].starts_with('$') && !inner.starts_with('$');
    (is_one_paragraph && is_closed).then(|| Formula {
        is_display: is_alone,
        ..formula(end, 2)
    })
}

fn inline(inner: &str) -> Option<Formula<'_>> {
    if inner.starts_with([' ', '\t', '\n', '$']) {
        return None;
    }
    let bytes = inner.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'`' => return None,
            b'\n'
                if inner[at + 1..]
                    .lines()
                    .next()
                    .is_none_or(|line| line.trim().is_empty()) =>
            {
                return None;
            }
            b'$' => {
                let is_tight = !bytes[at - 1].is_ascii_whitespace();
                let is_price = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
                return (is_tight && !is_price).then(|| Formula {
                    source: &inner[..at],
                    is_display: false,
                    len: at + 2,
                });
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns true if the text between `before` and `after` is not joined to a word: `US$` is money,
/// and `$HOME/$USER` belongs to a shell.
fn is_apart(before: &str, after: &str) -> bool {
    let is_joined = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\\');
    !before.ends_with(is_joined) && !after.starts_with(is_joined)
}

/// Returns true if `source` spans two cells of a table: `\|`, which is a norm, does not.
fn is_cut(before: &str, source: &str) -> bool {
    let mut signs = source.bytes();
    let mut divides = std::iter::from_fn(|| match signs.next()? {
        b'\\' => signs.next().map(|_| false),
        sign => Some(sign == b'|'),
    });
    before.trim_start().starts_with('|') && divides.any(|divides| divides)
}

/// Returns true if `source`, found between two dollar signs, is not a price, a variable of a shell
/// or a sentence between two of them: it begins and ends as formulas do, has a sign of TeX or of
/// arithmetic if it is more than a name or begins with a digit, and no three words in a row.
fn reads_as_formula(source: &str) -> bool {
    let begins = |c: char| c.is_alphanumeric() || matches!(c, '\\' | '(' | '[' | '|' | '-' | '+');
    let ends = |c: char| {
        c.is_alphanumeric() || matches!(c, ')' | ']' | '}' | '|' | '\'' | '!' | '*' | '+')
    };
    if !source.starts_with(begins) || !source.ends_with(ends) {
        return false;
    }
    let is_word = |word: &str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    let words: Vec<&str> = source.split_whitespace().collect();
    if words
        .windows(3)
        .any(|words| words.iter().all(|word| is_word(word)))
    {
        return false;
    }
    let has_sign = source.contains(['\\', '^', '_', '=', '<', '>', '+', '*', '(', '|']);
    let is_name = source.chars().all(|c| c.is_alphanumeric() || c == '\'');
    match source.starts_with(|c: char| c.is_ascii_digit()) {
        true => has_sign,
        false => has_sign || is_name || words.len() > 1 && source.contains(['-', ',']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_formula(text: &str, dollars: Dollars, expected: Option<(&str, bool, &str)>) {
        let found = read(text, true, "", dollars);
        let found = found.map(|found| (found.source, found.is_display, &text[found.len..]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn two_signs_are_a_formula() {
        check_formula("$$a$$ b", Dollars::Detected, Some(("a", false, " b")));
        check_formula("$$a$$.\nb", Dollars::Detected, Some(("a", true, ".\nb")));
        let within = read("$$a$$", false, "b ", Dollars::Detected);
        assert!(within.is_some_and(|formula| !formula.is_display));
        check_formula(
            "$$\na\n\n- b\n$$\nc",
            Dollars::Detected,
            Some(("\na\n\n- b\n", true, "\nc")),
        );
        check_formula("$$\na\n  $$", Dollars::Detected, Some(("\na\n", true, "")));
        check_formula("$$a\nb$$", Dollars::Detected, Some(("a\nb", true, "")));
    }

    #[test]
    fn what_is_no_formula_is_text() {
        for text in [
            "$$a\n\nb$$",
            "$$",
            "$$$$",
            "$$ $$",
            "$$$ and $$$",
            "$$ and $$$",
            "$5 and $10",
            "$5-$10",
            "$10$",
            "$5$, $6$",
            "$HOME/$USER",
            "$HOME:$PATH$",
            "$storeId/$",
            "$/sec), LLM ($",
            "$a and then the other$",
            "$ and $",
            "$(pwd)/$(date)",
        ] {
            check_formula(text, Dollars::Detected, None);
        }

        assert_eq!(read("$a | b$ |", false, "| ", Dollars::Detected), None);
        // A sign that is escaped divides no cells: of a norm it is the usual one.
        let norm = read("$\\|x-y\\|_2=\\sqrt{2}$ |", false, "| ", Dollars::Detected);
        assert_eq!(norm.map(|norm| norm.source), Some("\\|x-y\\|_2=\\sqrt{2}"));
        for before in ["US", "a_", "\\", "$"] {
            assert_eq!(
                read("$x$", false, before, Dollars::Detected),
                None,
                "{before}"
            );
        }
    }

    #[test]
    fn one_sign_is_a_formula_where_nothing_else_can_be_meant() {
        for source in [
            "r_{90\\%}",
            "4 \\times r_{90\\%}",
            "u = 0",
            "p",
            "timeoutPrevote",
            "speed(t)",
            "(a^2 + b^2 = c^2)",
            "2f+1",
            "\\sum f(n)",
            "a, b",
            "|x|",
            "x'",
            "-1 < x",
        ] {
            check_formula(
                &format!("${source}$, b"),
                Dollars::Detected,
                Some((source, false, ", b")),
            );
        }
        check_formula(
            "$x$ and $y$",
            Dollars::Detected,
            Some(("x", false, " and $y$")),
        );
    }

    #[test]
    fn one_sign_is_a_formula_where_the_site_says_so() {
        check_formula("$a_1$, b", Dollars::Formulas, Some(("a_1", false, ", b")));
        check_formula("$a\\$b$", Dollars::Formulas, Some(("a\\$b", false, "")));
        check_formula("$a\nb$", Dollars::Formulas, Some(("a\nb", false, "")));
        for text in [
            "$5 and $10",
            "$ a$",
            "$a $",
            "$a\n\nb$",
            "$",
            "$a `$`",
            "$5 and more $",
        ] {
            check_formula(text, Dollars::Formulas, None);
        }
    }
}
