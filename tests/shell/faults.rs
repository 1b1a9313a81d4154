//! A fault of the program itself: it costs the page that it meets, the last good version of which stays, and it is told. Search
//! and the survey go around it. A panic is injected into each query in turn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use queries::base::diagnostic::Code;
use queries::base::path::{Route, SitePath};
use queries::db::{QueryEvent, Step};
use queries::frame::PageOptions;
use queries::markdown::page_markdown;
use quire_assistant::{Answered, Conversation, answer};
use quire_engine::faults::PROGRAMS;
use quire_engine::host::{FileChange, HostOptions, ReadError, SiteHost};
use quire_engine::publish::{PageReply, Publisher};
use quire_engine::survey;
use quire_search::search_service::{SearchQuery, SearchService};
use quire_source::sources::FileState;

/// A site in which a query panics while it executes.
struct Faulty {
    publisher: Publisher,
    search_service: SearchService,
    /// The beginning of the query that panics, such as `page_body` or `page_body(Id(3))`.
    faulty: Arc<Mutex<Option<String>>>,
    /// The names of the queries that executed.
    executed: Arc<Mutex<BTreeSet<String>>>,
}

const API: &str = r##"{"openapi": "3.1.0", "info": {"title": "Things", "version": "1"},
    "paths": {"/things": {"get": {"summary": "List things", "description": "[one](/one)", "responses": {"200":
        {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}}}},
    "components": {"schemas": {"Thing": {"type": "object", "properties": {"name": {"type": "string"}}}}}}"##;

const DOCS: &str = r##"{"name": "Site", "theme": "mint", "colors": {"primary": "#0a7a5a"}, "variables": {"room": "12"},
    "navigation": {"tabs": [{"tab": "Guides", "pages": ["one", "two", "model", "send"]}, {"tab": "API", "openapi": "api.json"}]}}"##;

impl Faulty {
    fn new() -> Self {
        let faulty = Arc::new(Mutex::new(None::<String>));
        let executed = Arc::new(Mutex::new(BTreeSet::new()));
        let (asked, names) = (faulty.clone(), executed.clone());
        // The observer is called within the query that executes: its panic is as good as one of the query.
        let observer = move |event: &QueryEvent| {
            if event.step != Step::Executes {
                return;
            }
            let query = event.to_string();
            let name = query.split('(').next().unwrap_or_default();
            names.lock().unwrap().insert(name.to_owned());
            let asked = asked.lock().unwrap().clone();
            let is_asked = asked.is_some_and(|asked| asked == name || asked == query);
            if is_asked {
                // As a panic, without a page of backtrace for each.
                std::panic::resume_unwind(Box::new("injected fault"));
            }
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
            assistant: None,
            mock: None,
            mcp: None,
            cards: true,
            vendors: false,
            is_untrusted: false,
            counts: None,
            repository: None,
        };
        let publisher = Publisher::new(host.clone(), options, Arc::default());
        let search_service = SearchService::with(host, None, None, publisher.faults().clone());
        let site = Self {
            publisher,
            search_service,
            faulty,
            executed,
        };
        site.write("one.mdx", "---\ntitle: One\n---\n\nfirst-words\n");
        site.write("two.mdx", "---\ntitle: Two\n---\n\ntwo-words\n");
        site
    }

    /// A site that makes use of every query.
    fn whole() -> Self {
        let site = Self::new();
        site.write("docs.json", DOCS);
        site.write("api.json", API);
        site.write("snippets/note.mdx", "Ask at the desk.\n");
        site.write("model.mdx", "---\nopenapi-schema: Thing\n---\n");
        site.write(
            "send.mdx",
            "---\napi: POST https://api.example.org/send\n---\n\nText.\n",
        );
        site.write(
            "two.mdx",
            "---\ntitle: Two\n---\nimport Note from '/snippets/note.mdx'\n\n# Two\n\n<Note/> two-words {{room}} $x^2$ \
             [one](/one#two) ![spoon](/spoon.png)\n\n[gone](/gone)\n",
        );
        site
    }

    /// Injects a fault into the query that is called so; none ends it.
    fn fault(&self, query: Option<&str>) {
        *self.faulty.lock().unwrap() = query.map(str::to_owned);
    }

    /// Asks for everything that the site shows, as requests, the index and the survey do; returns what was shown.
    fn everything(&self) -> BTreeMap<String, String> {
        let mut shown = BTreeMap::new();
        let snapshot = self.publisher.snapshot();
        for (route, page) in &snapshot.routes.pages {
            let page = self.publisher.page(&snapshot, route, *page);
            let html = match page {
                Ok(page) if !page.is_stale => String::from_utf8_lossy(&page.html).into_owned(),
                Ok(_) => "the last good version".to_owned(),
                Err(error) => format!("nothing: {error}"),
            };
            shown.insert(route.to_string(), html);
        }
        // What programs ask for.
        for (route, page) in &snapshot.routes.pages {
            let text =
                (self.publisher).read_noting(PROGRAMS, |db, _| page_markdown(db, *page).clone());
            let text = text.map_err(drop);
            shown.insert(format!("{route} as Markdown"), format!("{text:?}"));
        }
        for (route, page) in &snapshot.routes.pages {
            let card = self.publisher.card(&snapshot, *page);
            shown.insert(format!("{route} as a card"), format!("{card:?}"));
        }
        let found = self.search("words");
        shown.insert("found".to_owned(), format!("{found:?}"));
        let question = Conversation::of("words");
        let told = answer(&self.search_service, &question).map_err(|error| format!("{error:#}"));
        shown.insert("told".to_owned(), format!("{told:?}"));
        let found = survey::diagnostics(&snapshot.host);
        shown.insert("diagnostics".to_owned(), format!("{found:?}"));
        shown
    }

    /// The pages that are found.
    fn search(&self, query: &str) -> Result<Vec<String>, String> {
        let wanted = SearchQuery {
            query: query.to_owned(),
            limit: 10,
            ..SearchQuery::default()
        };
        let answer = self
            .search_service
            .find(&wanted)
            .map_err(|error| format!("{error:#}"))?;
        Ok(answer
            .results
            .iter()
            .map(|hit| hit.url.to_string())
            .collect())
    }

    fn write(&self, path: &str, text: &str) {
        self.publisher.host().apply([FileChange {
            path: SitePath::new(path).expect("a path"),
            state: FileState::Text(text.into()),
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
    site.fault(Some("page_body"));
    site.write("one.mdx", "---\ntitle: One\n---\n\nsecond-words\n");
    site.assert_shows("/one", "first-words", true);
    site.assert_shows("/one", "first-words", true);
    // Pages that need not be drawn again know nothing of it.
    site.assert_shows("/two", "two-words", false);
    site.fault(None);
    site.assert_shows("/one", "second-words", false);
}

#[test]
fn a_page_that_was_never_good_is_an_error_and_costs_no_other() {
    let site = Faulty::new();
    site.assert_shows("/two", "two-words", false);
    site.fault(Some("page_body"));
    site.write("three.mdx", "---\ntitle: Three\n---\n\nthree-words\n");
    match site.page("/three") {
        Err(ReadError::Panicked(message)) => assert!(message.contains("injected fault")),
        other => panic!("{other:?}"),
    }
    site.fault(None);
    site.assert_shows("/three", "three-words", false);
    site.assert_shows("/two", "two-words", false);
}

#[test]
fn writes_go_on_after_a_fault() {
    let site = Faulty::new();
    site.fault(Some("page_body"));
    assert!(site.page("/one").is_err());
    site.fault(None);
    let before = site.publisher.host().revision();
    site.write("one.mdx", "---\ntitle: One\n---\n\nmended-words\n");
    assert_eq!(site.publisher.host().revision(), before + 1);
    site.assert_shows("/one", "mended-words", false);
}

/// The query `page_body` of the file at `path`.
fn body_of(site: &Faulty, path: &str) -> String {
    let names = site.publisher.host().names();
    let id = names.iter().find(|(_, named)| named.name == path);
    format!("page_body({})", id.expect("a file").0)
}

#[test]
fn search_and_the_survey_go_around_a_page_that_faults() {
    let site = Faulty::new();
    assert_eq!(
        site.search("words"),
        Ok(vec!["/one".to_owned(), "/two".to_owned()])
    );
    site.fault(Some(&body_of(&site, "one.mdx")));
    site.write(
        "one.mdx",
        "---\ntitle: One\n---\n\nother-words [gone](/gone)\n",
    );
    site.write("two.mdx", "---\ntitle: Two\n---\n\nnew-words\n");
    // What faults is found as it was, what does not as it is.
    assert_eq!(site.search("first"), Ok(vec!["/one".to_owned()]));
    assert_eq!(site.search("new"), Ok(vec!["/two".to_owned()]));
    let faults = site.publisher.faults();
    assert!(
        faults.is_present(quire_engine::faults::SEARCH),
        "{faults:?}"
    );
    let found = survey::diagnostics(&site.publisher.host());
    let faults = found
        .iter()
        .filter(|found| found.code == Code::InternalFault);
    let places: Vec<&str> = faults.map(|fault| fault.place.path().as_str()).collect();
    assert_eq!(places, ["one.mdx"]);
    // It is over as soon as the page can be drawn again.
    site.fault(None);
    site.write("two.mdx", "---\ntitle: Two\n---\n\nnewer-words\n");
    assert_eq!(site.search("other"), Ok(vec!["/one".to_owned()]));
    assert!(site.publisher.faults().is_empty());
}

#[test]
fn search_goes_on_where_the_navigation_of_results_faults() {
    let site = Faulty::new();
    let both = Ok(vec!["/one".to_owned(), "/two".to_owned()]);
    site.fault(Some("breadcrumbs"));
    assert_eq!(site.search("words"), both);
    let faults = site.publisher.faults();
    assert!(
        faults.is_present(quire_engine::faults::BREADCRUMBS),
        "{faults:?}"
    );
    site.fault(None);
    assert_eq!(site.search("words"), both);
    assert!(site.publisher.faults().is_empty());
}

#[test]
fn a_page_that_cannot_be_quoted_costs_its_quotes() {
    let site = Faulty::new();
    let question = Conversation::of("words");
    let asked = || answer(&site.search_service, &question).expect("an answer");
    let whole = asked();
    assert!(whole.answered != Answered::Not, "{whole:?}");
    site.fault(Some("page_blocks"));
    site.write("one.mdx", "---\ntitle: One\n---\n\nother words\n");
    site.write("two.mdx", "---\ntitle: Two\n---\n\nother two-words\n");
    let refused = asked();
    assert!(refused.answered == Answered::Not, "{refused:?}");
    assert!(refused.text.contains("The nearest pages"), "{refused:?}");
    let faults = site.publisher.faults();
    assert!(
        faults.is_present(quire_engine::faults::QUOTES),
        "{faults:?}"
    );
    site.fault(None);
    assert!(asked().answered != Answered::Not);
    assert!(site.publisher.faults().is_empty());
}

#[test]
fn a_site_that_was_never_searched_is_searched_without_the_page_that_faults() {
    let site = Faulty::new();
    site.fault(Some(&body_of(&site, "one.mdx")));
    assert_eq!(site.search("words"), Ok(vec!["/two".to_owned()]));
    site.fault(None);
    site.write("two.mdx", "---\ntitle: Two\n---\n\nother two-words\n");
    assert_eq!(
        site.search("words"),
        Ok(vec!["/one".to_owned(), "/two".to_owned()])
    );
}

#[test]
fn a_page_that_cannot_be_told_to_programs_costs_that() {
    let site = Faulty::new();
    let told = |route: &str| {
        let route = Route::new(route).expect("a route");
        let page = site.publisher.snapshot().routes.pages[&route];
        (site.publisher).read_noting(PROGRAMS, |db, _| page_markdown(db, page).to_string())
    };
    assert!(told("/one").is_ok_and(|text| text.starts_with("# One\n")));
    site.fault(Some("page_markdown"));
    site.write("one.mdx", "---\ntitle: One\n---\n\nother words\n");
    assert!(matches!(told("/one"), Err(ReadError::Panicked(_))));
    let faults = site.publisher.faults();
    assert!(
        faults.is_present(quire_engine::faults::PROGRAMS),
        "{faults:?}"
    );
    site.assert_shows("/one", "other words", false);
    site.fault(None);
    assert!(told("/one").is_ok_and(|text| text.contains("other words")));
    assert!(site.publisher.faults().is_empty());
}

/// No fault leaves the process, none is silent, and none is for ever, in whichever query it is.
#[test]
fn a_fault_in_any_query_is_told_and_over_when_it_is_over() {
    let clean = Faulty::whole().everything();
    let whole = Faulty::whole();
    whole.everything();
    let queries = whole.executed.lock().unwrap().clone();
    assert!(queries.len() > 60, "{queries:?}");
    for query in &queries {
        let site = Faulty::whole();
        site.everything();
        site.fault(Some(query));
        // All files anew, so that every query would run again.
        site.write("docs.json", &DOCS.replace("Guides", "Guide"));
        site.write("api.json", &API.replace("List things", "Every thing"));
        site.write("one.mdx", "---\ntitle: One\n---\n\nsecond-words\n");
        site.write("snippets/note.mdx", "Ask at the door.\n");
        site.executed.lock().unwrap().clear();
        let shown = site.everything();
        let has_run = site.executed.lock().unwrap().contains(query);
        let (seen, _) = site.publisher.faults().counts();
        let is_told = seen > 0 || shown["diagnostics"].contains("InternalFault");
        assert!(!has_run || is_told, "{query} faults and nobody is told");
        site.fault(None);
        site.write("docs.json", DOCS);
        site.write("api.json", API);
        site.write("one.mdx", "---\ntitle: One\n---\n\nfirst-words\n");
        site.write("snippets/note.mdx", "Ask at the desk.\n");
        let mended = site.everything();
        for (what, shown) in &clean {
            assert_eq!(
                mended.get(what),
                Some(shown),
                "{what} after a fault in {query}"
            );
        }
        let left = site.publisher.faults().present();
        assert!(left.is_empty(), "{query}: {left:?}");
    }
}

#[test]
fn a_database_made_anew_takes_the_place_of_one_that_faults() {
    let site = Faulty::whole();
    let before = site.everything();
    let broken = site.publisher.host();
    let anew = Arc::new(broken.rebuilt());
    assert_eq!(anew.revision(), broken.revision());
    site.publisher.replace_host(anew.clone());
    site.search_service.replace_host(anew.clone());
    assert!(Arc::ptr_eq(&site.publisher.host(), &anew));
    assert_eq!(site.everything(), before);
    // The old one ends, and the contents that both named stay.
    drop(broken);
    site.write("one.mdx", "---\ntitle: One\n---\n\nthird-words\n");
    site.assert_shows("/one", "third-words", false);
    assert_eq!(site.search("third"), Ok(vec!["/one".to_owned()]));
    site.write("one.mdx", "---\ntitle: One\n---\n\nfirst-words\n");
    assert_eq!(site.everything(), before);
}
