//! Colors and typefaces of a site, as a stylesheet of custom properties.

use crate::code_scheme::CodeScheme;
use crate::color::{Rgb, button_on, readable_on};

/// The brand colors as `#rrggbb`. Anything that is not a color is left to the theme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accent {
    /// The brand color.
    pub primary: String,
    /// Emphasis on dark ground.
    pub light: Option<String>,
    /// Buttons and hovering.
    pub dark: Option<String>,
}

/// Background of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Background {
    /// Color as `#rrggbb`, in the light theme.
    pub light: Option<String>,
    /// Color as `#rrggbb`, in the dark theme.
    pub dark: Option<String>,
    /// Name of a pattern.
    pub decoration: Option<&'static str>,
    /// Addresses of a picture, in the light and in the dark theme.
    pub image: Option<[String; 2]>,
}

/// Typefaces of the site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fonts {
    /// Headings.
    pub heading: Option<Font>,
    /// Everything else.
    pub body: Option<Font>,
}

/// One typeface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// The ground of code on light and on dark pages, where it is not that of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeGrounds {
    /// On light pages.
    pub light: Option<CodeScheme>,
    /// On dark pages.
    pub dark: Option<CodeScheme>,
}

/// The rule that puts code on the grounds a site wants; none where code follows the page.
pub fn code_style(grounds: CodeGrounds) -> &'static str {
    let light = grounds.light.unwrap_or(CodeScheme::Light);
    let dark = grounds.dark.unwrap_or(CodeScheme::Dark);
    match (light, dark) {
        (CodeScheme::Light, CodeScheme::Dark) => "",
        (CodeScheme::Light, CodeScheme::Light) => ":where(.code-block){color-scheme:light}",
        (CodeScheme::Dark, CodeScheme::Dark) => ":where(.code-block){color-scheme:dark}",
        (CodeScheme::Dark, CodeScheme::Light) => {
            ":where(.code-block){color-scheme:dark}:where(:root.dark .code-block){color-scheme:light}"
        }
    }
}

/// The custom properties a site sets. Only checked colors and names reach the stylesheet.
pub fn site_style(accent: &Accent, background: &Background, fonts: &Fonts) -> String {
    let light_ground = background.light.as_deref().and_then(Rgb::parse);
    let dark_ground = background.dark.as_deref().and_then(Rgb::parse);
    let mut style = String::from(":root{");
    if let Some(primary) = Rgb::parse(&accent.primary) {
        let light = accent
            .light
            .as_deref()
            .and_then(Rgb::parse)
            .unwrap_or(primary);
        let dark = accent
            .dark
            .as_deref()
            .and_then(Rgb::parse)
            .unwrap_or(primary);
        let on_light = readable_on(primary, light_ground.unwrap_or(Rgb(0xf6, 0xf7, 0xf8)));
        let on_dark = readable_on(light, dark_ground.unwrap_or(Rgb(0x17, 0x19, 0x1d)));
        let light_grounds = [light_ground.unwrap_or(Rgb::WHITE), Rgb::WHITE];
        let dark_grounds = [
            dark_ground.unwrap_or(Rgb(0x0d, 0x0e, 0x11)),
            Rgb(0x17, 0x19, 0x1d),
        ];
        let button_light = button_on(&[dark, primary], &light_grounds);
        let button_dark = button_on(&[dark, primary, light], &dark_grounds);
        style.push_str(&format!(
            "--primary:{};--primary-light:{};--primary-dark:{};--accent-on-light:{};--accent-on-dark:{};--button:light-dark({},{});--on-button:light-dark({},{});",
            primary.triplet(),
            light.triplet(),
            dark.triplet(),
            on_light.hex(),
            on_dark.hex(),
            button_light.0.hex(),
            button_dark.0.hex(),
            button_light.1.hex(),
            button_dark.1.hex(),
        ));
    }
    if let Some(ground) = light_ground {
        style.push_str(&format!("--background-light:{};", ground.triplet()));
    }
    if let Some(ground) = dark_ground {
        style.push_str(&format!("--background-dark:{};", ground.triplet()));
    }
    for (part, font) in [("body", &fonts.body), ("heading", &fonts.heading)] {
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
    if let Some(image) = &background.image {
        for (theme, address) in ["light", "dark"].iter().zip(image) {
            style.push_str(&format!(
                "--backdrop-{theme}:url(\"{}\");",
                css_url(address)
            ));
        }
    }
    style.push('}');
    for font in [&fonts.body, &fonts.heading].into_iter().flatten() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_on_the_ground_of_its_theme() {
        let style = |light, dark| {
            code_style(CodeGrounds {
                light: CodeScheme::of_theme(light),
                dark: CodeScheme::of_theme(dark),
            })
        };
        assert_eq!(style("system", "system"), "");
        assert_eq!(style("github-light", "github-dark"), "");
        assert_eq!(
            style("dark", "dark"),
            ":where(.code-block){color-scheme:dark}"
        );
        assert_eq!(
            style("min-light", "min-light"),
            ":where(.code-block){color-scheme:light}"
        );
        assert!(style("nord", "min-light").contains(":root.dark"));
    }

    #[test]
    fn a_site_cannot_end_the_style_element() {
        let accent = Accent {
            primary: "red</style><script>".into(),
            ..Accent::default()
        };
        let background = Background {
            light: Some("}</style>".into()),
            image: Some(["/a\")}</style>".into(), String::new()]),
            ..Background::default()
        };
        let fonts = Fonts {
            heading: None,
            body: Some(Font {
                family: "X\"}</style>".into(),
                source: Some("/f.woff2\")</style>".into()),
                ..Font::default()
            }),
        };
        let style = site_style(&accent, &background, &fonts);
        assert!(!style.contains('<'), "{style}");
        assert!(!style.contains("--primary"), "{style}");
    }
}
