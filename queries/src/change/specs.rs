//! OpenAPI documents as the writer of inputs knows them: how each was cut, and the inputs of its slices.
//!
//! A slice is written only if its digest differs, and stays the same input when it vanishes and comes back.

use std::collections::BTreeMap;
use std::sync::Arc;

use salsa::{Durability, Setter};

use crate::change::overlays::{SpecKey, SpecOverlays, overlaid};
use crate::change::text::Text;
use crate::db::Database;
use crate::inputs::{Spec, SpecSlice};
use crate::store::{ArtifactStore, Kind};
use crate::trace::{Subject, cached_in};
use base::content::{ContentHash, TextBytes};
use base::data::split::{Format, Slice, SliceEdit, SplitDocument};
use base::path::SitePath;

/// The documents that were ever seen, as they are and with overlays.
#[derive(Default)]
pub(super) struct Specs {
    entries: BTreeMap<SpecKey, KnownSpec>,
    /// Overlays named by the configuration.
    overlays: SpecOverlays,
}

struct KnownSpec {
    /// `None` until it is written for the first time.
    spec: Option<Spec>,
    /// Its last slices; `None` if it does not exist.
    document: Option<SplitDocument>,
    slices: BTreeMap<Arc<str>, KnownSlice>,
    /// The inputs of the slices of `document`, in their order.
    order: Vec<SpecSlice>,
    digest: Option<ContentHash>,
}

/// The input of a slice, and what it was set to.
struct KnownSlice {
    input: SpecSlice,
    digest: ContentHash,
}

/// Target of drafts, and the result.
pub(super) struct Writer<'w> {
    /// The inputs.
    pub(super) db: &'w mut Database,
    /// Called with each new digest and its bytes.
    pub(super) retain: &'w mut dyn FnMut(ContentHash, TextBytes),
    /// Digests that no input uses any more: their contents can be dropped.
    pub(super) forgotten: &'w mut Vec<ContentHash>,
    /// The parts whose inputs were set.
    pub(super) edited: &'w mut Vec<Part>,
}

impl KnownSlice {
    /// The input of a slice that was not there before.
    fn new(slice: &Slice, durability: Durability, db: &Database) -> Self {
        let input = SpecSlice::builder(slice.key.clone(), slice.digest)
            .durability(durability)
            .key_durability(Durability::NEVER_CHANGE)
            .new(db);
        let digest = slice.digest;
        Self { input, digest }
    }

    /// Sets the input to what `slice` is now.
    fn set(&mut self, spec: &SitePath, slice: &Slice, writer: &mut Writer<'_>) {
        let digest = slice.digest;
        if digest == self.digest {
            return;
        }
        (writer.retain)(digest, slice.json.clone().into());
        let before = std::mem::replace(&mut self.digest, digest);
        writer.forgotten.push(before);
        self.input
            .set_digest(writer.db)
            .with_durability(Durability::MEDIUM)
            .to(digest);
        writer.edited.push(Part {
            spec: spec.clone(),
            key: slice.key.clone(),
        });
    }
}

impl KnownSpec {
    /// Forgets the document; its inputs stay, and nothing names them.
    fn remove(&mut self, writer: &mut Writer<'_>) {
        self.document = None;
        self.order = Vec::new();
        writer.forgotten.extend(self.digest.take());
    }

    /// Takes over an edit within one slice.
    fn edit_slice(
        &mut self,
        path: &SitePath,
        (edit, digest): (SliceEdit, ContentHash),
        writer: &mut Writer<'_>,
    ) {
        let Some(document) = &mut self.document else {
            return;
        };
        let slice = document.apply(edit).map(|at| &document.slices[at]);
        (writer.retain)(digest, document.text().clone());
        writer.forgotten.extend(self.digest.replace(digest));
        if let Some(spec) = self.spec {
            spec.set_digest(writer.db)
                .with_durability(Durability::LOW)
                .to(digest);
        }
        if let Some(slice) = slice
            && let Some(known) = self.slices.get_mut(&slice.key)
        {
            known.set(path, slice, writer);
        }
    }

    /// Applies a document that was split again from scratch.
    fn replace(
        &mut self,
        key: &SpecKey,
        (document, digest): (SplitDocument, ContentHash),
        writer: &mut Writer<'_>,
    ) {
        let order = self.set_slices(&key.path, &document, writer);
        (writer.retain)(digest, document.text().clone());
        writer.forgotten.extend(self.digest.replace(digest));
        match self.spec {
            None => self.spec = Some(new_spec(writer.db, key, digest, &order, &document)),
            Some(spec) => set_spec(writer.db, spec, digest, &order, &document),
        }
        self.document = Some(document);
        self.order = order;
    }

    /// Sets the slices of `document` that differ; returns the inputs of all of them, in its order.
    fn set_slices(
        &mut self,
        path: &SitePath,
        document: &SplitDocument,
        writer: &mut Writer<'_>,
    ) -> Vec<SpecSlice> {
        let mut order: Vec<SpecSlice> = Vec::with_capacity(document.slices.len());
        let before = self.document.as_ref().map(|before| &before.slices[..]);
        // What appears while a document is edited is being worked on.
        let durability = match before {
            Some(_) => Durability::MEDIUM,
            None => Durability::HIGH,
        };
        for (i, slice) in document.slices.iter().enumerate() {
            // An unchanged slice is the same allocation: nothing is looked up and nothing hashed.
            let old = before.and_then(|before| before.get(i));
            let is_same = old.is_some_and(|old| {
                Arc::ptr_eq(&old.json, &slice.json) && Arc::ptr_eq(&old.key, &slice.key)
            });
            if let Some(input) = self.order.get(i).filter(|_| is_same) {
                order.push(*input);
            } else if let Some(known) = self.slices.get_mut(&slice.key) {
                order.push(known.input);
                known.set(path, slice, writer);
            } else {
                (writer.retain)(slice.digest, slice.json.clone().into());
                let known = KnownSlice::new(slice, durability, writer.db);
                order.push(known.input);
                self.slices.insert(slice.key.clone(), known);
            }
        }
        order
    }
}

/// A document that changed, cut but not written yet: cutting takes longer than readers should wait.
pub(super) struct Draft {
    key: SpecKey,
    change: Change,
}

/// Change of a document.
enum Change {
    /// Removed.
    Gone,
    /// Split again from scratch.
    Cut(SplitDocument, ContentHash),
    /// One slice of the document with the text `before` is another.
    Slice {
        before: TextBytes,
        edit: SliceEdit,
        digest: ContentHash,
    },
}

/// Effect of a new text on a document.
pub(super) enum TextEffect {
    /// Text as before, or no document before.
    AsBefore,
    /// One slice is another.
    Slice(SliceEdit),
    /// Split again from scratch.
    Cut(SplitDocument),
}

impl TextEffect {
    /// Returns true if exactly one slice changed.
    pub(super) fn is_slice(&self) -> bool {
        matches!(self, Self::Slice(_))
    }
}

impl Draft {
    /// Path of the document.
    pub(super) fn path(&self) -> &SitePath {
        &self.key.path
    }
}

/// A part of a specification that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The specification.
    pub spec: SitePath,
    /// Pointer in the document.
    pub key: Arc<str>,
}

/// Minimum number of bytes of a document whose slices are stored.
const WORTH_KEEPING: usize = 64 * 1024;

/// Splits a document that was not read before, with the result cached in `artifacts` if it is long.
fn split_document(
    path: &SitePath,
    text: &TextBytes,
    digest: ContentHash,
    artifacts: Option<&dyn ArtifactStore>,
) -> Option<SplitDocument> {
    let format = Format::of(path)?;
    let split = || SplitDocument::split(path, format, text.clone());
    let Some(artifacts) = artifacts.filter(|_| text.len() >= WORTH_KEEPING) else {
        return Some(split());
    };
    let mut made = None;
    // Problems name the file, and its name says the format.
    let parts = [path.as_str().as_bytes()];
    let made_of = Subject::of_text(&parts, digest);
    let kept = cached_in(artifacts, Kind::Cut, made_of, || {
        made.insert(split()).storable()
    });
    let cut = made.or_else(|| SplitDocument::of_kept(path, format, text.clone(), kept));
    Some(cut.unwrap_or_else(split))
}

impl Specs {
    /// Documents with an address instead of a path, and the digests of their texts.
    pub(super) fn fetched(&self) -> impl Iterator<Item = (&SitePath, ContentHash)> {
        let plain = self.entries.iter();
        let plain = plain.filter(|(key, _)| key.overlays.is_empty() && key.path.is_url());
        plain.filter_map(|(key, known)| Some((&key.path, known.digest?)))
    }

    /// Each part of each specification: its input, its document and its digest.
    pub(super) fn parts(&self) -> impl Iterator<Item = (SpecSlice, Part, ContentHash)> {
        self.entries.iter().flat_map(|(spec, known)| {
            let parts = known.slices.iter();
            parts.map(|(key, slice)| {
                let part = Part {
                    spec: spec.path.clone(),
                    key: key.clone(),
                };
                (slice.input, part, slice.digest)
            })
        })
    }

    /// The digests of what is retained: of the documents, and of every part that they ever had.
    pub(super) fn digests(&self) -> impl Iterator<Item = ContentHash> {
        self.entries.values().flat_map(|known| {
            let parts = known.slices.values().map(|slice| slice.digest);
            parts.chain(known.digest)
        })
    }

    /// The document at `path` as it is, without overlays.
    fn plain(&self, path: &SitePath) -> Option<&KnownSpec> {
        self.entries.get(&SpecKey::plain(path))
    }

    /// The text of the document at `path` as it was seen last, and its digest.
    pub(super) fn text(&self, path: &SitePath) -> Option<(&TextBytes, ContentHash)> {
        let known = self.plain(path)?;
        Some((known.document.as_ref()?.text(), known.digest?))
    }

    /// The part of the document at `path` that would change if it held `bytes`; `None` if that is not one part.
    pub(super) fn part_changed_by(&self, path: &SitePath, text: &Text) -> Option<Part> {
        let document = self.plain(path)?.document.as_ref()?;
        let edit = document.edit(&text.bytes, text.same_as(document.text()))?;
        Some(Part {
            spec: path.clone(),
            key: document.slices.get(edit.at())?.key.clone(),
        })
    }

    /// Returns true if the document at `path`, which was read as a whole, would be incomplete with
    /// this text. `is_open` means that a program still has the file open for writing: then YAML, which
    /// may end at any line, is not known to be complete.
    pub(super) fn is_cut_by(
        &self,
        path: &SitePath,
        text: &Text,
        followed: &TextEffect,
        is_open: bool,
    ) -> bool {
        let Some(known) = self.plain(path) else {
            return false;
        };
        let Some(document) = known.document.as_ref().filter(|known| known.is_whole()) else {
            return false;
        };
        let is_open = is_open && Format::of(path) == Some(Format::Yaml);
        let is_cut = || document.is_cut_by(&text.bytes, text.same_as(document.text()));
        known.digest != Some(text.digest) && (is_open || !followed.is_slice() && is_cut())
    }

    /// Effect of the current text on the document at `path`.
    pub(super) fn follow(&self, path: &SitePath, text: &Text) -> TextEffect {
        let known = self.plain(path);
        let known = known.filter(|known| known.digest != Some(text.digest));
        let Some(document) = known.and_then(|known| known.document.as_ref()) else {
            return TextEffect::AsBefore;
        };
        match document.edit(&text.bytes, text.same_as(document.text())) {
            Some(edit) => TextEffect::Slice(edit),
            None => TextEffect::Cut(document.cut_again(text.bytes.clone())),
        }
    }

    /// Returns true if the document at `path`, which was readable, is not any more as it is
    /// `followed`.
    pub(super) fn is_broken_by(&self, path: &SitePath, followed: &TextEffect) -> bool {
        let document = self.plain(path).and_then(|known| known.document.as_ref());
        let was_whole = document.is_some_and(SplitDocument::is_whole);
        match followed {
            TextEffect::Cut(edited) => {
                was_whole && (!edited.is_whole() || !edited.is_specification())
            }
            // An edit within a part that can be read leaves the document as readable as it was.
            TextEffect::Slice(_) | TextEffect::AsBefore => false,
        }
    }

    /// The document at `path`, which holds this text now, or is gone; `None` if it was no OpenAPI document before and is
    /// none now, or has not changed. How it is cut is kept in `artifacts`.
    pub(super) fn draft(
        &self,
        path: &SitePath,
        text: Option<(&Text, TextEffect)>,
        artifacts: Option<&dyn ArtifactStore>,
    ) -> Option<Draft> {
        let known = self.plain(path).and_then(|known| known.document.as_ref());
        let change = match (known, text) {
            (Some(_), Some((_, TextEffect::AsBefore))) => return None,
            (Some(known), Some((text, TextEffect::Slice(edit)))) => Change::Slice {
                before: known.text().clone(),
                edit,
                digest: text.digest,
            },
            (Some(_), Some((text, TextEffect::Cut(document)))) => {
                Change::Cut(document, text.digest)
            }
            (None, Some((text, _))) if SplitDocument::may_be_specification(path, &text.bytes) => {
                let document = split_document(path, &text.bytes, text.digest, artifacts)?;
                Change::Cut(document, text.digest)
            }
            _ => Change::Gone,
        };
        let change = match change {
            // A document that is being edited may lose its first line for a moment, but then it is none.
            Change::Cut(document, _) if !document.is_specification() => Change::Gone,
            change => change,
        };
        let key = SpecKey::plain(path);
        (known.is_some() || !matches!(change, Change::Gone)).then_some(Draft { key, change })
    }

    /// The document at `path` without overlays as it will be after `drafts`, with its digest.
    fn upcoming(&self, path: &SitePath, drafts: &[Draft]) -> Option<(SplitDocument, ContentHash)> {
        let plain = SpecKey::plain(path);
        let known = || {
            let known = self.entries.get(&plain)?;
            Some((known.document.clone()?, known.digest?))
        };
        let Some(draft) = drafts.iter().rfind(|draft| draft.key == plain) else {
            return known();
        };
        match &draft.change {
            Change::Gone => None,
            Change::Cut(document, digest) => Some((document.clone(), *digest)),
            Change::Slice { edit, digest, .. } => {
                let (document, _) = known()?;
                Some((document.edited(edit.text().clone()), *digest))
            }
        }
    }

    /// Adds to `drafts` what becomes of the documents with overlays once the configuration says `overlays`; `read` reads a file
    /// of the site as it will be, `has_changed` tells whether it will be another one.
    pub(super) fn draft_overlaid(
        &self,
        overlays: &SpecOverlays,
        drafts: &mut Vec<Draft>,
        read: &mut dyn FnMut(&SitePath) -> Option<TextBytes>,
        has_changed: &dyn Fn(&SitePath) -> bool,
    ) {
        let known = self.entries.iter();
        let gone = known.filter(|(key, known)| {
            let is_wanted = || {
                overlays
                    .get(&key.path)
                    .is_some_and(|keys| keys.contains(key))
            };
            !key.overlays.is_empty() && known.document.is_some() && !is_wanted()
        });
        let mut new_drafts: Vec<Draft> = gone
            .map(|(key, _)| Draft {
                key: key.clone(),
                change: Change::Gone,
            })
            .collect();
        for key in overlaid(overlays) {
            let known = self.entries.get(key);
            let is_there = known.is_some_and(|known| known.document.is_some());
            let plain = SpecKey::plain(&key.path);
            let is_as_before = is_there
                && !drafts.iter().any(|draft| draft.key == plain)
                && !key.overlays.iter().any(has_changed);
            if is_as_before {
                continue;
            }
            let change = match self.upcoming(&key.path, drafts) {
                Some((document, digest)) => {
                    let files = key.overlays.iter().map(|path| (path.clone(), read(path)));
                    let files: Vec<_> = files.collect();
                    Change::Cut(document.overlaid(&files), digest)
                }
                None if is_there => Change::Gone,
                None => continue,
            };
            let key = key.clone();
            new_drafts.push(Draft { key, change });
        }
        drafts.append(&mut new_drafts);
    }

    /// Overlays named by the configuration.
    pub(super) fn configured_overlays(&self) -> &SpecOverlays {
        &self.overlays
    }

    /// Takes over what the configuration says of overlays; returns whether that is news.
    pub(super) fn set_wanted(&mut self, overlays: SpecOverlays) -> bool {
        let is_other = self.overlays != overlays;
        self.overlays = overlays;
        is_other
    }

    /// Writes `draft` into the inputs; returns whether a document appeared or vanished.
    pub(super) fn write(&mut self, draft: Draft, writer: &mut Writer<'_>) -> bool {
        let key = &draft.key;
        let known = self.entries.entry(key.clone()).or_insert(KnownSpec {
            spec: None,
            document: None,
            slices: BTreeMap::new(),
            order: Vec::new(),
            digest: None,
        });
        let was_there = known.document.is_some();
        match (draft.change, &known.document) {
            (Change::Gone, _) | (Change::Slice { .. }, None) => known.remove(writer),
            (Change::Cut(document, digest), _) => known.replace(key, (document, digest), writer),
            (
                Change::Slice {
                    before,
                    edit,
                    digest,
                },
                Some(document),
            ) => {
                if before.ptr_eq(document.text()) {
                    known.edit_slice(&key.path, (edit, digest), writer);
                } else {
                    // It was edited since, which is another edit of the same file in the same batch.
                    let document = document.edited(edit.text().clone());
                    known.replace(key, (document, digest), writer);
                }
            }
        }
        was_there != known.document.is_some()
    }

    /// Makes the inputs of the same documents in another database, each slice with its present digest.
    pub(super) fn rebuilt(&self, db: &Database) -> Self {
        let present = self.entries.iter().filter_map(|(key, known)| {
            let (document, digest) = (known.document.clone()?, known.digest?);
            let mut slices = BTreeMap::new();
            let mut order = Vec::with_capacity(document.slices.len());
            for slice in &document.slices {
                let known = KnownSlice::new(slice, Durability::HIGH, db);
                order.push(known.input);
                slices.insert(slice.key.clone(), known);
            }
            let known = KnownSpec {
                spec: Some(new_spec(db, key, digest, &order, &document)),
                document: Some(document),
                slices,
                order,
                digest: Some(digest),
            };
            Some((key.clone(), known))
        });
        Self {
            entries: present.collect(),
            overlays: self.overlays.clone(),
        }
    }

    /// The documents that are there, in order of their paths.
    pub(super) fn present(&self) -> Vec<Spec> {
        let is_wanted = |key: &SpecKey| match self.overlays.get(&key.path) {
            Some(keys) => keys.contains(key),
            None => key.overlays.is_empty(),
        };
        let present = self.entries.iter();
        let present = present.filter(|(key, known)| known.document.is_some() && is_wanted(key));
        present.filter_map(|(_, known)| known.spec).collect()
    }
}

fn new_spec(
    db: &Database,
    key: &SpecKey,
    digest: ContentHash,
    slices: &[SpecSlice],
    document: &SplitDocument,
) -> Spec {
    Spec::builder(
        key.path.clone(),
        key.name.clone(),
        key.overlays.clone(),
        digest,
        slices.to_vec(),
        document.problems.clone(),
        document.origins.clone(),
    )
    .durability(Durability::HIGH)
    .path_durability(Durability::NEVER_CHANGE)
    .name_durability(Durability::NEVER_CHANGE)
    .overlays_durability(Durability::NEVER_CHANGE)
    .problems_durability(Durability::MEDIUM)
    .origins_durability(Durability::MEDIUM)
    .digest_durability(Durability::LOW)
    .new(db)
}

/// Sets what differs of a document that is there already.
fn set_spec(
    db: &mut Database,
    spec: Spec,
    digest: ContentHash,
    slices: &[SpecSlice],
    document: &SplitDocument,
) {
    spec.set_digest(db)
        .with_durability(Durability::LOW)
        .to(digest);
    if *spec.slices(db) != slices {
        spec.set_slices(db)
            .with_durability(Durability::HIGH)
            .to(slices.to_vec());
    }
    if *spec.problems(db) != document.problems {
        spec.set_problems(db)
            .with_durability(Durability::MEDIUM)
            .to(document.problems.clone());
    }
    if *spec.origins(db) != document.origins {
        spec.set_origins(db)
            .with_durability(Durability::MEDIUM)
            .to(document.origins.clone());
    }
}
