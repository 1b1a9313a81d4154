//! Cards and their grids.

use maud::{Markup, PreEscaped, html};

use crate::color::css_color;
use crate::icon::{icon, user_icon};
use crate::label::Label;

/// A card. With an address the whole card is its link.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// Title.
    pub title: Option<Label>,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// A CSS color of the icon.
    pub color: Option<String>,
    /// Destination.
    pub href: Option<String>,
    /// Target of the link in a browser: `_blank`.
    pub target: Option<String>,
    /// Address of an image above the text.
    pub image: Option<String>,
    /// A call to action under the text.
    pub cta: Option<Label>,
    /// Whether an arrow marks the link as external; external links have one by default.
    pub arrow: Option<bool>,
    /// Whether icon and text are side by side.
    pub horizontal: bool,
    /// Whether it looks switched off.
    pub disabled: bool,
    /// Kind, as for callouts: `note`, `tip`, `info`, `warning`, `check` or `danger`.
    pub kind: Option<&'static str>,
}

/// Renders a card around its children.
pub fn card(view: &Card, children: PreEscaped<&str>) -> Markup {
    let external = view
        .href
        .as_deref()
        .is_some_and(|href| href.starts_with("http://") || href.starts_with("https://"));
    let arrow = view.href.is_some() && view.arrow.unwrap_or(external);
    let style = view
        .color
        .as_deref()
        .and_then(css_color)
        .map(|color| format!("--card-color:{color}"));
    html! {
        div.card.card-linked[view.href.is_some()].card-horizontal[view.horizontal] style=[style]
            data-disabled[view.disabled] data-kind=[view.kind] {
            @if let Some(image) = &view.image { img.card-image src=(image) alt="" loading="lazy"; }
            @let drawn = user_icon(view.icon.as_deref());
            @if !drawn.0.is_empty() { span.card-icon { (drawn) } }
            div.card-body {
                @if let Some(title) = &view.title {
                    p.card-title {
                        @if let Some(href) = &view.href {
                            a.card-link href=(href) target=[view.target.as_deref()] rel=[external.then_some("noopener")] { (title.without_links()) }
                        } @else {
                            (title)
                        }
                    }
                } @else if let Some(href) = &view.href {
                    a.card-link href=(href) target=[view.target.as_deref()] aria-label=(href) {}
                }
                div.card-text { (children) }
                @if let Some(cta) = &view.cta {
                    p.card-cta { (cta.without_links()) (icon("arrow-right").unwrap_or_default()) }
                }
            }
            @if arrow { span.card-arrow { (icon("arrow-up-right").unwrap_or_default()) } }
        }
    }
}

/// Renders a grid of cards, tiles or anything else in 1 to 4 columns; `is_group` of cards, as its
/// author calls it.
pub fn columns(count: u8, is_group: bool, children: PreEscaped<&str>) -> Markup {
    html! { div.columns.card-group[is_group] data-columns=(count.clamp(1, 4)) { (children) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_title_is_the_link_that_is_read_aloud() {
        let view = Card {
            title: Some("T".into()),
            href: Some("https://example.org".into()),
            ..Card::default()
        };
        let html = card(&view, PreEscaped("")).into_string();
        assert_eq!(html.matches("<a ").count(), 1);
        assert!(html.contains("card-arrow"), "{html}");
    }

    #[test]
    fn columns_are_one_to_four() {
        assert!(
            columns(9, false, PreEscaped(""))
                .into_string()
                .contains("\"4\"")
        );
    }
}
