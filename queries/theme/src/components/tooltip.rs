//! Explanations that appear over a word. They need no script: pointing and focus are enough.

use maud::{Markup, PreEscaped, html};

use crate::label::Label;

/// A tooltip.
#[derive(Clone, Debug, Default)]
pub struct Tooltip {
    /// Content.
    pub tip: Label,
    /// A line above it.
    pub headline: Option<Label>,
    /// A link under it: label and address.
    pub cta: Option<(Label, String)>,
    /// Unique in the page; connects the word with its explanation.
    pub id: String,
}

/// Renders the word and its explanation.
pub fn tooltip(view: &Tooltip, children: PreEscaped<&str>) -> Markup {
    html! {
        span.tooltip {
            span.tooltip-word tabindex="0" aria-describedby=(view.id) { (children) }
            span.tooltip-box role="tooltip" id=(view.id) {
                @if let Some(headline) = &view.headline { strong.tooltip-headline { (headline) } }
                span { (view.tip) }
                @if let Some((label, href)) = &view.cta { a.tooltip-cta href=(href) { (label.without_links()) } }
            }
        }
    }
}
