//! The ground that code stands on, and which the theme of another highlighter asks for.

/// Light or dark ground for code, whatever the page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeScheme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Words in the names of light themes. They count more than those of [`DARK`]: `material-theme-lighter` is light.
const LIGHT: &[&str] = &["light", "latte", "dawn", "lotus", "ochin"];

/// Words in the names of the themes of Shiki that are dark and have no `light` in them.
const DARK: &[&str] = &[
    "andromeeda",
    "aurora",
    "black",
    "dark",
    "dimmed",
    "dracula",
    "dragon",
    "frappe",
    "houston",
    "laserwave",
    "macchiato",
    "material-theme",
    "mocha",
    "monokai",
    "moon",
    "night",
    "nord",
    "plastic",
    "poimandres",
    "red",
    "rose-pine",
    "synthwave",
    "vesper",
    "wave",
];

impl CodeScheme {
    /// The ground of the theme that authors call `name`. There is one set of colors for either
    /// ground, so a theme only says which of the two it is; none for `system`, `css-variables` and
    /// unknown names.
    pub fn of_theme(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        // An object that names a theme for each mode follows the mode.
        if name.contains(':') {
            None
        } else if has(LIGHT) {
            Some(Self::Light)
        } else if has(DARK) {
            Some(Self::Dark)
        } else {
            None
        }
    }

    /// Name in the markup and in stylesheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_theme(name: &str, scheme: Option<CodeScheme>) {
        assert_eq!(CodeScheme::of_theme(name), scheme, "{name}");
    }

    #[test]
    fn themes_are_light_or_dark_or_as_the_page() {
        check_theme("dark", Some(CodeScheme::Dark));
        check_theme("github-dark-dimmed", Some(CodeScheme::Dark));
        check_theme("Dracula", Some(CodeScheme::Dark));
        check_theme("rose-pine-moon", Some(CodeScheme::Dark));
        check_theme("rose-pine-dawn", Some(CodeScheme::Light));
        check_theme("material-theme-lighter", Some(CodeScheme::Light));
        check_theme("min-light", Some(CodeScheme::Light));
        check_theme("system", None);
        check_theme("css-variables", None);
        check_theme("klingon", None);
    }
}
