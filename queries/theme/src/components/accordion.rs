//! Accordions and expandables: parts of a page that readers expand and collapse.

use maud::{Markup, PreEscaped, html};

use crate::components::prose::alias;
use crate::icon::{icon, user_icon};
use crate::label::Label;

/// One accordion.
#[derive(Clone, Debug, Default)]
pub struct Accordion {
    /// Title.
    pub title: Label,
    /// One line under the title.
    pub description: Option<Label>,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// Id to link to; a link to it opens it.
    pub id: Option<String>,
    /// Other names that links may use.
    pub aliases: Vec<String>,
    /// Whether it is open to begin with.
    pub open: bool,
}

/// Renders an accordion around its children.
pub fn accordion(view: &Accordion, children: PreEscaped<&str>) -> Markup {
    html! {
        details.accordion id=[view.id.as_deref()] open[view.open] {
            summary {
                span.chevron { (icon("chevron-right").unwrap_or_default()) }
                @let drawn = user_icon(view.icon.as_deref());
            @if !drawn.0.is_empty() { span.accordion-icon { (drawn) } }
                span.accordion-text {
                    span.accordion-title { (view.title.without_links()) }
                    @if let Some(text) = &view.description { span.accordion-description { (text.without_links()) } }
                }
            }
            div.accordion-body { @for name in &view.aliases { (alias(name)) } (children) }
        }
    }
}

/// Renders several accordions as one box.
pub fn accordion_group(children: PreEscaped<&str>) -> Markup {
    html! { div.accordion-group { (children) } }
}
