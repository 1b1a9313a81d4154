//! Paragraphs that hold blocks: HTML has none, as a paragraph ends where a block begins (HTML, 13.2.6.4.7).

use std::borrow::Cow;

use super::islands;
use crate::label::as_spans;

/// Attributes kept when a link or a heading becomes another element.
const KEPT: &[&str] = &[" class=\"", " style=\"", " id=\""];

/// The elements before which HTML ends a paragraph.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "details",
    "dialog",
    "div",
    "dl",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
];

/// HTML elements without content.
pub(crate) const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements that are visible without text.
const PICTURES: &[&str] = &[
    "<audio",
    "<button",
    "<canvas",
    "<embed",
    "<iframe",
    "<img",
    "<input",
    "<math",
    "<meter",
    "<object",
    "<picture",
    "<progress",
    "<select",
    "<svg",
    "<textarea",
    "<video",
];

/// Elements that hold no tags.
const RAW: &[&str] = &["script", "style", "textarea", "title"];

/// Returns true if `html` holds an element before which HTML ends a paragraph.
pub(crate) fn holds_block(html: &str) -> bool {
    html.split('<').skip(1).any(|tag| {
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric());
        BLOCKS.contains(&&tag[..end.unwrap_or(tag.len())])
    })
}

/// `inner`, the rendered text of a paragraph that holds blocks, as what HTML can hold: blocks by
/// themselves, and paragraphs of the text before, between and after them. Text with a block inside
/// of `<strong>` or of a link is no paragraph.
pub(super) fn around_blocks(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len() + 16);
    let mut start = 0;
    let mut at = 0;
    while let Some(element) = next_element(inner, at) {
        // A component is a whole: a script goes on with all of it.
        if let Some(used) = islands::next_use(&inner[at..element.start]) {
            let (before, rest) = inner.split_at(at + used);
            let len = islands::use_len(rest).unwrap_or(rest.len());
            at = before.len() + len;
            if holds_block(&rest[..len]) {
                push_text(&mut out, &before[start..]);
                out.push_str(&rest[..len]);
                out.push('\n');
                start = at;
            }
            continue;
        }
        at = element.end;
        if BLOCKS.contains(&element.name) {
            push_text(&mut out, &inner[start..element.start]);
            out.push_str(&inner[element.start..element.end]);
            out.push('\n');
            start = at;
        }
    }
    push_text(&mut out, &inner[start..]);
    out
}

/// Adds text between blocks.
fn push_text(out: &mut String, text: &str) {
    let mut text = text.trim();
    loop {
        let before = text;
        text = text.trim_start_matches("<br>").trim();
        text = text.trim_end_matches("<br>").trim();
        if text == before {
            break;
        }
    }
    if text.is_empty() {
        return;
    }
    let has_text = !crate::html::text_of(text).trim().is_empty();
    if !has_text && !PICTURES.iter().any(|picture| text.contains(picture)) {
        // Marks that links lead to.
        out.push_str(text);
        return;
    }
    let name = if holds_block(text) { "div" } else { "p" };
    out.push_str(&format!("<{name}>{text}</{name}>\n"));
}

/// `html` within a link: HTML has no link in another (HTML, 4.5.1), so those in it are text.
pub(crate) fn without_links(html: String) -> String {
    match html.contains("<a ") || html.contains("<a>") {
        true => as_spans(&html, |name| name == "a", KEPT),
        false => html,
    }
}

/// `html` within a heading, which holds no other.
pub(crate) fn without_headings(html: &str) -> Cow<'_, str> {
    let is_heading = |name: &str| matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    match html.contains("<h") {
        true => Cow::Owned(as_spans(html, is_heading, KEPT)),
        false => Cow::Borrowed(html),
    }
}

/// A top-level element.
struct Element<'t> {
    name: &'t str,
    start: usize,
    end: usize,
}

/// The first element of `html` from `at` on, with all that it holds.
fn next_element(html: &str, at: usize) -> Option<Element<'_>> {
    let mut open = next_tag(html, at)?;
    while open.is_end {
        open = next_tag(html, open.end)?;
    }
    let Tag { name, start, .. } = open;
    let mut end = open.end;
    let mut depth = usize::from(!open.is_void);
    while depth > 0 {
        // What is not closed goes to the end.
        let Some(tag) = next_tag(html, end) else {
            end = html.len();
            break;
        };
        end = tag.end;
        if tag.is_end {
            depth -= 1;
        } else if !tag.is_void {
            depth += 1;
        }
    }
    Some(Element { name, start, end })
}

struct Tag<'t> {
    name: &'t str,
    start: usize,
    end: usize,
    is_end: bool,
    /// Whether it is an element by itself.
    is_void: bool,
}

fn next_tag(html: &str, mut at: usize) -> Option<Tag<'_>> {
    loop {
        let start = at + html.get(at..)?.find('<')?;
        let rest = &html[start + 1..];
        if rest.starts_with("!--") {
            at = start + rest.find("-->").map_or(rest.len(), |end| end + 3);
            continue;
        }
        let is_end = rest.starts_with('/');
        let name = rest.trim_start_matches('/');
        let name = &name[..name.find(|c: char| !is_of_name(c)).unwrap_or(name.len())];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            at = start + 1;
            continue;
        }
        let mut quote = None;
        let closing = rest.char_indices().find(|(_, c)| match (quote, c) {
            (Some(open), c) if open == *c => {
                quote = None;
                false
            }
            (Some(_), _) => false,
            (None, '"' | '\'') => {
                quote = Some(*c);
                false
            }
            (None, c) => *c == '>',
        });
        let (closing, _) = closing?;
        let mut end = start + 1 + closing + 1;
        let mut is_void = VOID.contains(&name) || rest[..closing].ends_with('/');
        if !is_end && RAW.contains(&name) {
            let close = format!("</{name}>");
            let behind = &html[end..];
            end += behind
                .find(&close)
                .map_or(behind.len(), |at| at + close.len());
            is_void = true;
        }
        return Some(Tag {
            name,
            start,
            end,
            is_end,
            is_void,
        });
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_in_a_paragraph_stays_whole() {
        let used = |inner: &str| islands::marked(3, inner);
        let block = used("<b>a</b> and <div>b</div> c");
        assert_eq!(
            around_blocks(&format!("Before {block} after <i>it</i>.")),
            format!("<p>Before</p>\n{block}\n<p>after <i>it</i>.</p>\n")
        );
        let words = used("<b>a</b>");
        assert_eq!(
            around_blocks(&format!("Before {words} and <div>b</div>")),
            format!("<p>Before {words} and</p>\n<div>b</div>\n")
        );
    }

    #[test]
    fn links_and_headings_hold_no_others() {
        let html =
            "b <div class=\"card\"><a class=\"x\" href=\"/y\" rel=\"z\">c</a></div><abbr>d</abbr>";
        let expected = "b <div class=\"card\"><span class=\"x\">c</span></div><abbr>d</abbr>";
        assert_eq!(without_links(html.to_owned()), expected);
        let html = "b <h3 id=\"x\">c</h3> <header>d</header>";
        let expected = "b <span id=\"x\">c</span> <header>d</header>";
        assert_eq!(without_headings(html), expected);
    }

    #[test]
    fn blocks_stand_between_paragraphs() {
        for (inner, expected) in [
            (
                "a\n<div>b <p>c</p></div>\nd",
                "<p>a</p>\n<div>b <p>c</p></div>\n<p>d</p>\n",
            ),
            ("<div>b</div> d", "<div>b</div>\n<p>d</p>\n"),
            (
                "a<br>\n<figure><img src=\"a>b\"></figure><br>\nd",
                "<p>a</p>\n<figure><img src=\"a>b\"></figure>\n<p>d</p>\n",
            ),
            (
                "a <b>b</b> <pre>c</pre>",
                "<p>a <b>b</b></p>\n<pre>c</pre>\n",
            ),
            (
                "a <b>b <div>c</div></b> d<hr>e",
                "<div>a <b>b <div>c</div></b> d</div>\n<hr>\n<p>e</p>\n",
            ),
            (
                "a <span id=\"x\"></span><div>b</div><img src=\"c\">",
                "<p>a <span id=\"x\"></span></p>\n<div>b</div>\n<p><img src=\"c\"></p>\n",
            ),
            (
                "<span id=\"x\"></span><div>b</div> <svg><path/></svg>",
                "<span id=\"x\"></span><div>b</div>\n<p><svg><path/></svg></p>\n",
            ),
            (
                "a < b <!-- <b> --> <div><style>p > a { }</style></div>",
                "<p>a < b <!-- <b> --></p>\n<div><style>p > a { }</style></div>\n",
            ),
            ("a <div>b", "<p>a</p>\n<div>b\n"),
        ] {
            assert_eq!(around_blocks(inner), expected, "{inner}");
        }
    }
}
