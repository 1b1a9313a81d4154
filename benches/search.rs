//! What makes pages findable: the text of drawn HTML in MB/s, vectors of passages a second, and the memory of both.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a bench stands outside of the core: it reads real sites and says what it measures"
)]

#[path = "support/corpus.rs"]
mod corpus;
#[path = "../tests/queries/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod sites;
mod support;

use std::hint::black_box;
use std::time::Duration;

use base::path::SitePath;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use embedding::Embedder;
use queries::search::html::passages;
use queries::search::{page_embeddings, search_manifest};
use queries::site::route_table;
use theme::icon_library::Library;
use theme::prose::{By, text_body};

use sites::TestSite;

/// About as long as a section of documentation: a hundred words of real pages each.
fn chunks(bodies: &[String]) -> Vec<String> {
    let text: Vec<String> = (bodies.iter())
        .flat_map(|html| passages(html))
        .map(|passage| passage.body)
        .collect();
    let text = text.join(" ");
    let words: Vec<&str> = text.split_whitespace().take(1_000_000).collect();
    words.chunks(75).map(|words| words.join(" ")).collect()
}

fn text(c: &mut Criterion) {
    let path = SitePath::new("page.mdx").unwrap();
    let pages = corpus::pages();
    let bodies: Vec<String> = (pages.iter())
        .map(|page| text_body(&path, page, "", Library::default(), By::Author).html)
        .collect();
    let bytes: usize = bodies.iter().map(String::len).sum();
    let found: usize = (bodies.iter())
        .flat_map(|html| passages(html))
        .map(|passage| passage.body.len() + passage.code.len())
        .sum();
    eprintln!("{found} bytes of text in {bytes} bytes of HTML");
    let mut group = c.benchmark_group("search");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("text of HTML", |b| {
        b.iter(|| {
            for html in &bodies {
                black_box(passages(html));
            }
        });
    });
    let chunks = chunks(&bodies);
    let embedder = Embedder::built_in();
    group.throughput(Throughput::Elements(chunks.len() as u64));
    group.bench_function("chunks of 75 words embedded", |b| {
        b.iter(|| {
            let known = chunks.iter().filter(|text| embedder.embed(text).norm > 0.0);
            assert!(known.count() * 10 > chunks.len() * 9);
        });
    });
    let letters: Vec<String> = (chunks.iter())
        .map(|text| text.replace(|c: char| c != ' ', "\u{65e5}"))
        .collect();
    group.bench_function("words alone, none of them known", |b| {
        b.iter(|| {
            for text in &letters {
                black_box(embedder.embed(text));
            }
        });
    });
    group.finish();
}

/// The resident memory of this process in bytes (Linux).
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}

/// What is remembered of a site of 10,000 pages: after all digests, after all vectors.
fn memory(_: &mut Criterion) {
    Embedder::built_in();
    let site = TestSite::unobserved(&support::site(10_000, 1));
    let table = route_table(&site.db, site.site).clone();
    for page in table.pages.values() {
        site.html(page.file().unwrap().path(&site.db).as_str());
    }
    let drawn = resident();
    search_manifest(&site.db, site.site);
    let digests = resident();
    let (mut passages, mut vectors) = (0, 0);
    for page in table.pages.values() {
        for (_, found) in page_embeddings(&site.db, *page) {
            passages += 1;
            vectors += found.len();
        }
    }
    let embedded = resident();
    eprintln!(
        "10,000 pages: {} MB drawn, {} MB with all digests, {} MB with {passages} passages ({vectors} vectors) embedded once",
        drawn >> 20,
        digests >> 20,
        embedded >> 20,
    );
}

criterion_group!(benches, text, memory);
criterion_main!(benches);
