//! Entries of a changelog.

use maud::{Markup, PreEscaped, html};

use crate::pill::plain_pill;
use crate::label::Label;

/// One entry.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Date or version.
    pub label: Label,
    /// A line under the label.
    pub description: Option<Label>,
    /// Tags.
    pub tags: Vec<String>,
    /// Id to link to.
    pub id: String,
}

/// Draws an entry around its children.
pub fn update(view: &Update, children: PreEscaped<&str>) -> Markup {
    html! {
        section.update id=(view.id) {
            div.update-side {
                div.update-sticky {
                    a.update-label href={ "#" (view.id) } { (view.label.without_links()) }
                    @if let Some(text) = &view.description { p.update-description { (text) } }
                    @if !view.tags.is_empty() {
                        p.update-tags { @for tag in &view.tags { (plain_pill(tag)) } }
                    }
                }
            }
            div.update-body { (children) }
        }
    }
}
