//! Numbered steps. The numbers are counted by the stylesheet.

use maud::{Markup, PreEscaped, html};

use crate::components::prose::alias;
use crate::icon::user_icon;
use crate::label::Label;
use crate::words::Word;

/// One step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Title.
    pub title: Label,
    /// Id of the step, to link to.
    pub id: Option<String>,
    /// Other names that links may use.
    pub aliases: Vec<String>,
    /// Name or address of an icon in place of the number.
    pub icon: Option<String>,
    /// A number in place of the counted one.
    pub number: Option<u32>,
    /// Whether its title is without a link to itself.
    pub no_anchor: bool,
    /// Level of the title as a heading, 2 to 4; a paragraph without one.
    pub heading: Option<u8>,
    /// Depth of that heading, where it differs from its level.
    pub depth: Option<u8>,
}

/// Renders the list around its steps.
pub fn steps(children: PreEscaped<&str>) -> Markup {
    html! { ol.steps { (children) } }
}

/// Renders one step around its children.
pub fn step(view: &Step, children: PreEscaped<&str>) -> Markup {
    let title = html! {
        @for name in &view.aliases { (alias(name)) }
        (view.title)
        @if let Some(id) = view.id.as_ref().filter(|_| !view.no_anchor) {
            a.anchor href={ "#" (id) } aria-label=(Word::LinkTo.of(view.title.text())) {}
        }
    };
    let counter = view
        .number
        .map(|number| format!("counter-set:step {number}"));
    let drawn = user_icon(view.icon.as_deref());
    html! {
        li.step id=[view.id.as_deref()] style=[counter] {
            span.step-number.step-icon[!drawn.0.is_empty()] aria-hidden="true" { (drawn) }
            @match view.heading {
                Some(2) => { h2.step-title aria-level=[view.depth] { (title) } }
                Some(3) => { h3.step-title aria-level=[view.depth] { (title) } }
                Some(4) => { h4.step-title aria-level=[view.depth] { (title) } }
                _ => { p.step-title { (title) } }
            }
            div.step-body { (children) }
        }
    }
}
