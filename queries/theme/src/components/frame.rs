//! A frame around an image or a film.

use maud::{Markup, PreEscaped, html};

use crate::label::Label;

/// Frame with caption and hint.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Text below it.
    pub caption: Option<Label>,
    /// Text above it.
    pub hint: Option<Label>,
}

/// Renders the frame around its children.
pub fn frame(view: &Frame, children: PreEscaped<&str>) -> Markup {
    html! {
        figure.frame {
            @if let Some(hint) = &view.hint { p.frame-hint { (hint) } }
            div.frame-body { (children) }
            @if let Some(caption) = &view.caption { figcaption { (caption) } }
        }
    }
}
