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
    let own: String = source.chars().map(|c| stand_in(c).unwrap_or(c)).collect();
    let own = defined(prefixed(&own));
    let own = labelled_below(renamed(operators(own)));
    let source = format!("{}{own}", definitions(source));
    let storage = Storage::new();
    let read = |source| Parser::new(source, &storage).collect::<Result<Vec<_>, _>>();
    // Lines that end outside of any environment, which KaTeX sets below each other.
    let in_lines = |environment| {
        let definitions = &source[..source.len() - own.len()];
        format!("{definitions}\\begin{{{environment}}}{own}\\end{{{environment}}}")
    };
    let is_in_lines = source.contains("\\\\");
    let (gathered, aligned) = match is_in_lines {
        true => (in_lines("gathered"), in_lines("aligned")),
        false => (String::new(), String::new()),
    };
    let events = read(&source).or_else(|error| match is_in_lines {
        true => read(&gathered)
            .or_else(|_| read(&aligned))
            .map_err(|_| error),
        false => Err(error),
    });
    let events = events.map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        let first = first.trim_start_matches("parsing error: ");
        match unknown_command(&own).filter(|_| first.contains("unknown primitive")) {
            Some(command) => format!("`{command}` is no command that is known"),
            None => first.to_owned(),
        }
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
    // Lines of a formula are as large as the formula by itself; a table is drawn small otherwise (MathML Core, 3.5.1).
    html = html.replace(
        "<mtable class=\"menv-alignlike",
        "<mtable displaystyle=\"true\" class=\"menv-alignlike",
    );
    if let Some(lines) = html.strip_prefix("<math display=\"block\"><mtable>") {
        html = format!("<math display=\"block\"><mtable displaystyle=\"true\">{lines}");
    }
    // A line below the last row is that above an empty one, beside which there is nothing to part.
    html = html.replace(
        "<mtd class=\"menv-left-solid menv-right-solid\"></mtd></mtr></mtable>",
        "<mtd></mtd></mtr></mtable>",
    );
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

/// Commands of KaTeX that the parser does not have: what they take, and what stands for them.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("bm", "#1", "\\boldsymbol{#1}"),
    ("R", "", "\\mathbb{R}"),
    ("N", "", "\\mathbb{N}"),
    ("Z", "", "\\mathbb{Z}"),
    ("argmax", "", "\\operatorname{arg\u{2009}max}"),
    ("argmin", "", "\\operatorname{arg\u{2009}min}"),
    ("slash", "", "/"),
    ("infin", "", "\\infty"),
    ("empty", "", "\\emptyset"),
    ("reals", "", "\\mathbb{R}"),
    ("Reals", "", "\\mathbb{R}"),
    ("natnums", "", "\\mathbb{N}"),
    ("cnums", "", "\\mathbb{C}"),
    ("Complex", "", "\\mathbb{C}"),
    ("real", "", "\\Re"),
    ("image", "", "\\Im"),
    ("weierp", "", "\\wp"),
    ("alef", "", "\\aleph"),
    ("alefsym", "", "\\aleph"),
    ("bull", "", "\\bullet"),
    ("clubs", "", "\\clubsuit"),
    ("diamonds", "", "\\diamondsuit"),
    ("hearts", "", "\\heartsuit"),
    ("spades", "", "\\spadesuit"),
    ("exist", "", "\\exists"),
    ("sub", "", "\\subset"),
    ("sube", "", "\\subseteq"),
    ("supe", "", "\\supseteq"),
    ("plusmn", "", "\\pm"),
    ("sdot", "", "\\cdot"),
    ("thetasym", "", "\\vartheta"),
    ("rarr", "", "\\rightarrow"),
    ("larr", "", "\\leftarrow"),
    ("lrarr", "", "\\leftrightarrow"),
    ("Rarr", "", "\\Rightarrow"),
    ("harr", "", "\\leftrightarrow"),
    ("hArr", "", "\\Leftrightarrow"),
    ("dArr", "", "\\Downarrow"),
    ("darr", "", "\\downarrow"),
    ("uarr", "", "\\uparrow"),
    ("uArr", "", "\\Uparrow"),
    ("lang", "", "\\langle"),
    ("rang", "", "\\rangle"),
    ("simcolon", "", "\\sim:"),
    ("minuso", "", "⦵"),
    ("doublecup", "", "⋓"),
    ("space", "", "\\ "),
    ("KaTeX", "", "\\text{KaTeX}"),
    ("LaTeX", "", "\\text{LaTeX}"),
    ("TeX", "", "\\text{TeX}"),
    ("llbracket", "", "⟦"),
    ("rrbracket", "", "⟧"),
    ("ch", "", "\\operatorname{ch}"),
    ("cosec", "", "\\operatorname{cosec}"),
    ("cotg", "", "\\operatorname{cotg}"),
    ("arctg", "", "\\operatorname{arctg}"),
    ("arcctg", "", "\\operatorname{arcctg}"),
    ("ctg", "", "\\operatorname{ctg}"),
    ("cth", "", "\\operatorname{cth}"),
    ("sh", "", "\\operatorname{sh}"),
    ("tg", "", "\\operatorname{tg}"),
    ("th", "", "\\operatorname{th}"),
    ("plim", "", "\\operatorname{plim}"),
    ("injlim", "", "\\operatorname{inj lim}"),
    ("projlim", "", "\\operatorname{proj lim}"),
    ("varinjlim", "", "\\underset{\\rightarrow}{\\lim}"),
    ("varprojlim", "", "\\underset{\\leftarrow}{\\lim}"),
    ("varliminf", "", "\\underline{\\lim}"),
    ("varlimsup", "", "\\overline{\\lim}"),
    ("mathscr", "#1", "\\mathcal{#1}"),
    ("Bbb", "#1", "\\mathbb{#1}"),
    ("frak", "#1", "\\mathfrak{#1}"),
    ("bold", "#1", "\\mathbf{#1}"),
    ("pmb", "#1", "\\boldsymbol{#1}"),
    ("bra", "#1", "\\langle #1|"),
    ("ket", "#1", "|#1\\rangle"),
    ("Bra", "#1", "\\left\\langle #1\\right|"),
    ("Ket", "#1", "\\left|#1\\right\\rangle"),
    ("dddot", "#1", "\\overset{...}{#1}"),
    ("ddddot", "#1", "\\overset{....}{#1}"),
    ("overlinesegment", "#1", "\\overline{#1}"),
    ("underlinesegment", "#1", "\\underline{#1}"),
    ("utilde", "#1", "\\underset{\\sim}{#1}"),
    ("bcancel", "#1", "\\cancel{#1}"),
    ("xcancel", "#1", "\\cancel{#1}"),
    ("sout", "#1", "\\cancel{#1}"),
    ("phase", "#1", "\\angle{#1}"),
    ("mathllap", "#1", "#1"),
    ("mathrlap", "#1", "#1"),
    ("mathclap", "#1", "#1"),
    ("vcenter", "#1", "#1"),
    ("pod", "#1", "\\quad(#1)"),
    ("mod", "#1", "\\quad\\mathrm{mod}\\ #1"),
    ("xLeftarrow", "#1", "\\overset{#1}{\\Longleftarrow}"),
    ("xRightarrow", "#1", "\\overset{#1}{\\Longrightarrow}"),
    (
        "xleftrightarrow",
        "#1",
        "\\overset{#1}{\\longleftrightarrow}",
    ),
    (
        "xLeftrightarrow",
        "#1",
        "\\overset{#1}{\\Longleftrightarrow}",
    ),
    ("xhookleftarrow", "#1", "\\overset{#1}{\\hookleftarrow}"),
    ("xhookrightarrow", "#1", "\\overset{#1}{\\hookrightarrow}"),
    (
        "xtwoheadrightarrow",
        "#1",
        "\\overset{#1}{\\twoheadrightarrow}",
    ),
    (
        "xtwoheadleftarrow",
        "#1",
        "\\overset{#1}{\\twoheadleftarrow}",
    ),
    ("xleftharpoonup", "#1", "\\overset{#1}{\\leftharpoonup}"),
    ("xrightharpoonup", "#1", "\\overset{#1}{\\rightharpoonup}"),
    ("xleftharpoondown", "#1", "\\overset{#1}{\\leftharpoondown}"),
    (
        "xrightharpoondown",
        "#1",
        "\\overset{#1}{\\rightharpoondown}",
    ),
    (
        "xleftrightharpoons",
        "#1",
        "\\overset{#1}{\\leftrightharpoons}",
    ),
    (
        "xrightleftharpoons",
        "#1",
        "\\overset{#1}{\\rightleftharpoons}",
    ),
    ("xtofrom", "#1", "\\overset{#1}{\\rightleftarrows}"),
    ("xmapsto", "#1", "\\overset{#1}{\\longmapsto}"),
    ("xlongequal", "#1", "\\overset{#1}{=}"),
    ("raisebox", "#1#2", "\\text{#2}"),
    ("rule", "#1#2", "█"),
    (
        "boxed",
        "#1",
        "\\begin{array}{|c|}\\hline #1\\\\\\hline\\end{array}",
    ),
    (
        "fbox",
        "#1",
        "\\begin{array}{|c|}\\hline #1\\\\\\hline\\end{array}",
    ),
    ("tag", "#1", "\\qquad(#1)"),
    ("smash", "#1", "#1"),
    ("newline", "", "\\\\"),
    // Room that is left, sizes and marks for other formulas: without them it says the same.
    ("phantom", "#1", ""),
    ("hphantom", "#1", ""),
    ("vphantom", "#1", ""),
    ("label", "#1", ""),
    ("notag", "", ""),
    ("nonumber", "", ""),
    ("nobreak", "", ""),
    ("allowbreak", "", ""),
    ("tiny", "", ""),
    ("scriptsize", "", ""),
    ("footnotesize", "", ""),
    ("small", "", ""),
    ("normalsize", "", ""),
    ("large", "", ""),
    ("Large", "", ""),
    ("LARGE", "", ""),
    ("huge", "", ""),
    ("Huge", "", ""),
];

/// Definitions of those of [`COMMANDS`] that `source` uses.
fn definitions(source: &str) -> String {
    let mut definitions = String::new();
    let used = |name: &str| {
        let mut found = source.match_indices(name);
        found.any(|(at, _)| {
            let is_whole = |c: char| !c.is_ascii_alphabetic();
            source[..at].ends_with('\\')
                && source[at + name.len()..]
                    .chars()
                    .next()
                    .is_none_or(is_whole)
        })
    };
    for (name, takes, stands) in COMMANDS.iter().filter(|(name, ..)| used(name)) {
        // The parser would join a command at the end with the letters that follow.
        let space = match stands.ends_with(|c: char| c.is_ascii_alphabetic()) {
            true => " ",
            false => "",
        };
        definitions.push_str(&format!("\\def\\{name}{takes}{{{stands}{space}}}"));
    }
    definitions
}

/// `source` with the commands that it defines as LaTeX does (`\newcommand{\x}[1]{…}`) defined as TeX does.
fn defined(source: String) -> String {
    let source = source.replace("\\providecommand", "\\newcommand");
    let mut rest = source.as_str();
    let mut out = String::new();
    while let Some(at) = rest.find("newcommand") {
        let before = &rest[..at];
        let after = &rest[at + "newcommand".len()..];
        let after = after.strip_prefix('*').unwrap_or(after).trim_start();
        let given = match after.strip_prefix('{') {
            Some(inner) => inner.split_once('}'),
            None => {
                let begins = |(at, c): (usize, char)| at > 0 && !c.is_ascii_alphabetic();
                let end = after.char_indices().find(|one| begins(*one));
                end.map(|(end, _)| after.split_at(end))
            }
        };
        let before = before.strip_suffix("\\re").or(before.strip_suffix('\\'));
        let (Some(before), Some((name, after))) = (before, given) else {
            break;
        };
        let count = after.trim_start().strip_prefix('[');
        let count = count.and_then(|inner| inner.split_once(']'));
        let (takes, after) = match count {
            Some((count, after)) => (count.trim().parse().unwrap_or(0).min(9), after),
            None => (0, after),
        };
        out.push_str(before);
        out.push_str(&format!("\\def{}", name.trim()));
        (1..=takes).for_each(|number: usize| out.push_str(&format!("#{number}")));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `source` with the names of operators as the parser reads them: it takes what follows `\operatorname` as it is written, and
/// knows none that is set above its bounds.
fn operators(source: String) -> String {
    const COMMAND: &str = "\\operatorname";
    if !source.contains(COMMAND) {
        return source;
    }
    let mut parts = source.split(COMMAND);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(COMMAND);
        let part = part.strip_prefix('*').unwrap_or(part);
        let named = part.trim_start().strip_prefix('{');
        match named.and_then(|named| named.split_once('}')) {
            Some((name, rest)) => {
                let mut name = name.to_owned();
                for space in ["\\,", "\\:", "\\;", "\\ ", "~"] {
                    name = name.replace(space, "\u{2009}");
                }
                out.push_str(&format!("{{{name}}}{rest}"));
            }
            None => out.push_str(part),
        }
    }
    out
}

/// `source` with text in boxes as text: what it takes is no formula, so nothing can be defined by it.
fn renamed(mut source: String) -> String {
    const BOXES: &[&str] = &[
        "\\mbox",
        "\\hbox",
        "\\textnormal",
        "\\textup",
        "\\textmd",
        "\\llap",
        "\\rlap",
        "\\clap",
    ];
    for name in BOXES {
        source = source.replace(&format!("{name}{{"), "\\text{");
    }
    source = source.replace("\\emph{", "\\textit{");
    for (name, stands) in [
        ("\\>", "\\:"),
        ("\\hspace*{", "\\hspace{"),
        ("\\tag*{", "\\qquad{"),
        ("\\gdef", "\\def"),
    ] {
        source = source.replace(name, stands);
    }
    source
}

/// Commands that stand between what they join, and what they become of both sides.
const INFIXES: &[(&str, &str, &str, &str)] = &[
    ("over", "\\frac{", "}{", "}"),
    ("choose", "\\binom{", "}{", "}"),
    (
        "brace",
        "\\left\\{\\begin{matrix}",
        "\\\\",
        "\\end{matrix}\\right\\}",
    ),
    (
        "brack",
        "\\left[\\begin{matrix}",
        "\\\\",
        "\\end{matrix}\\right]",
    ),
    ("atop", "\\begin{matrix}", "\\\\", "\\end{matrix}"),
];

/// `source` with `{a \over b}` as `{\frac{a}{b}}`: what stands on both sides of such a command in its braces.
fn prefixed(source: &str) -> String {
    if !INFIXES
        .iter()
        .any(|(name, ..)| source.contains(&format!("\\{name}")))
    {
        return source.to_owned();
    }
    // For each brace that is open: where its text begins, and the command in it with its place.
    let mut open: Vec<(String, Option<(usize, usize)>)> = vec![(String::new(), None)];
    let close = |(text, infix): (String, Option<(usize, usize)>)| match infix {
        Some((row, at)) => {
            let (_, before, between, after) = INFIXES[row];
            let (left, right) = text.split_at(at);
            format!("{before}{left}{between}{right}{after}")
        }
        None => text,
    };
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        let mut is_taken = false;
        if let Some(command) = rest.strip_prefix('\\') {
            let letters = command.find(|c: char| !c.is_ascii_alphabetic());
            let name = &command[..letters.unwrap_or(command.len())];
            length += match name.len() {
                0 => command.chars().next().map_or(0, char::len_utf8),
                length => length,
            };
            let row = INFIXES.iter().position(|(known, ..)| *known == name);
            if let (Some(row), Some((text, infix @ None))) = (row, open.last_mut()) {
                *infix = Some((row, text.len()));
                is_taken = true;
            }
        }
        match first {
            '{' => open.push((String::new(), None)),
            '}' if open.len() > 1 => {
                let inner = open.pop().map(close).unwrap_or_default();
                if let Some((text, _)) = open.last_mut() {
                    text.push_str(&format!("{{{inner}}}"));
                }
            }
            _ if is_taken => {}
            _ => {
                if let Some((text, _)) = open.last_mut() {
                    text.push_str(&rest[..length]);
                }
            }
        }
        rest = &rest[length..];
    }
    match <[_; 1]>::try_from(open) {
        Ok([whole]) => close(whole),
        // A brace is missing: what is wrong is told of what was written.
        Err(_) => source.to_owned(),
    }
}

/// `source` with `\xArrow[b]{a}` as `\underset{b}{\xArrow{a}}`, for arrows that are set from others.
fn labelled_below(source: String) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source.as_str();
    while let Some(at) = rest.find("\\x") {
        let after = &rest[at + 1..];
        let end = after.find(|c: char| !c.is_ascii_alphabetic());
        let (name, arguments) = after.split_at(end.unwrap_or(after.len()));
        let is_ours = COMMANDS.iter().any(|(known, ..)| *known == name);
        let below = arguments.strip_prefix('[').filter(|_| is_ours);
        let parts = below.and_then(|below| {
            let (below, above) = below.split_once("]{")?;
            let (above, after) = above.split_once('}')?;
            (!above.contains('{')).then_some((below, above, after))
        });
        out.push_str(&rest[..at]);
        rest = match parts {
            Some((below, above, after)) => {
                out.push_str(&format!("\\underset{{{below}}}{{\\{name}{{{above}}}}}"));
                after
            }
            None => {
                out.push('\\');
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// The first command of `source` that is unknown by itself.
fn unknown_command(source: &str) -> Option<String> {
    let storage = Storage::new();
    let names = source.split('\\').skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphabetic());
        let name = &rest[..end.unwrap_or(rest.len())];
        (!name.is_empty()).then_some(name)
    });
    let mut names = names.take(MAX_COMMANDS);
    names.find_map(|name| {
        let command = format!("{}\\{name}", definitions(&format!("\\{name}")));
        let mut events = Parser::new(&command, &storage);
        let is_unknown = events
            .any(|event| event.is_err_and(|error| error.to_string().contains("unknown primitive")));
        (is_unknown && !source.contains(&format!("def\\{name}"))).then(|| format!("\\{name}"))
    })
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

    /// What KaTeX draws and documentation uses: read out of its tables of commands, one of each kind.
    #[test]
    fn what_katex_draws_is_drawn() {
        for source in [
            "a \\\\ b",
            "a &= b \\\\ c &= d",
            "\\text{a_b}",
            "\\text{100\\%}",
            "\\text{cost: \\$5}",
            "\\operatorname*{argmax}_x f",
            "x \\tag{1}",
            "\\begin{cases} 1 & x \\\\ 2 & y \\end{cases}",
            "\\mathbf{x}",
            "\\boldsymbol{x}",
            "\\bm{x}",
            "\\dfrac{1}{2}",
            "\\tfrac12",
            "a \\quad b \\qquad c",
            "\\xrightarrow{f}",
            "\\underbrace{x}_{n}",
            "\\overline{x}",
            "\\argmax_x",
            "\\lVert x \\rVert",
            "a \\mid b",
            "\\textbf{x}",
            "\\textit{x}",
            "\\texttt{x}",
            "\\textrm{a b}",
            "\\text{if \\textbf{x}}",
            "\\textcolor{red}{x}",
            "\\color{red} x",
            "\\Large x",
            "\\large x",
            "\\mathrm{d}x",
            "\\mathit{x}",
            "\\mathsf{x}",
            "\\mathtt{x}",
            "\\mathfrak{x}",
            "\\Bigl( x \\Bigr)",
            "\\big| x",
            "\\left. x \\right|",
            "\\cdots \\ldots \\vdots \\ddots",
            "\\displaystyle \\sum",
            "\\textstyle x",
            "\\lim_{x \\to 0}",
            "\\max(a,b)",
            "\\log_2 x",
            "x \\bmod n",
            "a \\pmod{n}",
            "\\binom{n}{k}",
            "\\stackrel{a}{=}",
            "\\overset{a}{=}",
            "\\underset{x}{\\max}",
            "\\prod\\limits_{i}",
            "\\mathop{x}\\limits_i",
            "\\implies \\iff",
            "\\therefore",
            "\\because",
            "\\checkmark",
            "\\degree",
            "90^\\circ",
            "\\#",
            "\\&",
            "\\%",
            "\\_",
            "\\{x\\}",
            "\\lbrace x \\rbrace",
            "\\begin{align} a &= b \\\\ c &= d \\end{align}",
            "\\begin{align*} a &= b \\end{align*}",
            "\\begin{equation} a \\end{equation}",
            "\\begin{equation*} a \\end{equation*}",
            "\\begin{gather} a \\\\ b \\end{gather}",
            "\\begin{gathered} a \\\\ b \\end{gathered}",
            "\\begin{split} a &= b \\end{split}",
            "\\begin{array}{ll} a & b \\end{array}",
            "\\begin{bmatrix} a \\end{bmatrix}",
            "\\begin{vmatrix} a \\end{vmatrix}",
            "\\begin{smallmatrix} a \\end{smallmatrix}",
            "\\mathcal{O}(n)",
            "\\Theta",
            "\\varepsilon",
            "\\hat{y}",
            "\\widehat{xy}",
            "\\tilde{x}",
            "\\widetilde{xy}",
            "\\vec{x}",
            "\\overrightarrow{AB}",
            "\\dot{x}",
            "\\bar{x}",
            "\\cancel{x}",
            "\\boxed{x}",
            "\\fbox{x}",
            "\\phantom{x}",
            "\\hphantom{x}",
            "\\mathbb{E}",
            "\\mathbb R",
            "\\R",
            "\\N",
            "\\Z",
            "\\sim \\approx \\propto \\equiv \\neq \\ne \\leq \\geq",
            "\\ll \\gg",
            "\\in \\notin \\subset \\subseteq \\cup \\cap \\emptyset \\varnothing",
            "\\forall \\exists \\nexists",
            "\\land \\lor \\lnot \\neg",
            "\\rightarrow \\to \\mapsto \\Rightarrow \\Leftrightarrow \\leftrightarrow",
            "\\langle x \\rangle",
            "\\lfloor x \\rfloor \\lceil x \\rceil",
            "\\| x \\|",
            "\\Vert x",
            "\\, \\: \\; \\!",
            "a\\ b",
            "~",
            "x'",
            "x''",
            "f^{\\prime}",
            "\\partial \\nabla \\infty",
            "\\times \\cdot \\div \\pm \\mp",
            "\\star \\ast \\oplus \\otimes",
            "\\dagger",
            "\\ell",
            "\\Re \\Im",
            "\\aleph",
            "\\hbar",
            "\\mathrm{CO_2}",
            "\\text{CO}_2",
            "\\rm x",
            "\\bf x",
            "{\\bf x}",
            "{\\rm x}",
            "\\it x",
            "\\newline",
            "\\label{a} x",
            "\\nonumber",
            "\\notag",
            "\\mbox{x}",
            "\\hspace{1cm}",
            "\\!\\!",
            "\\sqrt[3]{x}",
            "\\not=",
            "\\textsf{x}",
            "\\textnormal{x}",
            "\\operatorname{softmax}",
            "\\mathrm{softmax}\\left(\\frac{QK^T}{\\sqrt{d_k}}\\right)",
            "\\substack{a \\\\ b}",
            "\\sum_{\\substack{i<j \\\\ k}}",
            "\\begin{aligned}[t] a \\end{aligned}",
            "\\newcommand{\\x}{y} \\x",
            "\\def\\x{y}\\x",
            "\\underline{x}",
            "\\overbrace{x}^{n}",
            "\\middle| x",
            "\\left( a \\middle| b \\right)",
            "\\smash{x}",
            "\\dots",
            "\\dotsc",
            "\\colon",
            "\\coloneqq",
            ":=",
            "\\vcentcolon",
            "\\triangleq",
            "\\lt \\gt",
            "\\&c",
            "5\\,\\mathrm{ms}",
            "\\text{é}",
            "\\mathrm{é}",
            "é",
            "中文",
            "\\text{中文}",
            "a \\text{ and } b",
            "\\left\\{ a \\right\\}",
            "\\left\\lbrace a \\right\\rbrace",
            "\\left[ a \\right)",
            "\\left\\| a \\right\\|",
            "\\left\\lVert a \\right\\rVert",
            "\\left\\langle a \\right\\rangle",
            "\\left\\lfloor a \\right\\rfloor",
            "\\Pr",
            "\\gcd",
            "\\sup \\inf",
            "\\arg\\max",
            "\\min\\limits_x",
            "\\mathrm{min}",
            "\\begin{cases} a, & \\text{if } b \\\\[2pt] c \\end{cases}",
            "\\begin{dcases} a \\end{dcases}",
            "\\begin{rcases} a \\end{rcases}",
            "\\enspace",
            "\\thinspace",
            "\\negthinspace",
            "\\allowbreak",
            "\\nobreak",
            "x_1^2",
            "x_{a_b}",
            "{}_a^b X",
            "\\sideset{}{'}\\sum",
            "\\iint \\iiint \\oint",
            "\\bigcup \\bigcap \\bigoplus",
            "\\complement",
            "\\square \\blacksquare",
            "\\triangle",
            "\\angle",
            "\\perp \\parallel",
            "\\cong \\simeq",
            "\\prec \\succ",
            "\\uparrow \\downarrow",
            "\\hookrightarrow",
            "\\longrightarrow",
            "\\leadsto",
            "\\Longrightarrow",
            "\\vdash \\models",
            "\\top \\bot",
            "\\lambda \\Lambda",
            "\\Omega",
            "\\varphi \\vartheta",
            "\\digamma",
            "\\mho",
            "\\eth",
            "\\S",
            "\\P",
            "\\copyright",
            "\\pounds",
            "\\yen",
            "\\euro",
            "\\backslash",
            "\\slash",
            "\\cfrac{1}{2}",
            "\\genfrac{}{}{0pt}{}{a}{b}",
            "\\mathstrut",
            "\\strut",
            "\\bigg(",
            "\\Big[",
            "\\lvert x \\rvert",
            "\\vert",
            "\\tag*{a} x",
            "\\mathrel{x}",
            "\\mathbin{+}",
            "\\mathord{x}",
            "\\mathopen{(}",
            "\\normalsize x",
            "\\small x",
            "\\tiny x",
            "\\scriptsize x",
            "\\newcommand{\\norm}[1]{\\lVert #1 \\rVert} \\norm{x}",
            "\\renewcommand*\\x{y} \\x",
            "\\providecommand{\\x}{y} \\x",
            "\\gdef\\f#1{#1}\\f{x}",
            "\\lang x \\rang",
            "\\xRightarrow[below]{above} x",
            "\\hbox{a} \\emph{b} \\textup{c} \\hspace*{1em} d",
        ] {
            let drawn = formula(source, true);
            assert!(drawn.is_ok(), "{source}: {drawn:?}");
        }
        for (name, takes, _) in COMMANDS {
            let given = if takes.is_empty() { " x" } else { "{x}" };
            let source = format!("a \\{name}{given} b");
            let drawn = formula(&source, true);
            assert!(drawn.is_ok(), "{source}: {drawn:?}");
        }
        assert_eq!(
            formula("a \\\\ b", true),
            formula("\\begin{gathered}a \\\\ b\\end{gathered}", true)
        );
        let within = |source: &str| formula(source, false).unwrap();
        assert!(within("\\bm{x}").contains("<mi>𝒙</mi>"));
        assert!(within("\\R").contains("<mi>ℝ</mi>"));
        for source in [
            "\\operatorname*{arg\\,max}_x f",
            "\\operatorname{arg max}_x f",
            "\\argmax_x f",
        ] {
            let drawn = within(source).replace(' ', "\u{2009}");
            assert!(
                drawn.contains("<msub><mi>arg\u{2009}max</mi><mi>x</mi></msub>"),
                "{drawn}"
            );
        }
        assert!(within("\\mbox{if any}").contains("<mtext>if any</mtext>"));
        for lines in [
            "a \\\\ b",
            "a &= b \\\\ c &= d",
            "\\begin{aligned} a &= b \\end{aligned}",
        ] {
            let drawn = formula(lines, true).unwrap();
            assert!(drawn.contains("<mtable displaystyle=\"true\""), "{drawn}");
        }
        let tagged = within("a \\tag{1}");
        assert!(
            tagged.contains("<mn>1</mn>") && !tagged.contains('{'),
            "{tagged}"
        );
        let half = within("\\newcommand{\\half}[1]{\\frac{#1}{2}}\\half{a}");
        assert!(
            half.contains("<mfrac>") && half.contains("<mi>a</mi>"),
            "{half}"
        );
        // What stands between two parts takes those of its braces.
        for (infix, prefix) in [
            ("a + b \\over c", "\\frac{a + b }{ c}"),
            (
                "x + {a \\over {b \\over c}}",
                "x + {\\frac{a }{ {\\frac{b }{ c}}}}",
            ),
            (
                "{n \\choose k} \\overline{x}",
                "{\\binom{n }{ k}} \\overline{x}",
            ),
            (
                "\\left( {a \\atop b} \\right)",
                "\\left( {\\begin{matrix}a \\\\ b\\end{matrix}} \\right)",
            ),
        ] {
            assert_eq!(prefixed(infix), prefix);
            assert_eq!(formula(infix, true), formula(prefix, true), "{infix}");
        }
        for same in ["\\overline{a}", "{a \\over b", "\\{a \\} b", "a} \\frac12"] {
            assert_eq!(prefixed(same), same);
        }
        // A name that begins like one of these is another one.
        assert!(formula("\\tagged{x}", false).is_err());
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(
            formula("\\frac{a}{b} \\nope{a}", false).unwrap_err(),
            "`\\nope` is no command that is known"
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
            "\\boxed{",
            "\\bm{",
            "\\newline",
            "\\newcommand{\\x}[1]{",
            "\\newcommand",
            "\\tag{1}",
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
            "\\boxed",
            "\\newcommand{\\y}[1]",
            "\\newline",
            "\\bm",
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
