//! Statements of a paragraph: its sentences, each with the passages that it cites.
//!
//! A citation belongs to the sentence that it stands in or after; in a paragraph that opens with one, to the sentence
//! that it stands before. A sentence without a citation belongs to the next one of its paragraph.

use std::ops::Range;

use super::cited::{closing, matching};
use super::sentences::ends;

/// A link to a passage.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Link<'t> {
    /// Bytes of the text.
    pub(super) span: Range<usize>,
    pub(super) text: &'t str,
    pub(super) url: &'t str,
}

impl Link<'_> {
    /// Returns true if it shows a number only.
    pub(super) fn is_number(&self) -> bool {
        !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// The links of `text`, which is CommonMark without blocks of code and without other brackets than those of links.
pub(super) fn links(text: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let rest = &text[at..];
        at += match bytes[at] {
            b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            b'`' => {
                let length = rest.bytes().take_while(|byte| *byte == b'`').count();
                closing(rest, length).unwrap_or(length)
            }
            b'[' => match link(rest) {
                Some((shown, url)) => {
                    let length = shown.len() + url.len() + 4;
                    links.push(Link {
                        span: at..at + length,
                        text: shown,
                        url,
                    });
                    length
                }
                None => 1,
            },
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    links
}

/// Text and target of the link that `text` begins with.
fn link(text: &str) -> Option<(&str, &str)> {
    let shown = matching(text, '[', ']')?;
    let rest = &text[shown..];
    if !rest.starts_with('(') {
        return None;
    }
    let target = matching(rest, '(', ')')?;
    Some((&text[1..shown - 1], &rest[1..target - 1]))
}

/// A sentence with its citations.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    /// Bytes of the text, without blanks around it.
    pub(super) span: Range<usize>,
    /// Numbers of the links that it has, among those of the text.
    pub(super) links: Range<usize>,
}

/// The statements of `text`, which has `links`, in order.
pub(super) fn statements(text: &str, links: &[Link<'_>]) -> Vec<Statement> {
    // Citations by number are no part of a sentence: a blank stands for each.
    let numbers: Vec<&Link<'_>> = links.iter().filter(|link| link.is_number()).collect();
    let mut bare = String::with_capacity(text.len());
    let mut from = 0;
    // Where each of them stands in `bare`.
    let mut places = Vec::with_capacity(numbers.len());
    for link in &numbers {
        bare.push_str(&text[from..link.span.start]);
        places.push(bare.len());
        bare.push(' ');
        from = link.span.end;
    }
    bare.push_str(&text[from..]);
    let is_leading = text[..numbers.first().map_or(0, |first| first.span.start)]
        .trim()
        .is_empty()
        && !numbers.is_empty();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut used = 0;
    let mut removed = 0;
    let mut start = 0;
    for end in ends(&bare) {
        // The next sentence begins behind the citations that follow this one, or with them.
        let mut place = end;
        if !is_leading {
            place += blanks(&bare[end..]);
        }
        while used < numbers.len() && places[used] < place {
            removed += numbers[used].span.len() - 1;
            used += 1;
        }
        let at = place + removed;
        spans.push(start..at);
        start = at;
    }
    spans.push(start..text.len());
    let mut first = 0;
    let mut found: Vec<Statement> = Vec::new();
    for span in spans {
        let part = &text[span.clone()];
        let start = span.start + blanks(part);
        let end = span.start + part.trim_end().len();
        if start >= end {
            continue;
        }
        let count = links[first..]
            .iter()
            .take_while(|link| link.span.start < end)
            .count();
        found.push(Statement {
            span: start..end,
            links: first..first + count,
        });
        first += count;
    }
    found
}

/// Number of bytes of the blanks that `text` begins with.
fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Returns true if `text` ends in a colon, apart from citations and marks of emphasis.
pub(super) fn is_lead(text: &str) -> bool {
    said(text).ends_with([':', '：'])
}

/// Returns true if `text` ends in a word, as a lead without a colon does.
pub(super) fn ends_in_word(text: &str) -> bool {
    said(text).ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | ')'))
}

/// `text` without the citations and marks of emphasis at its end.
fn said(text: &str) -> &str {
    let is_mark = |c: char| c.is_whitespace() || c == '*' || c == '_';
    let mut end = text.len();
    for link in links(text).iter().rev() {
        let between = &text[link.span.end.min(end)..end];
        if !link.is_number() || !between.chars().all(is_mark) {
            break;
        }
        end = link.span.start;
    }
    text[..end].trim_end_matches(is_mark)
}

/// Words that introduce citations.
const SOURCES: &[&str] = &[
    "source",
    "sources",
    "reference",
    "references",
    "citation",
    "citations",
    "see",
    "passage",
    "passages",
    "and",
    "also",
    "from",
    "quelle",
    "quellen",
    "siehe",
    "und",
    "fuente",
    "fuentes",
    "y",
    "référence",
    "références",
    "voir",
    "et",
    "fonte",
    "fonti",
    "fontes",
    "bron",
    "bronnen",
    "источник",
    "источники",
    "来源",
    "參考",
    "参考",
    "出典",
    "출처",
    "المصدر",
    "المصادر",
];

/// Returns true if `text` cites and says nothing else.
pub(super) fn is_citation_only(text: &str) -> bool {
    is_list_of_sources(text, |_| false)
}

/// Returns true if `text` cites and says nothing else, but for words of titles behind one that introduces citations.
pub(super) fn is_list_of_sources(text: &str, is_of_title: impl Fn(&str) -> bool) -> bool {
    let links = links(text);
    if links.is_empty() || text.contains('`') {
        return false;
    }
    let mut from = 0;
    let mut rest = String::new();
    for link in &links {
        rest.push_str(&text[from..link.span.start]);
        rest.push(' ');
        from = link.span.end;
    }
    rest.push_str(&text[from..]);
    let mut words = rest
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase);
    let is_source = |word: &String| SOURCES.contains(&word.as_str());
    match words.next() {
        None => true,
        Some(first) => {
            is_source(&first) && words.all(|word| is_source(&word) || is_of_title(&word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, usize)]) {
        let links = links(text);
        let found = statements(text, &links);
        let found: Vec<(&str, usize)> = found
            .iter()
            .map(|one| (&text[one.span.clone()], one.links.len()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn citations_belong_to_the_sentence_before_them() {
        check(
            "A key expires [1](/a). Then wait [2](/b)[3](/c).",
            &[
                ("A key expires [1](/a).", 1),
                ("Then wait [2](/b)[3](/c).", 2),
            ],
        );
        check(
            "A key expires.[1](/a) Then wait. [2](/b) [3](/c) End.",
            &[
                ("A key expires.[1](/a)", 1),
                ("Then wait. [2](/b) [3](/c)", 2),
                ("End.", 0),
            ],
        );
        check(
            "鍵は切れます[1](/a)。次に待ちます。[2](/b)終わり。",
            &[
                ("鍵は切れます[1](/a)。", 1),
                ("次に待ちます。[2](/b)", 1),
                ("終わり。", 0),
            ],
        );
    }

    #[test]
    fn citations_that_lead_belong_to_the_sentence_after_them() {
        check(
            "[1](/a) A key expires. [2](/b) Then wait.",
            &[("[1](/a) A key expires.", 1), ("[2](/b) Then wait.", 1)],
        );
    }

    #[test]
    fn links_with_words_and_code_are_part_of_a_sentence() {
        check(
            "See [the guide. It](/a) for `a. [1](/b)` and \\[x]. Next.",
            &[
                ("See [the guide. It](/a) for `a. [1](/b)` and \\[x].", 1),
                ("Next.", 0),
            ],
        );
        check("", &[]);
    }
}
