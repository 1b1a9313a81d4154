//! The index of a site with what it has of each part of it: it takes up the parts whose digests are others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use queries::base::content::ContentHash;
use queries::base::path::{Route, SitePath};
use queries::site::{FoundPages, PageId, bucket_pages, file_named, page_route};

use super::documents::{Documents, Embedded, imports_of};
use super::first_round::Beside;
use super::survey::{Part, Survey, survey};
use crate::faults::{Faults, SEARCH};
use crate::host::{ReadError, SiteHost};
use crate::index::external::External;
use crate::index::{Changes, Followed, Index, Options};

/// How many pages are written at a time: who is killed meanwhile has that many to take up again.
const WRITTEN_AT_ONCE: usize = 8 * 1024;

/// From how many pages on the vectors of a site that is new follow when its words can be found: those of fewer are made in less
/// than a tenth of a second.
const WORDS_FIRST: usize = 1000;

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

    /// Says what the pages of `documents` import now.
    fn note(&mut self, documents: &Documents) {
        for (changed, imports) in documents.changed.iter().zip(&documents.imports) {
            self.set(&changed.document.route, imports.clone());
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
        let documents = Documents::read(host, &pages, Embedded::Few);
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
        self.imports.note(&documents);
        for changed in &documents.changed {
            let route = &changed.document.route;
            let had = (self.parts.values_mut()).find_map(|(_, had)| had.get_mut(route));
            if let Some(digest) = had {
                *digest = changed.digest;
            }
        }
        Ok(true)
    }

    /// Takes up the pages of the files of a site of which the index has none, a part after the other: what is drawn of a page
    /// is drawn once, and let go of. Whatever faults, or changes meanwhile, is seen by who compares the site afterwards.
    fn begin(
        &mut self,
        host: &SiteHost,
        beside: Option<Beside>,
        may_vectors_follow: bool,
        is_stopped: &AtomicBool,
        sum: &mut Followed,
    ) -> anyhow::Result<()> {
        let buckets = host.read(|db, site| {
            let buckets = site.buckets(db).iter();
            let sizes = buckets.map(|bucket| (*bucket, bucket_pages(db, *bucket).len()));
            sizes.collect::<Vec<_>>()
        });
        let buckets = match buckets {
            Ok(buckets) => buckets,
            Err(ReadError::Panicked(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let all = buckets.iter().map(|(_, size)| size).sum();
        std::thread::scope(|scope| {
            let are_words_first = may_vectors_follow && all >= WORDS_FIRST;
            let read = Documents::part_by_part(
                scope,
                host,
                &buckets,
                beside,
                are_words_first,
                is_stopped,
            )?;
            let mut taking = self.index.begin(all);
            let mut count = 0;
            for (found, documents) in read {
                if is_stopped.load(Ordering::Acquire) {
                    anyhow::bail!("the site is put away");
                }
                documents.put(&mut taking, &[])?;
                self.imports.note(&documents);
                for (bucket, found) in found {
                    let found = documents.read_of(found);
                    let pages = found.pages.into_iter();
                    let pages = pages.map(|(route, page)| (route, page.digest)).collect();
                    self.parts
                        .insert(Part::Bucket(bucket), (found.digest, pages));
                }
                count += documents.changed.len();
                if count >= WRITTEN_AT_ONCE {
                    add(sum, taking.finish()?);
                    (taking, count) = (self.index.begin(all), 0);
                }
            }
            add(sum, taking.finish()?);
            Ok(())
        })
    }

    /// Takes up the parts of the site whose digests are others. `may_vectors_follow` says that someone calls [`Index::embed`]
    /// afterwards.
    pub(super) fn follow(
        &mut self,
        host: &SiteHost,
        is_rearranged: bool,
        beside: Option<Beside>,
        may_vectors_follow: bool,
        is_stopped: &AtomicBool,
        faults: &Faults,
    ) -> anyhow::Result<Followed> {
        let is_first = self.parts.is_empty();
        let mut sum = Followed::default();
        let may_vectors_follow = may_vectors_follow && is_first && self.index.is_empty();
        if is_first && self.index.is_empty() {
            self.begin(host, beside, may_vectors_follow, is_stopped, &mut sum)?;
        }
        let known: HashMap<Part, ContentHash> = (self.parts.iter())
            .map(|(part, (digest, _))| (*part, *digest))
            .collect();
        // Before the first comparison the index itself knows what it has.
        let manifest = match self.parts.is_empty() {
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
        let mut unread: BTreeSet<Route> = BTreeSet::new();
        // While a part is written the next one is read.
        std::thread::scope(|scope| {
            let are_words_first = may_vectors_follow && changed.len() >= WORDS_FIRST;
            let read = Documents::ahead(scope, host, &changed, are_words_first, is_stopped)?;
            let mut taking = self.index.begin(changed.len());
            let (mut gone, mut count) = (&*gone, 0);
            for documents in read {
                if is_stopped.load(Ordering::Acquire) {
                    anyhow::bail!("the site is put away");
                }
                if let Some((_, error)) = documents.faulty.first() {
                    faults.note(SEARCH, error);
                }
                unread.extend(documents.faulty.iter().map(|(route, _)| route.clone()));
                let gone = std::mem::take(&mut gone);
                documents.put(&mut taking, gone)?;
                self.imports.note(&documents);
                count += documents.changed.len();
                if count >= WRITTEN_AT_ONCE {
                    add(&mut sum, taking.finish()?);
                    (taking, count) = (self.index.begin(changed.len()), 0);
                }
            }
            add(&mut sum, taking.finish()?);
            anyhow::Ok(())
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

/// Adds up what it took to follow; pages and passages are those that there are now.
fn add(sum: &mut Followed, followed: Followed) {
    sum.pages = followed.pages;
    sum.passages = followed.passages;
    sum.embedded += followed.embedded;
    sum.took += followed.took;
}
