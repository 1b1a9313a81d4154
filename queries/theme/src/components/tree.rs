//! A tree of folders and files.

use maud::{Markup, PreEscaped, html};

use crate::icon::icon;
use crate::label::Label;

/// Draws the tree around its rendered entries.
pub fn tree(children: PreEscaped<&str>) -> Markup {
    html! { ul.tree { (children) } }
}

/// A folder.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// Name.
    pub name: Label,
    /// Whether it is open to begin with.
    pub is_open: bool,
    /// Whether it stays as it is.
    pub is_fixed: bool,
    /// Whether it stands out.
    pub is_highlighted: bool,
}

/// Draws a folder around its rendered entries; it opens and closes, unless it is fixed.
pub fn folder(view: &Folder, children: PreEscaped<&str>) -> Markup {
    let name = html! { (icon("folder").unwrap_or_default()) (view.name.without_links()) };
    html! {
        li.tree-folder {
            @if view.is_fixed {
                span.tree-file.tree-highlight[view.is_highlighted] { (name) }
                @if view.is_open { ul { (children) } }
            } @else {
                details open[view.is_open] {
                    summary.tree-highlight[view.is_highlighted] { (name) }
                    ul { (children) }
                }
            }
        }
    }
}

/// Draws a file.
pub fn file(name: &Label, highlight: bool) -> Markup {
    html! { li.tree-file.tree-highlight[highlight] { (icon("file").unwrap_or_default()) (name) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_folders_open() {
        let view = Folder {
            name: "<a>".into(),
            is_open: true,
            ..Folder::default()
        };
        let html = folder(&view, PreEscaped("<li></li>")).into_string();
        assert!(
            html.contains("<details open>") && html.contains("&lt;a&gt;"),
            "{html}"
        );
    }
}
