//! What a migration tells its reader: what was not carried over, where it is, and what to do instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::folder::Folder;
use crate::node::{Data, Node, Place};

/// Maximum number of places that are named of one thing.
const MAX_PLACES: usize = 3;

/// Maximum number of items that are listed.
const MAX_ITEMS: usize = 200;

/// Something that a person has to look at.
#[derive(Clone, Debug)]
struct Item {
    /// What it is.
    message: String,
    /// What to do.
    hint: String,
    /// Places, in the order in which they were met.
    places: Vec<Place>,
    /// The same places.
    places_seen: BTreeSet<Place>,
}

/// A list of what was not carried over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    /// Parts of the configuration.
    items: Vec<Item>,
    /// Positions in `items` by message and hint.
    positions: BTreeMap<(String, String), usize>,
    /// Features that pages use, by name: what to do, and the pages.
    features: BTreeMap<&'static str, (&'static str, Vec<Place>)>,
    /// What a reader should know of the result.
    notes: Vec<String>,
}

impl Report {
    /// Adds something that was not carried over. The same message twice is one item.
    pub(crate) fn add(&mut self, place: &Place, message: impl Into<String>, hint: &str) {
        let key = (message.into(), hint.to_owned());
        let next = self.items.len();
        let at = *self.positions.entry(key.clone()).or_insert(next);
        if at == next {
            let (message, hint) = key;
            self.items.push(Item {
                message,
                hint,
                places: Vec::new(),
                places_seen: BTreeSet::new(),
            });
        }
        if let Some(item) = self.items.get_mut(at)
            && item.places_seen.insert(place.clone())
        {
            item.places.push(place.clone());
        }
    }

    /// Adds each part of `node` that is not known. `what` says what `node` is.
    pub(crate) fn add_unknown(&mut self, node: &Node, what: &str, hint: &str) {
        node.each_unknown(&mut |place, why| {
            self.add(place, format!("{what}: {why}"), hint);
        });
    }

    /// Adds `node` itself if it is not known; returns true if so.
    pub(crate) fn add_if_unknown(&mut self, node: &Node, what: &str, hint: &str) -> bool {
        let Data::Unknown(why) = &node.data else {
            return false;
        };
        self.add(&node.place, format!("{what}: {why}"), hint);
        true
    }

    /// Counts a page that uses the feature `name`.
    pub(crate) fn count(&mut self, name: &'static str, hint: &'static str, place: Place) {
        let (_, places) = self.features.entry(name).or_insert((hint, Vec::new()));
        if places.last().is_none_or(|last| last.file != place.file) {
            places.push(place);
        }
    }

    /// Adds a line about the result.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Returns the report as lines of text.
    pub(crate) fn lines(&self, folder: &Folder) -> Vec<String> {
        let mut lines = self.notes.clone();
        if !self.items.is_empty() {
            lines.push("not carried over:".to_owned());
        }
        for item in self.items.iter().take(MAX_ITEMS) {
            let places: Vec<String> = item
                .places
                .iter()
                .take(MAX_PLACES)
                .map(|place| location(place, folder))
                .collect();
            let mut line = format!("  {}", places.join(", "));
            if item.places.len() > MAX_PLACES {
                let _ = write!(line, " and {} more", item.places.len() - MAX_PLACES);
            }
            let _ = write!(line, ": {}", item.message);
            lines.push(line);
            if !item.hint.is_empty() {
                lines.push(format!("    {}", item.hint));
            }
        }
        if self.items.len() > MAX_ITEMS {
            let more = self.items.len() - MAX_ITEMS;
            lines.push(format!(
                "  and {more} more, which are listed when these are mended"
            ));
        }
        if !self.features.is_empty() {
            lines.push("pages use what Quire does not have:".to_owned());
        }
        for (name, (hint, places)) in &self.features {
            let count = places.len();
            let pages = if count == 1 { "page" } else { "pages" };
            let first = places
                .first()
                .map(|place| location(place, folder))
                .unwrap_or_default();
            lines.push(format!("  {name}: {count} {pages}, first {first}"));
            lines.push(format!("    {hint}"));
        }
        lines
    }
}

/// `place` as `file:line:column`.
fn location(place: &Place, folder: &Folder) -> String {
    let file = &place.file;
    let Some(text) = folder.read(file) else {
        return file.to_string();
    };
    let mut at = place.offset(&text).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    format!("{file}:{line}:{column}")
}
