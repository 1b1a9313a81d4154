//! Pictures: the attributes that keep a page from jumping while they load.
//!
//! With a width and a height in its tag a picture has its room before it has come. The theme lets the height follow the
//! width, so the two say a relation rather than a size. They are left out where a height comes from elsewhere: a width
//! beside it would distort the picture.

use std::collections::{BTreeMap, BTreeSet};

use base::image::ImageSize;

/// A picture of a page.
pub(super) struct Image {
    /// Natural size, if known.
    pub(super) size: Option<ImageSize>,
    /// Whether none stands before it on the page.
    pub(super) is_first: bool,
}

/// Attributes of a picture as an author wrote them.
#[derive(Default)]
pub(super) struct AuthoredAttributes {
    width: Option<String>,
    classes: String,
    has_height: bool,
    has_loading: bool,
    has_decoding: bool,
}

impl AuthoredAttributes {
    /// Takes note of an attribute of HTML.
    pub(super) fn see(&mut self, name: &str, value: &str) {
        match name {
            "width" => self.width = Some(value.to_owned()),
            "height" => self.has_height = true,
            "loading" => self.has_loading = true,
            "decoding" => self.has_decoding = true,
            "style" => {
                self.has_height |= value.contains("height") || value.contains("aspect-ratio");
            }
            "class" => self.classes = value.to_owned(),
            _ => {}
        }
    }
}

/// Cache of the classes of this page that set a height: many pictures have the same ones.
#[derive(Clone, Default)]
pub(super) struct Heights(BTreeMap<String, bool>);

impl Heights {
    /// Returns true if `class` sets a height, or may: the author's own classes are unknown.
    fn may_set(&mut self, class: &str) -> bool {
        if let Some(known) = self.0.get(class) {
            return *known;
        }
        let rules = utility::stylesheet(&BTreeSet::from([class.to_owned()]), "");
        let is_mark = matches!(class, "not-prose" | "group" | "peer");
        let may = (rules.is_empty() && !is_mark)
            || rules.contains("height")
            || rules.contains("aspect-ratio");
        self.0.insert(class.to_owned(), may);
        may
    }
}

impl Image {
    /// Appends what the author left open.
    pub(super) fn push_attributes(
        &self,
        out: &mut String,
        authored: &AuthoredAttributes,
        heights: &mut Heights,
    ) {
        let mut classes = authored.classes.split_whitespace();
        if !authored.has_height
            && let Some(size) = self.size
            && !classes.any(|class| heights.may_set(class))
        {
            let given = authored.width.as_deref().map(pixels);
            match given {
                None if !size.is_ratio => {
                    out.push_str(&format!(
                        " width=\"{}\" height=\"{}\"",
                        size.width, size.height
                    ));
                }
                Some(Some(width)) => {
                    let height =
                        (f64::from(width) * f64::from(size.height) / f64::from(size.width)).round();
                    out.push_str(&format!(" height=\"{height}\""));
                }
                _ => {}
            }
        }
        if !self.is_first && !authored.has_loading {
            out.push_str(" loading=\"lazy\"");
        }
        if !authored.has_decoding {
            out.push_str(" decoding=\"async\"");
        }
    }
}

/// The width in pixels that `text` says; `None` for a part of something else.
fn pixels(text: &str) -> Option<u32> {
    let text = text.trim();
    let number = text.strip_suffix("px").unwrap_or(text);
    number.parse().ok().filter(|width| *width > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(authored: &[(&str, &str)], is_ratio: bool, expected: &str) {
        let image = Image {
            size: Some(ImageSize {
                width: 800,
                height: 600,
                is_ratio,
            }),
            is_first: true,
        };
        let mut seen = AuthoredAttributes::default();
        for (name, value) in authored {
            seen.see(name, value);
        }
        let mut out = String::new();
        image.push_attributes(&mut out, &seen, &mut Heights::default());
        assert_eq!(out.trim_end_matches(" decoding=\"async\""), expected);
    }

    #[test]
    fn a_picture_has_its_room_before_it_comes() {
        check(&[], false, " width=\"800\" height=\"600\"");
        check(&[("width", "400")], false, " height=\"300\"");
        check(&[("width", "400px")], false, " height=\"300\"");
        check(
            &[("class", "w-full rounded-xl")],
            false,
            " width=\"800\" height=\"600\"",
        );
        check(
            &[("style", "width:50%")],
            false,
            " width=\"800\" height=\"600\"",
        );
    }

    #[test]
    fn what_has_a_height_is_not_distorted() {
        check(&[("height", "100")], false, "");
        check(&[("width", "1"), ("height", "1")], false, "");
        check(&[("style", "max-height:10em")], false, "");
        check(&[("class", "h-16")], false, "");
        check(&[("class", "rounded md:size-8")], false, "");
        check(&[("class", "aspect-video")], false, "");
        check(&[("class", "of-the-author")], false, "");
        check(&[("width", "50%")], false, "");
    }

    #[test]
    fn a_drawing_without_a_size_fills_its_room_as_before() {
        check(&[], true, "");
        check(&[("width", "400")], true, " height=\"300\"");
    }

    #[test]
    fn all_but_the_first_load_when_they_are_near() {
        let render = |is_first, written: &[(&str, &str)]| {
            let mut attributes = AuthoredAttributes::default();
            for (name, value) in written {
                attributes.see(name, value);
            }
            let mut out = String::new();
            let image = Image {
                size: None,
                is_first,
            };
            image.push_attributes(&mut out, &attributes, &mut Heights::default());
            out
        };
        assert_eq!(render(true, &[]), " decoding=\"async\"");
        assert_eq!(render(false, &[]), " loading=\"lazy\" decoding=\"async\"");
        let own = [("loading", "eager"), ("decoding", "sync")];
        assert_eq!(render(false, &own), "");
    }
}
