//! The list of a page's headings: beside it on wide screens, folded above it on narrow ones.

use maud::{Markup, html};

use crate::icon::icon;

/// One heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TocEntry {
    /// Id in the page.
    pub id: String,
    /// Level, 1 to 6.
    pub level: u8,
    /// Text.
    pub title: String,
}

/// Draws the list beside the page; nothing but an empty column when there are no headings.
pub fn toc(entries: &[TocEntry]) -> Markup {
    html! {
        aside.toc data-live="toc" {
            @if !entries.is_empty() {
                nav.toc-inner aria-labelledby="quire-toc-title" data-toc {
                    p.toc-title id="quire-toc-title" { (icon("list").unwrap_or_default()) "On this page" }
                    (list(entries))
                }
            }
        }
    }
}

/// Draws the folded list that stands above the text on narrow screens.
pub fn toc_inline(entries: &[TocEntry]) -> Markup {
    html! {
        @if !entries.is_empty() {
            details.toc-inline data-menu {
                summary { "On this page" span.chevron { (icon("chevron-right").unwrap_or_default()) } }
                (list(entries))
            }
        }
    }
}

fn list(entries: &[TocEntry]) -> Markup {
    let top = entries.iter().map(|entry| entry.level).min().unwrap_or(1);
    html! {
        ul {
            @for entry in entries {
                li {
                    // Deeper than two steps looks the same: the list is narrow.
                    a href={ "#" (entry.id) } data-depth=((entry.level - top).min(2)) { (entry.title) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, level: u8) -> TocEntry {
        TocEntry {
            id: id.into(),
            level,
            title: "T".into(),
        }
    }

    #[test]
    fn depth_counts_from_the_highest_heading() {
        let html = list(&[entry("a", 2), entry("b", 3), entry("c", 6)]).into_string();
        let depths: Vec<&str> = html
            .split("data-depth=\"")
            .skip(1)
            .map(|rest| &rest[..1])
            .collect();
        assert_eq!(depths, ["0", "1", "2"]);
    }

    #[test]
    fn a_page_without_headings_keeps_its_column() {
        assert_eq!(
            toc(&[]).into_string(),
            r#"<aside class="toc" data-live="toc"></aside>"#
        );
        assert_eq!(toc_inline(&[]).into_string(), "");
    }
}
