//! A tree of folders and files.

use maud::{Markup, PreEscaped, html};

use crate::render::icon::icon;

/// Draws the tree around its rendered entries.
pub fn tree(children: PreEscaped<&str>) -> Markup {
    html! { ul.tree { (children) } }
}

/// Draws a folder around its rendered entries; it opens and closes.
pub fn folder(name: &str, open: bool, highlight: bool, children: PreEscaped<&str>) -> Markup {
    html! {
        li.tree-folder {
            details open[open] {
                summary.tree-highlight[highlight] { (icon("folder").unwrap_or_default()) (name) }
                ul { (children) }
            }
        }
    }
}

/// Draws a file.
pub fn file(name: &str, highlight: bool) -> Markup {
    html! { li.tree-file.tree-highlight[highlight] { (icon("file").unwrap_or_default()) (name) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_folders_open() {
        let html = folder("<a>", true, false, PreEscaped("<li></li>")).into_string();
        assert!(
            html.contains("<details open>") && html.contains("&lt;a&gt;"),
            "{html}"
        );
    }
}
