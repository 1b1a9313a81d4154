//! List of a page's headings: next to it on wide screens, folded above it on narrow ones.

use maud::{Markup, PreEscaped, html};

use crate::html::push_escaped;
use crate::icon::icon;
use crate::words::Word;

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

/// Renders the list next to the page with the menu of the page below it; nothing but an empty
/// column when there are no headings.
pub fn toc(entries: &[TocEntry], menu: &Markup) -> Markup {
    html! {
        aside.toc id="table-of-contents-layout" data-live="toc" {
            @if !entries.is_empty() {
                div.toc-inner id="content-side-layout" {
                    nav id="table-of-contents" aria-labelledby="quire-toc-title" data-toc {
                        p.toc-title id="quire-toc-title" { (icon("list").unwrap_or_default()) (Word::OnThisPage) }
                        (list(entries, Some("table-of-contents-content")))
                    }
                    (menu)
                }
            }
        }
    }
}

/// Renders the folded list that stands above the text on narrow screens.
pub fn toc_inline(entries: &[TocEntry]) -> Markup {
    html! {
        @if !entries.is_empty() {
            details.toc-inline data-menu {
                summary { (Word::OnThisPage) span.chevron { (icon("chevron-right").unwrap_or_default()) } }
                (list(entries, None))
            }
        }
    }
}

fn list(entries: &[TocEntry], id: Option<&str>) -> Markup {
    html! {
        ul id=[id] {
            @for (entry, depth) in entries.iter().zip(depths(entries)) {
                li.toc-item data-depth=(depth) {
                    a href={ "#" (entry.id) } { (breakable(&entry.title)) }
                }
            }
        }
    }
}

/// Returns the depth of each heading: the number of earlier headings above it. Headings before the
/// first of the highest level have depth 0.
fn depths(entries: &[TocEntry]) -> Vec<usize> {
    let mut around: Vec<u8> = Vec::new();
    let depth = |entry: &TocEntry| {
        while around.last().is_some_and(|level| *level >= entry.level) {
            around.pop();
        }
        around.push(entry.level);
        around.len() - 1
    };
    entries.iter().map(depth).collect()
}

/// Words longer than this are broken in a narrow list, at their signs and capitals where they have some.
const LONG: usize = 16;

/// A title that may be broken within long names: `Checkout<wbr>Session<wbr>_id`.
fn breakable(title: &str) -> Markup {
    let mut html = String::with_capacity(title.len());
    for (i, word) in title.split(' ').enumerate() {
        if i > 0 {
            html.push(' ');
        }
        let is_long = word.chars().count() > LONG;
        let mut before = None;
        for c in word.chars() {
            let is_sign = |c: char| matches!(c, '_' | '-' | '.' | '/' | ':');
            let is_place = before.is_some_and(|before: char| {
                is_sign(before) && !is_sign(c) || before.is_lowercase() && c.is_uppercase()
            });
            if is_long && is_place {
                html.push_str("<wbr>");
            }
            push_escaped(&mut html, c.encode_utf8(&mut [0; 4]));
            before = Some(c);
        }
    }
    PreEscaped(html)
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
        let html = list(&[entry("a", 2), entry("b", 3), entry("c", 6)], None).into_string();
        let depths: Vec<&str> = html
            .split("data-depth=\"")
            .skip(1)
            .map(|rest| &rest[..1])
            .collect();
        assert_eq!(depths, ["0", "1", "2"]);
    }

    #[test]
    fn a_first_heading_is_not_indented() {
        let levels = [3, 4, 2, 3, 3, 6, 2];
        let entries = levels.map(|level| entry("a", level));
        assert_eq!(depths(&entries), [0, 1, 0, 1, 1, 2, 0]);
    }

    #[test]
    fn long_names_break_at_their_signs() {
        let with_breaks = |title: &str| breakable(title).0;
        assert_eq!(
            with_breaks("client_reference_id now"),
            "client_<wbr>reference_<wbr>id now"
        );
        assert_eq!(
            with_breaks("useCheckoutSessions <x>"),
            "use<wbr>Checkout<wbr>Sessions &lt;x&gt;"
        );
        assert_eq!(with_breaks("short_name"), "short_name");
    }

    #[test]
    fn a_page_without_headings_keeps_its_column() {
        assert_eq!(
            toc(&[], &html! {}).into_string(),
            r#"<aside class="toc" id="table-of-contents-layout" data-live="toc"></aside>"#
        );
        assert_eq!(toc_inline(&[]).into_string(), "");
    }
}
