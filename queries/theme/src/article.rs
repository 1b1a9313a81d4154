//! A page's own part: title, lead, pills, and the slot of its body.

use maud::{Markup, PreEscaped, html};

use crate::eyebrow::{Eyebrow, eyebrow};
use crate::page_foot::{PageFoot, page_foot};
use crate::page_menu::{PageMenu, page_menu};
use crate::pill::{deprecated_pill, method_badge, plain_pill, tag_pill};

/// Elements around the body of a page.
#[derive(Clone, Debug, Default)]
pub struct Article {
    /// The title.
    pub title: Option<String>,
    /// One or two sentences under the title.
    pub description: Option<String>,
    /// The lead as HTML, if it is more than its text.
    pub lead: Option<String>,
    /// The line above the title.
    pub eyebrow: Option<Eyebrow>,
    /// Method and path of the operation the page documents.
    pub operation: Option<(String, String)>,
    /// Whether what it documents will go away.
    pub deprecated: bool,
    /// A short tag: `Beta`.
    pub tag: Option<String>,
    /// The version of what it documents.
    pub version: Option<String>,
    /// Menu of the page.
    pub menu: PageMenu,
    /// Elements below its text.
    pub foot: PageFoot,
    /// Layout.
    pub mode: Mode,
}

/// When a page was last changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastModified {
    /// ISO date for programs: `2026-11-21`; none if the author's words are not a date.
    pub iso: Option<String>,
    /// Text for people: `21 November 2026`, or the words of the author.
    pub text: String,
}

/// Names of the months.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl LastModified {
    /// Parses `text`: a day in the usual style if it begins with one of ISO 8601, else the text
    /// itself.
    pub fn of_text(text: &str) -> Self {
        let day = text.get(..10).filter(|_| {
            let rest = text.as_bytes().get(10);
            rest.is_none_or(|next| !next.is_ascii_digit())
        });
        let parts: Option<Vec<u32>> = day.and_then(|day| {
            let parts = day.splitn(3, '-').map(|part| part.parse().ok());
            parts.collect()
        });
        let written = match parts.as_deref() {
            Some(&[year, month @ 1..=12, day @ 1..=31]) => {
                Some(format!("{day} {} {year}", MONTHS[month as usize - 1]))
            }
            _ => None,
        };
        Self {
            iso: day.filter(|_| written.is_some()).map(str::to_owned),
            text: written.unwrap_or_else(|| text.to_owned()),
        }
    }
}

/// Layout of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Sidebar, text, list of headings.
    #[default]
    Default,
    /// No list of headings; the text uses its space.
    Wide,
    /// Only the header; the page renders everything else itself, without a title.
    Custom,
    /// The sidebar stays; the page renders everything else itself.
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

    /// Returns true if the page has a sidebar.
    pub fn has_sidebar(self) -> bool {
        !matches!(self, Self::Custom | Self::Center)
    }

    /// Returns true if the page has a list of headings.
    pub fn has_toc(self) -> bool {
        self == Self::Default
    }
}

/// Renders the article around its rendered body. `toc_inline` is the folded list of headings for
/// narrow screens.
pub fn article(view: &Article, toc_inline: &Markup, body: PreEscaped<&str>) -> Markup {
    if matches!(view.mode, Mode::Custom | Mode::Frame) {
        return html! { article.article { div.prose.canvas.mdx-content id="content" { (body) } } };
    }
    html! {
        article.article {
            (article_header(view))
            (toc_inline)
            div.prose.mdx-content id="content" { (body) }
            (page_foot(&view.foot))
        }
    }
}

fn article_header(view: &Article) -> Markup {
    html! {
        header.article-header id="header" {
            @if let Some(line) = &view.eyebrow { (eyebrow(line)) }
            div.article-title {
                @if let Some(title) = &view.title {
                    h1 id="page-title" {
                        (title)
                        @if let Some(tag) = &view.tag { " " (tag_pill(tag)) }
                        @if view.deprecated { " " (deprecated_pill()) }
                        @if let Some(version) = &view.version { " " (plain_pill(version)) }
                    }
                }
                (page_menu(&view.menu))
            }
            @if let Some(html) = &view.lead { p.lead { (PreEscaped(html)) } }
            @else if let Some(text) = &view.description { p.lead { (text) } }
            @if let Some((method, path)) = &view.operation {
                p.operation-line { (method_badge(method, "method-pill")) code { (path) } }
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
    fn days_are_written_for_people_and_other_words_stay() {
        let shown = |text: &str| {
            let LastModified { iso, text } = LastModified::of_text(text);
            (iso.unwrap_or_default(), text)
        };
        let day = ("2026-01-02".to_owned(), "2 January 2026".to_owned());
        assert_eq!(shown("2026-01-02"), day);
        assert_eq!(shown("2026-01-02T10:00:00Z"), day);
        for text in ["Spring 2026", "2026-13-02", "2026-01-023", "über Nacht"] {
            assert_eq!(shown(text), (String::new(), text.to_owned()));
        }
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
