//! Boxes that interrupt the text: note, tip, info, warning, check, danger, and the alerts of GitHub's Markdown.

use maud::{Markup, PreEscaped, html};
use mdx::plain::BlockQuoteKind;

use crate::color::css_color;
use crate::icon::{icon, user_icon};
use crate::label::Label;
use crate::words::Word;

/// A callout.
#[derive(Clone, Debug, Default)]
pub struct Callout {
    /// Kind.
    pub kind: CalloutKind,
    /// Own title.
    pub title: Option<Label>,
    /// Name or address of an icon in place of the kind's.
    pub icon: Option<String>,
    /// A CSS color in place of the kind's.
    pub color: Option<String>,
}

/// The kinds of callouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CalloutKind {
    /// Something to know.
    #[default]
    Note,
    /// Something that helps.
    Tip,
    /// Background.
    Info,
    /// Something that can go wrong.
    Warning,
    /// Something that is done or right.
    Check,
    /// Something that destroys.
    Danger,
    /// None of these: icon and color are the author's.
    Plain,
}

impl CalloutKind {
    /// Returns the kind that an alert of GitHub's Markdown has.
    pub fn of_alert(kind: BlockQuoteKind) -> Self {
        match kind {
            BlockQuoteKind::Note => Self::Note,
            BlockQuoteKind::Tip => Self::Tip,
            BlockQuoteKind::Important => Self::Info,
            BlockQuoteKind::Warning => Self::Warning,
            BlockQuoteKind::Caution => Self::Danger,
        }
    }

    /// Returns the name that stands in `data-kind`.
    pub fn name(self) -> &'static str {
        self.look().0
    }

    fn look(self) -> (&'static str, &'static str, Word) {
        match self {
            Self::Note => ("note", "info", Word::Note),
            Self::Tip => ("tip", "lightbulb", Word::Tip),
            Self::Info => ("info", "info", Word::Info),
            Self::Warning => ("warning", "warning", Word::Warning),
            Self::Check => ("check", "check-circle", Word::Check),
            Self::Danger => ("danger", "danger", Word::Danger),
            Self::Plain => ("plain", "", Word::Note),
        }
    }
}

/// Renders a callout around its children.
pub fn callout(view: &Callout, children: PreEscaped<&str>) -> Markup {
    let (class, own_icon, label) = view.kind.look();
    let label = (view.title.as_ref()).map_or_else(|| label.marker(), Label::text);
    let style = view
        .color
        .as_deref()
        .and_then(css_color)
        .map(|color| format!("--callout:{color}"));
    html! {
        div.callout role="note" data-kind=(class) aria-label=(label) style=[style] {
            @let drawn = user_icon(view.icon.as_deref());
            @if !drawn.0.is_empty() {
                span.callout-icon { (drawn) }
            } @else if let Some(svg) = icon(own_icon) {
                span.callout-icon { (svg) }
            }
            div.callout-body {
                @if let Some(title) = &view.title { p.callout-title { (title) } }
                (children)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_cannot_carry_more_style() {
        let view = Callout {
            color: Some("red;position:fixed".into()),
            title: Some("<i>".into()),
            ..Callout::default()
        };
        let html = callout(&view, PreEscaped("<p>x</p>")).into_string();
        assert!(
            !html.contains("position") && html.contains("&lt;i&gt;"),
            "{html}"
        );
    }
}
