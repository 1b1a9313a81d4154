//! Search over HTTP: the request and the response field by field (SPEC 2.1, 2.2, 4.1), wrong ones, and how fresh answers are.

use serde_json::{Value, json};

use crate::support::client::Reply;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use crate::support::wait_until;
use quire_settings::SiteSettings;

fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},
                "search":{"synonyms":[["kettle","boiler"]]},
                "navigation":{"tabs":[
                    {"tab":"Guides","pages":["brew","water"]},
                    {"tab":"Shop","pages":["prices"]}]}}"##,
        ),
        (
            "brew.mdx",
            "---\ntitle: Brewing\n---\n\nHow to make tea.\n\n## Warm the pot\n\nRinse the teapot with boiling water first.\n\n## Steep\n\nThree minutes for sencha.\n",
        ),
        (
            "water.mdx",
            "---\ntitle: Water & \"steam\" <b>\n---\n\nSoft water from a kettle.\n",
        ),
        (
            "prices.mdx",
            "---\ntitle: Prices\ntag: NEW\n---\n\nSencha costs more than other tea.\n",
        ),
        (
            "secret.mdx",
            "---\ntitle: Secret\n---\n\nUnlisted sencha.\n",
        ),
    ])
}

/// A daemon with one site, `tea`, which keeps its state in `state`.
pub(crate) fn daemon(site: &Folder, state: &Folder) -> Daemon {
    Daemon::start(settings(
        state.path(),
        &[("tea", SiteSettings::of_folder(site.path()))],
    ))
}

fn post(daemon: &Daemon, headers: &[(&str, &str)], body: &str) -> Reply {
    daemon.send(
        "POST",
        "tea.localhost",
        "/api/sites/tea/search",
        headers,
        body,
    )
}

fn found(daemon: &Daemon, body: &Value) -> Value {
    let reply = post(
        daemon,
        &[("Content-Type", "application/json")],
        &body.to_string(),
    );
    assert_eq!(reply.status, 200, "{}", reply.text());
    serde_json::from_slice(&reply.body).unwrap()
}

fn urls(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results
        .iter()
        .map(|hit| hit["url"].as_str().unwrap())
        .collect()
}

#[test]
fn the_answer_has_the_fields_of_the_specification() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let answer = found(&daemon, &json!({ "query": "sencha" }));
    assert_eq!(answer["mode"], "keyword");
    assert_eq!(answer.as_object().unwrap().len(), 2);
    let hit = answer["results"][0].as_object().unwrap();
    let fields: Vec<&str> = hit.keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "title",
            "url",
            "snippet",
            "score",
            "kind",
            "breadcrumb",
            "tab",
            "matches"
        ]
    );
    assert!(
        hit["snippet"]
            .as_str()
            .unwrap()
            .to_lowercase()
            .contains("sencha")
    );
    let mut of_both = urls(&answer);
    of_both.sort_unstable();
    assert_eq!(
        of_both,
        ["/brew", "/prices"],
        "what nobody lists is not found"
    );
    let scores: Vec<f64> = (answer["results"].as_array().unwrap().iter())
        .map(|hit| hit["score"].as_f64().unwrap())
        .collect();
    assert!(
        scores.iter().all(|score| (0.0..=1.0).contains(score)),
        "{scores:?}"
    );
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    // By meaning: none of these words is on the page.
    let answer = found(
        &daemon,
        &json!({ "query": "how expensive is it", "semantic": true }),
    );
    assert_eq!(answer["mode"], "semantic");
    assert_eq!(urls(&answer)[0], "/prices", "{answer}");
    // Titles are text, not markup.
    let answer = found(&daemon, &json!({ "query": "steam" }));
    assert_eq!(answer["results"][0]["title"], "Water & \"steam\" <b>");
    // What the site says to mean the same.
    assert_eq!(
        urls(&found(&daemon, &json!({ "query": "boiler" }))),
        ["/water"]
    );
    // Nothing found is no error.
    let answer = found(&daemon, &json!({ "query": "zzzzqqqq" }));
    assert_eq!(answer, json!({ "mode": "keyword", "results": [] }));
}

#[test]
fn passages_limits_and_filters() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let answer = found(
        &daemon,
        &json!({ "query": "rinse the teapot", "sections": true }),
    );
    let hit = &answer["results"][0];
    assert_eq!(hit["url"], "/brew", "{answer}");
    let section = hit["sections"][0].as_object().unwrap();
    let fields: Vec<&str> = section.keys().map(String::as_str).collect();
    assert_eq!(fields, ["title", "anchor", "snippet", "score", "matches"]);
    assert_eq!(section["title"], "Warm the pot");
    assert_eq!(section["anchor"], "warm-the-pot");
    assert_eq!(
        urls(&found(&daemon, &json!({ "query": "tea", "limit": 1 }))).len(),
        1
    );
    let filtered = |filter: Value| found(&daemon, &json!({ "query": "sencha", "filter": filter }));
    assert_eq!(urls(&filtered(json!({ "tab": "Shop" }))), ["/prices"]);
    assert_eq!(urls(&filtered(json!({ "tab": "Guides" }))), ["/brew"]);
    assert_eq!(urls(&filtered(json!({ "tag": "NEW" }))), ["/prices"]);
    assert!(urls(&filtered(json!({ "tag": "OLD" }))).is_empty());
    // What belongs to no version belongs to all of them.
    assert_eq!(urls(&filtered(json!({ "version": "v9" }))).len(), 2);
}

#[test]
fn wrong_questions_are_told_what_is_wrong() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let long = json!({ "query": "a ".repeat(600) }).to_string();
    let cases: &[(&str, &str)] = &[
        (r#"{}"#, "`query` is missing"),
        (r#"{"query":3}"#, "`query` must be a string"),
        (r#"{"query":"  "}"#, "`query` must not be empty"),
        (&long, "at most 1000 characters"),
        (r#"{"query":"a","limit":0}"#, "`limit`"),
        (r#"{"query":"a","limit":51}"#, "`limit`"),
        (r#"{"query":"a","limit":1.5}"#, "`limit`"),
        (r#"{"query":"a","semantic":"yes"}"#, "`semantic`"),
        (r#"{"query":"a","sections":1}"#, "`sections`"),
        (r#"{"query":"a","filter":[]}"#, "`filter`"),
        (r#"{"query":"a","filter":{"tab":1}}"#, "`filter.tab`"),
        (
            r#"{"query":"a","filter":{"tags":"NEW"}}"#,
            "`filter.tags` is not known; a filter has `tab`, `version`, `language`, `tag`",
        ),
        (r#"["query"]"#, "an object"),
        (r#"{"query":"#, "invalid request body"),
        ("", "an object"),
    ];
    for (body, message) in cases {
        let reply = post(&daemon, &[("Content-Type", "application/json")], body);
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.text().contains(message), "{body}: {}", reply.text());
    }
    let json_type = [("Content-Type", "application/json")];
    let reply = post(&daemon, &[("Content-Type", "text/plain")], "{}");
    assert_eq!(reply.status, 415);
    let large = json!({ "query": "a", "pad": "a".repeat(20_000) }).to_string();
    assert_eq!(post(&daemon, &json_type, &large).status, 413);
    let reply = daemon.send("GET", "tea.localhost", "/api/sites/tea/search", &[], "");
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, Some("POST, OPTIONS"))
    );
    let reply = daemon.send(
        "POST",
        "tea.localhost",
        "/api/sites/coffee/search",
        &json_type,
        r#"{"query":"a"}"#,
    );
    assert_eq!(reply.status, 404);
    assert!(reply.text().contains("unknown-site"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let path = "/api/sites/tea/search";
    let reply = daemon.send("POST", "tea.example", path, &json_type, r#"{"query":"a"}"#);
    assert_eq!(reply.status, 421);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let reply = daemon.send("GET", "tea.example", "/brew", &[], "");
    assert_eq!(reply.status, 421);
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

/// A result says where it stands, what it is and what of it was asked for.
#[test]
fn results_explain_themselves() {
    let site = Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},
                "navigation":{"versions":[
                    {"version":"2","default":true,"tabs":[{"tab":"Guides","groups":[
                        {"group":"Start","pages":["brew", "partner", {"group":"Deep","pages":["pot_size"]}]},
                        {"group":"API reference","openapi":"api.json","pages":["GET /pots/{id}"]}]}]},
                    {"version":"1","groups":[{"group":"Start","pages":["v1/brew"]}]}]}}"##,
        ),
        (
            "api.json",
            r#"{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{"/pots/{id}":{"get":{
                "operationId":"readPot","summary":"Read a pot","responses":{"200":{"description":"It"}}}}}}"#,
        ),
        (
            "brew.mdx",
            "---\ntitle: Brewing 𝄞 teas\n---\n\nSet `max_steep_time` and brew. 茶を入れる方法。\n",
        ),
        (
            "v1/brew.mdx",
            "---\ntitle: Brewing 𝄞 teas\n---\n\nBrew, brew and brew: brewing teas.\n",
        ),
        (
            "pot_size.mdx",
            "---\ntitle: Sizes\n---\n\nHow large a pot is.\n",
        ),
        (
            "partner.mdx",
            "---\ntitle: Partners\nurl: https://partners.example/start\n---\n",
        ),
    ]);
    let state = Folder::new(&[]);
    let daemon = daemon(&site, &state);
    let first = |query: &str| found(&daemon, &json!({ "query": query }))["results"][0].clone();
    let marked = |hit: &Value, field: &str| {
        let text: Vec<u16> = hit[field].as_str().unwrap().encode_utf16().collect();
        let ranges = hit["matches"][field].as_array().unwrap().iter();
        let words = ranges.map(|range| {
            let at = |i: usize| range[i].as_u64().unwrap() as usize;
            String::from_utf16(&text[at(0)..at(1)]).unwrap()
        });
        words.collect::<Vec<String>>()
    };
    // Copies in several versions are one result, that of the version shown first.
    let answer = found(&daemon, &json!({ "query": "brew teas" }));
    assert_eq!(urls(&answer), ["/brew"], "{answer}");
    let of_old = json!({ "query": "brew teas", "filter": { "version": "1" } });
    assert_eq!(urls(&found(&daemon, &of_old)), ["/v1/brew"]);
    let hit = &answer["results"][0];
    assert_eq!(hit["breadcrumb"], json!(["Guides", "Start"]));
    assert_eq!(
        (&hit["kind"], &hit["version"]),
        (&json!("guide"), &json!("2"))
    );
    assert_eq!(marked(hit, "title"), ["Brewing", "teas"]);
    assert_eq!(marked(hit, "snippet"), ["brew"]);
    // Parts of identifiers, what is mistyped or unfinished, scripts without blanks.
    assert_eq!(marked(&first("steep time"), "snippet"), ["steep", "time"]);
    assert_eq!(
        marked(&first("max_steep_time"), "snippet"),
        ["max_steep_time"]
    );
    assert_eq!(marked(&first("brewnig"), "title"), ["Brewing"]);
    assert_eq!(marked(&first("brewi"), "title"), ["Brewing"]);
    assert_eq!(marked(&first("方法"), "snippet"), ["方法"]);
    // Nested groups, operations, pages that lead elsewhere.
    let hit = first("large");
    assert_eq!(hit["breadcrumb"], json!(["Guides", "Start", "Deep"]));
    let hit = first("GET /pots/8f14");
    assert_eq!(
        (&hit["method"], &hit["path"]),
        (&json!("GET"), &json!("/pots/{id}"))
    );
    assert_eq!(
        (&hit["kind"], &hit["title"]),
        (&json!("operation"), &json!("Read a pot"))
    );
    assert_eq!(hit["breadcrumb"], json!(["Guides", "API reference"]));
    assert_eq!(first("partners")["url"], "https://partners.example/start");
}

/// Where nothing is found only questions are offered that find something.
#[test]
fn suggestions_find_something() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let answer = found(&daemon, &json!({ "query": "\"sencha teapot\" rinse" }));
    assert_eq!(answer["results"], json!([]));
    let offered: Vec<&str> = (answer["suggestions"].as_array().unwrap().iter())
        .map(|text| text.as_str().unwrap())
        .collect();
    assert_eq!(offered.first(), Some(&"sencha teapot rinse"), "{answer}");
    assert!(offered.len() <= 3);
    for query in offered {
        assert!(
            !urls(&found(&daemon, &json!({ "query": query }))).is_empty(),
            "{query}"
        );
    }
    // Nothing that is found anywhere is near this one.
    let answer = found(&daemon, &json!({ "query": "qqqqzzzz xxxxjjjj" }));
    assert_eq!(answer.get("suggestions"), None, "{answer}");
}

#[test]
fn pages_of_any_origin_may_ask() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let reply = daemon.send(
        "OPTIONS",
        "tea.localhost",
        "/api/sites/tea/search",
        &[
            ("Origin", "https://elsewhere.example"),
            ("Access-Control-Request-Method", "POST"),
        ],
        "",
    );
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        reply.header("access-control-allow-headers"),
        Some("content-type, accept, user-agent")
    );
    assert_eq!(reply.header("access-control-allow-credentials"), None);
    let headers = [
        ("Content-Type", "application/json"),
        ("Origin", "https://elsewhere.example"),
    ];
    let reply = post(&daemon, &headers, r#"{"query":"tea"}"#);
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let reply = post(&daemon, &headers, "{}");
    assert_eq!(reply.status, 400);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
}

/// A search that starts after a file was written finds what it says, each time; what is gone is not found.
#[test]
fn an_answer_is_as_new_as_the_files() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let mut before = None;
    for word in [
        "saffron", "cardamom", "juniper", "lavender", "hibiscus", "turmeric",
    ] {
        site.write(
            "water.mdx",
            format!("---\ntitle: Water\n---\n\nWith a little {word}.\n"),
        );
        assert_eq!(
            urls(&found(&daemon, &json!({ "query": word }))),
            ["/water"],
            "{word}"
        );
        if let Some(before) = before.replace(word) {
            let answer = found(&daemon, &json!({ "query": before }));
            assert!(urls(&answer).is_empty(), "{before}: {answer}");
        }
    }
    site.remove("prices.mdx");
    assert_eq!(
        urls(&found(&daemon, &json!({ "query": "sencha" }))),
        ["/brew"]
    );
    // After a restart the index is what it was, and follows what changed meanwhile.
    drop(daemon);
    site.write(
        "water.mdx",
        "---\ntitle: Water\n---\n\nWritten in the night.\n",
    );
    let daemon = self::daemon(&site, &state);
    assert_eq!(
        urls(&found(&daemon, &json!({ "query": "night" }))),
        ["/water"]
    );
    assert_eq!(
        urls(&found(&daemon, &json!({ "query": "sencha" }))),
        ["/brew"]
    );
}

/// Pages that import another page are found by its words too, a moment later.
#[test]
fn pages_that_import_a_page_follow_it() {
    let (site, state) = (site(), Folder::new(&[]));
    site.write(
        "prices.mdx",
        "---\ntitle: Prices\n---\n\nimport Water from './water.mdx'\n\n<Water />\n",
    );
    let daemon = daemon(&site, &state);
    let mut of_kettle = found(&daemon, &json!({ "query": "kettle" }));
    assert_eq!(urls(&of_kettle).len(), 2, "{of_kettle}");
    site.write(
        "water.mdx",
        "---\ntitle: Water\n---\n\nWith a little ginger.\n",
    );
    let of_ginger = found(&daemon, &json!({ "query": "ginger" }));
    assert_eq!(urls(&of_ginger).len(), 2, "{of_ginger}");
    of_kettle = found(&daemon, &json!({ "query": "kettle" }));
    assert!(urls(&of_kettle).is_empty(), "{of_kettle}");
}

/// An index that cannot be written is not answered from: it is opened again, and says what the files say.
#[test]
fn a_spoilt_index_gives_no_old_answers() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    assert_eq!(
        urls(&found(&daemon, &json!({ "query": "kettle" }))),
        ["/water"]
    );
    for (round, word) in ["saffron", "cardamom", "juniper"].into_iter().enumerate() {
        let folder = state.at("search/tea");
        let names: Vec<_> = (std::fs::read_dir(&folder).unwrap())
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .collect();
        assert!(!names.is_empty(), "the index is kept");
        for path in names {
            match round {
                0 => std::fs::write(path, b"spoilt").unwrap(),
                _ => std::fs::remove_file(path).unwrap(),
            }
        }
        site.write(
            "water.mdx",
            format!("---\ntitle: Water\n---\n\nWith a little {word}.\n"),
        );
        let ask = || {
            let body = json!({ "query": word }).to_string();
            post(&daemon, &[("Content-Type", "application/json")], &body)
        };
        let mut reply = ask();
        wait_until("it can be searched again", || {
            if reply.status != 200 {
                assert_eq!(reply.status, 500, "{}", reply.text());
                reply = ask();
            }
            reply.status == 200
        });
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(urls(&answer), ["/water"], "{word}: {answer}");
    }
}
