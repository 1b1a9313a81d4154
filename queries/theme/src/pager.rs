//! The way to the previous and the next page.

use maud::{Markup, html};

use crate::icon::icon;
use crate::words::Word;

/// A neighbor of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagerLink {
    /// Title.
    pub label: String,
    /// Address.
    pub href: String,
}

/// Renders the links to the neighbors; nothing when there are none.
pub fn pager(previous: Option<&PagerLink>, next: Option<&PagerLink>) -> Markup {
    html! {
        @if previous.is_some() || next.is_some() {
            nav.pager id="pagination" aria-label=(Word::Neighbors) {
                @if let Some(link) = previous {
                    a.pager-previous.pagination-prev href=(link.href) rel="prev" {
                        span.pager-hint { (icon("arrow-left").unwrap_or_default()) (Word::Previous) }
                        span.pager-label.pagination-title { (link.label) }
                    }
                }
                @if let Some(link) = next {
                    a.pager-next.pagination-next href=(link.href) rel="next" {
                        span.pager-hint { (Word::Next) (icon("arrow-right").unwrap_or_default()) }
                        span.pager-label.pagination-title { (link.label) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lonely_page_has_no_pager() {
        assert_eq!(pager(None, None).into_string(), "");
    }
}
