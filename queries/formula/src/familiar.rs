//! Rewrites KaTeX extensions in standard LaTeX: verbatim text, characters by their codes,
//! delimiters by other names, diagrams, and words of TeX that change nothing here.

use super::rewrite::command_name;

/// First of the signs that stand for those of `\verb`, by their code; of Unicode's private use.
const VERBATIM: u32 = 0xe100;

/// `source` in the usual way.
pub(super) fn familiar(source: &str) -> String {
    let mut source = source.to_owned();
    for (mark, rewrite) in [
        ("\\verb", verbatim as fn(&str) -> String),
        ("\\char", characters),
        ("\\begin{CD}", diagrams),
        ("\\genfrac", fractions),
        ("\\fbox", boxes),
    ] {
        if source.contains(mark) {
            source = rewrite(&source);
        }
    }
    words(&source)
}

/// `html` with the signs of `\verb` as they were written.
pub(super) fn with_verbatim(html: &str) -> String {
    let is_verbatim = |c: char| (VERBATIM..VERBATIM + 128).contains(&u32::from(c));
    let mut out = String::with_capacity(html.len());
    for c in html.chars() {
        match u8::try_from(u32::from(c).wrapping_sub(VERBATIM)) {
            Ok(byte) if is_verbatim(c) => match byte {
                b'<' => out.push_str("&lt;"),
                b'>' => out.push_str("&gt;"),
                b'&' => out.push_str("&amp;"),
                b'"' => out.push_str("&quot;"),
                b' ' => out.push('\u{a0}'),
                byte => out.push(char::from(byte)),
            },
            _ => out.push(c),
        }
    }
    out
}

/// `\verb|a_b|` as text in which no sign has a meaning.
fn verbatim(source: &str) -> String {
    replaced(source, "verb", |after| {
        let after = after.strip_prefix('*').unwrap_or(after);
        let sign = after
            .chars()
            .next()
            .filter(|sign| !sign.is_ascii_alphabetic())?;
        let (text, rest) = after[sign.len_utf8()..].split_once(sign)?;
        let stands_for = |c: char| match c.is_ascii() && !c.is_ascii_alphanumeric() {
            true => char::from_u32(VERBATIM + u32::from(c)).unwrap_or(c),
            false => c,
        };
        let text: String = text.chars().map(stands_for).collect();
        Some((format!("\\texttt{{{text}}}"), rest))
    })
}

/// `\char"3B1`, `\char945`, `` \char`a `` as the character itself, where it is a letter or a digit.
fn characters(source: &str) -> String {
    replaced(source, "char", |after| {
        let after = after.trim_start();
        let (radix, digits) = match after.chars().next()? {
            '"' => (16, &after[1..]),
            '\'' => (8, &after[1..]),
            '`' => {
                let sign = after[1..]
                    .chars()
                    .next()
                    .filter(|sign| sign.is_alphanumeric())?;
                return Some((format!("{{{sign}}}"), &after[1 + sign.len_utf8()..]));
            }
            _ => (10, after),
        };
        let end = digits
            .find(|c: char| !c.is_digit(radix))
            .unwrap_or(digits.len());
        let sign = char::from_u32(u32::from_str_radix(&digits[..end], radix).ok()?)?;
        let is_plain = sign.is_alphanumeric() || !sign.is_ascii() && !sign.is_control();
        let is_private = ('\u{e000}'..='\u{f8ff}').contains(&sign);
        (is_plain && !is_private).then(|| (format!("{{{sign}}}"), &digits[end..]))
    })
}

/// `\genfrac{(}{)}…` as `\genfrac()…`: delimiters without braces.
fn fractions(source: &str) -> String {
    replaced(source, "genfrac", |after| {
        let (left, rest) = argument(after)?;
        let (right, rest) = argument(rest)?;
        let bare = |delimiter: &str| match delimiter.trim() {
            "" => "{}".to_owned(),
            delimiter => delimiter.to_owned(),
        };
        Some((format!("\\genfrac {} {} ", bare(left), bare(right)), rest))
    })
}

/// `\fbox{text}` as a box around text.
fn boxes(source: &str) -> String {
    replaced(source, "fbox", |after| {
        let (text, rest) = argument(after)?;
        Some((format!("\\boxed{{\\text{{{text}}}}}"), rest))
    })
}

/// Words of TeX that change nothing here, and delimiters by their usual names.
fn words(source: &str) -> String {
    const WORDS: &[(&str, &str)] = &[
        ("edef", "\\def"),
        ("xdef", "\\def"),
        ("gdef", "\\def"),
        ("global", ""),
        ("long", ""),
        ("noexpand", ""),
        ("bgroup", "{"),
        ("egroup", "}"),
        ("operatornamewithlimits", "\\operatorname*"),
    ];
    const SIZES: &[&str] = &["left", "right", "middle", "big", "Big", "bigg", "Bigg"];
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let mut is_sized = false;
    while let Some(first) = rest.chars().next() {
        let name = rest.strip_prefix('\\').map_or("", command_name);
        let delimiter = match (first, name) {
            // A space, whose name would be taken for markup.
            ('\\', "") if rest.starts_with("\\>") => Some("\\:"),
            _ if !is_sized => None,
            ('<', _) | (_, "lang" | "lt") => Some("\\langle "),
            ('>', _) | (_, "rang" | "gt") => Some("\\rangle "),
            _ => None,
        };
        let len = match name.len() {
            0 if first == '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            0 => first.len_utf8(),
            len => 1 + len,
        };
        let word = WORDS.iter().find(|(known, _)| *known == name);
        match (delimiter, word) {
            (Some(delimiter), _) => out.push_str(delimiter),
            (None, Some((_, stands))) => {
                out.push_str(stands);
                if stands.ends_with(|c: char| c.is_ascii_alphabetic()) {
                    out.push(' ');
                }
            }
            (None, None) => out.push_str(&rest[..len]),
        }
        let sized = name.strip_suffix(['l', 'r', 'm']).unwrap_or(name);
        is_sized = SIZES.contains(&name) || SIZES.contains(&sized) || is_sized && first == ' ';
        rest = &rest[len..];
    }
    out
}

/// `\begin{CD}…\end{CD}` as a table of its objects and arrows.
fn diagrams(source: &str) -> String {
    const BEGIN: &str = "\\begin{CD}";
    const END: &str = "\\end{CD}";
    let mut out = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let Some((inner, after)) = after.split_once(END) else {
            break;
        };
        out.push_str(before);
        let rows: Vec<String> = inner.split("\\\\").map(diagram_row).collect();
        out.push_str(&format!(
            "\\begin{{matrix}}{}\\end{{matrix}}",
            rows.join("\\\\")
        ));
        rest = after;
    }
    out + rest
}

/// A row of objects with arrows between them, or of the arrows below them.
fn diagram_row(row: &str) -> String {
    let mut cells = Vec::new();
    let mut rest = row;
    let mut is_below = rest.trim_start().starts_with('@');
    while let Some((object, after)) = rest.split_once('@') {
        if !object.trim().is_empty() || !cells.is_empty() && !is_below {
            cells.push(object.trim().to_owned());
        }
        let Some(sign) = after.chars().next() else {
            break;
        };
        let after = &after[sign.len_utf8()..];
        let labels = |after| {
            let (first, after) = split_outside_braces(after, sign)?;
            let (second, after) = split_outside_braces(after, sign)?;
            Some((first.trim(), second.trim(), after))
        };
        let (arrow, after) = match (sign, labels(after)) {
            ('>', Some((above, below, after))) => {
                (format!("\\xrightarrow[{below}]{{{above}}}"), after)
            }
            ('<', Some((above, below, after))) => {
                (format!("\\xleftarrow[{below}]{{{above}}}"), after)
            }
            ('V', Some((left, right, after))) => (labeled_arrow("\\downarrow", left, right), after),
            ('A', Some((left, right, after))) => (labeled_arrow("\\uparrow", left, right), after),
            ('=', _) => ("=".to_owned(), after),
            ('|', _) => ("\\|".to_owned(), after),
            _ => (String::new(), after),
        };
        if is_below && !cells.is_empty() {
            // Between two arrows that point down is the room of the arrow above.
            cells.push(String::new());
        }
        cells.push(arrow);
        is_below &= matches!(sign, 'V' | 'A' | '|' | '.' | '=');
        rest = after;
    }
    if !rest.trim().is_empty() || !is_below && !cells.is_empty() {
        cells.push(rest.trim().to_owned());
    }
    cells.join("&")
}

/// An arrow with what stands on either side of it.
fn labeled_arrow(arrow: &str, above_arrow: &str, right: &str) -> String {
    format!("{{\\scriptstyle {above_arrow}}}{arrow}{{\\scriptstyle {right}}}")
}

/// Splits `text` at the next `sign` outside of braces.
fn split_outside_braces(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let at = text.char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *c == sign
    });
    let (at, _) = at?;
    Some((&text[..at], &text[at + sign.len_utf8()..]))
}

/// `source` with each `\name` that `rewrite` knows what to do with, given what follows it, in another form.
fn replaced<'a>(
    source: &'a str,
    name: &str,
    rewrite: impl Fn(&'a str) -> Option<(String, &'a str)>,
) -> String {
    let command = format!("\\{name}");
    let mut out = String::new();
    let mut rest = source;
    while let Some(at) = rest.find(&command) {
        let after = &rest[at + command.len()..];
        let is_whole = !after.starts_with(|c: char| c.is_ascii_alphabetic());
        out.push_str(&rest[..at]);
        match rewrite(after).filter(|_| is_whole) {
            Some((written, after)) => {
                out.push_str(&written);
                rest = after;
            }
            None => {
                out.push_str(&command);
                rest = after;
            }
        }
    }
    out + rest
}

/// The argument that `text` begins with, without its braces, and what follows it.
pub(super) fn argument(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let first = text.chars().next()?;
    if first == '\\' {
        let name = command_name(&text[1..]);
        let len = match name.len() {
            0 => text[1..].chars().next()?.len_utf8(),
            len => len,
        };
        return Some(text.split_at(1 + len));
    }
    if first != '{' {
        return Some(text.split_at(first.len_utf8()));
    }
    let (mut depth, mut is_escaped) = (0_usize, false);
    let end = text.char_indices().find(|(_, c)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match c {
            '\\' => is_escaped = true,
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let (end, _) = end?;
    Some((&text[1..end], &text[end + 1..]))
}
