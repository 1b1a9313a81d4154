//! `quire build`: every output of the site as files, for any static server.
//!
//! Only files whose bytes differ are written, each by renaming a complete one into place, and only what an earlier build
//! wrote is ever removed.

pub mod addresses;
mod names;
pub mod outputs;
mod pages;
mod redirects;
pub mod search;
mod texts;
mod turn;
mod writer;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use percent_encoding::percent_decode_str;
use queries::base::content::ContentHash;
use queries::base::diagnostic::{Code, Diagnostic};
use queries::base::path::{Route, SitePath};
use queries::change::Dates;
use queries::site::{self, DiagnosticPart, Output, PageId, PageOptions, SourceFile};
use queries::theme::assets;
use queries::theme::css;
use queries::theme::search::SearchSource;

use addresses::Addresses;
use pages::{ExportedPages, Sources, pages};
use quire_cards as cards;
use quire_engine::archive;
use quire_engine::gzip::unpacked;
use quire_engine::report::Report;
use quire_engine::survey;
use quire_source::links_out;
use quire_source::load::{LoadedSite, load_at};
use quire_source::repository::{dates_in, links_in};
use quire_source::sources::BUILD_LIST;
use quire_storage::allocator as memory;
use quire_storage::store::stats::Stat;
use texts::texts;
use turn::{PATIENCE, Turn};
use writer::{UNFINISHED, Writer, is_empty};

/// Digest of the sources of the crates that make an export, as [`PROGRAM`](queries::site::PROGRAM) is
/// that of the core.
const SHELL: &str = env!("QUIRE_SHELL");

/// The most bytes of the name of a file on the file systems in use (NAME_MAX of Linux, macOS and NTFS alike).
const NAME_MAX: usize = 255;

/// Settings file of the program `serve`, at the root.
const SERVE: &str = "/serve.json";

/// Options of a build.
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
    /// State folder, for the next build; `None` keeps nothing.
    pub state: Option<PathBuf>,
}

/// Context of a build, shared by its steps.
#[derive(Clone, Copy)]
struct Job<'a> {
    plan: &'a Plan,
    options: &'a PageOptions,
    loaded: &'a LoadedSite,
    addresses: &'a Addresses<'a>,
    writer: &'a Writer,
    sources: &'a Sources,
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

/// Result of a build.
#[derive(Debug, Default)]
pub struct BuildResult {
    /// Each output file, by its path, and what became of it.
    pub files: Vec<(String, Outcome)>,
    /// Number of pages.
    pub pages: usize,
    /// Pages that could not be rendered, and why.
    pub failed: Vec<(String, String)>,
    /// Files that could not be written or removed, by their paths, and why.
    pub unwritten: Vec<(String, String)>,
    /// Addresses that are left out because no file can have their names, and redirects that some hosts do not follow as the site
    /// does: each with why.
    pub left_out: Vec<String>,
    /// Files of earlier builds that are left alone: what could not be read may be what they are of.
    pub left: usize,
    /// Diagnostics by file and place.
    pub reports: Vec<Report>,
    /// Number of pictures of pages that were rendered, not taken from an earlier build.
    pub drawn: usize,
    /// Number of pages that were composed, not kept from an earlier build.
    pub composed: usize,
    /// Number of pages in search segments that were joined, not kept from an earlier build.
    pub joined: usize,
    /// Number of written pages that were checked, not known to be without diagnostics from an
    /// earlier build; 0 without state.
    pub checked: usize,
    /// Number of bytes of all pages.
    pub bytes: u64,
    /// Whether one of them shows a diagram.
    pub has_diagrams: bool,
}

impl BuildResult {
    /// Returns the written files whose names not every system has, each with why.
    pub fn unportable(&self) -> Vec<String> {
        let files = self.files.iter();
        let kept = files.filter(|(_, outcome)| *outcome != Outcome::Removed);
        names::unportable(kept.map(|(path, _)| &**path))
    }

    /// Number of files with `outcome`.
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
pub fn build(plan: &Plan, progress: &(dyn Fn(usize, usize) + Sync)) -> anyhow::Result<BuildResult> {
    built_from(&loaded(plan)?, plan, progress)
}

/// Like [`build`], in a process that ends then.
pub fn build_last(
    plan: &Plan,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<BuildResult> {
    let loaded = loaded(plan)?;
    let built = built_from(&loaded, plan, progress)?;
    loaded.leave();
    Ok(built)
}

fn loaded(plan: &Plan) -> anyhow::Result<LoadedSite> {
    load_at(
        &plan.folder,
        &plan.base_path,
        plan.base_url.as_deref(),
        None,
        plan.state.as_deref(),
    )
}

fn built_from(
    loaded: &LoadedSite,
    plan: &Plan,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<BuildResult> {
    memory::forbid_huge_pages();
    let config = |found: &&Diagnostic| {
        found.code == Code::UnreadableFile && site::is_config(found.place.path())
    };
    if let Some(found) = loaded.unread.iter().find(config) {
        // Without it every page would be another one.
        let path = found.place.path().to_string();
        return Ok(BuildResult {
            unwritten: vec![(path, "nothing is written without it".to_owned())],
            reports: survey::located(&loaded.host, loaded.unread.clone()),
            ..BuildResult::default()
        });
    }
    loaded.host.set_dates(dates_of(loaded));
    // Until all is written and remembered.
    let (out, _turn) = prepare(plan, loaded)?;
    let options = page_options(plan);
    let memory = outputs::Memory::of(loaded.host.store(), &out);
    let writer = Writer::new(out, memory);
    let made_of = made_of(plan, loaded, &options);
    if let Some(built) = made_of.and_then(|made_of| writer.unchanged(made_of)) {
        progress(built.pages, built.pages);
        return Ok(built);
    }
    writer.begin()?;
    let host = &loaded.host;
    let routes = host.read(|db, site| site::route_table(db, site).clone());
    let routes = routes.map_err(|error| anyhow!("list the outputs: {error:?}"))?;
    let canonical = host.read(|db, site| site::canonical_base(db, site).map(str::to_owned));
    let canonical = canonical.ok().flatten();
    let bases = [plan.base_url.as_deref(), canonical.as_deref()];
    let addresses = Addresses::new(
        &routes,
        &plan.base_path,
        bases.into_iter().flatten(),
        plan.trailing_slash,
    );
    let sources = Sources::new(plan, loaded, &writer, &options);
    let job = Job {
        plan,
        options: &options,
        loaded,
        addresses: &addresses,
        writer: &writer,
        sources: &sources,
    };
    let ExportedPages {
        mut built,
        known,
        unchecked_pages,
        cardless,
    } = pages(job, progress)?;
    let of_texts = routes.text_paths();
    let of_texts: Vec<(String, Output)> = of_texts
        .filter_map(|path| {
            let output = site::resolve(&*routes, &path)?;
            Some((path, output))
        })
        .collect();
    files(job, &of_texts, &mut built)?;
    texts(job, of_texts, &mut built);
    cards(job, &cardless, &mut built);
    redirects(job, &mut built);
    sidebars(job, &mut built);
    files_of_hosts(job, &mut built);
    theme_files(job, &mut built);
    writer.finish(&addresses, loaded.is_partial, &mut built);
    let mut diagnostics = loaded.unread.clone();
    diagnostics.extend(survey::diagnostics_with(host, &known));
    links_out::say(&loaded.sources, &mut diagnostics);
    built.reports = survey::located(host, diagnostics);
    built.checked = unchecked_pages.len();
    remember_sound(loaded, &sources, &writer, &unchecked_pages);
    built.files.sort();
    built.unwritten.sort();
    // A file that changed during the build was read in two states: nothing is remembered then.
    let is_same = |before: &ContentHash| self::made_of(plan, loaded, &options) == Some(*before);
    writer.remember(made_of.filter(is_same), &built);
    Ok(built)
}

/// Writes files that only hosts of static files read: the page of a missing route, and settings.
fn files_of_hosts(job: Job<'_>, built: &mut BuildResult) {
    let Job {
        plan,
        options,
        addresses,
        writer,
        ..
    } = job;
    let not_found = (job.loaded.host).read(|db, site| site::not_found_html(db, site, "", options));
    if let Ok(html) = not_found {
        let html = addresses.rewrite_html(&html, "\"");
        writer.write("404.html", html.as_bytes(), built);
    }
    // GitHub Pages does not serve names that begin with `_` without it.
    writer.write(".nojekyll", b"", built);
    // `serve` redirects from the file of a page to its folder, and lists the folder if its name has a dot.
    let routes = addresses.routes();
    let has_dot = |route: &Route| route.last_segment().contains('.');
    let has_dots = plan.trailing_slash && routes.pages.keys().any(has_dot);
    if has_dots && !routes.files.contains_key(SERVE) {
        let rules = "{\"cleanUrls\": [\"!/**/*.*/index.html\"]}\n";
        writer.write(SERVE.trim_start_matches('/'), rules.as_bytes(), built);
    }
}

/// Writes the files of the theme that the site uses, without those that only a server needs.
fn theme_files(job: Job<'_>, built: &mut BuildResult) {
    // The last file of a page that could not be rendered or written may show a diagram.
    let has_diagrams =
        built.has_diagrams || !built.failed.is_empty() || !built.unwritten.is_empty();
    let of_export = || {
        assets::ASSETS.iter().filter(|asset| {
            !asset.needs_server() && (has_diagrams || asset.name != assets::DIAGRAMS)
        })
    };
    let used = job.loaded.host.read(|db, site| {
        let used = of_export().filter(|asset| site::is_asset_used(db, site, asset));
        used.collect::<Vec<_>>()
    });
    for asset in used.unwrap_or_else(|_| of_export().collect()) {
        let content = match asset.is_gzip {
            true => unpacked(asset.bytes),
            false => asset.bytes.to_vec(),
        };
        let path = assets::asset_url(asset.name);
        job.writer
            .write(path.trim_start_matches('/'), &content, built);
    }
}

/// Remembers those of `pages` with which nothing is wrong, and that because of what they are made from.
fn remember_sound(
    loaded: &LoadedSite,
    sources: &Sources,
    writer: &Writer,
    pages: &[(String, SourceFile)],
) {
    let sound = loaded.host.read_all(pages, |db, site, (_, file)| {
        let page = DiagnosticPart::Page(*file);
        let is_sound = site::part_diagnostics(db, site, page).is_empty()
            && !site::leads_to_headings(db, *file);
        is_sound.then(|| sources.of(db, PageId::File(*file)))?
    });
    for ((path, _), source) in pages.iter().zip(sound) {
        if let Ok(Some(source)) = source {
            writer.remember_sound(path, source);
        }
    }
}

/// The digest of all that the files of a build follow from, but for the program; `None` if some of it is not known.
fn made_of(plan: &Plan, loaded: &LoadedSite, options: &PageOptions) -> Option<ContentHash> {
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

/// When the pages were changed last.
fn dates_of(loaded: &LoadedSite) -> Dates {
    let mut paths = loaded.host.files_under([""]);
    paths.retain(|path| !path.is_url() && site::is_page(path));
    dates_in(&loaded.sources.root(), paths.into_iter().collect())
}

/// Options of pages in a build.
fn page_options(plan: &Plan) -> PageOptions {
    PageOptions {
        preview_token: None,
        // A folder of files answers nothing; the README of the theme says what it would take.
        assistant: None,
        mock: None,
        mcp: None,
        cards: plan.cards,
        vendors: true,
        is_untrusted: false,
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

/// The output folder, there and safe to write to, and the turn to do so.
fn prepare(plan: &Plan, loaded: &LoadedSite) -> anyhow::Result<(PathBuf, Turn)> {
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
    let turn = Turn::wait(&out, PATIENCE)?;
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
            if path.ends_with(UNFINISHED) {
                continue;
            }
            let removed = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.with_context(|| format!("remove {}", path.display()))?;
        }
    } else if !is_ours && !plan.force {
        bail!(
            "{}: the folder holds files that no build wrote, and files of the site may overwrite them; choose another folder with \
             --out, or pass --force",
            plan.out.display()
        );
    }
    turn.clear_unfinished()
        .with_context(|| format!("remove what was unfinished in {}", out.display()))?;
    Ok((out, turn))
}

/// Message for the output at `path`, whose name is too long for a file.
fn too_long(path: &str) -> String {
    format!("{path}: skipped: the name is too long for a file")
}

/// Number of pages composed before their search data is joined and large results are evicted.
const AT_ONCE: usize = 512;

/// The files of the author, of which some are in place of texts for programs.
fn files(
    job: Job<'_>,
    of_texts: &[(String, Output)],
    built: &mut BuildResult,
) -> anyhow::Result<()> {
    let Job {
        plan,
        loaded,
        writer,
        ..
    } = job;
    let routes = job.addresses.routes();
    // Files by the paths that they are written to: some are at a second address.
    let again = of_texts.iter().filter_map(|(path, output)| match output {
        Output::File(file) if !routes.files.contains_key(path) => Some((path.clone(), *file)),
        _ => None,
    });
    let own = routes
        .files
        .iter()
        .map(|(path, file)| (path.clone(), *file));
    for (path, file) in own.chain(again) {
        let source = loaded.host.read(|db, _| {
            let style = site::own_style(db, file).as_ref();
            (file.path(db).clone(), style.map(|style| style.css.clone()))
        });
        let (Ok((site_path, style)), Some(to)) = (source, SitePath::new(&path)) else {
            continue;
        };
        let mut bytes = Vec::new();
        let read = match loaded.sources.open_file(&site_path) {
            Ok(Some(mut file)) => file.read_to_end(&mut bytes),
            Ok(None) => Err(io::ErrorKind::NotFound.into()),
            Err(error) => Err(error),
        };
        if to.extension() == "css" {
            let css = style.map_or(bytes, |style| style.as_bytes().to_vec());
            bytes = rebase_urls(&plan.base_path, css);
        }
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

/// A stylesheet whose paths from the root are those below `base_path`.
fn rebase_urls(base_path: &str, bytes: Vec<u8>) -> Vec<u8> {
    let Some(css) = std::str::from_utf8(&bytes)
        .ok()
        .filter(|_| !base_path.is_empty())
    else {
        return bytes;
    };
    let is_below = |address: &str| {
        let rest = address.strip_prefix(base_path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut moved = |address: &str| {
        let is_rooted = address.starts_with('/') && css::is_local(address);
        (is_rooted && !is_below(address)).then(|| format!("{base_path}{address}"))
    };
    css::with_urls(css, &mut moved).into_owned().into_bytes()
}

/// The pictures of the pages that name one, which none of `cardless` does.
fn cards(job: Job<'_>, cardless: &HashSet<PageId>, built: &mut BuildResult) {
    let Job {
        plan,
        options,
        loaded,
        addresses,
        writer,
        ..
    } = job;
    if !plan.cards {
        return;
    }
    let routes = addresses.routes();
    let pages = routes.pages.iter();
    let pages = pages.filter(|(_, page)| !cardless.contains(page));
    let of_pages = pages.filter_map(|(route, _)| routes.card_of(route));
    let of_pages = of_pages.map(|(path, page)| (addresses.output(&path).into_owned(), page));
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
    let cards = loaded.host.read_all(&items, |db, _, (path, page)| {
        if !site::has_card(db, *page, options) {
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
    for ((path, _), card) in items.into_iter().zip(cards) {
        let name = path.trim_start_matches('/').to_owned();
        let why = match card {
            Ok(None) => continue,
            Ok(Some(None)) => {
                built.left_out.push(too_long(&path));
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

/// The sidebars that pages hold a branch of.
fn sidebars(job: Job<'_>, built: &mut BuildResult) {
    let scripts = job.loaded.host.read(|db, site| {
        let paths = site::sidebar_scripts(db, site).into_iter();
        let written = paths.filter_map(|path| {
            let (script, _) = site::sidebar_script(db, site, &path)?;
            Some((path, script))
        });
        written.collect::<Vec<_>>()
    });
    for (path, script) in scripts.unwrap_or_default() {
        // The HTML in it is a text of the script.
        let script = job.addresses.rewrite_html(&script, "\\\"");
        job.writer
            .write(path.trim_start_matches('/'), script.as_bytes(), built);
    }
}

/// Redirects become pages that lead on: a server of files knows no others. Those with placeholders do for each address that
/// they lead to a page from, and for each that a page of the site links to.
///
/// One whose source has a segment that no file can be named after is left out: a static server looks for a file of that
/// name, so under any other name the page would be there and nobody would ever be led to it.
fn redirects(job: Job<'_>, built: &mut BuildResult) {
    let Job {
        plan,
        addresses,
        writer,
        ..
    } = job;
    let (base, routes) = (&plan.base_path, addresses.routes());
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let exact = (routes.redirects.iter())
        .filter(|redirect| !site::is_pattern(redirect))
        .map(|redirect| decoded(&redirect.source));
    let home = routes.home.iter().map(|_| "/".to_owned());
    let patterns = routes.redirects.iter();
    let patterns = patterns.filter(|redirect| site::is_pattern(redirect));
    let patterns = patterns.flat_map(|redirect| {
        let pages = routes.pages.keys();
        pages.filter_map(|route| site::source_of(redirect, route.as_str()))
    });
    // What else a pattern stands for is known where something links to it. The file of the page itself needs no other.
    let linked = addresses.moved().into_iter();
    let linked = linked.filter(|path| !path.ends_with("/index.html"));
    let folders = routes.folders.keys().map(Route::to_string);
    let files = routes.pages.keys().map(|route| addresses.file(route));
    let files: BTreeSet<String> = files.collect();
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
            built.left_out.push(too_long(route.as_str()));
            continue;
        }
        if !names::is_safe(route.as_str()) {
            let why = "left out: not every system takes a file of that name";
            built.left_out.push(format!("{route}: {why}"));
            continue;
        }
        let to = match to.starts_with('/') && !to.starts_with("//") {
            true => addresses.of(&format!("{base}{to}")),
            false => to,
        };
        let canonical = match (&plan.base_url, to.starts_with('/')) {
            (Some(url), true) => format!("{}{}", url.trim_end_matches('/'), addresses.public(&to)),
            _ => to.clone(),
        };
        let html = redirects::page(&to, &canonical);
        // What is asked for with the name of a file is one.
        let file = match route.as_str().ends_with(".html") {
            true => route.as_str().trim_start_matches('/').to_owned(),
            false => addresses.file(&route),
        };
        // A page is at that address, whatever leads there elsewhere.
        if !files.contains(&file) {
            writer.write(&file, html.as_bytes(), built);
        }
    }
    let tables = redirects::tables(routes, addresses, base);
    built.left_out.extend(tables.unsaid);
    for (name, table) in tables.files {
        if !routes.files.contains_key(&format!("/{name}")) {
            writer.write(name, table.as_bytes(), built);
        }
    }
}
