//! Large results are let go of while readers ask for them: requests, the search index and the survey of diagnostics at once.
//! Whatever was found, drawn or forgotten meanwhile, the site shows what a clean build shows.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use queries::base::path::SitePath;
use queries::db::Step;
use queries::frame::{PageOptions, page_html};
use queries::search::{page_embeddings, search_document, search_manifest};
use queries::site::{route_table, site_diagnostics};
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_engine::publish::Publisher;
use quire_source::sources::FileState;
use quire_storage::store::Store;

const PAGES: usize = 24;

fn change(path: &str, text: &str) -> FileChange {
    FileChange {
        path: SitePath::new(path).expect("a path"),
        state: FileState::Text(text.into()),
    }
}

/// A page that makes use of everything: imports, pictures, code by lexers and by grammars, formulas, links.
fn page(n: usize, edit: usize) -> String {
    let fence = match n % 3 {
        0 => format!("```makefile\nall: {edit}\n\techo $(HOME)\n```\n"),
        1 => "```perl\nmy $b = 2;\n```\n\n```js\nlet a = 1\n```\n".to_owned(),
        _ => "It is $x^2$.\n".to_owned(),
    };
    let next = (n + 1) % PAGES;
    format!(
        "---\ntitle: Page {n}\n---\nimport Note from '/snippets/note.mdx'\n\n# Words {edit}\n\n<Note/>\n\n\
         [next](/page-{next}#words-{edit}) ![spoon](/spoon.png)\n\n{fence}"
    )
}

fn api(edit: usize) -> String {
    let operation = |n: usize| {
        format!(
            r##""/things/{n}": {{"get": {{"summary": "Thing {n}", "description": "Edit {edit}.\n\n```makefile\nall:\n\techo {n}\n```",
            "responses": {{"200": {{"description": "ok", "content": {{"application/json": {{"schema":
            {{"$ref": "#/components/schemas/Thing"}}}}}}}}}}}}}}"##
        )
    };
    let operations: Vec<String> = (0..6).map(operation).collect();
    format!(
        r##"{{"openapi": "3.1.0", "info": {{"title": "Things", "version": "1"}}, "paths": {{{}}},
        "components": {{"schemas": {{"Thing": {{"type": "object", "description": "```perl\nmy $a;\n```",
        "properties": {{"name": {{"type": "string"}}}}}}}}}}}}"##,
        operations.join(",")
    )
}

fn files() -> BTreeMap<String, String> {
    let docs = r##"{"name": "Site", "theme": "mint", "colors": {"primary": "#0a7a5a"}, "navigation": {"tabs": [
        {"tab": "Guides", "pages": ["page-0", "page-1", "model", "send"]}, {"tab": "API", "openapi": "api.json"}]}}"##;
    let api = api(0);
    let own = [
        ("docs.json", docs),
        ("api.json", &api),
        ("snippets/note.mdx", "Ask at the desk.\n"),
        ("model.mdx", "---\nopenapi-schema: Thing\n---\n"),
        (
            "send.mdx",
            "---\napi: POST https://api.example.org/send\n---\n\nText.\n",
        ),
    ];
    let own = own.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let pages = (0..PAGES).map(|n| (format!("page-{n}.mdx"), page(n, 0)));
    own.into_iter().chain(pages).collect()
}

/// Everything that the site shows.
fn shown(host: &SiteHost) -> Vec<(String, String)> {
    let shown = host.read(|db, site| {
        let table = route_table(db, site).clone();
        let mut shown: Vec<(String, String)> = Vec::new();
        for (route, page) in &table.pages {
            let html = page_html(db, site, *page, &PageOptions::default()).html;
            let found = search_document(db, *page);
            let vectors: Vec<String> = page_embeddings(db, *page)
                .iter()
                .map(|(digest, vectors)| format!("{digest:?} {}", vectors.len()))
                .collect();
            shown.push((route.to_string(), format!("{html}\n{found:?}\n{vectors:?}")));
        }
        let diagnostics = format!("{:?}", site_diagnostics(db, site));
        shown.push(("diagnostics".to_owned(), diagnostics));
        shown
    });
    shown.expect("no fault")
}

/// A host whose caches hold one result of each kind.
fn forgetful(store: Arc<Store>) -> SiteHost {
    let options = HostOptions {
        store,
        cache_capacity: Some(1),
        ..HostOptions::default()
    };
    SiteHost::new("", options)
}

/// Reads in a loop until told to stop; returns the first fault.
fn reader(host: &SiteHost, stop: &AtomicBool, kind: usize) -> Result<(), String> {
    while !stop.load(Ordering::Relaxed) {
        let answer = host.read(|db, site| match kind {
            0 | 1 => {
                for page in route_table(db, site).pages.values() {
                    page_html(db, site, *page, &PageOptions::default());
                }
            }
            2 => {
                search_manifest(db, site);
                for page in route_table(db, site).pages.values() {
                    search_document(db, *page);
                }
            }
            _ => drop(site_diagnostics(db, site)),
        });
        answer.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// One run: four readers, and a writer that lets go of results after each edit.
fn run(store: &Arc<Store>, seed: usize) {
    let host = forgetful(store.clone());
    let mut files = files();
    host.apply(files.iter().map(|(path, text)| change(path, text)));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|kind| {
                let (host, stop) = (&host, &stop);
                scope.spawn(move || reader(host, stop, kind))
            })
            .collect();
        for step in 0..12 {
            host.evict();
            let n = (seed * 7 + step * 5) % PAGES;
            let (path, text) = match step % 4 {
                0 => ("api.json".to_owned(), api(seed + step)),
                _ => (format!("page-{n}.mdx"), page(n, seed + step)),
            };
            if step % 4 == 3 {
                host.promote();
            } else {
                host.apply([change(&path, &text)]);
                files.insert(path, text);
            }
            host.evict();
        }
        stop.store(true, Ordering::Relaxed);
        for reader in readers {
            assert_eq!(
                reader.join().expect("no panic of its own"),
                Ok(()),
                "run {seed}"
            );
        }
    });
    let is = shown(&host);
    host.evict();
    let clean = SiteHost::new("", HostOptions::default());
    clean.apply(files.iter().map(|(path, text)| change(path, text)));
    for ((route, is), (other, clean)) in is.iter().zip(shown(&clean)) {
        assert_eq!(*route, other, "run {seed}");
        assert!(*is == clean, "run {seed}: {route} differs");
    }
}

/// `QUIRE_EVICTION_RUNS=200` runs longer. Artifacts are cold in the first run, half warm after it (other edits), and warm when
/// a run is repeated.
#[test]
fn readers_never_meet_a_fault_while_results_are_let_go_of() {
    let wanted = std::env::var("QUIRE_EVICTION_RUNS").ok();
    let runs = wanted.map_or(12, |runs| runs.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a folder");
    for seed in 0..runs {
        if seed % 8 == 0 {
            // A store that knows nothing, now and then.
            let cold = tempfile::tempdir().expect("a folder");
            run(&Store::open(cold.path()), seed);
        }
        let store = Store::open(folder.path());
        run(&store, seed / 2);
        store.flush();
    }
}

/// Where nothing is edited no write lets go of anything.
#[test]
fn a_site_that_is_read_from_end_to_end_is_not_held_as_a_whole() {
    const MANY: usize = 1100;
    let drawn = Arc::new(AtomicUsize::new(0));
    let counted = drawn.clone();
    let options = HostOptions {
        observer: Some(Box::new(move |event| {
            if event.step == Step::Executes && event.to_string().starts_with("page_body(") {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        })),
        cache_capacity: Some(8),
        ..HostOptions::default()
    };
    let host = Arc::new(SiteHost::new("", options));
    host.apply((0..MANY).map(|n| change(&format!("page-{n}.mdx"), &format!("words {n}"))));
    let publisher = Publisher::new(host.clone(), PageOptions::default(), Arc::default());
    let snapshot = publisher.snapshot();
    for (route, page) in &snapshot.routes.pages {
        publisher.page(&snapshot, route, *page).expect("a page");
    }
    assert_eq!(drawn.swap(0, Ordering::Relaxed), MANY);
    for page in snapshot.routes.pages.values() {
        let page = host.read(|db, site| page_html(db, site, *page, &PageOptions::default()));
        page.expect("a page");
    }
    let held = MANY - drawn.load(Ordering::Relaxed);
    assert!(held < 100, "{held} pages are held");
}
