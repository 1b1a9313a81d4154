//! What stands in place of the list of headings: examples, notes.

use maud::{Markup, PreEscaped, html};

/// Draws the panel around its children.
pub fn panel(children: PreEscaped<&str>) -> Markup {
    html! { div.panel { (children) } }
}

/// Draws an example of a request or a response.
pub fn example(title: &str, children: PreEscaped<&str>) -> Markup {
    html! { section.example aria-label=(title) { (children) } }
}

/// Draws the text of a page and what stands beside it: in a column of its own where there is room, else below.
pub fn beside(text: PreEscaped<&str>, beside: PreEscaped<&str>) -> Markup {
    html! {
        div.with-aside {
            div.prose { (text) }
            aside.page-aside aria-label="Examples" { (beside) }
        }
    }
}
