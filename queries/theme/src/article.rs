//! A page's own part: title, lead, pills, and the slot of its body.

use maud::{Markup, PreEscaped, html};

use crate::eyebrow::{Eyebrow, eyebrow};
use crate::pill::{deprecated_pill, method_badge, tag_pill};

/// What stands around the body of a page.
#[derive(Clone, Debug, Default)]
pub struct Article {
    /// The title.
    pub title: Option<String>,
    /// One or two sentences under the title.
    pub description: Option<String>,
    /// The line above the title.
    pub eyebrow: Option<Eyebrow>,
    /// Method and path of the operation the page documents.
    pub operation: Option<(String, String)>,
    /// Whether what it documents will go away.
    pub deprecated: bool,
    /// A short tag: `Beta`.
    pub tag: Option<String>,
    /// When it was last changed.
    pub last_modified: Option<LastModified>,
    /// How it is laid out.
    pub mode: Mode,
}

/// A date in two forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastModified {
    /// For machines: `2026-11-21`.
    pub iso: String,
    /// For people: `21 November 2026`.
    pub text: String,
}

/// How a page is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Sidebar, text, list of headings.
    #[default]
    Default,
    /// No list of headings; the text takes its place.
    Wide,
    /// Only the header; the page draws everything else itself, without a title.
    Custom,
    /// The sidebar stays; the page draws everything else itself.
    Frame,
    /// No sidebar and no list of headings; the text in the middle.
    Center,
}

impl Mode {
    /// Name in the markup.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Wide => "wide",
            Self::Custom => "custom",
            Self::Frame => "frame",
            Self::Center => "center",
        }
    }

    /// Whether the page has a sidebar.
    pub fn has_sidebar(self) -> bool {
        !matches!(self, Self::Custom | Self::Center)
    }

    /// Whether the page has a list of headings.
    pub fn has_toc(self) -> bool {
        self == Self::Default
    }
}

/// Draws the article around its rendered body. `toc_inline` is the folded list of headings for narrow screens.
pub fn article(view: &Article, toc_inline: &Markup, body: PreEscaped<&str>) -> Markup {
    if matches!(view.mode, Mode::Custom | Mode::Frame) {
        return html! { article.article { div.prose.canvas.mdx-content id="content" { (body) } } };
    }
    html! {
        article.article {
            (article_header(view))
            (toc_inline)
            div.prose.mdx-content id="content" { (body) }
            @if let Some(date) = &view.last_modified {
                p.last-modified { "Last modified " time datetime=(date.iso) { (date.text) } }
            }
        }
    }
}

fn article_header(view: &Article) -> Markup {
    html! {
        header.article-header id="header" {
            @if let Some(line) = &view.eyebrow { (eyebrow(line)) }
            @if let Some(title) = &view.title {
                h1 id="page-title" {
                    (title)
                    @if let Some(tag) = &view.tag { " " (tag_pill(tag)) }
                    @if view.deprecated { " " (deprecated_pill()) }
                }
            }
            @if let Some(text) = &view.description { p.lead { (text) } }
            @if let Some((method, path)) = &view.operation {
                p.operation-line { (method_badge(method)) code { (path) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_page_draws_its_own_title() {
        let view = Article {
            title: Some("T".into()),
            mode: Mode::Custom,
            ..Article::default()
        };
        let html = article(&view, &html! {}, PreEscaped("<p>x</p>")).into_string();
        assert_eq!(
            html,
            r#"<article class="article"><div class="prose canvas mdx-content" id="content"><p>x</p></div></article>"#
        );
    }

    #[test]
    fn titles_are_escaped_and_bodies_are_not() {
        let view = Article {
            title: Some("a < b".into()),
            ..Article::default()
        };
        let html = article(&view, &html! {}, PreEscaped("<p>x</p>")).into_string();
        assert!(
            html.contains("<h1 id=\"page-title\">a &lt; b</h1>") && html.contains("<p>x</p>"),
            "{html}"
        );
    }
}
