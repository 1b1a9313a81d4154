//! Nested fields that open on demand.

use maud::{Markup, PreEscaped, html};

use crate::icon::icon;

/// Draws nested fields under `title`; "child attributes" without one.
pub fn expandable(title: Option<&str>, open: bool, children: PreEscaped<&str>) -> Markup {
    html! {
        details.expandable open[open] {
            summary {
                span.chevron { (icon("chevron-right").unwrap_or_default()) }
                span.expandable-closed { "Show " (title.unwrap_or("child attributes")) }
                span.expandable-open { "Hide " (title.unwrap_or("child attributes")) }
            }
            div.expandable-body { (children) }
        }
    }
}
