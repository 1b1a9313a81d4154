//! Specifications from outside: pages of operations that follow edits, the documents themselves, the archive, the command,
//! and documents that are elsewhere.

use std::process::{Command, Output};

use queries::base::diagnostic::Severity;

use crate::support::folder::Folder;
use crate::support::preview::Preview;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"tabs":[
    {"tab":"Guide","pages":["start"]},{"tab":"One","openapi":"specs/one.yaml"},
    {"tab":"Two","openapi":{"source":"two.json","directory":"Second API"}}]}}"##;

fn one(summary: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\nservers: [{{url: 'https://x.example'}}]\npaths:\n  /things:\n    get:\n      summary: {summary}\n      responses: {{'200': {{description: ok}}}}\n"
    )
}

const TWO: &str = r#"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/others":{"post":{"summary":"Make one","responses":{"201":{"description":"made"}}}}}}"#;

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", "---\ntitle: Start\n---\n"),
        ("specs/one.yaml", &one("List things")),
        ("two.json", TWO),
    ])
}

#[test]
fn pages_of_operations_follow_their_specification() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert!(
        preview
            .page("/api-reference/list-things")
            .contains("List things")
    );
    // Where the reference product has the page leads to where it is.
    let reply = preview.get("/second%20api/make-one");
    assert_eq!(reply.header("location"), Some("/second-api/make-one"));
    folder.write("specs/one.yaml", one("List all"));
    assert_eq!(preview.status("/api-reference/list-things"), 404);
    assert!(preview.page("/api-reference/list-all").contains("List all"));
    // What is broken for a moment takes no page away.
    folder.write("two.json", TWO.replacen("\"paths\":", "\"paths\"", 1));
    assert_eq!(preview.status("/second-api/make-one"), 200);
    let held = preview.publisher().host().held_back();
    assert_eq!(held.len(), 1, "{held:?}");
    folder.write("two.json", TWO);
    assert_eq!(preview.status("/second-api/make-one"), 200);
    folder.remove("two.json");
    assert_eq!(preview.status("/second-api/make-one"), 404);
    assert_eq!(preview.status("/two.json"), 404);
}

#[test]
fn specifications_are_served_where_they_are_and_in_one_archive() {
    let folder = site();
    let preview = Preview::of(&folder);
    let reply = preview.get("/two.json");
    assert_eq!((reply.status, reply.text()), (200, TWO.to_owned()));
    assert_eq!(
        reply.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let reply = preview.get("/specs/one.yaml");
    assert_eq!(
        reply.header("content-type"),
        Some("application/yaml; charset=utf-8")
    );
    // Other documents of a repository are nobody's business.
    folder.write("package.json", "{}");
    assert_eq!(preview.status("/package.json"), 404);
    let archive = preview.get("/api-specs.zip");
    assert_eq!(archive.header("content-type"), Some("application/zip"));
    assert!(archive.body.starts_with(b"PK"));
    let again = Preview::of(&folder).get("/api-specs.zip");
    assert_eq!(
        archive.body, again.body,
        "the same files give the same archive"
    );
    folder.remove("two.json");
    assert_eq!(
        preview.status("/api-specs.zip"),
        404,
        "one document is its own download"
    );
}

const OVERLAID: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"tabs":[
    {"tab":"Guide","pages":["start"]},
    {"tab":"One","openapi":{"source":"specs/one.yaml","overlays":["specs/public.overlay.yaml"]}}]}}"##;

fn overlay(summary: &str) -> String {
    format!(
        "overlay: 1.0.0\ninfo: {{title: T, version: '1'}}\nextends: one.yaml\nactions:\n  - target: $.paths['/things'].get\n    update: {{summary: {summary}}}\n"
    )
}

fn overlaid() -> Folder {
    Folder::new(&[
        ("docs.json", OVERLAID),
        ("start.mdx", "---\ntitle: Start\n---\n"),
        ("specs/one.yaml", &one("List things")),
        ("specs/public.overlay.yaml", &overlay("Public things")),
    ])
}

#[test]
fn pages_follow_the_overlays_of_their_specification() {
    let folder = overlaid();
    let preview = Preview::of(&folder);
    let page = preview.page("/api-reference/public-things");
    assert!(page.contains("Public things") && !page.contains("List things"));
    let reply = preview.get("/specs/one.yaml");
    assert!(reply.text().contains("summary: Public things"));
    assert_eq!(
        reply.header("content-type"),
        Some("application/yaml; charset=utf-8")
    );
    assert_eq!(preview.status("/specs/public.overlay.yaml"), 404);
    folder.write("specs/public.overlay.yaml", overlay("All things"));
    assert_eq!(preview.status("/api-reference/public-things"), 404);
    assert_eq!(preview.status("/api-reference/all-things"), 200);
    // A broken one takes nothing back: what it takes away may be nothing for readers.
    folder.write("specs/public.overlay.yaml", "overlay: [");
    assert_eq!(preview.status("/api-reference/all-things"), 200);
    assert_eq!(preview.status("/api-reference/list-things"), 404);
    folder.write("specs/public.overlay.yaml", overlay("All things"));
    folder.write("specs/one.yaml", one("List all"));
    assert_eq!(preview.status("/api-reference/all-things"), 200);
    folder.write("docs.json", CONFIG);
    assert_eq!(preview.status("/api-reference/list-all"), 200);
}

#[test]
fn a_build_and_a_check_apply_overlays_and_fail_without_them() {
    let folder = overlaid();
    let build = || quire(&["build", ".", "--out", "out"], &folder);
    let built = build();
    assert!(built.status.success(), "{built:?}");
    let out = |path: &str| std::fs::read_to_string(folder.path().join("out").join(path)).unwrap();
    assert!(out("api-reference/public-things/index.html").contains("Public things"));
    assert!(out("specs/one.yaml").contains("summary: Public things"));
    assert!(quire(&["check", "."], &folder).status.success());
    folder.write("specs/public.overlay.yaml", "overlay: [");
    let place = "specs/public.overlay.yaml:1:11: error[invalid-yaml]";
    for found in [build(), quire(&["check", "."], &folder)] {
        assert_eq!(found.status.code(), Some(1));
        let said = [&found.stdout[..], &found.stderr[..]].concat();
        assert!(String::from_utf8_lossy(&said).contains(place), "{found:?}");
    }
}

/// The verdict does not depend on who asks: a command, a preview or a daemon, which reads the same files.
#[test]
fn rules_of_a_quire_toml_count_wherever_a_site_is_judged() {
    let folder = site();
    let check = || quire(&["check", "."], &folder).status.code();
    let build = || {
        quire(&["build", ".", "--out", "out"], &folder)
            .status
            .code()
    };
    assert_eq!((check(), build()), (Some(0), Some(0)));
    let preview = Preview::of(&folder);
    let errors = || {
        let host = preview.publisher().host();
        let found = host.read(|db, site| queries::site::site_diagnostics(db, site));
        let found = found.unwrap().into_iter();
        let errors = found.filter(|found| found.severity() == Severity::Error);
        errors.map(|found| found.code.name()).collect::<Vec<_>>()
    };
    assert_eq!(errors(), [""; 0]);
    folder.write("quire.toml", "[rules]\nservers-missing = \"error\"\n");
    assert_eq!(preview.status("/start"), 200);
    assert_eq!(errors(), ["servers-missing"]);
    assert_eq!((check(), build()), (Some(1), Some(1)));
    folder.write("quire.toml", "[rules]\nservers-missing = \"remark\"\n");
    assert_eq!(preview.status("/start"), 200);
    assert_eq!(errors(), [""; 0]);
    assert_eq!((check(), build()), (Some(0), Some(0)));
    folder.write("quire.toml", "[rules]\nservers-mising = \"error\"\n");
    let told = quire(&["check", ".", "-v"], &folder);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("quire.toml:2:1"), "{told}");
    assert!(told.contains("did you mean `servers-missing`?"), "{told}");
}

fn quire(arguments: &[&str], folder: &Folder) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(arguments)
        .current_dir(folder.path())
        .env("XDG_CACHE_HOME", folder.at("cache"))
        .output()
        .expect("it starts")
}

#[test]
fn the_command_looks_at_specifications_by_themselves() {
    let folder = site();
    let routes = quire(
        &["openapi", "routes", "specs/one.yaml", "two.json", "--json"],
        &folder,
    );
    assert!(routes.status.success());
    let routes: serde_json::Value = serde_json::from_slice(&routes.stdout).unwrap();
    let shown: Vec<String> = (routes["pages"].as_array().unwrap().iter())
        .map(|page| format!("{} {} {}", page["spec"], page["operation"], page["route"]))
        .collect();
    assert_eq!(
        shown,
        [
            r#""specs/one.yaml" "GET /things" "/api-reference/list-things""#,
            r#""two.json" "POST /others" "/api-reference/make-one""#
        ]
    );
    assert_eq!(
        quire(&["openapi", "check", "two.json"], &folder)
            .status
            .code(),
        Some(0)
    );
    // Which pages there are says a site, which there is none of.
    let linked = TWO.replacen(
        r#""summary""#,
        r#""description": "See [guides](/guides/start#here).", "summary""#,
        1,
    );
    assert_ne!(linked, TWO);
    folder.write("two.json", &linked);
    let found = quire(&["openapi", "check", "two.json"], &folder);
    assert!(!String::from_utf8_lossy(&found.stdout).contains("broken-"));
    folder.write("two.json", &TWO[..60]);
    let found = quire(&["openapi", "check", "two.json"], &folder);
    assert_eq!(found.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&found.stdout).contains("two.json:1:60: error[invalid-json]"));
    assert_eq!(
        quire(&["openapi", "check", "nope.json"], &folder)
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        quire(&["openapi", "check", "start.mdx"], &folder)
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn channels_are_listed_by_the_command_and_follow_their_document() {
    let live = |description: &str| {
        format!(
            "asyncapi: 3.0.0\ninfo: {{title: T, version: '1'}}\nservers: {{main: {{host: x.example, protocol: wss}}}}\nchannels:\n  chat:\n    title: Chat\n    description: {description}\n    address: /chat\n    messages: {{said: {{payload: {{type: string}}}}}}\n"
        )
    };
    let folder = site();
    folder.write("live.yaml", live("Chat"));
    let routes = quire(&["openapi", "routes", "live.yaml", "--json"], &folder);
    let routes: serde_json::Value = serde_json::from_slice(&routes.stdout).unwrap();
    assert_eq!(routes["pages"][0]["operation"], "channel chat");
    assert_eq!(
        routes["pages"][0]["route"],
        "/api-reference/websockets/chat"
    );
    folder.write(
        "docs.json",
        CONFIG.replace(r#""openapi":"specs/one.yaml""#, r#""asyncapi":"live.yaml""#),
    );
    let preview = Preview::of(&folder);
    let address = "/api-reference/websockets/chat";
    assert!(preview.page(address).contains("Chat"));
    assert!(
        preview
            .page(&format!("{address}.md"))
            .contains("## AsyncAPI")
    );
    assert!(preview.page("/sitemap.xml").contains(address));
    assert!(preview.page("/llms.txt").contains("## AsyncAPI documents"));
    assert_eq!(preview.page("/live.yaml"), live("Chat"));
    folder.write("live.yaml", live("Talk"));
    assert!(preview.page(address).contains("Talk"));
    // What is broken for a moment takes no page away.
    folder.write("live.yaml", live("[Talk"));
    assert!(preview.page(address).contains("Talk"));
}

#[test]
fn a_specification_elsewhere_that_does_not_answer_costs_only_its_own_pages() {
    let folder = site();
    let url = "https://127.0.0.1:9/api.yaml";
    folder.write("docs.json", CONFIG.replace("specs/one.yaml", url));
    let found = quire(&["check"], &folder);
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert_eq!(found.status.code(), Some(1));
    assert!(
        text.contains(&format!("`{url}` could not be fetched")),
        "{text}"
    );
    let routes = quire(&["routes"], &folder);
    assert!(String::from_utf8_lossy(&routes.stdout).contains("/second-api/make-one"));
}

#[test]
fn the_operations_of_the_server_itself_are_described_without_fault() {
    let folder = site();
    let preview = Preview::of(&folder);
    let reply = preview.get("/_quire/openapi.json");
    assert_eq!(reply.status, 200);
    let out = Folder::new(&[("api.json", &reply.text())]);
    let output = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["openapi", "check", "--strict", "--format", "json"])
        .arg(out.at("api.json"))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary: serde_json::Value =
        serde_json::from_str(said.lines().last().expect("a summary")).expect("JSON");
    let summary = &summary["summary"];
    assert_eq!(
        (&summary["errors"], &summary["warnings"]),
        (&0.into(), &0.into()),
        "{said}"
    );
    // Each of its operations could be a page.
    let operations = reply.text().matches("\"operationId\"").count();
    assert_eq!(summary["pages"], operations);
}
