//! The line above a title: the name of the page's group, or the way to it.

use maud::{Markup, html};

use crate::icon::icon;
use crate::words::Word;

/// Line above the title.
#[derive(Clone, Debug)]
pub enum Eyebrow {
    /// The name of the group.
    Section(String),
    /// Every group from the outside in, with the address of its own page where it has one.
    Breadcrumbs(Vec<(String, Option<String>)>),
}

/// Renders the line.
pub fn eyebrow(view: &Eyebrow) -> Markup {
    match view {
        Eyebrow::Section(name) => html! { p.eyebrow { (name) } },
        Eyebrow::Breadcrumbs(steps) => html! {
            nav.breadcrumbs aria-label=(Word::Breadcrumbs) {
                ol.breadcrumb-list {
                    @for (i, (label, href)) in steps.iter().enumerate() {
                        li.breadcrumb-item {
                            @if i > 0 { span.chevron { (icon("chevron-right").unwrap_or_default()) } }
                            @if let Some(href) = href { a href=(href) { (label) } } @else { span { (label) } }
                        }
                    }
                }
            }
        },
    }
}
