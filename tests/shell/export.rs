//! `build`: what is written, what is left alone, and what is refused.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use queries::theme::assets::ASSETS;
use quire_export::{BuildResult, Outcome, Plan, build};

use crate::support::folder::{Folder, files_of};
use crate::support::museum;

pub(crate) fn plan(folder: &Path, out: &Path) -> Plan {
    Plan {
        folder: folder.to_owned(),
        out: out.to_owned(),
        base_path: String::new(),
        base_url: None,
        trailing_slash: true,
        clean: false,
        force: false,
        cards: true,
        state: None,
    }
}

#[track_caller]
pub(crate) fn built(plan: &Plan) -> BuildResult {
    let built = build(plan, &|_, _| {}).expect("it builds");
    assert!(built.failed.is_empty(), "{:?}", built.failed);
    assert!(built.unwritten.is_empty(), "{:?}", built.unwritten);
    built
}

/// What tells that a file was not written again: its inode and the times of its content and of itself.
fn marks(folder: &Path) -> BTreeMap<String, (u64, i64, i64, i64)> {
    files_of(folder)
        .into_iter()
        .map(|file| {
            let metadata = fs::metadata(folder.join(&file)).expect("it is there");
            let mark = (
                metadata.ino(),
                metadata.mtime(),
                metadata.mtime_nsec(),
                metadata.ctime_nsec(),
            );
            (file, mark)
        })
        .collect()
}

/// The files that differ between two looks.
fn touched(
    before: &BTreeMap<String, (u64, i64, i64, i64)>,
    after: &BTreeMap<String, (u64, i64, i64, i64)>,
) -> Vec<String> {
    let names = before.keys().chain(after.keys());
    let mut touched: Vec<String> = names
        .filter(|name| before.get(*name) != after.get(*name))
        .cloned()
        .collect();
    touched.sort();
    touched.dedup();
    touched
}

pub(crate) fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files_of(folder)
        .into_iter()
        .map(|file| (file.clone(), fs::read(folder.join(file)).expect("read")))
        .collect()
}

#[test]
fn every_output_is_a_file() {
    let out = Folder::new(&[]);
    let built = built(&plan(&museum(), &out.at("new/folder")));
    let files = files_of(&out.at("new/folder"));
    for file in [
        "index.html",
        "quickstart/index.html",
        "guides/errors/index.html",
        "404.html",
        "images/spoon.svg",
        // A redirect is a page that leads on.
        "introduction/index.html",
        "getting-started/index.html",
    ] {
        assert!(files.iter().any(|path| path == file), "{file}");
    }
    assert!(!files.iter().any(|path| {
        path.ends_with(".mdx") || path == "docs.json" || path.starts_with("snippets")
    }));
    assert!(built.pages > 10);
    assert_eq!(built.count(Outcome::Added), built.files.len());
    let lead = out.read("new/folder/getting-started/index.html");
    assert!(lead.contains("url=/quickstart"), "{lead}");
}

#[test]
fn a_second_build_writes_nothing() {
    let out = Folder::new(&[]);
    let plan = plan(&museum(), out.path());
    built(&plan);
    let before = marks(out.path());
    let again = built(&plan);
    assert_eq!(again.count(Outcome::Unchanged), again.files.len());
    assert_eq!(touched(&before, &marks(out.path())), [""; 0]);
}

#[test]
fn two_builds_have_the_same_bytes() {
    let (one, two) = (Folder::new(&[]), Folder::new(&[]));
    built(&plan(&museum(), one.path()));
    built(&plan(&museum(), two.path()));
    assert_eq!(contents(one.path()), contents(two.path()));
}

#[test]
fn a_build_into_the_folder_of_the_site_does_not_feed_on_itself() {
    let site = Folder::copy_of(&museum());
    let plan = plan(site.path(), &site.at("site"));
    built(&plan);
    let before = marks(&site.at("site"));
    let again = built(&plan);
    assert_eq!(again.count(Outcome::Unchanged), again.files.len());
    assert_eq!(touched(&before, &marks(&site.at("site"))), [""; 0]);
}

#[test]
fn an_edited_page_is_the_only_page_written() {
    let (site, out) = (Folder::copy_of(&museum()), Folder::new(&[]));
    let plan = plan(site.path(), out.path());
    built(&plan);
    let before = marks(out.path());
    let text = site.read("guides/errors.mdx");
    site.write("guides/errors.mdx", format!("{text}\nOne more line.\n"));
    let again = built(&plan);
    let (search, others): (Vec<String>, Vec<String>) = touched(&before, &marks(out.path()))
        .into_iter()
        .partition(|file| file.starts_with("_search/"));
    // What is found of the page changes with it: its words, its text, and the tables that name their files.
    // So does its Markdown, and the text of all pages.
    let expected = [
        ".quire-files",
        ".well-known/llms-full.txt",
        "guides/errors.md",
        "guides/errors/index.html",
        "llms-full.txt",
    ];
    assert_eq!(others, expected);
    assert!(search.contains(&"_search/index.json".to_owned()));
    assert_eq!(again.count(Outcome::Changed), 5);
}

/// What a packed file of the search holds.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    let read = GzDecoder::new(bytes).read_to_end(&mut whole);
    read.expect("it is packed");
    whole
}

#[test]
fn an_export_is_searched_by_files_that_are_there() {
    let out = Folder::new(&[]);
    let mut plan = plan(&museum(), out.path());
    plan.base_path = "/docs".to_owned();
    built(&plan);
    let contents: serde_json::Value =
        serde_json::from_str(&out.read("_search/index.json")).expect("it is JSON");
    assert_eq!(contents["base"], "/docs");
    let named = |of: &serde_json::Value, kind: &str, place: usize| -> Vec<String> {
        let files = of[kind].as_array().expect("a list").iter();
        let names = files.filter_map(|file| file[place].as_str());
        names.map(|name| format!("_search/{name}")).collect()
    };
    let script = contents["seldom"].as_str().expect("a script");
    assert!(out.at(script.trim_start_matches('/')).exists(), "{script}");
    let english = &contents["languages"][0];
    assert_eq!(english["code"], "en");
    let operations = contents["operations"].as_str().expect("a file");
    let mut files = [
        named(english, "words", 1),
        named(english, "lists", 1),
        named(&contents, "sizes", 1),
        named(&contents, "heads", 1),
        named(&contents, "texts", 1),
        named(&contents, "texts", 2),
        vec![format!("_search/{operations}")],
        vec!["_search/index.json".to_owned()],
    ]
    .concat();
    files.sort();
    let mut present = files_of(out.path());
    present.retain(|file| file.starts_with("_search/"));
    assert_eq!(present, files);
    let pages = named(&contents, "heads", 1).into_iter().flat_map(|file| {
        let bytes = unpacked(&fs::read(out.at(&file)).expect("a file"));
        let pages: Vec<serde_json::Value> = serde_json::from_slice(&bytes).expect("it is JSON");
        pages
    });
    let urls: Vec<String> = pages
        .map(|page| page["url"].as_str().expect("an address").to_owned())
        .collect();
    assert_eq!(contents["pages"], urls.len());
    for url in &urls {
        let file = format!("{}index.html", url.trim_start_matches('/'));
        assert!(out.at(file.trim_start_matches('/')).exists(), "{url}");
    }
    assert!(urls.iter().any(|url| url == "/guides/webhooks/"));
    let page = out.read("quickstart/index.html");
    let told = page.contains(r#"<meta name="quire-search" content="/docs/_search/""#);
    assert!(told, "the page names the folder");
}

#[test]
fn what_is_not_to_be_found_is_in_no_file_of_the_search() {
    let (site, out) = (Folder::copy_of(&museum()), Folder::new(&[]));
    site.write(
        "guides/errors.mdx",
        "---\ntitle: Zyzzyva\nsearchable: false\n---\n\nA quokkapelt.\n",
    );
    site.write(
        "guides/webhooks.mdx",
        "---\ntitle: Webhooks\n---\n\nAn axolotlish thing.\n",
    );
    built(&plan(site.path(), out.path()));
    let mut all = Vec::new();
    for (file, bytes) in contents(out.path()) {
        if file.starts_with("_search/") {
            match file.ends_with(".bin") {
                true => all.extend(unpacked(&bytes)),
                false => all.extend(bytes),
            }
        }
    }
    let all = String::from_utf8_lossy(&all);
    assert!(all.contains("axolotlish"));
    assert!(!all.to_lowercase().contains("zyzzyva") && !all.contains("quokkapelt"));
}

/// The values of `href` and `src` in `html`.
fn references(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in [" href=\"", " src=\""] {
        for part in html.split(name).skip(1) {
            let value = part.split('"').next().expect("a value");
            found.push(value.replace("&amp;", "&"));
        }
    }
    found
}

/// Checks that each reference within the site, which is served below `base`, leads to a file. One does not, and that is
/// wrong: specifications are not published yet, though a page of the museum offers its own for download.
#[track_caller]
fn check_references(out: &Path, base: &str) {
    let mut checked = 0;
    let mut report = String::new();
    for file in files_of(out).iter().filter(|file| file.ends_with(".html")) {
        let html = fs::read_to_string(out.join(file)).expect("read");
        for reference in references(&html) {
            let path = reference.split(['#', '?']).next().expect("a part");
            if path.is_empty() || path.contains(':') || path.starts_with("//") {
                continue;
            }
            // The page of the theme is the same for every site, so what it asks for stands beside it.
            let beside = file
                .strip_suffix("oauth.html")
                .map(|folder| folder.to_owned() + path);
            let target = path
                .strip_prefix(base)
                .filter(|rest| rest.is_empty() || rest.starts_with('/'));
            let Some(target) = beside.as_deref().or(target) else {
                report.push_str(&format!("{file}: {reference} is not below {base}\n"));
                continue;
            };
            // As a server of files answers, without leading on: a folder has an address that ends in a slash.
            let target = target.trim_start_matches('/');
            let is_there = match target.is_empty() || target.ends_with('/') {
                true => out.join(target).join("index.html").is_file(),
                false => out.join(target).is_file(),
            };
            checked += 1;
            if !is_there {
                report.push_str(&format!("{file}: {reference} leads nowhere\n"));
            }
        }
    }
    assert_eq!(report, "");
    assert!(checked > 500, "only {checked}");
}

#[test]
fn every_reference_leads_to_a_file() {
    let out = Folder::new(&[]);
    built(&plan(&museum(), out.path()));
    check_references(out.path(), "");
}

#[test]
fn below_a_base_path_every_reference_begins_with_it() {
    let out = Folder::new(&[]);
    let mut plan = plan(&museum(), out.path());
    plan.base_path = "/manual/v2".to_owned();
    built(&plan);
    check_references(out.path(), "/manual/v2");
    let lead = out.read("getting-started/index.html");
    assert!(lead.contains("url=/manual/v2/quickstart/\""), "{lead}");
}

#[test]
fn stylesheets_and_scripts_of_the_site_are_written_where_pages_look_for_them() {
    let (site, out) = (Folder::copy_of(&museum()), Folder::new(&[]));
    site.write("looks/style.css", "main { color: red }");
    site.write("count.js", "window.count = 1");
    let mut plan = plan(site.path(), out.path());
    plan.base_path = "/manual".to_owned();
    built(&plan);
    assert_eq!(out.read("looks/style.css"), "main { color: red }");
    for page in ["index.html", "quickstart/index.html", "404.html"] {
        let html = out.read(page);
        let at = |part: &str| {
            html.find(part)
                .unwrap_or_else(|| panic!("{part} in {page}"))
        };
        assert!(at("/_theme/quire.") < at("href=\"/manual/looks/style.css?v="));
        assert!(at("src=\"/manual/count.js?v=") > 0);
    }
    // It stands for every address, so it names none.
    assert!(!out.read("404.html").contains("Nothing is published"));
}

#[test]
fn an_export_holds_what_loads_services_where_it_names_one_and_no_counts() {
    let docs = |more: &str| {
        format!(
            r##"{{"name":"T","theme":"mint","colors":{{"primary":"#000000"}},{more}"navigation":{{"pages":["start"]}}}}"##
        )
    };
    let fathom = r#""integrations":{"fathom":{"siteId":"ABC"}},"#;
    for (docs, expected) in [(docs(""), false), (docs(fathom), true)] {
        let page = ("start.mdx", "---\ntitle: Start\n---\n\nWords.\n");
        let (site, out) = (
            Folder::new(&[("docs.json", &*docs), page]),
            Folder::new(&[]),
        );
        built(&plan(site.path(), out.path()));
        let files = files_of(out.path());
        let has = |name: &str| files.iter().any(|file| file.starts_with(name));
        assert_eq!(has("_theme/vendors."), expected);
        assert!(!has("_theme/readers."));
        for page in ["start/index.html", "404.html"] {
            let html = out.read(page);
            assert_eq!(html.contains("ABC"), expected, "{html}");
            let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
            assert_eq!(html.contains(policy), expected, "{html}");
            assert!(!html.contains("_quire/analytics"), "{html}");
        }
    }
}

#[test]
fn what_draws_diagrams_is_there_while_a_page_shows_one() {
    let docs = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","other","GET /a"],"openapi":"api.json"}}"##;
    let page = |text: &str| format!("---\ntitle: A page\n---\n\n{text}\n");
    let api = |text: &str| {
        let text = serde_json::to_string(text).expect("a text is JSON");
        format!(
            r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},"paths":{{"/a":{{"get":{{"summary":"A","description":{text},"responses":{{"200":{{"description":"Fine."}}}}}}}}}}}}"#
        )
    };
    let fence = "```mermaid\ngraph LR\nA --> B\n```";
    let element = "<Mermaid chart=\"graph LR; A --> B\" />";
    let edits = [
        // What only speaks of it asks for nothing.
        ("start.mdx", page("About `mermaid`."), false),
        ("start.mdx", page(fence), true),
        ("other.mdx", page("Other words."), true),
        ("start.mdx", page("Words."), false),
        ("other.mdx", page(element), true),
        ("other.mdx", page("Words."), false),
        // Descriptions of specifications show the text of a diagram.
        ("api.json", api(fence), false),
    ];
    for has_state in [false, true] {
        let site = Folder::new(&[
            ("docs.json", docs),
            ("start.mdx", &page("Words.")),
            ("other.mdx", &page("Words.")),
            ("api.json", &api("None.")),
        ]);
        let (out, state) = (Folder::new(&[]), Folder::new(&[]));
        let plan = Plan {
            state: has_state.then(|| state.path().to_owned()),
            ..plan(site.path(), out.path())
        };
        for (path, text, expected) in &edits {
            site.write(path, text);
            let known = built(&plan);
            let files = files_of(out.path());
            let is_there = files.iter().any(|file| file.starts_with("_theme/mermaid."));
            assert_eq!(is_there, *expected, "{path}: {text}");
            assert_eq!(known.has_diagrams, *expected, "{path}: {text}");
            for page in files.iter().filter(|file| file.ends_with(".html")) {
                let html = out.read(page);
                for script in html.split("data-diagram=\"").skip(1) {
                    let script = script.split('"').next().expect("a value");
                    assert!(out.path().join(&script[1..]).is_file(), "{page}: {script}");
                }
            }
        }
    }
}

#[test]
fn export_contains_no_preview_scripts() {
    let out = Folder::new(&[]);
    built(&plan(&museum(), out.path()));
    for (file, bytes) in contents(out.path()) {
        if file.ends_with(".html") {
            let html = String::from_utf8_lossy(&bytes);
            let is_plain = !html.contains("quire-preview") && !html.contains("_quire/events");
            assert!(is_plain, "{file}");
        }
        assert!(!file.contains("reload"), "{file}");
    }
}

#[test]
fn the_address_of_the_site_makes_canonical_links() {
    let out = Folder::new(&[]);
    let mut plan = plan(&museum(), out.path());
    plan.base_url = Some("https://docs.example.org".to_owned());
    built(&plan);
    let page = out.read("quickstart/index.html");
    assert!(
        page.contains("<link rel=\"canonical\" href=\"https://docs.example.org/quickstart/\""),
        "{}",
        &page[..page.len().min(3000)]
    );
}

#[test]
fn a_relative_server_is_at_the_address_of_the_site() {
    let api = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nservers: [{url: /api/v1}, {url: ../v2}]\npaths: {/me: {get: {summary: Me, responses: {'204': {description: ok}}}}}\n";
    let docs = r##"{"name": "T", "theme": "mint", "colors": {"primary": "#336699"}, "navigation": {"groups": [
        {"group": "API", "openapi": {"source": "specs/api.yaml", "directory": "api"}}]}}"##;
    let site = Folder::new(&[("docs.json", docs), ("specs/api.yaml", api)]);
    let page = |base_url: Option<&str>| {
        let out = Folder::new(&[]);
        let mut plan = plan(site.path(), out.path());
        plan.base_path = "/docs".to_owned();
        plan.base_url = base_url.map(str::to_owned);
        built(&plan);
        out.read("api/me/index.html")
    };
    let known = page(Some("https://docs.example.org/"));
    assert!(
        known.contains("'https://docs.example.org/api/v1/me'"),
        "{known}"
    );
    assert!(known.contains("value=\"https://docs.example.org/docs/v2\""));
    let unknown = page(None);
    assert!(unknown.contains("'{baseUrl}/api/v1/me'"), "{unknown}");
}

#[test]
fn without_slashes_pages_are_files_and_links_name_them() {
    let out = Folder::new(&[]);
    let mut plan = plan(&museum(), out.path());
    plan.trailing_slash = false;
    built(&plan);
    let page = out.read("quickstart.html");
    assert!(page.contains("<title>"));
    assert!(!out.path().join("quickstart/index.html").exists());
    let home = out.read("index.html");
    assert!(home.contains(" href=\"/quickstart\""), "{home}");
    assert!(!home.contains(" href=\"/quickstart/\""));
    let lead = out.read("getting-started.html");
    assert!(lead.contains("url=/quickstart\""), "{lead}");
    assert!(out.read("vercel.json").contains("\"trailingSlash\": false"));
}

/// A site with redirects of every kind.
fn site_with_redirects() -> Folder {
    let redirects = r#"[
        {"source": "/old", "destination": "/guide#there"},
        {"source": "/older", "destination": "/old", "permanent": false},
        {"source": "/v1/:slug*", "destination": "/docs/:slug*"},
        {"source": "/blog-*", "destination": "/docs/*"},
        {"source": "/lost/:a/:b", "destination": "/docs/:a"},
        {"source": "/away/:page", "destination": "https://x.example/:page?from=$here"},
        {"source": "/a \"b\"/:x", "destination": "/docs/:x", "permanent": false},
        {"source": "/docs/deep/one", "destination": "/guide"}
    ]"#;
    let config = format!(
        r#"{{"name": "R", "redirects": {redirects}, "navigation": {{"pages": ["guide"]}}}}"#
    );
    Folder::new(&[
        ("docs.json", &config),
        (
            "guide.mdx",
            "[old](/old) [older](/older?x=1#own) [lost](/lost/deep/two) [index](/docs/deep/one/index)\n\n## There\n",
        ),
        ("docs/deep/one.mdx", "# One\n"),
        ("docs/two.mdx", "# Two\n"),
    ])
}

#[test]
fn redirects_are_pages_for_every_address_that_leads_to_one() {
    let (site, out) = (site_with_redirects(), Folder::new(&[]));
    let mut plan = plan(site.path(), out.path());
    plan.base_path = "/m".to_owned();
    plan.base_url = Some("https://docs.example".to_owned());
    built(&plan);
    for (stub, to) in [
        ("old", "/m/guide/#there"),
        ("older", "/m/guide/#there"),
        ("v1/deep/one", "/m/docs/deep/one/"),
        ("v1/two", "/m/docs/two/"),
        ("blog-two", "/m/docs/two/"),
        ("blog-deep/one", "/m/docs/deep/one/"),
    ] {
        let lead = out.read(&format!("{stub}/index.html"));
        assert!(lead.contains(&format!("url={to}\"")), "{stub}: {lead}");
        let canonical = format!("rel=\"canonical\" href=\"https://docs.example{to}\"");
        assert!(lead.contains(&canonical), "{stub}: {lead}");
    }
    // A link is drawn to where it comes to in the end.
    let page = out.read("guide/index.html");
    for href in ["/m/guide/#there", "/m/guide/?x=1#own", "/m/docs/deep/one/"] {
        assert!(
            page.contains(&format!(" href=\"{href}\"")),
            "{href} in {page}"
        );
    }
    assert!(out.path().join(".nojekyll").is_file());
}

#[test]
fn redirects_are_written_for_servers_that_take_them() {
    let (site, out) = (site_with_redirects(), Folder::new(&[]));
    built(&plan(site.path(), out.path()));
    assert_eq!(
        out.read("_redirects"),
        "/old /guide/#there 301\n\
         /older /guide/#there 302\n\
         /v1/* /docs/:splat 301\n\
         /blog-* /docs/:splat 301\n\
         /lost/:a/:b /docs/:a 301\n\
         /away/:page https://x.example/:page?from=$here 301\n\
         /a%20%22b%22/:x /docs/:x 302\n"
    );
    let vercel: serde_json::Value = serde_json::from_str(&out.read("vercel.json")).unwrap();
    assert_eq!(vercel["trailingSlash"], true);
    assert_eq!(
        vercel["redirects"][3],
        serde_json::json!({"source": "/blog-:rest(.*)", "destination": "/docs/:rest", "permanent": true})
    );
    let nginx = out.read("_redirects.nginx.conf");
    for line in [
        r#""~^/v1(?:/(?<quire_rest>[^?]*))?(?:\?|$)" "/docs/${quire_rest}$is_args$args";"#,
        r#""~^/away/(?<quire_page>[^/?]+)/?(?:\?|$)" "https://x.example/${quire_page}?from=%24here$quire_more";"#,
        r#""~^/a%(?i:20)%(?i:22)b%(?i:22)/(?<quire_x>[^/?]+)/?(?:\?|$)" "/docs/${quire_x}$is_args$args";"#,
    ] {
        assert!(nginx.contains(line), "{line} in {nginx}");
    }
    // The author's own file of that name is served.
    site.write(
        "docs.json",
        r#"{"name": "R", "navigation": {"pages": ["guide"]}}"#,
    );
    built(&plan(site.path(), out.path()));
    assert!(!out.path().join("_redirects").exists());
}

/// A site with one operation, whose summary is a paragraph.
fn site_with_a_paragraph_as_summary() -> Folder {
    let summary = format!(
        "Uploads a File. {}",
        "It is kept (for a while). ".repeat(12)
    );
    let spec = serde_json::json!({
        "openapi": "3.1.0",
        "info": { "title": "T", "version": "1" },
        "paths": { "/files": { "post": { "summary": summary, "responses": { "200": { "description": "OK" } } } } },
    });
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"},
        "redirects": [{"source": "/old", "destination": "/start"}],
        "navigation": {"groups": [{"group": "G", "pages": ["start"]}, {"group": "API", "openapi": "api.json"}]}}"##;
    Folder::new(&[
        ("docs.json", docs),
        ("start.mdx", "---\ntitle: Start\n---\n\nWords.\n"),
        (
            "more/page.mdx",
            "---\ntitle: More\nhidden: true\n---\n\nWords.\n",
        ),
        ("more/notes.txt", "notes"),
        ("api.json", &spec.to_string()),
    ])
}

#[test]
fn an_address_that_no_file_can_have_is_left_out_and_said() {
    let (site, out) = (site_with_a_paragraph_as_summary(), Folder::new(&[]));
    let built = built(&plan(site.path(), out.path()));
    let [left_out] = &built.left_out[..] else {
        panic!("{:?}", built.left_out);
    };
    assert!(left_out.starts_with("/api-reference/uploads-a-file-it-is-kept-for-a-while-it-is"));
    let files = files_of(out.path());
    for file in [
        "404.html",
        "_search/index.json",
        "old/index.html",
        "start/index.html",
    ] {
        assert!(files.iter().any(|path| path == file), "{file}");
    }
    let is_page =
        |file: &&String| file.starts_with("api-reference/uploads") && file.ends_with(".html");
    let page = files.iter().find(is_page);
    let page = out.read(page.expect("the operation has a page"));
    assert!(
        page.contains("<h1 id=\"page-title\">Uploads a File.</h1>"),
        "{page}"
    );
}

#[test]
fn a_file_that_cannot_be_written_costs_itself() {
    let (site, out) = (site_with_a_paragraph_as_summary(), Folder::new(&[]));
    let plan = Plan {
        force: true,
        ..plan(site.path(), out.path())
    };
    // A folder with a file of somebody else where a file must be, and a file where a folder must be; for a page, a
    // redirect, a file of the site, one of the search, one of the theme, and the page for everything else.
    for folder in [
        "start/index.html",
        "_search/index.json",
        "404.html",
        "more/notes.txt",
    ] {
        out.write(&format!("{folder}/mine.txt"), "mine");
    }
    for file in ["old", "_theme", "more/page"] {
        out.write(file, "mine");
    }
    let first = build(&plan, &|_, _| {}).expect("it builds");
    let mut unwritten: Vec<&str> = first.unwritten.iter().map(|(path, _)| &**path).collect();
    unwritten.retain(|path| !path.starts_with("_theme/"));
    unwritten.sort_unstable();
    let expected = [
        "404.html",
        "_search/index.json",
        "more/notes.txt",
        "more/page/index.html",
        "old/index.html",
        "start/index.html",
    ];
    assert_eq!(unwritten, expected);
    assert!(
        first
            .unwritten
            .iter()
            .any(|(path, _)| path.starts_with("_theme/"))
    );
    assert!(first.unwritten.iter().all(|(_, why)| !why.is_empty()));
    assert!(out.at("api.json").exists(), "the rest is written");
    assert!(first.files.iter().all(|(path, _)| out.at(path).is_file()));
    // What was there is nobody's but the reader's: no build takes it away.
    for file in ["old", "_theme", "more/page", "404.html/mine.txt"] {
        assert_eq!(out.read(file), "mine");
    }
    for path in [
        "start/index.html",
        "_search/index.json",
        "404.html",
        "more/notes.txt",
        "old",
        "_theme",
        "more/page",
    ] {
        out.remove(path);
    }
    let second = built(&plan);
    assert_eq!(second.count(Outcome::Removed), 0);
    let fresh = Folder::new(&[]);
    built(&Plan {
        out: fresh.path().to_owned(),
        ..plan
    });
    assert_eq!(contents(out.path()), contents(fresh.path()));
}

#[test]
fn a_file_that_cannot_be_written_again_stays_on_the_list() {
    let (site, out) = (site_with_a_paragraph_as_summary(), Folder::new(&[]));
    let plan = plan(site.path(), out.path());
    built(&plan);
    out.remove("start");
    out.write("start", "mine");
    let again = build(&plan, &|_, _| {}).expect("it builds");
    assert_eq!(again.unwritten.len(), 1, "{:?}", again.unwritten);
    assert!(out.read(".quire-files").contains("start/index.html\n"));
}

#[test]
fn what_the_first_view_waits_for_is_small() {
    let packed = |name: &str| {
        let asset = ASSETS.iter().find(|asset| asset.name == name);
        let mut out = Vec::new();
        let mut packer = brotli::CompressorWriter::new(&mut out, 32 << 10, 11, 22);
        packer
            .write_all(asset.expect("a stylesheet").bytes)
            .expect("packed");
        drop(packer);
        out.len()
    };
    let themes = ASSETS.iter().filter(|asset| asset.theme().is_some());
    let themes: Vec<usize> = themes.map(|asset| packed(asset.name)).collect();
    assert_eq!(themes.len(), 8);
    let largest = themes.into_iter().max().unwrap_or(0);
    for name in ["quire.css", "served.css"] {
        let all = packed(name) + largest;
        assert!(all <= 20 << 10, "{name}: {all} bytes");
    }
}

#[test]
fn what_is_read_to_search_is_small() {
    let packed = |name: &str| {
        let asset = ASSETS.iter().find(|asset| asset.name == name);
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer
            .write_all(asset.expect("a script").bytes)
            .expect("packed");
        packer.finish().expect("packed").len()
    };
    let (dialog, searcher) = (packed("search.js"), packed("searcher.js"));
    // With the place for rows that other scripts put above what it finds; their own words are not in it.
    assert!(dialog < 8_800, "{dialog} bytes");
    assert!(!include_str!("../../queries/theme/js/search.js").contains("assistant"));
    // It ranks as the service does, with whatever that takes.
    assert!(searcher < 13_000, "{searcher} bytes");
    let seldom = packed("seldom.js");
    assert!(seldom < 4_000, "{seldom} bytes");
}
