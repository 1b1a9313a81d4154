//! Redirects of an export: what each host makes of its table, by the rules that it documents.

use std::path::Path;

use quire_export::BuildResult;
use regex::{Captures, Regex};

use crate::export::{built, plan};
use crate::support::folder::Folder;

const REDIRECTS: &str = r#"[
    {"source": "/old", "destination": "/new/page"},
    {"source": "/part", "destination": "/new/page#part"},
    {"source": "/tab", "destination": "/new/page?tab=one#part"},
    {"source": "/old#frag", "destination": "/new/page"},
    {"source": "/q?x=1", "destination": "/new/page"},
    {"source": "/:lang(en|fr)/start", "destination": "/new/page"},
    {"source": "/some/:rest+", "destination": "/new/page"},
    {"source": "/opt/:id?", "destination": "/new/page"},
    {"source": "/with/", "destination": "/new/page"},
    {"source": "/Docs/Old Name", "destination": "/new/page"},
    {"source": "/caf%C3%A9", "destination": "/new/page"},
    {"source": "/a(b)+c", "destination": "/new/page"},
    {"source": "/new/page", "destination": "/v2/a"},
    {"source": "/v1/:slug*", "destination": "/v2/:slug*"},
    {"source": "/blog-*", "destination": "/v2/*"},
    {"source": "/u/:user/posts/:post", "destination": "/v2/:post", "permanent": false},
    {"source": "/u/:host/posts/last", "destination": "/new/page"},
    {"source": "/away/:page", "destination": "https://x.example/:page?from=a#b"}
]"#;

fn site() -> Folder {
    let config = format!(
        r##"{{"name":"R","theme":"mint","colors":{{"primary":"#336699"}},"redirects":{REDIRECTS},"navigation":{{"pages":["new/page","v2/a","v1/kept"]}}}}"##
    );
    Folder::new(&[
        ("docs.json", &config),
        ("new/page.mdx", "# Page\n\n## Part\n"),
        ("v2/a.mdx", "# A\n"),
        ("v1/kept.mdx", "# Kept\n"),
    ])
}

/// Where each host leads `asked`; nothing where it shows what is there.
struct Hosts {
    netlify: Vec<(String, String)>,
    vercel: Vec<(String, String)>,
    nginx: Vec<(String, Vec<(String, String)>)>,
}

impl Hosts {
    fn of(out: &Folder) -> Self {
        let lines = out.read("_redirects");
        let netlify = lines.lines().map(|line| {
            let mut parts = line.split(' ');
            let mut part = || parts.next().expect("a part").to_owned();
            (part(), part())
        });
        let vercel: serde_json::Value =
            serde_json::from_str(&out.read("vercel.json")).expect("JSON");
        let vercel = vercel["redirects"].as_array().expect("a list").iter();
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        let vercel = vercel.map(|rule| (text(&rule["source"]), text(&rule["destination"])));
        let conf = out.read("_redirects.nginx.conf");
        let maps = conf.split("map $request_uri ").skip(1).map(|map| {
            let rules = map.lines().filter_map(|line| {
                let (from, to) = line.trim().strip_prefix("\"~")?.split_once("\" \"")?;
                Some((from.to_owned(), to.strip_suffix("\";")?.to_owned()))
            });
            (
                map.split(' ').next().expect("a name").to_owned(),
                rules.collect(),
            )
        });
        Self {
            netlify: netlify.collect(),
            vercel: vercel.collect(),
            nginx: maps.collect(),
        }
    }

    /// `workers-shared` of Cloudflare: rules without signs first, then the others in order; what a placeholder stands for is put
    /// in place of its name; the query of the request is handed on where the destination has none.
    fn cloudflare(&self, path: &str, query: &str) -> Option<String> {
        let is_static = |from: &str| !from.contains([':', '*']);
        let fixed = self
            .netlify
            .iter()
            .find(|(from, _)| is_static(from) && from == path);
        let rule = fixed.map(|(_, to)| to.clone()).or_else(|| {
            let mut rules = self.netlify.iter().filter(|(from, _)| !is_static(from));
            rules.find_map(|(from, to)| {
                let from: Vec<String> = from.split('*').map(regex::escape).collect();
                let from = from.join("(?<splat>.*)");
                let names = Regex::new(":([A-Za-z]\\w*)").expect("a pattern");
                let from = names.replace_all(&from, "(?<$1>[^/]+)");
                let from = Regex::new(&format!("^{from}$")).expect("a pattern");
                let found = from.captures(path)?;
                let mut to = to.clone();
                for name in from.capture_names().flatten() {
                    to = to.replace(&format!(":{name}"), &found[name]);
                }
                Some(to)
            })
        })?;
        match rule.contains('?') {
            true => Some(rule),
            false => Some(with_query(&rule, query)),
        }
    }

    /// path-to-regexp 6 in strict mode; the query of the request is added.
    fn vercel(&self, path: &str, query: &str) -> Option<String> {
        let name = Regex::new(r"^/:(\w+)\*").expect("a pattern");
        let any = Regex::new(r"^:(\w+)\(\.\*\)").expect("a pattern");
        let one = Regex::new(r"^:(\w+)").expect("a pattern");
        self.vercel.iter().find_map(|(from, to)| {
            let mut pattern = String::from("^");
            let mut rest = from.as_str();
            while let Some(c) = rest.chars().next() {
                let (put, read) = if let Some(found) = name.captures(rest) {
                    (
                        format!("(?:/(?<{}>[^/]+(?:/[^/]+)*))?", &found[1]),
                        found[0].len(),
                    )
                } else if let Some(found) = any.captures(rest) {
                    (format!("(?<{}>.*)", &found[1]), found[0].len())
                } else if let Some(found) = one.captures(rest) {
                    (format!("(?<{}>[^/]+)", &found[1]), found[0].len())
                } else if rest.starts_with("{/}?") {
                    ("/?".to_owned(), 4)
                } else if c == '\\' {
                    (regex::escape(&rest[1..2]), 2)
                } else {
                    assert!(!"(){}*+?".contains(c), "{from}");
                    (regex::escape(&c.to_string()), c.len_utf8())
                };
                pattern.push_str(&put);
                rest = &rest[read..];
            }
            let pattern = Regex::new(&(pattern + "$")).expect("a pattern");
            let found = pattern.captures(path)?;
            let mut to = to.clone();
            for name in pattern.capture_names().flatten() {
                let value = found.name(name).map_or("", |value| value.as_str());
                to = to
                    .replace(&format!(":{name}*"), value)
                    .replace(&format!(":{name}"), value);
            }
            Some(with_query(&to, query))
        })
    }

    /// The maps of nginx: the first expression that fits; variables are put in place of their names.
    fn nginx(&self, path: &str, query: &str) -> Option<String> {
        let (is_args, more) = match query {
            "" => ("", String::new()),
            query => ("?", format!("&{query}")),
        };
        let asked = format!("{path}{is_args}{query}");
        self.nginx.iter().find_map(|(_, rules)| {
            let fit = |(from, to): &(String, String)| {
                let from = Regex::new(from).expect("a pattern");
                let found = from.captures(&asked)?;
                let variable = Regex::new(r"\$\{?(\w+)\}?").expect("a pattern");
                let value = |variable: &Captures<'_>| match &variable[1] {
                    "is_args" => is_args.to_owned(),
                    "args" => query.to_owned(),
                    "quire_more" => more.clone(),
                    name => found
                        .name(name)
                        .map_or("", |value| value.as_str())
                        .to_owned(),
                };
                Some(variable.replace_all(to, value).into_owned())
            };
            rules.iter().find_map(fit).filter(|to| !to.is_empty())
        })
    }
}

/// `location` with the query of the request, as the server of the site has it.
fn with_query(location: &str, query: &str) -> String {
    let (address, fragment) = location.split_at(location.find('#').unwrap_or(location.len()));
    let joint = match (query, address.contains('?')) {
        ("", _) => "",
        (_, true) => "&",
        (_, false) => "?",
    };
    format!("{address}{joint}{query}{fragment}")
}

fn export(site: &Path, out: &Folder) -> BuildResult {
    built(&plan(site, out.path()))
}

/// Asked with `?u=1`: what the server of the site answers, in the addresses of the export, and which hosts do otherwise.
#[test]
fn hosts_lead_on_as_the_server_of_the_site_does_or_the_build_tells() {
    let (site, out) = (site(), Folder::new(&[]));
    let told = export(site.path(), &out).left_out;
    let hosts = Hosts::of(&out);
    type Case = (
        &'static str,
        Option<&'static str>,
        &'static [(&'static str, Option<&'static str>)],
    );
    let query_lost: &[_] = &[("cloudflare", Some("/new/page/?tab=one#part"))];
    let cases: &[Case] = &[
        ("/old", Some("/new/page/?u=1"), &[]),
        ("/part", Some("/new/page/?u=1#part"), &[]),
        ("/tab", Some("/new/page/?tab=one&u=1#part"), query_lost),
        ("/with", Some("/new/page/?u=1"), &[]),
        ("/Docs/Old%20Name", Some("/new/page/?u=1"), &[]),
        ("/docs/old%20name", None, &[]),
        ("/caf%C3%A9", Some("/new/page/?u=1"), &[]),
        ("/a(b)+c", Some("/new/page/?u=1"), &[]),
        // What no request can ask for, or no placeholder says, is in no table.
        ("/en/start", None, &[]),
        ("/some/a", None, &[]),
        ("/opt/a", None, &[]),
        ("/q", None, &[]),
        // A page that is there comes first.
        ("/new/page", None, &[]),
        (
            "/v1/kept",
            None,
            &[
                ("cloudflare", Some("/v2/kept?u=1")),
                ("vercel", Some("/v2/kept?u=1")),
            ],
        ),
        ("/v1/a", Some("/v2/a?u=1"), &[]),
        ("/v1/a/b", Some("/v2/a/b?u=1"), &[]),
        ("/v1", Some("/v2/?u=1"), &[("cloudflare", None)]),
        ("/blog-a", Some("/v2/a?u=1"), &[]),
        ("/u/x/posts/%3Fa%0Ab", Some("/v2/%3Fa%0Ab?u=1"), &[]),
        ("/u/x/posts/last", Some("/v2/last?u=1"), &[]),
        (
            "/away/a",
            Some("https://x.example/a?from=a&u=1#b"),
            &[("cloudflare", Some("https://x.example/a?from=a#b"))],
        ),
    ];
    let mut wrong = Vec::new();
    for (path, served, others) in cases {
        for (host, to) in [
            ("cloudflare", hosts.cloudflare(path, "u=1")),
            ("vercel", hosts.vercel(path, "u=1")),
            ("nginx", hosts.nginx(path, "u=1")),
        ] {
            let other = others.iter().find(|(name, _)| *name == host);
            let expected = other.map_or(*served, |(_, to)| *to);
            if to.as_deref() != expected {
                wrong.push(format!("{host} {path}: {to:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let is_told = |start: &str| told.iter().any(|why| why.starts_with(start));
    for start in [
        "/v1/:slug*: on Cloudflare and Vercel leads away from /v1/kept",
        "/tab: on Cloudflare the query",
        "/away/:page: on Cloudflare the query",
    ] {
        assert!(is_told(start), "{start} in {told:#?}");
    }
}

/// Sites of other generators had `.html` at the end of their addresses.
#[test]
fn a_page_whose_file_is_the_source_of_a_redirect_stays() {
    let config = r##"{"name":"R","theme":"mint","colors":{"primary":"#336699"},"navigation":{"pages":["index","a"]},
        "redirects":[{"source":"/a.html","destination":"/a"},{"source":"/index.html","destination":"/"},
        {"source":"/a/index.html","destination":"/a"},{"source":"/b.html","destination":"/a"}]}"##;
    let site = Folder::new(&[
        ("docs.json", config),
        ("index.mdx", "# Home\n"),
        ("a.mdx", "# Page\n"),
    ]);
    for has_slash in [false, true] {
        let out = Folder::new(&[]);
        let mut plan = plan(site.path(), out.path());
        plan.trailing_slash = has_slash;
        built(&plan);
        let page = if has_slash { "a/index.html" } else { "a.html" };
        for (file, is_page) in [("index.html", true), (page, true), ("b.html", false)] {
            assert_eq!(out.read(file).contains("<h1"), is_page, "{file}");
        }
    }
}

#[test]
fn what_is_never_asked_for_is_reported() {
    let (site, out) = (site(), Folder::new(&[]));
    let reports = export(site.path(), &out).reports;
    let told: Vec<String> = reports.iter().map(|report| report.text(false)).collect();
    let told = told.join("\n");
    for words in [
        "`/old#frag` never matches",
        "`/q?x=1` never matches",
        "`/:lang(en|fr)/start` never matches: `(en|fr)` after `:lang`",
        "`/some/:rest+` never matches: `+` after `:rest`",
        "`/opt/:id?` never matches: `?` after `:id`",
        "`/new/page` is on the site, which shows it",
    ] {
        assert!(told.contains(words), "{words} in {told}");
    }
}

#[test]
fn pages_that_lead_on_keep_the_query_and_the_fragment() {
    let (site, out) = (site(), Folder::new(&[]));
    export(site.path(), &out);
    for stub in [
        "old/index.html",
        "caf\u{e9}/index.html",
        "Docs/Old Name/index.html",
    ] {
        let page = out.read(stub);
        let script = page
            .find("a.search+\"&\"+q.slice(1)")
            .expect("it adds the query");
        // What the script reads stands before it.
        assert!(
            page.find("<a href=\"/new/page/\"").expect("a link") < script,
            "{page}"
        );
        assert!(
            page.contains("<noscript><meta http-equiv=\"refresh\""),
            "{page}"
        );
    }
}

#[test]
fn what_cloudflare_has_no_room_for_is_told() {
    let redirect =
        |source: String| format!(r#"{{"source": "{source}", "destination": "/new/page"}}"#);
    let export_of = |fixed: usize, with_signs: usize, letters: usize| {
        let mut all: Vec<String> = (0..fixed).map(|i| redirect(format!("/old/{i}"))).collect();
        all.extend((0..with_signs).map(|i| redirect(format!("/v{i}/:page"))));
        all.push(redirect(format!("/{}", "a".repeat(letters))));
        let config = format!(
            r##"{{"name":"R","theme":"mint","colors":{{"primary":"#336699"}},"redirects":[{}],"navigation":{{"pages":["new/page"]}}}}"##,
            all.join(",")
        );
        let site = Folder::new(&[("docs.json", &config), ("new/page.mdx", "# Page\n")]);
        let out = Folder::new(&[]);
        export(site.path(), &out).left_out
    };
    let told = export_of(1999, 100, 900);
    assert!(
        !told.iter().any(|line| line.contains("Cloudflare reads")),
        "{told:?}"
    );
    let told = export_of(2000, 101, 1000);
    for part in [
        "2001 redirects without placeholders, of which Cloudflare reads the first 2000",
        "101 redirects with placeholders, of which Cloudflare reads the first 100",
        "longer than the 1000 characters of a line that Cloudflare reads",
    ] {
        assert!(
            told.iter().any(|line| line.contains(part)),
            "{part}: {told:?}"
        );
    }
}
