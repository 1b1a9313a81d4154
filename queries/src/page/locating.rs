//! Converts places of diagnostics to lines and columns of a text.

use std::borrow::Cow;

use base::data::older::Older;
use base::data::{json, yaml};
use base::path::SitePath;
use base::place::{BlockIndex, Located, Place};
use mdx::front_matter as source;

/// A text in which places are looked up. What was learnt for one place is kept for the next.
pub struct Locating<'t> {
    path: &'t SitePath,
    text: Cow<'t, str>,
    json: json::Positions,
    yaml: yaml::Positions,
    blocks: Option<BlockIndex>,
    /// Older format that the document was converted from, once known.
    older: Option<Option<Older>>,
}

impl<'t> Locating<'t> {
    /// The text of the file at `path`, which is `bytes`.
    pub fn new(path: &'t SitePath, bytes: &'t [u8]) -> Self {
        Self {
            path,
            text: String::from_utf8_lossy(bytes),
            json: json::Positions::default(),
            yaml: yaml::Positions::default(),
            blocks: None,
            older: None,
        }
    }

    /// Location of `place`; the beginning of the text if it is gone.
    pub fn of(&mut self, place: &Place) -> Located {
        let extension = self.path.extension();
        let span = match place {
            Place::File(_) => None,
            Place::Pointer { pointer, part, .. } => {
                let text = &self.text;
                let older = *(self.older).get_or_insert_with(|| Older::of_text(text));
                let pointer = match older {
                    Some(older) => older.origin(pointer),
                    None => Cow::Borrowed(&**pointer),
                };
                match extension.as_str() {
                    "json" => self.json.of(text, &pointer, *part),
                    "yaml" | "yml" => self.yaml.of(text, &pointer, *part),
                    _ => source::position(text, &pointer, *part),
                }
            }
            Place::Block {
                block,
                line,
                column,
                width,
                ..
            } => {
                let blocks = (self.blocks).get_or_insert_with(|| BlockIndex::new(&self.text));
                blocks.span(&self.text, (*block, *line), (*column, *width))
            }
        };
        let (at, len) = span.unwrap_or((0, 0));
        Located::of_span(self.path, &self.text, at, len)
    }
}
