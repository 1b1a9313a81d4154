//! The document around a page: the head and the two ends of the body.
//!
//! A page is put together from strings rendered at different times, so the document comes as an opening and a closing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::path::encode_path;
use crate::render::colour::{Rgb, ink_on, readable_on};
use crate::render::theme::{ANTI_FLASH, asset_url};

/// Everything the head of a page says.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Language of the text: `en`, `pt-BR`.
    pub lang: String,
    /// Writing direction.
    pub dir: Direction,
    /// Title of the page, without the site's name.
    pub title: String,
    /// One sentence for search engines.
    pub description: Option<String>,
    /// The full address of the page.
    pub canonical: Option<String>,
    /// Whether search engines are asked to leave the page out.
    pub noindex: bool,
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
    /// The brand colours.
    pub accent: Accent,
    /// Ground of the page, where the site sets it.
    pub background: Background,
    /// Typefaces, where the site sets them.
    pub fonts: Fonts,
    /// The theme of a reader who has not chosen one.
    pub appearance_default: Appearance,
    /// Whether the reader may not choose.
    pub appearance_strict: bool,
    /// Present while an author previews the site.
    pub preview: Option<PreviewInfo>,
    /// Addresses of the site's own stylesheets.
    pub extra_css: Vec<String>,
    /// Addresses of the site's own scripts.
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
    /// As the reader's system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The brand colours as `#rrggbb`. Anything that is not a colour is left to the theme.
#[derive(Clone, Debug, Default)]
pub struct Accent {
    /// The brand colour.
    pub primary: String,
    /// Emphasis on dark ground.
    pub light: Option<String>,
    /// Buttons and hovering.
    pub dark: Option<String>,
}

/// Ground colours as `#rrggbb`.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// In the light theme.
    pub light: Option<String>,
    /// In the dark theme.
    pub dark: Option<String>,
}

/// Typefaces of the site.
#[derive(Clone, Debug, Default)]
pub struct Fonts {
    /// Headings.
    pub heading: Option<Font>,
    /// Everything else.
    pub body: Option<Font>,
}

/// One typeface.
#[derive(Clone, Debug, Default)]
pub struct Font {
    /// Family name.
    pub family: String,
    /// Weight between 100 and 900.
    pub weight: Option<u16>,
    /// Address of its file; without one it is used where the reader has it installed.
    pub source: Option<String>,
    /// `woff2` or `woff`.
    pub format: Option<String>,
}

/// What the page under preview must tell the server when it asks for changes.
#[derive(Clone, Debug)]
pub struct PreviewInfo {
    /// Proof that this page came from this server.
    pub token: String,
    /// Route of the page, unescaped.
    pub route: String,
    /// Digest of what is shown.
    pub digest: String,
}

/// Draws the document up to and including the skip link at the start of the body.
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
        html lang=(document.lang) dir=(dir) data-theme=[theme] data-strict[document.appearance_strict] {
            (head(document))
            body { a.skip-link href="#content" { "Skip to content" } }
        }
    }
    .into_string();
    opening.push_str(root.trim_end_matches("</body></html>"));
    opening
}

/// Draws the end of the document.
pub fn close(document: &Document) -> String {
    let scripts = html! {
        @for url in &document.extra_js { script src=(url) defer {} }
        @if document.preview.is_some() { script src=(asset_url("reload.js")) defer {} }
    };
    format!("{}</body></html>\n", scripts.into_string())
}

/// Draws the head.
pub fn head(document: &Document) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (full_title(document)) }
            @if let Some(description) = &document.description { meta name="description" content=(description); }
            @if document.noindex { meta name="robots" content="noindex"; }
            @if let Some(url) = &document.canonical { link rel="canonical" href=(url); }
            @for (name, content) in &document.meta {
                @if name.starts_with("og:") || name.starts_with("article:") {
                    meta property=(name) content=(content);
                } @else {
                    meta name=(name) content=(content);
                }
            }
            meta name="color-scheme" content="light dark";
            (favicons(document))
            script { (PreEscaped(ANTI_FLASH)) }
            link rel="stylesheet" href=(document.css_url);
            style { (PreEscaped(site_style(document))) }
            @for url in &document.extra_css { link rel="stylesheet" href=(url); }
            script src=(document.js_url) defer {}
            @if let Some(preview) = &document.preview {
                meta name="quire-preview" content=(preview_json(preview));
            }
        }
    }
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
            (None, None) => {}
        }
    }
}

/// The custom properties a site sets. Only checked colours and names reach the stylesheet.
fn site_style(document: &Document) -> String {
    let light_ground = document.background.light.as_deref().and_then(Rgb::parse);
    let dark_ground = document.background.dark.as_deref().and_then(Rgb::parse);
    let mut style = String::from(":root{");
    if let Some(primary) = Rgb::parse(&document.accent.primary) {
        let light = document
            .accent
            .light
            .as_deref()
            .and_then(Rgb::parse)
            .unwrap_or(primary);
        let dark = document
            .accent
            .dark
            .as_deref()
            .and_then(Rgb::parse)
            .unwrap_or(primary);
        let on_light = readable_on(primary, light_ground.unwrap_or(Rgb(0xf6, 0xf7, 0xf8)));
        let on_dark = readable_on(light, dark_ground.unwrap_or(Rgb(0x17, 0x19, 0x1d)));
        style.push_str(&format!(
            "--primary:{};--primary-light:{};--primary-dark:{};--accent-on-light:{};--accent-on-dark:{};--button:{};--on-button:{};",
            primary.hex(),
            light.hex(),
            dark.hex(),
            on_light.hex(),
            on_dark.hex(),
            dark.hex(),
            ink_on(dark).hex(),
        ));
    }
    if let Some(ground) = light_ground {
        style.push_str(&format!("--ground-light:{};", ground.hex()));
    }
    if let Some(ground) = dark_ground {
        style.push_str(&format!("--ground-dark:{};", ground.hex()));
    }
    for (part, font) in [
        ("body", &document.fonts.body),
        ("heading", &document.fonts.heading),
    ] {
        if let Some(font) = font {
            style.push_str(&format!(
                "--font-{part}:\"{}\",var(--font-sans);",
                css_word(&font.family)
            ));
            if let Some(weight) = font.weight {
                style.push_str(&format!("--weight-{part}:{weight};"));
            }
        }
    }
    style.push('}');
    for font in [&document.fonts.body, &document.fonts.heading]
        .into_iter()
        .flatten()
    {
        if let Some(source) = &font.source {
            style.push_str(&font_face(font, source));
        }
    }
    style
}

fn font_face(font: &Font, source: &str) -> String {
    let format = match font.format.as_deref() {
        Some("woff") => "woff",
        _ => "woff2",
    };
    let weight = font
        .weight
        .map_or(String::from("100 900"), |weight| weight.to_string());
    format!(
        "@font-face{{font-family:\"{}\";src:url(\"{}\") format(\"{format}\");font-weight:{weight};font-display:swap}}",
        css_word(&font.family),
        css_url(source),
    )
}

/// `text` without anything that could end a quoted CSS string.
fn css_word(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric() || " -_".contains(*character))
        .collect()
}

/// `url` without anything that could end a quoted CSS string or a style element.
fn css_url(url: &str) -> String {
    url.chars()
        .filter(|character| !character.is_control() && !"\"'\\<>".contains(*character))
        .collect()
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
        assert!(html.ends_with("Skip to content</a>"));
        assert!(html.contains("<title>A &lt;b&gt; - Museum</title>"));
        assert!(close(&document()).ends_with("</body></html>\n"));
    }

    #[test]
    fn a_site_cannot_end_the_style_element() {
        let mut document = document();
        document.accent.primary = "red</style><script>".into();
        document.background.light = Some("}</style>".into());
        document.fonts.body = Some(Font {
            family: "X\"}</style>".into(),
            source: Some("/f.woff2\")</style>".into()),
            ..Font::default()
        });
        let style = site_style(&document);
        assert!(!style.contains('<'), "{style}");
        assert!(!style.contains("--primary"), "{style}");
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
