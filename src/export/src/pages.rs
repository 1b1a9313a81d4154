//! The pages of an export, composed where they follow from what changed, with what their search needs and the rows that they
//! lead to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{
    self, ArtifactStore, ComponentRows, Database, DiagnosticPart, KnownParts, PageId, PageOptions,
    Site, SourceFile, breadcrumbs, index_entry, page_anchors, page_diagnostics, page_links,
    search_config, search_document, search_source,
};
use queries::theme::assets::has_diagrams;

use super::addresses::{Addresses, Within};
use super::writer::Writer;
use super::{AT_ONCE, Built, Outcome, Plan, search};
use crate::outputs::{LeftPage, LeftRows};
use quire_source::load::Loaded;

/// What pages follow from.
pub(super) struct Sources {
    /// What all of them follow from; nothing where it is not kept, or something is not known.
    surroundings: Option<ContentHash>,
    /// Whether pages that are as they were stay as they are.
    keeps: bool,
    /// What was known of pages when they were looked at: what is kept of one goes together.
    seen: Mutex<HashMap<PageId, ContentHash>>,
}

impl Sources {
    pub(super) fn new(
        plan: &Plan,
        loaded: &Loaded,
        writer: &Writer,
        options: &PageOptions,
    ) -> Self {
        let is_whole = writer.is_kept() && !loaded.is_partial && loaded.unread.is_empty();
        let of_site = is_whole.then(|| loaded.host.surroundings(options).ok());
        let surroundings = of_site.flatten().map(|of_site| {
            // What is where follows from the same: addresses are those of `options` and of these.
            let has_slash = [u8::from(plan.trailing_slash)];
            ContentHash::of_parts([&of_site.as_bytes()[..], &has_slash])
        });
        let kept = surroundings.and_then(|surroundings| writer.kept_rows(surroundings));
        Self {
            keeps: kept.is_some(),
            surroundings,
            seen: Mutex::default(),
        }
    }

    /// What all pages follow from, if it is known.
    pub(super) fn surroundings(&self) -> Option<ContentHash> {
        self.surroundings
    }

    /// The name of all that `page` follows from.
    pub(super) fn of(&self, db: &Database, page: PageId) -> Option<ContentHash> {
        site::page_source(db, page, self.surroundings?)
    }

    /// Like [`Sources::of`], where what follows from it may be there.
    pub(super) fn of_kept(&self, db: &Database, page: PageId) -> Option<ContentHash> {
        if !self.keeps {
            return None;
        }
        let seen = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = seen().get(&page) {
            return Some(*known);
        }
        let source = self.of(db, page)?;
        seen().insert(page, source);
        Some(source)
    }
}

/// A page in its file.
struct Drawn {
    /// Outcome of its file, and how many bytes that has.
    outcome: io::Result<(Outcome, u64)>,
    /// The file with all that it leaves out.
    whole: Option<(String, io::Result<Outcome>)>,
    /// What is remembered of it.
    left: Option<LeftPage>,
    /// Whether it is as the last build left it.
    is_kept: bool,
    /// Whether it shows a diagram.
    has_diagram: bool,
    /// Whether it names a picture that stands for it.
    has_card: bool,
}

/// Composes `page`, unless it is there.
fn drawn(
    (db, site): (&Database, Site),
    (route, page): (&Route, PageId),
    options: &PageOptions,
    addresses: &Addresses<'_>,
    writer: &Writer,
    sources: &Sources,
) -> Drawn {
    let path = addresses.file(route);
    let kept = sources.of_kept(db, page);
    if let Some(left) = kept.and_then(|source| writer.kept_page(&path, source)) {
        addresses.note(left.moved.iter().cloned());
        let whole = left.whole.clone();
        return Drawn {
            outcome: Ok((Outcome::Unchanged, left.bytes)),
            whole: whole.map(|whole| (whole, Ok(Outcome::Unchanged))),
            has_diagram: left.has_diagram,
            has_card: left.has_card,
            left: Some(left),
            is_kept: true,
        };
    }
    let composed = site::page_html(db, site, page, options);
    if let PageId::File(file) = page {
        // What is said of the site in the end, asked for while the body is in memory.
        page_diagnostics(db, file);
        page_links(db, file);
        page_anchors(db, file);
    }
    index_entry(db, page);
    let Within { html, mut moved } = addresses.page_within(&composed.html);
    let bytes = html.len() as u64;
    let mut has_diagram = has_diagrams(&html);
    let outcome = writer.put(&path, html.as_bytes());
    let whole = (composed.has_whole).then(|| site::whole_page_html(db, site, page, options));
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
    let is_written = outcome.is_ok() && whole.as_ref().is_none_or(|(_, whole)| whole.is_ok());
    let source = sources.of(db, page).filter(|_| is_written);
    let has_card = site::has_card(db, page, options);
    Drawn {
        left: source.map(|source| LeftPage {
            source,
            bytes,
            whole: whole.as_ref().map(|(name, _)| name.clone()),
            moved,
            found: None,
            has_diagram,
            has_card,
            is_sound: false,
        }),
        outcome: outcome.map(|outcome| (outcome, bytes)),
        whole,
        is_kept: false,
        has_diagram,
        has_card,
    }
}

/// Makes what is found of pages, or takes it as it was kept.
struct Finding<'a> {
    loaded: &'a Loaded,
    addresses: &'a Addresses<'a>,
    kept: Option<&'a dyn ArtifactStore>,
    parts: search::Parts,
    /// Whether the file at a path is as an earlier build left it.
    is_left: &'a (dyn Fn(String) -> bool + Sync),
    write: &'a search::Write<'a>,
}

impl Finding<'_> {
    /// Runs of `pages`, each with the digest of its search document if it is to be found; `lengths` are those of the runs.
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
            let key = self.kept.map(|store| (store, key));
            let segment = key.and_then(|(store, key)| self.segment(store, key));
            let found = match segment {
                Some(segment) => search::Found::Kept(segment),
                None => self.made(pages, key.map(|(_, key)| key))?,
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
        search::Segment::kept(store, key, &is_left, &write)
    }

    /// What is found of each of `pages`, made by itself.
    fn made(
        &self,
        pages: &[(PageId, Option<ContentHash>)],
        key: Option<ContentHash>,
    ) -> anyhow::Result<search::Found> {
        let made = (self.loaded.host).read_all(pages, |db, _, (page, source)| {
            let document = || search_document(db, *page);
            (self.parts).kept(self.kept, (*source)?, document, self.addresses)
        });
        let (mut is_whole, mut parts) = (true, Vec::with_capacity(pages.len()));
        for (at, part) in made.into_iter().enumerate() {
            match part {
                Ok(part) => parts.extend(part.transpose()?.map(|part| (at, part))),
                Err(_) => is_whole = false,
            }
        }
        Ok(search::Found::Parts(key.filter(|_| is_whole), parts))
    }
}

/// Runs of pages by their lengths, as many together as are drawn at once.
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

/// The pages of an export, and what was asked of them while their bodies were in memory.
pub(super) struct Made {
    /// What came of their files.
    pub(super) built: Built,
    /// What is wrong with what they show of specifications, and that nothing is with the pages that are as they were and sound.
    pub(super) known: KnownParts,
    /// Pages that are remembered and not known to be sound, with the paths of their files.
    pub(super) unsure: Vec<(String, SourceFile)>,
    /// Pages that are known to name no picture.
    pub(super) cardless: HashSet<PageId>,
}

/// Pages, and the files that their search dialog reads: what can be found of a page is read while its body is in memory, and so is
/// what else is asked of it later.
pub(super) fn pages(
    (plan, options): (&Plan, &PageOptions),
    loaded: &Loaded,
    addresses: &Addresses<'_>,
    writer: &Writer,
    sources: &Sources,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<Made> {
    let items: Vec<_> = addresses.routes().pages.iter().collect();
    let mut built = Built {
        pages: items.len(),
        ..Built::default()
    };
    let (mut known, mut cardless) = (KnownParts::new(), HashSet::new());
    let mut unsure = Vec::new();
    let breadcrumbs = (loaded.host).read(|db, site| breadcrumbs(db, site).clone());
    let breadcrumbs = breadcrumbs.unwrap_or_default();
    let synonyms = (loaded.host).read(|db, site| search_config(db, site).synonyms.0.clone());
    let synonyms = synonyms.unwrap_or_default();
    let search_files = Mutex::new(BTreeMap::new());
    let write = |path: String, bytes: &[u8]| {
        let known = || search_files.lock().unwrap_or_else(PoisonError::into_inner);
        // Pieces that hold the same have one file.
        if known()
            .insert(path.clone(), Ok(Outcome::Unchanged))
            .is_none()
        {
            let outcome = writer.put(&path, bytes);
            known().insert(path, outcome);
        }
    };
    let site = search::Site {
        breadcrumbs: &breadcrumbs,
        base: &plan.base_path,
        synonyms: &synonyms,
    };
    let store = &**loaded.host.store();
    let kept = store.is_kept().then_some(store as &dyn ArtifactStore);
    let mut search = search::Builder::new(site, &write, kept);
    let found = Finding {
        loaded,
        addresses,
        kept,
        parts: search::Parts::default(),
        is_left: &|path: String| {
            let is_left = writer.keep(&path);
            if is_left {
                let mut known = search_files.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert(path, Ok(Outcome::Unchanged));
            }
            is_left
        },
        write: &write,
    };
    let done = AtomicUsize::new(0);
    let linked = Mutex::new(BTreeMap::new());
    let mut rest = &items[..];
    let shared = || linked.lock().unwrap_or_else(PoisonError::into_inner);
    let lengths = search::lengths(items.iter().map(|(route, _)| *route));
    for lengths in at_once(&lengths) {
        let (items, later) = rest.split_at(lengths.iter().sum());
        rest = later;
        let written = loaded.host.read_all(items, |db, site, (route, page)| {
            let page = **page;
            let drawn = drawn(
                (db, site),
                (route, page),
                options,
                addresses,
                writer,
                sources,
            );
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, built.pages);
            if !sources.keeps {
                let (rows, language) = site::linked_rows(db, page);
                let rows = rows.into_iter();
                let rows = rows.map(|rows| (rows.path(db, language), (rows, language.to_owned())));
                shared().extend(rows);
            }
            drawn
        });
        let mut left = Vec::with_capacity(items.len());
        let mut fresh = Vec::new();
        for ((route, page), written) in items.iter().zip(written) {
            let path = addresses.file(route);
            left.push((**page, None));
            match written {
                Ok(drawn) => {
                    if !drawn.is_kept {
                        built.composed += 1;
                        fresh.push(**page);
                    }
                    built.has_diagrams |= drawn.has_diagram;
                    if !drawn.has_card {
                        cardless.insert(**page);
                    }
                    if let Some((name, outcome)) = drawn.whole {
                        built.note(name, outcome);
                    }
                    built.bytes += drawn.outcome.as_ref().map_or(0, |(_, bytes)| *bytes);
                    built.note(path.clone(), drawn.outcome.map(|(outcome, _)| outcome));
                    if let (PageId::File(file), Some(left)) = (**page, &drawn.left) {
                        match drawn.is_kept && left.is_sound {
                            true => {
                                known.insert(DiagnosticPart::Page(file), Vec::new());
                            }
                            false => unsure.push((path.clone(), file)),
                        }
                    }
                    if let Some((_, known)) = left.last_mut() {
                        *known = drawn.left.map(|left| (path, left, drawn.is_kept));
                    }
                }
                // One page that cannot be drawn does not cost the others; its last good file stays.
                Err(error) => built.failed.push((route.to_string(), format!("{error:?}"))),
            }
        }
        // A page that cannot be drawn is not found either; that it failed is said above.
        let sources = loaded.host.read_all(&left, |db, _, (page, left)| {
            let known = left.as_ref().filter(|(_, _, is_kept)| *is_kept);
            let source = match known {
                Some((_, left, _)) => left.found,
                None => search_source(db, *page),
            };
            if let Some((path, left, _)) = left {
                let mut left = left.clone();
                left.found = source;
                writer.remember_page(path.clone(), left);
            }
            source
        });
        let of_pages = left.iter().zip(sources);
        let of_pages = of_pages.map(|((page, _), source)| (*page, source.ok().flatten()));
        let of_pages: Vec<_> = of_pages.collect();
        let runs = found.of(&of_pages, lengths)?;
        built.joined += runs.iter().map(search::Run::joined).sum::<usize>();
        search.add(runs)?;
        // Whatever fails here is asked for again where it is needed.
        let asked = loaded.host.read_all(&fresh, |db, site, page| {
            site::read_for_programs(db, *page);
            let part = site::reference_part(db, *page)?;
            Some((part, site::part_diagnostics(db, site, part)))
        });
        known.extend(asked.into_iter().filter_map(|part| part.ok().flatten()));
        loaded.host.evict();
    }
    let linked = std::mem::take(&mut *shared());
    rows_pages(
        loaded, addresses, writer, sources, options, linked, &mut built,
    );
    search.finish()?;
    let search_files = search_files
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    for (path, outcome) in search_files {
        built.note(path, outcome);
    }
    Ok(Made {
        built,
        known,
        unsure,
        cardless,
    })
}

/// The pages with the rows of components that `linked` and each other lead to, by their addresses, unless they are there.
fn rows_pages(
    loaded: &Loaded,
    addresses: &Addresses<'_>,
    writer: &Writer,
    sources: &Sources,
    options: &PageOptions,
    linked: BTreeMap<String, (ComponentRows, String)>,
    built: &mut Built,
) {
    let Some(surroundings) = sources.surroundings else {
        write_rows(loaded, addresses, writer, options, linked, built);
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
            let written = write_rows(loaded, addresses, writer, options, linked, built);
            written.map(|(files, has_diagram)| LeftRows {
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

/// Composes the pages with rows; returns their files if each was, and whether one shows a diagram.
fn write_rows(
    loaded: &Loaded,
    addresses: &Addresses<'_>,
    writer: &Writer,
    options: &PageOptions,
    linked: BTreeMap<String, (ComponentRows, String)>,
    built: &mut Built,
) -> Option<(Vec<String>, bool)> {
    let mut files = Some(Vec::new());
    let mut has_diagram = false;
    let mut known = BTreeSet::new();
    let mut next: Vec<_> = linked.into_iter().collect();
    while !next.is_empty() {
        next.retain(|(path, _)| known.insert(path.clone()));
        let written = loaded
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
        for ((path, _), written) in next.iter().zip(written) {
            match written {
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
