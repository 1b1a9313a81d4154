//! Markdown by pulldown-cmark, and the placeholders that stand in it for elements and expressions.

pub use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd,
};
use pulldown_cmark::{Options, Parser};

/// The events of `text`: CommonMark with tables, task lists, strikethrough, footnotes and alerts (GFM). Heading
/// attributes and smart punctuation stay off: they would rewrite what is between braces and quotes.
pub fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, options())
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
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
