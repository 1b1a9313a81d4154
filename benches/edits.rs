//! Cold builds, and each kind of edit until its page can be served, on generated sites of 1,000 and 10,000 pages.
//!
//! Beside each edit stands the number of queries that ran: the count explains the time.

#![allow(
    missing_docs,
    clippy::print_stderr,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench is read as its output, and needs a clock and a store"
)]

mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queries::content::ContentHash;
use queries::db::Database;
use queries::frame::{PageOptions, page_html};
use queries::inputs::{BUCKETS, FileBucket, Site, SourceFile, bucket_of};
use queries::path::SitePath;
use queries::site::{route_table, site_diagnostics};
use queries::store::ContentStore;
use salsa::{Durability, Setter};

const SEED: u64 = 7;

#[derive(Default)]
struct Store(Mutex<BTreeMap<ContentHash, Arc<[u8]>>>);

impl ContentStore for Store {
    fn bytes(&self, digest: ContentHash) -> Option<Arc<[u8]>> {
        self.0.lock().unwrap().get(&digest).cloned()
    }
}

struct Bench {
    db: Database,
    site: Site,
    store: Arc<Store>,
    files: BTreeMap<String, (SourceFile, String)>,
    executed: Arc<AtomicUsize>,
}

impl Bench {
    fn new(files: &[(String, String)]) -> Self {
        let store = Arc::new(Store::default());
        let executed = Arc::new(AtomicUsize::new(0));
        let counter = executed.clone();
        let observer = Box::new(move |_: &str| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let db = Database::new(store.clone(), Some(observer));
        let mut buckets: Vec<Vec<SourceFile>> = vec![Vec::new(); BUCKETS];
        let mut known = BTreeMap::new();
        let mut sorted: Vec<_> = files.iter().collect();
        sorted.sort();
        for (path, text) in sorted {
            let site_path = SitePath::new(path).unwrap();
            let digest = put(&store, text);
            let file = SourceFile::builder(site_path.clone(), digest)
                .durability(Durability::HIGH)
                .new(&db);
            buckets[bucket_of(&site_path)].push(file);
            known.insert(path.clone(), (file, text.clone()));
        }
        let buckets = buckets.into_iter().map(|files| {
            FileBucket::builder(files)
                .durability(Durability::HIGH)
                .new(&db)
        });
        let buckets = buckets.collect();
        let site = Site::builder(buckets, String::new())
            .durability(Durability::HIGH)
            .new(&db);
        Self {
            db,
            site,
            store,
            files: known,
            executed,
        }
    }

    fn page(&self, n: usize) -> usize {
        let file = self.files[&format!("{}.mdx", support::path(n))].0;
        page_html(&self.db, self.site, file, &PageOptions::default())
            .html
            .len()
    }

    fn all_pages(&self) -> usize {
        let pages = &route_table(&self.db, self.site).pages;
        let options = PageOptions::default();
        pages
            .values()
            .map(|file| page_html(&self.db, self.site, *file, &options).html.len())
            .sum()
    }

    fn edit(&mut self, path: &str, change: impl Fn(&str) -> String) {
        let (file, text) = &self.files[path];
        let digest = put(&self.store, &change(text));
        file.set_digest(&mut self.db)
            .with_durability(Durability::LOW)
            .to(digest);
    }

    /// Times `edit` and `ask`, alternating two contents so that every round changes something.
    fn rounds(
        &mut self,
        rounds: u64,
        path: &str,
        change: impl Fn(&str, u64) -> String,
        ask: impl Fn(&Self),
    ) -> Duration {
        // The first edit lowers the file; it is paid once a session.
        self.edit(path, |text| change(text, u64::MAX));
        ask(self);
        let mut total = Duration::ZERO;
        for round in 0..rounds {
            let started = Instant::now();
            self.edit(path, |text| change(text, round));
            ask(self);
            total += started.elapsed();
        }
        total
    }

    fn count(
        &mut self,
        path: &str,
        change: impl Fn(&str, u64) -> String,
        ask: impl Fn(&Self),
    ) -> usize {
        self.edit(path, |text| change(text, u64::MAX - 1));
        ask(self);
        self.executed.store(0, Ordering::Relaxed);
        self.edit(path, |text| change(text, u64::MAX - 2));
        ask(self);
        self.executed.load(Ordering::Relaxed)
    }
}

fn put(store: &Store, text: &str) -> ContentHash {
    let digest = ContentHash::of(text.as_bytes());
    store
        .0
        .lock()
        .unwrap()
        .insert(digest, Arc::from(text.as_bytes()));
    digest
}

fn cold(c: &mut Criterion) {
    let mut group = c.benchmark_group("build[cold]");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    for pages in [1_000, 10_000] {
        let files = support::site(pages, SEED);
        let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_with_input(
            BenchmarkId::new("every page, one thread", pages),
            &files,
            |b, files| {
                b.iter_with_large_drop(|| {
                    let bench = Bench::new(files);
                    assert!(bench.all_pages() > bytes);
                    bench
                });
            },
        );
        group.bench_with_input(
            BenchmarkId::new("floor: Markdown alone", pages),
            &files,
            |b, files| {
                b.iter(|| {
                    let mut html = String::new();
                    let options = pulldown_cmark::Options::ENABLE_TABLES;
                    for (_, text) in files {
                        html.clear();
                        pulldown_cmark::html::push_html(
                            &mut html,
                            pulldown_cmark::Parser::new_ext(text, options),
                        );
                        black_box(&html);
                    }
                });
            },
        );
    }
    group.finish();
}

type Change = fn(&str, u64) -> String;

fn edits(c: &mut Criterion) {
    let kinds: [(&str, Change); 4] = [
        ("words", |text, n| format!("{text}\nNew words {n}.\n")),
        ("heading", |text, n| format!("{text}\n## New heading {n}\n")),
        ("link", |text, n| {
            format!("{text}\n[link {n}](/{})\n", support::path(n as usize % 900))
        }),
        ("title", |text, n| {
            text.replacen("title: \"Page", &format!("title: \"New {n}"), 1)
        }),
    ];
    for pages in [1_000, 10_000] {
        let files = support::site(pages, SEED);
        let mut bench = Bench::new(&files);
        assert!(bench.all_pages() > 0 && site_diagnostics(&bench.db, bench.site).is_empty());
        let path = format!("{}.mdx", support::path(123));
        let mut group = c.benchmark_group(format!("edit[incremental]/{pages} pages"));
        for (kind, change) in kinds {
            let page = |bench: &Bench| {
                assert!(bench.page(123) > 5_000);
            };
            let ran = bench.count(&path, change, page);
            eprintln!("{kind}: {ran} queries until the page can be served");
            group.bench_function(format!("{kind} → page"), |b| {
                b.iter_custom(|rounds| bench.rounds(rounds, &path, change, page));
            });
        }
        let everything = |bench: &Bench| {
            assert!(bench.page(123) > 5_000);
            assert!(site_diagnostics(&bench.db, bench.site).is_empty());
        };
        let ran = bench.count(&path, kinds[0].1, everything);
        eprintln!("words: {ran} queries until the whole site is checked");
        group.bench_function("words → page, whole site checked", |b| {
            b.iter_custom(|rounds| bench.rounds(rounds, &path, kinds[0].1, everything));
        });
        let colour: Change = |text, n| text.replace("#0a7a5a", &format!("#{:06x}", n % 0xff_ffff));
        let first = |bench: &Bench| {
            assert!(bench.page(123) > 5_000);
        };
        let ran = bench.count("docs.json", colour, first);
        eprintln!("colour in docs.json: {ran} queries until a page can be served");
        group.bench_function("colour in docs.json → page", |b| {
            b.iter_custom(|rounds| bench.rounds(rounds, "docs.json", colour, first));
        });
        group.bench_function("page added → served", |b| {
            b.iter_custom(|rounds| {
                let mut total = Duration::ZERO;
                for round in 0..rounds {
                    let site_path =
                        SitePath::new(&format!("added/page-{round}-{}.mdx", bench.files.len()))
                            .unwrap();
                    let started = Instant::now();
                    let digest = put(&bench.store, "# Added\n");
                    let file = SourceFile::builder(site_path.clone(), digest)
                        .durability(Durability::HIGH)
                        .new(&bench.db);
                    let bucket = bench.site.buckets(&bench.db)[bucket_of(&site_path)];
                    let before = bucket.files(&bench.db).clone();
                    let mut files = before.clone();
                    let at = files.partition_point(|other| other.path(&bench.db) < &site_path);
                    files.insert(at, file);
                    bucket.set_files(&mut bench.db).to(files);
                    let page = page_html(&bench.db, bench.site, file, &PageOptions::default());
                    assert!(page.html.contains("Added"));
                    total += started.elapsed();
                    bucket.set_files(&mut bench.db).to(before);
                }
                total
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    targets = cold, edits
}
criterion_main!(benches);
