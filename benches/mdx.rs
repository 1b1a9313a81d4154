//! How fast pages are read and drawn: MB/s over the pages of real sites, beside the floor of pulldown-cmark, and the
//! time of elements nested ever deeper.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a bench stands outside of the core: it reads real sites and says what it measures"
)]

#[path = "support/corpus.rs"]
mod corpus;

use std::hint::black_box;
use std::time::Duration;

use base::path::SitePath;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mdx::markdown::plain_events;
use theme::icon_library::Library;
use theme::prose::{By, text_body};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `page` with fences of no language: what it costs without highlighting.
fn without_languages(page: &str) -> String {
    let mut inside = false;
    let line = |line: &str| {
        let start = line.trim_start();
        if !start.starts_with("```") {
            return line.to_owned();
        }
        inside = !inside;
        let ticks = start.len() - start.trim_start_matches('`').len();
        let end = line.len() - start.len() + ticks;
        if inside && !start[ticks..].contains('`') {
            format!("{}text\n", &line[..end])
        } else {
            line.to_owned()
        }
    };
    page.split_inclusive('\n').map(line).collect()
}

fn speed(c: &mut Criterion) {
    let pages = corpus::pages();
    let plain: Vec<String> = pages.iter().map(|page| without_languages(page)).collect();
    let path = SitePath::new("page.mdx").unwrap();
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut group = c.benchmark_group("corpus");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(5))
        .throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("mdx::parse", |b| {
        b.iter(|| {
            for page in &pages {
                let document = mdx::parse(&path, page);
                assert!(document.root.text.len() <= page.len() * 4 + 64);
                black_box(document);
            }
        });
    });
    group.bench_function("floor: pulldown-cmark events", |b| {
        b.iter(|| {
            pages
                .iter()
                .map(|page| plain_events(page).count())
                .sum::<usize>()
        });
    });
    group.bench_function("floor: push_html", |b| {
        b.iter(|| {
            for page in &pages {
                let mut html = String::with_capacity(page.len() * 3 / 2);
                pulldown_cmark::html::push_html(&mut html, plain_events(page));
                black_box(html);
            }
        });
    });
    for (name, pages) in [("body", &pages), ("body, no highlighting", &plain)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                for page in pages {
                    black_box(text_body(&path, page, "", Library::default(), By::Author).html);
                }
            });
        });
    }
    group.finish();
}

/// `depth` elements around each other, each with a line of its own.
fn nested(depth: usize) -> String {
    let mut text = String::new();
    for level in 0..depth {
        text.push_str(&format!(
            "<div id=\"{level}\">\n\nA line *of* level {level}.\n\n"
        ));
    }
    text + &"</div>\n".repeat(depth)
}

fn nesting(c: &mut Criterion) {
    let path = SitePath::new("page.mdx").unwrap();
    let mut group = c.benchmark_group("nested");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    for depth in [25, 50, 100, 200] {
        let text = nested(depth);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("mdx::parse", depth), |b| {
            b.iter(|| {
                let document = mdx::parse(&path, &text);
                assert_eq!(document.nodes.len(), depth);
                document
            });
        });
        group.bench_function(BenchmarkId::new("body", depth), |b| {
            b.iter(|| text_body(&path, &text, "", Library::default(), By::Author).html);
        });
    }
    group.finish();
}

criterion_group!(benches, speed, nesting);
criterion_main!(benches);
