//! What stands in place of the list of headings: examples, notes.

use maud::{Markup, PreEscaped, html};

/// Draws the panel around its children.
pub fn panel(children: PreEscaped<&str>) -> Markup {
    html! { aside.panel { (children) } }
}
