//! Large specifications: the cut, a cold set of pages, and one edit until its page is there.
//!
//! The documents are the largest of the corpus in each format; without it the bench says so and measures nothing. Beside
//! each edit stands what it ran. Pages that name their operations are generated.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a bench stands outside the core, and prints"
)]

#[path = "../tests/random_numbers.rs"]
mod random_numbers;
#[path = "support/unions.rs"]
mod unions;

#[path = "../tests/queries/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod sites;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use base::data::split::{Format, SplitDocument};
use base::path::SitePath;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use queries::base::content::TextBytes;
use queries::frame::{PageOptions, page_html};
use queries::navigation::PageId;
use queries::site::route_table;

use sites::TestSite;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A document, and the edits that are measured: an operation's own words, and those of a schema that many operations reach.
struct Case {
    file: &'static str,
    operation: (&'static str, &'static str),
    schema: (&'static str, &'static str),
}

fn document(file: &str) -> Option<Vec<u8>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let shared = std::env::var_os("QUIRE_SHARED").map_or_else(beside, PathBuf::from);
    let path = shared.join("corpus/openapi").join(file);
    let bytes = std::fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("SKIPPED {file}: no corpus; set QUIRE_SHARED");
    }
    bytes
}

fn docs(file: &str) -> String {
    format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7a5a"}}, "navigation": {{"groups": [{{"group": "API", "openapi": "{file}"}}]}}}}"##
    )
}

fn site(file: &str, bytes: &[u8]) -> TestSite {
    TestSite::new(&[("docs.json", docs(file).as_bytes()), (file, bytes)])
}

fn html(site: &TestSite, page: PageId) -> String {
    page_html(&site.db, site.site, page, &PageOptions::default()).html
}

fn all_pages(site: &TestSite) -> (usize, usize) {
    let table = route_table(&site.db, site.site).clone();
    let bytes: usize = table
        .pages
        .values()
        .map(|page| html(site, *page).len())
        .sum();
    (table.pages.len(), bytes)
}

fn cut(c: &mut Criterion) {
    let mut group = c.benchmark_group("spec[cut]");
    for file in ["github-api.json", "openai.yaml"] {
        let Some(bytes) = document(file) else {
            continue;
        };
        let bytes: TextBytes = bytes.into();
        let path = SitePath::new(file).unwrap();
        let format = Format::of(&path).unwrap();
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.sample_size(20);
        group.bench_function(file, |b| {
            b.iter(|| {
                SplitDocument::split(&path, format, black_box(bytes.clone()))
                    .slices
                    .len()
            });
        });
        let before = SplitDocument::split(&path, format, bytes.clone());
        let text = String::from_utf8_lossy(&bytes);
        let at = text.match_indices("escription").nth(400).unwrap().0 + 14;
        let mut edited = bytes.to_vec();
        edited.splice(at..at, *b"New words. ");
        let edited: TextBytes = edited.into();
        group.bench_function(format!("{file}, one edit followed"), |b| {
            b.iter(|| {
                let after = before.edited(black_box(edited.clone()));
                assert_eq!(after.slices.len(), before.slices.len());
                after
            });
        });
    }
    group.finish();
}

fn cold(c: &mut Criterion) {
    let mut group = c.benchmark_group("spec[cold]");
    group.sample_size(10);
    for file in [
        "github-api.json",
        "openai.yaml",
        "od-telnyx.json",
        "twilio-api-v2010.yaml",
    ] {
        let Some(bytes) = document(file) else {
            continue;
        };
        let (pages, html) = all_pages(&site(file, &bytes));
        eprintln!("{file}: {pages} pages, {html} bytes of HTML");
        group.bench_function(file, |b| {
            b.iter_batched(
                || (),
                |()| assert_eq!(all_pages(&site(file, &bytes)).0, pages),
                BatchSize::PerIteration,
            );
        });
    }
    // A shape that costs more than its length: `QUIRE_UNIONS=FILE` writes the document there, for a build by the program.
    let file = "unions.yaml";
    let text = unions::unions(402, 1);
    if let Some(path) = std::env::var_os("QUIRE_UNIONS") {
        std::fs::write(path, &text).unwrap();
    }
    let (pages, html) = all_pages(&site(file, text.as_bytes()));
    eprintln!("{file}: {pages} pages, {html} bytes of HTML");
    group.bench_function(file, |b| {
        b.iter_batched(
            || (),
            |()| assert_eq!(all_pages(&site(file, text.as_bytes())).0, pages),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn edits(c: &mut Criterion) {
    let cases = [
        Case {
            file: "github-api.json",
            operation: (
                "Lists all public repositories",
                "Lists every public repository",
            ),
            schema: (
                "\"simple-user\":{\"description\":\"A GitHub user.\"",
                "\"simple-user\":{\"description\":\"A person on GitHub.\"",
            ),
        },
        Case {
            file: "openai.yaml",
            operation: (
                "Creates an embedding vector representing the input text.",
                "Makes an embedding vector of the input text.",
            ),
            schema: (
                "The object type, which is always \"embedding\"",
                "The type of the object, always \"embedding\"",
            ),
        },
    ];
    let mut group = c.benchmark_group("spec[edit to page]");
    for case in cases {
        let Some(bytes) = document(case.file) else {
            continue;
        };
        let text = String::from_utf8(bytes).unwrap();
        for (what, (from, to)) in [("an operation", case.operation), ("a schema", case.schema)] {
            let Some(at) = text.find(from) else {
                eprintln!("SKIPPED {}: `{from}` is not in it", case.file);
                continue;
            };
            let mut edited = text.clone();
            edited.replace_range(at..at + from.len(), to);
            let mut site = site(case.file, text.as_bytes());
            all_pages(&site);
            let table = route_table(&site.db, site.site).clone();
            let changed: Vec<PageId> = {
                let before: Vec<String> = table
                    .pages
                    .values()
                    .map(|page| html(&site, *page))
                    .collect();
                site.set(case.file, &edited);
                let after = table.pages.values().map(|page| (*page, html(&site, *page)));
                let pages = after
                    .zip(before)
                    .filter(|((_, after), before)| after != before);
                pages.map(|((page, _), _)| page).collect()
            };
            let page = *changed.first().expect("the edit shows on a page");
            site.take();
            site.set(case.file, &text);
            html(&site, page);
            eprintln!(
                "{}, {what}: {} pages show it; until the first is there: {}",
                case.file,
                changed.len(),
                site.take()
            );
            for page in table.pages.values() {
                html(&site, *page);
            }
            eprintln!("    until all are: {}", site.take());
            let mut is_edited = false;
            group.bench_function(format!("{}, {what}", case.file), |b| {
                b.iter(|| {
                    is_edited = !is_edited;
                    site.set(case.file, if is_edited { &edited } else { &text });
                    black_box(html(&site, page))
                });
            });
        }
    }
    group.finish();
}

/// A site of `count` pages in one group, each of which names an operation if they are bound, and a second group without any.
fn bound_site(count: usize, are_bound: bool) -> TestSite {
    let mut spec = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths:\n".to_owned();
    let mut files = Vec::new();
    for n in 0..count {
        spec += &format!("  /r{n}:\n    get:\n      summary: Summary {n}\n");
        let text = match are_bound {
            true => format!("---\nopenapi: \"GET /r{n}\"\n---\n\nWords.\n"),
            false => format!("---\ntitle: \"GET /r{n}\"\n---\n\nWords.\n"),
        };
        files.push((format!("r/r{n}.mdx"), text));
    }
    files.push(("api.yaml".to_owned(), spec));
    files.push(("index.mdx".to_owned(), "Hello.\n".to_owned()));
    files.push(("docs.json".to_owned(), bound_docs(count, "R", "Start")));
    TestSite::new(&files)
}

fn bound_docs(count: usize, bound: &str, other: &str) -> String {
    let pages: Vec<String> = (0..count).map(|n| format!("\"r/r{n}\"")).collect();
    let pages = pages.join(", ");
    format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7a5a"}}, "navigation": {{"tabs": [
            {{"tab": "Home", "groups": [{{"group": "{other}", "pages": ["index"]}}]}},
            {{"tab": "API", "groups": [{{"group": "{bound}", "pages": [{pages}]}}]}}]}}}}"##
    )
}

/// A label of the navigation, until a page and all addresses are there: of the group that lists the pages, whose
/// sidebar shows all of them, and of another one. Beside it the same site whose pages name nothing: what the list costs.
fn labels(c: &mut Criterion) {
    let mut group = c.benchmark_group("spec[label to page]");
    let sizes = [500, 1_000, 2_000, 4_000];
    for (count, are_bound) in sizes
        .iter()
        .flat_map(|count| [(*count, true), (*count, false)])
    {
        let mut site = bound_site(count, are_bound);
        all_pages(&site);
        let edited = PageId::File(site.file("r/r7.mdx"));
        let home = PageId::File(site.file("index.mdx"));
        let mut n = 0;
        let mut edit = |site: &mut TestSite, is_own: bool| {
            n += 1;
            let label = format!("Label {n}");
            let (docs, page) = match is_own {
                true => (bound_docs(count, &label, "Start"), edited),
                false => (bound_docs(count, "R", &label), home),
            };
            site.set("docs.json", docs);
            let pages = route_table(&site.db, site.site).pages.len();
            assert_eq!(pages, count + 1);
            assert!(html(site, page).contains(&label));
        };
        let kind = if are_bound { "bound" } else { "plain" };
        for (what, is_own) in [("another group", false), ("their group", true)] {
            for which in ["first", "then"] {
                site.take();
                edit(&mut site, is_own);
                eprintln!("{count} {kind} pages, {what}, {which}: {}", site.take());
            }
            group.bench_function(format!("{count} {kind} pages, {what}"), |b| {
                b.iter(|| edit(&mut site, is_own));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, cut, edits, labels, cold);
criterion_main!(benches);
