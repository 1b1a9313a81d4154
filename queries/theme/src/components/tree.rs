//! A tree of folders and files.

use maud::{Markup, PreEscaped, html};

use crate::icon::icon;
use crate::label::Label;

/// Renders the tree around its rendered entries.
pub fn tree(children: PreEscaped<&str>) -> Markup {
    // A list holds its items and nothing else.
    match children.0.trim_start().starts_with("<li") {
        true => html! { ul.tree { (children) } },
        false => html! { div.tree { (children) } },
    }
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

/// Renders a folder around its rendered entries; it opens and closes, unless it is fixed.
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

/// Renders the entries of a tree that is written as a list of Markdown, whose HTML is `list`;
/// `None` if it holds something else. What has a list of its own, or ends with a slash, is a
/// folder.
pub fn of_list(list: &str) -> Option<String> {
    let mut rest = list.trim();
    let entries = list_entries(&mut rest)?;
    rest.is_empty().then_some(entries)
}

fn list_entries(rest: &mut &str) -> Option<String> {
    let mut entries = String::new();
    *rest = rest.strip_prefix("<ul>")?.trim_start();
    while let Some(item) = rest.strip_prefix("<li>") {
        let end = item.find("</li>")?;
        let nested = item.find("<ul>").filter(|at| *at < end);
        let at = nested.unwrap_or(end);
        let drawn = item[..at].trim();
        let (is_highlighted, drawn) = match drawn.strip_prefix("<strong>") {
            Some(inner) => (true, inner.strip_suffix("</strong>")?),
            None => (false, drawn),
        };
        let name = Label::from_html(drawn);
        *rest = &item[at..];
        let children = match nested {
            Some(_) => Some(list_entries(rest)?),
            None => name.text().ends_with('/').then(String::new),
        };
        *rest = rest.trim_start().strip_prefix("</li>")?.trim_start();
        let entry = match children {
            Some(children) => {
                let view = Folder {
                    name,
                    is_open: true,
                    is_fixed: children.is_empty(),
                    is_highlighted,
                };
                folder(&view, PreEscaped(&children))
            }
            None => file(&name, is_highlighted),
        };
        entries.push_str(&entry.0);
    }
    *rest = rest.strip_prefix("</ul>")?.trim_start();
    Some(entries)
}

/// Renders a file.
pub fn file(name: &Label, highlight: bool) -> Markup {
    html! { li.tree-file.tree-highlight[highlight] { (icon("file").unwrap_or_default()) (name) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_markdown_is_a_tree() {
        let list = "<ul>\n<li>src\n<ul>\n<li><strong>a.ts</strong></li>\n</ul>\n</li>\n<li>dist/</li>\n</ul>\n";
        let html = of_list(list).unwrap();
        assert_eq!(html.matches("<details open>").count(), 1, "{html}");
        assert_eq!(html.matches("class=\"tree-file").count(), 2, "{html}");
        assert!(html.contains("tree-highlight"), "{html}");
        assert_eq!(of_list("<p>text</p>"), None);
        assert_eq!(of_list("<ul><li>a</li></ul><p>text</p>"), None);
    }

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
