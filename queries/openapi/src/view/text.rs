//! Texts: literals, ids, plain text of Markdown.

use serde_json::Value;

use crate::title::shortened;

/// A JSON value as it is printed: texts without quotes, but for the empty one.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    }
}

/// A text as an id: what is neither a letter, a digit nor one of `-._~` becomes `-`.
pub(crate) fn safe(text: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | '~');
    text.chars()
        .map(|c| if is_safe(c) { c } else { '-' })
        .collect()
}

/// Longest description for search engines, in characters.
const MAX_META: usize = 160;

/// The first paragraph of a Markdown text as plain text, cut at a word.
pub(crate) fn meta_description(markdown: &str) -> Option<String> {
    let mut paragraphs = markdown.split("\n\n").map(plain);
    let paragraph = paragraphs.find(|text| !text.is_empty())?;
    Some(shortened(&paragraph, MAX_META))
}

/// One paragraph without its marks: links keep their text, tags and emphasis go.
fn plain(paragraph: &str) -> String {
    let mut text = String::with_capacity(paragraph.len());
    let mut rest = paragraph;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '<' => match rest.find('>') {
                Some(end) if rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') => {
                    rest = &rest[end + 1..];
                }
                _ => text.push(c),
            },
            '!' if rest.starts_with('[') => {}
            '[' => {}
            ']' => {
                if let (true, Some(end)) = (rest.starts_with('('), rest.find(')')) {
                    rest = &rest[end + 1..];
                }
            }
            '*' | '`' => {}
            '#' | '>' if text.trim().is_empty() => {}
            c => text.push(c),
        }
    }
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_plain_and_short() {
        let meta = |text: &str| meta_description(text).unwrap();
        assert_eq!(meta("# A **b** [c](http://d) <i>e</i>\n\nmore"), "A b c e");
        let long = meta(&"word ".repeat(60));
        assert!(
            long.chars().count() <= 160 && long.ends_with("word…"),
            "{long}"
        );
        assert_eq!(meta_description(" \n\n "), None);
        assert_eq!(safe("a b/日本.x"), "a-b-日本.x");
    }
}
