//! A frame around an image or a film.

use maud::{Markup, PreEscaped, html};

/// What stands around the framed thing.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Rendered inline HTML under it.
    pub caption: Option<String>,
    /// Rendered inline HTML above it.
    pub hint: Option<String>,
}

/// Draws the frame around its children.
pub fn frame(view: &Frame, children: PreEscaped<&str>) -> Markup {
    html! {
        figure.frame {
            @if let Some(hint) = &view.hint { p.frame-hint { (PreEscaped(hint)) } }
            div.frame-body { (children) }
            @if let Some(caption) = &view.caption { figcaption { (PreEscaped(caption)) } }
        }
    }
}
