//! How long answers, edits and builds of the search index take, on sites made of real pages.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::search::SearchDocument;
use quire_engine::meter::resident_bytes;
use quire_search::index::vectors::nearest::Among;
use quire_search::index::vectors::{QueryVector, Vectors};
use quire_search::index::{ChangedPage, Changes, Embedding, Index, Options, Question};

use crate::judged::{self, SITES};
use crate::meanings::Meanings;
use crate::random_numbers::Random;

/// Real pages and questions.
struct Real {
    documents: Vec<SearchDocument>,
    questions: Vec<String>,
}

/// Pages and questions of the sites of the corpus; none, and says so, without one.
fn real() -> Option<Real> {
    let mut real = Real {
        documents: Vec::new(),
        questions: Vec::new(),
    };
    for name in SITES {
        let Some(site) = judged::site(name) else {
            println!("no corpus: set QUIRE_SHARED");
            return None;
        };
        real.documents
            .extend(site.documents.into_iter().map(|document| {
                // Sites have pages of the same name.
                let route =
                    Route::new(&format!("/{name}{}", document.route.as_str())).expect("a route");
                SearchDocument { route, ..document }
            }));
        real.questions
            .extend(site.questions.into_iter().map(|question| question.query));
    }
    real.questions
        .sort_by_key(|query| *ContentHash::of(query.as_bytes()).as_bytes());
    Some(real)
}

/// How many passages the sites have that are measured.
const PASSAGES: [usize; 2] = [5_000, 100_000];

/// Prints how long answers take.
pub(crate) fn all_answers(meanings: &Meanings) {
    let Some(real) = real() else { return };
    let only = std::env::var("QUIRE_PASSAGES").ok();
    let only: Option<usize> = only.and_then(|passages| passages.parse().ok());
    for passages in only.map_or(PASSAGES.to_vec(), |only| vec![only]) {
        let index = Index::open(None, Options::default()).expect("an index");
        follow(&index, &site_of(&real, passages), meanings);
        println!("\n{passages} passages in {} segments", index.segments().0);
        answers(&index, &real, meanings);
    }
}

/// Prints all figures.
pub(crate) fn latency(meanings: &Meanings) {
    let Some(real) = real() else { return };
    compare(&real, meanings);
    build(&real, meanings);
    for passages in PASSAGES {
        let index = Index::open(None, Options::default()).expect("an index");
        follow(&index, &site_of(&real, passages), meanings);
        println!("\n{passages} passages in {} segments", index.segments().0);
        answers(&index, &real, meanings);
        edits("in memory", &index, &real, passages, meanings);
        let folder = tempfile::tempdir().expect("a folder");
        let index = Index::open(Some(folder.path()), Options::default()).expect("an index");
        follow(&index, &site_of(&real, passages), meanings);
        edits("on disk", &index, &real, passages, meanings);
        index.rest();
        drop(index);
        let start = Instant::now();
        let index = Index::open(Some(folder.path()), Options::default()).expect("an index");
        println!(
            "open and check: {:?}, {} pages, {:.1} MB on disk",
            start.elapsed(),
            index.manifest().len(),
            megabytes(folder.path())
        );
    }
}

fn megabytes(folder: &Path) -> f64 {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    files
        .map(|file| file.metadata().expect("a file").len() as f64 / 1e6)
        .sum()
}

/// A site of at least so many passages: real pages, then copies of them in which one word in twenty is another.
fn site_of(real: &Real, passages: usize) -> Vec<SearchDocument> {
    let words: Vec<&str> = real
        .documents
        .iter()
        .flat_map(|document| document.title.split_whitespace())
        .collect();
    let random = &mut Random::new(7);
    let mut site = Vec::new();
    let mut count = 0;
    for copy in 0.. {
        for document in &real.documents {
            if count >= passages {
                return site;
            }
            let mut document = document.clone();
            if copy > 0 {
                let mut other = |text: &str| {
                    let lines = text.split('\n').map(|line| {
                        let words = line.split(' ').map(|word| {
                            if random.below(20) == 0 {
                                words[random.below(words.len())]
                            } else {
                                word
                            }
                        });
                        words.collect::<Vec<_>>().join(" ")
                    });
                    lines.collect::<Vec<_>>().join("\n")
                };
                document.title = other(&document.title);
                for passage in &mut document.passages {
                    passage.body = other(&passage.body);
                }
                document.route = Route::new(&format!("/copy-{copy}{}", document.route.as_str()))
                    .expect("a route");
            }
            count += document.passages.len();
            site.push(document);
        }
    }
    site
}

fn changed(document: &SearchDocument) -> ChangedPage {
    let digest = ContentHash::of(&serde_json::to_vec(document).expect("json"));
    ChangedPage {
        digest,
        document: Arc::new(document.clone()),
    }
}

fn follow(index: &Index, documents: &[SearchDocument], meanings: &Meanings) -> Duration {
    let changed: Vec<ChangedPage> = documents.iter().map(changed).collect();
    let followed = index.follow(
        &Changes {
            gone: &[],
            changed: &changed,
        },
        |document, i| meanings.passage(document, i),
    );
    followed.expect("followed").took
}

fn build(real: &Real, meanings: &Meanings) {
    let documents = site_of(real, 10_000);
    let changed: Vec<ChangedPage> = documents.iter().map(changed).collect();
    let bytes: usize = documents
        .iter()
        .flat_map(|one| &one.passages)
        .map(|one| one.body.len() + one.code.len())
        .sum();
    let vectors: Vec<Vec<Vec<Embedding>>> = documents
        .iter()
        .map(|one| {
            (0..one.passages.len())
                .map(|i| meanings.passage(one, i))
                .collect()
        })
        .collect();
    let places: std::collections::HashMap<&Route, usize> = documents
        .iter()
        .enumerate()
        .map(|(i, one)| (&one.route, i))
        .collect();
    println!(
        "10,000 passages, {} pages, {:.1} MB of text",
        documents.len(),
        bytes as f64 / 1e6
    );
    let embed = |document: &SearchDocument, i: usize| vectors[places[&document.route]][i].clone();
    for with_vectors in [false, true] {
        for on_disk in [false, true] {
            let folder = tempfile::tempdir().expect("a folder");
            let before = resident_bytes();
            let index =
                Index::open(on_disk.then(|| folder.path()), Options::default()).expect("an index");
            let changes = Changes {
                gone: &[],
                changed: &changed,
            };
            let followed = if with_vectors {
                index.follow(&changes, embed)
            } else {
                index.follow(&changes, |_, _| Vec::new())
            };
            let took = followed.expect("followed").took;
            index.rest();
            let memory = resident_bytes() as f64 - before as f64;
            println!(
                "  vectors {with_vectors}, disk {on_disk}: {took:?}, {:.1} MB of memory more, {:.1} MB on disk",
                memory / 1e6,
                megabytes(folder.path())
            );
        }
    }
}

/// How long it takes to compare a question with the vectors of all passages, beside how long it takes to read as many bytes.
fn compare(real: &Real, meanings: &Meanings) {
    let vectors: Vec<Embedding> = (real.documents.iter())
        .flat_map(|one| (0..one.passages.len()).flat_map(|i| meanings.passage(one, i)))
        .collect();
    let asked: Vec<QueryVector> = (real.questions.iter().take(400))
        .filter_map(|query| Some(QueryVector::from(&meanings.question(query)?)))
        .collect();
    for count in [100_000, 300_000] {
        let mut table = Vectors::default();
        // Pages of five vectors each; copies are not quite the same.
        let random = &mut Random::new(5);
        for i in 0..count {
            let mut vector = vectors[i % vectors.len()].clone();
            for _ in 0..40 {
                vector.vector[random.below(256)] = random.below(255) as i8;
            }
            table.insert((i / 5) as u32, &vector);
        }
        let pages = count / 5;
        let among = Among {
            numbers: pages,
            surely: &[],
            is_wanted: None,
        };
        let words = vec![1_u64; count * 256 / 8];
        let time = |work: &dyn Fn(&QueryVector) -> f32| {
            let times = asked.iter().map(|asked| {
                let start = Instant::now();
                assert!(work(asked) > 0.0);
                start.elapsed()
            });
            percentiles(times.collect())
        };
        let most = |near: Vec<f32>| near.into_iter().fold(0.0, f32::max);
        let all = time(&|asked| most(table.nearest_of_all(asked, pages)));
        let signs = time(&|asked| most(table.nearest_by_signs(asked, &among, count / 50)));
        let read = time(&|_| std::hint::black_box(&words).iter().sum::<u64>() as f32);
        println!("\n{count} vectors of 256 numbers: compared one by one {all}");
        println!("                    by signs first      {signs}");
        println!("                    bytes only read     {read}");
    }
}

/// Median, 99th percentile and maximum.
pub(crate) fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    format!(
        "p50 {:.3} ms, p99 {:.3} ms, most {:.3} ms ({})",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    )
}

fn answers(index: &Index, real: &Real, meanings: &Meanings) {
    let questions = &real.questions[..1000.min(real.questions.len())];
    let short: Vec<String> = questions
        .iter()
        .map(|query| {
            query
                .split_whitespace()
                .take(3)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let mut seed = 0;
    let mistyped: Vec<String> = short
        .iter()
        .filter_map(|query| {
            seed += 1;
            judged::mistyped(query, seed)
        })
        .collect();
    let sets = [
        ("questions", questions),
        ("up to three words", &short[..]),
        ("mistyped", &mistyped[..]),
    ];
    for (name, queries) in sets {
        for semantic in [false, true] {
            let clients = match std::env::var_os("QUIRE_ALONE") {
                Some(_) => &[1][..],
                None => &[1, 8],
            };
            for &clients in clients {
                let times = asked(index, queries, semantic, clients, meanings);
                println!(
                    "{name:18} semantic {semantic:5} {clients} clients: {}",
                    percentiles(times)
                );
            }
        }
    }
}

fn asked(
    index: &Index,
    queries: &[String],
    semantic: bool,
    clients: usize,
    meanings: &Meanings,
) -> Vec<Duration> {
    let client = |client: usize| {
        let mut times = Vec::new();
        let mut found = 0;
        for i in 0..queries.len() {
            let query = &queries[(i + client * 37) % queries.len()];
            let start = Instant::now();
            let vector = if semantic {
                meanings.question(query)
            } else {
                None
            };
            let answer = index.search(&Question {
                query,
                semantic: vector.as_ref(),
                limit: 10,
                ..Question::default()
            });
            times.push(start.elapsed());
            found += usize::from(!answer.results.is_empty());
        }
        assert!(
            found * 10 > queries.len() * 8,
            "{found} of {}",
            queries.len()
        );
        times
    };
    if clients == 1 {
        client(0);
        return client(0);
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients)
            .map(|i| scope.spawn(move || client(i)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("answers"))
            .collect()
    })
}

/// One word of a page is another: how long until that word is found.
fn edits(name: &str, index: &Index, real: &Real, passages: usize, meanings: &Meanings) {
    let mut site = site_of(real, passages);
    let random = &mut Random::new(3);
    let (mut followed, mut found) = (Vec::new(), Vec::new());
    for edit in 0..200 {
        let place = random.below(site.len());
        let document = &mut site[place];
        let Some(passage) = document.passages.first_mut() else {
            continue;
        };
        let word = format!("zq{edit}xj");
        passage.body.push_str(&format!(" {word}"));
        let changed = [changed(document)];
        let start = Instant::now();
        index
            .follow(
                &Changes {
                    gone: &[],
                    changed: &changed,
                },
                |document, i| meanings.passage(document, i),
            )
            .expect("followed");
        followed.push(start.elapsed());
        let answer = index.search(&Question {
            query: &word,
            limit: 10,
            ..Question::default()
        });
        found.push(start.elapsed());
        assert_eq!(answer.results[0].url, document.route);
    }
    println!("edit {name}: followed {}", percentiles(followed));
    println!(
        "edit {name}: found    {}; {:?} segments, deleted entries",
        percentiles(found),
        index.segments()
    );
}
