//! The database: memos of every query, a content store to read bytes from, and an optional observer of executions.

use std::sync::Arc;

use crate::content::ContentHash;
use crate::store::ContentStore;

/// What queries may ask of the database besides other queries.
#[salsa::db]
pub trait Db: salsa::Database {
    /// The bytes of the text file whose digest is `digest`; empty if the shell never stored them.
    fn bytes(&self, digest: ContentHash) -> Arc<[u8]>;
}

/// Is told of each query that executes: its name and key as `name(key)`.
pub type Observer = Box<dyn Fn(&str) + Send + Sync>;

/// The database of one site. A clone is another handle on the same memos; a writer waits until all others are dropped.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    storage: salsa::Storage<Self>,
    store: Arc<dyn ContentStore>,
}

impl Database {
    /// An empty database over `store`.
    pub fn new(store: Arc<dyn ContentStore>, observer: Option<Observer>) -> Self {
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
            store,
        }
    }
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn bytes(&self, digest: ContentHash) -> Arc<[u8]> {
        self.store
            .bytes(digest)
            .unwrap_or_else(|| Arc::from(&b""[..]))
    }
}
