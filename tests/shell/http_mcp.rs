//! The MCP server of a site on plain sockets: the shapes of the protocol, who may ask and how much, wrong arguments, and
//! that nothing is told of pages that are not to be found.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::client::Reply;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use quire_settings::{McpSettings, SiteSettings};

const HOST: &str = "docs.localhost";

/// Headers that every client sends.
const CLIENT: [(&str, &str); 2] = [
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
];

const DOCS: &str = r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},
  "navigation":{"tabs":[
    {"tab":"Guides","groups":[
      {"group":"Start","pages":["start","hidden","noindex","unsearchable","model","hidden-model"]},
      {"group":"Inner","hidden":true,"pages":["in-hidden-group"]}]},
    {"tab":"API","openapi":"api.json"}]}}"##;

const API: &str = r##"{"openapi":"3.1.0","info":{"title":"T","version":"1"},
  "paths":{
    "/tea":{
      "get":{"operationId":"listTea","tags":["tea"],"summary":"List teas","responses":{"200":{"description":"Fine.",
        "content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Tea"}}}}}}},
      "post":{"operationId":"brewTea","tags":["tea"],"summary":"Brew tea","responses":{"201":{"description":"Done."}}},
      "delete":{"operationId":"zanzibarDrop","x-hidden":true,"summary":"Drop zanzibar","responses":{"204":{"description":"Gone."}}}},
    "/cups":{
      "get":{"operationId":"zanzibarCups","x-docs":{"metadata":{"hidden":true}},"summary":"List zanzibar cups",
        "responses":{"200":{"description":"Fine."}}}}},
  "components":{"schemas":{
    "Tea":{"type":"object","properties":{"name":{"type":"string"},"origin":{"$ref":"#/components/schemas/Origin"}}},
    "Origin":{"type":"object","properties":{"country":{"type":"string"}}},
    "Zanzibar":{"type":"object","properties":{"secret":{"type":"string"}}}}}}"##;

/// A word that stands only on pages, operations and data models that are not to be found.
const SECRET: &str = "zanzibar";

fn site() -> Folder {
    let page = |title: &str, more: &str| {
        format!("---\ntitle: {title}\n{more}---\n\nSay {SECRET} quietly.\n")
    };
    Folder::new(&[
        ("docs.json", DOCS),
        (
            "start.mdx",
            "---\ntitle: Start\ndescription: Begin here.\n---\n\nHow to make tea.\n\n## Steep\n\nThree minutes.\n",
        ),
        ("hidden.mdx", &page("Hidden zanzibar", "hidden: true\n")),
        ("noindex.mdx", &page("Noindex zanzibar", "noindex: true\n")),
        (
            "unsearchable.mdx",
            &page("Unsearchable zanzibar", "searchable: false\n"),
        ),
        ("in-hidden-group.mdx", &page("Group zanzibar", "")),
        ("unlisted.mdx", &page("Unlisted zanzibar", "")),
        ("model.mdx", "---\nopenapi-schema: Tea\n---\n"),
        (
            "hidden-model.mdx",
            "---\nopenapi-schema: Zanzibar\nhidden: true\n---\n",
        ),
        ("api.json", API),
        (
            "skill.md",
            "---\nname: brew-tea\ndescription: Brews tea.\nhidden: true\n---\n\nBoil water.\n",
        ),
        (
            ".mintlify/skills/pour/SKILL.md",
            "---\nname: pour\n---\n\nPour.\n",
        ),
    ])
}

fn daemon_with(site: &Folder, state: &Folder, mcp: McpSettings) -> Daemon {
    let docs = SiteSettings {
        mcp,
        domains: vec!["docs.example.org".to_owned()],
        ..SiteSettings::of_folder(site.path())
    };
    let other = SiteSettings::of_folder(site.path());
    let mut settings = settings(state.path(), &[("docs", docs), ("other", other)]);
    settings.listen.proxies = vec!["127.0.0.1".to_owned()];
    Daemon::start(settings)
}

fn daemon(site: &Folder, state: &Folder) -> Daemon {
    daemon_with(site, state, McpSettings::default())
}

fn post(daemon: &Daemon, host: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let all: Vec<(&str, &str)> = CLIENT.iter().chain(headers).copied().collect();
    daemon.send("POST", host, "/mcp", &all, body)
}

fn message(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
}

/// The result of a request that must have one.
#[track_caller]
fn ask(daemon: &Daemon, host: &str, method: &str, params: &Value) -> Value {
    let reply = post(daemon, host, &[], &message(method, params));
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(answer["id"], 7);
    assert!(answer["result"].is_object(), "{answer}");
    answer["result"].clone()
}

fn call(daemon: &Daemon, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    ask(daemon, HOST, "tools/call", &params)
}

/// What a tool says that must answer.
#[track_caller]
fn said(daemon: &Daemon, tool: &str, arguments: &Value) -> String {
    let result = call(daemon, tool, arguments);
    assert_eq!(result["isError"], false, "{result}");
    // Nothing is sent twice.
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1));
    let text = result["content"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

/// The document in the answer of a tool that must answer.
#[track_caller]
fn document(daemon: &Daemon, tool: &str, arguments: &Value) -> Value {
    let text = said(daemon, tool, arguments);
    let yaml = text.split("```yaml api.json\n").nth(1).expect("a document");
    let yaml = yaml.split("\n```").next().unwrap_or_default();
    queries::base::data::yaml::parse(yaml).unwrap_or_else(|error| panic!("{error:?}: {yaml}"))
}

/// What a tool says that does not answer.
#[track_caller]
fn refused(daemon: &Daemon, tool: &str, arguments: &Value) -> String {
    let result = call(daemon, tool, arguments);
    assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    let text = result["content"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

#[test]
fn a_client_is_told_what_there_is_and_nothing_is_kept_of_it() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let reply = post(&daemon, HOST, &[], &message("initialize", &params));
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("mcp-session-id"), None);
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "docs");
    assert_eq!(answer["result"]["serverInfo"]["title"], "Tea documentation");
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(post(&daemon, HOST, &[], &note).status, 202);
    // No session: whoever asks without `initialize` is answered, too.
    let tools = ask(&daemon, HOST, "tools/list", &json!({}));
    for tool in tools["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(tool["annotations"]["readOnlyHint"].is_boolean());
        for (name, argument) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(argument["description"].is_string(), "{name}");
            let is_bounded = argument["maxLength"].is_u64()
                || argument["maximum"].is_u64()
                || argument["type"] == "boolean";
            assert!(is_bounded, "{name}");
        }
    }
    for target in ["/.well-known/mcp.json", "/.well-known/mcp/server-card.json"] {
        let reply = daemon.get("docs.example.org", target);
        assert_eq!(reply.status, 200);
        let card: Value = serde_json::from_slice(&reply.body).unwrap();
        let url = card["url"].as_str().unwrap();
        assert_eq!(url, "http://docs.example.org/mcp");
        assert_eq!(
            card["transport"],
            json!({ "type": "streamable-http", "url": url })
        );
        let names = |list: &Value| -> Vec<String> {
            let list = list.as_array().unwrap().iter();
            list.map(|tool| tool["name"].to_string()).collect()
        };
        assert_eq!(names(&card["tools"]), names(&tools["tools"]));
        assert_eq!(daemon.send("POST", HOST, target, &[], "{}").status, 405);
    }
}

#[test]
fn what_is_no_request_is_refused() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let list = message("tools/list", &json!({}));
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        let reply = daemon.send(method, HOST, "/mcp", &CLIENT, "");
        assert_eq!(reply.status, 405, "{method}");
        assert_eq!(reply.header("allow"), Some("POST"), "{method}");
    }
    let [json_type, accept] = CLIENT;
    let status = |headers: &[(&str, &str)], body: &str| {
        let reply = daemon.send("POST", HOST, "/mcp", headers, body);
        assert!(!reply.text().contains("panicked"), "{}", reply.text());
        reply.status
    };
    // Replies are JSON: who takes that, or says nothing, is answered.
    for accept in [
        None,
        Some("*/*"),
        Some("application/json"),
        Some("text/html, application/*;q=0.5"),
    ] {
        let given = accept.map(|accept| ("Accept", accept));
        let headers: Vec<(&str, &str)> = [json_type].into_iter().chain(given).collect();
        let reply = daemon.send("POST", HOST, "/mcp", &headers, &list);
        assert_eq!(reply.status, 200, "{accept:?}");
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        assert!(answer["result"]["tools"].is_array(), "{accept:?}: {answer}");
    }
    assert_eq!(status(&[json_type, ("Accept", "text/html")], &list), 406);
    for body in [
        "",
        "nonsense",
        "{\"jsonrpc\": \"2.0\", ",
        "{'id': 1}",
        "\u{feff}",
    ] {
        let reply = daemon.send("POST", HOST, "/mcp", &CLIENT, body);
        assert_eq!(reply.status, 400, "{body}");
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(answer["error"]["code"], -32700, "{body}: {answer}");
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &Value::Null)
        );
    }
    assert_eq!(status(&[accept], &list), 415);
    assert_eq!(
        status(&[accept, ("Content-Type", "text/plain")], &list),
        415
    );
    for body in ["", "nonsense", "[]", "{}", "7", "{\"jsonrpc\":\"2.0\"}"] {
        let status = status(&CLIENT, body);
        assert!((400..500).contains(&status), "{body}: {status}");
    }
    assert_eq!(status(&CLIENT, &" ".repeat(65 * 1024)), 413);
    let reply = post(
        &daemon,
        HOST,
        &[("MCP-Protocol-Version", "1999-01-01")],
        &list,
    );
    assert_eq!(reply.status, 400);
    let reply = post(&daemon, HOST, &[], &message("no/method", &json!({})));
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let unknown = json!({ "name": "no_tool", "arguments": {} });
    let reply = post(&daemon, HOST, &[], &message("tools/call", &unknown));
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn the_host_says_which_site_and_pages_of_other_origins_may_not_ask() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let list = message("tools/list", &json!({}));
    for (host, status) in [
        ("docs.localhost", 200),
        ("docs.example.org", 200),
        ("other.localhost", 200),
        // Several sites: none is meant.
        ("localhost", 404),
        ("127.0.0.1", 404),
        ("evil.example", 421),
        ("docs.example.org.evil.example", 421),
    ] {
        assert_eq!(post(&daemon, host, &[], &list).status, status, "{host}");
    }
    for (origin, status) in [
        ("http://docs.localhost", 200),
        ("https://docs.localhost", 200),
        ("http://evil.example", 403),
        ("http://other.localhost", 403),
        ("http://docs.localhost.evil.example", 403),
        ("null", 403),
        ("", 403),
    ] {
        let reply = post(&daemon, HOST, &[("Origin", origin)], &list);
        assert_eq!(reply.status, status, "{origin}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[test]
fn clients_and_sites_have_their_limits() {
    let (site, state) = (site(), Folder::new(&[]));
    let limits = McpSettings {
        requests_per_hour: 4,
        calls_per_hour: 6,
        ..McpSettings::default()
    };
    let daemon = daemon_with(&site, &state, limits);
    let list = message("tools/list", &json!({}));
    let search = json!({ "name": "search", "arguments": { "query": "tea" } });
    let search = message("tools/call", &search);
    let from = |client: &str, body: &str| {
        let reply = post(&daemon, HOST, &[("X-Forwarded-For", client)], body);
        if reply.status == 429 {
            let wait = reply
                .header("retry-after")
                .and_then(|wait| wait.parse::<u64>().ok());
            assert!(wait.is_some_and(|wait| wait > 1), "{wait:?}");
        }
        reply.status
    };
    let one: Vec<u16> = (0..5).map(|_| from("192.0.2.1", &list)).collect();
    assert_eq!(one, [200, 200, 200, 200, 429]);
    let two: Vec<u16> = (0..4).map(|_| from("192.0.2.2", &search)).collect();
    assert_eq!(two, [200; 4]);
    // All clients together; what is no call of a tool goes on.
    let three: Vec<u16> = (0..3).map(|_| from("192.0.2.3", &search)).collect();
    assert_eq!(three, [200, 200, 429]);
    assert_eq!(from("192.0.2.4", &list), 200);
    // The other site has limits of its own.
    let reply = post(
        &daemon,
        "other.localhost",
        &[("X-Forwarded-For", "192.0.2.1")],
        &search,
    );
    assert_eq!(reply.status, 200);
}

#[test]
fn a_site_may_have_none() {
    let (site, state) = (site(), Folder::new(&[]));
    site.remove("skill.md");
    let off = McpSettings {
        enabled: false,
        ..McpSettings::default()
    };
    let daemon = daemon_with(&site, &state, off);
    let list = message("tools/list", &json!({}));
    assert_eq!(post(&daemon, HOST, &[], &list).status, 404);
    assert_eq!(daemon.get(HOST, "/.well-known/mcp.json").status, 404);
    assert_eq!(post(&daemon, "other.localhost", &[], &list).status, 200);
    let skill = |host: &str| String::from_utf8(daemon.get(host, "/skill.md").body).unwrap();
    assert!(!skill(HOST).contains("MCP"));
    assert!(skill("other.localhost").contains("<http://other.localhost/mcp>"));
}

#[test]
fn wrong_arguments_are_named() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let long = "x".repeat(1001);
    for (tool, arguments, named) in [
        ("search", json!({}), "`query` is missing"),
        ("search", json!({ "query": "  " }), "`query` is missing"),
        ("search", json!({ "query": 7 }), "`query` must be a string"),
        (
            "search",
            json!({ "query": long }),
            "at most 1000 characters",
        ),
        (
            "search",
            json!({ "query": "a", "limit": 0 }),
            "from 1 to 20",
        ),
        ("search", json!({ "query": "a", "limit": 1.5 }), "`limit`"),
        (
            "search",
            json!({ "query": "a", "colour": 1 }),
            "no argument `colour`",
        ),
        ("get_page", json!({ "path": "/strat" }), "`/start` (Start)"),
        (
            "get_page",
            json!({ "path": "/start", "offset": 100_000 }),
            "`offset` must be less",
        ),
        (
            "get_page",
            json!({ "path": "/api.json" }),
            "there is no page",
        ),
        ("list_operations", json!({ "tag": "te" }), "tags are `tea`"),
        (
            "list_operations",
            json!({ "spec": "none" }),
            "there are `api.json`",
        ),
        ("list_operations", json!({ "limit": 201 }), "from 1 to 200"),
        (
            "get_operation",
            json!({ "operation": "GET /te" }),
            "`GET /tea`",
        ),
        (
            "get_operation",
            json!({ "operation": "listTeas" }),
            "`listTea`",
        ),
        (
            "get_operation",
            json!({ "operation": "/start" }),
            "has no operation",
        ),
        (
            "get_operation",
            json!({ "operation": "/tea" }),
            "several operations",
        ),
        (
            "get_operation",
            json!({ "operation": "listTea", "detail": "long" }),
            "`brief` or `full`",
        ),
        ("get_schema", json!({ "name": "Tee" }), "`Tea`"),
        ("ask", json!({ "question": "" }), "`question` is missing"),
        ("submit_feedback", json!({}), "`text`, `helpful` or both"),
        (
            "submit_feedback",
            json!({ "helpful": 1 }),
            "`helpful` must be",
        ),
        (
            "submit_feedback",
            json!({ "path": "/nowhere", "helpful": true }),
            "there is no page",
        ),
    ] {
        let text = refused(&daemon, tool, &arguments);
        assert!(text.contains(named), "{tool} {arguments}: {text}");
    }
}

#[test]
fn tools_answer() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    let found = said(&daemon, "search", &json!({ "query": "steep minutes" }));
    assert!(found.contains("\n1. [Start](/start) (guide)"), "{found}");
    assert!(found.contains("   - [Steep](/start#steep): "), "{found}");
    let whole = "# Start\n\n> Begin here.\n\nHow to make tea.\n\n## Steep\n\nThree minutes.\n";
    for path in ["/start", "start.md", "https://docs.example.org/start?a=b"] {
        let page = said(&daemon, "get_page", &json!({ "path": path }));
        assert_eq!(page, whole, "{path}");
    }
    for path in ["/start#steep", "https://docs.example.org/start.md#steep"] {
        let section = said(&daemon, "get_page", &json!({ "path": path }));
        assert_eq!(
            section,
            "From [Start](/start):\n\n## Steep\n\nThree minutes.\n"
        );
    }
    let page = said(&daemon, "get_page", &json!({ "path": "/start#pour" }));
    let note = "(No section has the anchor `pour`; this is the whole page.)\n\n";
    assert_eq!(page, format!("{note}{whole}"));
    let listed = said(&daemon, "list_operations", &json!({ "limit": 1 }));
    assert!(listed.starts_with("Operations 1 to 1 of 2:"), "{listed}");
    assert!(listed.contains("`offset` 1."), "{listed}");
    assert!(listed.ends_with("\nTags: tea (2)\n"), "{listed}");
    let listed = said(&daemon, "list_operations", &json!({ "contains": "brew" }));
    assert!(
        listed.contains("(`brewTea`)") && !listed.contains("listTea"),
        "{listed}"
    );
    for operation in [
        "listTea",
        "get /tea",
        "GET /tea/",
        "/api-reference/tea/list-teas",
    ] {
        let brief = said(&daemon, "get_operation", &json!({ "operation": operation }));
        let head =
            "`GET /tea`: [List teas](/api-reference/tea/list-teas), `operationId` `listTea`\n";
        assert!(brief.starts_with(head), "{brief}");
        assert!(brief.contains("\nResponses:\n\n- `200` ("), "{brief}");
        assert!(
            brief.contains("```") && !brief.contains("components:"),
            "{brief}"
        );
        let full = json!({ "operation": operation, "detail": "full" });
        let found = document(&daemon, "get_operation", &full);
        let schemas = found["components"]["schemas"].as_object().unwrap();
        let names: Vec<&String> = schemas.keys().collect();
        assert_eq!(names, ["Tea", "Origin"], "{operation}");
    }
    let schema = said(&daemon, "get_schema", &json!({ "name": "Tea" }));
    assert!(schema.starts_with("[Tea](/model)\n"), "{schema}");
    assert!(schema.contains("#/components/schemas/Origin"), "{schema}");
    let answer = said(&daemon, "ask", &json!({ "question": "How do I make tea?" }));
    assert!(answer.contains("(/start)"), "{answer}");
    // What was written before the question is in the answer.
    site.write("start.mdx", "---\ntitle: Start\n---\n\nMarmalade.\n");
    let page = said(&daemon, "get_page", &json!({ "path": "/start" }));
    assert_eq!(page, "# Start\n\nMarmalade.\n");
}

/// Of operations in several languages those of the first are listed, with what other languages alone have.
#[test]
fn operations_are_listed_in_the_first_language() {
    let spec = |paths: &[&str]| {
        let operation = json!({ "get": { "responses": { "200": { "description": "OK" } } } });
        let paths: serde_json::Map<_, _> = paths
            .iter()
            .map(|path| ((*path).to_owned(), operation.clone()))
            .collect();
        json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "paths": paths })
            .to_string()
    };
    let language = |code: &str| {
        let openapi =
            json!({ "source": format!("{code}.json"), "directory": format!("{code}/api") });
        json!({ "language": code, "groups": [
            { "group": "Guides", "pages": [format!("{code}/start")] },
            { "group": "API", "openapi": openapi },
        ] })
    };
    let docs = json!({ "name": "Tea", "theme": "mint", "colors": { "primary": "#000000" },
        "navigation": { "languages": [language("en"), language("de")] } });
    let page = "---\ntitle: Start\n---\n\nWords.\n";
    let site = Folder::new(&[
        ("docs.json", &docs.to_string()),
        ("en/start.mdx", page),
        ("de/start.mdx", page),
        ("en.json", &spec(&["/tea"])),
        ("de.json", &spec(&["/tea", "/milk"])),
    ]);
    let state = Folder::new(&[]);
    let daemon = daemon(&site, &state);
    let listed = |arguments: Value| {
        let text = said(&daemon, "list_operations", &arguments);
        let lines = text.lines().filter(|line| line.starts_with("- "));
        let addresses = lines.filter_map(|line| line.split("](").nth(1)?.split(')').next());
        addresses.map(str::to_owned).collect::<Vec<String>>()
    };
    let (tea, milk) = ("/en/api/get-tea", "/de/api/get-milk");
    let of_german = [milk, "/de/api/get-tea"];
    let sorted = |mut found: Vec<String>| {
        found.sort();
        found
    };
    assert_eq!(sorted(listed(json!({}))), [milk, tea]);
    assert_eq!(listed(json!({ "language": "en" })), [tea]);
    assert_eq!(sorted(listed(json!({ "language": "DE" }))), of_german);
    assert_eq!(sorted(listed(json!({ "spec": "de.json" }))), of_german);
    let arguments = json!({ "operation": "GET /tea", "language": "de" });
    let text = said(&daemon, "get_operation", &arguments);
    assert!(text.contains("(/de/api/get-tea)"), "{text}");
    let arguments = json!({ "operation": "GET /tea" });
    let text = said(&daemon, "get_operation", &arguments);
    assert!(text.contains("(/en/api/get-tea)"), "{text}");
    let text = refused(&daemon, "list_operations", &json!({ "language": "fr" }));
    assert!(text.contains("there are `de`, `en`"), "{text}");
}

/// What an operation inherits is in its answer, with the children of a base, and whatever it leaves out can be asked for.
#[test]
fn an_operation_is_whole_or_names_what_it_leaves_out() {
    let (site, state) = (site(), Folder::new(&[]));
    let long = "word ".repeat(12_000);
    let api = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "security": [{"key": []}, {"oauth": ["read"], "key": []}],
        "paths": {"/tea": {"get": {"operationId": "listTea", "summary": "List teas", "responses": {
            "200": {"description": "x", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Base"}}}},
            "400": {"$ref": "#/components/responses/Wrong"}}}}},
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X"}, "oauth": {"type": "oauth2", "flows": {}}},
            "responses": {"Wrong": {"description": long}},
            "schemas": {
                "Base": {"type": "object", "properties": {"kind": {"type": "string"}},
                    "discriminator": {"propertyName": "kind", "mapping": {"box": "Box"}}},
                "Text": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"value": {"type": "string"}}}]},
                "Box": {"type": "object"},
            },
        },
    });
    site.write("api.json", api.to_string());
    let daemon = daemon(&site, &state);
    let full = json!({ "operation": "listTea", "detail": "full" });
    let openapi = document(&daemon, "get_operation", &full);
    assert_eq!(openapi["paths"]["/tea"]["get"]["security"], api["security"]);
    let schemas = openapi["components"]["schemas"].as_object().unwrap();
    let names: Vec<&String> = schemas.keys().collect();
    assert_eq!(names, ["Base", "Box", "Text"]);
    let text = said(&daemon, "get_operation", &full);
    let omitted = "read it with `get_schema`: `#/components/responses/Wrong`.";
    assert!(text.contains(omitted), "{text}");
    let part = json!({ "name": "#/components/responses/Wrong" });
    assert!(said(&daemon, "get_schema", &part).contains("word word word"));
    let base = json!({ "name": "#/components/schemas/Base" });
    let base = said(&daemon, "get_schema", &base);
    assert!(base.starts_with("Base\n"), "{base}");
    let references = base.split("What it names:").nth(1).expect("what it names");
    for name in ["#/components/schemas/Box", "#/components/schemas/Text"] {
        assert!(references.contains(name), "{base}");
    }
    refused(
        &daemon,
        "get_schema",
        &json!({ "name": "#/components/responses/None" }),
    );
}

#[test]
fn long_pages_are_read_in_parts() {
    let (site, state) = (site(), Folder::new(&[]));
    let lines: Vec<String> = (0..9000)
        .map(|n| format!("Line ünumber {n}.\n\n"))
        .collect();
    site.write(
        "start.mdx",
        format!("---\ntitle: Start\n---\n\n{}", lines.concat()),
    );
    let daemon = daemon(&site, &state);
    let (mut whole, mut offset, mut parts) = (String::new(), 0, 0);
    loop {
        let arguments = json!({ "path": "/start", "offset": offset });
        let page = said(&daemon, "get_page", &arguments);
        parts += 1;
        let Some((piece, note)) = page.split_once("\n(The page goes on: ") else {
            whole.push_str(&page);
            break;
        };
        whole.push_str(piece);
        let next = note.trim_end_matches(".)\n").rsplit(' ').next();
        offset = next
            .and_then(|next| next.parse::<u64>().ok())
            .expect("where it goes on");
    }
    assert!(parts > 2, "{parts}");
    assert_eq!(
        whole,
        format!("# Start\n\n{}", lines.concat())
            .trim_end()
            .to_owned()
            + "\n"
    );
}

#[test]
fn nothing_is_told_of_pages_that_are_not_to_be_found() {
    let (site, state) = (site(), Folder::new(&[]));
    let daemon = daemon(&site, &state);
    for name in [
        "#/paths/~1tea/delete",
        "#/paths/~1cups/get/summary",
        "#/components/schemas/Zanzibar",
    ] {
        refused(&daemon, "get_schema", &json!({ "name": name }));
    }
    // They are served to who knows their addresses.
    for path in [
        "/hidden",
        "/noindex",
        "/unsearchable",
        "/unlisted",
        "/in-hidden-group",
        "/hidden-model",
    ] {
        assert_eq!(daemon.get(HOST, path).status, 200, "{path}");
        let text = refused(&daemon, "get_page", &json!({ "path": path }));
        assert!(
            text.starts_with(&format!("there is no page at `{path}`")),
            "{text}"
        );
        assert!(!text.to_lowercase().contains(SECRET), "{text}");
        let read = post(
            &daemon,
            HOST,
            &[],
            &message(
                "resources/read",
                &json!({ "uri": format!("docs://pages{path}") }),
            ),
        );
        assert!(
            !read.text().to_lowercase().contains(SECRET),
            "{}",
            read.text()
        );
    }
    let silent = |tool: &str, arguments: &Value| {
        let result = call(&daemon, tool, arguments);
        let said = result.to_string().to_lowercase();
        // The question itself may be said again.
        let said = said.replace(&format!("`{SECRET}`"), "");
        assert!(!said.contains(SECRET), "{tool} {arguments}: {result}");
    };
    silent("search", &json!({ "query": SECRET }));
    silent("search", &json!({ "query": "quietly say" }));
    silent("ask", &json!({ "question": "what is said quietly?" }));
    silent("list_operations", &json!({}));
    silent("list_operations", &json!({ "contains": SECRET }));
    silent("get_operation", &json!({ "operation": "DELETE /tea" }));
    silent("get_operation", &json!({ "operation": "GET /cups" }));
    silent("get_schema", &json!({ "name": "Zanziba" }));
    let text = refused(&daemon, "get_schema", &json!({ "name": "Zanzibar" }));
    assert!(
        text.starts_with("there is no data model `Zanzibar`"),
        "{text}"
    );
    let text = refused(
        &daemon,
        "get_operation",
        &json!({ "operation": "zanzibarDrop" }),
    );
    assert!(text.starts_with("there is no operation"), "{text}");

    let listed = ask(&daemon, HOST, "resources/list", &json!({}));
    let mut uris = Vec::new();
    for resource in listed["resources"].as_array().unwrap() {
        let uri = resource["uri"].as_str().unwrap();
        uris.push(uri.to_owned());
        let read = ask(&daemon, HOST, "resources/read", &json!({ "uri": uri }));
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(!text.to_lowercase().contains(SECRET), "{uri}: {text}");
        assert_eq!(
            read["contents"][0]["mimeType"], resource["mimeType"],
            "{uri}"
        );
    }
    let expected = [
        "docs://skills/brew-tea",
        "docs://skills/pour",
        "docs://pages/start",
        "docs://pages/model",
        "docs://pages/api-reference/introduction",
        "docs://pages/api-reference/tea/list-teas",
        "docs://pages/api-reference/tea/brew-tea",
        "docs://specs/api.json",
    ];
    assert_eq!(uris, expected);
}

#[test]
fn lists_of_resources_have_parts() {
    let (site, state) = (site(), Folder::new(&[]));
    let names: Vec<String> = (0..205).map(|n| format!("page-{n}")).collect();
    for name in &names {
        site.write(
            &format!("{name}.mdx"),
            format!("---\ntitle: {name}\n---\n\nWords.\n"),
        );
    }
    let pages = serde_json::to_string(&names).unwrap();
    site.write("docs.json", format!(r##"{{"name":"T","theme":"mint","colors":{{"primary":"#000000"}},"navigation":{{"pages":{pages}}}}}"##));
    let daemon = daemon(&site, &state);
    let (mut uris, mut params) = (Vec::new(), json!({}));
    loop {
        let part = ask(&daemon, HOST, "resources/list", &params);
        let listed = part["resources"].as_array().unwrap();
        assert!(listed.len() <= 100);
        uris.extend(
            listed
                .iter()
                .map(|one| one["uri"].as_str().unwrap().to_owned()),
        );
        match part["nextCursor"].as_str() {
            Some(next) => params = json!({ "cursor": next }),
            None => break,
        }
    }
    let pages: Vec<&String> = uris.iter().filter(|uri| uri.contains("/page-")).collect();
    assert_eq!(pages.len(), 205);
    assert_eq!(pages[204], "docs://pages/page-204");
    let wrong = message("resources/list", &json!({ "cursor": "x" }));
    let answer: Value = serde_json::from_slice(&post(&daemon, HOST, &[], &wrong).body).unwrap();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn the_command_answers_over_standard_streams_and_ends_with_them() {
    let site = site();
    let mut child = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["mcp", "--no-state"])
        .arg(site.path())
        .env_remove("QUIRE_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let mut say = |text: &str| writeln!(to, "{text}").unwrap();
    let mut hear = || {
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    say(&message("initialize", &params));
    assert_eq!(hear()["result"]["serverInfo"]["name"], "tea");
    say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let page = message(
        "tools/call",
        &json!({ "name": "get_page", "arguments": { "path": "/start" } }),
    );
    say(&page);
    assert!(hear().to_string().contains("How to make tea."));
    site.write("start.mdx", "---\ntitle: Start\n---\n\nMarmalade.\n");
    say(&page);
    assert!(hear().to_string().contains("Marmalade."));
    drop(to);
    let mut rest = String::new();
    from.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut log = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    assert_eq!(log, "");
}

#[test]
fn the_command_says_when_there_is_no_site() {
    let output = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["mcp", "/nowhere/at/all", "--no-state"])
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.starts_with("error: ") && said.contains("/nowhere/at/all"),
        "{said}"
    );
}
