//! Small sites in memory, and a log of the queries that ran.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use queries::content::ContentHash;
use queries::db::Database;
use queries::diagnostic::Diagnostic;
use queries::inputs::{BUCKETS, FileBucket, Site, SourceFile, bucket_of, file_named};
use queries::path::SitePath;
use queries::place::{Part, Place};
use queries::store::ContentStore;
use salsa::{Durability, Setter};

/// Bytes by digest.
#[derive(Default)]
struct MemoryStore(Mutex<BTreeMap<ContentHash, Arc<[u8]>>>);

impl MemoryStore {
    fn put(&self, text: &str) -> ContentHash {
        let digest = ContentHash::of(text.as_bytes());
        let mut contents = self.0.lock().unwrap();
        contents.insert(digest, text.as_bytes().into());
        digest
    }
}

impl ContentStore for MemoryStore {
    fn bytes(&self, digest: ContentHash) -> Option<Arc<[u8]>> {
        self.0.lock().unwrap().get(&digest).cloned()
    }
}

/// A site in memory.
pub(crate) struct TestSite {
    pub(crate) db: Database,
    pub(crate) site: Site,
    store: Arc<MemoryStore>,
    executed: Arc<Mutex<BTreeMap<String, usize>>>,
    /// Every file there ever was: a file that comes back is the same input.
    known: BTreeMap<SitePath, SourceFile>,
}

impl TestSite {
    /// A site of these files, all of high durability as the shell makes them.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let store = Arc::new(MemoryStore::default());
        let executed = Arc::new(Mutex::new(BTreeMap::new()));
        let log = executed.clone();
        let observer = Box::new(move |query: &str| {
            let name = query.split('(').next().unwrap_or(query).to_owned();
            *log.lock().unwrap().entry(name).or_insert(0) += 1;
        });
        let db = Database::new(store.clone(), Some(observer));
        let mut spread: Vec<Vec<SourceFile>> = vec![Vec::new(); BUCKETS];
        let mut known = BTreeMap::new();
        for (path, text) in files {
            let path = SitePath::new(path).unwrap();
            let file = SourceFile::builder(path.clone(), store.put(text))
                .durability(Durability::HIGH)
                .new(&db);
            spread[bucket_of(&path)].push(file);
            known.insert(path, file);
        }
        let buckets = spread.into_iter().map(|mut files| {
            files.sort_by(|a, b| a.path(&db).cmp(b.path(&db)));
            FileBucket::builder(files)
                .durability(Durability::HIGH)
                .new(&db)
        });
        let buckets = buckets.collect();
        let site = Site::builder(buckets, String::new())
            .durability(Durability::HIGH)
            .new(&db);
        Self {
            db,
            site,
            store,
            executed,
            known,
        }
    }

    /// The file at `path`, which exists.
    pub(crate) fn file(&self, path: &str) -> SourceFile {
        file_named(&self.db, &SitePath::new(path).unwrap()).expect(path)
    }

    /// Writes `text` to the existing file at `path`; nothing happens when it is the same.
    pub(crate) fn set(&mut self, path: &str, text: &str) {
        let file = self.file(path);
        let digest = self.store.put(text);
        if file.digest(&self.db) != digest {
            file.set_digest(&mut self.db)
                .with_durability(Durability::LOW)
                .to(digest);
        }
    }

    /// Creates a file.
    pub(crate) fn add(&mut self, path: &str, text: &str) {
        let path = SitePath::new(path).unwrap();
        let digest = self.store.put(text);
        let file = match self.known.get(&path) {
            Some(file) => {
                file.set_digest(&mut self.db)
                    .with_durability(Durability::LOW)
                    .to(digest);
                *file
            }
            None => SourceFile::builder(path.clone(), digest)
                .durability(Durability::HIGH)
                .new(&self.db),
        };
        self.known.insert(path.clone(), file);
        self.list(&path, |files| files.push(file));
    }

    /// Deletes a file.
    pub(crate) fn remove(&mut self, path: &str) {
        let file = self.file(path);
        let path = SitePath::new(path).unwrap();
        self.list(&path, |files| files.retain(|other| *other != file));
    }

    fn list(&mut self, path: &SitePath, edit: impl FnOnce(&mut Vec<SourceFile>)) {
        let bucket = self.site.buckets(&self.db)[bucket_of(path)];
        let mut files = bucket.files(&self.db).clone();
        edit(&mut files);
        files.sort_by(|a, b| a.path(&self.db).cmp(b.path(&self.db)));
        bucket.set_files(&mut self.db).to(files);
    }

    /// The queries that ran since the last call, with how often, in order of their names.
    pub(crate) fn take(&self) -> String {
        let executed = std::mem::take(&mut *self.executed.lock().unwrap());
        let lines = executed.iter().map(|(name, count)| match count {
            1 => name.clone(),
            count => format!("{name} ×{count}"),
        });
        lines.collect::<Vec<_>>().join(", ")
    }
}

/// Diagnostics as text: place, severity, code, message, hint.
pub(crate) fn shown(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let place = match &diagnostic.place {
            Place::File(path) => path.to_string(),
            Place::Pointer {
                path,
                pointer,
                part,
            } => {
                let part = if *part == Part::Key { " (key)" } else { "" };
                format!("{path}:{pointer}{part}")
            }
            Place::Block {
                path,
                block,
                line,
                column,
                ..
            } => {
                format!("{path}:block {block}, {line}:{column}")
            }
        };
        let (severity, code) = (diagnostic.severity().word(), diagnostic.code.name());
        text.push_str(&format!(
            "{place}: {severity}[{code}] {}\n",
            diagnostic.message
        ));
        if let Some(hint) = &diagnostic.hint {
            text.push_str(&format!("  {hint}\n"));
        }
    }
    text
}
