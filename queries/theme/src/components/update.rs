//! Entries of a changelog.

use maud::{Markup, PreEscaped, html};

use crate::components::prose::alias;
use crate::label::Label;
use crate::pill::plain_pill;

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
    /// Other names that links may use.
    pub aliases: Vec<String>,
    /// Title and description of its entry in the feed, if the author sets them.
    pub feed: [Option<String>; 2],
}

/// Renders an entry around its children.
pub fn update(view: &Update, children: PreEscaped<&str>) -> Markup {
    html! {
        section.update id=(view.id) data-feed-title=[&view.feed[0]] data-feed-text=[&view.feed[1]] {
            div.update-side {
                div.update-sticky {
                    @for name in &view.aliases { (alias(name)) }
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
