//! The assistant over HTTP: request and response field by field (S9: SPEC 2.3, 2.4, 4.2), wrong ones, the stream.

use serde_json::{Value, json};

use crate::http_search::daemon;
use crate::support::client::Reply;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use quire_settings::SiteSettings;

const PATH: &str = "/api/sites/tea/assistant";

fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},
                "navigation":{"versions":[{"version":"v2","pages":["brew","water"]},{"version":"v1","pages":["old/brew"]}]}}"##,
        ),
        (
            "brew.mdx",
            "---\ntitle: Brewing\n---\n\nHow to make tea.\n\n## Steep the leaves\n\nSteep sencha for three minutes.\n",
        ),
        (
            "old/brew.mdx",
            "---\ntitle: Brewing\n---\n\nHow to make tea.\n\n## Steep the leaves\n\nSteep sencha for an hour.\n",
        ),
        (
            "water.mdx",
            "---\ntitle: Water\n---\n\nSoft water tastes best.\n",
        ),
    ])
}

fn post(daemon: &Daemon, headers: &[(&str, &str)], body: &str) -> Reply {
    daemon.send("POST", "tea.localhost", PATH, headers, body)
}

fn asked(daemon: &Daemon, body: &Value) -> Value {
    let headers = [("Content-Type", "application/json")];
    let reply = post(daemon, &headers, &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
    serde_json::from_slice(&reply.body).unwrap()
}

fn question(text: &str) -> Value {
    json!({ "messages": [{ "role": "user", "content": text }] })
}

fn text(answer: &Value) -> &str {
    answer["parts"][0]["text"].as_str().unwrap()
}

#[test]
fn s9_the_answer_has_the_fields_of_the_specification() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let answer = asked(&daemon, &question("How long do I steep sencha?"));
    let fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["id", "role", "parts", "metadata"]);
    let id = answer["id"].as_str().unwrap();
    let number = id.strip_prefix("assistant-").expect("the form of ids");
    assert!(
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()),
        "{id}"
    );
    assert!(number.parse::<u64>().unwrap() < 1 << 53, "{id}");
    assert_eq!(answer["role"], "assistant");
    assert_eq!(answer["parts"][0]["type"], "text");
    assert!(
        text(&answer).contains("Steep sencha for three minutes."),
        "{answer}"
    );
    assert_eq!(
        answer["parts"][1],
        json!({
            "type": "source-url",
            "sourceId": "source-1",
            "url": "/brew#steep-the-leaves",
            "title": "Brewing › Steep the leaves",
        })
    );
    assert_eq!(
        answer["metadata"],
        json!({ "answered": true, "engine": "extract", "mode": "semantic" })
    );
    assert_eq!(
        answer,
        asked(&daemon, &question("How long do I steep sencha?"))
    );
    let other = asked(&daemon, &question("Which water tastes best?"));
    assert_ne!(answer["id"], other["id"]);
    // Nothing that answers is no error, and nothing is cited.
    let answer = asked(&daemon, &question("Who painted the Sistine Chapel?"));
    assert_eq!(
        answer["metadata"],
        json!({ "answered": false, "engine": "extract", "mode": "semantic" })
    );
    assert_eq!(answer["parts"].as_array().unwrap().len(), 1, "{answer}");
}

#[test]
fn the_page_of_the_reader_and_a_filter_say_which_version_answers() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let mut body = question("How long do I steep sencha?");
    body["currentPath"] = json!("/old/brew");
    assert!(text(&asked(&daemon, &body)).contains("an hour"));
    body["currentPath"] = json!("/water");
    assert!(text(&asked(&daemon, &body)).contains("three minutes"));
    body["filter"] = json!({ "version": "v1" });
    assert!(text(&asked(&daemon, &body)).contains("an hour"));
}

#[test]
fn pages_have_a_panel_unless_their_site_has_none() {
    let (site, state) = (site(), Folder::new(&[]));
    let shown = |panel: bool| {
        let mut tea = SiteSettings::of_folder(site.path());
        tea.assistant.panel = panel;
        let daemon = Daemon::start(settings(state.path(), &[("tea", tea)]));
        ["/brew", "/nothing"].map(|path| daemon.get("tea.localhost", path).text())
    };
    for page in shown(true) {
        let (head, body) = page.split_once("<body>").expect("a body");
        assert!(
            head.contains("<meta name=\"quire-assistant\" content=\"/api/sites/tea/assistant\""),
            "{head}"
        );
        assert!(head.contains("/_theme/served."), "{head}");
        assert!(body.contains("data-ask-open"), "{body}");
    }
    for page in shown(false) {
        assert!(page.contains("/_theme/quire."), "{page}");
        assert!(
            !page.contains("quire-assistant") && !page.contains("data-ask"),
            "{page}"
        );
    }
}

#[test]
fn quotes_can_be_asked_for_alone() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let mut body = question("How long do I steep sencha?");
    let whole = asked(&daemon, &body);
    body["engine"] = json!("extract");
    assert_eq!(asked(&daemon, &body), whole);
    body["engine"] = json!("oracle");
    let headers = [("Content-Type", "application/json")];
    let refused = post(&daemon, &headers, &body.to_string());
    assert_eq!(refused.status, 400);
    assert!(
        refused.text().contains("`engine` must be `extract`"),
        "{}",
        refused.text()
    );
}

#[test]
fn a_question_about_the_page_is_answered_from_it_in_any_words() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let mut body = question("Worum geht es?");
    body["currentPath"] = json!("/water");
    assert_eq!(asked(&daemon, &body)["metadata"]["answered"], false);
    body["context"] = json!([{ "type": "page", "value": "Water" }]);
    let answer = asked(&daemon, &body);
    assert_eq!(answer["metadata"]["answered"], true, "{answer}");
    assert!(text(&answer).contains("Soft water"), "{answer}");
    assert_eq!(answer["parts"][1]["url"], "/water");
}

#[test]
fn messages_of_the_ai_sdk_are_understood() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let body = json!({
        "id": "chat-1",
        "trigger": "submit-message",
        "messages": [
            { "id": "m1", "role": "user", "parts": [{ "type": "text", "text": "How long do I steep sencha?" }] },
            { "id": "m2", "role": "assistant", "parts": [{ "type": "step-start" }, { "type": "text", "text": "Three minutes." }] },
            { "id": "m3", "role": "user", "parts": [{ "type": "text", "text": "Why?" }] },
        ],
    });
    let reply = |accept: Option<&str>, body: &Value| {
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(accept.map(|accept| ("Accept", accept)));
        let reply = post(&daemon, &headers, &body.to_string());
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(reply.text().contains("Steep sencha"), "{}", reply.text());
        reply.header("content-type").unwrap().to_owned()
    };
    // Its transport names no media type, and reads the stream alone.
    for accept in [None, Some("*/*"), Some("text/event-stream")] {
        assert_eq!(reply(accept, &body), "text/event-stream", "{accept:?}");
    }
    assert!(reply(Some("application/json"), &body).starts_with("application/json"));
    // Messages without `parts` are no messages of it.
    let mut plain = question("How long do I steep sencha?");
    plain["trigger"] = json!("submit-message");
    for accept in [None, Some("*/*"), Some("application/json")] {
        assert!(
            reply(accept, &plain).starts_with("application/json"),
            "{accept:?}"
        );
    }
    assert_eq!(
        reply(Some("text/event-stream"), &plain),
        "text/event-stream"
    );
}

#[test]
fn a_stream_has_the_parts_of_the_answer() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let body = question("How long do I steep sencha?");
    let whole = asked(&daemon, &body);
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json;q=0.5, text/event-stream"),
    ];
    let reply = post(&daemon, &headers, &body.to_string());
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(reply.header("x-vercel-ai-ui-message-stream"), Some("v1"));
    let stream = reply.text();
    let lines: Vec<&str> = stream
        .split("\n\n")
        .filter(|event| !event.is_empty())
        .collect();
    assert_eq!(lines.last(), Some(&"data: [DONE]"));
    let events: Vec<Value> = lines[..lines.len() - 1]
        .iter()
        .map(|line| serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap())
        .collect();
    assert_eq!(events[0]["type"], "start");
    assert_eq!(events[0]["messageId"], whole["id"]);
    let deltas = events.iter().filter(|event| event["type"] == "text-delta");
    let said: String = deltas
        .map(|event| event["delta"].as_str().unwrap())
        .collect();
    assert_eq!(said, text(&whole));
    let sources: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "source-url")
        .collect();
    assert_eq!(
        sources,
        whole["parts"].as_array().unwrap()[1..]
            .iter()
            .collect::<Vec<_>>()
    );
    let end = events.last().unwrap();
    assert_eq!(
        end,
        &json!({ "type": "finish", "messageMetadata": whole["metadata"] })
    );
}

#[test]
fn wrong_conversations_are_told_what_is_wrong() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let message =
        |role: Value, content: Value| json!({ "messages": [{ "role": role, "content": content }] });
    let with = |name: &str, value: Value| {
        let mut body = question("tea");
        body[name] = value;
        body
    };
    let many: Vec<Value> = (0..201)
        .map(|_| json!({ "role": "user", "content": "a" }))
        .collect();
    for (body, named) in [
        (json!({}), "`messages` is missing"),
        (json!({ "messages": "tea" }), "`messages` must be an array"),
        (json!({ "messages": [] }), "`messages` must not be empty"),
        (json!({ "messages": many }), "at most 200"),
        (
            json!({ "messages": ["tea"] }),
            "`messages[0]` must be an object",
        ),
        (
            message(json!("robot"), json!("tea")),
            "`messages[0].role` must be",
        ),
        (
            message(json!(1), json!("tea")),
            "`messages[0].role` must be a string",
        ),
        (
            message(json!("user"), json!(1)),
            "`messages[0].content` must be a string",
        ),
        (message(json!("user"), json!(" ")), "must not be empty"),
        (
            message(json!("assistant"), json!("tea")),
            "must have the role `user`",
        ),
        (
            message(json!("user"), json!("a".repeat(16_001))),
            "at most 16000",
        ),
        (
            json!({ "messages": [{ "content": "tea" }] }),
            "`messages[0].role` is missing",
        ),
        (
            json!({ "messages": [{ "role": "user" }] }),
            "`messages[0].content` is missing",
        ),
        (
            with("currentPath", json!(1)),
            "`currentPath` must be a string",
        ),
        (with("currentPath", json!("a".repeat(201))), "at most 200"),
        (with("context", json!(1)), "`context` must be an array"),
        (
            with("context", json!([{ "type": "code" }])),
            "`context[0].value` must be a string",
        ),
        (
            with("filter", json!({ "versoin": "1" })),
            "`filter.versoin` is not known",
        ),
    ] {
        let headers = [("Content-Type", "application/json")];
        let reply = post(&daemon, &headers, &body.to_string());
        assert_eq!(reply.status, 400, "{body}");
        let error: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(error["error"]["code"], "bad-field");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(named), "{message} for {named}");
    }
    let reply = post(&daemon, &[("Content-Type", "application/json")], "{");
    assert_eq!(reply.status, 400);
    let reply = post(&daemon, &[("Content-Type", "text/plain")], "{}");
    assert_eq!(reply.status, 415);
    let reply = daemon.send("GET", "tea.localhost", PATH, &[], "");
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, Some("POST, OPTIONS"))
    );
    let reply = daemon.send(
        "POST",
        "tea.localhost",
        "/api/sites/coffee/assistant",
        &[],
        "",
    );
    assert_eq!(reply.status, 404);
    let long = format!("{{\"messages\":\"{}\"}}", "a".repeat(256 * 1024));
    assert_eq!(
        post(&daemon, &[("Content-Type", "application/json")], &long).status,
        413
    );
}

#[test]
fn pages_of_any_origin_may_ask() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let origin = ("Origin", "https://elsewhere.example");
    let reply = daemon.send(
        "OPTIONS",
        "tea.localhost",
        PATH,
        &[origin, ("Access-Control-Request-Method", "POST")],
        "",
    );
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let reply = post(
        &daemon,
        &[origin, ("Content-Type", "application/json")],
        "{}",
    );
    assert_eq!(reply.status, 400);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("access-control-allow-credentials"), None);
}

/// An answer that is asked for after a file was written says what the file says, each time.
#[test]
fn an_answer_is_as_new_as_the_files() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    for minutes in ["four", "five", "six", "seven"] {
        site.write(
            "brew.mdx",
            format!("---\ntitle: Brewing\n---\n\n## Steep the leaves\n\nSteep sencha for {minutes} minutes.\n"),
        );
        let answer = asked(&daemon, &question("How long do I steep sencha?"));
        assert!(
            text(&answer).contains(&format!("for {minutes} minutes")),
            "{answer}"
        );
    }
}

#[test]
fn chat_completions_are_there_where_a_site_offers_them() {
    let (site, state) = (site(), Folder::new(&[]));
    let mut offered = SiteSettings::of_folder(site.path());
    offered.assistant.chat_completions = true;
    let silent = SiteSettings::of_folder(site.path());
    let daemon = Daemon::start(settings(
        state.path(),
        &[("tea", offered), ("silent", silent)],
    ));
    let send = |host: &str, method: &str, body: &Value| {
        let headers = [
            ("Content-Type", "application/json"),
            ("Authorization", "Bearer any"),
        ];
        daemon.send(
            method,
            host,
            "/v1/chat/completions",
            &headers,
            &body.to_string(),
        )
    };
    let mut body = json!({
        "model": "any",
        "temperature": 0.2,
        "messages": [
            { "role": "developer", "content": "Be brief." },
            { "role": "assistant", "content": null, "tool_calls": [] },
            { "role": "tool", "tool_call_id": "1", "content": "nothing" },
            { "role": "user", "content": [{ "type": "text", "text": "How long do I steep sencha?" }] },
        ],
    });
    let reply = send("tea.localhost", "POST", &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    assert!(
        answer["id"].as_str().unwrap().starts_with("chatcmpl-"),
        "{answer}"
    );
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "any");
    let choice = &answer["choices"][0];
    assert_eq!(
        (&choice["index"], &choice["finish_reason"]),
        (&json!(0), &json!("stop"))
    );
    let said = choice["message"]["content"].as_str().unwrap();
    assert!(said.contains("Steep sencha for three minutes."), "{said}");
    let usage = |value: &Value| {
        let of = |name: &str| value["usage"][name].as_u64().unwrap_or(0);
        let [asked, said, all] = ["prompt_tokens", "completion_tokens", "total_tokens"].map(of);
        assert_eq!(asked + said, all, "{value}");
        (asked, said)
    };
    // `Be brief.` and the question; the text of the answer.
    assert_eq!(
        usage(&answer),
        (3 + 7, said.chars().count().div_ceil(4) as u64)
    );
    body["stream_options"] = json!({ "include_usage": true });
    body["stream"] = json!(true);
    let counted = send("tea.localhost", "POST", &body).text();
    let counted: Vec<&str> = counted.split("\n\n").collect();
    let last = counted[counted.len() - 3].strip_prefix("data: ").unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(
        (&last["choices"], usage(&last)),
        (&json!([]), usage(&answer))
    );
    body["stream_options"] = json!(null);
    let models = |host: &str, path: &str| daemon.send("GET", host, path, &[], "");
    let list: Value = serde_json::from_slice(&models("tea.localhost", "/v1/models").body).unwrap();
    assert_eq!(list["data"][0]["id"], "quire");
    let one: Value =
        serde_json::from_slice(&models("tea.localhost", "/v1/models/quire").body).unwrap();
    assert_eq!(one, list["data"][0]);
    assert_eq!(models("tea.localhost", "/v1/models/other").status, 404);
    assert_eq!(models("silent.localhost", "/v1/models").status, 404);
    let reply = send("tea.localhost", "POST", &body);
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let stream = reply.text();
    let events: Vec<&str> = stream
        .split("\n\n")
        .filter(|event| !event.is_empty())
        .collect();
    assert_eq!(events.last(), Some(&"data: [DONE]"));
    let chunks: Vec<Value> = events[..events.len() - 1]
        .iter()
        .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
        .collect();
    let pieces = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str());
    assert_eq!(pieces.collect::<String>(), said);
    assert_eq!(
        chunks.last().unwrap()["choices"][0]["finish_reason"],
        "stop"
    );
    for (host, method, body, status) in [
        ("silent.localhost", "POST", body.clone(), 404),
        ("tea.localhost", "GET", json!({}), 405),
        ("tea.localhost", "POST", json!({}), 400),
        (
            "tea.localhost",
            "POST",
            json!({ "messages": [{ "role": "user" }] }),
            400,
        ),
        (
            "tea.localhost",
            "POST",
            json!({ "messages": [{ "role": "assistant", "content": "a" }] }),
            400,
        ),
        (
            "tea.localhost",
            "POST",
            json!({ "messages": [], "stream": 1 }),
            400,
        ),
    ] {
        assert_eq!(
            send(host, method, &body).status,
            status,
            "{host} {method} {body}"
        );
    }
}
