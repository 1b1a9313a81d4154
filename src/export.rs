//! `quire build`: every output of the site as files, for any static server.
//!
//! Only files whose bytes differ are written, each by renaming a complete one into place, and only what an earlier build
//! wrote is ever removed.

pub mod addresses;
mod redirects;
pub mod search;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, anyhow, bail};
use queries::base::content::ContentHash;
use queries::base::diagnostic::{Code, Diagnostic};
use queries::base::path::{Route, SitePath};
use queries::change::Dates;
use queries::site::{
    self, ArtifactStore, ComponentRows, Database, MachineText, Output, PageId, PageOptions,
    RouteTable, Site, SourceFile, breadcrumbs, index_entry, page_anchors, page_diagnostics,
    page_links, search_config, search_document, search_source,
};
use queries::theme::assets;
use queries::theme::search::SearchSource;

use crate::archive;
use crate::assets::unpacked;
use crate::cards;
use crate::host::ReadError;
use crate::load::{Loaded, load_with};
use crate::memory;
use crate::report::Report;
use crate::repository::{dates_in, links_in};
use crate::sources::BUILD_LIST;
use crate::store::outputs::LeftPage;
use crate::store::stats::Stat;
use crate::survey;
use addresses::{Addresses, Within};
use writer::{Writer, clear_unfinished, is_empty};

/// The most bytes of the name of a file on the file systems in use (NAME_MAX of Linux, macOS and NTFS alike).
const NAME_MAX: usize = 255;

/// What to build, and where to.
pub struct Plan {
    /// The folder of the site.
    pub folder: PathBuf,
    /// The folder to write to.
    pub out: PathBuf,
    /// The path below which the site will be served; empty for the root.
    pub base_path: String,
    /// The address of the site, for canonical links.
    pub base_url: Option<String>,
    /// Whether pages are at `/a/`, which every server of files answers at once, rather than at `/a`, which takes one that
    /// looks for `a.html` there.
    pub trailing_slash: bool,
    /// Whether everything in the output folder goes first.
    pub clean: bool,
    /// Whether it may be written to a folder with files of others.
    pub force: bool,
    /// Whether pages that name a picture get one.
    pub cards: bool,
    /// Where to keep what was drawn for the next build; nowhere without.
    pub state: Option<PathBuf>,
}

/// Result of writing one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Written for the first time.
    Added,
    /// Written over other bytes.
    Changed,
    /// Left as it was: the bytes are the same.
    Unchanged,
    /// An earlier build wrote it, and the site has it no more.
    Removed,
}

/// What a build came to.
#[derive(Debug, Default)]
pub struct Built {
    /// Each output file, by its path, and what became of it.
    pub files: Vec<(String, Outcome)>,
    /// How many of them are pages.
    pub pages: usize,
    /// Pages that could not be drawn, and why.
    pub failed: Vec<(String, String)>,
    /// Files that could not be written or removed, by their paths, and why.
    pub unwritten: Vec<(String, String)>,
    /// Sources of redirects that are left out because no file can have their names.
    pub left_out: Vec<String>,
    /// Files of earlier builds that are left alone: what could not be read may be what they are of.
    pub left: usize,
    /// What is wrong with the site, by file and place.
    pub reports: Vec<Report>,
    /// How many pictures of pages were drawn, and not found as an earlier build drew them.
    pub drawn: usize,
    /// How many pages were composed, and not left as an earlier build left them.
    pub composed: usize,
    /// How many bytes the pages have.
    pub bytes: u64,
}

impl Built {
    /// How many files had `outcome`.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.files
            .iter()
            .filter(|(_, of_file)| *of_file == outcome)
            .count()
    }

    /// Notes what became of the output at `path`.
    fn note(&mut self, path: String, outcome: io::Result<Outcome>) {
        match outcome {
            Ok(outcome) => self.files.push((path, outcome)),
            Err(error) => {
                let why = format!("cannot be written: {error}");
                self.unwritten.push((path, why));
            }
        }
    }
}

/// Builds. `progress` is told how many pages are done and how many there are.
pub fn build(plan: &Plan, progress: &(dyn Fn(usize, usize) + Sync)) -> anyhow::Result<Built> {
    let loaded = load_with(&plan.folder, &plan.base_path, None, plan.state.as_deref())?;
    memory::forbid_huge_pages();
    let config = |found: &&Diagnostic| {
        found.code == Code::UnreadableFile && site::is_config(found.place.path())
    };
    if let Some(found) = loaded.unread.iter().find(config) {
        // Without it every page would be another one.
        let path = found.place.path().to_string();
        return Ok(Built {
            unwritten: vec![(path, "nothing is written without it".to_owned())],
            reports: survey::located(&loaded.host, loaded.unread.clone()),
            ..Built::default()
        });
    }
    loaded.host.set_dates(dates_of(&loaded));
    let out = prepare(plan, &loaded)?;
    let options = page_options(plan);
    let memory = loaded.host.store().outputs_of(&out);
    let writer = Writer::new(out, memory);
    let made_of = made_of(plan, &loaded, &options);
    if let Some(built) = made_of.and_then(|made_of| writer.unchanged(made_of)) {
        progress(built.pages, built.pages);
        return Ok(built);
    }
    writer.begin()?;
    let routes = loaded
        .host
        .read(|db, site| site::route_table(db, site).clone());
    let routes = routes.map_err(|error| anyhow!("list the outputs: {error:?}"))?;
    let base_url = plan.base_url.as_deref();
    let canonical = loaded
        .host
        .read(|db, site| site::canonical_base(db, site).map(str::to_owned));
    let canonical = canonical.ok().flatten();
    let bases = [base_url, canonical.as_deref()].into_iter().flatten();
    let addresses = Addresses::new(&routes, &plan.base_path, bases, plan.trailing_slash);
    let sources = Sources::new(plan, &loaded, &writer, &options);
    let mut built = pages(plan, &loaded, &addresses, &writer, &sources, progress)?;
    files(&loaded, &routes, &writer, &mut built)?;
    texts(plan, &loaded, &addresses, &writer, &sources, &mut built);
    cards(plan, &loaded, &addresses, &writer, &mut built);
    redirects(plan, &addresses, &writer, &mut built);
    sidebars(&loaded, &addresses, &writer, &mut built);
    let not_found = loaded
        .host
        .read(|db, site| site::not_found_html(db, site, "", &options));
    if let Ok(html) = not_found {
        let html = addresses.within(&html, "\"");
        writer.write("404.html", html.as_bytes(), &mut built);
    }
    // GitHub Pages takes names that begin with `_` for its own otherwise.
    writer.write(".nojekyll", b"", &mut built);
    // What only a server needs stays with it, and what is of another theme.
    let used = loaded.host.read(|db, site| {
        let kept =
            |asset: &&assets::Asset| !asset.needs_server() && site::is_asset_used(db, site, asset);
        assets::ASSETS.iter().filter(kept).collect::<Vec<_>>()
    });
    let all = || (assets::ASSETS.iter()).filter(|asset| !asset.needs_server());
    for asset in used.unwrap_or_else(|_| all().collect()) {
        let content = match asset.is_gzip {
            true => unpacked(asset.bytes),
            false => asset.bytes.to_vec(),
        };
        let path = assets::asset_url(asset.name);
        writer.write(path.trim_start_matches('/'), &content, &mut built);
    }
    writer.finish(&addresses, loaded.is_partial, &mut built);
    let mut diagnostics = loaded.unread.clone();
    diagnostics.extend(survey::diagnostics(&loaded.host));
    built.reports = survey::located(&loaded.host, diagnostics);
    built.files.sort();
    built.unwritten.sort();
    // What was read of a file that changed meanwhile is of neither.
    let is_same = |before: &ContentHash| self::made_of(plan, &loaded, &options) == Some(*before);
    writer.remember(made_of.filter(is_same), &built);
    Ok(built)
}

/// The digest of all that the files of a build follow from, but for the program; `None` if some of it is not known.
fn made_of(plan: &Plan, loaded: &Loaded, options: &PageOptions) -> Option<ContentHash> {
    if loaded.is_partial || !loaded.unread.is_empty() {
        return None;
    }
    let (asked, opaque) = loaded.host.digest();
    // What these hold is copied, and drawn on cards.
    let stats = opaque.iter().map(|path| {
        let metadata = loaded.sources.absolute(path).metadata().ok()?;
        Some(Stat::of(&metadata))
    });
    let stats: Vec<Stat> = stats.collect::<Option<_>>()?;
    let stats = postcard::to_allocvec(&stats).ok()?;
    let plan = format!(
        "{} {} {options:?}",
        u8::from(plan.trailing_slash),
        plan.base_path
    );
    Some(ContentHash::of_parts([
        &asked.as_bytes()[..],
        &stats,
        plan.as_bytes(),
    ]))
}

/// What pages follow from.
struct Sources {
    /// What all of them follow from; nothing where it is not kept, or something is not known.
    surroundings: Option<ContentHash>,
    /// Whether pages that are as they were stay as they are.
    keeps: bool,
}

impl Sources {
    fn new(plan: &Plan, loaded: &Loaded, writer: &Writer, options: &PageOptions) -> Self {
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
        }
    }

    /// The name of all that `page` follows from.
    fn of(&self, db: &Database, page: PageId) -> Option<ContentHash> {
        site::page_source(db, page, self.surroundings?)
    }

    /// Like [`Sources::of`], where what follows from it may be there.
    fn of_kept(&self, db: &Database, page: PageId) -> Option<ContentHash> {
        self.of(db, page).filter(|_| self.keeps)
    }
}

/// When the pages were changed last.
fn dates_of(loaded: &Loaded) -> Dates {
    let mut paths = loaded.host.files_under("");
    paths.retain(|path| !path.is_url() && site::is_page(path));
    dates_in(&loaded.sources.root(), paths.into_iter().collect())
}

/// How the pages of a build are composed.
fn page_options(plan: &Plan) -> PageOptions {
    PageOptions {
        preview_token: None,
        // A folder of files answers nothing; the README of the theme says what it would take.
        assistant: None,
        mock: None,
        mcp: None,
        cards: plan.cards,
        vendors: true,
        is_foreign: false,
        counts: None,
        repository: links_in(&plan.folder),
        base_url: plan.base_url.clone(),
        search: Some(SearchSource::Files(format!(
            "{}/{}/",
            plan.base_path,
            search::FOLDER
        ))),
    }
}

/// The output folder, there and safe to write to.
fn prepare(plan: &Plan, loaded: &Loaded) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(&plan.out).with_context(|| format!("create {}", plan.out.display()))?;
    let out = plan
        .out
        .canonicalize()
        .with_context(|| format!("open {}", plan.out.display()))?;
    if loaded.sources.root().starts_with(&out) {
        bail!(
            "{}: the output folder holds the site itself; choose another with --out",
            plan.out.display()
        );
    }
    let is_ours = out.join(BUILD_LIST).exists() || is_empty(&out)?;
    if plan.clean {
        if !is_ours {
            bail!(
                "{}: --clean empties the folder, but no build has written to it; empty it by hand",
                plan.out.display()
            );
        }
        for entry in fs::read_dir(&out)? {
            let path = entry?.path();
            let removed = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.with_context(|| format!("remove {}", path.display()))?;
        }
    } else if !is_ours && !plan.force {
        bail!(
            "{}: the folder holds files that no build has written, which those of the site may replace; choose another with \
             --out, or give --force",
            plan.out.display()
        );
    } else {
        clear_unfinished(&out)?;
    }
    Ok(out)
}

/// How many pages are drawn before what their search needs is joined and large results are let go of.
const AT_ONCE: usize = 512;

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
    let outcome = writer.put(&path, html.as_bytes());
    let whole = (composed.has_whole).then(|| site::whole_page_html(db, site, page, options));
    let whole = whole.flatten().map(|whole| {
        let name = format!("{}{}/index.html", &site::WHOLE[1..], route.href());
        let whole = addresses.page_within(&whole.html);
        moved.extend(whole.moved);
        let outcome = writer.put(&name, whole.html.as_bytes());
        (name, outcome)
    });
    let is_written = outcome.is_ok() && whole.as_ref().is_none_or(|(_, whole)| whole.is_ok());
    let source = sources.of(db, page).filter(|_| is_written);
    Drawn {
        left: source.map(|source| LeftPage {
            source,
            bytes,
            whole: whole.as_ref().map(|(name, _)| name.clone()),
            moved,
            found: None,
        }),
        outcome: outcome.map(|outcome| (outcome, bytes)),
        whole,
        is_kept: false,
    }
}

/// Pages, and the files that their search dialog reads: what can be found of a page is read while its body is in memory.
fn pages(
    plan: &Plan,
    loaded: &Loaded,
    addresses: &Addresses<'_>,
    writer: &Writer,
    sources: &Sources,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<Built> {
    let options = page_options(plan);
    let items: Vec<_> = addresses.routes().pages.iter().collect();
    let mut built = Built {
        pages: items.len(),
        ..Built::default()
    };
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
    let parts = search::Parts::default();
    let done = AtomicUsize::new(0);
    let linked = Mutex::new(BTreeMap::new());
    let shared = || linked.lock().unwrap_or_else(PoisonError::into_inner);
    for items in items.chunks(AT_ONCE) {
        let written = loaded.host.read_all(items, |db, site, (route, page)| {
            let page = **page;
            let drawn = drawn(
                (db, site),
                (route, page),
                &options,
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
        for ((route, page), written) in items.iter().zip(written) {
            let path = addresses.file(route);
            left.push((**page, None));
            match written {
                Ok(drawn) => {
                    built.composed += usize::from(!drawn.is_kept);
                    if let Some((name, outcome)) = drawn.whole {
                        built.note(name, outcome);
                    }
                    built.bytes += drawn.outcome.as_ref().map_or(0, |(_, bytes)| *bytes);
                    built.note(path.clone(), drawn.outcome.map(|(outcome, _)| outcome));
                    if let Some((_, known)) = left.last_mut() {
                        *known = drawn.left.map(|left| (path, left, drawn.is_kept));
                    }
                }
                // One page that cannot be drawn does not cost the others; its last good file stays.
                Err(error) => built.failed.push((route.to_string(), format!("{error:?}"))),
            }
        }
        // A page that cannot be drawn is not found either; that it failed is said above.
        let found = loaded.host.read_all(&left, |db, _, (page, left)| {
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
            let document = || search_document(db, *page);
            parts.kept(kept, *page, source?, document, addresses)
        });
        let found = found.into_iter().filter_map(|part| part.ok().flatten());
        search.add(found.collect::<Result<Vec<_>, _>>()?)?;
        loaded.host.evict();
    }
    let linked = std::mem::take(&mut *shared());
    rows_pages(
        loaded, addresses, writer, sources, &options, linked, &mut built,
    );
    search.finish()?;
    let search_files = search_files
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    for (path, outcome) in search_files {
        built.note(path, outcome);
    }
    Ok(built)
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
    let kept = writer.kept_rows(surroundings).map(<[String]>::to_vec);
    let rows = match kept.filter(|_| sources.keeps) {
        Some(kept) => {
            let unchanged = kept.iter().map(|name| (name.clone(), Outcome::Unchanged));
            built.files.extend(unchanged);
            Some(kept)
        }
        None => write_rows(loaded, addresses, writer, options, linked, built),
    };
    if let Some(rows) = rows {
        writer.remember_rows(surroundings, rows);
    }
}

/// Composes the pages with rows; returns their files if each was.
fn write_rows(
    loaded: &Loaded,
    addresses: &Addresses<'_>,
    writer: &Writer,
    options: &PageOptions,
    linked: BTreeMap<String, (ComponentRows, String)>,
    built: &mut Built,
) -> Option<Vec<String>> {
    let mut files = Some(Vec::new());
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
                let inner = site::rows_within(db, *rows).into_iter();
                let inner = inner.map(|rows| (rows.path(db, language), (rows, language.clone())));
                (name, outcome, inner.collect::<Vec<_>>())
            });
        let mut further = Vec::new();
        for ((path, _), written) in next.iter().zip(written) {
            match written {
                Ok((name, outcome, inner)) => {
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
    files
}

fn files(
    loaded: &Loaded,
    routes: &RouteTable,
    writer: &Writer,
    built: &mut Built,
) -> anyhow::Result<()> {
    // Files by the paths that they are written to: some are at a second address.
    let of_texts = routes.text_paths();
    let again = of_texts.filter_map(|path| match site::resolve(routes, &path) {
        Some(Output::File(file)) if !routes.files.contains_key(&path) => Some((path, file)),
        _ => None,
    });
    let again: Vec<(String, SourceFile)> = again.collect();
    let own = routes
        .files
        .iter()
        .map(|(path, file)| (path.clone(), *file));
    for (path, file) in own.chain(again) {
        let (Ok(site_path), Some(to)) = (
            loaded.host.read(|db, _| file.path(db).clone()),
            SitePath::new(&path),
        ) else {
            continue;
        };
        let mut bytes = Vec::new();
        let read = match loaded.sources.open_file(&site_path) {
            Ok(Some(mut file)) => file.read_to_end(&mut bytes),
            Ok(None) => Err(io::ErrorKind::NotFound.into()),
            Err(error) => Err(error),
        };
        match read {
            Ok(_) => writer.write(to.as_str(), &bytes, built),
            Err(error) => {
                let why = format!("its source cannot be read: {error}");
                built.unwritten.push((to.to_string(), why));
            }
        }
    }
    if routes.specs.len() > 1 {
        let bytes = archive::of(&loaded.host, &routes.specs);
        let bytes = bytes.map_err(|error| anyhow!("write {}: {error:?}", archive::PATH))?;
        writer.write(archive::PATH.trim_start_matches('/'), &bytes, built);
    }
    Ok(())
}

/// The texts for programs, each where a server has it. A name that is too long for a file is left out.
fn texts(
    plan: &Plan,
    loaded: &Loaded,
    addresses: &Addresses<'_>,
    writer: &Writer,
    sources: &Sources,
    built: &mut Built,
) {
    let routes = addresses.routes();
    let base = plan.base_url.as_deref().unwrap_or("").trim_end_matches('/');
    let paths: Vec<(String, MachineText)> = (routes.text_paths())
        .filter_map(|path| match site::resolve(routes, &path) {
            Some(Output::Text(text)) => Some((path, text)),
            _ => None,
        })
        .collect();
    let (whole, paths): (Vec<_>, Vec<_>) =
        (paths.into_iter()).partition(|(_, text)| matches!(text, MachineText::Full));
    // What pages are as Markdown, in files that are as they were.
    let mut kept = HashMap::new();
    // Texts go as soon as they are written.
    for paths in paths.chunks(AT_ONCE) {
        let made = (loaded.host).read_all(paths, |db, site, (path, text)| {
            let page = match text {
                MachineText::Page(page) | MachineText::Feed(page) => Some(*page),
                _ => None,
            };
            let name = path.trim_start_matches('/');
            let source = page.and_then(|page| sources.of_kept(db, page));
            if let Some(is_there) = source.and_then(|source| writer.kept_text(name, source)) {
                return (source, Err(is_there));
            }
            let made = site::machine_text(db, site, *text, base);
            let source = page.and_then(|page| sources.of(db, page));
            (source, Ok(made))
        });
        for ((path, text), made) in paths.iter().zip(made) {
            let name = path.trim_start_matches('/');
            let (source, is_there) = match made {
                Ok((source, Err(is_there))) => {
                    if is_there {
                        built.files.push((name.to_owned(), Outcome::Unchanged));
                    }
                    if let (true, MachineText::Page(page)) = (is_there, text) {
                        kept.insert(*page, name.to_owned());
                    }
                    (source, is_there)
                }
                Ok((source, Ok(made))) => {
                    let is_there = made.is_some();
                    let is_good = write_text(path, *text, Ok(made), addresses, writer, built);
                    (source.filter(|_| is_good), is_there)
                }
                Err(error) => {
                    write_text(path, *text, Err(error), addresses, writer, built);
                    continue;
                }
            };
            if let Some(source) = source {
                writer.remember_text(name.to_owned(), source, is_there);
            }
        }
        loaded.host.evict();
    }
    if !whole.is_empty() {
        let twin = |page: &PageId| writer.held(kept.get(page)?);
        let made = full_text(loaded, base, &twin);
        for (path, _) in &whole {
            let name = path.trim_start_matches('/').to_owned();
            match &made {
                Ok(parts) => {
                    let outcome = writer.put_parts(&name, parts);
                    built.note(name, outcome);
                }
                Err(error) => built.unwritten.push((name, cannot_be_made(error))),
            }
        }
    }
}

/// All pages in one text, as [`site::machine_text`] has them, in parts that are read a few at a time. `twin` is what is known of a
/// page as Markdown.
fn full_text(
    loaded: &Loaded,
    base: &str,
    twin: &(dyn Fn(&PageId) -> Option<Vec<u8>> + Sync),
) -> Result<Vec<String>, ReadError> {
    let (opening, pages) = loaded
        .host
        .read(|db, site| site::full_text_parts(db, site))?;
    let mut parts = vec![opening];
    for pages in pages.chunks(AT_ONCE) {
        let texts = loaded.host.read_all(pages, |db, site, page| {
            let twin = twin(page).and_then(|twin| String::from_utf8(twin).ok());
            site::full_text_of(db, site, *page, base, twin.as_deref())
        });
        for of_page in texts {
            parts.extend(of_page?);
        }
        loaded.host.evict();
    }
    parts.push(loaded.host.read(|db, site| site::full_text_end(db, site))?);
    Ok(parts)
}

/// Writes the text for programs at `path`; whether it is there, or not to be.
fn write_text(
    path: &str,
    text: MachineText,
    made: Result<Option<String>, ReadError>,
    addresses: &Addresses<'_>,
    writer: &Writer,
    built: &mut Built,
) -> bool {
    let name = path.trim_start_matches('/');
    match made {
        Ok(None) => true,
        Ok(Some(_)) if path.split('/').any(|name| name.len() > NAME_MAX) => {
            built.left_out.push(path.to_owned());
            false
        }
        Ok(Some(made)) => {
            let made = match text {
                MachineText::SiteMap | MachineText::Feed(_) => of_export(addresses, &made),
                _ => made,
            };
            let outcome = writer.put(name, made.as_bytes());
            let is_written = outcome.is_ok();
            built.note(name.to_owned(), outcome);
            is_written
        }
        Err(error) => {
            let why = cannot_be_made(&error);
            built.unwritten.push((name.to_owned(), why));
            false
        }
    }
}

fn cannot_be_made(error: &ReadError) -> String {
    format!("cannot be made: {error:?}")
}

/// The pictures of the pages that name one.
fn cards(
    plan: &Plan,
    loaded: &Loaded,
    addresses: &Addresses<'_>,
    writer: &Writer,
    built: &mut Built,
) {
    if !plan.cards {
        return;
    }
    let routes = addresses.routes();
    let options = page_options(plan);
    let of_pages = routes
        .pages
        .keys()
        .filter_map(|route| routes.card_of(route));
    let items: Vec<(String, PageId)> = of_pages.collect();
    let read = |path: &SitePath| {
        let mut bytes = Vec::new();
        loaded
            .sources
            .open_file(path)
            .ok()??
            .read_to_end(&mut bytes)
            .ok()?;
        Some(bytes)
    };
    let store = &**loaded.host.store();
    let look = loaded
        .host
        .read(|db, site| site::card_look(db, site).clone());
    let Ok(look) = look else { return };
    let made = loaded.host.read_all(&items, |db, _, (path, page)| {
        if !site::has_card(db, *page, &options) {
            return None;
        }
        if path.split('/').any(|name| name.len() > NAME_MAX) {
            return Some(None);
        }
        let card = cards::painter().card(store, &look, site::page_card(db, *page), &read);
        let written = card.map(|card| {
            let outcome = writer.put(path.trim_start_matches('/'), &card.bytes);
            (outcome, card.is_drawn)
        });
        Some(Some(written))
    });
    for ((path, _), made) in items.into_iter().zip(made) {
        let name = path.trim_start_matches('/').to_owned();
        let why = match made {
            Ok(None) => continue,
            Ok(Some(None)) => {
                built.left_out.push(path);
                continue;
            }
            Ok(Some(Some(Some((Ok(outcome), is_drawn))))) => {
                built.drawn += usize::from(is_drawn);
                built.files.push((name, outcome));
                continue;
            }
            Ok(Some(Some(Some((Err(error), _))))) => format!("cannot be written: {error}"),
            Ok(Some(Some(None))) => "cannot be drawn".to_owned(),
            Err(error) => format!("cannot be drawn: {error:?}"),
        };
        built.unwritten.push((name, why));
    }
}

/// Elements of site maps and feeds that hold the address of a page: how each begins and ends.
const ADDRESSES: [(&str, &str); 3] = [
    ("<loc>", "</loc>"),
    ("<link>", "</link>"),
    ("<guid isPermaLink=\"true\">", "</guid>"),
];

/// `xml` with the names that pages have in the export.
fn of_export(addresses: &Addresses<'_>, xml: &str) -> String {
    let lines = xml.lines().map(|line| {
        let text = line.trim_start();
        let indent = &line[..line.len() - text.len()];
        let held = ADDRESSES.into_iter().find_map(|(open, close)| {
            let address = text.strip_prefix(open)?.strip_suffix(close)?;
            Some(format!("{open}{}{close}", addresses.of(address)))
        });
        match held {
            Some(held) => format!("{indent}{held}\n"),
            None => format!("{}\n", addresses.within(line, "\"")),
        }
    });
    lines.collect()
}

/// The sidebars that pages hold a branch of.
fn sidebars(loaded: &Loaded, addresses: &Addresses<'_>, writer: &Writer, built: &mut Built) {
    let scripts = loaded.host.read(|db, site| {
        let paths = site::sidebar_scripts(db, site).into_iter();
        let written = paths.filter_map(|path| {
            let (script, _) = site::sidebar_script(db, site, &path)?;
            Some((path, script))
        });
        written.collect::<Vec<_>>()
    });
    for (path, script) in scripts.unwrap_or_default() {
        // The HTML in it is a text of the script.
        let script = addresses.within(&script, "\\\"");
        writer.write(path.trim_start_matches('/'), script.as_bytes(), built);
    }
}

/// Redirects become pages that lead on: a server of files knows no others. Those with placeholders do for each address that
/// they lead to a page from, and for each that a page of the site links to.
///
/// One whose source has a segment that no file can be named after is left out: a static server looks for a file of that
/// name, so under any other name the page would be there and nobody would ever be led to it.
fn redirects(plan: &Plan, addresses: &Addresses<'_>, writer: &Writer, built: &mut Built) {
    let (base, routes) = (&plan.base_path, addresses.routes());
    let exact = (routes.redirects.iter())
        .filter(|redirect| !redirect.source.contains([':', '*']))
        .map(|redirect| redirect.source.clone());
    let home = routes.home.iter().map(|_| "/".to_owned());
    let patterns = routes.redirects.iter();
    let patterns = patterns.filter(|redirect| redirect.source.contains([':', '*']));
    let patterns = patterns.flat_map(|redirect| {
        let pages = routes.pages.keys();
        pages.filter_map(|route| site::source_of(redirect, route.as_str()))
    });
    // What else a pattern stands for is known where something links to it. The file of the page itself needs no other.
    let linked = addresses.moved().into_iter();
    let linked = linked.filter(|path| !path.ends_with("/index.html"));
    let folders = routes.folders.keys().map(Route::to_string);
    let mut seen: BTreeSet<Route> = routes.pages.keys().cloned().collect();
    for path in exact
        .chain(home)
        .chain(patterns)
        .chain(linked)
        .chain(folders)
    {
        let Some(route) = Route::new(&path) else {
            continue;
        };
        // The first redirect that knows an address decides.
        let Some(Output::Moved { to, .. }) = site::resolve(routes, route.as_str()) else {
            continue;
        };
        if !seen.insert(route.clone()) {
            continue;
        }
        if route.as_str().split('/').any(|name| name.len() > NAME_MAX) {
            built.left_out.push(route.to_string());
            continue;
        }
        let to = match to.starts_with('/') && !to.starts_with("//") {
            true => addresses.of(&format!("{base}{to}")),
            false => to,
        };
        let canonical = match (&plan.base_url, to.starts_with('/')) {
            (Some(url), true) => format!("{}{to}", url.trim_end_matches('/')),
            _ => to.clone(),
        };
        let html = redirects::page(&to, &canonical);
        writer.write(&addresses.file(&route), html.as_bytes(), built);
    }
    for (name, table) in redirects::tables(routes, addresses, base) {
        if !routes.files.contains_key(&format!("/{name}")) {
            writer.write(name, table.as_bytes(), built);
        }
    }
}
