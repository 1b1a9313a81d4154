//! What visitors are sent: pages, files, redirects, and the page for everything else.

use crate::support::folder::Folder;
use crate::support::museum;
use crate::support::preview::Preview;

/// A site with one of everything that is served in its own way.
fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{
                "name": "T", "theme": "mint", "colors": {"primary": "#000000"},
                "navigation": {"pages": ["start", "guides/index", "guides/first"]},
                "redirects": [
                    {"source": "/old", "destination": "/start"},
                    {"source": "/moved", "destination": "/start#part", "permanent": false},
                    {"source": "/v1/:slug*", "destination": "/guides/:slug*"},
                    {"source": "/u/:name/profile", "destination": "/people?who=:name"},
                    {"source": "/all/*", "destination": "/*"},
                    {"source": "/away", "destination": "https://elsewhere.example/x"},
                    {"source": "/guides/first", "destination": "/start"}
                ]
            }"##,
        ),
        ("start.mdx", "---\ntitle: Start\n---\n\n## Part\n"),
        ("guides/index.mdx", "---\ntitle: Guides\n---\n"),
        ("guides/first.mdx", "---\ntitle: First\n---\n\nWords.\n"),
        ("files/ünï code.txt", "text"),
        ("images/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("images/b.png", "\u{89}PNG"),
    ])
}

#[test]
fn every_route_of_a_site_answers() {
    let preview = Preview::start(&museum(), quire_http::server::Limits::default());
    let mut connection = preview.connect();
    let snapshot = preview.publisher().snapshot();
    assert!(snapshot.routes.pages.len() > 10 && !snapshot.routes.files.is_empty());
    for route in snapshot.routes.pages.keys() {
        let reply = connection.get(&route.href());
        assert_eq!(reply.status, 200, "{route}");
        assert_eq!(
            reply.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert!(reply.text().contains("<main"), "{route}");
    }
    for file in snapshot.routes.files.keys() {
        assert_eq!(connection.get(file).status, 200, "{file}");
    }
}

/// A file whose name looks escaped is at the address that its pages name, and nowhere else.
#[test]
fn a_percent_sign_in_a_name_is_one_in_its_address() {
    let folder = Folder::new(&[
        (
            "docs.json",
            r##"{"name": "T", "theme": "mint", "colors": {"primary": "#000000"}, "favicon": "/a%2541.svg",
                "navigation": {"pages": ["start", "guides/100%41 sure"]}}"##,
        ),
        (
            "start.mdx",
            "---\ntitle: Start\n---\n\n[sure](/guides/100%2541%20sure)\n",
        ),
        (
            "guides/100%41 sure.mdx",
            "---\ntitle: Sure\n---\n\nWords.\n",
        ),
        ("a%41.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
    ]);
    let preview = Preview::of(&folder);
    let address = "/guides/100%2541%20sure";
    let start = preview.get("/start").text();
    // In the sidebar, before and after the text, and in the text.
    assert!(
        start.matches(&format!("href=\"{address}\"")).count() >= 2,
        "{start}"
    );
    assert!(!start.contains("100%41"), "{start}");
    let reply = preview.get(address);
    assert_eq!(reply.status, 200);
    assert!(reply.text().contains("Words."));
    assert_eq!(preview.status("/guides/100%41%20sure"), 404);
    assert_eq!(preview.status("/a%2541.svg"), 200);
    let map = preview.get("/sitemap.xml").text();
    assert!(map.contains("/guides/100%2541%20sure"), "{map}");
}

#[test]
fn markdown_in_a_description_is_drawn_on_the_page_and_plain_elsewhere() {
    let folder = Folder::new(&[
        (
            "docs.json",
            r##"{"name": "T", "theme": "mint", "colors": {"primary": "#000000"}, "navigation": {"pages": ["start", "tools/box"]}}"##,
        ),
        (
            "start.mdx",
            "---\ntitle: Start\ndescription: A <b> & c_d_e\n---\n",
        ),
        (
            "tools/box.mdx",
            "---\ntitle: Box\ndescription: \"Run `a<b>` in [boxes](./other?x=1) **now**\"\n---\n\nWords.\n",
        ),
    ]);
    let preview = Preview::of(&folder);
    let page = preview.get("/tools/box").text();
    let lead = "<p class=\"lead\">Run <code>a&lt;b&gt;</code> in <a href=\"/tools/other?x=1\">boxes</a> <strong>now</strong></p>";
    assert!(page.contains(lead), "{page}");
    let plain = "content=\"Run a&lt;b&gt; in boxes now\"";
    assert!(
        page.contains(&format!("name=\"description\" {plain}")),
        "{page}"
    );
    assert!(
        page.contains(&format!("property=\"og:description\" {plain}")),
        "{page}"
    );
    let list = preview.get("/llms.txt").text();
    assert!(list.contains("Run a<b> in boxes now"), "{list}");
    // What is no Markdown is text as it is.
    let start = preview.get("/start").text();
    assert!(
        start.contains("<p class=\"lead\">A &lt;b&gt; &amp; c_d_e</p>"),
        "{start}"
    );
}

#[test]
fn an_unchanged_page_is_confirmed_in_each_encoding() {
    let preview = Preview::start(&museum(), quire_http::server::Limits::default());
    let mut connection = preview.connect();
    let plain = connection.get("/").body;
    let mut tags = Vec::new();
    for (accepted, encoding) in [
        ("", None),
        ("gzip", Some("gzip")),
        ("br", Some("br")),
        ("gzip, deflate, br;q=0.9", Some("br")),
        ("br;q=0, gzip", Some("gzip")),
        ("br;q=0, gzip;q=0.0", None),
        ("identity", None),
        ("deflate", None),
    ] {
        connection.request("GET", "/", &[("Accept-Encoding", accepted)]);
        let reply = connection.reply();
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("content-encoding"), encoding, "{accepted}");
        assert_eq!(reply.header("vary"), Some("Accept, Accept-Encoding"));
        assert_eq!(reply.header("cache-control"), Some("no-cache"));
        assert_eq!(reply.decoded(), plain, "{accepted}");
        let tag = reply.header("etag").expect("a tag").to_owned();
        for given in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"other\", {tag}"),
            "*".to_owned(),
        ] {
            let headers = [("Accept-Encoding", accepted), ("If-None-Match", &given)];
            connection.request("GET", "/", &headers);
            let reply = connection.reply();
            assert_eq!(reply.status, 304, "{accepted} {given}");
            assert_eq!(reply.header("etag"), Some(tag.as_str()));
            assert_eq!(reply.body, b"");
        }
        let headers = [("Accept-Encoding", accepted), ("If-None-Match", "\"x\"")];
        connection.request("GET", "/", &headers);
        assert_eq!(connection.reply().status, 200);
        tags.push((encoding, tag));
    }
    // Different bytes, different tags.
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 3, "{tags:?}");
}

#[test]
fn head_tells_what_get_sends() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    for target in [
        "/start",
        "/images/a.svg",
        "/nothing",
        "/old",
        "/_quire/healthz",
    ] {
        let get = connection.get(target);
        connection.request("HEAD", target, &[]);
        let head = connection.reply_to_head();
        assert_eq!(head.status, get.status, "{target}");
        for name in ["content-type", "content-length", "etag", "location"] {
            assert_eq!(head.header(name), get.header(name), "{target} {name}");
        }
    }
}

#[test]
fn other_methods_are_told_which_are_allowed() {
    let folder = site();
    let preview = Preview::of(&folder);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"] {
        let mut connection = preview.connect();
        connection.request(method, "/start", &[("Content-Length", "0")]);
        let reply = connection.reply();
        assert_eq!(reply.status, 405, "{method}");
        assert_eq!(reply.header("allow"), Some("GET, HEAD"));
        assert!(reply.text().contains("\"method-not-allowed\""));
    }
}

#[track_caller]
fn check_redirects(cases: &[(&str, u16, &str)]) {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    for (target, status, location) in cases {
        let reply = connection.get(target);
        let found = (reply.status, reply.header("location").unwrap_or(""));
        assert_eq!(found, (*status, *location), "{target}");
    }
}

#[test]
fn each_page_has_one_address() {
    check_redirects(&[
        ("/start/", 308, "/start"),
        ("/start/?a=1&b=%20", 308, "/start?a=1&b=%20"),
        ("/guides/", 308, "/guides"),
        ("/guides/index", 308, "/guides"),
        ("/guides/index/", 308, "/guides"),
        ("/start", 200, ""),
        ("/guides", 200, ""),
    ]);
}

#[test]
fn redirects_of_the_configuration_lead_on() {
    check_redirects(&[
        ("/old", 308, "/start"),
        ("/old/", 308, "/start"),
        ("/old?x=1", 308, "/start?x=1"),
        ("/moved", 307, "/start#part"),
        ("/moved?x=1", 307, "/start?x=1#part"),
        ("/v1/first", 308, "/guides/first"),
        ("/v1/a/b/c", 308, "/guides/a/b/c"),
        ("/v1/%C3%BC%20x", 308, "/guides/%C3%BC%20x"),
        ("/u/ada/profile", 308, "/people?who=ada"),
        ("/u/ada/profile?x=1", 308, "/people?who=ada&x=1"),
        ("/away", 308, "https://elsewhere.example/x"),
        // A page that is there wins over a redirect away from it.
        ("/guides/first", 200, ""),
    ]);
}

#[test]
fn a_redirect_within_the_site_never_leads_to_another_host() {
    check_redirects(&[
        ("/all//evil.example", 308, "/evil.example"),
        ("/all///evil.example/x", 308, "/evil.example/x"),
        ("/all/%2Fevil.example", 308, "/evil.example"),
        // A backslash is a slash to browsers; the gate refuses it.
        ("/all/%5Cevil.example", 400, ""),
    ]);
}

#[test]
fn home_leads_to_the_first_page_when_it_is_none() {
    check_redirects(&[("/", 307, "/start"), ("/?a=b", 307, "/start?a=b")]);
}

#[test]
fn home_is_a_page_when_there_is_one() {
    let folder = site();
    folder.write("index.mdx", "---\ntitle: Home\n---\n");
    let preview = Preview::of(&folder);
    assert_eq!(preview.status("/"), 200);
    assert_eq!(preview.get("/index").header("location"), Some("/"));
}

#[test]
fn an_unknown_address_gets_help() {
    let folder = site();
    let preview = Preview::of(&folder);
    let reply = preview.get("/guides/frist");
    assert_eq!(reply.status, 404);
    assert_eq!(
        reply.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let text = reply.text();
    assert!(text.contains("<main") && text.contains("noindex"), "{text}");
    assert!(
        text.contains("href=\"/guides/first\""),
        "the nearest page is offered"
    );
    // What was asked for is shown as text, never as markup.
    let reply = preview.get("/%3Cscript%3Ealert(1)%3C/script%3E");
    assert_eq!(reply.status, 404);
    assert!(!reply.text().contains("<script>alert"));
}

#[test]
fn the_script_of_diagrams_is_sent_as_it_is_stored_or_unpacked() {
    let folder = site();
    let preview = Preview::of(&folder);
    let url = queries::theme::assets::asset_url("mermaid.js");
    let mut connection = preview.connect();
    for (accepted, encoding) in [
        ("gzip, br", Some("gzip")),
        ("br", None),
        ("gzip;q=0", None),
        ("", None),
    ] {
        connection.request("GET", &url, &[("Accept-Encoding", accepted)]);
        let reply = connection.reply();
        assert_eq!(reply.header("content-encoding"), encoding, "{accepted}");
        assert_eq!(reply.header("vary"), Some("Accept-Encoding"));
        let script = reply.decoded();
        assert!(script.len() > 2_000_000, "{accepted}: {}", script.len());
        assert!(script.ends_with(b".default;\n"), "{accepted}");
    }
}

#[test]
fn theme_files_are_kept_for_ever() {
    let folder = site();
    let preview = Preview::of(&folder);
    let page = preview.page("/start");
    let assets: Vec<&str> = page
        .split('"')
        .filter(|part| part.starts_with("/_theme/"))
        .collect();
    assert!(assets.len() >= 3, "{assets:?}");
    for asset in assets {
        let reply = preview.get(asset);
        assert_eq!(reply.status, 200, "{asset}");
        assert_eq!(
            reply.header("cache-control"),
            Some("public, max-age=31536000, immutable")
        );
    }
    assert_eq!(preview.status("/_theme/quire.0000000000000000.css"), 404);
}

#[test]
fn files_are_sent_with_their_media_type() {
    let folder = site();
    let preview = Preview::of(&folder);
    for (target, media_type) in [
        ("/images/b.png", "image/png"),
        ("/images/a.svg", "image/svg+xml"),
        (
            "/files/%C3%BCn%C3%AF%20code.txt",
            "text/plain; charset=utf-8",
        ),
    ] {
        let reply = preview.get(target);
        assert_eq!(reply.status, 200, "{target}");
        assert_eq!(reply.header("content-type"), Some(media_type));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let tag = reply.header("etag").expect("a tag").to_owned();
        let mut connection = preview.connect();
        connection.request("GET", target, &[("If-None-Match", &tag)]);
        assert_eq!(connection.reply().status, 304);
    }
    let policy = preview.get("/images/a.svg");
    let policy = policy.header("content-security-policy").expect("a policy");
    assert!(policy.contains("sandbox") && policy.contains("script-src 'none'"));
}

#[test]
fn only_what_is_published_is_sent() {
    const CANARY: &str = "canary-7f3a";
    let folder = site();
    let private = [
        ".env",
        ".git/config",
        ".git/HEAD.txt",
        ".hidden/a.txt",
        "node_modules/a/b.txt",
        "package.json",
        "openapi.yaml",
        "snippets/script.js",
        "key.pem",
        "drafts/a.txt",
        "drafts/page.mdx",
        "notes.private.txt",
        "Makefile",
        "snippets/part.mdx",
        "README.md",
        "AGENTS.md",
    ];
    for path in private {
        folder.write(path, format!("---\ntitle: x\n---\n{CANARY}\n"));
    }
    folder.write(".mintignore", "drafts/\n*.private.txt\n");
    let outside = Folder::new(&[("secret.txt", CANARY), ("secret.mdx", CANARY)]);
    let link = |to: &std::path::Path, at: &str| {
        std::os::unix::fs::symlink(to, folder.at(at)).expect("a link");
    };
    link(&outside.at("secret.txt"), "images/secret.txt");
    link(&outside.at("secret.mdx"), "secret.mdx");
    link(outside.path(), "linked");
    link(&folder.at(".env"), "env.txt");
    link(&folder.at(".git"), "git");
    let preview = Preview::of(&folder);
    let mut targets: Vec<String> = private.iter().map(|path| format!("/{path}")).collect();
    targets.extend(
        private
            .iter()
            .filter_map(|path| Some(format!("/{}", path.strip_suffix(".mdx")?))),
    );
    for target in [
        "/docs.json",
        "/start.mdx",
        "/start.md.mdx",
        "/guides/first.mdx",
        "/.mintignore",
        "/images/secret.txt",
        "/secret",
        "/secret.mdx",
        "/linked/secret.txt",
        "/linked/secret",
        "/env.txt",
        "/git/HEAD.txt",
        "/images",
        "/images/",
        "/.quire-files",
        "/_theme/",
        "/_theme",
        "/_quire/",
    ] {
        targets.push(target.to_owned());
    }
    let mut connection = preview.connect();
    for target in targets {
        let reply = connection.get(&target);
        assert_eq!(reply.status, 404, "{target}");
        assert!(!reply.text().contains(CANARY), "{target}");
    }
}

#[test]
fn a_stylesheet_may_be_kept_under_the_address_that_names_its_content() {
    let site = Folder::new(&[
        (
            "docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["a"]}}"##,
        ),
        ("a.mdx", "Words.\n"),
        ("b/style.css", "main { color: red }"),
        ("script.js", "window.a = 1"),
        ("ignored.css", "x"),
        (".mintignore", "ignored.css\n"),
    ]);
    let preview = Preview::start(site.path(), quire_http::server::Limits::default());
    let mut connection = preview.connect();
    let page = preview.page("/a");
    let address = |page: &str| {
        let at = page.find("/b/style.css?v=").expect("a stylesheet");
        page[at..].split('"').next().expect("an address").to_owned()
    };
    assert!(page.contains("<script src=\"/script.js?v="), "{page}");
    assert!(!page.contains("ignored.css"), "{page}");
    let named = connection.get(&address(&page));
    assert_eq!(named.text(), "main { color: red }");
    assert_eq!(
        named.header("content-type"),
        Some("text/css; charset=utf-8")
    );
    assert_eq!(
        named.header("cache-control"),
        Some("public, max-age=31536000, immutable")
    );
    for other in ["/b/style.css", "/b/style.css?v=0000000000000000"] {
        let reply = connection.get(other);
        assert_eq!(reply.header("cache-control"), Some("no-cache"), "{other}");
    }
    let script = connection.get("/script.js");
    assert_eq!(
        script.header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
    site.write("b/style.css", "main { color: blue }");
    let again = preview.page("/a");
    assert_ne!(address(&again), address(&page));
    assert_eq!(
        connection.get(&address(&again)).text(),
        "main { color: blue }"
    );
}

/// The beginning of a PNG of this size: all that is read of one to know it.
fn png(width: u32, height: u32, rest: &str) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend(b"\x08\x06\0\0\0");
    bytes.extend(rest.as_bytes());
    bytes
}

#[test]
fn pictures_have_their_room_before_they_come() {
    let site = Folder::new(&[
        (
            "docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["a"]}}"##,
        ),
        (
            "a.mdx",
            "![One](/one.png)\n\n<img src=\"two.svg\" />\n\n![Three](broken.png)\n",
        ),
        (
            "two.svg",
            "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'/>",
        ),
        ("broken.png", "no picture at all"),
    ]);
    site.write("one.png", png(640, 480, "pixels"));
    let preview = Preview::start(site.path(), quire_http::server::Limits::default());
    let page = preview.page("/a");
    for part in [
        "alt=\"One\" width=\"640\" height=\"480\" decoding=\"async\"",
        "src=\"/two.svg\" width=\"30\" height=\"20\" loading=\"lazy\"",
        "alt=\"Three\" loading=\"lazy\"",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    site.write("one.png", png(64, 480, "other pixels"));
    assert!(preview.page("/a").contains("width=\"64\" height=\"480\""));
    site.remove("one.png");
    assert!(!preview.page("/a").contains("height=\"480\""));
}
