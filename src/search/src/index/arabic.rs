//! One way to write an Arabic word of the many: without the article, signs of vowels and strokes that only fill a line.
//!
//! `queries/theme/js/searcher.js` does the same to what is typed in an export.

/// Prefixes of a definite noun: the article, alone or after a word of one letter.
const ARTICLES: [&str; 6] = ["وال", "بال", "كال", "فال", "لل", "ال"];
/// Minimum number of letters left after the article is removed; shorter words keep it.
const MIN_STEM_LETTERS: usize = 3;

/// An Arabic word by its letters, with the article; `None` for a word that has no such letter.
pub(super) fn letters(word: &str) -> Option<String> {
    let is_arabic = |c: char| ('\u{0600}'..='\u{06ff}').contains(&c);
    word.contains(is_arabic)
        .then(|| word.chars().filter_map(letter).collect())
}

/// An Arabic word by its letters, without the article; `None` for a word that has no such letter.
pub(super) fn bare(word: &str) -> Option<String> {
    let letters = letters(word)?;
    // Of `إلغاء` the sign says that the first two letters are no article, and four letters are of other languages.
    let signs = word.chars().filter(|c| !is_sign(*c));
    let plain: String = signs.collect();
    if plain.contains(['گ', 'پ', 'چ', 'ژ']) {
        return Some(letters);
    }
    let begins = ARTICLES.iter().find(|article| plain.starts_with(**article));
    let rest = begins.map(|article| &letters[article.len()..]);
    let rest = rest.filter(|rest| rest.chars().count() >= MIN_STEM_LETTERS);
    Some(rest.map_or(letters.clone(), str::to_owned))
}

/// A letter as it is compared; `None` for what is none.
fn letter(c: char) -> Option<char> {
    match c {
        c if is_sign(c) => None,
        'آ' | 'أ' | 'إ' | 'ٱ' => Some('ا'),
        'ى' | 'ی' => Some('ي'),
        'ک' => Some('ك'),
        'ة' => Some('ه'),
        c => Some(c),
    }
}

/// Returns true if `c` is a vowel sign, or the stroke that lengthens a word.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{0610}'..='\u{061a}' | '\u{0640}' | '\u{064b}'..='\u{065f}' | '\u{0670}' | '\u{06d6}'..='\u{06ed}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(bare(word).as_deref(), expected);
    }

    #[test]
    fn the_article_is_left_out() {
        check("المفتاح", Some("مفتاح"));
        check("وَالمِفتاح", Some("مفتاح"));
        check("للمفتاح", Some("مفتاح"));
        check("إلغاء", Some("الغاء"));
        check("الى", Some("الي"));
    }

    #[test]
    fn letters_are_written_in_one_way() {
        check("أمان", Some("امان"));
        check("مصادقة", Some("مصادقه"));
        check("مستوى", Some("مستوي"));
        check("مفتـــاح", Some("مفتاح"));
    }

    #[test]
    fn words_of_other_languages_stay() {
        check("الگوریتم", Some("الگوريتم"));
        check("key", None);
        check("ключ", None);
    }
}
