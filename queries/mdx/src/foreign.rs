//! Syntax of other tools that is not understood: which tool it comes from, and what to write instead.

/// Words of a tag in `{% … %}` that only GitBook has.
const GITBOOK: &[&str] = &[
    "hint",
    "endhint",
    "tabs",
    "endtabs",
    "tab",
    "endtab",
    "content-ref",
    "endcontent-ref",
    "embed",
    "endembed",
    "code",
    "endcode",
    "stepper",
    "endstepper",
    "step",
    "endstep",
    "file",
    "swagger",
    "openapi",
    "columns",
    "column",
    "updates",
];

/// What is said of a piece of text in the syntax of another tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    /// Length in bytes.
    pub(super) len: usize,
    pub(super) message: &'static str,
    pub(super) hint: &'static str,
}

/// Maximum length of a tag or an attribute list in bytes. A line may be as long as the page, and each
/// brace on it is looked at.
const MAX_LEN: usize = 512;

/// Returns the line at the start of `text`, as far as it is looked at.
fn beginning(text: &str) -> &str {
    let mut end = MAX_LEN.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].split('\n').next().unwrap_or("")
}

/// Reads a tag of a template language at the start of `text`, which begins with `{`.
pub(super) fn template_tag(text: &str) -> Option<Foreign> {
    let close = match text.get(..3)? {
        "{{<" => ">}}",
        "{{%" => "%}}",
        two if two.starts_with("{%") => "%}",
        _ => return None,
    };
    let len = beginning(text).find(close)? + close.len();
    let inner = text[close.len()..].trim_start_matches('-').trim_start();
    let word = inner.split(|c: char| c.is_whitespace() || c == '%').next();
    let (message, hint) = match word {
        _ if close.len() == 3 => (
            "shortcodes of Hugo (`{{< … >}}`) are shown as text",
            "write the component itself: `<Note>`, `<Tabs>`, `<Card>`; links as `[text](/page)`",
        ),
        Some(word) if GITBOOK.contains(&word) => (
            "blocks of GitBook (`{% … %}`) are shown as text",
            "write `<Note>` or `<Warning>` for a hint, `<Tabs>`, `<Steps>`, `<Card href>` for the \
             others",
        ),
        _ => (
            "tags of Liquid or Jinja (`{% … %}`, as in Jekyll) are shown as text",
            "templates do not run here: write the text, or import it from a file in `snippets`",
        ),
    };
    Some(Foreign { len, message, hint })
}

/// Reads a `line` that another tool replaces as a whole.
pub(super) fn line(line: &str) -> Option<Foreign> {
    let text = line.trim();
    let (message, hint) = match text {
        "[[toc]]" | "[[TOC]]" | "[TOC]" | "[toc]" | "[[_TOC_]]" => (
            "the mark for a table of contents (`[TOC]`, `[[toc]]`) is left out",
            "remove it: every page has a table of contents beside it",
        ),
        _ if text.strip_prefix("<<<").is_some_and(begins_path) => (
            "the inclusion of a file in VitePress (`<<< @/file`) is shown as text",
            "copy the code into a fence",
        ),
        _ if text.strip_prefix("--8<--").is_some() => (
            "the inclusion of a file in MkDocs (`--8<-- \"file\"`) is shown as text",
            "import the file from `snippets`, or copy it",
        ),
        _ => return None,
    };
    Some(Foreign {
        len: line.trim_end().len(),
        message,
        hint,
    })
}

/// An attribute list of Python-Markdown or kramdown: `{#id}`, `{ .class #id width=\"3\" }`, `{: .class }`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AttributeList<'a> {
    /// Length in bytes.
    pub(super) len: usize,
    pub(super) id: Option<&'a str>,
    /// Whether it holds more than an id.
    pub(super) has_more: bool,
}

/// Reads the attribute list at the start of `text`, which begins with `{`. Pairs alone are one only
/// if they follow at once what they are about: else they may be JavaScript.
pub(super) fn attribute_list(text: &str, follows: bool) -> Option<AttributeList<'_>> {
    let len = beginning(text).find('}')? + 1;
    let inner = text[1..len - 1].trim();
    let (has_colon, inner) = match inner.strip_prefix(':') {
        Some(rest) => (true, rest.trim()),
        None => (false, inner),
    };
    let is_name = |name: &str| {
        let is_letter = |c: char| c.is_alphanumeric() || "-_:.".contains(c);
        name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_letter)
    };
    let mut list = AttributeList {
        len,
        id: None,
        has_more: false,
    };
    let may_be_pair =
        |list: &AttributeList<'_>| has_colon || follows || list.id.is_some() || list.has_more;
    for word in inner.split_whitespace() {
        let is_pair = || {
            let (name, value) = word.split_once('=')?;
            (is_name(name) && !value.is_empty() && !value.starts_with('=')).then_some(())
        };
        if let Some(id) = word.strip_prefix('#').filter(|id| !id.is_empty()) {
            list.id = Some(id);
        } else if word.strip_prefix('.').is_some_and(is_name)
            || may_be_pair(&list) && is_pair().is_some()
        {
            list.has_more = true;
        } else {
            return None;
        }
    }
    (list.id.is_some() || list.has_more).then_some(list)
}

fn begins_path(rest: &str) -> bool {
    rest.trim_start().starts_with(['@', '.', '/'])
}

/// Returns true if the line is left out rather than shown.
pub(super) fn is_left_out(foreign: &Foreign) -> bool {
    foreign.message.ends_with("left out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_lists_are_no_expressions() {
        let cases = [
            ("{#id} a", false, Some((5, Some("id"), false))),
            ("{ #id .class }", false, Some((14, Some("id"), true))),
            ("{: .class }", false, Some((11, None, true))),
            ("{ .md-button .big }", false, Some((19, None, true))),
            ("{ width=\"300\" }", true, Some((15, None, true))),
            ("{ width=\"300\" }", false, None),
            ("{a == b}", true, None),
            ("{name}", true, None),
            ("{...props}", false, None),
            ("{.5}", false, None),
            ("{}", true, None),
        ];
        for (text, follows, expected) in cases {
            let list = attribute_list(text, follows);
            let list = list.map(|list| (list.len, list.id, list.has_more));
            assert_eq!(list, expected, "{text}");
        }
    }

    #[test]
    fn tags_name_their_tool() {
        let cases = [
            ("{% hint style=\"info\" %} a", "GitBook", 23),
            ("{% include x.html %}", "Liquid", 20),
            ("{%- endhint -%}", "GitBook", 15),
            ("{{< note >}}", "Hugo", 12),
            ("{{% /note %}}", "Hugo", 13),
        ];
        for (text, tool, len) in cases {
            let read = template_tag(text).unwrap();
            assert!(read.message.contains(tool), "{text}: {read:?}");
            assert_eq!(read.len, len, "{text}");
        }
        for text in ["{name}", "{{name}}", "{% open", "{%\n%}", "{"] {
            assert_eq!(template_tag(text), None, "{text}");
        }
        // A long line costs no more than its beginning.
        let long = format!("{{% {} %}}", "é".repeat(MAX_LEN));
        assert_eq!(template_tag(&long), None);
        let long = format!("{{ .a{} }}", " .b".repeat(MAX_LEN));
        assert_eq!(attribute_list(&long, true), None);
    }
}
