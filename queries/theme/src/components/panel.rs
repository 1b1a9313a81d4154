//! What stands in place of the list of headings: examples, notes.

use crate::words::Word;
use maud::{Markup, PreEscaped, html};

/// Draws the panel around its children.
pub fn panel(children: PreEscaped<&str>) -> Markup {
    html! { div.panel { (children) } }
}

/// Draws an example of a request or a response.
pub fn example(title: &str, children: PreEscaped<&str>) -> Markup {
    html! { section.example aria-label=(title) { (children) } }
}

/// Draws what stands beside the text once more, where it was written: there it is shown while there is no room beside the
/// text. An id can be in a page but once; scripts follow links to the one that is shown.
pub fn in_text(beside: &str) -> Markup {
    html! { div.aside-in-text { (PreEscaped(beside.replace(" id=\"", " data-id=\""))) } }
}

/// Draws the text of a page and what stands beside it: in a column of its own where there is room.
pub fn beside(text: PreEscaped<&str>, beside: PreEscaped<&str>) -> Markup {
    html! {
        div.with-aside {
            div.prose { (text) }
            aside.page-aside id="panel" aria-label=(Word::Examples) { (beside) }
        }
    }
}
