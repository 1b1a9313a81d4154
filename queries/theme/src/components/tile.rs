//! Tiles: pictures that lead somewhere.

use maud::{Markup, PreEscaped, html};

use crate::label::Label;

/// A tile.
#[derive(Clone, Debug, Default)]
pub struct Tile {
    /// Destination.
    pub href: String,
    /// Title.
    pub title: Option<Label>,
    /// One line under the title.
    pub description: Option<Label>,
}

/// Renders a tile around its picture.
pub fn tile(view: &Tile, children: PreEscaped<&str>) -> Markup {
    html! {
        a.tile href=(view.href) {
            span.tile-picture { (children) }
            @if let Some(title) = &view.title { span.tile-title { (title.without_links()) } }
            @if let Some(text) = &view.description { span.tile-description { (text.without_links()) } }
        }
    }
}
