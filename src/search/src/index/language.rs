//! Language of a question, of those that a site has: by its script, else by its stop words.

use crate::index::stop_words::stop_words;
use crate::index::words::{folded, primary};

/// Letters from a first to a last one, and the languages that are written with them, in the order
/// of preference. Kana comes before the signs that Japanese and Chinese share.
const SCRIPTS: &[(char, char, &[&str])] = &[
    ('\u{3041}', '\u{30ff}', &["ja"]),
    ('\u{ac00}', '\u{d7a3}', &["ko"]),
    ('\u{1100}', '\u{11ff}', &["ko"]),
    // Sites write `cn` for Chinese, too.
    ('\u{4e00}', '\u{9fff}', &["zh", "cn", "ja"]),
    ('\u{0600}', '\u{06ff}', &["ar", "fa", "ur"]),
    ('\u{0400}', '\u{04ff}', &["ru", "uk", "bg", "sr"]),
    ('\u{0590}', '\u{05ff}', &["he"]),
    ('\u{0900}', '\u{097f}', &["hi"]),
    ('\u{0e00}', '\u{0e7f}', &["th"]),
    ('\u{0370}', '\u{03ff}', &["el"]),
];

/// The language of `question` among `languages` (primary codes); `None` if it does not tell. Of
/// several that are written alike it is `here`, that of the page where it is asked.
pub fn language_of<'l>(
    question: &str,
    languages: &'l [String],
    here: Option<&str>,
) -> Option<&'l str> {
    if languages.len() < 2 {
        return None;
    }
    let here = here.map(primary);
    let find = |code: &str| {
        let mut languages = languages.iter();
        languages.find(|one| *one == code).map(String::as_str)
    };
    let latin = question
        .chars()
        .filter(|c| c.is_alphabetic() && *c < '\u{0370}');
    let latin = latin.count();
    for (first, last, codes) in SCRIPTS {
        let letters = question.chars().filter(|c| (*first..=*last).contains(c));
        // A name in another script is no language; a sign of Chinese is about three letters.
        let count = letters.count();
        if count > 0 && 3 * count >= latin {
            let here = here.as_deref().filter(|here| codes.contains(here));
            return here
                .and_then(find)
                .or_else(|| codes.iter().find_map(|code| find(code)));
        }
    }
    let is_other = |language: &String| {
        let mut scripts = SCRIPTS.iter();
        scripts.any(|(_, _, codes)| codes.contains(&language.as_str()))
    };
    let languages: Vec<&'l str> = (languages.iter())
        .filter(|language| !is_other(language))
        .map(String::as_str)
        .collect();
    // What is not known of one of them cannot be compared.
    if languages
        .iter()
        .any(|language| stop_words(language).is_empty())
    {
        return None;
    }
    let lower = question.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words.map(folded).collect();
    let mut counts: Vec<(usize, &str)> = languages
        .iter()
        .map(|language| {
            let known = stop_words(language);
            let count = words
                .iter()
                .filter(|word| known.contains(word.as_str()))
                .count();
            (count, *language)
        })
        .collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    match counts[..] {
        [(first, language), (second, _), ..] if first > second => Some(language),
        [(first, language)] if first > 0 => Some(language),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_in_the_language_of_its_script_or_its_stop_words() {
        let languages: Vec<String> = ["ar", "de", "en", "es", "ja", "ko", "zh"]
            .map(str::to_owned)
            .into();
        for (question, language) in [
            ("如何部署网站？", Some("zh")),
            ("API キーはどこですか", Some("ja")),
            ("API 키를 어떻게 바꾸나요?", Some("ko")),
            ("كيف أغير المفتاح؟", Some("ar")),
            ("Wie kann ich den Schlüssel ändern?", Some("de")),
            ("¿Cómo puedo cambiar la clave?", Some("es")),
            ("How do I change the key?", Some("en")),
            ("webhooks retries", None),
            ("Как изменить ключ?", None),
        ] {
            assert_eq!(
                language_of(question, &languages, None),
                language,
                "{question}"
            );
        }
        // What is written alike is in the language of the page; a name in another script is a name.
        assert_eq!(
            language_of("環境変数設定", &languages, Some("ja")),
            Some("ja")
        );
        let question = "How do I render 中文 labels in a table?";
        assert_eq!(language_of(question, &languages, None), Some("en"));
        // Nothing is known of the words of Catalan.
        let languages = ["ca", "es"].map(str::to_owned);
        assert_eq!(
            language_of("Com puc canviar la clau de la API?", &languages, None),
            None
        );
        // A site in one language has nothing to choose.
        assert_eq!(language_of("Wie geht das?", &["de".to_owned()], None), None);
    }
}
