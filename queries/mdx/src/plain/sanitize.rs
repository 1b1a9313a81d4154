//! Allow-list: parses HTML as a browser does, and writes it again from the allowed parts.

use std::collections::BTreeMap;

use html5gum::{HtmlString, Token, Tokenizer};

use super::Names;

/// Maps each address as written to its target.
pub type Links<'a> = &'a mut dyn FnMut(&str) -> String;

/// The elements that may be there.
pub(super) const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "input",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "ul",
    "var",
    "wbr",
];

/// Elements without an end tag.
const VOID: &[&str] = &["br", "hr", "img", "input", "wbr"];

/// Elements that go with everything in them.
pub(super) const DROPPED: &[&str] = &[
    "applet", "embed", "frameset", "iframe", "math", "noscript", "object", "script", "select",
    "style", "svg", "template", "textarea", "title", "video", "audio", "xmp",
];

/// Schemes that links may have.
pub(super) const LINK_SCHEMES: &[&str] = &["http", "https", "mailto", "tel"];

/// Maximum nesting; deeper elements lose their tags.
const MAX_DEPTH: usize = 64;

const MARK: &str = "x-code";

/// Begins a heading.
const HEADING: &str = "x-heading";

/// Stands at the end of the text of a heading.
const HEADING_END: &str = "x-heading-end";

/// Returns the placeholder of block of code `n`.
pub(super) fn placeholder(n: usize) -> String {
    format!("<{MARK} data-n={n}>\n")
}

/// The tag that begins heading `n`.
pub(super) fn heading(n: usize) -> String {
    format!("<{HEADING} data-n={n}>")
}

/// Markup that ends heading `n`, of this level.
pub(super) fn heading_end(level: u8, n: usize) -> String {
    format!("<{HEADING_END} data-n={n}></h{level}>\n")
}

/// Replacements of its tags.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// Rendered blocks of code.
    pub(super) blocks: &'a [String],
    /// The level and the text of each heading.
    pub(super) sections: &'a [(u8, String)],
}

/// HTML of the author, escaped so that it cannot contain a placeholder.
pub(super) fn guarded(html: &str) -> String {
    html.replace("<x-", "&lt;x-").replace("<X-", "&lt;X-")
}

/// `html` with what may be there, every element closed. `parts` are put where their placeholders are.
pub(super) fn sanitized(
    html: &str,
    parts: Parts<'_>,
    link: Links<'_>,
    name_of: Names<'_>,
) -> String {
    let length = parts.blocks.iter().map(String::len).sum::<usize>();
    let mut out = String::with_capacity(html.len() + length);
    let mut links: Vec<String> = vec![String::new(); parts.sections.len()];
    let mut open: Vec<String> = Vec::new();
    // The element that is being dropped, and how often it is open.
    let mut dropped: Option<(String, usize)> = None;
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let name = text(&tag.name);
                if let Some((around, depth)) = &mut dropped {
                    *depth += usize::from(*around == name && !tag.self_closing);
                    continue;
                }
                let number = || {
                    let n = tag.attributes.get(&b"data-n"[..]).map(|n| text(n));
                    n.and_then(|n| n.parse::<usize>().ok())
                };
                if name == MARK {
                    let block = number().and_then(|n| parts.blocks.get(n));
                    out.push_str(block.map_or("", String::as_str));
                } else if name == HEADING {
                    let Some(n) = number() else { continue };
                    let Some((level, title)) = parts.sections.get(n) else {
                        continue;
                    };
                    let element = format!("h{level}");
                    out.push('<');
                    out.push_str(&element);
                    if !title.is_empty() {
                        let named = name_of(*level, title);
                        if !named.id.is_empty() {
                            push_attribute(&mut out, "id", &named.id);
                        }
                        links[n] = named.link;
                    }
                    out.push('>');
                    open.push(element);
                } else if name == HEADING_END {
                    let link = number().and_then(|n| links.get(n));
                    out.push_str(link.map_or("", String::as_str));
                } else if DROPPED.contains(&name.as_str()) {
                    if !tag.self_closing {
                        dropped = Some((name, 1));
                    }
                } else if ELEMENTS.contains(&name.as_str()) {
                    let attributes: BTreeMap<String, String> = (tag.attributes.iter())
                        .map(|(name, value)| (text(name), text(value)))
                        .collect();
                    let is_void = VOID.contains(&name.as_str());
                    if !is_void && open.len() >= MAX_DEPTH {
                        continue;
                    }
                    start(&mut out, &name, &attributes, link);
                    if !is_void {
                        open.push(name);
                    }
                }
            }
            Token::EndTag(tag) => {
                let name = text(&tag.name);
                if let Some((around, depth)) = &mut dropped {
                    if *around == name {
                        *depth -= 1;
                        if *depth == 0 {
                            dropped = None;
                        }
                    }
                    continue;
                }
                if open.contains(&name) {
                    while let Some(last) = open.pop() {
                        end(&mut out, &last);
                        if last == name {
                            break;
                        }
                    }
                }
            }
            Token::String(string) if dropped.is_none() => push_escaped(&mut out, &text(&string)),
            Token::String(_) | Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    while let Some(last) = open.pop() {
        end(&mut out, &last);
    }
    out
}

fn text(bytes: &HtmlString) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns true if `element` keeps `attribute` in third-party text: content, but nothing that runs,
/// reports to another server or changes the appearance.
pub(super) fn keeps(element: &str, attribute: &str) -> bool {
    matches!(
        (element, attribute),
        ("a", "href")
            | ("img", "src" | "alt" | "width" | "height")
            | ("ol", "start")
            | ("td" | "th", "colspan" | "rowspan" | "align" | "scope")
            | ("time", "datetime")
            | ("details", "open")
            | (_, "title" | "lang" | "dir")
    )
}

fn start(out: &mut String, name: &str, attributes: &BTreeMap<String, String>, link: Links<'_>) {
    if name == "input" {
        let is_task = attributes
            .get("type")
            .is_some_and(|kind| kind == "checkbox");
        if is_task {
            out.push_str("<input type=\"checkbox\" disabled aria-label=\"Task\"");
            out.push_str(if attributes.contains_key("checked") {
                " checked>"
            } else {
                ">"
            });
        }
        return;
    }
    if name == "table" {
        out.push_str(
            "<div class=\"table-scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">",
        );
    }
    out.push('<');
    out.push_str(name);
    let mut attribute = |name: &str, value: &str| push_attribute(out, name, value);
    for (key, value) in attributes {
        match (name, key.as_str()) {
            ("a", "href") if is_safe(value, LINK_SCHEMES) => {
                attribute("href", &link(value));
            }
            ("img", "src") if is_safe(value, &["http", "https"]) || is_picture(value) => {
                attribute("src", &link(value));
            }
            ("a", "href") | ("img", "src") => {}
            (_, key) if keeps(name, key) => attribute(key, value),
            // Markdown aligns columns by a style, which a policy for content may forbid.
            ("td" | "th", "style") => {
                if let Some(side @ ("left" | "right" | "center")) =
                    value.strip_prefix("text-align: ")
                {
                    attribute("align", side);
                }
            }
            _ => {}
        }
    }
    if name == "img" {
        out.push_str(" loading=\"lazy\"");
    }
    out.push('>');
}

fn end(out: &mut String, name: &str) {
    out.push_str("</");
    out.push_str(name);
    out.push('>');
    if name == "table" {
        out.push_str("</div>");
    }
}

/// Returns true if an address is relative, or of one of `schemes`. Characters that a browser skips
/// are skipped.
pub(super) fn is_safe(href: &str, schemes: &[&str]) -> bool {
    let bare: String = href
        .chars()
        .filter(|c| !c.is_control() && !c.is_whitespace())
        .collect();
    let Some((scheme, _)) = bare.split_once(':') else {
        return true;
    };
    if scheme.contains(['/', '?', '#']) {
        return true;
    }
    schemes
        .iter()
        .any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Returns true if `src` is a `data:` URL of an image. SVG is allowed, too: its scripts do not run
/// in an `<img>`.
fn is_picture(src: &str) -> bool {
    src.get(..11)
        .is_some_and(|start| start.eq_ignore_ascii_case("data:image/"))
}

/// Writes an attribute of a start tag, after a space.
pub(super) fn push_attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_escaped(out, value);
    out.push('"');
}

pub(super) fn push_escaped(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
}
