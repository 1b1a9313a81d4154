//! Index of a site with the state of each of its parts: only parts whose digests changed are
//! indexed again.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use queries::base::content::ContentHash;
use queries::base::path::{Route, SitePath};
use queries::site::{PageId, bucket_pages, file_named, page_route};

use super::documents::{Documents, VectorSource, imports_of};
use super::first_round::Prefetch;
use super::held::{Digests, IndexedPages};
use super::survey::{Part, Survey, survey};
use crate::index::external::External;
use crate::index::{Changes, Index, IndexUpdate, Options};
use quire_engine::faults::{Faults, SEARCH};
use quire_engine::host::{ReadError, SiteHost};

/// Pages written per commit of the index: the most that a killed process has to index again.
const WRITTEN_AT_ONCE: usize = 8 * 1024;

/// Pages of the first commit of a new index; each commit has twice as many as the one before, up to
/// [`WRITTEN_AT_ONCE`]. Who asks early finds them, and all commits together cost little more than
/// the last.
const FIRST_WRITTEN: usize = 256;

/// Number of pages from which a new site is searchable by keywords before its vectors are made;
/// below it, making them takes less than 100 ms.
const KEYWORD_FIRST_THRESHOLD: usize = 1000;

/// Time that an index writer is kept after a change: each takes megabytes, and there may be many
/// sites.
const KEEP_WRITER: Duration = Duration::from_secs(10);

pub(super) struct OpenedService {
    pub(super) index: Arc<Index>,
    /// Name of the embedder of its vectors.
    pub(super) embedder: String,
    /// Number of pages that the index is known to get.
    pub(super) progress: Arc<AtomicUsize>,
    digests: IndexedPages,
    imports: ImportMap,
}

/// Imports of pages: editing such a file edits those pages too.
#[derive(Default)]
struct ImportMap {
    /// Direct and indirect imports of each page that imports anything.
    by_page: HashMap<Route, Vec<SitePath>>,
    /// Number of pages that import a file.
    files: HashMap<SitePath, usize>,
}

impl ImportMap {
    /// Records the current imports of a page.
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

    /// Records the current imports of the pages of `documents`.
    fn note(&mut self, documents: &Documents) {
        for (changed, imports) in documents.changed.iter().zip(&documents.imports) {
            self.set(&changed.document.route, imports.clone());
        }
    }

    /// Reads the current imports of all pages.
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

impl OpenedService {
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
            progress: Arc::default(),
            digests: IndexedPages::default(),
            imports: ImportMap::default(),
        })
    }

    /// Indexes the pages of the files at `paths`; returns `false` if that is not enough, because a
    /// page became searchable or stopped to be, or because other pages import one of the files.
    pub(super) fn follow_pages(
        &mut self,
        host: &SiteHost,
        paths: &BTreeSet<SitePath>,
    ) -> anyhow::Result<bool> {
        // A changed import changes the documents of its importers, which are not among `paths`.
        if paths.iter().any(|path| self.imports.has(path)) {
            return Ok(false);
        }
        let pages = host.read(|db, _| {
            let files = paths.iter().filter_map(|path| file_named(db, path));
            let pages = files.map(|file| (page_route(db, file).clone(), PageId::File(file)));
            pages.collect::<Vec<_>>()
        })?;
        let documents = Documents::read(host, &pages, VectorSource::Few);
        let parts = pages.iter().map(|(route, _)| self.digests.part_of(route));
        let parts: Vec<Option<Part>> = parts.collect();
        let found = documents.changed.iter();
        let found: HashMap<&Route, ContentHash> = found
            .map(|changed| (&changed.document.route, changed.digest))
            .collect();
        let routes_with_parts = || pages.iter().map(|(route, _)| route).zip(&parts);
        // A page that became searchable has no part here yet, and one that no longer is must be
        // deleted: both need the comparison of the whole site.
        if routes_with_parts().any(|(route, part)| part.is_some() != found.contains_key(route)) {
            return Ok(false);
        }
        let changes = Changes {
            gone: &[],
            changed: &documents.changed,
        };
        self.index
            .follow(&changes, |document, i| documents.vectors_of(document, i))?;
        // Recorded last: the digest of a page that the index failed to take would hide the
        // difference from the next comparison.
        self.imports.note(&documents);
        for (route, part) in routes_with_parts() {
            if let Some((part, digest)) = part.zip(found.get(route)) {
                self.digests.put(part, route, *digest);
            }
        }
        Ok(true)
    }

    /// Indexes the pages of the files of a site for the first time, part by part: each page is
    /// rendered once and then evicted. Faults and changes in the meantime are found by the
    /// comparison afterwards.
    fn begin(
        &mut self,
        host: &SiteHost,
        prefetch: Option<Prefetch>,
        defer_embeddings: bool,
        is_stopped: &AtomicBool,
        sum: &mut IndexUpdate,
    ) -> anyhow::Result<()> {
        let buckets = host.read(|db, site| {
            let buckets = site.buckets(db).iter();
            let sizes = buckets.map(|bucket| (*bucket, bucket_pages(db, *bucket).len()));
            sizes.collect::<Vec<_>>()
        });
        let buckets = match buckets {
            Ok(buckets) => buckets,
            // The comparison afterwards reads the parts one by one, around the fault.
            Err(ReadError::Panicked(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let all = buckets.iter().map(|(_, size)| size).sum();
        self.progress.store(all, Ordering::Relaxed);
        std::thread::scope(|scope| {
            let are_words_first = defer_embeddings && all >= KEYWORD_FIRST_THRESHOLD;
            let read = Documents::part_by_part(
                scope,
                host,
                &buckets,
                prefetch,
                are_words_first,
                is_stopped,
            )?;
            let mut taking = self.index.begin(all);
            let (mut count, mut most) = (0, FIRST_WRITTEN);
            for (found, documents) in read {
                if is_stopped.load(Ordering::Acquire) {
                    anyhow::bail!("the site is put away");
                }
                documents.hand_over(&mut taking, &[])?;
                self.imports.note(&documents);
                // Only pages whose documents were read. A part without the others has another
                // digest than the site has, so the comparison afterwards tries them again.
                let mut taken: Digests = documents.digests().collect();
                for (bucket, found) in found {
                    let routes = found.pages.into_keys();
                    let pages = routes.filter_map(|route| taken.remove_entry(&route));
                    self.digests.set(Part::Bucket(bucket), pages.collect());
                }
                count += documents.changed.len();
                if count >= most {
                    add(sum, taking.finish()?);
                    (taking, count) = (self.index.begin(all), 0);
                    most = (2 * most).min(WRITTEN_AT_ONCE);
                }
            }
            add(sum, taking.finish()?);
            Ok(())
        })
    }

    /// Indexes the parts of the site whose digests changed. With `defer_embeddings` the caller must
    /// call [`Index::embed`] afterwards.
    pub(super) fn follow(
        &mut self,
        host: &SiteHost,
        is_rearranged: bool,
        prefetch: Option<Prefetch>,
        defer_embeddings: bool,
        is_stopped: &AtomicBool,
        faults: &Faults,
    ) -> anyhow::Result<IndexUpdate> {
        let is_first = self.digests.is_empty();
        let mut sum = IndexUpdate::default();
        let defer_embeddings = defer_embeddings && is_first && self.index.is_empty();
        // All pages of a new site are new, so its parts are indexed while they are read, and each
        // page is rendered once. The comparison below finds the pages that this pass has missed.
        if is_first && self.index.is_empty() {
            self.begin(host, prefetch, defer_embeddings, is_stopped, &mut sum)?;
        }
        let seen = self.look(host, faults)?;
        self.take_up(host, seen, defer_embeddings, is_stopped, faults, &mut sum)?;
        // A new or removed file can change the target of any import, so those of all pages are
        // read.
        if is_first || is_rearranged {
            match ImportMap::read(host) {
                Ok(imports) => self.imports = imports,
                // The imports that the documents reported are kept.
                Err(error @ ReadError::Panicked(_)) => faults.note(SEARCH, &error),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(sum)
    }

    /// Compares the site with the index, and returns the differences.
    fn look(&mut self, host: &SiteHost, faults: &Faults) -> Result<SurveyedChanges, ReadError> {
        // Before the first comparison the index itself knows what it has.
        let manifest = match self.digests.is_empty() {
            true => self.index.manifest(),
            false => Digests::new(),
        };
        let had = |route: &Route| {
            let digest = self.digests.page(route);
            digest.or_else(|| manifest.get(route).copied())
        };
        let Survey {
            present,
            others,
            fault,
        } = survey(host, &self.digests.parts(), &had)?;
        match &fault {
            Some(error) => faults.note(SEARCH, error),
            None => faults.clear(SEARCH),
        }
        // Pages that the index had of parts that changed or were removed.
        let mut removed = manifest;
        for (part, _) in &others {
            removed.extend(self.digests.take(*part));
        }
        removed.extend(self.digests.take_absent(&present));
        // All of them are collected before the first part is compared: a page may have moved from
        // one part to another, and is then neither changed nor removed.
        let mut seen = SurveyedChanges::default();
        for (part, found) in others {
            let mut had = Digests::new();
            for (route, page) in found.pages {
                let before = removed.remove(&route);
                if before != Some(page.digest) {
                    seen.changed.push((route.clone(), page.page));
                    seen.parts.insert(route.clone(), part);
                }
                // Its old digest stays until its new document is indexed, or if none can be read.
                had.extend(before.map(|before| (route, before)));
            }
            self.digests.set(part, had);
        }
        seen.removed = removed.into_keys().collect();
        Ok(seen)
    }

    /// Indexes the pages that were `seen`. They are read in their current state.
    fn take_up(
        &mut self,
        host: &SiteHost,
        seen: SurveyedChanges,
        defer_embeddings: bool,
        is_stopped: &AtomicBool,
        faults: &Faults,
        sum: &mut IndexUpdate,
    ) -> anyhow::Result<()> {
        let SurveyedChanges {
            removed: gone,
            changed,
            parts,
        } = seen;
        // While a part is written the next one is read.
        std::thread::scope(|scope| {
            let are_words_first = defer_embeddings && changed.len() >= KEYWORD_FIRST_THRESHOLD;
            let read = Documents::prefetch(scope, host, &changed, are_words_first, is_stopped)?;
            if self.progress.load(Ordering::Relaxed) > 0 {
                // What the first pass has missed, pages of specifications among it.
                let known = self.index.pages_found() + changed.len();
                self.progress.store(known, Ordering::Relaxed);
            }
            let mut taking = self.index.begin(changed.len());
            let (mut gone, mut count) = (&*gone, 0);
            for documents in read {
                if is_stopped.load(Ordering::Acquire) {
                    anyhow::bail!("the site is put away");
                }
                if let Some((_, error)) = documents.faulty.first() {
                    faults.note(SEARCH, error);
                }
                // Removed pages are deleted with the first batch.
                let gone = std::mem::take(&mut gone);
                documents.hand_over(&mut taking, gone)?;
                self.imports.note(&documents);
                // The digest of the document that was read, not of the one that was seen: an edit
                // since the look is found by the next one.
                for (route, digest) in documents.digests() {
                    if let Some(part) = parts.get(&route) {
                        self.digests.put(*part, &route, digest);
                    }
                }
                count += documents.changed.len();
                if count >= WRITTEN_AT_ONCE {
                    add(sum, taking.finish()?);
                    (taking, count) = (self.index.begin(changed.len()), 0);
                }
            }
            add(sum, taking.finish()?);
            anyhow::Ok(())
        })?;
        for route in &gone {
            self.imports.set(route, Vec::new());
        }
        Ok(())
    }
}

/// Differences between a site and its index.
#[derive(Default)]
struct SurveyedChanges {
    /// Removed pages.
    removed: Vec<Route>,
    /// New pages, and pages whose documents changed.
    changed: Vec<(Route, PageId)>,
    /// Parts of the changed pages.
    parts: HashMap<Route, Part>,
}

/// Adds a summary to the sum; the numbers of pages and passages are the current ones.
fn add(sum: &mut IndexUpdate, followed: IndexUpdate) {
    sum.pages = followed.pages;
    sum.passages = followed.passages;
    sum.embedded += followed.embedded;
    sum.took += followed.took;
}

#[cfg(test)]
mod tests {
    use queries::site::Embedder;

    use super::*;
    use crate::index::Question;
    use quire_engine::host::{FileChange, HostOptions};
    use quire_source::sources::FileState;

    fn change(host: &SiteHost, files: &[(&str, Option<&str>)]) {
        let changes = files.iter().map(|(path, text)| {
            let path = SitePath::new(path).unwrap();
            let text = text.map(|text| FileState::Text(text.as_bytes().into()));
            let state = text.unwrap_or(FileState::Absent);
            FileChange { path, state }
        });
        host.apply(changes.collect::<Vec<_>>());
    }

    /// Compares the site with the index, and runs `between` between the look and its update.
    fn pass(opened: &mut OpenedService, host: &SiteHost, between: impl FnOnce()) {
        let (faults, never) = (Faults::default(), AtomicBool::new(false));
        let seen = opened.look(host, &faults).unwrap();
        between();
        let mut sum = IndexUpdate::default();
        opened
            .take_up(host, seen, false, &never, &faults, &mut sum)
            .unwrap();
    }

    fn found_routes(opened: &OpenedService, query: &str) -> Vec<String> {
        let question = Question {
            query,
            limit: 10,
            ..Question::default()
        };
        let hits = opened.index.search(&question).results;
        hits.into_iter().map(|hit| hit.url.to_string()).collect()
    }

    /// Edits between a look and its update are applied by the next pass.
    #[test]
    fn what_is_written_between_a_look_and_its_taking_up_is_seen_by_the_next() {
        let texts = [None, Some("oolong"), Some("keemun"), Some("lapsang")];
        let host = &SiteHost::new("", HostOptions::default());
        let index = &mut OpenedService::open(None, Embedder::NAME, None).unwrap();
        change(host, &[("b.mdx", Some("sencha"))]);
        for first in texts {
            for seen in texts {
                for read in texts {
                    for last in texts {
                        change(host, &[("a.mdx", first)]);
                        pass(index, host, || ());
                        change(host, &[("a.mdx", seen)]);
                        pass(index, host, || change(host, &[("a.mdx", read)]));
                        change(host, &[("a.mdx", last)]);
                        pass(index, host, || ());
                        let order = [first, seen, read, last];
                        for word in texts.into_iter().flatten() {
                            let is_last = last == Some(word);
                            let expected = if is_last { vec!["/a"] } else { Vec::new() };
                            assert_eq!(found_routes(index, word), expected, "{word}: {order:?}");
                        }
                        assert_eq!(found_routes(index, "sencha"), ["/b"]);
                    }
                }
            }
        }
    }
}
