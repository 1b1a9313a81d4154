//! A question with a deadline is answered from what is indexed, and says what that is.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use queries::base::path::SitePath;
use queries::inputs::BUCKETS;
use quire_assistant::{Conversation, metadata};
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_search::index::{Answer, Indexing};
use quire_search::search_service::{NotReady, SearchQuery, SearchService, Wait, json};
use quire_source::sources::FileState;

fn write(host: &SiteHost, files: impl Iterator<Item = (String, String)>) {
    let changes = files.map(|(path, text)| FileChange {
        path: SitePath::new(&path).expect("a path"),
        state: FileState::Text(text.as_str().into()),
    });
    host.apply(changes.collect::<Vec<_>>());
}

fn page(name: &str, text: &str) -> (String, String) {
    (
        format!("{name}.mdx"),
        format!("---\ntitle: {name}\n---\n\n{text}\n"),
    )
}

fn wanted(query: &str) -> SearchQuery {
    SearchQuery {
        query: query.to_owned(),
        limit: 50,
        ..SearchQuery::default()
    }
}

fn urls(answer: &Answer) -> Vec<String> {
    let results = answer.results.iter();
    results.map(|hit| hit.url.href()).collect()
}

/// What is saved while the index is behind is not waited for, and the answer says so until it is.
#[test]
fn an_answer_from_an_earlier_revision_names_it() {
    let host = Arc::new(SiteHost::new("", HostOptions::default()));
    let docs = serde_json::json!({
        "name": "Tea", "theme": "mint", "colors": {"primary": "#000000"},
        "navigation": {"groups": [{"group": "Leaves", "pages": ["green", "black"]}]},
    });
    let pages = [page("green", "sencha"), page("black", "keemun")];
    let docs = ("docs.json".to_owned(), docs.to_string());
    write(&host, pages.into_iter().chain([docs]));
    let service = SearchService::new(host.clone(), None).answering_within(Duration::ZERO);
    assert!(
        service
            .find(&wanted("keemun"))
            .is_err_and(|error| error.is::<NotReady>())
    );
    service.follow().expect("an index");
    let before = host.revision();
    let answer = service.find(&wanted("keemun")).expect("an answer");
    assert_eq!(
        (urls(&answer), answer.revision),
        (vec!["/black".to_owned()], None)
    );

    write(&host, [page("green", "keemun too")].into_iter());
    let answer = service.find(&wanted("keemun")).expect("an answer");
    assert_eq!(
        (urls(&answer), answer.revision),
        (vec!["/black".to_owned()], Some(before))
    );
    assert_eq!(answer.results[0].breadcrumb, ["Leaves"]);
    assert_eq!(json(&answer, false)["revision"], before);
    let said = || {
        let reply = quire_assistant::answer(&service, &Conversation::of("What is keemun?"))
            .expect("a reply");
        metadata(&reply)
    };
    assert_eq!(
        (&said()["revision"], &said()["mode"]),
        (&before.into(), &"semantic".into())
    );

    service.follow().expect("an index");
    let answer = service.find(&wanted("keemun")).expect("an answer");
    assert_eq!((urls(&answer).len(), answer.revision), (2, None));
    assert_eq!(json(&answer, false).get("revision"), None);
    assert_eq!(said().get("revision"), None);
}

/// Without a deadline a question waits for what was saved before it.
#[test]
fn without_a_deadline_every_answer_is_of_now() {
    let host = Arc::new(SiteHost::new("", HostOptions::default()));
    let service = SearchService::new(host.clone(), None);
    for text in ["sencha", "keemun", "lapsang"] {
        write(&host, [page("tea", text)].into_iter());
        let answer = service.find(&wanted(text)).expect("an answer");
        assert_eq!((urls(&answer).len(), answer.revision), (1, None), "{text}");
    }
}

/// The index follows by itself when a request has found it behind.
#[test]
fn a_request_that_is_late_has_the_index_follow() {
    let host = Arc::new(SiteHost::new("", HostOptions::default()));
    let service = SearchService::new(host.clone(), None).answering_within(Duration::ZERO);
    let service = Arc::new(service);
    write(&host, [page("tea", "sencha")].into_iter());
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    for text in ["sencha", "keemun"] {
        write(&host, [page("tea", text)].into_iter());
        let answer = runtime.block_on(async {
            // Bounded by the limit of the test run: each round waits for its update or not at all.
            loop {
                let ask = move |service: &SearchService| service.find(&wanted(text));
                let answer = service
                    .run_blocking(service.due(Wait::Search), ask)
                    .await
                    .expect("no fault");
                match answer {
                    Ok(answer) if answer.revision.is_none() && answer.indexing.is_none() => {
                        break answer;
                    }
                    Ok(_) => tokio::task::yield_now().await,
                    Err(error) => assert!(error.is::<NotReady>(), "{error:#}"),
                }
            }
        });
        assert_eq!(urls(&answer), ["/tea"], "{text}");
    }
}

/// A request does not wait for its deadline if the update that it waits for has failed.
#[test]
fn a_failed_update_wakes_requests_that_wait_for_it() {
    let host = Arc::new(SiteHost::new("", HostOptions::default()));
    let service = SearchService::new(host.clone(), None);
    let service = Arc::new(service.answering_within(Duration::from_hours(1)));
    write(&host, [page("tea", "sencha")].into_iter());
    // Updates of a site that is being unloaded fail.
    service.stop();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    let answer = runtime.block_on(async {
        let ask = |service: &SearchService| service.find(&wanted("sencha"));
        service.run_blocking(service.due(Wait::Answer), ask).await
    });
    let error = answer.expect("no fault").expect_err("no answer");
    assert!(!error.is::<NotReady>(), "{error:#}");
}

/// Parts of the site that may be read for the first index.
static PARTS: Mutex<usize> = Mutex::new(0);
static MORE_PARTS: Condvar = Condvar::new();

fn let_through(parts: usize) {
    *PARTS.lock().unwrap_or_else(PoisonError::into_inner) = parts;
    MORE_PARTS.notify_all();
}

/// A site of which not all pages are indexed is searched as far as it is.
#[test]
fn a_first_index_is_searched_while_it_is_built() {
    const PAGES: usize = 1200;
    let host = Arc::new(SiteHost::new("", HostOptions::default()));
    let pages = (0..PAGES).map(|n| page(&format!("page-{n}"), "A cup of tea."));
    write(&host, pages);
    let service = SearchService::new(host, None)
        .answering_within(Duration::ZERO)
        .with_prefetch(|_, _| {
            let parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
            let parts = MORE_PARTS.wait_while(parts, |parts| *parts == 0);
            *parts.unwrap_or_else(PoisonError::into_inner) -= 1;
        });
    let service = Arc::new(service);
    let follower = service.clone();
    let follower = std::thread::spawn(move || follower.follow().map(drop));
    // The rest of the site is held back.
    let_through(BUCKETS / 2);
    let partial = loop {
        match service.find(&wanted("tea")) {
            Ok(answer) if answer.indexing.is_some_and(|indexing| indexing.done > 0) => {
                break answer;
            }
            Ok(_) => std::thread::yield_now(),
            Err(error) => assert!(error.is::<NotReady>(), "{error:#}"),
        }
    };
    let Some(Indexing { done, of }) = partial.indexing else {
        panic!("{partial:?}");
    };
    assert!((256..PAGES).contains(&done), "{done}");
    assert_eq!((of, partial.results.len()), (PAGES, 50));
    assert_eq!(json(&partial, false)["indexing"]["of"], PAGES);

    let_through(usize::MAX);
    follower.join().expect("no fault").expect("an index");
    let whole = service.find(&wanted("tea")).expect("an answer");
    assert_eq!((whole.indexing, whole.revision), (None, None));
    assert_eq!(service.size().passages, PAGES);
}
