//! Texts in the places of markers.

use std::borrow::Cow;

use super::languages::texts;
use super::{ALL, END, FIRST, START};
use crate::html::push_escaped;

/// Puts the texts of the language `tag` (BCP 47) in the places of the markers.
pub fn fill(html: &str, tag: &str) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 64);
    fill_into(&mut out, html, texts(tag), 0);
    out
}

/// `html` with English texts in the places of the markers; nothing is copied where there are none.
pub fn in_english(html: &str) -> Cow<'_, str> {
    match html.contains(START) {
        true => Cow::Owned(fill(html, "en")),
        false => Cow::Borrowed(html),
    }
}

/// Maximum nesting of words within arguments of words.
const MAX_DEPTH: usize = 4;

fn fill_into(out: &mut String, html: &str, texts: &[&str], depth: usize) {
    let mut rest = html;
    while let Some(at) = rest.find(START) {
        out.push_str(&rest[..at]);
        rest = &rest[at + START.len_utf8()..];
        let sign = rest.chars().next();
        let number = sign.and_then(|sign| u32::from(sign).checked_sub(FIRST));
        let word = number.and_then(|number| ALL.get(usize::try_from(number).ok()?));
        let (Some(sign), Some(word)) = (sign, word) else {
            // Of the author of the page: it is no marker.
            out.push(START);
            continue;
        };
        rest = &rest[sign.len_utf8()..];
        let text = texts[word.number()];
        if !word.has_argument() {
            push_escaped(out, text);
            continue;
        }
        let end = argument_end(rest);
        let (argument, after) = rest.split_at(end);
        rest = after.strip_prefix(END).unwrap_or(after);
        let (before, behind) = text.split_once("{}").unwrap_or((text, ""));
        push_escaped(out, before);
        if depth < MAX_DEPTH {
            fill_into(out, argument, texts, depth + 1);
        }
        push_escaped(out, behind);
    }
    out.push_str(rest);
}

/// Returns the end of the argument at the start of `rest`, which may contain words with arguments.
fn argument_end(rest: &str) -> usize {
    let mut open = 0;
    let mut signs = rest.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            END if open == 0 => return at,
            END => open -= 1,
            START => {
                let number = signs
                    .next()
                    .and_then(|(_, sign)| u32::from(sign).checked_sub(FIRST));
                let word = number.and_then(|number| ALL.get(usize::try_from(number).ok()?));
                open += usize::from(word.is_some_and(|word| word.has_argument()));
            }
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Word;
    use maud::html;

    #[test]
    fn markers_become_texts_with_what_they_speak_of() {
        let drawn = html! { a aria-label=(Word::LinkTo.of("a \"b\" <c>")) { (Word::Previous) } }
            .into_string();
        assert_eq!(
            fill(&drawn, "en"),
            r#"<a aria-label="Link to a &quot;b&quot; &lt;c&gt;">Previous</a>"#
        );
        assert!(fill(&drawn, "de").contains(">Zurück<"), "{drawn}");
        assert_eq!(in_english("<p>none</p>"), "<p>none</p>");
        assert!(matches!(in_english("none"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_authors_write_is_no_marker() {
        for text in [
            "\u{FDD0}",
            "\u{FDD0}x",
            "\u{FDD0}\u{F000}",
            "\u{FDD1}",
            "a\u{FDD0}\u{E000}",
        ] {
            let filled = fill(text, "fr");
            assert!(
                filled.starts_with(text) || text.contains('\u{E000}'),
                "{text:?}"
            );
        }
        // Words that are never closed take what is there, and end.
        let word = Word::LinkTo.marker();
        let deep = word.repeat(500);
        assert!(fill(&deep, "en").len() < 500);
    }
}
