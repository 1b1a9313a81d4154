//! Large specifications: the cut, a cold set of pages, and one edit until its page is there.
//!
//! The documents are the largest of the corpus in each format; without it the bench says so and measures nothing. Beside
//! each edit stands what it ran.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a bench stands outside the core, and prints"
)]

#[path = "../tests/queries/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod sites;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use queries::data::split::{Format, SplitDocument};
use queries::frame::{PageOptions, page_html};
use queries::navigation::PageId;
use queries::path::SitePath;
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
        let bytes: Arc<[u8]> = bytes.into();
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
        let edited: Arc<[u8]> = edited.into();
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

criterion_group!(benches, cut, edits, cold);
criterion_main!(benches);
