//! A link is reported as broken if and only if the server answers 404 at the address that is drawn for it, and so does a
//! server of files over the export. Judged on random sites, each link both ways.

use std::collections::BTreeSet;
use std::path::Path;

use queries::base::diagnostic::Code;
use quire_engine::survey;
use quire_export::{Plan, build};

use crate::random_numbers::Random;
use crate::support::folder::{Folder, files_of};
use crate::support::preview::Preview;

/// Files that a site may have, each half of the time.
const FILES: &[&str] = &[
    "index.mdx",
    "a.mdx",
    "b.md",
    "guides/index.mdx",
    "guides/start.mdx",
    "guides/a.mdx",
    "deep/er/page.mdx",
    "with space.mdx",
    "ünï/côde.mdx",
    "100%41 sure.mdx",
    "new/a.mdx",
    "new/b/c.mdx",
    "images/a.png",
    "images/b.svg",
    "notes.txt",
    "notes.yaml",
    "data.json",
    "llms.txt",
    "style.css",
    "archive.zip",
    "snippets/part.mdx",
    "README.md",
];

/// Redirects that a site may have, each a third of the time: source and destination.
const REDIRECTS: &[(&str, &str)] = &[
    ("/old", "/a"),
    ("/old/:slug*", "/new/:slug*"),
    ("/moved/*", "/guides/*"),
    ("/v1-*", "/v2-*"),
    ("/one/:name", "/new/:name"),
    ("/gone", "https://example.org/gone"),
    ("/loop/:x*", "/loop/:x*"),
    ("/a", "/b"),
    ("/with space/x", "/a"),
    ("/to-heading", "/a#words"),
];

/// Addresses that are linked to, besides those of files.
const LINKS: &[&str] = &[
    "/",
    "/a/",
    "/a/index",
    "/guides/index",
    "/guides/index.html",
    "/guides/index.mdx",
    "/b.md",
    "/b.mdx",
    "a",
    "./guides/a",
    "../a",
    "../../a",
    "guides/",
    "/llms.txt",
    "/llms-full.txt",
    "/sitemap.xml",
    "/robots.txt",
    "/mcp",
    "/a/rss.xml",
    "/any/rss.xml",
    "/api-specs.zip",
    "/old",
    "/old/",
    "/old/x",
    "/old/a/b/c",
    "/moved/start",
    "/moved",
    "/v1-a",
    "/v1-",
    "/one/a",
    "/one/a/b",
    "/gone",
    "/loop/x",
    "/with%20space",
    "/with%20space/x",
    "/%C3%BCn%C3%AF/c%C3%B4de",
    "/to-heading",
    "/api-reference/things/list-things",
    "/api-reference/t/list-[all]-things",
    "/api-reference/t/list-all-things",
    "/api-reference/nothing",
    "/snippets/part",
    "/README",
    "/A",
    "/images",
    "/nowhere",
    "/deep",
    "/a?x=1",
    "/notes.txt?x=1",
    "//a",
    "/./a",
    "/guides/../a",
    "?x=1",
];

fn spec(tag: &str, summary: &str) -> String {
    format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "T", "version": "1"}}, "paths": {{"/x": {{"get": {{"tags": ["{tag}"],
        "summary": "{summary}", "description": "[d](/nowhere-in-spec) [e](/old/from/spec)", "responses": {{}}}}}}}}}}"#
    )
}

/// Writes another random site into `folder`; returns the links that its pages hold.
fn write_site(folder: &Folder, random: &mut Random) -> Vec<String> {
    for path in files_of(folder.path()) {
        if path != "docs.json" {
            folder.remove(&path);
        }
    }
    let mut candidates: Vec<String> = LINKS.iter().map(|link| (*link).to_owned()).collect();
    candidates.extend(FILES.iter().map(|path| format!("/{path}")));
    candidates.extend(FILES.iter().map(|path| {
        let stem = path.rsplit_once('.').map_or(*path, |(stem, _)| stem);
        format!("/{stem}")
    }));
    let mut pages = vec!["links".to_owned()];
    let mut links: BTreeSet<String> = BTreeSet::new();
    let mut body = String::new();
    for _ in 0..30 {
        let link = candidates[random.below(candidates.len())].clone();
        // Markdown takes no blank in an address.
        if link.contains(' ') || !links.insert(link.clone()) {
            continue;
        }
        body.push_str(&format!("[L{}]({link})\n\n", links.len()));
    }
    // In the root or in a folder, for relative links.
    let home = ["links.mdx", "guides/links.mdx"][random.below(2)];
    folder.write(home, format!("---\ntitle: Links\n---\n\n{body}"));
    for path in FILES {
        if random.below(2) == 0 {
            let text = match *path {
                "data.json" => "{}".to_owned(),
                path if path.ends_with("mdx") || path.ends_with(".md") => {
                    pages.push(path.rsplit_once('.').unwrap().0.to_owned());
                    format!("---\ntitle: P\n---\n\n## Words\n\n{path}\n")
                }
                path => path.to_owned(),
            };
            folder.write(path, text);
        }
    }
    let mut specs = Vec::new();
    for (path, tag, summary) in [
        ("one.json", "things", "List things"),
        ("two.json", "t", "List [all] things"),
    ] {
        if random.below(2) == 0 {
            folder.write(path, spec(tag, summary));
            specs.push(path);
        }
    }
    let redirects: Vec<serde_json::Value> = REDIRECTS
        .iter()
        .filter(|_| random.below(3) == 0)
        .map(|(source, to)| serde_json::json!({ "source": source, "destination": to }))
        .collect();
    let mut groups = vec![serde_json::json!({ "group": "Pages", "pages": pages })];
    if !specs.is_empty() {
        groups.push(serde_json::json!({ "group": "API", "openapi": specs }));
    }
    let docs = serde_json::json!({
        "name": "Site", "theme": "mint", "colors": { "primary": "#0a7a5a" }, "redirects": redirects,
        "navigation": { "groups": groups },
    });
    folder.write("docs.json", docs.to_string());
    links.into_iter().collect()
}

/// The address that is drawn for the link with the text `label`, or is shown with it.
fn drawn(html: &str, label: &str) -> String {
    let end = html
        .find(&format!(">{label}</a>"))
        .expect("the link is drawn");
    let tag = &html[html[..end].rfind("<a ").expect("a link")..end];
    let href = tag.split("href=\"").nth(1).expect("an address");
    let href = &href[..href.find('"').expect("its end")];
    href.replace("&amp;", "&")
}

/// Whether a server of files has something at `path`: a file, or the page of a folder.
fn is_in_export(out: &Path, path: &str) -> bool {
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let at = out.join(path.trim_start_matches('/'));
    match path.ends_with('/') {
        true => at.join("index.html").is_file(),
        false => at.is_file() || at.join("index.html").is_file(),
    }
}

/// `QUIRE_LINK_SITES=2000` judges more sites; `QUIRE_LINK_SEED=7` others.
#[test]
fn a_link_is_reported_if_and_only_if_servers_answer_404() {
    let number = |name: &str, default: usize| {
        let given = std::env::var(name).ok();
        given.map_or(default, |given| given.parse().expect("a number"))
    };
    let (sites, seed) = (number("QUIRE_LINK_SITES", 25), number("QUIRE_LINK_SEED", 1));
    let mut random = Random::new(seed as u64);
    let folder = Folder::new(&[("docs.json", "{}")]);
    let preview = Preview::of(&folder);
    let mut judged = [0, 0];
    for site in 0..sites {
        let links = write_site(&folder, &mut random);
        let page = match folder.path().join("links.mdx").exists() {
            true => "/links",
            false => "/guides/links",
        };
        let html = preview.page(page);
        let out = tempfile::tempdir().expect("a folder");
        let plan = Plan {
            folder: folder.path().to_owned(),
            out: out.path().to_owned(),
            base_path: String::new(),
            cards: true,
            base_url: None,
            trailing_slash: true,
            clean: false,
            force: false,
            state: None,
        };
        let built = build(&plan, &|_, _| ()).expect("a build");
        assert_eq!((built.failed, built.unwritten), (vec![], vec![]));
        let found = survey::diagnostics(&preview.publisher().host());
        let broken: BTreeSet<String> = found
            .iter()
            .filter(|found| found.code == Code::BrokenLink)
            .filter_map(|found| Some(found.message.split('`').nth(1)?.to_owned()))
            .collect();
        let text = folder.read(&format!("{}.mdx", page.trim_start_matches('/')));
        for link in &links {
            let label = text.split(&format!("]({link})")).next().expect("its label");
            let label = &label[label.rfind('[').expect("its label") + 1..];
            let href = drawn(&html, label);
            if href.starts_with("//") {
                continue;
            }
            let path = href.split(['#', '?']).next().expect("a path");
            let path = if path.is_empty() { page } else { path };
            // Where programs post to (`/mcp`) a reader finds nothing.
            let is_served = !matches!(preview.status(path), 404 | 405);
            let is_exported = is_in_export(out.path(), path);
            let is_fine = !broken.contains(link);
            judged[usize::from(is_fine)] += 1;
            assert_eq!(
                (is_fine, is_fine),
                (is_served, is_exported),
                "site {site} of seed {seed}: `{link}` is drawn as {href}; reported: {}\n{}\n{}",
                !is_fine,
                files_of(folder.path()).join(" "),
                folder.read("docs.json"),
            );
        }
        for link in ["/nowhere-in-spec", "/old/from/spec"] {
            let is_written =
                folder.path().join("one.json").exists() || folder.path().join("two.json").exists();
            if is_written {
                let is_fine = !broken.contains(link);
                assert_eq!(is_fine, preview.status(link) != 404, "site {site}: {link}");
                assert_eq!(
                    is_fine,
                    is_in_export(out.path(), link),
                    "site {site}: {link}"
                );
            }
        }
    }
    let [broken, fine] = judged;
    assert!(
        broken > sites && fine > sites,
        "{broken} broken, {fine} fine"
    );
}
