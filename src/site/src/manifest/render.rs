//! Renders the outputs of a site into a manifest.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use bytes::Bytes;
use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{
    self, ComponentRows, Database, MachineText, Output, PageHtml, PageId, PageOptions, RouteTable,
    Site, SourceFile,
};
use queries::theme::assets;

use super::{
    EntryCaching, EntryKind, FORMAT, Manifest, ManifestAnswers, ManifestBlocks, ManifestEntry,
    ManifestPage, ManifestRedirect, ORIGIN,
};
use crate::media::{JSON, is_compressible, media_type};
use crate::release::Release;
use quire_engine::archive;
use quire_engine::gzip;
use quire_engine::host::SiteHost;
use quire_engine::publish::Publisher;
use quire_storage::objects::{ObjectId, Objects};
use quire_storage::wait;

/// Media type of pages.
const HTML: &str = "text/html; charset=utf-8";
/// Media type of scripts.
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Number of pages that are in memory before they are stored.
const AT_ONCE: usize = 128;

/// Number of bytes that are in memory before they are stored.
const MAX_PENDING: usize = 4 << 20;

/// Number of bytes from which an output is compressed.
const WORTH_PACKING: usize = 256;

/// Renders manifests of one site.
pub(crate) struct Renderer<'a> {
    /// The published site.
    publisher: &'a Publisher,
    /// Objects that take the outputs.
    objects: &'a dyn Objects,
    /// Release with the files of the site.
    release: &'a Release,
    /// Manifest that was stored last: pages with the same source are not rendered again.
    before: Option<&'a Manifest>,
    options: PageOptions,
    /// Objects that are named and not stored yet, with the number of their bytes.
    pending: Mutex<(Vec<Bytes>, usize)>,
}

/// An output before it is stored.
struct Draft {
    path: String,
    bytes: Vec<u8>,
    media_type: &'static str,
    kind: EntryKind,
    caching: EntryCaching,
    policy: Option<String>,
}

impl Draft {
    fn new(path: String, bytes: impl Into<Vec<u8>>, media_type: &'static str) -> Self {
        Self {
            path,
            bytes: bytes.into(),
            media_type,
            kind: EntryKind::Plain,
            caching: EntryCaching::Revalidate,
            policy: None,
        }
    }

    fn page(path: String, page: PageHtml) -> Self {
        Self {
            kind: EntryKind::Page,
            policy: page.policy,
            ..Self::new(path, page.html, HTML)
        }
    }

    /// Its bytes compressed, if that makes them smaller.
    fn packed(&self) -> Option<Vec<u8>> {
        let is_text = is_compressible(self.media_type) || self.kind == EntryKind::Card;
        if !is_text || self.kind == EntryKind::Gzip || self.bytes.len() < WORTH_PACKING {
            return None;
        }
        let packed = gzip::pack(&self.bytes);
        (packed.len() < self.bytes.len()).then_some(packed)
    }

    fn text(path: String, text: MachineText, content: String) -> Self {
        Self {
            kind: match text {
                MachineText::AgentSkills => EntryKind::TextList,
                _ => EntryKind::Text,
            },
            ..Self::new(path, content, text.media_type())
        }
    }
}

/// An object of the manifest before, which the new one was to refer to, is missing.
#[derive(Debug)]
pub(crate) struct MissingOutput(ObjectId);

impl std::fmt::Display for MissingOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the object {} of a page is missing", self.0)
    }
}

impl std::error::Error for MissingOutput {}

/// Result of rendering a page.
enum Rendered {
    /// Its outputs are those of the manifest before.
    Same,
    /// Its outputs, the page itself first.
    New {
        source: Option<ContentHash>,
        is_counted: bool,
        drafts: Vec<Draft>,
        /// What answers need of it, with its blocks as JSON.
        answers: Option<Box<(ManifestAnswers, Option<Vec<u8>>)>>,
    },
}

impl<'a> Renderer<'a> {
    /// Renders what `publisher` shows visitors.
    pub(crate) fn new(
        publisher: &'a Publisher,
        objects: &'a dyn Objects,
        release: &'a Release,
        before: Option<&'a Manifest>,
    ) -> Self {
        Self {
            publisher,
            objects,
            release,
            before,
            // A token of this run means nothing to another process.
            options: PageOptions {
                preview_token: None,
                ..publisher.options().clone()
            },
            pending: Mutex::default(),
        }
    }

    /// Renders and stores every output of the site; `manifest` has its identity.
    ///
    /// A page that cannot be rendered is as the manifest before has it; the log says which.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be stored or the addresses of the site cannot be computed, and with
    /// [`MissingOutput`] if the manifest before cannot be built upon.
    pub(crate) fn render(&self, mut manifest: Manifest) -> anyhow::Result<Manifest> {
        let snapshot = self.publisher.snapshot();
        let (host, routes) = (&*snapshot.host, &*snapshot.routes);
        manifest.format = FORMAT;
        manifest.redirects = redirects(routes);
        manifest.home = routes.home.as_ref().map(Route::to_string);
        let folders = routes.folders.iter();
        manifest.folders = folders
            .map(|(folder, first)| (folder.to_string(), first.to_string()))
            .collect();
        manifest.card_look = host.read(|db, site| site::card_look(db, site).clone())?;
        let surroundings = host.surroundings(&self.options).ok();
        let pages: Vec<(&Route, &PageId)> = routes.pages.iter().collect();
        for pages in pages.chunks(AT_ONCE) {
            self.pages(host, routes, (pages, surroundings), &mut manifest)?;
            host.evict();
        }
        self.row_pages(host, routes, &mut manifest)?;
        self.files(host, routes, &mut manifest)?;
        self.texts(host, routes, &mut manifest)?;
        self.others(host, &mut manifest)?;
        self.flush()?;
        Ok(manifest)
    }

    fn pages(
        &self,
        host: &SiteHost,
        routes: &RouteTable,
        (pages, surroundings): (&[(&Route, &PageId)], Option<ContentHash>),
        manifest: &mut Manifest,
    ) -> anyhow::Result<()> {
        let rendered = host.read_all(pages, |db, site, (route, page)| {
            self.page((db, site), routes, (route, **page), surroundings)
        });
        self.check_kept(pages, &rendered)?;
        for ((route, _), rendered) in pages.iter().zip(rendered) {
            let is_kept = match rendered {
                Ok(Rendered::Same) => self.keep_page(route, manifest),
                Ok(Rendered::New {
                    source,
                    is_counted,
                    mut drafts,
                    answers,
                }) => {
                    let others = drafts.iter().skip(1).map(|draft| draft.path.clone());
                    let others = others.collect();
                    let (answers, blocks) = answers.map(|answers| *answers).unzip();
                    // They have no path: nobody asks for them.
                    let blocks = blocks.flatten();
                    drafts.extend(blocks.map(|blocks| Draft::new(String::new(), blocks, JSON)));
                    self.store(manifest, drafts)?;
                    let blocks = manifest.entries.remove("");
                    let answers = answers.map(|answers| ManifestAnswers {
                        blocks: blocks.map(|blocks| ManifestBlocks {
                            start: blocks.start,
                            size: blocks.size,
                            packed: blocks.packed,
                        }),
                        ..answers
                    });
                    let page = ManifestPage {
                        source: source.map(ObjectId),
                        others,
                        is_counted,
                        answers,
                    };
                    manifest.pages.insert(route.to_string(), page);
                    true
                }
                Err(error) => {
                    tracing::error!("failed to render {route} for a release: {error}");
                    self.keep_page(route, manifest)
                }
            };
            if !is_kept {
                tracing::error!("the release has no page at {route}");
            }
        }
        Ok(())
    }

    fn page(
        &self,
        (db, site): (&Database, Site),
        routes: &RouteTable,
        (route, page): (&Route, PageId),
        surroundings: Option<ContentHash>,
    ) -> Rendered {
        let source = || site::page_source(db, page, surroundings?);
        let before = self
            .before
            .and_then(|before| before.pages.get(route.as_str()));
        let before = before.and_then(|page| page.source);
        if let (Some(before), Some(source)) = (before, source())
            && before.0 == source
        {
            return Rendered::Same;
        }
        let html = site::page_html(db, site, page, &self.options);
        let (is_counted, has_whole) = (html.is_counted, html.has_whole);
        let mut drafts = vec![Draft::page(route.to_string(), html)];
        if has_whole && let Some(whole) = site::whole_page_html(db, site, page, &self.options) {
            drafts.push(Draft::page(format!("{}{route}", site::WHOLE), whole));
        }
        for path in [site::twin_path(route), site::feed_path(route)] {
            if let Some(Output::Text(text)) = site::resolve(routes, &path)
                && matches!(text, MachineText::Page(of) | MachineText::Feed(of) if of == page)
                && let Some(content) = site::machine_text(db, site, text, ORIGIN)
            {
                drafts.push(Draft::text(path, text, content));
            }
        }
        let path = site::islands_path(route);
        if let Some(Output::Islands(file)) = site::resolve(routes, &path) {
            let islands = site::page_islands(db, file);
            if let Some(digest) = islands.digest {
                drafts.push(Draft {
                    caching: EntryCaching::ByQuery(ObjectId(digest)),
                    ..Draft::new(path, islands.script.as_bytes(), SCRIPT)
                });
            }
        }
        if site::has_card(db, page, &self.options)
            && let Some((path, of)) = routes.card_of(route)
            && let Ok(card) = serde_json::to_vec(site::page_card(db, of))
        {
            drafts.push(Draft {
                kind: EntryKind::Card,
                ..Draft::new(path, card, "image/png")
            });
        }
        let answers = site::page_facets(db, page).as_ref().map(|found| {
            let answers = ManifestAnswers {
                title: found.title.clone(),
                language: found.facets.language.clone(),
                product: found
                    .facets
                    .product
                    .as_ref()
                    .map(|product| product.label.clone()),
                version: found.facets.version.clone(),
                blocks: None,
            };
            let blocks = site::answer_blocks(db, page);
            Box::new((
                answers,
                blocks.and_then(|blocks| serde_json::to_vec(&*blocks).ok()),
            ))
        });
        Rendered::New {
            source: source(),
            is_counted,
            drafts,
            answers,
        }
    }

    /// Checks that the objects of those among `pages` that are not rendered again are still there,
    /// and touches them, so that the sweep spares them.
    fn check_kept<E>(
        &self,
        pages: &[(&Route, &PageId)],
        rendered: &[Result<Rendered, E>],
    ) -> anyhow::Result<()> {
        let Some(before) = self.before else {
            return Ok(());
        };
        let kept = pages.iter().zip(rendered);
        let kept = kept.filter(|(_, rendered)| !matches!(rendered, Ok(Rendered::New { .. })));
        // The outputs of a page are one object.
        let object = |((route, _), _): (&(&Route, &PageId), _)| {
            let entry = before.entries.get(route.as_str())?;
            Some(entry.object.0)
        };
        let objects: Vec<ContentHash> = kept.filter_map(object).collect();
        let stored: HashSet<ContentHash> = wait(self.objects.touch_all(objects.clone()))?
            .into_iter()
            .collect();
        let gone = objects.iter().find(|object| !stored.contains(*object));
        match gone {
            Some(gone) => Err(MissingOutput(ObjectId(*gone)).into()),
            None => Ok(()),
        }
    }

    /// Takes the page at `route` from the manifest before; returns false if it has none.
    fn keep_page(&self, route: &Route, manifest: &mut Manifest) -> bool {
        let Some(before) = self.before else {
            return false;
        };
        let Some(page) = before.pages.get(route.as_str()) else {
            return false;
        };
        let others = page.others.iter().map(String::as_str);
        for path in [route.as_str()].into_iter().chain(others) {
            let Some(entry) = before.entries.get(path) else {
                continue;
            };
            let policy = entry.policy.and_then(|policy| before.policies.get(policy));
            let policy = policy.map(|policy| manifest.add_policy(policy));
            let entry = ManifestEntry {
                policy,
                ..entry.clone()
            };
            manifest.entries.insert(path.to_owned(), entry);
        }
        manifest.pages.insert(route.to_string(), page.clone());
        true
    }

    /// Renders the pages of rows that pages and each other lead to.
    fn row_pages(
        &self,
        host: &SiteHost,
        routes: &RouteTable,
        manifest: &mut Manifest,
    ) -> anyhow::Result<()> {
        let pages: Vec<PageId> = routes.pages.values().copied().collect();
        let named = |db: &Database, rows: Vec<ComponentRows>, language: &str| {
            let rows = rows.into_iter();
            let rows = rows.map(|rows| (rows.path(db, language), (rows, language.to_owned())));
            rows.collect::<Vec<_>>()
        };
        let linked = host.read_all(&pages, |db, _, page| {
            let (rows, language) = site::linked_rows(db, *page);
            named(db, rows, language)
        });
        let linked = linked.into_iter().filter_map(Result::ok).flatten();
        let mut next: BTreeMap<String, (ComponentRows, String)> = linked.collect();
        while !next.is_empty() {
            next.retain(|path, _| !manifest.entries.contains_key(path));
            let items: Vec<_> = std::mem::take(&mut next).into_iter().collect();
            for items in items.chunks(AT_ONCE) {
                let rendered = host.read_all(items, |db, site, (path, (rows, language))| {
                    let page = site::rows_html(db, site, *rows, language, &self.options);
                    let inner = named(db, site::rows_within(db, *rows), language);
                    (Draft::page(path.clone(), page), inner)
                });
                for ((path, _), rendered) in items.iter().zip(rendered) {
                    match rendered {
                        Ok((draft, inner)) => {
                            self.store(manifest, vec![draft])?;
                            next.extend(inner);
                        }
                        Err(error) => {
                            tracing::error!("failed to render {path} for a release: {error}");
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the files of the author.
    fn files(
        &self,
        host: &SiteHost,
        routes: &RouteTable,
        manifest: &mut Manifest,
    ) -> anyhow::Result<()> {
        for (path, file) in &routes.files {
            // A page comes before a file.
            if site::resolve(routes, path) == Some(Output::File(*file)) {
                self.file(host, path, *file, manifest)?;
            }
        }
        Ok(())
    }

    fn file(
        &self,
        host: &SiteHost,
        path: &str,
        file: SourceFile,
        manifest: &mut Manifest,
    ) -> anyhow::Result<()> {
        let (source, digest, style) = host.read(|db, _| {
            let style = site::own_style(db, file).as_ref();
            let style = style.map(|style| (style.css.clone(), style.digest));
            (file.path(db).clone(), file.digest(db), style)
        })?;
        let media_type = media_type(&source.extension());
        if let Some((css, digest)) = style {
            let draft = Draft {
                kind: EntryKind::File,
                caching: EntryCaching::ByQuery(ObjectId(digest)),
                ..Draft::new(path.to_owned(), css.as_bytes(), media_type)
            };
            return self.store(manifest, vec![draft]);
        }
        let Some(stored) = self.release.file(&source, digest) else {
            tracing::error!("the release has no file {source}");
            return Ok(());
        };
        let entry = ManifestEntry {
            object: stored.object,
            size: stored.size,
            digest: stored.object,
            media_type: media_type.to_owned(),
            kind: EntryKind::File,
            caching: EntryCaching::ByQuery(ObjectId(digest)),
            ..ManifestEntry::default()
        };
        manifest.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Adds texts of the whole site, and specifications with overlays.
    fn texts(
        &self,
        host: &SiteHost,
        routes: &RouteTable,
        manifest: &mut Manifest,
    ) -> anyhow::Result<()> {
        for path in routes.text_paths() {
            if manifest.entries.contains_key(&path) {
                continue;
            }
            match site::resolve(routes, &path) {
                // Those of pages were rendered with them.
                Some(Output::Text(MachineText::Page(_) | MachineText::Feed(_))) => {}
                Some(Output::Text(text)) => {
                    let content = host.read(|db, site| site::machine_text(db, site, text, ORIGIN));
                    if let Some(content) = content? {
                        self.store(manifest, vec![Draft::text(path, text, content)])?;
                    }
                }
                Some(Output::File(file)) => self.file(host, &path, file, manifest)?,
                _ => {}
            }
        }
        if site::resolve(routes, archive::PATH) == Some(Output::Archive) {
            let draft = Draft::new(
                archive::PATH.to_owned(),
                archive::of(host, &routes.specs)?,
                "application/zip",
            );
            self.store(manifest, vec![draft])?;
        }
        Ok(())
    }

    /// Adds scripts of sidebars, files of the theme, and the page for paths at which nothing is.
    fn others(&self, host: &SiteHost, manifest: &mut Manifest) -> anyhow::Result<()> {
        let scripts = host.read(|db, site| {
            let paths = site::sidebar_scripts(db, site).into_iter();
            let scripts = paths.filter_map(|path| {
                let (script, _) = site::sidebar_script(db, site, &path)?;
                Some((path, script))
            });
            scripts.collect::<Vec<_>>()
        })?;
        for (path, script) in scripts {
            let draft = Draft {
                caching: EntryCaching::Immutable,
                ..Draft::new(path, script, SCRIPT)
            };
            self.store(manifest, vec![draft])?;
        }
        for asset in assets::ASSETS.iter() {
            let path = assets::asset_url(asset.name);
            let draft = Draft {
                kind: match asset.is_gzip {
                    true => EntryKind::Gzip,
                    false => EntryKind::Plain,
                },
                caching: match asset.is_fixed() {
                    true => EntryCaching::Revalidate,
                    false => EntryCaching::Immutable,
                },
                ..Draft::new(path, asset.bytes, asset.media_type)
            };
            self.store(manifest, vec![draft])?;
        }
        let (html, policy) = host.read(|db, site| {
            let (vendors, untrusted) = (self.options.vendors, self.options.is_untrusted);
            let html = site::not_found_html(db, site, "", &self.options);
            (html, site::content_policy(db, site, vendors, untrusted))
        })?;
        let draft = Draft {
            kind: EntryKind::Page,
            policy: Some(policy),
            ..Draft::new(String::new(), html, HTML)
        };
        self.store(manifest, vec![draft])?;
        let not_found = manifest.entries.remove("");
        manifest.not_found = not_found.context("the page for other paths is missing")?;
        Ok(())
    }

    /// Stores what is pending: several objects at once, for where they travel.
    fn flush(&self) -> anyhow::Result<()> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let (objects, _) = std::mem::take(&mut *pending);
        Ok(wait(self.objects.put_all(objects))?)
    }

    /// Adds the entries of `drafts`, which are one object; [`Renderer::flush`] stores it.
    fn store(&self, manifest: &mut Manifest, drafts: Vec<Draft>) -> anyhow::Result<()> {
        let size = drafts.iter().map(|draft| draft.bytes.len()).sum();
        let mut bytes = Vec::with_capacity(size);
        let mut entries = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let packed = draft.packed();
            let entry = ManifestEntry {
                start: bytes.len() as u64,
                size: draft.bytes.len() as u64,
                packed: packed.as_ref().map(|packed| packed.len() as u64),
                digest: ObjectId(ContentHash::of(&draft.bytes)),
                media_type: draft.media_type.to_owned(),
                kind: draft.kind,
                caching: draft.caching,
                policy: (draft.policy).map(|policy| manifest.add_policy(&policy)),
                ..ManifestEntry::default()
            };
            bytes.extend_from_slice(packed.as_deref().unwrap_or(&draft.bytes));
            entries.push((draft.path, entry));
        }
        let object = ObjectId(ContentHash::of(&bytes));
        let is_full = {
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            let (objects, size) = &mut *pending;
            *size += bytes.len();
            objects.push(Bytes::from(bytes));
            *size > MAX_PENDING
        };
        if is_full {
            self.flush()?;
        }
        for (path, entry) in entries {
            let entry = ManifestEntry { object, ..entry };
            manifest.entries.insert(path, entry);
        }
        Ok(())
    }
}

fn redirects(routes: &RouteTable) -> Vec<ManifestRedirect> {
    let redirects = routes.redirects.iter();
    let redirects = redirects.map(|redirect| ManifestRedirect {
        source: redirect.source.clone(),
        destination: redirect.destination.clone(),
        permanent: redirect.permanent,
    });
    redirects.collect()
}
