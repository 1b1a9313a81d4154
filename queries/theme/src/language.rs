//! Languages: their own names, and which way they are written.

use crate::document::Direction;

/// The language of pages that are in none: a tag of HTML.
pub const DEFAULT: &str = "en";

/// The name of the language `code` in that language; the code itself for one that is not known.
pub fn name(code: &str) -> &str {
    let lower = code.to_ascii_lowercase();
    NAMES
        .iter()
        .find(|(known, _)| *known == lower)
        .map_or(code, |(_, name)| name)
}

/// Returns the writing direction of the language `code`.
pub fn direction(code: &str) -> Direction {
    let language = code.split('-').next().unwrap_or(code);
    if matches!(language, "ar" | "he" | "fa" | "ur" | "yi") {
        Direction::Rtl
    } else {
        Direction::Ltr
    }
}

/// The code as HTML wants it (BCP 47): three codes of the configuration are country codes.
pub fn tag(code: &str) -> &str {
    match code {
        "cn" => "zh-Hans",
        "jp" => "ja",
        "ua" => "uk",
        code => code,
    }
}

#[rustfmt::skip]
/// Codes of the configuration and the names of the languages in themselves.
pub const NAMES: &[(&str, &str)] = &[
    ("ar", "العربية"), ("ca", "Català"), ("cn", "简体中文"), ("cs", "Čeština"), ("da", "Dansk"), ("de", "Deutsch"),
    ("en", "English"), ("es", "Español"), ("fi", "Suomi"), ("fr", "Français"), ("fr-ca", "Français (Canada)"),
    ("he", "עברית"), ("hi", "हिन्दी"), ("hu", "Magyar"), ("id", "Bahasa Indonesia"), ("it", "Italiano"),
    ("ja", "日本語"), ("ja-jp", "日本語"), ("jp", "日本語"), ("ko", "한국어"), ("lv", "Latviešu"), ("nl", "Nederlands"),
    ("no", "Norsk"), ("pl", "Polski"), ("pt", "Português"), ("pt-br", "Português (Brasil)"), ("ro", "Română"),
    ("ru", "Русский"), ("sv", "Svenska"), ("tr", "Türkçe"), ("ua", "Українська"), ("uk", "Українська"),
    ("uz", "Oʻzbekcha"), ("vi", "Tiếng Việt"), ("zh", "中文"), ("zh-hans", "简体中文"), ("zh-hant", "繁體中文"),
];
