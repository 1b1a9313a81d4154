//! The texts of each language, from the files of `words/`.

use std::sync::OnceLock;

use super::ENGLISH;
use crate::language;

/// Every text in English and in the language `tag`.
pub fn pairs(tag: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let texts = texts(tag).iter().copied();
    english().iter().copied().zip(texts)
}

pub(super) fn english() -> &'static [&'static str] {
    static TEXTS: OnceLock<Vec<&'static str>> = OnceLock::new();
    TEXTS.get_or_init(|| ENGLISH.iter().map(|(_, text)| *text).collect())
}

/// The texts of a language, in the order of [`Word`]: those of the tag, of its language, of English.
pub(super) fn texts(tag: &str) -> &'static [&'static str] {
    position(tag).map_or(english(), |at| &read_all()[at])
}

/// Returns the index of the language `tag` in [`LANGUAGES`]: by the tag, else by its language.
pub(super) fn position(tag: &str) -> Option<usize> {
    let tag = language::tag(tag).to_ascii_lowercase();
    let of = |code: &str| LANGUAGES.iter().position(|(known, _)| *known == code);
    of(&tag).or_else(|| of(tag.split('-').next().unwrap_or("")))
}

/// The texts of every language, in the order of [`LANGUAGES`].
pub(super) fn read_all() -> &'static [Vec<&'static str>] {
    static TEXTS: OnceLock<Vec<Vec<&'static str>>> = OnceLock::new();
    TEXTS.get_or_init(|| LANGUAGES.iter().map(|(_, file)| read(file)).collect())
}

/// Reads lines of name, equals sign and text; what has no line is English.
fn read(file: &'static str) -> Vec<&'static str> {
    let mut texts = english().to_vec();
    for line in file.lines() {
        if let Some((name, text)) = line.split_once(" = ")
            && let Some(at) = ENGLISH.iter().position(|(known, _)| *known == name)
        {
            texts[at] = text;
        }
    }
    texts
}

macro_rules! languages {
    ($($code:literal)+) => {
        pub(super) const LANGUAGES: &[(&str, &str)] = &[$(($code, include_str!(concat!("../../words/", $code, ".txt"))),)+];
    };
}

languages! {
    "ar" "ca" "cs" "da" "de" "es" "fi" "fr" "he" "hi" "hu" "id" "it" "ja" "ko" "lv" "nl" "no" "pl" "pt" "ro" "ru" "sv"
    "tr" "uk" "uz" "vi" "zh" "zh-hant"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::ALL;

    #[test]
    fn every_language_that_has_a_name_has_every_word() {
        for (code, _) in language::NAMES {
            assert_eq!(
                std::ptr::eq(texts(code), english()),
                *code == "en",
                "{code}"
            );
        }
        for (code, file) in LANGUAGES {
            let names: Vec<&str> = file
                .lines()
                .map(|line| line.split_once(" = ").expect(line).0)
                .collect();
            let all: Vec<&str> = ENGLISH.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, all, "{code}");
            for (word, text) in ALL.iter().zip(read(file)) {
                let count = |text: &str| text.matches("{}").count();
                assert_eq!(count(text), count(word.english()), "{code} {word:?}");
                assert!(
                    !text.trim().is_empty() && text.trim() == text,
                    "{code} {word:?}"
                );
            }
        }
    }

    #[test]
    fn a_region_has_the_words_of_its_language_and_a_script_its_own() {
        assert_eq!(texts("pt-BR"), texts("pt"));
        assert_eq!(texts("cn"), texts("zh"));
        assert_eq!(texts("ua"), texts("uk"));
        assert_ne!(texts("zh-Hant"), texts("zh-Hans"));
        assert_eq!(texts("tlh"), english());
    }
}
