//! Values that were made once, found again: by what they were made from, and by what was asked while they were made.
//!
//! What a body depends on turns up while it is drawn: an import, the size of a picture, a variable. So beside the value is
//! kept its *trace*, the questions in the order in which they were asked, each with a digest of its answer. To find the
//! value again the same questions are asked of the same queries, and it is taken if every answer is the same. Whoever
//! takes it has then read what drawing would have read, so a later edit wakes it exactly as if it had been drawn.
//!
//! A question depends on nothing but the answers before it. As long as those agree, drawing would ask it too: looking in
//! vain never makes a reader wake for something that it does not need.

use std::cell::Cell;
use std::collections::HashSet;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content::ContentHash;
use crate::db::Db;
use crate::store::{ArtifactStore, Kind, Outcome};

/// How many traces of one value are kept: branches of a repository differ in what a page imports.
const MAX_TRACES: usize = 4;

/// A value, and what it was made from.
pub trait Kept: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> Kept for T {}

/// The questions asked so far, each once, in order; nothing where nothing is kept.
///
/// A cell because drawing asks through shared references. It lives as long as one execution, so nothing in it outlives
/// what it was told.
pub struct Asked<Q>(Option<Cell<Questions<Q>>>);

struct Questions<Q> {
    known: HashSet<Q>,
    answered: Vec<(Q, ContentHash)>,
}

impl<Q> Default for Questions<Q> {
    fn default() -> Self {
        Self {
            known: HashSet::new(),
            answered: Vec::new(),
        }
    }
}

impl<Q: Clone + Eq + Hash> Asked<Q> {
    /// Notes that `question` was asked. `answer` is called for the digest of its answer when it is asked for the first
    /// time; where nothing is kept neither is called, and an edit does not pay for digests that nobody reads.
    pub fn note(&self, question: impl FnOnce() -> Q, answer: impl FnOnce(&Q) -> ContentHash) {
        let Some(cell) = &self.0 else {
            return;
        };
        let question = question();
        let questions = cell.take();
        let is_known = questions.known.contains(&question);
        // The answer may ask in turn.
        cell.set(questions);
        if is_known {
            return;
        }
        let answer = answer(&question);
        let mut questions = cell.take();
        if questions.known.insert(question.clone()) {
            questions.answered.push((question, answer));
        }
        cell.set(questions);
    }

    /// The questions in the order in which they were asked, with the digests of their answers.
    fn into_trace(self) -> Vec<(Q, ContentHash)> {
        self.0.map(|cell| cell.take().answered).unwrap_or_default()
    }
}

/// The digest of an answer.
pub fn digest_of(answer: &impl Serialize) -> ContentHash {
    // Only what serialises itself by hand can fail, and then the digest is that of nothing known.
    ContentHash::of(&postcard::to_allocvec(answer).unwrap_or_default())
}

/// What `make` makes of `parts` and of nothing else: kept, or made now.
pub fn kept_fact<V: Kept>(db: &dyn Db, kind: Kind, parts: &[&[u8]], make: impl FnOnce() -> V) -> V {
    match db.artifacts() {
        Some(artifacts) => kept_in(artifacts, kind, parts, make),
        None => make(),
    }
}

/// The same for those who have no database: what is made before inputs are set.
pub fn kept_in<V: Kept>(
    artifacts: &dyn ArtifactStore,
    kind: Kind,
    parts: &[&[u8]],
    make: impl FnOnce() -> V,
) -> V {
    let key = kind.key(parts.iter().copied());
    if let Some(value) = decoded(artifacts, key) {
        artifacts.note(kind, Outcome::Found);
        return value;
    }
    let value = make();
    artifacts.note(kind, Outcome::Made);
    encode(artifacts, key, &value);
    value
}

/// What `make` makes of `parts` and of the answers to what it asks, which it notes: kept, or made now. `ask` puts a
/// question to the database as `make` would.
pub fn kept<V: Kept, Q: Kept + Clone + Eq + Hash>(
    db: &dyn Db,
    kind: Kind,
    parts: &[&[u8]],
    ask: impl Fn(&Q) -> ContentHash,
    make: impl FnOnce(&Asked<Q>) -> V,
) -> V {
    let Some(artifacts) = db.artifacts() else {
        return make(&Asked(None));
    };
    let key = kind.key(parts.iter().copied());
    let mut traces: Vec<Vec<(Q, ContentHash)>> = decoded(artifacts, key).unwrap_or_default();
    let agreeing = (traces.iter()).filter(|trace| {
        trace
            .iter()
            .all(|(question, answer)| ask(question) == *answer)
    });
    for trace in agreeing {
        if let Some(value) = decoded(artifacts, value_key(key, trace)) {
            artifacts.note(kind, Outcome::Found);
            return value;
        }
    }
    let asked = Asked(Some(Cell::default()));
    let value = make(&asked);
    artifacts.note(kind, Outcome::Made);
    let trace = asked.into_trace();
    encode(artifacts, value_key(key, &trace), &value);
    if traces.first() != Some(&trace) {
        traces.retain(|other| *other != trace);
        traces.insert(0, trace);
        traces.truncate(MAX_TRACES);
        encode(artifacts, key, &traces);
    }
    value
}

/// The key of the value with this trace.
fn value_key<Q: Serialize>(key: ContentHash, trace: &[(Q, ContentHash)]) -> ContentHash {
    ContentHash::of_parts([&key.as_bytes()[..], digest_of(&trace).as_bytes()])
}

fn decoded<V: Kept>(artifacts: &dyn ArtifactStore, key: ContentHash) -> Option<V> {
    postcard::from_bytes(&artifacts.get(key)?).ok()
}

fn encode(artifacts: &dyn ArtifactStore, key: ContentHash, value: &impl Serialize) {
    // What cannot be written down is made again each time.
    if let Ok(bytes) = postcard::to_allocvec(value) {
        artifacts.put(key, bytes);
    }
}
