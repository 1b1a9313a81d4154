//! A text to be given to an assistant.

use maud::{Markup, PreEscaped, html};

use crate::render::components::code_block::copy_button;

/// Draws what the prompt is for, and the prompt with a button to copy it.
pub fn prompt(description: &str, icon: &Markup, children: PreEscaped<&str>) -> Markup {
    html! {
        figure.prompt data-code {
            figcaption.prompt-title { (icon) (description) (copy_button()) }
            details { summary { "Show the prompt" } div.prompt-text data-copy-text { (children) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_escaped() {
        let html = prompt("<x>", &html! {}, PreEscaped("<p>a</p>")).into_string();
        assert!(
            html.contains("&lt;x&gt;") && html.contains("<p>a</p>"),
            "{html}"
        );
    }
}
