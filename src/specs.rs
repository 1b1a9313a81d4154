//! What the host knows of OpenAPI documents: how each was cut, and the inputs of its slices.
//!
//! A slice is written only if its digest differs, and stays the same input when it vanishes and comes back.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use queries::content::ContentHash;
use queries::data::split::{Format, SplitDocument, common_prefix, common_suffix};
use queries::db::Database;
use queries::inputs::{Spec, SpecSlice};
use queries::path::SitePath;
use queries::store::{ArtifactStore, Kind};
use queries::trace::kept_in;
use salsa::{Durability, Setter};

/// The documents that were ever seen, by path.
#[derive(Default)]
pub struct Specs(BTreeMap<SitePath, KnownSpec>);

struct KnownSpec {
    /// `None` until it is written for the first time.
    spec: Option<Spec>,
    /// How it was cut last; `None` when it is not there.
    document: Option<SplitDocument>,
    slices: HashMap<Arc<str>, (SpecSlice, ContentHash)>,
    /// The inputs of the slices of `document`, in their order.
    order: Vec<SpecSlice>,
    digest: Option<ContentHash>,
}

/// A document that changed, cut but not written yet: cutting takes longer than readers should wait.
pub struct Draft {
    path: SitePath,
    document: Option<(SplitDocument, ContentHash)>,
}

impl Draft {
    /// Which document it is.
    pub fn path(&self) -> &SitePath {
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

/// How many bytes a text has for whose comparison two cores are worth the while.
const WORTH_SHARING: usize = 1024 * 1024;

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
    let kept = kept_in(artifacts, Kind::Cut, &parts, || made.insert(split()).kept());
    let cut = made.or_else(|| SplitDocument::of_kept(path, format, text.clone(), kept));
    Some(cut.unwrap_or_else(split))
}

/// `known` with another text, of which large ones are compared from both ends at once.
fn edited(known: &SplitDocument, text: &Arc<[u8]>) -> SplitDocument {
    let (old, new) = (known.text(), text);
    if new.len() < WORTH_SHARING {
        return known.edited(new.clone());
    }
    let same = std::thread::scope(|scope| {
        let end = scope.spawn(|| common_suffix(old, new));
        let begin = common_prefix(old, new);
        // Nothing is known to be alike if it cannot be told.
        (begin, end.join().unwrap_or(0))
    });
    known.edited_between(new.clone(), same)
}

impl Specs {
    /// Each part of each specification: its input, its document and its digest.
    pub fn parts(&self) -> impl Iterator<Item = (SpecSlice, Part, ContentHash)> {
        self.0.iter().flat_map(|(path, known)| {
            let parts = known.slices.iter();
            parts.map(|(key, (input, digest))| {
                let part = Part {
                    spec: path.clone(),
                    key: key.clone(),
                };
                (*input, part, *digest)
            })
        })
    }

    /// The digests of what is retained: of the documents, and of every part that they ever had.
    pub fn digests(&self) -> impl Iterator<Item = ContentHash> {
        self.0.values().flat_map(|known| {
            let parts = known.slices.values().map(|(_, digest)| *digest);
            parts.chain(known.digest)
        })
    }

    /// The document at `path`, which holds this text with this digest now, or is gone; `None` if it was no OpenAPI document before and is none now, or has not
    /// changed.
    /// How it is cut is kept in `artifacts`.
    pub fn draft(
        &self,
        path: &SitePath,
        text: Option<(&Arc<[u8]>, ContentHash)>,
        artifacts: Option<&dyn ArtifactStore>,
    ) -> Option<Draft> {
        let entry = self.0.get(path);
        let known = entry.and_then(|known| known.document.as_ref());
        let is_same = |digest| entry.and_then(|known| known.digest) == Some(digest);
        let document = match (known, text) {
            (Some(_), Some((_, digest))) if is_same(digest) => return None,
            (Some(known), Some((text, digest))) => Some((edited(known, text), digest)),
            (None, Some((text, digest))) if SplitDocument::may_be_openapi(path, text) => {
                Some((cut(path, text, digest, artifacts)?, digest))
            }
            _ => None,
        };
        // A document that is being edited may lose its first line for a moment, but then it is none.
        let document = document.filter(|(document, _)| document.is_openapi());
        (document.is_some() || known.is_some()).then(|| Draft {
            path: path.clone(),
            document,
        })
    }

    /// Writes `draft` into the inputs; returns whether a document appeared or vanished. `retain` is given the bytes behind
    /// each new digest; digests that no input has any more are added to `forgotten`.
    pub fn write(
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
            slices: HashMap::new(),
            order: Vec::new(),
            digest: None,
        });
        let was_there = known.document.is_some();
        let Some((document, digest)) = draft.document else {
            known.document = None;
            known.order = Vec::new();
            forgotten.extend(known.digest.take());
            return was_there;
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
            if let Some((input, digest)) = known.slices.get_mut(&slice.key) {
                order.push(*input);
                let new = ContentHash::of(slice.json.as_bytes());
                if new != *digest {
                    edited.push(Part {
                        spec: draft.path.clone(),
                        key: slice.key.clone(),
                    });
                    retain(new, Arc::from(slice.json.clone()));
                    forgotten.push(std::mem::replace(digest, new));
                    input
                        .set_digest(db)
                        .with_durability(Durability::MEDIUM)
                        .to(new);
                }
                continue;
            }
            let digest = ContentHash::of(slice.json.as_bytes());
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
            known.slices.insert(slice.key.clone(), (input, digest));
            order.push(input);
        }
        retain(digest, document.text().clone());
        forgotten.extend(known.digest.replace(digest));
        match known.spec {
            None => {
                let problems = document.problems.clone();
                let spec = Spec::builder(draft.path, digest, order.clone(), problems);
                let spec = spec.durability(Durability::HIGH);
                let spec = spec.path_durability(Durability::NEVER_CHANGE);
                let spec = spec.problems_durability(Durability::MEDIUM);
                known.spec = Some(spec.digest_durability(Durability::LOW).new(db));
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

    /// The documents that are there, in order of their paths.
    pub fn present(&self) -> Vec<Spec> {
        let present = self.0.values().filter(|known| known.document.is_some());
        present.filter_map(|known| known.spec).collect()
    }
}
