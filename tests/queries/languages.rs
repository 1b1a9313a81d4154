//! The words of the frame: each page in those of its language, what is read of it in English, and nothing drawn twice.

use std::collections::BTreeSet;

use base::path::Route;
use config::navigation::NodeKind;
use queries::frame::{PageOptions, is_asset_used, not_found_html};
use queries::navigation::{NavigationNode, navigation_tree};
use queries::site::{page_twin, route_table};
use theme::assets::ASSETS;
use theme::{language, words};

use crate::support::TestSite;

const SPEC: &str = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.example"}],
  "paths": {"/a": {"post": {"summary": "Make", "deprecated": true, "security": [{"key": []}],
    "parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string", "minLength": 3, "maxLength": 40, "enum": ["one"]}}],
    "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"inner": {"type": "object", 
      "properties": {"x": {"type": "integer", "multipleOf": 5}}}}}}}},
    "responses": {"200": {"description": "ok"}}}},
    "/b": {"get": {"summary": "Look", "security": [{"flow": []}, {"user": []}, {"token": []}, {"openid": []}, {"tls": []}, {"odd": []}], "responses": {"200": {"description": "ok",
      "content": {"application/json": {"schema": {"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "object", "properties": {"b": {"type": "array", "contains": {"type": "string"}, "minContains": 2}},
          "propertyNames": {"minLength": 2}, "not": {"required": ["z"]}, "dependentRequired": {"b": ["c"]}, "dependentSchemas": {"b": {"properties": {"d": {"type": "string"}}}},
          "if": {"properties": {"b": {"enum": ["x", "y"]}}}, "then": {"properties": {"e": {"type": "string"}}}, "else": {"properties": {"f": {"type": "string"}}}}]}}}}}}}},
  "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}, "user": {"type": "http", "scheme": "basic"},
    "token": {"type": "http", "scheme": "bearer"}, "openid": {"type": "openIdConnect", "openIdConnectUrl": "https://a.example/o"}, "tls": {"type": "mutualTLS"}, "odd": {"type": "http", "scheme": "odd"},
    "flow": {"type": "oauth2", "flows": {"authorizationCode": {"authorizationUrl": "https://a.example/a", "tokenUrl": "https://a.example/t", "refreshUrl": "https://a.example/r", "scopes": {}}}}}}}"##;

const PAGE: &str = "---\ntitle: T\n---\n\n## One\n\n<Note>n</Note>\n\n<Expandable title=\"more\">x</Expandable>\n\n```js\nlet a;\n```\n\n## Two\n\ntext\n";

/// A site with the same pages in each of `languages`, which all show the operation of one document.
fn site_in(languages: &[&str]) -> TestSite {
    let nodes = languages.iter().map(|code| {
        let group = format!(r#"{{"group": "API", "openapi": {{"source": "api.json", "directory": "{code}/api"}}}}"#);
        format!(r#"{{"language": "{code}", "groups": [{{"group": "G", "pages": ["{code}/start", "{code}/next"]}}, {group}]}}"#)
    });
    let nodes = nodes.collect::<Vec<_>>().join(",");
    let docs = format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {{"languages": [{nodes}]}}}}"##
    );
    let mut files = vec![
        ("docs.json".to_owned(), docs),
        ("api.json".to_owned(), SPEC.to_owned()),
    ];
    for code in languages {
        files.push((format!("{code}/start.mdx"), PAGE.to_owned()));
        files.push((format!("{code}/next.mdx"), PAGE.to_owned()));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    TestSite::new(&files)
}

#[test]
fn each_page_is_in_the_words_of_its_language() {
    let site = site_in(&["en", "de", "ar"]);
    let outputs = site.outputs();
    let has = |route: &str, words: &[&str]| {
        let html = &outputs[route];
        for word in words {
            assert!(html.contains(word), "{word} on {route}");
        }
    };
    has(
        "/en/start",
        &[
            "On this page",
            "Show more",
            "Copy code",
            "aria-label=\"Note\"",
            "Skip to content",
        ],
    );
    has(
        "/de/start",
        &[
            "Auf dieser Seite",
            "more zeigen",
            "Code kopieren",
            "aria-label=\"Hinweis\"",
            ">Weiter",
            "quire-words",
        ],
    );
    has(
        "/ar/start",
        &["في هذه الصفحة", "dir=\"rtl\"", "lang=\"ar\"", "نسخ الكود"],
    );
    has(
        "/en/api/make",
        &[
            "Query parameters",
            ">required<",
            "Authorizations",
            "3 – 40 characters",
            "multiple of 5",
            "Responses",
        ],
    );
    let german = [
        "Abfrageparameter",
        ">erforderlich<",
        "Autorisierung",
        "3 – 40 Zeichen",
        "Vielfaches von 5",
        ">Antworten",
        "Veraltet",
        "1 Eigenschaft zeigen",
    ];
    has("/de/api/make", &german);
    let english = [
        "Query parameters",
        ">required<",
        "Authorizations",
        "characters",
        "multiple of",
        "Responses",
        "On this page",
        "Copy code",
    ];
    for word in english {
        assert!(!outputs["/de/api/make"].contains(word), "{word}");
    }
    assert!(!outputs["/en/start"].contains("quire-words"));
}

/// What a reader sees or hears of a page: its texts, and the attributes that are read out.
fn shown(html: &str) -> BTreeSet<String> {
    let mut shown = BTreeSet::new();
    let mut rest = html;
    // Code is in no language of people.
    let mut code = 0;
    while let Some((text, after)) = rest.split_once('<') {
        if code == 0 {
            shown.insert(text.trim().to_owned());
        }
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        for name in [
            "aria-label=\"",
            "title=\"",
            "placeholder=\"",
            "alt=\"",
            "data-selection=\"",
        ] {
            let value = tag
                .split_once(name)
                .and_then(|(_, rest)| rest.split_once('"'));
            shown.extend(value.map(|(value, _)| value.to_owned()));
        }
        code += i32::from(tag == "code" || tag.starts_with("code "));
        code -= i32::from(tag == "/code");
        rest = match tag.starts_with("script") || tag.starts_with("style") {
            true => after.split_once("</").map_or("", |(_, rest)| rest),
            false => after,
        };
    }
    shown
}

/// Labels of ours are in the language of the navigation that they stand in; those of authors stay, whatever they are called,
/// and no address follows a language.
#[test]
fn groups_that_are_made_are_called_in_the_language_of_their_navigation() {
    let api = r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {
        "/a": {"get": {"summary": "Look"}}, "/b": {"get": {"tags": ["Channels"], "summary": "Ask"}}},
        "components": {"schemas": {"Thing": {"type": "object"}}}}"#;
    let live = r#"{"asyncapi": "3.0.0", "info": {"title": "L", "version": "1"}, "servers": {"b": {"host": "h", "protocol": "kafka"}},
        "channels": {"one": {"address": "one"}}}"#;
    let of = |code: &str| {
        format!(
            r#"{{"language": "{code}", "tabs": [{{"tab": "A", "openapi": {{"source": "api.json", "directory": "{code}/api"}}}},
            {{"tab": "B", "asyncapi": {{"source": "live.json", "directory": "{code}/live"}}}}]}}"#
        )
    };
    let docs = format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "api": {{"models": true}},
        "navigation": {{"languages": [{}, {}, {}]}}}}"##,
        of("en"),
        of("de"),
        of("ja")
    );
    let site = TestSite::new(&[
        ("docs.json", &*docs),
        ("api.json", api),
        ("live.json", live),
    ]);
    fn labels(node: &NavigationNode, found: &mut Vec<String>) {
        if node.kind == NodeKind::Group {
            found.push(node.label.clone());
        }
        node.children.iter().for_each(|node| labels(node, found));
    }
    let tree = navigation_tree(&site.db, site.site);
    let of = |number: usize| {
        let mut found = Vec::new();
        labels(&tree.nodes[number], &mut found);
        found
    };
    assert_eq!(of(0), ["API Reference", "Channels", "Models", "Channels"]);
    assert_eq!(of(1), ["API-Referenz", "Channels", "Modelle", "Kanäle"]);
    assert_eq!(of(2), ["APIリファレンス", "Channels", "モデル", "チャネル"]);
    let pages = &route_table(&site.db, site.site).pages;
    for route in ["de/api/models/thing", "de/live/channels/one", "de/api/look"] {
        assert!(
            pages.contains_key(&Route::new(route).unwrap()),
            "{route} in {:?}",
            pages.keys()
        );
    }
    let html = &site.outputs()["/de/api/introduction"];
    assert!(html.contains(r#"<h3 id="tag-API-Reference">API-Referenz<"#));
}

#[test]
fn no_word_of_english_is_left_on_a_page_of_another_language() {
    let codes: Vec<&str> = language::NAMES.iter().map(|(code, _)| *code).collect();
    let site = site_in(&codes);
    let outputs = site.outputs();
    let mut met = BTreeSet::new();
    for code in codes {
        for page in ["start", "next", "api/make", "api/look"] {
            let shown = shown(&outputs[&format!("/{code}/{page}")]);
            let pairs: Vec<_> = words::pairs(language::tag(code)).collect();
            for (english, own) in &pairs {
                // A language may say a word as English does, and another word of it so.
                let is_own = pairs.iter().any(|(_, text)| text == english);
                assert!(
                    is_own || !shown.contains(*english),
                    "{english} on /{code}/{page}"
                );
                if shown.contains(*own) {
                    met.insert(*english);
                }
            }
            // What is said around other words.
            for english in [
                " is present",
                "not: ",
                "keys ",
                "Token URL",
                "Authorization URL",
                "When ",
                "contains ",
                "A token that",
                "Option ",
                "one of",
                " – see ",
            ] {
                let has = shown.iter().any(|text| text.contains(english));
                let is_own = pairs.iter().any(|(_, own)| own.contains(english));
                assert!(
                    !has || is_own || code == "en",
                    "{english:?} on /{code}/{page}"
                );
            }
        }
    }
    for english in [
        "Otherwise:",
        "API key in header",
        "client certificate",
        "An HTTP authentication scheme.",
    ] {
        assert!(met.contains(english), "{english}: {met:?}");
    }
}

#[test]
fn a_page_names_the_words_of_its_form_in_its_language_alone() {
    let site = site_in(&["en", "de", "zh-hant"]);
    let outputs = site.outputs();
    assert!(!outputs["/en/api/make"].contains("form-words"));
    let german = &outputs["/de/api/make"];
    assert!(
        german.contains("data-words=\"/_theme/form-words.de."),
        "{german}"
    );
    assert!(!german.contains("form-words.zh"));
    assert!(outputs["/zh-hant/api/make"].contains("/_theme/form-words.zh-hant."));
    let kept = |name: &str| {
        let asset = ASSETS.iter().find(|asset| asset.name == name).expect(name);
        is_asset_used(&site.db, site.site, asset)
    };
    assert!(kept("form-words.de.js") && kept("form-words.zh-hant.js"));
    assert!(!kept("form-words.fr.js") && !kept("form-words.zh.js"));
}

#[test]
fn every_language_code_is_whole() {
    let codes: Vec<&str> = language::NAMES.iter().map(|(code, _)| *code).collect();
    let outputs = site_in(&codes);
    let outputs = outputs.outputs();
    for code in codes {
        let html = &outputs[&format!("/{code}/start")];
        assert!(
            html.contains(&format!("lang=\"{}\"", language::tag(code))),
            "{code}"
        );
        assert_eq!(html.contains("On this page"), code == "en", "{code}");
    }
}

#[test]
fn what_is_read_of_a_page_is_in_english() {
    let site = site_in(&["de", "en"]);
    let db = &site.db;
    for page in route_table(db, site.site).pages.values() {
        let twin = page_twin(db, site.site, *page);
        assert!(!twin.contains('\u{FDD0}'), "{twin}");
        let text = queries::search::page_text(db, *page);
        let text = serde_json::to_string(&**text).expect("texts are JSON");
        assert!(!text.contains('\u{FDD0}'), "{text}");
    }
}

#[test]
fn what_is_missing_is_said_in_the_language_of_its_address() {
    let site = site_in(&["en", "de"]);
    let said = |route: &str| not_found_html(&site.db, site.site, route, &PageOptions::default());
    let german = said("/de/nothing");
    assert!(
        german.contains("Diese Seite gibt es nicht") && german.contains("lang=\"de\""),
        "{german}"
    );
    assert!(
        german.contains("Unter <code>/de/nothing</code> ist nichts"),
        "{german}"
    );
    assert!(german.contains("<title>Seite nicht gefunden"), "{german}");
    assert!(said("/nothing").contains("This page does not exist"));
}
