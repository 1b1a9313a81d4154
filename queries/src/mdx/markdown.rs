//! Markdown by pulldown-cmark, and the placeholders that stand in it for elements and expressions.

pub use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd,
};
use pulldown_cmark::{Options, Parser};

use super::autolink::{self, Autolinks};

/// The events of `text`: CommonMark with tables, task lists, strikethrough, footnotes, alerts and bare addresses as
/// links (GFM). Heading attributes and smart punctuation stay off: they would rewrite what is between braces and quotes.
pub fn events(text: &str) -> impl Iterator<Item = Event<'_>> {
    events_with(text, true)
}

/// The events of `text`; bare addresses are links only if `with_autolinks`.
pub fn events_with(text: &str, with_autolinks: bool) -> impl Iterator<Item = Event<'_>> {
    let (plain, linked) = if with_autolinks && autolink::may_hold_one(text) {
        (None, Some(Autolinks::new(plain_events(text))))
    } else {
        (Some(plain_events(text)), None)
    };
    plain
        .into_iter()
        .flatten()
        .chain(linked.into_iter().flatten())
}

/// The events of `text`, bare addresses left as text.
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

/// What stands for a comment that has its lines to itself: a block that shows nothing.
pub(super) const COMMENT: &str = "<!-- -->";

/// Whether `html` is what stands for a comment.
pub fn is_comment(html: &str) -> bool {
    html.trim() == COMMENT
}

/// The tag that stands for node `index`. A tag, because emphasis next to it then flanks as it would next to the element.
pub(super) fn placeholder(index: usize) -> String {
    format!("<x-m{index}/>")
}

/// The node that `html` stands for, if it is a placeholder.
pub fn node_index(html: &str) -> Option<usize> {
    html.trim()
        .strip_prefix("<x-m")?
        .strip_suffix("/>")?
        .parse()
        .ok()
}
