//! A text to be given to an assistant.

use maud::{Markup, PreEscaped, html};

use crate::components::code_block::copy_button;
use crate::label::Label;
use crate::words::Word;

/// A prompt.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Purpose.
    pub description: Label,
    /// The rendered icon.
    pub icon: Markup,
    /// Whether it has a button to copy it.
    pub is_copied: bool,
    /// The text that a link hands to Cursor.
    pub cursor_text: Option<String>,
}

/// Renders what the prompt is for, what can be done with it, and the prompt itself.
pub fn prompt(view: &Prompt, children: PreEscaped<&str>) -> Markup {
    html! {
        figure.prompt data-code {
            figcaption.prompt-title {
                (view.icon) span.prompt-description { (view.description) }
                @if let Some(text) = &view.cursor_text {
                    a.prompt-action rel="noopener" href={ "https://cursor.com/link/prompt?text=" (in_query(text)) } {
                        (Word::OpenIn.of("Cursor"))
                    }
                }
                @if view.is_copied { (copy_button()) }
            }
            details { summary { (Word::ShowPrompt) } div.prompt-text data-copy-text { (children) } }
        }
    }
}

/// `text` as a value of a query (RFC 3986, 2.3).
fn in_query(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => encoded.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => encoded.push(byte as char),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_escaped() {
        let view = Prompt {
            description: "<x>".into(),
            icon: html! {},
            is_copied: true,
            cursor_text: None,
        };
        let html = prompt(&view, PreEscaped("<p>a</p>")).into_string();
        assert!(
            html.contains("&lt;x&gt;") && html.contains("<p>a</p>"),
            "{html}"
        );
    }

    #[test]
    fn a_text_that_is_handed_over_is_one_value() {
        assert_eq!(in_query("a&b %20\n"), "a%26b%20%2520%0A");
    }
}
