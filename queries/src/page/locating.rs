//! Converts places of diagnostics to lines and columns of a text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use base::data::older::Older;
use base::data::{json, pointer, yaml};
use base::diagnostic::{Code, Diagnostic};
use base::path::SitePath;
use base::place::{BlockIndex, Located, Part, Place};
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
    /// The text as a document, once it was read.
    document: Option<Option<Value>>,
}

/// A change of a text within one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edit {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The column of the first character that stays.
    pub end_column: u32,
    /// New text.
    pub text: String,
}

/// Returns `text` with `edits`, of which none may overlap; `None` if one does, or is not within `text`.
pub fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort();
    edits.dedup();
    let mut lines = Vec::new();
    let mut at = 0;
    for line in base::place::lines(text) {
        lines.push((at, line));
        at += line.len();
    }
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        let (start, line) = *lines.get((edit.line as usize).checked_sub(1)?)?;
        let offset = |column: u32| {
            let column = (column as usize).checked_sub(1)?;
            let mut ends = line.char_indices().map(|(at, _)| at);
            ends.nth(column)
                .or_else(|| (line.chars().count() == column).then_some(line.len()))
        };
        let (from, to) = (
            start + offset(edit.column)?,
            start + offset(edit.end_column)?,
        );
        if from < done || to < from {
            return None;
        }
        out += &text[done..from];
        out += &edit.text;
        done = to;
    }
    out += &text[done..];
    Some(out)
}

/// A text as JSON, YAML and TOML write it.
struct Scalar<'t> {
    /// What is written, quotes included.
    source: &'t str,
    /// Quote; none of a plain text.
    quote: Option<char>,
}

impl<'t> Scalar<'t> {
    /// The text that `raw` begins with, in a file of JSON or YAML.
    fn of(raw: &'t str, is_json: bool) -> Option<Self> {
        let plain = || {
            let end = raw.find(" #").unwrap_or(raw.len());
            Self {
                source: raw[..end].trim_end(),
                quote: None,
            }
        };
        match Self::quoted(raw, true) {
            Some(scalar) => Some(scalar),
            None => (!is_json && !raw.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!']))
                .then(plain),
        }
    }

    /// The text in quotes that `raw` begins with, or is as a whole.
    fn quoted(raw: &'t str, has_rest: bool) -> Option<Self> {
        let quote = raw
            .chars()
            .next()
            .filter(|sign| matches!(sign, '"' | '\''))?;
        let mut is_escaped = false;
        let end = raw[1..].char_indices().find_map(|(at, sign)| {
            let is_end = sign == quote && !is_escaped;
            is_escaped = sign == '\\' && quote == '"' && !is_escaped;
            is_end.then_some(at + 2)
        })?;
        (has_rest || end == raw.len()).then_some(Self {
            source: &raw[..end],
            quote: Some(quote),
        })
    }

    fn value(&self) -> Option<String> {
        yaml::parse(self.source).ok()?.as_str().map(str::to_owned)
    }

    /// What is to be written for `value`.
    fn with(&self, value: &str) -> Option<String> {
        if value.contains(char::is_control) {
            return None;
        }
        let plain = || {
            let read = yaml::parse(value).ok();
            let is_same = read.is_some_and(|read| read.as_str() == Some(value));
            is_same && !value.contains(": ") && !value.contains(" #")
        };
        Some(match self.quote {
            Some('\'') => format!("'{}'", value.replace('\'', "''")),
            None if plain() => value.to_owned(),
            _ => serde_json::to_string(value).ok()?,
        })
    }
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
            document: None,
        }
    }

    /// Location of `place`; the beginning of the text if it is gone.
    pub fn of(&mut self, place: &Place) -> Located {
        let (at, len) = self.span(place).unwrap_or((0, 0));
        Located::of_span(self.path, &self.text, at, len)
    }

    /// Changes of the text that put the replacement of `diagnostic` in its place; none if it has none, or its place does
    /// not hold what can be replaced.
    pub fn edits(&mut self, diagnostic: &Diagnostic) -> Vec<Edit> {
        self.replaced(diagnostic).unwrap_or_default()
    }

    fn replaced(&mut self, diagnostic: &Diagnostic) -> Option<Vec<Edit>> {
        let replacement = diagnostic.replacement.as_deref()?;
        // Offsets in what was mended are not those of the file.
        if matches!(self.text, Cow::Owned(_)) {
            return None;
        }
        let (at, len) = self.span(&diagnostic.place)?;
        let raw = &self.text[at..at + len];
        let Place::Pointer { pointer, part, .. } = &diagnostic.place else {
            let text = match Scalar::quoted(raw, false) {
                Some(scalar) => scalar.with(replacement)?,
                None => replacement.to_owned(),
            };
            let is_tag = diagnostic.code == Code::UnknownComponent;
            if !is_tag && text.contains(|c: char| c.is_whitespace() || "()<>".contains(c)) {
                // It would end the link.
                return None;
            }
            let mut edits = vec![self.edit(at, len, text)];
            if is_tag {
                let name = raw.strip_prefix('<')?;
                if let mdx::Ending::Tag(end) = mdx::element_ending(&self.text[at..])? {
                    let new = replacement.trim_start_matches('<').to_owned();
                    edits.push(self.edit(at + end, name.len(), new));
                }
            }
            return Some(edits);
        };
        let scalar = Scalar::of(raw, self.path.extension() == "json")?;
        let (value, len) = (scalar.value()?, scalar.source.len());
        let text = scalar.with(replacement)?;
        let pointer = self.origin(pointer);
        // The nearest node around it is no place for the replacement.
        let document = self.document()?;
        let node = document.pointer(&pointer)?;
        let (around, _) = pointer.rsplit_once('/')?;
        let has_replacement = || document.pointer(around)?.get(replacement);
        let is_there = match part {
            // The right name beside it has a value of its own.
            Part::Key if has_replacement().is_some() => false,
            Part::Key => pointer::segments(&pointer).last()? == value,
            Part::Value => node.as_str() == Some(&value),
        };
        is_there.then(|| vec![self.edit(at, len, text)])
    }

    /// The text as a document.
    fn document(&mut self) -> Option<&Value> {
        let read = || match self.path.extension().as_str() {
            "json" => serde_json::from_str(self.text.trim_start_matches('\u{feff}')).ok(),
            "yaml" | "yml" => yaml::parse(&self.text).ok(),
            _ => yaml::parse(source::source(&self.text)?.1).ok(),
        };
        self.document.get_or_insert_with(read).as_ref()
    }

    /// The pointer in the text of what is at `pointer` of the document that it was converted to.
    fn origin(&mut self, pointer: &str) -> String {
        let text = &self.text;
        let older = *(self.older).get_or_insert_with(|| Older::of_text(text));
        match older {
            Some(older) => older.origin(pointer).into_owned(),
            None => pointer.to_owned(),
        }
    }

    fn edit(&self, at: usize, len: usize, text: String) -> Edit {
        let Located { line, column, .. } = Located::of_span(self.path, &self.text, at, len);
        let end_column = column + self.text[at..at + len].chars().count() as u32;
        Edit {
            line,
            column,
            end_column,
            text,
        }
    }

    /// Byte offset and length of `place`, as far as it is still there.
    fn span(&mut self, place: &Place) -> Option<(usize, usize)> {
        let extension = self.path.extension();
        match place {
            Place::File(_) => None,
            Place::Pointer { pointer, part, .. } => {
                let pointer = self.origin(pointer);
                let text = &self.text;
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
        }
    }
}
