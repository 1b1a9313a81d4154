//! The index takes up what an edit changed, first the pages themselves, and answers nothing that was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use queries::base::diagnostic::Code;
use queries::base::path::SitePath;
use queries::site::bucket_diagnostics;
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_engine::meter::Meter;
use quire_engine::survey;
use quire_search::index::Answer;
use quire_search::search_service::{SearchQuery, SearchService};
use quire_source::sources::FileState;

use crate::random_numbers::Random;

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
        let files = files.iter().map(|(path, text)| (*path, Some(*text)));
        self.change(&files.collect::<Vec<_>>());
    }

    /// Writes files, and removes those without a text.
    fn change(&self, files: &[(&str, Option<&str>)]) {
        let before = self.host.revision();
        let changes = files.iter().map(|(path, text)| {
            let path = SitePath::new(path).expect("a path");
            let text = text.map(|text| FileState::Text(text.as_bytes().into()));
            let state = text.unwrap_or(FileState::Absent);
            FileChange { path, state }
        });
        let applied = self.host.apply(changes.collect::<Vec<_>>());
        self.search_service
            .note(&applied, before, self.host.revision());
    }

    /// What is found for each of `queries`, with and without meanings.
    fn answers(&self, queries: &[&str]) -> Vec<Answer> {
        let wanted = |query: &&str| {
            [false, true].map(|semantic| SearchQuery {
                query: (*query).to_owned(),
                semantic,
                limit: 50,
                sections: true,
                ..SearchQuery::default()
            })
        };
        let wanted = queries.iter().flat_map(wanted);
        wanted
            .map(|wanted| self.search_service.find(&wanted).expect("an answer"))
            .collect()
    }

    fn pass(&self, pass: Pass) {
        let search = &self.search_service;
        match pass {
            Pass::None => {}
            Pass::Pages => drop(search.follow_pages().expect("an index")),
            Pass::All => drop(search.follow().expect("an index")),
            Pass::AllBeside => drop(search.follow_after(|| ()).expect("an index")),
        }
    }

    fn found(&self, query: &str) -> BTreeSet<String> {
        let wanted = SearchQuery {
            query: query.to_owned(),
            limit: 50,
            ..SearchQuery::default()
        };
        let answer = self.search_service.find(&wanted).expect("an answer");
        let routes = answer.results.iter().map(|hit| hit.url.href().to_string());
        routes.collect()
    }
}

/// One pass over what changed.
#[derive(Clone, Copy, Debug)]
enum Pass {
    None,
    /// Of the pages that were written.
    Pages,
    /// Of the whole site, which others wait for.
    All,
    /// Of the whole site, for nobody.
    AllBeside,
}

const PASSES: [Pass; 4] = [Pass::None, Pass::Pages, Pass::All, Pass::AllBeside];

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
    let passages = site.search_service.size().passages;
    site.write(&[("a.mdx", "keemun\n\n## Assam\n\nkeemun")]);
    site.search_service.follow_pages().expect("an index");
    assert_eq!(site.search_service.size().passages, passages + 1);
    assert_eq!(site.found("keemun"), routes(&["/a"]));
    // The pages of the site, compared all together, hold no more than that.
    let (_, followed) = site.search_service.follow().expect("an index");
    assert_eq!((followed.pages, followed.embedded), (2, 0));
}

/// Whatever passes come between the writes, an index that has seen both is like one that has seen none.
#[test]
fn a_page_that_is_put_back_is_found_as_it_is() {
    let files = [DOCS, ("a.mdx", "oolong"), ("b.mdx", "lapsang")];
    let queries = ["oolong", "keemun", "lapsang"];
    let fresh = Site::new(&files).answers(&queries);
    for (first, second) in PASSES
        .iter()
        .flat_map(|first| PASSES.map(|second| (*first, second)))
    {
        for last in PASSES {
            let site = Site::new(&files);
            site.pass(first);
            site.write(&[("a.mdx", "keemun")]);
            site.pass(second);
            site.write(&[("a.mdx", "oolong")]);
            site.pass(last);
            let passes = (first, second, last);
            assert_eq!(site.found("keemun"), routes(&[]), "{passes:?}");
            assert_eq!(site.answers(&queries), fresh, "{passes:?}");
        }
    }
}

/// Edits are taken back often, and texts are few, so that pages often are as they were before.
#[test]
fn no_edit_and_no_pass_shows_in_an_answer() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect(name))
    };
    let steps = number("QUIRE_RANDOM_STEPS", 150);
    let seed = number("QUIRE_RANDOM_SEED", 1);
    let random = &mut Random::new(seed);
    let texts = [
        "oolong",
        "---\ntitle: Keemun\n---\n\nlapsang oolong\n\n## Sencha\n\nkeemun",
        "lapsang sencha",
        "---\nnoindex: true\n---\n\nkeemun",
        "import B from '/b.mdx'\n\n<B/>\n",
    ];
    let paths = ["a.mdx", "b.mdx", "c.mdx", "d.mdx"];
    let queries = ["oolong", "lapsang keemun", "sencha"];
    let site = Site::new(&[DOCS]);
    let mut files: BTreeMap<&str, &str> = BTreeMap::from([DOCS]);
    let mut found = 0;
    for step in 0..steps {
        let edits = 1 + random.below(2);
        let edits: BTreeMap<&str, Option<&str>> = (0..edits)
            .map(|_| {
                let text = texts.get(random.below(texts.len() + 1));
                (paths[random.below(paths.len())], text.copied())
            })
            .collect();
        let undone: Vec<_> = edits
            .keys()
            .map(|path| (*path, files.get(path).copied()))
            .collect();
        let edits: Vec<_> = edits.into_iter().collect();
        let is_undone = random.below(3) == 0;
        for (path, text) in edits.iter().filter(|_| !is_undone) {
            match text {
                Some(text) => files.insert(path, text),
                None => files.remove(path),
            };
        }
        match random.below(6) {
            // While somebody compares all.
            0 => {
                let is_written = AtomicBool::new(false);
                let looked = || {
                    if !is_written.swap(true, Ordering::AcqRel) {
                        site.change(&edits);
                    }
                };
                site.search_service.follow_after(looked).expect("an index");
                if !is_written.load(Ordering::Acquire) {
                    site.change(&edits);
                }
            }
            _ => site.change(&edits),
        }
        site.pass(PASSES[random.below(PASSES.len())]);
        if is_undone {
            site.change(&undone);
            site.pass(PASSES[random.below(PASSES.len())]);
        }
        if random.below(3) == 0 {
            let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (*a, *b)).collect();
            let fresh = Site::new(&files);
            let answers = site.answers(&queries);
            assert_eq!(
                answers,
                fresh.answers(&queries),
                "seed {seed} step {step}: {files:?}"
            );
            let had = [&site, &fresh].map(|site| site.search_service.follow().expect("an index"));
            let [had, fresh_had] = had.map(|(index, _)| index.manifest());
            assert_eq!(had, fresh_had, "seed {seed} step {step}: {files:?}");
            found += answers
                .iter()
                .map(|answer| answer.results.len())
                .sum::<usize>();
        }
    }
    assert!(found > 0, "there is something to compare");
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
            search_service = search_service.with_prefetch(|db, bucket| {
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
