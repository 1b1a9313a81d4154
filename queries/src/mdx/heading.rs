//! Heading ids, exactly as published links expect them.

use std::collections::BTreeMap;

/// Gives each heading of a page its id; repeated ones get `-2`, `-3`, ….
#[derive(Default)]
pub struct HeadingIds {
    taken: BTreeMap<String, u32>,
}

impl HeadingIds {
    /// The id of the next heading whose text is `text`.
    pub fn next(&mut self, text: &str) -> String {
        self.claim(slug(text))
    }

    /// Every id that was given, in order of their names.
    pub fn into_anchors(self) -> Vec<String> {
        self.taken.into_keys().collect()
    }

    /// Notes an id that the author wrote; it is not changed.
    pub fn note(&mut self, id: &str) {
        self.taken.entry(id.to_owned()).or_insert(1);
    }

    /// Makes `id` unique on the page.
    pub fn claim(&mut self, id: String) -> String {
        let count = self.taken.entry(id.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return id;
        }
        let unique = format!("{id}-{count}");
        self.taken.entry(unique.clone()).or_insert(1);
        unique
    }
}

/// The id of a heading: lower case; spaces and dots become `-`; quotes, brackets and sentence marks go; emoji go;
/// everything else stays.
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            ' ' | '\t' | '\n' | '\u{a0}' | '.' => slug.push('-'),
            '?' | ',' | ';' | ':' | '!' | '\'' | '"' | '(' | ')' | '[' | ']' | '{' | '}' | '`'
            | '’' | '‘' | '“' | '”' => {}
            c if is_emoji(c) => {}
            c => slug.extend(c.to_lowercase()),
        }
    }
    slug
}

fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x2300..=0x23FF | 0xFE00..=0xFE0F | 0x200D | 0x20E3 | 0xE0000..=0xE007F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_reference() {
        for (text, id) in [
            ("API v2.0", "api-v2-0"),
            ("C++ & C#", "c++-&-c#"),
            ("a/b", "a/b"),
            ("POST /users/{id}", "post-/users/id"),
            ("What is foo_bar?", "what-is-foo_bar"),
            ("日本語 見出し", "日本語-見出し"),
            ("Emoji 🚀", "emoji-"),
            ("Don't stop", "dont-stop"),
        ] {
            assert_eq!(slug(text), id);
        }
    }

    #[test]
    fn repeated_headings_are_numbered() {
        let mut ids = HeadingIds::default();
        assert_eq!(
            ["A", "A", "A 2", "A"].map(|text| ids.next(text)),
            [
                "a".to_owned(),
                "a-2".to_owned(),
                "a-2-2".to_owned(),
                "a-3".to_owned()
            ]
        );
    }
}
