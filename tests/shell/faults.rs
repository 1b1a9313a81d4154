//! A fault of the program itself: the last good version of a page stays, the others are served, and the fault is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use queries::db::{QueryEvent, Step};
use queries::frame::PageOptions;
use queries::path::{Route, SitePath};
use quire::host::{FileChange, HostOptions, ReadError, SiteHost};
use quire::publish::{PageReply, Publisher};
use quire::sources::FileState;

/// A site whose next page body panics while it is drawn, if `faulty` is set.
struct Faulty {
    publisher: Publisher,
    faulty: Arc<AtomicBool>,
}

impl Faulty {
    fn new() -> Self {
        let faulty = Arc::new(AtomicBool::new(false));
        let asked = faulty.clone();
        // The observer is called within the query that executes: its panic is as good as one of the query.
        let observer = move |event: &QueryEvent| {
            let is_asked = event.step == Step::Executes && asked.load(Ordering::SeqCst);
            assert!(
                !(is_asked && event.to_string().starts_with("page_body")),
                "injected fault"
            );
        };
        let options = HostOptions {
            observer: Some(Box::new(observer)),
            ..HostOptions::default()
        };
        let host = Arc::new(SiteHost::new("", options));
        let options = PageOptions {
            preview_token: None,
            base_url: None,
            search: None,
        };
        let publisher = Publisher::new(host, options, Arc::default());
        let site = Self { publisher, faulty };
        site.write("one.mdx", "---\ntitle: One\n---\n\nfirst-words\n");
        site.write("two.mdx", "---\ntitle: Two\n---\n\ntwo-words\n");
        site
    }

    fn write(&self, path: &str, text: &str) {
        self.publisher.host().apply([FileChange {
            path: SitePath::new(path).expect("a path"),
            state: FileState::Text(Arc::from(text.as_bytes())),
        }]);
        self.publisher.refresh();
    }

    fn page(&self, route: &str) -> Result<Arc<PageReply>, ReadError> {
        let snapshot = self.publisher.snapshot();
        let route = Route::new(route).expect("a route");
        let file = snapshot.routes.pages[&route];
        self.publisher.page(&snapshot, &route, file)
    }

    #[track_caller]
    fn assert_shows(&self, route: &str, words: &str, is_stale: bool) {
        let page = self.page(route).expect("a page");
        let html: &Bytes = &page.html;
        let html = String::from_utf8_lossy(html);
        assert!(html.contains(words), "{route} does not show {words}");
        assert_eq!(page.is_stale, is_stale);
    }
}

#[test]
fn the_last_good_page_stays_when_a_new_one_cannot_be_drawn() {
    let site = Faulty::new();
    site.assert_shows("/one", "first-words", false);
    site.assert_shows("/two", "two-words", false);
    site.faulty.store(true, Ordering::SeqCst);
    site.write("one.mdx", "---\ntitle: One\n---\n\nsecond-words\n");
    site.assert_shows("/one", "first-words", true);
    site.assert_shows("/one", "first-words", true);
    // Pages that need not be drawn again know nothing of it.
    site.assert_shows("/two", "two-words", false);
    site.faulty.store(false, Ordering::SeqCst);
    site.assert_shows("/one", "second-words", false);
}

#[test]
fn a_page_that_was_never_good_is_an_error_and_costs_no_other() {
    let site = Faulty::new();
    site.assert_shows("/two", "two-words", false);
    site.faulty.store(true, Ordering::SeqCst);
    site.write("three.mdx", "---\ntitle: Three\n---\n\nthree-words\n");
    match site.page("/three") {
        Err(ReadError::Panicked(message)) => assert!(message.contains("injected fault")),
        other => panic!("{other:?}"),
    }
    site.faulty.store(false, Ordering::SeqCst);
    site.assert_shows("/three", "three-words", false);
    site.assert_shows("/two", "two-words", false);
}

#[test]
fn writes_go_on_after_a_fault() {
    let site = Faulty::new();
    site.faulty.store(true, Ordering::SeqCst);
    assert!(site.page("/one").is_err());
    site.faulty.store(false, Ordering::SeqCst);
    let before = site.publisher.host().revision();
    site.write("one.mdx", "---\ntitle: One\n---\n\nmended-words\n");
    assert_eq!(site.publisher.host().revision(), before + 1);
    site.assert_shows("/one", "mended-words", false);
}
