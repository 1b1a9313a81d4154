//! What is made for programs, in the server and in the export alike: pages as Markdown, lists of them, feeds, and what heads say.

use std::path::Path;

use quire_export::{Plan, build};

use crate::support::folder::{Folder, files_of};
use crate::support::preview::Preview;

/// A site with one page of each visibility.
pub(crate) fn matrix() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name": "Museum", "theme": "mint", "colors": {"primary": "#0a7a5a"}, "description": "All about it.",
                "markdown": {"instructions": ["Be brief.", "Cite pages."]},
                "navigation": {"groups": [
                    {"group": "Guides", "pages": ["index", "guides/shown", "guides/hidden", "guides/noindex", "guides/unsearchable"]},
                    {"group": "Old", "hidden": true, "pages": ["old/below", "old/back"]},
                    {"group": "Found", "hidden": true, "searchable": true, "pages": ["old/found"]},
                    {"group": "API", "openapi": "api.json"}]}}"##,
        ),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        (
            "guides/shown.mdx",
            "---\ntitle: Shown\ndescription: A page.\n---\n\n## Part\n\nWords of it, [home](/).\n",
        ),
        (
            "guides/hidden.mdx",
            "---\ntitle: Hidden\nhidden: true\n---\n\nWords.\n",
        ),
        (
            "guides/noindex.mdx",
            "---\ntitle: Noindex\nnoindex: true\n---\n\nWords.\n",
        ),
        (
            "guides/unsearchable.mdx",
            "---\ntitle: Unsearchable\nsearchable: false\n---\n\nWords.\n",
        ),
        ("old/below.mdx", "---\ntitle: Below\n---\n\nWords.\n"),
        (
            "old/back.mdx",
            "---\ntitle: Back\nhidden: false\n---\n\nWords.\n",
        ),
        ("old/found.mdx", "---\ntitle: Found\n---\n\nWords.\n"),
        ("lost.mdx", "---\ntitle: Lost\n---\n\nWords.\n"),
        ("api.json", API),
    ])
}

const API: &str = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {
    "/things": {"get": {"summary": "List things", "description": "All of them.", "parameters":
        [{"name": "limit", "in": "query", "schema": {"type": "integer"}}], "responses": {"200": {"description": "OK"}}}}}}"##;

/// Every page of the matrix.
pub(crate) const ROUTES: &[&str] = &[
    "/",
    "/guides/shown",
    "/guides/hidden",
    "/guides/noindex",
    "/guides/unsearchable",
    "/old/below",
    "/old/back",
    "/old/found",
    "/lost",
    "/api-reference/list-things",
];

/// Builds the site of `folder` into `out`.
#[track_caller]
pub(crate) fn export(folder: &Folder, out: &Path, base_url: Option<&str>) {
    let plan = Plan {
        folder: folder.path().to_owned(),
        out: out.to_owned(),
        base_path: String::new(),
        base_url: base_url.map(str::to_owned),
        clean: false,
        force: false,
        cards: true,
        state: None,
        trailing_slash: false,
    };
    let built = build(&plan, &|_, _| ()).expect("a build");
    assert_eq!((built.failed, built.unwritten), (vec![], vec![]));
}

#[test]
fn each_page_that_is_served_has_a_twin_in_markdown() {
    let folder = matrix();
    let preview = Preview::of(&folder);
    let out = Folder::new(&[]);
    export(&folder, out.path(), None);
    let files = files_of(out.path());
    for route in ROUTES {
        let path = match *route {
            "/" => "/index.md".to_owned(),
            route => format!("{route}.md"),
        };
        let reply = preview.get(&path);
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(
            reply.header("content-type"),
            Some("text/markdown; charset=utf-8")
        );
        assert!(files.contains(&path[1..].to_owned()), "{path}");
        assert_eq!(reply.text(), out.read(&path[1..]), "{path}");
        let end = "\n---\n\n**Instructions for agents**\n\n- Be brief.\n- Cite pages.\n";
        assert!(reply.text().ends_with(end), "{path}: {}", reply.text());
    }
    let shown = preview.page("/guides/shown.md");
    assert!(
        shown.starts_with("# Shown\n\n> A page.\n\n## Part\n\nWords of it, [home](/).\n"),
        "{shown}"
    );
    for path in [
        "/nothing.md",
        "/.md",
        "/guides/.md",
        "/guides/shown/.md",
        "/docs.json.md",
    ] {
        assert_eq!(preview.status(path), 404, "{path}");
    }
}

#[test]
fn an_api_page_holds_its_part_of_the_specification_unless_the_site_wants_none() {
    let folder = matrix();
    let preview = Preview::of(&folder);
    let whole = preview.page("/api-reference/list-things.md");
    assert!(whole.contains("```yaml api.json\n"), "{whole}");
    let docs = folder.read("docs.json");
    let docs = docs.replace("\"instructions\"", "\"schema\": false, \"instructions\"");
    folder.write("docs.json", docs);
    let less = preview.page("/api-reference/list-things.md");
    assert!(!less.contains("```yaml"), "{less}");
    assert!(less.contains("limit"), "{less}");
}

#[test]
fn a_client_that_asks_for_markdown_gets_it_at_the_address_of_the_page() {
    let folder = matrix();
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    let twin = connection.get("/guides/shown.md");
    for (accept, media_type) in [
        ("text/markdown", "text/markdown; charset=utf-8"),
        ("text/plain", "text/plain; charset=utf-8"),
        (
            "text/markdown, text/html;q=0.9",
            "text/markdown; charset=utf-8",
        ),
    ] {
        connection.request("GET", "/guides/shown", &[("Accept", accept)]);
        let reply = connection.reply();
        assert_eq!(reply.header("content-type"), Some(media_type), "{accept}");
        assert_eq!(reply.header("vary"), Some("Accept, Accept-Encoding"));
        assert_eq!(reply.body, twin.body, "{accept}");
    }
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for accept in [browser, "*/*"] {
        connection.request("GET", "/guides/shown", &[("Accept", accept)]);
        let reply = connection.reply();
        assert_eq!(
            reply.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{accept}"
        );
        assert_eq!(reply.header("vary"), Some("Accept, Accept-Encoding"));
    }
    // What has one form only does not vary.
    assert_eq!(twin.header("vary"), Some("Accept-Encoding"));
}

/// What the server and the export have at `path`, whole addresses below `https://docs.example`.
#[track_caller]
fn both(folder: &Folder, path: &str) -> String {
    let preview = Preview::of(folder);
    let out = Folder::new(&[]);
    export(folder, out.path(), Some("https://docs.example"));
    let exported = out.read(path.trim_start_matches('/'));
    let served = preview.page(path);
    // A preview has the address that its reader has named.
    let served = served.replace("http://localhost", "https://docs.example");
    assert_eq!(without_mcp(&served), exported, "{path}");
    exported
}

/// A skill without what it says of the MCP server, which an export does not have.
pub(crate) fn without_mcp(skill: &str) -> String {
    let Some((before, rest)) = skill.split_once("\nThe MCP server at <") else {
        return skill.to_owned();
    };
    let after = rest.split_once('\n').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

/// The pages of the matrix that `text` names.
fn named(text: &str, name: impl Fn(&str) -> String) -> Vec<&'static str> {
    let routes = ROUTES.iter().copied();
    routes.filter(|route| text.contains(&name(route))).collect()
}

#[test]
fn the_lists_for_programs_name_the_pages_that_are_found() {
    let folder = matrix();
    let list = both(&folder, "/llms.txt");
    let twin = |route: &str| match route {
        "/" => "(https://docs.example/index.md)".to_owned(),
        route => format!("(https://docs.example{route}.md)"),
    };
    let found = [
        "/",
        "/guides/shown",
        "/old/back",
        "/old/found",
        "/api-reference/list-things",
    ];
    assert_eq!(named(&list, twin), found, "{list}");
    assert!(
        list.starts_with(
            "# Museum\n\n> All about it.\n\n**Instructions for agents**\n\n- Be brief.\n- Cite pages.\n\n\
             Each page of this list is Markdown. All of them in one text: <https://docs.example/llms-full.txt>\n\n## Guides\n\n\
             - [Welcome](https://docs.example/index.md): Hello.\n\
             - [Shown](https://docs.example/guides/shown.md): A page.\n"
        ),
        "{list}"
    );
    assert!(
        list.ends_with(
            "\n## OpenAPI specifications\n\n- [api.json](https://docs.example/api.json)\n"
        ),
        "{list}"
    );
    let full = both(&folder, "/llms-full.txt");
    let source = |route: &str| format!("Source: <https://docs.example{route}>\n");
    assert_eq!(named(&full, source), found, "{full}");
    assert!(
        full.contains("\n# Shown\n\nSource: <https://docs.example/guides/shown>\n\n> A page.\n")
    );
    for path in ["/llms.txt", "/llms-full.txt"] {
        assert_eq!(
            both(&folder, &format!("/.well-known{path}")),
            both(&folder, path)
        );
    }
}

#[test]
fn a_list_of_the_author_stands_in_place_of_ours() {
    let folder = matrix();
    folder.write("llms.txt", "My own.\n");
    folder.write("robots.txt", "User-agent: x\n");
    folder.write("sitemap.xml", "<own/>");
    for (path, text) in [
        ("/llms.txt", "My own.\n"),
        ("/.well-known/llms.txt", "My own.\n"),
        ("/robots.txt", "User-agent: x\n"),
        ("/sitemap.xml", "<own/>"),
    ] {
        assert_eq!(both(&folder, path), text, "{path}");
    }
}

#[test]
fn a_list_that_is_too_long_says_less_of_each_page_and_then_names_fewer() {
    let folder = Folder::new(&[]);
    // Titles and descriptions of so many words; of so few pages as do, for each of them lists all.
    let site = |pages: usize, title: usize, description: usize| {
        let names: Vec<String> = (0..pages).map(|i| format!("p{i:04}")).collect();
        for name in &names {
            let text = format!(
                "---\ntitle: {name}{}\ndescription: {}\n---\n",
                " name".repeat(title),
                "word ".repeat(description)
            );
            folder.write(&format!("{name}.mdx"), text);
        }
        let docs = serde_json::json!({"name": "Long", "theme": "mint", "colors": {"primary": "#0a7a5a"},
            "navigation": {"pages": names}});
        folder.write("docs.json", docs.to_string());
        let out = Folder::new(&[]);
        export(&folder, out.path(), Some("https://docs.example"));
        out.read("llms.txt")
    };
    let short = site(150, 0, 240);
    assert!(short.chars().count() < 100_000, "{}", short.len());
    assert_eq!(short.matches("\n- [p").count(), 150);
    assert!(short.contains(": word word") && short.contains("word…\n"));
    let fewer = site(150, 160, 0);
    let kept = fewer.matches("\n- [p").count();
    let length = fewer.chars().count();
    assert!(
        length <= 100_000 && kept > 100 && kept < 150,
        "{kept} of {length}"
    );
    let note = format!(
        "\n> {} more pages are not listed here; the site map has them.\n",
        150 - kept
    );
    assert!(fewer.ends_with(&note), "{kept}");
}

#[test]
fn a_list_that_is_too_long_says_less_of_operations_first() {
    let words = "word ".repeat(40);
    let page = format!("---\ntitle: Guide\ndescription: {words}\n---\n");
    let paths: serde_json::Map<_, _> = (0..600)
        .map(|i| {
            let responses = serde_json::json!({"200": {"description": "OK"}});
            let get = serde_json::json!({"summary": format!("Operation {i}"), "description": words, "responses": responses});
            (format!("/o{i}"), serde_json::json!({ "get": get }))
        })
        .collect();
    let api = serde_json::json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths});
    let docs = serde_json::json!({"name": "Long", "theme": "mint", "colors": {"primary": "#0a7a5a"},
        "navigation": {"groups": [{"group": "Guides", "pages": ["guide"]}, {"group": "API", "openapi": "api.json"}]}});
    let folder = Folder::new(&[
        ("docs.json", &docs.to_string()),
        ("guide.mdx", &page),
        ("api.json", &api.to_string()),
    ]);
    let out = Folder::new(&[]);
    export(&folder, out.path(), Some("https://docs.example"));
    let list = out.read("llms.txt");
    assert!(list.chars().count() < 100_000, "{}", list.len());
    let summary = |title: &str| {
        let line = list
            .lines()
            .find(|line| line.starts_with(&format!("- [{title}](")));
        let line = line.unwrap_or_else(|| panic!("{title} is not in {list}"));
        line.split_once("): ")
            .map_or("", |(_, summary)| summary)
            .to_owned()
    };
    assert_eq!(summary("Guide"), words.trim_end());
    let short = summary("Operation 7");
    let length = short.chars().count();
    assert!(
        (60..=80).contains(&length) && short.ends_with('…'),
        "{short}"
    );
    // What sections there are, and how large they are.
    let skill = out.read("skill.md");
    let sections = "\nSections:\n\n- Guides: 1 page\n- API: 601 API pages\n\
                    \nSpecifications of the operations:\n\n- [api.json](https://docs.example/api.json)\n";
    assert!(skill.ends_with(sections), "{skill}");
}

#[test]
fn the_site_map_names_the_pages_that_robots_may_list() {
    let folder = matrix();
    let map = both(&folder, "/sitemap.xml");
    let loc = |route: &str| format!("<loc>https://docs.example{route}</loc>");
    let listed = [
        "/",
        "/guides/shown",
        "/guides/unsearchable",
        "/old/back",
        "/old/found",
        "/api-reference/list-things",
    ];
    assert_eq!(named(&map, loc), listed, "{map}");
    assert!(!map.contains("lastmod"));
    folder.write(
        "guides/shown.mdx",
        "---\ntitle: Shown\nlastUpdatedDate: '2026-01-02'\n---\n\nWords.\n",
    );
    let map = both(&folder, "/sitemap.xml");
    assert!(
        map.contains("shown</loc>\n    <lastmod>2026-01-02</lastmod>"),
        "{map}"
    );
    assert_eq!(
        both(&folder, "/robots.txt"),
        "User-agent: *\nContent-Signal: ai-train=yes, search=yes, ai-input=yes\nAllow: /\n\n\
         Sitemap: https://docs.example/sitemap.xml\n"
    );
}

#[test]
fn a_site_that_lists_all_pages_names_those_that_are_hidden_too() {
    let folder = matrix();
    let docs = folder.read("docs.json");
    folder.write(
        "docs.json",
        docs.replace(
            "\"markdown\"",
            "\"seo\": {\"indexing\": \"all\"}, \"markdown\"",
        ),
    );
    let map = both(&folder, "/sitemap.xml");
    let loc = |route: &str| format!("<loc>https://docs.example{route}</loc>");
    let mut listed = ROUTES.to_vec();
    listed.retain(|route| *route != "/guides/noindex");
    assert_eq!(named(&map, loc), listed, "{map}");
}

#[test]
fn an_export_without_an_address_writes_addresses_from_the_root() {
    let folder = matrix();
    let out = Folder::new(&[]);
    export(&folder, out.path(), None);
    assert!(out.read("sitemap.xml").contains("<loc>/guides/shown</loc>"));
    assert!(!out.read("robots.txt").contains("Sitemap"));
    assert!(out.read("llms.txt").contains("(/guides/shown.md)"));
    // What the author calls canonical is an address too.
    let docs = folder.read("docs.json");
    let seo = "\"seo\": {\"metatags\": {\"canonical\": \"https://own.example/\"}}, \"markdown\"";
    folder.write("docs.json", docs.replace("\"markdown\"", seo));
    export(&folder, out.path(), None);
    assert!(
        out.read("sitemap.xml")
            .contains("<loc>https://own.example/guides/shown</loc>")
    );
    let page = out.read("guides/shown.html");
    assert!(page.contains("<link rel=\"canonical\" href=\"https://own.example/guides/shown\">"));
    assert!(!page.contains("name=\"canonical\""));
}

const CHANGES: &str = "---\ntitle: Changes\n---\n\n<Update label=\"January 2, 2026\" description=\"v2.0\">\n## One & two\n\nFirst.\n\n### Detail\n\n\
    More.\n\n## Three\n\nThird.\n</Update>\n\n<Update label=\"v1.0\">\nNo heading here.\n</Update>\n";

#[test]
fn what_an_author_writes_for_the_feed_stands_there_alone() {
    let folder = matrix();
    let own = "<Update label=\"January 2, 2026\" rss={{ title: \"A > b & c\", description: \"For \\\"readers\\\"\" }}>\n## One\n\n## Two\n</Update>\n\n\
               <Update label=\"v1\" rss={{ title: \"Only a title\" }}>\nWords.\n</Update>\n\n<Update label=\"v0\" rss={{}}>\nOld.\n</Update>\n";
    folder.write("changes.mdx", format!("---\ntitle: Changes\n---\n\n{own}"));
    let feed = both(&folder, "/changes/rss.xml");
    let items: Vec<&str> = feed.split("<item>").skip(1).collect();
    assert_eq!(items.len(), 3, "{feed}");
    for (item, parts) in items.iter().zip([
        [
            "<title>A &gt; b &amp; c</title>",
            "/changes#january-2-2026</link>",
            "<pubDate>Fri, 02 Jan 2026 00:00:00 GMT</pubDate>",
            "<description>For &quot;readers&quot;</description>",
        ],
        [
            "<title>Only a title</title>",
            "/changes#v1</link>",
            "<item>",
            "<description>Words.</description>",
        ],
        [
            "<title>v0</title>",
            "/changes#v0</link>",
            "<item>",
            "<description>Old.</description>",
        ],
    ]) {
        let item = format!("<item>{item}");
        for part in parts {
            assert!(item.contains(part), "{part}: {item}");
        }
    }
}

#[test]
fn a_page_with_entries_of_a_changelog_has_a_feed() {
    let folder = matrix();
    folder.write("changes.mdx", CHANGES);
    let feed = both(&folder, "/changes/rss.xml");
    let items: Vec<&str> = feed.split("<item>").skip(1).collect();
    assert_eq!(items.len(), 3, "{feed}");
    assert!(
        feed.contains(
            "<title>Changes - Museum</title>\n  <link>https://docs.example/changes</link>"
        )
    );
    for (item, parts) in items.iter().zip([
        [
            "<title>One &amp; two</title>",
            "/changes#one-&amp;-two</link>",
            "<pubDate>Fri, 02 Jan 2026 00:00:00 GMT</pubDate>",
        ],
        [
            "<title>Three</title>",
            "/changes#three</link>",
            "<description>Third.</description>",
        ],
        [
            "<title>v1.0</title>",
            "/changes#v1-0</link>",
            "<description>No heading here.</description>",
        ],
    ]) {
        for part in parts {
            assert!(item.contains(part), "{part}: {item}");
        }
    }
    assert!(items[0].contains("First.\nDetail\nMore."), "{feed}");
    assert!(!items[2].contains("pubDate"));
    let preview = Preview::of(&folder);
    let page = preview.page("/changes");
    assert!(page.contains("<link rel=\"alternate\" type=\"application/rss+xml\" title=\"Changes - Museum\" href=\"/changes/rss.xml\">"));
    assert!(!preview.page("/guides/shown").contains("rss.xml"));
    assert_eq!(preview.status("/guides/shown/rss.xml"), 404);
    // One that says so has a feed of its headings, and one that says no has none.
    folder.write(
        "guides/shown.mdx",
        "---\ntitle: Shown\nrss: true\n---\n\n## A\n\nWords.\n\n## B\n",
    );
    folder.write(
        "changes.mdx",
        CHANGES.replace("---\n\n", "rss: false\n---\n\n"),
    );
    assert_eq!(
        both(&folder, "/guides/shown/rss.xml")
            .matches("<item>")
            .count(),
        2
    );
    assert_eq!(preview.status("/changes/rss.xml"), 404);
}

#[test]
fn a_feed_has_fifteen_entries_at_most() {
    let folder = matrix();
    let updates = (0..20).map(|i| format!("<Update label=\"v{i}\">\nText.\n</Update>\n\n"));
    let text = format!("---\ntitle: Many\n---\n\n{}", updates.collect::<String>());
    folder.write("many.mdx", text);
    let feed = both(&folder, "/many/rss.xml");
    assert_eq!(feed.matches("<item>").count(), 15);
    assert!(feed.contains("<title>v14</title>") && !feed.contains("<title>v15</title>"));
}

#[test]
fn a_skill_is_made_of_the_site_unless_its_author_wrote_one() {
    let folder = matrix();
    let skill = both(&folder, "/skill.md");
    assert!(
        skill.starts_with("---\nname: museum\ndescription: \"All about it. Use when working with Museum.\"\n---\n\n# Museum\n"),
        "{skill}"
    );
    assert!(skill.contains("<https://docs.example/llms.txt>"), "{skill}");
    let own = "---\nname: mine\ndescription: Mine.\n---\n\n# Mine\n";
    folder.write("skill.md", own);
    assert_eq!(both(&folder, "/skill.md"), own);
}

#[test]
fn a_skill_names_the_mcp_server_where_there_is_one() {
    let folder = matrix();
    let named = "\n\nThe MCP server at <http://localhost/mcp> (streamable HTTP) searches";
    let preview = Preview::of(&folder);
    for path in ["/skill.md", "/.well-known/skills/museum/SKILL.md"] {
        let skill = preview.page(path);
        assert_eq!(skill.matches(named).count(), 1, "{skill}");
    }
    let out = Folder::new(&[]);
    export(&folder, out.path(), Some("https://docs.example"));
    assert!(!out.read("skill.md").contains("MCP"));
}

/// What clients of both drafts make of what `read` gives at an address: each skill, whose file has the digest that is listed.
#[track_caller]
fn skills_by(read: impl Fn(&str) -> String) -> Vec<(String, String, String)> {
    let list =
        |path: &str| -> serde_json::Value { serde_json::from_str(&read(path)).expect("JSON") };
    let older = list("/.well-known/skills/index.json");
    let newer = list("/.well-known/agent-skills/index.json");
    assert_eq!(
        newer["$schema"],
        "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    );
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let skills = newer["skills"].as_array().expect("a list");
    let olders = older["skills"].as_array().expect("a list");
    assert_eq!(skills.len(), olders.len());
    let skills = skills.iter().zip(olders).map(|(skill, older)| {
        let file = read(&text(&skill["url"]));
        let digest = ring::digest::digest(&ring::digest::SHA256, file.as_bytes());
        let digest = digest.as_ref().iter();
        let digest: String = digest.map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(skill["digest"], format!("sha256:{digest}"), "{skill}");
        assert_eq!(skill["type"], "skill-md");
        assert_eq!(older["name"], skill["name"]);
        assert_eq!(older["description"], skill["description"]);
        assert_eq!(older["files"], serde_json::json!(["SKILL.md"]));
        let at = format!("/.well-known/skills/{}/SKILL.md", text(&older["name"]));
        assert_eq!(read(&at), file);
        (text(&skill["name"]), text(&skill["description"]), file)
    });
    skills.collect()
}

/// The skills of a site, served and in an export alike.
#[track_caller]
fn listed_skills(folder: &Folder) -> Vec<(String, String, String)> {
    let out = Folder::new(&[]);
    export(folder, out.path(), Some("https://docs.example"));
    let exported = skills_by(|path| out.read(path.trim_start_matches('/')));
    let preview = Preview::of(folder);
    let served = skills_by(|path| preview.page(path));
    let at_home = |(name, is, text): (String, String, String)| {
        (
            name,
            is,
            without_mcp(&text.replace("http://localhost", "https://docs.example")),
        )
    };
    let served: Vec<_> = served.into_iter().map(at_home).collect();
    assert_eq!(served, exported);
    exported
}

#[test]
fn agents_find_the_skills_of_a_site() {
    let folder = matrix();
    let skills = listed_skills(&folder);
    let [(name, description, _)] = skills.as_slice() else {
        panic!("{skills:?}");
    };
    assert_eq!(
        (&**name, &**description),
        ("museum", "All about it. Use when working with Museum.")
    );
    let own = "---\nname: Mine Own\ndescription: Mine.\n---\n\n# Mine\n";
    let pour = "---\nname: pour\ndescription: >-\n  Pours tea.\n  Use with cups.\n---\n\nPour.\n";
    folder.write("skill.md", own);
    folder.write(".mintlify/skills/pour/SKILL.md", pour);
    folder.write(".mintlify/skills/brew/SKILL.md", "No frontmatter.\n");
    // What stands beside a skill, and what only looks like one.
    folder.write(".mintlify/skills/pour/notes.md", "Secret.\n");
    folder.write(".mintlify/skills/.hidden/SKILL.md", "Secret.\n");
    folder.write(".mintlify/skills/SKILL.md", "Secret.\n");
    folder.write(".mintlify/config.json", "{}");
    let mine = ("mine-own", "Mine.", own);
    let expected = [
        mine,
        ("brew", "", "No frontmatter.\n"),
        ("pour", "Pours tea. Use with cups.", pour),
    ];
    let expected =
        expected.map(|(name, is, text)| (name.to_owned(), is.to_owned(), text.to_owned()));
    assert_eq!(listed_skills(&folder), expected);
    let preview = Preview::of(&folder);
    for target in [
        "/.mintlify/skills/pour/SKILL.md",
        "/.mintlify/skills/pour/SKILL",
        "/.mintlify/skills/pour/notes.md",
        "/.well-known/skills/pour/notes.md",
        "/.well-known/skills/pour",
        "/.well-known/skills/.hidden/SKILL.md",
        "/.well-known/skills/SKILL.md",
        "/.well-known/skills//SKILL.md",
        "/.well-known/skills/other/SKILL.md",
        "/.well-known/agent-skills/museum/SKILL.md",
    ] {
        assert_eq!(preview.status(target), 404, "{target}");
    }
    // A folder of the same name stands in place of the skill of the site.
    folder.write(".mintlify/skills/mine-own/SKILL.md", pour);
    let names: Vec<String> = (listed_skills(&folder).into_iter())
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(names, ["brew", "mine-own", "pour"]);
}

#[test]
fn each_page_names_what_there_is_for_programs() {
    let folder = matrix();
    let preview = Preview::of(&folder);
    let reply = preview.get("/guides/shown");
    assert_eq!(reply.header("x-llms-txt"), Some("/llms.txt"));
    let links = reply.header("link").expect("links");
    let mut targets = links.split(", ").map(|link| {
        let (target, rel) = link.split_once(">; rel=\"").expect("a link");
        (target.trim_start_matches('<'), rel.trim_end_matches('"'))
    });
    let targets: Vec<_> = targets.by_ref().collect();
    let rels: Vec<&str> = targets.iter().map(|(_, rel)| *rel).collect();
    assert_eq!(rels, ["llms-txt", "llms-full-txt", "mcp-server-card"]);
    for (target, _) in targets {
        assert_eq!(preview.status(target), 200, "{target}");
    }
}

/// The head of the page at `path` in an export.
fn head_of(folder: &Folder, path: &str) -> String {
    let out = Folder::new(&[]);
    export(folder, out.path(), Some("https://docs.example/"));
    let html = out.read(path);
    html.split("</head>").next().expect("a head").to_owned()
}

/// What the JSON-LD in `head` says.
#[track_caller]
fn graph(head: &str) -> Vec<serde_json::Value> {
    let (_, rest) = head
        .split_once("<script type=\"application/ld+json\">")
        .expect("data");
    let json = rest.split("</script>").next().expect("its end");
    let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(data["@context"], "https://schema.org");
    data["@graph"].as_array().expect("a graph").clone()
}

#[test]
fn a_head_says_what_the_page_is_and_where() {
    let folder = matrix();
    let docs = folder.read("docs.json");
    let seo = "\"seo\": {\"organization\": {\"name\": \"The Museum\", \"logo\": \"/logo.svg\", \"sameAs\": [\"https://x.example/m\"]}}, \"markdown\"";
    folder.write("docs.json", docs.replace("\"markdown\"", seo));
    folder.write(
        "guides/shown.mdx",
        "---\ntitle: \"</script><b>\"\ndescription: A & b.\n\"og:title\": Own\n\"og:image\": /card.png\n---\n\nWords.\n",
    );
    let head = head_of(&folder, "guides/shown.html");
    for tag in [
        "<link rel=\"canonical\" href=\"https://docs.example/guides/shown\">",
        "<meta property=\"og:url\" content=\"https://docs.example/guides/shown\">",
        "<meta property=\"og:title\" content=\"Own\">",
        "<meta property=\"og:image\" content=\"https://docs.example/card.png\">",
        "<meta name=\"twitter:card\" content=\"summary_large_image\">",
        "<meta name=\"twitter:title\" content=\"Own\">",
        "<meta name=\"twitter:image\" content=\"https://docs.example/card.png\">",
    ] {
        assert_eq!(head.matches(tag).count(), 1, "{tag}: {head}");
    }
    let graph_of_page = graph(&head);
    let types: Vec<&str> = graph_of_page
        .iter()
        .filter_map(|part| part["@type"].as_str())
        .collect();
    assert_eq!(
        types,
        ["Organization", "WebSite", "TechArticle", "BreadcrumbList"]
    );
    assert_eq!(graph_of_page[0]["logo"], "https://docs.example/logo.svg");
    assert_eq!(graph_of_page[2]["headline"], "</script><b>");
    assert_eq!(graph_of_page[2]["url"], "https://docs.example/guides/shown");
    let crumbs = graph_of_page[3]["itemListElement"]
        .as_array()
        .expect("a list");
    let crumbs: Vec<_> = crumbs
        .iter()
        .map(|crumb| (crumb["name"].as_str(), crumb["item"].as_str()))
        .collect();
    assert_eq!(
        crumbs,
        [
            (Some("Museum"), Some("https://docs.example/")),
            (Some("Guides"), Some("https://docs.example/")),
            (
                Some("</script><b>"),
                Some("https://docs.example/guides/shown")
            ),
        ]
    );
    let of_api = graph(&head_of(&folder, "api-reference/list-things.html"));
    assert!(of_api.iter().any(|part| part["@type"] == "APIReference"));
    // Where the address of the site is not known nothing is said that needs it.
    let here = Preview::of(&folder).page("/guides/shown");
    assert!(
        !here.contains("rel=\"canonical\"") && !here.contains("og:url"),
        "{here}"
    );
}

#[test]
fn what_a_page_says_of_robots_is_one_tag() {
    let folder = matrix();
    let docs = folder.read("docs.json");
    let seo = "\"seo\": {\"metatags\": {\"robots\": \"all\"}}, \"markdown\"";
    folder.write("docs.json", docs.replace("\"markdown\"", seo));
    let robots = |path: &str| {
        let head = head_of(&folder, path);
        let tags = head.split("<meta name=\"robots\" content=\"").skip(1);
        let tags = tags.map(|tag| tag.split('"').next().unwrap_or_default().to_owned());
        tags.collect::<Vec<_>>()
    };
    assert_eq!(robots("guides/shown.html"), ["all"]);
    assert_eq!(robots("guides/noindex.html"), ["noindex"]);
    assert_eq!(robots("guides/hidden.html"), ["noindex"]);
}

#[test]
fn a_page_names_itself_in_other_languages_by_path_and_by_position() {
    let page = |title: &str| format!("---\ntitle: {title}\n---\n");
    let (a, b, c, d) = (page("A"), page("B"), page("C"), page("D"));
    let docs = r##"{"name": "L", "theme": "mint", "colors": {"primary": "#0a7a5a"}, "navigation": {"languages": [
        {"language": "en", "groups": [{"group": "One", "pages": ["docs/start", "docs/only", "docs/end"]}]},
        {"language": "fr", "groups": [{"group": "Un", "pages": ["docs/fr/start", "docs/fr/quiet", "docs/fr/fin"]}]}]}}"##;
    let folder = Folder::new(&[
        ("docs.json", docs),
        ("docs/start.mdx", &a),
        ("docs/only.mdx", &b),
        ("docs/end.mdx", &c),
        ("docs/fr/start.mdx", &a),
        (
            "docs/fr/quiet.mdx",
            "---\ntitle: Quiet\nnoindex: true\n---\n",
        ),
        ("docs/fr/fin.mdx", &d),
    ]);
    let alternates = |path: &str| {
        let head = head_of(&folder, path);
        let links = head.split("<link rel=\"alternate\" hreflang=\"").skip(1);
        let links = links.map(|link| {
            link.split('>')
                .next()
                .unwrap_or_default()
                .replace("\" href=\"https://docs.example", " ")
        });
        links.collect::<Vec<_>>()
    };
    let start = [
        "en /docs/start\"",
        "fr /docs/fr/start\"",
        "x-default /docs/start\"",
    ];
    assert_eq!(alternates("docs/start.html"), start);
    assert_eq!(alternates("docs/fr/start.html"), start);
    // The last of three is the last of three, whatever it is called.
    let end = [
        "en /docs/end\"",
        "fr /docs/fr/fin\"",
        "x-default /docs/end\"",
    ];
    assert_eq!(alternates("docs/fr/fin.html"), end);
    // One that robots are asked to leave alone is no alternate.
    assert_eq!(alternates("docs/only.html"), Vec::<String>::new());
    let map = both(&folder, "/sitemap.xml");
    assert!(map.contains("<xhtml:link rel=\"alternate\" hreflang=\"fr\" href=\"https://docs.example/docs/fr/fin\"/>"), "{map}");
    assert_eq!(map.matches("x-default").count(), 4, "{map}");
    // The list for programs is in the language shown first.
    let list = both(&folder, "/llms.txt");
    assert!(
        list.contains("/docs/end.md") && !list.contains("/fr/"),
        "{list}"
    );
}

#[test]
fn where_pages_are_folders_all_that_names_a_page_ends_with_a_slash() {
    let folder = matrix();
    let out = Folder::new(&[]);
    let plan = Plan {
        folder: folder.path().to_owned(),
        out: out.path().to_owned(),
        base_path: String::new(),
        base_url: Some("https://docs.example".to_owned()),
        clean: false,
        force: false,
        cards: true,
        state: None,
        trailing_slash: true,
    };
    build(&plan, &|_, _| ()).expect("a build");
    let address = "https://docs.example/guides/shown/";
    let page = out.read("guides/shown/index.html");
    for part in [
        format!("<link rel=\"canonical\" href=\"{address}\">"),
        format!("<meta property=\"og:url\" content=\"{address}\">"),
        format!("\"url\":\"{address}\""),
        format!("\"item\":\"{address}\""),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    assert!(
        out.read("sitemap.xml")
            .contains(&format!("<loc>{address}</loc>"))
    );
}
