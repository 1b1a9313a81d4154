//! Titles of operations: their summaries as plain text, short enough for a heading, a sidebar and a search result.
//!
//! A summary is meant to be short (OpenAPI 3.1, 4.8.10), and some documents write a paragraph there
//! instead. Its first sentence is then the title, and the whole is the description on the page.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The most characters of a title. Of the 2,592 summaries of the corpus, 98 in 100 are shorter; the others are paragraphs.
const MAX_TITLE_CHARS: usize = 120;

/// Words that end with a full stop within a sentence. Those with another inside, such as `e.g.`, need no mention.
const ABBREVIATIONS: [&str; 9] = [
    "approx", "cf", "etc", "fig", "incl", "max", "min", "no", "vs",
];

/// Returns the title that `summary` makes: its first paragraph as plain text, or the first sentence of a long one, cut
/// at a word if that is still too long.
pub fn summary_title(summary: &str) -> String {
    let plain = plain_text(summary);
    let is_short = |text: &str| text.chars().count() <= MAX_TITLE_CHARS;
    let title = first_paragraph(&plain);
    match (is_short(&plain), is_short(&title)) {
        // One paragraph stays as it is written, spaces and all.
        (true, _) if title.split(' ').eq(plain.split_whitespace()) || title.is_empty() => plain,
        (_, true) => title,
        (_, false) => shortened(first_sentence(&title), MAX_TITLE_CHARS),
    }
}

/// Returns the description of an operation: its own, or the summary as a whole where the title leaves out a part of it.
pub fn operation_description(operation: &Map<String, Value>) -> &str {
    let text = |key: &str| operation.get(key).and_then(Value::as_str);
    let own = text("description").filter(|text| !text.trim().is_empty());
    own.or_else(|| text("summary").filter(|summary| is_cut(summary)))
        .unwrap_or_default()
}

/// Returns true if the title made of `summary` omits a part of it.
fn is_cut(summary: &str) -> bool {
    let whole = plain_text(summary);
    let words = whole.split_whitespace();
    !words.eq(summary_title(summary).split_whitespace())
}

/// Returns `text`, which is one line, with at most `longest` characters: cut at a word, with an ellipsis in place of the
/// rest.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let room = longest - 1;
    let end = text.char_indices().nth(room).map_or(text.len(), |(i, _)| i);
    // The cut may fall right behind a word, and a single word may be longer than the room there is.
    let cut = match text[..end].rfind(' ') {
        _ if text[end..].starts_with(' ') => &text[..end],
        Some(space) => &text[..space],
        None => &text[..end],
    };
    format!("{}…", cut.trim_end_matches([',', ';', ':', '-', ' ']))
}

/// Returns the lines of `text` up to the first empty one, as one line.
fn first_paragraph(text: &str) -> String {
    let lines = text.trim_start().lines().map(str::trim);
    let lines = lines.take_while(|line| !line.is_empty());
    let words = lines.flat_map(str::split_whitespace);
    words.collect::<Vec<&str>>().join(" ")
}

/// Returns the first sentence of `text`, or all of it where none ends before.
fn first_sentence(text: &str) -> &str {
    for (at, c) in text.char_indices() {
        let (before, rest) = (&text[..at], &text[at + c.len_utf8()..]);
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' => begins_anew(rest) && !is_abbreviated(before),
            '!' | '?' => begins_anew(rest),
            _ => false,
        };
        if ends {
            return &text[..at + c.len_utf8()];
        }
    }
    text
}

/// Returns true if `rest` can begin with another sentence.
fn begins_anew(rest: &str) -> bool {
    let next = rest.strip_prefix(' ').and_then(|rest| rest.chars().next());
    next.is_some_and(|c| !c.is_lowercase())
}

/// Returns true if the full stop after `before` belongs to its last word.
fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or(before);
    let is_letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let of_letters = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    let word = word.to_ascii_lowercase();
    is_letter || of_letters || ABBREVIATIONS.contains(&&*word)
}

/// Returns the first paragraph of `markdown` on one line, without marks: what a menu or the label
/// of a checkbox can hold.
pub(crate) fn label(markdown: &str) -> String {
    let paragraphs = markdown.trim().split("\n\n");
    let paragraph = paragraphs.map(str::trim).find(|text| !text.is_empty());
    let text = plain_text(paragraph.unwrap_or_default());
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Returns `summary` without the marks of Markdown: of a link its text, of code the text between
/// the backticks, of strong words the words. Single `*` and `_` stay, as they are more often meant
/// as they are.
fn plain_text(summary: &str) -> String {
    let text = without_links(summary).replace('`', "");
    match without_strong(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    }
}

fn without_links(summary: &str) -> String {
    let mut title = String::with_capacity(summary.len());
    let mut rest = summary;
    while let Some(open) = rest.find('[') {
        let link = rest[open..].find("](").and_then(|middle| {
            let middle = open + middle;
            let end = middle + rest[middle..].find(')')?;
            let text = &rest[open + 1..middle];
            (!text.contains(['[', '\n'])).then_some((text, end))
        });
        let Some((text, end)) = link else {
            title.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
            continue;
        };
        title.push_str(&rest[..open]);
        title.push_str(text);
        rest = &rest[end + 1..];
    }
    title.push_str(rest);
    title
}

fn without_strong(text: &str) -> Cow<'_, str> {
    let pair = |text: &str| {
        let open = text.find("**")?;
        let close = open + 2 + text[open + 2..].find("**")?;
        let inner = &text[open + 2..close];
        let is_strong = !inner.is_empty()
            && !inner.starts_with(char::is_whitespace)
            && !inner.ends_with(char::is_whitespace);
        is_strong.then_some((open, close))
    };
    let Some(_) = pair(text) else {
        return Cow::Borrowed(text);
    };
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((open, close)) = pair(rest) {
        plain.push_str(&rest[..open]);
        plain.push_str(&rest[open + 2..close]);
        rest = &rest[close + 2..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(summary: &str, title: &str) {
        assert_eq!(summary_title(summary), title);
    }

    #[test]
    fn titles_are_plain_text() {
        check(
            "Make a [model](/docs/a) `response`. Provide [text](/b) or [x] [y",
            "Make a model response. Provide text or [x] [y",
        );
        check("List_things * [a](b", "List_things * [a](b");
        check("**Note:** a **b** 2 ** 3 ** 4", "Note: a b 2 ** 3 ** 4");
    }

    #[test]
    fn labels_are_one_line_of_plain_text() {
        for (markdown, expected) in [
            ("**Production** in\n[EU] `west`", "Production in [EU] west"),
            ("\n\nSee [the text](/a).\n\nMore.", "See the text."),
            (" ", ""),
        ] {
            assert_eq!(label(markdown), expected);
        }
    }

    #[test]
    fn a_short_summary_is_the_title_as_a_whole() {
        check("List pets. All of them", "List pets. All of them");
        check("List\npets ", "List\npets ");
        check(&"ж".repeat(MAX_TITLE_CHARS), &"ж".repeat(MAX_TITLE_CHARS));
        check(" ", " ");
    }

    #[test]
    fn the_title_of_a_paragraph_is_its_first_sentence() {
        let more = "More is said of it. ".repeat(10);
        for sentence in [
            "Upload a file.",
            "Upload a file, e.g. a picture of no. 5 (incl. its size), as v1.2 did.",
            "Is J. Doe there?",
            "ファイルを送る。",
        ] {
            check(&format!("{sentence} {more}"), sentence);
        }
        check(&format!("ファイルを送る。{more}"), "ファイルを送る。");
        check("Create a file\n\nSend it with `POST`.", "Create a file");
    }

    #[test]
    fn a_long_sentence_is_cut_at_a_word() {
        let title = summary_title(&"pet, ".repeat(100));
        assert!(title.ends_with("pet…"), "{title}");
        assert!(title.chars().count() <= MAX_TITLE_CHARS);
        let title = summary_title(&"獣".repeat(1_000));
        assert_eq!(title.chars().count(), MAX_TITLE_CHARS);
        assert_eq!(shortened("a bc d", 5), "a bc…");
        assert_eq!(shortened("a bcd e", 5), "a…");
    }

    #[test]
    fn what_a_title_leaves_out_is_the_description() {
        let long = format!("Upload a file. {}", "It is kept. ".repeat(20));
        let check = |summary: &str, description: Option<&str>, expected: &str| {
            let operation = serde_json::json!({ "summary": summary, "description": description });
            let operation = operation.as_object().expect("an object");
            assert_eq!(operation_description(operation), expected);
        };
        check(&long, None, &long);
        check(&long, Some(" "), &long);
        check(&long, Some("Own"), "Own");
        check("List [pets](/p) ", None, "");
        check("List pets\n\nAll.", None, "List pets\n\nAll.");
    }
}
