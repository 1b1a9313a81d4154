//! Panel in place of the list of headings: examples, notes.

use crate::words::Word;
use maud::{Markup, PreEscaped, html};

/// Renders the panel around its children.
pub fn panel(children: PreEscaped<&str>) -> Markup {
    html! { div.panel { (children) } }
}

/// Renders an example of a request or a response.
pub fn example(title: &str, children: PreEscaped<&str>) -> Markup {
    html! { section.example aria-label=(title) { (children) } }
}

/// Renders the elements next to the text once more, where they were written: there they are shown
/// while there is no room next to the text. An id can be in a page but once; scripts follow links
/// to the one that is shown.
pub fn in_text(aside: &str) -> Markup {
    html! { div.aside-in-text { (PreEscaped(aside.replace(" id=\"", " data-id=\""))) } }
}

/// Renders the text of a page and the elements next to it: in a column of its own where there is
/// room.
pub fn with_aside(text: PreEscaped<&str>, aside: PreEscaped<&str>) -> Markup {
    html! {
        div.with-aside {
            div.prose { (text) }
            aside.page-aside id="panel" aria-label=(Word::Examples) { (aside) }
        }
    }
}
