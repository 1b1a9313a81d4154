//! What is not published appears nowhere: a word that stands in forbidden places is in no page, no output for programs, no
//! archive, no search result, no answer and no export; a word that is published is in all of them.

use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::os::unix::fs::symlink;

use quire_export::{Plan, build};
use quire_settings::SiteSettings;
use serde_json::json;

use crate::support::daemon::{Daemon, settings};
use crate::support::folder::{Folder, files_of};

const HOST: &str = "docs.localhost";
const PUBLIC: &str = "okapi";
/// Stands wherever [`SECRET`] does, and is what questions ask for: they are said again.
const ASKED: &str = "zanzibar";
const SECRET: &str = "zanzibar7f3a";

/// Files of a repository that are not of its site.
const FORBIDDEN: &[&str] = &[
    ".env",
    ".env.local",
    ".env.production.json",
    "guides/.env",
    ".git/config",
    ".git/HEAD",
    ".git/logs/HEAD.md",
    ".git/objects/aa/page.mdx",
    ".github/workflows/deploy.yml",
    ".github/README.md",
    ".gitlab-ci.yml",
    ".npmrc",
    ".netrc",
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".config/page.mdx",
    ".vscode/settings.json",
    ".idea/workspace.xml",
    ".DS_Store",
    ".htpasswd",
    ".quire/token",
    ".mintlify/notes.mdx",
    "node_modules/pkg/page.mdx",
    "node_modules/pkg/openapi.json",
    "guides/node_modules/pkg/image.svg",
    "package.json",
    "package-lock.json",
    "Makefile",
    "Dockerfile",
    "key.pem",
    "server.key",
    "backup.sql",
    "state.db",
    "README.md",
    "CONTRIBUTING.md",
    "guides/CHANGELOG.md",
    "internal/plan.mdx",
    "internal/api.json",
    "internal/logo.svg",
    "notes.private.mdx",
    "start.mdx~",
    "start.mdx.swp",
    "#start.mdx#",
    "start.mdx.tmp",
    "unused.openapi.yaml",
    "snippets/unused.mdx",
];

fn site(outside: &Folder) -> Folder {
    let spec = |word: &str| {
        format!(
            r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},
               "paths":{{"/animals":{{"get":{{"summary":"List {word}","responses":{{}}}}}}}}}}"#
        )
    };
    let folder = Folder::new(&[
        (
            "docs.json",
            &format!(
                r##"{{"name":"T","theme":"mint","colors":{{"primary":"#000000"}},"x-{SECRET}":"{SECRET}",
                "navigation":{{"pages":["start","guides/page",{{"group":"API","openapi":"api.json"}},{{"group":"More","openapi":"more.json"}}]}}}}"##
            ),
        ),
        (
            "start.mdx",
            &format!(
                "---\ntitle: Start\nx-note: {SECRET}\n# {SECRET}\n---\n\n\
                 {{/* {ASKED} {SECRET} */}}\n\n<!-- {ASKED} {SECRET} -->\n\nThe {PUBLIC} eats. {{/* {SECRET} */}}\n\n\
                 <Note>{{/* {SECRET} */}}An {PUBLIC}.</Note>\n\nexport const unused = \"{SECRET}\";\n"
            ),
        ),
        (
            "guides/page.mdx",
            &format!("---\ntitle: Page\n---\n\nMore {PUBLIC}.\n"),
        ),
        ("api.json", &spec(PUBLIC)),
        ("more.json", &spec(PUBLIC).replace("/animals", "/more")),
        (".mintignore", "internal/\n*.private.mdx\n"),
    ]);
    for path in FORBIDDEN {
        let text = match path.rsplit_once('.') {
            // A document that says it is a specification is one, and served, wherever it is.
            Some((name, "json")) if name.starts_with("package") => {
                format!(r#"{{"name":"{SECRET}"}}"#)
            }
            Some((_, "json")) => spec(SECRET),
            Some((_, "svg")) => {
                format!("<svg xmlns='http://www.w3.org/2000/svg'><text>{SECRET}</text></svg>")
            }
            _ => format!("---\ntitle: The {ASKED}\n---\n\nThe {ASKED} is {SECRET}.\n"),
        };
        folder.write(path, text);
    }
    symlink(outside.at("page.mdx"), folder.at("linked.mdx")).expect("a link");
    symlink(outside.path(), folder.at("elsewhere")).expect("a link");
    symlink(folder.at(".env"), folder.at("env.txt")).expect("a link");
    folder
}

/// The bytes of an archive, unpacked, with the names in it.
fn unpacked(zip: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).expect("an archive");
    let mut all = Vec::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).expect("a file");
        all.extend(file.name().expect("a name").as_bytes());
        file.read_to_end(&mut all).expect("it unpacks");
    }
    all
}

fn holds(bytes: &[u8], word: &str) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    text.contains(word)
}

#[test]
fn what_is_not_published_is_in_nothing_that_is_served() {
    let outside = Folder::new(&[(
        "page.mdx",
        &format!("---\ntitle: Out\n---\n\n{SECRET}\n") as &str,
    )]);
    let (site, state) = (site(&outside), Folder::new(&[]));
    let docs = SiteSettings {
        domains: vec!["docs.example.org".to_owned()],
        ..SiteSettings::of_folder(site.path())
    };
    let daemon = Daemon::start(settings(state.path(), &[("docs", docs)]));
    let mut told = BTreeSet::new();
    let mut look = |what: &str, bytes: &[u8]| {
        assert!(
            !holds(bytes, SECRET),
            "{what}: {}",
            String::from_utf8_lossy(bytes)
        );
        if holds(bytes, PUBLIC) {
            told.insert(what.to_owned());
        }
    };
    // Everything that pages and outputs lead to, from the first page on.
    let outputs = [
        "/",
        "/start",
        "/start.md",
        "/guides/page",
        "/llms.txt",
        "/llms-full.txt",
        "/sitemap.xml",
        "/robots.txt",
        "/skill.md",
        "/api.json",
        "/api-specs.zip",
        "/.well-known/mcp.json",
        "/.well-known/llms.txt",
        "/elsewhere/page",
        "/linked",
        "/env.txt",
        "/no-such-page",
    ];
    let mut queue: Vec<String> = outputs.map(str::to_owned).to_vec();
    queue.extend(FORBIDDEN.iter().map(|path| format!("/{path}")));
    let stems = FORBIDDEN
        .iter()
        .filter_map(|path| path.strip_suffix(".mdx"));
    queue.extend(stems.map(|stem| format!("/{stem}")));
    let mut seen: BTreeSet<String> = queue.iter().cloned().collect();
    while let Some(target) = queue.pop() {
        let escaped = target.replace('#', "%23");
        let reply = daemon.get(HOST, &escaped);
        let bytes = match target.ends_with(".zip") {
            true => unpacked(&reply.body),
            false => reply.body.clone(),
        };
        look(&target, &bytes);
        look(&target, format!("{:?}", reply.headers).as_bytes());
        let text = reply.text();
        for part in text.split("href=\"").chain(text.split("src=\"")).skip(1) {
            let link = part.split(['"', '#', '?']).next().unwrap_or_default();
            if link.starts_with('/') && !link.starts_with("/_theme") && seen.insert(link.to_owned())
            {
                queue.push(link.to_owned());
            }
        }
    }
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    for word in [PUBLIC, ASKED] {
        let post = |target: &str, body: serde_json::Value| {
            let reply = daemon.send("POST", HOST, target, &headers, &body.to_string());
            assert_eq!(reply.status, 200, "{target}: {}", reply.text());
            reply.text()
        };
        let found = post("/api/sites/docs/search", json!({ "query": word }));
        let results = serde_json::from_str::<serde_json::Value>(&found).expect("JSON");
        let results = results["results"].as_array().expect("results");
        assert_eq!(results.is_empty(), word == ASKED, "{found}");
        look(&format!("search {word}"), found.as_bytes());
        let call = |tool: &str, arguments: serde_json::Value| {
            let params = json!({ "name": tool, "arguments": arguments });
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
        };
        let tool = post("/mcp", call("search", json!({ "query": word })));
        look(&format!("mcp {word}"), tool.as_bytes());
        let asked = json!({ "messages": [{ "role": "user", "content": format!("What eats the {word}?") }] });
        let answer = post("/api/sites/docs/assistant", asked);
        look(&format!("assistant {word}"), answer.as_bytes());
    }
    for what in [
        "/start",
        "/start.md",
        "/guides/page",
        "/llms-full.txt",
        "/api.json",
        "/api-specs.zip",
        "/api-reference/list-okapi",
        "search okapi",
        "mcp okapi",
        "assistant okapi",
    ] {
        assert!(told.contains(what), "{what} of {told:?}");
    }
}

#[test]
fn what_is_not_published_is_in_no_export() {
    let outside = Folder::new(&[("page.mdx", SECRET)]);
    let (site, out) = (site(&outside), Folder::new(&[]));
    let plan = Plan {
        folder: site.path().to_owned(),
        out: out.path().to_owned(),
        base_path: String::new(),
        base_url: Some("https://docs.example.org".to_owned()),
        trailing_slash: true,
        clean: false,
        force: false,
        cards: false,
        state: None,
    };
    build(&plan, &|_, _| {}).expect("it builds");
    let files = files_of(out.path());
    let mut with_word = 0;
    for file in &files {
        let bytes = std::fs::read(out.at(file)).expect("it is there");
        assert!(!holds(&bytes, SECRET), "{file}");
        assert!(!file.contains(SECRET), "{file}");
        with_word += usize::from(holds(&bytes, PUBLIC));
    }
    assert!(with_word >= 5, "{files:?}");
}
