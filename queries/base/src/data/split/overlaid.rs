//! A document with overlays on it, cut into slices as the changed document would be.
//!
//! Only the slices that the overlays can reach are read as values, and only those that they change become others: whoever
//! compares slices compares pointers of the rest.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Cut, Slice, SplitDocument, slot};
use crate::content::TextBytes;
use crate::data::asyncapi2::ORIGIN;
use crate::data::json;
use crate::data::older::Older;
use crate::data::overlay::{ChangedPointers, Overlay};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::path::SitePath;

impl SplitDocument {
    /// This document with `overlays` applied in order: their files, with what they hold. A file that is not there changes
    /// nothing. Its text and the places in it are those of this document, and no edit of it is followed within a slice.
    #[must_use]
    pub fn overlaid(&self, overlays: &[(SitePath, Option<TextBytes>)]) -> Self {
        let present = overlays.iter();
        let present = present.filter_map(|(path, bytes)| Some((path, bytes.as_deref()?)));
        let overlays: Vec<Overlay> = present
            .map(|(path, bytes)| Overlay::parse(path, bytes, &self.path))
            .collect();
        let mut changed = ChangedPointers::new();
        let mut problems = self.problems.clone();
        let is_broken = problems.iter().any(|one| one.severity() == Severity::Error);
        for overlay in &overlays {
            problems.extend(overlay.problems.iter().cloned());
        }
        let mut apply = |root: &mut Value| -> Vec<Diagnostic> {
            let found = overlays.iter();
            found
                .flat_map(|overlay| overlay.apply(&self.path, root, &mut changed))
                .collect()
        };
        let (slices, found) = match self.unconverted() {
            Some((older, mut root)) => {
                // The origin of a converted value may be anywhere: its slices are compared by their
                // digests.
                let found = apply(&mut root);
                (self.all_of(older.converted(root)), found)
            }
            None => {
                let mut reach = Vec::new();
                overlays
                    .iter()
                    .for_each(|overlay| overlay.reach(&mut reach));
                let mut part = Part::of(self, &reach);
                let found = apply(&mut part.root);
                (part.into_slices(self, &changed), found)
            }
        };
        // A value missing in half a document may be in the other half.
        let is_reported = |found: &Diagnostic| !is_broken || found.code != Code::OverlayUnmatched;
        problems.extend(found.into_iter().filter(is_reported));
        let origins = changed.into_iter();
        let origins = origins.filter_map(|(pointer, place)| Some((pointer, place?)));
        Self {
            path: self.path.clone(),
            format: self.format,
            text: self.text.clone(),
            slices,
            spans: Vec::new(),
            problems,
            origins: origins.collect(),
        }
    }

    /// The document of Swagger 2.0 that this one was made of, if it was.
    fn unconverted(&self) -> Option<(Older, Value)> {
        let has = |key: &str| self.slices.iter().any(|slice| &*slice.key == key);
        if !(has("/swagger") && has("/openapi") || has(&format!("/{ORIGIN}"))) {
            return None;
        }
        let mut cut = Cut::new(&self.path, &self.text);
        cut.document(self.format, &String::from_utf8_lossy(&self.text));
        let value_of = |key: &str| {
            let slice = cut.slices.iter().find(|slice| &*slice.key == key)?;
            serde_json::from_str(&slice.json).ok()
        };
        let older = Older::of(&value_of)?;
        let mut root = Value::Object(Map::new());
        for slice in cut.slices {
            *slot(&mut root, &slice.key) = json::spelled(slice.json.as_bytes());
        }
        Some((older, root))
    }

    /// The slices of the value that this document has become.
    fn all_of(&self, root: Value) -> Vec<Slice> {
        let mut cut = Cut::new(&self.path, &[]);
        cut.explode("", root, 3, None);
        let known: HashMap<&str, &Slice> = (self.slices.iter())
            .map(|slice| (&*slice.key, slice))
            .collect();
        let slices = cut.slices.into_iter();
        slices
            .map(|slice| match known.get(&*slice.key) {
                Some(old) if old.digest == slice.digest => (*old).clone(),
                _ => slice,
            })
            .collect()
    }
}

/// Returns true if the value at `key` is needed to determine the value at `pointer` or below.
fn is_related(key: &str, pointer: &str) -> bool {
    let is_within = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    is_within(key, pointer) || is_within(pointer, key)
}

/// Returns true if anything at `key`, around it or below it has changed.
fn is_changed(key: &str, changed: &ChangedPointers) -> bool {
    let ends = key.match_indices('/').map(|(at, _)| at).chain([key.len()]);
    let mut around = ends.map(|end| &key[..end]);
    let below = format!("{key}/");
    let mut after = changed.range::<str, _>((Bound::Included(&*below), Bound::Unbounded));
    around.any(|outer| changed.contains_key(outer))
        || after
            .next()
            .is_some_and(|(next, _)| next.starts_with(&below))
}

/// The part of a document that overlays can reach, as a value.
struct Part {
    root: Value,
    /// The slices that are read.
    read: HashSet<Arc<str>>,
    /// The pointers around slices that are not.
    enclosing: HashSet<String>,
}

impl Part {
    fn of(document: &SplitDocument, reach: &[String]) -> Self {
        let mut part = Self {
            root: Value::Object(Map::new()),
            read: HashSet::new(),
            enclosing: HashSet::from([String::new()]),
        };
        for slice in &document.slices {
            if reach.iter().any(|pointer| is_related(&slice.key, pointer)) {
                *slot(&mut part.root, &slice.key) = json::spelled(slice.json.as_bytes());
                part.read.insert(slice.key.clone());
                continue;
            }
            // What is around it is there all the same: members can be added.
            let ends = slice.key.match_indices('/').map(|(at, _)| at).skip(1);
            for end in ends {
                let outer = &slice.key[..end];
                let value = slot(&mut part.root, outer);
                if !value.is_object() {
                    *value = Value::Object(Map::new());
                }
                part.enclosing.insert(outer.to_owned());
            }
        }
        part
    }

    /// The slices of `document`, of which this part was changed.
    fn into_slices(self, document: &SplitDocument, changed: &ChangedPointers) -> Vec<Slice> {
        let mut cut = Cut::new(&document.path, &[]);
        cut.explode("", self.root, 3, None);
        let mut by_key: BTreeMap<Arc<str>, (usize, Slice)> = BTreeMap::new();
        for (i, slice) in cut.slices.into_iter().enumerate() {
            if !self.enclosing.contains(&*slice.key) {
                by_key.insert(slice.key.clone(), (i, slice));
            }
        }
        let mut slices = Vec::with_capacity(document.slices.len());
        for slice in &document.slices {
            if !self.read.contains(&slice.key) {
                slices.push(slice.clone());
                continue;
            }
            let Some((_, now)) = by_key.remove(&slice.key) else {
                continue;
            };
            slices.push(
                match is_changed(&slice.key, changed) && now.digest != slice.digest {
                    true => Slice {
                        key: slice.key.clone(),
                        ..now
                    },
                    false => slice.clone(),
                },
            );
        }
        // A new slice comes after the last of those around it, as added members do.
        let mut new: Vec<(usize, Slice)> = by_key.into_values().collect();
        new.sort_by_key(|(i, _)| *i);
        for (_, slice) in new {
            let at = place_of(&slice.key, &slices);
            slices.insert(at, slice);
        }
        slices
    }
}

/// Returns the index of a new slice: after the last one that shares the longest part of its
/// pointer.
fn place_of(key: &str, slices: &[Slice]) -> usize {
    let mut outer = key;
    while let Some((around, _)) = outer
        .rsplit_once('/')
        .filter(|(around, _)| !around.is_empty())
    {
        let below = format!("{around}/");
        let last = slices
            .iter()
            .rposition(|slice| slice.key.starts_with(&below));
        if let Some(last) = last {
            return last + 1;
        }
        outer = around;
    }
    slices.len()
}
