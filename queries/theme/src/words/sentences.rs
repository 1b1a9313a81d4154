//! English that is made where nothing is rendered, as words: titles, constraints, sentences about a
//! name.

use std::borrow::Cow;

use super::languages::texts;
use super::{ALL, END, RenderedWord, Word};
use crate::html::push_escaped;

/// The marker of an English text that is a word of the frame; other texts as they are. For titles
/// and pills that are made where nothing is rendered.
pub fn spoken(text: &str) -> Cow<'_, str> {
    match word_of(text) {
        Some(word) => Cow::Borrowed(word.marker()),
        None => Cow::Borrowed(text),
    }
}

/// An English text that is a word of the frame, in the language `tag`; other texts as they are. For names that are made where
/// the language is known.
pub fn translated<'t>(text: &'t str, tag: &str) -> &'t str {
    let word = ALL.iter().position(|word| word.english() == text);
    word.map_or(text, |number| texts(tag)[number])
}

/// A label of a branch that has no name: one that counts, such as `Option 2`, or says what is required, such as
/// `serial required`, with the marker of its word. Other labels as they are.
pub fn numbered(label: &str) -> Cow<'_, str> {
    if let Some(names) = label.strip_suffix(" required") {
        return Cow::Owned(format!("{names} {}", Word::Required.marker()));
    }
    let is_number = |text: &&str| text.bytes().all(|sign| sign.is_ascii_digit());
    let number = label.strip_prefix("Option ").filter(is_number);
    number.map_or(Cow::Borrowed(label), |number| {
        Cow::Owned(Word::OptionNumber.about(number))
    })
}

fn word_of(text: &str) -> Option<Word> {
    ALL.iter().copied().find(|word| word.english() == text)
}

/// A constraint in words, such as `3 – 40 characters`, `exactly 5 items`, `multiple of 10`: markup.
pub fn constraint(text: &str) -> RenderedWord {
    let units = [Word::Characters, Word::Items, Word::ManyProperties];
    let of = |word: Word, text: &str| {
        let (before, after) = word.english().split_once("{}")?;
        text.strip_prefix(before)?
            .strip_suffix(after)
            .filter(|count| is_count(count))
            .map(str::to_owned)
    };
    let counted = |text: &str| {
        units
            .into_iter()
            .find_map(|word| Some(word.of(of(word, text)?).0))
    };
    if let Some(rest) = text.strip_prefix("exactly ")
        && let Some(inner) = counted(rest)
    {
        return RenderedWord(format!("{}{inner}{END}", Word::Exactly.marker()));
    }
    if let Some(inner) = counted(text) {
        return RenderedWord(inner);
    }
    // The first holds what the second asks for, too.
    for word in [Word::MultipleOf, Word::ContainsOrMore, Word::ContainsOf] {
        if let Some(count) = of(word, text) {
            return word.of(count);
        }
    }
    let mut out = String::new();
    let inner = text.trim();
    match word_of(inner).filter(|_| !inner.is_empty()) {
        Some(word) => {
            let (before, after) = text.split_once(inner).unwrap_or_default();
            out.push_str(before);
            out.push_str(word.marker());
            out.push_str(after);
        }
        None => push_escaped(&mut out, text),
    }
    RenderedWord(out)
}

/// A sentence of the frame that speaks of one name between backticks, as markup; none if `text` is
/// no such sentence. For texts that are made where nothing is rendered.
pub fn sentence(text: &str) -> Option<RenderedWord> {
    let mut parts = text.split('`');
    let (before, name, after) = (parts.next()?, parts.next(), parts.next());
    let Some((name, after)) = name.zip(after) else {
        return word_of(text).map(|word| RenderedWord(word.marker().to_owned()));
    };
    let word = word_of(&format!("{before}{{}}{after}"))?;
    Some(word.around(&maud::html! { code { (name) } }))
}

/// Returns true if `text` is a number or a range of numbers.
fn is_count(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|sign| sign.is_ascii_digit() || " –≤≥.-e+".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::fill;

    #[test]
    fn constraints_are_said_in_other_languages() {
        for (text, german) in [
            ("3 – 40 characters", "3 – 40 Zeichen"),
            ("exactly 5 items", "genau 5 Elemente"),
            ("multiple of 0.5", "Vielfaches von 0.5"),
            ("unique items", "eindeutige Elemente"),
            ("contains 2 or more of", "enthält 2 oder mehr von"),
            ("contains 1 – 3 of", "enthält 1 – 3 von"),
            (" or ", " oder "),
            ("≤ 7 properties", "≤ 7 Eigenschaften"),
            ("a < b characters", "a &lt; b characters"),
            ("date-time", "date-time"),
        ] {
            let spoken = constraint(text).0;
            assert_eq!(fill(&spoken, "de"), german);
            assert_eq!(fill(&spoken, "en"), text.replace('<', "&lt;"));
        }
    }
}
