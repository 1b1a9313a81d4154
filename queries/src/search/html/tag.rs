//! Tags, and what they mean to a reader of text.

use super::text::decoded;

/// A tag of HTML.
pub(super) struct Tag<'a> {
    /// The name of its element, as written.
    pub(super) name: &'a str,
    is_end: bool,
    /// Text after the name.
    attributes: &'a str,
}

/// Kind of a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Begins an element.
    Start,
    /// Ends one.
    End,
    /// An element without content.
    Void,
    /// Begins an element that holds no text of the page, and none of its own name.
    Skipped,
    /// A comment or a declaration.
    Nothing,
}

/// Buttons that the theme adds to the content, by their first class and an attribute that its
/// scripts read. Text on any other button is the author's: a question that opens its answer, the
/// name of an option.
const THEME_BUTTONS: [(&str, &str); 7] = [
    ("choice", "data-tag"),
    ("choice", "data-view"),
    ("code-unfold", "data-unfold"),
    ("copy-button", "data-copy"),
    ("fold-all", "data-fold-all"),
    ("tab-button", "data-tab"),
    ("try-button", "aria-haspopup"),
];

impl<'a> Tag<'a> {
    /// The tag that `text`, which begins with `<`, begins with, and what follows it.
    pub(super) fn first(text: &'a str) -> Option<(Self, &'a str)> {
        let bytes = text.as_bytes();
        if let Some(comment) = text.strip_prefix("<!--") {
            let after = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            return Some((Self::nothing(), after));
        }
        let is_end = bytes.get(1) == Some(&b'/');
        let from = 1 + usize::from(is_end);
        match bytes.get(from) {
            Some(b'!' | b'?') => {
                let after = text.find('>').map_or("", |end| &text[end + 1..]);
                return Some((Self::nothing(), after));
            }
            Some(byte) if byte.is_ascii_alphabetic() => {}
            _ => return None,
        }
        let is_name = |byte: &u8| !matches!(byte, b'>' | b'/') && !byte.is_ascii_whitespace();
        let len = bytes[from..]
            .iter()
            .take_while(|byte| is_name(byte))
            .count();
        let name = &text[from..from + len];
        let mut at = from + len;
        // Attributes may hold a `>` between quotes.
        loop {
            match memchr::memchr3(b'>', b'"', b'\'', &bytes[at..]) {
                None => {
                    at = bytes.len();
                    break;
                }
                Some(found) if bytes[at + found] == b'>' => {
                    at += found;
                    break;
                }
                Some(found) => {
                    let quote = bytes[at + found];
                    let value = at + found + 1;
                    at = match memchr::memchr(quote, &bytes[value..]) {
                        Some(end) => value + end + 1,
                        None => bytes.len(),
                    };
                }
            }
        }
        let tag = Self {
            name,
            is_end,
            attributes: &text[from + len..at],
        };
        Some((tag, text.get(at + 1..).unwrap_or("")))
    }

    fn nothing() -> Self {
        Self {
            name: "",
            is_end: false,
            attributes: "",
        }
    }

    /// Kind.
    pub(super) fn kind(&self) -> Kind {
        match self.name {
            "" => Kind::Nothing,
            _ if self.is_end => Kind::End,
            "area" | "base" | "br" | "col" | "embed" | "hr" | "img" | "input" | "link" | "meta"
            | "source" | "track" | "wbr" => Kind::Void,
            _ if self.attributes.ends_with('/') => Kind::Void,
            "svg" | "script" | "style" | "template" | "select" | "iframe" | "object" => {
                Kind::Skipped
            }
            "button" if self.is_of_theme() => Kind::Skipped,
            _ => Kind::Start,
        }
    }

    /// Returns true for the buttons of [`THEME_BUTTONS`].
    fn is_of_theme(&self) -> bool {
        let class = self.class();
        let mut rows = THEME_BUTTONS.iter().filter(|(theirs, _)| *theirs == class);
        rows.any(|(_, attribute)| self.attributes().any(|(name, _)| name == *attribute))
    }

    /// Text after the end of the element that this tag begins, in the text behind the tag.
    pub(super) fn after_end(&self, text: &'a str) -> &'a str {
        let end = format!("</{}", self.name);
        let Some(at) = memchr::memmem::find(text.as_bytes(), end.as_bytes()) else {
            return "";
        };
        let text = &text[at..];
        text.find('>').map_or("", |end| &text[end + 1..])
    }

    /// The attributes with their values as they are written.
    fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let len = rest.find(|c: char| c == '=' || c.is_ascii_whitespace());
            let (name, after) = rest.split_at(len.unwrap_or(rest.len()));
            let Some(value) = after.strip_prefix('=') else {
                rest = after;
                return Some((name, ""));
            };
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (value, after) = match quote {
                Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
                None => {
                    let end = value.find(|c: char| c.is_ascii_whitespace());
                    value.split_at(end.unwrap_or(value.len()))
                }
            };
            rest = after;
            Some((name, value))
        })
    }

    /// The value of an attribute as it is written; empty for one without.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        if self.attributes.len() <= name.len() {
            return None;
        }
        self.attributes()
            .find_map(|(known, value)| (known == name).then_some(value))
    }

    /// The first of its classes.
    pub(super) fn class(&self) -> &'a str {
        let classes = self.attribute("class").unwrap_or("");
        classes.split_ascii_whitespace().next().unwrap_or("")
    }

    /// Returns true if one of its classes is `class`.
    pub(super) fn has_class(&self, class: &str) -> bool {
        let classes = self.attribute("class").unwrap_or("");
        classes.split_ascii_whitespace().any(|known| known == class)
    }

    /// Id. What stands beside the text is in the text too, where its ids are put by.
    pub(super) fn id(&self) -> Option<String> {
        let id = self.attribute("id").or_else(|| self.attribute("data-id"))?;
        (!id.is_empty()).then(|| decoded(id))
    }

    /// The level of the heading that it is.
    pub(super) fn heading_level(&self) -> Option<u8> {
        match self.name.as_bytes() {
            b"h2" if self.has_class("h1") => Some(1),
            [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
            _ => None,
        }
    }

    /// Returns true if nothing in it is text of the page: hidden elements, and signs of the theme.
    /// Folded text and text behind a tab count.
    pub(super) fn is_unread(&self) -> bool {
        if self.attributes.is_empty() {
            return false;
        }
        let is_hidden = self.attributes().any(|(name, value)| match name {
            "hidden" => value != "false",
            "aria-hidden" => value == "true",
            _ => false,
        });
        is_hidden
            || matches!(
                self.class(),
                "anchor"
                    | "footnote-reference"
                    | "footnote-back"
                    | "prompt-action"
                    | "code-language"
                    | "expandable-open"
                    | "tab-list"
                    | "choices"
                    | "problem"
            )
    }

    /// Returns true if browsers begin a line with it.
    pub(super) fn is_block(&self) -> bool {
        matches!(
            self.name,
            "p" | "div"
                | "li"
                | "ul"
                | "ol"
                | "dl"
                | "dt"
                | "dd"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "section"
                | "article"
                | "aside"
                | "header"
                | "footer"
                | "main"
                | "nav"
                | "table"
                | "thead"
                | "tbody"
                | "tr"
                | "caption"
                | "figure"
                | "figcaption"
                | "blockquote"
                | "details"
                | "summary"
                | "form"
                | "fieldset"
                | "legend"
                | "video"
                | "audio"
                | "center"
        )
    }

    /// Returns true if it stands apart from its neighbors on the same line: cells, and parts that
    /// the theme sets side by side.
    pub(super) fn is_spaced(&self) -> bool {
        if matches!(
            self.name,
            "td" | "th" | "button" | "label" | "option" | "math"
        ) {
            return true;
        }
        let class = self.class();
        let parts = [
            "field-",
            "pill",
            "tooltip-",
            "accordion-",
            "tile-",
            "color-",
            "update-",
            "card-",
            "code-",
            "expandable-",
            "prompt-",
        ];
        !class.is_empty() && parts.iter().any(|part| class.starts_with(part))
    }
}
