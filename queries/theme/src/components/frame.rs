//! A frame around an image or a film.

use maud::{Markup, PreEscaped, html};

use crate::label::Label;

/// What stands around the framed thing.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// What stands under it.
    pub caption: Option<Label>,
    /// What stands above it.
    pub hint: Option<Label>,
}

/// Draws the frame around its children.
pub fn frame(view: &Frame, children: PreEscaped<&str>) -> Markup {
    html! {
        figure.frame {
            @if let Some(hint) = &view.hint { p.frame-hint { (hint) } }
            div.frame-body { (children) }
            @if let Some(caption) = &view.caption { figcaption { (caption) } }
        }
    }
}
