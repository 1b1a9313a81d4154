//! Small labels: the method of an operation, a tag, what is deprecated or required.

use crate::words::Word;
use maud::{Markup, html};

/// Renders the colored method of an operation: `GET`, `POST`, `DEL`. `class` is what sites style it
/// by.
pub fn method_badge(method: &str, class: &str) -> Markup {
    let method = method.to_ascii_uppercase();
    let short = match method.as_str() {
        "DELETE" => "DEL",
        "OPTIONS" => "OPT",
        "WEBHOOK" => "HOOK",
        other => other,
    };
    html! {
        span.method.(class) data-method=(method.to_ascii_lowercase()) title=(method) { (short) }
    }
}

/// Renders a tag in the accent color: `New`, `Beta`.
pub fn tag_pill(label: &str) -> Markup {
    html! { span.pill.pill-tag { (label) } }
}

/// Renders a tag in the navigation.
pub fn nav_pill(label: &str) -> Markup {
    html! { span.pill.pill-tag.nav-tag-pill { span.nav-tag-pill-text { (label) } } }
}

/// Renders the mark of something that will go away.
pub fn deprecated_pill() -> Markup {
    html! { span.pill.pill-deprecated { (Word::Deprecated) } }
}

/// Renders the mark of something that must be given.
pub fn required_pill() -> Markup {
    html! { span.pill.pill-required { (Word::Required) } }
}

/// Renders a neutral pill.
pub fn plain_pill(label: &str) -> Markup {
    html! { span.pill { (label) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_methods_are_cut_but_named_in_full() {
        assert_eq!(
            method_badge("delete", "method-pill").into_string(),
            r#"<span class="method method-pill" data-method="delete" title="DELETE">DEL</span>"#
        );
    }

    #[test]
    fn labels_are_escaped() {
        assert!(!tag_pill("<b>").into_string().contains("<b>"));
    }
}
