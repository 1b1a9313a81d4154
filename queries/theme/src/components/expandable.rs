//! Nested fields that open on demand.

use maud::{Markup, PreEscaped, html};

use crate::icon::icon;
use crate::label::Label;
use crate::words::Word;

/// Renders nested fields under `title`; "child attributes" without one.
pub fn expandable(title: Option<&Label>, open: bool, children: PreEscaped<&str>) -> Markup {
    let title = title.map_or_else(|| html! { (Word::ChildAttributes) }, Label::without_links);
    html! {
        details.expandable open[open] {
            summary {
                span.chevron { (icon("chevron-right").unwrap_or_default()) }
                span.expandable-closed { (Word::Show.around(&title)) }
                span.expandable-open { (Word::Hide.around(&title)) }
            }
            div.expandable-body { (children) }
        }
    }
}
