//! Pages of an export: composes those whose inputs changed, with their search entries and the rows
//! pages that they link to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use queries::base::content::ContentHash;
use queries::base::path::{Route, encode_path};
use queries::site::{
    self, ArtifactStore, ComponentRows, Database, DiagnosticPart, KnownParts, PageId, PageOptions,
    Site, SourceFile, breadcrumbs, index_entry, page_anchors, page_diagnostics, page_links,
    search_config, search_document, search_source,
};
use queries::theme::assets::has_diagrams;

use super::addresses::{Addresses, Within};
use super::writer::Writer;
use super::{AT_ONCE, BuildResult, Job, Outcome, Plan, search};
use crate::outputs::{PageRecord, RowPagesRecord};
use quire_source::load::LoadedSite;

/// Digests of the inputs of pages.
pub(super) struct Sources {
    /// Digest of the inputs of all pages; `None` without state, or if one is unknown.
    surroundings: Option<ContentHash>,
    /// Whether unchanged pages are kept from the last build.
    keeps: bool,
    /// Digests computed in this build, by page: all records of a page must agree.
    digests: Mutex<HashMap<PageId, ContentHash>>,
}

impl Sources {
    pub(super) fn new(
        plan: &Plan,
        loaded: &LoadedSite,
        writer: &Writer,
        options: &PageOptions,
    ) -> Self {
        // If a file could not be read, the digest would not cover all inputs.
        let is_whole = writer.is_kept() && !loaded.is_partial && loaded.unread.is_empty();
        let of_site = is_whole.then(|| loaded.host.surroundings(options).ok());
        let surroundings = of_site.flatten().map(|of_site| {
            // Addresses depend on `options`, which the digest covers, and on this setting.
            let has_slash = [u8::from(plan.trailing_slash)];
            ContentHash::of_parts([&of_site.as_bytes()[..], &has_slash])
        });
        let kept = surroundings.and_then(|surroundings| writer.kept_rows(surroundings));
        Self {
            keeps: kept.is_some(),
            surroundings,
            digests: Mutex::default(),
        }
    }

    /// Digest of the inputs of all pages, if known.
    pub(super) fn surroundings(&self) -> Option<ContentHash> {
        self.surroundings
    }

    /// Returns the digest of the inputs of `page`.
    pub(super) fn of(&self, db: &Database, page: PageId) -> Option<ContentHash> {
        site::page_source(db, page, self.surroundings?)
    }

    /// Like [`Sources::of`], if outputs of the last build may be kept.
    pub(super) fn of_kept(&self, db: &Database, page: PageId) -> Option<ContentHash> {
        if !self.keeps {
            return None;
        }
        // Not locked while the digest is computed: that runs queries, and threads that compute the
        // same one get the same result.
        let seen = || self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = seen().get(&page) {
            return Some(*known);
        }
        let source = self.of(db, page)?;
        seen().insert(page, source);
        Some(source)
    }
}

/// A page in its file.
struct PageFile {
    /// Outcome of its file, and how many bytes that has.
    outcome: io::Result<(Outcome, u64)>,
    /// Files beside it: all that it leaves out, the script of its components.
    companions: Vec<(String, io::Result<Outcome>)>,
    /// Record for the next build.
    record: Option<PageRecord>,
    /// Whether it is as the last build left it.
    is_kept: bool,
    /// Whether it shows a diagram.
    has_diagram: bool,
    /// Whether it names a picture that stands for it.
    has_card: bool,
}

/// Composes and writes `page`, unless the file of the last build can be kept.
fn write_page(
    (db, site): (&Database, Site),
    (route, page): (&Route, PageId),
    job: Job<'_>,
) -> PageFile {
    let Job {
        options,
        addresses,
        writer,
        sources,
        ..
    } = job;
    let path = addresses.file(route);
    // Before any other query: for a page with the same inputs, whose files were not touched,
    // nothing else is computed.
    let kept = sources.of_kept(db, page);
    if let Some(left) = kept.and_then(|source| writer.kept_page(&path, source)) {
        addresses.note(left.moved.iter().cloned());
        let companions = left.companions.iter();
        return PageFile {
            outcome: Ok((Outcome::Unchanged, left.bytes)),
            companions: companions
                .map(|name| (name.clone(), Ok(Outcome::Unchanged)))
                .collect(),
            has_diagram: left.has_diagram,
            has_card: left.has_card,
            record: Some(left),
            is_kept: true,
        };
    }
    let page_html = site::page_html(db, site, page, options);
    if let PageId::File(file) = page {
        // Results that later steps need, read while the body is in memory: once it is evicted, they
        // would render it again.
        page_diagnostics(db, file);
        page_links(db, file);
        page_anchors(db, file);
    }
    index_entry(db, page);
    let Within { html, mut moved } = addresses.page_within(&page_html.html);
    let (html, script) = with_islands(db, (route, page), html, job);
    let bytes = html.len() as u64;
    let mut has_diagram = has_diagrams(&html);
    let outcome = writer.put(&path, html.as_bytes());
    let whole = (page_html.has_whole).then(|| site::whole_page_html(db, site, page, options));
    let whole = whole.flatten().map(|whole| {
        let name = format!(
            "{}{}/index.html",
            &site::WHOLE[1..],
            addresses.name(route).href()
        );
        let whole = addresses.page_within(&whole.html);
        moved.extend(whole.moved);
        has_diagram |= has_diagrams(&whole.html);
        let outcome = writer.put(&name, whole.html.as_bytes());
        (name, outcome)
    });
    let companions: Vec<_> = whole.into_iter().chain(script).collect();
    // A page that could not be written gets no record, so the next build composes it again.
    let is_written = outcome.is_ok() && companions.iter().all(|(_, outcome)| outcome.is_ok());
    let source = sources.of(db, page).filter(|_| is_written);
    let has_card = site::has_card(db, page, options);
    PageFile {
        record: source.map(|source| PageRecord {
            source,
            bytes,
            companions: companions.iter().map(|(name, _)| name.clone()).collect(),
            moved,
            found: None,
            has_diagram,
            has_card,
            is_sound: false,
        }),
        outcome: outcome.map(|outcome| (outcome, bytes)),
        companions,
        is_kept: false,
        has_diagram,
        has_card,
    }
}

/// Writes the script of the components of a page, if it has any; returns the page with the address of that file.
fn with_islands(
    db: &Database,
    (route, page): (&Route, PageId),
    html: String,
    job: Job<'_>,
) -> (String, Option<(String, io::Result<Outcome>)>) {
    let Some(file) = page.file().filter(|_| html.contains(" data-islands")) else {
        return (html, None);
    };
    let (written, name) = (
        site::islands_path(route),
        site::islands_path(job.addresses.name(route)),
    );
    let html = match written == name {
        true => html,
        false => html.replace(&encode_path(&written), &encode_path(&name)),
    };
    // Quotes of HTML are escaped in the strings of a script.
    let script = (job.addresses).rewrite_html(&site::page_islands(db, file).script, "\\\"");
    let name = name.trim_start_matches('/').to_owned();
    let outcome = job.writer.put(&name, script.as_bytes());
    (html, Some((name, outcome)))
}

/// Makes the search entries of pages, or reads them from the cache.
struct Finding<'a> {
    loaded: &'a LoadedSite,
    addresses: &'a Addresses<'a>,
    store: Option<&'a dyn ArtifactStore>,
    parts: search::Parts,
    /// Returns true if the file at a path is as an earlier build left it.
    is_left: &'a (dyn Fn(String) -> bool + Sync),
    write: &'a search::Write<'a>,
}

impl Finding<'_> {
    /// Runs of `pages`, each with the digest of its search document if it is to be found; `lengths`
    /// are those of the runs.
    fn of(
        &self,
        pages: &[(PageId, Option<ContentHash>)],
        lengths: &[usize],
    ) -> anyhow::Result<Vec<search::Run>> {
        let mut runs = Vec::with_capacity(lengths.len());
        let mut rest = pages;
        for length in lengths {
            let (pages, later) = rest.split_at(*length);
            rest = later;
            let sources: Vec<_> = pages.iter().map(|(_, source)| *source).collect();
            let key = search::key(&sources, &self.addresses.key());
            let key = self.store.map(|store| (store, key));
            let segment = key.and_then(|(store, key)| self.segment(store, key));
            let found = match segment {
                Some(segment) => search::RunEntries::Kept(segment),
                None => self.search_entries(pages, key.map(|(_, key)| key))?,
            };
            let pages = pages.iter().map(|(page, _)| *page).collect();
            runs.push(search::Run { pages, found });
        }
        Ok(runs)
    }

    fn segment(&self, store: &dyn ArtifactStore, key: ContentHash) -> Option<search::Segment> {
        let path = |name: &str| format!("{}/{name}", search::FOLDER);
        let is_left = |name: &str| (self.is_left)(path(name));
        let write = |name: &str, bytes: &[u8]| (self.write)(path(name), bytes);
        search::Segment::load(store, key, &is_left, &write)
    }

    /// Search entries of each of `pages`.
    fn search_entries(
        &self,
        pages: &[(PageId, Option<ContentHash>)],
        key: Option<ContentHash>,
    ) -> anyhow::Result<search::RunEntries> {
        let made = (self.loaded.host).read_all(pages, |db, _, (page, source)| {
            let document = || search_document(db, *page);
            (self.parts).load_or_build(self.store, (*source)?, document, self.addresses)
        });
        let (mut is_whole, mut parts) = (true, Vec::with_capacity(pages.len()));
        for (at, part) in made.into_iter().enumerate() {
            match part {
                Ok(part) => parts.extend(part.transpose()?.map(|part| (at, part))),
                Err(_) => is_whole = false,
            }
        }
        Ok(search::RunEntries::Parts(key.filter(|_| is_whole), parts))
    }
}

/// Groups runs of pages, given by their lengths, into as many pages as are rendered at once.
fn at_once(lengths: &[usize]) -> impl Iterator<Item = &[usize]> {
    let mut rest = lengths;
    std::iter::from_fn(move || {
        let mut pages = 0;
        let fits = |length: &&usize| {
            pages += **length;
            pages <= AT_ONCE
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (group, later) = rest.split_at_checked(count)?;
        rest = later;
        Some(group)
    })
}

/// The pages of an export, and the results that were read while their bodies were in memory.
pub(super) struct ExportedPages {
    /// Outcomes of their files.
    pub(super) built: BuildResult,
    /// Diagnostics of specifications that pages show; unchanged pages without errors have empty
    /// ones.
    pub(super) known: KnownParts,
    /// Pages whose diagnostics were not read, with the paths of their files.
    pub(super) unchecked_pages: Vec<(String, SourceFile)>,
    /// Pages without a picture (`og:image`).
    pub(super) cardless: HashSet<PageId>,
}

/// Files of the search, with the outcome of each.
struct SearchFiles<'a> {
    writer: &'a Writer,
    outcomes: Mutex<BTreeMap<String, io::Result<Outcome>>>,
}

impl<'a> SearchFiles<'a> {
    fn new(writer: &'a Writer) -> Self {
        Self {
            writer,
            outcomes: Mutex::default(),
        }
    }

    fn insert(&self, path: String, outcome: io::Result<Outcome>) -> bool {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.insert(path, outcome).is_none()
    }

    /// Writes the file at `path`, once: pieces with the same content share a file.
    fn write(&self, path: String, bytes: &[u8]) {
        // Claimed before it is written, so that another thread with the same piece does not write
        // it.
        if self.insert(path.clone(), Ok(Outcome::Unchanged)) {
            let outcome = self.writer.put(&path, bytes);
            self.insert(path, outcome);
        }
    }

    /// Returns true if the file at `path` is as an earlier build left it.
    fn keep(&self, path: String) -> bool {
        let is_left = self.writer.keep(&path);
        if is_left {
            self.insert(path, Ok(Outcome::Unchanged));
        }
        is_left
    }

    fn into_outcomes(self) -> BTreeMap<String, io::Result<Outcome>> {
        let outcomes = self.outcomes.into_inner();
        outcomes.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Pages with rows of components that composed pages link to, by their addresses.
type Linked = BTreeMap<String, (ComponentRows, String)>;

/// A page whose file was written, kept or not.
struct ComposedPage {
    page: PageId,
    /// Path of its file, and its record for the next build; `None` if there is no record.
    record: Option<(String, PageRecord)>,
    /// Whether it was rendered by this build; false if its file was kept, or rendering failed.
    is_fresh: bool,
}

impl ExportedPages {
    /// Records the outcome of `page`, whose file is at `path`; returns it for the later steps.
    fn note(&mut self, page: PageId, path: String, page_file: PageFile) -> ComposedPage {
        let built = &mut self.built;
        if !page_file.is_kept {
            built.composed += 1;
        }
        built.has_diagrams |= page_file.has_diagram;
        if !page_file.has_card {
            self.cardless.insert(page);
        }
        for (name, outcome) in page_file.companions {
            built.note(name, outcome);
        }
        built.bytes += page_file.outcome.as_ref().map_or(0, |(_, bytes)| *bytes);
        built.note(path.clone(), page_file.outcome.map(|(outcome, _)| outcome));
        if let (PageId::File(file), Some(left)) = (page, &page_file.record) {
            if page_file.is_kept && left.is_sound {
                self.known.insert(DiagnosticPart::Page(file), Vec::new());
            } else {
                self.unchecked_pages.push((path.clone(), file));
            }
        }
        ComposedPage {
            page,
            record: page_file.record.map(|left| (path, left)),
            is_fresh: !page_file.is_kept,
        }
    }
}

/// Writes the pages and the files of the search.
///
/// A group of pages is composed at a time. While their bodies are in memory, the search documents
/// are read, and everything else that later steps ask of a body; then the bodies are evicted.
pub(super) fn pages(
    job: Job<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<ExportedPages> {
    let Job {
        loaded, addresses, ..
    } = job;
    let items: Vec<_> = addresses.routes().pages.iter().collect();
    let mut output = ExportedPages {
        built: BuildResult {
            pages: items.len(),
            ..BuildResult::default()
        },
        known: KnownParts::new(),
        unchecked_pages: Vec::new(),
        cardless: HashSet::new(),
    };
    let host = &loaded.host;
    let breadcrumbs = host.read(|db, site| breadcrumbs(db, site).clone());
    let breadcrumbs = breadcrumbs.unwrap_or_default();
    let synonyms = host.read(|db, site| search_config(db, site).synonyms.0.clone());
    let synonyms = synonyms.unwrap_or_default();
    let search_files = SearchFiles::new(job.writer);
    let write = |path: String, bytes: &[u8]| search_files.write(path, bytes);
    let site = search::Site {
        breadcrumbs: &breadcrumbs,
        base: &job.plan.base_path,
        synonyms: &synonyms,
    };
    let store = &**host.store();
    let kept = store.is_kept().then_some(store as &dyn ArtifactStore);
    let mut search = search::Builder::new(site, &write, kept);
    let found = Finding {
        loaded,
        addresses,
        store: kept,
        parts: search::Parts::default(),
        is_left: &|path| search_files.keep(path),
        write: &write,
    };
    let (done, linked) = (AtomicUsize::new(0), Mutex::new(Linked::new()));
    let step = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, items.len());
    let mut rest = &items[..];
    let lengths = search::lengths(items.iter().map(|(route, _)| *route));
    for lengths in at_once(&lengths) {
        let (group, later) = rest.split_at(lengths.iter().sum());
        rest = later;
        let composed = compose(job, group, &mut output, &linked, &step);
        let runs = found.of(&search_sources(job, &composed), lengths)?;
        output.built.joined += runs.iter().map(search::Run::joined).sum::<usize>();
        search.add(runs)?;
        // Read before the bodies are evicted. Failures are ignored here: the steps that need the
        // results query them again and report them.
        let fresh = composed.iter().filter(|composed| composed.is_fresh);
        let fresh: Vec<PageId> = fresh.map(|composed| composed.page).collect();
        let asked = host.read_all(&fresh, |db, site, page| {
            site::read_for_programs(db, *page);
            let part = site::reference_part(db, *page)?;
            Some((part, site::part_diagnostics(db, site, part)))
        });
        let asked = asked.into_iter().filter_map(|part| part.ok().flatten());
        output.known.extend(asked);
        host.evict();
    }
    let linked = linked.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows_pages(job, linked, &mut output.built);
    search.finish()?;
    for (path, outcome) in search_files.into_outcomes() {
        output.built.note(path, outcome);
    }
    Ok(output)
}

/// Composes and writes `group`. A page that cannot be rendered affects no other; its last good file
/// is kept.
fn compose(
    job: Job<'_>,
    group: &[(&Route, &PageId)],
    output: &mut ExportedPages,
    linked: &Mutex<Linked>,
    step: &(dyn Fn() + Sync),
) -> Vec<ComposedPage> {
    let results = job.loaded.host.read_all(group, |db, site, (route, page)| {
        let page = **page;
        let file = write_page((db, site), (route, page), job);
        step();
        // Otherwise the rows pages of the last build are kept as a whole, and no links are needed.
        if !job.sources.keeps {
            let (rows, language) = site::linked_rows(db, page);
            let rows = rows.into_iter();
            let rows = rows.map(|rows| (rows.path(db, language), (rows, language.to_owned())));
            let mut linked = linked.lock().unwrap_or_else(PoisonError::into_inner);
            linked.extend(rows);
        }
        file
    });
    let mut pages = Vec::with_capacity(group.len());
    for ((route, page), result) in group.iter().zip(results) {
        pages.push(match result {
            Ok(drawn) => output.note(**page, job.addresses.file(route), drawn),
            Err(error) => {
                let failed = (route.to_string(), format!("{error:?}"));
                output.built.failed.push(failed);
                ComposedPage {
                    page: **page,
                    record: None,
                    is_fresh: false,
                }
            }
        });
    }
    pages
}

/// Returns the digests of the search documents of `pages`, and records them with the pages; `None`
/// for a page that is excluded from search, or cannot be rendered.
fn search_sources(job: Job<'_>, pages: &[ComposedPage]) -> Vec<(PageId, Option<ContentHash>)> {
    let sources = job.loaded.host.read_all(pages, |db, _, composed| {
        let source = match &composed.record {
            Some((_, left)) if !composed.is_fresh => left.found,
            _ => search_source(db, composed.page),
        };
        if let Some((path, left)) = &composed.record {
            let mut left = left.clone();
            left.found = source;
            job.writer.remember_page(path.clone(), left);
        }
        source
    });
    let of_pages = pages.iter().zip(sources);
    of_pages
        .map(|(composed, source)| (composed.page, source.ok().flatten()))
        .collect()
}

/// Writes the rows pages of components that `linked` and each other lead to, unless those of the
/// last build can be kept.
fn rows_pages(job: Job<'_>, linked: Linked, built: &mut BuildResult) {
    let Job {
        writer, sources, ..
    } = job;
    let Some(surroundings) = sources.surroundings else {
        write_rows(job, linked, built);
        return;
    };
    let kept = writer.kept_rows(surroundings).filter(|_| sources.keeps);
    let rows = match kept {
        Some(kept) => {
            let files = kept.files.iter();
            built
                .files
                .extend(files.map(|name| (name.clone(), Outcome::Unchanged)));
            built.has_diagrams |= kept.has_diagram;
            Some(kept.clone())
        }
        None => {
            let written = write_rows(job, linked, built);
            written.map(|(files, has_diagram)| RowPagesRecord {
                surroundings,
                files,
                has_diagram,
            })
        }
    };
    if let Some(rows) = rows {
        writer.remember_rows(rows);
    }
}

/// Composes the rows pages; returns their files and whether one shows a diagram, or `None` if one
/// of them failed.
fn write_rows(
    job: Job<'_>,
    linked: Linked,
    built: &mut BuildResult,
) -> Option<(Vec<String>, bool)> {
    let Job {
        options,
        loaded,
        addresses,
        writer,
        ..
    } = job;
    let mut files = Some(Vec::new());
    let mut has_diagram = false;
    let mut known = BTreeSet::new();
    let mut next: Vec<_> = linked.into_iter().collect();
    // Rows pages link to further ones, also in circles: level by level, each of them once.
    while !next.is_empty() {
        next.retain(|(path, _)| known.insert(path.clone()));
        let results = loaded
            .host
            .read_all(&next, |db, site, (path, (rows, language))| {
                let page = site::rows_html(db, site, *rows, language, options);
                let name = format!("{}index.html", &path[1..]);
                let html = addresses.page_within(&page.html).html;
                let outcome = writer.put(&name, html.as_bytes());
                let has_diagram = has_diagrams(&html);
                let inner = site::rows_within(db, *rows).into_iter();
                let inner = inner.map(|rows| (rows.path(db, language), (rows, language.clone())));
                (name, outcome, has_diagram, inner.collect::<Vec<_>>())
            });
        let mut further = Vec::new();
        for ((path, _), result) in next.iter().zip(results) {
            match result {
                Ok((name, outcome, shows_one, inner)) => {
                    has_diagram |= shows_one;
                    match (&mut files, &outcome) {
                        (Some(files), Ok(_)) => files.push(name.clone()),
                        (_, outcome) if outcome.is_err() => files = None,
                        _ => {}
                    }
                    built.note(name, outcome);
                    further.extend(inner);
                }
                Err(error) => {
                    files = None;
                    built.failed.push((path.clone(), format!("{error:?}")));
                }
            }
        }
        next = further;
    }
    built.has_diagrams |= has_diagram;
    Some((files?, has_diagram))
}
