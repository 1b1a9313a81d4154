//! Heading ids, exactly as published links expect them.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::Event;

use crate::markdown::plain_events;

/// Id of a heading whose slug is empty.
const NAMELESS: &str = "section";

/// Returns the text of the first level-1 heading with words of `markdown`, ATX (`# A`) or setext (`A` above
/// `===`), as plain text; `None` without one, or if an expression stands in it.
pub fn first_title(markdown: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    let mut before = "";
    for line in markdown.lines() {
        let text = line.trim_start_matches(' ');
        let is_indented = line.len() - text.len() > 3;
        let marks = text.len() - text.trim_start_matches(['`', '~']).len();
        if let Some(open) = fence {
            if text.starts_with(open) && text.trim_end().trim_start_matches(['`', '~']).is_empty() {
                fence = None;
            }
            continue;
        }
        if marks >= 3 && !is_indented {
            fence = Some(&text[..marks]);
            before = "";
            continue;
        }
        let atx = text.strip_prefix('#').filter(|_| !is_indented);
        let atx = atx.filter(|rest| rest.starts_with([' ', '\t']));
        let is_underline = !is_indented
            && text.starts_with('=')
            && text.trim_end().trim_start_matches('=').is_empty();
        if let Some(title) = atx {
            return plain_title(title);
        }
        if is_underline && !before.is_empty() {
            return plain_title(before);
        }
        let is_paragraph = !is_indented && !text.starts_with(['>', '-', '*', '+', '|', '<', '#']);
        before = if is_paragraph { text.trim() } else { "" };
    }
    None
}

/// Returns the words of a heading without its marks, a closing `#` and `{#id}`.
fn plain_title(source: &str) -> Option<String> {
    let text = source.trim();
    let closed = text.trim_end_matches('#');
    let text = match closed.ends_with([' ', '\t']) || closed.is_empty() {
        true => closed.trim_end(),
        false => text,
    };
    let text = match text.rsplit_once("{#") {
        Some((title, id)) if id.ends_with('}') => title.trim_end(),
        _ => text,
    };
    if text.contains('{') {
        return None;
    }
    Some(words_of(text)).filter(|words| !words.is_empty())
}

/// Returns the words of a line of Markdown, without its marks.
pub fn words_of(markdown: &str) -> String {
    let mut text = String::new();
    for event in plain_events(markdown) {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Gives each heading of a page its id; repeated ones get `-2`, `-3`, ….
#[derive(Clone, Default)]
pub struct HeadingIds {
    used_ids: BTreeMap<String, u32>,
    /// Other names of headings, and how often each was given.
    aliases: BTreeMap<String, u32>,
    /// Names that GitHub gives, of `aliases`.
    github_names: BTreeSet<String>,
    /// Number of uses of each name by GitHub's rule.
    github: BTreeMap<String, u32>,
}

impl HeadingIds {
    /// The id of the next heading whose text is `text`.
    pub fn next(&mut self, text: &str) -> String {
        let slug = slug(text);
        match is_blank(&slug) {
            true => self.claim(NAMELESS.to_owned()),
            false => self.claim(slug),
        }
    }

    /// The other names of the heading whose text is `text` and whose id is `id`: the one that GitHub gives it, and those
    /// that treat its punctuation otherwise. Authors write links by these rules too, and they lead there.
    pub fn aliases(&mut self, text: &str, id: &str) -> Vec<String> {
        let slug = github_slug(text);
        let before = self.github.entry(slug.clone()).or_insert(0);
        let github = match *before {
            _ if is_blank(&slug) => String::new(),
            0 => slug,
            repeated => format!("{slug}-{repeated}"),
        };
        *before += 1;
        let mut names: Vec<String> = Vec::new();
        if self.is_free(&github, id) && self.github_names.insert(github.clone()) {
            names.push(github);
        }
        for form in other_forms(text) {
            let is_known = names.contains(&form) || self.aliases.contains_key(&form);
            if !is_known && self.is_free(&form, id) {
                names.push(form);
            }
        }
        for name in &names {
            *self.aliases.entry(name.clone()).or_insert(0) += 1;
        }
        names
    }

    fn is_free(&self, name: &str, id: &str) -> bool {
        !is_blank(name) && name != id && !self.used_ids.contains_key(name)
    }

    /// The aliases to be taken back, as often as they occur: those that later became ids of their
    /// own, and those that GitHub gives to a later heading.
    pub fn lost_aliases(&self) -> Vec<&String> {
        let lost = self.aliases.iter().map(|(name, drawn)| {
            let kept = u32::from(!self.used_ids.contains_key(name));
            std::iter::repeat_n(name, (drawn - kept.min(*drawn)) as usize)
        });
        lost.flatten().collect()
    }

    /// Every id that was given and every alias, in order of their names.
    pub fn into_anchors(self) -> Vec<String> {
        let mut names: BTreeSet<String> = self.aliases.into_keys().collect();
        names.extend(self.used_ids.into_keys());
        names.into_iter().collect()
    }

    /// Notes an id that the author wrote; it is not changed.
    pub fn note(&mut self, id: &str) {
        self.used_ids.entry(id.to_owned()).or_insert(1);
    }

    /// Makes `id` unique on the page; one that is empty gets the name of headings without signs.
    pub fn claim(&mut self, id: String) -> String {
        let id = match id.is_empty() {
            true => NAMELESS.to_owned(),
            false => id,
        };
        let count = self.used_ids.entry(id.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return id;
        }
        let unique = format!("{id}-{count}");
        self.used_ids.entry(unique.clone()).or_insert(1);
        unique
    }
}

/// Returns true if an id cannot be linked to: it has at least one character (HTML, 3.2.6), and
/// nobody links to hyphens.
fn is_blank(id: &str) -> bool {
    id.bytes().all(|sign| sign == b'-')
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

/// The id of a field by its name: [`slug`], in which underscores and the capitals within a word begin new words.
pub fn field_slug(name: &str) -> String {
    let mut parts = String::with_capacity(name.len() + 8);
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && was_lower {
            parts.push('-');
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        parts.push(if c == '_' { '-' } else { c });
    }
    slug(&parts)
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

/// Further names that links to a heading are seen to use, as published sites and other programs make them.
fn other_forms(text: &str) -> Vec<String> {
    let lower = text.trim().to_lowercase();
    // Every run of signs is one hyphen: `enabling-unsafe-mode` of `unsafe_mode`, `v2-0-0-v3-0-0`.
    let hyphenated = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join("-")
    };
    // Signs go, and what they leave between words is one hyphen.
    let github = github_slug(text);
    let parts = github.split('-').filter(|part| !part.is_empty());
    let dropped = parts.collect::<Vec<_>>().join("-");
    let plain = hyphenated(&lower.replace(['\'', '’'], ""));
    let mut forms = vec![plain, dropped];
    if lower.contains('&') {
        forms.push(hyphenated(&lower.replace('&', " and ")));
    }
    // Nothing goes but space: `example:-connect`, `with-$ref`.
    forms.push(lower.split_whitespace().collect::<Vec<_>>().join("-"));
    // The id with one hyphen where it has several: `3-budget-&-limits` of `3. Budget & limits`.
    let own = slug(text);
    let parts = own.split('-').filter(|part| !part.is_empty());
    forms.push(parts.collect::<Vec<_>>().join("-"));
    forms
}

fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x2300..=0x23FF | 0xFE00..=0xFE0F | 0x200D | 0x20E3 | 0xE0000..=0xE007F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_title_is_the_first_heading_of_level_one() {
        for (markdown, expected) in [
            ("# A *b* `c` [d](/e)\n", Some("A b c d")),
            (
                "<img src=\"/a.png\" />\n\nWords.\n\n  # A ##\n# B",
                Some("A"),
            ),
            ("A\n===\n", Some("A")),
            ("# A {#own-id}", Some("A")),
            ("# C#", Some("C#")),
            ("# <b>A</b> B", Some("A B")),
            ("```sh\n# no\n```\n## Two", None),
            ("~~~~\n# no\n~~~\n# no\n~~~~\n# yes", Some("yes")),
            ("#no\n\n    # no\n- a\n===\n\n===", None),
            ("# {props.title}", None),
            ("#\n# B", Some("B")),
        ] {
            assert_eq!(first_title(markdown).as_deref(), expected, "{markdown}");
        }
    }

    #[test]
    fn the_name_of_a_field_is_cut_into_words() {
        for (name, expected) in [
            ("expiresInDays", "expires-in-days"),
            ("return_url", "return-url"),
            ("thumbnails.background", "thumbnails-background"),
            ("items[].ID", "items-id"),
            ("baseURL", "base-url"),
            ("HTTPServer", "httpserver"),
            ("x-api-key", "x-api-key"),
        ] {
            assert_eq!(field_slug(name), expected);
        }
    }

    #[test]
    fn a_heading_also_has_the_names_of_other_rules() {
        let mut ids = HeadingIds::default();
        let mut check = |text: &str, expected_id: &str, expected: &[&str]| {
            let id = ids.next(text);
            assert_eq!(id, expected_id);
            assert_eq!(ids.aliases(text, &id), expected, "{text}");
        };
        check("Plain words", "plain-words", &[]);
        check("Plain words", "plain-words-2", &["plain-words-1"]);
        let forms = ["v45--on", "v4-5-on", "v45-on", "v4-5-and-on", "v4.5-&-on"];
        check("v4.5 & on", "v4-5-&-on", &forms);
        check("v45 on", "v45-on", &[]);
        let forms = [
            "3-budget--limits",
            "3-budget-limits",
            "3-budget-and-limits",
            "3.-budget-&-limits",
            "3-budget-&-limits",
        ];
        check("3. Budget & limits", "3--budget-&-limits", &forms);
        check("a.b", "a-b", &["ab", "a.b"]);
        check("ab", "ab", &["ab-1"]);
        check("Unsafe_mode", "unsafe_mode", &["unsafe-mode"]);
        check("Example: one", "example-one", &["example:-one"]);
        check(
            "Format — not local",
            "format-—-not-local",
            &["format--not-local", "format-not-local"],
        );
        assert_eq!(ids.lost_aliases(), ["ab", "v45-on"]);
    }

    #[test]
    fn the_name_of_github_is_that_of_the_heading_that_github_gives_it() {
        let mut ids = HeadingIds::default();
        let id = ids.next("a - b");
        assert_eq!(ids.aliases("a - b", &id), ["a-b"]);
        let id = ids.next("a-b.");
        assert_eq!(
            (id.as_str(), ids.aliases("a-b.", &id)),
            ("a-b-", vec!["a-b".to_owned(), "a-b.".to_owned()])
        );
        // Of the two the first is taken back.
        assert_eq!(ids.lost_aliases(), ["a-b"]);
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
    fn heading_without_letters_has_an_id() {
        let mut ids = HeadingIds::default();
        let texts = ["🎉", "", "...", "🎉 🎉", "！？", "&", "Section"];
        let expected = [
            "section",
            "section-2",
            "section-3",
            "section-4",
            "！？",
            "&",
            "section-5",
        ];
        assert_eq!(texts.map(|text| ids.next(text)), expected);
        assert_eq!(ids.claim(String::new()), "section-6");
    }

    #[test]
    fn no_name_of_other_rules_is_made_of_hyphens() {
        let mut ids = HeadingIds::default();
        for text in ["¿", "§", "→", "🎉", "- -", "🎉 🎉", "→", "?!"] {
            let id = ids.next(text);
            let names = ids.aliases(text, &id);
            assert!(
                names.iter().all(|name| !is_blank(name) && name != "-1"),
                "{text}: {names:?}"
            );
            assert!(
                names.iter().all(|name| !name.starts_with('-')),
                "{text}: {names:?}"
            );
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
