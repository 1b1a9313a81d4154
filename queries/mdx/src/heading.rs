//! Heading ids, exactly as published links expect them.

use std::collections::{BTreeMap, BTreeSet};

/// Gives each heading of a page its id; repeated ones get `-2`, `-3`, ….
#[derive(Default)]
pub struct HeadingIds {
    taken: BTreeMap<String, u32>,
    /// Second names of headings, and how often GitHub's rule made each name.
    aliases: BTreeSet<String>,
    github: BTreeMap<String, u32>,
}

impl HeadingIds {
    /// The id of the next heading whose text is `text`.
    pub fn next(&mut self, text: &str) -> String {
        self.claim(slug(text))
    }

    /// The name that GitHub gives the heading whose text is `text` and whose id is `id`, if it is another one: authors
    /// write links by that rule too, and they lead there.
    pub fn alias(&mut self, text: &str, id: &str) -> Option<String> {
        let slug = github_slug(text);
        let before = self.github.entry(slug.clone()).or_insert(0);
        let name = match *before {
            0 => slug,
            repeated => format!("{slug}-{repeated}"),
        };
        *before += 1;
        let is_new = !name.is_empty()
            && name != id
            && !self.taken.contains_key(&name)
            && self.aliases.insert(name.clone());
        is_new.then_some(name)
    }

    /// The aliases that later became ids of their own.
    pub fn lost_aliases(&self) -> Vec<&String> {
        let is_lost = |alias: &&String| self.taken.contains_key(*alias);
        self.aliases.iter().filter(is_lost).collect()
    }

    /// Every id that was given and every alias, in order of their names.
    pub fn into_anchors(self) -> Vec<String> {
        let mut names: BTreeSet<String> = self.aliases;
        names.extend(self.taken.into_keys());
        names.into_iter().collect()
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

/// The id by GitHub's rule: lower case, spaces become `-`, and of the rest only letters, digits, `-` and `_` stay.
fn github_slug(text: &str) -> String {
    text.trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x2300..=0x23FF | 0xFE00..=0xFE0F | 0x200D | 0x20E3 | 0xE0000..=0xE007F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_also_has_the_name_that_github_gives_it() {
        let mut ids = HeadingIds::default();
        let mut named = |text: &str| {
            let id = ids.next(text);
            let alias = ids.alias(text, &id);
            (id, alias)
        };
        let owned = |id: &str, alias: Option<&str>| (id.to_owned(), alias.map(str::to_owned));
        assert_eq!(named("Plain words"), owned("plain-words", None));
        assert_eq!(
            named("Plain words"),
            owned("plain-words-2", Some("plain-words-1"))
        );
        assert_eq!(named("v4.5 & on"), owned("v4-5-&-on", Some("v45--on")));
        assert_eq!(named("v45 on"), owned("v45-on", None));
        assert_eq!(named("a.b"), owned("a-b", Some("ab")));
        assert_eq!(named("ab"), owned("ab", Some("ab-1")));
        assert_eq!(ids.lost_aliases(), ["ab"]);
    }

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
