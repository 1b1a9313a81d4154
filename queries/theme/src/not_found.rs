//! Page for unknown addresses.

use maud::{Markup, html};

use crate::icon::icon;
use crate::words::Word;

/// Suggestions of the page.
#[derive(Clone, Debug, Default)]
pub struct NotFound {
    /// The heading; "This page does not exist" without one.
    pub title: Option<String>,
    /// A sentence under it.
    pub description: Option<String>,
    /// The route that was asked for.
    pub route: Option<String>,
    /// Title and address of pages with a similar address.
    pub suggestions: Vec<(String, String)>,
    /// Address of the home page.
    pub home_href: String,
}

/// Renders the page.
pub fn not_found(view: &NotFound) -> Markup {
    html! {
        article.article.not-found.not-found-container {
            p.not-found-code.not-found-status-code aria-hidden="true" { "404" }
            h1.not-found-title id="page-title" { @if let Some(title) = &view.title { (title) } @else { (Word::NotThere) } }
            p.lead.not-found-description {
                @if let Some(text) = &view.description {
                    (text)
                } @else if let Some(route) = &view.route {
                    (Word::NothingAt.around(&html! { code { (route) } })) " " (Word::MayHaveMoved)
                } @else {
                    (Word::MayHaveMoved)
                }
            }
            @if !view.suggestions.is_empty() {
                h2.not-found-heading { (Word::PerhapsLookingFor) }
                ul.not-found-list.not-found-recommended-pages-list {
                    @for (title, href) in &view.suggestions {
                        li { a.not-found-recommended-page-link href=(href) { span { (title) } code { (href) } (icon("arrow-right").unwrap_or_default()) } }
                    }
                }
            }
            p { a.button href=(view.home_href) { (Word::GoHome) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_asked_route_is_escaped() {
        let html = not_found(&NotFound {
            route: Some("/<script>".into()),
            ..NotFound::default()
        })
        .into_string();
        assert!(
            html.contains("/&lt;script&gt;") && !html.contains("<script>"),
            "{html}"
        );
    }
}
