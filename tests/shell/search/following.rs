//! The index takes up what an edit changed, first the pages themselves, and answers nothing that was.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use queries::base::diagnostic::Code;
use queries::base::path::SitePath;
use queries::site::bucket_diagnostics;
use quire::host::{FileChange, HostOptions, SiteHost};
use quire::meter::Meter;
use quire::search_service::{SearchService, Wanted};
use quire::sources::FileState;
use quire::survey;

struct Site {
    host: Arc<SiteHost>,
    search_service: Arc<SearchService>,
}

impl Site {
    fn new(files: &[(&str, &str)]) -> Self {
        let host = Arc::new(SiteHost::new("", HostOptions::default()));
        let search_service = Arc::new(SearchService::new(host.clone(), None));
        let site = Self {
            host,
            search_service,
        };
        site.write(files);
        site.search_service.follow().expect("an index");
        site
    }

    fn write(&self, files: &[(&str, &str)]) {
        let before = self.host.revision();
        let changes = files.iter().map(|(path, text)| {
            let path = SitePath::new(path).expect("a path");
            let state = FileState::Text(text.as_bytes().into());
            FileChange { path, state }
        });
        let applied = self.host.apply(changes.collect::<Vec<_>>());
        self.search_service
            .note(&applied, before, self.host.revision());
    }

    fn found(&self, query: &str) -> BTreeSet<String> {
        let wanted = Wanted {
            query: query.to_owned(),
            limit: 50,
            ..Wanted::default()
        };
        let answer = self.search_service.find(&wanted).expect("an answer");
        let routes = answer.results.iter().map(|hit| hit.url.href().to_string());
        routes.collect()
    }
}

const DOCS: (&str, &str) = (
    "docs.json",
    r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["a","b","c","d"]}}"##,
);

fn routes(routes: &[&str]) -> BTreeSet<String> {
    routes.iter().map(|route| (*route).to_owned()).collect()
}

#[test]
fn a_page_that_others_import_is_found_on_all_of_them() {
    let site = Site::new(&[
        DOCS,
        ("a.mdx", "import B from '/b.mdx'\n\n<B/>\n"),
        ("b.mdx", "oolong"),
        ("c.mdx", "gyokuro"),
        ("d.mdx", "import A from './a.mdx'\n\n<A/>\n"),
    ]);
    assert_eq!(site.found("oolong"), routes(&["/a", "/b", "/d"]));
    site.write(&[("b.mdx", "lapsang")]);
    assert_eq!(site.found("lapsang"), routes(&["/a", "/b", "/d"]));
    assert_eq!(site.found("oolong"), routes(&[]));
    // An import that came by an edit which only its page was taken up for.
    site.write(&[("c.mdx", "import B from './b.mdx'\n\n<B/>\n")]);
    assert_eq!(site.found("lapsang"), routes(&["/a", "/b", "/c", "/d"]));
    site.write(&[("b.mdx", "keemun")]);
    assert_eq!(site.found("keemun"), routes(&["/a", "/b", "/c", "/d"]));
    // And one that went.
    site.write(&[
        ("c.mdx", "sencha"),
        ("a.mdx", "sencha"),
        ("d.mdx", "sencha"),
    ]);
    site.write(&[("b.mdx", "assam")]);
    assert_eq!(site.found("assam"), routes(&["/b"]));
    assert_eq!(site.found("sencha"), routes(&["/a", "/c", "/d"]));
}

#[test]
fn an_edited_page_is_taken_up_alone() {
    let site = Site::new(&[DOCS, ("a.mdx", "oolong"), ("b.mdx", "lapsang")]);
    site.write(&[("a.mdx", "keemun")]);
    let index = site.search_service.follow_pages().expect("an index");
    assert!(index.is_some());
    assert_eq!(site.found("keemun"), routes(&["/a"]));
    // The pages of the site, compared all together, hold no more than that.
    let (_, followed) = site.search_service.follow().expect("an index");
    assert_eq!((followed.pages, followed.embedded), (2, 0));
}

#[test]
fn who_follows_an_edit_waits_for_nobody_who_compares_all() {
    let site = Site::new(&[DOCS, ("a.mdx", "oolong"), ("b.mdx", "lapsang")]);
    site.write(&[("a.mdx", "keemun")]);
    site.search_service.follow_pages().expect("an index");
    let is_found = Arc::new(AtomicBool::new(false));
    let compared = site.search_service.follow_after(|| {
        // All is being compared now, and somebody asks for what was written meanwhile.
        if !is_found.load(Ordering::Acquire) {
            site.write(&[("b.mdx", "assam")]);
            assert_eq!(site.found("assam"), routes(&["/b"]));
            is_found.store(true, Ordering::Release);
        }
    });
    assert!(compared.expect("an index").is_some());
    assert!(is_found.load(Ordering::Acquire));
    assert_eq!(site.found("keemun"), routes(&["/a"]));
}

/// However many edits there are while the index cannot be followed, one is sent to follow it, and one more after that one
/// got its turn.
#[test]
fn edits_without_end_send_one_follower() {
    let site = Site::new(&[DOCS, ("a.mdx", "oolong"), ("b.mdx", "lapsang")]);
    for round in 0..3 {
        let sent: Vec<bool> = (0..20)
            .map(|edit| {
                site.write(&[("a.mdx", &format!("keemun {round} {edit}"))]);
                site.search_service.call()
            })
            .collect();
        assert_eq!(sent.iter().filter(|sent| **sent).count(), 1, "{sent:?}");
        // Those who only search take nothing of that away.
        assert_eq!(site.found(&format!("keemun {round} 19")), routes(&["/a"]));
        assert!(!site.search_service.call());
        site.search_service.answer().expect("an index");
    }
}

/// More than are held at once.
const MANY: usize = 400;

#[test]
fn what_is_wrong_is_asked_while_pages_are_drawn_for_the_first_time() {
    let drawn_for = |is_asked: bool| {
        let meter = Arc::new(Meter::default());
        let options = HostOptions {
            observer: Some(meter.observer()),
            cache_capacity: Some(MANY / 3),
            ..HostOptions::default()
        };
        let host = Arc::new(SiteHost::new("", options));
        let mut search_service = SearchService::new(host.clone(), None);
        if is_asked {
            search_service = search_service.asking(|db, bucket| {
                bucket_diagnostics(db, bucket);
            });
        }
        let site = Site {
            host,
            search_service: Arc::new(search_service),
        };
        let pages: Vec<(String, String)> = (0..MANY)
            .map(|i| {
                (
                    format!("p{i}.mdx"),
                    format!("Tea {i}, see [it](/nowhere).\n"),
                )
            })
            .collect();
        let pages = pages.iter().map(|(path, text)| (&path[..], &text[..]));
        site.write(&pages.collect::<Vec<_>>());
        site.search_service.follow().expect("an index");
        site.search_service.wait_for_first_round();
        let wrong = survey::diagnostics(&site.host);
        let broken = wrong.iter().filter(|found| found.code == Code::BrokenLink);
        assert_eq!(broken.count(), MANY);
        meter.by_query()["page_body"].executed
    };
    assert_eq!(drawn_for(true), MANY as u64);
    // Otherwise those that were let go of are drawn again.
    assert!(drawn_for(false) > MANY as u64);
}

#[test]
fn nobody_waits_for_a_first_round_of_a_site_that_is_put_away() {
    let host = Arc::new(SiteHost::new("", HostOptions::default()));
    let search_service = Arc::new(SearchService::new(host, None));
    let waits = std::thread::spawn({
        let search_service = search_service.clone();
        move || search_service.wait_for_first_round()
    });
    search_service.stop();
    waits.join().expect("who waits is told");
}
