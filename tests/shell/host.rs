//! Readers and a writer of one site at the same time: every question is answered.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use queries::base::path::SitePath;
use queries::frame::{PageOptions, page_html};
use queries::site;
use quire_engine::host::{FileChange, HostOptions, ReadError, SiteHost, Stop};
use quire_engine::meter::{self, Meter};
use quire_source::sources::FileState;

fn change(path: &str, text: String) -> FileChange {
    FileChange {
        path: SitePath::new(path).expect("a path"),
        state: FileState::Text(text.into()),
    }
}

/// A host with 600 pages, more than are asked for between two evictions.
fn many_pages() -> SiteHost {
    let host = SiteHost::new("", HostOptions::default());
    let page = |n: usize| format!("---\ntitle: Page {n}\n---\n\nWords.\n");
    host.apply((0..600).map(|n| change(&format!("page-{n}.mdx"), page(n))));
    host
}

#[test]
fn work_that_is_told_to_stop_asks_no_more() {
    let host = many_pages();
    let routes = |db: &site::Database, site| site::route_table(db, site).pages.len();
    let stop = Arc::new(Stop::default());
    assert_eq!(stop.stopping(|| host.read(routes)), Ok(600));
    stop.stop();
    let stopped = stop.stopping(|| host.read(routes));
    assert!(
        matches!(stopped, Err(ReadError::Cancelled(_))),
        "{stopped:?}"
    );
    // The rest of the thread goes on, and so does everybody else.
    assert_eq!(host.read(routes), Ok(600));
}

#[test]
fn a_question_that_is_told_to_stop_ends_between_two_queries() {
    let host = many_pages();
    let stop = Arc::new(Stop::default());
    let asked = AtomicUsize::new(0);
    let stopped = stop.stopping(|| {
        host.read(|db, site| {
            stop.stop();
            let routes = site::route_table(db, site);
            asked.fetch_add(1, Ordering::Relaxed);
            routes.pages.len()
        })
    });
    assert!(
        matches!(stopped, Err(ReadError::Cancelled(_))),
        "{stopped:?}"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}

#[test]
fn all_threads_of_work_are_told_to_stop() {
    let host = many_pages();
    let items: Vec<usize> = (0..2000).collect();
    let stop = Arc::new(Stop::default());
    let asked = AtomicUsize::new(0);
    let stopped = stop.on_drop();
    let stopped = Mutex::new(Some(stopped));
    let answers = stop.stopping(|| {
        host.read_all(&items, |db, site, item| {
            asked.fetch_add(1, Ordering::Relaxed);
            if *item == 5 {
                // Whoever waited for it goes away.
                *stopped.lock().expect("unpoisoned") = None;
            }
            site::route_table(db, site).pages.len()
        })
    });
    assert_eq!(answers.len(), items.len());
    let refused = answers.iter().filter(|answer| answer.is_err()).count();
    assert!(refused > 1900, "{refused}");
    assert!(asked.load(Ordering::Relaxed) < 100);
}

/// Readers wait for one another when they ask for the same; one that a write sends away sends the others away too, and all
/// of them ask again.
#[test]
fn a_write_fails_no_reader() {
    let host = SiteHost::new("", HostOptions::default());
    let words = "Some words with `code` and *emphasis*, and [a link](/page-1).\n\n".repeat(60);
    let page = |edit: usize| format!("---\ntitle: Page {edit}\n---\n\n{words}Edit {edit}.\n");
    host.apply((0..40).map(|n| change(&format!("page-{n}.mdx"), page(0))));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0;
                    while !stop.load(Ordering::Relaxed) {
                        let drawn = host.read(|db, site| {
                            let pages = site::route_table(db, site).pages.values();
                            let pages = pages
                                .map(|page| page_html(db, site, *page, &PageOptions::default()));
                            pages.map(|page| page.html.len()).sum::<usize>()
                        });
                        assert!(drawn.is_ok(), "{drawn:?}");
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        for edit in 1..=400 {
            // All pages at once, so that every reader has the same to do.
            host.apply((0..40).map(|n| change(&format!("page-{n}.mdx"), page(edit))));
        }
        stop.store(true, Ordering::Relaxed);
        let answered: usize = readers
            .into_iter()
            .map(|reader| reader.join().expect("answered"))
            .sum();
        assert!(answered > 0);
    });
}

/// What an edit cost is counted by what ran for it: a search index that follows the edit before must not run it first.
#[test]
fn what_runs_beside_edits_computes_nothing_of_one_that_goes_ahead() {
    let meter = Arc::new(Meter::default());
    let options = HostOptions {
        observer: Some(meter.observer()),
        ..HostOptions::default()
    };
    let host = SiteHost::new("", options);
    let pages = || {
        host.read(|db, site| site::route_table(db, site).pages.len())
            .expect("answered")
    };
    for count in 1..=50 {
        let (begin, begun) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let (beside, before) = host.run_foreground(|| {
                let before = meter.executed();
                host.apply([change(&format!("page-{count}.mdx"), String::new())]);
                let beside = scope.spawn(|| {
                    meter::in_background(|| {
                        begin.send(()).expect("somebody waits");
                        pages()
                    })
                });
                begun.recv().expect("it begins");
                std::thread::yield_now();
                assert_eq!(pages(), count);
                (beside, before)
            });
            assert!(meter.executed() - before >= 2, "page {count}");
            assert_eq!(beside.join().expect("answered"), count);
        });
    }
}
