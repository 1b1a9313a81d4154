//! Vectors of another embedder: what it is asked and how often, what is done when it fails, and that search goes on.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use queries::base::path::SitePath;
use quire_engine::host::{FileChange, SiteHost};
use quire_search::embedder::{Embedder, Patience};
use quire_search::index::Evidence;
use quire_search::index::weights::Weights;
use quire_search::search_service::{SearchQuery, SearchService, json};
use quire_settings::{EmbedderSettings, SiteSettings};
use quire_source::load;
use quire_source::sources::FileState;
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::store::embedding_cache::EmbeddingCache;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::endpoint::{Answer, EmbeddingRequest, Endpoint, MODEL, body, numbers};
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use crate::support::wait_until;

/// How long an endpoint is left alone.
const REST: Duration = Duration::from_secs(600);

pub(super) fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r#"{"name":"Tea","navigation":{"pages":["brew","prices","eau"]}}"#,
        ),
        (
            "brew.mdx",
            "---\ntitle: Brewing\n---\n\nHow to make tea.\n\n## Warm the pot\n\nRinse it first.\n\n## Steep\n\nThree minutes.\n",
        ),
        (
            "prices.mdx",
            "---\ntitle: Prices\n---\n\nSencha costs more.\n",
        ),
        ("eau.mdx", "---\ntitle: Eau\n---\n\nQuatre tasses.\n"),
    ])
}

/// What [`site`] has to be embedded.
pub(super) const TEXTS: [&str; 5] = [
    "Brewing. How to make tea.",
    "Brewing. Steep. Three minutes.",
    "Brewing. Warm the pot. Rinse it first.",
    "Eau. Quatre tasses.",
    "Prices. Sencha costs more.",
];

/// A site with an embedder.
pub(super) struct Desk {
    pub(super) search_service: Arc<SearchService>,
    host: Arc<SiteHost>,
    pub(super) embedder: Arc<Embedder>,
    /// How long was slept, in seconds.
    pub(super) slept: Arc<Mutex<Vec<u64>>>,
    log: Arc<Mutex<Vec<u8>>>,
    // Last, as everything runs on it.
    _runtime: Runtime,
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.search_service.stop();
    }
}

struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Desk {
    pub(super) fn new(
        site: &Folder,
        settings: &EmbedderSettings,
        cache: Arc<EmbeddingCache>,
    ) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let written = log.clone();
        let lines = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || Log(written.clone()))
            .finish();
        let dispatch = tracing::Dispatch::new(lines);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_stack_size(quire_engine::host::STACK)
            // Everything that is said on these threads is heard, until they end.
            .on_thread_start(move || std::mem::forget(tracing::dispatcher::set_default(&dispatch)))
            .enable_all()
            .build()
            .expect("a runtime");
        let slept: Arc<Mutex<Vec<u64>>> = Arc::default();
        let sleeps = slept.clone();
        let patience = Patience {
            sleep: Arc::new(move |time| {
                sleeps.lock().unwrap().push(time.as_secs());
                Box::pin(async move {
                    if time == REST {
                        std::future::pending::<()>().await;
                    }
                })
            }),
            pauses: vec![Duration::from_secs(1), Duration::from_secs(2)],
            rest: REST,
        };
        let embedder =
            Embedder::new(settings, cache, runtime.handle().clone(), patience).expect("settings");
        let host = Arc::new(load::load(site.path(), "").expect("a site").host);
        let search_service = Arc::new(SearchService::with(
            host.clone(),
            None,
            Some(embedder.clone()),
            Arc::default(),
        ));
        embedder.start(Arc::downgrade(&search_service));
        search_service.follow().expect("followed");
        Self {
            search_service,
            host,
            embedder,
            slept,
            log,
            _runtime: runtime,
        }
    }

    /// Like [`Desk::new`], with a cache of its own.
    fn alone(site: &Folder, endpoint: &Endpoint) -> Self {
        Self::new(
            site,
            &endpoint.settings(),
            Arc::new(EmbeddingCache::new(&Memory::default())),
        )
    }

    #[track_caller]
    pub(super) fn wait(&self) {
        wait_until("every passage has its vectors", || {
            self.search_service.waiting() == 0
        });
    }

    pub(super) fn edit(&self, path: &str, text: &str) {
        self.host.apply([FileChange {
            path: SitePath::new(path).unwrap(),
            state: FileState::Text(text.into()),
        }]);
        self.search_service.follow().expect("followed");
    }

    pub(super) fn find(&self, query: &str) -> Value {
        find(&self.search_service, query)
    }

    pub(super) fn log(&self) -> String {
        String::from_utf8_lossy(&self.log.lock().unwrap()).into_owned()
    }
}

fn find(search_service: &SearchService, query: &str) -> Value {
    let wanted = SearchQuery {
        query: query.to_owned(),
        semantic: true,
        limit: 10,
        sections: true,
        ..SearchQuery::default()
    };
    json(&search_service.find(&wanted).expect("an answer"), true)
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

#[test]
fn passages_are_sent_once_in_batches_and_found_by_their_meaning() {
    let (site, endpoint) = (site(), Endpoint::start());
    let desk = Desk::alone(&site, &endpoint);
    desk.wait();
    let asked = endpoint.asked();
    let sizes: Vec<usize> = asked.iter().map(|asked| asked.texts.len()).collect();
    assert_eq!(sizes, [3, 2]);
    assert_eq!(asked[0].body["model"], MODEL);
    assert!(asked[0].body.get("dimensions").is_none());
    assert!(asked.iter().all(|asked| asked.key.is_none()));
    assert_eq!(sorted(endpoint.texts()), TEXTS);
    // The words of a passage, in another order, mean the same to this endpoint.
    let found = desk.find("minutes three steep brewing");
    assert_eq!(
        (&found["mode"], &found["embedder"]),
        (&json!("semantic"), &json!(MODEL))
    );
    assert_eq!(found["results"][0]["sections"][0]["anchor"], "steep");
    // A page in French is compared too: this model knows every language.
    let found = desk.find("tasses quatre eau");
    assert_eq!(found["results"][0]["url"], "/eau");
    let status = desk.embedder.status();
    assert_eq!(
        (
            status.embedded,
            status.failed,
            status.requests,
            status.error
        ),
        (5, 0, 4, None)
    );
}

#[test]
fn pages_are_compared_by_the_vectors_of_one_model_only() {
    let (site, endpoint) = (site(), Endpoint::start());
    let desk = Desk::alone(&site, &endpoint);
    desk.wait();
    // No word of any page: all that speaks for a passage is the cosine, of the endpoint's vectors.
    let vector = |text: &str| numbers(text);
    let cosine = |a: &[f32], b: &[f32]| {
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        product(a, b) / (product(a, a) * product(b, b)).sqrt()
    };
    let mut compared = 0;
    for query in ["zzqx", "wvkq jjxx", "qqzzk", "xxhh vvpp", "kkww"] {
        let found = desk.find(query);
        let asked = vector(query);
        for hit in found["results"].as_array().unwrap() {
            for section in hit["sections"].as_array().unwrap() {
                let snippet = section["snippet"].as_str().unwrap();
                let texts = TEXTS.iter().filter(|text| text.ends_with(snippet));
                let near = texts.map(|text| cosine(&vector(text), &asked));
                let evidence = Evidence {
                    near: Some(near.fold(0.0_f32, f32::max)),
                    ..Evidence::default()
                };
                let score = section["score"].as_f64().unwrap() as f32;
                compared += 1;
                let expected = evidence.confidence(&Weights::default());
                assert!((score - expected).abs() < 0.02, "{hit} {evidence:?}");
            }
        }
    }
    assert!(compared >= 3, "{compared}");
}

#[test]
fn an_edit_pays_for_the_passage_that_changed_and_is_found_at_once() {
    let (site, endpoint) = (site(), Endpoint::start());
    let desk = Desk::alone(&site, &endpoint);
    desk.wait();
    let paid = endpoint.texts().len();
    endpoint.hold(Some("Four minutes"));
    let text = "---\ntitle: Brewing\n---\n\nHow to make tea.\n\n## Warm the pot\n\nRinse it first.\n\n## Steep\n\nFour minutes, xylograph.\n";
    desk.edit("brew.mdx", text);
    let found = desk.find("xylograph");
    assert_eq!(found["results"][0]["url"], "/brew");
    assert_eq!(found["mode"], "semantic");
    assert_eq!(desk.search_service.waiting(), 1);
    // Until then the whole page is compared by the vectors of this program, and the others by those of the endpoint.
    let own = SearchService::new(desk.host.clone(), None);
    let query = "tea or sencha";
    let (found, own) = (desk.find(query), find(&own, query));
    let of = |answer: &Value, url: &str| {
        let hits = answer["results"].as_array().unwrap();
        let hit = hits.iter().find(|hit| hit["url"] == url);
        // The score of a page says how it is beside the best.
        hit.map(|hit| hit["sections"].clone())
    };
    assert!(of(&own, "/brew").is_some());
    assert_eq!(of(&found, "/brew"), of(&own, "/brew"));
    assert_ne!(of(&found, "/prices"), of(&own, "/prices"));
    assert_eq!(
        (&found["embedder"], own.get("embedder")),
        (&json!(MODEL), None)
    );
    endpoint.hold(None);
    desk.wait();
    let more = endpoint.texts().split_off(paid);
    let more: Vec<&String> = more
        .iter()
        .filter(|text| text.contains("minutes"))
        .collect();
    assert_eq!(more, ["Brewing. Steep. Four minutes, xylograph."]);
    // Looks, and code beside enough prose, change no text; what was there before costs nothing again.
    let paid = endpoint.texts().len();
    desk.edit("brew.mdx", &text.replace("Rinse", "**Rinse**"));
    desk.edit(
        "brew.mdx",
        &std::fs::read_to_string(site.at("brew.mdx")).unwrap(),
    );
    desk.wait();
    assert_eq!(endpoint.texts().len(), paid);
}

#[test]
fn a_restart_and_a_dead_endpoint_pay_nothing() {
    let (site, endpoint, state) = (site(), Endpoint::start(), Folder::new(&[]));
    let cache = || Arc::new(EmbeddingCache::new(&Directory::new(state.path())));
    let desk = Desk::new(&site, &endpoint.settings(), cache());
    desk.wait();
    drop(desk);
    let paid = endpoint.texts().len();
    let desk = Desk::new(&site, &endpoint.settings(), cache());
    desk.wait();
    assert_eq!(endpoint.texts().len(), paid);
    drop(desk);
    // Nobody listens there. What was paid for is used; the question has no vector.
    let dead = EmbedderSettings {
        url: Some("http://127.0.0.1:9/v1".to_owned()),
        ..endpoint.settings()
    };
    let desk = Desk::new(&site, &dead, cache());
    desk.wait();
    let found = desk.find("how expensive is it");
    assert_eq!(
        (&found["mode"], found.get("embedder")),
        (&json!("semantic"), None)
    );
    assert_eq!(found["results"][0]["url"], "/prices");
}

#[test]
fn what_an_end_cut_off_goes_on_where_it_was() {
    let (site, endpoint, state) = (site(), Endpoint::start(), Folder::new(&[]));
    endpoint.hold(Some("Prices"));
    let cache = || Arc::new(EmbeddingCache::new(&Directory::new(state.path())));
    let desk = Desk::new(
        &site,
        &EmbedderSettings {
            batch: 1,
            ..endpoint.settings()
        },
        cache(),
    );
    wait_until("it is asked for the held text", || {
        endpoint.texts().iter().any(|text| text.contains("Prices"))
    });
    drop(desk);
    let before = endpoint.texts();
    endpoint.hold(None);
    let desk = Desk::new(&site, &endpoint.settings(), cache());
    desk.wait();
    let again = endpoint.texts().split_off(before.len());
    let paid_twice: Vec<&String> = again.iter().filter(|text| before.contains(text)).collect();
    assert_eq!(paid_twice, ["Prices. Sencha costs more."]);
    assert_eq!(before.len() + again.len(), TEXTS.len() + 1);
}

#[test]
fn an_endpoint_that_is_busy_is_asked_again_when_it_says() {
    let (site, endpoint) = (site(), Endpoint::start());
    endpoint.answer([
        Answer::Status(429, "Retry-After: 7\r\n", String::new()),
        Answer::Status(500, "", "oh".to_owned()),
    ]);
    let desk = Desk::alone(&site, &endpoint);
    desk.wait();
    assert_eq!(*desk.slept.lock().unwrap(), [7, 2]);
    assert_eq!(desk.embedder.status().embedded, 5);
    // One line when it fails, one when it answers again.
    let log = desk.log();
    let lines = |what: &str| log.lines().filter(|line| line.contains(what)).count();
    assert_eq!(
        (lines("it answered 429"), lines("it answered 500")),
        (1, 0),
        "{log}"
    );
    assert_eq!(lines("available again"), 1, "{log}");
}

#[test]
fn an_endpoint_that_stays_away_is_left_alone_until_something_changes() {
    let (site, endpoint) = (site(), Endpoint::start());
    endpoint.answer(vec![Answer::Status(503, "", String::new()); 3]);
    let desk = Desk::alone(&site, &endpoint);
    wait_until("it rests", || desk.slept.lock().unwrap().contains(&600));
    assert_eq!(*desk.slept.lock().unwrap(), [1, 2, 600]);
    assert_eq!(desk.search_service.waiting(), 5);
    let found = desk.find("how expensive is it");
    assert_eq!(
        (&found["mode"], found.get("embedder")),
        (&json!("semantic"), None)
    );
    assert_eq!(
        endpoint.asked().len(),
        3,
        "a question is not sent while nothing could be compared with it"
    );
    desk.edit(
        "prices.mdx",
        "---\ntitle: Prices\n---\n\nSencha costs less.\n",
    );
    desk.wait();
    assert_eq!(desk.embedder.status().error, None);
}

#[track_caller]
fn check_given_up(answer: Answer, why: &str) {
    let (site, endpoint) = (site(), Endpoint::start());
    endpoint.answer([answer]);
    let desk = Desk::alone(&site, &endpoint);
    wait_until("all others have vectors", || {
        desk.embedder.status().embedded == 2 && desk.search_service.waiting() == 3
    });
    let status = desk.embedder.status();
    assert_eq!((status.failed, status.requests), (3, 2));
    let log = desk.log();
    let lines = log
        .lines()
        .filter(|line| line.contains("3 passages could not be embedded"));
    assert_eq!(lines.count(), 1, "{log}");
    assert!(log.contains(why), "{log}");
    // It is not asked for them again when something else changes.
    desk.edit(
        "prices.mdx",
        "---\ntitle: Prices\n---\n\nSencha costs less.\n",
    );
    wait_until("the edit has its vectors", || {
        desk.embedder.status().embedded == 3
    });
    assert_eq!(endpoint.texts().len(), TEXTS.len() + 1);
    assert_eq!(desk.find("warm the pot")["results"][0]["url"], "/brew");
}

#[test]
fn texts_that_are_refused_or_answered_with_nonsense_are_given_up_once() {
    let refused = json!({ "error": { "message": "too long\nby far", "type": "x" } });
    check_given_up(
        Answer::Status(400, "", refused.to_string()),
        "it answered 400 Bad Request: too long by far",
    );
    check_given_up(Answer::Body("<html>".to_owned()), "not an answer");
    check_given_up(
        Answer::Body(body(&[vec![1.0; 96], vec![1.0; 96]])),
        "more or fewer",
    );
    let mixed = [vec![1.0; 96], vec![1.0; 96], vec![1.0; 95]];
    check_given_up(
        Answer::Body(body(&mixed)),
        "95 numbers where others have 96",
    );
    check_given_up(
        Answer::Body(body(&[vec![1.0], vec![1.0], vec![8.5]]).replace("8.5", "1e39")),
        "number that is none",
    );
    check_given_up(
        Answer::Body(" ".repeat(1 << 20)),
        "far more than was asked for",
    );
}

#[test]
fn an_endpoint_that_refuses_everything_is_left_alone() {
    let (site, endpoint) = (site(), Endpoint::start());
    endpoint.answer(vec![Answer::Status(400, "", String::new()); 50]);
    let settings = EmbedderSettings {
        batch: 1,
        ..endpoint.settings()
    };
    let desk = Desk::new(
        &site,
        &settings,
        Arc::new(EmbeddingCache::new(&Memory::default())),
    );
    wait_until("it rests", || desk.slept.lock().unwrap().contains(&600));
    assert_eq!(endpoint.asked().len(), 3);
    assert_eq!(desk.search_service.waiting(), 5);
    let status = desk.embedder.status();
    assert_eq!(
        (status.failed, status.error.as_deref()),
        (3, Some("it answered 400 Bad Request"))
    );
}

#[test]
fn vectors_are_taken_by_their_numbers() {
    let (site, endpoint) = (site(), Endpoint::start());
    let texts = [
        "Brewing. How to make tea.",
        "Brewing. Warm the pot. Rinse it first.",
        "Brewing. Steep. Three minutes.",
    ];
    let desk = Desk::alone(&site, &endpoint);
    desk.wait();
    let straight = desk.find("steep minutes");
    drop(desk);
    let endpoint = Endpoint::start();
    let mut settings = endpoint.settings();
    settings.batch = 5;
    // Which text comes where is seen only when it is asked, so the first request fails for the moment.
    endpoint.answer([Answer::Status(500, "", String::new())]);
    endpoint.hold(Some("Brewing"));
    let desk = Desk::new(
        &site,
        &settings,
        Arc::new(EmbeddingCache::new(&Memory::default())),
    );
    wait_until("it is asked", || !endpoint.asked().is_empty());
    let asked: EmbeddingRequest = endpoint.asked().remove(0);
    assert!(
        texts
            .iter()
            .all(|text| asked.texts.contains(&(*text).to_owned()))
    );
    let mut data: Vec<Value> = (asked.texts.iter().enumerate())
        .map(|(i, text)| json!({ "index": i, "embedding": numbers(text) }))
        .collect();
    data.reverse();
    endpoint.answer([Answer::Body(json!({ "data": data }).to_string())]);
    endpoint.hold(None);
    desk.wait();
    assert_eq!(desk.find("steep minutes"), straight);
}

#[test]
fn a_key_is_sent_and_never_said() {
    let (site, endpoint, folder) = (
        site(),
        Endpoint::start(),
        Folder::new(&[("key", "sk-canary-123\n")]),
    );
    let settings = EmbedderSettings {
        key_file: Some(folder.at("key")),
        dimensions: Some(96),
        ..endpoint.settings()
    };
    let said = json!({ "error": { "message": "no: sk-canary-123" } }).to_string();
    endpoint.answer([
        Answer::Status(400, "", said.clone()),
        Answer::Status(401, "", said.clone()),
    ]);
    let desk = Desk::new(
        &site,
        &settings,
        Arc::new(EmbeddingCache::new(&Memory::default())),
    );
    wait_until("it rests", || desk.slept.lock().unwrap().contains(&600));
    let asked = endpoint.asked();
    assert_eq!(asked.len(), 2);
    assert!(
        asked
            .iter()
            .all(|asked| asked.key.as_deref() == Some("Bearer sk-canary-123"))
    );
    assert_eq!(asked[0].body["dimensions"], 96);
    let status = desk.embedder.status();
    assert_eq!(
        status.error.as_deref(),
        Some("it answered 401 Unauthorized: check the key (`key_env`, `key_file`)")
    );
    let log = desk.log();
    assert!(log.contains("passages could not be embedded"), "{log}");
    assert!(!log.contains("canary"), "{log}");
    assert!(!format!("{status:?}").contains("canary"));
}

#[test]
fn a_slow_answer_to_a_question_is_not_waited_for_and_not_lost() {
    let (site, endpoint) = (site(), Endpoint::start());
    let desk = Desk::alone(&site, &endpoint);
    desk.wait();
    endpoint.hold(Some("expensive"));
    let found = desk.find("how expensive is it");
    assert_eq!(
        (&found["mode"], found.get("embedder")),
        (&json!("semantic"), None)
    );
    assert_eq!(found["results"][0]["url"], "/prices", "{found}");
    // Asking again while it is on its way sends nothing more.
    desk.find("how expensive is it");
    let asked = endpoint.asked().len();
    endpoint.hold(None);
    wait_until("it is remembered", || {
        desk.find("how expensive is it")["embedder"] == MODEL
    });
    desk.find(" how expensive is it ");
    assert_eq!(endpoint.asked().len(), asked);
}

#[test]
fn two_sites_share_what_was_paid_for() {
    let (site, endpoint) = (site(), Endpoint::start());
    let other = Folder::copy_of(site.path());
    other.write(
        "prices.mdx",
        "---\ntitle: Prices\n---\n\nSencha costs less.\n",
    );
    let cache = Arc::new(EmbeddingCache::new(&Memory::default()));
    // The second begins while the first waits.
    endpoint.hold(Some("Brewing"));
    let first = Desk::new(&site, &endpoint.settings(), cache.clone());
    wait_until("the first asks", || !endpoint.asked().is_empty());
    let second = Desk::new(&other, &endpoint.settings(), cache);
    wait_until("the second asks for what is its own", || {
        endpoint.texts().iter().any(|text| text.contains("less"))
    });
    endpoint.hold(None);
    first.wait();
    second.wait();
    let mut texts: Vec<String> = TEXTS.map(str::to_owned).to_vec();
    texts.push("Prices. Sencha costs less.".to_owned());
    assert_eq!(sorted(endpoint.texts()), sorted(texts));
}

#[test]
fn pages_of_other_languages_stay_with_the_vectors_of_this_program() {
    let (site, endpoint) = (site(), Endpoint::start());
    site.write(
        "docs.json",
        r#"{"name":"Tea","navigation":{"languages":[
            {"language":"en","pages":["brew","prices"]},{"language":"fr","pages":["eau"]}]}}"#,
    );
    let settings = EmbedderSettings {
        languages: vec!["en".to_owned()],
        ..endpoint.settings()
    };
    let desk = Desk::new(
        &site,
        &settings,
        Arc::new(EmbeddingCache::new(&Memory::default())),
    );
    desk.wait();
    assert!(endpoint.texts().iter().all(|text| !text.contains("Eau")));
    assert_eq!(endpoint.texts().len(), 4);
}

#[test]
fn a_private_address_is_asked_only_if_that_is_allowed() {
    let refused = |url: &str, private: bool| {
        let settings = EmbedderSettings {
            private,
            ..EmbedderSettings::new(url, MODEL)
        };
        quire_search::embedder::endpoint::Endpoint::new(&settings)
            .err()
            .map(|error| format!("{error:#}"))
    };
    assert_eq!(refused("https://127.0.0.1/v1", true), None);
    assert_eq!(refused("http://localhost:11434/v1", true), None);
    for url in [
        "https://127.0.0.1/v1",
        "https://[::1]/v1",
        "https://10.0.0.1/",
        "http://localhost:11434/v1",
    ] {
        let why = refused(url, false).expect("refused");
        assert!(why.contains("add `private = true`"), "{why}");
    }
}

fn daemon(site: &Path, state: &Folder, embedder: EmbedderSettings) -> Daemon {
    let site = SiteSettings {
        embedder: Some(embedder),
        ..SiteSettings::of_folder(site)
    };
    Daemon::start(settings(state.path(), &[("tea", site)]))
}

#[test]
fn a_daemon_gives_a_site_its_embedder_and_says_how_it_is() {
    let (site, state, endpoint) = (site(), Folder::new(&[]), Endpoint::start());
    let daemon = daemon(site.path(), &state, endpoint.settings());
    let status = || {
        serde_json::from_slice::<Value>(&daemon.ask("localhost", "/_quire/status").body).unwrap()["sites"][0]["search"]["embedder"].clone()
    };
    wait_until("all passages have vectors", || {
        let status = status();
        status["embedded"] == 5 && status["waiting"] == 0
    });
    let status = status();
    assert_eq!(
        (&status["model"], &status["failed"], &status["error"]),
        (&json!(MODEL), &json!(0), &json!(null))
    );
    let body = json!({ "query": "minutes three", "semantic": true }).to_string();
    let headers = [("Content-Type", "application/json")];
    let reply = daemon.send(
        "POST",
        "tea.localhost",
        "/api/sites/tea/search",
        &headers,
        &body,
    );
    let found: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(found["embedder"], MODEL, "{found}");
    let metrics = daemon.ask("localhost", "/_quire/metrics").text();
    assert!(
        metrics.contains("quire_embedder_texts_total{site=\"tea\"} 5"),
        "{metrics}"
    );
    assert!(
        metrics.contains("quire_embedder_waiting{site=\"tea\"} 0"),
        "{metrics}"
    );
    let state = state.path().to_str().expect("UTF-8");
    let mut status = std::process::Command::new(env!("CARGO_BIN_EXE_quire"));
    let status = status
        .args(["status", "--state", state])
        .output()
        .expect("it starts");
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    let line = format!("{MODEL}: 5 texts embedded in ");
    assert!(
        status.contains(&line) && status.contains(" s, 0 passages wait\n"),
        "{status}"
    );
}

#[test]
fn the_command_waits_for_the_vectors_and_keeps_them() {
    let (site, cache, endpoint) = (site(), Folder::new(&[]), Endpoint::start());
    let url = endpoint.settings().url.expect("an address");
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quire"));
        command
            .args(["search", ".", "minutes three"])
            .args(arguments)
            .env("XDG_CACHE_HOME", cache.path())
            .env("QUIRE_EMBEDDER_KEY", "sk-canary-123")
            .env_remove("QUIRE_STATE")
            .env_remove("QUIRE_LOG")
            .current_dir(site.path());
        let output = command.output().expect("it starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let with = |url: &str| {
        let arguments = [
            "--semantic",
            "--json",
            "--embedder-url",
            url,
            "--embedder-model",
            MODEL,
        ];
        let (code, found, said) = run(&arguments);
        assert_eq!(code, Some(0), "{said}");
        (serde_json::from_str::<Value>(&found).expect("JSON"), said)
    };
    let (found, said) = with(&url);
    assert_eq!((&found["embedder"], said.as_str()), (&json!(MODEL), ""));
    assert_eq!(sorted(endpoint.texts())[..5], TEXTS);
    assert!(
        endpoint
            .asked()
            .iter()
            .all(|asked| asked.key.as_deref() == Some("Bearer sk-canary-123"))
    );
    // The second time only the question is sent.
    let paid = endpoint.texts().len();
    assert_eq!(with(&url).0, found);
    assert_eq!(endpoint.texts().split_off(paid), ["minutes three"]);
    // Nothing is sent that is not wanted, and what is wrong is said.
    let (code, _, said) = run(&["--embedder-url", &url, "--embedder-model", MODEL]);
    assert_eq!(
        (code, said.as_str(), endpoint.texts().len()),
        (Some(0), "", paid + 1)
    );
    let (code, _, said) = run(&["--embedder-url", &url]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--embedder-model"), "{said}");
    let (code, _, said) = run(&["--embedder-url", "here", "--embedder-model", "m"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("write an address"), "{said}");
}

#[cfg(not(feature = "bert"))]
#[test]
fn a_program_without_models_says_how_to_get_one_with_them() {
    let site = site();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quire"));
    let output = command
        .args(["search", ".", "tea", "--embedder-folder", "."])
        .current_dir(site.path())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected = "--embedder-folder: `folder` needs a program that can run models";
    assert!(said.contains(expected), "{said}");
    assert!(
        said.contains("`cargo build --release --features bert`"),
        "{said}"
    );
}
