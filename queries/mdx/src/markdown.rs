//! Markdown by pulldown-cmark, with placeholders for elements and expressions.

use std::collections::BTreeMap;

pub use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd,
};
use pulldown_cmark::{BrokenLink, Options, Parser};

use super::Fragment;
use super::autolink::{self, Autolinks};

/// Link reference definitions of a document, by normalized label (CommonMark 4.7): a reference in one fragment may be
/// defined in another.
#[derive(Debug, Default)]
pub struct Definitions(BTreeMap<String, (String, String)>);

impl Definitions {
    pub(super) fn collect<'a>(fragments: impl Iterator<Item = &'a Fragment>) -> Self {
        let mut definitions = BTreeMap::new();
        for fragment in fragments {
            if memchr::memmem::find(fragment.text.as_bytes(), b"]:").is_none() {
                continue;
            }
            let parser = plain_events(&fragment.text);
            let defined = parser.reference_definitions().iter();
            // Within a fragment the first definition of a label is the only one kept; so it is here.
            let mut here: Vec<_> = defined
                .map(|(label, link)| (link.span.start, label, link))
                .collect();
            here.sort_unstable_by_key(|(start, ..)| *start);
            for (_, label, link) in here {
                let title = link.title.as_deref().unwrap_or_default().to_owned();
                let target = (link.dest.to_string(), title);
                definitions.entry(normalized(label)).or_insert(target);
            }
        }
        Self(definitions)
    }
}

/// A label as labels are compared: without case, every blank the same.
fn normalized(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The events of `text`: CommonMark with tables, task lists, strikethrough, footnotes and alerts (GFM), and bare
/// addresses as links if `with_autolinks`. What `text` refers to and does not define is looked up in `definitions`.
/// Heading attributes and smart punctuation stay off: they would rewrite what is between braces and quotes.
pub fn events<'a>(
    text: &'a str,
    definitions: &'a Definitions,
    with_autolinks: bool,
) -> impl Iterator<Item = Event<'a>> {
    let defined = move |link: BrokenLink<'a>| {
        let (url, title) = definitions.0.get(&normalized(&link.reference))?;
        Some((url.as_str().into(), title.as_str().into()))
    };
    let lookup = (!definitions.0.is_empty()).then_some(defined);
    let parser = Parser::new_with_broken_link_callback(text, options(), lookup);
    let (plain, linked) = if with_autolinks && autolink::may_hold_one(text) {
        (None, Some(Autolinks::new(parser)))
    } else {
        (Some(parser), None)
    };
    plain
        .into_iter()
        .flatten()
        .chain(linked.into_iter().flatten())
}

/// The events of `text` by itself, bare addresses left as text.
pub fn plain_events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, options())
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
}

/// Placeholder of a comment on lines of its own: a block that shows nothing.
pub(super) const COMMENT: &str = "<!-- -->";

/// A tag that shows nothing: beside it nothing begins or is a block.
pub(super) const GUARD: &str = "<x-g/>";

/// Returns true if `html` is a placeholder that shows nothing.
pub fn is_silent(html: &str) -> bool {
    matches!(html.trim(), COMMENT | GUARD)
}

/// Placeholder for node `index` in a line of text. A tag, because emphasis next to it then flanks as it would next to the
/// element.
pub(super) fn placeholder(index: usize) -> String {
    format!("<x-m{index}/>")
}

/// Placeholder for node `index` as a block. A comment, because it interrupts a paragraph and ends where its line does
/// (CommonMark 4.6, condition 2): a tag would need a blank line on either side, which makes the list around it a loose one.
pub(super) fn block_placeholder(index: usize) -> String {
    format!("<!--x-m{index}-->")
}

/// Returns the indexes of the nodes of the placeholders in `text`, in order.
pub(super) fn node_indexes(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices("x-m").filter_map(|(at, _)| {
        let start = text[..at].rfind('<')?;
        let end = at + text[at..].find('>')? + 1;
        node_index(&text[start..end])
    })
}

/// Returns the node of `html`, if it is a placeholder.
pub fn node_index(html: &str) -> Option<usize> {
    let html = html.trim();
    let tag = || html.strip_prefix("<x-m")?.strip_suffix("/>");
    let comment = || html.strip_prefix("<!--x-m")?.strip_suffix("-->");
    tag().or_else(comment)?.parse().ok()
}
