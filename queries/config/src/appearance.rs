//! Appearance of the site: theme, colors, logo, fonts, icons, background, code blocks, thumbnails.

use serde_json::Value;

use crate::decode::{Color, Decode, Href, Log, Node, OneOrMany, Pairs, Thousandths, record, words};

words! {
    /// The layout of the site.
    pub enum ThemeName {
        Mint = "mint",
        Maple = "maple",
        Palm = "palm",
        Willow = "willow",
        Linden = "linden",
        Almond = "almond",
        Aspen = "aspen",
        Luma = "luma",
        Sequoia = "sequoia",
    }
}

/// The colors of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colors {
    /// The main color.
    pub primary: Color,
    /// Emphasis in dark mode.
    pub light: Option<Color>,
    /// Buttons and hovering.
    pub dark: Option<Color>,
}

impl Default for Colors {
    fn default() -> Self {
        Self {
            primary: Color::new("#16794c").expect("six hexadecimal digits"),
            light: None,
            dark: None,
        }
    }
}

impl Decode for Colors {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let mut fields = node.fields(log)?;
        let primary = fields.required("primary");
        let light = fields.optional("light");
        let dark = fields.optional("dark");
        fields.finish();
        Some(Self {
            primary: primary.unwrap_or_else(|| Self::default().primary),
            light,
            dark,
        })
    }
}

/// A value for both modes, or one for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerMode<T> {
    /// On light pages.
    pub light: T,
    /// On dark pages.
    pub dark: T,
}

impl<T: Decode + Clone> Decode for PerMode<T> {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if !node.value.is_object() {
            let both = T::decode(node, log)?;
            return Some(Self {
                light: both.clone(),
                dark: both,
            });
        }
        let mut fields = node.fields(log)?;
        let light = fields.required::<T>("light");
        let dark = fields.required::<T>("dark");
        fields.finish();
        // One alone is an error, and then stands for both.
        let fallback = light.clone().or_else(|| dark.clone())?;
        Some(Self {
            light: light.unwrap_or_else(|| fallback.clone()),
            dark: dark.unwrap_or(fallback),
        })
    }
}

/// A color for either mode. Written as one color, it stands for both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModeColors {
    /// On light pages.
    pub light: Option<Color>,
    /// On dark pages.
    pub dark: Option<Color>,
}

impl Decode for ModeColors {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if !node.value.is_object() {
            let color = Some(Color::decode(node, log)?);
            return Some(Self {
                light: color.clone(),
                dark: color,
            });
        }
        let mut fields = node.fields(log)?;
        let light = fields.optional("light");
        let dark = fields.optional("dark");
        fields.finish();
        Some(Self { light, dark })
    }
}

/// The logo in the navigation bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    /// The image.
    pub image: PerMode<String>,
    /// Destination; the home page when absent.
    pub href: Option<Href>,
}

impl Decode for Logo {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if !node.value.is_object() {
            let image = PerMode::decode(node, log)?;
            return Some(Self { image, href: None });
        }
        let mut fields = node.fields(log)?;
        let light = fields.required::<String>("light");
        let dark = fields.required::<String>("dark");
        let href = fields.optional("href");
        fields.finish();
        let fallback = light.clone().or_else(|| dark.clone())?;
        let image = PerMode {
            light: light.unwrap_or_else(|| fallback.clone()),
            dark: dark.unwrap_or(fallback),
        };
        Some(Self { image, href })
    }
}

words! {
    /// The mode a reader begins in.
    pub enum Mode { System = "system", Light = "light", Dark = "dark" }
}

record! {
    /// Light and dark mode.
    pub struct Appearance: Default {
        /// The mode a reader begins in.
        pub mode: Mode = standard "default",
        /// Whether the toggle is hidden.
        pub strict: bool = standard "strict",
    }
}

words! {
    /// The format of a font file.
    pub enum FontFormat { Woff2 = "woff2", Woff = "woff" }
}

record! {
    /// One font.
    pub struct Font: Default {
        /// The family; a family of Google Fonts needs no source.
        pub family: Option<String> = optional "family",
        /// The weight.
        pub weight: Option<Thousandths> = optional "weight",
        /// The file or URL it comes from.
        pub source: Option<String> = optional "source",
        /// The format of the source.
        pub format: Option<FontFormat> = optional "format",
    }
}

record! {
    /// The fonts of the site.
    pub struct Fonts: Default {
        /// The family of all text.
        pub family: Option<String> = optional "family",
        /// Weight.
        pub weight: Option<Thousandths> = optional "weight",
        /// The file or URL it comes from.
        pub source: Option<String> = optional "source",
        /// The format of the source.
        pub format: Option<FontFormat> = optional "format",
        /// The font of headings.
        pub heading: Option<Font> = optional "heading",
        /// The font of everything else.
        pub body: Option<Font> = optional "body",
    }
}

words! {
    /// Icon library that names refer to.
    pub enum IconLibrary { FontAwesome = "fontawesome", Lucide = "lucide", Tabler = "tabler" }
}

record! {
    /// The icons of the site.
    pub struct Icons: Default {
        /// Icon library that names refer to.
        pub library: IconLibrary = standard "library",
    }
}

words! {
    /// A variant of an icon.
    pub enum IconStyle {
        Regular = "regular",
        Solid = "solid",
        Light = "light",
        Thin = "thin",
        Duotone = "duotone",
        Brands = "brands",
        SharpSolid = "sharp-solid",
        SharpRegular = "sharp-regular",
        SharpLight = "sharp-light",
        SharpThin = "sharp-thin",
        SharpDuotoneSolid = "sharp-duotone-solid",
    }
}

/// An icon: the name of one of a library, a URL, a path, or an inline SVG.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Icon {
    /// The name, URL, path or SVG.
    pub name: String,
    /// The variant.
    pub style: Option<IconStyle>,
    /// The library, if not that of the site.
    pub library: Option<IconLibrary>,
}

impl Decode for Icon {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        match node.value {
            Value::String(name) => Some(Self {
                // `fa-rocket` is how the library's own pages write it.
                name: name.strip_prefix("fa-").unwrap_or(name).to_owned(),
                style: None,
                library: None,
            }),
            Value::Object(_) => {
                let mut fields = node.fields(log)?;
                let name = fields.required::<String>("name");
                let style = fields.optional("style");
                let library = fields.optional("library");
                fields.finish();
                Some(Self {
                    name: name?,
                    style,
                    library,
                })
            }
            _ => {
                node.reject(log, "the name of an icon");
                None
            }
        }
    }
}

words! {
    /// A pattern behind the page.
    pub enum Decoration { Gradient = "gradient", Grid = "grid", Windows = "windows" }
}

record! {
    /// Background of the page.
    pub struct Background: Default {
        /// A pattern.
        pub decoration: Option<Decoration> = optional "decoration",
        /// The color in each mode.
        pub color: ModeColors = standard "color",
        /// An image.
        pub image: Option<PerMode<String>> = optional "image",
    }
}

words! {
    /// Line above the title of a page.
    pub enum Eyebrows { Section = "section", Breadcrumbs = "breadcrumbs" }
}

record! {
    /// Details of how pages look.
    pub struct Styling: Default {
        /// Line above the title of a page.
        pub eyebrows: Eyebrows = standard "eyebrows",
        /// Whether formulas are rendered; decided by the page when absent.
        pub latex: Option<bool> = optional "latex",
        /// Appearance of code blocks.
        pub codeblocks: CodeBlocks = standard "codeblocks",
    }
}

/// Appearance of code blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeBlocks {
    /// `system`, `dark`, or the name of a theme, for each mode; `system` when absent.
    pub theme: Option<PerMode<String>>,
    /// Grammars of languages the highlighter does not know.
    pub grammars: Vec<String>,
}

record! {
    /// Code blocks as an object.
    pub struct CodeBlockSection {
        /// The theme.
        pub theme: Option<PerMode<String>> = optional "theme",
        /// Further languages.
        pub languages: CodeBlockLanguages = standard "languages",
    }
}

record! {
    /// Languages the highlighter does not know.
    pub struct CodeBlockLanguages: Default {
        /// The paths of their grammars.
        pub custom: Vec<String> = standard "custom",
    }
}

impl Decode for CodeBlocks {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if node.value.is_object() {
            let section = CodeBlockSection::decode(node, log)?;
            return Some(Self {
                theme: section.theme,
                grammars: section.languages.custom,
            });
        }
        let theme = Some(PerMode::decode(node, log)?);
        Some(Self {
            theme,
            grammars: Vec::new(),
        })
    }
}

words! {
    /// The mode of generated preview images.
    pub enum ThumbnailMode { Light = "light", Dark = "dark" }
}

record! {
    /// The font of generated preview images.
    pub struct ThumbnailFonts: Default {
        /// The family.
        pub family: Option<String> = optional "family",
    }
}

record! {
    /// The preview images that are generated for each page.
    pub struct Thumbnails: Default {
        /// The mode; that of the site when absent.
        pub appearance: Option<ThumbnailMode> = optional "appearance",
        /// The image behind the title.
        pub background: Option<String> = optional "background",
        /// The font.
        pub fonts: ThumbnailFonts = standard "fonts",
    }
}

record! {
    /// One variant of the content that readers may choose.
    pub struct Variation {
        /// Stable name.
        pub id: String = required "id",
        /// Visible label.
        pub label: String = required "label",
    }
}

record! {
    /// Variants of the content (the willow theme only).
    pub struct Variations: Default {
        /// The choices.
        pub options: Vec<Variation> = standard "options",
    }
}

/// The values of `{{name}}`.
pub type Variables = Pairs<String>;

/// A text or several.
pub type Texts = OneOrMany<String>;
