//! Containers of other tools: `:::tip Title` (Docusaurus, VitePress, Starlight, MyST, Quarto), `!!! note`,
//! `??? note` and `=== "Tab"` (MkDocs).
//!
//! Each is read as the element that shows the same, so that nothing behind the scanner knows of them.

use super::{Attribute, AttributeValue};

/// Number of columns by which Python-Markdown indents what belongs to a block.
const INDENT: usize = 4;

/// Meaning of the first line of a container.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// Name of the element; empty for one that only shows its content.
    pub(super) name: &'static str,
    pub(super) attributes: Vec<Attribute>,
    pub(super) end: End,
}

/// End of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A line with at least this number of colons.
    Colons(usize),
    /// A line with text before this column.
    Column(usize),
    /// A line with text before the column behind this one, unless it begins another tab there.
    Tabs(usize),
}

impl End {
    /// Returns true if a line with text at `column`, which is `text`, ends the container.
    pub(super) fn is_before(self, column: usize, text: &str) -> bool {
        match self {
            Self::Colons(_) => false,
            Self::Column(least) => column < least,
            Self::Tabs(at) => column <= at && !(column == at && tab_title(text).is_some()),
        }
    }
}

/// Returns the number of colons of a line that only has them, three at least: it ends a container.
pub(super) fn closing_colons(line: &str) -> Option<usize> {
    let line = line.trim_end();
    (line.len() >= 3 && line.bytes().all(|byte| byte == b':')).then_some(line.len())
}

/// Reads the first line of a container in colons; `None` if no tool has one of that name.
pub(super) fn in_colons(line: &str) -> Option<Opening> {
    let colons = line.bytes().take_while(|byte| *byte == b':').count();
    if colons < 3 {
        return None;
    }
    let (name, rest) = colon_name(line[colons..].trim())?;
    let (title, is_open) = colon_title(rest);
    let lower = name.to_ascii_lowercase();
    let (element, own_title) = match lower.as_str() {
        "details" => ("Accordion", Some("Details")),
        "code-group" => ("CodeGroup", None),
        "raw" | "v-pre" => ("", None),
        name => kind(name)?,
    };
    let mut attributes = Vec::new();
    let has_title = matches!(element, "CodeGroup" | "");
    if let Some(title) = title.or(own_title).filter(|_| !has_title) {
        attributes.push(title_attribute(title));
    }
    if is_open && element == "Accordion" {
        attributes.push(flag("defaultOpen"));
    }
    Some(Opening {
        name: element,
        attributes,
        end: End::Colons(colons),
    })
}

/// Splits the name off `text`: `note …`, `{note} …` (MyST), `{.callout-note …}` (Quarto).
fn colon_name(text: &str) -> Option<(&str, &str)> {
    if let Some(inner) = text.strip_prefix('{') {
        let (inner, rest) = inner.split_once('}')?;
        let first = inner.split_whitespace().next()?;
        let name = first.trim_start_matches('.');
        let name = name.strip_prefix("callout-").unwrap_or(name);
        let rest = match rest.trim() {
            "" => &text[..=inner.len() + 1],
            rest => rest,
        };
        return Some((name, rest));
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || "-_".contains(c)));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    // `:::note:` and `:::a/b` are no containers.
    let is_name = !name.is_empty() && (rest.is_empty() || rest.starts_with([' ', '[', '{', '\t']));
    is_name.then_some((name, rest.trim()))
}

/// Returns the title behind the name of a container (`[Title]`, `Title`, `{title="…"}`), and whether
/// it is to be shown open.
fn colon_title(rest: &str) -> (Option<&str>, bool) {
    let (before, braces) = match rest.rfind('{').filter(|_| rest.ends_with('}')) {
        Some(at) => (rest[..at].trim(), &rest[at + 1..rest.len() - 1]),
        None => (rest, ""),
    };
    let label = before
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let written = Some(label.unwrap_or(before)).filter(|title| !title.is_empty());
    let named = braces.split_once("title=").and_then(|(_, rest)| {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next()
    });
    let is_open = braces.split_whitespace().any(|word| word == "open");
    (written.or(named), is_open)
}

/// Reads the first line of a block of MkDocs, which begins at `column`: `!!! note "Title"`, or
/// `??? note` and `???+ note`, which fold.
pub(super) fn by_indent(line: &str, column: usize) -> Option<Opening> {
    let (marks, rest) = line.trim_end().split_at_checked(3)?;
    let (is_folded, rest) = match marks {
        "!!!" => (false, rest),
        "???" => (true, rest),
        _ => return None,
    };
    let (is_open, rest) = match rest.strip_prefix('+').filter(|_| is_folded) {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (words, title) = match rest.split_once('"') {
        Some((words, title)) => (words, Some(title.strip_suffix('"')?)),
        None => (rest, None),
    };
    let is_word = |word: &str| {
        word.chars()
            .all(|c| c.is_alphanumeric() || "-_".contains(c))
    };
    let mut words = words.split_whitespace();
    let name = words.next().filter(|name| is_word(name))?;
    if !rest.starts_with(' ') || !words.all(is_word) {
        return None;
    }
    let own = kind(&name.to_ascii_lowercase()).unwrap_or(("Note", None));
    let capitalized = || {
        let mut chars = name.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string());
        first.unwrap_or_default() + chars.as_str()
    };
    // `!!! note ""` has none.
    let title = match (title, own.1) {
        (Some(title), _) => Some(title.to_owned()),
        (None, Some(title)) => Some(title.to_owned()),
        (None, None) if is_folded || kind(&name.to_ascii_lowercase()).is_none() => {
            Some(capitalized())
        }
        (None, None) => None,
    };
    let title = title.filter(|title| !title.is_empty());
    let mut attributes: Vec<_> = title.iter().map(|title| title_attribute(title)).collect();
    if is_open {
        attributes.push(flag("defaultOpen"));
    }
    Some(Opening {
        name: if is_folded { "Accordion" } else { own.0 },
        attributes,
        end: End::Column(column + INDENT),
    })
}

/// Reads the first line of a tab of MkDocs, which begins at `column`: `=== "Title"`.
pub(super) fn tab(line: &str, column: usize) -> Option<Opening> {
    Some(Opening {
        name: "Tab",
        attributes: vec![title_attribute(tab_title(line)?)],
        end: End::Column(column + INDENT),
    })
}

fn tab_title(line: &str) -> Option<&str> {
    let rest = line.trim_end().strip_prefix("===")?;
    let rest = rest.strip_prefix(['+', '!']).unwrap_or(rest);
    let title = rest.trim_start().strip_prefix('"')?.strip_suffix('"')?;
    (rest.starts_with(' ') && !title.is_empty()).then_some(title)
}

/// Element for a kind of callout, in lower case, and the title that it needs to be understood.
fn kind(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match name {
        "note" | "secondary" | "seealso" => ("Note", None),
        "tip" | "hint" => ("Tip", None),
        "info" | "important" | "todo" | "admonition" => ("Info", None),
        "warning" | "caution" | "attention" => ("Warning", None),
        "danger" | "error" => ("Danger", None),
        "success" | "check" | "done" => ("Check", None),
        "abstract" | "summary" | "tldr" => ("Info", Some("Abstract")),
        "question" | "help" | "faq" => ("Info", Some("Question")),
        "failure" | "fail" | "missing" => ("Danger", Some("Failure")),
        "bug" => ("Danger", Some("Bug")),
        "example" => ("Note", Some("Example")),
        "quote" | "cite" => ("Note", Some("Quote")),
        _ => return None,
    })
}

/// Attribute for a title in Markdown: its words.
fn title_attribute(markdown: &str) -> Attribute {
    // A number at its beginning is no list.
    let has_marks = markdown.contains(['*', '_', '`', '[', '\\', '&', '~', '<']);
    let title = match has_marks {
        true => crate::heading::words_of(markdown),
        false => markdown.to_owned(),
    };
    Attribute {
        name: "title".to_owned(),
        value: AttributeValue::Text(title),
    }
}

fn flag(name: &str) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value: AttributeValue::Absent,
    }
}

/// Returns the column of the first character of `line` that is not blank, tabs at every fourth.
pub(super) fn column(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
    blanks.fold(0, |column, c| match c {
        '\t' => (column / 4 + 1) * 4,
        _ => column + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(opening: Option<Opening>, expected: &str) {
        let example = opening.map_or_else(String::new, |opening| {
            let attributes = opening
                .attributes
                .iter()
                .map(|attribute| match &attribute.value {
                    AttributeValue::Text(text) => format!(" {}={text}", attribute.name),
                    _ => format!(" {}", attribute.name),
                });
            opening.name.to_owned() + &attributes.collect::<String>()
        });
        assert_eq!(example, expected);
    }

    #[test]
    fn colons_of_every_tool() {
        let cases = [
            (":::note", "Note"),
            ("::: tip Read *this*", "Tip title=Read this"),
            ("::::warning[Mind the gap]", "Warning title=Mind the gap"),
            (":::info{title=\"A title\" .class}", "Info title=A title"),
            (":::caution Watch {#id}", "Warning title=Watch"),
            ("::: details", "Accordion title=Details"),
            (
                "::: details More {open}",
                "Accordion title=More defaultOpen",
            ),
            ("::: code-group", "CodeGroup"),
            ("::: v-pre", ""),
            (":::{note} Of MyST", "Note title=Of MyST"),
            (":::{.callout-tip title='Of Quarto'}", "Tip title=Of Quarto"),
            (":::Success", "Check"),
            ("::: python", ""),
            (":::note: a", ""),
            ("::note", ""),
            (":::", ""),
        ];
        for (line, expected) in cases {
            check(in_colons(line), expected);
        }
    }

    #[test]
    fn blocks_of_python_markdown() {
        let cases = [
            ("!!! note", "Note"),
            ("!!! warning \"Mind the gap\"", "Warning title=Mind the gap"),
            ("!!! danger inline end \"Right\"", "Danger title=Right"),
            ("!!! example", "Note title=Example"),
            ("!!! pied-piper", "Note title=Pied-piper"),
            ("!!! note \"\"", "Note"),
            ("??? tip", "Accordion title=Tip"),
            ("???+ tip \"Open\"", "Accordion title=Open defaultOpen"),
            ("!!! what, now", ""),
            ("!!!note", ""),
            ("??? \"No kind\"", ""),
        ];
        for (line, expected) in cases {
            check(by_indent(line, 0), expected);
        }
        check(tab("=== \"C++\"", 0), "Tab title=C++");
        check(tab("===", 0), "");
        check(tab("=== a", 0), "");
    }
}
