//! The core: a cold build, its floor, and one edit of each kind until the new page is there.
//!
//! Every bench asserts its result inside the timed part, so that it cannot get faster by doing nothing. Beside the edits
//! stands what they ran: the counts explain the times.

#![expect(
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a bench stands outside the core, and prints"
)]

#[path = "../tests/queries/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod sites;
mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queries::navigation::PageId;
use queries::search::{bucket_search, page_embeddings, search_document, search_manifest};
use queries::site::{route_table, site_diagnostics};

use sites::TestSite;
use support::{config, path};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: &[usize] = &[1_000, 10_000];
const SEED: u64 = 1;

fn page_path(n: usize) -> String {
    format!("{}.mdx", path(n))
}

/// Draws every page; returns how many bytes they are.
fn all_pages(site: &TestSite) -> usize {
    let table = route_table(&site.db, site.site);
    let files = table.pages.values();
    files
        .map(|page| {
            site.html(page.file().unwrap().path(&site.db).as_str())
                .len()
        })
        .sum()
}

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("build[cold]");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(5));
    for &pages in SIZES {
        let files = support::site(pages, SEED);
        let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_with_input(BenchmarkId::new("page_html", pages), &files, |b, files| {
            b.iter_batched(
                || TestSite::unobserved(files),
                |site| {
                    assert!(all_pages(&site) > bytes);
                    site
                },
                BatchSize::PerIteration,
            );
        });
        // The least that any builder on this parser must do: no components, no frame, no database.
        group.bench_with_input(
            BenchmarkId::new("floor: push_html", pages),
            &files,
            |b, files| {
                b.iter(|| {
                    let mut html = String::new();
                    for (_, text) in files {
                        html.clear();
                        let parser = pulldown_cmark::Parser::new_ext(
                            text,
                            pulldown_cmark::Options::ENABLE_TABLES,
                        );
                        pulldown_cmark::html::push_html(&mut html, parser);
                        assert!(!black_box(&html).is_empty());
                    }
                });
            },
        );
    }
    group.finish();
}

/// A site that was asked for everything, and whose edited page was edited before.
struct Warm {
    site: TestSite,
    pages: usize,
    edited: String,
    text: String,
    /// Makes every edit another one.
    n: usize,
}

impl Warm {
    fn new(pages: usize) -> Self {
        let site = TestSite::new(&support::site(pages, SEED));
        let edited = page_path(pages / 2);
        let text = site.text(&edited);
        let mut warm = Self {
            site,
            pages,
            edited,
            text,
            n: 0,
        };
        all_pages(&warm.site);
        site_diagnostics(&warm.site.db, warm.site.site);
        search_manifest(&warm.site.db, warm.site.site);
        warm.body();
        site_diagnostics(&warm.site.db, warm.site.site);
        search_manifest(&warm.site.db, warm.site.site);
        warm
    }

    fn body(&mut self) {
        self.n += 1;
        let marker = format!("Marker {}.", self.n);
        self.site
            .set(&self.edited, format!("{}\n{marker}\n", self.text));
        assert!(self.site.html(&self.edited).contains(&marker));
    }

    fn body_and_findings(&mut self) {
        self.body();
        route_table(&self.site.db, self.site.site);
        assert!(site_diagnostics(&self.site.db, self.site.site).is_empty());
    }

    /// As an index follows it: which parts changed, which pages of them, the new document and its vectors.
    fn body_and_search(&mut self) {
        let before = search_manifest(&self.site.db, self.site.site).clone();
        let known: Vec<_> = (self.site.site.buckets(&self.site.db).iter())
            .map(|bucket| bucket_search(&self.site.db, *bucket).digest)
            .collect();
        assert_eq!(before.buckets, known);
        self.body();
        let after = search_manifest(&self.site.db, self.site.site);
        let buckets = self.site.site.buckets(&self.site.db).iter();
        let changed = buckets.zip(before.buckets.iter().zip(&after.buckets));
        let changed: Vec<_> = changed.filter(|(_, (was, is))| was != is).collect();
        assert_eq!(changed.len(), 1);
        let page = PageId::File(self.site.file(&self.edited));
        let found = bucket_search(&self.site.db, *changed[0].0);
        assert!(found.pages.values().any(|found| found.page == page));
        let document = search_document(&self.site.db, page).unwrap();
        let marker = format!("Marker {}.", self.n);
        let mut passages = document.passages.iter();
        assert!(passages.any(|passage| passage.body.contains(&marker)));
        assert!(!page_embeddings(&self.site.db, page).is_empty());
    }

    fn title(&mut self) {
        self.n += 1;
        let title = format!("Title {}", self.n);
        self.site.set(
            &self.edited,
            self.text.replacen("\"Page", &format!("\"{title}"), 1),
        );
        assert!(self.site.html(&self.edited).contains(&title));
        // The neighbor shows it in its sidebar.
        let neighbor = page_path(self.pages / 2 + 1);
        assert!(self.site.html(&neighbor).contains(&title));
    }

    fn add_or_remove(&mut self) {
        let path = "tab-0/group-0/new.mdx";
        let is_there = self.site.exists(path);
        if is_there {
            self.site.remove(path);
        } else {
            self.site.add(path, "# New\n");
        }
        let table = route_table(&self.site.db, self.site.site);
        assert_eq!(table.pages.len(), self.pages + usize::from(!is_there));
        if !is_there {
            assert!(self.site.html(path).contains("New"));
        }
    }

    fn add_or_remove_and_findings(&mut self) {
        self.add_or_remove();
        let found = site_diagnostics(&self.site.db, self.site.site);
        let expected = usize::from(self.site.exists("tab-0/group-0/new.mdx"));
        assert_eq!(found.len(), expected);
    }

    fn color(&mut self) {
        self.n += 1;
        let color = format!("#{:06x}", self.n % 0xff_ffff);
        self.site.set("docs.json", config(self.pages, &color));
        assert!(self.site.html(&self.edited).contains(&color));
    }

    fn nothing(&mut self) {
        // The last edit wrote another text; from then on nothing differs.
        self.site.set(&self.edited, &self.text);
        assert!(self.site.html(&self.edited).contains("</html>"));
    }
}

type Edit = fn(&mut Warm);

const EDITS: &[(&str, Edit)] = &[
    ("body, page", Warm::body),
    ("body, page and findings", Warm::body_and_findings),
    ("body, page and search", Warm::body_and_search),
    ("title, two pages", Warm::title),
    ("add or remove a page", Warm::add_or_remove),
    (
        "add or remove a page, findings",
        Warm::add_or_remove_and_findings,
    ),
    ("color in docs.json, page", Warm::color),
    ("save without change, page", Warm::nothing),
];

fn edits(c: &mut Criterion) {
    let mut group = c.benchmark_group("edit[incremental]");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    for &pages in SIZES {
        let mut warm = Warm::new(pages);
        for (name, edit) in EDITS {
            // Once to leave what the edit before left, once to see what runs.
            edit(&mut warm);
            edit(&mut warm);
            warm.site.take();
            edit(&mut warm);
            eprintln!("{name} at {pages} pages runs: {}", warm.site.take());
            group.bench_function(BenchmarkId::new(*name, pages), |b| {
                b.iter(|| edit(&mut warm));
            });
            warm.site.take();
        }
    }
    group.finish();
}

criterion_group!(benches, build, edits);
criterion_main!(benches);
