//! The typefaces that come with the theme: Inter for text, JetBrains Mono for code. A site that names typefaces of its own
//! gets none of them, unless it names Inter.

use crate::site_style::Fonts;

/// A file of a typeface.
struct File {
    family: &'static str,
    asset: &'static str,
    weights: &'static str,
    range: &'static str,
}

const LATIN: &str = "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD";
const LATIN_EXT: &str = "U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF";

const fn file(
    family: &'static str,
    asset: &'static str,
    weights: &'static str,
    range: &'static str,
) -> File {
    File {
        family,
        asset,
        weights,
        range,
    }
}

const FILES: &[File] = &[
    file("Inter", "inter-latin-ext.woff2", "100 900", LATIN_EXT),
    file("Inter", "inter-latin.woff2", "100 900", LATIN),
    file(
        "JetBrains Mono",
        "jetbrains-mono-latin-ext.woff2",
        "100 800",
        LATIN_EXT,
    ),
    file(
        "JetBrains Mono",
        "jetbrains-mono-latin.woff2",
        "100 800",
        LATIN,
    ),
];

/// Faces that every system has, stretched to the widths and heights of ours: nothing moves when ours arrive. The figures are
/// those of the files: ascent and descent of Inter are 0.96875 and 0.24121 em, and Arial is 0.934 as wide; JetBrains Mono is as
/// wide as Courier New, with 1.02 and 0.3 em.
const FALLBACKS: &str = "@font-face{font-family:\"Inter Fallback\";src:local(\"Arial\"),local(\"Liberation Sans\"),local(\"Helvetica\");size-adjust:107.12%;ascent-override:90.44%;descent-override:22.52%;line-gap-override:0%}\
    @font-face{font-family:\"JetBrains Mono Fallback\";src:local(\"Courier New\"),local(\"Liberation Mono\"),local(\"Menlo\");ascent-override:102%;descent-override:30%;line-gap-override:0%}";

/// Families of ours that a site with `fonts` uses.
fn families(fonts: &Fonts) -> &'static [&'static str] {
    let is_inter = |font: &crate::site_style::Font| font.family == "Inter" && font.source.is_none();
    let named: Vec<_> = [&fonts.body, &fonts.heading]
        .into_iter()
        .flatten()
        .collect();
    match named.is_empty() {
        true => &["Inter", "JetBrains Mono"],
        false if named.into_iter().any(is_inter) => &["Inter"],
        false => &[],
    }
}

/// Returns true if a site with `fonts` uses the file called `asset`.
pub fn is_used(fonts: &Fonts, asset: &str) -> bool {
    let families = families(fonts);
    (FILES.iter()).any(|file| file.asset == asset && families.contains(&file.family))
}

/// The rules of the typefaces that a site with `fonts` uses; `href` makes the address of an asset.
pub fn faces(fonts: &Fonts, href: impl Fn(&str) -> String) -> String {
    let families = families(fonts);
    if families.is_empty() {
        return String::new();
    }
    let mut style = String::from(FALLBACKS);
    for file in FILES.iter().filter(|file| families.contains(&file.family)) {
        style.push_str(&format!(
            "@font-face{{font-family:\"{}\";src:url(\"{}\") format(\"woff2\");font-weight:{};font-display:swap;unicode-range:{}}}",
            file.family,
            href(file.asset),
            file.weights,
            file.range,
        ));
    }
    let variables = [
        "sans:\"Inter\",\"Inter Fallback\"",
        "mono:\"JetBrains Mono\",\"JetBrains Mono Fallback\"",
    ];
    style.push_str(":root{");
    for (family, variable) in ["Inter", "JetBrains Mono"].iter().zip(variables) {
        if families.contains(family) {
            style.push_str(&format!(
                "--font-{variable},{};",
                match *family {
                    "Inter" => "ui-sans-serif,system-ui,sans-serif",
                    _ => "ui-monospace,monospace",
                }
            ));
        }
    }
    style.push('}');
    style
}

/// The asset that the first line of a page needs, where the site uses it.
pub fn first(fonts: &Fonts) -> Option<&'static str> {
    families(fonts)
        .contains(&"Inter")
        .then_some("inter-latin.woff2")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site_style::Font;

    fn named(family: &str, source: Option<&str>) -> Fonts {
        Fonts {
            body: Some(Font {
                family: family.into(),
                source: source.map(str::to_owned),
                ..Font::default()
            }),
            ..Fonts::default()
        }
    }

    #[test]
    fn a_site_with_a_typeface_of_its_own_gets_none_of_ours() {
        let href = |name: &str| format!("/{name}");
        assert_eq!(faces(&named("Geist", None), href), "");
        assert_eq!(faces(&named("Inter", Some("/own.woff2")), href), "");
        let inter = faces(&named("Inter", None), href);
        assert!(inter.contains("/inter-latin.woff2") && !inter.contains("/jetbrains"));
        let ours = faces(&Fonts::default(), href);
        for file in FILES {
            assert!(ours.contains(file.asset) && is_used(&Fonts::default(), file.asset));
            assert!(
                crate::assets::ASSETS
                    .iter()
                    .any(|asset| asset.name == file.asset)
            );
        }
        assert!(!is_used(&named("Geist", None), "inter-latin.woff2"));
        assert!(!is_used(&Fonts::default(), "quire.css"));
    }
}
