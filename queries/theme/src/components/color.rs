//! Colors, shown and named.

use maud::{Markup, PreEscaped, html};

use crate::color::css_color;
use crate::label::Label;

/// Renders a set of colors around its rendered rows or items.
pub fn colors(is_table: bool, children: PreEscaped<&str>) -> Markup {
    html! { div.colors.color data-variant=(if is_table { "table" } else { "compact" }) { (children) } }
}

/// Renders a row of colors with its title.
pub fn row(title: Option<&Label>, children: PreEscaped<&str>) -> Markup {
    html! {
        div.color-row {
            @if let Some(title) = title { p.color-title { (title) } }
            div.color-items { (children) }
        }
    }
}

/// Renders one color; `dark` is what it is on dark ground, if that is another.
pub fn item(name: &Label, light: &str, dark: Option<&str>) -> Markup {
    // A color is shown in both modes, or in the one it is for.
    let swatch = |value: &str, is_light: bool, is_dark: bool| {
        let style = css_color(value).map(|color| format!("background:{color}"));
        html! {
            div.color-value.only-light[is_light].only-dark[is_dark] {
                span.color-swatch style=[style] {}
                code { (value) }
            }
        }
    };
    html! {
        div.color-item {
            @if let Some(dark) = dark.filter(|dark| *dark != light) {
                (swatch(light, true, false)) (swatch(dark, false, true))
            } @else {
                (swatch(light, false, false))
            }
            @if !name.is_empty() { span.color-name { (name) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_carry_more_style() {
        let html = item(&"x".into(), "red;position:fixed", Some("#000")).into_string();
        assert_eq!(html.matches("style=").count(), 1, "{html}");
        assert_eq!(
            html.matches("class=\"color-value only-dark\"").count(),
            1,
            "{html}"
        );
    }
}
