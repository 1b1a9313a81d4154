//! How fast code is colored: MB/s over the fences of real sites, for each language with a lexer, and for all languages
//! of grammars together.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a bench stands outside of the core: it reads real sites and says what it measures"
)]

#[path = "support/corpus.rs"]
mod corpus;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use highlight::{by_grammar, has_grammar, lexer};
use mdx::markdown::{CodeBlockKind, Event, Tag, TagEnd, plain_events};
use theme::fence::language;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Languages with less code than this, in bytes, are not measured by themselves.
const ENOUGH: usize = 6_000;

/// The code of every fence of the corpus, or without it of the fixtures, by language.
fn fences() -> BTreeMap<String, Vec<String>> {
    let mut fences = BTreeMap::new();
    for page in corpus::pages() {
        collect(&page, &mut fences);
    }
    assert!(!fences.is_empty());
    fences
}

fn collect(page: &str, fences: &mut BTreeMap<String, Vec<String>>) {
    let mut open: Option<(String, String)> = None;
    for event in plain_events(page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let name = language(&info).unwrap_or_default().to_lowercase();
                open = Some((name, String::new()));
            }
            Event::Text(text) => {
                if let Some((_, code)) = &mut open {
                    code.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((name, code)) = open.take() {
                    fences.entry(name).or_default().push(code);
                }
            }
            _ => {}
        }
    }
}

fn bytes(codes: &[String]) -> usize {
    codes.iter().map(String::len).sum()
}

fn highlight(c: &mut Criterion) {
    let fences = fences();
    let (mut by_lexers, mut by_grammars, mut plain) = (0, 0, 0);
    for (name, codes) in &fences {
        let size = bytes(codes);
        if lexer(name).is_some() {
            by_lexers += size;
        } else if has_grammar(name) {
            by_grammars += size;
        } else {
            plain += size;
        }
    }
    eprintln!("bytes by lexers {by_lexers}, by grammars {by_grammars}, plain {plain}");

    let mut group = c.benchmark_group("highlight");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(1));
    group.warm_up_time(Duration::from_millis(300));
    for (name, codes) in &fences {
        let Some(lexer) = lexer(name).filter(|_| bytes(codes) >= ENOUGH) else {
            continue;
        };
        group.throughput(Throughput::Bytes(bytes(codes) as u64));
        group.bench_function(BenchmarkId::new("lexer", name), |b| {
            b.iter(|| {
                let spans: usize = codes
                    .iter()
                    .map(|code| lexer.spans(black_box(code)).len())
                    .sum();
                assert!(spans > 0);
                spans
            });
        });
    }
    let grammars: Vec<(&String, &String)> = fences
        .iter()
        .filter(|(name, _)| has_grammar(name))
        .flat_map(|(name, codes)| codes.iter().map(move |code| (name, code)))
        .collect();
    let size: usize = grammars.iter().map(|(_, code)| code.len()).sum();
    if size > 0 {
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function("grammars", |b| {
            b.iter(|| {
                let spans = grammars
                    .iter()
                    .map(|(name, code)| by_grammar(name, black_box(code)).len());
                spans.sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, highlight);
criterion_main!(benches);
