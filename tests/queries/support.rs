//! Small sites in memory, a log of the queries that ran, and everything a site shows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use base::content::ContentHash;
use base::diagnostic::Diagnostic;
use base::image::ImageSize;
use base::path::SitePath;
use base::place::{Part, Place};
use queries::base::content::TextBytes;
use queries::blocks::answer_blocks;
use queries::change::{
    Adoption, AppliedChanges, ContentSink, FileChange, FileState, Inputs, Reading, Text,
};
use queries::db::{Database, Observer, QueryEvent, Step};
use queries::frame::{PageOptions, page_html};
use queries::inputs::{Site, SourceFile, file_named};
use queries::markdown::page_markdown;
use queries::navigation::{PageId, sections};
use queries::relay::relay_origins;
use queries::search::{
    breadcrumbs, page_embeddings, search_digest, search_document, search_manifest,
};
use queries::site::editor::{LinkedPlace, links_to};
use queries::site::report::reports;
use queries::site::{
    Output, card_look, derived_config, linked_rows, machine_text, page_card, resolve, route_table,
    routes, rows_at, rows_html, rows_within, site_diagnostics,
};
use queries::store::{ArtifactStore, ContentLost, ContentStore};
use salsa::{Durability, Setter};

#[path = "names.rs"]
pub(crate) mod names;
use names::{Names, id_of};

/// Bytes by digest.
#[derive(Default)]
struct MemoryStore(Mutex<BTreeMap<ContentHash, TextBytes>>);

impl MemoryStore {
    fn put(&self, bytes: &[u8]) -> ContentHash {
        let digest = ContentHash::of_text(bytes);
        self.0.lock().unwrap().insert(digest, bytes.into());
        digest
    }

    fn of(&self, digest: ContentHash) -> TextBytes {
        self.bytes(digest).unwrap().expect("it was put")
    }
}

impl ContentSink for MemoryStore {
    fn retain(&self, digest: ContentHash, bytes: Option<TextBytes>, _: Option<&SitePath>) {
        if let Some(bytes) = bytes {
            self.0.lock().unwrap().insert(digest, bytes);
        }
    }

    /// Nothing is forgotten: a test asks for what was.
    fn release(&self, _: ContentHash, _: Option<&SitePath>) {}
}

impl ContentStore for MemoryStore {
    fn bytes(&self, digest: ContentHash) -> Result<Option<TextBytes>, ContentLost> {
        Ok(self.0.lock().unwrap().get(&digest).cloned())
    }
}

/// A site in memory, written by the writer of the core as the host writes it.
pub(crate) struct TestSite {
    pub(crate) db: Database,
    pub(crate) site: Site,
    store: Arc<MemoryStore>,
    /// The executions since the last look, as `name(Id(…))`.
    executed: Arc<Mutex<Vec<String>>>,
    inputs: Inputs,
}

impl TestSite {
    /// A site of these files, all of high durability as the shell makes them.
    pub(crate) fn new<P: AsRef<str>, T: AsRef<[u8]>>(files: &[(P, T)]) -> Self {
        let executed = Arc::new(Mutex::new(Vec::new()));
        let log = executed.clone();
        Self::with(files, executed, Some(observer_of(log)), None)
    }

    /// Like [`TestSite::new`], keeping what it makes in `artifacts`.
    pub(crate) fn keeping<P: AsRef<str>, T: AsRef<[u8]>>(
        files: &[(P, T)],
        artifacts: &Arc<impl ArtifactStore + 'static>,
    ) -> Self {
        let executed = Arc::new(Mutex::new(Vec::new()));
        let observer = observer_of(executed.clone());
        Self::with(files, executed, Some(observer), Some(artifacts.clone()))
    }

    /// Like [`TestSite::new`], without a log.
    #[allow(dead_code, reason = "the benches measure without it")]
    pub(crate) fn unobserved<P: AsRef<str>, T: AsRef<[u8]>>(files: &[(P, T)]) -> Self {
        Self::with(files, Arc::default(), None, None)
    }

    fn with<P: AsRef<str>, T: AsRef<[u8]>>(
        files: &[(P, T)],
        executed: Arc<Mutex<Vec<String>>>,
        observer: Option<Observer>,
        artifacts: Option<Arc<dyn ArtifactStore>>,
    ) -> Self {
        let store = Arc::new(MemoryStore::default());
        let mut db = Database::new(store.clone(), observer);
        if let Some(artifacts) = artifacts {
            db = db.keeping(artifacts);
        }
        let mut inputs = Inputs::new(&db, "");
        let is_config = |path: &P| matches!(path.as_ref(), "docs.json" | "mint.json");
        if !files.iter().any(|(path, _)| is_config(path)) {
            inputs.derive_config(&mut db);
        }
        let mut site = Self {
            site: inputs.site(),
            db,
            store,
            executed,
            inputs,
        };
        let files = files.iter().map(|(path, bytes)| {
            let path = SitePath::new(path.as_ref()).unwrap();
            (path, Some(bytes.as_ref()))
        });
        site.apply(files);
        site
    }

    /// Writes what files hold now, `None` for those that are gone, in one batch.
    fn apply<'a>(
        &mut self,
        files: impl IntoIterator<Item = (SitePath, Option<&'a [u8]>)>,
    ) -> AppliedChanges {
        let store = self.store.clone();
        let changes = files.into_iter().map(|(path, bytes)| FileChange {
            state: match bytes {
                None => FileState::Absent,
                Some(bytes) => state_of(&store, &path, bytes),
            },
            path,
        });
        let mut reading = Reading {
            follow: &mut |_, bytes, _| {
                let digest = ContentHash::of_text(&bytes);
                Text::new(bytes, digest)
            },
            artifacts: None,
            adoption: Adoption::AsItIs,
            bytes: &|digest| store.bytes(digest).ok().flatten(),
        };
        let batch = self.inputs.prepare(changes, &mut reading);
        if batch.applied().is_empty() {
            return AppliedChanges::default();
        }
        let (applied, _) = self.inputs.write(&mut self.db, batch, &*self.store);
        applied
    }

    /// A site of the same files that never saw an edit: the oracle.
    pub(crate) fn fresh(&self) -> Self {
        let mut fresh = Self::new(&self.contents());
        (fresh.inputs).set_dates(&mut fresh.db, self.inputs.dates().clone());
        fresh
    }

    /// Says on which days files were changed last; returns whether that is news of one that is there.
    pub(crate) fn date(&mut self, days: &[(&str, &str)]) -> bool {
        let days = days.iter();
        let days = days.map(|(path, day)| (SitePath::new(path).unwrap(), Arc::from(*day)));
        self.inputs.set_dates(&mut self.db, days.collect())
    }

    /// What is in its files, by path.
    pub(crate) fn contents(&self) -> Vec<(String, TextBytes)> {
        let files = self.files().map(|file| {
            let bytes = self.store.of(file.digest(&self.db));
            (file.path(&self.db).to_string(), bytes)
        });
        files.collect()
    }

    /// The files that exist, in order of their paths.
    pub(crate) fn files(&self) -> impl Iterator<Item = SourceFile> {
        self.inputs.files().map(|(_, file, _)| file)
    }

    /// Every file there ever was.
    pub(crate) fn known_files(&self) -> impl Iterator<Item = SourceFile> {
        self.inputs.all_files().map(|(_, file)| file)
    }

    /// What ids stand for, but for those of sections: to ask for these would run something.
    #[allow(dead_code, reason = "the benches name nothing")]
    pub(crate) fn names(&self) -> Names<'_> {
        Names::new(&self.db, self.site, self.known_files(), &[])
    }

    /// The file at `path`, which exists.
    #[track_caller]
    pub(crate) fn file(&self, path: &str) -> SourceFile {
        file_named(&self.db, &SitePath::new(path).unwrap()).expect(path)
    }

    /// Whether there is a file at `path`.
    pub(crate) fn exists(&self, path: &str) -> bool {
        SitePath::new(path).is_some_and(|path| file_named(&self.db, &path).is_some())
    }

    /// What the file at `path` holds.
    pub(crate) fn text(&self, path: &str) -> String {
        let bytes = self.store.of(self.file(path).digest(&self.db));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The files that were edited since they were last promoted.
    pub(crate) fn lowered(&self) -> impl Iterator<Item = &SitePath> {
        self.inputs.low_durability().iter()
    }

    /// Writes `bytes` to the existing file at `path`. Nothing happens when they are the same; says whether they are not.
    pub(crate) fn set(&mut self, path: &str, bytes: impl AsRef<[u8]>) -> bool {
        self.file(path);
        self.add(path, bytes)
    }

    /// Creates a file, or brings one back; says whether it holds what it did not hold before.
    pub(crate) fn add(&mut self, path: &str, bytes: impl AsRef<[u8]>) -> bool {
        let path = SitePath::new(path).unwrap();
        let digest = |site: &Self| {
            let mut known = site.inputs.all_files();
            let file = known
                .find(|(known, _)| **known == path)
                .map(|(_, file)| file);
            file.map(|file| file.digest(&site.db))
        };
        let before = digest(self);
        self.apply([(path.clone(), Some(bytes.as_ref()))]);
        digest(self) != before
    }

    /// Deletes a file.
    pub(crate) fn remove(&mut self, path: &str) {
        self.apply([(SitePath::new(path).unwrap(), None)]);
    }

    /// Gives edited files high durability again, as the shell does in idle moments; returns which.
    pub(crate) fn promote(&mut self) -> BTreeSet<SitePath> {
        self.inputs.promote(&mut self.db)
    }

    /// Makes the same site in another database, from what its writer knows.
    pub(crate) fn rebuilt(&self, artifacts: &Arc<impl ArtifactStore + 'static>) -> Self {
        let executed = Arc::new(Mutex::new(Vec::new()));
        let observer = observer_of(executed.clone());
        let mut db = Database::new(self.store.clone(), Some(observer)).keeping(artifacts.clone());
        let inputs = self.inputs.rebuilt(&mut db, "", &*self.store);
        Self {
            site: inputs.site(),
            db,
            store: self.store.clone(),
            executed,
            inputs,
        }
    }

    /// As if every part of every specification had been edited, and the edit taken back: the first edit of a part makes it
    /// less durable, and what rests on it runs once for that alone.
    pub(crate) fn touch_specs(&mut self) {
        for spec in self.site.specs(&self.db).clone() {
            for slice in spec.slices(&self.db).clone() {
                let digest = slice.digest(&self.db);
                slice
                    .set_digest(&mut self.db)
                    .with_durability(Durability::MEDIUM)
                    .to(digest);
            }
        }
        self.outputs();
        self.take();
    }

    /// The queries that ran since the last look, with how often, in order of their names.
    pub(crate) fn take(&self) -> String {
        let lines = self
            .take_keys()
            .into_iter()
            .map(|(name, keys)| match keys.len() {
                1 => name,
                count => format!("{name} ×{count}"),
            });
        lines.collect::<Vec<_>>().join(", ")
    }

    /// The queries that ran since the last look by name, with their keys: the path of a file or bucket, the position of
    /// a section, `GET /pets` for an operation, nothing for the site. A key stands there as often as the query ran for it.
    pub(crate) fn take_keys(&self) -> BTreeMap<String, Vec<String>> {
        self.take_named(|names| names)
    }

    /// Like [`TestSite::take_keys`], with the specification before everything that is part of one.
    pub(crate) fn take_full_keys(&self) -> BTreeMap<String, Vec<String>> {
        self.take_named(|names| names.with_specs(self.site).with_passages())
    }

    fn take_named(
        &self,
        full: impl FnOnce(Names<'_>) -> Names<'_>,
    ) -> BTreeMap<String, Vec<String>> {
        let mut executed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (_, (name, key)) in self.take_log(full) {
            executed.entry(name).or_default().push(key);
        }
        for keys in executed.values_mut() {
            keys.sort();
        }
        executed
    }

    /// The queries that ran since the last look, in order: as the engine names them, and by name with their full keys.
    #[allow(dead_code, reason = "the benches predict nothing")]
    pub(crate) fn take_full_log(&self) -> Vec<(String, (String, String))> {
        self.take_log(|names| names.with_specs(self.site).with_passages())
    }

    fn take_log(
        &self,
        full: impl FnOnce(Names<'_>) -> Names<'_>,
    ) -> Vec<(String, (String, String))> {
        let log = std::mem::take(&mut *self.executed.lock().unwrap());
        // Asking for the sections must not run anything: whoever drew one had asked before.
        let sections = match log.iter().any(|query| query.starts_with("section_")) {
            true => &sections(&self.db, self.site)[..],
            false => &[],
        };
        assert!(self.executed.lock().unwrap().is_empty());
        let known = self.inputs.all_files().map(|(_, file)| file);
        let names = full(Names::new(&self.db, self.site, known, sections));
        let named = |query: String| {
            let (name, id) = query.trim_end_matches(')').split_once('(').expect(&query);
            let key = names.of(id_of(id)).expect(&query);
            let node = (name.to_owned(), key);
            (query, node)
        };
        log.into_iter().map(named).collect()
    }

    /// The HTML of the page at `path`, as visitors get it.
    #[track_caller]
    pub(crate) fn html(&self, path: &str) -> String {
        page_html(
            &self.db,
            self.site,
            PageId::File(self.file(path)),
            &PageOptions::default(),
        )
        .html
    }

    /// Everything the site shows, by name: every page, the routes, what is wrong and where.
    pub(crate) fn outputs(&self) -> BTreeMap<String, String> {
        let parts = Shown::ALL.into_iter();
        let parts = parts.filter(|part| *part != Shown::Backlinks);
        parts
            .flat_map(|part| part.of(&self.db, self.site))
            .collect()
    }

    /// [`TestSite::outputs`], and what only editors ask for.
    pub(crate) fn outputs_and_backlinks(&self) -> BTreeMap<String, String> {
        let mut outputs = self.outputs();
        outputs.extend(Shown::Backlinks.of(&self.db, self.site));
        outputs
    }
}

/// A part of what a site shows, as those ask for it who read at the same time: requests, the survey of diagnostics, the
/// follower of the search index, an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Every page, as visitors get it.
    Pages,
    /// Addresses and the tree of routes.
    Routes,
    /// What is wrong and where.
    Survey,
    /// What is found, with its vectors.
    Search,
    /// What links to each page.
    Backlinks,
}

impl Shown {
    pub(crate) const ALL: [Self; 5] = [
        Self::Pages,
        Self::Routes,
        Self::Survey,
        Self::Search,
        Self::Backlinks,
    ];

    /// Asks for all of it.
    pub(crate) fn of(self, db: &Database, site: Site) -> BTreeMap<String, String> {
        let mut outputs = BTreeMap::new();
        match self {
            Self::Pages => {
                for (route, page) in &route_table(db, site).pages {
                    let page = page_html(db, site, *page, &PageOptions::default());
                    outputs.insert(format!("digest of {route}"), page.digest.short());
                    outputs.insert(route.to_string(), page.html);
                }
                outputs.extend(rows_pages(db, site));
            }
            Self::Routes => {
                let table = route_table(db, site);
                let mut listed = String::new();
                for (route, page) in &table.pages {
                    listed.push_str(&format!("{route} {}\n", source_of(db, *page)));
                }
                for (address, file) in &table.files {
                    listed.push_str(&format!("{address} {:?}\n", file.digest(db)));
                }
                listed.push_str(&format!(
                    "{:?} {:?} {:?}\n",
                    table.redirects, table.home, table.folders
                ));
                outputs.insert("the route table".to_owned(), listed);
                let derived = format!("{:#?}", derived_config(db, site));
                outputs.insert("the derived configuration".to_owned(), derived);
                let tree = format!("{:#}", routes::routes(db, site));
                outputs.insert("the tree".to_owned(), tree);
                let origins = format!("{:?}", relay_origins(db, site));
                outputs.insert("the origins of the API".to_owned(), origins);
            }
            Self::Survey => {
                let diagnostics = site_diagnostics(db, site);
                outputs.insert("the diagnostics".to_owned(), shown(&diagnostics));
                let reports = reports(db, site)
                    .into_iter()
                    .map(|report| report.text(false));
                outputs.insert("the report".to_owned(), reports.collect());
            }
            Self::Backlinks => {
                for route in route_table(db, site).pages.keys() {
                    let place = LinkedPlace {
                        route: route.clone(),
                        anchor: None,
                    };
                    let links = links_to(db, site, &place).into_iter();
                    let links = links.map(|(file, link)| format!("{} {link:?}\n", file.path(db)));
                    outputs.insert(format!("the links to {route}"), links.collect());
                }
            }
            Self::Search => {
                let manifest = search_manifest(db, site);
                outputs.insert("what is found".to_owned(), format!("{manifest:?}"));
                let routes = route_table(db, site);
                for (route, page) in &routes.pages {
                    outputs.insert(format!("found of {route}"), found_of(db, *page));
                }
                let look = card_look(db, site);
                outputs.insert("the look of cards".to_owned(), format!("{look:?}"));
                for (route, page) in &routes.pages {
                    let card = format!("{:?}", page_card(db, *page));
                    outputs.insert(format!("the card of {route}"), card);
                }
                for path in routes.text_paths() {
                    if let Some(Output::Text(text)) = resolve(&**routes, &path) {
                        let text = machine_text(db, site, text, "https://docs.example");
                        outputs.insert(format!("the text at {path}"), text.unwrap_or_default());
                    }
                }
            }
        }
        for (name, output) in &outputs {
            // What stands for a word is never shown.
            assert!(!output.contains('\u{FDD0}'), "a marker in {name}");
        }
        outputs
    }
}

/// The pages of rows that the pages of a site lead to, and each other, by their addresses.
fn rows_pages(db: &Database, site: Site) -> BTreeMap<String, String> {
    let pages = route_table(db, site).pages.values();
    let linked = pages.flat_map(|page| {
        let (rows, language) = linked_rows(db, *page);
        rows.into_iter()
            .map(move |rows| (rows, language.to_owned()))
    });
    let mut open: Vec<_> = linked.collect();
    let mut found = BTreeMap::new();
    while let Some((rows, language)) = open.pop() {
        let path = rows.path(db, &language);
        if found.contains_key(&path) {
            continue;
        }
        assert_eq!(
            rows_at(db, site, &path),
            Some((rows, language.clone())),
            "{path}"
        );
        let page = rows_html(db, site, rows, &language, &PageOptions::default());
        found.insert(format!("digest of {path}"), page.digest.short());
        found.insert(path, page.html);
        let within = rows_within(db, rows).into_iter();
        open.extend(within.map(|rows| (rows, language.clone())));
    }
    found
}

/// What is found of a page, with digests of its vectors.
fn found_of(db: &Database, page: PageId) -> String {
    let (digest, document) = (search_digest(db, page), search_document(db, page));
    let place = breadcrumbs(db, Site::get(db)).get(&page);
    let blocks = answer_blocks(db, page);
    let markdown = page_markdown(db, page);
    let mut found = format!("{digest:?} {document:?} {place:?} {blocks:?}\n{markdown}\n");
    for (digest, vectors) in page_embeddings(db, page) {
        let bytes: Vec<u8> = vectors
            .iter()
            .flat_map(|one| one.vector.map(|number| number as u8))
            .collect();
        found.push_str(&format!("{digest:?} {:?}\n", ContentHash::of_text(&bytes)));
    }
    found
}

/// Writes what executes into `log`.
fn observer_of(log: Arc<Mutex<Vec<String>>>) -> Observer {
    Box::new(move |event: &QueryEvent| {
        if event.step == Step::Executes {
            log.lock().unwrap().push(event.to_string());
        }
    })
}

/// Where a page comes from: the path of its file, or its operation.
pub(crate) fn source_of(db: &Database, page: PageId) -> String {
    match page {
        PageId::File(file) => file.path(db).to_string(),
        PageId::Generated(page) => {
            let operation = page.operation(db);
            format!("{}#{}", operation.spec(db).path(db), operation.key(db))
        }
    }
}

/// How large the picture in `bytes` is, which the shell reads out of it. Here it is written in words: `640x480` and
/// whatever follows a space.
pub(crate) fn image_size_of(path: &SitePath, bytes: &[u8]) -> Option<ImageSize> {
    if !matches!(path.extension().as_str(), "png" | "svg") {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let (width, height) = text.split(' ').next()?.split_once('x')?;
    Some(ImageSize {
        width: width.parse().ok()?,
        height: height.parse().ok()?,
        is_ratio: false,
    })
}

/// What a file holds, as the shell sees it: pictures are only passed on.
fn state_of(store: &MemoryStore, path: &SitePath, bytes: &[u8]) -> FileState {
    match image_size_of(path, bytes) {
        Some(size) => FileState::Opaque(store.put(bytes), Some(size)),
        None => FileState::Text(bytes.into()),
    }
}

/// The names of the outputs that differ, with the first line in which they do.
pub(crate) fn differences(
    is: &BTreeMap<String, String>,
    should_be: &BTreeMap<String, String>,
) -> String {
    let mut text = String::new();
    let names: BTreeSet<&String> = is.keys().chain(should_be.keys()).collect();
    for name in names {
        match (is.get(name), should_be.get(name)) {
            (Some(is), Some(should_be)) if is == should_be => {}
            (Some(is), Some(should_be)) => {
                let mut lines = is.lines().zip(should_be.lines());
                let line = lines.find(|(a, b)| a != b);
                text.push_str(&format!("{name} differs: {line:?}\n"));
            }
            (is, _) => {
                let word = if is.is_some() {
                    "should not be"
                } else {
                    "is not"
                };
                text.push_str(&format!("{name} {word} there\n"));
            }
        }
    }
    text
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

/// The HTML and the Markdown of the page at `route`.
#[track_caller]
pub(crate) fn html_and_markdown(site: &TestSite, route: &str) -> (String, String) {
    let table = route_table(&site.db, site.site).clone();
    let mut pages = table.pages.iter();
    let (_, page) = pages
        .find(|(known, _)| known.as_str() == route)
        .expect("the page");
    // As it is where no script runs.
    let options = PageOptions {
        is_untrusted: true,
        ..PageOptions::default()
    };
    let html = page_html(&site.db, site.site, *page, &options);
    let markdown = page_markdown(&site.db, *page).to_string();
    (html.html.clone(), markdown)
}
