//! The database: memos of every query, the stores to read from, and an optional observer of executions.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::store::{ArtifactStore, ContentStore};
use base::content::{ContentHash, TextBytes};

/// Access of queries to the database besides other queries.
#[salsa::db]
pub trait Db: salsa::Database {
    /// The bytes of the text file whose digest is `digest`; empty if the shell never stored them.
    ///
    /// Unwinds with [`crate::store::ContentLost`] if the file holds something else by now.
    fn bytes(&self, digest: ContentHash) -> TextBytes;

    /// The artifact store, if there is one.
    fn artifacts(&self) -> Option<&dyn ArtifactStore>;
}

/// Step of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Execution: for the first time, or because something that it read may have changed.
    Executes,
    /// Last result was found to hold still, and it does not run.
    Validates,
}

/// One step of the engine. Displayed as `name(key)`, which costs a lookup; [`QueryEvent::kind`] costs nothing.
#[derive(Clone, Copy)]
pub struct QueryEvent {
    /// The step.
    pub step: Step,
    key: salsa::DatabaseKeyIndex,
}

impl QueryEvent {
    /// A small number that all events of the same query function share in this process.
    pub fn kind(&self) -> usize {
        let mut number = Number(0);
        self.key.ingredient_index().hash(&mut number);
        number.0 as usize
    }
}

/// Takes the number out of an index that shows itself to hashers alone.
struct Number(u64);

impl Hasher for Number {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for QueryEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.key)
    }
}

/// Is told of each step of the engine, on the thread that takes it.
pub type Observer = Box<dyn Fn(&QueryEvent) + Send + Sync>;

/// The database of one site. A clone is another handle on the same memos; a writer waits until all others are dropped.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    storage: salsa::Storage<Self>,
    contents: Arc<dyn ContentStore>,
    artifacts: Option<Arc<dyn ArtifactStore>>,
}

impl Database {
    /// An empty database over `contents`. What is made is not kept.
    pub fn new(contents: Arc<dyn ContentStore>, observer: Option<Observer>) -> Self {
        let callback = observer.map(|observer| -> Box<dyn Fn(salsa::Event) + Send + Sync> {
            Box::new(move |event| {
                // The callback runs on every cancellation check too: filter first.
                let (step, key) = match event.kind {
                    salsa::EventKind::WillExecute { database_key } => {
                        (Step::Executes, database_key)
                    }
                    salsa::EventKind::DidValidateMemoizedValue { database_key } => {
                        (Step::Validates, database_key)
                    }
                    _ => return,
                };
                observer(&QueryEvent { step, key });
            })
        });
        Self {
            storage: salsa::Storage::new(callback),
            contents,
            artifacts: None,
        }
    }

    /// Like [`Database::new`], with a store for artifacts.
    #[must_use]
    pub fn keeping(mut self, artifacts: Arc<dyn ArtifactStore>) -> Self {
        self.artifacts = Some(artifacts);
        self
    }
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn bytes(&self, digest: ContentHash) -> TextBytes {
        match self.contents.bytes(digest) {
            Ok(bytes) => bytes.unwrap_or_else(|| b""[..].into()),
            // No panic: nothing is wrong with the program, and nothing is printed.
            Err(lost) => std::panic::resume_unwind(Box::new(lost)),
        }
    }

    fn artifacts(&self) -> Option<&dyn ArtifactStore> {
        self.artifacts.as_deref()
    }
}
