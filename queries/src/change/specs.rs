//! OpenAPI documents as the writer of inputs knows them: how each was cut, and the inputs of its slices.
//!
//! A slice is written only if its digest differs, and stays the same input when it vanishes and comes back.

use std::collections::BTreeMap;
use std::sync::Arc;

use salsa::{Durability, Setter};

use crate::change::text::Text;
use crate::content::ContentHash;
use crate::data::split::{Format, Slice, SliceEdit, SplitDocument};
use crate::db::Database;
use crate::inputs::{Spec, SpecSlice};
use crate::path::SitePath;
use crate::store::{ArtifactStore, Kind};
use crate::trace::cached_in;

/// The documents that were ever seen, by path.
#[derive(Default)]
pub(super) struct Specs(BTreeMap<SitePath, KnownSpec>);

struct KnownSpec {
    /// `None` until it is written for the first time.
    spec: Option<Spec>,
    /// How it was cut last; `None` when it is not there.
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

impl KnownSlice {
    /// Sets the input to what `slice` is now; returns whether it was another.
    fn set(
        &mut self,
        slice: &Slice,
        db: &mut Database,
        retain: &mut dyn FnMut(ContentHash, Arc<[u8]>),
        forgotten: &mut Vec<ContentHash>,
    ) -> bool {
        let digest = slice.digest;
        if digest == self.digest {
            return false;
        }
        retain(digest, Arc::from(slice.json.clone()));
        forgotten.push(std::mem::replace(&mut self.digest, digest));
        self.input
            .set_digest(db)
            .with_durability(Durability::MEDIUM)
            .to(digest);
        true
    }
}

/// A document that changed, cut but not written yet: cutting takes longer than readers should wait.
pub(super) struct Draft {
    path: SitePath,
    change: Change,
}

/// What became of a document.
enum Change {
    /// It is there no more.
    Gone,
    /// It was cut anew.
    Cut(SplitDocument, ContentHash),
    /// One slice of the document with the text `before` is another.
    Slice {
        before: Arc<[u8]>,
        edit: SliceEdit,
        digest: ContentHash,
    },
}

impl Draft {
    /// Which document it is.
    pub(super) fn path(&self) -> &SitePath {
        &self.path
    }
}

/// A part of a specification that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The specification.
    pub spec: SitePath,
    /// Its pointer in the document.
    pub key: Arc<str>,
}

/// How many bytes a document has whose cut is worth to be kept.
const WORTH_KEEPING: usize = 64 * 1024;

/// The cut of a document that was not seen before.
fn cut(
    path: &SitePath,
    text: &Arc<[u8]>,
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
    let parts = [path.as_str().as_bytes(), digest.as_bytes()];
    let kept = cached_in(artifacts, Kind::Cut, &parts, || made.insert(split()).kept());
    let cut = made.or_else(|| SplitDocument::of_kept(path, format, text.clone(), kept));
    Some(cut.unwrap_or_else(split))
}

impl Specs {
    /// Each part of each specification: its input, its document and its digest.
    pub(super) fn parts(&self) -> impl Iterator<Item = (SpecSlice, Part, ContentHash)> {
        self.0.iter().flat_map(|(path, known)| {
            let parts = known.slices.iter();
            parts.map(|(key, slice)| {
                let part = Part {
                    spec: path.clone(),
                    key: key.clone(),
                };
                (slice.input, part, slice.digest)
            })
        })
    }

    /// The digests of what is retained: of the documents, and of every part that they ever had.
    pub(super) fn digests(&self) -> impl Iterator<Item = ContentHash> {
        self.0.values().flat_map(|known| {
            let parts = known.slices.values().map(|slice| slice.digest);
            parts.chain(known.digest)
        })
    }

    /// The text of the document at `path` as it was seen last, and its digest.
    pub(super) fn text(&self, path: &SitePath) -> Option<(&Arc<[u8]>, ContentHash)> {
        let known = self.0.get(path)?;
        Some((known.document.as_ref()?.text(), known.digest?))
    }

    /// The part of the document at `path` that would change if it held `bytes`; `None` if that is not one part.
    pub(super) fn part_changed_by(&self, path: &SitePath, text: &Text) -> Option<Part> {
        let document = self.0.get(path)?.document.as_ref()?;
        let edit = document.edit(&text.bytes, text.same_as(document.text()))?;
        Some(Part {
            spec: path.clone(),
            key: document.slices.get(edit.at())?.key.clone(),
        })
    }

    /// Whether the document at `path`, which was read as a whole, would end in the middle with this text. `is_open` says that
    /// somebody still has the file open for writing: then YAML, which may end at any line, is not known to be whole.
    pub(super) fn is_cut_by(&self, path: &SitePath, text: &Text, is_open: bool) -> bool {
        let Some(known) = self.0.get(path) else {
            return false;
        };
        let Some(document) = known.document.as_ref().filter(|known| known.is_whole()) else {
            return false;
        };
        let is_open = is_open && Format::of(path) == Some(Format::Yaml);
        known.digest != Some(text.digest)
            && (is_open || document.is_cut_by(&text.bytes, text.same_as(document.text())))
    }

    /// The document at `path`, which holds this text now, or is gone; `None` if it was no OpenAPI document before and is
    /// none now, or has not changed. How it is cut is kept in `artifacts`.
    pub(super) fn draft(
        &self,
        path: &SitePath,
        text: Option<&Text>,
        artifacts: Option<&dyn ArtifactStore>,
    ) -> Option<Draft> {
        let entry = self.0.get(path);
        let known = entry.and_then(|known| known.document.as_ref());
        let change = match (known, text) {
            (Some(_), Some(text)) if entry?.digest == Some(text.digest) => return None,
            (Some(known), Some(text)) => {
                let same = text.same_as(known.text());
                match known.edit(&text.bytes, same) {
                    Some(edit) => Change::Slice {
                        before: known.text().clone(),
                        edit,
                        digest: text.digest,
                    },
                    None => {
                        let document = known.edited_between(text.bytes.clone(), same);
                        Change::Cut(document, text.digest)
                    }
                }
            }
            (None, Some(text)) if SplitDocument::may_be_openapi(path, &text.bytes) => {
                let document = cut(path, &text.bytes, text.digest, artifacts)?;
                Change::Cut(document, text.digest)
            }
            _ => Change::Gone,
        };
        let change = match change {
            // A document that is being edited may lose its first line for a moment, but then it is none.
            Change::Cut(document, _) if !document.is_openapi() => Change::Gone,
            change => change,
        };
        let path = path.clone();
        (known.is_some() || !matches!(change, Change::Gone)).then_some(Draft { path, change })
    }

    /// Writes `draft` into the inputs; returns whether a document appeared or vanished. `retain` is given the bytes behind
    /// each new digest; digests that no input has any more are added to `forgotten`.
    pub(super) fn write(
        &mut self,
        draft: Draft,
        db: &mut Database,
        retain: &mut dyn FnMut(ContentHash, Arc<[u8]>),
        forgotten: &mut Vec<ContentHash>,
        edited: &mut Vec<Part>,
    ) -> bool {
        let known = self.0.entry(draft.path.clone()).or_insert(KnownSpec {
            spec: None,
            document: None,
            slices: BTreeMap::new(),
            order: Vec::new(),
            digest: None,
        });
        let was_there = known.document.is_some();
        let (document, digest) = match (draft.change, &mut known.document) {
            (Change::Gone, _) | (Change::Slice { .. }, None) => {
                known.document = None;
                known.order = Vec::new();
                forgotten.extend(known.digest.take());
                return was_there;
            }
            (Change::Cut(document, digest), _) => (document, digest),
            (
                Change::Slice {
                    before,
                    edit,
                    digest,
                },
                Some(document),
            ) => {
                if Arc::ptr_eq(&before, document.text()) {
                    let slice = document.apply(edit).map(|at| &document.slices[at]);
                    retain(digest, document.text().clone());
                    forgotten.extend(known.digest.replace(digest));
                    if let Some(spec) = known.spec {
                        spec.set_digest(db)
                            .with_durability(Durability::LOW)
                            .to(digest);
                    }
                    if let Some(slice) = slice
                        && let Some(kept) = known.slices.get_mut(&slice.key)
                        && kept.set(slice, db, retain, forgotten)
                    {
                        edited.push(Part {
                            spec: draft.path,
                            key: slice.key.clone(),
                        });
                    }
                    return false;
                }
                // It was edited since, which is another edit of the same file in the same batch.
                (document.edited(edit.text().clone()), digest)
            }
        };
        let mut order: Vec<SpecSlice> = Vec::with_capacity(document.slices.len());
        let before = known.document.as_ref().map(|before| &before.slices[..]);
        for (i, slice) in document.slices.iter().enumerate() {
            // An unchanged slice is the same allocation: nothing is looked up and nothing hashed.
            let old = before.and_then(|before| before.get(i));
            let is_same = old.is_some_and(|old| {
                Arc::ptr_eq(&old.json, &slice.json) && Arc::ptr_eq(&old.key, &slice.key)
            });
            if let Some(input) = known.order.get(i).filter(|_| is_same) {
                order.push(*input);
                continue;
            }
            if let Some(kept) = known.slices.get_mut(&slice.key) {
                order.push(kept.input);
                if kept.set(slice, db, retain, forgotten) {
                    edited.push(Part {
                        spec: draft.path.clone(),
                        key: slice.key.clone(),
                    });
                }
                continue;
            }
            let digest = slice.digest;
            retain(digest, Arc::from(slice.json.clone()));
            // What appears while a document is edited is being worked on.
            let durability = match before {
                Some(_) => Durability::MEDIUM,
                None => Durability::HIGH,
            };
            let input = SpecSlice::builder(slice.key.clone(), digest)
                .durability(durability)
                .key_durability(Durability::NEVER_CHANGE)
                .new(db);
            let kept = KnownSlice { input, digest };
            known.slices.insert(slice.key.clone(), kept);
            order.push(input);
        }
        retain(digest, document.text().clone());
        forgotten.extend(known.digest.replace(digest));
        match known.spec {
            None => {
                known.spec = Some(new_spec(db, &draft.path, digest, &order, &document));
            }
            Some(spec) => {
                spec.set_digest(db)
                    .with_durability(Durability::LOW)
                    .to(digest);
                if *spec.slices(db) != order {
                    spec.set_slices(db)
                        .with_durability(Durability::HIGH)
                        .to(order.clone());
                }
                if *spec.problems(db) != document.problems {
                    spec.set_problems(db)
                        .with_durability(Durability::MEDIUM)
                        .to(document.problems.clone());
                }
            }
        }
        known.document = Some(document);
        known.order = order;
        !was_there
    }

    /// The same documents as inputs of another database, each slice with the digest that it has now.
    pub(super) fn rebuilt(&self, db: &Database) -> Self {
        let present = self.0.iter().filter_map(|(path, known)| {
            let (document, digest) = (known.document.clone()?, known.digest?);
            let mut slices = BTreeMap::new();
            let mut order = Vec::with_capacity(document.slices.len());
            for slice in &document.slices {
                let input = SpecSlice::builder(slice.key.clone(), slice.digest)
                    .durability(Durability::HIGH)
                    .key_durability(Durability::NEVER_CHANGE)
                    .new(db);
                let digest = slice.digest;
                slices.insert(slice.key.clone(), KnownSlice { input, digest });
                order.push(input);
            }
            let known = KnownSpec {
                spec: Some(new_spec(db, path, digest, &order, &document)),
                document: Some(document),
                slices,
                order,
                digest: Some(digest),
            };
            Some((path.clone(), known))
        });
        Self(present.collect())
    }

    /// The documents that are there, in order of their paths.
    pub(super) fn present(&self) -> Vec<Spec> {
        let present = self.0.values().filter(|known| known.document.is_some());
        present.filter_map(|known| known.spec).collect()
    }
}

fn new_spec(
    db: &Database,
    path: &SitePath,
    digest: ContentHash,
    slices: &[SpecSlice],
    document: &SplitDocument,
) -> Spec {
    Spec::builder(
        path.clone(),
        digest,
        slices.to_vec(),
        document.problems.clone(),
    )
    .durability(Durability::HIGH)
    .path_durability(Durability::NEVER_CHANGE)
    .problems_durability(Durability::MEDIUM)
    .digest_durability(Durability::LOW)
    .new(db)
}
