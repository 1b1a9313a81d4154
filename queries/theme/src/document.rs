//! The document around a page: the head and the two ends of the body.
//!
//! A page is put together from strings rendered at different times, so the document comes as an opening and a closing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::ask::{AskView, ask_meta};
use crate::assets::{ANTI_FLASH, asset_url};
use crate::color::{Rgb, contrast};
use crate::search::{SearchView, search_meta};
use crate::site_style::{Accent, Background, CodeGrounds, Fonts, code_style, site_style};
use crate::vendors::{VendorsView, vendors_meta};
use crate::words::{self, Word};
use base::path::encode_path;

/// Everything the head of a page says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Language of the text: `en`, `pt-BR`.
    pub lang: String,
    /// Writing direction.
    pub dir: Direction,
    /// Path of the page below the site's own, with a slash before it.
    pub path: String,
    /// Title of the page, without the site's name.
    pub title: String,
    /// One sentence for search engines.
    pub description: Option<String>,
    /// The full address of the page.
    pub canonical: Option<String>,
    /// Whether search engines are asked to leave the page out.
    pub noindex: bool,
    /// The page in other languages and in its own: language (BCP 47, or `x-default`) and absolute
    /// URL.
    pub alternates: Vec<(String, String)>,
    /// Address of the feed of the page.
    pub feed: Option<String>,
    /// Structured data for search engines: JSON-LD, escaped for a script by [`script_json`].
    pub structured_data: Option<String>,
    /// Further meta tags: name or property (`og:…` and `article:…` are properties), and content.
    pub meta: Vec<(String, String)>,
    /// Name of the site.
    pub site_name: String,
    /// Address of the stylesheet.
    pub css_url: String,
    /// Address of the script.
    pub js_url: String,
    /// Icon on light ground, or on any ground.
    pub favicon_light: Option<String>,
    /// Icon on dark ground.
    pub favicon_dark: Option<String>,
    /// The brand colors.
    pub accent: Accent,
    /// Name of the theme: `mint`.
    pub theme: &'static str,
    /// Address of the stylesheet that makes the theme what it is; the plainest has none.
    pub theme_css_url: Option<String>,
    /// Background of the page, where the site sets it.
    pub background: Background,
    /// Whether to open a group of the sidebar leads to its first page.
    pub has_drilldown: bool,
    /// Ground of code, where it is not that of the page.
    pub code_grounds: CodeGrounds,
    /// Typefaces, where the site sets them.
    pub fonts: Fonts,
    /// The rules of typefaces that come with the theme.
    pub faces: String,
    /// Address of the typeface that the first line is set in.
    pub first_face: Option<String>,
    /// Theme for readers that have not chosen one.
    pub appearance_default: Appearance,
    /// Whether the reader may not choose.
    pub appearance_strict: bool,
    /// Configuration of the search dialog; without it there is none.
    pub search: Option<SearchView>,
    /// Configuration of the assistant panel; without it there is none.
    pub ask: Option<AskView>,
    /// Third-party services that the page loads; empty if the site names none.
    pub vendors: Option<VendorsView>,
    /// The Content-Security-Policy of the page.
    pub policy: Option<String>,
    /// Whether a server sends the policy; otherwise it is in the page.
    pub is_policy_sent: bool,
    /// Reporting of views without a page load, and of searches: URL of the script, and the path
    /// that it sends to.
    pub counts: Option<[String; 2]>,
    /// Present while an author previews the site.
    pub preview: Option<PreviewInfo>,
    /// The rules of the utility classes of the page.
    pub styles: String,
    /// Addresses of the site's own stylesheets.
    pub extra_css: Vec<String>,
    /// Addresses of the site's own scripts, which run in this order when the page was read.
    pub extra_js: Vec<String>,
}

/// Writing direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Left to right.
    #[default]
    Ltr,
    /// Right to left.
    Rtl,
}

/// A theme, or the system's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Appearance {
    /// Setting of the reader's system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Data that a page under preview sends to the server when it asks for changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewInfo {
    /// Proof that this page came from this server.
    pub token: String,
    /// Route of the page, unescaped.
    pub route: String,
    /// Digest of what is shown.
    pub digest: String,
}

/// Renders the document up to and including the skip link at the start of the body.
pub fn open(document: &Document) -> String {
    let dir = match document.dir {
        Direction::Ltr => "ltr",
        Direction::Rtl => "rtl",
    };
    let theme = match document.appearance_default {
        Appearance::System => None,
        Appearance::Light => Some("light"),
        Appearance::Dark => Some("dark"),
    };
    let mut opening = html! { (DOCTYPE) }.into_string();
    let root = html! {
        // The class is kept in step by the script; where none runs it says what the site has chosen.
        html class=[theme.filter(|theme| *theme == "dark")] lang=(document.lang) dir=(dir) data-theme=[theme] data-strict[document.appearance_strict]
            data-theme-name=[Some(document.theme).filter(|name| !name.is_empty())] data-drilldown[document.has_drilldown]
            data-current-path=[Some(&document.path).filter(|path| !path.is_empty())] {
            (head(document))
            body {
                a.skip-link href="#quire-content" { (Word::Skip) }
                div.background id="background-color" aria-hidden="true" data-decoration=[document.background.decoration]
                    data-image[document.background.image.is_some()] {}
            }
        }
    }
    .into_string();
    opening.push_str(root.trim_end_matches("</body></html>"));
    opening
}

/// Renders the end of the document.
pub fn close(document: &Document) -> String {
    let scripts = html! {
        @if document.preview.is_some() { script src=(asset_url("reload.js")) defer {} }
    };
    format!("{}</body></html>\n", scripts.into_string())
}

/// Renders the head.
pub fn head(document: &Document) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            // Before anything that it is about.
            @if let Some(policy) = document.policy.as_ref().filter(|_| !document.is_policy_sent) {
                meta http-equiv="Content-Security-Policy" content=(policy);
            }
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (full_title(document)) }
            @if let Some(description) = &document.description { meta name="description" content=(description); }
            @if document.noindex { meta name="robots" content="noindex"; }
            @if let Some(url) = &document.canonical { link rel="canonical" href=(url); }
            @for (language, url) in &document.alternates {
                link rel="alternate" hreflang=(language) href=(url);
            }
            @if let Some(feed) = &document.feed {
                link rel="alternate" type="application/rss+xml" title=(full_title(document)) href=(feed);
            }
            @for (name, content) in &document.meta {
                @if name.starts_with("og:") || name.starts_with("article:") {
                    meta property=(name) content=(content);
                } @else {
                    meta name=(name) content=(content);
                }
            }
            @if let Some(data) = &document.structured_data {
                script type="application/ld+json" { (PreEscaped(data)) }
            }
            meta name="color-scheme" content="light dark";
            (favicons(document))
            script { (PreEscaped(ANTI_FLASH)) }
            @if let Some(url) = &document.first_face {
                link rel="preload" href=(url) as="font" type="font/woff2" crossorigin;
            }
            link rel="stylesheet" href=(document.css_url);
            @if let Some(url) = &document.theme_css_url { link rel="stylesheet" href=(url); }
            style { (PreEscaped(&document.faces)) (PreEscaped(site_style(&document.accent, &document.background, &document.fonts))) (PreEscaped(code_style(document.code_grounds))) }
            // After the theme and before the site's own, so that each wins over the one before.
            @if !document.styles.is_empty() { style data-live="styles" { (PreEscaped(&document.styles)) } }
            @for url in &document.extra_css { link rel="stylesheet" href=(url); }
            @if let Some(words) = words::of_scripts(&document.lang, document.preview.is_some()) {
                script type="application/json" id="quire-words" { (PreEscaped(words)) }
            }
            script src=(document.js_url) defer {}
            @if let Some(search) = &document.search { (search_meta(search)) }
            @if let Some(ask) = &document.ask { (ask_meta(ask)) }
            @if let Some(vendors) = &document.vendors { (vendors_meta(vendors)) }
            @if let Some([script, to]) = &document.counts { script src=(script) defer data-to=(to) {} }
            // In the head, so that they are part of the digest of a page.
            @for url in &document.extra_js { script src=(url) defer {} }
            @if let Some(preview) = &document.preview {
                meta name="quire-preview" content=(preview_json(preview));
            }
        }
    }
}

/// Returns JSON that is safe in a script: nothing in it ends the script or begins a comment.
pub fn script_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            c => escaped.push(c),
        }
    }
    escaped
}

fn full_title(document: &Document) -> String {
    if document.title.is_empty() || document.title == document.site_name {
        return document.site_name.clone();
    }
    format!("{} - {}", document.title, document.site_name)
}

fn favicons(document: &Document) -> Markup {
    html! {
        @match (&document.favicon_light, &document.favicon_dark) {
            (Some(light), Some(dark)) if light != dark => {
                link rel="icon" href=(light) media="(prefers-color-scheme: light)";
                link rel="icon" href=(dark) media="(prefers-color-scheme: dark)";
            }
            (Some(any), _) | (None, Some(any)) => { link rel="icon" href=(any); }
            (None, None) => { link rel="icon" href=(initial_icon(&document.site_name, &document.accent.primary)); }
        }
    }
}

/// An icon for a site that has none: its first letter on its color, as an address that holds the picture. Without one browsers
/// ask for `/favicon.ico`, and tabs of several sites look alike.
fn initial_icon(name: &str, color: &str) -> String {
    let initial = name.chars().find(|c| c.is_alphanumeric());
    let initial = initial
        .map(|c| c.to_uppercase().to_string())
        .unwrap_or_default();
    let (white, black) = (Rgb::WHITE, Rgb::BLACK);
    let ground = Rgb::parse(color).unwrap_or(black);
    let is_light = contrast(ground, black) > contrast(ground, white);
    let ink = if is_light { "#000" } else { "#fff" };
    let picture = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='{color}'/><text x='16' y='23' font-family='sans-serif' font-size='20' font-weight='700' text-anchor='middle' fill='{ink}'>{initial}</text></svg>"
    );
    let mut address = String::from("data:image/svg+xml,");
    for c in picture.chars() {
        match c {
            '#' => address.push_str("%23"),
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '%' => address.push_str("%25"),
            c => address.push(c),
        }
    }
    address
}

fn preview_json(preview: &PreviewInfo) -> String {
    // Percent-encoded values hold neither quotes nor backslashes, so the JSON needs no further escaping.
    let value = |text: &str| {
        encode_path(text)
            .replace('&', "%26")
            .replace('+', "%2B")
            .replace('=', "%3D")
    };
    let digest = value(&preview.digest);
    format!(
        r#"{{"events":"/_quire/events?token={}&route={}&digest={digest}","digest":"{digest}"}}"#,
        value(&preview.token),
        value(&preview.route),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        Document {
            lang: "en".into(),
            title: "A <b>".into(),
            site_name: "Museum".into(),
            ..Document::default()
        }
    }

    #[test]
    fn the_opening_ends_inside_the_body() {
        let html = open(&document());
        assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\" dir=\"ltr\">"));
        let end =
            "</a><div class=\"background\" id=\"background-color\" aria-hidden=\"true\"></div>";
        assert!(html.ends_with(&format!("{}{end}", Word::Skip.marker())));
        assert!(html.contains("<title>A &lt;b&gt; - Museum</title>"));
        assert!(close(&document()).ends_with("</body></html>\n"));
    }

    #[test]
    fn a_site_without_an_icon_has_its_initial() {
        let mut document = document();
        document.site_name = "· über & mehr".into();
        document.accent.primary = "#0a7a5a".into();
        let html = open(&document);
        let icon = r#"<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"#;
        assert!(html.contains(icon), "{html}");
        assert!(
            html.contains("fill='%230a7a5a'/%3E") && html.contains("%3EÜ%3C/text%3E"),
            "{html}"
        );
        document.favicon_light = Some("/icon.svg".into());
        let html = open(&document);
        assert!(
            html.contains(r#"<link rel="icon" href="/icon.svg">"#),
            "{html}"
        );
        assert!(!html.contains("data:image"), "{html}");
    }

    #[test]
    fn preview_is_told_where_to_listen() {
        let mut document = document();
        document.preview = Some(PreviewInfo {
            token: "t&1".into(),
            route: "/a b".into(),
            digest: "00ff".into(),
        });
        let html = open(&document);
        assert!(
            html.contains("/_quire/events?token=t%261&amp;route=/a%20b&amp;digest=00ff"),
            "{html}"
        );
        assert!(close(&document).contains("/_theme/reload."));
    }
}
