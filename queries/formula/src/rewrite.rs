//! LaTeX as KaTeX takes it, written as the parser does: commands that it lacks are defined, others stand in another way.

use super::familiar::argument;

/// Commands of KaTeX that the parser does not have: what they take, and what stands for them.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
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
    ("rArr", "", "\\Rightarrow"),
    ("Larr", "", "\\Leftarrow"),
    ("lArr", "", "\\Leftarrow"),
    ("Darr", "", "\\Downarrow"),
    ("Uarr", "", "\\Uparrow"),
    ("Harr", "", "\\Leftrightarrow"),
    ("Lrarr", "", "\\Leftrightarrow"),
    ("lrArr", "", "\\Leftrightarrow"),
    ("equalscolon", "", "=:"),
    ("equalscoloncolon", "", "=::"),
    ("minuscolon", "", "-:"),
    ("minuscoloncolon", "", "-::"),
    ("simcoloncolon", "", "\\sim::"),
    ("approxcolon", "", "\\approx:"),
    ("approxcoloncolon", "", "\\approx::"),
    ("imageof", "", "⊷"),
    ("origof", "", "⊶"),
    ("sect", "", "\\S"),
    ("angl", "#1", "\\overline{#1|}"),
    ("angln", "", "\\overline{n|}"),
    ("mathchoice", "#1#2#3#4", "#1"),
    ("TextOrMath", "#1#2", "#2"),
    ("htmlData", "#1#2", "#2"),
    ("htmlClass", "#1#2", "#2"),
    ("htmlId", "#1#2", "#2"),
    ("htmlStyle", "#1#2", "#2"),
    ("set", "#1", "\\{#1\\}"),
    ("Set", "#1", "\\left\\{#1\\right\\}"),
    ("braket", "#1", "\\langle #1\\rangle"),
    ("Braket", "#1", "\\left\\langle #1\\right\\rangle"),
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
pub(super) fn definitions(source: &str) -> String {
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
pub(super) fn defined(source: String) -> String {
    let source = source.replace("\\providecommand", "\\newcommand");
    let mut rest = source.as_str();
    let mut out = String::new();
    while let Some(at) = rest.find("newcommand") {
        let before = &rest[..at];
        let after = &rest[at + "newcommand".len()..];
        let after = after.strip_prefix('*').unwrap_or(after).trim_start();
        let argument = match after.strip_prefix('{') {
            Some(inner) => inner.split_once('}'),
            None => {
                let begins = |(at, c): (usize, char)| at > 0 && !c.is_ascii_alphabetic();
                let end = after.char_indices().find(|one| begins(*one));
                end.map(|(end, _)| after.split_at(end))
            }
        };
        let before = before.strip_suffix("\\re").or(before.strip_suffix('\\'));
        let (Some(before), Some((name, after))) = (before, argument) else {
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
pub(super) fn operators(source: String) -> String {
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
pub(super) fn renamed(mut source: String) -> String {
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
    ("above", "\\frac{", "}{", "}"),
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
pub(super) fn prefixed(source: &str) -> String {
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
            let name = command_name(command);
            length += match name.len() {
                0 => command.chars().next().map_or(0, char::len_utf8),
                length => length,
            };
            let row = INFIXES.iter().position(|(known, ..)| *known == name);
            if let (Some(row), Some((text, infix @ None))) = (row, open.last_mut()) {
                *infix = Some((row, text.len()));
                is_taken = true;
                if name == "above" {
                    // How thick the line is.
                    let (_, after) = argument(&rest[length..]).unwrap_or(("", &rest[length..]));
                    length = rest.len() - after.len();
                }
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
pub(super) fn labelled_below(source: String) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source.as_str();
    while let Some(at) = rest.find("\\x") {
        let after = &rest[at + 1..];
        let name = command_name(after);
        let arguments = &after[name.len()..];
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

/// The letters that `source` begins with, which follow the backslash of a command.
pub(super) fn command_name(source: &str) -> &str {
    let end = source.find(|c: char| !c.is_ascii_alphabetic());
    &source[..end.unwrap_or(source.len())]
}
