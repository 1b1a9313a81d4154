//! The rankings of engines that run in a browser: `benches/peers/search.mjs` asks them, in Node.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

use queries::site::RouteTable;
use queries::theme::assets::asset_url;
use quire_export::addresses::Addresses;
use quire_export::search;
use serde_json::json;

use crate::judged::JudgedSite;

/// The routes that an engine answers each question of a site with, best first.
pub(crate) type Rankings = BTreeMap<String, Vec<Vec<String>>>;

/// The engines, as the script names them; the last is ours.
pub(crate) const ENGINES: [&str; 4] = ["minisearch", "flexsearch", "pagefind", "export"];

/// Asks all of [`ENGINES`] the questions of `site`, and the last of them those of `probes` too (`export probes`); nothing,
/// and says so, where they are not installed.
pub(crate) fn rankings(site: &JudgedSite, probes: &[String]) -> Rankings {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = root.join("benches/peers/search.mjs");
    if !root.join("benches/peers/node_modules").is_dir() {
        println!("SKIPPED minisearch, flexsearch, pagefind, export: `npm ci` in benches/peers");
        return Rankings::new();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, value: serde_json::Value| {
        std::fs::write(folder.path().join(name), value.to_string()).expect("written");
    };
    write("documents.json", documents(site));
    let questions = site
        .questions
        .iter()
        .map(|question| question.query.as_str());
    write("questions.json", questions.collect());
    write("probes.json", json!(probes));
    export(site, &folder.path().join("export"));
    let mut node = Command::new("node");
    let status = node.arg(&script).arg(folder.path()).status();
    assert!(status.expect("node").success(), "{}", script.display());
    let rankings = std::fs::read(folder.path().join("rankings.json")).expect("rankings");
    serde_json::from_slice(&rankings).expect("JSON")
}

/// What engines are given of a site: what ours is.
fn documents(site: &JudgedSite) -> serde_json::Value {
    let page = |document: &queries::search::SearchDocument| {
        let passages = document.passages.iter().map(|passage| {
            json!({ "headings": passage.headings, "body": passage.body, "code": passage.code })
        });
        let passages: Vec<_> = passages.collect();
        json!({ "route": document.route.as_str(), "title": document.title, "passages": passages })
    };
    site.documents.iter().map(page).collect()
}

/// Writes the search of an export of the site into `folder`, with the scripts that ask it.
fn export(site: &JudgedSite, folder: &Path) {
    let write = |path: &str, bytes: &[u8]| {
        let path = folder.join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("written");
    };
    let mut documents: Vec<_> = site.documents.iter().collect();
    documents.sort_by(|a, b| a.route.cmp(&b.route));
    let base = format!("file://{}", folder.display());
    let routes = RouteTable::default();
    let addresses = Addresses::new(&routes, "", None, false);
    let searched = search::Site {
        breadcrumbs: &HashMap::new(),
        base: &base,
        synonyms: &[],
    };
    let write_file = |path: String, bytes: &[u8]| write(&path, bytes);
    let mut builder = search::Builder::new(searched, &write_file, None);
    let parts = search::Parts::default();
    let found = documents.iter().enumerate().map(|(at, document)| {
        let part = parts.part(document, &addresses);
        (at, part.expect("JSON"))
    });
    let run = search::Run {
        pages: Vec::new(),
        found: search::RunEntries::Parts(None, found.collect()),
    };
    builder.add(vec![run]).expect("files");
    builder.finish().expect("files");
    // Scripts are modules here as they are in a page.
    write("package.json", b"{\"type\":\"module\"}");
    let script = |name: &str| {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/theme/js");
        std::fs::read(scripts.join(name)).expect("a script")
    };
    write("searcher.js", &script("searcher.js"));
    write(&asset_url("seldom.js"), &script("seldom.js"));
}
