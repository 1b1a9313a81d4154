//! Image dimensions, read from the first bytes of a file, whatever its length.

use std::io::{BufRead, Read, Seek};

use queries::base::path::SitePath;
use queries::site::ImageSize;

/// Maximum number of bytes of an SVG that are read: its first tag is near the beginning.
const MAX_SVG: u64 = 16 << 10;

/// The size of the picture in `file`; `None` if `path` names none, or if it does not tell.
pub fn image_size(path: &SitePath, mut file: impl BufRead + Seek) -> Option<ImageSize> {
    match path.extension().as_str() {
        "png" | "apng" | "jpg" | "jpeg" | "gif" | "webp" | "avif" | "bmp" | "ico" => {
            let size = imagesize::reader_size(file).ok()?;
            let (width, height) = (size.width.try_into().ok()?, size.height.try_into().ok()?);
            (width > 0 && height > 0).then_some(ImageSize {
                width,
                height,
                is_ratio: false,
            })
        }
        "svg" => {
            let mut text = Vec::new();
            file.by_ref().take(MAX_SVG).read_to_end(&mut text).ok()?;
            svg_size(&String::from_utf8_lossy(&text))
        }
        _ => None,
    }
}

/// The size that the first tag of an SVG says, in pixels; without one the relation that its `viewBox` gives it (SVG 2,
/// 8.2 and 8.12).
fn svg_size(text: &str) -> Option<ImageSize> {
    let tag = &text[text.find("<svg")?..];
    let tag = &tag[..tag.find('>')?];
    let attribute = |name: &str| {
        let mut rest = tag;
        loop {
            let at = rest.find(name)?;
            let is_whole = rest[..at].ends_with(char::is_whitespace);
            rest = &rest[at + name.len()..];
            let Some(value) = rest.trim_start().strip_prefix('=').filter(|_| is_whole) else {
                continue;
            };
            let value = value.trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            return value[1..].split(quote).next();
        }
    };
    let length = |name: &str| attribute(name).and_then(pixels);
    let view = attribute("viewBox").and_then(|view| {
        let numbers: Vec<f64> = view
            .split([' ', ','])
            .filter(|part| !part.is_empty())
            .map_while(|part| part.parse().ok())
            .collect();
        match numbers[..] {
            [_, _, width, height] if width > 0.0 && height > 0.0 => Some((width, height)),
            _ => None,
        }
    });
    let (width, height, is_ratio) = match (length("width"), length("height"), view) {
        (Some(width), Some(height), _) => (width, height, false),
        (Some(width), None, Some(view)) => (width, width * view.1 / view.0, false),
        (None, Some(height), Some(view)) => (height * view.0 / view.1, height, false),
        (None, None, Some(view)) => (view.0, view.1, true),
        _ => return None,
    };
    let whole = |length: f64| {
        (1.0..1e6)
            .contains(&length.round())
            .then(|| length.round() as u32)
    };
    Some(ImageSize {
        width: whole(width)?,
        height: whole(height)?,
        is_ratio,
    })
}

/// A length of CSS that does not depend on what stands around it, in pixels.
fn pixels(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let factor = match &text[end..] {
        "" | "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "pc" => 16.0,
        "mm" => 96.0 / 25.4,
        "cm" => 96.0 / 2.54,
        "in" => 96.0,
        _ => return None,
    };
    let number: f64 = text[..end].parse().ok()?;
    (number > 0.0).then_some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_svg(text: &str, expected: Option<(u32, u32, bool)>) {
        let size = svg_size(text).map(|size| (size.width, size.height, size.is_ratio));
        assert_eq!(size, expected, "{text}");
    }

    #[test]
    fn an_svg_says_its_size() {
        check_svg(
            "<?xml version='1.0'?>\n<svg width=\"24\" height='12px'>",
            Some((24, 12, false)),
        );
        check_svg(
            "<svg stroke-width=\"2\" viewBox=\"0 0 30 20\">",
            Some((30, 20, true)),
        );
        check_svg(
            "<svg width=\"60\" viewBox=\"0,0,30,20\">",
            Some((60, 40, false)),
        );
        check_svg(
            "<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 30 20\"/>",
            Some((30, 20, true)),
        );
        check_svg(
            "<svg width = \"1in\" height=\"72pt\">",
            Some((96, 96, false)),
        );
    }

    #[test]
    fn an_svg_that_says_none_has_none() {
        check_svg("<svg>", None);
        check_svg("<svg width=\"10\">", None);
        check_svg("<svg viewBox=\"0 0 0 0\">", None);
        check_svg("<svg width=\"1e9\" height=\"-1\">", None);
        check_svg("no picture", None);
        check_svg("<svg width=\"ü", None);
    }
}
