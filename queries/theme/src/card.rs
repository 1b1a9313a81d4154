//! Picture of a page for link previews (Open Graph), as SVG.
//!
//! Two layers: the ground, which all pages of a site share, and the words of one page. How wide letters are, and which there
//! are, is told by whoever turns the SVG into pixels.

mod ground;
mod lines;

pub use ground::ground;

use crate::color::{Rgb, readable_on};
use crate::html::escaped;
use lines::{balanced, wrapped};
use serde::{Deserialize, Serialize};

/// Width in pixels.
pub const WIDTH: u32 = 1200;
/// Height in pixels.
pub const HEIGHT: u32 = 630;
/// Name of the logo of the site in the SVG of a ground.
pub const LOGO: &str = "logo";
/// Name of the picture behind the words in the SVG of a ground.
pub const BACKGROUND: &str = "background";

/// The typeface that words are set in, regular and semibold: TrueType, packed with brotli (`fonts/cards/README.md`).
pub const FACES: [&[u8]; 2] = [
    include_bytes!("../fonts/cards/inter-regular.ttf.br"),
    include_bytes!("../fonts/cards/inter-semibold.ttf.br"),
];

/// Space around the words.
const MARGIN: f32 = 80.0;
/// Space that words have.
const MEASURE: f32 = WIDTH as f32 - 2.0 * MARGIN;

/// Settings shared by all cards of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The name of the site.
    pub name: String,
    /// The name of the theme.
    pub theme: String,
    /// The brand color as `#rrggbb`.
    pub primary: String,
    /// The brand color on dark ground.
    pub light: Option<String>,
    /// Whether the ground is dark.
    pub is_dark: bool,
    /// The color of the ground as `#rrggbb`, if it is not that of the theme.
    pub ground: Option<String>,
    /// Name of a pattern, if it is not that of the theme.
    pub decoration: Option<String>,
    /// Whether a logo replaces the name.
    pub has_logo: bool,
    /// Whether a picture is behind the words.
    pub has_background: bool,
    /// The typeface, if it is not that of the program.
    pub family: Option<String>,
}

/// Content of the card of one page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Title of the page.
    pub title: String,
    /// Description of the page.
    pub description: Option<String>,
    /// The label of the group that lists it.
    pub section: Option<String>,
    /// Method and path of the operation that it is about.
    pub endpoint: Option<(String, String)>,
    /// Whether its language is written from right to left.
    pub is_rtl: bool,
}

/// The letters that there are.
pub trait Letters {
    /// Returns the width of `letter`, as a share of the font size.
    fn width(&self, letter: char, weight: Weight) -> f32;
    /// Returns true if `letter` has a glyph.
    fn has(&self, letter: char) -> bool;
}

/// Font weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Weight of running text.
    Regular,
    /// Weight of headings.
    Semibold,
}

/// Colors of a card.
struct Palette {
    ground: Rgb,
    accent: Rgb,
    ink: Rgb,
    soft: Rgb,
    line: Rgb,
}

impl Palette {
    fn of(look: &Look) -> Self {
        let own = look.ground.as_deref().and_then(Rgb::parse);
        let ground = own.unwrap_or(match (look.is_dark, look.theme.as_str()) {
            (true, "sequoia" | "willow") => Rgb(0x10, 0x10, 0x10),
            (true, "linden") => Rgb(0x0a, 0x0c, 0x0a),
            (true, _) => Rgb(0x0d, 0x0e, 0x11),
            (false, "almond") => Rgb(0xf5, 0xf4, 0xf1),
            (false, "linden") => Rgb(0xfc, 0xfc, 0xf9),
            (false, _) => Rgb::WHITE,
        });
        let primary = Rgb::parse(&look.primary).unwrap_or(Rgb(0x3d, 0x5a, 0xfe));
        let light = look.light.as_deref().and_then(Rgb::parse);
        let brand = match look.is_dark {
            true => light.unwrap_or(primary),
            false => primary,
        };
        // A ground of the author decides by itself whether words on it are light.
        let is_dark = readable_on(Rgb(0x80, 0x80, 0x80), ground).0 > 0x80;
        let (ink, soft, line) = match is_dark {
            true => (
                Rgb(0xf2, 0xf4, 0xf7),
                Rgb(0xa6, 0xad, 0xb9),
                Rgb(0x2a, 0x2e, 0x35),
            ),
            false => (
                Rgb(0x12, 0x15, 0x1b),
                Rgb(0x56, 0x5d, 0x6a),
                Rgb(0xe3, 0xe5, 0xe9),
            ),
        };
        Self {
            accent: readable_on(brand, ground),
            ground,
            ink,
            soft: readable_on(soft, ground),
            line,
        }
    }

    fn is_dark(&self) -> bool {
        self.ink.0 > 0x80
    }

    /// The color of a method, as the theme has it.
    fn of_method(&self, method: &str) -> Rgb {
        let (light, dark) = match method.to_ascii_lowercase().as_str() {
            "get" => (Rgb(0x15, 0x73, 0x47), Rgb(0x6f, 0xd3, 0x9b)),
            "post" => (Rgb(0x1d, 0x5f, 0xc4), Rgb(0x84, 0xb4, 0xff)),
            "put" => (Rgb(0x8f, 0x56, 0x00), Rgb(0xf0, 0xbc, 0x62)),
            "patch" => (Rgb(0xa4, 0x46, 0x0b), Rgb(0xff, 0xa7, 0x6a)),
            "delete" => (Rgb(0xb4, 0x23, 0x23), Rgb(0xff, 0x8f, 0x87)),
            "channel" => (Rgb(0x0b, 0x6b, 0x75), Rgb(0x64, 0xcf, 0xd8)),
            "webhook" => (Rgb(0x71, 0x38, 0xc4), Rgb(0xc3, 0xa3, 0xff)),
            _ => (Rgb(0x5a, 0x61, 0x6e), Rgb(0x9a, 0xa2, 0xaf)),
        };
        match self.is_dark() {
            true => dark,
            false => light,
        }
    }
}

/// Style of a text.
#[derive(Clone, Copy)]
struct Style {
    size: f32,
    weight: Weight,
    color: Rgb,
}

/// A drawing that grows.
struct Drawing<'a> {
    svg: String,
    look: &'a Look,
    letters: &'a dyn Letters,
    is_rtl: bool,
}

impl<'a> Drawing<'a> {
    fn new(look: &'a Look, letters: &'a dyn Letters, is_rtl: bool) -> Self {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">"
        );
        Self {
            svg,
            look,
            letters,
            is_rtl,
        }
    }

    fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }

    /// Adds one line of text that begins `inset` behind the margin.
    fn line(&mut self, text: &str, inset: f32, baseline: f32, style: Style) {
        let weight = match style.weight {
            Weight::Regular => 400,
            Weight::Semibold => 600,
        };
        let (x, anchor) = match self.is_rtl {
            true => (WIDTH as f32 - MARGIN - inset, "end"),
            false => (MARGIN + inset, "start"),
        };
        // Letters that are joined must not be moved.
        let spacing = match style.weight {
            Weight::Semibold if style.size > 40.0 && text.chars().all(is_apart) => {
                style.size * lines::TIGHT
            }
            _ => 0.0,
        };
        let family = match &self.look.family {
            Some(family) => format!("&apos;{}&apos;, Inter", escaped(&word(family))),
            None => "Inter".to_owned(),
        };
        // The base of a line is its language, whatever its first letter is.
        let (open, close) = match self.is_rtl {
            true => ("\u{202b}", "\u{202c}"),
            false => ("", ""),
        };
        self.svg.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{baseline:.1}\" font-family=\"{family}\" font-size=\"{:.1}\" font-weight=\"{weight}\" \
             letter-spacing=\"{spacing:.2}\" text-anchor=\"{anchor}\" fill=\"{}\">{open}{}{close}</text>",
            style.size,
            style.color.hex(),
            escaped(text),
        ));
    }
}

/// Returns true if a letter does not join its neighbors: letters of scripts up to Cyrillic, and
/// signs.
fn is_apart(c: char) -> bool {
    c < '\u{530}' || ('\u{2010}'..'\u{2070}').contains(&c)
}

/// `text` without what could end a quoted name.
fn word(text: &str) -> String {
    let is_plain = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    text.chars().filter(is_plain).collect()
}

/// `text` in one line, without signs that there is no letter for; `None` if a part of a word is missing, or everything.
fn drawable(text: &str, letters: &dyn Letters) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut supported = String::new();
    for c in line.chars() {
        if c == ' ' || letters.has(c) {
            supported.push(c);
        } else if c.is_alphanumeric() {
            return None;
        }
    }
    let supported = supported.split_whitespace().collect::<Vec<_>>().join(" ");
    (!supported.is_empty()).then_some(supported)
}

/// Draws the words of a page. What there are no letters for is left out, never shown as boxes.
pub fn words(look: &Look, card: &Card, letters: &dyn Letters) -> String {
    let palette = Palette::of(look);
    let mut drawing = Drawing::new(look, letters, card.is_rtl);
    let regular = |size, color| Style {
        size,
        weight: Weight::Regular,
        color,
    };
    let semibold = |size, color| Style {
        size,
        weight: Weight::Semibold,
        color,
    };
    // From the last line upwards.
    let mut baseline = HEIGHT as f32 - 84.0;
    if let Some((method, path)) = &card.endpoint {
        endpoint(&mut drawing, &palette, method, path, baseline);
        baseline -= 74.0;
    } else if let Some(description) =
        (card.description.as_deref()).and_then(|text| drawable(text, letters))
    {
        let style = regular(30.0, palette.soft);
        let lines = wrapped(&description, MEASURE - 60.0, 2, style, letters).lines;
        for line in lines.iter().rev() {
            drawing.line(line, 0.0, baseline, style);
            baseline -= 44.0;
        }
        baseline -= 18.0;
    }
    if let Some(title) = drawable(&card.title, letters) {
        let (style, lines) = title_lines(&title, palette.ink, letters);
        for line in lines.iter().rev() {
            drawing.line(line, 0.0, baseline, style);
            baseline -= (style.size * 1.16).round();
        }
        // What is above keeps its distance from capitals.
        baseline += (style.size * 0.43).round() - 34.0;
    }
    if let Some(section) = (card.section.as_deref()).and_then(|text| drawable(text, letters)) {
        let style = semibold(27.0, palette.accent);
        let lines = wrapped(&section, MEASURE, 1, style, letters).lines;
        for line in lines {
            drawing.line(&line, 0.0, baseline, style);
        }
    }
    drawing.finish()
}

/// The title as large as it can be in two lines, else smaller in three.
fn title_lines(title: &str, color: Rgb, letters: &dyn Letters) -> (Style, Vec<String>) {
    let style = |size| Style {
        size,
        weight: Weight::Semibold,
        color,
    };
    for (size, most) in [(80.0, 1), (72.0, 2), (60.0, 3)] {
        let set = wrapped(title, MEASURE, most, style(size), letters);
        if !set.is_cut && !set.is_broken {
            let lines = balanced(title, MEASURE, set.lines, style(size), letters);
            return (style(size), lines);
        }
    }
    (
        style(54.0),
        wrapped(title, MEASURE, 3, style(54.0), letters).lines,
    )
}

/// Draws method and path of an operation.
fn endpoint(drawing: &mut Drawing<'_>, palette: &Palette, method: &str, path: &str, baseline: f32) {
    let letters = drawing.letters;
    let color = palette.of_method(method);
    let badge = Style {
        size: 26.0,
        weight: Weight::Semibold,
        color,
    };
    let width = lines::width(method, badge, letters) + 40.0;
    let x = match drawing.is_rtl {
        true => WIDTH as f32 - MARGIN - width,
        false => MARGIN,
    };
    drawing.svg.push_str(&format!(
        "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"48\" rx=\"12\" fill=\"{}\"/>",
        baseline - 34.0,
        palette.ground.towards(color, 14).hex()
    ));
    drawing.line(method, 20.0, baseline, badge);
    let style = Style {
        size: 30.0,
        weight: Weight::Regular,
        color: palette.soft,
    };
    let Some(path) = drawable(path, letters) else {
        return;
    };
    let inset = width + 22.0;
    let set = wrapped(&path, MEASURE - inset, 1, style, letters);
    for line in set.lines {
        drawing.line(&line, inset, baseline, style);
    }
}

#[cfg(test)]
mod tests;
