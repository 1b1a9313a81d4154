//! The database: memos of every query, the stores to read from, and an optional observer of executions.

use std::sync::Arc;

use crate::content::ContentHash;
use crate::store::{ArtifactStore, ContentStore};

/// What queries may ask of the database besides other queries.
#[salsa::db]
pub trait Db: salsa::Database {
    /// The bytes of the text file whose digest is `digest`; empty if the shell never stored them.
    ///
    /// Unwinds with [`crate::store::ContentLost`] if the file holds something else by now.
    fn bytes(&self, digest: ContentHash) -> Arc<[u8]>;

    /// Where what was made is kept, if anywhere.
    fn artifacts(&self) -> Option<&dyn ArtifactStore>;
}

/// Is told of each query that executes: its name and key as `name(key)`.
pub type Observer = Box<dyn Fn(&str) + Send + Sync>;

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
                if let salsa::EventKind::WillExecute { database_key } = event.kind {
                    observer(&format!("{database_key:?}"));
                }
            })
        });
        Self {
            storage: salsa::Storage::new(callback),
            contents,
            artifacts: None,
        }
    }

    /// The same, keeping what is made in `artifacts`.
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
    fn bytes(&self, digest: ContentHash) -> Arc<[u8]> {
        match self.contents.bytes(digest) {
            Ok(bytes) => bytes.unwrap_or_else(|| Arc::from(&b""[..])),
            // No panic: nothing is wrong with the program, and nothing is printed.
            Err(lost) => std::panic::resume_unwind(Box::new(lost)),
        }
    }

    fn artifacts(&self) -> Option<&dyn ArtifactStore> {
        self.artifacts.as_deref()
    }
}
