//! Where formulas begin and end among text.

use super::Dollars;

/// The longest formula, in bytes.
const MAX_FORMULA: usize = 10_000;

/// A formula at the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Formula<'a> {
    /// What stands between the dollar signs.
    pub(super) source: &'a str,
    /// Whether there are two on either side.
    pub(super) is_display: bool,
    /// The length of it all.
    pub(super) len: usize,
}

/// The formula at the start of `text`, which begins with a dollar sign; `begins_line` says whether nothing stands before
/// it on its line.
///
/// `$$…$$` ends within its paragraph, or on a line of its own if it begins on one. `$…$` follows Pandoc: no blank after
/// the first sign nor before the last, and no digit after it, so that $5 and $10 are prices.
pub(super) fn read(text: &str, begins_line: bool, dollars: Dollars) -> Option<Formula<'_>> {
    let mut end = text.len().min(MAX_FORMULA);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let formula = match text.strip_prefix("$$") {
        Some(inner) => display(inner, begins_line),
        None if dollars == Dollars::Formulas => inline(&text[1..]),
        None => None,
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
    let is_one_paragraph = !inner[..end]
        .lines()
        .skip(1)
        .any(|line| line.trim().is_empty());
    // A third sign is of money, or of a shell.
    let is_closed = !inner[end + 2..].starts_with('$') && !inner.starts_with('$');
    (is_one_paragraph && is_closed).then(|| formula(end, 2))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_formula(text: &str, dollars: Dollars, expected: Option<(&str, bool, &str)>) {
        let found = read(text, true, dollars);
        let found = found.map(|found| (found.source, found.is_display, &text[found.len..]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn two_signs_are_a_formula() {
        check_formula("$$a$$ b", Dollars::Pairs, Some(("a", true, " b")));
        check_formula(
            "$$\na\n\n- b\n$$\nc",
            Dollars::Pairs,
            Some(("\na\n\n- b\n", true, "\nc")),
        );
        check_formula("$$\na\n  $$", Dollars::Pairs, Some(("\na\n", true, "")));
        check_formula("$$a\nb$$", Dollars::Pairs, Some(("a\nb", true, "")));
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
            "$a$",
            "$5 and $10",
        ] {
            check_formula(text, Dollars::Pairs, None);
        }
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
