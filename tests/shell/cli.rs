//! The built program: exit codes, help, and the shapes that scripts hold on to.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{quire, run, shown};
use crate::support::{museum, wait_until};

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","api"]}}"##;

fn clean_site() -> Folder {
    Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", "---\ntitle: Start\n---\n\n[api](/api)\n"),
        (
            "api.mdx",
            "---\ntitle: API\nsidebarTitle: Short\ndescription: About it\ndeprecated: true\n---\n",
        ),
    ])
}

fn site_with_warning() -> Folder {
    let folder = clean_site();
    folder.write("start.mdx", "---\ntitle: Start\n---\n\n[x](/nowhere)\n");
    folder
}

fn site_with_error() -> Folder {
    let folder = clean_site();
    folder.write("start.mdx", "---\ntitle: [\n---\n\nText.\n");
    folder
}

#[test]
fn the_exit_code_tells_whether_the_site_is_fine() {
    let empty = Folder::new(&[]);
    for (arguments, folder, expected) in [
        (&["check"][..], clean_site(), 0),
        (&["check", "--strict"], clean_site(), 0),
        (&["check"], site_with_warning(), 0),
        (&["check", "--strict"], site_with_warning(), 1),
        (&["check"], site_with_error(), 1),
        (&["routes"], clean_site(), 0),
        (&["routes"], site_with_error(), 0),
        (&["build", "--out", "out"], clean_site(), 0),
        (&["build", "--out", "."], clean_site(), 2),
        (&["check", "no-such-folder"], clean_site(), 2),
        (&["check", "--no-such-option"], clean_site(), 2),
        (&["no-such-command"], clean_site(), 2),
        (&[], clean_site(), 2),
        (&["--version"], clean_site(), 0),
        (&["--help"], clean_site(), 0),
    ] {
        let (code, out, err) = run(arguments, &folder);
        assert_eq!(code, expected, "{arguments:?}: {out}{err}");
    }
    for command in ["check", "routes", "build", "dev"] {
        let (code, out, err) = run(&[command], &empty);
        assert_eq!((code, out.as_str()), (2, ""), "{command}");
        assert_eq!(
            err,
            "error: .: no docs.json, no Markdown and no specification is in this folder; name another one, or begin a site with `quire init`\n"
        );
    }
}

#[test]
fn what_the_playground_may_reach_is_said_on_the_command_line() {
    let folder = clean_site();
    folder.write("quire.toml", "[relay]\nallow = [\"http://10.0.0.1\"]\n");
    let print = |more: &[&str]| {
        let daemon = ["daemon", "--config", "quire.toml", "--print-config"];
        run(&[&daemon[..], more].concat(), &folder)
    };
    let (code, out, _) = print(&["--relay-allow", "http://LOCALHOST:8080/"]);
    assert_eq!(code, 0);
    let settings: toml::Value = toml::from_str(&out).expect("TOML");
    let expected = "enabled = true
        allow = [\"http://10.0.0.1\", \"http://localhost:8080\"]
        requests_per_minute = 60\nsite_requests_per_minute = 600\nclient_requests = 6\nrequests = 64";
    let expected: toml::Value = toml::from_str(expected).expect("TOML");
    assert_eq!(settings["relay"], expected);
    let (_, out, _) = print(&["--no-relay"]);
    let settings: toml::Value = toml::from_str(&out).expect("TOML");
    assert_eq!(settings["relay"]["enabled"].as_bool(), Some(false));
    for arguments in [
        &["--relay-allow", "localhost:8080"][..],
        &["--relay-allow", "http://localhost:8080/v1"],
        &["--relay-allow", "http://localhost:8080", "--no-relay"],
    ] {
        let (code, _, said) = print(arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("--relay-allow"), "{said}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let folder = Folder::new(&[]);
    let (_, help, _) = run(&["--help"], &folder);
    for command in ["dev", "build", "check", "routes"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
        let (code, help, err) = run(&[command, "--help"], &folder);
        assert_eq!((code, err.as_str()), (0, ""), "{command}");
        let (_, examples) = help.split_once("Examples:\n").expect("examples");
        assert!(examples.contains(&format!("  quire {command}")), "{help}");
    }
}

#[test]
fn a_question_is_answered_with_its_source_or_refused_by_the_exit_code() {
    let folder = clean_site();
    folder.write(
        "start.mdx",
        "---\ntitle: Start\n---\n\n## Rotate a key\n\nRun `keys rotate` as an administrator.\n",
    );
    let (code, out, _) = run(&["ask", "How do I rotate a key?"], &folder);
    assert_eq!(code, 0, "{out}");
    let expected = "**[Start › Rotate a key](/start#rotate-a-key)**\n\nRun `keys rotate` as an administrator.\n";
    assert!(out.ends_with(expected), "{out}");
    let (code, out, _) = run(
        &["ask", ".", "Who painted the Sistine Chapel?", "--json"],
        &folder,
    );
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &answer["metadata"]["answered"]),
        (1, &Value::Bool(false))
    );
    let (code, _, err) = run(&["ask", " "], &folder);
    assert_eq!((code, err.as_str()), (2, "error: say what to ask\n"));
}

#[test]
fn findings_are_objects_a_line_with_a_summary_at_the_end() {
    let folder = site_with_error();
    folder.write("api.mdx", "---\ntitle: API\n---\n\n[x](/statr)\n");
    let (code, out, err) = run(&["check", "--format", "json"], &folder);
    assert_eq!((code, err.as_str()), (1, ""));
    let mut lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let summary = lines.pop().expect("a summary");
    assert_eq!(summary["summary"]["errors"], 1);
    assert_eq!(summary["summary"]["pages"], 2);
    let warnings = lines
        .iter()
        .filter(|line| line["severity"] == "warning")
        .count();
    assert_eq!(summary["summary"]["warnings"], warnings);
    assert!(lines.len() >= 2, "{out}");
    const NAMES: &[&str] = &[
        "code",
        "severity",
        "path",
        "line",
        "column",
        "message",
        "hint",
        "pointer",
        "route",
        "replacement",
        "end_column",
        "also",
    ];
    for line in &lines {
        for name in ["code", "severity", "path", "message"] {
            assert!(line[name].is_string(), "{name} of {line}");
        }
        assert!(line["line"].as_u64() >= Some(1) && line["column"].as_u64() >= Some(1));
        let severity = line["severity"].as_str().expect("text");
        assert!(["error", "warning", "info"].contains(&severity));
        for name in line.as_object().expect("an object").keys() {
            assert!(NAMES.contains(&name.as_str()), "{name}");
        }
    }
    let link = lines
        .iter()
        .find(|line| line["code"] == "broken-link")
        .expect("the broken link");
    assert_eq!(
        (&link["path"], &link["line"], &link["column"]),
        (&"api.mdx".into(), &5.into(), &5.into())
    );
}

#[test]
fn findings_for_people_have_place_line_and_carets() {
    let (_, out, _) = run(&["check"], &site_with_warning());
    assert!(
        out.contains("start.mdx:5:5: warning[broken-link]: "),
        "{out}"
    );
    assert!(
        out.contains("\n  5 | [x](/nowhere)\n    |     ^^^^^^^^\n"),
        "{out}"
    );
    assert!(
        out.ends_with("2 pages: 0 errors, 1 warning, 0 remarks\n"),
        "{out}"
    );
}

#[test]
fn findings_as_sarif_follow_its_shape() {
    let (code, out, _) = run(&["check", "--format", "sarif"], &site_with_error());
    assert_eq!(code, 1);
    let log: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "quire");
    let rules: Vec<&Value> = run["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|rule| &rule["id"])
        .collect();
    let results = run["results"].as_array().expect("results");
    assert!(!results.is_empty());
    for result in results {
        assert!(rules.contains(&&result["ruleId"]), "{result}");
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["artifactLocation"]["uri"].is_string());
        assert!(location["region"]["startLine"].as_u64() >= Some(1));
        assert!(result["message"]["text"].is_string());
    }
}

#[track_caller]
fn check_node(node: &Value) {
    const KINDS: &[&str] = &[
        "tab", "group", "anchor", "dropdown", "version", "language", "product", "item", "page",
        "link",
    ];
    let kind = node["kind"].as_str().expect("a kind");
    assert!(KINDS.contains(&kind), "{kind}");
    assert!(node["label"].is_string());
    for child in node["children"].as_array().expect("children") {
        check_node(child);
    }
    for name in node.as_object().expect("an object").keys() {
        let known = [
            "kind", "label", "icon", "hidden", "openapi", "route", "children",
        ];
        assert!(known.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn routes_have_the_shape_of_the_interface() {
    let output = quire().arg("routes").arg(museum()).arg("--json").output();
    let (code, out, err) = shown(&output.expect("it starts"));
    assert_eq!((code, err.as_str()), (0, ""));
    let routes: Value = serde_json::from_str(&out).expect("JSON");
    for node in routes["tree"].as_array().expect("a tree") {
        check_node(node);
    }
    for page in routes["pages"].as_array().expect("pages") {
        assert!(
            page["route"]
                .as_str()
                .is_some_and(|route| route.starts_with('/'))
        );
        assert!(page["title"].is_string());
        for name in ["source", "operation", "schema", "spec"] {
            let value = page.get(name).expect("it is always there");
            assert!(value.is_string() || value.is_null(), "{name}");
        }
        for name in ["deprecated", "hidden", "noindex"] {
            assert!(page[name].is_boolean(), "{name}");
        }
    }
    let (_, out, _) = run(&["routes", "--json"], &clean_site());
    let routes: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        routes,
        serde_json::json!({
            "tree": [
                {"kind": "page", "label": "Start", "route": "/start", "children": []},
                {"kind": "page", "label": "Short", "route": "/api", "children": []},
            ],
            "pages": [
                {"route": "/start", "title": "Start", "source": "start.mdx", "operation": null, "schema": null,
                    "spec": null, "deprecated": false, "hidden": false, "noindex": false},
                {"route": "/api", "title": "API", "sidebarTitle": "Short", "description": "About it",
                    "source": "api.mdx", "operation": null, "schema": null, "spec": null, "deprecated": true,
                    "hidden": false, "noindex": false},
            ],
        })
    );
}

#[test]
fn what_is_no_terminal_gets_no_colors() {
    let folder = site_with_error();
    for no_color in [None, Some("1")] {
        let mut command = quire();
        command.arg("check").current_dir(folder.path());
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        let (_, out, err) = shown(&command.output().expect("it starts"));
        assert!(!out.contains('\x1b') && !err.contains('\x1b'), "{out}{err}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = clean_site();
    for i in 0..2000 {
        folder.write(
            &format!("p{i}.mdx"),
            format!("---\ntitle: {i}\n---\n[x](/no)\n"),
        );
    }
    let mut child = quire()
        .args(["check", "--format", "json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = [0; 1];
    let mut stdout = child.stdout.take().expect("piped");
    stdout.read_exact(&mut first).expect("a byte");
    drop(stdout);
    let (code, _, err) = shown(&child.wait_with_output().expect("it ends"));
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn quiet_says_only_results_and_errors() {
    let folder = clean_site();
    let quiet = run(&["-q", "build", "--out", "out"], &folder);
    assert_eq!(quiet, (0, String::new(), String::new()));
    let (code, out, err) = run(&["build", "--out", "out"], &folder);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.starts_with("2 pages, ") && out.ends_with(" 0 removed\n"),
        "{out}"
    );
    let (_, out, _) = run(&["build", "--out", "out", "--json"], &folder);
    let counts: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (&counts["pages"], &counts["changed"]),
        (&2.into(), &0.into())
    );
    let (code, out, err) = run(&["-q", "check", "nowhere"], &folder);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: "), "{err}");
}

/// Whatever `check` calls an error fails the build, which is written all the same.
#[test]
fn build_and_check_agree() {
    let without_spec = || {
        let folder = clean_site();
        let docs = std::fs::read_to_string(folder.path().join("docs.json")).unwrap();
        let docs = docs.replacen('{', "{\"api\": {\"openapi\": \"gone.yaml\"},", 1);
        folder.write("docs.json", &docs);
        folder
    };
    let cases = [
        (clean_site(), 0, 0),
        (site_with_warning(), 0, 1),
        (site_with_error(), 1, 1),
        (without_spec(), 1, 1),
    ];
    for (i, (folder, code, strict)) in cases.into_iter().enumerate() {
        assert_eq!(run(&["check"], &folder).0, code, "case {i}");
        assert_eq!(run(&["check", "--strict"], &folder).0, strict, "case {i}");
        let (built, _, err) = run(&["build", "--out", "out"], &folder);
        assert_eq!(built, code, "case {i}: {err}");
        assert_eq!(err.contains("error["), code == 1, "case {i}: {err}");
        let (built, ..) = run(&["build", "--out", "out", "--strict"], &folder);
        assert_eq!(built, strict, "case {i}");
        let (built, _, err) = run(&["build", "--out", "out", "--allow-errors"], &folder);
        assert_eq!(built, 0, "case {i}: {err}");
        assert_eq!(err.contains("error["), code == 1, "case {i}: {err}");
        assert!(folder.path().join("out/index.html").exists(), "case {i}");
    }
}

#[test]
fn a_file_that_cannot_be_written_fails_the_build() {
    let folder = clean_site();
    folder.write("out/start/index.html/mine.txt", "mine");
    let (code, out, err) = run(&["build", "--out", "out", "--force"], &folder);
    assert_eq!(code, 1, "{out}{err}");
    assert!(
        err.starts_with("error: start/index.html: cannot be written: "),
        "{err}"
    );
    assert!(out.starts_with("2 pages, "), "{out}");
    let (code, out, _) = run(&["build", "--out", "out", "--json"], &folder);
    let counts: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &counts["unwritten"]), (1, &1.into()));
}

#[test]
fn an_export_is_explained_file_by_file() {
    let folder = clean_site();
    run(&["build", "--out", "out"], &folder);
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nOther words.\n");
    let (_, out, _) = run(&["build", "--out", "out", "--explain"], &folder);
    assert!(out.contains("start/index.html: changed: "), "{out}");
    assert!(out.contains("api/index.html: unchanged\n"), "{out}");
}

#[test]
fn files_that_not_every_system_has_are_named_by_a_build() {
    let folder = clean_site();
    folder.write("img/x:y.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    folder.write(
        "Start.mdx",
        "---\ntitle: Start again\n---\n\n![x](/img/x:y.svg)\n",
    );
    let (code, _, said) = run(&["build", "--out", "out"], &folder);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("Windows has no file of that name"), "{said}");
    let (_, out, _) = run(&["build", "--out", "out", "--explain"], &folder);
    for path in [
        "start/index.html: differs from Start/index.html only in case",
        "img/x:y.svg: Windows has no",
    ] {
        assert!(out.contains(path), "{path}: {out}");
    }
    let (_, out, _) = run(&["build", "--out", "out", "--json"], &folder);
    let counts: Value = serde_json::from_str(&out).expect("JSON");
    assert!(counts["unportable"].as_u64() >= Some(3), "{out}");
}

#[test]
fn a_folder_of_markdown_is_a_site_and_init_writes_its_configuration() {
    let folder = Folder::new(&[
        ("README.md", "# My tool\n\nSee [setup](docs/setup.md).\n"),
        ("docs/setup.md", "# Setup\n"),
    ]);
    let (code, before, err) = run(&["routes"], &folder);
    assert_eq!(code, 0, "{err}");
    assert!(before.contains("page My tool  /README"), "{before}");
    let (code, out, err) = run(&["check", "--strict"], &folder);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = run(&["init"], &folder);
    let written = [
        "docs.json",
        ".github/workflows/docs.yml",
        ".gitignore",
        ".editorconfig",
        ".vscode/extensions.json",
        ".vscode/settings.json",
        ".vscode/docs.schema.json",
    ];
    let said: String = written.map(|path| format!("{path}: written\n")).concat();
    assert_eq!((code, out), (0, said + "next: quire dev .\n"), "{err}");
    for path in written {
        assert!(folder.at(path).is_file(), "{path}");
    }
    let (_, after, _) = run(&["routes"], &folder);
    assert_eq!(after, before);
    let (code, _, err) = run(&["init"], &folder);
    assert_eq!(
        (code, err.as_str()),
        (2, "error: .: there is a docs.json already\n")
    );
}

#[test]
fn init_begins_a_site_that_has_nothing_wrong() {
    for (template, pages) in [
        ("docs", &["page Welcome  /", "page Quickstart"][..]),
        ("api", &["page List items"]),
        ("both", &["page Welcome  /", "page List items"]),
    ] {
        let folder = Folder::new(&[]);
        let (code, _, err) = run(&["init", "site", "--template", template], &folder);
        assert_eq!(code, 0, "{template}: {err}");
        let (code, out, _) = run(&["check", "site", "--strict"], &folder);
        assert_eq!(code, 0, "{template}: {out}");
        assert!(out.contains("0 errors, 0 warnings"), "{template}: {out}");
        let (_, routes, _) = run(&["routes", "site"], &folder);
        for page in pages {
            assert!(routes.contains(page), "{template}: {page}: {routes}");
        }
        // What stands around the site is no part of it.
        for other in ["vscode", "schema", "github", "editorconfig"] {
            assert!(!routes.contains(other), "{template}: {routes}");
        }
        let config = std::fs::read_to_string(folder.at("site/docs.json")).expect("written");
        let config: Value = serde_json::from_str(&config).expect("JSON");
        let schema = config["$schema"].as_str().expect("a schema");
        let schema = std::fs::read_to_string(folder.at("site").join(schema)).expect("written");
        let schema: Value = serde_json::from_str(&schema).expect("JSON");
        let theme = schema["properties"]["theme"]["enum"].as_array();
        assert!(theme.is_some_and(|names| names.contains(&config["theme"])));
    }
}

#[test]
fn init_overwrites_nothing() {
    let own = "# Own\n";
    let taken = [
        ".gitignore",
        ".editorconfig",
        ".vscode/extensions.json",
        ".vscode/settings.json",
        ".vscode/docs.schema.json",
        ".github/workflows/docs.yml",
        "index.mdx",
    ];
    let folder = Folder::new(&taken.map(|path| (path, own)));
    let (code, out, err) = run(&["init"], &folder);
    assert_eq!(code, 0, "{err}");
    for path in &taken[..6] {
        assert!(
            out.contains(&format!("{path}: there already, left as it is\n")),
            "{path}: {out}"
        );
    }
    for path in taken {
        let text = std::fs::read_to_string(folder.at(path)).expect("it is there");
        assert_eq!(text, own, "{path}");
    }
    assert!(out.contains("docs.json: written\n"), "{out}");
}

#[test]
fn init_writes_the_job_at_the_top_of_the_repository() {
    let github = Folder::new(&[(".git/config", ""), ("a/b/x.txt", "")]);
    let (code, out, err) = run(&["init", "a/b/docs"], &github);
    assert_eq!(code, 0, "{err}");
    let path = ".github/workflows/docs.yml";
    assert!(
        out.contains(&format!("../../../{path}: written\n")),
        "{out}"
    );
    let text = std::fs::read_to_string(github.at(path)).expect("written");
    let version = env!("CARGO_PKG_VERSION");
    assert!(text.contains("          dir: a/b/docs\n"), "{text}");
    assert!(
        text.contains(&format!("actions/quire@v{version}\n")),
        "{text}"
    );
    let rules = std::fs::read_to_string(github.at("a/b/docs/.editorconfig")).expect("written");
    assert!(!rules.contains("root = true"), "those above count too");

    let remote = "[remote \"origin\"]\n  url = git@gitlab.example.org:a/b.git\n";
    let gitlab = Folder::new(&[(".git/config", remote)]);
    let (_, out, _) = run(&["init"], &gitlab);
    assert!(out.contains(".gitlab-ci.yml: written\n"), "{out}");
    let text = std::fs::read_to_string(gitlab.at(".gitlab-ci.yml")).expect("written");
    assert!(
        text.contains("    - quire check . --strict --no-state\n"),
        "{text}"
    );
    assert!(!gitlab.at(path).exists());
}

#[test]
fn a_single_document_is_a_site() {
    let api = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {/a: {get: {summary: List, responses: {'200': {description: ok}}}}}\n";
    let folder = Folder::new(&[("api/openapi.yaml", api), ("api/other.md", "# Other\n")]);
    let (code, out, err) = run(&["routes", "api/openapi.yaml"], &folder);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("GET") || out.contains("page List"), "{out}");
    assert!(!out.contains("Other"), "{out}");
}

/// A running `quire dev` and what it says, a line at a time.
struct Dev {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
}

impl Dev {
    fn start(folder: &Folder) -> (Self, std::net::SocketAddr) {
        let (dev, address) = Self::start_with(&[], folder);
        (dev, address.parse().expect("an address"))
    }

    /// With `arguments`; the address is as it is said.
    fn start_with(arguments: &[&str], folder: &Folder) -> (Self, String) {
        let mut child = quire()
            .args(["dev", "--port", "0"])
            .args(arguments)
            .current_dir(folder.path())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let said = BufReader::new(child.stderr.take().expect("piped"));
        let mut dev = Self { child, said };
        let line = dev.line();
        let (_, address) = line.split_once(" at http://").expect("the address");
        let address = address.split(' ').next().expect("a part").to_owned();
        (dev, address)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("a line");
        line
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_preview_at_all_addresses_says_those_that_can_be_opened() {
    let folder = clean_site();
    for host in ["0.0.0.0", "::"] {
        let (mut dev, address) = Dev::start_with(&["--host", host], &folder);
        let (name, port) = address.split_once(':').expect("a port");
        assert_eq!(name, "localhost");
        let port = port.parse().expect("a number");
        let mut said = vec![std::net::SocketAddr::from(([127, 0, 0, 1], port))];
        for ip in quire_storage::machine::addresses() {
            if ip.is_ipv4() || host == "::" {
                let line = dev.line();
                let (_, address) = line.split_once("in the network at http://").expect(&line);
                said.push(address.trim().parse().expect("an address"));
                assert_eq!(said[said.len() - 1], (ip, port).into());
            }
        }
        for address in said {
            let mut connection = crate::support::client::Connection::open(address);
            assert_eq!(connection.get("/start").status, 200, "{address}");
        }
    }
}

#[test]
fn a_terminal_that_nobody_reads_holds_up_no_edit() {
    let folder = clean_site();
    let mut child = quire()
        .args(["dev", "--port", "0", "--no-state"])
        .current_dir(folder.path())
        .env("QUIRE_LOG", "trace")
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let said = BufReader::new(child.stderr.take().expect("piped"));
    let mut dev = Dev { child, said };
    let address = loop {
        let line = dev.line();
        assert!(!line.is_empty(), "it ended");
        if let Some((_, address)) = line.split_once(" at http://") {
            let address = address.split(' ').next().expect("a part");
            break address.parse().expect("an address");
        }
    };
    // From here on nobody reads. Each edit has many lines of log at this level.
    let mut connection = crate::support::client::Connection::open(address);
    for edit in 0..60 {
        let words = format!("edit-{edit}-words");
        folder.write("start.mdx", format!("---\ntitle: Start\n---\n\n{words}\n"));
        crate::support::wait_until(&words, || connection.get("/start").text().contains(&words));
    }
    // Who reads again is told how much there was: far more than waits.
    let mut bytes = 0;
    let dropped: u64 = loop {
        let line = dev.line();
        assert!(!line.is_empty(), "it ended");
        bytes += line.len();
        if let Some((count, _)) = line.split_once(" lines of the log were dropped") {
            break count.parse().expect("a number");
        }
    };
    assert!(
        dropped > 1000 && bytes < 1_000_000,
        "{dropped} after {bytes}"
    );
}

#[test]
fn a_preview_ends_by_a_signal_with_code_0() {
    for signal in ["TERM", "INT"] {
        let folder = clean_site();
        let (mut dev, address) = Dev::start(&folder);
        let mut connection = crate::support::client::Connection::open(address);
        assert_eq!(connection.get("/start").status, 200);
        let id = dev.child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.expect("kill starts").success());
        let mut code = None;
        wait_until("the preview ends", || {
            code = dev.child.try_wait().expect("it can be asked");
            code.is_some()
        });
        assert_eq!(code.and_then(|code| code.code()), Some(0), "{signal}");
        assert!(connection.is_closed_by_server());
    }
}

#[test]
fn a_preview_reports_what_a_renamed_or_removed_page_breaks() {
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#123456"},
        "navigation": {"groups": [{"group": "G", "pages": ["index", "guides/a", "guides/b", "last"]}]}}"##;
    let text = "---\ntitle: A\n---\n\nFirst line.\n\nSecond line.\n\nThird line.\n";
    let folder = Folder::new(&[
        ("docs.json", docs),
        (
            "index.mdx",
            "---\ntitle: Start\n---\n\n[A](/guides/a) and [again](guides/a#x), [last](/last).\n",
        ),
        ("guides/a.mdx", text),
        ("guides/b.mdx", "---\ntitle: B\n---\n\nSee [A](./a).\n"),
        ("last.mdx", "---\ntitle: Last\n---\n\nWords.\n"),
    ]);
    let (mut dev, _) = Dev::start(&folder);
    let mut until = |begin: &str| loop {
        let line = dev.line();
        assert!(!line.is_empty(), "it ended");
        if line.contains(begin) {
            break line.trim_end().to_owned();
        }
    };
    until("`quire check --verbose` lists them");
    std::fs::rename(folder.at("guides/a.mdx"), folder.at("guides/c.mdx")).expect("renamed");
    let line = until("renamed ");
    assert!(
        line.ends_with(
            "renamed guides/a.mdx to guides/c.mdx: 3 links and 1 navigation entry still name the old path"
        ),
        "{line}"
    );
    let places = until("index.mdx:5:");
    assert!(places.contains("  guides/b.mdx:5:"), "{places}");
    assert!(places.contains("  docs.json:2:"), "{places}");
    let offer = until("to change them: ");
    let (_, command) = offer.split_once("to change them: ").expect("a command");
    assert_eq!(command, "quire mv --moved guides/a.mdx guides/c.mdx");
    let (code, _, err) = run(&["mv", "--moved", "guides/a.mdx", "guides/c.mdx"], &folder);
    assert_eq!(code, 0, "{err}");
    std::fs::remove_file(folder.at("last.mdx")).expect("removed");
    let line = until("removed last.mdx: ");
    assert!(
        line.ends_with("removed last.mdx: 1 link and 1 navigation entry still name it"),
        "{line}"
    );
    // Nothing names this page.
    folder.write("unlisted.mdx", text.replace("First", "Only"));
    until("added unlisted.mdx");
    std::fs::remove_file(folder.at("unlisted.mdx")).expect("removed");
    until("removed unlisted.mdx (");
    folder.write("guides/b.mdx", "---\ntitle: B\n---\n\n[None](/none)\n");
    loop {
        let line = until("");
        assert!(!line.contains("removed unlisted.mdx:"), "{line}");
        if line.contains("`/none` does not exist") {
            break;
        }
    }
}

#[test]
fn a_page_is_explained_by_its_queries_and_files() {
    let folder = clean_site();
    let (code, out, _) = run(&["explain", ".", "/start"], &folder);
    assert_eq!(code, 0);
    for part in [
        "page_body(start.mdx)",
        "section_sidebar",
        "inputs",
        "  docs.json\n",
        "  start.mdx\n",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    // The other page is in the sidebar, so its title is asked for; its body is nobody's business.
    assert!(
        out.contains("  api.mdx\n") && !out.contains("page_body(api.mdx)"),
        "{out}"
    );
    let trace = folder.at("trace.json");
    let (code, out, _) = run(
        &[
            "explain",
            "/api",
            "--json",
            "--trace",
            trace.to_str().expect("a path"),
        ],
        &folder,
    );
    assert_eq!(code, 0);
    let value: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["route"], "/api");
    let ran = value["calls"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|call| call["ran"] == true);
    assert_eq!(
        ran.count() as u64,
        value["executed"].as_u64().expect("a number")
    );
    let trace: Value = serde_json::from_str(&folder.read("trace.json")).expect("JSON");
    assert_eq!(
        trace["traceEvents"].as_array().map(Vec::len),
        value["calls"].as_array().map(Vec::len)
    );
    let (code, _, error) = run(&["explain", "/nowhere"], &folder);
    assert_eq!(code, 2);
    assert!(error.contains("quire routes"), "{error}");
}

#[test]
fn an_edit_is_explained_by_what_ran() {
    let folder = clean_site();
    let mut child = quire()
        .args(["explain", ".", "/start", "--watch", "--json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let ready = lines.next().expect("a line").expect("UTF-8");
    assert!(ready.contains("/start is drawn"), "{ready}");
    let mut edit = |words: &str| -> Value {
        folder.write(
            "start.mdx",
            format!("---\ntitle: Start\n---\n\n{words} [api](/api)\n"),
        );
        let line = lines.next().expect("a line").expect("UTF-8");
        serde_json::from_str(&line).expect("JSON")
    };
    // The first edit makes the file less durable, which its readers notice once.
    edit("one");
    let second = edit("two");
    assert_eq!(second["because"], "start.mdx changed");
    let ran = second["ran"].as_array().expect("a list").iter();
    let ran: Vec<&str> = ran
        .map(|call| call["query"].as_str().expect("a name"))
        .collect();
    let expected =
        ["front_matter", "page_body", "has_feed"].map(|name| format!("{name}(start.mdx)"));
    assert_eq!(ran, expected);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn a_replay_measures_every_kind_of_edit_and_changes_no_file() {
    let folder = Folder::copy_of(&museum());
    let before = crate::support::folder::files_of(folder.path());
    let figures = Folder::new(&[]);
    let (json, html) = (figures.at("a.json"), figures.at("a.html"));
    let arguments = |edits: &str| -> Vec<String> {
        let (json, html) = (json.display().to_string(), html.display().to_string());
        let given = [
            "bench", ".", "--edits", edits, "--json", &json, "--html", &html,
        ];
        given.map(str::to_owned).to_vec()
    };
    let replay = |edits: &str| {
        let arguments = arguments(edits);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, out, error) = run(&arguments, &folder);
        assert_eq!(code, 0, "{out}{error}");
        let value: Value = serde_json::from_str(&figures.read("a.json")).expect("JSON");
        (out, value)
    };
    let (out, value) = replay("120");
    assert!(
        out.contains("are those of a clean build, byte for byte"),
        "{out}"
    );
    let kinds = value["kinds"].as_array().expect("a list");
    for kind in kinds {
        assert_eq!(kind["as_predicted"], kind["edits"], "{kind}");
        assert!(kind["p50_ms"].as_f64() <= kind["p99_ms"].as_f64(), "{kind}");
    }
    let edits: u64 = kinds.iter().filter_map(|kind| kind["edits"].as_u64()).sum();
    assert_eq!(
        (edits, value["samples"].as_array().map(Vec::len)),
        (120, Some(120))
    );
    let named = |name: &str| {
        kinds
            .iter()
            .find(|kind| kind["kind"] == name)
            .unwrap_or_else(|| panic!("{name}"))
    };
    assert_eq!(named("saved without a change")["queries_p50"], 0);
    // The file, its body, and whether that has a feed, which heads say.
    assert_eq!(named("words of a page")["queries_p50"], 3);
    assert_eq!(value["clean_build"]["differing"], serde_json::json!([]));
    // The page needs nothing from elsewhere, and says what the table says.
    let page = figures.read("a.html");
    assert!(page.contains("<svg") && page.contains("words of a page"));
    for part in ["<script", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(part), "{part}");
    }
    // The same seed makes the same edits.
    let kinds_of = |value: &Value| -> Vec<(Value, Value)> {
        let kinds = value["kinds"].as_array().expect("a list").iter();
        kinds
            .map(|kind| (kind["kind"].clone(), kind["edits"].clone()))
            .collect()
    };
    assert_eq!(kinds_of(&replay("120").1), kinds_of(&value));
    assert_eq!(crate::support::folder::files_of(folder.path()), before);
}
