//! Views: alternative parts of a page, such as one per programming language, with a selector at the
//! top. Without JavaScript all of them are shown.

use crate::words::Word;
use maud::{Markup, PreEscaped, html};

/// Renders a view around its children.
pub fn view(
    title: &str,
    id: &str,
    is_active: bool,
    icon: PreEscaped<&str>,
    children: PreEscaped<&str>,
) -> Markup {
    html! {
        section.view id=(id) data-view=(title) data-active[is_active] aria-label=(title) {
            p.view-title { (icon) (title) }
            (children)
        }
    }
}

/// Renders the choice between views: title and rendered icon of each. The first is shown to begin
/// with.
pub fn view_switch(views: &[(String, String)]) -> Markup {
    html! {
        div.choices.multi-view-dropdown id="multi-view-dropdown" role="group" aria-label=(Word::View) data-view-switch {
            @for (i, (title, icon)) in views.iter().enumerate() {
                button.choice.multi-view-item.multi-view-dropdown-item type="button" data-view=(title) aria-pressed=(if i == 0 { "true" } else { "false" }) {
                    (PreEscaped(icon)) (title)
                }
            }
        }
    }
}

/// Renders the tags by which the entries of a changelog can be chosen.
pub fn tag_filter(tags: &[String]) -> Markup {
    html! {
        div id="changelog-filters" {
            div.choices id="changelog-filters-content" role="group" aria-label=(Word::ShowEntries) data-tag-filter {
                @for tag in tags { button.choice type="button" data-tag=(tag) aria-pressed="false" { (tag) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_view_is_chosen_and_titles_are_escaped() {
        let views = ["<a>", "b"].map(|title| (title.to_owned(), String::new()));
        let html = view_switch(&views).into_string();
        assert_eq!(html.matches("aria-pressed=\"true\"").count(), 1);
        assert!(html.contains("data-view=\"&lt;a&gt;\"") && !html.contains("<a>"));
    }
}
