//! Formulas: LaTeX becomes MathML when the site is built, so a browser needs neither script nor font for them.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

/// Formulas longer than this, in bytes, are not read.
const MAX_BYTES: usize = 10_000;

/// Deepest nesting of braces and environments, and most commands in a cell, that are read: the parser goes as deep.
const MAX_DEPTH: usize = 100;
const MAX_COMMANDS: usize = 400;

/// The MathML of `source`; what is wrong with it otherwise, in words.
pub fn formula(source: &str, is_display: bool) -> Result<String, String> {
    if source.len() > MAX_BYTES {
        return Err("it is too long".to_owned());
    }
    if is_deep(source) {
        return Err("it is nested too deeply".to_owned());
    }
    // The parser trusts that a character code is ASCII, and who knows what else.
    let drawn = std::panic::catch_unwind(|| math(source, is_display));
    drawn.unwrap_or_else(|_| Err("it cannot be read".to_owned()))
}

fn math(source: &str, is_display: bool) -> Result<String, String> {
    if source.contains("\\char")
        && !source
            .bytes()
            .all(|byte| byte.is_ascii() && !b"<>\"".contains(&byte))
    {
        return Err("`\\char` stands beside letters that are not ASCII".to_owned());
    }
    // Not all that the author writes is escaped by the renderer: it gets nothing that would need to be.
    let source: String = source.chars().map(|c| stand_in(c).unwrap_or(c)).collect();
    let storage = Storage::new();
    let events: Result<Vec<_>, _> = Parser::new(&source, &storage).collect();
    let events = events.map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        first.trim_start_matches("parsing error: ").to_owned()
    })?;
    let config = RenderConfig {
        display_mode: if is_display {
            DisplayMode::Block
        } else {
            DisplayMode::Inline
        },
        ..RenderConfig::default()
    };
    let mut html = String::new();
    let events = events.into_iter().map(Ok::<_, std::fmt::Error>);
    push_mathml(&mut html, events, config).map_err(|error| error.to_string())?;
    // Operators of the renderer's own are written as they are.
    let mut html = html.replace("><</", ">&lt;</").replace(">></", ">&gt;</");
    for (_, stand_in, reference) in STAND_INS {
        if html.contains(*stand_in) {
            // A sign by itself is an operator.
            html = html
                .replace(
                    &format!("<mi>{stand_in}</mi>"),
                    &format!("<mo>{reference}</mo>"),
                )
                .replace(*stand_in, reference);
        }
    }
    Ok(html)
}

/// What has a meaning in markup, a sign without meaning that stands for it while a formula is drawn, and what it becomes.
const STAND_INS: &[(char, char, &str)] = &[
    ('<', '\u{e000}', "&lt;"),
    ('>', '\u{e001}', "&gt;"),
    ('"', '\u{e002}', "&quot;"),
];

fn stand_in(character: char) -> Option<char> {
    let found = STAND_INS.iter().find(|(known, ..)| *known == character);
    found.map(|(_, stand_in, _)| *stand_in)
}

fn is_deep(source: &str) -> bool {
    let (mut braces, mut commands) = (0usize, 0usize);
    let bytes = source.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => braces += 1,
            b'}' => braces = braces.saturating_sub(1),
            b'&' => commands = 0,
            b'\\' if bytes.get(at + 1) == Some(&b'\\') => (commands, at) = (0, at + 1),
            b'\\' => (commands, at) = (commands + 1, at + 1),
            _ => {}
        }
        if braces > MAX_DEPTH || commands > MAX_COMMANDS {
            return true;
        }
        at += 1;
    }
    source.matches("\\begin").count() > MAX_DEPTH || source.matches("\\left").count() > MAX_DEPTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latex_becomes_mathml() {
        assert_eq!(
            formula("a^2 < \\frac{1}{b}", false).unwrap(),
            "<math display=\"inline\"><msup><mi>a</mi><mn>2</mn></msup><mo>&lt;</mo>\
             <mfrac><mrow><mn>1</mn></mrow><mrow><mi>b</mi></mrow></mfrac></math>"
        );
        for source in [
            "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
            "\\begin{aligned} a &= b \\\\ &= c \\end{aligned}",
            "\\sum_{i=0}^n i \\le \\int_0^1 \\sqrt[3]{x}\\,dx",
            "\\mathbb{R} \\to \\mathcal{L}, \\hat{x}, \\operatorname{softmax}(x), \\text{if } x",
        ] {
            let math = formula(source, true).unwrap();
            assert!(math.starts_with("<math display=\"block\">"), "{source}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(
            formula("\\nope{a}", false).unwrap_err(),
            "unknown primitive command found"
        );
        assert_eq!(
            formula("\\frac{1", false).unwrap_err(),
            "unbalanced group found, expected it to be closed with `}`"
        );
        assert!(formula("\\charé", false).is_err());
        assert!(formula("\\href{javascript:x}{a}", false).is_err());
    }

    #[test]
    fn no_markup_of_the_author_gets_through() {
        for source in [
            "\\text{</math><script>x</script>}",
            "</math><script>x</script>",
            "\\color{red\"><script>}a",
            "\\begin{</math><script>}",
            "\\operatorname{<script>}",
            "\\hspace{1em\"><script>}",
        ] {
            let shown = formula(source, true).unwrap_or_default();
            assert!(!shown.contains("<script"), "{shown}");
        }
    }

    #[test]
    fn hostile_formulas_end() {
        for part in [
            "{",
            "\\frac a",
            "\\sqrt",
            "\\frac{}",
            "\\left(",
            "a^\\sqrt",
            "\\binom a",
            "\\hat",
            "\\overset{a}",
            "'",
            "\\color{red}\\sqrt",
            "\\begin{matrix}",
            "\\\\",
            "&",
            "^{",
            "\\text{",
            "\\not",
        ] {
            for n in [1, 99, 399, 2_000, 9_000] {
                let _ = formula(&part.repeat(n), true);
            }
        }
    }

    /// Pieces of formulas in any order: an error or MathML, never a panic.
    #[test]
    fn random_formulas_are_drawn_or_refused() {
        let parts = [
            "\\frac",
            "{",
            "}",
            "a",
            "^",
            "_",
            "\\left(",
            "\\right)",
            "\\begin{matrix}",
            "\\end{matrix}",
            "&",
            "\\\\",
            "\\sqrt",
            "[",
            "]",
            "\\text{",
            "'",
            "\\over",
            "\\color{red}",
            "\\def\\x{",
            "\\x",
            "#1",
            "\\middle|",
            "\\operatorname",
            "\\sum",
            "\\limits",
            " ",
            "$",
            "%",
            "~",
            "é",
            "\\",
            "\\mathrm",
            "\\not",
            "\\hspace{1em}",
            "\\hline",
            "\\begin{array}{c|c}",
            "\\end{array}",
            "\\big",
            "\\let",
            "1.5em",
            "\\kern",
            "\\char",
            "\\tag{1}",
        ];
        let mut state: u64 = 88_172_645_463_325_252;
        let mut below = |end: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % end as u64) as usize
        };
        for _ in 0..5_000 {
            let count = below(14);
            let source: String = (0..count).map(|_| parts[below(parts.len())]).collect();
            assert_ne!(
                formula(&source, true),
                Err("it cannot be read".to_owned()),
                "{source}"
            );
        }
    }
}
