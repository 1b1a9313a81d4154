//! Colors of the site's configuration, made safe to write into a stylesheet and readable on their ground.
//!
//! A brand color is chosen for a logo, not for 16 px text: [`readable_on`] moves it towards black or white until it
//! has the contrast WCAG 2.2 (1.4.3) asks for.

/// A color in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// White.
    pub const WHITE: Self = Self(255, 255, 255);
    /// Black.
    pub const BLACK: Self = Self(0, 0, 0);

    /// Returns the color written as `#rgb` or `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        let byte = |shift: u32| ((value >> shift) & 0xff) as u8;
        let nibble = |shift: u32| ((value >> shift) & 0xf) as u8 * 17;
        match digits.len() {
            6 => Some(Self(byte(16), byte(8), byte(0))),
            3 => Some(Self(nibble(8), nibble(4), nibble(0))),
            _ => None,
        }
    }

    /// The color as `#rrggbb`.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Its parts as `rgb(…)` takes them: `61 90 254`.
    pub fn triplet(self) -> String {
        format!("{} {} {}", self.0, self.1, self.2)
    }

    /// The color moved towards `other` by `part` of 100.
    pub(crate) fn towards(self, other: Self, part: u32) -> Self {
        let mix = |a: u8, b: u8| ((u32::from(a) * (100 - part) + u32::from(b) * part) / 100) as u8;
        Self(
            mix(self.0, other.0),
            mix(self.1, other.1),
            mix(self.2, other.2),
        )
    }

    /// The relative luminance of WCAG, between 0 and 1.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// The contrast of two colors, from 1 to 21.
pub fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (a, b) = (one.luminance(), other.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Minimum contrast ratio of text in a brand color: more than the 4.5 of WCAG, because the text
/// also appears on backgrounds that are tinted with the same color.
const READABLE: f64 = 5.4;

/// Returns the color closest to `color` that is readable as text on the background `ground`.
pub fn readable_on(color: Rgb, ground: Rgb) -> Rgb {
    let goal = if ground.luminance() > 0.4 {
        Rgb::BLACK
    } else {
        Rgb::WHITE
    };
    (0..=100)
        .step_by(4)
        .map(|part| color.towards(goal, part))
        .find(|candidate| contrast(*candidate, ground) >= READABLE)
        .unwrap_or(goal)
}

/// Black or white: whichever is easier to read on `ground`. White wins where both can be read.
pub fn ink_on(ground: Rgb) -> Rgb {
    let soft = Rgb(0x10, 0x12, 0x16);
    [Rgb::WHITE, soft]
        .into_iter()
        .find(|ink| contrast(*ink, ground) >= TEXT)
        .unwrap_or(Rgb::BLACK)
}

/// The contrast of text, by WCAG 2.2 (1.4.3).
const TEXT: f64 = 4.5;

/// The contrast of what is to be seen as a button, by WCAG 2.2 (1.4.11).
const SEEN: f64 = 3.0;

/// Returns the background of a button and the color of its text. The background is the first of
/// `colors` with enough contrast to each of `grounds`; else the first of `colors`, lightened or
/// darkened until it has.
pub fn button_on(colors: &[Rgb], grounds: &[Rgb]) -> (Rgb, Rgb) {
    let is_seen = |color: &Rgb| (grounds.iter()).all(|ground| contrast(*color, *ground) >= SEEN);
    let is_dark = grounds.iter().all(|ground| ground.luminance() < 0.18);
    let (first, goal) = match is_dark {
        true => (colors.first().copied().unwrap_or(Rgb::WHITE), Rgb::WHITE),
        false => (colors.first().copied().unwrap_or(Rgb::BLACK), Rgb::BLACK),
    };
    let moved = || (0..=100).map(|part| first.towards(goal, part));
    let surface = colors.iter().copied().find(is_seen);
    let surface = surface.or_else(|| moved().find(is_seen)).unwrap_or(goal);
    (surface, ink_on(surface))
}

/// Returns `text` if it is a plain CSS color (a name, a hex color or one color function) and nothing else.
pub fn css_color(text: &str) -> Option<&str> {
    let text = text.trim();
    let hex = text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let name = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let function = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch("]
        .iter()
        .find_map(|start| text.strip_prefix(start))
        .and_then(|rest| rest.strip_suffix(')'))
        .is_some_and(|rest| {
            rest.bytes()
                .all(|byte| byte.is_ascii_digit() || b" .,%/-deg".contains(&byte))
        });
    (hex || name || function).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pale_brand_colors_become_readable() {
        for text in ["#ffd400", "#7fffd4", "#fff", "#0b6", "#000"] {
            let color = Rgb::parse(text).unwrap();
            for ground in [Rgb::WHITE, Rgb::parse("#0d0e11").unwrap()] {
                let readable = readable_on(color, ground);
                let tinted = ground.towards(readable, 9);
                assert!(contrast(readable, tinted) >= 4.5, "{text}");
            }
            assert!(contrast(ink_on(color), color) >= 4.5, "{text}");
        }
    }

    #[test]
    fn a_button_is_seen_and_read_whatever_the_color() {
        let steps = || (0..=255_u8).step_by(15);
        let colors =
            steps().flat_map(|r| steps().flat_map(move |g| steps().map(move |b| Rgb(r, g, b))));
        let grounds = ["#ffffff", "#f4f4f2", "#0d0e11", "#131316", "#222831"]
            .map(|text| Rgb::parse(text).unwrap());
        for color in colors {
            for ground in grounds {
                let (surface, ink) = button_on(&[color], &[ground]);
                assert!(contrast(surface, ground) >= SEEN, "{color:?} on {ground:?}");
                assert!(contrast(ink, surface) >= TEXT, "{color:?} on {ground:?}");
            }
            assert!(contrast(ink_on(color), color) >= TEXT, "{color:?}");
        }
    }

    #[test]
    fn a_button_has_the_color_of_the_site_where_that_is_seen() {
        let rgb = |text| Rgb::parse(text).unwrap();
        let dark = [rgb("#131316")];
        assert_eq!(
            button_on(&[rgb("#c94c3c")], &dark),
            (rgb("#c94c3c"), Rgb::WHITE)
        );
        assert_eq!(button_on(&[Rgb::BLACK, Rgb::WHITE], &dark).0, Rgb::WHITE);
        assert_eq!(
            button_on(&[Rgb::BLACK, Rgb::WHITE], &[Rgb::WHITE]).0,
            Rgb::BLACK
        );
    }

    #[test]
    fn readable_colors_stay_as_they_are() {
        let color = Rgb::parse("#9a3412").unwrap();
        assert_eq!(readable_on(color, Rgb::WHITE), color);
        assert_eq!(color.hex(), "#9a3412");
    }

    #[test]
    fn only_colors_reach_a_style_attribute() {
        assert_eq!(css_color(" #0a0 "), Some("#0a0"));
        assert_eq!(css_color("rgb(1 2 3 / 50%)"), Some("rgb(1 2 3 / 50%)"));
        assert_eq!(css_color("tomato"), Some("tomato"));
        assert_eq!(css_color("red;background:url(x)"), None);
        assert_eq!(css_color("rgb(url(x))"), None);
        assert_eq!(css_color("#12345"), None);
    }
}
