//! Formulas: LaTeX becomes MathML when the site is built, so a browser needs neither script nor font for them.

mod familiar;
mod rewrite;

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

use familiar::{familiar, with_verbatim};
use rewrite::{command_name, defined, definitions, labelled_below, operators, prefixed, renamed};

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

fn math(latex: &str, is_display: bool) -> Result<String, String> {
    let source = familiar(latex);
    let source = source.as_str();
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
            Some(command) => format!("`{command}` is not a known command"),
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
    Ok(with_verbatim(&html))
}

/// The first command of `source` that is unknown by itself.
fn unknown_command(source: &str) -> Option<String> {
    let storage = Storage::new();
    let names = source.split('\\').skip(1).map(command_name);
    let names = names.filter(|name| !name.is_empty());
    let mut names = names.take(MAX_COMMANDS);
    names.find_map(|name| {
        let command = format!("{}\\{name}", definitions(&format!("\\{name}")));
        let mut events = Parser::new(&command, &storage);
        let is_unknown = events
            .any(|event| event.is_err_and(|error| error.to_string().contains("unknown primitive")));
        (is_unknown && !source.contains(&format!("def\\{name}"))).then(|| format!("\\{name}"))
    })
}

/// Characters with a meaning in markup, the private-use characters that replace them while a
/// formula is rendered, and their final form.
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
mod tests;
