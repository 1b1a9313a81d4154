//! Inputs of the index for pages that changed: documents, vectors and imports, read ahead of the
//! writer.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use queries::base::content::ContentHash;
use queries::base::path::{Route, SitePath};
use queries::site::{
    Database, Embedder, Embedding, FileBucket, FoundPages, PageId, SearchDocument, Texts,
    bucket_search, page_embeddings, page_imports, page_windows, search_digest, search_document,
};

use super::first_round::Prefetch;
use crate::index::{ChangedPage, Changes, Taking};
use quire_engine::host::{ReadError, STACK, SiteHost};
use quire_engine::meter;

/// Number of pages read at a time while there are many: a write does not have to wait, and rendered
/// pages do not pile up.
const AT_ONCE: usize = 64;

/// Number of such parts read ahead of the writer: what was written by then is flushed to disk in
/// the meantime.
const AHEAD: usize = 8;

/// Source of the vectors of pages.
pub(super) enum VectorSource<'a> {
    /// The engine, which caches those of a few pages: when a page is edited again, its other
    /// passages need not be embedded again.
    Few,
    /// One table for all: only the vectors are cached, and each word is split once.
    Many(&'a mut Texts<'static>),
    /// When words can be found.
    Later,
}

/// The vectors of passages, or the texts that they are made from.
enum Vectors {
    Made(Vec<(ContentHash, Arc<[Embedding]>)>),
    Texts(Vec<(ContentHash, Vec<String>)>),
    Later,
}

/// The pages that are found of some buckets.
pub(super) type BucketPages = Vec<(FileBucket, FoundPages)>;

/// Results of `read` for each of `parts`, in their order, from a thread that runs a few parts ahead
/// of the consumer. Rendered pages are evicted along the way. Reading ends early when it fails,
/// when `is_stopped` is set, or when the consumer is gone.
fn read_ahead<'scope, 'env, P: Send + 'env, T: Send + 'env>(
    scope: &'scope Scope<'scope, 'env>,
    host: &'env SiteHost,
    parts: impl Iterator<Item = P> + Send + 'env,
    mut read: impl FnMut(P) -> Result<T, ReadError> + Send + 'env,
    is_stopped: &'env AtomicBool,
) -> std::io::Result<Receiver<T>> {
    let (sender, taken) = sync_channel(AHEAD);
    let work = move || {
        for part in parts {
            if is_stopped.load(Ordering::Acquire) {
                return;
            }
            let Ok(read) = read(part) else {
                return;
            };
            host.evict();
            if sender.send(read).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("index-read".to_owned())
        .stack_size(STACK)
        .spawn_scoped(scope, || meter::in_background(work))?;
    Ok(taken)
}

/// Inputs of the index for the pages that changed.
pub(super) struct Documents {
    pub(super) changed: Vec<ChangedPage>,
    /// Pages that could not be read, and why.
    pub(super) faulty: Vec<(Route, ReadError)>,
    /// Imports of each of them.
    pub(super) imports: Vec<Vec<SitePath>>,
    /// `None` if they follow.
    vectors: Option<HashMap<ContentHash, Arc<[Embedding]>>>,
}

impl Documents {
    /// The documents of `pages`, some at a time: a thread reads the next ones while those before
    /// are indexed. Reading ends early when `is_stopped` is set, or when the consumer is gone. With
    /// `are_words_first` vectors follow later.
    pub(super) fn prefetch<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        host: &'env SiteHost,
        pages: &'env [(Route, PageId)],
        are_words_first: bool,
        is_stopped: &'env AtomicBool,
    ) -> std::io::Result<Receiver<Self>> {
        if pages.len() <= AT_ONCE {
            let (sender, read) = sync_channel(1);
            // It has room for one.
            let _ = sender.send(Self::read(host, pages, VectorSource::Few));
            return Ok(read);
        }
        let mut texts = Texts::new(Embedder::built_in());
        let read = move |batch: &'env [(Route, PageId)]| {
            Ok(Self::read(host, batch, many(&mut texts, are_words_first)))
        };
        read_ahead(scope, host, pages.chunks(AT_ONCE), read, is_stopped)
    }

    /// Reads the searchable pages of `buckets` and their documents in batches of buckets, ahead of
    /// the receiver like [`Documents::prefetch`]. `buckets` has the number of pages of each. Buckets
    /// with a page whose queries panic are skipped. `prefetch` is called for each bucket while its
    /// rendered pages are in memory.
    pub(super) fn part_by_part<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        host: &'env SiteHost,
        buckets: &[(FileBucket, usize)],
        prefetch: Option<Prefetch>,
        are_words_first: bool,
        is_stopped: &'env AtomicBool,
    ) -> std::io::Result<Receiver<(BucketPages, Self)>> {
        let mut parts: Vec<Vec<FileBucket>> = Vec::new();
        let mut room = 0;
        for (bucket, size) in buckets {
            match parts.last_mut() {
                Some(part) if *size <= room => {
                    part.push(*bucket);
                    room -= size;
                }
                _ => {
                    parts.push(vec![*bucket]);
                    room = AT_ONCE.saturating_sub(*size);
                }
            }
        }
        let mut texts = Texts::new(Embedder::built_in());
        let read = move |part: Vec<FileBucket>| {
            let mut found = Vec::with_capacity(part.len());
            for bucket in part {
                match host.read(|db, _| bucket_search(db, bucket).clone()) {
                    Ok(pages) => found.push((bucket, pages)),
                    Err(ReadError::Panicked(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            let pages = found.iter().flat_map(|(_, found)| &found.pages);
            let pages = pages.map(|(route, page)| (route.clone(), page.page));
            let pages: Vec<_> = pages.collect();
            let documents = Self::read(host, &pages, many(&mut texts, are_words_first));
            if let Some(ask) = prefetch {
                // The next caller gets the error.
                let asked =
                    host.read(|db, _| found.iter().for_each(|(bucket, _)| ask(db, *bucket)));
                if let Err(error @ ReadError::Cancelled(_)) = asked {
                    return Err(error);
                }
            }
            Ok((found, documents))
        };
        read_ahead(scope, host, parts.into_iter(), read, is_stopped)
    }

    /// Has `taking` take them up, and leave out the pages that are `removed`.
    pub(super) fn hand_over(
        &self,
        taking: &mut Taking<'_>,
        removed: &[Route],
    ) -> anyhow::Result<()> {
        let changes = Changes {
            gone: removed,
            changed: &self.changed,
        };
        match &self.vectors {
            None => taking.put(&changes, None),
            Some(_) => taking.put(&changes, Some(&|document, i| self.vectors_of(document, i))),
        }
    }

    /// The digests of the documents that were read, by the routes of their pages.
    pub(super) fn digests(&self) -> impl Iterator<Item = (Route, ContentHash)> {
        let changed = self.changed.iter();
        changed.map(|changed| (changed.document.route.clone(), changed.digest))
    }

    /// Reads the documents of `pages`. What is written while they are read is read by the next round.
    pub(super) fn read(
        host: &SiteHost,
        pages: &[(Route, PageId)],
        mut embedded: VectorSource<'_>,
    ) -> Self {
        type Read = fn(&Database, PageId) -> Vectors;
        let read: Read = match embedded {
            VectorSource::Few => |db, page| Vectors::Made(page_embeddings(db, page)),
            VectorSource::Many(_) => |db, page| Vectors::Texts(page_windows(db, page)),
            VectorSource::Later => |_, _| Vectors::Later,
        };
        let mut vectors = HashMap::new();
        let ask = |(route, page): &(Route, PageId)| {
            let page = *page;
            host.read(|db, _| {
                let changed = ChangedPage {
                    digest: search_digest(db, page)?,
                    document: search_document(db, page)?,
                };
                // A page that is elsewhere now is asked for there by the next round.
                if changed.document.route != *route {
                    return None;
                }
                Some((changed, read(db, page), imports_of(db, page)))
            })
        };
        let mut documents = Self {
            changed: Vec::with_capacity(pages.len()),
            faulty: Vec::new(),
            imports: Vec::with_capacity(pages.len()),
            vectors: None,
        };
        for (route, found) in pages.iter().map(|asked| (&asked.0, ask(asked))) {
            match found {
                Ok(Some((changed, of_page, imports))) => {
                    documents.changed.push(changed);
                    documents.imports.push(imports);
                    match (of_page, &mut embedded) {
                        (Vectors::Made(made), _) => vectors.extend(made),
                        (Vectors::Texts(passages), VectorSource::Many(texts)) => {
                            let made = passages.into_iter().map(|(passage, windows)| {
                                let made = windows.iter().map(|text| texts.embed(text));
                                (passage, made.collect())
                            });
                            vectors.extend(made);
                        }
                        (Vectors::Texts(_) | Vectors::Later, _) => {}
                    }
                }
                // It was removed in the meantime.
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!("failed to index {route}: {error}");
                    documents.faulty.push((route.clone(), error));
                }
            }
        }
        documents.vectors = (!matches!(embedded, VectorSource::Later)).then_some(vectors);
        documents
    }

    /// The vectors of one passage of a document.
    pub(super) fn vectors_of(&self, document: &SearchDocument, passage: usize) -> Vec<Embedding> {
        let passage = document.passages.get(passage);
        let digest = passage.map(|passage| passage.digest(&document.title));
        let vectors = digest.and_then(|digest| self.vectors.as_ref()?.get(&digest));
        vectors.map(|vectors| vectors.to_vec()).unwrap_or_default()
    }
}

/// Returns the source of vectors for many pages: `texts`, or none for now.
fn many<'a>(texts: &'a mut Texts<'static>, are_words_first: bool) -> VectorSource<'a> {
    match are_words_first {
        true => VectorSource::Later,
        false => VectorSource::Many(texts),
    }
}

/// The files that a page imports, directly or not.
pub(super) fn imports_of(db: &Database, page: PageId) -> Vec<SitePath> {
    let imports = page.file().map(|file| page_imports(db, file));
    let files = imports.into_iter().flat_map(|imports| imports.values());
    let paths: BTreeSet<SitePath> = files.map(|file| file.path(db).clone()).collect();
    paths.into_iter().collect()
}
