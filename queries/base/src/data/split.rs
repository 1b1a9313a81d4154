//! Splits a specification into slices, so that an edit sets one small input instead of a document
//! of 13 MB.
//!
//! Plain functions that the shell calls before it sets inputs: a query that splits would read the
//! whole document again after every keystroke. The slices depend on the text only, not on the edits
//! that led to it: [`SplitDocument::edited`] returns the same as [`SplitDocument::split`] of the
//! new text (checked by a test on random edits).
//!
//! Slices are the members of path items (`/paths/~1users/get`), components
//! (`/components/schemas/User`), channels and operations of AsyncAPI (`/channels/chat`) and the
//! other members of the document (`/info`). Each slice holds JSON, even if the document is YAML, so
//! later steps do not know the format. A document of Swagger 2.0 is first converted to OpenAPI 3.0
//! and then split.

mod ending;
mod json;
mod overlaid;
mod yaml;

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::older::Older;
use super::pointer;
use crate::content::{ContentHash, TextBytes};
use crate::diagnostic::{Code, Diagnostic};
use crate::path::SitePath;
use crate::place::Place;

pub use self::ending::{is_cut_json, is_json};

/// Format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON (RFC 8259).
    Json,
    /// YAML 1.2, core schema.
    Yaml,
}

impl Format {
    /// The format of the file at `path`, by its name.
    pub fn of(path: &SitePath) -> Option<Self> {
        match path.extension().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// One part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// JSON pointer (RFC 6901).
    pub key: Arc<str>,
    /// Value as JSON.
    pub json: Arc<str>,
    /// The digest of that.
    pub digest: ContentHash,
}

/// A document in slices, with the state to follow its edits.
#[derive(Clone, Debug)]
pub struct SplitDocument {
    path: SitePath,
    format: Format,
    text: TextBytes,
    /// The slices, in the order of the document.
    pub slices: Vec<Slice>,
    /// Spans of the slices in the text; empty if unknown.
    spans: Vec<Span>,
    /// Diagnostics of the document as text, and of the overlays that change it.
    pub problems: Vec<Diagnostic>,
    /// Places in overlays that set the values at these pointers and below.
    pub origins: Vec<(String, Place)>,
}

/// A cut without its text, stored for the next start.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredCut {
    /// The pointers of the slices, the digests of their JSON, and the JSON where it differs from
    /// the text of their span.
    slices: Vec<(String, ContentHash, Option<String>)>,
    spans: Vec<Span>,
    problems: Vec<Diagnostic>,
}

/// An edit of a document within one of its slices.
#[derive(Clone, Debug)]
pub struct SliceEdit {
    /// Index of the slice.
    at: usize,
    /// JSON now.
    json: Arc<str>,
    /// The text of the document now.
    text: TextBytes,
}

impl SliceEdit {
    /// Returns the index of its slice, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The text of the document after it.
    pub fn text(&self) -> &TextBytes {
        &self.text
    }
}

/// Span of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Span {
    range: Range<usize>,
    /// Whether an edit inside it can change this slice only. Not so for an empty container, and for slices that were
    /// taken out of one block.
    is_alone: bool,
}

impl SplitDocument {
    /// Cuts the document `text` of the file (or URL) `path`.
    pub fn split(path: &SitePath, format: Format, text: TextBytes) -> Self {
        let mut cut = Cut::new(path, &text);
        match std::str::from_utf8(&text) {
            Ok(valid) => cut.document(format, valid),
            Err(error) => {
                let lossy = String::from_utf8_lossy(&text).into_owned();
                let message = "the file is not UTF-8; what cannot be read is shown as `\u{fffd}`";
                let place = Place::in_text(path, &lossy, error.valid_up_to(), 1);
                let problem = Diagnostic::new(Code::InvalidUtf8, place, message);
                cut.problems.push(problem.hint("save the file as UTF-8"));
                cut.document(format, &lossy);
                // Offsets are those of another text.
                cut.spans.clear();
            }
        }
        if cut.spans.len() != cut.slices.len() {
            cut.spans.clear();
        }
        cut.convert();
        let Cut {
            slices,
            spans,
            problems,
            ..
        } = cut;
        Self {
            path: path.clone(),
            format,
            text,
            slices,
            spans,
            problems,
            origins: Vec::new(),
        }
    }

    /// Returns the part of this cut that is stored.
    pub fn storable(&self) -> StoredCut {
        let slices = self.slices.iter().enumerate().map(|(i, slice)| {
            let span = self.spans.get(i);
            let is_text = span.and_then(|span| self.text.get(span.range.clone()))
                == Some(slice.json.as_bytes());
            let own = (!is_text).then(|| slice.json.to_string());
            (slice.key.to_string(), slice.digest, own)
        });
        StoredCut {
            slices: slices.collect(),
            spans: self.spans.clone(),
            problems: self.problems.clone(),
        }
    }

    /// Restores the cut of `text` that was `stored`, as [`SplitDocument::split`] would make it.
    /// `None` if it belongs to another text.
    pub fn of_kept(
        path: &SitePath,
        format: Format,
        text: TextBytes,
        stored: StoredCut,
    ) -> Option<Self> {
        let valid = std::str::from_utf8(&text).unwrap_or_default();
        let slices = stored
            .slices
            .into_iter()
            .enumerate()
            .map(|(i, (key, digest, own))| {
                let json = match own {
                    Some(json) => json.into(),
                    None => valid.get(stored.spans.get(i)?.range.clone())?.into(),
                };
                let key = key.into();
                Some(Slice { key, json, digest })
            });
        let slices = slices.collect::<Option<_>>()?;
        Some(Self {
            path: path.clone(),
            format,
            slices,
            text,
            spans: stored.spans,
            problems: stored.problems,
            origins: Vec::new(),
        })
    }

    /// Returns this document with its text replaced by `text`. Unchanged slices are the same
    /// `Arc`s, so comparing them compares pointers.
    #[must_use]
    pub fn edited(&self, text: TextBytes) -> Self {
        let same = (
            common_prefix(&self.text, &text),
            common_suffix(&self.text, &text),
        );
        self.edited_between(text, same)
    }

    /// Like [`SplitDocument::edited`], for callers that already know `same`: the lengths, in bytes,
    /// of the common prefix ([`common_prefix`]) and the common suffix ([`common_suffix`]) of both
    /// texts.
    #[must_use]
    pub fn edited_between(&self, text: TextBytes, same: (usize, usize)) -> Self {
        if let Some(edit) = self.edit(&text, same) {
            let mut edited = self.clone();
            edited.apply(edit);
            return edited;
        }
        self.cut_again(text)
    }

    /// Splits `text` from scratch, without comparing it with the old text. The result equals that
    /// of [`SplitDocument::edited`]: slices that did not change keep their keys and values.
    #[must_use]
    pub fn cut_again(&self, text: TextBytes) -> Self {
        let mut edited = Self::split(&self.path, self.format, text);
        // Slices mostly keep their order, so the search begins after the last match.
        let mut old = self.slices.iter().cycle();
        for slice in &mut edited.slices {
            let same = old
                .by_ref()
                .take(self.slices.len())
                .find(|old| old.key == slice.key);
            if let Some(same) = same {
                slice.key = same.key.clone();
                if same.digest == slice.digest {
                    slice.json = same.json.clone();
                }
            }
        }
        edited
    }

    /// Returns the edit that makes this the document of `text`, if the difference lies within one
    /// slice and nothing else has to be read: following it costs the slice, not the document.
    pub fn edit(&self, text: &TextBytes, (prefix, suffix): (usize, usize)) -> Option<SliceEdit> {
        if !self.is_incremental() {
            return None;
        }
        let most = (self.text.len().min(text.len())).checked_sub(prefix)?;
        let suffix = suffix.min(most);
        let changed = prefix..self.text.len() - suffix;
        let at = self
            .spans
            .iter()
            .position(|span| span.range.start < changed.start && changed.end < span.range.end)?;
        let span = &self.spans[at];
        if !span.is_alone {
            return None;
        }
        let end = span.range.end + text.len() - self.text.len();
        let part = std::str::from_utf8(text.get(span.range.start..end)?).ok()?;
        let key = &self.slices[at].key;
        let json = match self.format {
            Format::Json => json::slice(part)?,
            Format::Yaml => yaml::slice(part, key, indent(&self.text[span.range.clone()]))?,
        };
        Some(SliceEdit {
            at,
            json,
            text: text.clone(),
        })
    }

    /// Follows `edit`, which is one of this very document. Returns which slice has become another value, if one has.
    pub fn apply(&mut self, edit: SliceEdit) -> Option<usize> {
        let SliceEdit { at, json, text } = edit;
        let shift = |offset: usize| offset + text.len() - self.text.len();
        let (before, after) = self.spans.split_at_mut(at + 1);
        if let Some(span) = before.last_mut() {
            span.range.end = shift(span.range.end);
        }
        for span in after {
            span.range = shift(span.range.start)..shift(span.range.end);
        }
        self.text = text;
        let slice = self.slices.get_mut(at)?;
        let digest = ContentHash::of(json.as_bytes());
        (digest != slice.digest).then(|| {
            (slice.json, slice.digest) = (json, digest);
            at
        })
    }

    /// Returns true if it claims to be a specification: of OpenAPI (`openapi`, or `swagger` of the
    /// versions before 3.0) or of AsyncAPI (`asyncapi`).
    pub fn is_specification(&self) -> bool {
        self.slices
            .iter()
            .any(|slice| matches!(&*slice.key, "/openapi" | "/swagger" | "/asyncapi"))
    }

    /// Returns true if the file at `path` with the content `text` may be a specification: a cheap
    /// check.
    pub fn may_be_specification(path: &SitePath, text: &[u8]) -> bool {
        let is_config = matches!(path.as_str(), "docs.json" | "mint.json");
        let has = |name: &str| memchr::memmem::find(text, name.as_bytes()).is_some();
        Format::of(path).is_some()
            && !is_config
            && ["openapi", "swagger", "asyncapi"].into_iter().any(has)
    }

    /// Returns true if an edit inside a slice is followed without reading the rest.
    pub fn is_incremental(&self) -> bool {
        self.problems.is_empty() && !self.spans.is_empty()
    }

    /// The text of the document.
    pub fn text(&self) -> &TextBytes {
        &self.text
    }
}

/// The place of the last sign of `text` at or before `at`: faults are often found behind the white space that follows them.
pub fn last_sign(text: &str, at: usize) -> usize {
    let end = (at + 1).min(text.len());
    let mut before = text.as_bytes()[..end].iter();
    before
        .rposition(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(0)
}

/// Returns the number of spaces at the start of a text.
fn indent(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b' ').count()
}

/// Returns the length of the common prefix of `a` and `b`, in bytes.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(4096).zip(b.chunks_exact(4096));
    let same = 4096 * blocks.take_while(|(a, b)| a == b).count();
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// Returns the length of the common suffix of `a` and `b`, in bytes.
pub fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks_exact(4096).zip(b.rchunks_exact(4096));
    let same = 4096 * blocks.take_while(|(a, b)| a == b).count();
    let rest = a[..a.len() - same].iter().rev();
    let rest = rest.zip(b[..b.len() - same].iter().rev());
    same + rest.take_while(|(a, b)| a == b).count()
}

/// Returns the number of levels below `name` whose members are slices of their own, where the
/// object at `key` is cut down to `levels` below: two levels below `paths`, `webhooks` and
/// `components`, one below `channels` and `operations` (AsyncAPI), none elsewhere. An extension of
/// `components` is one value: its meaning is unknown, and references may lead to the whole.
fn levels_below(key: &str, name: &str, levels: usize) -> usize {
    match (key, name) {
        ("", "paths" | "webhooks" | "components") => 2,
        ("", "channels" | "operations") => 1,
        ("", _) => 0,
        ("/components", name) if name.starts_with("x-") => 0,
        _ => levels - 1,
    }
}

/// The place of the slice `key` in the document `root`, with objects around it.
fn slot<'v>(root: &'v mut Value, key: &str) -> &'v mut Value {
    let mut at = root;
    for name in pointer::segments(key) {
        if !at.is_object() {
            *at = Value::Object(serde_json::Map::new());
        }
        at = &mut at[name];
    }
    at
}

/// A cut under way.
struct Cut<'t> {
    path: &'t SitePath,
    slices: Vec<Slice>,
    spans: Vec<Span>,
    problems: Vec<Diagnostic>,
    positions: std::collections::HashMap<Arc<str>, usize>,
}

impl<'t> Cut<'t> {
    fn new(path: &'t SitePath, _text: &[u8]) -> Self {
        Self {
            path,
            slices: Vec::new(),
            spans: Vec::new(),
            problems: Vec::new(),
            positions: std::collections::HashMap::new(),
        }
    }

    fn document(&mut self, format: Format, text: &str) {
        match format {
            Format::Json => json::split(self, text),
            Format::Yaml => yaml::split(self, text),
        }
    }

    /// Adds a slice; the last one with a key wins, in the place of the first.
    fn add(&mut self, key: &str, json: Arc<str>, span: Option<Span>) {
        let slice = Slice {
            key: key.into(),
            digest: ContentHash::of(json.as_bytes()),
            json,
        };
        match self.positions.get(key) {
            Some(&at) => {
                self.slices[at] = slice;
                // The order of the spans is no longer that of the text.
                self.spans.clear();
            }
            None => {
                self.positions.insert(slice.key.clone(), self.slices.len());
                self.slices.push(slice);
                self.spans.extend(span);
            }
        }
    }

    /// Drops the entries below `key`: they are recorded again.
    fn forget_below(&mut self, key: &str) {
        let is_below = |known: &str| {
            known
                .strip_prefix(key)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.slices.iter().any(|slice| is_below(&slice.key)) {
            self.slices.retain(|slice| !is_below(&slice.key));
            self.spans.clear();
            self.positions = (self.slices.iter().enumerate())
                .map(|(i, slice)| (slice.key.clone(), i))
                .collect();
        }
    }

    /// Cuts a document of an older format, such as Swagger 2.0, as the one of the newer format that
    /// it is read as. The content of a slice is then not text of the document, so an edit is
    /// followed by cutting it again.
    fn convert(&mut self) {
        let value_of = |key: &str| {
            let slice = self.slices.iter().find(|slice| &*slice.key == key)?;
            serde_json::from_str::<Value>(&slice.json).ok()
        };
        let Some(older) = Older::of(&value_of) else {
            return;
        };
        let mut root = Value::Object(serde_json::Map::new());
        for slice in std::mem::take(&mut self.slices) {
            *slot(&mut root, &slice.key) = serde_json::from_str(&slice.json).unwrap_or_default();
        }
        self.spans.clear();
        self.positions.clear();
        self.explode("", older.converted(root), 3, None);
    }

    fn repeated(&mut self, pointer: String) {
        let name = pointer::segments(&pointer).last().unwrap_or_default();
        let message = format!("`{name}` appears more than once here; the last one is used");
        let problem = Diagnostic::new(Code::DuplicateKey, Place::key(self.path, pointer), message);
        self.problems.push(problem.hint("remove all but one"));
    }

    /// Adds the slices of a value that was parsed as a whole.
    fn explode(&mut self, key: &str, value: Value, levels: usize, span: Option<&Span>) {
        match value {
            Value::Object(members) if levels > 0 && !members.is_empty() => {
                for (name, value) in members {
                    let below = levels_below(key, &name, levels);
                    self.explode(&pointer::child(key, &name), value, below, span);
                }
            }
            value => {
                let json = serde_json::to_string(&value).unwrap_or_default();
                self.add(key, json.into(), span.cloned());
            }
        }
    }
}

#[cfg(test)]
mod tests;
