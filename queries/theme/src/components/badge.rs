//! Small colored labels inside the text.

use maud::{Markup, PreEscaped, html};

use crate::icon::user_icon;

/// A badge.
#[derive(Clone, Debug, Default)]
pub struct Badge {
    /// One of the theme's colors: `gray`, `blue`, `green`, `yellow`, `orange`, `red`, `purple`; the accent without one.
    pub color: Option<String>,
    /// `xs`, `sm`, `md` or `lg`.
    pub size: Option<String>,
    /// Whether its ends are round.
    pub round: bool,
    /// Whether it is outlined.
    pub stroke: bool,
    /// Whether it looks switched off.
    pub disabled: bool,
    /// Name or address of an icon.
    pub icon: Option<String>,
}

/// Renders a badge around its children.
pub fn badge(view: &Badge, children: PreEscaped<&str>) -> Markup {
    html! {
        span.badge data-badge data-color=[view.color.as_deref()] data-size=[view.size.as_deref()] data-round[view.round]
            data-stroke[view.stroke] data-disabled[view.disabled] {
            (user_icon(view.icon.as_deref())) (children)
        }
    }
}
