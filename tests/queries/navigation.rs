//! The navigation: the tree, its sections, the section of a page, and what an edit wakes.

use config::SpecSource;
use expect_test::{Expect, expect};
use queries::config::theme_config;
use queries::navigation::{
    NavigationNode, PageId, Target, navigation_tree, page_section, sections,
};

use crate::support::{TestSite, shown, source_of};

fn docs(navigation: &str) -> String {
    format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {navigation}}}"##
    )
}

fn test_site(navigation: &str, pages: &[&str]) -> TestSite {
    let docs = docs(navigation);
    let mut files = vec![("docs.json", docs.as_str())];
    files.extend(pages.iter().map(|page| (*page, "# Title")));
    TestSite::new(&files)
}

fn draw(site: &TestSite, nodes: &[NavigationNode], depth: usize, text: &mut String) {
    for node in nodes.iter().flat_map(NavigationNode::each) {
        let target = match &node.target {
            Target::None => String::new(),
            Target::File(file) => format!(" → {}", file.path(&site.db)),
            Target::Files(_) => unreachable!("each page has a node"),
            Target::Missing(path) => format!(" → missing {path}"),
            Target::Href(href) => format!(" → {href}"),
            Target::Generated(page) => {
                format!(" → {}", source_of(&site.db, PageId::Generated(*page)))
            }
        };
        let mut facts = Vec::new();
        facts.extend(
            node.root
                .map(|file| format!("root={}", file.path(&site.db))),
        );
        facts.extend(node.hidden.then(|| "hidden".to_owned()));
        facts.extend(node.is_default.then(|| "default".to_owned()));
        facts.extend(
            node.version
                .as_ref()
                .map(|version| format!("version={version}")),
        );
        facts.extend(
            node.language
                .as_ref()
                .map(|language| format!("language={language}")),
        );
        facts.extend(node.boost.map(|boost| format!("boost={}", boost.0)));
        let specs: Vec<_> = node.openapi.iter().map(spec).collect();
        facts.extend((!specs.is_empty()).then(|| specs.join("+")));
        let facts = if facts.is_empty() {
            String::new()
        } else {
            format!(" [{}]", facts.join(" "))
        };
        let label = if node.label.is_empty() {
            String::new()
        } else {
            format!(" {}", node.label)
        };
        let indent = "  ".repeat(depth);
        text.push_str(&format!(
            "{indent}{}{label}{target}{facts}\n",
            node.kind.word()
        ));
        draw(site, &node.children, depth + 1, text);
    }
}

fn spec(spec: &SpecSource) -> String {
    match &spec.directory {
        Some(directory) => format!("{}@{directory}", spec.source),
        None => spec.source.clone(),
    }
}

/// Checks the tree and what was wrong with it.
#[track_caller]
fn check_tree(navigation: &str, pages: &[&str], expected: Expect) {
    let site = test_site(navigation, pages);
    let tree = navigation_tree(&site.db, site.site);
    let mut text = String::new();
    draw(&site, &tree.nodes, 0, &mut text);
    draw(&site, &tree.global, 0, &mut text);
    text.push_str(&shown(&tree.diagnostics));
    expected.assert_eq(&text);
}

/// Checks the sections: breadcrumb, pages, hidden pages.
#[track_caller]
fn check_sections(navigation: &str, pages: &[&str], expected: Expect) {
    let site = test_site(navigation, pages);
    let mut text = String::new();
    for section in sections(&site.db, site.site) {
        text.push_str(&format!("section {:?}\n", section.position(&site.db)));
        for step in section.breadcrumb(&site.db) {
            text.push_str(&format!("  {}:", step.kind.word()));
            for (i, choice) in step.choices.iter().enumerate() {
                let to = match (&choice.href, choice.first_page) {
                    (Some(href), _) => href.clone(),
                    (None, Some(page)) => source_of(&site.db, page),
                    (None, None) => "nowhere".to_owned(),
                };
                let chosen = if i == step.chosen { "*" } else { "" };
                let hidden = if choice.hidden { " hidden" } else { "" };
                text.push_str(&format!(" [{chosen}{}{hidden} → {to}]", choice.label));
            }
            text.push('\n');
        }
        let names = |pages: &[PageId]| {
            let names: Vec<_> = pages
                .iter()
                .map(|page| source_of(&site.db, *page))
                .collect();
            names.join(" ")
        };
        text.push_str(&format!("  pages: {}\n", names(section.pages(&site.db))));
        if !section.hidden_pages(&site.db).is_empty() {
            text.push_str(&format!(
                "  hidden: {}\n",
                names(section.hidden_pages(&site.db))
            ));
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn page_strings_are_normalized() {
    check_tree(
        r#"{"pages": ["/intro", "./over", "intro.mdx", "over/", "INTRO", "guides", "old", "../x", "https://x.io"]}"#,
        &["intro.mdx", "over.mdx", "guides/index.mdx", "old.md"],
        expect![[r#"
            page → intro.mdx
            page → over.mdx
            page → intro.mdx
            page → over.mdx
            page → missing INTRO
            page → guides/index.mdx
            page → old.md
            page → missing ../x
            link → https://x.io
            docs.json:/navigation/pages/4: warning[missing-page] there is no page `INTRO`
              did you mean `intro`?
            docs.json:/navigation/pages/7: warning[missing-page] there is no page `../x`
              create `../x.mdx` or remove the entry
        "#]],
    );
}

#[test]
fn a_missing_page_is_a_warning_at_its_entry_with_a_suggestion() {
    check_tree(
        r#"{"groups": [{"group": "G", "root": "guides/nope", "pages": ["guides/quickstrat", "moved", {"group": "H", "pages": ["far/away"]}]}]}"#,
        &["guides/quickstart.mdx", "guides/moved.mdx"],
        expect![[r#"
            group G
              page → missing guides/quickstrat
              page → missing moved
              group H
                page → missing far/away
            docs.json:/navigation/groups/0/root: warning[missing-page] there is no page `guides/nope`
              create `guides/nope.mdx` or remove the entry
            docs.json:/navigation/groups/0/pages/0: warning[missing-page] there is no page `guides/quickstrat`
              did you mean `guides/quickstart`?
            docs.json:/navigation/groups/0/pages/1: warning[missing-page] there is no page `moved`
              did you mean `guides/moved`?
            docs.json:/navigation/groups/0/pages/2/pages/0: warning[missing-page] there is no page `far/away`
              create `far/away.mdx` or remove the entry
        "#]],
    );
}

#[test]
fn operations_of_specifications_that_are_not_there_have_no_page() {
    check_tree(
        r#"{"groups": [{"group": "G", "openapi": "a.json", "pages": ["get /users", "b.json POST /users", "webhook paid", "b.json webhook paid"]}]}"#,
        &[],
        expect![[r#"
            group G [a.json]
              page → missing get /users [a.json]
              page → missing b.json POST /users [a.json]
              page → missing webhook paid [a.json]
              page → missing b.json webhook paid [a.json]
            docs.json:/navigation/groups/0/openapi: error[missing-spec] there is no specification `a.json`
              the path is relative to the folder of docs.json
            docs.json:/navigation/groups/0/pages/1: warning[unresolved-operation] there is no specification `b.json`
              the path is relative to the folder of docs.json
            docs.json:/navigation/groups/0/pages/3: warning[unresolved-operation] there is no specification `b.json`
              the path is relative to the folder of docs.json
        "#]],
    );
}

#[test]
fn every_kind_of_element_is_a_node() {
    check_tree(
        r#"{"languages": [{"language": "en", "versions": [{"version": "1", "products": [{"product": "P", "dropdowns": [{"dropdown": "D",
            "anchors": [{"anchor": "A", "tabs": [{"tab": "T", "menu": [{"item": "I", "groups": [{"group": "G", "pages": ["a"]}]}]}]}]}]}]}]}],
            "global": {"anchors": [{"anchor": "Blog", "href": "https://b.io"}]}}"#,
        &["a.mdx"],
        expect![[r#"
            language en [default language=en]
              version 1 [default version=1 language=en]
                product P [default version=1 language=en]
                  dropdown D [version=1 language=en]
                    anchor A [version=1 language=en]
                      tab T [version=1 language=en]
                        item I [version=1 language=en]
                          group G [version=1 language=en]
                            page → a.mdx [version=1 language=en]
            anchor Blog → https://b.io
        "#]],
    );
}

#[test]
fn the_nearest_explicit_value_is_inherited() {
    check_tree(
        r#"{"openapi": "root.json", "tabs": [{"tab": "T", "hidden": true, "boost": 2, "version": "v9", "groups": [
            {"group": "A", "pages": ["a"]}, {"group": "B", "hidden": false, "boost": 0.5, "openapi": {"source": "b.json", "directory": "b"}, "pages": ["a", {"group": "C", "openapi": ["c.json", "d.json"], "pages": ["a"]}]}
        ]}]}"#,
        &["a.mdx"],
        expect![[r#"
            tab T [hidden version=v9 boost=2000 root.json]
              group A [hidden version=v9 boost=2000 root.json]
                page → a.mdx [hidden version=v9 boost=2000 root.json]
              group B [version=v9 boost=500 b.json@b]
                page → a.mdx [version=v9 boost=500 b.json@b]
                group C [version=v9 boost=500 c.json+d.json]
                  page → a.mdx [version=v9 boost=500 c.json+d.json]
            docs.json:/navigation/openapi: error[missing-spec] there is no specification `root.json`
              the path is relative to the folder of docs.json
            docs.json:/navigation/tabs/0/groups/1/openapi/source: error[missing-spec] there is no specification `b.json`
              the path is relative to the folder of docs.json
            docs.json:/navigation/tabs/0/groups/1/pages/1/openapi/0: error[missing-spec] there is no specification `c.json`
              the path is relative to the folder of docs.json
            docs.json:/navigation/tabs/0/groups/1/pages/1/openapi/1: error[missing-spec] there is no specification `d.json`
              the path is relative to the folder of docs.json
        "#]],
    );
}

#[test]
fn the_first_kind_of_children_wins() {
    check_tree(
        r#"{"tabs": [{"tab": "T", "pages": ["a"], "groups": [{"group": "G", "pages": ["b"]}]}], "pages": ["a"]}"#,
        &["a.mdx", "b.mdx"],
        expect![[r#"
            tab T
              group G
                page → b.mdx
        "#]],
    );
}

#[test]
fn sections_are_leaf_containers_with_the_switchers_above() {
    check_sections(
        r#"{"languages": [
            {"language": "en", "tabs": [{"tab": "Guides", "pages": ["a", "b"]}, {"tab": "Blog", "href": "https://b.io"}, {"tab": "Empty"}, {"tab": "API", "openapi": "x.json"}]},
            {"language": "fr", "default": true, "versions": [{"version": "1", "pages": ["fr/a"]}, {"version": "2", "default": true, "pages": ["fr/b"]}]}
        ]}"#,
        &["a.mdx", "b.mdx", "fr/a.mdx", "fr/b.mdx"],
        expect![[r#"
            section [0, 0]
              language: [*en → a.mdx] [fr → fr/b.mdx]
              tab: [*Guides → a.mdx] [Blog → https://b.io] [Empty → nowhere] [API → nowhere]
              pages: a.mdx b.mdx
            section [1, 0]
              language: [en → a.mdx] [*fr → fr/b.mdx]
              version: [*1 → fr/a.mdx] [2 → fr/b.mdx]
              pages: fr/a.mdx
            section [1, 1]
              language: [en → a.mdx] [*fr → fr/b.mdx]
              version: [1 → fr/a.mdx] [*2 → fr/b.mdx]
              pages: fr/b.mdx
        "#]],
    );
}

#[test]
fn a_site_without_switchers_is_one_section() {
    check_sections(
        r#"{"groups": [{"group": "G", "root": "g", "pages": ["a", "a", {"group": "H", "hidden": true, "pages": ["h", "a"]}]}]}"#,
        &["a.mdx", "g.mdx", "h.mdx"],
        expect![[r#"
            section []
              pages: g.mdx a.mdx
              hidden: h.mdx a.mdx
        "#]],
    );
}

#[test]
fn a_hidden_tab_leads_to_its_hidden_pages() {
    check_sections(
        r#"{"tabs": [{"tab": "A", "pages": ["a"]}, {"tab": "B", "hidden": true, "pages": ["b"]}]}"#,
        &["a.mdx", "b.mdx"],
        expect![[r#"
            section [0]
              tab: [*A → a.mdx] [B hidden → b.mdx]
              pages: a.mdx
            section [1]
              tab: [A → a.mdx] [*B hidden → b.mdx]
              pages: 
              hidden: b.mdx
        "#]],
    );
}

#[test]
fn a_page_is_in_the_section_of_its_first_visible_listing() {
    let site = test_site(
        r#"{"tabs": [{"tab": "A", "hidden": true, "pages": ["x"]}, {"tab": "B", "pages": ["x"]}, {"tab": "C", "pages": ["x"]}]}"#,
        &["x.mdx", "unlisted.mdx"],
    );
    let section = page_section(&site.db, site.file("x.mdx")).unwrap();
    assert_eq!(section.position(&site.db), &[1]);
    assert!(page_section(&site.db, site.file("unlisted.mdx")).is_none());
}

/// Where the choices of the first switcher of `kind` lead from the page at `route`.
fn choices(site: &TestSite, route: &str, kind: &str) -> Vec<String> {
    let html = &site.outputs()[route];
    let (_, rest) = html
        .split_once(&format!("data-kind=\"{kind}\""))
        .expect("a switcher");
    let (menu, _) = rest.split_once("</ul>").expect("its end");
    let links = menu.split(" href=\"").skip(1);
    links
        .map(|link| link.split('"').next().unwrap_or("").to_owned())
        .collect()
}

#[test]
fn a_language_leads_to_the_same_page_wherever_its_segment_stands() {
    let site = test_site(
        r#"{"languages": [{"language": "en", "pages": ["a", "v1/en/b", "only"]}, {"language": "fr", "pages": ["fr/a", "v1/fr/b"]}]}"#,
        &[
            "a.mdx",
            "fr/a.mdx",
            "v1/en/b.mdx",
            "v1/fr/b.mdx",
            "only.mdx",
        ],
    );
    assert_eq!(choices(&site, "/a", "language"), ["/a", "/fr/a"]);
    assert_eq!(choices(&site, "/fr/a", "language"), ["/a", "/fr/a"]);
    assert_eq!(
        choices(&site, "/v1/en/b", "language"),
        ["/v1/en/b", "/v1/fr/b"]
    );
    // There is none: the language begins with its first page.
    assert_eq!(choices(&site, "/only", "language"), ["/only", "/fr/a"]);
}

#[test]
fn a_version_leads_to_the_same_page_whatever_its_folder_is_called() {
    let site = test_site(
        r#"{"versions": [
            {"version": "Version 2", "pages": ["docs/V2/start", "docs/V2/learn/a", "docs/V2/learn/new"]},
            {"version": "Version 1", "pages": ["docs/V1/start", "docs/V1/learn/a"]},
            {"version": "next", "pages": ["docs/V2/start", "docs/next/other", "docs/next/learn/b"]}
        ]}"#,
        &[
            "docs/V2/start.mdx",
            "docs/V2/learn/a.mdx",
            "docs/V2/learn/new.mdx",
            "docs/V1/start.mdx",
            "docs/V1/learn/a.mdx",
            "docs/next/other.mdx",
            "docs/next/learn/b.mdx",
        ],
    );
    let of = |route: &str| choices(&site, route, "version");
    assert_eq!(
        of("/docs/V2/learn/a")[..2],
        ["/docs/V2/learn/a", "/docs/V1/learn/a"]
    );
    assert_eq!(
        of("/docs/V1/learn/a")[..2],
        ["/docs/V2/learn/a", "/docs/V1/learn/a"]
    );
    // What is missing there leads to its neighbors, and what two versions share leads on to what one has alone.
    assert_eq!(of("/docs/V2/learn/new")[1], "/docs/V1/learn/a");
    assert_eq!(
        of("/docs/V2/start")[1..],
        ["/docs/V1/start", "/docs/next/other"]
    );
}

#[test]
fn a_version_leads_to_the_page_of_the_same_name_and_an_old_one_names_the_newest() {
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"},
        "seo": {"metatags": {"canonical": "https://docs.example.org"}},
        "navigation": {"versions": [
            {"version": "Version 2025-11-25", "pages": ["shared", "2025/start", "2025/guides/auth", "2025/guides/new"]},
            {"version": "Version 2024-01-10", "pages": ["shared", "2024/start", "2024/howto/auth", "2024/howto/old"]}
        ]}}"##;
    let pages = [
        "shared.mdx",
        "2025/start.mdx",
        "2025/guides/auth.mdx",
        "2025/guides/new.mdx",
        "2024/start.mdx",
        "2024/howto/auth.mdx",
        "2024/howto/old.mdx",
    ];
    let mut files = vec![("docs.json", docs)];
    files.extend(pages.map(|path| (path, "A page.\n")));
    let site = TestSite::new(&files);
    let of = |route: &str| choices(&site, route, "version");
    // A page that both versions list does not hide their folders.
    assert_eq!(of("/2025/start"), ["/2025/start", "/2024/start"]);
    assert_eq!(of("/2024/start"), ["/2025/start", "/2024/start"]);
    assert_eq!(of("/2025/guides/auth")[1], "/2024/howto/auth");
    assert_eq!(of("/2024/howto/auth")[0], "/2025/guides/auth");
    // What is in no other version leads to its beginning.
    assert_eq!(of("/2024/howto/old")[0], "/shared");

    let canonical = |route: &str| {
        let html = &site.outputs()[route];
        let (_, rest) = html
            .split_once("rel=\"canonical\" href=\"")
            .expect("a link");
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    for (route, expected) in [
        ("/2025/start", "/2025/start"),
        ("/2024/start", "/2025/start"),
        ("/2024/howto/auth", "/2025/guides/auth"),
        ("/2024/howto/old", "/2024/howto/old"),
        ("/shared", "/shared"),
    ] {
        assert_eq!(
            canonical(route),
            format!("https://docs.example.org{expected}")
        );
    }
}

#[test]
fn an_operation_is_the_same_in_another_version_of_its_specification() {
    let spec = |title: &str| {
        let paths = r#"{"/a": {"get": {"summary": "Read"}}, "/b": {"post": {"summary": "Write"}}}"#;
        format!(
            r#"{{"openapi": "3.1.0", "info": {{"title": "{title}", "version": "1"}}, "paths": {paths}}}"#
        )
    };
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {"versions": [
        {"version": "2", "groups": [{"group": "API", "openapi": {"source": "two.json", "directory": "two"}}]},
        {"version": "1", "groups": [{"group": "API", "openapi": {"source": "one.json", "directory": "one"}}]}]}}"##;
    let (one, two) = (spec("One"), spec("Two"));
    let site = TestSite::new(&[
        ("docs.json", docs),
        ("one.json", &*one),
        ("two.json", &*two),
    ]);
    assert_eq!(
        choices(&site, "/two/write", "version"),
        ["/two/write", "/one/write"]
    );
    assert_eq!(
        choices(&site, "/one/read", "version"),
        ["/two/read", "/one/read"]
    );
}

#[test]
fn links_of_a_language_replace_those_of_the_site() {
    let site = test_site(
        r#"{"global": {"anchors": [{"anchor": "Blog", "href": "https://b.io"}]}, "languages": [
            {"language": "en", "pages": ["a"]}, {"language": "fr", "tabs": [{"tab": "T", "pages": ["a"]}], "global": {"anchors": [{"anchor": "Blogue", "href": "https://b.io/fr"}]}}]}"#,
        &["a.mdx"],
    );
    let tree = navigation_tree(&site.db, site.site);
    assert_eq!(tree.global_at(&[0])[0].label, "Blog");
    assert_eq!(tree.global_at(&[1, 0])[0].label, "Blogue");
}

const NAVIGATION: &str =
    r#"{"tabs": [{"tab": "A", "pages": ["a"]}, {"tab": "B", "pages": ["b", "c"]}]}"#;

/// A site whose `docs.json` was edited before: the first edit makes it less durable, which wakes its readers once.
fn edited_site() -> TestSite {
    let mut site = test_site(NAVIGATION, &["a.mdx", "b.mdx"]);
    ask(&site);
    site.set("docs.json", format!("{}\n", docs(NAVIGATION)));
    ask(&site);
    site
}

/// Asks for everything a page frame asks for; then takes the log.
fn ask(site: &TestSite) -> String {
    theme_config(&site.db, site.site);
    navigation_tree(&site.db, site.site);
    for page in ["a.mdx", "b.mdx"] {
        if let Some(section) = page_section(&site.db, site.file(page)) {
            section.breadcrumb(&site.db);
        }
    }
    site.take()
}

/// Whether the answers are those of a fresh database.
#[track_caller]
fn check_fresh(site: &TestSite, files: &[(&str, &str)]) {
    let fresh = TestSite::new(files);
    let draw_all = |site: &TestSite| {
        let tree = navigation_tree(&site.db, site.site);
        let mut text = shown(&tree.diagnostics);
        draw(site, &tree.nodes, 0, &mut text);
        text
    };
    assert_eq!(draw_all(site), draw_all(&fresh));
}

#[test]
fn a_new_color_leaves_the_navigation_asleep() {
    let mut site = edited_site();
    assert_eq!(ask(&site), "");
    let edited = docs(NAVIGATION).replace("#0a7", "#0a8");
    site.set("docs.json", &edited);
    expect!["navigation_config, site_config, theme_config"].assert_eq(&ask(&site));
    check_fresh(
        &site,
        &[("docs.json", &edited), ("a.mdx", ""), ("b.mdx", "")],
    );
}

#[test]
fn words_in_a_page_wake_nothing() {
    let mut site = test_site(NAVIGATION, &["a.mdx", "b.mdx"]);
    ask(&site);
    site.set("a.mdx", "---\ntitle: Other\n---\nwords");
    assert_eq!(ask(&site), "");
}

#[test]
fn a_new_label_wakes_no_page_whose_section_stays() {
    let mut site = edited_site();
    assert_eq!(ask(&site), "");
    let edited = docs(NAVIGATION).replace(r#""tab": "A""#, r#""tab": "Z""#);
    site.set("docs.json", &edited);
    expect!["navigation_config, navigation_tree, sections, site_config, theme_config"]
        .assert_eq(&ask(&site));
    check_fresh(
        &site,
        &[("docs.json", &edited), ("a.mdx", ""), ("b.mdx", "")],
    );
}

#[test]
fn a_missing_page_that_appears_clears_its_warning() {
    let mut site = test_site(NAVIGATION, &["a.mdx", "b.mdx"]);
    ask(&site);
    assert_eq!(navigation_tree(&site.db, site.site).diagnostics.len(), 1);
    site.add("c.mdx", "# C");
    expect!["navigation_tree, page_names, page_section ×2, sections, sections_by_page"]
        .assert_eq(&ask(&site));
    assert!(navigation_tree(&site.db, site.site).diagnostics.is_empty());
    check_fresh(
        &site,
        &[
            ("docs.json", &docs(NAVIGATION)),
            ("a.mdx", ""),
            ("b.mdx", ""),
            ("c.mdx", ""),
        ],
    );
    site.remove("c.mdx");
    ask(&site);
    assert_eq!(navigation_tree(&site.db, site.site).diagnostics.len(), 1);
}

#[test]
fn a_page_holds_no_more_choices_than_are_shown() {
    for (key, word) in [
        ("tabs", "tab"),
        ("versions", "version"),
        ("anchors", "anchor"),
    ] {
        let html = |count: usize, page: usize| {
            let names: Vec<String> = (0..count).map(|i| format!("p{i}.mdx")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let elements: Vec<String> = (0..count)
                .map(|i| format!(r#"{{"{word}": "Choice {i}.", "pages": ["p{i}"]}}"#))
                .collect();
            let navigation = format!(r#"{{"{key}": [{}]}}"#, elements.join(","));
            test_site(&navigation, &names).html(&format!("p{page}.mdx"))
        };
        let shown = |html: &str| {
            (0..400)
                .filter(|i| html.contains(&format!("Choice {i}.")))
                .count()
        };
        let (few, many) = (html(200, 3), html(400, 3));
        assert_eq!(shown(&few), 200, "{key}");
        assert_eq!(shown(&many), 200, "{key}");
        // The page of one that is left out of the others says where it is.
        let last = html(400, 399);
        assert_eq!(shown(&last), 200, "{key}");
        assert!(last.contains("Choice 399."), "{key}");
        assert!(!last.contains("Choice 199."), "{key}");
    }
}
