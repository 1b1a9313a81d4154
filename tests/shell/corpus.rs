//! Real sites, written by others: every page is there, every route answers, nothing faults.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use queries::site::{resolve, route_table};
use quire_export::{Plan, build};
use quire_http::server::Limits;

use crate::support::folder::files_of;
use crate::support::preview::Preview;
use crate::support::repository;

/// The folders of real sites; `None` when this machine has none.
fn sites() -> Option<Vec<PathBuf>> {
    let beside = || repository().join("../shared");
    let shared = std::env::var_os("QUIRE_SHARED").map_or_else(beside, PathBuf::from);
    let sites = std::fs::read_dir(shared.join("corpus/sites")).ok()?;
    let mut sites: Vec<PathBuf> = sites.flatten().map(|entry| entry.path()).collect();
    sites.sort();
    Some(sites)
}

/// The pages that a look at the folder finds: every `.mdx` and `.md` that is neither hidden, ignored, a snippet, nor of
/// the repository itself.
fn pages_on_disk(site: &Path) -> BTreeSet<String> {
    let mut ignore = ignore::gitignore::GitignoreBuilder::new("");
    let rules = std::fs::read_to_string(site.join(".mintignore")).unwrap_or_default();
    for line in rules.lines() {
        ignore.add_line(None, line).expect("a rule");
    }
    let ignore = ignore.build().expect("rules");
    files_of(site)
        .into_iter()
        .filter(|path| path.ends_with(".mdx") || path.ends_with(".md"))
        .filter(|path| {
            let mut parts = path.split('/');
            !parts.any(|part| part.starts_with('.') || ["snippets", "_snippets"].contains(&part))
        })
        .filter(|path| {
            let name = path.rsplit('/').next().expect("a name");
            !["README.md", "LICENSE.md", "CHANGELOG.md", "CONTRIBUTING.md"].contains(&name)
                && !["AGENTS.md", "CLAUDE.md", "GEMINI.md"].contains(&path.as_str())
        })
        .filter(|path| !ignore.matched_path_or_any_parents(path, false).is_ignore())
        .collect()
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn every_page_of_real_sites_is_served_and_has_one_title() {
    let Some(sites) = sites() else {
        eprintln!(
            "SKIPPED every_page_of_real_sites_is_served_and_has_one_title: no corpus; set QUIRE_SHARED"
        );
        return;
    };
    assert!(sites.len() >= 12, "{sites:?}");
    // Two at a time: each site by itself leaves a core idle while it is loaded.
    let next = std::sync::Mutex::new(sites.iter());
    let reports: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut report = String::new();
            loop {
                let site = next.lock().expect("nobody panics").next();
                let Some(site) = site else { return report };
                check_site(site, &mut report);
            }
        };
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"))
            .collect()
    });
    assert_eq!(reports.concat(), "");
}

/// Pages of real sites that have no `<h1>` of ours, or more than it, because their authors wrote `<h1>`
/// themselves or leave the whole page to their own elements (`mode: custom` or `frame`).
const OWN_HEADINGS: &[(&str, usize)] = &[("crewai", 8), ("mcp-use", 1), ("mintlify", 4)];

/// Returns true if the author of the page at `path` decides which `<h1>` it has.
fn has_own_headings(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let is_mode = |line: &str| {
        let value = line
            .strip_prefix("mode:")
            .map(|value| value.trim().trim_matches(['"', '\'']));
        matches!(value, Some("custom" | "frame"))
    };
    text.contains("<h1") || text.lines().any(is_mode)
}

fn check_site(site: &Path, report: &mut String) {
    let name = site.file_name().expect("a name").to_string_lossy();
    let mut say = |line: String| report.push_str(&format!("{name}: {line}\n"));
    let quire = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
        command.env("QUIRE_STATE", "off");
        command
    };

    let routes = quire().arg("routes").arg(site).arg("--json").output();
    let routes = routes.expect("it starts");
    if !routes.status.success() {
        return say(format!("routes: {}", routes.status));
    }
    let routes: serde_json::Value = serde_json::from_slice(&routes.stdout).expect("JSON");
    let pages = routes["pages"].as_array().expect("pages");
    let found: BTreeSet<String> = pages
        .iter()
        .filter_map(|page| page["source"].as_str().map(str::to_owned))
        .collect();
    for lost in pages_on_disk(site).difference(&found) {
        say(format!("{lost} is lost"));
    }
    for invented in found.difference(&pages_on_disk(site)) {
        say(format!("{invented} is no page"));
    }

    let preview = Preview::start(site, Limits::default());
    let mut connection = preview.connect();
    let mut own_headings = 0;
    for page in pages {
        let route = page["route"].as_str().expect("a route");
        let reply = connection.get(&queries::base::path::encode_path(route));
        if reply.status != 200 || reply.header("warning").is_some() {
            say(format!("{route}: {}", reply.status));
            continue;
        }
        let text = reply.text();
        if !text.contains("<main") {
            say(format!("{route} has no content"));
        }
        let headings = text.matches("<h1").count();
        let source = page["source"].as_str().map(|source| site.join(source));
        if headings == 1 {
            continue;
        }
        match source.is_some_and(|source| has_own_headings(&source)) {
            true => own_headings += 1,
            false => say(format!("{route} has {headings} `<h1>`")),
        }
    }
    drop(preview);
    let expected = OWN_HEADINGS.iter().find(|(site, _)| *site == name);
    let expected = expected.map_or(0, |(_, count)| *count);
    if own_headings != expected {
        say(format!(
            "{own_headings} pages have another `<h1>` by their authors, not {expected}"
        ));
    }

    let checked = quire().arg("check").arg(site).output().expect("it starts");
    let text = String::from_utf8_lossy(&checked.stdout);
    let summary = text.lines().last().unwrap_or("");
    let expected = format!("{} pages: ", pages.len());
    if !matches!(checked.status.code(), Some(0 | 1)) || !summary.starts_with(&expected) {
        say(format!("check: {}: {summary}", checked.status));
    }
    let errors = String::from_utf8_lossy(&checked.stderr);
    if text.contains("internal-fault") || errors.contains("panicked") {
        say(format!("check met a fault: {errors}"));
    }
}

/// The files of a build of `site` with its state in `state`, or without one.
fn exported(site: &Path, state: Option<&Path>) -> BTreeMap<String, Vec<u8>> {
    let out = tempfile::tempdir().expect("a folder");
    let plan = Plan {
        folder: site.to_owned(),
        out: out.path().to_owned(),
        base_path: String::new(),
        base_url: None,
        trailing_slash: true,
        clean: false,
        force: false,
        // Thousands of them, in a build that is not optimized.
        cards: false,
        state: state.map(Path::to_owned),
    };
    let built = build(&plan, &|_, _| ()).expect("a build");
    assert_eq!(built.failed, [], "{}", site.display());
    let files = files_of(out.path()).into_iter();
    let read = |path: String| {
        let bytes = std::fs::read(out.path().join(&path)).expect("a file");
        (path, bytes)
    };
    files.map(read).collect()
}

/// Checks that whatever an exported page of `site` refers to is a file, unless the server has nothing there either, and that a
/// server of files answers it at once.
fn check_links(site: &Path, export: &BTreeMap<String, Vec<u8>>) {
    let loaded = quire_source::load::load(site, "").expect("a site");
    let routes = loaded.host.read(|db, site| route_table(db, site).clone());
    let routes = routes.expect("routes");
    let mut dead = BTreeMap::new();
    let mut checked = 0;
    for (file, bytes) in export.iter().filter(|(file, _)| file.ends_with(".html")) {
        let html = String::from_utf8_lossy(bytes);
        let values = [" href=\"", " src=\""].map(|name| html.split(name).skip(1));
        for value in values.into_iter().flatten() {
            let value = value
                .split('"')
                .next()
                .unwrap_or_default()
                .replace("&amp;", "&");
            let path = value.split(['#', '?']).next().unwrap_or_default();
            if !path.starts_with('/') || path.starts_with("//") {
                continue;
            }
            checked += 1;
            let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
            let name = decoded.trim_start_matches('/');
            let is_there = match name.strip_suffix('/') {
                Some(folder) => export.contains_key(&format!("{folder}/index.html")),
                None if name.is_empty() => export.contains_key("index.html"),
                None => export.contains_key(name),
            };
            if !is_there && resolve(&*routes, &decoded).is_some() {
                dead.insert(value, file);
            }
        }
    }
    assert_eq!(dead, BTreeMap::new(), "{}", site.display());
    assert!(checked > 100, "only {checked}");
}

/// Cold and warm, an export is that without a state, and its links lead where those of the server do. `QUIRE_CORPUS_EXPORTS=all` takes every site, otherwise those
/// of few pages.
#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn exports_of_real_sites_are_the_same_with_and_without_a_state() {
    let Some(mut sites) = sites() else {
        eprintln!("SKIPPED exports_of_real_sites_are_the_same_with_and_without_a_state: no corpus");
        return;
    };
    if std::env::var_os("QUIRE_CORPUS_EXPORTS").is_none_or(|which| which != "all") {
        sites.retain(|site| pages_on_disk(site).len() <= 120);
        assert!(sites.len() >= 2, "{sites:?}");
    }
    for site in sites {
        let clean = exported(&site, None);
        check_links(&site, &clean);
        let state = tempfile::tempdir().expect("a folder");
        for start in ["cold", "warm"] {
            let kept = exported(&site, Some(state.path()));
            let differs = clean.keys().chain(kept.keys());
            let differs: Vec<&String> = differs
                .filter(|path| clean.get(*path) != kept.get(*path))
                .collect();
            assert!(
                differs.is_empty(),
                "{} {start}: {differs:?}",
                site.display()
            );
        }
    }
}
