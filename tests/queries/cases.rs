//! Every folder of `fixtures/` that has an `expected/` is a case: a site, and what is expected of it.
//!
//! `CASE=name` runs one. `UPDATE_EXPECT=1` rewrites the files of `expected/` that are there (to check one more, create it
//! empty), and `executed.txt`. After every edit of a story all outputs are compared with those of a fresh database.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::diagnostic::Severity;
use base::path::Route;
use config::chrome::Contextual;
use queries::config::theme_config;
use queries::frame::page_html;
use queries::navigation::{NavigationNode, Target, navigation_tree};
use queries::page::{label_of, page_list, page_route, route_of};
use queries::site::report::{Report, reports, text};
use queries::site::{route_table, site_diagnostics};

use crate::support::{TestSite, differences, source_of};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// The folders of the fixtures, by name.
pub(crate) fn folders() -> Vec<(String, PathBuf)> {
    let mut folders: Vec<(String, PathBuf)> = std::fs::read_dir(fixtures())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, path)
        })
        .collect();
    folders.sort();
    folders
}

/// The files below `folder` with their contents, by path; none if there is no such folder.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files_but(folder, |_| false)
}

/// Like [`files`], without what cargo has built and npm has fetched there.
pub(crate) fn own_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files_but(folder, |folder| {
        folder.ends_with("node_modules") || folder.join("CACHEDIR.TAG").exists()
    })
}

fn files_but(folder: &Path, is_left_out: fn(&Path) -> bool) -> BTreeMap<String, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(within) = folders.pop() {
        for entry in std::fs::read_dir(within).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if is_left_out(&path) => {}
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().to_string_lossy();
                    files.insert(name.into_owned(), std::fs::read(&path).unwrap());
                }
            }
        }
    }
    files
}

/// The site of `folder`.
pub(crate) fn site(folder: &Path) -> TestSite {
    TestSite::new(&files(folder).into_iter().collect::<Vec<_>>())
}

#[test]
fn every_case_is_as_expected() {
    let only = std::env::var("CASE").ok();
    let mut failures = String::new();
    let mut ran = 0;
    for (name, folder) in folders() {
        if only.as_ref().is_some_and(|only| *only != name) || !folder.join("expected").is_dir() {
            continue;
        }
        ran += 1;
        check_case(&name, &folder, &mut failures);
    }
    assert!(ran > 0, "no case is called {only:?}");
    assert_eq!(failures, "", "(UPDATE_EXPECT=1 takes it over)");
}

/// A folder without expectations is a demonstration: nothing in it may be wrong.
#[test]
fn demonstrations_have_no_errors_or_warnings() {
    let mut names = Vec::new();
    for (name, folder) in folders() {
        if folder.join("expected").is_dir() {
            continue;
        }
        let site = site(&folder);
        let mut diagnostics = site_diagnostics(&site.db, site.site);
        diagnostics.retain(|diagnostic| diagnostic.severity() != Severity::Info);
        let reports = diagnostics
            .iter()
            .map(|found| Report::new(&site.db, found).text(false));
        assert_eq!(reports.collect::<String>(), "", "{name}");
        names.push(name);
    }
    assert_eq!(names, ["manual", "museum"]);
}

fn check_case(name: &str, folder: &Path, failures: &mut String) {
    for part in std::fs::read_dir(folder).unwrap() {
        let part = part.unwrap().file_name();
        if !["site", "expected", "edits"]
            .iter()
            .any(|known| part == *known)
        {
            failures.push_str(&format!("{name}: nobody reads {}\n", part.display()));
        }
    }
    let mut site = site(&folder.join("site"));
    check_expected(name, &site, &folder.join("expected"), failures);
    let mut edits: Vec<PathBuf> = std::fs::read_dir(folder.join("edits"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect();
    edits.sort();
    for edit in edits {
        let name = format!("{name}/{}", edit.file_name().unwrap().display());
        site.outputs();
        site.take();
        for path in std::fs::read_to_string(edit.join("deleted.txt"))
            .unwrap_or_default()
            .lines()
        {
            site.remove(path);
        }
        for (path, bytes) in files(&edit.join("site")) {
            if site.exists(&path) {
                site.set(&path, bytes);
            } else {
                site.add(&path, bytes);
            }
        }
        let outputs = site.outputs();
        let mut executed = String::new();
        for (query, keys) in site.take_keys() {
            executed.push_str(&format!("{query} {}\n", keys.len()));
        }
        check_file(&name, &edit.join("executed.txt"), &executed, failures);
        let stale = differences(&outputs, &site.fresh().outputs());
        if !stale.is_empty() {
            failures.push_str(&format!("{name}: stale answers\n{stale}"));
        }
        check_expected(&name, &site, &edit.join("expected"), failures);
    }
}

/// Compares what is expected with what is; what is absent is not checked, what nobody knows is a failure.
fn check_expected(name: &str, site: &TestSite, folder: &Path, failures: &mut String) {
    for path in files(folder).into_keys() {
        let is = match path.as_str() {
            "navigation.txt" => Some(navigation(site)),
            "routes.txt" => Some(routes(site)),
            "diagnostics.txt" => Some(diagnostics(site)),
            path => path
                .strip_prefix("pages/")
                .and_then(|path| page(site, path, true))
                .or_else(|| page(site, path.strip_prefix("documents/")?, false))
                .or_else(|| styles(site, path.strip_prefix("styles/")?)),
        };
        match is {
            Some(is) => check_file(name, &folder.join(path), &is, failures),
            None => failures.push_str(&format!("{name}: nothing is to be compared with {path}\n")),
        }
    }
}

fn check_file(name: &str, path: &Path, is: &str, failures: &mut String) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, is).unwrap();
        return;
    }
    let should_be = std::fs::read_to_string(path).unwrap_or_default();
    if should_be != is {
        let file = path.file_name().unwrap().display();
        failures.push_str(&format!(
            "{name}: {file} is\n{is}\nand should be\n{should_be}\n"
        ));
    }
}

/// What `check --verbose` prints.
pub(crate) fn diagnostics(site: &TestSite) -> String {
    let reports = reports(&site.db, site.site);
    let pages = route_table(&site.db, site.site).pages.len();
    text(&reports, pages, false, true)
}

fn navigation(site: &TestSite) -> String {
    fn draw(site: &TestSite, nodes: &[NavigationNode], depth: usize, text: &mut String) {
        let db = &site.db;
        for node in nodes.iter().flat_map(NavigationNode::each) {
            let (label, route) = match &node.target {
                Target::File(_) | Target::Files(_) | Target::Generated(_) => {
                    let page = node.target.pages().next().unwrap();
                    let label = label_of(db, page).label.clone();
                    (label, Some(route_of(db, page).to_string()))
                }
                Target::Href(href) => (node.label.clone(), Some(href.clone())),
                Target::Missing(path) => (node.label.clone(), Some(format!("missing {path}"))),
                Target::None => (
                    node.label.clone(),
                    node.root.map(|file| page_route(db, file).to_string()),
                ),
            };
            let mut words = vec![node.kind.word().to_owned()];
            words.extend((!label.is_empty()).then(|| format!("`{label}`")));
            words.extend(route);
            words.extend(node.openapi.iter().map(|spec| spec.source.clone()));
            words.extend(node.hidden.then(|| "(hidden)".to_owned()));
            words.extend(node.is_default.then(|| "(default)".to_owned()));
            text.push_str(&format!("{}{}\n", "  ".repeat(depth), words.join(" ")));
            draw(site, &node.children, depth + 1, text);
        }
    }
    let tree = navigation_tree(&site.db, site.site);
    let mut text = String::new();
    draw(site, &tree.nodes, 0, &mut text);
    for (position, links) in [(None, &tree.global)].into_iter().chain(
        tree.local_global
            .iter()
            .map(|(at, links)| (Some(at), links)),
    ) {
        if !links.is_empty() {
            let at = position.map_or(String::new(), |at| format!(" below {at:?}"));
            text.push_str(&format!("everywhere{at}\n"));
            draw(site, links, 1, &mut text);
        }
    }
    text
}

fn routes(site: &TestSite) -> String {
    let table = route_table(&site.db, site.site);
    let mut text = String::new();
    for (route, page) in &table.pages {
        text.push_str(&format!("{route} {}\n", source_of(&site.db, *page)));
    }
    for address in table.files.keys() {
        text.push_str(&format!("{address}\n"));
    }
    for redirect in &table.redirects {
        text.push_str(&format!("{} → {}\n", redirect.source, redirect.destination));
    }
    for (folder, first) in table.folders.iter() {
        text.push_str(&format!("{folder}/ → {first}\n"));
    }
    if let Some(home) = &table.home {
        text.push_str(&format!("/ → {home}\n"));
    }
    text
}

/// The page whose expectation is called `path`, `index.html` for the home page; `None` if there is none.
fn page(site: &TestSite, path: &str, is_main_only: bool) -> Option<String> {
    let stem = path.strip_suffix(".html")?;
    let route = match stem {
        "index" => Route::home(),
        stem => Route::new(stem)?,
    };
    let page = *route_table(&site.db, site.site).pages.get(&route)?;
    let html = page_html(&site.db, site.site, page, &Default::default()).html;
    let shown = if is_main_only {
        let (_, main) = html.split_once("<main")?;
        main.split_once('>')?.1.split_once("</main>")?.0
    } else {
        &html
    };
    let contextual = &theme_config(&site.db, site.site).contextual;
    Some(match *contextual == Contextual::default() {
        true => pretty(&without_menu(shown)),
        false => pretty(shown),
    })
}

/// `html` with a sign in place of the menu of the page, which says the same on every page of a site that does not name its
/// options.
fn without_menu(html: &str) -> String {
    let parts = html.split_once("<div class=\"page-menu\"");
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once("</div>")?.1)));
    match parts {
        Some((before, after)) => format!("{before}<page-menu/>{after}"),
        None => html.to_owned(),
    }
}

/// The rules of the utility classes of a page, one to a line.
fn styles(site: &TestSite, path: &str) -> Option<String> {
    let route = Route::new(path.strip_suffix(".css")?)?;
    let file = page_list(&site.db, site.site).value.get(&route)?;
    let html = site.html(file.path(&site.db).as_str());
    let rules = html
        .split_once("<style data-live=\"styles\">")
        .and_then(|(_, rest)| rest.split_once("</style>"))
        .map_or("", |(rules, _)| rules);
    Some(rules.replace('}', "}\n").replace("{.", "{\n."))
}

/// Tags whose begin and end each have a line of their own; the others stay in the text.
const BLOCKS: &[&str] = &[
    "html",
    "head",
    "body",
    "meta",
    "link",
    "title",
    "script",
    "style",
    "header",
    "footer",
    "nav",
    "main",
    "aside",
    "section",
    "article",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "blockquote",
    "pre",
    "hr",
    "details",
    "summary",
    "figure",
    "figcaption",
    "form",
    "dialog",
    "template",
    "button",
    "label",
    "input",
];

/// What has no end tag.
const VOID: &[&str] = &["meta", "link", "hr", "br", "img", "input"];

/// HTML with one block to a line, indented; drawings are left out, and digests, which change with every theme.
fn pretty(html: &str) -> String {
    let mut text = String::new();
    let mut line = String::new();
    let mut depth = 0usize;
    let end_line = |line: &mut String, depth: usize, text: &mut String| {
        if !line.trim().is_empty() {
            text.push_str(&format!("{}{}\n", "  ".repeat(depth), line.trim()));
        }
        line.clear();
    };
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        line.push_str(&rest[..at].replace('\n', " "));
        rest = &rest[at..];
        let len = rest.find('>').map_or(rest.len(), |end| end + 1);
        let tag = &rest[..len];
        let name: String = tag
            .trim_start_matches(['<', '/', '!'])
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric())
            .collect();
        let is_end = tag.starts_with("</");
        // What is kept as it is, and what is left out.
        let whole = |name: &str| {
            let end = format!("</{name}>");
            rest.find(&end).map_or(rest.len(), |at| at + end.len())
        };
        if name == "svg" {
            line.push_str("<svg/>");
            rest = &rest[whole("svg")..];
            continue;
        }
        if matches!(name.as_str(), "pre" | "script" | "style") && !is_end {
            end_line(&mut line, depth, &mut text);
            let len = whole(&name);
            let shown = if name == "pre" { &rest[..len] } else { tag };
            text.push_str(&format!("{}{shown}\n", "  ".repeat(depth)));
            rest = &rest[len..];
            continue;
        }
        rest = &rest[len..];
        if !BLOCKS.contains(&name.as_str()) {
            line.push_str(tag);
            continue;
        }
        end_line(&mut line, depth, &mut text);
        if is_end {
            depth = depth.saturating_sub(1);
        }
        text.push_str(&format!("{}{tag}\n", "  ".repeat(depth)));
        if !is_end && !VOID.contains(&name.as_str()) && !tag.starts_with("<!") {
            depth += 1;
        }
    }
    line.push_str(rest);
    end_line(&mut line, depth, &mut text);
    without_digests(&text)
}

/// `/_theme/quire.0123456789abcdef.css` becomes `/_theme/quire.….css`, `/a.js?v=0123456789abcdef` `/a.js?v=…`.
fn without_digests(text: &str) -> String {
    let mut parts = text.split("/_theme/");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut names = part.splitn(3, '.');
        out.push_str("/_theme/");
        match (names.next(), names.next(), names.next()) {
            (Some(name), Some(digest), Some(rest))
                if digest.bytes().all(|b| b.is_ascii_hexdigit()) =>
            {
                out.push_str(&format!("{name}.….{rest}"));
            }
            _ => out.push_str(part),
        }
    }
    // The script of a page names those of the theme, so that its digest changes with theirs.
    let mut parts = out.split(".js?v=");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        whole.push_str(".js?v=…");
        whole.push_str(rest);
    }
    whole
}
