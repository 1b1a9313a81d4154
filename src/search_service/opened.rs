//! The index of a site with what it has of each part of it: it takes up the parts whose digests are others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;
use std::time::Duration;

use queries::base::content::ContentHash;
use queries::base::path::{Route, SitePath};
use queries::site::{
    Database, Embedding, FoundPages, PageId, SearchDocument, bucket_pages, file_named,
    page_embeddings, page_imports, page_route, search_digest, search_document,
};

use super::survey::{Part, Survey, survey};
use crate::faults::{Faults, SEARCH};
use crate::host::{ReadError, STACK, SiteHost};
use crate::index::external::External;
use crate::index::{Changed, Changes, Followed, Index, Options};
use crate::meter;

/// How many pages are taken up at a time while there are many: a write need not wait, and texts do not pile up.
const AT_ONCE: usize = 500;

/// How long the writer of an index is kept after a change: each takes megabytes, and there may be many sites.
const KEEP_WRITER: Duration = Duration::from_secs(10);

pub(super) struct Opened {
    pub(super) index: Arc<Index>,
    /// What makes its vectors.
    pub(super) embedder: String,
    /// What it has of each part of the site, and the digest of all that.
    parts: HashMap<Part, (ContentHash, BTreeMap<Route, ContentHash>)>,
    imports: Imported,
}

/// What pages import: who edits such a file edits those pages too.
#[derive(Default)]
struct Imported {
    /// What each page imports, directly or not, of those that import anything.
    by_page: HashMap<Route, Vec<SitePath>>,
    /// How many pages import a file.
    files: HashMap<SitePath, usize>,
}

impl Imported {
    /// Says what a page imports now.
    fn set(&mut self, route: &Route, paths: Vec<SitePath>) {
        for path in self.by_page.remove(route).unwrap_or_default() {
            if let Some(count) = self.files.get_mut(&path) {
                *count -= 1;
                if *count == 0 {
                    self.files.remove(&path);
                }
            }
        }
        if !paths.is_empty() {
            for path in &paths {
                *self.files.entry(path.clone()).or_default() += 1;
            }
            self.by_page.insert(route.clone(), paths);
        }
    }

    /// What all pages import now.
    fn read(host: &SiteHost) -> Result<Self, ReadError> {
        let all = host.read(|db, site| {
            let buckets = site.buckets(db).iter();
            let pages = buckets.flat_map(|bucket| bucket_pages(db, *bucket));
            let imports = pages.map(|file| {
                let route = page_route(db, *file).clone();
                (route, imports_of(db, PageId::File(*file)))
            });
            imports.collect::<Vec<_>>()
        })?;
        let mut imported = Self::default();
        for (route, paths) in all {
            imported.set(&route, paths);
        }
        Ok(imported)
    }

    fn has(&self, path: &SitePath) -> bool {
        self.files.contains_key(path)
    }
}

/// The files that a page imports, directly or not.
fn imports_of(db: &Database, page: PageId) -> Vec<SitePath> {
    let imports = page.file().map(|file| page_imports(db, file));
    let files = imports.into_iter().flat_map(|imports| imports.values());
    let paths: BTreeSet<SitePath> = files.map(|file| file.path(db).clone()).collect();
    paths.into_iter().collect()
}

impl Opened {
    pub(super) fn open(
        folder: Option<&Path>,
        embedder: &str,
        other: Option<External>,
    ) -> anyhow::Result<Self> {
        let options = Options {
            embedder: embedder.to_owned(),
            other,
            keep_writer: KEEP_WRITER,
            ..Options::default()
        };
        Ok(Self {
            index: Arc::new(Index::open(folder, options)?),
            embedder: embedder.to_owned(),
            parts: HashMap::new(),
            imports: Imported::default(),
        })
    }

    /// Takes up the pages of the files at `paths`; `false` if that is not enough, because a page is found that was not
    /// before, or is no longer, or because other pages import one of the files.
    pub(super) fn follow_pages(
        &mut self,
        host: &SiteHost,
        paths: &BTreeSet<SitePath>,
    ) -> anyhow::Result<bool> {
        if paths.iter().any(|path| self.imports.has(path)) {
            return Ok(false);
        }
        let pages = host.read(|db, _| {
            let files = paths.iter().filter_map(|path| file_named(db, path));
            let pages = files.map(|file| (page_route(db, file).clone(), PageId::File(file)));
            pages.collect::<Vec<_>>()
        })?;
        let documents = Documents::read(host, &pages);
        let is_had = |route: &Route| (self.parts.values()).any(|(_, had)| had.contains_key(route));
        let is_found = |route: &Route| {
            let mut found = documents.changed.iter();
            found.any(|changed| changed.document.route == *route)
        };
        if pages
            .iter()
            .any(|(route, _)| is_had(route) != is_found(route))
        {
            return Ok(false);
        }
        let changes = Changes {
            gone: &[],
            changed: &documents.changed,
        };
        self.index
            .follow(&changes, |document, i| documents.vectors_of(document, i))?;
        self.note_imports(&documents);
        for changed in &documents.changed {
            let route = &changed.document.route;
            let had = (self.parts.values_mut()).find_map(|(_, had)| had.get_mut(route));
            if let Some(digest) = had {
                *digest = changed.digest;
            }
        }
        Ok(true)
    }

    fn note_imports(&mut self, documents: &Documents) {
        for (changed, imports) in documents.changed.iter().zip(&documents.imports) {
            self.imports.set(&changed.document.route, imports.clone());
        }
    }

    /// Takes up the parts of the site whose digests are others.
    pub(super) fn follow(
        &mut self,
        host: &SiteHost,
        is_rearranged: bool,
        is_stopped: &AtomicBool,
        faults: &Faults,
    ) -> anyhow::Result<Followed> {
        let is_first = self.parts.is_empty();
        let known: HashMap<Part, ContentHash> = (self.parts.iter())
            .map(|(part, (digest, _))| (*part, *digest))
            .collect();
        // Before the first comparison the index itself knows what it has.
        let manifest = match is_first {
            true => self.index.manifest(),
            false => BTreeMap::new(),
        };
        let had = |route: &Route| {
            let mut had = self.parts.values().map(|(_, had)| had);
            let digest = had.find_map(|had| had.get(route)).copied();
            digest.or_else(|| manifest.get(route).copied())
        };
        let Survey {
            present,
            others,
            fault,
        } = survey(host, &known, &had)?;
        match &fault {
            Some(error) => faults.note(SEARCH, error),
            None => faults.clear(SEARCH),
        }
        // What the index had, of the parts that are others or are no more.
        let mut gone = manifest;
        for (part, _) in &others {
            gone.extend(
                self.parts
                    .remove(part)
                    .map(|(_, had)| had)
                    .unwrap_or_default(),
            );
        }
        let absent: Vec<Part> = (self.parts.keys())
            .filter(|part| !present.contains(part))
            .copied()
            .collect();
        for part in absent {
            gone.extend(
                self.parts
                    .remove(&part)
                    .map(|(_, had)| had)
                    .unwrap_or_default(),
            );
        }
        let mut changed: Vec<(Route, PageId)> = Vec::new();
        for (_, found) in &others {
            for (route, page) in &found.pages {
                if gone.remove(route) != Some(page.digest) {
                    changed.push((route.clone(), page.page));
                }
            }
        }
        let gone: Vec<Route> = gone.into_keys().collect();
        let mut sum = Followed::default();
        let mut unread: BTreeSet<Route> = BTreeSet::new();
        // While a part is written the next one is read.
        std::thread::scope(|scope| {
            let batches = Documents::ahead(scope, host, &changed, is_stopped)?;
            for (i, documents) in batches.into_iter().enumerate() {
                if is_stopped.load(Ordering::Acquire) {
                    anyhow::bail!("the site is put away");
                }
                if let Some((_, error)) = documents.faulty.first() {
                    faults.note(SEARCH, error);
                }
                unread.extend(documents.faulty.iter().map(|(route, _)| route.clone()));
                let changes = Changes {
                    gone: if i == 0 { &gone } else { &[] },
                    changed: &documents.changed,
                };
                let followed = self
                    .index
                    .follow(&changes, |document, i| documents.vectors_of(document, i))?;
                self.note_imports(&documents);
                sum.pages = followed.pages;
                sum.passages = followed.passages;
                sum.embedded += followed.embedded;
                sum.took += followed.took;
            }
            Ok(())
        })?;
        for (part, mut found) in others {
            let all = found.pages.len();
            found.pages.retain(|route, _| !unread.contains(route));
            if found.pages.len() < all {
                // Another digest than that of the whole part: its pages are asked for again.
                found = FoundPages::of(found.pages);
            }
            let pages = found.pages.into_iter();
            let pages = pages.map(|(route, page)| (route, page.digest)).collect();
            self.parts.insert(part, (found.digest, pages));
        }
        for route in &gone {
            self.imports.set(route, Vec::new());
        }
        if is_first || is_rearranged {
            match Imported::read(host) {
                Ok(imports) => self.imports = imports,
                // What the documents said of their own imports stays.
                Err(error @ ReadError::Panicked(_)) => faults.note(SEARCH, &error),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(sum)
    }
}

/// What the index asks of the pages that changed.
struct Documents {
    changed: Vec<Changed>,
    /// Pages that could not be read, and why.
    faulty: Vec<(Route, ReadError)>,
    /// What each of them imports.
    imports: Vec<Vec<SitePath>>,
    vectors: HashMap<ContentHash, Arc<[Embedding]>>,
}

impl Documents {
    /// The documents of `pages`, some at a time and at least once: the next ones are read by a thread while those before are
    /// taken up. Reading ends early when `is_stopped` is set, or nobody takes what was read.
    fn ahead<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        host: &'env SiteHost,
        pages: &'env [(Route, PageId)],
        is_stopped: &'env AtomicBool,
    ) -> std::io::Result<Receiver<Self>> {
        let (sender, read) = sync_channel(1);
        if pages.len() <= AT_ONCE {
            // It has room for one.
            let _ = sender.send(Self::read(host, pages));
            return Ok(read);
        }
        let work = move || {
            for batch in pages.chunks(AT_ONCE) {
                if is_stopped.load(Ordering::Acquire) {
                    return;
                }
                let documents = Self::read(host, batch);
                if batch.len() == AT_ONCE {
                    host.evict();
                }
                if sender.send(documents).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("index-read".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || meter::beside(work))?;
        Ok(read)
    }

    /// Reads the documents of `pages`. What is written while they are read is read by the next round.
    fn read(host: &SiteHost, pages: &[(Route, PageId)]) -> Self {
        let ask = |(_, page): &(Route, PageId)| {
            let page = *page;
            host.read(|db, _| {
                let changed = Changed {
                    digest: search_digest(db, page)?,
                    document: search_document(db, page)?,
                };
                Some((changed, page_embeddings(db, page), imports_of(db, page)))
            })
        };
        let mut documents = Self {
            changed: Vec::with_capacity(pages.len()),
            faulty: Vec::new(),
            imports: Vec::with_capacity(pages.len()),
            vectors: HashMap::new(),
        };
        for (route, found) in pages.iter().map(|asked| (&asked.0, ask(asked))) {
            match found {
                Ok(Some((changed, vectors, imports))) => {
                    documents.changed.push(changed);
                    documents.imports.push(imports);
                    documents.vectors.extend(vectors);
                }
                // It vanished meanwhile.
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!("{route} cannot be found: {error}");
                    documents.faulty.push((route.clone(), error));
                }
            }
        }
        documents
    }

    /// The vectors of one passage of a document.
    fn vectors_of(&self, document: &SearchDocument, passage: usize) -> Vec<Embedding> {
        let passage = document.passages.get(passage);
        let digest = passage.map(|passage| passage.digest(&document.title));
        let vectors = digest.and_then(|digest| self.vectors.get(&digest));
        vectors.map(|vectors| vectors.to_vec()).unwrap_or_default()
    }
}
