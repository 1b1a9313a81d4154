//! `build`: names of files, and the addresses that lead to them.

use quire::check::Options;
use std::collections::BTreeSet;
use std::fs;

use crate::export::{built, plan};
use crate::support::folder::{Folder, files_of};

const API: &str = r#"
openapi: 3.0.3
info: {title: T, version: '1'}
servers: [{url: https://api.example.com}]
paths:
  /files:batchGet:
    get: {responses: {'204': {description: a}}}
  /files/{id}:archive:
    post: {responses: {'204': {description: b}}}
  /con:
    get: {summary: "con", responses: {'204': {description: e}}}
"#;

fn site() -> Folder {
    let docs = r##"{"name":"Case","theme":"mint","colors":{"primary":"#336699"},
        "navigation":{"groups":[{"group":"G","pages":["start","v1.2/start","ai/openai.com"]},{"group":"API","openapi":"api.yaml"}]},
        "redirects":[{"source":"/old:name","destination":"/start"},{"source":"/caf%C3%A9","destination":"/start"},
            {"source":"/gone.html","destination":"/v1.2/start#part"}]}"##;
    let link = "[one](/api-reference/get-files:batchget#x), [two](/v1.2/start#part)";
    Folder::new(&[
        ("docs.json", docs),
        ("api.yaml", API),
        ("start.mdx", &format!("---\ntitle: Start\n---\n\n{link}\n")),
        ("v1.2/start.mdx", "# Start\n\n## Part\n"),
        ("ai/openai.com.mdx", "# OpenAI\n"),
        // What a name becomes is that of another page.
        ("api-reference/get-files-batchget.mdx", "# Other\n"),
    ])
}

/// The documented list of `actions/upload-artifact`, and the rules of Windows for names.
fn is_taken_everywhere(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    !name.contains(['"', ':', '<', '>', '|', '*', '?', '\r', '\n', '\\'])
        && !name.ends_with(['.', ' '])
        && !["con", "prn", "aux", "nul"].contains(&&*stem.to_ascii_lowercase())
}

#[test]
fn files_have_names_that_every_system_takes_and_everything_leads_to_them() {
    let (site, out) = (site(), Folder::new(&[]));
    let mut plan = plan(site.path(), out.path());
    plan.base_path = "/docs".to_owned();
    plan.base_url = Some("https://d.example".to_owned());
    let built = built(&plan);
    let files = files_of(out.path());
    for file in &files {
        assert!(file.split('/').all(is_taken_everywhere), "{file}");
    }
    let name = "api-reference/get-files-batchget-2";
    for file in [
        format!("{name}/index.html"),
        format!("{name}.md"),
        format!("og/{name}.png"),
        "api-reference/post-files--archive/index.html".to_owned(),
        "api-reference/con-/index.html".to_owned(),
        "api-reference/get-files-batchget/index.html".to_owned(),
    ] {
        assert!(files.contains(&file), "{file} in {files:#?}");
    }
    // Only tables of redirects speak of the old names, with escapes, and what the page calls itself to its scripts.
    let mut told = BTreeSet::new();
    for file in &files {
        let bytes = fs::read(out.at(file)).expect("read");
        let text = String::from_utf8_lossy(&bytes);
        let text = text.replace(
            "data-current-path=\"/api-reference/get-files:batchget\"",
            "",
        );
        if text.contains("get-files:batchget") || text.contains("get-files%3Abatchget") {
            told.insert(file.clone());
        }
    }
    assert!(told.is_empty(), "{told:?}");
    assert!(
        out.read("vercel.json")
            .contains("get-files\\\\:batchget{/}?")
    );
    assert!(
        out.read("_redirects.nginx.conf")
            .contains("get-files(?:\\:|%(?i:3A))batchget/?")
    );
    let page = out.read("start/index.html");
    for href in [
        format!("/docs/{name}/#x"),
        "/docs/v1.2/start/index.html#part".to_owned(),
    ] {
        assert!(
            page.contains(&format!(" href=\"{href}\"")),
            "{href} in {page}"
        );
    }
    let page = out.read(&format!("{name}/index.html"));
    assert!(
        page.contains(&format!(" href=\"/docs/{name}.md\"")),
        "{page}"
    );
    assert!(
        out.read("sitemap.xml")
            .contains(&format!("https://d.example/docs/{name}/"))
    );
    assert!(
        out.read("llms.txt")
            .contains(&format!("(https://d.example/docs/{name}.md)"))
    );
    // No file can have the name of this one everywhere.
    assert!(
        built
            .left_out
            .iter()
            .any(|why| why.starts_with("/old:name: left out")),
        "{:?}",
        built.left_out
    );
}

#[test]
fn pages_with_dots_in_their_names_are_led_to_by_their_files_and_told_by_their_folders() {
    let (site, out) = (site(), Folder::new(&[]));
    let mut plan = plan(site.path(), out.path());
    plan.base_url = Some("https://d.example".to_owned());
    built(&plan);
    let page = out.read("v1.2/start/index.html");
    assert!(
        page.contains(" href=\"/ai/openai.com/index.html\""),
        "{page}"
    );
    assert!(page.contains("rel=\"canonical\" href=\"https://d.example/v1.2/start/\""));
    assert!(page.contains("property=\"og:url\" content=\"https://d.example/v1.2/start/\""));
    // The program `serve` would list the folder otherwise.
    assert!(out.read("serve.json").contains("!/**/*.*/index.html"));
    let map = out.read("sitemap.xml");
    assert!(
        map.contains("<loc>https://d.example/v1.2/start/</loc>"),
        "{map}"
    );
    let stub = out.read("gone.html");
    assert!(
        stub.contains(" href=\"/v1.2/start/index.html#part\""),
        "{stub}"
    );
    assert!(
        out.read("_redirects")
            .contains("/gone.html /v1.2/start/#part 301\n")
    );
    // An escaped source is the name itself.
    assert!(out.at("café/index.html").is_file());
}

#[test]
fn addresses_in_lists_of_pictures_and_in_styles_are_below_the_base_path() {
    let docs = r##"{"name":"T","theme":"mint","colors":{"primary":"#336699"},"navigation":{"pages":["start"]}}"##;
    let page = "<img src=\"/a.png\" srcset=\"/a.png 1x, /b.png 2x\" alt=\"A\" />\n\n\
        <picture><source srcSet=\"/b.png\" /></picture>\n\n\
        <div style={{ background: \"url(/a.png)\" }}>x</div>\n\n\
        <div style=\"background: url('https://x.example/a.png')\">y</div>\n\n\
        <style>{`.c { background: url(/b.png) }`}</style>\n";
    let css = "@import \"/more.css\";\n@font-face { src: url(/f.woff2), url(g.woff2), url(/docs/h.woff2) }\n";
    let site = Folder::new(&[
        ("docs.json", docs),
        ("start.mdx", page),
        ("style.css", css),
        ("a.png", "a"),
        ("b.png", "b"),
    ]);
    let out = Folder::new(&[]);
    let mut plan = plan(site.path(), out.path());
    plan.base_path = "/docs".to_owned();
    built(&plan);
    let page = out.read("start/index.html");
    for expected in [
        "srcset=\"/docs/a.png 1x, /docs/b.png 2x\"",
        "srcset=\"/docs/b.png\"",
        "url(/docs/a.png)",
        "url('https://x.example/a.png')",
        "url(/docs/b.png)",
    ] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
    let expected = "@import \"/docs/more.css\";\n@font-face { src: url(/docs/f.woff2), url(g.woff2), url(/docs/h.woff2) }\n";
    assert_eq!(out.read("style.css"), expected);
    // At the root of a host they are as the author wrote them.
    plan.base_path = String::new();
    built(&plan);
    assert_eq!(out.read("style.css"), css);
}

#[test]
fn every_attribute_with_an_address_has_the_base_path() {
    let docs = r##"{"name":"T","theme":"mint","colors":{"primary":"#336699"},"navigation":{"pages":["start","plain"]}}"##;
    // Each as it is written, and how its addresses are told from the name of the attribute.
    let written = [
        "<a href=\"/start\" ping=\"/plain /a.png https://x.example/p\">a</a>",
        "<blockquote cite=\"/plain\">q</blockquote>",
        "<q cite=\"/plain\">q</q>",
        "<p>An <ins cite=\"/plain\">b</ins> and <del cite='/plain'>c</del>.</p>",
        "<table background=\"/a.png\"><tbody><tr><td background=\"/b.png\">c</td></tr></tbody></table>",
        "<form action=\"/start\"><button formAction=\"/plain\">d</button><input type=\"image\" src=\"/a.png\" alt=\"i\" formaction=\"/plain\" /></form>",
        "<object data=\"/a.png\">e</object>",
        "<embed src=\"/a.png\" />",
        "<img src=\"/a.png\" alt=\"f\" useMap=\"#m\" longDesc=\"/plain\" />",
        "<map name=\"m\"><area href=\"/plain\" alt=\"g\" ping=\"/start\" /></map>",
        "<link rel=\"preload\" as=\"image\" href=\"/a.png\" imageSrcSet=\"/a.png 1x, /b.png 2x\" />",
        "<video poster=\"/a.png\" src=\"/b.png\"><track src=\"/a.png\" /><source src=\"/b.png\" /></video>",
        "<picture><source srcset=\"/a.png, /b.png 2x\" /><img src=\"/a.png\" alt=\"h\" srcSet={\"/b.png 2x\"} /></picture>",
        "<svg><image xlinkHref=\"/a.png\" href=\"/b.png\" /><use href=\"/a.png#i\" /><rect fill=\"url(/a.png#p)\" clipPath=\"url('/b.png#c')\" mask=\"url(#own)\" filter=\"url(/a.png#f)\" markerEnd=\"url(/a.png#m)\" /></svg>",
        "<div style={{ backgroundImage: \"url(/a.png), url(/b.png)\", cursor: \"url(/a.png), auto\" }}>j</div>",
        "<iframe src=\"/plain\" title=\"k\" />",
        "<p className=\"bg-[url(/a.png)]\">l</p>",
    ];
    let all = written.join("\n\n");
    let nested = format!(
        "{all}\n\n<Card title=\"T\">\n{}\n</Card>\n\n- one {}\n\n| a |\n| --- |\n| {} |\n\nimport S from \"/snippets/s.mdx\"\n\n<S />\n",
        written[1], written[0], written[2],
    );
    let site = Folder::new(&[
        ("docs.json", docs),
        ("start.mdx", &nested),
        ("plain.mdx", &all),
        ("snippets/s.mdx", &all),
        ("a.png", "a"),
        ("b.png", "b"),
    ]);
    let out = Folder::new(&[]);
    let mut plan = plan(site.path(), out.path());
    plan.base_path = "/docs".to_owned();
    let reports = built(&plan).reports;
    let told: Vec<&str> = (reports.iter())
        .map(|report| report.diagnostic.message.as_str())
        .collect();
    assert!(told.is_empty(), "{told:#?}");
    for page in ["start", "plain"] {
        let html = out.read(&format!("{page}/index.html"));
        let names = [
            "ping",
            "cite",
            "background",
            "action",
            "formaction",
            "data",
            "src",
            "longdesc",
            "href",
            "imagesrcset",
            "srcset",
            "poster",
            "xlink:href",
            "fill",
            "clip-path",
            "filter",
            "marker-end",
            "style",
        ];
        for name in names {
            let start = format!(" {name}=\"");
            let values = html.split(&start).skip(1);
            let values: Vec<&str> = values
                .map(|rest| &rest[..rest.find('"').unwrap()])
                .collect();
            assert!(
                values.iter().any(|value| value.contains("/docs/")),
                "{page}: {name}"
            );
            for value in values
                .into_iter()
                .filter(|value| !value.starts_with("data:"))
            {
                let value = value.replace("&#39;", "'");
                let parts = value.split([' ', ',', '(', '\'']);
                let bare: Vec<&str> = parts
                    .filter(|part| {
                        part.starts_with('/') && *part != "/docs" && !part.starts_with("/docs/")
                    })
                    .collect();
                assert!(bare.is_empty(), "{page}: {name}=\"{value}\"");
            }
        }
        assert!(html.contains("url(/docs/a.png)"), "{page}: a class");
        assert!(html.contains("usemap=\"#m\""), "{page}");
        assert!(html.contains("mask=\"url(#own)\""), "{page}");
    }
}

/// Links out of the folder are not followed; whoever misses a file is told so.
#[test]
fn a_link_out_of_the_folder_is_called_one() {
    use std::os::unix::fs::symlink;
    let docs = r##"{"name":"T","theme":"mint","colors":{"primary":"#336699"},"navigation":{"pages":["start","ext","gone"]}}"##;
    let page = "import S from \"/snippets/s.mdx\"\nimport N from \"/snippets/n.mdx\"\n\n<S />\n\n[e](/ext) [g](/gone)\n";
    let site = Folder::new(&[
        ("docs.json", docs),
        ("start.mdx", page),
        ("snippets/a.mdx", "a"),
    ]);
    let shared = Folder::new(&[("ext.mdx", "# E\n"), ("s.mdx", "S\n"), ("docs.json", docs)]);
    symlink(shared.at("ext.mdx"), site.at("ext.mdx")).expect("a link");
    symlink(shared.at("s.mdx"), site.at("snippets/s.mdx")).expect("a link");
    let told = |site: &Folder| -> Vec<String> {
        let found = quire::check::findings(site.path(), Options::default()).expect("it is checked");
        let told = found
            .reports
            .iter()
            .map(|report| report.diagnostic.message.clone());
        told.collect()
    };
    let why = "is a link out of the folder of the site, which is not followed";
    let messages = told(&site);
    for expected in [
        format!("there is no page `ext`: `ext.mdx` {why}"),
        format!("`/snippets/s.mdx` {why}"),
        format!("`/ext` does not exist: `ext.mdx` {why}"),
        "there is no page `gone`".to_owned(),
        "`/snippets/n.mdx` is not there".to_owned(),
    ] {
        assert!(messages.contains(&expected), "{expected} in {messages:#?}");
    }
    site.remove("docs.json");
    symlink(shared.at("docs.json"), site.at("docs.json")).expect("a link");
    let messages = told(&site);
    let expected = format!("there is no `docs.json` in this folder: `docs.json` {why}");
    assert!(messages.contains(&expected), "{messages:#?}");
    let out = Folder::new(&[]);
    let reports = built(&plan(site.path(), out.path())).reports;
    assert!(
        reports
            .iter()
            .any(|report| report.diagnostic.message == expected)
    );
}

/// Every kind of file that a site names, as a link out of its folder.
#[test]
fn links_out_of_the_folder_are_told_whatever_names_them() {
    use std::os::unix::fs::symlink;
    let spec = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {responses: {'200': {description: ok}}}}}\n";
    let docs = r##"{"name":"T","theme":"mint","colors":{"primary":"#336699"},"navigation":{"tabs":[
        {"tab":"A","groups":[{"group":"P","pages":["start","page","hop","guides/g"]}]},
        {"tab":"B","openapi":"api.yaml"},
        {"tab":"C","openapi":{"source":"own.yaml","overlays":["o.yaml"]}},
        {"tab":"D","asyncapi":"events.yaml"},
        {"tab":"E","groups":{"$ref":"nav.json"}}]}}"##;
    let page = "import { J } from \"/snippets/j.jsx\"\n\n<J />\n\n![p](/img/p.png) [a](/page) [g](/guides/g#x)\n";
    let site = Folder::new(&[
        ("docs.json", docs),
        ("own.yaml", spec),
        ("start.mdx", page),
        ("snippets/a.mdx", "a"),
        ("img/own.png", "png"),
    ]);
    let shared = Folder::new(&[
        ("page.mdx", "# P\n"),
        ("guides/g.mdx", "# G\n"),
        ("j.jsx", "export const J = () => <p>j</p>\n"),
        ("p.png", "png"),
        ("api.yaml", spec),
        (
            "events.yaml",
            "asyncapi: 3.0.0\ninfo: {title: t, version: '1'}\nchannels: {}\n",
        ),
        (
            "o.yaml",
            "overlay: 1.0.0\ninfo: {title: o, version: '1'}\nactions: []\n",
        ),
        ("nav.json", "[{\"group\":\"G\",\"pages\":[\"start\"]}]"),
    ]);
    for (file, link) in [
        ("page.mdx", "page.mdx"),
        ("guides", "guides"),
        ("j.jsx", "snippets/j.jsx"),
        ("p.png", "img/p.png"),
        ("api.yaml", "api.yaml"),
        ("events.yaml", "events.yaml"),
        ("o.yaml", "o.yaml"),
        ("nav.json", "nav.json"),
    ] {
        symlink(shared.at(file), site.at(link)).expect("a link");
    }
    // One that leads there by another of the site.
    symlink("page.mdx", site.at("hop.mdx")).expect("a link");
    let found = quire::check::findings(site.path(), Options::default()).expect("it is checked");
    let why = "is a link out of the folder of the site, which is not followed";
    for name in [
        "page.mdx",
        "hop.mdx",
        "guides/g.mdx",
        "/snippets/j.jsx",
        "img/p.png",
        "api.yaml",
        "events.yaml",
        "o.yaml",
        "nav.json",
    ] {
        let expected = format!("`{name}` {why}");
        let mut messages = found
            .reports
            .iter()
            .map(|report| &report.diagnostic.message);
        assert!(
            messages.any(|message| message.contains(&expected)),
            "{expected} in {:#?}",
            found.reports
        );
    }
}
