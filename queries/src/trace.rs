//! Values made once and found again: by what they were made from, and by what was read while they were made.
//!
//! What a body depends on turns up while it is rendered: an import, the size of a picture, a
//! variable. So the value is stored with its *trace*: the reads in the order in which they
//! happened, each with a digest of its answer. To find the value again the same reads are made of
//! the same queries, and the value is taken if every answer has the same digest. Whoever takes it
//! has then read what rendering would have read, so a later edit wakes the reader exactly as if it
//! had rendered.
//!
//! A read depends on nothing but the answers before it. As long as those agree, rendering would
//! make it too: looking in vain never makes a reader wake for something that it does not need.
//!
//! Renderers get a [`ReadLog`] and no database: a read that is not recorded does not compile. Nor
//! can it create anything in the database, so what a query creates does not depend on whether its
//! value was found or rendered. salsa deletes what a query created the last time it ran and not
//! this time, and panics if somebody has read it since.

use std::cell::Cell;
use std::collections::HashSet;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::db::Db;
use crate::store::{ArtifactStore, Kind, Outcome, PROGRAM};
use base::content::ContentHash;

/// Maximum number of traces stored per value: branches of a repository differ in what a page
/// imports.
const MAX_TRACES: usize = 4;

/// A value that can be stored.
pub trait Artifact: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> Artifact for T {}

/// The reads of one kind of value: what it may ask of the database while it is rendered.
pub trait TracedRead: Artifact + Clone + Eq + Hash {
    /// Subject of a value, such as the file of a page. Its own content is part of the key.
    type Subject: Copy;

    /// Makes the read and returns a digest of its answer.
    fn digest(&self, db: &dyn Db, subject: Self::Subject) -> ContentHash;
}

/// The only way to the database while a value is rendered. Records each read, once, with a digest
/// of its answer; where nothing is stored it records nothing, and an edit does not pay for unused
/// digests.
pub struct ReadLog<'db, R: TracedRead> {
    db: &'db dyn Db,
    subject: R::Subject,
    /// A cell because rendering reads through shared references.
    reads: Option<Cell<Reads<R>>>,
}

struct Reads<R> {
    unique: HashSet<R>,
    answers: Vec<(R, ContentHash)>,
}

impl<R> Default for Reads<R> {
    fn default() -> Self {
        Self {
            unique: HashSet::new(),
            answers: Vec::new(),
        }
    }
}

impl<'db, R: TracedRead> ReadLog<'db, R> {
    fn new(db: &'db dyn Db, subject: R::Subject, is_stored: bool) -> Self {
        Self {
            db,
            subject,
            reads: is_stored.then(Cell::default),
        }
    }

    /// A log that records nothing: for what is made outside of any query, and not kept.
    pub fn unrecorded(db: &'db dyn Db, subject: R::Subject) -> Self {
        Self::new(db, subject, false)
    }

    /// Records `read` and returns the result of `answer`. The digest of `read` must differ whenever
    /// the result of `answer` does.
    pub fn read<A>(
        &self,
        read: impl FnOnce() -> R,
        answer: impl FnOnce(&'db dyn Db, R::Subject) -> A,
    ) -> A {
        self.record(read);
        answer(self.db, self.subject)
    }

    /// Returns what `answer` finds of the subject itself, as far as the key of the value names it.
    pub fn read_own<A>(&self, answer: impl FnOnce(&'db dyn Db, R::Subject) -> A) -> A {
        answer(self.db, self.subject)
    }

    /// Like [`cached_fact`], which needs no record: the value follows from `parts` alone.
    pub fn fact<V: Artifact>(&self, kind: Kind, parts: &[&[u8]], make: impl FnOnce() -> V) -> V {
        cached_fact(self.db, kind, Subject::of(parts), make)
    }

    fn record(&self, read: impl FnOnce() -> R) {
        let Some(cell) = &self.reads else {
            return;
        };
        let read = read();
        let mut reads = cell.take();
        if reads.unique.insert(read.clone()) {
            // A digest is asked of queries, never of this log.
            let answer = read.digest(self.db, self.subject);
            reads.answers.push((read, answer));
        }
        cell.set(reads);
    }

    /// The reads in the order in which they happened, with the digests of their answers.
    fn into_trace(self) -> Vec<(R, ContentHash)> {
        self.reads
            .map(|cell| cell.take().answers)
            .unwrap_or_default()
    }
}

/// The digest of an answer.
pub fn digest_of(answer: &impl Serialize) -> ContentHash {
    // Only what serialises itself by hand can fail, and then the digest is that of nothing known.
    ContentHash::of(&postcard::to_allocvec(answer).unwrap_or_default())
}

/// Inputs of a value, as its key names them.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    parts: &'a [&'a [u8]],
    text: Option<ContentHash>,
}

impl<'a> Subject<'a> {
    /// Made of `parts`.
    pub fn of(parts: &'a [&'a [u8]]) -> Self {
        Self { parts, text: None }
    }

    /// Made of `parts`, and of the text whose digest is `digest`.
    pub fn of_text(parts: &'a [&'a [u8]], digest: ContentHash) -> Self {
        Self {
            parts,
            text: Some(digest),
        }
    }

    fn key(&self, kind: Kind) -> ContentHash {
        kind.key(self.all())
    }

    /// All of it as bytes.
    fn all(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.text.as_ref().map(|digest| &digest.as_bytes()[..]);
        self.parts.iter().copied().chain(text)
    }
}

/// Store for values of `kind`, if they are stored.
pub fn store_of(db: &dyn Db, kind: Kind) -> Option<&dyn ArtifactStore> {
    db.artifacts().filter(|artifacts| artifacts.stores(kind))
}

/// Returns what `make` makes of `subject` and of nothing else: found in the artifact store, or made now.
pub fn cached_fact<V: Artifact>(
    db: &dyn Db,
    kind: Kind,
    subject: Subject<'_>,
    make: impl FnOnce() -> V,
) -> V {
    match store_of(db, kind) {
        Some(artifacts) => cached_in(artifacts, kind, subject, make),
        None => make(),
    }
}

/// Like [`cached_fact`], for what is made before inputs are set, without a database.
pub fn cached_in<V: Artifact>(
    artifacts: &dyn ArtifactStore,
    kind: Kind,
    subject: Subject<'_>,
    make: impl FnOnce() -> V,
) -> V {
    let key = subject.key(kind);
    if let Some(value) = decoded(artifacts, key) {
        artifacts.note(kind, Outcome::Found);
        return value;
    }
    let value = make();
    artifacts.note(kind, Outcome::Made);
    encode(artifacts, key, &value, subject);
    value
}

/// Returns what `make` reads out of a rendered page and of nothing else: found in the artifact
/// store under `name`, or read now. What reads stands behind what renders, so any change of the
/// core is another version of it.
pub fn cached_reading<V: Artifact>(
    db: &dyn Db,
    name: &'static str,
    made_of: Subject<'_>,
    make: impl FnOnce() -> V,
) -> V {
    let Some(artifacts) = store_of(db, Kind::PageBody) else {
        return make();
    };
    let program = [PROGRAM.as_bytes(), name.as_bytes()];
    let key = ContentHash::of_parts(program.into_iter().chain(made_of.all()));
    if let Some(value) = decoded(artifacts, key) {
        return value;
    }
    let value = make();
    encode(artifacts, key, &value, made_of);
    value
}

/// Returns what `draw` makes of `made_of`, of `argument` and of what it reads through its log:
/// found in the artifact store, or rendered now. `made_of` names the subject and the argument with
/// their content.
///
/// `draw` is a plain function, so that it cannot bring a database along.
pub fn cached<V: Artifact, R: TracedRead, A>(
    db: &dyn Db,
    kind: Kind,
    made_of: Subject<'_>,
    (subject, argument): (R::Subject, A),
    draw: for<'db> fn(&ReadLog<'db, R>, A) -> V,
) -> V {
    let Some(artifacts) = store_of(db, kind) else {
        return draw(&ReadLog::new(db, subject, false), argument);
    };
    let key = made_of.key(kind);
    let mut traces: Vec<Trace<R>> = decoded(artifacts, key).unwrap_or_default();
    for trace in traces.iter().filter(|trace| agrees(db, subject, trace)) {
        if let Some(value) = decoded(artifacts, value_key(key, trace)) {
            artifacts.note(kind, Outcome::Found);
            return value;
        }
    }
    let log = ReadLog::new(db, subject, true);
    let value = draw(&log, argument);
    artifacts.note(kind, Outcome::Made);
    let trace = log.into_trace();
    encode(artifacts, value_key(key, &trace), &value, made_of);
    if traces.first() != Some(&trace) {
        traces.retain(|other| *other != trace);
        traces.insert(0, trace);
        traces.truncate(MAX_TRACES);
        encode(artifacts, key, &traces, made_of);
    }
    value
}

/// The name of the value that [`cached`] returns of the same, known without reading that value;
/// `None` if it was not rendered yet, or nothing is stored. Two values with one name are equal.
pub fn cached_name<R: TracedRead>(
    db: &dyn Db,
    kind: Kind,
    made_of: Subject<'_>,
    subject: R::Subject,
) -> Option<ContentHash> {
    let artifacts = store_of(db, kind)?;
    let key = made_of.key(kind);
    let traces: Vec<Trace<R>> = decoded(artifacts, key)?;
    let trace = traces.iter().find(|trace| agrees(db, subject, trace))?;
    Some(value_key(key, trace))
}

/// Reads made while a value was computed, with the digests of the answers.
type Trace<R> = Vec<(R, ContentHash)>;

/// Returns true if all reads of the trace would be answered the same.
fn agrees<R: TracedRead>(db: &dyn Db, subject: R::Subject, trace: &Trace<R>) -> bool {
    let mut reads = trace.iter();
    reads.all(|(read, answer)| read.digest(db, subject) == *answer)
}

/// The key of the value with this trace.
fn value_key<R: Serialize>(key: ContentHash, trace: &[(R, ContentHash)]) -> ContentHash {
    ContentHash::of_parts([&key.as_bytes()[..], digest_of(&trace).as_bytes()])
}

fn decoded<V: Artifact>(artifacts: &dyn ArtifactStore, key: ContentHash) -> Option<V> {
    postcard::from_bytes(&artifacts.get(key)?).ok()
}

fn encode(
    artifacts: &dyn ArtifactStore,
    key: ContentHash,
    value: &impl Serialize,
    made_of: Subject<'_>,
) {
    // What cannot be written down is made again each time.
    if let Ok(bytes) = postcard::to_allocvec(value) {
        artifacts.put(key, bytes, made_of.text);
    }
}
